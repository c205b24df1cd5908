"""Search for duplicates among pages and texts: from pages to texts with a main content, an index, and pairs.

`find_duplicates` is the public function. The commands work in steps: `page_texts` reads pages,
`duplicate_records` adds them to an index and returns a record per pair, and `find_clusters` does the same for
the sites of an audit from signatures made earlier. `Segments`, `landmark`, `informative` and `article` return
the candidates for the main content of a page; `webgrain.duplicates.repeats` chooses one of them.
"""

from __future__ import annotations

import json
import time
import warnings
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Literal, NamedTuple, cast, get_args

import numpy as np

from webgrain.arrays import Int64
from webgrain.duplicates.compare import Comparison, compare
from webgrain.duplicates.index import DuplicateIndex, storable
from webgrain.duplicates.minhash import MinHash
from webgrain.duplicates.partition import TaskRunner, make_plan, run_plan
from webgrain.duplicates.repeats import PageBuffer, PageText, Part
from webgrain.duplicates.search import DUPLICATE, VERDICTS, Pairs, Search, Verdict, find_pairs
from webgrain.engines import Engine
from webgrain.engines.guard import run_step
from webgrain.errors import InputError, ParameterError
from webgrain.io.read import as_sources
from webgrain.io.write import open_writer
from webgrain.page.addresses import addresses_of
from webgrain.page.page import Page, Source
from webgrain.page.text import texts_of, visible_text
from webgrain.pipeline import Item, Layout, Predictor, pages
from webgrain.report.site import DuplicateRow
from webgrain.results import Article, Failure, Segment, Segmentation, segments
from webgrain.segmentation.gcuts import GCuts
from webgrain.site.thresholds import MIN_IMPORTANCE, WAITING_PAIRS
from webgrain.site.workspace import read_signed, site_of

Record = dict[str, Any]
Size = Literal["text", "area", "leaves"]
"""Measures of the size of a segment: its characters, the area of its box, its leaves."""

Content = Callable[[Page], Sequence[Part]]
"""A function that returns the candidates for the main content of a page."""


@dataclass(frozen=True, slots=True, repr=False)
class Pair:
    """Two pages or texts that are duplicates.

    Attributes:
        a, b: their ids, or their positions if they were passed without ids.
        verdict: `Verdict`: "identical", "near-duplicate", "same-content" or "same-template".
        similarity: the similarity that decides the verdict, 0..1.
        page_similarity, content_similarity, frame_similarity: similarity of the whole texts, of the main
            contents and of the remaining texts, 0..1; None where a text is missing or too short.
        cluster: id of the first page of the cluster of both; None for "same-template".
    """

    a: Any
    b: Any
    verdict: Verdict
    similarity: float | None
    page_similarity: float | None
    content_similarity: float | None
    frame_similarity: float | None
    cluster: Any

    def __repr__(self) -> str:
        return f"Pair({self.a!r:.60}, {self.b!r:.60}, {self.verdict.value}, similarity={self.similarity})"


_EXPECTED = "find_duplicates expects texts, pairs of an id and a text, pages or a table with a column text"


def find_duplicates(
    items: Any,
    *deprecated: Any,
    threshold: float = 0.8,
    templates: bool = False,
    content: Content | None = None,
    on_failure: Callable[[Failure], object] | None = None,
) -> Iterator[Pair]:
    """Find the pairs of pages or texts that are duplicates.

    Args:
        items: texts (`str`), pairs of an id and a text, a table of pyarrow or pandas with the columns
            ``text`` and ``id`` or ``page``, or pages: `Page`, `Source`, `Path` (a file or a folder) or
            `bytes` (HTML). Texts are compared as they are; of a page the visible text and the main content
            are compared.
        *deprecated: an index and further arguments of the previous signature, which yielded records.
        threshold: similarity from which two texts are near-duplicates, 0.2..1.
        templates: also yield pages that share a template but not their content.
        content: returns the candidates for the main content of a page; None: its segments by GCuts.
        on_failure: called with each item that cannot be compared; None: one warning names the first of them.

    Raises:
        ParameterError: ``items`` has another type.

    >>> for pair in find_duplicates(["One two three.", "Something else.", "one, two, three"]):
    ...     print(pair.a, pair.b, pair.verdict, pair.similarity)
    0 2 near-duplicate 1.0
    """
    if deprecated:
        warnings.warn(
            "find_duplicates(texts, index) is deprecated: use find_duplicates(items), which yields pairs.",
            DeprecationWarning,
            stacklevel=2,
        )
        return cast("Iterator[Pair]", duplicate_records(items, *deprecated))
    method = MinHash(threshold=threshold)
    return _find_pairs(_listed(items), content or Segments(GCuts()), method, templates, on_failure)


