from __future__ import annotations

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.segmentation.segmenter import Linear, fit_linear

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def drawn(classes=3, rows=60):
    rng = np.random.default_rng(0)
    y = rng.integers(classes, size=rows)
    return rng.normal(size=(rows, 4)) + y[:, None] * [1.0, 0.0, -0.5, 2.0], [f"c{k}" for k in y]


@pytest.mark.parametrize("classes", [2, 3])
def test_probabilities_equal_those_of_scikit_learn(classes):
    from sklearn.linear_model import LogisticRegression
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import StandardScaler

    x, y = drawn(classes)
    judge = make_pipeline(StandardScaler(), LogisticRegression(C=0.1, max_iter=2000)).fit(x, y)
    model = fit_linear(x, y, 0.1)
    assert model.classes == tuple(judge.classes_)
    assert model.probability(x) == pytest.approx(judge.predict_proba(x), abs=1e-6)


def test_probabilities_sum_to_one_however_far_off():
    x, y = drawn()
    share = fit_linear(x, y, 10.0).probability(np.array([[1e6, -1e6, 1e6, 1e6]]))
    assert share.sum() == pytest.approx(1.0)
    assert np.isfinite(share).all()


def test_less_trust_is_less_weight():
    x, y = drawn()
    plain, less = fit_linear(x, y, 0.1), fit_linear(x, y, 0.1, np.array([0.1, 1, 1, 1]))
    assert np.abs(less.weight[:, 0]).sum() < np.abs(plain.weight[:, 0]).sum()


def test_one_class_is_certain_and_a_constant_column_weighs_nothing():
    x = np.ones((3, 2))
    assert fit_linear(x, ["a", "a", "a"], 1.0).probability(x).tolist() == [[1.0]] * 3
    assert fit_linear(x, ["a", "a", "b"], 1.0).weight.tolist() == [[0.0, 0.0], [0.0, 0.0]]


def test_damaged_weights_are_refused():
    with pytest.raises(ParameterError, match="a bias for each of 2 classes"):
        Linear(("a", "b"), np.zeros((1, 3)), np.zeros(2))
    with pytest.raises(ParameterError, match="finite"):
        Linear(("a", "b"), np.full((2, 3), np.nan), np.zeros(2))
    with pytest.raises(ParameterError, match="at least one row"):
        fit_linear(np.zeros((0, 3)), [], 1.0)
