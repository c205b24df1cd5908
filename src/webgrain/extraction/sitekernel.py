# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the blocks of a page whose site is known; their table is ``site.csv``.

`site_features` writes those by the table of the site into a table (f, b) float32, `context_features` those by
the probabilities of the blocks around; the functions below each of them write a part. b blocks. Rows of
counts are those of `webgrain.columns.sitetable`; the first one is 0 for unknown texts and places. row (b,):
of each block. letters, main, comment (b,): the letters of a block, and its probabilities of being main text
and a comment by the page alone; odds, of_comment (b,): the log odds of these.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import NAN, log, log1p
else:
    from math import log, log1p
    from math import nan as NAN  # noqa: N812 - the name in C

COMPILED = cython.compiled

ConstTable = cython.typedef(cython.const[cython.float][:, ::1])
Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
DoubleBuffer = cython.typedef(cython.double[::1])
Flags = cython.typedef(cython.const[cython.uchar][::1])
Ints = cython.typedef(cython.const[cython.int][::1])
Longs = cython.typedef(cython.const[cython.longlong][::1])
Spans = cython.typedef(cython.const[cython.longlong][:, :, ::1])
Table = cython.typedef(cython.float[:, ::1])


def site_features(
    x: Table,
    pages: cython.double,
    articles: cython.double,
    letters: Doubles,
    counts: DoubleTable,
    row: Ints,
    places: DoubleTable,
    place: Ints,
    tag_places: DoubleTable,
    tag_place: Ints,
    with_text: DoubleTable,
    at_place: Ints,
    with_text_at_tags: DoubleTable,
    at_tags: Ints,
    spans: Spans,
    containers: Longs,
    window: cython.Py_ssize_t,
    judged: cython.Py_ssize_t,
    least: cython.double,
    most: cython.double,
    voting: cython.double,
):
    """Write all features by the table of the site into x (f, b).

    pages: of the site; articles: the sum of the probabilities that they are articles. counts (k + 1, 3):
    pages with a text, with a link of it, with a heading of it; places, tag_places (k + 1, 10): with and
    without classes; with_text, with_text_at_tags (k + 1, 1): pages with the text at the place. spans (2, s,
    b): the blocks of some containers around each block, the end excluded; containers: those that are used;
    window: blocks to each side. judged: the first row of the judgements. least: pages that must have a text;
    most: pages beyond which the number of links and headings does not matter; voting: pages with a place, at
    least, whose verdicts are used by themselves.
    """
    b: cython.Py_ssize_t = len(letters)
    n = max(pages, 1.0)
    columns: cython.double[:, ::1] = np.zeros((3, b))
    text: DoubleBuffer = columns[0]  # pages with the text of a block
    same: DoubleBuffer = columns[1]  # the share of the pages with the tag place that have the text
    varies: DoubleBuffer = columns[2]  # the share of different texts among the blocks at the place
    text_features(x, n, counts, row, least, most, text)
    place_features(
        x,
        n,
        places,
        place,
        tag_places,
        tag_place,
        with_text,
        at_place,
        with_text_at_tags,
        at_tags,
        same,
        varies,
    )
    around_features(x, letters, text, same, varies, counts, row, places, place, spans, containers, window)
    judged_features(x[judged:], pages, articles, places, place, tag_places, tag_place, voting)


@cython.cfunc
def text_features(
    x: Table,
    pages: cython.double,
    counts: DoubleTable,
    row: Ints,
    least: cython.double,
    most: cython.double,
    text: DoubleBuffer,
):
    """Write how many pages have the text of each block, also into text."""
    PAGES, TEXT, TEXT_ON, LINKED, HEADING = 0, 1, 2, 12, 13
    of_pages = log(pages)
    for k in range(len(row)):
        on = counts[row[k], 0]
        text[k] = on if on >= least else 0.0
        x[PAGES, k] = of_pages
        x[TEXT, k] = text[k] / pages
        x[TEXT_ON, k] = min(text[k], most)
        x[LINKED, k] = min(counts[row[k], 1], most)
        x[HEADING, k] = min(counts[row[k], 2], most)


