# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Widths of texts from a table of character widths: no font is opened.

Latin letters have the widths of a common sans-serif font one by one, all others by their script.

What can be said of boxes before any is placed: their part in the flow, and the widths they ask for.
"""

from __future__ import annotations

import numpy as np

from webgrain.rendering.kernels import cascade as k

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


_ASCII = """
28 28 36 56 56 89 67 19 33 33 39 58 28 33 28 28 56 56 56 56 56 56 56 56 56 56 28 28 58 58 58 56
102 67 67 72 72 67 61 78 72 28 50 67 56 83 72 78 67 78 72 67 61 72 67 94 67 67 61 28 28 28 47 56
33 56 56 50 56 56 28 56 56 22 22 50 22 83 56 56 56 56 33 50 28 56 50 72 50 50 50 33 26 33 58
"""
# By the upper byte of the character: Latin, Greek, Cyrillic, ..., then CJK and all that is as wide.
_PAGES = np.full(256, 0.6)
_PAGES[0x2E:0xD8] = _PAGES[0xF9:0xFB] = _PAGES[0xFF] = 1.0
_PAGES[0x03] = _PAGES[0x05] = _PAGES[0x06] = _PAGES[0x0E] = 0.5
ADVANCE = np.concatenate([np.zeros(32), np.array(_ASCII.split(), float) / 100, np.zeros(1), _PAGES])
"""Width of a character in em: of the 128 of ASCII one by one (Liberation Sans), of others by their upper
byte."""

SPACE, LINE = 0.28, 1.15
"""Width of a space and height of a line, in em."""
SERIF, BOLD, MONOSPACE = 0.91, 1.07, 0.6
"""Width of other letters against those of `ADVANCE`; of letters of one width, in em."""


def measure(
    text: str,
    text_start: cython.const[cython.int][::1],
    tag: cython.const[cython.int][::1],
    style: cython.const[cython.float][:, ::1],
):
    """Return of every text its width on one line, of its widest word, its number of line breaks, its ends.

    widest (n,), word (n,) float64 px without white space at the ends; breaks (n,) int32, counted where white
    space is kept; ends (n,) int8: 1 white space before, 2 after, 4 nothing else.
    """
    n: cython.Py_ssize_t = tag.shape[0]
    widest = np.zeros(n)
    word = np.zeros(n)
    breaks = np.zeros(n, np.int32)
    ends = np.zeros(n, np.int8)
    widest_of: cython.double[::1] = widest
    word_of: cython.double[::1] = word
    breaks_of: cython.int[::1] = breaks
    ends_of: cython.schar[::1] = ends
    advance: cython.double[::1] = ADVANCE
    display: cython.Py_ssize_t = k.DISPLAY
    font_size: cython.Py_ssize_t = k.FONT_SIZE
    font_weight: cython.Py_ssize_t = k.FONT_WEIGHT
    font: cython.Py_ssize_t = k.FONT
    white_space: cython.Py_ssize_t = k.WHITE_SPACE
    serif: cython.double = SERIF
    bold: cython.double = BOLD
    monospace: cython.double = MONOSPACE
    space: cython.double = SPACE
    u: cython.Py_ssize_t
    i: cython.Py_ssize_t
    c: cython.uint
    line: cython.double
    longest: cython.double
    current: cython.double
    most: cython.double
    scale: cython.double
    gap: cython.bint
    dark: cython.bint
    keep: cython.bint
    mono: cython.bint
    for u in range(n):
        if tag[u] != 0 or style[u, display] == 0:
            continue
        line = longest = current = most = 0
        gap = dark = False
        keep = style[u, white_space] == 2
        mono = style[u, font] == 1
        for i in range(text_start[u], text_start[u + 1]):
            c = ord(text[i])
            if c == 32 or (9 <= c <= 13):
                if keep:
                    if c == 10:
                        breaks_of[u] += 1
                        most = max(most, line)
                        line = 0
                    else:
                        line += space
                elif not gap:
                    if not dark:
                        ends_of[u] |= 1
                    longest = max(longest, current)
                    current = 0
                gap = True
                continue
            if gap and dark and not keep:
                line += space
            gap = False
            dark = True
            if mono:
                scale = monospace
            elif c < 128:
                scale = advance[c]
            elif c < 65536:
                scale = advance[128 + (c >> 8)]
                if scale == 1:  # a line may be broken after each of these
                    longest = max(longest, current)
                    current = 0
            else:
                scale = 1
            line += scale
            current += scale
        if gap:
            ends_of[u] |= 2
        if not dark:
            ends_of[u] |= 4
        scale = style[u, font_size]
        if style[u, font] == 0:
            scale *= serif
        if style[u, font_weight] >= 600:
            scale *= bold
        widest_of[u] = max(most, line) * scale
        word_of[u] = widest_of[u] if style[u, white_space] else max(longest, current) * scale
    return widest, word, breaks, ends


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

    texts: see `webgrain.rendering.kernels.textwidth.measure`. Source: CSS 2.2, 17.5.2.2 (maximum and
    minimum cell
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
