# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Steps of the layout beside the flow: widths of texts, roles, widths, shifts, visibility, flex rows, tables.

The width of a text is the sum of the widths of its characters; no font is opened. Latin letters have the
widths of a common sans-serif font, all others a width by their script. The columns of tables share the width
of the table as CSS 2.2, 17.5.2.2 suggests. Rows of flex items follow CSS Flexible Box 1, section 9; an item
that reaches a limit is corrected once.
"""

from __future__ import annotations

import numpy as np

from webgrain.rendering.kernels import cascade as k

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bytes = cython.typedef(cython.const[cython.schar][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
DoubleTable = cython.typedef(cython.double[:, ::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
FloatRows = cython.typedef(cython.const[cython.float][:, ::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Column = cython.typedef(cython.const[cython.float][:])


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
"""Widths of characters in em: the 128 of ASCII (Liberation Sans), then one width per upper byte."""

SPACE, LINE = 0.28, 1.15
"""Width of a space and height of a line, in em."""
SERIF, BOLD, MONOSPACE = 0.91, 1.07, 0.6
"""Factors of `ADVANCE` for serif and bold fonts; width of a monospaced letter in em."""


@cython.locals(display=cython.Py_ssize_t, font_size=cython.Py_ssize_t, font_weight=cython.Py_ssize_t)
@cython.locals(font=cython.Py_ssize_t, white_space=cython.Py_ssize_t, line=cython.double)
@cython.locals(longest=cython.double, current=cython.double, most=cython.double, scale=cython.double)
@cython.locals(serif=cython.double, bold=cython.double, monospace=cython.double, space=cython.double)
@cython.locals(keep=cython.bint, mono=cython.bint, c=cython.uint)
def measure(text: str, text_start: Ints, tag: Ints, style: FloatRows):
    """Return for every text its width on one line, the width of its widest word, line breaks and ends.

    widest (n,), word (n,) float64 px without white space at the ends; breaks (n,) int32, counted if white
    space is kept; ends (n,) int8: 1 for white space before, 2 after, 4 for only white space.
    """
    n: cython.Py_ssize_t = tag.shape[0]
    widest_of: DoubleBuffer = np.zeros(n)
    word_of: DoubleBuffer = np.zeros(n)
    breaks_of: IntBuffer = np.zeros(n, np.int32)
    ends_of: cython.schar[::1] = np.zeros(n, np.int8)
    advance: DoubleBuffer = ADVANCE
    display, font_size, font_weight, font = k.DISPLAY, k.FONT_SIZE, k.FONT_WEIGHT, k.LETTERS
    white_space, serif, bold, monospace, space = k.WHITE_SPACE, SERIF, BOLD, MONOSPACE, SPACE
    for u in range(n):
        if tag[u] != 0 or style[u, display] == 0:
            continue
        line = longest = current = most = 0
        gap = dark = False
        keep = style[u, white_space] == 2
        mono = style[u, font] == 2
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
    return np.asarray(widest_of), np.asarray(word_of), np.asarray(breaks_of), np.asarray(ends_of)


NONE, TEXT, BREAK, INLINE, BLOCK, ATOM, FLOAT, ABSOLUTE = range(8)
"""Role of a node in the flow; an atom is placed in a line as a whole: inline block, cell, flex item."""

REPLACED, LINE_BREAK = 1, 2
"""Kinds of nodes: replaced elements, which are laid out as a whole, and ``<br>``."""

IMAGE_WIDTH, IMAGE_HEIGHT = 100.0, 75.0
"""Size of an image without a declared size, in px."""


@cython.cfunc
def known(x: cython.double) -> cython.double:
    """Return 0 for ``auto`` and for a percentage."""
    return x if -1e15 < x < 1e15 else 0.0


@cython.cfunc
def part_of(x: cython.double, size: cython.double) -> cython.double:
    """Return a length in px; a number far beyond all lengths is a share of a size, see `cascade.SHARE`."""
    return x * size / 1.2676506002282294e30 if x > 1e15 or x < -1e15 else x


@cython.locals(display=cython.Py_ssize_t, position=cython.Py_ssize_t, floating=cython.Py_ssize_t)
@cython.locals(direction=cython.Py_ssize_t, columns=cython.Py_ssize_t, d=cython.float)
def find_roles(parent: Ints, end: Ints, is_text: Bytes, kind: Bytes, style: FloatRows):
    """Return role (n,) int8 of every node, and row (n,) int8: 1 for a row of atoms, 2 for a grid of atoms.

    kind: `REPLACED`, `LINE_BREAK` or 0. Source: CSS 2.2, 9.2 and 9.7.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    role_of: cython.schar[::1] = np.zeros(n, np.int8)
    row_of: cython.schar[::1] = np.zeros(n, np.int8)
    display, position, floating, direction, columns = k.DISPLAY, k.POSITION, k.FLOAT, k.FLEX, k.COLUMNS
    areas: cython.Py_ssize_t = k.AREAS
    u: cython.Py_ssize_t = 0
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
        elif 5 <= style[p, display] <= 8:  # in a flex column or a grid of one column
            role_of[u] = 4
        elif style[u, floating] != 0:
            role_of[u] = 6
        elif d == 1 or d == 19:  # inline, contents
            role_of[u] = 5 if kind[u] else 3
        elif d == 3 or d == 6 or d == 8 or d == 10 or d == 12:  # inline-*, a cell without a row
            role_of[u] = 5
        else:
            role_of[u] = 4
        if d == 11 or (5 <= d <= 6 and style[u, direction] != 1):
            row_of[u] = 1
        elif 7 <= d <= 8 and (style[u, columns] > 0 or style[u, areas] > 0):
            row_of[u] = 2
        u = end[u] if kind[u] else u + 1
    return np.asarray(role_of), np.asarray(row_of)


