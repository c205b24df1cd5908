"""The kernels of the features of leaves, compiled and not, against strings."""

from __future__ import annotations

import re
from itertools import islice
from urllib.parse import urljoin

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from hypothesis import given
from hypothesis import strategies as st
from tests.templates import reference
from tests.uncompiled import load_source, require_compiled, uncompiled

from webgrain.page.links import folder_of, is_whole, path_of
from webgrain.page.outline import visible_tree
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.strings import code_points
from webgrain.templates import leaffeatures, noise, noisekernel
from webgrain.templates.leaffeatures import (
    OF_WORDS,
    LeafFeatures,
    LeafKeys,
    feature_key,
    feature_keys,
    word_classes,
)
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.sitetemplate import SiteTemplate

LINKS = (
    "/", "../b.html#c", "?q=1", "//x.example/y", "https://a.example/b/", "#", "#part{n}", "http://[x",
    "  /c ", "", "HTTPS://B.example:443/z;p?#", "./../../d/../e", "a\\b", "https://a.example/b/#x", " #part",
    "../../../../../up.html", "https://b.example/%7Ex?y=z#u", "mailto:x@y.z",
)  # fmt: skip
IMAGES = "a/b.png", "#i", "", "https://c.example/i.png?{n}", "../../../../up.png", " "
REST = """<title>Title {n}</title><p>  One \u2003 two&nbsp;three {n}<p>{long}<p>\U0001d54f &#xd800;x<p><img>
<a>No</a><form><input name=q><input type=submit value=' Go  now '><select name=s></select></form>
<iframe src=/v></iframe><div class=by>Posted by Kim on {n} May 20{n} in News</div><h1>Heading {n}</h1>
<div class=t>Title {n}</div>"""
MADE_UP = REST + "".join(
    [f"<p><a href='{link}'>Link {k}</a>" for k, link in enumerate(LINKS)]
    + [f"<p><img src='{source}'><a href=/d{k}><img src='{source}'></a>" for k, source in enumerate(IMAGES)]
)


def made_up(n: int, url: str | None) -> Source:
    """Return a page with all sorts of addresses and texts."""
    html = MADE_UP.replace("{n}", str(n)).replace("{long}", "word " * 80 + str(n % 2))
    return Source(f"a/b/{n}.html", html.encode("utf-8", "surrogatepass"), url=url)


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        twin = load_source(monkeypatch, "templates.noisekernel")
        assert not twin.COMPILED
        for name in ("address_keys", "leaf_keys", "text_key"):
            monkeypatch.setattr(leaffeatures, name, getattr(twin, name))
        for name in ("leaf_noise", "placed_keys", "word_noise"):
            monkeypatch.setattr(noise, name, getattr(twin, name))


def check(sources):
    """Compare keys and noise of pages with those by strings."""
    pages = [parse(source) for source in sources]
    template = SiteTemplate(least_match=0.0).fit(pages).template_
    matcher = TemplateMatcher(template)
    for page in pages:
        keys, features = LeafKeys.of(page), LeafFeatures(page)
        for leaf in visible_tree(page).leaf.tolist():
            expected = sorted(map(feature_key, features.of(leaf)))
            assert sorted(int(key[leaf]) for key in keys if key[leaf]) == expected
        at = matcher.align(page).at
        np.testing.assert_array_equal(matcher.noise(page, at), reference.transfer_noise(template, page, at))
    return template


def test_the_kernel_is_compiled():
    require_compiled()
    assert noisekernel.COMPILED


@pytest.mark.parametrize("url", [None, "https://a.example/b/", "http://u:p@[::1]/b?c#d", "https://a.example"])
@pytest.mark.usefixtures("kernels")
def test_keys_and_noise_of_pages_made_up(url):
    template = check([made_up(n, url) for n in range(1, 6)])
    assert {sort for noise in template.noise.values() for sort, _ in noise} == {
        "text", "image", "link", "other", "word",
    }  # fmt: skip


@pytest.mark.usefixtures("kernels")
def test_keys_of_pages_in_several_folders():
    links = {"a/one.html": "../home.html", "two.html": "home.html", "b/c/x.html": "/home.html"}
    check([Source(name, f"<a href='{link}'>{name}</a><p>{name}".encode()) for name, link in links.items()])


@pytest.mark.parametrize(
    "html",
    [
        "<a href=x>a" * 50_000,
        "<table>" + ("<tr>" + "<td><a href=y>1</a>" * 50) * 1_000,
        "<div>" * 400 + "<a href=x>x",
        "<a href=/x>" + "<p>a<img src=y>" * 20_000,
    ],
    ids=["siblings", "cells", "deep", "in a link"],
)
def test_large_pages(html):
    page = parse(Source("a.html", html.encode()))
    keys, features = LeafKeys.of(page), LeafFeatures(page)
    last = int(visible_tree(page).leaf[-1])
    assert {int(key[last]) for key in keys if key[last]} == set(map(feature_key, features.of(last)))


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_keys_and_noise_of_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    check(list(islice(pages.sources(), 8)))


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_key_of_joined_texts_follows_from_those_of_both(a, b):
    key, _, first, power_of_first = noisekernel.text_key(a + b, len(a))
    assert (first, power_of_first) == noisekernel.text_key(a, 0)[:2]
    key_of_b, power_of_b, *_ = noisekernel.text_key(b, 0)
    assert key == (first * power_of_b + key_of_b) % 2**64


ADDRESSES = st.text(alphabet="ab/.:?#;&%=[]\\@ -é", max_size=12)


@given(st.sampled_from(["", "http://", "https://", "//", "/", "../", "HTTP://"]), ADDRESSES)
def test_addresses_are_taken_apart_as_they_are_joined(start, rest):
    address = start + rest
    for base in ("http://a.example/b/c/d.html", "https://a.example", "file:///b/c.html"):
        path = path_of(address)
        if is_whole(address):
            assert urljoin(base, address) == address
        elif path is not None and (folder := folder_of(base, path[0])) is not None:
            assert folder + path[1] == urljoin(base, address)


@given(st.lists(st.text(alphabet="ab1\u0663é_. \U0001d54f²", max_size=12), max_size=4))
@pytest.mark.parametrize("uncompile", [False, True])
def test_words_are_those_of_the_expression(uncompile, texts):
    kernel = uncompiled("templates.noisekernel") if uncompile else noisekernel
    known = [("word", word) for word in ("ab", "0", "b", "é", "\U0001d54f²")]
    shares = np.array([0.5, 0.25, 0.1, 0.7, 0.3])
    keys = noisekernel.placed_keys(feature_keys(known), np.zeros(len(known), np.int32))
    order = np.argsort(keys)
    codes = code_points("".join([f"{text}\n" for text in texts]))
    nodes = np.zeros(len(texts), np.int32)
    means = kernel.word_noise(codes, word_classes(), nodes, OF_WORDS, keys[order], shares[order])
    noise_of = dict(zip(known, shares.tolist(), strict=True))
    for mean, text in zip(means.tolist(), texts, strict=True):
        words = re.findall(r"[^\W\d_]+|\d+", re.sub(r"\d+", "0", text))
        expected = reference.added(noise_of.get(("word", word), 0.0) for word in words) / max(len(words), 1)
        assert mean == expected
