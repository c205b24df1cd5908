# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Computed styles of all nodes of a tree in one pass in document order: inherit, then apply the declarations.

Styles are rows of a float32 table with the columns named below; NaN means ``auto`` or ``normal``. Lengths are
in px. Colours are separate 32-bit numbers, 0 for transparent.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Ints = cython.typedef(cython.const[cython.int][::1])


# Inherited columns first.
FONT_SIZE, FONT_WEIGHT, ITALIC, FONT, VISIBILITY, WHITE_SPACE, TEXT_ALIGN, LINE_HEIGHT, TEXT_INDENT = range(9)
SPACING, VERTICAL, LETTERS = 9, 10, 11
INHERITED = 12
(
    DISPLAY, POSITION, FLOAT, CLEAR, IMAGE, OPACITY, OVERFLOW, CLIP, FLEX, GROW, SHRINK, WRAP, ORDER, JUSTIFY,
    ALIGN, ALIGN_SELF, SPAN, BORDER_BOX, ASPECT,
) = range(12, 31)  # fmt: skip
WIDTH, WIDTH_SHARE, HEIGHT, MIN_WIDTH, MAX_WIDTH, MIN_HEIGHT, MAX_HEIGHT, BASIS = range(31, 39)
LEFT, RIGHT, TOP, BOTTOM, ROW_GAP, COLUMN_GAP = range(39, 45)
MARGIN_TOP, MARGIN_RIGHT, MARGIN_BOTTOM, MARGIN_LEFT = range(45, 49)
PADDING_TOP, PADDING_RIGHT, PADDING_BOTTOM, PADDING_LEFT = range(49, 53)
BORDER_TOP, BORDER_RIGHT, BORDER_BOTTOM, BORDER_LEFT = range(53, 57)
COLUMNS, ROWS, AREAS, AREA = range(57, 61)
COLUMN_START, COLUMN_END, COLUMN_SPAN, ROW_START, ROW_END, ROW_SPAN = range(61, 67)
COLUMN_NAMES, NATURAL_WIDTH, NATURAL_HEIGHT, MOVE_X, MOVE_Y = range(67, 72)
N_COLUMNS = 72
COLOR, BACKGROUND = 72, 73
NAMED = (FONT, COLUMNS, ROWS, AREAS, AREA, COLUMN_NAMES)
"""Columns with the number of a text, see `webgrain.rendering.css.Blocks`."""

PLAIN, EM, REM, VIEW_WIDTH, VIEW_HEIGHT, INHERIT, PX = range(7)
"""Units of a declared value. A percentage of the font size is written in EM, one of the width in WIDTH_SHARE;
PX is only for LINE_HEIGHT, where PLAIN is a factor."""
ADDED = 8
"""Added to the unit of a value that is added to the value before it."""
SHARE = 2.0**100
"""Factor of a percentage in a column of lengths, far beyond all lengths; the number 0.5 is 50 %."""

MAX_FONT_SIZE = 10_000.0
"""In px, as in Chromium: sizes in em multiply."""

MAX_LENGTH = 2.0**25
"""In px, as in Chromium: percentages of nested boxes multiply."""

INITIAL = np.zeros(N_COLUMNS, np.float32)
INITIAL[[FONT_SIZE, FONT_WEIGHT, DISPLAY, OPACITY, SPAN]] = 16, 400, 1, 1, 1
INITIAL[[SHRINK, ALIGN_SELF, COLUMN_SPAN, ROW_SPAN]] = 1, 7, 1, 1
INITIAL[[LINE_HEIGHT, WIDTH, WIDTH_SHARE, HEIGHT, MAX_WIDTH, MAX_HEIGHT, BASIS]] = np.nan
INITIAL[[LEFT, RIGHT, TOP, BOTTOM, MIN_WIDTH]] = np.nan
INITIAL[SPACING] = 2


