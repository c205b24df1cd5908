"""Ctrl-C reaches all processes of a terminal, and is meant for the one that was called.

Those that it starts are ended by it. Until they can say that they ignore the signal they import for a while,
and would end with a traceback; so they are started with the signal held back.

A process that does arguments of a task one after another, and how the one that started it sees it.

A worker ends with the process that started it, however that ends: on Linux at once, elsewhere when it has
done the argument that it is at.

Processes on one machine: a task is done with many arguments, and a process that dies loses nothing.
"""

from __future__ import annotations

import ctypes
import multiprocessing
import os
import pickle
import signal
import sys
import traceback
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from webgrain.engines.guard import Place, Watch, memory_of, step_of, under
from webgrain.estimator import check_integer
from webgrain.results import Failure

Task = Callable[[Any], Any]


def start_deaf(process: BaseProcess) -> None:
    """Start a process that does not hear Ctrl-C until it calls `ignore_interrupts`; this one does, after."""
    if not hasattr(signal, "pthread_sigmask"):
        process.start()
        return
    resource_tracker.ensure_running()  # else it is started below, which lets the signal through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in this process; one that was held back is forgotten."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


@dataclass(slots=True, eq=False)
class Job:
    """An argument that is to be done.

    Attributes:
        argument: as it was given.
        skip: steps with pages that must not be taken again, and why not.
        suspects: steps at which a worker died; it may have died for another reason.
        deaths: how many workers died while they were at no page.
        reason: what the last of them died of.
    """

    argument: Any
    skip: dict[bytes, str] = field(default_factory=dict)
    suspects: set[bytes] = field(default_factory=set)
    deaths: int = 0
    reason: str = ""

    def blame(self, step: bytes | None, reason: str, *, sure: bool) -> None:
        """Take note that a worker died at a step; None: at no page.

        sure: because of that step. Else it is only skipped when it happens there again: the machine may have
        run out of memory, or somebody has ended the worker.
        """
        self.reason = reason
        if step is None:
            self.deaths += 1
        elif sure or step in self.suspects:
            self.skip[step] = reason
        else:
            self.suspects.add(step)


