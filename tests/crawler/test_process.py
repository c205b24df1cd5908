"""Whole crawls of a server on this machine, which misbehaves."""

from __future__ import annotations

import gzip
import subprocess
import sys
from threading import Event
from time import monotonic
from typing import TYPE_CHECKING, Any

import pytest
from tests.conftest import PATIENCE
from tests.crawler.crawls import HTML, archived, outcomes, plan_of, reply

from webgrain.base.errors import InputError
from webgrain.crawler.plan import Crawled
from webgrain.crawler.process import run_crawl
from webgrain.crawler.state import CrawlState

if TYPE_CHECKING:
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.crawler.conftest import Site
WELL = ["/good", "/good#top", "/good?utm_source=x", "/once", "/no-type", "/calendar?month=0", "/xx/"]
ILL = [
    "/loop",
    "/r0",
    "/500",
    "/bomb",
    "/big",
    "/png",
    "/lie",
    "/saved",
    "/broken",
    "/private",
    "/denied/a",
    "http://[/",
]
AWAY = ["/elsewhere", "http://example.invalid/", "mailto:a@example.org"]


def test_a_site_that_misbehaves(site: Site, tmp_path: Path) -> None:
    tries = iter([500, 200])
    bomb = gzip.compress(b"<p>" + b" " * 3_000_000)
    site.add("/", *WELL, *ILL, *AWAY)
    site.add("/good", text="A good page.")
    site.pages |= {
        "/robots.txt": reply(f"User-agent: *\nDisallow: /private\nSitemap: {site.url}/map.xml".encode()),
        "/map.xml": reply(
            f"<urlset><url><loc>{site.url}/listed</loc></url></urlset>".encode(),
            200,
            ("Content-Type", "text/xml"),
        ),
        "/listed": reply(b"<p>Only in the sitemap."),
        "/loop": reply(b"", 302, ("Location", "/loop")),
        "/500": reply(b"", 500),
        "/once": lambda _: reply(b"<p>At last.", next(tries)),
        "/bomb": reply(bomb, 200, HTML, ("Content-Encoding", "gzip")),
        "/big": reply(b"<p>" * 1_000_000),
        "/png": reply(b"\x89PNG", 200, ("Content-Type", "image/png")),
        "/lie": reply(b"\x89PNG\r\n\x1a\n"),
        "/saved": reply(b"MIME-Version: 1.0\r\nContent-Type: multipart/related\r\n\r\n<p>Hello"),
        "/broken": reply(b"<p>short", 200, HTML, ("Content-Length", "1000")),
        "/no-type": reply(b"<!doctype html><p>No type.", 200, ("X-Nothing", "here")),
        "/elsewhere": reply(b"", 302, ("Location", "http://example.invalid/")),
    }
    for k in range(8):
        site.pages[f"/r{k}"] = reply(b"", 301, ("Location", f"/r{k + 1}"))

    def endless(request: BaseHTTPRequestHandler) -> Any:
        if request.path.startswith("/calendar"):
            month = int(request.path.rpartition("=")[2])
            return reply(f"<a href=/calendar?month={month + 1}>next</a>".encode())
        if request.path.startswith("/xx/"):
            return reply(b"<a href='xx/'>deeper</a>")
        return reply(b"gone", 404)

    site.pages["*"] = endless
    plan = plan_of(site, tmp_path, size=1_000_000, depth=6, deny=["/denied/"])
    result = outcomes(plan, site)

    assert result["/loop"] == site.url + "/loop"
    assert result["/500"] == "The server answered 500 Internal Server Error."
    assert result["/bomb"] == result["/big"] == "The page has more than 1000000 bytes."
    assert result["/png"] == "The server sent image/png, not HTML."
    assert result["/lie"] == "The server sent something that is not HTML."
    assert result["/saved"] == "The server sent MHTML, not HTML."
    assert result["/broken"] == "The connection broke before the answer was complete."
    assert result["/r5"] == "The page redirects more than 5 times."
    assert result["/private"] == "The host's robots.txt does not allow it."
    assert result["/elsewhere"] == "It redirects to http://example.invalid/. It is on another site."
    assert result["/map.xml"] == "sitemap"
    assert (
        not {"/r6", "http://example.invalid/", "/calendar?month=6", "/xx/xx/xx/", "/denied/a"} & result.keys()
    )
    assert {"/", "/listed", "/good", "/once", "/no-type", "/calendar?month=5", "/xx/xx/"} <= set(
        archived(plan)
    )
    assert len(archived(plan)) == len(set(archived(plan)))
    assert plan.is_complete
    assert (site.times()["/500"], site.times()["/once"], site.times()["/good"]) == (2, 2, 1)
    with pytest.raises(InputError, match="exists"):
        next(run_crawl(plan))


