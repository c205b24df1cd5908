"""`Site.update`: new pages are added to what is known of a site."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.articles import article

import webgrain
import webgrain.pagetypes.newtypes
import webgrain.site.growth
from webgrain import Site
from webgrain.base.errors import InputError, ParameterError
from webgrain.page.page import Page, Source

OFFER = "Subscribe to the paper version and receive it by mail every week"


def page(number: int, offer: bool = False) -> Source:
    """Return an article; offer: with a paragraph that other pages have too."""
    body = f"<p>{OFFER}</p>" if offer else ""
    source = article(number, body).source
    assert source is not None
    return source


def test_texts_that_new_pages_repeat_are_recognised() -> None:
    site = Site.fit([page(number) for number in range(12)])
    new = page(99, offer=True)
    before = site.predict(new)
    update = site.update([page(number, offer=True) for number in range(20, 60)])
    after = site.predict(new)
    assert (update.pages, update.types.get(None, 0), update.failures) == (40, 0, ())
    assert before.type == after.type
    assert site.model.texts.pages == 52
    dom = after.page.dom
    *_, node = (node for node in range(len(dom)) if dom.text_of(node) == OFFER)
    assert after.noise[node] > before.noise[node] + 0.2


def test_types_and_templates_stay() -> None:
    site = Site.fit([page(number) for number in range(12)])
    model = site.model
    site.update([page(number) for number in range(20, 30)])
    assert site.model.types is model.types
    assert site.model.templates is model.templates
    assert [type_.label for type_ in site.types] == [type_.label for type_ in Site(model).types]


def test_a_model_with_more_pages_can_be_stored(tmp_path: Path) -> None:
    site = Site.fit([page(number) for number in range(12)])
    site.update([page(number, offer=True) for number in range(20, 40)])
    site.save(tmp_path / "site.json")
    again = Site.load(tmp_path / "site.json")
    assert again.predict(page(99, offer=True)).to_dict() == site.predict(page(99, offer=True)).to_dict()


def test_order_and_parts_change_nothing() -> None:
    new = [page(number, offer=True) for number in range(20, 40)]
    sites = [Site.fit([page(number) for number in range(12)]) for _ in range(2)]
    sites[0].update(new)
    sites[1].update(new[::-1])
    assert sites[0].model.texts.to_dict() == sites[1].model.texts.to_dict()


def test_changed_pages_are_an_alarm() -> None:
    site = Site.fit([page(number) for number in range(12)])
    changed = [
        Source(
            str(number), page(number).body.replace(b"<p class=byline>", b"<form class=find><input></form><p>")
        )
        for number in range(20, 50)
    ]
    update = site.update(changed)
    assert {report.level for report in update.drift.values()} == {"alarm"}
    assert repr(update) == "<SiteUpdate: 30 pages, 0 of no type, 1 changed type>"


def test_pages_that_fail_are_named(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site.fit([page(number) for number in range(12)])
    original = webgrain.site.site.page_table

    def fail(page: Page) -> object:
        if page.id == "article-21.html":
            raise ValueError("no")
        return original(page)

    monkeypatch.setattr("webgrain.site.site.page_table", fail)
    update = site.update([page(number) for number in range(20, 24)])
    assert [failure.page for failure in update.failures] == ["article-21.html"]
    assert site.model.texts.pages == 15
    assert site.failures == update.failures


def test_wrong_pages() -> None:
    site = Site.fit([page(number) for number in range(12)])
    before = site.model
    with pytest.raises(ParameterError):
        site.update([])
    with pytest.raises(ParameterError):
        site.update("<p>Hello")
    with pytest.raises(InputError):
        site.update([webgrain.Failure("a.html", "read", "it is not HTML.")])
    assert site.model is before


def product(number: int) -> Source:
    """Return a page of a part of the site that the model does not know."""
    body = page(number).body.decode()
    start, end = body.index("<h1"), body.rindex("</p>")
    rows = f"<table class=facts><tr><th>Weight<td>{number} kg<tr><th>Price<td>{number} EUR</table>"
    text = (
        f"<form class=buy><h1>Oil number {number}</h1>{rows}<input name=count><button>Buy</button></form><p>"
    )
    return Source(f"shop/oil-{number}.html", (body[:start] + text + body[end:]).encode())


Grown = tuple[Site, Site, webgrain.site.site.SiteUpdate]


@pytest.fixture(scope="module")
def grown() -> Grown:
    """Return a site, the same after an update with pages of a new part, and what the update states."""
    before, after = (Site.fit([page(number) for number in range(12)]) for _ in range(2))
    update = after.update([*map(product, range(30)), *map(page, range(20, 26))])
    return before, after, update


def test_pages_of_a_new_part_are_a_new_type(grown: Grown) -> None:
    before, site, update = grown
    [label] = update.new_types
    old = {type_.label for type_ in before.types}
    assert label not in old
    assert before.predict(product(99)).type in old
    assert site.predict(product(99)).type == label
    assert site.predict(page(99)).type in old
    types = [site.predict(page(number)).type for number in range(12)]
    assert types == [before.predict(page(number)).type for number in range(12)]
    assert update.types[label] == 30
    assert update.pages == 36
    assert repr(update).endswith(", 1 new>")


def test_pages_of_a_new_type_are_no_drift_of_types_that_have_pages() -> None:
    site = Site.fit([page(number) for number in range(12)])
    update = site.update([*(page(number) for number in range(20, 50)), *map(product, range(30))])
    [new] = update.new_types
    assert new in update.drift
    assert len(update.drift) > 1
    assert {label: report.pages for label, report in update.drift.items()} == update.types


def test_a_new_type_has_what_a_learnt_type_has(grown: Grown) -> None:
    before, site, update = grown
    [new] = [type_ for type_ in site.types if type_.label in update.new_types]
    assert new.size == 30
    assert new.template is not None
    assert new.title
    assert new.name not in ("", *(type_.name for type_ in before.types))
    prediction = site.predict(product(99))
    assert prediction.match is not None
    assert prediction.fit_probability is not None
    assert prediction.fit_probability > 0.1
    assert new.fields.row(prediction.page)


def test_earlier_types_stay(grown: Grown) -> None:
    before, site, _ = grown
    after = {type_.label: type_ for type_ in site.types}
    for old in before.types:
        new = after[old.label]
        assert (new.name, new.size, new.title, new.main) == (old.name, old.size, old.title, old.main)
        assert str(new.template) == str(old.template)


def test_a_new_type_is_stored(grown: Grown, tmp_path: Path) -> None:
    _, site, update = grown
    site.save(tmp_path / "site.json")
    again = Site.load(tmp_path / "site.json")
    assert again.predict(product(99)).to_dict() == site.predict(product(99)).to_dict()
    assert again.update([product(number) for number in range(40, 46)]).new_types == ()
    assert again.predict(product(99)).type == update.new_types[0]


def test_pages_of_a_new_part_wait_for_each_other(tmp_path: Path) -> None:
    site = Site.fit([page(number) for number in range(12)])
    assert site.update([product(0), product(1)]).new_types == ()
    site.save(tmp_path / "site.json")
    again = Site.load(tmp_path / "site.json")
    [label] = again.update([product(2), product(3), product(4)]).new_types
    [new] = [type_ for type_ in again.types if type_.label == label]
    assert (new.size, new.template is None) == (5, False)


def test_a_model_of_an_earlier_version_gets_no_new_types() -> None:
    site = Site.fit([page(number) for number in range(12)])
    stored = site.model.to_dict()
    del stored["learnt_pages"]
    old = Site(webgrain.site.model.SiteModel.from_dict(stored))
    update = old.update([product(number) for number in range(8)])
    assert (update.new_types, len(old.types)) == ((), len(site.types))


def test_a_page_that_fails_costs_no_type(monkeypatch: pytest.MonkeyPatch) -> None:
    site = Site.fit([page(number) for number in range(12)])
    original = webgrain.site.growth.find_new_types

    def fail(model: object, learnt: object, pages: list[webgrain.pagetypes.newtypes.NewPage]) -> object:
        if any(new.id == "shop/oil-3.html" for new in pages):
            raise ValueError("no")
        return original(model, learnt, pages)

    monkeypatch.setattr("webgrain.site.growth.find_new_types", fail)
    update = site.update([product(number) for number in range(8)])
    assert [failure.page for failure in update.failures] == ["shop/oil-3.html"]
    assert len(update.new_types) == 1
