# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the candidates of a page, a function for each group; ``features.csv`` has their meaning.

Each function writes the rows of its group into a table (f, c) float32. n nodes, b blocks, i items, c
candidates: the items of candidate k are ``offset[k]:offset[k + 1]``; start, stop (i,) int64: the first node
of each item, and one past its last node; sums (11, n + 1) float64: what is counted before each node, see
`write_sums`. parent (n,) int32 is -1 at the root. ints, doubles: rows (., n + 1) of zeros, which a function
may use; seen: zeros for each number of a key.
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
Table64 = cython.typedef(cython.double[:, ::1])
IntTable = cython.typedef(cython.int[:, ::1])


def write_features(
    x: Table,
    first_row: dict,
    candidates: tuple,
    nodes: tuple,
    tags: tuple,
    links: tuple,
    attributes: tuple,
    texts: tuple,
    blocks: tuple,
    repeated: object,
):
    """Write all features into a table.

    first_row: of each group of features. candidates: offset, start, stop, kind (c,) int64; nodes: parent,
    end, tag (n,) int32, text_start (n + 1,) int32, and whether the text and the node are visible (n,) uint8;
    tags: which of headings, images, times, paragraphs and controls each tag is (t, 5) uint8, and its kind
    (t,) float64; links: the number (n,) int64 of the page that a link leads to, 0 for none, whether to
    another site, and whether a node is in a link (n,) uint8; attributes: the nodes with a class, and those
    with an item type, int64; texts: node (t,) int64 and key (t,) uint64 of the visible texts; blocks: see
    `block_features`; repeated: see `site_features`, None if the site is unknown.
    """
    SUMS = 11
    offset: Longs = candidates[0]
    start: Longs = candidates[1]
    stop: Longs = candidates[2]
    kind: Longs = candidates[3]
    parent: Ints = nodes[0]
    end: Ints = nodes[1]
    # Uncompiled, an element of a memoryview is a Python integer, which does not overflow.
    tag: Ints = memoryview(nodes[2])
    kind_of_tags: Doubles = tags[1]
    target: Longs = links[0]
    text_node: Longs = texts[0]
    n: cython.Py_ssize_t = len(parent)
    c: cython.Py_ssize_t = len(kind)
    table: Table64 = np.zeros((SUMS + 7, n + 1))
    sums: Table64 = table[:SUMS]
    doubles: Table64 = table[SUMS:]
    write_sums(sums, nodes, tags[0], links, blocks)
    key_array = np.empty(2 * n + len(text_node), np.uint64)
    keys: KeyBuffer = memoryview(key_array)
    write_shapes(keys[:n], parent, tag)
    write_linked(keys[n : 2 * n], sums[4], parent, end, tag)
    key_array[2 * n :] = texts[1]
    number_array, _, count_array = numbered(key_array)
    number: Ints = number_array
    count: Ints = count_array
    ints: IntTable = np.zeros((10, max(n + 1, len(kind_of_tags))), np.int32)
    seen: IntTable = np.zeros((2, len(count)), np.int32)
    above: IntBuffer = np.empty(len(start), np.int32)
    share: Table64 = np.zeros((7, c))
    of_texts: Ints = number[2 * n :]
    of_links: Ints = number[n : 2 * n]
    size_features(x[first_row["size"] :], offset, start, stop, kind, sums, share)
    content_features(x[first_row["content"] :], offset, start, stop, sums, target, end, ints[:3], doubles[:2])
    in_texts = x[first_row["texts"] :]
    text_features(
        in_texts, offset, start, stop, sums, text_node, of_texts, count, doubles[2], ints[3], seen[0]
    )
    block_features(x[first_row["blocks"] :], offset, start, stop, blocks, ints[4, : n + 1])
    in_place = x[first_row["place"] :]
    place_features(in_place, offset, start, stop, sums, parent, end, tag, kind_of_tags, ints[5])
    in_shapes = x[first_row["shapes"] :]
    shape_features(in_shapes, offset, start, tag, number, attributes[0], attributes[1], ints[6:9], seen[1])
    parent_features(x[first_row["parents"] :], offset, start, parent, above, ints[9])
    linked = keys[n : 2 * n]
    inner_features(x[first_row["inside"] :], offset, start, stop, sums, of_links, count, linked)
    of_site = x[first_row["site"] :]
    if repeated is None:
        of_site[:, :] = -1.0
    else:
        site_features(of_site, offset, start, stop, sums, repeated, doubles[3:], share[6])


