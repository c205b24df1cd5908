# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.lists.candidates`: keys of elements, groups of equal keys, and lines of text.

In all functions parent, end (k,) int32 are those of `webgrain.page.outline.visible_tree`, parent is -1 at the
root, and kind (k,) int8 is not 0 at its leaves. Nodes of the Dom are called nodes, those of the tree members
or elements.
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
Ints = cython.typedef(cython.const[cython.int][::1])
IntBuffer = cython.typedef(cython.int[::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])


@cython.cfunc
def mixed(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    """Combine two keys; the result depends on their order."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    first: cython.ulonglong = 0x9E3779B97F4A7C15
    second: cython.ulonglong = 0xBF58476D1CE4E5B9
    a = ((a ^ (a >> 31)) * first + b) & mask
    a = ((a ^ (a >> 29)) * second) & mask
    return a ^ (a >> 32)


def find_groups(dom: tuple, tree: tuple, tags: tuple, classes: tuple, star: object, least: cython.int):
    """Return the items of all candidates: start, stop (i,), offset (c + 1,), kind (c,) int64.

    dom: parent, end, tag (n,) int32, links (n,) uint8; tree: node, parent, end (k,) int32, kind (k,) int8 of
    the visible tree; tags: the key (t,) uint64 of each tag, and the number of ``<br>``; classes: elements
    (c,) int64, where their keys begin (c + 1,) int32, and the keys (w,) uint64; star (n,) int64: the STAR
    that each node is an item of, -1 for none, or None; least: items of a candidate.
    """
    ends: Ints = dom[1]
    tag: Ints = dom[2]
    links: Flags = dom[3]
    node: Ints = tree[0]
    kind: cython.const[cython.schar][::1] = tree[3]
    tag_key: Keys = memoryview(tags[0])
    classed: Longs = classes[0]
    k: cython.Py_ssize_t = len(node)
    class_of_nodes: IntBuffer = np.zeros(len(tag), np.int32)  # from 1
    for c in range(len(classed)):
        class_of_nodes[classed[c]] = c + 1
    key_array = np.empty(k, np.uint64)
    keys: KeyBuffer = memoryview(key_array)
    link_array = np.empty(k, np.uint8)
    link: cython.uchar[::1] = link_array
    class_array = np.empty(k, np.int32)
    class_of: IntBuffer = class_array
    leaf_array = np.empty(k, np.int32)
    leaf: IntBuffer = leaf_array
    leaf_node_array = np.empty(k, np.int32)
    leaf_node: IntBuffer = leaf_node_array
    before_array = np.zeros(k + 1, np.int32)  # the leaves before each element
    before: IntBuffer = before_array
    leaves: cython.int = 0
    for i in range(k):
        x = node[i]
        keys[i] = tag_key[tag[x]]
        link[i] = links[x]
        class_of[i] = class_of_nodes[x] - 1
        if kind[i] > 0:
            leaf[leaves] = i
            leaf_node[leaves] = x
            leaves += 1
        before[i + 1] = leaves
    stars = None if star is None else star[tree[0]]
    element_key, element = element_keys(
        tree[1], key_array, link_array, class_array, classes[1], classes[2], stars
    )
    elements = separate_groups(element_key, element, tree[2], before_array, least)
    extended = extended_groups(tree[1], tree[2], before_array, leaf_array[:leaves], elements[0], elements[1])
    breaks = breaks_by_parent(dom[0], tag, tags[1])
    lines = lines_between(dom[0], ends, breaks, leaf_node_array[:leaves], least)
    return items_of_groups(node, tree[1], ends, elements, extended, lines)


@cython.cfunc
def breaks_by_parent(parent: Ints, tag: Ints, wanted: cython.int):
    """Return the nodes (b,) int32 with a tag by their parents, each in document order."""
    breaks: cython.Py_ssize_t = 0
    found_array = np.empty((2, len(tag)), np.int32)
    found: IntBuffer = found_array[0]
    above: IntBuffer = found_array[1]
    for x in range(len(tag)):
        if tag[x] == wanted:
            found[breaks] = x
            above[breaks] = parent[x]
            breaks += 1
    return found_array[0, :breaks][found_array[1, :breaks].argsort(kind="stable")]


@cython.cfunc
def element_keys(
    parents: object,
    tag_keys: object,
    links: Flags,
    class_of: Ints,
    class_start: Ints,
    class_keys: object,
    stars: object,
):
    """Return the keys (p,) uint64 of the elements without the root, and the element (p,) int32 of each.

    tag_keys (k,) uint64: 0 for a text. links (k,) uint8: 1 at a link. class_of (k,) int32: place c of the
    classes of each node, -1 for none; their keys are class_keys[class_start[c]:class_start[c + 1]]. stars
    (k,) int64: the STAR that each node is an item of, -1 for none; or None. Elements are in document order.
    """
    k: cython.Py_ssize_t = len(parents)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    parent: Ints = memoryview(parents)
    star: Longs = memoryview(np.zeros(0, np.int64) if stars is None else stars)
    tags: Keys = memoryview(tag_keys)
    classes: Keys = memoryview(class_keys)
    path: KeyBuffer = memoryview(np.empty(k, np.uint64))
    pair: KeyBuffer = memoryview(np.empty(k, np.uint64))
    triple: KeyBuffer = memoryview(np.empty(k, np.uint64))
    linked: cython.uchar[::1] = np.zeros(k, np.uint8)
    size: cython.Py_ssize_t = 0
    for i in range(k - 1, -1, -1):
        if links[i]:
            linked[i] = 1
        if linked[i] and parent[i] >= 0:
            linked[parent[i]] = 1
    for i in range(k):
        size += 13
        if class_of[i] >= 0:
            size += 3 * (class_start[class_of[i] + 1] - class_start[class_of[i]])
    key_array = np.empty(size, np.uint64)
    element_array = np.empty(size, np.int32)
    keys: KeyBuffer = memoryview(key_array)
    element: IntBuffer = element_array
    bases: cython.ulonglong[::1] = memoryview(np.empty(4, np.uint64))
    p: cython.Py_ssize_t = 0
    link: cython.ulonglong = 11
    first_tag: cython.ulonglong = 13
    for i in range(k):
        # The tags from the root, from the parent and from the element two levels above.
        up = max(parent[i], 0)
        path[i] = mixed(path[up], tags[i]) if i else tags[i]
        pair[i] = mixed(tags[up], tags[i])
        triple[i] = mixed(pair[up], tags[i])
        if i == 0 or tags[i] == 0:
            continue
        above = max(parent[up], 0)
        bases[0] = path[i]
        bases[1] = mixed(tags[i], up)
        bases[2] = mixed(pair[i], above)
        bases[3] = mixed(triple[i], max(parent[above], 0))
        first = p
        for base in range(4):
            keys[p] = bases[base]
            keys[p + 1] = mixed(mixed(bases[base], first_tag), child_tag(i, parent, tags))
            p += 2
            if linked[i]:
                keys[p] = mixed(bases[base], link)
                p += 1
        if class_of[i] >= 0:
            for c in range(class_start[class_of[i]], class_start[class_of[i] + 1]):
                keys[p] = mixed(tags[i], classes[c])
                keys[p + 1] = mixed(bases[0], classes[c])
                keys[p + 2] = mixed(bases[1], classes[c])
                p += 3
        if len(star) and star[i] >= 0:
            keys[p] = star[i]
            p += 1
        for j in range(first, p):
            element[j] = i
    return key_array[:p], element_array[:p]


@cython.cfunc
def child_tag(i: cython.Py_ssize_t, parent: Ints, tags: Keys) -> cython.ulonglong:
    """Return the key of the tag of the first child of an element, 0 for none."""
    if i + 1 < len(parent) and parent[i + 1] == i:
        return tags[i + 1]
    return 0


@cython.cfunc
def separate_groups(keys: object, element: Ints, end: Ints, leaves_before: object, least: cython.int):
    """Return the elements with equal keys: the members (m,) int32 and the size (g,) int32 of each group.

    keys (p,) uint64, element (p,) int32: of `element_keys`; leaves_before (k + 1,) int32: the leaves
    before each element. Groups are in the order of their keys. Left out are groups of fewer than ``least``
    members, groups with a member inside another one, and groups with the same leaves as an earlier group.
    """
    number_array, first, count_array = numbered(keys)
    large = (count_array >= least).nonzero()[0]
    large = large[keys[first[large]].argsort()]
    sizes = count_array[large]
    offset_array = np.zeros(len(large) + 1, np.int32)
    sizes.cumsum(out=offset_array[1:])
    place_array = np.zeros(len(first), np.int32) - 1
    place_array[large] = offset_array[: len(large)]
    member_array = np.empty(offset_array[len(large)], np.int32)
    leaves: Ints = memoryview(leaves_before)
    number: Ints = number_array
    offset: Ints = offset_array
    place: IntBuffer = place_array
    member: IntBuffer = member_array
    groups: cython.Py_ssize_t = len(large)
    for j in range(len(element)):
        group = number[j]
        if place[group] >= 0:
            member[place[group]] = element[j]
            place[group] += 1
    sum_array = np.zeros(groups, np.uint64)
    sums: KeyBuffer = memoryview(sum_array)
    kept: cython.uchar[::1] = np.zeros(groups, np.uint8)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    total: cython.ulonglong = 0
    for g in range(groups):
        total = 0
        kept[g] = 1
        for j in range(offset[g], offset[g + 1]):
            total = (total + mixed(leaves[member[j]] + 1, leaves[end[member[j]]])) & mask
            if j > offset[g] and member[j] < end[member[j - 1]]:
                kept[g] = 0
        sums[g] = total
    of_span_array, first_span_array, _ = numbered(sum_array)
    of_span: Ints = of_span_array
    first_span: Ints = first_span_array
    for g in range(groups):
        if first_span[of_span[g]] != g:
            kept[g] = 0
    chosen = np.asarray(kept).view(np.bool_)
    return member_array[chosen.repeat(sizes)], sizes[chosen]


@cython.cfunc
def extended_groups(parent: Ints, end: Ints, leaves: Ints, leaf: Ints, member: Ints, size: Ints):
    """Return the groups whose members are followed by other siblings, with these siblings.

    member (m,), size (g,) int32: of `separate_groups`; leaves (k + 1,) int32: the leaves before each
    element; leaf (l,) int32: the leaves. An item ends at the next member of its parent. The last one of a
    parent has at most as many leaves as the largest of the others in its group.

    Returns member, stop (e,) int32: where the items begin and end; size (h,) int32.
    """
    m: cython.Py_ssize_t = len(member)
    first: IntBuffer = np.empty(m, np.int32)
    stop: IntBuffer = np.empty(m, np.int32)
    sizes: IntBuffer = np.empty(len(size), np.int32)
    items: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    begin: cython.Py_ssize_t = 0
    for g in range(len(size)):
        behind: cython.Py_ssize_t = begin + size[g]
        longer: cython.bint = False
        most: cython.int = 0
        for j in range(begin, behind - 1):
            if parent[member[j]] == parent[member[j + 1]]:
                most = max(most, leaves[member[j + 1]] - leaves[member[j]])
                longer = longer or member[j + 1] > end[member[j]]
        if longer:
            for j in range(begin, behind):
                item = member[j]
                first[items] = item
                if j + 1 < behind and parent[item] == parent[member[j + 1]]:
                    stop[items] = member[j + 1]
                else:
                    stop[items] = last_stop(item, leaves[item] + most, parent, end, leaf)
                items += 1
            sizes[groups] = size[g]
            groups += 1
        begin = behind
    return np.asarray(first)[:items], np.asarray(stop)[:items], np.asarray(sizes)[:groups]


@cython.cfunc
def last_stop(item: cython.int, limit: cython.int, parent: Ints, end: Ints, leaf: Ints) -> cython.int:
    """Return where an item ends that no other follows: before the sibling that contains leaf ``limit``."""
    node = leaf[limit] if limit < len(leaf) else len(parent)
    if node >= end[parent[item]]:
        return end[parent[item]]
    while parent[node] != parent[item]:
        node = parent[node]
    return max(node, end[item])


@cython.cfunc
def lines_between(parent: Ints, end: Ints, breaks: Ints, leaf: Ints, least: cython.int):
    """Return the lines between the breaks within each element, and the groups between its blank lines.

    parent, end (n,) int32: of the Dom; breaks (b,) int32: the nodes of the breaks, sorted by parent; leaf
    (l,) int32: the nodes of the leaves. Groups of fewer than ``least`` lines are left out.

    Returns start, stop (i,) int32: the first node of each line, and one past its last node; size (g,) int32.
    """
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(breaks)
    before: IntBuffer = np.zeros(n + 1, np.int32)
    start: IntBuffer = np.empty(4 * b, np.int32)
    stop: IntBuffer = np.empty(4 * b, np.int32)
    size: IntBuffer = np.empty(2 * b, np.int32)
    items: cython.Py_ssize_t = 0
    groups: cython.Py_ssize_t = 0
    for j in range(len(leaf)):
        before[leaf[j] + 1] = 1
    for i in range(n):
        before[i + 1] += before[i]
    first: cython.Py_ssize_t = 0
    while first < b:
        above = parent[breaks[first]]
        last: cython.Py_ssize_t = first
        while last < b and parent[breaks[last]] == above:
            last += 1
        for by_blank in range(2):
            line: cython.Py_ssize_t = items
            cut = before[above]
            previous = cut
            for j in range(first, last + 1):
                edge = before[breaks[j]] if j < last else before[end[above]]
                # A group of lines ends at a blank line and at the end of the element.
                if edge > cut and (not by_blank or edge == previous or j == last):
                    start[line] = leaf[cut]
                    stop[line] = leaf[edge - 1] + 1
                    line += 1
                    cut = edge
                previous = edge
            if line - items >= least:
                for j in range(items, line):
                    start[j] = child_of(above, start[j], parent)
                size[groups] = line - items
                groups += 1
                items = line
        first = last
    return np.asarray(start)[:items], np.asarray(stop)[:items], np.asarray(size)[:groups]


@cython.cfunc
def items_of_groups(node: Ints, parent: Ints, end: Ints, elements: tuple, extended: tuple, lines: tuple):
    """Return the items of all groups: start, stop (i,), offset (c + 1,), kind (c,) int64, of `Candidates`.

    node (k,) int32: of the elements of the tree; end (n,) int32: of the Dom; elements: member (m,), size (g,)
    of `separate_groups`; extended: member, stop, size of `extended_groups`; lines: start, stop, size of
    `lines_between`.
    """
    member: Ints = elements[0]
    first: Ints = extended[0]
    last: Ints = extended[1]
    line: Ints = lines[0]
    line_stop: Ints = lines[1]
    m: cython.Py_ssize_t = len(member)
    x: cython.Py_ssize_t = m + len(first)
    item_array = np.empty((2, x + len(line)), np.int64)
    start: LongBuffer = item_array[0]
    stop: LongBuffer = item_array[1]
    for j in range(m):
        start[j] = node[member[j]]
        stop[j] = end[start[j]]
    for j in range(len(first)):
        start[m + j] = node[first[j]]
        # An item that is followed by an item of its parent ends where this one begins, and no item is longer
        # than its parent.
        limit = end[node[parent[first[j]]]]
        stop[m + j] = min(node[last[j]], limit) if last[j] < len(node) else limit
    for j in range(len(line)):
        start[x + j] = line[j]
        stop[x + j] = line_stop[j]
    groups: cython.Py_ssize_t = len(elements[1]) + len(extended[2]) + len(lines[2])
    offset: LongBuffer = np.zeros(groups + 1, np.int64)
    kind: LongBuffer = np.empty(groups, np.int64)
    c: cython.Py_ssize_t = 0
    sizes = (elements[1], extended[2], lines[2])
    for number in range(3):
        size: Ints = sizes[number]
        for j in range(len(size)):
            offset[c + 1] = offset[c] + size[j]
            kind[c] = number
            c += 1
    return item_array[0], item_array[1], np.asarray(offset), np.asarray(kind)


def take_items(start: Longs, stop: Longs, offset: Longs, kind: Longs, chosen: Longs):
    """Return start, stop, offset and kind of some of the candidates, see `Candidates`."""
    offset_array = np.zeros(len(chosen) + 1, np.int64)
    offsets: LongBuffer = offset_array
    kind_array = np.empty(len(chosen), np.int64)
    kinds: LongBuffer = kind_array
    for j in range(len(chosen)):
        k = chosen[j]
        offsets[j + 1] = offsets[j] + offset[k + 1] - offset[k]
        kinds[j] = kind[k]
    item_array = np.empty((2, offsets[len(chosen)]), np.int64)
    starts: LongBuffer = item_array[0]
    stops: LongBuffer = item_array[1]
    for j in range(len(chosen)):
        k = chosen[j]
        for i in range(offset[k + 1] - offset[k]):
            starts[offsets[j] + i] = start[offset[k] + i]
            stops[offsets[j] + i] = stop[offset[k] + i]
    return item_array[0], item_array[1], offset_array, kind_array


def choose_apart(order: Longs, start: Longs, stop: Longs, offset: Longs, most: cython.int):
    """Return the first ``most`` of several candidates that share no node with an earlier one of them.

    order (o,): the candidates; start, stop, offset: of `Candidates`.
    """
    chosen = []
    last: cython.longlong = 0
    for i in range(len(stop)):
        last = max(last, stop[i])
    taken: cython.uchar[::1] = np.zeros(last, np.uint8)
    for j in range(len(order)):
        k = order[j]
        free: cython.bint = True
        for i in range(offset[k], offset[k + 1]):
            for node in range(start[i], stop[i]):
                if taken[node]:
                    free = False
                    break
            if not free:
                break
        if free:
            chosen.append(k)
            for i in range(offset[k], offset[k + 1]):
                for node in range(start[i], stop[i]):
                    taken[node] = 1
        if len(chosen) == most:
            break
    return chosen


@cython.cfunc
def child_of(above: cython.int, node: cython.int, parent: Ints) -> cython.int:
    """Return the child of an element that contains a node."""
    while parent[node] != above:
        node = parent[node]
    return node
