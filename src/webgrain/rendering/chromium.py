"""Rendering by a real browser: from a Source to a Page with the boxes and styles that Chromium gives it.

A page is served to the browser from memory, as UTF-8, and the same text is parsed, so that rendered and
parsed nodes are the same nodes. By default scripts do not run and nothing is loaded but the files beside the
page. One tab is used for all pages; a page that crashes or hangs is given up after ``timeout`` seconds, and
the browser is started again for the next one.

To render on several cores, use one `Chromium` per process. As root, as in most containers, Chromium is
started with ``--no-sandbox``, since its sandbox does not work for root; never otherwise. Memory is not
limited here: where pages are hostile, run the whole process under a limit of the system.
"""

from __future__ import annotations

import asyncio
import os
import threading
from dataclasses import replace
from types import TracebackType
from typing import Self

from webgrain.errors import ParameterError, RenderError, WebgrainError, require
from webgrain.page.charset import decode
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parsing import parse
from webgrain.rendering.boxes import Snapshot, view_of
from webgrain.rendering.browser import BackgroundLoop, find_browser
from webgrain.rendering.tab import (
    MAX_HEIGHT,
    MAX_WIDTH,
    Capture,
    NoPictureError,
    Served,
    Setup,
    Tab,
    address_of,
)

LOADING = 0.5
"""Share of the time for a page that it may take for loading."""


class Chromium:
    """A browser that lays out pages, one after the other; a context manager.

    Attributes:
        javascript: let pages run their scripts; the Dom is then the one that they leave behind.
        network: let pages load what is not beside them, over http and https.
        timeout: seconds for one page; half of it for loading, what is there then is captured.
        viewport: width and height of the window in CSS px.
        restart_after: number of pages after which the browser is started afresh.

    ``executable`` is the path of the browser; without it, `find_browser` looks for one.

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
        self._setup = Setup(find_browser(executable), viewport, network)
        self._tab: Tab | None = None
        self._pages = 0
        self._lock = threading.Lock()
        self._loop: BackgroundLoop | None = None

    def __enter__(self) -> Self:
        self._loop = BackgroundLoop("webgrain-browser")
        try:
            self._loop.run(self._ready())
        except BaseException as error:
            self.close()
            if isinstance(error, RenderError):
                raise WebgrainError(str(error)) from error  # no page's fault
            raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def render(self, source: Source, limits: Limits | None = None, screenshot: bool = False) -> Page:
        """Read a page and lay it out; with ``screenshot`` the page also gets a picture.

        Raises `RenderError` where the browser fails on this page; the next one can be rendered all the same.
        """
        if self._loop is None:
            raise ParameterError(
                "Chromium is a context manager: render inside of `with Chromium() as browser`."
            )
        limits = limits or Limits()
        page = parse(source, limits)
        html = decode(source.body[: limits.bytes], page.charset)[0].encode("utf-8", "replace")
        with self._lock:
            self._pages += 1
            address = address_of(source, self._pages, self.network)
            served = Served(source, html, address, self.javascript, self.network)
            capture = self._loop.run(self._capture(served, screenshot))
        return self._page(page, served, capture, limits)

    def close(self) -> None:
        """End the browser; closing twice is allowed."""
        loop, self._loop = self._loop, None
        if loop is not None:
            loop.run(self._drop())
            loop.close()

    def _page(self, parsed: Page, served: Served, capture: Capture, limits: Limits) -> Page:
        """Join what was parsed and what came from the browser, whose tree counts where it is another one."""
        snapshot = Snapshot(capture.raw, limits.nodes)
        if snapshot.url != served.address:
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
            seconds = LOADING * self.timeout
            notes.append(f"The page was still loading after {seconds:g} s: it is shown as it was.")
        if capture.screenshot and (snapshot.size[0] > MAX_WIDTH or snapshot.size[1] > MAX_HEIGHT):
            notes.append(
                f"The page is {snapshot.size[0]:,.0f} x {snapshot.size[1]:,.0f} px: "
                f"its picture ends at {MAX_WIDTH:,} x {MAX_HEIGHT:,} px."
            )
        dom = parsed.dom if same else snapshot.to_dom()
        view = view_of(snapshot, dom, self.viewport)
        return replace(parsed, dom=dom, view=view, notes=tuple(notes), screenshot=capture.screenshot)

    async def _capture(self, served: Served, screenshot: bool) -> Capture:
        try:
            return await self._visit(served, screenshot)
        except NoPictureError:  # the browser's own fault, as far as can be told: a new one may do better
            served.given = False
            return await self._visit(served, screenshot)

    async def _visit(self, served: Served, screenshot: bool) -> Capture:
        tab = await self._ready()
        try:
            async with asyncio.timeout(self.timeout):
                return await tab.visit(served, LOADING * self.timeout, screenshot)
        except BaseException as error:
            await self._drop()
            if isinstance(error, TimeoutError):
                raise RenderError(f"the browser gave no result within {self.timeout:g} s.") from None
            if isinstance(error, Exception) and not isinstance(error, WebgrainError):
                raise RenderError(f"the browser failed: {_first_line(error)}") from error
            raise

    async def _ready(self) -> Tab:
        """Return the tab, in a new browser where there is none or the old one has served long enough."""
        if self._tab and (self._tab.visits >= self.restart_after or not self._tab.alive):
            await self._drop()
        if self._tab is None:
            try:
                self._tab = await Tab.open(self._setup)
            except Exception as error:
                raise RenderError(
                    f"the browser {self._setup.executable} does not start: {_why_not(error)}"
                ) from error
        return self._tab

    async def _drop(self) -> None:
        tab, self._tab = self._tab, None
        if tab is not None:
            await tab.kill()


def _why_not(error: Exception) -> str:
    if "No usable sandbox" in str(error):  # in what the browser said, far below the first line
        return "its sandbox needs user namespaces, and these are not allowed here"
    return _first_line(error)


def _first_line(error: Exception) -> str:
    lines = str(error).strip().splitlines() or [type(error).__name__]
    return lines[0]
