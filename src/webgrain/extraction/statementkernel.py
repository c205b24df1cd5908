# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.extraction.authors` and `publication`: what a page states, as features of candidates.

n nodes, b text blocks, s statements, c candidates. x (f, c) float32: the features of the candidates, NaN for
missing ones; their names are in ``metadata.csv``. node (s,) int64: where a statement is, -1 for none.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Bytes = cython.typedef(cython.const[cython.uchar][::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.uchar[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Places = cython.typedef(cython.const[cython.float][:, ::1])
Shorts = cython.typedef(cython.const[cython.ushort][::1])
Table = cython.typedef(cython.float[:, ::1])

PARTS = 0xFF
"""The bits for kinds of parts; those above are for other names."""
AT_TITLE, AT_TEXT, AT_END, IN_UNIT, NO_FOOTER, NO_ASIDE, NO_CARD, OUTSIDE = range(8)
"""Rows of `places`; the last is the number of the three parts before it in which a node is not."""
FARTHEST = 50  # blocks
NAN = float("nan")
MOST_ORDERS = 8  # sources of statements


def node_bits(n: int, node: Longs, bits: Shorts):
    """Return the bits (n,) uint16 of each node: those of its attributes (m,), whose nodes are given."""
    out_array = np.zeros(n, np.uint16)
    out: cython.ushort[::1] = out_array
    for i in range(len(node)):
        out[node[i]] |= bits[i]
    return out_array


def inside_parts(parent: Ints, end: Ints, kinds: Shorts, body: int, first: int, begin: int, stop: int):
    """Return the kinds of parts (n,) uint8 with each node; those around title or article are none.

    kinds: (n,) bits of the nodes themselves, of which the lowest 8 are kinds of parts. body: the node whose
    kinds do not count, -1 for none. first: the node of the title; begin: a node; of those
    above it that end at ``stop`` or later, the kinds do not count.
    """
    n: cython.Py_ssize_t = len(parent)
    inside: Flags = np.empty(n, np.uint8)
    for i in range(n):
        inside[i] = kinds[i] & PARTS
    node: cython.Py_ssize_t = begin
    while 0 <= node < n:
        if end[node] >= stop:
            inside[node] = 0
        node = parent[node]
    node = first
    while 0 <= node < n:
        inside[node] = 0
        node = parent[node]
    for i in range(n):
        if i == body:
            inside[i] = 0
        above: cython.Py_ssize_t = parent[i]
        if above >= 0:
            inside[i] |= inside[above]
    return np.asarray(inside)


def bits_above(parent: Ints, bits: Shorts, node: Longs, steps: int):
    """Return the bits (s,) uint16 of each node and of those above it, ``steps`` in all; none for no node."""
    s: cython.Py_ssize_t = len(node)
    out_array = np.zeros(s, np.uint16)
    out: cython.ushort[::1] = out_array
    for i in range(s):
        at: cython.Py_ssize_t = node[i]
        for _ in range(steps):
            if at < 0:
                break
            out[i] |= bits[at]
            at = parent[at]
    return out_array


def places(node: Longs, first: Ints, last: Ints, inside: Bytes, article: Longs, bits: Longs):
    """Return where nodes are (8, s) float32: the rows are the constants of this module; NaN for no node.

    first, last: (b,) nodes of the text blocks. inside: of `inside_parts`. article: blocks of the title, of
    the begin and the end of the text, -1 for none, then the nodes where the unit begins and ends. bits: of
    footers, asides and cards.
    """
    s: cython.Py_ssize_t = len(node)
    b: cython.Py_ssize_t = len(first)
    place: Table = np.empty((OUTSIDE + 1, s), np.float32)
    title: cython.longlong = article[0]
    begin: cython.longlong = article[1]
    stop: cython.longlong = article[2]
    for i in range(s):
        at: cython.longlong = node[i]
        for j in range(OUTSIDE + 1):
            place[j, i] = NAN
        if at < 0:
            continue
        k: cython.longlong = block_at(at, first, last, b)
        if title >= 0:
            place[AT_TITLE, i] = limited(k - title)
        if begin >= 0:
            place[AT_TEXT, i] = limited(k - begin)
            place[AT_END, i] = limited(k - stop)
            place[IN_UNIT, i] = article[3] <= at < article[4]
        place[OUTSIDE, i] = 0.0
        for j in range(3):
            outside: cython.float = not inside[at] & bits[j]
            place[NO_FOOTER + j, i] = outside
            place[OUTSIDE, i] += outside
    return np.asarray(place)


@cython.cfunc
def block_at(node: cython.longlong, first: Ints, last: Ints, b: cython.Py_ssize_t) -> cython.longlong:
    """Return the text block in which a node is or, if it is in none, the next one; 0 without blocks."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = b
    while low < high:
        middle: cython.Py_ssize_t = (low + high) // 2
        if first[middle] <= node:
            low = middle + 1
        else:
            high = middle
    k: cython.longlong = low - 1
    if k >= 0 and node <= last[k]:
        return k
    return max(min(k + 1, b - 1), 0)


@cython.cfunc
def limited(blocks: cython.longlong) -> cython.float:
    """Return a number of blocks between -50 and 50."""
    return max(min(blocks, FARTHEST), -FARTHEST)


def write_statements(
    x: Table,
    least: Bytes,
    row: Longs,
    order: Longs,
    place: Places,
    statement: Longs,
    column: Longs,
    value: Doubles,
    distance: Doubles,
    columns: Longs,
):
    """Write the features of the statements of each candidate, and the place of the one nearest to the title.

    Returns the statement (c,) int64 of each candidate with the least order, of several the first.

    least: (f,) whether the least value of a feature counts, not the greatest. row: (s,) the candidate of a
    statement, -1 for none; order: the rank of its source; place: of `places`. statement, column, value: (m,)
    of each feature; a value that is missing is the distance (s,) of the statement, which may be missing, too.
    columns: the number of statements, that of sources or -1, and the first one of the place.
    """
    c: cython.Py_ssize_t = x.shape[1]
    STATEMENTS: cython.Py_ssize_t = columns[0]
    SOURCES: cython.Py_ssize_t = columns[1]
    PLACE: cython.Py_ssize_t = columns[2]
    for i in range(len(column)):
        k: cython.Py_ssize_t = row[statement[i]]
        new: cython.double = value[i]
        if new != new:
            new = distance[statement[i]]
        if k < 0 or new != new:
            continue
        old: cython.double = x[column[i], k]
        if old != old or (new < old if least[column[i]] else new > old):
            x[column[i], k] = new
    best: cython.longlong[::1] = np.empty(c, np.int64)
    nearest: cython.longlong[::1] = np.empty(c, np.int64)
    sources: Flags = np.zeros(c, np.uint8)
    for k in range(c):
        best[k] = -1
        nearest[k] = -1
        x[STATEMENTS, k] = 0.0
    for i in range(len(row)):
        k: cython.Py_ssize_t = row[i]
        if k < 0:
            continue
        x[STATEMENTS, k] += 1.0
        sources[k] |= 1 << order[i]
        if best[k] < 0 or order[i] < order[best[k]]:
            best[k] = i
        if place[OUTSIDE, i] == place[OUTSIDE, i] and (nearest[k] < 0 or is_nearer(place, i, nearest[k])):
            nearest[k] = i
    for k in range(c):
        if SOURCES >= 0:
            x[SOURCES, k] = bits_of(sources[k])
        if nearest[k] >= 0:
            for j in range(OUTSIDE):
                x[PLACE + j, k] = place[j, nearest[k]]
    return np.asarray(best)


@cython.cfunc
def is_nearer(place: Places, i: cython.Py_ssize_t, j: cython.Py_ssize_t) -> cython.bint:
    """Whether a statement is outside of more parts than another one or, of as many, nearer to the title."""
    if place[OUTSIDE, i] != place[OUTSIDE, j]:
        return place[OUTSIDE, i] > place[OUTSIDE, j]
    return remoteness(place[AT_TITLE, i]) < remoteness(place[AT_TITLE, j])


@cython.cfunc
def remoteness(blocks: cython.float) -> cython.float:
    """Return how many blocks something is from the title; what is before it counts as farther."""
    return -blocks + 5.0 if blocks < 0 else blocks


@cython.cfunc
def bits_of(bits: cython.uchar) -> cython.int:
    """Return the number of bits that are set."""
    count: cython.int = 0
    for j in range(MOST_ORDERS):
        count += bits >> j & 1
    return count


def compare_names(
    x: Table, token: Ints, start: Longs, is_joiner: Bytes, in_title: Bytes, place: int, columns: Longs
):
    """Write what the names of candidates have in common with each other and with the title.

    token: (t,) numbers of the tokens of all names, start: (c + 1,) where each name begins. is_joiner,
    in_title: by the number of a token, whether it only joins names, and whether the title has it. place: the
    column of the blocks from the title; columns: those that are written, in the order of this function.
    """
    c: cython.Py_ssize_t = x.shape[1]
    IN_TITLE: cython.Py_ssize_t = columns[0]
    WITHIN_ANOTHER: cython.Py_ssize_t = columns[1]
    CONTAINS_ANOTHER: cython.Py_ssize_t = columns[2]
    CANDIDATES: cython.Py_ssize_t = columns[3]
    VISIBLE_RANK: cython.Py_ssize_t = columns[4]
    VISIBLE_CANDIDATES: cython.Py_ssize_t = columns[5]
    owner: cython.longlong[::1] = np.zeros(len(in_title), np.int64)  # one more than the name marked last
    words: cython.longlong[::1] = np.zeros(c, np.int64)  # different ones
    visible: cython.Py_ssize_t = 0
    for k in range(c):
        shared: cython.double = 0.0
        for i in range(start[k], start[k + 1]):
            shared += in_title[token[i]]
            words[k] += not is_joiner[token[i]] and owner[token[i]] != k + 1
            owner[token[i]] = k + 1
        x[IN_TITLE, k] = shared / max(start[k + 1] - start[k], 1)
        x[WITHIN_ANOTHER, k] = 0.0
        x[CONTAINS_ANOTHER, k] = 0.0
        visible += x[place, k] == x[place, k]
    for j in range(c):
        for i in range(start[j], start[j + 1]):
            owner[token[i]] = c + j + 1
        for k in range(c):
            is_within: cython.bint = words[k] < words[j]
            if is_within:
                for i in range(start[k], start[k + 1]):
                    if not is_joiner[token[i]] and owner[token[i]] != c + j + 1:
                        is_within = False
                        break
            x[WITHIN_ANOTHER, k] += is_within
            x[CONTAINS_ANOTHER, j] += is_within
    for k in range(c):
        x[CANDIDATES, k] = c
        x[VISIBLE_CANDIDATES, k] = visible
        if x[place, k] == x[place, k]:
            x[VISIBLE_RANK, k] = count_nearer(x, place, abs(x[place, k]))


@cython.cfunc
def count_nearer(x: Table, place: cython.Py_ssize_t, distance: cython.float) -> cython.int:
    """Return how many candidates are nearer to the title."""
    count: cython.int = 0
    for j in range(x.shape[1]):
        count += abs(x[place, j]) < distance
    return count


def compare_days(
    x: Table,
    day: Longs,
    line: int,
    place: int,
    columns: Longs,
    source: Longs,
    least: Bytes,
    offset: Longs,
):
    """Write how the days of candidates are ordered, and how far they are from those that markup states.

    day: (c,) as numbers. line: a column that is only missing for days that are in no line; place: that of the
    blocks from the title. columns: those that are written, in the order of this function. source: (o,)
    columns of relevance or rank; offset: (o,) columns with the days from the best day of each.
    """
    c: cython.Py_ssize_t = x.shape[1]
    DAYS: cython.Py_ssize_t = columns[0]
    LINE_DAYS: cython.Py_ssize_t = columns[1]
    RANK: cython.Py_ssize_t = columns[2]
    RANK_FROM_THE_LATEST: cython.Py_ssize_t = columns[3]
    LINE_RANK: cython.Py_ssize_t = columns[4]
    lines: cython.Py_ssize_t = 0
    for k in range(c):
        lines += x[line, k] == x[line, k]
    for k in range(c):
        earlier: cython.Py_ssize_t = 0
        later: cython.Py_ssize_t = 0
        nearer: cython.Py_ssize_t = 0
        distance: cython.float = abs(x[place, k])
        for j in range(c):
            earlier += day[j] < day[k]
            later += day[j] > day[k]
            nearer += x[line, j] == x[line, j] and abs(x[place, j]) < distance
        x[DAYS, k] = c
        x[LINE_DAYS, k] = lines
        x[RANK, k] = earlier
        x[RANK_FROM_THE_LATEST, k] = later
        if x[line, k] == x[line, k]:
            x[LINE_RANK, k] = nearer
    for i in range(len(source)):
        best: cython.Py_ssize_t = -1
        for k in range(c):
            value = x[source[i], k]
            if value != value:
                continue
            if best < 0 or (value < x[source[i], best] if least[source[i]] else value > x[source[i], best]):
                best = k
        if best >= 0:
            for k in range(c):
                x[offset[i], k] = max(min(day[k] - day[best], 400), -400)


IS_CHANGE, MAY_NOT_REPLACE, CHANGED, META_CHANGED, PROPERTY_CHANGED, SHOWN_CHANGE = (1 << k for k in range(6))
"""What is known of a day, as bits: it is only stated as that of a change; it may not replace the day that is
declared; what states that it is the day of a change."""


def day_flags(x: Table, probability: Doubles, replaces: float, columns: Longs):
    """Return what is known of each day (c,) uint8 as bits, see the constants of this module.

    probability: (c,) of being the day of publication; replaces: that at which a day replaces a later one that
    is declared. columns: those of the features that are read, in the order of this function.
    """
    c: cython.Py_ssize_t = x.shape[1]
    flags: Flags = np.zeros(c, np.uint8)
    ARTICLE: cython.Py_ssize_t = columns[0]
    META: cython.Py_ssize_t = columns[1]
    DATE_CHANGED: cython.Py_ssize_t = columns[2]
    DATE_META_CHANGED: cython.Py_ssize_t = columns[3]
    DATE_PROPERTY_CHANGED: cython.Py_ssize_t = columns[4]
    NAMED_DATE: cython.Py_ssize_t = columns[5]
    NAMED_CHANGE: cython.Py_ssize_t = columns[6]
    LABEL_PUBLISHED: cython.Py_ssize_t = columns[7]
    LABEL_CHANGED: cython.Py_ssize_t = columns[8]
    LABEL_OTHER: cython.Py_ssize_t = columns[9]
    FROM_DECLARED: cython.Py_ssize_t = columns[10]
    FROM_META: cython.Py_ssize_t = columns[11]
    for k in range(c):
        in_json: cython.bint = x[DATE_CHANGED, k] == x[DATE_CHANGED, k]
        in_meta: cython.bint = x[DATE_META_CHANGED, k] == x[DATE_META_CHANGED, k]
        named: cython.bint = x[NAMED_CHANGE, k] == 1 and x[NAMED_DATE, k] == 0
        labelled: cython.bint = x[LABEL_CHANGED, k] == 1
        declared: cython.bint = x[ARTICLE, k] == x[ARTICLE, k] or x[META, k] == x[META, k]
        offset: cython.float = x[FROM_DECLARED, k]
        if offset != offset:
            offset = x[FROM_META, k]
        is_change: cython.bint = (in_json or in_meta or named or labelled) and not (
            declared or x[LABEL_PUBLISHED, k] == 1
        )
        unlikely: cython.bint = (
            offset > 1
            or (offset < -1 and probability[k] < replaces)
            or ((in_json or in_meta) and (offset < 0 or offset > 0))
        )
        if is_change:
            flags[k] |= 1
        if unlikely and not declared:
            flags[k] |= 2
        if in_json:
            flags[k] |= 4
        if in_meta:
            flags[k] |= 8
        if x[DATE_PROPERTY_CHANGED, k] == x[DATE_PROPERTY_CHANGED, k]:
            flags[k] |= 16
        if named or (labelled and x[LABEL_OTHER, k] == 0):
            flags[k] |= 32
    return np.asarray(flags)
