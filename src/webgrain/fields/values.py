"""Values of fields: what is read of an element, of which type it is, and what a page states in its markup.

=======  ===========================================================================================
type     value
=======  ===========================================================================================
text     the visible text, a line for each block
number   the text as a number, if it is a plain one
price    the amount with its currency as it is written: ``12,50 €``
date     ISO 8601, with the time if it is stated in this form
URL      an absolute address
image    the absolute address of an image
list     the texts of all elements that the selector selects
=======  ===========================================================================================

What a page states has the names of fields and keys of JSON-LD. The title, the author and the day of
publication are those that `webgrain.extract` chooses; other values are those of ``meta`` elements and
JSON-LD. A key of JSON-LD is the path to a value: ``offers.price``.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.base.metrics import TOKEN
from webgrain.documents.article import Article
from webgrain.documents.dates import date_readings
from webgrain.extraction.metadata import Facts
from webgrain.fields.thresholds import MAX_JSON, SHORT, TYPICAL
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.links import absolute, absolute_values
from webgrain.page.markup import json_ld, meta_contents
from webgrain.page.page import Page
from webgrain.page.text import texts_of
from webgrain.page.values import Question

_IS_ADDRESS = Question(lambda value: bool(value) and not value.startswith("data:"), np.bool_)

Value = str | int | float | list[str] | None

_CURRENCIES = (
    "EUR|USD|GBP|CHF|PLN|CZK|SEK|NOK|DKK|kr|kroner|kronor|kronen|crowns|euros?|dollars|zł|Kč|Ft|lei|TL|руб"
)
_SYMBOL = "[$€£¥₹₽₩₺₫฿₴₪]"
_SIGN = rf"(?:{_SYMBOL}|(?<![^\W\d_])(?:{_CURRENCIES})(?![^\W\d_]))"
_NUMBER = r"(?:\d{1,3}(?:[.,'’\s]\d{3}){1,5}(?:[.,]\d{1,2})?(?!\d)|\d{1,15}(?:[.,]\d{1,2})?(?![.,]?\d))"
# A number begins behind another character: so a long row of digits is read once.
_AMOUNT = re.compile(
    rf"(?<![A-Z])[A-Z]{{1,3}}{_SYMBOL}\s?{_NUMBER}|{_SIGN}\s?{_NUMBER}|(?<![\d.,]){_NUMBER}(?:,-)?\s?{_SIGN}",
    re.IGNORECASE,
)
_DIGIT = re.compile(r"\d")
_PLAIN_NUMBER = re.compile(r"-?\d{1,15}(?:\.\d{1,10})?")
_DIGITS = re.compile(r"\d[\d.,'’\s]*")
_IMAGES = ("src", "data-src", "data-lazy-src", "data-original")
ADDRESSES = frozenset(("href", *_IMAGES))
"""Attributes whose values are addresses."""


def amount(text: str) -> str:
    """Return the first amount of money in a text; empty for none.

    >>> amount("From 12,50 € a day"), amount("Price: US$1,299.00"), amount("1299"), amount("5 kr")
    ('12,50 €', 'US$1,299.00', '', '5 kr')
    """
    match = _AMOUNT.search(text)
    return match[0] if match else ""


def number_of(text: str) -> float | None:
    """Return the number in an amount, whatever separates its parts; None for none.

    >>> number_of("1.299,00 €"), number_of("$1,299"), number_of("12.5"), number_of("free")
    (1299.0, 1299.0, 12.5, None)
    """
    match = _DIGITS.search(text)
    if match is None:
        return None
    digits = re.sub(r"[\s'’]", "", match[0]).rstrip(".,")
    cents = re.search(r"[.,](\d{1,2})$", digits)
    whole = digits[: cents.start()] if cents else digits
    return float(re.sub(r"[.,]", "", whole) + (f".{cents[1]}" if cents else ""))


def day_of(text: str) -> str:
    """Return the first date of a short text as ISO 8601; empty for none.

    >>> day_of("Posted on 3 May 2020"), day_of("2.12.19"), day_of("soon")
    ('2020-05-03', '2019-12-02', '')
    """
    readings = date_readings(text[:200], short_years=True)
    return readings[0].value if readings else ""


def is_price(text: str) -> bool:
    """Return whether a text is short and has an amount of money."""
    return len(text) <= SHORT and bool(amount(text))


def is_date(text: str) -> bool:
    """Return whether a text is short and has a date."""
    return len(text) <= SHORT and bool(day_of(text))


def is_number(text: str) -> bool:
    """Return whether a text is a plain number."""
    return _PLAIN_NUMBER.fullmatch(text) is not None


_TESTS: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("number", is_number),
    ("price", is_price),
    ("date", is_date),
)


def type_of(texts: Sequence[str], attribute: str | None = None) -> str:
    """Return the type of the values that most texts have; attribute: where they are from, None for the text.

    >>> type_of(["3 May 2020", "4 May 2020"]), type_of(["12", "7"]), type_of(["$5", "a"])
    ('date', 'number', 'text')
    """
    if attribute in ADDRESSES:
        return "URL" if attribute == "href" else "image"
    filled = [text for text in texts if text]
    if not _DIGIT.search("\n".join(filled)):
        return "text"  # all other types have digits
    numbers = list(filter(_DIGIT.search, filled))
    if len(numbers) < TYPICAL * len(filled):
        return "text"
    for name, test in _TESTS:
        if sum(map(test, numbers)) >= TYPICAL * len(filled):
            return name
    return "text"


def converted(text: str, type_: str) -> Value:
    """Return a text as a value of a type; a text that is not of the type stays as it is, None if it is empty.

    >>> converted("Posted on 3 May 2020", "date"), converted("7", "number"), converted("ask", "price")
    ('2020-05-03', 7, 'ask')
    """
    if not text:
        return None
    if type_ == "date":
        return day_of(text) or text
    if type_ == "price":
        return amount(text) or text
    if type_ == "number" and is_number(text):
        return float(text) if "." in text else int(text)
    return text


def texts_at(page: Page, nodes: Sequence[int], attribute: str | None) -> list[str]:
    """Return the text of each of some elements, or the value of an attribute; empty for none.

    Addresses are absolute; of ``src``, the attributes of images that scripts load count, too.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One <b>two</b><p title=x>three")
    >>> texts_at(page, [3, 7], None), texts_at(page, [3, 7], "title")
    (['One two', 'three'], ['', 'x'])
    """
    if attribute is None:
        return texts_of(page, [[node] for node in nodes], separator="\n")
    asked = np.array(nodes, np.int64)
    if attribute in ADDRESSES:
        return _addresses(page, asked, _IMAGES if attribute == "src" else (attribute,))
    return [" ".join((value or "").split()) for value in page.dom.values_at(attribute, asked)]


def _addresses(page: Page, nodes: Int64, names: Sequence[str]) -> list[str]:
    """Return the first address of each node (k,) that is not the data of an image itself; empty for none.

    names: of the attributes with addresses. Addresses are absolute.
    """
    dom = page.dom
    chosen = np.full(len(nodes), -1)
    for name in reversed(names):
        attributes, owners = dom.find_attribute(name)
        if not len(owners):
            continue
        row = np.minimum(owners.searchsorted(nodes), len(owners) - 1)
        is_there = (owners[row] == nodes) & dom.ask(_IS_ADDRESS, attributes[row])
        chosen[is_there] = attributes[row[is_there]]
    addresses = [""] * len(nodes)
    places = np.flatnonzero(chosen >= 0)
    for place, address in zip(places.tolist(), absolute_values(page, chosen[places]), strict=True):
        addresses[place] = address
    return addresses


def has_tokens(text: str, wanted: Sequence[str]) -> bool:
    """Return whether the tokens of a text are the wanted ones.

    >>> has_tokens("The end.", ["the", "end"]), has_tokens("The end is near", ["the", "end"])
    (True, False)
    """
    lowered = text.lower()
    if wanted and (wanted[0] not in lowered or wanted[-1] not in lowered):
        return False  # most texts
    return re.findall(TOKEN, lowered) == wanted


EDGES = " \t\n:|·,"
"""Characters around a value that are not a part of it."""


def between(text: str, before: str, after: str) -> str:
    """Return the part of a text behind some words and before others; the whole text if they are missing.

    >>> between("Submitted by Kim on Monday", "Submitted by", "on"), between("Kim", "by", "")
    ('Kim', 'Kim')
    """
    if before:
        start = text.find(before)
        text = text[start + len(before) :] if start >= 0 else text
    if after:
        end = re.search(rf"(?<!\S){re.escape(after)}(?!\S)", text)
        text = text[: end.start()] if end else text
    return text.strip(EDGES)


# What a page states in its markup

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
