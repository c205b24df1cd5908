"""The kernel of groups of posts, compiled and not, against array operations."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import groupreference as reference
from tests.uncompiled import load_source, require_compiled

from webgrain.columns.blocks import PageFacts
from webgrain.extraction import groupkernel, threads
from webgrain.extraction.threads import Posts, dated, group_features, group_names, groups
from webgrain.page.page import Page
from webgrain.page.parsing import parse, parse_html
from webgrain.page.text import text_blocks

TEXT = "The lamp of the north mole is lit at dusk, and the keeper writes it down. "
POST = "<div class='post p{}'><b>Ann {}</b>, 3 May 2020<p>{}<p>{}{}</div>"
REPLY = POST.format(9, "Bob", "Yes.", TEXT[:40], "")
PAGES = {
    "posts": "<h1>Lamp</h1>"
    + "".join(POST.format(k, k, TEXT[k:], TEXT[: 70 - k], REPLY * (k % 3)) for k in range(8))
    + "<i>Menu</i>",
    "one post": POST.format(1, 1, TEXT, TEXT, REPLY),
    "nothing": "",
    "one letter": "a",
    "the same blocks": "<div><div class=a><div class=b><p>" + TEXT + "</div></div></div>" * 3,
    "equal parts": ("<ul><li class=x>" + TEXT + "<li>" + TEXT + "</ul>") * 20,
    "between": f"<main><i>1</i><dt>Ann<dd>{TEXT}<dt>Bob<dd>{TEXT}<hr>Kim<dd>{TEXT}<p>x</main>y",
    "empty classes": "<ul>" + "".join(f"<li class='{c}'>{TEXT}" for c in ("", " ", "12", "3 a")) + "</ul>",
    "deep": "<div class=nav>" * 300 + TEXT + "<p>b" + "</div>" * 150 + f"<p>{TEXT}",
    "a table": "<table>" + f"<tr><td><b>Ann</b> 1.2.2020<td>{TEXT}<td>{TEXT}" * 9 + "</table>",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        load_source(monkeypatch, "page.kernels.keytable")
        monkeypatch.setattr(threads, "groupkernel", load_source(monkeypatch, "extraction.groupkernel"))


def check(page, seed=0):
    """Compare groups, features and owners with those by array operations, for random probabilities."""
    facts = PageFacts(page.dom, text_blocks(page))
    main, comment = np.random.default_rng(seed).random((2, len(facts.letters)))
    candidates, expected = groups(facts, main, comment), reference.groups(facts, main, comment)
    assert len(candidates) == len(expected)
    date = dated(facts)
    for k, (group, other) in enumerate(zip(candidates, expected, strict=True)):
        for name in ("node", "first", "last"):
            np.testing.assert_array_equal(getattr(group, name), getattr(other, name), name)
        assert candidates.alike[k] == other.alike
        posts = Posts.of(facts, group, False, 1.0)
        owner, inside = reference.assigned(facts, other, other.owner(len(facts.letters)))
        np.testing.assert_array_equal(posts.owner, owner)
        np.testing.assert_array_equal(posts.text, inside)
    x = group_features(facts, candidates, main, comment, date, 0.25)
    expected_x = reference.group_features(facts, expected, main, comment, date, 0.25)
    assert group_names() == reference.group_names()
    for k, name in enumerate(group_names()):
        np.testing.assert_array_equal(x[:, k], expected_x[:, k], name)
    assert x.dtype == np.float32
    assert x.shape == (len(expected), len(group_names()))


def test_the_kernel_is_compiled():
    require_compiled()
    assert groupkernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_groups_of_pages_made_up(name):
    check(Page("a", parse_html(PAGES[name])))


@pytest.mark.usefixtures("kernels")
def test_random_trees():
    rng = np.random.default_rng(0)
    names = ["div class=post", "p", "ul", "li class='c 1'", "li", "h2", "div class=c2", "span", "td", "time"]
    words = [*TEXT.split(), "1.2.2020", "Ann"]
    for seed in range(20):
        pieces = []
        for _ in range(80):
            name = names[rng.integers(len(names))]
            pieces.append(f"<{name}>" if rng.random() < 0.6 else f"</{name.split()[0]}>")
            pieces.extend(f"{words[k]} " for k in rng.integers(len(words), size=rng.integers(0, 12)))
        check(Page("a", parse_html("".join(pieces))), seed)


@pytest.mark.parametrize(
    "html",
    [
        "<p class=a>One more text" * 100_000,
        "<table>" + ("<tr>" + "<td>1" * 50) * 1_000,
        "<div class=a>" * 100_000 + TEXT,
        "<div class=a>" * 500 + "<p>a" * 20_000,
    ],
    ids=["siblings", "cells", "deep", "deep and wide"],
)
def test_large_pages_end(html):
    page = parse(html)
    facts = PageFacts(page.dom, text_blocks(page))
    ones = np.ones(len(facts.letters))
    candidates = groups(facts, ones, ones)
    assert np.isfinite(group_features(facts, candidates, ones, ones, 0 * ones, 0.5)).all()
    for group in candidates:
        assert len(Posts.of(facts, group, False, 1.0).owner) == len(ones)


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_groups_of_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for source in islice(pages.sources(), 10):
        check(parse(source))
