"""Records whose arrays are read-only."""

from __future__ import annotations

from typing import Any

import numpy as np


def freeze(record: Any) -> None:
    """Make every array field of a dataclass read-only."""
    for name in type(record).__dataclass_fields__:
        value = getattr(record, name)
        if isinstance(value, np.ndarray):
            value.setflags(write=False)


class ReadOnly:
    """Base of dataclasses whose array fields are read-only."""

    __slots__ = ()

    def __post_init__(self) -> None:
        freeze(self)
