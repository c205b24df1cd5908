"""Learning by fit: weights and parameters are learnt, given ones are kept."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.segmentation.pages import BLOG, LAYOUTS, assert_is_a_segmentation, read

from webgrain.base.errors import ParameterError
from webgrain.evaluation.evaluate import score
from webgrain.io.labels import truth_of
from webgrain.papers.cclus import CClus, CClusNL
from webgrain.papers.features.nodes import NODE_FEATURES
from webgrain.papers.gcuts import CertifiedGCuts, GCuts, GCutsNL, GCutsNP
from webgrain.papers.thresholds import LEARNING_FOLDS
from webgrain.papers.weightlearning import fit_weights
from webgrain.papers.weights import UNIFORM, Weights

METHODS = {"gcuts": GCuts, "cclus": CClus}


@pytest.fixture(params=METHODS)
def method(request):
    return METHODS[request.param]


@cache
def labelled(n, random_state=0):
    """Pages with made-up views, the truths over their leaves, and the labels over their Doms."""
    made = make_pages(n, size=3, random_state=random_state)
    pages = [read(page.source.body, "lines") for page in made]
    truths = [truth_of(page, labelled.segments) for page, labelled in zip(pages, made, strict=True)]
    return pages, truths, [t.over(len(p.dom), "fine") for p, t in zip(pages, truths, strict=True)]


def mean_score(model, pages, truths):
    return np.mean(
        [score(model.predict(p).labels, t, "fine").ari for p, t in zip(pages, truths, strict=True)]
    )


@cache
def fitted(method, weights="trained"):
    """Return a method that was fitted with two pages."""
    pages, _, labels = labelled(2)
    return method(weights=weights).fit(pages, labels)


def test_learnt_weights_segment_new_pages_better_than_uniform_weights(method):
    others, truths, _ = labelled(2, random_state=1)
    learnt, plain = fitted(method), fitted(method, "uniform")
    assert mean_score(learnt, others, truths) > mean_score(plain, others, truths) + 0.05
    assert plain.weights_.node == UNIFORM.node


def test_fit_returns_self_keeps_the_parameters_and_is_deterministic(method):
    pages, _, labels = labelled(2)
    model = method()
    before = model.get_params()
    assert model.fit(pages, labels) is model
    assert model.get_params() == before
    assert model.weights_ == fitted(method).weights_
    params = model.predict(pages[0]).params
    assert params["weights"] == "learnt"
    assert params.items() >= model.weights_.parameters[model.method].items()


def test_saved_methods_are_loaded(method, tmp_path):
    pages, _, labels = labelled(2)
    fitted(method).save(tmp_path / "method.json")
    loaded = method.load(tmp_path / "method.json")
    assert loaded.weights_ == fitted(method).weights_
    assert loaded.predict(pages[0]).labels.tolist() == fitted(method).predict(pages[0]).labels.tolist()
    assert loaded.score(pages, labels) == fitted(method).score(pages, labels)


def test_given_parameters_are_kept(method):
    pages, _, labels = labelled(1)
    model = method(lam=0.7).fit(pages, labels)
    assert model.weights_.parameters[model.method]["lam"] == model.predict(pages[0]).params["lam"] == 0.7


def test_given_weights_are_kept_and_only_parameters_are_chosen(method):
    pages, _, labels = labelled(3)
    weights = fit_weights(pages[:2], labels[:2], name="mine")
    model = method(weights=weights).fit(pages[2:], labels[2:])
    learnt = model.weights_
    assert (learnt.name, learnt.node, learnt.pairs) == ("mine", weights.node, weights.pairs)
    assert set(learnt.parameters) == {model.method}


def test_lambda_is_given_or_in_the_weights_or_the_default(method):
    name = method.method
    weights = Weights("w", {}, UNIFORM.adjacent, UNIFORM.pairs, {name: {"lam": 0.25}})
    assert method().lam_for(weights) == 0.25
    assert method(lam=3.0).lam_for(weights) == 3.0
    assert method().lam_for(UNIFORM) == method.default_lam


@pytest.mark.parametrize("baseline", [GCutsNP, GCutsNL, CClusNL])
def test_baselines_choose_their_own_lambda(baseline):
    pages, _, labels = labelled(1)
    model = baseline().fit(pages, labels)
    assert set(model.weights_.parameters) >= {baseline.method}
    assert model.lam_for(model.weights_) in baseline.lams
    result = model.predict(pages[0])
    assert (result.method, result.params["lam"]) == (baseline.method, model.lam_for(model.weights_))
    if baseline is not GCutsNP:
        assert model.weights_.node == UNIFORM.node
    else:
        assert result.params["parent_child"] == 0


@pytest.mark.parametrize("baseline", [GCutsNP, GCutsNL, CClusNL])
def test_baselines_have_a_lambda_that_training_has_chosen(baseline):
    page = read(BLOG, "lines")
    weights = baseline().weights_for(page)
    assert baseline.method in weights.parameters
    assert baseline().predict(page).params["lam"] == weights.parameters[baseline.method]["lam"]


def test_gcuts_has_the_full_metric_and_ours_a_diagonal_one(tmp_path):
    pages, _, labels = labelled(2)
    model = GCuts(lam=4.0).fit(pages, labels)
    assert set(model.weights_.metric) == {feature.name for feature in NODE_FEATURES}
    assert len(model.weights_.metric["y"]) == len(NODE_FEATURES)
    model.save(tmp_path / "m.json")
    loaded = GCuts.load(tmp_path / "m.json")
    assert loaded.predict(pages[0]).energy == model.predict(pages[0]).energy
    assert set(model.weights_.node) == set(model.weights_.metric)
    other = replace(model.weights_, metric=dict.fromkeys(model.weights_.metric, (1.0,)))
    for method, differs in ((GCuts, True), (CertifiedGCuts, False)):
        energies = {
            method(weights=given, lam=4.0).predict(pages[0]).energy for given in (other, model.weights_)
        }
        assert (len(energies) == 2) == differs


@pytest.mark.parametrize("n", [1, 2, LEARNING_FOLDS + 1])
def test_few_pages_are_enough(n):
    pages, _, labels = labelled(n)
    model = CClus().fit(pages, labels)
    assert_is_a_segmentation(pages[0], model.predict(pages[0]).labels)


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("truth", ["one segment", "each its own", "none"])
@pytest.mark.parametrize("html", ["", "<p hidden>one", "<p>one", BLOG])
def test_pages_with_little_to_learn_from_are_accepted(method, html, truth, layout):
    page = read(html, layout)
    n = len(page.dom)
    labels = {"one segment": np.zeros(n, int), "each its own": np.arange(n), "none": np.full(n, -1)}[truth]
    model = method().fit([page], [labels])
    other = read(BLOG, "lines")
    assert_is_a_segmentation(other, model.predict(other).labels)


def test_factors_of_views_change_the_energy(method):
    page = read(BLOG, "lines")
    usual = method().predict(page)
    assert usual.energy == method(visual=1.0, content=1.0, structure=1.0).predict(page).energy
    for view in ("visual", "content", "structure"):
        assert method(**{view: 3.0}).predict(page).energy != usual.energy
        with pytest.raises(ParameterError, match=f"{view} must be at least 0"):
            method(**{view: -1.0})


def test_wrong_calls_raise_one_sentence(method):
    page = read(BLOG)
    with pytest.raises(ParameterError, match="labels for each page, got 0 and 0"):
        method().fit([], [])
    with pytest.raises(ParameterError, match="a label per node of page"):
        method().fit([page], [np.zeros(3, int)])
    with pytest.raises(ParameterError, match="one of 'trained', 'uniform', got 'hand'"):
        method(weights="hand")
