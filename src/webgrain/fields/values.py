"""Values of fields: what is read of an element, and of which type it is.

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
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.documents.dates import date_readings
from webgrain.fields.thresholds import SHORT, TYPICAL
from webgrain.page.links import absolute_values
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