@cython.cfunc
def write_sums(x: Table64, nodes: tuple, tagged: FlagTable, links: tuple, blocks: tuple):
    """Write sums (11, n + 1): what is counted at the nodes before each node.

    The other arguments are those of `write_features`; tagged (t, 5): the first of tags.
    """
    LETTERS, LINKED, MAIN, TEXTS, LINKS, EXTERNAL = 0, 1, 2, 3, 4, 5
    HEADINGS, IMAGES, TIMES, PARAGRAPHS, CONTROLS = 6, 7, 8, 9, 10
    tag: Ints = nodes[2]
    text_start: Ints = nodes[3]
    shown: Flags = nodes[4]
    visible: Flags = nodes[5]
    target: Longs = links[0]
    external: Flags = links[1]
    linked: Flags = links[2]
    first_text: Ints = blocks[0]
    probability: Doubles = blocks[1]
    b: cython.Py_ssize_t = len(first_text)
    block: cython.Py_ssize_t = 0
    likely: cython.double = 0.0
    letters: cython.double = 0.0
    for i in range(len(tag)):
        while block < b and first_text[block] <= i:
            likely = probability[block]
            block += 1
        t = tag[i]
        letters = text_start[i + 1] - text_start[i] if shown[i] else 0
        x[LETTERS, i + 1] = x[LETTERS, i] + letters
        x[LINKED, i + 1] = x[LINKED, i] + letters * linked[i]
        x[MAIN, i + 1] = x[MAIN, i] + letters * likely
        x[TEXTS, i + 1] = x[TEXTS, i] + shown[i]
        x[LINKS, i + 1] = x[LINKS, i] + (target[i] > 0)
        x[EXTERNAL, i + 1] = x[EXTERNAL, i] + external[i]
        x[HEADINGS, i + 1] = x[HEADINGS, i] + tagged[t, 0]
        x[IMAGES, i + 1] = x[IMAGES, i] + tagged[t, 1] * visible[i]
        x[TIMES, i + 1] = x[TIMES, i] + tagged[t, 2]
        x[PARAGRAPHS, i + 1] = x[PARAGRAPHS, i] + tagged[t, 3]
        x[CONTROLS, i + 1] = x[CONTROLS, i] + tagged[t, 4] * visible[i]


@cython.cfunc
def write_shapes(keys: KeyBuffer, parent: Ints, tag: Ints):
    """Write a key (n,) of the tag of each node and of those of its children in any order."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    for i in range(len(parent)):
        keys[i] = 0
    for i in range(1, len(parent)):
        keys[parent[i]] = (keys[parent[i]] + scattered(tag[i] + 1)) & mask
    for i in range(len(parent)):
        keys[i] = scattered(keys[i] ^ scattered(tag[i] + 1))


@cython.cfunc
def scattered(key: cython.ulonglong) -> cython.ulonglong:
    """Return a key for a key; keys that differ little have keys that differ much."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    spread: cython.ulonglong = 0x9E3779B97F4A7C15
    key = key * spread & mask
    key = (key ^ (key >> 31)) * spread & mask
    return key ^ (key >> 29)


@cython.cfunc
def write_linked(place: KeyBuffer, links: Doubles, parent: Ints, end: Ints, tag: Ints):
    """Write a key (n,) of parent and tag of each element with a link; 0 for other nodes."""
    tags: cython.longlong = 1
    for i in range(len(parent)):
        tags = max(tags, tag[i] + 1)
        place[i] = 0
    for i in range(1, len(parent)):
        if tag[i] != 0 and links[end[i]] > links[i]:
            place[i] = parent[i] * tags + tag[i]


@cython.cfunc
def size_features(
    x: Table, offset: Longs, start: Longs, stop: Longs, kind: Longs, sums: DoubleTable, share: Table64
):
    """Write the number of items, their letters, and what share of the page they hold; share: zeros (6, c)."""
    ITEMS, KIND, LETTERS, SPREAD, LEAST, MOST, PLAIN, LINKED, MAIN, SHARES = 0, 1, 2, 3, 4, 5, 6, 7, 8, 9
    c: cython.Py_ssize_t = len(kind)
    n: cython.Py_ssize_t = sums.shape[1] - 1
    letters, linked, main, links, headings, images = sums[0], sums[1], sums[2], sums[4], sums[6], sums[7]
    all_letters = max(letters[n], 1.0)
    all_plain = max(all_letters - linked[n], 1.0)
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
        write_share(x[SHARES + 2 * row :], share[row])


@cython.cfunc
def write_share(x: Table, share: Doubles):
    """Write a share of the page (c,) into a row, and the same relative to the largest one into the next."""
    largest: cython.double = 1e-9
    for k in range(len(share)):
        largest = max(largest, share[k])
    for k in range(len(share)):
        x[0, k] = share[k]
        x[1, k] = share[k] / largest


