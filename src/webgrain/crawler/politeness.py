"""When a crawl may request a URL: robots.txt, Retry-After, retries; and why a request failed.

robots.txt follows RFC 9309. A host whose robots.txt answers with a server error (500 to 599), with 429, or
not at all, is not crawled; a host without one (400 to 499) is crawled. A robots.txt is valid for a day.
Retry-After follows RFC 9110, section 10.2.3.
"""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from time import monotonic, time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urljoin, urlsplit

from OpenSSL.SSL import Error as TlsError
from protego import Protego
from scrapy import Request
from scrapy.downloadermiddlewares.retry import RetryMiddleware, get_retry_request
from scrapy.exceptions import (
    CannotResolveHostError,
    DownloadCancelledError,
    DownloadConnectionRefusedError,
    DownloadFailedError,
    DownloadTimeoutError,
    IgnoreRequest,
    ResponseDataLossError,
    StopDownload,
)
from scrapy.http.request import NO_CALLBACK
from service_identity.exceptions import CertificateError, VerificationError

from webgrain.crawler.plan import ROBOT, Plan
from webgrain.crawler.thresholds import (
    CRAWL_DELAY,
    RETRY_AFTER,
    ROBOTS_BYTES,
    ROBOTS_READ,
    ROBOTS_SECONDS,
    ROBOTS_SITEMAPS,
)
from webgrain.errors import ReadError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response

BUSY = (429, 503)
"""HTTP statuses that mean "not now"."""


class SkippedError(Exception):
    """A page is left out on purpose; this is a failure only if the user named the page."""


class ForbiddenError(IgnoreRequest):
    """robots.txt does not allow a page; the message states the reason."""


class EndlessHeadersError(Exception):
    """The headers of a response exceed the limit."""


def error_of(error: BaseException, request: Request, plan: Plan) -> Exception:
    """Return why a request failed: `ReadError`, or `SkippedError` if it was left out on purpose.

    >>> from pathlib import Path
    >>> from scrapy import Request
    >>> from webgrain.crawler.plan import Plan
    >>> plan = Plan(["http://example.org/"], Path("a.warc"), timeout=5)
    >>> error_of(DownloadTimeoutError(), Request("http://example.org/"), plan)
    ReadError('The page did not arrive within 5 seconds.')
    """
    if isinstance(error, ForbiddenError):
        return SkippedError(str(error))
    if isinstance(error, CannotResolveHostError):
        private = "" if plan.allow_private else ", or it is in a private network"
        return ReadError(f"The host {urlsplit(request.url).hostname} cannot be found{private}.")
    if is_tls_error(error):
        return ReadError("The server cannot prove who it is (TLS).")
    if _is_caused_by(error, EndlessHeadersError):
        return ReadError("The headers have no end.")
    if isinstance(error, IgnoreRequest) and "redirect" in str(error):  # Scrapy has one exception for both
        return ReadError("It redirects too often.")
    too_large = f"The page has more than {request.meta.get('download_maxsize', plan.size)} bytes."
    broken = "The connection broke before the answer was complete."
    for kind, message in {
        StopDownload: "The body is compressed too many times over.",
        DownloadTimeoutError: f"The page did not arrive within {plan.timeout:g} seconds.",
        DownloadCancelledError: too_large,
        IgnoreRequest: too_large,  # after decompression
        DownloadConnectionRefusedError: "The server cannot be reached.",
        DownloadFailedError: broken,
        ResponseDataLossError: broken,
    }.items():
        if isinstance(error, kind):
            return ReadError(message)
    message = " ".join(str(error).split())[:200] or type(error).__name__
    return ReadError(f"The page cannot be downloaded: {message}.")


def is_tls_error(error: BaseException) -> bool:
    """Return whether a connection failed because the server did not prove its identity.

    >>> is_tls_error(DownloadFailedError("broken"))
    False
    """
    return _is_caused_by(error, TlsError, CertificateError, VerificationError)


def _is_caused_by(error: BaseException, *kinds: type[Exception]) -> bool:
    # Twisted lists all causes of a failed download.
    return any(cause.check(*kinds) for cause in getattr(error.__cause__, "reasons", ()))


def seconds_to_wait(header: str, now: float) -> float:
    """Return the seconds of a Retry-After header, at most `RETRY_AFTER`; 0 if it is invalid.

    header: seconds, or a date. now: seconds since 1970.

    >>> [seconds_to_wait(header, now=0) for header in ("120", "Thu, 01 Jan 1970 00:00:07 GMT", "1e9", "soon")]
    [120.0, 7.0, 0.0, 0.0]
    """
    header = header.strip()
    if header.isascii() and header.isdecimal():
        return min(float(header), RETRY_AFTER)
    try:
        date = parsedate_to_datetime(header)
        until = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(until - now, 0.0), RETRY_AFTER)


