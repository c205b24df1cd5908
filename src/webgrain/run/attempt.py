"""Take one step with one page: what goes wrong becomes a record, so that one page never ends a run."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from webgrain.errors import MissingExtraError, PageError
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Callable

T = TypeVar("T")


class Named(Protocol):
    """What a failure can name: a source, a page, a page with its segments."""

    @property
    def id(self) -> str:
        """Id of the page."""

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""


def attempt(item: Named | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
    """Take one step with one page; what goes wrong becomes a `Failure`, so that one page never ends a run.

    `MissingExtraError` is raised: it would come up on every page.

    >>> from webgrain.page.page import Source
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
