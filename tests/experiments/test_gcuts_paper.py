"""The experiment of the GCuts paper on made-up pages, and its result file."""

from __future__ import annotations

import json

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.views import with_lines

from experiments import gcuts_paper, results
from webgrain.evaluation.datasets import Example
from webgrain.io.labels import truth_of
from webgrain.page.parsing import parse
from webgrain.papers.cclus import CClus, CClusNL
from webgrain.papers.features.pairs import PAIR_FEATURES
from webgrain.papers.weightlearning import weights_from


def examples(n: int) -> list[Example]:
    made = make_pages(n, size=3)
    pages = [parse(page.source) for page in made]
    pages = [with_lines(page) for page in pages]
    both = zip(pages, made, strict=True)
    return [Example(page, truth_of(page, one.segments), one.segments) for page, one in both]


def test_lambda_is_chosen_on_one_part_and_scored_on_another(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(gcuts_paper, "METHODS", {"CClus": CClus, "CClus-NL": CClusNL})
    experiment = gcuts_paper.Experiment(examples(8))
    seen = []
    own = experiment._scores

    def spy(method, weights, places):
        scores = own(method, weights, places)
        seen.append((weights.name, list(places), scores))
        return scores

    monkeypatch.setattr(experiment, "_scores", spy)
    experiment.run(3)
    experiment.run(4)
    order = np.random.default_rng(3).permutation(8)
    (name, places, scores), *_ = seen
    assert (name, places) == ("learnt", order[2:].tolist())  # a quarter is for training alone
    assert np.isnan(scores[:, order[:2]]).all()
    trial = experiment.trials["CClus"][0]
    assert trial.lam == CClus.lams[scores[:, order[2:4], 0].mean(axis=1).argmax()]
    assert trial.chosen.tolist() == scores[CClus.lams.index(trial.lam), order[4:]].tolist()
    assert [name for name, _, _ in seen].count("uniform") == 1  # does not depend on the split
    rows = experiment.table(("CClus", "CClus-NL"))["rows"]
    assert [row[0] for row in rows] == ["CClus", "CClus, in the paper", "CClus-NL", "CClus-NL, in the paper"]
    assert rows[0][1] == 2
    means = [trial.chosen[:, 0].mean() for trial in experiment.trials["CClus"]]
    assert rows[0][2:4] == [pytest.approx(np.mean(means), abs=1e-4), pytest.approx(np.std(means), abs=1e-4)]
    assert [row[0] for row in experiment.sweep("CClus")["rows"]] == [f"{lam:g}" for lam in CClus.lams]


def test_results_are_written_and_read(monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    table = results.table(["a", "±"], [["x", 1 / 3], ["y", None]])
    path = results.write_results("paper", "some pages", "python x.py", {"figure-1": table, "figure-2": table})
    assert results.read_results("paper") == json.loads(path.read_text(encoding="utf-8"))
    found = results.read_results("paper")
    assert found["tables"]["figure-2"] == {"columns": ["a", "±"], "rows": [["x", 0.3333], ["y", None]]}


def test_weights_are_learnt_from_the_chosen_cues_alone() -> None:
    made = examples(3)
    experiment = gcuts_paper.Experiment(made, ("CClus",), gcuts_paper.LEAF_CUES)
    assert [*experiment.methods] == ["CClus"]
    weights = weights_from(experiment.samples)
    for model in (weights.adjacent, weights.pairs):
        used = {name for name, term in model.terms.items() if term.weight}
        assert used
        assert used <= {*gcuts_paper.LEAF_CUES}
    assert {*gcuts_paper.LEAF_CUES} <= {feature.name for feature in PAIR_FEATURES}
