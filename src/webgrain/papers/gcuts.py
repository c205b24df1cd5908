"""GCuts: segmentation of a page by energy-minimising graph cuts.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008. This module
contains sections 3 (formulation), 4.2 (algorithm) and 5.1 (variants NP and NL); the features and the learning
of D and V (section 4.3) are in `costs` and `learning`, which CClus shares.

**Problem** (section 3). N is the set of nodes of the page's tree, leaf(N) its leaves, L the set of labels. A
segmentation S gives each node p a label S(p) in L, or the invisible label xi. Its energy, eq. (1), is

    E(S) = sum_{p in N} D_p(S(p)) + sum_{(p, q) in E} V_pq(S(p), S(q))

under the constraints that leaves are not invisible (3) and that a child has the label of its parent unless
the parent is invisible (4). E consists of the parent-child edges of the tree and of the pairs of neighbouring
leaves. The visible part of the tree is thus a set of whole subtrees, each with one label; everything above
them is invisible. The tests compute E from this definition.

**Algorithm** (section 4.2). Alpha-expansion (Boykov, Veksler, Zabih 2001): for one label alpha after the
other, find the best move in which every leaf keeps its label or takes alpha. A move is a minimum cut of a
graph. The search ends when no label improves the energy (`expand`, `alpha_expansion`).

    paper                    here                    shape, unit
    N, leaf(N)               tree, tree.leaves       (k,) visible leaves and their ancestors
    L                        label_nodes             (L,) nodes of ``tree``: its inner nodes
    S                        labels                  (k,) places in L, -1 for invisible
    xi, the invisible label  -1
    D_p(alpha)               distances               distance of feature vectors, see `distances`
    D_u(xi)                  invisibility            0: the paper does not mention it
    V_uq, u parent of q      parent_child            1, the V of leaves that are certainly together
    V_pq, p and q leaves     together                (m,) for the m pairs of neighbouring leaves
    lambda, factor of all V  lam                     1
    Mahalanobis metric       Weights.metric          (25, 25) for the node features; `costs.embedding`
    GCuts-NP                 GCutsNP, parent_child=0
    GCuts-NL                 GCutsNL, weights="uniform"

Departures:
  - The move graph printed in the paper misses the exact minimum if parents are nested, if a parent is
    invisible, or if inner nodes have costs. The graph used here (`webgrain.papers.solvers.moves`) is
    exact for costs of any sign, and contains the move to the invisible label and back.
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
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.papers.features.nodes import node_features
from webgrain.papers.features.pairs import PairFeatures, adjacent_leaves
from webgrain.papers.solvers import treepotts
from webgrain.papers.solvers.moves import MoveGraph
from webgrain.papers.thresholds import MAX_COST, MAX_COSTS, MAX_LEAVES, MAX_STEPS, MAX_STEPS_OF_ALL
from webgrain.papers.weightlearning import Cut, WeightedMethod
from webgrain.papers.weights import UNIFORM, Metric, Weights, embedding, probability
from webgrain.segmentation.features.nodes import count_above, leaves_before, nodes_of

Reading = Literal["edge", "parent"]
AllowedLabels = Literal["ancestors", "all"]


class Costs(NamedTuple):
    """Costs of a page before parameters: D, neighbouring leaves (m, 2) and their V (m,).

    tops (L,): label a is allowed in the subtree of node tops[a]; distances: D of its nodes, label by label.
    """

    tree: VisibleTree
    tops: Int32
    distances: Float64
    pairs: Int32
    together: Float64


def label_nodes(tree: VisibleTree, allowed: AllowedLabels = "ancestors") -> tuple[Int32, Int32]:
    """Return L (any,), the inner nodes of ``tree`` in document order, and the tops (any,) of their labels.

    A label is allowed in the subtree of its top: the highest node with the same leaves, or the root if all
    labels are allowed. A node whose only child is an inner node too is left out: the child has the same
    leaves and nearly the same features. If these are too many for `MAX_COSTS` and `MAX_STEPS`, or
    `MAX_STEPS_OF_ALL`, the nodes with the most leaves are kept. The label of a tree without inner nodes is
    its only node.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> [x.tolist() for x in label_nodes(visible_tree(parse(Source("a", b"<p>One<p>two"))))]  # body, p, p
    [[1, 2, 4], [0, 2, 4]]
    """
    before, end = leaves_before(tree), tree.end
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
    order = np.argsort(before[inner] - before[end[inner]], kind="stable")
    entries = np.cumsum((end[tops] - tops)[order])
    steps = levels * np.cumsum((before[end[tops]] - before[tops])[order])
    most = MAX_STEPS if allowed == "ancestors" else MAX_STEPS_OF_ALL
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
    parent: Int32, edge_cost: Float64, node_cost: Float64, reading: Reading = "edge"
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


def expand(graph: MoveGraph, order: Int32, max_cycles: int = 50) -> None:
    """Improve the current labels of ``graph`` by alpha-expansion (section 4.2).

    For each label alpha of ``order``, in turn, the best move to alpha is made if it lowers the energy. The
    search ends when the last len(order) moves did not, or after ``max_cycles`` cycles over all labels.
    """
    without_gain = 0
    for _ in range(max_cycles):
        for alpha in order.tolist():
            without_gain = 0 if graph.move(alpha, treepotts.TOLERANCE) > 0 else without_gain + 1
            if without_gain == len(order):
                return


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
    graph = treepotts.move_graph(problem, treepotts.label_table(problem))
    graph.load(labels)
    expand(graph, order, max_cycles)
    labels = graph.current()
    return labels, float(graph.load(labels))


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
    reading: Reading = choice("edge", ("edge", "parent"))
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
        nodes, pairs = nodes_of(page), adjacent_leaves(page, tree)
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
            pairs=tree.leaves[costs.pairs].astype(np.int32),
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
        return treepotts.minimise(problem, expand, rel=self.rel, max_sweeps=self.max_sweeps)
