"""Which requests of a page are answered, and with what.

A page is served from a host that does not exist, so that all it asks for passes through here: the page itself
once, files that its `Assets` hold, and nothing else unless the network is allowed.

One running browser with one tab, driven over the DevTools protocol through Playwright.
"""

from __future__ import annotations

import asyncio
import base64
import contextlib
import mimetypes
import os
import signal
from dataclasses import dataclass, field
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import quote, urlsplit

from webgrain.errors import RenderError, require
from webgrain.page.page import Source
from webgrain.rendering.boxes import STYLES
from webgrain.rendering.browser import is_root, switches

_MAX_FOLDERS = 8
_TYPES = {"stylesheet": "text/css", "script": "text/javascript"}


@dataclass
class Served:
    """One page while it is in the browser.

    Attributes:
        source: the page; html: what the browser is given as its bytes, in UTF-8.
        address: the URL that the page has in the browser, in the end as the browser spells it.
        javascript, network: what it may do.
        given: whether the page was handed out; later navigations of its tab stay without effect.
    """

    source: Source
    html: bytes
    address: str
    javascript: bool
    network: bool
    given: bool = False

    async def answer(self, route: Any, is_main: bool) -> None:
        """Answer a request (a Playwright route); ``is_main``: it would navigate the tab itself."""
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
            # "No content" leaves the tab or frame as it is; an aborted navigation would show an error page.
            await route.fulfill(status=204)
        else:
            await route.abort()

    def _asset(self, url: str) -> bytes | None:
        """Return the bytes of a file beside the page, None where there is none for an address."""
        parts = urlsplit(url)
        if self.source.assets is None or parts.scheme not in ("http", "https"):
            return None
        path = parts.path.lstrip("/") + (f"?{parts.query}" if parts.query else "")
        found = (self.source.assets.read(folder + path) for folder in self._folders(parts.netloc))
        return next((body for body in found if body is not None), None)

    def _folders(self, host: str) -> list[str]:
        """Return the folders that the root of a host may stand for, outermost first.

        A mirror of several hosts keeps each in a folder of its name, the page's own among them.
        """
        if host != urlsplit(self.address).netloc:
            return [f"{host}/"]
        above = self.source.path.split("/")[:-1][:_MAX_FOLDERS]
        return ["".join(f"{name}/" for name in above[:k]) for k in range(len(above) + 1)]

    def _headers(self, request: Any) -> dict[str, str]:
        headers = {"Content-Security-Policy": self._security(), "X-DNS-Prefetch-Control": "off"}
        kind = self._content_type(request)
        return {**headers, "Content-Type": kind} if kind else headers

    def _content_type(self, request: Any) -> str | None:
        """Return what a file was asked for as, else what its name says; None: the browser finds out."""
        if request.url == self.address:
            return "text/html; charset=utf-8"
        by_name = mimetypes.guess_type(urlsplit(request.url).path)[0]
        if request.resource_type == "document":
            return by_name if by_name and by_name.startswith("image/") else "text/html"
        return _TYPES.get(request.resource_type, by_name)

    def _security(self) -> str:
        # A sandbox without popups, forms, dialogs and downloads. Scripts are stopped by script-src alone:
        # with scripting switched off, <noscript> would be shown.
        rules = ["sandbox allow-scripts allow-same-origin", "webrtc 'block'"]
        if not self.javascript:
            rules.append("script-src 'none'")
        if self.network:
            rules.append("connect-src http: https:")
        return "; ".join(rules)


def address_of(source: Source, number: int, network: bool) -> str:
    """Address under which a page is served: a host that cannot exist, unless the network is allowed.

    >>> from webgrain.page.page import Source
    >>> address_of(Source("a", b"", url="https://example.org/x", path="a b/i.html"), 7, network=False)
    'http://p7.invalid/a%20b/i.html'
    >>> from webgrain.page.page import Source
    >>> address_of(Source("a", b"", url="https://example.org/x#top"), 7, network=True)
    'https://example.org/x'
    """
    if network and source.url and urlsplit(source.url).scheme in ("http", "https"):
        return _without_fragment(source.url)
    return f"http://p{number}.invalid/{quote(source.path)}"


def _without_fragment(url: str) -> str:
    return url.partition("#")[0]


MAX_WIDTH, MAX_HEIGHT = 4_000, 16_000
"""Screenshots end here, in CSS px: what is further out is cut off."""

_START_SECONDS = 60.0
_STOP_SECONDS = 5.0
_IDLE_SECONDS = 2.0
_REFUSED = "Unable to capture screenshot"
"""What a busy Chromium says when it has no frame to copy; a moment later it takes the same picture."""

_PAUSES = (0.05, 0.2, 0.8, 2.0, 0.0)
_SETTLE = """async () => {
    // A style sheet without a node: what would only be laid out once scrolled to is laid out now.
    const sheet = new CSSStyleSheet();
    sheet.replaceSync("* { content-visibility: visible !important }");
    document.adoptedStyleSheets.push(sheet);
    await Promise.race([document.fonts.ready, new Promise(done => setTimeout(done, 1000))]);
    for (const animation of document.getAnimations()) {
        try { animation.finish() } catch { animation.cancel() }
    }
}"""


