"""JSON that no page can break out of, no larger than a browser likes."""

from __future__ import annotations

import json
import math
from typing import Any

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
