"""Names that do not exist: errors that name the right one."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping
from importlib.util import find_spec
from typing import TYPE_CHECKING, ClassVar


class NamesGuesses:
    """Base of classes of the Python API: the error for a name that does not exist names the right one.

    >>> class Pear(NamesGuesses):
    ...     _guesses = {"weight": "grams"}
    ...     grams = 9
    >>> Pear().weight
    Traceback (most recent call last):
    AttributeError: 'Pear' object has no attribute 'weight'; use grams.
    """

    __slots__ = ()
    _guesses: ClassVar[Mapping[str, str]] = {}
    """What to write instead of names that people guess."""

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> object:
            if name.startswith("_"):  # which libraries ask for; and attributes before their first use
                raise AttributeError(name, name=name, obj=self)
            described = f"{type(self).__name__!r} object"
            raise no_attribute(self, described, name, dir(self), self._guesses)


def by_guess(guesses: Mapping[str, str]) -> dict[str, str]:
    """Return what to write instead of each guessed name; guesses: the names, by what to write.

    >>> by_guess({"read": "open get"})
    {'open': 'read', 'get': 'read'}
    """
    return {name: instead for instead, names in guesses.items() for name in names.split()}


def is_imported(name: str) -> bool:
    """Return whether ``from webgrain import ...`` asks for a name that is no module of the package.

    Called from the ``__getattr__`` of the package. Python would replace the message of an AttributeError by
    one that names nothing else.
    """
    asks = sys._getframe(2).f_code.co_name == "_handle_fromlist"  # of importlib, before the import itself
    return asks and find_spec(f"webgrain.{name}") is None


def no_attribute(
    owner: object, described: str, name: str, names: Iterable[str], guesses: Mapping[str, str]
) -> AttributeError:
    """Return the error for an attribute that does not exist.

    described: what has no such attribute; names: of its attributes; guesses: what to write instead of names
    that people guess.

    >>> error = no_attribute(None, "'Document' object", "lenguage", ["language", "text"], {})
    >>> print(error)
    'Document' object has no attribute 'lenguage'; use language.
    """
    from difflib import get_close_matches  # needed for errors only

    near = get_close_matches(name, [each for each in names if not each.startswith("_")], 1, 0.75)
    instead = guesses.get(name) or (near[0] if near else "")
    message = f"{described} has no attribute {name!r}{f'; use {instead}.' if instead else ''}"
    return AttributeError(message, name=name, obj=owner)
