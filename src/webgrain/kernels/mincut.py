# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Minimum cut on a static graph, searched from one side only (Dinic's algorithm).

Each node carries one number, its terminal: > 0 is what it costs to take the node into the set T, < 0 is
what taking it gains. An arc u -> v costs its capacity when u is in T and v is not. The least total cost is
-(sum of gains) + (maximum flow from gaining to costly nodes), and the least T is what the gains that are left
over still reach. In an expansion move few nodes gain and costly ones are near, so little is visited.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


@cython.cclass
class OneSidedCut:
    """A directed graph in compressed rows: arc a of node u, start[u] <= a < start[u + 1], leads to head[a].

    reverse[a] is the arc back. The caller owns, and fills before a cut: `terminal` (nodes,),
    `residual` (arcs,) holding the capacities, `closed` (nodes,) int8 of nodes never to be entered; `reached`
    (nodes,) int32 receives T. Infinite capacities are IEEE infinities: no flow is lost in them by rounding.
    """

    start: cython.const[cython.int][::1]
    head: cython.const[cython.int][::1]
    reverse: cython.const[cython.int][::1]
    residual: cython.double[::1]
    terminal: cython.double[::1]
    closed: cython.const[cython.schar][::1]
    reached: cython.int[::1]
    level: cython.int[::1]
    phase_of: cython.longlong[::1]
    next_arc: cython.int[::1]
    path: cython.int[::1]
    n_reached: cython.Py_ssize_t
    phase: cython.longlong

    def __init__(self, start, head, reverse, residual, terminal, closed, reached) -> None:
        nodes = len(start) - 1
        self.start, self.head, self.reverse = start, head, reverse
        self.residual, self.terminal, self.closed, self.reached = residual, terminal, closed, reached
        self.level = np.zeros(nodes, np.int32)
        self.next_arc = np.zeros(nodes, np.int32)
        self.path = np.zeros(nodes + 1, np.int32)
        self.phase_of = np.zeros(nodes, np.int64)
        self.n_reached = self.phase = 0

    def cut(self, seeds: cython.const[cython.int][::1], n_seeds: cython.Py_ssize_t, tolerance: cython.double):
        """Return what T gains at most, and its size; T is the first so many of `reached`.

        seeds: the nodes with a negative terminal. A gain within the tolerance is (0, 0). Terminals and
        residuals are used up.
        """
        gain: cython.double = 0.0
        i: cython.Py_ssize_t
        while True:
            gain = 0.0
            for i in range(n_seeds):
                if self.terminal[seeds[i]] < 0:
                    gain -= self.terminal[seeds[i]]
            if gain <= tolerance:
                return 0.0, 0
            last = self.search(seeds, n_seeds)
            if last < 0:
                return gain, self.n_reached
            for i in range(n_seeds):
                if self.terminal[seeds[i]] < 0:
                    self.augment(seeds[i], last)

    @cython.cfunc
    def search(self, seeds: cython.const[cython.int][::1], n_seeds: cython.Py_ssize_t) -> cython.int:
        """Give nodes their distance from the gaining seeds; return that of the nearest costly node, or -1."""
        start: cython.const[cython.int][::1] = self.start
        head: cython.const[cython.int][::1] = self.head
        residual: cython.double[::1] = self.residual
        terminal: cython.double[::1] = self.terminal
        closed: cython.const[cython.schar][::1] = self.closed
        queue: cython.int[::1] = self.reached
        level: cython.int[::1] = self.level
        phase_of: cython.longlong[::1] = self.phase_of
        next_arc: cython.int[::1] = self.next_arc
        phase: cython.longlong = self.phase + 1
        last: cython.int = -1
        size: cython.Py_ssize_t = 0
        i: cython.Py_ssize_t = 0
        a: cython.Py_ssize_t
        u: cython.int
        v: cython.int
        self.phase = phase
        for i in range(n_seeds):
            u = seeds[i]
            if terminal[u] < 0:
                phase_of[u] = phase
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
                    phase_of[v] = phase
                    level[v] = level[u] + 1
                    queue[size] = v
                    size += 1
                    if terminal[v] > 0 and last < 0:
                        last = level[v]
        self.n_reached = size
        return last

    @cython.cfunc
    def augment(self, seed: cython.int, last: cython.int) -> cython.void:
        """Send the gain of a seed along shortest paths until it is used up or no path is left."""
        depth: cython.int = 0
        u: cython.int = seed
        v: cython.int
        a: cython.int
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
        """Push the most that the path allows; return how much of the path is left to search on from."""
        amount: cython.double = min(-self.terminal[seed], self.terminal[target])
        kept: cython.int = depth
        i: cython.int
        a: cython.int
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