@cython.cfunc
def place_features(
    x: Table,
    pages: cython.double,
    places: DoubleTable,
    place: Ints,
    tag_places: DoubleTable,
    tag_place: Ints,
    with_text: DoubleTable,
    at_place: Ints,
    with_text_at_tags: DoubleTable,
    at_tags: Ints,
    same: DoubleBuffer,
    varies: DoubleBuffer,
):
    """Write what is at the place of each block, also into same and varies; NaN at places that no page has."""
    PLACE, TAG_PLACE, SAME, SAME_AT_TAGS, VARIES, VARIES_AT_TAGS = 3, 4, 5, 6, 7, 8
    TIMES, LETTERS, LINKS = 9, 10, 11
    for k in range(len(place)):
        p, t = place[k], tag_place[k]
        on = places[p, 0]
        blocks = max(places[p, 1], 1.0)
        on_tags = tag_places[t, 0]
        unknown = 0.0 if on > 0 else NAN
        unknown_tags = 0.0 if on_tags > 0 else NAN
        of_pages = max(on, 1.0)
        of_tags = max(on_tags, 1.0)
        same[k] = with_text_at_tags[at_tags[k], 0] / of_tags
        varies[k] = places[p, 2] / blocks
        x[PLACE, k] = on / pages
        x[TAG_PLACE, k] = on_tags / pages
        x[SAME, k] = with_text[at_place[k], 0] / of_pages + unknown
        x[SAME_AT_TAGS, k] = same[k] + unknown_tags
        x[VARIES, k] = varies[k] + unknown
        x[VARIES_AT_TAGS, k] = tag_places[t, 2] / of_tags + unknown_tags
        x[TIMES, k] = log(blocks / of_pages) + unknown
        x[LETTERS, k] = places[p, 3] / blocks + unknown
        x[LINKS, k] = places[p, 4] / blocks + unknown


@cython.cfunc
def around_features(
    x: Table,
    letters: Doubles,
    text: Doubles,
    same: Doubles,
    varies: Doubles,
    headings: DoubleTable,
    row: Ints,
    places: DoubleTable,
    place: Ints,
    spans: Spans,
    containers: Longs,
    window: cython.Py_ssize_t,
):
    """Write shares of the letters around each block, and on the whole page; headings, row: of texts."""
    IN_CONTAINERS = 14
    b: cython.Py_ssize_t = len(letters)
    sums: cython.double[:, ::1] = np.zeros((5, b + 1))
    size: DoubleBuffer = sums[0]
    repeated: DoubleBuffer = sums[1]
    alike: DoubleBuffer = sums[2]
    differs: DoubleBuffer = sums[3]
    named: DoubleBuffer = sums[4]
    of_places = 0.0
    for k in range(b):
        weight = letters[k] + 1.0
        size[k + 1] = size[k] + weight
        repeated[k + 1] = repeated[k] + (weight if text[k] > 0 else 0.0)
        alike[k + 1] = alike[k] + weight * min(same[k], 1.0)
        differs[k + 1] = differs[k] + weight * varies[k]
        named[k + 1] = named[k] + (weight if headings[row[k], 2] > 0 else 0.0)
        of_places += weight if places[place[k], 0] > 0 else 0.0
    for c in range(len(containers)):
        at = IN_CONTAINERS + 4 * c
        container = containers[c]
        for k in range(b):
            low, high = spans[0, container, k], spans[1, container, k]
            inside = max(size[high] - size[low], 1e-9)
            x[at, k] = (repeated[high] - repeated[low]) / inside
            x[at + 1, k] = (alike[high] - alike[low]) / inside
            x[at + 2, k] = (differs[high] - differs[low]) / inside
            x[at + 3, k] = (named[high] - named[low]) / inside
    TEXT_WITHIN = IN_CONTAINERS + 4 * len(containers)
    PAGE_TEXT, PAGE_PLACE, PAGE_VARIES = TEXT_WITHIN + 1, TEXT_WITHIN + 2, TEXT_WITHIN + 3
    for k in range(b):
        low = max(k - window, 0)
        high = min(k + window + 1, b)
        x[TEXT_WITHIN, k] = (repeated[high] - repeated[low]) / (size[high] - size[low])
        x[PAGE_TEXT, k] = repeated[b] / size[b]
        x[PAGE_PLACE, k] = of_places / size[b]
        x[PAGE_VARIES, k] = differs[b] / size[b]


