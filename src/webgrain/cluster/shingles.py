"""Shingles of pages: key paths first, then paths with the least hashes (KeyClus, 3.1)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.cluster.sitepaths import SitePaths

    UInt64 = NDArray[np.uint64]

_ODD = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(0xBF58476D1CE4E5B9)


def salted(keys: UInt64, random_state: int) -> UInt64:
    """Return other hashes of keys, for each seed a permutation of its own.

    >>> keys = np.arange(5, dtype=np.uint64)
    >>> np.argsort(salted(keys, 0)).tolist() == np.argsort(salted(keys, 1)).tolist()
    False
    """
    salt = np.random.default_rng(random_state).integers(2**64, size=2, dtype=np.uint64)
    mixed = (keys ^ salt[0]) * _ODD
    mixed ^= mixed >> np.uint64(31)
    mixed = (mixed ^ salt[1]) * _MIX
    out: UInt64 = mixed ^ (mixed >> np.uint64(29))
    return out


def min_hashes(keys: UInt64, size: int, random_state: int) -> tuple[int, ...]:
    """Return the ``size`` keys of a set with the least hashes, least first; fewer where there are fewer.

    >>> min_hashes(np.array([7, 9], np.uint64), 3, 0) in [(7, 9), (9, 7)]
    True
    """
    order = np.argsort(salted(keys, random_state), kind="stable")
    return tuple(keys[order[:size]].tolist())


def two_step_shingle(keys: UInt64, ranked: Sequence[int], size: int, random_state: int) -> tuple[int, ...]:
    """Return the shingle of a page: its best key paths, and where these are too few, min-hashes of others.

    keys: of the page's paths; ranked: keys of the site's key paths, best first. `ParameterError` for a size
    below 1.

    >>> two_step_shingle(np.array([1, 2, 3], np.uint64), [9, 3, 2], 1, 0)
    (3,)
    """
    if size < 1:
        raise ParameterError(f"A shingle has a size of at least 1, got {size}.")
    present = set(keys.tolist())
    best = [key for key in ranked if key in present][:size]
    if len(best) == size:
        return tuple(best)
    others = keys[~np.isin(keys, np.array(best, np.uint64))] if best else keys
    return (*best, *min_hashes(others, size - len(best), random_state))


def pages_by_shingle(
    site: SitePaths, chosen: Sequence[int], size: int, random_state: int
) -> dict[tuple[int, ...], list[int]]:
    """Return the pages of a site by their shingles; chosen: its key paths, best first."""
    ranked = [int(site.key[path]) for path in chosen]
    found: dict[tuple[int, ...], list[int]] = {}
    has = site.presence(chosen)
    first = np.where(has.any(1), np.argmax(has, axis=1), -1).tolist() if chosen else [-1] * len(has)
    for page, best in enumerate(first):
        if best >= 0 and size == 1:  # as most pages are
            shingle: tuple[int, ...] = (ranked[best],)
        else:
            keys = site.key[site.path[site.start[page] : site.start[page + 1]]]
            shingle = two_step_shingle(keys, ranked, size, random_state)
        found.setdefault(shingle, []).append(page)
    return found
