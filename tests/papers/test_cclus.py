from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import markup
from tests.segmentation.pages import BLOG, LAYOUTS, assert_is_a_segmentation, read

from webgrain.page.outline import visible_tree
from webgrain.page.segmentation import renumbered
from webgrain.papers import cclus
from webgrain.papers.cclus import CClus, all_pairs, cluster, objective, pivot
from webgrain.papers.features.pairs import PairFeatures
from webgrain.papers.features.treenodes import nodes_of
from webgrain.papers.weights import find_weights, probability
from webgrain.segmentation.method import TRAINED

LAMS = [0.0, 0.6, 1.0, 2.5]


def random_matrix(rng, size):
    v = np.triu(rng.random((size, size)).astype(np.float32), 1)
    return v + v.T


def cost(v, labels, lam):
    """Eq. (2), pair by pair."""
    pairs = itertools.combinations(range(len(labels)), 2)
    return sum(1 - v[p, q] if labels[p] == labels[q] else lam * v[p, q] for p, q in pairs)


def partitions(size):
    """All partitions of n leaves, as labels in order of first appearance."""
    if not size:
        yield []
        return
    for labels in partitions(size - 1):
        for label in range(max(labels, default=-1) + 2):
            yield [*labels, label]


@pytest.mark.parametrize("lam", LAMS)
@pytest.mark.parametrize("seed", range(6))
def test_trials_come_near_the_optimum_of_small_cases(seed, lam):
    v = random_matrix(np.random.default_rng(seed), 6)
    best = min(cost(v, labels, lam) for labels in partitions(6))
    found = objective(v, cluster(v, lam, 200, np.random.default_rng(0)), lam)
    assert best - 1e-5 <= found <= 1.5 * best + 1e-5


@pytest.mark.parametrize("lam", LAMS)
def test_what_is_saved_is_the_objective_seen_from_the_other_side(lam):
    rng = np.random.default_rng(2)
    v = random_matrix(rng, 25)
    apart = objective(v, np.arange(25), lam)
    for _ in range(5):
        labels = rng.integers(0, 7, 25)
        assert objective(v, labels, lam) == pytest.approx(cost(v, labels, lam), rel=1e-5)
        assert cclus._saved(v, labels, lam) == pytest.approx(
            2 * (apart - objective(v, labels, lam)), abs=1e-3
        )


def test_pivots_find_clear_blocks():
    truth = np.repeat([0, 1, 2], [5, 9, 3])
    v = np.where(truth[:, None] == truth, 0.9, 0.1).astype(np.float32)
    np.fill_diagonal(v, 0)
    for seed in range(10):
        assert renumbered(pivot(v, 1.0, np.random.default_rng(seed))).tolist() == truth.tolist()


def test_a_pivot_takes_leaves_that_lower_the_objective():
    v = np.array([[0, 0.6], [0.6, 0]], np.float32)
    for lam, joined in ((0.6, False), (0.7, True), (1.0, True)):
        labels = pivot(v, lam, np.random.default_rng(0))
        assert (labels[0] == labels[1]) == joined
        other = np.array([0, 1 if joined else 0])
        assert objective(v, labels, lam) <= objective(v, other, lam)


@pytest.mark.parametrize("layout", LAYOUTS)
def test_probabilities_by_blocks_are_those_of_single_pairs(layout, monkeypatch):
    page = read(BLOG, layout)
    tree = visible_tree(page)
    features, size = PairFeatures(nodes_of(page)), len(tree.leaf)
    model = find_weights(TRAINED, page).pairs
    monkeypatch.setattr(cclus, "PAIR_CHUNK", 3 * size)
    v = all_pairs(features, slice(0, size), model)
    for p, q in itertools.combinations(range(size), 2):
        single = probability(features(np.array([p]), np.array([q])), model)[0]
        assert v[p, q] == v[q, p] == np.float32(single)
    assert not v.diagonal().any()
    np.testing.assert_array_equal(all_pairs(features, slice(3, 7), model), v[3:7, 3:7])


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_energy_is_that_of_the_labels(layout):
    page = read(BLOG, layout)
    tree, result = visible_tree(page), CClus(lam=0.6).predict(page)
    assert_is_a_segmentation(page, result.labels)
    model = find_weights(TRAINED, page).pairs
    v = all_pairs(PairFeatures(nodes_of(page)), slice(0, len(tree.leaf)), model)
    assert result.energy == pytest.approx(cost(v, result.labels[tree.leaf_node], 0.6), rel=1e-5)


def test_more_trials_do_not_make_it_worse():
    page = read(BLOG * 5, "lines")
    once, often = CClus(trials=1).predict(page), CClus(trials=30).predict(page)
    assert often.energy <= once.energy


@settings(max_examples=40, deadline=None)
@given(markup)
def test_every_leaf_of_a_random_page_is_in_a_segment(html):
    for layout in LAYOUTS:
        page = read(html, layout)
        assert_is_a_segmentation(page, CClus(trials=3).predict(page).labels)


def test_pages_with_too_many_leaves_are_processed_in_parts(monkeypatch):
    page = read("<p>x" * 25, "lines")
    whole = CClus(lam=1e6).predict(page)
    monkeypatch.setattr(cclus, "MAX_LEAVES", 10)
    runs = CClus(lam=1e6).predict(page)
    assert len(whole) == 1
    leaves = visible_tree(page).leaf_node
    assert runs.labels[leaves].tolist() == [0] * 10 + [1] * 10 + [2] * 5


@pytest.mark.parametrize("html", ["", "<p hidden>x"])
def test_a_page_without_visible_leaves_has_no_segments(html):
    result = CClus().predict(read(html))
    assert len(result) == 0
    assert result.energy == 0
