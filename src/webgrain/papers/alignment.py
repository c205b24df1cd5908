# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Alignment of sequences: the heaviest common subsequence, its length, and many items to one pattern.

The heaviest common subsequence is the textbook dynamic program (Wagner, Fischer, J. ACM 21, 1974) with
weights. All run in O(n m) steps; the first and the last also need as many bytes.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled


def heaviest_common(a: np.ndarray, b: np.ndarray, weight_a: np.ndarray, weight_b: np.ndarray) -> np.ndarray:
    """Return the pairs (k, 2) int32 of a common subsequence of the greatest weight, in order.

    a (n,), b (m,) int32: the items, equal ones match; weight_a (n,), weight_b (m,) float64, at least 0: a
    pair weighs what both of it do. Of several, one is returned, always the same.

    >>> items = np.array([1, 2, 3], np.int32)
    >>> heaviest_common(items, items[::-1].copy(), np.array([1.0, 1, 3]), np.ones(3)).tolist()
    [[2, 0]]
    """
    n: cython.Py_ssize_t = len(a)
    m: cython.Py_ssize_t = len(b)
    item_a: cython.const[cython.int][::1] = a
    item_b: cython.const[cython.int][::1] = b
    left: cython.const[cython.double][::1] = weight_a
    right: cython.const[cython.double][::1] = weight_b
    best: cython.double[::1] = np.zeros(m + 1)
    moves = np.zeros((n, m), np.uint8)  # 0: leave an item of a, 1: of b, 2: a pair
    move: cython.uchar[:, ::1] = moves
    for i in range(n):
        diagonal = 0.0
        for j in range(m):
            above = best[j + 1]
            if best[j] > above:
                best[j + 1] = best[j]
                move[i, j] = 1
            if item_a[i] == item_b[j]:
                pair = diagonal + left[i] + right[j]
                if pair >= best[j + 1]:
                    best[j + 1] = pair
                    move[i, j] = 2
            diagonal = above
    pairs = []
    i, j = n - 1, m - 1
    while i >= 0 and j >= 0:
        if move[i, j] == 2:
            pairs.append((i, j))
            i, j = i - 1, j - 1
        elif move[i, j] == 1:
            j -= 1
        else:
            i -= 1
    return np.array(pairs[::-1], np.int32).reshape(-1, 2)


def common_length(a: np.ndarray, b: np.ndarray) -> int:
    """Return the length of the longest common subsequence of two arrays (n,), (m,) of int32.

    >>> common_length(np.array([1, 2, 3, 4], np.int32), np.array([2, 9, 4], np.int32))
    2
    """
    n: cython.Py_ssize_t = len(a)
    m: cython.Py_ssize_t = len(b)
    item_a: cython.const[cython.int][::1] = a
    item_b: cython.const[cython.int][::1] = b
    best: cython.int[::1] = np.zeros(m + 1, np.int32)
    for i in range(n):
        diagonal = 0
        item = item_a[i]
        for j in range(m):
            above = best[j + 1]
            if item == item_b[j]:
                best[j + 1] = diagonal + 1
            elif best[j] > above:
                best[j + 1] = best[j]
            diagonal = above
    return int(best[m])


def assign(items: np.ndarray, weight: np.ndarray, pattern: np.ndarray) -> np.ndarray:
    """Return for each item (n,) int32 its place in the pattern, -1 for none, so that the most weight has one.

    items (n,), pattern (m,) int32; weight (n,) float64, at least 0. Places never go back, an item only goes
    to its like, and several items may go to one place. Of several assignments the first places are taken.

    >>> items = np.array([1, 2, 2, 9, 3, 1], np.int32)
    >>> assign(items, np.ones(6), np.array([1, 2, 3], np.int32)).tolist()
    [0, 1, 1, -1, 2, -1]
    """
    n: cython.Py_ssize_t = len(items)
    m: cython.Py_ssize_t = len(pattern)
    item: cython.const[cython.int][::1] = items
    slot: cython.const[cython.int][::1] = pattern
    mass: cython.const[cython.double][::1] = weight
    best: cython.double[::1] = np.zeros(m + 1)
    moves = np.zeros((n, m), np.uint8)  # 0: no place, 1: go back in the pattern, 2: the item is put here
    move: cython.uchar[:, ::1] = moves
    for i in range(n):
        for j in range(m):
            here = best[j + 1]
            if item[i] == slot[j]:
                here += mass[i]
                move[i, j] = 2
            if best[j] >= here:
                here = best[j]
                move[i, j] = 1
            best[j + 1] = here
    places = np.full(n, -1, np.int32)
    i, j = n - 1, m - 1
    while i >= 0 and j >= 0:
        if move[i, j] == 1:
            j -= 1
        else:
            if move[i, j] == 2:
                places[i] = j
            i -= 1
    return places
