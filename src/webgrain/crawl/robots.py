"""robots.txt: what may be asked for, how often, and which sitemaps there are (RFC 9309).

A host whose robots.txt answers with an error of its own (500 to 599), or not at all, is left alone; one that
has none (400 to 499) may be crawled.
"""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urljoin, urlsplit

from protego import Protego
from scrapy import Request
from scrapy.http.request import NO_CALLBACK

from webgrain.crawl.plan import USER_AGENT
from webgrain.crawl.reasons import ForbiddenError, reason_of

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

LONGEST_DELAY = 60.0
"""Seconds: a Crawl-delay above it is taken for this."""

LONGEST = 500 * 1024
"""Bytes of a robots.txt that are read, as the standard asks for."""

SITEMAPS = 100
"""Sitemaps that one robots.txt may name."""


class Robots:
    """Middleware that lets through what is allowed."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, Protego | str] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Robots:
        """Make it for a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> None:
        """Pass a request, or raise `ForbiddenError`."""
        if request.meta.get("robots"):
            return
        parts = urlsplit(request.url)
        site = f"{parts.scheme}://{parts.netloc}"
        if site not in self._rules:  # a host is asked one thing at a time: nobody else can be here for it
            self._rules[site] = await self._ask(site, parts.hostname or "")
        rules = self._rules[site]
        if isinstance(rules, str):
            raise ForbiddenError(f"The host's robots.txt cannot be had: {rules}")
        if not rules.can_fetch(request.url, USER_AGENT):
            raise ForbiddenError("The host's robots.txt does not allow it.")

    async def _ask(self, site: str, host: str) -> Protego | str:
        """Return the rules of a site, or why there are none and it is to be left alone."""
        request = Request(f"{site}/robots.txt", callback=NO_CALLBACK, dont_filter=True, meta={"robots": True})
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:
            return str(reason_of(error, request, self._crawler.spider.plan))
        if response.status >= 500:
            return f"the server answered {response.status}."
        text = response.body[:LONGEST].decode("utf-8-sig", "replace") if response.status < 300 else ""
        rules = Protego.parse(text)
        self._slow_down(host, rules.crawl_delay(USER_AGENT))
        self._crawler.spider.add_sitemaps(
            urljoin(response.url, name) for name in list(rules.sitemaps)[:SITEMAPS]
        )
        return rules

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
