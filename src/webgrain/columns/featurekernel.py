# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the blocks of a page, a function for each group; their table is ``features.csv``.

Each function writes the rows of its group into a table (f, b) float32. n nodes, b blocks. tree (5, n) int64:
of `block_tree`, with the rows parent, first, last, wider and level. totals (6, b + 1) float64: sums of what
is before each block: letters, letters outside links, marks, words, letters of prose, headings.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log1p, sqrt
else:
    from math import log1p, sqrt

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Hints = cython.typedef(cython.const[cython.float][:])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
LongTable = cython.typedef(cython.const[cython.longlong][:, ::1])
Row = cython.typedef(cython.float[::1])
Table = cython.typedef(cython.float[:, ::1])


def own_features(x: Table, letters: Doubles, plain: Doubles, linked: Doubles, texts: DoubleTable, tag: Longs):
    """Write what a block is by itself; texts: of `text_table`."""
    LETTERS, PLAIN, LINKED, WORDS, LETTERS_OF_A_WORD, POINTS, COMMAS, MONEY = 0, 1, 2, 3, 4, 5, 6, 7
    DIGITS, CAPITALS, MARKS, COMMON, LIKENESS, DESCRIBED = 8, 9, 10, 11, 12, 13
    IN_JSON_LD, REPEATS, TAG = 14, 15, 16
    for k in range(len(letters)):
        words = texts[1, k]
        x[LETTERS, k] = log1p(letters[k])
        x[PLAIN, k] = log1p(plain[k])
        x[LINKED, k] = linked[k]
        x[WORDS, k] = log1p(words)
        x[LETTERS_OF_A_WORD, k] = texts[0, k] / words
        x[POINTS, k] = texts[2, k] / words
        x[COMMAS, k] = texts[3, k] / words
        x[MONEY, k] = min(texts[4, k], 3.0)
        x[DIGITS, k] = texts[5, k]
        x[CAPITALS, k] = texts[6, k]
        x[MARKS, k] = texts[7, k]
        x[COMMON, k] = texts[9, k]
        x[LIKENESS, k] = texts[10, k]
        x[DESCRIBED, k] = texts[11, k]
        x[IN_JSON_LD, k] = -1.0  # without JSON-LD
        x[REPEATS, k] = min(texts[8, k], 20.0)
        x[TAG, k] = tag[k]


def around_features(
    x: Table,
    around: LongTable,
    ups: Longs,
    levels: Longs,
    tree: LongTable,
    end: Ints,
    tags: Longs,
    totals: DoubleTable,
):
    """Write the features of containers around each block, container by container.

    around: of `containers_around`; ups: the rows of it that are used; levels: the levels from the top that
    are used, increasing; tags: (n,).
    """
    FEATURES = 10
    b: cython.Py_ssize_t = around.shape[1]
    for place in range(len(ups)):
        write_containers(
            x[FEATURES * place : FEATURES * (place + 1)], around[ups[place]], tree, end, tags, totals
        )
    of_level: cython.longlong[::1] = np.zeros(b, np.int64)
    for k in range(b):
        of_level[k] = around[0, k]
    for place in range(len(levels) - 1, -1, -1):
        node, outer = -1, -1
        for k in range(b):
            if of_level[k] != node:
                node = of_level[k]
                outer = node
                while tree[4, outer] > levels[place]:
                    outer = tree[3, outer]
            of_level[k] = outer
        begin = FEATURES * (len(ups) + place)
        write_containers(x[begin : begin + FEATURES], of_level, tree, end, tags, totals)


@cython.cfunc
def write_containers(x: Table, nodes: Longs, tree: LongTable, end: Ints, tags: Longs, totals: DoubleTable):
    """Write the features of a container (b,) of each block."""
    LETTERS, SHARE, LINKED, MEAN, MARKS, PROSE, NODES, TAG, HEADINGS, PLACE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    b: cython.Py_ssize_t = len(nodes)
    all_plain = max(totals[1, b], 1.0)
    for k in range(b):
        node = nodes[k]
        first, last = tree[1, node], tree[2, node]
        size: cython.double = max(last - first, 1)
        x[PLACE, k] = (k - first) / size
        if k > 0 and nodes[k - 1] == node:
            for row in range(PLACE):
                x[row, k] = x[row, k - 1]
            continue
        letters = totals[0, last] - totals[0, first]
        plain = totals[1, last] - totals[1, first]
        marks = totals[2, last] - totals[2, first]
        words = totals[3, last] - totals[3, first]
        prose = totals[4, last] - totals[4, first]
        headings = totals[5, last] - totals[5, first]
        per_letter = max(letters, 1.0)
        x[LETTERS, k] = log1p(letters)
        x[SHARE, k] = plain / all_plain
        x[LINKED, k] = 1.0 - plain / per_letter
        x[MEAN, k] = log1p(plain / size)
        x[MARKS, k] = marks / max(words, 1.0)
        x[PROSE, k] = prose / per_letter
        x[NODES, k] = log1p((end[node] - node) / per_letter)
        x[TAG, k] = tags[node]
        x[HEADINGS, k] = log1p(headings)


