# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Marks the text blocks that complete containers of the main content, see `webgrain.documents.gaps`.

n nodes, b blocks. A text is the begin of a block outside ``<head>``; t texts, in document order.
"""

from __future__ import annotations

import numpy as np

from webgrain.documents.partkernel import is_data_table

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
LongBuffer = cython.typedef(cython.longlong[::1])

# What an element is, in the order of `webgrain.documents.gaps`; no text is read inside those with UNREAD.
cython.declare(
    PRE=cython.int, TABLE=cython.int, DEFINITIONS=cython.int, LIST=cython.int, FIGURE=cython.int,
    ROW=cython.int, HEADER=cython.int, TERM=cython.int, DEFINITION=cython.int, HEADING=cython.int,
    ELEMENT=cython.int, UNREAD=cython.int, HEAD=cython.int,
)  # fmt: skip
PRE, TABLE, DEFINITIONS, LIST, FIGURE, ROW, HEADER, TERM, DEFINITION, HEADING = range(
    1, 11
)  # the last one is h1
ELEMENT, UNREAD, HEAD = 15, 16, 32


@cython.cclass
class GapFiller:
    """Marks blocks in `is_content`: `parts`, then `containers`, `figures` and `headings`.

    tree: parent and end (n,) int32. what: (n,) uint8, as above; bits: (n,) int32, see
    `webgrain.documents.parttable.node_bits`. shown: (n,) uint8, visible nodes, and texts that are not blank.
    blocks: first, last and weight (b,) int32, and the element (b,) int32 that holds each. content: b bytes, 1
    for blocks of the content.
    """

    cython.declare(parent=Ints, end=Ints, what=Flags, first=Ints, weight=Ints, holder=Ints)
    content: bytearray
    cython.declare(is_content=cython.uchar[::1], block=IntBuffer, before=IntBuffer, wider=IntBuffer)
    cython.declare(letters=LongBuffer, content_letters=LongBuffer)
    table_facts: tuple

    def __init__(self, tree, what, bits, shown, blocks, content):
        self.parent, self.end = tree
        self.what = what
        self.content = content
        self.is_content = content
        self.first, last, self.weight, self.holder = blocks
        self.table_facts = tree[1], bits, blocks[0], blocks[2]
        self.number_texts(shown, last)

    @cython.cfunc
    def number_texts(self, shown: tuple, last: Ints):
        """Find the texts, the texts before each node, and the nearest node around each with more texts."""
        n: cython.Py_ssize_t = len(self.parent)
        b: cython.Py_ssize_t = len(self.first)
        visible: Flags = shown[0]
        filled: Flags = shown[1]
        self.block = np.zeros(b, np.int32)
        self.before = np.zeros(n + 1, np.int32)
        self.wider = np.zeros(n, np.int32)
        self.letters = np.zeros(b + 1, np.int64)
        self.content_letters = np.zeros(b + 1, np.int64)
        unread, head = 0, 0  # the ends of the last elements of these kinds
        t: cython.Py_ssize_t = 0
        k: cython.Py_ssize_t = 0
        begin: cython.Py_ssize_t = -1
        outside: cython.bint = False
        for i in range(n):
            if self.what[i] & UNREAD:
                unread = max(unread, self.end[i])
            if self.what[i] & HEAD:
                head = max(head, self.end[i])
            if k == b or i < self.first[k]:
                continue
            if i == self.first[k]:
                outside = i >= head
                begin = -1
            if begin < 0 and visible[i] and filled[i] and i >= unread:
                begin = i
            if i == last[k]:
                if outside:
                    self.block[t] = k
                    self.before[(begin if begin >= 0 else self.first[k]) + 1] = 1
                    t += 1
                k += 1
        for i in range(n):
            self.before[i + 1] += self.before[i]
        for i in range(1, n):
            p = self.parent[i]
            low = self.before[p]
            high = self.before[self.end[p]]
            has_all = self.before[i] == low and self.before[self.end[i]] == high
            self.wider[i] = self.wider[p] if has_all else p
        self.block = self.block[:t]

    @cython.cfunc
    def add_letters(self):
        """Sum the letters before each text, and those of the content; a block has at least one."""
        for j in range(len(self.block)):
            k = self.block[j]
            weight = max(self.weight[k], 1)
            self.letters[j + 1] = self.letters[j] + weight
            self.content_letters[j + 1] = self.content_letters[j] + (weight if self.is_content[k] else 0)

    @cython.cfunc
    def letters_in(self, sums: LongBuffer, node: cython.Py_ssize_t) -> cython.longlong:
        """Return the letters in a node; sums: of all texts, or of the content."""
        return sums[self.before[self.end[node]]] - sums[self.before[node]]

    @cython.cfunc
    def mark(self, begin: cython.Py_ssize_t, stop: cython.Py_ssize_t):
        """Mark a span of blocks."""
        for k in range(begin, min(stop, len(self.is_content))):
            self.is_content[k] = 1

    @cython.cfunc
    def mark_texts(self, node: cython.Py_ssize_t):
        """Mark the texts in a node."""
        for j in range(self.before[node], self.before[self.end[node]]):
            self.is_content[self.block[j]] = 1

    @cython.cfunc
    def place(self, node: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the number of blocks that begin before a node."""
        low: cython.Py_ssize_t = 0
        high: cython.Py_ssize_t = len(self.first)
        while low < high:
            middle = (low + high) // 2
            if self.first[middle] < node:
                low = middle + 1
            else:
                high = middle
        return low

    def parts(self):
        """Mark code with content, and the blocks between others of a table of data or a definition list."""
        until = 0  # the end of the last code
        for node in range(len(self.what)):
            kind = self.what[node] & ELEMENT
            if node < until or (kind != PRE and kind != TABLE and kind != DEFINITIONS):
                continue
            begin = self.place(node)
            stop = self.place(self.end[node])
            least: cython.Py_ssize_t = self.content.find(1, begin, stop)
            if least < 0:
                continue
            most: cython.Py_ssize_t = self.content.rfind(1, begin, stop)
            if kind == PRE:
                self.mark(begin, stop)
                until = self.end[node]
            elif kind == DEFINITIONS:
                self.mark_definitions(least, most + 1)
            elif is_data_table(node, *self.table_facts):
                self.mark_rows(node, least, most)

    @cython.cfunc
    def mark_definitions(self, start: cython.Py_ssize_t, stop: cython.Py_ssize_t):
        """Mark the blocks from the term of the first one to the definition of the last one."""
        begin = start
        if start and self.element_of(start - 1) == TERM and self.element_of(start) != TERM:
            begin = start - 1
        is_inside = stop < len(self.first)
        if is_inside and self.element_of(stop) == DEFINITION and self.element_of(stop - 1) == TERM:
            stop += 1
        self.mark(begin, stop)

    @cython.cfunc
    def element_of(self, block: cython.Py_ssize_t) -> cython.int:
        """Return what the element is that holds a block."""
        return self.what[self.holder[block]] & ELEMENT

    @cython.cfunc
    def mark_rows(self, table: cython.Py_ssize_t, least: cython.Py_ssize_t, most: cython.Py_ssize_t):
        """Mark the blocks of the rows from that of block ``least`` to that of block ``most``."""
        rows, first, last, second, head = 0, -1, -1, -1, -1
        for i in range(table, self.end[table]):
            kind = self.what[i] & ELEMENT
            if kind == ROW:
                rows += 1
                if rows <= 2:
                    second = i  # of a table with one row, this row
                if i <= self.first[least]:
                    first = i
                if i <= self.first[most]:
                    last = i
            elif kind == HEADER and head < 0:
                head = i
        begin: cython.Py_ssize_t = least
        stop: cython.Py_ssize_t = most + 1
        if first >= 0 and last >= 0:
            if 0 <= head < second:
                first = table  # with the caption and the head
            begin = min(begin, self.place(first))
            stop = max(stop, self.place(self.end[last]))
        self.mark(begin, stop)

    def containers(self, least_of_list: cython.double, least_of_table: cython.double, beside: cython.double):
        """Mark all blocks of containers that are mostly content, or between blocks of the content.

        The arguments are the least shares of the letters in a list, in a table, and beside the container.
        """
        self.add_letters()
        until = 0  # the end of the last container that was marked
        for node in range(len(self.what)):
            kind = self.what[node] & ELEMENT
            if node < until or kind == 0 or kind > LIST:
                continue
            letters = self.letters_in(self.letters, node)
            content = self.letters_in(self.content_letters, node)
            if content >= letters:
                continue
            least: cython.double = least_of_list if kind == LIST else least_of_table
            is_mostly = kind != PRE and content > 0 and content >= least * letters
            if not is_mostly and not self.is_between(node, beside):
                continue
            if kind != TABLE or is_data_table(node, *self.table_facts):
                self.mark_texts(node)
                until = self.end[node]

    @cython.cfunc
    def is_between(self, node: cython.Py_ssize_t, beside: cython.double) -> cython.bint:
        """Whether the texts before and behind a node, and most of the element around it, are content."""
        around = self.wider[node]
        before = self.before[node] - 1
        behind = self.before[self.end[node]]
        if before < self.before[around] or behind >= self.before[self.end[around]]:
            return False
        if not self.is_content[self.block[before]] or not self.is_content[self.block[behind]]:
            return False
        return self.is_beside_content(node, beside)

    @cython.cfunc
    def is_beside_content(self, node: cython.Py_ssize_t, least: cython.double) -> cython.bint:
        """Whether most of the letters in the element around a node that are not in it are content."""
        around = self.wider[node]
        letters = self.letters_in(self.letters, around) - self.letters_in(self.letters, node)
        content = self.letters_in(self.content_letters, around) - self.letters_in(self.content_letters, node)
        return content > 0 and content >= least * letters

    def figures(self, beside: cython.double):
        """Mark the blocks of figures in elements that are mostly content; beside: as in `containers`."""
        self.add_letters()
        until = 0  # the end of the last figure that was marked
        for node in range(len(self.what)):
            if node < until or self.what[node] & ELEMENT != FIGURE:
                continue
            if self.is_beside_content(node, beside):
                self.mark_texts(node)
                until = self.end[node]

    def headings(self, least: cython.double):
        """Mark headings behind content if at least this share of the letters of their sections is content."""
        self.add_letters()
        for node in range(len(self.what)):
            if self.what[node] & ELEMENT < HEADING or self.letters_in(self.content_letters, node) > 0:
                continue
            begin = self.before[node]
            stop = self.before[self.end[node]]
            last = self.before[self.section_end(node)]
            if begin == stop or stop >= last or self.content_letters[begin] == 0:
                continue
            if not self.is_content[self.block[stop]]:
                continue
            letters = self.letters[last] - self.letters[stop]
            content = self.content_letters[last] - self.content_letters[stop]
            if content >= least * letters:
                self.mark_texts(node)

    @cython.cfunc
    def section_end(self, heading: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the next heading of the same or a higher level, or the end of the element around it."""
        stop = self.end[self.wider[heading]]
        level = self.what[heading] & ELEMENT
        for node in range(self.end[heading], stop):
            kind = self.what[node] & ELEMENT
            if HEADING <= kind <= level:
                return node
        return stop
