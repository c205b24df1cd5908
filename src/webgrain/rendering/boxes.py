"""From a DevTools snapshot of a rendered page to a View: boxes, computed styles and visibility of all nodes.

`Snapshot` reads the result of Chromium's ``DOMSnapshot.captureSnapshot``: a table of strings, and columns of
indices into it for the nodes in document order (comments, pseudo-elements and shadow trees included) and for
the boxes of rendered nodes. `view_of` aligns it with a Dom and converts it by array operations, without a
loop over nodes. `in_sight` decides which boxes lie on the page and inside all clips.

Sources: CSS Color 4 (computed colours; the matrices are those of section 10), CSS Masking 1 (clips), CSS 2.2,
11.1.1 (overflow).
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Int8, Int32
from webgrain.page.dom import Dom
from webgrain.page.kernels.treepass import climb, innermost
from webgrain.page.page import DISPLAY, POSITION, View
from webgrain.page.values import current_values
from webgrain.page.vocabulary import NAMES, TAGS
from webgrain.rendering.thresholds import SPECK

STYLES = (
    "display", "position", "visibility", "opacity", "overflow-x", "overflow-y", "clip", "clip-path",
    "transform", "filter", "contain", "font-family", "font-size", "font-weight", "font-style", "color",
    "background-color", "background-image",
)  # fmt: skip
"""Computed styles that `view_of` needs in a snapshot, in this order."""

_CANVAS = np.array((255, 255, 255, 255), np.uint8)


def view_of(snapshot: Snapshot, dom: Dom, viewport: tuple[int, int]) -> View:
    """Boxes, styles and visibility of the nodes of a Dom, from a snapshot of the same nodes with `STYLES`.

    A node that was not laid out has the styles of its nearest ancestor that was, and the display "none", or
    "contents" if it contains nodes with boxes.
    """
    styles = _Styles(snapshot, dom)
    box = styles.boxes()
    position = styles.own("position", _number_in(POSITION, "static"), np.int8)
    drawn = styles.column("visibility", "visible".__eq__, np.bool_)
    fill = styles.own("background-color", parse_color, np.uint8)
    painter = nearest(dom.parent, drawn & (fill[:, 3] > 0))
    font, fonts = styles.fonts()
    return View(
        box=box,
        visible=styles.laid_out & drawn & in_sight(dom, box, styles.clipping(position), snapshot.size),
        display=_with_texts(dom, styles.display()),
        position=_with_texts(dom, position),
        font=font,
        font_size=styles.column("font-size", parse_pixels, np.float32),
        font_weight=styles.column("font-weight", parse_pixels, np.int16),
        italic=styles.column("font-style", is_slanted, np.bool_),
        color=styles.column("color", parse_color, np.uint8),
        background=np.where(painter[:, None] >= 0, fill[painter], _CANVAS),
        painter=painter,
        background_image=styles.own("background-image", _is_set, np.bool_),
        fonts=fonts,
        width=snapshot.size[0],
        height=snapshot.size[1],
        viewport=viewport,
        source="chromium",
    )


class _Styles:
    """The boxes and computed styles of a snapshot, by node."""

    def __init__(self, snapshot: Snapshot, dom: Dom) -> None:
        rows = snapshot.layout["styles"]
        styled = np.fromiter((len(row) == len(STYLES) for row in rows), bool, len(rows))
        used = np.flatnonzero((snapshot.box_node >= 0) & styled)
        self._dom = dom
        self._strings = snapshot.strings
        self._node = snapshot.box_node[used]
        self._bounds = np.array(snapshot.layout["bounds"], np.float32).reshape(-1, 4)[used]
        self._table = np.array([rows[i] for i in used.tolist()], np.int32).reshape(-1, len(STYLES))
        self.laid_out = np.zeros(len(dom), bool)
        self.laid_out[self._node] = True
        row = np.full(len(dom) + 1, -1, np.int32)
        row[self._node[::-1]] = np.arange(len(used), dtype=np.int32)[::-1]
        self._row = row[nearest(dom.parent, self.laid_out)]

    def column(self, name: str, convert: Callable[[str], Any], dtype: type[Any]) -> NDArray[Any]:
        """Return one style of every node, inherited if it was not laid out; each string is converted once."""
        strings = self._table[:, STYLES.index(name)]
        number = np.zeros(len(self._strings), np.int32)
        number[strings] = 1
        used = np.flatnonzero(number)
        number[used] = np.arange(len(used))
        values = [convert(self._strings[i]) for i in used.tolist()]
        row = np.append(number[strings], len(used))[self._row]
        column: NDArray[Any] = np.array([*values, convert("")], dtype)[row]
        return column

    def own(self, name: str, convert: Callable[[str], Any], dtype: type[Any]) -> NDArray[Any]:
        """Return one style of the elements that were laid out; for other nodes, that of an empty string."""
        column = self.column(name, convert, dtype)
        column[~self.laid_out | self._dom.is_text] = convert("")
        return column

    def boxes(self) -> Float32:
        """Return the box of every node: the union of its parts with an area; 0 for a node without parts."""
        box = np.zeros((len(self._dom), 4), np.float32)
        box[self._node[::-1]] = self._bounds[::-1]
        in_parts = np.bincount(self._node, minlength=len(box))[self._node] > 1
        in_parts &= (self._bounds[:, 2:] > 0).all(axis=1)
        node, bounds = self._node[in_parts], self._bounds[in_parts]
        low, high = np.full((len(box), 2), np.inf, np.float32), np.full((len(box), 2), -np.inf, np.float32)
        np.minimum.at(low, node, bounds[:, :2])
        np.maximum.at(high, node, bounds[:, :2] + bounds[:, 2:])
        box[node] = np.hstack([low[node], high[node] - low[node]])
        return box

    def display(self) -> Int8:
        """Return the display of every node, as if all were elements."""
        display = self.own("display", _number_in(DISPLAY, "other"), np.int8)
        holds_boxes = self._dom.subtree_sum(self.laid_out) > 0
        absent = np.where(holds_boxes, DISPLAY.index("contents"), DISPLAY.index("none"))
        display[~self.laid_out] = absent[~self.laid_out]
        return display

    def fonts(self) -> tuple[Int32, tuple[str, ...]]:
        """Return the number of every node's first font family, and the families."""
        known: dict[str, int] = {}

        def number(families: str) -> int:
            return known.setdefault(first_family(families), len(known)) if families else 0

        return self.column("font-family", number, np.int32), tuple(known) or ("",)

    def clipping(self, position: Int8) -> Clipping:
        """Return the styles that decide whether a node is visible."""
        overflow = [self.own(f"overflow-{axis}", _is_cut_off, np.bool_) for axis in "xy"]
        holds_fixed = self.own("transform", _is_set, np.bool_) | self.own("filter", _is_set, np.bool_)
        erased = self.own("opacity", _is_zero, np.bool_) | self.own("clip-path", is_empty_inset, np.bool_)
        # The property `clip` has no effect on boxes in the flow.
        in_flow = np.isin(position, [POSITION.index(name) for name in ("static", "relative", "sticky")])
        return Clipping(
            position=position,
            clips=np.stack(overflow, axis=1) & ~self._cannot_clip()[:, None],
            holds_fixed=holds_fixed | self.own("contain", _is_containing, np.bool_),
            erased=erased | (self.own("clip", is_empty_rect, np.bool_) & ~in_flow),
        )

    def _cannot_clip(self) -> Bool:
        """Mark inline boxes, and html and body, whose overflow applies to the window."""
        dom = self._dom
        inline = self.own("display", "inline".__eq__, np.bool_)
        svg = dom.tagged("svg")
        window = (dom.parent <= 0) & dom.tagged("html", "body")
        cannot: Bool = (inline & ~svg) | window
        return cannot


