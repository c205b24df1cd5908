# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Dynamic programs over a tree in document order: loops without recursion, so any depth will do.

Every function takes `TreePotts` arrays. With W[u, a] the sum of unary[v, a] over the subtree of u, and X the
cost of being invisible, the value of the subtree of u is

    F_u = min( W[u, a] for a label a,  X_u + sum_{q child of u} F_q )

over all labels a when they are free (`tree_labels`), over the one label that all leaves below u share when
leaf labels are given (`common_labels`: a node over leaves of different labels must be invisible), and for
each label alone (`label_gains`).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


# Labels are summed eight at a time: one cache line of float64, and n x 8 sums instead of n x K.
BLOCK = 8


def best_labels(parent: cython.const[cython.int][::1], unary: cython.const[cython.double][:, ::1]):
    """Return the first best label (n,) int32 of each whole subtree and its cost (n,), min_a W[u, a]."""
    n: cython.Py_ssize_t = unary.shape[0]
    n_labels: cython.Py_ssize_t = unary.shape[1]
    block: cython.Py_ssize_t = BLOCK
    best = np.full(n, np.inf)
    label = np.zeros(n, np.int32)
    best_of: cython.double[::1] = best
    label_of: cython.int[::1] = label
    sums: cython.double[:, ::1]
    first: cython.Py_ssize_t
    u: cython.Py_ssize_t
    j: cython.Py_ssize_t
    above: cython.Py_ssize_t
    for first in range(0, n_labels, block):
        sums = np.zeros((n, BLOCK))
        for u in range(n - 1, -1, -1):
            above = parent[u]
            for j in range(min(block, n_labels - first)):
                sums[u, j] += unary[u, first + j]
                if sums[u, j] < best_of[u]:
                    best_of[u] = sums[u, j]
                    label_of[u] = first + j
                if above >= 0:
                    sums[above, j] += sums[u, j]
    return label, best


def tree_labels(
    parent: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
    invisible: cython.const[cython.double][::1],
    best_label: cython.const[cython.int][::1],
    best: cython.const[cython.double][::1],
):
    """Return labels (n,) int32 of least energy without pairs, and the energy; a tie is visible."""
    n: cython.Py_ssize_t = parent.shape[0]
    labels = np.full(n, -1, np.int32)
    label_of: cython.int[::1] = labels
    below: cython.double[::1] = np.zeros(n)
    value: cython.double = 0.0
    u: cython.Py_ssize_t
    above: cython.Py_ssize_t
    for u in range(n - 1, -1, -1):
        value = best[u]
        label_of[u] = best_label[u]
        if end[u] > u + 1 and invisible[u] + below[u] < value:
            value = invisible[u] + below[u]
            label_of[u] = -1
        if u > 0:
            below[parent[u]] += value
    for u in range(1, n):
        above = parent[u]
        if label_of[above] >= 0:
            label_of[u] = label_of[above]
    return labels, value


def common_labels(
    parent: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
    unary: cython.const[cython.double][:, ::1],
    invisible: cython.const[cython.double][::1],
    labels: cython.const[cython.int][::1],
    common: cython.int[::1],
    gain: cython.double[::1],
):
    """Fill the label common to the leaves below each node and what visibility gains; return F of the root.

    labels (n,) is read at leaves only. common (n,): the label, or -1 where leaves differ; gain (n,):
    X_u + sum F_q - W[u, common], so a node may be visible where it is >= 0; -1 where leaves differ.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    whole: cython.double[::1] = np.zeros(n)
    below: cython.double[::1] = np.zeros(n)
    value: cython.double = 0.0
    u: cython.Py_ssize_t
    above: cython.Py_ssize_t
    for u in range(n):
        common[u] = -2
    for u in range(n - 1, -1, -1):
        above = parent[u]
        if end[u] == u + 1:
            common[u] = labels[u]
        value = invisible[u] + below[u]
        gain[u] = -1.0
        if common[u] >= 0:
            whole[u] += unary[u, common[u]]
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


def visible_labels(
    parent: cython.const[cython.int][::1],
    common: cython.const[cython.int][::1],
    gain: cython.const[cython.double][::1],
):
    """Return labels (n,) int32: a node is visible when its parent is, or when visibility gains there."""
    n: cython.Py_ssize_t = parent.shape[0]
    labels = np.full(n, -1, np.int32)
    label_of: cython.int[::1] = labels
    u: cython.Py_ssize_t
    for u in range(n):
        if gain[u] >= 0 or (u > 0 and label_of[parent[u]] >= 0):
            label_of[u] = common[u]
    return labels


def contract(
    parent: cython.const[cython.int][::1], end: cython.const[cython.int][::1], n_leaves: cython.Py_ssize_t
):
    """Return slot (n,) int32 and above (slots,) int32: the tree with each chain of only children in one slot.

    slot[u]: the slot that stands for u, leaves first, in document order; above: the slot's parent, or -1.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    slots = np.zeros(n, np.int32)
    slot: cython.int[::1] = slots
    leaf: cython.int = 0
    branches: cython.int = 0
    u: cython.Py_ssize_t
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
    above: cython.int[::1] = aboves
    for u in range(1, n):
        if slot[parent[u]] != slot[u]:
            above[slot[u]] = slot[parent[u]]
    return slots, aboves


