from __future__ import annotations

import json
import sys
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.papers.articles import article, title_of
from tests.site.sites import shop

from webgrain.base.errors import InputError, ParameterError
from webgrain.extraction.document import KnownFact
from webgrain.io.read import read
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.descriptions import Assignment
from webgrain.site.learning import empty_model, learn_site
from webgrain.site.model import load_model
from webgrain.site.site import Site
from webgrain.site.sitewatch import SiteWatch

if TYPE_CHECKING:
    from types import FrameType

    from webgrain.site.model import Prediction, SiteModel

EXAMPLES = Path(__file__).parents[2] / "examples" / "site"


def post(number: int) -> Source:
    page = article(number, comments=number % 3)
    assert page.source is not None
    return page.source


@pytest.fixture(scope="module")
def model() -> SiteModel:
    pages = [post(number) for number in range(12)]
    return learn_site(lambda: pages, "example.org")


def test_a_saved_model_predicts_the_same(model: SiteModel, tmp_path: Path) -> None:
    model.save(tmp_path / "model.json")
    again = load_model(tmp_path / "model.json")
    again.save(tmp_path / "again.json")
    assert (tmp_path / "model.json").read_bytes() == (tmp_path / "again.json").read_bytes()
    one, other = (which.predict(post(20)) for which in (model, again))
    assert (one.type, one.article) == (other.type, other.article)
    assert one.boilerplate_share == pytest.approx(
        other.boilerplate_share, abs=1e-3
    )  # the file has four digits
    assert (again.site, again.marks, again.boilerplate) == (model.site, model.marks, model.boilerplate)


def test_a_new_page_is_read_by_all_that_is_known(model: SiteModel) -> None:
    found = model.predict(post(20))
    assert (found.type, found.fits, found.verdict) == (next(iter(model.templates)), True, "article")
    assert found.title == title_of(article(20))
    assert all(title_of(article(number)) not in found.text for number in range(12))
    assert 0.01 < found.boilerplate_share < 0.5


@pytest.mark.parametrize("given", [b"<p>Hi", "<p>Hi", Source("a", b"<p>Hi")])
def test_pages_can_be_given_in_any_form(model: SiteModel, given: Any) -> None:
    assert model.predict(given).text == "Hi"


def test_an_error_names_the_type_of_what_is_not_a_page(model: SiteModel) -> None:
    with pytest.raises(ParameterError, match="got int"):
        model.predict(7)  # type: ignore[arg-type]


def test_marks_hold_for_all_pages_of_a_type(model: SiteModel) -> None:
    [label] = model.templates
    marks = model.marks[label]
    assert marks.title.endswith("h1.title")
    assert marks.main.endswith(("div.entry", "div#main"))


def test_types_have_names_for_people(model: SiteModel, tmp_path: Path) -> None:
    [label] = model.templates
    assert (model.name(label), model.name(None), model.name("unheard-of")) == (
        "Articles in /",
        None,
        "unheard-of",
    )
    assert model.predict(post(20)).type_name == "Articles in /"
    model.save(tmp_path / "model.json")
    assert json.loads((tmp_path / "model.json").read_text())["marks"][label]["name"] == "Articles in /"


def test_a_page_of_another_site_is_read_by_itself(model: SiteModel) -> None:
    html = "<title>Bread</title><main><h1>Bread</h1><p>" + "Flour, water and salt make a good dough. " * 5
    found = model.predict(html)
    assert (found.type, found.fits, found.title) == ("other", None, "Bread")
    assert found.text.startswith("Flour, water")


@pytest.mark.parametrize(
    "html", ["", "<p hidden>x", "<script>1</script>", "\0", "<ul><li><a href=/>Home</a></ul>"]
)
def test_pages_with_little_text_have_a_prediction(model: SiteModel, html: str) -> None:
    for one in (model, empty_model("nowhere", "There was no page.")):
        found = one.predict(html)
        assert bool(found.text) == ("Home" in html)  # never empty where there is text


def test_a_type_that_has_changed_raises_an_alarm(model: SiteModel) -> None:
    [label] = model.templates
    for changed in (False, True):
        watch = SiteWatch(model)
        for number in range(14, 34):
            html = post(number).body
            gone = html.replace(b"<p class=byline>", b"<form class=find><input></form><p>")
            watch.add(model.predict(gone if changed else html))
        assert (watch.drift()[label].level == "alarm") is changed


def of_type(prediction: Prediction, assigned: Assignment) -> Prediction:
    """Return a prediction of another type."""
    other = replace(prediction)
    other._facts["the page type"] = KnownFact((assigned, None), ())
    return other


def test_pages_that_lose_their_type_count_for_the_most_similar_one(model: SiteModel) -> None:
    [label] = model.templates
    model = replace(model, about={**model.about, "without_template": 0})
    pages = [model.predict(post(number).body.replace(b"byline", b"author")) for number in range(14, 34)]
    found = [of_type(one, Assignment(label)) for one in pages]
    lost = [of_type(one, Assignment(None, None, None)) for one in pages]
    for pages, counted in ((found[:10] + lost[10:11], 10), (lost, 20), (found[:5] + lost[5:], 20)):
        watch = SiteWatch(model)
        for one in pages:  # a single page without a type is as before
            watch.add(one)
        assert (watch.drift()[label].pages, watch.drift()[label].level) == (counted, "alarm")


