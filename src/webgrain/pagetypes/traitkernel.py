# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The traits of a page in one pass over its paths and texts, as sorted keys of each family.

A page has n nodes with r distinct paths and t tags; families are numbered as in `TRAIT_FAMILIES` of
`webgrain.pagetypes.traits`.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bytes = cython.typedef(cython.const[cython.uchar][::1])
ByteBuffer = cython.typedef(cython.uchar[::1])
Codes = cython.typedef(cython.const[cython.uint][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
LongTable = cython.typedef(cython.longlong[:, ::1])

LINK, HIDDEN, MENU, PARAGRAPH = 1, 2, 4, 8
"""Bits of the tags that change what the texts below them are."""
SPACE, DIGIT = 1, 2
"""Types of characters."""


def page_traits(paths, tags, texts, names, words, limits):
    """Return the traits of a page and numbers that describe it.

    paths: of (n,), up, first, count (r,) int32, as in a path table; key (r,) uint64 of the tags of each path.
    tags: tag (n,) int32; key (t,) uint64 and bits (t,) uint8 of each tag. texts: code points (c,) uint32; the
    lower case (l,) uint32 of the first characters, others have none; start (n + 1,) int32 of the text of each
    node; type (k,) uint8 of each character, the last one for all others. names (r + 2 m,) uint64: of each
    path, the number of its names, and the keys of each of these names, without and with the tag. words: key
    (w,) uint64 and family (w,) uint8 of each word. limits: the least characters of prose, the most of a
    label, the share of the prose in the main region, the share of links in a menu, and the depth of the names
    of the root.

    Returns the keys (k,) uint64 and the start (f + 1,) int32 of each of the f families in them; the number of
    visible elements (t,) int64 of each tag, -1 for a tag that is not there; the numbers of characters of all
    texts, of those in links, and of prose; the main region, a path, -1 for none.
    """
    of: Ints = paths[0]
    up: Ints = paths[1]
    count: Ints = paths[3]
    path_key: Keys = memoryview(paths[4])
    tag: Ints = tags[0]
    tag_key: Keys = memoryview(tags[1])
    bits: Bytes = tags[2]
    name: Keys = memoryview(names)
    word_key: Keys = memoryview(words[0])
    word_family: Bytes = words[1]
    r: cython.Py_ssize_t = len(up)
    size: cython.Py_ssize_t = 3 * r + 3 * len(name) + len(tag) + len(word_key)
    keys: KeyBuffer = memoryview(np.empty(size, np.uint64))
    family: ByteBuffer = np.empty(size, np.uint8)
    tag_of_path: IntBuffer = tags[0][paths[2]]
    state: ByteBuffer = np.empty(r, np.uint8)
    place: ByteBuffer = np.zeros(r, np.uint8)
    sums_array = np.zeros((3, r), np.int64)
    sums: LongTable = sums_array
    for i in range(r):
        above = state[up[i]] if up[i] >= 0 else 0
        state[i] = (above | bits[tag_of_path[i]]) & 3
    k = add_labels(keys, family, of, tag, tag_of_path, tag_key, state, sums, texts, limits)
    characters = sums_array.sum(axis=1).tolist()
    region = find_places(place, up, tag_of_path, bits, sums_array.copy(), limits[2], limits[3])
    k = add_paths(keys, family, k, path_key, count, state, place)
    k = add_names(keys, family, k, up, path_key, state, place, name, limits[4])
    for w in range(len(word_key)):
        keys[k] = word_key[w]
        family[k] = word_family[w]
        k += 1
    elements_array = np.empty(len(tag_key), np.int64)
    elements_array.fill(-1)
    count_elements(elements_array, tag, tag_of_path, count, state)
    key_array, start = sorted_families(keys, family, k)
    return key_array, start, elements_array, characters, region


@cython.cfunc
@cython.locals(key=cython.ulonglong, mask=cython.ulonglong, seed=cython.ulonglong)
def add_labels(
    keys: KeyBuffer,
    family: ByteBuffer,
    of: Ints,
    tag: Ints,
    tag_of_path: IntBuffer,
    tag_key: Keys,
    state: ByteBuffer,
    sums: LongTable,
    texts,
    limits,
) -> cython.Py_ssize_t:
    """Add the short texts to the traits; sum the characters of the texts of each path."""
    LABELS, LINK_LABELS = 10, 11
    ALL, LINKED, PROSE = 0, 1, 2
    code: Codes = memoryview(texts[0])
    lower: Codes = memoryview(texts[1])
    start: Ints = texts[2]
    types: Bytes = texts[3]
    prose_least: cython.Py_ssize_t = limits[0]
    label_most: cython.Py_ssize_t = limits[1]
    last_type: cython.uint = len(types) - 1
    mask = 0xFFFFFFFFFFFFFFFF
    seed = 1469598103934665603
    k: cython.Py_ssize_t = 0
    for node in range(len(tag)):
        if tag[node] != 0 or of[node] < 0 or state[of[node]] & 2:
            continue
        path = of[node]
        low: cython.Py_ssize_t = start[node]
        high: cython.Py_ssize_t = start[node + 1]
        while low < high and types[min(code[low], last_type)] == 1:
            low += 1
        while high > low and types[min(code[high - 1], last_type)] == 1:
            high -= 1
        length = high - low
        if length == 0:
            continue
        linked = state[path] & 1
        sums[ALL, path] += length
        if linked:
            sums[LINKED, path] += length
        if length >= prose_least:
            sums[PROSE, path] += length
        if length > label_most:
            continue
        after_digit = low > 0 and types[min(code[low - 1], last_type)] == 2
        key = seed
        filled = False
        for j in range(low, high):
            character = code[j]
            type_ = types[min(character, last_type)]
            if type_ == 2:
                character = 48
            elif character < len(lower):
                character = lower[character]
            if type_ == 0 or (type_ == 2 and not after_digit):
                key = ((key ^ character) * 1597334677) & mask
                filled = True
            after_digit = type_ == 2
        keys[k] = mixed(tag_key[tag_of_path[path]], key if filled else 0)
        family[k] = LINK_LABELS if linked else LABELS
        k += 1
    return k


@cython.cfunc
def find_places(
    place: ByteBuffer,
    up: Ints,
    tag: IntBuffer,
    bits: Bytes,
    total: LongTable,
    prose_share: cython.double,
    link_share: cython.double,
) -> cython.Py_ssize_t:
    """Write the part of the page that each path is in; return the main region, a path, -1 for none.

    The main region is the deepest path with most of the long texts below it, not inside a paragraph. total
    (3, r): the characters of the texts of each path; afterwards also of those below it.
    """
    ALL, LINKED, PROSE = 0, 1, 2
    MENU_PART, PROSE_PART = 1, 2
    r: cython.Py_ssize_t = len(up)
    for i in range(r - 1, 0, -1):
        if up[i] >= 0:
            for row in range(3):
                total[row, up[i]] += total[row, i]
    region: cython.Py_ssize_t = -1
    for i in range(r):
        is_next = i == 0 or up[i] == region
        has_most = total[PROSE, i] > 0 and total[PROSE, i] >= prose_share * total[PROSE, 0]
        if is_next and has_most and not bits[tag[i]] & 8:
            region = i
    is_menu: ByteBuffer = np.zeros(r, np.uint8)
    for i in range(r):
        p = up[i]
        dense = total[ALL, i] > 0 and total[ALL, i] * link_share < total[LINKED, i]
        is_menu[i] = dense or bits[tag[i]] & 4 != 0
        if p < 0:
            continue
        if (region > 0 and p == region) or place[p] == PROSE_PART:
            place[i] = PROSE_PART
        elif is_menu[p]:
            place[i] = MENU_PART
        is_menu[i] |= is_menu[p]
    return region


@cython.cfunc
def add_paths(
    keys: KeyBuffer,
    family: ByteBuffer,
    k: cython.Py_ssize_t,
    path_key: Keys,
    count: Ints,
    state: ByteBuffer,
    place: ByteBuffer,
) -> cython.Py_ssize_t:
    """Add the paths of tags in each part of the page, and whether those of the frame occur once or more."""
    FRAME_TAGS, FRAME_COUNTS, MENU_TAGS, PROSE_TAGS = 0, 2, 3, 5
    for i in range(len(path_key)):
        if state[i] & 2:
            continue
        keys[k] = path_key[i]
        family[k] = FRAME_TAGS if place[i] == 0 else MENU_TAGS if place[i] == 1 else PROSE_TAGS
        k += 1
        if place[i] == 0:
            keys[k] = mixed(path_key[i], 1 if count[i] == 1 else 2)
            family[k] = FRAME_COUNTS
            k += 1
    return k


@cython.cfunc
def add_names(
    keys: KeyBuffer,
    family: ByteBuffer,
    k: cython.Py_ssize_t,
    up: Ints,
    path_key: Keys,
    state: ByteBuffer,
    place: ByteBuffer,
    name: Keys,
    root_depth: cython.int,
) -> cython.Py_ssize_t:
    """Add the classes and ids: on their paths in each part of the page, and with their tags."""
    FRAME_NAMES, MENU_NAMES, PROSE_NAMES, NAMES, NAMES_IN_FRAME, ROOT_NAMES = 1, 4, 6, 7, 8, 9
    depth: IntBuffer = np.zeros(len(up), np.int32)
    at: cython.Py_ssize_t = 0
    for i in range(len(up)):
        if up[i] >= 0:
            depth[i] = depth[up[i]] + 1
        end: cython.Py_ssize_t = at + 1 + 2 * name[at]
        for m in range(at + 1, end if not state[i] & 2 else at + 1, 2):
            keys[k] = mixed(path_key[i], name[m])
            family[k] = FRAME_NAMES if place[i] == 0 else MENU_NAMES if place[i] == 1 else PROSE_NAMES
            keys[k + 1] = name[m + 1]
            family[k + 1] = NAMES
            k += 2
            if place[i] == 0:
                keys[k] = name[m + 1]
                family[k] = NAMES_IN_FRAME
                k += 1
            if depth[i] <= root_depth:
                keys[k] = name[m + 1]
                family[k] = ROOT_NAMES
                k += 1
        at = end
    return k


@cython.cfunc
def count_elements(out: LongBuffer, tag: Ints, tag_of_path: IntBuffer, count: Ints, state: ByteBuffer):
    """Write the number of visible elements of each tag; a tag that is not there keeps its value."""
    for node in range(len(tag)):
        if tag[node] == 0:
            out[0] = 0
            break
    for i in range(len(tag_of_path)):
        out[tag_of_path[i]] = max(out[tag_of_path[i]], 0)
        if not state[i] & 2:
            out[tag_of_path[i]] += count[i]


@cython.cfunc
def sorted_families(key: KeyBuffer, family: ByteBuffer, k: cython.Py_ssize_t):
    """Return the distinct keys by family and value, and the start of each family; k: number of keys."""
    FAMILIES = 17
    start: IntBuffer = np.zeros(FAMILIES + 1, np.int32)
    place: IntBuffer = np.zeros(FAMILIES + 1, np.int32)
    out_array = np.empty(k, np.uint64)
    out: KeyBuffer = memoryview(out_array)
    other: KeyBuffer = memoryview(np.empty(k, np.uint64))
    count: IntBuffer = memoryview(np.empty(256, np.int32))
    for i in range(k):
        place[family[i] + 1] += 1
    for f in range(FAMILIES):
        place[f + 1] += place[f]
    for i in range(k):
        out[place[family[i]]] = key[i]
        place[family[i]] += 1
    # Now each family ends where the next one began.
    low: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    for f in range(FAMILIES):
        high: cython.Py_ssize_t = place[f]
        sort(out, other, count, low, high)
        start[f] = size
        for i in range(low, high):
            if i == low or out[i] != out[size - 1]:
                out[size] = out[i]
                size += 1
        low = high
    start[FAMILIES] = size
    return out_array[:size].copy(), np.asarray(start)


def chosen_attributes(attr_start: Ints, attr_name: Ints, tag: Ints, name_bits: Bytes, tag_bits: Bytes):
    """Return the attributes whose name has a bit that the tag of their element has, too.

    attr_start (n + 1,), attr_name (m,), tag (n,) int32: as in a `Dom`. name_bits, tag_bits (uint8): of each
    name and each tag; four bits are used.

    Returns the attributes and their nodes (2, k) int32 by bit, and the start (5,) int32 of each bit.
    """
    BITS = 4
    rows_array = np.empty((2, BITS * len(attr_name)), np.int32)
    rows: cython.int[:, ::1] = rows_array
    begin = np.zeros(BITS + 1, np.int32)
    start: IntBuffer = begin
    k: cython.Py_ssize_t = 0
    for bit in range(BITS):
        for node in range(len(tag)):
            if not tag_bits[tag[node]] >> bit & 1:
                continue
            for attribute in range(attr_start[node], attr_start[node + 1]):
                if name_bits[attr_name[attribute]] >> bit & 1:
                    rows[0, k] = attribute
                    rows[1, k] = node
                    k += 1
        start[bit + 1] = k
    return rows_array[:, :k], begin


def snippets(
    nodes, codes: object, types: Bytes, silent: Bytes, first: Ints, most: cython.int, read: cython.int
):
    """Return the texts of a page with single spaces, and where the text of each of several elements is.

    nodes: parent, end, tag (n,) and start (n + 1,) int32. codes (c,) uint32; types (k,) uint8: as in
    `page_traits`. silent (t,) uint8: the tags of elements without text. first (r,) int32: the elements. most:
    characters of a text; read: characters that are read of a text node.

    Returns texts (d,) uint32 and span (2, r) int32, the start and the end of each text in them.
    """
    parents, ends, tags, starts = nodes
    parent: Ints = parents
    end: Ints = ends
    tag: Ints = tags
    start: Ints = starts
    code: Codes = memoryview(codes)
    n: cython.Py_ssize_t = len(parent)
    last_type: cython.uint = len(types) - 1
    inside: ByteBuffer = np.zeros(n, np.uint8)
    at: cython.int[::1] = np.zeros(n + 1, np.int32)
    text_array = np.empty(len(code) + n, np.uint32)
    text: cython.uint[::1] = memoryview(text_array)
    size: cython.Py_ssize_t = 0
    for i in range(n):
        at[i] = size
        p = parent[i]
        if p >= 0 and (inside[p] or silent[tag[p]]):
            inside[i] = 1
        if tag[i] != 0 or inside[i]:
            continue
        spaced = False
        for j in range(start[i], min(start[i + 1], start[i] + read)):
            if types[min(code[j], last_type)] == 1:
                spaced = True
                continue
            if spaced and size > at[i]:
                text[size] = 32
                size += 1
            spaced = False
            text[size] = code[j]
            size += 1
        if size > at[i]:
            text[size] = 32
            size += 1
    at[n] = size
    span: cython.int[:, ::1] = np.zeros((2, len(first)), np.int32)
    for i in range(len(first)):
        begin = at[first[i]]
        span[0, i] = begin
        span[1, i] = max(begin, min(at[end[first[i]]] - 1, begin + most))
    return text_array[:size], np.asarray(span)


def present_shares(place: Ints, member: cython.const[cython.int][:, ::1], known: cython.Py_ssize_t):
    """Return the share (c,) float64 of the members of each of several groups that a page has.

    place (k,) int32: of each key of the page among the known keys, -1 for none. member (c, m) int32: the
    places of the members of each group, -1 after the last one.
    """
    out: cython.double[::1] = np.zeros(member.shape[0], np.float64)
    on_page: ByteBuffer = np.zeros(known, np.uint8)
    for i in range(len(place)):
        if place[i] >= 0:
            on_page[place[i]] = 1
    for c in range(member.shape[0]):
        count: cython.double = 0
        size: cython.double = 0
        for m in range(member.shape[1]):
            if member[c, m] >= 0:
                size += 1
                count += on_page[member[c, m]]
        out[c] = count / max(size, 1.0)
    return np.asarray(out)


@cython.cfunc
def sort(
    keys: KeyBuffer, other: KeyBuffer, count: IntBuffer, low: cython.Py_ssize_t, high: cython.Py_ssize_t
):
    """Sort ``keys[low:high]``; other: as long; count (256,): working memory.

    The keys are divided by their first bytes. Few usually have the same one, then the rest is sorted by
    insertion; otherwise by merging, which takes no longer for keys in a bad order.
    """
    RUN = 8
    most: cython.int = high - low
    if high - low > RUN:
        for byte in range(256):
            count[byte] = 0
        for i in range(low, high):
            count[keys[i] >> 56] += 1
        place: cython.int = low
        most = 0
        for byte in range(256):
            size = count[byte]
            count[byte] = place
            place += size
            most = max(most, size)
        for i in range(low, high):
            byte = keys[i] >> 56
            other[count[byte]] = keys[i]
            count[byte] += 1
        for i in range(low, high):
            keys[i] = other[i]
    if most <= RUN:
        insert(keys, low, high)
    else:
        merge(keys, other, low, high, RUN)


@cython.cfunc
def insert(keys: KeyBuffer, low: cython.Py_ssize_t, high: cython.Py_ssize_t):
    """Sort keys that are near their places."""
    for i in range(low + 1, high):
        key: cython.ulonglong = keys[i]
        j = i
        while j > low and keys[j - 1] > key:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = key


@cython.cfunc
def merge(
    keys: KeyBuffer,
    other: KeyBuffer,
    low: cython.Py_ssize_t,
    high: cython.Py_ssize_t,
    width: cython.Py_ssize_t,
):
    """Sort keys by merging runs, of some width at first."""
    for begin in range(low, high, width):
        insert(keys, begin, min(begin + width, high))
    while width < high - low:
        for begin in range(low, high, 2 * width):
            middle = min(begin + width, high)
            end = min(begin + 2 * width, high)
            a = begin
            b = middle
            for k in range(begin, end):
                if a < middle and (b >= end or keys[a] <= keys[b]):
                    other[k] = keys[a]
                    a += 1
                else:
                    other[k] = keys[b]
                    b += 1
        for k in range(low, high):
            keys[k] = other[k]
        width *= 2


@cython.cfunc
def mixed(key: cython.ulonglong, other: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a thing below another one, from the keys of both."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    key = ((key ^ (key >> 31)) * factor + other) & mask
    return key ^ (key >> 29)
