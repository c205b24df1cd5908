from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.base.errors import ParameterError
from webgrain.base.metrics import area_under_curve, calibration_error, f1_by_class, reliability

pairs = st.lists(st.tuples(st.sampled_from("abc"), st.sampled_from("abcd")), min_size=1, max_size=40)
predictions = st.lists(st.tuples(st.floats(0, 1), st.booleans()), min_size=1, max_size=40)


@settings(deadline=None)  # the first call imports scikit-learn
@given(pairs)
def test_scikit_learn_agrees_on_f1(rows: list[tuple[str, str]]) -> None:
    judge = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    true, found = map(list, zip(*rows, strict=True))
    names = sorted(set(true))
    judged = judge.f1_score(true, found, labels=names, average=None, zero_division=0)
    assert f1_by_class(true, found) == pytest.approx(dict(zip(names, judged, strict=True)))


@settings(deadline=None)
@given(predictions)
def test_scikit_learn_agrees_on_the_area(rows: list[tuple[float, bool]]) -> None:
    judge = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    score, right = (np.array(column) for column in zip(*rows, strict=True))
    if len(set(right.tolist())) < 2:
        assert np.isnan(area_under_curve(score, right))
    else:
        assert area_under_curve(score, right) == pytest.approx(judge.roc_auc_score(right, score))
        weight = 1.0 + np.arange(len(right))
        weighted = judge.roc_auc_score(right, score, sample_weight=weight)
        assert area_under_curve(score, right, weight) == pytest.approx(weighted)


@given(predictions)
def test_the_bins_hold_everything_once(rows: list[tuple[float, bool]]) -> None:
    probability, right = (np.array(column) for column in zip(*rows, strict=True))
    bins = reliability(probability, right)
    assert sum(one.things for one in bins) == len(rows)
    assert sum(one.things * one.right for one in bins) == pytest.approx(right.sum())
    assert sum(one.share for one in bins) == pytest.approx(1.0)
    assert 0 <= calibration_error(probability, right) <= 1


def test_weights_count_as_copies() -> None:
    probability, right = np.array([0.2, 0.25, 0.9]), np.array([True, False, True])
    twice = np.array([0, 0, 1, 2])
    copied = reliability(probability[twice], right[twice])
    for one, other in zip(reliability(probability, right, np.array([2.0, 1.0, 1.0])), copied, strict=True):
        assert one[1:] == pytest.approx(other[1:])


def test_perfect_probabilities_have_no_error() -> None:
    assert calibration_error(np.full(4, 0.75), np.array([True, True, True, False])) == 0
    assert calibration_error(np.zeros(0), np.zeros(0, bool)) == 0
    assert calibration_error(np.ones(2), np.zeros(2, bool)) == 1


def test_a_class_that_is_never_named_scores_nothing() -> None:
    assert f1_by_class(["a", "b"], ["a", None]) == {"a": 1.0, "b": 0.0}
    with pytest.raises(ParameterError, match="got 1 and 2"):
        f1_by_class(["a"], ["a", "b"])
