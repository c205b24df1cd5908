"""Which pages of a page type are shown to a reviewer: section 4.1 of `webgrain.papers.keyclus`."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from webgrain.base.arrays import UInt64

# Random and most dissimilar pages of each cluster that editors view.
REVIEW_RANDOM, REVIEW_DISSIMILAR = 10, 10

# Share of a type's pages from which a path counts as one of its usual paths. Hand-set, not tuned.
COMMON_IN_TYPE = 0.5


def pages_to_review(pages: Mapping[str, UInt64], random_state: int = 0) -> tuple[list[str], list[str]]:
    """Return the ids of random pages of a cluster, and of its most dissimilar pages, least similar first.

    pages: the keys of the paths of each page of the cluster, by id. The similarity of a page is the Jaccard
    similarity of its paths and the paths that at least half of the pages have.

    >>> pages = {name: np.array(keys, np.uint64) for name, keys in (("a", [1, 2]), ("b", [1, 2]), ("c", [3]))}
    >>> pages_to_review(pages)[1]
    ['c', 'a', 'b']
    """
    names = np.array(list(pages), object)
    sets = [np.unique(keys) for keys in pages.values()]
    key, number = np.unique(np.concatenate([np.empty(0, np.uint64), *sets]), return_counts=True)
    usual = key[number >= COMMON_IN_TYPE * len(sets)]
    shared = np.array([np.isin(keys, usual).sum() for keys in sets])
    similarity = shared / np.maximum(np.array([len(keys) for keys in sets]) + len(usual) - shared, 1)
    order = np.argsort(similarity, kind="stable")
    strange = order[:REVIEW_DISSIMILAR]
    others = np.sort(order[REVIEW_DISSIMILAR:])
    drawn = np.sort(np.random.default_rng(random_state).permutation(others)[:REVIEW_RANDOM])
    return names[drawn].tolist(), names[strange].tolist()
