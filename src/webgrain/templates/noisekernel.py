# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Keys of texts, and the noise confidence of leaves by the keys of their features.

The key of a text is a polynomial of its code points, so the key of two texts one after the other follows from
those of both: ``key(a) * power(b) + key(b)`` with ``power(b) = FACTOR ** len(b)``, modulo 2 ** 64.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])

FACTOR = 1597334677
"""Base of the polynomial: odd, and greater than all code points."""

NO_ADDRESS, UNUSUAL, PLACE, TOP = range(250, 254)
"""Starts of an address without a start: none, an unusual one, a place on the page, the top of the page."""

MASK = 2**64 - 1
"""Limits a key to 64 bits if the kernel runs uncompiled; compiled, numbers wrap around."""


@cython.locals(key=cython.ulonglong, power=cython.ulonglong, code=cython.ulonglong)
def text_key(text: str, first: cython.Py_ssize_t):
    """Return the keys and powers of a text and of its first characters.

    Returns key, power, key of the first characters, power of these.
    """
    factor: cython.ulonglong = FACTOR
    mask: cython.ulonglong = MASK
    key_of_first: cython.ulonglong = 0
    power_of_first: cython.ulonglong = 1
    key = 0
    power = 1
    for j in range(len(text)):
        if j == first:
            key_of_first, power_of_first = key, power
        code = ord(text[j])
        key = (key * factor + code + 1) & mask
        power = (power * factor) & mask
    if first >= len(text):
        key_of_first, power_of_first = key, power
    return key, power, key_of_first, power_of_first


