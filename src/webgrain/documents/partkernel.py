# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The parts of the content of a page as a table, in one pass over the nodes around the chosen blocks.

A part is a container, such as a list, or a line of runs: texts, breaks, images and formulas. `PartWalk` opens
a frame for each element that is no part of a line, and adds the parts of a frame to the nearest frame with a
kind when it closes. n nodes, s nodes in the span of the content, b blocks.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
IntTable = cython.typedef(cython.int[:, ::1])
Weights = cython.typedef(cython.const[cython.schar][::1])

# The kinds of parts, in the order of `webgrain.documents.parttable.KINDS`.
cython.declare(
    LIST=cython.int, ITEM=cython.int, DEFINITIONS=cython.int, TERM=cython.int, DEFINITION=cython.int,
    TABLE=cython.int, ROW=cython.int, CELL=cython.int, QUOTE=cython.int, FIGURE=cython.int,
    CAPTION=cython.int, HEADING=cython.int, PARAGRAPH=cython.int, CODE=cython.int, FORMULA=cython.int,
    IMAGE=cython.int, BREAK=cython.int, TEXT=cython.int, DOCUMENT=cython.int,
)  # fmt: skip
(
    LIST, ITEM, DEFINITIONS, TERM, DEFINITION, TABLE, ROW, CELL, QUOTE, FIGURE, CAPTION, HEADING, PARAGRAPH,
    CODE, FORMULA, IMAGE, BREAK, TEXT, DOCUMENT,
) = range(1, 20)  # fmt: skip

# What a node is, as bits: the kind of its part, then these, then the number of its mark.
cython.declare(
    KIND_BITS=cython.int, INLINE=cython.int, DROPPED=cython.int, PRE=cython.int, MATH=cython.int,
    ANNOTATION=cython.int, SCRIPT=cython.int, ANCHOR=cython.int, SECTION=cython.int, CODE_TAG=cython.int,
    NOT_IN_DATA=cython.int, HEADER=cython.int, VISIBLE=cython.int, FILLED=cython.int, MEDIA=cython.int,
    IGNORED=cython.int, SILENT=cython.int, ARRANGES=cython.int, MARK_SHIFT=cython.int,
)  # fmt: skip
KIND_BITS = 31
(
    INLINE, DROPPED, PRE, MATH, ANNOTATION, SCRIPT, ANCHOR, SECTION, CODE_TAG, NOT_IN_DATA, HEADER, VISIBLE,
    FILLED, MEDIA, IGNORED, SILENT, ARRANGES,
) = [2**k for k in range(5, 22)]  # fmt: skip
MARK_SHIFT = 22

# The numbers of the marks that the walk knows, in the order of `webgrain.documents.parttable.MARKS`.
cython.declare(STRONG=cython.int, EMPHASIS=cython.int, LINK=cython.int, RUBY=cython.int)
STRONG, EMPHASIS, LINK, RUBY = 1, 2, 3, 4

# Columns of an entry; entries are linked while the walk adds to them.
cython.declare(
    KIND=cython.int, NODE=cython.int, NEXT=cython.int, FIRST=cython.int, LAST=cython.int, SHOWN=cython.int,
    BEGIN=cython.int, STOP=cython.int, PICTURED=cython.int, END=cython.int, HOLDER=cython.int,
)  # fmt: skip
KIND, NODE, NEXT, FIRST, LAST, SHOWN, BEGIN, STOP, PICTURED = range(9)
END, HOLDER = 2, 5  # of a frame: where its element ends; the nearest frame with a kind

# Columns of a run, of a mark and of an annotation.
cython.declare(RUN_MARK=cython.int, RUN_SOURCE=cython.int, RUN_NOTES=cython.int, MARK_ABOVE=cython.int)
RUN_MARK, RUN_SOURCE, RUN_NOTES = 2, 3, 4
MARK_ABOVE = 2

cython.declare(LONGEST_CELL=cython.int, LARGEST_SLIDE=cython.int, WIDE=cython.uint)
LONGEST_CELL = 400  # characters; a table with a longer cell arranges the page (hand-set)
LARGEST_SLIDE = 24  # nodes of an element with an image and its caption (hand-set)
WIDE = 65536


