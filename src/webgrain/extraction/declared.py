"""Images and descriptions that pages declare in ``meta`` elements and JSON-LD, and which of them many share.

    page --declared_values--> keys (v,) and fields (v,) --SiteTable--> SiteTable.shared_values

Many sites declare their logo as the image of each page and their slogan as its description. A value of a
large share of the pages that declare the field states nothing about a page, except for the start page of the
host or of the folder.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain

import numpy as np

from webgrain.base.arrays import Int64, UInt64
from webgrain.columns.blocks import text_keys
from webgrain.columns.sitetable import DECLARED_FIELDS
from webgrain.page.links import canonical
from webgrain.page.markup import Statements, named
from webgrain.page.page import Page

_LD_KEYS = {
    "description": ("description",), "tags": ("keywords",), "language": ("inLanguage",),
    "image": ("image", "thumbnailUrl"), "site_name": ("publisher",), "licence": ("license",),
}  # fmt: skip
_START = re.compile(r"(?:index|default)\.[a-z]{3,5}", re.IGNORECASE)


def in_json_ld(stated: Statements, field: str) -> list[str]:
    """Return what the JSON-LD of a page states of a field, best first.

    >>> from webgrain.page.parsing import parse
    >>> html = '<script type="application/ld+json">{"headline": "A", "image": {"url": "a.png"}}</script>'
    >>> in_json_ld(Statements(parse(html)), "image")
    ['a.png']
    """
    is_address = field in ("image", "licence")
    keys = ("url", "contentUrl", "@id") if is_address else ("name", "@value")
    return [named(value, keys) for value in stated.values(*_LD_KEYS[field])]


def declared_values(page: Page) -> tuple[UInt64, Int64]:
    """Return the different keys (v,) of the images and descriptions of a page, and their fields (v,).

    The fields are numbers in `DECLARED_FIELDS`.

    >>> from webgrain.page.parsing import parse
    >>> html = "<meta name=description content=Boats><meta property=og:description content=Boats>"
    >>> declared_values(parse(html))[1].tolist()
    [1]
    """
    stated = list(dict.fromkeys(_statements(page)))
    keys = text_keys([_written(*statement) for statement in stated])
    return keys, np.array([DECLARED_FIELDS.index(field) for field, _ in stated], np.int64)


def _statements(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the fields that a page declares, each with a value whose white space is collapsed."""
    stated = Statements(page)
    for field in DECLARED_FIELDS:
        for value in chain((value for _, value in stated.metas(field)), in_json_ld(stated, field)):
            if text := " ".join(value.split()):
                yield field, text


class SharedValues:
    """Which values of a page are those of its site.

    keys: of the values, see `SiteTable.shared_values`.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<meta name=description content=Boats>")
    >>> shared = SharedValues(page, frozenset(declared_values(page)[0].tolist()))
    >>> shared.contains("description", " Boats "), shared.contains("description", "The boat")
    (True, False)
    """

    def __init__(self, page: Page, keys: frozenset[int]) -> None:
        self._keys = frozenset() if keys and _is_start(page) else keys

    def contains(self, field: str, value: str) -> bool:
        """Whether a value of a field is that of the site; white space does not matter."""
        if not self._keys or field not in DECLARED_FIELDS:
            return False
        [key] = text_keys([_written(field, " ".join(value.split()))]).tolist()
        return key in self._keys


def _is_start(page: Page) -> bool:
    """Whether a page is the start page of its host or, without an address, of its folder."""
    address = canonical(page.url or "")
    return "/" not in address if address else _START.fullmatch(page.id) is not None


def _written(field: str, value: str) -> str:
    return f"{field} {value}"
