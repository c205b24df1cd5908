# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Numbers of keys of 64 bits, by a hash table with open addressing; and marks of numbers."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled


@cython.locals(last=cython.ulonglong, key=cython.ulonglong, at=cython.ulonglong)
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
    slots: cython.int[::1] = np.zeros(size, np.int32)  # one more than the number of a key, 0 for none
    number: cython.int[::1] = np.empty(m, np.int32)
    first: cython.int[::1] = np.empty(m, np.int32)
    count: cython.int[::1] = np.zeros(m, np.int32)
    last = size - 1
    distinct: cython.Py_ssize_t = 0
    for i in range(m):
        key = values[i]
        at = first_slot(key) & last
        while slots[at] > 0 and values[first[slots[at] - 1]] != key:
            at = (at + 1) & last
        if slots[at] == 0:
            first[distinct] = i
            distinct += 1
            slots[at] = distinct
        number[i] = slots[at] - 1
        count[number[i]] += 1
    return np.asarray(number), np.asarray(first)[:distinct].copy(), np.asarray(count)[:distinct].copy()


@cython.cfunc
def first_slot(key: cython.ulonglong) -> cython.ulonglong:
    """Return where the search for a key begins, before it is limited to the size of the table."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    at: cython.ulonglong = (key ^ (key >> 32)) * 0x45D9F3B & mask
    return at ^ (at >> 29)


@cython.locals(last=cython.ulonglong, at=cython.ulonglong)
def key_slots(known: object):
    """Return the table (s,) int32 in which `places_of` finds keys (u,) uint64, each of which occurs once."""
    u: cython.Py_ssize_t = len(known)
    keys: cython.const[cython.ulonglong][::1] = memoryview(known)
    size: cython.Py_ssize_t = 4
    while size < 2 * u:
        size *= 2
    slots: cython.int[::1] = np.empty(size, np.int32)
    slots[:] = -1
    last = size - 1
    for i in range(u):
        at = first_slot(keys[i]) & last
        while slots[at] >= 0:
            at = (at + 1) & last
        slots[at] = i
    return np.asarray(slots)


@cython.locals(last=cython.ulonglong, key=cython.ulonglong, at=cython.ulonglong)
def places_of(searched: object, known: object, slots: cython.const[cython.int][::1]):
    """Return the place (m,) int32 of each of several keys (m,) uint64 among known keys (u,), -1 for none.

    slots: of `key_slots` for the known keys.
    """
    keys: cython.const[cython.ulonglong][::1] = memoryview(searched)
    values: cython.const[cython.ulonglong][::1] = memoryview(known)
    out: cython.int[::1] = np.empty(len(keys), np.int32)
    last = len(slots) - 1
    for i in range(len(keys)):
        key = keys[i]
        at = first_slot(key) & last
        while slots[at] >= 0 and values[slots[at]] != key:
            at = (at + 1) & last
        out[i] = slots[at]
    return np.asarray(out)


def all_marked(number: cython.const[cython.int][::1], mark: cython.const[cython.uchar][::1]) -> cython.bint:
    """Return whether all numbers (k,) have a mark (m,) that is not 0; numbers from m on have none."""
    every = True
    for i in range(len(number)):
        if number[i] >= len(mark) or not mark[number[i]]:
            every = False
            break
    return every
