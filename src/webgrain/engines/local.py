"""Local engine: run a task for many arguments in processes of this machine.

`concurrent.futures.ProcessPoolExecutor` recycles workers, but when one worker dies it ends all of them and
does not report which task was lost, and it cannot stop a single worker that hangs. Here every worker has a
separate pipe, so a page that hangs or crashes costs only the argument it belongs to, which is repeated
without the page.

Ctrl-C reaches all processes of a terminal. Workers ignore it, and the parent ends them. A worker that has
just started would end with a traceback before it can ignore the signal, so it starts with the signal blocked.
Workers also end when the parent dies: on Linux at once, elsewhere after the current argument.
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
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any, TypeVar

from webgrain.base.estimator import check_integer
from webgrain.base.failures import Failure
from webgrain.base.garbage import collect_seldom
from webgrain.engines.guard import SharedStep, Watch, memory_of, running_step, under

A = TypeVar("A")
R = TypeVar("R")

DEATHS = 3
"""Number of workers that may die of one argument outside of any page before it fails; hand-set."""

RECYCLE = 64
"""Arguments after which a worker is replaced, so that leaked memory does not accumulate; hand-set."""

INTERVAL = 0.25
"""Seconds between two checks of the limits of the workers; hand-set."""

START = multiprocessing.get_context("spawn")
"""How processes are started: a fork of a process with threads can hang."""

_ONE_THREAD = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
_PARENT_DEATH_SIGNAL = 1  # PR_SET_PDEATHSIG


@dataclass(frozen=True, slots=True)
class Local:
    """Processes on this machine.

    Attributes:
        workers: number of processes; None: one per core that this process may use.
    """

    workers: int | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_integer(self, "workers", low=1)

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Run a task for each argument; yield (argument, result) pairs in order of completion.

        Args:
            task: a module-level function, or a `functools.partial` of one. Arguments and results are
                pickled, so they should be small. A task may run again for the same argument if its worker
                died, so it writes files under a temporary name and renames them when they are complete.
            arguments: read one by one as workers become free.

        Pages must be processed with `webgrain.engines.guard.Guard`, which records the current page. A page on
        which a worker hangs once or dies twice becomes a `Failure` in the next run. An argument for which
        `DEATHS` workers die outside of any page yields a `Failure` with stage "run". Exceptions of the task
        are raised here.

        All workers end when the generator is closed or raises, for example on Ctrl-C. A script that calls
        this method needs ``if __name__ == "__main__":``, like every script that starts processes.

        >>> sorted(Local(2).map(abs, [3, -1, -2]))
        [(-2, 2), (-1, 1), (3, 3)]
        """
        with self.pool() as pool:
            yield from pool.map(task, arguments)

    def pool(self) -> Pool:
        """Return the processes, which run several tasks one after the other."""
        return Pool(self.workers or cores())


