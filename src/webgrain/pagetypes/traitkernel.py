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
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
LongTable = cython.typedef(cython.longlong[:, ::1])

LINK, HIDDEN, MENU, PARAGRAPH = 1, 2, 4, 8
"""Bits of the tags that change what the texts below them are."""
SPACE, DIGIT = 1, 2
"""Types of characters."""
FAMILIES = 17


def page_traits(paths, tags, texts, names, words, limits):
    """Return the traits of a page and numbers that describe it.

    paths: of (n,), up, first, count (r,) int32, as in a path table; key (r,) uint64 of the tags of each path.
    tags: tag (n,) int32; key (t,) uint64 and bits (t,) uint8 of each tag. texts: code points (c,) uint32;
    start (n + 1,) int32 of the text of each node; type (k,) uint8 of each character, the last one for all
    others. names: number (r,) int32 of the names of each path; keys (m, 2) uint64 of these names, without and
    with the tag. words: key (w,) uint64 and family (w,) uint8 of each word. limits: the least characters of
    prose, the most of a label, the share of the prose in the main region, the share of links in a menu, and
    the depth of the names of the root.

    Returns the keys (k,) uint64 and the start (f + 1,) int32 of each of the f families in them; the number of
    visible elements (t,) int64 of each tag, -1 for a tag that is not there; the numbers of characters of all
    texts, of those in links, and of prose; the main region, a path, -1 for none.
    """
    of, up, first, count, path_key = paths
    tag, tag_key, tag_bits = tags
    name_count, name_key = names
    word_key, word_family = words
    prose_least, label_most, prose_share, link_share, root_depth = limits
    tag_of_path = tag[first]
    state = states(up, tag_of_path, tag_bits)
    sums = np.zeros((3, len(up)), np.int64)
    size = 3 * len(up) + 5 * len(name_key) + len(tag) + len(word_key)
    keys, family = np.empty(size, np.uint64), np.empty(size, np.uint8)
    k = add_labels(
        keys, family, (of, tag, tag_of_path), tag_key, texts, state, sums, (prose_least, label_most)
    )
    total = sums.sum(axis=1).tolist()
    region, place = places(up, tag_of_path, tag_bits, sums, prose_share, link_share)
    k = add_paths(keys, family, k, path_key, count, state, place)
    k = add_names(keys, family, k, (up, path_key, state, place), name_count, name_key, root_depth)
    k = add_words(keys, family, k, word_key, word_family)
    elements = elements_by_tag(tag, tag_of_path, count, state, len(tag_key))
    return *sorted_families(keys[:k], family), elements, total, region


def chosen_attributes(attr_start: Ints, attr_name: Ints, tag: Ints, name_bits: Bytes, tag_bits: Bytes):
    """Return the attributes whose name has a bit that the tag of their element has, too.

    attr_start (n + 1,), attr_name (m,), tag (n,) int32: as in a `Dom`. name_bits, tag_bits (uint8): of each
    name and each tag; four bits are used.

    Returns the attribute, its node and the number of the bit, each (k,) int32.
    """
    BITS = 4
    rows_array = np.empty((3, BITS * len(attr_name)), np.int32)
    rows: cython.int[:, ::1] = rows_array
    k: cython.Py_ssize_t = 0
    for node in range(len(tag)):
        for attribute in range(attr_start[node], attr_start[node + 1]):
            both = name_bits[attr_name[attribute]] & tag_bits[tag[node]]
            for bit in range(BITS if both else 0):
                if both >> bit & 1:
                    rows[0, k] = attribute
                    rows[1, k] = node
                    rows[2, k] = bit
                    k += 1
    return rows_array[:, :k]


def states(up: Ints, tag: Ints, bits: Bytes):
    """Return (r,) uint8, the bits LINK and HIDDEN of each path and of the paths above it."""
    r: cython.Py_ssize_t = len(up)
    out: ByteBuffer = np.zeros(r, np.uint8)
    for i in range(r):
        above = out[up[i]] if up[i] >= 0 else 0
        out[i] = (above | bits[tag[i]]) & 3
    return np.asarray(out)


