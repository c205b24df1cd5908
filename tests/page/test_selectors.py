"""Selectors matched with all nodes at once."""

from __future__ import annotations

import numpy as np

from webgrain.page.addresses import Selectors
from webgrain.page.parsing import parse_html

HTML = "<div id=top class='a b'><p class=b>1</p><ul><li><p>2</p></ul></div><p class='a-b'>3</p>"


def found(*css: str) -> list[list[str]]:
    """The texts of what each selector finds."""
    dom = parse_html(HTML)
    node, number = Selectors(css).find(dom)
    return [[dom.text_of(at) for at in node[number == k].tolist()] for k in range(len(css))]


def test_tags_ids_classes_children_and_descendants() -> None:
    assert found("p", "p.b", "#top > p", "#top p", "div.b.a > ul > li", "ul > p") == [
        ["1", "2", "3"],
        ["1"],
        ["1"],
        ["1", "2"],
        ["2"],
        [],
    ]


def test_what_is_not_understood_finds_nothing() -> None:
    assert found("p::before", "p:hover", "p", "p:has(b)", "") == [[], [], ["1", "2", "3"], [], []]
    assert found("p:nth-child(x)", "p & b", "p:not(", "[", ":is()") == [[], [], ["1", "2", "3"], [], []]


def test_escapes_in_names_are_read() -> None:
    html = r"<p class='md:w-1/2 a+b'>1<p id='1a'>2"
    dom = parse_html(html)
    node, number = Selectors([r".md\:w-1\/2", r".a\+b", r"#\31 a", r"#\000031a"]).find(dom)
    assert [dom.text_of(at) for at in node.tolist()] == ["1", "1", "2"]
    assert number.tolist() == [0, 1, 3]


def test_pairs_come_by_node() -> None:
    node, number = Selectors(["p", "div"]).find(parse_html(HTML))
    assert (np.diff(node) >= 0).all()
    assert number.tolist() == [1, 0, 0, 0]


def test_no_selector_and_no_page() -> None:
    for selectors, html in ((Selectors([]), HTML), (Selectors(["p"]), "")):
        node, number = selectors.find(parse_html(html))
        assert len(node) == len(number) == 0


def test_classes_and_ids_are_split_at_white_space() -> None:
    dom = parse_html("<p class=' a\tb\nc ' id=' x y'>1<p class='a\xa0b'>2<p class id>3")
    node, number = Selectors([".a", ".b", ".c", "#x", "#y"]).find(dom)
    assert [dom.text_of(at) for at in node.tolist()] == ["1"] * 4
    assert sorted(number.tolist()) == [0, 1, 2, 3]
