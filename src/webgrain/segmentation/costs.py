"""Costs from features: D, of giving a node a label, and V, of parting two leaves.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

    paper                         here             shape, unit
    Mahalanobis metric of D       Weights.node     weight of each node feature, the metric's diagonal
    D_p(alpha)                    distance         (k, L) distance of node p and label alpha, >= 0
    weights of V in GCuts         Weights.adjacent weight of each pair feature and a bias, between neighbours
    weights of V in CClus         Weights.pairs    the same, between any two leaves
    V_pq                          probability      (m,) probability that p and q are in one segment, 0..1

Weights are of standardised features: each with the mean and the deviation that it had on the training pages,
so they tell by their size how much a feature counts. `webgrain.segmentation.learning` makes them.

Weights as files: JSON that a person can read, compare and edit; and those that come with webgrain.

{"format": "webgrain weights", "version": 2, "name": "mine",
 "node": {"y": {"weight": 4.0, "mean": 0.4, "deviation": 0.3}},
 "adjacent": {"terms": {"gap_y": {"weight": -0.5, "mean": 2.0, "deviation": 1.5}}, "bias": 1.0},
 "pairs": {"terms": {}, "bias": 0.0}, "parameters": {"gcuts": {"lam": 4.0}}}
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64
from webgrain.errors import InputError, ParameterError
from webgrain.modelfile import read_model, write_model
from webgrain.page.page import Page
from webgrain.segmentation.features.nodes import NODE_FEATURES, Feature
from webgrain.segmentation.features.pairs import PAIR_FEATURES


class Term(NamedTuple):
    """What one feature weighs: ``weight`` for each ``deviation`` that it lies above the ``mean``."""

    weight: float
    mean: float = 0.0
    deviation: float = 1.0


class Emphasis(NamedTuple):
    """What each view of a page weighs beside what was learnt: 1 as learnt, 0 left out."""

    visual: float = 1.0
    content: float = 1.0
    structure: float = 1.0


AS_LEARNT = Emphasis()

Terms = Mapping[str, Term]
"""Terms by name of the feature; absent ones weigh nothing."""


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
    """What turns features into costs.

    name: told in records; node: terms of D, of weight >= 0; adjacent, pairs: the models of V for neighbours
    (GCuts) and for any two leaves (CClus); parameters: values that go with these weights, by name of the
    method, then of its parameter.

    >>> weights = Weights("mine", {"y": Term(4.0)}, adjacent=Logistic({}), pairs=Logistic({}, bias=-1.0))
    >>> weights.node["y"].deviation
    1.0
    """

    name: str
    node: Terms
    adjacent: Logistic
    pairs: Logistic
    parameters: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        _check_terms("Weights", self.node, NODE_FEATURES)
        if min((term.weight for term in self.node.values()), default=0.0) < 0:
            raise ParameterError("Weights: expected node weights of at least 0.")
        values = [value for given in self.parameters.values() for value in given.values()]
        if not np.isfinite(values).all():
            raise ParameterError(f"Weights: expected finite parameters, got {self.parameters}.")


def _check_terms(owner: str, terms: Terms, features: tuple[Feature, ...]) -> None:
    unknown = sorted(set(terms) - {feature.name for feature in features})
    if unknown:
        raise ParameterError(f"{owner}: expected names of features, got {', '.join(unknown)}.")
    for name, term in terms.items():
        if not (np.isfinite(term).all() and term.deviation > 0):
            raise ParameterError(
                f"{owner}: expected finite weights, means and deviations, got {name}: {term}."
            )


_ALIKE = (
    "overlap_x", "overlap_y", "left", "right", "top", "middle", "painter", "branch_left", "branch_top",
    "path", "parent", "kind", "both_links", "both_images", "depth", "repetition", "list", "item", "paragraph",
    "link", "both_single", "twins",
)  # fmt: skip
_NEITHER = ("shorter", "longer", "table", "row", "cell", "division", "form", "one_single", "page_leaves")


def _uniform() -> Weights:
    """All alike: D the Euclidean distance, V the sigmoid of a sum of signed features, each over its range."""
    sign = {feature.name: 1.0 if feature.name in _ALIKE else -1.0 for feature in PAIR_FEATURES}
    sign |= dict.fromkeys(_NEITHER, 0.0)
    model = Logistic({f.name: Term(sign[f.name], deviation=f.high - f.low) for f in PAIR_FEATURES})
    return Weights("uniform", {feature.name: Term(1.0) for feature in NODE_FEATURES}, model, model)


UNIFORM = _uniform()
"""The paper's variant without learning (section 5.1)."""

ONE_THREAD = 2**18
"""Multiplications up to which a matrix product runs in one thread; on a busy machine, the threads of the
linear algebra library wait for each other many times longer than the product takes."""


