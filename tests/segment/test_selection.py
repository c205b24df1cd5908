from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest
from tests.segment.pages import BLOG, read

from webgrain.datasets.synthetic import make_pages
from webgrain.datasets.truth import truth_of
from webgrain.errors import ParameterError
from webgrain.evaluate import score
from webgrain.segment.cclus import CClus
from webgrain.segment.gcuts import GCuts
from webgrain.segment.selection import choose_parameters, mean_ari


@pytest.fixture(scope="module")
def labelled():
    """Pages laid out by the estimate, the truths over their leaves, and the labels over their Doms."""
    made = make_pages(3, size=3)
    pages = [read(page.source.body, "estimate") for page in made]
    truths = [truth_of(page, told.segments) for page, told in zip(pages, made, strict=True)]
    return pages, truths, [t.over(len(p.dom), "top") for p, t in zip(pages, truths, strict=True)]


def test_mean_ari_is_that_of_the_evaluation(labelled):
    pages, truths, labels = labelled
    expected = [score(GCuts().predict(p).labels, t, "top").ari for p, t in zip(pages, truths, strict=True)]
    assert mean_ari(GCuts(), pages, labels) == pytest.approx(np.mean(expected))


def test_chooses_the_best_of_a_grid(labelled):
    pages, _, labels = labelled
    values = [0.1, 0.5, 1.0, 3.0]
    found = choose_parameters(CClus(lam=3.0, trials=3), {"lam": values}, pages, labels)
    score_of = {lam: mean_ari(CClus(lam=lam, trials=3), pages, labels) for lam in values}
    assert score_of[found.lam] == max(score_of.values()) > score_of[3.0]


def test_ends_where_no_single_change_is_better(labelled):
    pages, _, labels = labelled
    grids = {"invisibility": [-0.5, 0.5, 2.0], "parent_child": [0.0, 1.0, 3.0]}
    start = GCuts(invisibility=-0.5, parent_child=0.0)
    found = choose_parameters(start, grids, pages, labels, max_rounds=20)
    reached = mean_ari(found, pages, labels)
    assert reached > mean_ari(start, pages, labels)
    for name, value in itertools.chain(
        *(zip(itertools.repeat(n), g, strict=False) for n, g in grids.items())
    ):
        assert mean_ari(replace(found, **{name: value}), pages, labels) <= reached
    assert (start.invisibility, start.parent_child) == (-0.5, 0.0)


def test_keeps_what_no_value_improves(labelled):
    pages, _, labels = labelled
    method = GCuts(rel=1e-4)
    assert choose_parameters(method, {"rel": [1e-4, 1e-4]}, pages, labels) is method
    assert choose_parameters(method, {}, pages, labels) is method


@pytest.mark.parametrize("html", ["", "<p>one", "<p hidden>one"])
def test_pages_with_nothing_to_part_do_no_harm(html):
    page = read(html)
    assert choose_parameters(GCuts(), {"lam": [1.0]}, [page], [np.full(len(page.dom), -1)]).lam == 0.7


def test_wrong_calls_raise():
    page = read(BLOG)
    truth = np.zeros(len(page.dom), int)
    with pytest.raises(ParameterError, match="a truth for each, got 0, 0"):
        choose_parameters(GCuts(), {"lam": [1.0]}, [], [])
    with pytest.raises(ParameterError, match="a label per node"):
        choose_parameters(GCuts(), {"lam": [1.0]}, [page], [truth[1:]])
    with pytest.raises(ParameterError, match="got lam: "):
        choose_parameters(GCuts(), {"lam": []}, [page], [truth])
    with pytest.raises(ParameterError, match="got lambda: "):
        choose_parameters(GCuts(), {"lambda": [1.0]}, [page], [truth])
    with pytest.raises(ParameterError, match="lam must be at least 0"):
        choose_parameters(GCuts(), {"lam": [-1.0]}, [page], [truth])
