"""The kernels of fields: the same as one node after the other, and uncompiled."""

from __future__ import annotations

import time
from itertools import islice
from types import ModuleType

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.fields import reference
from tests.uncompiled import uncompiled

from webgrain.fields import fieldkernel, learning, places
from webgrain.fields.fieldkernel import COLON, INLINE, LABEL, PARTS, WHOLE
from webgrain.page.page import Page
from webgrain.page.parsing import parse
from webgrain.page.strings import letters_table, text_codes
from webgrain.page.text import is_inline

PIECES = [
    "<div>",
    "</div>",
    "<p>",
    "<b>",
    "<i>",
    "</i>",
    "</b>",
    "<a href=x>",
    "</a>",
    "<br>",
    "<li>",
    "</li>",
]
PIECES += ["<ul>", "</ul>", "<div class=a>", "<p hidden>", "<script>", "</script>", "<table><tr><td>"]
PIECES += ["One", " two ", "\u3000", "Price: 5", "a\uff1a b", "&nbsp;", "\n", "\U00020000", "z" * 50 + ":"]
HTML = st.lists(st.sampled_from(PIECES), max_size=40).map("".join)
MADE_UP = {
    "empty": "",
    "text": "one",
    "parts": "<p>By <a>Kim</a> and <i><b>Lee</b></i> on <time>3 May</time></p><p><a>All</a></p>",
    "nested parts": "<p>a " + "<b>" * 9 + "x" + "</b> y" * 9,
    "blocks in a block": "<div>Short<p>" + "Much longer than the rest. " * 9 + "</div>",
    "items": "<ul><li>a<li>b</ul><div><p class=x><i>a</i></p><p class=x><i>b</i></p><p><i>c</i></p></div>",
    "deep items": "<div>" + "<section><div><p><b>a</b></p></div></section>" * 2,
    "many siblings": "<div>" + "<p><b>x</b></p>" * 60 + "<p><i>y</i></p><p><i>z</i></p></div>",
    "labels": "<p>Price: 5<p>" + "x" * 39 + ": 5<p>" + "x" * 60 + ": 5<p> \n L\uff1a 7<p>Year<br>a: 2020",
}


def assert_same(page: Page) -> None:
    """Assert that the kernels compute what the reference does."""
    dom = page.dom
    held = places.held_texts(page)
    expected = reference.held_texts(page)
    assert held.node.tolist() == [node for node, *_ in expected]
    texts = [text for _, text, _, _ in expected]
    by_key = dict(zip(held.key.tolist(), texts, strict=True))
    assert [by_key[key] for key in held.key.tolist()] == texts
    assert len(by_key) == len(set(texts))
    assert [bits & PARTS > 0 for bits in held.bits.tolist()] == [has for _, _, has, _ in expected]
    assert [bits & WHOLE > 0 for bits in held.bits.tolist()] == [is_whole for *_, is_whole in expected]
    for node, bits in zip(held.node.tolist(), held.bits.tolist(), strict=True):
        text = dom.text_of(node)
        assert (bits & COLON > 0) == (":" in text or "\uff1a" in text)
        assert (bits & LABEL > 0) == reference.begins_with_label(dom, node)
        assert (bits & INLINE > 0) == is_inline(dom.name(node))
    nodes = np.arange(len(dom))
    inside = learning._in_items(dom, nodes)
    assert inside.tolist() == [reference.is_in_item(dom, node) for node in nodes.tolist()]
    text = text_codes(dom), dom.text_start, letters_table()
    sizes = fieldkernel.stripped_sizes(text, dom.end, nodes)
    assert sizes.tolist() == [len(dom.text_of(node).strip()) for node in nodes.tolist()]


def plain(monkeypatch: pytest.MonkeyPatch) -> ModuleType:
    """Use the uncompiled kernels."""
    kernel = uncompiled("fields.fieldkernel")
    for module, name in (
        (places, "held_elements"), (places, "stripped_sizes"), (learning, "in_items"),
    ):  # fmt: skip
        monkeypatch.setattr(module, name, getattr(kernel, name))
    return kernel


@pytest.mark.parametrize("html", MADE_UP.values(), ids=MADE_UP)
def test_the_kernels_agree_with_one_node_after_the_other(html: str) -> None:
    assert_same(parse(html))


@pytest.mark.parametrize("html", MADE_UP.values(), ids=MADE_UP)
def test_the_uncompiled_kernels_agree(html: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain(monkeypatch)
    assert_same(parse(html))


@settings(deadline=None, max_examples=150)
@given(HTML)
def test_the_kernels_agree_on_any_page(html: str) -> None:
    assert_same(parse(html))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_the_kernels_agree_on_real_pages(site: str) -> None:
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 2):
        assert_same(parse(source))


@pytest.mark.parametrize(
    "html",
    [
        "<div>" + "<p>x</p>" * 50_000,
        "<b>" * 20_000 + "x",
        "<div>" * 20_000 + "x " * 20_000,
        "<div>x" * 500 + " " * 500_000 + ":",
        "<table>" + ("<tr>" + "<td>a: b" * 50) * 1_000,
    ],
    ids=["siblings", "bold", "deep", "white space", "table"],
)
def test_the_kernels_end_soon_on_hostile_pages(html: str) -> None:
    page = parse(html)
    start = time.process_time()
    places.held_texts(page)
    learning._in_items(page.dom, np.arange(len(page.dom)))
    assert time.process_time() - start < 5
