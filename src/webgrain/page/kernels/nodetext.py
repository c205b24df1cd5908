# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Texts of nodes in one pass over their characters: white space collapsed, letters counted.

A text is an array of code points (c,) uint32; start (n + 1,) int32 is the start of the text of each node.
letters (65 537,) int8 is the weight of each character, -1 for white space; the last entry is for all
characters beyond the first plane.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Ints = cython.typedef(cython.const[cython.int][::1])


STEP, BREAK, SILENT, TITLE, HEAD, ANCHOR = 1, 2, 4, 8, 16, 32
"""Properties of elements in `cut_blocks`, as bits: a step of the paths, a break of the text, an element
without text, a title, a head, a link."""


def has_letters(codes: object, start: Ints, letters: object):
    """Return (n,) bool, True at nodes whose text is more than white space."""
    n: cython.Py_ssize_t = len(start) - 1
    out: cython.uchar[::1] = np.zeros(n, np.uint8)
    text: cython.const[cython.uint][::1] = memoryview(codes)
    table: cython.const[cython.schar][::1] = memoryview(letters)
    for i in range(n):
        for j in range(start[i], start[i + 1]):
            code = text[j]
            if table[code if code < 65536 else 65536] >= 0:
                out[i] = 1
                break
    return np.asarray(out).view(np.bool_)


@cython.locals(flags=cython.int, counted=cython.int)
def cut_blocks(
    tree,
    codes: object,
    start: Ints,
    shown: cython.const[cython.uchar][::1],
    bits: cython.const[cython.uchar][::1],
    letters: object,
    least: cython.int,
):
    """Return the text blocks of a page, see `webgrain.page.text`.

    tree: parent, end, tag (n,) int32; tag 0 is a text. shown (n,) uint8: what can be seen. bits (n,) uint8:
    what each node is. least: what a block must weigh.

    Returns element, up (e,) int32; holder, first, last, weight, plain (b,) int32; text (d,) uint32, start of
    each block in it (b + 1,) int32.
    """
    parent, ends, tags = tree
    n: cython.Py_ssize_t = len(parent)
    element_array, up_array = np.zeros((2, n), np.int32)
    text_array, at_array = np.zeros(len(codes), np.uint32), np.zeros(n + 1, np.int32)
    element: cython.int[::1] = element_array
    up: cython.int[::1] = up_array
    rows = np.zeros((5, n + 1), np.int32)
    row: cython.int[:, ::1] = rows
    out: cython.uint[::1] = memoryview(text_array)
    at: cython.int[::1] = at_array
    above: Ints = parent
    end: Ints = ends
    tag: Ints = tags
    text: cython.const[cython.uint][::1] = memoryview(codes)
    table: cython.const[cython.schar][::1] = memoryview(letters)
    closes: cython.int[::1] = np.zeros(n + 1, np.int32)
    under: cython.int[::1] = np.zeros(n, np.int32)  # the nearest step at or above each node
    inside: cython.uchar[::1] = np.zeros(n, np.uint8)  # the bits of what each node is in
    e, b, run, current, size = 0, -1, 0, -1, 0
    spaced: cython.bint = False
    for i in range(n):
        p = above[i]
        within = 0
        near = -1
        if p >= 0:
            within = inside[p] | bits[p]
            near = under[p]
        inside[i] = within
        under[i] = near
        run += closes[i]
        flags = bits[i]
        if flags & 2:
            run += 1
            closes[end[i]] += 1
        if flags & 1:
            element[e] = i
            up[e] = near
            under[i] = e
            e += 1
        if tag[i] != 0 or start[i] == start[i + 1] or within & 4:
            continue
        if not shown[i] and not within & 8:
            # White space may have no box.
            if within & 16:
                continue
            j = start[i]
            while j < start[i + 1] and table[text[j] if text[j] < 65536 else 65536] < 0:
                j += 1
            if j < start[i + 1]:
                continue
        if run != current:
            if b < 0 or (size > at[b] and row[3, b] >= least):
                b += 1
            else:
                size = at[b]
            current = run
            at[b] = size
            row[0, b] = near
            row[1, b] = i
            row[3, b] = 0
            row[4, b] = 0
            spaced = False
        row[2, b] = i
        weight = 0
        for j in range(start[i], start[i + 1]):
            code = text[j]
            counted = table[code if code < 65536 else 65536]
            if counted < 0:
                spaced = True
                continue
            if spaced and size > at[b]:
                out[size] = 32
                size += 1
            spaced = False
            out[size] = code
            size += 1
            weight += counted
        row[3, b] += weight
        if not within & 32:
            row[4, b] += weight
    if b >= 0 and (size > at[b] and row[3, b] >= least):
        b += 1
    elif b >= 0:
        size = at[b]
    b = max(b, 0)
    at[b] = size
    return (
        element_array[:e].copy(),
        up_array[:e].copy(),
        *rows[:, :b].copy(),
        text_array[:size],
        at_array[: b + 1],
    )


