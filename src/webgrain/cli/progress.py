"""Progress of long commands on stderr: a bar on a terminal, otherwise a line every half minute."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any, Protocol, TypeVar

T = TypeVar("T")

LINE_SECONDS = 30.0
"""Seconds between two lines of progress, and before the first one."""


class Advance(Protocol):
    """Called when a stage has completed pages."""

    def __call__(self, stage: str, pages: int, total: int | None = None) -> object:
        """Add a number of completed pages; total: all pages of the stage, None if unknown."""


@contextmanager
def progress(records: bool = True) -> Iterator[Advance]:
    """Give a function to call with a stage, a number of completed pages, and all of them if they are known.

    records: whether records go to stdout meanwhile; there is no bar if they go to the same terminal.
    """
    if not sys.stderr.isatty():
        yield _Lines(_print_line)
    elif records and sys.stdout.isatty():
        yield lambda stage, pages, total=None: None
    else:
        with _bar() as advance:
            yield advance


def announced(items: Iterable[T], stage: str, total: int | None = None) -> Iterator[T]:
    """Yield items and show how many were read; total: number of items, None if unknown.

    Nothing may be written to stdout meanwhile.

    >>> list(announced("ab", "learn", 2))
    ['a', 'b']
    """
    with progress(records=False) as advance:
        for item in items:
            yield item
            advance(stage, 1, total)


@dataclass(slots=True)
class StageProgress:
    """How far a stage is.

    Attributes:
        start: seconds of a clock; done: completed pages; total: all pages, None if unknown.
    """

    start: float
    done: int = 0
    total: int | None = None

    def add(self, pages: int, total: int | None) -> None:
        """Add completed pages; a total that is too small is ignored."""
        self.done += pages
        self.total = None if total is None or total < self.done else total

    def text(self, stage: str, now: float) -> str:
        """Return the progress in words: pages, pages per second, and remaining minutes and seconds.

        >>> StageProgress(0.0, 1200, 5000).text("extract", 60.0)
        'extract: 1,200 of 5,000, 20.0 per second, 3:10 left'
        >>> StageProgress(0.0, 7).text("read", 70.0)
        'read: 7, 6.0 per minute'
        """
        seconds = now - self.start
        parts = [f"{stage}: {self.done:,}"]
        if self.total is not None:
            parts[0] += f" of {self.total:,}"
        if seconds > 0 and self.done:
            rate = self.done / seconds
            parts.append(f"{rate:,.1f} per second" if rate >= 1 else f"{60 * rate:.1f} per minute")
            if self.total is not None:
                parts.append(f"{_clock((self.total - self.done) / rate)} left")
        return ", ".join(parts)


def _clock(seconds: float) -> str:
    """Return a duration as minutes and seconds, or as hours, minutes and seconds.

    >>> _clock(190.2), _clock(3700)
    ('3:10', '1:01:40')
    """
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


@dataclass(slots=True)
class _Stages:
    """The progress of each stage; last: seconds of the clock at the last call."""

    last: float
    stages: dict[str, StageProgress] = field(default_factory=dict)

    def add(self, stage: str, pages: int, total: int | None, now: float) -> StageProgress:
        """Add completed pages, and return the progress of their stage."""
        # A stage begins when the one before it has ended.
        progress = self.stages.setdefault(stage, StageProgress(self.last))
        progress.add(pages, total)
        self.last = now
        return progress


class _Lines:
    """Prints the progress of the current stage now and then; short commands print nothing."""

    def __init__(self, write: Callable[[str], object], clock: Callable[[], float] = time.monotonic) -> None:
        self._write = write
        self._clock = clock
        self._last_line = clock()
        self._stages = _Stages(self._last_line)

    def __call__(self, stage: str, pages: int, total: int | None = None) -> None:
        now = self._clock()
        progress = self._stages.add(stage, pages, total, now)
        if now - self._last_line >= LINE_SECONDS:
            self._write(progress.text(stage, now))
            self._last_line = now


def _print_line(text: str) -> None:
    print(f"webgrain: {text}", file=sys.stderr, flush=True)


@contextmanager
def _bar() -> Iterator[Advance]:
    """Show a bar for each stage on the terminal of stderr."""
    from rich.console import Console
    from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("{task.description}"), BarColumn(20), TimeElapsedColumn())
    # If stdout were redirected, the bar would delete the records.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        stages = _Stages(time.monotonic())
        tasks: dict[str, Any] = {}

        def advance(stage: str, pages: int, total: int | None = None) -> None:
            now = time.monotonic()
            progress = stages.add(stage, pages, total, now)
            if stage not in tasks:
                tasks[stage] = bar.add_task(stage, total=None)
            text = progress.text(stage, now)
            bar.update(tasks[stage], completed=progress.done, total=progress.total, description=text)

        yield advance
