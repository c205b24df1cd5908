"""The texts of a site from groups of its pages."""

from __future__ import annotations

import pytest

from webgrain.columns.sitetable import PLACE_COLUMNS, SiteTable
from webgrain.extraction.single import page_table
from webgrain.page.page import Page
from webgrain.page.parsing import parse
from webgrain.site.learning import GroupTexts, join_texts

TEXT = "The keeper of the harbour lights {0} lamps at dusk, and nobody knows who pays him for it."
PAGES = [f"<ul><li>Home<li>Lamps</ul><h1>Lamp {k}</h1><p>{TEXT.format(k)}" for k in range(6)]


def pages(numbers: range) -> list[Page]:
    return [parse(PAGES[number]) for number in numbers]


def test_pages_behind_the_first_group_are_counted_only() -> None:
    first = GroupTexts.of(pages(range(3)), is_judged=True).texts
    further = GroupTexts.of(pages(range(3, 6)), is_judged=False).texts
    joined, judged = (
        join_texts([[first, further]]),
        SiteTable.merged(map(page_table, pages(range(6)))).shared(),
    )
    assert len(joined) == 6
    assert joined.texts.to_dict() == judged.texts.to_dict()
    assert joined.nodes.to_dict() == judged.nodes.to_dict()
    assert joined.places.texts.to_dict() == judged.places.texts.to_dict()
    weight = PLACE_COLUMNS.index("weight")
    assert (
        joined.places.counts.values[:, :weight].tolist() == judged.places.counts.values[:, :weight].tolist()
    )
    values = joined.places.counts.values[:, weight:]
    assert values == pytest.approx(2 * first.places.counts.values[:, weight:], rel=1e-6)
    assert joined.articles == pytest.approx(2 * first.articles)


def test_groups_that_are_all_judged_have_the_table_of_their_pages() -> None:
    groups = [GroupTexts.of(pages(part), is_judged=True).texts for part in (range(2), range(2, 6))]
    joined = join_texts([[group] for group in groups])
    assert joined.to_dict() == SiteTable.merged(map(page_table, pages(range(6)))).shared().to_dict()


def test_a_type_without_judged_pages_is_counted() -> None:
    empty = GroupTexts.of([], is_judged=True).texts
    counted = GroupTexts.of(pages(range(2)), is_judged=False).texts
    judged = GroupTexts.of(pages(range(2, 4)), is_judged=True).texts
    joined = join_texts([[empty, counted], [judged]])
    assert len(joined) == 4
    assert joined.articles == pytest.approx(2 * judged.articles)
