"""Finding a Chromium, and the switches that it is started with.

An event loop in a thread of its own.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import threading
from collections.abc import Coroutine
from pathlib import Path
from typing import Any, TypeVar

from webgrain.errors import MissingExtraError, ParameterError

VARIABLE = "WEBGRAIN_BROWSER"
"""Environment variable that names the browser to use before all others."""

NAMES = (
    "chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome",
    "chromium-headless-shell", "chrome-headless-shell", "microsoft-edge",
)  # fmt: skip
"""Programs looked for on PATH, in this order."""

_PLACES = (
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
)

_QUIET = ("--disable-gpu", "--mute-audio", "--disable-quic", "--blink-settings=lazyLoadEnabled=false")
_ISOLATED = (
    # Requests are answered before they reach the network; these hold back what never asks: connections
    # opened ahead of requests, name look-ups, sockets, background services.
    "--host-resolver-rules=MAP * ~NOTFOUND",
    "--proxy-server=http://127.0.0.1:9",
    "--proxy-bypass-list=<-loopback>",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--dns-prefetch-disable",
)


def find_browser(executable: str | os.PathLike[str] | None = None) -> str:
    """Path of a browser: the one given, else that of ``WEBGRAIN_BROWSER``, else the first of `NAMES` found.

    Raises `ParameterError` if the one that was named is no program, `MissingExtraError` if there is none.

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
    found = next(filter(None, map(shutil.which, (*NAMES, *_PLACES))), None) or _playwright_browser()
    if found is None:
        raise MissingExtraError(
            "No browser was found: install Chromium ('apt install chromium' on Debian, elsewhere "
            f"'playwright install chromium') or set {VARIABLE} to the path of one."
        )
    return found


def switches(network: bool) -> list[str]:
    """Command line of the browser, in addition to what Playwright gives.

    >>> "--mute-audio" in switches(network=True)
    True
    """
    return [*_QUIET, *(() if network else _ISOLATED)]


def is_root() -> bool:
    """Tell whether the process runs as root; Chromium's sandbox does not work then."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def _playwright_browser() -> str | None:
    """Return the newest Chromium that Playwright itself has downloaded, None without one."""
    folder = Path(os.environ.get("PLAYWRIGHT_BROWSERS_PATH") or Path.home() / ".cache" / "ms-playwright")
    found = [path for path in folder.glob("chromium-*/chrome-linux*/chrome") if os.access(path, os.X_OK)]
    return str(max(found, key=lambda path: path.stat().st_mtime)) if found else None


T = TypeVar("T")


class BackgroundLoop:
    """Runs coroutines for callers that are not coroutines, until it is closed.

    Callers may have a running loop themselves, as in a notebook, and their interrupts are noticed at once.

    >>> loop = BackgroundLoop("example")
    >>> loop.run(asyncio.sleep(0, result="done"))
    'done'
    >>> loop.close()
    """

    def __init__(self, name: str) -> None:
        self.loop = asyncio.new_event_loop()
        # What was given up may still fail, and nobody awaits it: that is no news.
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
        """Stop the loop and wait for its thread."""
        self.loop.call_soon_threadsafe(self.loop.stop)
        self._thread.join()
        self.loop.close()
