"""Draw the segments of a page over its screenshot."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.report.boxes import boxes
from webgrain.report.colors import rgb

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.page.page import Page
    from webgrain.records import Box, Segment

FILL, EDGE = 56, 230
"""Opacity, 0-255, of the inside and of the border of a box."""


def overlay(page: Page, segments: Sequence[Segment]) -> bytes:
    """Return the screenshot of a page as a PNG, its segments as numbered boxes in colours.

    All boxes of one segment have its colour and number. Raises `ParameterError` for a page without a
    screenshot, `MissingExtraError` without Pillow.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> overlay(parse(Source("a", b"<p>One")), [])
    Traceback (most recent call last):
    webgrain.errors.ParameterError: An overlay needs a page with a layout and a screenshot, 'a' has none.
    """
    image, scale = open_screenshot(page)
    layer = _layer(image.size, page, segments, scale)
    image.alpha_composite(layer)
    out = io.BytesIO()
    image.convert("RGB").save(out, "PNG", compress_level=6)
    return out.getvalue()


def open_screenshot(page: Page) -> tuple[Any, float]:
    """Return the screenshot as an RGBA Pillow image, and its pixels per CSS px."""
    if page.screenshot is None or page.view is None:
        raise ParameterError(f"An overlay needs a page with a layout and a screenshot, {page.id!r} has none.")
    pillow = require("PIL.Image", "render", "Pictures")
    image = pillow.open(io.BytesIO(page.screenshot)).convert("RGBA")
    return image, image.width / max(page.view.width, 1.0)


def _layer(size: tuple[int, int], page: Page, segments: Sequence[Segment], scale: float) -> Any:
    pillow, draw = require("PIL.Image", "render", "Pictures"), require("PIL.ImageDraw", "render", "Pictures")
    layer = pillow.new("RGBA", size, (0, 0, 0, 0))
    pen = draw.Draw(layer)
    found = boxes(page, segments)
    each = [(box, segment.id) for segment, mine in zip(segments, found, strict=True) for box in mine]
    for box, segment_id in sorted(
        each, key=lambda item: -item[0][2] * item[0][3]
    ):  # inner boxes over outer ones
        pen.rectangle(
            _pixels(box, scale), fill=(*rgb(segment_id), FILL), outline=(*rgb(segment_id), EDGE), width=2
        )
    for box, segment_id in each:  # numbers last, so that no box covers them
        _number(pen, _pixels(box, scale), segment_id)
    return layer


def _pixels(box: Box, scale: float) -> tuple[float, float, float, float]:
    x, y, w, h = (value * scale for value in box)
    return x, y, x + max(w, 1), y + max(h, 1)


def _number(pen: Any, corners: tuple[float, float, float, float], segment: int) -> None:
    """Write the number beside the upper left corner, where it hides least."""
    font = require("PIL.ImageFont", "render", "Pictures").load_default(12)
    width = pen.textlength(str(segment), font=font) + 6
    x, y = max(corners[0] - width + 1, 0), corners[1]
    pen.rectangle((x, y, x + width, y + 15), fill=(*rgb(segment), 255))
    pen.text((x + 3, y + 1), str(segment), font=font, fill=(255, 255, 255, 255))
