"""The kernel of gaps, compiled and not, against the outline of the page."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.documents import gapreference as reference
from tests.uncompiled import load_source, require_compiled

from webgrain.documents import gapkernel, gaps
from webgrain.page.parsing import parse
from webgrain.page.text import text_blocks

TABLE = "<table><caption>a<tr><th>b<th>c<tr><td>d<td>e<tr><td>f<td>g<tr><td>a longer text<td>i</table>"
PAGES = {
    "nothing": "",
    "one letter": "a",
    "code": "<p>a<pre>b<div>c</div>d</pre><pre>e<pre>f</pre></pre>g",
    "a table": f"<p>a{TABLE}<p>b",
    "a table that arranges the page": f"<table role=none><tr><td>{TABLE}<td>b<tr><td>c<td>d</table>",
    "a table of one row": "<table><tr><th>a<th>b</table>c",
    "rows behind a text": "<table>a<tr><td>b<td>c<tr><td>d<td>e</table>",
    "definitions": "<p>a<dt>b<dl><dt>c<dd>d<dt>e<dd>f<dt>g</dl><dd>h<p>i",
    "lists": "<div><p>a<ul><li>b<li> <b>c<ol><li>d</ol></b><p>e</ul><blockquote>f</blockquote>g</div>",
    "empty lists": "<ul></ul><div><p>a<p>b<ul> </ul><p>c</div><ol><li hidden>d</ol>",
    "figures": "<div><figure><img src=x><figcaption>a</figcaption></figure><p>b<p>c<figure>d</figure></div>",
    "images": "<div><img src=x><details><summary>a</summary>b</details><img src=y></div><p>c",
    "headings": "<p>a<h2>b</h2><p>c<h3>d<p>e</h3>f<div><h2>g</h2>h</div><h3><b>i</b> j</h3>k<h1>l</h1><p>m",
    "unread": "<title>a</title><ul><li><select><option>b</select><li> <textarea>c</textarea>d<li>e</ul>f",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        kernel = load_source(monkeypatch, "documents.gapkernel")
        monkeypatch.setattr(gaps, "GapFiller", kernel.GapFiller)


def check(page, seed, tries=20):
    """Compare what is marked for random blocks."""
    rng, blocks = np.random.default_rng(seed), text_blocks(page)
    for _ in range(tries):
        first, last = np.sort(rng.integers(0, len(blocks) + 1, 2))
        chosen = np.arange(first, last)[rng.random(last - first) < rng.random()]
        expected = reference.without_gaps(page, blocks, chosen)
        np.testing.assert_array_equal(gaps.without_gaps(page, blocks, chosen), expected)


def test_the_kernel_is_compiled():
    require_compiled()
    assert gapkernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernel")
def test_pages_made_up(name):
    check(parse(PAGES[name]), 0)


@pytest.mark.usefixtures("kernel")
def test_random_pages():
    rng = np.random.default_rng(0)
    names = [
        *("div", "p", "ul", "li", "ol", "dl", "dt", "dd", "table", "tr", "td", "th", "pre", "b"),
        *("figure", "figcaption", "blockquote", "details", "span", "h1", "h2", "h3", "h6"),
    ]
    for seed in range(40):
        pieces = []
        for _ in range(80):
            name = names[rng.integers(len(names))]
            pieces.append(f"<{name}>" if rng.random() < 0.6 else f"</{name}>")
            pieces.append(("", " ", "a", "some words", "<img src=x>")[rng.integers(5)])
        check(parse("".join(pieces)), seed, 5)


@pytest.mark.parametrize(
    "html",
    [
        "<ul><li>a</ul>" * 100_000,
        "<table>" + ("<tr>" + "<td>1" * 50) * 1_000,
        "<ul><li>a" * 20_000,
        "<dl><dt>a<dd>b" * 10_000,
        "<pre>a" * 20_000,
        "<h6>a</h6>" * 50_000 + "<h1>a</h1><p>b" * 50_000,
        "<div><h2>a</h2>" * 20_000,
    ],
    ids=[
        "siblings",
        "cells",
        "nested lists",
        "nested definitions",
        "nested code",
        "headings",
        "nested headings",
    ],
)
def test_large_pages_end(html):
    page = parse(html)
    blocks = text_blocks(page)
    last = len(blocks) - 1
    assert last in gaps.without_gaps(page, blocks, np.array([last // 2, last]))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "gtkdoc"])
def test_real_pages(site):
    for seed, source in enumerate(islice(next(iter(read_bench([site]))).sources(), 10)):
        check(parse(source), seed, 5)
