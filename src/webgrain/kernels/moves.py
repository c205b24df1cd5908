# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Exact alpha-expansion moves of the labelled tree: every leaf keeps its label or takes alpha.

Internal nodes follow as is best. With the values F of `treedp.common_labels`, a node u over leaves of one
label a gains g_u(a) = max(0, X_u + sum_q F_q - W[u, a]) by being visible; any leaf labels f, completed, cost

    E(f) = sum_leaves D_p(f_p) + sum_internal X_u + Potts(f) - sum_{u over leaves of one label a} g_u(a)

The last sum rewards agreement of all leaves below u. In a move from f to alpha, u earns g_u(alpha) if all its
leaves end with alpha, and keeps g_u(a) if none of them leaves a: two auxiliary nodes u(t) and u(s), infinite
arcs down from u(t) and up to u(s). No arc is negative, whatever the signs of D and X, so the cut is exact.
An only child has the leaves of its parent, so a chain is one node here: 2 leaves - 1 remain at most.

    node        cost of joining T, the side of alpha (terminal)
    leaf p      D_p(alpha) - D_p(f_p), the gains of the chain above p included; - w/2 for each cut pair,
                - w/2 more where the other leaf has alpha already (such leaves are out of the graph)
    u(t)        - g_u(alpha)
    u(s)        g_u(common label of its leaves), 0 where they differ
    arc         capacity
    leaf pair   w, w/2 when the pair is cut now; both directions
    tree        infinite: u(t) -> child, child -> u(s) where the leaves of u agree

