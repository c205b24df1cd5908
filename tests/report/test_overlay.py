from __future__ import annotations

import io
from dataclasses import replace

import pytest
from PIL import Image

from webgrain.base.errors import ParameterError
from webgrain.page.page import Page
from webgrain.page.segmentation import Segment, Segmentation
from webgrain.report.html import PALETTE, rgb
from webgrain.report.pictures import boxes, overlay

Shown = tuple[Page, Segmentation, list[Segment]]


def pixels(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def boxes_of(shown: Shown) -> list[tuple[float, float, float, float]]:
    """The box of each segment, which has only one."""
    page, _, segments = shown
    return [box for (box,) in boxes(page, segments)]


def test_boxes_have_the_colours_of_their_segments(two_blocks: Shown) -> None:
    page, _, segments = two_blocks
    image = pixels(overlay(page, segments))
    for segment, (x, y, w, h) in zip(segments, boxes_of(two_blocks), strict=True):
        edge = image.getpixel((round(x + w / 2), round(y + h)))
        inside = image.getpixel((round(x + w - 5), round(y + h / 2)))
        assert all(abs(a - b) < 40 for a, b in zip(edge, rgb(segment.id), strict=True))
        assert edge != inside != (255, 255, 255)


def test_what_is_outside_all_boxes_stays_as_it_was(two_blocks: Shown) -> None:
    page, _, segments = two_blocks
    image = pixels(overlay(page, segments))
    assert image.getpixel((image.width - 1, image.height - 1)) == (255, 255, 255)
    assert image.size == pixels(page.screenshot or b"").size


def test_the_order_of_the_segments_does_not_matter(nested: Shown) -> None:
    page, _, (outer, inner) = nested
    image, other = (pixels(overlay(page, order)) for order in ([outer, inner], [inner, outer]))
    x, y, w, h = boxes(page, [inner])[0][0]
    middle = (round(x + w / 2), round(y + h / 2))
    assert image.getpixel(middle) == other.getpixel(middle)


def test_a_picture_may_be_shorter_than_the_page(two_blocks: Shown) -> None:
    page, _, segments = two_blocks
    short = io.BytesIO()
    pixels(page.screenshot or b"").crop((0, 0, 100, 30)).save(short, "PNG")
    image = pixels(overlay(replace(page, screenshot=short.getvalue()), segments))
    assert image.size == (100, 30)
    x, y, w, h = boxes_of(two_blocks)[0]
    assert image.getpixel((round(x + w / 2), round(y + h / 2))) != (255, 255, 255)


def test_a_page_without_a_screenshot_is_refused(two_blocks: Shown) -> None:
    page, _, segments = two_blocks
    with pytest.raises(ParameterError, match="screenshot"):
        overlay(replace(page, screenshot=None), segments)


def test_the_palette_has_no_colour_twice() -> None:
    assert len(set(PALETTE)) == len(PALETTE)
