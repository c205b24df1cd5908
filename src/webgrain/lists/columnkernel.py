# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The columns of a list: which of its fields they are, what they are, what rows lack, and records as JSON.

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

CodeBuffer = cython.typedef(cython.uint[::1])
Codes = cython.typedef(cython.const[cython.uint][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
IntBuffer = cython.typedef(cython.int[::1])
IntTable = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Table = cython.typedef(cython.const[cython.int][:, ::1])


def choose_columns(
    items: cython.int,
    fields: cython.Py_ssize_t,
    cell_array: object,
    key_array: object,
    path_array: object,
    typical: cython.double,
    most: cython.int,
    short: cython.int,
):
    """Return the fields that are columns: those that vary, the names of the items first, then by path.

    fields: how many there are; cell_array (., c or more): the table of `find_pieces` and `read_texts`;
    key_array (c,): the keys of the texts; path_array: of `read_paths`; typical: share of items that is most
    of them; most: columns; short: characters of a short text.

    Returns columns (5, k) int32: path, attribute and role, see `NAME` and the following, and two rows of
    zeros; offset (k + 1,), cell (d,) int32: column j has the cells cell[offset[j]:offset[j + 1]], by item and
    without empty ones. There are no columns if none varies.
    """
    DIGIT, LENGTH, BITS = 8, 8, 11  # as in recordkernel
    table: IntTable = cell_array
    paths: IntTable = path_array
    up: Ints = paths[0]
    path: Ints = table[0, :fields]
    attribute: Ints = table[1]
    length: Ints = table[LENGTH]
    bits: Ints = table[BITS]
    cells: cython.Py_ssize_t = len(key_array)
    number_array, _, size_array = numbered(key_array)
    number: Ints = number_array
    # Offsets of the fields, and what is written next of each; of each number; of each path.
    numbers: cython.Py_ssize_t = len(size_array)
    scratch: IntBuffer = np.zeros(2 * (fields + 1) + cells + 2 * numbers + 2 * (len(up) + 1), np.int32)
    offset: IntBuffer = scratch[: fields + 1]
    following: IntBuffer = scratch[fields + 1 : 2 * (fields + 1)]
    rest: IntBuffer = scratch[2 * (fields + 1) :]
    cell: IntBuffer = rest[:cells]
    rest = rest[cells:]
    seen: IntBuffer = rest[:numbers]  # the last field with each text, from 1
    seen_name: IntBuffer = rest[numbers : 2 * numbers]
    rest = rest[2 * numbers :]
    around: IntBuffer = rest[: len(up) + 1]  # the paths around links, from 1; then those around columns
    around_columns: IntBuffer = rest[len(up) + 1 :]
    write_cells(offset, following, cell, table, cells)
    named: cython.Py_ssize_t = field_of_names(
        items, table, offset, cell, number, paths, seen_name, around, typical
    )
    order: Longs = cell_array[0, :fields].argsort(kind="stable")
    chosen: IntTable = np.empty((2, min(fields, most)), np.int32)  # the columns, and texts with a digit
    k: cython.Py_ssize_t = 0
    tried: cython.int = 0
    varied: cython.bint = False
    size: cython.Py_ssize_t = 0
    for j in range(-1, fields):
        f: cython.Py_ssize_t = order[j] if j >= 0 else named
        if f < 0 or (j >= 0 and f == named) or offset[f + 1] == offset[f]:
            continue
        if tried == most:
            break
        tried += 1
        distinct: cython.int = offset[f + 1] - offset[f] < items
        for d in range(offset[f], offset[f + 1]):
            if seen[number[cell[d]]] != f + 1:
                seen[number[cell[d]]] = f + 1
                distinct += 1
        repeated: cython.bint = distinct == 1 and f != named
        for other in range(k):
            if not repeated and are_equal(f, chosen[0, other], offset, cell, table, number):
                repeated = True
                if chosen[0, other] != named and is_better_named(f, chosen[0, other], path, attribute, paths):
                    chosen[0, other] = f
        if repeated:
            continue
        chosen[0, k] = f
        chosen[1, k] = 0
        for d in range(offset[f], offset[f + 1]):
            chosen[1, k] += length[cell[d]] <= short and bits[cell[d]] & DIGIT != 0
        k += 1
        size += offset[f + 1] - offset[f]
        varied = varied or distinct > 1
    if not varied:
        k = 0
        size = 0
    column_array = np.zeros((5, k), np.int32)
    columns: IntTable = column_array
    end_array = np.zeros(k + 1, np.int32)
    end: IntBuffer = end_array
    kept_array = np.empty(size, np.int32)
    kept: IntBuffer = kept_array
    at: cython.Py_ssize_t = 0
    for j in range(k):
        f = chosen[0, j]
        columns[0, j] = path[f]
        columns[1, j] = attribute[f]
        for d in range(offset[f], offset[f + 1]):
            kept[at] = cell[d]
            at += 1
        end[j + 1] = at
    write_roles(columns, named >= 0, chosen, end, up, around_columns, typical)
    return column_array, end_array, kept_array


@cython.cfunc
def is_better_named(
    f: cython.Py_ssize_t, g: cython.Py_ssize_t, path: Ints, attribute: Ints, paths: IntTable
) -> cython.bint:
    """Return whether a field is an element with a class inside of another one, whose name has less meaning.

    The other one is an item, or an element without a class that is not in a cell of a table.
    """
    TEXT, TOP, CLASSED, CELL = 0, 0, 1, 1  # as in recordkernel
    inner: cython.int = path[f]
    outer: cython.int = path[g]
    if attribute[f] != TEXT or attribute[g] != TEXT or inner < 0:
        return False
    if paths[2, inner] != CLASSED or paths[4, inner] == 0:
        return False
    if outer >= 0 and paths[2, outer] != TOP and (paths[4, outer] != 0 or paths[5, outer] & CELL):
        return False
    return is_inside(inner, outer, paths[0])


@cython.cfunc
def write_roles(
    columns: IntTable,
    is_named: cython.bint,
    chosen: IntTable,
    offset: Ints,
    up: Ints,
    around: IntBuffer,
    typical: cython.double,
):
    """Write the role of each column; is_named: whether the first has the names of the items.

    chosen: the second row is how many short texts of a column have a digit; around: zeros, for each path. The
    link of the items is the one around or in their names, or the first. A price or a date has no other column
    inside.
    """
    NAME, THE_LINK, OTHER_LINK, PICTURE, MOMENT, PLAIN, ASKED, GRADE = 0, 1, 2, 3, 4, 5, 6, 7
    HREF, SRC, DATETIME = 1, 2, 3  # as in recordkernel
    path: IntBuffer = columns[0]
    attribute: IntBuffer = columns[1]
    role: IntBuffer = columns[2]
    k: cython.Py_ssize_t = len(role)
    link: cython.Py_ssize_t = -1
    named: cython.int = path[0] if is_named and k else -1
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
        elif attribute[j] > DATETIME:
            role[j] = GRADE
        elif not around[path[j] + 1] and chosen[1, j] >= least:
            role[j] = ASKED


@cython.cfunc
def is_inside(path: cython.int, above: cython.int, up: Ints) -> cython.bint:
    """Return whether a path is another one or begins with it."""
    while path > above:
        path = up[path]
    return path == above


@cython.cfunc
def write_cells(
    offset: IntBuffer, following: IntBuffer, cell: IntBuffer, table: IntTable, cells: cython.Py_ssize_t
):
    """Write the offsets (f + 1,) of the fields, and their cells that are not empty, sorted by field.

    offset: zeros; following (f + 1,), cell (cells,): any numbers.
    """
    CELL_FIELD, LENGTH = 2, 8  # as in recordkernel
    for c in range(cells):
        if table[LENGTH, c] > 0:
            offset[table[CELL_FIELD, c] + 1] += 1
    for f in range(len(offset) - 1):
        offset[f + 1] += offset[f]
        following[f] = offset[f]
    for c in range(cells):
        if table[LENGTH, c] > 0:
            f = table[CELL_FIELD, c]
            cell[following[f]] = c
            following[f] += 1


@cython.cfunc
def field_of_names(
    items: cython.int,
    table: IntTable,
    offset: Ints,
    cell: Ints,
    number: Ints,
    paths: IntTable,
    seen: IntBuffer,
    around: IntBuffer,
    typical: cython.double,
) -> cython.Py_ssize_t:
    """Return the field with the names of the items: a heading, or the longest link text, or a text.

    table, paths: as in `choose_columns`; number: of the text of each cell; seen, around: zeros, for each
    number and for each path.
    """
    HEADING, LINK, LETTER, TEXT, HREF = 64, 128, 4, 0, 1  # as in recordkernel
    LENGTH, BITS, LONG, WORTHS = 8, 11, 160, 7
    path: IntBuffer = table[0]
    attribute: IntBuffer = table[1]
    length: IntBuffer = table[LENGTH]
    bits: IntBuffer = table[BITS]
    up: IntBuffer = paths[0]
    inside: IntBuffer = paths[5]
    for f in range(len(offset) - 1):
        if attribute[f] == HREF and offset[f + 1] > offset[f]:
            at: cython.int = path[f]
            while not around[at + 1]:
                around[at + 1] = 1
                if at >= 0:
                    at = up[at]
    lengths: IntBuffer = np.zeros(LONG + 1, np.int32)  # how many texts have each length, up to `LONG`
    worth: DoubleBuffer = np.zeros(2 * WORTHS)
    new: DoubleBuffer = worth[:WORTHS]
    most: DoubleBuffer = worth[WORTHS:]
    best: cython.Py_ssize_t = -1
    for f in range(len(offset) - 1):
        if attribute[f] != TEXT or offset[f + 1] == offset[f]:
            continue
        at = path[f]
        count: cython.int = 0  # of the texts with a word
        different: cython.int = 0
        lengths[:] = 0
        for d in range(offset[f], offset[f + 1]):
            c = cell[d]
            if bits[c] & LETTER:
                lengths[min(length[c], LONG)] += 1
                count += 1
                if seen[number[c]] != f + 1:
                    seen[number[c]] = f + 1
                    different += 1
        linked: cython.int = 2 if at >= 0 and inside[at] & LINK else around[at + 1]
        new[0] = count >= typical * items
        new[1] = different > 1  # "more" in all items is not a name
        new[2] = at >= 0 and inside[at] & HEADING != 0
        new[3] = linked
        new[4] = different / max(count, 1.0) > typical
        # Longer texts than twice 80 characters do not change what is at most 80.
        new[5] = min(median_of(lengths, count), 80.0) if linked else 0.0 - at
        new[6] = 0.0 - at
        if best < 0 or is_more(new, most):
            best = f
            most[:] = new
    return best


@cython.cfunc
def median_of(lengths: Ints, count: cython.int) -> cython.double:
    """Return the median of numbers, 0 without any; lengths: how many there are of each, count: of all."""
    lower: cython.int = -1
    before: cython.int = 0
    for size in range(len(lengths)):
        before += lengths[size]
        if lower < 0 and before > (count - 1) // 2:
            lower = size
        if before > count // 2:
            return (lower + size) / 2.0
    return 0.0


@cython.cfunc
def is_more(first: Doubles, second: Doubles) -> cython.bint:
    """Return whether the first numbers are more than the second: by the first two that differ."""
    for j in range(len(first)):
        if first[j] != second[j]:
            return first[j] > second[j]
    return False


@cython.cfunc
def are_equal(
    f: cython.int, g: cython.int, offset: Ints, cell: Ints, table: IntTable, number: Ints
) -> cython.bint:
    """Return whether two fields have the same texts in all items; number: of the text of each cell."""
    CELL_ITEM = 3  # as in recordkernel
    if offset[f + 1] - offset[f] != offset[g + 1] - offset[g]:
        return False
    for j in range(offset[f + 1] - offset[f]):
        a, b = cell[offset[f] + j], cell[offset[g] + j]
        if table[CELL_ITEM, a] != table[CELL_ITEM, b] or number[a] != number[b]:
            return False
    return True


def records_as_json(members: list, items: cython.Py_ssize_t, values: Table, text: str, characters: object):
    """Return the records of a list as JSON, an object for each item, as characters (c,) uint32.

    members: what is before the value of each column: its name, and a bracket or a comma; values (4, d) int32,
    characters (j,) uint32: the last two results for each list of
    `webgrain.lists.recordkernel.read_records`; text: of the page and of its attributes.
    """
    k: cython.Py_ssize_t = len(members)
    joined: Codes = memoryview(characters)
    value_at: IntBuffer = np.zeros(items * k, np.int32)  # the value at each place, from 1
    size: cython.Py_ssize_t = 2 + items * (len("".join(members)) + 3 + 4 * k)
    for v in range(values.shape[1]):
        value_at[values[0, v]] = v + 1
        for j in range(values[1, v], values[2, v]):
            size += escaped_size(joined[j] if values[3, v] else ord(text[j]))
    out_array = np.empty(size, np.uint32)
    out: CodeBuffer = out_array
    p: cython.Py_ssize_t = write_text(out, 0, "[")
    for place in range(items * k):
        column: cython.Py_ssize_t = place % k
        if column == 0 and place > 0:
            p = write_text(out, p, "}, ")
        p = write_text(out, p, members[column])
        v = value_at[place] - 1
        if v < 0:
            p = write_text(out, p, "null")
            continue
        out[p] = 34
        p += 1
        for j in range(values[1, v], values[2, v]):
            p = write_escaped(out, p, joined[j] if values[3, v] else ord(text[j]))
        out[p] = 34
        p += 1
    p = write_text(out, p, "}]")
    return out_array[:p]


def lacks_and_characters(
    items: cython.Py_ssize_t, columns: cython.Py_ssize_t, values: Table, typical: cython.double
):
    """Return the share of the usual columns that each row lacks, and its characters: (2, items) float64.

    values (4, d) int32: as for `records_as_json`; typical: share of the rows that have a usual column.
    """
    numbers = np.zeros((2, items))
    lacks: DoubleBuffer = numbers[0]
    characters: DoubleBuffer = numbers[1]
    having: IntBuffer = np.zeros(columns, np.int32)
    for v in range(values.shape[1]):
        having[values[0, v] % columns] += 1
        characters[values[0, v] // columns] += values[2, v] - values[1, v]
    usual: cython.Py_ssize_t = 0
    for column in range(columns):
        usual += having[column] >= typical * items
    if usual == 0:
        return numbers
    for i in range(items):
        lacks[i] = 1.0
    for v in range(values.shape[1]):
        if having[values[0, v] % columns] >= typical * items:
            lacks[values[0, v] // columns] -= 1.0 / usual
    return numbers


@cython.cfunc
def write_text(out: CodeBuffer, p: cython.Py_ssize_t, text: str) -> cython.Py_ssize_t:
    """Write a text at place p of characters, and return the place behind it."""
    for j in range(len(text)):
        out[p + j] = ord(text[j])
    return p + len(text)


@cython.cfunc
def escaped_size(code: cython.uint) -> cython.int:
    """Return the number of characters that JSON needs for a character."""
    if code in (8, 9, 10, 12, 13, 34, 92):
        return 2
    return 6 if code < 32 else 1


@cython.cfunc
def write_escaped(out: CodeBuffer, p: cython.Py_ssize_t, code: cython.uint) -> cython.Py_ssize_t:
    """Write a character of a string of JSON at place p, and return the place behind it."""
    size = escaped_size(code)
    out[p] = code
    if size > 1:
        out[p] = 92
        out[p + 1] = code
    if size == 2 and code < 32:
        out[p + 1] = ord("btn_fr"[code - 8])
    elif size == 6:
        write_text(out, p + 1, "u00")
        out[p + 4] = 48 + (code >> 4)
        out[p + 5] = ord("0123456789abcdef"[code & 15])
    return p + size
