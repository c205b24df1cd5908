from __future__ import annotations

import dataclasses
import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.papers.reference import (
    ReferenceGraph,
    as_matrix,
    complete,
    energies,
    expansion_move,
    feasible_labels,
    least,
    random_problem,
    reference_expansion,
    tree_end,
)

from webgrain.base.errors import ParameterError
from webgrain.papers.gcuts import alpha_expansion
from webgrain.papers.solvers import mincut
from webgrain.papers.solvers.treepotts import TreePotts, check_labelling, labelling_energy, tree_dp

seeds = st.integers(0, 2**32 - 1)


def shaped_problem(parent, n_labels, seed=0):
    """Random costs on a given tree, neighbouring leaves paired."""
    parent = np.asarray(parent, np.int32)
    rng, n = np.random.default_rng(seed), len(parent)
    end = tree_end(parent)
    leaves = np.flatnonzero(end == np.arange(1, n + 1))
    pairs = np.column_stack([leaves[:-1], leaves[1:]]).astype(np.int32)
    return TreePotts(parent, end, rng.random((n, n_labels)), rng.random(n), pairs, rng.random(len(pairs)))


def random_labels(problem, seed):
    rng = np.random.default_rng(seed)
    finite = np.isfinite(as_matrix(problem))
    return np.array([rng.choice(np.flatnonzero(row)) for row in finite], np.int32)


@pytest.mark.parametrize("reading", ["edge", "parent"])
def test_every_move_equals_the_exhaustive_minimum(reading):
    rng = np.random.default_rng(1)
    for _ in range(150):
        problem = random_problem(rng, reading=reading, all_labels=rng.random() < 0.5)
        labels = random_labels(problem, rng)
        for alpha in range(problem.n_labels):
            value, moved = expansion_move(problem, labels, alpha)
            expected, _ = least(problem, [sorted({label, alpha}) for label in labels])
            assert value == pytest.approx(expected, abs=1e-9)
            assert labelling_energy(problem, moved) == pytest.approx(expected, abs=1e-9)
            leaves = problem.leaves
            assert np.all((moved[leaves] == labels[leaves]) | (moved[leaves] == alpha))


def test_every_move_equals_the_reference_graph():
    rng = np.random.default_rng(3)
    for _ in range(40):
        problem = random_problem(rng, max_nodes=30)
        labels = random_labels(problem, rng)
        graph = ReferenceGraph(problem)
        for alpha in range(problem.n_labels):
            value, _ = expansion_move(problem, labels, alpha)
            cut, moved = graph.move(labels, alpha)
            assert value == pytest.approx(cut, abs=0.05)  # integer capacities are rounded to 1e-4
            assert value == pytest.approx(labelling_energy(problem, moved), abs=0.05)


def test_tree_program_and_completion_equal_the_exhaustive_minimum():
    rng = np.random.default_rng(4)
    for _ in range(150):
        problem = random_problem(rng, all_labels=rng.random() < 0.5)
        apart = dataclasses.replace(problem, pairs=problem.pairs[:0], weight=problem.weight[:0])
        labels, value = tree_dp(problem)
        assert value == pytest.approx(least(apart, [range(problem.n_labels)] * len(labels))[0], abs=1e-9)
        assert value == pytest.approx(labelling_energy(apart, labels), abs=1e-9)
        leaf_labels = random_labels(problem, rng)
        best = least(problem, [[label] for label in leaf_labels])[0]
        assert labelling_energy(problem, complete(problem, leaf_labels)) == pytest.approx(best, abs=1e-9)


def test_exhaustive_search_itself_knows_every_feasible_labelling():
    problem = random_problem(np.random.default_rng(5), max_nodes=5)
    rows = feasible_labels(problem, [range(problem.n_labels)] * len(problem.parent))
    grid = np.stack(np.meshgrid(*[range(-1, problem.n_labels)] * len(problem.parent)), -1)
    count = 0
    for labels in grid.reshape(-1, len(problem.parent)).astype(np.int32):
        try:
            value = labelling_energy(problem, labels)
        except ParameterError:
            continue
        count += 1
        assert value == pytest.approx(energies(problem, labels[None])[0])
    assert count == len(rows) == len(np.unique(rows, axis=0))


@settings(max_examples=60, deadline=None)
@given(seeds)
def test_energy_never_rises_and_labels_stay_feasible(seed):
    rng = np.random.default_rng(seed)
    problem = random_problem(rng, max_nodes=40, max_labels=6, all_labels=seed % 2 == 0)
    labels = random_labels(problem, rng)
    before = labelling_energy(problem, complete(problem, labels))
    for alpha in rng.permutation(problem.n_labels):
        value, labels = expansion_move(problem, labels, int(alpha))
        assert value <= before + 1e-9
        assert labelling_energy(problem, labels) == pytest.approx(value, abs=1e-9)
        before = value


@settings(max_examples=40, deadline=None)
@given(seeds, st.sampled_from(["dp", "label"]))
def test_no_move_improves_the_result(seed, start):
    problem = random_problem(
        np.random.default_rng(seed), max_nodes=25, max_labels=5, all_labels=seed % 2 == 0
    )
    labels, value = alpha_expansion(problem, start)
    assert value == pytest.approx(labelling_energy(problem, labels), abs=1e-9)
    for alpha in range(problem.n_labels):
        assert expansion_move(problem, labels, alpha)[0] >= value - 1e-6


