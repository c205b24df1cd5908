# cython: boundscheck=False, wraparound=False, initializedcheck=False
# mypy: ignore-errors
"""Paths of a tree as numbers: keys of steps, repeated paths merged, keys of paths.

All keys are 64-bit hashes by multiplications and shifts, the same on every machine and in every run.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


MASK = 2**64 - 1
"""Keeps a key to 64 bits where the kernel runs uncompiled; compiled, numbers wrap around by themselves."""


@cython.cfunc
def mix(a: cython.ulonglong, b: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    """Return a key that depends on the order of ``a`` and ``b``."""
    # Factors below 2**31: compiled, a larger literal would be a Python object.
    a = ((a ^ (b >> 31)) * 1540483477 + b) & mask
    a = ((a ^ (a >> 29)) * 2045523487) & mask
    a = ((a ^ (a >> 32)) * 1597334677) & mask
    return a ^ (a >> 30)


def step_keys(
    tag_key, attr_start, attr_name, values, value_start, id_name: cython.int, class_name: cython.int
):
    """Return the key of the step to each node (n,) uint64: of its tag, its id and its classes in any order.

    tag_key (n,) uint64: 0 for a node that is no step. attr_start, attr_name, value_start: as in a Dom; values
    (c,) uint32: code points. id_name, class_name: numbers of the two names, -1 where a page has none.
    """
    n: cython.Py_ssize_t = len(tag_key)
    keys = np.zeros(n, np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    # Memoryviews: uncompiled, their elements are Python's numbers, which do not overflow.
    tags: cython.const[cython.ulonglong][::1] = memoryview(tag_key)
    first: cython.const[cython.int][::1] = attr_start
    names: cython.const[cython.int][::1] = attr_name
    codes: cython.const[cython.uint][::1] = memoryview(values)
    starts: cython.const[cython.int][::1] = value_start
    mask: cython.ulonglong = MASK
    key: cython.ulonglong
    classes: cython.ulonglong
    word: cython.ulonglong
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    code: cython.ulonglong
    seed: cython.ulonglong = 1469598103934665603
    for i in range(n):
        if tags[i] == 0:
            continue
        key = tags[i]
        classes = 0
        for k in range(first[i], first[i + 1]):
            if names[k] != id_name and names[k] != class_name:
                continue
            word = 0
            for j in range(starts[k], starts[k + 1]):
                code = codes[j]
                if code == 32 or 9 <= code <= 13:
                    if word and names[k] == class_name:
                        classes = (classes + mix(word, 1, mask)) & mask
                        word = 0
                    continue
                if word == 0:
                    word = seed
                word = ((word ^ code) * 1597334677) & mask
            if word and names[k] == class_name:
                classes = (classes + mix(word, 1, mask)) & mask
            elif word:
                key = mix(key, word, mask)
        out[i] = mix(key, classes, mask) if classes else key
    return keys


def merge_paths(parent: object, step: object):
    """Merge nodes with the same path; return ``of`` (n,) and ``up``, ``first``, ``count``, ``only`` (r,).

    parent (n,) int32 as in a Dom; step (n,) uint64: the key of the step to each node, 0 for none (a text).
    of: the path of each node, of its parent where it is no step; up: the path one step shorter, -1 at the
    root, ``up[i] < i``; first, count: the first node of each path and how many there are; only (uint8): each
    of them has exactly one child that is a step.
    """
    n: cython.Py_ssize_t = len(parent)
    size: cython.Py_ssize_t = 4
    while size < 2 * n:
        size *= 2
    above: cython.const[cython.int][::1] = memoryview(parent)
    keys: cython.const[cython.ulonglong][::1] = memoryview(step)
    of_array = np.empty(n, np.int32)
    up_array, first_array, count_array = np.zeros((3, n), np.int32)
    only_array = np.ones(n, np.uint8)
    of: cython.int[::1] = memoryview(of_array)
    up: cython.int[::1] = up_array
    first: cython.int[::1] = first_array
    count: cython.int[::1] = count_array
    only: cython.uchar[::1] = only_array
    children: cython.int[::1] = np.zeros(n, np.int32)
    slots: cython.int[::1] = np.full(size, -1, np.int32)
    mask: cython.ulonglong = MASK
    last: cython.ulonglong = size - 1
    r: cython.int = 0
    p: cython.int
    i: cython.Py_ssize_t
    at: cython.ulonglong
    for i in range(n):
        p = of[above[i]] if above[i] >= 0 else -1
        if keys[i] == 0:
            of[i] = p
            continue
        if above[i] >= 0:
            children[above[i]] += 1
        at = mix(keys[i], p + 1, mask) & last
        while slots[at] >= 0 and (up[slots[at]] != p or keys[first[slots[at]]] != keys[i]):
            at = (at + 1) & last
        if slots[at] < 0:
            slots[at] = r
            up[r] = p
            first[r] = i
            r += 1
        of[i] = slots[at]
        count[of[i]] += 1
    for i in range(n):
        if keys[i] != 0 and children[i] != 1:
            only[of[i]] = 0
    return (
        of_array,
        up_array[:r].copy(),
        first_array[:r].copy(),
        count_array[:r].copy(),
        only_array[:r].copy(),
    )


def path_keys(up: object, step: object, start: object):
    """Return the key of each path (r,) uint64 of many tables, one behind the other.

    up (r,) int32: within its table; step (r,) uint64: 0 for a step that is folded into the one above; start
    (p + 1,) int64: where each table begins.
    """
    keys = np.empty(len(up), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    above: cython.const[cython.int][::1] = up
    steps: cython.const[cython.ulonglong][::1] = memoryview(step)
    starts: cython.const[cython.longlong][::1] = start
    mask: cython.ulonglong = MASK
    seed: cython.ulonglong = 1469598103934665603
    before: cython.ulonglong
    t: cython.Py_ssize_t
    i: cython.Py_ssize_t
    for t in range(len(start) - 1):
        for i in range(starts[t], starts[t + 1]):
            before = out[starts[t] + above[i]] if above[i] >= 0 else seed
            out[i] = mix(before, steps[i], mask) if steps[i] else before
    return keys


def climb(up: object, x: object):
    """Return sums over the paths below each path: ``x`` (r, c) int32, with ``up`` as in `merge_paths`."""
    sums = np.array(x, np.int32, order="C")
    total: cython.int[:, ::1] = sums
    above: cython.const[cython.int][::1] = up
    i: cython.Py_ssize_t
    c: cython.Py_ssize_t
    for i in range(len(up) - 1, -1, -1):
        if above[i] >= 0:
            for c in range(sums.shape[1]):
                total[above[i], c] += total[i, c]
    return sums


def span_keys(codes: object, start: object, end: object, most: cython.Py_ssize_t):
    """Return the key of each text ``codes[start[i]:end[i]]`` (m,) uint64, white space apart.

    0: there is nothing but white space, or more than ``most`` characters.
    """
    keys = np.zeros(len(start), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    text: cython.const[cython.uint][::1] = memoryview(codes)
    first: cython.const[cython.int][::1] = start
    last: cython.const[cython.int][::1] = end
    mask: cython.ulonglong = MASK
    seed: cython.ulonglong = 1469598103934665603
    key: cython.ulonglong
    code: cython.ulonglong
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    length: cython.Py_ssize_t
    for i in range(len(start)):
        key = seed
        length = 0
        for j in range(first[i], last[i]):
            code = text[j]
            if code == 32 or 9 <= code <= 13 or code == 160:
                continue
            length += 1
            if length > most:
                break
            key = ((key ^ code) * 1597334677) & mask
        out[i] = key if 0 < length <= most else 0
    return keys
