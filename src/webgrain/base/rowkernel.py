# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Sums of decision trees over the rows of a table of features.

Source of the lanes: Lucchese and others, QuickScorer: a fast algorithm to rank documents with additive
ensembles of regression trees, SIGIR 2015. The leaves of a tree are numbered from left to right. A node that
sends a row to the right excludes the leaves on its left, whether or not the row reaches the node, and the row
falls into the first leaf that is not excluded. So no branch depends on a value, and the compiler can
vectorise the loops over rows. Departures: 64 rows are evaluated together, and all nodes of a tree are tested
(the paper sorts the nodes of all trees by feature and threshold, and stops early); excluded leaves are
ones.

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

Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Floats = cython.typedef(cython.const[cython.float][::1])
FloatTable = cython.typedef(cython.const[cython.float][:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Rows = cython.typedef(cython.const[cython.float][:, :])
Sums = cython.typedef(cython.double[:, ::1])
Words = cython.typedef(cython.const[cython.uint][::1])


@cython.cclass
class Forest:
    """The trees of h models of the same features.

    bias: (h,) float64. nodes: heads (h + 1,), the first tree of each model, and the number of trees; root
    (t,), the first node of each tree; then feature, threshold, left, right, value and missing (n,) as in
    `webgrain.base.trees.BoostedTrees`. lanes: column (c,), the columns that the trees use, and what
    `tree_lanes` returns, but feature is a place in column, or -1; empty if a tree has too many leaves.
    """

    cython.declare(bias=Doubles, heads=Ints, root=Ints, feature=Ints, threshold=Floats, left=Ints, right=Ints)
    cython.declare(value=Floats, missing=Flags)
    cython.declare(has_lanes=cython.bint, column=Ints, lane_feature=Ints, lane_threshold=Floats)
    cython.declare(excluded=Words, lane_value=FloatTable)

    def __init__(self, bias, nodes, lanes):
        self.bias = bias
        self.heads, self.root, self.feature, self.threshold, *rest = nodes
        self.left, self.right, self.value, self.missing = rest
        self.has_lanes = len(lanes) > 0
        if self.has_lanes:
            self.column, self.lane_feature, self.lane_threshold, self.excluded, self.lane_value = lanes

    def odds(self, x: Rows, few: cython.Py_ssize_t):
        """Return the log odds (h, b) float64 of each row of features x (b, f) by each model.

        few: less rows than these are evaluated one after the other, more in lanes, with the same bits.
        """
        rows: cython.Py_ssize_t = x.shape[0]
        in_lanes: cython.Py_ssize_t = 0
        if self.has_lanes and rows >= few:
            in_lanes = rows - rows % 64 if rows % 64 < few else rows
        odds = np.zeros((len(self.bias), rows))
        out: Sums = odds
        self.add_lanes(out, x, in_lanes)
        self.add_rows(out, x, in_lanes)
        for h in range(out.shape[0]):
            for i in range(rows):
                out[h, i] = self.bias[h] + out[h, i]
        return odds

    def probabilities(self, x: Rows, few: cython.Py_ssize_t):
        """Return the probabilities (h, b) float64 with the log odds of `odds`."""
        values = self.odds(x, few)
        out: Sums = values
        for h in range(out.shape[0]):
            for i in range(out.shape[1]):
                out[h, i] = min(max(-out[h, i], -500.0), 500.0)
        np.exp(values, out=values)
        values += 1.0
        return np.divide(1.0, values, out=values)

    @cython.cfunc
    def add_rows(self, out: Sums, x: Rows, begin: cython.Py_ssize_t):
        """Add the values of the leaves of the rows from ``begin`` on, tree by tree.

        Rows with a feature of at most ``threshold`` go to the left, others to the right, and those without a
        value (NaN) to the left where ``missing`` is 1. Every child must come after its parent.
        """
        heads: Ints = self.heads
        root: Ints = self.root
        feature: Ints = self.feature
        threshold: Floats = self.threshold
        left: Ints = self.left
        right: Ints = self.right
        value: Floats = self.value
        missing: Flags = self.missing
        h: cython.Py_ssize_t
        i: cython.Py_ssize_t
        t: cython.Py_ssize_t
        node: cython.Py_ssize_t
        number: cython.float
        for h in range(out.shape[0]):
            for t in range(heads[h], heads[h + 1]):
                for i in range(begin, x.shape[0]):
                    node = root[t]
                    while feature[node] >= 0:
                        number = x[i, feature[node]]
                        if number <= threshold[node] or (number != number and missing[node]):
                            node = left[node]
                        else:
                            node = right[node]
                    out[h, i] += value[node]

    @cython.cfunc
    def add_lanes(self, out: Sums, x: Rows, rows: cython.Py_ssize_t):
        """Add the values of the leaves of the first rows, without a branch that depends on a value."""
        if rows == 0:
            return
        heads: Ints = self.heads
        column: Ints = self.column
        feature: Ints = self.lane_feature
        threshold: Floats = self.lane_threshold
        excluded: Words = self.excluded
        value: FloatTable = self.lane_value
        # The last lanes of a tile may have no row: what is computed for them is not used.
        tile: cython.float[:, ::1] = np.empty((column.shape[0], 64), np.float32)
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


def tree_lanes(
    root: cython.const[cython.int][::1],
    feature: cython.const[cython.int][::1],
    threshold: cython.const[cython.float][::1],
    left: cython.const[cython.int][::1],
    right: cython.const[cython.int][::1],
    value: cython.const[cython.float][::1],
    missing: cython.const[cython.uchar][::1],
):
    """Return the trees for lanes; None if a tree has more than 32 leaves.

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
