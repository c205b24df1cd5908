"""Names that do not exist: errors that name the right one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches


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
    near = get_close_matches(name, [each for each in names if not each.startswith("_")], 1, 0.75)
    instead = guesses.get(name) or (near[0] if near else "")
    message = f"{described} has no attribute {name!r}{f'; use {instead}.' if instead else ''}"
    return AttributeError(message, name=name, obj=owner)
