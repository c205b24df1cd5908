"""Servers that do what servers should not."""

from __future__ import annotations

import gzip
import socket
import zlib
from typing import TYPE_CHECKING, Any

import pytest

from webgrain import __version__
from webgrain.base.failures import Failure
from webgrain.io.fetch import fetch
from webgrain.io.read import read
from webgrain.io.thresholds import REDIRECTS
from webgrain.io.urls import Timeouts
from webgrain.page.page import Limits, Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from http.server import BaseHTTPRequestHandler


def one(url: str, limits: Limits | None = None, timeouts: Timeouts | None = None) -> Source | Failure:
    (item,) = fetch([url], limits or Limits(), timeouts or Timeouts())
    return item


def error(url: str, limits: Limits | None = None, timeouts: Timeouts | None = None) -> str:
    item = one(url, limits, timeouts)
    assert isinstance(item, Failure), item
    assert (item.page, item.url, item.stage) == (url, url, "read")
    return item.error


def body(item: Source | Failure) -> bytes:
    assert isinstance(item, Source), item
    return item.body


def test_a_page_with_its_charset_and_a_clear_user_agent(server: Any) -> None:
    url = server.add("/", b"<p>caf\xe9", content_type="text/html; charset=latin-1")
    (page,) = read([url])
    assert isinstance(page, Source)
    assert (page.id, page.url, page.charset, page.body) == (url, url, "latin-1", b"<p>caf\xe9")
    assert page.assets is None
    assert server.agents == [f"webgrain/{__version__} (reads single pages that its user names)"]


def test_redirects_are_followed_and_the_last_address_is_reported(server: Any) -> None:
    server.add("/end", b"<p>end")
    url = server.add("/start", b"", 302, location="/end")
    page = one(url)
    assert isinstance(page, Source)
    assert (page.id, page.url, page.body) == (url, server.url + "/end", b"<p>end")


@pytest.mark.parametrize(
    "target", ["file:///etc/passwd", "ftp://127.0.0.1/", "javascript:alert(1)", "data:text/html,x"]
)
def test_redirects_to_other_schemes_are_refused(server: Any, target: str) -> None:
    assert error(server.add("/", b"", 301, location=target)) == "Only http and https addresses are fetched."


def test_a_redirect_loop_ends(server: Any) -> None:
    url = server.add("/loop", b"", 302, location="/loop")
    assert error(url) == f"The page redirects more than {REDIRECTS} times."
    assert len(server.agents) == REDIRECTS + 1


@pytest.mark.parametrize("encoding", ["gzip", "deflate"])
def test_compressed_pages_are_read_and_bombs_cut(server: Any, encoding: str) -> None:
    pack = gzip.compress if encoding == "gzip" else zlib.compress
    small = server.add("/small", pack(b"<p>small"), content_encoding=encoding)
    bomb = server.add("/bomb", pack(b"<p>" + b" " * 50_000_000), content_encoding=encoding)
    assert body(one(small)) == b"<p>small"
    assert len(body(one(bomb, Limits(bytes=100_000)))) == 100_001


def test_a_huge_body_is_not_read_to_its_end(server: Any) -> None:
    sent = 0

    def answer(request: BaseHTTPRequestHandler) -> None:
        nonlocal sent
        request.send_response(200)
        request.send_header("Content-Type", "text/html")
        request.end_headers()
        while sent < 2**30:
            request.wfile.write(b"<p>" * 100_000)
            sent += 300_000

    server.pages["/"] = answer
    assert len(body(one(server.url + "/", Limits(bytes=100_000)))) == 100_001
    assert sent < 2**27


@pytest.mark.parametrize(
    "head", [b"HTTP/1.1 200 OK\r\n", b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"]
)
def test_a_server_that_sends_slowly_times_out(server: Any, head: bytes) -> None:
    def drip(request: BaseHTTPRequestHandler) -> None:
        request.wfile.write(head)
        while not server.released.wait(0.1):  # each byte comes long before the read timeout
            request.wfile.write(b"a")

    server.pages["/"] = drip
    assert "did not arrive" in error(server.url + "/", timeouts=Timeouts(total=0.6))


def test_a_silent_server_times_out(server: Any) -> None:
    server.pages["/"] = lambda _: server.released.wait()
    assert error(server.url + "/", timeouts=Timeouts(read=0.3)) == "The server did not answer in time."


@pytest.fixture
def closed_port() -> Iterator[int]:
    with socket.socket() as bound:
        bound.bind(("127.0.0.1", 0))
        yield bound.getsockname()[1]


def test_a_server_that_is_not_there(closed_port: int) -> None:
    assert error(f"http://127.0.0.1:{closed_port}/") == "The server cannot be reached."


def test_a_wrong_content_length(server: Any) -> None:
    url = server.add("/long", b"<p>short", content_length="1000")
    assert error(url) == "The connection broke before the answer was complete."
    assert body(one(server.add("/short", b"<p>long", content_length="4"))) == b"<p>l"


def test_chunks(server: Any) -> None:
    url = server.add("/", b"5\r\n<p>ab\r\n3\r\ncde\r\n0\r\n\r\n", transfer_encoding="chunked")
    server.http.RequestHandlerClass.protocol_version = "HTTP/1.1"
    assert body(one(url)) == b"<p>abcde"


@pytest.mark.parametrize(
    ("status", "content_type", "sent", "message"),
    [
        (404, "text/html", b"<p>", "The server answered 404 Not Found."),
        (500, "text/html", b"<p>", "The server answered 500 Internal Server Error."),
        (304, "text/html", b"", "The server answered 304 Not Modified."),
        (200, "image/png", b"\x89PNG", "The server sent image/png, not HTML."),
        (200, "text/html", b"\x89PNG\r\n", "The server sent something that is not HTML."),
        (200, "text/html", b'{"log": {"version": "1.2"}}', "The server sent HAR, not HTML."),
    ],
)
def test_what_is_no_page_fails(
    server: Any, status: int, content_type: str, sent: bytes, message: str
) -> None:
    assert error(server.add("/", sent, status, content_type=content_type)) == message


def test_damaged_compression(server: Any) -> None:
    url = server.add("/", gzip.compress(b"<p>" * 100)[:-20], content_encoding="gzip")
    assert error(url) == "The body ends in the middle of its gzip data."
    url = server.add("/odd", b"<p>", content_encoding="rot13")
    assert error(url) == "The body is compressed as 'rot13', which is not supported."


@pytest.mark.parametrize(
    "url",
    [
        "http://",
        "http://[::1",
        "http://exa mple/",
        "http://a:99999/",
        "http://" + "a" * 70 + "/",
        "http://\udc80/",
        "HTTP:///x",
    ],
)
def test_strings_that_are_no_addresses_are_errors(url: str) -> None:
    assert error(url) in ("This is not a valid address.", "The server cannot be reached.")


def test_answers_that_are_no_http_fail(server: Any) -> None:
    server.pages["/"] = lambda request: request.wfile.write(b"SSH-2.0-OpenSSH\r\n" * 10)
    assert error(server.url + "/") == "The connection broke before the answer was complete."


def test_one_failure_does_not_stop_the_others(server: Any, closed_port: int) -> None:
    good = server.add("/", b"<p>")
    found = list(fetch([good, f"http://127.0.0.1:{closed_port}/", good], Limits()))
    assert [type(item) for item in found] == [Source, Failure, Source]
