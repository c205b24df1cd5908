"""`Site.update`: new pages are added to what is known of a site."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.papers.articles import article

import webgrain
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
