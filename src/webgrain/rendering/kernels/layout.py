# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""The flow of the layout estimate: blocks, lines, floats, rows of items and positioned boxes.

The flow is one walk in document order: every node is opened once and closed once. The widths that boxes ask
for are computed before it, and the shifts of aligned lines are applied after it, see
`webgrain.rendering.kernels.boxes`. Texts are not broken word by word: their width is divided by the available
width.
"""

from __future__ import annotations

import numpy as np

from webgrain.rendering.kernels import cascade as k
from webgrain.rendering.kernels.boxes import (
    IMAGE_HEIGHT,
    IMAGE_WIDTH,
    LINE,
    SPACE,
    Tables,
    find_roles,
    find_widths,
    settle,
)

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


FILL = 0.96
"""Average share of a full line that is filled with words (hand-set, not tuned)."""

_COLUMNS = (
    k.FONT_SIZE, k.WHITE_SPACE, k.TEXT_ALIGN, k.LINE_HEIGHT, k.TEXT_INDENT, k.SPACING, k.VERTICAL, k.DISPLAY,
    k.POSITION, k.FLOAT, k.CLEAR, k.OVERFLOW, k.GROW, k.COLUMNS, k.BORDER_BOX, k.WRAP, k.WIDTH,
    k.WIDTH_SHARE, k.HEIGHT, k.MIN_HEIGHT, k.MAX_WIDTH, k.LEFT, k.RIGHT, k.TOP, k.MARGIN_TOP, k.MARGIN_RIGHT,
    k.MARGIN_BOTTOM, k.MARGIN_LEFT, k.PADDING_TOP, k.PADDING_RIGHT, k.PADDING_BOTTOM, k.PADDING_LEFT,
)  # fmt: skip


@cython.cfunc
def number(x: cython.double) -> cython.double:
    """Return 0 for ``auto``."""
    return x if x == x else 0.0


@cython.cfunc
def normal_line(size: cython.double) -> cython.double:
    """Height of a line for a font of this size, in whole px as in browsers."""
    return (size * LINE + 0.5) // 1


@cython.cclass
class Flow:
    """The state of a layout; `run` returns the boxes. All arrays have one entry per node.

    A container lays out its content: `left` and `room` define where it may stand, `y` where the next block
    begins, `gap` the margin that is still to collapse there. `line_*` is the line that is open, `float_*` the
    room that floats take at both sides, from `float_top` to `float_bottom`. Until a container is `placed`,
    its top moves with the margins of its first children.
    """

    cython.declare(n=cython.Py_ssize_t, now=cython.Py_ssize_t, view_width=cython.double)
    cython.declare(parent=cython.const[cython.int][::1], end=cython.const[cython.int][::1])
    cython.declare(kind=cython.const[cython.schar][::1], role=cython.const[cython.schar][::1])
    cython.declare(row=cython.const[cython.schar][::1], flow=cython.int[::1], holder=cython.int[::1])
    # styles
    style: object
    cython.declare(size=cython.const[cython.float][:], white_space=cython.const[cython.float][:])
    cython.declare(align=cython.const[cython.float][:], leading=cython.const[cython.float][:])
    cython.declare(indent=cython.const[cython.float][:], spacing=cython.const[cython.float][:])
    cython.declare(vertical=cython.const[cython.float][:], display=cython.const[cython.float][:])
    cython.declare(position=cython.const[cython.float][:], floating=cython.const[cython.float][:])
    cython.declare(clear=cython.const[cython.float][:], overflow=cython.const[cython.float][:])
    cython.declare(grow=cython.const[cython.float][:], columns=cython.const[cython.float][:])
    cython.declare(border_box=cython.const[cython.float][:], wrap=cython.const[cython.float][:])
    cython.declare(css_width=cython.const[cython.float][:], css_share=cython.const[cython.float][:])
    cython.declare(css_height=cython.const[cython.float][:], min_height=cython.const[cython.float][:])
    cython.declare(max_width=cython.const[cython.float][:], css_left=cython.const[cython.float][:])
    cython.declare(css_right=cython.const[cython.float][:], css_top=cython.const[cython.float][:])
    cython.declare(margin_top=cython.const[cython.float][:], margin_right=cython.const[cython.float][:])
    cython.declare(margin_bottom=cython.const[cython.float][:], margin_left=cython.const[cython.float][:])
    cython.declare(pad_top=cython.const[cython.float][:], pad_right=cython.const[cython.float][:])
    cython.declare(pad_bottom=cython.const[cython.float][:], pad_left=cython.const[cython.float][:])
    # texts
    cython.declare(text_width=cython.const[cython.double][::1], text_word=cython.const[cython.double][::1])
    cython.declare(text_breaks=cython.const[cython.int][::1], text_ends=cython.const[cython.schar][::1])
    # widths
    cython.declare(most=cython.const[cython.double][::1], least=cython.const[cython.double][::1])
    cython.declare(assigned=cython.double[::1])
    tables: object
    # boxes
    cython.declare(x=cython.double[::1], top=cython.double[::1], width=cython.double[::1])
    cython.declare(height=cython.double[::1], shift_x=cython.double[::1], shift_y=cython.double[::1])
    cython.declare(shift_inside=cython.double[::1])
    # containers
    cython.declare(placed=cython.schar[::1], left=cython.double[::1], room=cython.double[::1])
    cython.declare(y=cython.double[::1], gap=cython.double[::1], line_open=cython.schar[::1])
    cython.declare(line_first=cython.int[::1], line_top=cython.double[::1], line_fill=cython.double[::1])
    cython.declare(line_height=cython.double[::1], float_left=cython.double[::1])
    cython.declare(float_right=cython.double[::1], float_top=cython.double[::1])
    cython.declare(float_bottom=cython.double[::1], float_own=cython.double[::1])

    def __init__(self, parent, end, is_text, kind, style, texts, view_width):
        n = self.n = len(parent)
        self.now = 0
        self.view_width = view_width
        self.parent, self.end, self.kind, self.style = parent, end, kind, style
        self.text_width, self.text_word, self.text_breaks, self.text_ends = texts
        (
            self.size, self.white_space, self.align, self.leading, self.indent, self.spacing, self.vertical,
            self.display, self.position, self.floating, self.clear, self.overflow, self.grow, self.columns,
            self.border_box, self.wrap, self.css_width, self.css_share, self.css_height, self.min_height,
            self.max_width, self.css_left, self.css_right, self.css_top, self.margin_top, self.margin_right,
            self.margin_bottom, self.margin_left, self.pad_top, self.pad_right, self.pad_bottom,
            self.pad_left,
        ) = (style[:, column] for column in _COLUMNS)  # fmt: skip
        self.role, self.row = find_roles(parent, end, is_text, kind, style)
        self.most, self.least = find_widths(parent, kind, self.role, self.row, style, texts)
        self.flow, self.holder, self.line_first = np.full((3, n), -1, np.int32)
        self.placed, self.line_open = np.zeros((2, n), np.int8)
        (
            self.assigned, self.x, self.top, self.width, self.height, self.shift_x, self.shift_y,
            self.shift_inside, self.left, self.room, self.y, self.gap, self.line_top, self.line_fill,
            self.line_height, self.float_left, self.float_right, self.float_top, self.float_bottom,
            self.float_own,
        ) = np.zeros((20, n))  # fmt: skip
        self.tables = Tables(parent, end, self.role, style, self.most, self.least, self.assigned)

    def run(self):
        """Return boxes (n, 4) float64 and roles (n,) int8, 0 where a node is not laid out."""
        u: cython.Py_ssize_t = 0
        open_node: cython.Py_ssize_t = -1
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
                u = self.end[u] if self.kind[u] else u + 1
        self.now = self.n
        while open_node >= 0:
            self.close(open_node)
            open_node = self.parent[open_node]
        box = np.stack((self.x, self.top, self.width, self.height), axis=1)
        shift = np.stack((self.shift_x, self.shift_y, self.shift_inside), axis=1)
        settle(self.parent, self.role, self.style, box, shift)
        return box, np.asarray(self.role)

    # Widths

    @cython.cfunc
    def find_width(
        self, u: cython.Py_ssize_t, c: cython.Py_ssize_t, room: cython.double, shrink: cython.bint
    ) -> cython.double:
        """Width of the box of u where it has so much room; `shrink`: no wider than its content."""
        width: cython.double = self.declared_width(u, c)
        if self.display[u] == 9 or self.display[u] == 10:
            width = self.tables.open_table(u, width, room, self.pad_left[u] + self.pad_right[u])
        elif width < 0:
            width = room
            if shrink or self.kind[u]:
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
        """Return the node that lays out the children of p."""
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
        if self.role[u] != 3 and not self.kind[u]:
            if self.display[u] == 9 or self.display[u] == 10:
                self.y[u] += self.spacing[u]
            elif self.display[u] == 11:
                self.tables.open_row(u, self.room[u])
                self.place(u)
            elif self.row[u]:
                self.share_row(u)

    @cython.cfunc
    def open_inline(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Go on in the line; the box comes from the content later."""
        self.flow[u] = c
        if self.line_open[c]:
            self.line_fill[c] += number(self.margin_left[u]) + self.pad_left[u]
            self.x[u] = self.line_left(c) + self.line_fill[c]
            self.top[u] = self.line_top[c]
        else:
            self.x[u] = self.left[c]
            self.top[u] = self.y[c] + self.gap[c]

    @cython.cfunc
    @cython.locals(margin=cython.double, start=cython.double, room=cython.double, beside=cython.bint)
    @cython.locals(apart=cython.bint)
    def open_block(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Put a block below what is there, beside the floats that reach so far down."""
        margin, start, room, apart = number(self.margin_top[u]), self.left[c], self.room[c], self.is_apart(u)
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
        """Whether u keeps its floats and margins to itself: a separate block formatting context."""
        if self.role[u] != 4 or self.overflow[u] != 0 or self.kind[u] or self.parent[u] < 0:
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
    @cython.locals(outer=cython.double, before=cython.double, after=cython.double)
    def open_atom(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Place an atom in the open line, or in a new line if it is too wide."""
        before, after = number(self.margin_left[u]), number(self.margin_right[u])
        self.open_line(c)
        self.width[u] = self.find_width(u, c, self.line_room(c) - before - after, True)
        outer = before + self.width[u] + after
        if (
            self.line_fill[c] > 0
            and self.line_fill[c] + outer > self.line_room(c) + 0.5
            and self.may_wrap(u, c)
        ):
            self.close_line(c)
            self.open_line(c)
        self.open_at(
            u, self.line_left(c) + self.line_fill[c] + before, self.line_top[c] + number(self.margin_top[u])
        )
        self.line_fill[c] += outer
        if self.display[c] == 11:
            self.line_fill[c] += self.spacing[c]

    @cython.cfunc
    def may_wrap(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Whether u may start a new line of c."""
        if self.row[c]:
            return self.wrap[c] != 0 or self.columns[c] > 0
        return self.white_space[self.parent[u]] == 0

    @cython.cfunc
    @cython.locals(outer=cython.double, x=cython.double, y=cython.double, before=cython.double)
    @cython.locals(after=cython.double)
    def open_float(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Place a float beside the existing floats, or below them."""
        before, after = number(self.margin_left[u]), number(self.margin_right[u])
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
    @cython.locals(h=cython.Py_ssize_t, x=cython.double, y=cython.double, left=cython.double)
    @cython.locals(top=cython.double, room=cython.double)
    def open_absolute(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Place a box by its style in the nearest positioned box around it."""
        h, left, top, room = self.holder[self.parent[u]], 0, 0, self.view_width
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
        """Compute the height of a node whose content is laid out; continue below or beside it."""
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
        if self.row[u]:
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
        if 9 <= self.display[u] <= 11:
            self.tables.close(u)

    @cython.cfunc
    def find_height(self, u: cython.Py_ssize_t):
        """Set the height of a box from its content or its style."""
        extra: cython.double = self.pad_top[u] + self.pad_bottom[u]
        declared: cython.double = self.css_height[u] + (0.0 if self.border_box[u] else extra)
        height: cython.double
        # A container is as high as its floats: pages clear them, mostly by means that are not read here.
        height = max(self.y[u], self.float_own[u])
        if self.is_apart(u) or self.pad_bottom[u] > 0:
            height += self.gap[u]
        height += self.pad_bottom[u] - self.top[u]
        if self.kind[u]:
            height = (
                extra + (self.width[u] - self.pad_left[u] - self.pad_right[u]) * IMAGE_HEIGHT / IMAGE_WIDTH
            )
        if declared == declared:
            height = declared if self.overflow[u] != 0 or self.kind[u] else max(height, declared)
        self.height[u] = max(height, self.min_height[u])

    # Lines

    @cython.cfunc
    def open_line(self, c: cython.Py_ssize_t):
        """Start a line if none is open."""
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
        """Return the left end of the open line."""
        if self.line_top[c] < self.float_bottom[c]:
            return self.left[c] + self.float_left[c]
        return self.left[c]

    @cython.cfunc
    def line_room(self, c: cython.Py_ssize_t) -> cython.double:
        """Return the maximum length of the open line."""
        if self.line_top[c] < self.float_bottom[c]:
            return max(1.0, self.room[c] - self.float_left[c] - self.float_right[c])
        return max(1.0, self.room[c])

    @cython.cfunc
    def close_line(self, c: cython.Py_ssize_t):
        """End the open line; align its content horizontally, and move it to the bottom of the line."""
        rest: cython.double
        v: cython.Py_ssize_t = self.line_first[c]
        if not self.line_open[c]:
            return
        self.line_open[c] = 0
        self.y[c] = self.line_top[c] + self.line_height[c]
        if self.row[c]:
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
        """End the line at a ``<br>``; without an open line, it adds an empty line."""
        c: cython.Py_ssize_t = self.container(self.parent[u])
        if self.row[c]:
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
    @cython.locals(c=cython.Py_ssize_t, ends=cython.int, line=cython.double, space=cython.double)
    @cython.locals(width=cython.double)
    def place_text(self, u: cython.Py_ssize_t):
        """Place a text in the open line and in as many lines below as it needs."""
        c, line, space = self.container(self.parent[u]), self.leading_of(u), SPACE * self.size[u]
        width, ends = self.text_width[u], self.text_ends[u]
        if ends & 4:
            if ends > 4 and self.line_open[c] and self.line_fill[c] > 0 and not self.row[c]:
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
        if self.white_space[u] != 0 or self.row[c] or self.line_fill[c] + width <= self.line_room(c) + 0.5:
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
        """Whether a text must start on a new line because none of its words fits in the rest of this line."""
        left: cython.double = self.line_room(c) - self.line_fill[c]
        if self.row[c] or self.text_width[u] <= left + 0.5:
            return False
        return self.white_space[u] != 0 or min(self.text_word[u], 5 * self.size[u]) > left

    @cython.cfunc
    def wrap_text(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t, room: cython.double, line: cython.double):
        """Place a text over several lines: the rest of this line, full lines, and a last line."""
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

    # Rows

    @cython.cfunc
    @cython.locals(v=cython.Py_ssize_t, margins=cython.double, base=cython.double, room=cython.double)
    @cython.locals(most=cython.double, least=cython.double, grow=cython.double, part=cython.double)
    def share_row(self, u: cython.Py_ssize_t):
        """Assign widths to the items of a flex row or a grid."""
        v, room = u + 1, self.room[u]
        most = least = grow = part = 0
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
            if self.role[v] == 5 and not self.kind[v] and self.height[v] < height:
                if self.display[v] == 12:
                    self.shift_inside[v] = (height - self.height[v]) * self.vertical[v] / 2
                    self.height[v] = height
                elif self.css_height[v] != self.css_height[v]:
                    self.height[v] = height - number(self.margin_top[v]) - number(self.margin_bottom[v])
            v = self.end[v]
