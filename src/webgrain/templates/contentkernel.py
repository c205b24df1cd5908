# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The children of the nodes that a TAG stands for: which of them are alike, and the strings that they make.

n nodes of all pages, see `webgrain.templates.structure.Forest`; c children of some of them, in rows.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
KeyRows = cython.typedef(cython.const[cython.ulonglong][:, ::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

WORDS = 4
"""Words of a shape."""


def children_of(places: Longs, first: Longs, count: Longs, order: Longs):
    """Return the children (c,) int64 of some nodes, one after the other; offset (r + 1,) int64: of each node.

    places (r,): the nodes; first, count (n,): the place of the children of each node in ``order``, and their
    number.
    """
    r: cython.Py_ssize_t = len(places)
    offset: LongBuffer = np.zeros(r + 1, np.int64)
    for i in range(r):
        offset[i + 1] = offset[i] + count[places[i]]
    child: LongBuffer = np.empty(offset[r], np.int64)
    c: cython.Py_ssize_t = 0
    for i in range(r):
        begin = first[places[i]]
        for j in range(count[places[i]]):
            child[c] = order[begin + j]
            c += 1
    return np.asarray(child), np.asarray(offset)


def are_equal(child: Longs, symbol: Longs, is_free: Flags, shape: object):
    """Return whether nodes (c,) have the same symbol, and the same shape unless it does not count.

    symbol (n,): of each node; is_free: whether the shape does not count, by symbol; shape (n, 4) uint64.
    """
    rows: KeyRows = memoryview(shape)
    words: cython.Py_ssize_t = WORDS
    first = child[0]
    w: cython.Py_ssize_t
    for j in range(1, len(child)):
        if symbol[child[j]] != symbol[first]:
            return False
    if is_free[symbol[first]]:
        return True
    for j in range(1, len(child)):
        for w in range(words):
            if rows[child[j], w] != rows[first, w]:
                return False
    return True


def kinds_of(child: Longs, symbols: object, is_free: Flags, shape: object, with_shape: cython.bint):
    """Return the kinds of nodes (c,): nodes of one kind have one symbol, and one shape if it counts.

    symbols (c,): of each; the other arguments are those of `are_equal`. Returns kind (c,), first, number (v,)
    int32: the kind of each node, its first node and how many there are.
    """
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    symbol: Longs = memoryview(symbols)
    rows: KeyRows = memoryview(shape)
    words: cython.Py_ssize_t = WORDS
    keys = np.empty(len(child), np.uint64)
    out: KeyBuffer = memoryview(keys)
    factor: cython.ulonglong = 0x9E3779B97F4A7C15
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    key: cython.ulonglong = 0
    w: cython.Py_ssize_t
    for j in range(len(child)):
        key = symbol[j]
        if with_shape:
            for w in range(words):
                if not is_free[symbol[j]]:
                    key = key ^ rows[child[j], w]
                key = (key * factor) & mask
                key ^= key >> 29
        out[j] = key
    return numbered(keys)


def similar_kinds(
    symbol: Longs, tag: Longs, shape: object, name_start: Longs, names: Longs, rows: tuple, limits: tuple
):
    """Return the leader (v,) int32 of each kind of children: the kind that it is alike, or itself.

    Kinds are in order: a kind is compared with the leaders before it. symbol, tag (v,): of each kind; tag is
    negative for items of a list; shape (v, 4) uint64. name_start (s + 1,), names: the names of each symbol,
    ascending. rows: offset (r + 1,) int64 of the children of each row, and the kind (c,) int64 of each child.
    limits: similarity of kinds that are side by side in a row, of such items, of kinds that never are, and
    how much common names add.
    """
    offset: Longs = rows[0]
    kind: Longs = rows[1]
    similar: cython.double = limits[0]
    similar_items: cython.double = limits[1]
    rather_similar: cython.double = limits[2]
    by_names: cython.double = limits[3]
    bits: KeyRows = memoryview(shape)
    v: cython.Py_ssize_t = len(symbol)
    width: cython.Py_ssize_t = (len(offset) + 62) // 64
    in_row = np.zeros((v, max(width, 1)), np.uint64)
    row_bits: cython.ulonglong[:, ::1] = memoryview(in_row)
    single_bit: cython.ulonglong = 1
    leader: IntBuffer = np.empty(v, np.int32)
    w: cython.Py_ssize_t
    words: cython.Py_ssize_t = WORDS
    both: cython.int
    either: cython.int
    common: cython.int
    like: cython.double
    most: cython.double
    for r in range(len(offset) - 1):
        for j in range(offset[r], offset[r + 1]):
            row_bits[kind[j], r >> 6] |= single_bit << (r & 63)
    for k in range(v):
        best: cython.Py_ssize_t = -1
        most = 0.0
        own: cython.Py_ssize_t = name_start[symbol[k] + 1] - name_start[symbol[k]]
        for rival in range(k):
            if leader[rival] != rival or tag[rival] != tag[k]:
                continue
            of_rival: cython.Py_ssize_t = name_start[symbol[rival] + 1] - name_start[symbol[rival]]
            common = _common_names(names, name_start, symbol[k], symbol[rival])
            if own > 0 and of_rival > 0 and common == 0:
                continue
            both = 0
            either = 0
            for w in range(words):
                both += _count(bits[rival, w] & bits[k, w])
                either += _count(bits[rival, w] | bits[k, w])
            like = both / cython.cast(cython.double, either) if either > 0 else 1.0
            like += by_names * common / max(own + of_rival - common, 1)
            beside: cython.bint = False
            for w in range(width):
                if row_bits[k, w] & row_bits[rival, w]:
                    beside = True
                    break
            least: cython.double = rather_similar
            if beside:
                least = similar_items if tag[k] < 0 else similar
            if like >= least and like > most:
                best = rival
                most = like
        leader[k] = best if best >= 0 else k
        if best >= 0:
            for w in range(width):
                row_bits[best, w] |= row_bits[k, w]
    return np.asarray(leader)


@cython.cfunc
def _common_names(names: Longs, start: Longs, a: cython.longlong, b: cython.longlong) -> cython.int:
    """Return the number of names that two symbols have in common."""
    n: cython.int = 0
    i: cython.Py_ssize_t = start[a]
    j: cython.Py_ssize_t = start[b]
    while i < start[a + 1] and j < start[b + 1]:
        if names[i] == names[j]:
            n += 1
            i += 1
            j += 1
        elif names[i] < names[j]:
            i += 1
        else:
            j += 1
    return n


@cython.cfunc
def _count(bits: cython.ulonglong) -> cython.int:
    """Return the number of bits."""
    n: cython.int = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


def grouped(name: Longs, names: cython.Py_ssize_t):
    """Return the order (c,) int64 of children by their names, and offset (names + 1,) int64: of each name.

    name (c,): less than ``names``. Children of one name stay in order.
    """
    c: cython.Py_ssize_t = len(name)
    offset: LongBuffer = np.zeros(names + 1, np.int64)
    order: LongBuffer = np.empty(c, np.int64)
    place: LongBuffer = np.zeros(names + 1, np.int64)
    for j in range(c):
        offset[name[j] + 1] += 1
    for k in range(names):
        offset[k + 1] += offset[k]
        place[k] = offset[k]
    for j in range(c):
        order[place[name[j]]] = j
        place[name[j]] += 1
    return np.asarray(order), np.asarray(offset)
