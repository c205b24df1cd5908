"""The types of elements, and their paths."""

from __future__ import annotations

from webgrain.page.parsing import parse_html
from webgrain.page.paths import places


def test_each_type_has_the_id_and_class_of_its_nodes() -> None:
    dom = parse_html("<p id=a class='b c'>x<p class='b c' id=a>y<p id=A>z<p>")
    types = places(dom)
    pairs = list(zip(types.ids, types.classes, strict=True))
    assert [pairs[k] for k in types.type.tolist()] == [
        (dom.get(i, "id"), dom.get(i, "class")) for i in range(len(dom))
    ]
    assert [dom.tags[k] for k in types.tag[types.type].tolist()] == [dom.name(i) for i in range(len(dom))]


def test_values_of_types_are_numbers() -> None:
    dom = parse_html("<p id=a class='b c'>x<p class='b c'>y<i class>z<b id=a>")
    types = places(dom)
    for numbers, texts in ((types.id_value, types.ids), (types.class_value, types.classes)):
        known = [None if number < 0 else dom.values.texts[number] for number in numbers.tolist()]
        assert known == list(texts)
    assert len(set(types.type.tolist())) == len(types.tag) == 8  # html, head, body, p, text, p, i, b


def test_paths_ignore_the_order_of_classes_and_types_do_not() -> None:
    dom = parse_html("<p class='a b'>x<p class='b a'>y<p class=a>z")
    of_page = places(dom)
    first, second, third = dom.find_tag("p").tolist()
    assert of_page.type[first] != of_page.type[second]
    assert of_page.path[first] == of_page.path[second] != of_page.path[third]
    assert of_page.path[first + 1] == of_page.path[first]  # a text has the path of its parent
