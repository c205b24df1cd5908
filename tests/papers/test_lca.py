from __future__ import annotations

import numpy as np
import pytest
from tests.papers.reference import random_problem

from webgrain.papers.solvers.treepotts import LeafAncestors


def chain(parent, u):
    """U and its ancestors, nearest first."""
    found = [u]
    while parent[found[-1]] >= 0:
        found.append(int(parent[found[-1]]))
    return found


@pytest.mark.parametrize("seed", range(40))
def test_every_pair_meets_where_its_chains_of_ancestors_do(seed):
    problem = random_problem(np.random.default_rng(seed), max_nodes=40)
    leaves = problem.leaves
    ancestors = LeafAncestors(problem.parent, problem.end, leaves)
    p, q = np.triu_indices(len(leaves), 1)
    common, left, right = ancestors.meet(p, q)
    for i in range(len(p)):
        mine, others = (chain(problem.parent, int(leaves[x])) for x in (p[i], q[i]))
        shared = next(u for u in mine if u in others)
        assert common[i] == shared
        assert left[i] == mine[mine.index(shared) - 1]
        assert right[i] == others[others.index(shared) - 1]
