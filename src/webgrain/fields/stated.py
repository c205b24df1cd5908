"""What a page states about itself in its markup, by the names of fields and by keys of JSON-LD.

The title, the author and the day of publication are those that `webgrain.extract` chooses; other values are
those of ``meta`` elements and JSON-LD. A key of JSON-LD is the path to a value: ``offers.price``.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from webgrain.documents.article import Article
from webgrain.extraction.metadata import Facts
from webgrain.fields.thresholds import MAX_JSON
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.links import absolute
from webgrain.page.markup import json_ld, meta_contents
from webgrain.page.page import Page

NAMES_OF_KEYS = {
    "headline": "title", "name": "title", "offers.price": "price", "offers.lowPrice": "price",
    "offers.priceSpecification.price": "price", "datePublished": "date", "author.name": "author",
    "author": "author", "image": "image", "image.url": "image", "description": "description", "sku": "sku",
    "aggregateRating.ratingValue": "rating", "brand.name": "brand", "brand": "brand",
}  # fmt: skip
"""The names of fields by keys of JSON-LD; the first that a page has counts."""
METAS = {
    "title": ("og:title", "twitter:title"),
    "price": ("product:price:amount", "og:price:amount"),
    "date": ("article:published_time",),
    "author": ("author", "article:author"),
    "image": ("og:image", "twitter:image"),
    "description": ("og:description", "description", "twitter:description"),
    "sku": ("product:retailer_item_id",),
    "brand": ("product:brand", "og:brand"),
}
"""The names of ``meta`` elements by names of fields, best first."""
_OTHER_THINGS = (
    "WebSite",
    "Organization",
    "BreadcrumbList",
    "WebPage",
    "ImageObject",
    "Person",
    "SearchAction",
)
_MOST_LEVELS = 3  # of a key


def stated_values(page: Page, article: Article) -> dict[str, tuple[str, ...]]:
    """Return the values that a page states of each field.

    article: its title and text.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<title>A</title><meta property=og:price:amount content=5><h1>A</h1>")
    >>> stated_values(page, Article("article", "A"))
    {'title': ('A',), 'price': ('5',)}
    """
    facts = Facts(page, article)
    values: dict[str, list[str]] = {"title": [article.title], "date": [facts.published]}
    values["author"] = [article.byline.get("author", ""), facts.author]
    contents = meta_contents(page.dom)
    for name, metas in METAS.items():
        if name not in values:
            values[name] = [value for meta in metas for value in contents.get(meta, ())]
    for key, value in json_ld_values(page.dom).items():
        name = NAMES_OF_KEYS.get(key, "")
        if name and name not in ("title", "date", "author"):
            values.setdefault(name, []).append(value)
    if "image" in values:
        values["image"] = [absolute(page, value) for value in values["image"]]
    return {name: kept for name, stated in values.items() if (kept := tuple(filter(None, stated)))}


@cached_on_page
def json_ld_values(dom: Dom) -> Mapping[str, str]:
    """Return the values of JSON-LD by their keys; of several things, the first one that has a key counts.

    >>> from webgrain.page.parsing import parse_html
    >>> html = '<script type="application/ld+json">{"@type": "Product", "offers": {"price": 5}}</script>'
    >>> json_ld_values(parse_html(html))
    {'offers.price': '5'}
    """
    values: dict[str, str] = {}
    count = 0
    for thing in _things(json_ld(dom)):
        for key, value in _scalars(thing):
            count += 1
            if count > MAX_JSON:
                return values
            values.setdefault(key, value)
    return values


def _things(declared: Any) -> Iterator[dict[str, Any]]:
    """Yield the things that JSON-LD describes at the top, without those that are not the page."""
    waiting = [declared]
    count = 0
    while waiting and count < MAX_JSON:
        count += 1
        value = waiting.pop()
        if isinstance(value, list):
            waiting += reversed(value)
        elif isinstance(value, dict) and "@graph" in value:
            waiting.append(value["@graph"])
        elif isinstance(value, dict) and not _is_other(value):
            yield value
            if "mainEntity" in value:
                waiting.append(value["mainEntity"])


def _is_other(thing: Mapping[str, Any]) -> bool:
    types = thing.get("@type")
    names = types if isinstance(types, list) else [types]
    return any(name in _OTHER_THINGS for name in names if isinstance(name, str))


def _scalars(thing: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the keys and the texts of a thing; of a list its first value counts."""
    waiting: list[tuple[str, Any]] = [("", thing)]
    while waiting:
        key, value = waiting.pop()
        if isinstance(value, list):
            value = value[0] if value else None
        if isinstance(value, dict) and key.count(".") < _MOST_LEVELS:
            inner = [(f"{key}.{name}" if key else str(name), x) for name, x in value.items()]
            waiting += reversed([pair for pair in inner if not pair[0].rpartition(".")[2].startswith("@")])
        elif isinstance(value, str | int | float) and not isinstance(value, bool) and key:
            text = " ".join(str(value).split())
            if text:
                yield key, text
