"""Where a part of a page is: from its title and main text, and in which kind of part.

A value such as a date or a name belongs to the article if it is near the title, or in the unit that contains
title and main text, and not in a comment, a review, a menu or the bar of an archive.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence, Set
from functools import cached_property
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float32, UInt8
from webgrain.documents.article import Article
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import name_set
from webgrain.page.tagtables import TagTable
from webgrain.page.text import text_blocks
from webgrain.page.values import Question

COMMENT, REVIEW, FOOTER, MENU, ASIDE, CARD, ARCHIVE = (1 << k for k in range(7))
"""Kinds of parts, as bits."""
PARTS = {"footer": FOOTER, "aside": ASIDE, "card": CARD}
"""The kinds of parts that are features of a place."""
OTHERS = COMMENT | REVIEW | MENU | ARCHIVE
"""Kinds of parts that never state anything about the page."""

_WORDS = {
    COMMENT: name_set("comment comments commentlist disqus reply replies respond discussion"),
    REVIEW: name_set("review reviews rating ratings testimonial testimonials feedback"),
    FOOTER: name_set("footer foot colophon copyright"),
    MENU: name_set("nav navbar navigation menu topbar masthead breadcrumb breadcrumbs banner"),
    ASIDE: name_set(
        "sidebar aside related recommended recommendations popular recent latest trending widget more"
    ),
    CARD: name_set("card cards teaser teasers tile tiles carousel slider slide swiper"),
    ARCHIVE: name_set("wm wayback archive-toolbar"),
}
_MAY_NAME = re.compile("|".join(sorted(set().union(*_WORDS.values()))), re.I)
_TAGS = {"footer": FOOTER, "nav": MENU, "aside": ASIDE}
_OF_TAG = TagTable(lambda tag: _TAGS.get(tag, 0), np.uint8)
_LONGEST = 200  # characters of classes that are read (hand-set)
LINE = 160  # characters of a text block that is a line with a date (hand-set)
_NEAR = 20  # text blocks before and after the title that are near it (hand-set)


def _words(classes: str) -> list[str]:
    """Return the words of classes or of an id in lower case."""
    text = classes[:_LONGEST]
    spaced = "".join(f" {c.lower()}" if c.isupper() else c if c.isalnum() else " " for c in text)
    return spaced.split()


def _bits(classes: str) -> int:
    """Return the kinds of parts that classes or an id name."""
    if not _MAY_NAME.search(classes):
        return 0
    words = frozenset(_words(classes))
    return sum(bit for bit, names in _WORDS.items() if not names.isdisjoint(words))


_BITS = Question(_bits, np.uint8)


class Statement(NamedTuple):
    """A value that a page states: the rank of its source, its features, and its node; -1 for none."""

    value: str
    order: int
    features: Mapping[str, float]
    node: int = -1


class Surroundings:
    """Where the parts of a page are, as numbers of text blocks.

    Attributes:
        title: the block of the title or, without one, of the first text; -1 if neither is known.
        begin, end: the first and the last block of the main text; -1 if there is none.
        unit: the first and the last node of the element that contains title and main text.
        near: the nodes ``near[0]:near[1]`` are near the title or the beginning of the text.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><h1>A</h1><p>B</div><footer>C")
    >>> Surroundings(page, None).parts(page.dom.find_tag("footer")[0]) == FOOTER
    True
    """

    def __init__(self, page: Page, article: Article | None) -> None:
        self.page, self.dom = page, page.dom
        self.blocks = text_blocks(page)
        self.first = article.start if article else 0
        self.title = self.begin = self.end = -1
        self.unit = self.near = (0, 0)
        self.byline = article.byline if article else {}
        self._comments = [part.node for part in article.comments] if article else []
        if article is not None and self.first and len(self.blocks):
            self._place(article)

    def _place(self, article: Article) -> None:
        blocks, dom = self.blocks, self.dom
        body = article.nodes
        self.title = int(np.searchsorted(blocks.first, self.first))
        at = begin = self.title
        if body:
            begin = self.begin = int(np.searchsorted(blocks.first, body[0]))
            self.end = max(int(np.searchsorted(blocks.first, int(dom.end[body[-1]]))) - 1, begin)
            self.unit = self._unit(body)
        low, high = max(min(at, begin) - _NEAR, 0), min(max(at, begin) + _NEAR, len(blocks)) - 1
        if at > begin + _NEAR or begin > at + 4 * _NEAR:
            low, high = max(at - _NEAR, 0), min(at + 2 * _NEAR, len(blocks) - 1)
        self.near = int(blocks.first[low]), int(blocks.last[high]) + 1

    def _unit(self, body: list[int]) -> tuple[int, int]:
        """Return the nodes of the smallest element that contains the title and the main text."""
        dom = self.dom
        low, high = min(self.first, body[0]), max(self.first, body[-1])
        node = low
        while node > 0 and dom.end[node] <= high:
            node = int(dom.parent[node])
        return node, int(dom.end[node])

    @cached_property
    def dated(self) -> list[int]:
        """The text blocks that may have a date near their beginning."""
        return dated_blocks(self.blocks.texts)

    @cached_property
    def shown(self) -> Bool:
        """(n,) the visible nodes."""
        return visible_nodes(self.page)

    @cached_property
    def _inside(self) -> UInt8:
        """(n,) the kinds of parts with each node, as bits; those around title or article do not count."""
        dom = self.dom
        kinds: UInt8 = _OF_TAG.of_nodes(dom).astype(np.uint8)
        for name in ("class", "id", "itemprop", "itemtype"):
            attributes, nodes = dom.find_attribute(name)
            kinds[nodes] |= dom.ask(_BITS, attributes)
        kinds[self._comments] |= COMMENT
        kinds[dom.find_tag("body")] = 0
        begin, end = self.unit
        kinds[[node for node in (begin, *dom.ancestors(begin)) if dom.end[node] >= end]] = 0
        kinds[[self.first, *dom.ancestors(self.first)]] = 0
        used = int(np.bitwise_or.reduce(kinds)) if len(kinds) else 0
        inside = kinds.copy()
        for bit in (*PARTS.values(), COMMENT, REVIEW, MENU, ARCHIVE):
            if used & bit:
                inside |= dom.inside((kinds & bit) > 0).astype(np.uint8) * np.uint8(bit)
        return inside

    def is_other(self, node: int) -> bool:
        """Whether a node is in a comment, a review, a menu or the bar of an archive."""
        return bool(int(self._inside[node]) & OTHERS)

    def parts(self, node: int) -> int:
        """Return the kinds of parts in which a node is, as bits; those around the article do not count."""
        return int(self._inside[node])

    def block_at(self, node: int) -> int:
        """Return the text block in which a node is or, if it is in none, the next one."""
        first = self.blocks.first
        k = int(np.searchsorted(first, node, side="right")) - 1
        if k >= 0 and node <= self.blocks.last[k]:
            return k
        return min(k + 1, max(len(self.blocks) - 1, 0))

    def place(self, node: int) -> tuple[float, float, float, float]:
        """Return the blocks from the title, from the beginning and the end of the text; whether in the unit.

        Blocks before are negative; NaN if there is no title or no text.
        """
        k = self.block_at(node)
        title = _limited(k - self.title) if self.title >= 0 else np.nan
        if self.begin < 0:
            return title, np.nan, np.nan, np.nan
        is_inside = float(self.unit[0] <= node < self.unit[1])
        return title, _limited(k - self.begin), _limited(k - self.end), is_inside

    def place_features(self, node: int) -> dict[str, float]:
        """Return where a node is as features, see `place` and `parts`."""
        title, begin, end, in_unit = self.place(node)
        inside = self.parts(node)
        outside = {f"no {name}": float(not inside & bit) for name, bit in PARTS.items()}
        return {"at title": title, "at text": begin, "at end": end, "in unit": in_unit, **outside}

    def nearest_place(self, nodes: Sequence[int]) -> dict[str, float]:
        """Return the features of the node nearest to the title; those in other parts count as farther."""
        places = [self.place_features(node) for node in dict.fromkeys(nodes)]
        return places[0] if len(places) == 1 else min(places, key=_remoteness)

    def write(
        self, row: Float32, statements: Sequence[Statement], number: Mapping[str, int], few: Set[str]
    ) -> None:
        """Write the features of the statements of a value, and the place of the one nearest to the title.

        number: of each feature in the row; few: the features whose least value counts, not the greatest one.
        """
        for statement in statements:
            for name, value in statement.features.items():
                k = number[name]
                old = row[k]
                if old != old or (value < old if name in few else value > old):
                    row[k] = value
        row[number["statements"]] = len(statements)
        placed = [statement.node for statement in statements if statement.node >= 0]
        if placed:
            for name, value in self.nearest_place(placed).items():
                row[number[name]] = value

    def is_near(self, node: int) -> bool:
        """Whether a node is near the title or the beginning of the text."""
        return self.near[0] <= node < self.near[1]

    def distance(self, node: int) -> float:
        """Return how many nodes are between a node and the title; those before it count as farther."""
        return abs(node - self.first) + 30.0 * (node < self.first)


def _limited(blocks: int) -> float:
    """Return a number of blocks between -50 and 50."""
    return 50.0 if blocks > 50 else -50.0 if blocks < -50 else float(blocks)


def _remoteness(place: Mapping[str, float]) -> tuple[float, float]:
    """Return in how many parts of other kinds a place is, and how far it is from the title."""
    outside = sum([place[f"no {name}"] for name in PARTS])
    return -outside, abs(place["at title"]) + 5.0 * (place["at title"] < 0)


def dated_blocks(texts: Sequence[str]) -> list[int]:
    """Return the texts that may contain a date near their beginning.

    >>> dated_blocks(["Kim", "May 2020", "3/4/20"])
    [1, 2]
    """
    heads = [text[:LINE] for text in texts]
    ends = np.cumsum([len(head) + 1 for head in heads])
    places = [match.start() for match in _MAY_BE_DATED.finditer("\n".join(heads))]
    dated: list[int] = np.unique(np.searchsorted(ends, places, side="right")).tolist()
    return dated


_MAY_BE_DATED = re.compile(
    r"[0-9'’](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=\d)[./-]\d\d?[./-]\d\d(?!\d)|(?<=['’])\d\d(?!\d))"
)  # the set of the first characters makes the search fast
