# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The text of a table of parts, see `webgrain.documents.parttable`."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Ints = cython.typedef(cython.const[cython.int][::1])
ReadTable = cython.typedef(cython.const[cython.int][:, ::1])
Sizes = cython.typedef(cython.Py_ssize_t[:, ::1])
Weights = cython.typedef(cython.const[cython.schar][::1])
Codes = cython.typedef(cython.uint[::1])

# The kinds of parts and runs that are written in different ways: places in `parttable.KINDS`.
cython.declare(
    ROW=cython.int, CELL=cython.int, QUOTE=cython.int, FIGURE=cython.int, CODE=cython.int, FORMULA=cython.int,
    BREAK=cython.int, TEXT=cython.int, DOCUMENT=cython.int,
)  # fmt: skip
ROW, CELL, QUOTE, FIGURE = 7, 8, 9, 10
CODE, FORMULA, BREAK, TEXT, DOCUMENT = 14, 15, 17, 18, 19

# Columns of a run.
cython.declare(KIND=cython.int, NODE=cython.int, RUN_SOURCE=cython.int)
KIND, NODE, RUN_SOURCE = 0, 1, 3

cython.declare(WIDE=cython.uint, SOFT_HYPHEN=cython.uint)
WIDE = 65536
SOFT_HYPHEN = 0xAD  # where a word may be divided; it is no part of a text


@cython.cclass
class TextWriter:
    """Writes the text of a table of parts, see `webgrain.documents.parts.part_text`.

    texts: the text of the page, the start of the text of each node, and the weights of characters, -1 for
    white space; sources: the texts of formulas and code in one, and the start of each.
    """

    cython.declare(start=Ints, letters=Weights, source_start=Ints)
    text: str
    source: str
    cython.declare(out=cython.uint[::1], size=cython.Py_ssize_t)

    def __init__(self, texts, sources):
        self.text, self.start, self.letters = texts
        self.source, self.source_start = sources

    def write(self, entries: ReadTable, runs: ReadTable):
        """Return the text (t,) uint32 of the entries; entries and runs: of `PartWalk.walk`."""
        k: cython.Py_ssize_t = len(entries)
        room: cython.Py_ssize_t = 4 * k + 2 * len(runs) + len(self.source) + 4
        for r in range(len(runs)):
            if runs[r, KIND] == TEXT:
                room += self.start[runs[r, NODE] + 1] - self.start[runs[r, NODE]]
            elif runs[r, RUN_SOURCE] >= 0 and runs[r, KIND] == FORMULA:
                source = runs[r, RUN_SOURCE]
                room += self.source_start[source + 1] - self.source_start[source]
        text = np.empty(room, np.uint32)
        self.out = memoryview(text)
        self.size = 0
        # The open containers: end, kind, size before and after the separator, cells, size of a row.
        above: Sizes = np.empty((k + 1, 6), np.intp)
        above[0, 0] = k + 1
        above[0, 1] = DOCUMENT
        above[0, 2] = above[0, 3] = above[0, 4] = above[0, 5] = 0
        depth = 0
        for e in range(k + 1):
            while depth and above[depth, 0] <= e:
                self.close(above, depth)
                depth -= 1
            if e == k:
                break
            kind = entries[e, 0]
            before = self.size
            self.separate(above, depth)
            after = self.size
            if entries[e, 2] > e + 1 or kind in (CELL, FIGURE):
                depth += 1
                above[depth, 0] = entries[e, 2]
                above[depth, 1] = kind
                above[depth, 2] = before
                above[depth, 3] = after
                above[depth, 4] = 0
                above[depth, 5] = after
                continue
            if kind == CODE:
                self.copy_source(entries[e, 4])
            else:
                self.write_line(runs, entries[e, 4], entries[e, 5])
            if self.size == after:
                self.size = before
        return text[: self.size]

    @cython.cfunc
    def separate(self, above: Sizes, depth: cython.Py_ssize_t):
        """Write what is between the parts of a container, if it has text or it is a row with a cell."""
        kind = above[depth, 1]
        if kind == ROW:
            if above[depth, 4]:
                self.put(32)
                self.put(124)
                self.put(32)
            above[depth, 4] += 1
        elif self.size > above[depth, 3]:
            self.put(10)
            if kind in (DOCUMENT, QUOTE, FIGURE, CELL):
                self.put(10)

    @cython.cfunc
    def close(self, above: Sizes, depth: cython.Py_ssize_t):
        """End a container: without text it has no separator, and a cell is one line."""
        kind, before, after = above[depth, 1], above[depth, 2], above[depth, 3]
        if kind == CELL:
            self.join_lines(after)
            if self.size > after:
                above[depth - 1, 5] = self.size
            return
        if kind == ROW:
            self.size = above[depth, 5]
        if self.size == after:
            self.size = before

    @cython.cfunc
    def join_lines(self, begin: cython.Py_ssize_t):
        """Collapse the white space from a place to the end."""
        size = begin
        spaced = False
        for j in range(begin, self.size):
            if self.is_space(self.out[j]):
                spaced = size > begin
                continue
            if spaced:
                self.out[size] = 32
                size += 1
            spaced = False
            self.out[size] = self.out[j]
            size += 1
        self.size = size

    @cython.cfunc
    def write_line(self, runs: ReadTable, begin: cython.int, stop: cython.int):
        """Write the runs of a line: white space is collapsed, without soft hyphens and breaks at the end."""
        # Typed copies: each access to a member costs more than the work on a character.
        text: str = self.text
        letters: Weights = self.letters
        out: Codes = self.out
        spaced = True  # whether the line ends with white space
        waiting = False  # white space that is only written before more text
        solid = self.size
        for r in range(begin, stop):
            kind = runs[r, KIND]
            if kind == TEXT:
                low, high = self.start[runs[r, NODE]], self.start[runs[r, NODE] + 1]
                size = self.size
                for j in range(low, high):
                    code = ord(text[j])
                    if letters[code if code < WIDE else WIDE] < 0:
                        waiting = True
                        continue
                    if code == SOFT_HYPHEN:
                        continue
                    if waiting and not spaced:
                        out[size] = 32
                        size += 1
                    spaced = waiting = False
                    out[size] = code
                    size += 1
                    solid = size
                self.size = size
                continue
            if kind == BREAK:
                self.put(10)
                spaced = True
            else:
                if waiting and not spaced:
                    self.put(32)
                if kind == FORMULA:
                    self.copy_source(runs[r, RUN_SOURCE])
                spaced = False
                solid = self.size
            waiting = False
        self.size = solid

    @cython.cfunc
    def copy_source(self, source: cython.int):
        """Write a formula or code as it is."""
        for j in range(self.source_start[source], self.source_start[source + 1]):
            self.put(ord(self.source[j]))

    @cython.cfunc
    def is_space(self, code: cython.uint) -> cython.bint:
        """Whether a character is white space."""
        return self.letters[code if code < WIDE else WIDE] < 0

    @cython.cfunc
    def put(self, code: cython.uint):
        """Write a character."""
        self.out[self.size] = code
        self.size += 1