def _number_in(names: Sequence[str], fallback: str) -> Callable[[str], int]:
    """Return a converter of a keyword to its number."""
    number = {name: i for i, name in enumerate(names)}
    return lambda word: number.get(word, number[fallback])


def _is_set(text: str) -> bool:
    return text not in ("", "none")


def _is_cut_off(overflow: str) -> bool:
    return overflow not in ("", "visible")


def _is_zero(opacity: str) -> bool:
    return opacity != "" and parse_pixels(opacity) <= 0


def _is_containing(contain: str) -> bool:
    return not {"paint", "layout", "strict", "content"}.isdisjoint(contain.split())


def _with_texts(dom: Dom, column: NDArray[Any]) -> NDArray[Any]:
    """Return the column with the values of their parents at text nodes."""
    return np.where(dom.is_text, column[dom.parent], column)


_ABSOLUTE, _FIXED = POSITION.index("absolute"), POSITION.index("fixed")


@dataclass(frozen=True, slots=True)
class Clipping:
    """Styles that decide whether a node is visible; all False and 0 at text nodes.

    Attributes:
        position: (n,) int8 into `POSITION`.
        clips: (n, 2) bool, True if overflow in x, in y is cut off.
        holds_fixed: (n,) bool, True if the element is the containing block even of fixed boxes.
        erased: (n,) bool, True if the element and its descendants are transparent or clipped to nothing.
    """

    position: Int8
    clips: Bool
    holds_fixed: Bool
    erased: Bool