def test_a_site_without_anything_in_common_has_a_model() -> None:
    pages = [Source("a", b"<h1>One</h1>"), Source("b", b"<table><tr><td>Two</table>"), Source("c", b"")]
    model = learn_site(lambda: pages, "")
    assert [model.predict(page).text or model.predict(page).title for page in pages] == ["One", "Two", ""]


def test_the_log_shows_the_queries_of_each_type(tmp_path: Path) -> None:
    from webgrain.io.queries import read_queries

    pages = shop(40, "shop.org")
    rows = [f"{page.url}\tdeck {k}\t{9 - k}" for k, page in enumerate(pages[:9])]
    (tmp_path / "log.tsv").write_text("\n".join(["page\tquery\tclicks", *rows]))
    model = learn_site(lambda: pages, "shop.org", read_queries(tmp_path / "log.tsv"))
    assert model.about["queries"].endswith("; 9 of 9 rows of the search log are of these pages")
    queries = {name: marks.queries for name, marks in model.marks.items()}
    assert sorted(query for own in queries.values() for query in own)[:1] == ["deck 0"]
    assert all(len(own) <= 5 and list(own) == sorted(own) for own in queries.values())
    again = type(model).from_dict(json.loads(json.dumps(model.to_dict())))
    assert {name: marks.queries for name, marks in again.marks.items()} == queries


def test_a_model_of_an_older_release_is_refused(model: SiteModel, tmp_path: Path) -> None:
    values = {"format": "webgrain site model", "version": 1} | model.to_dict()
    (tmp_path / "m.json").write_text(json.dumps(values))
    with pytest.raises(InputError, match="expected a webgrain site model of version 6, got 1"):
        load_model(tmp_path / "m.json")


def test_the_error_for_a_damaged_model_is_one_sentence(model: SiteModel, tmp_path: Path) -> None:
    values = {"format": "webgrain site model", "version": 6} | model.to_dict()
    for name in ("types", "texts", "templates", "marks", "boilerplate", "about", "site"):
        (tmp_path / "m.json").write_text(json.dumps({key: values[key] for key in values if key != name}))
        with pytest.raises(InputError, match="damaged webgrain site model"):
            load_model(tmp_path / "m.json")
        (tmp_path / "m.json").write_text(json.dumps(values | {name: 7}))
        if name != "site":
            with pytest.raises(InputError, match="damaged webgrain site model"):
                load_model(tmp_path / "m.json")


METHODS = frozenset(("pagetypes", "templates", "extraction", "lists", "segmentation", "duplicates"))


def method_calls(model: SiteModel, page: Source) -> Counter[str]:
    """Count the calls of a prediction that lead from the site or one method to another method, by the latter.

    Calls of what all methods use (base, page, columns, documents) do not count, and a generator counts once.
    """
    changes = Counter[str]()
    known: set[FrameType] = set()  # a generator has the same one at each of its steps

    def method(frame: FrameType | None) -> str:
        """Return the package of the innermost caller that is a method."""
        while frame is not None:
            name = str(frame.f_globals.get("__name__", ""))
            part = name.split(".")[1] if name.startswith("webgrain.") else ""
            if part in METHODS:
                return part
            frame = frame.f_back
        return "site"

    def count(frame: FrameType, event: str, _: object) -> None:
        is_new = event == "call" and frame not in known
        known.add(frame)
        if is_new and str(frame.f_globals.get("__name__", "")).startswith("webgrain."):
            part = str(frame.f_globals["__name__"]).split(".")[1]
            if part in METHODS and part != method(frame.f_back):
                changes[part] += 1

    sys.setprofile(count)
    try:
        model.predict(page).computed()
    finally:
        sys.setprofile(None)
    return changes


def test_prediction_calls_methods_at_most_9_times() -> None:
    pages = {page.id: page for page in read([EXAMPLES]) if isinstance(page, Source)}
    model = learn_site(pages.values, "example.org")
    names = ("en/harbour/the-boat-that-came-back.html", "en/shop/tarred-rope-doormat.html")
    model.predict(pages["en/shop/index.html"])  # reads the trained models
    for name in names:
        changes = method_calls(model, pages[name])
        assert changes.keys() == {"pagetypes", "templates", "extraction", "lists"}
        assert changes.total() <= 9, name


def test_a_title_outside_of_the_body_has_no_selector() -> None:
    text = "<p>A text in several sentences. It has the number {0}, and nothing else is special about it.</p>"
    html = "<title>Lamp {0}</title><ul><li>Home<li>News</ul>" + 3 * text
    sources = [Source(f"{k}.html", html.format(k).encode()) for k in range(9)]
    [marks] = learn_site(lambda: sources, "example.org").marks.values()
    assert marks.title == ""


def test_a_site_parses_its_pages_once(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def parse_and_note(item: Source, limits: Limits) -> Page:
        parsed.append(item.id)
        return parse(item, limits)

    monkeypatch.setattr("webgrain.site.pipeline.parse", parse_and_note)
    html = "<ul><li>Home</ul><h1>Page {0}</h1><p>Words on {0}"
    pages = [Source(f"{k}.html", html.format(k).encode()) for k in range(6)]
    once = Site.fit(pages).model
    assert sorted(parsed) == [page.id for page in pages]
    monkeypatch.setattr("webgrain.site.learning.LEARNT_NODES", (30, 0))  # three pages
    again = Site.fit(pages).model
    assert len(parsed) > 2 * len(pages)
    assert again.to_dict() == once.to_dict()
