"""What is no content, the address of a link, and small numbers: what several parts of a page need."""

from __future__ import annotations

from webgrain.page.dom import Dom
from webgrain.page.links import resolved
from webgrain.page.strings import name_set

DROPPED = name_set(
    "script style noscript template iframe frame frameset object embed svg link meta base title head "
    "input button select textarea audio video canvas dialog noembed noframes plaintext xmp datalist rp "
    "mjx-math"
)
"""Elements that are no content, with all in them; ``mjx-math`` is a formula as MathJax draws it."""


def small_number(text: str, digits: int) -> int | None:
    """Return the number in a text of at most some ASCII digits; None for other texts.

    >>> small_number(" 12 ", 3), small_number("1234", 3), small_number("2em", 3)
    (12, None, None)
    """
    text = text.strip()
    return int(text) if text.isascii() and text.isdecimal() and len(text) <= digits else None


def link_address(dom: Dom, base: str, node: int) -> str:
    """Return the absolute URL of a link; empty for a place of the page and for other addresses.

    >>> from webgrain.page.parsing import parse_html
    >>> link_address(parse_html("<a href=b>B</a>"), "http://example.org/a", 3)
    'http://example.org/b'
    """
    href = dom.get(node, "href") or ""
    return resolved(base, href) if href and not href.startswith("#") else ""


def leads_nowhere(dom: Dom, base: str, node: int) -> bool:
    """Whether a link has no address outside of its page; base: resolves it."""
    return not link_address(dom, base, node)