def nearest(parent: Int32, mark: Bool) -> Int32:
    """Nearest marked ancestor-or-self of every node, -1 for none.

    >>> nearest(np.array([-1, 0, 1, 0], np.int32), np.array([True, True, False, False])).tolist()
    [0, 1, 1, 0]
    """
    return innermost(parent, mark.view(np.uint8))  # type: ignore[no-any-return]


def in_sight(dom: Dom, box: Float32, style: Clipping, size: tuple[float, float]) -> Bool:
    """(n,) True if more than `SPECK` of a box is on the page, inside all its clips and not erased.

    box: (n, 4) x, y, width, height; size: of the page, which is the clip of the root. Overflow clips the
    boxes whose containing block is the element or below it (CSS 2.2, 11.1.1), so an absolute box escapes the
    clip of an ancestor that is not positioned. Each pass doubles the number of ancestors whose clips are
    intersected, so a tree of depth d takes log2(d) passes.
    """
    n = len(box)
    low, high = box[:, :2], box[:, :2] + box[:, 2:]
    clip_low = np.vstack([np.where(style.clips, low, -np.inf), np.zeros((1, 2))])
    clip_high = np.vstack([np.where(style.clips, high, np.inf), [size]])
    first = _containing_block(dom, style)
    first = np.where(first < 0, n, first)
    up = np.append(first, n)
    while (up < n).any():
        clip_low, clip_high = np.maximum(clip_low, clip_low[up]), np.minimum(clip_high, clip_high[up])
        up = up[up]
    left = np.maximum(np.minimum(high, clip_high[first]) - np.maximum(low, clip_low[first]), 0)
    seen: Bool = left[:, 0] * left[:, 1] > SPECK
    return seen & (nearest(dom.parent, style.erased) < 0)


def _containing_block(dom: Dom, style: Clipping) -> Int32:
    """Return the element with the innermost clip of each node: its parent unless it is absolute or fixed."""
    positioned = (style.position > 0) | style.holds_fixed
    above = dom.parent
    absolute = np.where(above < 0, -1, nearest(above, positioned)[above])
    fixed = np.where(above < 0, -1, nearest(above, style.holds_fixed)[above])
    return np.select([style.position == _ABSOLUTE, style.position == _FIXED], [absolute, fixed], above)


_ELEMENT, _TEXT = 1, 3

Raw = dict[str, Any]


