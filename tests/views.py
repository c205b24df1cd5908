"""Made-up views for tests that need boxes, without a browser."""

from __future__ import annotations

import numpy as np

from webgrain.page.dom import Dom
from webgrain.page.page import DISPLAY, Page, View
from webgrain.page.strings import has_text, name_set
from webgrain.page.text import INLINE
from webgrain.rendering.hiding import hidden_nodes

LINE = (1000.0, 20.0)
"""Width and height of a line in px."""
_ATOMS = name_set("img input select textarea button iframe embed object video canvas svg")
_SIZES = {"h1": 32.0, "h2": 24.0, "h3": 19.0}


def with_lines(page: Page) -> Page:
    """Return a page with a view by `line_view`."""
    return page.with_view(line_view(page.dom))


def line_view(dom: Dom) -> View:
    """Return a view in which every visible text, image or control is a line, one below the other.

    An element has the box around its lines. Headings are large and bold.

    >>> from webgrain.page.parsing import parse_html
    >>> line_view(parse_html("<p>One<p>Two")).box[-1].tolist()
    [0.0, 20.0, 1000.0, 20.0]
    """
    n = len(dom)
    hidden = hidden_nodes(dom)
    atom = np.array([tag in _ATOMS for tag in dom.tags], bool)[dom.tag]
    line = ~hidden & (atom | (dom.is_text & has_text(dom))) & ~dom.inside(atom)
    before = np.append(0, np.cumsum(line))
    first, count = before[:-1], before[dom.end] - before[:-1]
    box = np.zeros((n, 4), np.float32)
    shown = count > 0
    box[shown] = np.stack(
        [0 * first, LINE[1] * first, 0 * first + LINE[0], LINE[1] * count], axis=1
    )[shown]  # fmt: skip
    size, bold = np.full(n, 16.0, np.float32), np.zeros(n, bool)
    for tag, height in _SIZES.items():
        inside = dom.inside(np.array([name == tag for name in dom.tags])[dom.tag])
        size[inside], bold[inside] = height, True
    inline = np.array([tag == "#text" or tag in INLINE for tag in dom.tags], bool)[dom.tag]
    display = np.where(inline, DISPLAY.index("inline"), DISPLAY.index("block"))
    return View(
        box=box,
        visible=shown & ~hidden,
        display=np.where(hidden, DISPLAY.index("none"), display).astype(np.int8),
        position=np.zeros(n, np.int8),
        font=np.zeros(n, np.int32),
        font_size=size,
        font_weight=np.where(bold, 700, 400).astype(np.int16),
        italic=np.zeros(n, bool),
        color=np.tile(np.array((0, 0, 0, 255), np.uint8), (n, 1)),
        background=np.full((n, 4), 255, np.uint8),
        painter=np.full(n, -1, np.int32),
        background_image=np.zeros(n, bool),
        fonts=("serif",),
        width=LINE[0],
        height=max(LINE[1] * float(before[-1]), 1.0),
        viewport=(1366, 768),
        source="lines",
    )
