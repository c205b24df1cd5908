"""Segmentation of labelled pages by cross-validation: no method is scored on a page from which it was learnt.

The weights are learnt in each fold. The parameters of the methods of the paper are fixed here; one full test
chooses them in each fold too. The quick tests use every fifth page.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import pytest
from tests.quality.gate import check

from webgrain.evaluation.evaluate import cross_validate, folds_by_site, held_out_results, score_method
from webgrain.papers.cclus import CClus
from webgrain.papers.gcuts import CertifiedGCuts, GCuts
from webgrain.papers.weightlearning import fit_weights
from webgrain.segmentation.learntcut import LearntCut

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from webgrain.evaluation.datasets import Example
    from webgrain.io.labels import Kind
    from webgrain.page.page import Page
    from webgrain.page.segmentation import Segmentation

PAPER = {
    "gcuts": GCuts,
    "gcuts-certified": CertifiedGCuts,
    "cclus": CClus,
}
FIXED = {
    "gcuts": {"lam": 4.0},
    "gcuts-certified": {"lam": 8.0},
    "cclus": {"lam": 1.0},
}
"""Parameters of the quick gate."""
RENDERINGS = ["html", pytest.param("chromium", marks=[pytest.mark.browser])]


class Together:
    """All methods together, because they share the weights, which are slow to learn."""

    def fit(self, pages: Sequence[Page], truths: Sequence[Any]) -> Self:
        weights = fit_weights(pages, truths)
        self.methods = {name: make(weights=weights, **FIXED[name]) for name, make in PAPER.items()}
        return self

    def predict(self, page: Page) -> dict[str, Segmentation]:
        return {name: method.predict(page) for name, method in self.methods.items()}


def cross_validated(make: Callable[[], Any], examples: Sequence[Example]) -> list[Any]:
    """Return the results of a method for each page, learnt from the pages of the other folds."""
    pages = [example.page for example in examples]
    truths = [example.truth.over(len(example.page.dom), "fine") for example in examples]
    return cross_validate(make, pages, truths, folds_by_site([page.id for page in pages]))


def learntcut_cuts(examples: Sequence[Example]) -> list[Segmentation]:
    """Return the segmentation of each page by LearntCut, learnt from marked pages of the other folds."""
    folds = folds_by_site([example.page.id for example in examples])
    return held_out_results(LearntCut(), examples, folds)


def figures(
    prefix: str,
    found: Sequence[Segmentation],
    examples: Sequence[Example],
    kinds: Sequence[Kind] = ("fine", "blocks"),
) -> dict[str, float]:
    """Return the scores of a method that have bounds, by name."""
    scores = {}
    for kind in kinds:
        result = score_method(prefix, found, examples, kind)
        row = result.record(result)
        scores |= {f"{prefix}, {kind}, {measure}": row[measure] for measure in ("ari", "nmi", "low")}
    return scores


def check_methods(examples: Sequence[Example], name: str, kinds: Sequence[Kind] = ("fine", "blocks")) -> None:
    """Check the scores of all methods of the paper."""
    found = cross_validated(Together, examples)
    scores = {}
    for method in PAPER:
        segmentations = [by_method[method] for by_method in found]
        scores |= figures(f"{method}, {name}", segmentations, examples, kinds)
    check("kreuzer", scores)


@pytest.mark.data
@pytest.mark.full
@pytest.mark.parametrize("render", RENDERINGS)
def test_learntcut(render: str, labelled: Any) -> None:
    examples = labelled(render)
    check("kreuzer", figures(f"learntcut, {render}", learntcut_cuts(examples), examples))


@pytest.mark.data
def test_learntcut_on_every_fifth_page(labelled: Any) -> None:
    examples = labelled("html")[::5]
    found = learntcut_cuts(examples)
    check("kreuzer", figures("learntcut, html, every fifth page", found, examples, ("fine",)))


@pytest.mark.data
@pytest.mark.full
def test_methods_of_the_paper(labelled: Any) -> None:
    check_methods(labelled("html"), "html")


@pytest.mark.data
@pytest.mark.full  # the quick tests of the sample site check the same methods
def test_methods_of_the_paper_on_every_fifth_page(labelled: Any) -> None:
    check_methods(labelled("html")[::5], "html, every fifth page", ("fine",))


@pytest.mark.data
@pytest.mark.full
@pytest.mark.parametrize("name", PAPER)
@pytest.mark.parametrize("render", RENDERINGS)
def test_methods_of_the_paper_with_parameters_of_their_own(name: str, render: str, labelled: Any) -> None:
    examples = labelled(render)
    found = cross_validated(PAPER[name], examples)
    check("kreuzer", figures(f"{name}, parameters chosen, {render}", found, examples))
