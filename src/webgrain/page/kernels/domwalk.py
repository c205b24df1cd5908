# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Reading the parser's tree into arrays, and an estimate of the cost of parsing a page.

`walk` reads the columns of a Dom from the node objects of selectolax in one loop, without recursion.

`affordable` estimates from the tags how much of a page a parser can read. Two costs of a standard parser are
quadratic in a hostile page: it searches the open elements, the attributes of a tag, the options of a list and
the names that it does not know (steps), and in every block it reopens the formatting elements that were not
closed (copies).
"""

from __future__ import annotations

import re

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

from webgrain.page.values import current_values
from webgrain.page.vocabulary import NAMES as NAMES_OF_ATTRIBUTES
from webgrain.page.vocabulary import NUMBER_OF_NAME, NUMBER_OF_TAG, TAGS, with_others

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])


PARENT, END, TAG, TEXT_START, ATTR_START = 0, 1, 2, 3, 4


def number(name, number_of: dict, standard: dict, others: dict):
    """Return the number of a new name; names that differ only in ASCII case have the same number."""
    lower = name.encode().lower().decode()
    known = standard.get(lower)
    number_of[name] = others.setdefault(lower, len(standard) + len(others)) if known is None else known
    return number_of[name]


@cython.locals(above=cython.Py_ssize_t)
def walk(root, max_nodes: cython.Py_ssize_t, max_chars: cython.Py_ssize_t):
    """Return the fields of the Dom below ``root`` (a selectolax node), and whether it was cut at a limit."""
    other_tags: dict = {}
    tag_of: dict = {"-text": 0}
    other_names: dict = {}
    name_of: dict = {}
    texts: list = []
    attr_name: list = []
    table_of_values = current_values()
    values: list = []
    open_nodes: list = []
    table = np.zeros((256, 5), np.int32)
    row: cython.int[:, ::1] = table
    n, m, chars, value_chars, above = 0, 0, 0, 0, -1
    text: str
    value: str
    cut: cython.bint = False
    node = root
    while True:
        name = node.tag
        child = None
        if name is not None and name != "-comment":
            cut = n >= max_nodes or max(chars, value_chars) > max_chars
            if cut:
                break
            if n == len(table):
                table = np.concatenate([table, np.zeros_like(table)])
                row = table
            number_of = tag_of.get(name)
            row[n, PARENT] = above
            row[n, END] = n + 1
            row[n, TAG] = number(name, tag_of, NUMBER_OF_TAG, other_tags) if number_of is None else number_of
            row[n, TEXT_START] = chars
            row[n, ATTR_START] = m
            n += 1
            if name == "-text":
                text = node.text_content or ""
                texts.append(text)
                chars += len(text)
            else:
                attributes: dict = node.attributes
                for name, content in attributes.items():
                    number_of = name_of.get(name)
                    if number_of is None:
                        number_of = number(name, name_of, NUMBER_OF_NAME, other_names)
                    attr_name.append(number_of)
                    value = content or ""
                    values.append(table_of_values.number(value))
                    value_chars += len(value)
                    m += 1
                child = node.first_child
        if child is not None:
            open_nodes.append(node)
            above = n - 1
            node = child
            continue
        while open_nodes:
            child = node.next
            if child is not None:
                break
            node = open_nodes.pop()
            row[above, END] = n
            above = row[above, PARENT]
        if not open_nodes:
            break
        node = child
    while above >= 0:  # if the walk was cut short
        row[above, END] = n
        above = row[above, PARENT]
    parent, end, tag, text_start, attr_start = np.ascontiguousarray(table[:n].T)
    tags = with_others(TAGS, tuple(other_tags))
    names = with_others(NAMES_OF_ATTRIBUTES, tuple(other_names))
    fields = (parent, end, tag, tags, "".join(texts), np.append(text_start, np.int32(chars)))
    fields += (np.append(attr_start, np.int32(m)), np.array(attr_name, np.int32), names)
    return (*fields, np.array(values, np.int32), table_of_values), cut


ORDINARY, LEAF, FORMATTING, CELL, TABLE, RAW, LIST, OPTION, SELECT, FOREIGN = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
# Leaves have no children, or are closed by the next of their kind, or exclude each other: they do not nest.
NAMES = {
    LEAF: "area base br col embed hr img input link meta param source track wbr p li dd dt optgroup "
    "rb rt rp rtc a nobr html head body",
    FORMATTING: "b big code em font i s small strike strong tt u",
    CELL: "td th tr tbody thead tfoot caption",
    TABLE: "table",
    LIST: "ul ol dl menu dir",
    OPTION: "option",
    SELECT: "select",
    RAW: "script style textarea title xmp iframe noembed noframes noscript",
    FOREIGN: "svg math frameset template",
}
RAW_NAMES = frozenset(NAMES[RAW].encode().split())
"""Elements whose content is text for the parser, except in SVG, MathML, frame sets and selects."""
SLOTS = 4093
"""Names are represented by a hash below this number; collisions are acceptable in an estimate."""
REACH = 64
ITEMS = 8
"""Cost factor of a list in a list: each is in an item, and both cause a search for an open paragraph."""
OPTIONS = 32
"""Cost factor of a pair of options, which are far from each other in memory."""
MULTIPLE = b"multiple"
BEFORE_NAME, IN_NAME, AFTER_NAME, BEFORE_VALUE, IN_VALUE = 0, 1, 2, 3, 4
"""States of the tokenizer within a tag; the last is that of a value without quotes."""
_END_OF_RAW = {
    name: re.compile(rb"</" + name + rb"[\t\n\f\r />]", re.IGNORECASE) for name in sorted(RAW_NAMES)
}
NAME_LISTS = 128
"""Number of lists in which the parser keeps names (lexbor's `lexbor_hash`); each name is searched in one."""
NAME_STEPS = 50
"""Cost factor of a name in such a list: names are far from each other in memory."""
MAX_NAMES = 1 << 16
"""Different names in a page that are counted: more cost more steps than a page may have."""
PENDING_NAMES = RAW_NAMES | frozenset(b"desc foreignobject annotation-xml mi mo mn ms mtext".split())
"""Elements whose content is text for the parser, or HTML, depending on where they are."""
COLUMN_NAMES = frozenset((b"col", b"colgroup"))
"""Elements after which raw text in a template is no text for the parser."""


@cython.cclass
class _Names:
    """The names of elements and attributes of a page, in lists as the parser keeps them."""

    html: bytes
    n_names: cython.int
    first: cython.int[::1]
    following: cython.int[::1]
    sizes: cython.int[::1]
    hashes: cython.longlong[::1]
    starts: cython.Py_ssize_t[::1]
    lengths: cython.Py_ssize_t[::1]

    def __init__(self, html: bytes):
        self.html = html
        self.n_names = 0
        self.first = np.full(NAME_LISTS, -1, np.int32)
        self.sizes = np.zeros(NAME_LISTS, np.int32)
        self.following = np.empty(MAX_NAMES, np.int32)
        self.hashes = np.empty(MAX_NAMES, np.int64)
        self.starts = np.empty(MAX_NAMES, np.intp)
        self.lengths = np.empty(MAX_NAMES, np.intp)

    @cython.cfunc
    @cython.locals(code=cython.longlong, letter=cython.longlong, i=cython.Py_ssize_t)
    def search(self, data: Flags, start: cython.Py_ssize_t, end: cython.Py_ssize_t) -> cython.longlong:
        """Return the number of names in the list of a name, which is added to it."""
        bits: cython.longlong = 0xFFFFFFFF
        code = 0
        for i in range(start, end):
            letter = data[i]
            code = (code + (letter + 32 if 65 <= letter <= 90 else letter)) & bits
            code = (code + (code << 10)) & bits
            code ^= code >> 6
        code = (code + (code << 3)) & bits
        code ^= code >> 11
        code = (code + (code << 15)) & bits
        name_list: cython.Py_ssize_t = code % NAME_LISTS
        k: cython.int = self.first[name_list]
        while k >= 0 and not self._is_name(data, k, code, start, end):
            k = self.following[k]
        if k < 0 and self.n_names < MAX_NAMES:
            k = self.n_names
            self.n_names += 1
            self.hashes[k] = code
            self.starts[k] = start
            self.lengths[k] = end - start
            self.following[k] = self.first[name_list]
            self.first[name_list] = k
            self.sizes[name_list] += 1
        return self.sizes[name_list]

    @cython.cfunc
    @cython.locals(a=cython.int, b=cython.int, i=cython.Py_ssize_t)
    def _is_name(
        self,
        data: Flags,
        k: cython.int,
        code: cython.longlong,
        start: cython.Py_ssize_t,
        end: cython.Py_ssize_t,
    ) -> cython.bint:
        """Whether a name is the k-th, where the case of ASCII letters does not matter."""
        if self.hashes[k] != code or self.lengths[k] != end - start:
            return False
        for i in range(end - start):
            a = data[self.starts[k] + i]
            b = data[start + i]
            a = a + 32 if 65 <= a <= 90 else a
            b = b + 32 if 65 <= b <= 90 else b
            if a != b:
                return False
        return True


def _code(name: bytes) -> int:
    code = 0
    for letter in name:
        code = (code * 31 + letter) % SLOTS
    return code


KIND_OF = np.zeros(SLOTS, np.uint8)
for _kind, _names in NAMES.items():
    KIND_OF[[_code(name) for name in _names.encode().split()]] = _kind


@cython.locals(i=cython.Py_ssize_t, k=cython.Py_ssize_t, same=cython.Py_ssize_t, reach=cython.Py_ssize_t)
@cython.locals(
    start=cython.Py_ssize_t, depth=cython.Py_ssize_t, at=cython.Py_ssize_t, first=cython.Py_ssize_t
)
@cython.locals(letter=cython.int, code=cython.int, role=cython.int, slots=cython.int)
@cython.locals(leaf=cython.int, formatting=cython.int, cell=cython.int, table=cython.int, raw=cython.int)
@cython.locals(listed=cython.int, option=cython.int, select=cython.int, items=cython.int, foreign=cython.int)
@cython.locals(state=cython.int, before_name=cython.int, in_name=cython.int, after_name=cython.int)
@cython.locals(before_value=cython.int, in_value=cython.int, pairs=cython.int, multiple=bytes, name=bytes)
@cython.locals(in_svg=cython.int, in_math=cython.int, in_select=cython.bint, is_mixed=cython.bint)
@cython.locals(closing=cython.bint, uncertain=cython.bint, is_raw=cython.bint)
@cython.locals(attributes=cython.longlong, text=cython.longlong, steps=cython.longlong)
@cython.locals(pending=object, raw_name=bytes, has_template=cython.bint, scanned=cython.Py_ssize_t)
def affordable(html: bytes, max_steps: cython.longlong, max_copies: cython.longlong):
    """Return how many bytes of a page can be parsed within these limits; usually all of them.

    steps: open elements, pairs of attributes and pairs of options that are compared; copies: reopened
    elements, and one more for each 64 bytes of their attributes. Searches end after `REACH` elements, so the
    estimate takes linear time.
    """
    data: Flags = html
    kinds: Flags = KIND_OF
    # Typed copies: globals would be looked up each time.
    leaf, formatting, cell, table, raw = LEAF, FORMATTING, CELL, TABLE, RAW
    listed, option, select, items, slots = LIST, OPTION, SELECT, ITEMS, SLOTS
    pairs, multiple = OPTIONS, MULTIPLE
    name_steps: cython.longlong = NAME_STEPS
    names: _Names = _Names(html)
    before_name, in_name, after_name = BEFORE_NAME, IN_NAME, AFTER_NAME
    before_value, in_value = BEFORE_VALUE, IN_VALUE
    foreign, in_svg, in_math = FOREIGN, 0, 0
    in_select, has_template, is_mixed, is_raw = False, False, False, False
    pending, raw_name = None, b""
    scanned = 0  # where the last tag or comment ends: a tag before this place may be a part of it
    reach, size = REACH, len(html)
    room = html.count(b"<") + 1
    opened: cython.int[::1] = np.empty(room, np.int32)
    formats: cython.int[::1] = np.empty(room, np.int32)
    texts: cython.int[::1] = np.empty(room, np.int32)
    loads: cython.longlong[::1] = np.zeros(room + 1, np.int64)  # of all formats before each
    tables: cython.int[::1] = np.empty(room, np.int32)
    depth = active = nested = 0
    options: cython.longlong = -1  # so far in the list that is open; -1: none is
    steps, copies, at = 0, 0, html.find(b"<")
    while at >= 0:
        # The parser may see a comment or raw text where the estimate sees a tag: what may be a tag counts.
        uncertain = in_svg or in_math or in_select or is_mixed
        start = at
        i = at + 1
        closing = i < size and data[i] == 47
        i += closing
        letter = data[i] if i < size else 0
        if not (65 <= letter <= 90 or 97 <= letter <= 122):
            i = at + 1
            if start >= scanned or not uncertain:  # a comment is searched for its end once
                i = _end_of_comment(html, at, size)
            scanned = i if uncertain and i > scanned else scanned
            at = _next_tag(html, data, at + 1 if uncertain else i)
            continue
        code = 0
        first = i
        while i < size:
            letter = data[i]
            if _is_space(letter) or letter == 47 or letter == 62:
                break
            code = (code * 31 + (letter + 32 if 65 <= letter <= 90 else letter)) % slots
            i += 1
        steps += name_steps * names.search(data, first, i)
        role = kinds[code]
        if role == raw or role == foreign or role == select or uncertain or has_template:  # noqa: SIM109
            # Exact, because the text of other elements would be left out of the estimate.
            name = html[first:i].lower()
            if closing and start >= scanned:
                in_svg -= in_svg > 0 and name == b"svg"
                in_math -= in_math > 0 and name == b"math"
                in_select = in_select and name != b"select"
            elif not closing:
                in_select = in_select or name == b"select"
                has_template = has_template or name == b"template"
            if pending is not None and not (closing and name == pending):
                is_mixed = True  # elements within text, if it is no text for the parser
            is_mixed = is_mixed or (has_template and name in COLUMN_NAMES)
            is_raw = not closing and name in RAW_NAMES and not uncertain and not in_select and not is_mixed
            pending = name if not closing and uncertain and name in PENDING_NAMES else None
            raw_name = name
        if role == select:
            options = -1 if closing else 0
        attributes, state, name_end = 0, before_name, i
        while i < size and data[i] != 62 and steps <= max_steps:
            letter = data[i]
            if state == before_value:
                if letter == 34 or letter == 39:
                    i += 1
                    while i < size and data[i] != letter:
                        i += 1
                    state = before_name
                elif not _is_space(letter):
                    state = in_value
            elif state == in_value:
                state = before_name if _is_space(letter) else in_value
            elif _is_space(letter) or letter == 47 or (letter == 61 and state != before_name):
                if state == in_name:
                    steps += name_steps * names.search(data, first, i)
                if letter == 61:
                    state = before_value
                else:
                    state = after_name if letter != 47 and state != before_name else before_name
            elif state != in_name:
                attributes += 1
                first = i
                state = in_name
                if role == select:
                    name = html[i : i + 9].lower()
                    if name[:8] == multiple and (len(name) < 9 or name[8:] in b" \t\n\r\f/=>"):
                        options = -1  # the parser compares no options
            i += 1
        if state == in_name:
            steps += name_steps * names.search(data, first, i)
        steps += attributes * attributes  # half as many pairs, of which each takes twice as long
        if steps > max_steps:
            return start  # a part of the tag would take nearly as long
        if role == cell and nested and tables[nested - 1] < active:
            active = tables[nested - 1]
        if closing:
            if role == table and nested:
                nested -= 1
                active = tables[nested] if tables[nested] < active else active
            k = depth - 1
            while k >= 0 and depth - k <= reach and opened[k] != code:
                k -= 1
            if k >= 0 and depth - k <= reach:
                depth = k
            k = active - 1
            while role == formatting and k >= 0 and active - k <= reach and formats[k] != code:
                k -= 1
            if role == formatting and k >= 0 and active - k <= reach:
                active -= 1
                for same in range(k, active):
                    formats[same], texts[same] = formats[same + 1], texts[same + 1]
                    loads[same + 1] = loads[same] + loads[same + 2] - loads[same + 1]
        else:
            if role == foreign and not (data[i - 1] == 47 and state == before_name):
                in_svg += name == b"svg"
                in_math += name == b"math"
                is_mixed = (
                    is_mixed or name == b"frameset"
                )  # raw text in a frame set is no text for the parser
            if role == formatting:
                # Of equal elements, a parser reopens at most three.
                same, text = 0, code
                for at in range(name_end, i):
                    text = (text * 31 + data[at]) % 1000003
                for at in range(active - reach if active > reach else 0, active):
                    same += texts[at] == text
                if same < 3:
                    formats[active], texts[active] = code, text
                    loads[active + 1] = loads[active] + 1 + (i - name_end) // 64
                    active += 1
            if role == table:
                tables[nested] = active
                nested += 1
            if role == option and options >= 0:
                options += 1
                steps += pairs * options
            if role != leaf and role != cell and role != raw and role != option:
                opened[depth] = code
                depth += 1
                steps += depth * items if role == listed else depth
        if role != formatting:
            copies += loads[active]
        if steps > max_steps or copies > max_copies:
            return i
        if is_raw:
            at = _end_of_raw(html, raw_name, i, size)
            is_mixed = raw_name == b"script" and _has_script(html[i:at])
            i, is_raw = at, False
        elif uncertain:
            steps += i - start
            scanned = i if i > scanned else scanned
            i = start + 1
        at = _next_tag(html, data, i)
    return size


@cython.cfunc
def _is_space(letter: cython.int) -> cython.bint:
    """Whether a letter is white space for the parser."""
    return letter == 32 or letter == 10 or letter == 9 or letter == 13 or letter == 12


@cython.cfunc
def _next_tag(html: bytes, data: Flags, i: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the position of the next ``<``, or -1."""
    size: cython.Py_ssize_t = len(html)
    if cython.compiled:
        while i < size and data[i] != 60:
            i += 1
        i = i if i < size else -1
    else:
        i = html.find(b"<", i)
    return i


@cython.cfunc
def _end_of_comment(html: bytes, at: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where a comment or other markup that is no tag ends; after a ``<`` that is a part of a text."""
    if html[at + 1 : at + 4] == b"!--":
        end = html.find(b"-->", at + 2)
        end = size if end < 0 else end
        other = html.find(b"--!>", at + 4, end)
        return end if other < 0 else other
    if html[at + 1 : at + 2] in (b"!", b"?") or (
        html[at + 1 : at + 2] == b"/" and html[at + 2 : at + 3] != b">"
    ):
        end = html.find(b">", at)
        return size if end < 0 else end
    return at + 1


@cython.cfunc
def _has_script(text: bytes) -> cython.bint:
    """Whether a script may have a script in a comment, after which the parser ends it at another place."""
    return b"<!--" in text and b"<script" in text.lower()


@cython.cfunc
def _end_of_raw(html: bytes, name: bytes, i: cython.Py_ssize_t, size: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return where the text of an element ends, which has this name and whose text is no HTML."""
    end = _END_OF_RAW[name].search(html, i)
    return size if end is None else end.start()
