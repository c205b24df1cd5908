"""What the HTML files of webgrain share: one look, and a policy that lets a browser use their own parts only.

Pages are hostile. Should something of theirs ever get into such a file as markup, the policy still lets it
neither run nor load: script and style are known by their hashes, and nothing else is allowed.

JSON that no page can break out of, no larger than a browser likes.

Colours that people with any colour vision tell apart, on light and on dark pages.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
from importlib.resources import files
from typing import Any

from webgrain.results import Segment


def asset(*names: str) -> str:
    """Return files that come with this package, one after the other.

    >>> "--paper" in asset("common.css")
    True
    """
    return "\n".join(files(__package__).joinpath(name).read_text(encoding="utf-8") for name in names)


def policy(style: str, script: str = "", images: bool = False) -> str:
    """Return a Content-Security-Policy for a file with one style, one script and pictures as data URLs.

    >>> policy("p {}").split("; ")[:3]
    ["default-src 'none'", "base-uri 'none'", "form-action 'none'"]
    """
    allowed = ["default-src 'none'", "base-uri 'none'", "form-action 'none'", f"style-src {_hash(style)}"]
    allowed += [f"script-src {_hash(script)}"] if script else []
    allowed += ["img-src data:"] if images else []
    return "; ".join(allowed)


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"


NAME, LONG, LINK = 300, 2000, 1000
"""Characters of a name or title, of a text or an address within a page, and of a link."""

# Where JSON stands in HTML these could end the element or begin a comment; in a script, end a line.
_ESCAPES = {ord(c): f"\\u{ord(c):04x}" for c in "<>&\u2028\u2029"}


def as_json(value: Any) -> str:
    r"""Return JSON that stays data inside of a ``script`` element of HTML, whatever it says.

    >>> as_json({"title": "</script><!-- \u2028"})
    '{"title":"\\u003c/script\\u003e\\u003c!-- \\u2028"}'
    """
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False).translate(_ESCAPES)


def cut(text: str, most: int = NAME) -> str:
    """Return a text of at most so many characters; where it is cut, it says so.

    >>> cut("abcdef", 4)
    'abc…'
    """
    return text if len(text) <= most else text[: most - 1] + "…"


def number(value: float | None, places: int = 3) -> float | None:
    """Return a rounded number; what JSON cannot say is not known.

    >>> number(0.12345), number(float("nan"))
    (0.123, None)
    """
    return None if value is None or not math.isfinite(value) else round(float(value), places)


def link(url: str | None) -> str | None:
    """Return an address; one that is too long would lead elsewhere if it were cut.

    >>> link("http://example.org/"), link("http://" + 2000 * "a")
    ('http://example.org/', None)
    """
    return None if url is None or len(url) > LINK else url


# The palette of Okabe and Ito without black and yellow (unreadable on white), and two darker tones.
PALETTE = ("#0072b2", "#d55e00", "#009e73", "#cc79a7", "#56b4e9", "#e69f00", "#882255", "#332288")
"""Colours as ``#rrggbb``."""


NOISE, BETWEEN, CONTENT = 1, 5, 0
"""Places in the palette of what is noise, partly noise, and content."""


def tone(segment: Segment) -> int:
    """Return the place of a segment's colour in the palette: by its importance if that is known."""
    return tone_of(segment.id, segment.importance)


def tone_of(number: int, importance: float | None) -> int:
    """Return the place in the palette of the segment with a number and an importance.

    >>> tone_of(9, None), tone_of(9, 0.9) == CONTENT
    (1, True)
    """
    if importance is None:
        return number % len(PALETTE)
    return NOISE if importance < 0.25 else CONTENT if importance > 0.75 else BETWEEN


def color(segment: int) -> str:
    """Return the colour of a segment; neighbours in number never share one.

    >>> color(0), color(8) == color(0), color(1) == color(0)
    ('#0072b2', True, False)
    """
    return PALETTE[segment % len(PALETTE)]


def rgb(segment: int) -> tuple[int, int, int]:
    """Return the colour of a segment as red, green, blue in 0-255.

    >>> rgb(0)
    (0, 114, 178)
    """
    value = int(color(segment)[1:], 16)
    return value >> 16, value >> 8 & 255, value & 255
