"""The compiled solvers and the same files run uncompiled, with and without Cython, give the same results."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from tests.papers.reference import certified, least, random_problem
from tests.uncompiled import load_source

from webgrain.papers import gcuts
from webgrain.papers.solvers import treepotts
from webgrain.papers.solvers.treepotts import label_table, unpruned_blocks

KERNELS = {
    "treedp": "segmentation.solvers.treedp",
    "innerlabels": "papers.solvers.innerlabels",
    "mincut": "papers.solvers.mincut",
    "dual": "papers.solvers.dual",
}


@pytest.fixture(params=["with Cython", "without Cython"])
def uncompiled(request, monkeypatch):
    if request.param == "without Cython":
        monkeypatch.setitem(sys.modules, "cython", None)
    twins = {name: load_source(monkeypatch, path) for name, path in KERNELS.items()}
    assert not any(twin.COMPILED for twin in twins.values())
    return twins


def use(monkeypatch, twins):
    for user, names in {
        treepotts: ("treedp", "innerlabels", "dual"),
        gcuts: ("innerlabels", "mincut"),
    }.items():
        for name in names:
            monkeypatch.setattr(user, name, twins[name])
        monkeypatch.setattr(user, "warn_once", lambda _: None)


def solve(problem):
    """Labels and values of every solver."""
    sweeps = [certified(problem, rel=0.0, max_sweeps=sweeps) for sweeps in (1, 2, 12)]
    return [
        treepotts.tree_dp(problem),
        gcuts.alpha_expansion(problem, "label"),
        gcuts.alpha_expansion(problem, "dp"),
        *((minimum.labels, minimum.energy) for minimum in sweeps),
        *((minimum.labels, minimum.lower_bound) for minimum in sweeps),
    ]


def test_compiled_and_uncompiled_agree(uncompiled, monkeypatch):
    rng = np.random.default_rng(8)
    problems = [random_problem(rng, max_nodes=20, max_labels=10, all_labels=k < 4) for k in range(8)]
    fast = [solve(problem) for problem in problems]
    use(monkeypatch, uncompiled)
    slow = [solve(problem) for problem in problems]
    for row, twin_row in zip(fast, slow, strict=True):
        for (labels, value), (twin_labels, twin_value) in zip(row, twin_row, strict=True):
            assert labels.tolist() == twin_labels.tolist()
            assert value == pytest.approx(twin_value, abs=1e-12)


def test_any_messages_give_a_lower_bound(uncompiled):
    rng = np.random.default_rng(9)
    for _ in range(50):
        problem = random_problem(rng)
        table = label_table(problem)
        blocks = unpruned_blocks(problem, table, 1e-9)
        k = problem.n_labels
        candidates = uncompiled["dual"].list_candidates(table.above, *blocks[:2], len(table.leaves), k)
        ascent = uncompiled["dual"].DualAscent(table.above, k, table.pairs, table.weight, blocks, candidates)
        best = least(problem, [range(problem.n_labels)] * len(problem.parent))[0]
        for size in (0.0, 0.1, 1.0, 10.0):
            ascent.message[:-1] = size * rng.standard_normal(len(ascent.message) - 1)
            assert table.constant + ascent.bound()[0] <= best + 1e-9
            ascent.sweep()
            assert table.constant + ascent.bound()[0] <= best + 1e-9
