"""How a site is fetched: what ``webgrain crawl`` and ``webgrain audit`` have in common."""

from __future__ import annotations

import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated

from typer import Option

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@dataclass(frozen=True, slots=True)
class Crawling:
    """How far and how fast."""

    depth: Annotated[
        int, Option("--depth", metavar="N", help="Links to follow from a start page; 0: none.")
    ] = 10
    pages: Annotated[int, Option("--pages", metavar="N", help="Most pages that are crawled.")] = 10_000
    delay: Annotated[
        float, Option("--delay", metavar="S", help="Seconds between two requests to a host.")
    ] = 1.0
    contact: Annotated[
        str,
        Option(
            "--contact",
            metavar="TEXT",
            show_default=False,
            help="Address for those who run the sites, in the User-Agent.",
        ),
    ] = ""
    private: Annotated[
        bool, Option("--allow-private", help="Also ask hosts of private networks and this machine.")
    ] = False


def crawl_into(archive: Path, urls: list[str], crawling: Crawling, advance: Callable[[], object]) -> None:
    """Crawl sites into an archive, or go on with it; one that is complete stays as it is.

    advance: called after each address. Addresses that fail, and start pages that are skipped, get a line on
    stderr.
    """
    from webgrain.cli.run import say
    from webgrain.crawl.plan import Plan
    from webgrain.crawl.process import crawl, is_complete
    from webgrain.report.outline import plain
    from webgrain.results import Failure

    plan = Plan(
        urls,
        archive,
        depth=crawling.depth,
        pages=crawling.pages,
        delay=crawling.delay,
        contact=crawling.contact,
        allow_private=crawling.private,
    )
    if archive.exists() and is_complete(plan):
        return
    for found in crawl(plan):
        advance()
        if isinstance(found, Failure):
            say(found)
        elif found.outcome == "skipped" and found.depth == 0:
            print(f"webgrain: {plain(found.url, 200)}: skipped: {plain(found.reason, 200)}", file=sys.stderr)
