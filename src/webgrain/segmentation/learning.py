"""A metric under which points of one segment lie closer together than points of others of the same page.

Source: Weinberger, Blitzer, Saul, Distance metric learning for large margin nearest neighbor classification,
NIPS 2005: [19] in Chakrabarti, Kumar, Punera, WWW 2008, section 4.3, which learns its D so.

    paper                   here         shape, unit
    x_i, y_i                x, segment   (n, d), (n,)
    L                       transform    (d, d); distance of x and y = |L (x - y)|
    eta_ij = 1, targets     near         (t, 2) points i, j of one segment
    y_il = 0, impostors     far          (m, 2) points i, l of different segments
    weight of the hinge     mu           mu / (1 - mu) is the paper's c

    loss(L) = (1 - mu) sum_near |L (x_i - x_j)|^2
                + mu sum_near sum_far of i [1 + |L (x_i - x_j)|^2 - |L (x_i - x_l)|^2]_+
    gradient = 2 L G
    G = (1 - mu) sum_near d_ij d_ij' + mu (sum_near n_ij d_ij d_ij' - sum_far n_il d_il d_il')

with d_ij = x_i - x_j and n the number of active triplets that a pair is in: two products of matrices a step.

Departures:
  - Only points of the same page are compared: pairs across pages say nothing about segments.
  - L is found by L-BFGS from the identity instead of L'L by semidefinite programming; with L the loss is not
    convex, in return any size is quick. L may be diagonal.
  - Only the nearest points of other segments count, found anew after every 10 steps.

Cost: a sort of all distances within each page per 10 steps, memory 16 p^2 bytes for a page of p points; per
step (t + m) d^2.

Weights learnt from labelled pages: the metric of D by large margins, V by logistic regression.

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

Parameters of a method chosen on labelled pages.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Learning lambda values from validation set": the value of best accuracy (here the mean adjusted Rand index).

Departure: several parameters are chosen, in steps from a usual value as long as they pay. That may end at
values which are not the best of all; but the best of many values on few pages is chance anyway.

What GCuts and CClus share: costs from weights, parameters that go with them, and how both are learnt.

    page, weights --prepare--> costs
    costs, parameters --cut--> labels

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

Departure: the parameters are chosen by cross-validation over all training pages: on the few pages of one
validation set it is chance which value comes out first. For the paper's protocol, learn the weights on some
pages and fit a method that has them on others: ``GCuts(weights=fit_weights(training)).fit(validation)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32
from webgrain.errors import ParameterError, require
from webgrain.estimator import Estimator, check_number
from webgrain.metrics import ari
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.results import Segmentation, canonical
from webgrain.segmentation.costs import NAMES, TRAINED, Emphasis, Logistic, Term, Weights, find_weights
from webgrain.segmentation.features.nodes import NODE_FEATURES, Feature, Traits, leaves_before, node_features
from webgrain.segmentation.features.pairs import PAIR_FEATURES, PairFeatures, adjacent_leaves

Integers = NDArray[np.intp]

Labels = NDArray[np.integer]


STEPS = 10
"""Steps of L-BFGS between two searches for impostors."""


@dataclass(frozen=True, slots=True, eq=False)
class Triplets:
    """Pairs of points that are to be near, pairs that are to be far, and which of them share their point i.

    Attributes:
        near, far: (t, d), (m, d) differences of the pairs.
        of_near, of_far: (s,) places among these, a triplet each.
    """

    near: Float64
    far: Float64
    of_near: Integers
    of_far: Integers

    def loss(self, transform: Float64, mu: float) -> tuple[float, Float64]:
        """Return the loss at L, and its gradient. transform: (d, d), or (d,) the diagonal of one.

        >>> one = Triplets(np.array([[1.0]]), np.array([[1.0]]), np.array([0]), np.array([0]))
        >>> one.loss(np.array([2.0]), mu=0.5)  # 4 / 2 + (1 + 4 - 4) / 2
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
    """Return L (d, d), by which ``x @ L.T`` has points of one segment together; the same for the same input.

    x (n, d): features of comparable spread, small against the margin of 1 together: standardised and divided
    by sqrt(d), say; segment (n,): id within the page, negative where a point is in none: it is left out;
    page (n,): id. diagonal: weigh features only, L >= 0; n_targets, n_impostors: neighbours of a point that
    count; max_rounds: of `STEPS` steps each. Without two segments on some page, one of them of two points,
    there is nothing to learn: the identity. `ParameterError` for arrays or parameters that are none of this;
    `MissingExtraError` without SciPy.

    >>> x = np.array([[0.0, 0], [0, 2], [1, 0], [1, 2]])  # the second feature says nothing
    >>> L = learn_metric(x, np.array([0, 0, 1, 1]), np.zeros(4, int), diagonal=True)
    >>> bool(L[0, 0] > 10 * L[1, 1])
    True
    """
    x = _checked(x, segment, page, mu, (n_targets, n_impostors, max_rounds))
    segment, page = np.asarray(segment), np.asarray(page)
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