class RetryAfter:
    """Until when each host must not be requested.

    >>> retry_after = RetryAfter()
    >>> retry_after.set("example.org", "120")
    >>> retry_after.is_over("example.org"), retry_after.is_over("example.com")
    (False, True)
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def set(self, host: str, header: str) -> None:
        """Record the Retry-After header of a host."""
        if seconds := seconds_to_wait(header, time()):
            self._until[host] = monotonic() + seconds

    def is_over(self, host: str) -> bool:
        """Return whether a host may be requested."""
        return monotonic() >= self._until.get(host, 0.0)


class Retries(RetryMiddleware):
    """Scrapy's retry middleware; it obeys Retry-After and does not retry TLS errors."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return a request to repeat, or the response."""
        if response.status in BUSY:
            header = (response.headers.get("Retry-After") or b"").decode("latin-1")
            self.crawler.spider.retry_after.set(urlsplit(request.url).netloc, header)
            # A robots.txt is not scheduled, so its repetition would not wait; that of the page does.
            if request.meta.get("robots"):
                return response
        return super().process_response(request, response)

    def process_exception(self, request: Request, exception: Exception) -> Request | Response | None:
        """Return a request to repeat, or None."""
        return None if is_tls_error(exception) else super().process_exception(request, exception)


class Rules(NamedTuple):
    """The rules of a host, or why it is not crawled; when they were read; whether to ask again soon."""

    rules: Protego | str
    since: float
    busy: bool = False


class Robots:
    """Middleware that drops requests which robots.txt does not allow."""

    def __init__(self, crawler: Crawler) -> None:
        self._crawler = crawler
        self._rules: dict[str, Rules] = {}

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Robots:
        """Create it for a crawl."""
        return cls(crawler)

    async def process_request(self, request: Request) -> Request | None:
        """Return None to allow a request or a request to repeat later; raise `ForbiddenError` otherwise."""
        if request.meta.get("robots"):
            return None
        parts = urlsplit(request.url)
        site = f"{parts.scheme}://{parts.netloc}"
        known = self._rules.get(site)
        if known is None or monotonic() > known.since + ROBOTS_SECONDS:
            # One request per host at a time: no other request can be here for it.
            known = await self._download(site, parts.hostname or "")
            if known.busy:
                again = get_retry_request(request, spider=self._crawler.spider, reason="busy")
                if again:
                    return again
            self._rules[site] = known
            request.meta.pop("retry_times", None)  # those of the robots.txt
        if isinstance(known.rules, str):
            raise ForbiddenError(f"The host's robots.txt cannot be read: {known.rules}")
        if not known.rules.can_fetch(request.url, ROBOT):
            raise ForbiddenError("The host's robots.txt does not allow it.")
        return None

    async def _download(self, site: str, host: str) -> Rules:
        meta = {"robots": True, "download_maxsize": ROBOTS_BYTES}
        request = Request(f"{site}/robots.txt", callback=NO_CALLBACK, dont_filter=True, meta=meta)
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:
            return Rules(str(error_of(error, request, self._crawler.spider.plan)), monotonic())
        if response.status >= 500 or response.status in BUSY:
            reason = f"the server answered {response.status}."
            return Rules(reason, monotonic(), response.status in BUSY)
        text = response.body[:ROBOTS_READ].decode("utf-8-sig", "replace") if response.status < 300 else ""
        rules = Protego.parse(text)
        downloader = self._crawler.engine.downloader
        delay = longer_delay(self._crawler.settings.getfloat("DOWNLOAD_DELAY"), rules.crawl_delay(ROBOT))
        downloader.per_slot_settings[host] = {"delay": delay}
        if host in downloader.slots:
            downloader.slots[host].delay = delay
        sitemaps = list(rules.sitemaps)[:ROBOTS_SITEMAPS]
        self._crawler.spider.add_sitemaps(urljoin(response.url, name) for name in sitemaps)
        return Rules(rules, monotonic())


def longer_delay(own: float, requested: float | None) -> float:
    """Return the seconds between two requests: our own delay, or a longer Crawl-delay up to `CRAWL_DELAY`.

    >>> longer_delay(1, 5.0), longer_delay(1, None), longer_delay(1, 1e9), longer_delay(1, float("nan"))
    (5.0, 1, 60.0, 1)
    """
    return min(requested, CRAWL_DELAY) if requested is not None and requested > own else own
