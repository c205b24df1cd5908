"""The formulas of the description, and the differences of the program of 2007."""

from __future__ import annotations

import random
from math import log

import pytest

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import WEBSTEMMER
from webgrain.papers.webstemmer import (
    MAX_PAIRS,
    BlockSequence,
    Pattern,
    Section,
    Webstemmer,
    block_sequence,
    cluster_pages,
    common_letters,
    diff_score,
    find_title,
    page_similarity,
    pairs_of,
    share_of_words,
)
from webgrain.papers.webstemmer2007 import (
    OriginalWebstemmer,
    cluster_greedily,
    find_title_as_2007,
    matching_letters,
    matching_similarity,
    squared_matches,
)

BOTH = pytest.mark.parametrize("kind", [Webstemmer, OriginalWebstemmer])
SIMILARITIES = pytest.mark.parametrize("similarity", [page_similarity, matching_similarity])
CLUSTERINGS = pytest.mark.parametrize("clusters", [cluster_pages, cluster_greedily])
COMMON = pytest.mark.parametrize("common", [common_letters, matching_letters])


def page(name: str, html: str) -> BlockSequence:
    return block_sequence(parse(Source(name, html.encode())), WEBSTEMMER)


@SIMILARITIES
def test_similarity_by_hand(similarity) -> None:
    a = page("a", "<div id=x>aaaaa</div><div id=y>bbbbbbbbbb</div>")
    b = page("b", "<div id=x>ccccc</div><div id=z>dddddddddd</div><div id=y>eeeeeeeeee</div>")
    assert similarity(a, b) == pytest.approx(30 / 40)
    assert similarity(a, a) == 1.0
    assert similarity(a, b) == similarity(b, a)


@SIMILARITIES
def test_repeated_blocks_are_one(similarity) -> None:
    a = page("a", "<div><p>first<p>second<p>third</div>")
    b = page("b", "<div><p>first</div>")
    assert similarity(a, b) == 1.0


@CLUSTERINGS
def test_clusters(clusters) -> None:
    pages = [page(f"{name}/{n}", f"<div id={name}>some words {n}</div>") for name in "xy" for n in range(3)]
    assert sorted(map(sorted, clusters(pages, 0.97))) == [[0, 1, 2], [3, 4, 5]]
    assert clusters([], 0.97) == []


def test_complete_linkage_joins_the_most_similar_first() -> None:
    html = ["<div id=x>aaaaaaaaaa</div>", "<div id=x>aaaaaaaaaa</div><div id=y>bbbbb</div>"]
    html.append("<div id=x>aaaaaaaaaa</div><div id=y>bbbbb</div><div id=z>ccccc</div>")
    pages = [page(str(n), each) for n, each in enumerate(html)]
    assert sorted(map(sorted, cluster_pages(pages, 0.75))) == [[0], [1, 2]]


def test_long_texts_differ_for_the_program_more_than_by_their_common_subsequence() -> None:
    rng = random.Random(1)
    a, b = ("".join(rng.choices("abcdefghijklmnopqrstuvwxyz", k=1100)) for _ in range(2))
    assert diff_score([a, b], matching_letters) > 0.95
    assert 0.5 < diff_score([a, b]) < 0.75


@COMMON
def test_the_same_text_does_not_differ(common) -> None:
    assert diff_score(["menu"] * 5, common) == 0.0
    assert diff_score(["", ""], common) == 0.0
    assert diff_score(["abc", "xyz"], common) == 1.0


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
    assert share_of_words("the boat that came back", main) == 1.0
    assert share_of_words("back came the boat", main) == 0.5
    assert squared_matches("the boat that", main) > squared_matches("back boat the", main)


# The thresholds of the description and of the program: a value on either side of each.


def layout(*sections: tuple[float, float, str], title: int = -1, kind=Webstemmer) -> Webstemmer:
    """Return a method with one layout."""
    method = kind()
    method.patterns_ = (Pattern(200.0, "a", title, tuple(Section(*section) for section in sections)),)
    return method


