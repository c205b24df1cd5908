"""What the site of a page is known to have at the texts and places of the page: features of its blocks.

    page --texts_of_page--> PageTexts --SiteTable.learn--> SiteTable
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
from webgrain.columns.blocks import PageFacts, page_facts
from webgrain.columns.sitetable import PLACE_COLUMNS, PageTexts, SiteTable, text_keys
from webgrain.columns.thresholds import SHARED_PAGES
from webgrain.extraction import sitekernel
from webgrain.extraction.featurenames import names_by_group
from webgrain.extraction.thresholds import KNOWN_TEXTS
from webgrain.page.page import Page, of_last_page

_MANY = 5  # pages beyond which the number of pages with a link or a heading does not matter
_WINDOW = 5  # blocks to each side
_SPANS = np.array([0, 1, 3])  # the containers of `PageFacts.spans` that are used
_VOTING = 3  # pages with a place, at least, whose verdicts are used by themselves


@of_last_page
def texts_of_page(page: Page) -> PageTexts:
    """Return the texts and places of a page.

    >>> from webgrain.page.parsing import parse
    >>> texts_of_page(parse("<p>Menu<p>Text")).letters.tolist()
    [4.0, 4.0]
    """
    facts = page_facts(page)
    b = len(facts.letters)
    keys = text_keys([*facts.blocks.texts, *title_texts(facts.title_parts)])
    return PageTexts(
        text=keys[:b],
        place=facts.path,
        tag_place=facts.tag_path,
        letters=facts.letters,
        linked=facts.linked,
        heading=facts.is_heading | facts.is_title,
        titles=np.array(sorted({*keys[b:].tolist()}), np.uint64),
        judged=np.zeros((b, 3), np.float32),
    )


def title_texts(titles: Sequence[str]) -> list[str]:
    """Return the texts that stand for parts of titles in a site table; they differ from all other texts.

    >>> title_texts(["The  Boat"])
    ['title the boat']
    """
    return [f"title {title}" for title in folded_texts(titles)]


def folded_texts(texts: Sequence[str]) -> list[str]:
    """Return texts without differences of case and white space.

    >>> folded_texts(["The  Boat", "Dusk"])
    ['the boat', 'dusk']
    """
    if not texts:
        return []
    joined = "\n".join(texts).casefold()
    lines = joined.split("\n")
    if " ".join(joined.split()) == joined.replace("\n", " "):  # there are only single spaces between words
        return lines
    return [" ".join(line.split()) for line in lines]


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
    texts = texts_of_page(page)
    rows = SiteRows.of(texts, site)
    return rows.features(texts, page_facts(page), site) if rows.are_known(texts, site) else None


def thread_share(page: Page, site: SiteTable) -> float:
    """Return the mean probability of a thread among the pages with the places of a page; NaN: none are known.

    Rare places count more, so that these are mostly pages of the same type.

    >>> from webgrain.page.parsing import parse
    >>> thread_share(parse("<p>Menu<p>Text"), SiteTable())
    nan
    """
    texts = texts_of_page(page)
    places = site.places.counts
    rows = np.array(sorted({*places.find(texts.place).tolist()}), np.int64)
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
    def of(cls, texts: PageTexts, site: SiteTable) -> SiteRows:
        """Return the rows of a page."""
        of_places = site.places.find(texts.place, texts.text)
        of_tags = site.tag_places.find(texts.tag_place, texts.text)
        return cls(site.texts.find(texts.text), *of_places, *of_tags)

    def are_known(self, texts: PageTexts, site: SiteTable) -> bool:
        """Whether enough texts of the page are at the same place on pages of the site."""
        at_place = site.places.texts.rows[self.at_place, 0] >= SHARED_PAGES
        at_tags = site.tag_places.texts.rows[self.at_tags, 0] >= SHARED_PAGES
        return len(set(texts.text[at_place | at_tags].tolist())) >= KNOWN_TEXTS

    def features(self, texts: PageTexts, facts: PageFacts, site: SiteTable) -> Float32:
        """Return the features (b, f) of the page, see `site_features`."""
        of_texts = len(site_names())
        table = np.empty((of_texts + len(judged_names()), len(texts.text)), np.float32)
        sitekernel.site_features(
            table,
            float(len(site)),
            site.articles,
            texts.letters,
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
    pages = site.texts.of(text_keys([*titles, *title_texts(titles)]))
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
