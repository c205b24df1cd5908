"""The outline of a page against a plain definition, on usual and broken pages, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.page.pages import PAGES
from tests.uncompiled import uncompiled

from webgrain.page.kernels import treepass
from webgrain.page.leaves import LEAF_KINDS
from webgrain.page.outline import leaf_outline
from webgrain.page.parsing import parse

KERNELS = [treepass, uncompiled("page.kernels.treepass")]
USUAL = """<title>T</title><header><img src=a><nav><a href=b>One</a> <a href=c>Two</a></nav></header><main>
<p>Text <b>and</b> text<ul><li class="x k1">1<li class="x k2"><a><b>2</b></a> more<li>3 <img src=d></ul>
<button>Go <img src=e></button><select><option>A</select><svg><g/></svg></main>"""


def plain_units(parent, end, leaf):
    """Return the chains of nodes with the same leaves, in document order, by sets."""
    inside = [frozenset(k for k in leaf if i <= k < end[i]) for i in range(len(parent))]
    chains = {}
    for node, leaves in enumerate(inside):
        if leaves:
            chains.setdefault(leaves, []).append(node)
    return chains


@pytest.mark.parametrize("kernel", KERNELS, ids=["compiled", "uncompiled"])
@pytest.mark.parametrize("html", [USUAL, *(PAGES[name] for name in ("deep and back", "adoption", "select"))])
def test_units_are_chains_of_nodes_with_the_same_leaves(kernel, html):
    dom = parse(html).dom
    leaf = np.flatnonzero(dom.is_text)[::2]
    kinds = np.zeros(len(dom), np.int8)
    kinds[leaf] = 1 + leaf % 3
    chains = plain_units(dom.parent.tolist(), dom.end.tolist(), leaf.tolist())
    rows, of_leaf, kind = kernel.units_above(dom.parent, dom.end, kinds, True)
    node, last, parent, end, low, high, level = rows.tolist()
    assert rows[1, of_leaf].tolist() == leaf.tolist()
    assert kind[of_leaf].tolist() == kinds[leaf].tolist()
    assert np.count_nonzero(kind) == len(leaf)
    assert list(zip(node, last, strict=True)) == [(chain[0], chain[-1]) for chain in chains.values()]
    order = list(chains)
    for k, leaves in enumerate(order):
        around = [j for j, other in enumerate(order) if leaves < other]
        assert parent[k] == max(around, default=-1)
        assert level[k] == len(around)
        assert end[k] == k + sum(other <= leaves for other in order)
        assert leaf[low[k] : high[k]].tolist() == sorted(leaves)


@pytest.mark.parametrize("name", PAGES)
def test_each_unit_is_a_leaf_or_has_children(name):
    outline = leaf_outline(parse(PAGES[name]))
    children = np.bincount(outline.parent[1:], minlength=len(outline)) if len(outline) else np.zeros(0)
    leaves = outline.high - outline.low
    assert ((leaves == 1) == (children == 0)).all()
    assert (children != 1).all()
    assert (leaves[outline.leaf] == 1).all()
    assert outline.low[outline.leaf].tolist() == list(range(len(outline.leaf)))


def test_leaves_of_all_kinds():
    page = parse(USUAL)
    outline = leaf_outline(page)
    kinds = [LEAF_KINDS[kind] for kind in outline.leaf_kind.tolist()]
    texts = [page.dom.text_of(node).strip() for node in outline.leaf_node.tolist()]
    leaves = [text if kind == "text" else kind for text, kind in zip(texts, kinds, strict=True)]
    of_list = ["1", "2", "more", "3", "image"]
    assert leaves == ["image", "One", "Two", "Text", "and", "text", *of_list, "control", "control", "embed"]


LARGE = ["<p>x" * 100_000, "<div>" * 1_000 + "x", "<table>" + "<tr><td>x" * 50_000]


@pytest.mark.parametrize("html", LARGE)
def test_large_pages(html):
    outline = leaf_outline(parse(html))
    assert len(outline.leaf) == max(html.count("x"), 1)
