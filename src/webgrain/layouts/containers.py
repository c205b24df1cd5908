"""The main container of a layout, and the blocks of a page in it that are main text.

The container is found by descending from the root while one child holds nearly all of the text that varies.
Everything in it is main text, whatever the elements, except

- records: repeated elements with parts of their own (comments, teasers);
- static sections, whose DiffScore is low: the same text on all pages;
- sections that consist of links;
- fields: short sections that occur once on nearly all pages (dates, names, tags), known by their path or by
  their position before the text.

Cost: array passes over the elements and blocks of each page of the layout.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from webgrain.arrays import Bool, Int8, Int64
from webgrain.layouts.sitepaths import PagePaths, SitePaths
from webgrain.layouts.thresholds import (
    FIELD_LENGTH,
    HELD,
    LEADING_FIELDS,
    LINKED,
    MIN_PAGES,
    ONCE,
    RECORD_PART,
    RECORDS_HEADING,
    USUAL,
)
from webgrain.metrics import tokens

MAIN, RECORD, STATIC, LINKS, FIELD, OUTSIDE = range(6)
"""Whether a block is main text, or the reason why it is not."""


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """Where the main text of a layout is; paths are given by their numbers.

    Attributes:
        chain: the paths from the root to the main container.
        fields: the sections in it that occur once on nearly all pages, with their characters per page.
        leading: mean characters of the first blocks of the main text, as far as they may be fields.
        title: path of the title; -1: the title is not in a separate block.
        records: paths of records.
    """

    chain: tuple[int, ...]
    fields: Mapping[int, float] = field(default_factory=dict)
    leading: tuple[float, ...] = ()
    title: int = -1
    records: frozenset[int] = frozenset()


@dataclass(frozen=True, slots=True, eq=False)
class MainText:
    """The main text of one page.

    Attributes:
        blocks: (k,) the blocks of the main text, in order.
        title: the block of the title; -1 for none.
        element: the main container, as an index of elements; -1 if the page has none.
        marks: (e,) `RECORD`, `STATIC`, `LINKS` or `FIELD` at elements that are such, else `MAIN`.
    """

    blocks: Int64
    title: int
    element: int
    marks: Int8


def learn_container(site: SitePaths, members: Sequence[int]) -> Container:
    """Return container, fields and records of a layout; members: the numbers of its pages."""
    size, records = len(site.key), _find_records(site, members)
    ignored = site.below(records) | site.head
    own = np.zeros((size, 2))
    pages, copies = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for page in members:
        one, of = site.pages[page], site.of[page]
        held = of[one.blocks.holder]
        varied = site.novelty[page] * one.blocks.weight_noanchor * ~one.teaser * ~ignored[held]
        own[:, 0] += np.bincount(held, one.blocks.weight, size)
        own[:, 1] += np.bincount(held, varied, size)
        count = np.bincount(of, minlength=size)
        copies += count
        pages += count > 0
    weight, varied = site.sums_below(own).T
    once = copies <= ONCE * pages
    chain = _descend(site, pages, varied, once)
    fields: dict[int, float] = {}
    if len(members) >= MIN_PAGES:
        inside = site.below(np.arange(size) == chain[-1])
        inside[chain[-1]] = False
        inside &= once & (weight > 0) & (pages >= USUAL * len(members)) & (weight < FIELD_LENGTH * pages)
        found = np.flatnonzero(inside)
        fields = dict(zip(found.tolist(), (weight[found] / pages[found]).round(1).tolist(), strict=True))
    return Container(chain, fields, records=frozenset(np.flatnonzero(records).tolist()))


def _find_records(site: SitePaths, members: Sequence[int]) -> Bool:
    """(q,) True at records: siblings on one path, most with two kinds of parts that are not prose."""
    bare, size = site.bare, len(site.key)
    copies, several = np.zeros(size, np.int64), np.zeros(size, bool)
    owners = np.zeros(0, np.int64)
    for page in members:
        path, up = site.of[page], site.pages[page].blocks.up
        copies += np.bincount(path, minlength=size)
        siblings, times = np.unique(up[up >= 0].astype(np.int64) * size + path[up >= 0], return_counts=True)
        several[siblings[times > 1] % size] = True
        parts = siblings[~bare[siblings % size]]
        owners = np.append(owners, path[parts // size] * size + parts % size)
    kinds, times = np.unique(owners, return_counts=True)
    regular = kinds[times >= RECORD_PART * copies[kinds // size]] // size
    records: Bool = several & ~bare & (np.bincount(regular, minlength=size) > 1)
    return records


def _descend(site: SitePaths, pages: Int64, varied: Int64, once: Bool) -> tuple[int, ...]:
    """Return the paths from the root to the main container."""
    chain = [int(np.argmax(np.where(site.up < 0, pages, -1)))]
    while True:
        here = chain[-1]
        fit = (site.up == here) & once & ~site.prose & (pages >= USUAL * pages[here])
        children = np.flatnonzero(fit)
        best = int(children[np.argmax(varied[children])]) if len(children) else -1
        if best < 0 or varied[best] < HELD * varied[here] or not varied[best]:
            return tuple(chain)
        chain.append(best)


def find_main_text(
    page: PagePaths, of: Int64, container: Container, reasons: Int8, shortest: float
) -> MainText:
    """Return the main text of a page.

    of: (e,) the path of each element, -1 for an unknown path. reasons: (q,) `MAIN`, `STATIC` or `LINKS` for
    each path. shortest: characters per page that a section of the main text must have.
    """
    blocks, marks = page.blocks, _marks(page, of, reasons, container.records)
    present = [int(np.argmax(of == path)) for path in reversed(container.chain) if (of == path).any()]
    if not present or not len(blocks.weight):
        return MainText(np.zeros(0, np.int64), -1, -1, marks)
    element = present[0]
    inside, reason = page.inside(element), np.full(len(blocks.weight), OUTSIDE, np.int8)
    short = [path for path, letters in container.fields.items() if letters < shortest]
    fields = np.where(_on(of, short, len(reasons)), FIELD, marks)
    reason[inside] = _inherited(page, fields, element)[blocks.holder[inside]]
    titled = (of[blocks.holder] == container.title) & (container.title >= 0)
    title = int(np.argmax(titled)) if titled.any() else -1
    reason[: title + 1][reason[: title + 1] == MAIN] = FIELD
    mean = container.leading
    leading = next((place for place, letters in enumerate(mean) if letters >= shortest), len(mean))
    first = np.flatnonzero(reason == MAIN)[:leading]
    reason[first[blocks.weight[first] < 2 * shortest]] = FIELD
    return MainText(np.flatnonzero(reason == MAIN), title, element, marks)


def _marks(page: PagePaths, of: Int64, reasons: Int8, records: Collection[int]) -> Int8:
    """(e,) what the elements are, by their paths, and with what resembles the records.

    An element that holds records and little else, such as their heading, is a `FIELD`.
    """
    found = reasons[of] if len(reasons) else np.full(len(of), MAIN, np.int8)
    if (of < 0).any():
        weight, plain = (page.letters(w) for w in (page.blocks.weight, page.blocks.weight_noanchor))
        linked = ~page.prose & (weight > 0) & (plain < LINKED * weight)
        found = np.where(of >= 0, found, np.where(linked, LINKS, MAIN))
    repeated = np.flatnonzero(_on(of, records, len(reasons)))
    if len(repeated):
        found[repeated] = found[_like_records(page, repeated)] = RECORD
        in_records = page.below(np.flatnonzero(found == RECORD))[page.blocks.holder]
        held, letters = page.letters(page.blocks.weight * in_records), page.letters(page.blocks.weight)
        found[(found != RECORD) & (held > 0) & (letters - held < RECORDS_HEADING)] = FIELD
    return found.astype(np.int8)


def _on(of: Int64, paths: Collection[int], size: int) -> Bool:
    """(e,) True at elements on some of the paths; of: -1 for none; size: the number of all paths."""
    flag = np.zeros(size + 1, bool)
    flag[list(paths)] = True
    return flag[of]


def _like_records(page: PagePaths, records: Int64) -> Bool:
    """(e,) True at elements beside or below records with the same tag and a common token, such as replies."""
    tokens, up = page.tokens, page.blocks.up
    shared = np.isin(tokens.token, tokens.token[np.isin(tokens.owner, records)])
    alike = np.zeros(len(up), bool)
    alike[tokens.owner[shared]] = True
    regions = np.unique(up[records][up[records] >= 0])
    found: Bool = alike & page.below(regions) & np.isin(tokens.tag, tokens.tag[records])
    return found


def _inherited(page: PagePaths, marks: Int8, element: int) -> Int8:
    """(e,) the mark of each element or of the outermost marked element above it, up to the container."""
    found, end, done = marks.copy(), page.tokens.end, 0
    found[: element + 1] = MAIN
    for at in np.flatnonzero(found[: end[element]]).tolist():  # outer elements come first
        if at >= done:
            done = int(end[at])
            span = found[at:done]
            span[span == MAIN] = found[at]
    return found


def find_leading(texts: Sequence[tuple[PagePaths, MainText]]) -> tuple[float, ...]:
    """Return the mean characters of the first blocks of the main text, as far as they may be fields.

    On most pages of the layout more text must follow such a block, and it must contain a digit, or a word
    that most pages have there: a date, "by".
    """
    means: list[float] = []
    while len(texts) >= MIN_PAGES and len(means) < LEADING_FIELDS:
        place, least = len(means), USUAL * len(texts)
        there = [(page.blocks, main.blocks[place]) for page, main in texts if len(main.blocks) > place + 1]
        words: Counter[str] = Counter()
        for blocks, at in there:
            digit = ["0"] if any(character.isdigit() for character in blocks.texts[at]) else []
            words.update({*tokens(blocks.texts[at]), *digit})
        if len(there) < least or max(words.values(), default=0) < least:
            break
        means.append(round(float(np.mean([blocks.weight[at] for blocks, at in there])), 1))
    return tuple(means)