def distance(
    features: Float64, labels: NDArray[np.integer], terms: Terms, emphasis: Emphasis = AS_LEARNT
) -> Float64:
    """Return D (k, L): the weighted Euclidean distance of every node to the nodes that are labels.

    features (k, f) as `node_features`; labels (L,): the nodes that are labels.

    >>> x = np.zeros((2, len(NODE_FEATURES)))
    >>> x[1, 1] = 0.5  # y
    >>> distance(x, np.array([0]), {"y": Term(4.0)}).tolist()
    [[0.0], [1.0]]
    """
    weight, _, deviation = _columns(terms, NODE_FEATURES)
    x = features * (np.sqrt(weight * _by_view(NODE_FEATURES, emphasis)) / deviation)
    square = (x * x).sum(axis=1)
    other = np.ascontiguousarray(-2.0 * x[labels].T)
    out: Float64 = np.empty((len(x), len(labels)))
    step = max(1, ONE_THREAD // max(other.size, 1))
    for top in range(0, len(x), step):
        np.matmul(x[top : top + step], other, out=out[top : top + step])
    out += square[:, None]
    out += square[labels]
    np.maximum(out, 0.0, out=out)  # rounding may leave it just below
    out[labels, np.arange(len(labels))] = 0.0
    return np.sqrt(out, out=out)


def probability(features: Float64, model: Logistic, emphasis: Emphasis = AS_LEARNT) -> Float64:
    """Return V (m,): the probability that the leaves of each pair are in one segment.

    features (m, g) as `PairFeatures`.

    >>> probability(np.zeros((1, len(PAIR_FEATURES))), Logistic({"gap_y": Term(3.0)})).tolist()
    [0.5]
    """
    weight, mean, deviation = _columns(model.terms, PAIR_FEATURES)
    slope = weight * _by_view(PAIR_FEATURES, emphasis) / deviation
    odds = features @ slope + (model.bias - mean @ slope)
    result: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-50.0, 50.0)))
    return result


def _columns(terms: Terms, features: tuple[Feature, ...]) -> tuple[Float64, Float64, Float64]:
    none = Term(0.0)
    table = np.array([terms.get(feature.name, none) for feature in features], np.float64)
    return table[:, 0], table[:, 1], table[:, 2]


def _by_view(features: tuple[Feature, ...], emphasis: Emphasis) -> Float64:
    return np.array([getattr(emphasis, feature.view) for feature in features], np.float64)


FORMAT = "webgrain weights"
VERSION = 2

TRAINED = "trained"
"""Name of the weights that come with webgrain: some for pages rendered by a browser, some for all others."""

NAMES = (TRAINED, UNIFORM.name)
"""Weights that a method takes by name."""


def write_weights(path: Path, weights: Weights) -> None:
    """Write weights to a file; what `read_weights` makes of it is equal to them.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_weights(Path(folder) / "weights.json", UNIFORM)
    ...     read_weights(Path(folder) / "weights.json") == UNIFORM
    True
    """
    write_model(path, FORMAT, VERSION, weights_told(weights))


def read_weights(path: Path) -> Weights:
    """Return the weights in a file; `InputError` where it cannot be read or holds none."""
    return weights_from(path, read_model(path, FORMAT, VERSION)[0])


def weights_told(weights: Weights) -> dict[str, Any]:
    """Return plain values that stand for weights, see `weights_from`."""
    return {
        "name": weights.name,
        "node": _told(weights.node),
        "adjacent": {"terms": _told(weights.adjacent.terms), "bias": weights.adjacent.bias},
        "pairs": {"terms": _told(weights.pairs.terms), "bias": weights.pairs.bias},
        "parameters": {method: dict(values) for method, values in weights.parameters.items()},
    }


def weights_from(path: Path, told: Mapping[str, Any]) -> Weights:
    """Return the weights that ``told`` stands for; `InputError`, naming ``path``, for none."""
    try:
        return Weights(
            str(told["name"]),
            _terms(told["node"]),
            _logistic(told["adjacent"]),
            _logistic(told["pairs"]),
            {str(method): _numbers(values) for method, values in told["parameters"].items()},
        )
    except KeyError as error:
        raise InputError(f"{path}: the weights lack {error}.") from error
    except (TypeError, AttributeError, OverflowError, ParameterError) as error:
        raise InputError(f"{path} holds damaged weights: {error}") from error


def find_weights(weights: Weights | str, page: Page) -> Weights:
    """Return the weights of that name for ``page``, or the given ones.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> find_weights("uniform", parse(Source("a", b"<p>One"))).name
    'uniform'
    """
    if isinstance(weights, Weights):
        return weights
    if weights == UNIFORM.name:
        return UNIFORM
    return _trained("chromium" if page.view is not None and page.view.source == "chromium" else "estimate")


@cache
def _trained(layout: str) -> Weights:
    with as_file(files("webgrain.segmentation") / "trained" / f"{layout}.json") as path:
        return read_weights(path)


def _told(terms: Any) -> dict[str, dict[str, float]]:
    return {name: term._asdict() for name, term in terms.items()}


def _terms(told: Any) -> dict[str, Term]:
    return {name: Term(**_numbers(values)) for name, values in told.items()}


def _logistic(told: Any) -> Logistic:
    (bias,) = _numbers({"bias": told["bias"]}).values()
    return Logistic(_terms(told["terms"]), bias)


def _numbers(told: Any) -> dict[str, float]:
    for name, value in told.items():
        if isinstance(value, bool) or not isinstance(value, (int, float)):
            raise TypeError(f"expected a number for {name}, got {value!r}.")
    return {name: float(value) for name, value in told.items()}