Only terminals depend on alpha, so arcs are filled when a move is taken, not when it is tried.
"""

from __future__ import annotations

import numpy as np

from webgrain.kernels.mincut import OneSidedCut
from webgrain.kernels.treedp import common_labels, visible_labels

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def build_arcs(above, pairs, n_leaves):
    """Return the arcs in compressed rows, start, head, reverse, and where each kind of them stands.

    Nodes: leaves, u(t) at the slot of u, u(s) behind all slots. Kinds, int32: the two arcs of each pair
    (2, m), u(t) -> child (slots - 1,), child -> u(s) (slots - 1,).
    """
    n_slots = len(above)
    branches = n_slots - n_leaves
    child = np.flatnonzero(above >= 0).astype(np.int32)
    keep_child = np.where(child < n_leaves, child, child + branches)
    tail = np.concatenate([pairs[:, 0], above[child], keep_child]).astype(np.int32)
    head = np.concatenate([pairs[:, 1], child, above[child] + branches]).astype(np.int32)
    tails, heads = np.concatenate([tail, head]), np.concatenate([head, tail])
    by_tail = np.argsort(tails, kind="stable")
    place = np.empty(len(by_tail), np.int32)
    place[by_tail] = np.arange(len(by_tail))
    start = np.zeros(n_slots + branches + 1, np.int32)
    np.cumsum(np.bincount(tails, minlength=n_slots + branches), out=start[1:])
    reverse = np.empty_like(place)
    reverse[place] = np.roll(place, len(tail))
    m, t = len(pairs), len(pairs) + len(child)
    pair_arcs = np.ascontiguousarray(place.reshape(2, -1)[:, :m])
    return start, heads[by_tail], reverse, pair_arcs, place[m:t], place[t : len(tail)]


@cython.cclass
class MoveGraph:
    """The move graph of one problem, and the current labelling.

    Takes the arrays of `TreePotts`, contiguous, and their `LabelTable`. `load` sets the current labels,
    `move` tries a label, `expand` runs over labels until none improves.
    """

    parent: cython.const[cython.int][::1]
    end: cython.const[cython.int][::1]
    unary: cython.const[cython.double][:, ::1]
    invisible: cython.const[cython.double][::1]
    leaves: cython.const[cython.int][::1]
    pairs: cython.const[cython.int][:, ::1]
    weight: cython.const[cython.double][::1]
    slot: cython.const[cython.int][::1]
    leaf_cost: cython.const[cython.double][:, ::1]
    gain_first: cython.const[cython.int][::1]
    gain_slot: cython.const[cython.int][::1]
    gain_value: cython.const[cython.double][::1]
    start: cython.const[cython.int][::1]
    head: cython.const[cython.int][::1]
    pair_arcs: cython.const[cython.int][:, ::1]
    keep_arcs: cython.const[cython.int][::1]
    capacity: cython.double[::1]
    residual: cython.double[::1]
    terminal: cython.double[::1]
    resting: cython.double[::1]
    closed: cython.schar[::1]
    reached: cython.int[::1]
    seeds: cython.int[::1]
    labels: cython.int[::1]
    leaf_label: cython.int[::1]
    offset: cython.double[::1]
    common: cython.int[::1]
    gain: cython.double[::1]
    slot_label: cython.int[::1]
    energy: cython.double
    graph: object

    def __init__(self, parent, end, unary, invisible, table) -> None:
        n, above = len(parent), table.above
        n_leaves = len(table.leaves)
        self.parent, self.end, self.unary, self.invisible = parent, end, unary, invisible
        self.leaves, self.pairs, self.weight, self.slot = table.leaves, table.pairs, table.weight, table.slot
        self.leaf_cost, self.gain_first = table.leaf_cost, table.gain_first
        self.gain_slot, self.gain_value = table.gain_slot, table.gain_value
        start, head, reverse, self.pair_arcs, take_arcs, self.keep_arcs = build_arcs(
            above, table.pairs, n_leaves
        )
        self.start, self.head = start, head
        nodes, arcs = len(start) - 1, len(head)
        capacity, residual, terminal = np.zeros(arcs), np.zeros(arcs), np.zeros(nodes)
        capacity[take_arcs] = np.inf
        closed, reached = np.zeros(nodes, np.int8), np.zeros(nodes, np.int32)
        self.capacity, self.residual, self.terminal = capacity, residual, terminal
        self.closed, self.reached = closed, reached
        self.resting, self.seeds = np.zeros(nodes), np.zeros(nodes, np.int32)
        self.labels, self.leaf_label = np.zeros(n, np.int32), np.zeros(n_leaves, np.int32)
        self.offset, self.slot_label = np.zeros(n_leaves), np.zeros(len(above), np.int32)
        self.common, self.gain = np.zeros(n, np.int32), np.zeros(n)
        self.graph = OneSidedCut(start, head, reverse, residual, terminal, closed, reached)

    def load(self, labels: cython.const[cython.int][::1]):
        """Make labels (n,) int32, read at leaves only, the current ones; return their energy, completed."""
        self.labels[:] = labels
        self.refresh()
        return self.energy

    def current(self) -> np.ndarray:
        """Return the current labels (n,) int32, completed."""
        return visible_labels(self.parent, self.common, self.gain)

    @cython.cfunc
    def refresh(self) -> cython.void:
        """Fill all that depends on the current labels and not on alpha; O(nodes + pairs)."""
        n: cython.Py_ssize_t = self.parent.shape[0]
        n_leaves: cython.Py_ssize_t = self.leaves.shape[0]
        branches: cython.Py_ssize_t = self.slot_label.shape[0] - n_leaves
        half: cython.double
        i: cython.Py_ssize_t
        p: cython.int
        q: cython.int
        self.energy = common_labels(
            self.parent, self.end, self.unary, self.invisible, self.labels, self.common, self.gain
        )
        self.resting[:] = 0.0
        for i in range(n):
            self.slot_label[self.slot[i]] = self.common[i]
            if self.gain[i] > 0 and self.slot[i] >= n_leaves:
                self.resting[self.slot[i] + branches] += self.gain[i]
        for i in range(n_leaves):
            self.leaf_label[i] = self.labels[self.leaves[i]]
            self.offset[i] = self.leaf_cost[self.leaf_label[i], i]
        for i in range(self.pairs.shape[0]):
            p = self.pairs[i, 0]
            q = self.pairs[i, 1]
            half = 0.0
            if self.leaf_label[p] != self.leaf_label[q]:
                self.energy += self.weight[i]
                half = self.weight[i] / 2
                self.offset[p] += half
                self.offset[q] += half
            self.capacity[self.pair_arcs[0, i]] = self.weight[i] - half
            self.capacity[self.pair_arcs[1, i]] = self.weight[i] - half
        for i in range(self.keep_arcs.shape[0]):
            p = self.head[self.keep_arcs[i]] - branches
            self.capacity[self.keep_arcs[i]] = np.inf if self.slot_label[p] >= 0 else 0.0

    @cython.cfunc
    def fill(self, alpha: cython.int, tolerance: cython.double) -> cython.Py_ssize_t:
        """Fill the terminals for one label; return the number of seeds, 0 when all they gain is tolerable."""
        n_leaves: cython.Py_ssize_t = self.leaves.shape[0]
        terminal: cython.double[::1] = self.terminal
        members: cython.Py_ssize_t = 0
        n_seeds: cython.Py_ssize_t = 0
        total: cython.double = 0.0
        k: cython.Py_ssize_t
        a: cython.Py_ssize_t
        v: cython.int
        terminal[:] = self.resting
        for k in range(n_leaves):
            terminal[k] = self.leaf_cost[alpha, k] - self.offset[k]
            self.closed[k] = self.leaf_label[k] == alpha
            members += self.closed[k]
        if members > 0:
            for k in range(n_leaves):
                if self.closed[k]:
                    terminal[k] = 0.0
                    for a in range(self.start[k], self.start[k + 1]):
                        v = self.head[a]
                        if v < n_leaves and not self.closed[v]:
                            terminal[v] -= self.capacity[a]
        for k in range(n_leaves):
            if terminal[k] < 0:
                total -= terminal[k]
                self.seeds[n_seeds] = k
                n_seeds += 1
        for k in range(self.gain_first[alpha], self.gain_first[alpha + 1]):
            v = self.gain_slot[k]
            if self.slot_label[v] != alpha:
                terminal[v] = -self.gain_value[k]
                total += self.gain_value[k]
                self.seeds[n_seeds] = v
                n_seeds += 1
        return n_seeds if total > tolerance else 0

    def move(self, alpha: cython.int, tolerance: cython.double):
        """Try a label; where the best move gains more than the tolerance take it. Return what it gains."""
        n_seeds: cython.Py_ssize_t = self.fill(alpha, tolerance)
        size: cython.Py_ssize_t
        i: cython.Py_ssize_t
        if n_seeds == 0:
            return 0.0
        self.residual[:] = self.capacity
        gain, size = self.graph.cut(self.seeds, n_seeds, tolerance)
        for i in range(size):
            if self.reached[i] < self.leaves.shape[0]:
                self.labels[self.leaves[self.reached[i]]] = alpha
        if size > 0:
            self.refresh()
        return gain

    def expand(self, order: cython.const[cython.int][::1], max_cycles: cython.int, tolerance: cython.double):
        """Try the labels in this order, again and again until none gains; return the energy."""
        idle: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t
        for _ in range(max_cycles):
            for i in range(order.shape[0]):
                idle = 0 if self.move(order[i], tolerance) > 0 else idle + 1
                if idle == order.shape[0]:
                    return self.energy
        return self.energy
