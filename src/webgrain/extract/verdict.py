"""What a page by itself is for: something to read, an ``article``, or other pages to go to, an ``index``.

A page is an index where much of its main text is in links; where the headings of that lead to other pages, as
those of teasers do; where it has a row of links and hardly any prose beside them - cards of products are told
by few words -; or where it says so to search engines. One that says that it is an article, a thread or a
product is none for its cards: others are recommended below it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from webgrain.extract.markup import NUMBER

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.extract.singlefeatures import Facts
    from webgrain.page.dom import Dom

LINKED = 0.25
"""Share of the letters of the main text that are in links from which on a page leads to others."""
CARDS, PROSE = 4, 60
"""Links in a row from which on a page may lead to others, and letters of prose for each, at most."""
_LABEL = 12
"""Letters that the links of a row have in the mean, at least: others are tags and pages of a list."""
TEASERS = 3
"""Headings that lead to other pages, from which on an index is made of them if most of its headings do."""
_MOSTLY = 0.5  # share of a block in links from which on it is one
_LISTS = ('"ItemList"', '"CollectionPage"')
_TEXTS = ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"')
"""Types of schema.org, as JSON-LD names them."""
_FRAME = (
    *("nav element", "footer element", "header element", "aside element", "dialog element"),
    *("navigation", "footer", "modal"),
)
"""Hints of what is around the content."""


def verdict_of(facts: Facts, chosen: NDArray[np.intp], steps: int) -> str:
    """Return ``article`` or ``index``, and ``unknown`` where the chosen blocks say nothing.

    steps: elements of the path that the links of a row share.

    >>> from webgrain.extract.singlefeatures import Facts
    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parse import parse_html
    >>> page = Page("a", parse_html("<h1>Lamps</h1>" + "<p><a href=a>A lamp of brass</a><p>$9, in stock" * 5))
    >>> verdict_of(Facts(page.dom, layout_blocks(page)), np.array([0]), 4)
    'index'
    """
    letters = facts.letters[chosen].sum()
    if not letters:
        return "unknown"
    if 1.0 - facts.plain[chosen].sum() / letters > LINKED or _of_teasers(facts, chosen):
        return "index"
    text = facts.dom.text
    if facts.product or any(kind in text for kind in _TEXTS):
        return "article"
    return "index" if any(kind in text for kind in _LISTS) or _in_cards(facts, steps) else "article"


def _of_teasers(facts: Facts, chosen: NDArray[np.intp]) -> bool:
    """Whether most headings of the main text lead to other pages."""
    headings = facts.heading[np.isin(facts.heading, chosen)]
    linked = headings[facts.linked[headings] > _MOSTLY].tolist()
    if len(linked) < TEASERS:
        return False
    targets = {_target(facts.dom, int(facts.blocks.first[k]), int(facts.blocks.last[k])) for k in linked}
    most = len(targets - {""})
    return most >= TEASERS and 2 * most > len(headings)


def _target(dom: Dom, first: int, last: int) -> str:
    """Return the page that the first link in or around some nodes leads to; empty for a place on this one."""
    nodes = (*range(first, last + 1), *dom.ancestors(first))
    links = (dom.get(node, "href") for node in nodes if dom.name(node) == "a")
    return (next(links, None) or "").partition("#")[0]


def _in_cards(facts: Facts, steps: int) -> bool:
    """Whether a page has a row of links, and little prose beside them."""
    content = ~np.any(facts.hint[:, [NUMBER[hint] for hint in _FRAME]] > 0, axis=1)
    group, own = facts.alike(steps), content & (facts.linked > _MOSTLY)
    cards, said = np.bincount(group[own]), np.bincount(group[own], facts.letters[own])
    most = cards[said >= _LABEL * cards].max(initial=0)
    return bool(most >= CARDS and facts.prose[content].sum() < PROSE * most)
