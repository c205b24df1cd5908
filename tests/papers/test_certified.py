from __future__ import annotations

import dataclasses

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import coo_array
from tests.papers.reference import certified, expansion_move, least, random_problem
from tests.papers.test_expansion import shaped_problem

from webgrain.papers.solvers import treepotts
from webgrain.papers.solvers.treepotts import Minimum, check_labelling, labelling_energy, tree_dp

TIGHT = {"rel": 1e-9}


def optimum(problem):
    return least(problem, [range(problem.n_labels)] * len(problem.parent))[0]


def check(problem, minimum):
    """What holds for every result."""
    check_labelling(problem, minimum.labels)
    assert labelling_energy(problem, minimum.labels) == pytest.approx(minimum.energy, rel=1e-12, abs=1e-9)
    assert minimum.lower_bound <= minimum.energy
    return minimum


@pytest.mark.parametrize("reading", ["edge", "parent"])
def test_the_optimum_is_found_and_proven(reading):
    rng = np.random.default_rng(1)
    for _ in range(150):
        problem = random_problem(rng, reading=reading, all_labels=rng.random() < 0.5)
        best, minimum = optimum(problem), check(problem, certified(problem, **TIGHT))
        scale = max(1.0, abs(best))
        assert minimum.energy <= best + 1e-9 * scale
        assert best - 1e-6 * scale <= minimum.lower_bound <= best + 1e-12 * scale


@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(0, 6), st.sampled_from([1e-6, 1.0, 1e9]))
def test_the_bounds_hold_wherever_the_search_ends(seed, max_sweeps, scale):
    problem = random_problem(np.random.default_rng(seed), max_nodes=7, all_labels=seed % 2 == 0)
    problem = dataclasses.replace(
        problem,
        unary=scale * problem.unary, invisible=scale * problem.invisible, weight=scale * problem.weight,
    )  # fmt: skip
    minimum = check(problem, certified(problem, rel=0.0, max_sweeps=max_sweeps))
    best = optimum(problem)
    rounding = 1e-12 * max(scale, abs(best))
    assert minimum.lower_bound <= best + rounding
    assert minimum.energy >= best - rounding
    assert minimum.sweeps <= max_sweeps


def test_costs_that_cancel_do_not_raise_the_bound_above_the_optimum():
    rng = np.random.default_rng(11)
    for _ in range(100):
        problem = random_problem(rng, max_nodes=7)
        shift = 2.0**30 * rng.choice([-1, 1], problem.unary.shape[0])
        problem = dataclasses.replace(problem, unary=problem.unary + shift[:, None])
        assert check(problem, certified(problem, **TIGHT)).lower_bound <= optimum(problem)


def test_each_sweep_raises_the_bound():
    for seed in range(20):
        problem = random_problem(np.random.default_rng(seed), max_nodes=60, max_labels=8)
        bounds = [certified(problem, rel=0.0, max_sweeps=sweeps).lower_bound for sweeps in range(6)]
        assert np.all(np.diff(bounds) >= -1e-9)


def page_problem(seed, n, n_labels, lam):
    """A random tree, neighbouring leaves paired."""
    rng = np.random.default_rng(seed)
    parent = np.full(n, -1, np.int32)
    for u in range(1, n):
        above = u - 1
        while above and rng.random() < 0.5:
            above = parent[above]
        parent[u] = above
    problem = shaped_problem(parent, n_labels, seed)
    return dataclasses.replace(problem, weight=lam * problem.weight, invisible=0.5 * problem.invisible)


def milp_optimum(problem):
    """Least energy by HiGHS, from the definition: y[v, a] = v is the top of a visible subtree of label a."""
    n, k = problem.unary.shape
    sums = np.vstack([np.zeros(k), np.cumsum(problem.unary, axis=0)])
    whole = sums[problem.end] - sums[:-1]
    inner = ~problem.is_leaf
    before = np.concatenate([[0.0], np.cumsum(np.where(inner, problem.invisible, 0.0))])
    # All internal nodes are invisible at first, a visible top saves the costs of those below it.
    cost = whole - (before[problem.end] - before[:-1])[:, None]
    chains = []
    for leaf in problem.leaves:
        chain = [leaf]
        while problem.parent[chain[-1]] >= 0:
            chain.append(problem.parent[chain[-1]])
        chains.append(np.array(chain))
    place = {leaf: i for i, leaf in enumerate(problem.leaves)}
    m, rows, columns, values = len(problem.pairs), [], [], []
    for row, chain in enumerate(chains):
        index = (chain[:, None] * k + np.arange(k)).ravel()
        rows += [row] * len(index)
        columns += index.tolist()
        values += [1.0] * len(index)
    row = len(chains)
    for e, (p, q) in enumerate(problem.pairs):  # cut[e, a] >= |x_p(a) - x_q(a)|
        for a in range(k):
            for sign in (1.0, -1.0):
                parts = ((chains[place[p]], sign), (chains[place[q]], -sign), ([n + e], -1.0))
                for nodes, value in parts:
                    rows += [row] * len(nodes)
                    columns += [v * k + a for v in nodes]
                    values += [value] * len(nodes)
                row += 1
    low = np.concatenate([np.ones(len(chains)), np.full(row - len(chains), -np.inf)])
    high = np.concatenate([np.ones(len(chains)), np.zeros(row - len(chains))])
    costs = np.concatenate([cost.ravel(), np.repeat(problem.weight / 2, k)])
    constraint = LinearConstraint(coo_array((values, (rows, columns)), (row, (n + m) * k)).tocsr(), low, high)
    integral = np.repeat([1, 0], [n * k, m * k])
    solved = milp(costs, integrality=integral, bounds=Bounds(0, 1), constraints=constraint)
    assert solved.success
    return solved.fun + before[-1]


