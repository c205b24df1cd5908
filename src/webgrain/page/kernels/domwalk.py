# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Reading the parser's tree into arrays, and an estimate of the cost of parsing a page.

`walk` reads the columns of a Dom from the node objects of selectolax in one loop, without recursion.

`affordable` estimates from the tags how much of a page a parser can read. Two costs of a standard parser are
quadratic in a hostile page: it searches the open elements, the attributes of a tag and the options of a list
(steps), and in every block it reopens the formatting elements that were not closed (copies).
"""

from __future__ import annotations

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


ORDINARY, LEAF, FORMATTING, CELL, TABLE, RAW, LIST, OPTION, SELECT = 0, 1, 2, 3, 4, 5, 6, 7, 8
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
    RAW: "script style textarea title xmp",
}
SLOTS = 4093
"""Names are represented by a hash below this number; collisions are acceptable in an estimate."""
REACH = 64
ITEMS = 8
"""Cost factor of a list in a list: each is in an item, and both cause a search for an open paragraph."""
OPTIONS = 32
"""Cost factor of a pair of options, which are far from each other in memory."""
MULTIPLE = b"multiple"


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
    start=cython.Py_ssize_t, depth=cython.Py_ssize_t, at=cython.Py_ssize_t, code=cython.int, role=cython.int
)
@cython.locals(letter=cython.int, before=cython.int, ordinary=cython.int, formatting=cython.int)
@cython.locals(cell=cython.int, table=cython.int, raw=cython.int, listed=cython.int, option=cython.int)
@cython.locals(select=cython.int, items=cython.int, slots=cython.int, is_between=cython.int)
@cython.locals(closing=cython.bint)
@cython.locals(attributes=cython.longlong, text=cython.longlong, steps=cython.longlong)
@cython.locals(pairs=cython.int, multiple=bytes, name=bytes)
def affordable(html: bytes, max_steps: cython.longlong, max_copies: cython.longlong):
    """Return how many bytes of a page can be parsed within these limits; usually all of them.

    steps: open elements, pairs of attributes and pairs of options that are compared; copies: reopened
    elements, and one more for each 64 bytes of their attributes. Searches end after `REACH` elements, so the
    estimate takes linear time.
    """
    data: Flags = html
    kinds: Flags = KIND_OF
    # Typed copies: globals would be looked up each time.
    ordinary, formatting, cell, table, raw = ORDINARY, FORMATTING, CELL, TABLE, RAW
    listed, option, select, items, slots = LIST, OPTION, SELECT, ITEMS, SLOTS
    pairs, multiple = OPTIONS, MULTIPLE
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
        start = at
        i = at + 1
        closing = i < size and data[i] == 47
        i += closing
        code = 0
        while i < size:
            letter = data[i]
            if letter <= 32 or letter == 47 or letter == 62:
                break
            code = (code * 31 + (letter + 32 if 65 <= letter <= 90 else letter)) % slots
            i += 1
        role = kinds[code]
        if role == cell and nested and tables[nested - 1] < active:
            active = tables[nested - 1]
        if role == select:
            options = -1 if closing else 0
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
            attributes, before, k = 0, 0, i
            is_between = 1  # no part of an attribute, such as white space
            while i < size and data[i] != 62:
                letter = data[i]
                if letter <= 32 or letter == 47:
                    is_between = 1
                else:
                    if role == select and is_between and before != 61 and data[i - 1] <= 32:
                        name = html[i : i + 9].lower()
                        if name[:8] == multiple and (len(name) < 9 or name[8:] in b" \t\n\r\f/=>"):
                            options = -1  # the parser compares no options
                    attributes += is_between
                    is_between = 0
                    if before == 61 and (letter == 34 or letter == 39):
                        i += 1
                        while i < size and data[i] != letter:
                            i += 1
                        is_between = 1
                    before = letter
                i += 1
            steps += attributes * attributes  # half as many pairs, of which each takes twice as long
            if steps > max_steps:
                return start  # a part of the tag would take nearly as long
            if role == formatting:
                # Of equal elements, a parser reopens at most three.
                same, text = 0, code
                for at in range(k, i):
                    text = (text * 31 + data[at]) % 1000003
                for at in range(active - reach if active > reach else 0, active):
                    same += texts[at] == text
                if same < 3:
                    formats[active], texts[active] = code, text
                    loads[active + 1] = loads[active] + 1 + (i - k) // 64
                    active += 1
            if role == table:
                tables[nested] = active
                nested += 1
            if role == option and options >= 0:
                options += 1
                steps += pairs * options
            if role == ordinary or role == formatting or role == table or role == listed or role == select:  # noqa: SIM109
                opened[depth] = code
                depth += 1
                steps += depth * items if role == listed else depth
        if role != formatting:
            copies += loads[active]
        if steps > max_steps or copies > max_copies:
            return i
        at = _next_tag(html, data, i, role == raw and not closing)
    return size


@cython.cfunc
def _next_tag(html: bytes, data: Flags, i: cython.Py_ssize_t, raw: cython.bint):
    """Return the start of the next tag (of the next end tag in raw text), or -1."""
    size: cython.Py_ssize_t = len(html)
    if cython.compiled:
        while i < size and not (data[i] == 60 and (not raw or (i + 1 < size and data[i + 1] == 47))):
            i += 1
        i = i if i < size else -1
    else:
        i = html.find(b"</" if raw else b"<", i)
    return i
