"""Clusters of pages that say the same, directly or by way of others."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray


class Clusters(NamedTuple):
    """Clusters of pages.

    page (n,): numbers of the pages that are in a cluster, ascending; representative (n,): of each, the number
    of the first page of its cluster, which also names the cluster.
    """

    page: NDArray[np.int64]
    representative: NDArray[np.int64]

    def of(self, pages: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the representatives (p,) of pages (p,) that are in clusters."""
        found: NDArray[np.int64] = self.representative[np.searchsorted(self.page, pages)]
        return found


def clusters(a: NDArray[np.int64], b: NDArray[np.int64]) -> Clusters:
    """Return the clusters that pairs of pages a, b (p,) make; a page without a pair is in none.

    >>> clusters(np.array([1, 4, 2]), np.array([2, 7, 9]))
    Clusters(page=array([1, 2, 4, 7, 9]), representative=array([1, 1, 4, 4, 1]))
    """
    page, place = np.unique(np.concatenate([a, b]), return_inverse=True)
    left, right = place[: len(a)], place[len(a) :]
    first = np.arange(len(page))
    while True:
        least = np.minimum(first[left], first[right])
        lower = first.copy()
        # Both ends of a pair, and those they have followed so far, go to the lower of their firsts.
        for end in (left, right):
            np.minimum.at(lower, first[end], least)
        lower = np.minimum(lower, lower[lower])
        while (lower[lower] != lower).any():
            lower = lower[lower]
        if (lower == first).all():
            return Clusters(page, page[first])
        first = lower
