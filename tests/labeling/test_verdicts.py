from __future__ import annotations

import pytest

from webgrain.labeling.reviews import Judged, Review, agreement, figures, kappa


def section(
    name: str, boilerplate: bool, cut: bool | None, category: bool | None, importance: float = 0.5
) -> Judged:
    return Judged((f"/html[1]/{name}[1]",), importance, boilerplate, cut, category)


KIM = Review(
    "news",
    (
        section("a", boilerplate=True, cut=True, category=True),
        section("b", boilerplate=True, cut=True, category=False),
        section("c", boilerplate=True, cut=False, category=True),
        section("d", boilerplate=False, cut=None, category=False),
        section("e", boilerplate=False, cut=True, category=True),
        section("f", boilerplate=True, cut=None, category=None),
    ),
)
LEE = Review(
    "news",
    (
        section("a", boilerplate=True, cut=True, category=True),
        section("b", boilerplate=True, cut=False, category=True),
        section("c", boilerplate=True, cut=False, category=True),
        section("e", boilerplate=False, cut=True, category=True),
    ),
)


def test_the_figures_of_one_judge() -> None:
    found = figures("kim", {"a.html": KIM, "b.html": Review("news", KIM.sections[5:])})
    assert (found.pages, found.sections) == (1, 5)
    assert found.precision == pytest.approx(2 / 3)  # a, c of a, b, c
    assert found.recall == pytest.approx(2 / 3)  # a, c of a, c, d
    assert found.cuts == pytest.approx(3 / 4)


def test_without_verdicts_there_is_no_share() -> None:
    found = figures("kim", {"a.html": Review("news", KIM.sections[5:])})
    assert (found.sections, found.precision, found.recall, found.cuts) == (0, None, None, None)


def test_judges_agree_on_the_sections_that_both_judged() -> None:
    cut, category = agreement({"lee": {"a.html": LEE}, "kim": {"a.html": KIM}})
    assert (cut.a, cut.b, cut.verdict, cut.sections, cut.raw) == ("kim", "lee", "cut", 4, 0.75)
    assert cut.kappa == pytest.approx(0.5)  # chance: 3/4 * 1/2 + 1/4 * 1/2
    assert (category.verdict, category.sections, category.raw) == ("class", 4, 0.75)
    assert category.kappa == pytest.approx(0.5)  # boilerplate, to kim 2 of 4, to lee 3 of 4


def test_sections_of_other_templates_and_pages_are_not_compared() -> None:
    other = Review("blog", LEE.sections)
    for reviews in ({"a.html": other}, {"b.html": LEE}):
        assert [one.sections for one in agreement({"kim": {"a.html": KIM}, "lee": reviews})] == [0, 0]


def test_kappa_is_that_of_cohen() -> None:
    both = [(True, True)] * 20 + [(True, False)] * 5 + [(False, True)] * 10 + [(False, False)] * 15
    assert kappa(both) == pytest.approx(0.4)
    assert kappa([(True, True)] * 3) is None
    assert kappa([]) is None
    assert kappa([(True, False), (False, True)]) == -1.0
