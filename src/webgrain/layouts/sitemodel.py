"""Reading a page by the container of its layout: which of its blocks are main text, and what the others are.

What stands in the main container is main text, in whatever elements, but for

- records: what repeats with a structure of its own (comments, teasers);
- sections whose DiffScore is low: the same on all pages;
- sections that consist of links;
- fields: sections that stand once on nearly all pages and are short (dates, names, tags), known by their path
  or by their place before the text.

What is known of a site once it is learnt, and how a page is read by it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np

from webgrain.arrays import Bool, Float64, Int8, Int32, Int64, UInt64
from webgrain.layouts.pagesteps import Sketch, contexts, key_of, key_of_step, outline, sketch
from webgrain.layouts.sitelayouts import (
    FEW,
    FIELD,
    KEPT,
    LINKED,
    LINKS,
    OUTSIDE,
    RECORD,
    STATIC,
    USUAL,
    Container,
    FrameIndex,
    Thresholds,
    trimmed,
)
from webgrain.metrics import tokens
from webgrain.page.kernels.pathtable import path_keys
from webgrain.page.page import Page
from webgrain.results import PERMALINKS, Article, ArticleBlock, article_blocks, parts

RECORDS_HEADING = 50
"""Letters beside the records in an element below which it is their place, with its heading."""
PLACES = 4
"""Fields before the text that are known by their place, at most."""


@dataclass(frozen=True, slots=True, eq=False)
class Reading:
    """What the blocks of one page are.

    Attributes:
        main: (k,) the blocks of the main text, in order.
        title: the block of the title; -1 for none.
        reason: (b,) `KEPT`, or why a block is no main text.
        element: the main container, as an index of elements; -1 where the page has none.
        marks: (e,) `RECORD`, `STATIC` or `LINKS` at the elements that are such.
    """

    main: Int64
    title: int
    reason: Int8
    element: int
    marks: Int8


def read_page(one: Sketch, of: Int64, container: Container, reason: Int8, shortest: float) -> Reading:
    """Return what the blocks of a page are.

    of (e,): the path of each element, -1 for one that is unknown; reason (q,): see `containers.noise`, with
    `STATIC` where the DiffScore is low; shortest: letters a page that a section of the main text must have.
    """
    blocks, marks = one.blocks, _marked(one, of, reason, container.records)
    element = next(
        (int(np.argmax(of == path)) for path in reversed(container.chain) if (of == path).any()), -1
    )
    why = np.full(len(blocks.weight), OUTSIDE, np.int8)
    if element < 0 or not len(why):
        return Reading(np.zeros(0, np.int64), -1, why, -1, marks)
    short = [path for path, letters in container.fields.items() if letters < shortest]
    inside = one.inside(element)
    fields = np.where(_on(of, short, len(reason)), FIELD, marks)
    why[inside] = _inherited(fields, one, element)[blocks.holder[inside]]
    titled = (of[blocks.holder] == container.title) & (container.title >= 0)
    title = int(np.argmax(titled)) if titled.any() else -1
    why[: title + 1][why[: title + 1] == KEPT] = FIELD
    main = np.flatnonzero(why == KEPT)
    placed = main[: _leading(container.places, shortest)]
    why[placed[blocks.weight[placed] < 2 * shortest]] = FIELD
    return Reading(np.flatnonzero(why == KEPT), title, why, element, marks)


def _leading(letters: Sequence[float], shortest: float) -> int:
    """Return how many places from the first on are short."""
    return next((place for place, mean in enumerate(letters) if mean >= shortest), len(letters))


def _marked(one: Sketch, of: Int64, reason: Int8, repeated: frozenset[int]) -> Int8:
    """(e,) `RECORD`, `LINKS` or `STATIC` at the elements that are such, with what is like the records.

    What holds records and little else, such as their heading, is a `FIELD`.
    """
    found = reason[of] if len(reason) else np.full(len(of), KEPT, np.int8)
    if (of < 0).any():
        found = np.where(of >= 0, found, _linked(one, of))
    records = np.flatnonzero(_on(of, repeated, len(reason)))
    if len(records):
        found[records] = found[_alike(one, records)] = RECORD
        told = one.blocks.weight * one.below(np.flatnonzero(found == RECORD))[one.blocks.holder]
        held, letters = _letters(one, told), _letters(one, one.blocks.weight)
        found[(found != RECORD) & (held > 0) & (letters - held < RECORDS_HEADING)] = FIELD
    return found.astype(np.int8)


def _on(of: Int64, paths: Collection[int], size: int) -> Bool:
    """(e,) True at elements on some of the paths; of: -1 for none; size: the number of all paths."""
    flag = np.zeros(size + 1, bool)
    flag[list(paths)] = True
    return flag[of]


def _alike(one: Sketch, records: Int64) -> Bool:
    """(e,) True at elements beside or below records that share tag and a token: answers, as a rule."""
    outline, up = one.outline, one.blocks.up
    regions = np.unique(up[records][up[records] >= 0])
    shared = np.isin(outline.token, outline.token[np.isin(outline.owner, records)])
    alike = np.zeros(len(up), bool)
    alike[outline.owner[shared]] = True
    found: Bool = alike & one.below(regions) & np.isin(outline.tag, outline.tag[records])
    return found


def _inherited(found: Int8, one: Sketch, element: int) -> Int8:
    """(e,) the reason of each element or of the outermost one above it, up to the container."""
    found, end, done = found.copy(), one.end, 0
    found[: element + 1] = KEPT
    for at in np.flatnonzero(found[: end[element]]).tolist():  # what is above comes first and wins
        if at >= done:
            done = int(end[at])
            span = found[at:done]
            span[span == KEPT] = found[at]
    return found


def _linked(one: Sketch, of: Int64) -> Int8:
    """(e,) `LINKS` at elements on unknown paths that consist of links."""
    weight, plain = (_letters(one, w) for w in (one.blocks.weight, one.blocks.weight_noanchor))
    linked = ~one.prose & (of < 0) & (weight > 0) & (plain < LINKED * weight)
    return np.where(linked, LINKS, KEPT).astype(np.int8)


def _letters(one: Sketch, weight: Int32) -> Float64:
    """(e,) sum of the weights (b,) of the blocks in each element."""
    total = np.append(0.0, np.cumsum(np.bincount(one.blocks.holder, weight, len(one.end))))
    sums: Float64 = total[one.end] - total[:-1]
    return sums


def find_places(readings: Sequence[tuple[Sketch, Reading]]) -> tuple[float, ...]:
    """Return the mean letters of the first blocks of the main text, as far as they may be fields.

    On most pages of the layout there must be more behind such a block, and it must hold a number, or a word
    that most pages have there: a date, a "by".
    """
    means: list[float] = []
    while len(readings) >= FEW and len(means) < PLACES:
        place, least = len(means), USUAL * len(readings)
        there = [(one.blocks, r.main[place]) for one, r in readings if len(r.main) > place + 1]
        words = Counter(
            word for blocks, at in there for word in {*tokens(blocks.texts[at]), *_digit(blocks.texts[at])}
        )
        if len(there) < least or max(words.values(), default=0) < least:
            break
        means.append(round(float(np.mean([blocks.weight[at] for blocks, at in there])), 1))
    return tuple(means)


def _digit(text: str) -> list[str]:
    return ["0"] if any(letter.isdigit() for letter in text) else []


Feature = tuple[int, str, int, bool]
"""Number of a path, a token or none, pages that have it, whether it counts less."""
_HEAD, _TITLE = key_of("head"), key_of("title")
LONGEST_TITLE = 500
"""Letters of a ``<title>`` that are looked at."""
MOSTLY = 0.5
"""Share of a page's text in teasers from which on it leads to other pages rather than say something."""


