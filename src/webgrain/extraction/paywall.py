"""Whether a reader has to pay for the rest of a page.

=============  =========================================================================================
``declared``   JSON-LD or microdata state ``isAccessibleForFree`` false, or ``article:content_tier`` is
               locked or metered
``cut``        the main text ends with an ellipsis, and the class or id of an element names a paywall
=============  =========================================================================================

Sources: https://schema.org/isAccessibleForFree, https://developers.facebook.com/docs/instant-articles.
Cost: lookups of attribute values; a pass over the JSON-LD of a page that has the property.
"""

from __future__ import annotations

import re
from typing import Any

from webgrain.documents.article import Article
from webgrain.page.dom import Dom
from webgrain.page.markup import json_ld, json_ld_texts, meta_contents
from webgrain.page.page import Page
from webgrain.page.strings import name_set
from webgrain.page.values import Question

_PROPERTY = "isAccessibleForFree"
_IS_FALSE = re.compile(r"(?:https?://schema\.org/)?false", re.IGNORECASE)
_PAID_TIERS = name_set("locked metered")
_PAYWALL = re.compile(r"pay-?wall|piano-|(?<![a-z])regwall", re.IGNORECASE)
_NAMES_PAYWALL = Question(lambda value: _PAYWALL.search(value) is not None, bool)
_ELLIPSES = ("…", "...", "[…]", "[...]")


def paywall(page: Page, article: Article | None) -> str:
    """Return ``declared``, ``cut`` or an empty text for a page; article: its main text, if it is known.

    >>> from webgrain.page.parsing import parse
    >>> data = '{"@type": "NewsArticle", "isAccessibleForFree": "False"}'
    >>> paywall(parse(f"<script type=application/ld+json>{data}</script><p>Text"), None)
    'declared'
    """
    dom = page.dom
    if _is_declared(dom):
        return "declared"
    if article is None or not article.text.endswith(_ELLIPSES):
        return ""
    names = (dom.nodes_where(name, _NAMES_PAYWALL) for name in ("class", "id"))
    return "cut" if any(map(len, names)) else ""


def _is_declared(dom: Dom) -> bool:
    """Whether a page states that it is not free."""
    if not _PAID_TIERS.isdisjoint(meta_contents(dom).get("article:content_tier", ())):
        return True
    attributes, nodes = dom.find_attribute("itemprop")
    for node in nodes[dom.ask(_IS_PROPERTY, attributes)].tolist():
        values = dom.attributes(node)
        if _is_false(values.get("content") or values.get("href") or dom.text_of(node)):
            return True
    if not any(_PROPERTY in text for text in json_ld_texts(dom)):
        return False
    return any(map(_states_no, json_ld(dom)))


_IS_PROPERTY = Question(lambda value: _PROPERTY in value.split(), bool)


def _is_false(value: Any) -> bool:
    """Whether a value of the property states false."""
    return value is False or (isinstance(value, str) and _IS_FALSE.fullmatch(value.strip()) is not None)


def _states_no(value: Any) -> bool:
    """Whether JSON-LD, or a part of it that is no list of other pages, states that it is not free."""
    waiting = [value]
    while waiting:
        value = waiting.pop()
        if isinstance(value, dict):
            if _is_false(value.get(_PROPERTY)):
                return True
            waiting += [each for key, each in value.items() if key not in _OTHER_PAGES]
        elif isinstance(value, list):
            waiting += value
    return False


_OTHER_PAGES = ("itemListElement", "citation", "isBasedOn", "mentions")
