"""Path counts: what is stored of the pages of a site before their types are learnt, and the paths of a site.

A page is reduced to its distinct DOM paths, about 20 bytes each, and its traits. The counts of parts of a
site can be merged, so a crawl does not need to pass through one process.

Sites without a search log have `PseudoQueries`: the anchor texts, titles and headings of their pages. They
are no searches and favour the paths of titles; a report of results based on them must state this.

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
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int32, Int64, UInt8, UInt16, UInt64
from webgrain.errors import InputError
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.treepass import merge_paths, path_keys, span_keys
from webgrain.page.links import AnchorTexts
from webgrain.page.page import Page
from webgrain.page.paths import (
    Path,
    PathTable,
    Step,
    kept_step_key,
    kept_step_keys,
    path_table,
    step_of,
    text_key,
)
from webgrain.page.strings import code_points
from webgrain.pagetypes.rawpaths import snippets_of
from webgrain.pagetypes.thresholds import (
    ENUMERATION,
    MAX_CONTENT,
    MAX_QUERIES,
    MAX_QUERY,
    MAX_SNIPPET_PAGES,
    MENU_SHARE,
    MIN_PAGES,
    MIN_PAGES_SMALL_SITE,
    MIN_QUERY,
    MIN_SHARE,
    SMALL_SITE_SHARE,
)
from webgrain.pagetypes.traits import PageTraits, page_traits

T = TypeVar("T")

_SEPARATOR = "\0"
_TITLE_PARTS = re.compile(r"\s+[-–—|·:»]\s+")


@dataclass(slots=True)
class PathCounts:
    """The paths and query words of the pages of a site.

    Attributes:
        vocabulary: the steps of all paths.
        ids: of the pages; records: the paths of each page.
        traits: of each page.
        snippets: the beginning of the text at each path, for a sample of the pages.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> counts = PathCounts()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")))
    >>> len(counts), [step.css for step in counts.vocabulary.steps]
    (1, ['html', 'head', 'body', 'h1'])
    """

    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary())
    ids: list[str] = field(default_factory=list)
    records: list[PathRecord] = field(default_factory=list)
    traits: list[PageTraits] = field(default_factory=list)
    snippets: Sample[tuple[str, ...]] = field(default_factory=lambda: Sample(MAX_SNIPPET_PAGES))

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: object = None) -> None:
        """Add a page; queries: ignored."""
        dom, table, number = page.dom, path_table(page.dom), len(self.ids)
        self.ids.append(page.id)
        self.records.append(_path_record(dom, table, self.vocabulary))
        self.snippets.offer(number, page.id, lambda: snippets_of(dom, table))
        self.traits.append(page_traits(page))

    def merge(self, other: PathCounts) -> None:
        """Add the counts of other pages of the site; `InputError` if both contain the same page."""
        if repeated := set(self.ids).intersection(other.ids):
            raise InputError(f"Path counts of different pages are expected, both contain {min(repeated)}.")
        numbers, before = self.vocabulary.merge(other.vocabulary), len(self.ids)
        self.ids += other.ids
        self.records += [
            PathRecord(record.up, numbers[record.step], record.count, record.only, record.content)
            for record in other.records
        ]
        self.traits += other.traits
        self.snippets.merge(other.snippets, before, self.ids)


@dataclass(slots=True)
class Vocabulary:
    """The distinct steps of the paths of a site, with all ids and classes, by number.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<p id=a>")
    >>> known = Vocabulary()
    >>> [known.steps[k].css for k in known.number(dom, path_table(dom)).tolist()]
    ['html', 'head', 'body', 'p#a']
    """

    steps: list[Step] = field(default_factory=list)
    _number: dict[int, int] = field(default_factory=dict)

    def number(self, dom: Dom, table: PathTable) -> Int32:
        """Return the number of the last step of each path (r,) of a page; unknown steps are added."""
        keys = table.step.tolist()
        for path, key in enumerate(keys):
            if key not in self._number:
                self._add(key, step_of(dom, int(table.first[path])))
        return np.array([self._number[key] for key in keys], np.int32)

    def merge(self, other: Vocabulary) -> Int32:
        """Add the steps of another vocabulary; return the number here of each of its numbers."""
        numbers = np.empty(len(other.steps), np.int32)
        for key, number in other._number.items():
            known = self._number.get(key)
            numbers[number] = self._add(key, other.steps[number]) if known is None else known
        return numbers

    def _add(self, key: int, step: Step) -> int:
        self._number[key] = len(self.steps)
        self.steps.append(step)
        return self._number[key]


@dataclass(frozen=True, slots=True, eq=False)
class PathRecord:
    """The paths (r,) of a page with all ids and classes, as in `webgrain.page.paths.PathTable`.

    Attributes:
        up, count, only: as in the table.
        step: (r,) int32, numbers in the vocabulary.
        content: (r,) uint64, key of the text where a path has one element with a short text, else 0.
    """

    up: Int32
    step: Int32
    count: UInt16
    only: UInt8
    content: UInt64

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(slots=True)
class Sample(Generic[T]):
    """Values of at most ``most`` pages: those with the smallest hashes of their ids, whatever their order.

    >>> sample = Sample[str](1)
    >>> for number, name in enumerate(["a", "b", "c"]):
    ...     sample.offer(number, name, name.upper)
    >>> len(sample.kept)
    1
    """

    most: int
    kept: dict[int, T] = field(default_factory=dict)
    _heap: list[tuple[int, int]] = field(default_factory=list)

    def offer(self, number: int, name: str, value: Callable[[], T]) -> None:
        """Keep the value of a page if the page belongs to the sample; another page may be dropped for it."""
        heapq.heappush(self._heap, (-text_key(name), number))
        dropped = heapq.heappop(self._heap)[1] if len(self._heap) > self.most else None
        if dropped != number:
            self.kept[number] = value()
            if dropped is not None:
                self.kept.pop(dropped, None)

    def merge(self, other: Sample[T], shift: int, names: Sequence[str]) -> None:
        """Add the pages of another sample, whose numbers increase by ``shift``."""
        for number, value in other.kept.items():
            self.offer(shift + number, names[shift + number], lambda value=value: value)  # type: ignore[misc]


def _path_record(dom: Dom, table: PathTable, vocabulary: Vocabulary) -> PathRecord:
    single = np.where(table.count == 1, table.first, 0)
    start, end = dom.text_start[single], dom.text_start[dom.end[single]]
    short = (table.count == 1) & (end - start <= 4 * MAX_CONTENT)
    content = span_keys(code_points(dom.text), start, np.where(short, end, start), MAX_CONTENT)
    count = np.minimum(table.count, np.iinfo(np.uint16).max).astype(np.uint16)
    return PathRecord(table.up, vocabulary.number(dom, table), count, table.only, content)


class PseudoQueries:
    """Anchor texts, titles and first headings of the pages of a site, in place of a search log.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> names = PseudoQueries()
    >>> for k in range(9):
    ...     html = f"<title>Lamp {k} | Shop</title><a href=0.html>Best</a>"
    ...     names.add(parse(Source(f"{k}.html", html.encode())))
    >>> names.queries()["1.html"]
    Counter({'lamp 1': 1})
    """

    def __init__(self) -> None:
        self._anchors = AnchorTexts()
        self._titles: dict[str, list[str]] = {}
        self._pages_with: Counter[str] = Counter()

    def add(self, page: Page) -> None:
        """Add the links, the title and the first headings of a page."""
        self._anchors.add(page)
        self._titles[page.id] = list(dict.fromkeys(filter(None, map(_cleaned, _titles(page.dom)))))
        self._pages_with.update(self._titles[page.id])

    @property
    def anchors(self) -> dict[str, Counter[str]]:
        """The texts of the links to each page, by its id: see `webgrain.page.links.AnchorTexts`."""
        return self._anchors.texts()

    def queries(self) -> dict[str, Counter[str]]:
        """Return the pseudo-queries of each page by its id, with the number of pages they are from."""
        most = max(1, MENU_SHARE * len(self._titles))
        queries: dict[str, Counter[str]] = {}
        for page, texts in self._anchors.texts().items():
            found: Counter[str] = Counter()
            for text, pages in texts.items():
                if pages <= most and _cleaned(text):
                    found[_cleaned(text)] += pages
            found.update(text for text in self._titles[page] if self._pages_with[text] <= most)
            queries[page] = Counter(dict(found.most_common(MAX_QUERIES)))
        return queries


def _titles(dom: Dom) -> list[str]:
    """Return the parts of the title and the first-level headings of a page."""
    nodes = [
        node
        for tag in ("title", "h1")
        if tag in dom.tags
        for node in np.flatnonzero(dom.tag == dom.tags.index(tag))[:3].tolist()
    ]
    return [part for node in nodes for part in _TITLE_PARTS.split(dom.text_of(node))]


def _cleaned(text: str) -> str:
    text = " ".join(text.split()).lower()
    return text if MIN_QUERY <= len(text) <= MAX_QUERY else ""


# The paths of a site.

_NOT_SHOWN = ("head", "base", "link", "meta", "style", "title")
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
        named: (u,) whether the last step has an id or a class.
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
    named: Bool
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
    last = [rules.values.strip(steps[records[p].step[pages[p].first[row]]]) for p, row in rows]
    tag = np.array([step.tag for step in last], np.str_)
    named = np.array([bool(step.id or step.classes) for step in last], bool)
    in_body = _in_body(up, tag)
    numbers = [paths.counts(record) for paths, record in zip(pages, records, strict=True)]
    return SitePaths(
        tuple(counts.ids), rules, start, path,
        count=_concatenate(np.uint16, (count for count, _ in numbers)),
        content=_concatenate(np.uint64, (content for _, content in numbers)),
        key=key, up=up, size=np.bincount(path, minlength=len(key)), in_body=in_body, named=named,
        local=tuple(own[paths.of] for paths, own in zip(pages, of_page, strict=True)),
        _first=first, _records=tuple(records), _vocabulary=counts.vocabulary,
    )  # fmt: skip


def _concatenate(dtype: type[Any], parts: Iterable[NDArray[Any]]) -> NDArray[Any]:
    """Concatenate arrays, of which there may be none."""
    return np.concatenate([np.empty(0, dtype), *parts])


def _in_body(up: Int32, tag: NDArray[np.str_]) -> Bool:
    """Return which paths (u,) do not lead into a head."""
    in_body = ~np.isin(tag, _NOT_SHOWN)
    for level in _levels(up):
        in_body[level] &= (up[level] < 0) | in_body[up[level]]
    return in_body


def _levels(up: Int32) -> Iterator[Int64]:
    """Yield the paths of one step, then those one step longer, and so on."""
    level = np.flatnonzero(up < 0)
    children = np.argsort(up, kind="stable")
    parent = up[children]
    while len(level):
        yield level
        first, last = np.searchsorted(parent, level), np.searchsorted(parent, level, side="right")
        level = np.concatenate([children[a:b] for a, b in zip(first.tolist(), last.tolist(), strict=True)])