def _listed(items: Any) -> Iterable[Any]:
    """Return the items; `ParameterError` if their type is not supported."""
    if isinstance(items, Path):
        return as_sources(items)
    columns = list(getattr(items, "column_names", getattr(items, "columns", ())))
    if columns:
        if "text" not in columns:
            raise ParameterError(f"{_EXPECTED}, got a table with the columns {', '.join(columns)}.")
        texts = [text or "" for text in _column(items, "text")]
        name = next((name for name in ("id", "page") if name in columns), None)
        return list(zip(_column(items, name), texts, strict=True)) if name else texts
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise ParameterError(f"{_EXPECTED}, got {type(items).__name__}.")
    if not isinstance(items, Sequence):
        return map(_checked, items)
    return [_checked(item) for item in items]


def _column(table: Any, name: str) -> list[Any]:
    column = table[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _checked(item: Any) -> Any:
    is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str)
    if not is_pair and not isinstance(item, str | bytes | Path | Source | Page | PageText | Failure):
        raise ParameterError(f"{_EXPECTED}, got {item!r:.60}.")
    return item


def _find_pairs(
    items: Iterable[Any],
    content: Content,
    method: MinHash,
    templates: bool,
    on_failure: Callable[[Failure], object] | None,
) -> Iterator[Pair]:
    ids: dict[str, Any] = {}  # of texts, by the names that they have in the index
    failures: list[Failure] = []
    with DuplicateIndex(None, method) as index:
        texts = _item_texts(items, content, ids)
        for result in duplicate_records(texts, index, search=Search(templates=templates)):
            if isinstance(result, dict):
                values = {name: result[name] for name in Pair.__slots__ if name in result}
                own = {name: ids.get(result[name], result[name]) for name in ("a", "b")}
                cluster = ids.get(result["representative"], result["representative"])
                verdict = Verdict(result["verdict"])
                yield Pair(**(values | own | {"verdict": verdict, "cluster": cluster}))
            elif isinstance(result, Failure):
                failure = replace(result, page=str(ids.get(result.page, result.page)))
                (on_failure or failures.append)(failure)
    if failures:
        first = failures[0]
        warnings.warn(
            f"{len(failures)} items are not compared, the first is {first.page}: {first.error}", stacklevel=2
        )


def _item_texts(items: Iterable[Any], content: Content, ids: dict[str, Any]) -> Iterator[PageText | Failure]:
    """Yield the items as texts; texts get numbered names, since their ids can be of any type."""
    for is_text, group in groupby(items, lambda item: isinstance(item, str | tuple | PageText)):
        if not is_text:
            yield from page_texts(as_sources(group), content)
            continue
        for item in group:
            if isinstance(item, PageText):
                yield item
                continue
            number = len(ids)
            name = f"text {number}"
            ids[name], text = item if isinstance(item, tuple) else (number, item)
            yield PageText(name, text)


