"""Search for pairs of duplicates in one index or in several.

Two pages meet if a key of some band is equal. The signatures of pages that meet are compared, and the pair
gets a verdict. Up to `CROWD` pages with an equal key are all compared with each other. In a larger group (a
thousand copies of one page, or a site whose frame is longer than its content) that would take quadratic time:
there each page is compared with the first page of the group and with the `NEAR` pages before it. This finds
all copies and connects them to one cluster, but does not list all pairs.

Cost: a sort of the keys of each band, 4 bytes per page and at most `KEYS` keys at a time, and one row of the
index per page that meets another.

A pair is judged by the similarity of the whole pages, of their main contents, and of their frames (the text
outside the main content). A similarity is nan if a page has no main content or one that is too short.

Source: Fröbe, Bevendorff, Reimer, Potthast, Hagen, CopyCat, SIGIR 2021, which reports that whole texts favour
precision and main contents favour recall. Therefore both similarities are kept. The thresholds are ours
(`webgrain.duplicates.thresholds`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain, product
from typing import Any, Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int8, Int64, UInt32
from webgrain.duplicates.index import CONTENT, FRAME, KINDS, WHOLE, DuplicateIndex, Rows
from webgrain.duplicates.minhash import MinHash, in_sorted
from webgrain.duplicates.thresholds import CROWD, KEYS, NEAR, OTHER_CONTENT, SAME_FRAME
from webgrain.errors import ParameterError


class Verdict(StrEnum):
    """The relation of two pages, from the closest to the loosest."""

    IDENTICAL = "identical"
    NEAR_DUPLICATE = "near-duplicate"
    SAME_CONTENT = "same-content"
    SAME_TEMPLATE = "same-template"
    DISTINCT = "distinct"


VERDICTS = tuple(Verdict)
"""Verdicts by number."""

DUPLICATE = VERDICTS.index(Verdict.SAME_CONTENT)
"""Greatest number of a verdict that means that two pages are duplicates."""


class Evidence(NamedTuple):
    """Similarities of pairs, each (p,).

    same_text: whether the texts of the pages are equal; whole, content, frame: similarity 0..1; contained:
    share of the main content of one page that occurs on the other page, the larger of both.
    """

    same_text: Bool
    whole: Float64
    content: Float64
    frame: Float64
    contained: Float64


def judge(evidence: Evidence, threshold: float) -> Int8:
    """Return the verdicts (p,) as indices into `VERDICTS`.

    threshold: similarity from which texts are near-duplicates.

    >>> evidence = Evidence(np.array([False]), *(np.array([x]) for x in (0.4, 0.95, 0.1, 1.0)))
    >>> VERDICTS[judge(evidence, threshold=0.8)[0]].value
    'same-content'
    """
    similar = evidence.whole >= threshold
    conditions = [
        evidence.same_text,
        similar & ~(evidence.contained < OTHER_CONTENT),
        evidence.content >= threshold,
        similar | (evidence.frame >= SAME_FRAME),
    ]
    return np.select(conditions, range(len(conditions)), len(conditions)).astype(np.int8)


_TEXTS = {"page": (WHOLE,), "content": (CONTENT,), "both": (WHOLE, CONTENT)}
_PAIRS = 2**14  # pairs that are scored at a time


class Search(NamedTuple):
    """The parameters of a search.

    by: texts by which two pages can meet: of the page, of the main content, or of either. threshold:
    similarity from which texts are near-duplicates; None: that of the index. templates: also find pages that
    share a template but not their content.
    """

    by: Literal["page", "content", "both"] = "both"
    threshold: float | None = None
    templates: bool = False

    @property
    def kinds(self) -> tuple[int, ...]:
        """Texts, as indices into `KINDS`, by which pages can meet; `ParameterError` for an unknown ``by``."""
        if self.by not in _TEXTS:
            raise ParameterError(f"by must be one of {', '.join(_TEXTS)}, got {self.by!r}.")
        return (*_TEXTS[self.by], *((FRAME,) if self.templates else ()))


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of pages, ordered by their numbers.

    Attributes:
        a, b: (p,) int64 numbers of pages, a < b: the pages of the first index from 0, then those of the next.
        verdict: (p,) int8 indices into `VERDICTS`.
        whole, content, frame: (p,) float64 similarities, nan if unknown.
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
        """Return some of the pairs, by a mask (p,) or by positions."""
        return Pairs(*(getattr(self, name)[chosen] for name in self.__slots__))


def join(parts: Sequence[Pairs]) -> Pairs:
    """Return several sets of pairs as one, ordered.

    >>> len(join([]))
    0
    """
    empty = np.zeros(0, np.int64), np.zeros(0, np.int8), np.zeros(0)
    parts = parts or [Pairs(empty[0], empty[0], empty[1], empty[2], empty[2], empty[2])]
    pairs = Pairs(*(np.concatenate([getattr(part, name) for part in parts]) for name in Pairs.__slots__))
    return pairs.take(np.lexsort((pairs.b, pairs.a)))


def find_pairs(
    indexes: Sequence[DuplicateIndex],
    wanted: NDArray[np.integer[Any]] | None = None,
    search: Search | None = None,
) -> Pairs:
    """Return the pairs of duplicates in several indexes, which are searched as one.

    wanted (n,): numbers of pages of which each pair contains at least one; None: all pages.

    >>> from webgrain.duplicates.index import Document
    >>> with DuplicateIndex() as index:
    ...     for name, text in (("a", "Said once."), ("b", "Something else."), ("c", "said, once")):
    ...         _ = index.add(Document(name, text))
    ...     index.commit()
    ...     pairs = find_pairs([index])
    >>> pairs.a.tolist(), pairs.b.tolist(), [VERDICTS[v].value for v in pairs.verdict]
    ([0], [2], ['near-duplicate'])
    """
    search = search or Search()
    group = _Group(indexes)
    is_wanted = np.ones(len(group), bool) if wanted is None else np.zeros(len(group), bool)
    is_wanted[slice(None) if wanted is None else wanted] = True
    scorer = Scorer(group.method, search, group.rows)
    codes = np.zeros(0, np.int64)  # a * n + b of the pairs found so far, ascending
    found: list[Pairs] = []
    parts = 1 + len(group) // KEYS
    for kind, band, part in product(search.kinds, range(group.method.bands), range(parts)):
        pages, keys = group.keys(kind, band, part, parts)
        near = np.isin(keys, keys[is_wanted[pages]])  # other pages meet no wanted page
        for a, b in meetings(pages[near], keys[near]):
            new = (is_wanted[a] | is_wanted[b]) & ~in_sorted(a * len(group) + b, codes)
            pairs = list(scorer.duplicates(a[new], b[new]))
            codes = np.sort(np.concatenate([codes, *(x.a * len(group) + x.b for x in pairs)]))
            found += pairs
    return join(found)


class _Group:
    """Several indexes as one: the pages of each are numbered after those of the one before."""

    def __init__(self, indexes: Sequence[DuplicateIndex]) -> None:
        self.method = common_method([index.method for index in indexes])
        for index in indexes:
            index.commit()
        self._indexes = indexes
        self._first = np.cumsum([0, *map(len, indexes)])

    def __len__(self) -> int:
        return int(self._first[-1])

    def keys(self, kind: int, band: int, part: int, parts: int) -> tuple[Int64, UInt32]:
        """Return pages and keys (n,) of one band, restricted to one part of all keys."""
        pages, keys, first = [np.zeros(0, np.int64)], [np.zeros(0, np.uint32)], 0
        for block in chain.from_iterable(index.keys(kind, band) for index in self._indexes):
            kept = np.flatnonzero((block % parts == part) & (block > 0))
            pages.append(kept + first)
            keys.append(block[kept])
            first += len(block)
        return np.concatenate(pages), np.concatenate(keys)

    def rows(self, pages: Int64) -> Rows:
        """Return the signatures of pages (n,), ascending."""
        split = split_by_index(pages, self._first)
        return join_rows([self._indexes[k].rows(own - self._first[k]) for k, own in split])


def common_method(methods: Sequence[MinHash]) -> MinHash:
    """Return the method of all indexes; `ParameterError` if they differ."""
    if any(method.get_params() != methods[0].get_params() for method in methods):
        listed = ", ".join(map(str, methods))
        raise ParameterError(f"Indexes are searched together only if they have one method, got {listed}.")
    return methods[0]


def split_by_index(pages: Int64, first: Sequence[int] | Int64) -> Iterator[tuple[int, Int64]]:
    """Split pages (n,), ascending, by index; first (i + 1,): number of the first page of each index."""
    cuts = np.searchsorted(pages, first)
    for k in np.flatnonzero(np.diff(cuts)).tolist():
        yield k, pages[cuts[k] : cuts[k + 1]]


def join_rows(parts: Sequence[Rows]) -> Rows:
    """Return rows of several indexes as one."""
    return Rows(*(np.concatenate([getattr(rows, name) for rows in parts]) for name in Rows.__slots__))


def meetings(pages: Int64, keys: UInt32) -> Iterator[tuple[Int64, Int64]]:
    """Yield the pairs (p,), (p,) of pages (n,), ascending, whose keys (n,) are equal.

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


