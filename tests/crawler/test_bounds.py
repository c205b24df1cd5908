"""Answers without an end, and answers that grow."""

from __future__ import annotations

import gzip
import zlib
from functools import partial
from typing import TYPE_CHECKING, Any

import brotli
from tests.compression import zstd_compress
from tests.crawler.crawls import HTML, outcomes, plan_of, reply

from webgrain.base.failures import Failure
from webgrain.crawler.plan import Plan
from webgrain.crawler.process import run_crawl
from webgrain.io.thresholds import LAYERS

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from http.server import BaseHTTPRequestHandler
    from pathlib import Path

    from tests.crawler.conftest import Site

SIZE = 1_000_000
BOMB = b"<p>" + b" " * 20 * SIZE
OK = b"HTTP/1.1 200 OK\r\n"
BODY = OK + b"Content-Type: text/html\r\n\r\n"
CHUNKS = OK + b"Content-Type: text/html\r\nTransfer-Encoding: chunked\r\n\r\n"
ENDLESS = {
    "body": (BODY, b"<p>" * 10_000),
    "chunks": (CHUNKS, b"7530\r\n" + b"<p>" * 10_000 + b"\r\n"),
    "headers": (OK, b"X-Header: value\r\n" * 1000),
    "header": (OK + b"X-Header: ", b"x" * 10_000),
    "status": (b"HTTP/1.1 ", b"2" * 10_000),
}


def packed(body: bytes, *encodings: str) -> tuple[object, ...]:
    return reply(body, 200, HTML, ("Content-Encoding", ", ".join(encodings)))


def test_endless_responses_are_limited(site: Site, tmp_path: Path) -> None:
    sent = dict.fromkeys(ENDLESS, 0)

    def send(request: BaseHTTPRequestHandler) -> Any:
        name = request.path[1:]
        first, again = ENDLESS[name]
        request.wfile.write(first)
        while not site.released.is_set():  # the client hangs up, which raises
            request.wfile.write(again)
            sent[name] += len(again)
        return reply()

    site.add("/", *sent)
    site.pages["*"] = send
    result = outcomes(plan_of(site, tmp_path, size=SIZE, retries=0, robots=False), site)
    assert result == {
        "/": "stored",
        "/body": f"The page has more than {SIZE} bytes.",
        "/chunks": f"The page has more than {SIZE} bytes.",
        "/headers": "The headers have no end.",
        "/header": "The connection broke before the answer was complete.",
        "/status": "The connection broke before the answer was complete.",
    }
    assert max(sent.values()) < 100 * SIZE  # with all that is under way


def test_slow_responses_time_out(new_site: Callable[[], Site], tmp_path: Path) -> None:
    headers, body = new_site(), new_site()

    def drip(request: BaseHTTPRequestHandler, site: Site, head: bytes) -> Any:
        request.wfile.write(head)
        while not site.released.wait(0.1):
            request.wfile.write(b"a")
        return reply()

    headers.pages["/"] = partial(drip, site=headers, head=OK)
    body.pages["/"] = partial(drip, site=body, head=BODY)
    archive, urls = tmp_path / "a.warc.gz", [headers.url + "/", body.url + "/"]
    plan = Plan(urls, archive, timeout=1, retries=0, robots=False, allow_private=True)
    found = [result.error for result in run_crawl(plan) if isinstance(result, Failure)]
    assert found == ["The page did not arrive within 1 seconds."] * 2


def test_decompressed_responses_are_limited(site: Site, tmp_path: Path) -> None:
    site.pages |= {f"/{name}": answer for name, answer in compressed()}
    site.add("/", *site.pages)
    result = outcomes(plan_of(site, tmp_path, size=SIZE, retries=0, robots=False), site)
    too_large = f"The page has more than {SIZE} bytes."
    assert result == {
        "/": "stored",
        **dict.fromkeys(("/gzip", "/deflate", "/brotli", "/zstd", "/twice"), too_large),
        "/zstd-small": "stored",
        "/most": "stored",
        "/too-often": "The body is compressed too many times over.",
    }


def compressed() -> Iterator[tuple[str, tuple[object, ...]]]:
    yield "gzip", packed(gzip.compress(BOMB), "gzip")
    yield "deflate", packed(zlib.compress(BOMB), "deflate")
    yield "brotli", packed(brotli.compress(BOMB), "br")
    yield "zstd", packed(zstd_compress(BOMB), "zstd")
    yield "zstd-small", packed(zstd_compress(b"<p>Hi"), "zstd")
    yield "twice", packed(gzip.compress(gzip.compress(BOMB)), "gzip", "gzip")
    body = b"<p>Hi"
    for _ in range(LAYERS):
        body = gzip.compress(body)
    yield "most", packed(body, *["gzip"] * LAYERS)
    yield "too-often", packed(gzip.compress(body), *["gzip"] * (LAYERS + 1))
