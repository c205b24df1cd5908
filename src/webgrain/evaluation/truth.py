"""Truth: which leaves of a page belong together, as people have marked it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from webgrain.arrays import Float64, Int32
from webgrain.errors import ParameterError
from webgrain.page.addresses import find_css, find_xpath
from webgrain.page.dom import Dom, freeze
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page

Kind = Literal["fine", "blocks", "top"]
KINDS: tuple[Kind, ...] = get_args(Kind)
"""Partitions of a truth: innermost segments, only those without segments inside, outermost segments."""


@dataclass(frozen=True, slots=True)
class LabelledSegment:
    """One segment as somebody marked it: whole elements, each told by a path in the tree of the page.

    xpath, css: paths as `webgrain.page.addresses` reads them; all of them together are the segment, and an
    element may be told in both ways. role: what it is for, such as "menu"; None: not told.

    >>> LabelledSegment(xpath=("/html[1]/body[1]/ul[1]",), role="menu").role
    'menu'
    """

    xpath: tuple[str, ...] = ()
    css: tuple[str, ...] = ()
    role: str | None = None

    def nodes(self, dom: Dom) -> list[int]:
        """Return the nodes of ``dom`` that the paths mean; those that are not there are left out."""
        found = [find_xpath(dom, path) for path in self.xpath] + [find_css(dom, path) for path in self.css]
        return sorted({node for node in found if node is not None})


@dataclass(frozen=True, slots=True, eq=False)
class Truth:
    """The true segments of one page over its leaves, arrays read-only.

    Attributes:
        leaf: (l,) int32, nodes of the Dom in document order; -1 where the Dom does not have the leaf.
        fine: (l,) int32, the innermost segment of each leaf, -1 for none. What lies in a segment but in none
            of the segments inside it counts as one segment, the outer one.
        blocks: (l,) int32, as fine, but -1 where the segment has segments inside.
        top: (l,) int32, the outermost segment.
        roles: of all segments, by label; None where not told.
        characters: (l,) float64, length of the text, 0 for other leaves.
        area: (l,) float64 in px²; None where nobody laid the page out.
    """

    leaf: Int32
    fine: Int32
    blocks: Int32
    top: Int32
    roles: tuple[str | None, ...]
    characters: Float64
    area: Float64 | None = None

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.leaf)

    def partition(self, kind: Kind) -> Int32:
        """Return one of the three partitions (l,); `ParameterError` for another name."""
        if kind not in KINDS:
            raise ParameterError(f"kind must be one of {', '.join(KINDS)}, got {kind!r}.")
        labels: Int32 = getattr(self, kind)
        return labels

    def over(self, size: int, kind: Kind) -> Int32:
        """Return a partition as labels (size,) of the nodes of the Dom, -1 at all but its leaves."""
        labels, known = np.full(size, -1, np.int32), self.leaf >= 0
        labels[self.leaf[known]] = self.partition(kind)[known]
        return labels


def truth_of(page: Page, segments: Sequence[LabelledSegment]) -> Truth:
    """Return the truth over the leaves of ``page`` as `webgrain.page.leaves` finds them.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> paths = ("html > body > div", "html > body > div > p:nth-of-type(2)")
    >>> truth = truth_of(page, [LabelledSegment(css=(path,)) for path in paths])
    >>> truth.fine.tolist(), truth.blocks.tolist(), truth.top.tolist()
    ([0, 1, -1], [-1, 1, -1], [0, 0, -1])
    """
    dom, kind = page.dom, leaf_kinds(page)
    leaf = np.flatnonzero(kind).astype(np.int32)
    marks = sorted((node, k) for k, segment in enumerate(segments) for node in segment.nodes(dom))
    fine, top = np.full((2, len(dom)), -1, np.int32)
    for node, k in marks:  # in document order: the inner one comes later
        fine[node : dom.end[node]] = k
    for node, k in reversed(marks):
        top[node : dom.end[node]] = k
    fine, top = fine[leaf], top[leaf]
    split = np.zeros(len(segments) + 1, bool)  # has segments inside; the last place is for -1
    for node, k in marks:
        below = leaf.searchsorted([node, dom.end[node]])
        split[k] |= bool((fine[below[0] : below[1]] != k).any())
    length = [len(" ".join(dom.text_of(node).split())) for node in leaf.tolist()]
    return Truth(
        leaf=leaf,
        fine=fine,
        blocks=np.where(split[fine], -1, fine).astype(np.int32),
        top=top,
        roles=tuple(segment.role for segment in segments),
        characters=np.where(kind[leaf] == TEXT_LEAF, length, 0).astype(np.float64),
        area=None if page.view is None else page.view.box[leaf, 2:].prod(axis=1).astype(np.float64),
    )
