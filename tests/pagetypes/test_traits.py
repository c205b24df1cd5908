"""The traits of a page by the kernel, compiled and not, against array operations."""

from __future__ import annotations

import random
import sys
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.pagetypes import reference
from tests.uncompiled import load_source, require_compiled, uncompiled

from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.paths import places
from webgrain.pagetypes import pagetypes, pathcounts, traits
from webgrain.pagetypes.pagetypes import Classifier, PageTypes
from webgrain.pagetypes.pathcounts import snippets_of
from webgrain.pagetypes.traits import TRAIT_FAMILIES, lower_table, naming_words, page_traits

SENTENCE = "The lamp of the north mole is lit at dusk, and the keeper writes it down. "
ARTICLE = f"""<html><head><title>The lamp of the mole 7</title><link rel='Stylesheet Next' href=a>
<meta name=Description content=b><meta property=og:type content=Article><meta http-equiv=refresh content=''>
<meta itemprop=name content=c><meta itemprop=NAME content=c><script src='/js/lamp-12.js?v=3'></script>
<script type="application/ld+json">{{"@type": ["Article", "Thing"], "a": {{"@type": "Person"}}}}</script>
</head><body class='post post-12 a1b2c3d4' id=page><nav class=menu><ul><li class=on><a href=a>Home 12 3</a>
<li><a href=b>News</a></ul></nav><main id=content class="x x"><article class=post itemscope
itemtype=http://schema.org/Article><h1 role=Heading>The lamp</h1><p itemprop=text>{SENTENCE * 3}<p>{SENTENCE}
<p class=note>3<b>4</b>5 <i>6</i></p></article><div class=links>a<a href=a>{SENTENCE}</a></div></main>
<table class=t><tr><td>1<td> 2 <td>&nbsp;<tr><td>３４<td>4 0</table>
<footer><p>ΟΔΟΣ © 2024<noscript>no</noscript><script>x</script><my-tag role=note>z</my-tag></footer>"""
PAGES = {
    "article": ARTICLE,
    "nothing": "",
    "one letter": "a",
    "spaces": "<p> \u2003 <p>\u00a0",
    "a lone surrogate": "<p class='\ud800'>&#xd800; a",
    "letters that become longer": "<p>İİ 12 13 AB",
    "capitals": "<p>ＡＢ Ж <b>ÀÉ</b> 𐐀 １２",
    "sigma": "<p>ΟΔΟΣ<b>ΑΣ</b>Α ΣΑ",
    "prose in paragraphs": f"<p>{SENTENCE}<b>{SENTENCE}</b><p>x",
    "prose of two": f"<div><p>{SENTENCE}</div><section><p>{SENTENCE}</section>",
    "links": f"<div><a href=a>{SENTENCE}<p>b</a></div><nav>c<p>{SENTENCE}</nav>",
    "hidden": "<template><p class=a>b</template><noscript><p class=c>d</noscript><style class=e>f</style>",
    "deep": "<div class=nav>" * 300 + "a<p>b" + "</div>" * 150 + "<p>c",
    "a refresh": "<meta http-equiv=Refresh content='0; url=b'><meta name=Robots content=None>",
    "an error": "<title>404 Not Found</title><p>No",
}
ADDRESSES = ("blog/2024/tea-12.html", "https://a.example/b%20c/?id=3&kind=post", "index.html", "http://[", "")


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        plain = load_source(monkeypatch, "pagetypes.traitkernel")
        monkeypatch.setattr(traits, "traitkernel", plain)
        monkeypatch.setattr(pathcounts, "snippets", plain.snippets)
        monkeypatch.setattr(pagetypes, "present_shares", plain.present_shares)


def check(page):
    """Compare all traits and snippets of a page with those by array operations."""
    computed, expected = page_traits(page), reference.page_traits(page)
    for number, family in enumerate(TRAIT_FAMILIES):
        np.testing.assert_array_equal(computed.family(number), expected.families[number], family)
    np.testing.assert_array_equal(computed.profile, expected.profile)
    assert dict(zip(computed.tags, computed.tag_count.tolist(), strict=True)) == dict(expected.tags)
    assert computed.region == expected.region
    assert computed.special == expected.special
    assert naming_words(page) == expected.names
    table = places(page.dom)
    assert snippets_of(page, table) == reference.snippets_of(page.dom, table)


