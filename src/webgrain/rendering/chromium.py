"""Rendering with Chromium: from a Source to a Page with the boxes and styles that the browser computes.

The bytes of a page are served to the browser from memory, as UTF-8, and the same text is parsed, so that
rendered nodes and parsed nodes are the same nodes. By default scripts do not run, and only the files beside
the page are loaded: the page has the address of a host that does not exist, and every request is intercepted
(`Served`). What is not intercepted, such as WebSockets, must pass a proxy in this process
(`Proxy`), because the browser is started so that it has no other way to the network. One
tab is used for all pages. A page that crashes or hangs is given up after ``timeout`` seconds, and the browser
is restarted for the next page.

To render on several cores, use one `Chromium` per process. As root, for example in a container, Chromium runs
with ``--no-sandbox``, because its sandbox does not work for root. The memory of the browser is not limited:
for hostile pages, set a limit for the whole process.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import mimetypes
import os
import shutil
import signal
import socket
import threading
from collections.abc import Coroutine
from dataclasses import dataclass, field, replace
from ipaddress import ip_address
from pathlib import Path
from tempfile import TemporaryDirectory
from types import TracebackType
from typing import Any, NamedTuple, Self, TypeVar
from urllib.parse import quote, urlsplit

from webgrain.base.errors import MissingExtraError, ParameterError, RenderError, WebgrainError, require
from webgrain.base.hosts import is_public
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import decode, parse
from webgrain.rendering import thresholds
from webgrain.rendering.boxes import STYLES, Snapshot, view_of
from webgrain.rendering.sheets import roots_above

T = TypeVar("T")

VARIABLE = "WEBGRAIN_BROWSER"
"""Environment variable with the path of the browser."""
NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "chromium-headless-shell", "chrome-headless-shell", "microsoft-edge",
)  # fmt: skip
"""Programs that are searched on PATH, in this order."""
_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)
_SWITCHES = [
    "--disable-gpu",
    "--mute-audio",
    "--blink-settings=lazyLoadEnabled=false",
    # All connections pass the proxy, also those to this machine; names are resolved by the proxy only.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1",
    "--dns-prefetch-disable",
    "--disable-quic",
    # WebRTC must not send UDP around the proxy. Chromium reads the first name, its headless shell the second.
    "--webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
]
_TYPES = {"stylesheet": "text/css", "script": "text/javascript"}
_REFUSED = "Unable to capture screenshot"
"""Message of a busy Chromium that has no frame to copy; a moment later the same screenshot succeeds."""
_SETTLE = """async () => {
    // A style sheet without a node: content that is laid out only after scrolling is laid out now.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets.push(sheet);
    await Promise.race([document.fonts.ready, new Promise(done => setTimeout(done, 1000))]);
    for (const animation of document.getAnimations()) {
        try { animation.finish() } catch { animation.cancel() }
    }
}"""


class Chromium:
    """A browser that renders pages one after the other; a context manager.

    Attributes:
        javascript: run the scripts of pages; the Dom is then the tree that the scripts leave behind.
        network: load files from public hosts over http and https, not only the files beside the page.
        timeout: seconds for one page; after half of it, an incomplete page is captured as it is.
        viewport: width and height of the window in CSS px.
        restart_after: number of pages after which the browser is restarted.

    ``executable`` is the path of the browser; by default, `find_browser` searches for one.

    >>> from webgrain.page.page import Source
    >>> with Chromium() as browser:
    ...     page = browser.render(Source("a", b"<body style='margin:0'><div style='width:50px;height:9px'>"))
    >>> page.dom.name(3), page.view.box[3].tolist()
    ('div', [0.0, 0.0, 50.0, 9.0])
    """

    def __init__(
        self,
        *,
        javascript: bool = False,
        network: bool = False,
        timeout: float = 20.0,
        viewport: tuple[int, int] = (1366, 768),
        executable: str | os.PathLike[str] | None = None,
        restart_after: int = 500,
    ) -> None:
        if not timeout > 0:
            raise ParameterError(f"timeout must be a positive number of seconds, got {timeout}.")
        if len(viewport) != 2 or min(viewport) < 1:
            raise ParameterError(f"viewport must be a width and a height of at least 1, got {viewport}.")
        if restart_after < 1:
            raise ParameterError(f"restart_after must be at least 1, got {restart_after}.")
        self.javascript = javascript
        self.network = network
        self.timeout = timeout
        self.viewport = viewport
        self.restart_after = restart_after
        require("playwright.async_api", "render", "Rendering")
        self._executable = find_browser(executable)
        self._tab: Tab | None = None
        self._pages = 0
        self._lock = threading.Lock()
        self._loop: BackgroundLoop | None = None
        self._proxy = Proxy(network)

    def __repr__(self) -> str:
        return f"Chromium(javascript={self.javascript}, network={self.network}, viewport={self.viewport})"

    def __enter__(self) -> Self:
        self._loop = BackgroundLoop("webgrain-browser")
        try:
            self._loop.run(self._proxy.start())
            self._loop.run(self._ready())
        except BaseException as error:
            self.close()
            if isinstance(error, RenderError):
                raise WebgrainError(str(error)) from error  # not the fault of a page
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def render(self, source: Source, limits: Limits | None = None, screenshot: bool = False) -> Page:
        """Parse and render a page; with ``screenshot``, the page also gets a screenshot.

        Raises `RenderError` if the browser fails on this page; the next page can be rendered nevertheless.
        """
        if self._loop is None:
            raise ParameterError(
                "Chromium is a context manager: call render inside `with Chromium() as browser`."
            )
        limits = limits or Limits()
        page = parse(source, limits)
        html = decode(source.body[: limits.bytes], page.charset)[0].encode("utf-8", "replace")
        with self._lock:
            self._pages += 1
            address = self._loop.run(address_of(source, self._pages, self.network))
            served = Served(source, html, address, self.javascript, self.network)
            capture = self._loop.run(self._capture(served, screenshot))
        return self._page(page, served, capture, limits)

    def prepare(self) -> None:
        """Start the browser again if the last page ended it; `render` does the same.

        A browser inherits the limits of the process that starts it, so call this outside of such limits.
        """
        if self._loop is not None:
            with contextlib.suppress(RenderError):  # `render` raises it
                self._loop.run(self._ready())

    def close(self) -> None:
        """Stop the browser; it may be closed twice."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.run(self._kill())
            loop.run(self._proxy.stop())
            loop.close()

    def _page(self, parsed: Page, served: Served, capture: Capture, limits: Limits) -> Page:
        """Combine the parsed page with the capture; if the trees differ, the browser's tree is used."""
        snapshot = Snapshot(capture.raw, limits.nodes)
        width, height = snapshot.size
        # Scripts may change the path of the address. A page of the same host is never loaded into the tab.
        if urlsplit(snapshot.url)[:2] != urlsplit(served.address)[:2]:
            raise RenderError(f"the page left its address: it went to {snapshot.url[:200]!r}.")
        if not len(snapshot.kept):
            raise RenderError("the page has no elements in the browser.")
        same = not self.javascript and snapshot.matches(parsed.dom)
        notes = list(parsed.notes)
        if not same and not self.javascript:
            notes.append("The browser built another tree than the parser: the nodes are the browser's.")
        if not same and snapshot.cut:
            notes.append(f"The page has more than {limits.nodes:,} nodes: only the first are kept.")
        if not capture.loaded:
            seconds = thresholds.LOADING * self.timeout
            notes.append(f"The page was still loading after {seconds:g} s: it is shown as it was.")
        if capture.screenshot and (width > thresholds.MAX_WIDTH or height > thresholds.MAX_HEIGHT):
            notes.append(
                f"The page is {width:,.0f} x {height:,.0f} px: "
                f"its picture ends at {thresholds.MAX_WIDTH:,} x {thresholds.MAX_HEIGHT:,} px."
            )
        dom = parsed.dom if same else snapshot.to_dom()
        view = view_of(snapshot, dom, self.viewport)
        return replace(parsed, dom=dom, view=view, notes=tuple(notes), screenshot=capture.screenshot)

    async def _capture(self, served: Served, screenshot: bool) -> Capture:
        try:
            return await self._visit(served, screenshot)
        except NoPictureError:  # a fault of the browser: a new one may succeed
            served.given = False
            return await self._visit(served, screenshot)

    async def _visit(self, served: Served, screenshot: bool) -> Capture:
        tab = await self._ready()
        try:
            async with asyncio.timeout(self.timeout):
                return await tab.visit(served, thresholds.LOADING * self.timeout, screenshot)
        except BaseException as error:
            await self._kill()
            if isinstance(error, TimeoutError):
                raise RenderError(f"the browser gave no result within {self.timeout:g} s.") from None
            if isinstance(error, Exception) and not isinstance(error, WebgrainError):
                raise RenderError(f"the browser failed: {_first_line(error)}") from error
            raise

    async def _ready(self) -> Tab:
        """Return the tab, in a new browser if there is none or the old one has rendered enough pages."""
        if self._tab and (self._tab.visits >= self.restart_after or not self._tab.alive):
            await self._kill()
        if self._tab is None:
            try:
                self._tab = await Tab.open(self._executable, self.viewport, self._proxy.port)
            except Exception as error:
                reason = _first_line(error)
                if "No usable sandbox" in str(error):  # far below the first line
                    reason = "its sandbox needs user namespaces, and these are not allowed here"
                raise RenderError(f"the browser {self._executable} does not start: {reason}") from error
        return self._tab

    async def _kill(self) -> None:
        tab, self._tab = self._tab, None
        if tab is not None:
            await tab.kill()


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0]


