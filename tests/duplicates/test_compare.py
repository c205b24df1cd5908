from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from webgrain.duplicates import compare as module
from webgrain.duplicates.compare import Comparison, align, compare
from webgrain.duplicates.index import Document
from webgrain.duplicates.minhash import shingles
from webgrain.duplicates.repeats import PageText, Part


def words(name: str, n: int) -> str:
    return " ".join(f"{name}{k}" for k in range(n))


NEWS = f"A headline\n{words('news', 40)}.\n{words('more', 30)}"


def laid_side_by_side(left: tuple[str, str], right: tuple[str, str]) -> Comparison:
    """Compare two pages of a frame and a main content each."""
    pages, documents = [], []
    for name, (frame, content) in zip("ab", (left, right), strict=True):
        parts = (Part(frame, len(frame), ("/nav",)), Part(content, len(content), ("/main",)))
        pages.append(PageText(name, f"{frame}\n{content}", parts))
        documents.append(Document(name, f"{frame}\n{content}", content, path=("/main",)))
    return compare(pages, documents, 0.8)


def test_the_same_content_in_another_frame() -> None:
    found = laid_side_by_side((words("menu", 100), NEWS), (words("other", 150), NEWS + " today"))
    assert found.verdict.value == "same-content"
    assert found.content == pytest.approx(67 / 68)
    assert found.frame == 0.0
    assert [row.kind for row in found.rows()] == ["changed", "equal", "equal", "changed"]
    main = found.right.segments[1]
    assert (main.main, main.words, main.shared, main.path) == (True, 73, 72, ("/main",))
    assert [segment.main for segment in found.left.segments] == [False, True]


def test_resemblance_is_that_of_all_shingles() -> None:
    left, right = f"{words('a', 50)} {words('b', 50)}", f"{words('a', 50)} {words('c', 70)}"
    found = compare([PageText(x, x) for x in (left, right)], [Document(x, x) for x in (left, right)], 0.8)
    x, y = (set(shingles(text).tolist()) for text in (left, right))
    assert found.whole == pytest.approx(len(x & y) / len(x | y))
    assert (found.content, found.frame, found.verdict.value) == (None, None, "distinct")


def test_equal_texts_are_identical() -> None:
    found = laid_side_by_side(("Home", NEWS), ("Home", NEWS))
    assert found.verdict.value == "identical"
    assert {row.kind for row in found.rows()} == {"equal"}


def test_the_words_that_differ_are_told() -> None:
    left = "one two three four five six seven eight nine ten"
    right = left.replace("ten", "eleven twelve.")
    found = compare([PageText(x, x) for x in (left, right)], [Document(x, x) for x in (left, right)], 0.8)
    (line,) = found.right.lines
    assert [(run.text, run.shared) for run in line.runs] == [
        ("one two three four five six seven eight nine", True),
        (" eleven twelve.", False),
    ]


@pytest.mark.parametrize("seed", range(25))
def test_lines_are_the_text_cut_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = ["one", "two", "«three»", "four,", "five.", "\n", "東京", "six's", "  ", "…"]
    texts = [" ".join(rng.choice(pool, int(rng.integers(1, 80)))) for _ in range(2)]
    found = compare([PageText(x, x) for x in texts], [Document(x, x) for x in texts], 0.8)
    for side, text in zip((found.left, found.right), texts, strict=True):
        assert [line.text for line in side.lines] == [line for line in text.split("\n") if line]
        assert sum(segment.words for segment in side.segments) == len(module.located_words(text)[0])
    rows = list(found.rows())
    assert [row.left for row in rows if row.left] == list(found.left.lines)
    assert [row.right for row in rows if row.right] == list(found.right.lines)


def test_nothing_to_compare() -> None:
    found = compare([PageText("a", ""), PageText("b", "")], [Document("a", ""), Document("b", "")], 0.8)
    assert (found.verdict.value, found.whole, list(found.rows())) == ("identical", None, [])


def test_long_pages_are_cut_off_and_said() -> None:
    text = "\n".join(f"line {k % 7} of many" for k in range(100_000))
    found = compare(
        [PageText("a", text), PageText("b", text[5:])], [Document("a", text), Document("b", text)], 0.8
    )
    rows = list(found.rows())
    assert found.left.more == 100_000 - module.MAX_LINES
    assert len(rows) <= 2 * module.MAX_LINES


@pytest.mark.parametrize("seed", range(60))
def test_aligned_lines_are_equal_and_in_order(seed: int) -> None:
    rng = np.random.default_rng(seed)
    left, right = (list(map(str, rng.integers(12, size=int(rng.integers(12))))) for _ in range(2))
    pairs = align(left, right)
    assert all(left[i] == right[j] for i, j in pairs)
    assert all(a < c and b < d for (a, b), (c, d) in pairwise(pairs))
    alike = [k for k, (x, y) in enumerate(zip(left, right, strict=False)) if x != y]
    start = alike[0] if alike else min(len(left), len(right))
    assert pairs[:start] == [(k, k) for k in range(start)] or len(pairs) >= start


def test_the_most_lines_that_keep_their_order_are_aligned() -> None:
    assert align(list("abcdefg"), list("gabxcde")) == [(0, 1), (1, 2), (2, 4), (3, 5), (4, 6)]
    assert align(list("abc"), list("abc")) == [(0, 0), (1, 1), (2, 2)]
    assert align([], ["a"]) == []
