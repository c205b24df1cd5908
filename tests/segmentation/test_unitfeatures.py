from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.leaves import visible_tree
from webgrain.segmentation.features.nodes import NodeFeatures
from webgrain.segmentation.features.units import UNIT_FEATURES, unit_features, units_of, usual_size

NAMES = [feature.name for feature in UNIT_FEATURES]
LIST = "<ul><li class=a>One<li class=a><a>Two</a><li class=b>Three</ul><p>A long text. And more of it.</p>"


def features(page):
    nodes = NodeFeatures(page, visible_tree(page))
    return unit_features(nodes, units_of(nodes.tree))


def column(page, name):
    return features(page)[:, NAMES.index(name)]


def test_names_are_unique_and_bounds_are_bounds():
    assert len(set(NAMES)) == len(NAMES)
    assert all(feature.low < feature.high and feature.unit and feature.meaning for feature in UNIT_FEATURES)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("html", [BLOG, LIST, "x", "<img src=x>", "<p>x" * 300, "<b>y</b><div>" * 60 + "x"])
def test_features_are_finite_and_within_bounds(html, layout):
    x = features(read(html, layout))
    assert np.isfinite(x).all()
    assert all((x[:, k] >= f.low).all() and (x[:, k] <= f.high).all() for k, f in enumerate(UNIT_FEATURES))


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # the page, the list, its three items, the paragraph
        ("leaf share", [1, 3 / 4, 1 / 4, 1 / 4, 1 / 4, 1 / 4]),
        ("linked leaves", [1 / 4, 1 / 3, 0, 1, 0, 0]),
        ("repetition", [1 / 2, 2 / 3, 0, 0, 0, 0]),
        ("tag item", [0, 0, 1, 1, 1, 0]),
        ("parent tag list", [0, 0, 1, 1, 1, 0]),
        ("alike before", [0, 0, 0, 1, 0, 0]),
        ("relative place", [0, 0, 0, 1 / 2, 1, 1]),
        ("share of parent", [1, 3 / 4, 1 / 3, 1 / 3, 1 / 3, 1 / 4]),
        ("leaves after", [-1, np.log(2), np.log(2), np.log(2), -1, -1]),
        ("parent level", [0, 0, 1, 1, 1, 0]),
    ],
)
def test_features_by_hand(name, expected):
    np.testing.assert_allclose(column(read(LIST), name), expected)


def test_gaps_and_arrangement_are_those_of_the_boxes():
    page = boxed([(0, 0, 100, 20), (0, 50, 100, 20), (200, 50, 100, 20)])
    assert column(page, "gap down")[0] == pytest.approx(np.log1p(30))
    assert column(page, "gap across")[0] == pytest.approx(np.log1p(100))
    assert column(page, "stacked")[0] == column(page, "side by side")[0] == 0.5
    assert column(page, "gap above").tolist()[:2] == [-9.0, -9.0]


def test_boxes_far_off_the_page_do_no_harm():
    x = features(boxed([(0, 0, 10, 10), (1e9, -1e9, 10, 10), (0, 0, 1e12, 1e12)]))
    assert np.isfinite(x).all()


def test_the_usual_size_is_that_of_most_text_but_no_single_one():
    assert usual_size(np.zeros(0), np.zeros(0)) == 16.0
    assert usual_size(np.array([12.0, 20.0]), np.array([90.0, 10.0])) == 12.0
    assert usual_size(np.array([30.0, 12.0, 12.0]), np.array([1e6, 150.0, 150.0])) == 12.0