def kinds(method: Webstemmer, html: str) -> list[str]:
    return [block.kind for block in method.predict(html).blocks]


@BOTH
def test_the_defaults_are_those_of_the_program(kind) -> None:
    published = {
        "cluster_threshold": 0.97,
        "title_threshold": 0.6,
        "pattern_threshold": 100.0,
        "match_threshold": 0.8,
        "diff_threshold": 0.5,
        "main_threshold": 50.0,
        "strict": False,
        "mangle": None,
    }
    assert kind().get_params() == published


@pytest.mark.parametrize(
    ("kind", "similarity", "clusters"),
    [
        (Webstemmer, page_similarity, cluster_pages),
        (OriginalWebstemmer, matching_similarity, cluster_greedily),
    ],
)
@pytest.mark.parametrize(("common", "together"), [(970, True), (969, False)])
def test_pages_of_a_layout_have_a_similarity_of_at_least_97_percent(
    kind, similarity, clusters, common: int, together: bool
) -> None:
    pages = [
        page(name, f"<div id=x>{letter * common}</div><div id={name}>{letter * (1000 - common)}</div>")
        for name, letter in (("y", "a"), ("z", "b"))
    ]
    assert similarity(*pages) == common / 1000
    assert len(clusters(pages, kind().cluster_threshold)) == (1 if together else 2)


@BOTH
@pytest.mark.parametrize(("common", "length", "title"), [(23, 38, 0), (24, 40, -1)])
def test_a_title_is_similar_to_links_by_more_than_60_percent(kind, common, length, title) -> None:
    # 46 of 76 characters are .605; 48 of 80 are .6.
    pages, anchors = [], {}
    for name, (first, second, other, main) in {"0": "abcd", "1": "efgh"}.items():
        text = first * common + second * (length - common)
        pages.append(page(name, f"<h1>{text}</h1><p>{main * 150}"))
        anchors[name] = {first * common + other * (length - common): 1}
    [pattern] = kind().fit_groups([pages], anchors).patterns_
    assert [section.diff for section in pattern.sections] == [1.0, 1.0]
    assert pattern.title == title


@pytest.mark.parametrize(("words", "title"), [(3, -1), (4, 0)])
def test_without_links_more_than_60_percent_of_the_words_of_a_title_are_in_the_main_text(
    words, title
) -> None:
    # Five words, three or four of which are in the main text.
    letters = "abcde", "fghij"
    pages = [
        page(str(n), f"<h1>{' '.join(own)}</h1><p>{' '.join(own[:words])} {'xy'[n] * 150}")
        for n, own in enumerate(letters)
    ]
    assert Webstemmer().fit_groups([pages], {}).patterns_[0].title == title


@pytest.mark.parametrize(("common", "title"), [(3, -1), (4, 0)])
def test_the_program_compares_a_title_and_the_main_text_by_squares_of_common_parts(common, title) -> None:
    # 3 of 10 letters in one part: 9 / 10 is not above 1; 4 of 10 letters: 16 / 10 is.
    pages = [
        page(str(n), f"<h1>{own}</h1><p>{'xy'[n] * 150}{own[:common]}")
        for n, own in enumerate(("abcdefghij", "klmnopqrst"))
    ]
    assert OriginalWebstemmer().fit_groups([pages], {}).patterns_[0].title == title


@pytest.mark.parametrize(("diff", "title"), [(0.5, 0), (0.49, -1)])
def test_static_text_is_no_title(diff: float, title: int) -> None:
    texts = [["one title"], ["main text"]]
    links = [["one title"]]
    assert find_title(texts, [diff, 1.0], [0.0, 9.0], links, 0.6) == title


