"""Programs for `webgrain.evaluation.extraction`: webgrain, and trivial baselines that it should beat.

=================  =======================================================================================
all visible text   the text of the page and its HTML; the content of ``<title>``, the author of the first
                   ``meta`` element that states one, the first date in the text, ``lang`` of the root; no
                   comments
largest container  the text of the element that directly contains most letters outside of links; no comments
=================  =======================================================================================
"""

from __future__ import annotations

from functools import partial

import numpy as np

from webgrain.documents.dates import first_date
from webgrain.evaluation.extraction import EXTRACTED_FIELDS, Extraction, Extractor
from webgrain.extraction.document import Document, comment_records
from webgrain.extraction.single import SinglePage
from webgrain.page.markup import metas
from webgrain.page.page import Page
from webgrain.page.text import page_text, text_blocks, visible_text


def webgrain_alone() -> Extractor:
    """Return webgrain with the page alone.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<html lang=en><title>A walk</title><h1>A walk</h1><p>" + "One step, then another. " * 9)
    >>> extraction = webgrain_alone().extract(page)
    >>> extraction.title, extraction.text[:9], extraction.language, extraction.posts
    ('A walk', 'One step,', 'en', ())
    """
    return Extractor("webgrain", EXTRACTED_FIELDS, partial(_by_webgrain, SinglePage()))


def _by_webgrain(method: SinglePage, page: Page) -> Extraction:
    return extraction_of(Document(page, method.predict(page)))


def extraction_of(document: Document) -> Extraction:
    """Return a document of webgrain as an extraction."""
    known = document.metadata
    author = known.get("author", "")
    is_thread = bool(document.posts)
    return Extraction(
        text=document.text,
        html=document.html,
        posts=tuple(record["text"] for record in comment_records(document.posts or document.comments)),
        thread=is_thread,
        title=document.title,
        authors=(author,) if author else (),
        date=known.get("published", ""),
        language=known.get("language", ""),
        description=known.get("description", ""),
    )


def baselines() -> list[Extractor]:
    """Return the trivial baselines."""
    whole = tuple(name for name in EXTRACTED_FIELDS if name != "description")
    return [
        Extractor("all visible text", whole, whole_page),
        Extractor("largest container", ("text", "posts"), largest_container),
    ]


def whole_page(page: Page) -> Extraction:
    r"""Return all of a page as its content.

    >>> from webgrain.page.parsing import parse
    >>> extraction = whole_page(parse("<html lang=en><title>T</title><p>3 May 2020<p>Text"))
    >>> extraction.text, extraction.title, extraction.date, extraction.language
    ('3 May 2020\nText\n', 'T', '2020-05-03', 'en')
    """
    dom = page.dom
    text = page_text(page)
    source = page.source
    named = (
        meta.get("content", "") for meta in metas(dom) if meta.get("name", "").strip().lower() == "author"
    )
    author = next(named, "").strip()
    return Extraction(
        text=text,
        html=source.body.decode(page.charset, "replace") if source else "",
        posts=(),
        title=" ".join(dom.first_texts("title")[0].split()),
        authors=(author,) if author else (),
        date=next(filter(None, map(first_date, text.splitlines())), ""),
        language=dom.get(0, "lang") or "",
    )


def largest_container(page: Page) -> Extraction:
    r"""Return the text of the element whose children contain most letters outside of links.

    A text block counts for the element around the one that contains it, as a paragraph does for the ``div``
    around it.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><p>One<p>Two</div><div><p><a href=b>A long text of a link</a></div>")
    >>> largest_container(page).text
    'One\n\nTwo'
    """
    blocks = text_blocks(page)
    above = blocks.up[blocks.holder]
    place = np.where(above >= 0, above, blocks.holder)
    if not len(place):
        return Extraction(text="", posts=())
    weight = np.bincount(place, weights=blocks.weight_noanchor)
    node = int(blocks.element[weight.argmax()])
    return Extraction(text=visible_text(page, node, separator="\n\n"), posts=())
