"""Webstemmer: learn the layouts of a site from its pages, without labels, and extract title and main text.

Source: Yusuke Shinyama, "Webstemmer - How it works", 2007, https://www.unixuser.org/~euske/python/webstemmer/
howitworks.html: steps 1 to 5 and "Extracting texts". The problem: pages of a site share layouts, and in each
layout some blocks are the same on all pages (banners, navigation) while title and main text differ. Pages are
cut into a sequence of layout blocks (1), compared by the blocks they have in common (2), and clustered into
layouts (3). In each layout, blocks whose text does not vary are static (4); title and main text are found
among the others (5). A new page is extracted with the layout that it matches best.

====================  ==========================================================  ==========================
description           here                                                        shape, unit
====================  ==========================================================  ==========================
layout block e        element of `BlockSequence`; its feature is the path of the  b blocks a page
                      three elements above it with their layout attributes
Weight(e)             ``BlockSequence.weight``: letters and digits                (b,) characters
MCS(A, B)             `alignment.heaviest_common`
Sim(A, B)             `Webstemmer.similarity`                                     0..1
threshold of step 3   ``cluster_threshold`` (-t of analyze)                       0..1
DiffScore(E)          `Webstemmer.diff_score`, ``Section.diff``                   0..1
MainScore(E)          ``Section.main`` = DiffScore * mean weight                  characters a page
LayoutPatternScore    ``Pattern.score`` = ln |P| * sum of MainScore               ln(pages) * characters
title threshold       ``title_threshold`` (-T of analyze)                         0..1
extraction            ``match_threshold`` (-t), ``diff_threshold`` (-T),
                      ``main_threshold`` (-M), ``strict`` (-S)
====================  ==========================================================  ==========================

Departures from the description:

- Sim counts both blocks of a common pair: as printed, no two pages would be more similar than 1/2.
- Consecutive blocks with the same feature are one, as the paragraphs are in the pattern printed there.
- At most `MAX_PAIRS` pairs of pages, evenly spaced, and `MAX_TEXT` characters of a text are compared for a
  DiffScore: all pairs are quadratic in the pages.
- Text in ``<noscript>`` is not a block.

Unclear in the description: the linkage of the "hierarchical" clustering; here it is complete linkage (all
pages of a layout are similar to each other). The similarity of title and main text in the fallback; here it
is the share of the words of the title that occur in the main text in the same order, because nearly all
letters of a title do.

The program of 2007, `OriginalWebstemmer`. Source: the program of Yusuke Shinyama, ``analyze.py`` and
``extract.py`` 0.7.1, and "Anatomy of Pattern Files" in "Webstemmer - How it works", 2007.

Differences from the description:

- ``span`` and ``font`` separate blocks, and blocks with fewer than five word characters are dropped.
- Common parts of pages and of texts are the matching blocks of `difflib`, not a longest common subsequence.
- Clustering is one greedy pass: a page joins the nearest cluster, by directory, all of whose pages are
  similar.
- The MainScore counts characters outside links.
- Title candidates are weighted by their DiffScore; the fallback has a separate threshold and similarity.

Departure: the pages are clustered in the order of their names, those of the program in the order of a hash.

A line of a pattern file is a comment (``#``), blank, ``!mangle_pat=`` with the characters kept of attribute
values, or a layout: a tuple ``(score, name, title, [(diffscore, mainscore, feature), ...])``, where ``title``
is the number of the section with the title. Older files have a fifth item before the list, the number of the
main section. Files are read as literals: nothing in them is executed. A tuple may extend over several lines
with comments between them, as in the printed example.

Cost: pairs of pages whose features can be similar enough are compared, each in O(blocks²).
"""

from __future__ import annotations

import ast
import math
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from functools import reduce
from itertools import groupby, zip_longest
from math import isqrt, log
from pathlib import Path
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import InputError, ParameterError, writing
from webgrain.base.estimator import Estimator, choice, real
from webgrain.base.modelfile import format_of
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.page.dom import Dom
from webgrain.page.links import AnchorTexts
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page, as_pages
from webgrain.page.text import ELEMENTS, WEBSTEMMER, BlockRules, TextBlocks, text_blocks
from webgrain.papers.alignment import assign, common_length, heaviest_common

