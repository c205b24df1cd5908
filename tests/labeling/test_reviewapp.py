"""The review of sections: requests as the window sends them, and a person's clicks in a real browser."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import PATIENCE
from tests.labeling.conftest import Client, NoBrowser, running

from webgrain.cli.template import best_sectioner
from webgrain.labeling.app import LabelServer
from webgrain.labeling.reviews import ReviewApp
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.papers.regextree import RegexTree
from webgrain.rendering.chromium import Chromium
from webgrain.templates.template import write_template

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = (
    "<!doctype html><title>{0}</title><div><a href=/>Home</a> <a href=/news>News</a></div>"
    "<div><h1>On {0}</h1>" + "<p>Some words on {0}</p>" * 3 + "</div>"
)
NAMES = ("apples", "bears", "clouds")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    site = tmp_path / "site"
    site.mkdir()
    for name in NAMES:
        (site / f"{name}.html").write_text(PAGE.format(name), encoding="utf-8")
    (site / "empty.html").write_text("<!doctype html><title>Nothing</title>", encoding="utf-8")
    pages = [parse(Source(name, PAGE.format(name).encode())) for name in NAMES]
    template = RegexTree().fit(pages).template_
    assert template is not None
    write_template(tmp_path / "news.json", template)
    return site


def app_of(folder: Path, annotator: str = "kim", browser: Any = None, template: str = "news") -> ReviewApp:
    cutter = best_sectioner(folder.parent / f"{template}.json")
    return ReviewApp(folder, annotator, browser or NoBrowser(), cutter)


@pytest.fixture
def client(folder: Path) -> Iterator[Client]:
    with app_of(folder) as app, LabelServer(app) as server, running(server):
        yield Client(server)


def verdicts(page: Any, **first: bool) -> list[dict[str, bool | None]]:
    """Verdicts as the window sends them, on the first section only."""
    return [first, *({"cut": None, "class": None} for _ in page["segments"][1:])]


def test_a_page_has_its_sections_without_verdicts(client: Client) -> None:
    page = client("GET", "/pages/0").record
    assert (page["template"], page["revision"]) == ("news", 0)
    menu, *rest = page["segments"]
    assert (menu["boilerplate"], menu["text"], menu["cut"], menu["class"]) == (True, "Home News", None, None)
    assert rest
    assert not any(section["boilerplate"] for section in rest)
    spans = [range(page["first"][k], page["last"][k]) for one in page["segments"] for k in one["parts"]]
    assert sorted(leaf for span in spans for leaf in span) == list(range(len(page["text"])))


def test_verdicts_are_saved_and_the_next_run_resumes(client: Client, folder: Path) -> None:
    page = client("GET", "/pages/1").record
    sent = {"segments": verdicts(page, cut=True, **{"class": False}), "revision": 0}
    assert client("PUT", "/pages/1", sent).record == {"revision": 1}
    record = json.loads((folder / "reviews-kim.jsonl").read_text("utf-8"))
    assert (record["page"], record["template"]) == ("bears.html", "news")
    assert [(one["cut"], one["class"]) for one in record["sections"][:2]] == [(True, False), (None, None)]
    with app_of(folder) as again:
        assert again.overview()["start"] == 1
        assert again.overview()["pages"][1]["segments"] == 1
        assert again.page(1)["segments"][0]["class"] is False
    with app_of(folder, "lee") as other:  # judges do not see each other's verdicts
        assert other.page(1)["segments"][0]["class"] is None


def test_verdicts_that_are_all_removed_leave_no_record(client: Client, folder: Path) -> None:
    page = client("GET", "/pages/0").record
    client("PUT", "/pages/0", {"segments": verdicts(page, cut=True), "revision": 0})
    client("PUT", "/pages/0", {"segments": verdicts(page), "revision": 1})
    assert (folder / "reviews-kim.jsonl").read_text("utf-8") == ""


@pytest.mark.parametrize(
    "segments", [None, [], [{}] * 99, "all", [1], [{"cut": 1}], [{"class": "right"}]], ids=str
)
def test_what_is_no_verdict_is_refused(client: Client, folder: Path, segments: Any) -> None:
    if isinstance(segments, list) and len(segments) == 1:  # as many as there are sections
        segments = segments * len(client("GET", "/pages/0").record["segments"])
    assert client("PUT", "/pages/0", {"segments": segments, "revision": 0}).status == 400
    assert not list(folder.glob("reviews-*"))


def test_verdicts_on_another_template_are_not_overwritten(client: Client, folder: Path) -> None:
    page = client("GET", "/pages/0").record
    client("PUT", "/pages/0", {"segments": verdicts(page, cut=True), "revision": 0})
    before = (folder / "reviews-kim.jsonl").read_text("utf-8")
    (folder.parent / "news.json").rename(folder.parent / "blog.json")
    with app_of(folder, template="blog") as app, LabelServer(app) as server, running(server):
        answer = Client(server)("PUT", "/pages/0", {"segments": verdicts(page, cut=False), "revision": 0})
    assert answer.status == 409
    assert "judged with the template news" in answer.record["error"]
    assert (folder / "reviews-kim.jsonl").read_text("utf-8") == before


def test_the_summary_of_two_judges(client: Client, folder: Path) -> None:
    page = client("GET", "/pages/0").record
    assert client("GET", "/summary").record == {"judges": [], "agreement": []}
    client("PUT", "/pages/0", {"segments": verdicts(page, cut=True, **{"class": True}), "revision": 0})
    with app_of(folder, "lee") as other:
        other.save(0, {"segments": verdicts(page, cut=False, **{"class": True}), "revision": 0})
    found = client("GET", "/summary").record
    assert [(one["judge"], one["precision"], one["cuts"]) for one in found["judges"]] == [
        ("kim", 1.0, 1.0),
        ("lee", 1.0, 0.0),
    ]
    assert [(one["verdict"], one["sections"], one["raw"]) for one in found["agreement"]] == [
        ("cut", 1, 0.0),
        ("class", 1, 1.0),
    ]


def test_only_what_a_review_has_is_there(client: Client) -> None:
    assert b"<title>Review sections" in client("GET", "/").body
    assert client("GET", "/summary", cookie=None).status == 403
    assert client("PUT", "/pages/0/text", {"parts": [0]}).status == 405
    for path in ("/agreement", "/pages/0/suggestion", "/pages/0/agreement", "/review.html"):
        assert client("GET", path).status == 404
    empty = next(k for k, one in enumerate(client("GET", "/pages").record["pages"]) if "empty" in one["page"])
    assert client("GET", f"/pages/{empty}").status == 422


@pytest.mark.browser
def test_a_click_and_a_key_give_verdicts(folder: Path, browser_path: str, driven_browser: Any) -> None:
    tab = driven_browser.new_page(viewport={"width": 1400, "height": 900})
    tab.set_default_timeout(PATIENCE * 1000)
    errors: list[str] = []
    tab.on("pageerror", lambda error: errors.append(str(error)))
    with (
        Chromium(executable=browser_path, timeout=PATIENCE) as chromium,
        app_of(folder, browser=chromium) as app,
        LabelServer(app) as server,
        running(server),
    ):
        tab.goto(server.url)
        tab.locator("#segments .boilerplate[aria-pressed=true]").wait_for()
        with tab.expect_response(lambda answer: answer.request.method == "PUT"):
            tab.locator("#verdicts [data-verdict=cut][data-value=true]").click()
        with tab.expect_response(lambda answer: answer.request.method == "PUT") as answer:
            tab.keyboard.press("4")
        assert answer.value.status == 200
        tab.locator("#marks .informative").first.click()
        assert tab.locator("#segments .informative[aria-pressed=true]").count() == 1
        record = json.loads((folder / "reviews-kim.jsonl").read_text("utf-8"))
        assert (record["sections"][0]["cut"], record["sections"][0]["class"]) == (True, False)
        tab.locator("#sum").click()
        tab.locator("#judges tr").wait_for()
        assert tab.locator("#judges").inner_text().split() == ["kim", "1", "1", "0.000", "–", "1.000"]
        tab.goto("about:blank")
    tab.context.close()
    assert errors == []
