"""Learning boosted trees with scikit-learn, and the trees as arrays of `webgrain.trees`."""

from __future__ import annotations

from typing import Any

import numpy as np

from webgrain.arrays import Float32, Float64
from webgrain.errors import ParameterError, require
from webgrain.trees import BoostedTrees

_LARGE = 1e38  # a split that separates missing values has the threshold infinity


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
    yes, no = (truth > 0) & (weight > 0), (truth < 1) & (weight > 0)
    if not (yes.any() and no.any()):
        raise ParameterError("learn_trees expects rows of both kinds, got rows of one kind only.")
    ensemble = require("sklearn.ensemble", "learn", "learning boosted trees")
    learner = ensemble.HistGradientBoostingClassifier(
        early_stopping=False, random_state=random_state, **settings
    )
    both = np.concatenate([(weight * truth)[yes], (weight * (1.0 - truth))[no]])
    missing = np.isnan(x).all(axis=0)
    if missing.any():  # the library rejects a column without values; one with a single value is not used
        x = np.where(missing, np.zeros(1, x.dtype), x)
    learner.fit(
        np.concatenate([x[yes], x[no]]),
        np.repeat([1, 0], [yes.sum(), no.sum()]),
        sample_weight=both / both.mean(),
    )
    return as_arrays(learner, names)


def as_arrays(learner: Any, names: tuple[str, ...]) -> BoostedTrees:
    """Return the trees of scikit-learn's learner as arrays."""
    trees = [stage[0].nodes for stage in learner._predictors]  # it has no public way to them
    root = np.cumsum([0, *map(len, trees)])
    nodes = np.concatenate(trees)
    offset = np.repeat(root[:-1], list(map(len, trees)))
    leaf = nodes["is_leaf"].astype(bool)
    return BoostedTrees(
        names=names,
        bias=float(np.ravel(learner._baseline_prediction)[0]),
        root=root[:-1].astype(np.int32),
        feature=np.where(leaf, -1, nodes["feature_idx"]).astype(np.int32),
        threshold=np.where(leaf, 0.0, nodes["num_threshold"]).clip(-_LARGE, _LARGE).astype(np.float32),
        left=np.where(leaf, 0, nodes["left"] + offset).astype(np.int32),
        right=np.where(leaf, 0, nodes["right"] + offset).astype(np.int32),
        value=np.where(leaf, nodes["value"], 0.0).astype(np.float32),
        missing=np.where(leaf, 0, nodes["missing_go_to_left"]).astype(np.uint8),
    )
