# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The best labels of the inner nodes of a tree, given those of its leaves, by dynamic programs.

All functions take the arrays of a `TreePotts` and trees of any depth: none is recursive. With W[u, a] the sum
of unary[v, a] over the subtree of u, and X the cost of being invisible, the value of the subtree of u is

    F_u = min( W[u, a] for a label a,  X_u + sum_{q child of u} F_q )

over the one label that all leaves below u share if leaf labels are given (`common_labels`: a node over leaves
of different labels must be invisible); for each label alone (`label_gains`). Over all labels if they are free
it is `webgrain.segmentation.solvers.treedp.tree_labels`, which takes the least W of `best_subtree_labels`.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


def best_subtree_labels(parent: Ints, tops: Ints, first: Longs, unary: Doubles):
    """Return the first best label (n,) int32 of each whole subtree and its cost (n,), min_a W[u, a].

    Label a is allowed in the subtree of node tops[a]; its costs are unary[first[a]:first[a + 1]].
    """
    n: cython.Py_ssize_t = parent.shape[0]
    best = np.full(n, np.inf)
    label = np.zeros(n, np.int32)
    best_of: DoubleBuffer = best
    label_of: IntBuffer = label
    whole: DoubleBuffer = np.empty(n)
    for a in range(tops.shape[0]):
        top = tops[a]
        last = top + first[a + 1] - first[a] - 1
        for u in range(top, last + 1):
            whole[u] = unary[first[a] + u - top]
        for u in range(last, top - 1, -1):
            if whole[u] < best_of[u]:
                best_of[u] = whole[u]
                label_of[u] = a
            if u > top:
                whole[parent[u]] += whole[u]
    return label, best


def common_labels(
    parent: Ints,
    end: Ints,
    tops: Ints,
    first: Longs,
    unary: Doubles,
    invisible: Doubles,
    labels: Ints,
    common: IntBuffer,
    gain: DoubleBuffer,
):
    """Fill the common label of the leaves below each node and the gain of visibility; return F of the root.

    labels (n,) is read at leaves only. common (n,): the label, or -1 where leaves differ; gain (n,):
    X_u + sum F_q - W[u, common], so a node may be visible where it is >= 0; -1 where leaves differ or the
    label is not allowed. tops, first, unary: as for `best_subtree_labels`.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    whole: DoubleBuffer = np.zeros(n)
    below: DoubleBuffer = np.zeros(n)
    value: cython.double = 0.0
    for u in range(n):
        common[u] = -2
    for u in range(n - 1, -1, -1):
        above = parent[u]
        if end[u] == u + 1:
            common[u] = labels[u]
        value = invisible[u] + below[u]
        gain[u] = -1.0
        if common[u] >= 0 and u >= tops[common[u]]:
            whole[u] += unary[first[common[u]] + u - tops[common[u]]]
            gain[u] = value - whole[u]
            if end[u] == u + 1:
                gain[u] = 0.0
            if gain[u] >= 0:
                value = whole[u]
        if above >= 0:
            below[above] += value
            whole[above] += whole[u]
            if common[above] == -2:
                common[above] = common[u]
            elif common[above] != common[u]:
                common[above] = -1
    return value


def visible_labels(parent: Ints, common: Ints, gain: Doubles):
    """Return labels (n,) int32: a node is visible if its parent is, or if it gains by visibility."""
    n: cython.Py_ssize_t = parent.shape[0]
    labels = np.full(n, -1, np.int32)
    label_of: IntBuffer = labels
    for u in range(n):
        if gain[u] >= 0 or (u > 0 and label_of[parent[u]] >= 0):
            label_of[u] = common[u]
    return labels


def contract(parent: Ints, end: Ints, n_leaves: cython.Py_ssize_t):
    """Return slot (n,) int32 and above (slots,) int32: the tree with each chain of only children in one slot.

    slot[u]: the slot of u, leaves first, in document order; above: the parent of each slot, or -1.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    slots = np.zeros(n, np.int32)
    slot: IntBuffer = slots
    leaf: cython.int = 0
    branches: cython.int = 0
    for u in range(n):
        if end[u] == u + 1:
            slot[u] = leaf
            leaf += 1
    for u in range(n - 1, -1, -1):
        if end[u] > u + 1:
            if end[u + 1] == end[u]:
                slot[u] = slot[u + 1]
            else:
                slot[u] = n_leaves + branches
                branches += 1
    aboves = np.full(n_leaves + branches, -1, np.int32)
    above: IntBuffer = aboves
    for u in range(1, n):
        if slot[parent[u]] != slot[u]:
            above[slot[u]] = slot[parent[u]]
    return slots, aboves


