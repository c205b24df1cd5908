"""View: where the nodes of a page stand and how they look, one row per node of its Dom.

Source, Page and Limits: one page before and after it is read.

Site: the pages of one web site, which can be gone through more than once.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float32, Int8, Int16, Int32, UInt8
from webgrain.errors import ParameterError
from webgrain.page.dom import Cached, Dom, freeze

DISPLAY = (
    "none", "inline", "block", "inline-block", "list-item", "flex", "inline-flex", "grid", "inline-grid",
    "table", "inline-table", "table-row", "table-cell", "table-caption", "table-row-group",
    "table-header-group", "table-footer-group", "table-column", "table-column-group", "contents",
    "flow-root", "other",
)  # fmt: skip
"""Values of the CSS property ``display`` that a View tells apart; the last stands for all others."""

POSITION = ("static", "relative", "absolute", "fixed", "sticky")
"""Values of the CSS property ``position``."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Boxes and computed styles; ``n`` nodes in the order of the Dom, all arrays read-only.

    A text node has the box of its lines and the styles of its parent. A node without a box (not rendered) has
    the box 0, 0, 0, 0.

    Attributes:
        box: (n, 4) float32, x, y, width, height in CSS px from the corner of the page.
        visible: (n,) bool; False where nothing of the node can be seen: no area, clipped away, off the page,
            transparent, ``visibility: hidden``.
        display: (n,) int8 into `DISPLAY`; position: (n,) int8 into `POSITION`.
        font: (n,) int32 into ``fonts``, the first family of the list.
        font_size: (n,) float32 in px; font_weight: (n,) int16, 1-1000; italic: (n,) bool.
        color: (n, 4) uint8 red, green, blue, alpha of the text.
        background: (n, 4) uint8, the effective one: that of the nearest ancestor-or-self that paints one.
        painter: (n,) int32, that ancestor-or-self; -1 where only the canvas paints.
        background_image: (n,) bool, True where the node itself has a background image.
        fonts: names of the font families.
        width, height: the page in CSS px; viewport: (width, height) it was laid out for.
        source: "chromium" or "estimate".
    """

    box: Float32
    visible: NDArray[np.bool]
    display: Int8
    position: Int8
    font: Int32
    font_size: Float32
    font_weight: Int16
    italic: NDArray[np.bool]
    color: UInt8
    background: UInt8
    painter: Int32
    background_image: NDArray[np.bool]
    fonts: tuple[str, ...]
    width: float
    height: float
    viewport: tuple[int, int]
    source: str

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.box)


class Assets(Protocol):
    """What a page may load while it is rendered: the files beside it and nothing else."""

    def read(self, path: str) -> bytes | None:
        """Bytes of the file at a path from the site's root (``"css/main.css"``), None where there is none."""


@dataclass(frozen=True, slots=True)
class Source:
    """A page as it came: bytes and where they are from.

    Attributes:
        id: the name under which the page was given: path, member of an archive, URL.
        body: the bytes of the HTML.
        url: address of the page, where known.
        charset: charset of the HTTP header, where known.
        assets: the files that the page may load; None: none.
        path: the page's own path below the root of ``assets``; relative links start from it.
    """

    id: str
    body: bytes = field(repr=False)
    url: str | None = None
    charset: str | None = None
    assets: Assets | None = field(default=None, repr=False)
    path: str = "index.html"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a page is read; what is cut off is noted on the page.

    >>> Limits(nodes=1000).nodes
    1000
    """

    bytes: int = 16 * 2**20
    nodes: int = 500_000
    depth: int = 512

    def __post_init__(self) -> None:
        for name in ("bytes", "nodes", "depth"):
            if getattr(self, name) < 1:
                raise ParameterError(f"Limits: {name} must be at least 1, got {getattr(self, name)}.")


@dataclass(frozen=True, slots=True, eq=False)
class Page(Cached):
    """A parsed page: its tree and, if it was rendered or estimated, its view.

    A page is immutable. ``page.cached(function, *args)`` computes a fact about the page once and stores it.

    Attributes:
        id, url: as in `Source`.
        dom: the tree.
        view: boxes and styles, one row per node; None: the page has no layout.
        charset: the charset that its bytes were read in.
        notes: what was cut off or mended, one sentence each.
        source: the bytes it was made from; None for a page from a store.
        screenshot: the page as a PNG, where one was taken.
    """

    id: str
    dom: Dom
    view: View | None = None
    url: str | None = None
    charset: str = "utf-8"
    notes: tuple[str, ...] = ()
    source: Source | None = field(default=None, repr=False)
    screenshot: bytes | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.view is not None and len(self.view) != len(self.dom):
            raise ParameterError(
                f"A view has one row per node: expected {len(self.dom)} rows, got {len(self.view)}."
            )

    def with_view(self, view: View) -> Page:
        """Return the same page with a view and an empty cache: facts may depend on the view."""
        return replace(self, view=view)


@dataclass(frozen=True, slots=True, eq=False)
class OfPage:
    """What is said of a page; it is named as the page is.

    Attributes:
        page: the page.
    """

    page: Page

    @property
    def id(self) -> str:
        """Id of the page."""
        return self.page.id

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""
        return self.page.url


@dataclass(frozen=True, slots=True)
class Site:
    """Pages of one site, read again at each pass, so that memory does not grow with their number.

    Attributes:
        name: the site's name, usually its host.
        open: called at the start of each pass; returns the pages.

    >>> site = Site("example.org", lambda: [])
    >>> list(site)
    []
    """

    name: str
    open: Callable[[], Iterable[Page]]

    def __iter__(self) -> Iterator[Page]:
        return iter(self.open())
