"""The kernels of the features of units and segments, compiled and not, against array operations."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.segmentation import reference
from tests.segmentation.pages import BLOG, read
from tests.uncompiled import load_source, require_compiled, uncompiled

from webgrain.page.kernels.treepass import units_above
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.parsing import parse
from webgrain.page.strings import code_points
from webgrain.papers.features.treenodes import nodes_of
from webgrain.segmentation.features import facts as unitfacts
from webgrain.segmentation.features import segmentkernel, segments, unitkernel, units
from webgrain.segmentation.features.facts import facts_of
from webgrain.segmentation.features.hints import HINTS
from webgrain.segmentation.features.segments import segment_features
from webgrain.segmentation.features.units import alike_siblings, unit_features

PAGES = {
    "blog": BLOG,
    "hints in hints": "<nav class=menu><ul class=menu><li class=menu><a class='logo menu'>1</a><b>2</b></ul>"
    "<i class=menu>3</i></nav><p class=menu>4",
    "scripts": "<p>新聞。新！ 1 ©A <p>\u00a0x\u3000y Ünter ²?<p>&#xd800; a",
    "one leaf": "<div class=' '><p class='x y'>a",
    "deep": "<div class=menu>" * 300 + "a<p>b" + "</div>" * 150 + "<p>c",
    "leaves": "<h2>A <b>b</b><img src=x></h2><form id=f><input><input type=submit><select><option>1</select>"
    "<textarea></textarea></form><a href=#x><img src=y>1</a><a href=http://x.example>[2]</a><svg/><p id=''>"
    "<table><tr><td>1<td>2<tr><td>3</table>",
    "repeated": "<ul>" + "<li class=a><h3>T</h3><p>text. More<p>b" * 4 + "<li><p>c</ul>" + "<p>d" * 3,
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        for name in ("unitkernel", "segmentkernel"):
            twin = load_source(monkeypatch, f"segmentation.features.{name}")
            assert not twin.COMPILED
            for module in (unitfacts, units, segments):
                if hasattr(module, name):
                    monkeypatch.setattr(module, name, twin)
                for function in ("alike_groups", "chain_bits", "leaf_table", "unit_keys"):
                    if hasattr(module, function) and hasattr(twin, function):
                        monkeypatch.setattr(module, function, getattr(twin, function))


def groups_of(labels):
    """Return the first place of the group of each row."""
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    return first[group].tolist()


def check(page):
    """Compare the features of the units of a page, and those of some segments."""
    nodes, facts = nodes_of(page), facts_of(page, False)
    dom, tree, of_page = page.dom, nodes.tree, reference.units_of(nodes.tree)
    check_facts(dom, tree, facts)
    assert tree.node[of_page.top].tolist() == facts.outline.node.tolist()
    assert tree.node[of_page.bottom].tolist() == facts.outline.last.tolist()
    columns = reference.unit_columns(nodes, of_page)
    for where, marks in zip(PLACES, reference.hints_of_units(nodes, of_page), strict=True):
        columns |= {f"{hint}, {where}": marks[:, k] for k, hint in enumerate(HINTS)}
    compare(units.TREE_FEATURES, columns, unit_features(facts))
    for ratio in (1.5, np.inf):
        groups = alike_siblings(facts, ratio)
        assert groups_of(groups) == groups_of(reference.alike_siblings(nodes, of_page, ratio))
    leaves = len(tree.leaf)
    label = np.arange(leaves) * 5 // leaves
    for labels in (label, np.where(np.arange(leaves) % 3 == 1, -1, label), np.zeros(leaves, np.int32)):
        _, labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)
        if (labels >= 0).any():
            check_segments(nodes, facts, labels)


PLACES = ("near", "inside", "above")


def check_facts(dom, tree, facts):
    """Compare what is counted in the texts of leaves."""
    assert facts.nodes.tolist() == tree.leaf_node.tolist()
    places = np.flatnonzero(tree.kind[tree.leaf] == TEXT_LEAF)
    starts = facts.nodes[places].tolist()
    texts = [" " + dom.text[dom.text_start[k] : dom.text_start[k + 1]] for k in starts]
    expected = (
        reference.text_counts("".join(texts), [len(text) for text in texts]) if texts else np.zeros((3, 0))
    )
    np.testing.assert_array_equal(facts.leaf[:3, places], expected)


def check_segments(nodes, facts, labels):
    """Compare the features of the segments of leaves."""
    groups = reference.LeafGroups(nodes, labels)
    columns = reference.segment_columns(nodes, groups)
    for where, marks in zip(PLACES, reference.hints_of_segments(nodes, groups), strict=True):
        columns |= {f"{hint}, {where}": marks[:, k] for k, hint in enumerate(HINTS)}
    compare(segments.TREE_FEATURES, columns, segment_features(facts, labels))


def compare(features, columns, x):
    """Compare all values of each feature, within its bounds."""
    for k, feature in enumerate(features):
        expected = np.clip(columns[feature.name].astype(np.float64), feature.low, feature.high)
        if feature.name.startswith(("anchor ", "characters ", "images ")):  # -1 for no neighbour
            expected = columns[feature.name]
        np.testing.assert_array_equal(x[:, k], expected.astype(x.dtype), feature.name)


def test_the_kernels_are_compiled():
    require_compiled()
    assert unitkernel.COMPILED
    assert segmentkernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_pages_made_up(name):
    check(read(PAGES[name].encode("utf-8", "surrogatepass")))


@pytest.mark.usefixtures("kernels")
def test_random_trees():
    rng = random.Random(0)
    opened = ["div class=menu", "p", "ul", "li", "a href=b", "h1", "form", "nav", "span class=date", "td"]
    for _ in range(15):
        pieces = []
        for _ in range(60):
            tag = rng.choice(opened)
            pieces.append(f"<{tag}>" if rng.random() < 0.6 else f"</{tag.split()[0]}>")
            pieces.append(rng.choice(["", "a b. C 1", "新聞", "x!", "<img src=x>", "$ 12"]))
        page = read("".join(pieces))
        if len(visible_tree(page)):
            check(page)


@pytest.mark.parametrize(
    "html",
    [
        "<p class=menu>a" * 100_000,
        "<table>" + ("<tr>" + "<td class=ad>1" * 50) * 1_000,
        "<div class=menu>" * 400 + "<p class=menu>a" * 10_000,
    ],
    ids=["siblings", "cells", "deep"],
)
def test_large_pages(html):
    check(read(html))


def test_places_on_a_deep_page_take_no_quadratic_time():
    depth, n = 50_000, 100_000
    parent = np.repeat(np.arange(-2, n, 2), 2)[1 : n + 1]  # each of the nested elements begins with a leaf
    parent = np.maximum(parent, -1).astype(np.int32)
    end = np.where(np.arange(n) % 2, np.arange(n) + 1, n).astype(np.int32)
    kinds = np.arange(n) % 2
    (_, _, up, end, low, high, _), leaf, _ = units_above(parent, end, kinds.astype(np.int8), True)
    label = np.minimum(np.arange(depth), depth - 1 - np.arange(depth)).astype(np.int32)
    members = np.arange(depth, dtype=np.int32), label
    first, last, common, near = segmentkernel.segment_places(
        members, depth // 2, (up, end, low, high), leaf, 1.5
    )
    assert first.tolist() == list(range(depth // 2))
    assert last.tolist() == list(range(depth - 1, depth // 2 - 1, -1))
    assert common.tolist() == list(range(0, depth, 2))  # the units are elements and leaves in turn
    assert (low[common] == first).all()
    assert (high[near] - low[near] <= 1.5 * (high[common] - low[common])).all()
    assert (low[near] == np.maximum(depth - (1.5 * (depth - first)).astype(int), 0)).all()


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 8):
        check(parse(source))


TEXTS = [
    "$ 5.00", "© 2019", "12", "»", " | ", "Some words", "", "3 €", "next »", "1 2 3", "$\u00a05", "$  5",
    "19999", "a1999b", "x 2001", "1899", "\u0661\u0669\u0669\u0669", "19\u0669\u0669", "(12)", "12345",
    "1a", "12_", "a" * 41 + "»", "a" * 40 + "»" + "b" * 40, "»" + "b" * 41, "a\nb»c", "a»b\nc",
    "\U0001d7ce$", "\U0001f600", "\U00020000", "\ud800", "x" * 199 + "$5", "x" * 198 + "$5",
    "x" * 199 + " $", " " * 201 + "5", "5$ ", "\u2003 7 \u2003",
]  # fmt: skip


@pytest.mark.parametrize("kernel", [segmentkernel, uncompiled("segmentation.features.segmentkernel")])
def test_marks_of_texts_are_those_of_their_patterns(kernel):
    rng = random.Random(1)
    signs = "0123456789 1290$€«>ab_.\n\u00a0\u0660٪\U0001d7d8"
    texts = [*TEXTS, *("".join(rng.choices(signs, k=rng.randrange(12))) for _ in range(3_000))]
    start = np.cumsum([0, *map(len, texts)]).astype(np.int32)
    nodes = np.arange(len(texts), dtype=np.int32)
    classes = segments.character_classes()
    marks = kernel.text_marks(code_points("".join(texts)), start, nodes, 200, classes)
    for text, bits in zip(texts, marks.tolist(), strict=True):
        shown = text[:200].strip()
        expected = [pattern.search(shown) is not None for pattern in reference.PATTERNS.values()]
        assert [bool(bits >> k & 1) for k in range(len(expected))] == expected, text
