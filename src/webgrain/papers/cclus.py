"""CClus: segmentation of a page by correlation clustering of its leaves.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, sections 3
(eq. (2)) and 4.1; the pivot algorithm is that of Ailon, Charikar, Newman, STOC 2005. The features and the
learning of v (section 4.3) are in `webgrain.papers.features`, `webgrain.papers.weights` and
`webgrain.papers.weightlearning`, which GCuts shares.

**Problem** (section 3). Every pair of leaves p, q has a probability v_pq that they are in one segment. Find
the partition S of the leaves that minimises, eq. (2),

    sum_{S(p) != S(q)} lambda v_pq + sum_{S(p) = S(q)} (1 - v_pq)

The number of segments is not given. `objective` computes the sum from this definition.

**Algorithm** (section 4.1). A leaf drawn at random becomes a segment together with all remaining leaves that
are cheaper to join than to cut; this is repeated with the leaves that remain (`pivot`). Of several trials,
the one with the least objective is the result (`cluster`).

    paper                here           shape, unit
    leaf(N)              tree.leaf    (l,)
    v_pq                 together       (l, l) float32, symmetric, 0 on the diagonal
    S                    labels         (l,)
    lambda               lam            1
    trials               trials         20
    CClus-NL (5.1)       CClusNL, weights="uniform"

Departures:
  - Above `MAX_LEAVES` leaves, consecutive runs of this length are clustered separately, and pairs of leaves
    of different runs are not counted, since v has a row and a column for every leaf.
Unclear: where lambda enters; the paper reports lambda = 0.6 and gives an objective without it. Here it is the
weight of v, as in GCuts, and a pivot takes q if joining costs no more than cutting: lam * v >= 1 - v, which
is the paper's v >= 1/2 at lam = 1. The test and the objective use the same numbers.
Unclear: the number of trials. Here 20.

Cost: l * l / 2 probabilities, then per trial about (number of segments) * l; memory 4 l * l bytes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float32, Int32
from webgrain.base.estimator import integer
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page
from webgrain.papers.features.pairs import PairFeatures
from webgrain.papers.features.treenodes import nodes_of
from webgrain.papers.thresholds import MAX_LEAVES, PAIR_CHUNK
from webgrain.papers.weightlearning import Cut, WeightedMethod
from webgrain.papers.weights import AS_LEARNT, UNIFORM, Emphasis, Logistic, Weights, probability


@dataclass(kw_only=True, eq=False, repr=False)
class CClus(WeightedMethod):
    """Segmentation by correlation clustering.

    Attributes:
        lam: weight of v of cut pairs, >= 0; a higher value gives larger segments; None: the value stored
            with the weights.
        trials: runs of the pivot algorithm; the result is the one with the least objective.
        weights: `Weights`, or the name of shipped weights: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: factors of the learnt weights of these groups of features, >= 0.
        random_state: seed of the pivots.
        weights_: what `fit` has learnt.

    >>> page = "<div><p>One<p>two</div>"
    >>> len(CClus(lam=0.0).predict(page)), len(CClus(lam=1e6).predict(page))
    (2, 1)
    """

    trials: int = integer(20, low=1)
    random_state: int = integer(0, low=0)

    method = "cclus"
    default_lam = 1.0
    lams = (0.3, 0.4, 0.5, 0.6, 0.8, 1.0, 1.25, 1.5, 2.0, 3.0, 5.0, 8.0)

    def prepare(self, page: Page, weights: Weights) -> PairCosts:
        """Return v of a page."""
        tree = visible_tree(page)
        features = PairFeatures(nodes_of(page))
        size = len(tree.leaf)
        together = []
        for first in range(0, size, MAX_LEAVES):
            run = slice(first, min(first + MAX_LEAVES, size))
            together.append(all_pairs(features, run, weights.pairs, self._emphasis()))
        return PairCosts(tree, together)

    def cut(self, costs: PairCosts, lam: float) -> Cut:
        """Return the segments of a page from v and lambda."""
        tree = costs.tree
        labels = np.full(len(tree), -1, np.int32)
        total = 0.0
        first = 0
        for together in costs.together:
            clusters = cluster(together, lam, self.trials, np.random.default_rng(self.random_state))
            last = first + len(clusters)
            labels[tree.leaf[first:last]] = clusters + first  # a run has fewer ids than leaves
            total += objective(together, clusters, lam)
            first = last
        return Cut(tree.to_dom(labels), total)


# Section 3: the probabilities of pairs and the objective.


class PairCosts(NamedTuple):
    """Costs of a page before parameters: v (l, l) of each run of its leaves, in order."""

    tree: Outline
    together: list[Float32]


def all_pairs(features: PairFeatures, run: slice, model: Logistic, emphasis: Emphasis = AS_LEARNT) -> Float32:
    """Return v (l, l) of the leaves in ``run``, computed in chunks of rows."""
    size = run.stop - run.start
    out = np.zeros((size, size), np.float32)
    step = max(1, PAIR_CHUNK // size)
    for top in range(0, size, step):
        rows = np.arange(top, min(top + step, size))
        p, q = np.nonzero(rows[:, None] < np.arange(size))
        v = probability(features(p + top + run.start, q + run.start), model, emphasis)
        out[p + top, q] = v
        out[q, p + top] = v
    return out


def objective(together: Float32, labels: Int32, lam: float) -> float:
    """Return eq. (2) by its definition: the sum of lam * v over cut pairs and of 1 - v over joined pairs.

    together (l, l): v; labels (l,).

    >>> v = np.array([[0, 0.75], [0.75, 0]], np.float32)
    >>> objective(v, np.array([0, 0]), 0.5), objective(v, np.array([0, 1]), 0.5)
    (0.25, 0.375)
    """
    total = 0.0
    for p in range(len(labels)):
        v = together[p, p + 1 :]
        total += float(np.where(labels[p + 1 :] == labels[p], 1.0 - v, lam * v).sum(dtype=np.float64))
    return total


# Section 4.1: the pivot algorithm.


def cluster(together: Float32, lam: float, trials: int, rng: np.random.Generator) -> Int32:
    """Return the labels (l,) of least objective of several runs of `pivot`."""
    runs = [pivot(together, lam, rng) for _ in range(trials)]
    savings = [_saved(together, labels, lam) for labels in runs]
    return runs[int(np.argmax(savings))]


def pivot(together: Float32, lam: float, rng: np.random.Generator) -> Int32:
    """Return labels (l,) of one run: a random leaf and all leaves that are cheaper to join than to cut, ...

    >>> v = np.array([[0, 0.9, 0.1], [0.9, 0, 0.1], [0.1, 0.1, 0]], np.float32)
    >>> labels = pivot(v, 1.0, np.random.default_rng(0))
    >>> bool(labels[0] == labels[1] != labels[2])
    True
    """
    labels = np.full(len(together), -1, np.int32)
    clusters = 0
    for p in rng.permutation(len(together)).tolist():
        if labels[p] < 0:
            v = together[p]
            labels[(labels < 0) & (lam * v >= 1.0 - v)] = clusters
            labels[p] = clusters
            clusters += 1
    return labels


def _saved(together: Float32, labels: Int32, lam: float) -> float:
    """Return twice the saving of the joined pairs; the objective falls as it grows."""
    order = np.argsort(labels, kind="stable")
    clusters = np.split(order, np.flatnonzero(np.diff(labels[order])) + 1)
    blocks = (together[np.ix_(members, members)] for members in clusters if len(members) > 1)
    return sum(float((1.0 + lam) * v.sum(dtype=np.float64)) - len(v) * (len(v) - 1) for v in blocks)


# Section 5.1: the variant.


@dataclass(kw_only=True, eq=False, repr=False)
class CClusNL(CClus):
    """CClus without learning of v, section 5.1: only lambda is learnt."""

    weights: Weights | str = UNIFORM.name
    method = "cclus-nl"
