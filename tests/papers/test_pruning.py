from __future__ import annotations

import itertools

import numpy as np
import pytest
from tests.papers.reference import energies, feasible_labels, random_problem

from webgrain.papers.solvers.treepotts import label_table, leaving_weight, unpruned_blocks


def block_energy(problem, table, blocks, leaf_labels):
    """Least energy of these leaf labels by blocks that are listed; inf where a leaf is in none."""
    first, label, cost = blocks
    listed = [dict(zip(label[i:j], cost[i:j], strict=True)) for i, j in itertools.pairwise(first)]
    common, below = np.full(len(table.above), -2), np.zeros(len(table.above))
    common[: len(leaf_labels)] = leaf_labels
    for s, above in enumerate(table.above):
        value = np.inf if s < len(leaf_labels) else below[s]
        value = min(value, listed[s].get(common[s], np.inf))
        if above >= 0:
            below[above] += value
            common[above] = common[s] if common[above] in (-2, common[s]) else -1
    p, q = table.pairs.T
    return table.constant + value + table.weight[leaf_labels[p] != leaf_labels[q]].sum()


def test_every_optimum_is_kept():
    rng, pruned = np.random.default_rng(1), 0
    for _ in range(200):
        problem = random_problem(rng, max_nodes=7, all_labels=rng.random() < 0.5)
        table = label_table(problem)
        blocks = unpruned_blocks(problem, table, 1e-12)
        pruned += problem.n_labels * len(table.leaves) > blocks[0][len(table.leaves)]
        rows = feasible_labels(problem, [range(problem.n_labels)] * len(problem.parent))
        values = energies(problem, rows)
        best = values.min()
        for row in rows[values <= best + 1e-12]:
            assert block_energy(problem, table, blocks, row[table.leaves]) == pytest.approx(best, abs=1e-9)
    assert pruned > 50


def test_all_blocks_give_every_energy():
    rng = np.random.default_rng(3)
    for _ in range(50):
        problem = random_problem(rng, max_nodes=6)
        table = label_table(problem)
        blocks = unpruned_blocks(problem, table, 1e9)
        rows = feasible_labels(problem, [range(problem.n_labels)] * len(problem.parent))
        values = energies(problem, rows)
        leaf_labels = rows[:, table.leaves]
        for labels in np.unique(leaf_labels, axis=0):
            expected = values[(leaf_labels == labels).all(axis=1)].min()
            assert block_energy(problem, table, blocks, labels) == pytest.approx(expected, abs=1e-9)


def test_leaving_weights_equal_a_count():
    rng = np.random.default_rng(4)
    for _ in range(100):
        problem = random_problem(rng, max_nodes=12)
        table = label_table(problem)
        leaving = leaving_weight(problem, table)
        for u, slot in enumerate(table.slot):
            inside = (problem.pairs >= u) & (problem.pairs < problem.end[u])
            assert leaving[slot] == pytest.approx(problem.weight[inside.sum(axis=1) == 1].sum(), abs=1e-12)
