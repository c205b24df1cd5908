from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from tests.uncompiled import load_source

from webgrain.segmentation.solvers import treedp as blocktree


def random_tree(rng, n=6):
    """Parent, leaves below and three chances of a small tree in document order; the latter of leaves too."""
    parent = np.array([-1, *(rng.integers(max(0, k - 2), k) for k in range(1, n))], np.int32)
    leaves = (~np.isin(np.arange(n), parent)).astype(float)
    for u in range(n - 1, 0, -1):
        leaves[parent[u]] += leaves[u]
    opened, joins, passes = rng.random((3, n))
    opened[~np.isin(np.arange(n), parent)] = 0.0
    return parent, leaves, opened, joins, passes


def path(parent, u):
    """Nodes from the root down to u."""
    found = [u]
    while parent[found[0]] >= 0:
        found.insert(0, int(parent[found[0]]))
    return found


def by_enumeration(parent, opened, joins, passes):
    """Cover of each node and leftover pairs by their lowest common ancestor, over all outcomes."""
    n = len(parent)
    ends = [u for u in range(n) if u not in parent]
    cover, left = np.zeros(n), np.zeros(n)
    for state in product(*((0,) if u in ends else (0, 1) for u in range(n))):
        for reaches in product((0, 1), repeat=n):
            chance = np.prod([opened[u] if state[u] else 1 - opened[u] for u in range(n)])
            out = [passes[u] if state[u] else joins[u] for u in range(n)]
            chance *= np.prod([out[u] if reaches[u] else 1 - out[u] for u in range(n)])
            tops = [next((v for v in path(parent, u) if not state[v]), None) for u in range(n)]
            cover += [chance * (top is not None) for top in tops]
            for p, q in combinations(ends, 2):
                way_p, way_q = path(parent, p), path(parent, q)
                common = [v for v in way_p if v in way_q]
                between = [*range_of(way_p, common, tops[p]), *range_of(way_q, common, tops[q])]
                together = all(state[v] for v in common) and all(reaches[v] for v in between)
                left[common[-1]] += chance * together
    return cover, left


def range_of(way, common, top):
    """Nodes of a way below the common ones, down to the closed one."""
    return [] if top in common else way[len(common) : way.index(top) + 1]


@pytest.mark.parametrize("seed", range(4))
def test_probabilities_equal_those_over_all_outcomes(seed):
    parent, leaves, opened, joins, passes = random_tree(np.random.default_rng(seed))
    _, cover, _, left = blocktree.block_chances(parent, leaves, opened, joins, passes)
    expected = by_enumeration(parent, opened, joins, passes)
    np.testing.assert_allclose((cover, left), expected, atol=1e-12)


@pytest.mark.parametrize("seed", range(20))
def test_compiled_and_uncompiled_agree(seed, monkeypatch):
    twin = load_source(monkeypatch, "segmentation.solvers.treedp")
    assert not twin.COMPILED
    tree = random_tree(np.random.default_rng(seed), n=30)
    np.testing.assert_allclose(blocktree.block_chances(*tree), twin.block_chances(*tree), rtol=1e-12)
