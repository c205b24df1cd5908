# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False
# mypy: ignore-errors
"""CSS selectors: reading them from style sheets, and matching them with all nodes of a tree at once.

A selector is a chain of compounds, from right to left: ``ul.nav > li a`` is ``a``, descendant of ``li``,
child of ``ul.nav``. A compound has a tag, an id, classes, and possibly ``:link``; a selector with anything
else is not supported. Tags, ids and classes are compared as 40-bit numbers, see `token_hash`. Every selector
is listed under one key of its rightmost compound (its id, else a class, else the tag, else 0), so a node is
compared only with the selectors listed under its own id, classes and tag.

The text of a style sheet must have no comments, and no braces or semicolons within strings. Reading takes
time and memory linear in the text.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled


@cython.locals(i=cython.Py_ssize_t, value=cython.ulonglong, mask=cython.ulonglong)
def token_hash(text: str) -> int:
    """Return a number in 1..2**40 - 1 for a tag (``"p"``), class (``".a"``) or id (``"#a"``).

    >>> token_hash(".a") == token_hash(".a") != token_hash("#a")
    True
    """
    value, mask = 1469598103, 0xFFFFFFFFFF
    for i in range(len(text)):
        value = ((value ^ ord(text[i])) * 8388593) & mask
    return value or 1


@cython.locals(k=cython.Py_ssize_t, i=cython.Py_ssize_t, count=cython.Py_ssize_t, size=cython.Py_ssize_t)
@cython.locals(node=cython.Py_ssize_t, found=cython.Py_ssize_t, inside=cython.bint, c=cython.Py_UCS4)
@cython.locals(value=cython.ulonglong, mask=cython.ulonglong)
def attribute_tokens(
    values: str,
    value_start: cython.const[cython.int][::1],
    attribute: cython.const[cython.longlong][::1],
    owner: cython.const[cython.longlong][::1],
    n: cython.Py_ssize_t,
    mark: str,
):
    """Return the tokens of one attribute, as hashes of mark + token: start (n + 1,) int32, hash (t,) int64.

    attribute: the attributes to read, by increasing owner; owner: the node of each.
    """
    count, size = attribute.shape[0], 0
    node = found = 0
    value, mask = 0, 0xFFFFFFFFFF
    seed: cython.ulonglong = ((1469598103 ^ ord(mark)) * 8388593) & mask
    for k in range(count):
        size += (value_start[attribute[k] + 1] - value_start[attribute[k]] + 1) // 2
    token = np.zeros(max(size, 1), np.int64)
    start_of: cython.int[::1] = np.zeros(n + 1, np.int32)
    token_of: cython.longlong[::1] = token
    for k in range(count):
        while node < owner[k]:
            node += 1
            start_of[node] = found
        inside = False
        for i in range(value_start[attribute[k]], value_start[attribute[k] + 1]):
            c = values[i]
            if c == " " or c == "\n" or c == "\t" or c == "\r" or c == "\f":
                if inside:
                    token_of[found] = value if value else 1
                    found += 1
                inside = False
            else:
                if not inside:
                    value = seed
                value = ((value ^ ord(c)) * 8388593) & mask
                inside = True
        if inside:
            token_of[found] = value if value else 1
            found += 1
    for k in range(node + 1, n + 1):
        start_of[k] = found
    return np.asarray(start_of), token[:found]


@cython.cclass
class Matcher:
    """Matches selectors with a tree whose nodes have a tag, an id (0: none) and classes.

    The compounds of selector s are ``first[s]..first[s + 1]``, right to left; compound c has ``tag[c]``,
    ``id[c]`` (0: any), the classes ``class_start[c]..class_start[c + 1]`` of `classes`, and ``child[c]`` = 1
    if the compound to its right must be its child.
    """

    cython.declare(parent=cython.const[cython.int][::1], node_tag=cython.const[cython.longlong][::1])
    cython.declare(node_id=cython.const[cython.longlong][::1], node_start=cython.const[cython.int][::1])
    cython.declare(node_class=cython.const[cython.longlong][::1], first=cython.const[cython.int][::1])
    cython.declare(tag=cython.const[cython.longlong][::1], id=cython.const[cython.longlong][::1])
    cython.declare(class_start=cython.const[cython.int][::1], classes=cython.const[cython.longlong][::1])
    cython.declare(child=cython.const[cython.schar][::1], budget=cython.longlong, out_node=cython.int[::1])
    cython.declare(out_rank=cython.int[::1], n_out=cython.Py_ssize_t)

    def __init__(self, parent, node_tag, node_id, node_start, node_class, selectors, budget):
        self.parent, self.node_tag, self.node_id = parent, node_tag, node_id
        self.node_start, self.node_class = node_start, node_class
        self.first, self.tag, self.id, self.class_start, self.classes, self.child = selectors
        self.budget = budget
        self.n_out = 0
        self.out_node = np.zeros(2 * len(parent) + 64, np.int32)
        self.out_rank = np.zeros(2 * len(parent) + 64, np.int32)

    @cython.locals(u=cython.Py_ssize_t, k=cython.Py_ssize_t, before=cython.Py_ssize_t)
    def match(
        self,
        key: cython.const[cython.longlong][::1],
        key_start: cython.const[cython.int][::1],
        waiting: cython.const[cython.int][::1],
        rank: cython.const[cython.int][::1],
    ):
        """Return the pairs (node, rank of the selector) that match, two int32 arrays by node, then by rank.

        key: sorted; the selectors ``waiting[key_start[j]:key_start[j + 1]]`` are listed under key j. rank:
        place of each selector in the cascade. When the budget of comparisons is used up, the remaining nodes
        match nothing.
        """
        n: cython.Py_ssize_t = self.parent.shape[0]
        for u in range(n):
            if self.node_tag[u] == 0:
                continue
            if self.budget < 0:
                break
            before = self.n_out
            self.wake(u, 0, key, key_start, waiting, rank)
            self.wake(u, self.node_tag[u], key, key_start, waiting, rank)
            if self.node_id[u]:
                self.wake(u, self.node_id[u], key, key_start, waiting, rank)
            for k in range(self.node_start[u], self.node_start[u + 1]):
                self.wake(u, self.node_class[k], key, key_start, waiting, rank)
            self.sort_from(before)
        return np.asarray(self.out_node)[: self.n_out], np.asarray(self.out_rank)[: self.n_out]

    @cython.cfunc
    @cython.locals(middle=cython.Py_ssize_t, low=cython.Py_ssize_t, high=cython.Py_ssize_t)
    def wake(
        self,
        u: cython.Py_ssize_t,
        token: cython.longlong,
        key: cython.const[cython.longlong][::1],
        key_start: cython.const[cython.int][::1],
        waiting: cython.const[cython.int][::1],
        rank: cython.const[cython.int][::1],
    ):
        """Compare node u with the selectors under one key."""
        low, high = 0, key.shape[0]
        while low < high:
            middle = (low + high) // 2
            if key[middle] < token:
                low = middle + 1
            else:
                high = middle
        if low == key.shape[0] or key[low] != token:
            return
        for middle in range(key_start[low], key_start[low + 1]):
            if self.fits(waiting[middle], u):
                self.emit(u, rank[waiting[middle]])

    @cython.cfunc
    def emit(self, u: cython.Py_ssize_t, rank: cython.int):
        """Add a match."""
        if self.n_out == self.out_node.shape[0]:
            self.out_node = np.concatenate([self.out_node, np.zeros(self.n_out, np.int32)])
            self.out_rank = np.concatenate([self.out_rank, np.zeros(self.n_out, np.int32)])
        self.out_node[self.n_out] = u
        self.out_rank[self.n_out] = rank
        self.n_out += 1

    @cython.cfunc
    @cython.locals(i=cython.Py_ssize_t, j=cython.Py_ssize_t, rank=cython.int)
    def sort_from(self, before: cython.Py_ssize_t):
        """Sort the few matches of one node by their rank in the cascade."""
        for i in range(before + 1, self.n_out):
            rank = self.out_rank[i]
            j = i - 1
            while j >= before and self.out_rank[j] > rank:
                self.out_rank[j + 1] = self.out_rank[j]
                j -= 1
                self.budget -= 1
            self.out_rank[j + 1] = rank

    @cython.cfunc
    @cython.locals(c=cython.Py_ssize_t, last=cython.Py_ssize_t, retry=cython.Py_ssize_t)
    @cython.locals(retry_node=cython.Py_ssize_t)
    def fits(self, selector: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Walk up from u; a failed child step backtracks only to the last descendant step."""
        c, last, retry, retry_node = self.first[selector], self.first[selector + 1], -1, -1
        if not self.has(c, u):
            return False
        c += 1
        while c < last:
            u = self.parent[u]
            if not self.child[c]:
                while u >= 0 and not self.has(c, u):
                    u = self.parent[u]
                retry = c
                retry_node = u
            elif u >= 0 and not self.has(c, u):
                if retry < 0:
                    return False
                c = retry
                u = retry_node
                continue
            if u < 0 or self.budget < 0:
                return False
            c += 1
        return True

    @cython.cfunc
    @cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, found=cython.bint)
    def has(self, c: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one compound with one node."""
        self.budget -= 1
        if self.tag[c] and self.tag[c] != self.node_tag[u]:
            return False
        if self.id[c] and self.id[c] != self.node_id[u]:
            return False
        for i in range(self.class_start[c], self.class_start[c + 1]):
            found = False
            for k in range(self.node_start[u], self.node_start[u + 1]):
                self.budget -= 1
                if self.node_class[k] == self.classes[i]:
                    found = True
                    break
            if not found:
                return False
        return True


@cython.locals(i=cython.Py_ssize_t, start=cython.Py_ssize_t, prelude=cython.Py_ssize_t)
@cython.locals(found=cython.Py_ssize_t, begin=cython.Py_ssize_t, end=cython.Py_ssize_t, counts=cython.bint)
@cython.locals(in_rule=cython.bint, c=cython.Py_UCS4)
def find_rules(css: str, applies):
    """Return the spans of the rules: (r, 4) int32, start and end of the selectors and of the declarations.

    applies: returns, for the text before the block of an at-rule, whether the rules inside it count. Rules
    are in the order of their ends; a rule inside a rule is not read, and of the outer one only the rest after
    it.
    """
    n: cython.Py_ssize_t = len(css)
    start = prelude = found = begin = end = 0
    counts, in_rule = True, False
    span: cython.int[:, ::1] = np.zeros((css.count("{"), 4), np.int32)
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
    return np.asarray(span)[:found].copy()


def read_selectors(css: str, spans, max_selectors: cython.Py_ssize_t, max_compounds: cython.Py_ssize_t):
    """Return the selectors of the rules at ``spans``, the result of `find_rules`.

    These are: the rule of each selector (s,) int32; its specificity (s,) int64, ids before classes before
    tags; its key (s,) int64, that of its rightmost compound; and the chains. At most
    ``max_selectors`` are read; a selector with more than ``max_compounds`` is not supported.
    """
    reader = SelectorReader(css, spans[:, :2], max_selectors, max_compounds)
    return reader.read()


@cython.cclass
class SelectorReader:
    """Reads selectors from right to left; an unsupported selector is overwritten by the next one."""

    css: str
    cython.declare(spans=cython.const[cython.int][:, :], room=cython.Py_ssize_t)
    cython.declare(max_compounds=cython.Py_ssize_t, n_selectors=cython.Py_ssize_t)
    cython.declare(n_compounds=cython.Py_ssize_t, n_classes=cython.Py_ssize_t, weight=cython.longlong)
    cython.declare(rule=cython.int[::1], specificity=cython.longlong[::1], first=cython.int[::1])
    cython.declare(tag=cython.longlong[::1], id=cython.longlong[::1], class_start=cython.int[::1])
    cython.declare(classes=cython.longlong[::1], child=cython.schar[::1])

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

    @cython.locals(r=cython.Py_ssize_t, i=cython.Py_ssize_t, start=cython.Py_ssize_t)
    def read(self):
        """Return what `read_selectors` returns."""
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
        """Return copies of the arrays, without unused entries."""
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
        """Read one selector; False if it is not supported."""
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
        """Read the compound from ``i`` to ``end``; False if it is not supported."""
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
        """Return the end of the name that starts at ``i``."""
        c: cython.Py_UCS4
        while i < end:
            c = self.css[i]
            if c in ".#:*[]()>+~" or c.isspace():
                break
            i += 1
        return i
