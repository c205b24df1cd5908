"""Learnt weights on made-up pages with known segments, and where there is little to learn from."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from sklearn.metrics import roc_auc_score
from tests.segmentation.pages import BLOG, read

from webgrain.base.errors import ParameterError
from webgrain.evaluation.evaluate import score
from webgrain.io.labels import truth_of
from webgrain.page.outline import visible_tree
from webgrain.papers.cclus import CClus
from webgrain.papers.features.nodes import NODE_FEATURES, node_features
from webgrain.papers.features.pairs import PAIR_FEATURES, PairFeatures
from webgrain.papers.features.treenodes import nodes_of
from webgrain.papers.weightlearning import fit_pairs, fit_weights, node_segments, samples_of
from webgrain.papers.weights import UNIFORM, embedding, probability


@cache
def labelled(n, random_state=0):
    """Pages with made-up views, the truths over their leaves, and the labels over their Doms."""
    made = make_pages(n, random_state=random_state)
    pages = [read(page.source.body, "lines") for page in made]
    truths = [truth_of(page, result.segments) for page, result in zip(pages, made, strict=True)]
    return pages, truths, [t.over(len(p.dom), "fine") for p, t in zip(pages, truths, strict=True)]


@cache
def learnt():
    pages, _, labels = labelled(8)
    return fit_weights(pages, labels)


def test_learning_is_deterministic():
    pages, _, labels = labelled(2)
    assert fit_weights(pages, labels) == fit_weights(pages, labels)


@pytest.mark.parametrize(("which", "least"), [("adjacent", 0.95), ("pairs", 0.9)])
def test_the_probability_ranks_the_pairs_of_new_pages(which, least):
    pages, _, labels = labelled(4, random_state=1)
    samples = [getattr(sample, which) for sample in samples_of(pages, labels)]
    x, same = (np.concatenate(parts) for parts in zip(*samples, strict=True))
    assert roc_auc_score(same, probability(x, getattr(learnt(), which))) > least


def test_the_probability_is_calibrated_where_it_was_learnt():
    pages, _, labels = labelled(8)
    samples = samples_of(pages, labels)
    mean = [probability(sample.pairs[0], learnt().pairs).mean() for sample in samples]
    share = [sample.pairs[1].mean() for sample in samples]
    assert np.mean(mean) == pytest.approx(np.mean(share), abs=1e-3)


def test_the_mean_distance_of_a_node_from_its_parent_is_one():
    steps = []
    for page in labelled(8)[0]:
        tree = visible_tree(page)
        x = node_features(nodes_of(page))
        embedded = embedding(x, learnt())
        steps.append(np.linalg.norm(embedded[1:] - embedded[tree.parent[1:]], axis=1))
    assert np.concatenate(steps).mean() == pytest.approx(1.0, rel=1e-4)


def test_learnt_weights_segment_new_pages_better_than_uniform_ones():
    pages, truths, _ = labelled(4, random_state=1)

    def ari(weights):
        found = [CClus(lam=1.0, weights=weights).predict(page) for page in pages]
        return np.mean([score(f.labels, t, "fine").ari for f, t in zip(found, truths, strict=True)])

    assert ari(learnt()) > ari(UNIFORM) + 0.1


def test_node_segments_against_their_definition():
    page = read(BLOG)
    tree = visible_tree(page)
    label = np.random.default_rng(0).integers(-1, 2, len(tree.leaf)).cumsum() // 3 % 4 - 1
    for node, found in enumerate(node_segments(tree, label).tolist()):
        below = {int(label[i]) for i, leaf in enumerate(tree.leaf) if node <= leaf < tree.end[node]}
        assert found == (below.pop() if len(below) == 1 else -1)


def test_what_is_not_labelled_does_not_count():
    pages, _, labels = labelled(1)
    [sample] = samples_of(pages, [np.full_like(labels[0], -1)])
    assert len(sample.nodes) == len(sample.adjacent[1]) == len(sample.pairs[1]) == 0


def test_cclus_learns_from_pairs_of_all_leaves_and_gcuts_from_neighbours():
    pages, _, labels = labelled(4)
    distance = [feature.name for feature in PAIR_FEATURES].index("order_share")
    for page, label, sample in zip(pages, labels, samples_of(pages, labels), strict=True):
        tree = visible_tree(page)
        known = np.flatnonzero(label[tree.leaf_node] >= 0)
        p, q = known[np.stack(np.triu_indices(len(known), 1))]
        every = PairFeatures(nodes_of(page))(p, q)[:, distance]
        drawn, adjacent = sample.pairs[0][:, distance], sample.adjacent[0][:, distance]
        assert np.quantile(drawn, [0.25, 0.5, 0.75]) == pytest.approx(
            np.quantile(every, [0.25, 0.5, 0.75]), abs=0.06
        )
        assert np.median(adjacent) < np.median(every) / 2
    assert learnt().pairs != learnt().adjacent


PAGES = {
    "one leaf": "<p>one",
    "no visible leaf": "<p hidden>one",
    "empty": "",
    "all alike": "<p>one<p>two<p>six",
    "a blog": BLOG,
}


@pytest.mark.parametrize("layout", ["none", "lines"])
@pytest.mark.parametrize("truth", ["one segment", "each its own", "none"])
@pytest.mark.parametrize("html", PAGES.values(), ids=PAGES)
def test_little_to_learn_from_gives_sensible_weights(html, truth, layout):
    page = read(html, layout)
    n = len(page.dom)
    labels = {"one segment": np.zeros(n, int), "each its own": np.arange(n), "none": np.full(n, -1)}[truth]
    weights = fit_weights([page], [labels])
    other = read(BLOG, "lines")
    nodes = nodes_of(other)
    v = probability(PairFeatures(nodes)(np.array([0, 1]), np.array([1, 4])), weights.pairs)
    assert ((v >= 0) & (v <= 1)).all()
    assert np.isfinite(embedding(node_features(nodes), weights)).all()
    if truth == "one segment":
        assert (v >= 0.5).all()
    if truth == "each its own":
        assert (v <= 0.5).all()


def test_constant_features_have_no_weight():
    page = read(BLOG, "lines")
    weights = fit_weights([page], [np.arange(len(page.dom)) // 8])
    assert weights.node["back_red"].weight == weights.adjacent.terms["gap_x"].weight == 0.0
    assert weights.node["y"].weight > 0
    assert set(weights.node) == {feature.name for feature in NODE_FEATURES}
    assert set(weights.adjacent.terms) == {feature.name for feature in PAIR_FEATURES}


def test_weights_without_boxes_have_no_visual_features():
    page = read(BLOG)
    weights = fit_weights([page], [np.arange(len(page.dom)) // 8])
    visual = {one.name for one in (*NODE_FEATURES, *PAIR_FEATURES) if one.view == "visual"}
    for named in (weights.node, weights.metric, weights.adjacent.terms, weights.pairs.terms):
        assert named
        assert not set(named) & visual


def test_pages_count_equally_however_large():
    alike = [(np.zeros((n, len(PAIR_FEATURES))), np.full(n, same)) for n, same in ((10, True), (1000, False))]
    model = fit_pairs(alike)
    assert model.bias == pytest.approx(0.0, abs=1e-4)  # 10 of 1010 pairs would be -4.6
    assert not model.terms


def test_wrong_calls_raise():
    page = read(BLOG)
    with pytest.raises(ParameterError, match="labels for each page, got 0 and 0"):
        fit_weights([], [])
    with pytest.raises(ParameterError, match="labels for each page, got 1 and 2"):
        fit_weights([page], [np.zeros(3, int)] * 2)
    with pytest.raises(ParameterError, match="a label per node of page"):
        fit_weights([replace(page)], [np.zeros(3, int)])
