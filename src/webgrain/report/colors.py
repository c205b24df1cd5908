"""Colours that people with any colour vision tell apart, on light and on dark pages."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from webgrain.records import Segment

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
