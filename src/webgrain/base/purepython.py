"""Replaces ``cython`` if a kernel runs uncompiled and Cython is not installed; warns of uncompiled kernels.

All types are accepted and have no effect.
"""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

compiled = False


class Type:
    """Stands for any C type; ``int[::1]`` and ``const[int]`` are types, too."""

    def __getitem__(self, _: object) -> Type:
        return self


const = int = double = float = bint = void = Type()  # noqa: A001 - the names in Cython
char = schar = uchar = ushort = uint = longlong = ulonglong = Py_ssize_t = Py_UCS4 = Type()


def locals(**types: object) -> Callable[[T], T]:  # noqa: A001 - the name in Cython
    """Return a decorator that returns the function unchanged."""
    return unchanged


def declare(**types: object) -> None:
    """Ignore the types of attributes."""


def cast(type_: object, value: T) -> T:
    """Return the value unchanged."""
    return value


def unchanged(decorated: T) -> T:
    """Return the class or the function unchanged."""
    return decorated


cclass = cfunc = typedef = unchanged


@functools.cache
def warn_once(compiled: bool) -> None:
    """Warn once per process that the kernels are not compiled.

    compiled: ``COMPILED`` of the kernel. Uncompiled kernels give the same results, about a hundred times
    slower.

    >>> warn_once(True)
    """
    if not compiled:
        warnings.warn(
            "webgrain's kernels are not compiled, so they run some hundred times slower: "
            "install a C compiler and reinstall webgrain",
            RuntimeWarning,
            stacklevel=3,
        )
