"""How pages come over the network: as Scrapy does it, with an end of what may come before a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from scrapy.core.downloader.handlers.http11 import HTTP11DownloadHandler
from twisted.python.failure import Failure

from webgrain.crawl.reasons import EndlessHeadError
from webgrain.crawl.tls import SecondLook

if TYPE_CHECKING:
    from scrapy.crawler import Crawler

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
