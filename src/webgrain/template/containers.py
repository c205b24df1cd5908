"""Sections of a layout, generalised to containers: where the main text is, and what stands in there once.

The main container of a layout is found by going down from the root as long as one child holds nearly all of
the text that varies. How a page is read by it: `webgrain.template.reading`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from webgrain.template.survey import sums_below

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

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
LINKED = 0.5
"""Share of the letters in links from which on a section is a list of links."""
FIELD_AT_MOST = 500
"""Letters a page from which on a section is no field whatever the threshold."""


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
