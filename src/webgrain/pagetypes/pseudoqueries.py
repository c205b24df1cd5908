"""Pseudo-queries, for sites without a search log: what other pages, titles and headings call a page.

They are no searches, and flatter the paths of titles; whoever shows results on them has to say so.
"""

from __future__ import annotations

import re
from collections import Counter

import numpy as np

from webgrain.page.dom import Dom
from webgrain.page.links import AnchorTexts
from webgrain.page.page import Page

MENU = 0.2
"""A text on a larger share of the pages is of a menu or of the template."""

LONGEST = 120
MAX_TEXTS = 25

_PARTS = re.compile(r"\s+[-–—|·:»]\s+")


class PseudoQueries:
    """Collects what the pages of a site are called.

    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> names = PseudoQueries()
    >>> for k in range(9):
    ...     html = f"<title>Lamp {k} | Shop</title><a href=0.html>Best</a>"
    ...     names.add(parse(Source(f"{k}.html", html.encode())))
    >>> names.queries()["1.html"]
    Counter({'lamp 1': 1})
    """

    def __init__(self) -> None:
        self._anchors = AnchorTexts()
        self._own: dict[str, list[str]] = {}
        self._pages: Counter[str] = Counter()

    def add(self, page: Page) -> None:
        """Take in a page: its links, its title and its main headings."""
        self._anchors.add(page)
        self._own[page.id] = list(dict.fromkeys(filter(None, map(_clean, _names(page.dom)))))
        self._pages.update(self._own[page.id])

    @property
    def anchors(self) -> dict[str, Counter[str]]:
        """What links say of each page, by its id: see `webgrain.page.links.AnchorTexts`."""
        return self._anchors.texts()

    def queries(self) -> dict[str, Counter[str]]:
        """Return the pseudo-queries of each page, by its id, with the number of pages they are from."""
        most = max(1, MENU * len(self._own))
        found: dict[str, Counter[str]] = {}
        for page, texts in self._anchors.texts().items():
            said: Counter[str] = Counter()
            for text, pages in texts.items():
                if pages <= most and _clean(text):
                    said[_clean(text)] += pages
            said.update(text for text in self._own[page] if self._pages[text] <= most)
            found[page] = Counter(dict(said.most_common(MAX_TEXTS)))
        return found


def _names(dom: Dom) -> list[str]:
    """Return the parts of the title, and the headings of the first rank."""
    texts = []
    for tag in ("title", "h1"):
        if tag in dom.tags:
            number = dom.tags.index(tag)
            nodes = np.flatnonzero(dom.tag == number)[:3].tolist()
            texts += [part for node in nodes for part in _PARTS.split(dom.text_of(node))]
    return texts


def _clean(text: str) -> str:
    text = " ".join(text.split()).lower()
    return text if 3 <= len(text) <= LONGEST else ""
