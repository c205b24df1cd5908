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

    from webgrain.page.paths import Path

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
        importance: (s,) float64, 0..1, how much of each segment is not noise of the site; or None.
    """

    labels: NDArray[np.int32]
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    energy: float | None = None
    lower_bound: float | None = None
    roles: tuple[str | None, ...] = ()
    role_probability: NDArray[np.float64] | None = None
    confidence: NDArray[np.float64] | None = None
    importance: NDArray[np.float64] | None = None

    def __post_init__(self) -> None:
        freeze(self)
        for name, told in (
            ("roles", self.roles or None),
            ("role_probability", self.role_probability),
            ("confidence", self.confidence),
            ("importance", self.importance),
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
class ArticleBlock:
    """A part of a page as its writer meant it.

    Attributes:
        kind: title, heading, paragraph, item, quote, code, table, caption, comment or sub.
        text: its text, white space collapsed; code as it stands; a table has its rows in lines.
        node: the element that holds it, as a node of the Dom.
        score: how far it differs from page to page (DiffScore), 0..1.
        level: rank of a heading, depth of a list item, from 1; 0 for others.
    """

    kind: str
    text: str
    node: int
    score: float = 1.0
    level: int = 0


@dataclass(frozen=True, slots=True)
class Article:
    """What a page is, and what it says.

    Attributes:
        verdict: ``article``; ``index``: a page that leads to others; ``unknown``: of no known layout.
        title: its title; empty for none.
        blocks: the title, the parts of the main text in order, comments, and what else is not on all pages.
        layout: name of the layout; empty for none.
        confidence: how far the page agrees with its layout, 0..1.
        evidence: what the text was told by, in words; empty: not said.
    """

    verdict: str
    title: str = ""
    blocks: tuple[ArticleBlock, ...] = ()
    layout: str = ""
    confidence: float = 0.0
    evidence: str = ""

    @property
    def text(self) -> str:
        """The main text without code, a blank line between its parts."""
        return "\n\n".join(block.text for block in self.blocks if block.kind in MAIN_KINDS)

    @property
    def code(self) -> tuple[str, ...]:
        """The blocks of code in the main text."""
        return self.of_kind("code")

    @property
    def comments(self) -> tuple[str, ...]:
        """What readers wrote."""
        return self.of_kind("comment")

    @property
    def sub(self) -> tuple[str, ...]:
        """What is neither title nor main text and yet not the same on all pages: dates, names, tags."""
        return self.of_kind("sub")

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the texts of the blocks of one kind."""
        return tuple(block.text for block in self.blocks if block.kind == kind)


MAIN_KINDS = ("heading", "paragraph", "item", "quote", "table", "caption")
"""Kinds of blocks whose texts make the main text of an article; code is the other one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be processed: at which stage, why, after how long."""

    page: str
    stage: str
    error: str
    seconds: float = 0.0
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """What the pages of a type have at one place.

    Attributes:
        path: where.
        share: of the type's pages that have it.
        contents: how it begins on some pages.
    """

    path: Path
    share: float
    contents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageType:
    """A kind of page of a site.

    Attributes:
        label: a name that stays the same from run to run as long as the key path does.
        key_path: the path that its pages have, and those of types before it have not; None: they have no key
            path, and were put together by their other paths.
        size: how many pages; share: of all.
        tab: what the key path says on all of its pages, where types differ by that; empty: nothing.
        contents: what the key path says on some of them.
        examples: ids of some of its pages.
        fields: what else its pages have at one place, best first.
    """

    label: str
    key_path: Path | None
    size: int
    share: float
    tab: str = ""
    contents: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The pages of a site by type.

    Attributes:
        pages: ids (p,).
        labels: (p,) int32, the number of the page's type.
        confidence: (p,) share of the paths that the type's pages have in common that a page has, 0..1.
        types: largest first.
        method: name of the method; params: its parameters.
    """

    pages: tuple[str, ...]
    labels: NDArray[np.int32]
    confidence: NDArray[np.float64]
    types: tuple[PageType, ...]
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self.types)
