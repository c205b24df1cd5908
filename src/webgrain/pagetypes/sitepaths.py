"""The paths of a site: those of all its pages, as they are once it is known what belongs in them.

Shingles of pages: key paths first, then paths with the least hashes (KeyClus, 3.1).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int32, Int64, UInt16, UInt64
from webgrain.errors import ParameterError
from webgrain.page.dom import freeze
from webgrain.page.paths import Path, Step
from webgrain.pagetypes.pathcounts import (
    PagePaths,
    PathRecord,
    PathRules,
    SiteStatistics,
    Vocabulary,
    share_values,
)

HIDDEN = ("head", "base", "link", "meta", "style", "title")
"""Elements in which nothing can be seen."""

WRAPPERS = ("div", "span", "center", "font", "section")
"""Elements that may stand around others without a meaning of their own."""


@dataclass(frozen=True, slots=True, eq=False)
class SitePaths:
    """The paths (u,) of a site with p pages, and the m places where one is on a page.

    Attributes:
        pages: ids.
        rules: how the paths are written.
        start: (p + 1,) int64, the places of each page; path: (m,) int32, the path at each place.
        count, content: (m,) how many elements have the path there; key of the text of a single short one.
        key: (u,) uint64; up: (u,) int32, the path one step shorter; size: (u,) int64, pages with the path.
        in_body: (u,) False for what is in the head of a page, where no content can be seen.
        shape: (u,) int64, the same number for paths that differ by ids and classes only, below u.
        local: of each page, the path (r,) int32 of each path of its record.
    """

    pages: tuple[str, ...]
    rules: PathRules
    start: Int64
    path: Int32
    count: UInt16
    content: UInt64
    key: UInt64
    up: Int32
    size: Int64
    in_body: Bool
    shape: Int64
    local: tuple[Int32, ...]
    _found: Int64
    _records: tuple[PathRecord, ...]
    _vocabulary: Vocabulary

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.key)

    @property
    def page(self) -> Int64:
        """(m,) the page of each place."""
        return np.repeat(np.arange(len(self.pages)), np.diff(self.start))

    @property
    def depth(self) -> Int64:
        """(u,) number of steps of each path."""
        depth, above = np.zeros(len(self), np.int64), np.arange(len(self))
        while (above >= 0).any():
            depth += above >= 0
            above = np.where(above >= 0, self.up[above], -1)
        return depth

    def presence(self, paths: Sequence[int] | Int64, pages: Int64 | None = None) -> Bool:
        """Return which of these paths (columns) are on which of these pages (rows; None: all)."""
        column = np.full(len(self), -1)
        column[np.asarray(paths, np.int64)] = np.arange(len(paths))
        row = np.full(len(self.pages), -1)
        rows = np.arange(len(self.pages)) if pages is None else pages
        row[rows] = np.arange(len(rows))
        out = np.zeros((len(rows), len(paths)), bool)
        at = (column[self.path] >= 0) & (row[self.page] >= 0)
        out[row[self.page[at]], column[self.path[at]]] = True
        return out

    def describe(self, path: int) -> Path:
        """Return a path as people write it."""
        page = int(np.searchsorted(self.start, self._found[path], side="right")) - 1
        record, local = self._records[page], self.local[page]
        row = int(np.flatnonzero(local == path)[0])
        steps: list[Step] = []
        loose = set()
        while row >= 0:
            above = int(record.up[row])
            if above >= 0 and local[above] == local[row]:
                loose.add(len(steps) - 1)  # what stands below an element that is left out
            else:
                steps.append(self.rules.values.strip(self._vocabulary.steps[int(record.step[row])]))
                if steps[-1].id:
                    break
            row = above
        last = len(steps) - 1
        return Path(tuple(reversed(steps)), frozenset(last - k for k in loose))


def site_paths(statistics: SiteStatistics, *, fold: bool = True) -> SitePaths:
    """Write the paths of all pages that were counted as the site has them.

    fold: leave out elements without meaning, such as a ``div`` without id and class, that have one child
    element wherever their path occurs.
    """
    records, steps = statistics.records, statistics.vocabulary.steps
    rules = PathRules(share_values(steps, [(record.up, record.step) for record in records]))
    keys = np.array([rules.values.key(step) for step in steps], np.uint64)
    read = [rules.read(record.up, keys[record.step]) for record in records]
    if fold:
        rules = PathRules(rules.values, _wrappers(statistics, rules, read))
        if rules.wrappers:
            read = [rules.read(record.up, keys[record.step]) for record in records]
    return _joined(statistics, rules, read)


def _wrappers(statistics: SiteStatistics, rules: PathRules, read: Sequence[PagePaths]) -> frozenset[int]:
    """Return the keys of paths that end with a wrapper: always around one element."""
    steps = [rules.values.strip(step) for step in statistics.vocabulary.steps]
    plain = np.array([not step.id and not step.classes and step.tag in WRAPPERS for step in steps] or [False])
    around: set[int] = set()
    not_around: set[int] = set()
    for record, paths in zip(statistics.records, read, strict=True):
        rows = np.flatnonzero(plain[record.step])
        own = paths.key[paths.of[rows]]
        around.update(own.tolist())
        not_around.update(own[record.only[rows] == 0].tolist())
    return frozenset(around - not_around)


def _joined(statistics: SiteStatistics, rules: PathRules, read: Sequence[PagePaths]) -> SitePaths:
    """Give the paths of all pages their numbers."""
    start = np.append(0, np.cumsum([len(paths.key) for paths in read])).astype(np.int64)
    keys = _in_a_row(np.uint64, (paths.key for paths in read))
    key, found, number = np.unique(keys, return_index=True, return_inverse=True)
    path = number.astype(np.int32)
    pages = list(zip(read, [path[a:b] for a, b in pairwise(start.tolist())], strict=True))
    above = _in_a_row(np.int32, (np.where(paths.up >= 0, own[paths.up], -1) for paths, own in pages))
    up, tag = above[found], _last_tags(statistics, found, start, read)
    told = [paths.told(record) for paths, record in zip(read, statistics.records, strict=True)]
    return SitePaths(
        tuple(statistics.ids), rules, start, path,
        count=_in_a_row(np.uint16, (count for count, _ in told)),
        content=_in_a_row(np.uint64, (content for _, content in told)),
        key=key, up=up, size=np.bincount(path, minlength=len(key)),
        in_body=_outside_head(up, tag), shape=_shapes(up, tag),
        local=tuple(own[paths.of] for paths, own in pages),
        _found=found, _records=tuple(statistics.records), _vocabulary=statistics.vocabulary,
    )  # fmt: skip


def _in_a_row(dtype: type[Any], of_pages: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Join columns of all pages, of which there may be none."""
    return np.concatenate([np.empty(0, dtype), *of_pages])