@cython.locals(key=cython.ulonglong, mask=cython.ulonglong, seed=cython.ulonglong)
def add_labels(
    keys: KeyBuffer, family: ByteBuffer, nodes, tag_keys: object, texts, state: Bytes, sums: LongTable, limits
):
    """Add the short texts to the traits; sum the characters of the texts of each path."""
    LABELS, LINK_LABELS = 10, 11
    ALL, LINKED, PROSE = 0, 1, 2
    of: Ints = nodes[0]
    tag: Ints = nodes[1]
    tag_of_path: Ints = nodes[2]
    tag_key: Keys = memoryview(tag_keys)
    code: Codes = memoryview(texts[0])
    start: Ints = texts[1]
    types: Bytes = texts[2]
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
            if type_ == 2 and not after_digit:
                character = 48
            if type_ == 0 or (type_ == 2 and not after_digit):
                key = ((key ^ character) * 1597334677) & mask
                filled = True
            after_digit = type_ == 2
        keys[k] = mixed(tag_key[tag_of_path[path]], key if filled else 0)
        family[k] = LINK_LABELS if linked else LABELS
        k += 1
    return k


def places(
    up: Ints, tag: Ints, bits: Bytes, sums: object, prose_share: cython.double, link_share: cython.double
):
    """Return the main region, a path, and the part of the page (r,) uint8 that each path is in.

    The main region is the deepest path with most of the long texts below it, not inside a paragraph.
    """
    ALL, LINKED, PROSE = 0, 1, 2
    MENU_PART, PROSE_PART = 1, 2
    r: cython.Py_ssize_t = len(up)
    total: LongTable = sums.copy()
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
    out: ByteBuffer = np.zeros(r, np.uint8)
    is_menu: ByteBuffer = np.zeros(r, np.uint8)
    for i in range(r):
        p = up[i]
        dense = total[ALL, i] > 0 and total[ALL, i] * link_share < total[LINKED, i]
        is_menu[i] = dense or bits[tag[i]] & 4 != 0
        if p < 0:
            continue
        if (region > 0 and p == region) or out[p] == PROSE_PART:
            out[i] = PROSE_PART
        elif is_menu[p]:
            out[i] = MENU_PART
        is_menu[i] |= is_menu[p]
    return region, np.asarray(out)


def add_paths(
    keys: KeyBuffer,
    family: ByteBuffer,
    k: cython.Py_ssize_t,
    path_keys: object,
    count: Ints,
    state: Bytes,
    place: Bytes,
):
    """Add the paths of tags in each part of the page, and whether those of the frame occur once or more."""
    FRAME_TAGS, FRAME_COUNTS, MENU_TAGS, PROSE_TAGS = 0, 2, 3, 5
    key: Keys = memoryview(path_keys)
    for i in range(len(key)):
        if state[i] & 2:
            continue
        keys[k] = key[i]
        family[k] = FRAME_TAGS if place[i] == 0 else MENU_TAGS if place[i] == 1 else PROSE_TAGS
        k += 1
        if place[i] == 0:
            keys[k] = mixed(key[i], 1 if count[i] == 1 else 2)
            family[k] = FRAME_COUNTS
            k += 1
    return k


def add_names(
    keys: KeyBuffer,
    family: ByteBuffer,
    k: cython.Py_ssize_t,
    paths,
    name_count: Ints,
    name_keys: object,
    root_depth: cython.int,
):
    """Add the classes and ids: on their paths in each part of the page, and with their tags."""
    FRAME_NAMES, MENU_NAMES, PROSE_NAMES, NAMES, NAMES_IN_FRAME, ROOT_NAMES = 1, 4, 6, 7, 8, 9
    up: Ints = paths[0]
    path_key: Keys = memoryview(paths[1])
    state: Bytes = paths[2]
    place: Bytes = paths[3]
    name: cython.const[cython.ulonglong][:, ::1] = memoryview(name_keys)
    depth: cython.int[::1] = np.zeros(len(up), np.int32)
    at: cython.Py_ssize_t = 0
    for i in range(len(up)):
        if up[i] >= 0:
            depth[i] = depth[up[i]] + 1
        for m in range(at, at + name_count[i]):
            if state[i] & 2:
                break
            keys[k] = mixed(path_key[i], name[m, 0])
            family[k] = FRAME_NAMES if place[i] == 0 else MENU_NAMES if place[i] == 1 else PROSE_NAMES
            keys[k + 1] = name[m, 1]
            family[k + 1] = NAMES
            k += 2
            if place[i] == 0:
                keys[k] = name[m, 1]
                family[k] = NAMES_IN_FRAME
                k += 1
            if depth[i] <= root_depth:
                keys[k] = name[m, 1]
                family[k] = ROOT_NAMES
                k += 1
        at += name_count[i]
    return k


