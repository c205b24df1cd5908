# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True, cdivision=True
# mypy: ignore-errors
"""Shapes of subtrees, and the alignment of a tree with a template, from the top down in one pass.

The shape of a node is a set of 256 bits: the tags and names of its children, grandchildren and the level
below. The children of a node that stands for a TAG are aligned with the content of the TAG, a program of
instructions: the cheapest way through the expression (Viterbi 1967), where a child without a place, a missing
part, other names and another shape cost something. A child without a place is looked up by its symbol: it
breaks the order, it is one too many, or a wrapper is missing; nodes below a node that is not in the template
are looked up, too (an additional wrapper).
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Ints = cython.typedef(cython.const[cython.int][::1])
KeyRows = cython.typedef(cython.const[cython.ulonglong][:, ::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

SHAPE_WORDS = 4
"""Words of 64 bits of a shape."""

MOST_WRAPPERS = 3
"""Additional wrappers in a row."""

UNPLACED, MISSING = 1.0, 0.4
"""Costs of a child without a place, and of a part that the content must have."""

OTHER_NAMES, OTHER_SHAPE, ANY_SHAPE = 0.6, 0.35, 0.05
"""Costs of different names, of a different shape, and of the latter at tags that may contain anything."""

LEAST_SHAPE = 0.1
"""Similarity of shapes below which a node without common names is another one."""

MOST_CELLS = 4_000_000
"""Children times places of one alignment; bounds memory."""

PLACE, OPT_BEGIN, OPT_END, ALT_BEGIN, ALT_NEXT, ALT_END, STAR_BEGIN, STAR_END = range(8)
"""Instructions."""

ALIGNED, MISPLACED, UNKNOWN = range(3)


def shapes(parent: Ints, element_type: Ints, code: Longs, child: KeyRows, grandchild: KeyRows):
    """Return the shape (n, SHAPE_WORDS) uint64 of each node.

    element_type (n,) int32: the type of each node; code (t,) int64: of the tag of a type; child, grandchild
    (t, SHAPE_WORDS) uint64: the bits that a node of a type sets at its parent and at the node above that one.
    """
    n: cython.Py_ssize_t = len(parent)
    shape = np.zeros((n, SHAPE_WORDS), np.uint64)
    out: cython.ulonglong[:, ::1] = memoryview(shape)
    factor: cython.ulonglong = 0x9E3779B1  # Knuth's multiplicative hash: eight bits that depend on all
    single_bit: cython.ulonglong = 1
    bit: cython.ulonglong
    w: cython.Py_ssize_t
    for i in range(1, n):
        p = parent[i]
        for w in range(SHAPE_WORDS):
            out[p, w] |= child[element_type[i], w]
        bit = code[element_type[p]] * 31 + code[element_type[i]]
        p = parent[p]
        if p < 0:
            continue
        for w in range(SHAPE_WORDS):
            out[p, w] |= grandchild[element_type[i], w]
        bit = ((bit * factor) & 0xFFFFFFFF) >> 24
        out[p, bit >> 6] |= single_bit << (bit & 63)
        p = parent[p]
        if p >= 0:
            bit = (bit * 31 + 7) & 255
            out[p, bit >> 6] |= single_bit << (bit & 63)
    return shape


@cython.cfunc
def _count(bits: cython.ulonglong) -> cython.int:
    n: cython.int = 0
    while bits:
        bits &= bits - 1
        n += 1
    return n


@cython.cfunc
def _size(a: KeyRows, i: cython.Py_ssize_t) -> cython.int:
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(SHAPE_WORDS):
        n += _count(a[i, w])
    return n


@cython.cfunc
def _common(a: KeyRows, i: cython.Py_ssize_t, b: KeyRows, j: cython.Py_ssize_t) -> cython.int:
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(SHAPE_WORDS):
        n += _count(a[i, w] & b[j, w])
    return n


@cython.cfunc
def _first(keys: Longs, key: cython.longlong) -> cython.Py_ssize_t:
    """Return the first index whose key is not less."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = keys.shape[0]
    while low < high:
        middle = (low + high) // 2
        if keys[middle] < key:
            low = middle + 1
        else:
            high = middle
    return low


