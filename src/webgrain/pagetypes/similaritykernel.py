# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.pagetypes.similarity`: columns of traits, and merging of pages."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Doubles = cython.typedef(cython.double[::1])
DoubleTable = cython.typedef(cython.double[:, ::1])
IntBuffer = cython.typedef(cython.longlong[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])


def column_sums(column: Ints, row: Ints, value: object, columns: cython.Py_ssize_t):
    """Return the sum (columns,) uint64, modulo 2**64, of the values of the rows that have each column.

    column, row (m,) int32: the pairs of a row and a column; value (n,) uint64: of each row.
    """
    values: Keys = memoryview(value)
    sums = np.zeros(columns, np.uint64)
    out: cython.ulonglong[::1] = memoryview(sums)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    for k in range(len(column)):
        out[column[k]] = (out[column[k]] + values[row[k]]) & mask
    return sums


def presence(column: Ints, row: Ints, number: Ints, shape):
    """Return (n, c) float32: 1 where a row has a column of a number, else 0.

    column, row (m,) int32: the pairs of a row and a column; number (u,) int32: of each column, -1 for none;
    shape: n and c.
    """
    out: cython.float[:, ::1] = np.zeros(shape, np.float32)
    for k in range(len(column)):
        if number[column[k]] >= 0:
            out[row[k], number[column[k]]] = 1.0
    return np.asarray(out)


def average_linkage(probability: object, least: cython.double):
    """Return groups (n,) int64 of pages: merge the two with the highest mean while it is at least ``least``.

    probability (n, n) float64: that two pages belong together. Of equal means the first one is merged.
    """
    n: cython.Py_ssize_t = len(probability)
    mean: DoubleTable = np.array(probability, np.float64, order="C")
    size: Doubles = np.ones(n)
    value: Doubles = np.empty(n)
    best: IntBuffer = np.zeros(n, np.int64)
    group: IntBuffer = np.arange(n, dtype=np.int64)
    for i in range(n):
        mean[i, i] = -1.0
    for i in range(n):
        best[i] = largest(mean[i])
        value[i] = mean[i, best[i]]
    while n > 1:
        first = largest(value)
        if value[first] < least:
            break
        a: cython.Py_ssize_t = min(first, best[first])
        b: cython.Py_ssize_t = max(first, best[first])
        for i in range(n):
            together = (size[a] * mean[a, i] + size[b] * mean[b, i]) / (size[a] + size[b])
            mean[a, i] = together
            mean[b, i] = -1.0
        mean[a, a] = -1.0
        for i in range(n):
            mean[i, a] = mean[a, i]
            mean[i, b] = -1.0
        size[a] += size[b]
        for i in range(n):
            if group[i] == b:
                group[i] = a
            if i in (a, b) or best[i] in (a, b):
                best[i] = largest(mean[i])
            if mean[i, a] > value[i]:
                best[i] = a
            value[i] = mean[i, best[i]]
    return np.asarray(group)


@cython.cfunc
def largest(values: Doubles) -> cython.Py_ssize_t:
    """Return the first place of the largest value."""
    place: cython.Py_ssize_t = 0
    for i in range(1, len(values)):
        if values[i] > values[place]:
            place = i
    return place
