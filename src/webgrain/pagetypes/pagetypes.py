"""Which paths the pages of a site have: those that are told, and those that can split pages (`structure`).

Types of pages as what tells best which other paths a page has: key paths by description length.

A type is a script that draws pages, so to know the type of a page is to know most of its template. The pages
are split by the presence of one path after another. A split is worth the bits that it saves in saying which
paths the pages have:

- a path is told only where a path like the one above it is there (by tags; so a class that names the type
  explains what stands below it), and what always comes along costs nothing;
- it is told with the adaptive code of Krichevsky and Trofimov, ``log2 C`` bits for k of n pages, which makes
  splits without reason cost more than they save;
- paths that pages have once count more than those of prose, whose number changes from page to page: the bits
  of a path are weighted by its stability, the share of its pages that have it in the most frequent number,
  cubed;
- what a split explains sharply counts more: the bits saved at a path are weighted by the share of its bits.

A group of pages is split no more when the best split saves less than a share ``least`` of its bits; small
groups need a little more.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float32, Float64, Int64
from webgrain.page.paths import text_key
from webgrain.pagetypes.sitepaths import SitePaths

SHARPNESS = 3
"""Power of the stability of a path that is told."""

STABILITY = 2
"""Power of the stability of a path that splits."""

RARE, COMMON = 0.02, 0.98
"""Shares of pages between which a path can split."""

TOLD = 0.01
"""Share of pages from which a path is told."""

FEWEST = 5
"""Pages from which a path is told, and that a group has, at least."""

MOST_TOLD, MOST_SPLITS = 1500, 600
"""Paths that are told, and that can split, at most: the weightiest."""


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """Which of c paths are told, and are there, on n pages; of s paths, which can split the pages.

    Attributes:
        there, told: (n, c) float32.
        weight: (c,) of a bit.
        splits: (n, s) float32; worth: (s,) what a gain is multiplied by.
    """

    there: Float32
    told: Float32
    weight: Float64
    splits: Float32
    worth: Float64


def stability(site: SitePaths) -> Float64:
    """Return of each path (u,) the share of its pages that have it in the most frequent number."""
    pair = site.path.astype(np.int64) * 2**16 + site.count
    kind, pages = np.unique(pair, return_counts=True)
    most = np.zeros(len(site))
    np.maximum.at(most, kind >> 16, pages)
    return most / np.maximum(site.size, 1)


def make_table(site: SitePaths, pages: Int64, prior: Float64) -> Table:
    """Return the table of some pages; prior (u,): how much a path is worth as a key path."""
    steady = stability(site)
    here = np.bincount(site.path[np.isin(site.page, pages)], minlength=len(site))
    share = here / max(len(pages), 1)
    often = here >= max(TOLD * len(pages), FEWEST)
    usual = np.flatnonzero(site.in_body & often & (share < 1))
    weight = steady**SHARPNESS
    told = _weightiest(usual, weight[usual] * share[usual] * (1 - share[usual]), MOST_TOLD)
    worth = steady**STABILITY * prior
    between = np.flatnonzero(site.in_body & (share >= RARE) & (share <= COMMON))
    splits = _once(site, pages, between[np.argsort(-worth[between], kind="stable")])
    splits = _weightiest(splits, worth[splits] * share[splits] * (1 - share[splits]), MOST_SPLITS)
    there, parent = site.presence(told, pages), _above(site, told, pages)
    kept = _distinct(there, parent)
    return Table(
        there[:, kept].astype(np.float32),
        parent[:, kept].astype(np.float32),
        weight[told[kept]],
        site.presence(splits, pages).astype(np.float32),
        worth[splits],
    )


def _above(site: SitePaths, told: Int64, pages: Int64) -> Bool:
    """Return where paths are told: on pages (n,) with a path like the one above (c,), by its tags."""
    up = site.up[told]
    shapes, column = np.unique(site.shape[np.maximum(up, 0)], return_inverse=True)
    like = np.flatnonzero(np.isin(site.shape, shapes))
    group = np.searchsorted(shapes, site.shape[like])
    presence = np.zeros((len(pages), len(shapes)), bool)
    has = site.presence(like, pages)
    for k in range(len(like)):
        presence[:, group[k]] |= has[:, k]
    return presence[:, column] | (up < 0)  # a root is told on every page


def _weightiest(paths: Int64, weight: Float64, most: int) -> Int64:
    if len(paths) <= most:
        return paths
    return np.sort(paths[np.argsort(-weight, kind="stable")[:most]])


def _once(site: SitePaths, pages: Int64, paths: Int64) -> Int64:
    """Return of paths that are on the same pages the first only."""
    _, first = np.unique(np.packbits(site.presence(paths, pages), axis=0), axis=1, return_index=True)
    return paths[np.sort(first)]


def _distinct(there: Bool, parent: Bool) -> Int64:
    """Return the columns that are not always there, each that is the same as another once."""
    both = np.packbits(np.concatenate([there, parent]), axis=0)
    _, first = np.unique(both, axis=1, return_index=True)
    kept: Int64 = np.sort(first)
    changes: Bool = (there[:, kept] != parent[:, kept]).any(0)
    return kept[changes]


RANK_WORTH = 0.25
"""How much of the worth of a path is its rank by queries."""

SMALL_GROUPS = 0.25
"""Power of a group's share of all bits; what it saves is taken times this."""

DEPTH = 12