class Snapshot:
    """The main document of a snapshot, reduced to its elements and texts.

    Attributes:
        strings: the table of strings.
        kept: (n,) positions of the nodes in the columns of the snapshot, in document order.
        parent: (n,) int32, -1 at the root.
        is_text: (n,) bool.
        layout: the columns of the boxes; box_node: (b,) the node of each box, -1 if it is not kept.
        size: (width, height) of the page in CSS px.
        cut: whether there were more nodes than ``limit``.
    """

    def __init__(self, raw: Raw, limit: int) -> None:
        document = raw["documents"][0]
        self.strings: list[str] = [*raw["strings"], ""]  # an empty string has the index -1
        self.url = self.strings[document["documentURL"]]
        self.size = (float(document["contentWidth"]), float(document["contentHeight"]))
        self.layout: Raw = document["layout"]
        self._nodes: Raw = document["nodes"]
        kept = np.flatnonzero(self._wanted())
        self.cut = len(kept) > limit
        self.kept = kept[:limit]
        rank = np.full(len(self._nodes["parentIndex"]) + 1, -1, np.int32)
        rank[self.kept] = np.arange(len(self.kept), dtype=np.int32)
        self.parent: Int32 = rank[self._nearest_kept(rank)]
        self.is_text = self._column("nodeType")[self.kept] == _TEXT
        self.box_node: Int32 = rank[np.array(self.layout["nodeIndex"], np.intp)]

    def _column(self, name: str) -> Int32:
        return np.array(self._nodes[name], np.int32)

    def _wanted(self) -> Bool:
        """Mark the elements and texts of the document, without shadow trees and pseudo-elements."""
        kind, parent = self._column("nodeType"), self._column("parentIndex")
        foreign = np.zeros(len(kind), bool)
        for name in ("pseudoType", "shadowRootType"):
            foreign[self._nodes[name]["index"]] = True
        # The generated text of a pseudo-element belongs to the node of the pseudo-element.
        return np.isin(kind, (_ELEMENT, _TEXT)) & ~foreign & (parent >= 0)

    def _nearest_kept(self, rank: Int32) -> NDArray[np.intp]:
        """Return the position of the nearest kept ancestor of every kept node, -1 for none."""
        parent = np.append(self._column("parentIndex"), -1)
        above = parent[self.kept]
        while True:
            climb = (rank[above] < 0) & (above >= 0)
            if not climb.any():
                return above
            above = np.where(climb, parent[above], above)

    @cached_property
    def _names(self) -> list[str]:
        """Return tag names in lower case; only ASCII letters change, as in the parser."""
        names = self._column("nodeName")[self.kept].tolist()
        lower = {name: self.strings[name].encode().lower().decode() for name in set(names)}
        return [lower[name] for name in names]

    @cached_property
    def _texts(self) -> list[str]:
        """Return the character data of every node; empty at elements."""
        values = self._column("nodeValue")[self.kept]
        strings = self.strings
        return [strings[v] if t else "" for v, t in zip(values.tolist(), self.is_text.tolist(), strict=True)]

    def matches(self, dom: Dom) -> bool:
        """Whether these are the nodes of a Dom: the same parents, tag names and texts."""
        return (
            len(self.kept) == len(dom)
            and np.array_equal(self.parent, dom.parent)
            and [dom.tags[tag] for tag in dom.tag.tolist()] == self._names
            and np.array_equal(np.cumsum([0, *map(len, self._texts)]), dom.text_start)
            and "".join(self._texts) == dom.text
        )

    def to_dom(self) -> Dom:
        """Return the tree of the page in the browser."""
        size = climb(self.parent, np.ones((len(self.parent), 1)))[:, 0].astype(np.int32)
        tag, tags = _numbered(self._names, TAGS)
        attributes = [self._nodes["attributes"][i] for i in self.kept.tolist()]
        flat = list(chain.from_iterable(attributes))
        attr_name, names = _numbered([self.strings[i].lower() for i in flat[::2]], NAMES)
        values = current_values()
        return Dom(
            parent=self.parent,
            end=np.arange(len(size), dtype=np.int32) + size,
            tag=tag,
            tags=tags,
            text="".join(self._texts),
            text_start=_starts(map(len, self._texts)),
            attr_start=_starts(len(pairs) // 2 for pairs in attributes),
            attr_name=attr_name,
            names=names,
            value=values.numbers_of(self.strings[i] for i in flat[1::2]),
            values=values,
        )


def _numbered(words: list[str], first: tuple[str, ...]) -> tuple[Int32, tuple[str, ...]]:
    """Return the numbers of words by first appearance, after those in ``first``, and the words."""
    known = {word: i for i, word in enumerate(first)}
    numbers = [known.setdefault(word, len(known)) for word in words]
    return np.array(numbers, np.int32), first if len(known) == len(first) else tuple(known)


def _starts(lengths: Any) -> Int32:
    return np.cumsum([0, *lengths]).astype(np.int32)


RGBA = tuple[int, int, int, int]

TRANSPARENT: RGBA = (0, 0, 0, 0)

_CALL = re.compile(r"([a-z-]+)\(([^()]*)\)")
# fmt: off
_OKLAB_TO_LMS = np.array([
    [1.0, 0.39633778, 0.21580376], [1.0, -0.10556135, -0.06385417], [1.0, -0.08948418, -1.29148555],
])
_LMS_TO_RGB = np.array([
    [4.07674166, -3.30771159, 0.23096993], [-1.26843800, 2.60975740, -0.34131940],
    [-0.00419609, -0.70341861, 1.70761470],
])
_XYZ50_TO_RGB = np.array([
    [3.13413590, -1.61738637, -0.49066221], [-0.97879550, 1.91625438, 0.03344287],
    [0.07195539, -0.22897676, 1.40538605],
])
_WHITE50 = np.array([0.96429568, 1.0, 0.82510460])
# fmt: on


def parse_color(text: str) -> RGBA:
    """Red, green, blue and alpha (0-255) of a computed colour; transparent for any other text.

    Wide-gamut spaces of ``color()`` are read as sRGB; colours outside sRGB are clipped.

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
        return tuple(map(_encode, _LMS_TO_RGB @ (_OKLAB_TO_LMS @ (a, b, c)) ** 3))
    if space == "lab":
        f = (a + 16) / 116
        ratios = [t**3 if t > 6 / 29 else (116 * t - 16) * 27 / 24389 for t in (f + b / 500, f, f - c / 200)]
        return tuple(map(_encode, _XYZ50_TO_RGB @ (ratios * _WHITE50)))
    if space == "srgb-linear":
        return tuple(map(_encode, (a, b, c)))
    return a, b, c


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
    """Whether a font style is italic or oblique."""
    return text.startswith(("italic", "oblique"))


def is_empty_rect(text: str) -> bool:
    """Whether a value of ``clip`` leaves nothing of a box, as for text that only screen readers should read.

    >>> is_empty_rect("rect(0px, 0px, 0px, 0px)"), is_empty_rect("rect(1px, 50px, 40px, 0px)")
    (True, False)
    """
    sides = _arguments(text, "rect")
    if len(sides) != 4 or "auto" in sides:
        return False
    top, right, bottom, left = map(parse_pixels, sides)
    return bottom <= top or right <= left


def is_empty_inset(text: str) -> bool:
    """Whether a ``clip-path: inset()`` in percent leaves nothing of a box.

    >>> is_empty_inset("inset(50%)"), is_empty_inset("inset(0% 50%)"), is_empty_inset("inset(10%)")
    (True, True, False)
    """
    sides = _arguments(text, "inset")
    if not 1 <= len(sides) <= 4 or not all(side.endswith("%") for side in sides):
        return False
    shares = [parse_pixels(side.removesuffix("%")) for side in sides]
    if len(shares) == 3:
        shares.append(shares[1])
    top, right, bottom, left = (shares * 4)[:4]
    return top + bottom >= 100 or left + right >= 100


def _arguments(text: str, function: str) -> list[str]:
    call = _CALL.fullmatch(text)
    return call[2].replace(",", " ").split() if call and call[1] == function else []