@cython.locals(key=cython.ulonglong)
def text_keys(text: object, end: Longs):
    """Return the keys (m,) uint64 of several texts, one after the other (c,) uint32; end (m,): of each."""
    codes: Codes = memoryview(text)
    factor: cython.ulonglong = FACTOR
    mask: cython.ulonglong = MASK
    keys = np.zeros(len(end), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    j: cython.Py_ssize_t = 0
    for k in range(len(end)):
        key = 0
        while j < end[k]:
            key = (key * factor + codes[j] + 1) & mask
            j += 1
        out[k] = key
    return keys


def address_keys(tag: Ints, links: object, images: object, known: object, before: object, page_keys: object):
    """Return the keys (n,) uint64 of the addresses of links and images, by node, and which are unusual (u,).

    tag (n,) int32. links, images: the number of their tag, the nodes (m,) int64 with an address in order, and
    what is added to their keys by xor. known (l, 5) uint64, of both: start, key, power, and key and power of
    what is before a ``#``. The start is a number in before (f,) uint64, the keys of what the addresses start
    with, or one of `NO_ADDRESS`, `UNUSUAL`, `PLACE` and `TOP`. page_keys: the key of the page, and that of a
    link to a place on the page. Such addresses of images are unusual.

    The key of a link to the page itself, of no address and of unusual ones is 0. Unusual ones are rows of
    known, int32.
    """
    row: cython.const[cython.ulonglong][:, ::1] = memoryview(known)
    starts: Keys = memoryview(before)
    keys = np.zeros(len(tag), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    unusual = np.zeros(len(known), np.int32)
    odd: cython.int[::1] = memoryview(unusual)
    mask: cython.ulonglong = MASK
    no_address: cython.ulonglong = NO_ADDRESS
    to_place: cython.ulonglong = PLACE
    to_top: cython.ulonglong = TOP
    here: cython.ulonglong = page_keys[0]
    place: cython.ulonglong = page_keys[1]
    size: cython.ulonglong = len(starts)
    start: cython.ulonglong
    first: cython.ulonglong
    key: cython.ulonglong
    n: cython.Py_ssize_t = 0
    k: cython.Py_ssize_t = 0
    for is_link in range(1, -1, -1):
        wanted: cython.int = links[0] if is_link else images[0]
        nodes: Longs = memoryview(links[1] if is_link else images[1])
        sort: cython.ulonglong = links[2] if is_link else images[2]
        for j in range(len(nodes)):
            i = nodes[j]
            start = row[k, 0]
            k += 1
            if tag[i] != wanted or start == no_address or (is_link and start == to_top):
                continue
            key = 0
            if is_link and start == to_place:
                key = place
            elif start >= size:
                odd[n] = k - 1
                n += 1
            else:
                first = starts[start]
                if not is_link or (first * row[k - 1, 4] + row[k - 1, 3]) & mask != here:
                    key = (first * row[k - 1, 2] + row[k - 1, 1]) & mask
            out[i] = key ^ sort if key else 0
    return keys, unusual[:n].copy()


@cython.locals(key=cython.ulonglong)
def leaf_keys(
    tree: object, tag: Ints, anchor: cython.int, address: object, text: object, most: cython.Py_ssize_t
):
    """Return the keys (2, k) uint64 of the contents and of the links of leaves, 0 for none.

    tree: node, parent (k,) int32 and kind (k,) int8, 0 for no leaf, 1 for a text and 2 for an image. tag (n,)
    int32; anchor: the tag of links; address (n,) uint64: the key of the address of a link or image. text:
    code points (c,) uint32, start (n + 1,) int32 of the text of each node, and weights (65 537,) int8 of
    characters, -1 for white space; the last entry is for all beyond the first plane. most: characters that
    count.

    The content of a text has single spaces for white space; other leaves than texts and images have none. The
    link is that around a leaf.
    """
    nodes, parents, kinds = tree
    points, starts, letters = text
    node: Ints = memoryview(nodes)
    parent: Ints = memoryview(parents)
    kind: Kinds = memoryview(kinds)
    keys: Keys = memoryview(address)
    codes: Codes = memoryview(points)
    start: Ints = memoryview(starts)
    table: Kinds = memoryview(letters)
    out_array = np.zeros((2, len(node)), np.uint64)
    out: cython.ulonglong[:, ::1] = memoryview(out_array)
    factor: cython.ulonglong = FACTOR
    mask: cython.ulonglong = MASK
    is_gap: cython.bint
    for i in range(len(node)):
        if tag[node[i]] == anchor:
            out[1, i] = keys[node[i]]
        elif parent[i] >= 0:
            out[1, i] = out[1, parent[i]]
        if kind[i] == 2:
            out[0, i] = keys[node[i]]
        if kind[i] != 1:
            continue
        key = 0
        length = 0
        is_gap = False
        for j in range(start[node[i]], start[node[i] + 1]):
            code = codes[j]
            if table[code if code < 65536 else 65536] < 0:
                is_gap = length > 0
                continue
            if is_gap and length < most:
                key = (key * factor + 33) & mask  # a space
                length += 1
                is_gap = False
            if length >= most:
                break
            key = (key * factor + code + 1) & mask
            length += 1
        out[0, i] = key
    return out_array


@cython.cfunc
def _placed(key: cython.ulonglong, node: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    """Return the key of a feature at a template node."""
    key = ((key ^ (key >> 31)) * 1540483477 + node) & mask
    key = ((key ^ (key >> 29)) * 2045523487) & mask
    return key ^ (key >> 32)


def placed_keys(feature: object, node: object):
    """Return the keys (m,) uint64 of features (m,) uint64 at template nodes (m,) int32."""
    m: cython.Py_ssize_t = len(node)
    keys = np.zeros(m, np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    features: Keys = memoryview(feature)
    place: Ints = memoryview(node)
    mask: cython.ulonglong = MASK
    for i in range(m):
        out[i] = _placed(features[i], place[i], mask)
    return keys


LETTER, NUMBER = 1, 2
"""Classes of the characters of words; others are 0."""


@cython.locals(key=cython.ulonglong, code=cython.uint)
def word_noise(
    text: object, classes: object, node: object, sort: cython.ulonglong, known: object, share: Doubles
):
    """Return the mean noise confidence (t,) of the words of texts; 0 for a text without words.

    text (c,) uint32: the code points of the texts, each with a line feed at its end. classes (a,) uint8: of
    the characters; others than these have no class. A word is a run of letters; all numbers are the word
    ``0``. node (t,) int32: of the template; sort: of the features that are words. known (f,) uint64,
    ascending: of `placed_keys`; share (f,): the noise confidence of each of them.
    """
    means = np.zeros(len(node))
    out: cython.double[::1] = memoryview(means)
    codes: Codes = memoryview(text)
    class_of: Flags = memoryview(classes)
    node_of: Ints = memoryview(node)
    keys: Keys = memoryview(known)
    factor: cython.ulonglong = FACTOR
    mask: cython.ulonglong = MASK
    line_feed: cython.uint = 10
    zero: cython.ulonglong = 48 + 1
    i: cython.Py_ssize_t = 0
    words: cython.Py_ssize_t = 0
    before: cython.int = 0
    total: cython.double = 0.0
    key = 0
    for j in range(len(codes)):
        code = codes[j]
        of_character = class_of[code] if code < len(class_of) else 0
        if before and of_character != before:  # the end of a word
            place = _place_of(_placed((zero if before == 2 else key) ^ sort, node_of[i], mask), keys)
            total += share[place] if place >= 0 else 0.0
            words += 1
            key = 0
        if of_character == 1:
            key = (key * factor + code + 1) & mask
        before = of_character
        if code == line_feed:
            out[i] = total / words if words else 0.0
            total = 0.0
            words = 0
            i += 1
    return means


@cython.cfunc
def _place_of(key: cython.ulonglong, keys: Keys) -> cython.Py_ssize_t:
    """Return the place of a key among ascending ones, -1 for none."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = len(keys)
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < len(keys) and keys[low] == key else -1


@cython.locals(key=cython.ulonglong)
def leaf_noise(node: object, kind: Kinds, content: object, link: object, known: object, share: Doubles):
    """Return the noise confidence (k,) of leaves, the greatest of their features; 0 without any.

    node (k,) int32: of the template, -1 for none; kind (k,) int8: 0 for no leaf; content, link (k,) uint64:
    the features of each leaf, 0 for none. known (f,) uint64, ascending: of `placed_keys`; share (f,): the
    noise confidence of each of them.
    """
    confidence = np.zeros(len(node))
    out: cython.double[::1] = memoryview(confidence)
    place: Ints = memoryview(node)
    contents: Keys = memoryview(content)
    links: Keys = memoryview(link)
    keys: Keys = memoryview(known)
    mask: cython.ulonglong = MASK
    for i in range(len(node)):
        if place[i] < 0 or kind[i] == 0:
            continue
        for feature in range(2):
            key = links[i] if feature else contents[i]
            if key == 0:
                continue
            at = _place_of(_placed(key, place[i], mask), keys)
            if at >= 0 and share[at] > out[i]:
                out[i] = share[at]
    return confidence
