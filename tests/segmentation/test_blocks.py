"""The tree of blocks of a page."""

from __future__ import annotations

import copy
import json
import pickle
import re
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from tests.segmentation.pages import BLOG, read

import webgrain
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import create
from webgrain.page.blocks import BlockTree, all_blocks, block_records
from webgrain.page.kernels.treepass import depths
from webgrain.page.outline import leaf_outline
from webgrain.page.segmentation import Segmentation
from webgrain.segmentation.blocks import choose_blocks, whole_spans
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.units import alike_siblings
from webgrain.segmentation.segmenter import ROLES, RoleClassifier, trained
from webgrain.segmentation.thresholds import MAX_DEPTH

SHOP = "".join(
    f"<li class=card><img src={k}.png><h3><a href=/{k}>Lamp {k}</a></h3><p>A bright lamp.<b>{k} €</b></li>"
    for k in range(8)
)
PAGE = (
    "<header><img src=logo.png alt=Lamps><nav><a href=/a>Lamps</a> <a href=/b>Chairs</a>"
    f" <a href=/c>Tables</a></nav></header><main><h1>Lamps</h1><ul class=cards>{SHOP}</ul></main>"
    "<footer><p>Lamps and more<p><a href=/imprint>Imprint</a></footer>"
)


def test_blocks_are_a_tree():
    segmentation = webgrain.segment(PAGE)
    assert segmentation.blocks
    every = [block for outermost in segmentation.blocks for block in outermost]
    assert [block.id for block in every] == list(range(len(segmentation.tree)))
    for block in every:
        end = block.page.dom.end[block.node]
        for child in block.children:
            assert child.parent is block
            assert block.node < child.node < end
            assert child.text in block.text
            assert child.leaves < block.leaves


def test_every_segment_that_is_an_element_is_a_block():
    page = webgrain.segment(PAGE).page
    for granularity in (0.2, 0.5, 0.9):
        segmentation = webgrain.segment(page, granularity=granularity)
        nodes = set(segmentation.tree.node.tolist())
        outline = leaf_outline(page)
        leaf = outline.leaf_node
        whole = whole_spans(outline.low, outline.high, segmentation.labels[leaf])
        assert set(outline.node[whole >= 0].tolist()) <= nodes


def test_segments_have_the_roles_of_their_blocks():
    segmentation = webgrain.segment(PAGE)
    of_node = {block.node: block for outermost in segmentation.blocks for block in outermost}
    outline = leaf_outline(segmentation.page)
    whole = whole_spans(outline.low, outline.high, segmentation.labels[outline.leaf_node])
    for unit in np.flatnonzero(whole >= 0).tolist():
        block, segment = of_node[int(outline.node[unit])], segmentation[int(whole[unit])]
        assert (block.role, block.role_probability) == (segment.role, segment.role_probability)


def test_siblings_that_look_alike_are_all_blocks_and_have_one_role():
    segmentation = webgrain.segment(PAGE, granularity=0.2)
    page = segmentation.page
    outline, group = leaf_outline(page), alike_siblings(facts_of(page, False))
    of_node = dict(zip(segmentation.tree.node.tolist(), segmentation.tree.roles, strict=True))
    whole = whole_spans(outline.low, outline.high, segmentation.labels[outline.leaf_node])
    for number in np.unique(group):
        units = np.flatnonzero((group == number) & (whole < 0))
        roles = {of_node.get(node) for node in outline.node[units].tolist()}
        assert len(roles) <= 1


@pytest.mark.parametrize("granularity", [0.0, 0.2, 0.5, 1.0])
def test_a_segment_has_the_innermost_block_around_it(granularity):
    segmentation = webgrain.segment(PAGE + "<p>Before<p>After", granularity=granularity)
    every = [block for outermost in segmentation.blocks for block in outermost]
    for segment in segmentation:
        ends = segmentation.page.dom.end[list(segment.roots)]
        around = [block for block in every if block.node <= segment.roots[0] and
                  ends.max() <= segmentation.page.dom.end[block.last]]  # fmt: skip
        assert segment.block is (around[-1] if around else None)
        if len(segment.roots) == 1:
            assert segment.block.node == segment.roots[0]
    of_records = [segment["block"] for segment in segmentation.to_dict()["segments"]]
    assert of_records == [segment.block and segment.block.id for segment in segmentation]


def test_segments_without_a_tree_have_no_block():
    page = webgrain.segment(PAGE).page
    segmentation = replace(webgrain.segment(page), tree=None)
    assert [segment.block for segment in segmentation] == [None] * len(segmentation)
    assert {segment["block"] for segment in segmentation.to_dict()["segments"]} == {None}


