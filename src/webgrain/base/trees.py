"""Boosted decision trees as arrays, and several of them in one file.

Source: Friedman, Greedy function approximation: a gradient boosting machine, 2001. scikit-learn learns the
trees; a missing value (NaN) takes the branch that was better in training.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import as_file, files
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from webgrain.base.arrays import Float32, Float64, Int32, Int64, UInt8
from webgrain.base.errors import InputError, ParameterError, require
from webgrain.base.modelfile import intact, read_model, write_model
from webgrain.base.readonly import ReadOnly
from webgrain.base.rowkernel import Forest, tree_lanes

VERSION = 2
_FEW_ROWS = 8  # below this number, lanes take longer than one row after the other (measured in an audit)
_LARGE = 1e38  # a split that separates missing values has the threshold infinity
_ARRAYS = {
    **dict.fromkeys(("root", "feature", "left", "right"), np.int32),
    **dict.fromkeys(("threshold", "value"), np.float32),
    "missing": np.uint8,
}
_OF_NODES = ("feature", "threshold", "left", "right", "value", "missing")


@dataclass(frozen=True, eq=False)
class BoostedTrees(ReadOnly):
    """Decision trees whose sum is the log odds of a class; all arrays read-only.

    Attributes:
        names: of the features, in the order of the columns.
        bias: the sum without any tree.
        root: (t,) int32, the first node of each tree.
        feature: (n,) int32, the column that a node tests, -1 at a leaf.
        threshold: (n,) float32; a row with at most this value goes left.
        left, right: (n,) int32, the children, both after their parent.
        value: (n,) float32, what a leaf adds.
        missing: (n,) uint8, 1 if a row without the value goes left.
    """

    names: tuple[str, ...]
    bias: float
    root: Int32
    feature: Int32
    threshold: Float32
    left: Int32
    right: Int32
    value: Float32
    missing: UInt8

    def probability(self, x: Float32 | Float64) -> Float64:
        """Return the probability (b,) of each row of features (b, f); NaN: the value is missing.

        >>> nodes = np.array([1, 1, 2], np.int32), np.array([2, 1, 2], np.int32)
        >>> tree = BoostedTrees(("a",), 0.0, np.zeros(1, np.int32), np.array([0, -1, -1], np.int32),
        ...                     np.zeros(3, np.float32), *nodes, np.array([0.0, -3.0, 3.0], np.float32),
        ...                     np.ones(3, np.uint8))
        >>> tree.probability(np.array([[-1.0], [1.0], [np.nan]], np.float32)).round(2).tolist()
        [0.05, 0.95, 0.05]
        """
        probability: Float64 = probabilities([self], x)[0]
        return probability

    def odds(self, x: Float32 | Float64) -> Float64:
        """Return the log odds (b,) of each row of features (b, f).

        x may have any order in memory. It is fastest if it is float32 and each feature is contiguous, as in
        ``columns.T``.
        """
        odds: Float64 = odds_of([self], x)[0]
        return odds


def odds_of(models: Sequence[BoostedTrees], x: Float32 | Float64) -> Float64:
    """Return the log odds (h, b) of each row of features (b, f), by each of h models of these features."""
    odds: Float64 = _joined(*models).odds(np.asarray(x, np.float32), _FEW_ROWS)
    return odds


def probabilities(models: Sequence[BoostedTrees], x: Float32 | Float64) -> Float64:
    """Return the probabilities (h, b) with the log odds of `odds_of`."""
    probability: Float64 = _joined(*models).probabilities(np.asarray(x, np.float32), _FEW_ROWS)
    return probability


def forest_arrays(models: Sequence[BoostedTrees]) -> tuple[Float64, tuple[Any, ...], tuple[Any, ...]]:
    """Return bias, nodes and lanes of models of the same features, as `webgrain.base.rowkernel.Forest`."""
    sizes = [len(model.feature) for model in models]
    first_node = np.cumsum([0, *sizes[:-1]], dtype=np.int32)
    of_node = np.repeat(first_node, sizes)
    trees = [len(model.root) for model in models]
    heads = np.cumsum([0, *trees], dtype=np.int32)
    root = np.concatenate([model.root for model in models]) + np.repeat(first_node, trees)
    feature, threshold, left, right, value, missing = (
        np.concatenate([getattr(model, name) for model in models]) for name in _OF_NODES
    )
    nodes = root, feature, threshold, left + of_node, right + of_node, value, missing
    lanes: tuple[Any, ...] = ()
    if (arrays := tree_lanes(*nodes)) is not None:
        of_lanes, *others = arrays
        column, place = np.unique(np.append(-1, of_lanes), return_inverse=True)
        lanes = column[1:].astype(np.int32), (place[1:] - 1).astype(np.int32), *others
    return np.array([model.bias for model in models]), (heads, *nodes), lanes


@lru_cache(maxsize=64)
def _joined(*models: BoostedTrees) -> Any:
    return Forest(*forest_arrays(models))  # type: ignore[no-untyped-call]


def learn_trees(
    x: Float32 | Float64,
    truth: Float64,
    weight: Float64,
    names: tuple[str, ...],
    *,
    random_state: int = 0,
    **settings: Any,
) -> BoostedTrees:
    """Return the trees learnt from features (r, f), named; the same for the same input.

    truth: (r,) shares between 0 and 1; a row with a share between them is a row of each kind. weight: (r,).
    settings: of HistGradientBoostingClassifier; there is no early stopping.

    `ParameterError` if all rows have the same truth; `MissingExtraError` without scikit-learn.
    """
    yes = (truth > 0) & (weight > 0)
    no = (truth < 1) & (weight > 0)
    if not (yes.any() and no.any()):
        raise ParameterError("learn_trees expects rows of both kinds, got rows of one kind only.")
    ensemble = require("sklearn.ensemble", "learn", "learning boosted trees")
    learner = ensemble.HistGradientBoostingClassifier(
        early_stopping=False, random_state=random_state, **settings
    )
    weight_of_yes = (weight * truth)[yes]
    weight_of_no = (weight * (1.0 - truth))[no]
    both = np.concatenate([weight_of_yes, weight_of_no])
    missing = np.isnan(x).all(axis=0)
    if missing.any():  # the library rejects a column without values; one with a single value is not used
        x = np.where(missing, np.zeros(1, x.dtype), x)
    learner.fit(
        np.concatenate([x[yes], x[no]]),
        np.repeat([1, 0], [yes.sum(), no.sum()]),
        sample_weight=both / both.mean(),
    )
    return as_arrays(learner, names)


def learn_class_trees(
    x: Float32 | Float64,
    classes: Int64,
    names: tuple[str, ...],
    *,
    random_state: int = 0,
    **settings: Any,
) -> tuple[BoostedTrees, ...]:
    """Return the trees of each of three or more classes, learnt from features (r, f), named.

    The probability of a class is the softmax of the log odds of all (`odds_of`). classes: (r,) the class of
    each row, 0 to c - 1, each with a row; settings: as for `learn_trees`.

    `ParameterError` for fewer classes; `MissingExtraError` without scikit-learn.
    """
    number = len(np.unique(classes))
    if number < 3 or classes.max() >= number:
        raise ParameterError(f"learn_class_trees expects rows of three or more classes, got {number}.")
    ensemble = require("sklearn.ensemble", "learn", "learning boosted trees")
    learner = ensemble.HistGradientBoostingClassifier(
        early_stopping=False, random_state=random_state, **settings
    )
    learner.fit(x, classes)
    return tuple(as_arrays(learner, names, k) for k in range(number))


def as_arrays(learner: Any, names: tuple[str, ...], of_class: int = 0) -> BoostedTrees:
    """Return the trees of scikit-learn's learner as arrays.

    of_class: the class of the trees if the learner has three or more.
    """
    trees = [stage[of_class].nodes for stage in learner._predictors]  # it has no public way to them
    root = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate(trees)
    offset = np.repeat(root[:-1], list(map(len, trees)))
    leaf = nodes["is_leaf"].astype(bool)
    return BoostedTrees(
        names=names,
        bias=float(np.ravel(learner._baseline_prediction)[of_class]),
        root=root[:-1].astype(np.int32),
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]).clip(-_LARGE, _LARGE).astype(np.float32),
        left=np.where(leaf, 0, nodes["left"] + offset).astype(np.int32),
        right=np.where(leaf, 0, nodes["right"] + offset).astype(np.int32),
        value=np.where(leaf, nodes["value"], 0.0).astype(np.float32),
        missing=np.where(leaf, 0, nodes["missing_go_to_left"]).astype(np.uint8),
    )


def trees_to_dict(model: BoostedTrees) -> dict[str, Any]:
    """Return a model as plain values without the names of its features, for `trees_from_dict`.

    Each array is a text of numbers, with nine digits, with which no float32 changes.
    """
    return {"bias": model.bias} | {
        name: " ".join(f"{x:.9g}" for x in getattr(model, name).tolist()) for name in _ARRAYS
    }


def trees_from_dict(values: Mapping[str, Any], names: tuple[str, ...]) -> BoostedTrees:
    """Return a model from plain values; wrong values raise one of `webgrain.base.modelfile.DAMAGED`."""
    return _trees(names, values["bias"], {name: values[name].split() for name in _ARRAYS})


def write_trees(path: Path, models: Mapping[str, BoostedTrees], format_: str) -> None:
    """Write models by name to a file; those that `read_trees` returns give the same probabilities.

    format_: the name of the format, which states the purpose of the models.
    """
    heads = {name: {"bias": model.bias, "features": list(model.names)} for name, model in models.items()}
    arrays = {f"{name}.{part}": getattr(model, part) for name, model in models.items() for part in _ARRAYS}
    write_model(path, format_, VERSION, {"models": heads}, arrays)


def read_trees(path: Path, names: Mapping[str, tuple[str, ...]], format_: str) -> dict[str, BoostedTrees]:
    """Return the models in a file by name.

    names: the features of each model; `InputError` if the file lacks one of the models, or has one of other
    features.
    """
    head, arrays = read_model(path, format_, VERSION)
    heads = head.get("models")
    models = {}
    for name, features in names.items():
        values = heads.get(name) if isinstance(heads, dict) else None
        if not isinstance(values, dict) or values.get("features") != list(features):
            raise InputError(f"{path}: the {format_} is not made for the features of this version.")
        with intact(path, format_):
            parts = {part: arrays[f"{name}.{part}"] for part in _ARRAYS}
            models[name] = _trees(features, values["bias"], parts)
    return models


def packaged_trees(
    package: str, file: str, names: Mapping[str, tuple[str, ...]], format_: str
) -> dict[str, BoostedTrees]:
    """Return models that come with webgrain, see `read_trees`; file: in the folder ``trained`` of it."""
    with as_file(files(package) / "trained" / file) as path:
        return read_trees(path, names, format_)


def _trees(names: tuple[str, ...], bias: Any, parts: Mapping[str, ArrayLike]) -> BoostedTrees:
    """Return a model; `ValueError` unless the arrays have one length and every path ends at a leaf."""
    arrays: dict[str, Any] = {
        name: np.ascontiguousarray(parts[name], dtype) for name, dtype in _ARRAYS.items()
    }
    model = BoostedTrees(names=names, bias=float(bias), **arrays)
    n, node, inner = len(model.feature), np.arange(len(model.feature)), model.feature >= 0
    of_nodes = (model.threshold, model.left, model.right, model.value, model.missing)
    if not (
        n
        and model.root.ndim == 1
        and all(part.shape == (n,) for part in (model.feature, *of_nodes))
        and model.feature.max() < len(model.names)
        and ((model.root >= 0) & (model.root < n)).all()
        and all(((child > node) & (child < n))[inner].all() for child in (model.left, model.right))
        and math.isfinite(model.bias)
        and np.isfinite(model.value).all()
    ):
        raise ValueError("its trees are not trees")
    return model