def test_result_equals_the_reference_expansion():
    rng = np.random.default_rng(6)
    for _ in range(30):
        problem = random_problem(rng, max_nodes=25, max_labels=5)
        problem = dataclasses.replace(problem, unary=rng.random(problem.unary.shape))  # no ties
        order = rng.permutation(problem.n_labels).astype(np.int32)
        start = random_labels(problem, rng)
        expected = reference_expansion(problem, start, order)[1]
        assert alpha_expansion(problem, start, order)[1] == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("start", ["dp", "label"])
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
def test_extreme_shapes(parent, start):
    problem = shaped_problem(parent, n_labels=2)
    labels, value = alpha_expansion(problem, start)
    check_labelling(problem, labels)
    assert value == pytest.approx(labelling_energy(problem, labels))


def test_one_label_and_no_pairs_reach_the_tree_program():
    problem = shaped_problem([-1, 0, 1, 1, 0, 4, 4], n_labels=1)
    assert alpha_expansion(problem)[0].tolist() == complete(problem, np.zeros(7, np.int32)).tolist()
    apart = dataclasses.replace(problem, pairs=problem.pairs[:0], weight=problem.weight[:0])
    assert alpha_expansion(apart)[1] == pytest.approx(tree_dp(apart)[1])


def test_arguments_are_left_alone_and_may_be_read_only():
    problem = shaped_problem([-1, 0, 1, 1, 0, 4, 4], n_labels=3)
    labels = np.array([0, 1, 2, 0, 1, 2, 0], np.int32)
    arrays = [labels, *(getattr(problem, field.name) for field in dataclasses.fields(problem)[:-1])]
    before = [array.copy() for array in arrays]
    for array in arrays:
        array.setflags(write=False)
    alpha_expansion(problem, labels, np.arange(3, dtype=np.int32))
    expansion_move(problem, labels, 1)
    complete(problem, labels)
    assert all(np.array_equal(a, b) for a, b in zip(arrays, before, strict=True))


def test_arrays_need_not_be_contiguous():
    problem = shaped_problem([-1, 0, 1, 1, 0, 4, 4], n_labels=3)
    strided = dataclasses.replace(
        problem, unary=np.asfortranarray(problem.unary), pairs=problem.pairs[:, ::-1]
    )
    assert alpha_expansion(strided)[1] == alpha_expansion(problem)[1]


def test_fewer_cycles_end_earlier():
    problem = random_problem(np.random.default_rng(7), max_nodes=60, max_labels=6)
    values = [alpha_expansion(problem, "label", max_cycles=cycles)[1] for cycles in (1, 2, 50)]
    assert values == sorted(values, reverse=True)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"start": "x"}, "start: expected 'dp', 'label' or labels, got 'x'"),
        ({"start": "leaf"}, "start: expected 'dp', 'label' or labels, got 'leaf'"),
        ({"start": np.array([0, 0, 9], np.int32)}, "every leaf in 0..1, got 9 at leaf 2"),
        ({"start": np.array([0, 0, 0])}, "labels: expected an array int32 (3), got int64"),
        ({"order": np.array([0, 2], np.int32)}, "order: expected labels in 0..1"),
        ({"order": np.array([], np.int32)}, "order: expected labels in 0..1"),
        ({"max_cycles": 0}, "max_cycles: expected 1 at least, got 0"),
    ],
)
def test_wrong_arguments_are_refused(arguments, words):
    with pytest.raises(ParameterError) as error:
        alpha_expansion(shaped_problem([-1, 0, 0], n_labels=2), **arguments)
    assert words in str(error.value)


def move_graph(nodes, arcs, cost):
    """A graph of `MinimumCut` with these arcs back and forth (tail, head, capacity, capacity back)."""
    tail, head, *capacity = zip(*arcs, strict=True)
    arrays = np.array(cost, float), np.array(capacity, float), np.zeros(nodes, np.int8)
    return mincut.MinimumCut(np.array(tail), np.array(head), *arrays), *arrays


def test_the_solver_keeps_the_contract_that_gcuts_states():
    """The greatest gain and the least set that has it, by exhaustive search; the arrays stay as they are."""
    rng = np.random.default_rng(11)
    for _ in range(300):
        n = int(rng.integers(2, 7))
        pairs = list(itertools.combinations(range(n), 2))
        arcs = [(p, q, *rng.choice([0.0, 1.0, 2.0, np.inf], 2)) for p, q in pairs]
        solver, cost, capacity, closed = move_graph(n, arcs, rng.integers(-3, 4, n))
        closed[rng.random(n) < 0.2] = 1
        before = [array.copy() for array in (cost, capacity, closed)]
        gains = {}
        free = np.flatnonzero(closed == 0).tolist()
        for size in range(len(free) + 1):
            for subset in itertools.combinations(free, size):
                cut = sum(a for p, q, a, _ in arcs if p in subset and q not in subset and not closed[q])
                cut += sum(b for p, q, _, b in arcs if q in subset and p not in subset and not closed[p])
                gains[subset] = -cost[list(subset)].sum() - cut
        best = max(gains.values())
        for _ in range(2):  # a cut leaves nothing behind
            gain, joined = solver.cut(np.flatnonzero((cost < 0) & (closed == 0)).astype(np.int32), 0.0)
            assert gain == best
            assert {*joined.tolist()} == set(min((t for t in gains if gains[t] == best), key=len))
        assert all(np.array_equal(a, b) for a, b in zip(before, (cost, capacity, closed), strict=True))
