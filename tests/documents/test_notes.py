"""Links from references to footnotes and back."""

from __future__ import annotations

import pytest
from tests.documents.test_content import parts_of
from tests.work import lines_run

from webgrain.documents.markdown import markdown
from webgrain.documents.notes import NOTE_PREFIX, note_links
from webgrain.extraction.document import html_of
from webgrain.page.parsing import parse_html

NOTE = "<p>a<sup id=r1><a href=#n1>1</a></sup>.<ol><li id=n1>b <a href=#r1>back</a></ol>"


def links_of(html: str) -> list[tuple[str, str]]:
    """Target and id that the page has for each link to a note or back."""
    dom = parse_html(html)
    links = note_links(dom, dom.find_tag("a").tolist()).values()
    return [(link.target.removeprefix(NOTE_PREFIX), link.id.removeprefix(NOTE_PREFIX)) for link in links]


@pytest.mark.parametrize(
    ("html", "links"),
    [
        (NOTE, [("n1", "r1"), ("r1", "n1")]),
        ("<a name=r href=#n>1</a><p><a name=n href=#r>1</a> a", [("n", "r"), ("r", "n")]),
        (NOTE + "<p><a href=#n1>1</a>", [("n1", "r1"), ("r1", "n1"), ("n1", "")]),
        (
            "<i id=r><a href=#n>1</a></i><i id=s><a href=#n>1</a></i>"
            "<p id=n><a href=#r>a</a><a href=#s>b</a>",
            [("n", "r"), ("n", "s"), ("r", "n"), ("s", "")],
        ),
        ("<ul id=c>" + "<li><a href=#a>a</a>" * 4 + "</ul><div id=a><a href=#c>Contents</a></div>", []),
        ("<p id=a><a href=#b>b</a><p id=b>c", []),
        ("<div id=a><a href=#b>b</a><p id=b><a href=#a>c</a></div>", []),
        ("<a href=#a id=a>a</a>", []),
        ("<i id='a|'><a href=#b>1</a></i><p id=b><a href='#a|'>c</a>", []),
    ],
)
def test_links_that_lead_to_each_other(html: str, links: list[tuple[str, str]]) -> None:
    assert links_of(html) == links


def test_notes_in_documents() -> None:
    parts = parts_of(NOTE)
    links = [part.attributes for block in parts for part in block.walk() if part.kind == "link"]
    assert links == [{"url": "#note-n1", "id": "note-r1"}, {"url": "#note-r1", "id": "note-n1"}]
    assert 'a<sup><a href="#note-n1" id="note-r1">1</a></sup>.' in html_of("", parts)
    assert '1. b <a id="note-n1" href="#note-r1">back</a>' in markdown("", parts)


def test_a_note_that_is_not_content_is_not_linked() -> None:
    [part, *_] = parts_of("<p>a<a id=r href=#n>1</a><p hidden>b<a id=n href=#r>1</a>")
    assert part.children == ("a1",)


def test_many_links_take_linear_time() -> None:
    def page(n: int) -> str:
        return "<div id=a>" + "<a href=#b>c</a>" * n + "</div><div id=b>" + "<a href=#a>d</a>" * n + "</div>"

    few, many = (parse_html(page(n)) for n in (100, 1000))
    nodes = [dom.find_tag("a").tolist() for dom in (few, many)]
    assert lines_run(lambda: note_links(many, nodes[1])) < 12 * lines_run(lambda: note_links(few, nodes[0]))