def label_gains(
    parent: Ints,
    end: Ints,
    tops: Ints,
    first: Longs,
    unary: Doubles,
    invisible: Doubles,
    slot: Ints,
    n_leaves: cython.Py_ssize_t,
    leaf_first: Longs,
):
    """Return the gain of visibility of each slot of `contract` if all leaves below it have one label.

    Returns leaf_cost (leaf_first[K],), D_p(a) less the gains of the chain above p, for the leaves below the
    top of each label in turn, and the positive gains of branching slots, grouped by label: first (K + 1,)
    int32, slot (any,) int32, gain (any,), and F (any,), the sum of the leaf costs less the gains of the slot
    and of those below it. tops, first, unary: as for `best_subtree_labels`.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    n_labels: cython.Py_ssize_t = tops.shape[0]
    leaf_costs = np.empty(leaf_first[n_labels])
    leaf_cost: DoubleBuffer = leaf_costs
    firsts = np.zeros(n_labels + 1, np.int32)
    first_of: IntBuffer = firsts
    room: cython.Py_ssize_t = 4 * n + 64
    used: cython.Py_ssize_t = 0
    slots, gains, sums = np.empty(room, np.int32), np.empty(room), np.empty(room)
    slot_list: IntBuffer = slots
    gain_list: DoubleBuffer = gains
    sum_list: DoubleBuffer = sums
    whole: DoubleBuffer = np.empty(n)
    below: DoubleBuffer = np.empty(n)
    block: DoubleBuffer = np.empty(n)
    saved: DoubleBuffer = np.zeros(n)
    place: cython.Py_ssize_t = 0
    for a in range(n_labels):
        top = tops[a]
        last = top + first[a + 1] - first[a] - 1
        for u in range(top, last + 1):
            whole[u] = unary[first[a] + u - top]
            below[u] = whole[u] if end[u] == u + 1 else invisible[u]
            block[u] = whole[u] if end[u] == u + 1 else 0.0
        if used + last + 1 - top > room:
            room = 2 * room
            slots, gains, sums = np.resize(slots, room), np.resize(gains, room), np.resize(sums, room)
            slot_list, gain_list, sum_list = slots, gains, sums
        place = leaf_first[a + 1]
        for u in range(last, top - 1, -1):
            s = slot[u]
            if end[u] == u + 1:
                saved[s] = -whole[u]
            else:
                gain = below[u] - whole[u]
                if gain > 0:
                    below[u] = whole[u]
                    block[u] -= gain
                    saved[s] += gain
            if u > top:
                whole[parent[u]] += whole[u]
                below[parent[u]] += below[u]
                block[parent[u]] += block[u]
            if u == top or slot[parent[u]] != s:  # the highest node of the slot
                if s < n_leaves:
                    place -= 1
                    leaf_cost[place] = -saved[s]
                elif saved[s] > 0:
                    slot_list[used] = s
                    gain_list[used] = saved[s]
                    sum_list[used] = block[u]
                    used += 1
                saved[s] = 0.0
        first_of[a + 1] = used
    return leaf_costs, firsts, slots[:used], gains[:used], sums[:used]
