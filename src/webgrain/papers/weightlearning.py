"""Learning of the costs and parameters of GCuts and CClus from labelled pages.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

    page, weights --prepare--> costs;  costs, lambda --cut--> labels

    paper                                 here
    nodes with their segments, D'         nodes whose leaves are all in one segment
    learning the metric of D              `learn_metric`
    V of GCuts: adjacent pairs            all neighbours whose segments are both known
    V of CClus: all pairs                 `SAMPLED_PAIRS` pairs of leaves, drawn from each page
    lambda from a validation set          `WeightedMethod.fit`, cross-validation over all training pages

Departures:
  - Pages count equally, whatever their size.
  - The weights of V are strongly regularised: the pairs of a page are not independent examples.
  - Lambda is chosen by cross-validation over all training pages, in steps from a default while the score
    rises: on few pages the best of many values is a matter of chance. For the paper's protocol, learn the
    weights on some pages and fit a method with these weights on others:
    ``GCuts(weights=fit_weights(training)).fit(validation)``.
Unclear: the scale of D, to which the costs of invisible nodes are relative. Here the mean distance of a node
of the training pages from its parent is 1.

**Metric learning** (`learn_metric`). Points of one segment come closer together than points of other segments
of the same page. Source: Weinberger, Blitzer, Saul, Distance metric learning for large margin nearest
neighbor classification, NIPS 2005 ([19] in the paper).

    paper                   here         shape, unit
    x_i, y_i                x, segment   (n, d), (n,)
    L                       transform    (d, d); the distance of x and y is |L (x - y)|
    eta_ij = 1, targets     near         (t, 2) points i, j of one segment
    y_il = 0, impostors     far          (m, 2) points i, l of different segments
    weight of the hinge     mu           mu / (1 - mu) is the paper's c

    loss(L) = (1 - mu) sum_near |L (x_i - x_j)|^2
                + mu sum_near sum_far of i [1 + |L (x_i - x_j)|^2 - |L (x_i - x_l)|^2]_+
    gradient = 2 L G
    G = (1 - mu) sum_near d_ij d_ij' + mu (sum_near n_ij d_ij d_ij' - sum_far n_il d_il d_il')

with d_ij = x_i - x_j and n the number of active triplets of a pair: two products of matrices per step.

Departures:
  - Only points of the same page are compared: pairs across pages contain no information about segments.
  - L is found by L-BFGS from the identity instead of L'L by semidefinite programming. The loss is not convex
    in L, but problems of any size are fast. L may be diagonal.
  - Only the nearest points of other segments count; they are recomputed after every 10 steps.

Cost: per 10 steps a sort of all distances within each page, with 16 p^2 bytes for a page of p points; per
step (t + m) d^2.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.base.errors import ParameterError, require
from webgrain.base.estimator import real
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike
from webgrain.page.segmentation import Segmentation, renumbered
from webgrain.papers import thresholds
from webgrain.papers.features.nodes import NODE_FEATURES, TREE_NODE_FEATURES, node_features
from webgrain.papers.features.pairs import PAIR_FEATURES, TREE_PAIR_FEATURES, PairFeatures, adjacent_leaves
from webgrain.papers.features.treenodes import nodes_of
from webgrain.papers.weights import (
    NAMES,
    UNIFORM,
    Emphasis,
    Logistic,
    Term,
    Weights,
    columns_of,
    find_weights,
    weights_from_dict,
    weights_to_dict,
)
from webgrain.segmentation.features import Feature
from webgrain.segmentation.method import (
    TRAINED,
    Labels,
    SegmentationMethod,
    check_labels,
    check_views,
    mean_ari,
    training_pages,
)

Integers = NDArray[np.intp]


class Cut(NamedTuple):
    """Labels (n,) of the nodes of a page, -1 for none, their energy and a lower bound of the energy."""

    labels: Int32
    energy: float
    lower_bound: float | None = None


@dataclass(kw_only=True, eq=False, repr=False)
class WeightedMethod(SegmentationMethod):
    """Base of the methods whose costs are computed from weights.

    Attributes:
        lam: lambda, >= 0; None: the value stored with the weights.
        weights: `Weights`, or the name of shipped weights: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: factors of the learnt weights of these groups of features, >= 0.
        weights_: what `fit` has learnt.

    """

    lam: float | None = real(None, low=0.0)
    weights: Weights | str = TRAINED
    visual: float = real(1.0, low=0.0)
    content: float = real(1.0, low=0.0)
    structure: float = real(1.0, low=0.0)
    weights_: Weights | None = field(default=None, init=False, repr=False)

    learnt = "weights"
    default_lam: ClassVar[float]
    """Lambda, if neither given nor in the weights."""
    lams: ClassVar[tuple[float, ...]]
    """Values of lambda that `fit` tries."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.weights, Weights) and self.weights not in NAMES:
            names = ", ".join(map(repr, NAMES))
            raise ParameterError(f"weights must be a Weights or one of {names}, got {self.weights!r}.")

    def fit(self, pages: Iterable[PageLike], labels: Sequence[Labels]) -> Self:
        """Learn the weights and lambda from pages and their true segments.

        labels: an array (n,) per page, the true segment of each node, -1 if unknown. Weights other than
        ``trained`` are kept, and so is ``lam`` unless it is None. Lambda is chosen by the mean ARI on pages
        that the weights were not learnt from.
        """
        parsed = training_pages(pages, labels)
        if self.weights == TRAINED:
            samples = samples_of(parsed, labels)
            learnt, used = weights_from(samples), _held_out(samples)
        else:
            learnt = self.weights if isinstance(self.weights, Weights) else UNIFORM
            used = [learnt] * len(parsed)
        lam = self.lam
        if lam is None:
            lam = self._choose([self.prepare(*both) for both in zip(parsed, used, strict=True)], labels)
        self.weights_ = replace(learnt, parameters={**learnt.parameters, self.method: {"lam": lam}})
        return self

    def lam_for(self, weights: Weights) -> float:
        """Return lambda: as given, as in the weights, or the default."""
        stored = weights.parameters.get(self.method, {}).get("lam", self.default_lam)
        return stored if self.lam is None else self.lam

    def weights_for(self, page: Page) -> Weights:
        """Return the weights that `predict` uses for ``page``."""
        return self.weights_ or find_weights(self.weights, page)

    def prepare(self, page: Page, weights: Weights) -> Any:
        """Return the part of the costs of a page that does not depend on parameters."""
        raise NotImplementedError

    def cut(self, costs: Any, lam: float) -> Cut:
        """Return the segments of a page from its costs and lambda."""
        raise NotImplementedError

    def _segment(self, page: Page) -> Segmentation:
        weights = self.weights_for(page)
        lam = self.lam_for(weights)
        labels, energy, lower_bound = self.cut(self.prepare(page, weights), lam)
        params = self.describe() | {"lam": lam, "weights": weights.name}
        return Segmentation(renumbered(labels), self.method, params, energy=energy, lower_bound=lower_bound)

    def _choose(self, costs: Sequence[Any], truths: Sequence[Labels]) -> float:
        """Return lambda: from the default in steps up, or down, while the mean ARI rises."""

        def score(lam: float) -> float:
            return mean_ari([self.cut(page, lam).labels for page in costs], truths)

        chosen, best = self.default_lam, score(self.default_lam)
        above = [lam for lam in self.lams if lam > self.default_lam]
        below = [lam for lam in self.lams[::-1] if lam < self.default_lam]
        for steps in (above, below):
            for lam in steps:
                if (value := score(lam)) <= best:
                    break
                chosen, best = lam, value
        return chosen

    def _emphasis(self) -> Emphasis:
        return Emphasis(self.visual, self.content, self.structure)

    @staticmethod
    def to_values(learnt: Any) -> dict[str, Any]:
        """Return weights as plain values."""
        return weights_to_dict(learnt)

    @staticmethod
    def from_values(values: Mapping[str, Any]) -> Weights:
        """Return weights from plain values."""
        return weights_from_dict(values)