def join_lines(
    codes: object,
    letters: object,
    pieces: object,
    spans: object,
    groups: cython.Py_ssize_t,
    separator: object,
):
    """Return the texts (d,) uint32 of groups of pieces, one after the other, and the start (g + 1,) of each.

    pieces (3, p) int32: where each begins and ends in the text, and its line; those of a line follow each
    other. spans (3, s) int32: the group of each, its first piece and the end of its pieces, by group and
    first piece; a piece of a group counts once. separator: put between the lines of a group.
    """
    text: cython.const[cython.uint][::1] = memoryview(codes)
    table: cython.const[cython.schar][::1] = memoryview(letters)
    piece: cython.const[cython.int][:, ::1] = memoryview(pieces)
    span: cython.const[cython.int][:, ::1] = memoryview(spans)
    between: cython.uint = separator
    most: cython.Py_ssize_t = 0
    spans_of_all: cython.Py_ssize_t = span.shape[1]
    for j in range(spans_of_all):
        for k in range(span[1, j], span[2, j]):
            most += 2 * (piece[1, k] - piece[0, k])
    text_array, at_array = np.empty(most, np.uint32), np.zeros(groups + 1, np.int32)
    out: cython.uint[::1] = memoryview(text_array)
    at: cython.int[::1] = memoryview(at_array)
    size: cython.Py_ssize_t = 0
    s: cython.Py_ssize_t = 0
    for g in range(groups):
        at[g] = size
        begin = size  # of the line
        line = -1
        reached = 0
        is_spaced: cython.bint = False
        while s < spans_of_all and span[0, s] == g:
            for k in range(max(span[1, s], reached), span[2, s]):
                if piece[2, k] != line:
                    line = piece[2, k]
                    begin = size
                    is_spaced = False
                for j in range(piece[0, k], piece[1, k]):
                    code = text[j]
                    if table[code if code < 65536 else 65536] < 0:
                        is_spaced = True
                        continue
                    if size == begin and size > at[g]:
                        out[size] = between
                        size += 1
                    elif is_spaced and size > begin:
                        out[size] = 32
                        size += 1
                    is_spaced = False
                    out[size] = code
                    size += 1
            reached = max(reached, span[2, s])
            s += 1
    at[groups] = size
    return text_array[:size], at_array


@cython.locals(key=cython.ulonglong)
def stripped_keys(codes: object, letters: object, start: Ints, end: Ints):
    """Return the key of each text ``codes[start[i]:end[i]]`` (m,) uint64, without white space around it.

    The key of a text of white space is 0. Several texts are equal to others if the sums of their keys are.
    """
    text: cython.const[cython.uint][::1] = memoryview(codes)
    table: cython.const[cython.schar][::1] = memoryview(letters)
    factor: cython.ulonglong = 1597334677
    mask: cython.ulonglong = 2**64 - 1
    keys_array = np.zeros(len(start), np.uint64)
    keys: cython.ulonglong[::1] = memoryview(keys_array)
    for i in range(len(start)):
        first = start[i]
        last = end[i]
        while first < last and table[text[first] if text[first] < 65536 else 65536] < 0:
            first += 1
        while first < last and table[text[last - 1] if text[last - 1] < 65536 else 65536] < 0:
            last -= 1
        key = 0
        for j in range(first, last):
            key = (key * factor + text[j] + 1) & mask
        # Sums of keys are compared, so the key must not be a sum over the characters.
        key = ((key ^ (key >> 31)) * 1540483477) & mask
        key = ((key ^ (key >> 29)) * 2045523487) & mask
        keys[i] = key ^ (key >> 32)
    return keys_array
