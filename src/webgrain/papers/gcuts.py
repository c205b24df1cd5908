"""GCuts: segmentation of a page by energy-minimising graph cuts.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008. This module
contains sections 3 (formulation), 4.2 (algorithm) and 5.1 (variants NP and NL); the features and the learning
of D and V (section 4.3) are in `webgrain.papers.features`, `webgrain.papers.weights` and
`webgrain.papers.weightlearning`, which CClus shares.

**Problem** (section 3). N is the set of nodes of the page's tree, leaf(N) its leaves, L the set of labels. A
segmentation S gives each node p a label S(p) in L, or the invisible label xi. Its energy, eq. (1), is

    E(S) = sum_{p in N} D_p(S(p)) + sum_{(p, q) in E} V_pq(S(p), S(q))

under the constraints that leaves are not invisible (3) and that a child has the label of its parent unless
the parent is invisible (4). E consists of the parent-child edges of the tree and of the pairs of neighbouring
leaves. The visible part of the tree is thus a set of whole subtrees, each with one label; everything above
them is invisible. The tests compute E from this definition.

**Algorithm** (section 4.2). Alpha-expansion (Boykov, Veksler, Zabih 2001): for one label alpha after the
other, make the best move in which every leaf keeps its label or takes alpha (`Expansion.move`). The search
ends when no label improves the energy (`Expansion.run`, `alpha_expansion`).

**Move.** The labels of the leaves decide about all others: by (4), a node u is visible only if all leaves
below it have one label a, and a dynamic program computes how much the energy falls, g_u(a) >= 0, if u is.
With f the labels of the leaves,

    E(f) = constant + sum_{leaves p} D_p(f_p) + sum_{neighbours p, q: f_p != f_q} lambda V_pq
                    - sum_{u over leaves of one label a} g_u(a)

Let T be the leaves that take alpha. The graph of the move has a node for each leaf and two nodes for each u
with several children (the parent of an only child shares the node of the child, with the sum of both gains).
T is extended to them, and E changes by the costs of the nodes in T, plus the capacities of the arcs from a
node in T to one outside:

    node        in T if                               cost
    leaf p      p takes alpha                         D_p(alpha) - D_p(f_p), minus lambda V_pq / 2 for each
                                                      neighbour q of another label, and minus as much again if
                                                      that label is alpha
    u(t)        all leaves below u end with alpha     - g_u(alpha)
    u(s)        the leaves below u have one label a,  g_u(a)
                and one of them leaves it

    arc             capacity
    p <-> q         lambda V_pq for neighbours of one label, half of it for others; in both directions
    u(t) -> child   infinite: the leaf, or the node (t), of each child of u
    child -> u(s)   infinite if the leaves below u have one label: the leaf, or the node (s), of the child

Two neighbours of other labels thus cost -1/2 + 1/2 = 0 times lambda V_pq if one of them joins, and -1 times
if both do. Leaves that have alpha already are closed: they stay outside, and arcs to them cost nothing. No
capacity is negative, for costs of any sign. So the best move is a minimum cut:

    solver = MinimumCut(tail, head, cost, capacity, closed)
    gain, T = solver.cut(seeds, tolerance)

returns the greatest gain = - sum_{u in T} cost[u] - sum_{arcs u -> v, u in T, v not in T} capacity, and the
least T that has it; 0 and an empty T if no gain exceeds the tolerance. Arc i leads from tail[i] to head[i]
and has the capacity capacity[0, i], the arc back capacity[1, i]; seeds are the nodes of negative cost.

    paper                    here                    shape, unit
    N, leaf(N)               tree, tree.leaf       (k,) visible leaves and their ancestors
    L                        label_nodes             (L,) nodes of ``tree``: its inner nodes
    S                        labels                  (k,) places in L, -1 for invisible
    xi, the invisible label  -1
    D_p(alpha)               distances               distance of feature vectors, see `distances`
    D_u(xi)                  invisibility            0: the paper does not mention it
    V_uq, u parent of q      parent_child            1, the V of leaves that are certainly together
    V_pq, p and q leaves     together                (m,) for the m pairs of neighbouring leaves
    lambda, factor of all V  lam                     1
    Mahalanobis metric       Weights.metric          (25, 25) for the node features; `weights.embedding`
    the move to alpha        Expansion.move
    GCuts-NP                 GCutsNP, parent_child=0
    GCuts-NL                 GCutsNL, weights="uniform"

Departures:
  - The move graph printed in the paper misses the exact minimum if parents are nested, if a parent is
    invisible, or if inner nodes have costs. The graph used here is exact for costs of any sign, and contains
    the move to the invisible label and back. Its last sum rewards agreement of all leaves below u (Kohli,
    Kumar, Torr 2007).
  - Nodes without a visible leaf are left out. Of a chain of only children, only the last one is a label: this
    changed no result and saves a third of the time.
  - Above `MAX_COSTS` entries of D or `MAX_STEPS_OF_ALL` steps, which real pages rarely reach, only the inner
    nodes with the most leaves are labels. Above `MAX_LEAVES` leaves, each label is tried once.

`CertifiedGCuts` is our variant for pages of any size. It differs in three points, none of which lowers the
scores:
  - The energy is minimised with a proof of the distance to the optimum
    (`webgrain.papers.solvers.treepotts`). Alpha-expansion from one label ends above it.
  - Only a node and its ancestors are its labels: D has nodes times depth entries.
  - The metric of D is diagonal: one readable weight per feature.

Unclear: the values of D_u(xi) and V_uq. Here each is one number, 0 and 1.
Unclear: whether V_uq is paid for an invisible child too: ``reading``, see `invisible_costs`.
Unclear: whether "parent-child edges given zero weight" in NP lifts constraint (4). Here the constraint stays.
Unclear: whether separate groups of leaves with one label are one segment. Here they are.

Cost: k * L distances (k * depth in `CertifiedGCuts`), then per label about the number of leaves where it is
allowed, times the depth of the tree if every level has leaves; memory 16 bytes for each distance.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, Literal, NamedTuple

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import choice, integer, real
from webgrain.base.purepython import warn_once
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page
from webgrain.papers.features.nodes import node_features
from webgrain.papers.features.pairs import PairFeatures, adjacent_leaves
from webgrain.papers.features.treenodes import count_above, nodes_of
from webgrain.papers.solvers import innerlabels, mincut, treepotts
from webgrain.papers.thresholds import (
    MAX_COST,
    MAX_COSTS,
    MAX_LEAVES,
    MAX_STEPS_OF_ALL,
    MAX_STEPS_OF_ANCESTORS,
)
from webgrain.papers.weightlearning import Cut, WeightedMethod
from webgrain.papers.weights import UNIFORM, Metric, Weights, embedding, probability

EdgeReading = Literal["edge", "parent"]
AllowedLabels = Literal["ancestors", "all"]


@dataclass(kw_only=True, eq=False, repr=False)
class GCuts(WeightedMethod):
    """Segmentation by graph cuts, as in the paper.

    Attributes:
        lam: factor of all V, >= 0; a higher value gives larger segments. None: the value in the weights.
        invisibility: cost of each invisible node; a higher value gives fewer and larger segments.
        parent_child: V of an edge between an invisible parent and its child.
        reading: the edges that cost this: ``edge``, those to a visible child; ``parent``, all.
        weights: `Weights`, or the name of shipped weights: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: factors of the learnt weights of these groups of features, >= 0.
        max_cycles: greatest number of cycles over all labels.
        random_state: seed of the order of the labels; None for document order.
        weights_: what `fit` has learnt.

    >>> page = "<div><p>One<p>two</div>"
    >>> len(GCuts(lam=100.0).predict(page))
    1
    """

    invisibility: float = real(0.0, -MAX_COST, MAX_COST)
    parent_child: float = real(1.0, -MAX_COST, MAX_COST)
    reading: EdgeReading = choice("edge", ("edge", "parent"))
    max_cycles: int = integer(50, low=1)
    random_state: int | None = integer(None, low=0)

    method = "gcuts"
    default_lam = 8.0
    lams = (0.25, 0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0, 12.0, 16.0, 24.0, 32.0)
    allowed_labels: ClassVar[AllowedLabels] = "all"
    metric: ClassVar[Metric] = "mahalanobis"

    def prepare(self, page: Page, weights: Weights) -> Costs:
        """Return D and V of a page."""
        tree = visible_tree(page)
        nodes = nodes_of(page)
        pairs = adjacent_leaves(page, tree)
        labels, tops = label_nodes(tree, self.allowed_labels)
        embedded = embedding(node_features(nodes), weights, self._emphasis(), self.metric)
        together = probability(PairFeatures(nodes)(*pairs.T), weights.adjacent, self._emphasis())
        return Costs(tree, tops, distances(embedded, labels, tops, tree.end), pairs, together)

    def cut(self, costs: Costs, lam: float) -> Cut:
        """Return the segments of a page from its costs and lambda."""
        if not len(costs.tree):
            return Cut(costs.tree.to_dom(np.zeros(0, np.int32)), energy=0.0, lower_bound=0.0)
        minimum = self.minimise(self.problem(costs, lam))
        return Cut(costs.tree.to_dom(minimum.labels), minimum.energy, minimum.lower_bound)

    def problem(self, costs: Costs, lam: float) -> treepotts.TreePotts:
        """Return the energy with all costs of inner nodes and parent-child edges as costs of single nodes."""
        tree = costs.tree
        edge = np.full(len(tree), lam * self.parent_child)
        invisible = np.where(tree.kind == 0, self.invisibility, 0.0)
        return treepotts.TreePotts(
            parent=tree.parent,
            end=tree.end,
            unary=costs.distances,
            invisible=invisible_costs(tree.parent, edge, invisible, self.reading),
            pairs=tree.leaf[costs.pairs].astype(np.int32),
            weight=lam * costs.together,
            tops=costs.tops,
        )

    def minimise(self, problem: treepotts.TreePotts) -> treepotts.Minimum:
        """Return labels of low energy; the lower bound is the minimum without the costs of pairs."""
        order = np.arange(problem.n_labels, dtype=np.int32)
        if self.random_state is not None:
            order = np.random.default_rng(self.random_state).permutation(problem.n_labels).astype(np.int32)
        cycles = self.max_cycles if len(problem.leaves) <= MAX_LEAVES else 1
        labels, energy = alpha_expansion(problem, order=order, max_cycles=cycles)
        return treepotts.Minimum(labels, energy, lower_bound=treepotts.tree_dp(problem)[1])


# Section 3: the energy.


class Costs(NamedTuple):
    """Costs of a page before parameters: D, neighbouring leaves (m, 2) and their V (m,).

    tops (L,): label a is allowed in the subtree of node tops[a]; distances: D of its nodes, label by label.
    """

    tree: Outline
    tops: Int32
    distances: Float64
    pairs: Int32
    together: Float64


def label_nodes(tree: Outline, allowed: AllowedLabels = "ancestors") -> tuple[Int32, Int32]:
    """Return L (any,), the inner nodes of ``tree`` in document order, and the tops (any,) of their labels.

    A label is allowed in the subtree of its top: the highest node with the same leaves, or the root if all
    labels are allowed. A node whose only child is an inner node too is left out: the child has the same
    leaves and nearly the same features. If these are too many for `MAX_COSTS` and `MAX_STEPS_OF_ANCESTORS`,
    or `MAX_STEPS_OF_ALL`, the nodes with the most leaves are kept. The label of a tree without inner nodes
    is its only node.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> [x.tolist() for x in label_nodes(visible_tree(parse(Source("a", b"<p>One<p>two"))))]  # body, p, p
    [[1, 2, 4], [0, 2, 4]]
    """
    end, leaves = tree.end, tree.leaves
    inner = np.flatnonzero(tree.kind == 0)
    inner = inner[(end[inner + 1] < end[inner]) | (tree.kind[inner + 1] > 0)]
    if not len(inner):
        return np.zeros(len(tree), np.int32), np.zeros(len(tree), np.int32)
    tops = np.zeros(len(inner), np.intp)
    if allowed == "ancestors":
        highest = np.append(True, end[1:] != end[:-1])
        tops = np.maximum.accumulate(np.where(highest, np.arange(len(tree)), 0))[inner]
    branches = np.zeros(len(tree), bool)
    branches[inner] = end[inner + 1] < end[inner]
    levels = 1 + int(count_above(tree, branches).max())
    order = np.argsort(-leaves[inner], kind="stable")
    entries = np.cumsum((end[tops] - tops)[order])
    steps = levels * np.cumsum(leaves[tops][order], dtype=np.int64)
    most = MAX_STEPS_OF_ANCESTORS if allowed == "ancestors" else MAX_STEPS_OF_ALL
    room = max(1, int(((entries <= MAX_COSTS) & (steps <= most)).sum()))
    kept = np.sort(order[:room])
    return inner[kept].astype(np.int32), tops[kept].astype(np.int32)


def distances(x: Float64, labels: Int32, tops: Int32, end: Int32) -> Float64:
    """Return D: the Euclidean distances of the nodes ``tops[a]:end[tops[a]]`` to node labels[a], for each a.

    x (k, d): of `embedding`; end (k,): one past the subtree of each node.

    >>> distances(np.array([[0.0], [2.0]]), np.array([0, 1]), np.array([0, 1]), np.array([2, 2])).tolist()
    [0.0, 2.0, 0.0]
    """
    out: Float64 = np.empty(int((end[tops] - tops).sum()))
    first = 0
    for label, top in zip(labels.tolist(), tops.tolist(), strict=True):
        apart = x[top : end[top]] - x[label]
        np.sqrt(np.einsum("ij,ij->i", apart, apart), out=out[first : first + len(apart)])
        first += len(apart)
    return out


def invisible_costs(
    parent: Int32, edge_cost: Float64, node_cost: Float64, reading: EdgeReading = "edge"
) -> Float64:
    """Return the cost X (n,) of each node being invisible, including parent-child costs; 0 at leaves.

    By constraint (4), the parents of an invisible node are invisible. So with x = [S = xi] and a child q of
    u, x_u x_q = x_q, and the cost of an edge becomes a sum of costs of single nodes.

    parent (n,) int32; edge_cost (n,): V_uq of the edge between node q and its parent u, stored at q (the
    root's is ignored); node_cost (n,): D_u(xi).

    Unclear: whether V_uq is paid by each edge from an invisible parent to a visible child (``edge``, eq. (7):
    V(xi, xi) = 0), or by all edges below an invisible parent (``parent``, the graph printed in section 4.2).

        edge     X_u = D_u(xi) + sum_{q child of u} V_uq - V_{parent(u),u}
        parent   X_u = D_u(xi) + sum_{q child of u} V_uq

    >>> chain = np.array([-1, 0, 1], np.int32)
    >>> invisible_costs(chain, np.array([9.0, 2, 3]), np.zeros(3)).tolist()
    [2.0, 1.0, 0.0]
    >>> invisible_costs(chain, np.array([9.0, 2, 3]), np.zeros(3), reading="parent").tolist()
    [2.0, 3.0, 0.0]
    """
    if reading not in ("edge", "parent"):
        raise ParameterError(f"reading: expected 'edge' or 'parent', got {reading!r}.")
    n = len(parent)
    folded = node_cost + np.bincount(parent[1:], weights=edge_cost[1:], minlength=n)
    if reading == "edge":
        folded[1:] -= edge_cost[1:]
    folded[np.bincount(parent[1:], minlength=n) == 0] = 0.0
    return folded


# Section 4.2: alpha-expansion.


def alpha_expansion(
    problem: treepotts.TreePotts,
    start: Literal["dp", "label"] | Int32 = "label",
    order: Int32 | None = None,
    max_cycles: int = 50,
) -> tuple[Int32, float]:
    """Return labels (n,) int32 that no expansion move improves, and their energy.

    start: ``label``, the first label of the order that is allowed everywhere; ``dp``, the best labelling
    without pairs (ours); or labels (n,) int32, of which those of the leaves are used. order (any,) int32: the
    labels of a cycle, default 0..L-1. Raises `ParameterError` for other values.

    >>> star = treepotts.TreePotts(np.array([-1, 0, 0], np.int32), np.array([3, 2, 3], np.int32),
    ...                  np.array([[1.0, 1], [0, 5], [5, 0]]), np.array([0.5, 0, 0]),
    ...                  np.array([[1, 2]], np.int32), np.array([9.0]))
    >>> labels, value = alpha_expansion(star)
    >>> labels.tolist(), value
    ([-1, 0, 0], 5.5)
    """
    order = np.arange(problem.n_labels, dtype=np.int32) if order is None else np.asarray(order, np.int32)
    if order.ndim != 1 or not order.size or order.min() < 0 or order.max() >= problem.n_labels:
        raise ParameterError(f"order: expected labels in 0..{problem.n_labels - 1}, got {order!r}.")
    if max_cycles < 1:
        raise ParameterError(f"max_cycles: expected 1 at least, got {max_cycles}.")
    if isinstance(start, np.ndarray):
        treepotts.check_leaf_labels(problem, start)
        labels = np.ascontiguousarray(start)
    elif start == "dp":
        labels, _ = treepotts.tree_dp(problem)
    elif start == "label":
        tops = problem.costs()[0]
        labels = np.full(len(problem.parent), order[tops[order] == 0][0], np.int32)
    else:
        raise ParameterError(f"start: expected 'dp', 'label' or labels, got {start!r}.")
    expansion = Expansion(problem)
    expansion.start(labels)
    expansion.run(order, max_cycles)
    return expansion.labels(), expansion.energy


class Expansion:
    """Alpha-expansion of one problem (section 4.2): the current labels, and the moves that improve them.

    table: of the problem, if it is known. Attributes: energy, of the current labels.

    >>> leaf = treepotts.TreePotts(np.array([-1], np.int32), np.array([1], np.int32), np.array([[3.0, 2]]),
    ...                  np.zeros(1), np.empty((0, 2), np.int32), np.empty(0))
    >>> expansion = Expansion(leaf)
    >>> expansion.start(np.zeros(1, np.int32))
    >>> expansion.energy, expansion.move(1), expansion.energy
    (3.0, 1.0, 2.0)
    """

    def __init__(self, problem: treepotts.TreePotts, table: treepotts.LabelTable | None = None) -> None:
        warn_once(mincut.COMPILED)
        if table is None:
            table = treepotts.label_table(problem)
        self._table = table
        self._parent = np.ascontiguousarray(problem.parent)
        self._costs = problem.costs()
        self._end, self._invisible = map(np.ascontiguousarray, (problem.end, problem.invisible))
        # The nodes of the graph: leaves, u(t), u(s). A slot is a leaf or a u; the last one is the root.
        n_leaves = len(table.leaves)
        n_slots = len(table.above)
        self._inner = n_slots - n_leaves
        child = np.flatnonzero(table.above >= 0)
        self._above = table.above[child]
        keeping = np.where(child < n_leaves, child, child + self._inner)
        p, q = table.pairs.T
        tail = np.concatenate([p, self._above, keeping])
        head = np.concatenate([q, child, self._above + self._inner])
        self._cost = np.zeros(n_slots + self._inner)
        self._capacity = np.zeros((2, len(tail)))
        self._capacity[0, len(p) : len(p) + len(child)] = np.inf
        self._closed = np.zeros(len(self._cost), np.int8)
        self._solver = mincut.MinimumCut(tail, head, self._cost, self._capacity, self._closed)
        # Places of each label in the table, and in the leaves.
        low, first, gain_first = (x.tolist() for x in (table.leaf_low, table.leaf_first, table.gain_first))
        self._leaf_costs = list(map(slice, first, first[1:]))
        self._gains = list(map(slice, gain_first, gain_first[1:]))
        self._allowed = [
            slice(a, a + of.stop - of.start) for a, of in zip(low, self._leaf_costs, strict=True)
        ]
        # The neighbours of each leaf: those of leaf p at first[p]:first[p + 1].
        order = np.argsort(np.concatenate([p, q]), kind="stable")
        self._near = np.stack([np.concatenate([p, q]), np.concatenate([q, p])])[:, order]
        self._near_weight = np.tile(table.weight, 2)[order]
        self._near_first = np.searchsorted(self._near[0], np.arange(n_leaves + 1))

    def start(self, labels: Int32) -> None:
        """Make labels (n,) int32, read at leaves only, the current ones."""
        table = self._table
        n_leaves = len(table.leaves)
        self._labels = np.array(labels, np.int32)
        self._common = np.zeros(len(labels), np.int32)
        self._gain = np.zeros(len(labels))
        value = innerlabels.common_labels(
            self._parent, self._end, *self._costs, self._invisible, self._labels, self._common, self._gain
        )
        self._slot_label = np.empty(len(table.above), np.int32)
        self._slot_label[table.slot] = self._common  # -1 where the leaves differ
        self._leaf_label = self._labels[table.leaves]
        self._cost[:n_leaves] = np.inf  # leaves to which a label is not allowed cannot join
        self._cost[n_leaves:] = 0.0
        gaining = (self._gain > 0) & (table.slot >= n_leaves)
        np.add.at(self._cost, table.slot[gaining] + self._inner, self._gain[gaining])
        # What a leaf saves if it leaves its label: D, and half of the weights of its cut pairs.
        place = table.leaf_first[self._leaf_label] - table.leaf_low[self._leaf_label] + np.arange(n_leaves)
        self._saved = table.leaf_cost[place]
        apart = self._leaf_label[table.pairs[:, 0]] != self._leaf_label[table.pairs[:, 1]]
        half = table.weight / 2
        np.add.at(self._saved, table.pairs[apart].ravel(), np.repeat(half[apart], 2))
        m = len(half)
        self._capacity[:, :m] = np.where(apart, half, table.weight)
        self._capacity[0, m + len(self._above) :] = np.where(self._slot_label[self._above] >= 0, np.inf, 0.0)
        # A sum in this order is the same on every machine.
        self.energy = float(np.cumsum(np.append(value, table.weight[apart]))[-1])

    def labels(self) -> Int32:
        """Return the current labels (n,) int32: the best ones with these labels of the leaves."""
        labels: Int32 = innerlabels.visible_labels(self._parent, self._common, self._gain)
        return labels

    def move(self, alpha: int, tolerance: float = treepotts.TOLERANCE) -> float:
        """Make the best move to ``alpha`` if it gains more than the tolerance; return the gain, or 0."""
        table, cost, closed = self._table, self._cost, self._closed
        may = self._allowed[alpha]  # the leaves at which alpha is allowed
        cost[may] = table.leaf_cost[self._leaf_costs[alpha]] - self._saved[may]
        has = self._leaf_label[may] == alpha
        closed[may] = has
        if has.any():
            cost[may][has] = 0.0
            near = slice(self._near_first[may.start], self._near_first[may.stop])
            p, q = self._near[:, near]
            beside = (closed[p] > 0) & (closed[q] == 0) & (q >= may.start) & (q < may.stop)
            np.subtract.at(cost, q[beside], self._near_weight[near][beside] / 2)
        gains = self._gains[alpha]
        new = self._slot_label[table.gain_slot[gains]] != alpha
        together = table.gain_slot[gains][new]
        cost[together] = -table.gain_value[gains][new]
        seeds = np.concatenate([may.start + np.flatnonzero(cost[may] < 0), together]).astype(np.int32)
        gain = 0.0
        joined = seeds[:0]
        if len(seeds):
            gain, joined = self._solver.cut(seeds, tolerance)
        cost[may] = np.inf
        cost[together] = 0.0
        closed[may] = 0
        if len(joined):
            self._labels[table.leaves[joined[joined < len(table.leaves)]]] = alpha
            self.start(self._labels)
        return gain

    def run(self, order: Int32, max_cycles: int = 50) -> None:
        """Make the best move to each label of ``order`` in turn, as long as they lower the energy.

        The search ends when the last len(order) moves did not, or after ``max_cycles`` cycles over the order.
        """
        without_gain = 0
        for _ in range(max_cycles):
            for alpha in order.tolist():
                without_gain = 0 if self.move(alpha) > 0 else without_gain + 1
                if without_gain == len(order):
                    return


# Section 5.1: variants.


@dataclass(kw_only=True, eq=False, repr=False)
class GCutsNP(GCuts):
    """GCuts without costs of parent-child edges, section 5.1."""

    parent_child: float = real(0.0, -MAX_COST, MAX_COST)
    method = "gcuts-np"


@dataclass(kw_only=True, eq=False, repr=False)
class GCutsNL(GCuts):
    """GCuts without learning of D and V, section 5.1: only lambda is learnt."""

    weights: Weights | str = UNIFORM.name
    method = "gcuts-nl"


# Ours: the energy of the paper with fewer labels, and a proof of its minimum.


@dataclass(kw_only=True, eq=False, repr=False)
class CertifiedGCuts(GCuts):
    """Graph cuts that prove how far their energy is from the optimum, for pages of any size.

    Attributes:
        rel: gap to the lower bound at which the search ends, relative to the energy.
        max_sweeps: greatest number of sweeps of the solver.

    The other parameters are those of `GCuts`; ``max_cycles`` and ``random_state`` have no effect.

    >>> CertifiedGCuts().predict("<div><p>One<p>two</div>").gap
    0.0
    """

    rel: float = real(1e-5, low=0.0)
    max_sweeps: int = integer(200, low=0)

    method = "gcuts-certified"
    allowed_labels = "ancestors"
    metric = "diagonal"

    def minimise(self, problem: treepotts.TreePotts) -> treepotts.Minimum:
        """Return labels whose energy is within ``rel`` of the lower bound, unless the sweeps run out."""
        return treepotts.minimise(problem, Expansion, rel=self.rel, max_sweeps=self.max_sweeps)
