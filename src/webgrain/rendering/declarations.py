"""Colours and declarations of CSS that the layout estimate uses, as columns, units and values of a table.

A declaration is a column of the style table (`webgrain.rendering.kernels.cascade`), a unit and a value; only
the properties that the estimate uses are read, and everything else is ignored, as in a browser.

A calculation is a sum of amounts of units: the first declaration sets the column, the others add to it.
``min()``, ``max()`` and ``clamp()`` choose the argument that a browser would choose on a page of usual sizes.
A percentage is written as a multiple of `webgrain.rendering.kernels.cascade.SHARE`, and lengths beside it are
left out, except in a width.

Sources: CSS 2.2, Color 4 (without colour spaces beyond sRGB), Values 4, Flexible Box 1, Grid 2, Logical
Properties 1.
"""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Iterator
from colorsys import hls_to_rgb
from functools import cache, lru_cache
from importlib.resources import files

from webgrain.page.page import DISPLAY, POSITION
from webgrain.rendering.kernels import cascade as k
from webgrain.rendering.thresholds import MAX_STYLE

_CHANNEL = re.compile(r"([-+]?[0-9]*\.?[0-9]+)(%?)")


@lru_cache(1024)
def parse_color(text: str) -> int | None:
    """Read a colour as a 32-bit number, red in the lowest byte, then green, blue and alpha; None if invalid.

    >>> hex(parse_color("#123")), hex(parse_color("rgba(255, 0, 0, 100%)")), parse_color("no")
    ('0xff332211', '0xff0000ff', None)
    """
    text = text.strip().lower()
    if text == "transparent":
        return 0
    if (digits := _named_colors().get(text)) is not None:
        return _from_hex(digits)
    if text.startswith("#"):
        return _from_hex(text[1:])
    kind, bracket, rest = text.partition("(")
    if bracket and kind in ("rgb", "rgba", "hsl", "hsla"):
        return _from_function(kind, rest)
    return None


