"""Computed values: what a browser prints, read as numbers."""

from __future__ import annotations

import pytest

from webgrain.rendering.boxes import is_empty_inset, is_empty_rect, parse_color, parse_pixels


@pytest.mark.parametrize(
    ("text", "color"),
    [
        ("rgb(1, 2, 3)", (1, 2, 3, 255)),
        ("rgba(0, 0, 0, 0)", (0, 0, 0, 0)),
        ("rgb(255 0 0 / 50%)", (255, 0, 0, 128)),
        ("color(srgb 1 0.5 0)", (255, 128, 0, 255)),
        ("color(srgb-linear 1 0.2140 0 / 0.2)", (255, 127, 0, 51)),
        ("color(display-p3 0 1 0)", (0, 255, 0, 255)),
        ("oklab(1 0 0)", (255, 255, 255, 255)),
        ("oklch(0 0 none)", (0, 0, 0, 255)),
        ("lab(100 0 0)", (255, 255, 255, 255)),
        ("rgb(1, 2)", (0, 0, 0, 0)),
        ("rgb(inf, nan, 1)", (0, 0, 0, 0)),
        ("rgb(1e999, 2, 3)", (0, 0, 0, 0)),
        ("color()", (0, 0, 0, 0)),
        ("currentcolor", (0, 0, 0, 0)),
        ("", (0, 0, 0, 0)),
    ],
)
def test_colors(text: str, color: tuple[int, ...]) -> None:
    assert parse_color(text) == color


def test_other_values() -> None:
    assert parse_pixels("1e400px") == 0
    assert is_empty_rect("rect(1px, 1px, 1px, 1px)")
    assert not is_empty_rect("rect(auto, auto, auto, auto)")
    assert not is_empty_rect("rect(1px)")
    assert is_empty_inset("inset(100%)")
    assert not is_empty_inset("inset(10px)")
    assert not is_empty_inset("circle(50%)")
