"""Path shingles, pq-grams and tag counts on a made-up site."""

from __future__ import annotations

import numpy as np
import pytest
from tests.pagetypes.sites import make_site

from webgrain.errors import ParameterError
from webgrain.metrics import ari
from webgrain.page.parsing import parse_html
from webgrain.pagetypes.pathcounts import SiteStatistics
from webgrain.pagetypes.pathshingles import path_sets, shingle_clusters
from webgrain.pagetypes.pqgrams import gram_distance, gram_set
from webgrain.pagetypes.sitepaths import site_paths
from webgrain.pagetypes.tagclasses import tag_class_clusters


@pytest.fixture(scope="module")
def counted():
    pages, types, queries = make_site()
    statistics = SiteStatistics()
    for page in pages:
        statistics.add(page, queries.get(page.id))
    return pages, np.unique(types, return_inverse=True)[1], statistics


def test_shingles_are_random_sets_of_paths(counted):
    _, truth, statistics = counted
    sets = path_sets(site_paths(statistics))
    scores = {ari(truth, shingle_clusters(sets, 2, seed)) for seed in range(6)}
    assert len(scores) > 1
    assert shingle_clusters(sets, 3, 1).tolist() == shingle_clusters(sets, 3, 1).tolist()


def test_m_of_k_joins_what_shares_a_common_subset():
    sets = [np.array(keys, np.uint64) for keys in ([1, 2, 3], [1, 2, 4], [1, 2, 5], [6, 7, 8])]
    assert shingle_clusters(sets, 3, 0).tolist() == [0, 1, 2, 3]
    assert shingle_clusters(sets, 3, 0, shared=2).tolist() == [0, 0, 0, 1]
    with pytest.raises(ParameterError, match="shared=3 and size=3"):
        shingle_clusters(sets, 3, 0, shared=3)


def test_pq_grams_are_those_of_the_paper_s_definition():
    # html: (head, body); head: none; body: (p, b); p, b: none. With q = 2: 3 windows for two children.
    assert len(gram_set(parse_html("<p></p><b></b>"), 1, 2)) == 3 + 1 + 3 + 1 + 1
    same, other = gram_set(parse_html("<p></p>")), gram_set(parse_html("<ul><li></ul>"))
    assert gram_distance(same, same) == 0 < gram_distance(same, other) <= 1
    with pytest.raises(ParameterError, match="at least 1"):
        gram_set(parse_html(""), 0, 1)


def test_tag_classes_with_k_known(counted):
    pytest.importorskip("sklearn")
    _, truth, statistics = counted
    assert ari(truth, tag_class_clusters(statistics, 3)) > 0.9
    with pytest.raises(ParameterError, match=r"k must be in 1..60"):
        tag_class_clusters(statistics, 0)
