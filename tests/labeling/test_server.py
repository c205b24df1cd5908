from __future__ import annotations

import http.client
import json
import socket
from typing import TYPE_CHECKING, Any

import pytest
from tests.labeling.conftest import PNG, NoBrowser

from webgrain.base.errors import InputError, ParameterError
from webgrain.labeling.app import MAX_BODY, LabelApp, LabelServer

if TYPE_CHECKING:
    from pathlib import Path

    from tests.labeling.conftest import Client

    from webgrain.page.page import Page, Source

MARK = {"parts": [1], "role": "menu", "lost": [], "paths": []}
TITLE = {"parts": [5], "name": "title"}  # parts: html, ul, li, li, main, h1, p, p
EVERYTHING = ["/", "/label.js", "/pages", "/pages/0", "/pages/0/picture", "/pages/0/suggestion", "/agreement"]


@pytest.mark.parametrize("path", EVERYTHING)
def test_nothing_is_given_without_the_token(client: Client, path: str) -> None:
    assert client("GET", path).status == 200
    for cookie in (None, "webgrain=", f"webgrain-{client.server.server_port}=wrong", "=;==", "a" * 5000):
        answer = client("GET", path, cookie=cookie)
        assert answer.status == 403
        assert client.server.token not in str(answer)
    assert client("GET", f"{path}?token=wrong", cookie=None).status == 403


def test_the_token_of_the_address_becomes_a_cookie_that_no_other_site_sends(client: Client) -> None:
    answer = client("GET", f"/?token={client.server.token}", cookie=None)
    assert answer.status == 200
    cookie = answer.headers["set-cookie"]
    assert cookie.startswith(f"webgrain-{client.server.server_port}={client.server.token};")
    assert {"HttpOnly", "SameSite=Strict"} <= {part.strip() for part in cookie.split(";")}


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:{port}", "127.0.0.1", "127.0.0.1:1", "", None]
)
def test_a_request_to_another_name_is_refused(client: Client, host: str | None) -> None:
    named = host.format(port=client.server.server_port) if host else host
    assert client("GET", "/pages", host=named).status == 403


@pytest.mark.parametrize(
    "origin", [None, "null", "http://evil.example", "https://{host}", "http://127.0.0.1:1"]
)
def test_only_the_tool_itself_may_write(client: Client, folder: Path, origin: str | None) -> None:
    sent = origin.format(host=client.host) if origin else origin
    answer = client("PUT", "/pages/0", {"segments": [MARK], "revision": 0}, origin=sent)
    assert answer.status == 403
    assert not list(folder.glob("labels-*"))


def test_another_page_may_not_even_read(client: Client) -> None:
    assert client("GET", "/pages", origin="http://evil.example").status == 403


def test_the_token_of_an_address_does_not_allow_to_write(client: Client) -> None:
    path = f"/pages/0?token={client.server.token}"
    assert client("PUT", path, {"segments": [], "revision": 0}, cookie=None).status == 403


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd", "/..%2f..%2fetc/passwd", "//etc/passwd", "/label.py", "/server.py", "/app.py",
        "/pages/..", "/pages/-1", "/pages/3", "/pages/999999999", "/pages/9999999999999", "/pages/0/",
        "/pages/0/../1", "/pages/0/source", "/pages/0x1", "/pages/%D9%A1", "/a.html",
        "/labels-kim.jsonl", "*",
    ],
)  # fmt: skip
def test_there_is_no_other_path(client: Client, path: str) -> None:
    assert client("GET", path).status == 404


@pytest.mark.parametrize("method", ["POST", "DELETE", "OPTIONS", "HEAD", "PATCH"])
def test_other_methods_are_not_there(client: Client, method: str) -> None:
    assert client(method, "/pages/0").status == 501


def test_only_marks_can_be_written(client: Client) -> None:
    assert client("PUT", "/pages/0/picture", {}).status == 405
    assert client("PUT", "/pages", {}).status == 404


def test_a_huge_request_is_refused_unread(client: Client) -> None:
    answer = client("PUT", "/pages/0", content_length=MAX_BODY + 1)
    assert answer.status == 413
    assert client("PUT", "/pages/0", content_length=10**17).status == 413


@pytest.mark.parametrize("length", ["-1", "many", "1_0", "", "9" * 30, None])
def test_a_request_must_have_a_length(client: Client, length: str | None) -> None:
    assert client("PUT", "/pages/0", b"{}", content_length=length).status == 411


@pytest.mark.parametrize("body", [b"", b"{", b"\xff", b"[" * 100_000, b'{"segments": [NaN'])
def test_what_is_no_json_is_refused(client: Client, body: bytes) -> None:
    answer = client("PUT", "/pages/0", body)
    assert answer.status == 400
    assert "JSON" in answer.record["error"]


@pytest.mark.parametrize(
    "record",
    [
        *([], 1, "text", None, {}),
        *({"segments": []}, {"segments": [], "revision": True}, {"segments": [], "revision": "0"}),
        *({"revision": 0}, {"segments": [{"parts": [99]}], "revision": 0}),
    ],
)
def test_json_that_is_no_marks_is_refused(client: Client, folder: Path, record: object) -> None:
    answer = client("PUT", "/pages/0", json.dumps(record).encode())
    assert answer.status == 400
    assert answer.record["error"].startswith("Expected")
    assert not list(folder.glob("labels-*"))


