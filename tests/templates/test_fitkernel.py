"""The kernel of the fit of pages and templates, compiled and not, against array operations."""

from __future__ import annotations

import random
from itertools import islice

import numpy as np
import pytest
from experiments.datasets.bench import read_bench
from tests.templates import reference
from tests.templates.pages import page, random_page
from tests.uncompiled import load_source, require_compiled

from webgrain.page.outline import visible_tree
from webgrain.page.parsing import parse
from webgrain.templates import acceptance, matchkernel
from webgrain.templates.acceptance import FORMER_FEATURES, FitFeatures
from webgrain.templates.matching import TemplateMatcher
from webgrain.templates.sitetemplate import SiteTemplate
from webgrain.templates.structure import learn_structure


@pytest.fixture(params=["as installed", "uncompiled"])
def kernels(request, monkeypatch):
    if request.param == "uncompiled":
        twin = load_source(monkeypatch, "templates.matchkernel")
        assert not twin.COMPILED
        monkeypatch.setattr(acceptance, "Comparison", twin.Comparison)


def check(template, pages):
    """Compare the fit of pages with array operations."""
    matcher = TemplateMatcher(template)
    fit, expected = FitFeatures(template), reference.ArrayFit(template)
    for tree in pages:
        alignment = matcher.align(tree)
        found = fit.fit(tree, alignment)
        np.testing.assert_array_equal(
            found.features[:FORMER_FEATURES], expected.of(tree, alignment)[:FORMER_FEATURES]
        )
        *_, missing = expected.lost(alignment.at, template.support)
        assert found.missing.tolist() == np.flatnonzero(missing).tolist()
        unknown = reference.unknown(visible_tree(tree), alignment.at)
        assert found.unknown.tolist() == np.flatnonzero(unknown).tolist()
        support = np.maximum(template.page_support - 1, 0).astype(np.int32)
        others = fit.of(tree, alignment, support)
        np.testing.assert_array_equal(
            others[:FORMER_FEATURES], expected.of(tree, alignment, support)[:FORMER_FEATURES]
        )


def test_the_kernel_is_compiled():
    require_compiled()
    assert matchkernel.COMPILED


@pytest.mark.usefixtures("kernels")
def test_random_pages_and_a_page_without_nodes():
    rng = random.Random(3)
    for _ in range(5):
        pages = [random_page(rng) for _ in range(6)]
        pages.append(page(""))
        template, places = learn_structure(pages[:4])
        fit = FitFeatures(template)
        rows = fit.left_out(pages[:4], places)
        np.testing.assert_array_equal(fit.agreement(pages[:4], places), rows[:, [0, 2]])
        check(template, pages)
        fitted = SiteTemplate(least_match=0.0).fit(pages[:4]).template_
        check(fitted, pages)


@pytest.mark.parametrize(
    "html",
    ["<p>a" * 100_000, "<table>" + ("<tr>" + "<td>1" * 50) * 1_000, "<div>" * 400 + "<a href=x>x" * 1_000],
    ids=["siblings", "cells", "deep"],
)
def test_large_pages(html):
    template = SiteTemplate(least_match=0.0).fit([page("<p>a<p><a href=x>b</a>"), page("<p>a")]).template_
    check(template, [page(html)])


@pytest.mark.data
@pytest.mark.parametrize("site", ["nbn", "lpinnova", "crawlwiki"])
def test_real_pages(site, data_dir):
    if not (data_dir / "bench").is_dir():
        pytest.skip(f"no development data: the folder {data_dir / 'bench'} does not exist")
    [pages] = read_bench([site])
    trees = [parse(source) for source in islice(pages.sources(), 12)]
    check(SiteTemplate(least_match=0.0).fit(trees[:6]).template_, trees)
