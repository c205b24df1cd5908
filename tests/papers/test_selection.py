from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.segmentation.pages import read

from webgrain.evaluation.evaluate import score
from webgrain.io.labels import truth_of
from webgrain.papers import weightlearning
from webgrain.papers.gcuts import GCuts
from webgrain.papers.thresholds import LEARNING_FOLDS
from webgrain.papers.weightlearning import Cut, WeightedMethod
from webgrain.papers.weights import UNIFORM
from webgrain.segmentation.method import mean_ari


@pytest.mark.parametrize(
    ("right", "chosen"),
    [([0, 1, 1, 2, 1], 2.0), ([2, 1, 1, 0, 0], 1.0), ([1, 2, 0, 1, 0], 0.75), ([2, 0, 1, 0, 2], 1.0)],
)
def test_lambda_moves_from_the_default_while_the_score_rises(right, chosen):
    class Method(WeightedMethod):
        method, default_lam, lams = "test", 1.0, (0.5, 0.75, 1.0, 2.0, 3.0)

        def cut(self, costs, lam):
            return Cut(np.array(costs[lam]), 0.0)

    truth, wrong = [0, 0, 1, 1], [0, 1, 0, 1]
    costs = [
        {lam: truth if page < n else wrong for lam, n in zip(Method.lams, right, strict=True)}
        for page in range(2)
    ]
    assert Method()._choose(costs, [np.array(truth)] * 2) == chosen


def test_mean_ari_is_that_of_the_evaluation():
    made = make_pages(3, size=3)
    pages = [read(page.source.body, "lines") for page in made]
    truths = [truth_of(page, result.segments) for page, result in zip(pages, made, strict=True)]
    found = [GCuts().predict(page).labels for page in pages]
    expected = [score(labels, truth, "top").ari for labels, truth in zip(found, truths, strict=True)]
    over = [truth.over(len(page.dom), "top") for truth, page in zip(truths, pages, strict=True)]
    assert mean_ari(found, over) == pytest.approx(np.mean(expected))


def test_a_node_without_a_label_is_alone():
    assert mean_ari([np.array([-1, -1])], [np.array([0, 0])]) < mean_ari(
        [np.array([3, 3])], [np.array([0, 0])]
    )


@pytest.mark.parametrize("n", [1, 2, LEARNING_FOLDS, LEARNING_FOLDS + 1])
def test_lambda_is_chosen_on_pages_that_the_weights_were_not_learnt_from(n, monkeypatch):
    """The name of the weights lists the pages that they were learnt from."""
    used = []

    class Method(WeightedMethod):
        method, default_lam, lams = "test", 1.0, (0.5, 1.0, 2.0)

        def prepare(self, page, weights):
            used.append({*weights.name.split()})
            return page

        def cut(self, costs, lam):
            return Cut(np.zeros(len(costs.dom), np.int32), 0.0)

    def named(samples, name=""):
        return replace(UNIFORM, name=" ".join(samples))

    monkeypatch.setattr(weightlearning, "samples_of", lambda pages, labels: [*map(str, range(len(pages)))])
    monkeypatch.setattr(weightlearning, "weights_from", named)
    page = read("<p>One<p>Two")
    learnt = Method().fit([page] * n, [np.zeros(len(page.dom), int)] * n).weights_
    every = {*map(str, range(n))}
    assert {*learnt.name.split()} == every
    assert len(used) == n
    for k, pages in enumerate(used):
        assert pages == every if n == 1 else str(k) not in pages
        assert len(every - pages) <= -(-n // LEARNING_FOLDS)
