# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Exact alpha-expansion moves of a labelled tree, by minimum cuts.

In a move every leaf keeps its label or takes alpha, and inner nodes take the best labels that the leaves
allow. With the values F of `innerlabels.common_labels`, a node u over leaves of one label a gains
g_u(a) = max(0, X_u + sum_q F_q - W[u, a]) by being visible. The labels f of the leaves, completed by the best
inner labels, cost

    E(f) = sum_leaves D_p(f_p) + sum_inner X_u + Potts(f) - sum_{u over leaves of one label a} g_u(a)

The last sum rewards agreement of all leaves below u (Kohli, Kumar, Torr 2007). In a move from f to alpha, u
gains g_u(alpha) if all its leaves end with alpha, and keeps g_u(a) if none of them leaves a. Two auxiliary
nodes u(t) and u(s) represent this, with infinite arcs down from u(t) and up to u(s). No arc is negative for
any signs of D and X, so the cut is exact. A chain of only children is one node, so at most 2 leaves - 1 nodes
remain.

    node        cost of joining T, the side of alpha (terminal)
    leaf p      D_p(alpha) - D_p(f_p), including the gains of the chain above p; - w/2 for each cut pair,
                and - w/2 more if the other leaf already has alpha (such leaves are not in the graph)
    u(t)        - g_u(alpha)
    u(s)        g_u(common label of its leaves), 0 if they differ
    arc         capacity
    leaf pair   w, or w/2 if the pair is cut now; both directions
    tree        infinite: u(t) -> child, child -> u(s) if the leaves of u agree

Only terminals depend on alpha, so arcs are filled when a move is taken, not when it is tried.

