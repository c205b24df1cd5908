"""The kernel of what nodes are, compiled and not, against the arrays that it replaces."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.uncompiled import load_source, require_compiled

from webgrain.documents import nodekernel, parttable
from webgrain.documents.embedded import EMBEDDED
from webgrain.documents.formulas import TEX_SCRIPT
from webgrain.page.leaves import visible_nodes
from webgrain.page.parsing import parse
from webgrain.page.tagtables import TagSet
from webgrain.page.values import Question

DROPPED, VISIBLE, FILLED, MEDIA, IGNORED, SILENT, ARRANGES = 2**6, *[2**bit for bit in range(16, 22)]
PAGES = {
    "nothing": "",
    "no media": "<p aria-hidden=true>a<b>b</b><script type=math/tex>x</script><style>c</style>",
    "a picture": "<p aria-hidden=true>a<b>b<i>c</b></p><img src=x><style>c</style><noscript>d</noscript>",
    "a formula": "<math aria-hidden=true><mi>a</mi></math><script>b</script><script type=Math/TeX>c",
    "without scripts": "<p>a<noscript><img src=x></noscript><noscript hidden>b</noscript>",
    "tables": "<table role=none><tr><td>a</table><table role=grid>b</table><p role=presentation>c",
    "a wiki": "<h2>a<span class='x MW-editsection'><a href=b>edit</a></span></h2><p class=editsections>b",
    "soft hyphens": "<p>&shy;<p>a&shy;b<p> &shy; ",
    "100 000 siblings": "<img aria-hidden=true>a" * 25_000,
    "deep": "<b aria-hidden=true><img>" * 20_000,
}


def expected_bits(page):
    """Return the bits of the nodes of a page by arrays."""
    dom = page.dom
    bits = parttable._BITS.of_nodes(dom)
    bits |= visible_nodes(page) * np.int32(VISIBLE)
    bits |= parttable._is_filled(dom) * np.int32(FILLED)
    bits[dom.nodes_where("role", Question(("presentation", "none").__contains__, bool))] |= ARRANGES
    edits = Question(lambda value: not parttable._EDIT_CLASSES.isdisjoint(value.lower().split()), bool)
    bits[dom.nodes_where("class", edits)] |= DROPPED
    visual, script = TagSet("img", "math", *EMBEDDED).of_nodes(dom), dom.tagged("script")
    scripts = dom.nodes_where("type", Question(lambda value: TEX_SCRIPT.match(value) is not None, bool))
    media = visual.copy()
    media[scripts[script[scripts]]] = True
    noscripts = dom.find_tag("noscript")
    pictured = [node for node in noscripts.tolist() if "<img" in dom.text_of(node)]
    media[pictured] = True
    bits[pictured] |= VISIBLE
    if media.any():
        hidden = np.zeros(len(dom), bool)
        hidden[dom.nodes_where("aria-hidden", Question("true".__eq__, bool))] = True
        silent = hidden | visual | script | dom.tagged("style")
        silent[noscripts] = True
        bits |= media * np.int32(MEDIA)
        bits |= hidden * np.int32(SILENT)
        bits |= dom.inside(silent) * np.int32(IGNORED)
    return bits


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        monkeypatch.setattr(parttable, "nodekernel", load_source(monkeypatch, "documents.nodekernel"))


def test_the_kernel_is_compiled():
    require_compiled()
    assert nodekernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernel")
def test_pages_made_up(name):
    page = parse(PAGES[name])
    np.testing.assert_array_equal(parttable.node_bits(page), expected_bits(page))


@pytest.mark.data
@pytest.mark.parametrize("site", ["crawlwiki", "lpinnova", "nbn"])
def test_real_pages(site):
    for source in islice(next(iter(read_bench([site]))).sources(), 20):
        page = parse(source)
        np.testing.assert_array_equal(parttable.node_bits(page), expected_bits(page))
