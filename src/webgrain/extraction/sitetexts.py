"""Features of the blocks of a page whose site is known.

    page + SiteTable --site_features--> (b, f), NaN for a place that no page has
    probabilities by the page alone --context--> (b, g)

A text that many pages have at the same place is boilerplate; a place whose text differs between pages holds
content; a text that other pages link to is a title. Each page is first judged by itself, and the mean of
these probabilities at a place states what the other pages have there: main text, comments, the title. The
mean of the verdicts of the pages with a place states what kind of page has it.

The context of a block is what the page alone states about the blocks around it: before and behind the block,
in the containers around it, at the same path, below the same heading, and on the whole page.

The names, units and meanings of the features are in ``site.csv``, those of the context are followed by `OWN`;
`webgrain.extraction.sitekernel` computes them.

A page from which the table was learnt is read like any other: its own texts are among the counts.

Cost: a look-up for each block and each of its keys; passes over the blocks.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Float32, Float64, Int32
from webgrain.columns.blocks import PageFacts, block_names, page_facts, text_keys, title_keys
from webgrain.columns.sitetable import PLACE_COLUMNS, SiteTable
from webgrain.columns.thresholds import SHARED_PAGES
from webgrain.extraction import sitekernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.thresholds import KNOWN_TEXTS, SHARED_ON
from webgrain.page.page import Page, of_last_page

OWN = (
    "letters", "plain", "linked", "tag", "place", "likeness", "described", "repeats", "level",
    "body 0.8 place", "body 0.55 place", "behind the first prose", "behind the last prose", "from prose",
    "item number", "item mean", "item place", "record number", "record mean", "record place",
    "hint comment", "hint footer", "hint related", "hint nav element", "hint code element", "hint navigation",
    "hint hidden", "hint modal", "hint table element", "hint form element",
    "behind the title", "behind the heading", "tag of the heading", "up 1 linked", "up 3 linked",
    "up 1 share", "page letters", "page linked", "page prose",
)  # fmt: skip
"""Features of the block itself that are used, too."""


_MANY = 5  # pages beyond which the number of pages with a link or a heading does not matter
_WINDOW = 5  # blocks to each side
_SPANS = np.array([0, 1, 3])  # the containers of `PageFacts.spans` that are used
_VOTING = 3  # pages with a place, at least, whose verdicts are used by themselves
_THREADS_OF_PAGES = [PLACE_COLUMNS.index(name) for name in ("threads", "pages", "weight")]


@of_last_page
def site_features(page: Page, site: SiteTable) -> Float32 | None:
    """Return the features (b, f) of the blocks of a page; None if its site does not know the page.

    The names are `site_names`, followed by `judged_names`.

    >>> from webgrain.page.parsing import parse
    >>> site_features(parse("<p>Menu<p>Text"), SiteTable()) is None
    True
    """
    if not len(site):
        return None
    facts = page_facts(page)
    rows = SiteRows.of(facts, site)
    return rows.features(facts, site) if rows.are_known(facts, site) else None


def thread_share(page: Page, site: SiteTable) -> float:
    """Return the mean probability of a thread among the pages with the places of a page; NaN: none is judged.

    Rare places count more, so that these are mostly pages of the same type.

    >>> from webgrain.page.parsing import parse
    >>> thread_share(parse("<p>Menu<p>Text"), SiteTable())
    nan
    """
    places = site.places.counts
    rows = np.array(sorted({*places.find(page_facts(page).path).tolist()}), np.int64)
    values = places.rows[rows][:, _THREADS_OF_PAGES]
    threads, pages, _ = values[values[:, 2] > 0].T
    rare = np.log((len(site) + 1.0) / pages)
    return float(rare @ (threads / pages) / np.add.reduce(rare)) if len(pages) else math.nan


class SiteRows(NamedTuple):
    """The rows (b,) int32 of the texts and places of a page in the counts of its site, see `Counts.rows`."""

    text: Int32
    place: Int32
    at_place: Int32
    tag_place: Int32
    at_tags: Int32

    @classmethod
    def of(cls, facts: PageFacts, site: SiteTable) -> SiteRows:
        """Return the rows of a page."""
        of_places = site.places.find(facts.path, facts.text_key)
        of_tags = site.tag_places.find(facts.tag_path, facts.text_key)
        return cls(site.texts.find(facts.text_key), *of_places, *of_tags)

    def are_known(self, facts: PageFacts, site: SiteTable) -> bool:
        """Whether enough texts of the page are at the same place on pages of the site."""
        at_place = site.places.texts.rows[self.at_place, 0] >= SHARED_PAGES
        at_tags = site.tag_places.texts.rows[self.at_tags, 0] >= SHARED_PAGES
        return len(set(facts.text_key[at_place | at_tags].tolist())) >= KNOWN_TEXTS

    def features(self, facts: PageFacts, site: SiteTable) -> Float32:
        """Return the features (b, f) of the page, see `site_features`."""
        of_texts = len(site_names())
        table = np.empty((of_texts + len(judged_names()), len(facts.letters)), np.float32)
        sitekernel.site_features(
            table,
            float(len(site)),
            site.articles,
            facts.letters,
            site.texts.rows,
            self.text,
            site.places.counts.rows,
            self.place,
            site.tag_places.counts.rows,
            self.tag_place,
            site.places.texts.rows,
            self.at_place,
            site.tag_places.texts.rows,
            self.at_tags,
            facts.spans,
            _SPANS,
            _WINDOW,
            of_texts,
            SHARED_PAGES,
            _MANY,
            _VOTING,
        )
        return table.T


def text_shares(titles: Sequence[str], site: SiteTable) -> Float64:
    """Return the shares (t, 4) of the pages with each text, with a link, a heading and a part of a title."""
    pages = site.texts.of(np.concatenate([text_keys(titles), title_keys(titles)]))
    shares = np.empty((len(titles), 4))
    shares[:, :3] = pages[: len(titles)]
    shares[:, 3] = pages[len(titles) :, 0]
    shares /= max(len(site), 1)
    return shares


def shares_of_texts(of_site: Float32) -> Float32:
    """Return the share (b,) of the pages of the site with the text of each block, 0 for that of few pages.

    of_site: the features (b, f) of the site.
    """
    share, pages = of_site[:, _SHARES].T
    return np.where(pages >= SHARED_ON, share, np.float32(0.0))


_NAMES = names_by_group("site.csv")
_SHARES = [_NAMES["site"].index(name) for name in ("text", "text on")]
_CONTEXT = _NAMES["context"]
_ROWS = np.array([_CONTEXT.index("main at path"), _CONTEXT.index("main at tag path"), len(_CONTEXT)])
_COLUMNS = np.array([block_names().index(name) for name in OWN])
_WINDOWS = np.array([2, 5, 15])  # blocks to each side
_LEAST = 1e-4  # least probability whose log odds are taken
_NONE = -9.0  # log odds where there is no block
_FAR = 50  # greatest distance of blocks
_EDGES = np.array([0.05, 0.95])  # shares of the expected main text at which it starts and ends


def log_odds(probability: Float64) -> Float64:
    """Return the log odds of probabilities, limited to those of 0.0001 and 0.9999.

    >>> log_odds(np.array([0.5, 0.0])).round(2).tolist()
    [0.0, -9.21]
    """
    odds: Float64 = sitekernel.log_odds(probability, _LEAST)
    return odds


def context(facts: PageFacts, x: Float32, main: Float64, comment: Float64) -> Float32:
    """Return the features (b, g) of the blocks of a page; their names are `context_names`.

    x: (b, f) their features by the page alone; main, comment: (b,) the probabilities by them.
    """
    table = np.empty((len(context_names()), len(main)), np.float32)
    sitekernel.context_features(
        table,
        x.T,
        _COLUMNS,
        facts.letters,
        main,
        comment,
        (-main).argsort(kind="stable"),
        facts.spans,
        facts.path_group,
        facts.tag_group,
        facts.is_heading.view(np.uint8),
        _ROWS,
        _WINDOWS,
        _FAR,
        _EDGES,
        _LEAST,
        _NONE,
    )
    return table.T


@cache
def context_names() -> tuple[str, ...]:
    """Return the names of the features of `context`.

    >>> context_names()[:3]
    ('main', 'comment', 'main 1 before')
    """
    return (*_CONTEXT, *OWN)


@cache
def site_names() -> tuple[str, ...]:
    """Return the names of the features by the texts and places of a site.

    >>> site_names()[:2]
    ('site pages', 'site text')
    """
    return tuple(f"site {name}" for name in _NAMES["site"])


@cache
def judged_names() -> tuple[str, ...]:
    """Return the names of the features by what the models find on the pages of a site.

    >>> judged_names()[:2]
    ('site main at path', 'site comment at path')
    """
    return tuple(f"site {name}" for name in _NAMES["judged"])
