"""What the markup says of the purpose of nodes: tags, ARIA roles, words in classes, ids and addresses.

Only the words listed here are looked for; what a page says otherwise leaves no trace in a model.

Cost: one pass of a regular expression over the distinct values of some attributes, one array pass per hint.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.page.dom import Dom
    from webgrain.page.leaves import VisibleTree

WORDS = {
    "menu": "nav|menu|tabs",
    "head": "head|masthead|top|banner",
    "foot": "foot|bottom|copyright|©|legal|privacy|disclaimer|imprint|impressum",
    "side": "side|left|right|col|rail",
    "main": "main|content|center|body|primary",
    "ad": r"(?<![a-z])ads?(?![a-z])|advert|sponsor|promo|doubleclick|adsense",
    "search": "search|srch|query|suche|recherche|buscar",
    "logo": "logo|brand",
    "item": "item|entry|post|article|story|news|teaser",
    "box": "box|block|module|widget|panel|portlet",
    "list": "list|links|feed|categor|tags|archive",
    "title": "title|headline|heading|slogan|tagline",
    "image": "image|img|photo|picture|pics?(?![a-z])|gallery|slide|carousel|thumb|feature",
    "video": "video|player|youtube|vimeo|flash|watch",
    "comments": "comment|discuss|reply|guestbook",
    "social": "social|share|follow|twitter|facebook|rss",
    "account": "login|signin|sign-in|signup|account|register|subscribe|newsletter",
    "language": "lang|locale",
}
"""Hint -> the words that give it, as a regular expression over lower case."""

TAGS = {
    "header element": ("header",),
    "footer element": ("footer",),
    "nav element": ("nav",),
    "main element": ("main",),
    "aside element": ("aside",),
    "article element": ("article", "section"),
    "form": ("form", "fieldset"),
    "list element": ("ul", "ol", "dl"),
    "table": ("table",),
    "cell": ("td", "th"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "top heading": ("h1",),
    "paragraph": ("p", "blockquote"),
    "figure": ("figure", "picture", "figcaption"),
    "frame": ("iframe", "object", "embed", "video"),
}
"""Hint -> the tags that give it."""

ARIA = {
    "banner": "header element", "contentinfo": "footer element", "navigation": "nav element",
    "main": "main element", "complementary": "aside element", "article": "article element",
    "search": "search",
}  # fmt: skip
"""ARIA role -> the hint that it gives."""

HINTS = (*WORDS, *TAGS)
"""Columns of `hints`."""

_OF_NAMES = frozenset(("class", "id"))
"""Attributes whose words give any hint."""

_OF_CONTENT = frozenset(("src", "alt", "name", "type", "placeholder", "value", "action", "title", "data"))
"""Attributes whose words give some hints only: they name what is shown, not what it is for."""

_SHOWN = frozenset(("ad", "search", "logo", "video", "social", "account"))
_LONGEST = 200  # characters of a value that are looked at
_PATTERN = re.compile("|".join(f"({words})" for words in WORDS.values()))


def hints(dom: Dom, tree: VisibleTree) -> NDArray[np.bool_]:
    """Return which hints the nodes of ``tree`` give, (k, h); h as `HINTS`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul class=topNav><li>One</ul>"))
    >>> [HINTS[k] for k in np.flatnonzero(hints(page.dom, visible_tree(page))[2])]  # html, body, ul
    ['menu', 'head', 'list element']
    """
    of_tag = np.array([[tag in TAGS.get(hint, ()) for hint in HINTS] for tag in dom.tags])
    found: NDArray[np.bool_] = of_tag[dom.tag[tree.node]]
    row, columns = _told(dom, tree)
    found[row, columns] = True
    return found


def _told(dom: Dom, tree: VisibleTree) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return rows and columns of what attributes tell; each distinct word of a class is looked at once."""
    place = np.full(len(dom) + 1, -1)
    place[tree.node] = np.arange(len(tree))
    owner = place[np.repeat(np.arange(len(dom)), np.diff(dom.attr_start))]
    rows, columns = [], []
    for number, name in enumerate(dom.names):
        if name not in _OF_NAMES | _OF_CONTENT and name != "role":
            continue
        known: dict[str, list[int]] = {}
        found = np.flatnonzero((dom.attr_name == number) & (owner >= 0))
        spans = np.stack([owner[found], dom.value_start[found], dom.value_start[found + 1]], axis=1)
        for row, start, end in spans.tolist():
            value = dom.values[start : min(end, start + _LONGEST)].lower()
            for word in value.split() if name == "class" else (value,):
                if word not in known:
                    known[word] = _hints_of(name, word)
                columns += known[word]
                rows += [row] * len(known[word])
    return np.array(rows, np.int64), np.array(columns, np.int64)


def _hints_of(name: str, value: str) -> list[int]:
    """Return the columns of the hints that one attribute gives."""
    if name == "role":
        return [HINTS.index(ARIA[value])] if value in ARIA else []
    found = {match.lastindex - 1 for match in _PATTERN.finditer(value) if match.lastindex}
    return sorted(k for k in found if name in _OF_NAMES or HINTS[k] in _SHOWN)
