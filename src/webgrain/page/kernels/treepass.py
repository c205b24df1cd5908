# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Passes over the nodes of a tree in document order: ancestors, siblings, and DOM paths.

In all functions parent (n,) int32 is -1 at the root and less than the number of the node elsewhere. Keys are
64-bit hashes by multiplications and shifts, the same on every machine and in every run.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])


MASK = 2**64 - 1
"""Limits a hash to 64 bits if the kernel runs uncompiled; compiled, numbers wrap around."""


def any_above(parent: Ints, flag: Flags):
    """Return (n,) bool, True at the descendants of nodes whose flag (n,) uint8 is not 0."""
    n: cython.Py_ssize_t = len(parent)
    out: cython.uchar[::1] = np.zeros(n, np.uint8)
    for i in range(n):
        p = parent[i]
        if p >= 0 and (out[p] or flag[p]):
            out[i] = 1
    return np.asarray(out).view(np.bool_)


def depths(parent: Ints):
    """Return (n,) int32, the number of proper ancestors of each node."""
    n: cython.Py_ssize_t = len(parent)
    out: cython.int[::1] = np.zeros(n, np.int32)
    for i in range(n):
        if parent[i] >= 0:
            out[i] = out[parent[i]] + 1
    return np.asarray(out)


def leaf_kinds(
    parent: Ints, tag: Ints, kind_of_tag: cython.const[cython.schar][::1], visible: Flags, filled: Flags
):
    """Return the kind (n,) int8 of leaf of each node, 0 for no leaf.

    tag (n,) int32: 0 at texts; kind_of_tag (t,) int8. visible, filled (n,) uint8: what is visible, and which
    texts are more than white space. An element that is a leaf hides the leaves inside it.
    """
    n: cython.Py_ssize_t = len(parent)
    out: cython.schar[::1] = np.zeros(n, np.int8)
    inside: cython.uchar[::1] = np.zeros(n, np.uint8)
    for i in range(n):
        p = parent[i]
        if p >= 0 and (inside[p] or (tag[p] != 0 and out[p] > 0)):
            inside[i] = 1
        elif visible[i] and (tag[i] != 0 or filled[i]):
            out[i] = kind_of_tag[tag[i]]
    return np.asarray(out)