class Sample(NamedTuple):
    """The training data of one page.

    nodes (k, f), segment (k,): of its nodes that are in one segment; steps (s, f): differences of nodes and
    their parents; adjacent, pairs: features (m, g) and whether both leaves are in one segment (m,).
    """

    nodes: Float64
    segment: Labels
    steps: Float64
    adjacent: tuple[Float64, Bool]
    pairs: tuple[Float64, Bool]


def fit_weights(
    pages: Sequence[Page], truths: Sequence[Labels], *, name: str = "learnt", random_state: int = 0
) -> Weights:
    """Return weights learnt from pages and their true segments; deterministic.

    pages: rendered in the same way as the pages to segment; truths: an array (n,) per page, the segment of
    each leaf, -1 if unknown; random_state: seed of the sampling.

    If there is nothing to learn from, for example because all leaves are in one segment, all node features
    have the same weight and the probability of a pair is the share of pairs. Raises `ParameterError` without
    pages or for wrong labels, and `MissingExtraError` without scikit-learn and SciPy.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li>One<li>Two<li>Three</ul><p>Four<p>Five<p>Six"))
    >>> truth = np.where(page.dom.is_text, np.arange(len(page.dom)) > 9, -1)
    >>> weights = fit_weights([page], [truth])
    >>> weights.pairs.terms["path"].weight > 0  # leaves under the same tags are in one segment
    True
    """
    return weights_from(samples_of(pages, truths, random_state), name)


