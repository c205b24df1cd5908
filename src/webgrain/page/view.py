"""View: where the nodes of a page stand and how they look, one row per node of its Dom."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain.page.dom import freeze

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

DISPLAY = (
    "none", "inline", "block", "inline-block", "list-item", "flex", "inline-flex", "grid", "inline-grid",
    "table", "inline-table", "table-row", "table-cell", "table-caption", "table-row-group",
    "table-header-group", "table-footer-group", "table-column", "table-column-group", "contents",
    "flow-root", "other",
)  # fmt: skip
"""Values of the CSS property ``display`` that a View tells apart; the last stands for all others."""

POSITION = ("static", "relative", "absolute", "fixed", "sticky")
"""Values of the CSS property ``position``."""


@dataclass(frozen=True, slots=True, eq=False)
class View:
    """Boxes and computed styles; ``n`` nodes in the order of the Dom, all arrays read-only.

    A text node has the box of its lines and the styles of its parent. A node without a box (not rendered) has
    the box 0, 0, 0, 0.

    Attributes:
        box: (n, 4) float32, x, y, width, height in CSS px from the corner of the page.
        visible: (n,) bool; False where nothing of the node can be seen: no area, clipped away, off the page,
            transparent, ``visibility: hidden``.
        display: (n,) int8 into `DISPLAY`; position: (n,) int8 into `POSITION`.
        font: (n,) int32 into ``fonts``, the first family of the list.
        font_size: (n,) float32 in px; font_weight: (n,) int16, 1-1000; italic: (n,) bool.
        color: (n, 4) uint8 red, green, blue, alpha of the text.
        background: (n, 4) uint8, the effective one: that of the nearest ancestor-or-self that paints one.
        painter: (n,) int32, that ancestor-or-self; -1 where only the canvas paints.
        background_image: (n,) bool, True where the node itself has a background image.
        fonts: names of the font families.
        width, height: the page in CSS px; viewport: (width, height) it was laid out for.
        source: "chromium" or "estimate".
    """

    box: NDArray[np.float32]
    visible: NDArray[np.bool]
    display: NDArray[np.int8]
    position: NDArray[np.int8]
    font: NDArray[np.int32]
    font_size: NDArray[np.float32]
    font_weight: NDArray[np.int16]
    italic: NDArray[np.bool]
    color: NDArray[np.uint8]
    background: NDArray[np.uint8]
    painter: NDArray[np.int32]
    background_image: NDArray[np.bool]
    fonts: tuple[str, ...]
    width: float
    height: float
    viewport: tuple[int, int]
    source: str

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        return len(self.box)
