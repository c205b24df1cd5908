from __future__ import annotations

from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

Webgrain = Callable[..., Any]


@pytest.fixture
def address() -> Iterator[str]:
    """A server whose every page links to a page and a missing one."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            self.send_response(200 if self.path in ("/", "/a") else 404)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(b"<h1>Page</h1><p>Some text.<a href=/a>a</a><a href=/missing>missing</a>")

        def log_message(self, *_: object) -> None:
            pass

    http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = Thread(target=http.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{http.server_port}/"
    http.shutdown()
    http.server_close()
    thread.join()


@pytest.mark.usefixtures("forked")
def test_crawl_with_state(webgrain: Webgrain, address: str, tmp_path: Path) -> None:
    archive, state = tmp_path / "site.warc.gz", tmp_path / "state.db"
    done = webgrain(
        "crawl", address, "-o", archive, "--delay", "0", "--allow-private", "--state", state, "--strict"
    )
    assert done.code == 1  # a page is missing
    assert [record.get("outcome", record.get("error")) for record in done.records] == [
        "stored",
        "stored",
        "The server answered 404 Not Found.",
    ]
    assert "2 stored, 1 failed" in done.err
    assert "is complete" in done.err
    pages = [record["page"] for record in webgrain("segment", archive, "--method", "cclus").records]
    assert pages == [address, address + "a"]
    assert {record["url"] for record in webgrain("crawl-state", "list", state).records} == set(pages)
    assert webgrain("crawl-state", "list", state, "--older-than", "1d").records == []
    assert "0 pages removed, 2 left" in webgrain("crawl-state", "drop", state, "--older-than", "1d").err
    assert "2 pages removed, 0 left" in webgrain("crawl-state", "drop", state, "--older-than", "0s").err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["crawl", "example.org", "-o", "a.warc.gz"], "A crawl expects URLs such as https://example.org/"),
        (["crawl", "http://example.org/", "-o", "a.zip"], "must end in .warc.gz"),
        (["crawl", "http://example.org/", "-o", "missing/a.warc.gz"], "The folder missing does not exist"),
        (["crawl", "http://example.org/", "-o", "a.warc.gz", "--time", "soon"], "Expected a duration"),
        (["crawl", "http://example.org/", "-o", "a.warc.gz", "--cookies", "no"], "no does not exist"),
        (["crawl-state", "list", "missing.db"], "The crawl state missing.db does not exist"),
        (["crawl-state", "drop", "missing.db", "--older-than", "-3d"], "Expected a duration"),
    ],
)
def test_wrong_input_gives_one_sentence(webgrain: Webgrain, arguments: list[str], message: str) -> None:
    done = webgrain(*arguments)
    assert (done.code, done.out) == (2, "")
    assert message in done.err
    assert len(done.err.splitlines()) == 1
