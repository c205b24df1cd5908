"""Reading a page by the container of its layout: which of its blocks are main text, and what the others are.

What stands in the main container is main text, in whatever elements, but for

- records: what repeats with a structure of its own (comments, teasers);
- sections whose DiffScore is low: the same on all pages;
- sections that consist of links;
- fields: sections that stand once on nearly all pages and are short (dates, names, tags), known by their path
  or by their place before the text.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from webgrain.metrics.extraction import tokens
from webgrain.template.containers import FEW, FIELD, KEPT, LINKED, LINKS, OUTSIDE, RECORD, USUAL

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from numpy.typing import NDArray

    from webgrain.template.containers import Container, Reasons
    from webgrain.template.sketch import Sketch
    from webgrain.template.steps import Mask
    from webgrain.template.survey import Floats, Ints

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

    main: Ints
    title: int
    reason: Reasons
    element: int
    marks: Reasons


def read_page(one: Sketch, of: Ints, container: Container, reason: Reasons, shortest: float) -> Reading:
    """Return what the blocks of a page are.

    of (e,): the path of each element, -1 for one that is unknown; reason (q,): see `containers.noise`, with
    `STATIC` where the DiffScore is low; shortest: letters a page that a section of the main text must have.
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
