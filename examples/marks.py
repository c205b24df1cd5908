"""Marks in the templates say what is what; this file reads them off a page and takes them out again.

The templates carry five attributes that no published page keeps:

=================  ====================================================================================
``data-seg``       root of a segment of this name (``hidden``: in the markup, but not shown to a reader)
``data-list``      parent of repeated records of this name: each child element is one record
``data-field``     the one element that holds this field (``title``, ``price``, ``author``, ...)
``data-main``      its text is main text (``data-main="no"``: not this inner part, an advertisement)
``data-comment``   the text of one comment
=================  ====================================================================================

So the known truth of a page comes from the very markup that a reader gets, and cannot drift away from it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from selectolax.lexbor import LexborHTMLParser

if TYPE_CHECKING:
    from collections.abc import Iterator

    from selectolax.lexbor import LexborNode

MARK = re.compile(r'\s+data-(?:seg|list|field|main|comment)="[^"]*"')
BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|center|d[dlt]|details|div|fig(caption|ure)|footer|form|h[1-6]"
    "|header|hr|li|main|nav|[ou]l|p|pre|section|summary|table|tbody|tfoot|thead|tr"
)
WHOLE = {"tr", "pre"}  # the cells of a row, and the lines of a listing, belong together
UNREAD = {"script", "style", "noscript", "template"}


@dataclass(frozen=True, slots=True)
class Marks:
    """What the marks of one page say; every selector is CSS and matches exactly one element."""

    segments: list[dict[str, Any]]
    hidden: list[str]
    records: list[dict[str, Any]]
    fields: dict[str, str]
    title: str | None
    main_text: list[str]
    comments: list[str]


def strip(html: str) -> str:
    """Return the page without its marks.

    >>> strip('<p class="a" data-seg="nav">x</p>')
    '<p class="a">x</p>'
    """
    return MARK.sub("", html)


def read(html: str) -> Marks:
    """Return what the marks of a page say.

    >>> read('<div data-seg="article"><h1 data-field="title">A</h1><p data-main="yes">B</p></div>').main_text
    ['B']
    """
    tree = LexborHTMLParser(html, scripting=True)  # as a browser reads it: noscript is text, not markup
    marked = [n for n in tree.css("[data-seg]") if n.attributes["data-seg"] != "hidden"]
    title = tree.css_first('[data-field="title"]')
    return Marks(
        segments=[
            {"name": n.attributes["data-seg"], "css": [css(r, tree) for r in roots(n)]} for n in marked
        ],
        hidden=[css(n, tree) for n in tree.css('[data-seg="hidden"]')],
        records=[
            {"name": n.attributes["data-list"], "css": css(n, tree), "items": len(elements(n))}
            for n in tree.css("[data-list]")
        ],
        fields={str(n.attributes["data-field"]): css(n, tree) for n in tree.css("[data-field]")},
        title=None if title is None else squeeze(title.text()),
        main_text=[text for n in tree.css('[data-main="yes"]') for text in paragraphs(n)],
        comments=[squeeze(n.text(separator=" ")) for n in tree.css("[data-comment]")],
    )


def squeeze(text: str) -> str:
    """Return text with every run of white space as one space.

    >>> squeeze("  a   b ")
    'a b'
    """
    return " ".join(text.split())


def elements(node: LexborNode) -> list[LexborNode]:
    """Return the child elements of a node, in order."""
    return [child for child in node.iter(include_text=False) if child.is_element_node]


def css(node: LexborNode, tree: LexborHTMLParser) -> str:
    """Return a selector of this element alone: ``#id`` or ``body``, then ``tag:nth-child(k)`` steps."""
    steps: list[str] = []
    while node.tag != "body":
        name = node.attributes.get("id")
        if name and len(tree.css(f'[id="{name}"]')) == 1:
            return " > ".join([f"#{name}", *steps])
        assert node.parent is not None
        place = [n.mem_id for n in elements(node.parent)].index(node.mem_id) + 1
        steps.insert(0, f"{node.tag}:nth-child({place})")
        node = node.parent
    return " > ".join(["body", *steps])


def roots(node: LexborNode) -> list[LexborNode]:
    """Return the largest subtrees of a marked node that hold no other segment."""
    inner = [n for n in node.css("[data-seg]") if n.mem_id != node.mem_id]
    if not any(n.attributes["data-seg"] != "hidden" for n in inner):
        return [node]
    found: list[LexborNode] = []
    for child in node.iter(include_text=True):
        if child.tag == "-text":
            if child.text().strip():
                raise ValueError(f"a divided segment must not hold text of its own, got {child.text()!r}")
        elif "data-seg" not in child.attributes:
            found += roots(child)
    return found


def paragraphs(node: LexborNode) -> Iterator[str]:
    """Yield the text of the blocks under a node, in order: paragraphs, headings, items, rows, listings."""
    run = ""
    for piece in pieces(node):
        if piece is None:
            if run.strip():
                yield squeeze(run)
            run = ""
        else:
            run += piece
    if run.strip():
        yield squeeze(run)


def pieces(node: LexborNode) -> Iterator[str | None]:
    """Yield the texts under a node, with None where a block begins or ends."""
    for child in node.iter(include_text=True):
        if child.tag == "-text":
            yield child.text()
        elif child.tag in UNREAD or child.attributes.get("data-main") == "no":
            continue
        elif child.tag == "br":
            yield " "
        elif child.tag in WHOLE:
            yield from (None, child.text(separator="" if child.tag == "pre" else " "), None)
        elif BLOCK.fullmatch(child.tag or ""):
            yield None
            yield from pieces(child)
            yield None
        else:
            yield from pieces(child)