@cython.locals(key=cython.ulonglong, mask=cython.ulonglong, last=cython.ulonglong, at=cython.ulonglong)
def places(parent: Ints, tag: object, tag_key: object, ids: object, classes: object):
    """Return the element types and the paths of the nodes of a page.

    parent, tag (n,) int32; tag_key (t,) uint64: of each tag, 0 for a tag that is not a step of paths. ids,
    classes: the nodes (m,) int64 with the attribute, in order; the numbers (m,) int32 of its values, and
    their keys (m,) uint64 of `value_key`.

    Nodes with equal tags and values have equal types; paths are equal if the keys of their steps are. Both
    are numbered by their first nodes. Returns type and path (2, n) int32: a node that is not a step has the
    path of its parent, -1 without any. Tag, id and class (3, k) int32 of each type: the numbers of the
    values, -1 for none. Up, first and count (3, r) int32 and only (r,) uint8 of each path, as of
    `merge_paths`; step (r,) uint64: the key of its last step.
    """
    n: cython.Py_ssize_t = len(tag)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    tags: Ints = memoryview(tag)
    keys_of_tags: cython.const[cython.ulonglong][::1] = memoryview(tag_key)
    size: cython.Py_ssize_t = 4
    while size < 2 * n:
        size *= 2
    work: cython.int[::1] = memoryview(np.zeros(6 * n + 2 * size, np.int32))
    value: cython.int[::1] = work[: 2 * n]  # of ids, then of classes; one more than a number, 0 for none
    first: cython.int[::1] = work[2 * n : 3 * n]
    above: cython.int[::1] = work[3 * n : 4 * n]
    times: cython.int[::1] = work[4 * n : 5 * n]
    children: cython.int[::1] = work[5 * n : 6 * n]
    slots: cython.int[::1] = work[6 * n : 6 * n + size]  # one more than a number, 0 for none
    write_values(value[:n], ids[0], ids[1])
    write_values(value[n:], classes[0], classes[1])
    numbers = np.empty((2, n), np.int32)
    of_node: cython.int[:, ::1] = memoryview(numbers)
    mask, last = MASK, size - 1
    k: cython.Py_ssize_t = 0
    for i in range(n):
        key = mix(tags[i], value[i], mask)
        at = mix(key, value[n + i], mask) & last
        while slots[at]:
            f = first[slots[at] - 1]
            if tags[f] == tags[i] and value[f] == value[i] and value[n + f] == value[n + i]:
                break
            at = (at + 1) & last
        if slots[at] == 0:
            first[k] = i
            k += 1
            slots[at] = k
        of_node[0, i] = slots[at] - 1
    type_rows = np.empty((3, k), np.int32)
    types: cython.int[:, ::1] = memoryview(type_rows)
    keys: cython.ulonglong[::1] = memoryview(np.empty(k, np.uint64))
    for j in range(k):
        types[0, j] = tags[first[j]]
        types[1, j] = value[first[j]] - 1
        types[2, j] = value[n + first[j]] - 1
        keys[j] = keys_of_tags[tags[first[j]]]
    add_values(keys, of_node, first, ids[0], memoryview(ids[2]))
    add_values(keys, of_node, first, classes[0], memoryview(classes[2]))
    slots = work[6 * n + size :]
    r: cython.Py_ssize_t = 0
    for i in range(n):
        p = of_node[1, parent[i]] if parent[i] >= 0 else -1
        of_node[1, i] = p
        key = keys[of_node[0, i]]
        if key == 0:
            continue
        at = mix(key, p + 2, mask) & last
        while slots[at]:
            f = slots[at] - 1
            if above[f] == p and keys[of_node[0, first[f]]] == key:
                break
            at = (at + 1) & last
        if slots[at] == 0:
            above[r] = p
            first[r] = i
            r += 1
            slots[at] = r
        of_node[1, i] = slots[at] - 1
        times[of_node[1, i]] += 1
        if parent[i] >= 0:
            children[parent[i]] += 1
    path_rows = np.empty((3, r), np.int32)
    rows: cython.int[:, ::1] = memoryview(path_rows)
    step_array = np.empty(r, np.uint64)
    step: cython.ulonglong[::1] = memoryview(step_array)
    only_array = np.ones(r, np.uint8)
    only: cython.uchar[::1] = memoryview(only_array)
    for j in range(r):
        rows[0, j] = above[j]
        rows[1, j] = first[j]
        rows[2, j] = times[j]
        step[j] = keys[of_node[0, first[j]]]
    for i in range(n):
        if keys[of_node[0, i]] and children[i] != 1:
            only[of_node[1, i]] = 0
    return numbers, type_rows, path_rows, only_array, step_array


@cython.cfunc
def write_values(out: cython.int[::1], nodes: cython.const[cython.longlong][::1], number: Ints):
    """Write the numbers of the values of some nodes, each one more."""
    for j in range(len(nodes)):
        out[nodes[j]] = number[j] + 1


@cython.cfunc
def add_values(
    keys: cython.ulonglong[::1],
    of_node: cython.int[:, ::1],
    first: cython.int[::1],
    nodes: cython.const[cython.longlong][::1],
    value: cython.const[cython.ulonglong][::1],
):
    """Combine the keys of the types of some nodes with those of the values of these nodes.

    of_node: the type of each node, in the first row; first: the first node of each type.
    """
    mask: cython.ulonglong = MASK
    for j in range(len(nodes)):
        t = of_node[0, nodes[j]]
        if first[t] == nodes[j] and value[j] and keys[t]:
            keys[t] = mix(keys[t], value[j], mask)


