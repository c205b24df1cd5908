# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Widths of texts from a table of character widths: no font is opened.

Latin letters have the widths of a common sans-serif font one by one, all others by their script.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

from webgrain.kernels import cascade as k

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
