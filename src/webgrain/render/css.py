"""Declarations of CSS as numbers: the few properties that the estimate of a layout looks at.

A declaration is a column of the style table (`webgrain.kernels.cascade`), a unit and a value. Everything that
is not understood is left out, as a browser does.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from functools import lru_cache

from webgrain.kernels import cascade as k
from webgrain.page.view import DISPLAY, POSITION
from webgrain.render.colors import parse_color

MAX_STYLE = 4096
"""Characters read of one block of declarations."""


Declaration = tuple[int, int, float | str, bool]
"""A column, a unit, a value (of ``FONT``: the name of the family), and whether it is ``!important``."""
Parsed = Iterator[tuple[int, int, float | str]]

AUTO = math.nan
_LENGTH = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?)([a-z%]*)\Z")
# How many of which unit; the absolute ones are px at 96 to the inch.
_UNITS = {
    "px": (k.PLAIN, 1), "pt": (k.PLAIN, 4 / 3), "pc": (k.PLAIN, 16), "in": (k.PLAIN, 96),
    "cm": (k.PLAIN, 96 / 2.54), "mm": (k.PLAIN, 9.6 / 2.54), "em": (k.EM, 1), "ex": (k.EM, 0.5),
    "ch": (k.EM, 0.5), "rem": (k.REM, 1), "vw": (k.VIEW_WIDTH, 1), "vh": (k.VIEW_HEIGHT, 1),
}  # fmt: skip
_FONT_SIZES = {
    "xx-small": 9, "x-small": 10, "small": 13, "medium": 16, "large": 18, "x-large": 24, "xx-large": 32,
}  # fmt: skip
_KEYWORDS: dict[str, tuple[int, dict[str, float]]] = {
    "display": (k.DISPLAY, {name: number for number, name in enumerate(DISPLAY) if name != "other"}),
    "position": (k.POSITION, {name: number for number, name in enumerate(POSITION)}),
    "float": (k.FLOAT, {"none": 0, "left": 1, "right": 2, "inline-start": 1, "inline-end": 2}),
    "clear": (k.CLEAR, {"none": 0, "left": 1, "right": 2, "both": 3}),
    "visibility": (k.VISIBILITY, {"visible": 0, "hidden": 1, "collapse": 1}),
    "white-space": (
        k.WHITE_SPACE,
        {"normal": 0, "pre-line": 0, "nowrap": 1, "pre": 2, "pre-wrap": 0, "break-spaces": 0},
    ),
    "text-align": (
        k.TEXT_ALIGN,
        {"left": 0, "start": 0, "justify": 0, "center": 1, "-webkit-center": 1, "right": 2, "end": 2},
    ),
    "font-style": (k.ITALIC, {"normal": 0, "italic": 1, "oblique": 1}),
    "overflow": (k.OVERFLOW, {"visible": 0, "hidden": 1, "clip": 1, "auto": 2, "scroll": 2}),
    "flex-direction": (k.FLEX, {"row": 0, "row-reverse": 0, "column": 1, "column-reverse": 1}),
    "flex-wrap": (k.WRAP, {"nowrap": 0, "wrap": 1, "wrap-reverse": 1}),
    "box-sizing": (k.BORDER_BOX, {"content-box": 0, "border-box": 1}),
    "vertical-align": (k.VERTICAL, {"top": 0, "baseline": 0, "middle": 1, "bottom": 2}),
    "border-collapse": (k.SPACING, {"collapse": 0, "separate": 2}),
}
_LENGTHS = {
    "left": k.LEFT, "right": k.RIGHT, "top": k.TOP, "min-height": k.MIN_HEIGHT, "text-indent": k.TEXT_INDENT,
    "margin-top": k.MARGIN_TOP, "margin-right": k.MARGIN_RIGHT, "margin-bottom": k.MARGIN_BOTTOM,
    "margin-left": k.MARGIN_LEFT, "padding-top": k.PADDING_TOP, "padding-right": k.PADDING_RIGHT,
    "padding-bottom": k.PADDING_BOTTOM, "padding-left": k.PADDING_LEFT, "height": k.HEIGHT,
    "border-spacing": k.SPACING,
}  # fmt: skip
_CLOCKWISE = ((), (0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
_GENERIC = frozenset(("serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui"))


@lru_cache(4096)
def declarations(text: str) -> tuple[Declaration, ...]:
    """Read a block of declarations, such as a ``style`` attribute, in its order.

    text: only the first `MAX_STYLE` characters count. Source: CSS 2.2.

    >>> declarations("margin-left: 2em; nonsense; float: left !important")
    ((36, 1, 2.0, False), (13, 0, 1, True))
    """
    found: list[Declaration] = []
    for part in text[:MAX_STYLE].split(";"):
        name, _, value = part.partition(":")
        name = name.strip().lower()
        reader = _READERS.get(name)
        if reader is None:
            continue
        value, mark, word = value.partition("!")
        if mark and word.strip().lower() != "important":
            continue
        if not name.startswith("font"):  # families keep their letters
            value = value.lower()
        important = bool(mark)
        for column, unit, number in reader(value.strip()):
            found.append((column, unit, number, important))
    return tuple(found)


def split_important(
    block: tuple[Declaration, ...],
) -> tuple[tuple[Declaration, ...], tuple[Declaration, ...]]:
    """Split declarations in those that are not ``!important`` and those that are.

    >>> [len(part) for part in split_important(declarations("float: left; color: red !important"))]
    [1, 1]
    """
    if not any(d[3] for d in block):
        return block, ()
    return tuple(d for d in block if not d[3]), tuple(d for d in block if d[3])


def parse_length(text: str) -> tuple[int, float] | None:
    """Read a length as a unit and a number; a bare number counts as px; a percentage is none.

    >>> parse_length("12pt"), parse_length("2em"), parse_length("50%")
    ((0, 16.0), (1, 2.0), None)
    """
    match = _LENGTH.match(text)
    if match is None:
        return None
    unit, factor = _UNITS.get(match[2] or "px", (None, 0.0))
    return None if unit is None else (unit, min(max(float(match[1]) * factor, -1e6), 1e6))


def _percentage(text: str) -> float | None:
    match = _LENGTH.match(text)
    return min(max(float(match[1]), -1e4), 1e4) / 100 if match and match[2] == "%" else None


def _keyword(column: int, keywords: dict[str, float]) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if value.lower() == "inherit":
            yield column, k.INHERIT, 0
        elif (number := keywords.get(value.split(" ", 1)[0].lower())) is not None:
            yield column, k.PLAIN, number

    return read


def _length(column: int) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if value == "auto":
            yield column, k.PLAIN, AUTO
        elif (length := parse_length(value.split(" ", 1)[0])) is not None:
            yield column, *length

    return read


def _color(column: int) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if value == "inherit":
            yield column, k.INHERIT, 0
        elif (color := parse_color(value)) is not None:
            yield column, k.PLAIN, color

    return read


def _sides(columns: tuple[int, int, int, int]) -> Callable[[str], Parsed]:
    """``margin`` and ``padding``: one to four lengths, clockwise from the top."""
    readers = [_length(column) for column in columns]

    def read(value: str) -> Parsed:
        parts = value.split()[:4]
        for reader, place in zip(readers, _CLOCKWISE[len(parts)], strict=False):
            yield from reader(parts[place])

    return read


def _width(value: str) -> Parsed:
    share = _percentage(value)
    length = (k.PLAIN, AUTO) if value == "auto" or share is not None else parse_length(value)
    if length is not None:
        yield k.WIDTH, *length
        yield k.WIDTH_SHARE, k.PLAIN, AUTO if share is None else share


def _max_width(value: str) -> Parsed:
    length = (k.PLAIN, AUTO) if value == "none" else parse_length(value)
    if length is not None:
        yield k.MAX_WIDTH, *length


def _font_size(value: str) -> Parsed:
    value = value.lower()
    if (share := _percentage(value)) is not None:
        yield k.FONT_SIZE, k.EM, max(share, 0)
    elif value in ("smaller", "larger"):
        yield k.FONT_SIZE, k.EM, 5 / 6 if value == "smaller" else 1.2
    elif value in _FONT_SIZES:
        yield k.FONT_SIZE, k.PLAIN, _FONT_SIZES[value]
    elif value == "inherit":
        yield k.FONT_SIZE, k.INHERIT, 0
    elif (length := parse_length(value)) is not None and length[1] >= 0:
        yield k.FONT_SIZE, *length


def _font_weight(value: str) -> Parsed:
    weight = {"normal": 400, "bold": 700, "bolder": 700, "lighter": 300}.get(value.lower())
    if weight is None and value.isascii() and value.isdigit() and 1 <= int(value[:5]) <= 1000:
        weight = int(value)
    if weight is not None:
        yield k.FONT_WEIGHT, k.PLAIN, weight


def _font_family(value: str) -> Parsed:
    name = value.split(",", 1)[0].strip(" \"'")
    if name.lower() == "inherit":
        yield k.FONT, k.INHERIT, 0
    elif name:
        yield k.FONT, k.PLAIN, name.lower() if name.lower() in _GENERIC else name


def _line_height(value: str) -> Parsed:
    if value == "normal":
        yield k.LINE_HEIGHT, k.PLAIN, AUTO
    elif (share := _percentage(value)) is not None:
        yield k.LINE_HEIGHT, k.PLAIN, abs(share)
    elif (length := parse_length(value)) is not None and length[1] >= 0:
        bare = not value[-1].isalpha()
        yield k.LINE_HEIGHT, k.PX if length[0] == k.PLAIN and not bare else length[0], length[1]


def _font(value: str) -> Parsed:
    """Read the shorthand: style and weight, then ``size/line-height``, then the families."""
    words = value.split()
    for place, word in enumerate(map(str.lower, words[:6])):
        size, _, height = word.partition("/")
        if word in ("italic", "oblique"):
            yield k.ITALIC, k.PLAIN, 1
        elif word == "bold" or (word.isdigit() and len(word) == 3):
            yield from _font_weight(word)
        elif sized := list(_font_size(size)):
            yield from sized
            if height:
                yield from _line_height(height)
            yield from _font_family(" ".join(words[place + 1 :]))
            return


def _background(value: str) -> Parsed:
    """Read the shorthand: the first word that is a colour, and whether there is an image."""
    image = "url(" in value or "gradient(" in value
    color = next((c for c in map(parse_color, _words(value)) if c is not None), 0)
    yield k.BACKGROUND, k.PLAIN, color
    yield k.IMAGE, k.PLAIN, image


def _words(value: str) -> list[str]:
    return re.findall(r"[^\s(]+\([^)]*\)?|[^\s(]+", value)[:12]


def _background_image(value: str) -> Parsed:
    yield k.IMAGE, k.PLAIN, "url(" in value or "gradient(" in value


def _opacity(value: str) -> Parsed:
    share = _percentage(value)
    length = parse_length(value) if share is None else (k.PLAIN, share)
    if length is not None:
        yield k.OPACITY, k.PLAIN, length[1]


def _clip(value: str) -> Parsed:
    """Tell ``clip: rect(0 0 0 0)`` and the like, by which texts are for screen readers only."""
    numbers = [float(number) for number in re.findall(r"[0-9]+", value)[:4]]
    tiny = value.startswith("rect(") and bool(numbers) and max(numbers) <= 1
    yield k.CLIP, k.PLAIN, tiny or value.startswith(("inset(50%", "inset(100%"))


def _flex(value: str) -> Parsed:
    first = value.split(" ", 1)[0]
    length = parse_length({"auto": "1", "initial": "0", "none": "0"}.get(first, first))
    if length is not None:
        yield k.GROW, k.PLAIN, length[1]


def _grid_columns(value: str) -> Parsed:
    if match := re.match(r"repeat\(\s*([0-9]{1,3})\s*,", value):
        yield k.COLUMNS, k.PLAIN, int(match[1])
    elif "(" not in value:
        yield k.COLUMNS, k.PLAIN, 0 if value == "none" else min(len(value.split()), 100)


def _span(value: str) -> Parsed:
    if value.isascii() and value.isdigit():
        yield k.SPAN, k.PLAIN, min(max(int(value[:5]), 1), 1000)


_READERS: dict[str, Callable[[str], Parsed]] = {
    **{name: _keyword(column, words) for name, (column, words) in _KEYWORDS.items()},
    **{name: _length(column) for name, column in _LENGTHS.items()},
    "color": _color(k.COLOR), "background-color": _color(k.BACKGROUND), "background": _background,
    "background-image": _background_image, "width": _width, "max-width": _max_width, "font-size": _font_size,
    "font-weight": _font_weight, "font-family": _font_family, "line-height": _line_height, "font": _font,
    "margin": _sides((k.MARGIN_TOP, k.MARGIN_RIGHT, k.MARGIN_BOTTOM, k.MARGIN_LEFT)),
    "padding": _sides((k.PADDING_TOP, k.PADDING_RIGHT, k.PADDING_BOTTOM, k.PADDING_LEFT)),
    "opacity": _opacity, "clip": _clip, "clip-path": _clip, "flex": _flex, "flex-grow": _flex,
    "grid-template-columns": _grid_columns, "-webgrain-span": _span,
}  # fmt: skip
