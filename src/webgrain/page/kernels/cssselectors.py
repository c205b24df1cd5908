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
from functools import lru_cache
from itertools import chain

import numpy as np

from webgrain.page.strings import bounded_cache, closing_bracket, unescape
from webgrain.page.thresholds import MAX_COMPOUNDS

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
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


(
    NEVER, HAS, EQUALS, WORD, PREFIX, SUFFIX, CONTAINS, LANGUAGE,
    NTH, NTH_LAST, NTH_OF_TYPE, NTH_LAST_OF_TYPE, ANY, NONE, EMPTY, ROOT,
) = range(16)  # fmt: skip
"""Tests of a compound: attributes up to LANGUAGE, then numbers of siblings, then lists of selectors."""


@cython.cclass
class Matcher:
    """Matches selectors with a tree whose nodes have a tag, an id (0: none), classes and attributes.

    selectors: the result of `compile_selectors`. The compounds of selector s are ``first[s]..first[s + 1]``,
    right to left; compound c has ``tag[c]``, ``id[c]`` (0: any), the classes
    ``class_start[c]..class_start[c + 1]`` of `classes`, the tests ``test_start[c]..test_start[c + 1]``, and
    ``step[c]``, the combinator to the compound to its right. Test t has a ``kind[t]`` and two numbers: name
    (a hash) and value (an index of `strings`) of an attribute, a and b of ``an + b``, or the range of
    selectors of which one, or none, must match.

    nodes: tag, id and type (n,) of each node, and the classes of each type with their starts. attributes:
    start (n + 1,), name (a,) and value (a,) int32 of the attributes of all nodes, the hash of each name, and
    the values by number. places: (4, n) int32, see `NTH`.
    """

    cython.declare(parent=Ints, node_tag=Longs, node_id=Longs, type=Ints, type_start=Ints, type_class=Longs)
    cython.declare(first=Ints, tag=Longs, id=Longs, class_start=Ints, classes=Longs, test_start=Ints)
    cython.declare(step=cython.const[cython.schar][::1])
    cython.declare(kind=cython.const[cython.schar][::1], test_a=Longs, test_b=Longs)
    cython.declare(budget=cython.longlong, attr_start=Ints, attr_name=Ints, name_hash=Longs, value=Ints)
    cython.declare(before=IntBuffer, child=IntBuffer, places=cython.const[cython.int][:, ::1])
    cython.declare(out_node=IntBuffer, out=IntBuffer, n_out=cython.Py_ssize_t)
    strings: list
    values: list

    def __init__(self, parent, nodes, attributes, places, selectors, budget):
        self.parent = parent
        self.node_tag, self.node_id, self.type, self.type_start, self.type_class = nodes
        self.attr_start, self.attr_name, self.name_hash, self.value, self.values = attributes
        (
            self.first, self.tag, self.id, self.class_start, self.classes, self.step, self.test_start,
            self.kind, self.test_a, self.test_b, self.strings,
        ) = selectors  # fmt: skip
        self.places, self.budget = places, budget
        self.n_out = 0
        self.out_node, self.out = np.zeros((2, 2 * len(parent) + 64), np.int32)
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

    def match(self, key: Longs, key_start: Ints, waiting: Ints):
        """Return the pairs (node, selector) that match, two int32 arrays by node, then by selector.

        key: sorted; the selectors ``waiting[key_start[j]:key_start[j + 1]]`` are listed under key j. When the
        budget of comparisons is used up, the remaining nodes match nothing.
        """
        n: cython.Py_ssize_t = self.parent.shape[0]
        for u in range(n):
            if self.node_tag[u] == 0:
                continue
            if self.budget < 0:
                break
            before = self.n_out
            self.wake(u, 0, key, key_start, waiting)
            self.wake(u, self.node_tag[u], key, key_start, waiting)
            if self.node_id[u]:
                self.wake(u, self.node_id[u], key, key_start, waiting)
            for k in range(self.type_start[self.type[u]], self.type_start[self.type[u] + 1]):
                self.wake(u, self.type_class[k], key, key_start, waiting)
            for k in range(self.attr_start[u], self.attr_start[u + 1]):
                self.wake(u, self.name_hash[self.attr_name[k]], key, key_start, waiting)
            self.sort_from(before)
        return np.asarray(self.out_node)[: self.n_out], np.asarray(self.out)[: self.n_out]

    @cython.cfunc
    def wake(self, u: cython.Py_ssize_t, token: cython.longlong, key: Longs, key_start: Ints, waiting: Ints):
        """Compare node u with the selectors under one key, and add those that match."""
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
            if not self.fits(waiting[middle], u):
                continue
            if self.n_out == self.out.shape[0]:
                self.out_node = np.concatenate([self.out_node, np.zeros(self.n_out, np.int32)])
                self.out = np.concatenate([self.out, np.zeros(self.n_out, np.int32)])
            self.out_node[self.n_out] = u
            self.out[self.n_out] = waiting[middle]
            self.n_out += 1

    @cython.cfunc
    def sort_from(self, before: cython.Py_ssize_t):
        """Sort the few matches of one node."""
        for i in range(before + 1, self.n_out):
            selector = self.out[i]
            j = i - 1
            while j >= before and self.out[j] > selector:
                self.out[j + 1] = self.out[j]
                j -= 1
                self.budget -= 1
            self.out[j + 1] = selector

    @cython.cfunc
    def fits(self, selector: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one selector with one node."""
        c: cython.Py_ssize_t = self.first[selector]
        return self.has(c, u) and self.goes_on(c + 1, self.first[selector + 1], u)

    @cython.cfunc
    @cython.locals(matches=cython.bint)
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
                matches = False
            elif self.step[c] == 0:
                u = self.parent[u]
                while u >= 0 and not self.has(c, u):
                    u = self.parent[u]
                if u < 0:
                    return False
                retry = c
                retry_node = u
                matches = True
            else:
                u = self.parent[u] if self.step[c] == 1 else self.before[u]
                matches = u >= 0 and self.has(c, u)
            if matches:
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
            matches = False
            for k in range(self.type_start[self.type[u]], self.type_start[self.type[u] + 1]):
                self.budget -= 1
                if self.type_class[k] == self.classes[i]:
                    matches = True
                    break
            if not matches:
                return False
        for i in range(self.test_start[c], self.test_start[c + 1]):  # noqa: SIM110 a generator is slower
            if not self.passes(i, u):
                return False
        return True

    @cython.cfunc
    @cython.locals(test=cython.int)
    def passes(self, t: cython.Py_ssize_t, u: cython.Py_ssize_t) -> cython.bint:
        """Compare one test with one node."""
        test, a = self.kind[t], self.test_a[t]
        self.budget -= 1
        if test == 0:
            return False
        if test <= 7:
            return self.has_attribute(test, a, self.test_b[t], u)
        if test <= 11:
            k = self.places[test - 8, u] - self.test_b[t]
            return k == 0 if a == 0 else k % a == 0 and (k >= 0 if a > 0 else k <= 0)
        if test <= 13:
            for s in range(a, self.test_b[t]):
                if self.fits(s, u):
                    return test == 12
            return test == 13
        if test == 14:
            return self.child[u] < 0
        return self.parent[u] < 0

    @cython.cfunc
    @cython.locals(value=str, wanted=str)
    def has_attribute(
        self, test: cython.int, name: cython.longlong, place: cython.longlong, u: cython.Py_ssize_t
    ) -> cython.bint:
        """Compare one attribute of a node with a value."""
        for k in range(self.attr_start[u], self.attr_start[u + 1]):
            if self.name_hash[self.attr_name[k]] != name:
                continue
            if test == 1:
                return True
            value = self.values[self.value[k]]
            wanted = self.strings[place]
            self.budget -= len(value) // 16
            if test == 2:
                return value == wanted
            if test == 3:
                return wanted in value.split()
            if test == 7:
                return value == wanted or value.startswith(wanted + "-")
            if not wanted:
                return False
            if test == 4:
                return value.startswith(wanted)
            return value.endswith(wanted) if test == 5 else wanted in value
        return False


@cython.locals(begin=cython.Py_ssize_t, end=cython.Py_ssize_t, counts=cython.bint, in_rule=cython.bint)
@cython.locals(c=cython.Py_UCS4)
def find_rules(css: str, applies):
    """Return the rules of a style sheet: the text of the selectors and of the declarations of each.

    applies: returns, for the text before the block of an at-rule, whether the rules inside it count. Rules
    are in the order of their ends; a rule inside a rule is not read, and of the outer one only the rest after
    it.
    """
    n: cython.Py_ssize_t = len(css)
    start = prelude = begin = end = 0
    counts, in_rule = True, False
    around: list = []
    rules: list = []
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
                rules.append((css[begin:end], css[start:i]))
            if around:
                counts, in_rule, begin, end = around.pop()
            start = prelude = i + 1
    return rules


_DEEPEST = 6
"""Selectors within selectors that are read: ``:not(:is(a))`` has two levels."""
_NAME = r"(?:[^\\.#:*\[\]()>+~\s]|\\.?)+"
_PART = re.compile(
    rf"(?P<mark>[.#:]?)(?P<name>{_NAME})|(?P<any>\*)|"
    r"\[\s*+(?P<attribute>[\w-]++)\s*+"
    r"(?:(?P<operator>[~^$*|]?)=\s*+(?:\"([^\"]*)\"|'([^']*)'|([^\]\s]*+))\s*+[is]?+\s*+)?+\]?",
    re.DOTALL,
)
_PLAIN = re.compile(r"(?:[.#]?[\w-]{1,99}+){0,9}")
_STEP = re.compile(r"\s*+([>+~]?)\s*+")
_COMMA = re.compile(r"\\.|[(),]", re.DOTALL)
_STEPS = {"": 0, ">": 1, "+": 2, "~": 3}
"""Combinators: descendant, child, next sibling, sibling after."""
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


@bounded_cache(2**13)
def read_selectors(text: str) -> list:
    """Return the selectors of a list that are supported: specificity, key and compounds of each.

    Specificity counts ids before classes before tags. A compound, from right to left, is a tuple of tag, id,
    classes, tests and step, as in `Matcher`; the value of an attribute is a text, and lists of selectors are
    as here.

    >>> [(weight, len(compounds)) for weight, _, compounds in read_selectors("ul.nav > li, ::before")]
    [(1048578, 2)]
    """
    return _read(text, 0)


def _read(text: str, level: int) -> list:
    return [
        selector for selector in map(_Reader(level).selector, split_selectors(text)) if selector is not None
    ]


def split_selectors(text: str) -> list:
    """Split a list at the commas outside of brackets."""
    if "(" not in text and "\\" not in text:
        return text.split(",")
    parts, start, depth = [], 0, 0
    for match in _COMMA.finditer(text):
        depth += 1 if match[0] == "(" else -1 if match[0] == ")" else 0
        if match[0] == "," and depth <= 0:
            parts.append(text[start : match.start()])
            start, depth = match.end(), 0
    return [*parts, text[start:]]


class _Reader:
    """Reads one selector after the other; level: how many selectors are around them."""

    def __init__(self, level: int) -> None:
        self.level, self.weight = level, 0

    def selector(self, text: str):
        """Return specificity, key and compounds of a selector; None if it is not supported."""
        text, place, compounds, step = text.strip(), 0, [], None
        self.weight = 0
        while step is None or step[0]:
            end = _PLAIN.match(text, place).end()
            if end > place and (end == len(text) or text[end] in " >+~"):  # most compounds, often repeated
                compound, weight = _plain_compound(text[place:end])
                self.weight += weight
                place = end
            else:
                compound, place = self.compound(text, place)
            if compound is None or len(compounds) == MAX_COMPOUNDS:
                return None
            step = _STEP.match(text, place)
            compounds.append((*compound, _STEPS[step[1]]))
            place = step.end()
        compounds.reverse()
        tag, identity, classes, tests, _ = compounds[0]
        of_attribute = tests and HAS <= tests[0][0] <= LANGUAGE
        key = identity or (classes[0] if classes else tag or (tests[0][1] if of_attribute else 0))
        return (self.weight, key, compounds) if place == len(text) else None

    def compound(self, text: str, start: int):
        """Return the compound at ``start`` and its end; None if it is not supported."""
        tag, identity, classes, tests, place = 0, 0, [], [], start
        while match := _PART.match(text, place):
            mark, name, place = match["mark"], match["name"], match.end()
            if mark == ":":
                end = closing_bracket(text, place + 1) + 1 if text.startswith("(", place) else place
                tests_of = self.pseudo_class(":" + name.lower(), text[place + 1 : end - 1])
                if tests_of is None:
                    return None, place
                tests += tests_of
                place = end
                if name.lower() == "root":
                    tag = tag or token_hash("html")
            elif match["attribute"]:
                value = next((part for part in match.group(6, 7, 8) if part is not None), None)
                test = HAS if value is None else _OPERATORS[match["operator"]]
                tests.append((test, token_hash("[" + match["attribute"].lower()), unescape(value or "")))
                self.weight += 1 << 20
            elif mark == ".":
                classes.append(token_hash("." + unescape(name)))
                self.weight += 1 << 20
            elif mark == "#":
                self.weight += 0 if identity else 1 << 40
                identity = identity or token_hash("#" + unescape(name))
            elif match.start() != start:  # a tag is the first part
                return None, place
            elif name:
                tag = token_hash(unescape(name).lower())
                self.weight += 1
        return ((tag, identity, classes, tests) if place > start else None), place

    def pseudo_class(self, name: str, inside: str):
        """Return the tests of a pseudo-class with this text in brackets; None if it is not supported."""
        if name in _ELEMENTS:
            return None
        if name in _LISTS:
            selectors = _read(inside, self.level + 1) if self.level < _DEEPEST else []
            if name != ":where":
                self.weight += max([selector[0] for selector in selectors], default=0)
            return [(NONE if name == ":not" else ANY, [selector[2] for selector in selectors], 0)]
        self.weight += 1 << 20
        if name in _PLACES:
            numbers = read_nth(inside) if "nth" in name else (0, 1)
            return None if numbers is None else [(test, *numbers) for test in _PLACES[name]]
        if name in _ATTRIBUTES:
            return [(HAS, token_hash("[" + _ATTRIBUTES[name]), "")]
        if name in (":root", ":empty"):
            return [(ROOT if name == ":root" else EMPTY, 0, 0)]
        return [] if name in _TRUE else [(NEVER, 0, 0)]


@lru_cache(2**14)
def _plain_compound(text: str) -> tuple:
    """Return a compound of tags, ids and classes, and its specificity."""
    reader = _Reader(0)
    return reader.compound(text, 0)[0], reader.weight


def compile_selectors(selectors: list) -> tuple:
    """Return the compounds of selectors as arrays, see `Matcher`; the selectors in lists come at the end."""
    queue, first, compounds, tests, strings = list(selectors), [0], [], [], []
    for selector in queue:
        compounds += selector
        first.append(len(compounds))
        for compound in selector:
            for test, a, b in compound[3]:
                if test in (ANY, NONE):
                    tests.append((test, len(queue), len(queue) + len(a)))
                    queue += a
                elif HAS <= test <= LANGUAGE:
                    tests.append((test, a, len(strings)))
                    strings.append(b)
                else:
                    tests.append((test, a, b))
    tag, identity, classes, test_lists, step = zip(*compounds, strict=True) if compounds else [()] * 5
    test, a, b = zip(*tests, strict=True) if tests else [()] * 3
    return (
        np.array(first, np.int32), np.array(tag, np.int64), np.array(identity, np.int64),
        np.cumsum([0, *map(len, classes)], dtype=np.int32),
        np.array([*chain.from_iterable(classes)], np.int64), np.array(step, np.int8),
        np.cumsum([0, *map(len, test_lists)], dtype=np.int32), np.array(test, np.int8),
        np.array(a, np.int64), np.array(b, np.int64), strings,
    )  # fmt: skip
