from __future__ import annotations

import numpy as np
import pytest
from experiments.datasets.synthetic_pages import make_pages
from tests.segmentation.pages import BLOG, LAYOUTS, read

from webgrain.base.errors import ParameterError, RenderError
from webgrain.base.metrics import ari
from webgrain.io.labels import truth_of
from webgrain.page.outline import leaf_outline
from webgrain.page.parsing import parse
from webgrain.segmentation.learntcut import LearntCut, fit_blocks, training_page


def examples(n, random_state=0):
    pages = [parse(made.source) for made in make_pages(n, random_state=random_state)]
    marks = [made.segments for made in make_pages(n, random_state=random_state)]
    truths = [
        truth_of(page, expected).over(len(page.dom), "fine")
        for page, expected in zip(pages, marks, strict=True)
    ]
    return pages, truths


def test_what_is_marked_of_a_page_by_hand():
    page = read("<div><p>1<p>2</div><p>3<p>4<p>5")  # page, div, 1, 2, 3, 4, 5
    truth = np.full(len(page.dom), -1)
    truth[np.flatnonzero(page.dom.is_text)] = [7, 8, 8, 9, -1]
    marked = training_page(page, truth)
    assert marked.mixed.tolist() == [True, True, False, False, False, False, False]
    assert marked.reaches.tolist() == [False, True, False, True, True, False, False]
    assert marked.known.tolist() == [4, 2, 1, 1, 1, 1, 0]
    assert marked.marked.tolist() == [False, False, True, False, False, True, False]


def test_what_is_learnt_from_some_pages_holds_on_others():
    method = LearntCut().fit(*examples(6))
    pages, truths = examples(4, random_state=1)
    found = [method.predict(page).labels for page in pages]
    index = [ari(t[t >= 0], labels[t >= 0]) for t, labels in zip(truths, found, strict=True)]
    assert np.mean(index) > 0.8


def test_marked_units_are_learnt_where_they_are_given():
    pages, truths = examples(3)
    marked = [np.arange(len(leaf_outline(page))) < 3 for page in pages]
    model = fit_blocks(pages, truths, marked)
    odds = model.marked.odds(training_page(pages[0], truths[0]).x)
    assert odds[:3].min() > odds[3:].mean()
    with pytest.raises(ParameterError, match=r"marked must have a value for each unit of .*, got \(2,\)"):
        fit_blocks(pages, truths, [np.ones(2, bool)] * 3)


def test_the_same_pages_give_the_same_model():
    first, again = (fit_blocks(*examples(3)) for _ in range(2))
    assert first.opened.weight.tolist() == again.opened.weight.tolist()
    assert first.joins.bias == again.joins.bias


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("html", [BLOG, "x", "<div hidden>x</div>", ""])
@pytest.mark.parametrize("label", ["one", "each", "none"])
def test_odd_truths_and_pages_are_scored(html, label, layout):
    page = read(html, layout)
    truth = {"one": np.zeros, "each": np.arange, "none": lambda n: np.full(n, -1)}[label](len(page.dom))
    other = read(BLOG, layout)
    model = fit_blocks([page, other], [truth.astype(np.int32), np.full(len(other.dom), -1)])
    result = LearntCut(model=model).predict(other)
    assert np.isfinite(result.energy)
    assert len(result) >= 1


def test_pages_with_and_without_boxes_are_not_learnt_from_together():
    pages = [read(BLOG), read(BLOG, "lines")]
    truths = [np.zeros(len(page.dom), np.int32) for page in pages]
    with pytest.raises(ParameterError, match="all have a view, or none: 1 of 2 have none, such as page"):
        fit_blocks(pages, truths)


def test_a_model_with_boxes_needs_them_and_one_without_ignores_them():
    truth = np.zeros(len(read(BLOG).dom), np.int32)
    plain, boxes = (fit_blocks([read(BLOG, layout)], [truth]) for layout in LAYOUTS)
    assert (plain.has_boxes, boxes.has_boxes) == (False, True)
    with pytest.raises(RenderError, match="learnt from pages with boxes, and this page has none"):
        LearntCut(model=boxes).predict(read(BLOG))
    results = [LearntCut(model=plain).predict(read(BLOG, layout)) for layout in LAYOUTS]
    assert results[0].labels.tolist() == results[1].labels.tolist()


def test_missing_truths_and_truths_of_other_pages_give_one_sentence():
    page = read(BLOG)
    for pages, truths, words in (
        ([], [], "pages and labels for each page, got 0 and 0"),
        ([page], [], "got 1 and 0"),
        ([page], [np.zeros(3)], r"a label per node of page, .*, got \(3,\)"),
    ):
        with pytest.raises(ParameterError, match=words):
            fit_blocks(pages, truths)