@pytest.mark.parametrize(("diff", "title"), [(0.61, 0), (0.59, -1)])
def test_the_program_weights_the_similarity_of_a_title_by_its_diffscore(diff: float, title: int) -> None:
    texts = [["one title"], ["main text"]]
    links = [["one title"]]
    assert find_title_as_2007(texts, [diff, 1.0], [0.0, 9.0], links, 0.6) == title


@BOTH
def test_a_layout_of_articles_has_a_score_of_at_least_100(kind) -> None:
    # ln 2 * 145 = 100.5, ln 2 * 144 = 99.8.
    for length, known in ((145, True), (144, False)):
        pages = [page(name, f"<p>{name * length}") for name in "ab"]
        patterns = kind().fit_groups([pages], {}).patterns_
        assert len(patterns) == known
        assert all(pattern.score == pytest.approx(log(2) * length) for pattern in patterns)
        assert kind(pattern_threshold=log(2) * length).fit_groups([pages], {}).patterns_


@BOTH
@pytest.mark.parametrize(("length", "verdict"), [(81, "article"), (80, "unknown")])
def test_more_than_80_percent_of_a_page_match_its_layout(kind, length: int, verdict: str) -> None:
    method = layout((1.0, 60.0, "p"), kind=kind)
    assert method.predict(f"<p>{'a' * length}</p><h2>{'b' * (100 - length)}").verdict == verdict


@BOTH
@pytest.mark.parametrize(("diff", "main", "expected"), [
    (0.5, 50.0, ["paragraph"]),
    (0.49, 50.0, []),
    (0.5, 49.5, ["sub"]),
])  # fmt: skip
def test_main_text_has_a_diffscore_of_half_and_a_mainscore_of_50(kind, diff, main, expected) -> None:
    assert kinds(layout((diff, main, "p"), kind=kind), "<p>some text") == expected


@BOTH
def test_main_text_is_after_the_title(kind) -> None:
    sections = (0.9, 90.0, "h2"), (0.1, 0.0, "h1"), (0.9, 90.0, "p")
    html = "<h2>before</h2><h1>title</h1><p>after"
    assert kinds(layout(*sections, title=1, kind=kind), html) == ["sub", "title", "paragraph"]


def test_a_strict_layout_has_all_its_sections() -> None:
    method = layout((1.0, 60.0, "p"), (1.0, 60.0, "h2"))
    assert method.predict("<p>some text").verdict == "article"
    assert method.set_params(strict=True).predict("<p>some text").verdict == "unknown"


def test_a_feature_has_three_elements_and_the_layout_attributes() -> None:
    html = "<table id=t><tr><td id=C class='A b' align=left valign=top rowspan=2 colspan=3 title=x width=9>"
    [feature] = page("a", f"<div>{html}<p>some text").features
    cell = "td:align=left:class=a b:colspan=3:id=c:rowspan=2:valign=top"
    assert feature == f"tr/{cell}/p"


def test_diffscore_by_hand() -> None:
    # 3 pairs with 4 + 4 characters each; 2, 1 and 1 of 4 are common: 24 - 2 * 4 = 16 of 24 differ.
    assert diff_score(["abcd", "abxy", "aefg"]) == pytest.approx(16 / 24)


def test_the_mainscore_of_the_program_counts_characters_outside_links() -> None:
    pages = [page(name, f"<p>{name * 200}<a href=x>{name * 100}</a>") for name in "ab"]
    for kind, characters in ((Webstemmer, 300), (OriginalWebstemmer, 200)):
        [pattern] = kind().fit_groups([pages], {}).patterns_
        assert [section.main for section in pattern.sections] == [characters]


def test_the_program_drops_blocks_with_fewer_than_five_word_characters() -> None:
    html = Source("a", b"<p>a, bcd!</p><h2>a, bcde!</h2>")
    assert OriginalWebstemmer().sequence(parse(html)).features == ("h2",)
    assert Webstemmer().sequence(parse(html)).features == ("p", "h2")
