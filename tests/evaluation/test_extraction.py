from __future__ import annotations

import json
import re
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
from experiments.metrics import same_title, token_f1
from hypothesis import given
from hypothesis import strategies as st

from webgrain.base.errors import InputError
from webgrain.base.metrics import tokens
from webgrain.evaluation.extraction import (
    Extraction,
    Extractor,
    ReferencePage,
    added,
    count_page,
    days,
    evaluate_extractors,
    matching_posts,
    measures,
    nothing,
    read_reference_pages,
    summaries,
)
from webgrain.evaluation.extractors import baselines, largest_container, webgrain_alone, whole_page
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from pathlib import Path

    from webgrain.page.page import Page


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("Don't stop", ["don", "t", "stop"]),
        ("ABC_def 1.2", ["abc", "def", "1", "2"]),
        ("五四chen科学院", ["五", "四", "chen", "科", "学", "院"]),
        ("ひらカナ한국어", ["ひ", "ら", "カ", "ナ", "한국어"]),
        (" \n", []),
    ],
)
def test_tokens(text: str, found: list[str]) -> None:
    assert tokens(text) == found


def test_repeated_tokens_count_as_often_as_they_stand() -> None:
    assert token_f1("a a b", "a b b").f1 == pytest.approx(2 / 3)
    assert token_f1("a", "").f1 == 0.0
    assert token_f1("", "a").f1 == 0.0
    assert token_f1("", "").f1 == 1.0


def test_titles() -> None:
    assert same_title("A\u00a0Title", " a title ")
    assert not same_title("A title", "A title!")


# The measures of extraction.

STORY = "It rained for a week and nobody left the house."
PAGE = parse(f"<title>Rain | News</title><h1>Rain</h1><p>{STORY}</p>")


def reference(**known: Any) -> ReferencePage:
    return ReferencePage(Source("a.html", b""), **known)


def measured(known: dict[str, Any], extracted: dict[str, Any]) -> dict[str, float]:
    return measures(count_page(reference(**known), PAGE, Extraction(**extracted)))


def test_what_is_not_known_or_not_extracted_is_not_measured() -> None:
    everything = Extraction("t", "<p>t", ("c",), "T", ("A",), "2020-01-01", "en", "d")
    assert measures(count_page(reference(), PAGE, everything)) == {}
    known = {
        "text": "t", "html": "<p>t", "included": ("t",), "opening": "t", "posts": ("c",),
        "in_comments": ("c",), "title": "T", "authors": ("A",), "date": "2020-01-01",
        "language": "en", "description": "d",
    }  # fmt: skip
    assert measured(known, {}) == {}


def test_words_of_the_text() -> None:
    result = measured({"text": "one two three four"}, {"text": "Two, three! Five"})
    assert result["precision"] == pytest.approx(2 / 3)
    assert result["recall"] == 0.5
    assert result["f1"] == pytest.approx(4 / 7)
    assert result["low"] == 0.0
    assert measured({"text": "one two three four"}, {"text": "one"})["low"] == 1.0  # F1 .4


def test_snippets_as_in_the_evaluation_of_trafilatura() -> None:
    known = {"included": ("a  week", "the house", "snow"), "excluded": ("Menu", "rained for")}
    result = measured(known, {"text": STORY.replace(" house", "\n\nhouse")})
    assert (result["included"], result["excluded"]) == (pytest.approx(2 / 3), 0.5)
    assert result["snippet_f1"] == pytest.approx(2 * 2 / (2 * 2 + 1 + 1))  # TP 2, FP 1, FN 1
    assert measured(known, {"text": ""})["snippet_f1"] == 0.0


def test_the_opening_words_are_compared_by_letters() -> None:
    known = {"opening": "It rained\u00a0for a weekand"}
    assert measured(known, {"text": STORY})["opening"] == 1.0
    assert measured(known, {"text": STORY[3:]})["opening"] == 0.0


def test_elements_of_pages_count_the_same_and_together() -> None:
    first = count_page(
        reference(html="<h2>T</h2><li>a<li>b<li>c"), PAGE, Extraction(html="<h1>T</h1><li>a", title="T")
    )
    second = count_page(reference(html="<li>a"), PAGE, Extraction(html="<li>a<li>b"))
    result = measures(added([first, second]))
    assert result["item_recall"] == pytest.approx((1 / 3 + 1) / 2)
    assert result["item_precision"] == pytest.approx((1 + 1 / 2) / 2)
    assert (result["item_recall_all"], result["item_precision_all"]) == (2 / 4, 2 / 3)
    assert "heading_recall" not in result  # the only heading is the title