class NoPictureError(RenderError):
    """The browser takes no picture of a page that it has laid out."""


@dataclass(frozen=True, slots=True)
class Setup:
    """How a browser is started: its path, the viewport in CSS px, whether pages may use the network."""

    executable: str
    viewport: tuple[int, int]
    network: bool


@dataclass(frozen=True, slots=True)
class Capture:
    """What came back from the browser: the snapshot, the PNG if one was asked for, whether loading ended."""

    raw: dict[str, Any]
    screenshot: bytes | None
    loaded: bool


@dataclass
class Tab:
    """A browser process and its only tab; `open` starts it, `kill` ends it however it is."""

    driver: Any
    page: Any
    devtools: Any
    pid: int
    scratch: TemporaryDirectory[str]
    visits: int = 0
    served: Served | None = None
    _crashed: asyncio.Event = field(default_factory=asyncio.Event)

    @classmethod
    async def open(cls, setup: Setup) -> Tab:
        """Start a browser."""
        api = require("playwright.async_api", "render", "Rendering")
        driver = await asyncio.wait_for(api.async_playwright().start(), _START_SECONDS)
        # A browser that is killed leaves files behind: they go where they can be removed.
        scratch = TemporaryDirectory(prefix="webgrain-", ignore_cleanup_errors=True)
        try:
            async with asyncio.timeout(_START_SECONDS):
                browser = await _launch(driver, setup, scratch.name)
                page = await _blank_page(browser, setup.viewport)
                devtools = await page.context.new_cdp_session(page)
                tab = cls(driver, page, devtools, await _process_of(browser), scratch)
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
        """Show a page and capture it; raises `RenderError` or Playwright's error where that fails."""
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
        """End the browser at once, with all its processes, and the driver."""
        with contextlib.suppress(ProcessLookupError, PermissionError):
            # Playwright makes the browser the leader of a process group of its own.
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
        """Navigate; False where the page was there in time, but not all that it loads."""
        errors = require("playwright.async_api", "render", "Rendering")
        await self.page.goto(served.address, wait_until="commit", timeout=0)
        try:
            await self.page.wait_for_load_state("load", timeout=seconds * 1000)
        except errors.TimeoutError:
            return False
        if served.javascript:  # scripts may go on loading, some without end
            with contextlib.suppress(errors.TimeoutError):
                await self.page.wait_for_load_state("networkidle", timeout=_IDLE_SECONDS * 1000)
        return True

    async def _screenshot(self, document: dict[str, Any]) -> bytes:
        width = min(max(document["contentWidth"], 1), MAX_WIDTH)
        height = min(max(document["contentHeight"], 1), MAX_HEIGHT)
        clip = {"x": 0, "y": 0, "width": width, "height": height, "scale": 1}
        options = {"format": "png", "captureBeyondViewport": True, "optimizeForSpeed": True, "clip": clip}
        for pause in _PAUSES:
            try:
                answer = await self.devtools.send("Page.captureScreenshot", options)
                return base64.b64decode(answer["data"])
            except Exception as error:  # Playwright's
                if _REFUSED not in str(error):
                    raise
                await asyncio.sleep(pause)
        raise NoPictureError("the browser takes no picture of it.")

    async def _route(self, route: Any) -> None:
        """Hand a request to the page that is being shown; what cannot be told to be its own is refused."""
        request = route.request
        try:
            frame = request.frame
            is_main = request.is_navigation_request() and frame == self.page.main_frame
            own = frame.page == self.page
        except Exception:  # Playwright's, of a request that has no frame: a popup's first, a worker's
            own = False
        if self.served is None or not own:
            await route.abort()
        else:
            await self.served.answer(route, is_main)


async def _launch(driver: Any, setup: Setup, scratch: str) -> Any:
    return await driver.chromium.launch(
        executable_path=setup.executable,
        args=switches(setup.network),
        chromium_sandbox=not is_root(),
        env={**os.environ, "TMPDIR": scratch},
        timeout=_START_SECONDS * 1000,
    )


async def _blank_page(browser: Any, viewport: tuple[int, int]) -> Any:
    context = await browser.new_context(
        viewport={"width": viewport[0], "height": viewport[1]},
        service_workers="block",
        accept_downloads=False,
        reduced_motion="reduce",
    )
    return await context.new_page()


async def _process_of(browser: Any) -> int:
    devtools = await browser.new_browser_cdp_session()
    processes = (await devtools.send("SystemInfo.getProcessInfo"))["processInfo"]
    return next(int(process["id"]) for process in processes if process["type"] == "browser")


async def _stop(driver: Any) -> None:
    """End the driver; one that hangs is left alone, it ends with this process."""
    with contextlib.suppress(Exception):
        await asyncio.wait_for(driver.stop(), _STOP_SECONDS)
