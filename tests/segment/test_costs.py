from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from webgrain.errors import ParameterError
from webgrain.segment.costs import (
    HAND,
    UNIFORM,
    WEIGHTS,
    Logistic,
    Weights,
    distance,
    find_weights,
    probability,
)
from webgrain.segment.features import NODE_FEATURES, PAIR_FEATURES

RNG = np.random.default_rng(5)
X = RNG.random((40, len(NODE_FEATURES)))
LABELS = np.array([0, 3, 17, 39])


@pytest.mark.parametrize("weights", WEIGHTS.values(), ids=WEIGHTS)
def test_distance_is_the_weighted_euclidean_one(weights):
    scale = np.sqrt([weights.node.get(feature.name, 0.0) for feature in NODE_FEATURES])
    expected = cdist(X * scale, X[LABELS] * scale)
    np.testing.assert_allclose(distance(X, LABELS, weights), expected, atol=1e-7)


def test_uniform_weights_are_the_plain_distance():
    np.testing.assert_allclose(distance(X, LABELS, UNIFORM), cdist(X, X[LABELS]), atol=1e-7)
    assert set(UNIFORM.adjacent.weights.values()) == {1.0}


def test_a_node_is_no_distance_from_itself_nor_from_its_like():
    cost = distance(np.tile(X[:1], (5, 1)), np.array([0, 4]), HAND)
    assert cost[0, 0] == cost[4, 1] == 0
    assert (cost < 1e-6).all()


def test_probability_is_the_logistic_function_of_the_weighted_sum():
    features = RNG.random((20, len(PAIR_FEATURES)))
    expected = [1 / (1 + np.exp(4 * row[0] - 2 * row[3] - 0.5)) for row in features]
    model = Logistic({PAIR_FEATURES[0].name: 4.0, PAIR_FEATURES[3].name: -2.0}, bias=0.5)
    np.testing.assert_allclose(probability(features, model), expected)


def test_probability_of_extreme_odds_is_one():
    features = np.ones((1, len(PAIR_FEATURES)))
    for weight in (1e9, -1e9):
        model = Logistic({PAIR_FEATURES[0].name: weight})
        assert 0 <= probability(features, model)[0] <= 1


@pytest.mark.parametrize("model", [HAND.adjacent, HAND.pairs], ids=["adjacent", "pairs"])
def test_by_hand_the_more_two_leaves_differ_the_less_they_belong_together(model):
    alike = probability(np.zeros((1, len(PAIR_FEATURES))), model)[0]
    unlike = probability(np.eye(len(PAIR_FEATURES)), model)
    assert (unlike <= alike).all()
    assert probability(np.ones((1, len(PAIR_FEATURES))), model)[0] < 0.05 < 0.95 < alike


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Logistic({"gap_z": 1.0}), "names of features, got gap_z"),
        (lambda: Logistic({"gap_x": float("nan")}), "finite weights"),
        (lambda: Weights("w", {"colour": 1.0}, Logistic({}), Logistic({})), "got colour"),
        (lambda: Weights("w", {"x": -1.0}, Logistic({}), Logistic({})), "at least 0"),
        (lambda: find_weights("learned"), "got 'learned'"),
    ],
)
def test_wrong_weights_are_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        make()
