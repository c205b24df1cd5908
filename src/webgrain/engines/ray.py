"""Ray engine: run a task for many arguments on a cluster, with the same results as on one machine.

Each argument is a Ray task with one core. It runs in a separate process, as in `webgrain.engines.local`, so
a page that hangs or crashes ends only that process. If the process of Ray or the machine is lost, Ray repeats
the argument elsewhere.

Only names of tasks, arguments and small results are sent, never pages. Arguments name files that all machines
see under the same paths. webgrain must be installed on all machines.

Source: Moritz et al., Ray: a distributed framework for emerging AI applications, OSDI 2018.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from functools import cache, partial
from typing import Any, TypeVar

from webgrain.base.errors import ParameterError, require
from webgrain.base.estimator import check_integer
from webgrain.base.failures import Failure
from webgrain.engines.local import DEATHS, Pool

A = TypeVar("A")
R = TypeVar("R")

_AHEAD = 2  # arguments per worker that wait or run, so that no worker is idle; hand-set
_STORE = 100 * 2**20  # bytes of the object store of a cluster that is started here; it stays almost empty


@dataclass(frozen=True, slots=True)
class Ray:
    """A Ray cluster.

    Attributes:
        workers: number of arguments that run in parallel; None: one per core of the cluster.
        address: address of the cluster; None: the address in ``RAY_ADDRESS``, or a new cluster on this
            machine that ends with this process. If Ray is already running, it is used.

    >>> Ray(workers=0)
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: Ray: workers must be an integer of at least 1, got 0.
    """

    workers: int | None = None
    address: str | None = None

    def __post_init__(self) -> None:
        if self.workers is not None:
            check_integer(self, "workers", low=1)

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Run a task for each argument, as `webgrain.engines.local.Local.map` does.

        An argument with which `webgrain.engines.local.DEATHS` processes or machines are lost yields a
        `Failure`.
        """
        function = task.func if isinstance(task, partial) else task
        if getattr(function, "__module__", "") == "__main__":
            raise ParameterError(
                "A task for a cluster must be a function of a module that all machines have, "
                f"got {function.__name__} of a script."
            )
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
        """Connect to the cluster, or start one; `map` calls this.

        Raises `MissingExtraError` without Ray, and the exceptions of Ray if it cannot connect.
        """
        ray = require("ray", "ray", "The Ray engine")
        if ray.is_initialized():
            return
        os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
        new = self.address is None and "RAY_ADDRESS" not in os.environ
        resources = {"num_cpus": self.workers, "object_store_memory": _STORE, "include_dashboard": False}
        ray.init(self.address, log_to_driver=False, logging_level="ERROR", **(resources if new else {}))


@cache
def _pool() -> Pool:
    """Return the pool of this Ray worker: one process, which stays, because starting it takes a second."""
    return Pool(size=1)


def _run(task: Callable[[Any], Any], argument: Any) -> Any:
    [(_, result)] = _pool().map(task, [argument])
    return result


def _completed(ray: Any, running: dict[Any, A]) -> Iterator[tuple[A, Any]]:
    """Wait for at least one task and yield the completed ones."""
    lost = (ray.exceptions.WorkerCrashedError, ray.exceptions.NodeDiedError, ray.exceptions.OutOfMemoryError)
    ready, _ = ray.wait(list(running), num_returns=1)
    for reference in ready:
        argument = running.pop(reference)
        try:
            yield argument, ray.get(reference)
        except ray.exceptions.RayTaskError as error:
            raise error.cause from None
        except lost as error:
            yield argument, Failure(str(argument), "run", " ".join(str(error).split()))
