"""Site paths: the DOM paths of a site, written so that pages of one type have the same paths.

Ids and classes identify a page (``<body class="page-Vector_push_back">``, ``<h2 id="SELECT">``) or a type of
page (``<body class="product">``). Kept always, every page has its own paths; removed always, types that
differ by a class alone become one. So each value is kept or removed by the number of pages that share it:

- a value is kept if at least `MIN_PAGES` pages and a share `MIN_SHARE` of all pages have it; on a small site
  a share `SMALL_SITE_SHARE` is enough, and three pages. A value of fewer pages is often the section of a
  site;
- an id that usually occurs beside other ids at the same path (``l00001``, ``l00002``, ...) numbers elements
  and is never kept.

A path begins at an id that is kept, because ids are unique on a page. Wrappers are left out: the sections of
tables, and elements such as ``div`` without id and class that have one child element wherever their path
occurs.

    u   paths of the site            p   pages
    r   paths of one page's record   m   pairs of a page and a path on it

Cost: proportional to the number of pairs of a page and a path.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int32, Int64, UInt16, UInt64
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.treepass import merge_paths, path_keys
from webgrain.page.paths import Path, Step, kept_step_key, kept_step_keys, text_key
from webgrain.pagetypes.pathcounts import PathCounts, PathRecord, Vocabulary
from webgrain.pagetypes.thresholds import (
    ENUMERATION,
    MIN_PAGES,
    MIN_PAGES_SMALL_SITE,
    MIN_SHARE,
    SMALL_SITE_SHARE,
)

_INVISIBLE = ("head", "base", "link", "meta", "style", "title")
_WRAPPERS = ("div", "span", "center", "font", "section")
_TABLE_SECTIONS = ("tbody", "thead", "tfoot")  # the parser adds tbody to every table


@dataclass(frozen=True, slots=True, eq=False)
class SitePaths:
    """The paths (u,) of a site with p pages, and the m pairs of a page and a path on it.

    Attributes:
        pages: ids.
        rules: how the paths are written.
        start: (p + 1,) int64, the pairs of page ``k`` are ``start[k]:start[k + 1]``; path: (m,) int32.
        count, content: (m,) how many elements have the path on the page; key of the text of a single short
            one.
        key: (u,) uint64; up: (u,) int32, the path one step shorter; size: (u,) int64, pages with the path.
        in_body: (u,) False for paths into the head of a page, whose content is invisible.
        shape: (u,) int64, the same number for paths that differ by ids and classes only; less than u.
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
    _first: Int64
    _records: tuple[PathRecord, ...]
    _vocabulary: Vocabulary

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.key)

    @property
    def page(self) -> Int64:
        """(m,) the page of each pair."""
        return np.repeat(np.arange(len(self.pages)), np.diff(self.start))

    @property
    def depth(self) -> Int64:
        """(u,) number of steps of each path."""
        depth = np.zeros(len(self), np.int64)
        for steps, level in enumerate(_levels(self.up), 1):
            depth[level] = steps
        return depth

    def presence(self, paths: Sequence[int] | Int64, pages: Int64 | None = None) -> Bool:
        """Return the presence matrix: which of some paths (columns) are on which pages (rows; None: all)."""
        column = np.full(len(self), -1)
        column[np.asarray(paths, np.int64)] = np.arange(len(paths))
        row = np.full(len(self.pages), -1)
        rows = np.arange(len(self.pages)) if pages is None else pages
        row[rows] = np.arange(len(rows))
        matrix = np.zeros((len(rows), len(paths)), bool)
        at = (column[self.path] >= 0) & (row[self.page] >= 0)
        matrix[row[self.page[at]], column[self.path[at]]] = True
        return matrix

    def describe(self, path: int) -> Path:
        """Return the steps of a path."""
        page = int(np.searchsorted(self.start, self._first[path], side="right")) - 1
        record, local = self._records[page], self.local[page]
        row = int(np.flatnonzero(local == path)[0])
        steps: list[Step] = []
        descendants = set()
        while row >= 0:
            above = int(record.up[row])
            if above >= 0 and local[above] == local[row]:
                descendants.add(len(steps) - 1)  # the step below an element that is left out
            else:
                steps.append(self.rules.values.strip(self._vocabulary.steps[int(record.step[row])]))
                if steps[-1].id:
                    break
            row = above
        last = len(steps) - 1
        return Path(tuple(reversed(steps)), frozenset(last - k for k in descendants))


