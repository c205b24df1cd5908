# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The flow of the layout estimate: blocks, lines, floats, rows of items and positioned boxes.

The flow is one walk in document order: every node is opened once and closed once. The widths that boxes ask
for are computed before it, and the shifts of aligned lines are applied after it, see
`webgrain.rendering.kernels.boxes`. Texts are not broken word by word: widths are divided by those available.
"""

from __future__ import annotations

import numpy as np

from webgrain.rendering.kernels import cascade as k
from webgrain.rendering.kernels.boxes import (
    LINE,
    SPACE,
    Tables,
    find_roles,
    find_widths,
    justify_line,
    natural_ratio,
    settle,
    share_row,
)  # fmt: skip

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bytes = cython.typedef(cython.const[cython.schar][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Column = cython.typedef(cython.float[:])

FILL = 0.96
"""Average share of a full line that is filled with words (hand-set, not tuned)."""

_COLUMNS = (
    k.FONT_SIZE, k.WHITE_SPACE, k.TEXT_ALIGN, k.LINE_HEIGHT, k.TEXT_INDENT, k.SPACING, k.VERTICAL, k.DISPLAY,
    k.POSITION, k.FLOAT, k.CLEAR, k.OVERFLOW, k.GROW, k.SHRINK, k.BASIS, k.BORDER_BOX, k.WRAP, k.ORDER,
    k.FLEX, k.JUSTIFY, k.ALIGN, k.ALIGN_SELF, k.ASPECT, k.ROW_GAP, k.COLUMN_GAP, k.WIDTH, k.WIDTH_SHARE,
    k.HEIGHT, k.MIN_WIDTH, k.MAX_WIDTH, k.MIN_HEIGHT, k.MAX_HEIGHT, k.LEFT, k.RIGHT, k.TOP, k.BOTTOM,
    k.MARGIN_TOP, k.MARGIN_RIGHT, k.MARGIN_BOTTOM, k.MARGIN_LEFT, k.PADDING_TOP, k.PADDING_RIGHT,
    k.PADDING_BOTTOM, k.PADDING_LEFT,
)  # fmt: skip


@cython.cfunc
def number(x: cython.double) -> cython.double:
    """Return 0 for ``auto``."""
    return x if x == x else 0.0


@cython.cfunc
def is_auto(x: cython.double) -> cython.bint:
    """Whether a length is ``auto``."""
    return x != x


@cython.cfunc
def in_pixels(x: cython.double, room: cython.double) -> cython.double:
    """Return a length in px; a number far beyond all lengths is a share of the room, see `cascade.SHARE`."""
    return limited(x * room / 1.2676506002282294e30) if x > 1e15 or x < -1e15 else x


@cython.cfunc
def limited(x: cython.double) -> cython.double:
    """Return a length within the limits of `cascade.MAX_LENGTH`."""
    return max(-33554432.0, min(x, 33554432.0))


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
    cython.declare(view_height=cython.double, parent=Ints, end=Ints, kind=Bytes, role=Bytes, row=Bytes)
    cython.declare(flow=IntBuffer, holder=IntBuffer)
    # styles; the percentages of a node become px when it is opened
    style: object
    cython.declare(size=Column, white_space=Column, align=Column, leading=Column, indent=Column)
    cython.declare(spacing=Column, vertical=Column, display=Column, position=Column, floating=Column)
    cython.declare(clear=Column, overflow=Column, grow=Column, shrink=Column, border_box=Column, wrap=Column)
    cython.declare(order=Column, direction=Column, justify=Column, align_items=Column, align_self=Column)
    cython.declare(aspect=Column, row_gap=Column, column_gap=Column, css_width=Column, css_share=Column)
    cython.declare(css_height=Column, min_height=Column, max_height=Column, css_top=Column, css_bottom=Column)
    cython.declare(basis=Column, min_width=Column, max_width=Column, css_left=Column, css_right=Column)
    cython.declare(margin_top=Column, margin_right=Column, margin_bottom=Column, margin_left=Column)
    cython.declare(pad_top=Column, pad_right=Column, pad_bottom=Column, pad_left=Column)
    # texts
    cython.declare(text_width=Doubles, text_word=Doubles, text_breaks=Ints, text_ends=Bytes)
    # widths
    cython.declare(most=Doubles, least=Doubles, assigned=DoubleBuffer, inside=Doubles, tables=object)
    cython.declare(grids=object)
    # boxes
    cython.declare(x=DoubleBuffer, top=DoubleBuffer, width=DoubleBuffer, height=DoubleBuffer)
    cython.declare(shift_inside=DoubleBuffer, shift_x=DoubleBuffer, shift_y=DoubleBuffer)
    # containers
    cython.declare(placed=cython.schar[::1], left=DoubleBuffer, room=DoubleBuffer, y=DoubleBuffer)
    cython.declare(gap=DoubleBuffer, line_open=cython.schar[::1], line_first=IntBuffer, line_top=DoubleBuffer)
    cython.declare(line_fill=DoubleBuffer, line_height=DoubleBuffer, float_left=DoubleBuffer)
    cython.declare(float_right=DoubleBuffer, float_top=DoubleBuffer, float_bottom=DoubleBuffer)
    cython.declare(float_own=DoubleBuffer)

    def __init__(self, parent, end, is_text, kind, style, texts, make_grids, viewport):
        n = self.n = len(parent)
        self.now = 0
        self.view_width, self.view_height = viewport
        self.parent, self.end, self.kind, self.style = parent, end, kind, style
        self.text_width, self.text_word, self.text_breaks, self.text_ends = texts
        (
            self.size, self.white_space, self.align, self.leading, self.indent, self.spacing, self.vertical,
            self.display, self.position, self.floating, self.clear, self.overflow, self.grow, self.shrink,
            self.basis, self.border_box, self.wrap, self.order, self.direction, self.justify,
            self.align_items, self.align_self, self.aspect, self.row_gap, self.column_gap, self.css_width,
            self.css_share, self.css_height, self.min_width, self.max_width, self.min_height,
            self.max_height, self.css_left, self.css_right, self.css_top, self.css_bottom, self.margin_top,
            self.margin_right, self.margin_bottom, self.margin_left, self.pad_top, self.pad_right,
            self.pad_bottom, self.pad_left,
        ) = (style[:, column] for column in _COLUMNS)  # fmt: skip
        self.role, self.row = find_roles(parent, end, is_text, kind, style)
        self.most, self.least, self.inside = find_widths(parent, kind, self.role, self.row, style, texts)
        self.flow, self.holder, self.line_first = np.full((3, n), -1, np.int32)
        self.placed, self.line_open = np.zeros((2, n), np.int8)
        (
            self.assigned, self.x, self.top, self.width, self.height, self.shift_x, self.shift_y,
            self.shift_inside, self.left, self.room, self.y, self.gap, self.line_top, self.line_fill,
            self.line_height, self.float_left, self.float_right, self.float_top, self.float_bottom,
            self.float_own,
        ) = np.zeros((20, n))  # fmt: skip
        self.tables = Tables(parent, end, self.role, style, self.most, self.least, self.assigned)
        self.grids = make_grids(end, self.role, style, self.most, self.least)

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
            if self.kind[u] and self.aspect[u] > 0 and is_auto(self.css_height[u]):
                width = room
        return max(limited(self.bounded(u, width)), 0.0)

    @cython.cfunc
    def bounded(self, u: cython.Py_ssize_t, width: cython.double) -> cython.double:
        """Return a width of the box of u that respects the smallest and the largest width of its style."""
        extra: cython.double = 0.0 if self.border_box[u] else self.pad_left[u] + self.pad_right[u]
        if self.max_width[u] + extra < width:
            width = self.max_width[u] + extra
        if self.min_width[u] > 0:
            width = max(width, self.min_width[u] + extra)
        return width

    @cython.cfunc
    def declared_width(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.double:
        """Width that was assigned to the box of u or that its style asks for; -1: none."""
        extra: cython.double = 0.0 if self.border_box[u] else self.pad_left[u] + self.pad_right[u]
        if self.assigned[u] > 0:
            return self.assigned[u]
        if not is_auto(self.css_share[u]):
            return max(0.0, self.css_share[u] * self.room[c] + number(self.css_width[u]) + extra)
        return -1 if is_auto(self.css_width[u]) else self.css_width[u] + extra

    @cython.cfunc
    def resolve(self, u: cython.Py_ssize_t, room: cython.double):
        """Replace the percentages in the style of u by px of the room around it."""
        self.margin_left[u] = in_pixels(self.margin_left[u], room)
        self.margin_right[u] = in_pixels(self.margin_right[u], room)
        self.margin_top[u] = in_pixels(self.margin_top[u], room)
        self.margin_bottom[u] = in_pixels(self.margin_bottom[u], room)
        self.pad_left[u] = in_pixels(self.pad_left[u], room)
        self.pad_right[u] = in_pixels(self.pad_right[u], room)
        self.pad_top[u] = in_pixels(self.pad_top[u], room)
        self.pad_bottom[u] = in_pixels(self.pad_bottom[u], room)
        self.css_left[u] = in_pixels(self.css_left[u], room)
        self.css_right[u] = in_pixels(self.css_right[u], room)
        self.min_width[u] = in_pixels(self.min_width[u], room)
        self.max_width[u] = in_pixels(self.max_width[u], room)
        self.basis[u] = in_pixels(self.basis[u], room)

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
        self.resolve(
            u, self.holder_room(u) if self.role[u] == 7 else self.room[c] if c >= 0 else self.view_width
        )
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
            elif self.row[u] == 1:
                self.share_row(u)
            elif self.row[u] == 2:
                self.open_grid(u)

    @cython.cfunc
    def holder_room(self, u: cython.Py_ssize_t) -> cython.double:
        """Width of the box in which u is positioned."""
        h: cython.Py_ssize_t = self.holder[self.parent[u]]
        return self.width[h] if h >= 0 and self.position[u] == 2 else self.view_width

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
    @cython.locals(beside=cython.bint, shrink=cython.bint)
    def open_block(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Put a block below what is there, beside the floats that reach so far down."""
        margin, start, room, apart = number(self.margin_top[u]), self.left[c], self.room[c], self.is_apart(u)
        self.close_line(c)
        if self.clear[u] != 0 and self.float_bottom[c] > self.y[c] + self.gap[c]:
            self.place(c)
            self.y[c] = self.float_bottom[c]
            self.gap[c] = 0
        self.gap[u] = max(self.gap[c], margin) if margin >= 0 else self.gap[c] + margin
        if self.display[c] >= 5 and self.display[c] <= 8:  # margins of items do not collapse
            self.place(c)
            self.gap[u] = self.gap[c] + margin
            if self.y[c] > self.top[c] + self.pad_top[c]:
                self.gap[u] += self.row_gap[c]
        self.y[u] = self.y[c]
        beside = self.y[u] + self.gap[u] < self.float_bottom[c]
        if apart and beside:
            start += self.float_left[c]
            room -= self.float_left[c] + self.float_right[c]
        align = self.alignment(u, c) if 5 <= self.display[c] <= 6 else 0
        shrink = is_auto(self.margin_left[u]) or is_auto(self.margin_right[u])
        shrink = align != 0 or (5 <= self.display[c] <= 8 and shrink)
        self.width[u] = self.find_width(u, c, room - self.margins(u), shrink)
        if align == 1 or align == 2:
            start += align * (room - self.width[u] - self.margins(u)) / 2
            room = self.width[u]
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
        return 5 <= self.display[self.parent[u]] <= 8 or (self.display[u] != 2 and self.display[u] != 4)

    @cython.cfunc
    def alignment(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.int:
        """How an item stands across its container: 0 stretched, 1 centre, 2 end, 6 start."""
        align: cython.int = int(self.align_items[c] if self.align_self[u] == 7 else self.align_self[u])
        return align

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
        """Place an atom in the open line, in a new line if it is too wide, or in its column of a grid."""
        before, after = number(self.margin_left[u]), number(self.margin_right[u])
        if self.row[c] == 2:
            self.width[u] = self.find_width(u, c, self.assigned[u], self.assigned[u] <= 0)
            self.open_at(u, self.line_fill[u] + before, self.y[c] + number(self.margin_top[u]))
            return
        self.open_line(c)
        self.width[u] = self.find_width(u, c, self.line_room(c) - before - after, True)
        outer = before + self.width[u] + after
        if (
            self.line_fill[c] > 0
            and self.line_fill[c] + outer > self.line_room(c) + 0.5
            and self.may_wrap(u, c)
        ):
            self.close_line(c)
            if self.row[c]:
                self.y[c] += self.row_gap[c]
            self.open_line(c)
        self.open_at(
            u, self.line_left(c) + self.line_fill[c] + before, self.line_top[c] + number(self.margin_top[u])
        )
        self.line_fill[c] += outer
        if self.display[c] == 11:
            self.line_fill[c] += self.spacing[c]
        elif self.row[c]:
            self.line_fill[c] += self.column_gap[c]

    @cython.cfunc
    def may_wrap(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t) -> cython.bint:
        """Whether u may start a new line of c."""
        return self.wrap[c] != 0 if self.row[c] else self.white_space[self.parent[u]] == 0

    @cython.cfunc
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
    def open_absolute(self, u: cython.Py_ssize_t, c: cython.Py_ssize_t):
        """Place a box by its style in the nearest positioned box around it."""
        h, left, top, room = self.holder[self.parent[u]], 0, 0, self.view_width
        if h >= 0 and self.position[u] == 2:
            left = self.x[h]
            room = self.width[h]
            top = self.top[h] if self.placed[h] else self.y[h] + self.gap[h]
        both = not is_auto(self.css_left[u]) and not is_auto(self.css_right[u])
        before = room - self.margins(u)
        if both:
            before -= self.css_left[u] + self.css_right[u]
        self.width[u] = self.find_width(u, c, before, not both)
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
            declared = max(self.min_height[u], self.pad_bottom[u], self.aspect[u], self.css_height[u])
            if not declared > 0:
                self.top[u] = self.y[u] + self.gap[u]
                self.gap[c] = max(self.gap[u], below)
                return
            self.place(u)
        if self.display[u] == 11:
            self.level_row(u)
        elif self.row[u] == 2:
            self.close_grid(u)
        self.find_height(u)
        from_bottom = is_auto(self.css_top[u]) and not is_auto(self.css_bottom[u])
        if self.role[u] == 7 and self.position[u] == 3 and from_bottom:
            self.shift_y[u] = self.view_height - self.css_bottom[u] - self.height[u] - self.top[u]
        if self.role[u] == 4 and c >= 0:
            self.y[c] = self.top[u] + self.height[u]
            self.gap[c] = below
            if not self.is_apart(u) and self.pad_bottom[u] == 0:
                self.gap[c] = max(self.gap[u], below)
            if self.display[u] == 11:
                self.y[c] += self.spacing[u]
        elif self.role[u] == 5 and self.row[c] != 2:
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
            height = self.width[u] - self.pad_left[u] - self.pad_right[u]
            height = extra + height / natural_ratio(u, self.style)
        elif self.aspect[u] > 0:
            height = max(height, self.width[u] / self.aspect[u])
        if declared == declared:
            height = declared if self.overflow[u] != 0 or self.kind[u] else max(height, declared)
        if self.overflow[u] != 0 and self.max_height[u] < height:
            height = self.max_height[u]
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
        v: cython.Py_ssize_t = self.line_first[c]
        if not self.line_open[c]:
            return
        self.line_open[c] = 0
        self.y[c] = self.line_top[c] + self.line_height[c]
        if self.row[c]:
            if self.display[c] != 11:
                self.align_row(c)
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
        return normal_line(self.size[u]) if is_auto(self.leading[u]) else self.size[u] * self.leading[u]

    @cython.cfunc
    def break_line(self, u: cython.Py_ssize_t):
        """End the line at a ``<br>``; without an open line, it adds an empty line."""
        c: cython.Py_ssize_t = self.container(self.parent[u])
        if self.row[c] == 1:
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
    @cython.locals(ends=cython.int, space=cython.double)
    def place_text(self, u: cython.Py_ssize_t):
        """Place a text in the open line and in as many lines below as it needs."""
        c, line, space = self.container(self.parent[u]), self.leading_of(u), SPACE * self.size[u]
        width, ends = self.text_width[u], self.text_ends[u]
        if ends & 4:
            if self.white_space[u] == 2 and self.text_breaks[u] > 0 and not self.row[c]:
                self.open_line(c)
                self.line_height[c] = max(self.line_height[c], line)
                self.close_line(c)
                self.y[c] += (self.text_breaks[u] - 1) * line
            elif ends > 4 and self.line_open[c] and self.line_fill[c] > 0 and not self.row[c]:
                self.line_fill[c] += space
            return
        self.open_line(c)
        if self.line_first[c] == u:
            self.line_fill[c] += number(self.indent[u])
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
            if self.text_breaks[u] > 0 and not self.row[c]:
                # The rest of the line begins after the last line of the text, which is often an empty one.
                self.line_height[c] -= line
                self.close_line(c)
                self.open_line(c)
                self.line_first[c] = u + 1
                self.line_height[c] = 0 if ends & 2 else line
                self.line_fill[c] = 0 if ends & 2 else width / 2
                return
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
    def share_row(self, u: cython.Py_ssize_t):
        """Assign widths to the items of a flex container."""
        v, room = u + 1, self.room[u]
        self.column_gap[u] = in_pixels(self.column_gap[u], room)
        nodes: list = []
        items: list = []
        while v < self.end[u]:
            if self.role[v] == 5:
                self.resolve(v, room)
                base = self.base_width(v, u)
                items.append((
                    base, self.margins(v), self.least_width(v, u), self.grow[v], self.shrink[v],
                    self.bounded(v, 0.0), self.bounded(v, 1e9),
                ))  # fmt: skip
                nodes.append(v)
            elif self.role[v] == 1 and self.text_width[v] > 0:
                items.append((self.text_width[v], 0.0, self.text_word[v], 0.0, 1.0, 0.0, 1e9))
                nodes.append(v)
            v = self.end[v]
        widths = share_row(items, room, self.column_gap[u], self.wrap[u] != 0)
        for i in range(len(nodes)):
            if self.role[nodes[i]] == 5:
                self.assigned[nodes[i]] = widths[i]

    @cython.cfunc
    def margins(self, v: cython.Py_ssize_t) -> cython.double:
        """Width of the margins of an item; a text has none."""
        if self.role[v] == 1:
            return 0.0
        return number(self.margin_left[v]) + number(self.margin_right[v])

    @cython.cfunc
    def base_width(self, v: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.double:
        """Width of an item before it grows or shrinks."""
        extra: cython.double = 0.0 if self.border_box[v] else self.pad_left[v] + self.pad_right[v]
        width: cython.double = self.declared_width(v, u)
        if self.basis[v] == self.basis[v]:
            width = max(self.basis[v] + extra, self.pad_left[v] + self.pad_right[v])
        return self.bounded(v, width if width >= 0 else self.most[v])

    @cython.cfunc
    def least_width(self, v: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.double:
        """Width below which an item does not shrink."""
        least: cython.double = self.pad_left[v] + self.pad_right[v]
        width: cython.double = self.declared_width(v, u)
        if self.overflow[v] == 0 and self.min_width[v] != 0:
            least = self.least[v] if self.kind[v] else least + self.inside[v]
        return min(least, width) if width >= 0 else least

    @cython.cfunc
    @cython.locals(v=cython.Py_ssize_t, x=cython.double, ordered=cython.bint, justify=cython.int)
    def align_row(self, u: cython.Py_ssize_t):
        """Distribute the rest of a line of flex items between them, and align them in its height."""
        v, x, height = self.line_first[u], self.left[u], self.line_height[u]
        ordered, justify = self.direction[u] == 2, int(self.justify[u])
        if self.wrap[u] == 0:
            rest = self.pad_top[u] + self.pad_bottom[u]
            height = max(height, number(self.css_height[u]) - (rest if self.border_box[u] else 0.0))
            height = max(height, self.min_height[u] - rest)
            self.y[u] = self.line_top[u] + height
        items: list = []
        while v < self.now:
            if self.role[v] == 5 or (self.role[v] == 1 and self.height[v] > 0):
                if self.role[v] == 1:
                    items.append((0.0, v, (False, False)))
                else:
                    automatic = [is_auto(self.margin_left[v]), is_auto(self.margin_right[v])]
                    items.append((self.order[v], v, automatic))
                    ordered = ordered or self.order[v] != 0
            v = self.end[v]
        rest = max(0.0, self.room[u] - self.line_fill[u] + (self.column_gap[u] if items else 0.0))
        if ordered:
            items.sort()
            if self.direction[u] == 2:
                items.reverse()
                justify = 2 - justify if justify <= 2 else justify
        moved = justify_line(min(rest, self.room[u]), justify, [item[2] for item in items])
        for i in range(len(items)):
            v = items[i][1]
            self.shift_x[v] = moved[i]
            if ordered:
                self.shift_x[v] += x - self.x[v] + (number(self.margin_left[v]) if self.role[v] == 5 else 0.0)
                x += self.width[v] + self.margins(v) + self.column_gap[u]
            self.align_item(v, u, height)

    @cython.cfunc
    @cython.locals(align=cython.int)
    def align_item(self, v: cython.Py_ssize_t, u: cython.Py_ssize_t, height: cython.double):
        """Stretch or move an item in the height of its line or of its rows."""
        if self.role[v] == 1:
            align, rest = int(self.align_items[u]), height - self.height[v]
        else:
            align = self.alignment(v, u)
            rest = height - self.height[v] - number(self.margin_top[v]) - number(self.margin_bottom[v])
            if is_auto(self.margin_bottom[v]):
                align = 1 if is_auto(self.margin_top[v]) else 6
            elif is_auto(self.margin_top[v]):
                align = 2
            if align == 0 and not self.kind[v] and self.css_height[v] != self.css_height[v] and rest > 0:
                self.height[v] += rest
        if align == 1 or align == 2:
            self.shift_y[v] += rest * align / 2

    @cython.cfunc
    @cython.locals(v=cython.Py_ssize_t)
    def open_grid(self, u: cython.Py_ssize_t):
        """Assign widths and horizontal places to the items of a grid; `line_fill` keeps the places."""
        self.place(u)
        items, x, widths = self.grids.open_grid(u, self.room[u])
        for i in range(len(items)):
            v = items[i]
            self.resolve(v, widths[i])
            self.line_fill[v] = self.left[u] + x[i]
            if not is_auto(self.css_share[v]):
                self.assigned[v] = self.bounded(v, self.css_share[v] * widths[i] + number(self.css_width[v]))
            elif is_auto(self.css_width[v]):
                self.assigned[v] = max(0.0, self.bounded(v, widths[i] - self.margins(v)))

    @cython.cfunc
    @cython.locals(v=cython.Py_ssize_t)
    def close_grid(self, u: cython.Py_ssize_t):
        """Move the items of a grid to their rows."""
        heights = np.asarray(self.height) + np.nan_to_num(self.margin_top) + np.nan_to_num(self.margin_bottom)
        items, y, rows, height = self.grids.close_grid(u, heights)
        for i in range(len(items)):
            v = items[i]
            self.shift_y[v] += y[i]
            self.align_item(v, u, rows[i])
        self.y[u] += height

    @cython.cfunc
    def level_row(self, u: cython.Py_ssize_t):
        """Make the cells of a row as high as the row."""
        v: cython.Py_ssize_t = u + 1
        height: cython.double = max(self.y[u] - self.line_top[u], number(self.css_height[u]))
        self.y[u] = self.line_top[u] + height
        while v < self.end[u]:
            if self.display[v] == 12 and self.role[v] == 5 and not self.kind[v] and self.height[v] < height:
                self.shift_inside[v] = (height - self.height[v]) * self.vertical[v] / 2
                self.height[v] = height
            v = self.end[v]
