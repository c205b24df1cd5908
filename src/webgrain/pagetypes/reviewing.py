"""Pages of a type that a person should look at (KeyClus, 4.1: how the paper's truth was made)."""

from __future__ import annotations

import numpy as np

from webgrain.arrays import Int32
from webgrain.pagetypes.sitepaths import SitePaths

RANDOM, DISSIMILAR = 10, 10

OFTEN = 0.5
"""Share of a type's pages that make a path a usual one."""


def to_review(
    site: SitePaths,
    labels: Int32,
    kind: int,
    *,
    random: int = RANDOM,
    dissimilar: int = DISSIMILAR,
    random_state: int = 0,
) -> tuple[list[str], list[str]]:
    """Return ids of some random pages of a type, and of those least like the others, least alike first.

    labels (p,): types of the pages. A page is as like the others as its paths are like those that at least
    half of the type's pages have (Jaccard).
    """
    pages = np.flatnonzero(labels == kind)
    places = np.flatnonzero(labels[site.page] == kind)
    usual = np.bincount(site.path[places], minlength=len(site)) >= OFTEN * len(pages)
    row = np.searchsorted(pages, site.page[places])
    own = np.bincount(row, minlength=len(pages))
    both = np.bincount(row, weights=usual[site.path[places]], minlength=len(pages))
    alike = both / np.maximum(own + usual.sum() - both, 1)
    strange = pages[np.argsort(alike, kind="stable")[:dissimilar]]
    rest = np.setdiff1d(pages, strange)
    drawn = np.random.default_rng(random_state).permutation(rest)[:random]
    return [site.pages[page] for page in np.sort(drawn)], [site.pages[page] for page in strange]