def find_browser(executable: str | os.PathLike[str] | None = None) -> str:
    """Path of a browser: the given one, that of ``WEBGRAIN_BROWSER``, or the first installed of `NAMES`.

    Raises `ParameterError` if the given one is not a program, `MissingExtraError` if no browser is installed.

    >>> import sys
    >>> find_browser(sys.executable) == sys.executable
    True
    """
    named = executable or os.environ.get(VARIABLE)
    if named:
        path = shutil.which(named)
        if path is None:
            origin = "executable" if executable else VARIABLE
            raise ParameterError(f"{origin} must be the path of a Chromium, got {os.fspath(named)!r}.")
        return path
    path = next(filter(None, map(shutil.which, (*NAMES, *_PLACES))), None) or _playwright_browser()
    if path is None:
        raise MissingExtraError(
            "No browser was found: install Chromium ('apt install chromium' on Debian, elsewhere "
            f"'playwright install chromium') or set {VARIABLE} to the path of one."
        )
    return path


def _playwright_browser() -> str | None:
    """Return the newest Chromium that Playwright has downloaded, or None."""
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    paths = [path for path in folder.glob("chromium-*/chrome-linux*/chrome") if os.access(path, os.X_OK)]
    return str(max(paths, key=lambda path: path.stat().st_mtime)) if paths else None


