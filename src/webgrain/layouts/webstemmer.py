"""Layout patterns: a page as a sequence of features, a layout as the sequence that its pages have in common.

The feature of a block is the path of the three elements above it, each with the attributes that shape a page,
as in ``tr:valign=top/td:id=main/p``.

Learning layout patterns: what is the same in the description and in the program of 2007.

Steps 2 to 5 of Shinyama, "How it works" (see `webgrain.layouts.webstemmer`): similarity, clusters, scores,
title. A `webgrain.layouts.webstemmer.Variant` holds what the two do each in its own way.

The two ways in which layout patterns are learnt: as first described, and as the program of 2007 did it.

What the description and the program each do in their own way of steps 2 to 5 of Shinyama, "How it works" (see
`webgrain.layouts.webstemmer`); what both do is in `webgrain.layouts.webstemmer`.

Webstemmer: learn the layouts of a site from its pages, without labels, and extract title and main text.

Source: Yusuke Shinyama, "Webstemmer - How it works", 2007, steps 1 to 5 and "Extracting texts". Pages are cut
into layout blocks (1), compared by their common sequences of blocks (2) and grouped into layouts (3); in each
layout sections whose text does not vary are put aside (4), and title and main text are found (5). A page is
then read by the layout that it fits best.

====================  ==========================================================  ==========================
description           here                                                        shape, unit
====================  ==========================================================  ==========================
layout block e        `page.blocks.LayoutBlocks`                                  b a page
Weight(e)             ``weight``: letters; ``weight_noanchor``: outside links     letters
Sim(A, B)             ``Variant.similarity``; default: `layouts.FrameIndex`       0..1
threshold of step 3   ``cluster_threshold``                                       0..1
DiffScore(E)          `analysis.diff_score`; default: `survey.Paths.diff`         0..1
MainScore(E)          ``Section.main``; default: ``Layout.main``                  letters a page
LayoutPatternScore    ``Pattern.score``, ``Layout.score``                         ln(pages) * letters a page
threshold of title    ``title_threshold``                                         0..1
====================  ==========================================================  ==========================

There are three presets. ``documented`` is the description, ``original`` what the program of its author
(0.7.1) does; both learn patterns, which `patternfile` writes in the program's format. The ``default`` learns
containers:

- Names of ids and classes are levelled, and count only where they stand on several pages (`steps`): with the
  numbered ids of many systems no two articles are alike.
- Pages are compared by their frames, the paths to what no author writes, not by text and lists (`layouts`);
  an article that is long or unlike others stays in its layout. Only frames that can be similar are compared.
- DiffScore counts repetitions over the whole site (`survey`): exact, without comparing texts, and a series of
  nearly the same articles is still text.
- The main section is a container, and all in it is main text but for what is plainly none (`containers`);
  lists, code, tables and quotes stay, in order (`content`). Repeated records, as comments, are told apart.
- Titles are found by links and by ``<title>`` (`titles`). There is a verdict: article, index or unknown.

Departures of the two other presets: at most `analysis.MAX_PAIRS` pairs are compared for a DiffScore, and
``original`` takes the pages in the order of their names, where the program has that of a hash. Text in
``<noscript>`` is none. In ``documented`` both blocks of a common pair count in Sim, see
`analysis.Documented`. Unclear: the linkage of the "hierarchical" clustering. Here it is complete: all pages
of a layout are similar. Unclear: the similarity of title and main text of the fallback. Here it is the share
of the title's words that stand in the main text in the same order: the letters of a title nearly always do.

Cost: linear in the pages but for the comparison of frames that share a rare path; a page takes 1 to 3 ms.
``documented`` and ``original`` compare pairs of pages.
"""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import reduce
from itertools import groupby, zip_longest
from math import isqrt, log
from typing import Literal, TypeVar

import numpy as np

from webgrain.arrays import Float64, Int32
from webgrain.errors import ParameterError
from webgrain.estimator import Estimator, check_choice, check_number
from webgrain.layouts.alignment import assign, common_length, heaviest_common
from webgrain.layouts.learner import learn_site
from webgrain.layouts.pagesteps import outline
from webgrain.layouts.sitelayouts import Thresholds
from webgrain.layouts.sitemodel import SiteModel
from webgrain.page.blocks import ELEMENTS, WEBSTEMMER, BlockRules, LayoutBlocks, layout_blocks
from webgrain.page.dom import Dom
from webgrain.page.links import AnchorTexts
from webgrain.page.page import Page
from webgrain.results import Article, ArticleBlock

Anchors = Mapping[str, Mapping[str, int]]


