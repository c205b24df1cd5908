from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import PAGES, markup
from tests.segment.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.leaves import IMAGE, TEXT_LEAF, visible_tree
from webgrain.segment.features import (
    NODE_FEATURES,
    PAIR_FEATURES,
    PairFeatures,
    node_features,
    text_length,
)
from webgrain.segment.look import FARTHEST, look

NODE = {feature.name: column for column, feature in enumerate(NODE_FEATURES)}
PAIR = {feature.name: column for column, feature in enumerate(PAIR_FEATURES)}


def all_pairs(page):
    tree = visible_tree(page)
    p, q = np.triu_indices(len(tree.leaves), 1)
    return PairFeatures(page, tree)(p, q), p, q


def assert_in_bounds(features, columns):
    assert features.shape[1] == len(columns)
    for column, feature in enumerate(columns):
        values = features[:, column]
        assert ((values >= feature.low - 1e-9) & (values <= feature.high + 1e-9)).all(), feature.name


def check(page):
    assert_in_bounds(node_features(page, visible_tree(page)), NODE_FEATURES)
    assert_in_bounds(all_pairs(page)[0], PAIR_FEATURES)


@pytest.mark.parametrize("columns", [NODE_FEATURES, PAIR_FEATURES])
def test_features_are_documented(columns):
    assert len({feature.name for feature in columns}) == len(columns)
    assert all(feature.unit and feature.meaning and feature.low < feature.high for feature in columns)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(set(PAGES) - {"very deep", "deep and back"}))
def test_features_of_odd_pages_are_in_bounds(name, layout):
    check(read(PAGES[name], layout))


@settings(max_examples=60, deadline=None)
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
    assert np.abs(look(page, visible_tree(page)).box).max() <= FARTHEST


@pytest.mark.parametrize("layout", LAYOUTS)
def test_means_and_boxes_of_nodes_are_those_of_their_leaves(layout):
    page = read(BLOG, layout)
    tree = visible_tree(page)
    features, seen, length = node_features(page, tree), look(page, tree), text_length(page, tree)
    for u in range(len(tree)):
        below = [v for v in range(u, tree.end[u]) if tree.kind[v]]
        linked = sum(
            length[v] for v in below if any(page.dom.name(a) == "a" for a in page.dom.ancestors(tree.node[v]))
        )
        assert features[u, NODE["anchor"]] == pytest.approx(linked / length[below].sum(), abs=1e-4)
        assert features[u, NODE["image"]] == pytest.approx(np.mean(tree.kind[below] == IMAGE))
        assert seen.box[u, :2].tolist() == seen.box[below, :2].min(axis=0).tolist()
        assert seen.box[u, 2:].tolist() == seen.box[below, 2:].max(axis=0).tolist()


def test_text_is_counted_without_white_space():
    page = read("<p>a b\n c\U0001f600</p><img src=x alt=text>")
    tree = visible_tree(page)
    length = text_length(page, tree)
    assert length[tree.kind == TEXT_LEAF].tolist() == [4]
    assert length[tree.kind == IMAGE].tolist() == [10]
    assert not length[tree.kind == 0].any()


def test_pairs_by_hand():
    page = read("<div><h1>a</h1><p><a>b</a></div><div><p>c</div>")
    features, p, q = all_pairs(page)
    row = {(i, j): features[k] for k, (i, j) in enumerate(zip(p.tolist(), q.tolist(), strict=True))}
    total = np.log(4)
    assert row[0, 1][PAIR["common"]] == pytest.approx(np.log(3) / total)
    assert row[0, 1][PAIR["branch"]] == pytest.approx(np.log(2) / total)
    assert row[0, 2][PAIR["common"]] == pytest.approx(1)
    assert row[0, 2][PAIR["branch"]] == pytest.approx(np.log(3) / total)
    assert row[1, 2][PAIR["steps"]] == pytest.approx(np.log(8) / np.log(64))  # text a p div body div p text
    assert [row[pair][PAIR["heading"]] for pair in ((0, 1), (0, 2), (1, 2))] == [1, 1, 0]
    assert [row[pair][PAIR["anchor"]] for pair in ((0, 1), (0, 2), (1, 2))] == [1, 0, 1]
    assert [row[pair][PAIR["tag"]] for pair in ((0, 1), (0, 2), (1, 2))] == [1, 1, 1]
    assert row[0, 2][PAIR["order"]] == pytest.approx(np.log(3) / total)


def test_looks_count_by_their_differences():
    n = len(boxed(np.zeros((2, 4))).dom)
    leaves = np.flatnonzero(boxed(np.ones((2, 4))).dom.is_text)
    color, size, weight = np.zeros((n, 4), np.uint8), np.full(n, 16, np.float32), np.full(n, 400, np.int16)
    color[leaves[1]] = [51, 102, 0, 255]
    size[leaves[1]], weight[leaves[1]] = 24, 700
    boxes = np.array([[10, 0, 50, 20], [12, 120, 50, 20]])
    [features], _, _ = all_pairs(boxed(boxes, color=color, font_size=size, font_weight=weight))
    found = [features[PAIR[name]] for name in ("gap_x", "gap_y", "unaligned", "font_size", "bold", "color")]
    assert found == pytest.approx([0, np.log(101) / np.log(1001), 0, np.log2(1.5), 1, 0.4])
