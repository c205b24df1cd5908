"""A part of a page is equal to the page whose HTML has only the part."""

from __future__ import annotations

import re

import numpy as np
import pytest
from tests.views import with_lines

from webgrain.page.page import Page
from webgrain.page.pagepart import page_part
from webgrain.page.parsing import parse

PAGES = [
    "<p class=a>One <b class=x>no</b>two<p>three",
    "<b class=x>no</b><p>a<b class=x>no</b><b class=x>no</b>b<i id=c>c</i><b class=x>no</b>",
    "<div><b class=x><i>no</i> no</b></div><ul><li>a<li><b class=x>no</b><li title=t>b</ul>",
    "<p>nothing is removed",
    "<div>a<div>b<b class=x>no</b></div>c<b class=x>no</b></div>d",
]


def without_b(page: Page) -> np.ndarray:
    removed = page.dom.tagged("b")
    return ~(removed | page.dom.inside(removed))


@pytest.mark.parametrize("html", PAGES)
def test_the_part_is_equal_to_a_page_without_the_rest(html: str) -> None:
    page, expected = parse(html), parse(re.sub("<b class=x>.*?</b>", "", html))
    part = page_part(page, without_b(page))
    dom, other = part.page.dom, expected.dom
    for name in ("parent", "end", "text_start", "attr_start"):
        np.testing.assert_array_equal(getattr(dom, name), getattr(other, name), name)
        assert getattr(dom, name).dtype == getattr(other, name).dtype
    assert dom.text == other.text
    assert [dom.name(node) for node in range(len(dom))] == [other.name(node) for node in range(len(other))]
    nodes = range(len(dom))
    assert [dom.attributes(node) for node in nodes] == [other.attributes(node) for node in nodes]
    assert [dom.name(node) for node in nodes] == [page.dom.name(node) for node in part.node.tolist()]


def test_boxes_and_hidden_nodes_are_those_of_the_page() -> None:
    page = with_lines(parse(PAGES[1]))
    page = Page(page.id, page.dom, page.view, hidden=np.arange(len(page.dom)) % 3 == 0)
    part = page_part(page, without_b(page))
    assert page.view is not None
    assert part.page.view is not None
    assert part.page.hidden is not None
    np.testing.assert_array_equal(part.page.view.box, page.view.box[part.node])
    np.testing.assert_array_equal(part.page.hidden, page.hidden[part.node])
    assert part.page.view.painter.max() < len(part.page.dom)


def test_large_pages_end() -> None:
    page = parse("<p>a<b>no</b>b" * 50_000)
    part = page_part(page, without_b(page))
    assert part.page.dom.text == "ab" * 50_000
