from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Self

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.views import with_lines

from webgrain.base.errors import ParameterError
from webgrain.evaluation.datasets import Example
from webgrain.evaluation.evaluate import (
    BASELINES,
    ORACLE,
    PerLeaf,
    cross_validate,
    evaluate,
    folds_by_site,
    score,
    score_method,
    site_of_page,
)
from webgrain.io.labels import KINDS, Truth, truth_of
from webgrain.page.page import Source
from webgrain.page.parsing import parse
from webgrain.page.segmentation import Segmentation
from webgrain.papers.gcuts import GCuts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.page.page import Page


def example(leaf: list[int], fine: list[int], area: list[float] | None = None) -> Truth:
    labels = np.array(fine, np.int32)
    return Truth(
        leaf=np.array(leaf, np.int32), fine=labels, blocks=labels, top=labels, roles=(),
        characters=np.ones(len(leaf)), area=None if area is None else np.array(area),
    )  # fmt: skip


@pytest.fixture(scope="module")
def examples() -> list[Example]:
    found = []
    for made in make_pages(4):
        page = parse(made.source)
        page = with_lines(page)
        found.append(Example(page, truth_of(page, made.segments), made.segments))
    return found


def test_leaves_without_a_label_are_separate_segments() -> None:
    truth = example([0, 1, -1, 3], [0, 0, 1, 1])
    by_hand = example([0, 1, 2, 3], [0, 0, 1, 1])
    labels = np.array([7, -1, 5, 7], np.int32)
    expected = score(np.array([7, 8, 9, 7], np.int32), by_hand, "fine")
    assert score(labels, truth, "fine")[:2] == expected[:2]
    assert expected.segments == 3


def test_leaves_outside_all_true_segments_are_ignored() -> None:
    truth = example([0, 1, 2, 3, 4], [0, -1, 0, 1, -1])
    assert score(np.array([4, 4, 4, 5, 5], np.int32), truth, "fine").ari == 1.0


def test_weights() -> None:
    labels, truth = np.array([0, 0, 0]), example([0, 1, 2], [0, 0, 1], [1.0, 1.0, 98.0])
    found = score(labels, truth, "fine")
    assert found.b3_leaves == found.b3_characters < found.b3_area
    assert np.isnan(score(labels, example([0, 1], [0, 1]), "fine").b3_area)


def test_results_contain_baselines_and_the_best_cut_for_each_kind(examples: list[Example]) -> None:
    results = evaluate({"mine": GCuts()}, examples)
    assert [(r.kind, r.method) for r in results] == [
        (kind, name) for kind in KINDS for name in (*BASELINES, ORACLE, "mine")
    ]
    for kind in KINDS:
        own = {r.method: r for r in results if r.kind == kind}
        assert own["one segment"].mean() == own["one per leaf"].mean() == 0.0
        for k in range(len(own["mine"].pages)):
            cuts = [r.scores[k, 0] for name, r in own.items() if name not in (ORACLE, "mine")]
            assert own[ORACLE].scores[k, 0] >= max(cuts) - 1e-9


def test_figures_of_a_row() -> None:
    truths = [example([0, 1, 2, 3], [0, 0, 1, 1])] * 3 + [example([0, 1], [0, 0])]
    page = parse(make_pages(1)[0].source)
    examples = [Example(page, truth, ()) for truth in truths]

    def found(*labels: list[int]) -> list[Segmentation]:
        return [Segmentation(np.array(x, np.int32), "x") for x in labels]

    good, bad = [0, 0, 1, 1], [0, 1, 2, 3]
    mine, other = found(good, good, bad, bad), found(good, bad, bad, bad)
    row = score_method("mine", mine, examples).record(score_method("other", other, examples))
    assert row["pages"] == 3  # one true segment cannot be scored
    assert row["ari"] == pytest.approx(2 / 3)
    assert row["ari_se"] == row["difference_se"] == pytest.approx(1 / 3)
    assert row["difference"] == pytest.approx(1 / 3)
    assert (row["low"], row["high"]) == pytest.approx((1 / 3, 2 / 3))
    assert row["segments"] == pytest.approx((2 + 2 + 4) / 3)
    assert np.isnan(row["b3_area"])
    with pytest.raises(ParameterError, match="Expected 4 segmentations, one per example, got 1"):
        score_method("mine", mine[:1], examples)