def samples_of(pages: Sequence[Page], truths: Sequence[Labels], random_state: int = 0) -> list[Sample]:
    """Return the training data of each page; parameters as for `fit_weights`."""
    check_labels(pages, truths)
    check_views(pages)
    return [
        _sample(page, truth, np.random.default_rng((random_state, k)))
        for k, (page, truth) in enumerate(zip(pages, truths, strict=True))
    ]


def weights_from(samples: Sequence[Sample], name: str = "learnt") -> Weights:
    """Return the weights learnt from samples of pages."""
    node, metric = _fit_nodes(samples)
    adjacent = fit_pairs([page.adjacent for page in samples])
    pairs = fit_pairs([page.pairs for page in samples])
    return Weights(name, node, adjacent, pairs, metric=metric)


def _held_out(samples: Sequence[Sample]) -> list[Weights]:
    """Return weights for each page, learnt from other pages, or from the page itself if it is the only one.

    Consecutive pages are held out together because they are often of one site.
    """
    fold = np.arange(len(samples)) * min(thresholds.LEARNING_FOLDS, len(samples)) // len(samples)
    learnt = []
    for k in range(fold[-1] + 1):
        others = [sample for sample, part in zip(samples, fold, strict=True) if part != k]
        learnt.append(weights_from(others or samples))
    return [learnt[k] for k in fold]


def node_segments(tree: Outline, leaf_labels: Labels) -> Labels:
    """Return the segment (k,) of each node of ``tree`` if all its leaves are in that segment, otherwise -1.

    leaf_labels (l,): of the leaves in order.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> tree = visible_tree(parse(Source("a", b"<div><p>1<p>2</div><p>3")))
    >>> node_segments(tree, np.array([7, 7, 8])).tolist()  # html body div p 1 p 2 p 3
    [-1, -1, 7, 7, 7, 7, 7, 8, 8]
    """
    first, last = tree.low, tree.high - 1
    changes = np.append(0, np.cumsum(leaf_labels[1:] != leaf_labels[:-1]))
    return np.where(changes[first] == changes[last], leaf_labels[first], -1)


