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
Sim(A, B)             `page_similarity`                                           0..1
threshold of step 3   ``cluster_threshold`` (-t of analyze)                       0..1
layout block type E   `Section`
DiffScore(E)          `diff_score`, ``Section.diff``                              0..1
MainScore(E)          ``Section.main`` = DiffScore * mean weight                  characters a page
LayoutPatternScore    ``Pattern.score`` = ln |P| * sum of MainScore               ln(pages) * characters
title threshold       ``title_threshold`` (-T of analyze)                         0..1
extraction            ``match_threshold`` (-t), ``diff_threshold`` (-T),
                      ``main_threshold`` (-M), ``strict`` (-S)
====================  ==========================================================  ==========================

Departures from the description:

- Sim counts both blocks of a common pair: as printed, no two pages would be more similar than 1/2.
- Consecutive blocks with the same feature are one, as the paragraphs are in the pattern printed there.
- At most `MAX_PAIRS` pairs of pages, evenly spaced, and `MAX_LETTERS` characters of a text are compared for a
  DiffScore: all pairs are quadratic in the pages.
- Text in ``<noscript>`` is not a block.

Unclear in the description: the linkage of the "hierarchical" clustering; here it is complete linkage (all
pages of a layout are similar to each other). The similarity of title and main text in the fallback; here it
is the share of the words of the title that occur in the main text in the same order, because nearly all
letters of a title do.

The program of 2007 and its pattern files, which differ from the description, are in
`webgrain.papers.webstemmer2007`.

