"""The formulas of the description, and the differences of the program of 2007."""

from __future__ import annotations

import random

import pytest

from webgrain.layouts.webstemmer import (
    MAX_PAIRS,
    BlockSequence,
    OriginalWebstemmer,
    Webstemmer,
    block_sequence,
    pairs_of,
)
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import WEBSTEMMER

BOTH = pytest.mark.parametrize("kind", [Webstemmer, OriginalWebstemmer])


def page(name: str, html: str) -> BlockSequence:
    return block_sequence(parse(Source(name, html.encode())), WEBSTEMMER)


@BOTH
def test_similarity_by_hand(kind) -> None:
    a = page("a", "<div id=x>aaaaa</div><div id=y>bbbbbbbbbb</div>")
    b = page("b", "<div id=x>ccccc</div><div id=z>dddddddddd</div><div id=y>eeeeeeeeee</div>")
    assert kind().similarity(a, b) == pytest.approx(30 / 40)
    assert kind().similarity(a, a) == 1.0
    assert kind().similarity(a, b) == kind().similarity(b, a)


@BOTH
def test_repeated_blocks_are_one(kind) -> None:
    a = page("a", "<div><p>first<p>second<p>third</div>")
    b = page("b", "<div><p>first</div>")
    assert kind().similarity(a, b) == 1.0


@BOTH
def test_clusters(kind) -> None:
    pages = [page(f"{kind}/{n}", f"<div id={kind}>some words {n}</div>") for kind in "xy" for n in range(3)]
    assert sorted(map(sorted, kind().clusters(pages))) == [[0, 1, 2], [3, 4, 5]]
    assert kind().clusters([]) == []


def test_complete_linkage_joins_the_most_similar_first() -> None:
    html = ["<div id=x>aaaaaaaaaa</div>", "<div id=x>aaaaaaaaaa</div><div id=y>bbbbb</div>"]
    html.append("<div id=x>aaaaaaaaaa</div><div id=y>bbbbb</div><div id=z>ccccc</div>")
    pages = [page(str(n), each) for n, each in enumerate(html)]
    assert sorted(map(sorted, Webstemmer(cluster_threshold=0.75).clusters(pages))) == [[0], [1, 2]]


def test_long_texts_differ_for_the_program_more_than_by_their_common_subsequence() -> None:
    rng = random.Random(1)
    a, b = ("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=1100)) for _ in range(2))
    assert OriginalWebstemmer().diff_score([a, b]) > 0.95
    assert 0.5 < Webstemmer().diff_score([a, b]) < 0.75


@BOTH
def test_the_same_text_does_not_differ(kind) -> None:
    assert kind().diff_score(["menu"] * 5) == 0.0
    assert kind().diff_score(["", ""]) == 0.0
    assert kind().diff_score(["abc", "xyz"]) == 1.0


def test_pairs_are_all_or_spread_evenly() -> None:
    assert pairs_of(4) == [(0, 1), (0, 2), (1, 2), (0, 3), (1, 3), (2, 3)]
    many = pairs_of(2000)
    assert len(set(many)) == len(many) == MAX_PAIRS
    assert all(0 <= i < j < 2000 for i, j in many)
    assert max(j for _, j in many) > 1900


@BOTH
def test_scores_and_title_of_a_layout(kind) -> None:
    texts = (
        "Harbour master keeps the light on all winter long",
        "Bakers say that salt water makes bread rise",
    )
    pages = [
        page(f"{n}", f"<h1>Heading number {word}</h1><div id=menu>always the same</div><p>{text}")
        for n, (word, text) in enumerate(zip(("seven", "forty"), texts, strict=True))
    ]
    anchors = {"0": {"Heading number seven": 2}, "1": {"Heading number forty": 1}}
    method = kind(title_threshold=0.2, pattern_threshold=0.0).fit_groups([pages], anchors)
    [pattern] = method.patterns_
    assert [section.feature for section in pattern.sections] == ["h1", "div:id=menu", "p"]
    head, menu, text = pattern.sections
    assert menu.diff == menu.main == 0.0
    assert 0 < head.diff < text.diff <= 1
    letters = sum(len("".join(text.split())) for text in texts) / 2
    assert text.main == pytest.approx(text.diff * letters)
    assert pattern.score == pytest.approx(0.6931471805599453 * sum(s.main for s in pattern.sections))
    assert pattern.pages == ("0", "1")
    assert pattern.title == (-1 if head.diff < 0.2 or kind is Webstemmer else 0)


def test_a_single_page_is_no_layout() -> None:
    assert Webstemmer().fit_groups([[page("a", "<p>Some text")]], {}).patterns_ == ()


def test_a_title_is_like_the_text_that_has_its_words_in_order() -> None:
    main = "the boat that was lost in a storm came back last week"
    assert Webstemmer().title_similarity("the boat that came back", main) == 1.0
    assert Webstemmer().title_similarity("back came the boat", main) == 0.5
    assert OriginalWebstemmer().title_similarity(
        "the boat that", main
    ) > OriginalWebstemmer().title_similarity("back boat the", main)