@dataclass(frozen=True, slots=True)
class Segments:
    """Candidates for the main content: the segments of a page.

    Attributes:
        method: segments the pages.
        largest: measure of the size of a segment.

    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<p>Some words"))
    >>> Segments(GCuts())(page)
    [Part(text='Some words', size=10, path=('/html[1]',))]
    """

    method: Predictor
    largest: Size = "text"

    def __post_init__(self) -> None:
        if self.largest not in get_args(Size):
            raise ParameterError(f"largest must be one of {', '.join(get_args(Size))}, got {self.largest!r}.")

    def __call__(self, page: Page) -> list[Part]:
        """Return the segments of a page in document order."""
        found = segments(page, self.method.predict(page))
        texts = texts_of(page, [segment.roots for segment in found], separator="\n")
        roots = [node for segment in found for node in segment.roots]
        where = addresses_of(page.dom, roots)
        return [
            Part(
                text,
                self._size(segment, text),
                tuple(where[node][0] for node in segment.roots if node in where),
            )
            for segment, text in zip(found, texts, strict=True)
        ]

    def _size(self, segment: Segment, text: str) -> float:
        if self.largest == "area":
            return segment.box[2] * segment.box[3] if segment.box else 0.0
        return len(text) if self.largest == "text" else segment.leaves


def landmark(page: Page) -> list[Part]:
    """Return the element that a page marks as its main content, as the only candidate.

    It is the first ``main`` element, else the first element with the role ``main``, else the first
    ``article``; without any of them there is no candidate.

    >>> from webgrain.page.parsing import parse
    >>> [part.text for part in landmark(parse(Source("a", b"<nav>Home</nav><main>Some words</main>")))]
    ['Some words']
    """
    name = np.array(page.dom.tags, object)[page.dom.tag]
    role = np.array(page.dom.column("role"), object)
    for marked in (name == "main", role == "main", name == "article"):
        if marked.any():
            node = int(marked.argmax())
            return _only_part(page, [node], visible_text(page, node, separator="\n"))
    return []


def _only_part(page: Page, nodes: list[int], text: str) -> list[Part]:
    return [Part(text, len(text), tuple(xpath for xpath, _ in addresses_of(page.dom, nodes).values()))]


INFORMATIVE = frozenset(("content", "article"))
"""Roles of informative segments."""


def informative(cut: Callable[[Page], Segmentation]) -> Content:
    """Return a function that returns the informative segments of a page together as the only candidate.

    cut: returns segments with importance or roles. Segments are informative if their importance is at least
    `MIN_IMPORTANCE` or, without importance, if their role is in `INFORMATIVE`.

    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<p>Home<p>Some words"))  # html, head, body, p, text, p, text
    >>> labels = np.array([-1, -1, -1, 0, 0, 1, 1], np.int32)
    >>> cut = lambda page: Segmentation(labels, "by hand", importance=np.array([0.1, 0.9]))
    >>> [part.text for part in informative(cut)(page)]
    ['Some words']
    """

    def is_informative(segment: Segment) -> bool:
        if segment.importance is None:
            return segment.role in INFORMATIVE
        return segment.importance >= MIN_IMPORTANCE

    def find(page: Page) -> list[Part]:
        roots = sorted(
            node for each in segments(page, cut(page)) if is_informative(each) for node in each.roots
        )
        text = texts_of(page, [roots], separator="\n")[0]
        return _only_part(page, roots, text) if text else []

    return find


def article(read: Callable[[Page], Article]) -> Content:
    """Return a function that returns the text of the article on a page as the only candidate.

    read: extracts the article.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain import parts
    >>> read = lambda page: Article("article", blocks=(parts.Part("paragraph", 3, ("Some words",)),))
    >>> article(read)(parse(Source("a", b"<p>Some words<p>Imprint")))
    [Part(text='Some words', size=10, path=('/html[1]/body[1]/p[1]',))]
    """

    def find(page: Page) -> list[Part]:
        found = read(page)
        return _only_part(page, found.nodes, found.text) if found.text else []

    return find


def page_texts(
    items: Iterable[Item], content: Content | None = None, layout: Layout | None = None
) -> Iterator[PageText | Failure]:
    """Yield the texts of what `webgrain.read` yields, page by page.

    content: returns the candidates for the main content; None: there are none.

    >>> [text] = page_texts([Source("a", b"<p>Some words")])
    >>> text.text
    'Some words'
    """
    for page in pages(items, layout):
        yield run_step(page, "content", partial(_page_text, content=content))


