"""Plain oracles of the expansion kernels: exhaustive search, and the move graph of u(s) and u(t) with scipy.

The reference graph is built another way than the kernel's: two nodes for each internal node, all costs of
single nodes at the terminals, no contraction, integer capacities, `scipy.sparse.csgraph.maximum_flow`.
"""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import breadth_first_order, maximum_flow

from webgrain.base.errors import ParameterError
from webgrain.papers.gcuts import Expansion, invisible_costs
from webgrain.papers.solvers import innerlabels
from webgrain.papers.solvers.treepotts import (
    TOLERANCE,
    TreePotts,
    check_leaf_labels,
    labelling_energy,
    minimise,
)

SCALE = 1e4
INFINITE = 10**8


def tree_end(parent):
    """(n,) one past each subtree."""
    size = np.ones(len(parent), np.int32)
    for u in range(len(parent) - 1, 0, -1):
        size[parent[u]] += size[u]
    return (np.arange(len(parent)) + size).astype(np.int32)


def random_problem(rng, max_nodes=8, max_labels=4, reading=None, all_labels=True):
    """A random tree in document order with costs of either sign, ties among them."""
    n = int(rng.integers(1, max_nodes + 1))
    parent = np.full(n, -1, np.int32)
    for u in range(1, n):  # the parent is the node before or one of its ancestors
        chain = [u - 1]
        while parent[chain[-1]] >= 0:
            chain.append(parent[chain[-1]])
        parent[u] = rng.choice(chain)
    end = tree_end(parent)
    leaves = np.flatnonzero(end == np.arange(1, n + 1))
    k = int(rng.integers(1, max_labels + 1))
    whole = rng.random() < 0.3

    def draw(*shape):
        return rng.integers(-3, 4, shape).astype(float) if whole else rng.standard_normal(shape)

    unary = np.abs(draw(n, k)) if rng.random() < 0.5 else draw(n, k)
    unary = unary * rng.choice([1.0, 3.0])
    reading = reading or rng.choice(["edge", "parent"])
    invisible = invisible_costs(parent, np.abs(draw(n)), draw(n) * rng.choice([0.0, 1, 4]), reading)
    every = np.array(list(itertools.combinations(leaves, 2)), np.int32).reshape(-1, 2)
    pairs = every[rng.random(len(every)) < rng.choice([0.3, 0.7, 1.0])]
    weight = np.abs(draw(len(pairs))) * rng.choice([0.3, 1.0, 3.0])
    problem = TreePotts(parent, end, unary, invisible, pairs, weight)
    return problem if all_labels else restricted(problem, rng)


def restricted(problem, rng):
    """The same problem with each label but the first allowed only below a random node."""
    tops = rng.integers(0, len(problem.parent), problem.n_labels).astype(np.int32)
    tops[0] = 0
    unary = [problem.unary[top : problem.end[top], a] for a, top in enumerate(tops)]
    return replace(problem, unary=np.concatenate(unary), tops=tops)


def as_matrix(problem):
    """The costs (n, K) of a problem; infinite where a label is not allowed."""
    matrix = np.full((len(problem.parent), problem.n_labels), np.inf)
    tops, first, costs = problem.costs()
    for a, top in enumerate(tops):
        matrix[top : top + first[a + 1] - first[a], a] = costs[first[a] : first[a + 1]]
    return matrix


def feasible_labels(problem, allowed):
    """All feasible labellings (any, n) whose label at each leaf p is in allowed[p]."""
    n, is_leaf = len(problem.parent), problem.is_leaf
    finite = np.isfinite(as_matrix(problem))
    rows = np.empty((1, 0), np.int32)
    for u in range(n):  # a node's choices depend on its parent alone
        grown = []
        values = np.array(allowed[u], np.int32) if is_leaf[u] else np.arange(-1, problem.n_labels)
        above = rows[:, problem.parent[u]] if u else np.full(len(rows), -1)
        for value in values:
            if value >= 0 and not finite[u, value]:
                continue
            fits = (above == -1) | (above == value)
            grown.append(np.column_stack([rows[fits], np.full(fits.sum(), value)]))
        rows = np.concatenate(grown)
    return rows.astype(np.int32)


