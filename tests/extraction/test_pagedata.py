"""The text that a page has in its data only."""

from __future__ import annotations

import json
from typing import Any

import pytest

from webgrain import extract
from webgrain.extraction.pagedata import IN_JSON_LD, IN_SCRIPT, NO_TEXT
from webgrain.extraction.single import SinglePage

PARAGRAPHS = [
    f"The keeper of mole {k} lights the lamp at dusk, and nobody knows who pays him. " * 3 for k in range(4)
]
PARAGRAPHS = [paragraph.strip() for paragraph in PARAGRAPHS]
TEXT = "\n\n".join(PARAGRAPHS)
MENU = "<title>Moles - Coast</title><nav><a href=/>Home</a><a href=/news>News</a></nav>"


def with_data(value: Any, form: str = "application/json", shown: str = "<p>Loading ...</p>") -> str:
    return f"{MENU}{shown}<script type='{form}'>{json.dumps(value)}</script>"


@pytest.mark.parametrize(
    "body",
    [
        [{"type": "paragraph", "text": paragraph} for paragraph in PARAGRAPHS],
        [
            {"type": "p", "children": [{"text": paragraph[:60]}, {"text": paragraph[60:]}]}
            for paragraph in PARAGRAPHS
        ],
        [{"type": "paragraph", "data": {"text": paragraph}} for paragraph in PARAGRAPHS],
        PARAGRAPHS,
        "".join(f"<p>{paragraph}</p>" for paragraph in PARAGRAPHS),
        TEXT,
    ],
)
def test_a_page_that_scripts_build_has_the_text_of_its_json(body):
    others = [{"title": "The mayor wants a marina", "slug": f"m{k}", "text": TEXT} for k in range(9)]
    data = {
        "props": {"article": {"headline": "Moles", "body": body}, "related": others, "css": "a{b:c}" * 999}
    }
    document = extract(with_data(data))
    assert document.text == TEXT
    assert document.verdict == "article"
    assert document.notes == (IN_SCRIPT,)
    assert document.to_dict()["notes"] == [IN_SCRIPT]


def test_the_text_of_an_article_behind_a_paywall_is_its_body_in_json_ld():
    article = {"@graph": [{"@type": "WebSite"}, {"@type": ["NewsArticle"], "articleBody": TEXT}]}
    shown = f"<article><h1>Moles</h1><p>{PARAGRAPHS[0][:60]} ...</p><p>Subscribe to read on.</p></article>"
    document = extract(with_data(article, "application/ld+json; charset=utf-8", shown))
    assert document.text == TEXT
    assert document.notes == (IN_JSON_LD,)
    assert all(part.node > 0 for part in document.content.parts)


@pytest.mark.parametrize(
    "value",
    [
        {"@type": "NewsArticle", "articleBody": TEXT[:1000] + " ..."},
        {"@type": "NewsArticle", "articleBody": TEXT[:300]},
        {"@type": "Product", "articleBody": TEXT},
        [{"@type": "Article", "articleBody": TEXT}, {"@type": "Article", "articleBody": f"Other. {TEXT}"}],
    ],
)
def test_a_body_that_is_cut_or_of_something_else_is_not_used(value):
    document = extract(with_data(value, "application/ld+json"))
    assert "keeper" not in document.text
    assert document.notes == ()


def test_a_page_without_any_text_of_its_own():
    page = f"<div id=root></div><script type=application/json>{json.dumps({'body': TEXT})}</script>"
    assert extract(page).text == TEXT
    assert extract(f"<title>Moles</title>{page}").text == TEXT


@pytest.mark.parametrize(
    ("html", "notes"),
    [
        ("<div id=app></div><script>window.__NUXT__={data:[{body:'The keeper'}]}</script>", (NO_TEXT,)),
        ("<title>Moles</title><div id=app></div><script src=app.js></script>", (NO_TEXT,)),
        ("<div id=app></div>", ()),
        ("<img src=a.png><script type=application/ld+json>{}</script>", ()),
        (f"<p>{PARAGRAPHS[0]}</p><script src=app.js></script>", ()),
    ],
)
def test_a_page_without_text_states_that_scripts_may_write_it(html, notes):
    document = extract(html)
    assert document.notes == notes
    assert notes == () or document.text == ""
    assert extract(html, exclude=".none").notes == ()


def test_a_page_that_shows_its_text_keeps_it():
    shown = "".join(f"<p>{paragraph}" for paragraph in PARAGRAPHS)
    for form in ("application/json", "application/ld+json"):
        document = extract(with_data({"@type": "Article", "articleBody": TEXT + TEXT[:99]}, form, shown))
        assert document.text == TEXT
        assert document.notes == ()


@pytest.mark.parametrize(
    "data", ["[" * 100_000, "{", '["a b c d e f",' * 100_000 + "1]", '{"text":' * 900 + "1" + "}" * 900]
)
def test_hostile_data_is_read_in_linear_time(data):
    assert extract(f"<p>Hello</p><script type=application/json>{data}</script>").text == "Hello"


def test_what_is_included_is_not_replaced():
    page = with_data(
        {"@type": "Article", "articleBody": TEXT}, "application/ld+json", "<p class=a>Hello there</p>"
    )
    assert extract(page, include=".a").text == "Hello there"
    assert SinglePage().predict(page, data=False).text != TEXT


def test_the_body_of_an_article_is_read_from_json_with_a_mistake():
    data = json.dumps({"@type": "Article", "articleBody": TEXT})[:-1] + ",}"
    html = f"{MENU}<p>Subscribe!</p><script type='application/ld+json'>{data}</script>"
    assert extract(html).text == TEXT
