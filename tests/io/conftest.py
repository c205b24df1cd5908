"""Archives made for the tests, and a small web server."""

from __future__ import annotations

import gzip
import zipfile
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from pathlib import Path

Record = Callable[..., bytes]
Answer = Callable[[BaseHTTPRequestHandler], None]
HTML = "Content-Type: text/html; charset=utf-8\r\n"


@pytest.fixture
def record() -> Record:
    """Make one WARC response record."""

    def make(
        uri: str, body: bytes, headers: str = HTML, status: str = "200 OK", length: object = None
    ) -> bytes:
        http = f"HTTP/1.1 {status}\r\n{headers}\r\n".encode() + body
        head = (
            f"WARC/1.0\r\nWARC-Type: response\r\nWARC-Target-URI: {uri}\r\n"
            "WARC-Date: 2020-01-01T00:00:00Z\r\n"
            "WARC-Record-ID: <urn:uuid:00000000-0000-0000-0000-000000000000>\r\n"
            "Content-Type: application/http; msgtype=response\r\n"
            f"Content-Length: {len(http) if length is None else length}\r\n\r\n"
        )
        return head.encode() + http + b"\r\n\r\n"

    return make


@pytest.fixture
def warc(tmp_path: Path) -> Callable[..., Path]:
    """Write records to a WARC, each compressed separately if the name ends with .gz."""

    def make(*records: bytes, name: str = "crawl.warc.gz") -> Path:
        pack = gzip.compress if name.endswith(".gz") else bytes
        path = tmp_path / name
        path.write_bytes(b"".join(map(pack, records)))
        return path

    return make


@pytest.fixture
def make_zip(tmp_path: Path) -> Callable[..., Path]:
    """Write a zip archive from names and contents."""

    def make(members: dict[str, str | bytes], name: str = "site.zip") -> Path:
        path = tmp_path / name
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            for member, content in members.items():
                archive.writestr(member, content)
        return path

    return make


class Server:
    """A web server on this machine; ``pages`` maps paths to what answers them, until it is ``released``."""

    def __init__(self) -> None:
        self.pages: dict[str, Answer] = {}
        self.agents: list[str | None] = []
        self.released = Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                server.agents.append(self.headers["User-Agent"])
                server.pages[self.path](self)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign] - clients leave on purpose
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def add(self, path: str, body: bytes, status: int = 200, **headers: str) -> str:
        """Answer a path with a body; ``content_type="text/html"`` sets a header."""
        headers.setdefault("content_type", "text/html")

        def answer(request: BaseHTTPRequestHandler) -> None:
            request.send_response(status)
            for name, value in headers.items():
                request.send_header(name.replace("_", "-"), value)
            request.end_headers()
            request.wfile.write(body)

        self.pages[path] = answer
        return self.url + path


@pytest.fixture
def server() -> Iterator[Server]:
    yield from _run()


@pytest.fixture
def other() -> Iterator[Server]:
    """A second server."""
    yield from _run()


def _run() -> Iterator[Server]:
    running = Server()
    thread = Thread(target=running.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.released.set()
    running.http.shutdown()
    running.http.server_close()
    thread.join()
