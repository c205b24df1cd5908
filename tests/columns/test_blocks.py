"""Features of blocks: containers, hints, texts, and broken pages."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.columns.blocks import (
    BLOCK_HINTS,
    NUMBER,
    PageFacts,
    block_names,
    features,
    find_hints,
    hints_of,
    page_facts,
    text_features,
)
from webgrain.page.page import Page
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

PAGE = """<title>Lamp</title><body class=site>
<nav class=menu><ul><li><a href=a>Home</a><li><a href=b>News</a></ul></nav>
<main><h1>Lamp</h1><div class=text><p>The lamp is lit, they say.<p>It is dark.</div></main>
<footer id=foot style="display: none">All rights</footer>"""


def columns(html):
    page = Page("a", parse_html(html))
    blocks = text_blocks(page)
    return blocks.texts, dict(zip(block_names(), features(PageFacts(page.dom, blocks)).T, strict=True))


def test_a_row_per_block_and_a_column_per_name():
    texts, x = columns(PAGE)
    assert texts == (
        "Lamp",
        "Home",
        "News",
        "Lamp",
        "The lamp is lit, they say.",
        "It is dark.",
        "All rights",
    )
    assert {len(column) for column in x.values()} == {7}
    assert all(np.isfinite(column).all() for column in x.values())


def test_hints_hold_for_all_that_stands_below():
    _, x = columns(PAGE)
    assert (x["hint nav element"] > 0).tolist() == [False, True, True, False, False, False, False]
    assert (x["hint text"] > 0).tolist() == [False] * 4 + [True, True, False]
    assert (x["hint unseen element"] > 0).tolist() == [False] * 6 + [True]


def test_the_nearest_hint_counts():
    _, x = columns("<p>aa</p><div class=text><p>bbbbbbbb<div class=text>cc</div></div><p>dddddddddd")
    inner, outer = x["hint text"][2], x["hint text"][1]
    assert 0 < inner < outer


def test_what_is_around_the_whole_page_is_no_hint():
    _, x = columns(f"<div class=article>{PAGE}</div>")
    assert not x["hint article"].any()


def test_places_are_counted_from_the_heading_that_is_the_title():
    _, x = columns(PAGE)
    assert x["behind the title"].tolist() == [-3, -2, -1, 0, 1, 2, 3]
    assert x["tag of the heading"].tolist() == [-1, -1, -1, *[x["tag"][3]] * 4]


def test_blocks_at_the_same_path_are_alike():
    _, x = columns("<ul><li class=a>1<li class=a>2<li class=b>3</ul>")
    assert np.expm1(x["alike blocks"]).round().tolist() == [2, 2, 1]


def test_containers_are_the_elements_that_hold_more():
    page = Page("a", parse_html("<div><section><p>1<p>2</section></div><p>3"))
    found = PageFacts(page.dom, text_blocks(page))
    assert [page.dom.name(node) for node in found.outward[0].tolist()] == ["section", "section", "body"]
    assert [page.dom.name(node) for node in found.outward[1].tolist()] == ["body", "body", "html"]


def test_words_of_names_are_separated_by_capitals_and_marks():
    assert {BLOCK_HINTS[hint] for hint in hints_of("MainNav__menu")} == {"navigation", "main"}
    assert hints_of("maintenance") == ()


def test_features_of_texts_are_counted_for_each_text():
    found = text_features(["A, b.", "", "99 $", "Žluť"], "")
    assert found["commas"].tolist() == [1, 0, 0, 0]
    assert found["points"].tolist() == [1, 0, 0, 0]
    assert found["digits"].tolist() == [0, 0, 0.5, 0]
    assert found["capitals"].tolist() == [0.2, 0, 0, 0.25]
    assert found["money"].tolist() == [0, 0, 1, 0]


@pytest.mark.parametrize(
    "html",
    [
        "",
        "a",
        "<p>\ud800",
        "<h1>",
        "<div>" * 600 + "a",
        "<p>a" * 3000,
        "<p class='\x00 ' id=>a",
        "<title>a",
        "<li>\u3042",
    ],
)
def test_odd_pages_have_features_too(html):
    page = Page("a", parse_html(html.encode("utf-8", "replace")))
    x = features(PageFacts(page.dom, text_blocks(page)))
    assert x.shape == (len(text_blocks(page)), len(block_names()))
    assert np.isfinite(x).all()


def test_every_attribute_gives_its_hints():
    html = "<p class=nav id=footer role=dialog aria-hidden=true style='display: none' itemprop=articleBody>a"
    dom = parse_html(html)
    bits, number, _ = find_hints(dom)
    found = {hint for hint, k in NUMBER.items() if int(bits[3]) >> k & 1}
    assert {"navigation", "footer", "dialog element", "hidden element", "unseen element"} < found
    assert (number > 0).tolist() == [True, True, True, True, False]
    assert len({*number.tolist()}) == 5


def test_the_number_of_a_path_does_not_depend_on_the_rest_of_the_page() -> None:
    html = "<h1>A title of a few words</h1><div class='a 1'><p>A paragraph of some words</p></div>"
    found = []
    for rest in ("", "<section>" * 3 + "Other", "<section>" * 20 + "Deep", "<section>" * 90 + "Deeper"):
        page = Page("a", parse_html(html + rest))
        facts = PageFacts(page.dom, text_blocks(page))
        found.append((facts.path[:2].tolist(), facts.tag_path[:2].tolist()))
    assert found == [found[0]] * 4
    assert len({*found[0][0], *found[0][1]}) == 4


def test_the_first_meta_element_with_a_name_and_a_content_counts():
    html = "<meta property=og:title><meta property=OG:Title content='a  b'><meta name=og:title content=c>"
    assert page_facts(parse(html)).stated("og:title", "og:type") == ["a b", ""]


def test_the_text_in_json_ld_is_read_where_the_json_has_a_mistake():
    html = '<script type="application/ld+json">{"@graph": [{"articleBody": "One  two",}]}</script><p>One two'
    assert page_facts(parse(html)).body == "One two"
