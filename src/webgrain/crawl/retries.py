"""What is asked for again, and when."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from scrapy.downloadermiddlewares.retry import RetryMiddleware

from webgrain.crawl.pauses import BUSY
from webgrain.crawl.reasons import is_unproven

if TYPE_CHECKING:
    from scrapy import Request
    from scrapy.http import Response


class Retries(RetryMiddleware):
    """Scrapy's middleware, with the pauses that servers ask for, and without what will not pass."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return a request to ask once more, or the response."""
        if response.status not in BUSY:
            return super().process_response(request, response)
        header = (response.headers.get("Retry-After") or b"").decode("latin-1")
        self.crawler.spider.pauses.ask(urlsplit(request.url).netloc, header)
        # A robots.txt is not scheduled, so its next request would not wait: the page's does.
        return response if request.meta.get("robots") else super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        """Return a request to ask once more, or None."""
        return None if is_unproven(exception) else super().process_exception(request, exception)