def choose_by_structure(site: SitePaths, rank: Float64, *, least: float, sample: int) -> list[int]:
    """Return key paths of a site, in the order in which they are looked for on a page.

    rank (u,): 1 for the best key path by queries, 0 for one that matches none; sample: pages that are looked
    at, at most.
    """
    pages = _sampled(site, sample)
    prior = 1 - RANK_WORTH + RANK_WORTH * rank
    groups = find_groups(make_table(site, pages, prior), least)
    here = np.bincount(site.path[np.isin(site.page, pages)], minlength=len(site))
    paths = np.flatnonzero(site.in_body & (here >= TOLD * len(pages)))
    share = site.size / len(site.pages)
    # A path of all pages says nothing; then the best-ranked, the more specific, the shortest.
    order = rank - 2.0 * (share > COMMON) - 1e-3 * share - 1e-6 * site.depth
    return cover(groups, site.presence(paths, pages), paths, order)


def _sampled(site: SitePaths, most: int) -> Int64:
    """Return the pages with the least hashes of their ids, at most so many."""
    order = sorted(range(len(site.pages)), key=lambda page: text_key(site.pages[page]))
    return np.sort(np.array(order[:most], np.int64))


def find_groups(table: Table, least: float) -> list[Int64]:
    """Split the pages (n) of a table as long as it pays; return the pages of each group.

    >>> from webgrain.pagetypes.pagetypes import Table
    >>> pages = np.repeat([[1.0, 0, 1, 0], [0, 1, 0, 1]], 10, axis=0).astype(np.float32)
    >>> table = Table(pages, np.ones_like(pages), np.ones(4), pages, np.ones(4))
    >>> [group.tolist() for group in find_groups(table, 0.1)] == [list(range(10)), list(range(10, 20))]
    True
    """
    code = _Code(len(table.there))
    whole = float(code.bits(table.there.sum(0), table.told.sum(0)) @ table.weight)
    if whole <= 0:
        return [np.arange(len(table.there))]
    smallest = max(FEWEST, int(RARE / 2 * len(table.there)))
    open_groups, groups = [(np.arange(len(table.there)), DEPTH)], []
    while open_groups:
        rows, depth = open_groups.pop()
        parts = _split(table, rows, code, whole, least, smallest) if depth else None
        if parts is None:
            groups.append(rows)
        else:
            open_groups += [(part, depth - 1) for part in reversed(parts)]
    return groups


def _split(
    table: Table, rows: Int64, code: _Code, whole: float, least: float, smallest: int
) -> tuple[Int64, Int64] | None:
    """Return the parts of a group with and without the path that splits it best; None: it stays whole."""
    if len(rows) < 2 * smallest or not len(table.worth):
        return None
    there, told, splits = table.there[rows], table.told[rows], table.splits[rows]
    k, n, size = there.sum(0), told.sum(0), splits.sum(0)
    with_k, with_n = splits.T @ there, splits.T @ told
    before = code.bits(k, n)
    saved = before - code.bits(with_k, with_n) - code.bits(k - with_k, n - with_n)
    gain = saved @ table.weight
    sharp = np.clip(saved, 0, None) * np.clip(saved / np.maximum(before, 1e-9), 0, 1)
    value = np.where(
        (size < smallest) | (size > len(rows) - smallest) | (gain <= 0),
        -1,
        (sharp @ table.weight) * table.worth,
    )
    best = int(np.argmax(value))
    bits = float(before @ table.weight)
    if value[best] <= 0 or gain[best] / bits * (bits / whole) ** SMALL_GROUPS < least:
        return None
    has = splits[:, best] > 0
    return rows[has], rows[~has]


class _Code:
    """Lengths of the adaptive code, looked up."""

    def __init__(self, most: int) -> None:
        numbers = np.arange(most + 1)
        self._whole = np.append(0, np.cumsum(np.log2(numbers[1:])))
        self._half = np.append(0, np.cumsum(np.log2(numbers[:-1] + 0.5)))

    def bits(self, k: NDArray[np.floating], n: NDArray[np.floating]) -> Float64:
        """Return the bits to tell which k of n pages have a path."""
        ones, pages = np.rint(k).astype(np.int64), np.rint(n).astype(np.int64)
        bits: Float64 = self._whole[pages] - self._half[ones] - self._half[pages - ones]
        return bits


def cover(
    groups: list[Int64], presence: Bool, paths: Int64, rank: Float64, *, tolerance: float = 0.95
) -> list[int]:
    """Choose a key path for each group: the paths, in the order in which they are looked for.

    presence (n, s): which paths are on which pages; rank (u,): 1 for the best key path of the site, 0 for one
    that matches no query. Each time the group that a path marks best (by F1, among the pages that no path
    before has) gets its path: of those within ``tolerance`` of the best one the highest-ranked.

    >>> has = np.array([[1, 1, 0], [1, 1, 0], [1, 0, 1], [1, 0, 1]], bool)
    >>> cover([np.array([0, 1]), np.array([2, 3])], has, np.arange(3), np.array([0.1, 0.9, 0.5]))
    [1, 2]
    """
    member = np.zeros((len(groups), len(presence)), np.float32)
    for k, rows in enumerate(groups):
        member[k, rows] = 1
    has, left, chosen = presence.astype(np.float32), np.ones(len(presence), bool), []
    waiting = list(range(len(groups)))
    while waiting and left.any() and len(paths):
        inside = member[waiting] * left
        total = left @ has + inside.sum(1)[:, None]
        f1 = 2 * (inside @ has) / np.maximum(total, 1)
        row = int(np.argmax(f1.max(1)))
        if f1[row].max() <= 0:
            break
        good = np.flatnonzero(f1[row] >= tolerance * f1[row].max())
        best = int(good[np.argmax(rank[paths[good]])])
        chosen.append(int(paths[best]))
        left &= ~presence[:, best]
        waiting.pop(row)
    return chosen
