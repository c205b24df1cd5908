from __future__ import annotations

import pytest
from experiments.datasets.synthetic_pages import make_pages

from webgrain.base.errors import ParameterError
from webgrain.io.labels import truth_of
from webgrain.page.parsing import parse


def test_the_same_seed_gives_the_same_pages() -> None:
    first, again, other = (make_pages(3, random_state=seed) for seed in (1, 1, 2))
    assert [page.source.body for page in first] == [page.source.body for page in again]
    assert [page.source.body for page in first] != [page.source.body for page in other]
    assert make_pages(1, random_state=1)[0].source.body == first[0].source.body


def test_every_leaf_is_in_a_segment_and_every_segment_has_leaves() -> None:
    for page in make_pages(5):
        truth = truth_of(parse(page.source), page.segments)
        assert (truth.fine >= 0).all()
        assert set(truth.fine.tolist()) | {0} == set(range(len(page.segments)))
        assert b"data-block" not in page.source.body


def test_pages_grow_with_size() -> None:
    small, large = (len(make_pages(1, size=size)[0].source.body) for size in (2, 30))
    assert large > 5 * small


def test_wrong_calls() -> None:
    with pytest.raises(ParameterError, match="at least 1, got 0 and 5"):
        make_pages(0)
