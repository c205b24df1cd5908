# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Passes over the nodes and texts of a page: containers, words, hints, and paths of its blocks.

n nodes, b blocks. parent (n,) int32 is -1 at the root. tree (5, n) int64 has the rows parent, first, last,
wider and level of `webgrain.columns.blocks.PageFacts.tree`: the blocks ``first:last`` are in a node. Texts
are code points (c,) uint32.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log10
else:
    from math import log10

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Buffer = cython.typedef(cython.double[::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleRows = cython.typedef(cython.const[cython.double][:, ::1])
DoubleTable = cython.typedef(cython.double[:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
FloatTable = cython.typedef(cython.float[:, ::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
LongRows = cython.typedef(cython.longlong[:, ::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Marks = cython.typedef(cython.uchar[::1])

MASK = 2**64 - 1
"""Limits a number to 64 bits if the kernel runs uncompiled; compiled, numbers wrap around."""


def block_containers(
    parent: Ints,
    end: Ints,
    element: Ints,
    nearest: Ints,
    first_text: Ints,
    kinds: Longs,
    title: cython.longlong,
    steps: cython.Py_ssize_t,
):
    """Return the tree (5, n) of a page, and the containers (steps, b) of several blocks around each block.

    Then the node that holds each block, and the kind of its tag (2, b), which are those of the ``<title>``
    (b,) bool, and the first of these, -1 for none. All others are int64. element (e,), nearest, first_text
    (b,): of `webgrain.page.text.TextBlocks`; kinds (n,): of tags; title: the kind of a ``<title>``.
    """
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(first_text)
    trees = np.zeros((5, n), np.int64)
    tree: LongRows = trees
    read_tree(tree, parent, end, first_text)
    containers = np.zeros((steps, b), np.int64)
    around: LongRows = containers
    held = np.zeros((2, b), np.int64)
    of_block: LongRows = held
    marks = np.zeros(b, np.uint8)
    is_title: Marks = marks
    first_title: cython.Py_ssize_t = -1
    for k in range(b):
        holder = element[nearest[k] if nearest[k] >= 0 else len(element) - 1]
        of_block[0, k] = holder
        of_block[1, k] = kinds[holder]
        if kinds[holder] == title:
            is_title[k] = 1
            first_title = k if first_title < 0 else first_title
        node: cython.longlong = holder
        if tree[2, node] - tree[1, node] < 2:
            node = tree[3, node]
        for step in range(steps):
            around[step, k] = node
            node = tree[3, node]
    return trees, containers, held, marks.view(np.bool_), first_title


@cython.cfunc
def read_tree(tree: LongRows, parent: Ints, end: Ints, first_text: Ints):
    """Write the tree of a page."""
    n: cython.Py_ssize_t = len(parent)
    above: LongBuffer = tree[0]
    first: LongBuffer = tree[1]
    last: LongBuffer = tree[2]
    wider: LongBuffer = tree[3]
    level: LongBuffer = tree[4]
    work: LongBuffer = np.zeros(2 * n + 1, np.int64)
    outer: LongBuffer = work[:n]  # the outermost node with the same blocks
    before: LongBuffer = work[n:]  # blocks that begin before each node
    for k in range(len(first_text)):
        before[first_text[k] + 1] += 1
    for i in range(n):
        before[i + 1] += before[i]
    for i in range(n):
        p = max(parent[i], 0)
        above[i] = p
        first[i] = before[i]
        last[i] = before[end[i]]
        outer[i] = i
        if i == 0:
            outer[i] = -1
        elif first[i] == first[p] and last[i] == last[p]:
            outer[i] = outer[p]
        if outer[i] >= 0:
            wider[i] = above[outer[i]]
            level[i] = level[wider[i]] + 1


def number_spans(codes: object, begin: Ints, end: Ints):
    """Return a number (m,) int32 of each text ``codes[begin[i]:end[i]]``, and how many numbers there are.

    Equal texts have equal numbers. The numbers are from 0, in the order of first appearance.
    """
    m: cython.Py_ssize_t = len(begin)
    text: Codes = memoryview(codes)
    numbers = np.zeros(m, np.int32)
    slots: IntBuffer = np.zeros(slots_for(m), np.int32)
    return numbers, number_texts(text, begin, end, numbers, slots)


@cython.cfunc
def slots_for(m: cython.Py_ssize_t) -> cython.Py_ssize_t:
    """Return the size of a hash table for some keys."""
    size: cython.Py_ssize_t = 4
    while size < 2 * m:
        size *= 2
    return size


@cython.cfunc
@cython.locals(
    key=cython.ulonglong, seed=cython.ulonglong, mask=cython.ulonglong, slot=cython.ulonglong,
    last=cython.ulonglong,
)  # fmt: skip
def number_texts(text: Codes, begin: Ints, end: Ints, number: IntBuffer, slots: IntBuffer) -> cython.int:
    """Write the numbers of `number_spans`; return how many there are. slots: of `slots_for`, zeros."""
    count: cython.int = 0
    last, mask, seed = len(slots) - 1, MASK, 1469598103934665603
    for i in range(len(begin)):
        length = end[i] - begin[i]
        key = seed
        for j in range(begin[i], end[i]):
            key = ((key ^ text[j]) * 1597334677) & mask
        key ^= key >> 32
        key = (key * 1540483477) & mask
        slot = (key ^ (key >> 29)) & last
        while slots[slot] > 0:  # one more than the first span with a text
            other = slots[slot] - 1
            if end[other] - begin[other] == length:
                j = 0
                while j < length and text[begin[other] + j] == text[begin[i] + j]:
                    j += 1
                if j == length:
                    break
            slot = (slot + 1) & last
        if slots[slot] == 0:
            slots[slot] = i + 1
            number[i] = count
            count += 1
        else:
            number[i] = number[slots[slot] - 1]
    return count


def spans_between(codes: object, separator: cython.uint, most: cython.Py_ssize_t):
    """Return the begin and the end (m,) int32 of the texts between separators; the last may contain some.

    most: how many texts, at least 1.
    """
    text: Codes = memoryview(codes)
    spans = np.zeros((2, most), np.int32)
    begin: cython.int[::1] = spans[0]
    end: cython.int[::1] = spans[1]
    m = 0
    for j in range(len(text)):
        if text[j] == separator and m < most - 1:
            end[m] = j
            m += 1
            begin[m] = j + 1
    end[m] = len(text)
    return spans[:, : m + 1]


TEXT_COLUMNS = (
    "characters", "words", "points", "commas", "money", "digits", "capitals", "marks", "repeats",
    "common", "likeness", "described",
)  # fmt: skip
"""Rows of `text_table`."""

POINT, COMMA, DIGIT, CAPITAL, MONEY, MARK, SPACE = range(1, 8)
"""Classes of characters."""


def text_table(codes: object, lowered: object, classes: object, b: cython.Py_ssize_t, common: cython.int):
    """Return what texts are like, (12, b) float64 with the rows `TEXT_COLUMNS`, and their numbers (b,) int64.

    The numbers are below b, and equal for equal texts.

    codes: the b texts, with a line end between two of them. lowered: lines with the begin of each text, the
    title, and the description, in lower case. classes: (t,) int8 the class of each code point, the last is
    that of all others. common: how many of the most frequent words count as common.
    """
    table, texts = np.zeros((12, b)), np.zeros(b, np.int64)
    if b == 0:
        return table, texts
    rows: DoubleTable = table
    text_number: LongBuffer = texts
    text: Codes = memoryview(codes)
    work: IntBuffer = np.zeros(4 * b + slots_for(b), np.int32)
    begin: IntBuffer = work[:b]
    end: IntBuffer = work[b : 2 * b]
    number: IntBuffer = work[2 * b : 3 * b]
    times: IntBuffer = work[3 * b : 4 * b]  # of each number
    count_characters(rows, text, memoryview(classes), begin, end)
    number_texts(text, begin, end, number, work[4 * b :])
    for k in range(b):
        times[number[k]] += 1
    for k in range(b):
        rows[8, k] = times[number[k]]
        text_number[k] = number[k]
    count_words(rows, memoryview(lowered), common)
    return table, texts


@cython.cfunc
def count_characters(
    table: DoubleTable, text: Codes, kind: cython.const[cython.schar][::1], begin: IntBuffer, end: IntBuffer
):
    """Write the rows of `text_table` from characters to marks, and the begin and the end of each text."""
    CHARACTERS, WORDS, POINTS, COMMAS, MONEY_SIGNS, DIGITS, CAPITALS, MARKS = 0, 1, 2, 3, 4, 5, 6, 7
    POINT, COMMA, DIGIT, CAPITAL, MONEY, MARK, SPACE = 1, 2, 3, 4, 5, 6, 7  # as the classes of the module
    b: cython.Py_ssize_t = len(begin)
    number: IntBuffer = np.zeros(8, np.int32)
    others = len(kind) - 1
    place: cython.Py_ssize_t = 0
    for k in range(b):
        for j in range(8):
            number[j] = 0
        begin[k] = place
        while place < len(text) and (text[place] != 10 or k == b - 1):
            code = text[place]
            number[kind[code if code < others else others]] += 1
            place += 1
        end[k] = place
        place += 1
        size: cython.double = end[k] - begin[k]
        length = max(size, 1.0)
        words = number[SPACE] + 1.0
        table[CHARACTERS, k] = size
        table[WORDS, k] = words
        table[POINTS, k] = number[POINT]
        table[COMMAS, k] = number[COMMA]
        table[MONEY_SIGNS, k] = number[MONEY]
        table[DIGITS, k] = number[DIGIT] / length
        table[CAPITALS, k] = number[CAPITAL] / length
        table[MARKS, k] = number[MARK] / words


@cython.cfunc
def count_words(table: DoubleTable, text: Codes, common: cython.int):
    """Write the rows common, likeness and described of `text_table`."""
    COMMON, LIKENESS, DESCRIBED = 9, 10, 11
    b: cython.Py_ssize_t = table.shape[1]
    most: cython.Py_ssize_t = len(text) // 2 + 1
    spans: IntBuffer = np.empty(2 * most + b + 3, np.int32)
    start: IntBuffer = spans[2 * most :]  # the first word of each line
    words: cython.Py_ssize_t = find_words(text, spans[:most], spans[most : 2 * most], start)
    work: IntBuffer = np.zeros(words + slots_for(words), np.int32)
    word: IntBuffer = work[:words]
    distinct: cython.Py_ssize_t = number_texts(
        text, spans[:words], spans[most : most + words], word, work[words:]
    )
    counts: IntBuffer = np.zeros(5 * distinct, np.int32)
    count: IntBuffer = counts[:distinct]
    seen: IntBuffer = counts[distinct : 2 * distinct]  # one more than the last text with each word
    in_title: IntBuffer = counts[2 * distinct : 3 * distinct]
    in_description: IntBuffer = counts[3 * distinct : 4 * distinct]
    is_common: IntBuffer = counts[4 * distinct :]
    for i in range(start[b]):
        count[word[i]] += 1
    mark_most_frequent(count, common, is_common)
    of_title = 0
    for i in range(start[b], start[b + 1]):
        of_title += 1 - in_title[word[i]]
        in_title[word[i]] = 1
    for i in range(start[b + 1], start[b + 2]):
        in_description[word[i]] = 1
    for k in range(b):
        terms, frequent, of_both, described = 0, 0, 0, 0
        for i in range(start[k], start[k + 1]):
            w = word[i]
            frequent += is_common[w]
            if seen[w] != k + 1:
                seen[w] = k + 1
                terms += 1
                of_both += in_title[w]
                described += in_description[w]
        of_text: cython.double = max(start[k + 1] - start[k], 1)
        size: cython.double = terms
        table[COMMON, k] = frequent / of_text
        table[LIKENESS, k] = of_both / (of_title + size - of_both) if of_both else 0.0
        table[DESCRIBED, k] = described / size if described else 0.0


@cython.cfunc
def find_words(text: Codes, begin: IntBuffer, end: IntBuffer, start: IntBuffer) -> cython.Py_ssize_t:
    """Write begin and end of the words of lines, and the first word of each line; return how many there are.

    start (l + 1,), l lines: the last of them may contain line ends.
    """
    lines: cython.Py_ssize_t = len(start) - 1
    line: cython.Py_ssize_t = 0
    w: cython.Py_ssize_t = 0
    inside: cython.bint = False
    start[0] = 0
    for j in range(len(text)):
        if text[j] == 10 and line < lines - 1:
            line += 1
            start[line] = w
            inside = False
        elif text[j] == 32:
            inside = False
        else:
            if not inside:
                begin[w] = j
                w += 1
                inside = True
            end[w - 1] = j + 1
    for i in range(line + 1, lines + 1):
        start[i] = w
    return w


@cython.cfunc
def mark_most_frequent(count: IntBuffer, most: cython.int, out: IntBuffer):
    """Write 1 for the ``most`` largest counts, except 0; of equal counts the first are taken."""
    best: IntBuffer = np.zeros(most, np.int32)  # by decreasing count
    size = 0
    for i in range(len(count)):
        if count[i] == 0 or (size == most and count[i] <= count[best[size - 1]]):
            continue
        place = size if size < most else most - 1
        while place > 0 and count[best[place - 1]] < count[i]:
            best[place] = best[place - 1]
            place -= 1
        best[place] = i
        size = min(size + 1, most)
    for place in range(size):
        out[best[place]] = 1


def quoted_names(codes: object, names: object, start: Ints):
    """Return (k,) uint8, 1 for each name that a text has in double quotes.

    codes: of the text; names: those of the k names in one, where name k begins at start[k]; start (k + 1,).
    """
    text: Codes = memoryview(codes)
    name: Codes = memoryview(names)
    k: cython.Py_ssize_t = len(start) - 1
    found = np.zeros(k, np.uint8)
    out: cython.uchar[::1] = found
    is_first: cython.uchar[::1] = np.zeros(128, np.uint8)  # whether a name begins with this character
    for j in range(k):
        is_first[name[start[j]]] = 1
    for i in range(len(text) - 2):
        if text[i] != 34 or text[i + 1] >= 128 or not is_first[text[i + 1]]:
            continue
        for j in range(k):
            size = start[j + 1] - start[j]
            if i + 1 + size >= len(text) or text[i + 1 + size] != 34:
                continue
            at = 0
            while at < size and text[i + 1 + at] == name[start[j] + at]:
                at += 1
            if at == size:
                out[j] = 1
    return found


def block_hints(
    parent: Ints,
    tree: LongRows,
    first_text: Ints,
    weight: Ints,
    plain_weight: Ints,
    texts: DoubleTable,
    bits: object,
    kinds: Longs,
    short: Doubles,
    long: Doubles,
    whole: cython.double,
    hints: cython.Py_ssize_t,
    heading: cython.Py_ssize_t,
    top: cython.longlong,
):
    """Return what blocks are by their letters and by the elements around them.

    The results are letters, letters outside links, share of links and letters of prose (4, b); sums (6, b +
    1) of what is before each block: letters, letters outside links, marks, words, letters of prose, headings;
    the hints (hints, b) float32; whether each block is in a heading (b,) bool, these blocks (h,) int64, and
    the first heading.

    first_text (b,): the first text node of each block. weight, plain_weight: letters, in all and outside
    links; texts: of `text_table`. short, long: see `sum_blocks`; bits (n,) uint64, whole: see `find_givers`.
    kinds (n,): of the tags, ``top`` for ``<h1>``; heading: the hint of headings.
    """
    b: cython.Py_ssize_t = len(weight)
    of_blocks, sums = np.zeros((4, b)), np.zeros((6, b + 1))
    row: DoubleTable = of_blocks
    before: DoubleTable = sums
    sum_blocks(row, before, weight, plain_weight, texts, short, long)
    table = np.zeros((hints, b), np.float32)
    hint: FloatTable = table
    write_hints(hint, parent, tree, memoryview(bits), before[0], first_text, whole)
    marks, numbers = np.zeros(b, np.uint8), np.zeros(b, np.int64)
    is_heading: Marks = marks
    headings: LongBuffer = numbers
    h: cython.Py_ssize_t = 0
    for k in range(b):
        if hint[heading, k] > 0:
            is_heading[k] = 1
            headings[h] = k
            h += 1
        before[5, k + 1] = h
    first = first_heading(kinds, top, tree, texts[10], headings[:h])
    return of_blocks, sums, table, marks.view(np.bool_), numbers[:h], first


@cython.cfunc
def sum_blocks(
    row: DoubleTable,
    before: DoubleTable,
    weight: Ints,
    plain_weight: Ints,
    texts: DoubleTable,
    short: Doubles,
    long: Doubles,
):
    """Write the letters of blocks, and what is before each of them.

    short: least letters outside links of prose, limit of the share of links, least share of common words;
    long: the same without common words. The letters of prose are those outside links, 0 for other blocks.
    """
    WORDS, POINTS, COMMAS, COMMON = 1, 2, 3, 9
    for k in range(len(weight)):
        letters: cython.double = weight[k]
        plain: cython.double = plain_weight[k]
        linked = 1.0 - plain / max(letters, 1.0)
        is_short = plain >= short[0] and linked < short[1] and texts[COMMON, k] > short[2]
        is_prose = is_short or (plain >= long[0] and linked < long[1])
        prose = plain if is_prose else 0.0
        row[0, k] = letters
        row[1, k] = plain
        row[2, k] = linked
        row[3, k] = prose
        before[0, k + 1] = before[0, k] + letters
        before[1, k + 1] = before[1, k] + plain
        before[2, k + 1] = before[2, k] + (texts[POINTS, k] + texts[COMMAS, k])
        before[3, k + 1] = before[3, k] + texts[WORDS, k]
        before[4, k + 1] = before[4, k] + prose


def node_hints(attr_start: Ints, tag: Ints, value: Ints, giver: object, meaning: object, of_tags: object):
    """Return the hints of each node as bits, a number of its tag and classes, and the key of its classes.

    The results are (n,) uint64, int64 and uint64. attr_start (n + 1,), tag (n,), value (m,): of the Dom.
    giver (m,) int8: 0 for a class, 1 for an id, larger for others that give hints, -1 for the rest. meaning
    (k, 7) uint64: what the value of each attribute that gives hints means: bits as a class or an id, bits as
    each of the others, and its class key. of_tags (n,) uint64: the bits of the tag.
    """
    n: cython.Py_ssize_t = len(attr_start) - 1
    bits, numbers, keys = of_tags.copy(), np.zeros(n, np.int64), np.zeros(n, np.uint64)
    hint: cython.ulonglong[::1] = memoryview(bits)
    number: LongBuffer = numbers
    key: cython.ulonglong[::1] = memoryview(keys)
    attribute: cython.const[cython.schar][::1] = memoryview(giver)
    means: cython.const[cython.ulonglong][:, ::1] = memoryview(meaning)
    j = 0
    most: cython.longlong = 1
    for i in range(n):
        for a in range(attr_start[i], attr_start[i + 1]):
            g = attribute[a]
            if g < 0:
                continue
            hint[i] |= means[j, g - 1 if g > 0 else 0]
            if g == 0:
                number[i] = value[a] + 1
                most = max(most, value[a] + 2)
                key[i] = means[j, 6]
            j += 1
    for i in range(n):
        number[i] += tag[i] * most
    return bits, numbers, keys


@cython.cfunc
@cython.locals(given=cython.ulonglong, none=cython.ulonglong, mask=cython.ulonglong, one=cython.ulonglong)
def write_hints(
    out: FloatTable,
    parent: Ints,
    tree: LongRows,
    hint: Keys,
    letters_before: Doubles,
    first_text: Ints,
    whole: cython.double,
):
    """Write the value of the nearest element around each block that gives each hint.

    hint: (n,) the hints of each node as bits. letters_before: (b + 1,) letters before each block. whole:
    share of the page in elements that give no hints. The value is 1.5 + log10(s + 0.03), s the share of the
    letters in the element; 0 for none.
    """
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(first_text)
    hints: cython.Py_ssize_t = out.shape[0]
    first: LongBuffer = tree[1]
    last: LongBuffer = tree[2]
    giver: IntBuffer = np.empty(n, np.int32)  # the nearest element that gives hints
    value: Buffer = np.empty(n)
    total = max(letters_before[b], 1.0)
    one, mask = 1, MASK
    for i in range(n):
        giver[i] = giver[parent[i]] if parent[i] >= 0 else -1
        if hint[i] and last[i] > first[i]:
            share = (letters_before[last[i]] - letters_before[first[i]]) / total
            if share < whole:
                giver[i] = i
                value[i] = 1.5 + log10(share + 0.03)
    for k in range(b):
        none = (((one << (hints - 1)) - 1) << 1) | 1  # the hints that no nearer element gives
        node = giver[first_text[k]]
        while node >= 0:
            given = hint[node] & none
            none &= mask ^ given
            h = 0
            while given:
                if given & 1:
                    out[h, k] = value[node]
                given >>= 1
                h += 1
            node = giver[parent[node]] if parent[node] >= 0 else -1


@cython.cfunc
def first_heading(
    kinds: Longs, top: cython.longlong, tree: LongRows, likeness: Buffer, heading: LongBuffer
) -> cython.Py_ssize_t:
    """Return the heading that is most similar to the title, of similar ones an earlier one; -1 for none.

    Only ``<h1>`` count if one has text.
    """
    first: LongBuffer = tree[1]
    last: LongBuffer = tree[2]
    h: cython.Py_ssize_t = len(heading)
    best, rank, least = -1, 0, 0.0
    for i in range(len(kinds)):
        if kinds[i] == top and last[i] > first[i]:
            value = likeness[first[i]] - 1e-3 * rank
            if best < 0 or value > least:
                best, least = first[i], value
            rank += 1
    if best < 0:
        for i in range(h):
            value = likeness[heading[i]] - 1e-3 * i
            if best < 0 or value > least:
                best, least = heading[i], value
    return best


@cython.locals(
    total=cython.ulonglong, factor=cython.ulonglong, mask=cython.ulonglong, base=cython.ulonglong,
    part=cython.ulonglong,
)  # fmt: skip
def path_numbers(parent: Ints, holder: Longs, step: object, prime: cython.ulonglong):
    """Return a number (b,) uint64 of the steps from each block to the root, whatever else is on the page.

    step: (n,) uint64. The part of a path that the number covers doubles up to the root: the largest power of
    two that is less than the length comes first.
    """
    n: cython.Py_ssize_t = len(parent)
    b: cython.Py_ssize_t = len(holder)
    numbers = np.zeros(b, np.uint64)
    out: cython.ulonglong[::1] = memoryview(numbers)
    steps: Keys = memoryview(step)
    chain: cython.int[::1] = np.zeros(n, np.int32)
    mask = MASK
    for k in range(b):
        if k > 0 and holder[k] == holder[k - 1]:
            out[k] = out[k - 1]
            continue
        length = 0
        node: cython.Py_ssize_t = holder[k]
        while node >= 0:
            chain[length] = node
            length += 1
            node = parent[node]
        total = 0
        at = 0
        while length - at > 1:
            part_length = 1
            factor = prime
            while 2 * part_length < length - at:
                part_length *= 2
                factor = (factor * factor) & mask
            part = 0
            for j in range(at, at + part_length):
                part = (part * prime + steps[chain[j]]) & mask
            total = (total + part * factor) & mask
            at += part_length
        out[k] = (total + steps[chain[at]]) & mask
    return numbers


@cython.locals(key=cython.ulonglong, mask=cython.ulonglong)
def same_paths(holder: Longs, parent: Longs, kind: object, steps: cython.Py_ssize_t):
    """Return a number (b,) int32 of the last steps of the path to each block, equal for equal ones.

    parent: (n,) 0 at the root; kind (n,) int64: a number of each step. The numbers are from 0, in the order
    of first appearance.
    """
    step: Longs = memoryview(kind)
    b: cython.Py_ssize_t = len(holder)
    keys = np.zeros(b, np.uint64)
    out: cython.ulonglong[::1] = memoryview(keys)
    mask = MASK
    for k in range(b):
        node = holder[k]
        key = 0
        for _step in range(steps):
            key = ((key ^ (key >> 31)) * 1540483477 + step[node] + 1) & mask
            key = ((key ^ (key >> 29)) * 2045523487) & mask
            node = parent[node]
        out[k] = key
    number, _, _ = numbered(keys)
    return number
