from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, LAYOUTS, boxed, read
from tests.segmentation.test_contract import HOSTILE

from webgrain.page.outline import visible_tree
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.hints import HINTS
from webgrain.segmentation.features.segments import (
    SEGMENT_FEATURES,
    TREE_FEATURES,
    is_hint,
    member_features,
    members_of,
    segment_features,
)

NAMES = [feature.name for feature in SEGMENT_FEATURES]


def features_of(page):
    return SEGMENT_FEATURES if page.view is not None else TREE_FEATURES


def features(page, label):
    return segment_features(facts_of(page, page.view is not None), np.asarray(label))


def column(page, label, name):
    names = [feature.name for feature in features_of(page)]
    return features(page, label)[:, names.index(name)].tolist()


@pytest.mark.parametrize("html", [BLOG, *HOSTILE.values()], ids=["blog", *HOSTILE])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_features_are_finite_and_within_their_bounds(html, layout):
    page = read(html, layout)
    n = len(visible_tree(page).leaf)
    for label in (np.zeros(n, int), np.arange(n), np.arange(n) % 3, np.arange(n) // 3):
        x = features(page, label)
        assert x.shape == (label.max(initial=-1) + 1, len(features_of(page)))
        assert np.isfinite(x).all()
        for k, feature in enumerate(features_of(page)):
            assert ((x[:, k] >= feature.low) & (x[:, k] <= feature.high)).all(), feature.name


def test_names_are_distinguished_and_hints_are_known():
    assert len(set(NAMES)) == len(NAMES)
    assert sum(map(is_hint, SEGMENT_FEATURES)) == sum(map(is_hint, TREE_FEATURES)) == 3 * len(HINTS)


def test_a_page_without_a_view_has_the_same_features_but_the_visual_ones():
    page, boxes = read(BLOG), read(BLOG, "lines")
    label = np.arange(len(visible_tree(page).leaf)) // 3
    x, visual = features(page, label), features(boxes, label)
    kept = [k for k, feature in enumerate(SEGMENT_FEATURES) if feature.view != "visual"]
    changed = np.flatnonzero((x != visual[:, kept]).any(axis=0))
    assert {TREE_FEATURES[k].name for k in changed} <= {"alike"}  # of boxes with widths


def test_where_a_segment_stands():
    page = boxed([(0, 0, 683, 192), (683, 0, 683, 384), (683, 384, 683, 384)])
    assert column(page, [0, 1, 1], "left") == pytest.approx([0.0, 0.5])
    assert column(page, [0, 1, 1], "bottom") == pytest.approx([0.75, 0.0])
    assert column(page, [0, 1, 1], "area") == pytest.approx([0.125, 0.5])
    assert column(page, [0, 1, 1], "wide") == [0, 0]
    assert column(page, [0, 0, 1], "wide") == [1, 0]


def test_prices_dates_and_numbers_of_pages_are_counted():
    page = read(
        "<p>12,50 €</p><p>$ 3</p><p>3 pages</p><p>May 2021</p><p>120213</p><p>1999a</p>"
        "<p><a href=?p=1>1</a> <a href=?p=2>[2]</a> <a href=?p=3>&raquo;</a> 4 <a href=?p=5>1 of 5</a></p>"
    )
    label = [0, 0, 1, 2, 2, 2, 3, 3, 3, 3, 3]
    assert column(page, label, "prices") == [1, 0, 0, 0]
    assert column(page, label, "any prices") == [1, 0, 0, 0]
    assert column(page, label, "years") == pytest.approx([0, 0, 2 / 3, 0])
    assert column(page, label, "page_numbers") == pytest.approx([0, 0, 0, 2 / 5])
    assert column(page, label, "arrows") == pytest.approx([0, 0, 0, 1 / 5])
    assert column(page, label, "separators") == pytest.approx([0, 0, 0, 1 / 5])


def test_links_within_a_page_and_to_named_hosts_are_counted():
    page = read("<p><a href=#a><b>One</b></a> <a href=#>Two</a> <a href=https://a.example/#b>Three</a> Four")
    assert column(page, [0, 0, 0, 0], "fragments") == [1 / 4]
    assert column(page, [0, 0, 0, 0], "addresses") == [1 / 4]


def test_fields_are_distinguished():
    page = read(
        "<form><input><input type=EMAIL><input type=submit><select><option>1</select><textarea></textarea>"
    )
    n = len(visible_tree(page).leaf)
    assert [column(page, [0] * n, name)[0] * n for name in ("lines", "selects", "areas")] == pytest.approx(
        [2, 1, 1]
    )


def test_an_advertisement_has_a_size_that_is_sold():
    assert column(boxed([(0, 0, 728, 90), (0, 200, 700, 90)]), [0, 1], "banner") == [1, 0]


def test_contents_of_a_segment():
    page = read("<p>© 1999 Kim<p><a href=x>more</a> text<form><input></form>", "lines")
    label = [0, 1, 1, 2]
    assert column(page, label, "copyright") == [1, 0, 0]
    assert column(page, label, "digits")[0] == pytest.approx(4 / 8)
    assert column(page, label, "anchor") == pytest.approx([0, 0.5, 0], abs=1e-3)
    assert column(page, label, "few_controls") == [0, 0, 1]
    assert column(page, label, "one_text") == [1, 0, 0]


def test_hints_near_inside_and_above():
    page = read("<div class=sidebar><ul class=menu><li>1<li>2<li>3</ul><p>4<p>5<p>6</div><p>7")
    label = [0, 0, 0, 1, 1, 1, 2]
    assert column(page, label, "menu, near") == [1, 0, 0]
    assert column(page, label, "side, near") == [0, 1, 0]
    assert column(page, label, "side, above") == [1, 0, 0]
    assert column(page, label, "paragraph, inside") == [0, 1, 0]


def test_neighbours_are_features():
    page = read("<p><a href=x>One</a><p>two<p><a href=x>Three</a>")
    assert column(page, [0, 1, 2], "anchor previous") == pytest.approx([-1, 1, 0])
    assert column(page, [0, 1, 2], "anchor next") == pytest.approx([0, 1, -1])


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("seed", range(5))
def test_features_of_segments_and_nested_spans_are_those_of_each_layer_alone(layout, seed):
    page, rng = read(BLOG, layout), np.random.default_rng(seed)
    outline = visible_tree(page)
    chosen = np.flatnonzero(rng.random(len(outline)) < 0.5)
    low, high = outline.low[chosen], outline.high[chosen]
    drawn = rng.integers(-1, 4, len(outline.leaf))
    _, number = np.unique(np.append(-1, drawn), return_inverse=True)
    label = number[1:] - 1
    facts = facts_of(page, page.view is not None)
    members = members_of(label, low, high)
    x = member_features(facts, members)
    first = label.max() + 1
    assert x[:first].tolist() == segment_features(facts, label).tolist()
    layer = members.layer[first:]
    assert len(set(layer.tolist())) > 1
    for number in np.unique(layer).tolist():
        spans = np.flatnonzero(layer == number)
        of_leaves = np.full(len(outline.leaf), -1)
        for place, span in enumerate(spans.tolist()):
            assert (of_leaves[low[span] : high[span]] == -1).all()
            of_leaves[low[span] : high[span]] = place
        assert x[first + spans].tolist() == segment_features(facts, of_leaves).tolist()


def test_no_word_of_a_page_is_a_feature():
    one = read("<p class=x>hear the wind blow<p>so low", "none")
    other = read("<p class=x>near the mind glow<p>no row", "none")
    assert features(one, [0, 1]).tolist() == features(other, [0, 1]).tolist()
