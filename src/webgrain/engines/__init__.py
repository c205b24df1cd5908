"""Engines: run a task for many arguments, in local processes or on a Ray cluster."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeVar, get_args

from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure

A = TypeVar("A")
R = TypeVar("R")

EngineName = Literal["local", "ray"]


class Engine(Protocol):
    """Runs a task for many arguments."""

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Yield (argument, result) pairs in order of completion; see `webgrain.engines.local.Local.map`."""


def engine(name: EngineName = "local", workers: int | None = None) -> Engine:
    """Return an engine.

    Args:
        name: "local" or "ray".
        workers: number of arguments that are processed in parallel; None: one per core.

    >>> dict(engine("local", workers=1).map(len, ["ab", "cde"]))
    {'ab': 2, 'cde': 3}
    """
    if name == "local":
        from webgrain.engines.local import Local

        return Local(workers)
    if name == "ray":
        from webgrain.engines.ray import Ray

        return Ray(workers)
    raise ParameterError(f"engine must be one of {', '.join(get_args(EngineName))}, got {name!r}.")
