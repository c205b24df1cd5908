"""Verdicts on pairs of pages, from the similarities of their texts.

A pair is judged by the similarity of the whole pages, of their main contents, and of their frames (the text
outside the main content). A similarity is nan if a page has no main content or one that is too short.

Source: Fröbe, Bevendorff, Reimer, Potthast, Hagen, CopyCat, SIGIR 2021, which reports that whole texts favour
precision and main contents favour recall. Therefore both similarities are kept. The thresholds are ours
(`webgrain.duplicates.thresholds`).
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from webgrain.arrays import Bool, Float64, Int8
from webgrain.duplicates.thresholds import OTHER_CONTENT, SAME_FRAME


class Verdict(StrEnum):
    """The relation of two pages, from the closest to the loosest."""

    IDENTICAL = "identical"
    NEAR_DUPLICATE = "near-duplicate"
    SAME_CONTENT = "same-content"
    SAME_TEMPLATE = "same-template"
    DISTINCT = "distinct"


VERDICTS = tuple(Verdict)
"""Verdicts by number."""

DUPLICATE = VERDICTS.index(Verdict.SAME_CONTENT)
"""Greatest number of a verdict that means that two pages are duplicates."""


class Evidence(NamedTuple):
    """Similarities of pairs, each (p,).

    same_text: whether the texts of the pages are equal; whole, content, frame: similarity 0..1; contained:
    share of the main content of one page that occurs on the other page, the larger of both.
    """

    same_text: Bool
    whole: Float64
    content: Float64
    frame: Float64
    contained: Float64


def judge(evidence: Evidence, threshold: float) -> Int8:
    """Return the verdicts (p,) as indices into `VERDICTS`.

    threshold: similarity from which texts are near-duplicates.

    >>> evidence = Evidence(np.array([False]), *(np.array([x]) for x in (0.4, 0.95, 0.1, 1.0)))
    >>> VERDICTS[judge(evidence, threshold=0.8)[0]].value
    'same-content'
    """
    similar = evidence.whole >= threshold
    conditions = [
        evidence.same_text,
        similar & ~(evidence.contained < OTHER_CONTENT),
        evidence.content >= threshold,
        similar | (evidence.frame >= SAME_FRAME),
    ]
    return np.select(conditions, range(len(conditions)), len(conditions)).astype(np.int8)
