"""Path counts: what is stored of the pages of a site before their types are learnt, and the paths of a site.

A page is reduced to its distinct DOM paths, about 20 bytes each, and its traits. The counts of parts of a
site can be merged, so a crawl does not need to pass through one process.

Site paths: the DOM paths of a site, written so that pages of one type have the same paths.

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

Cost: one pass over each page; then proportional to the number of pairs of a page and a path.
"""

from __future__ import annotations

import heapq
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from typing import Any, Generic, NamedTuple, TypeVar

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64, UInt8, UInt16, UInt64
from webgrain.base.errors import InputError
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import any_above, depths, merge_tables, path_keys, span_keys
from webgrain.page.page import Page
from webgrain.page.paths import Path, Places, Step, places, step_key, steps_of, text_key
from webgrain.page.strings import text_codes
from webgrain.page.tagtables import TagSet
from webgrain.page.text import NO_TEXT
from webgrain.page.turns import Steps, alone
from webgrain.pagetypes import thresholds
from webgrain.pagetypes.traitkernel import snippets
from webgrain.pagetypes.traits import TYPE_OF_CHARACTERS, PageTraits, naming_words, page_traits

T = TypeVar("T")


_MOST_COUNTED = np.iinfo(np.uint16).max


@dataclass(slots=True)
class PathCounts:
    """The paths and query words of the pages of a site.

    Attributes:
        steps: the last steps of all paths by their keys.
        ids: of the pages; records: the paths of each page.
        traits: of each page; words: those that can name its type, see `naming_words`.
        snippets: the beginning of the text at each path, for a sample of the pages.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> counts = PathCounts()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")))
    >>> len(counts), [step.css for step in counts.steps.values()]
    (1, ['html', 'head', 'body', 'h1'])
    """

    steps: dict[int, Step] = field(default_factory=dict)
    ids: list[str] = field(default_factory=list)
    records: list[PathRecord] = field(default_factory=list)
    traits: list[PageTraits] = field(default_factory=list)
    words: list[tuple[frozenset[str], ...]] = field(default_factory=list)
    snippets: PageSample[tuple[str, ...]] = field(
        default_factory=lambda: PageSample(thresholds.MAX_SNIPPET_PAGES)
    )

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: object = None) -> None:
        """Add a page; queries: ignored."""
        self.store(self.read(page, queries))

    def read(self, page: Page, queries: object = None) -> ReadPaths:
        """Return what `store` adds of a page, which this does not change; queries: ignored."""
        return alone(self.reading(page))

    def reading(self, page: Page) -> Steps[ReadPaths]:
        """Return what `store` adds of a page, as `read` does, in steps.

        Pages that take turns are read before any of them is stored.
        """
        table = places(page.dom)
        yield "paths"
        count = np.minimum(table.times, _MOST_COUNTED).astype(np.uint16)
        is_sampled = self.snippets.would_keep(len(self.ids), page.id)
        beginnings = snippets_of(page, table) if is_sampled else ()
        steps = new_steps(self.steps, page.dom, table)
        yield "snippets"
        traits = page_traits(page)
        yield "traits"
        words = naming_words(page)
        return ReadPaths(
            id=page.id,
            steps=steps,
            record=PathRecord(table.up, table.step, count, table.only),
            snippets=beginnings,
            traits=traits,
            words=words,
        )

    def store(self, page: ReadPaths) -> None:
        """Add a page that `read` has read."""
        self.snippets.offer(len(self.ids), page.id, lambda: page.snippets)
        self.ids.append(page.id)
        self.steps |= page.steps
        self.records.append(page.record)
        self.traits.append(page.traits)
        self.words.append(page.words)

    def part(self, pages: Sequence[int]) -> PathCounts:
        """Return the counts of some pages, by their numbers in increasing order."""
        snippets = PageSample[tuple[str, ...]](self.snippets.most)
        for number, page in enumerate(pages):
            if page in self.snippets.kept:
                snippets.offer(number, self.ids[page], partial(self.snippets.kept.__getitem__, page))
        return PathCounts(
            steps=self.steps,
            ids=[self.ids[page] for page in pages],
            records=[self.records[page] for page in pages],
            traits=[self.traits[page] for page in pages],
            words=[self.words[page] for page in pages],
            snippets=snippets,
        )

    def merge(self, other: PathCounts) -> None:
        """Add the counts of other pages of the site; `InputError` if both contain the same page."""
        if repeated := set(self.ids).intersection(other.ids):
            raise InputError(f"Path counts of different pages are expected, both contain {min(repeated)}.")
        before = len(self.ids)
        self.ids += other.ids
        self.steps |= other.steps
        self.records += other.records
        self.traits += other.traits
        self.words += other.words
        self.snippets.merge(other.snippets, before, self.ids)


