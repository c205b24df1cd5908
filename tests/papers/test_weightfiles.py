from __future__ import annotations

import json

import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, read

from webgrain.base.errors import InputError
from webgrain.base.estimator import family
from webgrain.papers.weights import UNIFORM, Weights, find_weights, read_weights, write_weights
from webgrain.segmentation.method import TRAINED


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read(tmp_path, layout):
    weights = find_weights(TRAINED, read(BLOG, layout))
    write_weights(tmp_path / "w.json", weights)
    assert read_weights(tmp_path / "w.json") == weights
    assert weights.parameters["gcuts"]["lam"] > 0


@pytest.mark.parametrize("layout", LAYOUTS)
def test_weights_come_with_webgrain_for_pages_with_boxes_and_without(layout):
    weights = find_weights(TRAINED, read(BLOG, layout))
    assert set(weights.parameters) == set(family("segmentation")) - {"learntcut"}
    assert ("y" in weights.node) == (layout == "lines")


def test_weights_are_found_by_name_or_are_what_was_given():
    page = read(BLOG)
    assert find_weights("uniform", page).node is UNIFORM.node
    assert set(find_weights("uniform", page).parameters) == {"gcuts-nl", "cclus-nl"}
    mine = Weights("mine", {}, UNIFORM.adjacent, UNIFORM.pairs)
    assert find_weights(mine, page) is mine


TERM = {"weight": 1.0, "mean": 0.0, "deviation": 1.0}


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected .format."),
        ({"version": 1}, "version 3, got 1"),
        ({"node": {"colour": TERM}}, "names of features, got colour"),
        ({"node": {"y": TERM | {"weight": -1.0}}}, "at least 0"),
        ({"node": {"y": TERM | {"weight": "1"}}}, "a number for weight"),
        ({"node": {"y": TERM | {"deviation": 0.0}}}, "deviations, got y"),
        ({"node": {"y": TERM | {"mean": float("nan")}}}, "finite"),
        ({"node": {"y": TERM | {"mean": 10**400}}}, "damaged"),
        ({"node": {"y": TERM | {"shift": 1.0}}}, "damaged"),
        ({"node": {"y": 4.0}}, "damaged"),
        ({"node": [1.0]}, "damaged"),
        ({"adjacent": {"terms": {}}}, "lacks 'bias'"),
        ({"adjacent": {"terms": {}, "bias": None}}, "a number for bias"),
        ({"adjacent": {"terms": {}, "bias": float("inf")}}, "finite bias"),
        ({"pairs": None}, "damaged"),
        ({"parameters": {"gcuts": {"lam": float("nan")}}}, "finite parameters"),
        ({"parameters": [1]}, "damaged"),
        ({"metric": {"colour": [1.0]}}, "names of features, got colour"),
        ({"metric": {"y": [1.0], "x": [1.0, 2.0]}}, "vectors of one length"),
        ({"metric": {"y": [float("inf")]}}, "finite vectors"),
        ({"metric": {"y": 1.0}}, "damaged"),
    ],
)
def test_other_files_give_one_sentence(tmp_path, change, message):
    path = tmp_path / "w.json"
    write_weights(path, UNIFORM)
    path.write_text(json.dumps(json.loads(path.read_text()) | change))
    with pytest.raises(InputError, match=message):
        read_weights(path)


@pytest.mark.parametrize("name", ["node", "adjacent", "pairs", "parameters", "metric", "name"])
def test_an_incomplete_file_is_an_error(tmp_path, name):
    path = tmp_path / "w.json"
    write_weights(path, UNIFORM)
    result = json.loads(path.read_text())
    del result[name]
    path.write_text(json.dumps(result))
    with pytest.raises(InputError, match=f"lacks '{name}'"):
        read_weights(path)