def test_every_answer_forbids_what_the_tool_does_not_need(client: Client) -> None:
    for answer in (client("GET", "/"), client("GET", "/nothing"), client("GET", "/pages/0/picture")):
        assert answer.headers["content-security-policy"].startswith("default-src 'none'; script-src 'self';")
        assert answer.headers["x-content-type-options"] == "nosniff"
        assert answer.headers["referrer-policy"] == "no-referrer"
        assert answer.headers["cache-control"] == "no-store"


def test_marks_are_saved_and_given_again(client: Client, folder: Path) -> None:
    assert client("GET", "/pages/0").record["segments"] == []
    answer = client("PUT", "/pages/0", {"segments": [MARK], "revision": 0})
    assert (answer.status, answer.record) == (200, {"revision": 1})
    again = client("GET", "/pages/0").record
    assert (again["segments"], again["revision"]) == ([MARK], 1)
    record = json.loads((folder / "labels-kim.jsonl").read_text("utf-8"))
    assert record["segments"] == [{"xpath": ["/html[1]/body[1]/ul[1]"], "role": "menu"}]


def test_a_change_of_one_layer_keeps_the_other(client: Client, folder: Path) -> None:
    content = {"marks": [TITLE], "kind": "article", "absent": ["date"]}
    assert client("GET", "/pages/0").record["content"] == {"marks": [], "kind": None, "absent": []}
    assert client("PUT", "/pages/0", {"segments": [MARK], "revision": 0}).status == 200
    assert client("PUT", "/pages/0", {"content": content, "revision": 1}).record == {"revision": 2}
    assert client("PUT", "/pages/0", {"segments": [], "revision": 2}).status == 200
    shown = client("GET", "/pages/0").record
    assert shown["segments"] == []
    assert shown["content"]["marks"][0]["parts"] == TITLE["parts"]
    page = client("GET", "/pages").record["pages"][0]
    assert (page["segments"], page["marks"]) == (0, 1)
    record = json.loads((folder / "labels-kim.jsonl").read_text("utf-8"))
    assert record == {
        "page": "a.html",
        "annotator": "kim",
        "kind": "article",
        "segments": [],
        "content": [{"name": "title", "xpath": ["/html[1]/body[1]/main[1]/h1[1]"]}],
        "absent": ["date"],
    }
    assert client("PUT", "/pages/0", {"content": content, "revision": 2}).status == 409


def test_content_that_is_invalid_is_refused(client: Client, folder: Path) -> None:
    for mark in (TITLE | {"name": "headline"}, TITLE | {"span": [2, 1]}, TITLE | {"parts": []}):
        answer = client("PUT", "/pages/0", {"content": {"marks": [mark]}, "segments": [MARK], "revision": 0})
        assert answer.status == 400
        assert answer.record["error"].startswith("Expected")
    assert not list(folder.glob("labels-*"))


def test_the_text_of_a_place(client: Client, folder: Path) -> None:
    assert client("PUT", "/pages/0/text", {"parts": [5]}).record == {"text": "Welcome"}
    assert client("PUT", "/pages/0/text", {"parts": [99]}).status == 400
    assert client("PUT", "/pages/1/text", {"parts": [0]}).status == 422
    assert client("PUT", "/pages/0/text", {"parts": [5]}, origin="http://evil.example").status == 403
    assert client("GET", "/pages/0/text").status == 404
    assert not list(folder.glob("labels-*"))


def test_two_windows_do_not_overwrite_each_other(client: Client) -> None:
    assert client("PUT", "/pages/0", {"segments": [MARK], "revision": 0}).status == 200
    answer = client("PUT", "/pages/0", {"segments": [], "revision": 0})
    assert answer.status == 409
    assert "another window" in answer.record["error"]
    assert client("GET", "/pages/0").record["segments"] == [MARK]


def test_the_overview_names_the_pages_and_where_to_begin(client: Client) -> None:
    record = client("GET", "/pages").record
    assert [page["page"] for page in record["pages"]] == ["a.html", "empty.html", "news/b.html"]
    assert record["annotator"] == "kim"
    assert record["start"] == 0
    client("PUT", "/pages/2", {"segments": [MARK], "revision": 0})
    again = client("GET", "/pages").record
    assert again["start"] == 2
    assert again["pages"][2]["segments"] == 1


def test_the_picture_is_the_screenshot(client: Client) -> None:
    answer = client("GET", "/pages/0/picture")
    assert (answer.headers["content-type"], answer.body) == ("image/png", PNG)


def test_a_page_that_cannot_be_shown_has_a_reason(client: Client, folder: Path) -> None:
    answer = client("GET", "/pages/1")
    assert answer.status == 422
    assert answer.record["error"] == "page: nothing is visible on the page."
    assert client("PUT", "/pages/1", {"segments": [], "revision": 0}).status == 422
    assert client("GET", "/pages").record["pages"][1]["failure"] == "nothing is visible on the page."
    (folder / "news" / "b.html").unlink()
    assert "no longer exists" in client("GET", "/pages/2").record["error"]