@cython.cfunc
def content_features(
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    target: Longs,
    end: Ints,
    ints: IntTable,
    doubles: Table64,
):
    """Write what the items contain, and the letters of their links; target: see `write_features`."""
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
    before: IntBuffer = ints[0]
    long: DoubleBuffer = doubles[0]
    long_sums: DoubleBuffer = doubles[1]
    next_link: IntBuffer = ints[1]
    last_seen: IntBuffer = ints[2]  # the candidate that each target was last seen in, from 1
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
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        for row in range(8):
            total: cython.double = 0.0
            for i in range(offset[k], offset[k + 1]):
                total += sums[3 + row, stop[i]] - sums[3 + row, start[i]]
            x[MEAN + row, k] = total / items
        any_links: cython.int = 0
        any_headings: cython.int = 0
        any_images: cython.int = 0
        any_p: cython.int = 0
        single_links: cython.int = 0
        single_headings: cython.int = 0
        distinct: cython.int = 0
        worded: cython.int = 0
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
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    text_node: Longs,
    number: Ints,
    count: Ints,
    repeated: DoubleBuffer,
    next_number: IntBuffer,
    last_seen: IntBuffer,
):
    """Write how far the page repeats the texts of the items.

    text_node, number (t,): the visible texts and their numbers; count: how many have each number.
    """
    REPEATED, DISTINCT = 0, 1
    n: cython.Py_ssize_t = sums.shape[1] - 1
    letters, texts = sums[0], sums[3]
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
def block_features(x: Table, offset: Longs, start: Longs, stop: Longs, blocks: tuple, before: IntBuffer):
    """Write means over the text blocks of the items: by letters of styles and hints, by item of the rest.

    blocks: the first text (b,) int32 of each; its probability of main text (b,); letters, and letters of
    prose (b,); share of function words (b,); texts (12, b) float64, and the rows (6,) int64 of digits,
    capitals, likeness to the title, points, commas and signs of money; hints (g, b) float32: 0 if a block is
    in no part with a hint; the rows (h,) int64 that are features.
    """
    STYLES, MARKS, ANY_MONEY, BLOCKS, HINTS = 0, 5, 8, 9, 10
    first_text: Ints = blocks[0]
    letters: Doubles = blocks[2]
    prose: Doubles = blocks[3]
    words: Doubles = blocks[4]
    texts: DoubleTable = blocks[5]
    rows: Longs = blocks[6]
    hint_table: FloatTable = blocks[7]
    hints: Longs = blocks[8]
    b: cython.Py_ssize_t = len(letters)
    h: cython.Py_ssize_t = len(hints)
    LETTERS, MONEY = 8, 9  # in place of ANY_MONEY and BLOCKS
    width: cython.Py_ssize_t = HINTS + h
    sums: Table64 = np.zeros((b + 2, width))  # what is counted in the blocks before each block
    digits, capitals, likeness = texts[rows[0]], texts[rows[1]], texts[rows[2]]
    points, commas, money = texts[rows[3]], texts[rows[4]], texts[rows[5]]
    for j in range(b):
        size = letters[j]
        sums[j + 1, STYLES] = sums[j, STYLES] + size * digits[j]
        sums[j + 1, STYLES + 1] = sums[j, STYLES + 1] + size * capitals[j]
        sums[j + 1, STYLES + 2] = sums[j, STYLES + 2] + size * words[j]
        sums[j + 1, STYLES + 3] = sums[j, STYLES + 3] + size * likeness[j]
        sums[j + 1, STYLES + 4] = sums[j, STYLES + 4] + size * (prose[j] / max(size, 1.0))
        sums[j + 1, MARKS] = sums[j, MARKS] + min(points[j], 5.0)
        sums[j + 1, MARKS + 1] = sums[j, MARKS + 1] + min(commas[j], 5.0)
        sums[j + 1, MARKS + 2] = sums[j, MARKS + 2] + min(money[j], 5.0)
        sums[j + 1, LETTERS] = sums[j, LETTERS] + size
        sums[j + 1, MONEY] = sums[j, MONEY] + (money[j] > 0)
        before[first_text[j] + 1] += 1
        for row in range(h):
            sums[j + 1, HINTS + row] = sums[j, HINTS + row] + size * (hint_table[hints[row], j] > 0)
    for i in range(1, len(before)):
        before[i] += before[i - 1]
    total: DoubleBuffer = sums[b + 1]  # of a candidate
    for k in range(len(offset) - 1):
        with_money: cython.double = 0.0
        block_count: cython.double = 0.0
        for row in range(width):
            total[row] = 0.0
        for i in range(offset[k], offset[k + 1]):
            first = before[start[i]]
            last = before[stop[i]]
            if last <= first:  # the item is a part of a block
                first = min(max(before[start[i] + 1] - 1, 0), b)
                last = min(first + 1, b)
            with_money += sums[last, MONEY] > sums[first, MONEY]
            block_count += last - first
            for row in range(width):
                total[row] += sums[last, row] - sums[first, row]
        items: cython.double = offset[k + 1] - offset[k]
        whole = total[LETTERS] + 1e-9
        for row in range(5):
            x[STYLES + row, k] = total[STYLES + row] / whole
        for row in range(3):
            x[MARKS + row, k] = total[MARKS + row] / items
        x[ANY_MONEY, k] = with_money / items
        x[BLOCKS, k] = block_count / items
        for row in range(h):
            x[HINTS + row, k] = total[HINTS + row] / whole


