from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest
from tests.papers.reference import certified, cut_problem
from tests.segmentation.pages import BLOG, LAYOUTS, read
from tests.segmentation.test_blockfiles import random_model

from webgrain.base.errors import ParameterError
from webgrain.page.outline import leaf_outline, visible_tree
from webgrain.segmentation.learntcut import LearntCut, _Parts

GRANULARITIES = np.linspace(0.0, 1.0, 21).tolist()


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", [1, 3, 4])
def test_segments_are_nested_from_the_page_to_its_parts(seed, layout):
    page = read(BLOG, layout)
    leaves = visible_tree(page).leaf_node
    steps = LearntCut(model=random_model(seed, layout)).hierarchy(page, GRANULARITIES)
    labels = [step.labels[leaves] for step in steps]
    assert len(steps[0]) == 1
    for coarse, fine in pairwise(labels):
        assert len(np.unique(np.stack([coarse, fine]), axis=1).T) == len(np.unique(fine))
    counts = [len(step) for step in steps]
    assert counts == sorted(counts)
    assert counts[-1] > 2


def test_a_step_of_the_hierarchy_is_what_predict_gives():
    page, method = read(BLOG, "lines"), LearntCut(model=random_model())
    for granularity in (0.2, 0.5, 0.9):
        (step,) = method.hierarchy(page, [granularity])
        found = replace(method, granularity=granularity).predict(page)
        assert found.labels.tolist() == step.labels.tolist()
        assert found.params == step.params
        assert found.params["granularity"] == granularity


@pytest.mark.parametrize("granularity", [0.1, 0.5, 0.8])
def test_the_energy_is_proven_least(granularity):
    page = read(BLOG, "lines")
    method = LearntCut(granularity=granularity, model=random_model(2))
    parts = _Parts(page, method.model)
    costs = parts.prices.costs(parts.expected, granularity)
    result, least = method.predict(page), certified(cut_problem(leaf_outline(page), costs))
    assert result.energy == pytest.approx(least.energy, abs=1e-9)
    assert result.lower_bound == pytest.approx(least.lower_bound, abs=1e-9)
    assert result.gap == 0.0


def test_what_is_folded_away_inside_a_segment_belongs_to_it():
    page = read("<div><p>One<p>Two<p hidden>Three</div>")
    method = LearntCut(model=random_model(1, "none"))
    (one,) = method.hierarchy(page, [0.0])
    assert len(one) == 1
    assert one.labels[-1] == one.labels[visible_tree(page).node[-1]] == 0
    (parts,) = method.hierarchy(page, [1.0])
    assert len(parts) == 2
    assert parts.labels[-1] == -1  # the div is opened, so its hidden part is of neither


def test_a_tab_outside_of_all_segments_belongs_to_the_element_that_opens_it():
    opener, other = "<button aria-controls=more>More</button>", "<a href=x>Other</a>"
    page = read(f"<div>{opener}{other}<div id=more hidden>Details</div></div>")
    (parts,) = LearntCut(model=random_model(1, "none")).hierarchy(page, [1.0])
    assert len(parts) == 2
    button = page.dom.tag.tolist().index(page.dom.tags.index("button"))
    assert parts.labels[-1] == parts.labels[button] == 0


def test_a_page_without_visible_leaves_has_no_segments():
    page = read("<div hidden>x</div>")
    result = LearntCut(model=random_model()).predict(page)
    assert (result.labels == -1).all()
    assert (result.energy, result.lower_bound) == (0.0, 0.0)


@pytest.mark.parametrize(
    "wrong", [{"granularity": -0.1}, {"granularity": 1.5}, {"granularity": "fine"}, {"model": "best"}]
)
def test_wrong_parameters_are_refused_in_one_sentence(wrong):
    with pytest.raises(ParameterError) as error:
        LearntCut(**wrong)
    assert next(iter(wrong)) in str(error.value)
    assert "\n" not in str(error.value)
