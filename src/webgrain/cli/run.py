"""Go through the results of a run: progress and failures."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TypeVar

from typer import Exit

from webgrain.report.outline import plain
from webgrain.results import Failure

T = TypeVar("T")

Write = Callable[[T | Failure], Failure | None]
"""Writes one result; returns a failure if something went wrong in writing it."""


def run(results: Iterable[T | Failure], output: AbstractContextManager[Write[T]], strict: bool) -> None:
    """Write all results to an output; failures also get a line on stderr, and with ``strict`` exit code 1."""
    found = failed = False
    with output as write, _progress() as advance:
        for result in results:
            found = True
            failure = write(result) or (result if isinstance(result, Failure) else None)
            if failure:
                failed = True
                say(failure)
            advance()
    if not found:
        print("webgrain: there is no page in the input.", file=sys.stderr)
    if strict and failed:
        raise Exit(1)


def passed(items: Iterable[T | Failure]) -> Iterator[T]:
    """Yield what did not fail; failures get a line on stderr."""
    for item in items:
        if isinstance(item, Failure):
            say(item)
        else:
            yield item


def say(failure: Failure) -> None:
    """Say on stderr that a page failed."""
    print(f"webgrain: {describe(failure)}", file=sys.stderr)


def describe(failure: Failure) -> str:
    """Return a failure as one line that is safe for a terminal."""
    return f"{plain(failure.page, 200)}: {failure.stage}: {plain(failure.error, 500)}"


@contextmanager
def _progress() -> Iterator[Callable[[], None]]:
    """Give a function to call after each page; the bar is shown only where it disturbs nothing."""
    if not sys.stderr.isatty() or sys.stdout.isatty():
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import Progress, SpinnerColumn, TextColumn, TimeElapsedColumn

    columns = (SpinnerColumn(), TextColumn("page {task.completed}"), TimeElapsedColumn())
    # Were stdout redirected, the bar would swallow the records.
    with Progress(*columns, console=Console(stderr=True), transient=True, redirect_stdout=False) as bar:
        task = bar.add_task("", total=None)
        yield lambda: bar.advance(task)