class ReadPaths(NamedTuple):
    """What is counted of a page. steps: that no page before had; the others as in `PathCounts`."""

    id: str
    steps: dict[int, Step]
    record: PathRecord
    snippets: tuple[str, ...]
    traits: PageTraits
    words: tuple[frozenset[str], ...]


@dataclass(frozen=True, slots=True, eq=False)
class PathRecord(ReadOnly):
    """The paths (r,) of a page with all ids and classes, as in `webgrain.page.paths.Places`.

    Attributes:
        up, count, only: as in the table.
        step: (r,) uint64, keys of the last steps.
    """

    up: Int32
    step: UInt64
    count: UInt16
    only: UInt8


@dataclass(slots=True)
class PageSample(Generic[T]):
    """Values of at most ``most`` pages: those with the smallest hashes of their ids, whatever their order.

    >>> sample = PageSample[str](1)
    >>> for number, name in enumerate(["a", "b", "c"]):
    ...     sample.offer(number, name, name.upper)
    >>> len(sample.kept)
    1
    """

    most: int
    kept: dict[int, T] = field(default_factory=dict)
    _heap: list[tuple[int, int]] = field(default_factory=list)

    def would_keep(self, number: int, name: str) -> bool:
        """Return whether `offer` would keep the value of a page."""
        return len(self._heap) < self.most or (-text_key(name), number) > self._heap[0]

    def offer(self, number: int, name: str, value: Callable[[], T]) -> None:
        """Keep the value of a page if the page belongs to the sample; another page may be dropped for it."""
        heapq.heappush(self._heap, (-text_key(name), number))
        dropped = heapq.heappop(self._heap)[1] if len(self._heap) > self.most else None
        if dropped != number:
            self.kept[number] = value()
            if dropped is not None:
                self.kept.pop(dropped, None)

    def merge(self, other: PageSample[T], shift: int, names: Sequence[str]) -> None:
        """Add the pages of another sample, whose numbers increase by ``shift``."""
        for number, value in other.kept.items():
            self.offer(shift + number, names[shift + number], lambda value=value: value)  # type: ignore[misc]


def new_steps(known: Mapping[int, Step], dom: Dom, table: Places) -> dict[int, Step]:
    """Return the last steps of the paths of a page that are not known, by their keys."""
    path_of: dict[int, int] = {}
    for path, key in enumerate(table.step.tolist()):
        if key not in known and key not in path_of:
            path_of[key] = path
    return dict(zip(path_of, steps_of(dom, table, [*path_of.values()]), strict=True))


def text_spans(dom: Dom) -> tuple[Int64, Int32, Int32, UInt64]:
    """Return the text nodes (t,) of a page, their first and last characters, and the keys of their texts."""
    hidden = dom.tagged(*NO_TEXT)
    nodes = np.flatnonzero(dom.is_text & (dom.ancestor_sum(hidden) == 0))
    start, end = dom.text_start[nodes], dom.text_start[nodes + 1]
    key = span_keys(text_codes(dom), start, end, len(dom.text))
    return nodes[key != 0], start[key != 0], end[key != 0], key[key != 0]


def snippets_of(page: Page, table: Places) -> tuple[str, ...]:
    """Return the beginning of the text of the first element with each path (r,), without scripts and styles.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<p><script>x = 1</script>a"))
    >>> sorted(set(snippets_of(page, places(page.dom))))
    ['', 'a']
    """
    dom = page.dom
    codes, span = snippets(
        (dom.parent, dom.end, dom.tag, dom.text_start),
        text_codes(dom),
        TYPE_OF_CHARACTERS,
        _IS_SILENT.values(dom.tags).view(np.uint8),
        table.first,
        thresholds.SNIPPET,
        4 * thresholds.SNIPPET,
    )
    text = codes.tobytes().decode("utf-32-le", "surrogatepass")
    return tuple([text[start:end] for start, end in zip(*span.tolist(), strict=True)])


_IS_SILENT = TagSet(*NO_TEXT)


# The paths of a site.


