"""Comparison of two pages: how much text they share, which text differs, and where it is.

A search estimates similarities from signatures; a comparison uses all shingles of both texts. A word is
shared if a shingle that contains it occurs anywhere on the other page. Lines are aligned in the order of the
pages: equal lines face each other, and so do the lines between two equal ones, in turn.

Cost: n log n in the number of words. difflib is not used: its time is cubic in repeated lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Literal, NamedTuple

import numpy as np

from webgrain.arrays import Bool, Int32, UInt64
from webgrain.duplicates.index import Document
from webgrain.duplicates.minhash import WIDTH, located_words, shingles, shingles_of
from webgrain.duplicates.repeats import PageText
from webgrain.duplicates.search import VERDICTS, Evidence, Verdict, judge
from webgrain.duplicates.thresholds import MAX_LINES, MIN_CONTENT


class Run(NamedTuple):
    """A part of a line, and whether its words are shared."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: its runs, and the number of its segment, -1 if unknown."""

    runs: tuple[Run, ...]
    segment: int

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(run.text for run in self.runs)


class Row(NamedTuple):
    """Two lines that face each other: equal, changed, or a line that only the left or right page has."""

    kind: Literal["equal", "changed", "left", "right"]
    left: Line | None
    right: Line | None


class Share(NamedTuple):
    """A segment of a page: words, shared words, whether it is the main content, XPaths."""

    words: int
    shared: int
    main: bool
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two pages: its id, its segments, its first lines, and the number of further lines."""

    id: str
    segments: tuple[Share, ...]
    lines: tuple[Line, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two pages.

    Attributes:
        verdict: their relation.
        whole, content, frame: similarity of their texts, main contents and frames, 0..1; None if unknown.
        left, right: the pages.
    """

    verdict: Verdict
    whole: float | None
    content: float | None
    frame: float | None
    left: Side
    right: Side

    def rows(self) -> Iterator[Row]:
        """Yield the lines of both pages side by side."""
        left, right = self.left.lines, self.right.lines
        equal = align([line.text for line in left], [line.text for line in right])
        i = j = 0
        for x, y in [*equal, (len(left), len(right))]:
            for mine, its in zip_longest(left[i:x], right[j:y]):
                yield Row("left" if its is None else "right" if mine is None else "changed", mine, its)
            if x < len(left):
                yield Row("equal", left[x], right[y])
            i, j = x + 1, y + 1


def compare(
    pages: Sequence[PageText], documents: Sequence[Document], threshold: float, width: int = WIDTH
) -> Comparison:
    """Compare two pages.

    pages: their lines and segments; documents: the same pages with their main contents. threshold: similarity
    from which texts are near-duplicates.

    >>> texts = ["One two three four five six seven eight", "One two three four five six seven nine"]
    >>> found = compare([PageText(x, x) for x in texts], [Document(x, x) for x in texts], threshold=0.8)
    >>> found.verdict.value, found.whole, [run.text for run in found.right.lines[0].runs]
    ('distinct', 0.5, ['One two three four five six seven', ' nine'])
    """
    wholes, contents, frames = zip(*(_shingle_sets(document, width) for document in documents), strict=True)
    same = documents[0].text == documents[1].text
    similarities = [_similarity(*texts) for texts in (wholes, contents, frames)]
    contained = np.fmax(_contained(contents[0], wholes[1]), _contained(contents[1], wholes[0]))
    evidence = Evidence(np.array([same]), *(np.array([value]) for value in (*similarities, contained)))
    verdict = VERDICTS[judge(evidence, threshold)[0]]
    whole, content, frame = (None if np.isnan(value) else value for value in similarities)
    left, right = (
        _side(page, document, other, width)
        for page, document, other in zip(pages, documents, reversed(wholes), strict=True)
    )
    return Comparison(verdict, whole, content, frame, left, right)


def _shingle_sets(document: Document, width: int) -> tuple[UInt64, UInt64, UInt64]:
    """Return the distinct shingles of a page, of its main content and of its frame."""
    whole = np.unique(shingles(document.text, width))
    content = shingles(document.content or "", width)
    content = np.unique(content) if len(content) + width > MIN_CONTENT else content[:0]
    return whole, content, np.setdiff1d(whole, content) if len(content) else content


