from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.segmentation.pages import read

from webgrain.evaluation.datasets import Example
from webgrain.evaluation.training import (
    LabelledRows,
    concatenate,
    fine_rows,
    jaccard,
    marked_rows,
    predicted_rows,
)
from webgrain.io.labels import LabelledSegment, truth_of
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.features.segments import SEGMENT_FEATURES, TREE_FEATURES

HTML = "<div><p>1<p>2<ul><li>3<li>4</ul></div><p>5<p hidden>6"


def example(**roles):
    """A page whose elements of these names are marked, with these roles."""
    page = read(HTML)
    path = {"div": "html > body > div", "ul": "html > body > div > ul", "p": "html > body > p:nth-of-type(2)"}
    marks = tuple(LabelledSegment(css=(path[name],), role=role) for name, role in roles.items())
    return Example(page, truth_of(page, marks), marks)


def leaves(rows):
    """Share of the page's leaves in each segment, in fifths."""
    place = [feature.name for feature in TREE_FEATURES].index("leaf_share")
    return (rows.features[:, place] * 5).round().astype(int).tolist()


def test_marked_segments_are_whole_and_those_that_overlap_both_count():
    rows = marked_rows(example(div="content", ul="menu"))
    assert list(zip(rows.roles, leaves(rows), strict=True)) == [("content", 4), ("menu", 2)]


def test_of_the_fine_partition_the_rest_counts():
    rows = fine_rows(example(div="content", ul="menu"))
    assert list(zip(rows.roles, leaves(rows), strict=True)) == [("content", 2), ("menu", 2)]


def test_what_cannot_be_seen_or_found_has_no_row():
    assert marked_rows(example(p="ad")).roles == fine_rows(example(p="ad")).roles == ()
    lost = LabelledSegment(css=("html > body > table",), role="table")
    page = read(HTML)
    assert marked_rows(Example(page, truth_of(page, [lost]), (lost,))).roles == ()


def labelled(values):
    page = read(HTML)
    labels = np.full(len(page.dom), -1, np.int32)
    labels[np.flatnonzero(page.dom.is_text)[:5]] = values
    return Segmentation(labels, "by hand")


@pytest.mark.parametrize(
    ("values", "roles", "right"),
    [
        ([0, 0, 1, 1, 2], ("content", "menu", None), [True, True, False]),
        ([0, 0, 0, 0, 1], ("content", None), [True, False]),  # the whole div
        ([0, 1, 1, 1, 2], ("content", "content", None), [False, False, False]),  # half, three of four
    ],
)
def test_predicted_segments_have_the_role_of_what_they_match(values, roles, right):
    rows = predicted_rows(example(div="content", ul="menu"), labelled(values))
    assert rows.roles == roles
    assert rows.right.tolist() == right


def test_without_true_segments_nothing_is_right():
    rows = predicted_rows(example(), labelled([0, 0, 1, 1, 2]))
    assert rows.roles == (None, None, None)
    assert not rows.right.any()


def test_jaccard_by_its_definition():
    rng = np.random.default_rng(0)
    label, member = rng.integers(-1, 3, 20), rng.random((4, 20)) < 0.4
    share = jaccard(label, member)
    for k in range(3):
        own = label == k
        assert share[k].tolist() == pytest.approx([(own & m).sum() / (own | m).sum() for m in member])


def test_rows_of_no_page_are_none():
    assert concatenate([]).features.shape == (0, len(SEGMENT_FEATURES))
    one = marked_rows(example(div="content"))
    both = concatenate([one, replace_roles(one, None)])
    assert both.roles == ("content", None)


def replace_roles(rows: LabelledRows, role):
    return rows._replace(roles=(role,) * len(rows.roles))


def test_a_page_without_a_layout_has_rows_too():
    known = example(div="content")
    assert marked_rows(replace(known, page=replace(known.page, view=None))).roles == ("content",)