def source(name, html):
    return Source(name, html.encode("utf-8", "surrogatepass"))


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernel")
def test_traits_of_pages_made_up(name):
    check(parse(source(f"{name}.html", PAGES[name])))


@pytest.mark.parametrize("address", ADDRESSES)
@pytest.mark.usefixtures("kernel")
def test_traits_of_addresses(address):
    check(parse(source(address, ARTICLE)))


@pytest.mark.usefixtures("kernel")
def test_traits_of_random_trees():
    rng = np.random.default_rng(0)
    names = ["div class='a b'", "p", "ul", "li id=x", "a href=b", "h1", "nav", "i class=a", "style", "td"]
    words = [*SENTENCE.split(), "NAV", "12", "|", "5 6", SENTENCE]
    for number in range(20):
        pieces = []
        for _ in range(60):
            name = names[rng.integers(len(names))]
            pieces.append(f"<{name}>" if rng.random() < 0.6 else f"</{name.split()[0]}>")
            pieces.extend(f"{words[k]} " for k in rng.integers(len(words), size=rng.integers(0, 6)))
        check(parse(source(f"{number}", "".join(pieces))))


@pytest.mark.usefixtures("kernel")
def test_fits_of_pages():
    pages = [parse(source(name, html)) for name, html in PAGES.items()]
    model = PageTypes().fit(pages * 2).model_
    of_pages = list(map(page_traits, pages))
    assert len(model.classifier.keys) > 40
    np.testing.assert_array_equal(
        model.classifier.fit_of(of_pages), reference.fit_of(model.classifier, of_pages)
    )
    nothing = Classifier(np.empty((0, 3), np.uint64), np.empty(0), np.empty((2, 0)))
    assert nothing.fit_of(of_pages[:1]).tolist() == [[0.0, 0.0]]


@pytest.mark.parametrize(
    "html",
    [
        "<p class=nav>a" * 100_000,
        "".join(f"<p class=c{k} id=i{k}>{chr(97 + k % 26) * (k % 50)}" for k in range(50_000)),
        "<table>" + ("<tr>" + "<td>1" * 50) * 1_000,
        "<div class=nav>" * 500 + "<p>a" * 20_000,
        "<p>" + " ".join(f"w{k}" for k in range(100_000)),
        "<p itemprop=a>" * 20_000 + "<meta itemprop=a name=b>" * 20_000,
    ],
    ids=["siblings", "values", "cells", "deep", "words", "attributes"],
)
def test_traits_of_large_pages(html):
    require_compiled()
    check(parse(source("a", html)))


@pytest.mark.parametrize("most", [2**64, 2**20])  # the latter keys have the same first byte
def test_keys_are_sorted(most):
    kernel = uncompiled("pagetypes.traitkernel")
    rng = random.Random(2)
    for size in (0, 1, 2, 8, 9, 17, 300):
        keys = np.array([rng.randrange(most) for _ in range(size)], np.uint64)
        expected = [7, *sorted(keys.tolist()), 5]
        keys = np.array([7, *keys.tolist(), 5], np.uint64)
        other, count = np.empty(len(keys), np.uint64), np.empty(256, np.int32)
        kernel.sort(*map(memoryview, (keys, other, count)), 1, 1 + size)
        assert keys.tolist() == expected


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "lpinnova", "kyokyo"])
def test_traits_of_real_pages(name):
    [site] = read_bench([name])
    for page in islice(site.pages(), 20):
        check(page)


def test_lower_case_of_all_characters():
    table = lower_table()
    for code in range(sys.maxunicode + 1):
        lower = chr(code).lower()
        expected = ord(lower) if len(lower) == 1 else code
        assert (table[code] if code < len(table) else code) == expected
