# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the units of a page, a function for each group; their table is ``units.csv``.

n nodes of the Dom, u units, l leaves. up, end (u,) int32: the parents and ends of an outline; low, high (u,)
int32: its leaves. Each function writes the rows of its group, in the order of its names, into a table (f, u)
float64. The first rows of a group, `LOGARITHMS`, are numbers x whose feature is log(1 + x); the caller takes
the logarithms, before the next group reads them. A parent is the unit itself at the root.

Sums of numbers that are not integers are differences of the sums from the first unit on.
"""

from __future__ import annotations

import numpy as np

from webgrain.page.kernels.keytable import numbered

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import fabs, sqrt
else:
    from math import fabs, sqrt

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Keys = cython.typedef(cython.const[cython.ulonglong][::1])
Kinds = cython.typedef(cython.const[cython.schar][::1])
LongBuffer = cython.typedef(cython.longlong[::1])
Row = cython.typedef(cython.double[::1])
Table = cython.typedef(cython.double[:, ::1])

TAG_MARKS = (
    "table", "rows", "row", "cell", "list", "item", "heading", "paragraph", "link", "form", "div", "span",
    "section", "edge", "body",
)  # fmt: skip
MARKS = (*TAG_MARKS, "in p", "in form", "block", "has id")
"""Marks of nodes, by the numbers of their bits."""


def node_bits(start: Ints, of_attributes: object, of_tags: object):
    """Return the bits (n,) uint64 of nodes: those of their tags (n,) and of their attributes (m,) uint64.

    start (n + 1,) int32: node i has the attributes ``start[i]:start[i + 1]``.
    """
    joined = np.array(of_tags, np.uint64)
    out: cython.ulonglong[::1] = memoryview(joined)
    given: Keys = memoryview(of_attributes)
    for i in range(len(start) - 1):
        for k in range(start[i], start[i + 1]):
            out[i] |= given[k]
    return joined


def chosen_rows(table: DoubleTable, rows: object, low: Doubles, high: Doubles):
    """Return some rows (f,) int64 of a table (r, u) float64, each between low and high, (f, u) float32."""
    chosen = np.empty((len(rows), table.shape[1]), np.float32)
    out: cython.float[:, ::1] = chosen
    row: cython.const[cython.longlong][::1] = memoryview(rows)
    for k in range(len(rows)):
        for u in range(table.shape[1]):
            out[k, u] = min(max(table[row[k], u], low[k]), high[k])
    return chosen


def group_means(x: DoubleTable, group: object):
    """Return the means (r, u) float64 of rows x (r, u) over the units of each group (u,) int64."""
    number_array, _, count_array = numbered(group.view(np.uint64))
    number: Ints = number_array
    count: Ints = count_array
    means = np.zeros((x.shape[0], x.shape[1]))
    out: Table = means
    sums: cython.double[::1] = np.zeros(len(count))
    for row in range(x.shape[0]):
        for g in range(len(count)):
            sums[g] = 0.0
        for u in range(x.shape[1]):
            sums[number[u]] += x[row, u]
        for u in range(x.shape[1]):
            out[row, u] = sums[number[u]] / count[number[u]]
    return means


def chain_bits(parent: Ints, up: Ints, node: Ints, last: Ints, bits: object):
    """Return the bits (2, u) uint64 of the nodes of each unit, and of the nodes above it.

    parent (n,) int32: of the nodes; node, last (u,) int32: the ends of the chain of each unit; bits (n,)
    uint64: what a node has, a bit for each of up to 64 properties.
    """
    joined = np.zeros((2, len(up)), np.uint64)
    near: cython.ulonglong[::1] = memoryview(joined[0])
    above: cython.ulonglong[::1] = memoryview(joined[1])
    given: Keys = memoryview(bits)
    for u in range(len(up)):
        i = last[u]
        while i > node[u]:
            near[u] |= given[i]
            i = parent[i]
        near[u] |= given[i]
        if up[u] >= 0:
            above[u] = near[up[u]] | above[up[u]]
    return joined


LEAF_ROWS = (
    "characters", "words", "sentences", "linked", "heading", "caption", "list item", "paragraph", "in form",
    "digits", "capitals", "copyrights",
)  # fmt: skip
"""Rows of `leaf_table`."""


def leaf_table(text: object, start: Ints, nodes: object, kinds: Kinds, marks: object, signs: Kinds):
    """Return what each leaf is (12, l) float64, by `LEAF_ROWS`; captions are headings here.

    text (c,) uint32: code points; start (n + 1,) int32: of the text of each node; nodes (l,) int32: of the
    leaves; kinds (l,) int8: of them; marks (l,) uint64: the bits of a leaf and of the nodes above, by
    `MARKS`; signs (256,) int8: 1 for digits, 2 for capitals, 3 for © among the code points, the last for all
    others. Characters are all but spaces; each character of a script without spaces is a word; a text has at
    least one sentence. Leaves of other kinds have no texts.
    """
    CHARACTERS, WORDS, SENTENCES, LINKED, HEADING, CAPTION, ITEM, PARAGRAPH, FORM = range(9)
    BEFORE_SIGNS = 8
    OF_ITEM, OF_HEADING, OF_LINK, OF_PARAGRAPH, OF_FORM = 5, 6, 8, 15, 16
    TEXT_LEAF = 1
    table = np.zeros((12, len(kinds)))
    x: Table = table
    codes: cython.const[cython.uint][::1] = memoryview(text)
    node: Ints = memoryview(nodes)
    mark: Keys = memoryview(marks)
    for k in range(len(kinds)):
        x[LINKED, k] = (mark[k] >> OF_LINK) & 1
        x[ITEM, k] = (mark[k] >> OF_ITEM) & 1
        x[PARAGRAPH, k] = (mark[k] >> OF_PARAGRAPH) & 1
        x[FORM, k] = (mark[k] >> OF_FORM) & 1
        if kinds[k] != TEXT_LEAF:
            continue
        x[HEADING, k] = (mark[k] >> OF_HEADING) & 1
        x[CAPTION, k] = x[HEADING, k]
        is_word = False
        for j in range(start[node[k]], start[node[k] + 1]):
            code = codes[j]
            if code in (0x2E, 0x21, 0x3F, 0x3002, 0xFF01, 0xFF1F):
                x[SENTENCES, k] += 1.0
            if code <= 0x20 or code == 0xA0 or code == 0x3000:
                is_word = False
                continue
            x[CHARACTERS, k] += 1.0
            sign = signs[code if code < 255 else 255]
            if sign > 0:
                x[BEFORE_SIGNS + sign, k] += 1.0
            if not is_word or 0x3040 <= code < 0xA000:
                x[WORDS, k] += 1.0
            is_word = True
        x[SENTENCES, k] = max(x[SENTENCES, k], 1.0)
    return table


def leaf_sums(leaf: DoubleTable, kinds: Kinds):
    """Return sums over the leaves before each leaf (15, l + 1) float64; leaf: of `leaf_table`."""
    CHARACTERS, WORDS, SENTENCES, LINKED, HEADING, CAPTION, ITEM, PARAGRAPH, FORM = range(9)
    TEXT, OF_WORDS, OF_SENTENCES, LINKED_TEXT, LINKS, HEADINGS, CAPTIONS, ITEMS = 0, 1, 2, 3, 4, 5, 6, 7
    PARAGRAPHS, FORMS, LONGS, KINDS = 8, 9, 10, 11  # then a row for each kind but texts
    FIRST_KIND = 2
    leaves: cython.Py_ssize_t = len(kinds)
    table = np.zeros((15, leaves + 1))
    sums: Table = table
    for k in range(leaves):
        characters = leaf[CHARACTERS, k]
        sums[TEXT, k + 1] = sums[TEXT, k] + characters
        sums[OF_WORDS, k + 1] = sums[OF_WORDS, k] + leaf[WORDS, k]
        sums[OF_SENTENCES, k + 1] = sums[OF_SENTENCES, k] + max(leaf[SENTENCES, k] - 1.0, 0.0)
        sums[LINKED_TEXT, k + 1] = sums[LINKED_TEXT, k] + characters * leaf[LINKED, k]
        sums[LINKS, k + 1] = sums[LINKS, k] + leaf[LINKED, k]
        sums[HEADINGS, k + 1] = sums[HEADINGS, k] + leaf[HEADING, k]
        sums[CAPTIONS, k + 1] = sums[CAPTIONS, k] + leaf[CAPTION, k]
        sums[ITEMS, k + 1] = sums[ITEMS, k] + leaf[ITEM, k]
        sums[PARAGRAPHS, k + 1] = sums[PARAGRAPHS, k] + leaf[PARAGRAPH, k]
        sums[FORMS, k + 1] = sums[FORMS, k] + leaf[FORM, k]
        sums[LONGS, k + 1] = sums[LONGS, k] + (characters > 100.0)
        for kind in range(4):
            sums[KINDS + kind, k + 1] = sums[KINDS + kind, k] + (kinds[k] == FIRST_KIND + kind)
    return table


OWN = (
    "images", "controls", "embeds", "backdrops", "headings", "captions", "longs", "characters",
    "per sentence", "per leaf", "leaves", "earlier", "later", "height", "children",
    "image share", "control share", "heading share", "caption share", "long share", "list item share",
    "paragraph share", "in form share", "linked text", "linked leaves", "leaf share", "earlier share",
    "later share", "level", "has id", "block", "starts with heading", "starts with caption",
    "starts with image", "count", "text", "number of children", "share of parent",
    *(f"tag {mark}" for mark in TAG_MARKS),
)  # fmt: skip
"""Rows of `own_features`; the last ones but the tags are no logarithms, for other features."""


def own_features(x: Table, sums: DoubleTable, leaf: DoubleTable, kinds: Kinds, tree: tuple, marks: object):
    """Write what a unit is by itself.

    sums: of `leaf_sums`; leaf: of `leaf_table`; tree: up, end, low, high, level; marks (u,) uint64: the bits
    of the nodes of each unit, by `MARKS`.
    """
    IMAGES, CONTROLS, HEADINGS, CAPTIONS, LONGS, CHARACTERS = 0, 1, 4, 5, 6, 7
    PER_SENTENCE, PER_LEAF, LEAVES, EARLIER, LATER, HEIGHT, CHILDREN = 8, 9, 10, 11, 12, 13, 14
    IMAGE_SHARE, CONTROL_SHARE, HEADING_SHARE, CAPTION_SHARE, LONG_SHARE = 15, 16, 17, 18, 19
    ITEM_SHARE, PARAGRAPH_SHARE, FORM_SHARE, LINKED_TEXT, LINKED_LEAVES = 20, 21, 22, 23, 24
    LEAF_SHARE, EARLIER_SHARE, LATER_SHARE, LEVEL, HAS_ID, BLOCK = 25, 26, 27, 28, 29, 30
    STARTS_WITH_HEADING, STARTS_WITH_CAPTION, STARTS_WITH_IMAGE = 31, 32, 33
    COUNT, TEXT, NUMBER_OF_CHILDREN, SHARE_OF_PARENT, TAGS = 34, 35, 36, 37, 38
    OF_TEXT, OF_WORDS, OF_SENTENCES, OF_LINKED_TEXT, OF_LINKS, OF_HEADINGS = 0, 1, 2, 3, 4, 5
    OF_CAPTIONS, OF_ITEMS, OF_PARAGRAPHS, OF_FORMS, OF_LONGS, OF_IMAGES = 6, 7, 8, 9, 10, 11
    HEADING, CAPTION, IMAGE = 4, 5, 2
    OF_BLOCK, OF_ID, NUMBER_OF_TAGS = 17, 18, 15
    up: Ints = memoryview(tree[0])
    low: Ints = memoryview(tree[2])
    high: Ints = memoryview(tree[3])
    level: Ints = memoryview(tree[4])
    mark: Keys = memoryview(marks)
    n: cython.Py_ssize_t = len(up)
    deepest: cython.int[::1] = np.zeros(n, np.int32)
    children: cython.int[::1] = np.zeros(n, np.int32)
    for u in range(n - 1, -1, -1):
        deepest[u] = max(deepest[u], level[u])
        if u > 0:
            children[up[u]] += 1
            deepest[up[u]] = max(deepest[up[u]], deepest[u])
    page: cython.double = high[0]
    for u in range(n):
        first, end, above = low[u], high[u], max(up[u], 0)
        count: cython.double = end - first
        text = sums[OF_TEXT, end] - sums[OF_TEXT, first]
        words = sums[OF_WORDS, end] - sums[OF_WORDS, first]
        sentences = sums[OF_SENTENCES, end] - sums[OF_SENTENCES, first]
        for kind in range(4):  # images, controls, embeds, backdrops
            x[IMAGES + kind, u] = sums[OF_IMAGES + kind, end] - sums[OF_IMAGES + kind, first]
        x[HEADINGS, u] = sums[OF_HEADINGS, end] - sums[OF_HEADINGS, first]
        x[CAPTIONS, u] = sums[OF_CAPTIONS, end] - sums[OF_CAPTIONS, first]
        x[LONGS, u] = sums[OF_LONGS, end] - sums[OF_LONGS, first]
        x[CHARACTERS, u] = text
        x[PER_SENTENCE, u] = words / (sentences + 1.0)
        x[PER_LEAF, u] = words / count
        x[LEAVES, u] = count
        x[EARLIER, u] = first
        x[LATER, u] = page - end
        x[HEIGHT, u] = deepest[u] - level[u]
        x[CHILDREN, u] = children[u]
        x[IMAGE_SHARE, u] = x[IMAGES, u] / count
        x[CONTROL_SHARE, u] = x[CONTROLS, u] / count
        x[HEADING_SHARE, u] = x[HEADINGS, u] / count
        x[CAPTION_SHARE, u] = x[CAPTIONS, u] / count
        x[LONG_SHARE, u] = x[LONGS, u] / count
        x[ITEM_SHARE, u] = (sums[OF_ITEMS, end] - sums[OF_ITEMS, first]) / count
        x[PARAGRAPH_SHARE, u] = (sums[OF_PARAGRAPHS, end] - sums[OF_PARAGRAPHS, first]) / count
        x[FORM_SHARE, u] = (sums[OF_FORMS, end] - sums[OF_FORMS, first]) / count
        x[LINKED_TEXT, u] = (sums[OF_LINKED_TEXT, end] - sums[OF_LINKED_TEXT, first]) / max(text, 1.0)
        x[LINKED_LEAVES, u] = (sums[OF_LINKS, end] - sums[OF_LINKS, first]) / count
        x[LEAF_SHARE, u] = count / page
        x[EARLIER_SHARE, u] = first / page
        x[LATER_SHARE, u] = (page - end) / page
        x[LEVEL, u] = level[u]
        x[HAS_ID, u] = (mark[u] >> OF_ID) & 1
        x[BLOCK, u] = (mark[u] >> OF_BLOCK) & 1
        x[STARTS_WITH_HEADING, u] = leaf[HEADING, first]
        x[STARTS_WITH_CAPTION, u] = leaf[CAPTION, first]
        x[STARTS_WITH_IMAGE, u] = kinds[first] == IMAGE
        x[COUNT, u] = count
        x[TEXT, u] = text
        x[NUMBER_OF_CHILDREN, u] = children[u]
        x[SHARE_OF_PARENT, u] = count / (high[above] - low[above])
        for tag in range(NUMBER_OF_TAGS):
            x[TAGS + tag, u] = (mark[u] >> tag) & 1


@cython.cfunc
def mixed(a: cython.ulonglong, b: cython.ulonglong) -> cython.ulonglong:
    """Combine two keys; the result depends on their order."""
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    first: cython.ulonglong = 0x9E3779B97F4A7C15
    second: cython.ulonglong = 0xBF58476D1CE4E5B9
    a = ((a ^ (a >> 31)) * first + b) & mask
    a = ((a ^ (a >> 29)) * second) & mask
    return a ^ (a >> 32)


def unit_keys(tags: Ints, nodes: Ints, class_keys: object, up: Ints):
    """Return keys (2, u) uint64: of the tag and first class of each unit, and of its tag and its children's.

    tags (n,) int32; nodes (u,) int32: the first node of each unit; class_keys (n,) uint64: of the first class
    of a node, 0 for none. The order of children has no effect.
    """
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    key_array = np.zeros((2, len(nodes)), np.uint64)
    signature: cython.ulonglong[::1] = memoryview(key_array[0])
    shape: cython.ulonglong[::1] = memoryview(key_array[1])
    of_class: Keys = memoryview(class_keys)
    tag: Ints = memoryview(tags)  # uncompiled, numbers of Python do not overflow
    for u in range(len(nodes)):
        signature[u] = mixed(of_class[nodes[u]], tag[nodes[u]])
        if u > 0:
            shape[up[u]] = (shape[up[u]] + mixed(tag[nodes[u]], 3)) & mask
    for u in range(len(nodes)):
        shape[u] = mixed(shape[u], tag[nodes[u]])
    return key_array


def sibling_groups(up: Ints, keys: object):
    """Return numbers (u,) int32 of units with equal parents and keys (u,) uint64; first, count (g,) int32."""
    of_siblings = np.zeros(len(up), np.uint64)
    key: cython.ulonglong[::1] = memoryview(of_siblings)
    given: Keys = memoryview(keys)
    above: Ints = memoryview(up)
    for u in range(len(up)):
        key[u] = mixed(given[u], above[u] + 1)
    return numbered(of_siblings)


CHILDREN = (
    "repeated", "repeated shape", "large repeated", "large children", "mean large", "mean leaves", "headed",
    "captioned", "bare captions", "most repeated below", "most large below",
    "repetition", "shape repetition", "large repetition", "entropy", "largest", "leaf children",
    "uneven leaves", "uneven text", "most text", "range linked text", "range per sentence",
    "range image share", "captioned share", "children has id", "children block", "repetition below",
    "large", "number of large children", "number alike", "number alike shape",
)  # fmt: skip
"""Rows of `children_features`; the last ones are for other features."""


def children_features(
    x: Table, own: DoubleTable, log_share: Doubles, up: Ints, end: Ints, alike: tuple, alike_shape: tuple,
    large_leaves: cython.double,
):  # fmt: skip
    """Write what the children of a unit are.

    own: of `own_features`, with logarithms; log_share (u,): the logarithms of the shares of the parent;
    alike, alike_shape: of `sibling_groups`; large_leaves: of a large child.
    """
    REPEATED, REPEATED_SHAPE, LARGE_REPEATED, LARGE_CHILDREN, MEAN_LARGE, MEAN_LEAVES = 0, 1, 2, 3, 4, 5
    HEADED, CAPTIONED, BARE_CAPTIONS, MOST_REPEATED_BELOW, MOST_LARGE_BELOW = 6, 7, 8, 9, 10
    REPETITION, SHAPE_REPETITION, LARGE_REPETITION, ENTROPY, LARGEST = 11, 12, 13, 14, 15
    LEAF_CHILDREN, UNEVEN_LEAVES, UNEVEN_TEXT, MOST_TEXT, RANGE_LINKED_TEXT = 16, 17, 18, 19, 20
    RANGE_PER_SENTENCE, RANGE_IMAGE_SHARE, CAPTIONED_SHARE, CHILDREN_HAS_ID = 21, 22, 23, 24
    CHILDREN_BLOCK, REPETITION_BELOW = 25, 26
    LARGE, N_LARGE, N_ALIKE, N_ALIKE_SHAPE = 27, 28, 29, 30
    characters: Doubles = own[7]
    per_sentence: Doubles = own[8]
    image_share: Doubles = own[15]
    linked_text: Doubles = own[23]
    has_id: Doubles = own[29]
    block: Doubles = own[30]
    with_heading: Doubles = own[31]
    with_caption: Doubles = own[32]
    count: Doubles = own[34]
    text: Doubles = own[35]
    children: Doubles = own[36]
    share: Doubles = own[37]
    group: Ints = alike[0]
    group_size: Ints = alike[2]
    shape_group: Ints = alike_shape[0]
    shape_group_size: Ints = alike_shape[2]
    n: cython.Py_ssize_t = len(up)
    for u in range(n):
        x[LARGE, u] = count[u] >= large_leaves
        x[N_ALIKE, u] = group_size[group[u]]
        x[N_ALIKE_SHAPE, u] = shape_group_size[shape_group[u]]
    sum_entropy: cython.double = 0.0
    sum_leaves: cython.double = 0.0
    sum_leaves_squared: cython.double = 0.0
    sum_text: cython.double = 0.0
    sum_text_squared: cython.double = 0.0
    for u in range(n):
        for row in range(LARGE):
            x[row, u] = 0.0
        if children[u] == 0.0:
            continue
        of_entropy, of_leaves, of_leaves_squared = sum_entropy, sum_leaves, sum_leaves_squared
        of_text, of_text_squared = sum_text, sum_text_squared
        repeated, repeated_shape, large_repeated, most_text = 0.0, 0.0, 0.0, 0.0
        leaves_of_large, captioned, leaf_children, with_id, blocks, n_large = 0.0, 0.0, 0.0, 0.0, 0.0, 0.0
        c = u + 1
        least_linked, most_linked = linked_text[c], linked_text[c]
        least_sentence, most_sentence = per_sentence[c], per_sentence[c]
        least_image, most_image = image_share[c], image_share[c]
        while c < end[u]:
            x[LARGEST, u] = max(x[LARGEST, u], share[c])
            repeated = max(repeated, x[N_ALIKE, c])
            repeated_shape = max(repeated_shape, x[N_ALIKE_SHAPE, c])
            large_repeated = max(large_repeated, x[N_ALIKE, c] * x[LARGE, c])
            most_text = max(most_text, characters[c])
            n_large += x[LARGE, c]
            leaves_of_large += count[c] * x[LARGE, c]
            if count[c] > 1.0:
                x[HEADED, u] += with_heading[c]
                captioned += with_caption[c]
            else:
                x[BARE_CAPTIONS, u] += with_caption[c]
                leaf_children += 1.0
            with_id += has_id[c]
            blocks += block[c]
            least_linked, most_linked = min(least_linked, linked_text[c]), max(most_linked, linked_text[c])
            least_sentence = min(least_sentence, per_sentence[c])
            most_sentence = max(most_sentence, per_sentence[c])
            least_image, most_image = min(least_image, image_share[c]), max(most_image, image_share[c])
            sum_entropy += -share[c] * log_share[c]
            sum_leaves += count[c]
            sum_leaves_squared += count[c] * count[c]
            sum_text += text[c] + 1.0
            sum_text_squared += (text[c] + 1.0) * (text[c] + 1.0)
            c = end[c]
        x[REPEATED, u] = repeated
        x[REPEATED_SHAPE, u] = repeated_shape
        x[LARGE_REPEATED, u] = large_repeated
        x[LARGE_CHILDREN, u] = n_large
        x[MEAN_LARGE, u] = leaves_of_large / max(n_large, 1.0)
        x[MEAN_LEAVES, u] = count[u] / children[u]
        x[CAPTIONED, u] = captioned
        x[REPETITION, u] = repeated / children[u]
        x[SHAPE_REPETITION, u] = repeated_shape / children[u]
        x[LARGE_REPETITION, u] = large_repeated / max(n_large, 1.0)
        x[ENTROPY, u] = sum_entropy - of_entropy
        x[LEAF_CHILDREN, u] = leaf_children / children[u]
        x[UNEVEN_LEAVES, u] = uneven(
            (sum_leaves - of_leaves) / children[u], (sum_leaves_squared - of_leaves_squared) / children[u]
        )
        x[UNEVEN_TEXT, u] = uneven(
            (sum_text - of_text) / children[u], (sum_text_squared - of_text_squared) / children[u]
        )
        x[MOST_TEXT, u] = most_text
        x[RANGE_LINKED_TEXT, u] = most_linked - least_linked
        x[RANGE_PER_SENTENCE, u] = most_sentence - least_sentence
        x[RANGE_IMAGE_SHARE, u] = most_image - least_image
        x[CAPTIONED_SHARE, u] = captioned / children[u]
        x[CHILDREN_HAS_ID, u] = with_id / children[u]
        x[CHILDREN_BLOCK, u] = blocks / children[u]
        x[N_LARGE, u] = n_large
    total: cython.double = 0.0
    for u in range(n):
        if children[u] == 0.0:
            x[MEAN_LEAVES, u] = count[u]
            x[N_LARGE, u] = 0.0
            continue
        before = total
        c = u + 1
        while c < end[u]:
            x[MOST_REPEATED_BELOW, u] = max(x[MOST_REPEATED_BELOW, u], x[REPEATED, c])
            x[MOST_LARGE_BELOW, u] = max(x[MOST_LARGE_BELOW, u], x[LARGE_CHILDREN, c])
            total += x[REPETITION, c] * share[c]
            c = end[c]
        x[REPETITION_BELOW, u] = total - before


@cython.cfunc
def uneven(mean: cython.double, square: cython.double) -> cython.double:
    """Return the standard deviation by the mean, of a mean and a mean of squares."""
    return sqrt(max(square - mean * mean, 0.0)) / max(fabs(mean), 1e-9)


CONTEXT = (
    "repeated above", "siblings", "place", "alike", "large siblings", "sibling leaves", "page units",
    "page large", "page cells", "on page", "shape on page",
    "share of grandparent", "grandparent children", "grandparent repetition", "relative place",
    "alike share", "alike shape share", "to largest", "after caption", "leaves before", "leaves after",
    "alike before", "alike after", "link step", "next link step", "size step", "page leaves", "page levels",
    "page images", "page links", "page words", "page captions",
)  # fmt: skip
"""Rows of `context_features`."""


def context_features(
    x: Table, own: DoubleTable, children: DoubleTable, up: Ints, end: Ints, keys: object,
    on_page: tuple, shape_on_page: tuple,
):  # fmt: skip
    """Write what is around a unit: above it, beside it, and on the page.

    own, children: of the functions before, with logarithms; keys (u,) uint64: of the tag and first class;
    on_page, shape_on_page: of `numbered`, of all units.
    """
    REPEATED_ABOVE, SIBLINGS, PLACE, ALIKE, LARGE_SIBLINGS, SIBLING_LEAVES = 0, 1, 2, 3, 4, 5
    PAGE_UNITS, PAGE_LARGE, PAGE_CELLS, ON_PAGE, SHAPE_ON_PAGE = 6, 7, 8, 9, 10
    SHARE_OF_GRANDPARENT, GRANDPARENT_CHILDREN, GRANDPARENT_REPETITION = 11, 12, 13
    RELATIVE_PLACE, ALIKE_SHARE, ALIKE_SHAPE_SHARE, TO_LARGEST, AFTER_CAPTION = 14, 15, 16, 17, 18
    LEAVES_BEFORE, LEAVES_AFTER, ALIKE_BEFORE, ALIKE_AFTER, LINK_STEP = 19, 20, 21, 22, 23
    NEXT_LINK_STEP, SIZE_STEP, PAGE_LEAVES, PAGE_LEVELS, PAGE_IMAGES = 24, 25, 26, 27, 28
    PAGE_LINKS, PAGE_WORDS, PAGE_CAPTIONS = 29, 30, 31
    captions: Doubles = own[5]
    per_leaf: Doubles = own[9]
    leaves: Doubles = own[10]
    height: Doubles = own[13]
    log_children: Doubles = own[14]
    image_share: Doubles = own[15]
    linked: Doubles = own[23]
    with_caption: Doubles = own[32]
    count: Doubles = own[34]
    number: Doubles = own[36]
    share: Doubles = own[37]
    has_cell: Doubles = own[41]
    repetition: Doubles = children[11]
    largest: Doubles = children[15]
    large: Doubles = children[27]
    n_large: Doubles = children[28]
    n_alike: Doubles = children[29]
    n_alike_shape: Doubles = children[30]
    signature: Keys = memoryview(keys)
    of_page: Ints = on_page[0]
    of_page_size: Ints = on_page[2]
    shape_of_page: Ints = shape_on_page[0]
    shape_of_page_size: Ints = shape_on_page[2]
    n: cython.Py_ssize_t = len(up)
    inner, page_large, cells = 0.0, 0.0, 0.0
    for u in range(n):
        inner += number[u] > 0.0
        page_large += large[u]
        cells += has_cell[u]
    previous: cython.int[::1] = np.empty(n, np.int32)
    previous[:] = -1
    for u in range(n):
        c = u + 1
        place = 0.0
        if u == 0:
            x[PLACE, u] = 0.0
        while c < end[u]:
            x[PLACE, c] = place
            place += 1.0
            if end[c] < end[u]:
                previous[end[c]] = c
            c = end[c]
    for u in range(n):
        p = max(up[u], 0)
        grand = max(up[p], 0)
        siblings = max(number[p], 1.0)
        others = max(siblings - 1.0, 1.0)
        # More than half of the parent's children have one signature, and there are three or more of them.
        often = repetition[p] > 0.6 and repetition[p] * number[p] > 2.5
        x[REPEATED_ABOVE, u] = x[REPEATED_ABOVE, p] + often if u > 0 else 0.0
        x[SIBLINGS, u] = siblings
        x[ALIKE, u] = n_alike[u]
        x[LARGE_SIBLINGS, u] = max(n_large[p] - large[u], 0.0)
        x[SIBLING_LEAVES, u] = (count[p] - count[u]) / others
        x[PAGE_UNITS, u] = inner
        x[PAGE_LARGE, u] = page_large
        x[PAGE_CELLS, u] = cells
        x[ON_PAGE, u] = of_page_size[of_page[u]]
        x[SHAPE_ON_PAGE, u] = shape_of_page_size[shape_of_page[u]]
        x[SHARE_OF_GRANDPARENT, u] = count[u] / count[grand]
        x[GRANDPARENT_CHILDREN, u] = log_children[grand]
        x[GRANDPARENT_REPETITION, u] = repetition[grand]
        x[RELATIVE_PLACE, u] = x[PLACE, u] / others
        x[ALIKE_SHARE, u] = n_alike[u] / siblings
        x[ALIKE_SHAPE_SHARE, u] = n_alike_shape[u] / siblings
        x[TO_LARGEST, u] = share[u] / max(largest[p], 1e-9)
        before = previous[u]
        after = end[u] if u > 0 and end[u] < end[up[u]] else -1
        x[AFTER_CAPTION, u] = before >= 0 and count[before] == 1.0 and with_caption[before] > 0.0
        x[LEAVES_BEFORE, u] = leaves[before] if before >= 0 else -1.0
        x[LEAVES_AFTER, u] = leaves[after] if after >= 0 else -1.0
        x[ALIKE_BEFORE, u] = before >= 0 and signature[before] == signature[u]
        x[ALIKE_AFTER, u] = after >= 0 and signature[after] == signature[u]
        x[LINK_STEP, u] = fabs(linked[u] - linked[before]) if before >= 0 else 0.0
        x[NEXT_LINK_STEP, u] = fabs(linked[u] - linked[after]) if after >= 0 else 0.0
        x[SIZE_STEP, u] = fabs(leaves[u] - leaves[before]) if before >= 0 else 0.0
        x[PAGE_LEAVES, u] = leaves[0]
        x[PAGE_LEVELS, u] = height[0]
        x[PAGE_IMAGES, u] = image_share[0]
        x[PAGE_LINKS, u] = linked[0]
        x[PAGE_WORDS, u] = per_leaf[0]
        x[PAGE_CAPTIONS, u] = captions[0]


LOGARITHMS = {"own": 15, "children": 11, "context": 11}
"""The number of the first rows of each group that are numbers x whose feature is log(1 + x)."""


def hint_features(x: Table, hints: object, up: Ints, count: Doubles, numbers: object):
    """Write the hints near, inside and above each unit into a table (3 h, u).

    hints (2, u) uint64: of `chain_bits`; count (u,): leaves; numbers (h,) int64: the bits that are used. A
    leaf is inside if a unit between it and the given unit has the hint.
    """
    used: cython.const[cython.longlong][::1] = memoryview(numbers)
    near: Keys = memoryview(hints[0])
    above: Keys = memoryview(hints[1])
    n: cython.Py_ssize_t = len(up)
    h: cython.Py_ssize_t = len(used)
    for k in range(h):
        bit = used[k]
        for u in range(n):
            x[k, u] = (near[u] >> bit) & 1
            x[h + k, u] = 0.0
            x[2 * h + k, u] = (above[u] >> bit) & 1
        for u in range(n - 1, 0, -1):
            x[h + k, up[u]] += count[u] if (near[u] >> bit) & 1 else x[h + k, u]
        for u in range(n):
            x[h + k, u] /= count[u]


def alike_groups(up: Ints, keys: object, low: Ints, high: Ints, ratio: cython.double):
    """Return the group (u,) int64 of each unit: siblings with equal keys and children of equal keys.

    keys (u,) uint64: of the tag and first class. A unit is a separate group, with a number of at least u,
    if the largest of its group has more than ``ratio`` times the leaves of the smallest.
    """
    mask: cython.ulonglong = 0xFFFFFFFFFFFFFFFF
    n: cython.Py_ssize_t = len(up)
    number_array, first_array, _ = sibling_groups(up, keys)
    number: Ints = memoryview(number_array)
    first: Ints = first_array
    signature: Keys = memoryview(keys)
    below_array = np.zeros(n, np.uint64)
    below: cython.ulonglong[::1] = memoryview(below_array)  # keys of the kinds of children
    for g in range(len(first)):
        u = first[g]
        if u > 0:
            below[up[u]] = (below[up[u]] + mixed(signature[u], 5)) & mask
    for u in range(n):
        below[u] = mixed(below[u], number[u])
    group_array, _, _ = numbered(below_array)
    group: Ints = group_array
    least: cython.int[::1] = np.empty(n, np.int32)
    least[:] = 2**31 - 1
    most: cython.int[::1] = np.zeros(n, np.int32)
    for u in range(n):
        least[group[u]] = min(least[group[u]], high[u] - low[u])
        most[group[u]] = max(most[group[u]], high[u] - low[u])
    groups = np.zeros(n, np.int64)
    out: LongBuffer = memoryview(groups)
    for u in range(n):
        out[u] = group[u] if most[group[u]] <= ratio * least[group[u]] else n + u
    return groups
