"""Roles of segments and the confidence in them, by cross-validation over sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.quality.gate import check

from webgrain.evaluation.evaluate import folds_by_site, held_out_results
from webgrain.evaluation.training import FREQUENT, Judgement, judge
from webgrain.segmentation.learntcut import LearntCut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.evaluation.datasets import Example

RENDERINGS = ["html", pytest.param("chromium", marks=pytest.mark.browser)]


def judged(examples: Sequence[Example]) -> Judgement:
    """Return the scores, all of them on pages that nothing was learnt from."""
    folds = folds_by_site([example.page.id for example in examples])
    return judge(examples, folds, held_out_results(LearntCut(), examples, folds))


def figures(judgement: Judgement, name: str) -> dict[str, float]:
    """Return the scores that have bounds, by name."""
    result = {}
    for kind in ("marked", "fine", "predicted"):
        scores = getattr(judgement, kind)
        result |= {
            f"roles, {kind}, {name}, macro-F1": scores.macro_f1,
            f"roles, {kind}, {name}, accuracy": scores.accuracy,
            f"roles, {kind}, {name}, calibration error": scores.calibration_error,
        }
        assert scores.accuracy > scores.majority + 0.2
    result[f"confidence, {name}, area under the curve"] = judgement.confidence.area_under_curve
    result[f"confidence, {name}, calibration error"] = judgement.confidence.calibration_error
    return result


@pytest.mark.data
@pytest.mark.full
@pytest.mark.parametrize("render", RENDERINGS)
def test_roles_and_confidence(render: str, labelled: Any) -> None:
    judgement = judged(labelled(render))
    assert len(judgement.marked.f1) == 13, f"roles of {FREQUENT} segments or more"
    check("kreuzer", figures(judgement, render))


@pytest.mark.full
@pytest.mark.data
def test_roles_of_every_fourth_page(labelled: Any) -> None:
    scores = judged(labelled("html")[::4]).marked
    assert scores.accuracy > scores.majority + 0.15
    check("kreuzer", {"roles, marked, html, every fourth page, accuracy": scores.accuracy})