Cost: pairs of pages whose features can be similar enough are compared, each in O(blocks²).
"""

from __future__ import annotations

import math
import re
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import reduce
from itertools import groupby
from math import isqrt, log
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.estimator import Estimator, choice, real
from webgrain.base.failures import Failure
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.engines.guard import run_step, run_together
from webgrain.page.anchors import AnchorTexts
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.parsing import PageLike, as_page, as_pages
from webgrain.page.text import ELEMENTS, WEBSTEMMER, BlockRules, TextBlocks, text_blocks
from webgrain.papers.alignment import assign, common_length, heaviest_common

Anchors = Mapping[str, Mapping[str, int]]
"""The texts of the links to a page with their numbers, by the id of the page."""

BLOCK_ELEMENTS = BlockRules(steps=(WEBSTEMMER.steps or frozenset()) - {"span", "font"}, least=1, wide=1)
"""How pages are cut into blocks: the description speaks of block elements only."""
FEATURE_ATTRIBUTES = ("align", "class", "colspan", "id", "rowspan", "valign")
"""Attributes that are part of a feature."""
FEATURE_STEPS = 3
"""Elements of a feature."""
STATIC = 0.5
"""DiffScore below which text is static and cannot be a title."""
MAX_BLOCKS = 4000
"""Blocks of a page that are used, so that an alignment needs at most 16 MB."""
MAX_PAIRS = 200
"""Pairs of pages whose texts are compared for a DiffScore."""
MAX_LETTERS = 3000
"""Characters of a text that are compared."""
_MANGLE = re.compile(r"(?:\[\^?[^][\\^]+\]|\\[wWdD])[+*]?")
_NOT_ASCII = re.compile(r"[^\x20-\x7e]")
_WORDS = re.compile(r"\w+")


@dataclass(kw_only=True, eq=False, repr=False)
class LayoutParameters(Estimator):
    """The parameters and the layouts of `Webstemmer`, which the program of 2007 has too."""

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
    rejected_: dict[str, str] = field(default_factory=dict, init=False, repr=False)

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.mangle is not None:
            check_mangle(self.mangle)

    def _state(self) -> dict[str, Any]:
        return {"pages": self.n_pages_, "patterns": plain_patterns(fitted_patterns(self, self.patterns_))}

    def _restore(self, state: Mapping[str, Any]) -> None:
        self.n_pages_ = int(state["pages"])
        self.patterns_ = tuple(checked_pattern(**pattern) for pattern in state["patterns"])


@dataclass(kw_only=True, eq=False, repr=False)
class Webstemmer(LayoutParameters):
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
        rejected_: reasons by id of the pages that were left out, since a step fails at them.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> html = "<title>{0}</title><ul><li>Home page</ul><div id=post><h1>{0}</h1><p>{1}</div>"
    >>> texts = {"One": "alpha beta gamma " * 9, "Two": "delta iota " * 9, "Six": "rho sigma tau " * 9}
    >>> pages = [parse(Source(name, html.format(name, text).encode())) for name, text in texts.items()]
    >>> method = Webstemmer(pattern_threshold=0, main_threshold=20).fit(pages)
    >>> method.predict(pages[2]).text[:13]
    'rho sigma tau'
    """

    def fit(self, pages: Iterable[PageLike], anchors: Anchors | None = None) -> Self:
        """Learn the layouts of a site; the order of its pages makes no difference.

        anchors: the texts of the links to each page, by its id; default: those of the links on the pages.
        """
        sequences, texts, self.rejected_ = read_sequences(pages, anchors, self.sequence)
        groups, rejected = group_pages(sequences, lambda pages: cluster_pages(pages, self.cluster_threshold))
        self.rejected_ |= rejected
        return self.fit_groups(groups, texts)

    def fit_groups(self, groups: Sequence[Sequence[BlockSequence]], anchors: Anchors) -> Self:
        """Learn a layout from each group of two or more pages (steps 3 to 5)."""
        patterns, rejected = learn_patterns(groups, lambda pages: self._pattern(pages, anchors))
        self.rejected_ |= rejected
        self.patterns_ = significant(patterns, self.pattern_threshold)
        self.n_pages_ = sum(map(len, groups))
        return self

    def predict(self, page: PageLike) -> Article:
        """Return title, main text and other varying text of a page, by the layout that matches most of it.

        `ParameterError` before `fit`.
        """
        patterns = fitted_patterns(self, self.patterns_)
        match = best_match(self.sequence(as_page(page)), patterns, self.match_threshold, self.strict)
        return article_of(match, self.diff_threshold, self.main_threshold)

    def sequence(self, page: Page) -> BlockSequence:
        """Return a page as a sequence of layout blocks (step 1)."""
        return block_sequence(page, BLOCK_ELEMENTS, self.mangle)

    def _pattern(self, pages: Sequence[BlockSequence], anchors: Anchors) -> Pattern:
        """Return the layout of the pages of a cluster."""
        features = common_features(pages)
        weights = [page.blocks.weight for page in pages]
        texts, mean_weight = section_contents(pages, features, weights)
        diff = [diff_score(section) for section in texts]
        main = main_scores(diff, mean_weight)
        links = [list(anchors.get(page.page, ())) for page in pages]
        title = find_title(texts, diff, main, links, self.title_threshold)
        return make_pattern(pages, features, diff, main, title)


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
    kept = re.compile(check_mangle(mangle)) if mangle else None
    holders = blocks.holder[:MAX_BLOCKS].tolist()
    feature = {element: _feature(page.dom, blocks, element, kept) for element in set(holders)}
    return BlockSequence(page.id, blocks, tuple(feature[element] for element in holders))


def _feature(dom: Dom, blocks: TextBlocks, element: int, kept: re.Pattern[str] | None) -> str:
    steps: list[str] = []
    while element >= 0 and len(steps) < FEATURE_STEPS:
        node = int(blocks.element[element])
        attributes = dom.attributes(node)
        step = [dom.name(node)]
        for name in FEATURE_ATTRIBUTES:
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


def read_sequences(
    pages: Iterable[PageLike], anchors: Anchors | None, sequence_of: Callable[[Page], BlockSequence]
) -> tuple[list[BlockSequence], Anchors, dict[str, str]]:
    """Return the pages of a site as sequences, by their names, and the texts of the links to each page.

    anchors: these texts if they are known; None: collect them from the pages. The third value has the reasons
    of the pages that are left out, since a step fails at them.
    """
    collected = AnchorTexts()
    sequences = []
    rejected: dict[str, str] = {}
    for page in as_pages(pages):
        read = run_step(page, "learn", lambda page: (sequence_of(page), collected.read(page)))
        if isinstance(read, Failure):
            rejected[read.page] = read.error
            continue
        sequences.append(read[0])
        if anchors is None:
            collected.store(read[1])
    sequences.sort(key=lambda sequence: sequence.page)
    return sequences, collected.texts() if anchors is None else anchors, rejected


