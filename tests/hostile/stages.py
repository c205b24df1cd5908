"""The stages of processing one page: learning from it and predicting for it."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import TYPE_CHECKING

from tests.views import with_lines

from webgrain.base.errors import ParameterError
from webgrain.columns.sitetable import SiteTable
from webgrain.duplicates.sketches import PageText, make_sketch
from webgrain.extraction.document import Document as Extracted
from webgrain.extraction.document import document_record
from webgrain.extraction.options import ExtractionOptions
from webgrain.extraction.single import SinglePage, page_table
from webgrain.lists.paging import next_page
from webgrain.lists.ranking import find_lists
from webgrain.page import segmentation
from webgrain.page.segmentation import segmentation_record
from webgrain.page.text import page_text, text_blocks
from webgrain.pagetypes.pagetypes import PageTypes
from webgrain.papers.keyclus import KeyClus
from webgrain.papers.regextree import RegexTree
from webgrain.papers.webstemmer import Webstemmer
from webgrain.report.difference import as_html, as_text
from webgrain.report.terminal import outline
from webgrain.segmentation.segmenter import segmenter
from webgrain.site.duplicates import compare_pages, text_to_compare
from webgrain.site.learning import learn_site
from webgrain.site.stages.extraction import content_cells
from webgrain.site.tables import storable_cells
from webgrain.templates.drift import drift
from webgrain.templates.sections import Sectioner, sections_record

if TYPE_CHECKING:
    from collections.abc import Callable

    from webgrain.page.page import Page
    from webgrain.page.segmentation import Segmentation
    from webgrain.templates.template import Template


@lru_cache(maxsize=1)
def _cut(page: Page) -> tuple[Page, Segmentation]:
    """Return a page that is laid out, and its segmentation; the same for all stages of one page."""
    page = with_lines(page)
    return page, segmenter().predict(page)


def segments(page: Page) -> object:
    """Lay a page out, cut it, and write down its segments."""
    return segmentation_record(*_cut(page))


def template(page: Page) -> object:
    """Learn a template, and cut the page with it."""
    learnt = _learnt(page)
    if learnt is None:
        return None
    found = Sectioner(template=learnt).predict(page)
    return sections_record(page, found.segmentation("t")), str(learnt)


def lists(page: Page) -> object:
    """Read the lists of a page, their rows and their selectors."""
    next_page(page)
    return [(each.to_dict(), each.records(), each.selectors()) for each in find_lists(page)]


@lru_cache(maxsize=1)
def _learnt(page: Page) -> Template | None:
    """Return the template of three pages; None where there is nothing to see on them."""
    try:
        return RegexTree().fit([page, page, page]).template_
    except ParameterError:
        return None


def layouts(page: Page) -> object:
    """Learn layouts, and read the article."""
    article = Webstemmer().fit([page, page, page]).predict(page)
    return views(Extracted(page, article))


def views(document: Extracted) -> object:
    """Return a document in all its forms."""
    forms = document.markdown, document.html, document.front_matter
    facts = document.links, document.images, document.page.title, document.page.text, document.page.links
    chunks = *document.chunks(), *document.chunks(50, as_markdown=True)
    return document_record(document), *forms, *facts, [chunk.to_dict() for chunk in chunks]


def parts(page: Page) -> object:
    """Read a part of the page, without links and images."""
    options = ExtractionOptions("div, p, td", "li, a + *, b", "recall", links=False, images=False)
    return views(options.document(page))


def types(page: Page) -> object:
    """Learn the types of three pages, and assign one."""
    return KeyClus().fit([page, page, page]).predict(page)


def single(page: Page) -> object:
    """Read the main text of the page by itself."""
    article = SinglePage().predict(page)
    return views(Extracted(page, article))


def copies(page: Page, n: int) -> list[Page]:
    """Return n pages that differ in their ids only."""
    return [replace(page, id=f"{page.id}{k}") for k in range(n)]


def site_texts(page: Page) -> object:
    """Read a page with the texts of its site."""
    texts = SiteTable.merged([page_table(one) for one in copies(page, 3)]).shared()
    return views(Extracted(page, SinglePage().predict(page, texts)))


def page_types(page: Page) -> object:
    """Learn the types of three pages by their structure, and assign one."""
    return PageTypes().fit(copies(page, 3)).predict(page)


def site(page: Page) -> object:
    """Learn the model of a site of three pages, read a page with it, and make its row."""
    pages = copies(page, 3)
    found = learn_site(lambda: pages, "site").predict(page)
    return views(found), storable_cells(content_cells(found, found.text, "site"))


def sketch(page: Page) -> object:
    """Make the sketch of the page."""
    return make_sketch(text_to_compare(page))


def show(page: Page) -> object:
    """Show the segments of a page as a tree."""
    page, found = _cut(page)
    return list(outline(page, segmentation.segments(page, found)))


def compare(page: Page) -> object:
    """Compare a page with itself."""
    text = text_to_compare(page)
    shown = compare_pages([text, PageText("b", text.text + "x")])
    return list(as_text(shown, 120)), as_html(shown)


def changed(page: Page) -> object:
    """Compare the page with its template."""
    learnt = _learnt(page)
    return None if learnt is None else drift(learnt, [page] * 3)


STAGES: dict[str, Callable[[Page], object]] = {
    "blocks": text_blocks,
    "segments": segments,
    "template": template,
    "lists": lists,
    "layouts": layouts,
    "types": types,
    "single": single,
    "parts": parts,
    "site texts": site_texts,
    "page types": page_types,
    "site": site,
    "sketch": sketch,
    "text": page_text,
    "show": show,
    "compare": compare,
    "drift": changed,
}
"""Stages by name."""
