"""A folder of pages and the tool's server on it, with made-up views in place of a browser."""

from __future__ import annotations

import http.client
import json
import threading
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import pytest
from tests.views import with_lines

from webgrain.labeling.app import LabelApp, LabelServer
from webgrain.labeling.pages import PageView, page_view
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PNG = b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\x0a\0\0\0\x14"


class NoBrowser:
    """Makes views without a browser; the picture is no more than a header."""

    def render(self, source: Source, screenshot: bool = False) -> Page:
        page = parse(source)
        return replace(with_lines(page), screenshot=PNG if screenshot else None)


@dataclass(frozen=True)
class Answer:
    """The output of the server."""

    status: int
    headers: dict[str, str]
    body: bytes

    @property
    def record(self) -> Any:
        return json.loads(self.body)


class Client:
    """Sends requests as the tool's page does; ``headers`` of None leave one out."""

    def __init__(self, server: LabelServer) -> None:
        self.server = server
        self.host = f"127.0.0.1:{server.server_port}"

    def __call__(self, method: str, path: str, body: object = None, /, **headers: str | int | None) -> Answer:
        cookie = f"webgrain-{self.server.server_port}={self.server.token}"
        usual = {
            "host": self.host,
            "cookie": cookie,
            "origin": None if method == "GET" else f"http://{self.host}",
        }
        data = body if isinstance(body, bytes) else None if body is None else json.dumps(body).encode()
        if data is not None:
            usual["content-length"] = str(len(data))
        sent = usual | {name.replace("_", "-"): value for name, value in headers.items()}
        connection = http.client.HTTPConnection("127.0.0.1", self.server.server_port, timeout=60)
        try:
            connection.putrequest(method, path, skip_host=True)
            for name, value in sent.items():
                if value is not None:
                    connection.putheader(name, str(value))
            connection.endheaders(data)
            answer = connection.getresponse()
            return Answer(answer.status, {k.lower(): v for k, v in answer.getheaders()}, answer.read())
        finally:
            connection.close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with two pages, one on which nothing is visible, and a file that is no page."""
    site = tmp_path / "site"
    (site / "news").mkdir(parents=True)
    (site / "a.html").write_text(
        "<!doctype html><ul><li>Home<li>News</ul><main><h1>Welcome</h1><p>First<p>Second</main>",
        encoding="utf-8",
    )
    (site / "empty.html").write_text("<!doctype html><title>Nothing</title>", encoding="utf-8")
    (site / "news" / "b.html").write_text("<!doctype html><p>One<p>Two", encoding="utf-8")
    (site / "style.css").write_text("p {}", encoding="utf-8")
    return site


@contextmanager
def running(server: LabelServer) -> Iterator[None]:
    """Let a server answer in a thread."""
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield
    finally:
        server.shutdown()
        thread.join()


@pytest.fixture
def app(folder: Path) -> Iterator[LabelApp]:
    with LabelApp(folder, "kim", NoBrowser()) as app:  # type: ignore[arg-type]
        yield app


@pytest.fixture
def client(app: LabelApp) -> Iterator[Client]:
    with LabelServer(app) as server, running(server):
        yield Client(server)


def view_of(html: str) -> PageView:
    """PageView of a page by its markup."""
    page = parse(Source("a.html", html.encode()))
    return page_view(with_lines(page))
