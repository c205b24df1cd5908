"""The title of a page of an unknown site: a heading, or ``<title>`` without the name of the site."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from webgrain.extract.titles import LONGEST, find_title, tags_and_title

if TYPE_CHECKING:
    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

_JOINT = re.compile(r"\s+[-–—|·•:»«/]+\s+|\s*[|»«]\s*")


def single_title(dom: Dom, blocks: LayoutBlocks) -> tuple[str, int]:
    """Return the title of a page, empty for none, and its block; -1 where it stands in none but ``<title>``.

    A heading that agrees with ``<title>`` is the title, unless it is the last part of that: the name of the
    site. Else the only ``<h1>`` is, whatever it says; else the first part of ``<title>``.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.page import Page
    >>> from webgrain.page.parse import parse_html
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
