"""Join the stages: inputs become pages with a layout, pages become segmentations.

Every stage is a generator, so memory does not grow with the number of pages, and a page that fails at a stage
leaves it as a `Failure` while the others go on.
"""

from __future__ import annotations

import time
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeVar, get_args

from webgrain.errors import MissingExtraError, PageError, ParameterError
from webgrain.page.page import Limits, Page, Source
from webgrain.page.parse import parse
from webgrain.render.chromium import Chromium
from webgrain.render.estimate import estimate
from webgrain.results import Failure, Segmentation

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

Render = Literal["estimate", "chromium", "none"]
Item = Source | Page | Failure
"""What `webgrain.read` yields."""

T = TypeVar("T")


class Named(Protocol):
    """What a failure can name: a source, a page, a page with its segments."""

    @property
    def id(self) -> str:
        """Id of the page."""

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""


class Predictor(Protocol):
    """A method that cuts one page."""

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""


@dataclass(frozen=True, slots=True)
class Layout:
    """Where the boxes and styles of pages come from, and how much of a page is read.

    Attributes:
        render: "estimate" (from the markup, the same on every machine), "chromium" or "none".
        screenshot: also take a picture of every page; this needs the browser whatever ``render`` says.
        javascript, network: let pages run scripts, load what is not beside them. Browser only.
        timeout: seconds that the browser may take for a page.
        limits: how much of a page is read.

    >>> Layout(render="webkit")
    Traceback (most recent call last):
    webgrain.errors.ParameterError: render must be one of estimate, chromium, none, got 'webkit'.
    """

    render: Render = "estimate"
    screenshot: bool = False
    javascript: bool = False
    network: bool = False
    timeout: float = 20.0
    limits: Limits = field(default_factory=Limits)

    def __post_init__(self) -> None:
        if self.render not in get_args(Render):
            raise ParameterError(f"render must be one of {', '.join(get_args(Render))}, got {self.render!r}.")
        if (self.javascript or self.network) and not self.uses_browser:
            option = "javascript" if self.javascript else "network"
            raise ParameterError(f"{option} needs the browser: set render to 'chromium'.")
        if not self.timeout > 0:
            raise ParameterError(f"timeout must be a positive number of seconds, got {self.timeout}.")

    @property
    def uses_browser(self) -> bool:
        """Whether pages go through Chromium."""
        return self.render == "chromium" or self.screenshot

    @property
    def stage(self) -> str:
        """Name of the stage in which a page may fail."""
        return "render" if self.uses_browser else "read"


@dataclass(frozen=True, slots=True, eq=False)
class Segmented:
    """A page and its segments.

    Attributes:
        page: the page as the method saw it.
        segmentation: its segments.
        picture: the same nodes with the browser's layout and a screenshot, where there is one.
    """

    page: Page
    segmentation: Segmentation
    picture: Page | None = None

    @property
    def id(self) -> str:
        """Id of the page."""
        return self.page.id

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""
        return self.page.url


def pages(items: Iterable[Item], layout: Layout | None = None) -> Iterator[Page | Failure]:
    """Read and lay out what `webgrain.read` yields, one page at a time.

    A page that has a layout already, from a page store, keeps it. With screenshots the browser lays out.

    >>> [page] = pages([Source("a", b"<p>Hello")])
    >>> page.view.source
    'estimate'
    """
    layout = layout or Layout()
    with _opened(layout) as lay_out:
        for item in items:
            yield attempt(item, layout.stage, lay_out)


def segment(
    items: Iterable[Item], method: Predictor, layout: Layout | None = None
) -> Iterator[Segmented | Failure]:
    """Cut what `webgrain.read` yields into segments, one page at a time.

    A picture changes no result: where the layout is not to be the browser's, the method does not see that
    one, and it is only there to be drawn on.

    >>> from webgrain.segment.gcuts import GCuts
    >>> [result] = segment([Source("a", b"<p>Hello")], GCuts())
    >>> len(result.segmentation)
    1
    """
    layout = layout or Layout()

    def cut(page: Page, fresh: bool) -> Segmented:
        seen = _as_asked(page, layout.render, fresh)
        return Segmented(seen, method.predict(seen), page if page.screenshot is not None else None)

    with _opened(layout) as lay_out:
        for item in items:
            fresh = isinstance(item, Source)
            yield attempt(attempt(item, layout.stage, lay_out), "segment", partial(cut, fresh=fresh))


def attempt(item: Named | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
    """Take one step with one page; what goes wrong becomes a `Failure`, so that one page never ends a run.

    `MissingExtraError` is raised: it would come up on every page.

    >>> attempt(Source("a", b""), "count", lambda source: 1 / len(source.body)).error
    'internal error: ZeroDivisionError: division by zero'
    """
    if isinstance(item, Failure):
        return item
    start = time.perf_counter()
    try:
        return step(item)
    except MissingExtraError:
        raise
    except PageError as error:
        stage, reason = error.stage, str(error)
    except Exception as error:  # a bug, here or below: said as such
        reason = f"internal error: {type(error).__name__}: {error}"
    return Failure(item.id, stage, " ".join(reason.split()), time.perf_counter() - start, item.url)


@contextmanager
def _opened(layout: Layout) -> Iterator[Callable[[Source | Page], Page]]:
    """Give the function that makes a page of what was read; pages that are there already stay as they are."""

    def without_browser(item: Source | Page) -> Page:
        if isinstance(item, Page):
            return item
        page = parse(item, layout.limits)
        return page if layout.render == "none" else page.with_view(estimate(page.dom))

    if not layout.uses_browser:
        yield without_browser
        return
    with Chromium(javascript=layout.javascript, network=layout.network, timeout=layout.timeout) as browser:

        def in_browser(item: Source | Page) -> Page:
            return item if isinstance(item, Page) else browser.render(item, layout.limits, layout.screenshot)

        yield in_browser


def _as_asked(page: Page, render: Render, fresh: bool) -> Page:
    """Return the page with the layout that was asked for; one from a store keeps its own."""
    if render == "none":
        return replace(page, view=None)
    if page.view is None or (fresh and render == "estimate" and page.view.source != "estimate"):
        return page.with_view(estimate(page.dom))
    return page