@cache
def _named_colors() -> dict[str, str]:
    table = files(__package__).joinpath("colors.csv").read_text(encoding="utf-8")
    return {row["name"]: row["rgb"] for row in csv.DictReader(table.splitlines())}


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
    found = _CHANNEL.findall(arguments)[:4]
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
"""A column, a unit, a value (text in the columns `NAMED`), and whether it is ``!important``."""
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
_ALIGNED: dict[str, float] = {
    "start": 0, "flex-start": 0, "left": 0, "center": 1, "end": 2, "flex-end": 2, "right": 2, "baseline": 6,
    "space-between": 3, "space-around": 4, "space-evenly": 5,
}  # fmt: skip
_KEYWORDS: dict[str, tuple[int, dict[str, float]]] = {
    "display": (k.DISPLAY, {name: number for number, name in enumerate(DISPLAY) if name != "other"}),
    "position": (k.POSITION, {name: number for number, name in enumerate(POSITION)}),
    "float": (k.FLOAT, {"none": 0, "left": 1, "right": 2, "inline-start": 1, "inline-end": 2}),
    "clear": (k.CLEAR, {"none": 0, "left": 1, "right": 2, "both": 3}),
    "visibility": (k.VISIBILITY, {"visible": 0, "hidden": 1, "collapse": 1}),
    "white-space": (
        k.WHITE_SPACE,
        {"normal": 0, "pre-line": 0, "nowrap": 1, "pre": 2, "pre-wrap": 2, "break-spaces": 2},
    ),
    "text-align": (
        k.TEXT_ALIGN,
        {"left": 0, "start": 0, "justify": 0, "center": 1, "-webkit-center": 1, "right": 2, "end": 2},
    ),
    "font-style": (k.ITALIC, {"normal": 0, "italic": 1, "oblique": 1}),
    **dict.fromkeys(
        ("overflow", "overflow-x", "overflow-y"),
        (k.OVERFLOW, {"visible": 0, "hidden": 1, "clip": 1, "auto": 2, "scroll": 2}),
    ),
    "flex-direction": (k.FLEX, {"row": 0, "row-reverse": 2, "column": 1, "column-reverse": 1}),
    "justify-content": (k.JUSTIFY, _ALIGNED | {"normal": 0, "stretch": 0}),
    "align-items": (k.ALIGN, _ALIGNED | {"normal": 0, "stretch": 0, "start": 6, "flex-start": 6}),
    "align-self": (k.ALIGN_SELF, _ALIGNED | {"auto": 7, "stretch": 0, "start": 6, "flex-start": 6}),
    "flex-wrap": (k.WRAP, {"nowrap": 0, "wrap": 1, "wrap-reverse": 1}),
    "box-sizing": (k.BORDER_BOX, {"content-box": 0, "border-box": 1}),
    "vertical-align": (k.VERTICAL, {"top": 0, "baseline": 0, "middle": 1, "bottom": 2}),
    "border-collapse": (k.SPACING, {"collapse": 0, "separate": 2}),
}
_LENGTHS = {
    "left": k.LEFT, "right": k.RIGHT, "top": k.TOP, "bottom": k.BOTTOM, "min-height": k.MIN_HEIGHT,
    "max-height": k.MAX_HEIGHT, "min-width": k.MIN_WIDTH, "max-width": k.MAX_WIDTH,
    "text-indent": k.TEXT_INDENT,
    "margin-top": k.MARGIN_TOP, "margin-right": k.MARGIN_RIGHT, "margin-bottom": k.MARGIN_BOTTOM,
    "margin-left": k.MARGIN_LEFT, "padding-top": k.PADDING_TOP, "padding-right": k.PADDING_RIGHT,
    "padding-bottom": k.PADDING_BOTTOM, "padding-left": k.PADDING_LEFT, "height": k.HEIGHT,
    "border-spacing": k.SPACING, "row-gap": k.ROW_GAP, "column-gap": k.COLUMN_GAP,
    "grid-column-gap": k.COLUMN_GAP, "grid-row-gap": k.ROW_GAP, "margin-inline-start": k.MARGIN_LEFT,
    "margin-inline-end": k.MARGIN_RIGHT, "margin-block-start": k.MARGIN_TOP, "block-size": k.HEIGHT,
    "margin-block-end": k.MARGIN_BOTTOM, "padding-inline-start": k.PADDING_LEFT,
    "padding-inline-end": k.PADDING_RIGHT, "padding-block-start": k.PADDING_TOP,
    "padding-block-end": k.PADDING_BOTTOM, "max-inline-size": k.MAX_WIDTH, "inset-inline-start": k.LEFT,
    "inset-inline-end": k.RIGHT, "-webgrain-natural-width": k.NATURAL_WIDTH,
    "-webgrain-natural-height": k.NATURAL_HEIGHT,
}  # fmt: skip
_CLOCKWISE = ((), (0, 0, 0, 0), (0, 1, 0, 1), (0, 1, 2, 1), (0, 1, 2, 3))
_GENERIC = frozenset(("serif", "sans-serif", "monospace", "cursive", "fantasy", "system-ui"))


