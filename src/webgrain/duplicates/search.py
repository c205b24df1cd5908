"""Verdicts on pairs of pages by their signatures: on those that met, wherever they did.

Find the pairs of pages that say the same in one index, or between several.

Two pages meet when a key of some band is equal. Where they meet, their signatures are compared and the
verdict is passed. Pages that share a key are all compared with each other, up to `CROWD` of them. A larger
crowd (a thousand copies of one page, or a site whose frame outweighs its content) would take the square of
its number: there each page is compared with the crowd's first and with the `NEAR` before it, which finds all
copies and joins them to one cluster, but not all pairs.

Cost: a sort of the keys of each band, 4 bytes a page at a time and at most `KEYS` of them, and the rows of
the pages that meet.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any, Literal, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int8, Int64, UInt32
from webgrain.duplicates.index import CONTENT, FRAME, KINDS, WHOLE, DuplicateIndex, Rows
from webgrain.duplicates.minhash import MinHash, in_sorted
from webgrain.duplicates.verdict import DUPLICATE, VERDICTS, Evidence, Verdict, judge
from webgrain.errors import ParameterError

_PAIRS = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of pages, ordered by their numbers.

    Attributes:
        a, b: (p,) int64 numbers of pages, a < b: those of the first index from 0, then those of the next.
        verdict: (p,) int8 into `VERDICTS`.
        whole, content, frame: (p,) float64 resemblance, nan where not known.
    """

    a: Int64
    b: Int64
    verdict: Int8
    whole: Float64
    content: Float64
    frame: Float64

    def __len__(self) -> int:
        return len(self.a)

    def take(self, chosen: NDArray[Any]) -> Pairs:
        """Return some of the pairs, by a mask (p,) or by places."""
        return Pairs(*(getattr(self, name)[chosen] for name in self.__slots__))


def join(found: Sequence[Pairs]) -> Pairs:
    """Return several sets of pairs as one, in order.

    >>> len(join([]))
    0
    """
    none = np.zeros(0, np.int64), np.zeros(0, np.int8), np.zeros(0)
    found = found or [Pairs(none[0], none[0], none[1], none[2], none[2], none[2])]
    pairs = Pairs(*(np.concatenate([getattr(x, name) for x in found]) for name in Pairs.__slots__))
    return pairs.take(np.lexsort((pairs.b, pairs.a)))


class Shelf(Protocol):
    """Where the signatures of pages are looked up."""

    @property
    def method(self) -> MinHash:
        """How they were made."""

    def rows(self, pages: Int64) -> Rows:
        """Return what is known of pages (n,), ascending."""


class Referee:
    """Passes verdicts on pairs of pages by their signatures, some thousand at a time."""

    def __init__(self, shelf: Shelf, search: Search) -> None:
        self._shelf, self._search = shelf, search
        self._threshold = shelf.method.threshold if search.threshold is None else search.threshold
        self._last = VERDICTS.index(Verdict.SAME_TEMPLATE) if search.templates else DUPLICATE

    def duplicates(self, a: Int64, b: Int64) -> Iterator[Pairs]:
        """Go through those of the pairs (p,) that are what is looked for."""
        for start in range(0, len(a), _PAIRS):
            pairs = self._verdicts(a[start : start + _PAIRS], b[start : start + _PAIRS])
            mine = pairs.verdict <= self._last
            if mine.any():
                yield pairs.take(mine)

    def _verdicts(self, a: Int64, b: Int64) -> Pairs:
        pages, place = np.unique(np.concatenate([a, b]), return_inverse=True)
        evidence = self._evidence(self._shelf.rows(pages), place[: len(a)], place[len(a) :])
        verdict = judge(evidence, self._threshold)
        return Pairs(a, b, verdict, evidence.whole, evidence.content, evidence.frame)

    def _evidence(self, rows: Rows, a: NDArray[np.intp], b: NDArray[np.intp]) -> Evidence:
        """Return what is known of pairs of rows."""

        def alike(kind: int, other: int) -> Float64:
            similarity = self._shelf.method.similarity(rows.signatures[a, kind], rows.signatures[b, other])
            return np.where(rows.known[a, kind] & rows.known[b, other], similarity, np.nan)

        same = rows.digest[a] == rows.digest[b]
        whole, content, frame = (alike(kind, kind) for kind in range(len(KINDS)))
        kept = np.fmax(
            contained(alike(CONTENT, WHOLE), rows.size[a, CONTENT], rows.size[b, WHOLE]),
            contained(alike(WHOLE, CONTENT), rows.size[b, CONTENT], rows.size[a, WHOLE]),
        )
        if self._search.by == "content":
            whole = np.full(len(a), np.nan)
        if self._search.by == "page":
            content, frame, kept = (np.full(len(a), np.nan) for _ in range(3))
        return Evidence(same, whole, content, frame, kept)


