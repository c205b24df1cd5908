# cython: boundscheck=False, wraparound=False, initializedcheck=False
# mypy: ignore-errors
"""How much of a page an HTML parser can take in before its nesting costs too much: an estimate from the tags.

Two costs of a standard parser grow with the square of a hostile page: it looks through the open elements,
through the attributes of a tag and through the options of a list (steps), and in every block it opens the
formatting elements again that were never closed (copies).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.kernels import _cython as cython

COMPILED = cython.compiled

ORDINARY, LEAF, FORMATTING, CELL, TABLE, RAW, LIST, OPTION, SELECT = 0, 1, 2, 3, 4, 5, 6, 7, 8
# Leaves hold nothing, or are closed by the next one of their kind, or exclude each other: they do not nest.
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
"""Names are known by a hash below this; that two share one does no harm, it is an estimate."""
REACH = 64
ITEMS = 8
"""How many times more a list in a list costs: each stands in an item, and from both a paragraph that may be
open is looked for."""


def _code(name: bytes) -> int:
    code = 0
    for letter in name:
        code = (code * 31 + letter) % SLOTS
    return code


KIND_OF = np.zeros(SLOTS, np.uint8)
for _kind, _names in NAMES.items():
    KIND_OF[[_code(name) for name in _names.encode().split()]] = _kind


def affordable(html: bytes, max_steps: cython.longlong, max_copies: cython.longlong):
    """Return how many bytes of a page can be parsed within so many steps and copies; as a rule all of them.

    steps: open elements, pairs of attributes and of options looked at; copies: elements opened again, and one
    more for each 64 bytes of their attributes. Searches end after `REACH` elements, so it is linear itself.
    """
    data: cython.const[cython.uchar][::1] = html
    kinds: cython.const[cython.uchar][::1] = KIND_OF
    # Typed copies: a global would be looked up each time.
    ordinary: cython.int = ORDINARY
    formatting: cython.int = FORMATTING
    cell: cython.int = CELL
    table: cython.int = TABLE
    raw: cython.int = RAW
    listed: cython.int = LIST
    option: cython.int = OPTION
    select: cython.int = SELECT
    items: cython.int = ITEMS
    slots: cython.int = SLOTS
    reach: cython.Py_ssize_t = REACH
    size: cython.Py_ssize_t = len(html)
    room = html.count(b"<") + 1
    opened: cython.int[::1] = np.empty(room, np.int32)
    formats: cython.int[::1] = np.empty(room, np.int32)
    texts: cython.int[::1] = np.empty(room, np.int32)
    loads: cython.longlong[::1] = np.zeros(room + 1, np.int64)  # of all formats before each
    tables: cython.int[::1] = np.empty(room, np.int32)
    depth: cython.Py_ssize_t = 0
    active: cython.Py_ssize_t = 0
    nested: cython.Py_ssize_t = 0
    options: cython.longlong = -1  # so far in the list that is open; -1: none is
    steps: cython.longlong = 0
    copies: cython.longlong = 0
    at: cython.Py_ssize_t = html.find(b"<")
    i: cython.Py_ssize_t
    k: cython.Py_ssize_t
    same: cython.Py_ssize_t
    attributes: cython.longlong
    code: cython.int
    kind: cython.int
    letter: cython.int
    before: cython.int
    text: cython.longlong
    closing: cython.bint
    while at >= 0:
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
        kind = kinds[code]
        if kind == cell and nested and tables[nested - 1] < active:
            active = tables[nested - 1]
        if kind == select:
            options = -1 if closing else 0
        if closing:
            if kind == table and nested:
                nested -= 1
                active = tables[nested] if tables[nested] < active else active
            k = depth - 1
            while k >= 0 and depth - k <= reach and opened[k] != code:
                k -= 1
            if k >= 0 and depth - k <= reach:
                depth = k
            k = active - 1
            while kind == formatting and k >= 0 and active - k <= reach and formats[k] != code:
                k -= 1
            if kind == formatting and k >= 0 and active - k <= reach:
                active -= 1
                for same in range(k, active):
                    formats[same], texts[same] = formats[same + 1], texts[same + 1]
                    loads[same + 1] = loads[same] + loads[same + 2] - loads[same + 1]
        else:
            attributes, before, k = 0, 0, i
            while i < size and data[i] != 62:
                letter = data[i]
                if letter <= 32 or letter == 47:
                    attributes += 1
                elif before == 61 and (letter == 34 or letter == 39):
                    i += 1
                    while i < size and data[i] != letter:
                        i += 1
                    attributes += 1
                before = letter if letter > 32 else before
                i += 1
            steps += attributes * attributes // 2
            if kind == formatting:
                # Of elements that are alike, a parser opens no more than three again.
                same, text = 0, code
                for at in range(k, i):
                    text = (text * 31 + data[at]) % 1000003
                for at in range(active - reach if active > reach else 0, active):
                    same += texts[at] == text
                if same < 3:
                    formats[active], texts[active] = code, text
                    loads[active + 1] = loads[active] + 1 + (i - k) // 64
                    active += 1
            if kind == table:
                tables[nested] = active
                nested += 1
            if kind == option and options >= 0:
                options += 1
                steps += options
            if kind == ordinary or kind == formatting or kind == table or kind == listed or kind == select:  # noqa: SIM109
                opened[depth] = code
                depth += 1
                steps += depth * items if kind == listed else depth
        if kind != formatting:
            copies += loads[active]
        if steps > max_steps or copies > max_copies:
            return i
        at = _next_tag(html, data, i, kind == raw and not closing)
    return size


@cython.cfunc
def _next_tag(html: bytes, data: cython.const[cython.uchar][::1], i: cython.Py_ssize_t, raw: cython.bint):
    """Return where the next tag begins, inside raw text the next end tag; -1 if there is none."""
    size: cython.Py_ssize_t = len(html)
    if cython.compiled:
        while i < size and not (data[i] == 60 and (not raw or (i + 1 < size and data[i + 1] == 47))):
            i += 1
        i = i if i < size else -1
    else:
        i = html.find(b"</" if raw else b"<", i)
    return i
