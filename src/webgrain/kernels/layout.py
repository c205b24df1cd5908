# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Boxes of all nodes of a tree from their styles: normal flow, floats, tables, rows of flex items, positions.

Three passes: widths that a node would like to have and cannot go below (children before parents), the flow
itself (in document order, each node opened once and closed once), and boxes of inline elements, shifts and
visibility. Texts are not broken word by word: their width is divided by the room there is.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

from webgrain.kernels import cascade as k

COMPILED = cython.compiled

NONE, TEXT, BREAK, INLINE, BLOCK, ATOM, FLOAT, ABSOLUTE = range(8)
"""How a node takes part in the flow; an atom stands in a line as one piece: inline block, cell, flex item."""

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
"""Width of a character in em: of the 128 of ASCII one by one (Liberation Sans), of others by their upper byte."""

SPACE, LINE = 0.28, 1.15
"""Width of a space and height of a line, in em."""
SERIF, BOLD, MONOSPACE = 0.91, 1.07, 0.6
"""Width of other letters against those of `ADVANCE`; of letters of one width, in em."""
FILL = 0.96
"""Part of a line that words fill on average, when the text goes on."""
IMAGE_WIDTH, IMAGE_HEIGHT = 100.0, 75.0
"""An image that does not say its size."""


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


_COLUMNS = (
    k.FONT_SIZE, k.WHITE_SPACE, k.TEXT_ALIGN, k.LINE_HEIGHT, k.TEXT_INDENT, k.SPACING, k.VERTICAL, k.DISPLAY,
    k.POSITION, k.FLOAT, k.CLEAR, k.OVERFLOW, k.FLEX, k.GROW, k.COLUMNS, k.SPAN, k.BORDER_BOX, k.WRAP, k.WIDTH,
    k.WIDTH_SHARE, k.HEIGHT, k.MIN_HEIGHT, k.MAX_WIDTH, k.LEFT, k.RIGHT, k.TOP, k.MARGIN_TOP, k.MARGIN_RIGHT,
    k.MARGIN_BOTTOM, k.MARGIN_LEFT, k.PADDING_TOP, k.PADDING_RIGHT, k.PADDING_BOTTOM, k.PADDING_LEFT,
)  # fmt: skip


@cython.cfunc
def number(x: cython.double) -> cython.double:
    """Return 0 for ``auto``."""
    return x if x == x else 0.0


@cython.cfunc
def normal_line(size: cython.double) -> cython.double:
    """Height of a line for a font of so many px: whole px, as browsers have it."""
    return (size * 1.15 + 0.5) // 1


