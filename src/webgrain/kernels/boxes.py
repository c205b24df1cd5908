# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""The last steps of a layout: shifts, boxes of inline elements, and what of all this can be seen."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

from webgrain.kernels import cascade as k

COMPILED = cython.compiled


def settle(
    parent: cython.const[cython.int][::1],
    role: cython.const[cython.schar][::1],
    style: cython.const[cython.float][:, ::1],
    box: cython.double[:, ::1],
    shift: cython.double[:, ::1],
):
    """Carry out shifts in place, and put the boxes of inline elements around their content.

    box: (n, 4) x, y, width, height. shift: (n, 3) of a node to the right and down, and of its content down;
    used up. Relatively positioned nodes are shifted by their style.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    u: cython.Py_ssize_t
    p: cython.Py_ssize_t
    position: cython.Py_ssize_t = k.POSITION
    left: cython.Py_ssize_t = k.LEFT
    top: cython.Py_ssize_t = k.TOP
    low: cython.double[:, ::1] = np.full((n, 2), np.inf)
    high: cython.double[:, ::1] = np.full((n, 2), -np.inf)
    for u in range(1, n):
        if role[u] == 0:
            continue
        p = parent[u]
        if style[u, position] == 1 and role[u] != 1:
            if style[u, left] == style[u, left]:
                shift[u, 0] += style[u, left]
            if style[u, top] == style[u, top]:
                shift[u, 1] += style[u, top]
        shift[u, 0] += shift[p, 0]
        shift[u, 1] += shift[p, 1] + shift[p, 2]
        box[u, 0] += shift[u, 0]
        box[u, 1] += shift[u, 1]
    for u in range(n - 1, 0, -1):
        if role[u] == 3 and low[u, 0] <= high[u, 0]:
            box[u, 0] = low[u, 0]
            box[u, 1] = low[u, 1]
            box[u, 2] = high[u, 0] - low[u, 0]
            box[u, 3] = high[u, 1] - low[u, 1]
        p = parent[u]
        if 0 < role[u] < 6 and role[p] == 3 and box[u, 3] > 0:  # floats and positioned boxes stand apart
            low[p, 0] = min(low[p, 0], box[u, 0])
            low[p, 1] = min(low[p, 1], box[u, 1])
            high[p, 0] = max(high[p, 0], box[u, 0] + box[u, 2])
            high[p, 1] = max(high[p, 1], box[u, 1] + box[u, 3])


def see(
    parent: cython.const[cython.int][::1],
    role: cython.const[cython.schar][::1],
    box: cython.const[cython.double][:, ::1],
    style: cython.const[cython.float][:, ::1],
):
    """Return visible (n,) bool: laid out, with an area, on the page, not transparent, hidden or clipped away.

    A box clips its content where its style fixes its size and hides what overflows.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    visible = np.zeros(n, np.bool_)
    shown: cython.schar[::1] = visible.view(np.int8)
    ghost: cython.schar[::1] = np.zeros(n, np.int8)
    clip: cython.double[:, ::1] = np.empty((n, 4))
    hidden: cython.Py_ssize_t = k.VISIBILITY
    opacity: cython.Py_ssize_t = k.OPACITY
    clipped: cython.Py_ssize_t = k.CLIP
    overflow: cython.Py_ssize_t = k.OVERFLOW
    css_width: cython.Py_ssize_t = k.WIDTH
    css_height: cython.Py_ssize_t = k.HEIGHT
    u: cython.Py_ssize_t
    p: cython.Py_ssize_t
    j: cython.Py_ssize_t
    for u in range(n):
        p = parent[u]
        if p < 0:
            clip[u, 0] = clip[u, 1] = 0
            clip[u, 2] = clip[u, 3] = 1e9
        else:
            ghost[u] = ghost[p]
            for j in range(4):
                clip[u, j] = clip[p, j]
        if role[u] == 0:
            continue
        if style[u, opacity] <= 0 or style[u, clipped] != 0:
            ghost[u] = 1
        if style[u, overflow] != 0 and role[u] != 1 and p >= 0:
            if style[u, css_width] >= 0:
                clip[u, 0] = max(clip[u, 0], box[u, 0])
                clip[u, 2] = min(clip[u, 2], box[u, 0] + box[u, 2])
            if style[u, css_height] >= 0:
                clip[u, 1] = max(clip[u, 1], box[u, 1])
                clip[u, 3] = min(clip[u, 3], box[u, 1] + box[u, 3])
        if (
            not ghost[u]
            and style[u, hidden] == 0
            and box[u, 2] > 0
            and box[u, 3] > 0
            and min(clip[u, 2], box[u, 0] + box[u, 2]) > max(clip[u, 0], box[u, 0])
            and min(clip[u, 3], box[u, 1] + box[u, 3]) > max(clip[u, 1], box[u, 1])
        ):
            shown[u] = 1
    return visible
