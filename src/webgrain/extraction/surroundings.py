"""Where a part of a page is: from its title and main text, and in which kind of part.

A value such as a date or a name belongs to the article if it is near the title, or in the unit that contains
title and main text, and not in a comment, a review, a menu or the bar of an archive.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int64, UInt8
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
_BITS_OF_PARTS = np.array([FOOTER, ASIDE, CARD])  # the kinds of parts that are features of a place
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
_FARTHEST = 400.0  # nodes from the title (hand-set)
_BESIDE = 3  # text blocks between the title and a statement that is beside it (hand-set)
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


class Columns:
    """The features of candidates of a group of ``metadata.csv``.

    Attributes:
        names: of the columns (f,); number: of each name.
        least: (f,) whether the least value of the statements of a candidate counts, not the greatest.

    >>> Columns("author", "meta").number["article kind"]
    1
    """

    def __init__(self, group: str, least: str) -> None:
        self.names = tuple(names_by_group("metadata.csv")[group])
        self.number = {name: k for k, name in enumerate(self.names)}
        self.least: UInt8 = np.zeros(len(self.names), np.uint8)
        self.least[[self.number[name] for name in least.split(", ")]] = 1
        self.written = np.array([self.number.get(name, -1) for name in ("statements", "sources", "at title")])

    def numbers(self, *names: str) -> Int64:
        """Return the numbers of columns."""
        return np.array([self.number[name] for name in names])


class Surroundings:
    """Where the parts of a page are, as numbers of text blocks.

    Attributes:
        sizes: the number of characters of each text block.
        title: the block of the title or, without one, of the first text; -1 if neither is known.
        begin, end: the first and the last block of the main text; -1 if there is none.
        unit: the first and the last node of the element that contains title and main text.
        shares: (b,) the share of the pages of the site with the text of each block; None if not known.
        list_page: the probability that the page is a list; NaN if not known.
        near: the nodes ``near[0]:near[1]`` are near the title or the beginning of the text.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><h1>A</h1><p>B</div><footer>C")
    >>> Surroundings(page, None).inside[page.dom.find_tag("footer")].tolist() == [FOOTER]
    True
    """

    def __init__(self, page: Page, article: Article | None) -> None:
        self.page, self.dom = page, page.dom
        self.blocks = text_blocks(page)
        self.sizes = [*map(len, self.blocks.texts)]
        self.first = article.start if article else 0
        self.title = self.begin = self.end = -1
        self.unit = self.near = (0, 0)
        self.byline = article.byline if article else {}
        self.list_page = article.kinds.get("list", np.nan) if article else np.nan
        self.shares = article.shares if article else None
        if self.shares is not None and len(self.shares) != len(self.blocks):
            self.shares = None  # those of another tree
        self._comments = [part.node for part in article.comments] if article else []
        if article is not None and self.first and len(self.blocks):
            self._place(article)

    def _place(self, article: Article) -> None:
        blocks, dom = self.blocks, self.dom
        body = article.nodes
        self.title = int(blocks.first.searchsorted(self.first))
        at = begin = self.title
        if body:
            begin = self.begin = int(blocks.first.searchsorted(body[0]))
            self.end = max(int(blocks.first.searchsorted(dom.end[body[-1]])) - 1, begin)
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
        kinds = self.names | _OF_TAG.of_nodes(dom)
        if self._comments:
            kinds[self._comments] |= READ_COMMENT
        body = next(iter(dom.find_tag("body").tolist()), -1)
        tree = dom.parent, dom.end, kinds
        inside: UInt8 = statementkernel.inside_parts(*tree, body, self.first, *self.unit)
        return inside

    def is_other(self, node: Int64, place: Float32 | None = None) -> Bool:
        """Whether each node (s,) is in a comment, a review, a menu or the bar of an archive; not for -1.

        place: of `places`; if it is given, nodes beside the title are only in the bar of an archive or in a
        comment that the article has.
        """
        inside = self.inside[node]
        is_other: Bool = (inside & OTHERS) > 0
        if place is not None:
            is_other &= ~(np.abs(place[statementkernel.AT_TITLE]) <= _BESIDE)
        is_other |= (inside & _NEVER) > 0
        return is_other & (node >= 0)

    def distances(self, node: Int64) -> Float64:
        """Return how many nodes are between each node (s,) and the title; those before it count as farther.

        At most 400, and 400 if the title is not known.
        """
        if self.title < 0:
            return np.full(len(node), _FARTHEST)
        distance = np.abs(node - self.first) + 30.0 * (node < self.first)
        limited: Float64 = np.minimum(distance, _FARTHEST)
        return limited

    def places(self, node: Int64) -> Float32:
        """Return where each node (s,) is, see `webgrain.extraction.statementkernel.places`."""
        blocks, article = self.blocks, np.array([self.title, self.begin, self.end, *self.unit])
        places: Float32 = statementkernel.places(
            node, blocks.first, blocks.last, self.inside, article, _BITS_OF_PARTS
        )
        return places

    def least_shares(self, node: Int64, row: Sequence[int], candidates: int) -> Float32:
        """Return the least share of the pages of the site with a block of a statement of each candidate (c,).

        It is 0 if the site is not known or if a statement is nowhere on the page. node, row: (s,) the node
        and the candidate of each statement, -1 for none.
        """
        least = np.zeros(candidates, np.float32)
        if self.shares is None or not len(self.shares):
            return least
        blocks = self.blocks
        block = blocks.first.searchsorted(node, side="right") - 1
        is_before = (block < 0) | (node > blocks.last[block])
        block = np.minimum(block + is_before, len(blocks) - 1)
        share = np.where(node >= 0, self.shares[block], np.float32(0.0))
        least[:] = 1.0
        candidate = np.array(row)
        np.minimum.at(least, candidate[candidate >= 0], share[candidate >= 0])
        return least

    def near_blocks(self) -> tuple[int, int]:
        """Return the first text block near the title or the begin of the text, and the one behind these."""
        low, high = self.blocks.first.searchsorted(self.near).tolist()
        return low, high


def write_statements(
    statements: Sequence[Statement],
    row: Sequence[int],
    candidates: int,
    columns: Columns,
    place: Float32,
    distance: Float64,
) -> tuple[Float32, list[int]]:
    """Return the features (f, c) of candidates by their statements, and the best statement of each.

    row: the candidate of each statement, -1 for none; place, distance: of their nodes.
    """
    x = np.empty((len(columns.names), candidates), np.float32)
    x.fill(np.nan)
    order = np.array([statement[1] for statement in statements])
    features = [
        (k, column, value) for k, statement in enumerate(statements) for column, value in statement[3]
    ]
    owner, column, value = map(np.array, zip(*features, strict=True))
    of_statements = np.array(row), order, place
    of_features = owner, column, value, distance
    best = statementkernel.write_statements(x, columns.least, *of_statements, *of_features, columns.written)
    return x, best.tolist()


def dated_blocks(texts: Sequence[str]) -> list[int]:
    """Return the texts that may contain a date near their beginning.

    >>> dated_blocks(["Kim", "May 2020", "3/4/20"])
    [1, 2]
    """
    heads = [text[:LINE] for text in texts]
    places = [match.start() for match in _MAY_BE_DATED.finditer("\n".join(heads))]
    if not places:
        return []
    ends = (np.array([*map(len, heads)]) + 1).cumsum()
    return list(dict.fromkeys(ends.searchsorted(places, side="right").tolist()))


_MAY_BE_DATED = re.compile(
    r"[0-9'’](?:(?<=1)9\d\d|(?<=2)0\d\d|(?<=\d)[./-]\d\d?[./-]\d\d(?!\d)|(?<=['’])\d\d(?!\d))"
)  # the set of the first characters makes the search fast