def add_words(keys: KeyBuffer, family: ByteBuffer, k: cython.Py_ssize_t, word_keys: object, of_words: Bytes):
    """Add words with their families."""
    key: Keys = memoryview(word_keys)
    for w in range(len(key)):
        keys[k] = key[w]
        family[k] = of_words[w]
        k += 1
    return k


def elements_by_tag(tag: Ints, tag_of_path: Ints, count: Ints, state: Bytes, t: cython.Py_ssize_t):
    """Return the number of visible elements of each tag (t,) int64, -1 for a tag that is not there."""
    out: LongBuffer = np.full(t, -1, np.int64)
    for node in range(len(tag)):
        if tag[node] == 0:
            out[0] = 0
            break
    for i in range(len(tag_of_path)):
        out[tag_of_path[i]] = max(out[tag_of_path[i]], 0)
        if not state[i] & 2:
            out[tag_of_path[i]] += count[i]
    return np.asarray(out)


def sorted_families(keys: object, family: Bytes):
    """Return the distinct keys (k,) by family and value, and the start of each family.

    family (at least k,) uint8: of each key.
    """
    key: Keys = memoryview(keys)
    start: cython.int[::1] = np.zeros(18, np.int32)
    place: cython.int[::1] = np.zeros(18, np.int32)
    out_array = np.empty(len(key), np.uint64)
    out: KeyBuffer = memoryview(out_array)
    for i in range(len(key)):
        place[family[i] + 1] += 1
    for f in range(17):
        place[f + 1] += place[f]
    for i in range(len(key)):
        out[place[family[i]]] = key[i]
        place[family[i]] += 1
    # Now each family ends where the next one began.
    low: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    for f in range(17):
        high: cython.Py_ssize_t = place[f]
        sort(out, low, high)
        start[f] = size
        for i in range(low, high):
            if i == low or out[i] != out[size - 1]:
                out[size] = out[i]
                size += 1
        low = high
    start[17] = size
    return out_array[:size].copy(), np.asarray(start)


@cython.cfunc
def sort(keys: KeyBuffer, low: cython.Py_ssize_t, high: cython.Py_ssize_t):
    """Sort ``keys[low:high]``: heap sort, which takes no longer for keys in a bad order."""
    n = high - low
    for i in range(n // 2 - 1, -1, -1):
        sift(keys, low, i, n)
    for i in range(n - 1, 0, -1):
        largest: cython.ulonglong = keys[low]
        keys[low] = keys[low + i]
        keys[low + i] = largest
        sift(keys, low, 0, i)


@cython.cfunc
def sift(keys: KeyBuffer, low: cython.Py_ssize_t, i: cython.Py_ssize_t, n: cython.Py_ssize_t):
    """Move the key at a place of a heap of n keys down, until no key below it is larger."""
    key: cython.ulonglong = keys[low + i]
    child = 2 * i + 1
    while child < n:
        if child + 1 < n and keys[low + child + 1] > keys[low + child]:
            child += 1
        if keys[low + child] <= key:
            break
        keys[low + i] = keys[low + child]
        i = child
        child = 2 * i + 1
    keys[low + i] = key


@cython.cfunc
def mixed(key: cython.ulonglong, other: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a thing below another one, from the keys of both."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    key = ((key ^ (key >> 31)) * factor + other) & mask
    return key ^ (key >> 29)
