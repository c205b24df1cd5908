"""The texts of the links that lead to each page."""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from webgrain.page.links import addresses, page_links, redirect
from webgrain.page.page import Page


class ReadAnchors(NamedTuple):
    """Addresses of a page, the target of its redirect, and the distinct targets and texts of its links."""

    id: str
    urls: tuple[str, ...]
    redirect: str
    texts: set[tuple[str, str]]


class AnchorTexts:
    """Collects the anchor texts of the links between pages; stores nothing else of the pages.

    Links to a part of a page do not count: their texts name the part and not the page.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> anchors = AnchorTexts()
    >>> anchors.add(parse(Source("a.html", b"<a href=b.html>To b</a><a href=b.html#c>5 comments</a>")))
    >>> anchors.add(parse(Source("b.html", b"<a href='#x'>Up</a><a href=./>Home</a>")))
    >>> anchors.texts()
    {'a.html': Counter(), 'b.html': Counter({'To b': 1})}
    """

    def __init__(self) -> None:
        self._owner: dict[str, str] = {}
        self._redirects: dict[str, str] = {}
        self._counts: Counter[tuple[str, str]] = Counter()

    def add(self, page: Page) -> None:
        """Add the URLs of a page and the texts of its links to other pages."""
        self.store(self.read(page))

    def read(self, page: Page) -> ReadAnchors:
        """Return what `store` adds of a page, which this does not change."""
        urls = tuple(addresses(page))
        links = page_links(page)
        rows = zip(links.target, links.text, links.is_part.tolist(), strict=True)
        pairs = {(target, text) for target, text, is_part in rows if text and not is_part}
        pairs = {pair for pair in pairs if pair[0] not in urls}
        return ReadAnchors(page.id, urls, redirect(page) or "", pairs)

    def store(self, page: ReadAnchors) -> None:
        """Add a page that `read` has read."""
        for url in page.urls:
            self._owner.setdefault(url, page.id)
        if page.redirect:
            self._redirects |= dict.fromkeys(page.urls, page.redirect)
        self._counts.update(page.texts)

    def texts(self) -> dict[str, Counter[str]]:
        """Return, by page id, the texts of the links to the page and the number of pages with each.

        A link to a page that redirects counts for the target of the redirect.
        """
        texts: dict[str, Counter[str]] = {page: Counter() for page in self._owner.values()}
        for (target, text), count in self._counts.items():
            page = self._owner.get(self._redirects.get(target, target))
            if page is not None:
                texts[page][text] += count
        return texts
