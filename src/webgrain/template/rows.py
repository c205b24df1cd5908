"""The trees of many pages as one, and the rows of children of any of their nodes, as arrays."""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.template.forest import Marked

    Int64 = NDArray[np.int64]

MOST_PLACES = 8
"""Siblings of one symbol, always as many, that may be a TAG each."""


class Forest:
    """The trees of all pages, one behind the other; n nodes.

    Attributes:
        start: (p + 1,) where each page begins; page: (n,) the page of each node.
        table: the symbols in the order of their names; symbol: (n,) numbers in it.
        shape: (n,) uint64, the tags of a node's children and grandchildren, as bits.
        count: (n,) how many children each node has.
    """

    def __init__(self, pages: Sequence[Marked], known: frozenset[str]) -> None:
        symbols = [page.symbols(known) for page in pages]
        self.table = sorted({symbol for one in symbols for symbol in one})
        number = {symbol: k for k, symbol in enumerate(self.table)}
        self.start = np.cumsum([0, *map(len, pages)])
        self.page = np.repeat(np.arange(len(pages)), np.diff(self.start))
        of_kind = (np.array([number[symbol] for symbol in own], np.int64) for own in symbols)
        self.symbol = np.concatenate([own[page.kind] for own, page in zip(of_kind, pages, strict=True)])
        self.shape = np.concatenate([page.shape for page in pages])
        parent = np.concatenate([page.tree.parent for page in pages]).astype(np.int64)
        parent[parent >= 0] += self.start[self.page][parent >= 0]
        self.count = np.bincount(parent[parent >= 0], minlength=len(parent))
        self._order = np.argsort(parent, kind="stable")[int((parent < 0).sum()) :]
        self._first = np.cumsum(self.count) - self.count

    def children(self, nodes: Int64) -> Int64:
        """Return the children of some nodes, those of each behind those of the one before."""
        count = self.count[nodes]
        skipped = self._first[nodes] - (np.cumsum(count) - count)
        children: Int64 = self._order[np.arange(count.sum()) + np.repeat(skipped, count)]
        return children


class Rows:
    """The rows of children of some nodes, one behind the other; c children.

    Attributes:
        child: (c,) nodes of the forest; count: how many are in each row.
        symbols: (s,) the symbols, sorted; symbol: (c,) numbers among them.
        shape: (c,) uint64.
    """

    def __init__(self, forest: Forest, nodes: Int64) -> None:
        self.count, self.child = forest.count[nodes], forest.children(nodes)
        self.symbols, self.symbol = np.unique(forest.symbol[self.child], return_inverse=True)
        self.shape = forest.shape[self.child]

    @cached_property
    def pairs(self) -> tuple[Int64, Int64, Int64]:
        """The rows and symbols (q,) that go together, and how often each of these symbols is in the row."""
        row = np.repeat(np.arange(len(self.count)), self.count)
        key, times = np.unique(row * len(self.symbols) + self.symbol, return_counts=True)
        return key // len(self.symbols), key % len(self.symbols), times

    def shapes(self) -> list[int]:
        """Return all that is below each symbol, as bits."""
        starts = np.append(0, np.cumsum(np.bincount(self.symbol))[:-1])
        bits: list[int] = np.bitwise_or.reduceat(
            self.shape[np.argsort(self.symbol, kind="stable")], starts
        ).tolist()
        return bits

    def places(self) -> dict[int, Int64]:
        """Return where the symbols stand of which each row that has them has the same few (r, few)."""
        _, symbol, times = self.pairs
        most = np.zeros(len(self.symbols), np.int64)
        least = np.full(len(self.symbols), MOST_PLACES + 1)
        np.maximum.at(most, symbol, times)
        np.minimum.at(least, symbol, times)
        few = np.flatnonzero((most == least) & (most >= 2) & (most <= MOST_PLACES))
        return {
            int(self.symbols[k]): np.flatnonzero(self.symbol == k).reshape(-1, most[k]) for k in few.tolist()
        }

    def strings(self, names: Int64) -> list[tuple[int, ...]]:
        """Return the names (c,) of the children of each row."""
        flat = names.tolist()
        return [tuple(flat[a:b]) for a, b in pairwise([0, *np.cumsum(self.count).tolist()])]
