"""Stages as generators: inputs become pages, parsed or laid out, and pages become segmentations.

Memory does not grow with the number of pages. A page that fails at a stage is yielded as a `Failure`, and the
other pages continue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import lru_cache, partial
from typing import TYPE_CHECKING, Literal, Protocol, get_args, runtime_checkable
from urllib.parse import quote, unquote, urljoin, urlsplit

import numpy as np

from webgrain.base.errors import ParameterError, RenderError
from webgrain.base.failures import Failure
from webgrain.base.iterators import OneAtATime
from webgrain.engines.groups import run_in_turns, single_step
from webgrain.engines.guard import run_step
from webgrain.io.read import Item
from webgrain.page.dom import Dom
from webgrain.page.page import Limits, Page, PageResult, Source, results_kept
from webgrain.page.parsing import parse
from webgrain.page.turns import PATIENCE, Steps, page_bytes, page_groups
from webgrain.rendering.hiding import hidden_nodes
from webgrain.rendering.sheets import roots_above

if TYPE_CHECKING:
    from webgrain.page.segmentation import Segmentation
    from webgrain.rendering.chromium import Chromium

_HOST = "page.invalid"


def linked_sheets(source: Source, base: str = "") -> Callable[[str], str | None]:
    """Return a function that reads the style sheets of a page from its assets.

    The function takes an ``href`` and returns the text of the file, or None if it does not exist. Files of
    another host are searched in a folder with the name of the host. Nothing is fetched.

    base: the ``href`` of the ``base`` element of the page; empty for none.

    >>> from webgrain.page.page import Source
    >>> class Files(dict):
    ...     read = dict.get
    >>> source = Source("a", b"", assets=Files({"css/main.css": b"p { color: red }"}), path="en/index.html")
    >>> linked_sheets(source)("../css/main.css")
    'p { color: red }'
    """

    @lru_cache(256)
    def read(href: str) -> str | None:
        if source.assets is None:
            return None
        bodies = map(source.assets.read, request_paths(source.path, href, base))
        body = next((body for body in bodies if body is not None), None)
        return None if body is None else body.decode("utf-8-sig", "replace")

    return read


def request_paths(page: str, href: str, base: str = "") -> Iterator[str]:
    """Yield the paths, with their queries, at which the file of a link may be, best first.

    page: the path of the page with the link; base: the ``href`` of its ``base`` element. The folder that is
    the root of the host of the page is not known, and the files of a ``base`` with a host may be local.

    >>> list(request_paths("example.org/en/a.html", "b.css?v=1"))
    ['example.org/en/b.css?v=1']
    >>> list(request_paths("example.org/en/a.html", "/b.css"))
    ['b.css', 'example.org/b.css', 'example.org/en/b.css']
    >>> list(request_paths("a.html", "b.css", base="http://example.org/en/"))
    ['example.org/en/b.css', 'en/b.css']
    """
    address = f"http://{_HOST}/{quote(page)}"
    try:
        start = urlsplit(urljoin(address, base.strip()))
        parts = urlsplit(urljoin(start.geturl(), href.strip()))
    except ValueError:  # not a valid URL
        return
    if parts.scheme not in ("http", "https"):
        return
    query = f"?{parts.query}" if parts.query else ""
    path = unquote(parts.path).lstrip("/") + query
    if parts.netloc != _HOST:
        yield f"{parts.netloc}/{path}"
    if parts.netloc != _HOST and parts.netloc == start.netloc:
        yield path
    elif parts.netloc == _HOST:
        is_from_root = href.lstrip()[:1] == "/" or base.lstrip()[:1] == "/"
        yield from (folder + path for folder in (roots_above(page) if is_from_root else [""]))


Render = Literal["none", "chromium"]


class Predictor(Protocol):
    """A segmentation method."""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""


@runtime_checkable
class PredictorInSteps(Protocol):
    """A segmentation method whose pages may take turns."""

    def steps(self, page: Page) -> Steps[Segmentation]:
        """Return the segments of a page, in steps."""


@dataclass(frozen=True, slots=True)
class Layout:
    """How pages are laid out, and how much of a page is read.

    Attributes:
        render: "none": HTML and style sheets determine which nodes are hidden, there are no boxes; or
            "chromium": boxes and styles.
        sheets: whether the style sheets among the assets of a page are read without the browser.
        screenshot: whether to take a screenshot of every page; this needs the browser.
        javascript: whether pages may run scripts; only with ``render="chromium"``, since the tree changes.
        network: whether pages may load files from the network.
        timeout: seconds for a page in the browser.
        limits: how much of a page is read.

    >>> Layout(render="webkit")
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: render must be one of none, chromium, got 'webkit'.
    """

    render: Render = "none"
    sheets: bool = True
    screenshot: bool = False
    javascript: bool = False
    network: bool = False
    timeout: float = 20.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if str(self.render) == "estimate":
            raise ParameterError("render 'estimate' was removed: use 'none', or 'chromium' for boxes.")
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
        """Whether pages are rendered by Chromium."""
        return self.render == "chromium" or self.screenshot

    @property
    def stage(self) -> str:
        """Name of the stage in failures."""
        return "render" if self.render == "chromium" else "read"


@dataclass(frozen=True, slots=True, eq=False)
class Segmented(PageResult):
    """A page and its segments.

    Attributes:
        page: the page that was segmented. segmentation: its segments. picture: the same nodes with the view
        and a screenshot of the browser, or a failure; None if no screenshot
            was requested.
    """

    segmentation: Segmentation
    picture: Page | Failure | None = None


def pages(
    items: Iterable[Item], layout: Layout | None = None, *, boxes_required: bool = True
) -> Iterator[Page | Failure]:
    """Parse and lay out what `webgrain.read` yields, one page at a time.

    A page that has a view keeps it. Another parsed page is laid out like its source, if it has one.

    boxes_required: whether a page that the browser cannot render is a failure; otherwise it has no boxes, and
    a note.

    >>> [page] = pages([Source("a", b"<p>One<p style='display: none'>Two")])
    >>> page.hidden.tolist()  # html, head, body, p, text, p, text
    [False, True, False, False, False, True, True]
    """
    return OneAtATime(_laid_out(items, layout or Layout(), boxes_required), "pages", "laid out")


def _laid_out(items: Iterable[Item], layout: Layout, boxes_required: bool) -> Iterator[Page | Failure]:
    with _browser(layout) as browser:
        for item, page in _rendered(items, layout, browser):
            failure = page if isinstance(page, Failure) and page.stage == "render" else None
            yield page if failure is None or boxes_required else _without_boxes(item, layout, failure)


def parsed_pages(items: Iterable[Item], limits: Limits | None = None) -> Iterator[Page | Failure]:
    """Parse what `webgrain.read` yields, one page at a time, without a layout.

    A page that has a view, or hidden nodes, loses them, so that the same page gives the same text whether it
    was rendered before or not.

    >>> [page] = parsed_pages([Source("a", b"<p>One<p style='display: none'>Two")])
    >>> page.view is page.hidden is None
    True
    """
    return OneAtATime(_parsed(items, limits or Limits()), "pages", "parsed")


def _parsed(items: Iterable[Item], limits: Limits) -> Iterator[Page | Failure]:
    for item in items:
        yield run_step(item, "read", partial(_without_layout, limits=limits))


def _without_layout(item: Source | Page, limits: Limits) -> Page:
    page = parse(item, limits) if isinstance(item, Source) else item
    has_layout = page.view is not None or page.hidden is not None
    return replace(page, view=None, hidden=None) if has_layout else page


def parsed_groups(items: Iterable[Item], patience: float = PATIENCE) -> Iterator[list[Page | Failure]]:
    """Parse pages as `parsed_pages` does, and yield them in groups that take turns.

    The first page, and pages that arrive slowly, are alone, so that they do not wait for others.
    patience: see `page_groups`.

    >>> [[first], [second, third]] = parsed_groups([Source(name, b"<p>One") for name in "abc"])
    >>> third.id
    'c'
    """
    read = single_step(partial(_without_layout, limits=Limits()))
    for group in page_groups(items, page_bytes, patience):
        yield run_in_turns(group, "read", read)


def segment_items(
    items: Iterable[Item], method: Predictor, layout: Layout | None = None
) -> Iterator[Segmented | Failure]:
    """Segment what `webgrain.read` yields, one page at a time.

    A screenshot does not change the result: it is taken after the segmentation, of the same nodes. A page
    that the browser cannot render is segmented without boxes and has a note, if the method needs none.

    >>> from webgrain.segmentation.learntcut import LearntCut
    >>> [result] = segment_items([Source("a", b"<p>Hello")], LearntCut())
    >>> len(result.segmentation)
    1
    """
    return OneAtATime(_segmented(items, method, layout or Layout()), "segmented pages", "made")


def _segmented(items: Iterable[Item], method: Predictor, layout: Layout) -> Iterator[Segmented | Failure]:
    if not layout.uses_browser:
        yield from _segmented_in_turns(items, method, layout)
        return
    with _browser(layout) as browser:
        for item, page in _rendered(items, layout, browser):
            failure = page if isinstance(page, Failure) and page.stage == "render" else None
            if failure is not None:
                page = _without_boxes(item, layout, failure)
            result = run_step(page, "segment", lambda page: Segmented(page, method.predict(page)))
            if failure is not None:  # a method that needs boxes fails because the browser did
                picture = failure if layout.screenshot else None
                yield failure if isinstance(result, Failure) else replace(result, picture=picture)
                continue
            if layout.screenshot and isinstance(result, Segmented):
                take = partial(_picture, layout=layout, browser=browser)
                drawn = result.page if layout.render == "chromium" else item
                result = replace(result, picture=_same_nodes(result.page, run_step(drawn, "render", take)))
            yield result


def _segmented_in_turns(
    items: Iterable[Item], method: Predictor, layout: Layout
) -> Iterator[Segmented | Failure]:
    """Yield the segments of pages that take turns, without a browser."""
    lay_out = single_step(partial(_lay_out, layout=layout, browser=None))

    def steps(page: Page) -> Steps[Segmented]:
        in_steps = method.steps(page) if isinstance(method, PredictorInSteps) else None
        return Segmented(page, (yield from in_steps) if in_steps else method.predict(page))

    for group in page_groups(items, page_bytes, PATIENCE):
        with results_kept():
            segmented = run_in_turns(run_in_turns(group, layout.stage, lay_out), "segment", steps)
        yield from segmented


@contextmanager
def _browser(layout: Layout) -> Iterator[Chromium | None]:
    """Start the browser; None if it is not needed."""
    if not layout.uses_browser:
        yield None
        return
    from webgrain.rendering.chromium import Chromium  # starts asyncio, which other pages do not need

    with Chromium(javascript=layout.javascript, network=layout.network, timeout=layout.timeout) as browser:
        yield browser


def _rendered(
    items: Iterable[Item], layout: Layout, browser: Chromium | None
) -> Iterator[tuple[Item, Page | Failure]]:
    """Yield each item with its page; the browser, if any, is running."""
    for item in items:
        if browser:
            browser.prepare()
        yield item, run_step(item, layout.stage, partial(_lay_out, layout=layout, browser=browser))


def _without_boxes(item: Item, layout: Layout, failure: Failure) -> Page | Failure:
    """Return a page that the browser could not render as it is laid out without it, with a note."""
    plain = Layout(sheets=layout.sheets, limits=layout.limits)
    page = run_step(item, "read", partial(_lay_out, layout=plain, browser=None))
    if isinstance(page, Failure):
        return failure
    return replace(page, notes=(*page.notes, f"The page has no boxes: {failure.error}"))


def _lay_out(item: Source | Page, layout: Layout, browser: Chromium | None) -> Page:
    """Return the page with its view or its hidden nodes; a page that has either keeps it."""
    source = item if isinstance(item, Source) else item.source if item.view is None else None
    if source and layout.render == "chromium" and browser:
        return browser.render(source, layout.limits, layout.screenshot)
    page = parse(item, layout.limits) if isinstance(item, Source) else item
    if page.view is not None or page.hidden is not None:
        return page
    linked = linked_sheets(source, _base(page.dom)) if layout.sheets and source else None
    return replace(page, hidden=hidden_nodes(page.dom, linked))


def _base(dom: Dom) -> str:
    """Return the ``href`` of the ``base`` element of a page; empty for none."""
    return next(filter(None, dom.values_at("href", dom.find_tag("base"))), "")


def _picture(item: Source | Page, layout: Layout, browser: Chromium | None) -> Page:
    """Return a page with the view and a screenshot of the browser."""
    if isinstance(item, Source) and browser:
        return browser.render(item, layout.limits, screenshot=True)
    if isinstance(item, Page) and item.screenshot:
        return item
    raise RenderError("the page was stored without a screenshot: render it with --screenshots.")


def _same_nodes(page: Page, picture: Page | Failure) -> Page | Failure:
    """Return the picture if it has the same nodes, else a failure."""
    if isinstance(picture, Failure) or np.array_equal(page.dom.end, picture.dom.end):
        return picture
    return Failure(page.id, "render", "the browser built another tree: use --render chromium.", url=page.url)
