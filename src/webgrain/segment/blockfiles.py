"""Block models as files: JSON that a person can read, and those that come with webgrain.

{"format": "webgrain block model", "version": 1, "name": "mine",
 "opened": {"bias": -2.0, "features": {"leaves": {"weight": 0.3, "mean": 2.1, "deviation": 0.9}, ...}},
 "joins": ..., "passes": ...}
"""

from __future__ import annotations

from functools import cache
from importlib.resources import as_file, files
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.errors import InputError, ParameterError
from webgrain.modelfile import read_model, write_model
from webgrain.segment.blockmodel import BlockModel, UnitLogistic
from webgrain.segment.unitfeatures import UNIT_FEATURES

if TYPE_CHECKING:
    from collections.abc import Mapping
    from pathlib import Path

    from webgrain.page.page import Page

FORMAT = "webgrain block model"
VERSION = 1

TRAINED = "trained"
"""Name of the models that come with webgrain: one for pages rendered by a browser, one for all others."""

_CHANCES = ("opened", "joins", "passes")
_COLUMNS = ("weight", "mean", "deviation")


def write_blocks(path: Path, model: BlockModel) -> None:
    """Write a model to a file; what `read_blocks` makes of it gives the same chances."""
    write_model(path, FORMAT, VERSION, blocks_told(model))


def read_blocks(path: Path) -> BlockModel:
    """Return the model in a file; `InputError` where it cannot be read or holds none."""
    return blocks_from(path, read_model(path, FORMAT, VERSION)[0])


def blocks_told(model: BlockModel) -> dict[str, Any]:
    """Return plain values that stand for a model, see `blocks_from`."""
    return {"name": model.name} | {it: _told(getattr(model, it)) for it in _CHANCES}


def blocks_from(path: Path, told: Mapping[str, Any]) -> BlockModel:
    """Return the model that ``told`` stands for; `InputError`, naming ``path``, for none."""
    try:
        return BlockModel(str(told["name"]), *(_logistic(told[it]) for it in _CHANCES))
    except KeyError as error:
        raise InputError(f"{path}: the model lacks {error}.") from error
    except (TypeError, ValueError, AttributeError, OverflowError, ParameterError) as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}") from error


def find_blocks(model: BlockModel | str, page: Page) -> BlockModel:
    """Return the model of that name for ``page``, or the given one."""
    if isinstance(model, BlockModel):
        return model
    return _trained("chromium" if page.view is not None and page.view.source == "chromium" else "estimate")


@cache
def _trained(layout: str) -> BlockModel:
    with as_file(files("webgrain.segment") / "trained" / f"blocks-{layout}.json") as path:
        return read_blocks(path)


def _told(chance: UnitLogistic) -> dict[str, Any]:
    columns = np.stack([chance.weight, chance.mean, chance.deviation], axis=1).tolist()
    names = [feature.name for feature in UNIT_FEATURES]
    features = {
        name: dict(zip(_COLUMNS, (float(f"{value:.6g}") for value in row), strict=True))
        for name, row in zip(names, columns, strict=True)
    }
    return {"bias": float(f"{chance.bias:.6g}"), "features": features}


def _logistic(told: Any) -> UnitLogistic:
    features = told["features"]
    columns = np.array([[features[f.name][it] for it in _COLUMNS] for f in UNIT_FEATURES], np.float64)
    weight, mean, deviation = np.ascontiguousarray(columns.T)
    return UnitLogistic(weight, mean, deviation, float(told["bias"]))
