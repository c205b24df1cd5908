from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import DEEP, PAGES, markup
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.leaves import IMAGE
from webgrain.page.outline import visible_tree
from webgrain.papers.features.nodes import NODE_FEATURES, TREE_NODE_FEATURES, node_features
from webgrain.papers.features.pairs import PAIR_FEATURES, TREE_PAIR_FEATURES, PairFeatures
from webgrain.papers.features.treenodes import nodes_of, tree_style
from webgrain.segmentation.features import VIEWS
from webgrain.segmentation.features.style import FARTHEST

NODE = {feature.name: column for column, feature in enumerate(NODE_FEATURES)}


def all_pairs(page):
    nodes = nodes_of(page)
    return PairFeatures(nodes)(*np.triu_indices(len(nodes.tree.leaf), 1))


def assert_in_bounds(features, columns):
    assert features.shape[1] == len(columns)
    for column, feature in enumerate(columns):
        values = features[:, column]
        assert ((values >= feature.low - 1e-9) & (values <= feature.high + 1e-9)).all(), feature.name


def check(page):
    has_view = page.view is not None
    assert_in_bounds(node_features(nodes_of(page)), NODE_FEATURES if has_view else TREE_NODE_FEATURES)
    assert_in_bounds(all_pairs(page), PAIR_FEATURES if has_view else TREE_PAIR_FEATURES)


@pytest.mark.parametrize("columns", [NODE_FEATURES, PAIR_FEATURES])
def test_features_are_documented(columns):
    assert len({feature.name for feature in columns}) == len(columns)
    assert all(feature.unit and feature.meaning and feature.low < feature.high for feature in columns)
    assert {feature.view for feature in columns} == set(VIEWS)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(set(PAGES) - set(DEEP) | {"deep formatting"}))
def test_features_of_odd_pages_are_in_bounds(name, layout):
    check(read(PAGES[name], layout))


@settings(max_examples=25, deadline=None)
@given(markup)
def test_features_of_random_pages_are_in_bounds(html):
    for layout in LAYOUTS:
        check(read(html, layout))


@pytest.mark.parametrize("value", [np.inf, -np.inf, np.nan, 3e38, 0])
def test_a_layout_out_of_this_world_is_drawn_back(value):
    boxes = np.array([[0, 0, 50, 20], [value, 30, 50, 20], [0, 60, value, value]], float)
    sizes = np.full(len(boxed(boxes).dom), value, np.float32)
    page = boxed(boxes, font_size=sizes, width=float(np.nan_to_num(value)), height=0.0)
    check(page)
    assert np.abs(tree_style(page.view, visible_tree(page)).box).max() <= FARTHEST


@pytest.mark.parametrize("layout", LAYOUTS)
def test_means_and_boxes_of_nodes_are_those_of_their_leaves(layout):
    page = read(BLOG, layout)
    nodes = nodes_of(page)
    tree, length = nodes.tree, nodes.length
    known = TREE_NODE_FEATURES if page.view is None else NODE_FEATURES
    features = dict(zip((feature.name for feature in known), node_features(nodes).T, strict=True))
    for u in range(len(tree)):
        below = [v for v in range(u, tree.end[u]) if tree.kind[v]]
        linked = sum(
            length[v] for v in below if any(page.dom.name(a) == "a" for a in page.dom.ancestors(tree.node[v]))
        )
        assert features["anchor"][u] == pytest.approx(linked / length[below].sum(), abs=1e-4)
        assert features["image"][u] == pytest.approx(np.mean(tree.kind[below] == IMAGE))
        if nodes.has_boxes:
            box = nodes.style.box
            assert box[u, :2].tolist() == box[below, :2].min(axis=0).tolist()
            assert box[u, 2:].tolist() == box[below, 2:].max(axis=0).tolist()