def test_a_suggestion_covers_the_page(client: Client) -> None:
    view, found = client("GET", "/pages/0").record, client("GET", "/pages/0/suggestion").record["segments"]
    spans = [range(view["first"][part], view["last"][part]) for mark in found for part in mark["parts"]]
    assert sorted(leaf for span in spans for leaf in span) == list(range(len(view["text"])))
    assert {mark["role"] for mark in found} <= set(client("GET", "/pages").record["roles"])


def test_the_agreement_of_two_annotators(client: Client, folder: Path) -> None:
    assert client("GET", "/agreement").record == {"pages": []}
    client("PUT", "/pages/0", {"segments": [MARK], "revision": 0})
    other = (folder / "labels-kim.jsonl").read_text("utf-8").replace("kim", "lee")
    (folder / "labels-lee.jsonl").write_text(other, encoding="utf-8")
    assert client("GET", "/agreement").record == {"pages": [0]}
    [pair] = client("GET", "/pages/0/agreement").record["pairs"]
    assert pair == {"a": "kim", "b": "lee", "leaves": 2, "ari": 1.0, "b_cubed": 1.0}
    (folder / "labels-lee.jsonl").write_text("{", encoding="utf-8")
    answer = client("GET", "/agreement")
    assert answer.status == 503
    assert "labels-lee.jsonl, line 1" in answer.record["error"]


def test_a_bug_is_reported_in_one_line(
    client: Client, app: LabelApp, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(app, "overview", lambda: 1 / 0)
    assert client("GET", "/pages").status == 500
    assert capsys.readouterr().err == "webgrain: label: ZeroDivisionError: division by zero\n"


@pytest.mark.parametrize("gone", [BrokenPipeError, ConnectionResetError, TimeoutError])
def test_a_client_that_disconnects_is_no_error(
    client: Client, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], gone: type[OSError]
) -> None:
    def send(*_: object) -> None:
        raise gone

    with monkeypatch.context() as patch:
        patch.setattr("webgrain.labeling.app._Handler._send", send)
        with pytest.raises(http.client.BadStatusLine):
            client("GET", "/pages", cookie=None)
    assert client("GET", "/pages").status == 200  # and the tool goes on
    assert capsys.readouterr().err == ""


def test_it_listens_on_this_machine_only(client: Client) -> None:
    assert client.server.socket.getsockname()[0] == "127.0.0.1"


def test_a_port_in_use_is_an_error(app: LabelApp) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        with pytest.raises(InputError, match=r"port \d+ cannot be used"):
            LabelServer(app, other.getsockname()[1])


def test_a_root_gives_access_to_style_sheets_outside_of_the_folder(tmp_path: Path) -> None:
    (tmp_path / "css").mkdir()
    (tmp_path / "css" / "main.css").write_text("p { display: none }")
    (tmp_path / "news").mkdir()
    (tmp_path / "news" / "a.html").write_text(
        '<link rel="stylesheet" href="/css/main.css"><p>Hidden<div>Shown'
    )

    class Reader(NoBrowser):
        def render(self, source: Source, screenshot: bool = False) -> Page:
            assert source.assets is not None
            found.append((source.path, source.assets.read("css/main.css")))
            return super().render(source, screenshot)

    found: list[Any] = []
    for root in (None, tmp_path):
        with LabelApp(tmp_path / "news", "kim", Reader(), root) as app:  # type: ignore[arg-type]
            assert app.page(0)["page"] == "a.html"
    assert found == [("a.html", None), ("news/a.html", b"p { display: none }")]
    with pytest.raises(ParameterError, match="must be a folder that contains"):
        LabelApp(tmp_path / "news", "kim", Reader(), tmp_path / "css")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "line",
    [
        b"GET http://[ HTTP/1.1", b"GET /pages HTTP/x", b"GET /pages HTTP/1.1 more",
        b"GET", b"PUT /pages/0", b"\x16\x03\x01\x02\x00\x01", b"GET /pages HTTP/-1.1", b"\xff\xfe \x00",
    ],
)  # fmt: skip
def test_a_malformed_request_line_is_a_bad_request(
    client: Client, line: bytes, capsys: pytest.CaptureFixture[str]
) -> None:
    port = client.server.server_port
    cookie = f"webgrain-{port}={client.server.token}"
    request = line + f"\r\nHost: 127.0.0.1:{port}\r\nCookie: {cookie}\r\n\r\n".encode()
    with socket.create_connection(("127.0.0.1", port), timeout=10) as connection:
        connection.sendall(request)
        connection.shutdown(socket.SHUT_WR)
        answer = b"".join(iter(lambda: connection.recv(4096), b""))
    assert b" 400 " in answer.partition(b"\r\n")[0] or b"400" in answer.partition(b"<title>")[2]
    assert client("GET", "/pages").status == 200
    assert capsys.readouterr().err == ""