@dataclass(frozen=True, eq=False)
class KnownPaths:
    """The paths of a site that several pages have, each before those that lead on from it.

    Attributes:
        names: (q,) the last step of each as it reads; up: (q,) the path one step shorter, -1 at a root.
        pages: (q,) pages that have it.
        reason: (q,) whether what stands there consists of links, see `containers.noise`.
        diff: (q,) its DiffScore.
    """

    names: tuple[str, ...]
    up: Int64
    pages: Int64
    reason: Int8
    diff: Float64

    @cached_property
    def key(self) -> UInt64:
        """(q,) uint64, the key of each path."""
        steps = np.array([key_of_step(name) for name in self.names], np.uint64)
        keys: UInt64 = path_keys(self.up.astype(np.int32), steps, np.array([0, len(steps)], np.int64))
        return keys

    def reasons(self, threshold: float) -> Int8:
        """Return why what stands on each path (q,) is no main text; threshold: the least DiffScore."""
        return np.where(self.diff < threshold, STATIC, self.reason).astype(np.int8)

    @cached_property
    def telling(self) -> UInt64:
        """The contexts in which tokens count in these paths, sorted."""
        steps = [name.split(" ") for name in self.names]
        tags = np.array([key_of(tag) for tag, *_ in steps], np.uint64)
        owner = np.array([path for path, step in enumerate(steps) for _ in step[1:]], np.int64)
        token = np.array([key_of(token) for step in steps for token in step[1:]], np.uint64)
        return np.unique(contexts(self.up.astype(np.int32), tags, owner, token))

    @cached_property
    def _order(self) -> Int64:
        return np.argsort(self.key)

    def find(self, keys: UInt64) -> Int64:
        """Return the number of the path of each key, -1 for one that is unknown."""
        if not len(self.names):
            return np.full(len(keys), -1, np.int64)
        at = self._order[np.minimum(np.searchsorted(self.key[self._order], keys), len(self._order) - 1)]
        return np.where(self.key[at] == keys, at, -1)


