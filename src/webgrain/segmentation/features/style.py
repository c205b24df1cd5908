"""The appearance of leaves and other nodes of a page with a View, for features."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.base.readonly import ReadOnly
from webgrain.page.page import View

FARTHEST = 1e6
"""px; coordinates beyond, from a hostile style sheet, are clipped."""


@dataclass(frozen=True, slots=True, eq=False)
class Style(ReadOnly):
    """The appearance of k nodes of a page.

    Attributes:
        box: (k, 4) float64 left, top, right, bottom in px: the union of the boxes of the node's leaves, since
            the box of an element does not always contain its content (floats, inline elements).
        font: (k,) number of the font family; font_size: (k,) px; bold: (k,) bool.
        color, background: (k, 3) red, green, blue, 0..1.
        painter: (k,) node of the Dom that paints the background, -1 for the canvas.
        width, height: of the page in px.

    """

    box: Float64
    font: Int32
    font_size: Float64
    bold: Bool
    color: Float64
    background: Float64
    painter: Int32
    width: float
    height: float


def style_of(view: View, nodes: NDArray[np.integer[Any]], box: Float64) -> Style:
    """Return the style of some nodes (k,) of the Dom, with their boxes (k, 4), see `Style`."""
    return Style(
        box=box,
        font=view.font[nodes],
        font_size=np.clip(np.nan_to_num(view.font_size[nodes].astype(np.float64)), 1.0, 1000.0),
        bold=view.font_weight[nodes] >= 600,
        color=view.color[nodes, :3] / 255.0,
        background=view.background[nodes, :3] / 255.0,
        painter=view.painter[nodes],
        width=float(np.clip(view.width, 1.0, FARTHEST)),
        height=float(np.clip(view.height, 1.0, FARTHEST)),
    )


def leaf_boxes(view: View, leaves: NDArray[np.integer[Any]]) -> Float64:
    """Return left, top, right, bottom (l, 4) of the boxes of leaves (l,), nodes of the Dom."""
    left, top, width, height = np.nan_to_num(view.box[leaves].astype(np.float64)).T
    edges = np.stack([left, top, left + width.clip(0.0), top + height.clip(0.0)], axis=1)
    boxes: Float64 = np.clip(edges, -FARTHEST, FARTHEST)
    return boxes


def boxes_around(edges: Float64, low: NDArray[np.integer[Any]], high: NDArray[np.integer[Any]]) -> Float64:
    """Return the union (m, 4) of the boxes (l, 4) of the leaves ``low:high`` (m,).

    >>> boxes_around(np.array([[0.0, 0, 1, 1], [2, 0, 3, 5]]), np.array([0]), np.array([2])).tolist()
    [[0.0, 0.0, 3.0, 5.0]]
    """
    if not len(edges):
        return np.zeros((len(low), 4))
    corners = over_spans(np.minimum, edges[:, :2], low, high), over_spans(np.maximum, edges[:, 2:], low, high)
    return np.concatenate(corners, axis=1)


def over_spans(
    pick: np.ufunc, x: NDArray[Any], low: NDArray[np.integer[Any]], high: NDArray[np.integer[Any]]
) -> NDArray[Any]:
    """Return the least or greatest (m, ...) of ``x`` (l, ...) at the places ``low:high``, by a ufunc.

    >>> over_spans(np.maximum, np.array([1, 5, 4]), np.array([0, 2]), np.array([2, 3])).tolist()
    [5, 4]
    """
    spans = np.stack([low, high], axis=1).ravel()
    picked: NDArray[Any] = pick.reduceat(np.concatenate([x, x[-1:]]), spans, axis=0)[::2]  # may end past x
    return picked


def weighted_median(x: Float64, weight: Float64) -> Float64:
    """Return the median (1,) of ``x`` (l,) by weight (l,) >= 0; none, (0,), of no values.

    >>> weighted_median(np.array([30.0, 12.0]), np.array([5.0, 100.0])).tolist()
    [12.0]
    """
    order = np.argsort(x, kind="stable")
    total = np.cumsum(weight[order])
    return x[order[np.searchsorted(total, total[-1:] / 2)]]


def usual_size(size: Float64, text: Float64) -> float:
    """Return the median font size in px over the characters of text leaves (t,), 16 where there are none.

    Of each leaf 200 characters count at most: one long text is not yet the usual.

    >>> usual_size(np.array([30.0, 12.0]), np.array([5.0, 100.0]))
    12.0
    """
    if not len(size):
        return 16.0
    return float(weighted_median(size, text.clip(1.0, 200.0))[0])
