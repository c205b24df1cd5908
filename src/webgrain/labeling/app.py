"""The apps of the labelling tool: their base class, the app in which people label segments, and their server.

The agreement compares the innermost segments over the leaves that at least one of the two annotators has
labelled; a leaf that the other one has not labelled counts as a separate segment.

The server is for this machine and holders of the token only. The risk are other pages in the same browser,
which may send requests to any local port. So a request must name the server's own address (a DNS name that
resolves to 127.0.0.1 is refused) and contain the token, first in the URL and then in a cookie that requests
of other sites do not carry. Requests that write must come from the tool's own page. Labelled pages never run:
the tool shows a screenshot and their texts.
"""

from __future__ import annotations

import hmac
import json
import re
import secrets
import sys
import threading
from abc import ABC, abstractmethod
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from http.cookies import CookieError, SimpleCookie
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from itertools import combinations
from pathlib import Path
from string import Template
from types import TracebackType
from typing import Any, NoReturn, Self
from urllib.parse import SplitResult, parse_qs, urlsplit

from webgrain.base.arrays import Int32
from webgrain.base.errors import InputError, PageError, ParameterError, ReadError, WebgrainError
from webgrain.base.failures import Failure
from webgrain.base.metrics import ari, b_cubed, separate
from webgrain.engines.guard import run_step
from webgrain.io.labels import LabelledSegment, truth_of
from webgrain.io.local import is_inside, site_files
from webgrain.io.read import read
from webgrain.labeling.content import choices, content_marks, place_text, with_content
from webgrain.labeling.pages import (
    ConflictError,
    LabelStore,
    PageLabels,
    PageView,
    WorkFile,
    everyone,
    marks_of,
    page_view,
    segments_of,
)
from webgrain.page.page import Page, Source
from webgrain.page.segmentation import segments
from webgrain.rendering.chromium import Chromium
from webgrain.segmentation.segmenter import segmenter

KEPT = 12
"""Rendered pages that stay in memory, with their pictures."""

HOST = "127.0.0.1"
MAX_BODY = 2**20
"""Most bytes of a request."""

_SCRIPTS = [
    "label", "hand", "marks", "content", "draw", "panel", "details", "pages", "compare", "saver", "review",
]  # fmt: skip
_ASSETS = {
    "/label.css": ("label.css", "text/css; charset=utf-8"),
    **{f"/{name}.js": (f"{name}.js", "text/javascript; charset=utf-8") for name in _SCRIPTS},
}
_PAGE = re.compile(r"/pages/(\d{1,9})(?:/(picture|suggestion|agreement|text))?")
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


