"""Join the stages: pages become texts with a main content, these an index, its pairs records."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, get_args

import numpy as np

from webgrain.dedup.clusters import Clusters, clusters
from webgrain.dedup.compare import Comparison, compare
from webgrain.dedup.partition import entries_of, pairs_of, plan_of
from webgrain.dedup.repeats import Crawl, PageText, Part
from webgrain.dedup.search import Search, find_pairs
from webgrain.dedup.verdict import DUPLICATE, VERDICTS, Verdict
from webgrain.errors import InputError, ParameterError
from webgrain.page.address import xpaths
from webgrain.page.text import texts_of, visible_text
from webgrain.pipeline import pages
from webgrain.records import segments
from webgrain.results import MAIN_KINDS, Article, Failure, Segmentation
from webgrain.run.attempt import attempt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    from numpy.typing import NDArray

    from webgrain.dedup.index import DuplicateIndex
    from webgrain.dedup.partition import Engine
    from webgrain.dedup.search import Pairs
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.pipeline import Item, Layout, Predictor
    from webgrain.records import Segment

Size = Literal["text", "area", "leaves"]
"""What makes a segment large: its characters, the area of its box, its leaves."""

Content = Callable[["Page"], Sequence[Part]]
"""What finds the candidates for the main content of a page."""

Record = dict[str, Any]

NOISE = 0.25
"""Importance below which a segment is noise, as in `webgrain.template.sections`."""

INFORMATIVE = frozenset(("content", "article"))
"""Roles of segments that are informative."""


@dataclass(frozen=True, slots=True)
class Segments:
    """Candidates for the main content: the segments of a page.

    Attributes:
        method: how pages are cut.
        largest: what makes a segment large.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.segment.gcuts import GCuts
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
        path = dict(zip(roots, xpaths(page.dom, roots), strict=True))
        return [
            Part(text, self._size(segment, text), tuple(path[node] for node in segment.roots))
            for segment, text in zip(found, texts, strict=True)
        ]

    def _size(self, segment: Segment, text: str) -> float:
        if self.largest == "area":
            return segment.box[2] * segment.box[3] if segment.box else 0.0
        return len(text) if self.largest == "text" else segment.leaves


def landmark(page: Page) -> list[Part]:
    """Return the element that a page itself calls its main content, as the only candidate.

    The first ``main``, else element of the role ``main``, else ``article``; nothing where there is none.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> [part.text for part in landmark(parse(Source("a", b"<nav>Home</nav><main>Some words</main>")))]
    ['Some words']
    """
    dom = page.dom
    role = np.array([value == "main" for value in dom.column("role")])
    tests = [_is(dom, "main"), role, _is(dom, "article")]
    node = next((int(np.flatnonzero(test)[0]) for test in tests if test.any()), None)
    if node is None:
        return []
    text = visible_text(page, node, separator="\n")
    return [Part(text, len(text), tuple(xpaths(dom, [node])))]


def informative(cut: Callable[[Page], Segmentation]) -> Content:
    """Return what finds the informative text of a page, as the only candidate: segments that are no noise.

    cut: gives segments with the importance of each; those of less than `NOISE` are noise. Where it tells
    roles instead, the segments of the roles in `INFORMATIVE` are taken.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> page = parse(Source("a", b"<p>Home<p>Some words"))  # html, head, body, p, text, p, text
    >>> labels = np.array([-1, -1, -1, 0, 0, 1, 1], np.int32)
    >>> cut = lambda page: Segmentation(labels, "by hand", importance=np.array([0.1, 0.9]))
    >>> [part.text for part in informative(cut)(page)]
    ['Some words']
    """

    def find(page: Page) -> list[Part]:
        found = [segment for segment in segments(page, cut(page)) if _is_informative(segment)]
        roots = sorted(node for segment in found for node in segment.roots)
        text = texts_of(page, [roots], separator="\n")[0]
        return [Part(text, len(text), tuple(xpaths(page.dom, roots)))] if text else []

    return find


def _is_informative(segment: Segment) -> bool:
    if segment.importance is not None:
        return segment.importance >= NOISE
    return segment.role in INFORMATIVE


def article(read: Callable[[Page], Article]) -> Content:
    """Return what finds the text of the article on a page, as the only candidate; read: the article.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> from webgrain.results import ArticleBlock
    >>> read = lambda page: Article("article", blocks=(ArticleBlock("paragraph", "Some words", 3),))
    >>> article(read)(parse(Source("a", b"<p>Some words<p>Imprint")))
    [Part(text='Some words', size=10, path=('/html[1]/body[1]/p[1]',))]
    """

    def find(page: Page) -> list[Part]:
        found = read(page)
        nodes = [block.node for block in found.blocks if block.kind in (*MAIN_KINDS, "code")]
        text = "\n".join([*found.text.split("\n\n"), *found.code]).strip()
        return [Part(text, len(text), tuple(xpaths(page.dom, sorted(set(nodes)))))] if text else []

    return find


def _is(dom: Dom, tag: str) -> NDArray[np.bool_]:
    return np.array([name == tag for name in dom.tags], bool)[dom.tag]


def page_texts(
    items: Iterable[Item], content: Content | None = None, layout: Layout | None = None
) -> Iterator[PageText | Failure]:
    """Read what `webgrain.read` yields as texts, one page at a time.

    content: what finds the candidates for the main content; None: none are looked for.

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
