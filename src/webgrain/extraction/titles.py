"""The title of a page: the heading that agrees best with ``<title>`` and with what links to the page say.

The title of a page of an unknown site: a heading, or ``<title>`` without the name of the site.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from webgrain.articleparts import PERMALINKS
from webgrain.metrics import tokens
from webgrain.page.blocks import LayoutBlocks
from webgrain.page.dom import Dom

AGREES = 0.6
"""Likeness to a link or ``<title>`` from which on a heading agrees with it."""
HEADINGS = ("h1", "h2", "h3")
MOST_HEADINGS, MOST_LINKS = 8, 5
"""Headings and texts of links that are compared, at most."""
LONGEST = 300
"""Letters that a title has at most."""


def find_title(
    dom: Dom,
    blocks: LayoutBlocks,
    anchors: Mapping[str, int] | None = None,
    noise: NDArray[np.floating] | None = None,
    known: str = "",
) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 where it stands in none but ``<title>``.

    anchors: texts of links to the page, with their numbers; noise: (b,) of the blocks, 0..1: the more of it a
    heading is the less it counts; known: the title by other evidence, for where no heading agrees.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<title>Site</title><h2>News</h2><h2>The boat</h2><p>Text."))
    >>> find_title(page.dom, layout_blocks(page), {"The boat": 3, "Read more": 1})
    ('The boat', 2)
    """
    names, named = tags_and_title(dom, blocks)
    short = [k for k, name in enumerate(names) if name in HEADINGS and len(blocks.texts[k]) <= LONGEST]
    worth = {k: 1.0 if noise is None else 1.0 - float(noise[k]) for k in short[:MOST_HEADINGS]}
    said = [(1.0, named), *_shares(anchors or {})]
    words = [(share, Counter(tokens(text))) for share, text in said]
    scored = [(_agreement(blocks.texts[k], named, words) * worth[k], names[k] == "h1", -k) for k in worth]
    if scored and (best := max(scored))[0] > 0:
        return blocks.texts[-best[2]].rstrip(PERMALINKS), -best[2]
    if known or named:
        return known or named, -1
    most = said[1][1] if len(said) > 1 else ""
    return next(((blocks.texts[k].rstrip(PERMALINKS), k) for k in worth), (most, -1))


def tags_and_title(dom: Dom, blocks: LayoutBlocks) -> tuple[list[str], str]:
    """Return the tag that holds each block, and what the ``<title>`` says, empty for none."""
    names = [dom.tags[tag] for tag in dom.tag[blocks.element[blocks.holder]].tolist()]
    return names, next((blocks.texts[k] for k, name in enumerate(names) if name == "title"), "")[:LONGEST]


def _shares(anchors: Mapping[str, int]) -> Iterator[tuple[float, str]]:
    """Give the most frequent texts of links, and the share of the links that have each."""
    total = max(sum(anchors.values()), 1)
    for text in sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_LINKS]:
        yield anchors[text] / total, text


def _agreement(text: str, named: str, said: Sequence[tuple[float, Counter[str]]]) -> float:
    """Return how far a heading agrees with ``<title>`` (0..1) and with links (0..1), taken together.

    named: the ``<title>``; said: shares and tokens, those of the ``<title>`` first.
    """
    own, whole, words = text.casefold(), named.casefold(), Counter(tokens(text))
    likeness = [2.0 * (words & other).total() / max((words + other).total(), 1) for _, other in said]
    if own and (whole.startswith(own) or whole.endswith(own)):
        likeness[0] = 1.0
    return sum(share * like for (share, _), like in zip(said, likeness, strict=True) if like >= AGREES)


_JOINT = re.compile(r"\s+[-–—|·•:»«/]+\s+|\s*[|»«]\s*")


def single_title(dom: Dom, blocks: LayoutBlocks) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 where it stands in none but ``<title>``.

    A heading that agrees with ``<title>`` is the title, unless it is the last part of that: the name of the
    site. Else the only ``<h1>`` is, whatever it says; else the first part of ``<title>``.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parsing import parse_html
    >>> page = Page("a", parse_html("<title>The boat - News - The Times</title><h2>Latest</h2><p>Text."))
    >>> single_title(page.dom, layout_blocks(page))
    ('The boat', -1)
    """
    title, at = find_title(dom, blocks)
    names, named = tags_and_title(dom, blocks)
    if at >= 0 and title == without_site(named, first=False) != without_site(named):
        return without_site(named), -1
    if at >= 0 or not title:
        return title, at
    tops = [k for k, name in enumerate(names) if name == "h1" and len(blocks.texts[k]) <= LONGEST]
    if len(tops) == 1:
        return blocks.texts[tops[0]], tops[0]
    return without_site(title), -1


def without_site(title: str, first: bool = True) -> str:
    """Return the first part of a ``<title>``, or the longest where that is one word; first=False: the last.

    >>> without_site("The boat came back | News | The Times"), without_site("Times | The boat")
    ('The boat came back', 'The boat')
    """
    told = [part for part in _JOINT.split(title) if part.strip()]
    if not told:
        return title
    if not first:
        return told[-1]
    return told[0] if len(told[0].split()) > 1 else max(told, key=len)
