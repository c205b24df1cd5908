"""Search for duplicates among pages and texts: from pages to sketches, an index, and pairs.

`find_duplicates` is the public function. The commands work in steps: `texts_to_compare` reads pages,
`duplicate_records` adds them to an index and returns a record per pair, `duplicates_of` finds the pairs of an
index, and `duplicates_in_parts` those of several indexes with the tasks of an engine. An audit stores the
sketches of its pages first (`sketch_cells`, `read_sketches`). `published_records` is the published test.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.base.arrays import Int64, UInt64
from webgrain.base.errors import InputError, ParameterError
from webgrain.base.failures import Failure
from webgrain.base.iterators import OneAtATime
from webgrain.duplicates.compare import Comparison, compare_texts
from webgrain.duplicates.index import DuplicateIndex, IndexEntry
from webgrain.duplicates.partition import make_plan, run_plan
from webgrain.duplicates.search import (
    DUPLICATE,
    PAIR_VERDICTS,
    Clusters,
    Pairs,
    PairVerdict,
    Search,
    clusters_of,
    find_pairs,
    meetings,
)
from webgrain.duplicates.shingles import Shingles, words_of_page
from webgrain.duplicates.sketches import FACTS, PageText, Sketch, make_sketch, site_name
from webgrain.engines import Engine
from webgrain.engines.groups import run_in_turns, single_step
from webgrain.engines.guard import run_step
from webgrain.io.read import Item, read
from webgrain.io.write import Record
from webgrain.page.page import Page, Source
from webgrain.page.segmentation import segments
from webgrain.page.text import texts_of, visible_text
from webgrain.site.pipeline import Layout, Predictor, pages, parsed_groups
from webgrain.site.tables import ColumnTypes, TableRow, read_rows
from webgrain.site.thresholds import DIFFERENCE


def find_duplicates(
    items: Any,
    *,
    threshold: float | None = None,
    templates: bool = False,
    on_failure: Callable[[Failure], object] | None = None,
) -> Iterator[Pair]:
    """Find the pairs of pages or texts of which one repeats the other.

    Pages are compared by what is specific to them within their site, see `webgrain.duplicates.search`.

    Args:
        items: texts (`str`), pairs of an id and a text, a table of pyarrow or pandas with the columns
            ``text`` and ``id`` or ``page``, or pages: `Page`, `Source`, `Path` (a file or a folder) or
            `bytes` (HTML). Texts belong to no site: they are compared as they are.
        threshold: resemblance from which two of them are near-duplicates, above 0 to 1; None: as learnt for
            pages of one site, .5 on a site of few pages, .15 for others.
        templates: also yield pages that share a template but not their content, or have too little text for a
            verdict.
        on_failure: called with each item that cannot be compared; None: one warning names the first of them.

    Raises:
        ParameterError: ``items`` has another type.

    >>> text = "The boat came back to the harbour in the evening"
    >>> for pair in find_duplicates([f"{text}.", "Something else.", text.upper()]):
    ...     print(pair.a, pair.b, pair.verdict, pair.similarity)
    0 2 same-page 1.0
    """
    pairs = _find_pairs(_listed(items), Search(check_threshold(threshold), templates), on_failure)
    return OneAtATime(pairs, "pairs", "compared")


@dataclass(frozen=True, slots=True, repr=False)
class Pair:
    """Two pages or texts of which at least one contains much of the other.

    Attributes:
        a, b: their ids, or their positions if they were passed without ids.
        verdict: `PairVerdict`: "same-page", "same-content", "near-duplicate" or "contains"; on request also
            "same-template" or "too-little-text".
        similarity: resemblance of what is specific to both, 0..1; None if one has nothing specific.
        a_in_b, b_in_a: share of what is specific to a that b contains, 0..1, and the reverse.
        a_specific, b_specific: estimated number of specific shingles.
        a_only, b_only: the beginning of the text that only one of them has; None if it is not known.
        cluster: id of the first page of the cluster of both; None if they are no duplicates.
    """

    a: Any
    b: Any
    verdict: PairVerdict
    similarity: float | None
    a_in_b: float | None
    b_in_a: float | None
    a_specific: int
    b_specific: int
    a_only: str | None
    b_only: str | None
    cluster: Any

    def __repr__(self) -> str:
        return f"Pair({self.a!r:.60}, {self.b!r:.60}, {self.verdict.value}, similarity={self.similarity})"


def check_threshold(threshold: float | None) -> float | None:
    """Return a threshold; `ParameterError` if it is not above 0 and at most 1."""
    if threshold is not None and not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, got {threshold}.")
    return threshold


_EXPECTED = "find_duplicates expects texts, pairs of an id and a text, pages or a table with a column text"


def _listed(items: Any) -> Iterable[Any]:
    """Return the items; `ParameterError` if their type is not supported."""
    if isinstance(items, Path):
        return read(items)
    columns = list(getattr(items, "column_names", getattr(items, "columns", ())))
    if columns:
        return _table_texts(items, columns)
    if isinstance(items, str | bytes | Mapping) or not isinstance(items, Iterable):
        raise ParameterError(f"{_EXPECTED}, got {type(items).__name__}.")
    if not isinstance(items, Sequence):
        return map(_checked, items)
    return [_checked(item) for item in items]


def _table_texts(table: Any, columns: Sequence[str]) -> list[Any]:
    """Return the texts of a table of pyarrow or pandas, with their ids if it has them."""
    if "text" not in columns:
        raise ParameterError(f"{_EXPECTED}, got a table with the columns {', '.join(columns)}.")
    texts = [text or "" for text in _column(table, "text")]
    for name in ("id", "page"):
        if name in columns:
            return list(zip(_column(table, name), texts, strict=True))
    return texts


def _column(table: Any, name: str) -> list[Any]:
    column = table[name]
    return column.to_pylist() if hasattr(column, "to_pylist") else list(column)


def _checked(item: Any) -> Any:
    is_pair = isinstance(item, tuple) and len(item) == 2 and isinstance(item[1], str)
    if not is_pair and not isinstance(item, str | bytes | Path | Source | Page | PageText | Failure):
        raise ParameterError(f"{_EXPECTED}, got {item!r:.60}.")
    return item


def _find_pairs(
    items: Iterable[Any], search: Search, on_failure: Callable[[Failure], object] | None
) -> Iterator[Pair]:
    ids: dict[str, Any] = {}  # of texts, by the names that they have in the index
    failures: list[Failure] = []
    with DuplicateIndex() as index:
        for result in duplicate_records(_item_texts(items, ids), index, search=search):
            if isinstance(result, dict):
                yield _pair(result, ids)
            elif isinstance(result, Failure):
                failure = replace(result, page=str(ids.get(result.page, result.page)))
                (on_failure or failures.append)(failure)
    if failures:
        first = failures[0]
        warnings.warn(
            f"{len(failures)} items are not compared, the first is {first.page}: {first.error}", stacklevel=2
        )


def _pair(record: Record, ids: Mapping[str, Any]) -> Pair:
    """Return the pair of a record; ids: of texts, by their names in the index."""
    values = {name: record[name] for name in Pair.__slots__ if name in record}
    for name in ("a", "b"):
        values[name] = ids.get(record[name], record[name])
    values["verdict"] = PairVerdict(record["verdict"])
    values["cluster"] = ids.get(record["representative"], record["representative"])
    return Pair(**values)


def _item_texts(items: Iterable[Any], ids: dict[str, Any]) -> Iterator[PageText | Failure]:
    """Yield the items as texts; texts get numbered names, since their ids can be of any type."""
    for is_text, group in groupby(items, lambda item: isinstance(item, str | tuple | PageText)):
        if not is_text:
            yield from texts_to_compare(read(group))
            continue
        for item in group:
            if isinstance(item, PageText):
                yield item
                continue
            number = len(ids)
            name = f"text {number}"
            if isinstance(item, tuple):
                ids[name], text = item
            else:
                ids[name], text = number, item
            yield PageText(name, text)


def texts_to_compare(items: Iterable[Item]) -> Iterator[PageText | Failure]:
    """Yield the texts of what `webgrain.read` yields, page by page, without a layout.

    >>> [text] = texts_to_compare([Source("a", b"<title>A</title><p>Some words")])
    >>> text.text, text.title
    ('Some words', 'A')
    """
    for group in parsed_groups(items):
        yield from run_in_turns(group, "text", single_step(text_to_compare))


def text_to_compare(page: Page, site: str | None = None) -> PageText:
    """Return the text of a page; site: None for the host of its URL, see `site_name`."""
    site = site_name(page.id, page.url) if site is None else site
    return _page_text(page, visible_text(page, separator="\n"), site)


def _page_text(page: Page, text: str, site: str) -> PageText:
    title, heading = page.dom.first_texts("title", "h1")
    return PageText(page.id, text, page.url, title, heading, site)


SKETCH_COLUMNS: ColumnTypes = (("facts", "binary"), ("hashes", "binary"))
"""Columns of a table with the sketches of pages."""


def sketch_cells(page: Page, site: str) -> TableRow:
    """Return the sketch of a page as cells in the columns `SKETCH_COLUMNS`; site: its name."""
    sketch = make_sketch(_page_text(page, "", site), words_of_page(page))
    return {"facts": sketch.facts.tobytes(), "hashes": sketch.hashes.astype("<u8").tobytes()}


def read_sketches(table: Path) -> Iterator[tuple[str, str | None, Sketch]]:
    """Yield the id, the URL and the sketch of each page of a table."""
    for row in read_rows(table, ["page", "url", "facts", "hashes"]):
        facts = np.frombuffer(row["facts"], FACTS)[0]
        hashes = np.frombuffer(row["hashes"], "<u8")
        yield row["page"], row["url"], Sketch(facts, hashes)


def duplicate_records(
    texts: Iterable[PageText | Failure],
    index: DuplicateIndex,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
) -> Iterator[PageText | Failure | Record]:
    """Add pages to an index, and find their duplicates in it, among themselves and in an older index.

    Yields the texts and failures first, so that progress can be shown, then a record for each pair with at
    least one page of ``texts``; before the record of a pair whose differences cannot be computed, the failure
    of its second page. Pages that are already in the index are not added again.

    >>> with DuplicateIndex() as index:
    ...     texts = [PageText(name, "The same few words.") for name in "ab"]
    ...     record = list(duplicate_records(texts, index))[-1]
    >>> record["a"], record["b"], record["verdict"], record["similarity"]
    ('a', 'b', 'same-page', 1.0)
    """
    numbers = []
    first = len(older) if older else 0
    with closing(_StoredTexts()) as stored:
        for text in texts:
            if isinstance(text, PageText):
                number = run_step(text, "dupes", index.add)
                if isinstance(number, Failure):
                    yield number
                    continue
                numbers.append(first + number)
                stored.add(first + number, text)
            yield text
        wanted = np.unique(np.array(numbers, np.int64))
        failures: list[Failure] = []

        def differences(record: Record, a: int, b: int) -> Record:
            page = IndexEntry(record["b"], record["b_url"])
            texts = stored.get(a), stored.get(b)
            made = run_step(page, "compare", lambda _: text_differences(record["verdict"], *texts))
            if isinstance(made, Failure):
                failures.append(made)
                return {}
            return made

        for record in duplicates_of(index, wanted, older, search, differences):
            yield from failures
            failures.clear()
            yield record


def duplicates_of(
    index: DuplicateIndex,
    wanted: Int64 | None = None,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
    differences: Callable[[Record, int, int], Record] = lambda record, a, b: {},
) -> Iterator[Record]:
    """Yield the records of the pairs in an index, or in an index and an older one.

    wanted (n,): numbers of pages of which each pair contains at least one, those of the older index first;
    None: all pages. differences: returns ``a_only`` and ``b_only`` of a pair, if they are known, by its
    record and the numbers of its pages.
    """
    first = len(older) if older else 0

    def entry(number: int) -> IndexEntry:
        return older.entry(number) if older and number < first else index.entry(number - first)

    indexes = [older, index] if older else [index]
    pairs = find_pairs(indexes, wanted, search)
    clusters = clusters_of([pairs])
    for number, record in enumerate(_records(pairs, clusters, entry)):
        a = int(pairs.a[number])
        b = int(pairs.b[number])
        record["a_older"] = a < first
        record |= differences(record, a, b)
        yield record


def duplicates_in_parts(
    indexes: Sequence[Path], folder: Path, engine: Engine, search: Search | None = None
) -> Iterator[Record]:
    """Yield the records of the pairs in several indexes, which are searched as one by the tasks of an engine.

    folder: where the tasks write, see `webgrain.duplicates.partition.find_pairs_in_parts`. Clusters are
    computed here and take 16 bytes of memory per pair.

    >>> import tempfile
    >>> class Here:
    ...     def map(self, task, arguments):
    ...         return ((argument, task(argument)) for argument in arguments)
    >>> with tempfile.TemporaryDirectory() as name:
    ...     paths = [Path(name) / "a.db", Path(name) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(PageText(path.stem, "The same few words."))
    ...     [(x["a"], x["b"], x["verdict"]) for x in duplicates_in_parts(paths, Path(name), Here())]
    [('a', 'b', 'same-page')]
    """
    plan = make_plan(indexes, folder, search)
    clusters = clusters_of(run_plan(plan, engine))
    for pairs in run_plan(plan, engine):  # all tasks are done: the results are read again
        cluster_of_pair = _clusters_of_pairs(pairs, clusters)
        representatives = cluster_of_pair[cluster_of_pair >= 0]
        entries = plan.entries(np.concatenate([pairs.a, pairs.b, representatives]))
        yield from _records(pairs, clusters, entries.__getitem__)


def _clusters_of_pairs(pairs: Pairs, clusters: Clusters) -> Int64:
    """Return the cluster (p,) of each pair, the number of its first page; -1 for no duplicates."""
    cluster_of_pair = np.full(len(pairs), -1, np.int64)
    same = pairs.verdict <= DUPLICATE
    cluster_of_pair[same] = clusters.of(pairs.a[same])
    return cluster_of_pair


def _records(
    pairs: Pairs, clusters: Clusters, entry: Callable[[int], IndexEntry]
) -> Iterator[dict[str, Any]]:
    """Yield the records of pairs; entry: returns a page by its number."""
    for k, cluster in enumerate(_clusters_of_pairs(pairs, clusters).tolist()):
        a = entry(int(pairs.a[k]))
        b = entry(int(pairs.b[k]))
        verdict = PAIR_VERDICTS[pairs.verdict[k]]
        similarity: float | None = 1.0
        a_in_b: float | None = 1.0
        b_in_a: float | None = 1.0
        if verdict is not PairVerdict.SAME_PAGE:
            similarity = _share(pairs.resemblance[k])
            a_in_b = _share(pairs.in_b[k])
            b_in_a = _share(pairs.in_a[k])
        yield {
            "a": a.id,
            "b": b.id,
            "verdict": verdict.value,
            "similarity": similarity,
            "a_in_b": a_in_b,
            "b_in_a": b_in_a,
            "a_specific": round(pairs.specific_a[k]),
            "b_specific": round(pairs.specific_b[k]),
            "a_only": None,
            "b_only": None,
            "a_url": a.url,
            "b_url": b.url,
            "a_older": False,
            "cluster": cluster if cluster >= 0 else None,
            "representative": entry(cluster).id if cluster >= 0 else None,
        }


def text_differences(verdict: str, a: PageText | None, b: PageText | None) -> dict[str, Any]:
    """Return the beginning of the text that only one of two pages has, if their texts are known.

    verdict: on the pages. The keys are ``a_only`` and ``b_only``.
    """
    if a is None or b is None:
        return {}
    comparison = compare_texts(a, b, verdict=PairVerdict(verdict))
    return {"a_only": comparison.left.only(DIFFERENCE), "b_only": comparison.right.only(DIFFERENCE)}


class _StoredTexts:
    """The texts of pages by number, in a temporary file."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed by close
        self._place: dict[int, tuple[int, int]] = {}
        self._end = 0

    def close(self) -> None:
        self._file.close()

    def add(self, number: int, page: PageText) -> None:
        text = page.text.encode("utf-8", "surrogatepass")
        self._file.write(text)
        self._place[number] = self._end, len(text)
        self._end += len(text)

    def get(self, number: int) -> PageText | None:
        if number not in self._place:
            return None
        start, size = self._place[number]
        self._file.seek(start)
        return PageText(str(number), self._file.read(size).decode("utf-8", "surrogatepass"))


def _share(value: float) -> float | None:
    """Return a share as it is written; None for nan."""
    return None if np.isnan(value) else round(float(value), 3)


def keep_rows(records: Iterable[Record], names: Iterable[str]) -> Iterator[Record]:
    """Yield for each page whether to keep it: the first page of each cluster, and pages in no cluster.

    records: of pairs; names: ids of all pages.

    >>> pair = {"a": "a", "b": "b", "cluster": 0, "representative": "a"}
    >>> [(row["page"], row["keep"], row["representative"]) for row in keep_rows([pair], ["a", "b", "c"])]
    [('a', True, 'a'), ('b', False, 'a'), ('c', True, None)]
    """
    clusters: dict[str, tuple[int, str]] = {}
    for record in records:
        if record["cluster"] is not None:
            cluster_and_first = record["cluster"], record["representative"]
            clusters[record["a"]] = cluster_and_first
            clusters[record["b"]] = cluster_and_first
    for name in names:
        cluster, first = clusters.get(name, (None, None))
        yield {"page": name, "keep": first in (None, name), "cluster": cluster, "representative": first}


def compare_pages(texts: Iterable[PageText | Failure], threshold: float | None = None) -> Comparison:
    """Compare two pages side by side; `InputError` unless there are two pages that can be read.

    >>> compare_pages([PageText("a", "Some words."), PageText("b", "Others.")]).verdict.value
    'distinct'
    """
    check_threshold(threshold)
    items = list(texts)
    for item in items:
        if isinstance(item, Failure):
            raise InputError(f"{item.page} cannot be compared: {item.error}")
    if len(items) != 2:
        raise InputError(f"Expected two pages to compare, got {len(items)}.")
    left, right = (item for item in items if isinstance(item, PageText))
    compared = run_step(left, "compare", lambda left: compare_texts(left, right, threshold))
    if isinstance(compared, Failure):
        raise InputError(f"{left.id} and {right.id} cannot be compared: {compared.error}")
    return compared


def largest_segment(method: Predictor) -> Callable[[Page], str]:
    """Return a function that returns the text of the segment of a page with the most text.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.learntcut import LearntCut
    >>> largest_segment(LearntCut())(parse("<p>Some words"))
    'Some words'
    """

    def largest_text(page: Page) -> str:
        roots = [segment.roots for segment in segments(page, method.predict(page))]
        texts = texts_of(page, roots, separator="\n")
        return max(texts, key=len, default="")

    return largest_text


def published_records(
    items: Iterable[Item], content: Callable[[Page], str], method: Shingles, layout: Layout | None = None
) -> Iterator[Page | Failure | Record]:
    """Yield the pages, then a record for each pair of duplicates by the published test.

    content: returns the text that is compared: that of the largest segment in the paper.

    >>> items = [Source(name, b"<p>The same few words as on the other page of this site") for name in "ab"]
    >>> [*_, record] = published_records(items, visible_text, Shingles())
    >>> record["a"], record["b"], record["similarity"]
    ('a', 'b', 7)
    """
    names = []
    signatures = []
    for page in pages(items, layout):
        signature = run_step(page, "content", lambda page: method.signature(content(page)))
        if isinstance(page, Failure):
            yield page
            continue
        if isinstance(signature, Failure):
            yield signature
            continue
        names.append((page.id, page.url))
        signatures.append(signature)
        yield page
    for a, b, shared in _shared_shingles(signatures):
        if shared >= method.shared:
            a_id, a_url = names[a]
            b_id, b_url = names[b]
            yield {
                "a": a_id,
                "b": b_id,
                "verdict": PairVerdict.NEAR_DUPLICATE.value,
                "similarity": shared,
                "a_url": a_url,
                "b_url": b_url,
            }


def _shared_shingles(signatures: Sequence[UInt64]) -> Iterator[tuple[int, int, int]]:
    """Yield the pairs of texts that share shingles, by their numbers, and how many they share."""
    hashes = np.concatenate([np.zeros(0, np.uint64), *signatures])
    text_of_hash = np.repeat(np.arange(len(signatures)), list(map(len, signatures)))
    order = np.argsort(hashes, kind="stable")
    many = len(signatures)
    codes = [np.zeros(0, np.int64)]
    for a, b in meetings(text_of_hash[order], hashes[order]):
        codes.append(a * many + b)
    pairs, times = np.unique(np.concatenate(codes), return_counts=True)
    for pair, shared in zip(pairs.tolist(), times.tolist(), strict=True):
        yield pair // many, pair % many, shared
