"""Pages: Source before parsing, Page with its View, the Limits of parsing, and the Site of several pages."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import wraps
from importlib import import_module
from operator import is_
from threading import local
from typing import Any, ClassVar, Protocol, TypeVar, TypeVarTuple

from webgrain.base.arrays import Bool, Float32, Int8, Int16, Int32, UInt8
from webgrain.base.errors import ParameterError
from webgrain.base.guesses import NamesGuesses
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Cached, Dom

Arguments = TypeVarTuple("Arguments")
Owner = TypeVar("Owner", bound=Cached)
T = TypeVar("T")

DISPLAY = (
    "none", "inline", "block", "inline-block", "list-item", "flex", "inline-flex", "grid", "inline-grid",
    "table", "inline-table", "table-row", "table-cell", "table-caption", "table-row-group",
    "table-header-group", "table-footer-group", "table-column", "table-column-group", "contents",
    "flow-root", "other",
)  # fmt: skip
"""Values of the CSS property ``display`` that a View distinguishes; the last represents all others."""

POSITION = ("static", "relative", "absolute", "fixed", "sticky")
"""Values of the CSS property ``position``."""


@dataclass(frozen=True, slots=True, eq=False)
class View(ReadOnly):
    """Boxes and styles of the ``n`` nodes of a Dom, in the order of the Dom; all arrays read-only.

    A text node has the box of its lines and the styles of its parent. A node that is not rendered has the box
    0, 0, 0, 0.

    Attributes:
        box: (n, 4) float32, x, y, width, height in CSS px from the top left corner of the page.
        visible: (n,) bool; False if nothing of the node can be seen: it has no area, is clipped, lies outside
            the page, is transparent, or has ``visibility: hidden``.
        display: (n,) int8 into `DISPLAY`; position: (n,) int8 into `POSITION`.
        font: (n,) int32 into ``fonts``, the first family of the list.
        font_size: (n,) float32 in px; font_weight: (n,) int16, 1-1000; italic: (n,) bool.
        color: (n, 4) uint8, red, green, blue, alpha of the text.
        background: (n, 4) uint8, the background of the nearest ancestor-or-self that paints one.
        painter: (n,) int32, that ancestor-or-self; -1 if only the canvas paints.
        background_image: (n,) bool, True if the node itself has a background image.
        fonts: names of the font families.
        width, height: size of the page in CSS px; viewport: (width, height) that it was laid out for.
        source: the program that computed it, "chromium".
    """

    box: Float32
    visible: Bool
    display: Int8
    position: Int8
    font: Int32
    font_size: Float32
    font_weight: Int16
    italic: Bool
    color: UInt8
    background: UInt8
    painter: Int32
    background_image: Bool
    fonts: tuple[str, ...]
    width: float
    height: float
    viewport: tuple[int, int]
    source: str

    def __len__(self) -> int:
        return len(self.box)

    def __repr__(self) -> str:
        return f"View({len(self):,} nodes, {self.width:g} x {self.height:g} px, source={self.source!r})"


class Assets(Protocol):
    """Files that a page may load while it is rendered."""

    def read(self, path: str) -> bytes | None:
        """Bytes of the file at a path from the root of the site (``"css/main.css"``), or None."""


@dataclass(frozen=True, slots=True)
class Source(NamesGuesses):
    """A page as it was received.

    Attributes:
        id: the name of the page: a path, a member of an archive, or a URL.
        body: the bytes of the HTML.
        url: the address of the page, if known.
        charset: the charset of the HTTP header, if known.
        assets: the files that the page may load; None: no files.
        path: the path of the page below the root of ``assets``; relative links are resolved against it.
    """

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("html", "content", "text", "bytes", "data", "raw", "read"), "body"),
        **dict.fromkeys(("name", "filename", "page"), "id"),
        "encoding": "charset",
        **{name: f"webgrain.parse(source).{name}" for name in ("dom", "links", "title")},
    }

    id: str
    body: bytes = field(repr=False)
    url: str | None = None
    charset: str | None = None
    assets: Assets | None = field(default=None, repr=False)
    path: str = "index.html"


@dataclass(frozen=True, slots=True)
class Limits:
    """How much of a page is parsed; a note on the page reports what was cut off.

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


SELECT = "webgrain.page.addresses.Selectors([css]).find(page.dom)"
FIND = "webgrain.page.addresses.find_xpath(page.dom, path)"
"""How elements are found by a CSS selector and an XPath."""

_GUESSES = {
    **dict.fromkeys(("html", "body", "raw"), "source.body"),
    **{
        name: f"webgrain.extract(page).{name}"
        for name in (
            *(
                "author",
                "authors",
                "language",
                "markdown",
                "images",
                "published",
                "modified",
                "metadata",
                "content",
            ),
            *("comments", "posts", "kind", "to_dict", "chunks", "verdict"),
        )
    },
    **dict.fromkeys(("main_text", "article", "main", "extract"), "webgrain.extract(page).text"),
    **dict.fromkeys(("meta", "metas", "description", "json_ld"), "webgrain.extract(page).metadata"),
    **dict.fromkeys(("date", "publish_date"), "webgrain.extract(page).published"),
    **dict.fromkeys(("tree", "root", "soup", "doc", "elements", "nodes", "children"), "dom"),
    **dict.fromkeys(("find", "find_all", "findAll", "tags"), "dom.find_tag"),
    **dict.fromkeys(("select", "select_one", "css", "css_first", "cssselect"), SELECT),
    **dict.fromkeys(("xpath", "findall"), FIND),
    **dict.fromkeys(("get_text", "getText", "text_content", "inner_text", "plain_text", "to_text"), "text"),
    **dict.fromkeys(("hrefs", "anchors", "urls", "iterlinks"), "links"),
    **dict.fromkeys(("prettify", "to_html", "raw_html"), "source.body"),
    **dict.fromkeys(("segments", "blocks", "segment", "sections"), "webgrain.segment(page)"),
    **dict.fromkeys(("lists", "tables", "records"), "webgrain.find_lists(page)"),
    **dict.fromkeys(("type", "page_type"), "webgrain.Site.predict(page).type"),
    **dict.fromkeys(("boxes", "layout", "width", "height"), "view"),
    **dict.fromkeys(("name", "path", "filename"), "id"),
    **dict.fromkeys(("base_url", "address", "link"), "url"),
    "encoding": "charset",
    **dict.fromkeys(("errors", "warnings"), "notes"),
}
"""Names that people guess, and what to write instead."""