@dataclass(frozen=True, slots=True, eq=False)
class Layout:
    """One layout of a site.

    Attributes:
        name: what it is called in results.
        pages: pages that it was learnt from.
        main: letters of varied main text outside links, a page; the MainScore of its main section.
        teased: share of the letters that are in teasers.
        container: where the main text is.
        affix: what the ``<title>`` of its pages begins and ends with.
    """

    name: str
    pages: int
    main: float
    teased: float
    container: Container
    affix: tuple[str, str]

    @property
    def score(self) -> float:
        """LayoutPatternScore: how significant the layout is."""
        return log(self.pages) * self.main

    def is_article(self, thresholds: Thresholds) -> bool:
        """Whether its pages are articles."""
        return self.main >= thresholds.main and self.teased <= MOSTLY and self.score >= thresholds.score


@dataclass(frozen=True, eq=False)
class SiteModel:
    """The layouts of a site.

    Attributes:
        pages: number of pages that it was learnt from.
        tokens: the tokens of ids and classes that count, by key.
        paths: the known paths.
        features: what frames are made of, the rarest first: number of the path, token or none, pages that
        have it. frames: the frame that each layout began with, by the keys of the features.
        layouts: the layouts, in the order of the frames.
    """

    pages: int
    tokens: Mapping[int, str]
    paths: KnownPaths
    features: tuple[Feature, ...]
    frames: FrameIndex
    layouts: tuple[Layout, ...]

    def predict(self, page: Page, thresholds: Thresholds) -> Article:
        """Return what a page is and says."""
        one = sketch(outline(page), self._tokens, self.paths.telling)
        number, likeness = self.frames.nearest(one.frame_keys().tolist())
        if number < 0 or likeness < thresholds.match:
            return Article("unknown", named(one))
        layout, of = self.layouts[number], self.paths.find(one.path)
        reason = self.paths.reasons(thresholds.diff)
        reading = read_page(one, of, layout.container, reason, thresholds.main)
        title, teased = _title(one, reading, layout), share_of_teasers(one, reading)
        leads = reading.title < 0 and (teased > MOSTLY or _share_of_links(one, reading) > MOSTLY)
        if leads or not layout.is_article(thresholds):
            return Article("index", title, (), layout.name, round(likeness, 4))
        if thresholds.strict and not (
            reading.title >= 0 and of[reading.element] == layout.container.chain[-1]
        ):
            return Article("unknown", title)
        blocks = self._blocks(page, one, of, reading, thresholds.diff)
        return Article("article", title, blocks, layout.name, round(likeness * (1.0 - teased), 4))

    @cached_property
    def _tokens(self) -> UInt64:
        return np.array(sorted(self.tokens), np.uint64)

    def _blocks(
        self, page: Page, one: Sketch, of: Int64, reading: Reading, least: float
    ) -> tuple[ArticleBlock, ...]:
        """Return the parts of an article: title, main text, comments, the rest."""
        blocks = one.blocks
        known = np.where(of >= 0, self.paths.diff[of], 1.0)
        score, node = known[blocks.holder].round(4), blocks.element[blocks.holder].tolist()
        used = np.zeros(len(score), bool)
        rows: list[tuple[str, str, int, float]] = []
        if reading.title >= 0:
            title = reading.title
            used[title] = True
            rows.append(("title", blocks.texts[title], node[title], float(score[title])))
        chosen = reading.main.tolist()
        used[chosen] = True
        main = parts(page.dom, blocks, chosen, int(blocks.element[reading.element]), score[chosen].tolist())
        for element in _comments(one, reading):
            inside = one.inside(element)
            told = [i for i in range(inside.start, inside.stop) if not used[i]]
            used[told] = True
            if told:
                text = "\n".join(blocks.texts[i] for i in told)
                rows.append(("comment", text, int(blocks.element[element]), float(score[told].mean())))
        rest = ~used & (score >= least) & ~_covered(one, reading.marks)
        rows += [("sub", blocks.texts[i], node[i], float(score[i])) for i in np.flatnonzero(rest).tolist()]
        others, titles = article_blocks(rows), int(reading.title >= 0)
        return (*others[:titles], *main, *others[titles:])


