"""The kernels of the features by the site and by context, compiled and not, against array operations."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.extraction import reference
from tests.tables import names_of, table_of
from tests.uncompiled import load_source, require_compiled

from webgrain.columns.blocks import block_features, page_facts
from webgrain.columns.sitetable import Counts, SiteTable
from webgrain.extraction import sitekernel, sitetexts
from webgrain.extraction.single import Reading, page_table, trained_models
from webgrain.extraction.sitetexts import SiteRows, context, context_names, judged_names, site_names
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

SUMMED = ("site page article", "site page article above all")
"""Features that are quotients of sums over the places of a page, in another order than those of NumPy."""


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        monkeypatch.setattr(sitetexts, "sitekernel", load_source(monkeypatch, "extraction.sitekernel"))


def test_the_kernels_are_compiled():
    require_compiled()
    assert sitekernel.COMPILED


def made_up(k: int) -> Page:
    words = "abcdefgh"[k % 8]
    html = (
        f"<title>Lamp {words} - Lamps</title><ul class=menu><li><a href=a>Home<li><a href=b>News {k % 3}</ul>"
    )
    html += f"<div class=post-{k}><h1>Lamp {words}</h1><p>Text {words * 20} and more.<p>Text {k % 2}</div>"
    html += "<div class=note><p>We light the lamps.</div>" * (k % 4) + "<table><tr><td>1<td>2</table>" * (
        k % 2
    )
    return parse(Source(f"{k}.html", html.encode()))


def compare(pages: list[Page], known: int) -> None:
    """Compare the counts of the first pages of a site, and the features of all."""
    learnt = [page_table(page) for page in pages[:known]]
    whole = SiteTable.merged(learnt)
    compare_site(whole.shared(), reference.SiteCounts([judged_texts(page) for page in pages[:known]]), pages)
    halves = SiteTable.merged(learnt[: known // 2]), SiteTable.merged(learnt[known // 2 :])
    compare_tables(SiteTable.merged(halves), whole)
    compare_tables(SiteTable.merged(halves[::-1]), whole)


def judged_texts(page: Page) -> reference.PageTexts:
    """Return the texts of a page with what the models find; a page without text has no block."""
    facts = page_facts(page)
    if not len(facts.letters):
        return reference.PageTexts(facts, np.zeros((0, 3), np.float32))
    judged, article, _ = Reading.by_itself(page, trained_models()).judged(trained_models())
    return reference.PageTexts(facts, judged, article)


def compare_site(site: SiteTable, counts: reference.SiteCounts, pages: list[Page]) -> None:
    for page in pages:
        facts = page_facts(page)
        b = len(facts.letters)
        if not b:
            continue
        texts = reference.PageTexts(facts, np.zeros((b, 3), np.float32))
        columns = (*reference.site_columns(counts, texts, facts), *reference.judged_columns(counts, texts))
        names = tuple(f"site {name}" for name in names_of(iter(columns)))
        assert names == (*site_names(), *judged_names())
        expected = table_of(iter(columns), b, names)
        x = SiteRows.of(facts, site).features(facts, site)
        for k, name in enumerate(names):
            if name in SUMMED:
                assert x[:, k] == pytest.approx(expected[:, k], rel=1e-6, abs=1e-7, nan_ok=True), name
            else:
                assert np.array_equal(x[:, k], expected[:, k], equal_nan=True), name


def compare_tables(table: SiteTable, other: SiteTable) -> None:
    assert (table.pages, table.articles) == (other.pages, other.articles)
    for counts, expected in zip(counts_of(table), counts_of(other), strict=True):
        assert np.array_equal(counts.keys, expected.keys)
        assert np.array_equal(counts.values, expected.values)
    assert np.array_equal(table.places.place, other.places.place)
    assert np.array_equal(table.tag_places.place, other.tag_places.place)


def counts_of(table: SiteTable) -> list[Counts]:
    both = table.places, table.tag_places
    return [table.texts, table.nodes, *(of for one in both for of in (one.counts, one.texts))]


def compare_context(page: Page, rng: np.random.Generator) -> None:
    facts, of_page = page_facts(page), block_features(page)
    b = len(facts.letters)
    if not b:
        return
    for main, comment in (rng.random((2, b)), rng.integers(0, 2, (2, b)).astype(float), np.full((2, b), 0.3)):
        columns = [*reference.context_columns(facts, of_page, main, comment)]
        assert names_of(iter(columns)) == context_names()
        expected = table_of(iter(columns), b, context_names())
        x = context(facts, of_page, main, comment)
        for k, name in enumerate(context_names()):
            assert np.array_equal(x[:, k], expected[:, k]), name


@pytest.mark.usefixtures("kernels")
def test_made_up_pages():
    pages = [*map(made_up, range(20)), parse(""), parse("<p>a")]
    compare(pages, 12)
    compare(pages, 1)
    for page in pages:
        compare_context(page, np.random.default_rng(0))


@pytest.mark.data
@pytest.mark.parametrize("name", ["nbn", "castalio", "crawlwiki"])
def test_pages_of_sites(name: str):
    [site] = read_bench([name])
    pages = [parse(source) for source in islice(site.sources(), 24)]
    compare(pages, 16)
    rng = np.random.default_rng(0)
    for page in pages:
        compare_context(page, rng)


def test_a_table_of_a_site_without_singles_can_be_added_up():
    learnt = [page_table(made_up(k)) for k in range(12)]
    parts = SiteTable.merged(learnt[:6]).shared(), SiteTable.merged(learnt[6:]).shared()
    both, whole = SiteTable.merged(parts), SiteTable.merged(learnt)
    texts = whole.places.texts
    rows = both.places.texts.find(texts.keys)
    known = rows > 0
    assert known.sum() > 5
    assert (both.places.texts.rows[rows[known], 0] <= texts.values[known, 0]).all()
    assert np.array_equal(both.places.counts.keys, whole.places.counts.keys)
    assert (both.places.counts.values[:, 2] >= whole.places.counts.values[:, 2]).all()


@pytest.mark.parametrize(
    "html", ["<p>a" * 100_000, "<div>" * 100_000 + "a", "<table>" + "<tr><td>a<td>b" * 25_000]
)
def test_hostile_pages_end(html: str):
    page = parse(html)
    site = SiteTable.merged([page_table(page)] * 2).shared()
    facts = page_facts(page)
    x = SiteRows.of(facts, site).features(facts, site)
    assert np.isfinite(x[:, : len(site_names())]).all()
    b = len(facts.letters)
    assert np.isfinite(context(facts, block_features(page), np.full(b, 0.5), np.zeros(b))).all()