class App(ABC):
    """An app: numbered pages, and the answers to the requests of the server. Thread-safe.

    browser: renders the pages, one after the other in a thread; it must be open. root: folder of the site,
    which has ``folder`` in it and the style sheets of its pages; None: ``folder``. ``title``, ``window``: the
    title of its page, and the name of its HTML file and script. Raises `InputError` if ``folder`` is not a
    folder or contains no page, `ParameterError` if it is not in ``root``.
    """

    title: str
    window: str
    store: WorkFile[Any]

    def __init__(self, folder: Path, browser: Chromium, root: Path | None = None) -> None:
        if not folder.is_dir():
            raise InputError(f"{folder} is not a folder: name the folder that the pages are in.")
        self.folder = folder
        self._assets, self._prefix = site_files(folder, root)
        self._browser = browser
        self._failed: dict[str, str] = {}
        self._ids = self._list()
        self._thread = ThreadPoolExecutor(1, "webgrain-label")
        self._lock = threading.Lock()
        self._views: OrderedDict[str, Future[PageView | Failure]] = OrderedDict()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, error_type: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._thread.shutdown(cancel_futures=True)

    def __len__(self) -> int:
        return len(self._ids)

    def answers(self) -> dict[str, Callable[[], object]]:
        """Return the answers about all pages, by path."""
        return {"/pages": self.overview}

    def page_answers(self) -> dict[str | None, Callable[[int], object]]:
        """Return the answers about one page, by the last part of the path; None for the page itself."""
        return {None: self.page, "picture": self.picture}

    def page_questions(self) -> dict[str | None, Callable[[int, object], object]]:
        """Return the answers to records that the window sends, by the last part of the path; None: save."""
        return {None: self.save}

    @abstractmethod
    def page(self, number: int) -> dict[str, Any]:
        """Return a page and what is saved about it; raises `PageError` if it cannot be shown."""

    @abstractmethod
    def done(self, page: str) -> int:
        """Return the number of finished segments of a page."""

    @abstractmethod
    def save_marks(self, view: PageView, record: dict[str, Any], revision: int) -> int:
        """Save the record that the window sent for a page and return its new revision.

        Raises `ParameterError` for invalid records.
        """

    def save(self, number: int, record: object) -> dict[str, int]:
        """Save the record that the window sent for a page; raises `ParameterError` if it is invalid."""
        view = self.view(number)
        if not isinstance(record, dict) or type(record.get("revision")) is not int:
            raise ParameterError("Expected a record with marks and a revision.")
        return {"revision": self.save_marks(view, record, record["revision"])}

    def picture(self, number: int) -> bytes:
        """Return the screenshot of a page as a PNG; raises `PageError` if it cannot be shown."""
        return self.view(number).page.screenshot or b""

    def overview(self) -> dict[str, Any]:
        """Return the pages with their progress, and the first page to show: the one that was changed last."""
        pages = [
            {"page": page, "failure": self._failed.get(page), "segments": self.done(page)}
            for page in self._ids
        ]
        if self.store.last in self._ids:
            start = self._ids.index(self.store.last)
        else:
            start = next((k for k, page in enumerate(self._ids) if page not in self._failed), 0)
        return {"annotator": self.store.annotator, "pages": pages, "start": start}

    def _list(self) -> list[str]:
        """Return the ids of the pages; unreadable pages are recorded as failed."""
        ids = []
        for item in read([self.folder]):
            if isinstance(item, Failure):
                self._failed[item.page] = item.error
            elif not is_inside(item.id):
                self._failed[item.id] = "its name is not a valid path."
            ids.append(item.page if isinstance(item, Failure) else item.id)
        if not ids:
            raise InputError(f"There is no page in {self.folder}.")
        return ids

    def view(self, number: int) -> PageView:
        """Return the view of a page; raises `PageError` if it cannot be shown."""
        page = self._ids[number]
        with self._lock:
            waiting = self._views.pop(page, None) or self._thread.submit(self._render, page)
            self._views[page] = waiting
            while len(self._views) > KEPT:
                self._views.popitem(last=False)
        view = waiting.result()
        if isinstance(view, Failure):
            refuse(view)
        return view

    def _render(self, page: str) -> PageView | Failure:
        if page in self._failed:
            return Failure(page, ReadError.stage, self._failed[page])
        view = run_step(Source(page, b""), "render", self._lay_out)
        if isinstance(view, Failure):
            self._failed[page] = view.error
        return view

    def _lay_out(self, named: Source) -> PageView:
        path = self._prefix + named.id
        body = self._assets.read(path)
        if body is None:
            raise ReadError("the file no longer exists, or is too large.")
        source = Source(named.id, body, assets=self._assets, path=path)
        return page_view(self._browser.render(source, screenshot=True))


def refuse(failure: Failure) -> NoReturn:
    """Raise a `PageError` with the reason of a failure, for the window."""
    raise PageError(f"{failure.stage}: {failure.error}")


@dataclass(frozen=True, slots=True)
class Agreement:
    """The agreement of two annotators on one page.

    Attributes:
        a, b: names.
        leaves: number of leaves that at least one of them has labelled.
        ari: adjusted Rand index: 1 if they agree, on average 0 by chance.
        b_cubed: B-cubed F1, 0..1.
    """

    a: str
    b: str
    leaves: int
    ari: float
    b_cubed: float


def agreements(page: Page, labels: Mapping[str, Sequence[LabelledSegment]]) -> list[Agreement]:
    """Return the agreement of every two annotators of a page, ordered by name.

    >>> from webgrain.io.labels import LabelledSegment
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One<p>Two<p>Three"))
    >>> kim = [LabelledSegment(xpath=("/html[1]/body[1]/p[1]", "/html[1]/body[1]/p[2]"))]
    >>> lee = [LabelledSegment(xpath=("/html[1]/body[1]",))]
    >>> [(one.leaves, one.ari) for one in agreements(page, {"kim": kim, "lee": lee})]
    [(3, 0.0)]
    """
    fine = {name: truth_of(page, segments).fine for name, segments in sorted(labels.items())}
    return [_agreement(a, b, fine[a], fine[b]) for a, b in combinations(fine, 2)]