def beside_features(x: Table, totals: DoubleTable, level: Longs, plain: Doubles, linked: Doubles, tag: Longs):
    """Write the place of a block, and what the blocks before and after are; level: (b,) of its container."""
    PLACE, LETTERS_BEFORE, PLAIN_BEFORE, LEVEL = 0, 1, 2, 3
    BEFORE_PLAIN, NEXT_PLAIN, BEFORE_LINKED, NEXT_LINKED, BEFORE_TAG, NEXT_TAG = 4, 5, 6, 7, 8, 9
    b: cython.Py_ssize_t = len(plain)
    size: cython.double = b
    total, all_plain = max(totals[0, b], 1.0), max(totals[1, b], 1.0)
    for k in range(b):
        x[PLACE, k] = k / size
        x[LETTERS_BEFORE, k] = totals[0, k] / total
        x[PLAIN_BEFORE, k] = totals[1, k] / all_plain
        x[LEVEL, k] = level[k]
        x[BEFORE_PLAIN, k] = log1p(plain[k - 1]) if k > 0 else -1.0
        x[NEXT_PLAIN, k] = log1p(plain[k + 1]) if k < b - 1 else -1.0
        x[BEFORE_LINKED, k] = linked[k - 1] if k > 0 else -1.0
        x[NEXT_LINKED, k] = linked[k + 1] if k < b - 1 else -1.0
        x[BEFORE_TAG, k] = tag[k - 1] if k > 0 else -1.0
        x[NEXT_TAG, k] = tag[k + 1] if k < b - 1 else -1.0


def alike_features(x: Table, group: Ints, letters: Doubles, plain: Doubles, prose: Doubles):
    """Write the features of all blocks at the same path as a block; group: (b,) their number, from 0."""
    BLOCKS, MEAN, LINKED, SHARE, PROSE, SPREAD = 0, 1, 2, 3, 4, 5
    b: cython.Py_ssize_t = len(group)
    sums: cython.double[:, ::1] = np.zeros((6, b))  # blocks, letters, plain, prose, places, their squares
    blocks: cython.double = b
    total = 0.0
    for k in range(b):
        g = group[k]
        at = k / blocks
        total += letters[k]
        sums[0, g] += 1.0
        sums[1, g] += letters[k]
        sums[2, g] += plain[k]
        sums[3, g] += prose[k]
        sums[4, g] += at
        sums[5, g] += at * at
    total = max(total, 1.0)
    for k in range(b):
        g = group[k]
        size = sums[0, g]
        in_group = max(sums[1, g], 1.0)
        middle = sums[4, g] / size
        spread = sums[5, g] / size - middle * middle
        x[BLOCKS, k] = log1p(size)
        x[MEAN, k] = log1p(sums[2, g] / size)
        x[LINKED, k] = 1.0 - sums[2, g] / in_group
        x[SHARE, k] = sums[1, g] / total
        x[PROSE, k] = sums[3, g] / in_group
        x[SPREAD, k] = sqrt(max(spread, 0.0))


def heading_features(
    x: Table,
    title: cython.Py_ssize_t,
    parent: Ints,
    tree: LongTable,
    holder: cython.Py_ssize_t,
    is_heading: Flags,
    tag: Longs,
    totals: DoubleTable,
):
    """Write where a block is from the title and from the last heading.

    title: the heading that is most similar to the title, -1 for none; holder: the node that holds it.
    """
    BEHIND_TITLE, PLAIN_BEHIND_TITLE, SHARED = 0, 1, 2
    BEHIND_HEADING, HEADING_TAG, PLAIN_BEHIND_HEADING = 3, 4, 5
    b: cython.Py_ssize_t = len(tag)
    all_plain = max(totals[1, b], 1.0)
    write_shared(x[SHARED], title, holder, tree, parent, totals)
    heading: cython.Py_ssize_t = -1
    for k in range(b):
        plain = totals[1, k]
        if is_heading[k]:
            heading = k
        x[BEHIND_TITLE, k] = min(max(k - title, -100), 200) if title >= 0 else -200
        x[PLAIN_BEHIND_TITLE, k] = (plain - totals[1, title]) / all_plain if title >= 0 else -1.0
        x[BEHIND_HEADING, k] = min(k - heading, 50) if heading >= 0 else -1
        x[HEADING_TAG, k] = tag[heading] if heading >= 0 else -1
        x[PLAIN_BEHIND_HEADING, k] = (plain - totals[1, heading]) / all_plain if heading >= 0 else 0.0


