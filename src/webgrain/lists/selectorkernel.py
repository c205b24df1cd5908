# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Selectors of a list: they are made of tags, classes and places, and executed on the page.

sibling is the place of each node among the siblings of its tag, from 0; node x has the classes with the keys
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
IntTable = cython.typedef(cython.int[:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Table = cython.typedef(cython.const[cython.int][:, ::1])

NOWHERE, ANYWHERE, CHILDREN = 0, 1, 2
"""Where steps that select exactly the items may begin: anywhere in the container, or also at its children;
`NOWHERE`: there are no such steps."""
NONE, SHORT, SHORT_PLACED, WHOLE = -1, 0, 1, 2
"""Forms of the selector of a field: its last step without the place, its last step, and all steps. If the
field is in a sibling after the first element of an item, `SHORT` is all steps without places. `NONE`: none
selects exactly the elements of the field."""
SCOPED = 4
"""Added to a form if its steps must be those below the item: programs also compare the first steps with the
item and with what is around it, and the item itself with the last step."""
BY_ID, BY_CLASS, BY_PATH = range(3)
"""What the selector of a container is made of."""


@cython.cclass
class ListNodes:
    """The nodes of a page, as its lists are located in them.

    tree: parent, end, tag, sibling (n,) int32; classes: name_start (n + 1,) int32, name_keys (w,) uint64, and
    written (w,) int32, the places of the classes of each node in the order of the markup; has_id (n,) uint8:
    whether each node has an id that is unique on the page; tags: the key (t,) uint64 of each tag; whether it
    is unusual (t,) uint8; the numbers of ``tbody`` and ``table``.
    """

    cython.declare(parent=Ints, end=Ints, tag=Ints, sibling=Ints, name_start=Ints, names=Keys, written=Ints)
    cython.declare(has_id=Flags, tag_keys=Keys, is_unusual=Flags, tbody=cython.int, table=cython.int)

    def __init__(self, tree: tuple, classes: tuple, has_id: Flags, tags: tuple) -> None:
        self.parent = tree[0]
        self.end = tree[1]
        self.tag = tree[2]
        self.sibling = tree[3]
        self.name_start = classes[0]
        # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
        self.names = memoryview(classes[1])
        self.written = classes[2]
        self.has_id = has_id
        self.tag_keys = memoryview(tags[0])
        self.is_unusual = tags[1]
        self.tbody = tags[2]
        self.table = tags[3]


def locate_list(page: ListNodes, items: Longs, last: cython.int, read: tuple, limits: tuple):
    """Return where a list and its columns are, and keys: what has equal keys has equal selectors.

    Args:
        page: its nodes.
        items: (i,) the first node of each item, ascending.
        last: the last node of the list.
        read: bits (t,) int32 of each tag; whether each item is an element; places, paths and usual of
            `webgrain.lists.recordkernel.read_records`; path (k,) int32 of the columns, -1 for none.
        limits: classes that count, classes that are tried one by one, places that are distinguished.

    Returns:
        container: its node, what its selector is made of, the place of its class among the classes of the
        node, and the nearest element with an id around it, -1 for none. steps of the items: begin, and head,
        tag, names, place, onwards of each step: a node that it selects, the number of its tag, -1 for any,
        the places in ``written`` of the classes, and the place among siblings, 0 for any. form (k,) int32 of
        each column. keys: of the container, of the steps and of each column, tuples of integers; that of the
        container is empty if its address has an unusual tag.
    """
    NOWHERE, BY_ID, BY_CLASS, BY_PATH = 0, 0, 1, 2  # as those of the module
    parent, end, tag, sibling = page.parent, page.end, page.tag, page.sibling
    most_classes, most_tried, most_places = limits
    bits: Ints = read[0]
    whole: cython.bint = read[1]
    places: Table = read[2]
    paths: Table = read[3]
    usual: Flags = read[4]
    path: Ints = read[5]
    container: cython.int = common_ancestor(parent, end, items, last)
    has_heads: cython.bint = True
    for i in range(len(items)):
        has_heads = has_heads and tag[items[i]] != 0
    begin, chain = NOWHERE, []
    if has_heads:
        begin, chain = steps_of_items(page, container, items, most_classes, most_tried)
    is_body: cython.bint = (
        tag[container] == page.tbody and tag[parent[container]] == page.table and not page.has_id[container]
    )
    if begin != NOWHERE and is_body and unique_class(page, container, most_tried) < 0:
        # The source of a table often lacks the ``tbody`` that a browser adds, and XML parsers do not add it.
        of_table = exactness(page, parent[container], items, chain)
        if of_table != NOWHERE:
            begin = of_table
            container = parent[container]
    named: cython.int = -1
    made_of: cython.int = BY_ID
    if not page.has_id[container]:
        named = unique_class(page, container, most_tried)
        made_of = BY_CLASS if named >= 0 else BY_PATH
    key = [made_of, page.tag_keys[tag[container]]]
    identified: cython.int = container if made_of == BY_ID else -1
    is_usual: cython.bint = True
    at: cython.int = container
    if made_of == BY_CLASS:
        key.append(page.names[page.name_start[container] + named])
    while made_of == BY_PATH and at >= 0:
        if identified < 0 and page.has_id[at]:
            identified = at
        is_only: cython.bint = is_only_child(at, parent, end, tag, sibling)
        key += [page.tag_keys[tag[at]], 2 * sibling[at] + is_only]
        is_usual = is_usual and not page.is_unusual[tag[at]]
        at = parent[at]
    container_key = tuple(key) if is_usual else ()
    form_array = np.zeros(len(path), np.int32) - 1
    form: IntBuffer = form_array
    key = [begin]
    for _, number, classes, place, onwards in chain:
        key += [0 if number < 0 else page.tag_keys[number], 2 * place + onwards, len(classes)]
        key += [page.names[j] for j in classes]
    column_keys = [()] * len(path)
    if begin != NOWHERE:
        write_forms(form, page, bits, places, paths, usual, items, path, whole, most_places)
        column_keys = keys_of_columns(page, whole, places, paths, usual, path, form)
    where = container, made_of, named, identified
    return where, (begin, chain), form_array, (container_key, tuple(key), column_keys)


@cython.cfunc
def common_ancestor(parent: Ints, end: Ints, items: Longs, last: cython.int) -> cython.int:
    """Return the lowest element that contains all of several nodes."""
    around: cython.int = parent[items[0]]
    for i in range(len(items)):
        last = max(last, items[i])
    while around > 0 and end[around] <= last:
        around = parent[around]
    return max(around, 0)


@cython.cfunc
def unique_class(page: ListNodes, node: cython.int, most: cython.int) -> cython.int:
    """Return the first class that no other element with the tag of an element has; -1 for none.

    most: classes that are tried. The class is its place among those of the element.
    """
    tag: Ints = page.tag
    name_start: Ints = page.name_start
    names: Keys = page.names
    written: Ints = page.written
    for j in range(name_start[node], min(name_start[node + 1], name_start[node] + most)):
        k: cython.int = name_start[node] + written[j]
        count: cython.Py_ssize_t = 0
        for x in range(len(tag)):
            if tag[x] == tag[node] and has_all(names, name_start[x], name_start[x + 1], names, k, k + 1):
                count += 1
        if count == 1:
            return written[j]
    return -1


@cython.cfunc
def is_only_child(node: cython.int, parent: Ints, end: Ints, tag: Ints, sibling: Ints) -> cython.bint:
    """Return whether an element has no sibling of its tag."""
    if sibling[node] > 0:
        return False
    stop: cython.int = end[parent[node]] if parent[node] >= 0 else len(parent)
    x: cython.int = end[node]
    while x < stop:
        if tag[x] == tag[node]:
            return False
        x = end[x]
    return True


@cython.cfunc
def keys_of_columns(
    page: ListNodes, whole: cython.bint, places: Table, paths: Table, usual: Flags, path: Ints, form: Ints
):
    """Return a key for each column: whole, its form, and the steps of its path with their usual classes."""
    CLASSED = 1  # as in the kernel of the records
    tag: Ints = page.tag
    name_start: Ints = page.name_start
    names: Keys = page.names
    tag_keys: Keys = page.tag_keys
    node: Ints = places[0]
    up: Ints = paths[0]
    first: Ints = paths[1]
    kind: Ints = paths[2]
    number: Ints = paths[3]
    keys = []
    for k in range(len(path)):
        key = [1 if whole else 0, form[k]]
        at: cython.int = path[k] if form[k] >= 0 else -1
        while at >= 0:
            x = node[first[at]]
            key += [kind[at], number[at], tag_keys[tag[x]]]
            for j in range(name_start[x], name_start[x + 1]):
                if usual[j] and kind[at] == CLASSED:
                    key.append(names[j])
            key.append(0)  # no name has this key
            at = up[at]
        keys.append(tuple(key))
    return keys


@cython.cfunc
def steps_of_items(page: ListNodes, container: cython.int, items: Longs, most: cython.int, tried: cython.int):
    """Return where the first sequence of steps begins that selects exactly the items, and its steps.

    items (i,): elements in a container, ascending; most: classes that count, and levels; tried: classes that
    are tried one by one. Sequences are tried from the shortest to the longest.
    """
    NOWHERE = 0  # as that of the module
    level_array = np.empty(len(items), np.int32)
    level: IntBuffer = level_array
    for i in range(len(items)):
        level[i] = items[i]
    level_step = shared_step(page, level, most, tried)
    head, tag, classes, _ = level_step
    last = [(head, tag, names, 0, 0) for names in variants(classes)]
    for step in last:
        begin = exactness(page, container, items, [step])
        if begin != NOWHERE:
            return begin, [step]
    levels = [level_step]  # of the items, their parents, ... down from the container
    while level[0] > container and len(levels) <= most:
        level = parents_of(level, page.parent)
        if len(level) == 1 and level[0] == container:
            break
        levels.insert(0, shared_step(page, level, most, tried))
    if levels[0][0] <= container:
        return NOWHERE, []  # the items are not equally deep
    tagged = [(head, tag, [], 0, 0) for head, tag, _, _ in levels]
    named = [(head, tag, classes, 0, 0) for head, tag, classes, _ in levels]
    chains = []
    above = len(levels) - 1
    if above > 0:
        chains += [[*tagged[:above], step] for step in last]
        chains += [[*named[:above], step] for step in last]
    for depth in range(len(levels)):
        head, tag, classes, place = levels[depth]
        for names in ([], classes):
            for onwards in range(2):
                chain = [*named]
                chain[depth] = (head, tag, names, place, onwards)
                chains.append(chain)
    for chain in chains:
        begin = exactness(page, container, items, chain)
        if begin != NOWHERE:
            return begin, chain
    return NOWHERE, []


@cython.cfunc
def variants(classes: list):
    """Return no class, each of several classes, and all of them."""
    single = [[name] for name in classes]
    return [[], *single, classes] if len(classes) > 1 else [[], *single]


@cython.cfunc
def parents_of(level: Ints, parent: Ints):
    """Return the parents (p,) int32 of nodes, ascending, each once; the nodes are ascending."""
    above_array = np.empty(len(level), np.int32)
    above: IntBuffer = above_array
    size: cython.Py_ssize_t = 0
    for j in range(len(level)):
        if size and parent[level[j]] < above[size - 1]:
            return np.unique(np.asarray(parent)[np.asarray(level)])
        if size == 0 or parent[level[j]] != above[size - 1]:
            above[size] = parent[level[j]]
            size += 1
    return above_array[:size]


@cython.cfunc
def shared_step(page: ListNodes, level: Ints, most: cython.int, tried: cython.int):
    """Return what several elements share: the first, the tag, -1 for none, classes and the lowest place.

    Classes are those of the first element, in the order of the markup, as places in the names of the page.
    """
    tag: Ints = page.tag
    sibling: Ints = page.sibling
    name_start: Ints = page.name_start
    names: Keys = page.names
    written: Ints = page.written
    head: cython.int = level[0]
    shared: cython.int = tag[head]
    place: cython.int = sibling[head]
    for j in range(len(level)):
        place = min(place, sibling[level[j]])
        if tag[level[j]] != shared:
            shared = -1
    classes = []
    for c in range(name_start[head], min(name_start[head + 1], name_start[head] + most)):
        k: cython.int = name_start[head] + written[c]
        is_common: cython.bint = len(classes) < tried
        for j in range(len(level)):
            x = level[j]
            if not is_common:
                break
            is_common = has_all(names, name_start[x], name_start[x + 1], names, k, k + 1)
        if is_common:
            classes.append(k)
    return head, shared, classes, place + 1


@cython.cfunc
def exactness(page: ListNodes, container: cython.int, items: Longs, chain: list) -> cython.int:
    """Return where steps begin that select exactly the items; `NOWHERE` if they select others.

    chain: the steps, each selects children of what the one before selects.
    """
    NOWHERE, ANYWHERE, CHILDREN = 0, 1, 2  # as those of the module
    parent: Ints = page.parent
    end: Ints = page.end
    tag: Ints = page.tag
    sibling: Ints = page.sibling
    name_start: Ints = page.name_start
    names: Keys = page.names
    size: cython.Py_ssize_t = len(chain)
    steps: IntTable = np.zeros((size + 1, 4), np.int32)  # tag, place, onwards, and where its classes begin
    keys = []
    for k in range(size):
        _, steps[k, 0], classes, steps[k, 1], steps[k, 2] = chain[k]
        if classes:
            keys += sorted([names[c] for c in classes])
        steps[k + 1, 3] = len(keys)
    wanted: Keys = memoryview(np.array(keys, np.uint64)) if keys else names
    i: cython.Py_ssize_t = 0
    children: cython.bint = True
    for x in range(container + 1, end[container]):
        if tag[x] == 0:
            continue
        is_item: cython.bint = i < len(items) and items[i] == x
        i += is_item
        at: cython.int = x
        selected: cython.bint = True
        for k in range(size - 1, -1, -1):
            if at <= container or (steps[k, 0] >= 0 and steps[k, 0] != tag[at]):
                selected = False
                break
            place = sibling[at] + 1
            if steps[k, 1] and place != steps[k, 1] and (place < steps[k, 1] or not steps[k, 2]):
                selected = False
                break
            if steps[k, 3] < steps[k + 1, 3] and not has_all(
                names, name_start[at], name_start[at + 1], wanted, steps[k, 3], steps[k + 1, 3]
            ):
                selected = False
                break
            at = parent[at]
        if selected != is_item:
            return NOWHERE
        if selected and at != container:
            children = False
    if i < len(items):
        return NOWHERE
    return CHILDREN if children else ANYWHERE


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


@cython.cfunc
def write_forms(
    form: IntBuffer,
    page: ListNodes,
    bits: Ints,
    places: Table,
    steps: Table,
    usual: Flags,
    heads: Longs,
    paths: Ints,
    whole: cython.bint,
    most: cython.int,
):
    """Write the first form (k,) of the selector of each column that selects exactly its elements.

    form: -1 for each; steps: the paths; heads (i,): the items, all are elements; paths (k,): of the columns,
    -1 for none. The others are as in `locate_list`.
    """
    CELL, CLASSED, SHORT, SHORT_PLACED, WHOLE, SCOPED = 1, 1, 0, 1, 2, 4  # as those of the modules
    parent: Ints = page.parent
    end: Ints = page.end
    tag: Ints = page.tag
    sibling: Ints = page.sibling
    name_start: Ints = page.name_start
    names: Keys = page.names
    node: Ints = places[0]
    item: Ints = places[1]
    path: Ints = places[3]
    up: Ints = steps[0]
    first: Ints = steps[1]
    kind: Ints = steps[2]
    number: Ints = steps[3]
    items: cython.Py_ssize_t = len(heads)
    e: cython.Py_ssize_t = len(node)
    steps_known: cython.Py_ssize_t = len(up)
    begin: IntBuffer = np.empty(items + 1, np.int32)  # the first place of each item
    begin[items] = e
    for p in range(e - 1, -1, -1):
        begin[item[p]] = p
    of_steps: IntTable = np.zeros((5, steps_known), np.int32)
    tag_of: IntBuffer = of_steps[0]
    onwards: IntBuffer = of_steps[1]
    count: IntBuffer = of_steps[2]  # the elements of each path
    chain: IntBuffer = of_steps[3]  # the steps of a path, the last first
    column: IntBuffer = of_steps[4]  # the first with each path, from 1
    for r in range(steps_known):
        tag_of[r] = tag[node[first[r]]]
        onwards[r] = number[r] >= (10 * most if bits[tag_of[r]] & CELL else most)
    for p in range(e):
        if tag[node[p]] != 0:
            count[path[p]] += 1
    level: IntBuffer = np.empty(len(parent), np.int32)  # the steps that a node and those around it fit
    for q in range(len(paths)):
        if paths[q] < 0:
            continue
        if column[paths[q]]:
            form[q] = form[column[paths[q]] - 1]
            continue
        column[paths[q]] = q + 1
        size: cython.Py_ssize_t = 0
        at: cython.int = paths[q]
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
                    if p >= begin[i + 1] or path[p] != paths[q]:
                        wrong = True
                        break
                    selected += 1
                if wrong:
                    break
            if not wrong and selected == count[paths[q]]:
                form[q] = trial
                inner: Ints = chain[: 1 if is_short else size]
                is_plain: cython.bint = not is_later
                if is_plain and size > 0:
                    is_plain = selects_no_other(
                        page, steps, onwards, usual, places, begin, heads, inner, paths[q], trial != SHORT
                    )
                if not is_plain:
                    form[q] += SCOPED
                break


@cython.cfunc
def selects_no_other(
    page: ListNodes,
    steps: Table,
    onwards: Ints,
    usual: Flags,
    places: Table,
    begin: Ints,
    heads: Longs,
    chain: Ints,
    wanted: cython.int,
    is_placed: cython.bint,
) -> cython.bint:
    """Return whether steps select only elements with a path, if the first of them may fit what is around.

    steps: the paths; onwards: whether later places fit each of them, too; chain: the steps, the last first;
    is_placed: whether their places count. False for many steps, which bounds time on hostile pages.
    """
    CLASSED, MOST = 1, 64
    parent: Ints = page.parent
    end: Ints = page.end
    tag: Ints = page.tag
    sibling: Ints = page.sibling
    name_start: Ints = page.name_start
    names: Keys = page.names
    first: Ints = steps[1]
    kind: Ints = steps[2]
    number: Ints = steps[3]
    node: Ints = places[0]
    path: Ints = places[3]
    if len(chain) > MOST:
        return False
    for i in range(len(heads)):
        for x in range(heads[i], end[heads[i]]):
            at: cython.int = x
            selected: cython.bint = True
            for j in range(len(chain)):
                step = chain[j]
                model = node[first[step]]
                selected = at >= 0 and tag[at] == tag[model]
                if selected and kind[step] == CLASSED:
                    a, b = name_start[model], name_start[model + 1]
                    selected = has_usual(names, name_start[at], name_start[at + 1], usual, a, b)
                elif selected and is_placed:
                    place = sibling[at] + 1
                    selected = place == number[step] or (place > number[step] and onwards[step])
                if not selected:
                    break
                at = parent[at]
            p = begin[i] + x - heads[i]
            if selected and (p >= begin[i + 1] or path[p] != wanted):
                return False
    return True


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
