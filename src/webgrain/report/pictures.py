"""Pictures: segments of a page as boxes on its screenshot, and plots of scores page by page.

A segment has as few boxes as separate it from the other segments of the page.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float32
from webgrain.base.errors import ParameterError, require
from webgrain.io.local import replacing
from webgrain.page.blocks import Block, Box, box_of
from webgrain.page.dom import Dom
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page
from webgrain.page.segmentation import Segment, as_box
from webgrain.report.html import PALETTE, rgb, tone

Corners = NDArray[np.floating[Any]]


def boxes(page: Page, segments: Sequence[Segment]) -> list[tuple[Box, ...]]:
    """Return the boxes of each segment on a page with a view.

    A box encloses the largest part of a segment that contains no leaf of another segment. An invisible
    segment has no box. Raises `ParameterError` for a page without a view.

    >>> import numpy as np
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.segmentation import segments
    >>> from tests.views import with_lines
    >>> from webgrain.page.segmentation import Segmentation
    >>> page = parse(Source("a", b"<p>One<p>Two<p>Three<p>Four"))
    >>> page = with_lines(page)
    >>> labels = np.array([-1, -1, -1, 0, 0, 0, 0, 1, 1, 0, 0], np.int32)
    >>> [len(found) for found in boxes(page, segments(page, Segmentation(labels, "by hand")))]
    [2, 1]
    """
    if page.view is None:
        raise ParameterError(f"Boxes need a page with a view, {page.id!r} has none.")
    place = _Place(page.dom, page.view.box, np.flatnonzero(leaf_kinds(page)), segments)
    return [tuple(as_box(corners) for corners in place.boxes(segment)) for segment in segments]


class _Place:
    """The visible leaves of a page, their boxes, and the segments they belong to."""

    def __init__(self, dom: Dom, box: Float32, leaf: NDArray[np.intp], segments: Sequence[Segment]) -> None:
        self._dom = dom
        self._leaf = leaf
        xy, size = box[leaf, :2], box[leaf, 2:]
        self._corners = np.concatenate([xy, xy + size], 1)
        self._centre = xy + size / 2
        self._owner = np.full(len(leaf), -1)
        for segment in segments:
            for root in segment.roots:
                self._owner[self._below(root)] = segment.id

    def boxes(self, segment: Segment) -> list[Corners]:
        """Return the corners of the boxes of a segment; adjacent boxes are joined where possible."""
        joined: list[Corners] = []
        for corners in self._parts(segment):
            both = _around(np.stack([joined[-1], corners])) if joined else corners
            if joined and not self._holds_others(both, segment):
                joined[-1] = both
            else:
                joined.append(corners)
        return joined

    def _parts(self, segment: Segment) -> Iterator[Corners]:
        waiting = list(reversed(segment.roots))
        while waiting:
            node = waiting.pop()
            leaves = self._below(node)
            if leaves.start == leaves.stop:
                continue
            corners = _around(self._corners[leaves])
            if leaves.stop - leaves.start > 1 and self._holds_others(corners, segment):
                waiting += reversed(list(self._dom.children(node)))
            else:
                yield corners

    def _holds_others(self, corners: Corners, segment: Segment) -> bool:
        is_inside = ((self._centre > corners[:2]) & (self._centre < corners[2:])).all(1)
        is_of_other = (self._owner >= 0) & (self._owner != segment.id)
        return bool((is_inside & is_of_other).any())

    def _below(self, node: int) -> slice:
        first, last = np.searchsorted(self._leaf, [node, self._dom.end[node]]).tolist()
        return slice(first, last)


def _around(corners: Corners) -> Corners:
    """Return the corners (4,) of the box around boxes (k, 4)."""
    return np.concatenate([corners[:, :2].min(0), corners[:, 2:].max(0)])


FILL, EDGE = 56, 230
"""Opacity, 0-255, of the inside and of the border of a box."""


def overlay(page: Page, segments: Sequence[Segment]) -> bytes:
    """Return the screenshot of a page as a PNG with its segments as coloured boxes with number and role.

    Raises `ParameterError` for a page without a screenshot, `MissingExtraError` without Pillow.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> overlay(parse(Source("a", b"<p>One")), [])
    Traceback (most recent call last):
    webgrain.base.errors.ParameterError: An overlay needs a page with a view and a screenshot, 'a' has none.
    """
    _screenshot_of(page)
    drawn = []
    for segment, boxes_of_segment in zip(segments, boxes(page, segments), strict=True):
        drawn += [_Drawn(_corners(box), rgb(tone(segment)), segment.caption) for box in boxes_of_segment]
    return _drawn_on(page, drawn)


def overlay_blocks(page: Page, blocks: Sequence[Block]) -> bytes:
    """Return the screenshot of a page as a PNG with the boxes of the elements of blocks.

    page: the page of the blocks, with a view. Raises as `overlay`.
    """
    boxes = [] if page.view is None else [box_of(page, block.node, block.last) for block in blocks]
    drawn = [
        _Drawn(_corners(box), rgb(block.id), block.caption)
        for block, box in zip(blocks, boxes, strict=False)
        if min(box[2:]) > 0
    ]
    return _drawn_on(page, drawn)


def open_screenshot(page: Page) -> Any:
    """Return the screenshot as a Pillow image, with one pixel per CSS px from the corner of the page."""
    return require("PIL.Image", "render", "Pictures").open(io.BytesIO(_screenshot_of(page)))


def _screenshot_of(page: Page) -> bytes:
    if page.screenshot is None or page.view is None:
        raise ParameterError(f"An overlay needs a page with a view and a screenshot, {page.id!r} has none.")
    return page.screenshot


class _Drawn(NamedTuple):
    """A box with a caption: left, top, right and bottom in CSS px, and its colour."""

    corners: tuple[float, float, float, float]
    color: tuple[int, int, int]
    caption: str


def _drawn_on(page: Page, drawn: Sequence[_Drawn]) -> bytes:
    """Return the screenshot with boxes and captions as a PNG."""
    image = open_screenshot(page).convert("RGBA")
    layer = require("PIL.Image", "render", "Pictures").new("RGBA", image.size, (0, 0, 0, 0))
    pen = require("PIL.ImageDraw", "render", "Pictures").Draw(layer)
    # Inner boxes are drawn above outer ones, and captions last, so that no box covers them.
    for corners, color, _ in sorted(drawn, key=lambda box: -_area(box.corners)):
        pen.rectangle(corners, fill=(*color, FILL), outline=(*color, EDGE), width=2)
    placed: list[Place] = []
    for corners, color, caption in drawn:
        placed.append(_caption(pen, corners[:2], color, caption, placed[-CAPTIONS:]))
    image.alpha_composite(layer)
    out = io.BytesIO()
    image.convert("RGB").save(out, "PNG")
    return out.getvalue()


CAPTIONS = 30
"""Captions before each one beside which it is written, if they would overlap (hand-set)."""

Place = tuple[float, float, float, float]
"""Left, top, right and bottom of a caption in pixels."""


def _caption(
    pen: Any, corner: tuple[float, float], color: tuple[int, int, int], caption: str, placed: Sequence[Place]
) -> Place:
    """Write a caption to the left of the upper left corner of its box, where it hides the least.

    placed: captions beside which it is written, from left to right. Returns the place of the caption.
    """
    font = require("PIL.ImageFont", "render", "Pictures").load_default(12)
    width = pen.textlength(caption, font=font) + 6
    x, y = max(corner[0] - width + 1, 0), corner[1]
    for left, top, right, bottom in sorted(placed):
        if x < right and left < x + width and y < bottom and top < y + 15:
            x = right + 1
    pen.rectangle((x, y, x + width, y + 15), fill=(*color, 255))
    pen.text((x + 3, y + 1), caption, font=font, fill=(255, 255, 255, 255))
    return x, y, x + width, y + 15


def _corners(box: Box) -> tuple[float, float, float, float]:
    x, y, width, height = box
    return x, y, x + max(width, 1), y + max(height, 1)


def _area(corners: tuple[float, float, float, float]) -> float:
    left, top, right, bottom = corners
    return (right - left) * (bottom - top)


WIDTH, HEIGHT = 4.8, 4.0
"""Inches of one panel."""

_COLORS, _STROKES = PALETTE[:5], ("-", "--", ":", "-.")  # strokes distinguish the curves without colours
_SHARES = (0.0, 0.25, 0.5, 0.75, 1.0)


class Curve(NamedTuple):
    """A curve of a plot: its name, the scores (p,) of the pages; grey: drawn thin, for comparison."""

    name: str
    scores: Sequence[float]
    grey: bool = False


def plot_cumulative(panels: Mapping[str, Sequence[Curve]], path: Path, measure: str = "ARI") -> None:
    """Draw the share of pages that score at most x: of two methods, the one with the lower curve is better.

    panels: curves by heading, drawn side by side; a score of nan is ignored. path: of the PNG. Raises
    `ParameterError` without a panel or for another kind of file, `MissingExtraError` without Matplotlib.
    Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, figures
    2 to 5.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     plot_cumulative({"fine": [Curve("gcuts", [0.2, 0.7, 0.9])]}, Path(folder) / "ari.png")
    ...     (Path(folder) / "ari.png").read_bytes()[1:4]
    b'PNG'
    """
    if path.suffix.lower() != ".png" or not panels:
        raise ParameterError(
            f"plot_cumulative expects a panel at least and a file .png, got {len(panels)} and {path.name!r}."
        )
    figures = require("matplotlib.figure", "plot", "plots")
    figure = figures.Figure((WIDTH * len(panels), HEIGHT), layout="constrained")
    row_of_axes = figure.subplots(1, len(panels), squeeze=False)[0]
    for axes, (heading, curves) in zip(row_of_axes, panels.items(), strict=True):
        _panel(axes, heading, curves, measure)
    with replacing(path) as part:  # without the version of a program: equal scores give equal files
        figure.savefig(part, format="png", dpi=150, metadata={"Software": None})


def _panel(axes: Any, heading: str, curves: Sequence[Curve], measure: str) -> None:
    looks = cycle([(stroke, color) for stroke in _STROKES for color in _COLORS])
    grey = cycle([(stroke, "#999999") for stroke in _STROKES])
    for curve in curves:
        stroke, color = next(grey if curve.grey else looks)
        scores = np.asarray(curve.scores, np.float64)
        scores = scores[~np.isnan(scores)]
        if len(scores):
            axes.ecdf(scores, label=curve.name, color=color, linestyle=stroke, linewidth=2 - curve.grey)
    axes.set(title=heading, xlabel=measure, ylabel="share of the pages, at most", xlim=(0, 1), ylim=(0, 1))
    axes.set_yticks(_SHARES, [f"{share:.0%}" for share in _SHARES])
    axes.grid(alpha=0.3)
    if axes.lines:
        axes.legend(loc="upper left", fontsize="small")
