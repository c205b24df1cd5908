# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Sums of decision trees over the rows of a table of features.

Source of `tree_lanes` and `lane_sums`: Lucchese and others, QuickScorer: a fast algorithm to rank documents
with additive ensembles of regression trees, SIGIR 2015. The leaves of a tree are numbered from left to
right. A node that sends a row to the right excludes the leaves on its left, whether or not the row reaches
the node, and the row falls into the first leaf that is not excluded. So no branch depends on a value, and
the compiler can vectorise the loops over rows. Departures: 64 rows are evaluated together, and all nodes of
a tree are tested (the paper sorts the nodes of all trees by feature and threshold, and stops early);
excluded leaves are ones.

The number of the lowest bit is found by a multiplication (Leiserson, Prokop, Randall, Using de Bruijn
sequences to index a 1 in a computer word, 1998): the upper five bits of the product are different for each
bit, and the value of a leaf is stored at the place with this number.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

LANES = 64
"""Rows that `lane_sums` evaluates together; its loops have the number itself: compilers need a constant."""


def tree_sums(
    x: cython.const[cython.float][:, :],
    heads: cython.const[cython.int][::1],
    root: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    threshold: cython.const[cython.float][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    value: cython.const[cython.float][::1],
    missing: cython.const[cython.uchar][::1],
):
    """Return the sums over the trees of each model of the values of the leaves of each row of ``x`` (b, f).

    The sums are (h, b). heads (h + 1,): the first tree of each model, and the number of trees. root (t,): the
    first node of each tree; feature (n,): what a node looks at, -1 at a leaf; rows with ``x <= threshold`` go
    to ``left``, others to ``right``, and those without a value (NaN) to the left where ``missing`` is 1.
    Every child must come after its parent.
    """
    sums = np.zeros((len(heads) - 1, x.shape[0]))
    out: cython.double[:, ::1] = sums
    h: cython.Py_ssize_t
    i: cython.Py_ssize_t
    t: cython.Py_ssize_t
    node: cython.Py_ssize_t
    feature_value: cython.float
    for h in range(out.shape[0]):
        for t in range(heads[h], heads[h + 1]):
            for i in range(x.shape[0]):
                node = root[t]
                while feature[node] >= 0:
                    feature_value = x[i, feature[node]]
                    if feature_value <= threshold[node] or (feature_value != feature_value and missing[node]):
                        node = left[node]
                    else:
                        node = right[node]
                out[h, i] += value[node]
    return sums


def lane_sums(
    x: cython.const[cython.float][:, :],
    heads: cython.const[cython.int][::1],
    column: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    threshold: cython.const[cython.float][::1],
    excluded: cython.const[cython.uint][::1],
    value: cython.const[cython.float][:, ::1],
):
    """Return what `tree_sums` returns, bit by bit, without a branch that depends on a value; x: (b, f).

    column (c,): the columns of x that the trees use. The other arguments are by `tree_lanes`, but feature
    is a place in ``column``, or -1.
    """
    rows: cython.Py_ssize_t = x.shape[0]
    sums = np.zeros((len(heads) - 1, rows))
    out: cython.double[:, ::1] = sums
    tile: cython.float[:, ::1] = np.zeros((column.shape[0], 64), np.float32)
    # Uncompiled, a memoryview returns Python integers, which do not overflow.
    closed: cython.uint[::1] = memoryview(np.zeros(64, np.uint32))
    begin: cython.Py_ssize_t
    h: cython.Py_ssize_t
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    j: cython.Py_ssize_t
    k: cython.Py_ssize_t
    t: cython.Py_ssize_t
    limit: cython.float
    bits: cython.uint
    none: cython.uint = 0
    mask: cython.uint = 0xFFFFFFFF
    de_bruijn: cython.uint = 0x077CB531
    for begin in range(0, rows, 64):
        size = min(64, rows - begin)
        for j in range(column.shape[0]):
            for i in range(size):
                tile[j, i] = x[begin + i, column[j]]
        k = 0
        h = 0
        for t in range(value.shape[0]):
            while heads[h + 1] <= t:  # a model may have no trees
                h += 1
            for i in range(64):
                closed[i] = 0
            while feature[k] >= 0:
                j = feature[k]
                limit = threshold[k]
                bits = excluded[k]
                for i in range(64):  # NaN is not greater
                    closed[i] |= bits if tile[j, i] > limit else none
                k += 1
            k += 1
            while feature[k] >= 0:
                j = feature[k]
                limit = threshold[k]
                bits = excluded[k]
                for i in range(64):  # NaN is not less or equal
                    closed[i] |= none if tile[j, i] <= limit else bits
                k += 1
            k += 1
            for i in range(size):
                bits = ~closed[i] & (closed[i] + 1)
                out[h, begin + i] += value[t, ((bits * de_bruijn) & mask) >> 27]
    return sums


def tree_lanes(
    root: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    threshold: cython.const[cython.float][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    value: cython.const[cython.float][::1],
    missing: cython.const[cython.uchar][::1],
):
    """Return the trees of `tree_sums` for `lane_sums`; None if a tree has more than 32 leaves.

    The result is feature, threshold and excluded (m,) of each node that is no leaf, and value (t, 32). The
    nodes of a tree are those with ``missing``, an entry with feature -1, the others, and an entry with
    feature -1. excluded: a bit for each leaf on the left of a node. value: of the leaves, each at the place
    of its bit.
    """
    trees: cython.Py_ssize_t = root.shape[0]
    features = np.full(trees * 33, -1, np.int32)
    thresholds = np.zeros(trees * 33, np.float32)
    leaves = np.zeros(trees * 33, np.uint32)
    values = np.zeros((trees, 32), np.float32)
    out_feature: cython.int[::1] = features
    out_threshold: cython.float[::1] = thresholds
    out_excluded: cython.uint[::1] = leaves
    out_value: cython.float[:, ::1] = values
    # Uncompiled, a memoryview returns Python integers, which do not overflow.
    inner: cython.int[::1] = memoryview(np.zeros(32, np.int32))  # the nodes of a tree that are no leaves
    first: cython.int[::1] = memoryview(np.zeros(32, np.int32))  # the first leaf below each of them
    middle: cython.int[::1] = memoryview(np.zeros(32, np.int32))  # the first leaf on its right
    waiting: cython.int[::1] = memoryview(np.zeros(34, np.int32))  # nodes that are still to be visited
    above: cython.int[::1] = memoryview(np.zeros(34, np.int32))  # the inner node whose right child they are
    number: cython.Py_ssize_t
    leaf: cython.Py_ssize_t
    size: cython.Py_ssize_t
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t = 0
    t: cython.Py_ssize_t
    node: cython.int
    side: cython.int
    unit: cython.uint = 1
    mask: cython.uint = 0xFFFFFFFF
    de_bruijn: cython.uint = 0x077CB531
    for t in range(trees):
        number = 0
        leaf = 0
        size = 1
        waiting[0] = root[t]
        above[0] = -1
        while size:
            size -= 1
            node = waiting[size]
            if above[size] >= 0:
                middle[above[size]] = leaf
            if feature[node] < 0:
                if leaf == 32:
                    return None
                out_value[t, (((unit << leaf) * de_bruijn) & mask) >> 27] = value[node]
                leaf += 1
            else:
                if number == 31:
                    return None
                inner[number] = node
                first[number] = leaf
                waiting[size] = right[node]
                above[size] = number
                waiting[size + 1] = left[node]
                above[size + 1] = -1
                number += 1
                size += 2
        for side in (1, 0):
            for i in range(number):
                node = inner[i]
                if (missing[node] != 0) == (side != 0):
                    out_feature[k] = feature[node]
                    out_threshold[k] = threshold[node]
                    out_excluded[k] = (unit << middle[i]) - (unit << first[i])
                    k += 1
            k += 1
    return features[:k].copy(), thresholds[:k].copy(), leaves[:k].copy(), values
