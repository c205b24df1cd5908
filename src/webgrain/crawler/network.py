"""The requests of a crawl: when they are allowed, how they are sent, and why they fail.

- `PublicResolver` resolves host names and passes on public addresses only. Every connection uses it, whether
  a user, a link or a redirect named the host, and the address that was checked is the one that is used.
- `Downloads` is Scrapy's HTTP handler with two additions. Where Twisted (26.10) cannot read the names in a
  certificate, for example because there are none, it logs that and continues; here the names are verified
  again and the connection is refused. And headers have a maximum size.
- `Robots`, `RetryAfter` and `Retries` decide when a URL is requested.
- `Cookies` sends the cookies of the user's file and those that servers set during the crawl.

robots.txt follows RFC 9309. A host whose robots.txt answers with a server error (500 to 599), with 429, or
not at all, is not crawled; a host without one (400 to 499) is crawled. A robots.txt is valid for a day.
Retry-After follows RFC 9110, section 10.2.3.
"""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from http.cookiejar import DefaultCookiePolicy, LoadError, MozillaCookieJar
from ipaddress import ip_address
from pathlib import Path
from time import monotonic, time
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import urljoin, urlsplit

from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER
from OpenSSL.SSL import Error as TlsError
from protego import Protego
from scrapy import Request, exceptions
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.downloadermiddlewares.httpcompression import HttpCompressionMiddleware
from scrapy.downloadermiddlewares.retry import RetryMiddleware, get_retry_request
from scrapy.http.cookies import CookieJar
from scrapy.http.request import NO_CALLBACK
from scrapy.resolver import CachingHostnameResolver
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet import interfaces
from twisted.python.components import proxyForInterface
from twisted.python.failure import Failure
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from webgrain.base.errors import InputError, ReadError
from webgrain.base.failures import EXCLUDED
from webgrain.base.hosts import is_public
from webgrain.crawler import thresholds
from webgrain.crawler.plan import ROBOT, Plan
from webgrain.io.decode import decompress

if TYPE_CHECKING:
    from OpenSSL.crypto import X509
    from OpenSSL.SSL import Connection
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress


BUSY = (429, 503)
"""HTTP statuses that mean "not now"."""


UNREACHABLE = ("The server cannot be reached", "The host ")
"""How the reasons begin why there is no server at an address."""

GONE = ("The server answered 404", "The server answered 410", *UNREACHABLE)
"""How the reasons begin why an address does not exist; after others, visitors may still see a page."""

_NO_ROBOTS = "The host's robots.txt cannot be read: "


def reason_gone(error: str) -> str:
    """Return why an address does not exist; empty if visitors may still see a page. error: of its request.

    The file robots.txt is requested first, so it states that there is no server.

    >>> reason_gone("The host's robots.txt cannot be read: The server cannot be reached.")
    'The server cannot be reached.'
    """
    reason = error.removeprefix(_NO_ROBOTS)
    return reason if reason.startswith(GONE) else ""


class SkippedError(ReadError):
    """A page is left out on purpose; this is a failure only if the user named the page."""

    outcome = "skipped"


class ExcludedError(SkippedError):
    """A page is left out because of robots.txt."""

    outcome, stage = "excluded", EXCLUDED


class ForbiddenError(exceptions.IgnoreRequest):
    """robots.txt does not allow a page; the message states the reason."""


class EndlessHeadersError(Exception):
    """The headers of a response exceed the limit."""


def error_of(error: BaseException, request: Request, plan: Plan) -> ReadError:
    """Return why a request failed; a `SkippedError` if it was left out on purpose.

    >>> from pathlib import Path
    >>> from scrapy import Request
    >>> from webgrain.crawler.plan import Plan
    >>> plan = Plan(["http://example.org/"], Path("a.warc"), timeout=5)
    >>> error_of(exceptions.DownloadTimeoutError(), Request("http://example.org/"), plan)
    ReadError('The page did not arrive within 5 seconds.')
    """
    if isinstance(error, ForbiddenError):
        return ExcludedError(str(error))
    if isinstance(error, exceptions.CannotResolveHostError):
        private = "" if plan.allow_private else ", or it is in a private network (see --allow-private)"
        return ReadError(f"The host {urlsplit(request.url).hostname} cannot be found{private}.")
    if is_tls_error(error):
        return ReadError("The server cannot prove who it is (TLS).")
    if _is_caused_by(error, EndlessHeadersError):
        return ReadError("The headers have no end.")
    # Scrapy has one exception for too many redirects and for bodies that are too large.
    if isinstance(error, exceptions.IgnoreRequest) and "redirect" in str(error):
        return ReadError("It redirects too often.")
    too_large = f"The page has more than {request.meta.get('download_maxsize', plan.size)} bytes."
    broken = "The connection broke before the answer was complete."
    for error_type, message in {
        exceptions.StopDownload: "The body is compressed too many times over.",
        exceptions.DownloadTimeoutError: f"The page did not arrive within {plan.timeout:g} seconds.",
        exceptions.DownloadCancelledError: too_large,
        exceptions.IgnoreRequest: too_large,  # after decompression
        exceptions.DownloadConnectionRefusedError: "The server cannot be reached.",
        exceptions.DownloadFailedError: broken,
        exceptions.ResponseDataLossError: broken,
    }.items():
        if isinstance(error, error_type):
            return ReadError(message)
    message = " ".join(str(error).split())[:200] or type(error).__name__
    return ReadError(f"The page cannot be downloaded: {message}.")


