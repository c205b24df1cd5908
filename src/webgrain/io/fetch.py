"""Which hosts are of the open internet, and requests that go to no other.

Pages from the web, one polite request each, only for addresses that the user named.
"""

from __future__ import annotations

import queue
import socket
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from threading import Thread
from time import monotonic
from urllib.parse import urljoin

import urllib3
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationValueError, NewConnectionError, ProtocolError, SSLError
from urllib3.exceptions import TimeoutError as RequestTimeout

from webgrain import __version__
from webgrain.errors import ReadError
from webgrain.io.decode import HTML_TYPES, decompress, is_html, media_type
from webgrain.io.local import read_page
from webgrain.page.page import Limits, Source
from webgrain.results import Failure

_TRANSLATED = IPv6Network("64:ff9b::/96")  # the last four bytes are an address of IPv4


def is_public(host: str) -> bool:
    """Tell whether an IP address is one of the open internet, however it is written down in IPv6.

    >>> [is_public(ip) for ip in ("93.184.216.34", "127.0.0.1", "10.1.2.3", "169.254.169.254", "::1")]
    [True, False, False, False, False]
    >>> is_public("::ffff:127.0.0.1"), is_public("64:ff9b::7f00:1")
    (False, False)
    """
    try:
        address = ip_address(host.partition("%")[0])
    except ValueError:
        return False
    inner = _embedded(address) if isinstance(address, IPv6Address) else None
    return all(one.is_global and not one.is_multicast for one in (address, inner) if one is not None)


def open_pool(headers: dict[str, str], only_public: bool = False) -> PoolManager:
    """Return what makes requests; the ``connection`` of each answer has a flag ``public``.

    only_public: `ReadError` for hosts that are not public, before anything is sent to them.

    >>> with open_pool({}, only_public=True) as pool:
    ...     pool.request("GET", "http://127.0.0.1/")
    Traceback (most recent call last):
    webgrain.errors.ReadError: The page redirects to 127.0.0.1, which is in a private network.
    """
    pool = PoolManager(headers=headers)
    kinds = (_OnlyPublicHttpPool, _OnlyPublicHttpsPool) if only_public else (_HttpPool, _HttpsPool)
    pool.pool_classes_by_scheme = dict(zip(("http", "https"), kinds, strict=True))
    return pool


def _embedded(address: IPv6Address) -> IPv4Address | None:
    if address in _TRANSLATED:
        return IPv4Address(address.packed[-4:])
    return address.ipv4_mapped or address.sixtofour or (address.teredo[1] if address.teredo else None)


class _Http(HTTPConnection):
    """A connection that knows where it leads."""

    only_public = False
    public = False

    def _new_conn(self) -> socket.socket:
        if self.only_public and not all(map(is_public, _addresses(self.host, self.port))):
            raise self._refusal()
        connection = super()._new_conn()
        self.public = is_public(connection.getpeername()[0])
        if self.only_public and not self.public:  # the name has had another address a moment ago
            connection.close()
            raise self._refusal()
        return connection

    def _refusal(self) -> ReadError:
        return ReadError(f"The page redirects to {self.host}, which is in a private network.")


class _Https(HTTPSConnection, _Http):
    """The same with TLS."""


class _OnlyPublicHttp(_Http):
    only_public = True


class _OnlyPublicHttps(_Https):
    only_public = True


class _HttpPool(HTTPConnectionPool):
    ConnectionCls = _Http


class _HttpsPool(HTTPSConnectionPool):
    ConnectionCls = _Https


class _OnlyPublicHttpPool(HTTPConnectionPool):
    ConnectionCls = _OnlyPublicHttp


class _OnlyPublicHttpsPool(HTTPSConnectionPool):
    ConnectionCls = _OnlyPublicHttps


def _addresses(host: str, port: int | None) -> list[str]:
    """Return the addresses of a host; none where its name cannot be looked up, which connecting tells."""
    with suppress(OSError, UnicodeError):
        return [str(found[4][0]) for found in socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)]
    return []


Pools = tuple[urllib3.PoolManager, urllib3.PoolManager]
"""What asks any host, and what asks none of private networks."""

USER_AGENT = f"webgrain/{__version__} (reads single pages that its user names)"
"""How requests introduce themselves."""

REDIRECTS = 5
"""More redirects than this in a row are a loop."""

