"""Style sheets that lie beside a page, for an estimate that should look more like the page.

Join the stages: inputs become pages with a layout, pages become segmentations.

Every stage is a generator, so memory does not grow with the number of pages, and a page that fails at a stage
leaves it as a `Failure` while the others go on.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import Literal, Protocol, get_args
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np

from webgrain.engines.guard import run_step
from webgrain.errors import ParameterError, RenderError
from webgrain.page.page import Limits, Page, PageResult, Source
from webgrain.page.parsing import parse
from webgrain.rendering.chromium import Chromium
from webgrain.rendering.estimate import estimate
from webgrain.results import Failure, Segmentation

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


Render = Literal["estimate", "chromium", "none"]
Item = Source | Page | Failure
"""What `webgrain.read` yields."""


class Predictor(Protocol):
    """A method that cuts one page."""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the boxes and styles of pages come from, and how much of a page is read.

    Attributes:
        render: "estimate" (without a browser, the same on every machine), "chromium" or "none".
        sheets: let the estimate read the style sheets that lie beside a page.
        screenshot: also take a picture of every page; this needs the browser whatever ``render`` says.
        javascript: let pages run scripts; with ``render="chromium"`` only, since the tree changes.
        network: let pages load in the browser what does not lie beside them.
        timeout: seconds that the browser may take for a page.
        limits: how much of a page is read.

    >>> Layout(render="webkit")
    Traceback (most recent call last):
    webgrain.errors.ParameterError: render must be one of estimate, chromium, none, got 'webkit'.
    """

    render: Render = "estimate"
    sheets: bool = True
    screenshot: bool = False
    javascript: bool = False
    network: bool = False
    timeout: float = 20.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.render not in get_args(Render):
            raise ParameterError(f"render must be one of {', '.join(get_args(Render))}, got {self.render!r}.")
        if self.javascript and self.render != "chromium":
            raise ParameterError(f"javascript needs the browser: use render 'chromium', not {self.render!r}.")
        if self.network and not self.uses_browser:
            raise ParameterError(f"network needs the browser: use render 'chromium', not {self.render!r}.")
        if not self.timeout > 0:
            raise ParameterError(f"timeout must be a positive number of seconds, got {self.timeout}.")

    @property
    def uses_browser(self) -> bool:
        """Whether pages go through Chromium."""
        return self.render == "chromium" or self.screenshot

    @property
    def stage(self) -> str:
        """Name of the stage in which a page may fail."""
        return "render" if self.render == "chromium" else "read"


@dataclass(frozen=True, slots=True, eq=False)
class Segmented(PageResult):
    """A page and its segments.

    Attributes:
        page: the page as the method saw it.
        segmentation: its segments.
        picture: the same nodes with the browser's layout and a screenshot; why there is none; None where no
            picture was asked for.
    """

    segmentation: Segmentation
    picture: Page | Failure | None = None


def pages(items: Iterable[Item], layout: Layout | None = None) -> Iterator[Page | Failure]:
    """Read and lay out what `webgrain.read` yields, one page at a time.

    A page that has a layout already, from a page store, keeps it.

    >>> [page] = pages([Source("a", b"<p>Hello")])
    >>> page.view.source
    'estimate'
    """
    layout = layout or Layout()
    with _browser(layout) as browser:
        for item in items:
            yield run_step(item, layout.stage, partial(_lay_out, layout=layout, browser=browser))


def segment(
    items: Iterable[Item], method: Predictor, layout: Layout | None = None
) -> Iterator[Segmented | Failure]:
    """Cut what `webgrain.read` yields into segments, one page at a time.

    A picture changes no result: it is taken of the same nodes, to be drawn on, after they were cut.

    >>> from webgrain.segmentation.gcuts import GCuts
    >>> [result] = segment([Source("a", b"<p>Hello")], GCuts())
    >>> len(result.segmentation)
    1
    """
    layout = layout or Layout()
    with _browser(layout) as browser:
        for item in items:
            page = run_step(item, layout.stage, partial(_lay_out, layout=layout, browser=browser))
            result = run_step(page, "segment", lambda page: Segmented(page, method.predict(page)))
            if layout.screenshot and isinstance(result, Segmented):
                take = partial(_picture, layout=layout, browser=browser)
                drawn = result.page if layout.render == "chromium" else item
                result = replace(result, picture=_same_nodes(result.page, run_step(drawn, "render", take)))
            yield result


@contextmanager
def _browser(layout: Layout) -> Iterator[Chromium | None]:
    """Give the browser, started, or None where none is needed."""
    if not layout.uses_browser:
        yield None
        return
    with Chromium(javascript=layout.javascript, network=layout.network, timeout=layout.timeout) as browser:
        yield browser


def _lay_out(item: Source | Page, layout: Layout, browser: Chromium | None) -> Page:
    """Return the page with the layout that was asked for; one from a store keeps its own."""
    if isinstance(item, Source) and layout.render == "chromium" and browser:
        return browser.render(item, layout.limits, layout.screenshot)
    page = parse(item, layout.limits) if isinstance(item, Source) else item
    if layout.render == "none":
        return replace(page, view=None)
    if page.view is not None:
        return page
    linked = linked_sheets(item) if layout.sheets and isinstance(item, Source) else None
    return page.with_view(estimate(page.dom, sheets=linked))


def _picture(item: Source | Page, layout: Layout, browser: Chromium | None) -> Page:
    """Return a page with the browser's layout and a screenshot."""
    if isinstance(item, Source) and browser:
        return browser.render(item, layout.limits, screenshot=True)
    if isinstance(item, Page) and item.screenshot:
        return item
    raise RenderError("the page was stored without a screenshot: render it with --screenshots.")


def _same_nodes(page: Page, picture: Page | Failure) -> Page | Failure:
    """Return the picture if it is one of the same nodes, else why it cannot be drawn on."""
    if isinstance(picture, Failure) or np.array_equal(page.dom.end, picture.dom.end):
        return picture
    return Failure(page.id, "render", "the browser built another tree: use --render chromium.", url=page.url)
