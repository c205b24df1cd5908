"""Roles of segments and the confidence in them, by cross-validation over sites."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from tests.quality.gate import check

from webgrain.evaluation.evaluate import cross_validate, folds_by_site
from webgrain.evaluation.training import FREQUENT, Judgement, judge
from webgrain.segmentation.learntcut import LearntCut

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.evaluation.datasets import Example

RENDERINGS = ["estimate", pytest.param("chromium", marks=pytest.mark.browser)]


def judged(examples: Sequence[Example]) -> Judgement:
    """Return the scores, all of them on pages that nothing was learnt from."""
    pages = [example.page for example in examples]
    folds = folds_by_site([page.id for page in pages])
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    return judge(examples, folds, cross_validate(LearntCut, pages, truths, folds))


@pytest.mark.data
@pytest.mark.parametrize("render", RENDERINGS)
def test_roles_and_confidence(render: str, labelled: Any) -> None:
    told = judged(labelled(render))
    figures = {}
    for kind in ("marked", "fine", "predicted"):
        scores = getattr(told, kind)
        figures |= {
            f"roles, {kind}, {render}, macro-F1": scores.macro_f1,
            f"roles, {kind}, {render}, accuracy": scores.accuracy,
            f"roles, {kind}, {render}, calibration error": scores.calibration_error,
        }
        assert scores.accuracy > scores.majority + 0.2
    figures |= {
        f"confidence, {render}, area under the curve": told.confidence.area_under_curve,
        f"confidence, {render}, calibration error": told.confidence.calibration_error,
    }
    assert len(told.marked.f1) == 13, f"roles of {FREQUENT} segments or more"
    check("kreuzer", figures)
