# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.lists.candidates` and of the choice among candidates.

There are keys of elements, groups of equal keys, and lines of text.

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

Doubles = cython.typedef(cython.const[cython.double][::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
IntBuffer = cython.typedef(cython.int[::1])
IntTable = cython.typedef(cython.int[:, ::1])
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
    parent_of_nodes: Ints = dom[0]
    end_of_nodes: Ints = dom[1]
    tag: Ints = dom[2]
    links: Flags = dom[3]
    node: Ints = tree[0]
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    parent: Ints = memoryview(tree[1])
    end: Ints = tree[2]
    kind: cython.const[cython.schar][::1] = tree[3]
    tag_key: Keys = memoryview(tags[0])
    classed: Longs = classes[0]
    class_start: Ints = classes[1]
    class_keys: Keys = memoryview(classes[2])
    k: cython.Py_ssize_t = len(node)
    ints: IntTable = np.zeros((3, k), np.int32)
    linked: IntBuffer = ints[0]
    class_of: IntBuffer = ints[1]
    leaf: IntBuffer = ints[2]
    before: IntBuffer = memoryview(np.zeros(k + 1, np.int32))  # the leaves before each element
    paths: KeyBuffer = memoryview(np.empty(4 * k, np.uint64))
    leaves: cython.int = 0
    c: cython.Py_ssize_t = 0
    for i in range(k):
        x = node[i]
        paths[i] = tag_key[tag[x]]
        linked[i] = links[x]
        while c < len(classed) and classed[c] < x:
            c += 1
        class_of[i] = c if c < len(classed) and classed[c] == x else -1
        if kind[i] > 0:
            leaf[leaves] = i
            leaves += 1
        before[i + 1] = leaves
    most: cython.Py_ssize_t = 14 * k + 3 * len(class_keys)
    key_array = np.empty(most, np.uint64)
    key: KeyBuffer = memoryview(key_array)
    element: IntBuffer = np.empty(most, np.int32)
    p: cython.Py_ssize_t = write_keys(key, element, parent, paths, linked, class_of, class_start, class_keys)
    if star is not None:
        p = write_stars(key, element, p, paths[:k], node, star)
    member_array, size_array = separate_groups(key_array[:p], element, end, before, least)
    member: Ints = member_array
    size: Ints = size_array
    extended: IntTable = np.empty((2, len(member)), np.int32)
    extended_size: IntBuffer = np.empty(len(size), np.int32)
    leaf = leaf[:leaves]
    h: cython.Py_ssize_t = write_extended(
        extended[0], extended[1], extended_size, parent, end, before, leaf, member, size
    )
    breaks_array = breaks_by_parent(parent_of_nodes, tag, tags[1])
    breaks: Ints = breaks_array
    lines: IntTable = np.empty((3, 4 * len(breaks)), np.int32)
    g: cython.Py_ssize_t = 0
    if len(breaks) > 0:
        for j in range(leaves):
            leaf[j] = node[leaf[j]]
        g = write_lines(lines[0], lines[1], lines[2], parent_of_nodes, end_of_nodes, breaks, leaf, least)
    groups: cython.Py_ssize_t = len(size) + h + g
    group_array = np.zeros((2, groups + 1), np.int64)
    offset: LongBuffer = group_array[0]
    kinds: LongBuffer = group_array[1]
    append_groups(offset, kinds, 0, size, 0)
    append_groups(offset, kinds, len(size), extended_size[:h], 1)
    append_groups(offset, kinds, len(size) + h, lines[2, :g], 2)
    item_array = np.empty((2, offset[groups]), np.int64)
    start: LongBuffer = item_array[0]
    stop: LongBuffer = item_array[1]
    for j in range(len(member)):
        start[j] = node[member[j]]
        stop[j] = end_of_nodes[start[j]]
    first: cython.Py_ssize_t = len(member)
    for j in range(offset[len(size) + h] - first):
        # An item that is followed by an item of its parent ends where this one begins, and no item is longer
        # than its parent.
        last = extended[1, j]
        limit = end_of_nodes[node[parent[extended[0, j]]]]
        start[first + j] = node[extended[0, j]]
        stop[first + j] = min(node[last], limit) if last < k else limit
    first = offset[len(size) + h]
    for j in range(offset[groups] - first):
        start[first + j] = lines[0, j]
        stop[first + j] = lines[1, j]
    return item_array[0], item_array[1], group_array[0], group_array[1, :groups]


@cython.cfunc
def append_groups(
    offset: LongBuffer, kind: LongBuffer, first: cython.Py_ssize_t, size: Ints, number: cython.int
):
    """Write the offsets and the kind of groups of some sizes, the first of which has a number."""
    for j in range(len(size)):
        offset[first + j + 1] = offset[first + j] + size[j]
        kind[first + j] = number


@cython.cfunc
def breaks_by_parent(parent: Ints, tag: Ints, wanted: cython.int):
    """Return the nodes (b,) int32 with a tag by their parents, each in document order."""
    breaks: cython.Py_ssize_t = 0
    for x in range(len(tag)):
        breaks += tag[x] == wanted
    found_array = np.empty((2, breaks), np.int32)
    if breaks == 0:
        return found_array[0]
    found: IntTable = found_array
    breaks = 0
    for x in range(len(tag)):
        if tag[x] == wanted:
            found[0, breaks] = x
            found[1, breaks] = parent[x]
            breaks += 1
    return found_array[0, found_array[1].argsort(kind="stable")]


@cython.cfunc
def write_keys(
    keys: KeyBuffer,
    element: IntBuffer,
    parent: Ints,
    paths: KeyBuffer,
    linked: IntBuffer,
    class_of: Ints,
    class_start: Ints,
    classes: Keys,
) -> cython.Py_ssize_t:
    """Write the keys of the elements without the root, and the element of each; return their number.

    paths: the keys (k,) of the tags, 0 for a text, and room for three times as many. linked (k,): 1 at a
    link. class_of (k,): place c of the classes of each node, -1 for none; their keys are
    classes[class_start[c]:class_start[c + 1]]. Elements are in document order.
    """
    k: cython.Py_ssize_t = len(parent)
    tags: KeyBuffer = paths[:k]
    path: KeyBuffer = paths[
        k : 2 * k
    ]  # of the tags from the root, from the parent, and from two levels above
    pair: KeyBuffer = paths[2 * k : 3 * k]
    triple: KeyBuffer = paths[3 * k :]
    for i in range(k - 1, -1, -1):
        if linked[i] and parent[i] >= 0:
            linked[parent[i]] = 1
    p: cython.Py_ssize_t = 0
    link: cython.ulonglong = 11
    first_tag: cython.ulonglong = 13
    of_child: cython.ulonglong = 0
    key: cython.ulonglong = 0
    near: cython.ulonglong = 0
    for i in range(k):
        up = max(parent[i], 0)
        path[i] = mixed(path[up], tags[i]) if i else tags[i]
        pair[i] = mixed(tags[up], tags[i])
        triple[i] = mixed(pair[up], tags[i])
        if i == 0 or tags[i] == 0:
            continue
        above = max(parent[up], 0)
        near = mixed(tags[i], up)
        of_child = child_tag(i, parent, tags)
        first = p
        for base in range(4):
            if base == 0:
                key = path[i]
            elif base == 1:
                key = near
            elif base == 2:
                key = mixed(pair[i], above)
            else:
                key = mixed(triple[i], max(parent[above], 0))
            keys[p] = key
            keys[p + 1] = mixed(mixed(key, first_tag), of_child)
            p += 2
            if linked[i]:
                keys[p] = mixed(key, link)
                p += 1
        if class_of[i] >= 0:
            for c in range(class_start[class_of[i]], class_start[class_of[i] + 1]):
                keys[p] = mixed(tags[i], classes[c])
                keys[p + 1] = mixed(path[i], classes[c])
                keys[p + 2] = mixed(near, classes[c])
                p += 3
        for j in range(first, p):
            element[j] = i
    return p


@cython.cfunc
def write_stars(
    keys: KeyBuffer, element: IntBuffer, p: cython.Py_ssize_t, tags: Keys, node: Ints, star: Longs
) -> cython.Py_ssize_t:
    """Write the STAR of each element that is an item of one; return the number of all keys."""
    for i in range(1, len(node)):
        if tags[i] != 0 and star[node[i]] >= 0:
            keys[p] = star[node[i]]
            element[p] = i
            p += 1
    return p


@cython.cfunc
def child_tag(i: cython.Py_ssize_t, parent: Ints, tags: Keys) -> cython.ulonglong:
    """Return the key of the tag of the first child of an element, 0 for none."""
    if i + 1 < len(parent) and parent[i + 1] == i:
        return tags[i + 1]
    return 0


@cython.cfunc
def separate_groups(keys: object, element: Ints, end: Ints, leaves: Ints, least: cython.int):
    """Return the elements with equal keys: the members (m,) int32 and the size (g,) int32 of each group.

    keys (p,) uint64, element (p,) int32: of `write_keys`; leaves (k + 1,) int32: the leaves before each
    element. Groups are in the order of their keys. Left out are groups of fewer than ``least`` members,
    groups with a member inside another one, and groups with the same leaves as an earlier group.
    """
    number_array, first_array, count_array = numbered(keys)
    number: Ints = number_array
    count: Ints = count_array
    group_array = (count_array >= least).nonzero()[0]
    group: Longs = group_array[keys[first_array[group_array]].argsort()]
    groups: cython.Py_ssize_t = len(group)
    members: cython.Py_ssize_t = 0
    place: IntBuffer = np.zeros(len(count), np.int32) - 1  # of the next member of each group
    begin: IntBuffer = np.empty(groups + 1, np.int32)
    begin[0] = 0
    for g in range(groups):
        place[group[g]] = members
        members += count[group[g]]
        begin[g + 1] = members
    member_array = np.empty(members, np.int32)
    member: IntBuffer = member_array
    for j in range(len(number)):
        if place[number[j]] >= 0:
            member[place[number[j]]] = element[j]
            place[number[j]] += 1
    sum_array = np.zeros(groups, np.uint64)
    sums: KeyBuffer = memoryview(sum_array)
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    total: cython.ulonglong = 0
    for g in range(groups):
        total = 0
        for j in range(begin[g], begin[g + 1]):
            total = (total + mixed(leaves[member[j]] + 1, leaves[end[member[j]]])) & mask
        sums[g] = total
    of_span_array, first_span_array, _ = numbered(sum_array)
    of_span: Ints = of_span_array
    first_span: Ints = first_span_array
    size_array = np.empty(groups, np.int32)
    size: IntBuffer = size_array
    kept: cython.Py_ssize_t = 0
    members = 0
    for g in range(groups):
        is_kept: cython.bint = first_span[of_span[g]] == g
        for j in range(begin[g] + 1, begin[g + 1]):
            if member[j] < end[member[j - 1]]:
                is_kept = False
                break
        if is_kept:
            for j in range(begin[g], begin[g + 1]):
                member[members] = member[j]
                members += 1
            size[kept] = begin[g + 1] - begin[g]
            kept += 1
    return member_array[:members], size_array[:kept]


@cython.cfunc
def write_extended(
    first: IntBuffer,
    stop: IntBuffer,
    sizes: IntBuffer,
    parent: Ints,
    end: Ints,
    leaves: Ints,
    leaf: Ints,
    member: Ints,
    size: Ints,
) -> cython.Py_ssize_t:
    """Write the groups whose members are followed by other siblings, with these siblings.

    first, stop (m,): where the items begin and end; sizes (g,): of the groups. member (m,), size (g,) int32:
    of `separate_groups`; leaves (k + 1,) int32: the leaves before each element; leaf (l,) int32: the leaves.
    An item ends at the next member of its parent. The last one of a parent has at most as many leaves as the
    largest of the others in its group. Returns the number of groups.
    """
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
    return groups


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
def write_lines(
    start: IntBuffer,
    stop: IntBuffer,
    size: IntBuffer,
    parent: Ints,
    end: Ints,
    breaks: Ints,
    leaf: Ints,
    least: cython.int,
) -> cython.Py_ssize_t:
    """Write the lines between the breaks in each element, and the groups between its blank lines.

    start, stop, size (4b,): the first node of each line, and one past its last node; the size of each group
    of lines, whose number is returned. parent, end (n,) int32: of the Dom; breaks (b,) int32: the nodes of
    the breaks, sorted by parent; leaf (l,) int32: the nodes of the leaves. Groups of fewer than ``least``
    lines are left out.
    """
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(breaks)
    before: IntBuffer = np.zeros(n + 1, np.int32)
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
    return groups


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


def choose_apart(
    probability: Doubles,
    start: Longs,
    stop: Longs,
    offset: Longs,
    least: cython.double,
    share: cython.double,
    most: cython.int,
):
    """Return the most probable candidates (l,) int64 that share no node with an earlier one of them.

    In place of the first are the longest rows that each contain one of its items, see `whole_rows`.

    probability (c,): of each candidate; start, stop, offset: of `Candidates`; least: probability of a
    candidate, but not of the rows; share: see `whole_rows`; most: candidates.
    """
    order: LongBuffer = np.empty(len(probability) + 1, np.int64)
    size: cython.Py_ssize_t = 0
    for k in range(len(probability)):
        if probability[k] >= least:
            j: cython.Py_ssize_t = size
            while j > 0 and probability[order[j - 1]] < probability[k]:
                order[j] = order[j - 1]
                j -= 1
            order[j] = k
            size += 1
    chosen_array = np.empty(min(most, size + 1), np.int64)
    if size == 0:
        return chosen_array[:0]
    chosen: LongBuffer = chosen_array
    whole = whole_rows(order[0], probability, start, stop, offset, share)
    last: cython.longlong = 0
    for i in range(len(stop)):
        last = max(last, stop[i])
    taken: cython.uchar[::1] = np.zeros(last, np.uint8)
    lists: cython.Py_ssize_t = 0
    for j in range(-1, size):
        k = order[j] if j >= 0 else whole
        if lists == len(chosen) or (j >= 0 and k == whole):
            continue
        free: cython.bint = True
        for i in range(offset[k], offset[k + 1]):
            for node in range(start[i], stop[i]):
                if taken[node]:
                    free = False
                    break
            if not free:
                break
        if free:
            chosen[lists] = k
            lists += 1
            for i in range(offset[k], offset[k + 1]):
                for node in range(start[i], stop[i]):
                    taken[node] = 1
    return chosen_array[:lists]


@cython.cfunc
def whole_rows(
    best: cython.longlong,
    probability: Doubles,
    start: Longs,
    stop: Longs,
    offset: Longs,
    share: cython.double,
) -> cython.longlong:
    """Return the candidate with the longest items that each contain one item of the best candidate.

    Its probability is at least ``share`` times as high. The best candidate itself if there is no other.
    """
    whole: cython.longlong = best
    most: cython.longlong = 0
    for i in range(offset[best], offset[best + 1]):
        most += stop[i] - start[i]
    for k in range(len(probability)):
        shift: cython.longlong = offset[k] - offset[best]
        if offset[k + 1] - shift != offset[best + 1] or probability[k] < share * probability[best]:
            continue
        size: cython.longlong = 0
        for i in range(offset[best], offset[best + 1]):
            if start[i + shift] > start[i] or stop[i + shift] < stop[i]:
                size = 0
                break
            size += stop[i + shift] - start[i + shift]
        if size > most:
            whole = k
            most = size
    return whole


@cython.cfunc
def child_of(above: cython.int, node: cython.int, parent: Ints) -> cython.int:
    """Return the child of an element that contains a node."""
    while parent[node] != above:
        node = parent[node]
    return node
