"""Private hosts: named, linked to, or redirected to."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.crawler.crawls import outcomes, plan_of, reply

from webgrain.base.failures import Failure
from webgrain.crawler import process
from webgrain.crawler.plan import Plan
from webgrain.crawler.process import run_crawl

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawler.conftest import Site

# All but the last two lead to the site of the test, if they are not refused.
PRIVATE = ["localhost", "2130706433", "127.1", "[::ffff:127.0.0.1]", "[::1]", "169.254.169.254"]

run = process._run


def run_outside(plan: Plan, sender: Any) -> None:
    """Crawl as if 127.0.0.1, by this name alone, was a host of the open internet."""
    from scrapy.resolver import CachingHostnameResolver

    from webgrain.crawler.network import PublicResolver

    refusing = PublicResolver.resolveHostName

    def resolve(self: PublicResolver, receiver: Any, host: str, *args: Any, **given: Any) -> Any:
        look_up = CachingHostnameResolver.resolveHostName if host == "127.0.0.1" else refusing
        return look_up(self, receiver, host, *args, **given)

    PublicResolver.resolveHostName = resolve  # type: ignore[method-assign]
    run(plan, sender)


@pytest.fixture
def outside(site: Site, monkeypatch: pytest.MonkeyPatch) -> Site:
    """A site that passes for one of the open internet."""
    monkeypatch.setattr(process, "_run", run_outside)
    return site


def test_private_hosts_are_not_asked(site: Site, tmp_path: Path) -> None:
    site.add("/")
    by_name = site.url.replace("127.0.0.1", "localhost")
    by_number = site.url.replace("127.0.0.1", "2130706433")
    plan = Plan([site.url, by_name, by_number], tmp_path / "a.warc.gz", delay=0, robots=False, retries=0)
    results = list(run_crawl(plan))
    assert len(results) == 3
    assert all(isinstance(r, Failure) and "private network" in r.error for r in results), results
    assert not site.asked


def test_public_pages_do_not_lead_to_private_hosts(outside: Site, tmp_path: Path) -> None:
    port = outside.http.server_port
    redirects = [f"/{number}" for number in range(len(PRIVATE))]
    outside.add("/", *redirects, *(f"http://{host}:{port}/linked" for host in PRIVATE))
    for path, host in zip(redirects, PRIVATE, strict=True):
        outside.pages[path] = reply(b"", 302, ("Location", f"http://{host}:{port}/secret"))
    outside.add("/secret")
    outside.add("/linked")
    plan = plan_of(outside, tmp_path, allow_private=False, any_site=True, robots=False, retries=0)
    result = outcomes(plan, outside)
    assert {path: result.pop(path) for path in ("/", *redirects)} == {
        "/": "stored",
        **{path: outside.pages[path][2][0][1] for path in redirects},
    }
    assert len(result) == 2 * len(PRIVATE)
    assert all("private network" in error for error in result.values()), result
    assert sorted(outside.times()) == ["/", *redirects]


def test_the_same_pages_lead_there_where_it_is_allowed(site: Site, tmp_path: Path) -> None:
    site.add("/", "/0", "http://localhost:" + str(site.http.server_port) + "/linked")
    site.pages["/0"] = reply(b"", 302, ("Location", f"http://127.1:{site.http.server_port}/secret"))
    list(run_crawl(plan_of(site, tmp_path, any_site=True, robots=False, retries=0)))
    assert sorted(site.times()) == ["/", "/0", "/linked", "/secret"]


def test_robots_txt_and_sitemaps_do_not_lead_to_private_hosts(outside: Site, tmp_path: Path) -> None:
    inside = outside.url.replace("127.0.0.1", "localhost")
    outside.add("/")
    outside.pages["/robots.txt"] = reply(f"Sitemap: {outside.url}/map\nSitemap: {inside}/secret".encode())
    outside.pages["/map"] = reply(b"", 302, ("Location", inside + "/secret"))
    list(run_crawl(plan_of(outside, tmp_path, allow_private=False, any_site=True, retries=0)))
    assert sorted(outside.times()) == ["/", "/map", "/robots.txt"]


def test_a_robots_txt_that_redirects_to_a_private_host_forbids_all(outside: Site, tmp_path: Path) -> None:
    target = outside.url.replace("127.0.0.1", "localhost") + "/secret"
    outside.pages["/robots.txt"] = reply(b"", 302, ("Location", target))
    result = outcomes(plan_of(outside, tmp_path, allow_private=False, retries=0), outside)
    assert "robots.txt cannot be read" in result["/"]
    assert sorted(outside.times()) == ["/robots.txt"]
