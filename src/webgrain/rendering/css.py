"""CSS for the layout estimate: style sheets, the styles of tags and attributes, and custom properties.

Selectors are those of `webgrain.page.kernels.cssselectors`. The rules of ``@media`` count if it asks for a
desktop screen of the width of the viewport without preferences, those of ``@supports`` and ``@layer`` always;
other at-rules are ignored.

Sources: CSS 2.2, CSS Values 4, CSS Variables 1, Flexible Box 1, Grid 2, Media Queries 4; for the
browser's own sheet and the presentational attributes, the rendering section of the HTML standard and the
sizes of Chromium's controls.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable
from functools import cache, lru_cache, partial
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float64, Int8, Int32
from webgrain.page.addresses import Selectors
from webgrain.page.dom import Dom
from webgrain.page.kernels.cssselectors import find_rules
from webgrain.page.kernels.treepass import innermost
from webgrain.page.strings import closing_bracket
from webgrain.rendering import thresholds
from webgrain.rendering.declarations import (
    Declaration,
    declarations,
    legacy_color,
    parse_length,
    split_important,
)
from webgrain.rendering.kernels import cascade as k

Arrays = tuple[Int32, Int32, Int8, Float64]

_COMMENTS = re.compile(r"<!--|-->|/\*.*?(?:\*/|\Z)|\"[^\"\n]*\"|'[^'\n]*'", re.DOTALL)
_IMPORT = re.compile(r"@import\s+(?:url\(\s*)?(\"[^\"]*\"|'[^']*'|[^\s;)]*)\s*\)?([^;]*);")
_WIDTH_QUERY = re.compile(r"(min|max)-(?:device-)?width\s*:\s*([0-9]*\.?[0-9]+)(px|r?em|)\Z")
_WIDTH_RANGE = re.compile(r"(?:([0-9.]+[a-z]*) ?([<>]=?) ?)?width(?: ?([<>]=?|=) ?([0-9.]+[a-z]*))?\Z")
_FEATURES = {
    "orientation": "landscape", "hover": "hover", "any-hover": "hover", "pointer": "fine",
    "any-pointer": "fine", "prefers-color-scheme": "light", "prefers-reduced-motion": "no-preference",
    "prefers-contrast": "no-preference", "forced-colors": "none", "scripting": "none", "update": "fast",
    "display-mode": "browser", "color": "", "grid": "0",
}  # fmt: skip
"""Features of a desktop screen without scripts, and the value that they have."""


LINK_COLOR = "color: #0000ee"
FIRST_FONTS = ("Times New Roman", "monospace")
"""Fonts with fixed numbers: the default font of a page, and the monospaced font."""
_NO_BLOCKS: Arrays = (
    np.zeros(1, np.int32), np.zeros(0, np.int32), np.zeros(0, np.int8), np.zeros(0, np.float64)
)  # fmt: skip


class Blocks:
    """Collects blocks of declarations, numbers the texts in them, and converts all to arrays.

    base, fonts: blocks that come before, and their fonts.

    Attributes:
        fonts, names: numbers of the font families, and of the texts in the other columns `NAMED`, from 1.
        late: by number, the blocks that can be read only where the custom properties are known: the text, and
            whether its important declarations are meant.

    >>> blocks = Blocks()
    >>> blocks.add_text("color: red; font-family: Arial"), blocks.fonts["Arial"]
    ((0, -1), 2)
    """

    def __init__(self, base: Arrays = _NO_BLOCKS, fonts: Iterable[str] = FIRST_FONTS) -> None:
        self._base = base
        self._ends: list[int] = []
        self._rows: list[tuple[int, int, float | str]] = []
        self.fonts = {name: number for number, name in enumerate(fonts)}
        self.names = {"": 0}
        self.late: dict[int, tuple[str, bool]] = {}
        self._known: dict[str, tuple[int, int]] = {}

    def add(self, block: tuple[Declaration, ...]) -> int:
        """Append a block; return its number."""
        for column, unit, value, _ in block:
            if isinstance(value, str):
                numbers = self.fonts if column == k.FONT else self.names
                value = numbers.setdefault(value, len(numbers))
            self._rows.append((column, unit, value))
        self._ends.append(len(self._base[1]) + len(self._rows))
        return len(self._base[0]) + len(self._ends) - 2

    def add_text(self, text: str) -> tuple[int, int]:
        """Append the normal and the important declarations of a text, each text once.

        Returns the numbers of both blocks, -1 for an empty one. A block with variables is empty at first.
        """
        numbers = self._known.get(text)
        if numbers is None:
            if "--" in text:
                numbers = self._add_late(text, False), self._add_late(text, True) if "!" in text else -1
            else:
                normal, important = split_important(declarations(text))
                numbers = self.add(normal) if normal else -1, self.add(important) if important else -1
            self._known[text] = numbers
        return numbers

    def _add_late(self, text: str, important: bool) -> int:
        number = self.add(())
        self.late[number] = (text, important)
        return number

    def arrays(self) -> Arrays:
        """Return the starts of the blocks, and the columns, units and values of all declarations."""
        starts, columns, units, values = self._base
        column, unit, value = zip(*self._rows, strict=True) if self._rows else ((), (), ())
        return (
            np.append(starts, np.array(self._ends, np.int32)),
            np.append(columns, np.array(column, np.int32)), np.append(units, np.array(unit, np.int8)),
            np.append(values, np.array(value, np.float64)),
        )  # fmt: skip


@lru_cache(64)
def parse_sheet(css: str, width: int) -> tuple[Selectors, list[str]]:
    """Return the selectors of the rules of a style sheet, an entry per rule, and the declarations of each.

    css: all style sheets of a page, joined; width: of the viewport in px. Results are cached, because the
    pages of a site often have the same sheets.

    >>> parse_sheet("p, ul > li { color: red } @media print { p { display: none } }", 800)[1]
    [' color: red ']
    """
    found = rules(css, width)
    return Selectors([text for text, _ in found], thresholds.MAX_SELECTORS), [body for _, body in found]


def rules(css: str, width: int) -> list[tuple[str, str]]:
    """Return the selectors and the declarations of every rule that applies to a viewport, as text.

    >>> rules("@import 'x'; a{b:c} @media (max-width:9px) {d{e:f}} g{h:i", 800)
    [('a', 'b:c'), ('g', 'h:i')]
    """
    text = _COMMENTS.sub(_without_comment, css[: thresholds.MAX_CHARS])
    return find_rules(text, partial(applies, width=width))  # type: ignore[no-any-return]


def imports(css: str) -> list[tuple[str, str]]:
    """Return the addresses that the beginning of a style sheet imports, each with its media queries.

    >>> imports('@charset "x"; @import url(a.css) print; @import "b.css"; p {} @import "c";')
    [('a.css', 'print'), ('b.css', '')]
    """
    start, _, _ = re.sub(r"/\*.*?\*/", " ", css, flags=re.DOTALL).partition("{")
    return [(address.strip(" \"'"), media.strip()) for address, media in _IMPORT.findall(start)]


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
def browser_sheet() -> tuple[dict[str, int], Arrays, tuple[str, ...]]:
    """Return the browser's own sheet: the block of each tag, all blocks, and the names of the fonts.

    >>> of_tag, blocks, _ = browser_sheet()
    >>> of_tag["h1"] < len(blocks[0]), "span" in of_tag
    (True, False)
    """
    sheet = files(__package__).joinpath("browser.css").read_text(encoding="utf-8")
    by_tag: dict[str, tuple[Declaration, ...]] = {}
    for prelude, body in rules(sheet, 1366):
        for tag in map(str.strip, prelude.split(",")):
            by_tag[tag] = by_tag.get(tag, ()) + declarations(body)
    blocks = Blocks()
    of_tag = {tag: blocks.add(block) for tag, block in by_tag.items()}
    return of_tag, blocks.arrays(), tuple(blocks.fonts)


@lru_cache(8192)
def attribute_style(tag: str, name: str, value: str) -> str:
    """Return the declarations of a presentational attribute; empty for any other attribute.

    >>> attribute_style("td", "width", "50%")
    'width: 50%'
    """
    hint = HINTS.get(name)
    return hint(tag, value.strip()) if hint else ""


def _size(tag: str, name: str, value: str) -> str:
    if tag not in _DIMENSIONED and not (tag == "input" and name == "height"):
        return ""
    number = value.rstrip("%px* ")
    size = f"{name}: {number}{'%' if value.endswith('%') else 'px'}"
    return size if value.endswith("%") else f"{size}; -webgrain-natural-{size}"


def _view_box(value: str) -> str:
    sizes = value.replace(",", " ").split()[2:4]
    return f"aspect-ratio: {sizes[0]} / {sizes[1]}" if len(sizes) == 2 else ""


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
    "viewbox": lambda tag, value: _view_box(value) if tag == "svg" else "",
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


_NAME = re.compile(r"\s*(--[^\s,()]+)\s*(,?)")
_DEEPEST = 12
"""Brackets of ``var()`` within ``var()`` that are read, and references from a value to a value."""
Properties = dict[str, str]


@lru_cache(1024)
def custom_properties(block: str, important: bool = False) -> tuple[tuple[str, str], ...]:
    """Return names and values of the custom properties of a block, either the normal or the important ones.

    >>> custom_properties("color: red; --a: 1px; --b:var(--a) !important")
    (('--a', '1px'),)
    """
    found = []
    for part in block[: thresholds.MAX_CUSTOM].split(";"):
        name, colon, value = part.partition(":")
        name = name.strip()
        if colon and name.startswith("--"):
            value, mark, _ = value.partition("!")
            if bool(mark) == important:
                found.append((name, value.strip()))
    return tuple(found)


def substitute(text: str, properties: Properties, depth: int = 0) -> str | None:
    """Return a value with the properties in place of ``var()``; None if one is missing, or it is too long.

    >>> substitute("calc(var(--a) + var(--b, 2px))", {"--a": "1px"}), substitute("var(--b)", {})
    ('calc(1px +  2px)', None)
    """
    parts, place = [], 0
    while (start := text.find("var(", place)) >= 0:
        end = closing_bracket(text, start + 4, thresholds.MAX_VALUE)
        match = _NAME.match(text, start + 4, end)
        if match is None or depth > _DEEPEST:
            return None
        value = properties.get(match[1])
        if value is None and match[2]:
            value = substitute(text[match.end() : end], properties, depth + 1)
        if value is None:
            return None
        parts += [text[place:start], value]
        place = end + 1
        if sum(map(len, parts)) > thresholds.MAX_VALUE:
            return None
    return "".join([*parts, text[place:]])


def substituted_block(block: str, properties: Properties) -> str:
    """Return the declarations of a block with the properties in place of ``var()``, valid ones only.

    >>> substituted_block("--x: 2px; margin: var(--a); width: var(--b); top: 0", {"--a": "1px"})
    ' margin: 1px; top: 0'
    """
    found = []
    for part in block.split(";"):
        if "--" in part:
            name, _, value = part.partition(":")
            if name.lstrip().startswith("--") or (valid := substitute(value, properties)) is None:
                continue
            part = f"{name}:{valid}"
        found.append(part)
    return ";".join(found)


class Environments:
    """The environments of a page: the sets of custom properties that hold at its nodes.

    Nodes with the same environment around them and the same blocks share one, so a page has few. Source: CSS
    Custom Properties 1. Departures: ``@property`` and animations are left out; the number of environments and
    the length of values are limited, since values can grow exponentially.

    Attributes:
        properties: of each environment; the first one is empty.
        of_node: (n,) the environment of each node.
    """

    def __init__(
        self, dom: Dom, node: NDArray[np.integer], blocks: list[tuple[tuple[str, str], ...]]
    ) -> None:
        """Compute the environments; blocks: custom properties of the nodes (m,), by node, in the cascade."""
        self.properties: list[Properties] = [{}]
        self._known: dict[tuple[int, tuple[int, ...]], int] = {}
        own, start = np.unique(node, return_index=True)
        mark = np.zeros(len(dom), np.uint8)
        mark[own] = 1
        nearest = innermost(dom.parent, mark)
        above = np.where(dom.parent[own] >= 0, nearest[dom.parent[own]], -1).tolist()
        numbers: dict[tuple[tuple[str, str], ...], int] = {}
        kinds = [numbers.setdefault(block, len(numbers)) for block in blocks]
        self._blocks = list(numbers)
        found = np.zeros(len(dom) + 1, np.int64)
        environment: dict[int, int] = {-1: 0}
        stops = np.append(start, len(blocks))[1:].tolist()
        for at, parent, first, stop in zip(own.tolist(), above, start.tolist(), stops, strict=True):
            environment[at] = self._changed(environment[parent], tuple(kinds[first:stop]))
            found[at] = environment[at]
        self.of_node = np.where(nearest >= 0, found[nearest], 0)

    def _changed(self, number: int, blocks: tuple[int, ...]) -> int:
        """Return the environment that blocks make of another one."""
        known = self._known.get((number, blocks))
        if known is not None:
            return known
        before = self.properties[number]
        declared = dict(item for block in blocks for item in self._blocks[block])
        after = before | _resolved(declared, before)
        if after == before or len(self.properties) >= thresholds.MAX_ENVIRONMENTS:
            self._known[number, blocks] = number
            return number
        self.properties.append(after)
        self._known[number, blocks] = len(self.properties) - 1
        return len(self.properties) - 1


def _resolved(declared: Properties, inherited: Properties) -> Properties:
    """Return the valid ones of declared properties, with values in place of ``var()``."""
    plain = {name: value for name, value in declared.items() if "var(" not in value}
    # A property that refers to itself, also through others, is never found, and so invalid.
    visible = {name: value for name, value in inherited.items() if name not in declared} | plain
    open_names = [name for name in declared if name not in plain]
    for _ in range(_DEEPEST):
        waiting = []
        for name in open_names:
            references = _REFERENCE.findall(declared[name])
            if any(other in declared and other not in visible for other in references):
                waiting.append(name)
            elif (value := substitute(declared[name], visible)) is not None:
                visible[name] = value
        if not waiting or len(waiting) == len(open_names):
            break
        open_names = waiting
    for name in open_names:  # an invalid reference with a fallback
        if name not in visible and (value := substitute(declared[name], visible)) is not None:
            visible[name] = value
    return {name: visible[name] for name in declared if name in visible}


_REFERENCE = re.compile(r"var\(\s*(--[^\s,()]+)")
