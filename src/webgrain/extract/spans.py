"""The tree of a page over its blocks: which blocks an element holds, and the containers around a block.

Elements that hold the same blocks are one container. The level of a container is how many others it is in.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

    Floats = NDArray[np.float64]
    Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Spans:
    """Blocks of nodes, and containers; all arrays read-only.

    Attributes:
        holder: (b,) the node that holds each block.
        parent: (n,) the parent of each node, 0 at the root.
        first, last: (n,) the blocks ``first:last`` stand in a node.
        wider: (n,) the nearest ancestor that holds more blocks, 0 for none.
        level: (n,) how many containers a node's is in.
    """

    holder: Ints
    parent: Ints
    first: Ints
    last: Ints
    wider: Ints
    level: Ints

    def __post_init__(self) -> None:
        freeze(self)

    def sums(self, x: Floats, node: Ints) -> Floats:
        """Return the sum of ``x`` (b,) over the blocks in each node."""
        total = np.concatenate([[0.0], np.cumsum(x)])
        found: Floats = total[self.last[node]] - total[self.first[node]]
        return found

    def upward(self, steps: int) -> Ints:
        """(b,) the container of several blocks around each block, so many steps further out."""
        node = self.holder
        node = np.where(self.last[node] - self.first[node] > 1, node, self.wider[node])
        for _ in range(steps):
            node = self.wider[node]
        return node

    def downward(self, level: int) -> Ints:
        """(b,) the container of several blocks around each block that is of this level, or nearest to it."""
        node = self.upward(0)
        while (self.level[node] > level).any():
            node = np.where(self.level[node] > level, self.wider[node], node)
        return node


def spans_of(dom: Dom, blocks: LayoutBlocks) -> Spans:
    """Return which blocks stand where.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><div><p>One<p>Two</div><p>Three</div>"))
    >>> spans = spans_of(page.dom, layout_blocks(page))
    >>> [(page.dom.name(node), int(spans.level[node])) for node in spans.upward(0).tolist()]
    [('div', 1), ('div', 1), ('div', 0)]
    """
    n = len(dom)
    parent = np.maximum(dom.parent, 0).astype(np.int64)
    before = np.concatenate([[0], np.cumsum(np.bincount(blocks.first, minlength=n))])
    first, last = before[:n], before[dom.end]
    same = (first[parent] == first) & (last[parent] == last)
    outermost = np.where(same, parent, np.arange(n))
    while not np.array_equal(further := outermost[outermost], outermost):
        outermost = further
    narrower = (~same).astype(np.int64)
    return Spans(
        holder=blocks.element[blocks.holder].astype(np.int64),
        parent=parent,
        first=first,
        last=last,
        wider=parent[outermost],
        level=narrower + dom.ancestor_sum(narrower),
    )
