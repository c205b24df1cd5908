"""The extracted content of a page in all its forms: title, text, Markdown, HTML and metadata.

The HTML is a copy of the lowest element that contains the main text, without scripts, styles, and those of
its parts whose text is not main text: comments, advertisements, menus in between. Pictures and links are
kept, with absolute addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from html import escape

import numpy as np

from webgrain.arrays import Bool
from webgrain.extraction.markdown import markdown
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute
from webgrain.page.page import Page, PageResult
from webgrain.page.strings import has_text
from webgrain.results import MAIN_KINDS, Article, ArticleBlock, html_table

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

    ``language`` is the ``lang`` attribute of the root, ``canonical`` the canonical URL, ``url`` the page's
    address, ``document_title`` the content of ``<title>``. Relative addresses are resolved against the page.

    >>> from webgrain.page.parsing import parse
    >>> metadata(parse("<html lang=en><title>A</title><meta name=author content=Kim><p>Text"))
    {'language': 'en', 'document_title': 'A', 'author': 'Kim'}
    """
    dom, found = page.dom, dict[str, str]()
    values: dict[str, str] = {}
    if page.url:
        found["url"] = page.url
    wanted = [tag for tag, name in enumerate(dom.tags) if name in ("html", "title", "link", "meta")]
    for node in np.flatnonzero(np.isin(dom.tag, wanted)).tolist():
        name = dom.name(node)
        if name == "title" and "document_title" not in found and dom.name(int(dom.parent[node])) == "head":
            found["document_title"] = " ".join(dom.text_of(node).split())
        elif name == "html":
            found["language"] = (dom.get(node, "lang") or "").strip()
        elif name == "link" and "canonical" in (dom.get(node, "rel") or "").lower().split():
            found.setdefault("canonical", absolute(page, dom.get(node, "href") or ""))
        elif name == "meta":
            attributes = dom.attributes(node)
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            values.setdefault(key.strip().lower(), " ".join(attributes.get("content", "").split()))
    for name, keys in METADATA.items():
        found[name] = next((values[key] for key in keys if values.get(key)), "")
    found["image"] = absolute(page, found["image"])
    return {name: value for name, value in found.items() if value}


# The main content as HTML.

_KEPT = """
a abbr article aside b bdi bdo blockquote br caption cite code col colgroup dd del details dfn div dl dt em
figcaption figure h1 h2 h3 h4 h5 h6 hr i img ins kbd li main mark ol p pre q rp rt ruby s samp section small
span strong sub summary sup table tbody td tfoot th thead time tr u ul var wbr
"""
KEPT = frozenset(_KEPT.split())
"""Elements that are written; of others only their contents are."""

_DROPPED = """
script style noscript template iframe frame frameset object embed svg math link meta base title head form
input button select textarea audio video source canvas dialog noembed noframes plaintext xmp
"""
DROPPED = frozenset(_DROPPED.split())
"""Elements that are dropped with their contents."""

_ATTRIBUTES = "alt title lang dir datetime colspan rowspan scope start reversed value cite"
ATTRIBUTES = frozenset(_ATTRIBUTES.split())
"""Attributes that are written, besides addresses."""

_ADDRESSES = {"a": "href", "img": "src"}
_VOID = frozenset(("br", "col", "hr", "img", "wbr"))


def main_html(page: Page, article: Article) -> str:
    """Return title and main content of a page as an HTML document.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> html = b"<nav>Menu</nav><div><p onclick=x()>One <a href=b>b</a><p>Two<script>x()</script></div>"
    >>> page = parse(Source("a", html, url="http://example.org/"))
    >>> blocks = ArticleBlock("paragraph", "One b", 6), ArticleBlock("paragraph", "Two", 10)
    >>> print(main_html(page, Article("article", "A title", blocks)).split("</title>")[1])
    <BLANKLINE>
    <h1>A title</h1>
    <div><p>One <a href="http://example.org/b">b</a></p><p>Two</p></div>
    <BLANKLINE>
    """
    title = escape(article.title)
    head = f'<!DOCTYPE html>\n<meta charset="utf-8">\n<title>{title}</title>\n'
    nodes = [block.node for block in article.blocks if block.kind in (*MAIN_KINDS, "code")]
    body = "".join(_markup(page, nodes)) if nodes else ""
    return f"{head}<h1>{title}</h1>\n{body}\n" if title else f"{head}{body}\n"


def _markup(page: Page, nodes: list[int]) -> Iterator[str]:
    """Yield the tags and texts of the lowest element that contains all these nodes."""
    dom, top, last = page.dom, min(nodes), max(nodes)
    while dom.end[top] <= last or dom.tag[top] == 0:
        top = int(dom.parent[top])
    dropped, node = _dropped(page, nodes), top
    open_tags: list[tuple[int, str]] = []  # where each ends, and its name
    while node < dom.end[top]:
        while open_tags and open_tags[-1][0] <= node:
            yield f"</{open_tags.pop()[1]}>"
        if dropped[node]:
            node = int(dom.end[node])
            continue
        name = dom.name(node)
        if name == "#text":
            yield escape(dom.text_of(node), quote=False)
        elif name in KEPT:
            yield f"<{name}{_attributes(page, node, name)}>"
            if name not in _VOID:
                open_tags.append((int(dom.end[node]), name))
        node += 1
    yield from (f"</{name}>" for _, name in reversed(open_tags))


def _dropped(page: Page, nodes: list[int]) -> Bool:
    """(n,) True at nodes that are dropped with their contents: invisible, or with text but no main text."""
    dom = page.dom
    main = np.zeros(len(dom), np.int64)
    main[nodes] = 1
    inside = (dom.ancestor_sum(main) > 0) | (main > 0)
    other_text = dom.subtree_sum(dom.is_text & has_text(dom) & ~inside) > 0
    by_tag = np.array([name in DROPPED for name in dom.tags], bool)[dom.tag]
    invisible = ~(visible_nodes(page) | dom.is_text)
    dropped: Bool = by_tag | invisible | (~inside & other_text & (dom.subtree_sum(main) == 0))
    return dropped


def _attributes(page: Page, node: int, name: str) -> str:
    values = page.dom.attributes(node)
    kept = [(key, value) for key, value in values.items() if key in ATTRIBUTES]
    address = absolute(page, values.get(_ADDRESSES.get(name, ""), ""))
    if address:
        kept.append((_ADDRESSES[name], address))
    return "".join(f' {key}="{escape(value)}"' for key, value in kept)
