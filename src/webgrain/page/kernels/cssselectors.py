# cython: boundscheck=False, wraparound=False, cdivision=True, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""CSS selectors: reading them from style sheets, and matching them with all nodes of a tree at once.

A selector is a chain of compounds, from right to left: ``ul.nav > li a`` is ``a``, descendant of ``li``,
child of ``ul.nav``. A compound has a tag, an id, classes and tests: of attributes, of the place among the
siblings, and of other selectors (``:is``, ``:where``, ``:not``). Pseudo-classes that depend on the user, such
as ``:hover``, match nothing, and neither does ``:has``; a selector with a pseudo-element or with anything
else is not supported. Tags, ids, classes and names of attributes are compared as 40-bit numbers, see
`token_hash`. Every selector is listed under one key of its rightmost compound (its id, else a class, else the
tag, else an attribute, else 0), so a node is compared only with the selectors listed under its own id,
classes, tag and attributes.

Source: Selectors 4. The text of a style sheet must have no comments, and no braces or semicolons within
strings. Reading takes time and memory linear in the text.
"""

from __future__ import annotations

import re

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.page.kernels import purepython as cython

COMPILED = cython.compiled

IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


@cython.locals(value=cython.ulonglong, mask=cython.ulonglong)
def token_hash(text: str) -> int:
    """Return a number in 1..2**40 - 1 for a tag (``p``), class (``.a``), id (``#a``) or attribute (``[a``).

    >>> token_hash(".a") == token_hash(".a") != token_hash("#a")
    True
    """
    value, mask = 1469598103, 0xFFFFFFFFFF
    for i in range(len(text)):
        value = ((value ^ ord(text[i])) * 8388593) & mask
    return value or 1


@cython.cfunc
@cython.locals(value=cython.ulonglong, mask=cython.ulonglong)
def hash_between(
    text: str, start: cython.Py_ssize_t, end: cython.Py_ssize_t, lower: cython.bint
) -> cython.longlong:
    """Return the hash of a part of a text, without its escapes, and in lower case if wanted."""
    value, mask = 1469598103, 0xFFFFFFFFFF
    for i in range(start, end):
        c = text[i]
        if c == "\\":
            return token_hash(unescape(text[start:end]))
        if lower and "A" <= c <= "Z":
            value = ((value ^ (ord(c) + 32)) * 8388593) & mask
        else:
            value = ((value ^ ord(c)) * 8388593) & mask
    return value or 1


@cython.locals(value=cython.ulonglong, mask=cython.ulonglong)
def attribute_tokens(
    values: str, value_start: Ints, attribute: Longs, owner: Longs, n: cython.Py_ssize_t, mark: str
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
    start_of: IntBuffer = np.zeros(n + 1, np.int32)
    token_of: LongBuffer = token
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


STEP_DOWN, STEP_CHILD, STEP_NEXT, STEP_AFTER = range(4)
"""Combinators: descendant, child, next sibling, sibling after."""
(
    NEVER, HAS, EQUALS, WORD, PREFIX, SUFFIX, CONTAINS, LANGUAGE,
    NTH, NTH_LAST, NTH_OF_TYPE, NTH_LAST_OF_TYPE, ANY, NONE, EMPTY, ROOT,
) = range(16)  # fmt: skip
"""Tests of a compound: attributes up to LANGUAGE, then numbers of siblings, then lists of selectors."""


@cython.cclass
class Matcher:
    """Matches selectors with a tree whose nodes have a tag, an id (0: none), classes and attributes.

    The compounds of selector s are ``first[s]..first[s + 1]``, right to left; compound c has ``tag[c]``,
    ``id[c]`` (0: any), the classes ``class_start[c]..class_start[c + 1]`` of `classes`, the tests
    ``test_start[c]..test_start[c + 1]``, and ``step[c]``, the combinator to the compound to its right. Test t
    has a ``kind[t]`` and two numbers: name (a hash) and value (an index of `strings`) of an attribute, a and
    b of ``an + b``, or the range of selectors of which one, or none, must match.

    attributes: start (n + 1,) and name (a,) int32 of the attributes of all nodes, the hash of each name, and
    the values with their starts. places: (4, n) int32, see `NTH`.
    """

    cython.declare(parent=Ints, node_tag=Longs, node_id=Longs, node_start=Ints, node_class=Longs, first=Ints)
    cython.declare(tag=Longs, id=Longs, class_start=Ints, classes=Longs, step=cython.const[cython.schar][::1])
    cython.declare(test_start=Ints, kind=cython.const[cython.schar][::1], test_a=Longs, test_b=Longs)
    cython.declare(budget=cython.longlong, attr_start=Ints, attr_name=Ints, name_hash=Longs, value_start=Ints)
    cython.declare(before=IntBuffer, child=IntBuffer, places=cython.const[cython.int][:, ::1])
    cython.declare(out_node=IntBuffer, out_rank=IntBuffer, n_out=cython.Py_ssize_t)
    strings: list
    values: str

    def __init__(self, parent, nodes, attributes, places, selectors, budget):
        self.parent = parent
        self.node_tag, self.node_id, self.node_start, self.node_class = nodes
        self.attr_start, self.attr_name, self.name_hash, self.value_start, self.values = attributes
        (
            self.first, self.tag, self.id, self.class_start, self.classes, self.step, self.test_start,
            self.kind, self.test_a, self.test_b, self.strings,
        ) = selectors  # fmt: skip
        self.places, self.budget = places, budget
        self.n_out = 0
        self.out_node = np.zeros(2 * len(parent) + 64, np.int32)
        self.out_rank = np.zeros(2 * len(parent) + 64, np.int32)
        self.before, self.child = np.full((2, len(parent)), -1, np.int32)
        self.find_siblings()

    @cython.cfunc
    def find_siblings(self):
        """Find the element before each element, and the first node in each element."""
        last: IntBuffer = np.full(self.parent.shape[0], -1, np.int32)
        for u in range(1, self.parent.shape[0]):
            p = self.parent[u]
            if self.child[p] < 0:
                self.child[p] = u
            if self.node_tag[u]:
                self.before[u] = last[p]
                last[p] = u

    def match(self, key: Longs, key_start: Ints, waiting: Ints, rank: Ints):
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
            for k in range(self.attr_start[u], self.attr_start[u + 1]):
                self.wake(u, self.name_hash[self.attr_name[k]], key, key_start, waiting, rank)
            self.sort_from(before)
        return np.asarray(self.out_node)[: self.n_out], np.asarray(self.out_rank)[: self.n_out]

    @cython.cfunc
    def wake(
        self,
        u: cython.Py_ssize_t,
        token: cython.longlong,
        key: Longs,
        key_start: Ints,
        waiting: Ints,
        rank: Ints,
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
    def fits(self, selector: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one selector with one node."""
        c: cython.Py_ssize_t = self.first[selector]
        return self.has(c, u) and self.goes_on(c + 1, self.first[selector + 1], u)

    @cython.cfunc
    @cython.locals(found=cython.bint)
    def goes_on(self, c: cython.Py_ssize_t, last: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Walk up and back from u; a failed step returns only to the last descendant step."""
        retry = retry_node = -1
        while c < last:
            if self.budget < 0:
                return False
            if self.step[c] == 3:
                u = self.before[u]
                while u >= 0 and not (self.has(c, u) and self.goes_on(c + 1, last, u)):
                    u = self.before[u]
                if u >= 0:
                    return True
                found = False
            elif self.step[c] == 0:
                u = self.parent[u]
                while u >= 0 and not self.has(c, u):
                    u = self.parent[u]
                if u < 0:
                    return False
                retry = c
                retry_node = u
                found = True
            else:
                u = self.parent[u] if self.step[c] == 1 else self.before[u]
                found = u >= 0 and self.has(c, u)
            if found:
                c += 1
            elif retry < 0:
                return False
            else:
                c = retry
                u = retry_node
        return True

    @cython.cfunc
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
        for i in range(self.test_start[c], self.test_start[c + 1]):  # noqa: SIM110 a generator is slower
            if not self.passes(i, u):
                return False
        return True

    @cython.cfunc
    @cython.locals(kind=cython.int)
    def passes(self, t: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one test with one node."""
        kind, a = self.kind[t], self.test_a[t]
        self.budget -= 1
        if kind == 0:
            return False
        if kind <= 7:
            return self.has_attribute(kind, a, self.test_b[t], u)
        if kind <= 11:
            k = self.places[kind - 8, u] - self.test_b[t]
            return k == 0 if a == 0 else k % a == 0 and (k >= 0 if a > 0 else k <= 0)
        if kind <= 13:
            for s in range(a, self.test_b[t]):
                if self.fits(s, u):
                    return kind == 12
            return kind == 13
        if kind == 14:
            return self.child[u] < 0
        return self.parent[u] < 0

    @cython.cfunc
    @cython.locals(value=str, wanted=str)
    def has_attribute(
        self, kind: cython.int, name: cython.longlong, place: cython.longlong, u: cython.Py_ssize_t
    ) -> cython.bint:
        """Compare one attribute of a node with a value."""
        for k in range(self.attr_start[u], self.attr_start[u + 1]):
            if self.name_hash[self.attr_name[k]] != name:
                continue
            if kind == 1:
                return True
            self.budget -= (self.value_start[k + 1] - self.value_start[k]) // 16
            value, wanted = self.values[self.value_start[k] : self.value_start[k + 1]], self.strings[place]
            if kind == 2:
                return value == wanted
            if kind == 3:
                return wanted in value.split()
            if kind == 7:
                return value == wanted or value.startswith(wanted + "-")
            if not wanted:
                return False
            if kind == 4:
                return value.startswith(wanted)
            return value.endswith(wanted) if kind == 5 else wanted in value
        return False


@cython.locals(begin=cython.Py_ssize_t, end=cython.Py_ssize_t, counts=cython.bint, in_rule=cython.bint)
@cython.locals(c=cython.Py_UCS4)
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
    tags; its key (s,) int64, that of its rightmost compound; and the chains, those of the selectors within
    selectors at the end. At most ``max_selectors`` are read; a selector with more than ``max_compounds`` is
    not supported.
    """
    reader = SelectorReader(css, max_selectors, max_compounds)
    return reader.read(spans[:, :2])


_DEEPEST = 6
"""Selectors within selectors that are read: ``:not(:is(a))`` has two levels."""
_ATTRIBUTE = re.compile(
    r"\[\s*([\w-]+)\s*(?:([~^$*|]?)=\s*(?:\"([^\"]*)\"|'([^']*)'|([^\]\s]*))\s*[is]?\s*)?\]?"
)
_OPERATORS = {"": EQUALS, "~": WORD, "^": PREFIX, "$": SUFFIX, "*": CONTAINS, "|": LANGUAGE}
_NTH = re.compile(r"([+-]?\d{0,6})n(?:([+-]\d{1,6}))?|([+-]?\d{1,6})")
_LISTS = frozenset((":is", ":where", ":not", ":matches", ":any", ":-webkit-any", ":-moz-any"))
_ATTRIBUTES = {
    ":link": "href", ":any-link": "href", ":-webkit-any-link": "href", ":checked": "checked",
    ":disabled": "disabled", ":required": "required", ":read-only": "readonly", ":open": "open",
}  # fmt: skip
_PLACES = {
    ":first-child": (NTH,), ":last-child": (NTH_LAST,), ":only-child": (NTH, NTH_LAST),
    ":first-of-type": (NTH_OF_TYPE,), ":last-of-type": (NTH_LAST_OF_TYPE,),
    ":only-of-type": (NTH_OF_TYPE, NTH_LAST_OF_TYPE), ":nth-child": (NTH,), ":nth-last-child": (NTH_LAST,),
    ":nth-of-type": (NTH_OF_TYPE,), ":nth-last-of-type": (NTH_LAST_OF_TYPE,),
}  # fmt: skip
_TRUE = frozenset((":defined", ":enabled", ":read-write", ":optional", ":valid", ":scope", ":dir", ":lang"))
_ELEMENTS = frozenset((":before", ":after", ":first-line", ":first-letter"))


def unescape(name: str) -> str:
    r"""Return a name without its escapes: ``md\:flex`` is ``md:flex``."""
    return _ESCAPE.sub(lambda m: chr(min(int(m[1], 16), 0x10FFFF)) if m[1] else m[2], name)


_ESCAPE = re.compile(r"\\(?:([0-9a-fA-F]{1,6})\s?|(.))", re.DOTALL)


def read_nth(text: str):
    """Return a and b of ``an + b``, or None.

    >>> read_nth("odd"), read_nth("-n + 3"), read_nth("4"), read_nth("x")
    ((2, 1), (-1, 3), (0, 4), None)
    """
    text = "".join(text.lower().split())
    match = _NTH.fullmatch({"odd": "2n+1", "even": "2n"}.get(text, text))
    if match is None:
        return None
    if match[3]:
        return 0, int(match[3])
    return int(match[1] + "1" if match[1] in ("", "+", "-") else match[1]), int(match[2] or 0)


@cython.cclass
class Chains:
    """Buffers of compiled selectors; an unsupported selector is overwritten by the next one."""

    cython.declare(room=cython.Py_ssize_t, n_selectors=cython.Py_ssize_t, n_compounds=cython.Py_ssize_t)
    cython.declare(n_classes=cython.Py_ssize_t, n_tests=cython.Py_ssize_t, first=IntBuffer, tag=LongBuffer)
    cython.declare(id=LongBuffer, class_start=IntBuffer, classes=LongBuffer, step=cython.schar[::1])
    cython.declare(test_start=IntBuffer, kind=cython.schar[::1], test_a=LongBuffer, test_b=LongBuffer)

    def __init__(self, css: str, room, max_compounds):
        self.room = min(room, css.count(",") + css.count("{") + css.count("(") + css.count("\n") + 1)
        self.n_selectors = self.n_compounds = self.n_classes = self.n_tests = 0
        size = (self.room + 1) * (max_compounds + 1)
        tests = 2 * (css.count(":") + css.count("[")) + 2
        self.first, self.step = np.zeros(self.room + 1, np.int32), np.empty(size, np.int8)
        self.tag, self.id = np.empty(size, np.int64), np.empty(size, np.int64)
        self.class_start, self.test_start = np.zeros(size + 1, np.int32), np.zeros(size + 1, np.int32)
        self.classes = np.empty(css.count(".") + 1, np.int64)
        self.kind = np.empty(tests, np.int8)
        self.test_a, self.test_b = np.empty(tests, np.int64), np.empty(tests, np.int64)

    @cython.cfunc
    def keep(self):
        """Keep the selector that was read."""
        self.n_selectors += 1
        self.first[self.n_selectors] = self.n_compounds

    @cython.cfunc
    def drop(self):
        """Forget the compounds since the last selector."""
        self.n_compounds = self.first[self.n_selectors]
        self.n_classes = self.class_start[self.n_compounds]
        self.n_tests = self.test_start[self.n_compounds]

    @cython.cfunc
    def test(self, kind: cython.int, a: cython.longlong, b: cython.longlong):
        """Add a test to the compound that is being read."""
        self.kind[self.n_tests] = kind
        self.test_a[self.n_tests] = a
        self.test_b[self.n_tests] = b
        self.n_tests += 1

    @cython.cfunc
    def next_compound(self, step: cython.int):
        """End a compound."""
        self.step[self.n_compounds] = step
        self.n_compounds += 1
        self.class_start[self.n_compounds] = self.n_classes
        self.test_start[self.n_compounds] = self.n_tests

    def arrays(self):
        """Return the used entries: first, tag, id, class_start, classes, step, test_start, kind, a and b."""
        m: cython.Py_ssize_t = self.n_compounds
        t: cython.Py_ssize_t = self.n_tests
        parts = (
            self.first[: self.n_selectors + 1], self.tag[:m], self.id[:m], self.class_start[: m + 1],
            self.classes[: self.n_classes], self.step[:m], self.test_start[: m + 1], self.kind[:t],
            self.test_a[:t], self.test_b[:t],
        )  # fmt: skip
        return [np.array(part) for part in parts]


@cython.cclass
class SelectorReader:
    """Reads selectors from right to left; those within selectors are read before the selector around them."""

    css: str
    strings: list
    lists: dict
    main: Chains
    inner: Chains
    out: Chains
    cython.declare(max_compounds=cython.Py_ssize_t, weight=cython.longlong)

    def __init__(self, css: str, room, max_compounds):
        self.css, self.max_compounds = css, max_compounds
        self.strings, self.lists = [], {}
        self.main = self.out = Chains(css, room, max_compounds)
        self.inner = Chains(css if "(" in css else "", room, max_compounds)

    @cython.locals(i=cython.Py_ssize_t, start=cython.Py_ssize_t, c=cython.Py_UCS4, out=Chains)
    def read(self, spans: cython.const[cython.int][:, :]):
        """Return what `read_selectors` returns."""
        out = self.main
        rule: list = []
        specificity: list = []
        for r in range(spans.shape[0]):
            start, end, depth, lists = spans[r, 0], spans[r, 1], 0, False
            for i in range(start, end + 1):
                c = self.css[i] if i < end else ","
                if c == "(":
                    depth += 1
                    lists = True
                elif c == ")":
                    depth -= 1
                elif (c == "," and depth <= 0 and (i == start or self.css[i - 1] != "\\")) or i == end:
                    if out.n_selectors == out.room:
                        return self.found(rule, specificity)
                    if lists:
                        self.read_lists(start, i, 0)
                    if self.selector(start, i):
                        rule.append(r)
                        specificity.append(self.weight)
                        out.keep()
                    else:
                        out.drop()
                    start, depth, lists = i + 1, 0, False
        return self.found(rule, specificity)

    def found(self, rule: list, specificity: list):
        """Return the rules, the specificities, the keys and the chains."""
        arrays, inner, outer = self.main.arrays(), self.inner.arrays(), self.main.n_selectors
        first, tag, identity, class_start, classes = arrays[:5]
        for part in (arrays, inner):
            lists = (part[7] == ANY) | (part[7] == NONE)
            part[8][lists] += outer
            part[9][lists] += outer
        right = first[:outer]
        key = np.where(identity[right] != 0, identity[right], tag[right])
        by_class = (identity[right] == 0) & (class_start[right] < class_start[right + 1])
        key[by_class] = classes[class_start[right[by_class]]]
        tested = np.flatnonzero((key == 0) & (arrays[6][right] < arrays[6][right + 1]))
        test = arrays[6][right[tested]]
        of_attribute = (arrays[7][test] >= HAS) & (arrays[7][test] <= LANGUAGE)
        key[tested[of_attribute]] = arrays[8][test[of_attribute]]
        chain = [
            np.concatenate([a, b[1:] + a[len(a) - 1]] if place in (0, 3, 6) else [a, b])
            for place, (a, b) in enumerate(zip(arrays, inner, strict=True))
        ]
        return np.array(rule, np.int32), np.array(specificity, np.int64), key, (*chain, self.strings)

    def read_lists(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t, level: cython.int):
        """Read the lists of selectors in the brackets between two places."""
        i = start
        while i < end:
            if self.css[i] != "(":
                i += 1
                continue
            begin, stop = i, self.closing(i, end)
            while begin > start and (self.css[begin - 1].isalpha() or self.css[begin - 1] == "-"):
                begin -= 1
            if begin > start and self.css[begin - 1 : i].lower() in _LISTS:
                self.read_list(i, stop, level)
            i = stop + 1

    @cython.locals(inner=Chains)
    def read_list(self, opening: cython.Py_ssize_t, end: cython.Py_ssize_t, level: cython.int):
        """Read the selectors in one pair of brackets, and note their range and greatest specificity."""
        inner = self.inner
        if level < _DEEPEST:
            self.read_lists(opening + 1, end, level + 1)
        before, start, weight, depth = inner.n_selectors, opening + 1, 0, 0
        self.out = inner
        for i in range(opening + 1, end + 1):
            if i < end and self.css[i] == "(":
                depth += 1
            elif i < end and self.css[i] == ")":
                depth -= 1
            elif i == end or (self.css[i] == "," and depth <= 0):
                if inner.n_selectors == inner.room:
                    break
                if self.selector(start, i):
                    inner.keep()
                    weight = max(weight, self.weight)
                else:
                    inner.drop()
                start = i + 1
        self.out = self.main
        self.lists[opening] = (before, inner.n_selectors, weight)

    @cython.cfunc
    def closing(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the place of the bracket that closes the one at ``i``, or the end."""
        depth: cython.int = 0
        while i < end:
            if self.css[i] == "(":
                depth += 1
            elif self.css[i] == ")":
                depth -= 1
                if depth == 0:
                    return i
            i += 1
        return end

    @cython.cfunc
    @cython.locals(combinator=cython.bint)
    def selector(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Read one selector; False if it is not supported."""
        before, step = self.out.n_compounds, -1
        self.weight = 0
        while True:
            while end > start and self.css[end - 1].isspace():
                end -= 1
            if end == start:
                return self.out.n_compounds > before and step < 0
            c = self.css[end - 1]
            if (c == ">" or c == "+" or c == "~") and (end - 1 == start or self.css[end - 2] != "\\"):
                if self.out.n_compounds == before or step >= 0:
                    return False
                step = 1 if c == ">" else 2 if c == "+" else 3
                end -= 1
                continue
            begin, depth = end, 0
            while begin > start:
                c = self.css[begin - 1]
                if c == ")" or c == "]":
                    depth += 1
                elif c == "(" or c == "[":
                    depth -= 1
                combinator = depth <= 0 and (c == ">" or c == "+" or c == "~" or c.isspace())
                if combinator and (begin - 1 == start or self.css[begin - 2] != "\\"):
                    break
                begin -= 1
            if self.out.n_compounds - before == self.max_compounds or not self.compound(begin, end):
                return False
            # The first compound has no combinator to its right.
            self.out.next_compound(max(step, 0) if self.out.n_compounds > before else 0)
            step = -1
            end = begin

    @cython.cfunc
    @cython.locals(out=Chains, name=str, named=cython.bint)
    def compound(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.bint:
        """Read the compound from ``i`` to ``end``; False if it is not supported."""
        out, start = self.out, i
        if self.css[i] == "*":
            i += 1
        else:
            i = self.end_of_name(i, end)
        named = i > start and self.css[start] != "*"
        out.tag[out.n_compounds] = hash_between(self.css, start, i, True) if named else 0
        out.id[out.n_compounds] = 0
        self.weight += 1 if named else 0
        while i < end:
            c = self.css[i]
            start = i
            i = self.end_of_name(i + 1, end)
            if c == "[":
                i = self.attribute(start, end)
                if i < 0:
                    return False
                self.weight += 1 << 20
                continue
            if i == start + 1 or (c != "." and c != "#" and c != ":"):
                return False
            if c == ":":
                name = self.css[start:i]
                if i < end and self.css[i] == "(":
                    i = self.closing(i, end) + 1
                if not self.pseudo_class(name.lower(), start + len(name), i):
                    return False
                continue
            if c == ".":
                out.classes[out.n_classes] = hash_between(self.css, start, i, False)
                out.n_classes += 1
                self.weight += 1 << 20
            elif out.id[out.n_compounds] == 0:
                out.id[out.n_compounds] = hash_between(self.css, start, i, False)
                self.weight += 1 << 40
        return True

    def attribute(self, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> int:
        """Read the test of an attribute; return its end, or -1."""
        match = _ATTRIBUTE.match(self.css, start, end)
        if match is None:
            return -1
        kind, value = HAS, next((part for part in match.group(3, 4, 5) if part is not None), None)
        if value is not None:
            kind = _OPERATORS[match[2]]
            self.strings.append(unescape(value) if "\\" in value else value)
        self.out.test(kind, token_hash("[" + match[1].lower()), len(self.strings) - 1)
        return match.end()

    def pseudo_class(self, name: str, opening: cython.Py_ssize_t, end: cython.Py_ssize_t) -> bool:
        """Read a pseudo-class and the brackets after it; False if it is not supported."""
        out: Chains = self.out
        if name in _ELEMENTS:
            return False
        if name in _LISTS:
            first, last, weight = self.lists.get(opening, (0, 0, 0))
            out.test(NONE if name == ":not" else ANY, first, last)
            self.weight += 0 if name == ":where" else weight
            return True
        self.weight += 1 << 20
        if name == ":root":
            if out.tag[out.n_compounds] == 0:
                out.tag[out.n_compounds] = token_hash("html")
            out.test(ROOT, 0, 0)
        elif name in _PLACES:
            numbers = (0, 1) if "nth" not in name else read_nth(self.css[opening + 1 : max(opening, end - 1)])
            if numbers is None:
                return False
            for kind in _PLACES[name]:
                out.test(kind, numbers[0], numbers[1])
        elif name in _ATTRIBUTES:
            out.test(HAS, token_hash("[" + _ATTRIBUTES[name]), 0)
        elif name == ":empty":
            out.test(EMPTY, 0, 0)
        elif name not in _TRUE:
            out.test(NEVER, 0, 0)
        return True

    @cython.cfunc
    def end_of_name(self, i: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.Py_ssize_t:
        """Return the end of the name that starts at ``i``."""
        while i < end:
            c = self.css[i]
            if c == "\\":
                i += 2
                continue
            if c in ".#:*[]()>+~" or c.isspace():
                break
            i += 1
        return min(i, end)
