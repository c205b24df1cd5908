"""The kernel of whole pages, compiled and not, against array operations."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import pagereference as reference
from tests.uncompiled import load_source, require_compiled

from webgrain.columns.blocks import block_features, page_facts
from webgrain.extraction import pagekernel, single, wholepage
from webgrain.extraction.single import choose_blocks, drop_repeats, readable
from webgrain.extraction.sitetexts import judged_names, site_names
from webgrain.extraction.wholepage import kind_names, page_features, page_names
from webgrain.page.page import Source
from webgrain.page.parsing import parse

TEXT = "<p>The lamp of the north mole is lit at dusk, and the keeper writes it down. "
PAGES = {
    "an article": "<title>A</title><nav><a href=b>B</a><a href=a/c>C</a></nav><h1>A</h1>"
    f"<h2><a href=d>D</a></h2>{5 * TEXT}",
    "links": "<a href=lamp/1>A</a><p>Text <a href=lamp/2>B</a><p><a href=../lamp>C</a><a href=//h.org>D</a>"
    "<a href=b><img></a>",
    "data": '<meta property=og:type content=article><script>{"@type": "NewsArticle", "ItemList"}</script>'
    + TEXT,
    "names in quotes": f'<script>""Event" "Blog "QAPage""WebPag" "Recipe"</script>{TEXT}"AboutPage',
    "one letter": "a",
    "repeats": f"{TEXT}<div>{TEXT}</div><pre>{TEXT}</pre><td>{TEXT}<table><td>{TEXT}</table>{TEXT}",
    "a table": "<table>" + "<tr><td>1<td>2" * 9 + "</table>",
}


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        kernel = load_source(monkeypatch, "extraction.pagekernel")
        monkeypatch.setattr(single, "pagekernel", kernel)
        monkeypatch.setattr(wholepage, "pagekernel", kernel)


def check(page, seed):
    """Compare blocks and features with those by array operations, for random probabilities."""
    rng, facts = np.random.default_rng(seed), page_facts(page)
    b = len(facts.letters)
    main, comment = rng.random((2, b)) ** 3
    chosen = choose_blocks(main, facts.blocks.weight)
    np.testing.assert_array_equal(chosen, reference.choose_blocks(main, facts.blocks.weight))
    for blocks in (chosen, np.arange(b)):
        np.testing.assert_array_equal(drop_repeats(facts, blocks), reference.drop_repeats(facts, blocks))
    for beta in (0.5, 2.0):
        blocks = choose_blocks(main, facts.blocks.weight, beta)
        np.testing.assert_array_equal(blocks, reference.choose_blocks(main, facts.blocks.weight, beta))
    of_site = rng.random((b, len(site_names()) + len(judged_names())), np.float32)
    of_site[rng.random(of_site.shape) < 0.3] = np.nan
    of_site[:, 0] = np.nan
    for blocks in (chosen, chosen[:0], np.arange(b)):
        for site in (None, of_site):
            found, of_kind = page_features(page, block_features(page), site, main, comment, blocks)
            expected = reference.page_features(page, block_features(page), site, main, comment, blocks)
            assert found.dtype == np.float32
            for name, value, other in zip(page_names(), found, expected, strict=True):
                np.testing.assert_array_equal(value, other, name)
    expected = reference.kind_features(page, facts, found)
    for name, value, other in zip(kind_names(), of_kind, expected, strict=True):
        np.testing.assert_array_equal(value, other, name)


def test_the_kernel_is_compiled():
    require_compiled()
    assert pagekernel.COMPILED


def test_the_names_are_those_of_the_reference():
    assert page_names() == reference.page_names()


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("kernels")
def test_pages_made_up(name):
    for seed, address in enumerate(("a", "shop/lamp", "shop/lamp/index.html", "t/news/2019/p-c/tag")):
        check(parse(Source(address, PAGES[name].encode())), seed)


@pytest.mark.usefixtures("kernels")
def test_no_block_is_chosen_if_none_may_be_main_text():
    assert choose_blocks(np.zeros(3), np.array([1, 2, 3])).tolist() == []
    assert choose_blocks(np.zeros(0), np.zeros(0, np.int32)).tolist() == []


@pytest.mark.parametrize("html", ["<p>a <a href=b>c</a>" * 100_000, "<table>" + "<tr>" + "<td>1" * 50_000])
def test_large_pages_end(html):
    page = parse(html)
    ones = np.ones(len(page_facts(page).letters))
    found, _ = page_features(page, block_features(page), None, ones, ones, np.arange(len(ones)))
    assert np.isfinite(found[: page_names().index("address depth")]).all()


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    for seed, source in enumerate(islice(pages.sources(), 10)):
        check(readable(parse(source))[0], seed)
