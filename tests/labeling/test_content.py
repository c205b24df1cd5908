"""Marks of content: what the window gets and what is saved of what it sends."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.labeling.conftest import view_of

from webgrain.base.errors import ParameterError
from webgrain.io.contentmarks import CONTENT, ContentMark
from webgrain.labeling.app import ROLE_KEYS
from webgrain.labeling.content import (
    ABSENT,
    KEYS,
    MAX_TEXT,
    choices,
    content_marks,
    is_date,
    place_text,
    with_content,
)
from webgrain.labeling.pages import PageLabels

# Parts: html, p, text, a, text, p, text, i, p.
VIEW = view_of(
    "<meta name=date content='2020-05-03'><p>By  <a>Ann</a> and 𝒷 Lee"
    "<p>Size: <b hidden>in</b> <i>12 cm</i><p>Three"
)
BODY = "/html[1]/body[1]"
MARKS = (
    ContentMark("author", (f"{BODY}/p[1]",), span=(3, 6)),
    ContentMark("author", (f"{BODY}/p[1]",), span=(11, 16)),
    ContentMark("value", (f"{BODY}/p[2]/i[1]",), label=(f"{BODY}/p[2]",), label_span=(0, 4)),
    ContentMark("date", ("/html[1]/head[1]/meta[1]",), attribute="content", value="2020-05-03"),
    ContentMark("item", (f"{BODY}/ul[1]", f"{BODY}/p[3]/text()[1]", f"{BODY}/p[3]")),
)


def sent(*marks: Any, **fields: Any) -> dict[str, Any]:
    return {"marks": list(marks), "kind": None, "absent": []} | fields


def test_content_is_unchanged_after_saving() -> None:
    labels = PageLabels(kind="article", content=MARKS, absent=("title", "price"), other={"text": "Three"})
    shown = json.loads(json.dumps(content_marks(VIEW, labels)))
    assert with_content(VIEW, labels, shown) == labels


def test_parts_become_paths_and_segments_stay() -> None:
    mark = {"name": "value", "parts": [8], "label": {"parts": [1]}, "label_span": [0, 2]}
    labels = with_content(VIEW, PageLabels(other={"url": "x"}), sent(mark, kind="product", absent=["date"]))
    assert labels == PageLabels(
        kind="product",
        content=(ContentMark("value", (f"{BODY}/p[3]",), label=(f"{BODY}/p[1]",), label_span=(0, 2)),),
        absent=("date",),
        other={"url": "x"},
    )


def test_a_page_without_marks_is_not_labelled_unless_names_are_absent() -> None:
    assert with_content(VIEW, PageLabels(content=MARKS), sent()).content is None
    absent = with_content(VIEW, PageLabels(), sent(absent=["main"]))
    assert absent.content == ()
    assert with_content(VIEW, absent, sent()) == PageLabels()
    assert with_content(VIEW, PageLabels(content=()), sent(kind="list")).content == ()


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, "content as a record"),
        ([], "content as a record"),
        ({}, "marks as a list"),
        (sent(kind=1), "kind as a text"),
        (sent(kind=""), "kind as a text"),
        (sent(absent="date"), "absent as a list"),
        (sent(absent=[["date"]]), "absent as a list"),
        (sent(absent=["headline"]), "Expected absent as a list of main,"),
        (sent(1), "a mark as a record"),
        (sent({"parts": [1]}), "name of a mark"),
        (sent({"name": ["title"], "parts": [1]}), "name of a mark"),
        (sent({"name": "headline", "parts": [1]}), "with one of the names"),
        (sent({"name": "title", "parts": []}), "at least one part"),
        (sent({"name": "title", "parts": [9]}), "numbers from 0 to"),
        (sent({"name": "title", "parts": [1], "span": [3, 1]}), "span as the first character"),
        (sent({"name": "title", "parts": [1], "span": [0, 1.5]}), "span as two numbers"),
        (sent({"name": "title", "parts": [1], "attribute": 1}), "attribute as a text"),
        (sent({"name": "date", "parts": [1], "value": 2020}), "value as a text"),
        (sent({"name": "date", "parts": [1], "value": "May 3"}), "a date in ISO format"),
        (sent({"name": "value", "parts": [1], "label": ["/html"]}), "a place as a record"),
        (sent({"name": "value", "parts": [1], "label": {"parts": [99]}}), "numbers from 0 to"),
        (sent({"name": "value", "parts": [1], "label_span": [-1, 2]}), "label_span as the first"),
        (sent(*[{"name": "title", "parts": [1]}] * 10_001), "at most 10,000"),
    ],
)
def test_what_is_no_content_is_an_error(content: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=message) as error:
        with_content(VIEW, PageLabels(), content)
    assert str(error.value).startswith("Expected")


@pytest.mark.parametrize("mark", content_marks(VIEW, PageLabels(content=MARKS))["marks"])
def test_spans_count_in_the_text_that_is_shown(mark: Any) -> None:
    text = place_text(VIEW, mark)
    assert text in ("By Ann and 𝒷 Lee", "12 cm", "2020-05-03", "Three Three")
    if mark["span"]:
        assert text[slice(*mark["span"])] in ("Ann", "𝒷 Lee")


def test_the_text_of_a_place_has_hidden_words_and_is_limited() -> None:
    assert place_text(VIEW, {"parts": [5]}) == "Size: in 12 cm"
    assert place_text(VIEW, {"parts": [], "lost": [f"{BODY}/p[2]/b[1]", "//p"]}) == "in"
    assert len(place_text(view_of("<p>" + "x" * 2 * MAX_TEXT), {"parts": [0]})) == MAX_TEXT
    for place in (None, [], {}, {"parts": [99]}, {"parts": [1], "attribute": 1}):
        with pytest.raises(ParameterError, match="Expected"):
            place_text(VIEW, place)


@pytest.mark.parametrize("text", ["1999", "2020-02-29", "2020-05-03T10:30", "2020-05-03T10:30:05.25-03:30"])
def test_dates(text: str) -> None:
    assert is_date(text)


@pytest.mark.parametrize(
    "text",
    ["", "20", "0000", "2020-13", "2021-02-29", "2020-5-3", "20200503", "2020-05-03 10:30", "2020-05-03\n",
     "2020-05-03T25:00", "2020-05-03T10:30+99:00", "٢٠٢٠"],
)  # fmt: skip
def test_what_is_no_date(text: str) -> None:
    assert not is_date(text)


def test_every_name_has_its_key() -> None:
    assert list(KEYS) == list(CONTENT)
    assert len(set(KEYS.values())) == len(KEYS)
    switches = {"x", "n", "p", "g", "f", "q", "0", ".", "?"}
    assert not switches & set(KEYS.values())
    assert not {"x", "n", "p", "g"} & set(ROLE_KEYS.values())
    assert [one["name"] for one in choices()["names"]] == list(CONTENT)
    assert set(ABSENT) <= set(CONTENT)


def test_the_manual_lists_the_names_with_their_keys() -> None:
    manual = (Path(__file__).parents[2] / "docs" / "labelling.md").read_text("utf-8")
    assert all(f"| {name} | `{key}` | {CONTENT[name]} |" in manual for name, key in KEYS.items())
