# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.lists.selectors` and `webgrain.lists.records`: what selectors select.

parent, end, tag, sibling (n,) int32: of the page, sibling is the place of each node among the siblings of its
tag, from 0. name_start (n + 1,) int32, name_keys (w,) uint64: node x has the classes with the keys
name_keys[name_start[x]:name_start[x + 1]], ascending.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

COMPILED = cython.compiled

Flags = cython.typedef(cython.const[cython.uchar][::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
IntTable = cython.typedef(cython.const[cython.int][:, ::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

ANYWHERE, CHILDREN = 1, 2
"""Where steps that select exactly the items may begin: anywhere in the container, or also at its children."""
SHORT, SHORT_PLACED, WHOLE = 0, 1, 2
"""Forms of the selector of a field: its last step without the place, its last step, and all steps. If the
field is in a sibling after the first element of an item, `SHORT` is all steps without places."""


def count_nodes(tag: Ints, name_start: Ints, name_keys: object, wanted: cython.int, keys: object):
    """Return the number of nodes that have a tag and all of some classes; keys (k,) uint64, ascending."""
    names: Keys = memoryview(name_keys)
    classes: Keys = memoryview(keys)
    count: cython.Py_ssize_t = 0
    for x in range(len(tag)):
        if tag[x] == wanted and has_all(names, name_start[x], name_start[x + 1], classes, 0, len(classes)):
            count += 1
    return count


@cython.cfunc
def has_all(
    names: Keys, at: cython.int, end: cython.int, wanted: Keys, begin: cython.int, stop: cython.int
) -> cython.bint:
    """Return whether names[at:end] has all of wanted[begin:stop]; both are ascending."""
    for j in range(begin, stop):
        while at < end and names[at] < wanted[j]:
            at += 1
        if at == end or names[at] != wanted[j]:
            return False
    return True


def first_exact(
    nodes: tuple,
    container: cython.int,
    items: Longs,
    steps: IntTable,
    key_start: Ints,
    keys: object,
    chain_start: Ints,
    chain: Ints,
):
    """Return the first of several sequences of steps that selects exactly the items, and where it begins.

    nodes: parent, end, tag, sibling, name_start, name_keys; items (i,): elements in a container, ascending;
    steps (s, 3) int32: the tag of each, -1 for any; its place, from 1, 0 for any; whether later places fit,
    too. Step k has the classes with keys[key_start[k]:key_start[k + 1]] uint64, ascending. Sequence j has the
    steps chain[chain_start[j]:chain_start[j + 1]]; each selects children of what the one before selects.

    Returns -1 for none; `ANYWHERE` or `CHILDREN`.
    """
    ANYWHERE, CHILDREN = 1, 2  # as those of the module
    parent: Ints = nodes[0]
    end: Ints = nodes[1]
    tag: Ints = nodes[2]
    sibling: Ints = nodes[3]
    name_start: Ints = nodes[4]
    names: Keys = memoryview(nodes[5])
    classes: Keys = memoryview(keys)
    for j in range(len(chain_start) - 1):
        i: cython.Py_ssize_t = 0
        exact: cython.bint = True
        children: cython.bint = True
        for x in range(container + 1, end[container]):
            if tag[x] == 0:
                continue
            is_item: cython.bint = i < len(items) and items[i] == x
            i += is_item
            at: cython.int = x
            selected: cython.bint = True
            for c in range(chain_start[j + 1] - 1, chain_start[j] - 1, -1):
                k = chain[c]
                if at <= container or (steps[k, 0] >= 0 and steps[k, 0] != tag[at]):
                    selected = False
                    break
                place = sibling[at] + 1
                if steps[k, 1] and place != steps[k, 1] and (place < steps[k, 1] or not steps[k, 2]):
                    selected = False
                    break
                if key_start[k] < key_start[k + 1] and not has_all(
                    names, name_start[at], name_start[at + 1], classes, key_start[k], key_start[k + 1]
                ):
                    selected = False
                    break
                at = parent[at]
            if selected != is_item:
                exact = False
                break
            if selected and at != container:
                children = False
        if exact and i == len(items):
            return j, CHILDREN if children else ANYWHERE
    return -1, ANYWHERE


def forms_of_fields(
    nodes: tuple,
    bits: Ints,
    places: tuple,
    steps: tuple,
    usual: Flags,
    heads: Longs,
    wanted: Ints,
    whole: cython.bint,
    most: cython.int,
):
    """Return the first form (k,) int8 of the selector of each field that selects exactly its elements.

    A form is `SHORT`, `SHORT_PLACED` or `WHOLE`, -1 if none selects them. nodes: as in `selects`; bits (t,),
    whole, most: as in `webgrain.lists.recordkernel.read_paths`, which returns places, steps (its paths) and
    usual; heads (i,): the first node of each item, all are elements; wanted (k,) int32: the paths.
    """
    CELL, CLASSED, SHORT, SHORT_PLACED, WHOLE = 1, 1, 0, 1, 2  # as those of the modules
    parent: Ints = nodes[0]
    end: Ints = nodes[1]
    tag: Ints = nodes[2]
    sibling: Ints = nodes[3]
    name_start: Ints = nodes[4]
    names: Keys = memoryview(nodes[5])
    node: Ints = places[0]
    item: Ints = places[1]
    path: Ints = places[3]
    up: Ints = steps[0]
    first: Ints = steps[1]
    kind: Ints = steps[2]
    number: Ints = steps[3]
    items: cython.Py_ssize_t = len(heads)
    e: cython.Py_ssize_t = len(node)
    begin: IntBuffer = np.full(items + 1, e, np.int32)  # the first place of each item
    for p in range(e - 1, -1, -1):
        begin[item[p]] = p
    tag_of: IntBuffer = np.empty(len(up), np.int32)  # of each step
    onwards: cython.uchar[::1] = np.zeros(len(up), np.uint8)
    for r in range(len(up)):
        tag_of[r] = tag[node[first[r]]]
        onwards[r] = number[r] >= (10 * most if bits[tag_of[r]] & CELL else most)
    count: IntBuffer = np.zeros(len(up), np.int32)  # the elements of each path
    for p in range(e):
        if tag[node[p]] != 0:
            count[path[p]] += 1
    form: cython.schar[::1] = np.full(len(wanted), -1, np.int8)
    chain: IntBuffer = np.empty(len(up), np.int32)  # the steps of a path, the last first
    level: IntBuffer = np.empty(len(parent), np.int32)  # the steps that a node and those around it fit
    for q in range(len(wanted)):
        size: cython.Py_ssize_t = 0
        at: cython.int = wanted[q]
        while at >= 0:
            chain[size] = at
            size += 1
            at = up[at]
        size -= 1  # without the step of the item
        top: cython.int = chain[size]
        is_later: cython.bint = number[top] > 1
        for trial in range(3):
            if trial != WHOLE and not is_later and size == 0:
                continue
            if trial == SHORT_PLACED and is_later:
                continue
            is_short: cython.bint = trial != WHOLE and not is_later
            selected: cython.Py_ssize_t = 0
            wrong: cython.bint = False
            for i in range(items):
                root = later_element(heads[i], number[top] - 1, parent, end, tag)
                if root < 0 or (is_later and not whole and tag[root] != tag_of[top]):
                    continue
                level[root] = 0
                for x in range(root + 1 if size else root, end[root] if size else root + 1):
                    if size:
                        above = size - 1 if is_short else level[parent[x]]
                        level[x] = -1
                        if above < 0 or above >= size:
                            continue
                        step: cython.int = chain[size - 1 - above]
                        if tag[x] != tag_of[step]:
                            continue
                        if kind[step] == CLASSED:
                            a, b = name_start[node[first[step]]], name_start[node[first[step]] + 1]
                            if not has_usual(names, name_start[x], name_start[x + 1], usual, a, b):
                                continue
                        elif trial != SHORT:
                            place = sibling[x] + 1
                            if place < number[step] or (place > number[step] and not onwards[step]):
                                continue
                        level[x] = above + 1
                        if above + 1 < size:
                            continue
                    p = begin[i] + x - heads[i]
                    if p >= begin[i + 1] or path[p] != wanted[q]:
                        wrong = True
                        break
                    selected += 1
                if wrong:
                    break
            if not wrong and selected == count[wanted[q]]:
                form[q] = trial
                break
    return np.asarray(form)


@cython.cfunc
def later_element(node: cython.int, number: cython.int, parent: Ints, end: Ints, tag: Ints) -> cython.int:
    """Return the element that is ``number`` elements after a node among its siblings, -1 for none."""
    stop: cython.int = end[parent[node]] if parent[node] >= 0 else end[node]
    while number > 0:
        node = end[node]
        if node >= stop:
            return -1
        if tag[node] != 0:
            number -= 1
    return node


@cython.cfunc
def has_usual(
    names: Keys, at: cython.int, end: cython.int, usual: Flags, begin: cython.int, stop: cython.int
) -> cython.bint:
    """Return whether names[at:end] has those of names[begin:stop] that are usual; both are ascending."""
    for j in range(begin, stop):
        if not usual[j]:
            continue
        while at < end and names[at] < names[j]:
            at += 1
        if at == end or names[at] != names[j]:
            return False
    return True
