"""The segments that people marked on a page, by its leaves and units.

A unit (`webgrain.page.outline`) is *marked* if its Jaccard index with a marked segment, by leaves, is at
least `webgrain.segmentation.thresholds.SAME_SEGMENT`.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32
from webgrain.evaluation.datasets import Example
from webgrain.io.contentmarks import leaves_below
from webgrain.page.page import Page
from webgrain.segmentation.features.facts import UnitFacts, facts_of
from webgrain.segmentation.thresholds import SAME_SEGMENT


def page_facts(page: Page) -> UnitFacts:
    """Return the facts about a page, with its boxes where it has them."""
    return facts_of(page, page.view is not None)


def marked_segments(example: Example, facts: UnitFacts) -> Iterator[tuple[Bool, str | None]]:
    """Yield the leaves (l,) and the role of each marked segment with visible leaves."""
    dom = example.page.dom
    for segment in example.segments:
        member = leaves_below(facts.nodes, dom, segment.nodes(dom))
        if member.any():
            yield member, segment.role


def unit_shares(example: Example, facts: UnitFacts) -> Float64:
    """Return the Jaccard index (t, u), by leaves, of each marked segment with each unit."""
    return span_shares(example, facts, facts.outline.low, facts.outline.high)


def span_shares(example: Example, facts: UnitFacts, low: Int32, high: Int32) -> Float64:
    """Return the Jaccard index (t, k) of the leaves of each marked segment and of each span ``low:high``."""
    shares = []
    for member, _ in marked_segments(example, facts):
        before = np.append(0, np.cumsum(member))
        common = before[high] - before[low]
        shares.append(common / (high - low + before[-1] - common))
    return np.array(shares, np.float64).reshape(len(shares), len(low))


def marked_units(example: Example) -> Bool:
    """Return whether people marked each unit (u,) of a page.

    >>> from webgrain.io.labels import LabelledSegment, truth_of
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))  # body, div, p, p, p
    >>> marked = (LabelledSegment(css=("html > body > div",)),)
    >>> marked_units(Example(page, truth_of(page, marked), marked)).tolist()
    [False, True, False, False, False]
    """
    shares = unit_shares(example, page_facts(example.page))
    is_marked: Bool = shares.max(axis=0, initial=0.0) >= SAME_SEGMENT
    return is_marked
