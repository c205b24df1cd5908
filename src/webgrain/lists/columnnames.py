"""Names of the columns of a list by the meaning of their texts.

===============  ======================================================================================
``price``        most texts are short and have an amount of money; ``price_old`` if they are crossed out
``rating``       most texts are short and have a rating, such as "4.5 out of 5"
``date``         most texts are short and have a date
``author``       the class is one of authors, or a word such as "by" is before the text
``description``  the class is one of descriptions, or the texts of elements without a class are long
the label        all texts begin with the same words and a colon, such as "Weight: 2 kg"
===============  ======================================================================================
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np

from webgrain.documents.dates import is_day_of_year
from webgrain.extraction.authors import is_author_word
from webgrain.lists.selectors import column_label
from webgrain.lists.thresholds import TYPICAL
from webgrain.page.strings import name_set
from webgrain.page.values import Question

LONGEST_VALUE = 40
"""Characters of a price, a rating or a date."""
_LONGEST_RATING = 60  # characters in an attribute
_LONGEST_LABEL = 30  # characters before a colon
_DESCRIPTION = 60  # characters of a description without a class, at least; the mean of its column

_MONEY = "[$€£¥₹₽₩₺₫฿]"
_PRICE = re.compile(
    rf"{_MONEY}\s?\d|\d\s?{_MONEY}|\b[A-Z]{{2,3}}\$?\s?\d[\d.,]*[.,]\d\d\b|\d[.,]\d\d\s?[A-Z]{{3}}\b"
)
_YEAR = r"\b(1[89]|20)\d\d\b"
_DATE = re.compile(rf"{_YEAR}.*\d|\d.*{_YEAR}|\b\d{{1,2}}[./-]\d{{1,2}}[./-]\d{{2}}\b|\d{{1,2}}:\d\d\b")
_RATING = re.compile(
    r"(?<!\d)(?:[0-4](?:[.,]\d+)?|5(?:[.,]0+)?)\s*/\s*5(?!\d)"
    r"|\d\s?(?:out of|of|von|sur|de|su|van|av|z|из)\s?(?:5|10)(?!\d)|5\s?(?:つ星のうち|中)\s?\d"
    r"|\d\s?-?(?:stars?|stern|sterr|étoile|estrella|estrela|stell|звезд|星|★)"
    r"|(?<!\w)(?:rat(?:ed|ing)|stars|bewert|note|nota|valoraci|valutaz|avalia|оцен|рейт|評価|评分|별점)\w{0,9}\W{0,3}\d",
    re.I,
)
_AUTHOR = name_set("author authors byline by writer autor auteur autore username poster")
_SUMMARY = name_set("description desc summary excerpt teaser abstract snippet intro lead blurb")
_WORDS = re.compile(r"[a-z]+")
_NO_NAME = re.compile(r"[\d/_]")
_LABEL = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){0,2}\Z")  # up to three words


def is_rating(text: str) -> bool:
    """Return whether the value of an attribute is a rating.

    >>> is_rating("Rated 4.5 out of 5 stars"), is_rating("Add lamp 4 to the cart")
    (True, False)
    """
    return len(text) <= _LONGEST_RATING and _RATING.search(text) is not None


IS_RATING = Question(is_rating, np.bool_)


def is_date(text: str) -> bool:
    """Return whether a short text has a date, or is a day without a year."""
    return bool(_DATE.search(text)) or is_day_of_year(text)


def value_name(texts: Sequence[str]) -> str:
    """Return ``price``, ``rating`` or ``date`` if most texts of a column are short and have one.

    >>> value_name(["$ 3.50", "from $ 4"])
    'price'
    """
    short = [text for text in texts if len(text) <= LONGEST_VALUE]
    for name, is_value in (("price", _PRICE.search), ("rating", _RATING.search), ("date", is_date)):
        if len([*filter(is_value, short)]) >= TYPICAL * len(texts):
            return name
    return ""


def text_name(label: str, texts: Sequence[str], before: str, items: int) -> str:
    """Return the name of a column with other texts; empty if only its class or its tag is known.

    label: of its class or its tag; before: the text of the page before its first text; items: of the list.
    Without a class, half of the items must have a text.

    >>> text_name("a", ["Kim Lee", "Ada Byron"], "Posted by ", 2)
    'author'
    >>> text_name("text", ["Weight: 2 kg", "Weight: 3 kg"], "", 2)
    'weight'
    """
    words = _WORDS.findall(label)
    if not _AUTHOR.isdisjoint(words):
        return "author"
    if not _SUMMARY.isdisjoint(words):
        return "description"
    if 2 * len(texts) < items:
        return ""
    last = before.split()[-1:]
    if last and is_author_word(last[0]) and not _NO_NAME.search(texts[0]):
        return "author"
    return _name_without_class(texts) if label == "text" else ""


def _name_without_class(texts: Sequence[str]) -> str:
    """Return the label that all texts begin with, or ``description`` for long texts."""
    prefix, colon, _ = texts[0][: _LONGEST_LABEL + 1].partition(":")
    if colon and len(texts) > 1 and _LABEL.match(prefix) and all(x.startswith(f"{prefix}:") for x in texts):
        return column_label(prefix)
    return "description" if sum(map(len, texts)) >= _DESCRIPTION * len(texts) else ""
