"""How a site is fetched: what ``webgrain crawl`` and ``webgrain audit`` have in common.

``webgrain crawl``: addresses in, a web archive out.

``webgrain seen``: look into the store of pages that crawls have seen, and forget some.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option, Typer

from webgrain.cli.options import Strict, grouped, seconds_in

if TYPE_CHECKING:
    from webgrain.cli.output import Write
    from webgrain.crawler.plan import Crawled, Plan
    from webgrain.crawler.state import KnownPage
    from webgrain.results import Failure


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
    from webgrain.cli.output import say
    from webgrain.crawler.plan import Plan
    from webgrain.crawler.process import crawl, is_complete
    from webgrain.report.terminal import plain
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


@dataclass(frozen=True, slots=True)
class Follow:
    """Which links are followed."""

    allow: Annotated[
        list[str] | None,
        Option("--allow", metavar="REGEX", show_default=False, help="Follow only addresses that match."),
    ] = None
    deny: Annotated[
        list[str] | None,
        Option("--deny", metavar="REGEX", show_default=False, help="Do not follow addresses that match."),
    ] = None
    any_site: Annotated[
        bool,
        Option("--any-site", help="Follow links to any host, not only to the start pages' and those below."),
    ] = False
    sitemaps: Annotated[
        bool, Option("--sitemaps/--no-sitemaps", help="Read the sitemaps that robots.txt names [default].")
    ] = True
    robots: Annotated[
        bool, Option("--robots/--no-robots", help="Obey robots.txt [default]; your own sites may need no.")
    ] = True


@dataclass(frozen=True, slots=True)
class Limits:
    """How much, and how long."""

    size: Annotated[
        float, Option("--max-size", metavar="MB", help="Most megabytes of a page, decompressed.")
    ] = 16.0
    timeout: Annotated[float, Option("--timeout", metavar="S", help="Seconds that one answer may take.")] = (
        60.0
    )
    time: Annotated[
        str | None,
        Option("--time", metavar="SPAN", show_default=False, help="How long to crawl, as 45m or 12h."),
    ] = None
    retries: Annotated[
        int, Option("--retries", metavar="N", help="How often to repeat what failed for the time being.")
    ] = 2


@dataclass(frozen=True, slots=True)
class Memory:
    """What is known from earlier."""

    cookies: Annotated[
        Path | None,
        Option("--cookies", metavar="FILE", help="Cookies to send, in Mozilla's cookies.txt format."),
    ] = None
    seen: Annotated[
        Path | None,
        Option(
            "--seen", metavar="FILE", help="Fetch only pages that are not in this store, and add them to it."
        ),
    ] = None
    refresh: Annotated[
        str | None,
        Option(
            "--refresh",
            metavar="AGE",
            show_default=False,
            help="Also ask whether pages have changed that were seen last before this long, as 7d.",
        ),
    ] = None


@grouped
def crawl(
    *,
    urls: Annotated[list[str], Argument(metavar="URL", help="Addresses to start from.")],
    output: Annotated[
        Path, Option("-o", "--output", metavar="FILE", help="The archive: a name in .warc.gz or .warc.")
    ],
    crawling: Crawling,
    follow: Follow,
    limits: Limits,
    memory: Memory,
    strict: Strict = False,
) -> None:
    """Crawl sites into a web archive that every command reads.

    Writes a JSON record per address to stdout: page, url, outcome (stored, redirect, unchanged, sitemap,
    skipped), depth, and the reason where there is one; an address that fails gives a record with stage, error
    and seconds. A crawl that was ended before it was complete, by a limit, Ctrl-C or a crash, is gone on with
    by the same command.

    Example: webgrain crawl https://example.org/ -o site.warc.gz --depth 3
    """
    from webgrain.cli.output import run
    from webgrain.crawler.process import crawl as start
    from webgrain.crawler.process import is_complete

    plan = _plan(urls, output, crawling, follow, limits, memory)
    outcomes: Counter[str] = Counter()
    try:
        run(start(plan), _open_output(outcomes), strict)
    finally:
        if outcomes:
            told = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
            end = "complete" if is_complete(plan) else "not complete: the same command goes on with it"
            print(f"webgrain: {told}; {output} is {end}.", file=sys.stderr)


def _plan(
    urls: list[str], output: Path, crawling: Crawling, follow: Follow, limits: Limits, memory: Memory
) -> Plan:
    from webgrain.crawler.plan import Plan

    return Plan(
        urls,
        output,
        state=memory.seen,
        refresh=None if memory.refresh is None else seconds_in(memory.refresh),
        depth=crawling.depth,
        pages=crawling.pages,
        allow=follow.allow or (),
        deny=follow.deny or (),
        any_site=follow.any_site,
        delay=crawling.delay,
        contact=crawling.contact,
        timeout=limits.timeout,
        seconds=None if limits.time is None else seconds_in(limits.time),
        size=int(limits.size * 1e6),
        retries=limits.retries,
        cookies=memory.cookies,
        robots=follow.robots,
        sitemaps=follow.sitemaps,
        allow_private=crawling.private,
    )


@contextmanager
def _open_output(outcomes: Counter[str]) -> Iterator[Write[Crawled]]:
    """Give the function that writes what became of an address, and counts it."""
    from webgrain.io.write import open_writer
    from webgrain.records import failure_record
    from webgrain.results import Failure

    with open_writer("jsonl", "-") as writer:

        def write(result: Crawled | Failure) -> None:
            outcomes["failed" if isinstance(result, Failure) else result.outcome] += 1
            writer.write(failure_record(result) if isinstance(result, Failure) else _record(result))

        yield write


def _record(result: Crawled) -> dict[str, Any]:
    record = {"page": result.url, "url": result.url, "outcome": result.outcome, "depth": result.depth}
    return {**record, "reason": result.reason} if result.reason else record


seen = Typer(
    name="seen",
    help="List or forget the pages that crawls have seen.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

Store = Annotated[Path, Argument(metavar="FILE", help="The store that webgrain crawl --seen has made.")]


@seen.command("list", no_args_is_help=True)
def list_seen(
    *,
    store: Store,
    older: Annotated[
        str | None,
        Option("--older-than", metavar="AGE", help="Only pages seen last before this long, as 30d or 12h."),
    ] = None,
) -> None:
    """List the pages in a store, those not seen for longest first.

    Writes a JSON record per page to stdout: page, url, first and last (when it was seen, UTC), etag,
    modified, links (their number).

    Example: webgrain seen list seen.db --older-than 30d
    """
    from webgrain.crawler.state import CrawlState, seconds_ago
    from webgrain.io.write import open_writer

    before = None if older is None else seconds_ago(seconds_in(older))
    with CrawlState(store, make=False) as pages, open_writer("jsonl", "-") as writer:
        for page in pages.pages(before):
            writer.write(_seen_record(page))


@seen.command("drop", no_args_is_help=True)
def drop_seen(
    *,
    store: Store,
    older: Annotated[
        str,
        Option("--older-than", metavar="AGE", help="Forget pages seen last before this long, as 30d or 12h."),
    ],
) -> None:
    """Forget pages, so that the next crawl fetches them anew.

    Example: webgrain seen drop seen.db --older-than 30d
    """
    from webgrain.crawler.state import CrawlState, seconds_ago

    before = seconds_ago(seconds_in(older))
    with CrawlState(store, make=False) as pages:
        print(f"webgrain: {pages.drop(before)} pages forgotten, {pages.count()} left.", file=sys.stderr)


def _seen_record(page: KnownPage) -> dict[str, Any]:
    return {
        "page": page.url,
        "url": page.url,
        "first": _utc(page.first),
        "last": _utc(page.last),
        "etag": page.etag,
        "modified": page.modified,
        "links": len(page.links),
    }


def _utc(seconds: float) -> str:
    from datetime import UTC, datetime

    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