class BackgroundLoop:
    """An event loop in its own thread, which runs coroutines for synchronous callers until it is closed.

    The caller may have a running loop, as in a notebook, and may be interrupted at any time.

    >>> loop = BackgroundLoop("example")
    >>> loop.run(asyncio.sleep(0, result="done"))
    'done'
    >>> loop.close()
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        # Cancelled work may still fail, and nobody awaits it.
        self.loop.set_exception_handler(lambda *_: None)
        self._thread = threading.Thread(target=self.loop.run_forever, name=name, daemon=True)
        self._thread.start()

    def run(self, work: Coroutine[Any, Any, T]) -> T:
        """Return the result of a coroutine; an interrupt of the caller cancels it."""
        future = asyncio.run_coroutine_threadsafe(work, self.loop)
        try:
            return future.result()
        except BaseException:
            future.cancel()
            raise

    def close(self) -> None:
        """Cancel what still runs, stop the loop and wait for its thread."""
        self.run(_cancel_tasks())
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()


async def _cancel_tasks() -> None:
    tasks = asyncio.all_tasks() - {asyncio.current_task()}
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)


class NoPictureError(RenderError):
    """The browser takes no screenshot of a page that it has laid out."""


class Capture(NamedTuple):
    """Result of the browser: the snapshot, the PNG if requested, and whether loading was complete."""

    raw: dict[str, Any]
    screenshot: bytes | None
    loaded: bool


@dataclass
class Tab:
    """A browser process and its only tab, controlled over the DevTools protocol through Playwright."""

    driver: Any
    page: Any
    devtools: Any
    pid: int
    scratch: TemporaryDirectory[str]
    visits: int = 0
    served: Served | None = None
    _crashed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def open(cls, executable: str, viewport: tuple[int, int], proxy: int) -> Tab:
        """Start a browser; ``proxy`` is the port of its proxy."""
        api = require("playwright.async_api", "render", "Rendering")
        driver = await asyncio.wait_for(api.async_playwright().start(), thresholds.START_SECONDS)
        # A browser that is killed leaves files behind: here they are removed.
        scratch = TemporaryDirectory(prefix="webgrain-", ignore_cleanup_errors=True)
        try:
            async with asyncio.timeout(thresholds.START_SECONDS):
                browser = await driver.chromium.launch(
                    executable_path=executable,
                    args=[*_SWITCHES, f"--proxy-server=socks5://127.0.0.1:{proxy}"],
                    chromium_sandbox=not (hasattr(os, "geteuid") and os.geteuid() == 0),
                    env={**os.environ, "TMPDIR": scratch.name},
                    timeout=thresholds.START_SECONDS * 1000,
                )
                context = await browser.new_context(
                    viewport={"width": viewport[0], "height": viewport[1]},
                    service_workers="block",
                    accept_downloads=False,
                    reduced_motion="reduce",
                )
                page = await context.new_page()
                devtools = await page.context.new_cdp_session(page)
                session = await browser.new_browser_cdp_session()
                processes = (await session.send("SystemInfo.getProcessInfo"))["processInfo"]
                pid = next(int(process["id"]) for process in processes if process["type"] == "browser")
                tab = cls(driver, page, devtools, pid, scratch)
                page.on("crash", lambda _: tab._crashed.set())
                await page.context.route("**/*", tab._route)
                return tab
        except BaseException:
            await _stop(driver)
            scratch.cleanup()
            raise

    @property
    def alive(self) -> bool:
        """Whether another page can be shown."""
        return not (self._crashed.is_set() or self.page.is_closed())

    async def visit(self, served: Served, load_seconds: float, picture: bool) -> Capture:
        """Load a page and capture it; raises `RenderError` or an error of Playwright."""
        self.visits += 1
        self.served = served
        work = asyncio.ensure_future(self._capture(served, load_seconds, picture))
        crash = asyncio.ensure_future(self._crashed.wait())
        try:
            await asyncio.wait((work, crash), return_when=asyncio.FIRST_COMPLETED)
            if not work.done():
                raise RenderError("the page crashed the browser.")
            return work.result()
        finally:
            work.cancel()
            crash.cancel()

    async def kill(self) -> None:
        """Kill the browser with all its processes, and stop the driver."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # Playwright starts the browser as the leader of its own process group.
            if os.getpgid(self.pid) == self.pid:
                os.killpg(self.pid, signal.SIGKILL)
            else:
                os.kill(self.pid, signal.SIGKILL)
        await _stop(self.driver)
        self.scratch.cleanup()

    async def _capture(self, served: Served, load_seconds: float, picture: bool) -> Capture:
        loaded = await self._load(served, load_seconds)
        await self.page.evaluate(_SETTLE)
        raw = await self.devtools.send("DOMSnapshot.captureSnapshot", {"computedStyles": list(STYLES)})
        screenshot = await self._screenshot(raw["documents"][0]) if picture else None
        return Capture(raw, screenshot, loaded)

    async def _load(self, served: Served, seconds: float) -> bool:
        """Navigate to a page; False if the page arrived in time, but not all files that it loads."""
        errors = require("playwright.async_api", "render", "Rendering")
        await self.page.goto(served.address, wait_until="commit", timeout=0)
        try:
            await self.page.wait_for_load_state("load", timeout=seconds * 1000)
        except errors.TimeoutError:
            return False
        if served.javascript:  # scripts may continue to load, some without end
            with contextlib.suppress(errors.TimeoutError):
                await self.page.wait_for_load_state("networkidle", timeout=thresholds.IDLE_SECONDS * 1000)
        return True

    async def _screenshot(self, document: dict[str, Any]) -> bytes:
        width = min(max(document["contentWidth"], 1), thresholds.MAX_WIDTH)
        height = min(max(document["contentHeight"], 1), thresholds.MAX_HEIGHT)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "optimizeForSpeed": True, "clip": clip}
        for pause in thresholds.SCREENSHOT_PAUSES:
            try:
                answer = await self.devtools.send("Page.captureScreenshot", options)
                return base64.b64decode(answer["data"])
            except Exception as error:  # of Playwright
                if _REFUSED not in str(error):
                    raise
                await asyncio.sleep(pause)
        raise NoPictureError("the browser takes no picture of it.")

    async def _route(self, route: Any) -> None:
        """Answer a request; it fails if the tab is closed meanwhile, which concerns nobody any more."""
        with contextlib.suppress(require("playwright.async_api", "render", "Rendering").Error):
            await self._answer(route)

    async def _answer(self, route: Any) -> None:
        """Answer a request of the page that is shown; refuse requests that may belong to another page."""
        request = route.request
        try:
            frame = request.frame
            is_main = request.is_navigation_request() and frame == self.page.main_frame
            own = frame.page == self.page
        except Exception:  # of Playwright: the first request of a popup, or of a worker, has no frame
            own = False
        if self.served is None or not own:
            await route.abort()
        else:
            await self.served.answer(route, is_main)