UNIT_ROWS = ("node", "last", "parent", "end", "low", "high", "level")
"""Rows of `units_above`."""


def units_above(parent: Ints, end: Ints, leaf_kind: cython.const[cython.schar][::1], chains: cython.bint):
    """Return the units of a page (7, u) int32 by `UNIT_ROWS`, the leaves among them, and their kinds.

    end (n,) int32; leaf_kind (n,) int8: above 0 at leaves, which contain no other leaf. chains: a unit is a
    chain of nodes that have the same leaves, at least one; else each node with a leaf is a unit. Leaves (l,)
    int32; kinds (u,) int8: 0 at a unit that is no leaf.
    """
    NODE, LAST, PARENT, END, LOW, HIGH, LEVEL = range(7)
    n: cython.Py_ssize_t = len(parent)
    before: cython.int[::1] = np.zeros(n + 1, np.int32)  # leaves before each node
    unit: cython.int[::1] = np.empty(n, np.int32)  # of each node with a leaf
    rank: cython.int[::1] = np.zeros(n + 1, np.int32)  # units whose first node is before each node
    for i in range(n):
        before[i + 1] = before[i] + (leaf_kind[i] > 0)
    members: cython.Py_ssize_t = 0
    for i in range(n):
        members += before[end[i]] > before[i]
    leaves: cython.Py_ssize_t = before[n]
    if chains:
        # A page of l leaves has at most 2 l - 1 units: each of the others has two children or more.
        members = min(members, 2 * leaves)
    rows = np.zeros((7, members), np.int32)
    row: cython.int[:, ::1] = rows
    kind_array = np.zeros(members, np.int8)
    kind: cython.schar[::1] = kind_array
    leaf_array = np.empty(leaves, np.int32)
    leaf: cython.int[::1] = leaf_array
    u = 0
    for i in range(n):
        rank[i] = u
        p = parent[i]
        low = before[i]
        high = before[end[i]]
        if low == high:
            continue
        above = unit[p] if p >= 0 else -1
        if chains and above >= 0 and row[LOW, above] == low and row[HIGH, above] == high:
            at = above
        else:
            at = u
            row[NODE, u] = i
            row[PARENT, u] = above
            row[LOW, u] = low
            row[HIGH, u] = high
            row[LEVEL, u] = row[LEVEL, above] + 1 if above >= 0 else 0
            u += 1
        unit[i] = at
        row[LAST, at] = i
        if leaf_kind[i] > 0:
            kind[at] = leaf_kind[i]
            leaf[low] = at
    rank[n] = u
    for k in range(u):
        row[END, k] = rank[end[row[NODE, k]]]
    return rows[:, :u].copy(), leaf_array, kind_array[:u].copy()


def units_of_nodes(parent: Ints, node: Ints, last: Ints):
    """Return the unit (n,) int32 of each node, -1 for none, and that of the nearest node that has one.

    node, last (u,): the ends of the chains of the units, as in `units_above`. The nearest node is the node
    itself or above it.
    """
    n: cython.Py_ssize_t = len(parent)
    unit: cython.int[::1] = np.empty(n, np.int32)
    nearest: cython.int[::1] = np.empty(n, np.int32)
    unit[:] = -1
    for u in range(len(node)):
        i = last[u]
        while i > node[u]:
            unit[i] = u
            i = parent[i]
        unit[i] = u
    for i in range(n):
        nearest[i] = nearest[parent[i]] if unit[i] < 0 and parent[i] >= 0 else unit[i]
    return np.asarray(unit), np.asarray(nearest)


def innermost(parent: Ints, mark: Flags):
    """Return (n,) int32, the nearest marked ancestor-or-self, -1 for none; mark (n,) uint8."""
    n: cython.Py_ssize_t = len(parent)
    out: cython.int[::1] = np.empty(n, np.int32)
    for i in range(n):
        if mark[i]:
            out[i] = i
        elif parent[i] >= 0:
            out[i] = out[parent[i]]
        else:
            out[i] = -1
    return np.asarray(out)