@dataclass(frozen=True, slots=True, eq=False)
class Paths(ReadOnly, ABC):
    """The paths (u,) of a site with p pages, and the m pairs of a page and a path on it.

    Attributes:
        pages: ids.
        start: (p + 1,) int64, the pairs of page ``k`` are ``start[k]:start[k + 1]``; path: (m,) int32.
        key: (u,) uint64; up: (u,) int32, the path one step shorter; depth: (u,) number of steps.
        size: (u,) int64, pages with the path.
    """

    pages: tuple[str, ...]
    start: Int64
    path: Int32
    key: UInt64
    up: Int32
    depth: Int64
    size: Int64

    def __len__(self) -> int:
        return len(self.key)

    @property
    def page(self) -> Int64:
        """(m,) the page of each pair."""
        return np.repeat(np.arange(len(self.pages)), np.diff(self.start))

    def paths_of(self, page: int) -> Int32:
        """Return the paths (r,) of a page."""
        return self.path[self.start[page] : self.start[page + 1]]

    @abstractmethod
    def describe(self, path: int) -> Path:
        """Return the steps of a path."""

    def presence(self, paths: Sequence[int] | Int64) -> Bool:
        """Return the presence matrix (p, s): which of some paths (columns) are on which pages (rows)."""
        column = np.full(len(self), -1)
        column[np.asarray(paths, np.int64)] = np.arange(len(paths))
        matrix = np.zeros((len(self.pages), len(paths)), bool)
        at = column[self.path] >= 0
        matrix[self.page[at], column[self.path[at]]] = True
        return matrix


def join_paths(pages: Sequence[str], start: Int64, up: Int32, keys: UInt64) -> dict[str, Any]:
    """Return the values of `Paths` by name, and ``first`` (u,): the first pair with each path.

    pages: ids; start (p + 1,): the pairs of each page; up (m,): the pair with the path one step shorter on
    the same page, -1 for none; keys (m,): of the paths.
    """
    key, first, number = np.unique(keys, return_index=True, return_inverse=True)
    path = number.astype(np.int32)
    above = up[first]
    return {
        "pages": tuple(pages),
        "start": start,
        "path": path,
        "key": key,
        "up": np.where(above >= 0, path[above], -1).astype(np.int32),
        "depth": depths(up)[first].astype(np.int64) + 1,
        "size": np.bincount(path, minlength=len(key)),
        "first": first,
    }


def joined_tables(up: Sequence[Int32]) -> tuple[Int64, Int32]:
    """Return the start (p + 1,) of each of several tables in one, and its ``up`` (m,); up: of each table.

    >>> start, up = joined_tables([np.array([-1, 0], np.int32), np.array([-1, 0, 1], np.int32)])
    >>> start.tolist(), up.tolist()
    ([0, 2, 5], [-1, 0, -1, 2, 3])
    """
    size = list(map(len, up))
    start = np.append(0, np.cumsum(size)).astype(np.int64)
    joined = np.concatenate([*up, np.empty(0, np.int32)])
    begin = np.repeat(start[:-1].astype(np.int32), size)
    return start, np.where(joined >= 0, joined + begin, -1).astype(np.int32)


_NOT_SHOWN = ("head", "base", "link", "meta", "style", "title")
_WRAPPERS = ("div", "span", "center", "font", "section")
_TABLE_SECTIONS = ("tbody", "thead", "tfoot")  # the parser adds tbody to every table


@dataclass(frozen=True, slots=True, eq=False)
class SitePaths(Paths):
    """The paths of a site as it writes them.

    Attributes:
        count: (m,) how many elements have the path on the page.
        steps: (u,) the last step of each path; loose: (u,) bool, whether an element above it is left out.
        in_body: (u,) False for paths into the head of a page, whose content is invisible.
        named: (u,) whether the last step has an id or a class.
        local: of each page, the path (r,) int32 of each path of its record.
    """

    count: UInt16
    steps: tuple[Step, ...]
    loose: Bool
    in_body: Bool
    named: Bool
    local: tuple[Int32, ...]

    def describe(self, path: int) -> Path:
        """Return the steps of a path."""
        paths = []
        while path >= 0:
            paths.append(path)
            path = int(self.up[path])
        paths.reverse()
        loose = frozenset(k for k, path in enumerate(paths) if k and self.loose[path])
        return Path(tuple(self.steps[path] for path in paths), loose)


