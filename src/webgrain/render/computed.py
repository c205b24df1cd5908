"""Computed CSS values, as a browser prints them, to numbers.

Source: CSS Color Module Level 4 (the matrices are those of its section 10), CSS Masking Level 1.
"""

from __future__ import annotations

import math
import re

RGBA = tuple[int, int, int, int]

TRANSPARENT: RGBA = (0, 0, 0, 0)

_CALL = re.compile(r"([a-z-]+)\(([^()]*)\)")
_OKLAB_TO_LMS = (
    (1.0, 0.39633778, 0.21580376),
    (1.0, -0.10556135, -0.06385417),
    (1.0, -0.08948418, -1.29148555),
)
_LMS_TO_RGB = (
    (4.07674166, -3.30771159, 0.23096993),
    (-1.26843800, 2.60975740, -0.34131940),
    (-0.00419609, -0.70341861, 1.70761470),
)
_XYZ50_TO_RGB = (
    (3.13413590, -1.61738637, -0.49066221),
    (-0.97879550, 1.91625438, 0.03344287),
    (0.07195539, -0.22897676, 1.40538605),
)
_WHITE50 = (0.96429568, 1.0, 0.82510460)


def parse_color(text: str) -> RGBA:
    """Red, green, blue and alpha (0-255) of a computed colour; transparent for what is none.

    Wide-gamut spaces of ``color()`` are read as sRGB, colours outside sRGB are clipped.

    >>> parse_color("rgba(255, 0, 0, 0.5)"), parse_color("oklch(0.628 0.258 29.2)")
    ((255, 0, 0, 128), (255, 0, 0, 255))
    """
    call = _CALL.fullmatch(text.strip().lower())
    if not call:
        return TRANSPARENT
    name, arguments = call.groups()
    words = arguments.replace(",", " ").replace("/", " ").split()
    space = words.pop(0) if name == "color" and words else name
    try:
        numbers = [0.0 if word == "none" else _number(word) for word in words]
    except ValueError:
        return TRANSPARENT
    if len(numbers) not in (3, 4):
        return TRANSPARENT
    alpha = numbers[3] if len(numbers) == 4 else 1.0
    red, green, blue = _to_srgb(space, numbers[0], numbers[1], numbers[2])
    return _byte(red), _byte(green), _byte(blue), _byte(alpha)


def _to_srgb(space: str, a: float, b: float, c: float) -> tuple[float, ...]:
    """Return gamma-encoded sRGB, 0-1, of three components."""
    if space in ("lch", "oklch"):
        space, b, c = space.replace("ch", "ab"), b * math.cos(math.radians(c)), b * math.sin(math.radians(c))
    if space in ("rgb", "rgba"):
        return a / 255, b / 255, c / 255
    if space == "oklab":
        lms = tuple(x**3 for x in _times(_OKLAB_TO_LMS, (a, b, c)))
        return tuple(map(_encode, _times(_LMS_TO_RGB, lms)))
    if space == "lab":
        f = (a + 16) / 116
        xyz = (_from_lab(t) * white for t, white in zip((f + b / 500, f, f - c / 200), _WHITE50, strict=True))
        return tuple(map(_encode, _times(_XYZ50_TO_RGB, tuple(xyz))))
    if space == "srgb-linear":
        return tuple(map(_encode, (a, b, c)))
    return a, b, c


def _from_lab(t: float) -> float:
    return t**3 if t > 6 / 29 else (116 * t - 16) * 27 / 24389


def _times(matrix: tuple[tuple[float, ...], ...], vector: tuple[float, ...]) -> tuple[float, ...]:
    return tuple(sum(m * v for m, v in zip(row, vector, strict=True)) for row in matrix)


def _encode(linear: float) -> float:
    linear = min(max(linear, 0.0), 1.0)
    return 12.92 * linear if linear <= 0.0031308 else 1.055 * linear ** (1 / 2.4) - 0.055


def _number(word: str) -> float:
    value = float(word.removesuffix("%")) / (100 if word.endswith("%") else 1)
    if not math.isfinite(value):
        raise ValueError(word)
    return min(max(value, -1e6), 1e6)


def _byte(share: float) -> int:
    return round(255 * min(max(share, 0.0), 1.0))


def parse_pixels(text: str) -> float:
    """Value of a length in px or of a plain number; 0 for anything else.

    >>> parse_pixels("13.5px"), parse_pixels("700"), parse_pixels("normal")
    (13.5, 700.0, 0.0)
    """
    try:
        return _number(text.removesuffix("px"))
    except ValueError:
        return 0.0


def first_family(text: str) -> str:
    """First name in a list of font families.

    >>> first_family('"Open Sans", Arial, sans-serif')
    'Open Sans'
    """
    return text.partition(",")[0].strip().strip("\"'")


def is_slanted(text: str) -> bool:
    """Tell whether a font style is italic or oblique."""
    return text.startswith(("italic", "oblique"))


def is_empty_rect(text: str) -> bool:
    """Tell whether a value of ``clip`` leaves nothing of a box: the old way to hide text from the eye alone.

    >>> is_empty_rect("rect(0px, 0px, 0px, 0px)"), is_empty_rect("rect(1px, 50px, 40px, 0px)")
    (True, False)
    """
    sides = _arguments(text, "rect")
    if len(sides) != 4 or "auto" in sides:
        return False
    top, right, bottom, left = map(parse_pixels, sides)
    return bottom <= top or right <= left


def is_empty_inset(text: str) -> bool:
    """Tell whether a ``clip-path: inset()`` in percent leaves nothing of a box: the new way to do so.

    >>> is_empty_inset("inset(50%)"), is_empty_inset("inset(0% 50%)"), is_empty_inset("inset(10%)")
    (True, True, False)
    """
    sides = _arguments(text, "inset")
    if not 1 <= len(sides) <= 4 or not all(side.endswith("%") for side in sides):
        return False
    shares = [parse_pixels(side.removesuffix("%")) for side in sides]
    top = shares[0]
    right = shares[1] if len(shares) > 1 else top
    bottom = shares[2] if len(shares) > 2 else top
    left = shares[3] if len(shares) > 3 else right
    return top + bottom >= 100 or left + right >= 100


def _arguments(text: str, function: str) -> list[str]:
    call = _CALL.fullmatch(text)
    return call[2].replace(",", " ").split() if call and call[1] == function else []