def test_containers_need_the_page() -> None:
    page = parse(f"<p>{STORY}</p><div><p>One two three four five six.<p>Seven eight nine ten eleven.</div>")
    extraction = Extraction(text=f"{STORY} One two three four five six. Seven eight nine ten eleven.")
    result = measures(count_page(reference(text=STORY), page, extraction))
    assert (result["false"], result["false_largest"]) == (1.0, 11.0)
    assert (result["lost"], result["lost_largest"]) == (0.0, 0.0)
    result = measures(count_page(reference(text=extraction.text), page, Extraction(text=STORY)))
    assert (result["lost"], result["lost_largest"], result["false"]) == (1.0, 11.0, 0.0)


POSTS = ("Where do I find the rain gauge?", "On the roof of the school.", "Thank you, it was there.")


def test_a_thread_whose_posts_are_all_right() -> None:
    result = measured({"posts": POSTS, "thread": True}, {"text": POSTS[0], "posts": POSTS[1:]})
    names = ("f1", "post_f1", "post_recall", "post_precision", "first_post")
    assert [result[name] for name in names] == [1.0] * 5


def test_a_thread_that_is_read_as_one_text() -> None:
    result = measured({"posts": POSTS, "thread": True}, {"text": " ".join(POSTS), "posts": ()})
    assert result["post_f1"] == 1.0
    assert (result["post_recall"], result["post_precision"], result["first_post"]) == (0.0, 0.0, 0.0)


def test_comments_below_an_article() -> None:
    known = {"text": STORY, "posts": POSTS[1:]}
    result = measured(known, {"text": STORY, "posts": (POSTS[2], "Share", "Like")})
    assert (result["post_recall"], result["post_precision"]) == (1 / 2, 1 / 3)
    assert result["f1"] == 1.0
    assert "first_post" not in result
    result = measured(known, {"text": f"{STORY} {POSTS[1]} {POSTS[2]}"})  # a program without comments
    assert result["post_f1"] == 1.0
    assert "post_recall" not in result


def test_texts_in_comments() -> None:
    known = {"in_comments": ("the roof", "Thank you")}
    result = measured(known, {"text": f"{STORY} {POSTS[2]}", "posts": POSTS[1:2]})
    assert (result["in_comments"], result["not_in_text"]) == (0.5, 0.5)


@given(st.lists(st.sampled_from("abcde"), max_size=5), st.lists(st.sampled_from("abcde"), max_size=5))
def test_pairs_of_equal_posts_are_as_many_as_possible(first: list[str], second: list[str]) -> None:
    assert matching_posts(first, second) == (Counter(first) & Counter(second)).total()


def test_similar_posts_are_the_same_from_an_f1_of_eighty_per_cent() -> None:
    assert matching_posts(["one two three four five"], ["one two three four"]) == 1  # F1 8 / 9
    assert matching_posts(["one two three four five"], ["one two three four six"]) == 1  # F1 .8
    assert matching_posts(["one two three four"], ["one two three five"]) == 0
    assert matching_posts(["a b c d e"], ["a b c d x", "a b c d e"]) == 1
    assert matching_posts(["a b c d e", "a b c d x"], ["a b c d e"]) == 1
    assert matching_posts([], ["a"]) == matching_posts([], []) == 0


@pytest.mark.parametrize(
    ("true", "extracted", "outcome"),
    [
        (("Kim Berg",), ("KIM BERG",), "right"),
        (("By Kim Berg and Jo Lund",), ("Jo Lund", "Kim Berg"), "right"),
        (("Kim Berg",), ("Kim",), "wrong"),
        (("Kim Berg",), (), "missing"),
        ((), ("Kim",), "invented"),
    ],
)
def test_authors(true: tuple[str, ...], extracted: tuple[str, ...], outcome: str) -> None:
    result = measured({"authors": true}, {"authors": extracted})
    assert {name for name, value in result.items() if value} == {f"author_{outcome}"}


def test_no_author_is_stated_and_none_found() -> None:
    assert measured({"authors": ()}, {"authors": ()}) == {"author_invented": 0.0}


@pytest.mark.parametrize(
    ("true", "extracted", "outcome"),
    [
        ("2020-03-04", "2020-03-04T23:59:00-05:00", "right"),
        ("2020-03-04", "2020-03-05", "wrong"),
        ("2020-03-04T15:00:00.000Z", "2020-03-05", "right"),
        ("2020-03-04T15:00:00.000Z", "2020-03-03", "wrong"),
        ("2020-03-04T00:00:00.000Z", "2020-03-03", "wrong"),
        ("2020-03-04", "", "missing"),
        ("", "2020-03-04", "invented"),
    ],
)
def test_dates(true: str, extracted: str, outcome: str) -> None:
    result = measured({"date": true}, {"date": extracted})
    assert {name for name, value in result.items() if value} == {f"date_{outcome}"}


def test_titles_and_languages() -> None:
    known = {"title": "It's 5 o'clock", "language": "en-US", "description": "Rain."}
    right = {"title": "it\u2019s 5 O'Clock", "language": "EN_gb", "description": "rain"}
    assert measured(known, right) == {"title": 1.0, "language": 1.0, "description": 1.0}
    wrong = {"title": "5 o'clock it's", "language": "eng", "description": ""}
    assert measured(known, wrong) == {"title": 0.0, "language": 0.0, "description": 0.0}


