# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of segments, and the marks of leaves that they count; their table is ``segments.csv``.

u units, l leaves, s segments, e members, h hints. up, end, low, high (u,) int32: of an outline; member (e,)
int32: leaves; label (e,) int32: the segment of each of them, -1 for none. A leaf is a member of several
segments where they overlap.
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
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])
Table = cython.typedef(cython.double[:, ::1])

LEAF_MARKS = (
    "prices", "years", "page_numbers", "arrows", "separators", "fragments", "addresses", "lines", "selects",
    "areas",
)  # fmt: skip
"""Marks of leaves, by the numbers of their bits."""


SPACE, WORD, DECIMAL, CURRENCY, ARROW = 1, 2, 4, 8, 16
"""Classes of characters, as bits; see `text_marks`."""


@cython.cfunc
def class_of(code: cython.uint, classes: Flags) -> cython.int:
    """Return the classes of a character as bits; those beyond U+FFFF are letters, digits or other signs."""
    if code < 0x10000:
        return classes[code]
    character = chr(code)
    return 2 * character.isalnum() + 4 * character.isdecimal()


def text_marks(text: object, start: Ints, nodes: object, longest: cython.Py_ssize_t, classes: Flags):
    """Return the marks of the beginnings of the texts of leaves (l,) uint64, as bits by `LEAF_MARKS`.

    text (c,) uint32: code points; start (n + 1,) int32: of the text of each node; nodes (l,) int32; longest:
    characters that are used; classes (0x10000,) uint8: of each code point.

        prices        a currency sign next to a digit, or with a space between them
        years         four digits that begin with 19 or 20
        page_numbers  up to four digits, and no letters
        arrows        an arrow with up to 40 characters on both sides
        separators    no letters or digits, but other characters
    """
    PRICES, YEARS, PAGE_NUMBERS, ARROWS, SEPARATORS = 1, 2, 4, 8, 16
    SPACE, WORD, DECIMAL, CURRENCY, ARROW = 1, 2, 4, 8, 16
    FAR = 40
    marks = np.zeros(len(nodes), np.uint64)
    mark: cython.ulonglong[::1] = memoryview(marks)
    codes: cython.const[cython.uint][::1] = memoryview(text)
    node: Ints = memoryview(nodes)
    of_text: cython.int[::1] = np.zeros(longest + 4, np.int32)  # classes, and no class behind them
    for k in range(len(nodes)):
        low, high = start[node[k]], min(start[node[k] + 1], start[node[k]] + longest)
        while low < high and class_of(codes[low], classes) & SPACE:
            low += 1
        while low < high and class_of(codes[high - 1], classes) & SPACE:
            high -= 1
        n = high - low
        if n == 0:
            continue
        words, arrow, newline = 0, -1, -1
        seen = 0
        for i in range(n):
            of_text[i] = class_of(codes[low + i], classes)
            seen |= of_text[i]
            words += (of_text[i] & WORD) > 0
            if arrow < 0 and of_text[i] & ARROW:
                arrow = i
            if codes[low + i] == 10:
                newline = i
        for i in range(n, n + 4):
            of_text[i] = 0
        bits = 0
        if 0 <= arrow <= FAR and n - arrow - 1 <= FAR and newline < arrow:
            bits |= ARROWS
        if words == 0:
            bits |= SEPARATORS
        digits = 0  # before i
        is_number = 1 <= words <= 4
        for i in range(n if seen & DECIMAL else 0):
            is_digit = of_text[i] & DECIMAL
            if is_digit or of_text[i] & CURRENCY:
                wanted = CURRENCY if is_digit else DECIMAL
                if of_text[i + 1] & wanted or (of_text[i + 1] & SPACE and of_text[i + 2] & wanted):
                    bits |= PRICES
            if is_digit:
                digits += 1
                if digits == 4 and not of_text[i + 1] & DECIMAL:
                    first, second = codes[low + i - 3], codes[low + i - 2]
                    if (first == 0x31 and second == 0x39) or (first == 0x32 and second == 0x30):
                        bits |= YEARS
                if digits == words and is_number:
                    bits |= PAGE_NUMBERS
            else:
                digits = 0
        mark[k] = bits
    return marks


