"""Names of hosts become addresses here, and those of private networks go no further.

Every connection passes through, whether the host was named by the user, by a link or by a redirect, and the
address that was looked at is the one that is connected to.

Connections to servers that prove who they are, and to no others.

Where Twisted (26.10) cannot make out the names in a certificate, as in one without any, it logs that and goes
on as if it were one for the host. Here they are looked at once more, and what cannot be verified is refused.

Cookies: those in the user's file, and those that servers set while the crawl goes on.

How pages come over the network: as Scrapy does it, with an end of what may come before a page.
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

from webgrain.crawler.politeness import EndlessHeadError
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
    """Resolver that answers with public addresses only."""

    def resolveHostName(self, resolutionReceiver: Any, *args: Any, **kwargs: Any) -> Any:  # noqa: N802, N803
        """Resolve a name for ``resolutionReceiver``."""
        return super().resolveHostName(_Public(resolutionReceiver), *args, **kwargs)


@implementer(IResolutionReceiver)
class _Public:
    """Passes on what is public."""

    def __init__(self, receiver: Any) -> None:
        self._receiver = receiver

    def resolutionBegan(self, resolution: IHostResolution) -> None:  # noqa: N802
        self._receiver.resolutionBegan(resolution)

    def addressResolved(self, address: IAddress) -> None:  # noqa: N802
        if is_public(getattr(address, "host", "")):
            self._receiver.addressResolved(address)

    def resolutionComplete(self) -> None:  # noqa: N802
        self._receiver.resolutionComplete()


@implementer(IPolicyForHTTPS)
class SecondLook:
    """Policy that takes another, and looks at certificates once more."""

    def __init__(self, policy: Any) -> None:
        self._policy = policy

    def creatorForNetloc(self, hostname: bytes, port: int) -> _Creator:  # noqa: N802
        """Return what makes connections to a host."""
        return _Creator(self._policy.creatorForNetloc(hostname, port), hostname.decode("ascii"))


def is_for(certificate: X509, host: str) -> bool:
    """Tell whether a certificate is for a host, given as a name or an IP address."""
    try:
        verify_service_identity(extract_patterns(certificate), [_identity(host)], [])
    except (CertificateError, VerificationError, ValueError):
        return False
    return True


def _identity(host: str) -> DNS_ID | IPAddress_ID:
    try:
        return IPAddress_ID(str(ip_address(host)))
    except ValueError:
        return DNS_ID(host)


@implementer(IOpenSSLClientConnectionCreator)
class _Creator:
    """Makes connections to a host."""

    def __init__(self, creator: Any, host: str) -> None:
        self._creator, self._host = creator, host

    def clientConnectionForTLS(self, protocol: Any) -> Connection:  # noqa: N802
        connection: Connection = self._creator.clientConnectionForTLS(protocol)
        connection.set_verify(VERIFY_PEER | VERIFY_FAIL_IF_NO_PEER_CERT, self._is_proof)
        return connection

    def _is_proof(self, _: Any, certificate: X509, error: int, depth: int, ok: int) -> bool:
        # ok: what OpenSSL says of dates and signatures. depth: 0 for the server's own certificate.
        return bool(ok) and (depth > 0 or is_for(certificate, self._host))


class Cookies:
    """Middleware that keeps one jar for the whole crawl; a cookie goes to the hosts it was set for only."""

    def __init__(self, path: Path | None) -> None:
        policy = DefaultCookiePolicy(strict_domain=True)
        self._jar = CookieJar(policy)
        for cookie in read_cookies(path) if path else ():
            self._jar.set_cookie(cookie)

    @classmethod
    def from_crawler(cls, crawler: Crawler) -> Cookies:
        """Make it for a crawl."""
        return cls(crawler.settings["WEBGRAIN_COOKIES"])

    def process_request(self, request: Request) -> None:
        """Put cookies into a request."""
        self._jar.add_cookie_header(request)

    def process_response(self, request: Request, response: Response) -> Response:
        """Keep the cookies of a response."""
        self._jar.extract_cookies(response, request)
        return response


def read_cookies(path: Path) -> MozillaCookieJar:
    """Return the cookies in a file in Mozilla's format (``cookies.txt``); `InputError` if it is none.

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
        reason = getattr(error, "strerror", None) or "it is no text"
        raise InputError(f"Cannot read cookies from {path}: {reason}.") from error
    for cookie in jar:
        cookie.expires = cookie.expires or None  # 0 is how these files say: until the session ends
    return jar


HEAD = 2**18
"""Bytes of the headers of an answer, about."""


class Downloads(HTTP11DownloadHandler):
    """Scrapy's handler of http and https; headers have an end, and certificates are looked at twice."""

    _contextFactory: Any  # noqa: N815
    _pool: Any

    def __init__(self, crawler: Crawler) -> None:
        super().__init__(crawler)
        self._contextFactory = SecondLook(self._contextFactory)
        self._pool._factory = bounded(self._pool._factory)


def bounded(factory: Any) -> Any:
    """Return a class of factories whose connections are given up when headers have no end."""

    class Bounded(factory):
        def buildProtocol(self, address: Any) -> Any:  # noqa: N802
            protocol = super().buildProtocol(address)
            protocol.dataReceived = _Head(protocol).take_in
            return protocol

    return Bounded


class _Head:
    """Counts what comes before a page."""

    def __init__(self, protocol: Any) -> None:
        self._protocol, self._pass_on = protocol, protocol.dataReceived
        self._size = 0

    def take_in(self, data: bytes) -> None:
        self._pass_on(data)
        parser = self._protocol._parser
        in_head = parser is not None and parser.state in ("STATUS", "HEADER")
        self._size = self._size + len(data) if in_head else 0
        if self._size > HEAD:
            self._protocol._giveUp(Failure(EndlessHeadError()))