def group_pages(
    pages: Sequence[BlockSequence], cluster: Callable[[Sequence[BlockSequence]], Iterable[Sequence[int]]]
) -> tuple[list[list[BlockSequence]], dict[str, str]]:
    """Return clusters of pages, and the reasons of those at which clustering fails."""

    def group(pages: Sequence[BlockSequence]) -> list[list[BlockSequence]]:
        return [[pages[i] for i in members] for members in cluster(pages)]

    groups, failures = run_together(pages, [page.page for page in pages], "learn", group)
    return groups or [], {failure.page: failure.error for failure in failures}


def learn_patterns(
    groups: Iterable[Sequence[BlockSequence]], learn: Callable[[Sequence[BlockSequence]], Pattern]
) -> tuple[list[Pattern], dict[str, str]]:
    """Return the layout of each group of several pages, and the reasons of pages at which that fails."""
    patterns = []
    rejected: dict[str, str] = {}
    for pages in several_pages(groups):
        pattern, failures = run_together(pages, [page.page for page in pages], "learn", learn)
        rejected |= {failure.page: failure.error for failure in failures}
        if pattern is not None:
            patterns.append(pattern)
    return patterns, rejected


# Step 2: similarity of two pages.


def page_similarity(a: BlockSequence, b: BlockSequence) -> float:
    """Return the weight of the heaviest common subsequence of two pages, divided by their weight."""
    total = float(a.weight.sum() + b.weight.sum())
    features_a, weight_a = _runs(a)
    features_b, weight_b = _runs(b)
    pairs = heaviest_common(*_numbered(features_a, features_b), weight_a, weight_b)
    common = float(weight_a[pairs[:, 0]].sum() + weight_b[pairs[:, 1]].sum())
    return common / max(total, 1.0)


def without_repetitions(features: Sequence[str]) -> list[str]:
    """Return features without immediate repetitions.

    >>> without_repetitions(["h1", "p", "p", "h1"])
    ['h1', 'p', 'h1']
    """
    return [feature for feature, _ in groupby(features)]


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


# Step 3: clusters of similar pages, and the blocks that the pages of a cluster have in common.


def cluster_pages(pages: Sequence[BlockSequence], threshold: float) -> list[list[int]]:
    """Return the clusters of pages: complete linkage, the most similar clusters are merged first.

    Two pages are not compared if the features that both have weigh too little, whatever their order.
    """
    weights = [feature_weights([page]) for page in pages]
    similar = np.eye(len(pages))
    for i, page in enumerate(pages):
        for j in range(i):
            if _greatest_similarity(weights[i], weights[j]) >= threshold:
                similar[i, j] = page_similarity(page, pages[j])
                similar[j, i] = similar[i, j]
    return _complete_linkage(similar, threshold)


def feature_weights(pages: Iterable[BlockSequence]) -> dict[str, float]:
    """Return the weight of the blocks of each feature on these pages."""
    weights: dict[str, float] = defaultdict(float)
    for page in pages:
        for feature, weight in zip(page.features, page.weight.tolist(), strict=True):
            weights[feature] += weight
    return dict(weights)


def _greatest_similarity(a: Mapping[str, float], b: Mapping[str, float]) -> float:
    """Return the greatest similarity that two pages with these weights of features can have."""
    total = sum(a.values()) + sum(b.values())
    if not total:
        return 1.0
    return sum(a[feature] + b[feature] for feature in sorted(a.keys() & b.keys())) / total


def _complete_linkage(similar: Float64, threshold: float) -> list[list[int]]:
    """Merge the two clusters whose least similar members are most similar, while they reach the threshold."""
    similar = similar - 2.0 * np.eye(len(similar))
    groups = {number: [number] for number in range(len(similar))}
    while len(similar) and similar.max() >= threshold:
        i, j = sorted(divmod(int(similar.argmax()), len(similar)))
        similar[i] = np.minimum(similar[i], similar[j])
        similar[:, i] = similar[i]
        similar[i, i] = similar[j, :] = similar[:, j] = -1.0
        groups[i] += groups.pop(j)
    return [sorted(group) for group in groups.values()]


