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


def shapes(parent: Ints, element_type: Ints, bits: KeyRows):
    """Return the shape (n, SHAPE_WORDS) uint64 of each node.

    element_type (n,) int32: the type of each node; bits (t, 1 + 2 * SHAPE_WORDS) uint64: the code of the tag
    of each type, and the bits that a node of the type sets at its parent and at the node above that one.
    """
    shape = np.zeros((len(parent), SHAPE_WORDS), np.uint64)
    _write_shapes(parent, element_type, memoryview(bits), 0, memoryview(shape))
    return shape


@cython.cfunc
def _write_shapes(
    parent: Ints, element_type: Ints, bits: KeyRows, first: cython.Py_ssize_t, out: cython.ulonglong[:, ::1]
):
    """Write the shape of each node; first: the column of the code in the rows of the types."""
    factor: cython.ulonglong = 0x9E3779B1  # Knuth's multiplicative hash: eight bits that depend on all
    limit: cython.ulonglong = 0xFFFFFFFF
    single_bit: cython.ulonglong = 1
    bit: cython.ulonglong
    words: cython.Py_ssize_t = SHAPE_WORDS
    w: cython.Py_ssize_t
    for i in range(1, parent.shape[0]):
        p = parent[i]
        t = element_type[i]
        for w in range(words):
            out[p, w] |= bits[t, first + 1 + w]
        bit = bits[element_type[p], first] * 31 + bits[t, first]
        p = parent[p]
        if p < 0:
            continue
        for w in range(words):
            out[p, w] |= bits[t, first + 1 + words + w]
        bit = ((bit * factor) & limit) >> 24
        out[p, bit >> 6] |= single_bit << (bit & 63)
        p = parent[p]
        if p >= 0:
            bit = (bit * 31 + 7) & 255
            out[p, bit >> 6] |= single_bit << (bit & 63)


def shared_bits(shape: KeyRows, places: object, start: object, usual: cython.double):
    """Return the bits (m, 2, SHAPE_WORDS) uint64 that any and that most shapes of each of m groups have.

    shape (n, SHAPE_WORDS) uint64; places (p,) int64: the nodes of all groups; start (m + 1,) int64: of each
    group. usual: the share of the shapes that must have a bit, 0..1.
    """
    m: cython.Py_ssize_t = len(start) - 1
    bits = np.zeros((m, 2, SHAPE_WORDS), np.uint64)
    out: cython.ulonglong[:, :, ::1] = memoryview(bits)
    rows: KeyRows = memoryview(shape)
    place: Longs = memoryview(places)
    starts: Longs = memoryview(start)
    words: cython.Py_ssize_t = SHAPE_WORDS
    single_bit: cython.ulonglong = 1
    all_bits: cython.ulonglong
    common_bits: cython.ulonglong
    full: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    w: cython.Py_ssize_t
    for g in range(m):
        least: cython.double = usual * (starts[g + 1] - starts[g])
        for w in range(words):
            all_bits = 0
            common_bits = full
            for j in range(starts[g], starts[g + 1]):
                all_bits |= rows[place[j], w]
                common_bits &= rows[place[j], w]
            out[g, 0, w] = all_bits
            out[g, 1, w] = all_bits & common_bits
            all_bits ^= out[g, 1, w]
            for b in range(64):
                if not (all_bits >> b) & 1:
                    continue
                count: cython.Py_ssize_t = 0
                for j in range(starts[g], starts[g + 1]):
                    count += (rows[place[j], w] >> b) & 1
                if count >= least:
                    out[g, 1, w] |= single_bit << b
    return bits


@cython.cfunc
def _nibbles(bits: cython.uint) -> cython.uint:
    """Return the number of bits in each group of four, as groups of four bits."""
    bits = bits - ((bits >> 1) & 0x55555555)
    return (bits & 0x33333333) + ((bits >> 2) & 0x33333333)


@cython.cfunc
def _count(bits: cython.ulonglong) -> cython.int:
    """Return the number of bits."""
    upper: cython.ulonglong = bits >> 32
    high: cython.uint = upper
    low: cython.uint = bits ^ (upper << 32)
    low, high = _nibbles(low), _nibbles(high)
    low = (low & 0x0F0F0F0F) + ((low >> 4) & 0x0F0F0F0F) + (high & 0x0F0F0F0F) + ((high >> 4) & 0x0F0F0F0F)
    return ((low * 0x01010101) >> 24) & 255


@cython.cfunc
def _size(a: KeyRows, i: cython.Py_ssize_t, first: cython.Py_ssize_t) -> cython.int:
    """Return the number of bits in a row, in four words from a column on."""
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(first, first + 4):
        n += _count(a[i, w])
    return n


