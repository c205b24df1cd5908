"""Lowest common ancestors of leaves, in constant time each, for whole arrays of pairs.

In document order the lowest common ancestor of two neighbouring leaves is the parent of the node that follows
the first one, and that of any two leaves is the least of those in between: a range minimum, answered from a
table of the minima of all stretches of 1, 2, 4, ... (Bender, Farach-Colton, The LCA problem revisited, 2000).

    l leaves, m pairs: time and memory l log l to build, time m to ask.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Index = NDArray[np.int64]


class LeafAncestors:
    """Lowest common ancestors of the leaves of a tree, and the two branches below them.

    parent (n,): -1 at the root; end (n,): one past the subtree; leaves (l,): the nodes without children; all
    in document order.

    >>> tree = LeafAncestors(np.array([-1, 0, 1, 1, 0]), np.array([5, 4, 3, 4, 5]), np.array([2, 3, 4]))
    >>> [x.tolist() for x in tree.meet(np.array([0, 0]), np.array([1, 2]))]  # leaves 2 3, leaves 2 4
    [[1, 0], [2, 1], [3, 4]]
    """

    def __init__(
        self, parent: NDArray[np.integer], end: NDArray[np.integer], leaves: NDArray[np.integer]
    ) -> None:
        self._after = leaves[:-1].astype(np.int64) + 1
        between = parent[self._after].astype(np.int64)
        place = np.arange(len(between))
        self._length = max(len(between), 1)
        # The place within the key breaks ties: the first and the last leaf after which a new branch begins.
        self._first = _minima(between * self._length + place)
        self._last = _minima(between * self._length + (self._length - 1 - place))
        child = np.flatnonzero(end[1:] < end[parent[1:]]) + 1
        self._previous = np.full(len(parent) + 1, -1, np.int64)
        self._previous[end[child]] = child

    def meet(self, p: NDArray[np.integer], q: NDArray[np.integer]) -> tuple[Index, Index, Index]:
        """Return (m,) the common ancestor of leaves p < q and its children that hold p and q.

        p, q (m,): places in ``leaves``, not nodes.
        """
        level = np.frexp((q - p).astype(np.float64))[1] - 1
        other = q - (1 << level)
        first = np.minimum(self._first[level, p], self._first[level, other])
        last = np.minimum(self._last[level, p], self._last[level, other])
        node, place = np.divmod(first, self._length)
        left = self._previous[self._after[place]]
        return node, left, self._after[self._length - 1 - last % self._length]


def _minima(keys: Index) -> Index:
    """Row j holds the minimum of the 2**j keys from each place on."""
    rows = [keys]
    while (step := 1 << (len(rows) - 1)) * 2 <= len(keys):
        shifted = np.concatenate([rows[-1][step:], rows[-1][-step:]])
        rows.append(np.minimum(rows[-1], shifted))
    return np.stack(rows)
