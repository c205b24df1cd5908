"""Features of a whole page, and its kind: article, thread, product, list, documentation or other.

    blocks with probabilities, links, markup, address, site --> (f,) --trees--> verdict, confidence
    the same without the site; hints, elements, types       --> (g,) --trees, one model for each kind-->
        log odds --softmax--> (k,) probabilities

A product is any page about one thing with fields: a product, a recipe, an event, a person. A thread is a
question or first post with the posts that follow. ``experiments/training/threads.py`` learns the models of
kinds on pages of many sites.

The features are in ``pages.csv``; those whose group begins with "kind" are of kinds only. One call of
`webgrain.extraction.pagekernel` computes most of them. If the site of a page is known, the probability of a
thread is the mean of that of the page and that of the pages at the same places
(`webgrain.extraction.sitetexts.thread_share`): all pages of a type are threads, or none is.

The trees of this package have one sum, so each kind has a separate model. Its log odds have a factor and a
bias in the model, which were fitted on left-out sites; so the softmax of the log odds is calibrated.

Cost: one pass over blocks, links and tags.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from itertools import accumulate, chain
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int32, Int64, UInt8
from webgrain.base.trees import BoostedTrees, odds_of
from webgrain.columns.blocks import NUMBER, block_names, page_facts
from webgrain.extraction import pagekernel, thresholds
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.sitetexts import judged_names, site_names
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.links import addresses, site_links
from webgrain.page.page import Page, of_last_page
from webgrain.page.tagtables import TagTable

_TYPES = (
    {"ItemList", "CollectionPage", "SearchResultsPage", "Blog"},
    {"NewsArticle", "BlogPosting", "Article", "DiscussionForumPosting", "QAPage"},
    {"WebPage", "AboutPage", "ItemPage", "Recipe", "Event", "JobPosting"},
)
"""Types of schema.org, as in JSON-LD: of lists, texts and other pages."""
_KIND_TYPES = (
    {"DiscussionForumPosting", "QAPage", "Question"},
    {"NewsArticle", "BlogPosting", "Article"},
    {"Recipe", "Event", "JobPosting", "Book", "Course"},
    {"TechArticle", "HowTo"},
)
"""Types of schema.org: of threads, articles, things and documentation."""
FORMS: dict[str, str] = {
    "thread": "forums?|threads?|topics?|showthread|viewtopic|discussions?|questions|tickets?|issues?|t",
    "article": "blog|news|story|stories|articles?|posts?|20[0-2][0-9]",
    "product": "products?|items?|shop|store|events?|jobs?|recipes?|people|person|p",
    "list": "categor(?:y|ies)|tags?|search|archives?|page|collections?|list|authors?|c",
    "documentation": "docs?|documentation|manual|reference|api|wiki|guides?|help|man|learn",
    "other": "about|contact|services?|privacy|terms|imprint|login|support|pricing|solutions?",
}
"""Words of an address, as regular expressions, that are frequent for each kind."""
_WORDS = re.compile(rf"(?<![a-z0-9])(?:{'|'.join(f'({words})' for words in FORMS.values())})(?![a-z0-9])")
"""The words of all kinds, each a group; no word is one of two kinds."""
_LINKED = 0.5  # share of a block in links at which it is a link
_DOUBTFUL = (0.2, 0.8)  # probabilities between which it is doubtful whether a block is main text
_SURE = 0.5  # probability of its block above which a link is in the main text
_LIMITS = np.array([_LINKED, *_DOUBTFUL, _SURE])


def _read_names() -> dict[str, list[str]]:
    """Return the names of the features of each group; those of kinds are last."""
    groups = names_by_group("pages.csv")
    of_page = {name: names for name, names in groups.items() if not name.startswith("kind ")}
    of_kind = {name: names for name, names in groups.items() if name.startswith("kind ")}
    of_blocks = [name for name in block_names() if name.startswith("page ")]
    of_site = (*site_names(), *judged_names())
    summaries = [f"{summary} {name}" for summary in ("mean", "whole") for name in of_site]
    return {"page": of_blocks, **of_page, "site": summaries, **of_kind}


_NAMES = _read_names()
_PAGE_GROUPS = ("page", "mean", "blocks", "markup", "links", "address", "tags", "site")
_KIND_GROUPS = (*_PAGE_GROUPS[:-1], "kind hint", "kind tags", "kind type", "kind words")


def _rows(groups: tuple[str, ...]) -> dict[str, slice]:
    """Return the places of some groups, one after the other, in the features."""
    ends = [*accumulate((len(_NAMES[group]) for group in groups), initial=0)]
    return {group: slice(*ends[k : k + 2]) for k, group in enumerate(groups)}


_ROWS, _KIND_ROWS = _rows(_PAGE_GROUPS), _rows(_KIND_GROUPS)
_SHARED = _ROWS["site"].start  # features of a page that its kind has, too
_STATED = slice(_KIND_ROWS["kind type"].start, _KIND_ROWS["kind words"].stop)
_COLUMNS = np.array(
    [
        *(_ROWS["blocks"].start, _ROWS["links"].start, _ROWS["tags"].start, _ROWS["tags"].stop),
        *(_KIND_ROWS["kind hint"].start, _KIND_ROWS["kind tags"].start, _KIND_ROWS["kind tags"].stop),
    ],
    np.int64,
)
"""Where the groups that the kernel writes begin and end."""
_PAGE = [block_names().index(name) for name in _NAMES["page"]]
_MEANED = [block_names().index(name.removeprefix("mean ")) for name in _NAMES["mean"]]
_HINTS = np.array([NUMBER[name] for name in _NAMES["kind hint"]], np.int64)
_TAGS = [name.removeprefix("number of ") for name in (*_NAMES["tags"], *_NAMES["kind tags"])]
_COUNTED = TagTable(lambda tag: _TAGS.index(tag) + 1 if tag in _TAGS else 0, np.int64)


@cache
def page_names() -> tuple[str, ...]:
    """Return the names of the features of a page.

    >>> page_names()[0]
    'page letters'
    """
    return tuple(chain.from_iterable(_NAMES[group] for group in _PAGE_GROUPS))


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of the features of the kind of a page.

    >>> kind_names()[0], kind_names()[-1]
    ('page letters', 'other words')
    """
    return tuple(chain.from_iterable(_NAMES[group] for group in _KIND_GROUPS))


