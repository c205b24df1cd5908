# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""What a page chooses at the operators of a template, as steps, and how likely they are."""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleRows = cython.typedef(cython.const[cython.double][:, ::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])
Rows = cython.typedef(cython.int[:, ::1])

PART, NEXT, LENGTH, DISORDER, OTHER = range(5)
"""Kinds of steps: a part begins; a place follows another one in the same part, or is the first; the length of
a repeated part; a part or place that is out of order or one too many; a child without a place."""

LENGTHS = 8
"""Classes of lengths: 1, 2 and 3, 4 to 7, ..., 128 and more."""


@cython.cfunc
def _length_class(length: cython.int) -> cython.int:
    """Return the class of a length, the logarithm to base 2."""
    k: cython.int = 0
    while length > 1 and k < LENGTHS - 1:
        length >>= 1
        k += 1
    return k


def content_steps(
    parent: Ints,
    end: Ints,
    at: Ints,
    owner: Ints,
    part: Ints,
    repeats: Flags,
    several: Flags,
    free: Flags,
):
    """Return the steps (4, s) int32 of a page: kind, node of the page, context and outcome.

    parent, end, at (k,): of the nodes of the page in document order, and their template nodes, -1 for none.
    owner (m,): the TAG above each template node; part (m,): the part of its content that a TAG is in, -1 at
    the root; repeats (m,): whether a TAG is in a STAR of this part; several (m,): whether a part has several
    TAGs; free (m,): whether a TAG contains texts, so that its children may be in any order.

    The context of PART is the TAG, and the outcome the part. The context of NEXT is the place before, or the
    part; its outcome is the place. A part that is no STAR ends with the outcome -1. LENGTH has the part and
    a class, DISORDER a place that it follows and should precede, or itself, and the place, OTHER the TAG and
    -1.
    """
    n: cython.Py_ssize_t = end.shape[0]
    steps = np.empty((4, 4 * n), np.int32)
    out: Rows = memoryview(steps)
    s: cython.Py_ssize_t = 0
    for v in range(n):
        t: cython.int = at[v]
        if t < 0 or end[v] == v + 1:
            continue
        current: cython.int = -1
        last: cython.int = -1
        reached: cython.int = -1
        farthest: cython.int = -1
        length: cython.int = 0
        c: cython.Py_ssize_t = v + 1
        while c <= end[v]:
            is_end = c == end[v]
            u: cython.int = -1 if is_end else at[c]
            x: cython.int = part[u] if u >= 0 and owner[u] == t else -1
            if not is_end and x < 0:
                out[0, s], out[1, s], out[2, s], out[3, s] = OTHER, c, t, -1
                s += 1
            elif x >= 0 and x == current:
                if not repeats[u] and u <= last:
                    if not free[t]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = DISORDER, c, last, u
                        s += 1
                elif several[x]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, c, last, u
                    s += 1
                last = u
                if x == reached:
                    farthest = u
                length += 1
            else:
                if current >= 0 and repeats[last]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = LENGTH, v, current, _length_class(length)
                    s += 1
                elif current >= 0 and several[current]:
                    out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, v, last, -1
                    s += 1
                if x >= 0:
                    if x > reached:
                        out[0, s], out[1, s], out[2, s], out[3, s] = PART, c, t, x
                        s += 1
                        farthest = u
                    elif not free[t]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = DISORDER, c, farthest, u
                        s += 1
                    if several[x]:
                        out[0, s], out[1, s], out[2, s], out[3, s] = NEXT, c, x, u
                        s += 1
                    reached = max(reached, x)
                    last = u
                    length = 1
                current = x
            if is_end:
                break
            c = end[c]
    return steps[:, :s].copy()


TOTALS = (
    "part", "next", "length", "disorder", "other", "parts", "nexts", "lengths", "disorders", "others",
    "no parts", "elements", "leaves", "disordered", "out of order", "replaced", "new symbols", "symbols",
    "placed", "most next",
)  # fmt: skip
"""Logarithms of the probabilities of the steps of each kind, negative, and their numbers; the same of the
parts that no element has, and the number of elements with parts; leaves, and those that are out of order;
nodes out of order; leaves in nodes with a new symbol, and these nodes; negative logarithms of the
probabilities of symbols, and the nodes with a place; the largest sum of the steps NEXT below one node."""


