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

RENDERINGS = ["html", pytest.param("chromium", marks=pytest.mark.browser)]


def judged(examples: Sequence[Example]) -> Judgement:
    """Return the scores, all of them on pages that nothing was learnt from."""
    pages = [example.page for example in examples]
    folds = folds_by_site([page.id for page in pages])
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    return judge(examples, folds, cross_validate(LearntCut, pages, truths, folds))


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
