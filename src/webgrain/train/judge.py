"""How good roles and confidence are on pages that they were not learnt from.

    examples, folds, segmentations --> rows (marked, fine, predicted) --per fold: fit, apply--> Judgement

The segmentations must be those of methods that had not seen the page. The confidence in those of one fold is
learnt from those of all others.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.metrics.classes import Bin, area_under_curve, calibration_error, f1_by_class, reliability
from webgrain.segment.confidence import fit_confidence
from webgrain.segment.roles import fit_roles
from webgrain.train.rows import Rows, concatenate, fine_rows, marked_rows, predicted_rows

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from webgrain.datasets.load import Example
    from webgrain.results import Segmentation
    from webgrain.segment.roles import Roles

    Floats = NDArray[np.float64]
    Bools = NDArray[np.bool_]
    Folds = NDArray[np.integer]
    _Judged = list[tuple[Rows, Roles]]

FREQUENT = 20
"""Segments of a role from which on its F1 counts."""


@dataclass(frozen=True, slots=True)
class RoleScores:
    """Scores of roles.

    Attributes:
        segments: number of segments with a role.
        f1: of each role that has `FREQUENT` of them; macro_f1: its mean over these roles, nan without any.
        accuracy: share of all segments whose role was found; majority: that of always naming the commonest.
        calibration_error, bins: how far the probabilities told are from the shares that were right.
    """

    segments: int
    f1: dict[str, float]
    macro_f1: float
    accuracy: float
    majority: float
    calibration_error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class ConfidenceScores:
    """Scores of confidence: number of segments and share of right ones; calibration as in `RoleScores`."""

    segments: int
    right: float
    area_under_curve: float
    calibration_error: float
    bins: tuple[Bin, ...]


@dataclass(frozen=True, slots=True)
class Judgement:
    """Scores of roles on marked, on fine and on predicted segments, and of confidence."""

    marked: RoleScores
    fine: RoleScores
    predicted: RoleScores
    confidence: ConfidenceScores


def judge(examples: Sequence[Example], folds: Folds, found: Sequence[Segmentation]) -> Judgement:
    """Return the scores of roles and confidence by cross-validation.

    folds (p,): of each example, two at least; found: the segments of each, by a method learnt from other
    pages. `MissingExtraError` without scikit-learn.
    """
    marked, fine = [marked_rows(e) for e in examples], [fine_rows(e) for e in examples]
    predicted = [predicted_rows(e, cut) for e, cut in zip(examples, found, strict=True)]
    judged: list[_Judged] = [[], [], []]
    sure: list[tuple[Rows, Floats]] = []
    for fold in np.unique(folds).tolist():
        other, own = np.flatnonzero(folds != fold).tolist(), np.flatnonzero(folds == fold).tolist()
        known, tried = (
            concatenate([*_of(marked, other), *_of(fine, other)]),
            concatenate(_of(predicted, other)),
        )
        if model := fit_roles(known.features, known.roles):
            for told, kind in zip(judged, (marked, fine, predicted), strict=True):
                told += [(rows, model.roles(rows.features)) for rows in _of(kind, own)]
        if trust := fit_confidence(tried.features, tried.right):
            sure += [(rows, trust.confidence(rows.features)) for rows in _of(predicted, own)]
    scores = [_role_scores(told) for told in judged]
    return Judgement(scores[0], scores[1], scores[2], _confidence_scores(sure))


def _of(rows: Sequence[Rows], places: Sequence[int]) -> list[Rows]:
    return [rows[k] for k in places]


def _role_scores(judged: Sequence[tuple[Rows, Roles]]) -> RoleScores:
    rows = [
        (true, name, probability)
        for known, roles in judged
        for true, name, probability in zip(known.roles, roles.names, roles.probability.tolist(), strict=True)
        if true is not None
    ]
    true, found = [one for one, _, _ in rows], [one for _, one, _ in rows]
    probability = np.array([one for _, _, one in rows])
    count = Counter(true)
    f1 = {name: f for name, f in f1_by_class(true, found).items() if count[name] >= FREQUENT}
    right = np.array([a == b for a, b in zip(true, found, strict=True)], bool)
    return RoleScores(
        segments=len(rows),
        f1=f1,
        macro_f1=_mean(list(f1.values())),
        accuracy=_mean(right),
        majority=max(count.values(), default=0) / max(len(rows), 1),
        calibration_error=calibration_error(probability, right),
        bins=tuple(reliability(probability, right)),
    )


def _confidence_scores(sure: Sequence[tuple[Rows, Floats]]) -> ConfidenceScores:
    right = np.concatenate([np.zeros(0, bool), *(rows.right for rows, _ in sure)])
    told = np.concatenate([np.zeros(0), *(confidence for _, confidence in sure)])
    return ConfidenceScores(
        segments=len(right),
        right=_mean(right),
        area_under_curve=area_under_curve(told, right),
        calibration_error=calibration_error(told, right),
        bins=tuple(reliability(told, right)),
    )


def _mean(values: Sequence[float] | Bools) -> float:
    return float(np.mean(values)) if len(values) else float("nan")
