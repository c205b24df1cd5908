"""A linear model of classes: the probability of each is the softmax of weighted features.

Source: logistic regression with a penalty on the squares of the weights of standardised features. Learnt by
scikit-learn; applied by one product of matrices.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Linear:
    """Weights of features for classes.

    classes: c names; weight: (c, f) float64 of raw features; bias: (c,) float64.

    >>> Linear(("no", "yes"), np.array([[0.0], [1.0]]), np.zeros(2)).probability(np.zeros((1, 1))).tolist()
    [[0.5, 0.5]]
    """

    classes: tuple[str, ...]
    weight: Floats
    bias: Floats

    def __post_init__(self) -> None:
        if self.bias.shape != (len(self.classes),) or self.weight.shape[:1] != self.bias.shape:
            raise ParameterError(
                f"Linear: expected weights and a bias for each of {len(self.classes)} classes, "
                f"got {self.weight.shape}, {self.bias.shape}."
            )
        if not (np.isfinite(self.weight).all() and np.isfinite(self.bias).all()):
            raise ParameterError("Linear: expected finite weights.")
        freeze(self)

    def probability(self, x: Floats) -> Floats:
        """Return the probability (s, c) of each class, for rows of features ``x`` (s, f)."""
        odds = x @ self.weight.T + self.bias
        share = np.exp(odds - odds.max(axis=1, keepdims=True))
        result: Floats = share / share.sum(axis=1, keepdims=True)
        return result


def fit_linear(x: Floats, y: Sequence[str], regularity: float, trust: Floats | float = 1.0) -> Linear:
    """Return a model learnt from rows of features ``x`` (s, f) and the class of each row.

    regularity: inverse strength of the penalty; trust: (f,) what features are multiplied with once they are
    standardised: the less, the more a weight of theirs costs. Where all rows are of one class, it is certain.
    `MissingExtraError` without scikit-learn, `ParameterError` without rows.

    >>> model = fit_linear(np.array([[0.0], [0.1], [0.9], [1.0]]), ["no", "no", "yes", "yes"], 10.0)
    >>> model.classes, model.probability(np.array([[1.0]])).argmax()
    (('no', 'yes'), np.int64(1))
    """
    if not len(x):
        raise ParameterError("fit_linear expects at least one row of features, got none.")
    classes = tuple(sorted(set(y)))
    if len(classes) == 1:
        return Linear(classes, np.zeros((1, x.shape[1])), np.zeros(1))
    mean, deviation = x.mean(axis=0), x.std(axis=0)
    deviation = np.where(deviation > 1e-9, deviation, np.inf) / trust  # what never changes weighs nothing
    sklearn = require("sklearn.linear_model", "learn", "learning roles")
    model = sklearn.LogisticRegression(C=regularity, max_iter=2000)
    model.fit((x - mean) / deviation, np.array([classes.index(name) for name in y]))
    weight, bias = model.coef_ / deviation, model.intercept_
    if len(classes) == 2:  # scikit-learn tells the odds of the second one only
        weight, bias = np.concatenate([0 * weight, weight]), np.append(0.0, bias)
    return Linear(classes, weight, bias - weight @ mean)
