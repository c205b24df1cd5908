"""Run a crawl in a process of its own: what Scrapy runs on can be started only once in a process.

The process that asked is told what became of each address over a pipe. Should it end, for whatever reason, so
does the one that crawls, at once: the frontier and the archive are written so that nothing is lost by that.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from webgrain.crawler.plan import Crawled, Plan
from webgrain.crawler.state import CrawlState
from webgrain.engines.local import ignore_interrupts, start_deaf
from webgrain.errors import InputError, WebgrainError, require
from webgrain.results import Failure


def crawl(plan: Plan) -> Iterator[Crawled | Failure]:
    """Crawl, and tell what becomes of each address while it goes on.

    Where the archive's state lies beside it (``site.warc.gz.job``), an earlier crawl was ended before it was
    complete, and is gone on with. `InputError` where the archive exists without, or cannot be written.

    >>> from pathlib import Path
    >>> from webgrain.crawler.plan import Plan
    >>> for result in crawl(Plan(["http://127.0.0.1/"], Path("missing") / "site.warc.gz")):
    ...     print(result)
    Traceback (most recent call last):
    webgrain.errors.InputError: The folder missing does not exist.
    """
    _check_output(plan)
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_run, args=(plan, sender), daemon=True)
    start_deaf(process)
    sender.close()
    try:
        yield from _receive(receiver)
        process.join()
    finally:
        process.terminate()
        process.join()
        receiver.close()
    if process.exitcode:
        raise WebgrainError("The crawl ended unexpectedly; the same call goes on with it.")


def is_complete(plan: Plan) -> bool:
    """Tell whether a crawl has nothing left to ask for.

    >>> from pathlib import Path
    >>> from webgrain.crawler.plan import Plan
    >>> is_complete(Plan(["http://example.org/"], Path("missing.warc.gz")))
    False
    """
    return plan.output.exists() and not plan.job.exists()


def _check_output(plan: Plan) -> None:
    folder = plan.output.parent
    if not folder.is_dir():
        raise InputError(f"The folder {folder} does not exist.")
    if is_complete(plan):
        raise InputError(f"{plan.output} exists: name another file, or delete it.")


def _receive(receiver: Connection[Any, Any]) -> Iterator[Crawled | Failure]:
    with suppress(EOFError):
        while True:
            told = receiver.recv()
            if isinstance(told, Exception):
                raise told
            yield told


def _run(plan: Plan, sender: Connection[Any, Any]) -> None:
    """Crawl: all that the new process does."""
    ignore_interrupts()
    Thread(target=_end_with_parent, daemon=True).start()
    try:
        _crawl(plan, sender)
    except (WebgrainError, OSError) as error:
        sender.send(error)


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _crawl(plan: Plan, sender: Connection[Any, Any]) -> None:
    for library in ("scrapy", "warcio"):
        require(library, "crawl", "Crawls")
    from webgrain.crawler.archive import Archive
    from webgrain.crawler.links import clean
    from webgrain.crawler.network import read_cookies
    from webgrain.crawler.state import Entry, Frontier

    for url in plan.urls:
        if not clean(url):
            raise InputError(f"{url} is not an address.")
    if plan.cookies:
        read_cookies(plan.cookies)
    with (
        CrawlState(plan.seen) if plan.seen else nullcontext() as seen,
        closing(Frontier(plan.job)) as frontier,
        closing(Archive(plan.output, frontier.length)) as archive,
    ):
        frontier.add(Entry(url) for url in plan.urls)
        frontier.length = archive.length
        frontier.commit()
        _start(plan, {"frontier": frontier, "archive": archive, "seen": seen, "tell": sender.send})
        complete = not frontier.waiting
    if complete:
        plan.job.unlink()


def _start(plan: Plan, given: dict[str, Any]) -> None:
    from scrapy.crawler import AsyncCrawlerProcess
    from twisted.logger import globalLogBeginner

    from webgrain.crawler.settings import settings_of
    from webgrain.crawler.spider import SiteSpider

    # Until it is told where to log, Twisted prints tracebacks of certificates that it refuses.
    globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)
    process = AsyncCrawlerProcess(settings_of(plan))
    crawler = process.create_crawler(SiteSpider)
    process.crawl(crawler, plan=plan, **given)
    process.start(install_signal_handlers=False)
    if isinstance(crawler.spider, SiteSpider) and crawler.spider.error:
        raise crawler.spider.error
