"""Remembering what the pages of a site have in common, such as sets of tags and names of classes."""

from __future__ import annotations

from functools import lru_cache, wraps
from typing import TYPE_CHECKING, TypeVar, TypeVarTuple

if TYPE_CHECKING:
    from collections.abc import Callable

Given = TypeVarTuple("Given")
T = TypeVar("T")

LONGEST = 500
"""Letters or tags of all arguments up to which a result is remembered: a hostile page may have any number."""


def remembered(most: int) -> Callable[[Callable[[*Given], T]], Callable[[*Given], T]]:
    """Let a function of texts and sets of texts, None for none, remember as many results as ``most``.

    >>> @remembered(2)
    ... def letters(text):
    ...     return list(text)
    >>> letters("ab") is letters("ab"), letters("ab" * LONGEST) is letters("ab" * LONGEST)
    (True, False)
    """

    def wrap(function: Callable[[*Given], T]) -> Callable[[*Given], T]:
        cached = lru_cache(maxsize=most)(function)

        @wraps(function)
        def call(*args: *Given) -> T:
            size = 0
            for given in args:
                if given:
                    size += len(given)  # type: ignore[arg-type]
            return cached(*args) if size <= LONGEST else function(*args)

        return call

    return wrap