# Programs.


def test_a_program_that_fails_counts_as_one_that_finds_nothing() -> None:
    def fails(_: Page) -> Extraction:
        raise RuntimeError("no tree")

    pages = [ReferencePage(Source("a", b"<p>One"), group="g", text="One", date="", title="T")]
    programs = [
        Extractor("broken", ("text", "date"), fails),
        Extractor("mute", ("text", "date"), lambda _: nothing(["text", "date"])),
    ]
    broken, mute = evaluate_extractors(pages, programs)
    assert (broken.error, mute.error) == ("RuntimeError: no tree", None)
    assert broken.counts == mute.counts
    assert measures(broken.counts)["f1"] == 0.0
    assert "title" not in measures(broken.counts)
    assert list(summaries([broken, mute])) == [("g", "broken"), ("g", "mute")]


def test_webgrain_and_the_baselines_on_a_page() -> None:
    text = " ".join(f"Sentence number {k} is about the weather of the last week." for k in range(12))
    body = (
        f"<html lang=en><title>Rain | News</title><meta name=author content='Kim Berg'><body>"
        f"<nav><a href=/>Home</a> <a href=/a>About us</a></nav><div>Printed on 5 May 2021</div>"
        f"<main><h1>Rain</h1><p>{text}</p><p>{text}</p></main>"
    ).encode()
    page = ReferencePage(
        Source("a", body), text=f"{text}\n{text}", html=f"<p>{text}<p>{text}", title="Rain",
        authors=("Kim Berg",), date="", language="en",
    )  # fmt: skip
    results = {
        one.extractor: measures(one.counts)
        for one in evaluate_extractors([page], [webgrain_alone(), *baselines()])
    }
    assert results["webgrain"]["f1"] == results["largest container"]["recall"] == 1.0
    assert results["all visible text"]["recall"] == 1.0 > results["all visible text"]["precision"]
    assert (results["webgrain"]["title"], results["all visible text"]["title"]) == (1.0, 0.0)
    assert results["all visible text"]["author_right"] == results["all visible text"]["language"] == 1.0
    assert results["all visible text"]["date_invented"] == 1.0
    assert "author_right" not in results["largest container"]


def test_the_largest_container_of_an_empty_page() -> None:
    assert largest_container(parse("")) == Extraction(text="", posts=())
    assert whole_page(parse("")).title == ""


# Files of truths.


def write_truths(folder: Path, *records: Any) -> Path:
    (folder / "a.html").write_bytes(b"<p>One")
    (folder / "truths.jsonl").write_text("\n".join(map(json.dumps, records)))
    return folder / "truths.jsonl"


def test_a_file_of_truths(tmp_path: Path) -> None:
    record = {
        "page": "a.html", "url": "https://example.org/", "group": "shop", "kind": "product",
        "posts": ["One", "two"], "thread": True, "authors": [], "date": "",
        "included": ["One"], "other": 3, "title": None,
    }  # fmt: skip
    (page,) = read_reference_pages(write_truths(tmp_path, record))
    assert (page.source.id, page.source.url, page.source.body) == (
        "a.html",
        "https://example.org/",
        b"<p>One",
    )
    assert (page.group, page.kind, page.thread, page.posts) == ("shop", "product", True, ("One", "two"))
    assert (page.authors, page.date, page.title, page.text) == ((), "", None, None)
    assert page.whole == "One\n\ntwo"


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ({}, "expected a record with the path of a page as page"),
        ([], "expected a record"),
        ({"page": "../a.html"}, "below the folder of the file"),
        ({"page": "b.html"}, "the page 'b.html' is not there"),
        ({"page": "a.html", "text": 3}, "expected text as a text, got 3"),
        ({"page": "a.html", "posts": "One"}, "expected posts as a list of texts, got 'One'"),
        ({"page": "a.html", "authors": [1]}, "expected authors as a list of texts"),
        ({"page": "a.html", "thread": "yes"}, "expected thread as true or false, got 'yes'"),
    ],
)
def test_an_invalid_record_is_an_error(tmp_path: Path, record: Any, reason: str) -> None:
    with pytest.raises(InputError, match=re.escape(reason)):
        list(read_reference_pages(write_truths(tmp_path, record)))


@pytest.mark.parametrize("date", ["9999-12-31T23:59:59Z", "2020-01-01T99:99Z"])
def test_a_date_that_cannot_be_shifted_is_a_day(date):
    assert days(date) == {date[:10]}


def test_dates_are_compared_as_far_as_the_true_one_is_known():
    source = Source("a", b"<p>One")
    for true, right in (("2020", 1), ("2020-05", 1), ("2020-06", 0), ("2020-05-03", 1)):
        counts = count_page(ReferencePage(source, date=true), parse(source), Extraction(date="2020-05-03"))
        assert counts["date_right"] == right
