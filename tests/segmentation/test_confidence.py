from __future__ import annotations

import numpy as np
import pytest

from webgrain.segmentation.segmenter import fit_confidence

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def test_what_was_right_more_often_is_trusted_more():
    x = np.repeat([[0.0], [1.0]], 50, axis=0)
    right = np.arange(100) % 10 < np.where(x[:, 0] > 0, 9, 1)  # one of ten, nine of ten
    low, high = fit_confidence(x, right).confidence(x[[0, -1]])
    assert 0 < low < 0.5 < high < 1


@pytest.mark.parametrize("right", [True, False])
def test_where_all_are_alike_that_is_certain(right):
    x = np.zeros((3, 1))
    assert fit_confidence(x, np.full(3, right)).confidence(x).tolist() == [float(right)] * 3


def test_nothing_to_learn_from_gives_no_model():
    assert fit_confidence(np.zeros((0, 1)), np.zeros(0, bool)) is None
