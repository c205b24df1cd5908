"""The rules of the style sheets of a page, for a desktop screen of a given width.

The rules of ``@media`` count if it asks for a screen of this width without preferences, those of
``@supports`` and ``@layer`` always; other at-rules are ignored. Linked style sheets are read only if the
caller provides them; nothing is fetched.

Sources: CSS 2.2, Media Queries 4. Departures: rules inside rules are not read; layers have no rank.
Cost: linear in the characters of the style sheets; limits are in `webgrain.rendering.thresholds`.
"""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterator
from functools import partial
from urllib.parse import urljoin

import numpy as np

from webgrain.page.dom import Dom
from webgrain.page.kernels.cssselectors import find_rules
from webgrain.rendering import thresholds

ReadSheet = Callable[[str], str | None]
"""Returns the text of the style sheet at the ``href`` of a link, or None."""

_COMMENTS = re.compile(r"<!--|-->|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_IMPORT = re.compile(r"@import\s++(?:url\(\s*+)?+(\"[^\"]*\"|'[^']*'|[^\s;)]*+)\s*+\)?+([^;@]*+);")


def page_rules(dom: Dom, width: int, sheets: ReadSheet | None = None) -> str:
    """Return the texts of the style sheets of a page that apply to a screen of this width, in their order.

    sheets: reads linked style sheets, and those that they import; None: only ``<style>`` counts.

    >>> from webgrain.page.parsing import parse_html
    >>> page_rules(parse_html("<style>p { color: red }</style><style media=print>p {}</style>"), 800)
    'p { color: red }'
    """
    return "\n".join(_texts(dom, width, sheets))


def rules(css: str, width: int) -> list[tuple[str, str]]:
    """Return the selectors and the declarations of every rule that applies to a screen, as text.

    >>> rules("@import 'x'; a{b:c} @media (max-width:9px) {d{e:f}} g{h:i", 800)
    [('a', 'b:c'), ('g', 'h:i')]
    """
    text = _COMMENTS.sub(_without_comment, css[: thresholds.MAX_CHARS])
    return find_rules(text, partial(applies, width=width))  # type: ignore[no-any-return]


def applies(prelude: str, width: int) -> bool:
    """Whether the rules inside an at-rule apply.

    >>> applies("@media print", 800), applies("@media screen and (600px <= width)", 800)
    (False, True)
    """
    name, _, queries = prelude.lower().replace("(", " (").partition(" ")
    if name != "@media":
        return name in ("@supports", "@layer") and not queries.strip().startswith("not")
    return any(_query(" ".join(query.split()), width) for query in queries.split(","))


def roots_above(path: str) -> list[str]:
    """Return the folders that may be the root of the host of a page at a path, outermost first.

    A mirror of several hosts has a folder with the name of each host, including that of the page.

    >>> roots_above("example.org/news/a.html")
    ['', 'example.org/', 'example.org/news/']
    """
    above = path.split("/")[:-1][: thresholds.MAX_FOLDERS]
    return ["".join(f"{name}/" for name in above[:k]) for k in range(len(above) + 1)]


def imports(css: str) -> list[tuple[str, str]]:
    """Return the addresses that the beginning of a style sheet imports, each with its media queries.

    >>> imports('@charset "x"; @import url(a.css) print; @import "b.css"; p {} @import "c";')
    [('a.css', 'print'), ('b.css', '')]
    """
    start, _, _ = _COMMENT.sub(" ", css).partition("{")
    return [(address.strip(" \"'"), media.strip()) for address, media in _IMPORT.findall(start)]


def _texts(dom: Dom, width: int, sheets: ReadSheet | None) -> Iterator[str]:
    nodes = dom.find_tag("style")
    if sheets is not None:
        nodes = np.sort(np.concatenate([nodes, dom.find_tag("link")]))  # in the order of the page
    left = thresholds.MAX_IMPORTS
    for node in nodes.tolist():
        if (media := dom.get(node, "media")) and not applies(f"@media {media}", width):
            continue
        href, text = "", None
        if sheets is None or dom.name(node) == "style":
            text = dom.text_of(node)
        elif _is_sheet(dom.get(node, "rel") or ""):
            text = sheets(href := dom.get(node, "href") or "")
        if text and sheets is not None and "@import" in text[: thresholds.MAX_STYLE]:
            imported = list(_imported(text, href, width, sheets, left))
            left -= len(imported)
            yield from imported
        if text:
            yield text


def _is_sheet(rel: str) -> bool:
    """Whether a link with these relations is a style sheet that applies at first."""
    relations = rel.lower().split()
    return "stylesheet" in relations and "alternate" not in relations


def _imported(text: str, href: str, width: int, sheets: ReadSheet, left: int) -> Iterator[str]:
    """Texts of the style sheets that a style sheet imports, those that these import before them."""
    waiting = [(text, href)]
    seen = {href}
    texts: list[str] = []
    while waiting and len(texts) < left:
        text, href = waiting.pop()
        for address, media in reversed(imports(text[: thresholds.MAX_STYLE])):
            address = _joined(href, address)
            inner = sheets(address) if address not in seen and applies(f"@media {media}", width) else None
            seen.add(address)
            if inner:
                texts.append(inner)
                waiting.append((inner, address))
    return reversed(texts[:left])


def _joined(href: str, address: str) -> str:
    """Return the address of an imported style sheet; ``href`` may be relative.

    >>> _joined("../css/a.css?v=1", "more/b.css"), _joined("http://example.org/css/a.css", "/b.css")
    ('../css/more/b.css', 'http://example.org/b.css')
    >>> _joined("../css/a.css", "./../css/b.css?v=1")
    '../css/b.css?v=1'
    """
    if _FROM_ROOT.match(address) or _FROM_ROOT.match(href):
        return urljoin(href, address)
    folder = posixpath.dirname(href.partition("?")[0])
    path, sign, query = address.partition("?")
    # `urljoin` drops ../ at the beginning.
    return posixpath.normpath(posixpath.join(folder, path)) + sign + query


_FROM_ROOT = re.compile(r"/|[a-zA-Z][a-zA-Z0-9+.-]*:")


def _without_comment(match: re.Match[str]) -> str:
    """Remove a comment, and the contents of a string with braces or semicolons."""
    if match[0][0] not in "\"'":
        return " "
    return match[0] if not set(match[0]) & set("{};") else '""'


_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference", "forced-colors": "none", "scripting": "none", "update": "fast",
    "display-mode": "browser", "color": "", "grid": "0",
}  # fmt: skip
"""Features of a desktop screen without scripts, and the value that they have."""

_WIDTH_QUERY = re.compile(r"(min|max)-(?:device-)?width\s*:\s*((?:[0-9]*+\.)?+[0-9]++)(px|r?em|)\Z")
_WIDTH_RANGE = re.compile(r"(?:([0-9.]+[a-z]*) ?([<>]=?) ?)?width(?: ?([<>]=?|=) ?([0-9.]+[a-z]*))?\Z")
_LENGTH = re.compile(r"([0-9]++\.?[0-9]*+|\.[0-9]++)(px|r?em|)\Z")
_EM = 16.0
"""Px in an em of a media query."""


def _query(query: str, width: int) -> bool:
    """Whether one query holds: parts joined by "and" or "or", the whole possibly after "not" or "only"."""
    negated = query.startswith("not ")
    query = query.removeprefix("not ").removeprefix("only ")
    joined, together = (" or ", any) if " or " in query else (" and ", all)
    return together(_holds(part.strip(" ()"), width) for part in query.split(joined)) != negated


def _holds(feature: str, width: int) -> bool:
    """Whether a screen of this width with a mouse and without preferences has a feature."""
    if match := _WIDTH_QUERY.match(feature):
        limit = float(match[2]) * (1 if match[3] == "px" else _EM)
        return width >= limit if match[1] == "min" else width <= limit
    if match := _WIDTH_RANGE.match(feature):
        low, sign, other, high = match.groups()
        lower = _compared(_pixels(low), sign, width) if low else True
        return lower and (_compared(width, other, _pixels(high)) if high else True)
    name, _, value = (part.strip() for part in feature.partition(":"))
    return value in ("", _FEATURES[name]) if name in _FEATURES else name in ("", "all", "screen")


def _pixels(text: str) -> float | None:
    match = _LENGTH.match(text)
    if match is None:
        return None
    return float(match[1]) * (_EM if match[2].endswith("em") else 1.0)


def _compared(a: float | None, sign: str, b: float | None) -> bool:
    """Whether a comparison holds; one with an unknown length does not."""
    if a is None or b is None:
        return False
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b}[sign]
