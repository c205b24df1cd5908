"""New types of a site: pages that are alike and unlike the pages that its types were learnt from."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.newtypes import LearntPages, NewPage, find_new_types
from webgrain.pagetypes.pagetypes import PageTypes, TypeModel
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.thresholds import WAITING_PAGES

FRAME = "<body><ul class=menu><li><a href=/>Home</a><li><a href=/shop/>Shop</a></ul>{0}<footer>Us</footer>"
WORDS = "The lamp of house {0} is lit at dusk, and nobody knows who pays for all the oil of {0}. "


def article(number: int) -> NewPage:
    body = f"<article class=post><h1>Lamp {number}</h1><p>{WORDS.format(number) * 3}</article>"
    return page(f"blog/lamp{number}.html", body)


def index(number: int) -> NewPage:
    rows = "".join(f"<li class=teaser><a href=/blog/{k}>Lamp {k}</a>" for k in range(number, number + 8))
    return page(f"list/{number}.html", f"<h1>Lamps from {number}</h1><ol class=teasers>{rows}</ol>")


def product(number: int) -> NewPage:
    body = (
        f"<div class=product><h1>Oil {number}</h1><span class=price>{number} EUR</span><table><tr><th>Weight"
    )
    return page(
        f"shop/oil{number}.html", f"{body}<td>{number} kg</table><form><button>Buy</button></form></div>"
    )


def page(name: str, body: str) -> NewPage:
    return NewPage.of(parse(Source(name, FRAME.format(body).encode())))


def pages(make: Callable[[int], NewPage], count: int, first: int = 0) -> list[NewPage]:
    return [make(number) for number in range(first, first + count)]


def learnt_from(known: Sequence[NewPage]) -> tuple[TypeModel, LearntPages]:
    counts = PathCounts()
    for one in known:
        html = FRAME  # only the traits and words count
        counts.add(parse(Source(one.id, html.encode())))
    counts.traits = [one.traits for one in known]
    counts.words = [one.words for one in known]
    model = PageTypes().fit_counts(counts).model_
    return model, LearntPages.of(known, model.assign_traits(counts.traits)[0])


@pytest.fixture(scope="module")
def site() -> tuple[TypeModel, LearntPages]:
    return learnt_from([*pages(article, 20), *pages(index, 20)])


def labels(model: TypeModel, of: Sequence[NewPage]) -> set[str]:
    numbers = model.assign_traits([one.traits for one in of])[0].tolist()
    return {model.rules[number].label if number >= 0 else "other" for number in numbers}


def test_alike_pages_are_a_new_type(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    new = [*pages(product, 8), *pages(article, 4, 50)]
    [before] = labels(model, pages(article, 4, 50))
    compared = find_new_types(model, learnt, new)
    assert len(compared.labels) == 1
    assert compared.types[:8].tolist() == [len(model.rules)] * 8
    assert labels(compared.model, pages(product, 5, 90)) == set(compared.labels)
    assert labels(compared.model, pages(article, 5, 90)) == {before}
    assert [rule.label for rule in compared.model.rules[:2]] == [rule.label for rule in model.rules]
    assert compared.model.rules[2].size == 8
    assert set(compared.labels).isdisjoint(rule.label for rule in model.rules)


def test_pages_of_known_types_change_nothing(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    compared = find_new_types(model, learnt, [*pages(article, 6, 50), *pages(index, 6, 50)])
    assert compared.model is model
    assert compared.labels == ()
    assert len(compared.learnt) == len(learnt)


def test_learnt_pages_keep_their_types(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    known = [*pages(article, 20), *pages(index, 20)]
    grown = find_new_types(model, learnt, pages(product, 8)).model
    before, after = (one.assign_traits([page.traits for page in known])[0] for one in (model, grown))
    assert before.tolist() == after.tolist()


def test_few_pages_wait_for_others(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    first = find_new_types(model, learnt, pages(product, 2))
    assert first.model is model
    assert first.types.tolist() == [-1, -1]
    again = find_new_types(model, first.learnt, pages(product, 2))  # the same pages do not count twice
    assert again.labels == ()
    assert len(again.learnt) == len(learnt) + 2
    then = find_new_types(model, first.learnt, pages(product, 1, 7))
    assert len(then.labels) == 1
    assert then.model.rules[-1].size == 3
    assert (then.learnt.types == len(model.rules)).sum() == 3


def test_a_new_type_is_known_the_next_time(site: tuple[TypeModel, LearntPages]) -> None:
    first = find_new_types(*site, pages(product, 8))
    second = find_new_types(first.model, first.learnt, pages(product, 8, 50))
    assert second.labels == ()
    assert set(second.types.tolist()) == {len(site[0].rules)}


def test_order_has_no_effect(site: tuple[TypeModel, LearntPages]) -> None:
    new = [*pages(product, 8), *pages(index, 5, 60)]
    one, other = find_new_types(*site, new), find_new_types(*site, new[::-1])
    assert one.model.to_dict() == other.model.to_dict()
    assert one.learnt.to_dict() == other.learnt.to_dict()
    assert one.types.tolist() == other.types[::-1].tolist()


def test_a_model_without_learnt_pages_stays(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    for known in (LearntPages(), LearntPages(learnt.traits[:1], learnt.marks[:1], learnt.types[:1])):
        assert find_new_types(model, known, pages(product, 8)).model is model
    assert find_new_types(TypeModel(()), learnt, pages(product, 8)).labels == ()
    assert find_new_types(model, learnt, []).labels == ()


def test_special_pages_are_no_new_type(site: tuple[TypeModel, LearntPages]) -> None:
    html = "<meta http-equiv=refresh content='0; url=/blog/'><title>Moved</title>"
    moved = [NewPage.of(parse(Source(f"old/{k}.html", html.encode()))) for k in range(6)]
    assert moved[0].traits.special
    assert find_new_types(*site, moved).labels == ()


def test_waiting_pages_are_bounded(site: tuple[TypeModel, LearntPages]) -> None:
    _, learnt = site
    waiting = LearntPages.of(pages(product, WAITING_PAGES + 9), np.full(WAITING_PAGES + 9, -1))
    assert (waiting.types < 0).sum() == WAITING_PAGES
    assert len(learnt.joined(waiting).joined(waiting)) == len(learnt) + WAITING_PAGES


def test_stored_pages_are_the_same(site: tuple[TypeModel, LearntPages]) -> None:
    model, learnt = site
    stored = json.loads(json.dumps(learnt.to_dict()))
    again = LearntPages.from_dict(stored)
    assert again.to_dict() == learnt.to_dict()
    new = pages(product, 8)
    one, other = find_new_types(model, learnt, new), find_new_types(model, again, new)
    assert one.model.to_dict() == other.model.to_dict()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("types", [0]),
        ("types", [-2] * 40),
        ("types", "x"),
        ("rows", "AAAA"),
        ("keys", ""),
        ("tags", []),
        ("start", None),
        ("region", "eJwDAAAAAAE="),
    ],
)
def test_damaged_pages(site: tuple[TypeModel, LearntPages], name: str, value: Any) -> None:
    from webgrain.base.modelfile import DAMAGED

    with pytest.raises(DAMAGED):
        LearntPages.from_dict({**site[1].to_dict(), name: value})
