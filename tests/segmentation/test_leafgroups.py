from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.segmentation.features.nodes import nodes_of
from webgrain.segmentation.features.segments import LeafGroups
from webgrain.segmentation.thresholds import NEAR_LEAVES


@pytest.fixture(params=range(5))
def members(request):
    """Segments drawn at random, some leaves in none."""
    page = read(BLOG, "lines")
    nodes = nodes_of(page)
    drawn = np.random.default_rng(request.param).integers(-1, 4, len(nodes.tree.leaves))
    _, label = np.unique(np.append(-1, drawn), return_inverse=True)
    return LeafGroups(nodes, label[1:] - 1)


def test_sums_and_extremes_are_those_of_the_leaves(members):
    x = np.random.default_rng(0).normal(size=(len(members.label), 2))
    for k in range(len(members)):
        own = x[members.label == k]
        assert members.count[k] == len(own)
        assert members.sum(x)[k] == pytest.approx(own.sum(axis=0))
        assert members.mean(x)[k] == pytest.approx(own.mean(axis=0))
        assert members.most(x)[k].tolist() == own.max(axis=0).tolist()
        assert members.least(x)[k].tolist() == own.min(axis=0).tolist()


def test_a_weight_counts_in_the_mean(members):
    weight = np.arange(len(members.label)) + 1.0
    expected = [
        np.average(weight[members.label == k], weights=weight[members.label == k])
        for k in range(len(members))
    ]
    assert members.mean(weight, weight) == pytest.approx(np.array(expected))


def test_the_common_ancestor_is_the_lowest_that_holds_all(members):
    tree = members.nodes.tree
    for k, node in enumerate(members.common.tolist()):
        own = tree.leaves[members.label == k]
        holders = [u for u in range(len(tree)) if ((own >= u) & (own < tree.end[u])).all()]
        assert node == max(holders)


def test_near_nodes_have_not_many_more_leaves(members):
    leaves, parent = members.nodes.leaves, members.nodes.tree.parent
    for common, near in zip(members.common.tolist(), members.near.tolist(), strict=True):
        assert leaves[near] <= NEAR_LEAVES * leaves[common]
        assert parent[near] < 0 or leaves[parent[near]] > NEAR_LEAVES * leaves[common]


def test_stretches_of_leaves_are_counted():
    page = read("<p>1<p>2<p>3<p>4<p>5")
    nodes = nodes_of(page)
    assert LeafGroups(nodes, np.array([0, 1, 0, 0, -1])).runs.tolist() == [2, 1]
    assert LeafGroups(nodes, np.array([-1, 0, 0, 0, 0])).runs.tolist() == [1]