def test_no_examples() -> None:
    with pytest.raises(ParameterError, match="at least one example, got none"):
        evaluate({}, [])


def test_folds_keep_sites_together_and_are_even() -> None:
    sites = [f"site{k % 40}" for k in range(80)]
    folds = folds_by_site(sites)
    assert (folds[:40] == folds[40:]).all()
    assert np.bincount(folds).tolist() == [16] * 5
    assert folds_by_site(sites[::-1]).tolist() == folds[::-1].tolist()
    with pytest.raises(ParameterError, match=r"n_folds must be in 2..40, the number of sites, got 41"):
        folds_by_site(sites, 41)


@dataclass
class Recorder:
    """A method that knows which pages it was learnt from."""

    learnt: set[str] = field(default_factory=set)

    def fit(self, pages: Sequence[Page], truths: Sequence[str]) -> Self:
        assert [page.id for page in pages] == list(truths)
        self.learnt |= {page.id for page in pages}
        return self

    def predict(self, page: Page) -> Segmentation:
        assert page.id not in self.learnt
        return Segmentation(PerLeaf().predict(page).labels, page.id, {"pages": len(self.learnt)})


def test_no_page_evaluates_a_method_trained_on_it(examples: list[Example]) -> None:
    pages = [e.page for e in examples]
    names = [page.id for page in pages]
    found = cross_validate(Recorder, pages, names, np.array([0, 1, 0, 2]))
    assert [segmentation.method for segmentation in found] == names
    assert [segmentation.params["pages"] for segmentation in found] == [2, 3, 2, 3]
    with pytest.raises(ParameterError, match="at least two folds, got 1"):
        cross_validate(Recorder, pages, names, np.zeros(4, int))
    with pytest.raises(ParameterError, match="a truth and a fold per page, got 4, 4, 3"):
        cross_validate(Recorder, pages, names, np.zeros(3, int))


@dataclass
class OneOrAll:
    """Makes one segment of a page if that is better on most pages it was learnt from, else one per leaf."""

    together: bool = True

    def fit(self, pages: Sequence[Page], truths: Sequence[np.ndarray]) -> Self:
        assert len(pages) == len(truths) == 2
        assert all(len(truth) == len(page.dom) for page, truth in zip(pages, truths, strict=True))
        self.together = bool(np.mean([len(np.unique(truth[truth >= 0])) < 2 for truth in truths]) > 0.5)
        return self

    def predict(self, page: Page) -> Segmentation:
        method = BASELINES["one segment"][0] if self.together else PerLeaf()
        return method.predict(page)


def test_methods_with_fit_are_trained_for_each_fold(examples: list[Example]) -> None:
    learnt, fixed = OneOrAll(), PerLeaf()
    results = evaluate({"learnt": learnt, "fixed": fixed}, examples, ["fine"], n_folds=2)
    assert [(r.method, r.folds) for r in results[-2:]] == [("learnt", 2), ("fixed", 0)]
    assert results[-2].scores.tolist() == results[-1].scores.tolist()
    assert results[-2].record(results[-1])["folds"] == 2
    assert learnt.together  # it was not learnt itself
    as_it_is = evaluate({"learnt": learnt}, examples, ["fine"])[-1]
    assert (as_it_is.folds, as_it_is.mean("segments")) == (0, 1.0)
    with pytest.raises(ParameterError, match=r"n_folds must be in 2\.\.4, the number of sites, got 5"):
        evaluate({"learnt": learnt}, examples, ["fine"], n_folds=5)


@pytest.mark.parametrize(
    ("url", "site"),
    [
        ("http://Example.org:80/a?b", "example.org:80"),
        (None, "a.html"),
        ("http://[", "a.html"),
        ("x", "a.html"),
    ],
)
def test_the_site_of_a_page_is_its_host(url: str | None, site: str) -> None:
    assert site_of_page(parse(Source("a.html", b"", url=url))) == site
