from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from tests.papers.reference import feasible_labels, random_problem

from webgrain.base.errors import ParameterError
from webgrain.papers.gcuts import invisible_costs
from webgrain.papers.solvers.treepotts import TreePotts, check_labelling, labelling_energy

FIELDS = {
    "parent": np.array([-1, 0, 1, 1, 0], np.int32),
    "end": np.array([5, 4, 3, 4, 5], np.int32),
    "unary": np.arange(10.0).reshape(5, 2),
    "invisible": np.array([1.0, 2, 0, 0, 0]),
    "pairs": np.array([[2, 3], [3, 4]], np.int32),
    "weight": np.array([0.5, 0.25]),
}


def test_energy_of_a_page_by_hand():
    problem = TreePotts(**FIELDS)
    assert labelling_energy(problem, np.array([-1, 0, 0, 0, 1], np.int32)) == 1 + 2 + 4 + 6 + 9 + 0.25
    assert labelling_energy(problem, np.array([-1, -1, 1, 0, 1], np.int32)) == 1 + 2 + 5 + 6 + 9 + 0.75


@pytest.mark.parametrize(
    ("labels", "words"),
    [
        ([-1, -1, 0, -1, 0], "got -1 at leaf 3"),
        ([-1, -1, 0, 2, 0], "got 2 at leaf 3"),
        ([-1, 1, 0, 1, 0], "got 0 at node 2 below 1"),
        ([0, -1, 0, 0, 0], "got -1 at node 1 below 0"),
        ([-1, 7, 0, 0, 0], "got -1..7"),
        ([-1, 0, 0], "labels: expected an array int32 (5)"),
    ],
)
def test_an_infeasible_labelling_is_refused(labels, words):
    with pytest.raises(ParameterError) as error:
        labelling_energy(TreePotts(**FIELDS), np.array(labels, np.int32))
    assert words in str(error.value)


def test_labels_that_are_not_allowed_are_errors():
    tops = np.array([0, 1], np.int32)
    problem = TreePotts(**{**FIELDS, "unary": np.arange(8.0), "tops": tops})
    assert labelling_energy(problem, np.array([-1, 1, 1, 1, 0], np.int32)) == 1 + 5 + 6 + 7 + 4 + 0.25
    with pytest.raises(ParameterError, match="allowed"):
        labelling_energy(problem, np.array([-1, -1, 1, 1, 1], np.int32))


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("unary", np.full((5, 2), np.nan)),
        ("invisible", np.array([np.inf, 2, 0, 0, 0])),
        ("weight", [np.inf, 1]),
    ],
)
def test_infinite_costs_are_refused(name, value):
    with pytest.raises(ParameterError, match="finite costs"):
        TreePotts(**{**FIELDS, name: np.asarray(value)})


def test_costs_of_invisible_leaves_are_ignored():
    problem = TreePotts(**{**FIELDS, "invisible": np.array([1.0, 2, np.inf, np.nan, 0])})
    assert labelling_energy(problem, np.array([-1, 0, 0, 0, 1], np.int32)) == 22.25


@pytest.mark.parametrize("reading", ["edge", "parent"])
def test_folded_parent_child_costs_equal_their_direct_sum(reading):
    rng = np.random.default_rng(2)
    for _ in range(60):
        problem = random_problem(rng, max_nodes=7, max_labels=2)
        parent, n = problem.parent, len(problem.parent)
        cost, alone = rng.standard_normal(n), rng.standard_normal(n)
        folded = dataclasses.replace(problem, invisible=invisible_costs(parent, cost, alone, reading))
        bare = dataclasses.replace(problem, invisible=alone)
        for labels in feasible_labels(problem, [range(problem.n_labels)] * n)[:50]:
            hidden = labels == -1
            paid = hidden[parent[1:]] & (~hidden[1:] if reading == "edge" else True)
            assert labelling_energy(folded, labels) == pytest.approx(
                labelling_energy(bare, labels) + cost[1:][paid].sum()
            )


def test_another_reading_is_refused():
    with pytest.raises(ParameterError, match="expected 'edge' or 'parent', got 'both'"):
        invisible_costs(FIELDS["parent"], np.zeros(5), np.zeros(5), "both")


def test_a_feasible_labelling_passes():
    check_labelling(TreePotts(**FIELDS), np.array([-1, -1, 1, 0, 1], np.int32))