AnyPage = Page | Source | str | bytes | Path
"""A page, or what `webgrain.parse` accepts: HTML or the path of a file."""
Anchors = Mapping[str, Mapping[str, int]]
"""The texts of the links to a page with their numbers, by the id of the page."""

ATTRIBUTES = ("align", "class", "colspan", "id", "rowspan", "valign")
"""Attributes that are part of a feature."""
STEPS = 3
"""Elements of a feature."""
STATIC = 0.5
"""DiffScore below which text is static and cannot be a title."""
MAX_BLOCKS = 4000
"""Blocks of a page that are used, so that an alignment needs at most 16 MB."""
MAX_PAIRS = 200
"""Pairs of pages whose texts are compared for a DiffScore."""
MAX_TEXT = 3000
"""Characters of a text that are compared."""
_MANGLE = re.compile(r"(?:\[\^?[^][\\^]+\]|\\[wWdD])[+*]?")
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")
_WORDS = re.compile(r"\w+")


# Step 1: a page is a sequence of layout blocks.


@dataclass(frozen=True, slots=True, eq=False)
class BlockSequence:
    """A page as a sequence of layout blocks: its id, the blocks, and the feature of each block."""

    page: str
    blocks: TextBlocks
    features: tuple[str, ...]

    @property
    def weight(self) -> Float64:
        """(b,) letters and digits of each block."""
        return self.blocks.weight[: len(self.features)].astype(np.float64)


def block_sequence(page: Page, rules: BlockRules = ELEMENTS, mangle: str | None = None) -> BlockSequence:
    """Return a page as a sequence of layout blocks; mangle: the characters kept of attribute values.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div id=Main><p class='x7 y'>Some text"))
    >>> block_sequence(page, WEBSTEMMER).features, block_sequence(page, WEBSTEMMER, "[a-z]+").features
    (('div:id=main/p:class=x7 y',), ('div:id=main/p:class=xy',))
    """
    blocks = text_blocks(page, rules)
    kept, holders = re.compile(check_mangle(mangle)) if mangle else None, blocks.holder[:MAX_BLOCKS].tolist()
    feature = {element: _feature(page.dom, blocks, element, kept) for element in set(holders)}
    return BlockSequence(page.id, blocks, tuple(feature[element] for element in holders))


def _feature(dom: Dom, blocks: TextBlocks, element: int, kept: re.Pattern[str] | None) -> str:
    steps: list[str] = []
    while element >= 0 and len(steps) < STEPS:
        node = int(blocks.element[element])
        attributes = dom.attributes(node)
        step = [dom.name(node)]
        for name in ATTRIBUTES:
            if name in attributes:
                value = _NOT_ASCII.sub("?", attributes[name].lower())
                step.append(f"{name}={''.join(kept.findall(value)) if kept else value}")
        steps.append(":".join(step))
        element = int(blocks.up[element])
    return "/".join(reversed(steps))


def check_mangle(mangle: object) -> str:
    """Return ``mangle`` if it is a class of characters, else raise `ParameterError`.

    It may come from a file, and matching other regular expressions may take forever.

    >>> check_mangle("[a-z]+")
    '[a-z]+'
    """
    if not isinstance(mangle, str) or not _MANGLE.fullmatch(mangle):
        raise ParameterError(f"mangle must be a class of characters such as [a-z]+, got {mangle!r:.80}.")
    return mangle


class Section(NamedTuple):
    """A block of a layout: DiffScore, MainScore, feature."""

    diff: float
    main: float
    feature: str


class Pattern(NamedTuple):
    """A layout: LayoutPatternScore, name, number of the title section (-1: none), sections, its pages."""

    score: float
    name: str
    title: int
    sections: tuple[Section, ...]
    pages: tuple[str, ...] = ()


