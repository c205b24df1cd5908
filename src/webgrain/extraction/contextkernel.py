# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of a block by the probabilities around it; their table is ``context.csv``.

`context_features` writes all of them into a table (f, b) float32; the functions below write a part each. b
blocks. letters, main, comment (b,): the letters of a block, and its probabilities of being main text and a
comment; odds, of_comment (b,): the log odds of these.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log, log1p
else:
    from math import log, log1p

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Spans = cython.typedef(cython.const[cython.longlong][:, :, ::1])
Table = cython.typedef(cython.float[:, ::1])
ConstTable = cython.typedef(cython.const[cython.float][:, ::1])


def context_features(
    x: Table,
    of_block: ConstTable,
    columns: Longs,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    order: Longs,
    spans: Spans,
    path: Longs,
    tag_path: Longs,
    heading: Flags,
    row: Longs,
    windows: Longs,
    far: cython.Py_ssize_t,
    edges: Doubles,
    least: cython.double,
    none: cython.double,
):
    """Write all features into x (f, b).

    of_block (g, b): the features of the blocks, of which the last rows are some; columns: these. order (b,):
    the blocks by main text, the highest first. path, tag_path (b,): numbers of the blocks at the same path,
    from 0; heading (b,): 1 in headings. row (3,): where the features of groups at paths, those of groups at
    paths of tags, and those of of_block begin. least: the probabilities are limited to those of ``least`` and
    ``1 - least``; none: the log odds where there is no block. edges: shares of the expected main text at
    which it starts and ends. The others are those of the functions.
    """
    b: cython.Py_ssize_t = len(letters)
    both: cython.double[:, ::1] = np.empty((2, b))
    odds: DoubleBuffer = both[0]
    of_comment: DoubleBuffer = both[1]
    write_odds(odds, main, least)
    write_odds(of_comment, comment, least)
    neighbour_features(x, odds, of_comment, none)
    around_features(x, letters, main, comment, windows, spans, far, edges[0], edges[1])
    group_features(x[row[0] : row[0] + 3], letters, main, comment, path)
    group_features(x[row[1] : row[1] + 3], letters, main, comment, tag_path)
    cut_features(x, letters, main, odds, order)
    heading_features(x, letters, main, comment, odds, heading, none)
    for j in range(len(columns)):
        for k in range(b):
            x[row[2] + j, k] = of_block[columns[j], k]


def log_odds(probability: Doubles, least: cython.double):
    """Return the log odds (b,) float64 of probabilities, limited to those of ``least`` and ``1 - least``."""
    odds = np.empty(len(probability))
    write_odds(odds, probability, least)
    return odds


@cython.cfunc
def write_odds(odds: DoubleBuffer, probability: Doubles, least: cython.double):
    """Write the log odds (b,) of probabilities."""
    for k in range(len(probability)):
        p = min(max(probability[k], least), 1.0 - least)
        odds[k] = log(p / (1.0 - p))


@cython.cfunc
def neighbour_features(x: Table, odds: Doubles, of_comment: Doubles, none: cython.double):
    """Write the log odds of a block and of those before and behind it; none: where there is no block."""
    MAIN, COMMENT, MAIN_1_BEFORE, MAIN_1_BEHIND, MAIN_2_BEFORE, MAIN_2_BEHIND = 0, 1, 2, 3, 4, 5
    COMMENT_1_BEFORE, COMMENT_1_BEHIND = 6, 7
    HIGHEST_BEFORE, HIGHEST_BEHIND, COMMENTS_BEFORE = 34, 35, 36
    b: cython.Py_ssize_t = len(odds)
    highest, of_comments = none, none
    for k in range(b):
        x[MAIN, k] = odds[k]
        x[COMMENT, k] = of_comment[k]
        x[MAIN_1_BEFORE, k] = odds[k - 1] if k > 0 else none
        x[MAIN_1_BEHIND, k] = odds[k + 1] if k + 1 < b else none
        x[MAIN_2_BEFORE, k] = odds[k - 2] if k > 1 else none
        x[MAIN_2_BEHIND, k] = odds[k + 2] if k + 2 < b else none
        x[COMMENT_1_BEFORE, k] = of_comment[k - 1] if k > 0 else none
        x[COMMENT_1_BEHIND, k] = of_comment[k + 1] if k + 1 < b else none
        x[HIGHEST_BEFORE, k] = highest
        x[COMMENTS_BEFORE, k] = of_comments
        highest = odds[k] if k == 0 else max(highest, odds[k])
        of_comments = of_comment[k] if k == 0 else max(of_comments, of_comment[k])
    highest = none
    for k in range(b - 1, -1, -1):
        x[HIGHEST_BEHIND, k] = highest
        highest = odds[k] if k == b - 1 else max(highest, odds[k])


