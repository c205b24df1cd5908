from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.page.outline import visible_tree
from webgrain.papers.features.pairs import PAIR_FEATURES, TREE_PAIR_FEATURES, PairFeatures
from webgrain.papers.features.treenodes import nodes_of

HTML = """<div id=a class=box><h1>a</h1><p><a>b</a></div>
<div class=box><ul><li><a>c</a><li>dd</ul></div>"""


def pair(page, p, q):
    """The features of one pair, by name."""
    features = PairFeatures(nodes_of(page))(np.array([p]), np.array([q]))
    known = PAIR_FEATURES if page.view is not None else TREE_PAIR_FEATURES
    return dict(zip((feature.name for feature in known), features[0].tolist(), strict=True))


def test_path_and_common_ancestor_by_hand():
    found = pair(read(HTML), 0, 2)  # text h1 div body div ul li a text
    counts = {"ids": 1, "boxes": 2, "wrappers": 0, "items": 1, "blocks": 5, "branchings": 2}
    counts |= {"steps_min": 3, "steps_max": 5, "depth": 1, "leaves": 4, "children": 2, "levels": 5}
    assert {name: found[name] for name in counts} == pytest.approx(
        {name: np.log1p(count) for name, count in counts.items()}
    )
    flags = ("page", "division", "list", "path", "parent", "one_link", "both_links", "heading_between")
    assert [found[name] for name in flags] == [1, 0, 0, 0, 0, 1, 0, 0]
    assert found["share"] == 1
    assert found["links"] == pytest.approx(2 / 5)
    assert found["repetition"] == 1  # both children are div.box


def test_the_branches_by_hand():
    found = pair(read(HTML), 1, 3)
    assert found["branch_min"] == found["branch_max"] == pytest.approx(np.log(3))
    assert found["share_min"] == pytest.approx(0.5)
    assert (found["twins"], found["one_single"], found["both_single"]) == (1, 0, 0)
    assert found["between"] == pytest.approx(np.log(2))
    assert found["branch_links"] == pytest.approx(abs(1 / 2 - 1 / 3))
    assert found["branch_headings"] == pytest.approx(np.log(2))
    inner = pair(read(HTML), 2, 3)
    assert (inner["list"], inner["both_single"], inner["twins"]) == (1, 1, 1)
    assert inner["shorter"] == pytest.approx(np.log(2))
    assert inner["longer"] == pytest.approx(np.log(3))


def test_a_heading_between_counts_where_it_begins():
    page = read("<p>a<h2>b</h2><p>c<p>d")
    counts = {(p, q): pair(page, p, q)["heading_between"] for p, q in ((0, 1), (0, 2), (1, 2), (2, 3))}
    assert counts == {(0, 1): 1, (0, 2): 1, (1, 2): 0, (2, 3): 0}


def test_boxes_by_hand():
    found = pair(boxed(np.array([[10, 0, 50, 20], [12, 120, 100, 20]])), 0, 1)
    assert found["gap_x"] == pytest.approx(-np.log(49))
    assert found["gap_y"] == found["gap"] == pytest.approx(np.log(101))
    assert found["overlap_x"] == pytest.approx(48 / 50)
    assert found["overlap_y"] == 0
    assert [found[name] for name in ("left", "right", "top", "middle")] == [1, 0, 0, 0]
    assert found["centre"] == pytest.approx(np.log1p(np.hypot(27, 120)))
    assert found["branch_width"] == pytest.approx(np.log(51))


def test_looks_count_by_their_differences():
    boxes = np.array([[10, 0, 50, 20], [12, 120, 50, 20]])
    dom = boxed(boxes).dom
    n, second = len(dom), np.flatnonzero(dom.is_text)[1]
    color, size, weight = np.zeros((n, 4), np.uint8), np.full(n, 16, np.float32), np.full(n, 400, np.int16)
    color[second] = [51, 102, 0, 255]
    size[second], weight[second] = 24, 700
    found = pair(boxed(boxes, color=color, font_size=size, font_weight=weight), 0, 1)
    assert found["font_size"] == found["branch_font_size"] == pytest.approx(np.log(9))
    assert (found["bold"], found["color"]) == pytest.approx((1, 0.4))


@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_of_a_pair_do_not_depend_on_other_pairs(layout):
    page = read(BLOG, layout)
    tree = visible_tree(page)
    features = PairFeatures(nodes_of(page))
    p, q = np.triu_indices(len(tree.leaf), 1)
    every = features(p, q)
    single = np.concatenate([features(p[k : k + 1], q[k : k + 1]) for k in range(len(p))])
    np.testing.assert_array_equal(every, single)


@pytest.mark.parametrize("html", ["", "<p hidden>x", "<p>one"])
def test_a_page_without_pairs_gives_none(html):
    page = read(html)
    none = np.zeros(0, int)
    assert PairFeatures(nodes_of(page))(none, none).shape == (0, len(TREE_PAIR_FEATURES))
