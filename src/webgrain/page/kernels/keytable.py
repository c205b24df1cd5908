# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Numbers of keys of 64 bits, by a hash table with open addressing."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled


@cython.locals(last=cython.ulonglong, key=cython.ulonglong, at=cython.ulonglong, mask=cython.ulonglong)
def numbered(keys: object):
    """Return the number of each of several keys (m,) uint64: equal keys have equal numbers.

    Returns number (m,) int32; first, count (g,) int32: the first place of each number, and how many keys have
    it. Numbers are in the order of first appearance.
    """
    m: cython.Py_ssize_t = len(keys)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    values: cython.const[cython.ulonglong][::1] = memoryview(keys)
    size: cython.Py_ssize_t = 4
    while size < 2 * m:
        size *= 2
    slots: cython.int[::1] = np.full(size, -1, np.int32)
    number: cython.int[::1] = np.empty(m, np.int32)
    first: cython.int[::1] = np.empty(m, np.int32)
    count: cython.int[::1] = np.zeros(m, np.int32)
    last = size - 1
    mask = 0xFFFFFFFFFFFFFFFF
    distinct: cython.Py_ssize_t = 0
    for i in range(m):
        key = values[i]
        at = (key ^ (key >> 32)) * 0x45D9F3B & mask
        at = (at ^ (at >> 29)) & last
        while slots[at] >= 0 and values[first[slots[at]]] != key:
            at = (at + 1) & last
        if slots[at] < 0:
            slots[at] = distinct
            first[distinct] = i
            distinct += 1
        number[i] = slots[at]
        count[number[i]] += 1
    return np.asarray(number), np.asarray(first)[:distinct].copy(), np.asarray(count)[:distinct].copy()
