"""What is counted of the pages of a site, one by one: their paths, and where the words of queries stand.

A page leaves about 20 bytes for each of its distinct paths, and its text is read only if there are queries
for it. Counts of shards can be merged, so a crawl need not pass through one process.
"""

from __future__ import annotations

import heapq
from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Generic, TypeVar

import numpy as np

from webgrain.cluster.vocabulary import Vocabulary
from webgrain.errors import InputError
from webgrain.kernels.pathtable import span_keys
from webgrain.page.dom import freeze
from webgrain.page.paths import code_points, path_table, text_key
from webgrain.page.words import word_spans, words_of

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom, Int32
    from webgrain.page.page import Page
    from webgrain.page.paths import PathTable, UInt64

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
    count: NDArray[np.uint16]
    only: NDArray[np.uint8]
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
    weight: NDArray[np.float64]

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
    >>> from webgrain.page.parse import parse
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