@dataclass(kw_only=True, eq=False, repr=False)
class Webstemmer(Estimator):
    """The layouts of a site as described by Shinyama, and the articles on its pages.

    Attributes:
        cluster_threshold: least similarity of two pages of a layout, 0..1.
        title_threshold: least similarity of a title to the links to its page, 0..1.
        pattern_threshold: least LayoutPatternScore of a layout of articles.
        match_threshold: least share of the weight of a page that matches its layout, 0..1.
        diff_threshold: least DiffScore of text that is not static, 0..1.
        main_threshold: least MainScore of main text, characters a page.
        strict: reject a page that lacks a section of its layout.
        mangle: characters kept of attribute values, such as ``[a-z]+``; None: all.
        patterns_: the layouts, the most significant first.
        n_pages_: number of pages they were learnt from.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = "<title>{0}</title><ul><li>Home page</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    >>> texts = {"One": "alpha beta gamma " * 9, "Two": "delta iota " * 9, "Six": "rho sigma tau " * 9}
    >>> pages = [parse(Source(name, html.format(name, text).encode())) for name, text in texts.items()]
    >>> method = Webstemmer(pattern_threshold=0, main_threshold=20).fit(pages)
    >>> method.predict(pages[2]).text[:13]
    'rho sigma tau'
    """

    cluster_threshold: float = real(0.97, 0.0, 1.0)
    title_threshold: float = real(0.6, 0.0, 1.0)
    pattern_threshold: float = real(100.0, low=0.0)
    match_threshold: float = real(0.8, 0.0, 1.0)
    diff_threshold: float = real(0.5, 0.0, 1.0)
    main_threshold: float = real(50.0, low=0.0)
    strict: bool = choice(False, (True, False))
    mangle: str | None = None
    patterns_: tuple[Pattern, ...] | None = field(default=None, init=False, repr=False)
    n_pages_: int = field(default=0, init=False, repr=False)

    _rules: ClassVar[BlockRules] = BlockRules(
        steps=(WEBSTEMMER.steps or frozenset()) - {"span", "font"}, least=1, wide=1
    )
    """How pages are cut into blocks: the description speaks of block elements only."""

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mangle is not None:
            check_mangle(self.mangle)

    def fit(self, pages: Iterable[AnyPage], anchors: Anchors | None = None) -> Self:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of the links to each page, by its id; default: those of the links on the pages.
        """
        collected, found = AnchorTexts(), list[BlockSequence]()
        for page in as_pages(pages):
            found.append(self.sequence(page))
            if anchors is None:
                collected.add(page)
        texts = collected.texts() if anchors is None else anchors
        found.sort(key=lambda sequence: sequence.page)
        return self.fit_groups([[found[i] for i in group] for group in self.clusters(found)], texts)

    def fit_groups(self, groups: Sequence[Sequence[BlockSequence]], anchors: Anchors) -> Self:
        """Learn a layout from each group of two or more pages (steps 3 to 5)."""
        ordered = (sorted(pages, key=lambda sequence: sequence.page) for pages in groups if len(pages) > 1)
        found = [self._pattern(pages, anchors) for pages in ordered]
        kept = (one for one in found if one.sections and one.score >= self.pattern_threshold)
        self.patterns_ = tuple(sorted(kept, key=lambda pattern: (-pattern.score, pattern.name)))
        self.n_pages_ = sum(map(len, groups))
        return self

    def sequence(self, page: Page) -> BlockSequence:
        """Return a page as a sequence of layout blocks (step 1)."""
        return block_sequence(page, self._rules, self.mangle)

    # Step 2: similarity of two pages.

    def similarity(self, a: BlockSequence, b: BlockSequence) -> float:
        """Return the weight of the heaviest common subsequence of two pages, divided by their weight."""
        total = float(a.weight.sum() + b.weight.sum())
        (features_a, weight_a), (features_b, weight_b) = _runs(a), _runs(b)
        pairs = heaviest_common(*_numbered(features_a, features_b), weight_a, weight_b)
        common = float(weight_a[pairs[:, 0]].sum() + weight_b[pairs[:, 1]].sum())
        return common / max(total, 1.0)

    # Step 3: clusters of similar pages, and the blocks that the pages of a cluster have in common.

    def clusters(self, pages: Sequence[BlockSequence]) -> list[list[int]]:
        """Return the clusters of pages: complete linkage, the most similar clusters are merged first.

        Two pages are not compared if the features that both have weigh too little, whatever their order.
        """
        weights = [feature_weights([page]) for page in pages]
        similar = np.eye(len(pages))
        for i, page in enumerate(pages):
            for j in range(i):
                if _bound(weights[i], weights[j]) >= self.cluster_threshold:
                    similar[i, j] = similar[j, i] = self.similarity(page, pages[j])
        return _complete_linkage(similar, self.cluster_threshold)

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the features that two sequences have in common, in order; weight: of each feature."""
        weights = [np.array([weight.get(feature, 0.0) for feature in features]) for features in (a, b)]
        return [a[i] for i in heaviest_common(*_numbered(a, b), *weights)[:, 0].tolist()]

    def _common_features(self, pages: Sequence[BlockSequence]) -> list[str]:
        weight = feature_weights(pages)
        sequences = [without_repetitions(page.features) for page in pages]
        return reduce(lambda a, b: self.common(a, b, weight), sequences)

    def _pattern(self, pages: Sequence[BlockSequence], anchors: Anchors) -> Pattern:
        """Return the layout of some pages, with the scores of its sections."""
        features = self._common_features(pages)
        texts: list[list[str]] = [[] for _ in features]
        weight = [0.0] * len(features)
        for page in pages:
            place, weights = places(page, features), self.block_weight(page)
            for section in range(len(features)):
                own = np.flatnonzero(place == section)
                words = _WORDS.findall(" ".join(page.blocks.texts[i] for i in own).lower())
                texts[section].append(" ".join(words))
                weight[section] += float(weights[own].sum()) / len(pages)
        diff = [self.diff_score(own) for own in texts]
        main = [score * mean for score, mean in zip(diff, weight, strict=True)]
        names = tuple(page.page for page in pages)
        title = self._title(texts, diff, main, [list(anchors.get(name, ())) for name in names])
        sections = tuple(Section(*section) for section in zip(diff, main, features, strict=True))
        return Pattern(log(len(pages)) * sum(main), names[0], title, sections, names)

    # Step 4: how much the text of a section varies, and how much of it there is.

    def diff_score(self, texts: Sequence[str]) -> float:
        """Return how much the texts of a section differ from page to page, 0..1.

        >>> Webstemmer().diff_score(["same", "same", "same"]), Webstemmer().diff_score(["abcd", "xycd"])
        (0.0, 0.5)
        """
        letters = [text.replace(" ", "")[:MAX_TEXT] for text in texts]
        differs = total = 0.0
        for i, j in pairs_of(len(letters)):
            a, b = letters[i], letters[j]
            total += len(a) + len(b)
            differs += 0.0 if a == b else len(a) + len(b) - 2 * self.matched(a, b)
        return differs / total if total else 0.0

    def matched(self, a: str, b: str) -> float:
        """Return the number of characters that two texts have in common: their longest common subsequence."""
        return common_length(*(np.frombuffer(t.encode("utf-32-le", "replace"), np.int32) for t in (a, b)))

    def block_weight(self, page: BlockSequence) -> Int32:
        """Return the weight of each block (b,) in the MainScore."""
        return page.blocks.weight

    # Step 5: the title of the pages of a layout.

    def _title(
        self,
        texts: Sequence[Sequence[str]],
        diff: Sequence[float],
        main: Sequence[float],
        anchors: Sequence[Sequence[str]],
    ) -> int:
        """Return the section that is the title on most pages, -1 if most have none.

        It comes before the section with the largest MainScore and is most similar to the links to the page;
        if no section is, the one most similar to the main text. texts: of each section on each page.
        """
        if not texts:
            return -1
        last = max(range(len(texts)), key=lambda section: (main[section], -section))
        trust = [self.title_trust(score) for score in diff[:last]]
        votes: Counter[int] = Counter()
        for page, links in enumerate(anchors):
            candidates = [own[page] for own in texts[:last]]
            by_link = [self._similarity_to_links(text, links) for text in candidates]
            by_text = [self.title_similarity(text, texts[last][page]) for text in candidates]
            title = _best(np.multiply(by_link, trust), self.title_threshold)
            votes[title if title >= 0 else _best(np.multiply(by_text, trust), self.fallback_threshold)] += 1
        return max(votes, key=lambda section: (votes[section], section))

    def _similarity_to_links(self, text: str, anchors: Sequence[str]) -> float:
        """Return the greatest Dice coefficient of a text and the text of a link, in characters."""
        letters, found = text.replace(" ", "")[:MAX_TEXT], 0.0
        for anchor in anchors:
            other = "".join(_WORDS.findall(anchor.lower()))[:MAX_TEXT]
            if letters and other:
                found = max(found, 2 * self.matched(letters, other) / (len(letters) + len(other)))
        return found

    def title_trust(self, diff: float) -> float:
        """Return the factor of a section in the search for the title: static sections are excluded."""
        return float(diff >= STATIC)

    def title_similarity(self, title: str, main: str) -> float:
        """Return the share of the words of a title that occur in the main text in the same order."""
        words = title.split()
        return common_length(*_numbered(words, main.split())) / max(len(words), 1)

    @property
    def fallback_threshold(self) -> float:
        """What the similarity of title and main text must exceed."""
        return self.title_threshold

    # Extraction.

    def predict(self, page: AnyPage) -> Article:
        """Return title, main text and other varying text of a page, by the layout that matches most of it.

        `ParameterError` before `fit`.
        """
        patterns, found = self._fitted_patterns(), self.sequence(as_page(page))
        weight, pattern = found.weight, None
        most, place = self.match_threshold * float(weight.sum()), np.zeros(0, np.int32)
        for candidate in patterns:
            placed = places(found, [section.feature for section in candidate.sections])
            matched = float(weight[placed >= 0].sum())
            complete = len(np.unique(placed[placed >= 0])) == len(candidate.sections)
            if matched > most and (complete or not self.strict):
                pattern, most, place = candidate, matched, placed
        if pattern is None:
            return Article("unknown")
        blocks = tuple(self._blocks(found, pattern, place))
        title = " ".join(block.text for block in blocks if block.kind == "title")
        verdict = "article" if any(block.kind == "paragraph" for block in blocks) else "index"
        return Article(verdict, title, blocks, pattern.name, round(most / float(weight.sum()), 4))

    def _blocks(self, page: BlockSequence, pattern: Pattern, place: Int32) -> Iterable[Part]:
        """Yield the title, the main text after it, and the rest that varies, in the order of the page."""
        holder = np.append(page.blocks.element, np.zeros(1, np.int32))[page.blocks.holder].tolist()
        for block in np.flatnonzero(place >= 0).tolist():
            at = int(place[block])
            section = pattern.sections[at]
            if at != pattern.title and section.diff < self.diff_threshold:
                continue
            main = section.main >= self.main_threshold and at > pattern.title
            kind = "title" if at == pattern.title else "paragraph" if main else "sub"
            yield Part(kind, holder[block], (page.blocks.texts[block],), score=round(section.diff, 4))

    def _fitted_patterns(self) -> tuple[Pattern, ...]:
        if self.patterns_ is None:
            raise ParameterError(f"{type(self).__name__} is not fitted: call fit, or load a model.")
        return self.patterns_

    def _state(self) -> dict[str, Any]:
        patterns = [pattern._asdict() for pattern in self._fitted_patterns()]
        return {"pages": self.n_pages_, "patterns": patterns}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.n_pages_ = int(state["pages"])
        self.patterns_ = tuple(_make_pattern(**pattern) for pattern in state["patterns"])


