"""What two pages are to each other, from how much their texts resemble.

A pair is judged by the texts of the whole pages, of their main contents, and of their frames, that is, what
is on the page besides its main content. Nan stands for what is not known: a page without a main content, or
one that is too short to be compared.

Source: Fröbe, Bevendorff, Reimer, Potthast, Hagen, CopyCat, SIGIR 2021, found whole texts to favour precision
and main contents to favour recall; so both are kept, and said apart. The thresholds but the first are ours,
set on the pages of docs/methods/duplicates.md.
"""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

import numpy as np

from webgrain.arrays import Bool, Float64, Int8

SAME_FRAME = 0.5
"""Resemblance of frames from which pages are of one template."""

OTHER_CONTENT = 0.25
"""Pages as alike as near-duplicates say something else where less than this of either main content is found
anywhere on the other page: what they share is the frame."""

MIN_CONTENT = 24
"""Words that a main content needs to be compared."""


class Verdict(StrEnum):
    """What two pages are to each other, the closest first."""

    IDENTICAL = "identical"
    NEAR_DUPLICATE = "near-duplicate"
    SAME_CONTENT = "same-content"
    SAME_TEMPLATE = "same-template"
    DISTINCT = "distinct"


VERDICTS = tuple(Verdict)
"""Verdicts by number."""

DUPLICATE = VERDICTS.index(Verdict.SAME_CONTENT)
"""Greatest number of a verdict that says: these two say the same."""


class Evidence(NamedTuple):
    """What is known of pairs, each (p,).

    same_text: whether the texts of the pages are equal; whole, content, frame: resemblance 0..1; kept: the
    share of one page's main content that is found on the other page, the larger of both.
    """

    same_text: Bool
    whole: Float64
    content: Float64
    frame: Float64
    kept: Float64


def judge(evidence: Evidence, threshold: float) -> Int8:
    """Return the verdicts (p,) as indices into `VERDICTS`.

    threshold: resemblance from which texts are near-duplicates.

    >>> evidence = Evidence(np.array([False]), *(np.array([x]) for x in (0.4, 0.95, 0.1, 1.0)))
    >>> VERDICTS[judge(evidence, threshold=0.8)[0]].value
    'same-content'
    """
    alike = evidence.whole >= threshold
    tests = [
        evidence.same_text,
        alike & ~(evidence.kept < OTHER_CONTENT),
        evidence.content >= threshold,
        alike | (evidence.frame >= SAME_FRAME),
    ]
    verdicts: Int8 = np.select(tests, range(len(tests)), len(tests)).astype(np.int8)
    return verdicts
