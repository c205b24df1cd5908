"""Engines by name: what runs a task with many arguments."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Literal, Protocol, TypeVar, get_args

from webgrain.errors import ParameterError
from webgrain.results import Failure

A = TypeVar("A")
R = TypeVar("R")

EngineName = Literal["local", "ray"]


class Engine(Protocol):
    """What runs a task with many arguments."""

    def map(self, task: Callable[[A], R], arguments: Iterable[A]) -> Iterator[tuple[A, R | Failure]]:
        """Go through arguments and results as they are completed; see `webgrain.engines.local.Local.map`."""


def engine(name: EngineName = "local", workers: int | None = None) -> Engine:
    """Return an engine; workers: arguments that are done at a time; None: one for each core.

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
