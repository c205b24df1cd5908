"""What methods return: label arrays over the nodes of a page, and records of what failed."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import ParameterError
from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

ROUNDING = 1e-9
"""Energies that differ by less are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """The segments of one page.

    Attributes:
        labels: (n,) int32 per node of the Dom, the id of its segment; -1 for none (invisible, above all).
            Segments are numbered 0, 1, ... by their first node.
        method: name of the method; params: its parameters.
        energy: value of the objective that was minimised; lower_bound: a proven bound on its minimum.
        roles: what each segment is for, None where that is not known; empty where nobody asked.
        role_probability: (s,) float64, how probable these roles are; None where nobody asked.
        confidence: (s,) float64, how probable it is that people would mark this very segment; or None.
    """

    labels: NDArray[np.int32]
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    energy: float | None = None
    lower_bound: float | None = None
    roles: tuple[str | None, ...] = ()
    role_probability: NDArray[np.float64] | None = None
    confidence: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        freeze(self)
        for name, told in (
            ("roles", self.roles or None),
            ("role_probability", self.role_probability),
            ("confidence", self.confidence),
        ):
            if told is not None and len(told) != len(self):
                raise ParameterError(f"{name}: expected one per segment, {len(self)}, got {len(told)}.")

    def __len__(self) -> int:
        """Return the number of segments."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def gap(self) -> float | None:
        """How far the energy can be from the optimum, relative to the energy; None without a bound."""
        if self.energy is None or self.lower_bound is None:
            return None
        difference = self.energy - self.lower_bound
        return 0.0 if difference < ROUNDING else difference / max(abs(self.energy), ROUNDING)


def canonical(labels: NDArray[np.integer[Any]]) -> NDArray[np.int32]:
    """Return labels numbered 0, 1, ... by first appearance; -1 stays.

    >>> canonical(np.array([-1, 7, 7, 3, -1, 7])).tolist()
    [-1, 0, 0, 1, -1, 0]
    """
    out = np.full(len(labels), -1, np.int32)
    known = np.flatnonzero(labels >= 0)
    if len(known):
        _, first, inverse = np.unique(labels[known], return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        out[known] = rank[inverse]
    return out


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be processed: at which stage, why, after how long."""

    page: str
    stage: str
    error: str
    seconds: float = 0.0
    url: str | None = None