@cython.locals(groups=cython.ulonglong)
def sibling_numbers(parent: Ints, group: Ints):
    """Return the place (n,) int32 of each node among the siblings of its group, and their number.

    group (n,) int32, at least -1. Places count from 0.
    """
    n: cython.Py_ssize_t = len(parent)
    groups = 2
    for i in range(n):
        groups = max(groups, group[i] + 2)
    key_array = np.empty(n, np.uint64)
    key: cython.ulonglong[::1] = memoryview(key_array)
    for i in range(n):
        key[i] = (parent[i] + 1) * groups + group[i] + 1
    number_array, _, size_array = numbered(key_array)
    number: Ints = number_array
    size: Ints = size_array
    seen: cython.int[::1] = np.zeros(len(size), np.int32)
    place: cython.int[::1] = np.empty(n, np.int32)
    count: cython.int[::1] = np.empty(n, np.int32)
    for i in range(n):
        place[i] = seen[number[i]]
        count[i] = size[number[i]]
        seen[number[i]] += 1
    return np.asarray(place), np.asarray(count)


@cython.cfunc
def mix(a: cython.ulonglong, b: cython.ulonglong, mask: cython.ulonglong) -> cython.ulonglong:
    """Combine two keys; the result depends on their order."""
    # Factors below 2**31: in compiled code a larger literal would be a Python object.
    a = ((a ^ (b >> 31)) * 1540483477 + b) & mask
    a = ((a ^ (a >> 29)) * 2045523487) & mask
    a = ((a ^ (a >> 32)) * 1597334677) & mask
    return a ^ (a >> 30)


@cython.locals(code=cython.ulonglong, word=cython.ulonglong, words=cython.ulonglong)
def value_key(values: object, split: cython.bint):
    """Return the key of an id or of classes (c,) uint32 code points: 0 if there are only white spaces.

    split: the key of the words in any order; else that of all characters without white space.
    """
    codes: Codes = memoryview(values)
    mask: cython.ulonglong = MASK
    seed: cython.ulonglong = 1469598103934665603
    word = 0
    words = 0
    for j in range(len(codes)):
        code = codes[j]
        if code == 32 or 9 <= code <= 13:
            if word and split:
                words = (words + mix(word, 1, mask)) & mask
                word = 0
            continue
        if word == 0:
            word = seed
        word = ((word ^ code) * 1597334677) & mask
    if word and split:
        words = (words + mix(word, 1, mask)) & mask
    return words if split else word


def attributes_by_name(attr_start: Ints, attr_name: Ints, names: cython.Py_ssize_t):
    """Return the attributes (m,) int64 by name, the node (m,) int64 of each, and where each name begins.

    attr_start (n + 1,), attr_name (m,): as in a Dom; names: their number. begin (names + 1,) int64.
    """
    m: cython.Py_ssize_t = len(attr_name)
    attribute: cython.longlong[::1] = np.empty(m, np.int64)
    node: cython.longlong[::1] = np.empty(m, np.int64)
    begin: cython.longlong[::1] = np.zeros(names + 1, np.int64)
    place: cython.longlong[::1] = np.zeros(names + 1, np.int64)
    for k in range(m):
        begin[attr_name[k] + 1] += 1
    for name in range(names):
        begin[name + 1] += begin[name]
        place[name + 1] = begin[name + 1]
    for i in range(len(attr_start) - 1):
        for k in range(attr_start[i], attr_start[i + 1]):
            at = place[attr_name[k]]
            place[attr_name[k]] += 1
            attribute[at] = k
            node[at] = i
    return np.asarray(attribute), np.asarray(node), np.asarray(begin)


