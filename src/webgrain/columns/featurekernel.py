# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the blocks of a page, a function for each group; their table is ``features.csv``.

Each function writes the rows of its group into a table (f, b) float32. n nodes, b blocks. tree (5, n) int64:
of `block_tree`, with the rows parent, first, last, wider and level. blocks (4, b) float64: letters, letters
outside links, share of links, letters of prose. totals (6, b + 1) float64: sums of what is before each block:
letters, letters outside links, marks, words, letters of prose, headings.
"""

from __future__ import annotations

import numpy as np

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
HintTable = cython.typedef(cython.const[cython.float][:, ::1])
IntBuffer = cython.typedef(cython.int[::1])
IntTable = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
DoubleRows = cython.typedef(cython.double[:, ::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
LongTable = cython.typedef(cython.const[cython.longlong][:, ::1])
Row = cython.typedef(cython.float[::1])
Table = cython.typedef(cython.float[:, ::1])


def block_features(
    x: Table,
    row: Longs,
    parent: Ints,
    end: Ints,
    tag: Ints,
    tree: LongTable,
    holder: Longs,
    around: LongTable,
    kinds: Longs,
    node_kind: Longs,
    counted: Longs,
    group: Ints,
    blocks: DoubleTable,
    texts: DoubleTable,
    totals: DoubleTable,
    hint: HintTable,
    page_hints: Longs,
    is_heading: Flags,
    title: cython.Py_ssize_t,
    ups: Longs,
    levels: Longs,
    shares: Doubles,
):
    """Write all features into x (f, b); b > 0.

    row (11,): where each group begins, in the order of this function, and f. parent, end, tag (n,): of the
    Dom. holder (b,), around (c, b): the node that holds a block, and the containers around it. kinds (n,):
    the kind of each tag; node_kind (n,): of its tag and classes, 0 at texts; counted (n,): number of a tag
    that is counted, from 1, 0 for others. group (b,): equal for blocks at the same path, from 0. texts (12,
    b): of `text_table`; hint (h, b): the hints; page_hints (2,): the rows of ``<main>`` and ``<article>``.
    title: the heading that is most similar to the title, -1 for none. ups: the rows of around that are used;
    levels: the levels from the top that are used, increasing; shares: of the prose in an element.
    """
    b: cython.Py_ssize_t = len(holder)
    n: cython.Py_ssize_t = len(parent)
    ints = np.empty((2, b), np.int64)
    block_ints: cython.longlong[:, ::1] = ints
    kind: LongBuffer = block_ints[0]
    level: LongBuffer = block_ints[1]
    for k in range(b):
        kind[k] = kinds[holder[k]]
        level[k] = tree[4, around[0, k]]
    own_features(x[row[0] : row[1]], blocks, texts, kind)
    for h in range(hint.shape[0]):
        for k in range(b):
            x[row[1] + h, k] = hint[h, k]
    around_features(x[row[2] : row[3]], around, ups, levels, tree, end, kinds, totals)
    beside_features(x[row[3] : row[4]], totals, level, blocks, kind)
    alike_features(x[row[4] : row[5]], group, blocks)
    heading_features(x[row[5] : row[6]], title, parent, tree, holder, is_heading, kind, totals)
    mass = 4 if totals[4, b] > 0.0 else 1
    body_features(x[row[6] : row[7]], shares, tree, level, blocks[3], totals[mass])
    repeated_features(x[row[7] : row[8]], node_kind, 1, 3, holder, parent, tree, kinds, totals)
    tags = np.empty(n, np.int64)
    tag_kind: LongBuffer = tags
    for i in range(n):
        tag_kind[i] = tag[i]
    repeated_features(x[row[8] : row[9]], tag_kind, 2, 2, holder, parent, tree, kinds, totals)
    in_main, in_article = page_hints[0], page_hints[1]
    page_features(x[row[9] : row[10]], totals, blocks[0], texts[4], hint[in_main], hint[in_article], counted)


@cython.cfunc
def own_features(x: Table, blocks: DoubleTable, texts: DoubleTable, tag: Longs):
    """Write what a block is by itself; texts: of `text_table`."""
    LETTERS, PLAIN, LINKED, WORDS, LETTERS_OF_A_WORD, POINTS, COMMAS, MONEY = 0, 1, 2, 3, 4, 5, 6, 7
    DIGITS, CAPITALS, MARKS, COMMON, LIKENESS, DESCRIBED = 8, 9, 10, 11, 12, 13
    IN_JSON_LD, REPEATS, TAG = 14, 15, 16
    letters: Doubles = blocks[0]
    plain: Doubles = blocks[1]
    linked: Doubles = blocks[2]
    characters: Doubles = texts[0]
    words: Doubles = texts[1]
    points: Doubles = texts[2]
    commas: Doubles = texts[3]
    money: Doubles = texts[4]
    digits: Doubles = texts[5]
    capitals: Doubles = texts[6]
    marks: Doubles = texts[7]
    repeats: Doubles = texts[8]
    common: Doubles = texts[9]
    likeness: Doubles = texts[10]
    described: Doubles = texts[11]
    for k in range(len(letters)):
        x[LETTERS, k] = log1p(letters[k])
        x[PLAIN, k] = log1p(plain[k])
        x[LINKED, k] = linked[k]
        x[WORDS, k] = log1p(words[k])
        x[LETTERS_OF_A_WORD, k] = characters[k] / words[k]
        x[POINTS, k] = points[k] / words[k]
        x[COMMAS, k] = commas[k] / words[k]
        x[MONEY, k] = min(money[k], 3.0)
        x[DIGITS, k] = digits[k]
        x[CAPITALS, k] = capitals[k]
        x[MARKS, k] = marks[k]
        x[COMMON, k] = common[k]
        x[LIKENESS, k] = likeness[k]
        x[DESCRIBED, k] = described[k]
        x[IN_JSON_LD, k] = -1.0  # without JSON-LD
        x[REPEATS, k] = min(repeats[k], 20.0)
        x[TAG, k] = tag[k]


@cython.cfunc
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
    wider: Longs = tree[3]
    level: Longs = tree[4]
    for place in range(len(ups)):
        begin = FEATURES * place
        write_containers(x[begin : begin + FEATURES], around[ups[place]], tree, end, tags, totals)
    of_level: cython.longlong[::1] = np.zeros(b, np.int64)
    for k in range(b):
        of_level[k] = around[0, k]
    for place in range(len(levels) - 1, -1, -1):
        node, outer = -1, -1
        for k in range(b):
            if of_level[k] != node:
                node = of_level[k]
                outer = node
                while level[outer] > levels[place]:
                    outer = wider[outer]
            of_level[k] = outer
        begin = FEATURES * (len(ups) + place)
        write_containers(x[begin : begin + FEATURES], of_level, tree, end, tags, totals)


@cython.cfunc
def write_containers(x: Table, nodes: Longs, tree: LongTable, end: Ints, tags: Longs, totals: DoubleTable):
    """Write the features of a container (b,) of each block."""
    LETTERS, SHARE, LINKED, MEAN, MARKS, PROSE, NODES, TAG, HEADINGS, PLACE = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    b: cython.Py_ssize_t = len(nodes)
    first: Longs = tree[1]
    last: Longs = tree[2]
    letters_before: Doubles = totals[0]
    plain_before: Doubles = totals[1]
    marks_before: Doubles = totals[2]
    words_before: Doubles = totals[3]
    prose_before: Doubles = totals[4]
    headings_before: Doubles = totals[5]
    all_plain = max(plain_before[b], 1.0)
    for k in range(b):
        node = nodes[k]
        low, high = first[node], last[node]
        size: cython.double = max(high - low, 1)
        x[PLACE, k] = (k - low) / size
        if k > 0 and nodes[k - 1] == node:
            for row in range(PLACE):
                x[row, k] = x[row, k - 1]
            continue
        letters = letters_before[high] - letters_before[low]
        plain = plain_before[high] - plain_before[low]
        marks = marks_before[high] - marks_before[low]
        words = words_before[high] - words_before[low]
        prose = prose_before[high] - prose_before[low]
        headings = headings_before[high] - headings_before[low]
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


@cython.cfunc
def beside_features(x: Table, totals: DoubleTable, level: Longs, of_blocks: DoubleTable, tag: Longs):
    """Write the place of a block, and what the blocks before and after are; level: (b,) of its container."""
    PLACE, LETTERS_BEFORE, PLAIN_BEFORE, LEVEL = 0, 1, 2, 3
    BEFORE_PLAIN, NEXT_PLAIN, BEFORE_LINKED, NEXT_LINKED, BEFORE_TAG, NEXT_TAG = 4, 5, 6, 7, 8, 9
    plain: Doubles = of_blocks[1]
    linked: Doubles = of_blocks[2]
    b: cython.Py_ssize_t = len(plain)
    blocks: cython.double = b
    letters_before: Doubles = totals[0]
    plain_before: Doubles = totals[1]
    total, all_plain = max(letters_before[b], 1.0), max(plain_before[b], 1.0)
    for k in range(b):
        x[PLACE, k] = k / blocks
        x[LETTERS_BEFORE, k] = letters_before[k] / total
        x[PLAIN_BEFORE, k] = plain_before[k] / all_plain
        x[LEVEL, k] = level[k]
        x[BEFORE_PLAIN, k] = log1p(plain[k - 1]) if k > 0 else -1.0
        x[NEXT_PLAIN, k] = log1p(plain[k + 1]) if k < b - 1 else -1.0
        x[BEFORE_LINKED, k] = linked[k - 1] if k > 0 else -1.0
        x[NEXT_LINKED, k] = linked[k + 1] if k < b - 1 else -1.0
        x[BEFORE_TAG, k] = tag[k - 1] if k > 0 else -1.0
        x[NEXT_TAG, k] = tag[k + 1] if k < b - 1 else -1.0


@cython.cfunc
def alike_features(x: Table, group: Ints, of_blocks: DoubleTable):
    """Write the features of all blocks at the same path as a block; group: (b,) their number, from 0."""
    BLOCKS, MEAN, LINKED, SHARE, PROSE, SPREAD = 0, 1, 2, 3, 4, 5
    b: cython.Py_ssize_t = len(group)
    letters: Doubles = of_blocks[0]
    plain: Doubles = of_blocks[1]
    prose: Doubles = of_blocks[3]
    sums: DoubleRows = np.zeros((6, b))
    size: cython.double[::1] = sums[0]
    of_letters: cython.double[::1] = sums[1]
    of_plain: cython.double[::1] = sums[2]
    of_prose: cython.double[::1] = sums[3]
    places: cython.double[::1] = sums[4]
    squares: cython.double[::1] = sums[5]  # of places
    blocks: cython.double = b
    total = 0.0
    for k in range(b):
        g = group[k]
        place = k / blocks
        total += letters[k]
        size[g] += 1.0
        of_letters[g] += letters[k]
        of_plain[g] += plain[k]
        of_prose[g] += prose[k]
        places[g] += place
        squares[g] += place * place
    total = max(total, 1.0)
    for k in range(b):
        g = group[k]
        per_letter = max(of_letters[g], 1.0)
        middle = places[g] / size[g]
        spread = squares[g] / size[g] - middle * middle
        x[BLOCKS, k] = log1p(size[g])
        x[MEAN, k] = log1p(of_plain[g] / size[g])
        x[LINKED, k] = 1.0 - of_plain[g] / per_letter
        x[SHARE, k] = of_letters[g] / total
        x[PROSE, k] = of_prose[g] / per_letter
        x[SPREAD, k] = sqrt(max(spread, 0.0))


@cython.cfunc
def heading_features(
    x: Table,
    title: cython.Py_ssize_t,
    parent: Ints,
    tree: LongTable,
    holder: Longs,
    is_heading: Flags,
    tag: Longs,
    totals: DoubleTable,
):
    """Write where a block is from the title and from the last heading.

    title: the heading that is most similar to the title, -1 for none; holder: (b,) the node of each block.
    """
    BEHIND_TITLE, PLAIN_BEHIND_TITLE, SHARED = 0, 1, 2
    BEHIND_HEADING, HEADING_TAG, PLAIN_BEHIND_HEADING = 3, 4, 5
    b: cython.Py_ssize_t = len(tag)
    before: Doubles = totals[1]  # letters outside links
    all_plain = max(before[b], 1.0)
    write_shared(x[SHARED], title, holder[max(title, 0)], tree, parent, totals)
    heading: cython.Py_ssize_t = -1
    for k in range(b):
        if is_heading[k]:
            heading = k
        x[BEHIND_TITLE, k] = min(max(k - title, -100), 200) if title >= 0 else -200
        x[PLAIN_BEHIND_TITLE, k] = (before[k] - before[title]) / all_plain if title >= 0 else -1.0
        x[BEHIND_HEADING, k] = min(k - heading, 50) if heading >= 0 else -1
        x[HEADING_TAG, k] = tag[heading] if heading >= 0 else -1
        x[PLAIN_BEHIND_HEADING, k] = (before[k] - before[heading]) / all_plain if heading >= 0 else 0.0


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
    first: Longs = tree[1]
    last: Longs = tree[2]
    before: Doubles = totals[0]
    total = max(before[b], 1.0)
    for k in range(b):
        share[k] = -1.0 if title < 0 else 0.0
    if title < 0:
        return
    node: cython.Py_ssize_t = holder
    low, high = first[node], first[node]  # the blocks that have their share
    while node >= 0:
        of_node = (before[last[node]] - before[first[node]]) / total
        for k in range(first[node], low):
            share[k] = of_node
        for k in range(high, last[node]):
            share[k] = of_node
        low, high = first[node], last[node]
        node = parent[node]


@cython.cfunc
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
    first: Longs = tree[1]
    last: Longs = tree[2]
    level_of_node: Longs = tree[4]
    mass = max(mass_before[b], 1.0)
    for i in range(len(shares)):
        node = n - 1
        while node > 0 and (mass_before[last[node]] - mass_before[first[node]]) / mass < shares[i]:
            node -= 1
        size: cython.double = max(last[node] - first[node], 1)
        for k in range(b):
            x[2 * i + PLACE, k] = min(max((k - first[node]) / size, -1.0), 2.0)
            x[2 * i + LEVEL, k] = level[k] - level_of_node[node]
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


@cython.cfunc
@cython.locals(at=cython.ulonglong, full=cython.ulonglong)
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
    above: Longs = tree[0]
    first: Longs = tree[1]
    last: Longs = tree[2]
    letters_before: Doubles = totals[0]
    plain_before: Doubles = totals[1]
    total = max(letters_before[b], 1.0)
    ints: IntTable = np.zeros((5, n), np.int32)
    member: IntBuffer = ints[0]
    first_member: IntBuffer = ints[1]  # of each group
    number: IntBuffer = ints[2]
    group: IntBuffer = ints[3]
    nearest: IntBuffer = ints[4]
    m: cython.Py_ssize_t = 0
    for i in range(n):
        group[i] = -1
        if kind[i] and last[i] - first[i] >= least:
            member[m] = i
            m += 1
    size_of_table: cython.Py_ssize_t = 4
    while size_of_table < 2 * m:
        size_of_table *= 2
    slots: IntBuffer = np.zeros(size_of_table, np.int32)  # one more than a group, 0 for none
    full = size_of_table - 1
    groups: cython.Py_ssize_t = 0
    for j in range(m):
        i = member[j]
        at = above[i] * 31 + kind[i]
        at = (at * 73244475) & 0x7FFFFFFFFFFFFFFF
        at = (at ^ (at >> 29)) & full
        while slots[at] > 0:
            other: cython.Py_ssize_t = first_member[slots[at] - 1]
            if above[other] == above[i] and kind[other] == kind[i]:
                break
            at = (at + 1) & full
        if slots[at] == 0:
            first_member[groups] = i
            groups += 1
            slots[at] = groups
        number[j] = slots[at] - 1
    sums: DoubleRows = np.zeros((5, n))
    size: cython.double[::1] = sums[0]
    letters: cython.double[::1] = sums[1]
    plain: cython.double[::1] = sums[2]
    blocks: cython.double[::1] = sums[3]
    rank: cython.double[::1] = sums[4]  # of a node in its group
    for j in range(m):
        i = member[j]
        g = number[j]
        group[i] = g
        rank[i] = size[g]
        size[g] += 1.0
        letters[g] += letters_before[last[i]] - letters_before[first[i]]
        plain[g] += plain_before[last[i]] - plain_before[first[i]]
        blocks[g] += last[i] - first[i]
    for i in range(n):
        g = group[i]
        if g >= 0 and size[g] >= times:
            nearest[i] = i
        elif parent[i] >= 0:
            nearest[i] = nearest[parent[i]]
    for k in range(b):
        node = nearest[holder[k]]
        g = group[node]
        if g < 0 or size[g] < times:
            for row in range(8):
                x[row, k] = -1.0
            continue
        x[NUMBER, k] = log1p(size[g])
        x[MEAN, k] = log1p(letters[g] / size[g])
        x[LINKED, k] = (letters[g] - plain[g]) / max(letters[g], 1.0)
        x[SHARE, k] = letters[g] / total
        x[BLOCKS, k] = log1p(blocks[g] / size[g])
        x[PLACE, k] = min(rank[node], 20.0)
        x[LETTERS, k] = log1p(letters_before[last[node]] - letters_before[first[node]])
        x[TAG, k] = tags[node]


@cython.cfunc
def page_features(
    x: Table,
    totals: DoubleTable,
    letters: Doubles,
    money: Doubles,
    in_main: cython.const[cython.float][::1],
    in_article: cython.const[cython.float][::1],
    counted: Longs,
):
    """Write the features of the page, which are the same for all blocks.

    money: (b,) signs of currencies; in_main, in_article: (b,) hints; counted: (n,) number of a tag that is
    counted, from 1, 0 for others.
    """
    LETTERS, BLOCKS, LINKED, PROSE, MEAN, MONEY, HEADINGS = 0, 1, 2, 3, 4, 5, 6
    IN_MAIN, IN_ARTICLE, TAGS = 7, 8, 9
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
