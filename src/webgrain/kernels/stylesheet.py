# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""Reading of style sheets: where the rules stand, and their selectors as chains of compounds.

The text has no comments, and no braces or semicolons within strings. A compound is a tag, ids, classes and
perhaps ``:link``; a selector with anything else is not understood. Chains are as
`webgrain.kernels.selectors.Matcher` takes them. Time and memory are linear in the text.
"""

from __future__ import annotations

import numpy as np

from webgrain.kernels.selectors import token_hash

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled


def find_rules(css: str, applies):
    """Return where the rules stand: (r, 4) int32, begin and end of the selectors and of the declarations.

    applies: tells of the text before the block of an at-rule whether the rules inside it count. Rules come in
    the order of their ends; a rule inside a rule is not read, and of the outer one only what follows it.
    """
    n: cython.Py_ssize_t = len(css)
    i: cython.Py_ssize_t
    start: cython.Py_ssize_t = 0
    prelude: cython.Py_ssize_t = 0
    found: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    end: cython.Py_ssize_t = 0
    counts: cython.bint = True
    in_rule: cython.bint = False
    c: cython.Py_UCS4
    spans = np.zeros((css.count("{"), 4), np.int32)
    span: cython.int[:, ::1] = spans
    around: list = []
    for i in range(n + 1):
        c = css[i] if i < n else "}"  # what is open at the end is closed once
        if c == ";":
            prelude = i + 1
        elif c == "{":
            around.append((counts, in_rule, begin, end))
            begin, end = prelude, i
            while begin < end and css[begin].isspace():
                begin += 1
            while end > begin and css[end - 1].isspace():
                end -= 1
            if begin < end and css[begin] == "@":
                counts = counts and applies(css[begin:end])
                in_rule = False
            else:
                if in_rule or not counts:
                    end = begin
                in_rule = True
            start = prelude = i + 1
        elif c == "}":
            if in_rule and begin < end:
                span[found, 0], span[found, 1], span[found, 2], span[found, 3] = begin, end, start, i
                found += 1
            if around:
                counts, in_rule, begin, end = around.pop()
            start = prelude = i + 1
    return spans[:found].copy()


def read_selectors(css: str, spans, max_selectors: cython.Py_ssize_t, max_compounds: cython.Py_ssize_t):
    """Return the selectors of the rules at ``spans``, as `find_rules` gives them.

    These are: the rule of each selector (s,) int32; its specificity (s,) int64, ids before classes before
    tags; its key (s,) int64, that of its rightmost compound; and the chains. At most so many selectors are
    read; one of more compounds is not understood.
    """
    reader = SelectorReader(css, spans[:, :2], max_selectors, max_compounds)
    return reader.read()


@cython.cclass
class SelectorReader:
    """Reads selectors from right to left; what a selector that is not understood has left is written over."""

    css: str
    spans: cython.const[cython.int][:, :]
    room: cython.Py_ssize_t
    max_compounds: cython.Py_ssize_t
    n_selectors: cython.Py_ssize_t
    n_compounds: cython.Py_ssize_t
    n_classes: cython.Py_ssize_t
    weight: cython.longlong
    rule: cython.int[::1]
    specificity: cython.longlong[::1]
    first: cython.int[::1]
    tag: cython.longlong[::1]
    id: cython.longlong[::1]
    class_start: cython.int[::1]
    classes: cython.longlong[::1]
    child: cython.schar[::1]

    def __init__(self, css: str, spans, room, max_compounds):
        self.css, self.spans, self.max_compounds = css, spans, max_compounds
        self.room = min(room, css.count(",") + len(spans))
        self.n_selectors = self.n_compounds = self.n_classes = 0
        size = (self.room + 1) * (max_compounds + 1)
        self.rule, self.first = np.empty(self.room, np.int32), np.zeros(self.room + 1, np.int32)
        self.specificity = np.empty(self.room, np.int64)
        self.tag, self.id = np.empty(size, np.int64), np.empty(size, np.int64)
        self.class_start, self.child = np.zeros(size + 1, np.int32), np.empty(size, np.int8)
        self.classes = np.empty(css.count(".") + 1, np.int64)

    def read(self):
        """Return what `read_selectors` returns."""
        r: cython.Py_ssize_t
        i: cython.Py_ssize_t
        start: cython.Py_ssize_t
        for r in range(self.spans.shape[0]):
            start = self.spans[r, 0]
            for i in range(start, self.spans[r, 1] + 1):
                if i < self.spans[r, 1] and self.css[i] != ",":
                    continue
                if self.n_selectors == self.room:
                    return self.found()
                if self.selector(start, i):
                    self.rule[self.n_selectors] = r
                    self.specificity[self.n_selectors] = self.weight
                    self.n_selectors += 1
                    self.first[self.n_selectors] = self.n_compounds
                else:
                    self.n_compounds = self.first[self.n_selectors]
                    self.n_classes = self.class_start[self.n_compounds]
                start = i + 1
        return self.found()

    def found(self):
        """Return copies of what was read, as large as they must be."""
        s: cython.Py_ssize_t = self.n_selectors
        m: cython.Py_ssize_t = self.n_compounds
        first = np.array(self.first[: s + 1])
        tag, identity = np.array(self.tag[:m]), np.array(self.id[:m])
        class_start, classes = np.array(self.class_start[: m + 1]), np.array(self.classes[: self.n_classes])
        right = first[:s]
        key = np.where(identity[right] != 0, identity[right], tag[right])
        by_class = (identity[right] == 0) & (class_start[right] < class_start[right + 1])
        key[by_class] = classes[class_start[right[by_class]]]
        chain = (first, tag, identity, class_start, classes, np.array(self.child[:m]))
        return np.array(self.rule[:s]), np.array(self.specificity[:s]), key, chain

    @cython.cfunc
    def selector(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Read one selector; False where it is not understood."""
        before: cython.Py_ssize_t = self.n_compounds
        begin: cython.Py_ssize_t
        child: cython.bint = False
        self.weight = 0
        while True:
            while end > start and self.css[end - 1].isspace():
                end -= 1
            if end == start:
                return self.n_compounds > before and not child
            if self.css[end - 1] == ">":
                if self.n_compounds == before:
                    return False
                child = True
                end -= 1
                continue
            begin = end
            while begin > start and not (self.css[begin - 1] == ">" or self.css[begin - 1].isspace()):
                begin -= 1
            if self.n_compounds - before == self.max_compounds or not self.compound(begin, end):
                return False
            self.child[self.n_compounds] = child
            self.n_compounds += 1
            self.class_start[self.n_compounds] = self.n_classes
            child = False
            end = begin

    @cython.cfunc
    def compound(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Read the next compound from ``i`` to ``end``; False where it is not understood."""
        start: cython.Py_ssize_t = i
        name: str = ""
        c: cython.Py_UCS4
        if self.css[i] == ":" and self.css[i:end] == ":root":
            name = "html"
            i = end
        elif end - i >= 5 and self.css[end - 5] == ":" and self.css[end - 5 : end] == ":link":
            end -= 5
        if i < end and self.css[i] == "*":
            i += 1
        elif i < end:
            i = self.end_of_name(i, end)
            name = self.css[start:i].lower()
        self.tag[self.n_compounds] = token_hash(name) if name else 0
        self.id[self.n_compounds] = 0
        self.weight += 1 if name else 0
        while i < end:
            c = self.css[i]
            start = i
            i = self.end_of_name(i + 1, end)
            if (c != "." and c != "#") or i == start + 1:
                return False
            if c == ".":
                self.classes[self.n_classes] = token_hash(self.css[start:i])
                self.n_classes += 1
                self.weight += 1 << 20
            elif self.id[self.n_compounds] == 0:
                self.id[self.n_compounds] = token_hash(self.css[start:i])
                self.weight += 1 << 40
        return True

    @cython.cfunc
    def end_of_name(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return where the name that begins at ``i`` ends."""
        c: cython.Py_UCS4
        while i < end:
            c = self.css[i]
            if c in ".#:*[]()>+~" or c.isspace():
                break
            i += 1
        return i
