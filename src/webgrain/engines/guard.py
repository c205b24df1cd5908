"""Process one page within limits of time and memory; an error becomes a `Failure` and the run continues.

There are two limits, one inside the other:

- The soft limit acts inside the process. A timer interrupts the step, and memory beyond the limit is refused.
  Only the page is lost. This costs some ten microseconds per step. Time is the processor time of the process,
  so that a page does not fail because the machine is busy; a step that waits has `WAITING` times as long.
- The hard limit acts from outside. A loop in C code ignores timers, and C code may crash when memory is
  refused. A worker of `webgrain.engines.local` therefore records in shared memory which step it runs. The
  parent process kills a worker that exceeds its limits by the factor `HARD` and repeats its argument without
  that page. The record survives the death of the worker. A step is identified by a hash of stage and page id,
  because an id can be longer than the shared memory.

Several items may be processed together within the limits of one (`Guard.call_all`). What fails then runs
again alone, so that failures and limits are those of the item. A death does not prove that the step is
at fault, since somebody may have killed the worker, so a step is left out after two deaths. A death during a
common step counts as the first one of each of its items.

The timer needs Unix and the main thread; the memory limit needs Linux. Elsewhere there is no such limit, see
`absent_limits`. A browser that starts within a step inherits the memory limit: start it before.
"""

from __future__ import annotations

import ctypes
import math
import os
import signal
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from contextvars import ContextVar
from dataclasses import dataclass, field
from functools import partial
from hashlib import blake2b
from typing import Any, NamedTuple, Protocol, TypeVar

from webgrain.base.errors import InputError, LimitError, MissingExtraError, PageError, ParameterError
from webgrain.base.estimator import check_integer, check_number
from webgrain.base.failures import Failure

S = TypeVar("S")
T = TypeVar("T")

HARD = 2.0
"""Factor by which a step may exceed its limits before its worker is killed; hand-set, not tuned."""

WAITING = 5.0
"""Factor by which the duration of a step may exceed the limit of its processor time; hand-set, not tuned."""

AGAIN = 0.5
"""Seconds after which a step that caught the first interruption is interrupted again; hand-set, not tuned."""

SUSPECTS = 8
"""Items that are left out one by one, since few of them without half may give a trivial result."""

MOST_LEFT_OUT = 4
"""Items that a common step leaves out, at most, if it raises with more than one of them; hand-set."""

KEY = 16
"""Bytes of the hash that identifies a step."""


class HasId(Protocol):
    """What a failure can name: a source, a page, or a result of a page."""

    @property
    def id(self) -> str:
        """Id of the page."""

    @property
    def url(self) -> str | None:
        """URL of the page, if known."""


