"""Weights of the costs D and V of GCuts and CClus, the probability V, and the files of weights.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

    paper                         here              shape, unit
    Mahalanobis metric of D       Weights.node      weight of each node feature, the diagonal of the metric
                                  Weights.metric    or the whole metric: a vector for each node feature
    weights of V in GCuts         Weights.adjacent  weight of each pair feature and a bias, for neighbours
    weights of V in CClus         Weights.pairs     the same, for any two leaves
    V_pq                          probability       (m,) probability that p and q are in one segment, 0..1

Weights apply to standardised features: each is stored with the mean and the standard deviation of the feature
on the training pages, so its size shows the influence of the feature. `webgrain.papers.weightlearning` learns
them. A file of weights is readable JSON:

    {"format": "webgrain weights", "version": 3, "name": "mine",
     "node": {"y": {"weight": 4.0, "mean": 0.4, "deviation": 0.3}},
     "adjacent": {"terms": {"gap_y": {"weight": -0.5, "mean": 2.0, "deviation": 1.5}}, "bias": 1.0},
     "pairs": {"terms": {}, "bias": 0.0}, "parameters": {"gcuts": {"lam": 4.0}}, "metric": {}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cache
from pathlib import Path
from typing import Any, Literal, NamedTuple

import numpy as np

from webgrain.base.arrays import Float64
from webgrain.base.errors import ParameterError
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.page.page import Page
from webgrain.papers.features.nodes import NODE_FEATURES
from webgrain.papers.features.pairs import PAIR_FEATURES
from webgrain.segmentation.features import Feature, without_boxes
from webgrain.segmentation.method import TRAINED, rendering

FORMAT = "webgrain weights"
VERSION = 3

Metric = Literal["diagonal", "mahalanobis"]
"""The metric of D: a weight for each feature, or a matrix."""


class Term(NamedTuple):
    """The weight of one feature, per standard deviation above the mean."""

    weight: float
    mean: float = 0.0
    deviation: float = 1.0


class Emphasis(NamedTuple):
    """Factors of the learnt weights of the features of each view: 1 as learnt, 0 without the view."""

    visual: float = 1.0
    content: float = 1.0
    structure: float = 1.0


AS_LEARNT = Emphasis()

Terms = Mapping[str, Term]
"""Terms by name of the feature; missing features have no weight."""


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model of pairs: probability = 1 / (1 + exp(-bias - sum of the terms)).

    >>> Logistic({"gap_y": Term(-0.5, mean=2.0, deviation=1.5)}, bias=1.0).terms["gap_y"].weight
    -0.5
    """

    terms: Terms
    bias: float = 0.0

    def __post_init__(self) -> None:
        _check_terms("Logistic", self.terms, PAIR_FEATURES)
        if not np.isfinite(self.bias):
            raise ParameterError(f"Logistic: expected a finite bias, got {self.bias}.")


