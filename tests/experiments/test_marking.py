"""Labels from rules."""

from __future__ import annotations

import pytest
from experiments.datasets.marking import Marker, check, labelled, outline, outline_below
from tests.views import with_lines

from webgrain.page.parsing import parse

HTML = (
    "<title>Lamps</title><header><a>Shop</a><nav><a>One</a><a>Two</a></nav></header>"
    "<ul><li><h2>Lamp</h2><i>5 EUR</i><li><h2>Chair</h2><i>9 EUR</i></ul>"
    "<table><tr><th>Size<td>12 cm<tr><th>Colour<td>red</table><p>By Ann Lee, May 3"
)


@pytest.fixture
def marker():
    page = parse(HTML)
    return Marker(with_lines(page), HTML.encode())


def rules(blocks=(), content=(), **others):
    return {"page": "a.html", "kind": "list", "blocks": blocks, "content": content, **others}


def test_a_rule_makes_a_segment_and_a_rule_with_a_star_one_for_each_element(marker):
    page, errors = labelled(
        marker, rules([["header", "header"], ["product*", "li"], ["content", ["ul", "p"]]]), "a"
    )
    assert not errors
    assert [(segment.role, len(segment.xpath)) for segment in page.segments] == [
        ("header", 1), ("product", 1), ("product", 1), ("content", 2),
    ]  # fmt: skip


def test_values_have_their_labels_and_parts_of_texts_are_spans(marker):
    content = [
        ["value*", "td", {"label": "th"}],
        ["author", "p", {"text": "Ann Lee"}],
        ["date", "p", {"text": "May 3", "value": "2014-05-03"}],
    ]
    page, errors = labelled(marker, rules(content=content), "a")
    assert not errors
    assert [mark.text(marker.page) for mark in page.content] == ["12 cm", "red", "Ann Lee", "May 3"]
    assert [path.rsplit("/", 1)[1] for mark in page.content for path in mark.label] == ["th[1]", "th[1]"]


@pytest.mark.parametrize(
    ("blocks", "content", "message"),
    [
        ([["banner", "header"]], [], "banner is not one of"),
        ([["menu", "aside"]], [], "selects nothing"),
        ([["menu", "nav["]], [], "not a valid selector"),
        ([["menu", "@99999"]], [], "not the number of a node"),
        ([], [["author", "p", {"text": "Bob"}]], "'Bob' is not in"),
        ([], [["date", "p", {"value": "May 3"}]], "must be a date"),
        ([], [["value*", "td", {"label": "h2:first-child"}]], ""),
        ([], [["value*", "td", {"label": "p"}]], "2 values, but 1 labels"),
        ([], [["value*", "td", {"lable": "th"}]], "unknown options lable"),
    ],
)
def test_wrong_rules_are_reported(marker, blocks, content, message):
    _, errors = labelled(marker, rules(blocks, content), "a")
    assert any(message in error for error in errors) == bool(message)


@pytest.mark.parametrize(
    ("blocks", "message"),
    [
        ([["menu", "nav"], ["linklist", "nav"]], "two blocks with the same leaves"),
        ([["content", ["nav", "ul"]], ["article", ["ul", "table"]]], "overlap"),
        ([["header", "header"]], "leaves are in no block"),
        ([["header", "title"]], "has no visible leaf"),
    ],
)
def test_blocks_are_checked(marker, blocks, message):
    page, _ = labelled(marker, rules(blocks), "a")
    assert message in "\n".join(check(marker, page))


def test_complete_rules_have_no_error(marker):
    header = [["header", "header"], ["logo", "header > a"], ["menu", "nav"]]
    blocks = [*header, ["content", "ul"], ["product*", "li"], ["table", "table"], ["content", "p"]]
    content = [["main", "ul"], ["item*", "li"], ["title", "title"]]
    page, errors = labelled(marker, rules(blocks, content, absent=["author", "date"]), "a")
    lines = list(check(marker, page))
    assert not errors
    assert not [line for line in lines if line.startswith(("error", "missing"))]
    assert "  product (2) 'Lamp 5 EUR'" in lines
    assert "item 3 words: 'Lamp 5 EUR'" in lines


def test_missing_content_is_reported(marker):
    page, _ = labelled(marker, rules(absent=["author"]) | {"kind": "page"}, "a")
    text = "\n".join(check(marker, page))
    assert "kind must be one of" in text
    assert "date is neither in content nor in absent" in text
    assert "author is neither" not in text


def test_the_outline_names_elements_by_number(marker):
    node = marker.select("nav")[0]
    lines = outline(marker.page).splitlines()
    assert any(line.strip().startswith(f"@{node} nav") for line in lines)
    assert any("title: Lamps" in line for line in lines)
    assert outline_below(marker.page, node).splitlines()[-1].endswith("'Two'")