@cython.cfunc
def write_shared(
    share: Row,
    title: cython.Py_ssize_t,
    holder: cython.Py_ssize_t,
    tree: LongTable,
    parent: Ints,
    totals: DoubleTable,
):
    """Write the share of the page in the smallest element with a block and the title; -1 for no title."""
    b: cython.Py_ssize_t = len(share)
    total = max(totals[0, b], 1.0)
    for k in range(b):
        share[k] = -1.0 if title < 0 else 0.0
    if title < 0:
        return
    node: cython.Py_ssize_t = holder
    low, high = tree[1, node], tree[1, node]
    while node >= 0:
        first, last = tree[1, node], tree[2, node]
        of_node = (totals[0, last] - totals[0, first]) / total
        for k in range(first, low):
            share[k] = of_node
        for k in range(high, last):
            share[k] = of_node
        low, high = first, last
        node = parent[node]


def body_features(
    x: Table, shares: Doubles, tree: LongTable, level: Longs, prose: Doubles, mass_before: Doubles
):
    """Write where a block is in the innermost elements with a share of the prose, and from the prose.

    level: (b,) of the container of a block. mass_before: (b + 1,) letters of prose before each block, or all
    letters outside links if there is no prose.
    """
    PLACE, LEVEL, BEHIND_FIRST, BEHIND_LAST, FROM_PROSE = 0, 1, 0, 1, 2
    n: cython.Py_ssize_t = tree.shape[1]
    b: cython.Py_ssize_t = len(prose)
    mass = max(mass_before[b], 1.0)
    for i in range(len(shares)):
        node = n - 1
        while node > 0 and (mass_before[tree[2, node]] - mass_before[tree[1, node]]) / mass < shares[i]:
            node -= 1
        first = tree[1, node]
        size: cython.double = max(tree[2, node] - first, 1)
        for k in range(b):
            x[2 * i + PLACE, k] = min(max((k - first) / size, -1.0), 2.0)
            x[2 * i + LEVEL, k] = level[k] - tree[4, node]
    rest = x[2 * len(shares) :]
    write_distances(rest[BEHIND_FIRST], rest[BEHIND_LAST], rest[FROM_PROSE], prose)


@cython.cfunc
def write_distances(behind_first: Row, behind_last: Row, from_prose: Row, prose: Doubles):
    """Write the logarithms of the distances of each block from the first, the last, and the nearest prose."""
    b: cython.Py_ssize_t = len(prose)
    first: cython.Py_ssize_t = -1
    last: cython.Py_ssize_t = -1
    before: cython.Py_ssize_t = -1
    behind: cython.Py_ssize_t = b
    distance: cython.Py_ssize_t[::1] = np.zeros(b, np.intp)
    for k in range(b):
        if prose[k] > 0.0:
            before = k
            last = k
            first = k if first < 0 else first
        distance[k] = k - before
    for k in range(b - 1, -1, -1):
        if prose[k] > 0.0:
            behind = k
        distance[k] = min(distance[k], behind - k)
    any_prose = first >= 0
    if not any_prose:
        first, last = 0, b - 1
    for k in range(b):
        behind_first[k] = log1p(k - first) if k >= first else -log1p(first - k)
        behind_last[k] = log1p(k - last) if k >= last else -log1p(last - k)
        from_prose[k] = log1p(distance[k] if any_prose else b)


