"""Learning layout patterns as they were first described, and as the program of 2007 did it.

Steps 2 to 5 of Shinyama, "How it works" (see `webgrain.template.webstemmer`): similarity, clusters, scores,
title. A `Variant` holds what the description and the program do each in its own way.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import reduce
from itertools import groupby, zip_longest
from math import isqrt, log
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.alignment import common_length, heaviest_common
from webgrain.template.patterns import Pattern, Section, Sequenced, places

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    Floats = NDArray[np.float64]

USUAL = 0.7
"""Share of the pages that have a section of a loose pattern."""
MAX_PAIRS = 200
"""Pairs of pages whose texts are compared for a DiffScore, spread evenly over all."""
MAX_LETTERS = 3000
"""Letters of a text that are compared."""
_WORDS = re.compile(r"\w+")
STATIC = 0.5
"""DiffScore under which text is static."""
FALLBACK = 1.0
"""The program's threshold for a title that is like the main text."""


class Variant(ABC):
    """What the description and the program do differently."""

    @abstractmethod
    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the features that two sequences have in common, in order; weight: of each feature."""

    @abstractmethod
    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Step 2: the share of the weight of two pages that is in common, 0..1."""

    @abstractmethod
    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Step 3: groups of pages."""

    @abstractmethod
    def matched(self, a: str, b: str) -> float:
        """Step 4: letters that two texts have in common."""

    @abstractmethod
    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """Step 5: the weight of each block (b,) in the MainScore."""

    @abstractmethod
    def resembles(self, title: str, main: str) -> float:
        """Step 5: how far the main text tells that a text is its title."""

    @abstractmethod
    def trust(self, diff: float) -> float:
        """Step 5: what a section with this DiffScore counts in the search for the title."""

    @abstractmethod
    def fallback(self, threshold: float) -> float:
        """Step 5: what that must exceed; threshold: of the likeness to links."""


class Documented(Variant):
    """The description, with true longest common subsequences.

    Both blocks of a pair count in the similarity: counted once, no two pages were above 1/2. Blocks of one
    feature that follow each other are one, as the paragraphs are in the pattern printed there.
    """

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the heaviest common subsequence."""
        one, two = _numbered(a, b)
        mass = [np.array([weight.get(feature, 0.0) for feature in features]) for features in (a, b)]
        return [a[i] for i in heaviest_common(one, two, *mass)[:, 0].tolist()]

    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Weight of the heaviest common subsequence of the blocks, by that of all blocks."""
        total = float(a.weight.sum() + b.weight.sum())
        (one, left), (two, right) = _runs(a), _runs(b)
        pairs = heaviest_common(*_numbered(one, two), left, right)
        return float(left[pairs[:, 0]].sum() + right[pairs[:, 1]].sum()) / max(total, 1.0)

    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Hierarchical clustering, complete linkage: the most similar clusters are joined first.

        Pairs that cannot be similar enough, by the weight of the features they share, are not compared.
        """
        bags = [_bag(page) for page in pages]
        similar = np.eye(len(pages))
        for i, page in enumerate(pages):
            for j in range(i):
                if _bound(bags[i], bags[j]) >= threshold:
                    similar[i, j] = similar[j, i] = self.similarity(page, pages[j])
        return _complete_linkage(similar, threshold)

    def matched(self, a: str, b: str) -> float:
        """Length of the longest common subsequence."""
        codes = [np.frombuffer(text.encode("utf-32-le", "replace"), np.int32) for text in (a, b)]
        return common_length(*codes)

    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """All letters."""
        return page.blocks.weight

    def resembles(self, title: str, main: str) -> float:
        """Share of the words of the title that stand in the main text, in the same order."""
        words = title.split()
        return common_length(*_numbered(words, main.split())) / max(len(words), 1)

    def trust(self, diff: float) -> float:
        """Return 0 for static text, which is put aside before, else 1."""
        return float(diff >= STATIC)

    def fallback(self, threshold: float) -> float:
        """Return the same threshold."""
        return threshold


