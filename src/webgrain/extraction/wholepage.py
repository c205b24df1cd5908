"""Features of a whole page, from which its verdict and the confidence in its text are estimated.

They are in ``pages.csv``; `webgrain.extraction.pagekernel` computes most of them.
"""

from __future__ import annotations

from functools import cache
from itertools import accumulate, chain

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64, UInt8
from webgrain.columns.blocks import block_names, page_facts
from webgrain.extraction import pagekernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.sitetexts import judged_names, site_names
from webgrain.page.links import site_links
from webgrain.page.page import Page, of_last_page
from webgrain.page.tagtables import TagTable

_TYPES = (
    {"ItemList", "CollectionPage", "SearchResultsPage", "Blog"},
    {"NewsArticle", "BlogPosting", "Article", "DiscussionForumPosting", "QAPage"},
    {"WebPage", "AboutPage", "ItemPage", "Recipe", "Event", "JobPosting"},
)
"""Types of schema.org, as in JSON-LD: of lists, texts and other pages."""
_LINKED = 0.5  # share of a block in links at which it is a link
_DOUBTFUL = (0.2, 0.8)  # probabilities between which it is doubtful whether a block is main text
_SURE = 0.5  # probability of its block above which a link is in the main text


def _read_names() -> dict[str, list[str]]:
    """Return the names of the features of each group; the first and the last are those of other tables."""
    of_page = [name for name in block_names() if name.startswith("page ")]
    of_site = (*site_names(), *judged_names())
    summaries = [f"{summary} {name}" for summary in ("mean", "whole") for name in of_site]
    return {"page": of_page, **names_by_group("pages.csv"), "site": summaries}


_NAMES = _read_names()
_ENDS = dict(zip(_NAMES, accumulate(map(len, _NAMES.values())), strict=True))
_ROWS = {group: slice(_ENDS[group] - len(names), _ENDS[group]) for group, names in _NAMES.items()}
"""The places of each group in the features."""
_PAGE = [block_names().index(name) for name in _NAMES["page"]]
_MEANED = [block_names().index(name.removeprefix("mean ")) for name in _NAMES["mean"]]
_NUMBER_OF_TAG = {name.removeprefix("number of "): k for k, name in enumerate(_NAMES["tags"], 1)}
_COUNTED = TagTable(lambda tag: _NUMBER_OF_TAG.get(tag, 0), np.int64)


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the features of a page.

    >>> page_names()[0]
    'page letters'
    """
    return tuple(chain.from_iterable(_NAMES.values()))


def page_features(
    page: Page, x: Float32, site: Float32 | None, main: Float64, comment: Float64, chosen: NDArray[np.intp]
) -> Float32:
    """Return the features (f,) of a page, those of `page_names`.

    x, site: (b, .) the features of its blocks, and those of the site with its judgements, None for an unknown
    site; main, comment: (b,) probabilities; chosen: the blocks of the main text.
    """
    facts = page_facts(page)
    features = np.empty(len(page_names()), np.float32)
    groups = {group: features[rows] for group, rows in _ROWS.items()}
    letters = facts.letters + 1.0
    judged = letters, facts.linked, main, comment
    weight = pagekernel.page_features(groups["blocks"], *judged, chosen, facts.heading, _LINKED, *_DOUBTFUL)
    groups["page"][:] = x[0, _PAGE]
    groups["mean"][:] = weight @ x[:, _MEANED]
    groups["markup"][:] = _of_markup(page)
    node, number, below, beside, of_address = _links(page)
    targets = node, number, below, beside, facts.blocks.last
    pagekernel.link_features(groups["links"], *targets, main, _SURE)
    groups["address"][:] = of_address
    elements = pagekernel.tag_counts(page.dom.tag, _COUNTED.values(page.dom.tags), len(_NUMBER_OF_TAG))
    groups["tags"][:] = np.log1p(elements)
    groups["site"][:] = np.nan if site is None else _of_site(site, weight, letters / letters.sum())
    return features


def _of_site(site: Float32, weight: Float64, share: Float64) -> Float64:
    """Return the means of the features of the site (b, s), weighted by weight (b,), and by share (b,)."""
    known, weights = ~np.isnan(site), np.array([weight, share])
    means: Float64 = (weights @ np.where(known, site, np.float32(0.0))) / np.maximum(weights @ known, 1e-9)
    is_known: Bool = np.logical_or.reduce(known)
    means[:, ~is_known] = np.nan
    return means.ravel()


@of_last_page
def _of_markup(page: Page) -> list[float]:
    """Return the features of what the markup states."""
    facts = page_facts(page)
    declared, time = facts.stated("og:type", "article:published_time")
    types = [bool(names & facts.quoted) for names in _TYPES]
    return [float(stated) for stated in (facts.product, *types, declared == "article", bool(time))]


@of_last_page
def _links(page: Page) -> tuple[Int64, Int32, UInt8, int, list[float]]:
    """Return the links (k,) of a page to other pages of the host, and the number (k,) of the target of each.

    Then the targets (t,) below the page, the number of those beside it, and the features of the address: they
    are missing if there is no URL and the id is not the name of a file.
    """
    links = site_links(page)
    path = links.address.partition("?")[0]
    folder, _, last = path.rpartition("/")
    below = np.zeros(len(links.urls), np.uint8)
    if folder and f"\n{path}/" in "\n".join(["", *links.urls]):
        below[:] = [url.startswith(f"{path}/") for url in links.urls]
    known = 0.0 if page.url is not None or "/" in page.id or "." in page.id else np.nan
    hyphens, digits = last.count("-") + last.count("_"), sum(map(str.isdigit, last))
    of_address = (path.count("/"), path != links.address, digits, len(last), hyphens)
    elsewhere = float(np.log1p(links.elsewhere))
    return (
        links.node,
        links.number,
        below,
        links.beside,
        [elsewhere, *[value + known for value in of_address]],
    )
