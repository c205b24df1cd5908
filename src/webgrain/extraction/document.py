"""The extracted content of a page in all its forms: title, text, Markdown, HTML and metadata."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from urllib.parse import urljoin

from webgrain.extraction.html import main_html
from webgrain.extraction.markdown import markdown
from webgrain.page.page import Page, PageResult
from webgrain.results import Article, ArticleBlock, html_table

METADATA = {
    "description": ("description", "og:description", "twitter:description"),
    "author": ("author", "article:author", "dc.creator"),
    "published": ("article:published_time", "datepublished", "date", "dc.date"),
    "modified": ("article:modified_time", "og:updated_time", "datemodified", "last-modified"),
    "site_name": ("og:site_name", "application-name"),
    "image": ("og:image", "twitter:image"),
    "keywords": ("keywords", "article:tag", "news_keywords"),
}
"""Fields of the metadata and the names of their ``meta`` elements, in order of preference."""


@dataclass(frozen=True, slots=True, eq=False)
class Document(PageResult):
    """The extracted content of a page.

    Attributes:
        page: the page.
        article: the title and the blocks of the main text and the comments, with their nodes.
    """

    article: Article

    @property
    def title(self) -> str:
        """The title; empty if there is none."""
        return self.article.title

    @property
    def text(self) -> str:
        """The main text without code, with a blank line between its parts."""
        return self.article.text

    @property
    def code(self) -> tuple[str, ...]:
        """The code blocks of the main text."""
        return self.article.code

    @property
    def comments(self) -> tuple[str, ...]:
        """The comments of readers."""
        return self.article.comments

    @property
    def blocks(self) -> tuple[ArticleBlock, ...]:
        """Title, main text and comments in document order."""
        return self.article.blocks

    @property
    def verdict(self) -> str:
        """``article``, ``index`` (a page that links to articles) or ``unknown``."""
        return self.article.verdict

    @property
    def confidence(self) -> float:
        """The confidence in title and text, 0..1."""
        return self.article.confidence

    @property
    def markdown(self) -> str:
        """Title and main text as Markdown, with links, lists, tables and code."""
        return markdown(self.article, self.page)

    @property
    def html(self) -> str:
        """Title and main content as a cleaned HTML document."""
        return main_html(self.page, self.article)

    @property
    def metadata(self) -> dict[str, str]:
        """Metadata of the head: see `metadata`."""
        return metadata(self.page)

    def __repr__(self) -> str:
        return f"<Document {self.title!r:.80}: {self.verdict}, {len(self.text):,} characters>"

    def _repr_html_(self) -> str:
        """Return the title, the metadata and the beginning of the text for notebooks."""
        rows = list(self.metadata.items())
        return f"<h3>{escape(self.title)}</h3>{html_table(('field', 'value'), rows)}" + "".join(
            f"<p>{escape(part)}</p>" for part in self.text[:2000].split("\n\n")
        )


def metadata(page: Page) -> dict[str, str]:
    """Return the metadata of the head of a page: the fields that it has, of `METADATA` and of the list below.

    ``language`` is the ``lang`` attribute of the root, ``canonical`` the canonical URL, ``url`` the address
    of the
    page, ``document_title`` the content of ``<title>``. Relative addresses are resolved against the page.

    >>> from webgrain.page.parsing import parse
    >>> metadata(parse("<html lang=en><title>A</title><meta name=author content=Kim><p>Text"))
    {'language': 'en', 'document_title': 'A', 'author': 'Kim'}
    """
    dom, found = page.dom, dict[str, str]()
    values: dict[str, str] = {}
    if page.url:
        found["url"] = page.url
    for node, tag in enumerate(dom.tag.tolist()):
        name = dom.tags[tag]
        if name == "title" and "document_title" not in found and dom.name(int(dom.parent[node])) == "head":
            found["document_title"] = " ".join(dom.text_of(node).split())
        elif name == "html":
            found["language"] = (dom.get(node, "lang") or "").strip()
        elif name == "link" and "canonical" in (dom.get(node, "rel") or "").lower().split():
            found.setdefault("canonical", _absolute(page, dom.get(node, "href") or ""))
        elif name == "meta":
            attributes = dom.attributes(node)
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            values.setdefault(key.strip().lower(), " ".join(attributes.get("content", "").split()))
    for name, keys in METADATA.items():
        found[name] = next((values[key] for key in keys if values.get(key)), "")
    found["image"] = _absolute(page, found["image"])
    return {name: value for name, value in found.items() if value}


def _absolute(page: Page, address: str) -> str:
    try:
        return urljoin(page.url or "", address.strip()) if address else ""
    except ValueError:  # not a URL
        return ""
