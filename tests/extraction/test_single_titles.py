"""Titles of pages of unknown sites."""

from __future__ import annotations

import pytest

from webgrain.extraction.single import title_of_single_page
from webgrain.page.page import Page
from webgrain.page.parsing import parse_html
from webgrain.page.text import text_blocks


@pytest.mark.parametrize(
    ("html", "title"),
    [
        ("<title>The boat - Times</title><h1>Times</h1><h2>The boat</h2>", "The boat"),
        ("<title>The boat came back | Times</title><p>a", "The boat came back"),
        ("<title>Times | The boat</title><p>a", "The boat"),
        ("<title>Shop online</title><h1>Oil lamps</h1>", "Oil lamps"),
        ("<title>well-known e-mail</title>", "well-known e-mail"),
        ("<title> - </title>", "-"),
        ("<p>a", ""),
    ],
)
def test_titles(html, title):
    page = Page("a", parse_html(html))
    assert title_of_single_page(page.dom, text_blocks(page))[0] == title
