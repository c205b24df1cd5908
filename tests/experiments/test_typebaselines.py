"""Path shingles, pq-grams and tag counts on a made-up site."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.keyclus_accuracy import Found, by_key_paths, found, page_types
from experiments.keyclus_common import Labelled, path_sets, with_site_paths
from experiments.keyclus_paths import meaning, selectors
from experiments.metrics import mean_of
from experiments.typebaselines import (
    Shingler,
    clusters_of,
    gram_distance,
    gram_set,
    path_set,
    pq_grams,
    tag_class_clusters,
)
from tests.pagetypes.sites import make_site

from webgrain.base.errors import ParameterError
from webgrain.base.metrics import ari
from webgrain.page.page import Source
from webgrain.page.parsing import parse, parse_html
from webgrain.page.paths import Path, Step
from webgrain.pagetypes import similarity
from webgrain.pagetypes.similarity import trained_pairs
from webgrain.papers.keyclus import KeyClus, RawCounts, min_hashes


@pytest.fixture(scope="module")
def made():
    pages, types, _ = make_site()
    return [page.dom for page in pages], np.unique(types, return_inverse=True)[1]


def test_shingles_are_random_sets_of_paths(made):
    pages, truth = made
    shingler = Shingler([path_set(dom, attributes=False) for dom in pages])
    scores = {ari(truth, clusters_of(shingler.shingles(2, seed))) for seed in range(6)}
    assert len(scores) > 1
    assert shingler.shingles(3, 1).tolist() == shingler.shingles(3, 1).tolist()
    with pytest.raises(ParameterError, match="at least 1"):
        shingler.shingles(0, 1)


def test_shingles_are_the_smallest_hashes_of_each_set():
    sets = [np.array(keys, np.uint64) for keys in ([3, 5, 9, 12], [5], [], [9, 12])]
    known = np.array([3, 5, 9, 12], np.uint64)
    for seed in range(5):
        table = Shingler(sets).shingles(2, seed)
        for row, keys in zip(table.tolist(), sets, strict=True):
            assert [int(known[k]) for k in row if k >= 0] == list(min_hashes(keys, 2, seed))


def test_clusters_of_shingles_are_those_of_keyclus():
    pages, _, queries = make_site()
    counts = RawCounts()
    for page in pages:
        counts.add(page, queries.get(page.id))
    shingler = Shingler(path_sets(counts))
    for size, seed in ((1, 0), (2, 0), (3, 7)):
        method = KeyClus(shingle_size=size, random_state=seed, tabs=False).fit_counts(counts)
        table = shingler.shingles(8, seed, method.model_.ranked)
        assert ari(method.labels_, clusters_of(table[:, :size])) == 1.0
    site = Labelled("made", pages, np.zeros(len(pages), np.int64), queries, ["page"] * len(pages))
    runs, uncovered = by_key_paths(site, counts, shingler, 2)
    assert [one.clusters for one in runs["1"]] == [len(KeyClus().fit_counts(counts).clustering_)] * 2
    assert 0 <= uncovered < 1


def test_page_types_of_a_left_out_site_are_those_of_the_given_model(monkeypatch):
    pages, _, queries = make_site()
    site = Labelled("made", pages, np.zeros(len(pages), np.int64), queries, ["page"] * len(pages))
    model = trained_pairs()
    expected = page_types(site, None)
    monkeypatch.setattr(similarity, "trained_pairs", None)  # only the given model can be used
    assert page_types(site, model).tolist() == expected.tolist()


def test_tabs_divide_clusters():
    table = np.zeros((4, 1), np.int64)
    tabs = np.array([[7], [7], [2**64 - 1], [7]], np.uint64)
    assert clusters_of(table).tolist() == [0, 0, 0, 0]
    assert clusters_of(table, tabs=tabs).tolist() == [0, 0, 1, 0]


def test_figures_of_clusters():
    site = Labelled("made", [], np.repeat([0, 1], [30, 10]), {}, [])
    assert found(site, np.repeat([0, 1], [30, 10]).astype(np.int32)) == Found(1.0, 2, 1, 0.25)


def test_means_of_nested_figures_count_texts():
    trees = {"a": 1.0, "b": {"c": "x"}}, {"a": 2.0, "b": {"c": "x"}}
    assert mean_of(trees) == {"a": 1.5, "b": {"c": {"x": 2}}}


def test_site_paths_lack_the_names_of_single_pages():
    html = "<body class='post-{0}'><div id=entry-{0}><h1 class=title>Title {0}</h1><p>Some text {0}</div>"
    counts = RawCounts()
    for k in range(6):
        counts.add(parse(Source(f"{k}", html.format(k).encode())), {f"title {k}": 1})
    raw, shared = path_sets(counts), path_sets(with_site_paths(counts))
    assert len(set(raw[0].tolist()) & set(raw[1].tolist())) == 2  # html, head
    assert all(keys.tolist() == shared[0].tolist() for keys in shared)
    found = KeyClus().fit_counts(with_site_paths(counts)).clustering_
    assert [type_.key_path.css for type_ in found.types] == ["html > body > div > h1.title"]
    merged = RawCounts()
    merged.add(parse(Source("a", b"<i id=a>one</i><i id=b>two</i><i>three</i>")))
    assert len(path_sets(with_site_paths(merged))[0]) == 4  # html, head, body, i


def test_rules_of_a_type_are_selectors():
    rules = {"title": "h1", "main": ["p", "ul"], "list": {"items": "li", "fields": {"name": "a"}}}
    assert list(selectors(rules)) == [
        ("title", "h1"),
        ("main", "p"),
        ("main", "ul"),
        ("name in a list", "li a"),
    ]


def test_the_meaning_of_a_path_is_the_rule_that_it_matches():
    path = Path((Step("html"), Step("body"), Step("h1")))
    assert meaning(path, {"main": {Path((Step("html"), Step("p")))}, "title": {path}}) == "title"
    assert meaning(path, {}) == "other"
    assert meaning(Path((Step("html"), Step("head"), Step("title"))), {"title": {path}}) == "head"


def test_m_of_k_joins_what_shares_a_common_subset():
    shingles = np.array([[1, 2, 3], [1, 2, 4], [1, 2, 5], [6, 7, 8], [6, -1, -1]])
    assert clusters_of(shingles).tolist() == [0, 1, 2, 3, 4]
    assert clusters_of(shingles, shared=2).tolist() == [0, 0, 0, 1, 2]
    with pytest.raises(ParameterError, match="shared=3 and size=3"):
        clusters_of(shingles, shared=3)


def test_pq_grams_are_those_of_the_paper_s_definition():
    # html: (head, body); head: none; body: (p, b); p, b: none. With q = 2: 3 windows for two children.
    assert len(gram_set(parse_html("<p></p><b></b>"), 1, 2)) == 3 + 1 + 3 + 1 + 1
    same, other = gram_set(parse_html("<p></p>")), gram_set(parse_html("<ul><li></ul>"))
    assert gram_distance(same, same) == 0 < gram_distance(same, other) <= 1
    with pytest.raises(ParameterError, match="at least 1"):
        gram_set(parse_html(""), 0, 1)


def test_pq_grams_have_windows_over_children():
    tree = np.array([-1, 0, 0], np.int32), np.array([1, 2, 3], np.uint64)
    assert len(pq_grams(*tree, 2, 3)) == 4 + 1 + 1
    assert len(set(pq_grams(*tree, 1, 1).tolist())) == 4


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 3), (3, 2)])
def test_pq_grams_are_those_of_plain_python(p, q):
    dom = parse_html("<ul><li>1<li>2<li id=x>3<b>4</b></ul><div><p>five<p><i>six</i></div>")
    label = np.where(dom.tag == 0, 0, dom.tag + 1).astype(np.uint64)
    grams = set()
    for node in np.flatnonzero(label).tolist():
        stem, above = [], node
        for _ in range(p):
            stem.append(int(label[above]) if above >= 0 else 0)
            above = int(dom.parent[above]) if above >= 0 else -1
        children = [int(label[child]) for child in dom.children(node) if label[child]]
        row = [0] * (q - 1) + children + [0] * (q - 1) if children else [0] * q
        grams |= {(*stem, *row[k : k + q]) for k in range(len(row) - q + 1)}
    assert len(np.unique(pq_grams(dom.parent, label, p, q))) == len(grams)


def test_tag_and_class_counts_separate_the_types(made):
    pytest.importorskip("sklearn")
    pages, truth = made
    assert ari(truth, tag_class_clusters(pages, 3)) == 1.0
    with pytest.raises(ParameterError, match=r"k must be in 1\.\.60"):
        tag_class_clusters(pages, 61)
