"""Verdicts on pairs of pages by their signatures: on those that met, wherever they did."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np

from webgrain.dedup.documents import CONTENT, KINDS, WHOLE
from webgrain.dedup.verdict import DUPLICATE, VERDICTS, Evidence, Verdict, judge

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from numpy.typing import NDArray

    from webgrain.dedup.index import Rows
    from webgrain.dedup.minhash import MinHash
    from webgrain.dedup.search import Search

_PAIRS = 2**14


@dataclass(frozen=True, slots=True, eq=False)
class Pairs:
    """Pairs of pages, ordered by their numbers.

    Attributes:
        a, b: (p,) int64 numbers of pages, a < b: those of the first index from 0, then those of the next.
        verdict: (p,) int8 into `VERDICTS`.
        whole, content, frame: (p,) float64 resemblance, nan where not known.
    """

    a: NDArray[np.int64]
    b: NDArray[np.int64]
    verdict: NDArray[np.int8]
    whole: NDArray[np.float64]
    content: NDArray[np.float64]
    frame: NDArray[np.float64]

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

    def rows(self, pages: NDArray[np.int64]) -> Rows:
        """Return what is known of pages (n,), ascending."""


class Referee:
    """Passes verdicts on pairs of pages by their signatures, some thousand at a time."""

    def __init__(self, shelf: Shelf, search: Search) -> None:
        self._shelf, self._search = shelf, search
        self._threshold = shelf.method.threshold if search.threshold is None else search.threshold
        self._last = VERDICTS.index(Verdict.SAME_TEMPLATE) if search.templates else DUPLICATE

    def duplicates(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Iterator[Pairs]:
        """Go through those of the pairs (p,) that are what is looked for."""
        for start in range(0, len(a), _PAIRS):
            pairs = self._verdicts(a[start : start + _PAIRS], b[start : start + _PAIRS])
            mine = pairs.verdict <= self._last
            if mine.any():
                yield pairs.take(mine)

    def _verdicts(self, a: NDArray[np.int64], b: NDArray[np.int64]) -> Pairs:
        pages, place = np.unique(np.concatenate([a, b]), return_inverse=True)
        evidence = self._evidence(self._shelf.rows(pages), place[: len(a)], place[len(a) :])
        verdict = judge(evidence, self._threshold)
        return Pairs(a, b, verdict, evidence.whole, evidence.content, evidence.frame)

    def _evidence(self, rows: Rows, a: NDArray[np.intp], b: NDArray[np.intp]) -> Evidence:
        """Return what is known of pairs of rows."""

        def alike(kind: int, other: int) -> NDArray[np.float64]:
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


def contained(
    resemblance: NDArray[np.float64], size: NDArray[np.int64], other: NDArray[np.int64]
) -> NDArray[np.float64]:
    """Return the share (p,) of texts that is contained in others, from their resemblance and their sizes.

    >>> contained(np.array([0.25]), np.array([10]), np.array([40])).tolist()  # 10 of 40 shared
    [1.0]
    """
    shared = resemblance * (size + other) / (1 + resemblance)
    share: NDArray[np.float64] = np.minimum(1.0, shared / np.maximum(size, 1))
    return share
