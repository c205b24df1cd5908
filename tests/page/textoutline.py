"""An outline of a page whose leaves are text blocks, images, controls and embedded objects."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int32
from webgrain.page.kernels.treepass import units_above
from webgrain.page.leaves import TEXT_LEAF, leaf_kinds
from webgrain.page.page import Page
from webgrain.page.text import TextBlocks, text_blocks, visible_texts


class TextOutline(NamedTuple):
    """Units (u,) and leaves (l,) as in `webgrain.page.outline.Outline`.

    A text block belongs to the element in which it begins. block: (l,) the text block of each leaf, -1: none.
    """

    node: Int32
    last: Int32
    parent: Int32
    end: Int32
    low: Int32
    high: Int32
    block: Int32

    def units_at(self, nodes: NDArray[np.integer]) -> NDArray[np.intp]:
        """Return the units (m,) between whose first and last node the nodes (m,) are; -1 for none."""
        units = np.searchsorted(self.node, nodes, side="right") - 1
        inside = (units >= 0) & (nodes <= np.append(self.last, -1)[units])
        return np.where(inside, units, -1)


def text_outline(page: Page) -> TextOutline:
    """Return the outline of a page by its text blocks; the text of ``<title>`` is no leaf of it."""
    dom, blocks = page.dom, text_blocks(page)
    kinds = leaf_kinds(page).copy()
    kinds[kinds == TEXT_LEAF] = 0
    visible = np.flatnonzero(~dom.inside(dom.tagged("head"))[blocks.first])
    begin = _first_texts(page, blocks)[visible]
    has_block = np.zeros(len(dom), bool)
    has_block[begin] = True
    kinds[dom.subtree_sum(has_block) > 0] = 0  # a button with a text is the element of this text
    kinds[begin] = TEXT_LEAF
    starts = np.flatnonzero(kinds).astype(np.int32)
    block = np.full(len(dom), -1, np.int32)
    block[begin] = visible
    (node, last, parent, end, low, high, _), _, _ = units_above(dom.parent, dom.end, kinds, True)
    return TextOutline(node, last, parent, end, low, high, block[starts])


def _first_texts(page: Page, blocks: TextBlocks) -> Int32:
    """Return the first text node (b,) of each block that is not blank."""
    first, last = blocks.first, blocks.last
    shown = visible_texts(page).node
    after = np.append(shown, len(page.dom))[np.searchsorted(shown, first)]
    return np.where(after <= last, after, first).astype(np.int32)