@cython.cfunc
def judged_features(
    x: Table,
    pages: cython.double,
    articles: cython.double,
    places: DoubleTable,
    place: Ints,
    tag_places: DoubleTable,
    tag_place: Ints,
    voting: cython.double,
):
    """Write what the models find on the pages with the place of each block; NaN if none of them is judged."""
    VOTE, MEAN, ABOVE, LEAST, MOST = 8, 9, 10, 11, 12
    b: cython.Py_ssize_t = len(place)
    n = max(pages, 1.0)
    seen: cython.uchar[::1] = np.zeros(places.shape[0], np.uint8)
    weights, votes = 0.0, 0.0
    lowest, highest = NAN, NAN
    write_judged(x[:4], places, place)
    write_judged(x[4:8], tag_places, tag_place)
    for k in range(b):
        p = place[k]
        on = places[p, 0]
        if seen[p] or places[p, 5] <= 0:
            continue
        seen[p] = 1
        share = places[p, 9] / max(on, 1.0)
        rare = log((n + 1.0) / max(on, 1.0))
        weights += rare
        votes += rare * share
        if on >= voting:
            lowest = share if lowest != lowest else min(lowest, share)
            highest = share if highest != highest else max(highest, share)
    mean = articles / n
    vote = votes / weights if weights > 0 else NAN
    for k in range(b):
        x[VOTE, k] = vote
        x[MEAN, k] = mean
        x[ABOVE, k] = vote - mean
        x[LEAST, k] = lowest
        x[MOST, k] = highest


@cython.cfunc
def write_judged(x: Table, places: DoubleTable, row: Ints):
    """Write the mean probabilities at places: main text, comment, title, article."""
    MAIN, COMMENT, TITLE, ARTICLE = 0, 1, 2, 3
    for k in range(len(row)):
        r = row[k]
        pages, weight = places[r, 0], places[r, 5]
        if weight > 0:
            x[MAIN, k] = places[r, 6] / weight
            x[COMMENT, k] = places[r, 7] / weight
            x[TITLE, k] = places[r, 8] / pages
            x[ARTICLE, k] = places[r, 9] / pages
        else:
            x[MAIN, k] = NAN
            x[COMMENT, k] = NAN
            x[TITLE, k] = NAN
            x[ARTICLE, k] = NAN


def context_features(
    x: Table,
    of_block: ConstTable,
    columns: Longs,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    order: Longs,
    spans: Spans,
    path: Longs,
    tag_path: Longs,
    heading: Flags,
    row: Longs,
    windows: Longs,
    far: cython.Py_ssize_t,
    edges: Doubles,
    least: cython.double,
    none: cython.double,
):
    """Write all features of context into x (f, b).

    of_block (g, b): the features of the blocks, of which the last rows are some; columns: these. order (b,):
    the blocks by main text, the highest first. path, tag_path (b,): numbers of the blocks at the same path,
    from 0; heading (b,): 1 in headings. row (3,): where the features of groups at paths, those of groups at
    paths of tags, and those of of_block begin. least: the probabilities are limited to those of ``least`` and
    ``1 - least``; none: the log odds where there is no block. edges: shares of the expected main text at
    which it starts and ends. The others are those of the functions.
    """
    b: cython.Py_ssize_t = len(letters)
    both: cython.double[:, ::1] = np.empty((2, b))
    odds: DoubleBuffer = both[0]
    of_comment: DoubleBuffer = both[1]
    write_odds(odds, main, least)
    write_odds(of_comment, comment, least)
    neighbour_features(x, odds, of_comment, none)
    shares_around(x, letters, main, comment, windows, spans, far, edges[0], edges[1])
    group_features(x[row[0] : row[0] + 3], letters, main, comment, path)
    group_features(x[row[1] : row[1] + 3], letters, main, comment, tag_path)
    cut_features(x, letters, main, odds, order)
    heading_features(x, letters, main, comment, odds, heading, none)
    for j in range(len(columns)):
        for k in range(b):
            x[row[2] + j, k] = of_block[columns[j], k]


def log_odds(probability: Doubles, least: cython.double):
    """Return the log odds (b,) float64 of probabilities, limited to those of ``least`` and ``1 - least``."""
    odds = np.empty(len(probability))
    write_odds(odds, probability, least)
    return odds


