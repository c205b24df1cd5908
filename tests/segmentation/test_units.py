from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.page.leaves import visible_tree
from webgrain.segmentation.features.units import units_of

NESTED = "<div><section><p>One<p>Two</section></div><ul><li><b>Three</b></ul>"


def test_a_chain_of_only_children_is_one_unit():
    tree = visible_tree(read(NESTED))  # html body | div section | p text | p text | ul li b text
    units = units_of(tree)
    assert units.top.tolist() == [0, 2, 4, 6, 8]
    assert units.bottom.tolist() == [1, 3, 5, 7, 11]
    assert units.parent.tolist() == [-1, 0, 1, 1, 0]
    assert units.end.tolist() == [5, 4, 3, 4, 5]
    assert units.inner.tolist() == [0, 1]
    assert units.leaves.tolist() == [3, 2, 1, 1, 1]
    assert units.children.tolist() == [2, 2, 0, 0, 0]


def test_sums_and_extremes_over_leaves_children_and_chains():
    tree = visible_tree(read(NESTED))
    units = units_of(tree)
    assert units.over_leaves(np.array([1, 2, 4])).tolist() == [7, 3, 1, 2, 4]
    assert units.greatest_leaf(np.array([1, 5, 4])).tolist() == [5, 5, 1, 5, 4]
    assert units.over_children(np.array([9, 1, 2, 3, 4])).tolist() == [5, 5, 0, 0, 0]
    assert units.least_child(np.array([9.0, 1, 2, 3, 4])).tolist() == [1, 2, 0, 0, 0]
    assert units.greatest_child(np.array([9.0, 1, -2, -3, 4])).tolist() == [4, -2, 0, 0, 0]
    assert units.over_chain(np.ones(len(tree))).tolist() == [2, 2, 2, 2, 4]


@pytest.mark.parametrize("html", [BLOG, "x", "<p>One<p>Two" * 50, "<i>a</i><div>" * 30 + "x"])
def test_units_are_a_tree_without_only_children(html):
    tree = visible_tree(read(html))
    units = units_of(tree)
    assert (units.parent[1:] < np.arange(1, len(units))).all()
    assert not (units.children == 1).any()
    assert ((units.children == 0) == (units.leaves == 1)).all()
    assert units.leaves[0] == len(tree.leaves)
    assert (units.bottom - units.top + 1).sum() == len(tree)
    parents = [set(range(u + 1, units.end[u])) for u in range(len(units))]
    assert all(child in parents[parent] for child, parent in enumerate(units.parent) if parent >= 0)