def is_tls_error(error: BaseException) -> bool:
    """Return whether a connection failed because the server did not prove its identity.

    >>> is_tls_error(exceptions.DownloadFailedError("broken"))
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
        return min(float(header), thresholds.RETRY_AFTER)
    try:
        date = parsedate_to_datetime(header)
        until = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(until - now, 0.0), thresholds.RETRY_AFTER)


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


class Compression(HttpCompressionMiddleware):
    """Scrapy's middleware of compressed bodies; it also reads zstd, and only a part of a robots.txt."""

    def process_response(self, request: Request, response: Response) -> Request | Response:
        """Return a response with its decompressed body."""
        encodings = b",".join(response.headers.getlist("Content-Encoding")).decode("latin-1").lower()
        is_robots = bool(request.meta.get("robots"))
        if request.method == "HEAD" or not (encodings and (is_robots or "zstd" in encodings)):
            return super().process_response(request, response)
        most: int = thresholds.ROBOTS_READ if is_robots else self._max_size + 1
        body = decompress(response.body, encodings, most)
        if not is_robots and len(body) == most:
            raise exceptions.IgnoreRequest(f"Its body has more than {most - 1} bytes after decompression.")
        response.headers.pop("Content-Encoding")
        return response.replace(body=body)


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
        if known is None or monotonic() > known.since + thresholds.ROBOTS_SECONDS:
            # One request per host at a time: no other request can be here for it.
            known = await self._download(site, parts.hostname or "")
            if known.busy:
                again = get_retry_request(request, spider=self._crawler.spider, reason="busy")
                if again:
                    return again
            self._rules[site] = known
            request.meta.pop("retry_times", None)  # those of the robots.txt
        if isinstance(known.rules, str):
            raise ForbiddenError(f"{_NO_ROBOTS}{known.rules}")
        if not known.rules.can_fetch(request.url, ROBOT):
            raise ForbiddenError("The host's robots.txt does not allow it.")
        return None

    async def _download(self, site: str, host: str) -> Rules:
        meta = {"robots": True, "download_maxsize": 0}  # `stop_after_robots` ends the download
        request = Request(f"{site}/robots.txt", callback=NO_CALLBACK, dont_filter=True, meta=meta)
        try:
            response = await self._crawler.engine.download_async(request)
        except Exception as error:
            return Rules(str(error_of(error, request, self._crawler.spider.plan)), monotonic())
        if response.status >= 500 or response.status in BUSY:
            reason = f"the server answered {response.status}."
            return Rules(reason, monotonic(), response.status in BUSY)
        text = (
            response.body[: thresholds.ROBOTS_READ].decode("utf-8-sig", "replace")
            if response.status < 300
            else ""
        )
        rules = Protego.parse(text)
        downloader = self._crawler.engine.downloader
        delay = longer_delay(self._crawler.settings.getfloat("DOWNLOAD_DELAY"), rules.crawl_delay(ROBOT))
        downloader.per_slot_settings[host] = {"delay": delay}
        if host in downloader.slots:
            downloader.slots[host].delay = delay
        sitemaps = list(rules.sitemaps)[: thresholds.ROBOTS_SITEMAPS]
        self._crawler.spider.add_sitemaps(urljoin(response.url, name) for name in sitemaps)
        return Rules(rules, monotonic())


def stop_after_robots(data: bytes, request: Request, **_: Any) -> None:
    """End the download of a robots.txt when more has arrived than is read."""
    if request.meta.get("robots"):
        received = request.meta["received"] = request.meta.get("received", 0) + len(data)
        if received > thresholds.ROBOTS_READ + thresholds.ROBOTS_HEADER:
            raise exceptions.StopDownload(fail=False)


def longer_delay(delay: float, requested: float | None) -> float:
    """Return the seconds between two requests: our delay, or a longer Crawl-delay up to `CRAWL_DELAY`.

    >>> longer_delay(1, 5.0), longer_delay(1, None), longer_delay(1, 1e9), longer_delay(1, float("nan"))
    (5.0, 1, 60.0, 1)
    """
    return min(requested, thresholds.CRAWL_DELAY) if requested is not None and requested > delay else delay


