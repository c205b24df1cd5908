# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.extraction.single` and `webgrain.extraction.wholepage`: chosen blocks, and whole pages.

b blocks. letters, linked, main, comment (b,) float64: the letters of a block, the share of them in links, and
its probabilities of being main text and a comment.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log1p, sqrt
else:
    from math import log1p, sqrt

COMPILED = cython.compiled

DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
FloatBuffer = cython.typedef(cython.float[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
FloatTable = cython.typedef(cython.const[cython.float][:, ::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])

NO_TEXT, ADDRESS = 1, 2
"""Bits of a field of a form: it is not for text; it is for an e-mail address."""


def best_blocks(probability: object, weight: Ints, recall_weight: cython.double):
    """Return the blocks with the best expected F-measure, in order; weight: (b,) int32.

    recall_weight: the square of beta, 1 for F1.
    """
    order_array = (-probability).argsort(kind="stable")
    order: Longs = order_array
    chance: Doubles = probability
    b: cython.Py_ssize_t = len(order)
    true_array = np.empty(b)
    true: DoubleBuffer = true_array
    for j in range(b):
        true[j] = max(weight[order[j]], 1) * chance[order[j]]
    total: cython.double = np.add.reduce(true_array)
    letters: cython.double = 0.0
    right: cython.double = 0.0
    highest: cython.double = 0.0
    best: cython.Py_ssize_t = 0
    total *= recall_weight
    for j in range(b):
        letters += max(weight[order[j]], 1)
        right += true[j]
        measure = (1.0 + recall_weight) * right / max(letters + total, 1e-300)
        if measure > highest:
            highest = measure
            best = j + 1
    blocks = order_array[:best]
    blocks.sort()
    return blocks


def without_repeats(
    chosen: Longs,
    text: Longs,
    characters: Doubles,
    path: object,
    kept: object,
    tag: Ints,
    least: cython.double,
):
    """Return the chosen blocks without those whose text an earlier one at another path has.

    text, characters, path, tag (b,): number, length and place of the text of each block, and the tag of the
    element that holds it. kept: of each tag, 1 if its texts are kept; so are those shorter than ``least``.
    """
    place: Keys = memoryview(path)
    is_kept: cython.const[cython.uchar][::1] = memoryview(kept)
    first: LongBuffer = np.empty(len(text), np.int64)  # the first chosen block with each text
    first[:] = -1
    out: LongBuffer = np.empty(len(chosen), np.int64)
    n: cython.Py_ssize_t = 0
    for j in range(len(chosen)):
        k = chosen[j]
        if characters[k] >= least and not is_kept[tag[k]]:
            if first[text[k]] < 0:
                first[text[k]] = k
            if place[first[text[k]]] != place[k]:
                continue
        out[n] = k
        n += 1
    return np.asarray(out[:n])


def texts_around_forms(
    tree: tuple,
    elements: tuple,
    field_bits: Ints,
    chosen: Longs,
    blocks: tuple,
    most_fields: cython.Py_ssize_t,
    share: cython.double,
):
    """Return the chosen blocks around the forms whose only field for text is for an e-mail address.

    tree: parent, end (n,) int32. elements: forms, inputs and ``<h1>``, int64, in order. field_bits (n,): of
    the fields. blocks: first node and letters (b,) int32. most_fields: of a form, that are read. share: of
    the letters of the chosen blocks, at most in the element around a form. It has no ``<h1>`` and is at most
    two above the form.
    """
    parent: Ints = tree[0]
    end: Ints = tree[1]
    form: Longs = elements[0]
    field: Longs = elements[1]
    heading: Longs = elements[2]
    first: Ints = blocks[0]
    weight: Ints = blocks[1]
    fields: cython.Py_ssize_t = len(field)
    headings: cython.Py_ssize_t = len(heading)
    n: cython.Py_ssize_t = len(chosen)
    dropped_array = np.zeros(n, np.bool_)
    dropped: cython.uchar[::1] = dropped_array.view(np.uint8)
    letters: cython.longlong[::1] = np.zeros(n + 1, np.int64)  # of the chosen blocks before each
    for j in range(n):
        letters[j + 1] = letters[j] + weight[chosen[j]]
    low: cython.Py_ssize_t = 0
    place: cython.Py_ssize_t
    begin: cython.Py_ssize_t
    stop: cython.Py_ssize_t
    for k in range(len(form)):
        part = form[k]
        while low < fields and field[low] < part:
            low += 1
        texts = 0
        bits = 0
        for place in range(low, min(low + most_fields, fields)):
            if field[place] >= end[part]:
                break
            if not field_bits[field[place]] & NO_TEXT:
                texts += 1
                bits = field_bits[field[place]]
        if texts != 1 or not bits & ADDRESS:
            continue
        begin = 0
        stop = 0
        for _ in range(3):
            place = first_from(heading, headings, part)
            if place < headings and heading[place] < end[part]:
                break
            low_block = first_chosen(first, chosen, n, part)
            high_block = first_chosen(first, chosen, n, end[part])
            if letters[high_block] - letters[low_block] > share * letters[n]:
                break
            begin = low_block
            stop = high_block
            part = max(parent[part], 0)
        for place in range(begin, stop):
            dropped[place] = 1
    return np.asarray(chosen)[dropped_array]


@cython.cfunc
def first_from(values: Longs, size: cython.Py_ssize_t, least: cython.longlong) -> cython.Py_ssize_t:
    """Return the place of the first of ascending values that is at least a number."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = size
    while low < high:
        middle: cython.Py_ssize_t = (low + high) // 2
        if values[middle] < least:
            low = middle + 1
        else:
            high = middle
    return low


@cython.cfunc
def first_chosen(
    first: Ints, chosen: Longs, size: cython.Py_ssize_t, least: cython.longlong
) -> cython.Py_ssize_t:
    """Return the place of the first chosen block that begins at a node or behind it."""
    low: cython.Py_ssize_t = 0
    high: cython.Py_ssize_t = size
    while low < high:
        middle: cython.Py_ssize_t = (low + high) // 2
        if first[chosen[middle]] < least:
            low = middle + 1
        else:
            high = middle
    return low


def page_features(
    of_page: FloatBuffer,
    of_kind: FloatBuffer,
    column: Longs,
    letters: Doubles,
    linked: Doubles,
    main: Doubles,
    comment: Doubles,
    chosen: Longs,
    heading: Longs,
    limits: Doubles,
    hint: object,
    hints: Longs,
    node: Longs,
    target: Ints,
    below: cython.const[cython.uchar][::1],
    beside: cython.double,
    last: Ints,
    tag: Ints,
    number_of_tag: Longs,
):
    """Write the features of whole pages (f,) and of kinds (g,) that are computed here; return weights (b,).

    column: where the groups "blocks", "links" and "tags" of ``pages.csv`` begin in ``of_page``, and the last
    one ends; where "kind hint" and "kind tags" begin in ``of_kind``, and the last one ends.
    letters: one more than those of each block; chosen: the blocks of the main text; heading: those in
    headings. limits: a block with a greater share of links is a link; a probability between the next two is
    doubtful; a target with a greater one than the last is surely in the main text.
    hint (h, b) float32: above 0 where a block has it; hints (k,): the hints of kinds.
    node (l,): the links; target (l,): where they lead; below (t,): 1 at targets below the page; beside: how
    many are beside it; last (b,): the last node of each block.
    tag (n,): as in a Dom; number_of_tag (t,): of the tags that are counted, from 1; 0 for others.
    A weight is the share of the expected main text in a block.
    """
    BLOCKS, LINKS, TAGS, TAGS_END, HINTS, KIND_TAGS, KIND_TAGS_END = 0, 1, 2, 3, 4, 5, 6
    weight = block_features(
        of_page[column[BLOCKS] :], letters, linked, main, comment, chosen, heading, limits
    )
    link_features(of_page[column[LINKS] :], node, target, below, beside, last, main, limits[3])
    hint_shares(of_kind[column[HINTS] :], memoryview(hint), hints, letters)
    of_tags: cython.Py_ssize_t = column[TAGS_END] - column[TAGS]
    of_kind_tags: cython.Py_ssize_t = column[KIND_TAGS_END] - column[KIND_TAGS]
    counts: LongBuffer = np.zeros(1 + of_tags + of_kind_tags, np.int64)
    for i in range(len(tag)):
        counts[number_of_tag[tag[i]]] += 1
    for k in range(of_tags):
        of_page[column[TAGS] + k] = log1p(counts[1 + k])
    for k in range(of_kind_tags):
        of_kind[column[KIND_TAGS] + k] = log1p(counts[1 + of_tags + k])
    return weight


@cython.cfunc
def block_features(
    x: FloatBuffer,
    letters: Doubles,
    linked: Doubles,
    main: Doubles,
    comment: Doubles,
    chosen: Longs,
    heading: Longs,
    limits: Doubles,
):
    """Write the features of the group "blocks" into x (f,); return the weights (b,) of the blocks."""
    MAIN, MAIN_SHARE, COMMENT, COMMENT_SHARE, CHOSEN, CHOSEN_SHARE, CHOSEN_BLOCKS = 0, 1, 2, 3, 4, 5, 6
    CHOSEN_LINKED, MEAN, F1, CERTAIN, DOUBTFUL, DOUBTFUL_OF_MAIN, DEVIATION = 7, 8, 9, 10, 11, 12, 13
    HIGHEST, GAPS, BEGIN, END, HEADINGS, LINKED_HEADINGS, LINKED_HEADINGS_NUMBER = 14, 15, 16, 17, 18, 19, 20
    LINKED_HEADINGS_OF_ALL, LINKS_IN_MAIN = 21, 22
    least_linked, doubtful_from, doubtful_to = limits[0], limits[1], limits[2]
    b: cython.Py_ssize_t = len(letters)
    n: cython.Py_ssize_t = len(chosen)
    blocks: cython.double = b
    number: cython.double = n
    mass_array, comment_array, variance_array = np.empty(b), np.empty(b), np.empty(b)
    mass: DoubleBuffer = mass_array
    of_comment: DoubleBuffer = comment_array
    variance: DoubleBuffer = variance_array
    link_array = np.empty(b)
    of_links: DoubleBuffer = link_array
    links: cython.Py_ssize_t = 0
    size: cython.double = 0.0
    doubtful: cython.double = 0.0
    highest: cython.double = 0.0
    for k in range(b):
        size += letters[k]
        mass[k] = letters[k] * main[k]
        of_comment[k] = letters[k] * comment[k]
        variance[k] = letters[k] * letters[k] * main[k] * (1.0 - main[k])
        highest = max(highest, main[k])
        if doubtful_from < main[k] < doubtful_to:
            doubtful += letters[k]
        if linked[k] > least_linked:
            of_links[links] = main[k]
            links += 1
    is_chosen: LongBuffer = np.zeros(b, np.int64)
    right_array, chosen_links = np.empty(n), np.empty(n)
    of_right: DoubleBuffer = right_array
    of_chosen_links: DoubleBuffer = chosen_links
    taken: cython.double = 0.0
    for j in range(n):
        k = chosen[j]
        is_chosen[k] = 1
        taken += letters[k]
        of_right[j] = mass[k]
        of_chosen_links[j] = letters[k] * linked[k]
    headings: cython.double = 0.0
    linked_headings: cython.double = 0.0
    all_linked: cython.double = 0.0
    for j in range(len(heading)):
        k = heading[j]
        headings += is_chosen[k]
        if linked[k] > least_linked:
            all_linked += 1.0
            linked_headings += is_chosen[k]
    begin: cython.Py_ssize_t = chosen[0] if n else 0
    end: cython.Py_ssize_t = chosen[n - 1] if n else b - 1
    between: cython.double = 0.0
    for k in range(begin, end + 1):
        between += letters[k]
    # These sums have the order of additions of NumPy.
    total: cython.double = max(np.add.reduce(mass_array), 1e-9)
    replies: cython.double = np.add.reduce(comment_array)
    right: cython.double = np.add.reduce(right_array)
    taken_links: cython.double = np.add.reduce(chosen_links)
    deviation: cython.double = sqrt(np.add.reduce(variance_array))
    main_of_links: cython.double = np.add.reduce(link_array[:links])
    taken = max(taken, 1.0)
    x[MAIN] = log1p(total)
    x[MAIN_SHARE] = total / size
    x[COMMENT] = log1p(replies)
    x[COMMENT_SHARE] = replies / size
    x[CHOSEN] = log1p(taken)
    x[CHOSEN_SHARE] = taken / size
    x[CHOSEN_BLOCKS] = log1p(number)
    x[CHOSEN_LINKED] = taken_links / taken
    x[MEAN] = log1p(taken / max(number, 1.0))
    x[F1] = 2.0 * right / (taken + total)
    x[CERTAIN] = right / taken
    x[DOUBTFUL] = doubtful / size
    x[DOUBTFUL_OF_MAIN] = doubtful / taken
    x[DEVIATION] = deviation / total
    x[HIGHEST] = highest
    x[GAPS] = between / taken
    x[BEGIN] = begin / blocks
    x[END] = end / blocks
    x[HEADINGS] = log1p(headings)
    x[LINKED_HEADINGS] = linked_headings / max(headings, 1.0)
    x[LINKED_HEADINGS_NUMBER] = log1p(linked_headings)
    x[LINKED_HEADINGS_OF_ALL] = all_linked / max(len(heading), 1)
    x[LINKS_IN_MAIN] = log1p(main_of_links)
    for k in range(b):
        mass[k] /= total
    return mass_array


@cython.cfunc
def link_features(
    x: FloatBuffer,
    node: Longs,
    target: Ints,
    below: cython.const[cython.uchar][::1],
    beside: cython.double,
    last: Ints,
    main: Doubles,
    least: cython.double,
):
    """Write the features of the group "links" into x (f,).

    A target has the highest probability of main text of the blocks with a link to it, or behind one.
    """
    TARGETS, IN_MAIN, SHARE_IN_MAIN, SURE, BELOW, SHARE_BELOW, BELOW_IN_MAIN = 0, 1, 2, 3, 4, 5, 6
    BESIDE, SHARE_BESIDE = 7, 8
    b: cython.Py_ssize_t = len(last)
    t: cython.Py_ssize_t = len(below)
    inside_array = np.zeros(t)
    inside: DoubleBuffer = inside_array
    block: cython.Py_ssize_t = 0
    for i in range(len(node)):
        while block < b - 1 and last[block] < node[i]:
            block += 1
        inside[target[i]] = max(inside[target[i]], main[block])
    below_array = np.empty(t)
    of_below: DoubleBuffer = below_array
    targets_below: cython.Py_ssize_t = 0
    sure: cython.double = 0.0
    for i in range(t):
        if inside[i] > least:
            sure += 1.0
        if below[i]:
            of_below[targets_below] = inside[i]
            targets_below += 1
    # These sums have the order of additions of NumPy.
    mass: cython.double = np.add.reduce(inside_array)
    mass_below: cython.double = np.add.reduce(below_array[:targets_below])
    n: cython.double = max(t, 1)
    x[TARGETS] = log1p(t)
    x[IN_MAIN] = log1p(mass)
    x[SHARE_IN_MAIN] = mass / n
    x[SURE] = sure
    x[BELOW] = log1p(targets_below)
    x[SHARE_BELOW] = targets_below / n
    x[BELOW_IN_MAIN] = log1p(mass_below)
    x[BESIDE] = log1p(beside)
    x[SHARE_BESIDE] = beside / n


@cython.cfunc
def hint_shares(x: FloatBuffer, hint: FloatTable, numbers: Longs, letters: Doubles):
    """Write the share of the letters of the page in blocks that have each of some hints into x (f,)."""
    total: cython.double = 0.0
    for k in range(len(letters)):
        total += letters[k]
    for j in range(len(numbers)):
        share: cython.double = 0.0
        for k in range(len(letters)):
            if hint[numbers[j], k] > 0:
                share += letters[k]
        x[j] = share / total