def test_records_contain_the_tree():
    segmentation = webgrain.segment(PAGE)
    record = segmentation.to_dict()
    assert json.loads(json.dumps(record)) == record
    blocks = record["blocks"]
    assert [block["id"] for block in blocks] == list(range(len(blocks)))
    assert all(block["parent"] is None or block["parent"] < block["id"] for block in blocks)
    assert list(blocks[0]) == [
        "id", "parent", "xpath", "css", "last_xpath", "box", "text", "leaves", "role", "role_probability",
        "confidence",
    ]  # fmt: skip
    every = [block for outermost in segmentation.blocks for block in outermost]
    assert [block.to_dict() for block in every] == blocks
    assert json.loads(segmentation.to_json()) == record
    first = segmentation.blocks[0]
    assert (blocks[0]["xpath"], blocks[0]["css"]) == (first.xpath, first.css)


def test_deep_trees_have_a_limit():
    page = read("<div>a" * 60 + "b")
    outline = leaf_outline(page)
    blocks = choose_blocks(outline, np.ones(len(outline)), np.full(len(outline), -1))
    assert depths(blocks.around).max() + 1 == MAX_DEPTH


def test_the_page_is_a_block_only_as_a_segment():
    outline = leaf_outline(read("<p>One<p>Two"))
    confidence = np.ones(len(outline))
    blocks = choose_blocks(outline, confidence, np.full(3, -1))
    assert (blocks.first.tolist(), blocks.around.tolist()) == ([1, 2], [-1, -1])
    blocks = choose_blocks(outline, confidence, np.array([0, -1, -1]))
    assert (blocks.first.tolist(), blocks.around.tolist()) == ([0, 1, 2], [-1, 0, 0])


def test_a_page_without_a_model_of_blocks_has_no_tree():
    page = read(BLOG)
    plain = create("learntcut").predict(page)
    known = trained(page)
    result = RoleClassifier(known.roles, known.confidence).classify(page, plain)
    assert result.tree is None
    with pytest.raises(ParameterError, match="tree of blocks"):
        _ = replace(result, page=page).blocks
    with pytest.raises(ParameterError, match="page of this"):
        _ = Segmentation(plain.labels, "mine").blocks


@pytest.mark.parametrize(
    "html", ["", "<script>x()</script>", "<div hidden>One</div>", "<frameset><frame src=a>"]
)
def test_a_page_without_visible_content_has_no_blocks(html):
    segmentation = webgrain.segment(html)
    assert (len(segmentation), segmentation.blocks, segmentation.to_dict()["blocks"]) == (0, [], [])


def test_blocks_are_the_same_objects_each_time():
    segmentation = webgrain.segment(PAGE)
    first, second = segmentation.blocks, segmentation.blocks
    assert first == second
    assert first is not second  # so a changed list does not change the segmentation
    again = pickle.loads(pickle.dumps(segmentation))
    assert [block.css for block in again.blocks] == [block.css for block in first]


@pytest.mark.parametrize(
    ("name", "instead"),
    [("segments", "children"), ("to_json", "to_dict"), ("parents", "parent"), ("md", "markdown")],
)
def test_a_name_that_a_block_lacks_is_an_error_with_the_right_one(name, instead):
    block = webgrain.segment(PAGE).blocks[0]
    with pytest.raises(AttributeError, match=f"'Block' object has no attribute '{name}'; use {instead}"):
        getattr(block, name)
    assert copy.deepcopy(block).text == pickle.loads(pickle.dumps(block)).text == block.text


def test_wrong_trees_are_errors():
    with pytest.raises(ParameterError, match="BlockTree"):
        BlockTree(np.zeros(2, np.int32), np.zeros(1, np.int32), np.zeros(2))


def test_blocks_without_roles():
    page = read("<ul><li>One<li>Two</ul>")
    tree = BlockTree(np.array([3], np.int32), np.array([-1], np.int32), np.array([0.5]))
    [block] = all_blocks(page, tree)
    assert (block.role, block.role_probability, block.confidence) == (None, None, 0.5)
    assert block_records(page, tree)[0]["role"] is None


def test_the_manual_describes_all_roles():
    manual = (Path(__file__).parents[2] / "docs" / "output.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+)` \| ([^|]+?) \| `\w+`[^|]*\|[^|]*\|$", manual, re.MULTILINE))
    assert rows == ROLES


@pytest.mark.parametrize("layout", ["lines", ""])
def test_blocks_do_not_need_roles(layout):
    page = read(BLOG, layout) if layout else read(BLOG)
    known = RoleClassifier(blocks=trained(page).blocks)
    assert known.has_boxes == bool(layout)
    result = known.classify(page, create("learntcut").predict(page))
    assert len(result.tree) > 0
    assert result.tree.roles == ()
