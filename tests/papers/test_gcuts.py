from __future__ import annotations

import itertools
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.page.pages import DEEP, PAGES, markup
from tests.papers.reference import as_matrix, page_energy, page_problem
from tests.segmentation.pages import BLOG, LAYOUTS, assert_is_a_segmentation, read

from webgrain.base.errors import ParameterError
from webgrain.base.estimator import create
from webgrain.page.outline import visible_tree
from webgrain.papers import gcuts
from webgrain.papers.features.nodes import NODE_FEATURES, TREE_NODE_FEATURES, node_features
from webgrain.papers.features.treenodes import nodes_of
from webgrain.papers.gcuts import CertifiedGCuts, Expansion, GCuts, GCutsNL, GCutsNP, label_nodes
from webgrain.papers.solvers.treepotts import check_labelling, labelling_energy
from webgrain.papers.weights import UNIFORM

SITE = Path(__file__).parents[2] / "examples" / "site"
METHODS = {"paper": GCuts, "certified": CertifiedGCuts}
VARIANTS = {
    "default": {},
    "order": {"random_state": 3},
    "parent": {"reading": "parent"},
    "NP": {"parent_child": 0.0},
    "NL": {"weights": "uniform"},
    "views": {"visual": 0.0, "content": 2.0, "structure": 0.5},
    "reward": {"invisibility": -0.5, "parent_child": -0.25},
}
each_method = pytest.mark.parametrize("kind", METHODS.values(), ids=METHODS)


def check(page, method):
    """The invariants, and the energy by its definition on the labels that were returned."""
    result = method.predict(page)
    assert_is_a_segmentation(page, result.labels)
    assert result.lower_bound <= result.energy + 1e-6
    return result


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
@each_method
def test_every_leaf_is_visible_and_above_an_invisible_node_all_are(kind, params, layout):
    result = check(read(BLOG, layout), kind(**params))
    assert result.method == kind.method
    assert result.params.items() >= {**params, "weights": params.get("weights", "trained")}.items()


@settings(max_examples=60, deadline=None)
@given(markup)
def test_the_same_on_random_pages(html):
    for layout in LAYOUTS:
        check(read(html, layout), GCuts())
        check(read(html, layout), CertifiedGCuts())


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("name", sorted(set(PAGES) - set(DEEP) | {"deep", "very deep"}))
def test_the_same_on_odd_pages(name, layout):
    check(read(PAGES[name], layout), GCuts(max_cycles=1))
    check(read(PAGES[name], layout), CertifiedGCuts())


@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
@each_method
def test_the_energy_is_that_of_the_labels_by_definition(kind, params):
    page, method = read(BLOG, "lines"), kind(**params)
    tree, result = visible_tree(page), method.predict(page)
    problem = page_problem(method, page)
    unary = as_matrix(problem)
    # Segments are identified by number, labels by node: the cheapest naming of the segments has the energy.
    mine = result.labels[tree.node]
    best = np.empty_like(mine)
    for segment in range(len(result)):
        members = mine == segment
        best[members] = unary[members].sum(axis=0).argmin()
    best[mine < 0] = -1
    check_labelling(problem, best)
    assert labelling_energy(problem, best) <= result.energy + 1e-9
    if len({*best[best >= 0].tolist()}) == len(result):
        assert labelling_energy(problem, best) == pytest.approx(result.energy)


@pytest.mark.parametrize("params", VARIANTS.values(), ids=VARIANTS)
@each_method
def test_the_problem_that_is_solved_has_the_energy_of_the_paper(kind, params):
    page, method = read(BLOG, "lines"), kind(**params)
    weights = method.weights_for(page)
    costs, lam = method.prepare(page, weights), method.lam_for(weights)
    problem = method.problem(costs, lam)
    own = {name: getattr(method, name) for name in ("invisibility", "parent_child", "reading")}
    rng, tree, unary = np.random.default_rng(0), costs.tree, as_matrix(problem)
    for _ in range(50):
        labels = np.full(len(tree), -1, np.int32)
        for p in rng.permutation(len(tree)):  # whole subtrees take one label
            below = slice(p, tree.end[p])
            if (labels[below] < 0).all() and (tree.kind[p] or rng.random() < 0.3):
                labels[below] = rng.choice(np.flatnonzero(np.isfinite(unary[p])))
        assert page_energy(costs, labels, lam, **own) == pytest.approx(labelling_energy(problem, labels))
    labels[tree.leaf[0]] = -1
    with pytest.raises(ParameterError, match="violate constraint"):
        page_energy(costs, labels, lam)