def match_tree(nodes, template, program, lookup, n_symbols: cython.longlong):
    """Return the template node (k,) int32 of each node of a tree in document order, -1 for none.

    nodes: end, tag, symbol (k,) int32, names and shape (k, WORDS) uint64; the root is node 0 of the
    template; -1 is a tag or symbol that the template lacks. template: tag (m,) int32, and as bits the names
    that any and that most of its nodes have, and those of their shapes (m, WORDS)
    uint64; free (m,) uint8: its tag may contain anything. program: start (m + 1,) int32 of the content of
    each TAG in the instructions; instruction and argument (i,) int32. lookup: key (d,) int64, ascending, the
    template node times ``n_symbols`` plus the symbol; target (d,) int32 below it.

    The second array is ALIGNED, MISPLACED or UNKNOWN int8; the third the parts of the content that each node
    lacks (k,) int32.
    """
    end, tag, symbol, names, below = nodes
    n: cython.Py_ssize_t = len(end)
    places = np.full(n, -1, np.int32)
    manner = np.full(n, UNKNOWN, np.int8)
    lacking = np.zeros(n, np.int32)
    at: cython.int[::1] = memoryview(places)
    how: cython.schar[::1] = memoryview(manner)
    lacks: cython.int[::1] = memoryview(lacking)
    ends: Ints = memoryview(end)
    tags: Ints = memoryview(tag)
    symbols: Ints = memoryview(symbol)
    name: KeyRows = memoryview(names)
    shape: KeyRows = memoryview(below)
    own_tag: Ints = memoryview(template[0])
    any_name: KeyRows = memoryview(template[1])
    all_name: KeyRows = memoryview(template[2])
    any_shape: KeyRows = memoryview(template[3])
    all_shape: KeyRows = memoryview(template[4])
    free: cython.const[cython.uchar][::1] = memoryview(template[5])
    starts: Ints = memoryview(program[0])
    code: Ints = memoryview(program[1])
    argument: Ints = memoryview(program[2])
    keys: Longs = memoryview(lookup[0])
    targets: Ints = memoryview(lookup[1])
    # The template node below which the descendants of each node are looked up, and the wrappers in between.
    context: cython.int[::1] = memoryview(np.full(n, -1, np.int32))
    skipped: cython.int[::1] = memoryview(np.zeros(n, np.int32))
    longest: cython.Py_ssize_t = max(1, int(np.diff(program[0]).max(initial=0)))
    # Sizes of the sets of bits.
    m: cython.Py_ssize_t = len(template[0])
    size: cython.int[:, ::1] = memoryview(np.zeros((m, 4), np.int32))
    name_size: cython.int[::1] = memoryview(np.zeros(n, np.int32))
    shape_size: cython.int[::1] = memoryview(np.zeros(n, np.int32))
    # Working memory of one alignment, by instruction; the last entry is the beginning.
    before: cython.double[::1] = memoryview(np.zeros(longest + 1))
    after: cython.double[::1] = memoryview(np.zeros(longest + 1))
    held: cython.double[::1] = memoryview(np.zeros(longest + 1))
    held_from: cython.int[::1] = memoryview(np.zeros(longest + 1, np.int32))
    best: cython.double[::1] = memoryview(np.zeros(longest + 1))
    best_from: cython.int[::1] = memoryview(np.zeros(longest + 1, np.int32))
    second: cython.uchar[::1] = memoryview(np.zeros(longest + 1, np.uint8))
    back: cython.int[:, ::1] = memoryview(np.zeros((1, longest), np.int32))
    price: cython.double[:, ::1] = memoryview(np.zeros((1, longest)))
    children: cython.int[::1] = memoryview(np.zeros(n, np.int32))
    far: cython.double = 1e9
    run: cython.double
    cost: cython.double
    like: cython.double
    total: cython.double
    run_from: cython.int
    j: cython.Py_ssize_t
    length: cython.Py_ssize_t
    u: cython.int
    instruction: cython.int
    for i in range(m):
        size[i, 0], size[i, 1] = _size(any_name, i), _size(all_name, i)
        size[i, 2], size[i, 3] = _size(any_shape, i), _size(all_shape, i)
    for i in range(n):
        name_size[i], shape_size[i] = _size(name, i), _size(shape, i)
    if n:
        at[0] = context[0] = 0
        how[0] = ALIGNED
    for v in range(n):
        t = context[v]
        if t < 0 or ends[v] == v + 1:
            continue
        if at[v] >= 0:  # align the children with the content of the TAG
            k = 0
            c = v + 1
            while c < ends[v]:
                children[k] = c
                k += 1
                c = ends[c]
            first, length = starts[t], starts[t + 1] - starts[t]
            if length and k * length <= MOST_CELLS:
                if back.shape[0] < k:
                    back = memoryview(np.zeros((2 * k, longest), np.int32))
                    price = memoryview(np.zeros((2 * k, longest)))
                for j in range(length):
                    before[j] = far
                before[length] = 0.0
                for i in range(k + 1):  # the last round goes through the content to its end
                    c = children[i] if i < k else -1
                    run, run_from = before[length], length
                    level = 0
                    j = 0
                    while j < length:
                        instruction = code[first + j]
                        if instruction == PLACE:
                            u = argument[first + j]
                            if c >= 0:
                                cost = far
                                if tags[c] == own_tag[u]:
                                    common = _common(name, c, any_name, u)
                                    if common:
                                        cost = 1.0 - common / (2.0 * name_size[c])
                                        if size[u, 1]:
                                            cost -= 0.5 * _common(name, c, all_name, u) / size[u, 1]
                                        else:
                                            cost -= 0.5
                                    elif name_size[c]:
                                        cost = far if size[u, 0] else 0.8
                                    else:
                                        cost = 0.8 if size[u, 1] else 0.3 if size[u, 0] else 0.0
                                    cost *= OTHER_NAMES
                                    like = 1.0
                                    if shape_size[c] and size[u, 2]:
                                        like = 0.5 * _common(shape, c, any_shape, u) / shape_size[c]
                                        if size[u, 3]:
                                            like += 0.5 * _common(shape, c, all_shape, u) / size[u, 3]
                                        else:
                                            like *= 2.0
                                    elif shape_size[c] or size[u, 2]:
                                        like = 0.3
                                    if free[u]:
                                        cost += ANY_SHAPE * (1.0 - like)
                                    elif common == 0 and like < LEAST_SHAPE:
                                        cost = far
                                    else:
                                        cost += OTHER_SHAPE * (1.0 - like)
                                after[j] = run + cost
                                back[i, j], price[i, j] = run_from, cost
                            run += MISSING
                            if before[j] <= run:
                                run, run_from = before[j], j
                        elif instruction in (OPT_BEGIN, ALT_BEGIN, STAR_BEGIN):
                            held[level], held_from[level] = run, run_from
                            best[level], best_from[level] = far * 2.0, -1
                            second[level] = 0
                            level += 1
                        elif instruction == OPT_END:
                            level -= 1
                            if held[level] < run:
                                run, run_from = held[level], held_from[level]
                        elif instruction == ALT_NEXT:
                            if run < best[level - 1]:
                                best[level - 1], best_from[level - 1] = run, run_from
                            run, run_from = held[level - 1], held_from[level - 1]
                        elif instruction == ALT_END:
                            level -= 1
                            if best[level] < run:
                                run, run_from = best[level], best_from[level]
                        else:
                            if held[level - 1] < run:
                                run, run_from = held[level - 1], held_from[level - 1]
                            if second[level - 1]:
                                level -= 1
                            else:
                                second[level - 1] = 1
                                j = argument[first + j]  # go through the repeated part again
                        j += 1
                    if c < 0:
                        break
                    for j in range(length):
                        if code[first + j] != PLACE:
                            continue
                        if after[j] < before[j] + UNPLACED and after[j] < far:
                            before[j] = after[j]
                        else:
                            before[j] += UNPLACED
                            back[i, j] = -1  # the child has no place
                    before[length] += UNPLACED
                total = run
                j = run_from
                for i in range(k - 1, -1, -1):
                    c = children[i]
                    if j == length or back[i, j] < 0:
                        total -= UNPLACED
                        continue
                    at[c] = context[c] = argument[first + j]
                    how[c] = ALIGNED
                    total -= price[i, j]
                    j = back[i, j]
                while total > MISSING / 2.0:
                    lacks[v] += 1
                    total -= MISSING
        c = v + 1
        while c < ends[v]:
            if at[c] < 0:
                u = -1
                if symbols[c] >= 0 and (at[v] >= 0 or name_size[c]):
                    key = t * n_symbols + symbols[c]
                    i = _first(keys, key)
                    if i < keys.shape[0] and keys[i] == key:
                        u = targets[i]
                if u >= 0:
                    at[c] = context[c] = u
                    how[c] = MISPLACED
                elif at[v] >= 0 or skipped[v] < MOST_WRAPPERS:
                    context[c] = t
                    skipped[c] = skipped[v] + 1 if at[v] < 0 else 1
            c = ends[c]
    return places, manner, lacking
