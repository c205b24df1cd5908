"""Learning layout patterns: what is the same in the description and in the program of 2007.

Steps 2 to 5 of Shinyama, "How it works" (see `webgrain.template.webstemmer`): similarity, clusters, scores,
title. A `webgrain.template.variants.Variant` holds what the two do each in its own way.
"""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import dataclass
from functools import reduce
from math import isqrt, log
from typing import TYPE_CHECKING

import numpy as np

from webgrain.template.patterns import Pattern, Section, collapsed, places, weights

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from webgrain.template.patterns import Sequenced
    from webgrain.template.variants import Variant

    Floats = NDArray[np.float64]

USUAL = 0.7
"""Share of the pages that have a section of a loose pattern."""
MAX_PAIRS = 200
"""Pairs of pages whose texts are compared for a DiffScore, spread evenly over all."""
MAX_LETTERS = 3000
"""Letters of a text that are compared."""
_WORDS = re.compile(r"\w+")


def learn_patterns(
    groups: Sequence[Sequence[Sequenced]],
    variant: Variant,
    anchors: Mapping[str, Mapping[str, int]],
    title_threshold: float,
    loose: bool = False,
) -> list[Pattern]:
    """Return the pattern of each group of two pages or more, the most significant first.

    loose: a pattern has the sections that most pages have, not only those that all have.
    """
    found = [
        _pattern(sorted(group, key=lambda page: page.page), variant, anchors, title_threshold, loose)
        for group in groups
        if len(group) > 1
    ]
    return sorted((p for p in found if p.sections), key=lambda pattern: (-pattern.score, pattern.name))


def _pattern(
    pages: Sequence[Sequenced],
    variant: Variant,
    anchors: Mapping[str, Mapping[str, int]],
    threshold: float,
    loose: bool,
) -> Pattern:
    """Return the pattern of the pages of one layout (steps 3 to 5)."""
    parts = _parts(pages, _usual(pages) if loose else _common(pages, variant), variant)
    names = tuple(page.page for page in pages)
    title = _title(parts, [list(anchors.get(name, ())) for name in names], variant, threshold)
    sections = tuple(Section(part.diff, part.main, part.feature) for part in parts)
    return Pattern(log(len(pages)) * sum(part.main for part in parts), names[0], title, sections, names)


def _common(pages: Sequence[Sequenced], variant: Variant) -> list[str]:
    """Return the features that all pages have in common, in order (step 3)."""
    weight = weights(pages)
    return reduce(lambda a, b: variant.common(a, b, weight), [collapsed(page.features) for page in pages])


def _usual(pages: Sequence[Sequenced]) -> list[str]:
    """Return the features that most pages have, in the order of the page that has most of them."""
    count = Counter(feature for page in pages for feature in set(page.features))
    usual = {feature for feature, times in count.items() if times >= USUAL * len(pages)}
    longest = max(pages, key=lambda page: (len(usual & set(page.features)), page.page))
    return [feature for feature in collapsed(longest.features) if feature in usual]


@dataclass(slots=True)
class _Part:
    """A section while it is learnt: its text on each page, letters a page, DiffScore."""

    feature: str
    texts: list[str]
    letters: float
    diff: float

    @property
    def main(self) -> float:
        """MainScore."""
        return self.diff * self.letters


def _parts(pages: Sequence[Sequenced], features: Sequence[str], variant: Variant) -> list[_Part]:
    """Return the sections of these features with their texts and scores (step 4)."""
    parts = [_Part(feature, [], 0.0, 0.0) for feature in features]
    for page in pages:
        placed, weighs = places(page, features), variant.weighs(page)
        for at, part in enumerate(parts):
            own = np.flatnonzero(placed == at)
            part.texts.append(" ".join(_WORDS.findall(" ".join(page.blocks.texts[i] for i in own).lower())))
            part.letters += float(weighs[own].sum()) / len(pages)
    for part in parts:
        part.diff = diff_score(part.texts, variant)
    return parts


def diff_score(texts: Sequence[str], variant: Variant) -> float:
    """Return how much the texts of a section differ from page to page (step 4), 0..1.

    >>> from webgrain.template.variants import Documented
    >>> diff_score(["same", "same", "same"], Documented()), diff_score(["abcd", "xycd"], Documented())
    (0.0, 0.5)
    """
    letters = [text.replace(" ", "")[:MAX_LETTERS] for text in texts]
    differs = total = 0.0
    for i, j in _pairs(len(letters)):
        a, b = letters[i], letters[j]
        total += len(a) + len(b)
        differs += 0.0 if a == b else len(a) + len(b) - 2 * variant.matched(a, b)
    return differs / total if total else 0.0


def _pairs(size: int) -> list[tuple[int, int]]:
    """All pairs of so many, or as many as are compared, at even distances in the list of all."""
    every = size * (size - 1) // 2
    chosen = range(every) if every <= MAX_PAIRS else (k * every // MAX_PAIRS for k in range(MAX_PAIRS))
    return [_pair(k) for k in chosen]


def _pair(k: int) -> tuple[int, int]:
    """Pair number ``k`` in the order (0, 1), (0, 2), (1, 2), (0, 3), ...

    >>> [_pair(k) for k in range(4)]
    [(0, 1), (0, 2), (1, 2), (0, 3)]
    """
    j = (isqrt(8 * k + 1) + 1) // 2
    return k - j * (j - 1) // 2, j


def _title(
    parts: Sequence[_Part], anchors: Sequence[Sequence[str]], variant: Variant, threshold: float
) -> int:
    """Return the section that most pages take for the title (step 5), -1 where most take none."""
    if not parts:
        return -1
    main = max(range(len(parts)), key=lambda at: (parts[at].main, -at))
    votes: Counter[int] = Counter()
    for page, linked in enumerate(anchors):
        trust = [variant.trust(part.diff) for part in parts[:main]]
        by_link = [_linked(part.texts[page], linked, variant) for part in parts[:main]]
        by_text = [variant.resembles(part.texts[page], parts[main].texts[page]) for part in parts[:main]]
        chosen = _best(np.multiply(by_link, trust), threshold)
        votes[chosen if chosen >= 0 else _best(np.multiply(by_text, trust), variant.fallback(threshold))] += 1
    return max(votes, key=lambda at: (votes[at], at))


def _best(scores: Floats, threshold: float) -> int:
    """Return the first of the highest scores if it is above the threshold, else -1."""
    best = int(scores.argmax()) if len(scores) else -1
    return best if best >= 0 and scores[best] > threshold else -1


def _linked(text: str, anchors: Sequence[str], variant: Variant) -> float:
    """Likeness of a text to the nearest text of a link: Dice, in letters."""
    letters = text.replace(" ", "")[:MAX_LETTERS]
    likeness = [0.0]
    for anchor in anchors:
        other = "".join(_WORDS.findall(anchor.lower()))[:MAX_LETTERS]
        if letters and other:
            likeness.append(2 * variant.matched(letters, other) / (len(letters) + len(other)))
    return max(likeness)
