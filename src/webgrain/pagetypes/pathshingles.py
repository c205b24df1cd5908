"""Path shingles: pages with the same paths of least hash are of one type; KeyClus without key paths.

Source: Buttler, A short survey of document structure similarity algorithms, IC 2004; as the baseline of
Chakrabarti, Mehta, The paths more taken, WWW 2010, section 4.1, with its m/k variant.

    paper         here      shape, unit
    k             size      paths in a shingle
    m < k         shared    paths that pages of a cluster have in common; None: all k

Departure: paths are those of the site (`webgrain.pagetypes.sitepaths`) or, with ``attributes=False``,
of tags.
Unclear: which of the most common m-subsets a page belongs to that has several. Here the most common one.

Cost: the hashes of all paths; m/k enumerates the subsets of each shingle.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Sequence
from itertools import combinations

import numpy as np

from webgrain.arrays import Int32, UInt64
from webgrain.errors import ParameterError
from webgrain.pagetypes.sitepaths import SitePaths, min_hashes
from webgrain.results import canonical


def path_sets(site: SitePaths, *, attributes: bool = True) -> list[UInt64]:
    """Return the keys of the paths of each page; attributes: with ids and classes, or by tags alone."""
    keys = site.key if attributes else site.shape.astype(np.uint64)
    bounds = zip(site.start[:-1].tolist(), site.start[1:].tolist(), strict=True)
    return [np.unique(keys[site.path[first:last]]) for first, last in bounds]


def shingle_clusters(
    sets: Sequence[UInt64], size: int, random_state: int, shared: int | None = None
) -> Int32:
    """Return the clusters (p,) of pages by the shingles of their sets.

    `ParameterError` unless 1 <= shared < size.

    >>> sets = [np.array(keys, np.uint64) for keys in ([1, 2, 3], [1, 2, 3], [7, 8])]
    >>> shingle_clusters(sets, 2, 0).tolist()
    [0, 0, 1]
    """
    if size < 1 or (shared is not None and not 1 <= shared < size):
        raise ParameterError(f"Expected sizes 1 <= shared < size, got shared={shared} and size={size}.")
    shingles = [tuple(sorted(min_hashes(keys, size, random_state))) for keys in sets]
    return _numbered(shingles if shared is None else _most_common(shingles, shared))


def _most_common(shingles: Sequence[tuple[int, ...]], shared: int) -> list[Hashable]:
    """Return for each shingle its most common subset; one that is too small stands for itself."""
    parts = [list(combinations(shingle, shared)) for shingle in shingles]
    often = Counter(part for some in parts for part in some)
    return [
        max(some, key=lambda part: (often[part], part)) if some else shingle
        for some, shingle in zip(parts, shingles, strict=True)
    ]


def _numbered(names: Sequence[Hashable]) -> Int32:
    known: dict[Hashable, int] = {}
    return canonical(np.array([known.setdefault(name, len(known)) for name in names], np.int32))
