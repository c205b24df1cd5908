from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, read

from webgrain.base.errors import InputError, ParameterError
from webgrain.base.trees import BoostedTrees
from webgrain.page.outline import leaf_outline
from webgrain.segmentation.features.units import TREE_FEATURES, UNIT_FEATURES
from webgrain.segmentation.learntcut import (
    BlockModel,
    LearntCut,
    Regression,
    find_blocks,
    read_blocks,
    write_blocks,
)

F = len(UNIT_FEATURES)
"""Number of features of a page with boxes."""

TREE = BoostedTrees(
    tuple(feature.name for feature in UNIT_FEATURES),
    0.0,
    np.zeros(1, np.int32),
    np.array([0, -1, -1], np.int32),
    np.full(3, 0.5, np.float32),
    np.array([1, 0, 0], np.int32),
    np.array([2, 0, 0], np.int32),
    np.array([0.0, -9.0, 9.0], np.float32),
    np.ones(3, np.uint8),
)
"""One split: up to .5 of the first feature the log odds are -9, above 9."""


def random_model(seed=0, layout="lines"):
    rng = np.random.default_rng(seed)
    n = F if layout == "lines" else len(TREE_FEATURES)
    chances = [
        Regression(*rng.normal(size=(2, n)), 1.0 + rng.random(n), float(rng.normal())) for _ in range(4)
    ]
    return BlockModel("mine", *chances)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_what_is_written_is_read(tmp_path, layout):
    model = random_model(layout=layout)
    assert model.has_boxes == (layout == "lines")
    write_blocks(tmp_path / "m.json", model)
    again = read_blocks(tmp_path / "m.json")
    x = np.random.default_rng(1).random((5, len(model.opened.weight)))
    for name in ("opened", "joins", "passes", "marked"):
        np.testing.assert_allclose(getattr(again, name).odds(x), getattr(model, name).odds(x), atol=1e-3)
    write_blocks(tmp_path / "again.json", again)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_boosted_trees_are_written_and_read(tmp_path):
    write_blocks(tmp_path / "m.json", replace(random_model(), opened=TREE))
    x = np.zeros((2, F))
    x[1, 0] = 1.0
    assert read_blocks(tmp_path / "m.json").opened.odds(x).tolist() == [-9.0, 9.0]


def test_trees_that_are_computed_together_have_the_odds_of_each():
    outline = leaf_outline(read(BLOG, "lines"))
    x = np.random.default_rng(2).random((len(outline), F)).astype(np.float32)
    other = replace(TREE, bias=0.25)
    odds = BlockModel("mine", TREE, other, TREE, TREE).odds(outline, x)
    alone = replace(random_model(), opened=TREE, joins=other).odds(outline, x)
    assert odds[:2].tolist() == alone[:2].tolist()
    assert odds[0, outline.inner].tolist() == TREE.odds(x[outline.inner]).tolist()
    assert odds[2].tolist() == TREE.odds(x).tolist()


def test_a_model_of_an_earlier_version_gives_one_sentence(tmp_path):
    write_blocks(tmp_path / "m.json", random_model())
    content = json.loads((tmp_path / "m.json").read_text("utf-8"))
    content["opened"]["trees"] = {"bias": 0.0}
    (tmp_path / "m.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match="mean of two models: learn it again"):
        read_blocks(tmp_path / "m.json")


def test_a_model_without_marked_units_gives_one_sentence(tmp_path):
    write_blocks(tmp_path / "m.json", random_model())
    content = json.loads((tmp_path / "m.json").read_text("utf-8"))
    del content["marked"]
    (tmp_path / "m.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match="no probability that a unit is marked: learn it again"):
        read_blocks(tmp_path / "m.json")


@pytest.mark.parametrize(
    "change",
    [
        {"left": "0 1 2"},
        {"root": "7"},
        {"value": "0.0"},
        {"bias": "a"},
        {"feature": None},
        {"root": "x"},
        {"missing": "0 0 999"},
    ],
)
def test_damaged_trees_give_one_sentence(tmp_path, change):
    write_blocks(tmp_path / "m.json", replace(random_model(), joins=TREE))
    content = json.loads((tmp_path / "m.json").read_text("utf-8"))
    content["joins"]["trees"] |= change
    (tmp_path / "m.json").write_text(json.dumps(content), "utf-8")
    with pytest.raises(InputError, match=r"damaged|trees"):
        read_blocks(tmp_path / "m.json")


def test_a_loaded_model_gives_the_same_segments(tmp_path):
    page, model = read(BLOG, "lines"), random_model()
    write_blocks(tmp_path / "m.json", model)
    first, again = (LearntCut(model=one).predict(page) for one in (model, read_blocks(tmp_path / "m.json")))
    assert first.labels.tolist() == again.labels.tolist()
    assert find_blocks(model, page) is model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected .format."),
        ({"version": 9}, "version 3, got 9"),
        ({"joins": {"bias": 0.0, "features": {}}}, "other features"),
        ({"joins": None}, "damaged"),
        ({"opened": {"bias": "a", "features": {}}}, "other features"),
        ({"passes": [1, 2]}, "damaged"),
    ],
)
def test_a_damaged_file_gives_one_sentence(tmp_path, change, message):
    path = tmp_path / "m.json"
    write_blocks(path, random_model())
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_blocks(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", ["weight", "mean", "deviation", "bias"])
def test_files_that_are_no_models_are_rejected(wrong):
    good = {"weight": np.zeros(F), "mean": np.zeros(F), "deviation": np.ones(F), "bias": 0.0}
    bad = np.nan if wrong == "bias" else np.full(F, np.nan)
    with pytest.raises(ParameterError, match="Regression"):
        Regression(**(good | {wrong: bad}))
    with pytest.raises(ParameterError, match="Regression"):
        Regression(**(good | {"deviation": np.zeros(F)}))
