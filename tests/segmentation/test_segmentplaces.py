"""Where segments are in the outline of a page, and sums over leaves and children."""

from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

from webgrain.page.outline import leaf_outline
from webgrain.segmentation.features.segmentkernel import segment_places
from webgrain.segmentation.features.segments import NO_SPANS, _Groups, members_of
from webgrain.segmentation.features.units import _Family
from webgrain.segmentation.thresholds import NEAR_LEAVES

NESTED = "<div><section><p>One<p>Two</section></div><ul><li><b>Three</b></ul>"


@pytest.fixture(params=range(5))
def label(request):
    """Segments of the leaves of the blog drawn at random, some leaves in none."""
    drawn = np.random.default_rng(request.param).integers(-1, 4, len(leaf_outline(read(BLOG)).leaf))
    _, number = np.unique(np.append(-1, drawn), return_inverse=True)
    return (number[1:] - 1).astype(np.int32)


def test_sums_and_extremes_are_those_of_the_leaves(label):
    groups, x = (
        _Groups(members_of(label, NO_SPANS, NO_SPANS)),
        np.random.default_rng(0).normal(size=(len(label), 2)),
    )
    weight = np.arange(len(label)) + 1.0
    for k in range(label.max() + 1):
        inside = label == k
        assert groups.mean(x)[k] == pytest.approx(x[inside].mean(axis=0))
        assert groups.mean(weight, weight)[k] == pytest.approx(
            np.average(weight[inside], weights=weight[inside])
        )
        assert groups.most(x)[k].tolist() == x[inside].max(axis=0).tolist()
        assert groups.least(x)[k].tolist() == x[inside].min(axis=0).tolist()


def test_common_units_are_the_lowest_with_all_leaves_and_near_ones_have_few_more(label):
    outline = leaf_outline(read(BLOG))
    tree, leaves = (outline.parent, outline.end, outline.low, outline.high), outline.leaves
    members = np.arange(len(label), dtype=np.int32), label
    places = segment_places(members, int(label.max()) + 1, tree, outline.leaf, NEAR_LEAVES)
    for k, (first, last, common, near) in enumerate(places.T.tolist()):
        inside = np.flatnonzero(label == k)
        assert [first, last] == [inside[0], inside[-1]]
        assert common == max(np.flatnonzero((outline.low <= first) & (outline.high > last)))
        assert leaves[near] <= NEAR_LEAVES * leaves[common]
        above = outline.parent[near]
        assert above < 0 or leaves[above] > NEAR_LEAVES * leaves[common]


def test_sums_and_extremes_over_children():
    family = _Family(leaf_outline(read(NESTED)))  # html body, div section, p, p, ul li b
    assert family.number.tolist() == [2, 2, 0, 0, 0]
    assert family.sum(np.array([9, 1, 2, 3, 4])).tolist() == [5, 5, 0, 0, 0]
    assert family.least(np.array([9.0, 1, 2, 3, 4])).tolist() == [1, 2, 0, 0, 0]
    assert family.greatest(np.array([9.0, 1, -2, -3, 4])).tolist() == [4, -2, 0, 0, 0]
    assert family.share(np.array([9.0, 1, 2, 3, 4])).tolist() == [2.5, 2.5, 0, 0, 0]
    assert family.previous.tolist() == [-1, -1, -1, 2, 1]
    assert family.following.tolist() == [-1, 4, 3, -1, -1]
