from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from tests.views import with_lines

from webgrain.base.errors import ParameterError
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segment, Segmentation, segments
from webgrain.report.pictures import boxes


def cut(html: str, labels: list[int]) -> tuple[Page, list[Segment]]:
    page = parse(Source("a", html.encode()))
    page = with_lines(page)
    tree = visible_tree(page)
    of_node = np.full(len(tree), -1, np.int32)
    of_node[tree.leaf] = labels
    return page, segments(page, Segmentation(tree.to_dom(of_node), "by hand"))


@pytest.mark.parametrize(
    ("labels", "counts"),
    [
        ([0, 0, 0], [1]),
        ([0, 0, 1], [1, 1]),
        ([0, 1, 0], [2, 1]),
        ([0, 1, 2], [1, 1, 1]),
    ],
)
def test_a_segment_divided_by_others_has_several_boxes(labels: list[int], counts: list[int]) -> None:
    found = boxes(*cut("<p>One<p>Two<p>Three", labels))
    assert [len(mine) for mine in found] == counts


def test_a_segment_around_another_one_is_divided() -> None:
    # In the tree the list is one subtree; on the page its second item stands below the paragraph.
    page, found = cut("<ul><li>First one<li>Second one</ul><p>Between", [0, 0, 1])
    assert page.view is not None
    box = page.view.box.copy()
    second, third = np.flatnonzero(page.dom.is_text)[-2:]
    box[[second, third]] = box[[third, second]]
    page = page.with_view(replace(page.view, box=box))
    assert [len(segment.roots) for segment in found] == [1, 1]
    assert [len(mine) for mine in boxes(page, found)] == [2, 1]


def test_boxes_hold_all_leaves_of_their_segment() -> None:
    page, found = cut("<h1>Title</h1><p>One <b>two</b> three<p>Four<p>Five", [0, 1, 1, 1, 0, 1])
    assert page.view is not None
    tree = visible_tree(page)
    for leaf, segment in zip(tree.leaf_node.tolist(), [0, 1, 1, 1, 0, 1], strict=True):
        x, y, w, h = page.view.box[leaf].tolist()
        assert any(
            left - 0.1 <= x and top - 0.1 <= y and x + w <= left + width + 0.2 and y + h <= top + height + 0.2
            for left, top, width, height in boxes(page, found)[segment]
        )


def test_a_page_without_a_layout_is_refused() -> None:
    with pytest.raises(ParameterError, match="view"):
        boxes(parse(Source("a", b"<p>One")), [])