@dataclass(frozen=True, slots=True, eq=False)
class Page(Cached, NamesGuesses):
    """A parsed page: its tree and, if it was rendered, its view.

    A page is immutable. ``page.cached(function, *args)`` computes a fact about the page once and stores it.

    Attributes:
        id, url: as in `Source`.
        dom: the tree.
        view: boxes and styles, one row per node; None for a page that was not rendered.
        charset: the charset in which its bytes were decoded.
        notes: one sentence for each thing that was cut off or replaced.
        source: the bytes it was parsed from; None for a page from a page store.
        screenshot: a picture of the page as PNG, if one was taken.
        hidden: (n,) bool, the nodes that HTML and style sheets hide
            (`webgrain.rendering.hiding.hidden_nodes`); None if it was not computed. A view has priority.
    """

    _guesses: ClassVar[Mapping[str, str]] = _GUESSES

    id: str
    dom: Dom
    view: View | None = None
    url: str | None = None
    charset: str = "utf-8"
    notes: tuple[str, ...] = ()
    source: Source | None = field(default=None, repr=False)
    screenshot: bytes | None = field(default=None, repr=False)
    hidden: Bool | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if self.view is not None and len(self.view) != len(self.dom):
            raise ParameterError(
                f"A view must have one row per node: expected {len(self.dom)} rows, got {len(self.view)}."
            )
        if self.hidden is not None and self.hidden.shape != (len(self.dom),):
            raise ParameterError(
                f"hidden must have a flag per node: expected ({len(self.dom)},), got {self.hidden.shape}."
            )

    @property
    def title(self) -> str:
        """The text of its ``<title>``, empty for none; `webgrain.extract` finds the title of the content."""
        return " ".join(self.dom.first_texts("title")[0].split())

    @property
    def text(self) -> str:
        """All its visible text, a block per line; `webgrain.extract` finds the main text."""
        text: str = import_module("webgrain.page.text").page_text(self)
        return text

    @property
    def links(self) -> tuple[Any, ...]:
        """All its links, see `webgrain.page.links.links_of`."""
        links: tuple[Any, ...] = import_module("webgrain.page.links").links_of(self)
        return links

    def __repr__(self) -> str:
        name = self.id if len(self.id) <= 60 else f"{self.id[:57]}..."
        layout = "no view" if self.view is None else f"view by {self.view.source}"
        return f"Page({name!r}, {len(self.dom):,} nodes, {layout})"

    def with_view(self, view: View) -> Page:
        """Return the same page with a view and an empty cache: facts may depend on the view."""
        return replace(self, view=view)


def of_last_page(function: Callable[[Owner, *Arguments], T]) -> Callable[[Owner, *Arguments], T]:
    """Decorate a function of a Page or a Dom: each thread keeps the result of its last call.

    For large facts that several steps need one after the other: a page may be kept with its results, so they
    are not stored on the page. Other arguments must be the same objects as in the last call, too. See
    `results_kept` for several pages.

    >>> from webgrain.page.parsing import parse
    >>> @of_last_page
    ... def tags(page):
    ...     return [page.dom.name(node) for node in range(len(page.dom))]
    >>> page = parse("<p>a")
    >>> tags(page) is tags(page), tags(parse("<p>b")) is tags(page)
    (True, False)
    """
    last = local()

    @wraps(function)
    def call(page: Owner, *args: *Arguments) -> T:
        if _KEPT.results is not None:
            return _kept_result(_KEPT.results, function, page, args)
        try:
            is_known = last.page is page
        except AttributeError:  # the first call of this thread
            is_known = False
        if is_known and args:
            is_known = all(map(is_, last.args, args))
        if not is_known:
            last.page = last.args = last.result = None  # frees the memory first
            last.result = function(page, *args)
            last.page, last.args = page, args
        result: T = last.result
        return result

    return call


_Results = dict[Any, tuple[tuple[Any, ...], Any]]
"""Arguments and results of functions `of_last_page`, by function and page."""


class _Kept(local):
    """The results that a thread keeps in a block `results_kept`; None outside of it."""

    results: _Results | None = None


_KEPT = _Kept()


@contextmanager
def results_kept() -> Iterator[None]:
    """Keep what functions `of_last_page` return for all pages of this thread, until the block ends.

    For steps that are run for several pages, one step after the other. A block inside another one keeps them
    until the outer one ends.
    """
    outer = _KEPT.results
    _KEPT.results = {} if outer is None else outer
    try:
        yield
    finally:
        _KEPT.results = outer


def _kept_result(results: _Results, function: Callable[..., T], page: Cached, args: tuple[Any, ...]) -> T:
    """Return the result of a function of a page, which is computed if it is unknown."""
    known = results.get((function, page))
    if known is None or not all(map(is_, known[0], args)):
        known = results[function, page] = args, function(page, *args)
    result: T = known[1]
    return result


@dataclass(frozen=True, slots=True, eq=False)
class PageResult:
    """Base class of results for one page.

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
        """Address of the page, if known."""
        return self.page.url