@cython.locals(font_size=cython.Py_ssize_t, margin_left=cython.Py_ssize_t, margin_right=cython.Py_ssize_t)
@cython.locals(margins=cython.double, space=cython.double)
def find_widths(parent: Ints, kind: Bytes, role: Bytes, row: Bytes, style: FloatRows, texts):
    """Return the preferred and the minimum width of each box, and the minimum without a width of its style.

    (n + 1,) float64 px without margins.

    texts: see `measure`. Source: CSS 2.2, 17.5.2.2 (maximum and minimum cell width).
    """
    n: cython.Py_ssize_t = parent.shape[0]
    widest: Doubles = texts[0]
    word: Doubles = texts[1]
    ends: Bytes = texts[3]
    most: DoubleBuffer = np.zeros(n + 1)
    least: DoubleBuffer = np.zeros(n + 1)
    inside: DoubleBuffer = np.zeros(n + 1)
    line: DoubleBuffer = np.zeros(n + 1)  # of the inline content since the last block
    font_size, margin_left, margin_right, space = k.FONT_SIZE, k.MARGIN_LEFT, k.MARGIN_RIGHT, SPACE
    gap: cython.Py_ssize_t = k.COLUMN_GAP
    wrap: cython.Py_ssize_t = k.WRAP
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
            inside[u] = least[u]
            own_widths(u, kind[u], style, most, least)
            margins += known(style[u, margin_left]) + known(style[u, margin_right])
        if p < 0 or role[u] == 7:
            continue
        if row[p] == 1:
            if role[u] != 1 or most[u] > 0:
                most[p] += most[u] + margins + known(style[p, gap])
                if style[p, wrap] != 0:
                    least[p] = max(least[p], least[u] + margins)
                else:
                    least[p] += least[u] + margins + known(style[p, gap])
            continue
        least[p] = max(least[p], least[u] if role[u] == 1 else least[u] + margins)
        if role[u] == 4 or role[u] == 2 or row[p]:
            most[p] = max(max(most[p], line[p]), most[u] + margins)
            line[p] = 0
        else:
            line[p] += most[u] + margins
    return np.asarray(most), np.asarray(least), np.asarray(inside)


