"""Steps with several pages that take turns, within limits, and with a failure for each page that fails."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, TypeVar

from webgrain.base.failures import Failure
from webgrain.engines.guard import HasId, run_all
from webgrain.page.turns import Steps, alone, in_turns

T = TypeVar("T")


def run_in_turns(
    group: Sequence[HasId | Failure], stage: str, steps: Callable[[Any], Steps[T]]
) -> list[T | Failure]:
    """Run the steps of a task for items that take turns, and return the result of each.

    The items have the limits of one item together; those that fail run again alone, see `run_all`.

    >>> from webgrain.page.page import Source
    >>> def length(source):
    ...     yield "read"
    ...     return 1 / len(source.body)
    >>> first, second = run_in_turns([Source("a", b"<p>A"), Source("b", b"")], "count", length)
    >>> first, second.page
    (0.25, 'b')
    """

    def together(numbers: Sequence[int]) -> list[T | Exception]:
        return in_turns(steps(group[number]) for number in numbers)

    return run_all(group, stage, together, lambda number: alone(steps(group[number])))


def single_step(function: Callable[[Any], T]) -> Callable[[Any], Steps[T]]:
    """Return a function as a task of one step, for `run_in_turns`.

    >>> run_in_turns([], "count", single_step(len))
    []
    """

    def steps(item: Any) -> Steps[T]:
        yield from ()
        return function(item)

    return steps
