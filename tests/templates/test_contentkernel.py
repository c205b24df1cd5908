"""The kernel of the children of template nodes, compiled and not, against array operations."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.templates import structurereference as reference
from tests.templates.pages import page, random_page
from tests.uncompiled import require_compiled, uncompiled

from webgrain.page.outline import visible_tree
from webgrain.page.page import Limits, Source
from webgrain.page.parsing import parse
from webgrain.templates import contentkernel, structure
from webgrain.templates.structure import learn_structure

ITEM = "<li class='item {}'><a href=x>One</a>{}"
PAGES = {
    "lists": [
        "<ul>" + "".join(ITEM.format(k, "<b>x</b>" * (k % 3)) for k in range(n)) + "</ul>" for n in range(5)
    ],
    "blocks": [
        "<div class=a><p>x</div><div class='a b'><p>x<p>y</div><div id=c><h2>x</h2></div><div><table><tr><td>"
        + "</table></div>" * (k % 2)
        for k in range(6)
    ],
    "alternatives": ["<b>x</b><p>y" if k % 2 else "<i>x</i><div><p>y</div>" for k in range(8)],
    "anchors": ["<p>x</p>" * k + "<h2>y</h2>" + "<p>x</p>" * (5 - k) for k in range(5)],
    "one page": ["<table>" + "<tr><th>a<td>b<td>c" * 9 + "</table>"],
    "many tags": ["".join(f"<x-{k}>x</x-{k}>" for k in range(n, n + 300)) for n in range(3)],
    "many names": ["".join(f"<p class={'abcdefgh'[k % 8] * (k // 8 + 1)}>x" for k in range(500))] * 2,
    "many shapes": [
        "".join(
            f"<div>{''.join(f'<y-{j}>x</y-{j}>' for j in range(9) if k >> j & 1)}</div>" for k in range(400)
        )
    ]
    * 2,
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernel(request, monkeypatch):
    if request.param == "uncompiled":
        source = uncompiled("templates.contentkernel")
        for name in ("are_equal", "children_of", "grouped", "kinds_of", "similar_kinds"):
            monkeypatch.setattr(structure, name, getattr(source, name))


def agree(pages, monkeypatch):
    """Compare the structure of pages with that by array operations."""
    trees = [page for page in pages if len(visible_tree(page))]
    template, places = learn_structure(trees)
    by_kernel = structure.Forest(trees, template.known)
    by_arrays = reference.Forest(trees, template.known)
    assert by_kernel.table == by_arrays.table
    np.testing.assert_array_equal(by_kernel.symbol, by_arrays.symbol)
    np.testing.assert_array_equal(by_kernel.shape, by_arrays.shape)
    with monkeypatch.context() as patch:
        patch.setattr(
            structure, "_make_content", lambda forest, node: reference.make_content(by_arrays, node)
        )
        expected, expected_places = learn_structure(trees)
    assert str(template) == str(expected)
    assert template.symbols == expected.symbols
    assert template.symbol_support == expected.symbol_support
    for name in ("op", "parent", "end", "shape", "page_support", "is_list"):
        np.testing.assert_array_equal(getattr(template, name), getattr(expected, name), name)
    for at, expected_at in zip(places, expected_places, strict=True):
        np.testing.assert_array_equal(at, expected_at)


def test_the_kernel_is_compiled():
    require_compiled()
    assert contentkernel.COMPILED


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernel")
def test_pages_made_up(name, monkeypatch):
    agree([page(html) for html in PAGES[name]], monkeypatch)


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.usefixtures("kernel")
def test_random_pages(seed, monkeypatch):
    rng = random.Random(seed)
    agree([random_page(rng) for _ in range(2 + seed)], monkeypatch)


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "dhqa", "erlang"])
def test_real_pages(name, data_dir, monkeypatch):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [site] = read_bench([name])
    agree([*map(parse, islice(site.sources(), 8))], monkeypatch)


@pytest.mark.parametrize(
    "html",
    [
        "<p>x" * 100_000,
        "".join(f"<x-{k}>" * (k % 2) + "<p class=a>x" for k in range(100_000)),
        "<table>" + ("<tr>" + "<td>1" * 50) * 1_000,
        "<div class=a>x" * 30_000,
    ],
)
def test_hostile_pages_end(html):
    limits = Limits(depth=100_000)
    trees = [parse(Source(name, html.encode()), limits) for name in "ab"]
    template, _ = learn_structure(trees)
    assert len(template) > 2