@cython.cfunc
def own_widths(
    u: cython.Py_ssize_t, kind: cython.int, style: FloatRows, most: DoubleBuffer, least: DoubleBuffer
):
    """Apply the styles of u to the widths of its content."""
    width: cython.double = style[u, k.WIDTH]
    height: cython.double = style[u, k.HEIGHT]
    padding: cython.double = known(style[u, k.PADDING_LEFT]) + known(style[u, k.PADDING_RIGHT])
    extra: cython.double = 0.0 if style[u, k.BORDER_BOX] else padding
    narrow: cython.double = known(style[u, k.MIN_WIDTH])
    most[u] += padding
    least[u] = min(least[u] + padding, most[u])
    if width == width and style[u, k.WIDTH_SHARE] != style[u, k.WIDTH_SHARE]:
        most[u] = width + extra
        if style[u, k.DISPLAY] == 12:  # a cell grows with its content
            most[u] = max(most[u], least[u])
        least[u] = most[u]
    elif kind != 0:
        most[u] = padding + IMAGE_WIDTH
        if height == height:
            most[u] = padding + height * natural_ratio(u, style)
        elif style[u, k.NATURAL_WIDTH] > 0:
            most[u] = padding + style[u, k.NATURAL_WIDTH]
        least[u] = most[u]
    if style[u, k.MAX_WIDTH] + extra < most[u]:
        most[u] = max(0.0, style[u, k.MAX_WIDTH] + extra)
        least[u] = min(least[u], most[u])
    if narrow > 0:
        most[u] = max(most[u], narrow + extra)
        least[u] = max(least[u], narrow + extra)


def natural_ratio(u: cython.Py_ssize_t, style: FloatRows):
    """Width of an image by its height."""
    if style[u, k.ASPECT] > 0:
        return style[u, k.ASPECT]
    if style[u, k.NATURAL_WIDTH] > 0 and style[u, k.NATURAL_HEIGHT] > 0:
        return style[u, k.NATURAL_WIDTH] / style[u, k.NATURAL_HEIGHT]
    return IMAGE_WIDTH / IMAGE_HEIGHT


