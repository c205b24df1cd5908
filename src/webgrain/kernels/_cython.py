"""Stands in for ``cython`` where a kernel runs uncompiled and Cython is not installed.

Kernels postpone their annotations, so that only the names used while a module is executed are needed here.
"""

from __future__ import annotations

from typing import TypeVar

T = TypeVar("T")

compiled = False


def cclass(kernel_class: T) -> T:
    """Leave a class as it is."""
    return kernel_class


def cfunc(function: T) -> T:
    """Leave a function as it is."""
    return function