@lru_cache(4096)
def declarations(text: str) -> tuple[Declaration, ...]:
    """Read the first `MAX_STYLE` characters of a block of declarations, such as a ``style`` attribute.

    >>> declarations("margin-left: 2em; nonsense; float: left !important")
    ((48, 1, 2.0, False), (14, 0, 1, True))
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


def _limited(text: str) -> float:
    """Read a number without a unit."""
    return min(max(float(text), -1e4), 1e4)


Sum = tuple[float, ...]
"""A sum of lengths: amounts of the units PLAIN, EM, REM, VIEW_WIDTH, VIEW_HEIGHT, a share, a pure number."""
_SHARE, _PURE = 5, 6
_TYPICAL = (1.0, 16.0, 16.0, 13.66, 7.68, 1366.0, 1.0)
"""Sizes in px of the amounts of a sum on a usual page, which decide between the arguments of ``min()``."""
_TOKEN = re.compile(r"\s*([-a-z]*\(|[()+*/,]|-(?![0-9.])|[-+]?[0-9.]+(?:e[-+]?[0-9]{1,3})?[a-z%]*)")
_FUNCTIONS = frozenset(("(", "calc(", "min(", "max(", "clamp(", "-webkit-calc(", "-moz-calc("))


@lru_cache(4096)  # few lengths, each used often
def parse_sum(text: str) -> Sum | None:
    """Read a length, a percentage or a calculation; None if it is invalid.

    >>> parse_sum("calc(100% - 2 * (1em + 3px))")
    (-6.0, -2.0, 0.0, 0.0, 0.0, 1.0, 0.0)
    """
    if "(" not in text:
        return _amount(text)
    tokens = _TOKEN.findall(text[:300])
    tokens.reverse()
    try:
        return _added(tokens, 0)
    except (ValueError, IndexError, OverflowError):
        return None


def typical_size(text: str) -> tuple[float, float] | None:
    """Return the size of a calculation on a usual page: px, and a share; None if it is no length.

    >>> typical_size("calc(10% + 1rem)"), typical_size("auto")
    ((16.0, 0.1), None)
    """
    total = parse_sum(text)
    if total is None:
        return None
    return sum(a * b for a, b in zip(total[:_SHARE], _TYPICAL, strict=False)), total[_SHARE]


def _amount(text: str) -> Sum | None:
    """Read one length or percentage."""
    share = _percentage(text)
    length = parse_length(text) if share is None else (_SHARE, share)
    return None if length is None else tuple(length[1] if length[0] == at else 0.0 for at in range(7))


def _added(tokens: list[str], depth: int) -> Sum:
    """Read a sum of products from the end of a list of tokens."""
    total = _multiplied(tokens, depth)
    while tokens and tokens[-1] not in (")", ","):
        sign = -1.0 if tokens[-1] == "-" else 1.0
        if tokens[-1] in ("+", "-"):
            tokens.pop()
        term = _multiplied(tokens, depth)
        total = tuple(a + sign * b for a, b in zip(total, term, strict=True))
    return total


def _multiplied(tokens: list[str], depth: int) -> Sum:
    product = _term(tokens, depth)
    while tokens and tokens[-1] in ("*", "/"):
        divided, factor = tokens.pop() == "/", _term(tokens, depth)
        if any(product[:_PURE]) and any(factor[:_PURE]):
            raise ValueError
        if any(factor[:_PURE]):
            product, factor = factor, product
        number = factor[_PURE] if not divided else 1 / factor[_PURE] if factor[_PURE] else 0.0
        product = tuple(min(max(part * number, -1e6), 1e6) for part in product)
    return product


def _term(tokens: list[str], depth: int) -> Sum:
    token = tokens.pop()
    if token in _FUNCTIONS:
        if depth > 8:
            raise ValueError
        found = [_added(tokens, depth + 1)]
        while tokens and tokens.pop() == ",":
            found.append(_added(tokens, depth + 1))
        return _chosen(token, found)
    if token[-1].isdigit() or token[-1] == ".":
        return (0.0,) * _PURE + (_limited(token),)
    if (one := _amount(token)) is None:
        raise ValueError
    return one


def _chosen(function: str, found: list[Sum]) -> Sum:
    """Return the argument that a function takes on a usual page."""

    def size(one: Sum) -> float:
        return sum(a * b for a, b in zip(one, _TYPICAL, strict=True))

    if function == "clamp(" and len(found) == 3:
        return max(found[0], min(found[1], found[2], key=size), key=size)
    return {"min(": min, "max(": max}.get(function, lambda all_, key: all_[0])(found, key=size)


def _declared(column: int, text: str, share_column: int | None = None) -> Parsed:
    """Yield the declarations of a length; those after the first add to it.

    A percentage is written to its own column, else into the column itself, as a multiple of `SHARE`.
    """
    total = parse_sum(text)
    if total is None:
        return
    if share_column is not None:
        yield share_column, k.PLAIN, total[_SHARE] if total[_SHARE] else AUTO
        if total[_SHARE] and not any(total[:_SHARE]):
            yield column, k.PLAIN, AUTO
            return
    elif total[_SHARE]:
        yield column, k.PLAIN, total[_SHARE] * k.SHARE
        return
    first = 0
    for unit in range(_SHARE):
        if total[unit]:
            yield column, unit + first, total[unit]
            first = k.ADDED
    if not first:
        yield column, k.PLAIN, total[_PURE]


def _keyword(column: int, keywords: dict[str, float]) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if value.lower() == "inherit":
            yield column, k.INHERIT, 0
        elif (number := keywords.get(value.split(" ", 1)[0].lower())) is not None:
            yield column, k.PLAIN, number

    return read


def _length(column: int) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if value in ("auto", "none", "normal", "max-content", "min-content", "fit-content"):
            yield column, k.PLAIN, 0 if value == "normal" else AUTO
        else:
            yield from _declared(column, value if "(" in value else value.split(" ", 1)[0])

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
        parts = _words(value)[:4]
        for reader, place in zip(readers, _CLOCKWISE[len(parts)], strict=False):
            yield from reader(parts[place])

    return read


def _width(value: str) -> Parsed:
    if value in ("auto", "max-content", "min-content", "fit-content", "-webkit-fit-content"):
        yield k.WIDTH, k.PLAIN, AUTO
        yield k.WIDTH_SHARE, k.PLAIN, AUTO
    else:
        yield from _declared(k.WIDTH, value, k.WIDTH_SHARE)


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
    elif "(" in value and (total := parse_sum(value)) is not None:
        share = total[1] + total[_SHARE]
        for unit, amount in enumerate((total[0], share, *total[2:_SHARE])):
            yield k.FONT_SIZE, unit + (k.ADDED if unit else 0), amount
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
        yield k.LETTERS, k.PLAIN, _letters(value.lower())


def _letters(families: str) -> int:
    """Return how wide the letters of the first known family are: 0 as with serifs, 1 without, 2 all alike."""
    for family in families.split(","):
        if "mono" in family or "courier" in family or "consolas" in family or "menlo" in family:
            return 2
        if "sans" in family or "arial" in family or "helvetica" in family:
            return 1
        if "serif" in family or "times" in family or "georgia" in family:
            return 0
    return 1


def _line_height(value: str) -> Parsed:
    if value == "normal":
        yield k.LINE_HEIGHT, k.PLAIN, AUTO
    elif (share := _percentage(value)) is not None:
        yield k.LINE_HEIGHT, k.PLAIN, abs(share)
    elif "(" in value and (total := parse_sum(value)) is not None:
        if total[_PURE] > 0:
            yield k.LINE_HEIGHT, k.PLAIN, total[_PURE]
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
    color = next((c for c in map(parse_color, _words(value)) if c is not None), 0)
    yield k.BACKGROUND, k.PLAIN, color
    yield from _background_image(value)


def _words(value: str) -> list[str]:
    """Split at white space, but not in brackets."""
    if "(" not in value:
        return value.split()[:12]
    words, depth = [""], 0
    for character in value[:600]:
        depth += (character == "(") - (character == ")")
        if depth <= 0 and character.isspace():
            words.append("")
        else:
            words[-1] += character
    return [word for word in words if word][:12]


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
    """Read the shorthand: grow, shrink, basis."""
    value = {"auto": "1 1 auto", "none": "0 0 auto", "initial": "0 1 auto"}.get(value, value)
    words = _words(value)
    numbers = [_limited(word) for word in words if _NUMBER.fullmatch(word)]
    basis = next((word for word in words if not _NUMBER.fullmatch(word)), "0" if numbers else "auto")
    yield k.GROW, k.PLAIN, numbers[0] if numbers else 1
    yield k.SHRINK, k.PLAIN, numbers[1] if len(numbers) > 1 else 1
    yield from _length(k.BASIS)(basis)


def _number(column: int) -> Callable[[str], Parsed]:
    def read(value: str) -> Parsed:
        if _NUMBER.fullmatch(value):
            yield column, k.PLAIN, _limited(value)

    return read


def _flow(value: str) -> Parsed:
    """``flex-flow``: direction and wrapping."""
    for word in value.split():
        yield from _READERS["flex-wrap" if "wrap" in word else "flex-direction"](word)


def _place(value: str) -> Parsed:
    """``place-content`` and ``place-items``: the vertical part, then the horizontal one."""
    words = value.split()
    if words:
        yield from _READERS["align-items"](words[0])
        yield from _READERS["justify-content"](words[-1])


def _border(columns: tuple[int, ...]) -> Callable[[str], Parsed]:
    """``border``: only its width counts, which is 0 without a style."""

    def read(value: str) -> Parsed:
        words, width = _words(value), "3px"
        for word in words:
            width = {"thin": "1px", "medium": "3px", "thick": "5px"}.get(word, width)
            width = word if word[0] in "0123456789.+" or word.startswith("calc(") else width
        if not {"none", "hidden", "0", "initial", "unset"}.isdisjoint(words):
            width = "0"
        for column in columns:
            yield from _length(column)(width if words else "0")

    return read


def _border_style(value: str) -> Parsed:
    if value in ("none", "hidden"):
        for column in _BORDERS:
            yield column, k.PLAIN, 0


def _named(column: int) -> Callable[[str], Parsed]:
    """Keep a text that is read only if a node uses it: tracks and areas of a grid."""

    def read(value: str) -> Parsed:
        yield column, k.PLAIN, "" if value in ("none", "auto", "initial") else value[:MAX_STYLE]

    return read


def _grid_lines(start: int, end: int, span: int) -> Callable[[str], Parsed]:
    """``grid-column`` and ``grid-row``: a start and an end, each a line or a span."""

    def read(value: str) -> Parsed:
        yield start, k.PLAIN, 0
        yield end, k.PLAIN, 0
        yield span, k.PLAIN, 1
        if start == k.COLUMN_START and re.search(r"\b(?!span|auto)[a-z]", value):
            yield from _named(k.COLUMN_NAMES)(value)
        for column, part in zip((start, end), value.split("/"), strict=False):
            words = part.split()
            number = next((int(word) for word in words if re.fullmatch(r"-?[0-9]{1,4}", word)), None)
            if number is not None:
                yield span if "span" in words else column, k.PLAIN, number

    return read


def _grid_area(value: str) -> Parsed:
    parts = [part.strip() for part in value.split("/")]
    if len(parts) == 1 and not parts[0][:1].isdigit():
        yield from _named(k.AREA)(parts[0])
    elif len(parts) == 4:
        yield from _READERS["grid-row"](f"{parts[0]} / {parts[2]}")
        yield from _READERS["grid-column"](f"{parts[1]} / {parts[3]}")


def _grid_template(value: str) -> Parsed:
    """``grid-template``: rows of areas and heights, and widths after the slash."""
    rows, slash, columns = value.rpartition("/")
    if slash:
        yield from _READERS["grid-template-columns"](columns.strip())
    if '"' in value or "'" in value:
        yield from _named(k.AREAS)(rows if slash else value)
    elif slash:
        yield from _READERS["grid-template-rows"](rows.strip())


def _aspect(value: str) -> Parsed:
    numbers = [_limited(number) for number in re.findall(r"[0-9]*\.?[0-9]+", value)[:2]]
    if numbers and min(numbers) > 0:
        ratio = numbers[0] / numbers[1] if len(numbers) > 1 else numbers[0]
        yield k.ASPECT, k.PLAIN, min(max(ratio, 1e-4), 1e4)


def _move(value: str) -> Parsed:
    """``transform``: only ``translate`` and its variants count, and what is scaled to nothing."""
    for name, arguments in re.findall(r"(translate[xy3d]*|scale[xy]?)\(((?:[^()]|\([^()]*\))*)\)", value)[:4]:
        parts = [part.strip() for part in arguments.split(",")]
        if name.startswith("scale"):
            yield k.CLIP, k.PLAIN, parts[0] in ("0", "0%")
            continue
        if name != "translatey":
            yield from _declared(k.MOVE_X, parts[0])
        if name == "translatey" or len(parts) > 1:
            yield from _declared(k.MOVE_Y, parts[-1 if name == "translatey" else 1])
    if value == "none":
        yield k.MOVE_X, k.PLAIN, 0
        yield k.MOVE_Y, k.PLAIN, 0


def _two(start: int, end: int) -> Callable[[str], Parsed]:
    """Two lengths, such as ``margin-inline`` and ``gap``."""

    def read(value: str) -> Parsed:
        words = _words(value)
        if words:
            yield from _length(start)(words[0])
            yield from _length(end)(words[min(1, len(words) - 1)])

    return read


def _span(value: str) -> Parsed:
    if value.isascii() and value.isdigit():
        yield k.SPAN, k.PLAIN, min(max(int(value[:5]), 1), 1000)


_NUMBER = re.compile(r"[-+]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)")
_BORDERS = (k.BORDER_TOP, k.BORDER_RIGHT, k.BORDER_BOTTOM, k.BORDER_LEFT)
_SIDES = ("top", "right", "bottom", "left")
_READERS: dict[str, Callable[[str], Parsed]] = {
    **{name: _keyword(column, words) for name, (column, words) in _KEYWORDS.items()},
    **{name: _length(column) for name, column in _LENGTHS.items()},
    "color": _color(k.COLOR), "background-color": _color(k.BACKGROUND), "background": _background,
    "background-image": _background_image, "width": _width, "inline-size": _width, "font-size": _font_size,
    "font-weight": _font_weight, "font-family": _font_family, "line-height": _line_height, "font": _font,
    "margin": _sides((k.MARGIN_TOP, k.MARGIN_RIGHT, k.MARGIN_BOTTOM, k.MARGIN_LEFT)),
    "padding": _sides((k.PADDING_TOP, k.PADDING_RIGHT, k.PADDING_BOTTOM, k.PADDING_LEFT)),
    "opacity": _opacity, "clip": _clip, "clip-path": _clip, "flex": _flex, "flex-grow": _number(k.GROW),
    "flex-shrink": _number(k.SHRINK), "flex-basis": _length(k.BASIS), "flex-flow": _flow,
    **dict.fromkeys(("gap", "grid-gap"), _two(k.ROW_GAP, k.COLUMN_GAP)), "order": _number(k.ORDER),
    "place-content": _place, "place-items": _place, "inset": _sides((k.TOP, k.RIGHT, k.BOTTOM, k.LEFT)),
    "transform": _move, "aspect-ratio": _aspect, "-webgrain-span": _span,
    "grid-template-columns": _named(k.COLUMNS), "grid-template-rows": _named(k.ROWS),
    "grid-template-areas": _named(k.AREAS), "grid-area": _grid_area, "grid-template": _grid_template,
    "grid": _grid_template, "grid-column": _grid_lines(k.COLUMN_START, k.COLUMN_END, k.COLUMN_SPAN),
    "grid-row": _grid_lines(k.ROW_START, k.ROW_END, k.ROW_SPAN), "grid-column-start": _number(k.COLUMN_START),
    "grid-column-end": _number(k.COLUMN_END), "grid-row-start": _number(k.ROW_START),
    "grid-row-end": _number(k.ROW_END), "border": _border(_BORDERS), "border-style": _border_style,
    "border-width": _sides(_BORDERS),
    **{f"border-{side}": _border((column,)) for side, column in zip(_SIDES, _BORDERS, strict=True)},
    **{f"border-{side}-width": _length(column) for side, column in zip(_SIDES, _BORDERS, strict=True)},
    "margin-inline": _two(k.MARGIN_LEFT, k.MARGIN_RIGHT), "margin-block": _two(k.MARGIN_TOP, k.MARGIN_BOTTOM),
    "padding-inline": _two(k.PADDING_LEFT, k.PADDING_RIGHT),
    "padding-block": _two(k.PADDING_TOP, k.PADDING_BOTTOM),
}  # fmt: skip
