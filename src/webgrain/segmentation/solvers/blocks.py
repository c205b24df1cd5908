# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Costs of blocks: all leaves below a slot with one label, internal nodes as is best, pairs left out.

In the terms of `labeltable`, a block costs F_s(a) = sum of leaf_cost - sum of gains, both over s and below,
and M_s is the least cost of any labels below s: M_s = min(min_a F_s(a), sum_{q below s} M_q). An inner slot
without a gain for a needs no block: those of its children cost the same together.

Chances of leaves to be together in a random tree of blocks: two passes, without recursion.

A node in document order is reached when all above it are open. What is closed is in one block, and reaches
out with a chance: then it belongs to what is left over of an open node above. What is left over of an open
node reaches further out with another chance. With o, s, r for ``opened``, ``joins``, ``passes``:

    reach[u]   chance that all above u are open
    cover[u]   chance that a node among u and those above is reached and closed, so all below u is one block
    out[u]     leaves below u, on average, that reach out of u when u is reached:
               (1 - o) s leaves[u] + o r sum of out[children]
    left[u]    pairs of leaves from different children of u that are left over together, on average:
               reach o times the pairs of out[children], as if these were independent
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


@cython.cfunc
def block_costs(
    above: cython.const[cython.int][::1],
    leaf_cost: cython.const[cython.double][::1],
    gain_slot: cython.const[cython.int][::1],
    gain_value: cython.const[cython.double][::1],
    first: cython.Py_ssize_t,
    last: cython.Py_ssize_t,
    cost: cython.double[::1],
) -> cython.void:
    """Fill F_s(a) of all slots (S,) for one label a, whose gains are at first:last."""
    n_leaves: cython.Py_ssize_t = leaf_cost.shape[0]
    s: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for s in range(cost.shape[0]):
        cost[s] = leaf_cost[s] if s < n_leaves else 0.0
    for k in range(first, last):
        cost[gain_slot[k]] = -gain_value[k]
    for s in range(cost.shape[0] - 1):
        cost[above[s]] += cost[s]


def least_costs(
    above: cython.const[cython.int][::1],
    leaf_cost: cython.const[cython.double][:, ::1],
    gain_first: cython.const[cython.int][::1],
    gain_slot: cython.const[cython.int][::1],
    gain_value: cython.const[cython.double][::1],
):
    """Return min_a F_s(a) (S,) and M_s (S,)."""
    n_slots: cython.Py_ssize_t = above.shape[0]
    cost: cython.double[::1] = np.empty(n_slots)
    uniform, best = np.full(n_slots, np.inf), np.empty(n_slots)
    least: cython.double[::1] = uniform
    value: cython.double[::1] = best
    below: cython.double[::1] = np.zeros(n_slots)
    a: cython.Py_ssize_t
    s: cython.Py_ssize_t
    for a in range(leaf_cost.shape[0]):
        block_costs(above, leaf_cost[a], gain_slot, gain_value, gain_first[a], gain_first[a + 1], cost)
        for s in range(n_slots):
            if cost[s] < least[s]:
                least[s] = cost[s]
    for s in range(n_slots):
        value[s] = least[s]
        if s >= leaf_cost.shape[1] and below[s] < least[s]:
            value[s] = below[s]
        if above[s] >= 0:
            below[above[s]] += value[s]
    return uniform, best


def list_blocks(
    above: cython.const[cython.int][::1],
    leaf_cost: cython.const[cython.double][:, ::1],
    gain_first: cython.const[cython.int][::1],
    gain_slot: cython.const[cython.int][::1],
    gain_value: cython.const[cython.double][::1],
    limit: cython.const[cython.double][::1],
):
    """Return the blocks with F_s(a) <= limit[s], by slot: first (S + 1,) int64, label (any,) int32, F (any,).

    Within a slot, labels ascend.
    """
    n_slots: cython.Py_ssize_t = above.shape[0]
    n_leaves: cython.Py_ssize_t = leaf_cost.shape[1]
    cost: cython.double[::1] = np.empty(n_slots)
    firsts = np.zeros(n_slots + 1, np.int64)
    place: cython.longlong[::1] = np.zeros(n_slots, np.int64)
    labels, costs = np.empty(0, np.int32), np.empty(0)
    label_of: cython.int[::1] = labels
    cost_of: cython.double[::1] = costs
    filling: cython.bint
    a: cython.Py_ssize_t
    s: cython.Py_ssize_t
    k: cython.Py_ssize_t
    for filling in (False, True):  # the first pass counts
        for a in range(leaf_cost.shape[0]):
            block_costs(above, leaf_cost[a], gain_slot, gain_value, gain_first[a], gain_first[a + 1], cost)
            for k in range(n_leaves + gain_first[a + 1] - gain_first[a]):
                s = k if k < n_leaves else gain_slot[gain_first[a] + k - n_leaves]
                if cost[s] <= limit[s]:
                    if filling:
                        label_of[place[s]] = a
                        cost_of[place[s]] = cost[s]
                    place[s] += 1
        if not filling:
            np.cumsum(place, out=firsts[1:])
            place = firsts[:n_slots].copy()
            labels, costs = np.empty(firsts[n_slots], np.int32), np.empty(firsts[n_slots])
            label_of, cost_of = labels, costs
    return firsts, labels, costs


def block_chances(
    parent: cython.const[cython.int][::1],
    leaves: cython.const[cython.double][::1],
    opened: cython.const[cython.double][::1],
    joins: cython.const[cython.double][::1],
    passes: cython.const[cython.double][::1],
):
    """Return reach, cover, out, left (n,) float64.

    parent (n,) int32: -1 at the root, else < own index; leaves (n,): below each node; opened, joins, passes
    (n,): chances, ``opened`` 0 at leaves.

    >>> chance = np.array([0.5, 0.0, 0.0])
    >>> reach, cover, out, left = block_chances(
    ...     np.array([-1, 0, 0], np.int32), np.array([2.0, 1, 1]), chance, 0 * chance + 0.5, chance)
    >>> reach.tolist(), cover.tolist(), out.tolist(), left.tolist()
    ([1.0, 0.5, 0.5], [0.5, 1.0, 1.0], [0.75, 0.5, 0.5], [0.125, 0.0, 0.0])
    """
    n: cython.Py_ssize_t = parent.shape[0]
    reach, cover, out, left = np.ones(n), np.zeros(n), np.zeros(n), np.zeros(n)
    reach_of: cython.double[::1] = reach
    cover_of: cython.double[::1] = cover
    out_of: cython.double[::1] = out
    left_of: cython.double[::1] = left
    below: cython.double[::1] = np.zeros(n)
    squares: cython.double[::1] = np.zeros(n)
    u: cython.Py_ssize_t
    above: cython.Py_ssize_t
    for u in range(n):
        if u > 0:
            above = parent[u]
            reach_of[u] = reach_of[above] * opened[above]
            cover_of[u] = cover_of[above]
        cover_of[u] += reach_of[u] * (1.0 - opened[u])
    for u in range(n - 1, -1, -1):
        out_of[u] = (1.0 - opened[u]) * joins[u] * leaves[u] + opened[u] * passes[u] * below[u]
        left_of[u] = reach_of[u] * opened[u] * (below[u] * below[u] - squares[u]) / 2
        if u > 0:
            below[parent[u]] += out_of[u]
            squares[parent[u]] += out_of[u] * out_of[u]
    return reach, cover, out, left
