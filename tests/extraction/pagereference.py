"""Features of a whole page by array operations: the reference of `webgrain.extraction.pagekernel`."""

from __future__ import annotations

import re
from functools import cache
from math import log1p

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64
from webgrain.columns.blocks import NUMBER, PageFacts, block_names, page_facts
from webgrain.extraction import thresholds, wholepage
from webgrain.extraction.sitetexts import judged_names, site_names
from webgrain.page.links import addresses, site_links
from webgrain.page.page import Page

_TYPES = {
    "list type": ('"ItemList"', '"CollectionPage"', '"SearchResultsPage"', '"Blog"'),
    "text type": ('"NewsArticle"', '"BlogPosting"', '"Article"', '"DiscussionForumPosting"', '"QAPage"'),
    "page type": ('"WebPage"', '"AboutPage"', '"ItemPage"', '"Recipe"', '"Event"', '"JobPosting"'),
}
"""Types of schema.org, as in JSON-LD."""

_OF_PAGE = [name for name in block_names() if name.startswith("page ")]
_MEANED = (
    "linked", "plain", "words", "points", "commas", "digits", "capitals", "common", "likeness", "described",
    "level", "item number", "item mean", "item linked", "item share", "item blocks", "record number",
    "record mean", "record linked", "record share", "record blocks", "alike blocks", "alike linked",
    "alike share", "up 0 linked", "up 1 linked", "up 3 linked", "hint comment", "hint list", "hint card",
    "hint article", "hint pagination", "hint forum", "hint article element", "hint main element",
    "hint list element", "hint table element", "hint related", "behind the title", "plain behind the title",
    "shared with the title", "from prose", "in JSON-LD",
)  # fmt: skip
_PAGE, _MEANS = ([block_names().index(name) for name in names] for names in (_OF_PAGE, _MEANED))

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


_OWN = (
    "main", "main share", "comment", "comment share", "chosen", "chosen share", "chosen blocks",
    "chosen linked", "mean of a chosen block", "F1", "certain", "doubtful", "doubtful of main", "deviation",
    "highest", "gaps", "begin", "end", "headings", "linked headings", "linked headings number",
    "linked headings of all", "links in main",
)  # fmt: skip
"""Features of the probabilities of the blocks, and of the chosen ones."""


def drop_repeats(facts, chosen):
    """Return the chosen blocks without long texts that repeat an earlier one at another path."""
    dom, texts = facts.dom, facts.blocks.texts
    tags, paths = dom.tag[facts.holder].tolist(), facts.path.tolist()
    first, kept = dict[str, int](), list[int]()
    for k in chosen.tolist():
        short, tag = len(texts[k]) < thresholds.REPEATED_LENGTH, dom.tags[tags[k]]
        if short or tag in ("pre", "code", "td", "th") or first.setdefault(texts[k], paths[k]) == paths[k]:
            kept.append(k)
    return np.array(kept, np.intp)


def page_features(
    page: Page, x: Float32, site: Float32 | None, main: Float64, comment: Float64, chosen: NDArray[np.intp]
) -> Float32:
    """Return the features (f,) of a page, those of `page_names`.

    x, site: (b, .) the features of its blocks, and those of the site with its judgements, None for an unknown
    site; main, comment: (b,) probabilities; chosen: the blocks of the main text.
    """
    facts = page_facts(page)
    letters, linked = facts.letters + 1.0, facts.linked > _LINKED
    mass, size = letters * main, float(letters.sum())
    total, replies = max(float(mass.sum()), 1e-9), float((letters * comment).sum())
    weight, of_chosen, n = mass / total, letters[chosen], len(chosen)
    taken, right = max(float(of_chosen.sum()), 1.0), float(mass[chosen].sum())
    doubtful = float(letters[(main > _DOUBTFUL[0]) & (main < _DOUBTFUL[1])].sum())
    variance = float((letters**2 * main * (1.0 - main)).sum())
    first, last = (int(chosen[0]), int(chosen[-1])) if n else (0, len(main) - 1)
    every = linked[facts.heading]
    inside = every[np.bincount(chosen, minlength=len(main))[facts.heading] > 0]
    of_links, k = int(inside.sum()), len(inside)
    of_page = (
        *(log1p(total), total / size, log1p(replies), replies / size, log1p(taken), taken / size, log1p(n)),
        *(float((of_chosen * facts.linked[chosen]).sum()) / taken, log1p(taken / max(n, 1))),
        *(2.0 * right / (taken + total), right / taken, doubtful / size, doubtful / taken),
        *(variance**0.5 / total, float(main.max()), float(letters[first : last + 1].sum()) / taken),
        *(first / len(main), last / len(main), log1p(k), of_links / max(k, 1), log1p(of_links)),
        *(int(every.sum()) / max(len(every), 1), log1p(float(main[linked].sum()))),
    )
    markup, links = _of_markup(page), _link_values(page, facts, main)
    means, of_site = weight @ x[:, _MEANS], np.full((2, len(site_names()) + len(judged_names())), np.nan)
    if site is not None:
        known, weights = ~np.isnan(site), np.stack([weight, letters / size])
        of_site = (weights @ np.where(known, site, np.float32(0.0))) / np.maximum(weights @ known, 1e-9)
        of_site[:, ~known.any(axis=0)] = np.nan
    parts = (
        x[0, _PAGE],
        means,
        of_page,
        markup[: -len(_TAGS)],
        links,
        markup[-len(_TAGS) :],
        of_site.ravel(),
    )
    return np.concatenate(parts, dtype=np.float32, casting="same_kind")


