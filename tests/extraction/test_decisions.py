"""What each text block became, and by which probabilities."""

from __future__ import annotations

from webgrain.extraction.decisions import decision_lines, decisions
from webgrain.extraction.single import SinglePage, site_texts
from webgrain.page.page import Page
from webgrain.page.parsing import parse

SENTENCE = "The keeper of the north mole lights lamp {} at dusk, and nobody knows who pays him for it. "
MENU = "<nav><a href=a>Harbours</a> <a href=b>Boats</a></nav>"


def page(number: int = 0) -> Page:
    paragraphs = "".join(f"<p>{SENTENCE.format(f'{number}-{k}') * 3}</p>" for k in range(4))
    return parse(
        f"<title>Lamp {number}</title>{MENU}<article><h1>Lamp {number}</h1>{paragraphs}"
        f"<h2>More <em>lamps</em></h2><ul><li>{SENTENCE.format('a')}<li>{SENTENCE.format('b')}</ul></article>"
    )


def test_each_block_has_the_part_that_it_became() -> None:
    found = decisions(page())
    parts = [(decision.part, decision.place) for decision in found if decision.place]
    assert parts == [
        ("", "html > head > title"),
        ("", "html > body > nav"),
        ("title", "html > body > article > h1"),
        *(("main", f"html > body > article > p:nth-of-type({k})") for k in range(1, 5)),
        ("main", "html > body > article > h2"),
        *(("main", f"html > body > article > ul > li:nth-of-type({k})") for k in range(1, 3)),
    ]
    assert [decision.alike for decision in found] == [1, 1, 1, 4, 4, 4, 4, 1, 2, 2]


def test_a_block_of_the_main_text_is_more_probable_than_the_menu() -> None:
    menu, *_, item = decisions(page())[1:]
    assert item.main > 0.5 > menu.main


def test_without_a_site_only_the_place_changes_the_probability() -> None:
    found = decisions(page())
    single = [decision for decision in found if decision.alike == 1 and decision.main]
    assert all(abs(decision.main - decision.alone) < 1e-3 for decision in single)


def test_the_site_changes_the_probability() -> None:
    alone = decisions(page(9))
    with_site = decisions(page(9), site=site_texts(page(number) for number in range(9)))
    assert [decision.alone for decision in alone] == [decision.alone for decision in with_site]
    assert [decision.main for decision in alone] != [decision.main for decision in with_site]


def test_the_lines_have_the_decisions() -> None:
    lines = decision_lines(page(), SinglePage().predict(page())).splitlines()
    assert len(lines) == 11
    assert lines[4].split("\t")[0] == "main"
    assert lines[4].split("\t")[-1] == SENTENCE.format("0-0")[:80]


def test_a_page_without_text_has_no_decision() -> None:
    assert decisions(parse("")) == []
    assert decision_lines(parse(""), SinglePage().predict(parse(""))).count("\n") == 1
