"""Baselines of segmentation that every method must beat, and the best cut of the tree that none can beat.

A rule opens nodes from the root downwards. A node that is not opened is a segment with all its leaves, and
the leaves directly below an opened node form one segment. A node with a single child is always opened.

The best cut uses the ground truth: among all sets of disjoint subtrees as segments (other leaves being
separate segments) it has the greatest adjusted Rand index. Let T = sum of C(n, 2) over the true parts of
n leaves, N = C(all leaves, 2), A_u the pairs of leaves below u that are truly together, and B_u all pairs of
leaves below u. The index of a cut is

    (A - B T / N) / ((B + T) / 2 - B T / N)     A, B summed over the chosen subtrees

a ratio of linear functions, which Dinkelbach's method maximises exactly (Management Science 13, 1967): while
the ratio theta grows, choose the subtrees that maximise the numerator minus theta times the denominator.
Up to a constant this is the sum of A_u - B_u (T / N + theta (1/2 - T / N)), a dynamic program over the tree.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, Int64
from webgrain.metrics import ari
from webgrain.page.dom import Dom, ancestor_sum
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.results import Segmentation, canonical
from webgrain.segmentation.solvers.treedp import tree_labels

SECTIONING = frozenset(
    ("div", "table", "tbody", "tr", "td", "section", "article", "header", "footer", "nav", "aside", "main",
     "ul", "ol", "form", "center", "fieldset", "dl", "iframe")
)  # fmt: skip
"""Tags of elements that divide a page into sections."""


@dataclass(frozen=True, slots=True, eq=False)
class Shares:
    """Size of each node of a visible tree relative to its page; arrays (k,).

    leaves: share of the leaves; area: share of the area, 0 without a view; section: the greatest area share
    of a child that is `SECTIONING`; depth: levels below the first node with several children, negative above.
    """

    leaves: Float64
    area: Float64
    section: Float64
    depth: Int64


@dataclass(frozen=True, slots=True, eq=False)
class Rule:
    """A baseline that opens the nodes for which ``opens`` returns True (k,).

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> len(Rule("two levels", lambda shares: shares.depth < 1).predict(page))
    2
    """

    name: str
    opens: Callable[[Shares], Bool]

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        tree = visible_tree(page)
        labels = cut(tree, self.opens(shares_of(page, tree))) if len(tree) else np.zeros(0, np.int32)
        return Segmentation(canonical(tree.to_dom(labels)), self.name)


@dataclass(frozen=True, slots=True)
class PerLeaf:
    """The baseline that makes each leaf a segment."""

    name: str = "one per leaf"

    def predict(self, page: Page) -> Segmentation:
        """Return the segments of a page."""
        tree = visible_tree(page)
        labels = np.where(tree.kind > 0, np.arange(len(tree)), -1)
        return Segmentation(canonical(tree.to_dom(labels)), self.name)


def _depth(levels: int) -> Rule:
    return Rule(f"depth {levels}", lambda shares: shares.depth < levels)


def _sectioning(t: float) -> Rule:
    return Rule(f"sectioning {t}", lambda shares: (shares.area > t) & (shares.section > t))


def _combined(a: float, b: float) -> Rule:
    def opens(shares: Shares) -> Bool:
        return (shares.section > 0.01) & ((shares.leaves > a) | (shares.area > b))

    return Rule(f"combined {a} {b}", opens)


BASELINES: dict[str, tuple[Rule | PerLeaf, ...]] = {
    "one segment": (Rule("one segment", lambda shares: np.zeros(len(shares.area), np.bool_)),),
    "one per leaf": (PerLeaf(),),
    "best depth": tuple(_depth(levels) for levels in range(1, 7)),
    "15 % of the area": (Rule("area 0.15", lambda shares: shares.area > 0.15),),
    "sectioning": tuple(_sectioning(t) for t in (0.015, 0.03, 0.08)),
    "combined": (_combined(0.1, 0.2), _combined(0.3, 0.1), _combined(0.3, 0.3)),
}
"""Baselines by name. Of several settings, the one that is best on the evaluated pages themselves is used."""


def shares_of(page: Page, tree: VisibleTree) -> Shares:
    """Return the shares of the nodes of the visible tree of a page, which has at least one node."""
    before = np.append(0, np.cumsum(tree.kind > 0))
    area = np.zeros(len(tree))
    if page.view is not None:
        area = page.view.box[tree.node, 2:].prod(axis=1) / max(page.view.width * page.view.height, 1.0)
    is_section = np.array([tag in SECTIONING for tag in page.dom.tags])[page.dom.tag[tree.node]]
    section = np.zeros(len(tree))
    np.maximum.at(section, tree.parent[1:], np.where(is_section, area, 0.0)[1:])
    depth = ancestor_sum(np.ones(len(tree), np.int64), tree.end)
    first = int((_children(tree) != 1).argmax())
    return Shares((before[tree.end] - before[:-1]) / max(before[-1], 1), area, section, depth - depth[first])


def cut(tree: VisibleTree, opened: Bool) -> Int32:
    """Return labels (k,) of the cut that opens nodes (k,) from the root downwards; -1 for opened nodes.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> tree = visible_tree(parse(Source("a", b"<div><p>One<p>Two</div>Three")))
    >>> cut(tree, tree.node < 3).tolist()  # html, body, div, p, text, p, text, text
    [-1, -1, 2, 2, 2, 2, 2, 1]
    """
    opened = (opened | (_children(tree) == 1)) & (tree.kind == 0)
    reached = ancestor_sum(~opened, tree.end) == 0
    top = np.flatnonzero(reached & ~opened)
    name = np.where(tree.kind[top] > 0, np.maximum(tree.parent[top], 0), top)
    labels = name[np.maximum(np.searchsorted(top, np.arange(len(tree)), side="right") - 1, 0)]
    return np.where(reached & opened, -1, labels).astype(np.int32)


def best_labels(dom: Dom, leaf: Int32, truth: Int32) -> Int32:
    """Return labels (n,) of the cut of ``dom`` into subtrees with the greatest ARI.

    leaf (l,): nodes of ``dom``, ascending; truth (l,): their true labels. A leaf above the chosen subtrees,
    which is a separate segment, has the label -1.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html("<div><p>One<p>Two</div><p>Three")  # html, head, body, div, p, text, p, text, ...
    >>> best_labels(dom, np.array([5, 7, 9], np.int32), np.array([0, 0, 1], np.int32)).tolist()
    [-1, -1, -1, 3, 3, 3, 3, 3, 8, 8]
    """
    together, below, leaves = _pairs_below(dom, leaf, truth)
    true_pairs = float(_pairs(np.unique(truth, return_counts=True)[1]).sum())
    expected = true_pairs / max(float(below[0]), 1.0)
    nodes, no_cost = np.arange(len(dom), dtype=np.int32), np.zeros(len(dom))
    # If the truth has one part, or only parts of one leaf, the ratio of the best cut, one of these, is 0 / 0.
    best = max(np.zeros(len(dom), np.int32), nodes, key=lambda labels: ari(truth, labels[leaf]))
    theta = ari(truth, best[leaf])
    while theta < 1.0:
        rate = expected + theta * (0.5 - expected)
        labels, _ = tree_labels(dom.parent, dom.end, no_cost, nodes, rate * below - together)
        ratio = ari(truth, np.where(labels[leaf] < 0, len(dom) + leaf, labels[leaf]))
        if ratio <= theta + 1e-12:
            break
        best, theta = labels, ratio
    return np.where(leaves > 0, best, -1).astype(np.int32)


def _pairs_below(dom: Dom, leaf: Int32, truth: Int32) -> tuple[Float64, Float64, Float64]:
    """Return A, B and the number of leaves (n,) below each node."""
    _, part = np.unique(truth, return_inverse=True)
    counts = np.zeros((len(dom) + 1, int(part.max(initial=-1)) + 1))
    counts[leaf + 1, part] = 1
    counts = counts.cumsum(axis=0)
    counts = counts[dom.end] - counts[:-1]
    leaves = counts.sum(axis=1)
    return _pairs(counts).sum(axis=1), _pairs(leaves), leaves


def _pairs(count: NDArray[Any]) -> NDArray[Any]:
    pairs: NDArray[Any] = count * (count - 1) / 2
    return pairs


def _children(tree: VisibleTree) -> Int64:
    return np.bincount(tree.parent[1:], minlength=len(tree))
