"""Crawls over https, of servers that can prove who they are and of others."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.certificates import PROOFS, prove, trust_authority
from tests.crawler.crawls import archived, outcomes, plan_of, reply

from webgrain.base.failures import Failure
from webgrain.crawler.plan import Plan
from webgrain.crawler.process import run_crawl

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.crawler.conftest import Site

UNPROVEN = "The server cannot prove who it is (TLS)."


@pytest.fixture(autouse=True)
def ready() -> None:
    """Crawls are not forked: each needs the variable that names the authority."""


@pytest.fixture
def secure(site: Site, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site with https and a certificate."""
    trust_authority(tmp_path, monkeypatch)
    site.url = site.url.replace("http:", "https:")
    return site


def test_a_site_is_crawled(secure: Site, tmp_path: Path) -> None:
    prove(secure.http, tmp_path, "valid")
    secure.add("/", "/a", secure.url + "/b", "/old")
    secure.add("/a")
    secure.add("/b")
    secure.pages["/old"] = reply(b"", 301, ("Location", secure.url + "/new"))
    secure.add("/new")
    secure.pages["/robots.txt"] = reply(b"User-agent: *\nDisallow: /b")
    plan = plan_of(secure, tmp_path)
    assert outcomes(plan, secure) == {
        "/": "stored",
        "/a": "stored",
        "/b": "The host's robots.txt does not allow it.",
        "/old": secure.url + "/new",
        "/new": "stored",
    }
    assert archived(plan) == ["/", "/a", "/new"]


def test_sites_with_an_invalid_certificate_get_no_request(
    new_site: Callable[[], Site],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfd: pytest.CaptureFixture[str],
) -> None:
    trust_authority(tmp_path, monkeypatch)
    sites, urls = [], []
    for number, proof in enumerate(PROOFS[1:]):
        site, folder = new_site(), tmp_path / str(number)
        folder.mkdir()
        prove(site.http, folder, proof)
        site.add("/")
        sites.append(site)
        url = site.url.replace("http:", "https:") + "/"
        urls += [url, url.replace("127.0.0.1", "localhost")]  # no certificate is for localhost
    plan = Plan(urls, tmp_path / "a.warc.gz", delay=0, allow_private=True, robots=False)
    results = list(run_crawl(plan))
    assert len(results) == len(urls)
    assert {r.page: r.error for r in results if isinstance(r, Failure)} == dict.fromkeys(urls, UNPROVEN)
    assert [site.asked for site in sites] == [[]] * len(sites)
    assert capfd.readouterr().err == ""


def test_robots_txt_does_not_lead_around_that(secure: Site, tmp_path: Path) -> None:
    prove(secure.http, tmp_path, "expired")
    assert outcomes(plan_of(secure, tmp_path), secure) == {
        "/": f"The host's robots.txt cannot be read: {UNPROVEN}"
    }
