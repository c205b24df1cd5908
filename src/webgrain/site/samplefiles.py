"""The pages that a site is learnt from, in files, so that what one stage computes is not computed again.

    chosen pages of a shard --sample_pages, write_pages--> pages, facts --stored_pages--> steps of learning
    facts, articles --KnownPages--> the stage ``extract``
    chances --remember_chances--> the segments of the sample pages in the stage ``report``

The files belong to one run of an audit: another run does not read them, so a file may be incomplete if a run
is killed. A page of a page store is stored without its view, so only the steps of learning use it.

A process keeps the pages that it used last, of `webgrain.site.thresholds.KEPT_BYTES` in the files, so that it
need not read them again in the next step.
"""

from __future__ import annotations

import os
import pickle
import threading
from collections import OrderedDict, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple, Self

import numpy as np

from webgrain.base.arrays import Bool, Float32
from webgrain.base.failures import Failure
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.documents.content import Content, ContentFacts, KnownContent
from webgrain.engines.guard import run_step
from webgrain.extraction.judgements import judgements_with_site
from webgrain.extraction.single import SinglePage
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.pagetypes.traits import PageTraits, page_traits
from webgrain.segmentation.learntcut import Chances, find_blocks, page_chances, page_marks
from webgrain.segmentation.method import TRAINED
from webgrain.site import thresholds
from webgrain.site.shards import numbered_items
from webgrain.site.workspace import SiteFiles


class NumberedPage(NamedTuple):
    """A page of the sample.

    Attributes:
        number: in the order in which pages are chosen.
        position: in its shard.
        page: the parsed page, without its bytes and its view.
    """

    number: int
    position: int
    page: Page


def sample_pages(shard: Path, order: Mapping[str, int], nodes: int) -> tuple[list[NumberedPage], int | None]:
    """Return the pages of a shard that a site is learnt from, in the order of the shard.

    order: the numbers of the chosen pages. The first of them are used, until they have more than ``nodes``
    nodes, so that a small sample has the same kinds of pages as a large one. Very large pages are left out.
    The second value is the number of the first page that was too many; None for none.
    """
    kept: dict[int, NumberedPage] = {}
    end: int | None = None
    total = 0
    for position, item in numbered_items(shard, order):
        if isinstance(item, Failure):
            continue
        number = order[item.id]
        if number in kept or (end is not None and number >= end):
            continue
        page = run_step(item, "read", _tree)
        if isinstance(page, Page) and len(page.dom) <= nodes // thresholds.LARGEST_SHARE:
            kept[number] = NumberedPage(number, position, page)
            total += len(page.dom)
        while total > nodes:
            end = max(kept)
            total -= len(kept.pop(end).page.dom)
    return list(kept.values()), end


def _tree(item: Source | Page) -> Page:
    """Return a page without its bytes and its view."""
    page = parse(item) if isinstance(item, Source) else item
    return replace(page, source=None, view=None, screenshot=None)


class PagePlace(NamedTuple):
    """Where a page is stored.

    Attributes:
        page: its id.
        shard, position: the number of its shard, and its position there.
        start, size: its bytes in the file of the pages of the shard.
    """

    page: str
    shard: int
    position: int
    start: int
    size: int


class KnownPage(NamedTuple):
    """What is known of a page of the sample. place: where it is stored; traits: see `page_traits`."""

    place: PagePlace
    traits: PageTraits


def write_pages(site: SiteFiles, shard: int, pages: Iterable[NumberedPage]) -> dict[int, PagePlace]:
    """Write the pages of a shard; return the place of each, by its position."""
    places = {}
    written = []
    start = 0
    site.known.mkdir(parents=True, exist_ok=True)
    path = site.known / f"{shard}.pages"
    with path.open("wb") as file:
        for _, position, page in pages:
            size = file.write(pickle.dumps(page))
            places[position] = PagePlace(page.id, shard, position, start, size)
            written.append((places[position], page))
            start += size
    version = _version(path)
    for place, page in written:
        _KEPT_PAGES.keep(version, place, page)
    return places


def stored_pages(site: SiteFiles, places: Iterable[PagePlace], *, is_last: bool = False) -> Iterator[Page]:
    """Yield stored pages; is_last: nothing reads them again, so they are not kept in this process."""
    for place in places:
        path = site.known / f"{place.shard}.pages"
        version = _version(path)
        page = _KEPT_PAGES.take(version, place)
        if page is None:
            with path.open("rb") as file:
                file.seek(place.start)
                page = pickle.loads(file.read(place.size))
        if not is_last:
            _KEPT_PAGES.keep(version, place, page)
        yield page


FileVersion = tuple[int, int, int]
"""Device and number of a file, and when it was changed, in nanoseconds."""


def _version(path: Path) -> FileVersion:
    """Return the version of a file: that of another file, or of changed content, differs."""
    status = os.stat(path)
    return status.st_dev, status.st_ino, status.st_mtime_ns