def page_features(
    page: Page, x: Float32, site: Float32 | None, main: Float64, comment: Float64, chosen: NDArray[np.intp]
) -> tuple[Float32, Float32]:
    """Return the features (f,) of a page, those of `page_names`, and (g,) of its kind, of `kind_names`.

    x, site: (b, .) the features of its blocks, and those of the site with its judgements, None for an unknown
    site; main, comment: (b,) probabilities; chosen: the blocks of the main text.
    """
    facts, stated = page_facts(page), _stated(page)
    of_page = np.empty(len(page_names()), np.float32)
    of_kind = np.empty(len(kind_names()), np.float32)
    letters = facts.letters + 1.0
    judged = letters, facts.linked, main, comment, chosen, facts.heading, _LIMITS
    links = stated.node, stated.target, stated.below, stated.beside, facts.blocks.last
    tags = page.dom.tag, _COUNTED.values(page.dom.tags)
    weight = pagekernel.page_features(
        of_page, of_kind, _COLUMNS, *judged, facts.hint.T, _HINTS, *links, *tags
    )
    of_page[_ROWS["page"]] = x[0, _PAGE]
    of_page[_ROWS["mean"]] = weight @ x[:, _MEANED]
    of_page[_ROWS["markup"]] = stated.markup
    of_page[_ROWS["address"]] = stated.address
    of_page[_ROWS["site"]] = np.nan if site is None else _of_site(site, weight, letters / letters.sum())
    of_kind[:_SHARED] = of_page[:_SHARED]
    of_kind[_STATED] = stated.of_kind
    return of_page, of_kind


def _of_site(site: Float32, weight: Float64, share: Float64) -> Float64:
    """Return the means of the features of the site (b, s), weighted by weight (b,), and by share (b,)."""
    known, weights = ~np.isnan(site), np.array([weight, share])
    means: Float64 = (weights @ np.where(known, site, np.float32(0.0))) / np.maximum(weights @ known, 1e-9)
    is_known: Bool = np.logical_or.reduce(known)
    means[:, ~is_known] = np.nan
    return means.ravel()


