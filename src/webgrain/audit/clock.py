"""Where the time of an audit goes."""

from __future__ import annotations

import time
from collections import defaultdict


class Clock:
    """Adds up seconds of processor time by stage: each lap is from the one before to now.

    >>> clock = Clock()
    >>> clock.start()
    >>> clock.lap("parse")
    >>> list(clock.seconds)
    ['parse']
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.start()

    def start(self) -> None:
        """Begin a lap: what was before counts for none."""
        self._last = time.process_time()

    def lap(self, stage: str) -> None:
        """End a lap, and begin the next one."""
        now = time.process_time()
        self.seconds[stage] += now - self._last
        self._last = now