def site_paths(counts: PathCounts) -> SitePaths:
    """Return the paths of the pages that were counted, at least one, under common numbers."""
    known = np.array(sorted(counts.steps), np.uint64)
    steps = [counts.steps[key] for key in known.tolist()]
    tables = _Tables.of(counts.records, known)
    values = shared_values(steps, tables.start, tables.up, tables.step)
    steps = list(map(values.strip, steps))
    key_of = {step: step_key(step, _TABLE_SECTIONS) for step in dict.fromkeys(steps)}
    keys = np.array([key_of[step] for step in steps], np.uint64)
    merged = _merge(tables, keys[tables.step])
    wrappers = _find_wrappers(tables, steps, merged)
    if len(wrappers):
        is_wrapper = np.isin(merged.key, wrappers)[merged.of]
        merged = _merge(tables, np.where(is_wrapper, np.uint64(0), keys[tables.step]))
    joined = join_paths(counts.ids, merged.start, merged.up, merged.key)
    path = joined["path"]
    first = joined.pop("first")
    last = tables.step[merged.first]
    hidden = np.array([step.tag in _NOT_SHOWN for step in steps], np.uint8)[last]
    in_head = hidden.view(np.bool_) | any_above(merged.up, hidden)
    last_steps = tuple([steps[k] for k in last[first].tolist()])
    return SitePaths(
        **joined,
        count=merged.counts(tables),
        steps=last_steps,
        loose=np.bincount(path, merged.loose(tables), len(joined["key"])) > 0,
        in_body=~in_head[first],
        named=np.array([bool(step.id or step.classes) for step in last_steps]),
        local=tuple(np.split(path[merged.of], tables.start[1:-1])),
    )


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
        classes = tuple(filter(self.classes.__contains__, step.classes))
        if kept_id == step.id and len(classes) == len(step.classes):
            return step
        return Step(step.tag, kept_id, classes)

    def to_dict(self) -> dict[str, list[str]]:
        """Return the ids and classes as plain values for `from_dict`."""
        return {"ids": sorted(self.ids), "classes": sorted(self.classes)}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> SharedValues:
        """Return the ids and classes of a record; `KeyError` or `TypeError` if it is not one."""
        return cls(frozenset(map(str, record["ids"])), frozenset(map(str, record["classes"])))


def shared_values(steps: Sequence[Step], start: Int64, up: Int32, step: Int64) -> SharedValues:
    """Return the ids and classes to keep in the paths of a site.

    start (p + 1,), up (m,): the path tables of the pages, as of `joined_tables`; step (m,): the number of the
    last step of each path.

    >>> steps = [Step("body", "", ("shop", f"item-{k}")) for k in range(9)]
    >>> shared_values(steps, np.arange(10), np.full(9, -1, np.int32), np.arange(9))
    SharedValues(ids=frozenset(), classes=frozenset({'shop'}))
    """
    pages = len(start) - 1
    least = max(
        thresholds.MIN_PAGES_SMALL_SITE,
        min(thresholds.MIN_PAGES, thresholds.SMALL_SITE_SHARE * pages),
        thresholds.MIN_SHARE * pages,
    )
    page = np.repeat(np.arange(pages), np.diff(start))
    ids = _shared([(step.id,) if step.id else () for step in steps], page, step, least)
    classes = _shared([step.classes for step in steps], page, step, least)
    return SharedValues(frozenset(ids - _numbering_ids(steps, page, up, step)), frozenset(classes))


def _shared(values: Sequence[tuple[str, ...]], page: Int64, step: Int64, least: float) -> set[str]:
    """Return the values of steps that enough pages have.

    values: of each step; page, step (m,): the steps on the pages.
    """
    number = {name: k for k, name in enumerate(dict.fromkeys(chain.from_iterable(values)))}
    flat = np.array([number[name] for of_step in values for name in of_step], np.int64)
    size = np.array([len(of_step) for of_step in values], np.int64)
    at = _ranges((np.cumsum(size) - size)[step], size[step])
    pairs = np.unique(np.repeat(page, size[step]) * len(number) + flat[at])
    names = list(number)
    pages_with = np.bincount(pairs % max(len(number), 1), minlength=len(number))
    return {names[k] for k in np.flatnonzero(pages_with >= least).tolist()}


def _ranges(start: Int64, size: Int64) -> Int64:
    """Return ``start[0], start[0] + 1, ...`` up to its size, then the same for the others."""
    ranges: Int64 = np.arange(size.sum()) + np.repeat(start - (np.cumsum(size) - size), size)
    return ranges