@cython.locals(position=cython.Py_ssize_t, left=cython.Py_ssize_t, top=cython.Py_ssize_t)
def settle(parent: Ints, role: Bytes, style: FloatRows, box: DoubleTable, shift: DoubleTable):
    """Apply shifts in place, and compute the boxes of inline elements from their content.

    box: (n, 4) x, y, width, height. shift: (n, 3) of a node to the right and down, and of its content down;
    overwritten. Relatively positioned nodes are shifted by their style.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    position, left, top = k.POSITION, k.LEFT, k.TOP
    move_x: cython.Py_ssize_t = k.MOVE_X
    move_y: cython.Py_ssize_t = k.MOVE_Y
    low: DoubleTable = np.full((n, 2), np.inf)
    high: DoubleTable = np.full((n, 2), -np.inf)
    for u in range(1, n):
        if role[u] == 0:
            continue
        p = parent[u]
        if style[u, position] == 1 and role[u] != 1:
            shift[u, 0] += known(style[u, left])
            shift[u, 1] += known(style[u, top])
        if role[u] != 1 and (style[u, move_x] != 0 or style[u, move_y] != 0):
            shift[u, 0] += part_of(style[u, move_x], box[u, 2])
            shift[u, 1] += part_of(style[u, move_y], box[u, 3])
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
        if 0 < role[u] < 6 and role[p] == 3 and box[u, 3] > 0:  # not floats and positioned boxes
            low[p, 0] = min(low[p, 0], box[u, 0])
            low[p, 1] = min(low[p, 1], box[u, 1])
            high[p, 0] = max(high[p, 0], box[u, 0] + box[u, 2])
            high[p, 1] = max(high[p, 1], box[u, 1] + box[u, 3])


@cython.locals(hidden=cython.Py_ssize_t, opacity=cython.Py_ssize_t, clipped=cython.Py_ssize_t)
@cython.locals(overflow=cython.Py_ssize_t, css_width=cython.Py_ssize_t)
def find_visible(parent: Ints, role: Bytes, box: cython.const[cython.double][:, ::1], style: FloatRows):
    """Return visible (n,) bool: laid out, with an area, on the page, not transparent, hidden or clipped.

    A box clips its content if its style fixes its size and hides the overflow.
    """
    n: cython.Py_ssize_t = parent.shape[0]
    visible = np.zeros(n, np.bool_)
    shown: cython.schar[::1] = visible.view(np.int8)
    ghost: cython.schar[::1] = np.zeros(n, np.int8)
    clip: DoubleTable = np.empty((n, 4))
    hidden, opacity, clipped, overflow, css_width = k.VISIBILITY, k.OPACITY, k.CLIP, k.OVERFLOW, k.WIDTH
    css_height: cython.Py_ssize_t = k.HEIGHT
    max_height: cython.Py_ssize_t = k.MAX_HEIGHT
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
            if style[u, css_height] >= 0 or style[u, max_height] >= 0:
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


def share_row(items, room: float, gap: float, wrap: bool) -> list:
    """Return the widths of the items of a flex container, line by line.

    items: (base, margins, least, grow, shrink, low, high) of each item: its width before it grows or shrinks,
    the width of its margins, the width below which it does not shrink, the two factors, and the limits.

    >>> share_row([(50, 0, 20, 1, 1, 0, 1e9), (100, 10, 20, 0, 1, 0, 1e9)], 200, 10, False)
    [80.0, 100.0]
    """
    widths: list = []
    line: list = []
    used: cython.double = 0.0
    for item in items:
        outer = item[0] + item[1]
        if wrap and line and used + gap + outer > room + 0.5:
            widths += share_line(line, room - used)
            line, used = [], 0.0
        used += outer + (gap if line else 0.0)
        line.append(item)
    return widths + share_line(line, room - used)


@cython.locals(total=cython.double, part=cython.double, free=cython.double, taken=cython.double)
@cython.locals(size=cython.double)
def share_line(items, rest) -> list:
    """Return the widths of the items of one line, where ``rest`` px are left, or lacking if negative."""
    if rest < 0:
        total = 0.0
        for item in items:
            total += max(0.0, item[0] - item[2]) if item[4] > 0 else 0.0
        part = min(1.0, -rest / total) if total > 0 else 0.0
        return [
            max(base - part * max(0.0, base - least) if shrink > 0 else base, low)
            for base, _, least, _, shrink, low, _ in items
        ]
    total = free = taken = 0.0
    for item in items:
        total += item[3]
    if total <= 0:
        return [float(item[0]) for item in items]
    part = rest / max(total, 1.0)
    fixed: list = []
    for base, _, least, grow, _, low, high in items:
        size = min(max(base + part * grow, least, low), high)
        if grow > 0 and abs(size - base - part * grow) > 0.01:  # a limit: the other items share the rest
            fixed.append(size)
            taken += size - base
        else:
            fixed.append(-1.0)
            free += grow
    part = max(0.0, rest - taken) / (max(free, 1.0) if taken == 0 else free or 1.0)
    widths: list = []
    for i in range(len(items)):
        base, _, least, grow, _, low, high = items[i]
        size = base if grow <= 0 else min(max(base + part * grow, least, low), high)
        widths.append(float(fixed[i] if fixed[i] >= 0 else size))
    return widths


START, CENTER, END, BETWEEN, AROUND, EVENLY = range(6)
"""Values of ``justify-content``."""


@cython.locals(x=cython.double, each=cython.double)
def justify_line(rest, justify: int, margins) -> list:
    """Return how far each item of a line is moved to the right.

    rest: px that are left. margins: for each item, whether its left and its right margin are ``auto``.

    >>> justify_line(60, BETWEEN, [(False, False)] * 3), justify_line(60, START, [(True, False)])
    ([0.0, 30.0, 60.0], [60.0])
    """
    moved: list = []
    automatic = sum(left + right for left, right in margins)
    x, each, count = 0.0, 0.0, len(margins)
    if automatic:
        each = rest / automatic
    elif CENTER <= justify <= END:
        x = rest * justify / 2
    elif justify == BETWEEN:
        each = rest / max(1, count - 1)
    elif justify >= AROUND:
        each = rest / (count + justify - AROUND)
        x = each / 2 if justify == AROUND else each
    for left, right in margins:
        x += each if automatic and left else 0.0
        moved.append(x)
        x += each if not automatic or right else 0.0
    return moved


@cython.cclass
class Tables:
    """The columns of the open tables; the columns of an inner table come after those of the outer table.

    For each column: the preferred width `most`, the minimum width `least`, and the `share` of the table, -1
    if a cell has a width in px. Finally `most` is the width. `assigned` (n,) receives the widths of cells.
    """

    cython.declare(parent=Ints, end=Ints, role=Bytes, display=Column, span=Column, spacing=Column)
    cython.declare(css_width=Column, css_share=Column, cell_most=Doubles, cell_least=Doubles)
    cython.declare(assigned=DoubleBuffer, most=DoubleBuffer, least=DoubleBuffer, share=DoubleBuffer)
    cython.declare(start=IntBuffer, count=IntBuffer, used=cython.Py_ssize_t)

    def __init__(self, parent, end, role, style, most, least, assigned):
        n = len(parent)
        self.parent, self.end, self.role, self.assigned = parent, end, role, assigned
        self.display, self.span, self.spacing = style[:, k.DISPLAY], style[:, k.SPAN], style[:, k.SPACING]
        self.css_width, self.css_share = style[:, k.WIDTH], style[:, k.WIDTH_SHARE]
        self.cell_most, self.cell_least = most, least
        self.most, self.least, self.share = np.zeros((3, n + 1))
        self.start, self.count = np.full((2, n), -1, np.int32)
        self.used = 0

    @cython.locals(j=cython.Py_ssize_t)
    def open_table(
        self, u: cython.Py_ssize_t, declared: cython.double, room: cython.double, padding: cython.double
    ) -> float:
        """Return the width of a table: declared (else -1), or that of its columns if there is room.

        It is at least the minimum width of the columns, to which it is then distributed.
        """
        most = least = shares = shared = 0
        self.find_columns(u)
        extra = padding + (self.count[u] + 1) * self.spacing[u]
        for j in range(self.start[u], self.start[u] + self.count[u]):
            least += self.least[j]
            if self.share[j] > 0:
                shares += self.share[j]
                shared = max(shared, self.most[j] / self.share[j])
            else:
                most += self.most[j]
        if shares > 0:  # wide enough for every column to have its share
            most = max(shared, most / (1 - shares) if shares < 0.99 else 1e6 if most > 0 else 0.0)
        if declared < 0:
            declared = min(max(most + extra, self.cell_least[u]), room)
        declared = max(declared, least + extra)
        self.share_columns(u, declared - extra)
        return declared

    def open_row(self, u: cython.Py_ssize_t, room: cython.double):
        """Assign the widths of the cells of a row; a row without a table is its own table."""
        table, v, column = self.table_of(u), u + 1, 0
        if table == u:
            self.find_columns(u)
            self.share_columns(u, room - (self.count[u] + 1) * self.spacing[u])
        while v < self.end[u]:
            if self.role[v] == 5:
                last = min(column + self.span_of(v), self.count[table])
                self.assigned[v] = (last - column - 1) * self.spacing[u]
                for j in range(column, last):
                    self.assigned[v] += self.most[self.start[table] + j]
                column = min(last, self.count[table] - 1)
            v = self.end[v]

    def close(self, u: cython.Py_ssize_t):
        """Remove the columns of a table, or of a row without a table."""
        if self.start[u] >= 0:
            self.used = self.start[u]

    @cython.cfunc
    def table_of(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the table of a row, or the row itself if it has no table."""
        p: cython.Py_ssize_t = self.parent[row]
        if p >= 0 and 14 <= self.display[p] <= 16:  # row groups
            p = self.parent[p]
        return p if p >= 0 and self.start[p] >= 0 and 9 <= self.display[p] <= 10 else row

    @cython.cfunc
    def span_of(self, cell: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return how many columns a cell spans."""
        span: cython.Py_ssize_t = int(self.span[cell])
        return span

    @cython.cfunc
    def find_columns(self, table: cython.Py_ssize_t):
        """Compute the widths of the columns of a table, from cells of one column, then from wider ones."""
        self.start[table] = self.used
        self.count[table] = 0
        for wide in range(2):
            if self.display[table] == 11:
                self.add_row(table, table, wide)
                continue
            v = table + 1
            while v < self.end[table]:
                if self.role[v] == 4 and self.display[v] == 11:
                    self.add_row(table, v, wide)
                elif self.role[v] == 4 and 14 <= self.display[v] <= 16:
                    row = v + 1
                    while row < self.end[v]:
                        if self.role[row] == 4 and self.display[row] == 11:
                            self.add_row(table, row, wide)
                        row = self.end[row]
                v = self.end[v]
        self.used += self.count[table]

    @cython.cfunc
    def add_row(self, table: cython.Py_ssize_t, row: cython.Py_ssize_t, wide: cython.bint):
        """Add the cells of a row, either those of one column or the wider ones."""
        v, start = row + 1, self.start[table]
        # Never more columns than nodes, whatever spans a page declares.
        room, column = self.most.shape[0] - start, 0
        while v < self.end[row]:
            if self.role[v] == 5:
                column = min(column, room - 1)
                span = self.span_of(v) if column + self.span_of(v) <= room else 1
                while self.count[table] < column + span:
                    self.most[start + self.count[table]] = 0
                    self.least[start + self.count[table]] = 0
                    self.share[start + self.count[table]] = 0
                    self.count[table] += 1
                if (span > 1) == wide:
                    self.add_cell(v, start + column, span)
                column += span
            v = self.end[v]

    @cython.cfunc
    def add_cell(self, cell: cython.Py_ssize_t, first: cython.Py_ssize_t, span: cython.Py_ssize_t):
        """Widen columns so that a cell fits."""
        most: cython.double = self.cell_most[cell] - (span - 1) * self.spacing[cell]
        least: cython.double = self.cell_least[cell] - (span - 1) * self.spacing[cell]
        for j in range(first, first + span):
            most -= self.most[j]
            least -= self.least[j]
        for j in range(first, first + span):
            self.most[j] += max(0.0, most / span)
            self.least[j] += max(0.0, least / span)
        if span == 1:
            if self.css_share[cell] == self.css_share[cell]:
                self.share[first] = max(self.share[first], min(self.css_share[cell], 1.0))
            elif self.css_width[cell] > 0 and self.share[first] == 0:
                self.share[first] = -1

    @cython.cfunc
    def share_columns(self, table: cython.Py_ssize_t, room: cython.double):
        """Set the widths of the columns of a table for the available room."""
        first: cython.Py_ssize_t = self.start[table]
        last, most, least, free = first + self.count[table], 0, 0, 0
        for j in range(first, last):
            if self.share[j] > 0:
                self.most[j] = max(self.least[j], self.share[j] * room)
            elif self.share[j] == 0:
                free += self.most[j]
            most += self.most[j]
            least += self.least[j]
        if most > room:
            part = max(0.0, (room - least) / (most - least)) if most > least else 0.0
            for j in range(first, last):
                self.most[j] = self.least[j] + part * (self.most[j] - self.least[j])
            return
        for j in range(first, last):
            if free > 0 and self.share[j] == 0:
                self.most[j] *= 1 + (room - most) / free
            elif free == 0 and most > 0:
                self.most[j] *= room / most
