"""What of a page can be seen: boxes against the page and against the clips that hold them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from webgrain.page.view import POSITION

if TYPE_CHECKING:
    from webgrain.page.dom import Dom, Int32

Bools = NDArray[np.bool_]
_SPECK = 1.0
_ABSOLUTE, _FIXED = POSITION.index("absolute"), POSITION.index("fixed")


@dataclass(frozen=True, slots=True)
class Clipping:
    """Styles that decide whether a node can be seen; all False and 0 at texts.

    Attributes:
        position: (n,) int8 into `POSITION`.
        clips: (n, 2) bool, True where overflow in x, in y is cut off.
        holds_fixed: (n,) bool, True where even fixed boxes are placed and cut off by the element.
        erased: (n,) bool, True where the element and all below it is transparent or clipped to nothing.
    """

    position: NDArray[np.int8]
    clips: Bools
    holds_fixed: Bools
    erased: Bools


def nearest(parent: Int32, mark: Bools) -> Int32:
    """Nearest ancestor-or-self of every node that is marked, -1 for none.

    Every node points to itself if it is marked, else to its parent; to follow all pointers at once doubles
    how far they reach, so a tree of depth d takes log2(d) passes.

    >>> nearest(np.array([-1, 0, 1, 0]), np.array([True, True, False, False])).tolist()
    [0, 1, 1, 0]
    """
    n = len(parent)
    up = np.append(np.where(mark, np.arange(n), np.where(parent < 0, n, parent)), n)
    while not np.array_equal(further := up[up], up):
        up = further
    return np.where(up[:n] == n, -1, up[:n]).astype(np.int32)


def in_sight(dom: Dom, box: NDArray[np.float32], style: Clipping, size: tuple[float, float]) -> Bools:
    """(n,) True where a box is on the page, inside all clips that hold it, and not erased.

    More than 1 px² must be left of it: smaller ones are there to be counted or read aloud, not to be seen.
    box: (n, 4) x, y, width, height; size: of the page. The intersection of all clips above a node is found
    by following all pointers at once, as in `nearest`; the page is the clip above the root.

    Source: CSS 2.2, 11.1.1: overflow clips what has the element as a containing block, so an absolute box
    escapes the clip of an ancestor that is not positioned.
    """
    n = len(box)
    low, high = box[:, :2], box[:, :2] + box[:, 2:]
    clip_low = np.vstack([np.where(style.clips, low, -np.inf), np.zeros((1, 2))])
    clip_high = np.vstack([np.where(style.clips, high, np.inf), [size]])
    first = _containing_block(dom, style)
    first = np.where(first < 0, n, first)
    up = np.append(first, n)
    while (up < n).any():
        clip_low, clip_high = np.maximum(clip_low, clip_low[up]), np.minimum(clip_high, clip_high[up])
        up = up[up]
    left = np.maximum(np.minimum(high, clip_high[first]) - np.maximum(low, clip_low[first]), 0)
    seen: Bools = left[:, 0] * left[:, 1] > _SPECK
    return seen & (nearest(dom.parent, style.erased) < 0)


def _containing_block(dom: Dom, style: Clipping) -> Int32:
    """Return the element whose clip holds a node first: its parent unless it is absolute or fixed."""
    positioned = (style.position > 0) | style.holds_fixed
    above = dom.parent
    absolute = np.where(above < 0, -1, nearest(above, positioned)[above])
    fixed = np.where(above < 0, -1, nearest(above, style.holds_fixed)[above])
    return np.select([style.position == _ABSOLUTE, style.position == _FIXED], [absolute, fixed], above)
