"""KeyClus against the paper: its equations by hand, its constants, exhaustive search, and odd sites."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from webgrain.base.errors import InputError, ParameterError
from webgrain.page import paths
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.descriptions import Assignment
from webgrain.papers import keyclus
from webgrain.papers.keyclus import (
    KeyClus,
    KeyClusModel,
    RawCounts,
    RawPaths,
    borda,
    content_similarity,
    expected,
    find_matches,
    find_tabs,
    greedy_mwis,
    occurrence_similarity,
    two_step_shingle,
)
from webgrain.papers.typereview import REVIEW_DISSIMILAR, REVIEW_RANDOM, pages_to_review

TAGS = ("ul", "ol", "dl", "h1", "h2")


def page(name, html):
    return parse(Source(name, html.encode()))


def counted(*pages_with_queries):
    """Return the counts and paths of pages: (html, queries) each."""
    counts = RawCounts()
    for k, (html, queries) in enumerate(pages_with_queries):
        counts.add(page(f"page-{k}", html), dict.fromkeys(queries, 1))
    return counts, RawPaths.of(counts)


def path_of(site, css):
    return next(path for path in range(len(site)) if site.describe(path).css == css)


def instance(matches, site, css, number=0):
    """Return precision and recall of a path on a page; 0 if it matches nothing."""
    at = (matches.path == path_of(site, css)) & (matches.page == number)
    return float(matches.precision[at].sum()), float(matches.recall[at].sum())


def posts_and_lists(n=9, title=""):
    """Return pages of two types, with a query for each; the text beside the headings is longer."""
    text = "text number {0} of a made-up site with several words"
    bodies = f"{title}<article><h1>Post {{0}}</h1><p>{text}", f"{title}<h2>List {{0}}</h2><ul><li>{text}"
    pages = [page(f"{kind}/{k}", bodies[kind].format(k)) for kind in (0, 1) for k in range(n)]
    return pages, {one.id: {f"{('post', 'list')[k // n]} {k % n}": 1} for k, one in enumerate(pages)}


# The parameters and constants of the paper.


def test_the_defaults_are_the_parameters_of_the_paper():
    published = {
        "recall_weight": 0.3,
        "presence_weight": 1.0,
        "top": 100,
        "dependence": 0.97,
        "content_dependence": None,
        "shingle_size": 1,
        "tabs": True,
        "paths": "raw",
    }
    params = KeyClus().get_params()
    assert {name: params[name] for name in published} == published
    assert params["decay"] <= 0.5
    assert set(params) - set(published) == {"decay", "repeated", "max_presence", "random_state"}
    assert (params["repeated"], params["max_presence"]) == (None, None)


def test_the_constants_of_tabs_and_of_the_review_are_those_of_the_paper():
    assert (keyclus.MIN_TAB_CONTENTS, keyclus.MAX_TAB_CONTENTS) == (2, 10)
    assert (REVIEW_RANDOM, REVIEW_DISSIMILAR, paths.PREFIX_SHARE) == (10, 10, 0.9)


def test_paths_are_dependent_from_97_percent_of_common_pages():
    # b and i have 97 (or 96) of 100 pages in common, and match on every page.
    def key_paths(common):
        bodies = ["<b>x</b><i>x</i>"] * common + ["<b>x</b>"] * (100 - common) + ["<i>x</i>"] * (100 - common)
        counts, site = counted(*((body, ["x"]) for body in bodies))
        matches = find_matches(counts, site)
        both = np.array([path_of(site, "html > body > b"), path_of(site, "html > body > i")])
        return KeyClus().choose_key_paths(site, matches, both)

    assert len(key_paths(97)) == 1
    assert len(key_paths(96)) == 2


def test_the_hundred_best_paths_can_be_key_paths():
    bodies = [f"<b class=c{k}>word</b><b class=d{k}>word</b>" for k in range(70)]
    counts, site = counted(*((body, ["word"]) for body in bodies))
    ranking = np.array([path for path in range(len(site)) if site.depth[path] == 3], np.int64)
    chosen = KeyClus(dependence=1.0).choose_key_paths(site, find_matches(counts, site), ranking[:0])
    assert chosen == []
    assert len(ranking) == 140
    presence = site.presence(ranking[:100])
    independent = greedy_mwis(occurrence_similarity(presence) >= 0.97, 0.5 ** np.arange(1.0, 101))
    best = KeyClus().choose_key_paths(site, find_matches(counts, site), ranking)
    assert best == ranking[independent].tolist()
    assert set(best) <= set(ranking[:100].tolist())
    assert len(KeyClus(top=140).choose_key_paths(site, find_matches(counts, site), ranking)) == 70 > len(best)


# Bags of words, and equations (1) and (2) by hand.


def test_matches_are_the_intersection_of_the_bags_of_content_and_queries():
    # Q = {blue, lamp, lamp}. C(h1) = {lamp, lamp, lamp}: M = {lamp, lamp}.
    html = "<h1>lamp Lamp LAMP</h1><p>a blue lamp</p><b>blue blue</b>"
    counts, site = counted((html, ["blue lamp", "lamp"]))
    matches = find_matches(counts, site)
    assert instance(matches, site, "html > body > h1") == (2 / 3, 2 / 3)
    assert instance(matches, site, "html > body > p") == (2 / 3, 2 / 3)  # M = {blue, lamp}
    assert instance(matches, site, "html > body > b") == (1 / 2, 1 / 3)  # M = {blue}
    # C(body) has 8 words; M = {blue, lamp, lamp}.
    assert instance(matches, site, "html > body") == (3 / 8, 1.0)


def test_several_elements_at_a_path_are_one_instance_with_the_union_of_their_contents():
    counts, site = counted(("<ul><li>red<li>blue<li>lamp<li>oil</ul>", ["blue lamp"]))
    assert instance(find_matches(counts, site), site, "html > body > ul > li") == (2 / 4, 1.0)


def test_clicks_do_not_count_but_queries_do():
    one, two = RawCounts(), RawCounts()
    one.add(page("a", "<p>lamp oil"), {"lamp": 1, "oil red": 1})
    two.add(page("a", "<p>lamp oil"), {"lamp": 50, "oil red": 1})
    found = [find_matches(counts, RawPaths.of(counts)) for counts in (one, two)]
    assert found[0].recall.tolist() == found[1].recall.tolist()
    assert found[0].recall.max() == 2 / 3


def test_expected_precision_and_recall_are_those_of_equations_1_and_2():
    counts, site = counted(
        ("<h1>blue lamp</h1><p>a blue lamp for sale", ["blue lamp", "lamp"]),
        ("<h1>red lamp</h1>", ["green sofa"]),
        ("<h1>rope</h1>", []),
        ("<p>lamp</p>", []),
    )
    precision, recall = expected(site, find_matches(counts, site), presence_weight=1.0)
    h1, p = path_of(site, "html > body > h1"), path_of(site, "html > body > p")
    # P(x) = 3/4. Prec is 2/2, 0 and, without queries, 0; Rec is 2/3 (the bag Q has three words), 0 and 0.
    assert precision[h1] == pytest.approx(3 / 4 * (1 + 0 + 0) / 3)
    assert recall[h1] == pytest.approx(3 / 4 * (2 / 3 + 0 + 0) / 3)
    # P(x) = 2/4; 2 of 5 words on the first page, 2 of 3 query words.
    assert precision[p] == pytest.approx(2 / 4 * (2 / 5 + 0) / 2)
    assert recall[p] == pytest.approx(2 / 4 * (2 / 3 + 0) / 2)
    assert precision[path_of(site, "html > head")] == 0


def test_presence_weight_is_the_power_of_the_first_term():
    counts, site = counted(("<h1>lamp</h1><b>lamp</b>", ["lamp"]), *[("<h1>x</h1>", [])] * 4)
    matches = find_matches(counts, site)
    b = path_of(site, "html > body > b")
    values = [expected(site, matches, weight)[0][b] for weight in (0, 1, 2)]
    assert values == pytest.approx([1, 1 / 5, 1 / 25])


def test_the_texts_of_all_pages_count():
    counts, site = counted(*[("<p>lamp", ["lamp"])] * 310)
    assert len(np.unique(find_matches(counts, site).page)) == 310


def test_paths_in_the_head_can_be_key_paths_and_scripts_have_no_words():
    html = "<title>lamp {0}</title><script>lamp {0}</script><p>Some words about it, and {0}"
    pages = [page(str(k), html.format(k)) for k in range(20)]
    found = KeyClus().fit(pages, {one.id: [f"lamp {k}"] for k, one in enumerate(pages)}).clustering_
    assert [str(kind.key_path) for kind in found.types] == ["html > head > title"]
    counts, site = counted((html.format(1), ["lamp 1"]))
    assert path_of(site, "html > head > script") not in find_matches(counts, site).path


def test_ids_and_classes_are_kept_as_they_are():
    _, site = counted(*((f"<body class='b a p-{k}'><div id=x{k}><table><td>1", []) for k in range(2)))
    found = {site.describe(path).css for path in range(len(site))}
    assert "html > body.a.b.p-0 > div#x0 > table > tbody > tr > td" in found
    assert "html > body.a.b.p-1 > div#x1" in found


def test_texts_of_the_template_match_only_if_asked():
    counts, site = counted(*((f"<p>lamp shop</p><h1>lamp {k}</h1>", ["lamp"]) for k in range(10)))
    p, h1 = path_of(site, "html > body > p"), path_of(site, "html > body > h1")
    assert {p, h1} <= set(find_matches(counts, site).path.tolist())
    removed = find_matches(counts, site, repeated=0.2)
    assert p not in removed.path
    assert h1 in removed.path
    assert instance(removed, site, "html > body")[0] == 1 / 2  # the words of the template do not count


def test_pages_with_many_query_words_are_matched_in_parts():
    words = [f"w{k}" for k in range(150)]
    counts, site = counted((f"<h1>{' '.join(words[:100])} other</h1>", [" ".join(words), "w0"]))
    assert instance(find_matches(counts, site), site, "html > body > h1") == (100 / 101, 100 / 151)


# Rank aggregation.


def test_borda_adds_the_positions_and_weighs_recall_less():
    precision, recall = np.array([0.9, 0.5, 0.1]), np.array([0.1, 0.5, 0.9])
    assert borda(precision, recall, 0.3).tolist() == [0, 1, 2]
    assert borda(precision, recall, 3.0).tolist() == [2, 1, 0]
    # Path 1 gains one rank in precision; with 0.3 that is worth losing three ranks in recall, not four.
    precision = np.array([0.1, 0.9, 0.05, 0.04, 0.03])
    assert borda(precision, np.array([0.9, 0.2, 0.3, 0.5, 0.1]), 0.3)[0] == 1
    assert borda(precision, np.array([0.9, 0.2, 0.3, 0.5, 0.7]), 0.3)[0] == 0


def test_paths_with_equal_scores_share_a_position_and_the_longer_comes_first():
    scores = np.array([0.5, 0.5, 0.9, 0.5])
    assert borda(scores, scores, 0.3, np.array([3, 5, 1, 4])).tolist() == [2, 1, 3, 0]


# Dependence and independent sets.


def test_similarity_of_occurrence_is_relative_to_the_rarer_path():
    presence = np.array([[1, 1, 0], [1, 0, 1], [1, 0, 1], [1, 1, 1]], bool)
    assert occurrence_similarity(presence)[0].tolist() == [1, 1, 1]
    assert occurrence_similarity(presence)[1, 2] == 0.5


def test_similarity_of_content_is_the_mean_over_the_pages_with_both_paths():
    queries = ["blue blue lamp", "rope"]
    counts, site = counted(
        ("<h1>blue blue lamp</h1><p>blue lamp lamp</p><b>rope</b>", queries),  # h1, p: 2 of min(3, 2)
        ("<h1>blue blue</h1><p>blue lamp</p><b>none</b>", queries),  # h1, p: 1 of min(2, 2)
        ("<h1>nothing</h1><p>nothing</p><b>rope</b>", queries),  # neither h1 nor p matches
        ("<h1>lamp</h1>", queries),  # no p
    )
    paths = [path_of(site, f"html > body > {tag}") for tag in ("h1", "p", "b")]
    similar = content_similarity(site, find_matches(counts, site), paths)
    assert similar[0, 1] == similar[1, 0] == pytest.approx((1 + 1 / 2) / 2)
    assert similar[0, 2] == 0  # on all pages with both, no word in common
    assert similar.diagonal().tolist() == [1, 1, 1]


def test_similar_content_makes_paths_dependent_only_if_asked():
    bodies = ["<h1>lamp</h1><p>lamp</p>"] * 5 + ["<h1>lamp</h1>"] * 5 + ["<p>lamp</p>"] * 5
    counts, site = counted(*((body, ["lamp"]) for body in bodies))
    matches = find_matches(counts, site)
    both = np.array([path_of(site, "html > body > h1"), path_of(site, "html > body > p")])
    assert len(KeyClus().choose_key_paths(site, matches, both)) == 2
    assert len(KeyClus(content_dependence=0.9).choose_key_paths(site, matches, both)) == 1


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


# Shingles and tabs.


def test_a_shingle_has_the_best_key_paths_and_min_hashes_of_the_others():
    keys = np.arange(1, 30, dtype=np.uint64)
    assert two_step_shingle(keys, [5, 99, 3, 4], 2, 0) == (5, 3)
    first, second, *others = two_step_shingle(keys, [5, 99, 3], 5, 0)
    assert (first, second) == (5, 3)
    assert len(others) == 3
    assert not {5, 3} & set(others)
    assert two_step_shingle(keys[:2], [], 5, 0) in [(1, 2), (2, 1)]
    assert len({two_step_shingle(keys, [], 3, seed) for seed in range(5)}) > 1
    with pytest.raises(ParameterError, match="size of a shingle"):
        two_step_shingle(keys, [], 0, 0)


@pytest.mark.parametrize(
    ("contents", "pages", "is_tab"),
    [(1, 110, False), (2, 110, True), (10, 110, True), (11, 110, False), (2, 20, True), (2, 19, False)],
)
def test_tabs_have_two_to_ten_contents_and_are_on_many_pages(contents, pages, is_tab):
    _, site = counted(*((f"<b class=tab>tab {k % contents}</b><p>{k}", []) for k in range(pages)))
    path = path_of(site, "html > body > b.tab")
    assert list(find_tabs(site, [path])) == ([path] if is_tab else [])


TABS = ("Reviews", "Specifications", "Screenshots")


@pytest.mark.parametrize("query", ["camera model{k}", "camera model{k} {tab}"])
def test_the_tab_of_a_product_page_divides_its_pages_though_it_depends_on_the_title(query):
    pages, queries = [], {}
    for tab in TABS:
        for k in range(20):
            pages.append(page(f"{tab}/{k}", f"<li class=open>{tab}</li><h1>Camera model{k}</h1>"))
            queries[f"{tab}/{k}"] = {query.format(k=k, tab=tab.lower()): 1}
    method = KeyClus().fit(pages, queries)
    types = method.clustering_.types
    assert sorted(type_.tab for type_ in types) == sorted(TABS)
    assert [type_.size for type_ in types] == [20, 20, 20]
    assert len({type_.label for type_ in types}) == 3
    assert [types[label].tab for label in method.labels_] == [tab for tab in TABS for _ in range(20)]
    for without_tabs in (KeyClus(tabs=False), KeyClus(max_presence=0.98)):  # the tab is on all pages
        assert len(without_tabs.fit(pages, queries).clustering_) == 1


def test_without_a_match_there_is_no_ranking_and_no_tab():
    pages = [page(f"{k}", f"<li class=open>{TABS[k % 3]}</li><h1>Camera model{k}</h1>") for k in range(60)]
    for queries in ({}, {"0": {"sofa": 1}}):
        assert KeyClus().fit(pages, queries).model_.tabs == ()


def test_of_tabs_that_divide_the_pages_alike_the_best_counts():
    html = "<ul><li class=open><a class=active>tab {0}</a></ul><b>side {1}</b>"
    _, site = counted(*((html.format(k % 3, k % 2), []) for k in range(60)))
    ul, li, a, b = (
        path_of(site, f"html > body > {css}")
        for css in ("ul", "ul > li.open", "ul > li.open > a.active", "b")
    )
    assert find_tabs(site, [a, b, li, ul]) == [a, b]


def test_clusters_are_divided_by_the_content_of_a_tab():
    pages = [
        page(f"{tab}{k}", f"<b class=tab>{tab}</b><h1>Lamp {k}</h1><p>Text {k} of <i>reviews</i>")
        for tab in ("Reviews", "Specs")
        for k in range(20)
    ]
    queries = {one.id: {one.id[:-1].rstrip("0123456789"): 1} for one in pages}
    method = KeyClus().fit(pages, queries)
    assert [str(kind.key_path) for kind in method.clustering_.types] == ["html > body > b.tab"] * 2
    assert sorted(kind.tab for kind in method.clustering_.types) == ["Reviews", "Specs"]
    assert method.predict(pages[0]).type == method.clustering_.types[method.labels_[0]].label
    assert method.predict(page("x", "<b class=tab>Other</b>")) == Assignment(None, None, None)
    assert len(KeyClus(tabs=False).fit(pages, queries).clustering_) == 1


# The method.


def test_types_have_different_key_paths():
    pages, queries = posts_and_lists()
    method = KeyClus().fit(pages, queries)
    found = method.clustering_
    assert [kind.key_path.css for kind in found.types] == ["html > body > article > h1", "html > body > h2"]
    assert [kind.contents[0] for kind in found.types] == ["Post 0", "List 0"]
    assert method.labels_.tolist() == [0] * 9 + [1] * 9
    assert np.isnan(found.confidence).all()
    assert [found.types[label].label for label in method.labels_] == [method.predict(x).type for x in pages]


def test_a_title_that_all_pages_share_leaves_one_type_and_max_presence_prevents_it():
    pages, queries = posts_and_lists()
    titled = [
        page(x.id, f"<title>{next(iter(queries[x.id]))}</title>{x.source.body.decode()}") for x in pages
    ]
    assert len(KeyClus().fit(titled, queries).clustering_) == 1
    assert len(KeyClus(max_presence=0.98).fit(titled, queries).clustering_) == 2


def test_paths_that_match_no_query_are_no_key_paths():
    pages, queries = posts_and_lists()
    searched = {name: own for name, own in queries.items() if name.startswith("0/")}
    method = KeyClus().fit(pages, searched)
    key_paths = {type_.key_path and type_.key_path.css for type_ in method.clustering_.types}
    assert key_paths == {"html > body > article > h1", None}
    assert method.labels_.tolist() == [0] * 9 + [1] * 9
    assert len(method.model_.ranked) == 1


def test_a_page_of_a_new_cluster_has_no_type():
    pages, queries = posts_and_lists()
    assert KeyClus().fit(pages, queries).predict("<main><b>x") == Assignment(None, None, None)


def test_incorrect_calls_raise_errors():
    with pytest.raises(InputError, match="No page could be read"):
        KeyClus().fit([])
    for use in (lambda: KeyClus().predict(""), lambda: KeyClus().labels_, lambda: KeyClus().save("x.json")):
        with pytest.raises(ParameterError, match="call fit first"):
            use()
    with pytest.raises(ParameterError, match=r"decay must be in 0..1, got 2"):
        KeyClus(decay=2)
    with pytest.raises(ParameterError, match="repeated must be in"):
        KeyClus(repeated=1.5)


@pytest.mark.parametrize(
    ("pages", "queries", "types"),
    [
        ([""], {}, 1),
        (["<h1>One page</h1>"], {"page-1": ["one"]}, 1),
        (["<h1>lamp</h1>"] * 6, {f"page-{k}": ["lamp"] for k in range(1, 7)}, 1),
        ([f"<{tag}>{tag}" for tag in TAGS], {f"page-{k}": [tag] for k, tag in enumerate(TAGS, 1)}, 1),
        (["<p>a", "<p>b", "<ul>c"], {"page-1": ["", "  ", "!?"]}, None),
        (["<div>" * 3000 + "lamp"] * 3, {"page-1": ["lamp"]}, 1),
    ],
    ids=["empty page", "one page", "all alike", "all different", "empty queries", "deep"],
)  # fmt: skip
def test_odd_sites_have_types_too(pages, queries, types):
    found = KeyClus().fit(pages, queries).clustering_
    every = KeyClus(content_dependence=0.9, repeated=0.2, max_presence=0.9, shingle_size=3, top=3)
    assert len(every.fit(pages, queries).labels_) == len(pages)
    assert len(found.labels) == len(pages) == sum(kind.size for kind in found.types)
    assert types is None or len(found) == types


def test_sites_without_classes_and_with_huge_numbers_of_paths():
    many = ["".join(f"<p id=a{k}-{n}>x" for n in range(3000)) + "<h1>lamp</h1>" for k in range(5)]
    found = KeyClus().fit(many, {f"page-{k}": ["lamp"] for k in range(1, 6)}).clustering_
    assert [str(kind.key_path) for kind in found.types] == ["html > body > h1"]
    assert KeyClus().fit(many).clustering_.labels.tolist() == list(range(5))  # no query: path shingles


def test_sources_and_html_are_accepted_wherever_a_page_is():
    pages, queries = posts_and_lists()
    method, again = KeyClus().fit(pages, queries), KeyClus().fit([one.source for one in pages], queries)
    assert again.clustering_.types == method.clustering_.types
    html = [one.source.body for one in pages]
    found = KeyClus().fit(html, {f"page-{k}": queries[one.id] for k, one in enumerate(pages, 1)})
    assert found.labels_.tolist() == KeyClus().fit_predict(pages, queries).tolist()
    assert method.predict(html[0]) == method.predict(html[0].decode()) == method.predict(pages[0])


def test_saved_estimators_and_models_assign_the_same(tmp_path):
    pages, queries = posts_and_lists()
    estimator = KeyClus(shingle_size=2).fit(pages, queries)
    estimator.save(tmp_path / "method.json")
    again = KeyClus.load(tmp_path / "method.json")
    assert again.get_params() == estimator.get_params()
    estimator.model_.save(tmp_path / "types.json", {"pages": 18})
    model = KeyClusModel.load(tmp_path / "types.json")
    for one in pages:
        assert again.predict(one) == model.assign(one) == estimator.predict(one)
    (tmp_path / "types.json").write_text(
        '{"format": "webgrain KeyClus types", "version": 1, "types": [{}]}', encoding="utf-8"
    )
    with pytest.raises(InputError, match="damaged page types"):
        KeyClusModel.load(tmp_path / "types.json")


def test_site_paths_lack_the_names_of_single_pages(tmp_path):
    pages, queries = posts_and_lists()
    named = [page(x.id, f"<body class='shop page-{k}'>{x.source.body.decode()}") for k, x in enumerate(pages)]
    raw = KeyClus(max_presence=0.98).fit(named, queries)
    assert len(raw.clustering_) == len(pages)  # each page is a type, because its paths are on no other page
    method = KeyClus(max_presence=0.98, paths="site").fit(named, queries)
    types = method.clustering_.types
    assert [type_.key_path.css for type_ in types] == [
        "html > body.shop > article > h1",
        "html > body.shop > h2",
    ]
    assert method.labels_.tolist() == [0] * 9 + [1] * 9
    assert types[0].contents[0] == "Post 0"
    new = "<body class='page-99 shop'><article><h1>New</h1><p>Text.</article>"
    assert method.predict(new).type == types[0].label
    method.save(tmp_path / "method.json")
    assert KeyClus.load(tmp_path / "method.json").predict(new) == method.predict(new)
    assert "shared" not in raw.model_.to_dict()
    with pytest.raises(ParameterError, match="paths must be one of 'raw', 'site'"):
        KeyClus(paths="tags")
    with pytest.raises(InputError, match="No page could be read"):
        KeyClus(paths="site").fit([])


# Review by editors.


def test_ten_random_and_the_ten_most_dissimilar_pages_are_reviewed():
    pages = {f"p{k}": np.array([1, 2, 3], np.uint64) for k in range(30)}
    pages |= {f"odd{k}": np.array([7 + k, 1], np.uint64) for k in range(4)}
    random, dissimilar = pages_to_review(pages)
    assert dissimilar[:4] == ["odd0", "odd1", "odd2", "odd3"]
    assert (len(random), len(dissimilar)) == (10, 10)
    assert not set(random) & set(dissimilar)
    assert pages_to_review(pages, random_state=1)[0] != random
    assert pages_to_review({"a": np.empty(0, np.uint64)}) == ([], ["a"])
