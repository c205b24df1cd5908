"""Kinds of elements, and what is remembered of them."""

from __future__ import annotations

from functools import lru_cache

from webgrain.page.elementtypes import kinds_of
from webgrain.page.parsing import parse_html
from webgrain.page.strings import LONGEST


@lru_cache
def both(identity: str | None, classes: str | None) -> tuple[str | None, str | None]:
    return identity, classes


def test_each_kind_has_the_id_and_class_of_its_nodes() -> None:
    dom = parse_html("<p id=a class='b c'>x<p class='b c' id=a>y<p id=A>z<p>")
    kinds = kinds_of(dom)
    made = kinds.each(both)
    assert [made[k] for k in kinds.of.tolist()] == [
        (dom.get(i, "id"), dom.get(i, "class")) for i in range(len(dom))
    ]
    assert [dom.tags[k] for k in kinds.tag[kinds.of].tolist()] == [dom.name(i) for i in range(len(dom))]


def test_long_names_are_not_remembered() -> None:
    both.cache_clear()
    long = kinds_of(parse_html(f"<p class='{'x' * (LONGEST + 1)}'>"))
    assert (None, "x" * (LONGEST + 1)) in long.each(both)
    assert both.cache_info().currsize == 0
    assert kinds_of(parse_html("<p class=x>")).each(both)
    assert both.cache_info().currsize == 2
