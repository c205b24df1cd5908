"""The title of a page: the heading that agrees best with ``<title>`` and the texts of links to the page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from webgrain.articleparts import PERMALINKS
from webgrain.extraction.thresholds import MOST_HEADINGS, MOST_LINKS, TITLE_AGREES, TITLE_LENGTH
from webgrain.metrics import tokens
from webgrain.page.dom import Dom
from webgrain.page.text import TextBlocks

HEADINGS = ("h1", "h2", "h3")
_SEPARATOR = re.compile(r"\s+[-–—|·•:»«/]+\s+|\s*[|»«]\s*")


def find_title(
    dom: Dom,
    blocks: TextBlocks,
    anchors: Mapping[str, int] | None = None,
    noise: NDArray[np.floating] | None = None,
    known: str = "",
) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 if only ``<title>`` contains it.

    anchors: texts of links to the page, with their numbers. noise: (b,) of the blocks, 0..1; the more noise a
    heading is the less it counts. known: the title by other evidence, used if no heading agrees.

    >>> from webgrain.page.text import text_blocks
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<title>Site</title><h2>News</h2><h2>The boat</h2><p>Text.")
    >>> find_title(page.dom, text_blocks(page), {"The boat": 3, "Read more": 1})
    ('The boat', 2)
    """
    names, title = tags_and_title(dom, blocks)
    anchors = anchors or {}
    links = sorted(anchors, key=lambda text: (-anchors[text], text))[:MOST_LINKS]
    total = max(sum(anchors.values()), 1)
    evidence = [(1.0, title), *((anchors[text] / total, text) for text in links)]
    bags = [(share, Counter(tokens(text))) for share, text in evidence]
    short = [k for k, name in enumerate(names) if name in HEADINGS and len(blocks.texts[k]) <= TITLE_LENGTH]
    headings, scored = short[:MOST_HEADINGS], list[tuple[float, bool, int]]()
    for k in headings:
        own, whole, words = blocks.texts[k].casefold(), title.casefold(), Counter(tokens(blocks.texts[k]))
        similar = [2.0 * (words & bag).total() / max((words + bag).total(), 1) for _, bag in bags]
        if own and (whole.startswith(own) or whole.endswith(own)):
            similar[0] = 1.0
        agrees = sum(share * s for (share, _), s in zip(bags, similar, strict=True) if s >= TITLE_AGREES)
        worth = 1.0 if noise is None else 1.0 - float(noise[k])
        scored.append((agrees * worth, names[k] == "h1", -k))
    if scored and (best := max(scored))[0] > 0:
        return blocks.texts[-best[2]].rstrip(PERMALINKS), -best[2]
    if known or title:
        return known or title, -1
    if headings:
        return blocks.texts[headings[0]].rstrip(PERMALINKS), headings[0]
    return links[0] if links else "", -1


def tags_and_title(dom: Dom, blocks: TextBlocks) -> tuple[list[str], str]:
    """Return the tag of the element that holds each block, and the text of ``<title>``, empty for none."""
    names = [dom.tags[tag] for tag in dom.tag[blocks.element[blocks.holder]].tolist()]
    return names, (blocks.texts[names.index("title")] if "title" in names else "")[:TITLE_LENGTH]


def title_of_single_page(dom: Dom, blocks: TextBlocks) -> tuple[str, int]:
    """Return the title of a page of an unknown site, empty for none, and its block; -1 for only ``<title>``.

    A heading that agrees with ``<title>`` is the title, unless it is the last part of ``<title>``: the name
    of the site. Otherwise the title is the only ``<h1>``, or the first part of ``<title>``.

    >>> from webgrain.page.text import text_blocks
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<title>The boat - News - The Times</title><h2>Latest</h2><p>Text.")
    >>> title_of_single_page(page.dom, text_blocks(page))
    ('The boat', -1)
    """
    title, at = find_title(dom, blocks)
    names, whole = tags_and_title(dom, blocks)
    if at >= 0 and title == without_site(whole, first=False) != without_site(whole):
        return without_site(whole), -1
    if at >= 0 or not title:
        return title, at
    tops = [k for k, name in enumerate(names) if name == "h1" and len(blocks.texts[k]) <= TITLE_LENGTH]
    if len(tops) == 1:
        return blocks.texts[tops[0]], tops[0]
    return without_site(title), -1


def without_site(title: str, first: bool = True) -> str:
    """Return the first part of a ``<title>``, or the longest if that is one word; first=False: the last part.

    >>> without_site("The boat came back | News | The Times"), without_site("Times | The boat")
    ('The boat came back', 'The boat')
    """
    found = [part for part in _SEPARATOR.split(title) if part.strip()]
    if not found:
        return title
    if not first:
        return found[-1]
    return found[0] if len(found[0].split()) > 1 else max(found, key=len)
