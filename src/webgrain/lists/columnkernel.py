# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.lists.recordkernel`: which fields of a list are columns, and what they are.

Constants are those of `webgrain.lists.recordkernel`.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


def choose_columns(
    items: cython.int,
    fields: tuple,
    cells: tuple,
    texts: tuple,
    up: Ints,
    inside: Ints,
    typical: cython.double,
    most: cython.int,
    short: cython.int,
):
    """Return the fields that are columns: those that vary, the names of the items first, then by path.

    fields, cells: of `find_pieces`; texts: of `read_texts`; up, inside (r,): of `read_paths`; typical: share
    of items that is most of them; most: columns; short: characters of a short text.

    Returns path, attribute and role (k,) int32 of the columns, see `NAME` and the following; offset
    (k + 1,), cell (d,) int32: column j has the cells cell[offset[j]:offset[j + 1]], by item and without empty
    ones. There are no columns if none varies.
    """
    DIGIT = 8  # as in recordkernel
    path: Ints = fields[0]
    number_array, _, size_array = numbered(texts[0])
    number: Ints = number_array
    length: Ints = texts[1]
    bits: Flags = texts[4]
    offset_array, cell_array = cells_by_field(len(path), cells[0], length)
    offset: Ints = offset_array
    cell: Ints = cell_array
    item: Ints = cells[1]
    named: cython.Py_ssize_t = field_of_names(
        items, fields, offset, cell, texts, number, len(size_array), up, inside, typical
    )
    order: Longs = fields[0].argsort(kind="stable")
    seen: IntBuffer = np.zeros(len(size_array), np.int32) - 1
    column_array, digits_array = np.zeros((2, min(len(path), most)), np.int32)
    columns: IntBuffer = column_array
    digits: IntBuffer = digits_array
    k: cython.Py_ssize_t = 0
    tried: cython.int = 0
    varied: cython.bint = False
    for j in range(-1, len(path)):
        f: cython.Py_ssize_t = order[j] if j >= 0 else named
        if f < 0 or (j >= 0 and f == named) or offset[f + 1] == offset[f]:
            continue
        if tried == most:
            break
        tried += 1
        distinct: cython.int = offset[f + 1] - offset[f] < items
        for d in range(offset[f], offset[f + 1]):
            if seen[number[cell[d]]] != f:
                seen[number[cell[d]]] = f
                distinct += 1
        repeated: cython.bint = distinct == 1 and f != named
        for other in range(k):
            repeated = repeated or are_equal(f, columns[other], offset, cell, item, number)
        if repeated:
            continue
        for d in range(offset[f], offset[f + 1]):
            digits[k] += length[cell[d]] <= short and bits[cell[d]] & DIGIT != 0
        columns[k] = f
        k += 1
        varied = varied or distinct > 1
    if not varied:
        k = 0
    size: cython.Py_ssize_t = 0
    for j in range(k):
        size += offset[columns[j] + 1] - offset[columns[j]]
    attribute: Ints = fields[1]
    chosen_array = np.zeros((2, k), np.int32)
    chosen_path: IntBuffer = chosen_array[0]
    chosen_attribute: IntBuffer = chosen_array[1]
    end_array = np.zeros(k + 1, np.int32)
    end: IntBuffer = end_array
    kept_array = np.zeros(size, np.int32)
    kept: IntBuffer = kept_array
    at: cython.Py_ssize_t = 0
    for j in range(k):
        f = columns[j]
        chosen_path[j] = path[f]
        chosen_attribute[j] = attribute[f]
        for d in range(offset[f], offset[f + 1]):
            kept[at] = cell[d]
            at += 1
        end[j + 1] = at
    role_array = np.zeros(k, np.int32)
    write_roles(role_array, named >= 0, chosen_array[0], chosen_array[1], digits, end_array, up, typical)
    return (chosen_array[0], chosen_array[1], role_array), end_array, kept_array