@cython.locals(k=cython.Py_ssize_t, columns=cython.Py_ssize_t, inherited=cython.Py_ssize_t)
@cython.locals(image=cython.Py_ssize_t, display=cython.Py_ssize_t, font_size=cython.Py_ssize_t)
@cython.locals(line_height=cython.Py_ssize_t, in_color=cython.Py_ssize_t, in_background=cython.Py_ssize_t)
@cython.locals(added=cython.int, em=cython.double, x=cython.double, root_size=cython.double)
@cython.locals(largest=cython.double)
def cascade(
    parent: Ints,
    tag: Ints,
    tag_block: Ints,
    entry_start: Ints,
    entry: Ints,
    block_start: Ints,
    column: Ints,
    unit: cython.const[cython.schar][::1],
    value: cython.const[cython.double][::1],
    viewport: tuple[int, int],
):
    """Return style (n, N_COLUMNS) float32, color and background (n,) uint32 and painter (n,) int32.

    A node gets the block of its tag, then the blocks ``entry[entry_start[u]:entry_start[u + 1]]``; the last
    declaration wins. Block b declares ``column``, ``unit`` and ``value`` at
    ``block_start[b]..block_start[b + 1]``. Text nodes (tag 0) have the row of their parent. Below DISPLAY 0
    everything is DISPLAY 0.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    table: cython.float[:, ::1] = np.empty((n, N_COLUMNS), np.float32)
    initial: cython.float[::1] = INITIAL
    color_of: cython.uint[::1] = np.full(n, 0xFF000000, np.uint32)
    background_of: cython.uint[::1] = np.zeros(n, np.uint32)
    painter_of: cython.int[::1] = np.full(n, -1, np.int32)
    columns, inherited, image, display, font_size = N_COLUMNS, INHERITED, IMAGE, DISPLAY, FONT_SIZE
    line_height, in_color, in_background, added = LINE_HEIGHT, COLOR, BACKGROUND, ADDED
    root_size, largest, view_width, view_height = 16, MAX_FONT_SIZE, viewport[0] / 100, viewport[1] / 100
    for u in range(n):
        p = parent[u]
        if p >= 0:
            color_of[u] = color_of[p]
            background_of[u] = background_of[p]
            painter_of[u] = painter_of[p]
            if tag[u] == 0:
                for k in range(columns):
                    table[u, k] = table[p, k]
                table[u, image] = 0
                if entry_start[u] < entry_start[u + 1]:  # only texts of closed details have an entry
                    table[u, display] = 0
                continue
        for k in range(inherited):
            table[u, k] = table[p, k] if p >= 0 else initial[k]
        for k in range(inherited, columns):
            table[u, k] = initial[k]
        # The font size first: the em of all other lengths.
        for step in range(2):
            table[u, font_size] = em = min(table[u, font_size], largest)
            for e in range(entry_start[u] - 1, entry_start[u + 1]):
                b = tag_block[tag[u]] if e < entry_start[u] else entry[e]
                if b < 0:
                    continue
                for d in range(block_start[b], block_start[b + 1]):
                    k = column[d]
                    if (k == font_size) != (step == 0):
                        continue
                    x = value[d]
                    kind = unit[d] & 7
                    if kind == 1:
                        if k == font_size and p >= 0:
                            x *= table[p, font_size]
                        else:
                            x *= em
                    elif kind == 2:
                        x *= root_size
                    elif kind == 3:
                        x *= view_width
                    elif kind == 4:
                        x *= view_height
                    if k == in_color:
                        if unit[d] != 5:
                            color_of[u] = int(x)
                        elif p >= 0:
                            color_of[u] = color_of[p]
                    elif k == in_background:
                        if unit[d] == 5 or x < 16777216.0:
                            background_of[u] = background_of[p] if p >= 0 else 0
                            painter_of[u] = painter_of[p] if p >= 0 else -1
                        else:
                            background_of[u] = int(x)
                            painter_of[u] = u
                    elif unit[d] == 5:
                        table[u, k] = table[p, k] if p >= 0 else initial[k]
                    elif unit[d] >= added:
                        table[u, k] += x
                    elif k == line_height and unit[d] != 0:
                        table[u, k] = x / em if em > 0 else 1
                    else:
                        table[u, k] = x
        if p < 0:
            root_size = em
        elif table[p, display] == 0:
            table[u, display] = 0
    return np.asarray(table), np.asarray(color_of), np.asarray(background_of), np.asarray(painter_of)
