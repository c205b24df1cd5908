"""Steps of paths by number, and which of their ids and classes belong in a path of the site.

Ids and classes may name what is on a page (``<body class="page-Vector_push_back">``, ``<h2 id="SELECT">``) or
what kind of page it is (``<body class="product">``). Kept always, they make a path of every page; dropped
always, types that differ by a class alone fall together. So it is decided value by value, from how many pages
of the site share it:

- a value belongs in paths if it stands on at least `MIN_PAGES` pages and on a share `MIN_SHARE` of all; on a
  small site a share `SMALL_SHARE` is enough, and three pages. What fewer pages share is often a section;
- an id that as a rule stands beside others on elements with the same path (``l00001``, ``l00002``, ...)
  counts elements, and never belongs in a path.

How the paths of a site are written: with the values that its pages share, without mere wrappers.

What is counted of the pages of a site, one by one: their paths, and where the words of queries stand.

A page leaves about 20 bytes for each of its distinct paths, and its text is read only if there are queries
for it. Counts of shards can be merged, so a crawl need not pass through one process.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt8, UInt16, UInt64
from webgrain.errors import InputError
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.pathtable import merge_paths, path_keys, span_keys
from webgrain.page.page import Page
from webgrain.page.paths import (
    PathTable,
    Step,
    code_points,
    kept_step_key,
    kept_step_keys,
    path_table,
    step_of,
    text_key,
)
from webgrain.page.strings import word_spans, words_of

FEWEST, MIN_PAGES = 3, 12
MIN_SHARE, SMALL_SHARE = 0.01, 0.15
CROWD = 3
"""So many ids beside each other on one page are an enumeration."""

ANCHOR = 0
"""Remainder by 2 of the key of a step that begins a path."""

SECTIONS = ("tbody", "thead", "tfoot")
"""Elements that a table may have or not; the parser adds the first to every table."""


@dataclass(slots=True)
class Vocabulary:
    """The steps of a site as they stand in the markup, by number.

    >>> from webgrain.page.parsing import parse_html
    >>> from webgrain.page.paths import path_table
    >>> dom = parse_html("<p id=a>")
    >>> known = Vocabulary()
    >>> [known.steps[k].css for k in known.number(dom, path_table(dom)).tolist()]
    ['html', 'head', 'body', 'p#a']
    """

    steps: list[Step] = field(default_factory=list)
    _number: dict[int, int] = field(default_factory=dict)

    def number(self, dom: Dom, table: PathTable) -> Int32:
        """Return the number of the last step of each path (r,) of a page; new ones are learnt."""
        keys = table.step.tolist()
        for path, key in enumerate(keys):
            if key not in self._number:
                self._learn(key, step_of(dom, int(table.first[path])))
        return np.array([self._number[key] for key in keys], np.int32)

    def merge(self, other: Vocabulary) -> Int32:
        """Learn the steps of another vocabulary; return the number here of each of its numbers."""
        numbers = np.empty(len(other.steps), np.int32)
        for key, number in other._number.items():
            found = self._number.get(key)
            numbers[number] = self._learn(key, other.steps[number]) if found is None else found
        return numbers

    def _learn(self, key: int, step: Step) -> int:
        self._number[key] = len(self.steps)
        self.steps.append(step)
        return self._number[key]


@dataclass(frozen=True, slots=True)
class SharedValues:
    """The ids and classes that belong in the paths of a site.

    >>> SharedValues(frozenset(["main"]), frozenset(["post"])).strip(Step("div", "main", ("post", "x1")))
    Step(tag='div', id='main', classes=('post',))
    """

    ids: frozenset[str]
    classes: frozenset[str]

    def strip(self, step: Step) -> Step:
        """Return a step with those of its values only that belong in paths."""
        own = step.id if step.id in self.ids else ""
        return Step(step.tag, own, tuple(name for name in step.classes if name in self.classes))

    def key(self, step: Step) -> int:
        """Return the key of a step in a path; 0 if it is left out of paths."""
        return kept_step_key(step, self.ids, self.classes, SECTIONS)

    def keys(self, dom: Dom, nodes: Iterable[int]) -> list[int]:
        """Return the keys of the steps that some elements are."""
        return kept_step_keys(dom, nodes, self.ids, self.classes, SECTIONS)


def share_values(
    steps: Sequence[Step],
    pages: Sequence[tuple[Int32, Int32]],
    *,
    min_pages: int = MIN_PAGES,
    min_share: float = MIN_SHARE,
) -> SharedValues:
    """Decide which ids and classes belong in the paths of a site.

    pages: of each page, ``up`` (r,) of its path table and the numbers (r,) of the steps.

    >>> steps = [Step("body", "", ("shop", f"item-{k}")) for k in range(9)]
    >>> share_values(steps, [(np.array([-1], np.int32), np.array([k], np.int32)) for k in range(9)])
    SharedValues(ids=frozenset(), classes=frozenset({'shop'}))
    """
    least = max(FEWEST, min(min_pages, SMALL_SHARE * len(pages)), min_share * len(pages))
    names, own = _numbered(
        [(*((f"#{step.id}",) if step.id else ()), *(f".{c}" for c in step.classes)) for step in steps]
    )
    shared = _pages_of(own, [np.unique(number) for _, number in pages], len(names)) >= least
    shared &= ~_enumerated(steps, own, pages, len(names))
    kept = [names[k] for k in np.flatnonzero(shared).tolist()]
    return SharedValues(
        frozenset(name[1:] for name in kept if name[0] == "#"),
        frozenset(name[1:] for name in kept if name[0] == "."),
    )


def _numbered(values: Sequence[Sequence[str]]) -> tuple[list[str], list[Int32]]:
    """Return the distinct values, and the numbers of those of each step."""
    known: dict[str, int] = {}
    own = [np.array([known.setdefault(value, len(known)) for value in some], np.int32) for some in values]
    return list(known), own


def _pages_of(own: Sequence[Int32], on_page: Sequence[Int32], size: int) -> Int64:
    """Return on how many pages each value stands."""
    count = np.zeros(size, np.int64)
    lengths = np.array([len(some) for some in own])
    start = np.append(0, np.cumsum(lengths))
    flat = np.concatenate([*own, np.empty(0, np.int32)])
    for steps in on_page:
        some = steps[lengths[steps] > 0]
        if len(some):
            length = lengths[some]
            shift = np.repeat(start[some] - np.append(0, np.cumsum(length)[:-1]), length)
            count[np.unique(flat[np.arange(length.sum()) + shift])] += 1
    return count


def _enumerated(
    steps: Sequence[Step],
    own: Sequence[Int32],
    pages: Sequence[tuple[Int32, Int32]],
    size: int,
) -> Bool:
    """Tell which ids count elements: on most pages they stand beside others on elements of the same path."""
    number = np.array(
        [int(some[0]) if step.id else -1 for step, some in zip(steps, own, strict=True)], np.int32
    )
    # Classes without ids: elements that differ by their ids alone have the same path.
    bare = np.array([text_key(Step(step.tag, "", step.classes).css) for step in steps], np.uint64)
    pages_with, crowded = np.zeros((2, size))
    for up, step in pages:
        rows = np.flatnonzero(number[step] >= 0)
        if len(rows):
            shape = path_keys(up, bare[step], np.array([0, len(up)]))[rows]
            named = number[step[rows]].astype(np.int64)
            # One number for an id at a path, so that each counts once however often the page repeats it.
            _, first = np.unique(shape * np.uint64(2**20 + 7) + named.astype(np.uint64), return_index=True)
            _, inverse, beside = np.unique(shape[first], return_inverse=True, return_counts=True)
            np.add.at(pages_with, named[first], 1)
            np.add.at(crowded, named[first], beside[inverse] >= CROWD)
    return 2 * crowded > pages_with


@dataclass(frozen=True, slots=True, eq=False)
class PagePaths:
    """The paths (s,) of one page as the site has them.

    Attributes:
        of: (r,) the path of each path of the page's table.
        up: (s,) the path one step shorter, -1 at the root.
        key: (s,) uint64, the same for the same path on every page; first: (s,) a path of the table with it.
    """

    of: Int32
    up: Int32
    key: UInt64
    first: Int32

    def told(self, record: PathRecord) -> tuple[UInt16, UInt64]:
        """Return how many elements have each path (s,), and what a single one says, from the page's table."""
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
        whole = merged(up, step)
        left_out = np.array([key in self.wrappers for key in whole.key.tolist()], bool)
        return merged(up, np.where(left_out[whole.of], np.uint64(0), step)) if left_out.any() else whole