class KeptPages:
    """The pages of files that this process used last, with a bound for their bytes in the files; for threads.

    Pages are kept without the facts about them, so their memory is about that of the file.

    >>> pages = KeptPages(10)
    >>> places = [PagePlace(name, 0, number, 6 * number, 6) for number, name in enumerate("ab")]
    >>> for place in places:
    ...     pages.keep((1, 2, 3), place, Page(place.page, parse("<p>a").dom))
    >>> [pages.take((1, 2, 3), place) for place in places]
    [None, Page('b', 5 nodes, no view)]
    """

    def __init__(self, most: int) -> None:
        self._room = most
        self._pages: OrderedDict[tuple[FileVersion, int], tuple[Page, int]] = OrderedDict()
        self._lock = threading.Lock()

    def keep(self, version: FileVersion, place: PagePlace, page: Page) -> None:
        """Keep a page of a file, in place of those that were kept first; a copy without facts is kept."""
        key = version, place.start
        without_facts = replace(page, dom=replace(page.dom))
        with self._lock:
            _, size = self._pages.pop(key, (None, 0))
            self._pages[key] = without_facts, place.size
            self._room += size - place.size
            while self._room < 0:
                _, (_, size) = self._pages.popitem(last=False)
                self._room += size

    def take(self, version: FileVersion, place: PagePlace) -> Page | None:
        """Return a page of a file, which is not kept any longer; None if it is not kept."""
        with self._lock:
            page, size = self._pages.pop((version, place.start), (None, 0))
            self._room += size
        return page


_KEPT_PAGES = KeptPages(thresholds.KEPT_BYTES)


def write_facts(site: SiteFiles, shard: int, facts: Mapping[int, KnownPage]) -> None:
    """Write what is known of pages of a shard, by their positions."""
    _write(site.known / f"{shard}.facts", facts)


class KnownArticle(NamedTuple):
    """An article in a file, and what was found with it.

    Attributes:
        article: without its blocks if facts of these are known, else whole.
        facts: of its blocks.
        judged: what the models find of the text blocks of the page, see `judgements_with_site`.
    """

    article: Article
    facts: ContentFacts | None
    judged: Float32 | None

    @classmethod
    def of(cls, article: Article, judged: Float32 | None) -> Self:
        """Return an article as it is stored."""
        if isinstance(article.blocks, Content):
            return cls(replace(article, blocks=()), ContentFacts.of(article.blocks), judged)
        return cls(article, None, judged)

    def restored(self, page: Page, texts: SiteTable) -> Article:
        """Return the article of a page, and let the page know the judgements; texts: those of the site."""
        page.remember(judgements_with_site, self.judged, texts)
        if self.facts is None:
            return self.article
        content = KnownContent(self.facts, lambda: SinglePage().predict(page, texts).blocks)
        return replace(self.article, blocks=content)


def write_articles(site: SiteFiles, part: str, articles: Mapping[PagePlace, KnownArticle]) -> None:
    """Write the articles of some pages. part: names these pages."""
    of_shards: defaultdict[int, dict[int, KnownArticle]] = defaultdict(dict)
    for place, article in articles.items():
        of_shards[place.shard][place.position] = article
    for shard, of_shard in of_shards.items():
        _write(site.known / f"{shard}-{part}.articles", of_shard)


class KnownChances(NamedTuple):
    """What a segmentation has found of a page without a view.

    Attributes:
        hidden: (n,) the nodes that its style sheets hide, as they were known.
        chances: see `page_chances`.
    """

    hidden: Bool
    chances: Chances


def write_chances(site: SiteFiles, part: str, known: Mapping[str, KnownChances]) -> None:
    """Write what the segmentation has found of some pages, by their ids. part: names these pages."""
    _write(site.known / f"{part}.chances", known)


def remember_chances(site: SiteFiles, page: Page) -> None:
    """Let a page know what its segmentation has found, if it was segmented with the same hidden nodes."""
    folder = site.known
    known = _chances(folder, folder.stat().st_mtime_ns).get(page.id) if folder.exists() else None
    if known and page.view is None and page.hidden is not None and np.array_equal(page.hidden, known.hidden):
        model = find_blocks(TRAINED, page)
        page.remember(page_chances, known.chances, model)
        page.remember(page_marks, known.chances.marked, model.marked)


@lru_cache(maxsize=4)
def _chances(folder: Path, changed: int) -> Mapping[str, KnownChances]:
    known: dict[str, KnownChances] = {}
    for path in sorted(folder.glob("*.chances")):
        known |= pickle.loads(path.read_bytes())
    return known


def _write(path: Path, value: object) -> None:
    path.write_bytes(pickle.dumps(value))


class KnownPages:
    """What learning has found of the pages of a shard: nothing, if there are no files.

    number: of the shard.
    """

    def __init__(self, site: SiteFiles, number: int) -> None:
        self._site = site
        self._facts: Mapping[int, KnownPage] = _read(site.known / f"{number}.facts")
        self._articles: dict[int, KnownArticle] = {}
        for path in site.known.glob(f"{number}-*.articles"):
            self._articles |= _read(path)

    def read(
        self, position: int, item: Source | Page, texts: SiteTable
    ) -> tuple[Source | Page, Article | None]:
        """Return the item at a position of the shard, parsed if it is known, and its article if it is known.

        texts: those of the site, with which the articles were read.
        """
        facts = self._facts.get(position)
        if facts is None or not isinstance(item, Source):
            return item, None
        [stored] = stored_pages(self._site, [facts.place], is_last=True)
        page = replace(stored, source=item)
        page.remember(page_traits, facts.traits)
        article = self._articles.get(position)
        return page, None if article is None else article.restored(page, texts)


def _read(path: Path) -> Mapping[int, Any]:
    """Return the values in a file by position; none if the file does not exist."""
    with suppress(FileNotFoundError):
        values: Mapping[int, Any] = pickle.loads(path.read_bytes())
        return values
    return MappingProxyType({})
