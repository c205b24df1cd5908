from __future__ import annotations

import itertools
from typing import TYPE_CHECKING

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.views import with_lines

from webgrain.base.metrics import ari
from webgrain.evaluation.evaluate import BASELINES, PerLeaf, best_labels, cut_at, shares_of
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse, parse_html

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.page.dom import Dom

HTML = "<div><div><p>a<p>b</div><ul><li>c<li>d</ul>e</div><table><tr><td>f<td>g</table>"
MESSY = ["", "x", "<p>", "<p hidden>x", "<div>" * 600 + "x", "<img src=a>" * 500, "<frameset><frame>", HTML]


def read(html: str) -> Page:
    page = parse(Source("a", html.encode()))
    return with_lines(page)


def parts(page: Page, name: str, member: int = 0) -> list[str]:
    """Texts of the segments of a rule."""
    labels = BASELINES[name][member].predict(page).labels
    tree = visible_tree(page)
    leaf = tree.leaf_node
    return ["".join(page.dom.text_of(n) for n in leaf[labels[leaf] == k]) for k in range(labels.max() + 1)]


def test_one_segment_and_one_per_leaf() -> None:
    assert parts(read(HTML), "one segment") == ["abcdefg"]
    assert parts(read(HTML), "one per leaf") == list("abcdefg")


def test_depth_counts_from_the_first_branch_and_leaves_between_are_one_segment() -> None:
    page = read(f"<div><div>{HTML}</div></div>")
    assert parts(page, "best depth", 0) == ["abcde", "fg"]
    assert parts(page, "best depth", 1) == ["ab", "cd", "e", "fg"]


def test_shares() -> None:
    page = read(HTML)
    shares = shares_of(page, visible_tree(page))
    assert shares.leaves[:2].tolist() == [1.0, 1.0]
    assert shares.depth[:3].tolist() == [-1, 0, 1]
    assert 0 < shares.section[1] <= 1
    without_view = parse(Source("a", HTML.encode()))
    plain = shares_of(without_view, visible_tree(without_view))
    assert plain.area.tolist() == plain.leaves.tolist()


@pytest.mark.parametrize("html", MESSY)
def test_rules_cut_every_page(html: str) -> None:
    page = read(html)
    leaves = visible_tree(page)
    for rule in itertools.chain(*BASELINES.values()):
        labels = rule.predict(page).labels
        assert len(labels) == len(page.dom)
        assert (labels[leaves.leaf_node] >= 0).all()


def test_the_order_of_opening_is_from_the_root() -> None:
    page = read(HTML)
    tree = visible_tree(page)
    closed_above = np.ones(len(tree), bool)
    closed_above[1] = False  # body
    assert len(np.unique(cut_at(tree, closed_above)[tree.leaf])) == 1


def antichains(dom: Dom, node: int) -> Iterator[frozenset[int]]:
    """All sets of nodes that do not overlap and cover all below ``node``."""
    yield frozenset([node])
    below = list(dom.children(node))
    if below:
        for chosen in itertools.product(*(list(antichains(dom, child)) for child in below)):
            yield frozenset().union(*chosen)


@st.composite
def pages(draw: st.DrawFn) -> tuple[Dom, np.ndarray]:
    """A small page of texts in nested boxes, and a true label for each."""
    shape = st.recursive(st.just("<i>x</i>"), lambda t: st.lists(t, min_size=1, max_size=3), max_leaves=6)

    def html(tree: object) -> str:
        return tree if isinstance(tree, str) else f"<div>{''.join(map(html, tree))}</div>"  # type: ignore[arg-type]

    dom = parse_html(html(draw(shape)))
    n = int(dom.is_text.sum())
    return dom, np.array(draw(st.lists(st.integers(0, 2), min_size=n, max_size=n)))


@settings(deadline=None, max_examples=60)
@given(pages())
def test_no_cut_is_better_than_the_best_cut(page: tuple[Dom, np.ndarray]) -> None:
    dom, truth = page
    leaf = np.flatnonzero(dom.is_text).astype(np.int32)
    labels = best_labels(dom, leaf, truth.astype(np.int32))
    best = -1.0
    for chosen in antichains(dom, 0):
        found = np.full(len(dom), -1)
        for node in chosen:
            found[node : dom.end[node]] = node
        best = max(best, ari(truth, found[leaf]))
    assert ari(truth, labels[leaf]) == pytest.approx(best)


def test_a_leaf_above_the_others_can_be_a_segment() -> None:
    dom = parse_html("<button>x<p>a<p>b</button>")
    leaf = np.array([3, 6, 8], np.int32)  # the button itself, and two texts in it
    labels = best_labels(dom, leaf, np.array([0, 1, 2], np.int32))
    assert len(set(labels[leaf].tolist())) == 3


def test_per_leaf_without_leaves() -> None:
    assert (PerLeaf().predict(read("")).labels == -1).all()
