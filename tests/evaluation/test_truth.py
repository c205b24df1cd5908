from __future__ import annotations

import numpy as np
import pytest
from tests.views import LINE, with_lines

from webgrain.base.errors import ParameterError
from webgrain.io.labels import LabelledSegment, truth_of
from webgrain.page.page import Source
from webgrain.page.parsing import parse

PAGE = parse(Source("a", b"<div>a<ul><li>b<li>c</ul>d</div><p>e<p>f<img src=x>"))


def segment(*css: str) -> LabelledSegment:
    return LabelledSegment(css=css)


def test_innermost_outermost_and_what_is_left_between() -> None:
    truth = truth_of(PAGE, [segment("html > body > div"), segment("html > body > div > ul")])
    assert truth.fine.tolist() == [0, 1, 1, 0, -1, -1, -1]
    assert truth.blocks.tolist() == [-1, 1, 1, -1, -1, -1, -1]
    assert truth.top.tolist() == [0, 0, 0, 0, -1, -1, -1]


def test_the_order_of_the_segments_means_nothing_but_their_labels() -> None:
    truth = truth_of(PAGE, [segment("html > body > div > ul"), segment("html > body > div")])
    assert truth.fine.tolist() == [1, 0, 0, 1, -1, -1, -1]
    assert truth.top.tolist() == [1, 1, 1, 1, -1, -1, -1]


def test_a_segment_of_several_elements() -> None:
    truth = truth_of(PAGE, [segment("html > body > div", "html > body > p:nth-of-type(2)", "#missing")])
    assert truth.fine.tolist() == truth.blocks.tolist() == [0, 0, 0, 0, -1, 0, 0]


@pytest.mark.parametrize("order", [1, -1])
def test_of_segments_with_the_same_root_the_smaller_is_the_inner_one(order: int) -> None:
    both = [segment("html > body > div", "html > body > p"), segment("html > body > p")][::order]
    truth = truth_of(PAGE, both)
    inner, outer = (1, 0)[::order]
    assert truth.fine.tolist() == [outer] * 4 + [inner, -1, -1]
    assert truth.blocks.tolist() == [-1] * 4 + [inner, -1, -1]
    assert truth.top.tolist() == [outer] * 5 + [-1, -1]


def test_weights_of_leaves() -> None:
    assert truth_of(PAGE, []).characters.tolist() == [1, 1, 1, 1, 1, 1, 0]
    assert truth_of(PAGE, []).area is None
    area = truth_of(with_lines(PAGE), []).area
    assert area is not None
    assert area[-1] == LINE[0] * LINE[1]


def test_labels_over_the_dom() -> None:
    truth = truth_of(PAGE, [segment("html > body > div > ul")])
    labels = truth.over(len(PAGE.dom), "fine")
    assert labels[truth.leaf].tolist() == truth.fine.tolist()
    assert np.count_nonzero(labels >= 0) == 2
    with pytest.raises(ParameterError, match="kind must be one of fine, blocks, top, got 'leaf'"):
        truth.partition("leaf")  # type: ignore[arg-type]
