"""How sure it is that a segment is one: the probability that people would mark it so.

A segment of a prediction is right here if a true one has at least `SAME` of the leaves of both (their Jaccard
index). The model is learnt from predictions for pages that the method which made them had not seen.

    traits, members --segment_features--> x (s, f) --Linear--> probability (s,)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain.segment.linear import fit_linear

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from webgrain.segment.linear import Linear

    Floats = NDArray[np.float64]

SAME = 0.8
"""Jaccard index, by leaves, from which on a segment counts as the same as a true one."""

REGULARITY = 0.003
"""Inverse strength of the penalty."""

RIGHT, WRONG = "right", "wrong"


@dataclass(frozen=True, slots=True, eq=False)
class ConfidenceModel:
    """A learnt model of confidence. linear: of the classes `RIGHT` and `WRONG`, or one of them."""

    linear: Linear

    def confidence(self, features: Floats) -> Floats:
        """Return the probability (s,) that segments with these features (s, f) are right."""
        probability = self.linear.probability(features)
        if RIGHT not in self.linear.classes:
            return 0.0 * probability[:, 0]
        return probability[:, self.linear.classes.index(RIGHT)]


def fit_confidence(features: Floats, right: NDArray[np.bool_]) -> ConfidenceModel | None:
    """Return a model learnt from predicted segments, None where there is none.

    features (s, f): as `segment_features`; right (s,): whether each is a true one, see `SAME`.
    `MissingExtraError` without scikit-learn.
    """
    if not len(right):
        return None
    return ConfidenceModel(
        fit_linear(features, [RIGHT if one else WRONG for one in right.tolist()], REGULARITY)
    )
