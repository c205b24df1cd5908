"""Features of a whole page, from which its verdict and the confidence in its text are estimated."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache, lru_cache

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float32, Float64, Int64
from webgrain.extraction.features import PageFacts, feature_names, page_facts
from webgrain.extraction.sitetexts import judged_names, site_names
from webgrain.page.links import addresses, link_targets
from webgrain.page.page import Page

_TYPES = {
    "list type": ('"ItemList"', '"CollectionPage"', '"SearchResultsPage"', '"Blog"'),
    "text type": ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"'),
    "page type": ('"WebPage"', '"AboutPage"', '"ItemPage"', '"Recipe"', '"Event"', '"JobPosting"'),
}
"""Types of schema.org, as in JSON-LD."""

_OF_PAGE = [name for name in feature_names() if name.startswith("page ")]
_MEANED = (
    "linked", "plain", "words", "points", "commas", "digits", "capitals", "common", "likeness", "described",
    "level", "item number", "item mean", "item linked", "item share", "item blocks", "record number",
    "record mean", "record linked", "record share", "record blocks", "alike blocks", "alike linked",
    "alike share", "up 0 linked", "up 1 linked", "up 3 linked", "hint comment", "hint list", "hint card",
    "hint article", "hint pagination", "hint forum", "hint article element", "hint main element",
    "hint list element", "hint table element", "hint related", "behind the title", "plain behind the title",
    "shared with the title", "from prose", "in JSON-LD",
)  # fmt: skip
_PAGE, _MEANS = ([feature_names().index(name) for name in names] for names in (_OF_PAGE, _MEANED))

_LINKED = 0.5  # share of a block in links at which it is a link
_DOUBTFUL = (0.2, 0.8)  # probabilities between which it is doubtful whether a block is main text
_SURE = 0.5  # probability of its block above which a link is in the main text
_TAGS = ("a", "article", "img", "time", "p", "h1", "h2", "h3", "h4", "tr", "li", "form")
_LINKS = (
    *("targets", "targets in main", "share of targets in main", "sure targets in main", "targets below"),
    *("share of targets below", "targets below in main", "targets beside", "share of targets beside"),
    *("elsewhere", "address depth", "address query", "address digits", "address letters", "address hyphens"),
)
"""Features of links and of the address."""


def page_features(
    page: Page, x: Float32, site: Float32 | None, main: Float64, comment: Float64, chosen: NDArray[np.intp]
) -> Iterator[tuple[str, float]]:
    """Yield the features of a page with their names, those of `page_names`.

    x, site: (b, .) the features of its blocks, and those of the site with its judgements, None for an unknown
    site; main, comment: (b,) probabilities; chosen: the blocks of the main text.
    """
    facts = page_facts(page)
    letters, linked = facts.letters + 1.0, facts.linked
    mass, total = letters * main, float(max((letters * main).sum(), 1e-9))
    replies = letters * comment
    yield from zip(_OF_PAGE, x[0, _PAGE].tolist(), strict=True)
    weight = mass / total
    for name, value in zip(_MEANED, (weight @ x[:, _MEANS]).tolist(), strict=True):
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
    yield "F1", float(2.0 * mass[chosen].sum() / max(taken + total, 1e-9))
    yield "certain", float(mass[chosen].sum() / taken)
    doubtful = (main > _DOUBTFUL[0]) & (main < _DOUBTFUL[1])
    yield "doubtful", float(letters[doubtful].sum() / letters.sum())
    yield "doubtful of main", float(letters[doubtful].sum() / taken)
    variance = float((letters**2 * main * (1.0 - main)).sum())
    yield "deviation", np.sqrt(variance) / total
    yield "highest", float(main.max())
    first, last = (int(chosen[0]), int(chosen[-1])) if len(chosen) else (0, len(main) - 1)
    yield "gaps", float(letters[first : last + 1].sum() / taken)
    yield "begin", first / len(main)
    yield "end", last / len(main)
    headings = facts.heading[np.bincount(chosen, minlength=len(main))[facts.heading] > 0]
    yield "headings", np.log1p(len(headings))
    yield "linked headings", float((linked[headings] > _LINKED).sum() / max(len(headings), 1))
    yield "linked headings number", np.log1p((linked[headings] > _LINKED).sum())
    every = linked[facts.heading]
    yield "linked headings of all", float((every > _LINKED).sum() / max(len(every), 1))
    yield "links in main", np.log1p((main * (linked > _LINKED)).sum())
    yield from _of_markup(page)[: -len(_TAGS)]
    yield from zip(_LINKS, _link_values(page, facts, main), strict=True)
    yield from _of_markup(page)[-len(_TAGS) :]
    names = (*site_names(), *judged_names())
    values = np.full((1, len(names)), np.nan, np.float32) if site is None else site
    known = ~np.isnan(values)
    values = np.where(known, values, np.float32(0.0))
    for kind, weights in (("mean", weight), ("whole", letters / letters.sum())):
        found = _mean(values, known, weights if site is not None else weights[:1])
        yield from zip((f"{kind} {name}" for name in names), found.tolist(), strict=True)


@lru_cache(maxsize=1)
def _of_markup(page: Page) -> list[tuple[str, float]]:
    """Return the features of what the markup states, and of the numbers of elements, with their names."""
    facts, text = page_facts(page), page.dom.text
    types = ((name, float(any(kind in text for kind in kinds))) for name, kinds in _TYPES.items())
    kind, time = facts.stated("og:type", "article:published_time")
    of_head = ("article by og:type", float(kind == "article")), ("time of publication", float(bool(time)))
    number = dict(zip(page.dom.tags, np.bincount(page.dom.tag).tolist(), strict=False))
    counted = ((f"number of {tag}", np.log1p(number.get(tag, 0))) for tag in _TAGS)
    return [("product", float(facts.product)), *types, *of_head, *counted]


def _link_values(page: Page, facts: PageFacts, main: Float64) -> Iterator[float]:
    """Yield the features of `_LINKS`: links to pages of the host, also in the main text, below it, beside it.

    The address is unknown, and its features missing, if there is no URL and the id is not the name of a file.
    """
    node, number, below, beside, elsewhere, of_address = _links(page)
    blocks = np.searchsorted(facts.blocks.last, node)
    inside = np.zeros(len(below))  # of each target, that of the block with a link to it, or behind it
    np.maximum.at(inside, number, main[np.minimum(blocks, len(main) - 1)])
    n = max(len(inside), 1)
    yield from (np.log1p(len(inside)), np.log1p(inside.sum()), inside.sum() / n, (inside > _SURE).sum())
    yield from (np.log1p(below.sum()), below.sum() / n, np.log1p((inside * below).sum()))
    yield from (np.log1p(beside), beside / n)
    yield np.log1p(elsewhere)
    yield from of_address


@lru_cache(maxsize=1)
def _links(page: Page) -> tuple[Int64, Int64, Bool, int, int, list[float]]:
    """Return the links (k,) of a page to other pages of the host, and the number (k,) of the target of each.

    Then the targets (t,) below the page, the number of those beside it, that of other links, and the
    features of the address.
    """
    own, every = addresses(page), link_targets(page)
    hosts = {url.partition("/")[0] for url in own}
    links = {node: url for node, url in every.items() if url not in own and url.partition("/")[0] in hosts}
    address = next(iter(own), "")
    path = address.partition("?")[0]
    folder, _, last = path.rpartition("/")
    number = {target: k for k, target in enumerate(dict.fromkeys(links.values()))}
    below = np.array([bool(folder) and target.startswith(f"{path}/") for target in number], bool)
    beside = sum([target.partition("?")[0].rpartition("/")[0] == folder for target in number])
    known = 0.0 if page.url is not None or "/" in page.id or "." in page.id else np.nan
    hyphens, digits = last.count("-") + last.count("_"), sum(map(str.isdigit, last))
    of_address = (path.count("/"), path != address, digits, len(last), hyphens)
    node, target = np.array([[*links], [number[url] for url in links.values()]], np.int64)
    elsewhere = sum(map(bool, every.values())) - len(links)
    return node, target, below, beside, elsewhere, [value + known for value in of_address]


def _mean(x: Float32, known: Bool, weight: Float64) -> Float64:
    """Return the weighted mean of each column, without the values that are not known; NaN without any."""
    weights = (weight @ known).clip(1e-9)
    found: Float64 = np.where(known.any(axis=0), (weight @ x) / weights, np.nan)
    return found


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the features of a page.

    >>> page_names()[0]
    'page letters'
    """
    from webgrain.page.parsing import parse

    one, x = np.ones(1), np.zeros((1, len(feature_names())), np.float32)
    return tuple(name for name, _ in page_features(parse("<p>a"), x, None, one, one, np.arange(1)))
