"""Sections of a layout, generalised to containers: where the main text is, and what in it is something else.

The main container of a layout is found by going down from the root as long as one child holds nearly all of
the text that varies. What stands in it is main text, in whatever elements, but for

- records: what repeats with a structure of its own (comments, teasers);
- sections whose DiffScore is low: the same on all pages;
- sections that consist of links;
- fields: sections that stand once on nearly all pages and are short (dates, names, tags), known by their path
  or by their place before the text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webgrain.metrics.extraction import tokens
from webgrain.template.survey import sums_below

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.sketch import Sketch
    from webgrain.template.steps import Mask
    from webgrain.template.survey import Floats, Ints, Paths, Survey

    Reasons = NDArray[np.int8]

KEPT, RECORD, STATIC, LINKS, FIELD, OUTSIDE = 0, 1, 2, 3, 4, 5
"""Whether a block is main text, or why it is not."""

HOLDS = 0.9
"""Share of the varied text that a child must hold for the container to be in there."""
USUAL = 0.7
"""Share of the pages on which something stands that belongs to the layout."""
ONCE = 1.2
"""Copies a page, at most, of what stands there once."""
FEW = 3
"""Pages from which on it can be told what all of them have."""
RECORDS_HEADING = 50
"""Letters beside the records in an element below which it is their place, with its heading."""
LINKED = 0.5
"""Share of the letters in links from which on a section is a list of links."""
FIELD_AT_MOST = 500
"""Letters a page from which on a section is no field whatever the threshold."""
PLACES = 4
"""Fields before the text that are known by their place, at most."""


@dataclass(frozen=True, slots=True)
class Thresholds:
    """What a page is read by, see `webgrain.template.webstemmer.Webstemmer`; it may change after learning.

    Attributes:
        match: least likeness of a page to a layout.
        diff: least DiffScore of what is not the same on all pages.
        main: least MainScore, letters a page, of a section of the main text, and of the main text.
        score: least LayoutPatternScore of a layout of articles.
        strict: only pages with main container and title are articles.
    """

    match: float = 0.4
    diff: float = 0.5
    main: float = 50.0
    score: float = 100.0
    strict: bool = False


@dataclass(frozen=True, slots=True, eq=False)
class Container:
    """Where the main text of a layout is; numbers are those of paths of the site.

    Attributes:
        chain: the paths from the root to the main container.
        fields: paths of the sections in it that stand once on nearly all pages, with their letters a page.
        places: letters, in the mean, of the blocks at the beginning of the main text that most pages have.
        title: path of the title; -1: it stands in no block of its own.
        records: paths of what repeats with a structure.
    """

    chain: tuple[int, ...]
    fields: Mapping[int, float] = field(default_factory=dict)
    places: tuple[float, ...] = ()
    title: int = -1
    records: frozenset[int] = frozenset()


def noise(paths: Paths) -> Reasons:
    """Return for each path (q,) whether it consists of `LINKS`, wherever it stands."""
    found = np.full(len(paths.key), KEPT, np.int8)
    weight = paths.weight[:, 1]
    found[~paths.bare & (weight > 0) & (paths.plain[:, 1] < LINKED * weight)] = LINKS
    return found


@dataclass(frozen=True, slots=True, eq=False)
class Members:
    """What the pages of one layout have on each path (q,) of the site.

    Attributes:
        count: number of pages of the layout.
        pages: those that have the path; copies: elements on it, on all of them.
        weight: letters below it; varied: letters outside links, times their novelty, without the records.
    """

    count: int
    pages: Ints
    copies: Ints
    weight: Floats
    varied: Floats

    @property
    def once(self) -> Mask:
        """(q,) True for what stands once on the pages that have it."""
        found: Mask = self.copies <= ONCE * self.pages
        return found


def measure(survey: Survey, members: Sequence[int], records: Mask) -> Members:
    """Return what the pages with these numbers have on each path; records (q,): where there are some."""
    paths = survey.paths
    size = len(paths.key)
    aside = paths.below(records) | paths.head
    own = np.zeros((size, 2))
    pages, copies = np.zeros(size, np.int64), np.zeros(size, np.int64)
    for page in members:
        one, of = survey.sketches[page], survey.of[page]
        blocks = one.outline.blocks
        held = of[blocks.holder]
        varied = survey.novelty[page] * blocks.weight_noanchor * ~one.teaser * ~aside[held]
        own[:, 0] += np.bincount(held, blocks.weight, size)
        own[:, 1] += np.bincount(held, varied, size)
        count = np.bincount(of, minlength=size)
        copies += count
        pages += count > 0
    weight, varied = sums_below(own, paths.level, paths.up).T
    return Members(len(members), pages, copies, weight, varied)


def find_container(paths: Paths, members: Members) -> tuple[int, ...]:
    """Return the paths from the root to the main container of a layout."""
    here = int(np.argmax(np.where(paths.up < 0, members.pages, -1)))
    chain = [here]
    while True:
        fit = (
            (paths.up == here) & members.once & ~paths.prose & (members.pages >= USUAL * members.pages[here])
        )
        children = np.flatnonzero(fit)
        best = int(children[np.argmax(members.varied[children])]) if len(children) else -1
        if best < 0 or members.varied[best] < HOLDS * members.varied[here] or not members.varied[best]:
            return tuple(chain)
        here = best
        chain.append(here)


def find_fields(paths: Paths, members: Members, container: int) -> dict[int, float]:
    """Return the sections in the container that stand once on nearly all pages, with their letters a page."""
    if members.count < FEW:
        return {}
    inside = paths.below(np.arange(len(paths.key)) == container)
    inside[container] = False
    usual = inside & members.once & (members.weight > 0) & (members.pages >= USUAL * members.count)
    found = np.flatnonzero(usual & (members.weight < FIELD_AT_MOST * members.pages))
    letters = (members.weight[found] / members.pages[found]).round(1)
    return dict(zip(found.tolist(), letters.tolist(), strict=True))


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

    main: Ints
    title: int
    reason: Reasons
    element: int
    marks: Reasons


def read_page(one: Sketch, of: Ints, container: Container, reason: Reasons, shortest: float) -> Reading:
    """Return what the blocks of a page are.

    of (e,): the path of each element, -1 for one that is unknown; reason (q,): see `noise`, with `STATIC`
    where the DiffScore is low; shortest: letters a page that a section of the main text must have.
    """
    blocks, marks = one.blocks, _marked(one, of, reason, container.records)
    element = next(
        (int(np.argmax(of == path)) for path in reversed(container.chain) if (of == path).any()), -1
    )
    why = np.full(len(blocks), OUTSIDE, np.int8)
    if element < 0 or not len(blocks):
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


def _marked(one: Sketch, of: Ints, reason: Reasons, repeated: frozenset[int]) -> Reasons:
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


def _on(of: Ints, paths: Collection[int], size: int) -> Mask:
    """(e,) True at elements on some of the paths; of: -1 for none; size: the number of all paths."""
    flag = np.zeros(size + 1, bool)
    flag[list(paths)] = True
    return flag[of]


def _alike(one: Sketch, records: Ints) -> Mask:
    """(e,) True at elements beside or below records that share tag and a token: answers, as a rule."""
    outline, up = one.outline, one.blocks.up
    regions = np.unique(up[records][up[records] >= 0])
    shared = np.isin(outline.token, outline.token[np.isin(outline.owner, records)])
    alike = np.zeros(len(up), bool)
    alike[outline.owner[shared]] = True
    found: Mask = alike & one.below(regions) & np.isin(outline.tag, outline.tag[records])
    return found


def _inherited(found: Reasons, one: Sketch, element: int) -> Reasons:
    """(e,) the reason of each element or of the outermost one above it, up to the container."""
    found, end, done = found.copy(), one.end, 0
    found[: element + 1] = KEPT
    for at in np.flatnonzero(found[: end[element]]).tolist():  # what is above comes first and wins
        if at >= done:
            done = int(end[at])
            span = found[at:done]
            span[span == KEPT] = found[at]
    return found


def _linked(one: Sketch, of: Ints) -> Reasons:
    """(e,) `LINKS` at elements on unknown paths that consist of links."""
    weight, plain = (_letters(one, w) for w in (one.blocks.weight, one.blocks.weight_noanchor))
    linked = ~one.prose & (of < 0) & (weight > 0) & (plain < LINKED * weight)
    return np.where(linked, LINKS, KEPT).astype(np.int8)


def _letters(one: Sketch, weight: NDArray[np.int32]) -> Floats:
    """(e,) sum of the weights (b,) of the blocks in each element."""
    total = np.append(0.0, np.cumsum(np.bincount(one.blocks.holder, weight, len(one.end))))
    sums: Floats = total[one.end] - total[:-1]
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
