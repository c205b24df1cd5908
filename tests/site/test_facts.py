"""A fact of a page that cannot be computed is null, with a note; the text and the other facts remain."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any, NoReturn

import pytest
from tests.site.sites import Here, plan, shop

import webgrain
from webgrain.base.failures import fact
from webgrain.page.page import Source
from webgrain.site import model
from webgrain.site.audit import audit
from webgrain.site.site import Site
from webgrain.site.stages import extraction
from webgrain.site.tables import read_rows

ERROR = "ValueError: this page is broken"
HTML = "<html lang=en><title>Pears</title><meta name=author content='Kim Auk'><h1>Pears</h1><p>"
HTML += "Some pears ripen late in the year. " * 9


def fail(*given: object, **named: object) -> NoReturn:
    raise ValueError("this page is broken")


def noted(name: str) -> str:
    return f"It could not be computed: {name} ({ERROR})."


@pytest.fixture(scope="module")
def site() -> Site:
    return Site.fit(shop(24))


def test_a_field_of_the_metadata_fails_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = webgrain.extract(HTML)
    assert (expected.author, expected.notes) == ("Kim Auk", ())
    monkeypatch.setattr("webgrain.extraction.metadata.Authors", fail)
    document = webgrain.extract(HTML)
    assert (document.text, document.language, document.author) == (expected.text, "en", None)
    assert document.notes == (noted("author of the metadata"),)
    assert document.to_dict()["notes"] == [noted("author of the metadata")]


def test_metadata_fail_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("webgrain.extraction.metadata.Statements", fail)
    document = webgrain.extract(HTML)
    assert document.text.startswith("Some pears")
    assert document.metadata == {}
    assert document.to_dict()["author"] is None
    assert document.notes == (noted("the metadata"),)


@pytest.mark.parametrize(
    ("name", "owner", "function", "unknown"),
    [
        ("the page type", "webgrain.pagetypes.pagetypes.TypeModel", "assign", {"type": None}),
        ("the template", "webgrain.templates.sections.BestSectioner", "noise", {"template": None}),
        ("the boilerplate", "webgrain.site.model", "boilerplate_probability", {"boilerplate_share": 0.0}),
        ("the lists", "webgrain.site.model", "find_lists", {"lists": ()}),
    ],
)
def test_a_fact_of_a_prediction_fails_alone(
    name: str, owner: str, function: str, unknown: dict[str, Any], site: Site, monkeypatch: pytest.MonkeyPatch
) -> None:
    page = shop(30)[29]
    expected = site.predict(page).computed()
    monkeypatch.setattr(f"{owner}.{function}", fail)
    prediction = site.predict(page)
    assert prediction.text == expected.text
    assert prediction.metadata == expected.metadata
    assert {field: getattr(prediction, field) for field in unknown} == unknown
    assert prediction.notes == (*expected.notes, noted(name))
    assert prediction.to_dict()["text"] == expected.text


def test_the_text_needs_no_fact_of_the_model(site: Site, monkeypatch: pytest.MonkeyPatch) -> None:
    page = shop(30)[29]
    expected = site.predict(page).text
    monkeypatch.setattr("webgrain.pagetypes.pagetypes.TypeModel.assign", fail)
    prediction = site.predict(page)
    assert prediction.text == expected
    monkeypatch.undo()
    assert prediction.type is not None  # it is computed now, and only once
    monkeypatch.setattr("webgrain.pagetypes.pagetypes.TypeModel.assign", fail)
    assert prediction.type is not None
    assert prediction.notes == ()


def test_a_pickled_prediction_has_all_facts_and_no_model(site: Site) -> None:
    prediction = site.predict(shop(30)[29])
    again = pickle.loads(pickle.dumps(prediction))
    assert again.model is None
    assert again.to_dict() == prediction.to_dict()
    assert (again.noise == prediction.noise).all()


def test_what_is_pickled_does_not_change_when_another_thread_computes_a_fact(site: Site) -> None:
    prediction = site.predict(shop(30)[29])
    _, _, facts, _ = prediction.__getstate__()
    names = [*facts]
    assert prediction.metadata
    assert [*facts] == names


@pytest.mark.parametrize("name", ["check_cells", "reference_cells"])
def test_a_fact_of_a_row_fails_alone(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pages = shop(24)
    [outcome] = audit(lambda first: pages[first:], tmp_path / "expected", plan(samples=0), Here())
    expected = {row["page"]: row for row in read_rows(outcome.folder / "pages.parquet")}
    original = getattr(extraction, name)

    def broken(prediction: model.Prediction, *given: Any) -> Any:
        return fail() if prediction.id == pages[3].id else original(prediction, *given)

    monkeypatch.setattr(extraction, name, broken)
    [outcome] = audit(lambda first: pages[first:], tmp_path / "out", plan(samples=0), Here())
    assert not outcome.failures
    rows = {row["page"]: row for row in read_rows(outcome.folder / "pages.parquet")}
    assert rows.keys() == expected.keys()
    row = rows[pages[3].id]
    columns = [column for column, _ in extraction.CONTENT_COLUMNS if column != "notes"]
    assert {column: row[column] for column in columns} == {
        column: expected[pages[3].id][column] for column in columns
    }
    assert row["notes"] == [noted("the checks" if name == "check_cells" else "the links")]
    assert (row["words"] is None) == (name == "check_cells")


def test_what_would_fail_for_each_page_is_raised() -> None:
    for error in (MemoryError, webgrain.ParameterError):

        def raised(error: type[Exception] = error) -> NoReturn:
            raise error("in any case")

        with pytest.raises(error):
            fact("a fact", raised, None, [])


def test_late_titles_are_no_missing_titles(tmp_path: Path) -> None:
    html = "<b>Notice</b><!DOCTYPE html><html><head><title>Page {0}</title></head><body><h1>Page {0}</h1><p>"
    pages = [Source(f"{k}.html", (html.format(k) + "Some words. " * 20).encode()) for k in range(6)]
    [outcome] = audit(lambda first: pages[first:], tmp_path, plan(samples=0), Here())
    rows = list(read_rows(outcome.folder / "pages.parquet"))
    assert [row["document_title"] for row in rows] == [f"Page {k}" for k in range(6)]
    assert "missing-title" not in {finding.name for finding in outcome.findings}