@cython.cfunc
def write_odds(odds: DoubleBuffer, probability: Doubles, least: cython.double):
    """Write the log odds (b,) of probabilities."""
    for k in range(len(probability)):
        p = min(max(probability[k], least), 1.0 - least)
        odds[k] = log(p / (1.0 - p))


@cython.cfunc
def neighbour_features(x: Table, odds: Doubles, of_comment: Doubles, none: cython.double):
    """Write the log odds of a block and of those before and behind it; none: where there is no block."""
    MAIN, COMMENT, MAIN_1_BEFORE, MAIN_1_BEHIND, MAIN_2_BEFORE, MAIN_2_BEHIND = 0, 1, 2, 3, 4, 5
    COMMENT_1_BEFORE, COMMENT_1_BEHIND = 6, 7
    HIGHEST_BEFORE, HIGHEST_BEHIND, COMMENTS_BEFORE = 34, 35, 36
    b: cython.Py_ssize_t = len(odds)
    highest, of_comments = none, none
    for k in range(b):
        x[MAIN, k] = odds[k]
        x[COMMENT, k] = of_comment[k]
        x[MAIN_1_BEFORE, k] = odds[k - 1] if k > 0 else none
        x[MAIN_1_BEHIND, k] = odds[k + 1] if k + 1 < b else none
        x[MAIN_2_BEFORE, k] = odds[k - 2] if k > 1 else none
        x[MAIN_2_BEHIND, k] = odds[k + 2] if k + 2 < b else none
        x[COMMENT_1_BEFORE, k] = of_comment[k - 1] if k > 0 else none
        x[COMMENT_1_BEHIND, k] = of_comment[k + 1] if k + 1 < b else none
        x[HIGHEST_BEFORE, k] = highest
        x[COMMENTS_BEFORE, k] = of_comments
        highest = odds[k] if k == 0 else max(highest, odds[k])
        of_comments = of_comment[k] if k == 0 else max(of_comments, of_comment[k])
    highest = none
    for k in range(b - 1, -1, -1):
        x[HIGHEST_BEHIND, k] = highest
        highest = odds[k] if k == b - 1 else max(highest, odds[k])


@cython.cfunc
def shares_around(
    x: Table,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    windows: Longs,
    spans: Spans,
    far: cython.Py_ssize_t,
    start: cython.double,
    end: cython.double,
):
    """Write shares of main text and comments: around a block, in its containers, before it, on the page.

    windows: blocks to each side. spans (2, s, b): the blocks of some containers around each block, the end
    excluded. far: the greatest distance of blocks; start, end: shares of the expected main text at which it
    starts and ends.
    """
    WITHIN, IN_CONTAINERS = 8, 11
    MAIN_BEFORE, COMMENT_BEFORE, FROM_THE_START, FROM_THE_END = 32, 33, 37, 38
    PAGE_MAIN, PAGE_COMMENT, PAGE_SHARE_OF_MAIN, PAGE_SHARE_OF_COMMENT = 39, 40, 41, 42
    b: cython.Py_ssize_t = len(letters)
    size: DoubleBuffer = np.zeros(b + 1)
    mass: DoubleBuffer = np.zeros(b + 1)
    replies: DoubleBuffer = np.zeros(b + 1)
    for k in range(b):
        weight = letters[k] + 1.0
        size[k + 1] = size[k] + weight
        mass[k + 1] = mass[k] + weight * main[k]
        replies[k + 1] = replies[k] + weight * comment[k]
    total = max(mass[b], 1e-9)
    of_replies = max(replies[b], 1e-9)
    for w in range(len(windows)):
        for k in range(b):
            low = max(k - windows[w], 0)
            high = min(k + windows[w] + 1, b)
            x[WITHIN + w, k] = (mass[high] - mass[low]) / (size[high] - size[low])
    for c in range(spans.shape[1]):
        at = IN_CONTAINERS + 3 * c
        for k in range(b):
            low, high = spans[0, c, k], spans[1, c, k]
            inside = max(size[high] - size[low], 1e-9)
            x[at, k] = (mass[high] - mass[low]) / inside
            x[at + 1, k] = (replies[high] - replies[low]) / inside
            x[at + 2, k] = (mass[high] - mass[low]) / total
    first, last = b, b
    for k in range(b - 1, -1, -1):
        share = mass[k + 1] / total
        first = k if share >= start else first
        last = k if share >= end else last
    for k in range(b):
        x[MAIN_BEFORE, k] = mass[k] / total
        x[COMMENT_BEFORE, k] = replies[k] / of_replies
        x[FROM_THE_START, k] = min(max(k - first, -far), far)
        x[FROM_THE_END, k] = min(max(k - last, -far), far)
        x[PAGE_MAIN, k] = log1p(total)
        x[PAGE_COMMENT, k] = log1p(of_replies)
        x[PAGE_SHARE_OF_MAIN, k] = total / size[b]
        x[PAGE_SHARE_OF_COMMENT, k] = of_replies / size[b]


