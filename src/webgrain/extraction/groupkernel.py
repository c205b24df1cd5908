# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.extraction.threads`: groups of similar elements, their features, and owners of blocks.

n nodes, b blocks, g groups, m elements of all groups. tree (5, n) int64: of
`webgrain.columns.factkernel.block_tree`, with the rows parent, first, last, wider and level: the blocks
``first:last`` are in a node. offset (g + 1,) int64: a group has the elements ``offset[k]:offset[k + 1]``.
node, first, last (m,) int64: the node of an element, and its blocks.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log, log1p, sqrt
else:
    from math import log, log1p, sqrt

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
DoubleTableBuffer = cython.typedef(cython.double[:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
HintTable = cython.typedef(cython.const[cython.float][:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
LongTable = cython.typedef(cython.const[cython.longlong][:, ::1])
Table = cython.typedef(cython.float[:, ::1])


def element_kinds(tag: Ints, tags: cython.Py_ssize_t, node: Longs, key: object):
    """Return (n,) int64, equal for nodes with the same tag and key; in the order of the page.

    tag: (n,), below ``tags``. node (c,): the elements that have a key (c,) uint64; 0 is no key.
    """
    n: cython.Py_ssize_t = len(tag)
    filled_array = key.nonzero()[0]
    number_array, first, _ = numbered(key[filled_array])
    filled: Longs = filled_array
    number: Ints = number_array
    keys: cython.longlong = len(first) + 1
    kind: LongBuffer = np.zeros(n, np.int64)
    rank: LongBuffer = np.zeros(tags, np.int64)  # from 1, in the order of the page
    ranks: cython.longlong = 0
    for j in range(len(filled)):
        kind[node[filled[j]]] = number[j] + 1
    for i in range(n):
        if rank[tag[i]] == 0:
            ranks += 1
            rank[tag[i]] = ranks
        kind[i] += (rank[tag[i]] - 1) * keys
    return np.asarray(kind)


def similar_elements(
    tree: LongTable,
    usable: Flags,
    kind: object,
    letters: Doubles,
    mass: Doubles,
    least: cython.double,
    least_share: cython.double,
    most: cython.Py_ssize_t,
):
    """Return the groups of elements with most mass: offset, node, first, last, and alike (g,) int64.

    usable: (n,) 1 at the nodes that may be elements. kind: (n,) of `element_kinds`. letters, mass: (b,) of
    the blocks; a group has at least ``least`` letters, and ``least_share`` of them as mass. alike: the number
    of elements with the kind of the first one. There are at most ``most`` groups; of groups with the same
    blocks, only the first is one of them.
    """
    node_array = usable_nodes(tree, usable)
    m: cython.Py_ssize_t = len(node_array)
    keys = level_keys(node_array, tree[0], kind)
    number_array, first_array, count_array = numbered(keys)
    member_array, begin_array = by_number(number_array, count_array)
    of_member = node_array[member_array % max(m, 1)]
    candidate_array = np.zeros(0, np.int64)
    if m:
        # These sums have the order of additions of NumPy.
        text_array = np.add.reduceat(sums_of(of_member, tree, letters), begin_array[: len(begin_array) - 1])
        mass_array = np.add.reduceat(sums_of(of_member, tree, mass), begin_array[: len(begin_array) - 1])
        candidate_array = ((text_array >= least) & (mass_array >= least_share * text_array)).nonzero()[0]
        order = np.lexsort((keys[first_array[candidate_array]], -mass_array[candidate_array]))
        candidate_array = candidate_array[order]
    number: Ints = number_array
    count: Ints = count_array
    member: Longs = member_array
    begin: Longs = begin_array
    element: Longs = of_member
    candidate: Longs = candidate_array
    first: Longs = tree[1]
    last: Longs = tree[2]
    chosen: LongBuffer = np.zeros(most, np.int64)
    offset: LongBuffer = np.zeros(most + 1, np.int64)
    alike: LongBuffer = np.zeros(most, np.int64)
    groups: cython.Py_ssize_t = 0
    for j in range(len(candidate)):
        group = candidate[j]
        size: cython.longlong = begin[group + 1] - begin[group]
        is_new: cython.bint = True
        for k in range(groups):
            other: cython.Py_ssize_t = offset[k + 1] - offset[k]
            if other == size and same_blocks(element, begin[group], begin[chosen[k]], size, first, last):
                is_new = False
                break
        if is_new:
            chosen[groups] = group
            offset[groups + 1] = offset[groups] + size
            # The first m keys are those of the elements alone.
            alike[groups] = count[number[member[begin[group]] % m]]
            groups += 1
        if groups == most:
            break
    node: LongBuffer = np.empty(offset[groups], np.int64)
    start: LongBuffer = np.empty(offset[groups], np.int64)
    stop: LongBuffer = np.empty(offset[groups], np.int64)
    for k in range(groups):
        for j in range(offset[k + 1] - offset[k]):
            node[offset[k] + j] = element[begin[chosen[k]] + j]
            start[offset[k] + j] = first[node[offset[k] + j]]
            stop[offset[k] + j] = last[node[offset[k] + j]]
    members = np.asarray(node), np.asarray(start), np.asarray(stop)
    return np.asarray(offset)[: groups + 1], *members, np.asarray(alike)[:groups]


@cython.cfunc
def usable_nodes(tree: LongTable, usable: Flags):
    """Return the usable nodes (m,) int64 with blocks."""
    n: cython.Py_ssize_t = len(usable)
    node: LongBuffer = np.empty(n, np.int64)
    m: cython.Py_ssize_t = 0
    for i in range(n):
        if usable[i] and tree[2, i] > tree[1, i]:
            node[m] = i
            m += 1
    return np.asarray(node)[:m]


@cython.cfunc
def level_keys(node: Longs, above: Longs, kinds: object):
    """Return the keys (3 * m,) uint64 of elements: of their kind, then also of the one or two above them.

    The keys of each level are greater than those of the one before.
    """
    m: cython.Py_ssize_t = len(node)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    kind: Longs = memoryview(kinds)
    key_array = np.empty(3 * m, np.uint64)
    keys: KeyBuffer = memoryview(key_array)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    size: cython.ulonglong = 2
    key: cython.ulonglong = 0
    for i in range(len(kind)):
        size = max(size, kind[i] + 2)
    for j in range(m):
        key = 1
        outer = node[j]
        for level in range(3):
            key = (key * size + kind[outer]) & mask
            keys[level * m + j] = key
            outer = above[outer]
    return key_array


@cython.cfunc
def by_number(number: Ints, count: Ints):
    """Return the places (m,) int64 of numbers, by number, and where each number begins (g + 1,) int64."""
    member: LongBuffer = np.empty(len(number), np.int64)
    begin: LongBuffer = np.zeros(len(count) + 1, np.int64)
    place: LongBuffer = np.zeros(len(count), np.int64)
    for k in range(len(count)):
        begin[k + 1] = begin[k] + count[k]
        place[k] = begin[k]
    for j in range(len(number)):
        member[place[number[j]]] = j
        place[number[j]] += 1
    return np.asarray(member), np.asarray(begin)


@cython.cfunc
def sums_of(node: Longs, tree: LongTable, x: Doubles):
    """Return the sum (m,) float64 of x (b,) over the blocks of each node."""
    before: DoubleBuffer = np.zeros(len(x) + 1)
    out: DoubleBuffer = np.empty(len(node))
    for k in range(len(x)):
        before[k + 1] = before[k] + x[k]
    for j in range(len(node)):
        out[j] = before[tree[2, node[j]]] - before[tree[1, node[j]]]
    return np.asarray(out)


@cython.cfunc
def same_blocks(
    node: Longs,
    a: cython.Py_ssize_t,
    b: cython.Py_ssize_t,
    size: cython.Py_ssize_t,
    first: Longs,
    last: Longs,
) -> cython.bint:
    """Whether the elements from place a have the same blocks as those from place b."""
    for j in range(size):
        if first[node[a + j]] != first[node[b + j]] or last[node[a + j]] != last[node[b + j]]:
            return False
    return True


def most_repeated(tree: LongTable, usable: Flags, kind: object):
    """Return (n,) float64, the most children of one kind of each node or of one in it with its blocks."""
    node_array = usable_nodes(tree, usable)
    above_array = np.asarray(tree)[0, node_array]
    keys = (above_array * (np.maximum.reduce(kind) + 1) + kind[node_array]).astype(np.uint64)
    number_array, _, count_array = numbered(keys)
    node: Longs = node_array
    above: Longs = above_array
    number: Ints = number_array
    count: Ints = count_array
    most: DoubleBuffer = np.zeros(len(kind))
    for j in range(len(node)):
        most[above[j]] = max(most[above[j]], count[number[j]])
    for j in range(len(node) - 1, -1, -1):
        i, p = node[j], above[j]
        if tree[1, i] == tree[1, p] and tree[2, i] == tree[2, p]:
            most[p] = max(most[p], most[i])
    return np.asarray(most)


def group_features(
    x: Table,
    offset: Longs,
    node: Longs,
    first: Longs,
    last: Longs,
    alike: Longs,
    tree: LongTable,
    repeated: Doubles,
    kind: Longs,
    blocks: DoubleTable,
    text: Longs,
    near: cython.longlong,
):
    """Write the features of groups into a table (f, g); their names are in ``groups.csv``.

    repeated: (n,) of `most_repeated`; kind: (n,) of the tag. blocks (10, b): letters, main text, comment,
    mass, linked letters, prose, ones, dates, headings and points of the blocks. text: (b,) numbers of the
    texts. near: how many blocks before and after the group may belong to it.
    """
    MEMBERS, LETTERS, MEDIAN, LEAST, VARIATION, SHARE_OF_THE_PAGE = 0, 1, 2, 3, 4, 5
    MAIN, COMMENT, HIGHEST_MAIN, HIGHEST_COMMENT, FIRST_MAIN, FIRST_COMMENT = 6, 7, 8, 9, 10, 11
    OTHER_MAIN, OTHER_COMMENT, SHARE_OF_THE_TEXT, TEXT_BEFORE, TEXT_AFTER = 12, 13, 14, 15, 16
    SHARE_OF_MAIN, PAGE_MAIN, PAGE_COMMENT, BETWEEN, LETTERS_BETWEEN = 17, 18, 19, 20, 21
    LINKED, PROSE, BLOCKS, DATES, DATES_AROUND, DATES_AFTER, DATES_BEFORE = 22, 23, 24, 25, 26, 27, 28
    BLOCKS_AROUND, SHARE_OF_THE_CONTAINER, HEADINGS, HEADINGS_AROUND = 29, 30, 31, 32
    BEGIN, END, DISTINCT, NESTED, TAG = 33, 34, 35, 36, 37
    REPEATED, MEAN_REPEATED, ALIKE, POINTS, LOWEST_TEXT, TEXT_RATIO = 38, 39, 40, 41, 42, 43
    g: cython.Py_ssize_t = len(alike)
    b: cython.Py_ssize_t = blocks.shape[1]
    before: DoubleTable = sums_before(blocks)
    nested: LongBuffer = np.zeros(g, np.int64)
    sum_array = element_sums(offset, first, last, before, nested)
    size_array, square_array, of_array = element_sizes(offset, sum_array)
    # These sums have the order of additions of NumPy.
    total: DoubleTable = np.add.reduceat(sum_array, offset[: len(offset) - 1])
    squares: Doubles = np.add.reduceat(square_array, offset[: len(offset) - 1])
    ordered: Doubles = size_array[np.lexsort((size_array, of_array))]
    sums: DoubleTable = sum_array
    size: Doubles = size_array
    seen: LongBuffer = np.zeros(b, np.int64)  # of each text, the number from 1 of the last group with it
    page: Doubles = np.ascontiguousarray(np.asarray(before)[b])
    mass: cython.double = max(page[3], 1.0)
    for k in range(g):
        start, stop = offset[k], offset[k + 1]
        n: cython.double = stop - start
        low, high = first[start], last[start]
        letters: cython.double = 0.0
        highest_main: cython.double = sums[start, 1] / size[start]
        highest_comment: cython.double = sums[start, 2] / size[start]
        lowest: cython.double = sums[start, 3] / size[start]
        highest: cython.double = lowest
        least: cython.double = size[start]
        most: cython.double = 0.0
        of_repeated: cython.double = 0.0
        distinct: cython.double = 0.0
        for j in range(start, stop):
            high = max(high, last[j])
            letters += size[j]
            least = min(least, size[j])
            highest_main = max(highest_main, sums[j, 1] / size[j])
            highest_comment = max(highest_comment, sums[j, 2] / size[j])
            lowest = min(lowest, sums[j, 3] / size[j])
            highest = max(highest, sums[j, 3] / size[j])
            most = max(most, repeated[node[j]])
            of_repeated += repeated[node[j]]
            if seen[text[first[j]]] != k + 1:
                seen[text[first[j]]] = k + 1
                distinct += 1.0
        around = container_of(node[start], n == 1.0, low, high, tree)
        begin, end = tree[1, around], tree[2, around]
        dates_after: cython.double = 0.0
        dates_before: cython.double = 0.0
        for j in range(start, stop):
            after = first[j + 1] if j + 1 < stop else min(end, high + near)
            previous = last[j - 1] if j > start else max(begin, low - near)
            if before[max(after, last[j]), 7] > before[last[j], 7]:
                dates_after += 1.0
            if before[first[j], 7] > before[min(previous, first[j]), 7]:
                dates_before += 1.0
        mean = letters / n
        middle = start + (stop - start) // 2
        of_all: cython.double = total[k, 0]
        others: cython.double = max(of_all - sums[start, 0], 0.5)
        span: cython.double = before[high, 0] - before[low, 0]
        between: cython.double = span - of_all
        x[MEMBERS, k] = log1p(n)
        x[LETTERS, k] = log1p(mean)
        x[MEDIAN, k] = log1p((ordered[start + (stop - start - 1) // 2] + ordered[middle]) / 2)
        x[LEAST, k] = log1p(least)
        x[VARIATION, k] = sqrt(squares[k] / n) / mean
        x[SHARE_OF_THE_PAGE, k] = of_all / page[0]
        x[MAIN, k] = total[k, 1] / of_all
        x[COMMENT, k] = total[k, 2] / of_all
        x[HIGHEST_MAIN, k] = highest_main
        x[HIGHEST_COMMENT, k] = highest_comment
        x[FIRST_MAIN, k] = sums[start, 1] / size[start]
        x[FIRST_COMMENT, k] = sums[start, 2] / size[start]
        x[OTHER_MAIN, k] = (total[k, 1] - sums[start, 1]) / others
        x[OTHER_COMMENT, k] = (total[k, 2] - sums[start, 2]) / others
        x[SHARE_OF_THE_TEXT, k] = total[k, 3] / mass
        x[TEXT_BEFORE, k] = before[low, 3] / mass
        x[TEXT_AFTER, k] = (page[3] - before[high, 3]) / mass
        x[SHARE_OF_MAIN, k] = total[k, 1] / max(page[1], 1.0)
        x[PAGE_MAIN, k] = log1p(page[1])
        x[PAGE_COMMENT, k] = log1p(page[2])
        x[BETWEEN, k] = between / span
        x[LETTERS_BETWEEN, k] = log1p(max(between, 0.0) / n)
        x[LINKED, k] = total[k, 4] / of_all
        x[PROSE, k] = total[k, 5] / of_all
        x[BLOCKS, k] = total[k, 6] / n
        x[DATES, k] = total[k, 7] / n
        x[DATES_AROUND, k] = (before[end, 7] - before[begin, 7] - total[k, 7]) / n
        x[DATES_AFTER, k] = dates_after / n
        x[DATES_BEFORE, k] = dates_before / n
        x[BLOCKS_AROUND, k] = (before[end, 6] - before[begin, 6] - total[k, 6]) / n
        x[SHARE_OF_THE_CONTAINER, k] = (before[end, 0] - before[begin, 0] - of_all + of_all) / page[0]
        x[HEADINGS, k] = total[k, 8] / n
        x[HEADINGS_AROUND, k] = (before[end, 8] - before[begin, 8] - total[k, 8]) / n
        x[BEGIN, k] = low / page[6]
        x[END, k] = high / page[6]
        x[DISTINCT, k] = distinct / n
        x[NESTED, k] = nested[k] / n
        x[TAG, k] = kind[node[start]]
        x[REPEATED, k] = log1p(most)
        x[MEAN_REPEATED, k] = log1p(of_repeated / n)
        x[ALIKE, k] = log(alike[k] / n)
        x[POINTS, k] = total[k, 9] / of_all
        x[LOWEST_TEXT, k] = lowest
        x[TEXT_RATIO, k] = lowest / max(highest, 1e-6)


def hint_features(x: Table, offset: Longs, first: Longs, hints: HintTable, middle: Longs, begin: Longs):
    """Write the hints of a block in the middle of each group, and of its first block, into a table (f, g).

    hints: (h, b) of all blocks; middle, begin: the numbers of the hints that are used.
    """
    for k in range(len(offset) - 1):
        at = first[offset[k] + (offset[k + 1] - offset[k]) // 2]
        for j in range(len(middle)):
            x[j, k] = hints[middle[j], at]
        for j in range(len(begin)):
            x[len(middle) + j, k] = hints[begin[j], first[offset[k]]]


@cython.cfunc
def sums_before(x: DoubleTable):
    """Return (b + 1, c) float64, the sums of what is before each block; x: (c, b)."""
    table = np.zeros((x.shape[1] + 1, x.shape[0]))
    out: DoubleTableBuffer = table
    for k in range(x.shape[1]):
        for c in range(x.shape[0]):
            out[k + 1, c] = out[k, c] + x[c, k]
    return table


@cython.cfunc
def element_sums(offset: Longs, first: Longs, last: Longs, before: DoubleTable, nested: LongBuffer):
    """Return the sums (m, c) float64 of each element without the elements of its group in it.

    nested (g,): is set to the number of elements that begin in the one before.
    """
    m: cython.Py_ssize_t = len(first)
    columns: cython.Py_ssize_t = before.shape[1]
    table = np.empty((m, columns))
    sums: DoubleTableBuffer = table
    open_: LongBuffer = np.empty(m, np.int64)  # the elements around an element, from outside
    for j in range(m):
        for c in range(columns):
            sums[j, c] = before[last[j], c] - before[first[j], c]
    for k in range(len(nested)):
        depth: cython.Py_ssize_t = 0
        for j in range(offset[k], offset[k + 1]):
            if j > offset[k] and first[j] < last[j - 1]:
                nested[k] += 1
            while depth and last[open_[depth - 1]] <= first[j]:
                depth -= 1
            if depth and last[j] <= last[open_[depth - 1]]:
                outer = open_[depth - 1]
                for c in range(columns):
                    sums[outer, c] -= before[last[j], c] - before[first[j], c]
            open_[depth] = j
            depth += 1
    return table


@cython.cfunc
def element_sizes(offset: Longs, sums: DoubleTable):
    """Return the letters (m,) of elements, the squares of their distances from the mean, and their groups."""
    m: cython.Py_ssize_t = sums.shape[0]
    size: DoubleBuffer = np.empty(m)
    square: DoubleBuffer = np.empty(m)
    of: LongBuffer = np.empty(m, np.int64)
    for k in range(len(offset) - 1):
        letters: cython.double = 0.0
        for j in range(offset[k], offset[k + 1]):
            of[j] = k
            size[j] = max(sums[j, 0], 0.5)
            letters += size[j]
        mean = letters / (offset[k + 1] - offset[k])
        for j in range(offset[k], offset[k + 1]):
            square[j] = (size[j] - mean) * (size[j] - mean)
    return np.asarray(size), np.asarray(square), np.asarray(of)


@cython.cfunc
def container_of(
    node: cython.longlong, alone: cython.bint, low: cython.longlong, high: cython.longlong, tree: LongTable
) -> cython.longlong:
    """Return the innermost element from a node outwards with the blocks ``low:high``.

    alone: whether it must have more blocks than the node.
    """
    if alone:
        node = tree[3, node]
    while node and (tree[1, node] > low or tree[2, node] < high):
        node = tree[3, node]
    return node


def block_owners(
    node: Longs, first: Longs, last: Longs, tree: LongTable, holder: Longs, near: cython.longlong
):
    """Return the element (b,) int64 of a group that each block belongs to, and the innermost one around it.

    -1: none. holder: (b,) the node of each block; near: how many blocks before the group may belong to its
    first element.
    """
    m: cython.Py_ssize_t = len(node)
    within: LongBuffer = np.full(len(holder), -1, np.int64)
    low, high = first[0], last[0]
    for j in range(m):
        high = max(high, last[j])
        for k in range(first[j], last[j]):
            within[k] = j
    owner: LongBuffer = np.asarray(within).copy()
    around = container_of(node[0], m == 1, low, high, tree)
    begin, end = tree[1, around], tree[2, around]
    head = max(begin, low - near)
    own_between(owner, within, low, high, head < low, tree, holder)
    gap = first[1] - last[0] if m > 1 else low - head
    lead: cython.longlong = 0  # blocks of the second element in other rows of the container
    if m > 1 and head < low:
        for k in range(last[0], first[1]):
            if owner[k] == owner[first[1]] and common_level(k, first[1], tree, holder) <= tree[4, around]:
                lead += 1
    own_before(owner, head, low, gap, lead, tree[4, around], tree, holder)
    outer = node[owner[high - 1]]
    while tree[0, outer] != around and tree[0, outer] > 0 and outer > around:
        outer = tree[0, outer]
    for k in range(high, min(tree[2, outer], end)):
        owner[k] = owner[high - 1]
    return np.asarray(owner), np.asarray(within)


@cython.cfunc
def own_between(
    owner: LongBuffer,
    within: LongBuffer,
    low: cython.longlong,
    high: cython.longlong,
    has_head: cython.bint,
    tree: LongTable,
    holder: Longs,
) -> cython.void:
    """Set the owners of the blocks from low to high that are in no element.

    It is the element with which a block has the inner element in common: of equal ones the next one if
    something precedes the first element, too.
    """
    previous = low
    following = low
    for k in range(low, high):
        if within[k] >= 0:
            previous = k
            continue
        while following <= k or within[following] < 0:
            following += 1
        of_previous = common_level(k, previous, tree, holder)
        of_following = common_level(k, following, tree, holder)
        if of_following > of_previous or (of_following == of_previous and has_head):
            owner[k] = within[following]
        else:
            owner[k] = within[previous]


@cython.cfunc
def own_before(
    owner: LongBuffer,
    head: cython.longlong,
    low: cython.longlong,
    gap: cython.longlong,
    lead: cython.longlong,
    level: cython.longlong,
    tree: LongTable,
    holder: Longs,
) -> cython.void:
    """Set the owners of the blocks from head to low, which precede the first element.

    Its blocks are those that have an element inside the container, of this level, in common with it, and as
    many before them as the second element has, such as a row with the author; if there are none, as many as
    there are between the first two elements.
    """
    begin = low
    for k in range(low - 1, head - 1, -1):
        if common_level(k, low, tree, holder) > level:
            owner[k] = owner[low]
            begin = k
    for k in range(max(head, begin - (lead if begin < low else gap)), begin):
        owner[k] = owner[low]


@cython.cfunc
def common_level(a: cython.longlong, b: cython.longlong, tree: LongTable, holder: Longs) -> cython.longlong:
    """Return the level of the innermost element that has both blocks."""
    node = holder[a]
    while node and not tree[1, node] <= b < tree[2, node]:
        node = tree[3, node]
    return tree[4, node]
