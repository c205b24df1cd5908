"""Site: the pages of one web site, which can be gone through more than once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from webgrain.page.page import Page


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
