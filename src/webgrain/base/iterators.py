"""Iterators whose representation states how they are used."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from typing import TypeVar

T = TypeVar("T")


class OneAtATime(Iterator[T]):
    """Items that are computed when they are asked for.

    items: the items; name: of the items, in the plural; verb: how an item is obtained, as a participle.

    >>> OneAtATime(iter([]), "pages", "read")
    <pages, read one at a time: use a for loop, or list(...)>
    """

    def __init__(self, items: Iterator[T], name: str, verb: str) -> None:
        self._items = items
        self._name = name
        self._verb = verb

    def __next__(self) -> T:
        return next(self._items)

    def __repr__(self) -> str:
        return f"<{self._name}, {self._verb} one at a time: use a for loop, or list(...)>"

    def close(self) -> None:
        """End the work, as the method of a generator does."""
        if isinstance(self._items, Generator):
            self._items.close()
