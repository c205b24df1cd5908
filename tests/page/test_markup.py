"""What pages state in their markup, read once for each page."""

from __future__ import annotations

import pytest

from webgrain.page.markup import (
    item_types,
    json_ld,
    json_ld_texts,
    meta_contents,
    metas,
    properties,
    relations,
)
from webgrain.page.parsing import parse_html


def script(text: str, type_: str = "application/ld+json") -> str:
    return f"<script type='{type_}'>{text}</script>"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('{"a": 1}', {"a": 1}),
        ('<!-- {"a": 1} -->', {"a": 1}),
        ('{"a": 1};', {"a": 1}),
        ('["a\nb"]', ["a\nb"]),
        ("{", None),
        ("", None),
        ("[" * 100_000, None),
    ],
)
def test_json_ld_that_cannot_be_read_is_none(text: str, value: object) -> None:
    assert json_ld(parse_html(script(text))) == [value]


def test_only_scripts_of_json_ld_are_read() -> None:
    html = (
        script("1") + script("2", "text/javascript") + "<p type='application/ld+json'>3</p><script>4</script>"
    )
    assert json_ld_texts(parse_html(html + script("5", "Application/LD+JSON"))) == ["1", "5"]


def test_the_first_name_of_a_meta_element_counts() -> None:
    dom = parse_html(
        "<meta name=Author property=' article:Author ' content=' Kim  Lee '>"
        "<meta name='' http-equiv=date content=2020><meta name=date content=2021><meta content=x>"
    )
    assert [values.get("content") for values in metas(dom)] == [" Kim  Lee ", "2020", "2021", "x"]
    assert meta_contents(dom) == {"article:author": ["Kim Lee"], "date": ["2020", "2021"], "": ["x"]}


def test_nodes_with_a_property_are_in_document_order() -> None:
    dom = parse_html("<i itemprop='Name author'></i><b itemprop=name></b><u itemprop></u><p itemprop=price>1")
    assert properties(dom) == {"name": [3, 4], "author": [3]}
    assert relations(dom) == {}
    assert properties(dom) is properties(dom)


def test_item_types_may_be_empty() -> None:
    assert item_types(parse_html("<i itemtype></i><i itemtype=a></i><i></i>")) == ["", "a"]
