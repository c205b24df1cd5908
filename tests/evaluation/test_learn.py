from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.evaluation.training import learn_method
from webgrain.segmentation.learntcut import LearntCut
from webgrain.segmentation.segmenter import Segmenter


def test_all_is_learnt_and_judged(examples):
    method = LearntCut()
    learnt = learn_method(method, examples)
    assert method.model_ is None
    assert set(learnt.classifier.confidence) == {"learntcut"}
    assert {"menu", "article"} <= set(learnt.classifier.roles.linear.classes)
    assert learnt.scores.folds == 5
    assert learnt.scores.fine.mean() > 0.7
    found = Segmenter("learntcut", learnt.method, learnt.classifier).predict(examples[0].page)
    assert found.params["model"] == "learnt"
    assert "menu" in found.roles


def test_the_same_pages_give_the_same_models(examples):
    first, again = (learn_method(LearntCut(), examples[:3]) for _ in range(2))
    assert np.array_equal(
        first.classifier.roles.linear.weight if first.classifier.roles else 0,
        again.classifier.roles.linear.weight if again.classifier.roles else 0,
    )
    assert np.array_equal(first.method.model_.opened.weight, again.method.model_.opened.weight)


def test_of_one_site_none_is_held_out(examples):
    same = [replace(e, page=replace(e.page, url=f"https://example.org/{k}")) for k, e in enumerate(examples)]
    learnt = learn_method(LearntCut(), same)
    assert learnt.scores is None
    assert learnt.classifier.roles is not None
    assert learnt.classifier.confidence == {}


def test_pages_are_needed():
    with pytest.raises(ParameterError, match="at least one labelled page"):
        learn_method(LearntCut(), [])
