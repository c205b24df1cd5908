"""GCuts: the segments of a page by energy-minimising graph cuts.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008: sections 3
(formulation) and 4.2 (the algorithm), 4.3 (the costs: `costs`), 5.1 (the variants NP and NL).

    paper                    here                    shape, unit
    N, leaf(N)               tree, tree.leaves       (k,) nodes that can be seen or hold such a leaf
    L                        labels                  (L,) nodes of ``tree``: its internal nodes
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
  - The energy is minimised with a proof of how near the optimum is: `webgrain.kernels.certified`. The paper's
    alpha-expansion is ``solver="expansion"``.
  - Its move graph is not the printed one, which is wrong for nested trees: `webgrain.kernels.expansion`.
  - Its start is the best labelling without pairs; one arbitrary label (``start="label"``) ends higher.
  - Nodes without a visible leaf are left out: they belong to no segment.
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

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

import numpy as np

from webgrain.estimator import Estimator, check_choice, check_integer, check_number
from webgrain.kernels.certified import Limits, Minimum, minimise
from webgrain.kernels.expansion import expansion, tree_dp
from webgrain.kernels.treepotts import TreePotts, energy, fold_parent_child
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.results import Segmentation, canonical
from webgrain.segment.adjacency import adjacent_leaves
from webgrain.segment.costs import Weights, distance, find_weights, probability
from webgrain.segment.features import PairFeatures, node_features
from webgrain.segment.look import leaves_before, marked_above

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.page import Page

MAX_COSTS = 2**24
"""Entries of D that are computed for one page: 128 MB."""

MAX_STEPS = 2**28
"""Labels times leaves times levels of one page: some ten seconds at worst."""


@dataclass(kw_only=True, eq=False)
class GCuts(Estimator):
    """Segmentation by graph cuts.

    Attributes:
        lam: weight of V between neighbouring leaves, >= 0; more joins more.
        invisibility: cost of each invisible node; more gives fewer and larger segments.
        parent_child: cost of an edge between an invisible parent and its child.
        reading: which such edges pay: ``edge``, those to a visible child; ``parent``, all.
        parent_child_edges: False takes ``parent_child`` as 0 (the paper's NP).
        weights: `Weights` or the name of some: ``hand``, or ``uniform`` (the paper's NL).
        solver: ``certified``, or ``expansion`` as in the paper.
        rel: gap to the lower bound at which the certified solver ends, relative to the energy.
        max_sweeps: sweeps that it makes to raise the bound, at most.
        start: of the expansion: ``dp``, the optimum without pairs, or ``label``, one label everywhere.
        max_cycles: of the expansion: cycles over all labels, at most.
        random_state: of the expansion: seed of the order of the labels, the start label first; None: that of
            the document.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>One<p>two</div>"))
    >>> len(GCuts(invisibility=10.0).predict(page))
    1
    """

    lam: float = 0.7
    invisibility: float = 0.5
    parent_child: float = 1.0
    reading: Literal["edge", "parent"] = "edge"
    parent_child_edges: bool = True
    weights: Weights | str = "hand"
    solver: Literal["certified", "expansion"] = "certified"
    rel: float = 1e-5
    max_sweeps: int = 200
    start: Literal["dp", "label"] = "dp"
    max_cycles: int = 50
    random_state: int | None = None

    def __post_init__(self) -> None:
        check_number(self, "lam", low=0.0)
        check_number(self, "invisibility")
        check_number(self, "parent_child")
        check_choice(self, "reading", ("edge", "parent"))
        check_choice(self, "parent_child_edges", (True, False))
        check_choice(self, "solver", ("certified", "expansion"))
        check_number(self, "rel", low=0.0)
        check_integer(self, "max_sweeps", low=0)
        check_choice(self, "start", ("dp", "label"))
        check_integer(self, "max_cycles", low=1)
        if self.random_state is not None:
            check_integer(self, "random_state", low=0)
        find_weights(self.weights)

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of ``page``: an id per node, -1 for the invisible ones."""
        tree = visible_tree(page)
        if not len(tree):
            nothing = np.full(len(page.dom), -1, np.int32)
            return Segmentation(nothing, "gcuts", self.describe(), energy=0.0, lower_bound=0.0)
        minimum = self._minimise(self.problem(page, tree))
        return Segmentation(
            canonical(tree.to_dom(minimum.labels)),
            "gcuts",
            self.describe(),
            energy=minimum.energy,
            lower_bound=minimum.lower_bound,
        )

    def problem(self, page: Page, tree: VisibleTree) -> TreePotts:
        """Return the energy that is minimised over ``tree``, the visible tree of ``page``."""
        weights = find_weights(self.weights)
        unary = distance(node_features(page, tree), label_nodes(tree), weights)
        pairs = adjacent_leaves(page, tree)
        together = probability(PairFeatures(page, tree)(*pairs.T), weights.adjacent)
        edge = np.full(len(tree), self.parent_child if self.parent_child_edges else 0.0)
        invisible = np.where(tree.kind == 0, float(self.invisibility), 0.0)
        return TreePotts(
            parent=tree.parent,
            end=tree.end,
            unary=unary,
            invisible=fold_parent_child(tree.parent, edge, invisible, self.reading),
            pairs=tree.leaves[pairs].astype(np.int32),
            weight=self.lam * together,
        )

    def _minimise(self, problem: TreePotts) -> Minimum:
        if self.solver == "certified":
            return minimise(problem, limits=Limits(rel=self.rel, max_sweeps=self.max_sweeps))
        labels, _ = expansion(problem, self.start, self._order(problem.n_labels), self.max_cycles)
        return Minimum(labels, energy(problem, labels), lower_bound=tree_dp(problem)[1], sweeps=0)

    def _order(self, n_labels: int) -> NDArray[np.int32]:
        if self.random_state is None:
            return np.arange(n_labels, dtype=np.int32)
        return np.random.default_rng(self.random_state).permutation(n_labels).astype(np.int32)


def label_nodes(tree: VisibleTree) -> NDArray[np.intp]:
    """Return L (any,): the internal nodes of ``tree`` in document order; its only node where it has no other.

    Where these are too many for `MAX_COSTS` and `MAX_STEPS`, those with the most leaves.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> label_nodes(visible_tree(parse(Source("a", b"<p>One<p>two")))).tolist()  # html, body, p, p
    [0, 1, 2, 4]
    """
    inner = np.flatnonzero(tree.kind == 0)
    if not len(inner):
        return np.zeros(1, np.intp)
    before = leaves_before(tree)
    branches = np.zeros(len(tree), bool)
    branches[inner] = tree.end[inner + 1] < tree.end[inner]
    steps = int(before[-1]) * (1 + int(marked_above(tree, branches).max()))
    room = max(1, min(MAX_COSTS // len(tree), MAX_STEPS // steps))
    if len(inner) > room:
        leaves = before[tree.end[inner]] - before[inner]
        inner = np.sort(inner[np.argsort(-leaves, kind="stable")[:room]])
    return inner
