"""Pseudo-queries: anchor texts, titles and first headings, in place of a search log.

They are no searches and favour the paths of titles; a report of results based on them must state this.
"""

from __future__ import annotations

import re
from collections import Counter

from webgrain.page.anchors import AnchorTexts, ReadAnchors
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.pagetypes import thresholds

_TITLE_PARTS = re.compile(r"(?<!\s)\s++[-–—|·:»]\s+")


class PseudoQueries:
    """Anchor texts, titles and first headings of the pages of a site, in place of a search log.

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
        self._titles: dict[str, list[str]] = {}
        self._pages_with: Counter[str] = Counter()

    def add(self, page: Page) -> None:
        """Add the links, the title and the first headings of a page."""
        self.store(self.read(page))

    def read(self, page: Page) -> tuple[ReadAnchors, list[str]]:
        """Return what `store` adds of a page, which this does not change."""
        titles = list(dict.fromkeys(filter(None, map(_cleaned, _titles(page.dom)))))
        return self._anchors.read(page), titles

    def store(self, page: tuple[ReadAnchors, list[str]]) -> None:
        """Add a page that `read` has read."""
        anchors, titles = page
        self._anchors.store(anchors)
        self._titles[anchors.id] = titles
        self._pages_with.update(titles)

    def queries(self) -> dict[str, Counter[str]]:
        """Return the pseudo-queries of each page by its id, with the number of pages they are from."""
        most = max(1, thresholds.MENU_SHARE * len(self._titles))
        queries: dict[str, Counter[str]] = {}
        for page, texts in self._anchors.texts().items():
            counted = Counter[str]()
            for text, pages in texts.items():
                if pages <= most and _cleaned(text):
                    counted[_cleaned(text)] += pages
            counted.update(text for text in self._titles[page] if self._pages_with[text] <= most)
            queries[page] = Counter(dict(counted.most_common(thresholds.MAX_QUERIES)))
        return queries


def _titles(dom: Dom) -> list[str]:
    """Return the parts of the title and the first-level headings of a page."""
    nodes = [*dom.find_tag("title")[:3].tolist(), *dom.find_tag("h1")[:3].tolist()]
    return [part for node in nodes for part in _TITLE_PARTS.split(dom.text_of(node))]


def _cleaned(text: str) -> str:
    text = " ".join(text.split()).lower()
    return text if thresholds.MIN_QUERY <= len(text) <= thresholds.MAX_QUERY else ""
