"""The main content of a page as HTML: its own markup without scripts, styles and what is not content.

The result is a copy of the lowest element that contains the main text, without those of its parts whose text
is not main text: comments, advertisements, menus in between. Pictures and links are kept, with absolute
addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from webgrain.arrays import Bool
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.strings import has_text
from webgrain.results import MAIN_KINDS, Article

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
    >>> from webgrain.results import Article, ArticleBlock
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
