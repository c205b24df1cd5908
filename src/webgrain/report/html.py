"""The HTML documents that webgrain writes: one builder, one look, and no way for a page to run a script.

Texts of pages may be hostile. `element` escapes every text that is not markup made by `element` itself, and a
Content-Security-Policy in each document allows only its own style and script, identified by their hashes: a
browser neither runs nor loads anything else. Data for scripts is JSON that cannot end its element.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from html import escape
from importlib.resources import files
from typing import Any

from webgrain.page.segmentation import Segment

NAME, LONG, LINK = 300, 2000, 1000
"""Characters that are shown of a name or title, of a long text or a path in a page, and of a URL."""

# Palette of Okabe and Ito without black and yellow (unreadable on white), with two darker colours.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#882255", "#332288")
"""Colours as ``#rrggbb`` that people with any colour vision can distinguish."""

BOILERPLATE, MIXED, CONTENT = 1, 5, 0
"""Numbers in the palette of the colours of boilerplate, of mixed segments, and of content."""

_VOID = frozenset(("img", "input", "br", "meta", "link"))
# In HTML these characters could end the element or begin a comment; in a script, end a line.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}
_HEAD = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="{policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>{title}</title><link rel="icon" href="data:,"><style>{style}</style></head>
"""


class Html(str):
    """Markup; `element` escapes any other text."""

    __slots__ = ()


def element(name: str, *content: str | None, **attributes: object) -> Html:
    """Return an element; None among the content and the attributes is left out.

    An underscore in the name of an attribute stands for a hyphen, one at its end is dropped.

    >>> element("p", "a < b ", element("b", "c"), class_="x", data_segment=1, title=None)
    '<p class="x" data-segment="1">a &lt; b <b>c</b></p>'
    """
    named = ((key.rstrip("_").replace("_", "-"), value) for key, value in attributes.items())
    start = "".join(f' {key}="{escape(str(value))}"' for key, value in named if value is not None)
    inner = "".join(part if isinstance(part, Html) else escape(part) for part in content if part is not None)
    return Html(f"<{name}{start}>" if name in _VOID else f"<{name}{start}>{inner}</{name}>")


def head(title: str, style: str, script: str = "") -> Html:
    """Return the beginning of a document; it may show pictures that are data URLs."""
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hash(style)}"]
    allowed += [f"script-src {_hash(script)}"] if script else []
    policy = "; ".join([*allowed, "img-src data:"])
    return Html(_HEAD.format(policy=policy, title=escape(title), style=style))


def foot(script: str = "") -> Html:
    """Return the end of a document."""
    return Html(f"<script>{script}</script></body></html>\n" if script else "</body></html>\n")


def document(title: str, *content: str) -> Html:
    """Return a document without a script: a heading and what follows it."""
    body = element("body", element("h1", title), *content, class_="document")
    return Html(f"{head(title, asset('report.css'))}{body}</html>\n")


def asset(*names: str) -> str:
    """Return the text of files of this package, joined.

    >>> "--paper" in asset("report.css")
    True
    """
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def _hash(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def as_json(value: Any) -> str:
    r"""Return JSON that stays data inside a ``script`` element.

    >>> as_json({"title": "</script><!-- \u2028"})
    '{"title":"\\u003c/script\\u003e\\u003c!-- \\u2028"}'
    """
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)
    return text.translate(_ESCAPES)


def shortened(text: str, most: int = NAME) -> str:
    """Return a text of at most ``most`` characters, with an ellipsis where it is cut.

    >>> shortened("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def rounded(value: float | None, places: int = 3) -> float | None:
    """Return a rounded number; None for numbers that JSON does not have.

    >>> rounded(0.12345), rounded(float("nan"))
    (0.123, None)
    """
    return None if value is None or not math.isfinite(value) else round(float(value), places)


def link(url: str | None) -> str | None:
    """Return a URL; None for one that is too long, since a shortened URL leads elsewhere.

    >>> link("http://example.org/"), link("http://" + 2000 * "a")
    ('http://example.org/', None)
    """
    return None if url is None or len(url) > LINK else url


def tone(segment: Segment) -> int:
    """Return the number of a segment's colour in the palette."""
    return tone_of(segment.id, segment.importance)


def tone_of(number: int, importance: float | None) -> int:
    """Return the number in the palette for a segment: by its importance, or else by its own number.

    >>> tone_of(9, None), tone_of(9, 0.9) == CONTENT
    (1, True)
    """
    if importance is None:
        return number % len(PALETTE)
    return BOILERPLATE if importance < 0.25 else CONTENT if importance > 0.75 else MIXED


def color(segment: int) -> str:
    """Return the colour of a segment; consecutive numbers have different colours.

    >>> color(0), color(8) == color(0), color(1) == color(0)
    ('#0072b2', True, False)
    """
    return PALETTE[segment % len(PALETTE)]


def rgb(segment: int) -> tuple[int, int, int]:
    """Return the colour of a segment as red, green and blue from 0 to 255.

    >>> rgb(0)
    (0, 114, 178)
    """
    red, green, blue = bytes.fromhex(color(segment)[1:])
    return red, green, blue