def _numbering_ids(steps: Sequence[Step], page: Int64, up: Int32, step: Int64) -> set[str]:
    """Return the ids that number elements: on most of their pages others are beside them at one path.

    page, up, step (m,): the page, the path one step shorter and the last step of each path.
    """
    names = sorted({step.id for step in steps if step.id})
    number = {name: k for k, name in enumerate(names)}
    id_of = np.array([number.get(step.id, -1) for step in steps], np.int64)
    # Without ids: elements that differ by their ids alone have the same path.
    bare = np.array([text_key(" ".join([step.tag, *step.classes])) for step in steps], np.uint64)
    rows = np.flatnonzero(id_of[step] >= 0)
    path = path_keys(up, bare[step], np.array([0, len(up)]))[rows]
    # Each id at a path of a page counts once.
    page_key = page[rows].astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    place = np.unique(path + page_key, return_inverse=True)[1]
    pairs = np.unique(place * np.int64(len(names)) + id_of[step[rows]])
    place, ids = np.divmod(pairs, max(len(names), 1))
    beside = np.bincount(place)[place] >= thresholds.ENUMERATION
    pages_with = np.bincount(ids, minlength=len(names))
    enumerated = np.bincount(ids[beside], minlength=len(names))
    return {names[k] for k in np.flatnonzero(2 * enumerated > pages_with).tolist()}


@dataclass(frozen=True, slots=True, eq=False)
class _Tables:
    """The path tables of p pages as one table of m paths.

    Attributes:
        start: (p + 1,) where each page starts; up: (m,) the path one step shorter, -1 at a root.
        step: (m,) the number of the last step; count, only: (m,) as in `PathRecord`.
    """

    start: Int64
    up: Int32
    step: Int64
    count: UInt16
    only: UInt8

    @classmethod
    def of(cls, records: Sequence[PathRecord], known: UInt64) -> _Tables:
        """Join the records of pages; known: the keys of the steps, sorted."""
        columns = ([getattr(x, name) for x in records] for name in ("step", "count", "only"))
        step, count, only = map(np.concatenate, columns)
        return cls(*joined_tables([x.up for x in records]), np.searchsorted(known, step), count, only)


@dataclass(frozen=True, slots=True, eq=False)
class _MergedTables:
    """The paths (s,) of the pages as the site writes them, those of a page after each other.

    Attributes:
        start: (p + 1,) where each page starts; of: (m,) the path of each path of the tables.
        up: (s,) the path one step shorter, -1 at the root.
        key: (s,) uint64, the same for the same path on every page; first: (s,) a path of the tables with it.
    """

    start: Int64
    of: Int32
    up: Int32
    key: UInt64
    first: Int32

    def _left_out(self, tables: _Tables) -> Bool:
        """Return which paths of the tables (m,) end with an element that is left out."""
        left_out: Bool = (tables.up >= 0) & (self.of == self.of[tables.up])
        return left_out

    def counts(self, tables: _Tables) -> UInt16:
        """Return how many elements have each path (s,)."""
        count = np.bincount(self.of, np.where(self._left_out(tables), 0, tables.count), len(self.key))
        return np.minimum(count, np.iinfo(np.uint16).max).astype(np.uint16)

    def loose(self, tables: _Tables) -> Bool:
        """Return which paths (s,) end with an element below one that is left out."""
        left_out = self._left_out(tables)
        below = (tables.up >= 0) & left_out[tables.up] & ~left_out
        loose: Bool = np.bincount(self.of, below, len(self.key)) > 0
        return loose


def _merge(tables: _Tables, step: UInt64) -> _MergedTables:
    """Merge the paths of each page by the keys of their steps.

    step (m,): 0 leaves a step out, an even key begins a path.
    """
    of, above, first, start = merge_tables(tables.up, step, tables.start)
    last = step[first]
    above = np.where(last % 2 == 0, -1, above).astype(np.int32)
    key = path_keys(above, last, np.array([0, len(above)]))
    return _MergedTables(start, of, above, key, first)


def _find_wrappers(tables: _Tables, steps: Sequence[Step], merged: _MergedTables) -> UInt64:
    """Return the keys of the paths of plain elements that have one child element on every page.

    steps: as they are written.
    """
    plain = np.array([not step.id and not step.classes and step.tag in _WRAPPERS for step in steps])
    rows = np.flatnonzero(plain[tables.step])
    candidates = merged.key[merged.of[rows]]
    return np.setdiff1d(candidates, candidates[tables.only[rows] == 0])
