from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, boxed, read

from webgrain.page.outline import visible_tree
from webgrain.papers.features.pairs import adjacent_leaves
from webgrain.papers.thresholds import NEIGHBOUR_GAP, NEIGHBOUR_OVERLAP, NEIGHBOUR_SLACK


def neighbours(boxes):
    """Pairs by the definition, one leaf and one direction at a time; of equals the first."""
    left, top, right, bottom = *boxes[:, :2].T, *(boxes[:, :2] + boxes[:, 2:]).T
    directions = [(left, right, top, bottom), (-right, -left, top, bottom)]
    directions += [(top, bottom, left, right), (-bottom, -top, left, right)]
    found = set()
    for near, far, low, high in directions:
        for p in range(len(boxes)):
            gap = near - far[p]
            shared = np.minimum(high, high[p]) - np.maximum(low, low[p])
            fits = (
                (gap >= -NEIGHBOUR_SLACK)
                & (gap <= NEIGHBOUR_GAP)
                & (shared > NEIGHBOUR_OVERLAP)
                & (np.arange(len(boxes)) != p)
            )
            if fits.any():
                q = int(np.argmin(np.where(fits, gap, np.inf)))
                found.add((min(p, q), max(p, q)))
    return sorted(found)


def pairs_of(page):
    return list(map(tuple, adjacent_leaves(page, visible_tree(page)).tolist()))


def test_a_cross_by_hand():
    #          0
    #      1   2   3
    #          4                     5 (too far)
    boxes = np.array(
        [
            [100, 0, 50, 20],
            *([x, 30, 50, 20] for x in (0, 100, 200)),
            [100, 60, 50, 20],
            [900, 60, 50, 20],
        ]
    )
    assert pairs_of(boxed(boxes)) == [(0, 2), (1, 2), (2, 3), (2, 4)]


@pytest.mark.parametrize("seed", range(30))
def test_pairs_are_those_of_the_definition(seed):
    rng = np.random.default_rng(seed)
    boxes = rng.integers(0, 40, (int(rng.integers(1, 40)), 4)) * [30, 30, 5, 5] + [0, 0, 1, 1]
    assert pairs_of(boxed(boxes)) == neighbours(boxes.astype(float))


def test_each_pair_is_there_once_and_joins_different_leaves():
    for layout in ("none", "lines"):
        pairs = pairs_of(read(BLOG, layout))
        assert len(set(pairs)) == len(pairs) > 0
        assert all(p < q for p, q in pairs)


def test_without_a_layout_neighbours_follow_each_other_or_begin_siblings():
    page = read("<ul><li><a>0</a> <b>1</b><li>2<li><i>3</i></ul><p>4")
    assert pairs_of(page) == [(0, 1), (0, 2), (0, 4), (1, 2), (2, 3), (3, 4)]


@pytest.mark.parametrize("html", ["", "<p hidden>x", "<p>x"])
def test_fewer_than_two_leaves_have_no_neighbours(html):
    for layout in ("none", "lines"):
        page = read(html, layout)
        assert adjacent_leaves(page, visible_tree(page)).shape == (0, 2)
