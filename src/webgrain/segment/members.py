"""The leaves of segments, grouped: sums and extremes over them, and the nodes that hold them together."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits

    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

NEAR = 1.5
"""Times the leaves below a segment's common ancestor that a node above may have and still be near."""


@dataclass(frozen=True, eq=False)
class Members:
    """The segments of one page by their leaves.

    label (l,): the segment of each leaf of the visible tree, 0 to s - 1, each with a leaf at least; -1: none.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.traits import Traits
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> members = Members(Traits(page, visible_tree(page)), np.array([0, 0, 1]))
    >>> members.mean(np.array([1.0, 2.0, 5.0])).tolist(), members.common.tolist()  # the div, the last text
    ([1.5, 5.0], [2, 8])
    """

    traits: Traits
    label: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def count(self) -> Integers:
        """(s,) number of leaves."""
        return np.bincount(self.label[self.label >= 0])

    @cached_property
    def runs(self) -> Integers:
        """(s,) number of stretches of consecutive leaves."""
        begins = np.diff(self.label, prepend=-1) != 0
        return np.bincount(self.label[begins & (self.label >= 0)], minlength=len(self))

    def sum(self, x: NDArray[Any]) -> Floats:
        """Return the sums (s, ...) of ``x`` (l, ...) over the leaves."""
        order, start = self._order
        sums: Floats = np.add.reduceat(x[order].astype(np.float64), start, axis=0)
        return sums

    def mean(self, x: NDArray[Any], weight: Floats | None = None) -> Floats:
        """Return the means (s, ...) of ``x`` (l, ...) over the leaves, by weight > 0 (l,) where given."""
        weight = np.ones(len(x)) if weight is None else weight
        shape = (-1, *[1] * (x.ndim - 1))
        means: Floats = self.sum(x * weight.reshape(shape)) / self.sum(weight).reshape(shape)
        return means

    def most(self, x: NDArray[Any]) -> Floats:
        """Return the greatest (s, ...) of ``x`` (l, ...) among the leaves."""
        order, start = self._order
        greatest: Floats = np.maximum.reduceat(x[order].astype(np.float64), start, axis=0)
        return greatest

    def least(self, x: NDArray[Any]) -> Floats:
        """Return the least (s, ...) of ``x`` (l, ...) among the leaves."""
        return -self.most(-x)

    @cached_property
    def common(self) -> Integers:
        """(s,) lowest common ancestor of the leaves: the leaf itself, where there is one only."""
        tree = self.traits.tree
        order, start = self._order
        first = tree.leaves[order[start]]
        last = tree.leaves[order[start + self.count - 1]]
        node = first.astype(np.int64)
        while (short := tree.end[node] <= last).any():
            node = np.where(short, tree.parent[node], node)
        return node

    @cached_property
    def near(self) -> Integers:
        """(s,) uppermost of the nodes from ``common`` upwards that have not many more leaves, see `NEAR`."""
        parent, leaves = self.traits.tree.parent, self.traits.leaves
        node, most = self.common, NEAR * leaves[self.common]
        while (up := (parent[node] >= 0) & (leaves[parent[node]] <= most)).any():
            node = np.where(up, parent[node], node)
        return node

    @cached_property
    def _order(self) -> tuple[Integers, Integers]:
        """The leaves by segment and in document order, and where each segment begins among them."""
        order = np.argsort(self.label, kind="stable")
        order = order[np.count_nonzero(self.label < 0) :]
        return order, np.cumsum(self.count) - self.count