class Original(Variant):
    """The program: common parts by `difflib`, one greedy pass over the pages, a fallback of its own."""

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the matching blocks of difflib, the longer sequence first."""
        a, b = (a, b) if len(a) >= len(b) else (b, a)
        blocks = SequenceMatcher(None, a, b).get_matching_blocks()
        return [feature for block in blocks for feature in a[block.a : block.a + block.size]]

    def similarity(self, a: Sequenced, b: Sequenced) -> float:
        """Weight of the blocks of both pages that go to a common feature, by that of all blocks."""
        shared = self.common(_collapsed(a.features), _collapsed(b.features), {})
        total = float(a.weight.sum() + b.weight.sum())
        return sum(float(page.weight[places(page, shared) >= 0].sum()) for page in (a, b)) / max(total, 1.0)

    def clusters(self, pages: Sequence[Sequenced], threshold: float) -> list[list[int]]:
        """Put each page into the cluster of the nearest directory to whose every page it is similar."""
        found: list[list[int]] = []
        for number, page in enumerate(pages):
            order = sorted(found, key=lambda cluster: _distance(pages[cluster[0]].page, page.page))
            fits = (c for c in order if all(self.similarity(pages[i], page) >= threshold for i in c))
            home = next(fits, None)
            if home is None:
                found.append([number])
            else:
                home.append(number)
        return found

    def matched(self, a: str, b: str) -> float:
        """Letters in the matching blocks of difflib, which passes over frequent letters of long texts."""
        return sum(block.size for block in SequenceMatcher(None, a, b).get_matching_blocks())

    def weighs(self, page: Sequenced) -> NDArray[np.int32]:
        """Letters outside links."""
        return page.blocks.weight_noanchor

    def resembles(self, title: str, main: str) -> float:
        """Sum of the squared lengths of the common parts, by the length of the title."""
        blocks = SequenceMatcher(None, title, main).get_matching_blocks()
        return sum(block.size**2 for block in blocks) / max(len(title), 1)

    def trust(self, diff: float) -> float:
        """Return the DiffScore."""
        return diff

    def fallback(self, threshold: float) -> float:
        """Return a fixed threshold, whatever is given."""
        return FALLBACK


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
    weight: dict[str, float] = defaultdict(float)
    for page in pages:
        for feature, letters in zip(page.features, page.weight.tolist(), strict=True):
            weight[feature] += letters
    if loose:
        features = _usual(pages)
    else:
        features = reduce(
            lambda a, b: variant.common(a, b, weight), [_collapsed(one.features) for one in pages]
        )
    parts = [_Part(feature, [], 0.0, 0.0) for feature in features]
    for page in pages:
        placed, weighs = places(page, features), variant.weighs(page)
        for at, part in enumerate(parts):
            own = np.flatnonzero(placed == at)
            part.texts.append(" ".join(_WORDS.findall(" ".join(page.blocks.texts[i] for i in own).lower())))
            part.letters += float(weighs[own].sum()) / len(pages)
    for part in parts:
        part.diff = diff_score(part.texts, variant)
    names = tuple(page.page for page in pages)
    title = _title(parts, [list(anchors.get(name, ())) for name in names], variant, threshold)
    sections = tuple(Section(part.diff, part.main, part.feature) for part in parts)
    return Pattern(log(len(pages)) * sum(part.main for part in parts), names[0], title, sections, names)


def _usual(pages: Sequence[Sequenced]) -> list[str]:
    """Return the features that most pages have, in the order of the page that has most of them."""
    count = Counter(feature for page in pages for feature in set(page.features))
    usual = {feature for feature, times in count.items() if times >= USUAL * len(pages)}
    longest = max(pages, key=lambda page: (len(usual & set(page.features)), page.page))
    return [feature for feature in _collapsed(longest.features) if feature in usual]


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


def diff_score(texts: Sequence[str], variant: Variant) -> float:
    """Return how much the texts of a section differ from page to page (step 4), 0..1.

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


def _runs(page: Sequenced) -> tuple[list[str], Floats]:
    """Features without immediate repetitions, and the weight of each run."""
    features = list(page.features)
    opens = [i for i in range(len(features)) if i == 0 or features[i] != features[i - 1]]
    weight = np.add.reduceat(page.weight, opens) if opens else page.weight
    return [features[i] for i in opens], weight


def _collapsed(features: Sequence[str]) -> list[str]:
    """Features without immediate repetitions."""
    return [feature for feature, _ in groupby(features)]


def _numbered(a: Sequence[str], b: Sequence[str]) -> tuple[NDArray[np.int32], NDArray[np.int32]]:
    """Both sequences with a number for each distinct item."""
    number = {item: i for i, item in enumerate(dict.fromkeys([*a, *b]))}
    return np.array([number[i] for i in a], np.int32), np.array([number[i] for i in b], np.int32)


def _bag(page: Sequenced) -> dict[str, float]:
    """Weight of the blocks of each feature."""
    bag: dict[str, float] = defaultdict(float)
    for feature, weight in zip(page.features, page.weight.tolist(), strict=True):
        bag[feature] += weight
    return dict(bag)


def _bound(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Similarity that two pages have at most, whatever the order of their blocks."""
    total = sum(a.values()) + sum(b.values())
    return sum(a[feature] + b[feature] for feature in sorted(a.keys() & b.keys())) / total if total else 1.0


def _complete_linkage(similar: Floats, threshold: float) -> list[list[int]]:
    """Join the clusters whose least similar members are most similar, as long as these are enough."""
    similar = similar - 2.0 * np.eye(len(similar))
    groups = {number: [number] for number in range(len(similar))}
    while len(similar) and similar.max() >= threshold:
        i, j = sorted(divmod(int(similar.argmax()), len(similar)))
        similar[i] = similar[:, i] = np.minimum(similar[i], similar[j])
        similar[i, i] = similar[j, :] = similar[:, j] = -1.0
        groups[i] += groups.pop(j)
    return [sorted(group) for group in groups.values()]


def _distance(a: str, b: str) -> int:
    """How far two pages are apart in the tree of directories; what differs near the root counts most."""
    pairs = zip_longest(a.split("/")[:-1], b.split("/")[:-1])
    return sum(1 << max(31 - depth, 0) for depth, (x, y) in enumerate(pairs) if x != y)
