"""Hosts that ask to be left alone for a while: Retry-After, as of RFC 9110, section 10.2.3."""

from __future__ import annotations

from datetime import UTC
from email.utils import parsedate_to_datetime
from time import monotonic, time

BUSY = (429, 503)
"""Statuses that say "not now"."""

LONGEST_PAUSE = 300.0
"""Seconds: a server that asks for more is asked again after this."""


def seconds_asked(header: str, now: float) -> float:
    """Return the seconds that a Retry-After asks for, at most `LONGEST_PAUSE`; 0 where it asks for none.

    header: seconds, or a date. now: in seconds since 1970.

    >>> [seconds_asked(header, now=0) for header in ("120", "Thu, 01 Jan 1970 00:00:07 GMT", "1e9", "soon")]
    [120.0, 7.0, 0.0, 0.0]
    """
    header = header.strip()
    if header.isascii() and header.isdecimal():
        return min(float(header), LONGEST_PAUSE)
    try:
        date = parsedate_to_datetime(header)
        until = (date if date.tzinfo else date.replace(tzinfo=UTC)).timestamp()
    except (ValueError, OverflowError):
        return 0.0
    return min(max(until - now, 0.0), LONGEST_PAUSE)


class Pauses:
    """Until when hosts are left alone.

    >>> pauses = Pauses()
    >>> pauses.ask("example.org", "120")
    >>> pauses.is_over("example.org"), pauses.is_over("example.com")
    (False, True)
    """

    def __init__(self) -> None:
        self._until: dict[str, float] = {}

    def ask(self, host: str, header: str) -> None:
        """Note what a host asks for with a Retry-After."""
        seconds = seconds_asked(header, time())
        if seconds:
            self._until[host] = monotonic() + seconds

    def is_over(self, host: str) -> bool:
        """Tell whether a host may be asked again."""
        return monotonic() >= self._until.get(host, 0.0)