@cython.cfunc
def _index(keys: Longs, key: cython.longlong) -> cython.Py_ssize_t:
    """Return the index of a key, -1 if it is not among the keys."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low if low < keys.shape[0] and keys[low] == key else -1


def likelihood_totals(tree: object, at: Ints, symbol: Longs, content: object, tables: object):
    """Return the `TOTALS` (20,) float64 of a page.

    tree: parent, end (k,) int32 and kind (k,) int8 of its nodes; at (k,): their template nodes; symbol (k,)
    int64: -1 for none. content: owner, part, repeats, several and free (m,), see `content_steps`.

    tables: the logarithms (m,) of the odds of a part, and of the probability that an element has no part;
    has_parts (m,) uint8; key (r,) int64, ascending, and logarithm of what follows what, the context times m +
    1 plus the outcome + 1; (m,) that of other outcomes; (m, 8) of lengths; (m,) of what no page has; key (y,)
    int64, ascending, the template node times the number of symbols plus the symbol, its logarithm, and
    whether no page has it, uint8; key (z,) int64, ascending, of the symbols below each TAG; the number of
    symbols.
    """
    parents, ends, kinds = tree
    owners, parts, repeated, many, texts = content
    part_log: Doubles = memoryview(tables[0])
    no_parts: Doubles = memoryview(tables[1])
    has_parts: Flags = memoryview(tables[2])
    next_key: Longs = memoryview(tables[3])
    next_log: Doubles = memoryview(tables[4])
    unseen: Doubles = memoryview(tables[5])
    length_log: DoubleRows = memoryview(tables[6])
    never: Doubles = memoryview(tables[7])
    symbol_key: Longs = memoryview(tables[8])
    symbol_log: Doubles = memoryview(tables[9])
    is_new: Flags = memoryview(tables[10])
    sibling_key: Longs = memoryview(tables[11])
    n_symbols: cython.longlong = tables[12]
    parent: Ints = memoryview(parents)
    kind: Kinds = memoryview(kinds)
    owner: Ints = memoryview(owners)
    n: cython.Py_ssize_t = at.shape[0]
    m: cython.longlong = owner.shape[0]
    rows = content_steps(parents, ends, at, owners, parts, repeated, many, texts)
    steps: Rows = memoryview(rows)
    total_array = np.zeros(len(TOTALS))
    total: cython.double[::1] = memoryview(total_array)
    sums: cython.double[::1] = memoryview(np.zeros(n + 1))
    marks: cython.uchar[::1] = memoryview(np.zeros(2 * n, np.uint8))
    out_of_order: cython.uchar[::1] = marks[:n]
    replaced: cython.uchar[::1] = marks[n:]
    log: cython.double
    row: cython.Py_ssize_t
    for s in range(steps.shape[1]):
        step = steps[0, s]
        a = steps[2, s]
        b = steps[3, s]
        if step == PART:
            log = part_log[b]
        elif step == NEXT:
            row = _index(next_key, a * (m + 1) + b + 1)
            log = next_log[row] if row >= 0 else unseen[a]
            p = parent[steps[1, s]]
            sums[max(p, 0)] -= log
        elif step == LENGTH:
            log = length_log[a, b]
        else:
            log = never[a]
            if step == DISORDER:
                out_of_order[steps[1, s]] = 1
        total[step] -= log
        total[5 + step] += 1.0
    for i in range(n):
        t = at[i]
        if t >= 0:
            total[18] += 1.0
            if has_parts[t]:
                total[10] -= no_parts[t]
                total[11] += 1.0
            row = _index(symbol_key, t * n_symbols + symbol[i]) if symbol[i] >= 0 else -1
            if row < 0 or is_new[row]:
                replaced[i] = 1
                total[16] += 1.0
                log = never[t]
                if symbol[i] >= 0 and _index(sibling_key, owner[t] * n_symbols + symbol[i]) >= 0:
                    out_of_order[i] = 1
            else:
                log = symbol_log[row]
            total[17] -= log
        total[14] += out_of_order[i]
        total[19] = max(total[19], sums[i])
        p = parent[i]
        if p >= 0:
            out_of_order[i] |= out_of_order[p]
            replaced[i] |= replaced[p]
        if kind[i] > 0:
            total[12] += 1.0
            total[13] += out_of_order[i]
            total[15] += replaced[i]
    return total_array
