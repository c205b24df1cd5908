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

    The reader takes an ``href`` as the page writes it, and returns text, None where there is no such file. A
    query counts as part of a file's name first, as in saved pages, then not at all; another host is looked
    for in a folder of its name. Nothing is fetched; ``@import`` is not followed.

    >>> from webgrain.page.page import Source
    >>> class Files(dict):
    ...     read = dict.get
    >>> source = Source("a", b"", assets=Files({"css/main.css": b"p { color: red }"}), path="en/index.html")
    >>> linked_sheets(source)("../css/main.css?v=3")
    'p { color: red }'
    """

    @lru_cache(256)
    def read(href: str) -> str | None:
        if source.assets is None:
            return None
        for path in _paths(source.path, href):
            if (body := source.assets.read(path)) is not None:
                return body.decode("utf-8-sig", "replace")
        return None

    return read


def _paths(page: str, href: str) -> list[str]:
    """Names under which a file may be kept, likeliest first."""
    try:
        parts = urlsplit(urljoin(f"http://{_HOST}/{quote(page)}", href.strip()))
    except ValueError:  # no address at all
        return []
    if parts.scheme not in ("http", "https"):
        return []
    folder = "" if parts.netloc == _HOST else f"{parts.netloc}/"
    path = folder + unquote(parts.path).lstrip("/")
    return [f"{path}?{unquote(parts.query)}", path] if parts.query else [path]