class Worker:
    """A process that works, seen from the one that started it.

    Attributes:
        connection: can be read from when there is an answer, or the process is dead.
        job: what it is at; None: nothing.
        begun: how many arguments it was given.
    """

    def __init__(self) -> None:
        context = multiprocessing.get_context("spawn")  # what is forked from a process with threads can hang
        self.connection, theirs = context.Pipe()
        self.job: Job | None = None
        self.begun = 0
        self._place = context.RawValue(Place)
        self._process = context.Process(target=_work, args=(theirs, self._place), daemon=True)
        with _one_thread():
            start_deaf(self._process)
        theirs.close()

    def begin(self, task: Task, job: Job) -> None:
        """Give it something to do."""
        self.job = job
        self.begun += 1
        with suppress(ConnectionError):  # it is dead, which asking for the answer will show
            self.connection.send((task, job.argument, job.skip))

    def answer(self) -> tuple[bool, Any]:
        """Return whether its job was done, and the result or what was raised; `EOFError`: it is dead."""
        done, told = self.connection.recv()
        self.job = None
        return done, told

    def blame_death(self) -> None:
        """Note on its job at which step it died."""
        self._process.join(timeout=5)  # it may live on, though it does not answer any more
        step, code = step_of(self._place), self._process.exitcode or 0
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        if self.job:
            self.job.blame(step and step.key, f"the process that worked on it ended {how}.", sure=False)

    def blame_excess(self) -> bool:
        """Note on its job if the step that it is at goes beyond its hard limits."""
        step, use = step_of(self._place), memory_of(self._process.pid or 0)
        if step is None or self.job is None:
            return False
        if step.taken > step.seconds:
            reason = f"it takes longer than {step.seconds:g} s and heeds no interruption."
        elif use and use.resident > step.memory:
            reason = f"the process that worked on it grew beyond {step.memory / 2**20:.0f} MB."
        else:
            return False
        self.job.blame(step.key, reason, sure=True)
        return True

    def end(self) -> None:
        """End it now."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


def _work(connection: Connection[Any, Any], place: Any) -> None:
    """Do what is asked for: all that the new process does."""
    ignore_interrupts()
    _end_with_parent()
    while True:
        try:
            task, argument, skip = connection.recv()
        except EOFError:  # nobody asks any more
            return
        except Exception as error:  # the task cannot be found by its name
            connection.send((False, _portable(error)))
            continue
        try:
            with under(Watch(place, skip)):
                connection.send((True, task(argument)))
        except Exception as error:
            connection.send((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """Return an error that survives the way to the other process."""
    error.add_note("".join(traceback.format_exception(error)).rstrip())
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error


def _end_with_parent() -> None:
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or not parent.is_alive():
        os._exit(1)


@contextmanager
def _one_thread() -> Iterator[None]:
    """Let processes that are started now calculate with one thread each: there is one for each core."""
    before = {name: os.environ.get(name) for name in _ONE_THREAD}
    os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))
    try:
        yield
    finally:
        for name, value in before.items():
            if value is None:
                del os.environ[name]
            else:
                os.environ[name] = value


A = TypeVar("A")
R = TypeVar("R")

DEATHS = 3
"""Workers that may die of one argument while they are at no page, until it is given up."""

RECYCLE = 64
"""Arguments after which a worker is replaced."""

_LOOK = 0.25
"""Seconds between two looks at what the workers are at."""


@dataclass(frozen=True, slots=True)
class Local:
    """Processes on this machine.

    Attributes:
        workers: how many; None: as many as there are cores for this process.
        recycle: arguments after which a worker is replaced by a new one, so that no memory piles up.
    """

    workers: int | None = None
    recycle: int = RECYCLE

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_integer(self, "workers", low=1)
        check_integer(self, "recycle", low=1)

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Do a task with each of many arguments; go through arguments and results as they are completed.

        task: a function of a module, or a `functools.partial` of one, with small results: it, arguments and
        results travel between processes. It may be done again with an argument whose worker died, so it
        writes files under another name and renames them when they are complete. Pages go through
        `webgrain.engines.guard.Guard`, which tells at which of them a worker is when it hangs or dies:
        a page at
        which one hangs, or two die, becomes a `Failure` the next time. An argument of which `DEATHS` workers
        die while they are at no page gives a `Failure` with its name, in stage "run". What the task raises is
        raised here.

        Arguments are asked for one by one as workers become free. When the generator is closed, or anything
        is raised (Ctrl-C), all workers are ended at once. A script that calls this needs
        ``if __name__ == "__main__":``, as always where Python starts processes.

        >>> sorted(Local(2).map(abs, [3, -1, -2]))
        [(-2, 2), (-1, 1), (3, 3)]
        """
        with Pool(self.workers or _cores(), self.recycle) as pool:
            yield from pool.map(task, arguments)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Pool:
    """Workers that stay from one task to the next, until it is left.

    size: how many at most; recycle: as in `Local`.

    >>> with Pool(size=1, recycle=RECYCLE) as pool:
    ...     [*pool.map(abs, [-1]), *pool.map(str, [2])]
    [(-1, 1), (2, '2')]
    """

    def __init__(self, size: int, recycle: int) -> None:
        self._size, self._recycle = size, recycle
        self._again: deque[Job] = deque()
        self._workers: list[Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        while self._workers:
            self._workers.pop().end()

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Do as `Local.map` does; a task begins when the one before has come to its end."""
        waiting = map(Job, arguments)
        self._employ(task, waiting)
        while busy := self._busy():
            answers = [self._hear(*busy.pop(ready)) for ready in wait(list(busy), _LOOK)]
            for worker, _ in busy.values():
                if worker.blame_excess():
                    self._dismiss(worker)
            self._employ(task, waiting)
            yield from filter(None, answers)

    def _busy(self) -> dict[Any, tuple[Worker, Job]]:
        """Return the workers that are at something, and what, by their connections."""
        return {worker.connection: (worker, worker.job) for worker in self._workers if worker.job}

    def _employ(self, task: Callable[[Any], Any], waiting: Iterator[Job]) -> None:
        """Give something to do to as many workers as there may be, as long as there is something."""
        while len(self._busy()) < self._size:
            job = self._again.popleft() if self._again else next(waiting, None)
            if job is None:
                return
            idle = next((worker for worker in self._workers if not worker.job), None)
            (idle or self._hire()).begin(task, job)

    def _hire(self) -> Worker:
        self._workers.append(Worker())
        return self._workers[-1]

    def _dismiss(self, worker: Worker) -> None:
        """End a worker; what it was at is done again, unless too many have died of it."""
        if worker.job and worker.job.deaths < DEATHS:
            self._again.append(worker.job)
        self._workers.remove(worker)
        worker.end()

    def _hear(self, worker: Worker, job: Job) -> tuple[Any, Any] | None:
        """Return the argument and the result of a job; None: the worker is dead, and it is done again."""
        try:
            done, told = worker.answer()
        except (EOFError, OSError):  # the second: dead in the middle of an answer
            worker.blame_death()
            self._dismiss(worker)
            lost = Failure(str(job.argument), "run", job.reason)
            return (job.argument, lost) if job.deaths >= DEATHS else None
        if not done:
            raise told
        if worker.begun >= self._recycle:
            self._dismiss(worker)
        return job.argument, told
