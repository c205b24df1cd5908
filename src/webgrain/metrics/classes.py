"""How well classes are told: F1 by class, and whether probabilities are what they say.

true, found      classes of n things; found None where none was named
probability (n,) told for each, right (n,) whether it was
"""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def f1_by_class(true: Sequence[str], found: Sequence[str | None]) -> dict[str, float]:
    """Return the F1 of each class of ``true``: the harmonic mean of precision and recall.

    `ParameterError` for different lengths.

    >>> f1_by_class(["ad", "ad", "menu"], ["ad", "menu", "menu"])["menu"]
    0.6666666666666666
    """
    if len(true) != len(found):
        raise ParameterError(f"Expected as many true classes as found ones, got {len(true)}, {len(found)}.")
    hits = Counter(a for a, b in zip(true, found, strict=True) if a == b)
    count, named = Counter(true), Counter(found)
    return {name: 2.0 * hits[name] / (count[name] + named[name]) for name in sorted(count)}


class Bin(NamedTuple):
    """Things of about the same probability: how many, the mean of it, and the share that was right."""

    things: int
    probability: float
    right: float


def reliability(probability: Floats, right: NDArray[np.bool_], n_bins: int = 10) -> list[Bin]:
    """Return the reliability curve: things by their probability, in bins of one width, without empty ones.

    >>> reliability(np.array([0.95, 0.9, 0.1]), np.array([True, True, False]))[-1]
    Bin(things=2, probability=0.925, right=1.0)
    """
    place = np.minimum((probability * n_bins).astype(np.intp), n_bins - 1)
    members = [place == k for k in range(n_bins)]
    return [
        Bin(int(m.sum()), float(probability[m].mean()), float(right[m].mean())) for m in members if m.any()
    ]


def calibration_error(probability: Floats, right: NDArray[np.bool_], n_bins: int = 10) -> float:
    """Return the expected calibration error: the mean gap between what is told and what is right; 0 is best.

    >>> round(calibration_error(np.array([0.8, 0.8]), np.array([True, False])), 3)
    0.3
    """
    bins = reliability(probability, right, n_bins)
    return sum(one.things * abs(one.probability - one.right) for one in bins) / max(len(right), 1)


def area_under_curve(score: Floats, right: NDArray[np.bool_]) -> float:
    """Return the area under the ROC curve: how probable a right thing has a higher score than a wrong one.

    nan where all are right, or all wrong. Ties count half.

    >>> area_under_curve(np.array([0.9, 0.4, 0.5]), np.array([True, True, False]))
    0.5
    """
    n_right = int(right.sum())
    if n_right in (0, len(right)):
        return float("nan")
    _, place, count = np.unique(score, return_inverse=True, return_counts=True)
    rank = (np.cumsum(count) - (count - 1) / 2)[place]
    above = rank[right].sum() - n_right * (n_right + 1) / 2
    return float(above / (n_right * (len(right) - n_right)))