def merged(up: Int32, step: UInt64) -> PagePaths:
    """Merge paths of a page that are the same by the keys of their steps; 0 leaves a step out."""
    of, above, first, _, _ = merge_paths(up, step)
    last = step[first]
    above = np.where(last % 2 == ANCHOR, -1, above).astype(np.int32)
    key = path_keys(above, last, np.array([0, len(above)]))
    return PagePaths(of, above, key, first)


T = TypeVar("T")

MAX_READ = 500
"""Pages with queries whose text is read, at most: those whose ids have the least hashes."""

MAX_SHOWN = 300
"""Pages of which the beginning of each content is kept, to show to people."""

SNIPPET = 80

MAX_CONTENT = 40
"""Characters up to which the text of an element can be the name of a tab."""

_END = "\0"
"""Stands between texts, and in none of them."""

_SILENT = frozenset(("script", "style", "noscript", "template", "head"))


@dataclass(frozen=True, slots=True, eq=False)
class PathRecord:
    """The paths (r,) of a page, with all ids and classes: as in `webgrain.page.paths.PathTable`.

    step: numbers in the vocabulary; content: key of the text where a path has one element with a short text,
    else 0.
    """

    up: Int32
    step: Int32
    count: UInt16
    only: UInt8
    content: UInt64

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(frozen=True, slots=True, eq=False)
class TextRecord:
    """Where the words of its queries stand on a page with t texts.

    Attributes:
        path, key, words: (t,) path of each text in the page's record, key of what it says, number of words.
        hit_text, hit_word: (h,) a text, and the word of the queries that stands in it; a row for each place.
        weight: (w,) how often the queries have each of their words.
    """

    path: Int32
    key: UInt64
    words: Int32
    hit_text: Int32
    hit_word: Int32
    weight: Float64

    def __post_init__(self) -> None:
        freeze(self)


