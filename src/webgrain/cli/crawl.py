"""``webgrain crawl``: addresses in, a web archive out."""

from __future__ import annotations

import sys
from collections import Counter
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path  # noqa: TC003 - read at run time
from typing import TYPE_CHECKING, Annotated, Any

from typer import Argument, Option

from webgrain.cli.crawling import Crawling  # noqa: TC001 - read at run time
from webgrain.cli.durations import seconds_in
from webgrain.cli.options import Strict, grouped

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.cli.run import Write
    from webgrain.crawl.plan import Crawled, Plan
    from webgrain.results import Failure


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
    from webgrain.cli.run import run
    from webgrain.crawl.process import crawl as start
    from webgrain.crawl.process import is_complete

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
    from webgrain.crawl.plan import Plan

    return Plan(
        urls,
        output,
        seen=memory.seen,
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