@each_method
def test_the_labelling_of_a_small_page_is_the_best_of_all(kind):
    page = read("<p>One<p>two <b>three")
    tree, method = visible_tree(page), kind(lam=0.3, invisibility=0.1, parent_child=0.05)
    problem = page_problem(method, page)
    choices = [range(problem.n_labels) if kind else range(-1, problem.n_labels) for kind in tree.kind]
    inner = np.flatnonzero(tree.kind == 0)
    best = np.inf
    for leaves in itertools.product(*(choices[p] for p in tree.leaf)):
        for mask in range(2 ** len(inner)):
            labels = np.full(len(tree), -1, np.int32)
            labels[tree.leaf] = leaves
            for bit, u in enumerate(inner.tolist()):
                if mask >> bit & 1:
                    labels[u] = labels[next(v for v in tree.leaf if v > u)]
            try:
                best = min(best, labelling_energy(problem, labels))
            except ParameterError:
                continue
    assert method.predict(page).energy == pytest.approx(best)


def test_parameters_have_the_documented_effect():
    page = read(BLOG, "lines")
    sizes = [len(GCuts(invisibility=cost).predict(page)) for cost in (-100.0, 0.5, 1000.0)]
    assert sizes[0] >= sizes[1] >= sizes[2] == 1
    assert len(GCuts(lam=1e4).predict(page)) == 1
    assert len(GCuts(lam=0.0).predict(page)) >= len(GCuts(lam=4.0).predict(page))


@pytest.mark.parametrize("lam", [0.7, 2.1])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_certified_solver_proves_its_result_and_is_no_worse_than_expansion(layout, lam):
    method = CertifiedGCuts(lam=lam)
    problem = page_problem(method, read(BLOG, layout))
    proven, plain = method.minimise(problem), GCuts(lam=lam).minimise(problem)
    assert proven.gap <= CertifiedGCuts.rel < plain.gap
    assert proven.energy <= plain.energy + CertifiedGCuts.rel * abs(plain.energy)
    assert plain.lower_bound - 1e-6 <= proven.lower_bound <= plain.energy


@pytest.mark.parametrize("layout", LAYOUTS)
def test_the_paper_has_all_labels_and_the_full_metric_and_ours_has_ancestors_and_a_diagonal(layout):
    page = read(BLOG, layout)
    paper, ours = (method.prepare(page, method.weights_for(page)) for method in (GCuts(), CertifiedGCuts()))
    size = len(paper.tree)
    assert not paper.tops.any()
    assert len(paper.distances) == len(paper.tops) * size > len(ours.distances)
    weights = GCuts().weights_for(page)
    known = [feature.name for feature in (TREE_NODE_FEATURES if page.view is None else NODE_FEATURES)]
    assert set(weights.metric) == set(known)
    x = node_features(nodes_of(page))
    label = label_nodes(paper.tree, "all")[0][0]
    matrix = np.array([weights.metric[name] for name in known])
    assert paper.distances[:size] == pytest.approx(np.linalg.norm((x - x[label]) @ matrix, axis=1))
    diagonal = [np.sqrt(weights.node[name].weight) / weights.node[name].deviation for name in known]
    own, tops = label_nodes(ours.tree)
    below = slice(tops[0], ours.tree.end[tops[0]])
    expected = np.linalg.norm((x[below] - x[own[0]]) * diagonal, axis=1)
    assert ours.distances[: len(expected)] == pytest.approx(expected)


def test_the_certified_solver_stops_at_its_tolerance():
    page = read(BLOG, "lines")
    proven = CertifiedGCuts().predict(page).gap
    assert CertifiedGCuts(max_sweeps=0).predict(page).gap > 1e3 * proven
    assert CertifiedGCuts(rel=1.0).predict(page).gap > 1e3 * proven


@pytest.mark.parametrize("wrong", [{"rel": -1e-5}, {"max_sweeps": -1}, {"max_cycles": 0}])
def test_wrong_parameters_of_the_solvers_are_refused(wrong):
    with pytest.raises(ParameterError, match=next(iter(wrong))):
        CertifiedGCuts(**wrong)


def test_the_baselines_are_the_method_with_other_parameters():
    page = read(BLOG, "lines")
    for baseline, params in ((GCutsNP, {"parent_child": 0.0}), (GCutsNL, {"weights": "uniform"})):
        result, same = baseline(lam=2.0).predict(page), GCuts(lam=2.0, **params).predict(page)
        assert (result.method, same.method) == (baseline.method, "gcuts")
        assert result.energy == same.energy
        assert result.labels.tolist() == same.labels.tolist()


