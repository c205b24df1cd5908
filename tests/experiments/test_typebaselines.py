"""Path shingles, pq-grams and tag counts on a made-up site."""

from __future__ import annotations

import numpy as np
import pytest
from experiments.typebaselines import (
    gram_distance,
    gram_set,
    path_set,
    pq_grams,
    shingle_clusters,
    tag_class_clusters,
)
from tests.pagetypes.sites import make_site

from webgrain.errors import ParameterError
from webgrain.metrics import ari
from webgrain.page.parsing import parse_html


@pytest.fixture(scope="module")
def made():
    pages, types, _ = make_site()
    return [page.dom for page in pages], np.unique(types, return_inverse=True)[1]


def test_shingles_are_random_sets_of_paths(made):
    pages, truth = made
    sets = [path_set(dom, attributes=False) for dom in pages]
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
