"""The network side of a crawl: public addresses, TLS certificates, cookies, and the size of headers.

- `PublicResolver` resolves host names and passes on public addresses only. Every connection uses it, whether
  a user, a link or a redirect named the host, and the address that was checked is the one that is used.
- `Downloads` is Scrapy's HTTP handler with two additions. Where Twisted (26.10) cannot read the names in a
  certificate, for example because there are none, it logs that and continues; here the names are verified
  again and the connection is refused. And headers have a maximum size.
- `Cookies` sends the cookies of the user's file and those that servers set during the crawl.
"""

from __future__ import annotations

from http.cookiejar import DefaultCookiePolicy, LoadError, MozillaCookieJar
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from OpenSSL.SSL import VERIFY_FAIL_IF_NO_PEER_CERT, VERIFY_PEER
from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from scrapy.http.cookies import CookieJar
from scrapy.resolver import CachingHostnameResolver
from service_identity import CertificateError, VerificationError
from service_identity.hazmat import DNS_ID, IPAddress_ID, verify_service_identity
from service_identity.pyopenssl import extract_patterns
from twisted.internet.interfaces import (
    IHostnameResolver,
    IOpenSSLClientConnectionCreator,
    IResolutionReceiver,
)
from twisted.python.failure import Failure
from twisted.web.iweb import IPolicyForHTTPS
from zope.interface import implementer

from webgrain.crawler.politeness import EndlessHeadersError
from webgrain.crawler.thresholds import HEADER_BYTES
from webgrain.errors import InputError
from webgrain.io.fetch import is_public

if TYPE_CHECKING:
    from OpenSSL.crypto import X509
    from OpenSSL.SSL import Connection
    from scrapy import Request
    from scrapy.crawler import Crawler
    from scrapy.http import Response
    from twisted.internet.interfaces import IAddress, IHostResolution


@implementer(IHostnameResolver)
class PublicResolver(CachingHostnameResolver):
    """A resolver that returns public addresses only."""

    def resolveHostName(self, resolutionReceiver: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, N803
        """Resolve a name for ``resolutionReceiver``."""
        return super().resolveHostName(_PublicOnly(resolutionReceiver), *args, **kwargs)


@implementer(IResolutionReceiver)
class _PublicOnly:
    """Passes public addresses on to another receiver."""

    def __init__(self, receiver: Any) -> None:
        self._receiver = receiver

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(getattr(address, "host", "")):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()


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


@implementer(IOpenSSLClientConnectionCreator)
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
                if size > HEADER_BYTES:
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
    webgrain.errors.InputError: Cannot read cookies from nowhere.txt: No such file or directory.
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