def _page_text(page: Page, content: Content | None) -> PageText:
    parts = tuple(content(page)) if content else ()
    return PageText(page.id, visible_text(page, separator="\n"), parts, page.url)


def duplicate_records(
    texts: Iterable[PageText | Failure],
    index: DuplicateIndex,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
) -> Iterator[PageText | Failure | Record]:
    """Add pages to an index, and find their duplicates in it, among themselves and in an older index.

    Yields the texts and failures first, so that progress can be shown, then a record for each pair with at
    least one page of ``texts``. Pages that are already in the index are not added again.

    >>> with DuplicateIndex() as index:
    ...     texts = [PageText(name, "The same few words.") for name in "ab"]
    ...     record = list(duplicate_records(texts, index))[-1]
    >>> record["a"], record["b"], record["verdict"], record["similarity"]
    ('a', 'b', 'identical', 1.0)
    """
    numbers = []
    with PageBuffer() as buffer:
        buffer.add_counts(index.repeated_lines())
        if older:
            buffer.set_other_counts(older.repeated_lines())
        for text in texts:
            if isinstance(text, PageText):
                buffer.add(text, count=not index.holds(text.id, text.text))
            yield text
        for document in buffer.documents():
            number = index.add(document)
            if isinstance(number, Failure):
                yield number
            else:
                numbers.append(number)
        index.store_repeated_lines(buffer.counts())
    first = len(older) if older else 0
    yield from duplicates_of(index, np.array(numbers, np.int64) + first, older, search)


def duplicates_of(
    index: DuplicateIndex,
    wanted: Int64 | None = None,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
) -> Iterator[Record]:
    """Yield the records of the pairs in an index, or in an index and an older one.

    wanted (n,): numbers of pages of which each pair contains at least one, those of the older index first;
    None: all pages.
    """
    indexes = [older, index] if older else [index]
    first = len(older) if older else 0

    def entry(number: int) -> _Entry:
        if older and number < first:
            return (*older.entry(number), True)
        return (*index.entry(number - first), False)

    pairs = find_pairs(indexes, wanted, search)
    yield from _records(pairs, _clusters([pairs]), entry)


def duplicates_in_parts(
    indexes: Sequence[Path], folder: Path, engine: TaskRunner, search: Search | None = None
) -> Iterator[Record]:
    """Yield the records of the pairs in several indexes, which are searched as one by the tasks of an engine.

    folder: where the tasks write, see `webgrain.duplicates.partition.find_pairs_in_parts`. Clusters are
    computed here and take 16 bytes of memory per pair.

    >>> import tempfile
    >>> from webgrain.duplicates.index import Document
    >>> from webgrain.engines.local import Local
    >>> with tempfile.TemporaryDirectory() as name:
    ...     paths = [Path(name) / "a.db", Path(name) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(Document(path.stem, "The same few words."))
    ...     [(x["a"], x["b"], x["verdict"]) for x in duplicates_in_parts(paths, Path(name), Local(1))]
    [('a', 'b', 'identical')]
    """
    plan = make_plan(indexes, folder, search)
    grouped = _clusters(run_plan(plan, engine))
    for pairs in run_plan(plan, engine):  # all tasks are done: the results are read again
        representatives = _cluster_of(pairs, grouped)
        numbers = np.concatenate([pairs.a, pairs.b, representatives[representatives >= 0]])
        entries = {number: (*entry, False) for number, entry in plan.entries(numbers).items()}
        yield from _records(pairs, grouped, entries.__getitem__)


class Clusters(NamedTuple):
    """Clusters of pages.

    page (n,): numbers of the pages that are in a cluster, ascending; representative (n,): the first page of
    the cluster of each, whose number also identifies the cluster.
    """

    page: Int64
    representative: Int64

    def of(self, pages: Int64) -> Int64:
        """Return the representatives (p,) of pages (p,) that are in clusters."""
        found: Int64 = self.representative[np.searchsorted(self.page, pages)]
        return found


