# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Nearest box beyond each box in one direction, by a sweep over sorted edges.

    near, far     (n,) where a box begins and ends along the direction of the search
    low, high     (n,) its extent across the direction

Swapped and negated edges give the other three directions. Time n log n + n times the number of boxes within
reach that do not overlap, at most ``tries``.
"""

from __future__ import annotations

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])


def sweep(
    near: Doubles,
    far: Doubles,
    low: Doubles,
    high: Doubles,
    order: cython.const[cython.int][::1],
    first: cython.const[cython.int][::1],
    reach: cython.double,
    overlap: cython.double,
    tries: cython.int,
    out: cython.int[::1],
) -> None:
    """Write to out (n,) int32 the nearest box beyond each box, -1 for none.

    order (n,) int32: the boxes by ``near``; first (n,) int32: where in it the search of a box begins; a box
    counts when it begins at most ``reach`` behind ``far`` and the extents share more than ``overlap``.

    >>> import numpy as np
    >>> from array import array
    >>> near, far = array("d", [0, 2, 5]), array("d", [1, 4, 6])
    >>> low, high = array("d", [0, 0, 0]), array("d", [9, 9, 9])
    >>> out = np.empty(3, np.int32)
    >>> sweep(near, far, low, high, array("i", [0, 1, 2]), array("i", [1, 2, 3]), 5.0, 1.0, 9, out)
    >>> out.tolist()
    [1, 2, -1]
    """
    n: cython.int = len(near)
    for p in range(n):
        out[p] = -1
        stop = first[p] + tries if first[p] < n - tries else n
        for i in range(first[p], stop):
            q = order[i]
            if near[q] > far[p] + reach:
                break
            shared = (high[p] if high[p] < high[q] else high[q]) - (low[p] if low[p] > low[q] else low[q])
            if q != p and shared > overlap:
                out[p] = q
                break