**The minimum cut** is computed by Dinic's algorithm from one side. The terminal of a node is > 0 if joining
the set T costs it, and < 0 if joining gains. An arc u -> v costs its capacity if u is in T and v is not. The
least total cost is -(sum of gains) + (maximum flow from gaining to costly nodes), and the least T consists of
the nodes that the remaining gains still reach. In a move few nodes gain and costly nodes are near, so the
search visits few nodes.
"""

from __future__ import annotations

import numpy as np

from webgrain.papers.solvers.innerlabels import common_labels, visible_labels

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])


@cython.cclass
class OneSidedCut:
    """A directed graph in compressed rows: arc a of node u, start[u] <= a < start[u + 1], leads to head[a].

    reverse[a] is the arc back. The caller owns these arrays and fills them before a cut: `terminal` (nodes,),
    `residual` (arcs,) with the capacities, `closed` (nodes,) int8, nonzero at excluded nodes. `reached`
    (nodes,) int32 receives T, `visited` (nodes,) int32 the nodes whose terminals and arcs may have changed.
    Infinite capacities are IEEE infinities, which lose no flow by rounding.
    """

    cython.declare(start=Ints, head=Ints, reverse=Ints, residual=DoubleBuffer, terminal=DoubleBuffer)
    cython.declare(closed=cython.const[cython.schar][::1], reached=IntBuffer, level=IntBuffer)
    cython.declare(phase_of=cython.longlong[::1], next_arc=IntBuffer, path=IntBuffer, visited=IntBuffer)
    cython.declare(n_visited=cython.Py_ssize_t, n_reached=cython.Py_ssize_t, phase=cython.longlong)
    cython.declare(first_phase=cython.longlong)

    def __init__(self, start, head, reverse, residual, terminal, closed, reached, visited) -> None:
        nodes = len(start) - 1
        self.start, self.head, self.reverse = start, head, reverse
        self.residual, self.terminal, self.closed, self.reached = residual, terminal, closed, reached
        self.level = np.zeros(nodes, np.int32)
        self.next_arc = np.zeros(nodes, np.int32)
        self.path = np.zeros(nodes + 1, np.int32)
        self.phase_of = np.zeros(nodes, np.int64)
        self.visited = visited
        self.n_visited = self.n_reached = self.phase = self.first_phase = 0

    def cut(self, seeds: Ints, n_seeds: cython.Py_ssize_t, tolerance: cython.double):
        """Return the greatest gain of a set T, its size, and the number of visited nodes.

        T is stored at the beginning of `reached`. seeds: the nodes with a negative terminal. Gain and size
        are 0 for a gain within the tolerance. Overwrites terminals and residuals of visited nodes.
        """
        gain: cython.double = 0.0
        self.first_phase = self.phase + 1
        self.n_visited = 0
        while True:
            gain = 0.0
            for i in range(n_seeds):
                if self.terminal[seeds[i]] < 0:
                    gain -= self.terminal[seeds[i]]
            if gain <= tolerance:
                return 0.0, 0, self.n_visited
            last = self.search(seeds, n_seeds)
            if last < 0:
                return gain, self.n_reached, self.n_visited
            for i in range(n_seeds):
                if self.terminal[seeds[i]] < 0:
                    self.augment(seeds[i], last)

    @cython.cfunc
    def search(self, seeds: Ints, n_seeds: cython.Py_ssize_t) -> cython.int:
        """Compute distances from the gaining seeds; return that of the nearest costly node, or -1."""
        start: Ints = self.start
        head: Ints = self.head
        residual: DoubleBuffer = self.residual
        terminal: DoubleBuffer = self.terminal
        closed: cython.const[cython.schar][::1] = self.closed
        queue: IntBuffer = self.reached
        level: IntBuffer = self.level
        phase_of: cython.longlong[::1] = self.phase_of
        next_arc: IntBuffer = self.next_arc
        phase: cython.longlong = self.phase + 1
        last: cython.int = -1
        size: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = 0
        self.phase = phase
        for i in range(n_seeds):
            u = seeds[i]
            if terminal[u] < 0:
                self.visit(u)
                level[u] = 0
                queue[size] = u
                size += 1
        i = 0
        while i < size:
            u = queue[i]
            i += 1
            next_arc[u] = start[u]
            if last >= 0 and level[u] >= last:
                continue
            for a in range(start[u], start[u + 1]):
                v = head[a]
                if residual[a] > 0 and phase_of[v] != phase and closed[v] == 0:
                    self.visit(v)
                    level[v] = level[u] + 1
                    queue[size] = v
                    size += 1
                    if terminal[v] > 0 and last < 0:
                        last = level[v]
        self.n_reached = size
        return last

    @cython.cfunc
    def visit(self, u: cython.int) -> cython.void:
        """Mark a node as found in this phase."""
        if self.phase_of[u] < self.first_phase:
            self.visited[self.n_visited] = u
            self.n_visited += 1
        self.phase_of[u] = self.phase

    @cython.cfunc
    def augment(self, seed: cython.int, last: cython.int) -> cython.void:
        """Send the gain of a seed along shortest paths until it is used up or no path is left."""
        depth: cython.int = 0
        u: cython.int = seed
        while True:
            if self.terminal[u] > 0:
                depth = self.push(seed, u, depth)
                if self.terminal[seed] >= 0:
                    return
                u = self.head[self.path[depth - 1]] if depth > 0 else seed
            a = self.next_arc[u]
            if self.level[u] < last:
                while a < self.start[u + 1]:
                    v = self.head[a]
                    if (
                        self.residual[a] > 0
                        and self.phase_of[v] == self.phase
                        and self.level[v] == self.level[u] + 1
                    ):
                        break
                    a += 1
            else:
                a = self.start[u + 1]
            self.next_arc[u] = a
            if a < self.start[u + 1]:
                self.path[depth] = a
                depth += 1
                u = self.head[a]
            elif depth > 0:
                depth -= 1
                u = self.head[self.reverse[self.path[depth]]]
                self.next_arc[u] += 1
            else:
                return

    @cython.cfunc
    def push(self, seed: cython.int, target: cython.int, depth: cython.int) -> cython.int:
        """Push as much flow as the path allows; return the length of the path that can be reused."""
        amount: cython.double = min(-self.terminal[seed], self.terminal[target])
        kept: cython.int = depth
        for i in range(depth):
            amount = min(amount, self.residual[self.path[i]])
        for i in range(depth - 1, -1, -1):
            a = self.path[i]
            self.residual[a] -= amount
            self.residual[self.reverse[a]] += amount
            if self.residual[a] <= 0:
                kept = i
        self.terminal[seed] += amount
        self.terminal[target] -= amount
        return kept


def build_arcs(above, pairs, n_leaves):
    """Return the arcs in compressed rows, start, head, reverse, and the places of each kind.

    Nodes: leaves, u(t) at the slot of u, u(s) after all slots. Kinds, int32: the two arcs of each pair
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

    Takes the contiguous arrays of a `TreePotts` and its `LabelTable`. `load` sets the current labels, `move`
    makes the best move to one label if it lowers the energy.
    """

    cython.declare(parent=Ints, end=Ints, tops=Ints, first=cython.const[cython.longlong][::1], unary=Doubles)
    cython.declare(invisible=Doubles, leaves=Ints)
    pairs: cython.const[cython.int][:, ::1]
    cython.declare(weight=Doubles, slot=Ints, leaf_low=Ints, leaf_first=cython.const[cython.longlong][::1])
    cython.declare(leaf_cost=Doubles, gain_first=Ints, gain_slot=Ints, gain_value=Doubles, start=Ints)
    cython.declare(head=Ints)
    pair_arcs: cython.const[cython.int][:, ::1]
    cython.declare(keep_arcs=Ints, capacity=DoubleBuffer, residual=DoubleBuffer, terminal=DoubleBuffer)
    cython.declare(resting=DoubleBuffer, closed=cython.schar[::1], reached=IntBuffer, visited=IntBuffer)
    cython.declare(seeds=IntBuffer, labels=IntBuffer, leaf_label=IntBuffer, offset=DoubleBuffer)
    cython.declare(common=IntBuffer, gain=DoubleBuffer, slot_label=IntBuffer, energy=cython.double)
    graph: object

    def __init__(self, parent, end, tops, first, unary, invisible, table) -> None:
        n, above = len(parent), table.above
        n_leaves = len(table.leaves)
        self.parent, self.end, self.invisible = parent, end, invisible
        self.tops, self.first, self.unary = tops, first, unary
        self.leaves, self.pairs, self.weight, self.slot = table.leaves, table.pairs, table.weight, table.slot
        self.leaf_low, self.leaf_first = table.leaf_low, table.leaf_first
        self.leaf_cost, self.gain_first = table.leaf_cost, table.gain_first
        self.gain_slot, self.gain_value = table.gain_slot, table.gain_value
        start, head, reverse, self.pair_arcs, take_arcs, self.keep_arcs = build_arcs(
            above, table.pairs, n_leaves
        )
        self.start, self.head = start, head
        nodes, arcs = len(start) - 1, len(head)
        capacity, residual, terminal = np.zeros(arcs), np.zeros(arcs), np.zeros(nodes)
        capacity[take_arcs] = np.inf
        closed, reached, visited = (
            np.zeros(nodes, np.int8),
            np.zeros(nodes, np.int32),
            np.zeros(nodes, np.int32),
        )
        self.capacity, self.residual, self.terminal = capacity, residual, terminal
        self.closed, self.reached, self.visited = closed, reached, visited
        self.resting, self.seeds = np.zeros(nodes), np.zeros(nodes, np.int32)
        self.labels, self.leaf_label = np.zeros(n, np.int32), np.zeros(n_leaves, np.int32)
        self.offset, self.slot_label = np.zeros(n_leaves), np.zeros(len(above), np.int32)
        self.common, self.gain = np.zeros(n, np.int32), np.zeros(n)
        self.graph = OneSidedCut(start, head, reverse, residual, terminal, closed, reached, visited)

    def load(self, labels: Ints):
        """Make labels (n,) int32, read at leaves only, the current ones; return their energy, completed."""
        self.labels[:] = labels
        self.refresh()
        return self.energy

    def current(self) -> np.ndarray:
        """Return the current labels (n,) int32, completed."""
        return visible_labels(self.parent, self.common, self.gain)

    @cython.cfunc
    def refresh(self) -> cython.void:
        """Fill the arrays that depend on the current labels but not on alpha; O(nodes + pairs)."""
        n: cython.Py_ssize_t = self.parent.shape[0]
        n_leaves: cython.Py_ssize_t = self.leaves.shape[0]
        branches: cython.Py_ssize_t = self.slot_label.shape[0] - n_leaves
        self.energy = common_labels(
            self.parent, self.end, self.tops, self.first, self.unary, self.invisible, self.labels,
            self.common, self.gain,
        )  # fmt: skip
        self.resting[:n_leaves] = np.inf  # a leaf to which a label is not allowed cannot join
        self.resting[n_leaves:] = 0.0
        for i in range(n):
            self.slot_label[self.slot[i]] = self.common[i]
            if self.gain[i] > 0 and self.slot[i] >= n_leaves:
                self.resting[self.slot[i] + branches] += self.gain[i]
        for i in range(n_leaves):
            self.leaf_label[i] = self.labels[self.leaves[i]]
            a = self.leaf_label[i]
            self.offset[i] = self.leaf_cost[self.leaf_first[a] + i - self.leaf_low[a]]
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
        self.terminal[:] = self.resting
        self.residual[:] = self.capacity

    @cython.cfunc
    def fill(self, alpha: cython.int, tolerance: cython.double) -> cython.Py_ssize_t:
        """Fill the terminals for one label; return the number of seeds, or 0 if no gain exceeds tolerance."""
        terminal: DoubleBuffer = self.terminal
        members: cython.Py_ssize_t = 0
        n_seeds: cython.Py_ssize_t = 0
        total: cython.double = 0.0
        low: cython.Py_ssize_t = self.leaf_low[alpha]
        high: cython.Py_ssize_t = low + self.leaf_first[alpha + 1] - self.leaf_first[alpha]
        shift: cython.Py_ssize_t = self.leaf_first[alpha] - low
        for k in range(low, high):
            terminal[k] = self.leaf_cost[shift + k] - self.offset[k]
            self.closed[k] = self.leaf_label[k] == alpha
            members += self.closed[k]
        if members > 0:
            for k in range(low, high):
                if self.closed[k]:
                    terminal[k] = 0.0
                    for a in range(self.start[k], self.start[k + 1]):
                        v = self.head[a]
                        if low <= v < high and not self.closed[v]:
                            terminal[v] -= self.capacity[a]
        for k in range(low, high):
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

    @cython.cfunc
    def empty(self, alpha: cython.int, n_visited: cython.Py_ssize_t) -> cython.void:
        """Undo the changes of `fill`, and of a cut at the first n_visited nodes of `visited`."""
        low: cython.Py_ssize_t = self.leaf_low[alpha]
        high: cython.Py_ssize_t = low + self.leaf_first[alpha + 1] - self.leaf_first[alpha]
        for i in range(n_visited):
            u = self.visited[i]
            self.terminal[u] = self.resting[u]
            for a in range(self.start[u], self.start[u + 1]):
                self.residual[a] = self.capacity[a]
        for k in range(low, high):
            self.terminal[k] = self.resting[k]
            self.closed[k] = 0
        for k in range(self.gain_first[alpha], self.gain_first[alpha + 1]):
            self.terminal[self.gain_slot[k]] = self.resting[self.gain_slot[k]]

    def move(self, alpha: cython.int, tolerance: cython.double):
        """Make the best move to a label if it gains more than the tolerance; return its gain, or 0."""
        n_seeds: cython.Py_ssize_t = self.fill(alpha, tolerance)
        size: cython.Py_ssize_t = 0
        n_visited: cython.Py_ssize_t = 0
        gain: cython.double = 0.0
        if n_seeds > 0:
            gain, size, n_visited = self.graph.cut(self.seeds, n_seeds, tolerance)
            for i in range(size):
                if self.reached[i] < self.leaves.shape[0]:
                    self.labels[self.leaves[self.reached[i]]] = alpha
        self.empty(alpha, n_visited)
        if size > 0:
            self.refresh()
        return gain
