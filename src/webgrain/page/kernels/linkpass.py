# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Passes over the links of a page: their targets as keys of 64 bits, and their texts.

k links. keys (k, 3) uint64: of host, rest and folder of a canonical URL, as `webgrain.page.links.TargetKeys`.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyTable = cython.typedef(cython.const[cython.ulonglong][:, ::1])
KeyTableBuffer = cython.typedef(cython.ulonglong[:, ::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
LongTable = cython.typedef(cython.const[cython.longlong][:, ::1])

FROM_ROOT, RELATIVE = 2, 4
"""Keys of the hosts of links that the page decides; those of texts are odd."""


def dependent_links(keys: object, value: Ints, has_root: cython.bint):
    """Return the number (k,) int32 of each link that depends on more than the host of the page; or -1.

    Then the first link (r,) int64 with each number. value (k,): of the attributes; equal ones have equal
    numbers. has_root: whether links from the root depend on the host only.
    """
    k: cython.Py_ssize_t = len(value)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    key: KeyTable = memoryview(keys)
    row: LongBuffer = np.empty(k, np.int64)
    depending = np.empty(k, np.uint64)
    of_value: cython.ulonglong[::1] = memoryview(depending)
    size: cython.Py_ssize_t = 0
    for i in range(k):
        if key[i, 0] == 4 or (key[i, 0] == 2 and not has_root):
            row[size] = i
            of_value[size] = value[i]
            size += 1
    number_array, first, _ = numbered(depending[:size])
    number: Ints = number_array
    out: IntBuffer = np.empty(k, np.int32)
    for i in range(k):
        out[i] = -1
    for j in range(size):
        out[row[j]] = number[j]
    return np.asarray(out), np.asarray(row)[first]


def link_keys(
    keys: object,
    number: Ints,
    resolved: object,
    root: cython.ulonglong,
    node: Longs,
    tag: Ints,
    a: cython.int,
):
    """Return the keys of the target, host and folder of each link, (3, k) uint64; 0 for no page.

    keys (k, 4): also whether the value is not empty. number (k,): of `dependent_links`; resolved (r, 3): the
    keys of these. root: the key of the host of the page. Then which links (k,) bool are elements with the tag
    ``a`` and a value that is not empty; node (k,), tag (n,): the elements, and their tags.
    """
    k: cython.Py_ssize_t = len(number)
    key: KeyTable = memoryview(keys)
    of_page: KeyTable = memoryview(resolved)
    table = np.empty((3, k), np.uint64)
    out: KeyTableBuffer = memoryview(table)
    filled: cython.uchar[::1] = np.zeros(k, np.uint8)
    for i in range(k):
        filled[i] = key[i, 3] != 0 and tag[node[i]] == a
        if number[i] >= 0:
            n = number[i]
            out[0, i] = joined_key(of_page[n, 0], of_page[n, 1])
            out[1, i] = of_page[n, 0]
            out[2, i] = of_page[n, 2]
        else:
            host = root if key[i, 0] == 2 else key[i, 0]
            out[0, i] = joined_key(host, key[i, 1])
            out[1, i] = host
            out[2, i] = key[i, 2]
    return table, np.asarray(filled).view(np.bool_)


@cython.cfunc
def joined_key(host: cython.ulonglong, rest: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a URL from those of its host and of the rest; 0 for no URL."""
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    return (host * factor & mask) ^ rest


def inner_links(table: object, is_link: Flags, pages: object):
    """Return the links to other pages of the hosts of a page.

    table (3, k): of `link_keys`; is_link (k,): 1 at the links that count; pages (p, 3): the keys of the URLs
    of the page. Returns the links (l,) int64, the number (l,) int32 of the target of each, the first link
    (t,) int64 to each target, how many targets are in the folder of the page, and how many other links lead
    to a page.
    """
    k: cython.Py_ssize_t = len(is_link)
    link: KeyTable = memoryview(table)
    page: KeyTable = memoryview(pages)
    row: LongBuffer = np.empty(k, np.int64)
    targets = np.empty(k, np.uint64)
    target: cython.ulonglong[::1] = memoryview(targets)
    inner: cython.Py_ssize_t = 0
    others: cython.Py_ssize_t = 0
    for i in range(k):
        if not is_link[i]:
            continue
        if is_inner(link[0, i], link[1, i], page):
            row[inner] = i
            target[inner] = link[0, i]
            inner += 1
        elif link[0, i]:
            others += 1
    number, first_array, _ = numbered(targets[:inner])
    rows = np.asarray(row)[:inner]
    first: Longs = rows[first_array]
    beside: cython.Py_ssize_t = 0
    for j in range(len(first)):
        i: cython.Py_ssize_t = first[j]
        if link[2, i] == page[0, 2] and (page[0, 2] == 0 or link[1, i] == page[0, 0]):
            beside += 1
    return rows, number, np.asarray(first), beside, others


@cython.cfunc
def is_inner(target: cython.ulonglong, host: cython.ulonglong, page: KeyTable) -> cython.bint:
    """Whether a link leads to another page of the hosts of a page."""
    of_host: cython.bint = False
    for p in range(page.shape[0]):
        if host == page[p, 0]:
            of_host = True
    return of_host and is_other(target, page)


@cython.cfunc
def is_other(target: cython.ulonglong, page: KeyTable) -> cython.bint:
    """Whether no URL of a page is the target."""
    other: cython.bint = True
    for p in range(page.shape[0]):
        if target == joined_key(page[p, 0], page[p, 1]):
            other = False
    return other


def number_targets(
    table: object,
    node: Longs,
    is_link: Flags,
    anchors: Longs,
    pages: object,
    host: cython.ulonglong,
    nodes: cython.Py_ssize_t,
):
    """Return number (n,) int64 and external (n,) bool as `webgrain.page.links.Targets`.

    node, is_link (k,): the nodes of the links, and which of them count; anchors (a,): the visible links.
    pages (p, 3): the keys of the URLs of the page, none if no link leads to a page of its host; host: the key
    of the host.
    """
    link: KeyTable = memoryview(table)
    page: KeyTable = memoryview(pages)
    row: IntBuffer = np.zeros(nodes, np.int32)  # from 1
    target_array = np.zeros(len(anchors), np.uint64)
    target: cython.ulonglong[::1] = memoryview(target_array)
    number: LongBuffer = np.zeros(nodes, np.int64)
    external: cython.uchar[::1] = np.zeros(nodes, np.uint8)
    for i in range(len(node)):
        if is_link[i]:
            row[node[i]] = i + 1
    for j in range(len(anchors)):
        if row[anchors[j]] > 0:
            target[j] = link[0, row[anchors[j]] - 1]
    number_array, _, _ = numbered(target_array)
    of_target: Ints = number_array
    for j in range(len(anchors)):
        if target[j] == 0:
            continue
        if link[1, row[anchors[j]] - 1] != host:
            external[anchors[j]] = 1
        elif is_other(target[j], page):
            number[anchors[j]] = of_target[j] + 1
    return np.asarray(number), np.asarray(external).view(np.bool_)


@cython.locals(code=cython.ulonglong, host=cython.ulonglong, rest=cython.ulonglong, folder=cython.ulonglong)
def url_keys(codes: object, stop: Longs):
    """Return the keys (r, 3) uint64 of canonical URLs, as `webgrain.page.links.TargetKeys`.

    codes (c,) uint32: the characters of all; stop (r,): the end of each.
    """
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    prime: cython.ulonglong = 0x100000001B3
    seed: cython.ulonglong = 0xCBF29CE484222325
    text: Codes = memoryview(codes)
    keys = np.zeros((len(stop), 3), np.uint64)
    out: KeyTableBuffer = memoryview(keys)
    start: cython.Py_ssize_t = 0
    for i in range(len(stop)):
        j: cython.Py_ssize_t = start
        host = seed
        while j < stop[i] and text[j] != 47:
            host = (host ^ text[j]) * prime & mask
            j += 1
        rest = seed
        folder = 0
        in_path: cython.bint = True
        while j < stop[i]:
            code = text[j]
            if code == 63:
                in_path = False
            elif code == 47 and in_path:
                folder = text_key(rest)
            rest = (rest ^ code) * prime & mask
            j += 1
        if start < stop[i]:
            out[i, 0] = text_key(host)
            out[i, 1] = text_key(rest)
            out[i, 2] = folder
        start = stop[i]
    return keys


@cython.cfunc
def text_key(state: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a text, which is odd, from the state after its last character."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    factor: cython.ulonglong = 0xFF51AFD7ED558CCD
    mixed: cython.ulonglong = (state ^ (state >> 33)) * factor & mask
    return (mixed ^ (mixed >> 33)) | 1


def collapsed_texts(
    codes: object,
    spans: LongTable,
    alt_codes: object,
    alt_start: Longs,
    alts: LongTable,
    letters: object,
    most: cython.Py_ssize_t,
):
    """Return texts with collapsed white space: text (d,) uint32, and the edges (k + 1,) int64 of each in it.

    codes (c,) uint32, spans (2, k): the characters of the page, and the first and the end of each text.
    alt_codes, alt_start (m + 1,): the characters of m alternative texts, and where each begins; alts (2, k):
    the first and the end of those that follow each text. letters: see `nodetext`. most: characters of a text
    and its alternative texts that are read, with a space between them.
    """
    k: cython.Py_ssize_t = spans.shape[1]
    text: Codes = memoryview(codes)
    alt_text: Codes = memoryview(alt_codes)
    table: cython.const[cython.schar][::1] = memoryview(letters)
    room: cython.Py_ssize_t = 0
    for i in range(k):
        room += min(spans[1, i] - spans[0, i], most)
        if alts[0, i] < alts[1, i]:
            size: cython.Py_ssize_t = alt_start[alts[1, i]] - alt_start[alts[0, i]]
            room += min(size + alts[1, i] - alts[0, i], most)
    out_array = np.empty(room, np.uint32)
    out: cython.uint[::1] = memoryview(out_array)
    edges: LongBuffer = np.zeros(k + 1, np.int64)
    d: cython.Py_ssize_t = 0
    for i in range(k):
        first: cython.Py_ssize_t = d
        left: cython.Py_ssize_t = most
        spaced: cython.bint = False
        for piece in range(alts[0, i] - 1, max(alts[0, i], alts[1, i])):
            if piece < alts[0, i]:  # the text itself
                source: Codes = text
                start: cython.Py_ssize_t = spans[0, i]
                stop: cython.Py_ssize_t = spans[1, i]
            else:
                source = alt_text
                start, stop = alt_start[piece], alt_start[piece + 1]
                spaced = True
                left -= 1
                if left <= 0:
                    break
            for j in range(start, min(stop, start + left)):
                code = source[j]
                if table[code if code < 65536 else 65536] < 0:
                    spaced = True
                    continue
                if spaced and d > first:
                    out[d] = 32
                    d += 1
                spaced = False
                out[d] = code
                d += 1
            left -= min(stop - start, left)
        edges[i + 1] = d
    return out_array[:d], np.asarray(edges)
