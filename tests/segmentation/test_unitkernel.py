"""The kernels of segmentation features, compiled and not, against array operations."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.segmentation import reference
from tests.segmentation.pages import BLOG, read
from tests.uncompiled import load_source, require_compiled

from webgrain.page.leaves import TEXT_LEAF, visible_tree
from webgrain.page.parsing import parse
from webgrain.segmentation.features import nodes as nodefeatures
from webgrain.segmentation.features import segments, unitkernel, units
from webgrain.segmentation.features.nodes import BLOCKS, nodes_of
from webgrain.segmentation.features.segments import LeafGroups
from webgrain.segmentation.features.units import units_of

PAGES = {
    "blog": BLOG,
    "hints in hints": "<nav class=menu><ul class=menu><li class=menu><a class='logo menu'>1</a><b>2</b></ul>"
    "<i class=menu>3</i></nav><p class=menu>4",
    "scripts": "<p>新聞。新！ 1 ©A <p>\u00a0x\u3000y Ünter ²?<p>&#xd800; a",
    "one leaf": "<div class=' '><p class='x y'>a",
    "deep": "<div class=menu>" * 300 + "a<p>b" + "</div>" * 150 + "<p>c",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        twin = load_source(monkeypatch, "segmentation.features.unitkernel")
        assert not twin.COMPILED
        used = {nodefeatures: ["text_counts"], segments: ["count_bits", "gained_bits", "sign_counts"]}
        used[units] = ["chain_bits", "covered_leaves", "spread_bits"]
        for module, names in used.items():
            for name in names:
                monkeypatch.setattr(module, name, getattr(twin, name))


def groups_of(labels):
    """Return the first place of the group of each row."""
    _, first, group = np.unique(labels, return_index=True, return_inverse=True)
    return first[group].tolist()


def check(page):
    """Compare what is computed of the nodes and units of a page."""
    nodes = nodes_of(page)
    dom, tree = page.dom, nodes.tree
    of_page = units_of(tree)
    places = np.flatnonzero(tree.kind == TEXT_LEAF)
    texts = [" " + dom.text[dom.text_start[k] : dom.text_start[k + 1]] for k in tree.node[places].tolist()]
    counts = reference.text_counts("".join(texts), [len(text) for text in texts])
    np.testing.assert_array_equal(np.stack(nodes.text)[:, places], counts)
    signs = segments.sign_counts(
        segments.code_points(dom.text), dom.text_start, tree.node[places], segments._SIGNS
    )
    expected = [[sum(map(test, text)) for test in (is_digit, is_capital, "©".__eq__)] for text in texts]
    np.testing.assert_array_equal(signs, expected)
    _, upon = reference.hint_counts(nodes)
    np.testing.assert_array_equal(segments.hint_counts(nodes), upon)
    near, inside, above = reference.hints_of_units(nodes, of_page)
    known = units._HINT.astype(np.int64)
    expected = np.concatenate([near[:, known], inside[:, known], above[:, known]], axis=1)
    np.testing.assert_array_equal(units._of_hints(nodes, of_page), expected)
    leaves = len(tree.leaves)
    label = np.arange(leaves) * 5 // leaves
    for labels in (label, np.where(np.arange(leaves) % 3 == 1, -1, label), np.zeros(leaves, np.int32)):
        _, labels[labels >= 0] = np.unique(labels[labels >= 0], return_inverse=True)
        if (labels >= 0).any():
            groups = LeafGroups(nodes, labels)
            expected = np.concatenate(reference.hints_of_segments(nodes, groups), axis=1)
            np.testing.assert_array_equal(segments._of_hints(nodes, groups), expected)
    for tags in (("a",), ("li", "dt", "dd"), units.HEADINGS):
        np.testing.assert_array_equal(nodes.inside(tags), reference.inside(tree, nodes.tagged(tags)))
    own = units.own_columns(nodes, of_page)
    for mark, tags in (units._TAGS | {"block": BLOCKS}).items():
        name = mark if mark == "block" else f"tag {mark}"
        np.testing.assert_array_equal(own[name], reference.over_chain(of_page, nodes.tagged(tags)) > 0)
    leaf = units._leaf_columns(nodes)
    for name, tags in {"list item": ("li", "dt", "dd"), "paragraph": ("p",), "in form": ("form",)}.items():
        np.testing.assert_array_equal(leaf[name], reference.inside(tree, nodes.tagged(tags))[tree.leaves])
    assert groups_of(nodes.signature) == groups_of(reference.signature(nodes))
    kind = nodes.signature[of_page.top]
    np.testing.assert_array_equal(units.same(of_page, kind), reference.same(of_page, kind))
    for ratio in (1.5, np.inf):
        groups = units.alike_siblings(nodes, of_page, ratio)
        assert groups_of(groups) == groups_of(reference.alike_siblings(nodes, of_page, ratio))


def is_digit(character):
    return ord(character) < 256 and character.isdigit()


def is_capital(character):
    return ord(character) < 256 and character.isupper()


def test_the_kernel_is_compiled():
    require_compiled()
    assert unitkernel.COMPILED


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
            pieces.append(rng.choice(["", "a b. C 1", "新聞", "x!"]))
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


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 8):
        check(parse(source))


def test_marks_of_texts_are_those_of_their_patterns():
    for text in ("$ 5.00", "© 2019", "12", "»", " | ", "Some words", "", "3 €", "next »", "1 2 3"):
        bits = segments._marks_of_text(text)
        expected = [pattern.search(text) is not None for pattern in segments._OF_TEXTS.values()]
        assert [bool(bits >> k & 1) for k in range(len(expected))] == expected
