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
from webgrain.page.kernels.treepass import merge_paths

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

CELL, JOINED, MARKED, SEPARATE, IN_LINE, SILENT, HEADING, LINK, IMAGE, TIME = (1 << k for k in range(10))
"""Bits of a tag: a cell of a table; several are one field; its texts are a field, even within a line; not a
part of a word; within a line; its texts are not on the page; a heading; and what has a value."""
TERM = 1 << 10
"""Bit of a tag: the heading of an item that begins with it and has siblings of it."""
TOP, CLASSED, PLACED = 0, 1, 2
SPACE, ALPHANUMERIC, LETTER, DIGIT = 1, 2, 4, 8
"""Bits of a character."""
TEXT, HREF, SRC, DATETIME = 0, 1, 2, 3
"""What the values of a field are: texts, or one of the attributes of links, images and times."""
NAME, THE_LINK, OTHER_LINK, PICTURE, MOMENT, PLAIN, ASKED = range(7)
"""Roles of a column: the names of the items; the links of the items, or others; images; dates of ``<time>``;
texts; texts most of which may be prices or dates."""
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
        values: start (v + 1,), place (v,) int32 of the values; first (l + 1,) of `attributes_of_items`.
        limits: share of the items that have a usual class, places of siblings that are distinguished, share
            of items that is most of them, columns, characters of a short text.

    Returns for each list: its items, without copies of the first ones; whether they are elements; places,
    paths and usual of `read_paths`; columns (5, k) int32: path, attribute and role of each, see
    `choose_columns`, its first element and the label of this, see `labels_of_columns`; offset (k + 1,) int32:
    column j has the values offset[j]:offset[j + 1]; and values and joined of `values_of_columns`.
    """
    EXTENDED = 1  # as in candidates
    parent, end_array, tag, bits, sibling, visible, text_start = nodes
    name_start, name_keys, name, name_count, order = names
    starts, stops, offset, kind = lists
    characters, classes = text
    value_start, value_place, first = values
    common, most_places, typical, most_fields, short = limits
    end: Ints = end_array
    records = []
    for k in range(len(kind)):
        start = starts[offset[k] : offset[k + 1]]
        stop = stops[offset[k] : offset[k + 1]]
        size = 0
        while size != len(start):  # a list that is there several times is read again, without the copies
            whole: cython.bint = kind[k] != EXTENDED and are_whole(end, start, stop)
            least = max(2, common * len(start))
            named = name_start, name_keys, name, name_count
            places, paths, of_texts, usual = read_paths(
                parent, tag, bits, sibling, start, stop, named, whole, least, most_places
            )
            marked, inside = of_texts
            fields, cells, pieces = find_pieces(
                tag,
                bits,
                visible,
                text_start,
                characters,
                classes,
                places,
                marked,
                value_start[first[k] : first[k + 1] + 1],
                value_place[first[k] : first[k + 1]],
            )
            texts = read_texts(len(cells[0]), characters, classes, pieces)
            size = len(start)
            items = items_without_copies(size, fields, cells, texts)
            start = start[:items]
            stop = stop[:items]
        columns, column_start, column_cells = choose_columns(
            len(start), fields, cells, texts, paths[0], inside, typical, most_fields, short
        )
        labels = labels_of_columns(columns[0], places[0], paths[1], name_start, order, usual)
        cell_values = values_of_columns(column_start, column_cells, cells[1], texts, pieces, text)
        records.append(
            (len(start), whole, places, paths, usual, (*columns, *labels), column_start, *cell_values)
        )
    return records


@cython.cfunc
def are_whole(end: Ints, start: Longs, stop: Longs) -> cython.bint:
    """Return whether each item is an element."""
    whole: cython.bint = True
    for i in range(len(start)):
        whole = whole and end[start[i]] == stop[i]
    return whole


@cython.cfunc
def values_of_columns(offset: Ints, cell: Ints, item: Ints, texts: tuple, pieces: tuple, text: tuple):
    """Return where the texts of the columns are.

    offset, cell: of `choose_columns`; item: of each cell; texts: of `read_texts`; pieces: of `find_pieces`;
    text: of `read_records`.

    Returns values (4, d) int32: the place in the rows, item by item, begin, end and whether the text is
    joined, then begin and end are those of joined; joined (j,) uint32: characters of texts.
    """
    SPACE = 1  # as that of the module
    length: Ints = texts[1]
    begin: Ints = texts[2]
    end: Ints = texts[3]
    bits: Flags = texts[4]
    columns: cython.Py_ssize_t = len(offset) - 1
    value_array = np.empty((4, len(cell)), np.int32)
    values: cython.int[:, ::1] = value_array
    joined_at: IntBuffer = np.zeros(len(length), np.int32) - 1  # of each cell
    size: cython.int = 0
    for column in range(columns):
        for d in range(offset[column], offset[column + 1]):
            c = cell[d]
            values[0, d] = item[c] * columns + column
            values[1, d] = begin[c]
            values[2, d] = end[c]
            values[3, d] = bits[c] & SPACE
            if bits[c] & SPACE:
                joined_at[c] = size
                values[1, d] = size
                size += length[c]
                values[2, d] = size
    return value_array, joined_texts(size, joined_at, pieces, text)


@cython.cfunc
def joined_texts(size: cython.Py_ssize_t, joined_at: IntBuffer, pieces: tuple, text: tuple):
    """Return the texts of several cells with white space collapsed, as characters (j,) uint32.

    size: characters of all; joined_at (c,): where the text of each cell begins, -1 for others.
    """
    SPACE = 1  # as that of the module
    piece_cell: Ints = pieces[0]
    piece_begin: Ints = pieces[1]
    piece_end: Ints = pieces[2]
    apart: Flags = pieces[3]
    codes: Codes = memoryview(text[0])
    classes: Flags = text[1]
    joined_array = np.empty(size, np.uint32)
    if size == 0:
        return joined_array
    joined: cython.uint[::1] = joined_array
    started: cython.uchar[::1] = np.zeros(len(joined_at), np.uint8)
    waiting: cython.uchar[::1] = np.zeros(len(joined_at), np.uint8)  # a space before the next character
    for v in range(len(piece_cell)):
        c = piece_cell[v]
        if joined_at[c] < 0:
            continue
        if apart[v] or piece_begin[v] == piece_end[v]:
            waiting[c] = 1
        for j in range(piece_begin[v], piece_end[v]):
            if class_of(codes[j], classes) & SPACE:
                waiting[c] = 1
                continue
            if started[c] and waiting[c]:
                joined[joined_at[c]] = 32
                joined_at[c] += 1
            joined[joined_at[c]] = codes[j]
            joined_at[c] += 1
            started[c] = 1
            waiting[c] = 0
    return joined_array


@cython.cfunc
def items_without_copies(items: cython.Py_ssize_t, fields: tuple, cells: tuple, texts: tuple):
    """Return how many items there are before the same items with the same texts begin again, to the end.

    Pages contain a list twice, for wide and for narrow screens, and slides are repeated. The arguments are as
    in `choose_columns`.
    """
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    path: Ints = memoryview(fields[0])
    attribute: Ints = memoryview(fields[1])
    field: Ints = memoryview(cells[0])
    item: Ints = cells[1]
    text: Keys = memoryview(texts[0])
    length: Ints = texts[1]
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    spread: cython.ulonglong = 0x9E3779B97F4A7C15
    keys: KeyBuffer = memoryview(np.zeros(items, np.uint64))  # of the texts of each item and their fields
    slot: cython.ulonglong = 0
    for c in range(len(field)):
        if length[c] > 0:
            slot = 4 * (path[field[c]] + 1) + attribute[field[c]] + 1
            slot = (slot * spread ^ text[c]) * spread & mask
            keys[item[c]] = (keys[item[c]] + (slot ^ (slot >> 29))) & mask
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
def labels_of_columns(path: Ints, node: Ints, first: Ints, name_start: Ints, order: Ints, usual: Flags):
    """Return the first element of the path of each column, and its first usual class; -1 for none.

    path (k,): of the columns; node (e,), first (r,), usual: of `read_paths`. The class is the place among
    those of its element.
    """
    node_array, label_array = np.zeros((2, len(path)), np.int32) - 1
    element: IntBuffer = node_array
    label: IntBuffer = label_array
    for k in range(len(path)):
        if path[k] < 0:
            continue
        x = node[first[path[k]]]
        element[k] = x
        for j in range(name_start[x], name_start[x + 1]):
            if usual[name_start[x] + order[j]]:
                label[k] = order[j]
                break
    return node_array, label_array


@cython.cfunc
def read_paths(
    parent: Ints,
    tags_of_nodes: object,
    bits: Ints,
    sibling: Ints,
    start: Longs,
    stop: Longs,
    named: tuple,
    whole: cython.bint,
    least: cython.double,
    most: cython.int,
):
    """Return the places of the items, their paths, and which classes are usual.

    start, stop (i,): of the items; named: the first four of names of `read_records`; whole: whether each
    item is an element; least: items that must have a class for it to be usual; most: places of siblings that
    are distinguished, ten times as many of cells.

    Returns the places: node, item, above, path (e,) int32. above is the place of the parent within the item;
    the path of a text is that of its parent; -1 for none. The paths: up, first, kind, number (r,) int32, the
    one that is shorter by a step, its first place, the kind of its last step, and its number among the
    elements outside of others or its place among siblings, from 1; marked (r,) uint8: whether the texts of
    its elements are a field, even within a line; inside (r,) int32: the bits of all tags of the path, without
    that of an item. usual (w,) uint8: whether each class is usual.
    """
    CELL, JOINED, MARKED, TOP, CLASSED, PLACED = 1, 2, 4, 0, 1, 2  # as those of the module
    HEADING, TERM = 64, 1024
    items: cython.Py_ssize_t = len(start)
    tag: Ints = memoryview(tags_of_nodes)
    name_start: Ints = named[0]
    keys: Keys = memoryview(named[1])
    name: Ints = named[2]
    last: IntBuffer = np.zeros(named[3], np.int32)
    count: IntBuffer = np.zeros(named[3], np.int32)
    usual_array = np.zeros(len(name), np.uint8)
    usual: cython.uchar[::1] = usual_array
    e: cython.Py_ssize_t = 0
    for i in range(items):
        e += stop[i] - start[i]
        for x in range(start[i], stop[i]):
            for j in range(name_start[x], name_start[x + 1]):
                if last[name[j]] != i + 1:
                    last[name[j]] = i + 1
                    count[name[j]] += 1
    node_array, item_array, above_array = np.empty((3, e), np.int32)
    node: IntBuffer = node_array
    item: IntBuffer = item_array
    above: IntBuffer = above_array
    group_array = np.zeros(e, np.uint64)  # of the usual classes of each place; 0 for none
    group: KeyBuffer = memoryview(group_array)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    p: cython.Py_ssize_t = 0
    for i in range(items):
        shift: cython.Py_ssize_t = start[i] - p
        for x in range(start[i], stop[i]):
            node[p] = x
            item[p] = i
            above[p] = parent[x] - shift if parent[x] >= start[i] else -1
            for j in range(name_start[x], name_start[x + 1]):
                if count[name[j]] >= least:
                    usual[j] = 1
                    group[p] = (group[p] + keys[j]) & mask
            p += 1
    step_array = np.zeros(e, np.uint64)
    step: KeyBuffer = memoryview(step_array)
    kinds_array, numbers_array = np.zeros((2, e), np.int32)
    kinds: IntBuffer = kinds_array
    numbers: IntBuffer = memoryview(numbers_array)
    tags: cython.ulonglong = len(bits)
    code: cython.ulonglong = 0
    spread: cython.ulonglong = 0x9E3779B97F4A7C15
    tops: cython.int = 0
    for p in range(e):
        x = node[p]
        if p == 0 or item[p] != item[p - 1]:
            tops = 0
        if tag[x] == 0:
            continue
        if above[p] < 0:
            tops += 1
            kinds[p] = TOP
            numbers[p] = tops
            code = numbers[p] * tags + (0 if whole else tag[x])
        elif bits[tag[x]] & JOINED or (group[p] and not bits[tag[x]] & CELL):
            kinds[p] = CLASSED
            # The sum of random numbers is another one for each set of classes.
            step[p] = (group[p] + (tag[x] + 1) * spread) & mask
            continue
        else:
            kinds[p] = PLACED
            numbers[p] = min(sibling[x] + 1, 10 * most if bits[tag[x]] & CELL else most)
            code = numbers[p] * tags + tag[x]
        step[p] = code * 2 + (kinds[p] == PLACED)
    path_array, up_array, first_array, _, _ = merge_paths(above_array, step_array)
    first: Ints = first_array
    up: Ints = up_array
    marked: cython.uchar[::1] = np.zeros(len(first_array), np.uint8)
    inside: cython.int[::1] = np.zeros(len(first_array), np.int32)
    for r in range(len(first)):
        p = first[r]
        inside[r] = inside[up[r]] if up[r] >= 0 else 0
        if kinds[p] == TOP and whole:
            continue
        inside[r] |= bits[tag[node[p]]]
        if kinds[p] == TOP and bits[tag[node[p]]] & TERM:
            inside[r] |= HEADING
        marked[r] = bits[tag[node[p]]] & MARKED or (kinds[p] == CLASSED and group[p] != 0)
    return (
        (node_array, item_array, above_array, path_array),
        (up_array, first_array, kinds_array[first_array], numbers_array[first_array]),
        (np.asarray(marked), np.asarray(inside)),
        usual_array,
    )


def attributes_of_items(
    tag: Ints, bits: Ints, visible: Flags, lists: tuple, attr_start: Ints, attr_name: Ints, kinds: Ints
):
    """Return the attributes (k,) int32 whose values are cells, list by list.

    lists: as in `read_records`; attr_start, attr_name: of the Dom; kinds: `HREF`, `SRC` or `DATETIME` by the
    number of the name of an attribute, 0 for others.

    Returns attribute, place, kind (k,) int32; first (l + 1,) int32: list j has first[j]:first[j + 1].
    """
    TEXT = 0  # as that of the module
    start: Longs = lists[0]
    stop: Longs = lists[1]
    offset: Longs = lists[2]
    size: cython.Py_ssize_t = 0
    for i in range(len(start)):
        size += stop[i] - start[i]
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
                if wanted != TEXT and visible[x]:
                    for j in range(attr_start[x], attr_start[x + 1]):
                        if kinds[attr_name[j]] == wanted:
                            attribute[k] = j
                            place[k] = p
                            kind[k] = wanted
                            k += 1
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
def find_pieces(
    tag: Ints,
    bits: Ints,
    visible: Flags,
    text_start: Ints,
    characters: object,
    classes: Flags,
    places: tuple,
    marked: Flags,
    value_start: Ints,
    value_place: Ints,
):
    """Return the fields and the cells of the items, and the pieces of text of the cells.

    characters, classes: of `read_records`; value k of the place value_place[k], ascending, is
    characters[value_start[k]:value_start[k + 1]]; places, marked: of `read_paths`.

    A cell has the first value of an attribute in an item, or all pieces of its texts; a piece without
    characters is a space. Fields are in the order of their first pieces, and so are cells.

    Returns path, attribute (f,) int32 of the fields; field, item (c,) int32 of the cells; cell, begin, end
    (v,) int32, apart (v,) uint8 of the pieces: ``characters[begin:end]``, and whether a space is
    between a piece and the one before it.
    """
    SEPARATE, IN_LINE, SILENT, ALPHANUMERIC, TEXT, LEVELS = 8, 16, 32, 2, 0, 64  # as those of the module
    node: Ints = places[0]
    item: Ints = places[1]
    above: Ints = places[2]
    path: Ints = places[3]
    codes: Codes = memoryview(characters)
    e: cython.Py_ssize_t = len(node)
    # The block that each place belongs to, and the marked elements between the two.
    block: IntBuffer = np.empty(e, np.int32)
    inner: IntBuffer = np.empty(e, np.int32)  # the innermost marked element, the place itself included
    depth: IntBuffer = np.zeros(e, np.int32)  # number of the marked elements
    most: cython.Py_ssize_t = len(value_place)
    for p in range(e):
        a = above[p]
        t = tag[node[p]]
        if t != 0 and (a < 0 or not bits[t] & IN_LINE):
            block[p] = p
            inner[p] = -1
        else:
            block[p] = block[a] if a >= 0 else -1
            inner[p] = inner[a] if a >= 0 else -1
            depth[p] = depth[a] if a >= 0 else 0
            if t != 0 and marked[path[p]]:
                inner[p] = p
                depth[p] += 1
        if t == 0 or bits[t] & SEPARATE:
            most += 1 + (min(depth[a], LEVELS) if a >= 0 else 0)
    field_array, cell_array = np.empty((2, 2, most), np.int32)
    piece_array = np.empty((3, most), np.int32)
    field_path: IntBuffer = field_array[0]
    field_attribute: IntBuffer = field_array[1]
    cell_field: IntBuffer = cell_array[0]
    cell_item: IntBuffer = cell_array[1]
    piece_cell: IntBuffer = piece_array[0]
    piece_begin: IntBuffer = piece_array[1]
    piece_end: IntBuffer = piece_array[2]
    apart: cython.uchar[::1] = np.zeros(most, np.uint8)
    field_of: IntBuffer = np.zeros(4 * (len(marked) + 1), np.int32) - 1  # of each path and attribute
    last_cell: IntBuffer = np.empty(most, np.int32)  # of each field
    last_place: IntBuffer = np.empty(most, np.int32)  # of each cell
    last_piece: IntBuffer = np.empty(most, np.int32)
    chain: IntBuffer = np.empty(LEVELS + 1, np.int32)  # the paths that a piece belongs to, from inside
    fields: cython.Py_ssize_t = 0
    cells: cython.Py_ssize_t = 0
    pieces: cython.Py_ssize_t = 0
    value: cython.Py_ssize_t = 0
    for p in range(e):
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
        elif visible[x] and value_of(bits[t]) != TEXT:
            if value == len(value_place) or value_place[value] != p:
                continue
            begin = value_start[value]
            end = value_start[value + 1]
            value += 1
            if begin == end:
                continue
            attribute = value_of(bits[t])
            chain[0] = path[p]
            size = 1
        elif not bits[t] & SEPARATE:
            continue
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
            slot = 4 * (chain[level] + 1) + attribute
            if field_of[slot] < 0:
                field_of[slot] = fields
                field_path[fields] = chain[level]
                field_attribute[fields] = attribute
                last_cell[fields] = -1
                fields += 1
            field = field_of[slot]
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
    return (
        (field_array[0, :fields], field_array[1, :fields]),
        (cell_array[0, :cells], cell_array[1, :cells]),
        (*[row[:pieces] for row in piece_array], np.asarray(apart)[:pieces]),
    )


@cython.cfunc
def class_of(code: cython.uint, classes: Flags) -> cython.int:
    """Return the bits of a character; classes (c,) uint8: by code point, the last for all others."""
    return classes[min(code, len(classes) - 1)]


@cython.cfunc
def read_texts(cells: cython.Py_ssize_t, characters: object, classes: Flags, pieces: tuple):
    """Return the texts of the cells: those of their pieces, with white space collapsed.

    characters, classes: as in `find_pieces`; pieces: of `find_pieces`.

    Returns key (c,) uint64 of each text; length, begin, end (c,) int32: it is characters[begin:end] unless it
    is joined; bits (c,) uint8: `SPACE` if it is joined, `LETTER` if two letters are side by side, `DIGIT` if
    it has a digit.
    """
    SPACE, LETTER, DIGIT = 1, 4, 8  # as those of the module
    piece_cell: Ints = pieces[0]
    piece_begin: Ints = pieces[1]
    piece_end: Ints = pieces[2]
    apart: Flags = pieces[3]
    codes: Codes = memoryview(characters)
    key_array = np.zeros(cells, np.uint64)
    key: KeyBuffer = memoryview(key_array)
    text_array = np.zeros((3, cells), np.int32)
    length: IntBuffer = text_array[0]
    begin: IntBuffer = text_array[1]
    end: IntBuffer = text_array[2]
    bits: cython.uchar[::1] = np.zeros(cells, np.uint8)
    waiting: cython.uchar[::1] = np.zeros(cells, np.uint8)  # a space before the next character
    after_letter: cython.uchar[::1] = np.zeros(cells, np.uint8)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    total: cython.ulonglong = 0
    for v in range(len(piece_cell)):
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
    return key_array, text_array[0], text_array[1], text_array[2], np.asarray(bits)
