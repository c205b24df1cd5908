"""The style sheets of pages in the archive of a crawl."""

from __future__ import annotations

from contextlib import closing
from typing import TYPE_CHECKING

import pytest
from tests.crawler.crawls import archived, outcomes, plan_of, reply

from webgrain.base.failures import Failure
from webgrain.crawler import state, thresholds
from webgrain.crawler.process import run_crawl
from webgrain.crawler.state import SHEET, Entry, Frontier
from webgrain.io.archives import read_answers
from webgrain.io.thresholds import MAX_SHEET

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawler.conftest import Site

    from webgrain.crawler.plan import Plan

CSS = ("Content-Type", "text/css; charset=utf-8")


def page(*sheets: str, links: tuple[str, ...] = ()) -> tuple[object, ...]:
    """Return a page that loads style sheets."""
    head = "".join(f"<link rel=stylesheet href='{sheet}'>" for sheet in sheets)
    body = "".join(f"<a href='{link}'>{link}</a>" for link in links)
    return reply(f"<!doctype html><title>A</title>{head}<p>{body}".encode())


def css(text: str) -> tuple[object, ...]:
    return reply(text.encode(), 200, CSS)


def stored(plan: Plan, site: Site) -> dict[str, bytes]:
    """The style sheets in the archive, by path."""
    answers = read_answers(plan.output)
    return {a.url.removeprefix(site.url): a.sheet for a in answers if a.sheet is not None}


