from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, read

from webgrain.base.errors import InputError
from webgrain.base.estimator import create
from webgrain.base.modelfile import read_model, write_model
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.segmenter import (
    ROLES,
    ROLES_FORMAT,
    ROLES_VERSION,
    RoleClassifier,
    classifier_to_dict,
    read_classifier,
    trained,
    write_classifier,
)


def cut(page, name="learntcut"):
    return create(name).predict(page)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", ["learntcut", "gcuts", "cclus"])
def test_segments_have_a_role_and_its_confidence(layout, name):
    page = read(BLOG, layout)
    plain = cut(page, name)
    result = trained(page).classify(page, plain)
    assert result.labels.tolist() == plain.labels.tolist()
    assert set(result.roles) <= set(ROLES)
    assert len(result.roles) == len(result.confidence) == len(result)
    for share in (result.role_probability, result.confidence):
        assert ((share > 0) & (share < 1)).all()


def test_the_models_are_those_of_the_layout():
    with_boxes, without = trained(read(BLOG, "lines")), trained(read(BLOG))
    assert with_boxes is not without
    assert (with_boxes.has_boxes, without.has_boxes) == (True, False)


def test_a_method_that_is_not_known_gets_roles_only():
    page = read(BLOG)
    result = trained(page).classify(page, replace(cut(page), method="mine"))
    assert result.confidence is None
    assert result.roles


def test_no_input_gives_no_prediction():
    page = read("<div hidden>x</div>")
    nothing = Segmentation(np.full(len(page.dom), -1, np.int32), "learntcut")
    assert trained(page).classify(page, nothing) is nothing
    plain = cut(read(BLOG))
    assert RoleClassifier().classify(read(BLOG), plain) is plain


def test_what_is_written_is_read(tmp_path):
    page = read(BLOG, "lines")
    write_classifier(tmp_path / "a", trained(page))
    write_classifier(tmp_path / "b", read_classifier(tmp_path / "a"))
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    found = [models.classify(page, cut(page)) for models in (trained(page), read_classifier(tmp_path / "a"))]
    assert found[0].roles == found[1].roles
    assert found[0].confidence.tolist() == found[1].confidence.tolist()
    write_classifier(tmp_path / "c", RoleClassifier())
    assert read_classifier(tmp_path / "c") == RoleClassifier()


def test_models_hold_names_and_numbers_only():
    result, arrays = classifier_to_dict(trained(read(BLOG)))
    assert set(result) == {"features", "classes", "blocks", "trees"}
    assert len(result["trees"]) == len(result["classes"]["roles"])
    for trees in result["trees"]:
        assert all(float(number) < np.inf for numbers in trees.values() for number in str(numbers).split())
    assert set(result["classes"]["roles"]) <= set(ROLES)
    assert {array.dtype for array in arrays.values()} == {np.dtype(np.float32)}


PARTS = ("root", "feature", "left", "right", "threshold", "value", "missing")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"features": ["x"]}, "other features: learn them again"),
        ({"classes": None}, "damaged roles"),
        ({"classes": {"roles": ["a"]}}, "damaged roles: Linear: expected weights"),
        ({"classes": {"other": ["a"]}}, "damaged roles"),
        ({"trees": 3}, "damaged roles"),
        ({"trees": [{}]}, "damaged roles"),
        ({"trees": [dict.fromkeys(PARTS, "1") | {"bias": 0.0}]}, "damaged roles: its trees are not trees"),
    ],
)
def test_damaged_models_are_refused_in_a_sentence(tmp_path, change, message):
    result, arrays = classifier_to_dict(trained(read(BLOG)))
    write_model(tmp_path / "a", ROLES_FORMAT, ROLES_VERSION, result | change, arrays)
    with pytest.raises(InputError, match=message):
        read_classifier(tmp_path / "a")


def test_an_older_version_is_refused(tmp_path):
    write_model(tmp_path / "a", ROLES_FORMAT, 0, {})
    with pytest.raises(InputError, match=f"of version {ROLES_VERSION}, got 0"):
        read_classifier(tmp_path / "a")
    assert read_model(tmp_path / "a", ROLES_FORMAT, 0) == ({}, {})
