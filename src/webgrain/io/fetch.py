"""Download single pages that the user names, one request each.

The user may name a host of a private network, and that host may redirect within the network. A server of the
open internet must not redirect to a private host: after the first public host, connections to private hosts
are refused. The address of the connection is checked, not only the name, so a name that changes its address
has no effect. The crawler and the browser use the same rule, `webgrain.base.hosts.is_public`.
"""

from __future__ import annotations

import socket
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, wait
from contextlib import suppress
from functools import partial
from http.client import HTTPException
from threading import Thread
from time import monotonic
from urllib.parse import urljoin

import urllib3
from urllib3 import HTTPConnectionPool, HTTPSConnectionPool, PoolManager
from urllib3.connection import HTTPConnection, HTTPSConnection
from urllib3.exceptions import HTTPError, LocationValueError, NewConnectionError, ProtocolError, SSLError
from urllib3.exceptions import TimeoutError as RequestTimeout

from webgrain import __version__
from webgrain.base.errors import ReadError
from webgrain.base.failures import Failure
from webgrain.base.hosts import is_public
from webgrain.io.decode import HTML_TYPES, decompress, media_type
from webgrain.io.local import read_page
from webgrain.io.thresholds import REDIRECTS
from webgrain.io.urls import Timeouts, is_url
from webgrain.page.filetypes import is_html, saved_format
from webgrain.page.page import Limits, Source

USER_AGENT = f"webgrain/{__version__} (reads single pages that its user names)"
"""The User-Agent header."""

_PIECE = 2**14
_MESSAGES: tuple[tuple[type[Exception], str], ...] = (
    (NewConnectionError, "The server cannot be reached."),
    (RequestTimeout, "The server did not answer in time."),
    (SSLError, "The server cannot prove who it is (TLS)."),
    (ProtocolError, "The connection broke before the answer was complete."),
    (LocationValueError, "This is not a valid address."),
)


def fetch(urls: Iterable[str], limits: Limits, timeouts: Timeouts = Timeouts()) -> Iterator[Source | Failure]:
    """Download pages one after the other; ``id`` is the URL as given, ``url`` the URL after redirects.

    At most ``limits.bytes + 1`` bytes of a body are kept, counted after decompression.

    >>> [failure.error for failure in fetch(["ftp://example.org/"], Limits())]
    ['Only http and https addresses are fetched.']
    """
    headers = {"User-Agent": USER_AGENT, "Accept-Encoding": "gzip, deflate"}
    with open_pool(headers) as any_host, open_pool(headers, only_public=True) as public:
        for url in urls:
            job = partial(_download, any_host, public, url, limits, timeouts)
            yield read_page(url, partial(_within, timeouts.total, job), url)


def _within(seconds: float, job: Callable[[], Source]) -> Source:
    # In a thread, because neither a DNS lookup nor a server that sends one header byte at a time can be
    # interrupted. An abandoned thread ends by itself.
    future: Future[Source] = Future()

    def run() -> None:
        try:
            future.set_result(job())
        except Exception as error:
            future.set_exception(error)

    Thread(target=run, daemon=True).start()
    wait([future], seconds)
    if not future.done():
        raise ReadError(f"The page did not arrive within {seconds:g} seconds.")
    return future.result()


def _download(
    any_host: PoolManager, public: PoolManager, page: str, limits: Limits, timeouts: Timeouts
) -> Source:
    deadline = monotonic() + timeouts.total
    timeout = urllib3.Timeout(connect=timeouts.connect, read=timeouts.read)
    pool, url = any_host, page
    try:
        for _ in range(REDIRECTS + 1):
            if not is_url(url):
                raise ReadError("Only http and https addresses are fetched.")
            response = pool.request(
                "GET", url, preload_content=False, redirect=False, retries=False, timeout=timeout
            )
            try:
                target = response.get_redirect_location()
                if not target:
                    return _receive(response, page, url, limits, deadline)
                if getattr(response.connection, "public", True):
                    pool = public
            finally:
                response.close()
            url = urljoin(url, target)
    except (HTTPError, HTTPException, ValueError) as error:
        other = f"The page cannot be fetched ({type(error).__name__})."
        raise ReadError(
            next((text for error_type, text in _MESSAGES if isinstance(error, error_type)), other)
        ) from error
    raise ReadError(f"The page redirects more than {REDIRECTS} times.")


def _receive(
    response: urllib3.BaseHTTPResponse, page: str, url: str, limits: Limits, deadline: float
) -> Source:
    if not 200 <= response.status < 300:
        raise ReadError(f"The server answered {response.status} {response.reason or ''}".rstrip() + ".")
    content_type, charset = media_type(response.headers.get("Content-Type"))
    if content_type and content_type not in HTML_TYPES:
        raise ReadError(f"The server sent {content_type}, not HTML.")
    received = bytearray()
    while len(received) <= limits.bytes and (piece := response.read1(_PIECE, decode_content=False)):
        received += piece
        if monotonic() > deadline:
            raise ReadError("The page did not arrive in time.")
    body = decompress(bytes(received), response.headers.get("Content-Encoding"), limits.bytes + 1)
    if form := saved_format(body):
        raise ReadError(f"The server sent {form}, not HTML.")
    if not is_html(body, declared=bool(content_type)):
        raise ReadError("The server sent something that is not HTML.")
    return Source(page, body, url=url, charset=charset)


def open_pool(headers: dict[str, str], only_public: bool = False) -> PoolManager:
    """Return a pool of connections; the ``connection`` of a response has an attribute ``public``.

    only_public: raise `ReadError` for private hosts before anything is sent to them.

    >>> with open_pool({}, only_public=True) as pool:
    ...     pool.request("GET", "http://127.0.0.1/")
    Traceback (most recent call last):
    webgrain.base.errors.ReadError: The page redirects to 127.0.0.1, which is in a private network.
    """

    class Http(_Connection):
        pass

    class Https(HTTPSConnection, _Connection):
        pass

    Http.only_public = Https.only_public = only_public
    pool = PoolManager(headers=headers)
    pool.pool_classes_by_scheme = {
        "http": type("HttpPool", (HTTPConnectionPool,), {"ConnectionCls": Http}),
        "https": type("HttpsPool", (HTTPSConnectionPool,), {"ConnectionCls": Https}),
    }
    return pool


class _Connection(HTTPConnection):
    """A connection that checks the address it connects to."""

    only_public = False
    public = False

    def _new_conn(self) -> socket.socket:
        refusal = ReadError(f"The page redirects to {self.host}, which is in a private network.")
        if self.only_public and not all(map(is_public, self._addresses())):
            raise refusal
        connection = super()._new_conn()
        self.public = is_public(connection.getpeername()[0])
        if self.only_public and not self.public:  # the name had another address a moment ago
            connection.close()
            raise refusal
        return connection

    def _addresses(self) -> list[str]:
        with suppress(OSError, UnicodeError):  # connecting reports this error
            answers = socket.getaddrinfo(self.host, self.port, type=socket.SOCK_STREAM)
            return [str(address[4][0]) for address in answers]
        return []
