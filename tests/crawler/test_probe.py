"""Addresses that do not exist, and the seconds of answers, in the archive of a crawl."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.crawler.crawls import archived, outcomes, plan_of, reply

from webgrain.crawler.spider import probe_address
from webgrain.io.archives import read_answers

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawler.conftest import Site


def test_a_probe_is_stored_but_is_no_page(site: Site, tmp_path: Path) -> None:
    site.add("/", "/a")
    site.add("/a")
    site.pages["*"] = reply(b"<!doctype html><title>Not here</title><p>Nothing.")
    plan = plan_of(site, tmp_path, probe=True)
    probe = probe_address(site.url + "/")
    name = probe.removeprefix(site.url)
    assert outcomes(plan, site) == {"/": "stored", "/a": "stored", name: "200 OK"}
    assert archived(plan) == ["/", "/a"]
    assert site.times() == {"/robots.txt": 1, "/": 1, "/a": 1, name: 1}
    [answer] = (answer for answer in read_answers(plan.output) if answer.is_probe)
    assert (answer.url, answer.status) == (probe, 200)
    assert answer.page is not None
    assert b"Not here" in answer.page.body


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        (reply(status=404), "404 Not Found"),
        (reply(b"", 302, ("Location", "/a")), "302 Found"),
        (reply(b"x", 200, ("Content-Type", "image/png")), "200 OK"),
    ],
)
def test_answers_to_probes(site: Site, tmp_path: Path, answer: tuple[object, ...], reason: str) -> None:
    site.add("/", "/a")
    site.add("/a")
    site.pages["/robots.txt"] = reply(b"User-agent: *\nAllow: /", 200, ("Content-Type", "text/plain"))
    site.pages["*"] = answer
    plan = plan_of(site, tmp_path, probe=True)
    result = outcomes(plan, site)
    assert result.pop(probe_address(site.url).removeprefix(site.url)) == reason
    assert result == {"/": "stored", "/a": "stored"}
    assert [found.page for found in read_answers(plan.output) if found.is_probe] == [None]


def test_robots_txt_excludes_probes(site: Site, tmp_path: Path) -> None:
    site.add("/")
    rules = b"User-agent: *\nDisallow: /webgrain"
    site.pages["/robots.txt"] = reply(rules, 200, ("Content-Type", "text/plain"))
    plan = plan_of(site, tmp_path, probe=True)
    assert outcomes(plan, site)["/"] == "stored"
    assert site.paths() == ["/robots.txt", "/"]


def test_without_probe_nothing_else_is_requested(site: Site, tmp_path: Path) -> None:
    site.add("/")
    assert outcomes(plan_of(site, tmp_path), site) == {"/": "stored"}


def test_seconds_until_the_server_answers(site: Site, tmp_path: Path) -> None:
    site.add("/", "/late")

    def late(_: object) -> tuple[object, ...]:
        site.released.wait(0.5)
        return reply(b"<!doctype html><title>Late</title><p>Text.")

    site.pages["/late"] = late
    plan = plan_of(site, tmp_path)
    outcomes(plan, site)
    seconds = {answer.url.removeprefix(site.url): answer.seconds for answer in read_answers(plan.output)}
    assert seconds["/late"] is not None
    assert seconds["/"] is not None
    assert 0.5 <= seconds["/late"] < seconds["/"] + 60
    assert seconds["/"] < seconds["/late"]
