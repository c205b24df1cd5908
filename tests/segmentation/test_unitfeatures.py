from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation import reference
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read

from webgrain.papers.features.treenodes import nodes_of
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.hints import ALL_HINTS, HINTS, has_bits, hint_bits
from webgrain.segmentation.features.style import usual_size
from webgrain.segmentation.features.units import TREE_FEATURES, UNIT_FEATURES, alike_siblings, unit_features

NAMES = [feature.name for feature in UNIT_FEATURES]
LIST = "<ul><li class=a>One<li class=a><a>Two</a><li class=b>Three</ul><p>A long text. And more of it.</p>"


def features(page):
    return unit_features(facts_of(page, page.view is not None))


def column(page, name):
    names = [feature.name for feature in features_of(page)]
    return features(page)[:, names.index(name)]


def features_of(page):
    return UNIT_FEATURES if page.view is not None else TREE_FEATURES


def test_names_are_unique_and_bounds_are_bounds():
    assert len(set(NAMES)) == len(NAMES)
    assert all(feature.low < feature.high and feature.unit and feature.meaning for feature in UNIT_FEATURES)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("html", [BLOG, LIST, "x", "<img src=x>", "<p>x" * 300, "<b>y</b><div>" * 60 + "x"])
def test_features_are_finite_and_within_bounds(html, layout):
    page = read(html, layout)
    x = features(page)
    assert np.isfinite(x).all()
    bounded = enumerate(features_of(page))
    assert all((x[:, k] >= f.low).all() and (x[:, k] <= f.high).all() for k, f in bounded)


def test_a_page_without_a_view_has_the_same_features_but_the_visual_ones():
    html = BLOG.replace("h1", "h2")  # a larger font would be a heading
    x, visual = features(read(html)), features(read(html, "lines"))
    kept = [k for k, feature in enumerate(UNIT_FEATURES) if feature.view != "visual"]
    changed = np.flatnonzero((x != visual[:, kept]).any(axis=0))
    assert not [TREE_FEATURES[k].name for k in changed]


@pytest.mark.parametrize(
    ("name", "expected"),
    [  # the page, the list, its three items, the paragraph
        ("earlier share", [0, 0, 0, 1 / 4, 1 / 2, 3 / 4]),
        ("later share", [0, 1 / 4, 3 / 4, 1 / 2, 1 / 4, 0]),
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


def test_boxes_far_outside_of_the_page_are_valid():
    x = features(boxed([(0, 0, 10, 10), (1e9, -1e9, 10, 10), (0, 0, 1e12, 1e12)]))
    assert np.isfinite(x).all()


def test_the_usual_size_is_that_of_most_text_but_no_single_one():
    assert usual_size(np.zeros(0), np.zeros(0)) == 16.0
    assert usual_size(np.array([12.0, 20.0]), np.array([90.0, 10.0])) == 12.0
    assert usual_size(np.array([30.0, 12.0, 12.0]), np.array([1e6, 150.0, 150.0])) == 12.0


def test_hints_of_a_unit_are_those_of_its_chain_of_what_is_above_and_of_what_is_inside():
    html = (
        "<nav><ul class=menu><li><a class=logo>1</a><b>2</b><li><i class=menu><u class=menu>3</u>4</i></ul>"
        "</nav><div class=comments><p>5<p>6</div>"
    )
    page = read(html)
    nodes = nodes_of(page)
    units = reference.units_of(nodes.tree)
    x = dict(zip((feature.name for feature in TREE_FEATURES), features(page).T, strict=True))
    tree, mark = nodes.tree, has_bits(hint_bits(page.dom)[nodes.tree.node], ALL_HINTS)
    known = [(column, hint) for column, hint in enumerate(HINTS) if f"{hint}, near" in x]
    assert {"menu", "logo", "comments"} <= {hint for _, hint in known}
    for column, hint in known:
        for unit in range(len(units)):
            chain = set(range(units.top[unit], units.bottom[unit] + 1))
            above = set()
            node = int(tree.parent[units.top[unit]])
            while node >= 0:
                above.add(node)
                node = int(tree.parent[node])
            covered = 0
            for leaf in tree.leaf[units.low[unit] : units.high[unit]].tolist():
                node, inside = leaf, False
                while node > units.bottom[unit]:
                    inside |= bool(mark[node, column])
                    node = int(tree.parent[node])
                covered += inside
            assert x[f"{hint}, near"][unit] == any(mark[k, column] for k in chain)
            assert x[f"{hint}, above"][unit] == any(mark[k, column] for k in above)
            assert x[f"{hint}, inside"][unit] == pytest.approx(covered / units.leaves[unit])


def test_siblings_that_look_alike_are_one_group():
    post = "<li class=post><h2>T</h2><p>text"
    page = read(
        f"<ul>{post}{post}<p>more{post}<li class=ad><h2>A</h2><p>b<li class=post><i>x</i><b>y</b></ul>"
    )
    facts = facts_of(page, False)
    group = alike_siblings(facts)
    items = [k for k, node in enumerate(facts.outline.node.tolist()) if page.dom.name(node) == "li"]
    assert [int(group[k] == group[items[0]]) for k in items] == [1, 1, 1, 0, 0]


def test_siblings_of_very_different_size_are_not_alike():
    item = "<li class=c>" + "<p>x" * 2
    page = read(f"<ul>{item}{item}<li class=c>{'<p>x' * 50}</ul>")
    facts = facts_of(page, False)
    items = np.flatnonzero(facts.outline.parent == 0)
    assert len(set(alike_siblings(facts)[items].tolist())) == 3