def _of_markup(page: Page) -> list[float]:
    """Return the features of what the markup states, and of the numbers of elements."""
    facts, text = page_facts(page), page.dom.text
    declared, time = facts.stated("og:type", "article:published_time")
    types = (any(name in text for name in names) for names in _TYPES.values())
    number = dict(zip(page.dom.tags, np.bincount(page.dom.tag).tolist(), strict=False))
    counted = (log1p(number.get(tag, 0)) for tag in _TAGS)
    return [
        float(facts.product),
        *map(float, types),
        float(declared == "article"),
        float(bool(time)),
        *counted,
    ]


def _link_values(page: Page, facts: PageFacts, main: Float64) -> list[float]:
    """Return the features of `_LINKS`: links to pages of the host, also in main text."""
    node, number, below, beside, elsewhere, of_address = _links(page)
    blocks = np.searchsorted(facts.blocks.last, node)
    inside = np.zeros(len(below))  # of each target, that of the block with a link to it, or behind it
    np.maximum.at(inside, number, main[np.minimum(blocks, len(main) - 1)])
    n, mass = max(len(inside), 1), float(inside.sum())
    of_main = (log1p(len(inside)), log1p(mass), mass / n, float((inside > _SURE).sum()))
    under = int(below.sum())
    of_below = (log1p(under), under / n, log1p(float(inside[below].sum())))
    return [*of_main, *of_below, log1p(beside), beside / n, log1p(elsewhere), *of_address]


def _links(page: Page) -> tuple[Int64, Int32, Bool, int, int, list[float]]:
    """Return the links (k,) of a page to other pages of the host, and the number (k,) of the target of each.

    Then the targets (t,) below the page, the number of those beside it, that of other links, and the
    features of the address.
    """
    address, node, number, urls, beside, elsewhere = site_links(page)
    path = address.partition("?")[0]
    folder, _, last = path.rpartition("/")
    below = np.zeros(len(urls), np.bool_)
    if folder and f"\n{path}/" in "\n".join(["", *urls]):
        below[:] = [url.startswith(f"{path}/") for url in urls]
    known = 0.0 if page.url is not None or "/" in page.id or "." in page.id else np.nan
    hyphens, digits = last.count("-") + last.count("_"), sum(map(str.isdigit, last))
    of_address = (path.count("/"), path != address, digits, len(last), hyphens)
    return node, number, below, beside, elsewhere, [value + known for value in of_address]


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the features of a page."""
    of_site = (*site_names(), *judged_names())
    return (
        *(*_OF_PAGE, *(f"mean {name}" for name in _MEANED), *_OWN, "product", *_TYPES, "article by og:type"),
        *("time of publication", *_LINKS, *(f"number of {tag}" for tag in _TAGS)),
        *(f"{summary} {name}" for summary in ("mean", "whole") for name in of_site),
    )


def choose_blocks(probability: Float64, weight: NDArray[np.integer], beta: float = 1.0) -> NDArray[np.intp]:
    """Return the blocks with the best expected F-measure, in order; weight: (b,) letters of each."""
    order = np.argsort(-probability, kind="stable")
    letters = np.maximum(weight[order], 1).astype(np.float64)
    true = letters * probability[order]
    measure = (1 + beta**2) * np.cumsum(true) / np.maximum(np.cumsum(letters) + beta**2 * true.sum(), 1e-300)
    best = int(np.argmax(measure)) + 1 if measure.max(initial=0.0) > 0 else 0
    return np.sort(order[:best])


def kind_features(page: Page, facts: PageFacts, whole: Float32) -> Float32:
    """Return the features (f,) of the kind of a page; whole: those of the page."""
    letters = facts.letters + 1.0
    names = wholepage._NAMES
    hinted = facts.hint[:, [NUMBER[name] for name in names["kind hint"]]] > 0
    hints = hinted.T @ letters / letters.sum()
    tags = [name.removeprefix("number of ") for name in names["kind tags"]]
    counts = [len(page.dom.find_tag(tag)) for tag in tags]
    declared = facts.stated("og:type")[0]
    types = [not stated.isdisjoint(facts.quoted) for stated in wholepage._KIND_TYPES]
    path = next(iter(addresses(page)), "").partition("/")[2].lower()
    forms = [rf"(?<![a-z0-9])(?:{words})(?![a-z0-9])" for words in wholepage.FORMS.values()]
    words = [re.search(form, path) is not None for form in forms]
    others = (*types, declared == "article", declared == "website", *words)
    of_page = wholepage._ROWS["site"].start
    return np.concatenate([whole[:of_page], hints, np.log1p(counts), others]).astype(np.float32)
