"""Scrapy's scheduler, with the frontier for its memory."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from webgrain.crawl.spider import SiteSpider


class Schedule(BaseScheduler):
    """Hands out what the spider takes from its frontier, and leaves hosts alone that ask for a pause.

    Requests that are tried again go first. Scrapy asks every few seconds whether there is something now.
    """

    def __init__(self) -> None:
        self._waiting: list[Request] = []  # of each host not more than one, which is not finished yet

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Schedule:
        """Make it for a crawl."""
        return cls()

    def open(self, spider: SiteSpider) -> None:
        """Begin."""
        self._spider = spider

    def has_pending_requests(self) -> bool:
        """Whether there is something left to ask for; what waits here is in the frontier, too."""
        return self._spider.has_more()

    def enqueue_request(self, request: Request) -> bool:
        """Take back a request that failed; it is still waiting in the frontier, should the process end."""
        self._waiting.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return what to ask for next; None: nothing at the moment."""
        for request in self._waiting:
            if self._may_be_asked(request):
                self._waiting.remove(request)
                return request
        while request := self._spider.next_request():
            if self._may_be_asked(request):
                return request
            self._waiting.append(request)
        return None

    def _may_be_asked(self, request: Request) -> bool:
        return self._spider.pauses.is_over(urlsplit(request.url).netloc)
