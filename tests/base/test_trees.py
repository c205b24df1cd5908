"""Trees in files: they are read as they were written, and damaged files are refused."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.trees import BoostedTrees, learn_class_trees, odds_of, read_trees, write_trees
from webgrain.extraction.single import FORMAT, model_names, trained_models


@pytest.fixture
def tree():
    ints, floats = (lambda *x: np.array(x, np.int32)), (lambda *x: np.array(x, np.float32))
    nodes = ints(1, -1, -1), floats(0, 0, 0), ints(1, 0, 0), ints(2, 0, 0), floats(0, 1, 2)
    return BoostedTrees(("a", "b"), 0.5, ints(0), *nodes, np.array([1, 0, 0], np.uint8))


def test_a_model_equals_itself_after_saving_and_loading(tree, tmp_path):
    other = replace(tree, bias=2.0)
    write_trees(tmp_path / "model", {"one": tree, "two": other}, FORMAT)
    found = read_trees(tmp_path / "model", {"one": tree.names, "two": tree.names}, FORMAT)
    assert found["two"].bias == 2.0
    for field in fields(BoostedTrees):
        assert np.array_equal(getattr(found["one"], field.name), getattr(tree, field.name))


def test_a_missing_value_takes_the_branch_of_the_node(tree):
    x = np.array([[0.0, np.nan]], np.float32)
    to_right = replace(tree, missing=np.zeros(3, np.uint8))
    odds = [np.log(p / (1 - p)) for p in (tree.probability(x)[0], to_right.probability(x)[0])]
    assert odds == pytest.approx([1.5, 2.5])


def test_a_model_of_other_features_is_refused(tree, tmp_path):
    write_trees(tmp_path / "model", {"one": tree}, FORMAT)
    for names in ({"one": ("a", "c")}, {"two": tree.names}):
        with pytest.raises(InputError, match="not made for the features"):
            read_trees(tmp_path / "model", names, FORMAT)


@pytest.mark.parametrize(
    "changed",
    [
        {"left": np.array([0, 0, 0], np.int32)},  # would go round for ever
        {"right": np.array([3, 0, 0], np.int32)},
        {"feature": np.array([2, -1, -1], np.int32)},
        {"root": np.array([-1], np.int32)},
        {"root": np.zeros((1, 1), np.int32)},
        {"feature": np.array([[0], [-1], [-1]], np.int32)},
        {"value": np.zeros(2, np.float32)},
        {"missing": np.zeros(2, np.uint8)},
    ],
    ids=[
        "circle",
        "beyond the end",
        "no such feature",
        "no such root",
        "roots in a table",
        "features in a table",
        "too few values",
        "too few marks",
    ],
)
def test_arrays_that_are_not_trees_are_refused(tree, changed, tmp_path):
    write_trees(tmp_path / "model", {"one": replace(tree, **changed)}, FORMAT)
    with pytest.raises(InputError, match="its trees are not trees"):
        read_trees(tmp_path / "model", {"one": tree.names}, FORMAT)


def test_the_models_that_come_with_webgrain_fit_the_features():
    models = trained_models()
    assert models is trained_models()
    assert {name: model.names for name, model in models.items()} == model_names()


def test_trees_of_classes_have_the_probabilities_of_the_learner():
    ensemble = pytest.importorskip("sklearn.ensemble", reason="scikit-learn is not installed")
    rng = np.random.default_rng(0)
    x = rng.random((200, 3)).astype(np.float32)
    classes = (x[:, 0] * 2 + x[:, 1]).astype(np.int64)
    assert set(classes.tolist()) == {0, 1, 2}
    models = learn_class_trees(x, classes, ("a", "b", "c"), max_iter=5)
    learner = ensemble.HistGradientBoostingClassifier(early_stopping=False, random_state=0, max_iter=5)
    odds = np.exp(odds_of(models, x).T)
    of_learner = learner.fit(x, classes).predict_proba(x)
    assert odds / odds.sum(axis=1, keepdims=True) == pytest.approx(of_learner, abs=1e-6)


def test_trees_of_two_classes_are_refused():
    with pytest.raises(ParameterError, match="three or more"):
        learn_class_trees(np.zeros((4, 1)), np.array([0, 0, 1, 1]), ("a",))
