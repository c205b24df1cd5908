from __future__ import annotations

import numpy as np
import pytest
from tests.segment.pages import BLOG, read

from webgrain.metrics.partition import ari
from webgrain.segment.blockfit import mark
from webgrain.segment.blockindex import ExpectedIndex

PAGES = [read(BLOG), read("<ul><li>1<li>2<li>3</ul><div><p>4<p>5</div>6")]


def marked(page, seed):
    """A page with random segments of two neighbouring texts or so."""
    rng = np.random.default_rng(seed)
    truth = np.where(page.dom.is_text, np.cumsum(rng.random(len(page.dom)) < 0.3), -1)
    return mark(page, truth), truth


def test_derivatives_are_those_of_small_steps():
    index = ExpectedIndex([marked(page, k)[0] for k, page in enumerate(PAGES)])
    rng = np.random.default_rng(0)
    chances = rng.random(sum(len(marked(page, k)[0].units.inner) for k, page in enumerate(PAGES)))
    _, slope = index(chances)
    for k in range(len(chances)):
        step = np.eye(len(chances))[k] * 1e-6
        difference = (index(chances + step)[0].sum() - index(chances - step)[0].sum()) / 2e-6
        assert slope[k] == pytest.approx(difference, abs=1e-6)


@pytest.mark.parametrize("seed", range(5))
def test_the_index_of_a_certain_cut_is_its_rand_index(seed):
    page, truth = marked(PAGES[1], seed)  # the page, the list, three items, the div, two texts, the last
    units = page.units
    opened = dict(
        zip(units.inner.tolist(), np.random.default_rng(seed + 9).random(len(units.inner)) < 0.5, strict=True)
    )
    labels = []
    for leaf in np.flatnonzero(units.children == 0).tolist():
        way = [leaf]
        while units.parent[way[0]] >= 0:
            way.insert(0, int(units.parent[way[0]]))
        labels.append(next(u for u in way if not opened.get(u, False)))
    true = truth[truth >= 0]
    some = len(set(true.tolist())) > 1 and len(set(true.tolist())) < len(true)
    index, _ = ExpectedIndex([page])(np.array([float(opened[u]) for u in units.inner.tolist()]))
    assert index[0] == pytest.approx(ari(true, np.array(labels)) if some else 0.0)


def test_a_page_that_is_one_segment_tells_nothing():
    page = PAGES[1]
    one = mark(page, np.where(page.dom.is_text, 0, -1))
    index, slope = ExpectedIndex([one])(np.full(len(one.units.inner), 0.5))
    assert index.tolist() == [0.0]
    assert not slope.any()
