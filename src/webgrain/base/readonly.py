"""Records whose arrays are read-only."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from operator import attrgetter
from typing import Any

import numpy as np


def freeze(record: Any) -> None:
    """Make every array field of a dataclass read-only."""
    kind: Any = type(record)
    for value in _fields_of(kind)(record):
        if value.__class__ is np.ndarray or isinstance(value, np.ndarray):
            value.flags.writeable = False


@cache
def _fields_of(kind: Any) -> Callable[[Any], tuple[Any, ...]]:
    """Return the function that returns the values of the fields that may be arrays; the last is the class."""
    fields = kind.__dataclass_fields__.values()
    names = [field.name for field in fields if field.type not in _NO_ARRAYS]
    return attrgetter(*names, "__class__", "__class__")


_NO_ARRAYS = frozenset(("str", "int", "float", "bool", "str | None", "tuple[str, ...]"))
"""Usual types of fields that are no arrays."""


class ReadOnly:
    """Base of dataclasses whose array fields are read-only."""

    __slots__ = ()

    def __post_init__(self) -> None:
        freeze(self)