def energies(problem, rows):
    """E of many labellings at once, by the definition."""
    columns = np.arange(len(problem.parent))
    cost = np.where(rows >= 0, as_matrix(problem)[columns, rows], problem.invisible).sum(axis=1)
    cut = rows[:, problem.pairs[:, 0]] != rows[:, problem.pairs[:, 1]]
    return cost + cut @ problem.weight


def least(problem, allowed):
    """Exhaustive minimum of E over feasible labellings with allowed leaf labels."""
    rows = feasible_labels(problem, allowed)
    values = energies(problem, rows)
    best = int(values.argmin())
    return float(values[best]), rows[best]


class ReferenceGraph:
    """The move graph with u(s) and u(t) in numpy; leaves have one node, the topology never changes."""

    def __init__(self, problem: TreePotts):
        self.problem = problem
        n = len(problem.parent)
        self.inner = ~problem.is_leaf
        child = np.arange(1, n)
        above = problem.parent[1:]
        keep_child = np.where(self.inner[child], child + n, child)
        p, q = problem.pairs.T
        self.source, self.sink = 2 * n, 2 * n + 1
        nodes = np.arange(2 * n)
        # arcs: u (S side) -> v (T side); hard ones q(t) -> u(t) and u(s) -> q(s), pairs, terminals
        self.tail = np.concatenate([child, above + n, p, q, np.full(2 * n, self.source), nodes])
        self.head = np.concatenate([above, keep_child, q, p, nodes, np.full(2 * n, self.sink)])

    def capacities(self, labels, alpha):
        """(arcs,) capacities, and the constant, of one move from labels (n,), read at leaves."""
        problem, inner = self.problem, self.inner
        n = len(problem.parent)
        common = common_labels(problem, labels)
        on_t = np.zeros(2 * n)
        leaf = np.flatnonzero(~inner)
        on_t[leaf] = problem.unary[leaf, alpha] - problem.unary[leaf, labels[leaf]]
        on_t[:n][inner] = problem.unary[inner, alpha] - problem.invisible[inner]
        keeps = np.flatnonzero(inner & (common >= 0) & (common != alpha))
        saved = problem.unary[keeps, common[keeps]] - problem.invisible[keeps]
        on_t[keeps + n] = -saved
        constant = problem.unary[leaf, labels[leaf]].sum() + problem.invisible[inner].sum() + saved.sum()
        p, q = problem.pairs.T
        a = problem.weight * (labels[p] != labels[q])
        b, c = problem.weight * (labels[p] != alpha), problem.weight * (labels[q] != alpha)
        both = (b + c - a) / 2
        np.add.at(on_t, p, c - a - both)
        np.add.at(on_t, q, b - a - both)
        constant += a.sum() + np.minimum(on_t, 0).sum()
        from_source, to_sink = np.maximum(on_t, 0), np.maximum(-on_t, 0)
        fixed = np.concatenate([leaf[labels[leaf] == alpha], np.setdiff1d(np.flatnonzero(inner), keeps) + n])
        to_sink[fixed] = INFINITE / SCALE
        hard = np.full(2 * (n - 1), INFINITE / SCALE)
        return np.concatenate([hard, both, both, from_source, to_sink]), constant

    def move(self, labels, alpha):
        """Value of the minimum cut, to the precision of integer capacities, and the best labels in reach."""
        capacity, constant = self.capacities(labels, alpha)
        size = self.sink + 1
        # A fixed node may be source-attached too; that flow is a constant and must not reach INFINITE.
        graph = csr_array((np.rint(capacity * SCALE).astype(np.int32), (self.tail, self.head)), (size, size))
        flow = maximum_flow(graph, self.source, self.sink)
        residual = csr_array(graph - flow.flow)
        residual.data[residual.data < 0] = 0
        residual.eliminate_zeros()
        kept = np.zeros(size, bool)
        kept[breadth_first_order(residual, self.source, return_predecessors=False)] = True
        moved = labels.copy()
        moved[~kept[: len(labels)] & ~self.inner] = alpha
        return constant + flow.flow_value / SCALE, complete(self.problem, moved)


