"""Leaves: the visible content of a page, with and without a layout."""

from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.page.pages import PAGES, markup

from webgrain.page.leaves import LEAF_KINDS, leaf_kinds, visible_nodes
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, View
from webgrain.page.parsing import parse_html
from webgrain.page.strings import has_text


def page_of(html):
    return Page("a", parse_html(html))


def laid_out(html, hidden=(), background=()):
    """A page with a view in which all elements except the given tags are visible."""
    dom = parse_html(html)
    n = len(dom)
    names = [dom.name(i) for i in range(n)]
    arrays = {
        field.name: np.zeros(n, np.int32)
        for field in dataclasses.fields(View)
        if field.name not in ("fonts", "width", "height", "viewport", "source")
    }
    arrays["visible"] = np.array([name not in hidden for name in names])
    arrays["background_image"] = np.array([name in background for name in names])
    return Page("a", dom, View(**arrays, fonts=(), width=1, height=1, viewport=(1, 1), source="lines"))


def leaves(page):
    kinds = leaf_kinds(page)
    return [(page.dom.name(i), LEAF_KINDS[kinds[i]]) for i in np.flatnonzero(kinds)]


def test_texts_images_controls_and_embedded_objects_are_leaves():
    page = page_of(
        "<p>a<img><input><select><option>x</select><iframe>f</iframe><svg><text>t</text></svg><p> "
    )
    assert leaves(page) == [
        ("#text", "text"),
        ("img", "image"),
        ("input", "control"),
        ("select", "control"),
        ("iframe", "embed"),
        ("svg", "embed"),
    ]


def test_what_is_inside_a_leaf_is_none():
    assert leaves(page_of("<button>a<img></button><object><p>x<img></object>")) == [
        ("button", "control"),
        ("object", "embed"),
    ]


@pytest.mark.parametrize("tag", ["script", "style", "noscript", "template", "title", "datalist"])
def test_what_is_never_shown_has_no_leaves(tag):
    assert leaves(page_of(f"<body><{tag}>x</{tag}>")) == []


def test_hidden_elements_have_no_leaves():
    assert leaves(page_of("<div hidden>a<img><p>b</p></div>c")) == [("#text", "text")]


def test_a_view_determines_the_visible_nodes():
    assert leaves(laid_out("<p>a<img><input>", hidden=("img",))) == [("#text", "text"), ("input", "control")]


def test_a_background_image_is_a_leaf_only_of_elements_without_other_leaves():
    page = laid_out("<div><div></div></div>", background=("div",))
    assert np.flatnonzero(leaf_kinds(page)).tolist() == [4]
    assert leaves(page) == [("div", "background")]
    assert leaves(laid_out("<div>a</div>", background=("div",))) == [("#text", "text")]
    assert leaves(laid_out("<div></div>", background=("div",), hidden=("div",))) == []
    assert leaves(laid_out("<button><div></div></button>", background=("div",))) == [("button", "control")]


@given(st.text(st.characters(exclude_categories=["Cs"])))
def test_characters_are_found_in_any_text(text):
    dom = parse_html(
        "<p>x<p>&#x200b;<p>&#160; &#x3000;\t<p>" + text.replace("&", "&amp;").replace("<", "&lt;")
    )
    pieces = [dom.text_of(i) if dom.is_text[i] else "" for i in range(len(dom))]
    assert has_text(dom).tolist() == [any(not c.isspace() for c in piece) for piece in pieces]


def assert_visible_tree(page):
    tree, kinds = visible_tree(page), leaf_kinds(page)
    dom = page.dom
    found = np.flatnonzero(kinds).tolist()
    assert tree.node.tolist() == sorted({*found, *(a for leaf in found for a in dom.ancestors(leaf))})
    assert tree.leaf_node.tolist() == found
    assert tree.kind[tree.leaf].tolist() == kinds[found].tolist()
    for i in range(len(tree)):
        above = int(dom.parent[tree.node[i]])
        assert (tree.node[tree.parent[i]] if tree.parent[i] >= 0 else -1) == above
        inside = [j for j in range(len(tree)) if tree.node[i] <= tree.node[j] < dom.end[tree.node[i]]]
        assert list(range(i, tree.end[i])) == inside
    # A leaf has no leaves inside, an inner node has some.
    assert np.array_equal(tree.kind > 0, tree.end == np.arange(1, len(tree) + 1))


@pytest.mark.parametrize("name", [name for name in PAGES if "deep" not in name])
def test_the_visible_tree_is_the_leaves_and_what_is_above(name):
    assert_visible_tree(page_of(PAGES[name]))


@settings(deadline=None, max_examples=50)
@given(
    markup, st.sets(st.sampled_from(["p", "b", "#text", "div"])), st.sets(st.sampled_from(["p", "b", "div"]))
)
def test_the_visible_tree_of_any_page(html, hidden, background):
    assert_visible_tree(laid_out(html, hidden, background))


def test_labels_go_back_to_the_dom():
    tree = visible_tree(page_of("<p>a<p><p>b"))
    assert tree.to_dom(np.arange(len(tree))).tolist() == [0, -1, 1, 2, 3, -1, 4, 5]


def test_the_view_determines_what_is_shown():
    page = laid_out("<p hidden>a", hidden=("b",))
    assert visible_nodes(page) is page.view.visible
    assert not visible_nodes(page_of("<p hidden>a"))[3:].any()