async def _stop(driver: Any) -> None:
    """Stop the driver; a driver that hangs is abandoned and ends with this process."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(driver.stop(), thresholds.STOP_SECONDS)


@dataclass
class Served:
    """One page while it is in the browser, and the answers to its requests.

    Attributes:
        source: the page; html: its text in UTF-8, as the browser receives it.
        address: the URL of the page in the browser, finally in the browser's spelling.
        javascript, network: as in `Chromium`.
        given: whether the page was served; later navigations of its tab have no effect.
    """

    source: Source
    html: bytes
    address: str
    javascript: bool
    network: bool
    given: bool = False

    async def answer(self, route: Any, is_main: bool) -> None:
        """Answer a request (a Playwright route); is_main: it is a navigation of the tab itself."""
        url = route.request.url
        body = None
        if is_main:
            if not self.given:
                self.given, self.address, body = True, url, self.html
        else:
            body = self._asset(url)
            if body is None and self.network and urlsplit(url).scheme in ("http", "https"):
                await route.continue_()
                return
        if body is not None:
            await route.fulfill(status=200, headers=self._headers(route.request), body=body)
        elif route.request.is_navigation_request():
            # "No content" leaves the tab or frame unchanged; an aborted navigation would show an error page.
            await route.fulfill(status=204)
        else:
            await route.abort()

    def _asset(self, url: str) -> bytes | None:
        """Return the bytes of a file beside the page, or None."""
        parts = urlsplit(url)
        if self.source.assets is None or parts.scheme not in ("http", "https"):
            return None
        path = parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
        bodies = (self.source.assets.read(folder + path) for folder in self._folders(parts.netloc))
        return next((body for body in bodies if body is not None), None)

    def _folders(self, host: str) -> list[str]:
        """Return the folders that may be the root of a host, outermost first."""
        is_host_of_page = host == urlsplit(self.address).netloc
        return roots_above(self.source.path) if is_host_of_page else [f"{host}/"]

    def _headers(self, request: Any) -> dict[str, str]:
        # A sandbox without popups, forms, dialogs and downloads. Scripts are blocked only by script-src: if
        # scripting were switched off, <noscript> would be shown.
        rules = ["sandbox allow-scripts allow-same-origin"]
        if not self.javascript:
            rules.append("script-src 'none'")
        if self.network:
            rules.append("connect-src http: https:")
        headers = {"Content-Security-Policy": "; ".join(rules), "X-DNS-Prefetch-Control": "off"}
        kind = self._content_type(request)
        return {**headers, "Content-Type": kind} if kind else headers

    def _content_type(self, request: Any) -> str | None:
        """Return the type by the kind of request, else by the file name; None: the browser detects it."""
        if request.url == self.address:
            return "text/html; charset=utf-8"
        by_name = mimetypes.guess_type(urlsplit(request.url).path)[0]
        if request.resource_type == "document":
            return by_name if by_name and by_name.startswith("image/") else "text/html"
        return _TYPES.get(request.resource_type, by_name)


async def address_of(source: Source, number: int, network: bool) -> str:
    """URL under which a page is served: of a host that cannot exist, or with the network its URL.

    A URL whose host is private, or cannot be found, is not used: archives may state any URL, and the page
    would have the rights of that host.

    >>> asyncio.run(address_of(Source("a", b"", url="https://example.org/x", path="a b/i.html"), 7, False))
    'http://p7.invalid/a%20b/i.html'
    >>> asyncio.run(address_of(Source("a", b"", url="http://127.0.0.1/x"), 7, network=True))
    'http://p7.invalid/index.html'
    >>> asyncio.run(address_of(Source("a", b"", url="https://1.1.1.1/x#top"), 7, network=True))
    'https://1.1.1.1/x'
    """
    if network and source.url:
        with contextlib.suppress(ValueError):  # not a valid URL
            parts = urlsplit(source.url)
            if parts.scheme in ("http", "https") and parts.hostname and await addresses_of(parts.hostname):
                return source.url.partition("#")[0]
    return f"http://p{number}.invalid/{quote(source.path)}"


_PIECE = 2**16
_NAME = 3
_ADDRESS_BYTES = {1: 4, 4: 16}


class Proxy:
    """The only way of a browser to the network: a SOCKS proxy (version 5, RFC 1928) in this process.

    The browser passes on the names of hosts. The proxy resolves them, connects to public hosts only, and uses
    the addresses that it has checked, so a name that changes its address has no effect. UDP is not supported.

    Attributes:
        network: False: no connection is made at all.
        port: its port on 127.0.0.1, after `start`.
    """

    def __init__(self, network: bool) -> None:
        self.network = network
        self.port = 0
        self._server: asyncio.Server | None = None

    async def start(self) -> None:
        """Listen on a free port."""
        self._server = await asyncio.start_server(self._serve, "127.0.0.1", 0)
        self.port = self._server.sockets[0].getsockname()[1]

    async def stop(self) -> None:
        """Listen no more; connections end when their browser ends."""
        if self._server:
            self._server.close()

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError, EOFError):
            try:
                host, port = await _read_request(reader, writer)
                remote = await self._connect(host, port) if self.network else None
                writer.write(b"\5" + (b"\0" if remote else b"\2") + b"\0\1" + bytes(6))
                if remote:
                    await asyncio.gather(_copy(reader, remote[1]), _copy(remote[0], writer))
            finally:
                writer.close()

    async def _connect(
        self, host: str, port: int
    ) -> tuple[asyncio.StreamReader, asyncio.StreamWriter] | None:
        for address in await addresses_of(host):
            with contextlib.suppress(OSError):
                async with asyncio.timeout(thresholds.CONNECT_SECONDS):
                    return await asyncio.open_connection(address, port)
        return None


async def _read_request(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> tuple[str, int]:
    """Return host and port of a request to connect; an invalid request raises `EOFError`."""
    _, methods = await reader.readexactly(2)
    await reader.readexactly(methods)
    writer.write(b"\5\0")  # without a password
    _, command, _, kind = await reader.readexactly(4)
    if kind == _NAME:
        (length,) = await reader.readexactly(1)
        host = (await reader.readexactly(length)).decode("latin-1")
    else:
        host = str(ip_address(await reader.readexactly(_ADDRESS_BYTES.get(kind, 4))))
    port = int.from_bytes(await reader.readexactly(2))
    if command != 1:
        raise EOFError
    return host, port


async def _copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    """Copy until one side ends, and end the other."""
    try:
        while piece := await reader.read(_PIECE):
            writer.write(piece)
            await writer.drain()
    finally:
        writer.close()


async def addresses_of(host: str) -> list[str]:
    """Return the IP addresses of a host; none if it cannot be found or one of them is not public.

    >>> asyncio.run(addresses_of("127.0.0.1")), asyncio.run(addresses_of("1.1.1.1"))
    ([], ['1.1.1.1'])
    """
    try:
        async with asyncio.timeout(thresholds.CONNECT_SECONDS):
            found = await asyncio.get_running_loop().getaddrinfo(host, None, type=socket.SOCK_STREAM)
    except (OSError, UnicodeError):
        return []
    addresses = [str(address[4][0]) for address in found]
    return addresses if all(map(is_public, addresses)) else []