class _Stated(NamedTuple):
    """What a page states about itself, and where its links lead.

    Attributes:
        markup, address: the features of these groups; of_kind: those of types and words of kinds.
        node, target: (l,) the links to other pages of the host, and the number of the target of each.
        below: (t,) 1 at targets below the page; beside: the number of those beside it.
    """

    markup: list[float]
    address: list[float]
    of_kind: list[float]
    node: Int64
    target: Int32
    below: UInt8
    beside: int


@of_last_page
def _stated(page: Page) -> _Stated:
    """Return what a page states about itself; a part of the address is missing if it has none.

    A page has no address if there is no URL and the id is not the name of a file.
    """
    facts, links = page_facts(page), site_links(page)
    declared, time = facts.stated("og:type", "article:published_time")
    quoted = [1.0 if names & facts.quoted else 0.0 for names in (*_TYPES, *_KIND_TYPES)]
    markup = [facts.product, *quoted[: len(_TYPES)], declared == "article", time != ""]
    path = links.address.partition("?")[0]
    folder, _, last = path.rpartition("/")
    below = np.zeros(len(links.urls), np.uint8)
    if folder and f"\n{path}/" in "\n".join(["", *links.urls]):
        below[:] = [url.startswith(f"{path}/") for url in links.urls]
    known = 0.0 if page.url is not None or "/" in page.id or "." in page.id else np.nan
    hyphens, digits = last.count("-") + last.count("_"), sum(map(str.isdigit, last))
    of_address = (path.count("/"), path != links.address, digits, len(last), hyphens)
    urls = addresses(page)
    words = {match.lastindex for match in _WORDS.finditer(urls[0].partition("/")[2].lower() if urls else "")}
    of_forms = [form in words for form in range(1, len(FORMS) + 1)]
    return _Stated(
        markup,
        [math.log1p(links.elsewhere), *[value + known for value in of_address]],
        [*quoted[len(_TYPES) :], declared == "article", declared == "website", *of_forms],
        *(links.node, links.number, below, links.beside),
    )


def kind_probabilities(models: Mapping[str, BoostedTrees], x: Float32) -> dict[str, float]:
    """Return the probability of each kind; models: by kind, as ``kind article``; x: (f,) the features."""
    odds = odds_of([models[f"kind {kind}"] for kind in PAGE_KINDS], x[None])[:, 0]
    share = np.exp(odds - np.maximum.reduce(odds))
    return dict(zip(PAGE_KINDS, (share / np.add.reduce(share)).round(4).tolist(), strict=True))


def kinds_on_site(kinds: Mapping[str, float], threads: float) -> dict[str, float]:
    """Return the probabilities of a page of a site: that of a thread is the mean of two.

    kinds: by the page alone; threads: the mean probability of a thread among pages of its type, NaN if it is
    unknown.

    >>> kinds_on_site({"article": 0.6, "thread": 0.4}, 0.8)
    {'article': 0.4, 'thread': 0.6}
    """
    if math.isnan(threads):
        return dict(kinds)
    return with_thread(kinds, (kinds["thread"] + threads) / 2)


def with_thread(kinds: Mapping[str, float], thread: float) -> dict[str, float]:
    """Return the probabilities of kinds with another one of a thread, so that all are 1 together.

    >>> with_thread({"article": 0.6, "thread": 0.4}, 0.9)
    {'article': 0.1, 'thread': 0.9}
    """
    others = (1 - thread) / max(1 - kinds["thread"], 1e-9)
    return {kind: round(thread if kind == "thread" else share * others, 4) for kind, share in kinds.items()}


def is_thread(kinds: Mapping[str, float]) -> bool:
    """Whether a page with these probabilities may be a thread, see `webgrain.extraction.threads.page_posts`.

    >>> is_thread({"article": 0.42, "thread": 0.58}), is_thread({"article": 0.58, "thread": 0.42})
    (True, False)
    """
    return kinds["thread"] >= thresholds.THREAD
