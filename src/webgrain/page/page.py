"""Source, Page and Limits: one page before and after it is read."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Protocol

from webgrain.errors import ParameterError

if TYPE_CHECKING:
    from webgrain.page.dom import Dom
    from webgrain.page.view import View


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
class Page:
    """A page that was read: its tree and, where it was rendered or estimated, its view.

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
        """Return the same page, laid out."""
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
