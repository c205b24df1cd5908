"""The kind of a page: article, thread, product, list, documentation or other.

    features of the whole page, of hints, elements, types and its address
             --trees, one model for each kind--> log odds --softmax--> (k,) probabilities

A product is any page about one thing with fields: a product, a recipe, an event, a person. A thread is a
question or first post with the posts that follow. ``experiments/training/threads.py`` learns the models on
pages of many sites.

The features are those of `webgrain.extraction.wholepage` without the texts of the site, and those of
``kinds.csv``. If the site of a page is known, the probability of a thread is the mean of that of the page and
that of the pages at the same places (`webgrain.extraction.sitetexts.thread_share`): all pages of a type are
threads, or none is.

The trees of this package have one sum, so each kind has a separate model. Its log odds have a factor and a
bias in the model, which were fitted on left-out sites; so the softmax of the log odds is calibrated.

Cost: one pass over blocks and tags.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from functools import cache
from itertools import chain

import numpy as np

from webgrain.base.arrays import Float32
from webgrain.base.trees import BoostedTrees, odds_of
from webgrain.columns.blocks import NUMBER, PageFacts
from webgrain.extraction import pagekernel, thresholds
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.wholepage import page_names
from webgrain.io.contentmarks import PAGE_KINDS
from webgrain.page.links import addresses
from webgrain.page.page import Page
from webgrain.page.tagtables import TagTable

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
_TYPES = (
    {"DiscussionForumPosting", "QAPage", "Question"},
    {"NewsArticle", "BlogPosting", "Article"},
    {"Recipe", "Event", "JobPosting", "Book", "Course"},
    {"TechArticle", "HowTo"},
)
"""Types of schema.org, as in JSON-LD: of threads, articles, things and documentation."""

_NAMES = names_by_group("kinds.csv")
_OF_PAGE = [name for name in page_names() if " site " not in name]
_HINTS = np.array([NUMBER[name] for name in _NAMES["hint"]])
_HINTS_FROM = len(_OF_PAGE)
_TAGS_FROM = _HINTS_FROM + len(_NAMES["hint"])
_OTHERS_FROM = _TAGS_FROM + len(_NAMES["tags"])
"""The places of the features of hints, tags, and what the page states of itself and its address."""
_NUMBER_OF_TAG = {name.removeprefix("number of "): k for k, name in enumerate(_NAMES["tags"], 1)}
_COUNTED = TagTable(lambda tag: _NUMBER_OF_TAG.get(tag, 0), np.int64)


@cache
def kind_names() -> tuple[str, ...]:
    """Return the names of the features of the kind of a page.

    >>> kind_names()[0], kind_names()[-1]
    ('page letters', 'other words')
    """
    return (*_OF_PAGE, *chain.from_iterable(_NAMES.values()))


def kind_features(page: Page, facts: PageFacts, whole: Float32) -> Float32:
    """Return the features (f,) of the kind of a page; their names are `kind_names`.

    whole: the features of the page, of `webgrain.extraction.wholepage.page_features`.
    """
    dom, features = page.dom, np.empty(len(kind_names()), np.float32)
    features[:_HINTS_FROM] = whole[:_HINTS_FROM]
    features[_HINTS_FROM:_TAGS_FROM] = pagekernel.hint_shares(facts.hint.T, _HINTS, facts.letters)
    counts = pagekernel.tag_counts(dom.tag, _COUNTED.values(dom.tags), len(_NUMBER_OF_TAG))
    features[_TAGS_FROM:_OTHERS_FROM] = np.log1p(counts)
    [declared] = facts.stated("og:type")
    urls = addresses(page)
    path = urls[0].partition("/")[2].lower() if urls else ""
    forms = {match.lastindex for match in _WORDS.finditer(path)}
    features[_OTHERS_FROM:] = (
        *[bool(names & facts.quoted) for names in _TYPES],
        *(declared == "article", declared == "website"),
        *[form in forms for form in range(1, len(FORMS) + 1)],
    )
    return features


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
    thread = (kinds["thread"] + threads) / 2
    others = (1 - thread) / max(1 - kinds["thread"], 1e-9)
    return {kind: round(thread if kind == "thread" else share * others, 4) for kind, share in kinds.items()}


def is_thread(kinds: Mapping[str, float]) -> bool:
    """Whether a page with these probabilities may be a thread, see `webgrain.extraction.threads.page_posts`.

    >>> is_thread({"article": 0.42, "thread": 0.58}), is_thread({"article": 0.58, "thread": 0.42})
    (True, False)
    """
    return kinds["thread"] >= thresholds.THREAD
