"""Features of a whole page, from which its verdict and the confidence in its text are estimated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float32, Float64
from webgrain.extraction.features import PageFacts, feature_names
from webgrain.extraction.sitetexts import judged_names, site_names

_AROUND = (
    *("nav element", "footer element", "header element", "aside element", "dialog element"),
    *("navigation", "footer", "modal"),
)
"""Hints of what is around the content."""

_TYPES = {
    "list type": ('"ItemList"', '"CollectionPage"', '"SearchResultsPage"', '"Blog"'),
    "text type": ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"'),
    "page type": ('"WebPage"', '"AboutPage"', '"ItemPage"', '"Recipe"', '"Event"', '"JobPosting"'),
}
"""Types of schema.org, as in JSON-LD."""

_PAGE = [k for k, name in enumerate(feature_names()) if name.startswith("page ")]
_MEANED = (
    "linked", "plain", "words", "points", "commas", "digits", "capitals", "common", "likeness", "described",
    "level", "item number", "item mean", "item linked", "item share", "item blocks", "record number",
    "record mean", "record linked", "record share", "record blocks", "alike blocks", "alike linked",
    "alike share", "up 0 linked", "up 1 linked", "up 3 linked", "hint comment", "hint list", "hint card",
    "hint article", "hint pagination", "hint forum", "hint article element", "hint main element",
    "hint list element", "hint table element", "hint related", "behind the title", "plain behind the title",
    "shared with the title", "from prose", "in JSON-LD",
)  # fmt: skip
_MEANS = [feature_names().index(name) for name in _MEANED]

_LINKED = 0.5  # share of a block in links at which it is a link
_DOUBTFUL = (0.2, 0.8)  # probabilities between which it is doubtful whether a block is main text
_FEW = 0.1  # share of the pages of a site with a link, at most, that is no navigation
_CARD_LETTERS = 12  # mean letters of the links of a row, at least: others are tags and page numbers

Named = Iterator[tuple[str, float]]


def page_features(
    facts: PageFacts,
    x: Float32,
    site: Float32 | None,
    main: Float64,
    comment: Float64,
    chosen: NDArray[np.intp],
) -> Float32:
    """Return the features (f,) of a page; their names are `page_names`.

    x, site: (b, .) the features of its blocks, and those of the site with its judgements, None for an unknown
    site; main, comment: (b,) probabilities; chosen: the blocks of the main text.
    """
    return np.array([value for _, value in _values(facts, x, site, main, comment, chosen)], np.float32)


def _values(
    facts: PageFacts,
    x: Float32,
    site: Float32 | None,
    main: Float64,
    comment: Float64,
    chosen: NDArray[np.intp],
) -> Named:
    letters, linked = facts.letters + 1.0, facts.linked
    mass, total = letters * main, float(max((letters * main).sum(), 1e-9))
    replies = letters * comment
    for name, value in zip(_names(_PAGE), x[0, _PAGE].tolist(), strict=True):
        yield name, value
    weight = mass / total
    for name, value in zip(_names(_MEANS), (weight @ x[:, _MEANS]).tolist(), strict=True):
        yield f"mean {name}", value
    taken = letters[chosen].sum().clip(1.0)
    yield "main", np.log1p(total)
    yield "main share", total / letters.sum()
    yield "comment", np.log1p(replies.sum())
    yield "comment share", replies.sum() / letters.sum()
    yield "chosen", np.log1p(taken)
    yield "chosen share", taken / letters.sum()
    yield "chosen blocks", np.log1p(len(chosen))
    yield "chosen linked", float((letters * linked)[chosen].sum() / taken)
    yield "mean of a chosen block", np.log1p(taken / max(len(chosen), 1))
    f1 = 2.0 * mass[chosen].sum() / max(taken + total, 1e-9)
    yield "F1", float(f1)
    yield "certain", float(mass[chosen].sum() / taken)
    doubtful = (main > _DOUBTFUL[0]) & (main < _DOUBTFUL[1])
    yield "doubtful", float(letters[doubtful].sum() / letters.sum())
    yield "doubtful of main", float(letters[doubtful].sum() / taken)
    variance = float((letters**2 * main * (1.0 - main)).sum())
    yield "deviation", np.sqrt(variance) / total
    yield "highest", float(main.max())
    first, last = (int(chosen[0]), int(chosen[-1])) if len(chosen) else (0, len(main) - 1)
    span: Bool = np.zeros(len(main), bool)
    span[first : last + 1] = True
    yield "gaps", float(letters[span].sum() / taken)
    yield "begin", first / len(main)
    yield "end", last / len(main)
    headings = facts.heading[np.isin(facts.heading, chosen)]
    yield "headings", np.log1p(len(headings))
    yield "linked headings", float((linked[headings] > _LINKED).sum() / max(len(headings), 1))
    yield "linked headings number", np.log1p((linked[headings] > _LINKED).sum())
    every = facts.heading
    yield "linked headings of all", float((linked[every] > _LINKED).sum() / max(len(every), 1))
    content = ~facts.has_hint(*_AROUND)
    group, own = facts.siblings(4), content & (linked > _LINKED)
    cards, of_cards = np.bincount(group[own]), np.bincount(group[own], facts.letters[own])
    row = cards[of_cards >= _CARD_LETTERS * cards].max(initial=0)
    yield "row of links", np.log1p(row)
    yield "prose of a link", np.log1p(facts.prose[content].sum() / (row + 1.0))
    yield "links in main", np.log1p((main * (linked > _LINKED)).sum())
    yield "product", float(facts.product)
    text = facts.dom.text
    for name, kinds in _TYPES.items():
        yield name, float(any(kind in text for kind in kinds))
    yield "article by og:type", float(facts.stated("og:type")[0] == "article")
    yield "time of publication", float(bool(facts.stated("article:published_time")[0]))
    teasers = np.nan if site is None else _teasers(site, linked)
    yield "links to pages by title", float(teasers)
    names = (*site_names(), *judged_names())
    for kind, weights in (("mean", weight), ("whole", letters / letters.sum())):
        table = np.full(len(names), np.nan) if site is None else _nan_mean(site, weights)
        yield from zip((f"{kind} {name}" for name in names), table.tolist(), strict=True)


def _teasers(site: Float32, linked: Float64) -> float:
    """Return the number of links that few pages have, and whose text is a heading of another page."""
    text, heading = (site[:, site_names().index(f"site {name}")] for name in ("text", "heading"))
    return float(np.log1p(((linked > _LINKED) & (heading > 0) & (text < _FEW)).sum()))


def _nan_mean(x: Float32, weight: Float64) -> Float64:
    """Return the weighted mean of each column without its missing values; NaN for a column of those."""
    known = ~np.isnan(x)
    weights = (weight @ known).clip(1e-9)
    found: Float64 = np.where(known.any(axis=0), (weight @ np.where(known, x, 0.0)) / weights, np.nan)
    return found


def _names(columns: list[int]) -> list[str]:
    return [feature_names()[k] for k in columns]


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the features of a page.

    >>> page_names()[0]
    'page letters'
    """
    from webgrain.page.parsing import parse
    from webgrain.page.text import text_blocks

    page = parse("<p>a")
    facts = PageFacts(page.dom, text_blocks(page))
    one, x = np.ones(1), np.zeros((1, len(feature_names())), np.float32)
    return tuple(name for name, _ in _values(facts, x, None, one, one, np.arange(1)))
