"""Sums of trees and painted intervals against plain Python, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.uncompiled import uncompiled

from webgrain.base import rowkernel
from webgrain.base.trees import BoostedTrees, forest_arrays, odds_of, probabilities

MANY = 33
"""Leaves of a tree that is too large for lanes."""
BY_ROWS, IN_LANES = 10**9, 0
"""Least numbers of rows for lanes."""
VALUES = [np.nan, np.inf, -np.inf, -0.0, 0.0, 1.0, -1.0, np.float32(0.1), 1e38, 3e38]
"""Values and thresholds, so that many are equal."""
KERNELS = {"as installed": rowkernel, "uncompiled": uncompiled("base.rowkernel")}


@pytest.fixture(params=KERNELS)
def kernel(request):
    return KERNELS[request.param]


def grown(rng, features, leaves):
    """A random tree: (feature, threshold, missing, left, right), or the value of a leaf."""
    if leaves == 1:
        return float(np.float32(rng.normal()))
    left = int(rng.integers(1, leaves))
    threshold = float(np.float32(rng.choice(VALUES[1:])))
    children = grown(rng, features, left), grown(rng, features, leaves - left)
    return int(rng.integers(features)), threshold, int(rng.integers(2)), *children


def chain(leaves, on_left):
    """A tree with a leaf at each depth."""
    tree = 0.5
    for k in range(leaves - 1):
        children = (tree, k + 1.0) if on_left else (k + 1.0, tree)
        tree = (k % 3, float(k % 5), k % 2, *children)
    return tree


def arrays_of(trees):
    """The trees as the arrays of nodes."""
    nodes, root = [], []

    def lay(tree):
        at = len(nodes)
        nodes.append([-1, 0.0, 0, 0, 0.0, 0])
        if isinstance(tree, float):
            nodes[at][4] = tree
        else:
            feature, threshold, missing, left, right = tree
            nodes[at] = [feature, threshold, lay(left), lay(right), 0.0, missing]
        return at

    root = np.array([lay(tree) for tree in trees], np.int32)
    kinds = (np.int32, np.float32, np.int32, np.int32, np.float32, np.uint8)
    columns = zip(*nodes, strict=True) if nodes else [()] * 6
    return root, *(np.array(column, kind) for column, kind in zip(columns, kinds, strict=True))


def model_of(trees, features):
    names = tuple(map(str, range(features)))
    return BoostedTrees(names, 0.0, *arrays_of(trees))


def expected(trees, x):
    """The sums of the rows, by plain Python."""

    def value(tree, row):
        while not isinstance(tree, float):
            feature, threshold, missing, left, right = tree
            if np.isnan(row[feature]):
                tree = left if missing else right
            else:
                tree = left if row[feature] <= threshold else right
        return tree

    sums = np.zeros(len(x))
    for tree in trees:
        sums += [value(tree, row) for row in x.tolist()]
    return sums


def same(a, b):
    """Whether two arrays have the same bits."""
    return a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes()


def rows(rng, number, features):
    return rng.choice(np.array(VALUES, np.float32), size=(number, features))


@settings(max_examples=150, deadline=None)
@given(
    leaves=st.lists(st.integers(1, 32), max_size=5),
    number=st.sampled_from([0, 1, 2, 63, 64, 65, 130]),
    features=st.integers(1, 4),
    seed=st.integers(0, 2**32 - 1),
)
@pytest.mark.parametrize("name", KERNELS)
def test_both_ways_to_sum_trees_have_the_bits_of_plain_python(name, leaves, number, features, seed):
    rng = np.random.default_rng(seed)
    trees = [grown(rng, features, n) for n in leaves]
    x = rows(rng, number, features)
    model, kernel = model_of(trees, features), KERNELS[name]
    sums = expected(trees, x)
    forest = kernel.Forest(*forest_arrays([model]))
    assert same(forest.odds(x, BY_ROWS)[0], sums)
    assert same(forest.odds(x, IN_LANES)[0], sums)
    assert same(forest.odds(np.asfortranarray(x), IN_LANES)[0], sums)
    assert same(model.odds(x), sums)


@pytest.mark.parametrize("number", [0, 1, 9, 64, 70])
@pytest.mark.parametrize("most", [20, MANY])
def test_several_models_of_the_same_features_are_evaluated_together(kernel, number, most):
    rng = np.random.default_rng(number)
    of_models = [[grown(rng, 4, int(n)) for n in rng.integers(1, most, k)] for k in (3, 0, 1, 7)]
    x, models = rows(rng, number, 4), [model_of(trees, 4) for trees in of_models]
    sums = np.stack([expected(trees, x) for trees in of_models])
    forest = kernel.Forest(*forest_arrays(models))
    for few in (BY_ROWS, IN_LANES, 8):
        assert same(forest.odds(x, few), sums)
        assert same(forest.probabilities(x, few), 1.0 / (1.0 + np.exp(-sums)))
    assert same(odds_of(models, x), sums)
    assert same(probabilities(models, x), np.stack([model.probability(x) for model in models]))


@pytest.mark.parametrize("on_left", [True, False])
@pytest.mark.parametrize("leaves", [1, 2, 31, 32])
def test_leaves_at_each_depth_are_reached(kernel, leaves, on_left):
    tree = chain(leaves, on_left)
    x = rows(np.random.default_rng(0), 200, 3) + np.arange(200, dtype=np.float32)[:, None] % 7
    forest = kernel.Forest(*forest_arrays([model_of([tree], 3)]))
    assert same(forest.odds(x, IN_LANES)[0], expected([tree], x))


@pytest.mark.parametrize("leaves", [MANY, 64, 200])
def test_trees_that_are_too_large_for_lanes_are_summed_nevertheless(kernel, leaves):
    rng = np.random.default_rng(leaves)
    trees = [grown(rng, 3, 5), grown(rng, 3, leaves), chain(MANY, on_left=True)]
    assert kernel.tree_lanes(*arrays_of(trees)) is None
    for number in (0, 1, 100):
        x = rows(rng, number, 3)
        assert same(model_of(trees, 3).odds(x), expected(trees, x))


def test_nodes_with_two_parents_do_not_multiply(kernel):
    """A file may have such nodes: each of 40 is both children of the one before."""
    n = 41
    child = np.minimum(np.arange(1, n + 1), n - 1).astype(np.int32)
    feature = np.where(np.arange(n) < n - 1, 0, -1).astype(np.int32)
    zero, value = np.zeros(n, np.float32), np.ones(n, np.float32)
    arrays = (np.zeros(1, np.int32), feature, zero, child, child, value, np.zeros(n, np.uint8))
    assert kernel.tree_lanes(*arrays) is None
    assert BoostedTrees(("a",), 0.0, *arrays).odds(np.zeros((100, 1))).tolist() == [1.0] * 100


def test_kernels_prepare_the_same_lanes_compiled_and_not():
    rng = np.random.default_rng(1)
    arrays = arrays_of([grown(rng, 5, int(n)) for n in rng.integers(1, 33, 20)])
    compiled, plain = (kernel.tree_lanes(*arrays) for kernel in KERNELS.values())
    assert all(same(a, b) for a, b in zip(compiled, plain, strict=True))


@pytest.mark.parametrize("number", [0, 1, 7, 8, 9, 63, 64, 65, 71, 72, 130])
def test_sums_do_not_depend_on_the_order_in_memory_or_on_other_rows(number):
    rng = np.random.default_rng(number)
    trees = [grown(rng, 6, int(n)) for n in rng.integers(1, 20, 12)]
    model, x = model_of(trees, 6), rows(rng, number, 6)
    sums = expected(trees, x)
    wide = np.repeat(np.repeat(x, 2, axis=0), 2, axis=1)
    for table in (x, np.asfortranarray(x), wide[::2, ::2], x.astype(np.float64)):
        assert same(model.odds(table), sums)
    alone = [model.odds(x[k : k + 1]) for k in range(number)]
    assert same(np.concatenate([np.zeros(0), *alone]), sums)
