"""CSS for the layout estimate: colours, declarations, style sheets, and the styles of tags and attributes.

A declaration is a column of the style table (`webgrain.rendering.kernels.cascade`), a unit and a value; only
the properties that the estimate uses are read, and everything else is ignored, as in a browser.

Selectors are those of `webgrain.page.kernels.cssselectors`. The rules of ``@media`` count if it asks for a
desktop screen of the width of the viewport without preferences, those of ``@supports`` and ``@layer`` always;
``@import`` and other at-rules are ignored.

Sources: CSS 2.2, CSS Color 4 (without colour spaces beyond sRGB), Media Queries 4; for the
browser's own sheet and the presentational attributes, the rendering section of the HTML standard and the
sizes of Chromium's controls.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterator
from colorsys import hls_to_rgb
from dataclasses import dataclass
from functools import cache, lru_cache, partial

import numpy as np

from webgrain.arrays import Float64, Int8, Int32, Int64
from webgrain.page.addresses import Chain
from webgrain.page.kernels.cssselectors import find_rules, read_selectors
from webgrain.page.page import DISPLAY, POSITION
from webgrain.rendering.kernels import cascade as k
from webgrain.rendering.thresholds import MAX_CHARS, MAX_COMPOUNDS, MAX_SELECTORS, MAX_STYLE

_NAMES = """
aliceblue=f0f8ff antiquewhite=faebd7 aqua=00ffff aquamarine=7fffd4 azure=f0ffff beige=f5f5dc
bisque=ffe4c4 black=000000 blanchedalmond=ffebcd blue=0000ff blueviolet=8a2be2 brown=a52a2a
burlywood=deb887 cadetblue=5f9ea0 chartreuse=7fff00 chocolate=d2691e coral=ff7f50
cornflowerblue=6495ed cornsilk=fff8dc crimson=dc143c cyan=00ffff darkblue=00008b darkcyan=008b8b
darkgoldenrod=b8860b darkgray=a9a9a9 darkgreen=006400 darkgrey=a9a9a9 darkkhaki=bdb76b
darkmagenta=8b008b darkolivegreen=556b2f darkorange=ff8c00 darkorchid=9932cc darkred=8b0000
darksalmon=e9967a darkseagreen=8fbc8f darkslateblue=483d8b darkslategray=2f4f4f darkslategrey=2f4f4f
darkturquoise=00ced1 darkviolet=9400d3 deeppink=ff1493 deepskyblue=00bfff dimgray=696969
dimgrey=696969 dodgerblue=1e90ff firebrick=b22222 floralwhite=fffaf0 forestgreen=228b22
fuchsia=ff00ff gainsboro=dcdcdc ghostwhite=f8f8ff gold=ffd700 goldenrod=daa520 gray=808080
green=008000 greenyellow=adff2f grey=808080 honeydew=f0fff0 hotpink=ff69b4 indianred=cd5c5c
indigo=4b0082 ivory=fffff0 khaki=f0e68c lavender=e6e6fa lavenderblush=fff0f5 lawngreen=7cfc00
lemonchiffon=fffacd lightblue=add8e6 lightcoral=f08080 lightcyan=e0ffff lightgoldenrodyellow=fafad2
lightgray=d3d3d3 lightgreen=90ee90 lightgrey=d3d3d3 lightpink=ffb6c1 lightsalmon=ffa07a
lightseagreen=20b2aa lightskyblue=87cefa lightslategray=778899 lightslategrey=778899
lightsteelblue=b0c4de lightyellow=ffffe0 lime=00ff00 limegreen=32cd32 linen=faf0e6 magenta=ff00ff
maroon=800000 mediumaquamarine=66cdaa mediumblue=0000cd mediumorchid=ba55d3 mediumpurple=9370db
mediumseagreen=3cb371 mediumslateblue=7b68ee mediumspringgreen=00fa9a mediumturquoise=48d1cc
mediumvioletred=c71585 midnightblue=191970 mintcream=f5fffa mistyrose=ffe4e1 moccasin=ffe4b5
navajowhite=ffdead navy=000080 oldlace=fdf5e6 olive=808000 olivedrab=6b8e23 orange=ffa500
orangered=ff4500 orchid=da70d6 palegoldenrod=eee8aa palegreen=98fb98 paleturquoise=afeeee
palevioletred=db7093 papayawhip=ffefd5 peachpuff=ffdab9 peru=cd853f pink=ffc0cb plum=dda0dd
powderblue=b0e0e6 purple=800080 rebeccapurple=663399 red=ff0000 rosybrown=bc8f8f royalblue=4169e1
saddlebrown=8b4513 salmon=fa8072 sandybrown=f4a460 seagreen=2e8b57 seashell=fff5ee sienna=a0522d
silver=c0c0c0 skyblue=87ceeb slateblue=6a5acd slategray=708090 slategrey=708090 snow=fffafa
springgreen=00ff7f steelblue=4682b4 tan=d2b48c teal=008080 thistle=d8bfd8 tomato=ff6347
turquoise=40e0d0 violet=ee82ee wheat=f5deb3 white=ffffff whitesmoke=f5f5f5 yellow=ffff00
yellowgreen=9acd32
"""
_HEX = dict(entry.split("=") for entry in _NAMES.split())
_NUMBER = re.compile(r"([-+]?[0-9]*\.?[0-9]+)(%?)")


@lru_cache(1024)
def parse_color(text: str) -> int | None:
    """Read a colour as a 32-bit number, red in the lowest byte, then green, blue and alpha; None if invalid.

    >>> hex(parse_color("#123")), hex(parse_color("rgba(255, 0, 0, 100%)")), parse_color("no")
    ('0xff332211', '0xff0000ff', None)
    """
    text = text.strip().lower()
    if text == "transparent":
        return 0
    if (digits := _HEX.get(text)) is not None:
        return _from_hex(digits)
    if text.startswith("#"):
        return _from_hex(text[1:])
    kind, bracket, rest = text.partition("(")
    if bracket and kind in ("rgb", "rgba", "hsl", "hsla"):
        return _from_function(kind, rest)
    return None


def legacy_color(text: str) -> int | None:
    """Read the colour of an attribute such as ``bgcolor``, which may lack the ``#``.

    >>> hex(legacy_color("ff0000"))
    '0xff0000ff'
    """
    color = parse_color(text)
    return parse_color("#" + text.strip()) if color is None else color


def _from_hex(digits: str) -> int | None:
    if len(digits) in (3, 4):
        digits = "".join(2 * digit for digit in digits)
    if len(digits) not in (6, 8) or not set(digits) <= set("0123456789abcdef"):
        return None
    red, green, blue, *alpha = bytes.fromhex(digits)
    return _pack(red, green, blue, alpha[0] if alpha else 255)


def _from_function(kind: str, arguments: str) -> int | None:
    found = _NUMBER.findall(arguments)[:4]
    if len(found) < 3:
        return None
    numbers = [float(number) for number, _ in found]
    alpha = 255.0
    if len(found) == 4:
        alpha = numbers[3] * (2.55 if found[3][1] else 255)
    if kind.startswith("hsl"):
        red, green, blue = hls_to_rgb(numbers[0] / 360 % 1, _unit(numbers[2]), _unit(numbers[1]))
        return _pack(255 * red, 255 * green, 255 * blue, alpha)
    parts = zip(numbers[:3], found[:3], strict=True)
    return _pack(*(number * (2.55 if percent else 1) for number, (_, percent) in parts), alpha)


def _unit(percentage: float) -> float:
    return min(max(percentage / 100, 0), 1)


def _pack(*channels: float) -> int:
    color = 0
    for place, channel in enumerate(channels):
        color |= round(min(max(channel, 0), 255)) << 8 * place
    return color


Declaration = tuple[int, int, float | str, bool]
"""A column, a unit, a value (for ``FONT``, the name of the family), and whether it is ``!important``."""
Parsed = Iterator[tuple[int, int, float | str]]

AUTO = math.nan
_LENGTH = re.compile(r"([-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:e[-+]?[0-9]{1,3})?)([a-z%]*)\Z")
# Unit and factor; absolute units are converted to px, 96 to the inch.
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
    """Read the first `MAX_STYLE` characters of a block of declarations, such as a ``style`` attribute.

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
    """Split declarations into normal and ``!important`` ones.

    >>> [len(part) for part in split_important(declarations("float: left; color: red !important"))]
    [1, 1]
    """
    if not any(d[3] for d in block):
        return block, ()
    return tuple(d for d in block if not d[3]), tuple(d for d in block if d[3])