def repeated_features(
    x: Table,
    kind: Longs,
    least: cython.Py_ssize_t,
    times: cython.Py_ssize_t,
    holder: Longs,
    parent: Ints,
    tree: LongTable,
    tags: Longs,
    totals: DoubleTable,
):
    """Write the features of the nearest element around a block that has siblings of its kind; -1 for none.

    kind: (n,) equal for elements of a kind, 0 at texts; least: least number of blocks of such an element;
    times: least number of such siblings.
    """
    NUMBER, MEAN, LINKED, SHARE, BLOCKS, PLACE, LETTERS, TAG = 0, 1, 2, 3, 4, 5, 6, 7
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(holder)
    total = max(totals[0, b], 1.0)
    keys = np.zeros(n, np.uint64)
    member: cython.int[::1] = np.zeros(n, np.int32)
    key_of_member: cython.ulonglong[::1] = memoryview(keys)
    kinds: cython.longlong = 0
    for i in range(n):
        kinds = max(kinds, kind[i] + 1)
    m = 0
    for i in range(n):
        if kind[i] and tree[2, i] - tree[1, i] >= least:
            member[m] = i
            key_of_member[m] = tree[0, i] * kinds + kind[i]
            m += 1
    numbers, first_members, _ = numbered(keys[:m])
    number: Ints = numbers
    group: cython.int[::1] = np.full(n, -1, np.int32)
    rank: cython.double[::1] = np.zeros(n)
    # The sums of each group: elements, letters, letters outside links, blocks.
    sums: cython.double[:, ::1] = np.zeros((4, len(first_members)))
    for j in range(m):
        i = member[j]
        g = number[j]
        first, last = tree[1, i], tree[2, i]
        group[i] = g
        rank[i] = sums[0, g]
        sums[0, g] += 1.0
        sums[1, g] += totals[0, last] - totals[0, first]
        sums[2, g] += totals[1, last] - totals[1, first]
        sums[3, g] += last - first
    nearest: cython.int[::1] = np.zeros(n, np.int32)
    for i in range(n):
        g = group[i]
        if g >= 0 and sums[0, g] >= times:
            nearest[i] = i
        elif parent[i] >= 0:
            nearest[i] = nearest[parent[i]]
    for k in range(b):
        node = nearest[holder[k]]
        g = group[node]
        if g < 0 or sums[0, g] < times:
            for row in range(8):
                x[row, k] = -1.0
            continue
        letters = sums[1, g]
        x[NUMBER, k] = log1p(sums[0, g])
        x[MEAN, k] = log1p(letters / sums[0, g])
        x[LINKED, k] = (letters - sums[2, g]) / max(letters, 1.0)
        x[SHARE, k] = letters / total
        x[BLOCKS, k] = log1p(sums[3, g] / sums[0, g])
        x[PLACE, k] = min(rank[node], 20.0)
        x[LETTERS, k] = log1p(totals[0, tree[2, node]] - totals[0, tree[1, node]])
        x[TAG, k] = tags[node]


def page_features(
    x: Table,
    totals: DoubleTable,
    letters: Doubles,
    money: Doubles,
    in_main: Hints,
    in_article: Hints,
    counted: Longs,
):
    """Write the features of the page, which are the same for all blocks.

    money: (b,) signs of currencies; in_main, in_article: (b,) hints; counted: (n,) number of a tag that is
    counted, from 1, 0 for others.
    """
    LETTERS, BLOCKS, LINKED, PROSE, MEAN, MONEY, HEADINGS, IN_MAIN, IN_ARTICLE, TAGS = (
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
        8,
        9,
    )
    b: cython.Py_ssize_t = len(letters)
    blocks: cython.double = b
    total, plain = max(totals[0, b], 1.0), max(totals[1, b], 1.0)
    with_money, of_main, of_article = 0.0, 0.0, 0.0
    for k in range(b):
        with_money += 1.0 if money[k] > 0.0 else 0.0
        of_main += letters[k] if in_main[k] > 0.0 else 0.0
        of_article += letters[k] if in_article[k] > 0.0 else 0.0
    value: cython.double[::1] = np.zeros(x.shape[0])
    for i in range(len(counted)):
        if counted[i]:
            value[TAGS + counted[i] - 1] += 1.0
    for row in range(TAGS, x.shape[0]):
        value[row] = log1p(value[row])
    value[LETTERS] = log1p(total)
    value[BLOCKS] = log1p(blocks)
    value[LINKED] = 1.0 - plain / total
    value[PROSE] = totals[4, b] / total
    value[MEAN] = log1p(plain / blocks)
    value[MONEY] = log1p(with_money)
    value[HEADINGS] = log1p(totals[5, b])
    value[IN_MAIN] = of_main / total
    value[IN_ARTICLE] = of_article / total
    for row in range(x.shape[0]):
        for k in range(b):
            x[row, k] = value[row]
