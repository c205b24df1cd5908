"""The places where a page can be cut: the visible tree with each chain of only children as one unit.

To open an only child's parent, or the child, cuts alike, so a chain has one decision. Units stand in document
order and are a tree again, in which a unit is a leaf or has two children at least.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.dom import freeze
from webgrain.segment.look import leaves_before

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree

    Floats = NDArray[np.float64]
    Places = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
    """The units of a visible tree; ``m`` units in document order, arrays read-only.

    Attributes:
        top, bottom: (m,) first and last node of the chain, nodes of the visible tree.
        parent: (m,) unit, -1 at the root; end: (m,) one past the units below.
        low, high: (m,) the leaves of the unit are the places ``low:high`` among the leaves of the page.
        child: (c,) the units that have a parent, by parent and in document order.
        first, last: (m,) the children of a unit are ``child[first:last]``.
    """

    top: Places
    bottom: Places
    parent: Places
    end: NDArray[np.int32]
    low: Places
    high: Places
    child: Places
    first: Places
    last: Places

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.top)

    @property
    def leaves(self) -> Places:
        """(m,) number of leaves."""
        return self.high - self.low

    @property
    def children(self) -> Places:
        """(m,) number of children."""
        return self.last - self.first

    @property
    def inner(self) -> Places:
        """Return the units with two leaves or more: those that can be opened."""
        return np.flatnonzero(self.end - np.arange(len(self)) > 1)

    def over_chain(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (k, ...), of nodes of the tree, over the chain of each unit."""
        return _differences(x, self.top, self.bottom + 1)

    def over_leaves(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (l, ...), of leaves in order, over the leaves of each unit."""
        return _differences(x, self.low, self.high)

    def over_children(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (m, ...) over the children of each unit."""
        return _differences(x[self.child], self.first, self.last)

    def greatest_leaf(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the greatest (m,) of ``x`` (l,), of leaves in order, over the leaves of each unit."""
        spans = np.stack([self.low, self.high], axis=1).ravel()
        greatest: NDArray[Any] = np.maximum.reduceat(np.append(x, x[-1]), spans)[
            ::2
        ]  # may end one past the last
        return greatest

    def least_child(self, x: NDArray[Any]) -> Floats:
        """Return the least (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        out = np.zeros(x.shape)
        parents = np.flatnonzero(self.children)
        if len(parents):
            out[parents] = np.minimum.reduceat(x[self.child], self.first[parents], axis=0)
        return out

    def greatest_child(self, x: NDArray[Any]) -> Floats:
        """Return the greatest (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        return 0.0 - self.least_child(-x)


def units_of(tree: VisibleTree) -> Units:
    """Return the units of a visible tree of one node at least.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> units = units_of(visible_tree(parse(Source("a", b"<div><p>One<p>Two</div>"))))  # html body div, p, p
    >>> units.top.tolist(), units.bottom.tolist(), units.parent.tolist()
    ([0, 3, 5], [2, 4, 6], [-1, 0, 0])
    """
    count = np.bincount(tree.parent[1:], minlength=len(tree))
    starts = np.append(True, count[tree.parent[1:]] > 1)
    unit = np.cumsum(starts) - 1
    top = np.flatnonzero(starts)
    bottom = np.append(top[1:], len(tree)) - 1
    above = tree.parent[top]
    parent = np.where(above >= 0, unit[np.maximum(above, 0)], -1)
    before = leaves_before(tree)
    child = np.argsort(parent, kind="stable")[1:]
    places = np.searchsorted(parent[child], np.arange(len(top) + 1))
    end = np.append(unit, len(top))[tree.end[top]].astype(np.int32)
    low, high = before[top], before[tree.end[top]]
    return Units(top, bottom, parent, end, low, high, child, places[:-1], places[1:])


def _differences(x: NDArray[Any], low: Places, high: Places) -> NDArray[Any]:
    total = np.zeros((len(x) + 1, *x.shape[1:]), np.int64 if x.dtype.kind in "bui" else np.float64)
    np.cumsum(x, axis=0, out=total[1:])
    sums: NDArray[Any] = total[high] - total[low]
    return sums