ATTRIBUTES = ("align", "class", "colspan", "id", "rowspan", "valign")
STEPS = 3
"""Elements of a feature."""
MAX_BLOCKS = 4000
"""Blocks of a page that are looked at, so that an alignment stays within 16 MB."""
_MANGLE = re.compile(r"(?:\[\^?[^][\\^]+\]|\\[wWdD])[+*]?")
_ODD = re.compile(r"[^\x20-\x7e]")

RULES = {
    "original": WEBSTEMMER,
    "documented": BlockRules(steps=(WEBSTEMMER.steps or frozenset()) - {"span", "font"}, least=1, wide=1),
}
"""Rules of the blocks by the name of the preset: the manual speaks of block elements only."""


@dataclass(frozen=True, slots=True)
class Section:
    """One section of a pattern: how far it varies, how much main text it holds, its feature."""

    diff: float
    main: float
    feature: str


@dataclass(frozen=True, slots=True)
class Pattern:
    """A layout: LayoutPatternScore, name, section of the title (-1: none), sections, pages learnt from."""

    score: float
    name: str
    title: int
    sections: tuple[Section, ...]
    pages: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Sequenced:
    """The page of an id as the sequence of the features (b,) of its blocks."""

    page: str
    blocks: LayoutBlocks
    features: tuple[str, ...]

    @property
    def weight(self) -> Float64:
        """(b,) letters of each block."""
        return self.blocks.weight[: len(self.features)].astype(np.float64)


def sequence(page: Page, rules: BlockRules = ELEMENTS, mangle: str | None = None) -> Sequenced:
    """Return a page as a sequence of features; mangle: a regular expression of what is kept of an attribute.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div id=Main><p class='x7 y'>Some text"))
    >>> sequence(page, WEBSTEMMER).features, sequence(page, WEBSTEMMER, "[a-z]+").features
    (('div:id=main/p:class=x7 y',), ('div:id=main/p:class=xy',))
    """
    blocks = layout_blocks(page, rules)
    kept = re.compile(check_mangle(mangle)) if mangle else None
    known = {
        element: _feature(page.dom, blocks, element, kept)
        for element in set(blocks.holder[:MAX_BLOCKS].tolist())
    }
    return Sequenced(
        page.id, blocks, tuple(known[element] for element in blocks.holder[:MAX_BLOCKS].tolist())
    )


def _feature(dom: Dom, blocks: LayoutBlocks, element: int, kept: re.Pattern[str] | None) -> str:
    steps: list[str] = []
    while element >= 0 and len(steps) < STEPS:
        node = int(blocks.element[element])
        given = dom.attributes(node)
        values = ((name, _value(given[name], kept)) for name in ATTRIBUTES if name in given)
        steps.append(":".join([dom.name(node), *(f"{name}={value}" for name, value in values)]))
        element = int(blocks.up[element])
    return "/".join(reversed(steps))


def _value(value: str, kept: re.Pattern[str] | None) -> str:
    value = _ODD.sub("?", value.lower())
    return "".join(match[0] for match in kept.finditer(value)) if kept else value


def check_mangle(mangle: str) -> str:
    """Return a regular expression of what is kept of attributes; `ParameterError` unless it is a simple one.

    It may come from a file, and others may take forever.

    >>> check_mangle("[a-z]+")
    '[a-z]+'
    """
    if not _MANGLE.fullmatch(mangle):
        raise ParameterError(f"mangle must be a class of characters such as [a-z]+, got {mangle!r}.")
    return mangle


def collapsed(features: Sequence[str]) -> list[str]:
    """Return features without immediate repetitions."""
    return [feature for feature, _ in groupby(features)]


def weights(pages: Iterable[Sequenced]) -> dict[str, float]:
    """Return the weight of the blocks of each feature on these pages."""
    found: dict[str, float] = defaultdict(float)
    for page in pages:
        for feature, weight in zip(page.features, page.weight.tolist(), strict=True):
            found[feature] += weight
    return dict(found)


def places(page: Sequenced, features: Sequence[str]) -> Int32:
    """Return the section (b,) that each block of a page goes to, -1 for none."""
    number = {feature: i for i, feature in enumerate(dict.fromkeys(features))}
    items = np.array([number.get(feature, -1) for feature in page.features], np.int32)
    return assign(items, page.weight, np.array([number[feature] for feature in features], np.int32))


