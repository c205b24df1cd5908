"""Failures: pages that could not be processed, as data."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, TypeVar

from webgrain.base.errors import MissingExtraError, ParameterError
from webgrain.base.guesses import NamesGuesses

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Failure(NamesGuesses):
    """A page that could not be processed: the stage, the error, and the time it took."""

    _guesses: ClassVar[Mapping[str, str]] = {
        **dict.fromkeys(("message", "reason", "exception"), "error"),
        **dict.fromkeys(("id", "name", "path"), "page"),
    }

    page: str
    stage: str
    error: str
    seconds: float = 0.0
    url: str | None = None


def failure_record(failure: Failure) -> dict[str, Any]:
    """Return the record of a page that failed.

    >>> failure_record(Failure("a.html", "read", "the archive ends in the middle of a page"))["stage"]
    'read'
    """
    return {**asdict(failure), "seconds": round(failure.seconds, 3)}


def fact(name: str, compute: Callable[[], T], default: T, notes: list[str]) -> T:
    """Return a fact of a page; if it cannot be computed, the default, and add a note.

    So other facts of the page remain. Errors of the call and of the installation are raised, and so is a lack
    of memory.

    >>> notes = []
    >>> fact("the ratio", lambda: 1 / 0, None, notes), notes
    (None, ['It could not be computed: the ratio (ZeroDivisionError: division by zero).'])
    """
    try:
        return compute()
    except (MemoryError, MissingExtraError, ParameterError):
        raise
    except Exception as error:
        reason = " ".join(f"{type(error).__name__}: {error}".split())
        notes.append(f"It could not be computed: {name} ({reason:.300}).")
        return default


EXCLUDED = "robots.txt"
"""Stage of the failures of URLs that robots.txt excludes."""
