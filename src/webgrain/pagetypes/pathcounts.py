"""Path counts: what is stored of the pages of a site before their types are learnt.

A page is reduced to its distinct DOM paths, about 20 bytes each. Its text is read only if it has queries, and
only the places of the query words are kept. The counts of parts of a site can be merged, so a crawl does not
need to pass through one process.

Sites without a search log have `PseudoQueries`: the anchor texts, titles and headings of their pages. They
are no searches and favour the paths of titles; a report of results based on them must state this.

Cost: one pass over each page, about as long as parsing it.
"""

from __future__ import annotations

import heapq
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import numpy as np

from webgrain.arrays import Int32, UInt8, UInt16, UInt64
from webgrain.errors import InputError
from webgrain.page.dom import Dom, freeze
from webgrain.page.kernels.treepass import span_keys
from webgrain.page.links import AnchorTexts
from webgrain.page.page import Page
from webgrain.page.paths import (
    PathTable,
    Step,
    path_table,
    step_of,
    text_key,
)
from webgrain.page.strings import code_points, words_of
from webgrain.pagetypes.rawpaths import Texts, read_texts, snippets_of
from webgrain.pagetypes.thresholds import (
    MAX_CONTENT,
    MAX_QUERIES,
    MAX_QUERY,
    MAX_SNIPPET_PAGES,
    MAX_TEXT_PAGES,
    MENU_SHARE,
    MIN_QUERY,
)

T = TypeVar("T")

_SEPARATOR = "\0"
_INVISIBLE = frozenset(("script", "style", "noscript", "template", "head"))
_TITLE_PARTS = re.compile(r"\s+[-–—|·:»]\s+")


@dataclass(slots=True)
class PathCounts:
    """The paths and query words of the pages of a site.

    Attributes:
        vocabulary: the steps of all paths.
        ids: of the pages; records: the paths of each page.
        texts: where the query words are, for a sample of the pages with queries; queried: the pages with
            queries.
        snippets: the beginning of the text at each path, for a sample of the pages.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> counts = PathCounts()
    >>> counts.add(parse(Source("a", b"<h1>Blue lamp</h1>")), {"blue lamp": 3})
    >>> len(counts), counts.texts.kept[0].queries.tolist()
    (1, [1, 1])
    """

    vocabulary: Vocabulary = field(default_factory=lambda: Vocabulary())
    ids: list[str] = field(default_factory=list)
    records: list[PathRecord] = field(default_factory=list)
    texts: Sample[Texts] = field(default_factory=lambda: Sample(MAX_TEXT_PAGES))
    snippets: Sample[tuple[str, ...]] = field(default_factory=lambda: Sample(MAX_SNIPPET_PAGES))
    queried: set[int] = field(default_factory=set)

    def __len__(self) -> int:
        return len(self.ids)

    def add(self, page: Page, queries: Mapping[str, int] | None = None) -> None:
        """Add a page and its queries with their clicks."""
        dom, table, number = page.dom, path_table(page.dom), len(self.ids)
        self.ids.append(page.id)
        self.records.append(_path_record(dom, table, self.vocabulary))
        self.snippets.offer(number, page.id, lambda: snippets_of(dom, table))
        words = Counter(word for query in queries or () for word in words_of(query))
        if words:
            self.queried.add(number)
            self.texts.offer(number, page.id, lambda: read_texts(dom, table, words))

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
        self.queried |= {before + number for number in other.queried}
        self.texts.merge(other.texts, before, self.ids)
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
