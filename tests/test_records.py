from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.views import with_lines

from webgrain.base.errors import ParameterError
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation, renumbered, segmentation_record, segments

TREES = st.recursive(
    st.sampled_from(["One", "<img>", "<script>no</script>", "<i></i>"]),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"<div>{''.join(parts)}</div>"),
    max_leaves=12,
)


def page_of(html: str) -> Page:
    return parse(Source("test", html.encode()))


def cut(page: Page, leaf_labels: list[int]) -> Segmentation:
    """Label the leaves, and no other node."""
    tree = visible_tree(page)
    labels = np.full(len(tree), -1, np.int32)
    labels[tree.leaf] = leaf_labels
    return Segmentation(renumbered(tree.to_dom(labels)), "by hand")


@given(html=TREES, data=st.data())
def test_every_leaf_is_below_exactly_one_root_of_its_own_segment(html: str, data: st.DataObject) -> None:
    page = page_of(html)
    tree = visible_tree(page)
    leaves = tree.leaf_node
    wanted = data.draw(st.lists(st.integers(0, 2), min_size=len(leaves), max_size=len(leaves)))
    result = cut(page, wanted)
    found = segments(page, result)
    for leaf in leaves:
        holders = [s.id for s in found for root in s.roots if root <= leaf < page.dom.end[root]]
        assert holders == [result.labels[leaf]]
    assert sum(s.leaves for s in found) == len(leaves)
    for segment in found:  # no root could be larger
        for root in segment.roots:
            above = int(page.dom.parent[root])
            inside = {int(result.labels[leaf]) for leaf in leaves if above <= leaf < page.dom.end[above]}
            assert above < 0 or len(inside) > 1


def test_segments_are_numbered_by_their_first_leaf_and_may_have_several_roots() -> None:
    page = page_of("<p>One<p>Two<p>Three")
    first, second = segments(page, cut(page, [0, 1, 0]))
    assert (first.text, len(first.roots), first.leaves) == ("One Three", 2, 2)
    assert (second.id, second.text) == (1, "Two")


def test_a_leaf_of_no_segment_is_in_no_root() -> None:
    page = page_of("<p>One<p>Two")
    tree = visible_tree(page)
    labels = np.full(len(page.dom), -1, np.int32)
    labels[tree.node[tree.leaf[1]]] = 0
    assert [s.text for s in segments(page, Segmentation(labels, "by hand"))] == ["Two"]


def test_the_box_is_the_union_of_the_leaves() -> None:
    page = page_of("<p>One<p>Two")
    page = with_lines(page)
    (segment,) = segments(page, cut(page, [0, 0]))
    assert page.view is not None
    leaves = page.view.box[visible_tree(page).leaf_node]
    assert segment.box is not None
    assert segment.box[1] == pytest.approx(leaves[:, 1].min(), abs=0.06)
    assert segment.box[1] + segment.box[3] == pytest.approx((leaves[:, 1] + leaves[:, 3]).max(), abs=0.11)


def test_without_a_layout_there_is_no_box() -> None:
    page = page_of("<p>One")
    assert segments(page, cut(page, [0]))[0].box is None


def test_an_empty_page_has_no_segments() -> None:
    page = page_of("")
    record = segmentation_record(page, Segmentation(np.full(len(page.dom), -1, np.int32), "by hand"))
    assert record["segments"] == []
    assert record["gap"] is None


def test_labels_of_another_page_are_refused() -> None:
    with pytest.raises(ParameterError, match="got 3"):
        segments(page_of("<p>One"), Segmentation(np.zeros(3, np.int32), "by hand"))


@pytest.mark.parametrize(
    ("energy", "bound", "gap"),
    [(0.0, -1e-14, 0.0), (0.0, 0.0, 0.0), (2.0, 2.0 + 1e-12, 0.0), (10.0, 9.0, 0.1), (-2.0, -3.0, 0.5)],
)
def test_a_gap_is_relative_and_no_rounding_error(energy: float, bound: float, gap: float) -> None:
    assert Segmentation(np.zeros(1, np.int32), "by hand", {}, energy, bound).gap == pytest.approx(gap)


def test_roles_and_confidence_are_in_the_record_where_known():
    page = parse(Source("a", b"<p>One<p>Two"))
    labels = np.where(page.dom.is_text, [-1, -1, -1, -1, 0, -1, 1], -1).astype(np.int32)
    plain = segmentation_record(page, Segmentation(labels, "x"))["segments"]
    assert [(s["role"], s["role_probability"], s["confidence"]) for s in plain] == [(None, None, None)] * 2
    values = Segmentation(
        labels,
        "x",
        roles=("menu", None),
        role_probability=np.array([0.12345, 0.5]),
        confidence=np.array([0.5, 1.0]),
    )
    found = segmentation_record(page, values)["segments"]
    assert [s["role"] for s in found] == ["menu", None]
    assert [s["role_probability"] for s in found] == [0.123, 0.5]
    assert [s["confidence"] for s in found] == [0.5, 1.0]
    assert [s.caption for s in segments(page, values)] == ["0 menu", "1"]


@pytest.mark.parametrize("wrong", [{"roles": ("a",)}, {"confidence": np.zeros(3)}])
def test_roles_must_exist_for_every_segment(wrong):
    with pytest.raises(ParameterError, match="expected one per segment, 2, got"):
        Segmentation(np.array([0, 1], np.int32), "x", **wrong)
