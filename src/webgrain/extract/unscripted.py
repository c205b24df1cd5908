"""What a page shows once its scripts have run, where it carries that along and no script runs here.

Two habits of pages are known. React sends parts of a page as hidden elements with ids like ``S:1f``, which a
script moves to their places. Forums (Discourse, Flarum) write for readers without scripts into ``<noscript>``
what scripts would show; a parser for readers with scripts takes that as one text.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from webgrain.page.blocks import layout_blocks
from webgrain.page.parse import parse_html

if TYPE_CHECKING:
    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom
    from webgrain.page.page import Page

_STREAMED = re.compile(r"S:[0-9a-f]+")
_LEAST = 1000
"""Characters that a ``<noscript>`` must have to be looked at."""
_MORE = 2
"""How many times as much as the page it must say to stand for it."""


def with_streamed(page: Page) -> Page:
    """Return a page in which what React has sent hidden is shown; the same nodes.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> page = parse(Source("a", b"<div hidden id=S:0><p>Text</div>"))
    >>> layout_blocks(page).texts, layout_blocks(with_streamed(page)).texts
    ((), ('Text',))
    """
    dom = page.dom
    if "hidden" not in dom.names or "id" not in dom.names:
        return page
    hidden = np.flatnonzero(dom.attr_name == dom.names.index("hidden"))
    owners = np.searchsorted(dom.attr_start, hidden, side="right") - 1
    streamed = [_STREAMED.fullmatch(dom.get(node, "id") or "") is not None for node in owners.tolist()]
    if not any(streamed):
        return page
    # Under another name the attribute hides nothing.
    names = (*dom.names, "data-hidden")
    named = dom.attr_name.copy()
    named[hidden[np.array(streamed)]] = len(dom.names)
    return replace(page, dom=replace(dom, names=names, attr_name=named))


def written_for_no_script(page: Page, blocks: LayoutBlocks) -> tuple[Page, int] | None:
    """Return the page in a ``<noscript>`` and the node of that, if it says much more than the page.

    blocks: those of the page.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> page = parse(Source("a", b"<p>Wait.<noscript>" + b"<p>All that was said here." * 50 + b"</noscript>"))
    >>> inner, node = written_for_no_script(page, layout_blocks(page))
    >>> page.dom.name(node), len(layout_blocks(inner))
    ('noscript', 50)
    """
    node = _longest(page.dom)
    if node < 0:
        return None
    inner = replace(page, dom=parse_html(page.dom.text_of(node)), view=None, source=None)
    if layout_blocks(inner).weight.sum() <= _MORE * blocks.weight.sum():
        return None
    return inner, node


def _longest(dom: Dom) -> int:
    """Return the longest ``<noscript>`` that is looked at, -1 for none."""
    if "noscript" not in dom.tags:
        return -1
    nodes = np.flatnonzero(dom.tag == dom.tags.index("noscript"))
    size = dom.text_start[dom.end[nodes]] - dom.text_start[nodes]
    return int(nodes[size.argmax()]) if size.max() >= _LEAST else -1
