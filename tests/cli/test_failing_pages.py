"""A page at which any function fails is named; the other pages have the results of a run without an error."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from tests.breaking import broken, functions_with_the_page, marked
from tests.site.sites import shop

from webgrain import SiteTemplate
from webgrain.site.site import Site
from webgrain.templates.template import write_template

if TYPE_CHECKING:
    from types import FunctionType

    from tests.cli.conftest import Outcome, Webgrain

BAD = 4
CHOSEN = 4
"""Functions that are tried for each command in a run that does not try all of them."""

COMMANDS = {
    "segment": "segment {site}",
    "segment of a site": "segment {site} --model {model}",
    "show": "show {site}",
    "text": "text {site}",
    "lists": "table {site} --format jsonl --list all",
    "selectors of lists": "table {site} --format jsonl --selectors",
    "lists of a site": "table {site} --format jsonl --model {model}",
    "extract": "extract {site} --single --workers 1 --format jsonl",
    "extract with texts": "extract {site} --format jsonl",
    "extract of a site": "extract {site} --format jsonl --model {model}",
    "chunks": "extract {site} --single --workers 1 --chunks",
    "sections": "sections {site} --template {template}",
    "fields": "fields {site}",
    "fields of a site": "fields {site} --model {model} -o {out}/fields.jsonl",
    "dupes": "dupes {site} --same-template",
    "dupes by shingles": "dupes {site} --method shingles",
    "drift": "template drift --template {template} {site}",
    "drift of a site": "template drift --template {model} {site}",
    "repair": "template repair --template {template} {site}",
    "repair of a site": "template repair --template {model} {site}",
    "update": "learn site {site} --update {model} -o {out}/new.json",
}

ALONE = (
    "segment",
    "text",
    "lists",
    "selectors of lists",
    "lists of a site",
    "extract",
    "extract of a site",
    "chunks",
    "sections",
)
"""Commands whose results for a page depend on no other page."""

RUNNING = (
    "webgrain.engines",
    "webgrain.page.turns",
    "webgrain.site.pipeline",
    "webgrain.base",
    "webgrain.io",
)
"""Modules that run steps with pages, and name pages that fail."""

NOT_COMPUTED = "could not be computed"


@pytest.fixture(scope="module")
def places(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """A site with a marked page, a model and a template of its other pages, and an empty folder."""
    folder = tmp_path_factory.mktemp("failing")
    names = {name: folder / name for name in ("site", "out", "model.json", "template.json")}
    pages = shop(12)
    others = [page for page in pages if page is not pages[BAD]]
    Site.fit(others).save(names["model.json"])
    write_template(names["template.json"], SiteTemplate().fit(others).template_)
    names["out"].mkdir()
    for page in pages:
        path = names["site"] / page.id
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes((marked(page) if page is pages[BAD] else page).body)
    return {"bad": pages[BAD].id} | {name.partition(".")[0]: str(path) for name, path in names.items()}


def rows_by_page(out: str) -> dict[str, list[Any]]:
    """Return the records of each page."""
    rows = defaultdict(list)
    for line in out.splitlines():
        if line.startswith("{"):
            record = json.loads(line)
            rows[record.get("page", "")].append(record)
    return rows


def functions_and_outcome(webgrain: Webgrain, arguments: list[str]) -> tuple[list[FunctionType], Outcome]:
    """Return the functions of the methods that get the marked page, and the outcome without an error."""
    outcomes: list[Outcome] = []
    functions = functions_with_the_page(lambda: outcomes.append(webgrain(*arguments)))
    of_methods = [
        each
        for each in functions
        if not each.__module__.startswith(RUNNING) and not each.__name__.startswith("__")
    ]
    return of_methods, outcomes[0]


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.full)])
@pytest.mark.parametrize("name", COMMANDS)
def test_a_page_at_which_a_function_fails_costs_only_itself(
    name: str, every: bool, webgrain: Webgrain, places: dict[str, str]
) -> None:
    arguments = COMMANDS[name].format(**places).split()
    bad = places["bad"]
    functions, expected = functions_and_outcome(webgrain, arguments)
    assert expected.code == 0
    others = rows_by_page(expected.out)
    of_bad = others.pop(bad, [])
    step = 1 if every else len(functions) // CHOSEN
    for function in functions[step // 2 :: step]:
        with broken(function) as calls:
            done = webgrain(*arguments)
        context = f"{function.__module__}: {function.__qualname__}: {done.err[-300:]}"
        if not calls:  # it was computed for another command
            continue
        assert done.code == (name == "show" and bad in done.err), context
        rows = rows_by_page(done.out)
        now = rows.pop(bad, [])
        assert (rows == others) if name in ALONE else (rows.keys() == others.keys()), context
        is_named = f"webgrain: {bad}: " in done.err or NOT_COMPUTED in json.dumps(now)
        assert is_named or (now == of_bad and done.out == expected.out), context


def test_a_marked_page_that_fails_is_named(
    webgrain: Webgrain, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    marks = Path(places["out"]) / "marks.jsonl"
    marks.write_text(json.dumps({"page": places["bad"], "fields": {"title": "A"}}))

    def fail(*_: object) -> None:
        raise ValueError("this page is broken")

    monkeypatch.setattr("webgrain.pagetypes.pagetypes.TypeModel.assign", fail)
    done = webgrain("fields", places["site"], "--model", places["model"], "--marks", marks)
    assert done.code == 2
    reason = "internal error: ValueError: this page is broken"
    assert done.err == f"webgrain: --marks: the page {places['bad']!r} cannot be read: {reason}\n"


def test_two_pages_that_cannot_be_compared_are_named(
    webgrain: Webgrain, places: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("this page is broken")

    monkeypatch.setattr("webgrain.site.duplicates.compare_texts", fail)
    first, second = (str(path) for path in sorted(Path(places["site"]).rglob("*.html"))[:2])
    done = webgrain("compare", first, second)
    assert done.code == 2
    assert done.err.startswith(f"webgrain: {first} and {second} cannot be compared: internal error")


def test_a_pair_whose_differences_fail_stays(
    webgrain: Webgrain, site: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (site / "copy.html").write_bytes((site / "index.html").read_bytes())
    expected = webgrain("dupes", site).records

    def fail(*_: object) -> None:
        raise ValueError("this page is broken")

    monkeypatch.setattr("webgrain.site.duplicates.text_differences", fail)
    done = webgrain("dupes", site)
    failure, pair = done.records
    assert (failure["page"], failure["stage"]) == ("index.html", "compare")
    assert [pair] == [{**each, "a_only": None, "b_only": None} for each in expected]
    assert "webgrain: index.html: compare: internal error" in done.err


def test_a_page_of_several_that_fails_is_named_in_python(monkeypatch: pytest.MonkeyPatch) -> None:
    pages = shop(8)
    site = Site.fit(pages)
    [first, *_] = site.types
    row = type(first.fields).row

    def fail(self: Any, page: Any) -> Any:
        if page.id == pages[BAD].id:
            raise ValueError("this page is broken")
        return row(self, page)

    monkeypatch.setattr(type(first.fields), "row", fail)
    with pytest.warns(
        UserWarning, match=rf"^1 pages are left out, the first is {pages[BAD].id}: internal error"
    ):
        rows = first.table(pages)
    assert [each["page"] for each in rows] == [page.id for page in pages if page is not pages[BAD]]