def test_style_sheets_and_their_imports_are_stored_once(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/css/a.css", "print.css", links=("/b",))
    site.pages["/b"] = page("/css/a.css")
    site.pages["/css/a.css"] = css("@import 'more.css'; p { color: red }")
    site.pages["/css/more.css"] = css("@import 'a.css';")
    site.pages["/print.css"] = css("")
    plan = plan_of(site, tmp_path)
    pages = {"/": "stored", "/b": "stored"}
    sheets = ["/css/a.css", "/css/more.css", "/print.css"]
    assert outcomes(plan, site) == pages | dict.fromkeys(sheets, "stylesheet")
    assert archived(plan) == ["/", "/b"]
    assert sorted(stored(plan, site)) == sheets
    assert stored(plan, site)["/css/more.css"] == b"@import 'a.css';"
    assert site.times() == dict.fromkeys(["/robots.txt", *pages, *sheets], 1)
    assert site.paths()[1:4] == ["/", "/css/a.css", "/print.css"]  # before further pages


def test_without_style_sheets_none_is_requested(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/a.css")
    assert outcomes(plan_of(site, tmp_path, stylesheets=False), site) == {"/": "stored"}
    assert site.paths() == ["/robots.txt", "/"]


def test_robots_txt_hosts_and_patterns_count_for_style_sheets(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/private/a.css", "/b.css", "/denied/c.css", "http://example.invalid/d.css")
    rules = b"User-agent: *\nDisallow: /private/"
    site.pages["/robots.txt"] = reply(rules, 200, ("Content-Type", "text/plain"))
    site.pages["/b.css"] = css("p { color: red }")
    plan = plan_of(site, tmp_path, allow=["/news/"], deny=["/denied/"])
    results = {r.url: r for r in run_crawl(plan) if not isinstance(r, Failure)}
    assert {url.removeprefix(site.url): result.outcome for url, result in results.items()} == {
        "/": "stored",
        "/private/a.css": "excluded",
        "/b.css": "stylesheet",
    }
    assert site.paths() == ["/robots.txt", "/", "/b.css"]


def test_what_is_no_style_sheet(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/page.css", "/lost.css", "/long.css", "/moved.css")
    site.pages["/page.css"] = reply(b"<!doctype html><p>Not here")
    site.pages["/long.css"] = css("p { }" + " " * MAX_SHEET)
    site.pages["/moved.css"] = reply(b"", 301, ("Location", "/new.css"))
    site.pages["/new.css"] = css("p { color: blue }")
    plan = plan_of(site, tmp_path)
    assert outcomes(plan, site) == {
        "/": "stored",
        "/page.css": "The server sent text/html, not a style sheet.",
        "/lost.css": "The server answered 404 Not Found.",
        "/long.css": f"The page has more than {MAX_SHEET} bytes.",
        "/moved.css": f"{site.url}/new.css",
        "/new.css": "stylesheet",
    }
    assert archived(plan) == ["/"]
    assert list(stored(plan, site)) == ["/new.css"]


def test_an_address_may_be_a_page_and_a_style_sheet(site: Site, tmp_path: Path) -> None:
    # A mistake of the site, a style sheet that redirects to a page, and a link to a style sheet.
    site.pages["/"] = page("/b", "/moved.css", links=("/b", "/a.css"))
    site.pages["/b"] = page("/a.css", links=("/c",))
    site.pages["/c"] = page()
    site.pages["/moved.css"] = reply(b"", 302, ("Location", "/c"))
    site.pages["/a.css"] = css("p { color: red }")
    plan = plan_of(site, tmp_path)
    assert not [result for result in run_crawl(plan) if isinstance(result, Failure)]
    assert archived(plan) == ["/", "/b", "/c"]
    assert list(stored(plan, site)) == ["/a.css"]
    assert max(site.times().values()) == 2


def test_the_style_sheets_of_the_last_page_are_stored(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/a.css", links=("/b", "/c"))
    site.pages["/b"] = page("/b.css", links=("/d",))
    site.pages["*"] = css("p { color: red }")
    plan = plan_of(site, tmp_path, pages=2)
    assert outcomes(plan, site) == {
        "/": "stored",
        "/b": "stored",
        "/a.css": "stylesheet",
        "/b.css": "stylesheet",
    }
    assert plan.job.exists()  # /c and /d wait


def test_an_interrupted_crawl_stores_the_other_style_sheets(site: Site, tmp_path: Path) -> None:
    site.pages["/"] = page("/a.css", "/b.css", "/c.css")
    site.pages["*"] = css("p { color: red }")
    plan = plan_of(site, tmp_path)
    results = run_crawl(plan)
    assert [next(results).url, next(results).url] == [f"{site.url}/", f"{site.url}/a.css"]  # type: ignore[union-attr]
    results.close()  # type: ignore[attr-defined]
    list(run_crawl(plan))
    assert sorted(stored(plan, site)) == ["/a.css", "/b.css", "/c.css"]
    assert site.times()["/"] == site.times()["/a.css"] == 1
    assert plan.is_complete


def test_endless_imports_end(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site.pages["/"] = page("/0.css")
    for number in range(20):
        site.pages[f"/{number}.css"] = css(f"@import '{number + 1}.css';")
    plan = plan_of(site, tmp_path)
    outcomes(plan, site)
    assert len(stored(plan, site)) == 1 + thresholds.SHEET_DEPTH


def test_the_number_of_style_sheets_is_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(state, "SHEETS", 3)
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add(Entry(f"http://a.org/{k}.css", SHEET, 1) for k in (0, 1, 1, 0))
        frontier.add([Entry("http://a.org/page", depth=1)])
        assert frontier.count("waiting") == 3
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add(Entry(f"http://a.org/{k}.css", SHEET, 1) for k in (1, 2, 3, 4))
        assert frontier.count("waiting") == 4
        first = frontier.take()
        assert first is not None
        assert first.url == "http://a.org/0.css"


def test_style_sheets_come_first_and_alone_if_no_pages_are_wanted(tmp_path: Path) -> None:
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add([Entry("http://a.org/"), Entry("http://a.org/a.css", SHEET, 3)])
        assert frontier.has_sheets
        sheet = frontier.take(only_sheets=True)
        assert sheet is not None
        assert sheet.url == "http://a.org/a.css"
        frontier.finish(sheet, SHEET)
        assert not frontier.has_sheets
        assert frontier.take(only_sheets=True) is None
        assert frontier.take() is not None