def contained(resemblance: Float64, size: Int64, other: Int64) -> Float64:
    """Return the share (p,) of texts that is contained in others, from their resemblance and their sizes.

    >>> contained(np.array([0.25]), np.array([10]), np.array([40])).tolist()  # 10 of 40 shared
    [1.0]
    """
    shared = resemblance * (size + other) / (1 + resemblance)
    share: Float64 = np.minimum(1.0, shared / np.maximum(size, 1))
    return share


CROWD = 256
"""Pages with one key that are all compared with each other."""

NEAR = 8
"""In a larger crowd: pages that each is compared with, besides the first."""

KEYS = 2**22
"""Keys that are sorted at a time; of more pages, a share of the keys at a time."""

_SEARCHED = {"page": (WHOLE,), "content": (CONTENT,), "both": (WHOLE, CONTENT)}


class Search(NamedTuple):
    """What is looked for.

    by: texts that two pages meet by: of the page, of the content, or of either. threshold: resemblance from
    which texts are near-duplicates; None: that of the index. templates: also find pages of one template that
    say something else.
    """

    by: Literal["page", "content", "both"] = "both"
    threshold: float | None = None
    templates: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        """Texts, as numbers in `KINDS`, by whose keys pages meet; `ParameterError` for a wrong ``by``."""
        if self.by not in _SEARCHED:
            raise ParameterError(f"by must be one of {', '.join(_SEARCHED)}, got {self.by!r}.")
        return (*_SEARCHED[self.by], *((FRAME,) if self.templates else ()))


def find_pairs(
    indexes: Sequence[DuplicateIndex],
    asked: NDArray[np.integer[Any]] | None = None,
    search: Search | None = None,
) -> Pairs:
    """Return the pairs in several indexes, taken as one, that are duplicates by their verdict.

    asked (n,): at least one page of a pair is one of these numbers; None: any pages.

    >>> from webgrain.duplicates.index import Document
    >>> from webgrain.duplicates.index import DuplicateIndex
    >>> from webgrain.duplicates.verdict import VERDICTS
    >>> with DuplicateIndex() as index:
    ...     for name, text in (("a", "Said once."), ("b", "Something else."), ("c", "said, once")):
    ...         _ = index.add(Document(name, text))
    ...     index.commit()
    ...     pairs = find_pairs([index])
    >>> pairs.a.tolist(), pairs.b.tolist(), [VERDICTS[v].value for v in pairs.verdict]
    ([0], [2], ['near-duplicate'])
    """
    search = search or Search()
    shelf = _Shelf(indexes)
    wanted = np.ones(len(shelf), bool) if asked is None else np.zeros(len(shelf), bool)
    wanted[slice(None) if asked is None else asked] = True
    return _Finder(shelf, search, wanted).run()