@cython.cfunc
def place_features(
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    parent: Ints,
    end: Ints,
    tag: Ints,
    kind_of_tags: Doubles,
    depth: IntBuffer,
):
    """Write the place on the page, and the share of the lowest element around all items."""
    LETTERS_BEFORE, LETTERS_UP_TO_ITS_END, MAIN_BEFORE, MAIN_AFTER, HEADINGS_BEFORE, COVER = 0, 1, 2, 3, 4, 5
    DEPTH, LEVELS, LETTERS_AROUND, LINKS_AROUND, TAG, TAG_OF_THE_PARENT, TAG_AROUND = 6, 7, 8, 9, 10, 11, 12
    n: cython.Py_ssize_t = len(parent)
    letters, main, links, headings = sums[0], sums[2], sums[4], sums[6]
    all_letters, all_main = max(letters[n], 1.0), max(main[n], 1.0)
    for i in range(1, n):
        depth[i] = depth[parent[i]] + 1
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
        x[TAG, k] = kind_of_tags[tag[first]]
        x[TAG_OF_THE_PARENT, k] = kind_of_tags[tag[above]]
        x[TAG_AROUND, k] = kind_of_tags[tag[around]]


@cython.cfunc
def shape_features(
    x: Table,
    offset: Longs,
    start: Longs,
    tag: Ints,
    shape: Ints,
    classes: Longs,
    itemtypes: Longs,
    ints: IntTable,
    shape_seen: IntBuffer,
):
    """Write how alike the items are.

    shape (n or more,): the number of the tag of each node and those of its children; classes, itemtypes: the
    nodes with these attributes.
    """
    SHAPES, TAGS, WITH_CLASS, WITH_ITEMTYPE = 0, 1, 2, 3
    has_class: IntBuffer = ints[0]
    has_itemtype: IntBuffer = ints[1]
    tag_seen: IntBuffer = ints[2]  # the candidate that each tag was last seen in, from 1
    for j in range(len(classes)):
        has_class[classes[j]] = 1
    for j in range(len(itemtypes)):
        has_itemtype[itemtypes[j]] = 1
    for k in range(len(offset) - 1):
        items: cython.double = offset[k + 1] - offset[k]
        distinct_shapes: cython.int = 0
        distinct_tags: cython.int = 0
        with_class: cython.int = 0
        with_itemtype: cython.int = 0
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
def parent_features(x: Table, offset: Longs, start: Longs, parent: Ints, above: IntBuffer, count: IntBuffer):
    """Write how the items are spread over their parents, and over the elements two and three levels above.

    above (i,): any numbers.
    """
    PARENTS, ITEMS, SPREAD = 0, 1, 2
    for i in range(len(start)):
        above[i] = start[i]
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
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    number: Ints,
    count: Ints,
    place: KeyBuffer,
):
    """Write how many siblings with links an item has inside, and the texts from an item to the next.

    Several such siblings mean that an item is a list itself. number (n,): of the key of each element in
    `write_linked`, which is 0 for those without a link; count: how many have each number.
    """
    MEAN, MOST, SPREAD, SEVERAL, DISTANCE, SPREAD_OF_DISTANCE = 0, 1, 2, 3, 4, 5
    texts = sums[3]
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
                if place[node] != 0:
                    inside = max(inside, count[number[node]])
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
def site_features(
    x: Table,
    offset: Longs,
    start: Longs,
    stop: Longs,
    sums: DoubleTable,
    repeated: Doubles,
    doubles: Table64,
    share: DoubleBuffer,
):
    """Write the share of the letters that other pages of the site repeat; repeated (n,): 0 to 1."""
    MEAN, TENTH, HALF, OWN, SPECIFIC = 0, 1, 2, 3, 4
    n: cython.Py_ssize_t = len(repeated)
    c: cython.Py_ssize_t = len(offset) - 1
    letters = sums[0]
    mean: DoubleBuffer = doubles[0]
    tenth: DoubleBuffer = doubles[1]
    half: DoubleBuffer = doubles[2]
    specific: DoubleBuffer = doubles[3]
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
    write_share(x[SPECIFIC:], share)
