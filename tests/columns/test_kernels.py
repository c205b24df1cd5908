"""The kernels of the features of blocks, compiled and not, against array operations."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.columns import reference
from tests.tables import names_of
from tests.uncompiled import load_source, require_compiled

from webgrain.columns import blocks as columns
from webgrain.columns import factkernel, featurekernel
from webgrain.columns.blocks import BLOCK_HINTS, PageFacts, block_names, features
from webgrain.page.page import Page
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

FACTS = (
    "letters", "linked", "prose", "kind", "kinds", "is_title", "hint", "heading", "first", "totals", "path",
    "tag_path", "path_group",
)  # fmt: skip
TREE = ("parent", "first", "last", "wider", "level")
"""Rows of the tree of the facts, as attributes of the containers of the reference."""

SENTENCE = "The lamp of the north mole is lit at dusk, and the keeper writes it down. "
ARTICLE = f"""<title>The lamp of the mole - Harbour</title>
<meta name=Description content="The lamp, and its keeper">
<script type="application/ld+json">{{"articleBody": "{SENTENCE}"}}</script>
<nav class="site-nav menu"><ul><li><a href=a>Home</a><li class=on>
<a href=b>News</a><li><a href=c>$ 5 · 7 €</a></ul></nav>
<main id=content-3><article class="post post-12"><h1>The lamp</h1><p>{SENTENCE * 3}<p>{SENTENCE}<h2>Dusk</h2>
<p role=note>Who pays? NOBODY! knows ; 1234<blockquote>{SENTENCE * 2}</blockquote></article>
<div class=comments><div class="comment c1"><b>Ann</b><p>Yes, {SENTENCE}</div>
<div class="comment c2"><b>Bob</b><p>No</div>
<div class="comment c2"><b>Bob</b><p>No</div></div></main>
<table><tr><td>1<td>2<tr><td>3<td>4</table><aside style="display : none"><p>ΟΔΟΣ Ά 新聞、新</aside>
<footer aria-hidden=true itemtype="http://schema.org/Article">© <i itemprop=author>A|B</i></footer>"""
PAGES = {
    "article": ARTICLE,
    "in one element": f"<div class=article>{ARTICLE}</div>",
    "names in quotes": '<script>""Event" "Blog "QAPage""WebPag" "Recipe"</script><p>"Offer"',
    "metas": "<meta name=og:type content=a><meta property=og:type content=b><meta property=OG:Title name=x>"
    "<meta property='og:title' content='c  d'><meta content=e name=description><meta name=description>"
    "<meta property=og:site_name><meta property=og:site_name content=f><p name=og:type content=g>h",
    "nothing": "",
    "one letter": "a",
    "no letters": "<p class=nav>...<p>--",
    "an empty heading": "<h1></h1><h2>a</h2><h2>b</h2>",
    "a lone surrogate": "<title>&#xd800;</title><p>&#xd800; a",
    "the same heading twice": "<title>a b</title><h1>b</h1><h1>a b</h1><h1>a b</h1>",
    "deep": "<div class=nav>" * 300 + "a<p>b" + "</div>" * 150 + "<p>c",
    "words": "".join(f"<p>w{k % 21} w{k % 7} {'x' * (k % 180)}" for k in range(60)),
    "lists": "<ul class=a><li>1<li>2</ul><ul class=b><li>3</ul><div><ul class=a><li>4<li>5<li>6</ul></div>"
    * 3,
    "capitals that become longer": "<title>İİ</title><p>İİ İ ẞ<p>İİ" + "İ" * 200,
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        load_source(monkeypatch, "page.kernels.keytable")
        monkeypatch.setattr(columns, "factkernel", load_source(monkeypatch, "columns.factkernel"))
        monkeypatch.setattr(columns, "featurekernel", load_source(monkeypatch, "columns.featurekernel"))


def check(page):
    """Compare all facts and features of a page with those by array operations."""
    blocks = text_blocks(page)
    facts, expected = PageFacts(page.dom, blocks), reference.PageFacts(page.dom, blocks)
    for name in FACTS:
        value = np.asarray(getattr(expected, name))
        value = value.astype(np.float32) if name == "hint" else value
        np.testing.assert_array_equal(getattr(facts, name), value, name)
    for row, name in zip(facts.tree, TREE, strict=True):
        np.testing.assert_array_equal(row, getattr(expected.containers, name), name)
    np.testing.assert_array_equal(facts.parent, expected.containers.parent)
    np.testing.assert_array_equal(facts.holder, expected.containers.holder)
    np.testing.assert_array_equal(facts.letter_table[1], expected.plain)
    assert facts.quoted == {name for name in columns.QUOTED if f'"{name}"' in page.dom.text}
    np.testing.assert_array_equal(facts.outward, expected.containers.outward[:7])
    assert facts.texts.keys() == expected.texts.keys()
    for name, value in expected.texts.items():
        np.testing.assert_array_equal(facts.texts[name], value, name)
    for steps in (1, 3, 6):
        groups = np.stack([facts.siblings(steps), expected.siblings(steps)])
        assert (
            len(np.unique(groups, axis=1).T) == len(set(groups[0].tolist())) == len(set(groups[1].tolist()))
        )
    x, expected_x = features(facts), reference.features(expected)
    if len(blocks):
        assert names_of(reference._columns(expected)) == block_names()
        for k, name in enumerate(block_names()):
            np.testing.assert_array_equal(x[:, k], expected_x[:, k], name)
    assert x.dtype == np.float32
    assert x.shape == (len(blocks), len(block_names()))


def test_the_kernels_are_compiled():
    require_compiled()
    assert factkernel.COMPILED
    assert featurekernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_facts_and_features_of_pages_made_up(name):
    check(Page("a", parse_html(PAGES[name].encode("utf-8", "surrogatepass"))))


@pytest.mark.usefixtures("kernels")
def test_random_trees():
    rng = np.random.default_rng(0)
    names = [
        "div class=post",
        "p",
        "ul",
        "li",
        "a href=b",
        "h1",
        "h2",
        "div id=menu",
        "span class=date",
        "td",
    ]
    words = [*SENTENCE.split(), "NAV", "12", "|", "$", "The lamp of the mole"]
    for _ in range(20):
        pieces = [f"<title>{SENTENCE[:20]}</title>"]
        for _ in range(60):
            name = names[rng.integers(len(names))]
            pieces.append(f"<{name}>" if rng.random() < 0.6 else f"</{name.split()[0]}>")
            pieces.extend(f"{words[k]} " for k in rng.integers(len(words), size=rng.integers(0, 30)))
        check(Page("a", parse_html("".join(pieces))))


@pytest.mark.parametrize(
    "html",
    [
        "<p class=nav>a" * 100_000,
        "<table>" + ("<tr>" + "<td>1" * 50) * 1_000,
        "<div class=nav>" * 500 + "<p>a" * 20_000,
        "<p>" + " ".join(f"w{k}" for k in range(100_000)),
    ],
    ids=["siblings", "cells", "deep", "words"],
)
def test_large_pages(html):
    check(Page("a", parse_html(html)))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_facts_and_features_of_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 10):
        check(parse(source))


def test_hints_are_bits_of_a_number():
    assert len(BLOCK_HINTS) <= 64
