"""A sum of decision trees as arrays: how it is kept in a file, and what it gives for rows of features."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from importlib.resources import as_file, files
from pathlib import Path

import numpy as np

from webgrain.arrays import Float64, Int32
from webgrain.errors import InputError
from webgrain.extraction.boosting import tree_sums
from webgrain.modelfile import read_model, write_model
from webgrain.page.dom import freeze

FORMAT = "webgrain main content"
VERSION = 1
_ARRAYS = {
    "root": np.int32,
    "feature": np.int32,
    "threshold": np.float64,
    "left": np.int32,
    "right": np.int32,
    "value": np.float64,
}


@dataclass(frozen=True, slots=True, eq=False)
class Boosted:
    """Decision trees whose sum is the logarithm of the odds; all arrays read-only.

    Attributes:
        names: of the features, in the order of the columns.
        bias: the sum of no trees.
        root: (t,) int32, the first node of each tree.
        feature: (n,) int32, the column that a node looks at, -1 at a leaf.
        threshold: (n,) float64; a row with at most that goes left.
        left, right: (n,) int32, the children, both after their parent.
        value: (n,) float64, what a leaf adds.
    """

    names: tuple[str, ...]
    bias: float
    root: Int32
    feature: Int32
    threshold: Float64
    left: Int32
    right: Int32
    value: Float64

    def __post_init__(self) -> None:
        freeze(self)

    def probability(self, x: Float64) -> Float64:
        """Return the probability (b,) of each row of features (b, f).

        >>> nodes = np.array([1, 1, 2], np.int32), np.array([2, 1, 2], np.int32)
        >>> tree = Boosted(("a",), 0.0, np.zeros(1, np.int32), np.array([0, -1, -1], np.int32), np.zeros(3),
        ...                *nodes, np.array([0.0, -3.0, 3.0]))
        >>> tree.probability(np.array([[-1.0], [1.0]])).round(2).tolist()
        [0.05, 0.95]
        """
        trees = (self.root, self.feature, self.threshold, self.left, self.right, self.value)
        odds: Float64 = self.bias + tree_sums(np.ascontiguousarray(x, np.float64), *trees)
        probability: Float64 = 1.0 / (1.0 + np.exp(-odds.clip(-500.0, 500.0)))
        return probability


def write_boosted(path: Path, model: Boosted) -> None:
    """Write a model to a file; what `read_boosted` makes of it gives the same probabilities."""
    told = {"bias": model.bias, "features": list(model.names)}
    write_model(path, FORMAT, VERSION, told, {name: getattr(model, name) for name in _ARRAYS})


def read_boosted(path: Path, names: tuple[str, ...]) -> Boosted:
    """Return the model in a file; `InputError` where it holds none, or one of other features."""
    told, arrays = read_model(path, FORMAT, VERSION)
    if told.get("features") != list(names):
        raise InputError(f"{path}: the {FORMAT} is not made for the features of this version.")
    try:
        found = {name: np.ascontiguousarray(arrays[name], kind) for name, kind in _ARRAYS.items()}
        model = Boosted(names=names, bias=float(told["bias"]), **found)
    except (KeyError, TypeError, ValueError) as error:
        raise InputError(f"{path} holds a damaged {FORMAT}: {error}.") from error
    if not _is_sound(model):
        raise InputError(f"{path} holds a damaged {FORMAT}: its trees are no trees.")
    return model


@cache
def trained(names: tuple[str, ...]) -> Boosted:
    """Return the model that comes with webgrain, read once."""
    with as_file(files("webgrain.extraction") / "trained" / "single.model") as path:
        return read_boosted(path, names)


def _is_sound(model: Boosted) -> bool:
    """Whether every way through the trees stays in the arrays and ends at a leaf."""
    n, node = len(model.feature), np.arange(len(model.feature))
    inner = model.feature >= 0
    sizes = {len(model.threshold), len(model.left), len(model.right), len(model.value)}
    if not n or sizes != {n} or model.feature.max() >= len(model.names):
        return False
    forward = all(((child > node) & (child < n))[inner].all() for child in (model.left, model.right))
    return bool(forward and ((model.root >= 0) & (model.root < n)).all())
