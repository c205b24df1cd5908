"""Bounded time and memory of one page: a page that wants more becomes a failure, and the run goes on.

Two bounds, one inside the other:

- The soft one is in the process. A timer interrupts the step; memory that is asked for beyond the limit is
  refused. Nothing is lost but this page, and it costs some ten microseconds a step.
- A loop in C sees no timer, and code in C may not survive that it is refused memory. So a worker of
  `webgrain.run.local` tells the process that watches it which page it is at. That process ends a worker that
  takes more than `HARD` times the limits, and does its argument again in a new one, without that page.

The timer needs the main thread of a process and a Unix; the limit of memory needs Linux. Elsewhere there is
no bound of that kind. A browser that is started within a step inherits the limit of memory: start it before.
"""

from __future__ import annotations

import math
import signal
import threading
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

from webgrain.errors import LimitError
from webgrain.estimator import check_integer, check_number
from webgrain.run.attempt import attempt
from webgrain.run.watch import current, key_of, memory_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from contextlib import AbstractContextManager

    from webgrain.results import Failure
    from webgrain.run.attempt import Named
    from webgrain.run.watch import Memory

T = TypeVar("T")

HARD = 2.0
"""How many times its limits a step may take before the worker is ended from outside."""

_AGAIN = 0.5
"""Seconds after which a step that swallowed the first interruption is interrupted again."""


@dataclass(frozen=True, slots=True)
class Guard:
    """The most that one step with one page may take.

    Attributes:
        seconds: time by the clock.
        megabytes: memory beyond what the process has when the step begins.

    >>> import time
    >>> from webgrain.page.page import Source
    >>> page = Source("a.html", b"<p>Hello")
    >>> Guard().call(page, "count", lambda page: len(page.body))
    8
    >>> Guard(seconds=0.05).call(page, "sleep", lambda page: time.sleep(60)).error
    'it takes longer than 0.05 s.'
    """

    seconds: float = 30
    megabytes: int = 1024

    def __post_init__(self) -> None:
        check_number(self, "seconds", low=0.001)
        check_integer(self, "megabytes", low=1)

    def call(self, item: Named | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
        """Take one step with one page, as `webgrain.run.attempt.attempt` does, within the limits."""
        return attempt(item, stage, partial(self._within, stage=stage, step=step))

    def _within(self, item: Named, stage: str, step: Callable[[Any], T]) -> T:
        use = memory_of()
        try:
            # The timer inside the others: no interruption comes while they are undone.
            with self._told(item, stage, use), _limited(self.megabytes, use), _interrupted(self.seconds):
                return step(item)
        except _Interruption:
            raise _error(stage, f"it takes longer than {self.seconds:g} s.") from None
        except MemoryError:
            raise _error(stage, f"it needs more than {self.megabytes} MB of memory.") from None

    def _told(self, item: Named, stage: str, use: Memory | None) -> AbstractContextManager[None]:
        """Tell who watches that the step begins; raise where it must not be taken again."""
        watch = current()
        if watch is None:
            return nullcontext()
        key = key_of(item.id, stage)
        if key in watch.skip:
            raise _error(stage, watch.skip[key])
        most = use.resident + HARD * self.megabytes * 2**20 if use else math.inf
        return watch.step(key, HARD * self.seconds, most)


class _Interruption(BaseException):
    """The time is over; no Exception, or the step itself might catch it."""


def _error(stage: str, reason: str) -> LimitError:
    error = LimitError(reason)
    error.stage = stage
    return error


@contextmanager
def _interrupted(seconds: float) -> Iterator[None]:
    """Raise `_Interruption` when the time is over, again and again until the step has ended."""
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        return
    over = False

    def interrupt(number: int, frame: object) -> None:
        if not over:
            raise _Interruption

    handler = signal.signal(signal.SIGALRM, interrupt)
    timer = (0.0, 0.0)
    try:
        try:
            timer = signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            yield
        finally:
            over = True
    finally:
        over = True  # an interruption may have come before the line above; the next one is far
        signal.setitimer(signal.ITIMER_REAL, *timer)
        signal.signal(signal.SIGALRM, handler)


@contextmanager
def _limited(megabytes: int, use: Memory | None) -> Iterator[None]:
    """Refuse memory beyond what is in use and some more."""
    if use is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = use.asked + megabytes * 2**20
    if before[0] != resource.RLIM_INFINITY:
        most = min(most, before[0])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
