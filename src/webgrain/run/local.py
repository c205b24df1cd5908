"""Processes on one machine: a task is done with many arguments, and a process that dies loses nothing."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from multiprocessing.connection import wait
from typing import TYPE_CHECKING, Any, TypeVar

from webgrain.estimator import check_integer
from webgrain.results import Failure
from webgrain.run.worker import Job, Worker

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

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
        `webgrain.run.guard.Guard`, which tells at which of them a worker is when it hangs or dies: a page at
        which one hangs, or two die, becomes a `Failure` the next time. An argument of which `DEATHS` workers
        die while they are at no page gives a `Failure` with its name, in stage "run". What the task raises is
        raised here.

        Arguments are asked for one by one as workers become free. When the generator is closed, or anything
        is raised (Ctrl-C), all workers are ended at once. A script that calls this needs
        ``if __name__ == "__main__":``, as always where Python starts processes.

        >>> sorted(Local(2).map(abs, [3, -1, -2]))
        [(-2, 2), (-1, 1), (3, 3)]
        """
        with Crew(self.workers or _cores(), self.recycle) as crew:
            yield from crew.map(task, arguments)


def _cores() -> int:
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


class Crew:
    """Workers that stay from one task to the next, until it is left.

    size: how many at most; recycle: as in `Local`.

    >>> with Crew(size=1, recycle=RECYCLE) as crew:
    ...     [*crew.map(abs, [-1]), *crew.map(str, [2])]
    [(-1, 1), (2, '2')]
    """

    def __init__(self, size: int, recycle: int) -> None:
        self._size, self._recycle = size, recycle
        self._again: deque[Job] = deque()
        self._workers: list[Worker] = []

    def __enter__(self) -> Crew:
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
