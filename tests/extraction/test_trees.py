"""Trees in files: they are read as they were written, and damaged files are refused."""

from __future__ import annotations

from dataclasses import fields, replace

import numpy as np
import pytest

from webgrain.errors import InputError
from webgrain.extraction.features import feature_names
from webgrain.extraction.single import BoostedTrees, read_trees, trained_trees, write_trees


@pytest.fixture
def tree():
    ints, zeros = (lambda *x: np.array(x, np.int32)), np.zeros(3)
    return BoostedTrees(
        ("a", "b"), 0.5, ints(0), ints(1, -1, -1), zeros, ints(1, 0, 0), ints(2, 0, 0), np.arange(3.0)
    )


def test_a_model_is_read_as_it_was_written(tree, tmp_path):
    write_trees(tmp_path / "model", tree)
    found = read_trees(tmp_path / "model", tree.names)
    for field in fields(BoostedTrees):
        assert np.array_equal(getattr(found, field.name), getattr(tree, field.name))


def test_a_model_of_other_features_is_refused(tree, tmp_path):
    write_trees(tmp_path / "model", tree)
    with pytest.raises(InputError, match="not made for the features"):
        read_trees(tmp_path / "model", ("a", "c"))


@pytest.mark.parametrize(
    "changed",
    [
        {"left": np.array([0, 0, 0], np.int32)},  # would go round for ever
        {"right": np.array([3, 0, 0], np.int32)},
        {"feature": np.array([2, -1, -1], np.int32)},
        {"root": np.array([-1], np.int32)},
        {"value": np.zeros(2)},
    ],
    ids=["circle", "beyond the end", "no such feature", "no such root", "too few values"],
)
def test_arrays_that_are_not_trees_are_refused(tree, changed, tmp_path):
    write_trees(tmp_path / "model", replace(tree, **changed))
    with pytest.raises(InputError, match="its trees are not trees"):
        read_trees(tmp_path / "model", tree.names)


def test_a_model_comes_with_webgrain():
    model = trained_trees()
    assert model is trained_trees()
    assert set(np.unique(model.feature)) <= set(range(-1, len(feature_names())))
