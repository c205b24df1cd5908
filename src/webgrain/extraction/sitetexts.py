"""What the site of a page is known to have at the texts and places of the page: features of its blocks.

    page + SiteTable --site_features--> (b, f), NaN for a place that no page has

A text that many pages have at the same place is boilerplate; a place whose text differs between pages holds
content; a text that other pages link to is a title. Each page is first judged by itself, and the mean of
these probabilities at a place states what the other pages have there: main text, comments, the title. The
mean of the verdicts of the pages with a place states what kind of page has it. The names, units and meanings
of the features are in ``site.csv``; `webgrain.extraction.sitekernel` computes them.

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
from webgrain.columns.blocks import PageFacts, page_facts, text_keys, title_keys
from webgrain.columns.sitetable import PLACE_COLUMNS, SiteTable
from webgrain.columns.thresholds import SHARED_PAGES
from webgrain.extraction import sitekernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.thresholds import KNOWN_TEXTS
from webgrain.page.page import Page, of_last_page

_MANY = 5  # pages beyond which the number of pages with a link or a heading does not matter
_WINDOW = 5  # blocks to each side
_SPANS = np.array([0, 1, 3])  # the containers of `PageFacts.spans` that are used
_VOTING = 3  # pages with a place, at least, whose verdicts are used by themselves
_THREADS_OF_PAGES = [PLACE_COLUMNS.index(name) for name in ("threads", "pages")]


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
    """Return the mean probability of a thread among the pages with the places of a page; NaN: none are known.

    Rare places count more, so that these are mostly pages of the same type.

    >>> from webgrain.page.parsing import parse
    >>> thread_share(parse("<p>Menu<p>Text"), SiteTable())
    nan
    """
    places = site.places.counts
    rows = np.array(sorted({*places.find(page_facts(page).path).tolist()}), np.int64)
    values = places.rows[rows][:, _THREADS_OF_PAGES]
    threads, pages = values[values[:, 1] > 0].T
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


@cache
def _names() -> dict[str, tuple[str, ...]]:
    """Return the names of the features by group."""
    groups = names_by_group("site.csv").items()
    return {group: tuple(f"site {name}" for name in names) for group, names in groups}


def site_names() -> tuple[str, ...]:
    """Return the names of the features by the texts and places of a site.

    >>> site_names()[:2]
    ('site pages', 'site text')
    """
    return _names()["site"]


def judged_names() -> tuple[str, ...]:
    """Return the names of the features by what the models find on the pages of a site.

    >>> judged_names()[:2]
    ('site main at path', 'site comment at path')
    """
    return _names()["judged"]
