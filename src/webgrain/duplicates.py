"""Join the stages: pages become texts with a main content, these an index, its pairs records."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from webgrain.dedup.clusters import Clusters, clusters
from webgrain.dedup.compare import Comparison, compare
from webgrain.dedup.partition import entries_of, pairs_of, plan_of
from webgrain.dedup.repeats import Crawl, PageText
from webgrain.dedup.search import Search, find_pairs
from webgrain.dedup.verdict import DUPLICATE, VERDICTS, Verdict
from webgrain.errors import InputError, ParameterError
from webgrain.page.text import visible_text
from webgrain.pipeline import pages
from webgrain.results import Failure
from webgrain.run.attempt import attempt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from pathlib import Path

    from numpy.typing import NDArray

    from webgrain.dedup.index import DuplicateIndex
    from webgrain.dedup.partition import Engine
    from webgrain.dedup.referee import Pairs
    from webgrain.maincontent import Content
    from webgrain.page.page import Page
    from webgrain.pipeline import Item, Layout

Record = dict[str, Any]


def page_texts(
    items: Iterable[Item], content: Content | None = None, layout: Layout | None = None
) -> Iterator[PageText | Failure]:
    """Read what `webgrain.read` yields as texts, one page at a time.

    content: what finds the candidates for the main content (`webgrain.maincontent`); None: none are looked
    for.

    >>> from webgrain.page.page import Source
    >>> [text] = page_texts([Source("a", b"<p>Some words")])
    >>> text.text
    'Some words'
    """
    for page in pages(items, layout):
        yield attempt(page, "content", partial(_page_text, content=content))


def _page_text(page: Page, content: Content | None) -> PageText:
    parts = tuple(content(page)) if content else ()
    return PageText(page.id, visible_text(page, separator="\n"), parts, page.url)


def find_duplicates(
    texts: Iterable[PageText | Failure],
    index: DuplicateIndex,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
) -> Iterator[PageText | Failure | Record]:
    """Put pages into an index and find what they duplicate: in it, among themselves, in an older index.

    Gives back the texts and failures that come, so that progress can be seen, then a record per pair of pages
    of which at least one is among ``texts``. Pages that are in the index already are not added again.

    >>> from webgrain.dedup.index import DuplicateIndex
    >>> with DuplicateIndex() as index:
    ...     texts = [PageText(name, "The same few words.") for name in "ab"]
    ...     record = list(find_duplicates(texts, index))[-1]
    >>> record["a"], record["b"], record["verdict"], record["similarity"]
    ('a', 'b', 'identical', 1.0)
    """
    asked = []
    with Crawl() as crawl:
        crawl.resume(index.repeated())
        if older:
            crawl.know(older.repeated())
        for text in texts:
            if isinstance(text, PageText):
                crawl.add(text, count=not index.holds(text.id, text.text))
            yield text
        for document in crawl.documents():
            number = index.add(document)
            if isinstance(number, Failure):
                yield number
            else:
                asked.append(number)
        index.remember(crawl.counted())
    first = len(older) if older else 0
    yield from duplicates_of(index, np.array(asked, np.int64) + first, older, search)


def duplicates_of(
    index: DuplicateIndex,
    asked: NDArray[np.int64] | None = None,
    older: DuplicateIndex | None = None,
    search: Search | None = None,
) -> Iterator[Record]:
    """Go through the records of the pairs in an index, or between it and an older one.

    asked (n,): numbers of pages of which at least one is in each pair, those of the older index first; None:
    any.
    """
    indexes = [older, index] if older else [index]
    pairs = find_pairs(indexes, asked, search)
    of_pair = _cluster_of(pairs, _clusters([pairs]))
    shelf = _Entries(indexes)
    for k in range(len(pairs)):
        yield _record(shelf, pairs, k, int(of_pair[k]))


def duplicates_in_parts(
    indexes: Sequence[Path], folder: Path, engine: Engine, search: Search | None = None
) -> Iterator[Record]:
    """Go through the records of the pairs in any number of indexes, taken as one; an engine does the work.

    folder: for what is between, as in `webgrain.dedup.partition.find_pairs_in_parts`. Clusters are made here:
    16 bytes a pair in memory.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.dedup.documents import Document
    >>> from webgrain.dedup.index import DuplicateIndex
    >>> from webgrain.run.local import Local
    >>> with tempfile.TemporaryDirectory() as name:
    ...     paths = [Path(name) / "a.db", Path(name) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(Document(path.stem, "The same few words."))
    ...     [(x["a"], x["b"], x["verdict"]) for x in duplicates_in_parts(paths, Path(name), Local(1))]
    [('a', 'b', 'identical')]
    """
    plan = plan_of(indexes, folder, search)
    grouped = _clusters(pairs_of(plan, engine))
    for pairs in pairs_of(plan, engine):  # nothing is left to do: they are read again
        of_pair = _cluster_of(pairs, grouped)
        pages = np.concatenate([pairs.a, pairs.b, of_pair[of_pair >= 0]])
        shelf = {number: (*entry, False) for number, entry in entries_of(plan, pages).items()}
        for k in range(len(pairs)):
            yield _record(shelf, pairs, k, int(of_pair[k]))


def _clusters(found: Iterable[Pairs]) -> Clusters:
    """Return the clusters that those of the pairs make that say the same."""
    ends = [np.zeros((2, 0), np.int64)]
    for pairs in found:
        same = pairs.verdict <= DUPLICATE
        ends.append(np.stack([pairs.a[same], pairs.b[same]]))
    return clusters(*np.concatenate(ends, axis=1))


def _cluster_of(pairs: Pairs, grouped: Clusters) -> NDArray[np.int64]:
    """Return the cluster (p,) of each pair; -1 for none."""
    of_pair = np.full(len(pairs), -1, np.int64)
    same = pairs.verdict <= DUPLICATE
    of_pair[same] = grouped.of(pairs.a[same])
    return of_pair


class _Shelf(Protocol):
    """Pages by number: id, address, XPaths of the main content, whether it is in the older index."""

    def __getitem__(self, number: int, /) -> tuple[str, str | None, tuple[str, ...], bool]: ...


class _Entries:
    """The pages of several indexes by the numbers that a search gives them."""

    def __init__(self, indexes: Sequence[DuplicateIndex]) -> None:
        self._indexes = indexes

    def __getitem__(self, number: int) -> tuple[str, str | None, tuple[str, ...], bool]:
        """Return id, address, XPaths of the main content, and whether a page is in the older index."""
        older = len(self._indexes) > 1 and number < len(self._indexes[0])
        if older or len(self._indexes) == 1:
            return (*self._indexes[0].entry(number), older)
        return (*self._indexes[1].entry(number - len(self._indexes[0])), False)


def _record(shelf: _Shelf, pairs: Pairs, k: int, cluster: int) -> Record:
    a, b = shelf[int(pairs.a[k])], shelf[int(pairs.b[k])]
    verdict = VERDICTS[pairs.verdict[k]]
    whole, content, frame = (_rounded(x[k]) for x in (pairs.whole, pairs.content, pairs.frame))
    same = {Verdict.IDENTICAL: 1.0, Verdict.SAME_CONTENT: content, Verdict.SAME_TEMPLATE: frame}
    return {
        "a": a[0],
        "b": b[0],
        "verdict": verdict.value,
        "similarity": same.get(verdict, whole),
        "page_similarity": whole,
        "content_similarity": content,
        "frame_similarity": frame,
        "a_url": a[1],
        "b_url": b[1],
        "a_content": list(a[2]),
        "b_content": list(b[2]),
        "a_older": a[3],
        "cluster": cluster if cluster >= 0 else None,
        "representative": shelf[cluster][0] if cluster >= 0 else None,
    }


def _rounded(resemblance: float) -> float | None:
    return None if np.isnan(resemblance) else round(float(resemblance), 3)


def compare_pages(texts: Iterable[PageText | Failure], threshold: float = 0.8) -> Comparison:
    """Lay two pages side by side; `InputError` unless they are two that can be read.

    >>> compare_pages([PageText("a", "Some words."), PageText("b", "Others.")]).verdict.value
    'distinct'
    """
    if not 0 < threshold <= 1:
        raise ParameterError(f"threshold must be above 0 and at most 1, got {threshold}.")
    found = list(texts)
    for failed in found:
        if isinstance(failed, Failure):
            raise InputError(f"{failed.page} cannot be compared: {failed.error}")
    if len(found) != 2:
        raise InputError(f"Expected two pages to compare, got {len(found)}.")
    read = [text for text in found if isinstance(text, PageText)]
    with Crawl() as crawl:
        for text in read:
            crawl.add(text)
        return compare(read, list(crawl.documents()), threshold)
