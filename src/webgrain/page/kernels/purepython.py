"""Replaces ``cython`` if a kernel runs uncompiled and Cython is not installed; warns of uncompiled kernels.

Kernels postpone their annotations, so only the names that a module uses while it is executed are defined.
"""

from __future__ import annotations

import functools
import warnings
from typing import TypeVar

T = TypeVar("T")

compiled = False


def cclass(kernel_class: T) -> T:
    """Return the class unchanged."""
    return kernel_class


def cfunc(function: T) -> T:
    """Return the function unchanged."""
    return function


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