@pytest.mark.parametrize(("seed", "lam"), [(1, 0.5), (2, 1.5), (3, 4.0)])
def test_the_optimum_of_pages_is_that_of_integer_programming(seed, lam):
    problem = page_problem(seed, n=110, n_labels=8, lam=lam)
    minimum = check(problem, certified(problem))
    assert minimum.gap <= 1e-5
    assert minimum.energy == pytest.approx(milp_optimum(problem), rel=1e-5)


def test_without_weight_the_tree_program_is_the_proof():
    problem = shaped_problem([-1, 0, 1, 1, 0, 4, 4], n_labels=3)
    apart = dataclasses.replace(problem, pairs=problem.pairs[:0], weight=problem.weight[:0])
    for exact in (apart, dataclasses.replace(problem, weight=0.0 * problem.weight)):
        minimum = check(exact, certified(exact))
        assert minimum.sweeps == 0
        assert minimum.gap < 1e-12
        assert minimum.labels.tolist() == tree_dp(exact)[0].tolist()


@pytest.fixture(scope="module")
def hard():
    """A problem that some sweeps do not solve."""
    return page_problem(5, n=400, n_labels=30, lam=3.0)


@pytest.mark.parametrize("limits", [{"max_sweeps": 0}, {"rel": np.inf}])
def test_each_limit_ends_the_search_with_an_honest_gap(hard, limits):
    check_unproven(hard, certified(hard, **limits))


@pytest.mark.parametrize("limit", ["MAX_SWEEP_STEPS", "MAX_MESSAGES"])
@pytest.mark.parametrize("value", [0, 1000])
def test_a_problem_beyond_the_limits_is_solved_without_sweeps(hard, limit, value, monkeypatch):
    monkeypatch.setattr(treepotts, limit, value)
    check_unproven(hard, certified(hard))


def check_unproven(problem, minimum):
    check(problem, minimum)
    assert minimum.sweeps == 0
    assert minimum.gap > 0.01
    assert minimum.lower_bound == pytest.approx(tree_dp(problem)[1])


def test_a_looser_gap_needs_fewer_sweeps(hard):
    sweeps = [certified(hard, rel=rel).sweeps for rel in (1e-1, 1e-3, 1e-5)]
    assert sweeps == sorted(sweeps)
    assert certified(hard, rel=1e-3).gap <= 1e-3


def test_the_same_problem_has_the_same_result(hard):
    first, second = certified(hard), certified(hard)
    assert first.labels.tolist() == second.labels.tolist()
    assert (first.energy, first.lower_bound, first.sweeps) == (
        second.energy, second.lower_bound, second.sweeps,
    )  # fmt: skip


def test_an_unproven_result_is_no_worse_than_a_move_can_make_it(hard):
    minimum = check(hard, certified(hard, max_sweeps=0))
    for alpha in range(hard.n_labels):
        assert expansion_move(hard, minimum.labels, alpha)[0] >= minimum.energy - 1e-6


@pytest.mark.parametrize(
    "parent",
    [
        [-1],
        range(-1, 9_999),
        [-1, *([0] * 19_999)],
        [-1, 0, *(v for u in range(1, 9_999, 2) for v in (u, u))],
    ],
    ids=["one node", "10 000 deep", "19 999 siblings", "5 000 forks deep"],
)
def test_extreme_shapes(parent):
    problem = shaped_problem(parent, n_labels=2)
    assert check(problem, certified(problem, max_sweeps=2)).gap < 0.2


def test_arguments_are_left_alone_and_may_be_read_only_or_strided(hard):
    strided = dataclasses.replace(
        hard, unary=np.asfortranarray(hard.unary), pairs=hard.pairs[:, ::-1],
        weight=np.repeat(hard.weight, 2)[::2],
    )  # fmt: skip
    arrays = [getattr(strided, field.name) for field in dataclasses.fields(strided)[:-1]]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=False)
    assert certified(strided, max_sweeps=2).gap == pytest.approx(certified(hard, max_sweeps=2).gap)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


def test_the_gap_is_relative_to_the_energy():
    labels = np.zeros(1, np.int32)
    assert Minimum(labels, -2.0, -3.0, 0).gap == 0.5
    assert Minimum(labels, 0.0, 0.0, 0).gap == 0.0
    assert Minimum(labels, 0.0, -1.0, 0).gap == np.inf
