"""A web server that does what servers should not, and crawls of it."""

from __future__ import annotations

from collections import Counter
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, NamedTuple

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Reply(NamedTuple):
    """What is answered to a path."""

    body: bytes = b""
    status: int = 200
    headers: tuple[tuple[str, str], ...] = (("Content-Type", "text/html"),)


class Site:
    """A site on this machine. ``pages`` maps paths to replies, or to what makes one of a request."""

    def __init__(self) -> None:
        self.pages: dict[str, Any] = {}
        self.asked: list[tuple[float, str]] = []
        self.agents: set[str | None] = set()
        self.released = Event()
        site = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                site.asked.append((monotonic(), self.path))
                site.agents.add(self.headers["User-Agent"])
                reply = site.pages.get(self.path) or site.pages.get("*") or Reply(b"none", 404)
                reply = Reply(*(reply(self) if callable(reply) else reply))
                self.send_response(reply.status)
                for name, value in reply.headers:
                    self.send_header(name, value)
                if "Content-Length" not in dict(reply.headers):
                    self.send_header("Content-Length", str(len(reply.body)))
                self.end_headers()
                self.wfile.write(reply.body)

            def log_message(self, *_: object) -> None:
                pass

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.http.daemon_threads = True
        self.http.handle_error = lambda *_: None  # type: ignore[method-assign] - clients leave on purpose
        self.url = f"http://127.0.0.1:{self.http.server_port}"

    def add(self, path: str, *links: str, text: str = "") -> str:
        """Add a page that links to others."""
        anchors = "".join(f'<a href="{link}">{link}</a> ' for link in links)
        self.pages[path] = Reply(f"<!doctype html><title>{path}</title><p>{text}{anchors}".encode())
        return self.url + path

    def paths(self) -> list[str]:
        """The requests, in order."""
        return [path for _, path in self.asked]

    def times(self) -> Counter[str]:
        """Number of requests of each path."""
        return Counter(path for _, path in self.asked)


@pytest.fixture(autouse=True)
def ready(forked: None) -> None:
    """All crawls are forked; the tests of ``webgrain crawl`` start them as users do."""


@pytest.fixture
def new_site() -> Iterator[Callable[[], Site]]:
    """Makes sites, each with its own host."""
    with ExitStack() as running:
        yield lambda: running.enter_context(_run())


@pytest.fixture
def site(new_site: Callable[[], Site]) -> Site:
    """A separate site for each test."""
    return new_site()


@contextmanager
def _run() -> Iterator[Site]:
    running = Site()
    thread = Thread(target=running.http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield running
    running.released.set()
    running.http.shutdown()
    running.http.server_close()
    thread.join()