@cython.cfunc
def around_features(
    x: Table,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    windows: Longs,
    spans: Spans,
    far: cython.Py_ssize_t,
    start: cython.double,
    end: cython.double,
):
    """Write shares of main text and comments: around a block, in its containers, before it, on the page.

    windows: blocks to each side. spans (2, s, b): the blocks of some containers around each block, the end
    excluded. far: the greatest distance of blocks; start, end: shares of the expected main text at which it
    starts and ends.
    """
    WITHIN, IN_CONTAINERS = 8, 11
    MAIN_BEFORE, COMMENT_BEFORE, FROM_THE_START, FROM_THE_END = 32, 33, 37, 38
    PAGE_MAIN, PAGE_COMMENT, PAGE_SHARE_OF_MAIN, PAGE_SHARE_OF_COMMENT = 39, 40, 41, 42
    b: cython.Py_ssize_t = len(letters)
    size: DoubleBuffer = np.zeros(b + 1)
    mass: DoubleBuffer = np.zeros(b + 1)
    replies: DoubleBuffer = np.zeros(b + 1)
    for k in range(b):
        weight = letters[k] + 1.0
        size[k + 1] = size[k] + weight
        mass[k + 1] = mass[k] + weight * main[k]
        replies[k + 1] = replies[k] + weight * comment[k]
    total = max(mass[b], 1e-9)
    of_replies = max(replies[b], 1e-9)
    for w in range(len(windows)):
        for k in range(b):
            low = max(k - windows[w], 0)
            high = min(k + windows[w] + 1, b)
            x[WITHIN + w, k] = (mass[high] - mass[low]) / (size[high] - size[low])
    for c in range(spans.shape[1]):
        at = IN_CONTAINERS + 3 * c
        for k in range(b):
            low, high = spans[0, c, k], spans[1, c, k]
            inside = max(size[high] - size[low], 1e-9)
            x[at, k] = (mass[high] - mass[low]) / inside
            x[at + 1, k] = (replies[high] - replies[low]) / inside
            x[at + 2, k] = (mass[high] - mass[low]) / total
    first, last = b, b
    for k in range(b - 1, -1, -1):
        share = mass[k + 1] / total
        first = k if share >= start else first
        last = k if share >= end else last
    for k in range(b):
        x[MAIN_BEFORE, k] = mass[k] / total
        x[COMMENT_BEFORE, k] = replies[k] / of_replies
        x[FROM_THE_START, k] = min(max(k - first, -far), far)
        x[FROM_THE_END, k] = min(max(k - last, -far), far)
        x[PAGE_MAIN, k] = log1p(total)
        x[PAGE_COMMENT, k] = log1p(of_replies)
        x[PAGE_SHARE_OF_MAIN, k] = total / size[b]
        x[PAGE_SHARE_OF_COMMENT, k] = of_replies / size[b]


@cython.cfunc
def group_features(x: Table, letters: Doubles, main: Doubles, comment: Doubles, group: Longs):
    """Write the means of main text and comments in the group of a block, and the logarithm of its size.

    x: the three rows of this kind of group. group (b,): numbers from 0.
    """
    MAIN, COMMENT, NUMBER = 0, 1, 2
    b: cython.Py_ssize_t = len(group)
    size: DoubleBuffer = np.zeros(b)
    mass: DoubleBuffer = np.zeros(b)
    replies: DoubleBuffer = np.zeros(b)
    blocks: DoubleBuffer = np.zeros(b)
    for k in range(b):
        g = group[k]
        weight = letters[k] + 1.0
        size[g] += weight
        mass[g] += weight * main[k]
        replies[g] += weight * comment[k]
        blocks[g] += 1.0
    for k in range(b):
        g = group[k]
        x[MAIN, k] = mass[g] / max(size[g], 1e-9)
        x[COMMENT, k] = replies[g] / max(size[g], 1e-9)
        x[NUMBER, k] = log1p(blocks[g])


@cython.cfunc
def cut_features(x: Table, letters: Doubles, main: Doubles, odds: Doubles, order: Longs):
    """Write the best expected F1 of the page and how far a block is above its cut; order: by main text."""
    PAGE_F1, ABOVE_THE_CUT = 43, 44
    b: cython.Py_ssize_t = len(order)
    true: DoubleBuffer = np.zeros(b + 1)
    for i in range(b):
        k = order[i]
        true[i + 1] = true[i] + (letters[k] + 1.0) * main[k]
    size, highest = 0.0, -1.0
    best = 0
    for i in range(b):
        k = order[i]
        size += letters[k] + 1.0
        f1 = 2.0 * true[i + 1] / max(size + true[b], 1e-9)
        if f1 > highest:
            highest = f1
            best = k
    for k in range(b):
        x[PAGE_F1, k] = highest
        x[ABOVE_THE_CUT, k] = odds[k] - odds[best]


@cython.cfunc
def heading_features(
    x: Table,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    odds: Doubles,
    heading: Flags,
    none: cython.double,
):
    """Write the log odds of the last heading, and the means of main text and comments below it."""
    MAIN_OF_THE_HEADING, MAIN_BELOW, COMMENT_BELOW = 45, 46, 47
    b: cython.Py_ssize_t = len(heading)
    last: cython.longlong[::1] = np.zeros(b, np.int64)
    size: DoubleBuffer = np.zeros(b + 1)
    mass: DoubleBuffer = np.zeros(b + 1)
    replies: DoubleBuffer = np.zeros(b + 1)
    h: cython.Py_ssize_t = -1
    for k in range(b):
        if heading[k]:
            h = k
        last[k] = h
        weight = letters[k] + 1.0
        size[h + 1] += weight
        mass[h + 1] += weight * main[k]
        replies[h + 1] += weight * comment[k]
    for k in range(b):
        h = last[k]
        x[MAIN_OF_THE_HEADING, k] = odds[h] if h >= 0 else none
        x[MAIN_BELOW, k] = mass[h + 1] / max(size[h + 1], 1e-9)
        x[COMMENT_BELOW, k] = replies[h + 1] / max(size[h + 1], 1e-9)
