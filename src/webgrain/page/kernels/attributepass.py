# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Passes over the attributes of a page: what they state about their elements.

n nodes, m attributes. attr_start (n + 1,) int32, attr_name (m,) int32: as in a Dom.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


def attributes_named(attr_name: Ints, column_of_name: Flags):
    """Return the attributes (k,) int64 whose names have a column, and the column (k,) uint8 of each.

    column_of_name (names,) uint8: from 1; 0 for none.
    """
    m: cython.Py_ssize_t = len(attr_name)
    attribute_array, column_array = np.empty(m, np.int64), np.empty(m, np.uint8)
    attribute: cython.longlong[::1] = attribute_array
    column: cython.uchar[::1] = column_array
    k: cython.Py_ssize_t = 0
    for a in range(m):
        if column_of_name[attr_name[a]]:
            attribute[k] = a
            column[k] = column_of_name[attr_name[a]] - 1
            k += 1
    return attribute_array[:k], column_array[:k]


def bits_of_nodes(
    attr_start: Ints, attribute: Longs, column: Flags, answers: cython.const[cython.int][:, ::1]
):
    """Return the bits (n,) int32 that attributes give to their elements.

    attribute (k,), column (k,): of `attributes_named`; answers (k, columns): the bits by the value of each
    attribute, for each column.
    """
    n: cython.Py_ssize_t = len(attr_start) - 1
    bits = np.zeros(n, np.int32)
    out: cython.int[::1] = bits
    node: cython.Py_ssize_t = 0
    for j in range(len(attribute)):
        while attr_start[node + 1] <= attribute[j]:
            node += 1
        out[node] |= answers[j, column[j]]
    return bits


def meta_values(
    node: Longs, attr_start: Ints, attr_name: Ints, value: Ints, column_of_name: Flags, empty: int
):
    """Return the numbers of the names and of the contents (k,) int32 of elements, which are in order.

    column_of_name (names,) uint8: the columns of names from 1, the best first, then CONTENT and VALUE; 0 for
    other attributes. The name is the best one that is not ``empty``, which also stands for none. Elements
    with a content come first, then those with a value.
    """
    k: cython.Py_ssize_t = len(node)
    names = np.empty(2 * k, np.int32)
    contents = np.empty(2 * k, np.int32)
    name: cython.int[::1] = names
    content: cython.int[::1] = contents
    size: cython.Py_ssize_t = 0
    for wanted in range(CONTENT, VALUE + 1):
        for i in range(k):
            best: cython.int = CONTENT
            best_name: cython.int = empty
            stated: cython.int = -1
            for a in range(attr_start[node[i]], attr_start[node[i] + 1]):
                column: cython.int = column_of_name[attr_name[a]]
                if column == wanted:
                    stated = value[a]
                elif 0 < column < best and value[a] != empty:
                    best = column
                    best_name = value[a]
            if stated >= 0:
                name[size] = best_name
                content[size] = stated
                size += 1
    return names[:size], contents[:size]


CONTENT, VALUE = 5, 6


def open_links(
    tag: Ints, a: cython.int, attr_start: Ints, attr_name: Ints, name: cython.int, href: cython.int
):
    """Return (n,) bool, True at elements with the tag ``a`` that have no attribute ``name``, or ``href``."""
    n: cython.Py_ssize_t = len(tag)
    out: cython.uchar[::1] = np.zeros(n, np.uint8)
    for i in range(n):
        if tag[i] != a:
            continue
        is_named: cython.bint = False
        is_linked: cython.bint = False
        for k in range(attr_start[i], attr_start[i + 1]):
            if attr_name[k] == name:
                is_named = True
            if attr_name[k] == href:
                is_linked = True
        out[i] = is_linked or not is_named
    return np.asarray(out).view(np.bool_)
