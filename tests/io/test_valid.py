"""Arrays that are invalid for compiled code are rejected."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

from webgrain.base.errors import ReadError
from webgrain.io.store import _is_tree, check
from webgrain.page.page import Page, View
from webgrain.page.parsing import parse_html

if TYPE_CHECKING:
    from webgrain.page.dom import Dom


@pytest.fixture
def dom() -> Dom:
    # 0 html, 1 head, 2 body, 3 p, 4 text, 5 b, 6 text, 7 text
    dom = parse_html(b"<p class=a my-name=b>one<b>two</b>three")
    # Unlike the usual ones, all of these names are used.
    return replace(
        dom,
        tag=np.array([1, 2, 3, 4, 0, 5, 0, 0], np.int32),
        tags=("#text", "html", "head", "body", "p", "b"),
        attr_name=np.array([0, 1], np.int32),
        names=("class", "my-name"),
    )


@pytest.fixture
def view(dom: Dom) -> View:
    n = len(dom)
    zeros = np.zeros(n, np.int32)
    return View(
        np.zeros((n, 4), np.float32), zeros.astype(bool), zeros.astype(np.int8), zeros.astype(np.int8), zeros,
        np.zeros(n, np.float32), zeros.astype(np.int16), zeros.astype(bool), np.zeros((n, 4), np.uint8),
        np.zeros((n, 4), np.uint8), zeros - 1, zeros.astype(bool), ("Arial",), 1.0, 1.0, (1, 1), "chromium",
    )  # fmt: skip


def changed(array: np.ndarray, at: Any, value: float) -> np.ndarray:
    copy = array.copy()
    copy[at] = value
    return copy


def test_a_page_is_valid(dom: Dom, view: View) -> None:
    check(Page("a", dom))
    check(Page("a", dom, view))


@pytest.mark.parametrize(
    ("field", "at", "value"),
    [
        ("parent", 0, 0),
        ("parent", 3, -1),
        ("parent", 3, 3),
        ("parent", 3, 5),
        ("parent", 3, 99),
        ("parent", 7, 5),
        ("parent", 6, 4),
        ("end", 0, 7),
        ("end", 0, 99),
        ("end", 3, 3),
        ("end", 1, 3),
        ("end", 5, 6),
        ("end", 5, 8),
        ("end", 5, -1),
        ("tag", 1, -1),
        ("tag", 1, 99),
        ("tag", 3, 0),
        ("attr_name", 0, -1),
        ("attr_name", 0, 2),
        ("text_start", 0, 1),
        ("text_start", -1, 99),
        ("text_start", 5, 2**30),
        ("attr_start", 2, 2),
        ("attr_start", -1, 3),
        ("value", 0, -1),
        ("value", -1, 2**30),
    ],
)
def test_a_dom_with_one_wrong_number_is_an_error(dom: Dom, field: str, at: int, value: int) -> None:
    wrong = replace(dom, **{field: changed(getattr(dom, field), at, value)})
    with pytest.raises(ReadError, match=r"^The stored page is damaged: .*\.$"):
        check(Page("a", wrong))


@pytest.mark.parametrize(
    "field", ["parent", "end", "tag", "text_start", "attr_start", "attr_name", "value", "tags", "names"]
)
def test_a_dom_with_a_short_column_is_an_error(dom: Dom, field: str) -> None:
    for short in (getattr(dom, field)[:-1], getattr(dom, field)[:0]):
        with pytest.raises(ReadError):
            check(Page("a", replace(dom, **{field: short})))


@pytest.mark.parametrize(
    ("field", "at", "value"),
    [
        ("box", (3, 2), np.nan),
        ("font_size", 0, np.inf),
        ("display", 2, 99),
        ("display", 2, -1),
        ("position", 2, 5),
        ("font", 0, 1),
        ("font", 0, -1),
        ("painter", 3, 4),
        ("painter", 3, -2),
    ],
)
def test_a_view_with_one_wrong_number_is_an_error(
    dom: Dom, view: View, field: str, at: Any, value: float
) -> None:
    wrong = replace(view, **{field: changed(getattr(view, field), at, value)})
    with pytest.raises(ReadError, match=r"^The stored page is damaged: .*\.$"):
        check(Page("a", dom, wrong))


def test_other_faults_of_a_view_are_errors(dom: Dom, view: View) -> None:
    for wrong in (
        replace(view, visible=view.visible[:-1]),
        replace(view, width=float("nan")),
        replace(view, viewport=(1, 2, 3)),
        replace(view, fonts=()),
    ):
        with pytest.raises(ReadError):
            check(Page("a", dom, wrong))


def test_exactly_the_trees_in_document_order_are_valid() -> None:
    """Every pair of parents and ends for up to four nodes, against what makes a tree."""
    for n in range(1, 5):
        valid = set()
        for parents in product(*(range(node) for node in range(1, n))):
            parent = (-1, *parents)
            ends = [max([k for k in range(n) if node in chain(parent, k)]) + 1 for node in range(n)]
            if all(chain(parent, k) >= {node} for node in range(n) for k in range(node, ends[node])):
                valid.add((parent, tuple(ends)))
        for parent in product([-1], *[range(-1, n)] * (n - 1)):
            for end in product(range(1, n + 1), repeat=n):
                found = _is_tree(np.array(parent, np.int32), np.array(end, np.int32))
                assert found == ((parent, end) in valid), (parent, end)


def chain(parent: tuple[int, ...], node: int) -> set[int]:
    found = set()
    while node >= 0:
        found.add(node)
        node = parent[node]
    return found