def parse_length(text: str) -> tuple[int, float] | None:
    """Read a length as a unit and a number, px without a unit; None for a percentage or an invalid length.

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
    """Read the shorthand: the first colour, and whether there is an image."""
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
    """Recognise ``clip: rect(0 0 0 0)`` and the like: texts for screen readers only."""
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


Arrays = tuple[Int32, Int32, Int8, Float64]

_COMMENTS = re.compile(r"<!--|-->|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
_WIDTH_QUERY = re.compile(r"(min|max)-(?:device-)?width\s*:\s*([0-9]*\.?[0-9]+)(px|r?em|)\Z")
_WIDTH_RANGE = re.compile(r"(?:([0-9.]+[a-z]*) ?([<>]=?) ?)?width(?: ?([<>]=?|=) ?([0-9.]+[a-z]*))?\Z")
_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference", "forced-colors": "none", "scripting": "none", "update": "fast",
    "display-mode": "browser", "color": "", "grid": "0",
}  # fmt: skip
"""Features of a desktop screen without scripts, and the value that they have."""


class Blocks:
    """Collects blocks of declarations, numbers the font families, and converts all to arrays.

    >>> blocks = Blocks(("Times New Roman",))
    >>> blocks.add(declarations("color: red; font-family: Arial")), blocks.fonts["Arial"]
    (0, 1)
    """

    def __init__(self, fonts: tuple[str, ...] = ()) -> None:
        self.start = [0]
        self.rows: list[tuple[int, int, float | str]] = []
        self.fonts = {name: number for number, name in enumerate(fonts)}

    def add(self, block: tuple[Declaration, ...]) -> int:
        """Append a block; return its number."""
        for column, unit, value, _ in block:
            if column == k.FONT:
                value = self.fonts.setdefault(str(value), len(self.fonts))
            self.rows.append((column, unit, value))
        self.start.append(len(self.rows))
        return len(self.start) - 2

    def arrays(self) -> Arrays:
        """Return the starts of the blocks, and the columns, units and values of all declarations."""
        columns, units, values = zip(*self.rows, strict=True) if self.rows else ((), (), ())
        return (
            np.array(self.start, np.int32), np.array(columns, np.int32), np.array(units, np.int8),
            np.array(values, np.float64),
        )  # fmt: skip


@dataclass(frozen=True, slots=True, eq=False)
class Sheet:
    """The rules of all style sheets of a page; declarations are read on demand.

    Attributes:
        text: of all sheets; body: (r, 2) int32, start and end of the declarations of each rule in it.
        rule: (s,) int32, the rule of each selector, in the order of the cascade.
        chain: first, tag, id, class_start, classes, child: see `webgrain.page.kernels.cssselectors.Matcher`.
        key, key_start, waiting, rank: see `webgrain.page.kernels.cssselectors.Matcher.match`.
    """

    text: str
    body: Int32
    rule: Int32
    chain: Chain
    key: Int64
    key_start: Int32
    waiting: Int32
    rank: Int32

    def declarations(self, rule: int) -> tuple[Declaration, ...]:
        """Return the declarations of a rule."""
        start, end = self.body[rule].tolist()
        return declarations(self.text[start:end])


@lru_cache(64)
def parse_sheet(css: str, width: int) -> Sheet:
    """Read the joined text of all style sheets of a page, for a viewport of this width in px.

    Results are cached, because the pages of a site often have the same sheets.

    >>> sheet = parse_sheet("p, ul > li { color: red } @media print { p { display: none } }", 800)
    >>> sheet.rule.tolist(), sheet.chain[0].tolist()  # selectors and where their compounds begin
    ([0, 0], [0, 1, 3])
    """
    text, spans = _find(css, width)
    rule, specificity, keys, chain = read_selectors(text, spans, MAX_SELECTORS, MAX_COMPOUNDS)
    order = np.argsort(specificity, kind="stable")
    rank = np.empty(len(order), np.int32)
    rank[order] = np.arange(len(order))
    waiting = np.lexsort((rank, keys))
    key, first = np.unique(keys[waiting], return_index=True)
    return Sheet(
        text=text,
        body=spans[:, 2:],
        rule=rule[order],
        chain=chain,
        key=key,
        key_start=np.append(first, len(keys)).astype(np.int32),
        waiting=waiting.astype(np.int32),
        rank=rank,
    )


def rules(css: str, width: int) -> list[tuple[str, str]]:
    """Return the selectors and the declarations of every rule that applies to a viewport, as text.

    >>> rules("@import 'x'; a{b:c} @media (max-width:9px) {d{e:f}} g{h:i", 800)
    [('a', 'b:c'), ('g', 'h:i')]
    """
    text, spans = _find(css, width)
    return [(text[begin:end], text[start:stop]) for begin, end, start, stop in spans.tolist()]


def _find(css: str, width: int) -> tuple[str, Int32]:
    """Return the text of a sheet without comments and ambiguous strings, and the spans of its rules."""
    text = _COMMENTS.sub(_without_comment, css[:MAX_CHARS])
    return text, find_rules(text, partial(applies, width=width))


def _without_comment(match: re.Match[str]) -> str:
    """Remove a comment, and the contents of a string with braces or semicolons."""
    if match[0][0] not in "\"'":
        return " "
    return match[0] if not set(match[0]) & set("{};") else '""'


def applies(prelude: str, width: int) -> bool:
    """Whether the rules inside an at-rule apply.

    >>> applies("@media print", 800), applies("@media screen and (600px <= width)", 800)
    (False, True)
    """
    name, _, queries = prelude.lower().replace("(", " (").partition(" ")
    if name != "@media":
        return name in ("@supports", "@layer") and not queries.strip().startswith("not")
    return any(_query(" ".join(query.split()), width) for query in queries.split(","))


def _query(query: str, width: int) -> bool:
    """Whether one query holds: parts joined by "and" or "or", the whole possibly after "not" or "only"."""
    negated = query.startswith("not ")
    query = query.removeprefix("not ").removeprefix("only ")
    joined, together = (" or ", any) if " or " in query else (" and ", all)
    return together(_holds(part.strip(" ()"), width) for part in query.split(joined)) != negated


def _holds(feature: str, width: int) -> bool:
    """Whether a screen of this width with a mouse and without preferences has a feature."""
    if match := _WIDTH_QUERY.match(feature):
        limit = float(match[2]) * (1 if match[3] == "px" else 16)
        return width >= limit if match[1] == "min" else width <= limit
    if match := _WIDTH_RANGE.match(feature):
        low, sign, other, high = match.groups()
        lower = _compared(_pixels(low), sign, width) if low else True
        return lower and (_compared(width, other, _pixels(high)) if high else True)
    name, _, value = (part.strip() for part in feature.partition(":"))
    return value in ("", _FEATURES[name]) if name in _FEATURES else name in ("", "all", "screen")


def _pixels(text: str) -> float:
    length = parse_length(text)
    return math.nan if length is None else length[1] * (1 if length[0] == k.PLAIN else 16)


def _compared(a: float, sign: str, b: float) -> bool:
    return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "=": a == b}[sign]


_SHEET = """
html, body, address, article, aside, blockquote, center, dd, details, dialog, dir, div, dl, dt, fieldset,
figcaption, figure, footer, form, frameset, h1, h2, h3, h4, h5, h6, header, hgroup, hr, legend, listing,
main, menu, nav, ol, p, plaintext, pre, search, section, summary, ul, xmp, marquee, optgroup, option {
display: block }
area, base, basefont, datalist, head, link, meta, noembed, noframes, noscript, param, rp, script, style,
template, title, source, track, frame, audio, dialog, optgroup, option { display: none }
body { margin: 8px }
p, dl, dir, menu, ol, ul, pre, listing, plaintext, xmp, blockquote, figure { margin: 1em 0 }
blockquote, figure { margin: 1em 40px } dir, menu, ol, ul { padding-left: 40px } dd { margin-left: 40px }
li { display: list-item } h1 { font-size: 2em; margin: .67em 0 } h2 { font-size: 1.5em; margin: .83em 0 }
h3 { font-size: 1.17em; margin: 1em 0 } h4 { margin: 1.33em 0 } h5 { font-size: .83em; margin: 1.67em 0 }
h6 { font-size: .67em; margin: 2.33em 0 } h1, h2, h3, h4, h5, h6, b, strong, th { font-weight: bold }
i, em, cite, var, dfn, address { font-style: italic } small, sub, sup { font-size: smaller }
big { font-size: larger }
pre, code, kbd, samp, tt, listing, plaintext, xmp { font-family: monospace; font-size: .8125em }
pre, listing, plaintext, xmp { white-space: pre } nobr { white-space: nowrap }
mark { background-color: yellow; color: black } center { text-align: center }
table { display: table; vertical-align: middle } thead { display: table-header-group }
tbody { display: table-row-group } tfoot { display: table-footer-group } tr { display: table-row }
td, th { display: table-cell; padding: 1px } th { text-align: center }
caption { display: table-caption; text-align: center } col { display: table-column }
colgroup { display: table-column-group } fieldset { margin: 0 2px; padding: .35em .75em .625em }
legend { padding: 0 2px } hr { margin: .5em 0; height: 2px; color: gray }
input, select, textarea, button { display: inline-block; font-family: Arial; font-size: 13.3333px;
font-weight: 400; font-style: normal; line-height: normal; text-indent: 0; text-align: left; color: black;
background-color: white; white-space: nowrap }
input { width: 169px; height: 21px; box-sizing: border-box }
textarea { width: 182px; height: 36px; box-sizing: border-box }
select { width: 110px; height: 19px; box-sizing: border-box; background-color: #efefef }
button { padding: 3px 8px; text-align: center; background-color: #efefef }
meter { display: inline-block; width: 5em; height: 1em }
progress { display: inline-block; width: 10em; height: 1em } img, svg, math { display: inline-block }
iframe, embed, object, video, canvas { display: inline-block; width: 300px; height: 150px }
rt { font-size: .5em }
"""

LINK_COLOR = "color: #0000ee"
FIRST_FONTS = ("Times New Roman", "monospace")
"""Fonts with fixed numbers: the default font of a page, and the monospaced font."""

_DIMENSIONED = frozenset(
    ("img", "table", "td", "th", "iframe", "embed", "object", "video", "canvas", "svg", "hr", "col", "applet")
)
_INPUT_TYPES = {
    "hidden": "display: none", "checkbox": "width: 13px; height: 13px; margin: 3px 4px",
    "radio": "width: 13px; height: 13px; margin: 3px 4px", "submit": "width: 60px; background: #efefef",
    "button": "width: 60px; background: #efefef", "reset": "width: 60px; background: #efefef",
    "file": "width: 253px", "range": "width: 129px; height: 16px", "color": "width: 50px; height: 27px",
    "image": "width: auto; height: auto",
}  # fmt: skip
_FONT_ELEMENT_SIZES = ("x-small", "small", "medium", "large", "x-large", "xx-large", "48px")


@cache
def browser_sheet() -> tuple[Blocks, dict[str, int]]:
    """Return the declarations of the browser's own sheet, one block per tag, and the block of each tag.

    >>> blocks, of_tag = browser_sheet()
    >>> of_tag["h1"] < len(blocks.start), "span" in of_tag
    (True, False)
    """
    by_tag: dict[str, tuple[Declaration, ...]] = {}
    for prelude, body in rules(_SHEET, 1366):
        for tag in map(str.strip, prelude.split(",")):
            by_tag[tag] = by_tag.get(tag, ()) + declarations(body)
    blocks = Blocks(FIRST_FONTS)
    return blocks, {tag: blocks.add(block) for tag, block in by_tag.items()}


@lru_cache(8192)
def attribute_style(tag: str, name: str, value: str) -> tuple[Declaration, ...]:
    """Return the declarations of a presentational attribute; empty for any other attribute.

    >>> attribute_style("td", "width", "120") == declarations("width: 120px")
    True
    """
    hint = HINTS.get(name)
    return declarations(hint(tag, value.strip())) if hint else ()


def _size(tag: str, name: str, value: str) -> str:
    if tag not in _DIMENSIONED and not (tag == "input" and name == "height"):
        return ""
    number = value.rstrip("%px* ")
    return f"{name}: {number}{'%' if value.endswith('%') else 'px'}"


def _color_declaration(name: str, value: str) -> str:
    color = legacy_color(value)
    return "" if color is None else f"{name}: #{color.to_bytes(4, 'little').hex()}"


def _font_element_size(tag: str, value: str) -> str:
    if tag != "font" or not value.lstrip("+-").isdecimal():
        return ""
    step = int(value) + (3 if value[0] in "+-" else 0)
    return f"font-size: {_FONT_ELEMENT_SIZES[min(max(step, 1), 7) - 1]}"


def _align(tag: str, value: str) -> str:
    side = value.lower()
    if tag in ("img", "table", "iframe", "object", "embed", "applet"):
        if side in ("left", "right"):
            return f"float: {side}"
        return (
            "margin-left: auto; margin-right: auto" if side in ("center", "middle") and tag == "table" else ""
        )
    return f"text-align: {'center' if side == 'middle' else side}"


def _color_of(*tags: str) -> Callable[[str, str], str]:
    return lambda tag, value: _color_declaration("color", value) if tag in tags else ""


HINTS: dict[str, Callable[[str, str], str]] = {
    "width": lambda tag, value: _size(tag, "width", value),
    "height": lambda tag, value: _size(tag, "height", value),
    "bgcolor": lambda tag, value: _color_declaration("background-color", value),
    "background": lambda tag, value: (
        "background-image: url(x)" if tag in ("body", "table", "td", "th") else ""
    ),
    "color": _color_of("font", "basefont"),
    "text": _color_of("body"),
    "face": lambda tag, value: f"font-family: {value}" if tag == "font" else "",
    "size": _font_element_size,
    "align": _align,
    "valign": lambda tag, value: f"vertical-align: {value}",
    "type": lambda tag, value: _INPUT_TYPES.get(value.lower(), "") if tag == "input" else "",
    "hidden": lambda tag, value: "display: none" if value.lower() != "until-found" else "",
    "open": lambda tag, value: "display: block" if tag == "dialog" else "",
    "nowrap": lambda tag, value: "white-space: nowrap" if tag in ("td", "th") else "",
    "colspan": lambda tag, value: f"-webgrain-span: {value}" if tag in ("td", "th") else "",
    "cellspacing": lambda tag, value: f"border-spacing: {value}px" if tag == "table" else "",
}
"""Presentational attributes: the CSS of each, given the tag and the value."""