def test_limits_end_a_crawl_and_the_next_one_goes_on(site: Site, tmp_path: Path) -> None:
    site.add("/", "/a", "/b", "/c")
    for path in ("/a", "/b", "/c"):
        site.add(path)
    first = plan_of(site, tmp_path, pages=2, robots=False)
    assert outcomes(first, site) == {"/": "stored", "/a": "stored"}
    assert not first.is_complete
    assert archived(first) == ["/", "/a"]
    second = plan_of(site, tmp_path, robots=False)
    assert outcomes(second, site) == {"/b": "stored", "/c": "stored"}
    assert archived(second) == ["/", "/a", "/b", "/c"]
    assert second.is_complete
    assert set(site.times().values()) == {1}


def test_the_time_limit_ends_an_endless_site(site: Site, tmp_path: Path) -> None:
    def endless(request: BaseHTTPRequestHandler) -> Any:
        return reply(f"<a href=/{int(request.path[1:] or 0) + 1}>next</a>".encode())

    site.pages["*"] = endless
    plan = plan_of(site, tmp_path, seconds=0.5, depth=1_000_000, pages=1_000_000, robots=False)
    assert set(outcomes(plan, site).values()) <= {"stored"}
    assert not plan.is_complete
    assert archived(plan) == ["/", *(f"/{k}" for k in range(1, len(archived(plan))))][: len(archived(plan))]


def test_a_slow_answer_times_out(site: Site, tmp_path: Path) -> None:
    def hang(_: BaseHTTPRequestHandler) -> Any:
        site.released.wait(PATIENCE)
        return reply(b"<p>late")

    site.pages["/"] = hang
    plan = plan_of(site, tmp_path, timeout=0.5, retries=0, robots=False)
    assert outcomes(plan, site) == {"/": "The page did not arrive within 0.5 seconds."}


def test_crawl_delay_is_kept(site: Site, tmp_path: Path) -> None:
    site.add("/", "/a", "/b", "/c", "/d")
    site.pages["/robots.txt"] = reply(b"User-agent: *\nCrawl-delay: 0.3")
    began = monotonic()  # the first request cannot be before, so load makes the time longer and never shorter
    list(run_crawl(plan_of(site, tmp_path, retries=0)))
    assert site.times()["/d"] == 1
    assert site.asked[-1][0] - began >= 4 * 0.3  # between five pages


def test_a_robots_txt_that_cannot_be_had_forbids_all(site: Site, tmp_path: Path) -> None:
    site.add("/")
    site.pages["/robots.txt"] = reply(b"", 503)
    assert "the server answered 503" in outcomes(plan_of(site, tmp_path, retries=0), site)["/"]
    assert site.times()["/"] == 0


