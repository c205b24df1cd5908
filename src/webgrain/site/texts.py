"""The texts that pages of a site share, learnt while pages of many sites are read.

A site is a host, or a folder that is named after a host, see `webgrain.duplicates.sketches.site_name`.
"""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import chain, islice
from random import Random

from webgrain.base.failures import Failure
from webgrain.columns.sitetable import SiteTable
from webgrain.duplicates.sketches import site_name
from webgrain.engines.groups import run_in_turns
from webgrain.extraction.single import table_steps
from webgrain.io.read import Item
from webgrain.page.page import Page
from webgrain.page.turns import Steps
from webgrain.site import thresholds
from webgrain.site.pipeline import parsed_groups


def page_of_site(page: Page) -> tuple[str, Page]:
    """Return the site of a page, and the page; in a folder named after a host its id begins below the folder.

    So it is read as if the folder were the input: the depth of an address is a feature.
    """
    site = site_name(page.id, page.url)
    below = f"/{page.id}".partition(f"/{site}/")[2]
    return site, replace(page, id=below) if site and page.url is None else page


def learn_texts(
    items: Iterable[Item], failed: Callable[[Failure], object] = lambda failure: None
) -> dict[str, SiteTable]:
    """Return the texts of each site with enough pages, learnt from pages drawn at random.

    Only drawn pages are parsed, some in turns, and only their texts and paths are kept in memory, as numbers.

    failed: called with each drawn page that can be read and not be learnt from.
    """
    pages = iter(items)
    first = list(islice(pages, thresholds.LEAST_TEXT_PAGES))
    if len(first) < thresholds.LEAST_TEXT_PAGES:  # no site has enough
        return {}
    drawn: dict[str, dict[int, SiteTable]] = defaultdict(dict)
    count = Counter[str]()
    rng = defaultdict[str, Random](partial(Random, 0))  # a site as by itself
    places = deque[tuple[str, int]]()

    def drawn_pages() -> Iterator[Item]:
        for item in chain(first, pages):
            if isinstance(item, Failure):
                continue
            site = site_name(item.id, item.url)
            place = count[site]
            if place >= thresholds.TEXT_PAGES:
                place = rng[site].randrange(place + 1)
            count[site] += 1
            if place < thresholds.TEXT_PAGES:
                places.append((site, place))
                yield item

    for table in item_tables(drawn_pages()):
        site, place = places.popleft()
        if isinstance(table, SiteTable):
            drawn[site][place] = table
        elif table.stage == LEARN:
            failed(table)
    return {
        site: SiteTable.merged(tables.values()).shared()
        for site, tables in drawn.items()
        if len(tables) >= thresholds.LEAST_TEXT_PAGES
    }


LEARN = "learn"
"""Stage of a page that cannot be learnt from."""


def item_tables(items: Iterable[Item]) -> Iterator[SiteTable | Failure]:
    """Yield the texts of each page that other pages of its site may share, or its failure."""

    def steps(page: Page) -> Steps[SiteTable]:
        return table_steps(page_of_site(page)[1])

    for pages in parsed_groups(items):
        yield from run_in_turns(pages, LEARN, steps)