def _last_tags(
    statistics: SiteStatistics, found: Int64, start: Int64, read: Sequence[PagePaths]
) -> NDArray[np.str_]:
    """Return the tag of the last step of each path (u,)."""
    page = np.searchsorted(start, found, side="right") - 1
    steps, records = statistics.vocabulary.steps, statistics.records
    rows = zip(page.tolist(), (found - start[page]).tolist(), strict=True)
    return np.array([steps[records[p].step[read[p].first[at]]].tag for p, at in rows], np.str_)


def _levels(up: Int32) -> Iterator[Int64]:
    """Yield the paths one step below the root, two steps below it, and so on, after the root itself."""
    level = np.flatnonzero(up < 0)
    children = np.argsort(up, kind="stable")
    parent = up[children]
    while len(level):
        yield level
        first, last = np.searchsorted(parent, level), np.searchsorted(parent, level, side="right")
        level = np.concatenate([children[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)])


def _outside_head(up: Int32, tag: NDArray[np.str_]) -> Bool:
    """Return which paths (u,) do not lead into a head."""
    outside = ~np.isin(tag, HIDDEN)
    for level in _levels(up):
        outside[level] &= (up[level] < 0) | outside[up[level]]
    return outside


def _shapes(up: Int32, tag: NDArray[np.str_]) -> Int64:
    """Return numbers of paths (u,) by their tags alone."""
    shape = np.zeros(len(up), np.int64)
    _, name = np.unique(tag, return_inverse=True)
    known = 0
    for level in _levels(up):
        above = np.where(up[level] < 0, -1, shape[up[level]])
        _, number = np.unique(np.stack([above, name[level]]), axis=1, return_inverse=True)
        shape[level] = known + number.ravel()
        known = int(shape[level].max()) + 1
    return shape


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
