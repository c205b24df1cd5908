# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The set of nodes of a directed graph that gains most: a minimum cut, searched from its gaining nodes.

    gain(T) = - sum_{u in T} cost[u] - sum_{arcs u -> v, u in T, v not in T} capacity

The greatest gain is -(sum of the negative costs) - (maximum flow from nodes of negative cost to nodes of
positive cost), and the least T that has it consists of the nodes that the remaining gains still reach (Ford,
Fulkerson). The flow is found by Dinic's algorithm. Where few nodes gain and costly nodes are near, as in a
move of alpha-expansion, the search visits few nodes, and only these are prepared for a cut.

Infinite capacities and costs are IEEE infinities, which lose no flow by rounding.
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


def compressed_rows(tail, head, n_nodes):
    """Return the arcs of e edges, in compressed rows: start (n + 1,), head, reverse and place (2 e,) int32.

    Edge i is the arc i from tail[i] to head[i] and the arc e + i back. The arcs of node u, in this order, are
    start[u] <= a < start[u + 1]; reverse[a]: the arc back; place[a]: its number.
    """
    tails = np.concatenate([tail, head])
    heads = np.concatenate([head, tail]).astype(np.int32)
    place = np.argsort(tails, kind="stable").astype(np.int32)
    row = np.empty_like(place)
    row[place] = np.arange(len(place))
    reverse = np.empty_like(place)
    reverse[row] = np.roll(row, len(tail))
    start = np.zeros(n_nodes + 1, np.int32)
    np.cumsum(np.bincount(tails, minlength=n_nodes), out=start[1:])
    return start, heads[place], reverse, place


@cython.cclass
class MinimumCut:
    """A graph of n nodes and e edges, in which sets of nodes are searched; see the module.

    tail, head (e,) int: edge i is an arc from tail[i] to head[i], and an arc back. The caller owns the other
    arrays, and may change them between two cuts: cost (n,) float64 of joining T; capacity (2, e) float64 of
    the arcs and of those back, >= 0; closed (n,) int8, nonzero at nodes that never join: arcs to them cost
    nothing. A cut does not change them.
    """

    cython.declare(start=Ints, head=Ints, reverse=Ints, place=Ints, cost=Doubles, capacity=Doubles)
    cython.declare(closed=cython.const[cython.schar][::1], excess=DoubleBuffer, residual=DoubleBuffer)
    cython.declare(queue=IntBuffer, level=IntBuffer, next_arc=IntBuffer, path=IntBuffer)
    cython.declare(phase_of=cython.longlong[::1], phase=cython.longlong, first_phase=cython.longlong)
    cython.declare(n_reached=cython.Py_ssize_t)
    reached: object

    def __init__(self, tail, head, cost, capacity, closed) -> None:
        nodes = len(cost)
        self.start, self.head, self.reverse, self.place = compressed_rows(tail, head, nodes)
        self.cost, self.capacity, self.closed = cost, capacity.reshape(-1), closed
        self.excess = np.zeros(nodes)
        self.residual = np.zeros(2 * len(tail))
        self.reached = np.zeros(nodes, np.int32)
        self.queue = self.reached
        self.level = np.zeros(nodes, np.int32)
        self.next_arc = np.zeros(nodes, np.int32)
        self.path = np.zeros(nodes + 1, np.int32)
        self.phase_of = np.zeros(nodes, np.int64)
        self.n_reached = self.phase = self.first_phase = 0

    def cut(self, seeds: Ints, tolerance: cython.double):
        """Return the greatest gain and the least T (any,) int32 that has it, in no order.

        seeds: the nodes of negative cost that are not closed, each once. If no set gains more than the
        tolerance, the gain is 0 and T is empty.
        """
        n_seeds: cython.Py_ssize_t = seeds.shape[0]
        gain: cython.double = 0.0
        self.phase += 1
        self.first_phase = self.phase
        for i in range(n_seeds):
            self.visit(seeds[i])
        while True:
            gain = 0.0
            for i in range(n_seeds):
                if self.excess[seeds[i]] < 0:
                    gain -= self.excess[seeds[i]]
            if gain <= tolerance:
                return 0.0, self.reached[:0].copy()
            last = self.search(seeds)
            if last < 0:
                return gain, self.reached[: self.n_reached].copy()
            for i in range(n_seeds):
                if self.excess[seeds[i]] < 0:
                    self.augment(seeds[i], last)

    @cython.cfunc
    def visit(self, u: cython.int) -> cython.void:
        """Mark a node as reached in this phase; at its first visit in a cut, read its cost and capacities."""
        if self.phase_of[u] < self.first_phase:
            self.excess[u] = self.cost[u]
            for a in range(self.start[u], self.start[u + 1]):
                self.residual[a] = self.capacity[self.place[a]]
        self.phase_of[u] = self.phase

    @cython.cfunc
    def search(self, seeds: Ints) -> cython.int:
        """Compute distances from the gaining seeds; return that of the nearest costly node, or -1."""
        start: Ints = self.start
        head: Ints = self.head
        residual: DoubleBuffer = self.residual
        excess: DoubleBuffer = self.excess
        closed: cython.const[cython.schar][::1] = self.closed
        queue: IntBuffer = self.queue
        level: IntBuffer = self.level
        phase_of: cython.longlong[::1] = self.phase_of
        next_arc: IntBuffer = self.next_arc
        phase: cython.longlong = self.phase + 1
        last: cython.int = -1
        size: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = 0
        self.phase = phase
        for i in range(seeds.shape[0]):
            u = seeds[i]
            if excess[u] < 0:
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
                    if excess[v] > 0 and last < 0:
                        last = level[v]
        self.n_reached = size
        return last

    @cython.cfunc
    def augment(self, seed: cython.int, last: cython.int) -> cython.void:
        """Send the gain of a seed along shortest paths until it is used up or no path is left."""
        depth: cython.int = 0
        u: cython.int = seed
        while True:
            if self.excess[u] > 0:
                depth = self.push(seed, u, depth)
                if self.excess[seed] >= 0:
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
        amount: cython.double = min(-self.excess[seed], self.excess[target])
        kept: cython.int = depth
        for i in range(depth):
            amount = min(amount, self.residual[self.path[i]])
        for i in range(depth - 1, -1, -1):
            a = self.path[i]
            self.residual[a] -= amount
            self.residual[self.reverse[a]] += amount
            if self.residual[a] <= 0:
                kept = i
        self.excess[seed] += amount
        self.excess[target] -= amount
        return kept
