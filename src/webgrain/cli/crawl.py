"""``webgrain crawl`` and ``webgrain crawl-state``: crawl sites, and manage the pages stored by crawls."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Set
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from math import inf
from pathlib import Path
from time import time
from typing import TYPE_CHECKING, Any

from webgrain.cli.options import STRICT, option, seconds_in, with_options
from webgrain.cli.output import check_target, open_records, report, report_failure, run, write_records

if TYPE_CHECKING:
    from webgrain.base.failures import Failure
    from webgrain.crawler.plan import Crawled, Plan
    from webgrain.crawler.state import KnownPage


@dataclass(frozen=True, slots=True)
class Crawling:
    """Extent and speed of a crawl.

    Options:
        depth: Maximum number of links between a start page and a page.
        pages: Maximum number of pages to crawl.
        delay: Seconds between two requests to a host.
        contact: Contact address for site owners, sent in the User-Agent header.
        allow_private: Also send requests to this machine and to private networks.
    """

    depth: int = option(10, "--depth N")
    pages: int = option(10_000, "--pages N")
    delay: float = option(1.0, "--delay S")
    contact: str = option("", "--contact TEXT")
    allow_private: bool = option(False, "--allow-private")


def crawl_into(
    archive: Path,
    urls: list[str],
    crawling: Crawling,
    advance: Callable[[], object],
    *,
    stylesheets: bool = True,
) -> None:
    """Crawl sites into an archive, or resume the crawl; a complete archive is not changed.

    advance: called after each URL. stylesheets: whether those of the pages are stored, too. Failures get a
    line on stderr. What could not be fetched is written to the file `crawl_log`, as JSON lines.
    """
    from webgrain.base.failures import EXCLUDED, Failure
    from webgrain.crawler import process

    plan = _plan(urls, archive, crawling, Follow(probe=True, stylesheets=stylesheets))
    if archive.exists() and plan.is_complete:
        return
    with crawl_log(archive).open("a", encoding="utf-8") as log:
        for result in process.run_crawl(plan):
            advance()
            if isinstance(result, Failure):
                report_failure(result)
                record = {"url": result.page, "reason": result.error, "excluded": result.stage == EXCLUDED}
            elif result.outcome == "excluded":
                record = {"url": result.url, "reason": result.reason, "excluded": True}
            else:
                continue
            log.write(json.dumps(record) + "\n")


def find_gone(
    urls: list[str], files: Set[str], work: Path, crawling: Crawling, advance: Callable[[], object]
) -> dict[str, str]:
    """Request addresses, and return the reasons of those that do not exist, by address.

    files: those of images and other files, which do not exist if the server sends a page. work: a folder for
    intermediate files; the same call resumes an interrupted one. No links are followed, and robots.txt is
    obeyed; only addresses whose server or page does not exist are returned. If no server at all can be
    reached, nothing is returned: the network is missing.
    """
    from webgrain.crawler.links import clean, url_key
    from webgrain.crawler.network import UNREACHABLE

    results = work / "external.jsonl"
    archive = work / "external.warc.gz"
    key_of = {url: key for url in urls if (key := url_key(url))}
    url_of = {key: clean(url) for url, key in key_of.items()}  # several spellings are requested once
    if not url_of:
        return {}
    if not results.exists():
        limits = CrawlLimits(size=_EXTERNAL_SIZE, timeout=_EXTERNAL_TIMEOUT, retries=1)
        once = replace(crawling, depth=0, pages=len(url_of))
        alone = Follow(any_site=True, sitemaps=False, stylesheets=False)
        plan = _plan(list(url_of.values()), archive, once, alone, limits)
        _request(plan, results.with_suffix(".part"), advance)
        _add_pages(archive, results.with_suffix(".part"))
        results.with_suffix(".part").rename(results)
        archive.unlink()  # only the answers are of interest
    requested = _read_requested(results)
    if all(requested.reasons.get(key, "").startswith(UNREACHABLE) for key in url_of):
        report("No server can be reached, so references to other sites and to files are not reported.")
        return {}
    gone = {}
    for url, key in key_of.items():
        reason = requested.reason(key, needs_file=url in files)
        if reason:
            gone[url] = reason
    return gone


@dataclass(slots=True)
class _Requested:
    """What was learnt of requested addresses, by their keys.

    Attributes:
        reasons: why addresses do not exist.
        redirects: the keys to which addresses redirect.
        pages: the addresses for which servers sent HTML documents.
    """

    reasons: dict[str, str] = field(default_factory=dict)
    redirects: dict[str, str] = field(default_factory=dict)
    pages: set[str] = field(default_factory=set)

    def reason(self, key: str, *, needs_file: bool) -> str:
        """Return why an address does not exist, empty if it does; needs_file: a page does not count."""
        for _ in range(_MOST_REDIRECTS):
            key = self.redirects.get(key, key)
        if needs_file and key in self.pages:
            return "The server sends a page instead of the file."
        return self.reasons.get(key, "")


def _read_requested(results: Path) -> _Requested:
    """Return what `_request` and `_add_pages` wrote to a file."""
    from webgrain.crawler.links import url_key

    requested = _Requested()
    for line in results.read_text(encoding="utf-8").splitlines():
        url, reason, target = json.loads(line)
        key = url_key(url)
        if target:
            requested.redirects[key] = url_key(target)
        elif reason:
            requested.reasons[key] = reason
        else:
            requested.pages.add(key)
    return requested


def _request(plan: Plan, results: Path, advance: Callable[[], object]) -> None:
    """Request the addresses of a plan, or resume; write redirects and what does not exist to a file."""
    from webgrain.base.failures import Failure
    from webgrain.crawler import process
    from webgrain.crawler.network import reason_gone

    if plan.output.exists() and plan.is_complete:
        return
    with results.open("a", encoding="utf-8") as log:
        for result in process.run_crawl(plan):
            advance()
            if isinstance(result, Failure) and (reason := reason_gone(result.error)):
                record = [result.page, reason, ""]
            elif not isinstance(result, Failure) and result.outcome == "redirect":
                record = [result.url, "", result.reason]
            else:
                continue
            log.write(json.dumps(record) + "\n")
            log.flush()


def _add_pages(archive: Path, results: Path) -> None:
    """Write the addresses for which servers sent HTML documents to a file.

    A script that a server declares as HTML is not a document.
    """
    from webgrain.io.read import read
    from webgrain.page.filetypes import is_html
    from webgrain.page.page import Source

    with results.open("a", encoding="utf-8") as log:
        for item in read([archive]):
            if isinstance(item, Source) and is_html(item.body, declared=False):
                log.write(json.dumps([item.url, "", ""]) + "\n")


_MOST_REDIRECTS = 10
"""Redirects that are followed from an address of another site."""

_EXTERNAL_SIZE, _EXTERNAL_TIMEOUT = 2.0, 20.0
"""Megabytes and seconds of a page of another site, at most; hand-set."""


def crawl_log(archive: Path) -> Path:
    """Return the file of what could not be fetched."""
    return archive.with_name("crawl.failures.jsonl")


def _plan(urls: list[str], archive: Path, *groups: Any) -> Plan:
    """Return the plan with the options of all groups; an option that is None has the default of `Plan`."""
    from webgrain.crawler.plan import Plan

    values = [(name, value) for group in groups for name, value in asdict(group).items()]
    given = {name: value for name, value in values if value is not None}
    given |= {name: seconds_in(given[name]) for name in ("refresh", "seconds") if name in given}
    if "size" in given:
        given["size"] = int(given["size"] * 1e6)
    return Plan(urls, archive, **given)


@dataclass(frozen=True, slots=True)
class Follow:
    """Links to follow.

    Options:
        allow: Follow only URLs that match. May be repeated.
        deny: Do not follow URLs that match. May be repeated.
        any_site: Follow links to all hosts. Default: the hosts of the start pages and subdomains.
        sitemaps: Read the sitemaps that robots.txt lists. Default: yes.
        robots: Obey robots.txt. Default: yes.
        stylesheets: Also store the style sheets that pages load, for the commands that read the archive.
            Default: yes.
        probe: Also request one address per host that does not exist, so that an audit recognises error pages
            that the server sends as normal pages.
    """

    allow: list[str] | None = option(None, "--allow REGEX")
    deny: list[str] | None = option(None, "--deny REGEX")
    any_site: bool = option(False, "--any-site")
    sitemaps: bool = option(True, "--sitemaps/--no-sitemaps")
    robots: bool = option(True, "--robots/--no-robots")
    stylesheets: bool = option(True, "--stylesheets/--no-stylesheets")
    probe: bool = option(False, "--probe")


@dataclass(frozen=True, slots=True)
class CrawlLimits:
    """Limits of requests and of the crawl.

    Options:
        size: Maximum size of a page in megabytes, decompressed.
        timeout: Seconds for one response.
        seconds: Maximum duration of the crawl, such as 45m or 12h.
        retries: Maximum number of retries after a temporary error.
    """

    size: float = option(16.0, "--max-size MB")
    timeout: float = option(60.0, "--timeout S")
    seconds: str | None = option(None, "--time DURATION")
    retries: int = option(2, "--retries N")


@dataclass(frozen=True, slots=True)
class State:
    """Data from earlier crawls.

    Options:
        cookies: Cookies to send, in the cookies.txt format of Mozilla.
        state: Crawl state: fetch only pages that are not in FILE, and add them to it.
        refresh: Also check pages for changes that were fetched earlier than AGE ago, such as 7d.
    """

    cookies: Path | None = option(None, "--cookies FILE")
    state: Path | None = option(None, "--state FILE")
    refresh: str | None = option(None, "--refresh AGE")


@with_options
def crawl_sites(
    *,
    urls: list[str] = option(..., "URL"),
    output: Path = option(..., "-o --output FILE"),
    crawling: Crawling,
    follow: Follow,
    limits: CrawlLimits,
    state: State,
    textcrawler: Path | None = option(None, "--textcrawler FILE"),
    strict: bool = STRICT,
) -> None:
    """Crawl sites into a web archive that every command reads.

    Writes a JSON record per URL to stdout: page, url, outcome (stored, redirect, unchanged, sitemap,
    stylesheet, excluded, skipped or probe), depth and, if there is one, reason. The record of a failure has
    stage, error and seconds. If a limit, Ctrl-C or a crash ends the crawl early, the same command resumes it.

    Example: webgrain crawl https://example.org/ -o site.warc.gz --depth 3

    Options:
        urls: Start pages.
        output: Archive to write: a name that ends in .warc.gz or .warc.
        textcrawler: When the crawl is complete, also write its pages to a zip archive like those of
            textcrawler of Webstemmer, with linkinfo.
    """
    from webgrain.crawler import process

    plan = _plan(urls, output, crawling, follow, limits, state)
    if textcrawler:
        check_target(textcrawler)
    if plan.is_complete and textcrawler:
        _write_textcrawler(output, textcrawler)
        return
    if plan.is_complete:
        report(f"{output} is complete: name another file to crawl again, or delete it.")
        return
    outcomes: Counter[str] = Counter()
    try:
        run(_records(process.run_crawl(plan), outcomes), open_records("jsonl", None, ""), strict)
    finally:
        if outcomes:
            counts = ", ".join(f"{number} {outcome}" for outcome, number in outcomes.most_common())
            end = "complete" if plan.is_complete else "incomplete: the same command resumes the crawl"
            report(f"{counts}; {output} is {end}.")
    if textcrawler and plan.is_complete:
        _write_textcrawler(output, textcrawler)


def _write_textcrawler(archive: Path, path: Path) -> None:
    """Write the pages of an archive as textcrawler does; the time of the crawl is that of the archive."""
    from webgrain.io.archives import write_textcrawler
    from webgrain.io.read import read
    from webgrain.page.anchors import AnchorTexts
    from webgrain.page.page import Source
    from webgrain.page.parsing import parse
    from webgrain.report.terminal import count

    anchors = AnchorTexts()
    for source in read([archive]):
        if isinstance(source, Source):
            anchors.add(parse(source))
    base = datetime.fromtimestamp(archive.stat().st_mtime, UTC).strftime("%Y%m%d%H%M")
    pages = (source for source in read([archive]) if isinstance(source, Source))
    report(f"{count(write_textcrawler(path, pages, anchors.texts(), base), 'page')} in {path}.")


def _records(
    results: Iterable[Crawled | Failure], outcomes: Counter[str]
) -> Iterator[dict[str, Any] | Failure]:
    """Yield the record of each URL, and count the outcomes."""
    from webgrain.base.failures import Failure

    for result in results:
        if isinstance(result, Failure):
            outcomes["failed"] += 1
            yield result
            continue
        outcomes[result.outcome] += 1
        record = {"page": result.url, "url": result.url, "outcome": result.outcome, "depth": result.depth}
        yield {**record, "reason": result.reason} if result.reason else record


STORE = option(..., "FILE", "Crawl state, from webgrain crawl --state.")


@with_options
def list_pages(*, store: Path = STORE, older: str | None = option(None, "--older-than AGE")) -> None:
    """List the pages in a crawl state, the oldest first.

    Writes a JSON record per page to stdout: page, url, first and last (times of the first and the last fetch,
    UTC), etag, modified, links (their number).

    Example: webgrain crawl-state list state.db --older-than 30d

    Options:
        older: List only pages last fetched earlier than AGE ago, such as 30d or 12h.
    """
    from webgrain.crawler.state import CrawlState

    before = inf if older is None else time() - seconds_in(older)
    with CrawlState(store, make=False) as pages:
        write_records("jsonl", map(_state_record, pages.pages(before)))


def _state_record(page: KnownPage) -> dict[str, Any]:
    return {
        "page": page.url,
        "url": page.url,
        "first": _utc(page.first),
        "last": _utc(page.last),
        "etag": page.etag,
        "modified": page.modified,
        "links": len(page.links),
    }


@with_options
def drop_pages(*, store: Path = STORE, older: str = option(..., "--older-than AGE")) -> None:
    """Remove pages from a crawl state, so that the next crawl fetches them again.

    Example: webgrain crawl-state drop state.db --older-than 30d

    Options:
        older: Remove pages last fetched earlier than AGE ago, such as 30d or 12h.
    """
    from webgrain.crawler.state import CrawlState

    before = time() - seconds_in(older)
    with CrawlState(store, make=False) as pages:
        report(f"{pages.drop(before)} pages removed, {pages.count()} left.")


def _utc(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
