"""Sums of trees and painted intervals against plain Python, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import uncompiled

from webgrain.base import rowkernel


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request):
    return rowkernel if request.param == "as installed" else uncompiled("base.rowkernel")


def grown(rng, features, trees):
    """Random trees of at most three levels, as nested tuples and as arrays."""

    def grow(depth):
        if depth == 3 or rng.random() < 0.2:
            return float(rng.normal())
        return int(rng.integers(features)), float(np.float32(rng.normal())), grow(depth + 1), grow(depth + 1)

    nodes, root = [], []

    def lay(tree):
        at = len(nodes)
        nodes.append([-1, 0.0, 0, 0, 0.0, int(rng.integers(2))])
        if isinstance(tree, float):
            nodes[at][4] = tree
        else:
            nodes[at][:4] = [tree[0], tree[1], lay(tree[2]), lay(tree[3])]
        return at

    nested = [grow(0) for _ in range(trees)]
    root = np.array([lay(tree) for tree in nested], np.int32)
    kinds = (np.int32, np.float32, np.int32, np.int32, np.float32, np.uint8)
    columns = zip(zip(*nodes, strict=True), kinds, strict=True)
    return nested, (root, *(np.array(column, kind) for column, kind in columns))


def value(tree, row):
    while not isinstance(tree, float):
        tree = tree[2] if row[tree[0]] <= tree[1] else tree[3]
    return tree


def test_each_row_falls_into_one_leaf_of_each_tree(kernel):
    rng = np.random.default_rng(0)
    nested, arrays = grown(rng, 4, 7)
    x = rng.normal(size=(30, 4)).astype(np.float32)
    expected = [sum(value(tree, row) for tree in nested) for row in x]
    assert np.allclose(kernel.tree_sums(x, *arrays), expected, atol=1e-5)


def test_no_rows_have_no_sums(kernel):
    _, arrays = grown(np.random.default_rng(0), 4, 2)
    assert kernel.tree_sums(np.zeros((0, 4), np.float32), *arrays).shape == (0,)


def test_later_intervals_paint_over_earlier_ones(kernel):
    rng = np.random.default_rng(0)
    first = rng.integers(0, 20, 40)
    last, column, colour = first + rng.integers(0, 5, 40), rng.integers(0, 3, 40), rng.normal(size=40)
    table = np.zeros((25, 3))
    for k in range(40):
        table[first[k] : last[k], column[k]] = colour[k]
    assert np.array_equal(kernel.paint(first, last, column, colour, 25, 3), table)
