"""Comments: what readers wrote below an article, told by what the markup calls it.

Classes and ids name comments on most sites (``comments``, ``comment-12``, ``li.comment``). What stands in
such elements behind the title is no main text, unless there is hardly any other: then it is a forum or a
guestbook.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

    Floats = NDArray[np.float64]
    Int32 = NDArray[np.int32]

LITTLE = 0.1
"""Share of a page outside its comments up to which they are what the page is for."""

LONGEST = 200
"""Letters of a class or id that are looked at."""

_PARTS = ("omment", "isqus", "espond")
"""What is in all these names, with a capital or without: it is found by plain search, which is fast."""
_SAID = re.compile(r"(?<![a-z])(?:(comments|commentlist|disqus|respond)|comment)(?![a-z])", re.IGNORECASE)


def comment_of(dom: Dom, blocks: LayoutBlocks, title: int, mass: Floats) -> Int32:
    """Return the element of the comment that each block (b,) is in, -1 for none.

    title: the block of the title, comments stand behind it; -1 for none. mass: (b,) how much of the content
    of the page each block is.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> html = "<h1>A</h1><p>Text.</p><div id=comments>Said<p class=comment>One</p><p class=comment>Two</p>"
    >>> page = parse(Source("a", html.encode()))
    >>> comment_of(page.dom, layout_blocks(page), 0, np.ones(5)).tolist()
    [-1, -1, 7, 9, 11]
    """
    found = np.full(len(blocks), -1, np.int32)
    end = int(blocks.first[title]) + 1 if title >= 0 else 0  # what begins before is no comment, or within one
    named = _named(dom, blocks)
    nodes = np.array(sorted(named), np.int32)
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        if node >= end:
            several, inside = named[node], slice(first, last)
            found[inside] = np.where(several & (found[inside] >= 0), found[inside], node)
            end = end if several else int(dom.end[node])
    if mass[found < 0].sum() <= LITTLE * mass.sum():
        found[:] = -1
    return found


def _named(dom: Dom, blocks: LayoutBlocks) -> dict[int, bool]:
    """Return the elements that are called comments, and whether they are said to hold several."""
    hits = [at for part in _PARTS for at in _places(dom.values, part)]
    attribute = np.unique(np.searchsorted(dom.value_start, np.array(hits, np.int64), side="right") - 1)
    names = np.array([name in ("class", "id") for name in (*dom.names, "")], bool)
    attribute = attribute[names[dom.attr_name[attribute]]]
    node = np.searchsorted(dom.attr_start, attribute, side="right") - 1
    found: dict[int, bool] = {}
    for k in np.flatnonzero(np.isin(node, blocks.element)).tolist():
        start, stop = dom.value_start[attribute[k] : attribute[k] + 2].tolist()
        said = _SAID.findall(dom.values[start : min(stop, start + LONGEST)])
        if said:
            found[int(node[k])] = found.get(int(node[k]), False) or any(said)
    return found


def _places(text: str, part: str) -> Iterator[int]:
    """Give where a part of a text begins, each time."""
    at = text.find(part)
    while at >= 0:
        yield at
        at = text.find(part, at + len(part))
