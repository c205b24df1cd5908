from __future__ import annotations

import numpy as np
import pytest
from experiments.metrics import PairScore, score_pairs

from webgrain.base.errors import ParameterError


def test_counts_and_shares() -> None:
    score = score_pairs([1, 1, 1, 0, 0], [1, 0, 1, 1, 0])
    assert score == PairScore(found=2, duplicates=3, kept=1, different=2)
    assert (score.found_share, score.kept_share) == (2 / 3, 0.5)


def test_an_input_without_matches_gives_no_result() -> None:
    assert score_pairs([], [])[:] == (0, 0, 0, 0)
    assert score_pairs([], []).found_share == score_pairs([], []).kept_share == 1.0


def test_lengths_must_agree() -> None:
    with pytest.raises(
        ParameterError, match=r"Expected two arrays of one length, got shapes \(2,\) and \(3,\)"
    ):
        score_pairs(np.ones(2), np.ones(3))
