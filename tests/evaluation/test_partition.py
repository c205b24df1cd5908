from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.base.errors import ParameterError
from webgrain.base.metrics import ari, b_cubed, nmi

things = st.lists(
    st.tuples(st.integers(0, 4), st.integers(0, 4), st.floats(0.01, 100.0)), min_size=1, max_size=30
)


@settings(deadline=None)  # the first call imports scikit-learn
@given(things)
def test_scikit_learn_agrees(rows: list[tuple[int, int, float]]) -> None:
    judge = pytest.importorskip("sklearn.metrics", reason="scikit-learn is not installed")
    truth, found, _ = map(list, zip(*rows, strict=True))
    assert ari(truth, found) == pytest.approx(judge.adjusted_rand_score(truth, found))
    for average in ("geometric", "arithmetic"):
        judged = judge.normalized_mutual_info_score(truth, found, average_method=average)
        assert nmi(truth, found, average) == pytest.approx(judged, abs=1e-9)


@given(things)
def test_b_cubed_by_its_definition(rows: list[tuple[int, int, float]]) -> None:
    truth, found, weight = map(np.array, zip(*rows, strict=True))
    same_truth, same_found = truth[:, None] == truth, found[:, None] == found
    both = (same_truth & same_found) @ weight
    score = b_cubed(truth, found, weight)
    assert score.precision == pytest.approx(np.average(both / (same_found @ weight), weights=weight))
    assert score.recall == pytest.approx(np.average(both / (same_truth @ weight), weights=weight))


@given(things)
def test_names_of_labels_mean_nothing(rows: list[tuple[int, int, float]]) -> None:
    truth, found, weight = map(np.array, zip(*rows, strict=True))
    for score in (ari, nmi, lambda a, b: b_cubed(a, b, weight).f1):
        assert score(7 - truth, found + 3) == pytest.approx(score(truth, found))


def test_a_weight_counts_as_copies_do() -> None:
    truth, found, weight = [0, 0, 1], [0, 1, 1], [3, 1, 2]
    copies = [np.repeat(labels, weight) for labels in (truth, found)]
    assert b_cubed(truth, found, weight) == pytest.approx(b_cubed(*copies))


def test_ari_of_random_partitions_is_zero_on_average() -> None:
    truth = [0, 0, 0, 1, 1]
    scores = [ari(truth, order) for order in itertools.permutations(truth)]
    assert np.mean(scores) == pytest.approx(0.0, abs=1e-12)


@pytest.mark.parametrize("labels", [[], [3], [0, 0, 0], [0, 1, 2]])
def test_the_same_partition_scores_one_even_if_trivial(labels: list[int]) -> None:
    assert ari(labels, labels) == nmi(labels, labels) == b_cubed(labels, labels).f1 == 1.0


def test_one_per_thing_is_worth_nothing_to_ari_but_much_to_nmi() -> None:
    truth = np.repeat([0, 1, 2], 5)
    assert ari(truth, np.arange(15)) == 0.0
    assert nmi(truth, np.arange(15)) > 0.6


def test_wrong_calls() -> None:
    with pytest.raises(ParameterError, match=r"two label arrays of one length, got shapes \(2,\) and \(3,\)"):
        ari([0, 1], [0, 1, 2])
    with pytest.raises(ParameterError, match="2 finite weights of at least 0"):
        b_cubed([0, 1], [0, 1], [1.0, -1.0])
    with pytest.raises(ParameterError, match="'geometric' or 'arithmetic', got 'max'"):
        nmi([0, 1], [0, 1], "max")  # type: ignore[arg-type]
