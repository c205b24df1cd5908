"""Metadata of pages."""

from __future__ import annotations

from typing import Any

import numpy as np

from webgrain.page.links import absolute
from webgrain.page.page import Page
from webgrain.results import Article

METADATA = {
    "description": ("description", "og:description", "twitter:description"),
    "author": ("author", "article:author", "dc.creator"),
    "published": ("article:published_time", "datepublished", "date", "dc.date"),
    "modified": ("article:modified_time", "og:updated_time", "datemodified", "last-modified"),
    "site_name": ("og:site_name", "application-name"),
    "image": ("og:image", "twitter:image"),
    "keywords": ("keywords", "article:tag", "news_keywords"),
}
"""Fields of the metadata and the names of their ``meta`` elements, in order of preference."""


def metadata(page: Page, article: Article | None = None) -> dict[str, Any]:
    """Return the metadata of the head of a page: the fields that it has, of `METADATA` and of the list below.

    ``language`` is the ``lang`` attribute of the root, ``canonical`` the canonical URL, ``url`` the page's
    address, ``document_title`` the content of ``<title>``. Relative addresses are resolved against the page.

    >>> from webgrain.page.parsing import parse
    >>> metadata(parse("<html lang=en><title>A</title><meta name=author content=Kim><p>Text"))
    {'language': 'en', 'document_title': 'A', 'author': 'Kim'}
    """
    dom, found = page.dom, dict[str, str]()
    values: dict[str, str] = {}
    if page.url:
        found["url"] = page.url
    wanted = [tag for tag, name in enumerate(dom.tags) if name in ("html", "title", "link", "meta")]
    for node in np.flatnonzero(np.isin(dom.tag, wanted)).tolist():
        name = dom.name(node)
        if name == "title" and "document_title" not in found and dom.name(int(dom.parent[node])) == "head":
            found["document_title"] = " ".join(dom.text_of(node).split())
        elif name == "html":
            found["language"] = (dom.get(node, "lang") or "").strip()
        elif name == "link" and "canonical" in (dom.get(node, "rel") or "").lower().split():
            found.setdefault("canonical", absolute(page, dom.get(node, "href") or ""))
        elif name == "meta":
            attributes = dom.attributes(node)
            key = attributes.get("property") or attributes.get("name") or attributes.get("itemprop") or ""
            values.setdefault(key.strip().lower(), " ".join(attributes.get("content", "").split()))
    for name, keys in METADATA.items():
        found[name] = next((values[key] for key in keys if values.get(key)), "")
    found["image"] = absolute(page, found["image"])
    return {name: value for name, value in found.items() if value}