@dataclass(frozen=True, slots=True)
class Weights:
    """The weights that turn features into costs.

    name: stored in records; node: terms of D, of weight >= 0; adjacent, pairs: the models of V for neighbours
    (GCuts) and for any two leaves (CClus); parameters: values that belong to these weights, by name of the
    method and of its parameter; metric: empty, or the matrix of D by name of the feature: D is the length of
    the sum of these vectors, each times the difference of the feature. `CertifiedGCuts` uses ``node`` only.

    >>> weights = Weights("mine", {"y": Term(4.0)}, adjacent=Logistic({}), pairs=Logistic({}, bias=-1.0))
    >>> weights.node["y"].deviation
    1.0
    """

    name: str
    node: Terms
    adjacent: Logistic
    pairs: Logistic
    parameters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    metric: Mapping[str, tuple[float, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_terms("Weights", self.node, NODE_FEATURES)
        _check_names("Weights", self.metric, NODE_FEATURES)
        lengths = {len(column) for column in self.metric.values()}
        if len(lengths) > 1 or not all(np.isfinite(column).all() for column in self.metric.values()):
            raise ParameterError("Weights: expected finite vectors of one length in the metric.")
        if min((term.weight for term in self.node.values()), default=0.0) < 0:
            raise ParameterError("Weights: expected node weights of at least 0.")
        values = [value for given in self.parameters.values() for value in given.values()]
        if not np.isfinite(values).all():
            raise ParameterError(f"Weights: expected finite parameters, got {self.parameters}.")


def _check_names(owner: str, named: Mapping[str, Any], features: tuple[Feature, ...]) -> None:
    unknown = sorted(set(named) - {feature.name for feature in features})
    if unknown:
        raise ParameterError(f"{owner}: expected names of features, got {', '.join(unknown)}.")


def _check_terms(owner: str, terms: Terms, features: tuple[Feature, ...]) -> None:
    _check_names(owner, terms, features)
    for name, term in terms.items():
        if not (np.isfinite(term).all() and term.deviation > 0):
            raise ParameterError(
                f"{owner}: expected finite weights, means and deviations, got {name}: {term}."
            )


_JOINING = (
    "overlap_x", "overlap_y", "left", "right", "top", "middle", "painter", "branch_left", "branch_top",
    "path", "parent", "kind", "font", "both_links", "both_images", "depth", "repetition", "list", "item",
    "paragraph", "link", "both_single", "twins",
)  # fmt: skip
_NEUTRAL = ("shorter", "longer", "table", "row", "cell", "division", "form", "one_single", "page_leaves")


def _uniform() -> Weights:
    """D is the Euclidean distance, V the sigmoid of a sum of signed features, each divided by its range."""
    terms = {
        feature.name: Term(
            0.0 if feature.name in _NEUTRAL else 1.0 if feature.name in _JOINING else -1.0,
            deviation=feature.high - feature.low,
        )
        for feature in PAIR_FEATURES
    }
    model = Logistic(terms)
    node = {feature.name: Term(1.0, deviation=feature.high - feature.low) for feature in NODE_FEATURES}
    return Weights("uniform", node, model, model)


UNIFORM = _uniform()
"""The paper's variant without learning (section 5.1)."""

NAMES = (TRAINED, UNIFORM.name)
"""Names of weights that a method accepts."""


def embedding(
    features: Float64, weights: Weights, emphasis: Emphasis = AS_LEARNT, metric: Metric = "mahalanobis"
) -> Float64:
    """Return vectors (k, d) whose Euclidean distances are D, the Mahalanobis distances of the features.

    features (k, f): of `node_features`; metric: ``mahalanobis``, the matrix of the weights if they have one,
    or ``diagonal``.

    >>> x = np.zeros((2, len(NODE_FEATURES)))
    >>> x[1, 1] = 0.5  # y
    >>> embedding(x, Weights("mine", {"y": Term(4.0)}, Logistic({}), Logistic({})))[:, 1].tolist()
    [0.0, 1.0]
    """
    known = columns_of(features, NODE_FEATURES)
    if metric == "mahalanobis" and weights.metric:
        missing = (0.0,) * len(next(iter(weights.metric.values())))
        matrix = np.array([weights.metric.get(feature.name, missing) for feature in known])
        embedded: Float64 = (features * np.sqrt(_of_views(known, emphasis))) @ matrix
        return embedded
    weight, _, deviation = weight_columns(weights.node, known, emphasis)
    return features * (np.sqrt(weight) / deviation)


def probability(features: Float64, model: Logistic, emphasis: Emphasis = AS_LEARNT) -> Float64:
    """Return V (m,): the probability that the leaves of each pair are in one segment.

    features (m, g): of `PairFeatures`.

    >>> probability(np.zeros((1, len(PAIR_FEATURES))), Logistic({"gap_y": Term(3.0)})).tolist()
    [0.5]
    """
    weight, mean, deviation = weight_columns(model.terms, columns_of(features, PAIR_FEATURES), emphasis)
    slope = weight / deviation
    odds = features @ slope + (model.bias - mean @ slope)
    result: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-50.0, 50.0)))
    return result


