"""Comments by what the markup calls them."""

from __future__ import annotations

import numpy as np
import pytest

from webgrain.extraction.article import comment_of
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks


def told(html: str, title: int = 0) -> list[str]:
    """The element of the comment that each block is in, by its class or id; empty for none."""
    page = parse(Source("page", html.encode()))
    blocks = text_blocks(page)
    nodes = comment_of(page.dom, blocks, title, np.ones(len(blocks))).tolist()
    return ["" if at < 0 else page.dom.get(at, "class") or page.dom.get(at, "id") or "" for at in nodes]


def test_replies_are_of_the_comment_that_they_stand_in() -> None:
    html = "<h1>A</h1><p>a<ol id=comments><li class='c1 comment'>b<ul><li class='c2 comment'>c</ul>"
    assert told(html + "<li class=comment>d") == ["", "", "c1 comment", "c1 comment", "comment"]


@pytest.mark.parametrize(
    "name", ["comments", "comment-list", "post_comments", "Comment", "disqus_thread", "respond"]
)
def test_names_of_comments(name: str) -> None:
    assert told(f"<h1>A</h1><p>a<p>b<div class={name}>c") == ["", "", "", name]


@pytest.mark.parametrize("name", ["commentary", "uncommented", "recommend", "responders"])
def test_names_of_other_things(name: str) -> None:
    assert told(f"<h1>A</h1><p>a<div class={name}>b") == ["", "", ""]


def test_what_holds_the_title_is_no_comment() -> None:
    assert told("<body class=comment><h1>A</h1><p>a<p>b<p title=comment>c<a class=comment>d</a>") == [""] * 4


def test_a_page_of_comments_alone_has_none() -> None:
    assert told("<p class=comment>a<p class=comment>b", title=-1) == ["", ""]
