"""The adjusted Rand index that a random cut of pages is expected to have, and its derivatives.

A unit u is opened with the chance o_u; it is a segment with the chance reach_u (1 - o_u), where reach is the
product of the chances above. With A_u and B_u the pairs below u that are truly together, and all, C and N
those of the page,

    a, b = sums of A_u, B_u by these chances    index = (a - b C / N) / ((b + C) / 2 - b C / N)

Derivatives by a pass up the tree: with S_u = (d index / d a) A_u + (d index / d b) B_u, the worth of a
subtree is V_u = (1 - o_u) S_u + o_u sum of V_children, and

    d index / d o_u = reach_u (sum of V_children - S_u)

Cost: some passes over each level of the trees, of all pages at once.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.subtrees import ancestor_sum

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.segment.blockfit import Marked

    Floats = NDArray[np.float64]


class ExpectedIndex:
    """The expected index of p pages by the chances (r,) of all their units that can be opened, in order."""

    def __init__(self, pages: Sequence[Marked]) -> None:
        sizes = [len(page.units) for page in pages]
        start = np.cumsum([0, *sizes])
        parent = [page.units.parent + low for page, low in zip(pages, start[:-1], strict=True)]
        inner = [page.units.inner + low for page, low in zip(pages, start[:-1], strict=True)]
        depth = [ancestor_sum(np.ones(len(page.units), np.int64), page.units.end) for page in pages]
        self._inner = np.concatenate(inner)
        self._parent = np.concatenate(parent)
        self._page = np.repeat(np.arange(len(pages)), sizes)
        self._together = np.concatenate([page.together for page in pages])
        self._pairs = np.concatenate([page.pairs for page in pages])
        level = np.concatenate(depth)[self._inner]
        self._levels = [self._inner[level == k] for k in range(int(level.max(initial=-1)) + 1)]
        self._total, self._among = self._together[start[:-1]], self._pairs[start[:-1]]

    def __call__(self, chances: Floats) -> tuple[Floats, Floats]:
        """Return the index of each page (p,), 0 where any cut is as good, and its derivatives (r,)."""
        opened = np.zeros(len(self._parent))
        opened[self._inner] = chances
        reach = np.ones(len(opened))
        for level in self._levels[1:]:
            above = self._parent[level]
            reach[level] = reach[above] * opened[above]
        segment = np.zeros(len(opened))
        segment[self._inner] = (reach * (1.0 - opened))[self._inner]
        index, by_a, by_b = self._index(self._sum(segment * self._together), self._sum(segment * self._pairs))
        worth = by_a[self._page] * self._together + by_b[self._page] * self._pairs
        below = self._below(opened, worth)
        return index, (reach * (below - worth))[self._inner]

    def _sum(self, x: Floats) -> Floats:
        sums: Floats = np.bincount(self._page, weights=x, minlength=len(self._total)).astype(np.float64)
        return sums

    def _index(self, a: Floats, b: Floats) -> tuple[Floats, Floats, Floats]:
        """Return the index (p,) and what it changes with a and with b."""
        some = (self._total > 0) & (self._total < self._among)
        chance = self._total / np.maximum(self._among, 1.0)
        over = a - b * chance
        under = np.where(some, (b + self._total) / 2 - b * chance, 1.0)
        by_b = (-chance * under - over * (0.5 - chance)) / under**2
        return np.where(some, over / under, 0.0), np.where(some, 1.0 / under, 0.0), np.where(some, by_b, 0.0)

    def _below(self, opened: Floats, worth: Floats) -> Floats:
        """Return what the children of each unit are worth together."""
        below = np.zeros(len(opened))
        for depth in range(len(self._levels) - 1, 0, -1):
            level = self._levels[depth]
            value = (1.0 - opened[level]) * worth[level] + opened[level] * below[level]
            np.add.at(below, self._parent[level], value)
        return below
