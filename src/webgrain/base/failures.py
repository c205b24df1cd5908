"""Failures: pages that could not be processed, as data."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be processed: the stage, the error, and the time it took."""

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


EXCLUDED = "robots.txt"
"""Stage of the failures of URLs that robots.txt excludes."""
