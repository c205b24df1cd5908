"""The Markdown of elements."""

from __future__ import annotations

import pytest

from webgrain.documents.elementmarkdown import element_markdown
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

LIST = "<ul><li><img src=1.png alt=A><h3><a href=/x>Lamp</a></h3><p>A <b>bright</b> lamp<li>Two</ul>"


def written(html: str, tag: str, number: int = 0) -> str:
    """The Markdown of an element of a page."""
    page = parse(html)
    return element_markdown(page, page.dom.find_tag(tag).tolist()[number])


def test_containers_around_the_element_leave_no_trace() -> None:
    assert written(LIST, "li") == "![A](1.png)\n\n### [Lamp](/x)\n\nA **bright** lamp\n"
    assert written(LIST, "li", 1) == "Two\n"
    assert written(LIST, "ul").startswith("- ![A](1.png)\n")


def test_a_part_of_a_line_has_its_text_only() -> None:
    html = "<p>One <span>in <a href=q>line</a></span> two"
    assert written(html, "span") == "in [line](q)\n"
    assert written(html, "a") == "[line](q)\n"
    assert written(html, "p") == "One in [line](q) two\n"


def test_images_before_and_after_the_text_are_kept() -> None:
    html = "<div><img src=a.png><p>One<img src=b.png><p>two<p><img src=c.png></div>"
    assert written(html, "div") == "![](a.png)\n\nOne![](b.png)\n\ntwo\n\n![](c.png)\n"
    assert written("<p>x</p><a href=/><img src=logo.png alt=Logo></a>", "a") == "![Logo](logo.png)\n"


def test_a_table_of_data_stays_one_and_its_cell_is_a_text() -> None:
    table = "<table><tr><td>a<td>b<tr><td>c<td>d</table>"
    assert written(table, "table").splitlines()[2:] == ["| a | b |", "| c | d |"]
    assert written(table, "td", 2) == "c\n"


def test_controls_have_their_text() -> None:
    assert written("<form><button>Search *all*</button></form>", "form") == "Search \\*all\\*\n"


def test_addresses_are_those_of_the_whole_page() -> None:
    page = parse(Source("a", b"<base href='/c/'><p>x<nav><a href=a>A</a></nav>", url="http://e.org/b/"))
    assert element_markdown(page, page.dom.find_tag("nav").tolist()[0]) == "[A](http://e.org/c/a)\n"


def test_hidden_parts_and_the_title_of_the_page_are_left_out() -> None:
    html = "<title>T</title><div><p>One<p hidden>Two<img src=a.png hidden></div>"
    assert written(html, "div") == "One\n"
    assert written(html, "html") == "One\n"
    assert written("<div hidden>One</div>", "div") == ""


@pytest.mark.parametrize("html", ["<div>" * 3000 + "One", "<p>One" * 9999, "<table><tr>" + "<td>x" * 9999])
def test_hostile_pages(html: str) -> None:
    page: Page = parse(html)
    assert element_markdown(page, 2)
