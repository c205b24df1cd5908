"""Sections of a page by its headings, and as blocks."""

from __future__ import annotations

import numpy as np
import pytest
from tests.segmentation.pages import read
from tests.uncompiled import load_source, require_compiled

import webgrain
from webgrain.page.text import texts_of
from webgrain.segmentation import sectionkernel
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.sections import sections_of
from webgrain.segmentation.thresholds import BESIDE

TEXT = "A sentence about the garden, and another one. " * 4


def sections(html):
    """Return the texts of the heading and the last unit of each section."""
    page = read(html)
    facts = facts_of(page, False)
    found = sections_of(facts)
    units = np.concatenate([found.first, found.last])
    texts = texts_of(page, [(node,) for node in facts.outline.node[units].tolist()])
    return list(zip(texts[: len(found.first)], texts[len(found.first) :], strict=True))


def test_sections_end_at_headings_of_their_level_or_a_higher_one():
    html = "<h1>T</h1><p>0<h2>A</h2><p>1<h3>B</h3><p>2<h3>C</h3><p>3<h2>D</h2><p>4<p>5"
    assert sections(html) == [("A", "3"), ("B", "2"), ("C", "3"), ("D", "5")]


def test_one_heading_of_a_level_begins_no_section():
    assert sections("<h1>T</h1><p>1<p>2") == []
    assert sections("<h2>A</h2><p>1<h3>B</h3><p>2") == []


def test_headings_without_content_begin_no_section():
    assert sections("<h2>A</h2><h2>B</h2><p>1<h2>C</h2>") == [("B", "1")]


def test_headings_with_links_beside_them():
    edit = "<div><h2>{}</h2><span>[<a href=/e>edit</a>]</span></div>"
    html = edit.format("A") + "<p>1" + edit.format("B") + "<p>2"
    assert sections(html) == [("A [edit]", "1"), ("B [edit]", "2")]
    many = "<div><h2>{}</h2>" + "<a href=/e>edit</a>" * (BESIDE + 1) + "</div>"
    assert sections(many.format("A") + "<p>1" + many.format("B") + "<p>2") == []


def test_elements_with_a_heading_and_its_text_are_no_headings():
    assert sections("<div><h2>A</h2><p>1</div><p>2<div><h2>B</h2><p>3</div><p>4") == []


def test_rows_and_items_have_no_sections():
    assert sections("<table><tr><th><h3>A</h3><td>1<th><h3>B</h3><td>2</table>") == []
    assert sections("<ul><li><h3>A</h3><li>1<li><h3>B</h3><li>2</ul>") == []


@pytest.mark.parametrize(
    "html",
    [
        f"<p><b>A</b><p>{TEXT}<p><strong>B</strong><p>{TEXT}",
        f"<b>A</b><br>{TEXT}<br><b>B</b><br><br>{TEXT}",
        f"<font><b>A</b><br>{TEXT}<br><b>B</b><br>{TEXT}</font><p>end",
    ],
)
def test_bold_lines_begin_sections(html):
    assert sections(html) == [("A", TEXT.strip()), ("B", TEXT.strip())]


@pytest.mark.parametrize(
    "html",
    [
        f"<b>A</b> {TEXT}<br><b>B</b> {TEXT}",  # bold words at the beginning of a line
        f"{TEXT}<b>A</b><br>{TEXT}<b>B</b><br>{TEXT}",  # at its end
        "<p><b>A</b><p>1<p><b>B</b><p>2",  # little text
        f"<h2>T</h2><p><b>A</b><p>{TEXT}<p><b>B</b><p>{TEXT}",  # an element with headings
        f"<p><b>{TEXT}</b><p>{TEXT}<p><b>{TEXT}</b><p>{TEXT}",  # long lines
    ],
)
def test_other_bold_texts_begin_no_section(html):
    assert sections(html) == []


def test_sections_are_blocks_of_several_siblings():
    html = "<main>" + "".join(f"<h2>Part {k}</h2><p>{TEXT}<p>{TEXT}" for k in range(3)) + "</main>"
    segmentation = webgrain.segment(html)
    every = [block for outermost in segmentation.blocks for block in outermost]
    parts = [block for block in every if block.last != block.node]
    assert [block.text.split(" A ")[0] for block in parts] == ["Part 0", "Part 1", "Part 2"]
    assert len({(block.role, block.confidence) for block in parts}) == 1
    first = parts[0]
    assert (first.xpath, first.last_xpath) == (
        "/html[1]/body[1]/main[1]/h2[1]",
        "/html[1]/body[1]/main[1]/p[2]",
    )
    assert first.leaves == 3
    assert first.markdown.splitlines()[0] == "## Part 0"
    assert "Part 1" not in first.markdown
    assert first.to_dict() == segmentation.to_dict()["blocks"][first.id]
    assert first.box is None


def test_the_box_of_a_section_is_around_its_nodes():
    page = read("<main>" + f"<h2>A</h2><p>{TEXT}<p>{TEXT}" * 2 + "</main>", "lines")
    segmentation = webgrain.segment(page)
    parts = [block for outermost in segmentation.blocks for block in outermost if block.last != block.node]
    box = page.view.box
    for block in parts:
        nodes = [node for node in (block.node, block.last) if box[node, 2:].min() > 0]
        assert block.box[1] <= box[nodes, 1].min() + 0.1
        assert block.box[1] + block.box[3] >= (box[nodes, 1] + box[nodes, 3]).max() - 0.1
    assert len(parts) == 2


def test_the_kernel_is_compiled_and_equal_to_its_source(monkeypatch):
    require_compiled()
    assert sectionkernel.COMPILED
    twin = load_source(monkeypatch, "segmentation.sectionkernel")
    assert not twin.COMPILED
    rng = np.random.default_rng(0)
    for size in (1, 2, 30, 200):
        parent = np.array([-1, *(int(rng.integers(max(0, k - 5), k)) for k in range(1, size))])
        end = np.arange(1, size + 1)
        for k in range(size - 1, 0, -1):
            end[parent[k]] = max(end[parent[k]], end[k])
        order = np.int32(rng.integers(0, 8, size) * (rng.random(size) < 0.5))
        tree = parent.astype(np.int32), end.astype(np.int32)
        mine, other = (kernel.section_ends(*tree, order) for kernel in (sectionkernel, twin))
        assert mine.tolist() == other.tolist()
        low = np.sort(rng.integers(0, 50, size)).astype(np.int32)
        high = (low + 1).astype(np.int32)
        around = [kernel.spans_around(low, high).tolist() for kernel in (sectionkernel, twin)]
        assert around[0] == around[1]


def test_hostile_pages_have_sections_in_linear_time():
    flat = "<h2>A</h2><p>b" * 20_000
    deep = "<div><h2>A</h2><p>b<h2>C</h2><p>d" * 300
    for html in (flat, deep):
        facts = facts_of(read(html), False)
        assert len(sections_of(facts).first) > 500
    low = np.arange(100_000, dtype=np.int32)
    assert sectionkernel.spans_around(low, np.full(100_000, 100_000, np.int32))[-1] == 99_998
