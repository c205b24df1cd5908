from __future__ import annotations

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.segmentation.pages import read

from webgrain.evaluation.datasets import truth_of
from webgrain.evaluation.evaluate import score
from webgrain.segmentation.gcuts import GCuts
from webgrain.segmentation.learning import choose, mean_ari

GRIDS = {"a": (0.0, 1.0, 2.0, 4.0), "b": (0.5, 1.0, 3.0)}


def hill(at):
    return -abs(at["a"] - 2.0) - abs(at["b"] - 0.5)


@pytest.mark.parametrize("a", [0.0, 2.0, 4.0, 9.0])
@pytest.mark.parametrize("b", [0.5, 3.0])
def test_walks_to_the_top_from_anywhere(a, b):
    assert choose(hill, GRIDS, {"a": a, "b": b}) == {"a": 2.0, "b": 0.5}


def test_each_combination_is_scored_once():
    seen = []

    def score_of(at):
        seen.append(tuple(at.values()))
        return hill(at)

    choose(score_of, GRIDS, {"a": 0.0, "b": 3.0}, max_rounds=20)
    assert len(seen) == len(set(seen))


def test_keeps_what_no_step_improves_and_what_has_no_grid():
    assert choose(hill, {}, {"a": 1.0}) == {"a": 1.0}
    assert choose(lambda at: 0.0, GRIDS, {"a": 1.0, "b": 1.0, "c": 7.0}) == {"a": 1.0, "b": 1.0, "c": 7.0}


def test_rounds_bound_the_walk():
    diagonal = {(0, 0): 0, (1, 0): 1, (1, 1): 2, (2, 1): 3, (2, 2): 4}

    def score_of(at):
        return diagonal.get((at["a"], at["b"]), -1)

    grids, start = {"a": (0, 1, 2), "b": (0, 1, 2)}, {"a": 0, "b": 0}
    assert choose(score_of, grids, start, max_rounds=1) == {"a": 1, "b": 1}
    assert choose(score_of, grids, start, max_rounds=2) == {"a": 2, "b": 2}


def test_mean_ari_is_that_of_the_evaluation():
    made = make_pages(3, size=3)
    pages = [read(page.source.body, "estimate") for page in made]
    truths = [truth_of(page, result.segments) for page, result in zip(pages, made, strict=True)]
    found = [GCuts().predict(page).labels for page in pages]
    expected = [score(labels, truth, "top").ari for labels, truth in zip(found, truths, strict=True)]
    over = [truth.over(len(page.dom), "top") for truth, page in zip(truths, pages, strict=True)]
    assert mean_ari(found, over) == pytest.approx(np.mean(expected))


def test_a_node_without_a_label_is_alone():
    assert mean_ari([np.array([-1, -1])], [np.array([0, 0])]) < mean_ari(
        [np.array([3, 3])], [np.array([0, 0])]
    )
