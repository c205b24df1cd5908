"""Which leaves are neighbours.

Source: Chakrabarti, Kumar, Punera, WWW 2008, section 4.2: pairwise costs are not zero only "when nodes p and
q are visually close neighbors in the rendering of the webpage".

Unclear: which leaves are close neighbours. Here q is a neighbour of p when it is the nearest leaf to the left
or right, above or below that shares more than 1 px of extent with p and lies no more than 400 px away. Each
unordered pair counts once. On a page without a View, neighbours are leaves that follow each other in the
document, and the first leaves of siblings that follow each other.

Cost: l log l for l leaves; a search gives up after 4096 leaves, so l * 4096 at worst.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels._compiled import warn_once
from webgrain.kernels.neighbours import COMPILED, sweep
from webgrain.segment.look import leaves_before, look

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page

REACH = 400.0
"""px; the greatest gap between neighbours."""

OVERLAP = 1.0
"""px of extent that neighbours share at least."""

SLACK = 2.0
"""px by which the boxes of neighbours may overlap: line boxes often do."""

TRIES = 4096
"""Leaves that the search for one neighbour looks at."""


def adjacent_leaves(page: Page, tree: VisibleTree) -> NDArray[np.int32]:
    """Return the neighbouring leaves (m, 2) of ``tree``, the visible tree of ``page``.

    Pairs are places among the leaves, the smaller first, sorted, each once.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>0<p>1</div><div><p>2<p>3</div>"))
    >>> adjacent_leaves(page, visible_tree(page)).tolist()
    [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    pairs = _in_document(tree) if page.view is None else _in_rendering(page, tree)
    n = max(len(tree.leaves), 1)
    key = np.unique(pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1))
    return np.stack(np.divmod(key, n), axis=1).astype(np.int32)


def _in_document(tree: VisibleTree) -> NDArray[np.int64]:
    before = leaves_before(tree)
    consecutive = np.arange(1, max(before[-1], 1))
    following = tree.end[1:] < tree.end[tree.parent[1:]]
    child = np.flatnonzero(following) + 1
    pairs = [(consecutive - 1, consecutive), (before[child], before[tree.end[child]])]
    return np.concatenate([np.stack(pair, axis=1) for pair in pairs])


def _in_rendering(page: Page, tree: VisibleTree) -> NDArray[np.int64]:
    warn_once(COMPILED)
    left, top, right, bottom = np.ascontiguousarray(look(page, tree).box[tree.leaves].T)
    towards = [
        (left, right, top, bottom),
        (-right, -left, top, bottom),
        (top, bottom, left, right),
        (-bottom, -top, left, right),
    ]
    found = np.concatenate([_nearest(*edges) for edges in towards])
    place = np.tile(np.arange(len(left)), 4)
    return np.stack([place, found], axis=1)[found >= 0]


def _nearest(
    near: NDArray[np.float64], far: NDArray[np.float64], low: NDArray[np.float64], high: NDArray[np.float64]
) -> NDArray[np.int32]:
    order = np.argsort(near, kind="stable").astype(np.int32)
    first = np.searchsorted(near[order], far - SLACK).astype(np.int32)
    out = np.empty(len(near), np.int32)
    sweep(near, far, low, high, order, first, REACH, OVERLAP, TRIES, out)
    return out