def run_step(item: HasId | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
    """Call ``step(item)``; return a `Failure` if it raises. A `Failure` as ``item`` is returned unchanged.

    `MissingExtraError` is raised, because it would occur on every page. The limits of `limits` apply.

    >>> from webgrain.page.page import Source
    >>> run_step(Source("a", b""), "count", lambda source: 1 / len(source.body)).error
    'internal error: ZeroDivisionError: division by zero'
    """
    guard = _LIMITS.get()
    return guard.call(item, stage, step) if guard else _run(item, stage, step)


def run_all(
    items: Sequence[HasId | Failure],
    stage: str,
    together: Callable[[Sequence[int]], Sequence[T | Exception]],
    alone: Callable[[int], T],
) -> list[T | Failure]:
    """Call a step with several items as `run_step` calls it with one; see `Guard.call_all` for the arguments.

    >>> run_all([Failure("a", "read", "no page")], "count", lambda numbers: [], lambda number: number)
    [Failure(page='a', stage='read', error='no page', seconds=0.0, url=None)]
    """
    return _call_all(run_step, items, stage, together, alone)


def _call_all(
    call: Callable[[Any, str, Callable[[Any], Any]], Any],
    items: Sequence[HasId | Failure],
    stage: str,
    together: Callable[[Sequence[int]], Sequence[T | Exception]],
    alone: Callable[[int], T],
) -> list[T | Failure]:
    """Run a step with several items, see `Guard.call_all`; call: runs a step with one item."""
    names = {number: item.id for number, item in enumerate(items) if not isinstance(item, Failure)}
    results: dict[int, T | Failure] = {}
    group = _Group("\0".join(names.values()))
    if len(names) > 1:
        of_group = call(group, stage, lambda _: together(list(names)))
        if not isinstance(of_group, Failure):
            pairs = zip(names, of_group, strict=True)
            results |= {number: result for number, result in pairs if not isinstance(result, Exception)}
    watch = _WATCH.get()
    is_suspect = watch is not None and len(names) > 1 and step_key(group.id, stage) in watch.skip
    token = _SUSPECT.set(is_suspect)
    try:
        for number, item in enumerate(items):
            if number not in results:
                results[number] = call(item, stage, partial(_numbered, alone, number))
    finally:
        _SUSPECT.reset(token)
    return [results[number] for number in range(len(items))]


def run_together(
    items: Sequence[S], names: Sequence[str], stage: str, step: Callable[[Sequence[S]], T]
) -> tuple[T | None, list[Failure]]:
    """Call ``step(items)``; if it raises, call it without the items that are the reason, which are failures.

    names: of the items, in their order, for failures. A single item is searched by halves and then one by
    one, several by adding groups of items to those with which the step succeeds; so the step must change
    nothing. The result is None if more than `MOST_LEFT_OUT` items would be left out. Errors of the call and
    of the installation are raised, and so is a lack of memory, which is that of all items.

    >>> total, [failure] = run_together([1, 0, 2, 4], list("abcd"), "divide", lambda k: sum(4 / x for x in k))
    >>> total, failure.page
    (7.0, 'b')
    """
    result, reason = _try(step, items)
    if not reason:
        return result, []
    low, high = 0, len(items)
    while high - low > SUSPECTS:
        middle = (low + high) // 2
        is_in_first_half = not _try(step, [*items[:low], *items[middle:]])[1]
        low, high = (low, middle) if is_in_first_half else (middle, high)
    for suspect in range(low, high):
        result, other_reason = _try(step, [*items[:suspect], *items[suspect + 1 :]])
        if not other_reason:
            return result, [Failure(names[suspect], stage, reason)]
    result, reasons = _without_several(items, step)
    if result is not None:
        return result, [Failure(names[number], stage, reasons[number]) for number in sorted(reasons)]
    together = f"the {len(items)} pages of which it is one fail together: {reason}"
    return None, [Failure(names[0], stage, together)]


def _without_several(items: Sequence[S], step: Callable[[Sequence[S]], T]) -> tuple[T | None, dict[int, str]]:
    """Return the result without the items with which the step raises, and the reasons by their numbers.

    The result is None if these are more than `MOST_LEFT_OUT`. The step is called at most about
    2 (`MOST_LEFT_OUT` + 1) log2(n) times for n items.
    """
    kept: list[int] = []
    result: T | None = None
    reasons: dict[int, str] = {}
    groups = [range(len(items))]
    while groups and len(reasons) <= MOST_LEFT_OUT:
        group = groups.pop()
        numbers = [*kept, *group]
        made, reason = _try(step, [items[number] for number in numbers])
        if not reason:
            kept, result = numbers, made
        elif len(group) == 1:
            reasons[group[0]] = reason
        else:
            middle = len(group) // 2
            groups += [group[middle:], group[:middle]]
    return (None if len(reasons) > MOST_LEFT_OUT else result), reasons


def _try(step: Callable[[Sequence[S]], T], items: Sequence[S]) -> tuple[T | None, str]:
    """Return the result of a step with several items, or None and why it raised."""
    try:
        return step(items), ""
    except (MemoryError, MissingExtraError, ParameterError, InputError):
        raise
    except Exception as error:
        return None, _reason(error)


def _reason(error: Exception) -> str:
    text = str(error) if isinstance(error, PageError) else f"internal error: {type(error).__name__}: {error}"
    return " ".join(text.split())


def _run(item: HasId | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
    if isinstance(item, Failure):
        return item
    start = time.perf_counter()
    try:
        return step(item)
    except MissingExtraError:
        raise
    except Exception as error:
        stage = error.stage if isinstance(error, PageError) else stage
        reason = _reason(error)
    return Failure(item.id, stage, reason, time.perf_counter() - start, item.url)


class _Group(NamedTuple):
    """Several items, as a step names them."""

    id: str
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Guard:
    """Limits of one step with one page.

    Attributes:
        seconds: processor time; None: no limit. See `WAITING` for the duration.
        megabytes: memory in addition to what the process uses when the step begins.

    >>> import time
    >>> from webgrain.page.page import Source
    >>> page = Source("a.html", b"<p>Hello")
    >>> Guard().call(page, "count", lambda page: len(page.body))
    8
    >>> Guard(seconds=0.05).call(page, "sleep", lambda page: time.sleep(60)).error
    'it takes longer than 0.05 s.'
    """

    seconds: float | None = 30
    megabytes: int = 1024

    def __post_init__(self) -> None:
        check_number(self, "seconds", low=0.001, optional=True)
        check_integer(self, "megabytes", low=1)

    def call(self, item: HasId | Failure, stage: str, step: Callable[[Any], T]) -> T | Failure:
        """Run a step as `run_step` does, within the limits."""
        return _run(item, stage, partial(self._within_limits, stage=stage, step=step))

    def call_all(
        self,
        items: Sequence[HasId | Failure],
        stage: str,
        together: Callable[[Sequence[int]], Sequence[T | Exception]],
        alone: Callable[[int], T],
    ) -> list[T | Failure]:
        """Run a step with several items within the limits of one; return the result of each item.

        together: returns the results of some items by their numbers, an exception for an item that fails.
        alone: returns that of an item by its number, within separate limits. It is called for the items
        that fail, and for all items if the limits are exceeded.

        >>> from webgrain.page.page import Source
        >>> bodies = b"<p>", b""
        >>> pages = [Source(name, body) for name, body in zip("ab", bodies)]
        >>> together, alone = lambda numbers: [0.3, ValueError()], lambda number: 1 / len(bodies[number])
        >>> first, second = Guard().call_all(pages, "divide", together, alone)
        >>> first, second.error
        (0.3, 'internal error: ZeroDivisionError: division by zero')
        """
        return _call_all(self.call, items, stage, together, alone)

    def _within_limits(self, item: HasId, stage: str, step: Callable[[Any], T]) -> T:
        watch, memory = _WATCH.get(), memory_of()
        key = step_key(item.id, stage) if watch else b""
        if watch is not None and key in watch.skip:
            raise _limit_error(stage, watch.skip[key])
        most = memory.resident + HARD * self.megabytes * 2**20 if memory else math.inf
        seconds = math.inf if self.seconds is None else self.seconds
        is_last = isinstance(item, _Group) or _SUSPECT.get()
        record = nullcontext() if watch is None else watch.step(key, HARD * seconds, most, is_last)
        try:
            # The timer is innermost, so that it cannot interrupt the exit of the other two.
            with record, _memory_limit(self.megabytes, memory), _time_limit(seconds):
                return step(item)
        except _Interruption:
            raise _limit_error(stage, f"it takes longer than {seconds:g} s.") from None
        except MemoryError:
            raise _limit_error(stage, f"it needs more than {self.megabytes} MB of memory.") from None


def _numbered(step: Callable[[int], T], number: int, item: object) -> T:
    """Return the result of a step with an item, which it knows by its number."""
    return step(number)


_SUSPECT: ContextVar[bool] = ContextVar("suspect", default=False)
"""Whether a worker died during the common step of the item that runs alone now."""

_LIMITS: ContextVar[Guard | None] = ContextVar("limits", default=None)


@contextmanager
def limits(guard: Guard) -> Iterator[None]:
    """Apply limits to all steps that `run_step` calls; outside of this context there are none.

    >>> import time
    >>> from webgrain.page.page import Source
    >>> with limits(Guard(seconds=0.05)):
    ...     run_step(Source("a.html", b""), "sleep", lambda page: time.sleep(60)).error
    'it takes longer than 0.05 s.'
    """
    token = _LIMITS.set(guard)
    try:
        yield
    finally:
        _LIMITS.reset(token)


class SharedStep(ctypes.Structure):
    """The step that a worker runs, in shared memory: key, hard limits, processor time used before, and start.

    A start of 0 means no step. is_last: whether the step is left out if the worker dies during it.

    The parent reads while the worker writes. The start is 0 while the other fields change, and the parent
    reads it before and after them.
    """

    _fields_ = (
        ("key", ctypes.c_ubyte * KEY),
        ("seconds", ctypes.c_double),
        ("memory", ctypes.c_double),
        ("used", ctypes.c_double),
        ("is_last", ctypes.c_bool),
        ("since", ctypes.c_double),
    )


class RunningStep(NamedTuple):
    """A step that a worker runs.

    Attributes:
        key: of the step; seconds, memory: hard limits, in seconds of processor time and resident bytes.
        used: processor time of the worker when the step began; taken: seconds since then.
        is_last: whether the step is left out if the worker dies during it.
    """

    key: bytes
    seconds: float
    memory: float
    used: float
    taken: float
    is_last: bool = False

    def exceeds_time(self, process: int) -> bool:
        """Return whether the step exceeds its limit of time; process: the id of that of the worker."""
        used = processor_time(process)
        taken = self.taken if used is None else used - self.used
        return taken > self.seconds or self.taken > WAITING * self.seconds


def step_key(page: str, stage: str) -> bytes:
    """Return the key of a step.

    >>> step_key("a", "read") == step_key("a", "apply")
    False
    """
    return blake2b(f"{stage}\0{page}".encode("utf-8", "surrogatepass"), digest_size=KEY).digest()


def running_step(place: Any) -> RunningStep | None:
    """Return the step that a worker runs; None without a step, and while the step changes."""
    since = place.since
    taken = time.monotonic() - since
    step = RunningStep(bytes(place.key), place.seconds, place.memory, place.used, taken, place.is_last)
    return step if since and place.since == since else None


@dataclass(slots=True, eq=False)
class Watch:
    """Records the steps of a worker for its parent process.

    Attributes:
        place: memory shared with the parent.
        skip: steps that must not run again, and why.

    >>> watch = Watch(SharedStep())
    >>> with watch.step(b"k" * KEY, seconds=2, memory=1e9):
    ...     running_step(watch.place).seconds
    2.0
    >>> running_step(watch.place) is None
    True
    """

    place: Any
    skip: Mapping[bytes, str] = field(default_factory=dict)

    @contextmanager
    def step(self, key: bytes, seconds: float, memory: float, is_last: bool = False) -> Iterator[None]:
        """Record the begin and the end of a step; steps may be nested."""
        place = self.place
        outer = bytes(place.key), place.seconds, place.memory, place.used, place.is_last, place.since
        self._write(key, seconds, memory, time.process_time(), is_last, time.monotonic())
        try:
            yield
        finally:
            self._write(*outer)

    def _write(
        self, key: bytes, seconds: float, memory: float, used: float, is_last: bool, since: float
    ) -> None:
        self.place.since = 0.0
        self.place.key[:] = key
        self.place.seconds, self.place.memory, self.place.used = seconds, memory, used
        self.place.is_last = is_last
        self.place.since = since


_WATCH: ContextVar[Watch | None] = ContextVar("watch", default=None)


@contextmanager
def under(watch: Watch) -> Iterator[None]:
    """Record the steps of this process with a watch."""
    token = _WATCH.set(watch)
    try:
        yield
    finally:
        _WATCH.reset(token)


class Memory(NamedTuple):
    """Memory of a process in bytes: resident, and requested (data segment)."""

    resident: int
    requested: int


def memory_of(process: int | str = "self") -> Memory | None:
    """Return the memory of a running process; None except on Linux.

    >>> memory = memory_of()
    >>> memory is None or memory.requested > 10**6
    True
    """
    try:  # called for each step of each page: this takes a third of the time of `Path.read_bytes`
        statm = os.open(f"/proc/{process}/statm", os.O_RDONLY)
        try:
            pages = os.read(statm, 256).split()
        finally:
            os.close(statm)
    except OSError:
        return None
    size = os.sysconf("SC_PAGE_SIZE")
    return Memory(size * int(pages[1]), size * int(pages[5]))


def absent_limits() -> tuple[str, ...]:
    """Return the limits of a page that this system lacks, in words; none on Linux.

    >>> set(absent_limits()) <= {"time (it needs Unix)", "memory (it needs Linux)"}
    True
    """
    absent = {
        "time (it needs Unix)": not hasattr(signal, "setitimer"),
        "memory (it needs Linux)": memory_of() is None,
    }
    return tuple(name for name, is_absent in absent.items() if is_absent)


def processor_time(process: int) -> float | None:
    """Return the seconds of processor time of a running process; None except on Linux.

    >>> used = processor_time(os.getpid())
    >>> used is None or used > 0
    True
    """
    try:
        with open(f"/proc/{process}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")  # in user code, and in the kernel


class _Interruption(BaseException):
    """The time limit is exceeded; a BaseException, so that a step does not catch it by accident."""


def _limit_error(stage: str, reason: str) -> LimitError:
    error = LimitError(reason)
    error.stage = stage
    return error


@contextmanager
def _time_limit(seconds: float) -> Iterator[None]:
    """Raise `_Interruption` after this processor time, or `WAITING` times as long, until the step ends."""
    limited = math.isfinite(seconds) and hasattr(signal, "setitimer")
    if not limited or threading.current_thread() is not threading.main_thread():
        yield
        return
    over = False

    def interrupt(number: int, frame: object) -> None:
        if not over:
            raise _Interruption

    handlers = {number: signal.signal(number, interrupt) for number in (signal.SIGPROF, signal.SIGALRM)}
    timers = {signal.ITIMER_PROF: (0.0, 0.0), signal.ITIMER_REAL: (0.0, 0.0)}
    try:
        try:
            timers[signal.ITIMER_REAL] = signal.setitimer(signal.ITIMER_REAL, WAITING * seconds, AGAIN)
            timers[signal.ITIMER_PROF] = signal.setitimer(signal.ITIMER_PROF, seconds, AGAIN)
            yield
        finally:
            over = True
    finally:
        over = True  # an interruption may have prevented the line above; the next one is AGAIN seconds away
        for timer, outer in timers.items():
            signal.setitimer(timer, *outer)
        for number, handler in handlers.items():
            signal.signal(number, handler)


@contextmanager
def _memory_limit(megabytes: int, memory: Memory | None) -> Iterator[None]:
    """Refuse memory beyond what the process has requested so far and some more."""
    if memory is None:
        yield
        return
    import resource

    before = resource.getrlimit(resource.RLIMIT_DATA)
    most = memory.requested + megabytes * 2**20
    if before[0] != resource.RLIM_INFINITY:
        most = min(most, before[0])
    resource.setrlimit(resource.RLIMIT_DATA, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, before)
