"""Comparison of two pages: how much text they share, which text differs, and where it is.

A search estimates resemblances from sketches; a comparison uses all shingles of both texts. A word is
shared if a shingle that contains it occurs anywhere on the other page. Lines are aligned in the order of the
pages: equal lines face each other, and so do the lines between two equal ones, in turn.

Cost: n log n in the number of words. difflib is not used: its time is cubic in repeated lines.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, pairwise, zip_longest
from typing import Literal, NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, UInt64
from webgrain.duplicates.search import PairVerdict, Search, judge_two
from webgrain.duplicates.shingles import WIDTH, located_words, shingles, shingles_of
from webgrain.duplicates.sketches import FACTS, PageText, make_sketch
from webgrain.duplicates.thresholds import MAX_LINES


class Run(NamedTuple):
    """A part of a line, and whether its words are shared."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: its runs."""

    runs: tuple[Run, ...]

    @property
    def text(self) -> str:
        """The whole line."""
        return "".join(run.text for run in self.runs)


class FacingLines(NamedTuple):
    """Two lines that face each other: equal, changed, or a line that only the left or right page has."""

    relation: Literal["equal", "changed", "left", "right"]
    left: Line | None
    right: Line | None


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two pages: its id, its words, shared words, first lines, and the number of further lines."""

    id: str
    words: int
    shared: int
    lines: tuple[Line, ...]
    more: int

    def only(self, characters: int) -> str:
        """Return the first words of the page that the other page lacks."""
        text = " … ".join(run.text.strip() for line in self.lines for run in line.runs if not run.shared)
        return text if len(text) <= characters else f"{text[: characters - 1]}…"


@dataclass(frozen=True, slots=True)
class Comparison:
    """The comparison of two pages.

    Attributes:
        verdict: their relation.
        resemblance: of their shingles, 0..1; None if one page has no text.
        in_right, in_left: share of the shingles of the left page that the right page contains, and the
            reverse.
        left, right: the pages.
    """

    verdict: PairVerdict
    resemblance: float | None
    in_right: float | None
    in_left: float | None
    left: Side
    right: Side

    def rows(self) -> Iterator[FacingLines]:
        """Yield the lines of both pages side by side."""
        left, right = self.left.lines, self.right.lines
        equal = align([line.text for line in left], [line.text for line in right])
        i = j = 0
        for x, y in [*equal, (len(left), len(right))]:
            for mine, its in zip_longest(left[i:x], right[j:y]):
                if its is None:
                    yield FacingLines("left", mine, its)
                elif mine is None:
                    yield FacingLines("right", mine, its)
                else:
                    yield FacingLines("changed", mine, its)
            if x < len(left):
                yield FacingLines("equal", left[x], right[y])
            i, j = x + 1, y + 1


def compare_texts(
    a: PageText, b: PageText, threshold: float | None = None, verdict: PairVerdict | None = None
) -> Comparison:
    """Compare two pages by all of their shingles.

    threshold: resemblance from which they are near-duplicates, see `webgrain.duplicates.search.Search`.
    verdict: that of a search, which knows the sites of the pages; None: the verdict by these two pages.

    >>> pages = [PageText(word, f"One two three four five six seven {word}") for word in ("eight", "nine")]
    >>> found = compare_texts(*pages)
    >>> found.verdict.value, found.resemblance, [run.text for run in found.right.lines[0].runs]
    ('too-little-text', 0.5, ['One two three four five six seven', ' nine'])
    """
    left, right = (np.unique(shingles(page.text, WIDTH)) for page in (a, b))
    times = len(np.intersect1d(left, right, assume_unique=True))
    every = len(left) + len(right) - times
    shares = [times / size if len(left) and len(right) else None for size in (every, len(left), len(right))]
    if verdict is None:
        facts = np.array([make_sketch(page).facts for page in (a, b)], FACTS)
        facts["kept"] = facts["size"]
        facts["top"] = np.iinfo(np.uint64).max
        verdict = judge_two(facts, times, Search(threshold))
    return Comparison(verdict, shares[0], shares[1], shares[2], _side(a, right), _side(b, left))


def _side(page: PageText, other: UInt64) -> Side:
    hashed, ends = located_words(page.text)
    shared = _shared_words(hashed, other, WIDTH)
    lines = list(islice(_lines(page.text, ends, shared), MAX_LINES))
    more = sum(bool(line) for line in page.text.split("\n")) - len(lines)
    return Side(page.id, len(hashed), int(shared.sum()), tuple(lines), more)


def _shared_words(hashed: UInt64, other: UInt64, width: int) -> Bool:
    """Return which words (w,) are in a shingle that occurs on the other page."""
    starts = np.flatnonzero(np.isin(shingles_of(hashed, width), other))
    steps = np.zeros(len(hashed) + 1, np.int64)
    np.add.at(steps, starts, 1)
    np.add.at(steps, np.minimum(starts + width, len(hashed)), -1)
    return np.cumsum(steps[:-1]) > 0


def _lines(text: str, ends: Int32, shared: Bool) -> Iterator[Line]:
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
            yield Line(runs)
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
