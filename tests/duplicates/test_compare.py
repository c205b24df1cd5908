from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from webgrain.duplicates import compare as module
from webgrain.duplicates.compare import Comparison, align, compare_texts
from webgrain.duplicates.shingles import shingles
from webgrain.duplicates.sketches import PageText


def words(name: str, n: int) -> str:
    return " ".join(f"{name}{k}" for k in range(n))


NEWS = f"A headline\n{words('news', 40)}.\n{words('more', 30)}"


def side_by_side(left: str, right: str) -> Comparison:
    return compare_texts(PageText("a", left), PageText("b", right))


def test_the_same_content_in_another_frame() -> None:
    found = side_by_side(f"{words('menu', 30)}\n{NEWS}", f"{words('other', 40)}\n{NEWS} today")
    assert found.verdict.value == "near-duplicate"
    assert [row.relation for row in found.rows()] == ["changed", "equal", "equal", "changed"]
    assert (found.right.words, found.right.shared) == (113, 72)
    assert found.right.only(20) == "other0 other1 other…"


def test_resemblance_and_containment_are_those_of_all_shingles() -> None:
    left, right = f"{words('a', 50)} {words('b', 50)}", f"{words('a', 50)} {words('c', 70)}"
    found = side_by_side(left, right)
    x, y = (set(shingles(text).tolist()) for text in (left, right))
    assert found.resemblance == pytest.approx(len(x & y) / len(x | y))
    assert found.in_right == pytest.approx(len(x & y) / len(x))
    assert found.in_left == pytest.approx(len(x & y) / len(y))


@pytest.mark.parametrize(
    ("left", "right", "site", "expected"),
    [
        (NEWS, NEWS.upper(), None, "same-page"),
        (NEWS, f"{NEWS} {words('x', 5)}", None, "same-content"),
        (NEWS, f"{NEWS} {words('x', 60)}", "a", "near-duplicate"),
        (NEWS, f"{NEWS} {words('x', 90)}", None, "near-duplicate"),
        (NEWS, f"{NEWS} {words('x', 90)}", "a", "contains"),
        (NEWS, f"{NEWS} {words('x', 900)}", None, "contains"),
        (NEWS, words("x", 90), "a", "distinct"),
        (f"{words('m', 60)} {words('x', 9)}", f"{words('m', 60)} {words('y', 99)}", "a", "same-template"),
        ("A lamp in blue", "A lamp in red", "a", "distinct"),
        ("", "", None, "same-page"),
    ],
)
def test_verdicts_on_two_pages(left: str, right: str, site: str | None, expected: str) -> None:
    found = compare_texts(PageText("a", left, site=site), PageText("b", right, site=site))
    assert found.verdict.value == expected


def test_equal_texts_are_one_page() -> None:
    found = side_by_side(f"Home\n{NEWS}", f"Home\n{NEWS}")
    assert found.verdict.value == "same-page"
    assert {row.relation for row in found.rows()} == {"equal"}


def test_the_words_that_differ_are_marked() -> None:
    left = "one two three four five six seven eight nine ten"
    right = left.replace("ten", "eleven twelve.")
    (line,) = side_by_side(left, right).right.lines
    assert [(run.text, run.shared) for run in line.runs] == [
        ("one two three four five six seven eight nine", True),
        (" eleven twelve.", False),
    ]


@pytest.mark.parametrize("seed", range(25))
def test_lines_are_the_text_cut_up(seed: int) -> None:
    rng = np.random.default_rng(seed)
    pool = ["one", "two", "«three»", "four,", "five.", "\n", "東京", "six's", "  ", "…"]
    texts = [" ".join(rng.choice(pool, int(rng.integers(1, 80)))) for _ in range(2)]
    found = side_by_side(texts[0], texts[1])
    for side, text in zip((found.left, found.right), texts, strict=True):
        assert [line.text for line in side.lines] == [line for line in text.split("\n") if line]
        assert side.words == len(module.located_words(text)[0])
    rows = list(found.rows())
    assert [row.left for row in rows if row.left] == list(found.left.lines)
    assert [row.right for row in rows if row.right] == list(found.right.lines)


def test_nothing_to_compare() -> None:
    found = side_by_side("", "")
    assert (found.verdict.value, found.resemblance, list(found.rows())) == ("same-page", None, [])


def test_long_pages_are_cut_off_and_noted() -> None:
    text = "\n".join(f"line {k % 7} of many" for k in range(100_000))
    found = side_by_side(text, text[5:])
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
