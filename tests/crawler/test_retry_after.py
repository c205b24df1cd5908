"""Servers that send Retry-After."""

from __future__ import annotations

from email.utils import formatdate
from itertools import islice
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.crawler.crawls import HTML, archived, outcomes, plan_of, reply

from webgrain.crawler import process
from webgrain.crawler.network import seconds_to_wait
from webgrain.crawler.plan import Plan
from webgrain.crawler.process import run_crawl
from webgrain.crawler.thresholds import RETRY_AFTER

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crawler.conftest import Site

NOW = 1_760_000_000.0

run = process._run


def run_fast(plan: Plan, sender: Any) -> None:
    """Crawl with a Scrapy that polls its requests more often than every five seconds."""
    from scrapy.core.engine import ExecutionEngine

    ExecutionEngine._SLOT_HEARTBEAT_INTERVAL = 0.1
    run(plan, sender)


@pytest.fixture(autouse=True)
def fast(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(process, "_run", run_fast)


@pytest.mark.parametrize(
    ("header", "seconds"),
    [
        ("0", 0),
        (" 17 ", 17),
        ("9" * 5000, RETRY_AFTER),
        (formatdate(NOW + 17, usegmt=True), 17),
        (formatdate(NOW - 17, usegmt=True), 0),
        (formatdate(NOW + 1e6, usegmt=True), RETRY_AFTER),
        ("Thu Oct  9 08:53:37 2025", 17),
        ("Thursday, 09-Oct-25 08:53:37 GMT", 17),
        ("-5", 0),
        ("1.5", 0),
        ("\u0663", 0),
        ("nan", 0),
        ("", 0),
    ],
)
def test_seconds_of_the_header(header: str, seconds: float) -> None:
    assert seconds_to_wait(header, NOW) == seconds


@given(st.text() | st.from_regex(r"\w{3}, \d{1,9} \w{3} \d{1,9} \d+:\d+:\d+ [+-]?\w*"))
def test_seconds_of_any_text_are_bounded(header: str) -> None:
    assert 0 <= seconds_to_wait(header, NOW) <= RETRY_AFTER


@pytest.mark.full
@pytest.mark.parametrize("status", [429, 503])
def test_a_host_is_not_requested_before_the_time_is_over(site: Site, tmp_path: Path, status: int) -> None:
    answers = iter([reply(b"", status, ("Retry-After", "1")), reply(b"<p>At last.")])
    site.add("/", "/busy", "/a")
    site.pages["/busy"] = lambda _: next(answers)
    site.add("/a")
    plan = plan_of(site, tmp_path, robots=False)
    assert outcomes(plan, site) == {"/": "stored", "/busy": "stored", "/a": "stored"}
    assert site.paths() == ["/", "/busy", "/busy", "/a"]
    assert site.asked[2][0] - site.asked[1][0] >= 1


def test_other_pages_of_the_host_wait_too(site: Site, tmp_path: Path) -> None:
    site.add("/", "/busy", "/a")
    site.pages["/busy"] = reply(b"", 503, ("Retry-After", "1"))
    site.add("/a")
    found = outcomes(plan_of(site, tmp_path, robots=False, retries=0), site)
    assert found["/busy"] == "The server answered 503 Service Unavailable."
    assert site.paths() == ["/", "/busy", "/a"]
    assert site.asked[2][0] - site.asked[1][0] >= 1


def test_other_hosts_do_not_wait(new_site: Callable[[], Site], tmp_path: Path) -> None:
    busy, idle = new_site(), new_site()
    busy.pages["/"] = reply(b"", 503, ("Retry-After", "3600"))
    idle.add("/", "/a", "/b")
    idle.add("/a")
    idle.add("/b")
    urls = [busy.url + "/", idle.url + "/"]
    results = run_crawl(
        Plan(urls, tmp_path / "a.warc.gz", delay=0, retries=1, robots=False, allow_private=True)
    )
    assert [result.url for result in islice(results, 3)] == [idle.url + path for path in ("/", "/a", "/b")]
    results.close()  # type: ignore[attr-defined] - does not wait either
    assert busy.paths() == ["/"]


def test_the_time_limit_ends_the_wait(site: Site, tmp_path: Path) -> None:
    site.add("/", "/busy")
    site.pages["/busy"] = reply(b"", 503, ("Retry-After", "3600"))
    plan = plan_of(site, tmp_path, robots=False, seconds=1)
    assert "/busy" not in outcomes(plan, site)
    assert not plan.is_complete
    site.add("/busy")
    plan = plan_of(site, tmp_path, robots=False)
    assert outcomes(plan, site)["/busy"] == "stored"
    assert archived(plan) == ["/", "/busy"]


@pytest.mark.full
def test_robots_txt_is_requested_again(site: Site, tmp_path: Path) -> None:
    rules = reply(b"User-agent: *\nDisallow: /no")
    answers = iter([reply(b"", 503, HTML, ("Retry-After", "1")), reply(b"", 429), rules])
    site.pages["/robots.txt"] = lambda _: next(answers)
    site.add("/", "/no")
    found = outcomes(plan_of(site, tmp_path, retries=2), site)
    assert found == {"/": "stored", "/no": "The host's robots.txt does not allow it."}
    assert site.paths() == ["/robots.txt"] * 3 + ["/"]
    assert site.asked[1][0] - site.asked[0][0] >= 1
