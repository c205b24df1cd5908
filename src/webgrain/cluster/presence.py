"""Which paths the pages of a site have: those that are told, and those that can split pages (`structure`)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.cluster.sitepaths import SitePaths

    Floats = NDArray[np.float64]
    Int64 = NDArray[np.int64]
    Mask = NDArray[np.bool_]

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

    there: NDArray[np.float32]
    told: NDArray[np.float32]
    weight: Floats
    splits: NDArray[np.float32]
    worth: Floats


def stability(site: SitePaths) -> Floats:
    """Return of each path (u,) the share of its pages that have it in the most frequent number."""
    pair = site.path.astype(np.int64) * 2**16 + site.count
    kind, pages = np.unique(pair, return_counts=True)
    most = np.zeros(len(site))
    np.maximum.at(most, kind >> 16, pages)
    return most / np.maximum(site.size, 1)


def make_table(site: SitePaths, pages: Int64, prior: Floats) -> Table:
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


def _above(site: SitePaths, told: Int64, pages: Int64) -> Mask:
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


def _weightiest(paths: Int64, weight: Floats, most: int) -> Int64:
    if len(paths) <= most:
        return paths
    return np.sort(paths[np.argsort(-weight, kind="stable")[:most]])


def _once(site: SitePaths, pages: Int64, paths: Int64) -> Int64:
    """Return of paths that are on the same pages the first only."""
    _, first = np.unique(np.packbits(site.presence(paths, pages), axis=0), axis=1, return_index=True)
    return paths[np.sort(first)]


def _distinct(there: Mask, parent: Mask) -> Int64:
    """Return the columns that are not always there, each that is the same as another once."""
    both = np.packbits(np.concatenate([there, parent]), axis=0)
    _, first = np.unique(both, axis=1, return_index=True)
    kept: Int64 = np.sort(first)
    changes: Mask = (there[:, kept] != parent[:, kept]).any(0)
    return kept[changes]