def site_paths(counts: PathCounts, *, fold: bool = True) -> SitePaths:
    """Return the paths of the pages that were counted; fold: leave wrappers out."""
    records, steps = counts.records, counts.vocabulary.steps
    rules = PathRules(shared_values(steps, [(record.up, record.step) for record in records]))
    keys = np.array([rules.values.key(step) for step in steps], np.uint64)
    pages = [rules.read(record.up, keys[record.step]) for record in records]
    if fold:
        rules = PathRules(rules.values, _find_wrappers(counts, rules, pages))
        if rules.wrappers:
            pages = [rules.read(record.up, keys[record.step]) for record in records]
    return _join(counts, rules, pages)


@dataclass(frozen=True, slots=True)
class SharedValues:
    """The ids and classes that are kept in the paths of a site.

    >>> SharedValues(frozenset(["main"]), frozenset(["post"])).strip(Step("div", "main", ("post", "x1")))
    Step(tag='div', id='main', classes=('post',))
    """

    ids: frozenset[str]
    classes: frozenset[str]

    def strip(self, step: Step) -> Step:
        """Return a step with only those of its values that are kept."""
        kept_id = step.id if step.id in self.ids else ""
        return Step(step.tag, kept_id, tuple(name for name in step.classes if name in self.classes))

    def key(self, step: Step) -> int:
        """Return the key of a step: even if it has an id and so begins a path, else odd; 0: left out."""
        return kept_step_key(step, self.ids, self.classes, _TABLE_SECTIONS)

    def keys(self, dom: Dom, nodes: Iterable[int]) -> list[int]:
        """Return the keys of the steps of some elements."""
        return kept_step_keys(dom, nodes, self.ids, self.classes, _TABLE_SECTIONS)


def shared_values(steps: Sequence[Step], pages: Sequence[tuple[Int32, Int32]]) -> SharedValues:
    """Return the ids and classes to keep in the paths of a site.

    pages: of each page, ``up`` (r,) of its path table and the numbers (r,) of the steps.

    >>> steps = [Step("body", "", ("shop", f"item-{k}")) for k in range(9)]
    >>> shared_values(steps, [(np.array([-1], np.int32), np.array([k], np.int32)) for k in range(9)])
    SharedValues(ids=frozenset(), classes=frozenset({'shop'}))
    """
    least = max(MIN_PAGES_SMALL_SITE, min(MIN_PAGES, SMALL_SITE_SHARE * len(pages)), MIN_SHARE * len(pages))
    ids, classes = Counter[str](), Counter[str]()
    for _, numbers in pages:
        own = [steps[number] for number in set(numbers.tolist())]
        ids.update({step.id for step in own if step.id})
        classes.update({name for step in own for name in step.classes})
    kept_ids, kept_classes = ({value for value, n in count.items() if n >= least} for count in (ids, classes))
    return SharedValues(frozenset(kept_ids - _numbering_ids(steps, pages)), frozenset(kept_classes))