def unit_places(parent: Ints, up: Ints, node: Ints, last: Ints, is_link: Flags):
    """Return the depth of the last node of each unit, and the nearest link there or above, -1 for none.

    parent (n,) int32 and is_link (n,) uint8: of the nodes; node, last (u,) int32: the ends of each chain.
    Returns (2, u) int32.
    """
    places = np.zeros((2, len(up)), np.int32)
    depth: cython.int[::1] = places[0]
    link: cython.int[::1] = places[1]
    for u in range(len(up)):
        above = up[u]
        depth[u] = depth[above] if above >= 0 else -1
        link[u] = -1
        i = last[u]
        stop = parent[node[u]]
        while i != stop:
            depth[u] += 1
            if is_link[i] and link[u] < 0:
                link[u] = i
            i = parent[i]
        if link[u] < 0 and above >= 0:
            link[u] = link[above]
    return places


def span_members(low: Ints, high: Ints):
    """Return the leaves (e,) int32 of spans ``low:high`` (k,) one after the other, and the span of each."""
    n = 0
    for s in range(len(low)):
        n += high[s] - low[s]
    members = np.empty((2, n), np.int32)
    member: cython.int[:, ::1] = members
    e = 0
    for s in range(len(low)):
        for k in range(low[s], high[s]):
            member[0, e] = k
            member[1, e] = s
            e += 1
    return members


def segment_places(
    members: tuple, segments: cython.Py_ssize_t, tree: tuple, leaf: Ints, most: cython.double
):  # fmt: skip
    """Return where each segment is (4, s) int32: its first and last leaf, common and near units.

    members: member and label; those of a segment are in order.

    tree: up, end, low, high; leaf (l,) int32: the unit of each leaf. The common unit is the lowest with all
    leaves of the segment; the near unit is the uppermost from there on with at most ``most`` times its
    leaves.
    """
    FIRST, LAST, COMMON, NEAR = 0, 1, 2, 3
    member: Ints = members[0]
    label: Ints = members[1]
    up: Ints = tree[0]
    end: Ints = tree[1]
    low: Ints = tree[2]
    high: Ints = tree[3]
    places = np.empty((4, segments), np.int32)
    places.fill(-1)
    place: cython.int[:, ::1] = places
    for e in range(len(label)):
        s = label[e]
        if s >= 0:
            if place[FIRST, s] < 0:
                place[FIRST, s] = member[e]
            place[LAST, s] = member[e]
    # A jump leads to a unit further above. With two ways to go up, a search takes log u steps.
    n: cython.Py_ssize_t = len(up)
    level: cython.int[::1] = np.zeros(n, np.int32)
    jump: cython.int[::1] = np.zeros(n, np.int32)
    for u in range(1, n):
        p = up[u]
        level[u] = level[p] + 1
        jump[u] = p
        if level[p] - level[jump[p]] == level[jump[p]] - level[jump[jump[p]]]:
            jump[u] = jump[jump[p]]
    for s in range(segments):
        if place[FIRST, s] < 0:
            place[COMMON, s] = place[NEAR, s] = 0
            continue
        u = leaf[place[FIRST, s]]
        target = leaf[place[LAST, s]]
        while end[u] <= target:
            u = jump[u] if end[jump[u]] <= target else up[u]
        place[COMMON, s] = u
        limit = most * (high[u] - low[u])
        while up[u] >= 0 and high[up[u]] - low[up[u]] <= limit:
            u = jump[u] if high[jump[u]] - low[jump[u]] <= limit else up[u]
        place[NEAR, s] = u
    return places


