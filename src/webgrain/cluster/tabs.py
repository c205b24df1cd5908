"""Currently open tabs (KeyClus, 3.4): paths on all pages of a type whose content is one of a few."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.cluster.typemodel import Rule

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.cluster.sitepaths import SitePaths

FEWEST, MOST = 2, 10
"""Contents of a tab."""

SHARE = 0.9
"""Share of a type's pages that a tab is on."""

LEAST = 3
"""Pages of each content."""


def find_tab(site: SitePaths, rule: Rule, rank: NDArray[np.float64]) -> list[Rule]:
    """Split the pages of a rule by what their best-ranked tab says; the rule itself where there is none.

    rank (u,): of the paths; one that matches no query (0) is no tab.
    """
    pages = np.array(rule.pages)
    at = np.flatnonzero(np.isin(site.page, pages) & (site.content != 0) & (rank[site.path] > 0))
    path, content = site.path[at], site.content[at]
    on = np.bincount(path, minlength=len(site))
    for candidate in sorted(np.flatnonzero(on >= SHARE * len(pages)).tolist(), key=lambda p: (-rank[p], p)):
        kinds, inverse, sizes = np.unique(content[path == candidate], return_inverse=True, return_counts=True)
        if FEWEST <= len(kinds) <= MOST and sizes.min() >= LEAST:
            owner = site.page[at[path == candidate]]
            key = int(site.key[candidate])
            parts = [
                Rule(rule.shingle, tuple(owner[inverse == k].tolist()), key, int(kind))
                for k, kind in enumerate(kinds.tolist())
            ]
            others = tuple(sorted(set(rule.pages).difference(owner.tolist())))
            return parts + ([Rule(rule.shingle, others)] if others else [])
    return [rule]
