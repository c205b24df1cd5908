"""Tasks with several pages that take turns: each step runs for all pages before the next step.

The code and the tables of a step then stay in the caches of the processor, which they leave between two pages
if all steps run for one page after the other.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import TypeVar

from webgrain.base.failures import Failure
from webgrain.page.page import Page, Source, results_kept

S = TypeVar("S")
T = TypeVar("T")

Steps = Generator[str, None, T]
"""A task that yields a name after each of its steps, and returns its result."""

MOST_PAGES = 32
"""Pages that take turns, at most: more of them save little, and their facts are in memory together."""

MOST_BYTES = 2**18
"""Bytes of pages that take turns, at most; a larger page is alone."""

PATIENCE = 0.1
"""Seconds: pages that arrive more slowly, such as those of a crawl, do not wait for others; hand-set."""


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


def page_groups(
    items: Iterable[S], size: Callable[[S], int], patience: float = math.inf
) -> Iterator[list[S]]:
    """Yield items that take turns: at most `MOST_PAGES`, and of at most `MOST_BYTES`.

    size: bytes of an item. patience: seconds that an item may take to arrive. If they are given, the first
    group has one item and each next one twice as many at most; an item that takes longer ends its group, and
    the next one is a first group. So an item waits for others only while they arrive fast.

    >>> [len(group) for group in page_groups([1, MOST_BYTES, 2, 3], int)]
    [1, 1, 2]
    >>> [len(group) for group in page_groups(range(12), int, patience=60)]
    [1, 2, 4, 5]
    """
    group: list[S] = []
    room = MOST_BYTES
    most = MOST_PAGES if patience == math.inf else 1
    asked = time.monotonic()
    for item in items:
        waited = time.monotonic() - asked
        needed = size(item)
        if group and needed > room:
            yield group
            group, room = [], MOST_BYTES
        group.append(item)
        room -= needed
        if len(group) >= most or room <= 0 or waited > patience:
            yield group
            group, room = [], MOST_BYTES
            most = min(2 * most, MOST_PAGES) if waited <= patience else 1
        asked = time.monotonic()
    if group:
        yield group


def page_bytes(item: Source | Page | Failure) -> int:
    """Return the bytes of the HTML of a page; those of a parsed page are about 50 a node.

    >>> from webgrain.page.parsing import parse
    >>> page_bytes(parse("<p>a"))  # html, head, body, p, text
    250
    """
    if isinstance(item, Page):
        return 50 * len(item.dom)  # 33 to 49 bytes a node on three sites
    return len(item.body) if isinstance(item, Source) else 0
