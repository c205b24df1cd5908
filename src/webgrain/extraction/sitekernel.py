# cython: boundscheck=False, wraparound=False, initializedcheck=False, infer_types=True
# mypy: ignore-errors
"""The features of the blocks of a page by the table of its site; their table is ``site.csv``.

`site_features` writes all of them into a table (f, b) float32; the functions below write a part each. b
blocks. Rows of counts are those of `webgrain.columns.sitetable`; the first one is 0 for unknown texts and
places. row (b,): of each block.
"""

from __future__ import annotations

import numpy as np

try:
    import cython
except ImportError:
    from webgrain.base import purepython as cython

if cython.compiled:
    from cython.cimports.libc.math import NAN, log
else:
    from math import log
    from math import nan as NAN  # noqa: N812 - the name in C

COMPILED = cython.compiled

Doubles = cython.typedef(cython.const[cython.double][::1])
DoubleTable = cython.typedef(cython.const[cython.double][:, ::1])
DoubleBuffer = cython.typedef(cython.double[::1])
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
    """Write all features into x (f, b).

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
    """Write what the models find on the pages with the place of each block; NaN at unknown places."""
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
        if seen[p] or on <= 0:
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
        if pages > 0:
            x[MAIN, k] = places[r, 6] / weight
            x[COMMENT, k] = places[r, 7] / weight
            x[TITLE, k] = places[r, 8] / pages
            x[ARTICLE, k] = places[r, 9] / pages
        else:
            x[MAIN, k] = NAN
            x[COMMENT, k] = NAN
            x[TITLE, k] = NAN
            x[ARTICLE, k] = NAN
