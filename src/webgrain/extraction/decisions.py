"""How the text of a page was decided: what each text block became, and by which probabilities.

    page --page_reading--> probabilities of its blocks
    article --parts--> the part that has each block

A block is in the main text if its probability after smoothing is high enough, see
`webgrain.extraction.single`. It is left out in spite of that if it is the title, a comment, hidden or a
repetition, and blocks in gaps of a list, a table or a figure are added. So the part of a block is searched in
the article, not computed once more.

Cost: that of the extraction of the page, and a walk over the elements around each block.
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import dataclass

import numpy as np

from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.extraction.single import SinglePage, page_reading, readable, trained_models
from webgrain.page.addresses import noted_addresses
from webgrain.page.dom import Dom
from webgrain.page.page import Page

_COLUMNS = ("main", "alone", "comment", "alike", "place")
_SHOWN = 80  # characters of a text in a line
_OF_TEXT = frozenset(("heading", "paragraph", "term", "caption", "code", "title", "sub"))
"""Kinds of parts that consist of text."""
_STEPS = 50  # elements around a block in which its part is searched, at most


@dataclass(frozen=True, slots=True)
class Decision:
    """A text block with its probabilities and what it became.

    Attributes:
        part: ``title``, ``main`` or ``comment``; empty for a block that was left out.
        alone, comment: the probabilities of main text and of a comment, by the page alone.
        main: the probability of main text with the site, if it is known, and with the blocks at the same
            place; the text has the blocks with high values.
        place: the CSS selector of the element that contains the block; alike: number of blocks at its place.
        text: of the block.
    """

    part: str
    alone: float
    comment: float
    main: float
    place: str
    alike: int
    text: str


def decisions(page: Page, article: Article | None = None, site: SiteTable | None = None) -> list[Decision]:
    """Return the decision about each text block of a page, in document order.

    article: what was extracted from the page; None: it is extracted now. site: the texts of its site.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<nav><a href=b>Boats</a></nav><h1>Lamp</h1><p>" + "The lamp is lit at dusk. " * 9)
    >>> [(decision.part, decision.place) for decision in decisions(page)]
    [('', 'html > body > nav'), ('title', 'html > body > h1'), ('main', 'html > body > p')]
    """
    if article is None:
        article = SinglePage().predict(page, site)
    page, blocks, _ = readable(page)
    if not len(blocks):
        return []
    read = page_reading(page, site, trained_models())
    facts, dom = read.facts, page.dom
    holders = facts.holder.tolist()
    places = noted_addresses(page, holders)[0]
    alike = np.bincount(facts.path_group)[facts.path_group].tolist()
    parts = _Parts(article)
    main, comment = read.alone.astype(np.float64).round(4).tolist()
    found = []
    for k, holder in enumerate(holders):
        part = parts.of(dom, holder, blocks.texts[k])
        place = places.get(holder, ("", ""))[1]
        odds = round(float(read.main[k]), 4)
        found.append(Decision(part, main[k], comment[k], odds, place, alike[k], blocks.texts[k]))
    return found


def decision_lines(page: Page, article: Article) -> str:
    r"""Return the decisions about the blocks of a page as lines, with a heading; tabs separate the columns.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>" + "The lamp is lit at dusk. " * 9)
    >>> lines = decision_lines(page, SinglePage().predict(page)).splitlines()
    >>> lines[0].split("\t")
    ['part', 'main', 'alone', 'comment', 'alike', 'place', 'text']
    """
    lines = ["\t".join(("part", *_COLUMNS, "text"))]
    for decision in decisions(page, article):
        values = (str(getattr(decision, column)) for column in _COLUMNS)
        text = " ".join(decision.text.split())[:_SHOWN]
        lines.append("\t".join((decision.part or "-", *values, text)))
    return "\n".join((*lines, ""))


class _Parts:
    """The parts of an article by their nodes."""

    def __init__(self, article: Article) -> None:
        self.texts: dict[int, list[tuple[str, str]]] = defaultdict(list)
        for block in article.blocks:
            name = block.kind if block.kind in ("title", "comment") else "main"
            for part in block.walk():
                if part.kind in _OF_TEXT:
                    self.texts[part.node].append((name, _collapsed(part.text)))

    def of(self, dom: Dom, node: int, text: str) -> str:
        """Return the part that has a text of a node: title, main, comment, or empty for none."""
        wanted = _collapsed(text)
        for _ in range(_STEPS):
            for name, whole in self.texts.get(node, ()):
                if wanted in whole:
                    return name
            if node == 0:
                break
            node = int(dom.parent[node])
        return ""


def _collapsed(text: str) -> str:
    return "".join(text.split())