def nodes_by_tag(tag: Ints, tags: cython.Py_ssize_t):
    """Return the nodes (n,) int64 by tag, in document order, and where each tag begins (tags + 1,) int64."""
    n: cython.Py_ssize_t = len(tag)
    node: cython.longlong[::1] = np.empty(n, np.int64)
    begin: cython.longlong[::1] = np.zeros(tags + 1, np.int64)
    place: cython.longlong[::1] = np.zeros(tags + 1, np.int64)
    for i in range(n):
        begin[tag[i] + 1] += 1
    for number in range(tags):
        begin[number + 1] += begin[number]
        place[number + 1] = begin[number + 1]
    for i in range(n):
        node[place[tag[i]]] = i
        place[tag[i]] += 1
    return np.asarray(node), np.asarray(begin)


def shown_nodes(parent: Ints, tag: Ints, never: Flags, hidden: cython.const[cython.longlong][::1]):
    """Return (n,) bool, True at the nodes that are not hidden and not in hidden elements.

    never (t,) uint8: 1 for tags that are hidden; hidden (h,): other hidden elements.
    """
    n: cython.Py_ssize_t = len(parent)
    out: cython.uchar[::1] = np.ones(n, np.uint8)
    for j in range(len(hidden)):
        out[hidden[j]] = 0
    for i in range(n):
        if never[tag[i]] or (parent[i] >= 0 and not out[parent[i]]):
            out[i] = 0
    return np.asarray(out).view(np.bool_)


def texts_outside(parent: Ints, tag: Ints, silent: Flags, visible: Flags, filled: Flags):
    """Return (n,) bool, True at visible texts that are not blank and not in some elements.

    tag (n,) int32: 0 at texts; silent (t,) uint8: 1 for the tags of these elements; visible, filled (n,).
    """
    n: cython.Py_ssize_t = len(parent)
    shown: cython.uchar[::1] = np.zeros(n, np.uint8)
    inside: cython.uchar[::1] = np.zeros(n, np.uint8)
    for i in range(n):
        p = parent[i]
        inside[i] = p >= 0 and (inside[p] or silent[tag[p]])
        shown[i] = tag[i] == 0 and visible[i] and filled[i] and not inside[i]
    return np.asarray(shown).view(np.bool_)


def merge_paths(parent: object, step: object):
    """Merge nodes with the same path; return ``of`` (n,) and ``up``, ``first``, ``count``, ``only`` (r,).

    step (n,) uint64: key of the step of each node, 0 for a text node. of: the path of each node, or of its
    parent if it is not a step; up: the path one step shorter, -1 at the root, ``up[i] < i``; first, count:
    the first node of each path and the number of its nodes; only (uint8): whether each of these nodes has
    exactly one child that is a step.
    """
    n: cython.Py_ssize_t = len(parent)
    of_array, up, first, _ = merge_tables(parent, step, np.array([0, n]))
    above: Ints = memoryview(parent)
    keys: cython.const[cython.ulonglong][::1] = memoryview(step)
    of: Ints = of_array
    count: cython.int[::1] = np.zeros(len(up), np.int32)
    only: cython.uchar[::1] = np.ones(len(up), np.uint8)
    children: cython.int[::1] = np.zeros(n, np.int32)
    for i in range(n):
        if keys[i] == 0:
            continue
        count[of[i]] += 1
        if above[i] >= 0:
            children[above[i]] += 1
    for i in range(n):
        if keys[i] != 0 and children[i] != 1:
            only[of[i]] = 0
    return of_array, up, first, np.asarray(count), np.asarray(only)


