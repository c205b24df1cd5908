# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the candidates of a page, a function for each group; ``features.csv`` has their meaning.

Each function writes the rows of its group into a table (f, c) float32. n nodes, b blocks, i items, c
candidates: the items of candidate k are ``offset[k]:offset[k + 1]``; start, stop (i,) int64: the first node
of each item, and one past its last node; sums (11, n + 1) float64: what is counted before each node, see
`node_sums`. parent (n,) int32 is -1 at the root.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log, log1p, sqrt
else:
    from math import log, log1p, sqrt

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
FloatTable = cython.typedef(cython.const[cython.float][:, ::1])
FlagTable = cython.typedef(cython.const[cython.uchar][:, ::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
KeyBuffer = cython.typedef(cython.ulonglong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Table = cython.typedef(cython.float[:, ::1])


def node_sums(
    text_start: Ints,
    shown: Flags,
    visible: Flags,
    tagged: FlagTable,
    target: Longs,
    external: Flags,
    linked: Flags,
    first_text: Ints,
    probability: Doubles,
):
    """Return sums (11, n + 1) float64: what is counted at the nodes before each node.

    text_start (n + 1,): of the Dom; shown, visible: which texts and which nodes are visible; tagged (n, 5):
    headings, images, times, paragraphs, controls; target: number of the page that a link leads to, 0 for
    none; external: links to other sites; linked: nodes in links; first_text, probability (b,): the first node
    of each block, and its probability of main text.
    """
    LETTERS, LINKED, MAIN, TEXTS, LINKS, EXTERNAL = 0, 1, 2, 3, 4, 5
    HEADINGS, IMAGES, TIMES, PARAGRAPHS, CONTROLS = 6, 7, 8, 9, 10
    n: cython.Py_ssize_t = len(shown)
    b: cython.Py_ssize_t = len(first_text)
    sums = np.zeros((11, n + 1))
    x: cython.double[:, ::1] = sums
    block: cython.Py_ssize_t = 0
    likely: cython.double = 0.0
    letters: cython.double = 0.0
    for i in range(n):
        while block < b and first_text[block] <= i:
            likely = probability[block]
            block += 1
        letters = text_start[i + 1] - text_start[i] if shown[i] else 0
        x[LETTERS, i + 1] = x[LETTERS, i] + letters
        x[LINKED, i + 1] = x[LINKED, i] + letters * linked[i]
        x[MAIN, i + 1] = x[MAIN, i] + letters * likely
        x[TEXTS, i + 1] = x[TEXTS, i] + shown[i]
        x[LINKS, i + 1] = x[LINKS, i] + (target[i] > 0)
        x[EXTERNAL, i + 1] = x[EXTERNAL, i] + external[i]
        x[HEADINGS, i + 1] = x[HEADINGS, i] + tagged[i, 0]
        x[IMAGES, i + 1] = x[IMAGES, i] + tagged[i, 1] * visible[i]
        x[TIMES, i + 1] = x[TIMES, i] + tagged[i, 2]
        x[PARAGRAPHS, i + 1] = x[PARAGRAPHS, i] + tagged[i, 3]
        x[CONTROLS, i + 1] = x[CONTROLS, i] + tagged[i, 4] * visible[i]
    return sums


def write_features(
    x: Table, first_row: dict, candidates: tuple, sums: DoubleTable, nodes: tuple, texts: tuple, blocks: tuple
):
    """Write all features but those of the site into a table.

    first_row: of each group of features. candidates: offset, start, stop, kind; nodes: parent, end, tag,
    depth (n,) int32, target (n,) int64 of `node_sums`, the kind of each tag (n,) float64, the keys of
    `webgrain.lists.candidatekernel.shape_keys`, the nodes with a class and those with an item type, int64;
    texts: node (t,) int64 and key (t,) uint64 of the visible texts; blocks: see `block_features`.
    """
    offset: Longs = candidates[0]
    start: Longs = candidates[1]
    stop: Longs = candidates[2]
    parent: Ints = nodes[0]
    end: Ints = nodes[1]
    tag: Ints = nodes[2]
    target: Longs = nodes[4]
    shape_array, _, _ = numbered(nodes[6])
    n: cython.Py_ssize_t = len(parent)
    size_features(x[first_row["size"] :], offset, start, stop, candidates[3], sums)
    content_features(x[first_row["content"] :], offset, start, stop, sums, target, end)
    text_features(x[first_row["texts"] :], offset, start, stop, sums, texts[0], texts[1])
    block_features(x[first_row["blocks"] :], offset, start, stop, n, blocks)
    place_features(x[first_row["place"] :], offset, start, stop, sums, parent, end, nodes[3], nodes[5])
    shape_features(x[first_row["shapes"] :], offset, start, tag, shape_array, nodes[7], nodes[8])
    parent_features(x[first_row["parents"] :], offset, start, parent)
    inner_features(x[first_row["inside"] :], offset, start, stop, sums, parent, end, nodes[2])


@cython.cfunc
def size_features(x: Table, offset: Longs, start: Longs, stop: Longs, kind: Longs, sums: DoubleTable):
    """Write the number of items, their letters, and what share of the page they hold; kind: (c,)."""
    ITEMS, KIND, LETTERS, SPREAD, LEAST, MOST, PLAIN, LINKED, MAIN, SHARES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    c: cython.Py_ssize_t = len(kind)
    n: cython.Py_ssize_t = sums.shape[1] - 1
    letters, linked, main, links, headings, images = sums[0], sums[1], sums[2], sums[4], sums[6], sums[7]
    all_letters = max(letters[n], 1.0)
    all_plain = max(all_letters - linked[n], 1.0)
    share: cython.double[:, ::1] = np.zeros((6, c))
    for k in range(c):
        total: cython.double = 0.0
        squares: cython.double = 0.0
        least: cython.double = letters[n]
        most: cython.double = 0.0
        of_links: cython.double = 0.0
        of_main: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            a, z = start[i], stop[i]
            size = letters[z] - letters[a]
            total += size
            squares += size * size
            least = min(least, size)
            most = max(most, size)
            of_links += linked[z] - linked[a]
            of_main += main[z] - main[a]
            share[3, k] += links[z] - links[a]
            share[4, k] += headings[z] - headings[a]
            share[5, k] += images[z] - images[a]
        items: cython.double = offset[k + 1] - offset[k]
        mean = total / items
        plain = total - of_links
        x[ITEMS, k] = log(items)
        x[KIND, k] = kind[k]
        x[LETTERS, k] = log1p(mean)
        x[SPREAD, k] = sqrt(max(squares / items - mean * mean, 0.0)) / (mean + 1.0)
        x[LEAST, k] = log1p(least)
        x[MOST, k] = most / (mean + 1.0)
        x[PLAIN, k] = log1p(plain / items)
        x[LINKED, k] = of_links / (total + 1.0)
        x[MAIN, k] = of_main / (total + 1.0)
        share[0, k] = total / all_letters
        share[1, k] = plain / all_plain
        share[2, k] = of_main / max(main[n], 1.0)
        share[3, k] /= max(links[n], 1.0)
        share[4, k] /= max(headings[n], 1.0)
        share[5, k] /= max(images[n], 1.0)
    for row in range(6):
        write_share(x[SHARES + 2 * row : SHARES + 2 * row + 2], share[row])


@cython.cfunc
def write_share(x: Table, share: Doubles):
    """Write a share of the page (c,), and the same relative to the largest one."""
    largest: cython.double = 1e-9
    for k in range(len(share)):
        largest = max(largest, share[k])
    for k in range(len(share)):
        x[0, k] = share[k]
        x[1, k] = share[k] / largest


@cython.cfunc
def content_features(
    x: Table, offset: Longs, start: Longs, stop: Longs, sums: DoubleTable, target: Longs, end: Ints
):
    """Write what the items contain, and the letters of their links; target: see `node_sums`."""
    MEAN, ANY_LINKS, ANY_HEADINGS, ANY_IMAGES, ANY_P, SINGLE_LINKS, MOST_LINKS = 0, 8, 9, 10, 11, 12, 13
    SINGLE_HEADINGS, MOST_HEADINGS, DISTINCT_TARGETS, FIRST_LINK, MEAN_LINK, LONGEST_LINK = (
        14,
        15,
        16,
        17,
        18,
        19,
    )
    n: cython.Py_ssize_t = len(target)
    letters, links, headings, images, paragraphs = sums[0], sums[4], sums[6], sums[7], sums[9]
    # The links with letters: their number before each node, their letters, and the sums of these.
    before: IntBuffer = np.zeros(n + 1, np.int32)
    long: DoubleBuffer = np.zeros(n + 1)
    long_sums: DoubleBuffer = np.zeros(n + 1)
    next_link: IntBuffer = np.zeros(n + 1, np.int32)
    w: cython.Py_ssize_t = 0
    for i in range(n):
        size = letters[end[i]] - letters[i]
        if target[i] > 0 and size > 0:
            long[w] = size
            long_sums[w + 1] = long_sums[w] + size
            w += 1
        before[i + 1] = w
    for i in range(n - 1, -1, -1):
        next_link[i] = i if target[i] else next_link[i + 1]
    last_seen: IntBuffer = np.zeros(
        n + 1, np.int32
    )  # the candidate that each target was last seen in, from 1
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        for row in range(8):
            total: cython.double = 0.0
            for i in range(offset[k], offset[k + 1]):
                total += sums[3 + row, stop[i]] - sums[3 + row, start[i]]
            x[MEAN + row, k] = total / items
        any_links, any_headings, any_images, any_p = 0, 0, 0, 0
        single_links, single_headings, distinct, worded = 0, 0, 0, 0
        most_links: cython.double = 0.0
        most_headings: cython.double = 0.0
        of_first: cython.double = 0.0
        of_longest: cython.double = 0.0
        of_links: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            a, z = start[i], stop[i]
            count = links[z] - links[a]
            any_links += count > 0
            single_links += count == 1
            most_links = max(most_links, count)
            if count > 0 and last_seen[target[next_link[a]]] != k + 1:
                last_seen[target[next_link[a]]] = k + 1
                distinct += 1
            count = headings[z] - headings[a]
            any_headings += count > 0
            single_headings += count == 1
            most_headings = max(most_headings, count)
            any_images += images[z] > images[a]
            any_p += paragraphs[z] > paragraphs[a]
            first, last = before[a], before[z]
            worded += last - first
            of_links += long_sums[last] - long_sums[first]
            longest: cython.double = 0.0
            for j in range(first, last):
                longest = max(longest, long[j])
            of_longest += longest
            if last > first:
                of_first += long[first]
        x[ANY_LINKS, k] = any_links / items
        x[ANY_HEADINGS, k] = any_headings / items
        x[ANY_IMAGES, k] = any_images / items
        x[ANY_P, k] = any_p / items
        x[SINGLE_LINKS, k] = single_links / items
        x[MOST_LINKS, k] = log1p(most_links)
        x[SINGLE_HEADINGS, k] = single_headings / items
        x[MOST_HEADINGS, k] = log1p(most_headings)
        x[DISTINCT_TARGETS, k] = distinct / items
        x[FIRST_LINK, k] = log1p(of_first / items)
        x[MEAN_LINK, k] = of_links / (worded + 1e-9)
        x[LONGEST_LINK, k] = log1p(of_longest / items)


@cython.cfunc
def text_features(
    x: Table, offset: Longs, start: Longs, stop: Longs, sums: DoubleTable, text_node: Longs, text_key: object
):
    """Write how far the page repeats the texts of the items; text_node, text_key (t,): the visible texts."""
    REPEATED, DISTINCT = 0, 1
    n: cython.Py_ssize_t = sums.shape[1] - 1
    letters, texts = sums[0], sums[3]
    number_array, _, count_array = numbered(text_key)
    number: Ints = number_array
    count: Ints = count_array
    repeated: DoubleBuffer = np.zeros(n + 1)
    next_number: IntBuffer = np.empty(n + 1, np.int32)
    next_number[:] = -1
    for j in range(len(text_node)):
        next_number[text_node[j]] = number[j]
        if count[number[j]] > 1:
            repeated[text_node[j] + 1] = letters[text_node[j] + 1] - letters[text_node[j]]
    for i in range(n):
        repeated[i + 1] += repeated[i]
    for i in range(n - 1, -1, -1):
        if next_number[i] < 0:
            next_number[i] = next_number[i + 1]
    last_seen: IntBuffer = np.zeros(len(count), np.int32)
    for k in range(len(offset) - 1):
        total: cython.double = 0.0
        again: cython.double = 0.0
        distinct: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            a, z = start[i], stop[i]
            total += letters[z] - letters[a]
            again += repeated[z] - repeated[a]
            if texts[z] > texts[a] and last_seen[next_number[a]] != k + 1:
                last_seen[next_number[a]] = k + 1
                distinct += 1.0
        x[REPEATED, k] = again / (total + 1.0)
        x[DISTINCT, k] = distinct / (offset[k + 1] - offset[k])


def function_words(characters: object, words: Longs, b: cython.Py_ssize_t):
    """Return the share (b,) float64 of the words of each text that are function words.

    characters (c,) uint32: lines in lower case, the first b are the texts; words (w,) int64: the function
    words by `number_of_word`, ascending.
    """
    codes: Codes = memoryview(characters)
    share = np.zeros(b)
    x: DoubleBuffer = share
    k: cython.Py_ssize_t = 0
    count: cython.double = 0.0
    frequent: cython.double = 0.0
    number: cython.longlong = 0
    inside: cython.bint = False
    c: cython.Py_ssize_t = len(codes)
    for j in range(c + 1):
        code: cython.uint = codes[j] if j < c else 10
        if not is_space(code):
            if not inside:
                inside = True
                number = 0
            number = with_letter(number, code)
            continue
        if inside:
            inside = False
            count += 1.0
            first: cython.Py_ssize_t = 0
            last: cython.Py_ssize_t = len(words) if number > 0 else 0
            while last - first > 1:
                middle = (first + last) // 2
                if words[middle] > number:
                    last = middle
                else:
                    first = middle
            frequent += last > first and words[first] == number
        if code == 10 and k < b:
            x[k] = frequent / max(count, 1.0)
            k += 1
            count = 0.0
            frequent = 0.0
    return share


def number_of_word(characters: object) -> cython.longlong:
    """Return the number of a word (c,) uint32: one for each word of at most five letters a to z, else -1."""
    codes: Codes = memoryview(characters)
    number: cython.longlong = 0
    for j in range(len(codes)):
        number = with_letter(number, codes[j])
    return number


@cython.cfunc
def with_letter(number: cython.longlong, code: cython.uint) -> cython.longlong:
    """Return the number of a word with one more letter."""
    limit: cython.longlong = 27**4  # of the numbers of four letters
    if number < 0 or number >= limit or not 97 <= code <= 122:
        return -1
    return number * 27 + code - 96


@cython.cfunc
def is_space(code: cython.uint) -> cython.bint:
    """Return whether a character is white space, as `str.isspace`."""
    if code < 128:
        return code == 32 or 9 <= code <= 13 or 28 <= code <= 31
    if 8192 <= code <= 8202:
        return True
    return code in (133, 160, 5760, 8232, 8233, 8239, 8287, 12288)


@cython.cfunc
def block_features(
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    n: cython.Py_ssize_t,
    blocks: tuple,
):
    """Write means over the text blocks of the items: by letters of styles and hints, by item of the rest.

    blocks: the first text (b,) int32 of each; letters, and letters of prose (b,); styles and marks, a float64
    array (b,) each: digits, capitals, function words, likeness to the title; points, commas, signs of money;
    hints (g, b) float32: 0 if a block is in no part with a hint; the rows (h,) int64 that are features.
    """
    STYLES, MARKS, ANY_MONEY, BLOCKS, HINTS = 0, 5, 8, 9, 10
    first_text: Ints = blocks[0]
    letters: Doubles = blocks[1]
    prose: Doubles = blocks[2]
    hint_table: FloatTable = blocks[5]
    hints: Longs = blocks[6]
    b: cython.Py_ssize_t = len(letters)
    h: cython.Py_ssize_t = len(hints)
    weight: DoubleBuffer = np.zeros(b + 1)
    money: DoubleBuffer = np.zeros(b + 1)
    style_sums: cython.double[:, ::1] = np.zeros((5, b + 1))
    mark_sums: cython.double[:, ::1] = np.zeros((3, b + 1))
    hint_sums: cython.double[:, ::1] = np.zeros((h, b + 1))
    before: IntBuffer = np.zeros(n + 1, np.int32)  # blocks that begin before each node
    for j in range(b):
        before[first_text[j] + 1] += 1
        weight[j + 1] = weight[j] + letters[j]
        style_sums[4, j + 1] = style_sums[4, j] + letters[j] * (prose[j] / max(letters[j], 1.0))
    for row in range(4):
        style: Doubles = blocks[3][row]
        for j in range(b):
            style_sums[row, j + 1] = style_sums[row, j] + letters[j] * style[j]
    for row in range(3):
        mark: Doubles = blocks[4][row]
        for j in range(b):
            mark_sums[row, j + 1] = mark_sums[row, j] + min(mark[j], 5.0)
            if row == 2:
                money[j + 1] = money[j] + (mark[j] > 0)
    for row in range(h):
        for j in range(b):
            hint_sums[row, j + 1] = hint_sums[row, j] + letters[j] * (hint_table[hints[row], j] > 0)
    for i in range(n):
        before[i + 1] += before[i]
    first: IntBuffer = np.zeros(len(start), np.int32)
    last: IntBuffer = np.zeros(len(start), np.int32)
    for i in range(len(start)):
        first[i] = before[start[i]]
        last[i] = before[stop[i]]
        if last[i] <= first[i]:  # the item is a part of a block
            first[i] = min(max(before[start[i] + 1] - 1, 0), b)
            last[i] = min(first[i] + 1, b)
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        whole = difference(weight, first, last, offset[k], offset[k + 1]) + 1e-9
        with_money: cython.double = 0.0
        block_count: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            with_money += money[last[i]] > money[first[i]]
            block_count += last[i] - first[i]
        for row in range(5):
            x[STYLES + row, k] = difference(style_sums[row], first, last, offset[k], offset[k + 1]) / whole
        for row in range(3):
            x[MARKS + row, k] = difference(mark_sums[row], first, last, offset[k], offset[k + 1]) / items
        x[ANY_MONEY, k] = with_money / items
        x[BLOCKS, k] = block_count / items
        for row in range(h):
            x[HINTS + row, k] = difference(hint_sums[row], first, last, offset[k], offset[k + 1]) / whole


@cython.cfunc
def difference(
    sums: Doubles, first: Ints, last: Ints, begin: cython.longlong, end: cython.longlong
) -> cython.double:
    """Return what is counted in the ranges ``first:last`` of the items ``begin:end``."""
    total: cython.double = 0.0
    for i in range(begin, end):
        total += sums[last[i]] - sums[first[i]]
    return total


@cython.cfunc
def place_features(
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    parent: Ints,
    end: Ints,
    depth: Ints,
    tag: Doubles,
):
    """Write the place on the page, and the share of the lowest element around all items; tag: (n,)."""
    LETTERS_BEFORE, LETTERS_UP_TO_ITS_END, MAIN_BEFORE, MAIN_AFTER, HEADINGS_BEFORE, COVER = 0, 1, 2, 3, 4, 5
    DEPTH, LEVELS, LETTERS_AROUND, LINKS_AROUND, TAG, TAG_OF_THE_PARENT, TAG_AROUND = 6, 7, 8, 9, 10, 11, 12
    n: cython.Py_ssize_t = len(parent)
    letters, main, links, headings = sums[0], sums[2], sums[4], sums[6]
    all_letters, all_main = max(letters[n], 1.0), max(main[n], 1.0)
    for k in range(len(offset) - 1):
        of_letters: cython.double = 0.0
        of_links: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            of_letters += letters[stop[i]] - letters[start[i]]
            of_links += links[stop[i]] - links[start[i]]
        first, last = start[offset[k]], stop[offset[k + 1] - 1]
        above = max(parent[first], 0)
        around = above
        while end[around] < last and around > 0:
            around = parent[around]
        x[LETTERS_BEFORE, k] = letters[first] / all_letters
        x[LETTERS_UP_TO_ITS_END, k] = letters[last] / all_letters
        x[MAIN_BEFORE, k] = main[first] / all_main
        x[MAIN_AFTER, k] = 1.0 - main[last] / all_main
        x[HEADINGS_BEFORE, k] = headings[first]
        x[COVER, k] = of_letters / (letters[last] - letters[first] + 1.0)
        x[DEPTH, k] = depth[first]
        x[LEVELS, k] = depth[first] - depth[around]
        x[LETTERS_AROUND, k] = of_letters / (letters[end[around]] - letters[around] + 1.0)
        x[LINKS_AROUND, k] = of_links / (links[end[around]] - links[around] + 1.0)
        x[TAG, k] = tag[first]
        x[TAG_OF_THE_PARENT, k] = tag[above]
        x[TAG_AROUND, k] = tag[around]


@cython.cfunc
def shape_features(
    x: Table, offset: Longs, start: Longs, tag: Ints, shape: Ints, classes: Longs, itemtypes: Longs
):
    """Write how alike the items are.

    shape (n,): the number of the tag of each node and those of its children; classes, itemtypes: the nodes
    with these attributes.
    """
    SHAPES, TAGS, WITH_CLASS, WITH_ITEMTYPE = 0, 1, 2, 3
    n: cython.Py_ssize_t = len(tag)
    has_class: cython.uchar[::1] = np.zeros(n, np.uint8)
    has_itemtype: cython.uchar[::1] = np.zeros(n, np.uint8)
    tags: cython.int = 0
    for j in range(len(classes)):
        has_class[classes[j]] = 1
    for j in range(len(itemtypes)):
        has_itemtype[itemtypes[j]] = 1
    for i in range(n):
        tags = max(tags, tag[i] + 1)
    shape_seen: IntBuffer = np.zeros(n, np.int32)  # the candidate that each shape was last seen in, from 1
    tag_seen: IntBuffer = np.zeros(tags, np.int32)
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        distinct_shapes, distinct_tags, with_class, with_itemtype = 0, 0, 0, 0
        for i in range(offset[k], offset[k + 1]):
            node = start[i]
            if shape_seen[shape[node]] != k + 1:
                shape_seen[shape[node]] = k + 1
                distinct_shapes += 1
            if tag_seen[tag[node]] != k + 1:
                tag_seen[tag[node]] = k + 1
                distinct_tags += 1
            with_class += has_class[node]
            with_itemtype += has_itemtype[node]
        x[SHAPES, k] = distinct_shapes / items
        x[TAGS, k] = distinct_tags
        x[WITH_CLASS, k] = with_class / items
        x[WITH_ITEMTYPE, k] = with_itemtype / items


@cython.cfunc
def parent_features(x: Table, offset: Longs, start: Longs, parent: Ints):
    """Write how the items are spread over their parents, and over the elements two and three levels above."""
    PARENTS, ITEMS, SPREAD = 0, 1, 2
    n: cython.Py_ssize_t = len(parent)
    above: IntBuffer = np.asarray(start).astype(np.int32)
    count: IntBuffer = np.zeros(n, np.int32)
    for height in range(3):
        for i in range(len(start)):
            above[i] = max(parent[above[i]], 0)
        for k in range(len(offset) - 1):
            items: cython.double = offset[k + 1] - offset[k]
            parents: cython.double = 0.0
            squares: cython.double = 0.0
            most: cython.double = 0.0
            for i in range(offset[k], offset[k + 1]):
                count[above[i]] += 1
            for i in range(offset[k], offset[k + 1]):
                size: cython.double = count[above[i]]
                if size > 0:
                    parents += 1.0
                    squares += size * size
                    most = max(most, size)
                    count[above[i]] = 0
            mean = items / parents
            x[3 * height + PARENTS, k] = parents / items
            x[3 * height + ITEMS, k] = most / items
            x[3 * height + SPREAD, k] = sqrt(max(squares / parents - mean * mean, 0.0)) / mean


@cython.cfunc
def inner_features(
    x: Table, offset: Longs, start: Longs, stop: Longs, sums: DoubleTable, parent: Ints, end: Ints, tag: Ints
):
    """Write how many siblings with links an item has inside, and the texts from an item to the next.

    Several such siblings mean that an item is a list itself.
    """
    MEAN, MOST, SPREAD, SEVERAL, DISTANCE, SPREAD_OF_DISTANCE = 0, 1, 2, 3, 4, 5
    texts = sums[3]
    siblings: Ints = linked_siblings(sums, parent, end, tag)
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        total: cython.double = 0.0
        squares: cython.double = 0.0
        largest: cython.double = 0.0
        several: cython.double = 0.0
        distance: cython.double = 0.0
        distances: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            inside: cython.double = 0.0
            for node in range(start[i] + 1, stop[i]):
                inside = max(inside, siblings[node])
            total += inside
            squares += inside * inside
            largest = max(largest, inside)
            several += inside >= 3
            if i + 1 < offset[k + 1]:
                gap = texts[start[i + 1]] - texts[start[i]]
                distance += gap
                distances += gap * gap
        mean = total / items
        gaps = max(items - 1.0, 1.0)
        x[MEAN, k] = log1p(mean)
        x[MOST, k] = log1p(largest)
        x[SPREAD, k] = sqrt(max(squares / items - mean * mean, 0.0)) / (mean + 1.0)
        x[SEVERAL, k] = several / items
        mean = distance / gaps
        x[DISTANCE, k] = log1p(mean)
        x[SPREAD_OF_DISTANCE, k] = sqrt(max(distances / gaps - mean * mean, 0.0)) / (mean + 1e-9)


@cython.cfunc
def linked_siblings(sums: DoubleTable, parent: Ints, end: Ints, tag: Ints):
    """Return for each element with a link how many siblings of its tag have one, itself included; else 0."""
    n: cython.Py_ssize_t = len(parent)
    links = sums[4]
    place_array = np.zeros(n, np.uint64)
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    place: KeyBuffer = memoryview(place_array)
    tags: cython.longlong = 1
    for i in range(n):
        tags = max(tags, tag[i] + 1)
    for i in range(1, n):
        if tag[i] != 0 and links[end[i]] > links[i]:
            place[i] = parent[i] * tags + tag[i]
    number_array, _, count_array = numbered(place_array)
    number: Ints = number_array
    count: Ints = count_array
    siblings_array = np.zeros(n, np.int32)
    siblings: IntBuffer = siblings_array
    for i in range(1, n):
        if place[i] != 0:
            siblings[i] = count[number[i]]
    return siblings_array


def site_features(x: Table, offset: Longs, start: Longs, stop: Longs, sums: DoubleTable, repeated: Doubles):
    """Write the share of the letters that other pages of the site repeat; repeated (n,): 0 to 1."""
    MEAN, TENTH, HALF, OWN, SPECIFIC = 0, 1, 2, 3, 4
    n: cython.Py_ssize_t = len(repeated)
    c: cython.Py_ssize_t = len(offset) - 1
    letters = sums[0]
    mean: DoubleBuffer = np.zeros(n + 1)
    tenth: DoubleBuffer = np.zeros(n + 1)
    half: DoubleBuffer = np.zeros(n + 1)
    specific: DoubleBuffer = np.zeros(n + 1)
    share: DoubleBuffer = np.zeros(c)
    for i in range(n):
        size = letters[i + 1] - letters[i]
        mean[i + 1] = mean[i] + size * repeated[i]
        tenth[i + 1] = tenth[i] + (size if repeated[i] > 0.1 else 0.0)
        half[i + 1] = half[i] + (size if repeated[i] > 0.5 else 0.0)
        specific[i + 1] = specific[i] + (size if repeated[i] <= 0.1 else 0.0)
    for k in range(c):
        of_letters: cython.double = 0.0
        of_mean: cython.double = 0.0
        of_tenth: cython.double = 0.0
        of_half: cython.double = 0.0
        of_specific: cython.double = 0.0
        mostly_own: cython.double = 0.0
        for i in range(offset[k], offset[k + 1]):
            a, z = start[i], stop[i]
            of_mean += mean[z] - mean[a]
            of_tenth += tenth[z] - tenth[a]
            of_half += half[z] - half[a]
            of_specific += specific[z] - specific[a]
            of_letters += letters[z] - letters[a]
            mostly_own += specific[z] - specific[a] > 0.3 * (letters[z] - letters[a])
        whole = of_letters + 1e-9
        x[MEAN, k] = of_mean / whole
        x[TENTH, k] = of_tenth / whole
        x[HALF, k] = of_half / whole
        x[OWN, k] = mostly_own / (offset[k + 1] - offset[k])
        share[k] = of_specific / max(specific[n], 1.0)
    write_share(x[SPECIFIC : SPECIFIC + 2], share)
