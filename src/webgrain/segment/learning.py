"""Weights learnt from labelled pages: the metric of D by large margins, V by logistic regression.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Learning from labeled data".

    paper                             here
    nodes with their segments, D'     nodes whose leaves are all of one segment, `learn_metric`
    V of GCuts: adjacent pairs        all neighbours of which both segments are known
    V of CClus: all pairs             `PAIRS` pairs of such leaves, drawn from each page

Departures:
  - The metric is diagonal: a weight per feature, which can be read. A full one was no better.
  - Pages count equally, however large.
  - The weights of V are penalised, and hard: neighbours and pairs of a page are no independent examples.
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
from webgrain.segment.costs import Logistic, Term, Weights
from webgrain.segment.features import NODE_FEATURES, Feature, node_features
from webgrain.segment.look import leaves_before
from webgrain.segment.pairfeatures import PAIR_FEATURES, PairFeatures
from webgrain.segment.traits import Traits

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Labels = NDArray[np.integer]

NODES = 100
"""Nodes of a page that the metric is learnt from, at most."""

PAIRS = 600
"""Pairs of leaves drawn from a page for the model of any two leaves."""

REGULARITY = 0.4
"""C of the logistic regressions, each page of weight 1: the inverse strength of the penalty on the weights of
standardised features. Chosen by the log loss of pages that were not learnt from."""


class Sample(NamedTuple):
    """What one page gives to learn from.

    nodes (k, f), segment (k,): of its nodes that lie in one segment; steps (s, f): differences of nodes and
    their parents; adjacent, pairs: features (m, g) and whether both leaves are in one segment (m,).
    """

    nodes: Floats
    segment: Labels
    steps: Floats
    adjacent: tuple[Floats, Bools]
    pairs: tuple[Floats, Bools]


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
    >>> weights.pairs.terms["path"].weight > 0  # leaves under the same tags are of one segment
    True
    """
    return weights_from(samples_of(pages, truths, random_state), name)


def samples_of(pages: Sequence[Page], truths: Sequence[Labels], random_state: int = 0) -> list[Sample]:
    """Return what each page gives to learn from; as `fit_weights`."""
    if not len(pages) or len(pages) != len(truths):
        raise ParameterError(f"Learning expects pages and a truth for each, got {len(pages)}, {len(truths)}.")
    for page, truth in zip(pages, truths, strict=True):
        if np.shape(truth) != (len(page.dom),):
            raise ParameterError(
                f"Learning expects a label per node of {page.id}, {len(page.dom)}, got {np.shape(truth)}."
            )
    return [
        _sample(page, truth, np.random.default_rng((random_state, k)))
        for k, (page, truth) in enumerate(zip(pages, truths, strict=True))
    ]


def weights_from(samples: Sequence[Sample], name: str = "learnt") -> Weights:
    """Return the weights learnt from samples of pages."""
    return Weights(
        name,
        node=_fit_nodes(samples),
        adjacent=fit_pairs([sample.adjacent for sample in samples]),
        pairs=fit_pairs([sample.pairs for sample in samples]),
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
    tree = visible_tree(page)
    if not len(tree):
        none = (np.zeros((0, len(PAIR_FEATURES))), np.zeros(0, bool))
        no_nodes = np.zeros((0, len(NODE_FEATURES)))
        return Sample(no_nodes, np.zeros(0, np.intp), no_nodes, none, none)
    label, traits = np.asarray(truth)[tree.node[tree.leaves]], Traits(page, tree)
    x, segment, of_pairs = node_features(traits), node_segments(tree, label), PairFeatures(traits)
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


def _fit_nodes(samples: Sequence[Sample]) -> dict[str, Term]:
    """Return the terms of D: the squares of the metric's diagonal over the standardised features."""
    x = np.concatenate([sample.nodes for sample in samples])
    segment = np.concatenate([sample.segment for sample in samples])
    page = np.repeat(np.arange(len(samples)), [len(sample.nodes) for sample in samples])
    mean, deviation, varies = _statistics(x)
    spread = 2.0 / np.sqrt(x.shape[1]) * varies / deviation  # so that points differ by about the margin, 1
    scale = np.diag(learn_metric(x * spread, segment, page, diagonal=True)) * spread
    steps = np.concatenate([sample.steps for sample in samples])
    typical = float(np.sqrt(steps**2 @ scale**2).mean()) if len(steps) else 0.0
    weight = (scale * deviation / (typical or 1.0)) ** 2
    return _terms(NODE_FEATURES, weight, mean, deviation)


def fit_pairs(samples: Sequence[tuple[Floats, Bools]]) -> Logistic:
    """Return the model of pairs from features (m, g) and what is true (m,), a pair of arrays for each page.

    Where all pairs are alike, or all features, their share is the probability, with one of each sort added.

    >>> x = np.zeros((4, len(PAIR_FEATURES)))
    >>> fit_pairs([(x, np.ones(4, bool))]).bias > 0
    True
    """
    x = np.concatenate([features for features, _ in samples])
    same = np.concatenate([together for _, together in samples])
    counts = np.array([len(together) for _, together in samples])
    page_weight = np.repeat(1.0 / np.maximum(counts, 1), counts)
    mean, deviation, varies = _statistics(x)
    if len(np.unique(same)) < 2 or not varies.any():
        share = [page_weight[same == value].sum() + 1.0 for value in (True, False)]
        return Logistic({}, bias=_rounded(np.log(share[0] / share[1])))
    linear = require("sklearn.linear_model", "learn", "learning weights")
    model = linear.LogisticRegression(C=REGULARITY, max_iter=1000, solver="newton-cholesky")
    model.fit((x - mean) / deviation, same, sample_weight=page_weight)
    terms = _terms(PAIR_FEATURES, model.coef_[0] * varies, mean, deviation)
    return Logistic(terms, bias=_rounded(model.intercept_[0]))


def _statistics(x: Floats) -> tuple[Floats, Floats, Bools]:
    """Return mean and deviation of each column, 1 where all are the same, and where they are not."""
    if not len(x):
        return np.zeros(x.shape[1]), np.ones(x.shape[1]), np.zeros(x.shape[1], bool)
    deviation = x.std(axis=0)
    varies = deviation > 1e-9
    return x.mean(axis=0), np.where(varies, deviation, 1.0), varies


def _terms(features: tuple[Feature, ...], *columns: Floats) -> dict[str, Term]:
    rows = np.stack(columns, axis=1).tolist()
    return {feature.name: Term(*map(_rounded, row)) for feature, row in zip(features, rows, strict=True)}


def _rounded(value: float) -> float:
    """Six digits: files are short and the same on every machine."""
    return float(f"{value + 0.0:.6g}")