@implementer(interfaces.IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """A resolver that returns public addresses only."""

    def resolveHostName(self, resolutionReceiver: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, N803
        """Resolve a name for ``resolutionReceiver``."""
        return super().resolveHostName(_PublicOnly(resolutionReceiver), *args, **kwargs)


class _PublicOnly(proxyForInterface(interfaces.IResolutionReceiver, "receiver")):  # type: ignore[misc]
    """Passes public addresses on to another receiver."""

    receiver: Any

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(getattr(address, "host", "")):
            self.receiver.addressResolved(address)


class Downloads(HTTP11DownloadHandler):
    """Scrapy's handler of http and https, with a second check of certificates and a limit of headers."""

    _contextFactory: Any  # noqa: N815
    _pool: Any

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._contextFactory = VerifyingPolicy(self._contextFactory)
        self._pool._factory = with_header_limit(self._pool._factory)


@implementer(IPolicyForHTTPS)
class VerifyingPolicy:
    """Another policy, plus a verification of the names in certificates."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> _VerifyingCreator:  # noqa: N802
        """Return the creator of connections to a host."""
        return _VerifyingCreator(self._policy.creatorForNetloc(hostname, port), hostname.decode("ascii"))


@implementer(interfaces.IOpenSSLClientConnectionCreator)
class _VerifyingCreator:
    """Creates connections to a host."""

    def __init__(self, creator: Any, host: str) -> None:
        self._creator, self._host = creator, host

    def clientConnectionForTLS(self, protocol: Any) -> Connection:  # noqa: N802
        connection: Connection = self._creator.clientConnectionForTLS(protocol)
        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, self._verify)
        return connection

    def _verify(self, _: Any, certificate: X509, error: int, depth: int, ok: int) -> bool:
        # ok: OpenSSL accepts dates and signatures. depth: 0 for the certificate of the server itself.
        return bool(ok) and (depth > 0 or is_for(certificate, self._host))


def is_for(certificate: X509, host: str) -> bool:
    """Return whether a certificate is for a host, given as a name or an IP address."""
    try:
        identity: DNS_ID | IPAddress_ID = IPAddress_ID(str(ip_address(host)))
    except ValueError:
        identity = DNS_ID(host)
    try:
        verify_service_identity(extract_patterns(certificate), [identity], [])
    except (CertificateError, VerificationError, ValueError):
        return False
    return True


def with_header_limit(factory: Any) -> Any:
    """Return a factory class whose connections end when the headers are longer than `HEADER_BYTES`."""

    class Limited(factory):
        def buildProtocol(self, address: Any) -> Any:  # noqa: N802
            protocol = super().buildProtocol(address)
            receive, size = protocol.dataReceived, 0

            def receive_limited(data: bytes) -> None:
                nonlocal size
                receive(data)
                parser = protocol._parser
                in_headers = parser is not None and parser.state in ("STATUS", "HEADER")
                size = size + len(data) if in_headers else 0
                if size > thresholds.HEADER_BYTES:
                    protocol._giveUp(Failure(EndlessHeadersError()))

            protocol.dataReceived = receive_limited
            return protocol

    return Limited


class Cookies:
    """Middleware with one cookie jar per crawl; a cookie is sent only to the hosts it was set for."""

    def __init__(self, path: Path | None) -> None:
        self._jar = CookieJar(DefaultCookiePolicy(strict_domain=True))
        for cookie in read_cookies(path) if path else ():
            self._jar.set_cookie(cookie)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Cookies:
        """Create it for a crawl."""
        return cls(crawler.settings["WEBGRAIN_COOKIES"])

    def process_request(self, request: Request) -> None:
        """Add cookies to a request."""
        self._jar.add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies of a response."""
        self._jar.extract_cookies(response, request)
        return response


def read_cookies(path: Path) -> MozillaCookieJar:
    """Return the cookies of a file in Mozilla's format (``cookies.txt``); `InputError` if it is not one.

    >>> from pathlib import Path
    >>> read_cookies(Path("nowhere.txt"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot read cookies from nowhere.txt: No such file or directory.
    """
    jar = MozillaCookieJar(path)
    try:
        jar.load(ignore_discard=True, ignore_expires=True)
    except LoadError as error:
        raise InputError(f"Cannot read cookies from {path}: it is not in Mozilla's format.") from error
    except (OSError, UnicodeDecodeError) as error:
        reason = getattr(error, "strerror", None) or "it is not text"
        raise InputError(f"Cannot read cookies from {path}: {reason}.") from error
    for cookie in jar:
        cookie.expires = cookie.expires or None  # 0 means until the end of the session
    return jar
