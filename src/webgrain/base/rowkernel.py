# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Loops over the rows of a table of features: sums of decision trees, and intervals painted over rows."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled


def tree_sums(
    x: cython.const[cython.float][:, ::1],
    root: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    threshold: cython.const[cython.float][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    value: cython.const[cython.float][::1],
    missing: cython.const[cython.uchar][::1],
):
    """Return the sum over all trees of the value of the leaf that each row of ``x`` (b, f) falls into, (b,).

    root (t,): the first node of each tree; feature (n,): what a node looks at, -1 at a leaf; rows with
    ``x <= threshold`` go to ``left``, others to ``right``, and those without a value (NaN) to the left where
    ``missing`` is 1. Every child must come after its parent.
    """
    sums = np.zeros(x.shape[0])
    out: cython.double[::1] = sums
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    node: cython.Py_ssize_t
    feature_value: cython.float
    for t in range(root.shape[0]):
        for i in range(x.shape[0]):
            node = root[t]
            while feature[node] >= 0:
                feature_value = x[i, feature[node]]
                if feature_value <= threshold[node] or (feature_value != feature_value and missing[node]):
                    node = left[node]
                else:
                    node = right[node]
            out[i] += value[node]
    return sums


def paint(
    first: cython.const[cython.longlong][::1],
    last: cython.const[cython.longlong][::1],
    column: cython.const[cython.longlong][::1],
    value: cython.const[cython.double][::1],
    rows: cython.Py_ssize_t,
    columns: cython.Py_ssize_t,
):
    """Return a table (rows, columns) of 0 in which each interval k has painted ``first[k]:last[k]``.

    An interval paints its column with its value, over what those before it have painted.
    """
    table = np.zeros((rows, columns))
    out: cython.double[:, ::1] = table
    k: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for k in range(first.shape[0]):
        for i in range(first[k], last[k]):
            out[i, column[k]] = value[k]
    return table
