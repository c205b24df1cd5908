# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""Loops of `webgrain.extraction.titles`: candidates for the title of a page, and their features.

b blocks, c candidates. Texts are code points (t,) uint32 of several lines, with a line end between two of
them. properties (p,) uint8: what each code point is, as bits: `WORD`, `TOKEN` and `ALONE`; the last is that
of all others. hints (h, b) float32: of the blocks. at (c,) int64: the block of a candidate, -1 for none. x
(f, c) float32: a table of features, whose names are in ``titles.csv``.
"""

from __future__ import annotations

import numpy as np

from webgrain.columns.factkernel import number_spans, spans_between

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import log1p
else:
    from math import log1p

COMPILED = cython.compiled

Codes = cython.typedef(cython.const[cython.uint][::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
FlagBuffer = cython.typedef(cython.uchar[::1])
HintTable = cython.typedef(cython.const[cython.float][:, ::1])
IntBuffer = cython.typedef(cython.int[::1])
Ints = cython.typedef(cython.const[cython.int][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Spans = cython.typedef(cython.const[cython.int][:, :])
Table = cython.typedef(cython.float[:, ::1])

WORD, TOKEN, ALONE = 1, 2, 4
"""What a character is: a part of a word, a part of a token, and a token by itself."""
NAN = float("nan")


def candidate_blocks(
    characters: Doubles,
    is_title: Flags,
    hints: HintTable,
    heading: cython.Py_ssize_t,
    named: Longs,
    first: cython.longlong,
    last: cython.longlong,
    longest: cython.double,
    short: cython.double,
    most: cython.Py_ssize_t,
):
    """Return the blocks (c,) int64 that may be the title: headings, others only as far as there is room.

    characters, is_title: (b,). heading: number of the hint of headings; named: the numbers of other hints of
    titles. Blocks from first to last are candidates if they are short. longest, short: limits of characters.
    most: how many candidates.
    """
    b: cython.Py_ssize_t = len(characters)
    rank: FlagBuffer = np.zeros(b, np.uint8)  # 1: a heading, 2: another candidate
    headings: cython.Py_ssize_t = 0
    for k in range(b):
        if is_title[k] or characters[k] <= 0 or characters[k] > longest:
            continue
        if hints[heading, k] > 0:
            rank[k] = 1
            headings += 1
        elif first <= k <= last and characters[k] <= short:
            rank[k] = 2
        else:
            for j in range(len(named)):
                if hints[named[j], k] > 0:
                    rank[k] = 2
    room: cython.Py_ssize_t = min(headings, most)
    others: cython.Py_ssize_t = most - room
    chosen: LongBuffer = np.empty(most, np.int64)
    c: cython.Py_ssize_t = 0
    for k in range(b):
        if rank[k] == 1 and room > 0:
            room -= 1
        elif rank[k] == 2 and others > 0:
            others -= 1
        else:
            continue
        chosen[c] = k
        c += 1
    return np.asarray(chosen)[:c]


def spelled_parts(codes: object, properties: object, c: cython.Py_ssize_t, parts: cython.Py_ssize_t):
    """Return the part (c,) int64 with the same letters as a text, but more words; -1 for none.

    codes: c texts and the parts, in lower case. Of several parts with the same letters, the last counts.
    """
    text: Codes = memoryview(codes)
    what: Flags = memoryview(properties)
    others: cython.Py_ssize_t = len(what) - 1
    lines: cython.Py_ssize_t = c + parts
    spans: Spans = spans_between(codes, 10, max(lines, 1))
    letters_array = np.empty(len(text), np.uint32)
    letters: cython.uint[::1] = memoryview(letters_array)
    begin: IntBuffer = np.zeros(lines, np.int32)
    end: IntBuffer = np.zeros(lines, np.int32)
    words: IntBuffer = np.zeros(lines, np.int32)
    size: cython.Py_ssize_t = 0
    for i in range(lines):
        begin[i] = size
        inside: cython.bint = False
        for j in range(spans[0, i], spans[1, i]):
            code = text[j]
            if not what[code if code < others else others] & 1:
                inside = False
                continue
            words[i] += not inside
            inside = True
            letters[size] = code
            size += 1
        end[i] = size
    number_array, count = number_spans(letters_array, begin, end)
    number: Ints = number_array
    part_of: LongBuffer = np.zeros(max(count, 1), np.int64)  # from 1
    out: LongBuffer = np.empty(c, np.int64)
    for i in range(c, lines):
        if words[i]:
            part_of[number[i]] = i - c + 1
    for i in range(c):
        part = part_of[number[i]] - 1
        out[i] = part if part >= 0 and words[c + part] > words[i] else -1
    return np.asarray(out)


def title_features(
    x: Table,
    row: Longs,
    at: Longs,
    kind: Longs,
    hints: HintTable,
    used: Longs,
    heading: cython.Py_ssize_t,
    main: Doubles,
    letters: DoubleTable,
    repeats: Doubles,
    start: cython.longlong,
    total: cython.double,
    lowered: object,
    properties: object,
    characters: Longs,
    parts: cython.Py_ssize_t,
    folded: object,
    short: cython.Py_ssize_t,
    of_site: HintTable,
    places: Longs,
    led: Longs,
):
    """Write the features of candidates into x (f, c), c > 0, but those of their texts on the site.

    row (6,): where the groups begin: block, main, place, text, site place, lead. at (c,): the block of each
    candidate, -1 for none. kind (b,): of tags; hints (h, b), used: those of which the candidates have
    features; heading: that of headings. letters (4, b): the letter table of the facts; repeats (b,): blocks
    with the same text. lowered, properties, characters, parts: see `text_features`; folded, short: the texts
    and the number of `count_blocks`. of_site (s, b): features of the site at the place of a block, 0 rows if
    it is unknown; places: the rows that are used. led: the features that are compared with those of the other
    candidates. The others are those of `main_features`.
    """
    TEXT, SITE_PLACE, BLOCKS_LIKE_IT = 3, 4, 17
    block_features(x[row[0] :], at, kind, hints, used, heading)
    main_features(x[row[1] :], at, main, letters[0], start, total)
    place_features(x[row[2] :], at, letters[2], repeats)
    text_features(x[row[TEXT] :], lowered, properties, characters, at, hints, heading, parts)
    count_blocks(x[row[TEXT] + BLOCKS_LIKE_IT], folded, short)
    for j in range(len(places)):
        for i in range(len(at)):
            is_known = at[i] >= 0 and of_site.shape[0] > 0
            x[row[SITE_PLACE] + j, i] = of_site[places[j], at[i]] if is_known else NAN
    leads(x, led, x[row[5] :])


@cython.cfunc
def block_features(
    x: Table, at: Longs, kind: Longs, hints: HintTable, used: Longs, heading: cython.Py_ssize_t
):
    """Write how many candidates there are, and the tag and the hints of each.

    kind: (b,) of the tag; used: the numbers of the hints that are used; heading: that of headings.
    """
    NUMBER, INSIDE, TAG, HINTS = 0, 1, 2, 3
    ORDER, NUMBER_OF_TAG, HEADINGS = 0, 1, 2  # behind the hints
    h: cython.Py_ssize_t = len(used)
    b: cython.Py_ssize_t = len(kind)
    number: LongBuffer = np.zeros(np.maximum.reduce(kind, initial=0) + 1, np.int64)
    order: LongBuffer = np.zeros(b, np.int64)
    before: LongBuffer = np.zeros(b, np.int64)
    headings: cython.longlong = 0
    for k in range(b):
        order[k] = number[kind[k]]
        number[kind[k]] += 1
        before[k] = headings
        headings += hints[heading, k] > 0
    for i in range(len(at)):
        k: cython.Py_ssize_t = at[i]
        x[NUMBER, i] = len(at)
        x[INSIDE, i] = k >= 0
        if k < 0:
            for row in range(TAG, HINTS + h + 3):
                x[row, i] = NAN
            continue
        x[TAG, i] = kind[k]
        for j in range(h):
            x[HINTS + j, i] = hints[used[j], k] > 0
        x[HINTS + h + ORDER, i] = min(order[k], 20)
        x[HINTS + h + NUMBER_OF_TAG, i] = log1p(number[kind[k]])
        x[HINTS + h + HEADINGS, i] = before[k]


@cython.cfunc
def main_features(
    x: Table, at: Longs, main: Doubles, letters: Doubles, start: cython.longlong, total: cython.double
):
    """Write where a candidate is in the main text.

    main: (b,) the probability of main text; start: where it begins; total: its expected letters.
    """
    FROM_THE_START, MAIN, MAIN_BEHIND, MAIN_BEFORE = 0, 1, 2, 3
    b: cython.Py_ssize_t = len(main)
    mass: DoubleBuffer = np.zeros(b + 1)
    size: DoubleBuffer = np.zeros(b + 1)
    for k in range(b):
        mass[k + 1] = mass[k] + letters[k] * main[k]
        size[k + 1] = size[k] + letters[k]
    for i in range(len(at)):
        k: cython.Py_ssize_t = at[i]
        if k < 0:
            for row in range(4):
                x[row, i] = NAN
            continue
        behind: cython.Py_ssize_t = min(k + 6, b)
        x[FROM_THE_START, i] = min(max(k - start, -50), 50)
        x[MAIN, i] = main[k]
        x[MAIN_BEHIND, i] = (mass[behind] - mass[k]) / max(size[behind] - size[k], 1.0)
        x[MAIN_BEFORE, i] = mass[k] / total


@cython.cfunc
def place_features(x: Table, at: Longs, linked: Doubles, repeats: Doubles):
    """Write the place of the block of a candidate, its share of links, and how many blocks have its text."""
    PLACE, LINKED, REPEATS = 0, 1, 2
    blocks: cython.double = len(linked)
    for i in range(len(at)):
        k: cython.Py_ssize_t = at[i]
        if k < 0:
            for row in range(3):
                x[row, i] = NAN
            continue
        x[PLACE, i] = k / blocks
        x[LINKED, i] = linked[k]
        x[REPEATS, i] = min(repeats[k], 10.0)


@cython.cfunc
def text_features(
    x: Table,
    codes: object,
    properties: object,
    characters: Longs,
    at: Longs,
    hints: HintTable,
    heading: cython.Py_ssize_t,
    parts: cython.Py_ssize_t,
):
    """Write what the texts of candidates have in common with other texts of the page.

    codes: the candidates, the ``<title>``, ``og:title``, the name of the site, the address, and the parts of
    the ``<title>``, in lower case. characters: (c,) of the candidates.
    """
    LETTERS, WORDS, LIKE_TITLE, WITHIN_TITLE, LIKE_OG, WITHIN_OG, LIKE_SITE, WITHIN_SITE = (
        0,
        1,
        2,
        3,
        4,
        5,
        6,
        7,
    )
    STARTS_TITLE, IS_TITLE, STARTS_OG, IS_OG = 8, 10, 11, 13
    PARTS, PART, PART_FROM_THE_END, BLOCKS_LIKE_IT, IS_A_HEADING, WITHIN_ADDRESS = 14, 15, 16, 17, 18, 19
    c: cython.Py_ssize_t = len(at)
    lines: cython.Py_ssize_t = c + 4 + parts
    word_array, first, plain, spans = token_lines(codes, properties, lines)
    number_array, distinct = number_spans(plain, spans[0], spans[1])
    number: Ints = number_array
    is_heading: FlagBuffer = np.zeros(distinct, np.uint8)
    part_of: LongBuffer = np.zeros(distinct, np.int64)  # from 1
    part_from_end: LongBuffer = np.zeros(distinct, np.int64)
    for i in range(c):
        if at[i] >= 0 and hints[heading, at[i]] > 0:
            is_heading[number[i]] = 1
    for j in range(parts):
        n = number[c + 4 + j]
        part_from_end[n] = parts - j
        if part_of[n] == 0:
            part_of[n] = j + 1
    limit: IntBuffer = np.zeros(len(word_array) + 1, np.int32)
    seen: IntBuffer = np.zeros(len(word_array) + 1, np.int32)
    overlaps(x[LIKE_TITLE : WITHIN_TITLE + 1], word_array, first, c, limit, seen)
    overlaps(x[LIKE_OG : WITHIN_OG + 1], word_array, first, c + 1, limit, seen)
    overlaps(x[LIKE_SITE : WITHIN_SITE + 1], word_array, first, c + 2, limit, seen)
    # The first row is written over.
    overlaps(x[IS_A_HEADING : WITHIN_ADDRESS + 1], word_array, first, c + 3, limit, seen)
    edges(x[STARTS_TITLE : IS_TITLE + 1], plain, spans, c)
    edges(x[STARTS_OG : IS_OG + 1], plain, spans, c + 1)
    begin: Ints = first
    for i in range(c):
        x[LETTERS, i] = log1p(characters[i])
        x[WORDS, i] = log1p(begin[i + 1] - begin[i])
        x[PARTS, i] = parts
        x[PART, i] = part_of[number[i]] - 1
        x[PART_FROM_THE_END, i] = part_from_end[number[i]] - 1
        x[BLOCKS_LIKE_IT, i] = 0.0
        x[IS_A_HEADING, i] = is_heading[number[i]]


@cython.cfunc
def count_blocks(x: cython.float[::1], codes: object, blocks: cython.Py_ssize_t):
    """Write how many blocks have the text of each candidate, at most 5.

    codes: the candidates and the texts of the blocks, without differences of case.
    """
    c: cython.Py_ssize_t = len(x)
    spans = spans_between(codes, 10, max(c + blocks, 1))
    number_array, distinct = number_spans(codes, spans[0], spans[1])
    number: Ints = number_array
    times: LongBuffer = np.zeros(distinct, np.int64)
    for k in range(c, c + blocks):
        times[number[k]] += 1
    for i in range(c):
        x[i] = min(times[number[i]], 5)


@cython.cfunc
def leads(x: Table, used: Longs, out: Table):
    """Write how far each value is above the highest of the others; a missing value counts as -1.

    used: the rows of x that are compared; out (len(used), c).
    """
    for j in range(len(used)):
        best: cython.Py_ssize_t = 0
        for i in range(x.shape[1]):
            value = x[used[j], i]
            out[j, i] = value if value == value else -1.0
            if out[j, i] > out[j, best]:
                best = i
        highest = out[j, best]
        second: cython.float = -1.0
        for i in range(x.shape[1]):
            if i != best and out[j, i] > second:
                second = out[j, i]
            out[j, i] = out[j, i] - highest
        out[j, best] = highest - second


@cython.cfunc
def token_lines(codes: object, properties: object, lines: cython.Py_ssize_t):
    """Return the tokens of several lines: number (w,) int32 of each token, and the first one of each line.

    Then the lines with their tokens separated by spaces: codes, and (2, lines) int32 where each begins and
    ends.
    """
    text: Codes = memoryview(codes)
    what: Flags = memoryview(properties)
    others: cython.Py_ssize_t = len(what) - 1
    line: Spans = spans_between(codes, 10, lines)
    token_begin: IntBuffer = np.empty(len(text), np.int32)
    token_end: IntBuffer = np.empty(len(text), np.int32)
    first: IntBuffer = np.zeros(lines + 1, np.int32)
    plain_array = np.empty(2 * len(text), np.uint32)
    plain: cython.uint[::1] = memoryview(plain_array)
    span_array = np.zeros((2, lines), np.int32)
    span: cython.int[:, ::1] = span_array
    tokens: cython.Py_ssize_t = 0
    size: cython.Py_ssize_t = 0
    for i in range(lines):
        first[i] = tokens
        span[0, i] = size
        inside: cython.bint = False
        for j in range(line[0, i], line[1, i]):
            code = text[j]
            bits = what[code if code < others else others]
            if not bits & (2 | 4):
                inside = False
                continue
            if bits & 4 or not inside:
                token_begin[tokens] = j
                tokens += 1
                if size > span[0, i]:
                    plain[size] = 32
                    size += 1
            inside = not bits & 4
            token_end[tokens - 1] = j + 1
            plain[size] = code
            size += 1
        span[1, i] = size
    first[lines] = tokens
    number, _ = number_spans(codes, np.asarray(token_begin)[:tokens], np.asarray(token_end)[:tokens])
    return number, np.asarray(first), plain_array[:size], span_array


@cython.cfunc
def overlaps(
    x: Table, word: Ints, first: Ints, other: cython.Py_ssize_t, limit: IntBuffer, seen: IntBuffer
) -> cython.void:
    """Write the shares of the words of each line in common with another line: of both, and of its words.

    limit, seen: zeros for all words, here and at the end.
    """
    of_other: cython.double = first[other + 1] - first[other]
    for j in range(first[other], first[other + 1]):
        limit[word[j]] += 1
    for i in range(x.shape[1]):
        if of_other == 0:
            x[0, i] = x[1, i] = NAN
            continue
        common: cython.double = 0.0
        size: cython.double = first[i + 1] - first[i]
        for j in range(first[i], first[i + 1]):
            seen[word[j]] += 1
            if seen[word[j]] <= limit[word[j]]:
                common += 1.0
        for j in range(first[i], first[i + 1]):
            seen[word[j]] = 0
        x[0, i] = 2.0 * common / (size + of_other)
        x[1, i] = common / max(size, 1.0)
    for j in range(first[other], first[other + 1]):
        limit[word[j]] = 0


@cython.cfunc
def edges(x: Table, plain: Codes, span: Spans, other: cython.Py_ssize_t) -> cython.void:
    """Write whether another line begins with each line, ends with it, and is equal; 0 if it is empty."""
    low, high = span[0, other], span[1, other]
    for i in range(x.shape[1]):
        begin, size = span[0, i], span[1, i] - span[0, i]
        fits: cython.bint = high - low > 0 and size <= high - low
        x[0, i] = fits and same_codes(plain, begin, low, size)
        x[1, i] = fits and same_codes(plain, begin, high - size, size)
        x[2, i] = x[0, i] if size == high - low else 0.0


@cython.cfunc
def same_codes(
    plain: Codes, a: cython.Py_ssize_t, b: cython.Py_ssize_t, size: cython.Py_ssize_t
) -> cython.bint:
    """Whether the codes from a are those from b."""
    j: cython.Py_ssize_t = 0
    while j < size and plain[a + j] == plain[b + j]:
        j += 1
    return j == size