_PIECE = 2**14
_REASONS: tuple[tuple[type[Exception], str], ...] = (
    (NewConnectionError, "The server cannot be reached."),
    (RequestTimeout, "The server did not answer in time."),
    (SSLError, "The server cannot prove who it is (TLS)."),
    (ProtocolError, "The connection broke before the answer was complete."),
    (LocationValueError, "This is not a valid address."),
)


@dataclass(frozen=True, slots=True)
class Patience:
    """How long one page may take, in seconds: to connect, between two bytes, and altogether.

    >>> Patience(total=5).connect
    10.0
    """

    connect: float = 10.0
    read: float = 20.0
    total: float = 60.0


def is_url(text: str) -> bool:
    """Tell whether ``text`` is an http or https address.

    >>> is_url("HTTPS://example.org/"), is_url("file:///etc/passwd"), is_url("a.html")
    (True, False, False)
    """
    return text.lower().startswith(("http://", "https://"))


def fetch(urls: Iterable[str], limits: Limits, patience: Patience = Patience()) -> Iterator[Source | Failure]:
    """Fetch pages one after the other; ``id`` is the address as given, ``url`` where it led.

    Not more than ``limits.bytes`` and one byte are kept of a body, counted after decompression.

    >>> [failure.error for failure in fetch(["ftp://example.org/"], Limits())]
    ['Only http and https addresses are fetched.']
    """
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"}
    with open_pool(headers) as named, open_pool(headers, only_public=True) as public:
        for url in urls:
            job = partial(_get, (named, public), url, limits, patience)
            yield read_page(url, partial(_within, patience.total, job), url)


def _within(seconds: float, job: Callable[[], Source]) -> Source:
    # In a thread, since neither the look-up of a name nor a server that sends one header byte at a time
    # can be interrupted; a thread that is given up ends by itself.
    answers: queue.SimpleQueue[Source | Exception] = queue.SimpleQueue()

    def run() -> None:
        try:
            answers.put(job())
        except Exception as error:  # handed over to the thread that waits
            answers.put(error)

    Thread(target=run, daemon=True).start()
    try:
        answer = answers.get(timeout=seconds)
    except queue.Empty:
        raise ReadError(f"The page did not arrive within {seconds:g} seconds.") from None
    if isinstance(answer, Exception):
        raise answer
    return answer


def _get(pools: Pools, page: str, limits: Limits, patience: Patience) -> Source:
    deadline = monotonic() + patience.total
    try:
        response, url = _follow(pools, page, patience)
        try:
            return _receive(response, page, url, limits, deadline)
        finally:
            response.close()
    except (HTTPError, HTTPException, ValueError) as error:
        raise ReadError(_reason(error)) from error


def _follow(pools: Pools, url: str, patience: Patience) -> tuple[urllib3.BaseHTTPResponse, str]:
    # The user may name a host of the own network, and that may lead on within; who answers from outside
    # must not reach what only this machine can.
    pool, public = pools
    timeout = urllib3.Timeout(connect=patience.connect, read=patience.read)
    for _ in range(REDIRECTS + 1):
        if not is_url(url):
            raise ReadError("Only http and https addresses are fetched.")
        response = pool.request(
            "GET", url, preload_content=False, redirect=False, retries=False, timeout=timeout
        )
        target = response.get_redirect_location()
        if not target:
            return response, url
        if getattr(response.connection, "public", True):
            pool = public
        response.close()
        url = urljoin(url, target)
    raise ReadError(f"The page redirects more than {REDIRECTS} times.")


def _receive(
    response: urllib3.BaseHTTPResponse, page: str, url: str, limits: Limits, deadline: float
) -> Source:
    if not 200 <= response.status < 300:
        raise ReadError(f"The server answered {response.status} {response.reason or ''}".rstrip() + ".")
    kind, charset = media_type(response.headers.get("Content-Type"))
    if kind and kind not in HTML_TYPES:
        raise ReadError(f"The server sent {kind}, not HTML.")
    sent = bytearray()
    while len(sent) <= limits.bytes and (piece := response.read1(_PIECE, decode_content=False)):
        sent += piece
        if monotonic() > deadline:
            raise ReadError("The page did not arrive in time.")
    body = decompress(bytes(sent), response.headers.get("Content-Encoding"), limits.bytes + 1)
    if not is_html(body, declared=bool(kind)):
        raise ReadError("The server sent something that is not HTML.")
    return Source(page, body, url=url, charset=charset)


def _reason(error: Exception) -> str:
    for kind, reason in _REASONS:
        if isinstance(error, kind):
            return reason
    return f"The page cannot be fetched ({type(error).__name__})."
