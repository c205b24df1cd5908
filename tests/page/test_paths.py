"""Paths as people and browsers read them."""

from __future__ import annotations

from webgrain.page.parsing import parse_html
from webgrain.page.paths import Path, Step, places, step_of, steps_of
from webgrain.page.strings import words_of


def test_a_path_is_written_as_css_and_xpath():
    path = Path((Step("html"), Step("div", "a:b", ("x", "y.z")), Step("p")), frozenset([2]))
    assert path.css == r"html > div#a\:b.x.y\.z p"
    assert path.xpath.startswith(
        "/html/div[@id='a:b'][contains(concat(' ', normalize-space(@class), ' '), ' x ')]"
    )
    assert path.xpath.endswith("//p")


def test_a_path_from_an_id_matches_anywhere():
    path = Path((Step("main", "it's"), Step("h1")))
    assert path.css == r"main#it\'s > h1"
    assert path.xpath == '//main[@id="it\'s"]/h1'


def test_quotes_of_both_kinds_are_put_together():
    assert Path((Step("p", "a'b\"c"),)).xpath == "//p[@id=concat('a', \"'\", 'b\"c')]"


def test_hostile_pages_have_tables_too():
    deep = places(parse_html("<div>" * 600))
    assert len(deep.up) > 500
    wide = places(parse_html("<b>x</b>" * 5000))
    assert max(wide.times.tolist()) == 5000
    assert len(places(parse_html("")).up) == 3


def test_steps_contain_id_and_classes_of_the_markup():
    dom = parse_html("<p class=' b  a b ' id=x>")
    assert step_of(dom, 3) == Step("p", "x", ("a", "b"))
    assert step_of(dom, 2) == Step("body")


def test_words_of_any_script():
    assert words_of("Blaue_Lampe №5") == ["blaue", "lampe", "5"]
    assert words_of("灯を買う") == ["灯", "を", "買", "う"]
    assert words_of("  ?! ") == []


def test_steps_of_several_paths_are_those_of_their_elements():
    dom = parse_html("<body id=' b '><p class=' b  a b ' id=x>1<p class='a'>2<p class=''>3<div>4<div><b>5")
    table = places(dom)
    paths = [*range(len(table.first))]
    assert steps_of(dom, table, paths) == [step_of(dom, node) for node in table.first.tolist()]
    assert steps_of(dom, table, paths[::-2]) == steps_of(dom, table, paths)[::-2]
