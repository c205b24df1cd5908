"""Stands in for ``cython`` where a kernel runs uncompiled and Cython is not installed.

Kernels postpone their annotations, so that only the names used while a module is executed are needed here.

Says once that the kernels run uncompiled.
"""

from __future__ import annotations

import functools
import warnings
from typing import TypeVar

T = TypeVar("T")

compiled = False


def cclass(kernel_class: T) -> T:
    """Leave a class as it is."""
    return kernel_class


def cfunc(function: T) -> T:
    """Leave a function as it is."""
    return function


@functools.cache
def warn_once(compiled: bool) -> None:
    """Warn, once in a process, when a kernel that is about to run is not compiled.

    compiled: the kernel module's ``COMPILED``. Source: none, a courtesy: uncompiled kernels give the same
    results, some hundred times slower.

    >>> warn_once(True)
    """
    if not compiled:
        warnings.warn(
            "webgrain's kernels are not compiled, so they run some hundred times slower: "
            "install a C compiler and reinstall webgrain",
            RuntimeWarning,
            stacklevel=3,
        )