@cython.locals(mask=cython.ulonglong, last=cython.ulonglong)
def merge_tables(up: Ints, step: object, start: cython.const[cython.longlong][::1]):
    """Merge the paths of each of several concatenated tables by their steps, as `merge_paths` does for nodes.

    up (m,) int32: the row of the path one step shorter, -1 at a root. step (m,) uint64: 0 for a step that is
    folded into the step above. start (p + 1,) int64: start of each table.

    Returns ``of`` (m,) int32, the new row of each path; ``above`` and ``first`` (s,) int32, for each new row
    the new row one step shorter, -1 at a root, and the first old row; start (p + 1,) int64 of the new rows.
    """
    m: cython.Py_ssize_t = len(up)
    size: cython.Py_ssize_t = 4
    while size < 2 * m:
        size *= 2
    keys: cython.const[cython.ulonglong][::1] = memoryview(step)
    above_array, first_array = np.zeros((2, m), np.int32)
    of: cython.int[::1] = memoryview(np.empty(m, np.int32))
    above: cython.int[::1] = above_array
    first: cython.int[::1] = first_array
    slots: cython.int[::1] = np.empty(size, np.int32)
    slots[:] = -1
    starts: cython.longlong[::1] = np.zeros(len(start), np.int64)
    mask = MASK
    last = size - 1
    s: cython.Py_ssize_t = 0
    for table in range(len(start) - 1):
        for i in range(start[table], start[table + 1]):
            # Roots of different tables are different.
            p = of[up[i]] if up[i] >= 0 else -1 - table
            if keys[i] == 0:
                of[i] = p
                continue
            at = mix(keys[i], p + len(start), mask) & last
            while slots[at] >= 0 and (above[slots[at]] != p or keys[first[slots[at]]] != keys[i]):
                at = (at + 1) & last
            if slots[at] < 0:
                slots[at] = s
                above[s] = p
                first[s] = i
                s += 1
            of[i] = slots[at]
        starts[table + 1] = s
    for i in range(m):
        of[i] = max(of[i], -1)
    for i in range(s):
        above[i] = max(above[i], -1)
    return np.asarray(of), above_array[:s].copy(), first_array[:s].copy(), np.asarray(starts)


@cython.locals(before=cython.ulonglong, mask=cython.ulonglong, seed=cython.ulonglong)
def path_keys(up: Ints, step: object, start: cython.const[cython.longlong][::1]):
    """Return the key of each path (r,) uint64 of several concatenated tables.

    up (r,) int32: within its table; step (r,) uint64: 0 for a step that is folded into the step above; start
    (p + 1,) int64: start of each table.
    """
    keys = np.empty(len(up), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    steps: cython.const[cython.ulonglong][::1] = memoryview(step)
    mask, seed = MASK, 1469598103934665603
    for t in range(len(start) - 1):
        for i in range(start[t], start[t + 1]):
            before = out[start[t] + up[i]] if up[i] >= 0 else seed
            out[i] = mix(before, steps[i], mask) if steps[i] else before
    return keys


@cython.locals(c=cython.Py_ssize_t)
def climb(up: Ints, x: object):
    """Return the sums of ``x`` (r, c) int64 over each path and the paths below it; up as in `merge_paths`."""
    sums = np.array(x, np.int64, order="C")
    total: cython.longlong[:, ::1] = sums
    for i in range(len(up) - 1, -1, -1):
        if up[i] >= 0:
            for c in range(sums.shape[1]):
                total[up[i], c] += total[i, c]
    return sums


@cython.locals(key=cython.ulonglong, code=cython.ulonglong, mask=cython.ulonglong, seed=cython.ulonglong)
def span_keys(codes: object, start: Ints, end: Ints, most: cython.Py_ssize_t):
    """Return the key of each text ``codes[start[i]:end[i]]`` (m,) uint64, ignoring white space.

    The key is 0 if there is only white space, or more than ``most`` characters.
    """
    keys = np.zeros(len(start), np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    text: Codes = memoryview(codes)
    mask, seed = MASK, 1469598103934665603
    for i in range(len(start)):
        key = seed
        length = 0
        for j in range(start[i], end[i]):
            code = text[j]
            if code == 32 or 9 <= code <= 13 or code == 160:
                continue
            length += 1
            if length > most:
                break
            key = ((key ^ code) * 1597334677) & mask
        out[i] = key if 0 < length <= most else 0
    return keys
