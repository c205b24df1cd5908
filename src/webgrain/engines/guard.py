"""Take one step with one page: what goes wrong becomes a record, so that one page never ends a run.

What a worker tells the process that watches it: which page it is at, since when, and what that may take.

The two share a few bytes of memory, so that telling costs nothing and what was told last can still be read
when the worker is dead. A page is told by a key of its stage and id: an id can be longer than any place.

Bounded time and memory of one page: a page that wants more becomes a failure, and the run goes on.

Two bounds, one inside the other:

- The soft one is in the process. A timer interrupts the step; memory that is asked for beyond the limit is
  refused. Nothing is lost but this page, and it costs some ten microseconds a step.
- A loop in C sees no timer, and code in C may not survive that it is refused memory. So a worker of
  `webgrain.engines.local` tells the process that watches it which page it is at. That process ends a
  worker that
  takes more than `HARD` times the limits, and does its argument again in a new one, without that page.

The timer needs the main thread of a process and a Unix; the limit of memory needs Linux. Elsewhere there is
no bound of that kind. A browser that is started within a step inherits the limit of memory: start it before.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar

from webgrain.errors import LimitError, MissingExtraError, PageError
from webgrain.estimator import check_integer, check_number
from webgrain.results import Failure

T = TypeVar("T")


class Named(Protocol):
    """What a failure can name: a source, a page, a page with its segments."""

    @property
    def id(self) -> str:
        """Id of the page."""

    @property
    def url(self) -> str | None:
        """Address of the page, where known."""


def run_step(item: Named | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
    """Take one step with one page; what goes wrong becomes a `Failure`, so that one page never ends a run.

    `MissingExtraError` is raised: it would come up on every page.

    >>> from webgrain.page.page import Source
    >>> run_step(Source("a", b""), "count", lambda source: 1 / len(source.body)).error
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


KEY = 16
"""Bytes of a key."""


class Place(ctypes.Structure):
    """Where a worker is: key of the step it takes, what that step may take, and since when; 0: at none."""

    _fields_ = (
        ("key", ctypes.c_ubyte * KEY),
        ("seconds", ctypes.c_double),
        ("memory", ctypes.c_double),
        ("since", ctypes.c_double),
    )


class Step(NamedTuple):
    """A step that a worker takes: its key, its limits (seconds; bytes in memory), seconds since it began."""

    key: bytes
    seconds: float
    memory: float
    taken: float


def key_of(page: str, stage: str) -> bytes:
    """Return the key of a step with a page.

    >>> key_of("a", "read") == key_of("a", "apply")
    False
    """
    return blake2b(f"{stage}\0{page}".encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


@dataclass(slots=True, eq=False)
class Watch:
    """A worker's side: it tells its steps, and leaves out those that must not be taken again.

    Attributes:
        place: shared with the process that watches.
        skip: why a step is not taken again, by its key.

    >>> watch = Watch(Place())
    >>> with watch.step(b"k" * KEY, seconds=2, memory=1e9):
    ...     step_of(watch.place).seconds
    2.0
    >>> step_of(watch.place) is None
    True
    """

    place: Any
    skip: Mapping[bytes, str] = field(default_factory=dict)

    @contextmanager
    def step(self, key: bytes, seconds: float, memory: float) -> Iterator[None]:
        """Tell that a step begins, and that it has ended; a step may be within another."""
        around = bytes(self.place)
        self.place.key[:] = key
        self.place.seconds, self.place.memory = seconds, memory
        self.place.since = time.monotonic()  # last: from here on the rest is read
        try:
            yield
        finally:
            ctypes.memmove(ctypes.addressof(self.place), around, len(around))


def step_of(place: Any) -> Step | None:
    """Return the step that a worker is at; None: at none."""
    since = place.since
    if not since:
        return None
    return Step(bytes(place.key), place.seconds, place.memory, time.monotonic() - since)


_CURRENT: ContextVar[Watch | None] = ContextVar("watch", default=None)


def current() -> Watch | None:
    """Return the watch that this process is under; None: nobody watches."""
    return _CURRENT.get()


@contextmanager
def under(watch: Watch) -> Iterator[None]:
    """Work under a watch."""
    token = _CURRENT.set(watch)
    try:
        yield
    finally:
        _CURRENT.reset(token)


class Memory(NamedTuple):
    """Memory of a process in bytes: what is in use now, and what it has asked for."""

    resident: int
    asked: int


def memory_of(process: int | str = "self") -> Memory | None:
    """Return the memory of a process; None where that is not known: on Linux only, and while it lives.

    >>> use = memory_of()
    >>> use is None or use.asked > 10**6
    True
    """
    try:
        pages = Path(f"/proc/{process}/statm").read_bytes().split()
    except OSError:
        return None
    size = os.sysconf("SC_PAGE_SIZE")
    return Memory(size * int(pages[1]), size * int(pages[5]))


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
        """Take one step with one page, as `webgrain.engines.guard.run_step` does, within the limits."""
        return run_step(item, stage, partial(self._within, stage=stage, step=step))

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
