"""What the visible nodes of a page look like, whether it was laid out or not.

A page without a View looks like a list of lines: one below the other, one for each leaf, all in one style.
What is computed from a Look therefore needs no case for it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.subtrees import ancestor_sum
from webgrain.page.dom import freeze

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page

    Floats = NDArray[np.float64]

LINE = (1000.0, 20.0)
"""Width and height in px of the line that stands for a leaf without layout."""

FARTHEST = 1e6
"""px; what a hostile style sheet puts beyond is drawn back to here."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Columns over the k nodes of a visible tree.

    Attributes:
        box: (k, 4) float64 left, top, right, bottom in px: the union of the boxes of the node's leaves, since
            an element's own box need not hold what is in it (floats, inline elements).
        font_size: (k,) px; bold: (k,) bool; color, background: (k, 3) red, green, blue, 0..1.
        painter: (k,) node of the Dom that paints the background, -1 for the canvas.
        width, height: of the page in px.

    """

    box: Floats
    font_size: Floats
    bold: NDArray[np.bool_]
    color: Floats
    background: Floats
    painter: NDArray[np.int32]
    width: float
    height: float

    def __post_init__(self) -> None:
        freeze(self)


def look(page: Page, tree: VisibleTree) -> Look:
    """Return what the nodes of ``tree``, the visible tree of ``page``, look like.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> look(page, visible_tree(page)).box[-1].tolist()  # the second line
    [0.0, 20.0, 1000.0, 40.0]
    """
    if page.view is None:
        return _lines(tree)
    view, node = page.view, tree.node
    left, top, width, height = np.nan_to_num(view.box[node[tree.leaves]].astype(np.float64)).T
    edges = np.clip(
        np.stack([left, top, left + width.clip(0.0), top + height.clip(0.0)], axis=1), -FARTHEST, FARTHEST
    )
    return Look(
        box=_union(tree, edges),
        font_size=np.clip(np.nan_to_num(view.font_size[node].astype(np.float64)), 1.0, 1000.0),
        bold=view.font_weight[node] >= 600,
        color=view.color[node, :3] / 255.0,
        background=view.background[node, :3] / 255.0,
        painter=view.painter[node],
        width=float(np.clip(view.width, 1.0, FARTHEST)),
        height=float(np.clip(view.height, 1.0, FARTHEST)),
    )


def leaves_before(tree: VisibleTree) -> NDArray[np.int64]:
    """(k + 1,) number of leaves before each node; node u holds the leaves ``[u]:[end[u]]`` of the page."""
    return np.concatenate([[0], np.cumsum(tree.kind > 0)])


def marked_above(tree: VisibleTree, mark: NDArray[np.bool_]) -> NDArray[np.int64]:
    """(k,) number of marked nodes among a node and its ancestors."""
    return ancestor_sum(mark, tree.end) + mark


def _lines(tree: VisibleTree) -> Look:
    k, before = len(tree), leaves_before(tree)
    top = LINE[1] * np.arange(before[-1])
    edges = np.stack([0 * top, top, 0 * top + LINE[0], top + LINE[1]], axis=1)
    return Look(
        box=_union(tree, edges),
        font_size=np.full(k, 16.0),
        bold=np.zeros(k, bool),
        color=np.zeros((k, 3)),
        background=np.ones((k, 3)),
        painter=np.full(k, -1, np.int32),
        width=LINE[0],
        height=max(LINE[1] * float(before[-1]), 1.0),
    )


def _union(tree: VisibleTree, edges: Floats) -> Floats:
    """Spread the edges (l, 4) of the leaves over all nodes: least left and top, greatest right and bottom."""
    if not len(edges):
        return np.zeros((len(tree), 4))
    before = leaves_before(tree)
    spans = np.stack([before[:-1], before[tree.end]], axis=1).ravel()
    padded = np.concatenate([edges, edges[-1:]])  # the end of a span may be one past the last leaf
    low = np.minimum.reduceat(padded[:, :2], spans)[::2]
    high = np.maximum.reduceat(padded[:, 2:], spans)[::2]
    return np.concatenate([low, high], axis=1)
