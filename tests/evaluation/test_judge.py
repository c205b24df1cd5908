from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from webgrain.evaluation.evaluate import ORACLE, evaluate, score_method
from webgrain.evaluation.training import best_union, judge, judge_marked
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation, renumbered


@pytest.fixture
def found(examples):
    """The true segments as if a method had found them."""
    labels = [renumbered(e.truth.over(len(e.page.dom), "fine")) for e in examples]
    return [Segmentation(label, "by hand") for label in labels]


FOLDS = np.array([0, 0, 1, 1, 2, 2])


def test_roles_of_similar_pages_are_predicted(examples, found):
    judgement = judge(examples, FOLDS, found)
    for scores in (judgement.marked, judgement.fine, judgement.predicted):
        assert scores.accuracy > 0.9 > scores.majority
        assert scores.macro_f1 > 0.9
        assert sum(one.things for one in scores.bins) == scores.segments
    assert judgement.marked.segments == sum(len(e.segments) for e in examples)
    assert judgement.confidence.right == 1.0
    assert np.isnan(judgement.confidence.area_under_curve)


def test_a_page_is_not_used_to_evaluate_itself(examples, found):
    """Roles that only one fold has cannot be found in it."""
    odd = [replace(s, role="ad" if s.role == "menu" else s.role) for s in examples[0].segments]
    truth = replace(examples[0].truth, roles=tuple(segment.role for segment in odd))
    changed = [replace(examples[0], segments=tuple(odd), truth=truth), *examples[1:]]
    scores = judge(changed, np.array([0, 1, 1, 2, 2, 2]), found).marked
    menus = sum(segment.role == "ad" for segment in odd)
    assert scores.accuracy <= 1 - menus / scores.segments


def test_without_roles_there_are_no_figures(examples, found):
    bare = [
        replace(
            e,
            segments=tuple(replace(s, role=None) for s in e.segments),
            truth=replace(e.truth, roles=(None,) * len(e.truth.roles)),
        )
        for e in examples
    ]
    scores = judge(bare, FOLDS, found).marked
    assert scores.segments == 0
    assert np.isnan(scores.macro_f1)
    assert np.isnan(scores.accuracy)


def test_a_marked_segment_counts_at_the_level_where_it_is_found(examples, found):
    """The page as one segment and its true segments: together they contain all marked segments."""
    one = [Segmentation(np.zeros(len(e.page.dom), np.int32), "by hand") for e in examples]
    levels = {"coarse": [(cut,) for cut in one], "both": list(zip(one, found, strict=True))}
    scores = {
        name: judge_marked(replace(score_method(name, one, examples), levels=tuple(cuts)), examples)
        for name, cuts in levels.items()
    }
    assert scores["coarse"].nested < 0.5 < scores["both"].nested <= 1.0
    assert scores["coarse"].any_level == scores["coarse"].default_level
    assert scores["both"].any_level > scores["both"].default_level
    assert scores["coarse"].unequal == 0.0
    assert scores["both"].annotators == scores["both"].content == {}


def test_baselines_have_levels_but_no_roles(examples):
    results = {result.method: result for result in evaluate({}, examples, ["fine"])}
    marked = {name: judge_marked(result, examples) for name, result in results.items()}
    assert all(result.is_baseline for result in results.values())
    assert np.isnan([score.role_f1 for score in marked.values()]).all()
    assert marked["best depth"].any_level >= marked["best depth"].default_level
    assert marked[ORACLE].any_level == marked[ORACLE].default_level > marked["one segment"].any_level


def test_the_closest_union_of_segments_omits_what_the_text_does_not_have():
    page = parse("<nav>home</nav><p>long story</p><script>code</script><p>short end")
    labels = np.zeros(len(page.dom), np.int32)
    labels[np.flatnonzero(page.dom.is_text)] = [0, 1, 1, 2]
    cut = Segmentation(labels, "by hand")
    assert best_union(page, cut, "long story short end") == 1.0
    assert best_union(page, cut, "") == 0.0
    half = best_union(page, cut, "long story other words")
    assert half == pytest.approx(2 * 2 / (2 + 4))
