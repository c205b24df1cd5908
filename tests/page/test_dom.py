"""Dom: its arrays agree with a slow reference implementation."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Barrier

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import PAGES, markup

from webgrain.base.errors import ParameterError
from webgrain.page.page import Page, of_last_page
from webgrain.page.parsing import parse, parse_html
from webgrain.page.tagtables import TagTable
from webgrain.page.thresholds import LONGEST_KEY

PAGE = "<title>Hi</title><body><ul id=x CLASS='a b'><li>one<li>two <b title=''>three</b></ul>"


@pytest.fixture
def dom():
    return parse_html(PAGE)  # html, head, title, #text, body, ul, li, #text, li, #text, b, #text


def test_names_texts_and_attributes(dom):
    assert [dom.name(i) for i in range(4, 12)] == ["body", "ul", "li", "#text", "li", "#text", "b", "#text"]
    assert dom.text_of(5) == "onetwo three"
    assert dom.text_of(7) == "one"
    assert dom.attributes(5) == {"id": "x", "class": "a b"}
    assert dom.attributes(7) == {}
    assert (dom.get(5, "class"), dom.get(5, "title"), dom.get(10, "title")) == ("a b", None, "")


def test_a_column_has_a_row_per_node(dom):
    assert dom.column("class") == [dom.get(i, "class") for i in range(len(dom))]
    assert dom.column("nothing") == [None] * len(dom)


def test_children_and_ancestors(dom):
    assert list(dom.children(5)) == [6, 8]
    assert list(dom.children(7)) == []
    assert dom.ancestors(11) == [10, 8, 5, 4, 0]
    assert dom.ancestors(0) == []


def test_arrays_cannot_be_changed(dom):
    with pytest.raises(ValueError, match="read-only"):
        dom.parent[0] = 1
    with pytest.raises(AttributeError):
        dom.text = ""


def assert_sums(dom):
    n = len(dom)
    ancestors = [dom.ancestors(i) for i in range(n)]
    x = np.arange(n) % 7 - 3
    above = [sum(int(x[a]) for a in ancestors[i]) for i in range(n)]
    below = x.copy()
    for i in range(n):
        below[ancestors[i]] += x[i]
    assert dom.depth.tolist() == [len(a) for a in ancestors]
    assert dom.ancestor_sum(x).tolist() == above
    assert dom.subtree_sum(x).tolist() == below.tolist()
    assert np.allclose(dom.ancestor_sum(x / 3), np.array(above) / 3)
    assert np.allclose(dom.subtree_sum(np.stack([x / 3, x], axis=1)), np.stack([below / 3, below], axis=1))
    assert dom.is_leaf.tolist() == [i not in {a for row in ancestors for a in row[:1]} for i in range(n)]


@pytest.mark.parametrize("name", ["empty", "foreign", "adoption", "foster parents", "select"])
def test_sums_over_subtrees_and_ancestors(name):
    assert_sums(parse_html(PAGES[name]))


@settings(deadline=None, max_examples=50)
@given(markup)
def test_sums_of_any_page(html):
    assert_sums(parse_html(html))


def test_sums_of_truth_values_are_counts(dom):
    assert dom.subtree_sum(dom.is_text)[0] == 4
    assert dom.ancestor_sum(~dom.is_text).tolist() == dom.depth.tolist()


@pytest.mark.parametrize("length", [0, 11, 13])
def test_sums_want_a_row_per_node(dom, length):
    with pytest.raises(ParameterError, match=f"12.*got .*{length}"):
        dom.subtree_sum(np.zeros(length))
    with pytest.raises(ParameterError, match=f"12.*got .*{length}"):
        dom.ancestor_sum(np.zeros(length))


def test_each_thread_keeps_the_facts_of_its_last_page() -> None:
    computed = []

    @of_last_page
    def fact(page: Page) -> object:
        computed.append(page.id)
        return object()

    def read(name: str) -> None:
        page = replace(parse("<p>a"), id=name)
        first = fact(page)
        both_read.wait()
        assert fact(page) is first

    both_read = Barrier(2, timeout=60)
    with ThreadPoolExecutor(2) as threads:
        list(threads.map(read, ["a", "b"]))
    assert sorted(computed) == ["a", "b"]
    pages = [parse("<p>a") for _ in range(2)]
    assert fact(pages[0]) is not fact(pages[1])
    assert len(computed) == 4


def test_values_at_are_those_of_each_node() -> None:
    dom = parse_html("<p id=a>x<b class=c id=b>y</b><i id></i><u>z</u></p>")
    nodes = np.array([*range(len(dom)), *reversed(range(len(dom)))])
    for name in ("id", "class", "style"):
        assert dom.values_at(name, nodes) == [dom.get(node, name) for node in nodes.tolist()]
        assert dom.values_at(name, nodes[:0]) == []


def test_searches_are_cached_and_read_only() -> None:
    dom = parse_html("<a href=x id=a>x</a>")
    assert dom.find_attribute("id") is dom.find_attribute("id")
    for array in (*dom.find_attribute("id"), dom.find_tag("a"), dom.links()):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_pages_with_the_same_names_share_the_values_of_names() -> None:
    table = TagTable(len, np.int64)
    first, second = (parse_html("<my-tag>a<other-tag>b") for _ in range(2))
    assert first.tags is second.tags
    values = table.values(first.tags)
    assert table.values(second.tags) is values
    assert values.tolist() == [*map(len, first.tags)]
    assert table.values(("#text", "p")).tolist() == [5, 1]
    for number in range(200):  # many sites, and names that are too long to be kept
        names = parse_html(f"<tag-{number}{'x' * (number % 2) * LONGEST_KEY}>").tags
        assert table.values(names).tolist() == [*map(len, names)]
    assert table.values(first.tags).tolist() == values.tolist()
