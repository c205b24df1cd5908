"""Tasks with several pages that take turns: each step runs for all pages before the next step.

The code and the tables of a step then stay in the caches of the processor, which they leave between two pages
if all steps run for one page after the other.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar

from webgrain.page.page import Page, results_kept

S = TypeVar("S")
T = TypeVar("T")

Steps = Generator[str, None, T]
"""A task that yields a name after each of its steps, and returns its result."""

MOST_PAGES = 32
"""Pages that take turns, at most: more of them save little, and their facts are in memory together."""

MOST_BYTES = 2**18
"""Bytes of pages that take turns, at most; a larger page is alone."""


def in_turns(
    tasks: Iterable[Steps[T]], lap: Callable[[str], object] = lambda step: None
) -> list[T | Exception]:
    """Run tasks, and return the result of each; that of a task that raises is its exception.

    A lack of memory is raised, since it is that of all tasks. lap: called with the name of each step, after
    it.

    >>> def halved(number):
    ...     print("halving", number)
    ...     yield "halve"
    ...     return number / 2
    >>> in_turns([halved(4), halved(6)])
    halving 4
    halving 6
    [2.0, 3.0]
    """
    waiting = dict(enumerate(tasks))
    results: dict[int, T | Exception] = {}
    with results_kept():
        while waiting:
            for number, task in list(waiting.items()):
                try:
                    lap(next(task))
                except MemoryError:
                    raise
                except StopIteration as end:
                    results[number] = end.value
                except Exception as error:
                    results[number] = error
                if number in results:
                    del waiting[number]
    return [results[number] for number in sorted(results)]


def alone(task: Steps[T], lap: Callable[[str], object] = lambda step: None) -> T:
    """Run a task, and return its result; lap: as for `in_turns`.

    >>> def halved(number):
    ...     yield "halve"
    ...     return number / 2
    >>> alone(halved(4))
    2.0
    """
    while True:
        try:
            lap(next(task))
        except StopIteration as end:
            result: T = end.value
            return result


def page_groups(items: Iterable[S], size: Callable[[S], int]) -> Iterator[list[S]]:
    """Yield items that take turns: at most `MOST_PAGES`, and of at most `MOST_BYTES`; size: bytes of an item.

    >>> [len(group) for group in page_groups([1, MOST_BYTES, 2, 3], int)]
    [1, 1, 2]
    """
    group: list[S] = []
    room = MOST_BYTES
    for item in items:
        needed = size(item)
        if group and (needed > room or len(group) == MOST_PAGES):
            yield group
            group, room = [], MOST_BYTES
        group.append(item)
        room -= needed
    if group:
        yield group


def page_bytes(page: Page) -> int:
    """Return about the bytes of the HTML of a parsed page, by its nodes.

    >>> from webgrain.page.parsing import parse
    >>> page_bytes(parse("<p>a"))  # html, head, body, p, text
    250
    """
    return 50 * len(page.dom)  # 33 to 49 bytes a node on three sites