def _sample(page: Page, truth: Labels, rng: np.random.Generator) -> Sample:
    tree = visible_tree(page)
    if not len(tree):
        n_nodes, n_pairs = len(TREE_NODE_FEATURES), len(TREE_PAIR_FEATURES)
        if page.view is not None:
            n_nodes, n_pairs = len(NODE_FEATURES), len(PAIR_FEATURES)
        empty = (np.zeros((0, n_pairs)), np.zeros(0, bool))
        no_nodes = np.zeros((0, n_nodes))
        return Sample(no_nodes, np.zeros(0, np.intp), no_nodes, empty, empty)
    label, nodes = np.asarray(truth)[tree.leaf_node], nodes_of(page)
    x, segment, pair_features = node_features(nodes), node_segments(tree, label), PairFeatures(nodes)
    sampled, known = np.flatnonzero(segment >= 0), np.flatnonzero(label >= 0)
    if len(sampled) > thresholds.SAMPLED_NODES:
        sampled = np.sort(rng.choice(sampled, thresholds.SAMPLED_NODES, replace=False))
    adjacent = adjacent_leaves(page, tree)
    adjacent = adjacent[(label[adjacent] >= 0).all(axis=1)]
    drawn = adjacent
    if len(known) > 1:
        drawn = np.sort(known[rng.integers(len(known), size=(thresholds.SAMPLED_PAIRS, 2))], axis=1)
    drawn = drawn[drawn[:, 0] < drawn[:, 1]]
    adjacent_pairs, any_pairs = (
        (pair_features(*pairs.T), label[pairs[:, 0]] == label[pairs[:, 1]]) for pairs in (adjacent, drawn)
    )
    return Sample(x[sampled], segment[sampled], x[1:] - x[tree.parent[1:]], adjacent_pairs, any_pairs)


def _fit_nodes(samples: Sequence[Sample]) -> tuple[dict[str, Term], dict[str, tuple[float, ...]]]:
    """Return the terms of D, the squares of a diagonal metric of standardised features, and a full matrix."""
    x = np.concatenate([sample.nodes for sample in samples])
    segment = np.concatenate([sample.segment for sample in samples])
    page = np.repeat(np.arange(len(samples)), [len(sample.nodes) for sample in samples])
    mean, deviation, varies = _mean_deviation(x)
    spread = 2.0 / np.sqrt(x.shape[1]) * varies / deviation  # distances of points are about the margin, 1
    steps = np.concatenate([sample.steps for sample in samples])

    def learnt(*, diagonal: bool) -> Float64:
        matrix = learn_metric(x * spread, segment, page, diagonal=diagonal) * spread
        typical = float(np.linalg.norm(steps @ matrix.T, axis=1).mean()) if len(steps) else 0.0
        scaled: Float64 = matrix / (typical or 1.0)
        return scaled

    features = columns_of(x, NODE_FEATURES)
    terms = _terms(features, (np.diag(learnt(diagonal=True)) * deviation) ** 2, mean, deviation)
    columns = [tuple(map(_rounded, column)) for column in learnt(diagonal=False).T.tolist()]
    return terms, {feature.name: column for feature, column in zip(features, columns, strict=True)}


def fit_pairs(samples: Sequence[tuple[Float64, Bool]]) -> Logistic:
    """Return the model of pairs from features (m, g) and the truth (m,), a pair of arrays for each page.

    If all pairs are in one class, or all features are constant, the probability is the share of pairs, with
    one pair of each class added.

    >>> x = np.zeros((4, len(PAIR_FEATURES)))
    >>> fit_pairs([(x, np.ones(4, bool))]).bias > 0
    True
    """
    x = np.concatenate([features for features, _ in samples])
    same = np.concatenate([together for _, together in samples])
    counts = np.array([len(together) for _, together in samples])
    page_weight = np.repeat(1.0 / np.maximum(counts, 1), counts)
    mean, deviation, varies = _mean_deviation(x)
    if len(np.unique(same)) < 2 or not varies.any():
        share = [page_weight[same == value].sum() + 1.0 for value in (True, False)]
        return Logistic({}, bias=_rounded(np.log(share[0] / share[1])))
    linear = require("sklearn.linear_model", "learn", "learning weights")
    model = linear.LogisticRegression(C=thresholds.PAIR_REGULARITY, max_iter=1000, solver="newton-cholesky")
    model.fit((x - mean) / deviation, same, sample_weight=page_weight)
    terms = _terms(columns_of(x, PAIR_FEATURES), model.coef_[0] * varies, mean, deviation)
    return Logistic(terms, bias=_rounded(model.intercept_[0]))


