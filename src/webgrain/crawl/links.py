"""Where a page leads, and what a sitemap lists."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING
from urllib.parse import urljoin

import numpy as np
from lxml.etree import LxmlError
from scrapy.utils.sitemap import Sitemap
from w3lib.html import get_meta_refresh

from webgrain.crawl.address import clean
from webgrain.errors import ReadError
from webgrain.io.decode import decompress
from webgrain.page.links import base_of
from webgrain.page.parse import parse

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from webgrain.page.page import Page, Source

MOST = 5000
"""Links that are followed from one page."""

LISTED = 50_000
"""Addresses that a sitemap may list, as its standard says."""

_HEAD = 2**14
_NOT_FOLLOWED = frozenset({"nofollow", "none"})
_VALUED = frozenset({"unavailable_after", "max-snippet", "max-image-preview", "max-video-preview"})


def links_of(source: Source) -> list[str]:
    """Return the addresses that a page links to, in order, each once; no more than `MOST`.

    Links marked ``nofollow`` are left out, and all links of a page whose ``<meta name=robots>`` says so
    (``nofollow`` or ``none``).
    Where ``<meta http-equiv=refresh>`` leads comes first.

    >>> from webgrain.page.page import Source
    >>> html = b"<base href=/a/><a href=b#top>b</a><a href=c rel=nofollow>c</a><a href=tel:1>d</a>"
    >>> links_of(Source("x", html, url="http://example.org/"))
    ['http://example.org/a/b']
    """
    page = parse(source)
    if not _NOT_FOLLOWED.isdisjoint(_rules(page)):
        return []
    base = base_of(page)
    refresh = get_meta_refresh(source.body[:_HEAD], base)[1]
    found = dict.fromkeys(filter(None, (_join(base, href) for href in [refresh, *_hrefs(page)] if href)))
    return list(islice(found, MOST))


def may_follow(headers: Iterable[str], name: str = "webgrain") -> bool:
    """Tell whether X-Robots-Tag headers let a robot of this name follow the links of a page.

    >>> may_follow(["noindex"]), may_follow(["noindex, nofollow"]), may_follow(["otherbot: none"])
    (True, False, True)
    """
    for header in headers:
        robot, colon, rules = (part.strip() for part in header.lower().partition(":"))
        if not colon or "," in robot or robot in _VALUED:  # a colon of a rule, not behind a name
            robot, rules = name, header.lower()
        if robot == name and not _NOT_FOLLOWED.isdisjoint(rules.replace(",", " ").split()):
            return False
    return True


def read_sitemap(body: bytes, limit: int) -> tuple[list[str], list[str]]:
    """Return the sitemaps and the pages that a sitemap lists; `ReadError` if it is none.

    limit: bytes that it may have after decompression.

    >>> read_sitemap(b"<urlset><url><loc> http://example.org/a </loc></url></urlset>", 1000)
    ([], ['http://example.org/a'])
    """
    try:
        plain = decompress(body, "gzip", limit + 1)
        if len(plain) > limit:
            raise ReadError(f"The sitemap has more than {limit} bytes.")
        sitemap = Sitemap(plain)
        listed = [clean(entry["loc"]) for entry in islice(sitemap, LISTED)]
    except (LxmlError, StopIteration) as error:
        raise ReadError("The server sent something that is no sitemap.") from error
    found = [url for url in listed if url]
    if sitemap.type not in ("sitemapindex", "urlset"):
        raise ReadError("The server sent something that is no sitemap.")
    return (found, []) if sitemap.type == "sitemapindex" else ([], found)


def _hrefs(page: Page) -> Iterator[str]:
    dom = page.dom
    wanted = [dom.tags.index(tag) for tag in ("a", "area") if tag in dom.tags]
    for node in np.flatnonzero(np.isin(dom.tag, wanted)).tolist():
        attributes = dom.attributes(node)
        if "nofollow" not in attributes.get("rel", "").lower().split():
            yield attributes.get("href", "")


def _rules(page: Page) -> Iterator[str]:
    dom = page.dom
    metas = np.flatnonzero(dom.tag == dom.tags.index("meta")).tolist() if "meta" in dom.tags else []
    for attributes in map(dom.attributes, metas):
        if attributes.get("name", "").lower() == "robots":
            yield from attributes.get("content", "").lower().replace(",", " ").split()


def _join(base: str, href: str) -> str:
    try:
        return clean(urljoin(base, href.strip()))
    except ValueError:
        return ""
