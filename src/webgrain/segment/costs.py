"""Costs from features: D, of giving a node a label, and V, of parting two leaves.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3.

    paper                         here             shape, unit
    Mahalanobis metric of D       Weights.node     weight of each node feature, the metric's diagonal
    D_p(alpha)                    distance         (k, L) distance of node p and label alpha, >= 0
    weights of V in GCuts         Weights.adjacent weight of each pair feature and a bias, between neighbours
    weights of V in CClus         Weights.pairs    the same, between any two leaves
    V_pq                          probability      (m,) probability that p and q are in one segment, 0..1

Departure: the weights known by name are set by hand; `webgrain.segment.learning` makes others. ``hand``: few
and round; those of nodes found by trying, those of pairs rounded from logistic fits, both on 60 labelled
pages. ``uniform``: all the same, which is the paper's "no learning" (section 5.1).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.errors import ParameterError
from webgrain.segment.features import NODE_FEATURES, PAIR_FEATURES, Feature

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


def _check_names(owner: str, weights: Mapping[str, float], features: tuple[Feature, ...]) -> None:
    unknown = sorted(set(weights) - {feature.name for feature in features})
    if unknown:
        raise ParameterError(f"{owner}: expected names of features, got {', '.join(unknown)}.")
    if not np.isfinite(list(weights.values())).all():
        raise ParameterError(f"{owner}: expected finite weights, got {dict(weights)}.")


@dataclass(frozen=True, slots=True)
class Logistic:
    """A logistic model over differences: probability = 1 / (1 + exp(sum of weight * difference - bias)).

    weights: by name of the pair feature, absent ones are 0; bias: the log odds of two leaves that are alike.
    """

    weights: Mapping[str, float]
    bias: float = 0.0

    def __post_init__(self) -> None:
        _check_names("Logistic", self.weights, PAIR_FEATURES)
        if not np.isfinite(self.bias):
            raise ParameterError(f"Logistic: expected a finite bias, got {self.bias}.")


@dataclass(frozen=True, slots=True)
class Weights:
    """What turns features into costs.

    name: told in records; node: weight >= 0 by name of the node feature, absent ones are 0; adjacent, pairs:
    the models of V for neighbours (GCuts) and for any two leaves (CClus).

    >>> Weights("mine", node={"y": 4.0}, adjacent=Logistic({"gap_y": 2.0}), pairs=Logistic({})).node["y"]
    4.0
    """

    name: str
    node: Mapping[str, float]
    adjacent: Logistic
    pairs: Logistic

    def __post_init__(self) -> None:
        _check_names("Weights", self.node, NODE_FEATURES)
        if min(self.node.values(), default=0.0) < 0:
            raise ParameterError(f"Weights: expected node weights of at least 0, got {dict(self.node)}.")


HAND = Weights(
    "hand",
    node={
        "x": 1.0, "y": 2.0, "width": 0.5, "height": 0.5, "font_size": 0.05, "bold": 0.05,
        "red": 0.05, "green": 0.05, "blue": 0.05, "back_red": 0.2, "back_green": 0.2, "back_blue": 0.2,
        "text": 0.1, "anchor": 0.1, "image": 0.1, "heading": 0.05, "list": 0.1, "paragraph": 0.1,
    },
    adjacent=Logistic(
        {
            "gap_x": 2.0, "gap_y": 1.0, "unaligned": 0.5, "color": 0.5, "painter": 0.5, "heading": 0.5,
            "kind": 0.5, "steps": 3.0, "common": 4.0, "branch": 3.0, "order": 1.5,
        },
        bias=7.5,
    ),
    pairs=Logistic(
        {
            "gap_x": 0.5, "color": 0.5, "painter": 0.5, "kind": 0.25, "tag": 0.25, "steps": 4.0,
            "common": 4.0, "branch": 4.0, "order": 1.0,
        },
        bias=9.0,
    ),
)  # fmt: skip
"""Weights set by hand."""

ONE_THREAD = 2**18
"""Multiplications up to which a matrix product runs in one thread; on a busy machine, the threads of the
linear algebra library wait for each other many times longer than the product takes."""

_ALIKE = Logistic({feature.name: 1.0 for feature in PAIR_FEATURES})

UNIFORM = Weights("uniform", {feature.name: 1.0 for feature in NODE_FEATURES}, _ALIKE, _ALIKE)
"""The paper's variant without learning: Euclidean distance, sigmoid of a uniformly weighted sum."""

WEIGHTS = {weights.name: weights for weights in (HAND, UNIFORM)}
"""Weights that a method takes by name."""


def find_weights(weights: Weights | str) -> Weights:
    """Return the weights of that name, or the given ones.

    >>> find_weights("uniform").name
    'uniform'
    """
    if isinstance(weights, Weights):
        return weights
    if weights not in WEIGHTS:
        names = ", ".join(map(repr, WEIGHTS))
        raise ParameterError(f"weights must be a Weights or one of {names}, got {weights!r}.")
    return WEIGHTS[weights]


def distance(features: Floats, labels: NDArray[np.integer], weights: Weights) -> Floats:
    """Return D (k, L): the weighted Euclidean distance of every node to the nodes that are labels.

    features (k, f) as `node_features`; labels (L,): the nodes that are labels.

    >>> x = np.zeros((2, len(NODE_FEATURES)))
    >>> x[1, 1] = 0.5  # y
    >>> distance(x, np.array([0]), Weights("y", {"y": 4.0}, Logistic({}), Logistic({}))).tolist()
    [[0.0], [1.0]]
    """
    x = features * np.sqrt(_vector(weights.node, NODE_FEATURES))
    square = (x * x).sum(axis=1)
    other = np.ascontiguousarray(-2.0 * x[labels].T)
    out: Floats = np.empty((len(x), len(labels)))
    step = max(1, ONE_THREAD // other.size)
    for top in range(0, len(x), step):
        np.matmul(x[top : top + step], other, out=out[top : top + step])
    out += square[:, None]
    out += square[labels]
    np.maximum(out, 0.0, out=out)  # rounding may leave it just below
    out[labels, np.arange(len(labels))] = 0.0
    return np.sqrt(out, out=out)


def probability(features: Floats, model: Logistic) -> Floats:
    """Return V (m,): the probability that the leaves of each pair are in one segment.

    features (m, g) as `PairFeatures`.

    >>> probability(np.zeros((1, len(PAIR_FEATURES))), Logistic({"gap_y": 3.0}, bias=0.0)).tolist()
    [0.5]
    """
    odds = model.bias - features @ _vector(model.weights, PAIR_FEATURES)
    result: Floats = 1.0 / (1.0 + np.exp(-odds.clip(-50.0, 50.0)))
    return result


def _vector(weights: Mapping[str, float], features: tuple[Feature, ...]) -> Floats:
    return np.array([weights.get(feature.name, 0.0) for feature in features])