def _mean_deviation(x: Float64) -> tuple[Float64, Float64, Bool]:
    """Return mean and standard deviation of each column, 1 for constant columns, and which columns vary."""
    if not len(x):
        return np.zeros(x.shape[1]), np.ones(x.shape[1]), np.zeros(x.shape[1], bool)
    deviation = x.std(axis=0)
    varies = deviation > 1e-9
    return x.mean(axis=0), np.where(varies, deviation, 1.0), varies


def _terms(features: tuple[Feature, ...], *columns: Float64) -> dict[str, Term]:
    rows = np.stack(columns, axis=1).tolist()
    return {feature.name: Term(*map(_rounded, row)) for feature, row in zip(features, rows, strict=True)}


def _rounded(value: float) -> float:
    """Return six digits: files are short, and the same on every machine."""
    return float(f"{value + 0.0:.6g}")


def learn_metric(
    x: Float64,
    segment: NDArray[np.integer],
    page: NDArray[np.integer],
    *,
    diagonal: bool = False,
    mu: float = 0.5,
    n_targets: int = 3,
    n_impostors: int = 10,
    max_rounds: int = 5,
) -> Float64:
    """Return L (d, d) such that points of one segment are close together in ``x @ L.T``; deterministic.

    x (n, d): features of comparable spread, small compared to the margin of 1, such as standardised features
    divided by sqrt(d); segment (n,): id within the page, negative for points to ignore; page (n,): id.
    diagonal: L is diagonal, >= 0; n_targets, n_impostors: the number of neighbours of a point that count;
    max_rounds: of `METRIC_STEPS` steps each. Returns the identity if no page has two segments, one of them
    with two points. Raises `MissingExtraError` without SciPy.

    >>> x = np.array([[0.0, 0], [0, 2], [1, 0], [1, 2]])  # the second feature is noise
    >>> L = learn_metric(x, np.array([0, 0, 1, 1]), np.zeros(4, int), diagonal=True)
    >>> bool(L[0, 0] > 10 * L[1, 1])
    True
    """
    known = segment >= 0
    x, segment, page = x[known], segment[known], page[known]
    transform = np.ones(x.shape[1]) if diagonal else np.eye(x.shape[1])
    targets = neighbours(x, segment, page, n_targets, same=True)
    best, least = transform, np.inf
    for k in range(max_rounds + 1):
        moved = x * transform if diagonal else x @ transform.T
        triplets = _triplets(x, targets, neighbours(moved, segment, page, n_impostors, same=False))
        if not len(triplets.of_near):
            break
        value = triplets.loss(transform, mu)[0]
        if value < least:
            best, least = transform, value
        if k < max_rounds:
            transform = _descend(triplets, transform, mu)
    return np.diag(np.abs(best)) if diagonal else best


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Pairs of points to bring closer, pairs to separate, and the triplets of pairs with a common point i.

    Attributes:
        near, far: (t, d), (m, d) differences of the pairs.
        of_near, of_far: (s,) places among these, one triplet each.
    """

    near: Float64
    far: Float64
    of_near: Integers
    of_far: Integers

    def loss(self, transform: Float64, mu: float) -> tuple[float, Float64]:
        """Return the loss at L, and its gradient. transform: (d, d), or (d,) for a diagonal matrix.

        >>> triplets = Triplets(np.array([[1.0]]), np.array([[1.0]]), np.array([0]), np.array([0]))
        >>> triplets.loss(np.array([2.0]), mu=0.5)  # 4 / 2 + (1 + 4 - 4) / 2
        (2.5, array([2.]))
        """
        near, far = _square_length(self.near, transform), _square_length(self.far, transform)
        hinge = 1.0 + near[self.of_near] - far[self.of_far]
        active = hinge > 0
        pull = 1.0 - mu + mu * np.bincount(self.of_near[active], minlength=len(near))
        push = mu * np.bincount(self.of_far[active], minlength=len(far))
        value = (1.0 - mu) * float(near.sum()) + mu * float(hinge[active].sum())
        if transform.ndim == 1:
            return value, 2.0 * transform * (pull @ self.near**2 - push @ self.far**2)
        gram = self.near.T @ (pull[:, None] * self.near) - self.far.T @ (push[:, None] * self.far)
        return value, 2.0 * transform @ gram


def neighbours(
    x: Float64, segment: NDArray[np.integer], page: NDArray[np.integer], k: int, *, same: bool
) -> Integers:
    """Return pairs (m, 2) of each point and its k nearest neighbours, sorted by point, then by distance.

    same: whether the neighbours are in the point's own segment or in another one of its page. Of points at
    equal distance, the first count.

    >>> x, segment = np.array([[0.0], [1.0], [3.0]]), np.array([0, 0, 1])
    >>> neighbours(x, segment, np.zeros(3, int), 1, same=True).tolist()
    [[0, 1], [1, 0]]
    >>> neighbours(x, segment, np.zeros(3, int), 1, same=False).tolist()
    [[0, 2], [1, 2], [2, 1]]
    """
    pairs = [np.empty((0, 2), np.intp)]
    for name in np.unique(page):
        rows = np.flatnonzero(page == name)
        z = x[rows]
        square = (z * z).sum(axis=1)
        apart = square[:, None] + square - 2.0 * z @ z.T
        allowed = (segment[rows][:, None] == segment[rows]) == same
        np.fill_diagonal(allowed, val=False)
        order = np.where(allowed, apart, np.inf).argsort(axis=1, kind="stable")[:, :k]
        place, column = np.nonzero(np.take_along_axis(allowed, order, axis=1))
        pairs.append(np.stack([rows[place], rows[order[place, column]]], axis=1))
    every = np.concatenate(pairs)
    return every[every[:, 0].argsort(kind="stable")]


def _triplets(x: Float64, near: Integers, far: Integers) -> Triplets:
    """Join the pairs by their first point; both are sorted by it."""
    first, last = (far[:, 0].searchsorted(near[:, 0], side) for side in ("left", "right"))
    count = last - first
    of_near = np.repeat(np.arange(len(near)), count)
    within = np.arange(len(of_near)) - np.repeat(count.cumsum() - count, count)
    return Triplets(
        x[near[:, 0]] - x[near[:, 1]], x[far[:, 0]] - x[far[:, 1]], of_near, first[of_near] + within
    )


def _square_length(difference: Float64, transform: Float64) -> Float64:
    moved = difference * transform if transform.ndim == 1 else difference @ transform.T
    length: Float64 = np.einsum("ij,ij->i", moved, moved)
    return length


def _descend(triplets: Triplets, transform: Float64, mu: float) -> Float64:
    def function(flat: Float64) -> tuple[float, Float64]:
        value, gradient = triplets.loss(flat.reshape(transform.shape), mu)
        return value, gradient.ravel()

    minimize = require("scipy.optimize", "learn", "metric learning").minimize
    options = {"maxiter": thresholds.METRIC_STEPS}
    result: Float64 = minimize(function, transform.ravel(), jac=True, method="L-BFGS-B", options=options).x
    return result.reshape(transform.shape)
