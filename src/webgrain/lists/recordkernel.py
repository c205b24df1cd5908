# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.lists.records`: the paths of the nodes of a list, its cells and its columns.

The nodes of the items are called places, in document order: e places of i items. parent, tag, visible (n,):
of the page; bits (t,) int32: what the reader knows of each tag, see `CELL` and the following.

A path has a last step of one of three kinds: `TOP`, an element outside of others of its item, by its number;
`CLASSED`, by its tag and its usual classes; `PLACED`, by its tag and its place among the siblings of its tag.
"""

from __future__ import annotations

import numpy as np

from webgrain.lists.columnkernel import choose_columns
from webgrain.page.kernels.treepass import merge_tables

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
IntTable = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

CELL, JOINED, MARKED, SEPARATE, IN_LINE, SILENT, HEADING, LINK, IMAGE, TIME = (1 << k for k in range(10))
"""Bits of a tag: a cell of a table; several are one field; its texts are a field, even within a line; not a
part of a word; within a line; its texts are not on the page; a heading; and what has a value."""
TERM, BOLD = 1 << 10, 1 << 11
"""Bits of a tag: the heading of an item that begins with it and has siblings of it. It may be any element
outside of others if it is a term, and the first if it is bold."""
TOP, CLASSED, PLACED = 0, 1, 2
SPACE, ALPHANUMERIC, LETTER, DIGIT = 1, 2, 4, 8
"""Bits of a character."""
TEXT, HREF, SRC, DATETIME, LABEL, TITLE = range(6)
"""What the values of a field are: texts, or one of the attributes of links, images and times, or the label or
the title of another element."""
NAME, THE_LINK, OTHER_LINK, PICTURE, MOMENT, PLAIN, ASKED, GRADE = range(8)
"""Roles of a column: the names of the items; the links of the items, or others; images; dates of ``<time>``;
texts; texts most of which may be prices, ratings or dates; ratings in attributes."""
FIELD_PATH, FIELD_ATTRIBUTE, CELL_FIELD, CELL_ITEM, PIECE_CELL, PIECE_BEGIN, PIECE_END, APART = range(8)
LENGTH, BEGIN, END, BITS, JOINED_AT, WAITING, STARTED, LAST_CELL, LAST_PLACE, LAST_PIECE = range(8, 18)
"""Rows of the table of fields, cells and pieces of a list, see `find_pieces` and `read_texts`."""
LEVELS = 64
"""Marked elements around a text whose fields it belongs to, the innermost; bounds time on hostile pages."""


def read_records(nodes: tuple, names: tuple, lists: tuple, text: tuple, values: tuple, limits: tuple):
    """Return the fields, cells and columns of several lists.

    Args:
        nodes: parent, end, tag, bits, sibling (n,) int32, visible (n,) uint8, text_start (n + 1,) int32;
            sibling: the place of each node among the siblings of its tag, from 0.
        names: start (n + 1,) int32, node x has the classes start[x]:start[x + 1]; their keys (w,) uint64 and
            numbers (w,) int32; how many numbers there are; order (w,) int32, the places of the classes of
            each node in alphabetical order.
        lists: start, stop (i,), offset (l + 1,), kind (l,) of `webgrain.lists.candidates.Candidates`.
        text: characters (h,) uint32, those of the page and then those of the values; the bits of each
            character by code point, the last for all others.
        values: start (v + 1,), place, kind (v,) int32 of the values; first (l + 1,) of
            `attributes_of_items`.
        limits: share of the items that have a usual class, places of siblings that are distinguished, share
            of items that is most of them, columns, characters of a short text.

    Returns for each list: its items, without copies of the first ones; whether they are elements; places,
    paths and usual of `read_paths`; columns (5, k) int32: path, attribute and role of each, see
    `choose_columns`, its first element and the label of this, see `write_labels`; offset (k + 1,) int32:
    column j has the values offset[j]:offset[j + 1]; and values and joined of `values_of_columns`.
    """
    EXTENDED, ROWS = 1, 18  # as in candidates, and of the table
    parent: Ints = nodes[0]
    end: Ints = nodes[1]
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    tag: Ints = memoryview(nodes[2])
    bits: Ints = nodes[3]
    sibling: Ints = nodes[4]
    visible: Flags = nodes[5]
    text_start: Ints = nodes[6]
    name_start: Ints = names[0]
    name_keys: Keys = memoryview(names[1])
    name: Ints = names[2]
    order: Ints = names[4]
    starts: Longs = lists[0]
    stops: Longs = lists[1]
    offset: Longs = lists[2]
    kind: Longs = lists[3]
    codes: Codes = memoryview(text[0])
    classes: Flags = text[1]
    value_start: Ints = values[0]
    value_place: Ints = values[1]
    value_kind: Ints = values[2]
    first: Ints = values[3]
    common, most_places, typical, most_fields, short = limits
    counted: IntTable = np.empty((2, names[3]), np.int32)
    records = []
    for k in range(len(kind)):
        start: Longs = starts[offset[k] : offset[k + 1]]
        stop: Longs = stops[offset[k] : offset[k + 1]]
        of_values: Ints = value_start[first[k] : first[k + 1] + 1]
        value_places: Ints = value_place[first[k] : first[k + 1]]
        value_kinds: Ints = value_kind[first[k] : first[k + 1]]
        size: cython.Py_ssize_t = -1
        while size != len(start):  # a list that is there several times is read again, without the copies
            size = len(start)
            whole: cython.bint = kind[k] != EXTENDED and are_whole(end, start, stop)
            e: cython.Py_ssize_t = 0
            for i in range(size):
                e += stop[i] - start[i]
            place_array = np.empty((4, e), np.int32)
            places: IntTable = place_array
            scratch: IntTable = np.zeros((5, e), np.int32)
            usual_array = np.zeros(len(name), np.uint8)
            usual: cython.uchar[::1] = usual_array
            write_places(places, start, stop, parent)
            write_usual(usual, counted, start, stop, name_start, name, max(2.0, common * size))
            path_array = read_paths(
                place_array,
                places,
                scratch,
                tag,
                bits,
                sibling,
                name_start,
                name_keys,
                usual,
                whole,
                most_places,
            )
            paths: IntTable = path_array
            most: cython.Py_ssize_t = write_blocks(places, paths, scratch, tag, bits) + len(value_places)
            cell_array = np.zeros((ROWS, most), np.int32)
            table: IntTable = cell_array
            counts = find_pieces(
                table,
                places,
                paths,
                scratch,
                tag,
                bits,
                visible,
                text_start,
                codes,
                classes,
                of_values,
                value_places,
                value_kinds,
            )
            fields: cython.Py_ssize_t = counts[0]
            cells: cython.Py_ssize_t = counts[1]
            pieces: cython.Py_ssize_t = counts[2]
            key_array = np.zeros(cells, np.uint64)
            keys: KeyBuffer = memoryview(key_array)
            read_texts(keys, table, pieces, codes, classes)
            items: cython.Py_ssize_t = items_without_copies(size, table, keys)
            start = start[:items]
            stop = stop[:items]
        column_array, column_start, column_cells = choose_columns(
            size, fields, cell_array, key_array, path_array, typical, most_fields, short
        )
        columns: IntTable = column_array
        write_labels(columns, places, paths, name_start, order, usual)
        cell_values = values_of_columns(column_start, column_cells, table, pieces, codes, classes)
        record = size, whole, place_array, path_array, usual_array, column_array, column_start
        records.append((*record, *cell_values))
    return records


@cython.cfunc
def are_whole(end: Ints, start: Longs, stop: Longs) -> cython.bint:
    """Return whether each item is an element."""
    whole: cython.bint = True
    for i in range(len(start)):
        whole = whole and end[start[i]] == stop[i]
    return whole


@cython.cfunc
def values_of_columns(
    offset: Ints, cell: Ints, table: IntTable, pieces: cython.Py_ssize_t, codes: Codes, classes: Flags
):
    """Return where the texts of the columns are.

    offset, cell: of `choose_columns`; table, pieces: of `find_pieces` and `read_texts`.

    Returns values (4, d) int32: the place in the rows, item by item, begin, end and whether the text is
    joined, then begin and end are those of joined; joined (j,) uint32: characters of texts.
    """
    SPACE, CELL_ITEM, LENGTH, BEGIN, END, BITS, JOINED_AT = 1, 3, 8, 9, 10, 11, 12  # as those of the module
    columns: cython.Py_ssize_t = len(offset) - 1
    value_array = np.empty((4, len(cell)), np.int32)
    values: IntTable = value_array
    joined_at: IntBuffer = table[JOINED_AT]  # of each cell, from 1
    size: cython.int = 0
    for column in range(columns):
        for d in range(offset[column], offset[column + 1]):
            c = cell[d]
            values[0, d] = table[CELL_ITEM, c] * columns + column
            values[1, d] = table[BEGIN, c]
            values[2, d] = table[END, c]
            values[3, d] = table[BITS, c] & SPACE
            if values[3, d]:
                joined_at[c] = size + 1
                values[1, d] = size
                size += table[LENGTH, c]
                values[2, d] = size
    return value_array, joined_texts(size, table, pieces, codes, classes)


@cython.cfunc
def joined_texts(
    size: cython.Py_ssize_t, table: IntTable, pieces: cython.Py_ssize_t, codes: Codes, classes: Flags
):
    """Return the texts of several cells with white space collapsed, as characters (j,) uint32.

    size: characters of all; the row `JOINED_AT`: where the text of each cell begins, from 1; 0 for others.
    """
    SPACE, PIECE_CELL, PIECE_BEGIN, PIECE_END, APART = 1, 4, 5, 6, 7  # as those of the module
    JOINED_AT, WAITING, STARTED = 12, 13, 14
    joined_array = np.empty(size, np.uint32)
    if size == 0:
        return joined_array
    joined: cython.uint[::1] = joined_array
    joined_at: IntBuffer = table[JOINED_AT]
    waiting: IntBuffer = table[WAITING]  # a space before the next character
    started: IntBuffer = table[STARTED]
    for c in range(table.shape[1]):
        waiting[c] = 0
        started[c] = 0
    for v in range(pieces):
        c = table[PIECE_CELL, v]
        if joined_at[c] == 0:
            continue
        if table[APART, v] or table[PIECE_BEGIN, v] == table[PIECE_END, v]:
            waiting[c] = 1
        for j in range(table[PIECE_BEGIN, v], table[PIECE_END, v]):
            if class_of(codes[j], classes) & SPACE:
                waiting[c] = 1
                continue
            if started[c] and waiting[c]:
                joined[joined_at[c] - 1] = 32
                joined_at[c] += 1
            joined[joined_at[c] - 1] = codes[j]
            joined_at[c] += 1
            started[c] = 1
            waiting[c] = 0
    return joined_array


@cython.cfunc
def items_without_copies(items: cython.Py_ssize_t, table: IntTable, text: Keys) -> cython.Py_ssize_t:
    """Return how many items there are before the same items with the same texts begin again, to the end.

    Pages contain a list twice, for wide and for narrow screens, and slides are repeated. table, text: of
    `find_pieces` and `read_texts`.
    """
    FIELD_PATH, FIELD_ATTRIBUTE, CELL_FIELD, CELL_ITEM, LENGTH = 0, 1, 2, 3, 8  # as those of the module
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    spread: cython.ulonglong = 0x9E3779B97F4A7C15
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    keys: KeyBuffer = memoryview(np.zeros(items, np.uint64))  # of the texts of each item and their fields
    slot: cython.ulonglong = 0
    attribute: cython.ulonglong = 0
    for c in range(len(text)):
        if table[LENGTH, c] > 0:
            field = table[CELL_FIELD, c]
            item = table[CELL_ITEM, c]
            # Uncompiled, an element of an array overflows.
            slot = int(table[FIELD_PATH, field] + 1)
            attribute = int(table[FIELD_ATTRIBUTE, field] + 1)
            slot = 8 * slot + attribute
            slot = (slot * spread ^ text[c]) * spread & mask
            keys[item] = (keys[item] + (slot ^ (slot >> 29))) & mask
    for size in range(2, items // 2 + 1):
        if items % size == 0 and keys[size] == keys[0]:
            is_copied: cython.bint = True
            for i in range(size, items):
                if keys[i] != keys[i - size]:
                    is_copied = False
                    break
            if is_copied:
                return size
    return items


@cython.cfunc
def write_labels(
    columns: IntTable, places: IntTable, paths: IntTable, name_start: Ints, order: Ints, usual: Flags
):
    """Write the first element of the path of each column, and its first usual class; -1 for none.

    columns (5, k): see `read_records`; places, paths, usual: of `read_paths`. The class is the place among
    those of its element.
    """
    for k in range(columns.shape[1]):
        columns[3, k] = -1
        columns[4, k] = -1
        if columns[0, k] < 0:
            continue
        x = places[0, paths[1, columns[0, k]]]
        columns[3, k] = x
        for j in range(name_start[x], name_start[x + 1]):
            if usual[name_start[x] + order[j]]:
                columns[4, k] = order[j]
                break


@cython.cfunc
def write_places(places: IntTable, start: Longs, stop: Longs, parent: Ints):
    """Write node and item of each place, and the place of its parent in the item, -1 for none."""
    p: cython.Py_ssize_t = 0
    for i in range(len(start)):
        shift: cython.Py_ssize_t = start[i] - p
        for x in range(start[i], stop[i]):
            places[0, p] = x
            places[1, p] = i
            places[2, p] = parent[x] - shift if parent[x] >= start[i] else -1
            p += 1


@cython.cfunc
def write_usual(
    usual: cython.uchar[::1],
    counted: IntTable,
    start: Longs,
    stop: Longs,
    name_start: Ints,
    name: Ints,
    least: cython.double,
):
    """Write 1 for each class (w,) of the items that at least ``least`` items have; usual has zeros.

    counted (2, classes of the page): any numbers.
    """
    counted[:, :] = 0
    last: IntBuffer = counted[0]
    count: IntBuffer = counted[1]
    for i in range(len(start)):
        for j in range(name_start[start[i]], name_start[stop[i]]):
            if last[name[j]] != i + 1:
                last[name[j]] = i + 1
                count[name[j]] += 1
    for i in range(len(start)):
        for j in range(name_start[start[i]], name_start[stop[i]]):
            if count[name[j]] >= least:
                usual[j] = 1


@cython.cfunc
def read_paths(
    place_array: object,
    places: IntTable,
    scratch: IntTable,
    tag: Ints,
    bits: Ints,
    sibling: Ints,
    name_start: Ints,
    keys: Keys,
    usual: Flags,
    whole: cython.bint,
    most: cython.int,
):
    """Write the path of each place into ``places``, and return the paths.

    places (4, e): node, item, above, path. above is the place of the parent within the item; the path of a
    text is that of its parent; -1 for none. place_array: the same; scratch (2 or more, e): zeros; whole:
    whether each item is an element; most: places of siblings that are distinguished, ten times as many of
    cells.

    Returns (6, r) int32, the rows up, first, kind, number: the path that is shorter by a step, the first
    place, the kind of the last step, and its number among the elements outside of others or its place among
    siblings, from 1; marked: whether the texts of its elements are a field, even within a line; inside: the
    bits of all tags of the path, without that of an item.
    """
    CELL, JOINED, MARKED, TOP, CLASSED, PLACED = 1, 2, 4, 0, 1, 2  # as those of the module
    HEADING, TERM, BOLD = 64, 1024, 2048
    e: cython.Py_ssize_t = places.shape[1]
    kinds: IntBuffer = scratch[0]
    numbers: IntBuffer = scratch[1]
    step_array = np.zeros(e, np.uint64)
    step: KeyBuffer = memoryview(step_array)
    tags: cython.ulonglong = len(bits)
    code: cython.ulonglong = 0
    group: cython.ulonglong = 0  # of the usual classes; 0 for none
    spread: cython.ulonglong = 0x9E3779B97F4A7C15
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    tops: cython.int = 0
    for p in range(e):
        x = places[0, p]
        if p == 0 or places[1, p] != places[1, p - 1]:
            tops = 0
        if tag[x] == 0:
            continue
        group = 0
        for j in range(name_start[x], name_start[x + 1]):
            if usual[j]:
                group = (group + keys[j]) & mask
        if places[2, p] < 0:
            tops += 1
            kinds[p] = TOP
            numbers[p] = tops
            code = numbers[p] * tags + (0 if whole else tag[x])
        elif bits[tag[x]] & JOINED or (group and not bits[tag[x]] & CELL):
            kinds[p] = CLASSED
            # The sum of random numbers is another one for each set of classes.
            step[p] = (group + (tag[x] + 1) * spread) & mask
            continue
        else:
            kinds[p] = PLACED
            numbers[p] = min(sibling[x] + 1, 10 * most if bits[tag[x]] & CELL else most)
            code = numbers[p] * tags + tag[x]
        step[p] = code * 2 + (kinds[p] == PLACED)
    of_array, up_array, first_array, _ = merge_tables(place_array[2], step_array, np.array([0, e]))
    of: Ints = of_array
    up: Ints = up_array
    first: Ints = first_array
    for p in range(e):
        places[3, p] = of[p]
    path_array = np.zeros((6, len(first)), np.int32)
    paths: IntTable = path_array
    for r in range(len(first)):
        p = first[r]
        x = places[0, p]
        paths[0, r] = up[r]
        paths[1, r] = p
        paths[2, r] = kinds[p]
        paths[3, r] = numbers[p]
        paths[5, r] = paths[5, up[r]] if up[r] >= 0 else 0
        if kinds[p] == TOP and whole:
            continue
        paths[5, r] |= bits[tag[x]]
        if kinds[p] == TOP and (bits[tag[x]] & TERM or (numbers[p] == 1 and bits[tag[x]] & BOLD)):
            paths[5, r] |= HEADING
        group = 0
        for j in range(name_start[x], name_start[x + 1]):
            if usual[j]:
                group = (group + keys[j]) & mask
        paths[4, r] = bits[tag[x]] & MARKED != 0 or (kinds[p] == CLASSED and group != 0)
    return path_array


def attributes_of_items(
    tag: Ints, bits: Ints, visible: Flags, lists: tuple, attr_start: Ints, attr_name: Ints, kinds: Ints
):
    """Return the attributes (k,) int32 whose values are cells, list by list.

    lists: as in `read_records`; attr_start, attr_name: of the Dom; kinds: `HREF` and the following by the
    number of the name of an attribute, 0 for others. Elements without an attribute of their tag have their
    label and their title.

    Returns attribute, place, kind (k,) int32; first (l + 1,) int32: list j has first[j]:first[j + 1].
    """
    TEXT, LABEL = 0, 4  # as those of the module
    start: Longs = lists[0]
    stop: Longs = lists[1]
    offset: Longs = lists[2]
    size: cython.Py_ssize_t = 0
    for i in range(len(start)):
        size += 2 * (stop[i] - start[i])
    found_array = np.empty((3, size), np.int32)
    attribute: IntBuffer = found_array[0]
    place: IntBuffer = found_array[1]
    kind: IntBuffer = found_array[2]
    first: IntBuffer = np.zeros(len(offset), np.int32)
    k: cython.Py_ssize_t = 0
    for number in range(len(offset) - 1):
        p: cython.int = 0
        for i in range(offset[number], offset[number + 1]):
            for x in range(start[i], stop[i]):
                wanted = value_of(bits[tag[x]])
                taken: cython.int = 0
                if visible[x]:
                    for j in range(attr_start[x], attr_start[x + 1]):
                        of_name: cython.int = kinds[attr_name[j]]
                        if of_name == TEXT or (of_name < LABEL if wanted == TEXT else of_name != wanted):
                            continue
                        attribute[k] = j
                        place[k] = p
                        kind[k] = of_name
                        k += 1
                        taken += 1
                        if wanted != TEXT or taken == 2:
                            break
                p += 1
        first[number + 1] = k
    return found_array[0, :k], found_array[1, :k], found_array[2, :k], np.asarray(first)


@cython.cfunc
def value_of(bits: cython.int) -> cython.int:
    """Return the attribute that is a value, `TEXT` for none; bits: of a tag."""
    LINK, IMAGE, TIME, TEXT, HREF, SRC, DATETIME = 128, 256, 512, 0, 1, 2, 3  # as those of the module
    if bits & LINK:
        return HREF
    if bits & IMAGE:
        return SRC
    if bits & TIME:
        return DATETIME
    return TEXT


@cython.cfunc
def write_blocks(
    places: IntTable, paths: IntTable, scratch: IntTable, tag: Ints, bits: Ints
) -> cython.Py_ssize_t:
    """Write the block that each place belongs to and the marked elements between the two.

    scratch (5, e): the rows 2 to 4 are the block, the innermost marked element, the place itself included,
    and the number of the marked elements. Returns an upper limit of the pieces of texts.
    """
    SEPARATE, IN_LINE, LEVELS = 8, 16, 64  # as those of the module
    block: IntBuffer = scratch[2]
    inner: IntBuffer = scratch[3]
    depth: IntBuffer = scratch[4]
    most: cython.Py_ssize_t = 0
    for p in range(places.shape[1]):
        a = places[2, p]
        t = tag[places[0, p]]
        if t != 0 and (a < 0 or not bits[t] & IN_LINE):
            block[p] = p
            inner[p] = -1
            depth[p] = 0
        else:
            block[p] = block[a] if a >= 0 else -1
            inner[p] = inner[a] if a >= 0 else -1
            depth[p] = depth[a] if a >= 0 else 0
            if t != 0 and paths[4, places[3, p]]:
                inner[p] = p
                depth[p] += 1
        if t == 0 or bits[t] & SEPARATE:
            most += 1 + (min(depth[a], LEVELS) if a >= 0 else 0)
    return most


@cython.cfunc
def find_pieces(
    table: IntTable,
    places: IntTable,
    paths: IntTable,
    scratch: IntTable,
    tag: Ints,
    bits: Ints,
    visible: Flags,
    text_start: Ints,
    codes: Codes,
    classes: Flags,
    value_start: Ints,
    value_place: Ints,
    value_kind: Ints,
):
    """Write the fields and the cells of the items, and the pieces of text of the cells; return their numbers.

    places, paths: of `read_paths`; scratch: of `write_blocks`; codes, classes: of `read_records`; value k of
    the place value_place[k], ascending, is codes[value_start[k]:value_start[k + 1]]. Of several values at a
    place, the first that is not empty counts.

    A cell has the first value of an attribute in an item, or all pieces of its texts; a piece without
    characters is a space. Fields are in the order of their first pieces, and so are cells. The rows of the
    table are path and attribute of the fields; field and item of the cells; cell, begin, end of the pieces,
    ``codes[begin:end]``, and whether a space is between a piece and the one before it.
    """
    SEPARATE, SILENT, ALPHANUMERIC, TEXT, LEVELS = 8, 32, 2, 0, 64  # as those of the module
    field_path: IntBuffer = table[0]
    field_attribute: IntBuffer = table[1]
    cell_field: IntBuffer = table[2]
    cell_item: IntBuffer = table[3]
    piece_cell: IntBuffer = table[4]
    piece_begin: IntBuffer = table[5]
    piece_end: IntBuffer = table[6]
    apart: IntBuffer = table[7]
    last_cell: IntBuffer = table[15]  # of each field
    last_place: IntBuffer = table[16]  # of each cell
    last_piece: IntBuffer = table[17]
    node: IntBuffer = places[0]
    item: IntBuffer = places[1]
    above: IntBuffer = places[2]
    path: IntBuffer = places[3]
    marked: IntBuffer = paths[4]
    block: IntBuffer = scratch[2]
    inner: IntBuffer = scratch[3]
    slots: cython.Py_ssize_t = 6 * (len(marked) + 1)
    # Of each path and attribute; and the paths that a piece belongs to, from inside.
    field_of: IntBuffer = np.zeros(slots + LEVELS + 1, np.int32)
    chain: IntBuffer = field_of[slots:]
    fields: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    pieces: cython.Py_ssize_t = 0
    value: cython.Py_ssize_t = 0
    for p in range(len(node)):
        x = node[p]
        t = tag[x]
        attribute: cython.int = TEXT
        begin: cython.int = 0
        end: cython.int = 0
        size: cython.int = 0
        a = above[p]
        if t == 0:
            if not visible[x] or (a >= 0 and bits[tag[node[a]]] & SILENT):
                continue
            begin = text_start[x]
            end = text_start[x + 1]
        else:
            while value < len(value_place) and value_place[value] == p:
                if begin == end:
                    begin = value_start[value]
                    end = value_start[value + 1]
                    attribute = value_kind[value]
                value += 1
            if begin < end:
                chain[0] = path[p]
                size = 1
            elif not bits[t] & SEPARATE or (visible[x] and value_of(bits[t]) != TEXT):
                continue
            else:
                attribute, begin, end = TEXT, 0, 0
        if attribute == TEXT:
            around: cython.int = inner[a] if a >= 0 else -1
            while around >= 0 and size < LEVELS:
                chain[size] = path[around]
                size += 1
                around = inner[above[around]]
            around = block[a] if a >= 0 else -1
            chain[size] = path[around] if around >= 0 else -1
            size += 1
        for level in range(size - 1, -1, -1):
            slot = 6 * (chain[level] + 1) + attribute
            if field_of[slot] == 0:
                field_path[fields] = chain[level]
                field_attribute[fields] = attribute
                last_cell[fields] = -1
                fields += 1
                field_of[slot] = fields
            field = field_of[slot] - 1
            cell: cython.int = last_cell[field]
            if cell < 0 or cell_item[cell] != item[p]:
                cell = cells
                last_cell[field] = cell
                cell_field[cell] = field
                cell_item[cell] = item[p]
                cells += 1
            elif attribute != TEXT:
                continue
            elif level == size - 1:
                # "<a>Name</a><time>May</time>" are two words.
                here, before = above[p], above[last_place[cell]]
                by_here = here >= 0 and here != block[p] and marked[path[here]]
                by_before = before >= 0 and before != block[p] and marked[path[before]]
                last = last_piece[cell]
                if (
                    here != before
                    and (by_here or by_before)
                    and begin < end
                    and piece_begin[last] < piece_end[last]
                ):
                    left = class_of(codes[piece_end[last] - 1], classes)
                    apart[pieces] = (left & class_of(codes[begin], classes) & ALPHANUMERIC) != 0
            last_place[cell] = p
            last_piece[cell] = pieces
            piece_cell[pieces] = cell
            piece_begin[pieces] = begin
            piece_end[pieces] = end
            pieces += 1
    return fields, cells, pieces


@cython.cfunc
def class_of(code: cython.uint, classes: Flags) -> cython.int:
    """Return the bits of a character; classes (c,) uint8: by code point, the last for all others."""
    return classes[min(code, len(classes) - 1)]


@cython.cfunc
def read_texts(key: KeyBuffer, table: IntTable, pieces: cython.Py_ssize_t, codes: Codes, classes: Flags):
    """Write the texts of the cells: those of their pieces, with white space collapsed.

    table, pieces: of `find_pieces`, with zeros in the rows that are written; codes, classes: as there.

    key (c,) uint64: of each text. The rows of the table are length, begin, end: it is codes[begin:end] unless
    it is joined; bits: `SPACE` if it is joined, `LETTER` if two letters are side by side, `DIGIT` if it has a
    digit.
    """
    SPACE, LETTER, DIGIT = 1, 4, 8  # as those of the module
    piece_cell: IntBuffer = table[4]
    piece_begin: IntBuffer = table[5]
    piece_end: IntBuffer = table[6]
    apart: IntBuffer = table[7]
    length: IntBuffer = table[8]
    begin: IntBuffer = table[9]
    end: IntBuffer = table[10]
    bits: IntBuffer = table[11]
    waiting: IntBuffer = table[13]  # a space before the next character
    after_letter: IntBuffer = table[14]
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    total: cython.ulonglong = 0
    for v in range(pieces):
        cell = piece_cell[v]
        if apart[v] or piece_begin[v] == piece_end[v]:
            waiting[cell] = 1
        for j in range(piece_begin[v], piece_end[v]):
            is_: cython.int = class_of(codes[j], classes)
            if is_ & SPACE:
                waiting[cell] = 1
                continue
            total = key[cell]
            if length[cell] == 0:
                begin[cell] = j
            elif waiting[cell]:
                if j != end[cell] + 1 or codes[j - 1] != 32:
                    bits[cell] |= SPACE
                total = (((total ^ 32) * 1597334677) + 32) & mask
                total = total ^ (total >> 29)
                length[cell] += 1
                after_letter[cell] = 0
            elif j != end[cell]:
                bits[cell] |= SPACE
            total = (((total ^ codes[j]) * 1597334677) + codes[j]) & mask
            key[cell] = total ^ (total >> 29)
            waiting[cell] = 0
            length[cell] += 1
            end[cell] = j + 1
            if is_ & LETTER and after_letter[cell]:
                bits[cell] |= LETTER
            after_letter[cell] = is_ & LETTER
            bits[cell] |= is_ & DIGIT
