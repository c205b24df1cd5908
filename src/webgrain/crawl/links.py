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
    from collections.abc import Iterator

    from webgrain.page.page import Page, Source

MOST = 5000
"""Links that are followed from one page."""

LISTED = 50_000
"""Addresses that a sitemap may list, as its standard says."""

_HEAD = 2**14


def links_of(source: Source) -> list[str]:
    """Return the addresses that a page links to, in order, each once; no more than `MOST`.

    Links marked ``nofollow`` are left out, and all links of a page whose ``<meta name=robots>`` says so.
    Where ``<meta http-equiv=refresh>`` leads comes first.

    >>> from webgrain.page.page import Source
    >>> html = b"<base href=/a/><a href=b#top>b</a><a href=c rel=nofollow>c</a><a href=tel:1>d</a>"
    >>> links_of(Source("x", html, url="http://example.org/"))
    ['http://example.org/a/b']
    """
    page = parse(source)
    if _has_rule(page, "nofollow"):
        return []
    base = base_of(page)
    refresh = get_meta_refresh(source.body[:_HEAD], base)[1]
    found = dict.fromkeys(filter(None, (_join(base, href) for href in [refresh, *_hrefs(page)] if href)))
    return list(islice(found, MOST))


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


def _has_rule(page: Page, rule: str) -> bool:
    dom = page.dom
    metas = np.flatnonzero(dom.tag == dom.tags.index("meta")).tolist() if "meta" in dom.tags else []
    for attributes in map(dom.attributes, metas):
        rules = attributes.get("content", "").lower().replace(",", " ").split()
        if attributes.get("name", "").lower() == "robots" and rule in rules:
            return True
    return False


def _join(base: str, href: str) -> str:
    try:
        return clean(urljoin(base, href.strip()))
    except ValueError:
        return ""
