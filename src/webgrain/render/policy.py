"""Which requests of a page are answered, and with what.

A page is served from a host that does not exist, so that all it asks for passes through here: the page itself
once, files that its `Assets` hold, and nothing else unless the network is allowed.
"""

from __future__ import annotations

import mimetypes
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

if TYPE_CHECKING:
    from webgrain.page.page import Source

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
