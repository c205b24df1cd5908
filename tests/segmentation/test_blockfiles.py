from __future__ import annotations

import json

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.errors import InputError, ParameterError
from webgrain.segmentation.features.units import UNIT_FEATURES
from webgrain.segmentation.learntcut import (
    BlockModel,
    LearntCut,
    UnitLogistic,
    find_blocks,
    read_blocks,
    write_blocks,
)

F = len(UNIT_FEATURES)


def random_model(seed=0):
    rng = np.random.default_rng(seed)
    chances = [
        UnitLogistic(*rng.normal(size=(2, F)), 1.0 + rng.random(F), float(rng.normal())) for _ in range(3)
    ]
    return BlockModel("mine", *chances)


def test_what_is_written_is_read(tmp_path):
    model = random_model()
    write_blocks(tmp_path / "m.json", model)
    again = read_blocks(tmp_path / "m.json")
    x = np.random.default_rng(1).random((5, F))
    for name in ("opened", "joins", "passes"):
        np.testing.assert_allclose(getattr(again, name).chance(x), getattr(model, name).chance(x), atol=1e-3)
    write_blocks(tmp_path / "again.json", again)
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


def test_a_model_segments_alike_after_it_was_read(tmp_path):
    page, model = read(BLOG, "estimate"), random_model()
    write_blocks(tmp_path / "m.json", model)
    first, again = (LearntCut(model=one).predict(page) for one in (model, read_blocks(tmp_path / "m.json")))
    assert first.labels.tolist() == again.labels.tolist()
    assert find_blocks(model, page) is model


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"format": "other"}, "expected .format."),
        ({"version": 9}, "version 1, got 9"),
        ({"joins": {"bias": 0.0, "features": {}}}, "lacks"),
        ({"joins": None}, "damaged"),
        ({"opened": {"bias": "a", "features": {}}}, "lacks|damaged"),
        ({"passes": [1, 2]}, "damaged"),
    ],
)
def test_a_damaged_file_is_told_in_one_sentence(tmp_path, change, message):
    path = tmp_path / "m.json"
    write_blocks(path, random_model())
    path.write_text(json.dumps(json.loads(path.read_text("utf-8")) | change), "utf-8")
    with pytest.raises(InputError, match=message) as error:
        read_blocks(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("wrong", ["weight", "mean", "deviation", "bias"])
def test_models_that_are_none_are_refused(wrong):
    good = {"weight": np.zeros(F), "mean": np.zeros(F), "deviation": np.ones(F), "bias": 0.0}
    bad = np.nan if wrong == "bias" else np.full(F, np.nan)
    with pytest.raises(ParameterError, match="UnitLogistic"):
        UnitLogistic(**(good | {wrong: bad}))
    with pytest.raises(ParameterError, match="UnitLogistic"):
        UnitLogistic(**(good | {"deviation": np.zeros(F)}))