def _similarity(a: UInt64, b: UInt64) -> float:
    if not len(a) or not len(b):
        return float("nan")
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)


def _contained(content: UInt64, page: UInt64) -> float:
    """Return the share of a main content that occurs on another page."""
    return float(np.isin(content, page).mean()) if len(content) else float("nan")


def _side(page: PageText, document: Document, other: UInt64, width: int) -> Side:
    segments: list[Share] = []
    lines: list[Line] = []
    more = 0
    texts = [(part.text, part.path) for part in page.parts] or [(page.text, ())]
    for number, (text, path) in enumerate(texts):
        hashed, ends = located_words(text)
        shared = _shared_words(hashed, other, width)
        main = bool(path) and path == document.path
        segments.append(Share(len(hashed), int(shared.sum()), main, path))
        own = list(_lines(text, ends, shared, number if page.parts else -1))
        room = MAX_LINES - len(lines)
        lines += own[:room]
        more += max(0, len(own) - room)
    return Side(page.id, tuple(segments), tuple(lines), more)


def _shared_words(hashed: UInt64, other: UInt64, width: int) -> Bool:
    """Return which words (w,) are in a shingle that occurs on the other page."""
    found = np.flatnonzero(np.isin(shingles_of(hashed, width), other))
    steps = np.zeros(len(hashed) + 1, np.int64)
    np.add.at(steps, found, 1)
    np.add.at(steps, np.minimum(found + width, len(hashed)), -1)
    return np.cumsum(steps[:-1]) > 0


def _lines(text: str, ends: Int32, shared: Bool, segment: int) -> Iterator[Line]:
    """Split a text into lines, and each line where shared words begin or end."""
    cuts = [_after_punctuation(text, end) for end in ends[:-1][shared[1:] != shared[:-1]].tolist()]
    stops = ends.tolist()
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        edges = [start, *cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)], stop]
        runs = tuple(
            Run(text[first:last], (word := bisect_right(stops, first)) == len(stops) or bool(shared[word]))
            for first, last in pairwise(edges)
        )
        if line:
            yield Line(runs, segment)
        start = stop + 1


def _after_punctuation(text: str, at: int) -> int:
    """Return the end of the punctuation that follows a word which ends at a position."""
    while at < len(text) and not text[at].isalnum() and not text[at].isspace():
        at += 1
    return at


def align(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return the positions of equal lines that face each other, ascending on both sides, in n log n steps.

    They are the longest increasing sequence of lines that occur once on each side (Cohen's patience
    difference), and the equal lines directly before and after each of them.

    >>> align(["a", "b", "b", "c"], ["x", "b", "c", "d"])
    [(2, 1), (3, 2)]
    """
    once = [{line for line, n in Counter(lines).items() if n == 1} for lines in (left, right)]
    place = {line: k for k, line in enumerate(right)}
    both = [(k, place[line]) for k, line in enumerate(left) if line in once[0] and line in once[1]]
    pairs: list[tuple[int, int]] = []
    i = j = 0
    for x, y in [*_increasing(both), (len(left), len(right))]:
        while i < x and j < y and left[i] == right[j]:
            pairs.append((i, j))
            i, j = i + 1, j + 1
        back = 0
        while i < x - back and j < y - back and left[x - back - 1] == right[y - back - 1]:
            back += 1
        pairs += [(x - k, y - k) for k in range(back, 0, -1)]
        pairs += [(x, y)] if x < len(left) else []
        i, j = x + 1, y + 1
    return pairs


def _increasing(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return the longest subsequence of the pairs whose second numbers increase."""
    tops: list[int] = []  # smallest second number that ends a sequence of each length
    ends: list[int] = []  # the pair of that number
    before: list[int] = []
    for k, (_, second) in enumerate(pairs):
        length = bisect_left(tops, second)
        tops[length : length + 1] = [second]
        ends[length : length + 1] = [k]
        before.append(ends[length - 1] if length else -1)
    sequence: list[tuple[int, int]] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        sequence.append(pairs[k])
        k = before[k]
    return sequence[::-1]
