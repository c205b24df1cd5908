"""The server of the labelling tool, for this machine and holders of the token only.

The risk are other pages in the same browser, which may send requests to any local port. So a request must
name the server's own address (a DNS name that resolves to 127.0.0.1 is refused) and contain the token, first
in the URL and then in a cookie that requests of other sites do not carry. Requests that write must come from
the tool's own page. Labelled pages never run: the tool shows a screenshot and their texts.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import sys
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from string import Template
from typing import Any
from urllib.parse import parse_qs, urlsplit

from webgrain.errors import InputError, PageError, ParameterError, WebgrainError
from webgrain.labeling.app import App
from webgrain.labeling.pages import ConflictError

HOST = "127.0.0.1"
MAX_BODY = 2**20
"""Most bytes of a request."""

_SCRIPTS = ["label", "hand", "marks", "draw", "panel", "pages", "compare", "saver", "review"]
_ASSETS = {
    "/label.css": ("label.css", "text/css; charset=utf-8"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in _SCRIPTS},
}
_PAGE = re.compile(r"/pages/(\d{1,9})(?:/(picture|suggestion|agreement))?")
_NOTHING = "This address does not exist."
_HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
        "base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'"
    ),
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cache-Control": "no-store",
}


class LabelServer(ThreadingHTTPServer):
    """Serves an app on 127.0.0.1; port 0 selects a free port. Raises `InputError` if it cannot listen."""

    daemon_threads = True

    def __init__(self, app: App, port: int = 0) -> None:
        self.app = app
        self.token = secrets.token_urlsafe(32)
        try:
            super().__init__((HOST, port), _Handler)
        except (OSError, OverflowError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"The port {port} cannot be used: {reason}.") from error

    @property
    def url(self) -> str:
        """URL of the tool, with the token."""
        return f"http://{HOST}:{self.server_port}/?token={self.token}"

    def server_bind(self) -> None:
        """Bind without resolving the host name, which may use the network."""
        self.socket.bind(self.server_address)
        self.server_address = self.socket.getsockname()
        self.server_name, self.server_port = HOST, self.server_address[1]

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that disconnect before the answer."""
        if not isinstance(sys.exception(), (ConnectionError, TimeoutError)):
            super().handle_error(request, client_address)


class _RefusedError(Exception):
    """A refused request: status and one sentence."""

    def __init__(self, status: HTTPStatus, reason: str) -> None:
        super().__init__(reason)
        self.status = status


class _Handler(BaseHTTPRequestHandler):
    server: LabelServer
    server_version, sys_version = "webgrain", ""
    timeout = 30  # seconds that a client may keep a thread waiting

    def do_GET(self) -> None:
        """Answer with a file of the tool, a page, a picture, a suggestion or an agreement."""
        self._answer(self._get)

    def do_PUT(self) -> None:
        """Save the marks of a page."""
        self._answer(self._put)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Write no log: the terminal is for errors."""

    def _answer(self, work: Any) -> None:
        try:
            self._check()
            status, (kind, body) = HTTPStatus.OK, work()
        except Exception as error:
            status, (kind, body) = _status(error), _json({"error": str(error)})
            if status is HTTPStatus.INTERNAL_SERVER_ERROR:
                print(f"webgrain: label: {type(error).__name__}: {error}", file=sys.stderr)
        self._send(status, kind, body)

    def _check(self) -> None:
        """Refuse requests that do not come from the tool's own page."""
        port = self.server.server_port
        hosts = (f"{HOST}:{port}", f"localhost:{port}")
        if self.headers.get("Host") not in hosts:
            raise _RefusedError(HTTPStatus.FORBIDDEN, "The request names another host.")
        origin = self.headers.get("Origin")
        if (origin is not None or self.command != "GET") and origin != f"http://{self.headers['Host']}":
            raise _RefusedError(HTTPStatus.FORBIDDEN, "The request comes from another page.")
        expected = self.server.token.encode()
        if not any(hmac.compare_digest(token.encode(), expected) for token in self._tokens()):
            raise _RefusedError(
                HTTPStatus.FORBIDDEN, "The token is missing or wrong: open the address that was printed."
            )

    def _tokens(self) -> list[str]:
        """Return the tokens of the request, in the URL or in the cookie."""
        try:
            cookie = SimpleCookie(self.headers.get("Cookie", "")).get(self._cookie)
        except CookieError:
            cookie = None
        given = parse_qs(urlsplit(self.path).query).get("token", []) if self.command == "GET" else []
        return given + ([cookie.value] if cookie else [])

    @property
    def _cookie(self) -> str:
        return f"webgrain-{self.server.server_port}"  # cookies ignore ports

    def _get(self) -> tuple[str, bytes]:
        path, app = urlsplit(self.path).path, self.server.app
        if path == "/":
            head = Template(_asset("head.html").decode()).substitute(title=app.title, window=app.window)
            return "text/html; charset=utf-8", head.encode() + _asset(f"{app.window}.html")
        if path in _ASSETS:
            name, kind = _ASSETS[path]
            return kind, _asset(name)
        if path in app.answers():
            return _json(app.answers()[path]())
        number, what = self._page(path)
        if what == "picture":
            return "image/png", app.picture(number)
        if what not in app.page_answers():
            raise _RefusedError(HTTPStatus.NOT_FOUND, _NOTHING)
        return _json(app.page_answers()[what](number))

    def _put(self) -> tuple[str, bytes]:
        number, what = self._page(urlsplit(self.path).path)
        if what is not None:
            raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "Only the marks of a page can be written.")
        try:
            record = json.loads(self._body())
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request is not JSON.") from None
        return _json(self.server.app.save(number, record))

    def _page(self, path: str) -> tuple[int, str | None]:
        found = _PAGE.fullmatch(path)
        if not found or int(found[1]) >= len(self.server.app):
            raise _RefusedError(HTTPStatus.NOT_FOUND, _NOTHING)
        return int(found[1]), found[2]

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,18}", length):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "The request has no content length.")
        if int(length) > MAX_BODY:
            raise _RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The request has more than {MAX_BODY:,} bytes."
            )
        return self.rfile.read(int(length))

    def _send(self, status: HTTPStatus, kind: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {**_HEADERS, "Content-Type": kind, "Content-Length": str(len(body))}.items():
            self.send_header(name, value)
        if status is HTTPStatus.OK and self.command == "GET":
            cookie = f"{self._cookie}={self.server.token}; Path=/; HttpOnly; SameSite=Strict"
            self.send_header("Set-Cookie", cookie)
        self.end_headers()
        self.wfile.write(body)


def _status(error: Exception) -> HTTPStatus:
    if isinstance(error, _RefusedError):
        return error.status
    known = {
        ConflictError: HTTPStatus.CONFLICT,
        PageError: HTTPStatus.UNPROCESSABLE_ENTITY,
        ParameterError: HTTPStatus.BAD_REQUEST,
        WebgrainError: HTTPStatus.SERVICE_UNAVAILABLE,
    }
    for kind, status in known.items():
        if isinstance(error, kind):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _asset(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


def _json(record: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(record).encode()
