"""Small made-up sites, and what an audit needs to run on them in this process."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from experiments.datasets.synthetic_sites import make_site_pages

from webgrain.page.page import Source
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.auditrun import AuditPlan

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator


class Here:
    """An engine that does everything in this process, and can stop early."""

    def __init__(self, most: int | None = None) -> None:
        self.left = most

    def map(self, task: Callable[[Any], Any], arguments: Iterable[Any]) -> Iterator[tuple[Any, Any]]:
        for argument in arguments:
            if self.left is not None:
                if not self.left:
                    raise KeyboardInterrupt
                self.left -= 1
            yield argument, task(argument)


def plan(**given: Any) -> AuditPlan:
    """Return a plan that is quick to carry out."""
    return AuditPlan(**{"made_of": "a test", "method": segmenter("gcuts"), "samples": 1} | given)


def shop(pages: int, host: str = "", seed: int = 0) -> list[Source]:
    """Return the pages of a made-up shop."""
    found = make_site_pages(pages, size=4, random_state=seed)
    return [
        Source(f"{host}{source.id}", source.body, url=f"http://{host}/{source.id}" if host else None)
        for source, _, _ in found
    ]