@cython.cfunc
def is_plain(kind: cython.int) -> cython.bint:
    """Whether a part is a line that is not strong or emphasised."""
    return kind in (HEADING, TERM, CAPTION)


@cython.cfunc
def is_nested(kind: cython.int) -> cython.bint:
    """Whether the depth of a part is limited."""
    return kind in (LIST, QUOTE, DEFINITIONS, TABLE)


@cython.cfunc
def is_member(around: cython.int, kind: cython.int) -> cython.bint:
    """Whether a part may be directly in another one."""
    if around == LIST:
        return kind == ITEM
    if around == DEFINITIONS:
        return kind in (DEFINITION, TERM)
    if around == TABLE:
        return kind in (ROW, CAPTION)
    if around == ROW:
        return kind == CELL
    return True


@cython.cfunc
def member_of(around: cython.int) -> cython.int:
    """Return the kind of part that other parts need around them in a container."""
    if around == LIST:
        return ITEM
    if around == DEFINITIONS:
        return DEFINITION
    if around == TABLE:
        return ROW
    return CELL


@cython.cfunc
def container_of(kind: cython.int) -> cython.int:
    """Return the kind of the only container of a part; 0 if it may be in any."""
    if kind == ITEM:
        return LIST
    if kind in (DEFINITION, TERM):
        return DEFINITIONS
    if kind == ROW:
        return TABLE
    if kind == CELL:
        return ROW
    return 0


@cython.cfunc
def holds_data(node: cython.int, end: Ints, what: Ints, first: Ints, weight: Ints) -> cython.bint:
    """Whether a table contains data: several columns and rows (or a head), no long text, no other table."""
    if what[node] & ARRANGES:
        return False
    cells, rows, heads = 0, 0, 0
    for i in range(node + 1, end[node]):
        if what[i] & NOT_IN_DATA:
            return False
        kind = what[i] & KIND_BITS
        if kind == CELL:
            cells += 1
            if what[i] & HEADER:
                heads += 1
        elif kind == ROW:
            rows += 1
    if cells <= rows or (rows < 2 and heads == 0):
        return False
    k = place(first, node)
    while k < len(first) and first[k] < end[node]:
        if weight[k] > LONGEST_CELL:
            return False
        k += 1
    return True


