"""Style sheets that lie beside a page, for an estimate that should look more like the page."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from urllib.parse import quote, unquote, urljoin, urlsplit

if TYPE_CHECKING:
    from collections.abc import Callable

    from webgrain.page.page import Source

_HOST = "page.invalid"


def linked_sheets(source: Source) -> Callable[[str], str | None]:
    """Return a reader of the style sheets that a page may load: those among its assets.

    The reader takes an ``href`` as the page writes it, and returns text, None where there is no such file.
    Another host is looked for in a folder of its name. Nothing is fetched; ``@import`` is not followed.

    >>> from webgrain.page.page import Source
    >>> class Files(dict):
    ...     read = dict.get
    >>> source = Source("a", b"", assets=Files({"css/main.css": b"p { color: red }"}), path="en/index.html")
    >>> linked_sheets(source)("../css/main.css")
    'p { color: red }'
    """

    @lru_cache(256)
    def read(href: str) -> str | None:
        path = _path(source.path, href)
        body = source.assets.read(path) if source.assets is not None and path else None
        return None if body is None else body.decode("utf-8-sig", "replace")

    return read


def _path(page: str, href: str) -> str:
    """Name of the file that a link asks for, a query with it; empty where the link leads elsewhere."""
    try:
        parts = urlsplit(urljoin(f"http://{_HOST}/{quote(page)}", href.strip()))
    except ValueError:  # no address at all
        return ""
    if parts.scheme not in ("http", "https"):
        return ""
    folder = "" if parts.netloc == _HOST else f"{parts.netloc}/"
    query = f"?{parts.query}" if parts.query else ""
    return folder + unquote(parts.path).lstrip("/") + query
