"""Draw the segments of a page over its screenshot."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any

from webgrain._extras import require
from webgrain.errors import ParameterError
from webgrain.report.boxes import boxes
from webgrain.report.colors import rgb, tone

if TYPE_CHECKING:
    from collections.abc import Sequence

    from webgrain.page.page import Page
    from webgrain.records import Box, Segment

FILL, EDGE = 56, 230
"""Opacity, 0-255, of the inside and of the border of a box."""


def overlay(page: Page, segments: Sequence[Segment]) -> bytes:
    """Return the screenshot of a page as a PNG, its segments as boxes in colours, with number and role.

    All boxes of one segment have its colour and caption. Raises `ParameterError` for a page without a
    screenshot, `MissingExtraError` without Pillow.

    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> overlay(parse(Source("a", b"<p>One")), [])
    Traceback (most recent call last):
    webgrain.errors.ParameterError: An overlay needs a page with a layout and a screenshot, 'a' has none.
    """
    image = open_screenshot(page).convert("RGBA")
    image.alpha_composite(_layer(image.size, page, segments))
    out = io.BytesIO()
    image.convert("RGB").save(out, "PNG")
    return out.getvalue()


def open_screenshot(page: Page) -> Any:
    """Return the screenshot as a Pillow image; it begins at the corner of the page, one pixel per CSS px."""
    if page.screenshot is None or page.view is None:
        raise ParameterError(f"An overlay needs a page with a layout and a screenshot, {page.id!r} has none.")
    return require("PIL.Image", "render", "Pictures").open(io.BytesIO(page.screenshot))


def _layer(size: tuple[int, int], page: Page, segments: Sequence[Segment]) -> Any:
    """Return the boxes and captions on a transparent image."""
    layer = require("PIL.Image", "render", "Pictures").new("RGBA", size, (0, 0, 0, 0))
    pen = require("PIL.ImageDraw", "render", "Pictures").Draw(layer)
    found = zip(segments, boxes(page, segments), strict=True)
    each = [(_corners(box), rgb(tone(segment)), segment.caption) for segment, mine in found for box in mine]
    for corners, color, _ in sorted(each, key=lambda one: -_area(one[0])):  # inner boxes over outer ones
        pen.rectangle(corners, fill=(*color, FILL), outline=(*color, EDGE), width=2)
    for corners, color, caption in each:  # captions last, so that no box covers them
        _caption(pen, corners[:2], color, caption)
    return layer


def _caption(pen: Any, corner: tuple[float, float], color: tuple[int, int, int], caption: str) -> None:
    """Write a caption beside the upper left corner of its box, where it hides least."""
    font = require("PIL.ImageFont", "render", "Pictures").load_default(12)
    width = pen.textlength(caption, font=font) + 6
    x, y = max(corner[0] - width + 1, 0), corner[1]
    pen.rectangle((x, y, x + width, y + 15), fill=(*color, 255))
    pen.text((x + 3, y + 1), caption, font=font, fill=(255, 255, 255, 255))


def _corners(box: Box) -> tuple[float, float, float, float]:
    x, y, width, height = box
    return x, y, x + max(width, 1), y + max(height, 1)


def _area(corners: tuple[float, float, float, float]) -> float:
    left, top, right, bottom = corners
    return (right - left) * (bottom - top)