def columns_of(x: Float64, features: tuple[Feature, ...]) -> tuple[Feature, ...]:
    """Return the features that are the columns of ``x`` (..., f): all, or those of pages without boxes."""
    return features if x.shape[1] == len(features) else without_boxes(features)


def weight_columns(
    terms: Terms, features: tuple[Feature, ...], emphasis: Emphasis
) -> tuple[Float64, Float64, Float64]:
    """Return weights times emphasis, means and deviations, (f,) each, in the order of the features."""
    missing = Term(0.0)
    table = np.array([terms.get(feature.name, missing) for feature in features], np.float64)
    return table[:, 0] * _of_views(features, emphasis), table[:, 1], table[:, 2]


def _of_views(features: tuple[Feature, ...], emphasis: Emphasis) -> Float64:
    return np.array([getattr(emphasis, feature.view) for feature in features], np.float64)


def write_weights(path: Path, weights: Weights) -> None:
    """Write weights to a file.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_weights(Path(folder) / "weights.json", UNIFORM)
    ...     read_weights(Path(folder) / "weights.json") == UNIFORM
    True
    """
    write_model(path, FORMAT, VERSION, weights_to_dict(weights))


def read_weights(path: Path) -> Weights:
    """Return the weights in a file; `InputError` if it cannot be read or does not contain weights."""
    values, _ = read_model(path, FORMAT, VERSION)
    with intact(path, "weights"):
        return weights_from_dict(values)


def weights_to_dict(weights: Weights) -> dict[str, Any]:
    """Return weights as plain values, for `weights_from_dict`."""
    return {
        "name": weights.name,
        "node": _terms_to_dict(weights.node),
        "adjacent": {"terms": _terms_to_dict(weights.adjacent.terms), "bias": weights.adjacent.bias},
        "pairs": {"terms": _terms_to_dict(weights.pairs.terms), "bias": weights.pairs.bias},
        "parameters": {method: dict(values) for method, values in weights.parameters.items()},
        "metric": {name: list(column) for name, column in weights.metric.items()},
    }


def weights_from_dict(values: Mapping[str, Any]) -> Weights:
    """Return weights from plain values; wrong values raise one of `webgrain.base.modelfile.DAMAGED`."""
    return Weights(
        str(values["name"]),
        _terms(values["node"]),
        _logistic(values["adjacent"]),
        _logistic(values["pairs"]),
        {str(method): _numbers(given) for method, given in values["parameters"].items()},
        {str(name): tuple(map(float, column)) for name, column in values["metric"].items()},
    )


def find_weights(weights: Weights | str, page: Page) -> Weights:
    """Return the given weights, or those of that name for ``page``.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> find_weights("uniform", parse(Source("a", b"<p>One"))).name
    'uniform'
    """
    if isinstance(weights, Weights):
        return weights
    trained = _trained(rendering(page))
    if weights != UNIFORM.name:
        return trained
    chosen = {name: values for name, values in trained.parameters.items() if name.endswith("-nl")}
    return replace(UNIFORM, parameters=chosen)


@cache
def _trained(layout: str) -> Weights:
    return read_weights(Path(__file__).with_name("trained") / f"weights-{layout}.json")


def _terms_to_dict(terms: Terms) -> dict[str, dict[str, float]]:
    return {name: term._asdict() for name, term in terms.items()}


def _terms(values: Any) -> dict[str, Term]:
    return {name: Term(**_numbers(term)) for name, term in values.items()}


def _logistic(values: Any) -> Logistic:
    (bias,) = _numbers({"bias": values["bias"]}).values()
    return Logistic(_terms(values["terms"]), bias)


def _numbers(values: Any) -> dict[str, float]:
    for name, value in values.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"expected a number for {name}, got {value!r}.")
    return {name: float(value) for name, value in values.items()}