def cores() -> int:
    """Return the number of cores that this process may use.

    >>> cores() > 0
    True
    """
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Pool:
    """Workers that stay alive between tasks, until the end of the ``with`` block.

    size: most workers.

    >>> with Pool(size=1) as pool:
    ...     [*pool.map(abs, [-1]), *pool.map(str, [2])]
    [(-1, 1), (2, '2')]
    """

    def __init__(self, size: int) -> None:
        self._size = size
        self._repeat: deque[Job] = deque()
        self._workers: list[Worker] = []

    def __enter__(self) -> Pool:
        return self

    def __exit__(self, *error: object) -> None:
        while self._workers:
            self._workers.pop().stop()

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Run a task as `Local.map` does; it begins when the previous task has ended."""
        jobs = map(Job, arguments)
        self._assign(task, jobs)
        while busy := self._busy():
            results = [self._receive(busy.pop(ready)) for ready in wait(list(busy), INTERVAL)]
            for worker in busy.values():
                if worker.exceeds_limits():
                    self._stop(worker)
            self._assign(task, jobs)
            yield from filter(None, results)

    def _busy(self) -> dict[Any, Worker]:
        return {worker.connection: worker for worker in self._workers if worker.job}

    def _assign(self, task: Callable[[Any], Any], jobs: Iterator[Job]) -> None:
        """Give a job to every idle worker; start workers up to the size of the pool."""
        while len(self._busy()) < self._size:
            job = self._repeat.popleft() if self._repeat else next(jobs, None)
            if job is None:
                return
            idle = next((worker for worker in self._workers if not worker.job), None)
            if idle is None:
                idle = Worker()
                self._workers.append(idle)
            idle.send(task, job)

    def _receive(self, worker: Worker) -> tuple[Any, Any] | None:
        """Return the argument and the result of a worker; None if it died and the job is repeated."""
        job = worker.job
        assert job is not None
        try:
            done, result = worker.connection.recv()
        except (EOFError, OSError):  # OSError: it died while it was sending
            worker.blame_death()
            self._stop(worker)
            failure = Failure(str(job.argument), "run", job.reason)
            return (job.argument, failure) if job.deaths >= DEATHS else None
        worker.job = None
        if not done:
            raise result
        if worker.jobs >= RECYCLE:
            self._stop(worker)
        return job.argument, result

    def _stop(self, worker: Worker) -> None:
        """Stop a worker; its job is repeated unless too many workers died of it."""
        if worker.job and worker.job.deaths < DEATHS:
            self._repeat.append(worker.job)
        self._workers.remove(worker)
        worker.stop()


@dataclass(slots=True, eq=False)
class Job:
    """An argument to process.

    Attributes:
        argument: the argument.
        skip: steps that must not run again, and why.
        suspects: steps during which a worker died; it may have died for another reason.
        deaths: number of workers that died outside of any step.
        reason: why the last worker died.
    """

    argument: Any
    skip: dict[bytes, str] = field(default_factory=dict)
    suspects: set[bytes] = field(default_factory=set)
    deaths: int = 0
    reason: str = ""


class Worker:
    """A process that runs jobs, as seen from its parent.

    Attributes:
        connection: readable when the job is done or the process is dead.
        job: the current job, or None.
        jobs: number of jobs that were sent.
    """

    def __init__(self) -> None:
        self.connection, theirs = START.Pipe()
        self.job: Job | None = None
        self.jobs = 0
        self._place = START.RawValue(SharedStep)
        self._process = START.Process(target=_work, args=(theirs, self._place), daemon=True)
        before = dict(os.environ)
        os.environ.update(dict.fromkeys(_ONE_THREAD, "1"))  # there is one worker per core
        try:
            start_uninterrupted(self._process)
        finally:
            for name in _ONE_THREAD:
                del os.environ[name]
            os.environ.update({name: before[name] for name in _ONE_THREAD if name in before})
        theirs.close()

    def send(self, task: Callable[[Any], Any], job: Job) -> None:
        """Send a job."""
        self.job = job
        self.jobs += 1
        with suppress(ConnectionError):  # the process is dead, which receiving will show
            self.connection.send((task, job.argument, job.skip))

    def blame_death(self) -> None:
        """Record on the job during which step the worker died.

        The step is skipped when a second worker dies during it: the first may have been killed by somebody,
        or because the machine ran out of memory. A common step of several items is skipped at once, and so is
        that of one of these items later.
        """
        self._process.join(timeout=5)  # a process that closed its pipe may still run
        step, code, job = running_step(self._place), self._process.exitcode or 0, self.job
        assert job is not None
        how = f"by signal {-code}" if code < 0 else f"with exit code {code}"
        job.reason = f"the process that worked on it ended {how}."
        if step is None:
            job.deaths += 1
        elif step.is_last or step.key in job.suspects:
            job.skip[step.key] = job.reason
        else:
            job.suspects.add(step.key)

    def exceeds_limits(self) -> bool:
        """Whether the current step exceeds its hard limits; if so, the job skips it from now on."""
        step, memory = running_step(self._place), memory_of(self._process.pid or 0)
        if step is None or self.job is None:
            return False
        if step.exceeds_time(self._process.pid or 0):
            reason = f"it takes longer than {step.seconds:g} s and heeds no interruption."
        elif memory and memory.resident > step.memory:
            reason = f"the process that worked on it grew beyond {step.memory / 2**20:.0f} MB."
        else:
            return False
        self.job.reason = self.job.skip[step.key] = reason
        return True

    def stop(self) -> None:
        """Kill the process."""
        self._process.kill()
        self._process.join()
        self._process.close()
        self.connection.close()


def start_uninterrupted(process: BaseProcess) -> None:
    """Start a process with Ctrl-C blocked until it calls `ignore_interrupts`."""
    if not hasattr(signal, "pthread_sigmask"):
        process.start()
        return
    resource_tracker.ensure_running()  # otherwise it starts below, and unblocks the signal
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        process.start()
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def ignore_interrupts() -> None:
    """Ignore Ctrl-C in this process, also one that was blocked so far."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _work(connection: Connection[Any, Any], place: Any) -> None:
    """Run jobs until the parent closes the connection: the main function of a worker."""
    ignore_interrupts()
    collect_seldom()
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(_PARENT_DEATH_SIGNAL, signal.SIGKILL)
    parent = multiprocessing.parent_process()
    if parent is None or not parent.is_alive():
        os._exit(1)
    while True:
        try:
            data = connection.recv_bytes()
        except EOFError:
            return
        try:
            task, argument, skip = pickle.loads(data)  # raises if the task cannot be imported
            with under(Watch(place, skip)):
                result = task(argument)
            connection.send((True, result))
        except Exception as error:
            connection.send((False, _portable(error)))


def _portable(error: Exception) -> Exception:
    """Return an exception that can be pickled, with its traceback as a note."""
    error.add_note("".join(traceback.format_exception(error)).rstrip())
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
