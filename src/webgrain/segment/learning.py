"""Weights learnt from labelled pages: the metric of D by large margins, V by logistic regression.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Learning from labeled data".

    paper                             here
    nodes with their segments, D'     nodes whose leaves are all of one segment, `learn_metric`
    V of GCuts: adjacent pairs        all neighbours of which both segments are known
    V of CClus: all pairs             `PAIRS` pairs of such leaves, drawn from each page

Departures:
  - The metric is diagonal: a weight per feature, which can be read, and is what `Weights` holds.
  - Pages count equally, however large: each gives as many nodes and pairs at most, or pairs of less weight.
Unclear: the scale of D, against which the costs of invisible nodes are counted. Here a node lies 1 from its
parent, in the mean over the nodes of the training pages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.kernels.metriclearn import learn_metric
from webgrain.page.leaves import visible_tree
from webgrain.segment.adjacency import adjacent_leaves
from webgrain.segment.costs import Logistic, Weights
from webgrain.segment.features import NODE_FEATURES, PAIR_FEATURES, PairFeatures, node_features
from webgrain.segment.look import leaves_before

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]
    Labels = NDArray[np.integer]

NODES = 100
"""Nodes of a page that the metric is learnt from, at most."""

PAIRS = 2500
"""Pairs of leaves drawn from a page for the model of any two leaves."""

REGULARITY = 0.1
"""C of the logistic regressions: the inverse strength of the penalty on standardised weights."""


class Sample(NamedTuple):
    """What one page gives to learn from.

    nodes (k, f), segment (k,): of its nodes that lie in one segment; steps (s, f): differences of nodes and
    their parents; adjacent, pairs: features (m, g) and whether both leaves are in one segment (m,).
    """

    nodes: Floats
    segment: Labels
    steps: Floats
    adjacent: tuple[Floats, NDArray[np.bool_]]
    pairs: tuple[Floats, NDArray[np.bool_]]


def fit_weights(
    pages: Sequence[Page], truths: Sequence[Labels], *, name: str = "learnt", random_state: int = 0
) -> Weights:
    """Return weights learnt from pages and their true segments; the same for the same input.

    pages: laid out as the pages will be that the weights are for; truths: an array (n,) per page, the segment
    of each node of its Dom that is a leaf, -1 where it is not known, as `Truth.over` makes it; name: of the
    weights; random_state: seed of what is drawn from each page.

    Where there is nothing to tell weights from - all leaves in one segment, say - those of the nodes are
    alike, and the probability of a pair is the share of pairs. `ParameterError` without pages, or where a
    truth is not of its page; `MissingExtraError` without scikit-learn and SciPy.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li>One<li>Two<li>Three</ul><p>Four<p>Five<p>Six"))
    >>> truth = np.where(page.dom.is_text, np.arange(len(page.dom)) > 9, -1)
    >>> weights = fit_weights([page], [truth])
    >>> weights.adjacent.weights["branch"] > 0  # neighbours in large branches are rarely of one segment
    True
    """
    if not len(pages) or len(pages) != len(truths):
        raise ParameterError(
            f"fit_weights expects pages and a truth for each, got {len(pages)}, {len(truths)}."
        )
    samples = [
        _sample(page, truth, np.random.default_rng((random_state, k)))
        for k, (page, truth) in enumerate(zip(pages, truths, strict=True))
    ]
    return Weights(
        name,
        node=_fit_nodes(samples),
        adjacent=_fit_pairs([sample.adjacent for sample in samples]),
        pairs=_fit_pairs([sample.pairs for sample in samples]),
    )


def node_segments(tree: VisibleTree, leaf_labels: Labels) -> Labels:
    """Return the segment (k,) of each node of ``tree`` whose leaves are all of that one, -1 for the others.

    leaf_labels (l,): of the leaves in order.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> tree = visible_tree(parse(Source("a", b"<div><p>1<p>2</div><p>3")))
    >>> node_segments(tree, np.array([7, 7, 8])).tolist()  # html body div p 1 p 2 p 3
    [-1, -1, 7, 7, 7, 7, 7, 8, 8]
    """
    before = leaves_before(tree)
    first, last = before[:-1], before[tree.end] - 1
    changes = np.append(0, np.cumsum(leaf_labels[1:] != leaf_labels[:-1]))
    return np.where(changes[first] == changes[last], leaf_labels[first], -1)


def _sample(page: Page, truth: Labels, rng: np.random.Generator) -> Sample:
    if np.shape(truth) != (len(page.dom),):
        raise ParameterError(
            f"fit_weights expects a label per node of {page.id}, {len(page.dom)}, got {np.shape(truth)}."
        )
    tree = visible_tree(page)
    if not len(tree):
        none = (np.zeros((0, len(PAIR_FEATURES))), np.zeros(0, bool))
        no_nodes = np.zeros((0, len(NODE_FEATURES)))
        return Sample(no_nodes, np.zeros(0, np.intp), no_nodes, none, none)
    label = np.asarray(truth)[tree.node[tree.leaves]]
    x, segment, of_pairs = node_features(page, tree), node_segments(tree, label), PairFeatures(page, tree)
    nodes = _draw(np.flatnonzero(segment >= 0), NODES, rng)
    known = np.flatnonzero(label >= 0)
    adjacent = adjacent_leaves(page, tree)
    adjacent = adjacent[(label[adjacent] >= 0).all(axis=1)]
    drawn = np.sort(known[rng.integers(len(known), size=(PAIRS, 2))], axis=1) if len(known) > 1 else adjacent
    drawn = drawn[drawn[:, 0] < drawn[:, 1]]
    adjacent_pairs, any_pairs = (
        (of_pairs(*pairs.T), label[pairs[:, 0]] == label[pairs[:, 1]]) for pairs in (adjacent, drawn)
    )
    steps = x[1:] - x[tree.parent[1:]]
    return Sample(x[nodes], segment[nodes], steps, adjacent_pairs, any_pairs)


def _draw(places: NDArray[np.intp], n: int, rng: np.random.Generator) -> NDArray[np.intp]:
    return np.sort(rng.choice(places, n, replace=False)) if len(places) > n else places


def _fit_nodes(samples: Sequence[Sample]) -> dict[str, float]:
    """Return the weight of each node feature: the square of the metric's diagonal over the raw features."""
    x = np.concatenate([sample.nodes for sample in samples])
    segment = np.concatenate([sample.segment for sample in samples])
    page = np.repeat(np.arange(len(samples)), [len(sample.nodes) for sample in samples])
    spread = 2.0 / np.sqrt(x.shape[1]) / _deviation(x)  # so that points differ by about the margin, 1
    weight = (np.diag(learn_metric(x * spread, segment, page, diagonal=True)) * spread) ** 2
    steps = np.concatenate([sample.steps for sample in samples])
    typical = float(np.sqrt(steps**2 @ weight).mean()) if len(steps) else 0.0
    weight /= (typical or 1.0) ** 2
    return _by_name(weight, [feature.name for feature in NODE_FEATURES])


