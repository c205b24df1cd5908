"""Passes over attributes and tags by the kernels against plain Python, compiled and not."""

from __future__ import annotations

import numpy as np
import pytest
from tests.uncompiled import load_source, require_compiled

from webgrain.page import dom as dom_module
from webgrain.page import leaves, markup, tagtables, text
from webgrain.page.kernels import attributepass
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.parsing import parse, parse_html
from webgrain.page.tagtables import AttributeBits
from webgrain.page.text import visible_texts

HTML = """<title>a</title><p class="menu a" open><a name=b>c</a><a href=d name=e>f</a><a>g</a><a class=menu
href=h>i</a><script type=x>1</script><div hidden class=menu><p my-name>j<b hidden>k</b></div><my-tag open>l
</my-tag><area href=m name=n><p class=>o"""
PAGES = {
    "usual": HTML,
    "meta": "<meta content=a><meta name=B content=' b  c '><meta value=d http-equiv=e>"
    "<meta name='' itemprop=f content=g value=h><meta itemprop=i content=j property=k><meta name=l>"
    "<meta name=m content><meta name='' content=n><p name=o content=p><meta name=B value=q>",
    "empty": "",
    "50 000 siblings": "<b class=menu open>a</b><a name=b>" * 12_000,
    "deep": "<div hidden><a name=b>" * 10_000,
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        kernel = load_source(monkeypatch, "page.kernels.attributepass")
        trees = load_source(monkeypatch, "page.kernels.treepass")
        monkeypatch.setattr(dom_module, "open_links", kernel.open_links)
        monkeypatch.setattr(dom_module, "nodes_by_tag", trees.nodes_by_tag)
        monkeypatch.setattr(leaves, "treepass", trees)
        monkeypatch.setattr(text, "texts_outside", trees.texts_outside)
        for name in ("attributes_named", "bits_of_nodes"):
            monkeypatch.setattr(tagtables, name, getattr(kernel, name))
        monkeypatch.setattr(markup, "meta_values", kernel.meta_values)


def test_the_kernel_is_compiled():
    require_compiled()
    assert attributepass.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_bits_of_attributes(name):
    dom = parse_html(PAGES[name])
    bits = AttributeBits(
        {"class": lambda value: 1 * ("menu" in value), "my-name": len, "open": lambda value: 4}
    )
    expected = np.zeros(len(dom), np.int32)
    for column, function in (("class", lambda value: "menu" in value), ("open", lambda value: 4)):
        attributes, nodes = dom.find_attribute(column)
        expected[nodes] |= np.array([function(value) for value in dom.values_of(attributes)], np.int32)
    assert bits.of_nodes(dom).tolist() == expected.tolist()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_links_are_elements_that_lead_or_have_no_name(name):
    dom = parse_html(PAGES[name])
    has_name, has_href = (np.isin(np.arange(len(dom)), dom.find_attribute(x)[1]) for x in ("name", "href"))
    expected = dom.tagged("a") & (has_href | ~has_name)
    assert dom.links().tolist() == expected.tolist()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_elements_by_tag_and_visible_nodes(name):
    dom = parse_html(PAGES[name])
    for tag in ("p", "a", "my-tag", "table", "no-tag", "#text"):
        np.testing.assert_array_equal(dom.find_tag(tag), np.flatnonzero(dom.tagged(tag)))
    hidden = dom.tagged("head", "script")  # all elements of these pages that no browser shows
    hidden[dom.find_attribute("hidden")[1]] = True
    np.testing.assert_array_equal(visible_nodes(Page("a", dom)), ~(hidden | dom.inside(hidden)))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_visible_texts_are_not_blank_and_not_in_controls(name):
    page = parse(PAGES[name] + "<p> <option>q<i>r</i></option><textarea>s</textarea>t")
    dom = page.dom
    silent = dom.inside(dom.tagged("head", "title", "script", "option", "textarea"))
    filled = [not dom.text_of(node).isspace() for node in range(len(dom))]
    expected = dom.is_text & visible_nodes(page) & filled & ~silent
    assert visible_texts(page).shown.tolist() == expected.tolist()
    assert visible_texts(page).node.tolist() == np.flatnonzero(expected).tolist()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_contents_of_meta_elements(name):
    dom = parse_html(PAGES[name])
    metas = markup.metas(dom)
    expected = {}
    for key in ("content", "value"):
        for meta in metas:
            text = " ".join(meta.get(key, "").split())
            names = [meta[name] for name in ("property", "name", "itemprop", "http-equiv") if meta.get(name)]
            if text:
                expected.setdefault(names[0].strip().lower() if names else "", []).append(text)
    assert markup.meta_contents(dom) == expected
    assert list(markup.meta_contents(dom)) == list(expected)
