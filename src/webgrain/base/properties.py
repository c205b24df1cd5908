"""Properties that are computed once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, Self, TypeVar, overload

T = TypeVar("T")


class cached_property(Generic[T]):  # noqa: N801
    """A property that is computed once and then stored in the object, as by `functools.cached_property`.

    There is no lock, which costs more than most of our properties: threads that ask for one at the same time
    may each compute it, with equal results.

    >>> class Square:
    ...     side = 3
    ...     @cached_property
    ...     def sides(self):
    ...         return [self.side] * 4
    >>> square = Square()
    >>> square.sides, square.sides is square.sides
    ([3, 3, 3, 3], True)
    """

    def __init__(self, function: Callable[[Any], T]) -> None:
        self.function = function
        self.name = function.__name__
        self.__doc__ = function.__doc__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: object, kind: type) -> T: ...
    def __get__(self, owner: object | None, kind: type) -> Self | T:
        if owner is None:
            return self
        value = owner.__dict__[self.name] = self.function(owner)
        return value
