from __future__ import annotations

import pytest

from webgrain.io.labels import LabelledSegment
from webgrain.labeling.app import agreements
from webgrain.page.page import Source
from webgrain.page.parsing import parse

PAGE = parse(Source("a.html", b"<ul><li>1<li>2</ul><div><p>3<p>4</div><p>5"))
BODY = "/html[1]/body[1]"
UL, DIV, P = f"{BODY}/ul[1]", f"{BODY}/div[1]", f"{BODY}/p[1]"


def marks(*paths: str) -> list[LabelledSegment]:
    return [LabelledSegment(xpath=tuple(path.split())) for path in paths]


def test_the_same_marks_agree_whatever_their_order() -> None:
    [found] = agreements(PAGE, {"kim": marks(UL, DIV, P), "lee": marks(P, UL, DIV)})
    assert (found.a, found.b, found.leaves) == ("kim", "lee", 5)
    assert (found.ari, found.b_cubed) == (1.0, 1.0)


def test_the_numbers_are_those_of_the_definitions() -> None:
    # kim: {1 2} {3 4} {5}, lee: {1 2 3 4} {5}. Pairs: 2 and 6 of 10, 2 in both; expected 2 * 6 / 10.
    [found] = agreements(PAGE, {"kim": marks(UL, DIV, P), "lee": marks(f"{UL} {DIV}", P)})
    assert found.ari == pytest.approx((2 - 1.2) / (4 - 1.2))
    precision = (4 * 2 / 4 + 1) / 5
    assert found.b_cubed == pytest.approx(2 * precision / (precision + 1))


def test_nested_marks_are_compared_by_the_innermost() -> None:
    [found] = agreements(PAGE, {"kim": marks(BODY, UL), "lee": marks(UL, f"{DIV} {P}")})
    assert found.ari == 1.0


def test_leaves_that_neither_has_labelled_do_not_count() -> None:
    [found] = agreements(PAGE, {"kim": marks(UL), "lee": marks(UL)})
    assert (found.leaves, found.ari) == (2, 1.0)


def test_a_leaf_that_one_left_out_is_a_segment_of_its_own_there() -> None:
    # kim: {1 2} {3} {4}, lee: {1 2} {3 4}
    [found] = agreements(PAGE, {"kim": marks(UL), "lee": marks(UL, DIV)})
    assert found.leaves == 4
    assert found.ari == pytest.approx((1 - 2 / 6) / (1.5 - 2 / 6))


def test_every_two_annotators_are_compared() -> None:
    three = {"lee": marks(UL), "kim": marks(UL), "mia": marks(DIV)}
    assert [(one.a, one.b) for one in agreements(PAGE, three)] == [
        ("kim", "lee"),
        ("kim", "mia"),
        ("lee", "mia"),
    ]


def test_a_single_annotator_has_no_agreement() -> None:
    assert agreements(PAGE, {"kim": marks(UL)}) == []
