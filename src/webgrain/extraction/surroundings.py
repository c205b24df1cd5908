"""Where a part of a page is: from its title and main text, and in which kind of part.

A value such as a date or a name belongs to the article if it is near the title, or in the unit that contains
title and main text, and not in a comment, a review, a menu or the bar of an archive.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, UInt8
from webgrain.base.properties import cached_property
from webgrain.documents.article import Article
from webgrain.extraction import statementkernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import name_set
from webgrain.page.tagtables import TagTable
from webgrain.page.text import text_blocks
from webgrain.page.values import Question

COMMENT, REVIEW, FOOTER, MENU, ASIDE, CARD, ARCHIVE, READ_COMMENT = (1 << k for k in range(8))
"""Kinds of parts, as bits."""
_FEATURES = FOOTER, ASIDE, CARD
"""The kinds of parts that are features of a place."""
DATE_NAMED, CHANGE_NAMED = 1 << 8, 1 << 9
"""Names of dates and of changes, as bits above those of the parts."""
OTHERS = COMMENT | REVIEW | MENU | ARCHIVE
"""Kinds of parts that never state anything about the page, except perhaps a date beside the title."""
_NEVER = READ_COMMENT | ARCHIVE

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
_OF_TAG = TagTable(lambda tag: _TAGS.get(tag, 0), np.uint16)
_CHANGE_NAME = re.compile(r"(?<![a-z])(modified|updated?|changed|lastmod|edited|revised)(?![a-z])", re.I)
_DATE_NAME = re.compile(
    r"(?<![a-z])(dates?|published?|pubdate|time|timestamp|posted|dateline|datetime|created)(?![a-z])", re.I
)
_LONGEST_DATE_NAME = 100  # characters of classes in which the name of a date is read (hand-set)
_LONGEST = 200  # characters of classes that are read (hand-set)
LINE = 160  # characters of a text block that is a line with a date (hand-set)
BYLINE = 120  # characters of a text block that is a line with an author (hand-set)
_NEAR = 20  # text blocks before and after the title that are near it (hand-set)


def _words(classes: str) -> list[str]:
    """Return the words of classes or of an id in lower case."""
    text = classes[:_LONGEST]
    spaced = "".join(f" {c.lower()}" if c.isupper() else c if c.isalnum() else " " for c in text)
    return spaced.split()


def _part_bits(classes: str) -> int:
    """Return the kinds of parts that classes or an id name."""
    if not _MAY_NAME.search(classes):
        return 0
    words = frozenset(_words(classes))
    return sum(bit for bit, names in _WORDS.items() if not names.isdisjoint(words))


def _bits(value: str) -> int:
    """Return the kinds of parts that classes or an id name, and whether they name a date or a change."""
    bits = _part_bits(value)
    value = value[:_LONGEST_DATE_NAME]
    if _DATE_NAME.search(value):
        bits |= DATE_NAMED
    return bits | CHANGE_NAMED if _CHANGE_NAME.search(value) else bits


_BITS = Question(_bits, np.uint16)


Statement = tuple[str, int, int, tuple[tuple[int, float], ...]]
"""A value that a page states, the rank of its source, its node (-1 for none), and its features by column.

