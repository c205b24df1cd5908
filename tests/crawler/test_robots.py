"""robots.txt (RFC 9309): all the ways to have it, to have none, and to be out of reach."""

from __future__ import annotations

import gzip
import socket
import zlib
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import brotli
import pytest
from protego import Protego
from scrapy import Request
from scrapy.http import Response
from tests.crawler.crawls import HTML, outcomes, plan_of, reply

from webgrain import __version__
from webgrain.base.failures import Failure
from webgrain.crawler import network as robots
from webgrain.crawler.network import ForbiddenError, Robots
from webgrain.crawler.plan import ROBOT, Plan
from webgrain.crawler.process import run_crawl
from webgrain.crawler.thresholds import ROBOTS_READ, ROBOTS_SECONDS

if TYPE_CHECKING:
    from collections.abc import Callable
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.crawler.conftest import Site

DENIED = b"User-agent: *\nDisallow: /"


def hang_up(request: BaseHTTPRequestHandler) -> Any:
    request.connection.shutdown(socket.SHUT_RDWR)
    return reply()


def chain(site: Site, redirects: int) -> None:
    """Serve a robots.txt that forbids everything after some redirects."""
    for step in range(redirects):
        path = f"/{step}" if step else "/robots.txt"
        site.pages[path] = reply(b"", 302, ("Location", f"{site.url}/{step + 1}"))
    site.pages[f"/{redirects}"] = reply(DENIED)


def test_who_is_crawled(new_site: Callable[[], Site], tmp_path: Path) -> None:
    errors = {
        "allowed": [401, 403, 404, 410, 451],
        "The host's robots.txt cannot be read: the server answered": [429, 500, 503, 599],
        "The host's robots.txt cannot be read: The connection broke": [hang_up],
        "The host's robots.txt cannot be read: It redirects too often.": [6],
        "The host's robots.txt does not allow it.": [5],
    }
    expected = {}
    for error, cases in errors.items():
        for case in cases:
            site = new_site()
            if case in (5, 6):
                chain(site, case)
            else:
                site.pages["/robots.txt"] = case if callable(case) else reply(DENIED, case)
            expected[site.add("/")] = error
    plan = Plan(expected, tmp_path / "a.warc.gz", delay=0, retries=0, allow_private=True)
    result = {r.url: r.error if isinstance(r, Failure) else "allowed" for r in run_crawl(plan)}
    assert result.keys() == expected.keys()
    assert [
        (result[url], error) for url, error in expected.items() if not result[url].startswith(error)
    ] == []


def test_rules_are_those_for_our_name(new_site: Callable[[], Site], tmp_path: Path) -> None:
    expected = {}
    for named, result in (
        ("webgrain", "The host's robots.txt does not allow it."),
        (f"WebGrain/{__version__}", "The host's robots.txt does not allow it."),
        ("names", "stored"),  # a word of the comment behind the name
        ("webgrainer", "stored"),
    ):
        site = new_site()
        rules = f"User-agent: {named}\nDisallow: /\n\nUser-agent: *\nAllow: /"
        site.pages["/robots.txt"] = reply(rules.encode())
        expected[site.add("/")] = result
    contact = {"contact": "me@names.test", "allow_private": True, "delay": 0}
    found = run_crawl(Plan(expected, tmp_path / "a.warc.gz", **contact))
    assert {r.url: r.error if isinstance(r, Failure) else r.outcome for r in found} == expected
    assert site.agents == {f"webgrain/{__version__} (crawls sites that its user names; me@names.test)"}


def test_pages_determine_whether_their_links_are_followed(site: Site, tmp_path: Path) -> None:
    site.add("/", "/header", "/other")
    link = b"<p>Text.<a href=/%s>link</a>"
    site.pages["/header"] = reply(link % b"a", 200, HTML, ("X-Robots-Tag", "noindex, nofollow"))
    site.pages["/other"] = reply(link % b"b", 200, HTML, ("X-Robots-Tag", "otherbot: nofollow"))
    site.add("/a")
    site.add("/b")
    result = outcomes(plan_of(site, tmp_path), site)
    assert result == dict.fromkeys(("/", "/header", "/other", "/b"), "stored")


def test_a_large_robots_txt_is_read_up_to_the_limit_of_the_standard(site: Site, tmp_path: Path) -> None:
    rules = b"User-agent: *\n" + b"#" * (ROBOTS_READ - 100) + b"\nDisallow: /no\n"
    site.pages["/robots.txt"] = reply(rules + b"#" * ROBOTS_READ + b"\nDisallow: /yes")
    site.add("/", "/no", "/yes")
    site.add("/yes")
    result = outcomes(plan_of(site, tmp_path, size=10_000), site)
    assert result == {"/": "stored", "/no": "The host's robots.txt does not allow it.", "/yes": "stored"}


@pytest.mark.parametrize("encoding", ["", "gzip", "deflate", "br"])
def test_the_beginning_of_an_endless_robots_txt_is_read(encoding: str, site: Site, tmp_path: Path) -> None:
    rules = b"User-agent: *\nDisallow: /no\n" + b"#" * (40 * ROBOTS_READ)
    pack = {"": bytes, "gzip": gzip.compress, "deflate": zlib.compress, "br": brotli.compress}[encoding]
    headers = [("Content-Encoding", encoding)] if encoding else []
    site.pages["/robots.txt"] = reply(pack(rules), 200, *headers)
    site.add("/", "/no", "/yes")
    site.add("/yes")
    result = outcomes(plan_of(site, tmp_path, size=10_000), site)
    assert result == {"/": "stored", "/no": "The host's robots.txt does not allow it.", "/yes": "stored"}


def test_rules_hold_for_a_day(monkeypatch: pytest.MonkeyPatch) -> None:
    answers = iter([b"User-agent: *\nDisallow: /a", b"User-agent: *\nDisallow: /b"])

    async def download(request: Request) -> Response:
        return Response(request.url, body=next(answers))

    now = 1000.0
    monkeypatch.setattr(robots, "monotonic", lambda: now)
    crawler: Any = SimpleNamespace(
        engine=SimpleNamespace(download_async=download),
        spider=SimpleNamespace(add_sitemaps=list),
    )
    crawler.settings = SimpleNamespace(getfloat=lambda _: 0.0)
    crawler.engine.downloader = SimpleNamespace(per_slot_settings={}, slots={})
    middleware = Robots(crawler)

    def is_allowed(path: str) -> bool:
        answer = middleware.process_request(Request(f"http://example.org{path}"))
        try:
            answer.send(None)  # it never waits, so it needs no event loop
        except ForbiddenError:
            return False
        except StopIteration:
            return True
        raise AssertionError("it waits")

    assert [is_allowed(path) for path in ("/a", "/b")] == [False, True]
    now += ROBOTS_SECONDS - 1
    assert [is_allowed(path) for path in ("/a", "/b")] == [False, True]
    now += 2
    assert [is_allowed(path) for path in ("/a", "/b")] == [True, False]


def test_rules_with_many_wildcards_end() -> None:
    """Before version 0.6.2, protego compared paths with expressions that took hours."""
    rules = Protego.parse(f"User-agent: *\nDisallow: /{'*a' * 50}*b\n")
    assert rules.can_fetch(f"https://example.org/{'a' * 2000}", ROBOT)