def clusters(a: Int64, b: Int64) -> Clusters:
    """Return the connected components of the pairs a, b (p,) of pages; other pages are in no cluster.

    >>> clusters(np.array([1, 4, 2]), np.array([2, 7, 9]))
    Clusters(page=array([1, 2, 4, 7, 9]), representative=array([1, 1, 4, 4, 1]))
    """
    page, place = np.unique(np.concatenate([a, b]), return_inverse=True)
    left, right = place[: len(a)], place[len(a) :]
    first = np.arange(len(page))
    while True:
        least = np.minimum(first[left], first[right])
        lower = first.copy()
        for end in (left, right):  # both ends of a pair, and their representatives, get the lower one
            np.minimum.at(lower, first[end], least)
        lower = np.minimum(lower, lower[lower])
        while (lower[lower] != lower).any():
            lower = lower[lower]
        if (lower == first).all():
            return Clusters(page, page[first])
        first = lower


def _clusters(parts: Iterable[Pairs]) -> Clusters:
    """Return the clusters of the pairs that are duplicates."""
    ends = [np.zeros((2, 0), np.int64)]
    for pairs in parts:
        same = pairs.verdict <= DUPLICATE
        ends.append(np.stack([pairs.a[same], pairs.b[same]]))
    return clusters(*np.concatenate(ends, axis=1))


def _cluster_of(pairs: Pairs, grouped: Clusters) -> Int64:
    """Return the cluster (p,) of each pair; -1 for a pair that is not a duplicate."""
    of_pair = np.full(len(pairs), -1, np.int64)
    same = pairs.verdict <= DUPLICATE
    of_pair[same] = grouped.of(pairs.a[same])
    return of_pair


_Entry = tuple[str, str | None, tuple[str, ...], bool]
"""A page: its id, its URL, the XPaths of its main content, and whether it is in the older index."""


def _records(pairs: Pairs, grouped: Clusters, entry: Callable[[int], _Entry]) -> Iterator[Record]:
    for k, cluster in enumerate(_cluster_of(pairs, grouped).tolist()):
        a, b = entry(int(pairs.a[k])), entry(int(pairs.b[k]))
        verdict = VERDICTS[pairs.verdict[k]]
        values = (float(column[k]) for column in (pairs.whole, pairs.content, pairs.frame))
        whole, content, frame = (None if np.isnan(value) else round(value, 3) for value in values)
        deciding = {Verdict.IDENTICAL: 1.0, Verdict.SAME_CONTENT: content, Verdict.SAME_TEMPLATE: frame}
        yield {
            "a": a[0],
            "b": b[0],
            "verdict": verdict.value,
            "similarity": deciding.get(verdict, whole),
            "page_similarity": whole,
            "content_similarity": content,
            "frame_similarity": frame,
            "a_url": a[1],
            "b_url": b[1],
            "a_content": list(a[2]),
            "b_content": list(b[2]),
            "a_older": a[3],
            "cluster": cluster if cluster >= 0 else None,
            "representative": entry(cluster)[0] if cluster >= 0 else None,
        }