@cython.cfunc
def _common(
    a: KeyRows, i: cython.Py_ssize_t, first: cython.Py_ssize_t, b: KeyRows, j: cython.Py_ssize_t
) -> cython.int:
    """Return the number of bits that two rows have in common, the first row from a column on."""
    w: cython.Py_ssize_t
    n: cython.int = 0
    for w in range(4):
        n += _count(a[i, first + w] & b[j, w])
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


def match_tree(tree, rows, template, program, lookup):
    """Return the template node (k,) int32 of each node of a tree in document order, -1 for none.

    tree: parent, end and type (k,) int32; the root is node 0 of the template. rows (t, 3 + 3 * SHAPE_WORDS)
    int64 of the types: of `webgrain.templates.template.SymbolTable.rows`. template: tag (m,) int32, and as
    bits the names that any and that most of its nodes have, and those of their shapes (m, SHAPE_WORDS)
    uint64; free (m,) uint8: its tag may contain anything; sizes (m, 4) int32 of these sets of bits. program:
    start (m + 1,) int32 of the content of each TAG in the instructions; instruction and argument (i,) int32;
    the length of the longest content. lookup: key (d,) int64, ascending, the template node times the number
    of symbols plus the symbol; target (d,) int32 below it; the number of symbols.

    The second array is ALIGNED, MISPLACED or UNKNOWN int8; the third the parts of the content that each node
    lacks (k,) int32.
    """
    parent, end, element_type = tree
    n: cython.Py_ssize_t = len(end)
    ends: Ints = memoryview(end)
    types: Ints = memoryview(element_type)
    number: cython.const[cython.longlong][:, ::1] = memoryview(rows)
    bits: KeyRows = memoryview(rows.view(np.uint64))
    own_tag: Ints = memoryview(template[0])
    any_name: KeyRows = memoryview(template[1])
    all_name: KeyRows = memoryview(template[2])
    any_shape: KeyRows = memoryview(template[3])
    all_shape: KeyRows = memoryview(template[4])
    free: cython.const[cython.uchar][::1] = memoryview(template[5])
    size: cython.const[cython.int][:, ::1] = memoryview(template[6])
    starts: Ints = memoryview(program[0])
    code: Ints = memoryview(program[1])
    argument: Ints = memoryview(program[2])
    longest: cython.Py_ssize_t = program[3]
    keys: Longs = memoryview(lookup[0])
    targets: Ints = memoryview(lookup[1])
    n_symbols: cython.longlong = lookup[2]
    places = np.empty(n, np.int32)
    places.fill(-1)
    manner = np.empty(n, np.int8)
    manner.fill(UNKNOWN)
    lacking = np.zeros(n, np.int32)
    at: cython.int[::1] = memoryview(places)
    how: cython.schar[::1] = memoryview(manner)
    lacks: cython.int[::1] = memoryview(lacking)
    shape_array = np.zeros((n, SHAPE_WORDS), np.uint64)
    shape: cython.ulonglong[:, ::1] = memoryview(shape_array)
    _write_shapes(memoryview(parent), types, bits, 2 + SHAPE_WORDS, shape)
    # The template node below which the descendants of each node are looked up, the wrappers in between, the
    # sizes of the sets of bits, and the children of one node.
    of_nodes: cython.int[::1] = memoryview(np.zeros(5 * n, np.int32))
    context: cython.int[::1] = of_nodes[:n]
    skipped: cython.int[::1] = of_nodes[n : 2 * n]
    name_size: cython.int[::1] = of_nodes[2 * n : 3 * n]
    shape_size: cython.int[::1] = of_nodes[3 * n : 4 * n]
    children: cython.int[::1] = of_nodes[4 * n :]
    # Working memory of one alignment, by instruction; the last entry is the beginning.
    width: cython.Py_ssize_t = longest + 1
    costs: cython.double[::1] = memoryview(np.zeros(4 * width))
    before: cython.double[::1] = costs[:width]
    after: cython.double[::1] = costs[width : 2 * width]
    held: cython.double[::1] = costs[2 * width : 3 * width]
    best: cython.double[::1] = costs[3 * width :]
    origins: cython.int[::1] = memoryview(np.zeros(3 * width, np.int32))
    held_from: cython.int[::1] = origins[:width]
    best_from: cython.int[::1] = origins[width : 2 * width]
    second: cython.int[::1] = origins[2 * width :]
    back: cython.int[:, ::1] = memoryview(np.zeros((8, longest), np.int32))
    price: cython.double[:, ::1] = memoryview(np.zeros((8, longest)))
    # Constants of the module, which are no Python objects here.
    unplaced: cython.double = UNPLACED
    missing: cython.double = MISSING
    other_names: cython.double = OTHER_NAMES
    other_shape: cython.double = OTHER_SHAPE
    any_cost: cython.double = ANY_SHAPE
    least_shape: cython.double = LEAST_SHAPE
    most_cells: cython.Py_ssize_t = MOST_CELLS
    most_wrappers: cython.int = MOST_WRAPPERS
    place: cython.int = PLACE
    opt_begin: cython.int = OPT_BEGIN
    opt_end: cython.int = OPT_END
    alt_begin: cython.int = ALT_BEGIN
    alt_next: cython.int = ALT_NEXT
    alt_end: cython.int = ALT_END
    star_begin: cython.int = STAR_BEGIN
    aligned: cython.schar = ALIGNED
    misplaced: cython.schar = MISPLACED
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
    symbol: cython.longlong
    for i in range(n):
        context[i] = -1
        name_size[i], shape_size[i] = _size(bits, types[i], 2), _size(shape, i, 0)
    if n:
        at[0] = context[0] = 0
        how[0] = aligned
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
            if length and k * length <= most_cells:
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
                        if instruction == place:
                            u = argument[first + j]
                            if c >= 0:
                                cost = far
                                if number[types[c], 0] == own_tag[u]:
                                    common = _common(bits, types[c], 2, any_name, u)
                                    if common:
                                        cost = 1.0 - common / (2.0 * name_size[c])
                                        if size[u, 1]:
                                            cost -= 0.5 * _common(bits, types[c], 2, all_name, u) / size[u, 1]
                                        else:
                                            cost -= 0.5
                                    elif name_size[c]:
                                        cost = far if size[u, 0] else 0.8
                                    else:
                                        cost = 0.8 if size[u, 1] else 0.3 if size[u, 0] else 0.0
                                    cost *= other_names
                                    like = 1.0
                                    if shape_size[c] and size[u, 2]:
                                        like = 0.5 * _common(shape, c, 0, any_shape, u) / shape_size[c]
                                        if size[u, 3]:
                                            like += 0.5 * _common(shape, c, 0, all_shape, u) / size[u, 3]
                                        else:
                                            like *= 2.0
                                    elif shape_size[c] or size[u, 2]:
                                        like = 0.3
                                    if free[u]:
                                        cost += any_cost * (1.0 - like)
                                    elif common == 0 and like < least_shape:
                                        cost = far
                                    else:
                                        cost += other_shape * (1.0 - like)
                                after[j] = run + cost
                                back[i, j], price[i, j] = run_from, cost
                            run += missing
                            if before[j] <= run:
                                run, run_from = before[j], j
                        elif instruction in (opt_begin, alt_begin, star_begin):
                            held[level], held_from[level] = run, run_from
                            best[level], best_from[level] = far * 2.0, -1
                            second[level] = 0
                            level += 1
                        elif instruction == opt_end:
                            level -= 1
                            if held[level] < run:
                                run, run_from = held[level], held_from[level]
                        elif instruction == alt_next:
                            if run < best[level - 1]:
                                best[level - 1], best_from[level - 1] = run, run_from
                            run, run_from = held[level - 1], held_from[level - 1]
                        elif instruction == alt_end:
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
                        if code[first + j] != place:
                            continue
                        if after[j] < before[j] + unplaced and after[j] < far:
                            before[j] = after[j]
                        else:
                            before[j] += unplaced
                            back[i, j] = -1  # the child has no place
                    before[length] += unplaced
                total = run
                j = run_from
                for i in range(k - 1, -1, -1):
                    c = children[i]
                    if j == length or back[i, j] < 0:
                        total -= unplaced
                        continue
                    at[c] = context[c] = argument[first + j]
                    how[c] = aligned
                    total -= price[i, j]
                    j = back[i, j]
                while total > missing / 2.0:
                    lacks[v] += 1
                    total -= missing
        c = v + 1
        while c < ends[v]:
            if at[c] < 0:
                u = -1
                symbol = number[types[c], 1]
                if symbol >= 0 and (at[v] >= 0 or name_size[c]):
                    key = t * n_symbols + symbol
                    i = _first(keys, key)
                    if i < keys.shape[0] and keys[i] == key:
                        u = targets[i]
                if u >= 0:
                    at[c] = context[c] = u
                    how[c] = misplaced
                elif at[v] >= 0 or skipped[v] < most_wrappers:
                    context[c] = t
                    skipped[c] = skipped[v] + 1 if at[v] < 0 else 1
            c = ends[c]
    return places, manner, lacking
