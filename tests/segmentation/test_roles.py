from __future__ import annotations

import numpy as np
import pytest

from webgrain.base.errors import ParameterError
from webgrain.base.trees import odds_of
from webgrain.labeling.app import ROLE_KEYS as KEYS
from webgrain.segmentation import segmenter
from webgrain.segmentation.features.segments import SEGMENT_FEATURES
from webgrain.segmentation.segmenter import ROLES, Linear, RoleModel, fit_roles
from webgrain.segmentation.thresholds import MIN_ROLE_ROWS

pytest.importorskip("sklearn", reason="scikit-learn is not installed")


def rows(**count):
    """Segments of roles that differ in one feature."""
    roles = [role for role, n in count.items() for _ in range(n)]
    x = np.zeros((len(roles), len(SEGMENT_FEATURES)))
    x[:, 0] = [list(count).index(role) for role in roles]
    return x, roles


def test_the_labelling_tool_knows_the_same_roles():
    assert set(ROLES) == set(KEYS)


def test_the_role_and_how_probable_it_is():
    x, roles = rows(menu=30, ad=30, logo=30)
    found = fit_roles(x, roles).roles(x[[0, 89]])
    assert found.names == ("menu", "logo")
    assert ((found.probability > 1 / 3) & (found.probability <= 1)).all()


def test_rare_roles_are_not_learnt():
    x, roles = rows(menu=20, ad=20, table=MIN_ROLE_ROWS - 1)
    assert fit_roles(x, roles).linear.classes == ("ad", "menu")


def test_segments_without_a_role_are_ignored():
    x, roles = rows(menu=10, ad=10)
    with_none = fit_roles(np.concatenate([x, x]), [*roles, *[None] * 20])
    assert with_none.linear.bias == pytest.approx(fit_roles(x, roles).linear.bias)


@pytest.mark.parametrize("count", [{}, {"menu": 3}, {"menu": 50}])
def test_a_single_role_gives_no_model(count):
    assert fit_roles(*rows(**count)) is None


def test_a_rare_role_is_named_before_it_is_the_most_probable():
    linear = Linear(("ad", "menu"), np.zeros((2, 1)), np.log([0.4, 0.6]))
    found = RoleModel(linear, np.array([0.1, 0.9])).roles(np.zeros((1, 1)))
    assert found.names == ("ad",)
    assert found.probability == pytest.approx([0.4])


@pytest.fixture
def with_trees(monkeypatch):
    """A model that is learnt with trees, since its role depends on two features together."""
    monkeypatch.setattr(segmenter, "MIN_ROLE_TREE_ROWS", 100)
    rng = np.random.default_rng(0)
    x = np.zeros((600, len(SEGMENT_FEATURES)))
    x[:, :2] = rng.random((600, 2)) > 0.5
    x[:, 2] = rng.random(600) > 0.8
    odd = (x[:, 0] != x[:, 1]).tolist()
    roles = np.where(x[:, 2] > 0, "ad", np.where(odd, "menu", "logo")).tolist()
    return x, roles, fit_roles(x, roles)


def test_trees_learn_roles_that_depend_on_two_features_together(with_trees):
    x, roles, model = with_trees
    assert len(model.trees) == len(model.linear.classes) == 3
    right = np.mean([name == role for name, role in zip(model.roles(x).names, roles, strict=True)])
    plain = RoleModel(model.linear, model.share).roles(x).names
    assert right == 1.0
    assert np.mean([name == role for name, role in zip(plain, roles, strict=True)]) < 0.9


def test_the_probability_is_the_geometric_mean_of_regression_and_trees(with_trees):
    x, _, model = with_trees
    of_trees = segmenter.softmax(odds_of(model.trees, x).T)
    both = np.sqrt(model.linear.probability(x) * of_trees)
    assert model.probability(x) == pytest.approx(both / both.sum(axis=1, keepdims=True))
    assert model.probability(x[:0]).shape == (0, 3)


def test_trees_of_roles_are_saved(with_trees, tmp_path):
    x, _, model = with_trees
    segmenter.write_classifier(tmp_path / "a.roles", segmenter.RoleClassifier(model))
    again = segmenter.read_classifier(tmp_path / "a.roles").roles
    assert again.roles(x).names == model.roles(x).names
    assert odds_of(again.trees, x).tolist() == odds_of(model.trees, x).tolist()


def test_trees_of_other_roles_are_refused(with_trees):
    _, _, model = with_trees
    with pytest.raises(ParameterError, match="trees of each role"):
        RoleModel(model.linear, model.share, model.trees[:2])


def test_damaged_shares_are_refused():
    with pytest.raises(ParameterError, match="share"):
        RoleModel(Linear(("ad",), np.zeros((1, 1)), np.zeros(1)), np.zeros(1))
