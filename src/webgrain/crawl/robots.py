"""robots.txt: what may be asked for, how often, and which sitemaps there are (RFC 9309).

A host whose robots.txt answers with an error of its own (500 to 599), with "too many requests" (429), or not
at all, is left alone; one that has none (400 to 499) may be crawled. What it says holds for a day.
"""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from protego import Protego
from scrapy import Request
from scrapy.downloadermiddlewares.retry import get_retry_request
from scrapy.http.request import NO_CALLBACK

from webgrain.crawl.pauses import BUSY
from webgrain.crawl.plan import ROBOT
from webgrain.crawl.reasons import ForbiddenError, reason_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

LONGEST_DELAY = 60.0
"""Seconds: a Crawl-delay above it is taken for this."""

LONGEST = 500 * 1024
"""Bytes of a robots.txt that are read, as the standard asks for."""

LARGEST = 16 * 2**20
"""A host whose robots.txt has more bytes than this is left alone."""

FRESH = 24 * 3600.0
"""Seconds that a robots.txt holds."""

SITEMAPS = 100
"""Sitemaps that one robots.txt may name."""


class Rules(NamedTuple):
    """What a host allows, or why it is left alone; since when this is known; whether to ask again soon."""

    given: Protego | str
    since: float
    busy: bool = False


class Robots:
    """Middleware that lets through what is allowed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, Rules] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Robots:
        """Make it for a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        """Pass a request, return it for a later time, or raise `ForbiddenError`."""
        if request.meta.get("robots"):
            return None
        parts = urlsplit(request.url)
        site = f"{parts.scheme}://{parts.netloc}"
        rules = self._rules.get(site)
        if rules is None or monotonic() > rules.since + FRESH:
            # A host is asked one thing at a time: nobody else can be here for it.
            rules = await self._ask(site, parts.hostname or "")
            if rules.busy and (
                again := get_retry_request(request, spider=self._crawler.spider, reason="busy")
            ):
                return again
            self._rules[site] = rules
            request.meta.pop("retry_times", None)  # those were of the robots.txt
        if isinstance(rules.given, str):
            raise ForbiddenError(f"The host's robots.txt cannot be had: {rules.given}")
        if not rules.given.can_fetch(request.url, ROBOT):
            raise ForbiddenError("The host's robots.txt does not allow it.")
        return None

    async def _ask(self, site: str, host: str) -> Rules:
        meta = {"robots": True, "download_maxsize": LARGEST}
        request = Request(f"{site}/robots.txt", callback=NO_CALLBACK, dont_filter=True, meta=meta)
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:
            return Rules(str(reason_of(error, request, self._crawler.spider.plan)), monotonic())
        if response.status >= 500 or response.status in BUSY:
            reason = f"the server answered {response.status}."
            return Rules(reason, monotonic(), response.status in BUSY)
        text = response.body[:LONGEST].decode("utf-8-sig", "replace") if response.status < 300 else ""
        rules = Protego.parse(text)
        self._slow_down(host, rules.crawl_delay(ROBOT))
        self._crawler.spider.add_sitemaps(
            urljoin(response.url, name) for name in list(rules.sitemaps)[:SITEMAPS]
        )
        return Rules(rules, monotonic())

    def _slow_down(self, host: str, asked: float | None) -> None:
        downloader = self._crawler.engine.downloader
        own = self._crawler.settings.getfloat("DOWNLOAD_DELAY")
        delay = longest_delay(own, asked)
        downloader.per_slot_settings[host] = {"delay": delay}
        if host in downloader.slots:
            downloader.slots[host].delay = delay


def longest_delay(own: float, asked: float | None) -> float:
    """Return the seconds between two requests: our own delay, or a longer one that robots.txt asks for.

    >>> longest_delay(1, 5.0), longest_delay(1, None), longest_delay(1, 1e9), longest_delay(1, float("nan"))
    (5.0, 1, 60.0, 1)
    """
    return min(asked, LONGEST_DELAY) if asked is not None and asked > own else own
