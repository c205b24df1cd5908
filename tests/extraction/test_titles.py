"""Titles of pages."""

from __future__ import annotations

import pytest

from webgrain.columns.blocks import PageFacts, title_parts
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.extraction.titles import candidates
from webgrain.page.page import Source
from webgrain.page.parsing import as_page, parse
from webgrain.page.text import text_blocks

TEXT = "<p>" + "The boat came back at dusk, and nobody knew who had steered it. " * 4


@pytest.mark.parametrize(
    ("html", "title"),
    [
        (
            "<title>The boat came back - Times</title><h1>Times</h1><h2>The boat came back</h2>",
            "The boat came back",
        ),
        ("<title>The boat came back | Times</title>", "The boat came back"),
        ("<title>The boat came back</title><h1>The boat came back #</h1>", "The boat came back"),
        (
            "<title>The boat</title><h1><button>Share</button> The boat came back <button>Copy</button></h1>",
            "The boat came back",
        ),
        ("<title>The boat</title><h1><button>The boat came back</button></h1>", "The boat came back"),
        ("<title>Boat.came_back – Docs</title><h1><a href=b>Boat</a><b>came_back</b></h1>", "Boat.came_back"),
        ("<h1>The <ruby>boat<rp>(</rp><rt>fune</rt><rp>)</rp></ruby> came back</h1>", "The boat came back"),
        ("<h1>The boat<br>came back</h1>", "The boat came back"),
        ("<title>The boat | Times</title><h1>The boat<br><small>A story</small></h1>", "The boat"),
        ("<h1><a href=#a>#</a> The boat came back</h1>", "The boat came back"),
        ("<h1><a href=#a>🔗</a>The boat came back<a href=#a>¶</a></h1>", "The boat came back"),
        ("<h1>§ 5 Boats that come back</h1>", "§ 5 Boats that come back"),
        ("<h1>Boats in C#</h1>", "Boats in C#"),
    ],
)
def test_titles(html: str, title: str) -> None:
    assert SinglePage().predict(html + TEXT).title == title


def test_the_lines_of_a_title_are_not_repeated_in_the_text() -> None:
    assert "came back\n" not in SinglePage().predict("<h1>The boat<br>came back</h1>" + TEXT).text


def test_a_text_of_many_pages_is_not_the_title() -> None:
    html = "<title>{0} boats</title><h1>The harbour of our town</h1><div><h3>{0} boats</h3></div>" + TEXT
    site = [
        parse(Source(f"{k}", html.format(name).encode()))
        for k, name in enumerate(("Red", "Blue", "Old", "New"))
    ]
    found = SinglePage().predict(html.format("Green"), site_texts(site))
    assert found.title == "Green boats"


def test_endless_texts_are_no_candidates() -> None:
    page = as_page(f"<title>A</title><h1>{'word ' * 200}</h1><p>Text")
    facts = PageFacts(page.dom, text_blocks(page))
    assert all(len(text) <= 300 for text in candidates(facts, 0).texts)


@pytest.mark.parametrize("html", ["", "<p></p>", "<img src=a>"])
def test_a_page_without_text_has_no_title(html: str) -> None:
    assert SinglePage().predict(html).title == ""


def test_parts_of_a_title_are_limited() -> None:
    assert len(title_parts(" | ".join("abcdefghij" * 20))) < 20
    assert title_parts("") == ()
