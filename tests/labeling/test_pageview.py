from __future__ import annotations

import itertools
from dataclasses import replace
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.labeling.conftest import view_of
from tests.views import with_lines

from webgrain.base.errors import PageError
from webgrain.labeling.pages import page_view, picture_size
from webgrain.page.outline import visible_tree
from webgrain.page.parsing import parse

trees = st.recursive(
    st.sampled_from(["", "text", "<img src=x>", "<b>bold</b>"]),
    lambda inner: st.lists(inner, max_size=4).map(lambda parts: f"<div>{'<hr>'.join(parts)}</div>"),
    max_leaves=20,
)


def test_nodes_with_the_same_leaves_are_one_part() -> None:
    found = view_of("<main><div><ul><li><a>One</a></li><li>Two</li></ul></div></main><p>Three")
    assert [found.page.dom.name(node) for node in found.node] == ["html", "main", "li", "li", "p"]
    assert found.parent.tolist() == [-1, 0, 1, 1, 0]
    assert list(zip(found.first, found.last, strict=True)) == [(0, 3), (0, 2), (0, 1), (1, 2), (2, 3)]


def test_every_node_with_a_leaf_has_its_part() -> None:
    found = view_of("<div><ul><li><a>One</a></li><li>Two</li></ul></div>")
    names = [found.page.dom.name(node) for node in range(len(found.part))]
    part = dict(zip(names, found.part.tolist(), strict=True))
    assert part["ul"] == part["div"] == part["body"] == 0
    assert part["a"] == 1
    assert part["head"] == -1


def test_a_page_without_visible_leaves_is_reported() -> None:
    with pytest.raises(PageError, match="nothing is visible"):
        view_of("<script>1</script>")


def test_a_leaf_without_text_is_named_by_its_kind() -> None:
    assert view_of("<img src=x> and <img src=y alt=Boat>").text == ("[image]", "and", "Boat")


def test_a_long_text_is_cut() -> None:
    assert len(view_of(f"<p>{'word ' * 1000}").text[0]) == 100


def test_the_record_has_columns_of_one_length() -> None:
    found = view_of("<ul id=menu class='a b'><li class='item big'>One<li>Two</ul>")
    record = found.record()
    assert {len(record[name]) for name in ("parent", "first", "last", "box", "reach", "name")} == {len(found)}
    assert record["name"] == ["html", "li.item", "li"]
    assert record["page"] == "a.html"


@pytest.mark.parametrize("png", [b"", b"GIF89a" + bytes(30), b"\x89PNG\r\n\x1a\n"])
def test_what_is_no_png_has_no_size(png: bytes) -> None:
    assert picture_size(png) == (0, 0)


@given(trees)
def test_parts_are_a_tree_in_which_every_step_shows(html: str) -> None:
    try:
        found = view_of(html)
    except PageError:
        return
    spans = list(zip(found.first.tolist(), found.last.tolist(), strict=True))
    assert len(set(spans)) == len(spans)
    for part, above in enumerate(found.parent.tolist()[1:], 1):
        assert above < part
        assert spans[above][0] <= spans[part][0] < spans[part][1] <= spans[above][1]
    assert [span for span in spans if span[1] - span[0] == 1] == list(
        itertools.pairwise(range(len(found.text) + 1))
    )


@given(trees)
def test_a_box_is_around_its_leaves(html: str) -> None:
    try:
        found = view_of(html)
    except PageError:
        return
    view = found.page.view
    assert view is not None
    tree = visible_tree(found.page)
    box = view.box[tree.leaf_node]
    around = partial(np.testing.assert_allclose, rtol=1e-6)
    for part in range(len(found)):
        own = box[found.first[part] : found.last[part]]
        around(found.box[part, :2], own[:, :2].min(0))
        around(found.box[part, :2] + found.box[part, 2:], (own[:, :2] + own[:, 2:]).max(0))


def test_the_pointer_reaches_a_part_beside_its_leaves() -> None:
    page = with_lines(parse("<p>One<p>Two"))
    assert page.view is not None
    box = page.view.box.copy()
    box[page.dom.is_text, 2] = 30  # a text is narrower than its paragraph
    found = page_view(page.with_view(replace(page.view, box=box)))
    np.testing.assert_array_equal(found.reach[1], box[found.node[1]])
    assert found.box[1, 2] < found.reach[1, 2]