def test_weights_are_given_by_name_or_as_they_are():
    page = read(BLOG, "lines")
    by_name, given_weights = GCuts(weights="uniform").predict(page), GCuts(weights=UNIFORM).predict(page)
    assert by_name.energy == given_weights.energy
    assert given_weights.params["weights"] == "uniform"


def test_the_random_state_sets_the_order_of_the_labels():
    page = read(BLOG, "lines")
    method = GCuts(max_cycles=1, lam=2.0)
    assert len({replace(method, random_state=seed).predict(page).energy for seed in range(8)}) > 1
    first, again = (GCuts(random_state=5).predict(page) for _ in range(2))
    assert first.labels.tolist() == again.labels.tolist()


@pytest.mark.parametrize("seed", [0, 1])
def test_the_search_ends_where_no_move_lowers_the_energy(seed):
    problem = page_problem(GCuts(lam=1.0), read(BLOG * 6, "lines"))
    method = GCuts(random_state=seed)

    def gains(method):
        expansion = Expansion(problem)
        expansion.start(method.minimise(problem).labels)
        return [expansion.move(alpha) for alpha in range(problem.n_labels)]

    assert any(gains(replace(method, max_cycles=1)))  # a cycle is not enough
    assert not any(gains(method))


def test_labels_are_the_internal_nodes_and_of_too_many_the_largest(monkeypatch):
    tree = visible_tree(read("<div><p>1<p>2<p>3</div><p>4"))  # html body div p p p p
    every, tops = label_nodes(tree)
    assert every.tolist() == [1, 2, 3, 5, 7, 9]  # html is body once more
    assert tops.tolist() == [0, 2, 3, 5, 7, 9]
    assert not label_nodes(tree, "all")[1].any()
    monkeypatch.setattr(gcuts, "MAX_COSTS", 3 * len(tree))
    assert label_nodes(tree, "all")[0].tolist() == every[:3].tolist()
    monkeypatch.setattr(gcuts, "MAX_COSTS", len(tree) + 7 + 2)
    assert label_nodes(tree)[0].tolist() == every[:3].tolist()  # all nodes, the div, one p
    monkeypatch.setattr(gcuts, "MAX_COSTS", 100)
    monkeypatch.setattr(
        gcuts, "MAX_STEPS_OF_ALL", 2 * 4 * 3
    )  # 2 labels, 4 leaves, 2 branching levels and their leaves
    assert label_nodes(tree, "all")[0].tolist() == every[:2].tolist()
    with monkeypatch.context() as patched:
        patched.setattr(gcuts, "MAX_STEPS_OF_ANCESTORS", 1)
        assert label_nodes(tree)[0].tolist() == [1]
    monkeypatch.setattr(gcuts, "MAX_COSTS", 1)
    assert label_nodes(tree)[0].tolist() == [1]
    check(read(BLOG, "lines"), GCuts())
    check(read(BLOG, "lines"), CertifiedGCuts())


@pytest.mark.parametrize("html", ["", "<p hidden>x", "<script>x</script>"])
def test_a_page_without_visible_leaves_has_no_segments(html):
    result = GCuts().predict(read(html))
    assert len(result) == 0
    assert result.energy == result.lower_bound == result.gap == 0


def test_a_page_of_one_leaf_is_one_segment():
    result = check(read("x"), GCuts())
    assert len(result) == 1


@pytest.mark.skipif(not SITE.is_dir(), reason=f"no sample site: {SITE} does not exist")
@pytest.mark.parametrize("name", ["gcuts", "gcuts-certified", "cclus"])
def test_every_page_of_the_sample_site_is_cut_into_a_few_segments(name):
    files = sorted(SITE.rglob("*.html"))
    assert len(files) >= 40
    for file in files[::4]:  # the quality gate scores the methods on all
        page = read(file.read_bytes(), "estimate")
        result = create(name).predict(page)
        assert_is_a_segmentation(page, result.labels)
        few = len(visible_tree(page).leaf) < 10  # a page that only leads to others
        assert few or 2 <= len(result) <= 60, file


def test_entries_grow_with_nodes_times_depth():
    pages = [visible_tree(read("<div><p>x<p>y</div>" * n)) for n in (100, 200, 4000)]
    entries = []
    for tree in pages:
        labels, tops = label_nodes(tree)
        assert len(labels) == 1 + (len(tree) - 2) * 3 // 5  # none is left out, however many
        entries.append(int((tree.end[tops] - tops).sum()))
        assert entries[-1] <= 4 * len(tree)
    assert entries[1] == pytest.approx(2 * entries[0], rel=0.01)


def test_many_siblings_stay_within_bounds():
    page = read("<p>x" * 5000)
    check(page, GCuts(max_cycles=1))
    check(page, CertifiedGCuts())
