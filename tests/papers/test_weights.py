from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.spatial.distance import cdist

from webgrain.base.errors import ParameterError
from webgrain.papers.features.nodes import NODE_FEATURES
from webgrain.papers.features.pairs import PAIR_FEATURES
from webgrain.papers.gcuts import distances
from webgrain.papers.weights import (
    AS_LEARNT,
    UNIFORM,
    Emphasis,
    Logistic,
    Term,
    Weights,
    embedding,
    probability,
)
from webgrain.segmentation.features import VIEWS

RNG = np.random.default_rng(5)
X = RNG.random((40, len(NODE_FEATURES)))
LABELS = np.array([0, 3, 17, 39])
NODE = {feature.name: Term(*(0.1 + RNG.random(3))) for feature in NODE_FEATURES}
PAIRS = Logistic({feature.name: Term(*(0.1 + RNG.random(3))) for feature in PAIR_FEATURES}, bias=0.5)


def weights_of(terms):
    return Weights("w", terms, Logistic({}), Logistic({}))


def distance(x, labels, terms, emphasis=AS_LEARNT):
    """D (k, L) of all nodes and labels."""
    tops, end = np.zeros(len(labels), int), np.full(len(x), len(x))
    return distances(embedding(x, weights_of(terms), emphasis), labels, tops, end).reshape(len(labels), -1).T


def test_distance_is_the_weighted_euclidean_one_of_standardised_features():
    weight, mean, deviation = np.array([NODE[feature.name] for feature in NODE_FEATURES]).T
    z = (X - mean) / deviation * np.sqrt(weight)
    np.testing.assert_allclose(distance(X, LABELS, NODE), cdist(z, z[LABELS]), atol=1e-6)


def test_uniform_weights_are_the_distance_of_features_over_their_ranges():
    z = X / [feature.high - feature.low for feature in NODE_FEATURES]
    np.testing.assert_allclose(distance(X, LABELS, UNIFORM.node), cdist(z, z[LABELS]), atol=1e-7)
    assert {term.weight for term in UNIFORM.adjacent.terms.values()} == {-1.0, 0.0, 1.0}


def test_a_full_metric_is_the_mahalanobis_distance():
    matrix = RNG.standard_normal((len(NODE_FEATURES), 3))
    columns = {feature.name: tuple(row) for feature, row in zip(NODE_FEATURES, matrix, strict=True)}
    x = embedding(X, replace(weights_of({}), metric=columns))
    found = distances(x, LABELS, np.zeros(4, int), np.full(len(X), len(X))).reshape(4, -1).T
    inverse = matrix @ matrix.T
    np.testing.assert_allclose(found, cdist(X, X[LABELS], "mahalanobis", VI=inverse), atol=1e-9)
    doubled = embedding(X, replace(weights_of({}), metric=columns), Emphasis(4.0, 4.0, 4.0))
    np.testing.assert_allclose(doubled, 2 * x)


def test_a_node_is_no_distance_from_itself_nor_from_its_like():
    cost = distance(np.tile(X[:1], (5, 1)), np.array([0, 4]), NODE)
    assert cost[0, 0] == cost[4, 1] == 0
    assert (cost < 1e-6).all()


def test_probability_is_the_logistic_function_of_the_weighted_sum():
    features = RNG.random((20, len(PAIR_FEATURES)))
    weight, mean, deviation = np.array([PAIRS.terms[feature.name] for feature in PAIR_FEATURES]).T
    odds = 0.5 + ((features - mean) / deviation * weight).sum(axis=1)
    np.testing.assert_allclose(probability(features, PAIRS), 1 / (1 + np.exp(-odds)))


def test_a_feature_without_a_term_has_no_weight():
    features = RNG.random((20, len(PAIR_FEATURES)))
    assert np.ptp(probability(features, Logistic({PAIR_FEATURES[0].name: Term(0.0)}, bias=1.0))) == 0
    assert not distance(X, LABELS, {}).any()


def test_probability_of_extreme_odds_is_one():
    features = np.ones((1, len(PAIR_FEATURES)))
    for weight in (1e9, -1e9):
        model = Logistic({PAIR_FEATURES[0].name: Term(weight)})
        assert 0 <= probability(features, model)[0] <= 1


@pytest.mark.parametrize("view", VIEWS)
def test_a_view_of_weight_zero_equals_mean_features(view):
    without = Emphasis()._replace(**{view: 0.0})
    usual = np.array([PAIRS.terms[feature.name].mean for feature in PAIR_FEATURES])
    mine = np.array([feature.view == view for feature in PAIR_FEATURES])
    features = RNG.random((20, len(PAIR_FEATURES)))
    expected = probability(np.where(mine, usual, features), PAIRS)
    np.testing.assert_allclose(probability(features, PAIRS, without), expected)
    left = X * [feature.view != view for feature in NODE_FEATURES]
    np.testing.assert_allclose(distance(X, LABELS, NODE, without), distance(left, LABELS, NODE), atol=1e-6)


@pytest.mark.parametrize(
    ("make", "words"),
    [
        (lambda: Logistic({"gap_z": Term(1.0)}), "names of features, got gap_z"),
        (lambda: Logistic({"gap_x": Term(float("nan"))}), "finite weights"),
        (lambda: Logistic({"gap_x": Term(1.0, deviation=0.0)}), "deviations, got gap_x"),
        (lambda: Weights("w", {"colour": Term(1.0)}, Logistic({}), Logistic({})), "got colour"),
        (lambda: Weights("w", {"x": Term(-1.0)}, Logistic({}), Logistic({})), "at least 0"),
    ],
)
def test_wrong_weights_are_refused(make, words):
    with pytest.raises(ParameterError, match=words):
        make()