def label_gains(
    parent: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
    unary: cython.const[cython.double][:, ::1],
    invisible: cython.const[cython.double][::1],
    slot: cython.const[cython.int][::1],
    n_leaves: cython.Py_ssize_t,
    n_slots: cython.Py_ssize_t,
):
    """Tabulate what the visibility of each slot of `contract` gains when all below it has one label.

    Returns leaf_cost (K, leaves), D_p(a) less the gains of the chain above p, and the positive gains of
    branching slots, grouped by label: first (K + 1,) int32, slot (any,) int32, gain (any,).
    """
    n: cython.Py_ssize_t = parent.shape[0]
    n_labels: cython.Py_ssize_t = unary.shape[1]
    block: cython.Py_ssize_t = BLOCK
    leaf_costs = np.empty((n_labels, n_leaves))
    leaf_cost: cython.double[:, ::1] = leaf_costs
    firsts = np.zeros(n_labels + 1, np.int32)
    first_of: cython.int[::1] = firsts
    room: cython.Py_ssize_t = 4 * n_slots + 64
    used: cython.Py_ssize_t = 0
    slots, gains = np.empty(room, np.int32), np.empty(room)
    slot_list: cython.int[::1] = slots
    gain_list: cython.double[::1] = gains
    whole: cython.double[:, ::1]
    below: cython.double[:, ::1]
    saved: cython.double[:, ::1]
    first: cython.Py_ssize_t
    u: cython.Py_ssize_t
    above: cython.Py_ssize_t
    k: cython.Py_ssize_t
    j: cython.Py_ssize_t
    width: cython.Py_ssize_t
    gain: cython.double
    for first in range(0, n_labels, block):
        width = min(block, n_labels - first)
        whole, below, saved = np.zeros((n, BLOCK)), np.zeros((n, BLOCK)), np.zeros((n_slots, BLOCK))
        for u in range(n - 1, -1, -1):
            above = parent[u]
            for j in range(width):
                whole[u, j] += unary[u, first + j]
                if end[u] == u + 1:
                    below[u, j] = whole[u, j]
                    saved[slot[u], j] -= whole[u, j]
                else:
                    below[u, j] += invisible[u]
                    gain = below[u, j] - whole[u, j]
                    if gain > 0:
                        below[u, j] = whole[u, j]
                        saved[slot[u], j] += gain
                if above >= 0:
                    whole[above, j] += whole[u, j]
                    below[above, j] += below[u, j]
        for j in range(width):
            for k in range(n_leaves):
                leaf_cost[first + j, k] = -saved[k, j]
            if used + n_slots > room:
                room = 2 * room
                slots, gains = np.resize(slots, room), np.resize(gains, room)
                slot_list, gain_list = slots, gains
            for k in range(n_leaves, n_slots):
                if saved[k, j] > 0:
                    slot_list[used] = k
                    gain_list[used] = saved[k, j]
                    used += 1
            first_of[first + j + 1] = used
    return leaf_costs, firsts, slots[:used], gains[:used]
