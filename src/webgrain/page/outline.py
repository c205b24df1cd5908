"""The outline of a page: its visible leaves, and the units of which it consists.

A leaf is a text block (`webgrain.page.text.TextBlocks`), an image, a form control, an embedded object, or an
element whose only visible content is a background image. A unit is an element with at least one leaf,
together with the elements around or in it that have the same leaves: a chain. So each unit is a leaf, or has
two children or more.

A text block belongs to the element in which it begins. It can end behind this element: in
``<b>One</b> two<p>three`` the first block begins in ``<b>``.

Methods that divide a page between any two texts, such as the segmentation, need smaller leaves: in
`leaf_outline` each text node is a leaf (`webgrain.page.leaves`).

Cost: linear in the nodes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int8, Int32
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.treepass import units_above, units_of_nodes
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page
from webgrain.page.text import TextBlocks, text_blocks, visible_texts


@dataclass(frozen=True, slots=True, eq=False)
class Outline(ReadOnly):
    """The units of a page; ``u`` units and ``l`` leaves in document order, all arrays read-only.

    Attributes:
        node, last: (u,) int32, the first and the last node of the chain of a unit, as nodes of the Dom.
        parent: (u,) int32, the unit above, -1 at the root; end: (u,) int32, one past the units below.
        low, high: (u,) int32, the leaves ``low:high`` are in a unit.
        level: (u,) int32, number of units above.
        leaf: (l,) int32, the unit that is each leaf.
        kind: (l,) int8, the kind of each leaf, into `webgrain.page.leaves.LEAF_KINDS`.
        block: (l,) int32, the text block of each leaf, -1 for none and for all leaves of `leaf_outline`.

    >>> from webgrain.page.parsing import parse
    >>> outline = outline_of(parse("<ul><li><a>One</a><li>Two <img src=x></ul><p>Three"))
    >>> outline.parent.tolist(), outline.end.tolist()  # html body; ul, li a, li, text, img; p
    ([-1, 0, 1, 1, 3, 3, 0], [7, 6, 3, 6, 5, 6, 7])
    """

    node: Int32
    last: Int32
    parent: Int32
    end: Int32
    low: Int32
    high: Int32
    level: Int32
    leaf: Int32
    kind: Int8
    block: Int32

    def __len__(self) -> int:
        return len(self.node)

    @property
    def leaves(self) -> Int32:
        """(u,) number of leaves of each unit."""
        return self.high - self.low

    @property
    def children(self) -> NDArray[np.intp]:
        """(u,) number of children of each unit."""
        return np.bincount(self.parent[1:], minlength=len(self))

    @property
    def inner(self) -> NDArray[np.intp]:
        """The units with two leaves or more: those with children."""
        return (self.leaves > 1).nonzero()[0]

    def units_at(self, nodes: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the units (m,) whose chains contain nodes (m,) of the Dom; -1 for a node without leaves.

        >>> from webgrain.page.parsing import parse
        >>> outline_of(parse("<ul><li><b>One</b><li>Two</ul><hr>")).units_at(np.array([3, 4, 5, 9])).tolist()
        [0, 1, 1, -1]
        """
        units = np.searchsorted(self.node, nodes, side="right") - 1
        inside = (units >= 0) & (nodes <= np.append(self.last, -1)[units])
        return np.where(inside, units, -1)

    def units_of(self, dom: Dom) -> tuple[Int32, Int32]:
        """Return the unit (n,) of each node of the Dom, -1 for none, and that of the nearest one with leaves.

        The nearest node is the node itself or above it.

        >>> from webgrain.page.parsing import parse
        >>> page = parse("<p>One<p hidden>Two<p>Three")  # html, head, body, p, text, p, text, p, text
        >>> [units.tolist() for units in leaf_outline(page).units_of(page.dom)]
        [[0, -1, 0, 1, 1, -1, -1, 2, 2], [0, 0, 0, 1, 1, 0, 0, 2, 2]]
        """
        units: tuple[Int32, Int32] = units_of_nodes(dom.parent, self.node, self.last)
        return units

    def __repr__(self) -> str:
        return f"Outline({len(self)} units, {len(self.leaf)} leaves)"


@cached_on_page
def outline_of(page: Page) -> Outline:
    """Return the outline of a page; the text of ``<title>`` is no leaf of it.

    >>> from webgrain.page.parsing import parse
    >>> outline_of(parse("<title>A</title><div><p>One<p>Two</div>"))
    Outline(3 units, 2 leaves)
    """
    dom, blocks = page.dom, text_blocks(page)
    kinds = leaf_kinds(page).copy()
    kinds[kinds == TEXT_LEAF] = 0
    visible = (~dom.inside(dom.tagged("head"))[blocks.first]).nonzero()[0]
    begin = _first_texts(page, blocks)[visible]
    has_block = np.zeros(len(dom), bool)
    has_block[begin] = True
    kinds[dom.subtree_sum(has_block) > 0] = 0  # a button with a text is the element of this text
    kinds[begin] = TEXT_LEAF
    starts = kinds.nonzero()[0].astype(np.int32)
    block = np.full(len(dom), -1, np.int32)
    block[begin] = visible
    return _outline(dom, starts, kinds[starts], block[starts])


@cached_on_page
def leaf_outline(page: Page) -> Outline:
    """Return the outline of a page in which each visible leaf, such as a text node, is a leaf.

    >>> from webgrain.page.parsing import parse
    >>> leaf_outline(parse("<p>One <b>two</b>")), outline_of(parse("<p>One <b>two</b>"))
    (Outline(3 units, 2 leaves), Outline(1 units, 1 leaves))
    """
    kinds = leaf_kinds(page)
    starts = kinds.nonzero()[0].astype(np.int32)
    return _outline(page.dom, starts, kinds[starts], np.full(len(starts), -1, np.int32))


def _outline(dom: Dom, starts: Int32, kind: Int8, block: Int32) -> Outline:
    """Return the outline of the leaves (l,) that begin at some nodes, ascending and different."""
    node, last, parent, end, low, high, level = units_above(dom.parent, dom.end, starts)
    leaf = (high - low == 1).nonzero()[0].astype(np.int32)
    return Outline(node, last, parent, end, low, high, level, leaf, kind, block)


def _first_texts(page: Page, blocks: TextBlocks) -> Int32:
    """Return the first text node (b,) of each block that is not blank."""
    first, last = blocks.first, blocks.last
    shown = visible_texts(page).node
    after = np.append(shown, len(page.dom))[np.searchsorted(shown, first)]
    return np.where(after <= last, after, first).astype(np.int32)