def _fit_pairs(samples: Sequence[tuple[Floats, NDArray[np.bool_]]]) -> Logistic:
    """Return the model of pairs; ``same`` has two values where there is something to learn."""
    x = np.concatenate([features for features, _ in samples])
    same = np.concatenate([together for _, together in samples])
    if len(np.unique(same)) < 2:
        return Logistic({}, bias=float(np.log((same.sum() + 1.0) / ((~same).sum() + 1.0))))
    counts = np.array([len(together) for _, together in samples])
    page_weight = np.repeat(1.0 / np.maximum(counts, 1), counts)
    mean, deviation = x.mean(axis=0), _deviation(x)
    linear = require("sklearn.linear_model", "learn", "learning weights")
    model = linear.LogisticRegression(C=REGULARITY, max_iter=1000)
    model.fit((x - mean) / deviation, same, sample_weight=page_weight * (len(x) / page_weight.sum()))
    weight = -model.coef_[0] / deviation
    bias = float(model.intercept_[0] + weight @ mean)
    return Logistic(_by_name(weight, [feature.name for feature in PAIR_FEATURES]), bias)


def _deviation(x: Floats) -> Floats:
    """Return the standard deviation of each column; inf where all are the same: it weighs nothing."""
    deviation: Floats = x.std(axis=0) if len(x) else np.zeros(x.shape[1])
    return np.where(deviation > 1e-9, deviation, np.inf)


def _by_name(weight: Floats, names: Sequence[str]) -> dict[str, float]:
    return {name: float(f"{value + 0.0:.6g}") for name, value in zip(names, weight.tolist(), strict=True)}