@cython.cfunc
def place(values: Ints, value: cython.int) -> cython.Py_ssize_t:
    """Return the number of values, which increase, that are below a value."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = len(values)
    while low < high:
        middle = (low + high) // 2
        if values[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


def is_data_table(node: cython.int, end: Ints, what: Ints, first: Ints, weight: Ints):
    """Whether a table contains data, see `webgrain.documents.content.is_data`."""
    return bool(holds_data(node, end, what, first, weight))


@cython.cclass
class PartWalk:
    """Makes the parts of some blocks of a page: `ask`, then `walk`.

    tree: parent and end (n,) int32; what: (n,) int32, the bits above; texts: the text of the page, the start
    (n + 1,) int32 of the text of each node, and the weights of characters, -1 for white space. blocks: first,
    last and weight (b,) int32. content: the number of the first chosen block; of each block from it to the
    last chosen one whether it is chosen (k,) uint8, and its score (k,) float64. deepest: how many lists,
    quotes and tables may be inside each other.
    """

    cython.declare(parent=Ints, end=Ints, what=Ints, start=Ints, letters=Weights)
    text: str
    cython.declare(first=Ints, last=Ints, weight=Ints, chosen=Flags, score=Doubles, known=Ints, tex=Ints)
    cython.declare(block=IntBuffer, kept=IntBuffer, media=IntBuffer, deepest=cython.int)
    cython.declare(entry=IntTable, entry_score=cython.double[::1], entries=cython.int)
    cython.declare(frame=IntTable, frames=cython.int, run=IntTable, runs=cython.int, line=cython.int)
    cython.declare(mark=IntTable, marks=cython.int, open_mark=cython.int, note=IntTable, notes=cython.int)
    cython.declare(top=cython.int, stop=cython.int, low=cython.int, high=cython.int, nested=cython.int)
    cython.declare(line_block=cython.int, solid=cython.int, base=cython.Py_ssize_t, behind_slide=cython.int)

    def __init__(self, tree, what, texts, blocks, content, deepest):
        self.parent, self.end = tree
        self.what = what
        self.text, self.start, self.letters = texts
        self.first, self.last, self.weight = blocks
        self.base, self.chosen, self.score = content
        self.deepest = deepest

    def ask(self):
        """Find the span of the content; return the nodes (a,) int32 of which `walk` needs to know more.

        These are images, formulas, code, cells that may contain numbers of lines, and links around images.
        """
        self.low = self.first[self.base]
        self.high = self.last[self.base + len(self.chosen) - 1]
        self.find_top()
        self.find_blocks()
        any_media, any_code = False, False
        for i in range(self.top, self.stop):
            if self.what[i] & MEDIA:
                any_media = True
            if self.what[i] & (PRE | CODE_TAG):
                any_code = True
        self.media = np.zeros(self.stop - self.top + 1, np.int32)
        if any_media:
            self.find_media()
        nodes = []
        for i in range(self.top, self.stop):
            bits = self.what[i]
            if bits & (MEDIA | PRE | MATH):
                if self.is_needed(i):
                    nodes.append(i)
            elif any_media and bits & ANCHOR:
                if self.has_media(i):
                    nodes.append(i)
            elif any_code and bits & KIND_BITS == CELL and self.begins_with_one(i) and self.is_needed(i):
                nodes.append(i)
        return self.top, self.stop, nodes

    @cython.cfunc
    def find_top(self):
        """Find the lowest block element with all content; of a part of a table or of code the whole."""
        top = self.low
        while self.end[top] <= self.high or self.what[top] & INLINE or self.what[top] & KIND_BITS == TEXT:
            top = self.parent[top]
        code = top
        while code >= 0 and not self.what[code] & PRE:
            code = self.parent[code]
        if code >= 0:
            top = code
        else:
            while self.parent[top] >= 0 and (
                self.what[top] & SECTION or self.what[self.parent[top]] & KIND_BITS == DEFINITIONS
            ):
                top = self.parent[top]
        self.top, self.stop = top, self.end[top]

    @cython.cfunc
    def find_blocks(self):
        """Find the block of each text, -1 for none, and how many chosen texts precede each node."""
        size: cython.Py_ssize_t = self.stop - self.top
        self.block = np.full(size, -1, np.int32)
        self.kept = np.zeros(size + 1, np.int32)
        k: cython.Py_ssize_t = place(self.last, self.top)
        b: cython.Py_ssize_t = len(self.last)
        for j in range(size):
            i = self.top + j
            self.kept[j + 1] = self.kept[j]
            while k < b and self.last[k] < i:
                k += 1
            bits = self.what[i]
            is_read = bits & VISIBLE or not bits & FILLED  # white space may have no box
            if is_read and bits & KIND_BITS == TEXT and k < b and self.first[k] <= i:
                self.block[j] = k
                self.kept[j + 1] += self.is_chosen(k)

    @cython.cfunc
    def is_chosen(self, block: cython.Py_ssize_t) -> cython.bint:
        """Whether a block is content."""
        k = block - self.base
        return 0 <= k < len(self.chosen) and self.chosen[k]

    @cython.cfunc
    def find_media(self):
        """Count the images and formulas of the content before each node.

        Those in elements with text of which nothing is content are left out, and at the edges those that are
        not next to content.
        """
        size: cython.Py_ssize_t = self.stop - self.top
        foreign: IntBuffer = np.zeros(size + 1, np.int32)
        for j in range(size):
            bits = self.what[self.top + j]
            foreign[j + 1] = foreign[j]
            is_text = bits & KIND_BITS == TEXT and bits & FILLED and not bits & IGNORED
            if is_text and self.kept[j + 1] == self.kept[j]:
                foreign[j + 1] += 1
        outside = self.top
        for j in range(size):
            i = self.top + j
            stop = self.end[i]
            left_out = i < outside
            if foreign[stop - self.top] > foreign[j] and not self.is_wanted(i):
                outside = max(outside, stop)
                left_out = True
            counts = self.what[i] & MEDIA and not left_out
            if counts and not self.low < i < self.high:
                above, counts = i, False
                for _ in range(3):
                    above = self.parent[above]
                    if above < self.top:
                        break
                    if self.is_wanted(above):
                        counts = True
            self.media[j + 1] = self.media[j] + (1 if counts else 0)

    @cython.cfunc
    def is_wanted(self, node: cython.int) -> cython.bint:
        """Whether a node has text of the content."""
        return self.kept[self.end[node] - self.top] > self.kept[node - self.top]

    @cython.cfunc
    def has_media(self, node: cython.int) -> cython.bint:
        """Whether a node has images or formulas of the content."""
        return self.media[self.end[node] - self.top] > self.media[node - self.top]

    @cython.cfunc
    def is_needed(self, node: cython.int) -> cython.bint:
        """Whether a node has content."""
        return self.is_wanted(node) or self.has_media(node)

    @cython.cfunc
    def begins_with_one(self, node: cython.int) -> cython.bint:
        """Whether the first character of a node is a 1."""
        stop = min(self.start[node] + 20, self.start[self.end[node]])
        for j in range(self.start[node], stop):
            code = ord(self.text[j])
            if not self.is_space(code):
                return code == 49
        return False

    @cython.cfunc
    def is_space(self, code: cython.uint) -> cython.bint:
        """Whether a character is white space."""
        return self.letters[code if code < WIDE else WIDE] < 0

    def walk(self, known: Ints, tex: Ints):
        """Return the table of the parts.

        known: (s,) what is known of a node of `ask`: of an image, a formula or code its number in a list of
        sources from 1, 0 for none; 1 of numbers of lines; 1 of a link that leads nowhere. tex: the number of
        the TeX of each source, -1 for none.

        Returns entries (e, 6): kind, node, end, shown (the element with its attributes, -1 for none), first
        and last run; their scores (e,); runs (r, 5): kind, node, mark, source, annotations before it; marks
        (m, 3): number, node, the mark around it; annotations (a, 2): the element, the mark.
        """
        self.known, self.tex = known, tex
        size: cython.Py_ssize_t = self.stop - self.top
        self.entry = np.empty((6 * size + 8, 9), np.int32)
        self.entry_score = np.empty(6 * size + 8, np.float64)
        self.frame = np.empty((size + 2, 6), np.int32)
        self.run = np.empty((size + 1, 5), np.int32)
        self.mark = np.empty((size + 1, 3), np.int32)
        self.note = np.empty((size + 1, 2), np.int32)
        self.entries = self.runs = self.line = self.marks = self.notes = self.frames = self.nested = 0
        self.open_mark = self.line_block = self.behind_slide = -1
        self.solid = 0
        self.open_frame(DOCUMENT, self.top, len(self.parent) + 1)
        node = self.top
        while node < self.stop:
            self.close(node)
            bits = self.what[node]
            kind = bits & KIND_BITS
            after = node + 1
            if kind == TEXT:
                self.add_text(node)
            elif kind == BREAK:
                self.add_break()
                after = self.end[node]
            elif self.is_needed(node) and bits & (VISIBLE | MATH | SCRIPT):
                if not self.begin(node, bits):
                    after = self.end[node]
            else:
                after = self.end[node]
                if kind == CELL and self.frame[self.frames - 1, KIND] == ROW:
                    self.append_to_frame(self.frames - 1, self.new_entry(CELL, node, node, 1.0))
                elif not bits & (INLINE | DROPPED):
                    self.flush()
            node = after
        self.close(len(self.parent))
        self.flush()
        return self.result()

    @cython.cfunc
    def begin(self, node: cython.int, bits: cython.int) -> cython.bint:
        """Begin an element; False if everything in it has been read."""
        kind = bits & KIND_BITS
        if bits & DROPPED and kind != IMAGE:
            if bits & SCRIPT:
                self.add_formula(node)
            return False
        if bits & SILENT and self.after_formula():
            return False  # the formula as it is rendered
        if bits & PRE:
            self.add_code(node)
            return False
        if bits & MATH:
            self.add_formula(node)
            return False
        if kind == IMAGE:
            if self.known[node - self.top]:
                self.add_run(IMAGE, node, self.open_mark, self.known[node - self.top] - 1)
            return False
        if bits & ANNOTATION:
            self.annotate(node)
            return False
        if bits & ANCHOR and not self.has_media(node) and self.is_permalink(node):
            return False
        if bits & INLINE:
            self.open_inline(node, bits >> MARK_SHIFT)
            return True
        if kind == CELL and self.known[node - self.top]:
            return False  # numbers of lines
        self.flush()
        if kind == 0 and self.is_slide(node):
            kind = FIGURE
        self.open_frame(kind if self.is_part(kind, node) else 0, node, self.end[node])
        return True

    @cython.cfunc
    def is_slide(self, node: cython.int) -> cython.bint:
        """Whether an element has an image and its caption, and so has the sibling before or behind it."""
        if not self.has_caption(node):
            return False
        behind = self.following(node)
        if node != self.behind_slide and (behind < 0 or not self.has_caption(behind)):
            return False
        self.behind_slide = behind
        return True

    @cython.cfunc
    def following(self, node: cython.int) -> cython.int:
        """Return the sibling behind an element without texts between them; -1 for none."""
        behind = self.end[node]
        while behind < self.stop and self.what[behind] & KIND_BITS == TEXT and not self.what[behind] & FILLED:
            behind += 1
        return behind if behind < self.stop and self.parent[behind] == self.parent[node] else -1

    @cython.cfunc
    def has_caption(self, node: cython.int) -> cython.bint:
        """Whether an element has an image and one text block beside it, which is no heading, link or list."""
        start, stop = node - self.top, self.end[node] - self.top
        if stop - start > LARGEST_SLIDE or self.media[stop] - self.media[start] != 1:
            return False
        block, line, image, unlinked = -1, -1, -1, 0
        for j in range(start, stop):
            bits = self.what[self.top + j]
            kind = bits & KIND_BITS
            if kind != 0 and kind not in (PARAGRAPH, TEXT, IMAGE, BREAK):
                return False
            is_text: cython.bint = kind == TEXT and self.kept[j + 1] > self.kept[j] and bits & FILLED != 0
            if not is_text and self.media[j + 1] == self.media[j]:
                continue
            above = self.parent[self.top + j]
            while self.what[above] & INLINE and above > node:
                above = self.parent[above]
            if not is_text:
                image = above
            elif block >= 0 and block != self.block[j]:
                return False
            else:
                block, line, link = self.block[j], above, self.parent[self.top + j]
                while link > node and not self.what[link] & ANCHOR:
                    link = self.parent[link]
                unlinked += link <= node
        return unlinked > 0 and image >= 0 and image != line

    @cython.cfunc
    def is_part(self, kind: cython.int, node: cython.int) -> cython.bint:
        """Whether an element becomes a part of its kind."""
        if is_nested(kind) and self.nested >= self.deepest:
            return False
        if kind == TABLE:
            return holds_data(node, self.end, self.what, self.first, self.weight)
        around = self.frame[self.frame[self.frames - 1, HOLDER], KIND]
        return container_of(kind) in (0, around)

    @cython.cfunc
    def is_permalink(self, node: cython.int) -> cython.bint:
        """Whether a link has no text but signs of a link to the heading in which it is."""
        for j in range(self.start[node], self.start[self.end[node]]):
            code = ord(self.text[j])
            if code != 32 and code != 35 and code != 0xB6 and code != 0xA7 and code != 0x1F517:
                return False
        return True

    # Frames.

    @cython.cfunc
    def open_frame(self, kind: cython.int, node: cython.int, end: cython.int):
        """Open the frame of an element; kind: of its part, 0 if it only ends lines."""
        f = self.frames
        self.frames += 1
        self.frame[f, KIND] = kind
        self.frame[f, NODE] = node
        self.frame[f, END] = end
        self.frame[f, FIRST] = -1
        self.frame[f, LAST] = -1
        self.frame[f, HOLDER] = f if kind else self.frame[f - 1, HOLDER]
        if is_nested(kind):
            self.nested += 1

    @cython.cfunc
    def close(self, node: cython.int):
        """Close the elements that end before a node."""
        while self.open_mark >= 0 and self.end[self.mark[self.open_mark, NODE]] <= node:
            self.open_mark = self.mark[self.open_mark, MARK_ABOVE]
        while self.frame[self.frames - 1, END] <= node:
            self.flush()
            self.frames -= 1
            f = self.frames
            kind = self.frame[f, KIND]
            if kind == 0:
                continue
            if is_nested(kind):
                self.nested -= 1
            self.close_frame(f, kind)

    @cython.cfunc
    def close_frame(self, f: cython.int, kind: cython.int):
        """Add the part of a closed element; empty ones and rows of empty cells are left out."""
        child = self.frame[f, FIRST]
        score, any_score, pictured, filled = 1.0, False, 0, False
        while child >= 0:
            if not any_score or self.entry_score[child] > score:
                score, any_score = self.entry_score[child], True
            pictured |= self.entry[child, PICTURED]
            if self.entry[child, FIRST] >= 0:
                filled = True
            child = self.entry[child, NEXT]
        child = self.frame[f, FIRST]
        if kind == ROW and not filled:
            return
        if is_plain(kind) or (kind == FIGURE and not pictured):
            while child >= 0:
                following = self.entry[child, NEXT]
                self.emit(child)
                child = following
        elif child >= 0 or kind == CELL:
            e = self.new_entry(kind, self.frame[f, NODE], self.frame[f, NODE], score)
            self.entry[e, FIRST] = child
            self.entry[e, LAST] = self.frame[f, LAST]
            self.entry[e, PICTURED] = pictured
            self.emit(e)

    # Entries.

    @cython.cfunc
    def new_entry(
        self, kind: cython.int, node: cython.int, shown: cython.int, score: cython.double
    ) -> cython.int:
        """Return a new entry without children and runs."""
        e = self.entries
        self.entries += 1
        self.entry[e, KIND] = kind
        self.entry[e, NODE] = node
        self.entry[e, NEXT] = -1
        self.entry[e, FIRST] = -1
        self.entry[e, LAST] = -1
        self.entry[e, SHOWN] = shown
        self.entry[e, BEGIN] = 0
        self.entry[e, STOP] = 0
        self.entry[e, PICTURED] = 1 if kind == IMAGE else 0
        self.entry_score[e] = score
        return e

    @cython.cfunc
    def append_to_frame(self, f: cython.int, e: cython.int):
        """Add an entry to a frame."""
        self.entry[e, NEXT] = -1
        if self.frame[f, LAST] < 0:
            self.frame[f, FIRST] = e
        else:
            self.entry[self.frame[f, LAST], NEXT] = e
        self.frame[f, LAST] = e

    @cython.cfunc
    def append(self, around: cython.int, e: cython.int):
        """Add an entry to another one."""
        self.entry[e, NEXT] = -1
        if self.entry[around, LAST] < 0:
            self.entry[around, FIRST] = e
        else:
            self.entry[self.entry[around, LAST], NEXT] = e
        self.entry[around, LAST] = e
        self.entry[around, PICTURED] |= self.entry[e, PICTURED]

    @cython.cfunc
    def wrapped(self, kind: cython.int, e: cython.int, score: cython.double) -> cython.int:
        """Return a new entry with an entry in it."""
        around = self.new_entry(kind, self.entry[e, NODE], -1, score)
        self.append(around, e)
        return around

    @cython.cfunc
    def emit(self, e: cython.int):
        """Add an entry to the nearest open part, inside an item or a definition where that needs one."""
        f = self.frame[self.frames - 1, HOLDER]
        around = self.frame[f, KIND]
        kind = self.entry[e, KIND]
        inner = self.entry[e, FIRST]
        if kind == ITEM and inner >= 0 and inner == self.entry[e, LAST] and self.entry[inner, KIND] == LIST:
            child = self.entry[inner, FIRST]  # a list whose only item is a list
            while child >= 0:
                following = self.entry[child, NEXT]
                self.append_to_frame(f, child)
                child = following
            return
        if kind == LIST and around == LIST and self.frame[f, LAST] >= 0:
            self.append(self.frame[f, LAST], e)
            return
        if not is_member(around, kind):
            if around == TABLE:
                e = self.wrapped(CELL, e, 1.0)
            e = self.wrapped(member_of(around), e, self.entry_score[e])
        self.append_to_frame(f, e)

    # Lines.

    @cython.cfunc
    def add_run(self, kind: cython.int, node: cython.int, mark: cython.int, source: cython.int):
        """Add a run to the line. solid: the kind of the last run that is not white space, 0 for none."""
        r = self.runs
        self.runs += 1
        self.run[r, KIND] = kind
        self.run[r, NODE] = node
        self.run[r, RUN_MARK] = mark
        self.run[r, RUN_SOURCE] = source
        self.run[r, RUN_NOTES] = self.notes
        if kind != TEXT or self.what[node] & FILLED:
            self.solid = kind

    @cython.cfunc
    def add_text(self, node: cython.int):
        """Add a text of a chosen block; another block ends the line."""
        k = self.block[node - self.top]
        if k < 0:
            return
        if not self.is_chosen(k):
            self.flush()
            return
        if self.runs == self.line:
            self.line_block = k
        self.add_run(TEXT, node, self.open_mark, -1)

    @cython.cfunc
    def add_break(self):
        """Break the line; two breaks end the paragraph."""
        if self.solid == BREAK:
            self.flush()
        elif self.solid:
            self.add_run(BREAK, self.frame[self.frames - 1, NODE], -1, -1)

    @cython.cfunc
    def open_inline(self, node: cython.int, number: cython.int):
        """Open the mark of an inline element; number: of the mark, 0 for none."""
        if number == 0 or (number == LINK and self.known[node - self.top]):
            return
        holder = self.frame[self.frame[self.frames - 1, HOLDER], KIND]
        if number in (STRONG, EMPHASIS) and is_plain(holder):
            return
        above = self.open_mark
        while above >= 0 and number != LINK:  # of links inside each other, the first with an address counts
            if self.mark[above, KIND] == number:
                return
            above = self.mark[above, MARK_ABOVE]
        m = self.marks
        self.marks += 1
        self.mark[m, KIND] = number
        self.mark[m, NODE] = node
        self.mark[m, MARK_ABOVE] = self.open_mark
        self.open_mark = m

    @cython.cfunc
    def annotate(self, node: cython.int):
        """Note the annotation of the ruby base before an element."""
        m = self.open_mark
        while m >= 0 and self.mark[m, KIND] != RUBY:
            m = self.mark[m, MARK_ABOVE]
        if m >= 0:
            self.note[self.notes, 0] = node
            self.note[self.notes, 1] = m
            self.notes += 1

    @cython.cfunc
    def after_formula(self) -> cython.bint:
        """Whether a formula is directly before the current position."""
        return self.runs > self.line and self.run[self.runs - 1, KIND] == FORMULA

    @cython.cfunc
    def add_formula(self, node: cython.int):
        """Add a formula; the source after a formula replaces its rendering as MathML."""
        source = self.known[node - self.top] - 1
        if source < 0:
            return
        if self.after_formula() and self.tex[source] >= 0:
            before = self.runs - 1
            other = self.tex[self.run[before, RUN_SOURCE]]
            is_in_line = self.what[self.parent[self.run[before, NODE]]] & INLINE
            if is_in_line and (other < 0 or other == self.tex[source]):
                self.runs = before
        self.add_run(FORMULA, node, self.open_mark, source)

    @cython.cfunc
    def add_code(self, node: cython.int):
        """Add code that is no part of a line."""
        self.flush()
        source = self.known[node - self.top] - 1
        if source < 0:
            return
        score = 1.0
        for i in range(node, self.end[node]):
            if self.kept[i - self.top + 1] > self.kept[i - self.top]:
                score = self.score[self.block[i - self.top] - self.base]
                break
        e = self.new_entry(CODE, node, node, score)
        self.entry[e, BEGIN] = source
        self.emit(e)

    @cython.cfunc
    def flush(self):
        """End the line: make a part of its runs."""
        begin, stop = self.line, self.runs
        self.line = stop
        if begin == stop:
            return
        self.solid = 0
        texts, images, formulas = 0, 0, 0
        for r in range(begin, stop):
            kind = self.run[r, KIND]
            if kind == IMAGE:
                images += 1
            elif kind == FORMULA:
                formulas += 1
            elif kind == TEXT and self.what[self.run[r, NODE]] & FILLED:
                texts += 1
        if texts + images + formulas == 0:
            return
        holder = self.frame[self.frames - 1, HOLDER]
        leaf = self.frame[holder, KIND]
        node = self.frame[self.frames - 1, NODE]
        score = self.score[self.line_block - self.base] if self.line_block >= 0 else 1.0
        is_bare: cython.bint = texts == 0 and (images == 0 or formulas == 0) and not is_plain(leaf)
        if is_bare and self.is_alone(begin, stop):
            if formulas:
                self.add_formulas(begin, stop, score)
            else:
                self.add_images(begin, stop, node, score, leaf == FIGURE)
            return
        kind = leaf if is_plain(leaf) else PARAGRAPH
        if leaf == FIGURE and self.what[self.frame[holder, NODE]] & KIND_BITS != FIGURE:
            kind = CAPTION  # of a slide
        shown = self.frame[holder, NODE] if kind == HEADING else -1
        e = self.new_entry(kind, node, shown, score)
        self.entry[e, BEGIN] = begin
        self.entry[e, STOP] = stop
        self.entry[e, PICTURED] = 1 if images else 0
        self.emit(e)

    @cython.cfunc
    def is_alone(self, begin: cython.int, stop: cython.int) -> cython.bint:
        """Whether the images or formulas of a line are in no marks but in links with nothing else in them."""
        link = -1
        for r in range(begin, stop):
            kind = self.run[r, KIND]
            if kind == TEXT:
                continue
            mark, outer = self.run[r, RUN_MARK], -1
            while mark >= 0:
                if self.mark[mark, KIND] != LINK:
                    return False
                outer = mark
                mark = self.mark[mark, MARK_ABOVE]
            if outer >= 0 and outer == link:
                return False
            link = outer
        return True

    @cython.cfunc
    def add_formulas(self, begin: cython.int, stop: cython.int, score: cython.double):
        """Add the formulas of a line as blocks, without those in links."""
        for r in range(begin, stop):
            if self.run[r, KIND] == FORMULA and self.run[r, RUN_MARK] >= 0:
                self.run[r, KIND] = 0  # no part has it
            elif self.run[r, KIND] == FORMULA:
                e = self.new_entry(FORMULA, self.run[r, NODE], -1, score)
                self.entry[e, BEGIN] = r
                self.entry[e, STOP] = r + 1
                self.emit(e)

    @cython.cfunc
    def add_images(
        self, begin: cython.int, stop: cython.int, node: cython.int, score: cython.double, within: cython.bint
    ):
        """Add the images of a line as a figure; within: to the figure around them."""
        figure = -1 if within else self.new_entry(FIGURE, node, -1, score)
        for r in range(begin, stop):
            if self.run[r, KIND] == IMAGE:
                e = self.new_entry(IMAGE, self.run[r, NODE], -1, 1.0)
                self.entry[e, BEGIN] = r
                self.entry[e, STOP] = r + 1
                if within:
                    self.emit(e)
                else:
                    self.append(figure, e)
        if not within:
            self.emit(figure)

    # The result.

    @cython.cfunc
    def result(self):
        """Return the table in document order, see `walk`."""
        table = np.empty((self.entries, 6), np.int32)
        score = np.empty(self.entries, np.float64)
        out: IntTable = table
        scores: cython.double[::1] = score
        above: IntTable = np.empty((self.entries + 1, 2), np.int32)
        depth, size = 0, 0
        e = self.frame[0, FIRST]
        while True:
            while e >= 0:
                out[size, 0] = self.entry[e, KIND]
                out[size, 1] = self.entry[e, NODE]
                out[size, 3] = self.entry[e, SHOWN]
                out[size, 4] = self.entry[e, BEGIN]
                out[size, 5] = self.entry[e, STOP]
                scores[size] = self.entry_score[e]
                above[depth, 0] = e
                above[depth, 1] = size
                depth += 1
                size += 1
                e = self.entry[e, FIRST]
            if depth == 0:
                break
            depth -= 1
            out[above[depth, 1], 2] = size
            e = self.entry[above[depth, 0], NEXT]
        return (
            table[:size].copy(),
            score[:size].copy(),
            np.asarray(self.run)[: self.runs].copy(),
            np.asarray(self.mark)[: self.marks].copy(),
            np.asarray(self.note)[: self.notes].copy(),
        )