def several_pages(groups: Iterable[Sequence[BlockSequence]]) -> list[list[BlockSequence]]:
    """Return the groups of two or more pages, each sorted by the names of its pages."""
    return [sorted(pages, key=lambda sequence: sequence.page) for pages in groups if len(pages) > 1]


def common_features(pages: Sequence[BlockSequence]) -> list[str]:
    """Return the features that all pages have in common, in order."""
    weight = feature_weights(pages)

    def common(a: Sequence[str], b: Sequence[str]) -> list[str]:
        weight_a, weight_b = (
            np.array([weight.get(feature, 0.0) for feature in features]) for features in (a, b)
        )
        pairs = heaviest_common(*_numbered(a, b), weight_a, weight_b)
        return [a[i] for i in pairs[:, 0].tolist()]

    return reduce(common, [without_repetitions(page.features) for page in pages])


def sections_of_blocks(page: BlockSequence, features: Sequence[str]) -> Int32:
    """Return the section (b,) that each block of a page is assigned to, -1 for none."""
    number = {feature: i for i, feature in enumerate(dict.fromkeys(features))}
    items = np.array([number.get(feature, -1) for feature in page.features], np.int32)
    return assign(items, page.weight, np.array([number[feature] for feature in features], np.int32))


def section_contents(
    pages: Sequence[BlockSequence], features: Sequence[str], weights: Sequence[Int32]
) -> tuple[list[list[str]], list[float]]:
    """Return the words of each section on each page, and the mean weight of each section.

    weights: (b,) of the blocks of each page.
    """
    texts: list[list[str]] = [[] for _ in features]
    mean_weight = [0.0] * len(features)
    for page, weight in zip(pages, weights, strict=True):
        section_of = sections_of_blocks(page, features)
        for section in range(len(features)):
            blocks = np.flatnonzero(section_of == section)
            text = " ".join(page.blocks.texts[block] for block in blocks)
            texts[section].append(" ".join(_WORDS.findall(text.lower())))
            mean_weight[section] += float(weight[blocks].sum()) / len(pages)
    return texts, mean_weight


# Step 4: how much the text of a section varies.


def common_letters(a: str, b: str) -> int:
    """Return the number of characters that two texts have in common: their longest common subsequence.

    >>> common_letters("abcd", "xbyd")
    2
    """
    return common_length(*(np.frombuffer(t.encode("utf-32-le", "replace"), np.int32) for t in (a, b)))


def diff_score(texts: Sequence[str], common: Callable[[str, str], int] = common_letters) -> float:
    """Return how much the texts of a section differ from page to page, 0..1.

    common: the number of characters that two texts have in common.

    >>> diff_score(["same", "same", "same"]), diff_score(["abcd", "xycd"])
    (0.0, 0.5)
    """
    letters = [text.replace(" ", "")[:MAX_LETTERS] for text in texts]
    differing = 0
    total = 0
    for i, j in pairs_of(len(letters)):
        a, b = letters[i], letters[j]
        total += len(a) + len(b)
        if a != b:
            differing += len(a) + len(b) - 2 * common(a, b)
    return differing / total if total else 0.0