@dataclass(frozen=True, slots=True)
class PatternSet:
    """The layout patterns of a site.

    Attributes:
        patterns: the patterns.
        rules: how pages are cut into blocks.
        mangle: what is kept of the values of attributes, a regular expression; None: all.
        cluster_threshold, title_threshold, pages: what it was learnt with, and from how many pages.
    """

    patterns: tuple[Pattern, ...]
    rules: BlockRules = WEBSTEMMER
    mangle: str | None = None
    cluster_threshold: float = 0.97
    title_threshold: float = 0.6
    pages: int = 0

    def predict(self, page: Page, thresholds: Thresholds) -> Article:
        """Return what a page says by the pattern that most of its weight fits in."""
        found = sequence(page, self.rules, self.mangle)
        weight = found.weight
        best, most, chosen = -1, thresholds.match * float(weight.sum()), np.zeros(0, np.int32)
        for number, pattern in enumerate(self.patterns):
            placed = places(found, [section.feature for section in pattern.sections])
            mass = float(weight[placed >= 0].sum())
            complete = len(np.unique(placed[placed >= 0])) == len(pattern.sections)
            if mass > most and (complete or not thresholds.strict):
                best, most, chosen = number, mass, placed
        if best < 0:
            return Article("unknown")
        pattern = self.patterns[best]
        blocks = tuple(_told(found, pattern, chosen, thresholds))
        title = " ".join(block.text for block in blocks if block.kind == "title")
        verdict = "article" if any(block.kind == "paragraph" for block in blocks) else "index"
        return Article(verdict, title, blocks, pattern.name, round(most / float(weight.sum()), 4))


def _told(page: Sequenced, pattern: Pattern, placed: Int32, thresholds: Thresholds) -> Iterable[ArticleBlock]:
    """Give title, main text behind it, and the rest that varies, in the order of the page."""
    root = np.zeros(1, np.int32)
    holder = np.append(page.blocks.element, root)[page.blocks.holder].tolist()
    for block in np.flatnonzero(placed >= 0).tolist():
        at = int(placed[block])
        section = pattern.sections[at]
        if at == pattern.title:
            kind = "title"
        elif section.diff < thresholds.diff:
            continue
        else:
            kind = "paragraph" if section.main >= thresholds.main and at > pattern.title else "sub"
        yield ArticleBlock(kind, page.blocks.texts[block], holder[block], round(section.diff, 4))


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

    >>> from webgrain.layouts.webstemmer import Documented
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


def _best(scores: Float64, threshold: float) -> int:
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
    def weighs(self, page: Sequenced) -> Int32:
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
        bags = [weights([page]) for page in pages]
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

    def weighs(self, page: Sequenced) -> Int32:
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
        shared = self.common(collapsed(a.features), collapsed(b.features), {})
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

    def weighs(self, page: Sequenced) -> Int32:
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


def _runs(page: Sequenced) -> tuple[list[str], Float64]:
    """Features without immediate repetitions, and the weight of each run."""
    features = list(page.features)
    opens = [i for i in range(len(features)) if i == 0 or features[i] != features[i - 1]]
    weight = np.add.reduceat(page.weight, opens) if opens else page.weight
    return [features[i] for i in opens], weight


def _numbered(a: Sequence[str], b: Sequence[str]) -> tuple[Int32, Int32]:
    """Both sequences with a number for each distinct item."""
    number = {item: i for i, item in enumerate(dict.fromkeys([*a, *b]))}
    return np.array([number[i] for i in a], np.int32), np.array([number[i] for i in b], np.int32)