def _agreement(a: str, b: str, first: Int32, second: Int32) -> Agreement:
    labelled = (first >= 0) | (second >= 0)
    first, second = separate(first[labelled]), separate(second[labelled])
    return Agreement(a, b, len(first), ari(first, second), b_cubed(first, second).f1)


ROLE_KEYS = {
    "header": "h", "footer": "f", "menu": "m", "logo": "l", "searchbar": "s", "article": "a", "content": "c",
    "linklist": "k", "image": "i", "ad": "d", "sidebar": "b", "video": "v", "table": "t", "comments": "o",
    "author": "u", "title": "e", "breadcrumb": "1", "pagination": "2", "form": "3", "product": "4",
    "comment": "5", "toc": "6", "cookies": "7", "sharing": "8",
}  # fmt: skip
"""Roles of segments and their keys; names as in `webgrain.evaluation.datasets`."""


class LabelApp(App):
    """The app in which people label segments and content.

    browser, root: as in `App`. Raises `InputError` if ``folder`` is no folder, contains no page, or contains
    unreadable labels.
    """

    title, window = "Label pages", "label"

    def __init__(self, folder: Path, annotator: str, browser: Chromium, root: Path | None = None) -> None:
        super().__init__(folder, browser, root)
        self.store = LabelStore(folder, annotator)

    def answers(self) -> dict[str, Callable[[], object]]:
        """Return the answers about all pages, by path."""
        return super().answers() | {"/agreement": self.compared}

    def page_answers(self) -> dict[str | None, Callable[[int], object]]:
        """Return the answers about one page, by the last part of the path."""
        return super().page_answers() | {"suggestion": self.suggestion, "agreement": self.agreement}

    def page_questions(self) -> dict[str | None, Callable[[int, object], object]]:
        """Return the answers to records that the window sends, by the last part of the path."""
        return super().page_questions() | {"text": self.text}

    def overview(self) -> dict[str, Any]:
        """Return the pages, see `App.overview`, the roles and the names of content."""
        record = super().overview()
        for page in record["pages"]:
            page["marks"] = len(self._labels(page["page"]).content or ())
        return {**record, "roles": ROLE_KEYS, "content": choices()}

    def done(self, page: str) -> int:
        """Return the number of segments of a page."""
        return len(self._labels(page).segments)

    def page(self, number: int) -> dict[str, Any]:
        """Return a page and its marks; raises `PageError` if it cannot be shown."""
        view = self.view(number)
        labels = self._labels(view.page.id)
        return {
            **view.record(),
            "segments": marks_of(view, labels.segments),
            "content": content_marks(view, labels),
            "revision": self.store.revision(view.page.id),
        }

    def save_marks(self, view: PageView, record: dict[str, Any], revision: int) -> int:
        """Save the segments, the content or both of a page, see `App.save_marks`; the others are kept."""
        labels = self._labels(view.page.id)
        if "content" in record:
            labels = with_content(view, labels, record["content"])
        if "segments" in record or "content" not in record:
            labels = replace(labels, segments=segments_of(view, record.get("segments")))
        return self.store.save(view.page.id, labels, revision)

    def text(self, number: int, place: object) -> dict[str, str]:
        """Return the text of a place, in which spans count; raises `ParameterError` if it is invalid."""
        return {"text": place_text(self.view(number), place)}

    def suggestion(self, number: int) -> dict[str, Any]:
        """Return the segments and roles that webgrain finds on a page, as marks."""
        page = self.view(number).page
        cut = run_step(page, "segment", lambda page: segments(page, segmenter().predict(page)))
        if isinstance(cut, Failure):
            refuse(cut)
        part = self.view(number).part
        marks = [
            {"parts": part[list(segment.roots)].tolist(), "role": segment.role, "lost": [], "paths": []}
            for segment in cut
        ]
        return {"segments": marks}

    def compared(self) -> dict[str, list[int]]:
        """Return the pages that at least two annotators have labelled."""
        labels = everyone(self.folder)
        return {"pages": [k for k, page in enumerate(self._ids) if len(labels.get(page, ())) > 1]}

    def agreement(self, number: int) -> dict[str, Any]:
        """Return the agreement of every two annotators on a page."""
        view = self.view(number)
        pairs = agreements(view.page, everyone(self.folder).get(view.page.id, {}))
        return {"page": view.page.id, "pairs": [asdict(pair) for pair in pairs]}

    def _labels(self, page: str) -> PageLabels:
        return self.store.get(page) or PageLabels()


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
        """Save the marks of a page, or answer with the text of a place."""
        self._answer(self._put)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name in the base class
        """Write no log: the terminal is for errors."""

    def _answer(self, work: Any) -> None:
        try:
            self._check()
            status, (content_type, body) = HTTPStatus.OK, work()
        except Exception as error:
            status, (content_type, body) = _status(error), _json({"error": str(error)})
            if status is HTTPStatus.INTERNAL_SERVER_ERROR:
                print(f"webgrain: label: {type(error).__name__}: {error}", file=sys.stderr)
        self._send(status, content_type, body)

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
        given = parse_qs(self._target().query).get("token", []) if self.command == "GET" else []
        return given + ([cookie.value] if cookie else [])

    def _target(self) -> SplitResult:
        """Return the parts of the requested address."""
        try:
            return urlsplit(self.path)
        except ValueError:
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The address of the request is malformed.") from None

    @property
    def _cookie(self) -> str:
        return f"webgrain-{self.server.server_port}"  # cookies ignore ports

    def _get(self) -> tuple[str, bytes]:
        path, app = self._target().path, self.server.app
        if path == "/":
            head = Template(_asset("head.html").decode()).substitute(title=app.title, window=app.window)
            return "text/html; charset=utf-8", head.encode() + _asset(f"{app.window}.html")
        if path in _ASSETS:
            name, content_type = _ASSETS[path]
            return content_type, _asset(name)
        if path in app.answers():
            return _json(app.answers()[path]())
        number, what = self._page(path)
        if what not in app.page_answers():
            raise _RefusedError(HTTPStatus.NOT_FOUND, _NOTHING)
        answer = app.page_answers()[what](number)
        return ("image/png", answer) if isinstance(answer, bytes) else _json(answer)

    def _put(self) -> tuple[str, bytes]:
        number, what = self._page(self._target().path)
        answers = self.server.app.page_questions()
        if what not in answers:
            raise _RefusedError(HTTPStatus.METHOD_NOT_ALLOWED, "Only the marks of a page can be written.")
        try:
            record = json.loads(self._body())
        except (ValueError, RecursionError):
            raise _RefusedError(HTTPStatus.BAD_REQUEST, "The request is not JSON.") from None
        return _json(answers[what](number, record))

    def _page(self, path: str) -> tuple[int, str | None]:
        match = _PAGE.fullmatch(path)
        if not match or int(match[1]) >= len(self.server.app):
            raise _RefusedError(HTTPStatus.NOT_FOUND, _NOTHING)
        return int(match[1]), match[2]

    def _body(self) -> bytes:
        length = self.headers.get("Content-Length", "")
        if not re.fullmatch(r"[0-9]{1,18}", length):
            raise _RefusedError(HTTPStatus.LENGTH_REQUIRED, "The request has no content length.")
        if int(length) > MAX_BODY:
            raise _RefusedError(
                HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"The request has more than {MAX_BODY:,} bytes."
            )
        return self.rfile.read(int(length))

    def _send(self, status: HTTPStatus, content_type: str, body: bytes) -> None:
        self.send_response(status)
        for name, value in {
            **_HEADERS,
            "Content-Type": content_type,
            "Content-Length": str(len(body)),
        }.items():
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
    for error_type, status in known.items():
        if isinstance(error, error_type):
            return status
    return HTTPStatus.INTERNAL_SERVER_ERROR


def _asset(name: str) -> bytes:
    return files(__package__).joinpath(name).read_bytes()


def _json(record: object) -> tuple[str, bytes]:
    return "application/json", json.dumps(record).encode()
