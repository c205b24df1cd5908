"""Work of a call, in numbers that do not depend on the load of the machine."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable
    from types import FrameType


def lines_run(work: Callable[[], object]) -> int:
    """Count the lines of Python that a call runs; each step of a loop or comprehension counts."""
    lines = 0

    def count(_: FrameType, event: str, __: object) -> Callable[..., Any]:
        nonlocal lines
        lines += event == "line"
        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)
    return lines


class Counted(np.ndarray[Any, Any]):
    """An array that counts the values of all arrays made from it, by slices, masks or arithmetic."""

    values = 0

    def __array_finalize__(self, made_from: object) -> None:
        Counted.values += self.size