def test_a_killed_crawl_loses_no_page_and_requests_none_twice(site: Site, tmp_path: Path) -> None:
    reached = Event()

    def stop_here(_: BaseHTTPRequestHandler) -> Any:
        reached.set()
        site.released.wait(PATIENCE)
        return reply(b"<p>Here now.")

    paths = ["/a", "/b", "/stop", "/c", "/d"]
    site.add("/", *paths)
    for path in ("/a", "/b", "/c", "/d"):
        site.add(path)
    site.pages["/stop"] = stop_here
    plan = plan_of(site, tmp_path, robots=False)
    command = [
        sys.executable,
        "-m",
        "webgrain",
        "crawl",
        site.url + "/",
        "-o",
        str(plan.output),
        "--delay",
        "0",
    ]
    with subprocess.Popen([*command, "--allow-private", "--no-robots"], stdout=subprocess.PIPE) as process:
        assert reached.wait(PATIENCE)
        process.kill()
        process.communicate()  # the end of its output: the process that crawls for it has ended, too
    assert archived(plan) == ["/", "/a", "/b"]
    site.released.set()
    assert outcomes(plan, site) == {"/stop": "stored", "/c": "stored", "/d": "stored"}
    assert archived(plan) == ["/", *paths]
    assert site.times() == {"/": 1, "/a": 1, "/b": 1, "/stop": 2, "/c": 1, "/d": 1}


def test_a_later_crawl_fetches_only_what_is_new(site: Site, tmp_path: Path) -> None:
    seen = tmp_path / "seen.db"
    conditions = []

    def home(request: BaseHTTPRequestHandler) -> Any:
        conditions.append((request.headers["If-None-Match"], request.headers["If-Modified-Since"]))
        if request.headers["If-None-Match"] == '"v1"':
            return reply(b"", 304, ("ETag", '"v1"'))
        tags = (HTML, ("ETag", '"v1"'), ("Last-Modified", "Sat, 01 Nov 2025 00:00:00 GMT"))
        return reply(b"<a href=/a>a</a>", 200, *tags)

    site.pages["/"] = home
    site.add("/a", "/b")
    first = plan_of(site, tmp_path, state=seen, pages=2, robots=False)
    assert outcomes(first, site) == {"/": "stored", "/a": "stored"}
    site.add("/b")  # was never reached
    (tmp_path / "later").mkdir()
    second = plan_of(site, tmp_path / "later", state=seen, robots=False)
    assert outcomes(second, site) == {"/": "unchanged", "/b": "stored"}
    assert conditions == [(None, None), ('"v1"', "Sat, 01 Nov 2025 00:00:00 GMT")]
    assert archived(second) == ["/b"]
    assert site.times() == {"/": 2, "/a": 1, "/b": 1}
    with CrawlState(seen) as pages:
        assert pages.count() == 3
    (tmp_path / "fresh").mkdir()
    third = plan_of(site, tmp_path / "fresh", state=seen, refresh=0, robots=False)
    assert set(outcomes(third, site).values()) == {"unchanged"}


def test_cookies_go_to_their_host_only(site: Site, tmp_path: Path) -> None:
    sent = []

    def home(request: BaseHTTPRequestHandler) -> Any:
        sent.append(request.headers["Cookie"])
        return reply(b"<a href=/a>a</a>", 200, HTML, ("Set-Cookie", "own=2; Path=/"))

    site.pages |= {"/": home, "/a": home}
    jar = tmp_path / "cookies.txt"
    jar.write_text(
        "# Netscape HTTP Cookie File\n127.0.0.1\tFALSE\t/\tFALSE\t0\tuser\t1\n"
        "example.org\tFALSE\t/\tFALSE\t0\tother\t3\n"
    )
    list(run_crawl(plan_of(site, tmp_path, cookies=jar, robots=False)))
    assert [set(str(one).split("; ")) for one in sent] == [{"user=1"}, {"user=1", "own=2"}]


def test_results_are_reported_as_they_arrive(site: Site, tmp_path: Path) -> None:
    site.add("/", "/a")
    site.add("/a")
    results = run_crawl(plan_of(site, tmp_path, robots=False))
    assert next(results) == Crawled(site.url + "/", "stored", 0)
    results.close()  # type: ignore[attr-defined] - ends the process; the archive can be read all the same
    assert archived(plan_of(site, tmp_path))[0] == "/"