def neighbours(
    x: Float64, segment: NDArray[np.integer], page: NDArray[np.integer], k: int, *, same: bool
) -> Integers:
    """Return pairs (m, 2) of each point and its k nearest, sorted by the first, the nearest first.

    same: whether they are of the point's own segment or of another one; of its page in any case. Of points
    equally near, the first count.

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
    found = np.concatenate(pairs)
    return found[found[:, 0].argsort(kind="stable")]


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
    found = minimize(function, transform.ravel(), jac=True, method="L-BFGS-B", options={"maxiter": STEPS})
    result: Float64 = found.x.reshape(transform.shape)
    return result


def _checked(
    x: Float64,
    segment: NDArray[np.integer],
    page: NDArray[np.integer],
    mu: float,
    counts: tuple[int, int, int],
) -> Float64:
    x = np.asarray(x, np.float64)
    if x.ndim != 2 or np.shape(segment) != (len(x),) or np.shape(page) != (len(x),):
        shapes = ", ".join(str(np.shape(array)) for array in (x, segment, page))
        raise ParameterError(f"learn_metric expects x (n, d), segment (n,) and page (n,), got {shapes}.")
    if not np.isfinite(x).all():
        raise ParameterError("learn_metric expects finite features, got some that are not.")
    if not 0.0 < mu < 1.0:
        raise ParameterError(f"learn_metric: mu must be between 0 and 1, got {mu!r}.")
    if min(counts) < 1:
        raise ParameterError(
            f"learn_metric: n_targets, n_impostors and max_rounds must be at least 1, got {counts}."
        )
    return x


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

    nodes: Float64
    segment: Labels
    steps: Float64
    adjacent: tuple[Float64, Bool]
    pairs: tuple[Float64, Bool]


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

    >>> from webgrain.page.parsing import parse
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

    >>> from webgrain.page.parsing import parse
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


def fit_pairs(samples: Sequence[tuple[Float64, Bool]]) -> Logistic:
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


def _statistics(x: Float64) -> tuple[Float64, Float64, Bool]:
    """Return mean and deviation of each column, 1 where all are the same, and where they are not."""
    if not len(x):
        return np.zeros(x.shape[1]), np.ones(x.shape[1]), np.zeros(x.shape[1], bool)
    deviation = x.std(axis=0)
    varies = deviation > 1e-9
    return x.mean(axis=0), np.where(varies, deviation, 1.0), varies


def _terms(features: tuple[Feature, ...], *columns: Float64) -> dict[str, Term]:
    rows = np.stack(columns, axis=1).tolist()
    return {feature.name: Term(*map(_rounded, row)) for feature, row in zip(features, rows, strict=True)}


def _rounded(value: float) -> float:
    """Six digits: files are short and the same on every machine."""
    return float(f"{value + 0.0:.6g}")


def choose(
    score: Callable[[Mapping[str, float]], float],
    grids: Mapping[str, Sequence[float]],
    start: Mapping[str, float],
    max_rounds: int = 2,
) -> dict[str, float]:
    """Return the parameters that no step to a neighbouring value improves, or where ``max_rounds`` end.

    score: of values by name; grids: values of each, ascending; start: a value for each name. In a round each
    parameter in turn walks its grid up or down as long as that is better; each combination is scored once.

    >>> choose(lambda at: -abs(at["x"] - 3) - abs(at["y"]), {"x": [1, 2, 4], "y": [0, 1]}, {"x": 1, "y": 1})
    {'x': 2, 'y': 0}
    """
    scores: dict[tuple[float, ...], float] = {}

    def of(values: Mapping[str, float]) -> float:
        key = tuple(values.values())
        if key not in scores:
            scores[key] = score(values)
        return scores[key]

    best = dict(start)
    for _ in range(max_rounds):
        before = best
        for name, grid in grids.items():
            above = [best | {name: value} for value in grid if value > best[name]]
            below = [best | {name: value} for value in reversed(grid) if value < best[name]]
            for steps in (above, below):
                for step in steps:
                    if of(step) <= of(best):
                        break
                    best = step
        if best == before:
            break
    return best


def mean_ari(labels: Sequence[Labels], truths: Sequence[Labels]) -> float:
    """Return the mean ARI over pages, on nodes whose segment is known; one without a label is alone.

    labels, truths: arrays (n,) over the nodes of each page, -1 for none.

    >>> mean_ari([np.array([-1, 0, 0, 1])], [np.array([-1, 5, 5, 7])])
    1.0
    """
    values = []
    for found, truth in zip(labels, truths, strict=True):
        known = np.asarray(truth) >= 0
        alone = found.max(initial=-1) + 1 + np.arange(len(found))
        values.append(ari(np.asarray(truth)[known], np.where(found >= 0, found, alone)[known]))
    return float(np.mean(values))


FOLDS = 4
"""Parts of the training pages of which each is segmented by what was learnt from the others."""


class Cut(NamedTuple):
    """Labels (n,) over the nodes of a page, -1 for none, their energy and a lower bound of it."""

    labels: Int32
    energy: float
    lower_bound: float | None = None


@dataclass(kw_only=True, eq=False)
class Weighted(Estimator):
    """Base of the methods whose costs come from weights.

    Attributes:
        weights: `Weights` or the name of some: ``trained``, or ``uniform`` (the paper's NL).
        visual, content, structure: what these views of a page weigh beside what was learnt, >= 0.
        weights_: what `fit` has learnt.

    """

    weights: Weights | str = TRAINED
    visual: float = 1.0
    content: float = 1.0
    structure: float = 1.0
    weights_: Weights | None = field(default=None, init=False, repr=False)

    method: ClassVar[str]
    """Name of the method."""
    usual: ClassVar[Mapping[str, float]]
    """Parameters that go with weights, and their values where the weights do not tell them."""
    grids: ClassVar[Mapping[str, tuple[float, ...]]]
    """Values of these that `fit` tries."""

    def __post_init__(self) -> None:
        for view in Emphasis._fields:
            check_number(self, view, low=0.0)
        if not isinstance(self.weights, Weights) and self.weights not in NAMES:
            names = ", ".join(map(repr, NAMES))
            raise ParameterError(f"weights must be a Weights or one of {names}, got {self.weights!r}.")

    def fit(self, pages: Sequence[Page], truths: Sequence[Labels]) -> Self:
        """Learn from pages and their true segments, as `fit_weights` takes them.

        Learnt are the weights, unless some other than ``trained`` were given, and those of the parameters
        that were not given: the values of best mean ARI, on pages that the weights were not learnt from.
        """
        samples = samples_of(pages, truths)
        if self.weights == TRAINED:
            learnt, used = weights_from(samples), _held_out(samples)
        else:
            used = [find_weights(self.weights, page) for page in pages]
            learnt = used[0]
        chosen = self._choose([self.prepare(*it) for it in zip(pages, used, strict=True)], truths, learnt)
        self.weights_ = replace(learnt, parameters={**learnt.parameters, self.method: chosen})
        return self

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of ``page``: an id per node, -1 for the invisible ones."""
        weights = self._weights_for(page)
        values = self.values(weights)
        cut = self.cut(self.prepare(page, weights), values)
        told = self.describe() | values | {"weights": weights.name}
        return Segmentation(
            canonical(cut.labels), self.method, told, energy=cut.energy, lower_bound=cut.lower_bound
        )

    def values(self, weights: Weights) -> dict[str, float]:
        """Return the parameters that go with weights: as given, as the weights tell, or as usual."""
        told = {**self.usual, **weights.parameters.get(self.method, {})}
        given = {name: getattr(self, name) for name in self.usual}
        return {name: told[name] if value is None else value for name, value in given.items()}

    def prepare(self, page: Page, weights: Weights) -> Any:
        """Return the costs of a page, as far as no parameter counts in them."""
        raise NotImplementedError

    def cut(self, costs: Any, values: Mapping[str, float]) -> Cut:
        """Return the segments of a page from its costs and the values of the parameters."""
        raise NotImplementedError

    def _choose(self, costs: Sequence[Any], truths: Sequence[Labels], weights: Weights) -> dict[str, float]:
        open_ones = {name: grid for name, grid in self.grids.items() if getattr(self, name) is None}

        def score(values: Mapping[str, float]) -> float:
            return mean_ari([self.cut(one, values).labels for one in costs], truths)

        return choose(score, open_ones, self.values(weights))

    def _weights_for(self, page: Page) -> Weights:
        return self.weights_ or find_weights(self.weights, page)

    def _emphasis(self) -> Emphasis:
        return Emphasis(self.visual, self.content, self.structure)


def _held_out(samples: Sequence[Sample]) -> list[Weights]:
    """Return weights for each page that were learnt from others, of a page alone from itself.

    Pages that follow each other are held out together: often they are of one site.
    """
    fold = np.arange(len(samples)) * min(FOLDS, len(samples)) // len(samples)
    others = [[sample for sample, own in zip(samples, fold, strict=True) if own != k] for k in range(FOLDS)]
    learnt = [weights_from(rest or samples) for rest in others[: fold[-1] + 1]]
    return [learnt[k] for k in fold]
