"""Run a crawl in a separate process, because Scrapy can run only once per process.

The process sends each result over a pipe. If the calling process ends for any reason, so does the crawling
process, at once: frontier and archive are written so that nothing is lost.
"""

from __future__ import annotations

import multiprocessing
import os
from collections.abc import Iterator
from contextlib import closing, nullcontext, suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any

from webgrain.base.errors import InputError, WebgrainError, require
from webgrain.base.failures import Failure
from webgrain.base.iterators import OneAtATime
from webgrain.crawler.plan import Crawled, Plan
from webgrain.engines import local
from webgrain.engines.local import ignore_interrupts, start_uninterrupted


def run_crawl(plan: Plan) -> Iterator[Crawled | Failure]:
    """Crawl sites into a web archive and yield the result for each URL as it completes.

    An interrupted crawl leaves its state beside the archive (``site.warc.gz.job``); the same call resumes it.
    Raises `InputError` if the archive exists and is complete, or cannot be written.

    >>> from pathlib import Path
    >>> from webgrain.crawler.plan import Plan
    >>> run_crawl(Plan(["http://127.0.0.1/"], Path("missing") / "site.warc.gz"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: The folder missing does not exist.
    """
    folder = plan.output.parent
    if not folder.is_dir():
        raise InputError(f"The folder {folder} does not exist.")
    if plan.is_complete:
        raise InputError(f"{plan.output} exists: name another file, or delete it.")
    return OneAtATime(_results(plan), "results of a crawl", "given")


def _results(plan: Plan) -> Iterator[Crawled | Failure]:
    receiver, sender = local.START.Pipe(duplex=False)
    process = local.START.Process(target=_run, args=(plan, sender), daemon=True)
    start_uninterrupted(process)
    sender.close()
    try:
        with suppress(EOFError):
            while True:
                result = receiver.recv()
                if isinstance(result, Exception):
                    raise result
                yield result
        process.join()
    finally:
        process.terminate()
        process.join()
        receiver.close()
    if process.exitcode:
        raise WebgrainError("The crawl ended unexpectedly; the same call continues it.")


def _run(plan: Plan, sender: Connection[Any, Any]) -> None:
    """Crawl: the main function of the new process."""
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
    from scrapy.crawler import AsyncCrawlerProcess
    from twisted.logger import globalLogBeginner

    from webgrain.crawler.links import clean
    from webgrain.crawler.network import read_cookies
    from webgrain.crawler.spider import Archive, SiteSpider, settings_of
    from webgrain.crawler.state import CrawlState, Entry, Frontier

    for url in plan.urls:
        if not clean(url):
            raise InputError(f"{url} is not a URL.")
    if plan.cookies:
        read_cookies(plan.cookies)
    with (
        CrawlState(plan.state) if plan.state else nullcontext() as state,
        closing(Frontier(plan.job)) as frontier,
        closing(Archive(plan.output, frontier.length)) as archive,
    ):
        frontier.add(Entry(url) for url in plan.urls)
        frontier.length = archive.length
        frontier.commit()
        # Without a log, Twisted prints tracebacks of certificates that it rejects.
        globalLogBeginner.beginLoggingTo([], discardBuffer=True, redirectStandardIO=False)
        process = AsyncCrawlerProcess(settings_of(plan))
        crawler = process.create_crawler(SiteSpider)
        process.crawl(
            crawler, plan=plan, frontier=frontier, archive=archive, crawl_state=state, send=sender.send
        )
        process.start(install_signal_handlers=False)
        if isinstance(crawler.spider, SiteSpider) and crawler.spider.error:
            raise crawler.spider.error
        complete = not frontier.waiting
    if complete:
        plan.job.unlink()
