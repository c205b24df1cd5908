"""KeyClus against the paper's equations by hand, exhaustive search, and a made-up site."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.pagetypes.sites import make_site

from webgrain.errors import InputError, ParameterError
from webgrain.metrics import ari
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
from webgrain.pagetypes.pathcounts import SiteStatistics
from webgrain.pagetypes.sitepaths import site_paths


def page(name, html):
    return parse(Source(name, html.encode()))


def counted(*pages_with_queries):
    statistics = SiteStatistics()
    for one, queries in pages_with_queries:
        statistics.add(one, queries)
    return statistics, site_paths(statistics)


def path_of(site, css):
    return next(path for path in range(len(site)) if site.describe(path).css == css)


@pytest.fixture(scope="module")
def made():
    return make_site()


@pytest.fixture(scope="module")
def fitted(made):
    pages, _, queries = made
    return KeyClus().fit(pages, queries)


def test_expected_precision_and_recall_are_the_paper_s_by_hand():
    statistics, site = counted(
        (page("a", "<h1>blue lamp</h1><p>a blue lamp for sale"), {"blue lamp": 1, "lamp": 1}),
        (page("b", "<h1>red lamp</h1>"), {"green sofa": 1}),
        (page("c", "<h1>rope</h1>"), None),
    )
    matches = find_matches(statistics, site)
    precision, recall = expected(statistics, site, matches, presence_weight=1.0)
    h1, p = path_of(site, "html > body > h1"), path_of(site, "html > body > p")
    # P(x) = 3/3, P(Q | x) = 2/3; on the two pages with queries: all of 2 words, none of 2.
    assert precision[h1] == pytest.approx(1 * 2 / 3 * (1 + 0) / 2, rel=1e-6)
    assert recall[h1] == pytest.approx(1 * 2 / 3 * (1 + 0) / 2, rel=1e-6)
    # P(x) = 1/3, P(Q | x) = 1; 2 of 5 words.
    assert precision[p] == pytest.approx(1 / 3 * 1 * 2 / 5, rel=1e-6)


def test_presence_weight_prefers_frequent_paths():
    statistics, site = counted(
        (page("a", "<h1>lamp oil</h1><b>lamp</b>"), {"lamp": 1}),
        *((page(str(k), "<h1>x</h1>"), None) for k in range(5)),
    )
    matches = find_matches(statistics, site)
    h1, b = path_of(site, "html > body > h1"), path_of(site, "html > body > b")
    often, rare = expected(statistics, site, matches, 0.0)[0][[h1, b]]
    assert often < rare
    more_often, more_rare = expected(statistics, site, matches, 2.0)[0][[h1, b]]
    assert more_often / often > more_rare / rare


def test_texts_of_the_template_match_nothing():
    pages = [(page(str(k), f"<p>lamp shop</p><h1>lamp {k}</h1>"), {"lamp": 1}) for k in range(10)]
    statistics, site = counted(*pages)
    matches = find_matches(statistics, site)
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
    statistics, site = counted(
        (page("a", "<h1>blue lamp</h1><p>lamp</p><b>rope</b>"), {"blue lamp rope": 1}),
    )
    matches = find_matches(statistics, site)
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


def test_types_of_a_made_up_site_are_found(made, fitted):
    _, types, _ = made
    truth = np.unique(types, return_inverse=True)[1]
    assert ari(truth, fitted.clustering_.labels) == 1.0
    assert sorted(kind.size for kind in fitted.clustering_.types) == [20, 20, 20]
    assert all(kind.key_path is not None for kind in fitted.clustering_.types)


def test_the_pages_of_fit_are_assigned_to_their_types(made, fitted):
    pages, _, _ = made
    found = fitted.clustering_
    for one, label in zip(pages, found.labels.tolist(), strict=True):
        assert fitted.predict(one).type == found.types[label].label


def test_a_page_of_another_site_is_of_no_known_type(fitted):
    other = page("x", "<main><section><dl><dt>a<dd>b</dl></section></main>")
    assert fitted.predict(other).type is None


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


def test_the_same_seed_gives_the_same_types(made, fitted):
    pages, _, queries = made
    again = KeyClus().fit(pages, queries).clustering_
    assert again.types == fitted.clustering_.types
    assert again.labels.tolist() == fitted.clustering_.labels.tolist()


def test_key_paths_by_rank_are_independent(made):
    pages, _, queries = made
    statistics = SiteStatistics()
    for one in pages:
        statistics.add(one, queries.get(one.id))
    site = site_paths(statistics)
    matches = find_matches(statistics, site)
    method = KeyClus(choose="rank")
    ranking = method.rank(statistics, site, matches)
    rank = np.ones(len(site))
    chosen = method.key_paths(site, matches, ranking, rank)
    similar = occurrence(site.presence(chosen))
    np.fill_diagonal(similar, 0)
    assert similar.max() < method.dependence


def test_tabs_split_a_type_by_what_they_say():
    def tabbed(k, tab):
        return page(f"{tab}{k}", f"<h1>Lamp {k}</h1><b class=tab>{tab}</b><p>Text {k}</p>")

    pages = [tabbed(k, tab) for tab in ("Reviews", "Specs") for k in range(10)]
    queries = {one.id: {f"lamp {one.id[:5]}": 1} for one in pages}
    method = KeyClus(tabs=True, repeated=1.0).fit(pages, queries)
    assert sorted(kind.tab for kind in method.clustering_.types) == ["Reviews", "Specs"]
    assert {method.predict(one).type for one in pages[:10]} != {
        method.predict(one).type for one in pages[10:]
    }
    assert len(KeyClus(repeated=1.0).fit(pages, queries).clustering_) == 1


@pytest.mark.parametrize(
    "pages",
    [
        [("a", "")],
        [("a", "<p>one page"), ("b", "")],
        [(str(k), "<div>" * 2000) for k in range(6)],
        [(str(k), f"<p id={k} class='{k} c'>") for k in range(8)],
    ],
    ids=["empty", "two", "deep", "no text"],
)
def test_odd_sites_have_types_too(pages):
    found = (
        KeyClus().fit([page(name, html) for name, html in pages], {"a": {"the": 1}, "0": {"": 1}}).clustering_
    )
    assert len(found.labels) == len(pages)
    assert sum(kind.size for kind in found.types) == len(pages)


def test_wrong_calls_are_refused():
    with pytest.raises(InputError, match="No page could be read"):
        KeyClus().fit([])
    with pytest.raises(ParameterError, match="call fit first"):
        KeyClus().predict(page("a", ""))
    with pytest.raises(ParameterError, match=r"decay must be in 0..1, got 2"):
        KeyClus(decay=2)