def _bound(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Similarity that two pages have at most, whatever the order of their blocks."""
    total = sum(a.values()) + sum(b.values())
    return sum(a[feature] + b[feature] for feature in sorted(a.keys() & b.keys())) / total if total else 1.0


def _complete_linkage(similar: Float64, threshold: float) -> list[list[int]]:
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


T = TypeVar("T")

PRESETS = ("default", "documented", "original")
_CLUSTER = {"default": 0.6, "documented": 0.97, "original": 0.97}
_SCORE = {"default": 0.0, "documented": 100.0, "original": 100.0}
_MATCH = {"default": 0.4, "documented": 0.8, "original": 0.8}
_VARIANTS: dict[str, Variant] = {"documented": Documented(), "original": Original()}


@dataclass(kw_only=True, eq=False)
class Webstemmer(Estimator):
    """Layouts of a site, and the articles on its pages.

    Attributes:
        preset: ``default``, ``documented`` or ``original``, see above.
        cluster_threshold: least similarity of pages of one layout, 0..1; None: 0.97, by frames 0.6.
        title_threshold: least likeness of a title to links, 0..1.
        pattern_threshold: least LayoutPatternScore of a layout of articles; None: 100, by containers 0.
        match_threshold: least similarity of a page to its layout, 0..1; None: 0.8 of its letters, by frames
        0.4. diff_threshold: least DiffScore of what is not the same on all pages, 0..1.
        main_threshold: least MainScore of main text, letters a page.
        strict: reject a page that lacks a section of its layout; in the default, main container or title.
        mangle: of the values of attributes keep what this regular expression finds (not in the default).
        model: what was learnt; None before `fit`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = "<title>{0} | Site</title><ul class=nav><li>Home</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    >>> said = {"One": "The first text. " * 9, "Two": "Another one. " * 9, "Three": "And a third. " * 9}
    >>> pages = [parse(Source(name, html.format(name, text).encode())) for name, text in said.items()]
    >>> article = Webstemmer().fit(pages).predict(pages[2])
    >>> article.verdict, article.title, article.text[:12]
    ('article', 'Three', 'And a third.')
    """

    preset: Literal["default", "documented", "original"] = "default"
    cluster_threshold: float | None = None
    title_threshold: float = 0.6
    pattern_threshold: float | None = None
    match_threshold: float | None = None
    diff_threshold: float = 0.5
    main_threshold: float = 50.0
    strict: bool = False
    mangle: str | None = None
    model: SiteModel | PatternSet | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        check_choice(self, "preset", PRESETS)
        check_choice(self, "strict", (True, False))
        for name in ("cluster_threshold", "title_threshold", "match_threshold", "diff_threshold"):
            if getattr(self, name) is not None:
                check_number(self, name, 0.0, 1.0)
        check_number(self, "main_threshold", low=0.0)
        if self.pattern_threshold is not None:
            check_number(self, "pattern_threshold", low=0.0)
        if self.mangle is not None:
            check_mangle(self.mangle)

    def fit(self, pages: Iterable[Page], anchors: Anchors | None = None) -> Webstemmer:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of links to a page by its id; by default those on the pages themselves.
        """
        cluster = self.lowest_similarity
        if self.preset == "default":
            outlines, anchors = _pass(pages, outline, anchors)
            self.model = learn_site(outlines, anchors, cluster, self.title_threshold, self.thresholds)
            return self
        variant = _VARIANTS[self.preset]
        found, anchors = _pass(pages, self._sequence, anchors)
        found = sorted(found, key=lambda one: one.page)
        groups = [[found[i] for i in group] for group in variant.clusters(found, cluster)]
        self.model = self._patterns(groups, variant, anchors, cluster)
        return self

    def predict(self, page: Page) -> Article:
        """Return what a page is, its title, its main text and the rest; `ParameterError` before `fit`."""
        if self.model is None:
            raise ParameterError("Webstemmer has learnt nothing yet: call fit, or read a model.")
        return self.model.predict(page, self.thresholds)

    @property
    def lowest_similarity(self) -> float:
        """The cluster threshold, that of the preset where none was given."""
        return _CLUSTER[self.preset] if self.cluster_threshold is None else self.cluster_threshold

    @property
    def thresholds(self) -> Thresholds:
        """What pages are read by; to change it needs no learning."""
        match = _MATCH[self.preset] if self.match_threshold is None else self.match_threshold
        score = _SCORE[self.preset] if self.pattern_threshold is None else self.pattern_threshold
        return Thresholds(match, self.diff_threshold, self.main_threshold, score, self.strict)

    def patterns(self, pages: Iterable[Page], anchors: Anchors | None = None) -> PatternSet:
        """Return the layouts as patterns, as the program of 2007 understands them.

        pages, anchors: as in `fit`. The default learns containers; here its layouts are written as patterns
        of the sections that most of their pages have.
        """
        if isinstance(self.model, PatternSet):
            return self.model
        told, anchors = _pass(pages, lambda page: (self.predict(page).layout, self._sequence(page)), anchors)
        groups: dict[str, list[Sequenced]] = {}
        for name, found in sorted(told, key=lambda pair: pair[1].page):
            groups.setdefault(name, []).append(found)
        groups.pop("", None)
        return self._patterns(
            list(groups.values()), _VARIANTS["original"], anchors, self.lowest_similarity, loose=True
        )

    def _patterns(
        self,
        groups: Sequence[Sequence[Sequenced]],
        variant: Variant,
        anchors: Anchors,
        cluster: float,
        loose: bool = False,
    ) -> PatternSet:
        found = learn_patterns(groups, variant, anchors, self.title_threshold, loose)
        kept = tuple(pattern for pattern in found if pattern.score >= self.thresholds.score)
        pages = sum(map(len, groups))
        rules = RULES.get(self.preset, RULES["original"])
        return PatternSet(kept, rules, self.mangle, cluster, self.title_threshold, pages)

    def _sequence(self, page: Page) -> Sequenced:
        return sequence(page, RULES.get(self.preset, RULES["original"]), self.mangle)


def _pass(
    pages: Iterable[Page], take: Callable[[Page], T], anchors: Anchors | None
) -> tuple[list[T], Anchors]:
    """Go through the pages once; return what was taken of each, and the texts of links if none are given."""
    collected, taken = AnchorTexts(), []
    for page in pages:
        taken.append(take(page))
        if anchors is None:
            collected.add(page)
    return taken, collected.texts() if anchors is None else anchors
