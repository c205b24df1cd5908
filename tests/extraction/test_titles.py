"""Titles of pages."""

from __future__ import annotations

import numpy as np

from webgrain.extraction.single import find_title
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks


def title(
    html: str, *, noise: tuple[float, ...] | None = None, known: str = "", **anchors: int
) -> tuple[str, int]:
    page = parse(Source("page", html.encode()))
    links = {text.replace("_", " "): count for text, count in anchors.items()}
    return find_title(page.dom, text_blocks(page), links, None if noise is None else np.array(noise), known)


def test_a_heading_in_the_title_element() -> None:
    html = "<title>The boat | Lantern</title><h1>Lantern of today</h1><h2>The boat</h2><p>Text"
    assert title(html) == ("The boat", 2)


def test_the_share_of_the_links_counts() -> None:
    html = "<title>Lantern</title><h2>News of today</h2><h2>The boat</h2><p>Text"
    assert title(html, The_boat=3, News_of_today=1) == ("The boat", 2)
    assert title(html, The_boat=1, News_of_today=3) == ("News of today", 1)


def test_noise_makes_a_heading_less_of_a_title() -> None:
    html = "<title>The boat - Lantern</title><h1>Lantern</h1><h2>The boat</h2><p>Text"
    assert title(html) == ("Lantern", 1)
    assert title(html, noise=(0.0, 0.9, 0.2, 0.0)) == ("The boat", 2)


def test_where_no_heading_agrees() -> None:
    html = "<title>Lantern</title><h2>News of today</h2><p>Text"
    assert title(html, known="The boat") == ("The boat", -1)
    assert title(html) == ("Lantern", -1)
    assert title("<h2>News of today #</h2><p>Text") == ("News of today", 0)
    assert title("<p>Text", The_boat=2, More=1) == ("The boat", -1)
    assert title("<p>Text") == ("", -1)


def test_endless_texts_are_no_titles() -> None:
    found, at = title("<title>{0}</title><h1>{0}</h1>".format("word " * 200))
    assert (len(found), at) == (300, -1)
