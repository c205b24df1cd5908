"""Layout patterns: a page as a sequence of features, a layout as the sequence that its pages have in common.

The feature of a block is the path of the three elements above it, each with the attributes that shape a page,
as in ``tr:valign=top/td:id=main/p``.
"""

from __future__ import annotations

import re
from collections import defaultdict
from dataclasses import dataclass
from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from webgrain.errors import ParameterError
from webgrain.kernels.alignment import assign
from webgrain.page.blocks import ELEMENTS, WEBSTEMMER, BlockRules, layout_blocks
from webgrain.results import Article, ArticleBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page
    from webgrain.template.containers import Thresholds

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
    def weight(self) -> NDArray[np.float64]:
        """(b,) letters of each block."""
        return self.blocks.weight[: len(self.features)].astype(np.float64)


def sequence(page: Page, rules: BlockRules = ELEMENTS, mangle: str | None = None) -> Sequenced:
    """Return a page as a sequence of features; mangle: a regular expression of what is kept of an attribute.

    >>> from webgrain.page.parse import parse
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


def places(page: Sequenced, features: Sequence[str]) -> NDArray[np.int32]:
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


def _told(
    page: Sequenced, pattern: Pattern, placed: NDArray[np.int32], thresholds: Thresholds
) -> Iterable[ArticleBlock]:
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
