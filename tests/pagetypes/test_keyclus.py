"""KeyClus against the paper's equations by hand, exhaustive search, and a made-up site."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pagetypes.sites import make_site

from webgrain.errors import InputError, ParameterError
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.keyclus import (
    KeyClus,
    borda,
    content,
    expected,
    find_matches,
    greedy_mwis,
    occurrence,
)
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.pagetypes.pathcounts import PathCounts
from webgrain.pagetypes.sitepaths import site_paths


def page(name, html):
    return parse(Source(name, html.encode()))


def counted(*pages_with_queries):
    counts = PathCounts()
    for one, queries in pages_with_queries:
        counts.add(one, queries)
    return counts, site_paths(counts)


def path_of(site, css):
    return next(path for path in range(len(site)) if site.describe(path).css == css)


@pytest.fixture(scope="module")
def made():
    return make_site()


def test_expected_precision_and_recall_are_those_of_equations_1_and_2():
    counts, site = counted(
        (page("a", "<h1>blue lamp</h1><p>a blue lamp for sale"), {"blue lamp": 1, "lamp": 1}),
        (page("b", "<h1>red lamp</h1>"), {"green sofa": 1}),
        (page("c", "<h1>rope</h1>"), None),
    )
    matches = find_matches(counts, site)
    precision, recall = expected(counts, site, matches, presence_weight=1.0)
    h1, p = path_of(site, "html > body > h1"), path_of(site, "html > body > p")
    # P(x) = 3/3, P(Q | x) = 2/3; on the two pages with queries: all of 2 words, none of 2.
    assert precision[h1] == pytest.approx(1 * 2 / 3 * (1 + 0) / 2, rel=1e-6)
    assert recall[h1] == pytest.approx(1 * 2 / 3 * (1 + 0) / 2, rel=1e-6)
    # P(x) = 1/3, P(Q | x) = 1; 2 of 5 words.
    assert precision[p] == pytest.approx(1 / 3 * 1 * 2 / 5, rel=1e-6)


def test_presence_weight_prefers_frequent_paths():
    counts, site = counted(
        (page("a", "<h1>lamp oil</h1><b>lamp</b>"), {"lamp": 1}),
        *((page(str(k), "<h1>x</h1>"), None) for k in range(5)),
    )
    matches = find_matches(counts, site)
    h1, b = path_of(site, "html > body > h1"), path_of(site, "html > body > b")
    often, rare = expected(counts, site, matches, 0.0)[0][[h1, b]]
    assert often < rare
    more_often, more_rare = expected(counts, site, matches, 2.0)[0][[h1, b]]
    assert more_often / often > more_rare / rare


def test_texts_of_the_template_match_nothing():
    pages = [(page(str(k), f"<p>lamp shop</p><h1>lamp {k}</h1>"), {"lamp": 1}) for k in range(10)]
    counts, site = counted(*pages)
    matches = find_matches(counts, site)
    assert path_of(site, "html > body > p") not in matches.path
    assert path_of(site, "html > body > h1") in matches.path


def test_borda_weighs_recall_less():
    precision, recall = np.array([0.9, 0.5, 0.1]), np.array([0.1, 0.5, 0.9])
    assert borda(precision, recall, 0.3).tolist() == [0, 1, 2]
    assert borda(precision, recall, 3.0).tolist() == [2, 1, 0]


def test_similarity_of_occurrence_is_relative_to_the_rarer_path():
    presence = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    assert occurrence(presence)[0].tolist() == [1, 1, 1]
    assert occurrence(presence)[1, 2] == 0.5


def test_similarity_of_content_counts_shared_words():
    counts, site = counted(
        (page("a", "<h1>blue lamp</h1><p>lamp</p><b>rope</b>"), {"blue lamp rope": 1}),
    )
    matches = find_matches(counts, site)
    paths = [path_of(site, f"html > body > {tag}") for tag in ("h1", "p", "b")]
    similar = content(matches, paths)
    assert similar[0, 1] == 1.0
    assert similar[0, 2] == 0.0


@settings(max_examples=40, deadline=None)
@given(st.integers(1, 9), st.integers(0, 2**32 - 1), st.floats(0.05, 0.5))
def test_greedy_independent_sets_are_the_heaviest_up_to_a_decay_of_a_half(n, seed, decay):
    edges = np.triu(np.random.default_rng(seed).random((n, n)) < 0.4, 1)
    edges |= edges.T
    weight = decay ** np.arange(1.0, n + 1)
    chosen = greedy_mwis(edges, weight)
    assert not edges[np.ix_(chosen, chosen)].any()
    every = (some for size in range(n + 1) for some in map(list, combinations(range(n), size)))
    heaviest = max(weight[some].sum() for some in every if not edges[np.ix_(some, some)].any())
    assert weight[chosen].sum() == pytest.approx(heaviest)


def test_seeds_reach_the_min_hashes(made):
    pages, _, queries = made
    keys = {
        frozenset(
            rule.shingle
            for rule in KeyClus(shingle_size=3, random_state=seed).fit(pages, queries).model_.rules
        )
        for seed in range(4)
    }
    assert len(keys) > 1


def test_key_paths_are_independent(made):
    pages, _, queries = made
    counts = PathCounts()
    for one in pages:
        counts.add(one, queries.get(one.id))
    site = site_paths(counts)
    matches = find_matches(counts, site)
    method = KeyClus()
    ranking = borda(*expected(counts, site, matches, 1.0), method.recall_weight)
    chosen = method.choose_key_paths(site, matches, ranking, np.ones(len(site)))
    similar = occurrence(site.presence(chosen))
    np.fill_diagonal(similar, 0)
    assert similar.max() < method.dependence


def test_incorrect_calls_raise_errors():
    with pytest.raises(InputError, match="No page could be read"):
        KeyClus().fit([])
    with pytest.raises(ParameterError, match="call fit first"):
        KeyClus().predict(page("a", ""))
    with pytest.raises(ParameterError, match=r"decay must be in 0..1, got 2"):
        KeyClus(decay=2)
    with pytest.raises(ParameterError, match="choose must be 'rank' or 'structure'"):
        KeyClus(choose="best")


def test_choose_is_deprecated_and_delegates_to_page_types(made):
    pages, _, queries = made
    with pytest.warns(DeprecationWarning, match="use PageTypes"):
        method = KeyClus(choose="structure", least=0.09)
    expected_types = PageTypes().fit(pages, queries)
    assert method.fit(pages, queries).clustering_.types == expected_types.clustering_.types
    assert "choose" not in method.get_params()
    with pytest.warns(DeprecationWarning, match="choose is deprecated"):
        assert (
            KeyClus(choose="rank").fit(pages, queries).model_.ranked
            == KeyClus().fit(pages, queries).model_.ranked
        )


def test_fit_predict_returns_the_number_of_the_type_of_each_page(made):
    pages, _, queries = made
    method = KeyClus()
    assert method.fit_predict(pages, queries).tolist() == method.labels_.tolist()
    names = [method.clustering_.types[label].label for label in method.labels_]
    assert names == [method.predict(page).type for page in pages]
    with pytest.raises(ParameterError, match="call fit first"):
        _ = KeyClus().labels_


def test_html_and_sources_are_accepted_wherever_a_page_is(made):
    pages, _, queries = made
    method, again = KeyClus().fit(pages, queries), KeyClus().fit([one.source for one in pages], queries)
    assert again.clustering_.types == method.clustering_.types
    html = [one.source.body for one in pages]
    found = KeyClus().fit(html, {f"page-{k}": queries.get(one.id, {}) for k, one in enumerate(pages)})
    assert found.clustering_.pages[1] == "page-2"
    assert found.labels_.tolist() == method.labels_.tolist()
    assert method.predict(html[0]) == method.predict(html[0].decode()) == method.predict(pages[0])


def test_saved_estimators_predict_the_same(made, tmp_path):
    pages, _, queries = made
    for estimator in (KeyClus(), PageTypes()):
        estimator.fit(pages, queries).save(tmp_path / "types.json")
        again = type(estimator).load(tmp_path / "types.json")
        assert again.get_params() == estimator.get_params()
        assert [again.predict(one) for one in pages] == [estimator.predict(one) for one in pages]
