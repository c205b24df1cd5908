"""Boosted decision trees as arrays, and several of them in one file.

Source: Friedman, Greedy function approximation: a gradient boosting machine, 2001. The scripts in
``experiments/training`` learn the trees; a missing value (NaN) takes the branch that was better in training.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from webgrain.arrays import Float32, Float64, Int32, UInt8
from webgrain.errors import InputError
from webgrain.modelfile import read_model, write_model
from webgrain.page.dom import ReadOnly
from webgrain.rowkernel import tree_sums

VERSION = 2
_ARRAYS = {
    **dict.fromkeys(("root", "feature", "left", "right"), np.int32),
    **dict.fromkeys(("threshold", "value"), np.float32),
    "missing": np.uint8,
}


@dataclass(frozen=True, slots=True, eq=False)
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
        trees = (self.root, self.feature, self.threshold, self.left, self.right, self.value, self.missing)
        odds: Float64 = self.bias + tree_sums(np.ascontiguousarray(x, np.float32), *trees)
        probability: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-500.0, 500.0)))
        return probability


def probabilities(
    models: Mapping[str, BoostedTrees], tables: Mapping[str, Float32 | Float64]
) -> list[Float64]:
    """Return the probability (b,) of each row of several tables, each by the model of its name."""
    return [models[name].probability(x) for name, x in tables.items()]


def write_trees(path: Path, models: Mapping[str, BoostedTrees], format_: str) -> None:
    """Write models by name to a file; those that `read_trees` returns give the same probabilities.

    format_: the name of the format, which states the purpose of the models.
    """
    heads = {name: {"bias": one.bias, "features": list(one.names)} for name, one in models.items()}
    arrays = {f"{name}.{part}": getattr(one, part) for name, one in models.items() for part in _ARRAYS}
    write_model(path, format_, VERSION, {"models": heads}, arrays)


def read_trees(path: Path, names: Mapping[str, tuple[str, ...]], format_: str) -> dict[str, BoostedTrees]:
    """Return the models in a file by name.

    names: the features of each model; `InputError` if the file lacks one of the models, or has one of other
    features.
    """
    head, arrays = read_model(path, format_, VERSION)
    heads = head.get("models")
    if not isinstance(heads, dict) or any(
        not isinstance(heads.get(name), dict) or heads[name].get("features") != list(features)
        for name, features in names.items()
    ):
        raise InputError(f"{path}: the {format_} is not made for the features of this version.")
    found = {}
    for name in names:
        try:
            parts = {
                part: np.ascontiguousarray(arrays[f"{name}.{part}"], kind) for part, kind in _ARRAYS.items()
            }
            model = BoostedTrees(names=names[name], bias=float(heads[name]["bias"]), **parts)
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"{path} contains a damaged {format_}: {error}.") from error
        if not _are_trees(model):
            raise InputError(f"{path} contains a damaged {format_}: its trees are not trees.")
        found[name] = model
    return found


def packaged_trees(
    package: str, file: str, names: Mapping[str, tuple[str, ...]], format_: str
) -> dict[str, BoostedTrees]:
    """Return models that come with webgrain, see `read_trees`; file: in the folder ``trained`` of it."""
    with as_file(files(package) / "trained" / file) as path:
        return read_trees(path, names, format_)


def _are_trees(model: BoostedTrees) -> bool:
    """Whether the arrays have one length and every path ends at a leaf."""
    n, node, inner = len(model.feature), np.arange(len(model.feature)), model.feature >= 0
    of_nodes = (model.threshold, model.left, model.right, model.value, model.missing)
    return bool(
        n
        and all(part.shape == (n,) for part in of_nodes)
        and model.feature.max() < len(model.names)
        and ((model.root >= 0) & (model.root < n)).all()
        and all(((child > node) & (child < n))[inner].all() for child in (model.left, model.right))
    )
