"""Spans of time as people write them: ``30d``, ``12h``."""

from __future__ import annotations

import re

from webgrain.errors import ParameterError

_UNITS = {"": 1, "s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}


def seconds_in(text: str) -> float:
    """Return a span of time in seconds; `ParameterError` for anything else.

    >>> seconds_in("30d"), seconds_in("1.5h"), seconds_in("10")
    (2592000.0, 5400.0, 10.0)
    """
    found = re.fullmatch(r"(\d{1,9}(?:\.\d{1,9})?)\s?([smhdw]?)", text.strip())
    if found is None:
        raise ParameterError(f"A span of time like 30d, 12h, 45m or 90s was expected, got {text!r}.")
    return float(found[1]) * _UNITS[found[2]]