@dataclass(slots=True)
class Sample(Generic[T]):
    """What is kept of some pages: of the ``most`` whose ids have the least hashes, in any order.

    >>> sample = Sample[str](1)
    >>> [sample.offer(number, name) for number, name in enumerate(["a", "b", "c"])].count(True) >= 1
    True
    """

    most: int
    kept: dict[int, T] = field(default_factory=dict)
    _heap: list[tuple[int, int]] = field(default_factory=list)

    def offer(self, number: int, name: str) -> bool:
        """Tell whether a page belongs to the sample; another may have to leave it."""
        heapq.heappush(self._heap, (-text_key(name), number))
        if len(self._heap) <= self.most:
            return True
        _, dropped = heapq.heappop(self._heap)
        self.kept.pop(dropped, None)
        return dropped != number

    def merge(self, other: Sample[T], shift: int, names: Sequence[str]) -> None:
        """Take in the pages of another sample, whose numbers are now higher by ``shift``."""
        for number, what in other.kept.items():
            if self.offer(shift + number, names[shift + number]):
                self.kept[shift + number] = what


@dataclass(slots=True)
class SiteStatistics:
    """The counts of a site's pages so far.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> counts = SiteStatistics()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")), {"blue lamp": 3})
    >>> len(counts), counts.texts.kept[0].weight.tolist()
    (1, [1.0, 1.0])
    """

    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    ids: list[str] = field(default_factory=list)
    records: list[PathRecord] = field(default_factory=list)
    texts: Sample[TextRecord] = field(default_factory=lambda: Sample(MAX_READ))
    shown: Sample[tuple[str, ...]] = field(default_factory=lambda: Sample(MAX_SHOWN))
    queried: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: Mapping[str, int] | None = None) -> None:
        """Count a page, and the queries for it with their clicks."""
        table = path_table(page.dom)
        number = len(self.ids)
        self.ids.append(page.id)
        self.records.append(path_record(page.dom, table, self.vocabulary))
        if self.shown.offer(number, page.id):
            self.shown.kept[number] = snippets(page.dom, table)
        words = Counter(word for query in queries or () for word in words_of(query))
        if words:
            self.queried.add(number)
            if self.texts.offer(number, page.id):
                self.texts.kept[number] = text_record(page.dom, table, words)

    def merge(self, other: SiteStatistics) -> None:
        """Add the counts of other pages of the site; `InputError` where a page was counted before."""
        if again := set(self.ids).intersection(other.ids):
            raise InputError(f"Statistics of different pages were expected, both have {min(again)}.")
        numbers, before = self.vocabulary.merge(other.vocabulary), len(self.ids)
        self.ids += other.ids
        self.records += [
            PathRecord(record.up, numbers[record.step], record.count, record.only, record.content)
            for record in other.records
        ]
        self.queried |= {before + number for number in other.queried}
        self.texts.merge(other.texts, before, self.ids)
        self.shown.merge(other.shown, before, self.ids)


