"""Scrapy's scheduler, with the frontier for its memory."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING

from scrapy.core.scheduler import BaseScheduler

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.crawler import Crawler

    from webgrain.crawl.spider import SiteSpider


class Schedule(BaseScheduler):
    """Hands out what the spider takes from its frontier; requests that are tried again go first."""

    def __init__(self) -> None:
        self._again: deque[Request] = deque()

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Schedule:
        """Make it for a crawl."""
        return cls()

    def open(self, spider: SiteSpider) -> None:
        """Begin."""
        self._spider = spider

    def has_pending_requests(self) -> bool:
        """Whether there is something left to ask for."""
        return bool(self._again) or self._spider.has_more()

    def enqueue_request(self, request: Request) -> bool:
        """Take back a request that failed; it is still waiting in the frontier, should the process end."""
        self._again.append(request)
        return True

    def next_request(self) -> Request | None:
        """Return what to ask for next; None: nothing at the moment."""
        return self._again.popleft() if self._again else self._spider.next_request()
