"""URLs among the inputs, and how long a download may take; `webgrain.io.fetch` downloads pages."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timeouts:
    """Maximum seconds per page: to connect, between two bytes, and in total.

    >>> Timeouts(total=5).connect
    10.0
    """

    connect: float = 10.0
    read: float = 20.0
    total: float = 60.0


def is_url(text: str) -> bool:
    """Return whether ``text`` is an http or https URL.

    >>> is_url("HTTPS://example.org/"), is_url("file:///etc/passwd"), is_url("a.html")
    (True, False, False)
    """
    return text.lower().startswith(("http://", "https://"))
