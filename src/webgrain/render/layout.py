"""From the boxes and computed styles of a snapshot to a View: array passes, no loop over nodes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.view import DISPLAY, POSITION, View
from webgrain.render.computed import (
    first_family,
    is_empty_inset,
    is_empty_rect,
    is_slanted,
    parse_color,
    parse_pixels,
)
from webgrain.render.sight import Clipping, in_sight, nearest

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from numpy.typing import NDArray

    from webgrain.page.dom import Dom, Int32
    from webgrain.render.snapshot import Snapshot

STYLES = (
    "display", "position", "visibility", "opacity", "overflow-x", "overflow-y", "clip", "clip-path",
    "transform", "filter", "contain", "font-family", "font-size", "font-weight", "font-style", "color",
    "background-color", "background-image",
)  # fmt: skip
"""Computed styles that a snapshot must bring for `view_of`, in this order."""

_CANVAS = np.array((255, 255, 255, 255), np.uint8)


def view_of(snapshot: Snapshot, dom: Dom, viewport: tuple[int, int]) -> View:
    """Boxes, styles and visibility of the nodes of a Dom, from a snapshot of the same nodes with `STYLES`.

    A node that was not laid out has the styles of its nearest ancestor that was, and the display "none"; an
    element without a box of its own around nodes with boxes has "contents".
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
        """Return one style of every node, inherited where it was not laid out; strings are read once each."""
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
        """Return one style of the elements that were laid out; others have that of no string."""
        column = self.column(name, convert, dtype)
        column[~self.laid_out | self._dom.is_text] = convert("")
        return column

    def boxes(self) -> NDArray[np.float32]:
        """Return the box of every node: the union of its parts that have an area; 0 without a part."""
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

    def display(self) -> NDArray[np.int8]:
        """Return the display of every element, as if all were elements."""
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

    def clipping(self, position: NDArray[np.int8]) -> Clipping:
        """Return what decides about the visibility of nodes besides their boxes."""
        overflow = [self.own(f"overflow-{axis}", _is_cut_off, np.bool_) for axis in "xy"]
        holds_fixed = self.own("transform", _is_set, np.bool_) | self.own("filter", _is_set, np.bool_)
        erased = self.own("opacity", _is_zero, np.bool_) | self.own("clip-path", is_empty_inset, np.bool_)
        # The property `clip` does nothing to boxes that are in the flow.
        in_flow = np.isin(position, [POSITION.index(name) for name in ("static", "relative", "sticky")])
        return Clipping(
            position=position,
            clips=np.stack(overflow, axis=1) & ~self._cannot_clip()[:, None],
            holds_fixed=holds_fixed | self.own("contain", _is_containing, np.bool_),
            erased=erased | (self.own("clip", is_empty_rect, np.bool_) & ~in_flow),
        )

    def _cannot_clip(self) -> NDArray[np.bool_]:
        """Mark inline boxes, and html and body: their overflow is that of the window, which scrolls."""
        dom = self._dom
        inline = self.own("display", "inline".__eq__, np.bool_)
        svg = np.array([name == "svg" for name in dom.tags])[dom.tag]
        window = (dom.parent <= 0) & np.array([name in ("html", "body") for name in dom.tags])[dom.tag]
        cannot: NDArray[np.bool_] = (inline & ~svg) | window
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
    """Return the same column where texts, which have no style of their own, have their parents'."""
    return np.where(dom.is_text, column[dom.parent], column)
