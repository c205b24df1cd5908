# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.fields` over the nodes and texts of a page.

In all functions parent, end (n,) int32 are those of the Dom; parent is -1 at the root. codes (c,) uint32 are
the characters of its text; start (n + 1,) int32 is where the text of each node begins. letters (65 537,) int8
is the weight of each character, -1 for white space; the last entry is for all characters beyond the first
plane. Keys are hashes of 64 bits, the same in every run.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
FlagBuffer = cython.typedef(cython.uchar[::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Table = cython.typedef(cython.const[cython.schar][::1])

PARTS, WHOLE, LABEL, COLON, INLINE = 1, 2, 4, 8, 16
"""What `held_elements` states, as bits: an element has parts; its text is most of what it contains; a colon
is among its first characters; a colon is in it; it is within a line."""

FACTOR = 1597334677
"""Base of the polynomial of code points that is the key of a text: odd, and greater than all code points."""
MASK = 2**64 - 1
"""Limits a key to 64 bits if the kernel runs uncompiled; compiled, numbers wrap around."""


def held_elements(
    tree: tuple, inline: Flags, shown: Longs, text: tuple, most_parts: cython.int, whole: cython.double,
    longest: cython.int,
):  # fmt: skip
    """Return the elements that hold a text: node (h,) int32, bits (h,) uint8, and key (h,) uint64.

    tree: parent and end; inline (n,) uint8: elements within a line; shown (k,) int64: the visible texts.
    text: codes, start, letters. most_parts: elements within a line around a text that may hold it; whole:
    share of the characters in a block that its own texts have, at least, so that they are most of it;
    longest: characters of a label. The key is that of the text outside of parts, with single spaces.
    """
    parent: Ints = tree[0]
    end: Ints = tree[1]
    codes: Codes = memoryview(text[0])
    start: Ints = text[1]
    letters: Table = memoryview(text[2])
    factor: cython.ulonglong = FACTOR
    mask: cython.ulonglong = MASK
    n: cython.Py_ssize_t = len(parent)
    block: IntBuffer = np.empty(n, np.int32)
    for i in range(n):
        block[i] = block[parent[i]] if parent[i] >= 0 and i > 0 and inline[i] else i
    size: LongBuffer = np.zeros(n, np.int64)  # characters of the texts in each node
    texts: IntBuffer = np.zeros(n, np.int32)  # texts of each block; texts around which each part is
    ours: LongBuffer = np.zeros(n, np.int64)  # characters of the texts of each block
    for k in range(len(shown)):
        i = shown[k]
        p = parent[i]
        if p < 0:
            continue
        length = start[i + 1] - start[i]
        size[i] = length
        b = block[p]
        texts[b] += 1
        ours[b] += length
        level = 0
        while p != b and level < most_parts:
            texts[p] += 1
            p = parent[p]
            level += 1
    for j in range(n):
        i = n - 1 - j
        if parent[i] >= 0:
            size[parent[i]] += size[i]
    holds: FlagBuffer = np.zeros(n, np.uint8)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    keys: KeyBuffer = memoryview(np.zeros(n, np.uint64))
    for k in range(len(shown)):
        i = shown[k]
        p = parent[i]
        if p < 0:
            continue
        b = block[p]
        holds[b] = 1
        most = texts[b] if whole * size[b] <= ours[b] else texts[b] + 1
        holder = b
        level = 0
        while p != b and level < most_parts:
            if texts[p] < most:
                holds[p] = 1
                if holder == b:
                    holder = p
            p = parent[p]
            level += 1
        key = keys[holder]
        is_spaced: cython.bint = key != 0
        for j in range(start[i], start[i + 1]):
            code = codes[j]
            if letters[code if code < 65536 else 65536] < 0:
                is_spaced = key != 0
                continue
            if is_spaced:
                key = (key * factor + 33) & mask
                is_spaced = False
            key = (key * factor + code + 1) & mask
        keys[holder] = key
    below: FlagBuffer = np.zeros(n, np.uint8)  # whether a holder of the same block is in a node
    held: cython.Py_ssize_t = 0
    for j in range(n):
        i = n - 1 - j
        held += holds[i]
        if i != block[i] and (holds[i] or below[i]):
            below[parent[i]] = 1
    node_array, bits_array, key_array = (
        np.empty(held, np.int32),
        np.empty(held, np.uint8),
        np.empty(held, np.uint64),
    )
    node: IntBuffer = node_array
    bits: FlagBuffer = bits_array
    out: KeyBuffer = memoryview(key_array)
    h: cython.Py_ssize_t = 0
    colon: cython.Py_ssize_t = -1  # the first one that is not before the text
    for i in range(n):
        if not holds[i]:
            continue
        if colon < start[i]:
            colon = start[i]
            while colon < len(codes) and codes[colon] != 58 and codes[colon] != 0xFF1A:
                colon += 1
        flags = 0
        if below[i]:
            flags |= 1
        if i != block[i] or whole * size[i] <= ours[i]:
            flags |= 2
        if colon < start[end[i]]:
            flags |= 8
            characters = 0
            j = start[i]
            while j < colon and characters <= longest:
                characters += letters[codes[j] if codes[j] < 65536 else 65536] >= 0
                j += 1
            if j == colon and characters <= longest:
                flags |= 4
        if inline[i]:
            flags |= 16
        node[h] = i
        bits[h] = flags
        out[h] = keys[i]
        h += 1
    return node_array, bits_array, key_array


def in_items(
    tree: tuple, tag: Ints, types: Longs, item: cython.int, nodes: object, levels: cython.int,
    siblings: cython.int, compared: cython.int,
):  # fmt: skip
    """Return which nodes (k,) int32, -1 for none, are in an item of a list (k,) bool.

    A node is if it, or one of the elements around it, has a sibling of the same shape: the same types of the
    first elements in both. An element without elements in it counts only if it is a list item.

    tree: parent and end; tag (n,) int32: 0 at texts; types (n,) int64: of elements; item: the tag of list
    items. levels: elements upwards that are compared, siblings: of each; compared: elements of a shape, of
    the first four times as many nodes.
    """
    parent: Ints = tree[0]
    end: Ints = tree[1]
    asked: Ints = nodes
    answer: FlagBuffer = np.zeros(len(asked), np.uint8)
    for k in range(len(asked)):
        x = asked[k]
        for _ in range(levels):
            if x <= 0 or parent[x] <= 0 or answer[k]:
                break
            above = parent[x]
            if tag[x] == item or _elements(end, tag, x, compared) > 1:
                child = above + 1
                for _ in range(siblings):
                    if child >= end[above] or answer[k]:
                        break
                    answer[k] = child != x and _are_alike(end, tag, types, x, child, compared)
                    child = end[child]
            x = above
    return np.asarray(answer).view(np.bool_)


@cython.cfunc
def _elements(end: Ints, tag: Ints, x: cython.int, compared: cython.int) -> cython.int:
    """Return the number of elements of the shape of a node."""
    count: cython.int = 0
    last: cython.int = min(end[x], x + 4 * compared)
    for i in range(x, last):
        count += tag[i] != 0
        if count == compared:
            break
    return count


@cython.cfunc
def _are_alike(
    end: Ints, tag: Ints, types: Longs, x: cython.int, y: cython.int, compared: cython.int
) -> cython.bint:
    """Return whether the shapes of two nodes are equal, and not empty."""
    last_x: cython.int = min(end[x], x + 4 * compared)
    last_y: cython.int = min(end[y], y + 4 * compared)
    count: cython.int = 0
    while count < compared:
        while x < last_x and tag[x] == 0:
            x += 1
        while y < last_y and tag[y] == 0:
            y += 1
        if x == last_x or y == last_y:
            return x == last_x and y == last_y and count > 0
        if types[x] != types[y]:
            return False
        x += 1
        y += 1
        count += 1
    return True


def stripped_sizes(text: tuple, end: Ints, nodes: Longs):
    """Return the characters (k,) int64 of the text in nodes, without white space around it.

    text: codes, start, letters.
    """
    codes: Codes = memoryview(text[0])
    start: Ints = text[1]
    letters: Table = memoryview(text[2])
    sizes_array = np.zeros(len(nodes), np.int64)
    sizes: LongBuffer = sizes_array
    for k in range(len(nodes)):
        first = start[nodes[k]]
        last = start[end[nodes[k]]]
        while first < last and letters[codes[first] if codes[first] < 65536 else 65536] < 0:
            first += 1
        while first < last and letters[codes[last - 1] if codes[last - 1] < 65536 else 65536] < 0:
            last -= 1
        sizes[k] = last - first
    return sizes_array