@cython.cclass
class Flow:
    """The state of a layout; `run` gives the boxes. All arrays are by node.

    A container lays out its content: `left` and `room` say where it may stand, `y` where the next block begins,
    `gap` the margin that is still to collapse there. `line_*` is the line that is open, `float_*` the room that
    floats take at both sides, from `float_top` to `float_bottom`. Until a container is `placed`, its top moves
    with the margins of its first children.
    """

    n: cython.Py_ssize_t
    now: cython.Py_ssize_t
    view_width: cython.double
    parent: cython.const[cython.int][::1]
    end: cython.const[cython.int][::1]
    opaque: cython.const[cython.schar][::1]
    role: cython.schar[::1]
    flow: cython.int[::1]
    holder: cython.int[::1]
    # styles
    size: cython.const[cython.float][:]
    white_space: cython.const[cython.float][:]
    align: cython.const[cython.float][:]
    leading: cython.const[cython.float][:]
    indent: cython.const[cython.float][:]
    spacing: cython.const[cython.float][:]
    vertical: cython.const[cython.float][:]
    display: cython.const[cython.float][:]
    position: cython.const[cython.float][:]
    floating: cython.const[cython.float][:]
    clear: cython.const[cython.float][:]
    overflow: cython.const[cython.float][:]
    direction: cython.const[cython.float][:]
    grow: cython.const[cython.float][:]
    columns: cython.const[cython.float][:]
    span: cython.const[cython.float][:]
    border_box: cython.const[cython.float][:]
    wrap: cython.const[cython.float][:]
    css_width: cython.const[cython.float][:]
    css_share: cython.const[cython.float][:]
    css_height: cython.const[cython.float][:]
    min_height: cython.const[cython.float][:]
    max_width: cython.const[cython.float][:]
    css_left: cython.const[cython.float][:]
    css_right: cython.const[cython.float][:]
    css_top: cython.const[cython.float][:]
    margin_top: cython.const[cython.float][:]
    margin_right: cython.const[cython.float][:]
    margin_bottom: cython.const[cython.float][:]
    margin_left: cython.const[cython.float][:]
    pad_top: cython.const[cython.float][:]
    pad_right: cython.const[cython.float][:]
    pad_bottom: cython.const[cython.float][:]
    pad_left: cython.const[cython.float][:]
    # texts
    text_width: cython.const[cython.double][::1]
    text_word: cython.const[cython.double][::1]
    text_breaks: cython.const[cython.int][::1]
    text_ends: cython.const[cython.schar][::1]
    # widths
    most: cython.double[::1]
    least: cython.double[::1]
    assigned: cython.double[::1]
    column_most: cython.double[::1]
    column_least: cython.double[::1]
    column_share: cython.double[::1]
    column_start: cython.int[::1]
    column_count: cython.int[::1]
    n_columns: cython.Py_ssize_t
    # boxes
    x: cython.double[::1]
    top: cython.double[::1]
    width: cython.double[::1]
    height: cython.double[::1]
    shift_x: cython.double[::1]
    shift_y: cython.double[::1]
    shift_inside: cython.double[::1]
    # containers
    placed: cython.schar[::1]
    left: cython.double[::1]
    room: cython.double[::1]
    y: cython.double[::1]
    gap: cython.double[::1]
    line_open: cython.schar[::1]
    line_first: cython.int[::1]
    line_top: cython.double[::1]
    line_fill: cython.double[::1]
    line_height: cython.double[::1]
    float_left: cython.double[::1]
    float_right: cython.double[::1]
    float_top: cython.double[::1]
    float_bottom: cython.double[::1]
    float_own: cython.double[::1]

    def __init__(self, parent, end, is_text, opaque, style, texts, view_width):
        n = self.n = len(parent)
        self.now = self.n_columns = 0
        self.view_width = view_width
        self.parent, self.end, self.opaque = parent, end, opaque
        self.text_width, self.text_word, self.text_breaks, self.text_ends = texts
        (
            self.size, self.white_space, self.align, self.leading, self.indent, self.spacing, self.vertical,
            self.display, self.position, self.floating, self.clear, self.overflow, self.direction, self.grow,
            self.columns, self.span, self.border_box, self.wrap, self.css_width, self.css_share,
            self.css_height, self.min_height, self.max_width, self.css_left, self.css_right, self.css_top,
            self.margin_top, self.margin_right, self.margin_bottom, self.margin_left, self.pad_top,
            self.pad_right, self.pad_bottom, self.pad_left,
        ) = (style[:, column] for column in _COLUMNS)  # fmt: skip
        self.role = np.where(is_text, TEXT, NONE).astype(np.int8)
        self.flow, self.holder, self.line_first, self.column_start, self.column_count = np.full(
            (5, n), -1, np.int32
        )
        self.placed, self.line_open = np.zeros((2, n), np.int8)
        (
            self.most, self.least, self.assigned, self.column_most, self.column_least, self.column_share,
            self.x, self.top, self.width, self.height, self.shift_x, self.shift_y, self.shift_inside,
            self.left, self.room, self.y, self.gap, self.line_top, self.line_fill, self.line_height,
            self.float_left, self.float_right, self.float_top, self.float_bottom, self.float_own,
        ) = np.zeros((25, n + 1))  # fmt: skip

    def run(self):
        """Return boxes (n, 4) float64 and roles (n,) int8, `NONE` where a node is not laid out."""
        u: cython.Py_ssize_t = 0
        open_node: cython.Py_ssize_t = -1
        self.find_roles()
        self.find_widths()
        while u < self.n:
            self.now = u
            while open_node >= 0 and self.end[open_node] <= u:
                self.close(open_node)
                open_node = self.parent[open_node]
            if self.role[u] == 0:
                u = self.end[u]
            elif self.role[u] == 1:
                self.place_text(u)
                u += 1
            elif self.role[u] == 2:
                self.break_line(u)
                u = self.end[u]
            else:
                self.open(u)
                open_node = u
                u = self.end[u] if self.opaque[u] else u + 1
        self.now = self.n
        while open_node >= 0:
            self.close(open_node)
            open_node = self.parent[open_node]
        self.settle()
        box = np.stack((self.x, self.top, self.width, self.height), axis=1)
        return box[: self.n], np.asarray(self.role)

    @cython.cfunc
    def find_roles(self):
        """Say of every node how it takes part in the flow."""
        u: cython.Py_ssize_t = 0
        v: cython.Py_ssize_t
        while u < self.n:
            if self.display[u] == 0 or (self.role[u] != 1 and 17 <= self.display[u] <= 18):
                for v in range(u, self.end[u]):
                    self.role[v] = 0
                u = self.end[u]
                continue
            if self.role[u] != 1:
                self.role[u] = self.role_of(u, self.parent[u])
            if self.opaque[u]:
                for v in range(u + 1, self.end[u]):
                    self.role[v] = 0
                u = self.end[u]
            else:
                u += 1

    @cython.cfunc
    def role_of(self, u: cython.Py_ssize_t, p: cython.Py_ssize_t) -> cython.schar:
        d: cython.float = self.display[u]
        if p < 0:
            return 4
        if self.opaque[u] == 2:
            return 2
        if self.position[u] == 2 or self.position[u] == 3:
            return 7
        if self.is_row(p):
            return 5
        if self.display[p] == 5 or self.display[p] == 6:
            return 4
        if self.floating[u] != 0:
            return 6
        if d == 1 or d == 19:
            return 5 if self.opaque[u] else 3
        if d == 3 or d == 6 or d == 8 or d == 10 or d == 12:
            return 5
        return 4

    @cython.cfunc
    def is_row(self, u: cython.Py_ssize_t) -> cython.bint:
        """Whether the children of u stand side by side: table rows, flex rows, grids."""
        d: cython.float = self.display[u]
        if d == 11:
            return True
        if d == 5 or d == 6:
            return self.direction[u] == 0
        return (d == 7 or d == 8) and self.columns[u] > 1

    # Widths

    @cython.cfunc
    def find_widths(self):
        """Find how wide each node would like to be and must be: `most` and `least`, without its margins."""
        u: cython.Py_ssize_t
        p: cython.Py_ssize_t
        line: cython.double[::1] = np.zeros(self.n)
        outer: cython.double
        least: cython.double
        for u in range(self.n - 1, -1, -1):
            p = self.parent[u]
            if self.role[u] == 0:
                continue
            if self.role[u] == 1:
                outer = self.most[u] = self.text_width[u]
                least = self.least[u] = self.text_word[u]
                if self.text_ends[u]:
                    outer += 0.28 * self.size[u]
            else:
                self.own_widths(u, line[u])
                outer = self.most[u] + number(self.margin_left[u]) + number(self.margin_right[u])
                least = self.least[u] + number(self.margin_left[u]) + number(self.margin_right[u])
            if p < 0 or self.role[u] == 7:
                continue
            if self.is_row(p):
                if self.role[u] != 1 or self.text_width[u] > 0:
                    self.most[p] += outer
                    self.least[p] += least
                continue
            self.least[p] = max(self.least[p], least)
            if self.role[u] == 4 or self.role[u] == 2:
                self.most[p] = max(max(self.most[p], line[p]), outer)
                line[p] = 0
            else:
                line[p] += outer

    @cython.cfunc
    def own_widths(self, u: cython.Py_ssize_t, line: cython.double):
        """Add to the widths of the content of u what u itself says."""
        extra: cython.double = self.pad_left[u] + self.pad_right[u]
        self.most[u] = max(self.most[u], line) + extra
        self.least[u] = min(self.least[u] + extra, self.most[u])
        if self.css_width[u] == self.css_width[u]:
            self.most[u] = self.css_width[u] + (0.0 if self.border_box[u] else extra)
            if self.display[u] == 12:  # a cell grows with its content
                self.most[u] = max(self.most[u], self.least[u])
            self.least[u] = self.most[u]
        elif self.opaque[u]:
            self.most[u] = extra + IMAGE_WIDTH
            if self.css_height[u] == self.css_height[u]:
                self.most[u] = extra + self.css_height[u] * IMAGE_WIDTH / IMAGE_HEIGHT
            self.least[u] = self.most[u]
        if self.max_width[u] < self.most[u]:
            self.most[u] = self.max_width[u]
            self.least[u] = min(self.least[u], self.most[u])

    @cython.cfunc
    def find_width(
        self, u: cython.Py_ssize_t, c: cython.Py_ssize_t, room: cython.double, shrink: cython.bint
    ) -> cython.double:
        """Width of the box of u where it has so much room; `shrink`: no wider than its content."""
        width: cython.double = self.declared_width(u, c)
        if self.display[u] == 9 or self.display[u] == 10:
            width = self.table_width(u, width, room)
        elif width < 0:
            width = room
            if shrink or self.opaque[u]:
                width = min(max(self.least[u], room), self.most[u])
        if self.max_width[u] < width:
            width = self.max_width[u]
        return max(width, 0.0)

    @cython.cfunc
    def declared_width(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.double:
        """Width that was assigned to the box of u or that its style asks for; -1: none."""
        extra: cython.double = 0.0 if self.border_box[u] else self.pad_left[u] + self.pad_right[u]
        if self.assigned[u] > 0:
            return self.assigned[u]
        if self.css_width[u] == self.css_width[u]:
            return self.css_width[u] + extra
        if self.css_share[u] == self.css_share[u]:
            return self.css_share[u] * self.room[c] + extra
        return -1

    # Containers

    @cython.cfunc
    def container(self, p: cython.Py_ssize_t) -> cython.Py_ssize_t:
        return self.flow[p] if p >= 0 else -1

    @cython.cfunc
    def open(self, u: cython.Py_ssize_t):
        """Find place and width of a node and make it ready to take content."""
        p: cython.Py_ssize_t = self.parent[u]
        c: cython.Py_ssize_t = self.container(p)
        self.flow[u] = u
        if p >= 0:
            self.holder[u] = self.holder[p]
        if self.role[u] == 3:
            self.open_inline(u, c)
        elif p < 0:
            self.width[u] = self.view_width
            self.open_at(u, 0, 0)
        elif self.role[u] == 4:
            self.open_block(u, c)
        elif self.role[u] == 5:
            self.open_atom(u, c)
        elif self.role[u] == 6:
            self.open_float(u, c)
        else:
            self.open_absolute(u, c)
        if self.position[u] != 0 and self.role[u] != 3:
            self.holder[u] = u
        if self.role[u] != 3 and not self.opaque[u]:
            if self.display[u] == 9 or self.display[u] == 10:
                self.y[u] += self.spacing[u]
            elif self.display[u] == 11:
                self.open_table_row(u)
            elif self.is_row(u):
                self.share_row(u)

    @cython.cfunc
    def open_inline(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        self.flow[u] = c
        if self.line_open[c]:
            self.line_fill[c] += number(self.margin_left[u]) + self.pad_left[u]
            self.x[u] = self.line_left(c) + self.line_fill[c]
            self.top[u] = self.line_top[c]
        else:
            self.x[u] = self.left[c]
            self.top[u] = self.y[c] + self.gap[c]

    @cython.cfunc
    def open_block(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        margin: cython.double = number(self.margin_top[u])
        start: cython.double = self.left[c]
        room: cython.double = self.room[c]
        apart: cython.bint = self.is_apart(u)
        beside: cython.bint
        self.close_line(c)
        if self.clear[u] != 0 and self.float_bottom[c] > self.y[c] + self.gap[c]:
            self.place(c)
            self.y[c] = self.float_bottom[c]
            self.gap[c] = 0
        self.gap[u] = max(self.gap[c], margin) if margin >= 0 else self.gap[c] + margin
        self.y[u] = self.y[c]
        beside = self.y[u] + self.gap[u] < self.float_bottom[c]
        if apart and beside:
            start += self.float_left[c]
            room -= self.float_left[c] + self.float_right[c]
        self.width[u] = self.find_width(
            u, c, room - number(self.margin_left[u]) - number(self.margin_right[u]), 0
        )
        self.x[u] = start + self.indent_of(u, room - self.width[u])
        self.open_inside(u)
        if beside and not apart:
            # The box runs behind the float, its content beside it.
            self.float_left[u] = max(0.0, self.left[c] + self.float_left[c] - self.left[u])
            self.float_right[u] = max(
                0.0, self.left[u] + self.room[u] - self.left[c] - self.room[c] + self.float_right[c]
            )
            self.float_top[u] = self.float_top[c]
            self.float_bottom[u] = self.float_bottom[c]
        if apart or self.pad_top[u] > 0:
            self.place(u)

    @cython.cfunc
    def indent_of(self, u: cython.Py_ssize_t, rest: cython.double) -> cython.double:
        """Left margin of a block that leaves so much room beside it."""
        left: cython.double = self.margin_left[u]
        right: cython.double = self.margin_right[u]
        if left == left:
            if self.align[self.parent[u]] == 1 and self.display[u] == 9:  # <center> also moves tables
                return max(left, rest / 2)
            return left
        return max(0.0, rest / 2 if right != right else rest - right)

    @cython.cfunc
    def is_apart(self, u: cython.Py_ssize_t) -> cython.bint:
        """Whether u keeps its floats and margins to itself: a block formatting context of its own."""
        if self.role[u] != 4 or self.overflow[u] != 0 or self.opaque[u]:
            return True
        return self.display[u] != 2 and self.display[u] != 4

    @cython.cfunc
    def open_inside(self, u: cython.Py_ssize_t):
        """Set the room for the content of a box whose x and width are known."""
        self.left[u] = self.x[u] + self.pad_left[u]
        self.room[u] = max(0.0, self.width[u] - self.pad_left[u] - self.pad_right[u])

    @cython.cfunc
    def open_at(self, u: cython.Py_ssize_t, x: cython.double, y: cython.double):
        """Put the corner of a box that does not take part in collapsing margins."""
        self.x[u] = x
        self.top[u] = y
        self.y[u] = y + self.pad_top[u]
        self.placed[u] = 1
        self.open_inside(u)

    @cython.cfunc
    def place(self, u: cython.Py_ssize_t):
        """Fix the top of a container and of those that begin with it: no further margin will move them."""
        top: cython.double = self.y[u] + self.gap[u]
        v: cython.Py_ssize_t = u
        if self.placed[u]:
            return
        while v >= 0 and not self.placed[v]:
            self.placed[v] = 1
            self.top[v] = self.y[v] = top
            self.gap[v] = 0
            v = self.container(self.parent[v])
        self.y[u] += self.pad_top[u]

    @cython.cfunc
    def open_atom(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        before: cython.double = number(self.margin_left[u])
        after: cython.double = number(self.margin_right[u])
        self.open_line(c)
        self.width[u] = self.find_width(u, c, self.line_room(c) - before - after, True)
        if self.line_fill[c] + before + self.width[u] + after > self.line_room(c) + 0.5:
            if self.line_fill[c] > 0 and self.may_wrap(u, c):
                self.close_line(c)
                self.open_line(c)
        self.open_at(
            u, self.line_left(c) + self.line_fill[c] + before, self.line_top[c] + number(self.margin_top[u])
        )
        self.line_fill[c] += before + self.width[u] + after
        if self.display[c] == 11:
            self.line_fill[c] += self.spacing[c]

    @cython.cfunc
    def may_wrap(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        if self.is_row(c):
            return self.wrap[c] != 0 or self.columns[c] > 0
        return self.white_space[self.parent[u]] == 0

    @cython.cfunc
    def open_float(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        before: cython.double = number(self.margin_left[u])
        after: cython.double = number(self.margin_right[u])
        outer: cython.double
        x: cython.double
        y: cython.double
        self.place(c)
        y = self.line_top[c] if self.line_open[c] else self.y[c] + self.gap[c]
        self.width[u] = self.find_width(u, c, self.room[c] - before - after, True)
        outer = max(0.0, before + self.width[u] + after)
        if y < self.float_bottom[c]:
            y = max(y, self.float_top[c])
            if self.clear[u] != 0 or self.float_left[c] + self.float_right[c] + outer > self.room[c] + 0.5:
                y = self.float_bottom[c]
        if y >= self.float_bottom[c]:
            self.float_left[c] = self.float_right[c] = 0
        if self.floating[u] == 1:
            x = self.left[c] + self.float_left[c] + before
            self.float_left[c] += outer
        else:
            x = self.left[c] + self.room[c] - self.float_right[c] - after - self.width[u]
            self.float_right[c] += outer
        self.float_top[c] = y
        self.open_at(u, x, y + number(self.margin_top[u]))

    @cython.cfunc
    def open_absolute(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        h: cython.Py_ssize_t = self.holder[self.parent[u]]
        left: cython.double = 0
        top: cython.double = 0
        room: cython.double = self.view_width
        x: cython.double
        y: cython.double
        if h >= 0 and self.position[u] == 2:
            left = self.x[h]
            room = self.width[h]
            top = self.top[h] if self.placed[h] else self.y[h] + self.gap[h]
        self.width[u] = self.find_width(u, c, room, True)
        if self.css_left[u] == self.css_left[u]:
            x = left + self.css_left[u]
        elif self.css_right[u] == self.css_right[u]:
            x = left + room - self.css_right[u] - self.width[u]
        else:
            x = self.left[c] + (self.line_fill[c] if self.line_open[c] else 0)
        if self.css_top[u] == self.css_top[u]:
            y = top + self.css_top[u]
        elif self.line_open[c]:
            y = self.line_top[c]
        else:
            y = self.y[c] + self.gap[c]
        self.open_at(u, x + number(self.margin_left[u]), y + number(self.margin_top[u]))

    @cython.cfunc
    def close(self, u: cython.Py_ssize_t):
        """Find the height of a node whose content is laid out, and go on below or beside it."""
        c: cython.Py_ssize_t = self.container(self.parent[u])
        below: cython.double = number(self.margin_bottom[u])
        if self.role[u] == 3:
            if self.line_open[c]:
                self.line_fill[c] += number(self.margin_right[u]) + self.pad_right[u]
            return
        self.close_line(u)
        if not self.placed[u]:
            if not (self.css_height[u] > 0 or self.min_height[u] > 0 or self.pad_bottom[u] > 0):
                self.top[u] = self.y[u] + self.gap[u]
                self.gap[c] = max(self.gap[u], below)
                return
            self.place(u)
        if self.is_row(u):
            self.level_row(u)
        self.find_height(u)
        if self.role[u] == 4 and c >= 0:
            self.y[c] = self.top[u] + self.height[u]
            self.gap[c] = below
            if not self.is_apart(u) and self.pad_bottom[u] == 0:
                self.gap[c] = max(self.gap[u], below)
            if self.display[u] == 11:
                self.y[c] += self.spacing[u]
        elif self.role[u] == 5:
            self.line_height[c] = max(
                self.line_height[c], self.height[u] + number(self.margin_top[u]) + below
            )
        elif self.role[u] == 6:
            self.float_bottom[c] = max(self.float_bottom[c], self.top[u] + self.height[u] + below)
            self.float_own[c] = self.float_bottom[c]
        if self.column_start[u] >= 0:
            self.n_columns = self.column_start[u]

    @cython.cfunc
    def find_height(self, u: cython.Py_ssize_t):
        extra: cython.double = self.pad_top[u] + self.pad_bottom[u]
        declared: cython.double = self.css_height[u] + (0.0 if self.border_box[u] else extra)
        height: cython.double
        # A container is as high as its floats: pages clear them, mostly by means that are not read here.
        height = max(self.y[u], self.float_own[u])
        if self.is_apart(u) or self.pad_bottom[u] > 0:
            height += self.gap[u]
        height += self.pad_bottom[u] - self.top[u]
        if self.opaque[u]:
            height = (
                extra + (self.width[u] - self.pad_left[u] - self.pad_right[u]) * IMAGE_HEIGHT / IMAGE_WIDTH
            )
        if declared == declared:
            height = declared if self.overflow[u] != 0 or self.opaque[u] else max(height, declared)
        self.height[u] = max(height, self.min_height[u])

    # Lines

    @cython.cfunc
    def open_line(self, c: cython.Py_ssize_t):
        if self.line_open[c]:
            return
        self.place(c)
        self.line_open[c] = 1
        self.line_top[c] = self.y[c] = self.y[c] + self.gap[c]
        self.gap[c] = self.line_height[c] = self.line_fill[c] = 0
        self.line_first[c] = self.now
        if self.display[c] == 11:
            self.line_fill[c] = self.spacing[c]

    @cython.cfunc
    def line_left(self, c: cython.Py_ssize_t) -> cython.double:
        if self.line_top[c] < self.float_bottom[c]:
            return self.left[c] + self.float_left[c]
        return self.left[c]

    @cython.cfunc
    def line_room(self, c: cython.Py_ssize_t) -> cython.double:
        if self.line_top[c] < self.float_bottom[c]:
            return max(1.0, self.room[c] - self.float_left[c] - self.float_right[c])
        return max(1.0, self.room[c])

    @cython.cfunc
    def close_line(self, c: cython.Py_ssize_t):
        """End the open line; move what stands in it sideways by the alignment and down to its bottom."""
        rest: cython.double
        v: cython.Py_ssize_t = self.line_first[c]
        if not self.line_open[c]:
            return
        self.line_open[c] = 0
        self.y[c] = self.line_top[c] + self.line_height[c]
        if self.is_row(c):
            return
        rest = max(0.0, self.line_room(c) - self.line_fill[c]) * self.align[c] / 2
        while v < self.now:
            if self.role[v] == 3:
                v += 1
                continue
            if self.role[v] == 5 or (self.role[v] == 1 and self.height[v] > 0):
                self.shift_x[v] = rest
                self.shift_y[v] = max(0.0, self.y[c] - self.top[v] - self.height[v])
                if self.role[v] == 1:  # the box of a text is lower than its line
                    self.shift_y[v] -= min(
                        self.shift_y[v], (self.leading_of(v) - normal_line(self.size[v])) / 2
                    )
            v = self.end[v]

    @cython.cfunc
    def leading_of(self, u: cython.Py_ssize_t) -> cython.double:
        """Height of a line in the style of u."""
        if self.leading[u] == self.leading[u]:
            return self.size[u] * self.leading[u]
        return normal_line(self.size[u])

    @cython.cfunc
    def break_line(self, u: cython.Py_ssize_t):
        c: cython.Py_ssize_t = self.container(self.parent[u])
        if self.is_row(c):
            return
        self.open_line(c)
        self.line_height[c] = max(self.line_height[c], self.leading_of(u))
        self.x[u] = self.line_left(c) + self.line_fill[c]
        self.top[u] = self.line_top[c]
        self.height[u] = normal_line(self.size[u])
        self.close_line(c)
        if self.clear[u] != 0:
            self.y[c] = max(self.y[c], self.float_bottom[c])

    @cython.cfunc
    def place_text(self, u: cython.Py_ssize_t):
        """Put a text into the open line and the lines that it needs below."""
        c: cython.Py_ssize_t = self.container(self.parent[u])
        line: cython.double = self.leading_of(u)
        space: cython.double = 0.28 * self.size[u]
        width: cython.double = self.text_width[u]
        ends: cython.int = self.text_ends[u]
        if ends & 4:
            if ends > 4 and self.line_open[c] and self.line_fill[c] > 0 and not self.is_row(c):
                self.line_fill[c] += space
            return
        self.open_line(c)
        if self.line_first[c] == u:
            self.line_fill[c] += self.indent[u]
        if ends & 1 and self.line_fill[c] > 0:
            self.line_fill[c] += space
        if self.line_fill[c] > 0 and self.must_wrap(u, c):
            self.close_line(c)
            self.open_line(c)
        if self.white_space[u] != 0 or self.is_row(c) or self.line_fill[c] + width <= self.line_room(c) + 0.5:
            self.x[u] = self.line_left(c) + self.line_fill[c]
            self.top[u] = self.line_top[c]
            self.width[u] = width
            self.height[u] = self.text_breaks[u] * line + normal_line(self.size[u])
            self.line_fill[c] += width
            self.line_height[c] = max(self.line_height[c], (self.text_breaks[u] + 1) * line)
        else:
            self.wrap_text(u, c, max(self.line_room(c), min(width, self.size[u])), line)
        if ends & 2:
            self.line_fill[c] += space

    @cython.cfunc
    def must_wrap(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Whether a text has to begin on a new line: what is left of this one holds no word of it."""
        left: cython.double = self.line_room(c) - self.line_fill[c]
        if self.is_row(c) or self.text_width[u] <= left + 0.5:
            return False
        return self.white_space[u] != 0 or min(self.text_word[u], 5 * self.size[u]) > left

    @cython.cfunc
    def wrap_text(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t, room: cython.double, line: cython.double):
        """Put a text that goes on over several lines: the rest of this one, full ones, a last one."""
        filled: cython.double = room * FILL
        rest: cython.double = self.text_width[u] - max(0.0, room - self.line_fill[c]) * FILL
        more: cython.double = max(1.0, -((-rest / filled) // 1))
        self.line_height[c] = max(self.line_height[c], line)
        self.x[u] = self.line_left(c)
        self.top[u] = self.line_top[c]
        self.width[u] = room
        self.height[u] = more * line + normal_line(self.size[u])
        self.close_line(c)
        self.y[c] += (more - 1) * line
        self.open_line(c)
        self.line_first[c] = u + 1
        self.line_fill[c] = max(0.0, rest - (more - 1) * filled)
        self.line_height[c] = line

    # Tables and rows

    @cython.cfunc
    def table_of(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Table that a row belongs to; the row itself where there is none."""
        p: cython.Py_ssize_t = self.parent[row]
        if p >= 0 and 14 <= self.display[p] <= 16:
            p = self.parent[p]
        if p >= 0 and (self.display[p] == 9 or self.display[p] == 10) and self.column_start[p] >= 0:
            return p
        return row

    @cython.cfunc
    def open_table_row(self, u: cython.Py_ssize_t):
        table: cython.Py_ssize_t = self.table_of(u)
        v: cython.Py_ssize_t = u + 1
        column: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        last: cython.Py_ssize_t
        if table == u:
            self.find_columns(u)
            self.share_columns(u, self.room[u] - (self.column_count[u] + 1) * self.spacing[u])
        while v < self.end[u]:
            if self.role[v] == 5:
                last = min(column + self.span_of(v), self.column_count[table])
                self.assigned[v] = (last - column - 1) * self.spacing[u]
                for j in range(column, last):
                    self.assigned[v] += self.column_most[self.column_start[table] + j]
                column = min(last, self.column_count[table] - 1)
            v = self.end[v]
        self.place(u)

    @cython.cfunc
    def span_of(self, cell: cython.Py_ssize_t) -> cython.Py_ssize_t:
        span: cython.Py_ssize_t = int(self.span[cell])
        return span

    @cython.cfunc
    def find_columns(self, table: cython.Py_ssize_t):
        """Collect what the columns of a table need, first from cells of one column, then from wider ones."""
        wide: cython.bint
        v: cython.Py_ssize_t
        row: cython.Py_ssize_t
        self.column_start[table] = self.n_columns
        self.column_count[table] = 0
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
        self.n_columns += self.column_count[table]

    @cython.cfunc
    def add_row(self, table: cython.Py_ssize_t, row: cython.Py_ssize_t, wide: cython.bint):
        v: cython.Py_ssize_t = row + 1
        start: cython.Py_ssize_t = self.column_start[table]
        column: cython.Py_ssize_t = 0
        span: cython.Py_ssize_t
        while v < self.end[row]:
            if self.role[v] == 5:
                # Never more columns than nodes, whatever spans a page claims.
                column = min(column, self.n - 1 - start)
                span = self.span_of(v)
                if start + column + span > self.n:
                    span = 1
                while self.column_count[table] < column + span:
                    self.new_column(start + self.column_count[table])
                    self.column_count[table] += 1
                if (span > 1) == wide:
                    self.add_cell(v, start + column, span)
                column += span
            v = self.end[v]

    @cython.cfunc
    def new_column(self, j: cython.Py_ssize_t):
        self.column_most[j] = self.column_least[j] = self.column_share[j] = 0

    @cython.cfunc
    def add_cell(self, cell: cython.Py_ssize_t, first: cython.Py_ssize_t, span: cython.Py_ssize_t):
        """Widen columns so that a cell fits; a share of -1 marks a column of fixed width."""
        j: cython.Py_ssize_t
        most: cython.double = self.most[cell] - (span - 1) * self.spacing[cell]
        least: cython.double = self.least[cell] - (span - 1) * self.spacing[cell]
        for j in range(first, first + span):
            most -= self.column_most[j]
            least -= self.column_least[j]
        for j in range(first, first + span):
            self.column_most[j] += max(0.0, most / span)
            self.column_least[j] += max(0.0, least / span)
        if span == 1:
            if self.css_share[cell] == self.css_share[cell]:
                self.column_share[first] = max(self.column_share[first], min(self.css_share[cell], 1.0))
            elif self.css_width[cell] > 0 and self.column_share[first] == 0:
                self.column_share[first] = -1

    @cython.cfunc
    def table_width(
        self, u: cython.Py_ssize_t, declared: cython.double, room: cython.double
    ) -> cython.double:
        """Width of a table: declared, or that of its columns where there is room; never below their least."""
        j: cython.Py_ssize_t
        extra: cython.double
        most: cython.double = 0
        least: cython.double = 0
        shares: cython.double = 0
        shared: cython.double = 0
        self.find_columns(u)
        extra = self.pad_left[u] + self.pad_right[u] + (self.column_count[u] + 1) * self.spacing[u]
        for j in range(self.column_start[u], self.column_start[u] + self.column_count[u]):
            least += self.column_least[j]
            if self.column_share[j] > 0:
                shares += self.column_share[j]
                shared = max(shared, self.column_most[j] / self.column_share[j])
            else:
                most += self.column_most[j]
        if shares > 0:
            # Wide enough for every column to have its share.
            most = max(shared, most / (1 - shares) if shares < 0.99 else 1e6 if most > 0 else 0.0)
        if declared < 0:
            declared = min(max(most + extra, self.least[u]), room)
        declared = max(declared, least + extra)
        self.share_columns(u, declared - extra)
        return declared

    @cython.cfunc
    def share_columns(self, table: cython.Py_ssize_t, room: cython.double):
        """Set `column_most` to the widths of the columns of a table that has so much room for them."""
        j: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.column_start[table]
        last: cython.Py_ssize_t = first + self.column_count[table]
        most: cython.double = 0
        least: cython.double = 0
        free: cython.double = 0
        part: cython.double
        for j in range(first, last):
            if self.column_share[j] > 0:
                self.column_most[j] = max(self.column_least[j], self.column_share[j] * room)
            elif self.column_share[j] == 0:
                free += self.column_most[j]
            most += self.column_most[j]
            least += self.column_least[j]
        if most > room:
            part = max(0.0, (room - least) / (most - least)) if most > least else 0.0
            for j in range(first, last):
                self.column_most[j] = self.column_least[j] + part * (
                    self.column_most[j] - self.column_least[j]
                )
            return
        for j in range(first, last):
            if free > 0 and self.column_share[j] == 0:
                self.column_most[j] *= 1 + (room - most) / free
            elif free == 0 and most > 0:
                self.column_most[j] *= room / most

    @cython.cfunc
    def share_row(self, u: cython.Py_ssize_t):
        """Assign widths to the items of a flex row or a grid."""
        v: cython.Py_ssize_t = u + 1
        room: cython.double = self.room[u]
        margins: cython.double
        base: cython.double
        most: cython.double = 0
        least: cython.double = 0
        grow: cython.double = 0
        part: cython.double = 0
        if self.columns[u] <= 1:
            while v < self.end[u]:
                if self.role[v] == 5:
                    base = self.declared_width(v, u)
                    margins = number(self.margin_left[v]) + number(self.margin_right[v])
                    most += (base if base >= 0 else self.most[v]) + margins
                    least += min(self.least[v], base if base >= 0 else self.least[v]) + margins
                    grow += self.grow[v]
                v = self.end[v]
            if most > room and self.wrap[u] == 0 and most > least:
                part = max(0.0, (room - least) / (most - least))
        v = u + 1
        while v < self.end[u]:
            if self.role[v] == 5:
                base = self.declared_width(v, u)
                if base < 0:
                    base = self.most[v]
                if self.columns[u] > 1:
                    margins = number(self.margin_left[v]) + number(self.margin_right[v])
                    self.assigned[v] = room / self.columns[u] - margins
                elif most > room and self.wrap[u] == 0:
                    self.assigned[v] = min(self.least[v], base) + part * max(0.0, base - self.least[v])
                elif most <= room and self.grow[v] > 0:
                    self.assigned[v] = base + (room - most) * self.grow[v] / grow
            v = self.end[v]

    @cython.cfunc
    def level_row(self, u: cython.Py_ssize_t):
        """Make the cells of a row, the items of a flex row, as high as the row."""
        v: cython.Py_ssize_t = u + 1
        height: cython.double = self.y[u] - self.line_top[u]
        if self.display[u] == 11:
            height = max(height, number(self.css_height[u]))
            self.y[u] = self.line_top[u] + height
        elif self.wrap[u] != 0 or self.columns[u] > 0:
            return
        while v < self.end[u]:
            if self.role[v] == 5 and not self.opaque[v] and self.height[v] < height:
                if self.display[v] == 12:
                    self.shift_inside[v] = (height - self.height[v]) * self.vertical[v] / 2
                    self.height[v] = height
                elif self.css_height[v] != self.css_height[v]:
                    self.height[v] = height - number(self.margin_top[v]) - number(self.margin_bottom[v])
            v = self.end[v]

    # Boxes

    @cython.cfunc
    def settle(self):
        """Carry out the shifts and put the boxes of inline elements around their content."""
        u: cython.Py_ssize_t
        p: cython.Py_ssize_t
        low_x: cython.double[::1]
        high_x: cython.double[::1]
        low_y: cython.double[::1]
        high_y: cython.double[::1]
        for u in range(1, self.n):
            if self.role[u] == 0:
                continue
            p = self.parent[u]
            if self.position[u] == 1 and self.role[u] != 1:
                self.shift_x[u] += number(self.css_left[u])
                self.shift_y[u] += number(self.css_top[u])
            self.shift_x[u] += self.shift_x[p]
            self.shift_y[u] += self.shift_y[p] + self.shift_inside[p]
            self.x[u] += self.shift_x[u]
            self.top[u] += self.shift_y[u]
        low_x, low_y = np.full((2, self.n), np.inf)
        high_x, high_y = np.full((2, self.n), -np.inf)
        for u in range(self.n - 1, 0, -1):
            if self.role[u] == 3 and low_x[u] <= high_x[u]:
                self.x[u] = low_x[u]
                self.top[u] = low_y[u]
                self.width[u] = high_x[u] - low_x[u]
                self.height[u] = high_y[u] - low_y[u]
            p = self.parent[u]
            if self.role[u] != 0 and self.role[u] < 6 and self.role[p] == 3 and self.height[u] > 0:
                low_x[p] = min(low_x[p], self.x[u])
                low_y[p] = min(low_y[p], self.top[u])
                high_x[p] = max(high_x[p], self.x[u] + self.width[u])
                high_y[p] = max(high_y[p], self.top[u] + self.height[u])


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
