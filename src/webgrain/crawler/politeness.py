"""Why there is no page: the exceptions of a download, in one sentence each.

Hosts that ask to be left alone for a while: Retry-After, as of RFC 9110, section 10.2.3.

What is asked for again, and when.

robots.txt: what may be asked for, how often, and which sitemaps there are (RFC 9309).

A host whose robots.txt answers with an error of its own (500 to 599), with "too many requests" (429), or not
at all, is left alone; one that has none (400 to 499) may be crawled. What it says holds for a day.
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
from webgrain.errors import ReadError

if TYPE_CHECKING:
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.python.failure import Failure as Failed


class SkippedError(Exception):
    """A page that is left out on purpose; a failure only where the user named it."""


class ForbiddenError(IgnoreRequest):
    """A page that robots.txt does not allow; the message says why."""


class EndlessHeadError(Exception):
    """An answer whose headers do not end."""


def reason_of(error: BaseException, request: Request, plan: Plan) -> Exception:
    """Return why a request has no answer: `ReadError`, or `SkippedError` where it was left out on purpose.

    >>> from pathlib import Path
    >>> from scrapy import Request
    >>> from webgrain.crawler.plan import Plan
    >>> plan = Plan(["http://example.org/"], Path("a.warc"), timeout=5)
    >>> reason_of(DownloadTimeoutError(), Request("http://example.org/"), plan)
    ReadError('The page did not arrive within 5 seconds.')
    """
    if isinstance(error, ForbiddenError):
        return SkippedError(str(error))
    if isinstance(error, CannotResolveHostError):
        host = urlsplit(request.url).hostname
        private = "" if plan.allow_private else ", or it is in a private network"
        return ReadError(f"The host {host} cannot be found{private}.")
    if is_unproven(error):
        return ReadError("The server cannot prove who it is (TLS).")
    if any(reason.check(EndlessHeadError) for reason in _reasons(error)):
        return ReadError("The headers have no end.")
    if isinstance(error, IgnoreRequest) and "redirect" in str(error):  # Scrapy has one exception for both
        return ReadError("It redirects too often.")
    for kind, sentence in _told(request, plan).items():
        if isinstance(error, kind):
            return ReadError(sentence)
    return ReadError(f"The page cannot be had: {' '.join(str(error).split())[:200] or type(error).__name__}.")


def _told(request: Request, plan: Plan) -> dict[type[Exception], str]:
    """Return a sentence for each kind of exception that says enough by itself; the first that fits counts."""
    too_large = f"The page has more than {request.meta.get('download_maxsize', plan.size)} bytes."
    broken = "The connection broke before the answer was complete."
    return {
        StopDownload: "The body is compressed too many times over.",
        DownloadTimeoutError: f"The page did not arrive within {plan.timeout:g} seconds.",
        DownloadCancelledError: too_large,
        IgnoreRequest: too_large,  # once it is decompressed
        DownloadConnectionRefusedError: "The server cannot be reached.",
        DownloadFailedError: broken,
        ResponseDataLossError: broken,
    }


def is_unproven(error: BaseException) -> bool:
    """Tell whether a connection failed since the server did not prove who it is.

    >>> is_unproven(DownloadFailedError("broken"))
    False
    """
    return any(reason.check(TlsError, CertificateError, VerificationError) for reason in _reasons(error))


def _reasons(error: BaseException) -> list[Failed]:
    """Return Twisted's, one for each thing that went wrong."""
    return list(getattr(error.__cause__, "reasons", ()))


BUSY = (429, 503)
"""Statuses that say "not now"."""

LONGEST_PAUSE = 300.0
"""Seconds: a server that asks for more is asked again after this."""


def seconds_asked(header: str, now: float) -> float:
    """Return the seconds that a Retry-After asks for, at most `LONGEST_PAUSE`; 0 where it asks for none.

    header: seconds, or a date. now: in seconds since 1970.

    >>> [seconds_asked(header, now=0) for header in ("120", "Thu, 01 Jan 1970 00:00:07 GMT", "1e9", "soon")]
    [120.0, 7.0, 0.0, 0.0]
    """
    header = header.strip()
    if header.isascii() and header.isdecimal():
        return min(float(header), LONGEST_PAUSE)
    try:
        date = parsedate_to_datetime(header)
        until = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(until - now, 0.0), LONGEST_PAUSE)


class Pauses:
    """Until when hosts are left alone.

    >>> pauses = Pauses()
    >>> pauses.ask("example.org", "120")
    >>> pauses.is_over("example.org"), pauses.is_over("example.com")
    (False, True)
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def ask(self, host: str, header: str) -> None:
        """Note what a host asks for with a Retry-After."""
        seconds = seconds_asked(header, time())
        if seconds:
            self._until[host] = monotonic() + seconds

    def is_over(self, host: str) -> bool:
        """Tell whether a host may be asked again."""
        return monotonic() >= self._until.get(host, 0.0)


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
