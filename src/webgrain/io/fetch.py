"""Pages from the web, one polite request each, only for addresses that the user named."""

from __future__ import annotations

import queue
from dataclasses import dataclass
from functools import partial
from http.client import HTTPException
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import urllib3
from urllib3.exceptions import (
    HTTPError,
    LocationValueError,
    NewConnectionError,
    ProtocolError,
    SSLError,
)
from urllib3.exceptions import (
    TimeoutError as RequestTimeout,
)

from webgrain import __version__
from webgrain.errors import ReadError
from webgrain.io.decode import decompress, media_type
from webgrain.io.hosts import open_pool
from webgrain.io.local import attempt
from webgrain.io.sniff import HTML_TYPES, is_html
from webgrain.page.page import Limits, Source

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webgrain.results import Failure

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
            yield attempt(url, partial(_within, patience.total, job), url)


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
