"""A cluster of machines: the same tasks with the same results as on one, run by Ray.

Each argument is a task of Ray with one core, which does it in a process of its own, as
`webgrain.engines.local.Local` does: a page that hangs or crashes takes no more than that process with
it. Where
Ray's own process or the whole machine is lost, Ray does the argument again, elsewhere.

What travels is the name of the task, arguments and small results, never pages: arguments name files, so they
lie where all machines see them, under the same paths. webgrain is installed on all of them.

Source: Moritz et al., Ray: a distributed framework for emerging AI applications, OSDI 2018.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

from webgrain.engines.local import DEATHS, RECYCLE, Pool
from webgrain.errors import ParameterError, require
from webgrain.estimator import check_integer
from webgrain.results import Failure

A = TypeVar("A")
R = TypeVar("R")

_AHEAD = 2
"""Arguments that wait or run for each worker: enough that none waits for the process that gives them out."""

_STORE = 100 * 2**20
"""Bytes of the object store of a cluster that is started here; hardly anything is put into it."""


@dataclass(frozen=True, slots=True)
class Ray:
    """A Ray cluster.

    Attributes:
        workers: arguments that are done at a time; None: as many as the cluster has cores.
        address: of the cluster; None: the one that ``RAY_ADDRESS`` names, else one with so many workers is
            started on this machine, and ends with this process. Where Ray is running already, that is used.

    >>> Ray(workers=0)
    Traceback (most recent call last):
    webgrain.errors.ParameterError: Ray: workers must be an integer of at least 1, got 0.
    """

    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_integer(self, "workers", low=1)

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Do a task with each of many arguments, as `webgrain.engines.local.Local.map` does.

        A machine or a process that is lost costs nothing but time; an argument with which that happens
        `webgrain.engines.local.DEATHS` times gives a `Failure` with its name.
        """
        _check(task)
        self.start()
        ray = require("ray", "ray", "The Ray engine")
        workers = self.workers or max(1, int(ray.cluster_resources().get("CPU", 1)))
        run = ray.remote(num_cpus=1, max_retries=DEATHS - 1)(_run)
        running: dict[Any, A] = {}
        try:
            for argument in arguments:
                running[run.remote(task, argument)] = argument
                if len(running) >= _AHEAD * workers:
                    yield from _completed(ray, running)
            while running:
                yield from _completed(ray, running)
        finally:
            for reference in running:
                ray.cancel(reference, force=True)

    def start(self) -> None:
        """Connect to the cluster, or start it; `map` does so by itself.

        Raises `MissingExtraError` without Ray, and what Ray raises where there is no cluster.
        """
        ray = require("ray", "ray", "The Ray engine")
        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        new = self.address is None and "RAY_ADDRESS" not in os.environ
        own = {"num_cpus": self.workers, "object_store_memory": _STORE, "include_dashboard": False}
        ray.init(self.address, log_to_driver=False, logging_level="ERROR", **(own if new else {}))


def _check(task: Any) -> None:
    function = task.func if isinstance(task, partial) else task
    if getattr(function, "__module__", "") == "__main__":
        raise ParameterError(
            "A task for a cluster must be a function of a module that all machines have, "
            f"got {function.__name__} of a script."
        )


@cache
def _pool() -> Pool:
    """Return the process that does the work of this one; it stays, since to start one takes a second here."""
    return Pool(size=1, recycle=RECYCLE)


def _run(task: Callable[[Any], Any], argument: Any) -> Any:
    """Do one argument."""
    [(_, result)] = _pool().map(task, [argument])
    return result


def _completed(ray: Any, running: dict[Any, A]) -> Iterator[tuple[A, Any]]:
    """Wait for at least one that runs, and go through those that are completed."""
    ready, _ = ray.wait(list(running), num_returns=1)
    for reference in ready:
        argument = running.pop(reference)
        try:
            yield argument, ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except _lost(ray) as error:
            yield argument, Failure(str(argument), "run", " ".join(str(error).split()))


def _lost(ray: Any) -> tuple[type[Exception], ...]:
    """Return what Ray raises when it has tried often enough."""
    return ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError
