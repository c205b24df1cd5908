# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""What can be said of boxes before any is placed: their part in the flow, and the widths they ask for."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

from webgrain.kernels import cascade as k
from webgrain.kernels.textwidth import SPACE

COMPILED = cython.compiled

NONE, TEXT, BREAK, INLINE, BLOCK, ATOM, FLOAT, ABSOLUTE = range(8)
"""How a node takes part in the flow; an atom stands in a line as one piece: inline block, cell, flex item."""

REPLACED, LINE_BREAK = 1, 2
"""What a node is by itself: something laid out as a whole, whatever is inside; ``<br>``."""

IMAGE_WIDTH, IMAGE_HEIGHT = 100.0, 75.0
"""An image that does not say its size."""


def find_roles(
    parent: cython.const[cython.int][::1],
    end: cython.const[cython.int][::1],
    is_text: cython.const[cython.schar][::1],
    kind: cython.const[cython.schar][::1],
    style: cython.const[cython.float][:, ::1],
):
    """Return role (n,) int8 of every node, and row (n,) int8: 1 where its children stand side by side.

    kind: `REPLACED`, `LINE_BREAK` or 0. Source: CSS 2.2, 9.2 and 9.7.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    role = np.zeros(n, np.int8)
    row = np.zeros(n, np.int8)
    role_of: cython.schar[::1] = role
    row_of: cython.schar[::1] = row
    display: cython.Py_ssize_t = k.DISPLAY
    position: cython.Py_ssize_t = k.POSITION
    floating: cython.Py_ssize_t = k.FLOAT
    direction: cython.Py_ssize_t = k.FLEX
    columns: cython.Py_ssize_t = k.COLUMNS
    u: cython.Py_ssize_t = 0
    p: cython.Py_ssize_t
    d: cython.float
    while u < n:
        d = style[u, display]
        p = parent[u]
        if is_text[u]:
            role_of[u] = 0 if d == 0 else 1
            u += 1
            continue
        if d == 0 or 17 <= d <= 18:  # none, table columns
            u = end[u]
            continue
        if p < 0:
            role_of[u] = 4
        elif kind[u] == 2:
            role_of[u] = 2
        elif 2 <= style[u, position] <= 3:  # absolute, fixed
            role_of[u] = 7
        elif row_of[p]:
            role_of[u] = 5
        elif style[p, display] == 5 or style[p, display] == 6:  # in a flex column
            role_of[u] = 4
        elif style[u, floating] != 0:
            role_of[u] = 6
        elif d == 1 or d == 19:  # inline, contents
            role_of[u] = 5 if kind[u] else 3
        elif d == 3 or d == 6 or d == 8 or d == 10 or d == 12:  # inline-*, a cell without a row
            role_of[u] = 5
        else:
            role_of[u] = 4
        if d == 11 or (5 <= d <= 6 and style[u, direction] == 0) or (7 <= d <= 8 and style[u, columns] > 1):
            row_of[u] = 1
        u = end[u] if kind[u] else u + 1
    return role, row


def find_widths(
    parent: cython.const[cython.int][::1],
    kind: cython.const[cython.schar][::1],
    role: cython.const[cython.schar][::1],
    row: cython.const[cython.schar][::1],
    style: cython.const[cython.float][:, ::1],
    texts,
):
    """Return how wide each box would like to be and must be, (n + 1,) float64 px without margins.

    texts: see `webgrain.kernels.textwidth.measure`. Source: CSS 2.2, 17.5.2.2 (maximum and minimum cell
    width).
    """
    n: cython.Py_ssize_t = parent.shape[0]
    widest: cython.const[cython.double][::1] = texts[0]
    word: cython.const[cython.double][::1] = texts[1]
    ends: cython.const[cython.schar][::1] = texts[3]
    preferred = np.zeros(n + 1)
    minimum = np.zeros(n + 1)
    most: cython.double[::1] = preferred
    least: cython.double[::1] = minimum
    line: cython.double[::1] = np.zeros(n + 1)  # of the inline content since the last block
    font_size: cython.Py_ssize_t = k.FONT_SIZE
    margin_left: cython.Py_ssize_t = k.MARGIN_LEFT
    margin_right: cython.Py_ssize_t = k.MARGIN_RIGHT
    space: cython.double = SPACE
    u: cython.Py_ssize_t
    p: cython.Py_ssize_t
    margins: cython.double
    for u in range(n - 1, -1, -1):
        if role[u] == 0:
            continue
        p = parent[u]
        margins = 0
        if role[u] == 1:
            most[u] = widest[u]
            least[u] = word[u]
            margins = space * style[u, font_size] if ends[u] else 0.0
        else:
            most[u] = max(most[u], line[u])
            own_widths(u, kind[u], style, most, least)
            if style[u, margin_left] == style[u, margin_left]:
                margins += style[u, margin_left]
            if style[u, margin_right] == style[u, margin_right]:
                margins += style[u, margin_right]
        if p < 0 or role[u] == 7:
            continue
        if row[p]:
            if role[u] != 1 or most[u] > 0:
                most[p] += most[u] + margins
                least[p] += least[u] + margins
            continue
        least[p] = max(least[p], least[u] if role[u] == 1 else least[u] + margins)
        if role[u] == 4 or role[u] == 2:
            most[p] = max(max(most[p], line[p]), most[u] + margins)
            line[p] = 0
        else:
            line[p] += most[u] + margins
    return preferred, minimum


@cython.cfunc
def own_widths(
    u: cython.Py_ssize_t,
    kind: cython.int,
    style: cython.const[cython.float][:, ::1],
    most: cython.double[::1],
    least: cython.double[::1],
):
    """Add to the widths of the content of u what u itself says."""
    width: cython.double = style[u, k.WIDTH]
    height: cython.double = style[u, k.HEIGHT]
    padding: cython.double = style[u, k.PADDING_LEFT] + style[u, k.PADDING_RIGHT]
    most[u] += padding
    least[u] = min(least[u] + padding, most[u])
    if width == width:
        most[u] = width + (0.0 if style[u, k.BORDER_BOX] else padding)
        if style[u, k.DISPLAY] == 12:  # a cell grows with its content
            most[u] = max(most[u], least[u])
        least[u] = most[u]
    elif kind != 0:
        most[u] = padding + IMAGE_WIDTH
        if height == height:
            most[u] = padding + height * IMAGE_WIDTH / IMAGE_HEIGHT
        least[u] = most[u]
    if style[u, k.MAX_WIDTH] < most[u]:
        most[u] = style[u, k.MAX_WIDTH]
        least[u] = min(least[u], most[u])
