"""The main content of a page as HTML: its own markup without what runs, loads a style or is no content.

What is kept is a copy of the lowest element that holds the main text, without those of its parts that hold
text but no main text: comments, advertisements, menus in between. Pictures stay, and links, as whole
addresses.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

import numpy as np

from webgrain.arrays import Bool
from webgrain.page.leaves import shown
from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.page.strings import has_characters
from webgrain.results import MAIN_KINDS, Article

KEPT = frozenset(
    (
        *("a", "abbr", "article", "aside", "b", "bdi", "bdo", "blockquote", "br", "caption", "cite", "code"),
        *("col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "figcaption", "figure"),
        *(
            "h1",
            "h2",
            "h3",
            "h4",
            "h5",
            "h6",
            "hr",
            "i",
            "img",
            "ins",
            "kbd",
            "li",
            "main",
            "mark",
            "ol",
            "p",
        ),
        *(
            "pre",
            "q",
            "rp",
            "rt",
            "ruby",
            "s",
            "samp",
            "section",
            "small",
            "span",
            "strong",
            "sub",
            "summary",
        ),
        *("sup", "table", "tbody", "td", "tfoot", "th", "thead", "time", "tr", "u", "ul", "var", "wbr"),
    )
)
"""Elements that are written; of others only what they hold is."""

DROPPED = frozenset(
    (
        *("script", "style", "noscript", "template", "iframe", "frame", "frameset", "object", "embed", "svg"),
        *("math", "link", "meta", "base", "title", "head", "form", "input", "button", "select", "textarea"),
        *("audio", "video", "source", "canvas", "dialog", "noembed", "noframes", "plaintext", "xmp"),
    )
)
"""Elements that are left out with all they hold."""

ATTRIBUTES = frozenset(
    (
        "alt",
        "title",
        "lang",
        "dir",
        "datetime",
        "colspan",
        "rowspan",
        "scope",
        "start",
        "reversed",
        "value",
        "cite",
    )
)
"""Attributes that are written, besides addresses."""

_ADDRESSES = {"a": "href", "img": "src"}
_VOID = frozenset(("br", "col", "hr", "img", "wbr"))


def main_html(page: Page, article: Article) -> str:
    """Return title and main content of a page as an HTML document; without text where there is none.

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
    """Yield the markup of the lowest element with all these nodes, a tag or a text at a time."""
    dom = page.dom
    top, last = min(nodes), max(nodes)
    while dom.end[top] <= last or dom.tag[top] == 0:
        top = int(dom.parent[top])
    left_out = _left_out(page, nodes)
    open_tags: list[tuple[int, str]] = []
    node = top
    while node < dom.end[top]:
        while open_tags and open_tags[-1][0] <= node:
            yield f"</{open_tags.pop()[1]}>"
        if left_out[node]:
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
    while open_tags:
        yield f"</{open_tags.pop()[1]}>"


def _left_out(page: Page, nodes: list[int]) -> Bool:
    """(n,) True at what is left out with all it holds: what cannot be seen, and text that is no main text."""
    dom = page.dom
    main = np.zeros(len(dom), np.int64)
    main[nodes] = 1
    inside = (dom.ancestor_sum(main) > 0) | (main > 0)
    others = dom.is_text & has_characters(dom) & ~inside
    no_main = dom.subtree_sum(main) == 0
    dropped = np.array([name in DROPPED for name in dom.tags], bool)[dom.tag]
    left: Bool = dropped | ~(shown(page) | dom.is_text) | (no_main & ~inside & (dom.subtree_sum(others) > 0))
    return left


def _attributes(page: Page, node: int, name: str) -> str:
    told = page.dom.attributes(node)
    kept = [(key, value) for key, value in told.items() if key in ATTRIBUTES]
    address = absolute(page, told.get(_ADDRESSES.get(name, ""), ""))
    if address:
        kept.append((_ADDRESSES[name], address))
    return "".join(f' {key}="{escape(value)}"' for key, value in kept)
