"""Layouts of a synthetic site with Webstemmer: learning, extraction, and bad input."""

from __future__ import annotations

import random
from typing import Any

import pytest
from tests.papers.articles import article, listing, title_of

from webgrain.base.errors import ParameterError
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.papers.webstemmer import Webstemmer
from webgrain.papers.webstemmer2007 import OriginalWebstemmer

KINDS = (Webstemmer, OriginalWebstemmer)


@pytest.mark.parametrize("kind", KINDS)
def test_patterns_find_title_and_text_in_any_order_of_the_pages(kind: Any) -> None:
    articles = [article(number, comments=number % 3) for number in range(9)]
    site = [*articles, *(listing(number, articles[number::3]) for number in range(3))]
    shuffled = random.Random(1).sample(site, len(site))
    method, other = (kind(mangle="[a-z]+").fit(pages) for pages in (site, shuffled))  # ids have numbers
    assert [method.predict(page) for page in site] == [other.predict(page) for page in site]
    page = site[3]
    found = method.predict(page)
    assert found.verdict == "article"
    assert found.title == title_of(page)
    paragraphs = [text for node, text in texts(page) if page.dom.name(node) == "p"][2:]
    assert all(text in found.text for text in paragraphs)
    assert "Printed on" not in found.text


def texts(page: Page) -> list[tuple[int, str]]:
    return [(node, page.dom.text_of(node)) for node in range(len(page.dom)) if page.dom.text_of(node)]


def test_numbered_ids_leave_the_program_of_2007_without_a_layout() -> None:
    pages = [article(number) for number in range(12)]
    assert OriginalWebstemmer().fit(pages).predict(pages[3]).text == ""


BAD = {
    "no page": [],
    "one page": [article(1)],
    "empty pages": [parse(Source(f"{n}", b"")) for n in range(3)],
    "nothing in common": [
        parse(Source("a", b"<div id=x><p>one")),
        parse(Source("b", b"<table><td>two")),
        parse(Source("c", b"<ul><li>three")),
    ],
    "identical": [parse(Source(f"{n}", b"<div id=a><h1>T</h1><p>" + b"text " * 50)) for n in range(8)],
    "hostile": [
        parse(Source("deep", b"<div>" * 5000 + b"x")),
        parse(Source("wide", b"<p class=a>x" * 5000)),
        parse(Source("names", b"<div " + b"class='" + b"x " * 5000 + b"' id='\xff\x00'>x")),
        parse(Source("hrefs", b"<base href='http://['><h2><a href='http://[::'>x</a></h2>")),
    ],
}


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("pages", BAD.values(), ids=BAD)
def test_bad_sites_have_a_verdict(pages: list[Page], kind: Any) -> None:
    method = kind().fit(pages)
    assert {method.predict(page).verdict for page in pages[:3]} <= {"article", "index", "unknown"}
    assert method.predict(article(5)).verdict != "article"


def test_wrong_parameters() -> None:
    for wrong in (
        {"cluster_threshold": 1.5},
        {"match_threshold": "0.4"},
        {"main_threshold": -1.0},
        {"strict": "yes"},
        {"mangle": "(a+)+$"},
    ):
        with pytest.raises(ParameterError, match=next(iter(wrong))):
            Webstemmer(**wrong)  # type: ignore[arg-type]
    with pytest.raises(ParameterError, match="call fit"):
        Webstemmer().predict(article(1))