@cython.cfunc
def group_features(x: Table, letters: Doubles, main: Doubles, comment: Doubles, group: Longs):
    """Write the means of main text and comments in the group of a block, and the logarithm of its size.

    x: the three rows of this kind of group. group (b,): numbers from 0.
    """
    MAIN, COMMENT, NUMBER = 0, 1, 2
    b: cython.Py_ssize_t = len(group)
    size: DoubleBuffer = np.zeros(b)
    mass: DoubleBuffer = np.zeros(b)
    replies: DoubleBuffer = np.zeros(b)
    blocks: DoubleBuffer = np.zeros(b)
    for k in range(b):
        g = group[k]
        weight = letters[k] + 1.0
        size[g] += weight
        mass[g] += weight * main[k]
        replies[g] += weight * comment[k]
        blocks[g] += 1.0
    for k in range(b):
        g = group[k]
        x[MAIN, k] = mass[g] / max(size[g], 1e-9)
        x[COMMENT, k] = replies[g] / max(size[g], 1e-9)
        x[NUMBER, k] = log1p(blocks[g])


@cython.cfunc
def cut_features(x: Table, letters: Doubles, main: Doubles, odds: Doubles, order: Longs):
    """Write the best expected F1 of the page and how far a block is above its cut; order: by main text."""
    PAGE_F1, ABOVE_THE_CUT = 43, 44
    b: cython.Py_ssize_t = len(order)
    true: DoubleBuffer = np.zeros(b + 1)
    for i in range(b):
        k = order[i]
        true[i + 1] = true[i] + (letters[k] + 1.0) * main[k]
    size, highest = 0.0, -1.0
    best = 0
    for i in range(b):
        k = order[i]
        size += letters[k] + 1.0
        f1 = 2.0 * true[i + 1] / max(size + true[b], 1e-9)
        if f1 > highest:
            highest = f1
            best = k
    for k in range(b):
        x[PAGE_F1, k] = highest
        x[ABOVE_THE_CUT, k] = odds[k] - odds[best]


@cython.cfunc
def heading_features(
    x: Table,
    letters: Doubles,
    main: Doubles,
    comment: Doubles,
    odds: Doubles,
    heading: Flags,
    none: cython.double,
):
    """Write the log odds of the last heading, and the means of main text and comments below it."""
    MAIN_OF_THE_HEADING, MAIN_BELOW, COMMENT_BELOW = 45, 46, 47
    b: cython.Py_ssize_t = len(heading)
    last: cython.longlong[::1] = np.zeros(b, np.int64)
    size: DoubleBuffer = np.zeros(b + 1)
    mass: DoubleBuffer = np.zeros(b + 1)
    replies: DoubleBuffer = np.zeros(b + 1)
    h: cython.Py_ssize_t = -1
    for k in range(b):
        if heading[k]:
            h = k
        last[k] = h
        weight = letters[k] + 1.0
        size[h + 1] += weight
        mass[h + 1] += weight * main[k]
        replies[h + 1] += weight * comment[k]
    for k in range(b):
        h = last[k]
        x[MAIN_OF_THE_HEADING, k] = odds[h] if h >= 0 else none
        x[MAIN_BELOW, k] = mass[h + 1] / max(size[h + 1], 1e-9)
        x[COMMENT_BELOW, k] = replies[h + 1] / max(size[h + 1], 1e-9)