def expansion_move(problem, labels, alpha):
    """The energy of the best move to alpha, and its labels (n,)."""
    expansion = Expansion(problem)
    expansion.start(np.ascontiguousarray(labels))
    before = expansion.energy
    return before - expansion.move(alpha, 0.0), expansion.labels()


def complete(problem, labels):
    """Labels (n,) of least energy that agree with the given ones at every leaf."""
    check_leaf_labels(problem, labels)
    common, gain = np.empty(len(labels), np.int32), np.empty(len(labels))
    parent, end, invisible, labels = map(
        np.ascontiguousarray, (problem.parent, problem.end, problem.invisible, labels)
    )
    innerlabels.common_labels(parent, end, *problem.costs(), invisible, labels, common, gain)
    return innerlabels.visible_labels(parent, common, gain)


def certified(problem, **limits):
    """The certified minimum with alpha-expansion as local search."""
    return minimise(problem, Expansion, **limits)


def page_problem(method, page):
    """The problem that GCuts solves for a page."""
    weights = method.weights_for(page)
    return method.problem(method.prepare(page, weights), method.lam_for(weights))


def page_energy(
    costs,
    labels,
    lam,
    *,
    invisibility=0.0,
    parent_child=1.0,
    reading="edge",
):
    """Return E(S), eq. (1), by its definition; labels (k,) are places in L, -1 for invisible.

    Parameters as of `GCuts`. `ParameterError` if the labels violate (3) or (4).
    """
    tree, visible = costs.tree, labels >= 0
    child, parent = np.arange(1, len(tree)), tree.parent[1:]
    if not visible[tree.leaf].all():
        raise ParameterError("The labels violate constraint (3): a leaf is invisible.")
    if (visible[parent] & (labels[parent] != labels[child])).any():
        raise ParameterError("The labels violate constraint (4): a child differs from its visible parent.")
    label = labels[visible]
    size = tree.end[costs.tops] - costs.tops
    place = (np.cumsum(size) - size - costs.tops)[label] + np.flatnonzero(visible)
    node_costs = costs.distances[place].sum() + invisibility * (~visible).sum()
    paying = ~visible[parent] & (visible[child] if reading == "edge" else True)
    p, q = tree.leaf[costs.pairs].T
    cut_pairs = costs.together[labels[p] != labels[q]].sum()
    return float(node_costs + lam * (parent_child * paying.sum() + cut_pairs))


def cut_problem(units, costs):
    """The energy of cuts of units: one label, D of opened units, ``costs.closed`` on edges from them.

    Its value is the cost of the cut minus that of the page as one segment.
    """
    n, parent = len(units), units.parent.astype(np.int32)
    opened = costs.opened.copy()
    opened[0] -= costs.closed[0]
    invisible = invisible_costs(parent, costs.closed, opened)
    return TreePotts(parent, units.end, np.zeros((n, 1)), invisible, np.empty((0, 2), np.int32), np.empty(0))


def common_labels(problem, labels):
    """(n,) the label of all leaves below a node, or -1 where they differ."""
    leaves = problem.leaves
    first = np.searchsorted(leaves, np.arange(len(labels)))
    last = np.searchsorted(leaves, problem.end)
    change = np.concatenate([[0], np.cumsum(labels[leaves][1:] != labels[leaves][:-1])])
    return np.where(change[first] == change[last - 1], labels[leaves[first]], -1)


def reference_expansion(problem, labels, order):
    """Expansion by `ReferenceGraph`, same moves as the kernel's: labels and energy."""
    graph = ReferenceGraph(problem)
    labels = complete(problem, labels)
    value, idle = labelling_energy(problem, labels), 0
    while True:
        for alpha in order:
            moved = graph.move(labels, alpha)[1]
            after = labelling_energy(problem, moved)
            idle += 1
            if after < value - TOLERANCE:
                labels, value, idle = moved, after, 0
            if idle == len(order):
                return labels, value