def compare_pages(texts: Iterable[PageText | Failure], threshold: float = 0.8) -> Comparison:
    """Compare two pages side by side; `InputError` unless there are two pages that can be read.

    >>> compare_pages([PageText("a", "Some words."), PageText("b", "Others.")]).verdict.value
    'distinct'
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, got {threshold}.")
    items = list(texts)
    for item in items:
        if isinstance(item, Failure):
            raise InputError(f"{item.page} cannot be compared: {item.error}")
    if len(items) != 2:
        raise InputError(f"Expected two pages to compare, got {len(items)}.")
    page_pair = [item for item in items if isinstance(item, PageText)]
    with PageBuffer() as buffer:
        for text in page_pair:
            buffer.add(text)
        return compare(page_pair, list(buffer.documents()), threshold)


PageClusters = dict[str, tuple[int, str]]
"""Number and first page of the cluster of a page, by the id of the page."""

_COLUMNS = (
    *("a", "b", "verdict", "similarity", "page_similarity", "content_similarity", "frame_similarity"),
    *("a_url", "b_url", "cluster", "representative"),
)
"""Columns of the table of pairs; the other fields of a record belong to ``webgrain dupes``."""


@dataclass(frozen=True, slots=True)
class IndexTask:
    """A task: parts whose signatures are added to an index, and the file of the index."""

    parts: tuple[Path, ...]
    index: Path


def build_index(task: IndexTask) -> float:
    """Add the signatures of parts to an index; return the seconds of CPU time.

    Pages that are already in the index are not added again.
    """
    start = time.process_time()
    with DuplicateIndex(task.index) as signatures:
        for part in task.parts:
            for document, signed in read_signed(part):
                signatures.add_signed(document, signed)
        signatures.commit()
    return time.process_time() - start


def find_clusters(
    indexes: Sequence[Path],
    table: Path,
    between: Path,
    engine: Engine,
    keep: Callable[[Record], object] = lambda record: None,
) -> PageClusters:
    """Write the pairs of duplicates to a CSV table, and return their clusters.

    indexes: of all sites; between: folder for the tasks of a search in several indexes; keep: called with
    each pair. Clusters are numbered from 1, in the order of their first pairs.
    """
    found: PageClusters = {}
    numbers: dict[int, int] = {}
    with open_writer("csv", table, _COLUMNS) as pairs:
        for record in _pairs(indexes, between, engine):
            if record["cluster"] is not None:
                record["cluster"] = numbers.setdefault(record["cluster"], len(numbers) + 1)
            pairs.write({name: record[name] for name in _COLUMNS})
            keep(record)
            if record["cluster"] is not None:
                of = record["cluster"], record["representative"]
                found[record["a"]] = found[record["b"]] = of
    return found


def _pairs(indexes: Sequence[Path], between: Path, engine: Engine) -> Iterator[Record]:
    if len(indexes) == 1:
        with DuplicateIndex(indexes[0], read_only=True) as signatures:
            yield from duplicates_of(signatures)
    elif indexes:
        between.mkdir(exist_ok=True)
        yield from duplicates_in_parts(indexes, between, engine)


class PairsBySite:
    """Writes pairs to the files of the sites of their pages. files: the file of each site, by its name.

    >>> import tempfile
    >>> rest = {"verdict": "identical", "similarity": 1.0, "cluster": 0}
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = {"a.org": Path(name) / "a", "b.org": Path(name) / "b"}
    ...     with PairsBySite(files) as pairs:
    ...         pairs.keep({"a": "1", "b": "2", "a_url": "http://a.org/1", "b_url": "http://a.org/2"} | rest)
    ...     [[(pair.a, pair.b, pair.verdict) for pair in read_pairs(path)] for path in files.values()]
    [[('1', '2', 'identical')], []]
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = {storable(site): path for site, path in files.items()}
        self._lines: dict[Path, list[str]] = defaultdict(list)
        self._waiting = 0

    def __enter__(self) -> PairsBySite:
        """Delete existing files."""
        for path in self._files.values():
            path.unlink(missing_ok=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write the pairs in memory, unless there was an error."""
        if kind is None:
            self._write()

    def keep(self, record: Record) -> None:
        """Write a pair, or keep it in memory for now."""
        line = json.dumps([record[name] for name in ("a", "b", "verdict", "similarity", "cluster")]) + "\n"
        sites = {site_of(record["a_url"]), site_of(record["b_url"])}
        for site in sites & self._files.keys():
            self._lines[self._files[site]].append(line)
        self._waiting += 1
        if self._waiting == WAITING_PAIRS:
            self._write()

    def _write(self) -> None:
        for path, lines in self._lines.items():
            with path.open("a", encoding="utf-8") as file:
                file.writelines(lines)
        self._lines.clear()
        self._waiting = 0


def read_pairs(path: Path) -> Iterator[DuplicateRow]:
    """Yield the pairs in the file of a site; none if the file does not exist."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield DuplicateRow(*json.loads(line))
