"""Crawls of the site of a test, and what came of them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from tests.conftest import PATIENCE

from webgrain.base.failures import Failure
from webgrain.crawler.plan import Plan
from webgrain.crawler.process import run_crawl
from webgrain.io.read import read
from webgrain.page.page import Source

if TYPE_CHECKING:
    from pathlib import Path

    from tests.crawler.conftest import Site

HTML = ("Content-Type", "text/html")


def plan_of(site: Site, folder: Path, **given: Any) -> Plan:
    given = {"delay": 0, "allow_private": True, "timeout": PATIENCE, "retries": 1, **given}
    return Plan([site.url + "/"], folder / "site.warc.gz", **given)


def outcomes(plan: Plan, site: Site) -> dict[str, str]:
    """Crawl; the outcome, or the reason, by path."""
    results = list(run_crawl(plan))
    result = {r.url: r.error if isinstance(r, Failure) else r.reason or r.outcome for r in results}
    assert len(result) == len(results), "an address was reported twice"
    return {url.removeprefix(site.url): outcome for url, outcome in result.items()}


def archived(plan: Plan) -> list[str]:
    """Paths of the pages in the archive, in order; all of it can be read."""
    items = list(read([plan.output]))
    assert all(isinstance(item, Source) for item in items), items
    return ["/" + str(item.url).split("/", 3)[3] for item in items if isinstance(item, Source)]


def reply(body: bytes = b"", status: int = 200, *headers: tuple[str, str]) -> tuple[object, ...]:
    return body, status, headers or (HTML,)
