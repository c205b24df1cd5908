"""Element types of a page."""

from __future__ import annotations

from webgrain.page.parsing import parse_html
from webgrain.page.paths import element_types
from webgrain.page.thresholds import LONGEST_KEY


def test_each_kind_has_the_id_and_class_of_its_nodes() -> None:
    dom = parse_html("<p id=a class='b c'>x<p class='b c' id=a>y<p id=A>z<p>")
    kinds = element_types(dom)
    assert [(kinds.ids[k], kinds.classes[k]) for k in kinds.of.tolist()] == [
        (dom.get(i, "id"), dom.get(i, "class")) for i in range(len(dom))
    ]
    assert [dom.tags[k] for k in kinds.tag[kinds.of].tolist()] == [dom.name(i) for i in range(len(dom))]


def test_values_of_types_are_numbers() -> None:
    dom = parse_html("<p id=a class='b c'>x<p class='b c'>y<i class>z<b id=a>")
    types = element_types(dom)
    for numbers, texts in ((types.id_value, types.ids), (types.class_value, types.classes)):
        known = [None if number < 0 else dom.values.texts[number] for number in numbers.tolist()]
        assert known == list(texts)
    assert len(set(types.of.tolist())) == len(types.tag) == 8  # html, head, body, p, text, p, i, b


def test_long_names_are_marked_as_too_long_for_a_cache() -> None:
    assert not element_types(parse_html(f"<p class='{'x' * (LONGEST_KEY + 1)}'>")).short
    assert element_types(parse_html("<p class=x>")).short
