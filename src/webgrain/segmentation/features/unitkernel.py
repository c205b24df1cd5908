# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Hints and tags as bits of the nodes of a tree, and counts of the characters of texts.

In all functions the tree has k nodes in document order; parent (k,) int32 is -1 at the root and less than the
number of the node elsewhere. bits (k,) uint64: what a node has, a bit for each of up to 64 properties.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bits = cython.typedef(cython.const[cython.ulonglong][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


def text_counts(text: object, start: Ints, nodes: Ints):
    """Return characters other than spaces, words, and sentences, at least one, of some texts (3, t) float64.

    text (c,) uint32: code points; start (n + 1,) int32: of the text of each node of the Dom; nodes (t,)
    int32. Each character of a script without spaces is a word.
    """
    counts = np.zeros((3, len(nodes)))
    out: cython.double[:, ::1] = memoryview(counts)
    codes: cython.const[cython.uint][::1] = memoryview(text)
    for i in range(len(nodes)):
        is_word = False
        for j in range(start[nodes[i]], start[nodes[i] + 1]):
            code = codes[j]
            if code in (0x2E, 0x21, 0x3F, 0x3002, 0xFF01, 0xFF1F):
                out[2, i] += 1.0
            if code <= 0x20 or code == 0xA0 or code == 0x3000:
                is_word = False
                continue
            out[0, i] += 1.0
            if not is_word or 0x3040 <= code < 0xA000:
                out[1, i] += 1.0
            is_word = True
        if out[2, i] < 1.0:
            out[2, i] = 1.0
    return counts


def sign_counts(text: object, start: Ints, nodes: Ints, signs: cython.const[cython.uchar][:, ::1]):
    """Return how many characters of some texts (t, 3) int64 are signs of three sorts.

    text, start, nodes: as in `text_counts`; signs (256, 3) uint8: of each code point; the last row is for all
    larger ones.
    """
    counts = np.zeros((len(nodes), 3), np.int64)
    out: cython.longlong[:, ::1] = memoryview(counts)
    codes: cython.const[cython.uint][::1] = memoryview(text)
    for i in range(len(nodes)):
        for j in range(start[nodes[i]], start[nodes[i] + 1]):
            code = codes[j] if codes[j] < 255 else 255
            for sort in range(3):
                out[i, sort] += signs[code, sort]
    return counts


def spread_bits(parent: Ints, bits: object):
    """Return the bits (k,) uint64 of each node and the nodes above it."""
    spread = np.zeros(len(parent), np.uint64)
    out: cython.ulonglong[::1] = memoryview(spread)
    given: Bits = memoryview(bits)
    for i in range(len(parent)):
        out[i] = given[i]
        if parent[i] >= 0:
            out[i] |= out[parent[i]]
    return spread


def chain_bits(bits: object, top: object, bottom: object):
    """Return the bits (m,) uint64 of the nodes from top to bottom (m,) int64."""
    m: cython.Py_ssize_t = len(top)
    joined = np.zeros(m, np.uint64)
    out: cython.ulonglong[::1] = memoryview(joined)
    given: Bits = memoryview(bits)
    first: Longs = memoryview(top)
    last: Longs = memoryview(bottom)
    for u in range(m):
        for i in range(first[u], last[u] + 1):
            out[u] |= given[i]
    return joined


def count_bits(parent: Ints, bits: object, number: cython.Py_ssize_t):
    """Return how many of each node and the nodes above it have each of the first bits (k, number) int32."""
    counts = np.zeros((len(parent), number), np.int32)
    out: cython.int[:, ::1] = memoryview(counts)
    given: Bits = memoryview(bits)
    for i in range(len(parent)):
        for b in range(number):
            out[i, b] = (given[i] >> b) & 1
            if parent[i] >= 0:
                out[i, b] += out[parent[i], b]
    return counts


def gained_bits(upon: cython.const[cython.int][:, ::1], nodes: object, labels: object, above: object):
    """Return for how many nodes of each of s groups a count exceeds that of the group (s, number) float64.

    upon (k, number) int32: of `count_bits`; nodes (l,) int64: nodes of the tree; labels (l,) int64: the group
    of each, -1 for none; above (s,) int64: the node of each group whose counts are compared.
    """
    counts = np.zeros((len(above), upon.shape[1]))
    out: cython.double[:, ::1] = memoryview(counts)
    node: Longs = memoryview(nodes)
    label: Longs = memoryview(labels)
    group: Longs = memoryview(above)
    for i in range(len(node)):
        s = label[i]
        if s < 0:
            continue
        for b in range(upon.shape[1]):
            if upon[node[i], b] > upon[group[s], b]:
                out[s, b] += 1.0
    return counts


def covered_leaves(end: Ints, leaves: object, bits: object, number: cython.Py_ssize_t):
    """Return sums (k + 1, number) int64 whose differences over a subtree are its leaves in nodes with a bit.

    end (k,) int32; leaves (k,) int64: of each node. A node with a bit counts its leaves, minus those of the
    next nodes with it inside, so that no leaf counts twice.
    """
    k: cython.Py_ssize_t = len(end)
    sums = np.zeros((k + 1, number), np.int64)
    out: cython.longlong[:, ::1] = memoryview(sums)
    below: Longs = memoryview(leaves)
    given: Bits = memoryview(bits)
    # For each bit the nodes with it around the present node, the innermost first: a list of marks.
    innermost: cython.int[::1] = memoryview(np.full(number, -1, np.int32))
    most: cython.Py_ssize_t = int(np.bitwise_count(bits).sum())
    node: cython.int[::1] = memoryview(np.zeros(most, np.int32))
    outer: cython.int[::1] = memoryview(np.zeros(most, np.int32))
    n: cython.Py_ssize_t = 0
    for i in range(k):
        if not given[i]:
            continue
        for b in range(number):
            if not (given[i] >> b) & 1:
                continue
            around = innermost[b]
            while around >= 0 and end[node[around]] <= i:
                around = outer[around]
            out[i + 1, b] += below[i]
            if around >= 0:
                out[node[around] + 1, b] -= below[i]
            node[n] = i
            outer[n] = around
            innermost[b] = n
            n += 1
    for i in range(k):
        for b in range(number):
            out[i + 1, b] += out[i, b]
    return sums