def _numbering_ids(steps: Sequence[Step], pages: Sequence[tuple[Int32, Int32]]) -> set[str]:
    """Return the ids that number elements: on most of their pages others are beside them at one path."""
    names = sorted({step.id for step in steps if step.id})
    number = {name: k for k, name in enumerate(names)}
    id_of = np.array([number.get(step.id, -1) for step in steps], np.int64)
    # Without ids: elements that differ by their ids alone have the same path.
    bare = np.array([text_key(Step(step.tag, "", step.classes).css) for step in steps], np.uint64)
    pages_with, enumerated = np.zeros((2, len(names)))
    for up, step in pages:
        rows = np.flatnonzero(id_of[step] >= 0)
        if len(rows):
            path, ids = path_keys(up, bare[step], np.array([0, len(up)]))[rows], id_of[step[rows]]
            # One key for an id at a path, so that a repeated id counts once.
            _, first = np.unique(path * np.uint64(2**20 + 7) + ids.astype(np.uint64), return_index=True)
            _, inverse, beside = np.unique(path[first], return_inverse=True, return_counts=True)
            np.add.at(pages_with, ids[first], 1)
            np.add.at(enumerated, ids[first], beside[inverse] >= ENUMERATION)
    return {names[k] for k in np.flatnonzero(2 * enumerated > pages_with).tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class PagePaths:
    """The paths (s,) of one page as the site writes them.

    Attributes:
        of: (r,) the path of each path of the page's table.
        up: (s,) the path one step shorter, -1 at the root.
        key: (s,) uint64, the same for the same path on every page; first: (s,) a path of the table with it.
    """

    of: Int32
    up: Int32
    key: UInt64
    first: Int32

    def counts(self, record: PathRecord) -> tuple[UInt16, UInt64]:
        """Return how many elements have each path (s,), and the key of the text of a single one."""
        left_out = (record.up >= 0) & (self.of == self.of[record.up])
        count = np.bincount(self.of, np.where(left_out, 0, record.count), len(self.key))
        content = np.where(count == 1, record.content[self.first], np.uint64(0))
        return np.minimum(count, np.iinfo(np.uint16).max).astype(np.uint16), content


@dataclass(frozen=True, slots=True)
class PathRules:
    """How the paths of a site are written: the values in them, and the wrappers that are left out.

    wrappers: keys of the paths that end with one.
    """

    values: SharedValues
    wrappers: frozenset[int] = frozenset()

    def read(self, up: Int32, step: UInt64) -> PagePaths:
        """Return the paths of a page; up, step (r,): its table, with the keys of the steps by these rules."""
        whole = _merge(up, step)
        left_out = np.array([key in self.wrappers for key in whole.key.tolist()], bool)
        return _merge(up, np.where(left_out[whole.of], np.uint64(0), step)) if left_out.any() else whole


def _merge(up: Int32, step: UInt64) -> PagePaths:
    """Merge paths of a page by the keys of their steps: 0 leaves a step out, an even key begins a path."""
    of, above, first, _, _ = merge_paths(up, step)
    last = step[first]
    above = np.where(last % 2 == 0, -1, above).astype(np.int32)
    key = path_keys(above, last, np.array([0, len(above)]))
    return PagePaths(of, above, key, first)


def _find_wrappers(counts: PathCounts, rules: PathRules, pages: Sequence[PagePaths]) -> frozenset[int]:
    """Return the keys of the paths of plain elements that have one child element on every page."""
    steps = [rules.values.strip(step) for step in counts.vocabulary.steps]
    plain = np.array(
        [not step.id and not step.classes and step.tag in _WRAPPERS for step in steps] or [False]
    )
    candidates: set[int] = set()
    refuted: set[int] = set()
    for record, paths in zip(counts.records, pages, strict=True):
        rows = np.flatnonzero(plain[record.step])
        keys = paths.key[paths.of[rows]]
        candidates.update(keys.tolist())
        refuted.update(keys[record.only[rows] == 0].tolist())
    return frozenset(candidates - refuted)


def _join(counts: PathCounts, rules: PathRules, pages: Sequence[PagePaths]) -> SitePaths:
    """Return the paths of all pages under common numbers."""
    records, steps = counts.records, counts.vocabulary.steps
    start = np.append(0, np.cumsum([len(paths.key) for paths in pages])).astype(np.int64)
    key, first, number = np.unique(
        _concatenate(np.uint64, (paths.key for paths in pages)), return_index=True, return_inverse=True
    )
    path = number.astype(np.int32)
    of_page = [path[a:b] for a, b in pairwise(start.tolist())]
    up = _concatenate(
        np.int32, (np.where(x.up >= 0, own[x.up], -1) for x, own in zip(pages, of_page, strict=True))
    )[first]
    page = np.searchsorted(start, first, side="right") - 1
    rows = zip(page.tolist(), (first - start[page]).tolist(), strict=True)
    tag = np.array([steps[records[p].step[pages[p].first[row]]].tag for p, row in rows], np.str_)
    in_body, shape = _by_level(up, tag)
    numbers = [paths.counts(record) for paths, record in zip(pages, records, strict=True)]
    return SitePaths(
        tuple(counts.ids), rules, start, path,
        count=_concatenate(np.uint16, (count for count, _ in numbers)),
        content=_concatenate(np.uint64, (content for _, content in numbers)),
        key=key, up=up, size=np.bincount(path, minlength=len(key)), in_body=in_body, shape=shape,
        local=tuple(own[paths.of] for paths, own in zip(pages, of_page, strict=True)),
        _first=first, _records=tuple(records), _vocabulary=counts.vocabulary,
    )  # fmt: skip


def _concatenate(dtype: type[Any], parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays, of which there may be none."""
    return np.concatenate([np.empty(0, dtype), *parts])


def _by_level(up: Int32, tag: NDArray[np.str_]) -> tuple[Bool, Int64]:
    """Return which paths (u,) do not lead into a head, and numbers (u,) of their tags alone."""
    in_body, shape, known = ~np.isin(tag, _INVISIBLE), np.zeros(len(up), np.int64), 0
    _, name = np.unique(tag, return_inverse=True)
    for level in _levels(up):
        above = np.where(up[level] < 0, -1, shape[up[level]])
        in_body[level] &= (up[level] < 0) | in_body[up[level]]
        _, number = np.unique(np.stack([above, name[level]]), axis=1, return_inverse=True)
        shape[level] = known + number.ravel()
        known = int(shape[level].max()) + 1
    return in_body, shape


def _levels(up: Int32) -> Iterator[Int64]:
    """Yield the paths of one step, then those one step longer, and so on."""
    level = np.flatnonzero(up < 0)
    children = np.argsort(up, kind="stable")
    parent = up[children]
    while len(level):
        yield level
        first, last = np.searchsorted(parent, level), np.searchsorted(parent, level, side="right")
        level = np.concatenate([children[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)])
