"""Texts: words are not split, blocks are separated, code is left out."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.page.pages import PAGES, markup
from tests.page.test_leaves import laid_out, page_of

from webgrain.base.errors import ParameterError
from webgrain.page.text import text_of, texts_of, visible_text


@pytest.mark.parametrize(
    ("html", "text"),
    [
        ("", ""),
        ("<p>  a \n b\t", "a b"),
        ("<p>mes<i>sa</i>ge", "message"),
        ("<p>one<b> two</b>", "one two"),
        ("<p><b>one</b> <i>two</i>", "one two"),
        ("<p>one<p>two", "one|two"),
        ("<p>a<div></div>b", "a|b"),
        ("one<br>two", "one|two"),
        ("one<img>two", "one|two"),
        ("<ul><li>a<li>b<ul><li>c</ul>d</ul>", "a|b|c|d"),
        ("<table><tr><td>a<td>b<tr><td>c", "a|b|c"),
        ("a<!-- x -->b", "ab"),
        ("a<wbr>b<sup>2</sup>", "ab2"),
        ("<p>a&nbsp;b", "a b"),
        ("<my-tag>a</my-tag>b", "a|b"),
        ("<button>Go</button>", "Go"),
    ],
)
def test_blocks_are_kept_apart_and_words_whole(html, text):
    assert visible_text(page_of(html), separator="|") == text


@pytest.mark.parametrize("tag", ["script", "style", "noscript", "template", "iframe", "title", "datalist"])
def test_what_nobody_reads_is_left_out(tag):
    assert visible_text(page_of(f"<body>a<{tag}>x</{tag}>")) == "a"


def test_hidden_text_is_left_out_but_the_space_beside_it_is_not():
    assert visible_text(page_of("<p>a<b hidden>x</b>b")) == "ab"
    page = laid_out("<p><b>a</b> <i>b</i>", hidden=())
    page.view.visible.setflags(write=True)
    page.view.visible[6] = False  # the white space between
    assert visible_text(page) == "a b"


def test_a_view_determines_which_elements_are_blocks():
    page = laid_out("<div>a</div><div>b</div><p>c")
    page.view.display.setflags(write=True)
    page.view.display[:] = 1
    assert visible_text(page, separator="|") == "abc"
    page.view.display[3] = 2
    assert visible_text(page.with_view(page.view), separator="|") == "a|bc"


def test_images_count_with_their_alternative_text_if_wanted():
    page = page_of("<p>a<img alt=' the  cat '>b<img alt=''><img><img hidden alt=x><b alt=y>c</b>")
    assert visible_text(page, alt=True) == "a the cat b c"
    assert visible_text(page) == "a b c"


def test_several_nodes_are_one_text():
    page = page_of("<p>One<b>by<i>one</i></b><p>two<p>three")
    assert text_of(page, [7, 5]) == "byone"
    assert text_of(page, [3, 5, 9]) == "Onebyone two"
    assert text_of(page, []) == ""


def test_many_groups_are_read_as_one_at_a_time():
    page = page_of(PAGES["adoption"])
    groups = [[node] for node in range(len(page.dom))] + [[3, 5]]
    assert texts_of(page, groups) == [text_of(page, group) for group in groups]


@pytest.mark.parametrize("node", [-1, 3])
def test_a_node_that_is_not_there_is_an_error(node):
    with pytest.raises(ParameterError, match=f"Expected nodes from 0 to 2, got .*{node}"):
        visible_text(page_of(""), node)


@settings(deadline=None, max_examples=100)
@given(markup, st.booleans())
def test_the_text_of_any_page_has_no_loose_white_space(html, alt):
    page = page_of(html)
    for node in range(0, len(page.dom), 5):
        text = visible_text(page, node, alt=alt)
        assert text == " ".join(text.split())
        assert set(text) <= set(page.dom.text) | {" "}
