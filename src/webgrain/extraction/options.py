"""Options of an extraction: the elements that are read, the choice of text, links and images.

    page --include, exclude--> part of the page --SinglePage(favor)--> Article --links, images--> Document

Elements are removed before anything is decided: the content is that of a page whose HTML does not have them.
The parts of the document have the elements of the whole page.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from typing import TypeVar

import numpy as np

from webgrain.base.arrays import Bool, Int64
from webgrain.base.errors import ParameterError
from webgrain.columns.sitetable import SiteTable
from webgrain.documents.article import Article
from webgrain.documents.parts import Part
from webgrain.extraction.document import Document
from webgrain.extraction.single import Favor, SinglePage
from webgrain.page.addresses import Selectors, unsupported_selector
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.pagepart import PagePart, page_part
from webgrain.page.tagtables import TagSet
from webgrain.page.turns import Steps, alone

AnyDocument = TypeVar("AnyDocument", bound=Document)

_WITHOUT_TEXT = TagSet("head", "script", "style", "link", "meta")
"""Elements that ``include`` keeps: they have no text of the page, but state facts about it."""


@dataclass(frozen=True)
class ExtractionOptions:
    """What a document of a page contains.

    Attributes:
        include: CSS selectors; only what is inside elements of one of them is read. Empty: the whole page.
        exclude: CSS selectors; elements of one of them are left out.
        favor: ``balance``, ``precision`` or ``recall``, see `SinglePage`.
        links, images: whether the document has links, and images and embedded objects.
        comments: whether text, Markdown and HTML have the comments; None: of threads only.

    Raises `ParameterError` for a text that is not a supported CSS selector, and for other wrong values.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<h1>Lamp</h1><p>The lamp is lit.<p class=ad>Buy lamps!")
    >>> ExtractionOptions(exclude=(".ad",)).document(page).text
    'The lamp is lit.'
    >>> ExtractionOptions(include=("p:hover",))
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: include must be CSS selectors; 'p:hover' is not supported.
    """

    include: str | Sequence[str] = ()
    exclude: str | Sequence[str] = ()
    favor: Favor = "balance"
    links: bool = True
    images: bool = True
    comments: bool | None = None

    def __post_init__(self) -> None:
        for name in ("include", "exclude"):
            object.__setattr__(self, name, _checked_selectors(name, getattr(self, name)))
        for name in ("links", "images"):
            if not isinstance(getattr(self, name), bool):
                raise ParameterError(f"{name} must be True or False, got {getattr(self, name)!r:.80}.")
        if self.comments not in (None, True, False):
            raise ParameterError(f"comments must be True, False or None, got {self.comments!r:.80}.")
        _ = self.reader

    @property
    def reader(self) -> SinglePage:
        """The method that chooses the text."""
        return _reader(self.favor) if isinstance(self.favor, str) else SinglePage(favor=self.favor)

    def document(
        self,
        page: Page,
        texts: SiteTable | None = None,
        completed: Callable[[Page, Article], AnyDocument] = Document,  # type: ignore[assignment]
    ) -> AnyDocument:
        """Return the document of a page.

        texts: the texts of its site. completed: makes the document of the page and its article.
        """
        return alone(self.steps(page, texts, completed))

    def steps(
        self,
        page: Page,
        texts: SiteTable | None = None,
        completed: Callable[[Page, Article], AnyDocument] = Document,  # type: ignore[assignment]
    ) -> Steps[AnyDocument]:
        """Return the document of a page, as `document` does, in steps."""
        part = self._part(page)
        if part is None:
            article = yield from self.reader.steps(page, texts)
            return completed(page, self.shown(article))
        article = yield from self.reader.steps(part.page, texts, data=False)
        document = completed(self._noted(page, part), self.shown(_moved(article, part.node)))
        return document.with_metadata(Document(part.page, article).metadata)

    def _part(self, page: Page) -> PagePart | None:
        """Return the part of a page that is read; None if it is the whole page."""
        if not self.include and not self.exclude:
            return None
        dom = page.dom
        kept = np.ones(len(dom), bool)
        if self.include:
            read = _inside(dom, self._included) | _inside_of(dom, _WITHOUT_TEXT.of_nodes(dom))
            kept = dom.subtree_sum(read) > 0
        if self.exclude:
            kept &= ~_inside(dom, self._excluded)
        kept[0] = True
        return page_part(page, kept)

    @cached_property
    def _included(self) -> Selectors:
        return Selectors(self.include)

    @cached_property
    def _excluded(self) -> Selectors:
        return Selectors(self.exclude)

    def _noted(self, page: Page, part: PagePart) -> Page:
        """Return the page, with a note if nothing of it is read."""
        if not self.include or len(self._included.find(page.dom)[0]):
            return page
        note = f"No element matches include, {', '.join(self.include)}, so there is no text."
        return replace(page, notes=(*page.notes, note))

    def shown(self, article: Article) -> Article:
        """Return an article without links or images, if the document has none, and with comments or not."""
        if self.comments is not None:
            article = replace(article, joined=self.comments)
        if self.links and self.images:
            return article
        blocks = (shown for block in article.blocks for shown in _shown(block, self.links, self.images))
        return replace(article, blocks=tuple(block for block in blocks if isinstance(block, Part)))


@cache
def _reader(favor: Favor) -> SinglePage:
    return SinglePage(favor=favor)


def _checked_selectors(name: str, given: object) -> tuple[str, ...]:
    """Return one or several selectors as a tuple; `ParameterError` for anything else."""
    if given == ():
        return ()
    selectors = (given,) if isinstance(given, str) else () if given is None else given
    if not isinstance(selectors, Sequence) or not all(isinstance(each, str) for each in selectors):
        raise ParameterError(f"{name} must be CSS selectors, got {given!r:.80}.")
    for selector in selectors:
        if (wrong := unsupported_selector(selector)) is not None:
            raise ParameterError(f"{name} must be CSS selectors; {wrong!r:.80} is not supported.")
    return tuple(selectors)


def _inside(dom: Dom, selectors: Selectors) -> Bool:
    """(n,) True at the elements that selectors find, and at everything inside them."""
    found = np.zeros(len(dom), bool)
    found[selectors.find(dom)[0]] = True
    return _inside_of(dom, found)


def _inside_of(dom: Dom, elements: Bool) -> Bool:
    """(n,) True at elements and at everything inside them."""
    inside: Bool = elements | dom.inside(elements)
    return inside


def _moved(article: Article, node: Int64) -> Article:
    """Return the article of a part of a page with the nodes of the page; node: see `PagePart`."""
    return replace(article, blocks=tuple(_moved_part(block, node) for block in article.blocks))


def _moved_part(part: Part, node: Int64) -> Part:
    children = tuple(
        _moved_part(child, node) if isinstance(child, Part) else child for child in part.children
    )
    return replace(part, node=int(node[part.node]), children=children)


def _shown(part: Part | str, links: bool, images: bool) -> Iterator[Part | str]:
    """Yield a part without links or images: a link as its text, and nothing for a part without contents."""
    if isinstance(part, str):
        yield part
        return
    if part.kind in ("image", "embed") and not images:
        return
    children = tuple(inner for child in part.children for inner in _shown(child, links, images))
    if part.kind == "link" and not links:
        yield from children
    elif children or not part.children or part.kind in ("cell", "row"):
        yield replace(part, children=children)
