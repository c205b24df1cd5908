from __future__ import annotations

import pytest

from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.text import ELEMENTS, WEBSTEMMER, text_blocks, visible_text


def read(html: str) -> Page:
    return parse(Source("a.html", html.encode()))


@pytest.mark.parametrize(
    ("html", "texts"),
    [
        ("<p>One <b>two</b> three", ("One two three",)),
        ("<p>a <img src=x><noscript><img></noscript> b<script>1</script> c", ("a b c",)),
        ("<p>a<br>b", ("a", "b")),
        ("<div>a<p>b</p>c</div>", ("a", "b", "c")),
        ("<article><time>1</time> <custom-tag>x</custom-tag></article>", ("1", "x")),
        ("<p>&Eacute;t&eacute; <p> <p hidden>no<p>新", ("Été", "新")),
        ("<select><option>no</select><textarea>no</textarea><p>x<!-- no -->y", ("xy",)),
        ("", ()),
    ],
)
def test_texts(html: str, texts: tuple[str, ...]) -> None:
    assert text_blocks(read(html)).texts == texts


def test_the_program_of_2007_parses_html_4_only() -> None:
    html = "<section>one <span>two words</span></section><p>tiny<p>table<table><td>of cells</table>"
    assert text_blocks(read(html), WEBSTEMMER).texts == ("two words", "table", "of cells")
    assert text_blocks(read(html), ELEMENTS).texts == ("one two words", "tiny", "table", "of cells")


def test_weights() -> None:
    blocks = text_blocks(read("<p>one, <a href=x>two</a> 3_4<p>新闻"))
    assert blocks.weight.tolist() == [9, 4]
    assert blocks.weight_noanchor.tolist() == [6, 4]
    assert text_blocks(read("<p>新闻新闻新"), WEBSTEMMER).weight.tolist() == [5]
    assert text_blocks(read("<p>\U00020000!")).weight.tolist() == [1]


def test_holders_and_steps() -> None:
    page = read("<div><b><p>One</p></b>two</div>")
    blocks = text_blocks(page)
    names = [page.dom.name(node) for node in blocks.element.tolist()]
    assert names == ["html", "head", "body", "div", "p"]
    assert blocks.up.tolist() == [-1, 0, 0, 2, 3]
    assert [names[holder] for holder in blocks.holder] == ["p", "div"]
    assert [page.dom.text_of(node) for node in blocks.first.tolist()] == ["One", "two"]


def test_text_without_a_step_above_has_no_holder() -> None:
    assert text_blocks(read("some words"), WEBSTEMMER).holder.tolist() == [-1]


def test_elements_of_word_processors_are_within_a_line():
    page = parse("<p>in <st1:place>Old <st1:city>Town</st1:city></st1:place>. <o:p></o:p>It rains.")
    assert text_blocks(page).texts == ("in Old Town. It rains.",)
    assert visible_text(page) == "in Old Town. It rains."