@cython.cfunc
def write_roles(
    role: IntBuffer,
    is_named: cython.bint,
    path: Ints,
    attribute: Ints,
    digits: Ints,
    offset: Ints,
    up: Ints,
    typical: cython.double,
):
    """Write the role of each column; is_named: whether the first has the names of the items.

    digits: how many short texts of a column have a digit. The link of the items is the one around or in their
    names, or the first. A price or a date has no other column inside.
    """
    NAME, THE_LINK, OTHER_LINK, PICTURE, MOMENT, PLAIN, ASKED = 0, 1, 2, 3, 4, 5, 6  # as in recordkernel
    HREF, SRC, DATETIME = 1, 2, 3
    k: cython.Py_ssize_t = len(role)
    link: cython.Py_ssize_t = -1
    named: cython.int = path[0] if is_named and k else -1
    around: cython.uchar[::1] = np.zeros(len(up) + 1, np.uint8)  # the paths around columns, from 1
    for j in range(k):
        if attribute[j] == HREF and (is_inside(path[j], named, up) or is_inside(named, path[j], up)):
            link = j
            break
    for j in range(k):
        if link < 0 and attribute[j] == HREF:
            link = j
        at: cython.int = path[j]
        while at >= 0:
            at = up[at]
            if around[at + 1]:
                break
            around[at + 1] = 1
    for j in range(k):
        least: cython.double = typical * (offset[j + 1] - offset[j])
        role[j] = PLAIN
        if j == 0 and is_named:
            role[j] = NAME
        elif attribute[j] == HREF:
            role[j] = THE_LINK if j == link else OTHER_LINK
        elif attribute[j] == SRC:
            role[j] = PICTURE
        elif attribute[j] == DATETIME:
            role[j] = MOMENT
        elif not around[path[j] + 1] and digits[j] >= least:
            role[j] = ASKED


@cython.cfunc
def is_inside(path: cython.int, above: cython.int, up: Ints) -> cython.bint:
    """Return whether a path is another one or begins with it."""
    while path > above:
        path = up[path]
    return path == above


@cython.cfunc
def cells_by_field(fields: cython.Py_ssize_t, field: Ints, length: Ints):
    """Return the offsets (fields + 1,) and the cells (d,) that are not empty, sorted by field."""
    offset_array = np.zeros(fields + 1, np.int32)
    offset: IntBuffer = offset_array
    for c in range(len(field)):
        if length[c] > 0:
            offset[field[c] + 1] += 1
    for f in range(fields):
        offset[f + 1] += offset[f]
    cell_array = np.empty(offset_array[fields], np.int32)
    cell: IntBuffer = cell_array
    begin: IntBuffer = offset_array[:fields].copy()
    for c in range(len(field)):
        if length[c] > 0:
            cell[begin[field[c]]] = c
            begin[field[c]] += 1
    return offset_array, cell_array


@cython.cfunc
def field_of_names(
    items: cython.int,
    fields: tuple,
    offset: Ints,
    cell: Ints,
    texts: tuple,
    number: Ints,
    numbers: cython.Py_ssize_t,
    up: Ints,
    inside: Ints,
    typical: cython.double,
) -> cython.int:
    """Return the field with the names of the items: a heading, or the longest link text, or a text."""
    HEADING, LINK, LETTER, TEXT, HREF = 64, 128, 4, 0, 1  # as in recordkernel
    path: Ints = fields[0]
    attribute: Ints = fields[1]
    length: Ints = texts[1]
    bits: Flags = texts[4]
    around: cython.uchar[::1] = np.zeros(len(up) + 1, np.uint8)  # the paths around links, from 1
    for f in range(len(path)):
        if attribute[f] == HREF and offset[f + 1] > offset[f]:
            at: cython.int = path[f]
            while not around[at + 1]:
                around[at + 1] = 1
                if at >= 0:
                    at = up[at]
    seen: IntBuffer = np.zeros(numbers, np.int32) - 1
    most = ()
    best: cython.int = -1
    for f in range(len(path)):
        if attribute[f] != TEXT or offset[f + 1] == offset[f]:
            continue
        at = path[f]
        lengths = []  # of the texts with a word
        different: cython.Py_ssize_t = 0
        for d in range(offset[f], offset[f + 1]):
            c = cell[d]
            if bits[c] & LETTER:
                lengths.append(length[c])
                if seen[number[c]] != f:
                    seen[number[c]] = f
                    different += 1
        lengths.sort()
        count: cython.double = len(lengths)
        median: cython.double = 0.0
        if lengths:
            median = (lengths[(len(lengths) - 1) // 2] + lengths[len(lengths) // 2]) / 2.0
        linked: cython.int = 2 if at >= 0 and inside[at] & LINK else around[at + 1]
        worth = (
            count >= typical * items,
            different > 1,  # "more" in all items is not a name
            at >= 0 and inside[at] & HEADING != 0,
            linked,
            different / max(count, 1.0) > typical,
            min(median, 80.0) if linked else 0.0 - at,
            0.0 - at,
        )
        if best < 0 or worth > most:
            best = f
            most = worth
    return best


@cython.cfunc
def are_equal(
    f: cython.int, g: cython.int, offset: Ints, cell: Ints, item: Ints, number: Ints
) -> cython.bint:
    """Return whether two fields have the same texts in all items; item, number: of each cell."""
    if offset[f + 1] - offset[f] != offset[g + 1] - offset[g]:
        return False
    for j in range(offset[f + 1] - offset[f]):
        a, b = cell[offset[f] + j], cell[offset[g] + j]
        if item[a] != item[b] or number[a] != number[b]:
            return False
    return True