def pairs_of(size: int) -> list[tuple[int, int]]:
    """Return the pairs (0, 1), (0, 2), (1, 2), (0, 3), ... of numbers below ``size``, at most `MAX_PAIRS`.

    >>> pairs_of(3), len(pairs_of(2000))
    ([(0, 1), (0, 2), (1, 2)], 200)
    """
    total = size * (size - 1) // 2
    number = min(total, MAX_PAIRS)
    pairs = []
    for step in range(number):
        k = step * total // number
        j = (isqrt(8 * k + 1) + 1) // 2
        pairs.append((k - j * (j - 1) // 2, j))
    return pairs


# Step 5: the title and the main text of the pages of a layout.


def main_scores(diff: Sequence[float], mean_weight: Sequence[float]) -> list[float]:
    """Return the MainScore of each section: its DiffScore times its mean weight."""
    return [score * weight for score, weight in zip(diff, mean_weight, strict=True)]


def find_title(
    texts: Sequence[Sequence[str]],
    diff: Sequence[float],
    main: Sequence[float],
    links: Sequence[Sequence[str]],
    threshold: float,
) -> int:
    """Return the section that is the title on most pages, -1 if most have none.

    It comes before the section with the largest MainScore, is not static, and is most similar to the links to
    the page; if no section is, it is the one most similar to the main text.

    texts: of each section on each page. diff, main: scores of each section. links: their texts for each page.
    """
    if not texts:
        return -1
    largest = largest_section(main)
    varies = [float(score >= STATIC) for score in diff[:largest]]
    by_links = np.multiply(similarities_to_links(texts[:largest], links), varies)
    by_text = np.multiply(similarities_to_text(texts, largest, share_of_words), varies)
    return most_frequent_title(by_links, by_text, threshold, threshold)


def largest_section(main: Sequence[float]) -> int:
    """Return the first section with the largest MainScore."""
    return max(range(len(main)), key=lambda section: (main[section], -section))


def similarities_to_links(
    texts: Sequence[Sequence[str]],
    links: Sequence[Sequence[str]],
    common: Callable[[str, str], int] = common_letters,
) -> Float64:
    """Return the greatest similarity of each text to a link to its page (pages, sections).

    It is the Dice coefficient in characters: twice those in common, divided by the sum of the lengths.
    """
    similarity = np.zeros((len(links), len(texts)))
    for page, of_page in enumerate(links):
        anchors = ["".join(_WORDS.findall(anchor.lower()))[:MAX_LETTERS] for anchor in of_page]
        for section, of_section in enumerate(texts):
            letters = of_section[page].replace(" ", "")[:MAX_LETTERS]
            for anchor in anchors:
                if letters and anchor:
                    dice = 2 * common(letters, anchor) / (len(letters) + len(anchor))
                    similarity[page, section] = max(similarity[page, section], dice)
    return similarity


def similarities_to_text(
    texts: Sequence[Sequence[str]], largest: int, similarity: Callable[[str, str], float]
) -> Float64:
    """Return the similarity of each text before the largest section to the text of that (pages, sections)."""
    pages = len(texts[largest])
    rows = np.zeros((pages, largest))
    for page in range(pages):
        for section in range(largest):
            rows[page, section] = similarity(texts[section][page], texts[largest][page])
    return rows


def share_of_words(title: str, main: str) -> float:
    """Return the share of the words of a title that occur in the main text in the same order.

    >>> share_of_words("the boat came back", "the old boat never came")
    0.75
    """
    words = title.split()
    return common_length(*_numbered(words, main.split())) / max(len(words), 1)


def most_frequent_title(
    by_links: Float64, by_text: Float64, link_threshold: float, text_threshold: float
) -> int:
    """Return the section that is the title on most pages, -1 if most have none.

    by_links, by_text (pages, sections): similarities; on a page, those to the text count if none of those to
    links is above its threshold.
    """
    votes: Counter[int] = Counter()
    for similar_to_links, similar_to_text in zip(by_links, by_text, strict=True):
        title = _best(similar_to_links, link_threshold)
        if title < 0:
            title = _best(similar_to_text, text_threshold)
        votes[title] += 1
    return max(votes, key=lambda section: (votes[section], section))


def _best(scores: Float64, threshold: float) -> int:
    """Return the first of the highest scores if it is above the threshold, else -1."""
    best = int(scores.argmax()) if len(scores) else -1
    return best if best >= 0 and scores[best] > threshold else -1


def make_pattern(
    pages: Sequence[BlockSequence],
    features: Sequence[str],
    diff: Sequence[float],
    main: Sequence[float],
    title: int,
) -> Pattern:
    """Return the layout of these pages with its LayoutPatternScore; the name is that of the first page."""
    score = log(len(pages)) * sum(main)
    sections = tuple(Section(*section) for section in zip(diff, main, features, strict=True))
    names = tuple(page.page for page in pages)
    return Pattern(score, names[0], title, sections, names)


def significant(patterns: Iterable[Pattern], threshold: float) -> tuple[Pattern, ...]:
    """Return the layouts with sections and a LayoutPatternScore of at least the threshold, largest first."""
    kept = [pattern for pattern in patterns if pattern.sections and pattern.score >= threshold]
    return tuple(sorted(kept, key=lambda pattern: (-pattern.score, pattern.name)))


# Extraction.


class LayoutMatch(NamedTuple):
    """A page and the layout that matches it, with the section (b,) of each block and the matched share."""

    page: BlockSequence
    pattern: Pattern
    section_of: Int32
    share: float


def best_match(
    page: BlockSequence, patterns: Iterable[Pattern], threshold: float, strict: bool
) -> LayoutMatch | None:
    """Return the layout that matches most of the weight of a page; None if none matches more than a share.

    threshold: this share; strict: all sections of the layout must be on the page.
    """
    weight = page.weight
    total = float(weight.sum())
    most = threshold * total
    best = None
    for pattern in patterns:
        section_of = sections_of_blocks(page, [section.feature for section in pattern.sections])
        matched = float(weight[section_of >= 0].sum())
        complete = len(np.unique(section_of[section_of >= 0])) == len(pattern.sections)
        if matched > most and (complete or not strict):
            best = LayoutMatch(page, pattern, section_of, matched / total)
            most = matched
    return best


def article_of(match: LayoutMatch | None, diff_threshold: float, main_threshold: float) -> Article:
    """Return title, main text and other varying text of a page; verdict unknown if it has no layout."""
    if match is None:
        return Article("unknown")
    parts = tuple(_parts(match, diff_threshold, main_threshold))
    title = " ".join(part.text for part in parts if part.kind == "title")
    verdict = "article" if any(part.kind == "paragraph" for part in parts) else "index"
    return Article(verdict, title, parts, match.pattern.name, round(match.share, 4))


def _parts(match: LayoutMatch, diff_threshold: float, main_threshold: float) -> Iterable[Part]:
    """Yield the title, the main text after it, and the rest that varies, in the order of the page."""
    blocks, pattern = match.page.blocks, match.pattern
    holder = np.append(blocks.element, np.zeros(1, np.int32))[blocks.holder].tolist()
    for block in np.flatnonzero(match.section_of >= 0).tolist():
        number = int(match.section_of[block])
        section = pattern.sections[number]
        if number == pattern.title:
            role = "title"
        elif section.diff < diff_threshold:
            continue
        elif section.main >= main_threshold and number > pattern.title:
            role = "paragraph"
        else:
            role = "sub"
        yield Part(role, holder[block], (blocks.texts[block],), score=round(section.diff, 4))


# Layouts as plain values.


def fitted_patterns(method: Estimator, patterns: tuple[Pattern, ...] | None) -> tuple[Pattern, ...]:
    """Return the layouts of a method; `ParameterError` if it has none since it is not fitted."""
    if patterns is None:
        raise ParameterError(f"{type(method).__name__} is not fitted: call fit, or load a model.")
    return patterns


def plain_patterns(patterns: Iterable[Pattern]) -> list[dict[str, Any]]:
    """Return layouts as plain values."""
    return [pattern._asdict() for pattern in patterns]


def checked_pattern(
    score: object, name: object, title: Any, sections: Any, pages: Iterable[object]
) -> Pattern:
    """Return a layout from plain values; `ValueError` or `TypeError` if they are those of no layout."""
    checked = tuple(
        Section(_finite(diff), _finite(main), _string(feature)) for diff, main, feature in sections
    )
    number = -1 if title is None else int(title)
    if not -1 <= number < len(checked):
        number = -1
    return Pattern(_finite(score), _string(name), number, checked, tuple(map(str, pages)))


def _finite(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"expected a number, got {value!r}")
    return float(value)


def _string(value: object) -> str:
    if not isinstance(value, str):
        raise ValueError(f"expected a string, got {value!r}")
    return value