A feature that is NaN is the distance of the node from the title."""
DISTANCE = float("nan")


@dataclass(frozen=True, slots=True)
class Rules:
    """Which statements of a field count, and what the distance of one from the title is.

    Attributes:
        most: the number of candidates, at most.
        beside: text blocks to the title; a statement at most as far away is not in another part of the page.
        in_nodes: whether the distance is a number of nodes and not of text blocks.
    """

    most: int
    beside: int
    in_nodes: bool


class Columns:
    """The features of candidates of a group of ``metadata.csv``.

    Attributes:
        names: of the columns (f,); number: of each name.
        least: (f,) whether the least value of the statements of a candidate counts, not the greatest.
        of_page: the numbers of the columns that are equal for all candidates of a page.

    >>> Columns("author", "meta", "list page", Rules(9, -1, True)).number["article kind"]
    1
    """

    def __init__(self, group: str, least: str, of_page: str, rules: Rules) -> None:
        self.names = tuple(names_by_group("metadata.csv")[group])
        self.number = {name: k for k, name in enumerate(self.names)}
        self.least: UInt8 = np.zeros(len(self.names), np.uint8)
        self.least[[self.number[name] for name in least.split(", ")]] = 1
        self.of_page = self.numbers(*of_page.split(", "))
        self.written = tuple([self.number.get(name, -1) for name in ("statements", "sources", "at title")])
        self.rules = rules.most, _FEATURES, OTHERS | _NEVER, rules.beside, _NEVER, rules.in_nodes

    def numbers(self, *names: str) -> tuple[int, ...]:
        """Return the numbers of columns."""
        return tuple([self.number[name] for name in names])


class Surroundings:
    """Where the parts of a page are, as numbers of text blocks.

    Attributes:
        title: the block of the title or, without one, of the first text; -1 if neither is known.
        begin, end: the first and the last block of the main text; -1 if there is none.
        unit: the first and the last node of the element that contains title and main text.
        shares: (b,) the share of the pages of the site with the text of each block; empty if not known.
        list_page: the probability that the page is a list; NaN if not known.
        near: the nodes ``near[0]:near[1]`` are near the title or the beginning of the text.
        near_blocks: the text blocks ``near_blocks[0]:near_blocks[1]`` are near them.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><h1>A</h1><p>B</div><footer>C")
    >>> Surroundings(page, None).inside[page.dom.find_tag("footer")].tolist() == [FOOTER]
    True
    """

    def __init__(self, page: Page, article: Article | None) -> None:
        self.page, self.dom = page, page.dom
        self.blocks = text_blocks(page)
        self.texts = self.blocks.texts
        self.first = article.start if article else 0
        self.title = self.begin = self.end = -1
        self.unit = self.near = self.near_blocks = (0, 0)
        self.byline = article.byline if article else {}
        self.list_page = article.kinds.get("list", np.nan) if article else np.nan
        shares = article.shares if article else None
        self.shares = _NO_SHARES if shares is None or len(shares) != len(self.texts) else shares
        self._comments = [part.node for part in article.comments] if article else []
        if article is not None and self.first and len(self.texts):
            tree = self.blocks.first, self.blocks.last, self.dom.parent, self.dom.end
            numbers = statementkernel.article_place(*tree, self.first, article.nodes, _NEAR)
            self.title, self.begin, self.end = numbers[:3]
            self.unit, self.near, self.near_blocks = numbers[3:5], numbers[5:7], numbers[7:]

    @cached_property
    def _lines(self) -> tuple[list[int], list[int]]:
        lines: tuple[list[int], list[int]] = statementkernel.line_marks(self.texts, LINE, BYLINE)
        return lines

    @property
    def dated(self) -> list[int]:
        """The text blocks that may have a date near their beginning."""
        return self._lines[0]

    @property
    def signed(self) -> list[int]:
        """The short text blocks with a word that begins with "by", and is not the first."""
        return self._lines[1]

    @cached_property
    def shown(self) -> Bool:
        """(n,) the visible nodes."""
        return visible_nodes(self.page)

    @cached_property
    def names(self) -> NDArray[np.uint16]:
        """(n,) what the names of each node state, as bits: parts, `DATE_NAMED` and `CHANGE_NAMED`."""
        dom = self.dom
        pairs = [dom.find_attribute(name) for name in ("class", "id", "itemprop", "itemtype")]
        attributes = np.concatenate([attributes for attributes, _ in pairs])
        bits = dom.ask(_BITS, attributes)
        types = len(pairs[-1][0])  # types name parts only
        bits[len(bits) - types :] &= statementkernel.PARTS
        nodes = np.concatenate([nodes for _, nodes in pairs])
        names: NDArray[np.uint16] = statementkernel.node_bits(len(dom), nodes, bits)
        return names

    @cached_property
    def inside(self) -> UInt8:
        """(n,) the kinds of parts in which each node is, as bits, without those around title or article."""
        dom = self.dom
        body = next(iter(dom.find_tag("body").tolist()), -1)
        kinds = dom.tag, _OF_TAG.values(dom.tags), self.names, [READ_COMMENT, *self._comments]
        inside: UInt8 = statementkernel.inside_parts(
            dom.parent, dom.end, *kinds, (body, self.first, *self.unit)
        )
        return inside

    def described(
        self, statements: list[Statement], keys: list[int], columns: Columns, of_page: tuple[float, ...]
    ) -> tuple[Float32, list[int], Float32]:
        """Return the features (f, c) of candidates, the numbers of their best statements, and shares (c,).

        keys: the number of the value of each statement, -1 for none; equal values are a candidate. of_page:
        what the columns ``of_page`` contain. A share is the least share of the pages of the site with a text
        block that states the value; 0 if a statement is in none.
        """
        article = self.title, self.begin, self.end, *self.unit, self.first
        blocks = self.blocks.first, self.blocks.last, self.shares, article
        written = columns.least, columns.written, columns.of_page, of_page
        described: tuple[Float32, list[int], Float32] = statementkernel.described(
            statements, keys, *written, blocks, self.inside, columns.rules
        )
        return described


_NO_SHARES: Float32 = np.empty(0, np.float32)