@cython.cfunc
def mixed(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    """Combine two keys; the result depends on their order."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    first: cython.ulonglong = 0x9E3779B97F4A7C15
    second: cython.ulonglong = 0xBF58476D1CE4E5B9
    a = ((a ^ (a >> 31)) * first + b) & mask
    a = ((a ^ (a >> 29)) * second) & mask
    return a ^ (a >> 32)


def alike_keys(tags: object, last: Ints, depths: object, commons: Ints, widths: object, layers: object):
    """Return a key (s,) uint64 of the tag, the depth, the width (s,) int64 and the layer of each segment.

    tags (n,) int32; last (u,): the last node of each unit, depths (u,) int32: its depth; commons, layers (s,)
    int32.
    """
    keys = np.zeros(len(commons), np.uint64)
    key: cython.ulonglong[::1] = memoryview(keys)
    tag: Ints = memoryview(tags)
    depth: Ints = memoryview(depths)
    width: cython.const[cython.longlong][::1] = memoryview(widths)
    layer: Ints = memoryview(layers)
    for s in range(len(commons)):
        key[s] = mixed(mixed(mixed(tag[last[commons[s]]], depth[commons[s]]), width[s]), layer[s])
    return keys


SEGMENT = (
    "leaves", "characters", "runs", "segments", "alike", "n_images", "n_controls", "n_embeds", "n_links",
    "n_paragraphs", "longest", "per_text", "per_link",
    "leaf_share", "character_share", "first", "last", "pure", "depth", "texts", "images", "controls",
    "embeds", "links", "linked_images", "short", "long", "headings", "one_leaf", "one_image", "one_text",
    "one_heading", "few_controls", "first_image", "anchor", "digits", "capitals", "copyright", "words",
    "sentences", *LEAF_MARKS, *(f"any {mark}" for mark in LEAF_MARKS),
)  # fmt: skip
"""Rows of `segment_features`."""

LOGARITHMS = {
    "leaves": 1e3, "characters": 1e5, "runs": 50.0, "segments": 200.0, "alike": 50.0, "n_images": 100.0,
    "n_controls": 20.0, "n_embeds": 10.0, "n_links": 300.0, "n_paragraphs": 50.0, "longest": 2e3,
    "per_text": 500.0, "per_link": 200.0,
}  # fmt: skip
"""The first rows are numbers, whose features are logarithms: with their greatest values."""


def segment_features(
    x: Table, members: tuple, layer: Ints, places: object, leaf: DoubleTable, kinds: Kinds, headings: Flags,
    marks: object, depth: Ints, low: Ints, high: Ints, alike: object,
):  # fmt: skip
    """Write the features of segments into a table (f, s) float64, by `SEGMENT`.

    members: member and label; layer (s,) int32: of each segment, less than s; places: of `segment_places`;
    leaf: of `webgrain.segmentation.features.unitkernel.leaf_table`; kinds (l,) int8; headings (l,) uint8;
    marks (l,) uint64: bits by `LEAF_MARKS`; depth (u,): of `unit_places`; alike (s,) uint64: keys that
    similar segments share.
    """
    CHARACTERS, WORDS, SENTENCES, LINKED, DIGITS, CAPITALS, COPYRIGHTS = 0, 1, 2, 3, 9, 10, 11
    LEAVES, TEXT, RUNS, SEGMENTS, ALIKE, N_IMAGES, N_CONTROLS, N_EMBEDS = 0, 1, 2, 3, 4, 5, 6, 7
    N_LINKS, N_PARAGRAPHS, LONGEST, PER_TEXT, PER_LINK = 8, 9, 10, 11, 12
    LEAF_SHARE, CHARACTER_SHARE, FIRST, LAST, PURE, DEPTH, TEXTS = 13, 14, 15, 16, 17, 18, 19
    IMAGES, CONTROLS, EMBEDS, LINKS, LINKED_IMAGES, SHORT, LONG, HEADINGS = 20, 21, 22, 23, 24, 25, 26, 27
    ONE_LEAF, ONE_IMAGE, ONE_TEXT, ONE_HEADING, FEW_CONTROLS, FIRST_IMAGE = 28, 29, 30, 31, 32, 33
    ANCHOR, OF_DIGITS, OF_CAPITALS, COPYRIGHT, OF_WORDS, OF_SENTENCES = 34, 35, 36, 37, 38, 39
    MARKS, ANY_MARK, NUMBER_OF_MARKS = 40, 50, 10
    TEXT_LEAF, IMAGE, CONTROL, EMBED, BACKGROUND = 1, 2, 3, 4, 5
    member: Ints = members[0]
    label: Ints = members[1]
    place: cython.const[cython.int][:, ::1] = places
    mark: Keys = memoryview(marks)
    n: cython.Py_ssize_t = x.shape[1]
    rows: cython.Py_ssize_t = x.shape[0]
    leaves_of_page: cython.Py_ssize_t = len(kinds)
    for row in range(rows):
        for s in range(n):
            x[row, s] = 0.0
    weight: cython.double[::1] = np.zeros(n)
    linked_characters: cython.double[::1] = np.zeros(n)
    first_image = -1
    page_characters = 0.0
    for k in range(leaves_of_page):
        page_characters += leaf[CHARACTERS, k]
        if first_image < 0 and kinds[k] in (IMAGE, BACKGROUND):
            first_image = k
    previous = -1
    for e in range(len(label)):
        s = label[e]
        starts_run = s != previous
        previous = s
        if s < 0:
            continue
        k = member[e]
        kind = kinds[k]
        is_image = kind in (IMAGE, BACKGROUND)
        characters = leaf[CHARACTERS, k]
        is_text = kind == TEXT_LEAF
        linked = leaf[LINKED, k]
        x[LEAVES, s] += 1.0
        x[TEXT, s] += characters
        x[RUNS, s] += starts_run
        x[TEXTS, s] += is_text
        x[IMAGES, s] += is_image
        x[CONTROLS, s] += kind == CONTROL
        x[EMBEDS, s] += kind == EMBED
        x[LINKS, s] += linked
        x[LINKED_IMAGES, s] += linked > 0.0 and not is_text
        x[SHORT, s] += is_text and characters < 25.0
        x[LONG, s] += is_text and characters > 100.0
        x[HEADINGS, s] += headings[k]
        x[N_LINKS, s] += linked > 0.0 and is_text
        x[N_PARAGRAPHS, s] += characters > 80.0
        x[LONGEST, s] = max(x[LONGEST, s], characters)
        x[FIRST_IMAGE, s] += k == first_image
        x[ANCHOR, s] += linked * (characters + 1e-3)
        x[OF_DIGITS, s] += leaf[DIGITS, k]
        x[OF_CAPITALS, s] += leaf[CAPITALS, k]
        x[COPYRIGHT, s] += leaf[COPYRIGHTS, k]
        x[OF_WORDS, s] += leaf[WORDS, k]
        x[OF_SENTENCES, s] += leaf[SENTENCES, k]
        weight[s] += characters + 1e-3
        linked_characters[s] += characters * linked
        if mark[k] != 0:
            for b in range(NUMBER_OF_MARKS):
                x[MARKS + b, s] += (mark[k] >> b) & 1
    group_array, _, size_array = numbered(alike)
    group: Ints = group_array
    size: Ints = size_array
    of_page: cython.double = leaves_of_page
    of_layer: cython.int[::1] = np.zeros(n, np.int32)
    for s in range(n):
        of_layer[layer[s]] += 1
    for s in range(n):
        count = max(x[LEAVES, s], 1.0)
        text = max(x[TEXT, s], 1.0)
        texts = max(x[TEXTS, s], 1.0)
        common = place[2, s]
        x[SEGMENTS, s] = of_layer[layer[s]]
        x[ALIKE, s] = size[group[s]] - 1
        x[N_IMAGES, s] = x[IMAGES, s]
        x[N_CONTROLS, s] = x[CONTROLS, s]
        x[N_EMBEDS, s] = x[EMBEDS, s]
        x[PER_TEXT, s] = x[TEXT, s] / texts
        x[PER_LINK, s] = linked_characters[s] / max(x[N_LINKS, s], 1.0)
        x[LEAF_SHARE, s] = x[LEAVES, s] / of_page
        x[CHARACTER_SHARE, s] = x[TEXT, s] / max(page_characters, 1.0)
        x[FIRST, s] = place[0, s] / of_page
        x[LAST, s] = place[1, s] / of_page
        x[PURE, s] = x[LEAVES, s] / (high[common] - low[common])
        x[DEPTH, s] = min(depth[common], 40) / 40.0
        x[ONE_LEAF, s] = count == 1.0
        x[ONE_IMAGE, s] = x[IMAGES, s] > 0.0 and count <= 2.0
        x[ONE_TEXT, s] = x[TEXTS, s] > 0.0 and count <= 1.0
        x[ONE_HEADING, s] = x[HEADINGS, s] > 0.0 and count <= 2.0
        x[FEW_CONTROLS, s] = x[CONTROLS, s] > 0.0 and count <= 6.0
        x[ANCHOR, s] = x[ANCHOR, s] / weight[s] if weight[s] > 0.0 else 0.0
        x[OF_DIGITS, s] = min(x[OF_DIGITS, s] / text, 1.0)
        x[OF_CAPITALS, s] = min(x[OF_CAPITALS, s] / text, 1.0)
        x[COPYRIGHT, s] = x[COPYRIGHT, s] > 0.0
        x[OF_WORDS, s] = min(x[OF_WORDS, s] / text, 1.0)
        x[OF_SENTENCES, s] = min(x[OF_SENTENCES, s] / texts, 10.0) / 10.0
        for row in range(TEXTS, ONE_LEAF):
            x[row, s] = x[row, s] / count
        for b in range(NUMBER_OF_MARKS):
            x[ANY_MARK + b, s] = x[MARKS + b, s] > 0.0
            x[MARKS + b, s] = x[MARKS + b, s] / count


def hint_features(
    x: Table, hints: object, up: Ints, leaf: Ints, members: tuple, places: object, count: Doubles
):  # fmt: skip
    """Write the hints near, inside and above each segment into a table (3 h, s) float64.

    hints (u,) uint64: of the nodes of each unit; leaf (l,): the unit of each leaf; members: member and label;
    places: of `segment_places`; count (s,): leaves. Near: from the common to the near unit; inside: the
    share of the leaves with a unit of the hint below the common one.
    """
    member: Ints = members[0]
    label: Ints = members[1]
    near: Keys = memoryview(hints)
    place: cython.const[cython.int][:, ::1] = places
    n: cython.Py_ssize_t = x.shape[1]
    h: cython.Py_ssize_t = x.shape[0] // 3
    upon: cython.int[:, ::1] = np.zeros((len(up), h), np.int32)  # units with each hint, from the root down
    for u in range(len(up)):
        for b in range(h):
            upon[u, b] = (near[u] >> b) & 1
            if up[u] >= 0:
                upon[u, b] += upon[up[u], b]
    for s in range(n):
        common, above = place[2, s], up[place[3, s]]
        for b in range(h):
            around = upon[above, b] if above >= 0 else 0
            x[b, s] = upon[common, b] > around
            x[h + b, s] = 0.0
            x[2 * h + b, s] = around > 0
    for e in range(len(label)):
        s = label[e]
        if s < 0:
            continue
        common = place[2, s]
        unit = leaf[member[e]]
        for b in range(h):
            if upon[unit, b] > upon[common, b]:
                x[h + b, s] += 1.0
    for b in range(h):
        for s in range(n):
            x[h + b, s] = x[h + b, s] / max(count[s], 1.0)
