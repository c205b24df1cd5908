# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""The last steps of a layout: shifts, boxes of inline elements, and what of all this can be seen.

Widths of the columns of tables, shared out as CSS 2.2, 17.5.2.2 suggests.
"""

from __future__ import annotations

import numpy as np

from webgrain.rendering.kernels import cascade as k

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

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


@cython.cclass
class Tables:
    """The columns of the tables that are open; a table inside another has its columns behind the other's.

    Of a column: `most` and `least` it would like to have and needs, its `share` of the table, -1 where a cell
    says its width in px. In the end `most` is the width. `assigned` (n,) receives the widths of cells.
    """

    parent: cython.const[cython.int][::1]
    end: cython.const[cython.int][::1]
    role: cython.const[cython.schar][::1]
    display: cython.const[cython.float][:]
    span: cython.const[cython.float][:]
    spacing: cython.const[cython.float][:]
    css_width: cython.const[cython.float][:]
    css_share: cython.const[cython.float][:]
    cell_most: cython.const[cython.double][::1]
    cell_least: cython.const[cython.double][::1]
    assigned: cython.double[::1]
    most: cython.double[::1]
    least: cython.double[::1]
    share: cython.double[::1]
    start: cython.int[::1]
    count: cython.int[::1]
    used: cython.Py_ssize_t

    def __init__(self, parent, end, role, style, most, least, assigned):
        n = len(parent)
        self.parent, self.end, self.role, self.assigned = parent, end, role, assigned
        self.display, self.span, self.spacing = style[:, k.DISPLAY], style[:, k.SPAN], style[:, k.SPACING]
        self.css_width, self.css_share = style[:, k.WIDTH], style[:, k.WIDTH_SHARE]
        self.cell_most, self.cell_least = most, least
        self.most, self.least, self.share = np.zeros((3, n + 1))
        self.start, self.count = np.full((2, n), -1, np.int32)
        self.used = 0

    def open_table(
        self, u: cython.Py_ssize_t, declared: cython.double, room: cython.double, padding: cython.double
    ) -> float:
        """Return the width of a table: declared (else -1), or that of its columns where there is room.

        It is never below the least width of the columns, which are shared out.
        """
        j: cython.Py_ssize_t
        most: cython.double = 0
        least: cython.double = 0
        shares: cython.double = 0
        shared: cython.double = 0
        extra: cython.double
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
        """Assign the widths of the cells of a row; a row without a table has columns of its own."""
        table: cython.Py_ssize_t = self.table_of(u)
        v: cython.Py_ssize_t = u + 1
        column: cython.Py_ssize_t = 0
        j: cython.Py_ssize_t
        last: cython.Py_ssize_t
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
        """Give the columns of a table, or of a row without one, back."""
        if self.start[u] >= 0:
            self.used = self.start[u]

    @cython.cfunc
    def table_of(self, row: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the table that a row belongs to; the row itself where there is none."""
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
        """Collect what the columns of a table need, first from cells of one column, then from wider ones."""
        wide: cython.int
        v: cython.Py_ssize_t
        row: cython.Py_ssize_t
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
        """Add the needs of the cells of a row, those of one column or the wide ones."""
        v: cython.Py_ssize_t = row + 1
        start: cython.Py_ssize_t = self.start[table]
        # Never more columns than nodes, whatever spans a page claims.
        room: cython.Py_ssize_t = self.most.shape[0] - start
        column: cython.Py_ssize_t = 0
        span: cython.Py_ssize_t
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
        j: cython.Py_ssize_t
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
        """Set the widths of the columns of a table that has so much room for them."""
        j: cython.Py_ssize_t
        first: cython.Py_ssize_t = self.start[table]
        last: cython.Py_ssize_t = first + self.count[table]
        most: cython.double = 0
        least: cython.double = 0
        free: cython.double = 0
        part: cython.double
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