class Scorer:
    """Compares the signatures of pairs of pages.

    method: how signatures were made; rows: returns the signatures of pages (n,), ascending.
    """

    def __init__(self, method: MinHash, search: Search, rows: Callable[[Int64], Rows]) -> None:
        self._method, self._search, self._rows = method, search, rows
        self._threshold = method.threshold if search.threshold is None else search.threshold
        self._last = VERDICTS.index(Verdict.SAME_TEMPLATE) if search.templates else DUPLICATE

    def duplicates(self, a: Int64, b: Int64) -> Iterator[Pairs]:
        """Yield those of the pairs (p,) whose verdict is searched for."""
        for start in range(0, len(a), _PAIRS):
            pairs = self._judge(a[start : start + _PAIRS], b[start : start + _PAIRS])
            if (kept := pairs.verdict <= self._last).any():
                yield pairs.take(kept)

    def _judge(self, a: Int64, b: Int64) -> Pairs:
        pages, place = np.unique(np.concatenate([a, b]), return_inverse=True)
        evidence = self._evidence(self._rows(pages), place[: len(a)], place[len(a) :])
        verdict = judge(evidence, self._threshold)
        return Pairs(a, b, verdict, evidence.whole, evidence.content, evidence.frame)

    def _evidence(self, rows: Rows, a: NDArray[np.intp], b: NDArray[np.intp]) -> Evidence:
        """Return the similarities of pairs of rows."""

        def similarity(kind: int, other: int) -> Float64:
            values = self._method.similarity(rows.signatures[a, kind], rows.signatures[b, other])
            return np.where(rows.known[a, kind] & rows.known[b, other], values, np.nan)

        same = rows.digest[a] == rows.digest[b]
        whole, content, frame = (similarity(kind, kind) for kind in range(len(KINDS)))
        inside = np.fmax(
            contained(similarity(CONTENT, WHOLE), rows.size[a, CONTENT], rows.size[b, WHOLE]),
            contained(similarity(WHOLE, CONTENT), rows.size[b, CONTENT], rows.size[a, WHOLE]),
        )
        unknown = np.full(len(a), np.nan)
        if self._search.by == "content":
            whole = unknown
        if self._search.by == "page":
            content = frame = inside = unknown
        return Evidence(same, whole, content, frame, inside)


def contained(similarity: Float64, size: Int64, other: Int64) -> Float64:
    """Return the share (p,) of texts that other texts contain, from their similarity and numbers of shingles.

    >>> contained(np.array([0.25]), np.array([10]), np.array([40])).tolist()  # 10 of 40 shared
    [1.0]
    """
    shared = similarity * (size + other) / (1 + similarity)
    share: Float64 = np.minimum(1.0, shared / np.maximum(size, 1))
    return share
