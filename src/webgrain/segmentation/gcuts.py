"""GCuts: the segments of a page by energy-minimising graph cuts.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008: sections 3
(formulation) and 4.2 (the algorithm), 4.3 (the costs: `costs`), 5.1 (the variants NP and NL).

    paper                    here                    shape, unit
    N, leaf(N)               tree, tree.leaves       (k,) nodes that can be seen or hold such a leaf
    L                        label_nodes             (L,) nodes of ``tree``: its internal nodes
    S                        Segmentation.labels     (n,) over the Dom
    xi, the invisible label  -1
    D_p(alpha)               unary                   (k, L) distance of feature vectors
    D_u(xi)                  invisibility            one cost for every internal node
    V_uq, u parent of q      parent_child            one cost for every edge to an invisible parent
    V_pq, p and q leaves     lam * probability       (m,) for the m pairs of neighbouring leaves
    lambda                   lam                     1
    GCuts-NP                 parent_child_edges=False
    GCuts-NL                 weights="uniform"

Departures:
  - The energy is minimised with a proof of how near the optimum is:
  `webgrain.segmentation.solvers.certified`. The paper's
    alpha-expansion is ``solver="expansion"``.
  - Its move graph is not the printed one, which is wrong for nested trees:
  `webgrain.segmentation.solvers.expansion`.
  - Its start is the best labelling without pairs; one arbitrary label (``start="label"``) ends higher.
  - Nodes without a visible leaf are left out: they belong to no segment. Of a chain of only children the last
    one stands as a label for all: that changed no result, and saves a third of the time.
  - Above `MAX_COSTS` entries of D or `MAX_STEPS` of the solver, which real pages do not reach, only the
    internal nodes with the most leaves are labels.
Unclear: the values of D_u(xi) and of V_uq. Here each is one number.
Unclear: whether V_uq is paid for an invisible child too: ``reading``, see `fold_parent_child`.
Unclear: whether "parent-child edges given zero weight" in NP lifts the constraint (4). Here it stays.
Unclear: whether the leaves of one label that stand apart are one segment. Here they are: the label counts.

Cost: k * L distances, then per label about the number of leaves, times the depth where every level has its
own leaves; memory 16 k * L bytes.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32
from webgrain.estimator import check_choice, check_integer, check_number
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.segmentation.costs import Weights, distance, probability
from webgrain.segmentation.features.nodes import Traits, leaves_before, marked_above, node_features
from webgrain.segmentation.features.pairs import PairFeatures, adjacent_leaves
from webgrain.segmentation.learning import Cut, Weighted
from webgrain.segmentation.solvers.certified import Limits, Minimum, minimise
from webgrain.segmentation.solvers.expansion import expansion, tree_dp
from webgrain.segmentation.solvers.treepotts import TreePotts, energy, fold_parent_child

Labels = NDArray[np.integer]


MAX_COSTS = 2**24
"""Entries of D that are computed for one page: 128 MB."""

MAX_STEPS = 2**28
"""Labels times leaves times levels of one page: some ten seconds at worst."""


class Costs(NamedTuple):
    """Costs of a page before parameters: D (k, L), the neighbours (m, 2) among its leaves, V (m,)."""

    tree: VisibleTree
    unary: Float64
    pairs: Int32
    together: Float64


@dataclass(kw_only=True, eq=False)
class GCuts(Weighted):
    """Segmentation by graph cuts.

    Parameters that are None are those that go with the weights.

    Attributes:
        lam: weight of V between neighbouring leaves, >= 0; more joins more.
        invisibility: cost of each invisible node; more gives fewer and larger segments.
        parent_child: cost of an edge between an invisible parent and its child.
        reading: which such edges pay: ``edge``, those to a visible child; ``parent``, all.
        parent_child_edges: False takes ``parent_child`` as 0 (the paper's NP).
        weights: `Weights` or the name of some: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: what these views of a page weigh beside what was learnt, >= 0.
        solver: ``certified``, or ``expansion`` as in the paper.
        rel: gap to the lower bound at which the certified solver ends, relative to the energy.
        max_sweeps: sweeps that it makes to raise the bound, at most.
        start: of the expansion: ``dp``, the optimum without pairs, or ``label``, one label everywhere.
        max_cycles: of the expansion: cycles over all labels, at most.
        random_state: of the expansion: seed of the order of the labels, the start label first; None: that of
            the document.
        weights_: what `fit` has learnt.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<p>two</div>"))
    >>> len(GCuts(invisibility=10.0).predict(page))
    1
    """

    lam: float | None = None
    invisibility: float | None = None
    parent_child: float | None = None
    reading: Literal["edge", "parent"] = "edge"
    parent_child_edges: bool = True
    solver: Literal["certified", "expansion"] = "certified"
    rel: float = 1e-5
    max_sweeps: int = 200
    start: Literal["dp", "label"] = "dp"
    max_cycles: int = 50
    random_state: int | None = None

    method = "gcuts"
    usual = MappingProxyType({"lam": 4.0, "invisibility": 2.0, "parent_child": 8.0})
    grids = MappingProxyType(
        {
            "lam": (0.5, 1.0, 2.0, 3.0, 4.0, 6.0, 8.0),
            "invisibility": (0.0, 1.0, 2.0, 4.0, 8.0),
            "parent_child": (0.5, 1.0, 2.0, 4.0, 8.0, 12.0),
        }
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        check_number(self, "lam", low=0.0, optional=True)
        check_number(self, "invisibility", optional=True)
        check_number(self, "parent_child", optional=True)
        check_choice(self, "reading", ("edge", "parent"))
        check_choice(self, "parent_child_edges", (True, False))
        check_choice(self, "solver", ("certified", "expansion"))
        check_number(self, "rel", low=0.0)
        check_integer(self, "max_sweeps", low=0)
        check_choice(self, "start", ("dp", "label"))
        check_integer(self, "max_cycles", low=1)
        if self.random_state is not None:
            check_integer(self, "random_state", low=0)

    def prepare(self, page: Page, weights: Weights) -> Costs:
        """Return D and V of a page."""
        tree = visible_tree(page)
        traits, pairs = Traits(page, tree), adjacent_leaves(page, tree)
        unary = distance(node_features(traits), label_nodes(tree), weights.node, self._emphasis())
        together = probability(PairFeatures(traits)(*pairs.T), weights.adjacent, self._emphasis())
        return Costs(tree, unary, pairs, together)

    def cut(self, costs: Costs, values: Mapping[str, float]) -> Cut:
        """Return the segments of a page from its costs and the values of lam and so on."""
        if not len(costs.tree):
            return Cut(costs.tree.to_dom(np.zeros(0, np.int32)), energy=0.0, lower_bound=0.0)
        minimum = self._minimise(self._problem(costs, values))
        return Cut(costs.tree.to_dom(minimum.labels), minimum.energy, minimum.lower_bound)

    def problem(self, page: Page) -> TreePotts:
        """Return the energy that is minimised over the visible tree of ``page``, if it has a leaf."""
        weights = self._weights_for(page)
        return self._problem(self.prepare(page, weights), self.values(weights))

    def values(self, weights: Weights) -> dict[str, float]:
        """Return the parameters that go with weights; without parent-child edges these cost nothing."""
        values = super().values(weights)
        return values if self.parent_child_edges else values | {"parent_child": 0.0}

    def _problem(self, costs: Costs, values: Mapping[str, float]) -> TreePotts:
        tree = costs.tree
        edge = np.full(len(tree), values["parent_child"])
        invisible = np.where(tree.kind == 0, values["invisibility"], 0.0)
        return TreePotts(
            parent=tree.parent,
            end=tree.end,
            unary=costs.unary,
            invisible=fold_parent_child(tree.parent, edge, invisible, self.reading),
            pairs=tree.leaves[costs.pairs].astype(np.int32),
            weight=values["lam"] * costs.together,
        )

    def _choose(self, costs: Sequence[Costs], truths: Sequence[Labels], weights: Weights) -> dict[str, float]:
        # What is best hardly depends on the last percent of the energy, and one cycle is twice as fast.
        edges = self.parent_child if self.parent_child_edges else 0.0
        quick = replace(self, solver="expansion", max_cycles=1, parent_child=edges)
        return Weighted._choose(quick, costs, truths, weights)

    def _minimise(self, problem: TreePotts) -> Minimum:
        if self.solver == "certified":
            return minimise(problem, limits=Limits(rel=self.rel, max_sweeps=self.max_sweeps))
        labels, _ = expansion(problem, self.start, self._order(problem.n_labels), self.max_cycles)
        return Minimum(labels, energy(problem, labels), lower_bound=tree_dp(problem)[1], sweeps=0)

    def _order(self, n_labels: int) -> Int32:
        if self.random_state is None:
            return np.arange(n_labels, dtype=np.int32)
        return np.random.default_rng(self.random_state).permutation(n_labels).astype(np.int32)


def label_nodes(tree: VisibleTree) -> NDArray[np.intp]:
    """Return L (any,): the internal nodes of ``tree`` in document order; its only node where it has no other.

    A node whose only child is internal too is left out: the child has the same leaves, so all but the same
    features. Where these are too many for `MAX_COSTS` and `MAX_STEPS`, those with the most leaves.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> label_nodes(visible_tree(parse(Source("a", b"<p>One<p>two")))).tolist()  # body, p, p
    [1, 2, 4]
    """
    before = leaves_before(tree)
    inner = np.flatnonzero(tree.kind == 0)
    same_below = (tree.end[inner + 1] == tree.end[inner]) & (tree.kind[inner + 1] == 0)
    inner = inner[~same_below]
    if not len(inner):
        return np.arange(len(tree))
    branches = np.zeros(len(tree), bool)
    branches[inner] = tree.end[inner + 1] < tree.end[inner]
    steps = int(before[-1]) * (1 + int(marked_above(tree, branches).max()))
    room = max(1, min(MAX_COSTS // len(tree), MAX_STEPS // steps))
    if len(inner) > room:
        leaves = before[tree.end[inner]] - before[inner]
        inner = np.sort(inner[np.argsort(-leaves, kind="stable")[:room]])
    return inner
