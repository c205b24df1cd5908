# cython: boundscheck=False, wraparound=False, initializedcheck=False
# mypy: ignore-errors
"""pq-grams of a tree as numbers.

Source: Augsten, Böhlen, Gamper, Approximate matching of hierarchical data using pq-grams, VLDB 2005.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


MASK = 2**64 - 1
"""Keeps a key to 64 bits where the kernel runs uncompiled."""


def pq_grams(parent: object, end: object, label: object, p: cython.Py_ssize_t, q: cython.Py_ssize_t):
    """Return the keys (g,) of all pq-grams: ``p`` nodes from a node upwards, ``q`` of its children.

    parent, end (n,) int32 as in a Dom; label (n,) uint64: 0 for nodes that are left out. The children of a
    node stand between ``q - 1`` empty places on either side; a node without children has one gram, all places
    empty.
    """
    n: cython.Py_ssize_t = len(parent)
    above: cython.const[cython.int][::1] = parent
    last: cython.const[cython.int][::1] = end
    names: cython.const[cython.ulonglong][::1] = memoryview(label)
    window: cython.ulonglong[::1] = memoryview(np.zeros(q, np.uint64))
    grams = np.empty(n * (q + 1) + 1, np.uint64)
    out: cython.ulonglong[::1] = grams
    mask: cython.ulonglong = MASK
    stem: cython.ulonglong
    g: cython.Py_ssize_t = 0
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    empty: cython.Py_ssize_t
    for i in range(n):
        if names[i] == 0:
            continue
        stem = 0
        j = i
        for _ in range(p):
            stem = ((stem ^ (stem >> 31)) * 1540483477 + (names[j] if j >= 0 else 0) + 1) & mask
            j = above[j] if j >= 0 else -1
        for k in range(q):
            window[k] = 0
        empty = -1  # places pushed after the last child; -1: no child yet
        j = i + 1
        while True:
            while j < last[i] and names[j] == 0:
                j = last[j]
            if j == last[i] and (empty == -1 or empty == q - 1):
                break
            for k in range(q - 1):
                window[k] = window[k + 1]
            window[q - 1] = names[j] if j < last[i] else 0
            empty = 0 if j < last[i] else empty + 1
            j = last[j] if j < last[i] else j
            out[g] = gram(stem, window, q, mask)
            g += 1
        if empty == -1:
            out[g] = gram(stem, window, q, mask)
            g += 1
    return grams[:g].copy()


@cython.cfunc
def gram(
    stem: cython.ulonglong, window: cython.ulonglong[::1], q: cython.Py_ssize_t, mask: cython.ulonglong
) -> cython.ulonglong:
    """Return the key of a stem and the children in the window."""
    key: cython.ulonglong = stem
    k: cython.Py_ssize_t
    for k in range(q):
        key = ((key ^ (key >> 31)) * 1597334677 + window[k] + 1) & mask
    return key