class _Shelf:
    """Several indexes as one: the pages of each are numbered behind those of the one before."""

    def __init__(self, indexes: Sequence[DuplicateIndex]) -> None:
        methods = [index.method for index in indexes]
        if any(method.get_params() != methods[0].get_params() for method in methods):
            listed = ", ".join(map(str, methods))
            raise ParameterError(f"Indexes are searched together when made in one way, got {listed}.")
        for index in indexes:
            index.commit()
        self._indexes = indexes
        self._first = np.cumsum([0, *map(len, indexes)])
        self.method = methods[0]

    def __len__(self) -> int:
        return int(self._first[-1])

    def keys(self, kind: int, band: int, part: int, parts: int) -> tuple[Int64, UInt32]:
        """Return pages and keys (n,) of one band: those of one part of all keys."""
        pages, keys, at = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)], 0
        for block in chain.from_iterable(index.keys(kind, band) for index in self._indexes):
            kept = np.flatnonzero((block % parts == part) & (block > 0))
            pages.append(kept + at)
            keys.append(block[kept])
            at += len(block)
        return np.concatenate(pages), np.concatenate(keys)

    def rows(self, pages: Int64) -> Rows:
        """Return what is known of pages (n,), ascending."""
        cuts = np.searchsorted(pages, self._first)
        found = [
            index.rows(pages[start:stop] - first)
            for index, first, start, stop in zip(
                self._indexes, self._first[:-1], cuts[:-1], cuts[1:], strict=True
            )
            if start < stop
        ]
        return Rows(*(np.concatenate([getattr(rows, name) for rows in found]) for name in Rows.__slots__))


class _Finder:
    """One search."""

    def __init__(self, shelf: _Shelf, search: Search, wanted: Bool) -> None:
        self._shelf, self._search, self._wanted = shelf, search, wanted
        self._referee = Referee(shelf, search)
        self._known = np.zeros(0, np.int64)  # codes of the pairs that were found, ascending
        self._found: list[Pairs] = []

    def run(self) -> Pairs:
        parts = 1 + len(self._shelf) // KEYS
        for kind in self._search.kinds:
            for band in range(self._shelf.method.bands):
                for part in range(parts):
                    pages, keys = self._shelf.keys(kind, band, part, parts)
                    near = np.isin(
                        keys, keys[self._wanted[pages]]
                    )  # the others meet no page that is asked for
                    for a, b in meetings(pages[near], keys[near]):
                        self._compare(a, b)
        return join(self._found)

    def _compare(self, a: Int64, b: Int64) -> None:
        """Keep those of the pairs (p,) that are new and duplicates."""
        new = (self._wanted[a] | self._wanted[b]) & ~in_sorted(self._code(a, b), self._known)
        found = list(self._referee.duplicates(a[new], b[new]))
        self._found += found
        self._known = np.sort(np.concatenate([self._known, *(self._code(x.a, x.b) for x in found)]))

    def _code(self, a: Int64, b: Int64) -> Int64:
        return a * len(self._shelf) + b


def meetings(pages: Int64, keys: UInt32) -> Iterator[tuple[Int64, Int64]]:
    """Go through the pairs (p,), (p,) of pages (n,), ascending, whose keys (n,) are equal.

    >>> [(a.tolist(), b.tolist()) for a, b in meetings(np.array([3, 4, 7, 9]), np.array([5, 2, 5, 5]))]
    [([3, 7], [7, 9]), ([3], [9])]
    """
    order = np.argsort(keys, kind="stable")
    pages, keys = pages[order], keys[order]
    starts = np.flatnonzero(np.concatenate([[True], keys[1:] != keys[:-1]])) if len(keys) else order
    sizes = np.diff(np.append(starts, len(keys)))
    first, end = np.repeat(starts, sizes), np.repeat(starts + sizes, sizes)
    crowded = end - first > CROWD
    at = np.arange(len(keys))
    far = crowded & (at - first > NEAR)
    if far.any():
        yield pages[first[far]], pages[at[far]]
    for step in range(1, CROWD):
        at = at[(at + step < end[at]) & (~crowded[at] | (step <= NEAR))]
        if not len(at):
            return
        yield pages[at], pages[at + step]