def _comments(one: Sketch, reading: Reading) -> list[int]:
    """Return the outermost records behind the beginning of the main text that are more than links."""
    found: list[int] = []
    blocks = one.blocks
    end = int(blocks.holder[reading.main[0]]) if len(reading.main) else 0
    for element in np.flatnonzero(reading.marks == RECORD).tolist():
        if element < end:
            continue
        inside = one.inside(element)
        written = blocks.weight_noanchor[inside].sum() > LINKED * blocks.weight[inside].sum()
        if written and not one.teaser[inside].any():
            found.append(element)
            end = int(one.end[element])
    return found


def _covered(one: Sketch, marks: Int8) -> Bool:
    """(b,) True at blocks in the head, in records, among links, and where all pages say the same."""
    silent = np.flatnonzero((marks != KEPT) | (one.outline.tag == _HEAD))
    covered: Bool = one.below(silent)[one.blocks.holder]
    return covered


def share_of_teasers(one: Sketch, reading: Reading) -> float:
    """Return the share of the letters of a page, in its main text or in teasers, that are in teasers."""
    plain: Int32 = one.blocks.weight_noanchor
    teased = float(plain[one.teaser].sum())
    main = reading.main[~one.teaser[reading.main]]
    return teased / max(teased + float(plain[main].sum()), 1.0)


def _share_of_links(one: Sketch, reading: Reading) -> float:
    """Return the share of the letters of the main text that are in links; 1 where there is no text."""
    weight = float(one.blocks.weight[reading.main].sum())
    return 1.0 - float(one.blocks.weight_noanchor[reading.main].sum()) / weight if weight else 1.0


def named(one: Sketch) -> str:
    """Return the ``<title>`` of a page; empty for none."""
    found = np.flatnonzero(one.outline.tag[one.blocks.holder] == _TITLE)
    return one.blocks.texts[found[0]][:LONGEST_TITLE] if len(found) else ""


def _title(one: Sketch, reading: Reading, layout: Layout) -> str:
    """Title of a page: its block, else its ``<title>`` without the name of the site."""
    text = one.blocks.texts[reading.title] if reading.title >= 0 else trimmed(named(one), layout.affix)
    return text.rstrip(PERMALINKS)