def path_record(dom: Dom, table: PathTable, vocabulary: Vocabulary) -> PathRecord:
    """Return the record of a page's paths."""
    alone = np.where(table.count == 1, table.first, 0)
    start, end = dom.text_start[alone], dom.text_start[dom.end[alone]]
    short = (table.count == 1) & (end - start <= 4 * MAX_CONTENT)
    content = span_keys(code_points(dom.text), start, np.where(short, end, start), MAX_CONTENT)
    count = np.minimum(table.count, np.iinfo(np.uint16).max).astype(np.uint16)
    return PathRecord(table.up, vocabulary.number(dom, table), count, table.only, content)


def text_record(dom: Dom, table: PathTable, words: Mapping[str, int]) -> TextRecord:
    """Return where the words (with how often they were asked for) stand on a page."""
    silent = np.array([tag in _SILENT for tag in dom.tags])[dom.tag]
    nodes = np.flatnonzero(dom.is_text & (dom.ancestor_sum(silent) == 0))
    start, end = dom.text_start[nodes], dom.text_start[nodes + 1]
    keys = span_keys(code_points(dom.text), start, end, len(dom.text))
    nodes, start, end, keys = (x[keys != 0] for x in (nodes, start, end, keys))
    whole = dom.text.replace(_END, " ")
    said = _END.join(whole[a:b] for a, b in zip(start.tolist(), end.tolist(), strict=True))
    text, word = _hits(said, list(words))
    return TextRecord(
        path=table.of[nodes],
        key=keys,
        words=np.bincount(text, minlength=len(nodes)).astype(np.int32),
        hit_text=text[word >= 0],
        hit_word=word[word >= 0],
        weight=np.array(list(words.values()), np.float64),
    )


def _hits(said: str, wanted: Sequence[str]) -> tuple[Int32, Int32]:
    """Return for each word of some texts the number of its text, and its number among ``wanted`` or -1."""
    codes = code_points(said.lower())
    start, end = word_spans(codes)
    text = np.searchsorted(np.flatnonzero(codes == ord(_END)), start).astype(np.int32)
    length = np.cumsum([0, *map(len, wanted)], dtype=np.int32)
    own = span_keys(code_points("".join(wanted)), length[:-1], length[1:], int(length[-1]))
    key, order = span_keys(codes, start, end, len(codes)), np.argsort(own)
    at = order[np.minimum(np.searchsorted(own[order], key), len(own) - 1)]
    return text, np.where(own[at] == key, at, -1).astype(np.int32)


def snippets(dom: Dom, table: PathTable) -> tuple[str, ...]:
    """Return how the text of the first element with each path (r,) begins."""
    start, end = dom.text_start[table.first].tolist(), dom.text_start[dom.end[table.first]].tolist()
    return tuple(
        " ".join(dom.text[a : min(b, a + 4 * SNIPPET)].split())[:SNIPPET]
        for a, b in zip(start, end, strict=True)
    )