def without_repetitions(features: Sequence[str]) -> list[str]:
    """Return features without immediate repetitions."""
    return [feature for feature, _ in groupby(features)]


def feature_weights(pages: Iterable[BlockSequence]) -> dict[str, float]:
    """Return the weight of the blocks of each feature on these pages."""
    weights: dict[str, float] = defaultdict(float)
    for page in pages:
        for feature, weight in zip(page.features, page.weight.tolist(), strict=True):
            weights[feature] += weight
    return dict(weights)


def places(page: BlockSequence, features: Sequence[str]) -> Int32:
    """Return the section (b,) that each block of a page is assigned to, -1 for none."""
    number = {feature: i for i, feature in enumerate(dict.fromkeys(features))}
    items = np.array([number.get(feature, -1) for feature in page.features], np.int32)
    return assign(items, page.weight, np.array([number[feature] for feature in features], np.int32))


def pairs_of(size: int) -> list[tuple[int, int]]:
    """Return the pairs (0, 1), (0, 2), (1, 2), (0, 3), ... of numbers below ``size``, at most `MAX_PAIRS`.

    >>> pairs_of(3), len(pairs_of(2000))
    ([(0, 1), (0, 2), (1, 2)], 200)
    """
    total, pairs = size * (size - 1) // 2, []
    for k in range(total) if total <= MAX_PAIRS else (k * total // MAX_PAIRS for k in range(MAX_PAIRS)):
        j = (isqrt(8 * k + 1) + 1) // 2
        pairs.append((k - j * (j - 1) // 2, j))
    return pairs


def _best(scores: Float64, threshold: float) -> int:
    """Return the first of the highest scores if it is above the threshold, else -1."""
    best = int(scores.argmax()) if len(scores) else -1
    return best if best >= 0 and scores[best] > threshold else -1


def _runs(page: BlockSequence) -> tuple[list[str], Float64]:
    """Return the features without immediate repetitions, and the weight of each run."""
    features = page.features
    starts = [i for i in range(len(features)) if i == 0 or features[i] != features[i - 1]]
    weight = np.add.reduceat(page.weight, starts) if starts else page.weight
    return [features[i] for i in starts], weight


def _numbered(a: Sequence[str], b: Sequence[str]) -> tuple[Int32, Int32]:
    """Return both sequences with a number for each distinct item."""
    number = {item: i for i, item in enumerate(dict.fromkeys([*a, *b]))}
    return np.array([number[i] for i in a], np.int32), np.array([number[i] for i in b], np.int32)


def _bound(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return the greatest similarity that two pages with these weights of features can have."""
    total = sum(a.values()) + sum(b.values())
    return sum(a[feature] + b[feature] for feature in sorted(a.keys() & b.keys())) / total if total else 1.0


def _complete_linkage(similar: Float64, threshold: float) -> list[list[int]]:
    """Merge the two clusters whose least similar members are most similar, while they reach the threshold."""
    similar = similar - 2.0 * np.eye(len(similar))
    groups = {number: [number] for number in range(len(similar))}
    while len(similar) and similar.max() >= threshold:
        i, j = sorted(divmod(int(similar.argmax()), len(similar)))
        similar[i] = similar[:, i] = np.minimum(similar[i], similar[j])
        similar[i, i] = similar[j, :] = similar[:, j] = -1.0
        groups[i] += groups.pop(j)
    return [sorted(group) for group in groups.values()]


# The program of 2007.


@dataclass(kw_only=True, eq=False, repr=False)
class OriginalWebstemmer(Webstemmer):
    """Layouts as the program Webstemmer 0.7.1 of 2007 learns them; parameters as in `Webstemmer`."""

    _rules: ClassVar[BlockRules] = WEBSTEMMER

    def similarity(self, a: BlockSequence, b: BlockSequence) -> float:
        """Return the weight of the blocks of both pages with a common feature, divided by that of all."""
        shared = self.common(without_repetitions(a.features), without_repetitions(b.features), {})
        total = float(a.weight.sum() + b.weight.sum())
        return sum(float(page.weight[places(page, shared) >= 0].sum()) for page in (a, b)) / max(total, 1.0)

    def clusters(self, pages: Sequence[BlockSequence]) -> list[list[int]]:
        """Put each page into the cluster of the nearest directory all of whose pages are similar to it."""
        found: list[list[int]] = []
        for number, page in enumerate(pages):
            for cluster in sorted(found, key=lambda own: _distance(pages[own[0]].page, page.page)):
                if all(self.similarity(pages[i], page) >= self.cluster_threshold for i in cluster):
                    cluster.append(number)
                    break
            else:
                found.append([number])
        return found

    def common(self, a: Sequence[str], b: Sequence[str], weight: Mapping[str, float]) -> list[str]:
        """Return the features in the matching blocks of difflib, the longer sequence first."""
        a, b = (a, b) if len(a) >= len(b) else (b, a)
        matches = SequenceMatcher(None, a, b).get_matching_blocks()
        return [feature for match in matches for feature in a[match.a : match.a + match.size]]

    def matched(self, a: str, b: str) -> float:
        """Return the number of characters in the matching blocks of difflib."""
        return sum(match.size for match in SequenceMatcher(None, a, b).get_matching_blocks())

    def block_weight(self, page: BlockSequence) -> Int32:
        """Return the letters and digits of each block (b,) outside links."""
        return page.blocks.weight_noanchor

    def title_trust(self, diff: float) -> float:
        """Return the DiffScore."""
        return diff

    def title_similarity(self, title: str, main: str) -> float:
        """Return the sum of the squared lengths of the common parts, divided by the length of the title."""
        matches = SequenceMatcher(None, title, main).get_matching_blocks()
        return sum(match.size**2 for match in matches) / max(len(title), 1)

    @property
    def fallback_threshold(self) -> float:
        """Return the fixed threshold of the program."""
        return 1.0


def _distance(a: str, b: str) -> int:
    """Return how far two pages are apart in the tree of directories; those near the root count most."""
    pairs = zip_longest(a.split("/")[:-1], b.split("/")[:-1])
    return sum(1 << max(31 - depth, 0) for depth, (x, y) in enumerate(pairs) if x != y)


# Pattern files.

MAX_BYTES = 64 * 2**20
"""Size of a pattern file up to which it is read."""
MAX_PATTERN = 2**20
"""Characters of one pattern."""
_FORMAT = "0.6.1"
_MANGLE_LINE = "!mangle_pat="
_PARAMETER = re.compile(r"### (cluster_threshold|title_threshold|pages)=(\d{1,9}(?:\.\d{1,9})?)(?!\S)")
_PAGE_LINE = re.compile(r"^#(?:\t| {4,})\s*([^\s(].*?)\s*$")
_REMARK = re.compile(r"\s\([A-Z][A-Za-z ]*\)\s*$")
_STRING = re.compile(r"'(?:[^'\\]|\\.)*'|\"(?:[^\"\\]|\\.)*\"")


def read_patterns(path: Path) -> OriginalWebstemmer:
    """Return the layouts in a pattern file; `InputError` if it cannot be read or is not a pattern file."""
    try:
        with path.open("rb") as file:
            content = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise InputError(f"Cannot read patterns from {path}: {error.strerror or error}.") from error
    if len(content) > MAX_BYTES:
        raise InputError(f"{path} is not a pattern file: it has more than {MAX_BYTES:,} bytes.")
    if not content.strip():
        raise InputError(f"{path} is not a pattern file: it is empty.")
    try:
        return parse_patterns(content.decode("utf-8", "replace"))
    except ParameterError as error:
        raise InputError(f"{path} is not a pattern file: {error}") from error


def parse_patterns(text: str) -> OriginalWebstemmer:
    r"""Return the layouts in the text of a pattern file; `ParameterError` if it is not one.

    >>> text = "### pages=2\n(9.5, 'a.html', 0, [(0.7, 20.0, 'title'), (0.9, 300.0, 'div/p')])\n"
    >>> parse_patterns(text).patterns_[0].sections[1]
    Section(diff=0.9, main=300.0, feature='div/p')
    """
    params: dict[str, Any] = {}
    patterns: list[Pattern] = []
    pages: list[str] = []
    unfinished, depth = list[str](), 0
    for number, line in enumerate(text.splitlines(), 1):
        if line.lstrip().startswith("#"):
            pages += _PAGE_LINE.findall(line)
            if match := _PARAMETER.match(line):
                params[match[1]] = float(match[2])
        elif line.startswith(_MANGLE_LINE) and not unfinished:
            params["mangle"] = check_mangle(str(_literal(line.removeprefix(_MANGLE_LINE), number)))
        elif line.strip():
            unfinished.append(_REMARK.sub("", line))
            code = _STRING.sub("", unfinished[-1])
            depth += sum(map(code.count, "([")) - sum(map(code.count, ")]"))
            if depth <= 0:
                patterns.append(_pattern(" ".join(unfinished), number, tuple(pages)))
                pages, unfinished, depth = [], [], 0
    if unfinished:
        raise ParameterError("its last pattern does not end.")
    n_pages = int(params.pop("pages", 0))
    found = OriginalWebstemmer(**params)
    found.patterns_, found.n_pages_ = tuple(patterns), n_pages
    return found


def _literal(text: str, line: int) -> object:
    """Return the value of a Python literal."""
    if len(text) > MAX_PATTERN:
        raise ParameterError(f"line {line}: a pattern has more than {MAX_PATTERN:,} characters.")
    try:
        return ast.literal_eval(text.strip())
    except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError) as error:
        raise ParameterError(f"line {line}: expected a tuple of numbers and strings.") from error


def _pattern(text: str, line: int, pages: tuple[str, ...]) -> Pattern:
    wrong = ParameterError(f"line {line}: expected (score, name, title, [(diff, main, feature), ...]).")
    value = _literal(text, line)
    if not isinstance(value, tuple) or len(value) not in (4, 5) or not isinstance(value[-1], list):
        raise wrong
    score, name, title = value[:3]
    try:
        return _make_pattern(score, name, title, value[-1], pages)
    except (ValueError, TypeError, OverflowError) as error:
        raise wrong from error


def _make_pattern(score: object, name: object, title: Any, sections: Any, pages: Iterable[object]) -> Pattern:
    """Return a layout from plain values; `ValueError` or `TypeError` if they are those of no layout."""
    found = tuple(Section(_finite(diff), _finite(main), _string(feature)) for diff, main, feature in sections)
    number = -1 if title is None else int(title)
    number = number if -1 <= number < len(found) else -1
    return Pattern(_finite(score), _string(name), number, found, tuple(map(str, pages)))


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}")
    return value


def format_patterns(method: Webstemmer, source: str = "") -> str:
    """Return layouts as the text of a pattern file; source: what they were learnt from.

    >>> method = OriginalWebstemmer()
    >>> method.patterns_ = (Pattern(9.5, "a", 0, (Section(0.7, 20.0, "p"),), ("a", "b")),)
    >>> print(format_patterns(method, "site").replace(chr(9), " "))
    ### version=0.6.1
    ### fname='site'
    ### cluster_threshold=0.970000
    ### title_threshold=0.600000
    ### pages=0
    <BLANKLINE>
    # 9.5 <a>
    # a
    # b
    (9.5, 'a', 0, [(0.7, 20.0, 'p')])
    <BLANKLINE>
    """
    lines = [
        f"### version={_FORMAT}",
        f"### fname={source!a}",
        f"### cluster_threshold={method.cluster_threshold:f}",
        f"### title_threshold={method.title_threshold:f}",
        f"### pages={method.n_pages_}",
        *([f"{_MANGLE_LINE}{method.mangle!a}"] if method.mangle else []),
        "",
    ]
    for pattern in method.patterns_ or ():
        sections = [tuple(section) for section in pattern.sections]
        lines.append(f"# {pattern.score!r} <{ascii(pattern.name)[1:-1]}>")  # ascii: a name stays on its line
        lines += [f"#\t{ascii(page)[1:-1]}" for page in pattern.pages]
        lines += [ascii((pattern.score, pattern.name, pattern.title, sections)), ""]
    return "\n".join(lines)


def write_patterns(path: Path, method: Webstemmer, source: str = "") -> None:
    """Write layouts to a pattern file; `InputError` if that fails."""
    with writing(path):
        path.write_text(format_patterns(method, source), encoding="utf-8")


# Files of layouts of either kind.


def read_layouts(path: Path, **params: Any) -> Webstemmer:
    """Return the fitted method in a file of `Webstemmer.save` or in a pattern file; params: to replace.

    `InputError` if the file cannot be read, is damaged, or contains something else.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     OriginalWebstemmer().fit([]).save(Path(folder) / "layouts.json")
    ...     read_layouts(Path(folder) / "layouts.json", match_threshold=0.4)
    OriginalWebstemmer(match_threshold=0.4)
    """
    method = read_patterns(path) if format_of(path) is None else Webstemmer.load(path)
    return method.set_params(**params)
