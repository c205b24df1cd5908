"""What the markup says of the parts of a page: tags, ARIA roles, words of classes and ids.

Only the words listed here are looked for; what a page says otherwise leaves no trace in a model.
Cost: one dictionary look-up per word of the distinct classes and ids; one pass over the hits.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Iterator

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom

    Ints = NDArray[np.int64]

WORDS = {
    "navigation": "nav navbar navigation menu submenu menus topnav sidenav megamenu dropdown drawer",
    "header": "header head masthead topbar banner top hdr globalheader",
    "footer": "footer foot bottom colophon copyright subfooter globalfooter",
    "sidebar": "sidebar aside rightcol leftcol sidebars",
    "side": "side rail secondary complementary right left",
    "main": "main content maincontent primary body page contents container",
    "article": "article post entry story blog single hentry articlebody",
    "text": "text richtext rich copy prose markdown rte wysiwyg paragraph txt bodytext md",
    "summary": "summary excerpt description desc intro lead lede standfirst dek abstract about overview",
    "title": "title headline heading subtitle",
    "meta": "meta byline author date time published timestamp posted updated dateline info metadata",
    "share": "share sharing social facebook twitter linkedin follow addthis sharedaddy pinterest whatsapp",
    "related": "related recommended recommendations recommend similar more also suggested suggestions upsell "
    "upsells crosssell crosssells recirc recently popular trending featured further next latest recent",
    "comment": "comment comments respond disqus reply replies discussion",
    "review": "review reviews rating ratings stars star testimonial testimonials feedback",
    "advertisement": "ad ads advert advertisement sponsor sponsored promo promotion adsense outbrain taboola",
    "newsletter": "newsletter subscribe subscription signup optin mailchimp email klaviyo",
    "modal": "modal popup dialog overlay lightbox tooltip popover toast snackbar alert notice notification",
    "cookie": "cookie cookies consent gdpr onetrust privacy ccpa",
    "hidden": "hidden hide invisible sr visually screenreader visuallyhidden offscreen collapsed collapse",
    "filter": "filter filters facet facets sort sorting refine refinement refinements swatch option options "
    "variant variants variation variations select selector size",
    "cart": "cart minicart basket checkout wishlist bag shipping delivery payment",
    "product": "product products prod sku pdp",
    "price": "price prices pricing cost money sale discount amount",
    "specification": "spec specs specification specifications attributes details detail features feature",
    "list": "list listing listings grid items collection results result archive feed loop catalog",
    "card": "card cards tile tiles item teaser teasers box",
    "forum": "message messages thread threads topic posts postbody cooked bbcode forum msg",
    "user": "user users username avatar profile member signature account login signin register poster",
    "contents": "toc tableofcontents outline onthispage anchor anchors jump",
    "widget": "widget widgets module block panel plugin",
    "manual": "docs documentation doc document section sect rst docstring reference api guide",
    "code": "code highlight pre highlighter codehilite snippet language clipboard",
    "table": "table tbl row rows cell column columns col",
    "pagination": "pagination pager paging paginate prev previous pagenav breadcrumb breadcrumbs crumbs",
}
"""Hint -> the words that give it."""

TAGS = {
    "nav element": ("nav", "menu"),
    "header element": ("header",),
    "footer element": ("footer",),
    "main element": ("main",),
    "article element": ("article",),
    "section element": ("section",),
    "aside element": ("aside",),
    "form element": ("form", "fieldset"),
    "list element": ("ul", "ol", "dl"),
    "table element": ("table",),
    "button element": ("button",),
    "dialog element": ("dialog",),
    "quote element": ("blockquote",),
    "heading element": ("h1", "h2", "h3", "h4", "h5", "h6"),
}
"""Hint -> the tags that give it."""

ROLES = {
    **dict.fromkeys(("navigation", "menu", "menubar", "menuitem", "tablist"), "nav element"),
    **dict.fromkeys(("button", "tab"), "button element"),
    **dict.fromkeys(("dialog", "alertdialog", "tooltip", "status", "alert"), "dialog element"),
    **dict.fromkeys(("search", "listbox"), "form element"),
    **dict.fromkeys(("list", "listitem", "feed"), "list element"),
    "banner": "header element",
    "contentinfo": "footer element",
    "main": "main element",
    "article": "article element",
    "complementary": "aside element",
    "region": "section element",
    "table": "table element",
    "heading": "heading element",
}
"""ARIA role -> the hint that it gives."""

TEXT_OF_ARTICLE = frozenset(("articleBody", "description", "text", "reviewBody"))
"""Values of ``itemprop`` that stand for running text."""

HINTS = (*WORDS, *TAGS, "hidden element", "unseen element", "text property")
"""Columns of the hints: words, tags and roles; ``aria-hidden``; a style that hides; `TEXT_OF_ARTICLE`."""

NUMBER = {hint: k for k, hint in enumerate(HINTS)}
_OF_WORD: dict[str, list[int]] = {}
for _hint, _words in WORDS.items():
    for _word in _words.split():
        _OF_WORD.setdefault(_word, []).append(NUMBER[_hint])
_KNOWN = frozenset(_OF_WORD)
_OF_TAG = {tag: NUMBER[hint] for hint, tags in TAGS.items() for tag in tags}
_PIECE = re.compile(r"[A-Z]?[a-z]+|[A-Z]+")
_LONGEST = 200  # characters of a value that are looked at
_UNSEEN = re.compile(r"display\s*:\s*none|visibility\s*:\s*hidden")


class Hits(NamedTuple):
    """Which nodes give which hints, in document order; looks (n,): a number for each value of ``class``."""

    node: Ints
    hint: Ints
    looks: Ints


@lru_cache(maxsize=2**14)
def hints_of(value: str) -> tuple[int, ...]:
    """Return the numbers of the hints that a class or an id gives.

    >>> [HINTS[hint] for hint in hints_of("siteNav entry-title")]
    ['navigation', 'article', 'title']
    """
    words = _KNOWN.intersection(map(str.lower, _PIECE.findall(value)))
    return tuple(sorted({hint for word in words for hint in _OF_WORD[word]})) if words else ()


def hits(dom: Dom, counts: NDArray[np.bool_]) -> Hits:
    """Return what the nodes say that ``counts`` (n,) is True for.

    >>> from webgrain.page.parse import parse_html
    >>> dom = parse_html("<div class=nav><p role=dialog>a")
    >>> found = hits(dom, np.ones(len(dom), bool))
    >>> [(dom.name(node), HINTS[hint]) for node, hint in zip(found.node, found.hint)]
    [('div', 'navigation'), ('p', 'dialog element')]
    """
    looks, nodes, hints = _named(dom, counts)
    for node, hint in _others(dom, counts):
        nodes.append(node)
        hints.append(hint)
    of_tag = np.array([_OF_TAG.get(tag, -1) for tag in dom.tags])[dom.tag]
    tagged = np.flatnonzero((of_tag >= 0) & counts)
    giver = np.concatenate([np.array(nodes, np.int64), tagged])
    given = np.concatenate([np.array(hints, np.int64), of_tag[tagged]])
    order = np.argsort(giver, kind="stable")
    return Hits(giver[order], given[order], looks)


def _named(dom: Dom, counts: NDArray[np.bool_]) -> tuple[Ints, list[int], list[int]]:
    """Return the `Hits.looks`, and the nodes that give hints by class or id, with these."""
    looks, nodes, hints = np.zeros(len(dom), np.int64), list[int](), list[int]()
    known = dict[str, tuple[int, tuple[int, ...]]]()
    for name in ("class", "id"):
        seen, numbers = list[int](), list[int]()
        for node, value in _values(dom, name, counts):
            told = known.get(value)
            if told is None:
                told = known[value] = len(known) + 1, hints_of(value[:_LONGEST])
            seen.append(node)
            numbers.append(told[0])
            for hint in told[1]:
                nodes.append(node)
                hints.append(hint)
        if name == "class":
            looks[seen] = numbers
    return looks, nodes, hints


def _values(dom: Dom, name: str, counts: NDArray[np.bool_]) -> Iterator[tuple[int, str]]:
    """Yield the nodes that count and have an attribute, with its value."""
    if name in dom.names:
        at = np.flatnonzero(dom.attr_name == dom.names.index(name))
        owner = np.searchsorted(dom.attr_start, at, side="right") - 1
        at, owner = at[counts[owner]], owner[counts[owner]]
        starts, stops = dom.value_start[at].tolist(), dom.value_start[at + 1].tolist()
        for node, start, stop in zip(owner.tolist(), starts, stops, strict=True):
            yield node, dom.values[start:stop]


def _others(dom: Dom, counts: NDArray[np.bool_]) -> Iterator[tuple[int, int]]:
    """Yield the hints of other attributes than classes and ids."""
    for node, value in _values(dom, "role", counts):
        if (hint := ROLES.get(value.strip().lower())) is not None:
            yield node, NUMBER[hint]
    for node, value in _values(dom, "aria-hidden", counts):
        if value == "true":
            yield node, NUMBER["hidden element"]
    for node, value in _values(dom, "style", counts):
        if _UNSEEN.search(value):
            yield node, NUMBER["unseen element"]
    for node, value in _values(dom, "itemprop", counts):
        if value in TEXT_OF_ARTICLE:
            yield node, NUMBER["text property"]
