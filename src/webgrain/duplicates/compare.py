"""Two pages beside each other: how much they share, which text of theirs differs, and where it stands.

Unlike a search, which estimates from signatures, this compares all shingles of both texts. A word is shared
when a shingle it is in is found on the other page, wherever it stands there. Lines are laid side by side in
the order of the pages: equal ones face each other, and so do those between two equal ones, in turn.

Cost: n log n in the words. Not difflib: its time grows with the cube of lines that repeat.
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
from webgrain.duplicates.verdict import MIN_CONTENT, VERDICTS, Evidence, Verdict, judge

MAX_LINES = 2000
"""Lines of a page that are laid side by side; what comes after is only counted."""


class Run(NamedTuple):
    """A piece of a line, and whether its words are shared."""

    text: str
    shared: bool


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a page: its pieces, and the number of the segment it is from; -1 where not known."""

    runs: tuple[Run, ...]
    segment: int

    @property
    def text(self) -> str:
        """All of the line."""
        return "".join(run.text for run in self.runs)


class Row(NamedTuple):
    """Two lines that face each other: equal, changed, or one that only the left or right page has."""

    kind: Literal["equal", "changed", "left", "right"]
    left: Line | None
    right: Line | None


class Share(NamedTuple):
    """A segment of a page: its words, how many of them are shared, whether it is the main content, XPaths."""

    words: int
    shared: int
    main: bool
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Side:
    """One of the two pages: its id, its segments, its lines, and how many more lines it has."""

    id: str
    segments: tuple[Share, ...]
    lines: tuple[Line, ...]
    more: int


@dataclass(frozen=True, slots=True)
class Comparison:
    """Two pages beside each other.

    Attributes:
        verdict: what they are to each other.
        whole, content, frame: resemblance of their texts, main contents and frames, 0..1; None where not
            known.
        left, right: the pages.
    """

    verdict: Verdict
    whole: float | None
    content: float | None
    frame: float | None
    left: Side
    right: Side

    def rows(self) -> Iterator[Row]:
        """Go through the lines of both pages, side by side."""
        left, right = self.left.lines, self.right.lines
        i = j = 0
        for x, y in [
            *align([line.text for line in left], [line.text for line in right]),
            (len(left), len(right)),
        ]:
            for mine, its in zip_longest(left[i:x], right[j:y]):
                yield Row("left" if its is None else "right" if mine is None else "changed", mine, its)
            if x < len(left):
                yield Row("equal", left[x], right[y])
            i, j = x + 1, y + 1


def compare(
    pages: Sequence[PageText], documents: Sequence[Document], threshold: float, width: int = WIDTH
) -> Comparison:
    """Compare two pages.

    pages: their lines and segments; documents: the same, with their main contents. threshold: resemblance
    from which texts are near-duplicates.

    >>> from webgrain.duplicates.index import Document
    >>> from webgrain.duplicates.repeats import PageText
    >>> texts = ["One two three four five six seven eight", "One two three four five six seven nine"]
    >>> found = compare([PageText(x, x) for x in texts], [Document(x, x) for x in texts], threshold=0.8)
    >>> found.verdict.value, found.whole, [run.text for run in found.right.lines[0].runs]
    ('distinct', 0.5, ['One two three four five six seven', ' nine'])
    """
    wholes, contents, frames = zip(*(_texts(document, width) for document in documents), strict=True)
    same = np.array([documents[0].text == documents[1].text])
    whole, content, frame = (_resemblance(*texts) for texts in (wholes, contents, frames))
    kept = np.fmax(_kept(contents[0], wholes[1]), _kept(contents[1], wholes[0]))
    evidence = Evidence(same, *(np.array([value]) for value in (whole, content, frame, kept)))
    verdict = VERDICTS[judge(evidence, threshold)[0]]
    left, right = (
        _side(page, document, other, width)
        for page, document, other in zip(pages, documents, reversed(wholes), strict=True)
    )
    return Comparison(verdict, _known(whole), _known(content), _known(frame), left, right)


def align(left: Sequence[str], right: Sequence[str]) -> list[tuple[int, int]]:
    """Return places of lines that face each other, ascending on both sides, in n log n steps.

    Lines that each side has once, as many as keep their order (Cohen's patience difference), and the equal
    ones right before and after them.

    >>> align(["a", "b", "b", "c"], ["x", "b", "c", "d"])
    [(2, 1), (3, 2)]
    """
    once = [{line for line, n in Counter(lines).items() if n == 1} for lines in (left, right)]
    place = {line: k for k, line in enumerate(right)}
    both = [(k, place[line]) for k, line in enumerate(left) if line in once[0] and line in once[1]]
    pairs: list[tuple[int, int]] = []
    i = j = 0
    for x, y in [*_ascending(both), (len(left), len(right))]:
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


def _ascending(pairs: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return as many of the pairs as possible that ascend in their second numbers too."""
    tops: list[int] = []  # least second number that ends a run of each length
    ends: list[int] = []  # the pair it is of
    before: list[int] = []
    for k, (_, second) in enumerate(pairs):
        length = bisect_left(tops, second)
        tops[length : length + 1] = [second]
        ends[length : length + 1] = [k]
        before.append(ends[length - 1] if length else -1)
    run: list[tuple[int, int]] = []
    k = ends[-1] if ends else -1
    while k >= 0:
        run.append(pairs[k])
        k = before[k]
    return run[::-1]


def _known(resemblance: float) -> float | None:
    return None if np.isnan(resemblance) else resemblance


def _texts(document: Document, width: int) -> tuple[UInt64, UInt64, UInt64]:
    """Return the distinct shingles of a page, of its main content and of its frame."""
    whole = np.unique(shingles(document.text, width))
    content = shingles(document.content or "", width)
    content = np.unique(content) if len(content) + width > MIN_CONTENT else content[:0]
    return whole, content, np.setdiff1d(whole, content) if len(content) else content


def _resemblance(a: UInt64, b: UInt64) -> float:
    if not len(a) or not len(b):
        return float("nan")
    shared = len(np.intersect1d(a, b, assume_unique=True))
    return shared / (len(a) + len(b) - shared)


def _kept(content: UInt64, page: UInt64) -> float:
    """Return the share of a main content that is found on another page."""
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
    """Return which words (w,) are in a shingle that is found on the other page."""
    found = np.flatnonzero(np.isin(shingles_of(hashed, width), other))
    steps = np.zeros(len(hashed) + 1, np.int64)
    np.add.at(steps, found, 1)
    np.add.at(steps, np.minimum(found + width, len(hashed)), -1)
    return np.cumsum(steps[:-1]) > 0


def _lines(text: str, ends: Int32, shared: Bool, segment: int) -> Iterator[Line]:
    """Cut a text into its lines, and each where shared words begin or end."""
    cuts = [_past_marks(text, end) for end in ends[:-1][shared[1:] != shared[:-1]].tolist()]
    stops = ends.tolist()
    start = 0
    for line in text.split("\n"):
        stop = start + len(line)
        inside = cuts[bisect_right(cuts, start) : bisect_left(cuts, stop)]
        edges = [start, *inside, stop]
        runs = tuple(
            Run(text[first:last], (word := bisect_right(stops, first)) == len(stops) or bool(shared[word]))
            for first, last in pairwise(edges)
        )
        if line:
            yield Line(runs, segment)
        start = stop + 1


def _past_marks(text: str, at: int) -> int:
    """Return the end of what is written onto a word that ends here: a full stop, a closing quote."""
    while at < len(text) and not text[at].isalnum() and not text[at].isspace():
        at += 1
    return at
