"""The Markdown of an element with everything in it, such as a block of a page.

The element is read as if it were all of the page, so that a link or a part of a line has its text only, and
the containers around it leave no trace.

Cost: a pass over the nodes of the page, and those of `webgrain.documents.parttable` for the element.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from webgrain.documents.content import content
from webgrain.documents.embedded import EMBEDDED, embedded_of
from webgrain.documents.images import IMAGES, image_of
from webgrain.documents.markdown import markdown
from webgrain.documents.parts import Part
from webgrain.page.blocks import siblings
from webgrain.page.leaves import visible_nodes
from webgrain.page.links import base_of
from webgrain.page.page import Page
from webgrain.page.pagepart import page_part
from webgrain.page.tagtables import TagSet
from webgrain.page.text import text_blocks, text_of

_MEDIA = TagSet(*IMAGES, *EMBEDDED)


def element_markdown(page: Page, node: int, last: int | None = None) -> str:
    """Return what is visible in a node of a page as Markdown; empty for a node without content.

    last: the last of several siblings, of which ``node`` is the first.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<header><a href=/><img src=a.png alt=Logo></a><p>One <b>two</b></header><p>three")
    >>> print(element_markdown(page, 3))
    ![Logo](a.png)
    <BLANKLINE>
    One **two**
    <BLANKLINE>
    """
    last = node if last is None else last
    part, element = _alone(page, node, last)
    blocks = text_blocks(part)
    chosen = np.flatnonzero(blocks.first >= element)  # the title of the page is no part of it
    parts = content(part, blocks, chosen, np.ones(len(chosen)), fill=False).parts
    first = int(blocks.first[chosen[0]]) if len(chosen) else len(part.dom)
    known = set(_nodes_of_media(parts))
    media = [each for each in _media_of(part) if each.node not in known]
    before = [_figure(each) for each in media if each.node < first]
    after = [_figure(each) for each in media if each.node >= first]
    text = markdown("", [*before, *parts, *after])
    if text.strip():
        return text
    return markdown("", [Part("paragraph", node, (text_of(page, siblings(page.dom, node, last)),))])


def _alone(page: Page, node: int, last: int) -> tuple[Page, int]:
    """Return a page with some siblings, those around and the base of its links only; and the first there."""
    dom = page.dom
    kept = np.zeros(len(dom), bool)
    kept[node : dom.end[last]] = True
    for each in (node, *dom.find_tag("base").tolist()):
        kept[each] = True
        kept[list(dom.ancestors(each))] = True
    part = page_part(page, kept)
    return part.page, int(np.searchsorted(part.node, node))


def _media_of(page: Page) -> Iterator[Part]:
    """Yield the visible images and embedded objects of a page."""
    dom, base = page.dom, base_of(page)
    shown = _MEDIA.of_nodes(dom) & visible_nodes(page)
    for node in np.flatnonzero(shown).tolist():
        read = image_of if dom.name(node) in IMAGES else embedded_of
        part = read(dom, base, node)
        if part is not None:
            yield part


def _nodes_of_media(parts: Iterable[Part]) -> Iterator[int]:
    """Yield the elements of the images and embedded objects in some parts."""
    waiting = list(parts)
    while waiting:
        part = waiting.pop()
        if part.kind in ("image", "embed"):
            yield part.node
        waiting += part.parts


def _figure(part: Part) -> Part:
    return Part("figure", part.node, (part,))
