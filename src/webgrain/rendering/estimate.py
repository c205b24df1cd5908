"""Boxes and styles of a page from its HTML alone: no browser, no network, no files beside it.

What is read: the browser's own defaults for every tag, the attributes of old HTML that say how something
looks, the page's own ``<style>`` rules with simple selectors, and ``style`` attributes. What is laid out:
blocks with collapsing margins, lines of text and inline elements, lists, tables, floats, rows of flex items,
positioned boxes. What is left out: scripts, pseudo-elements, the real widths of fonts, and style sheets in
files of their own unless the caller gives them.

Departures from a browser: a text is not broken word by word, its width (a table of character widths) is
divided by the room there is; a container is as high as its floats, since pages clear them mostly by means
that are not read; an image that does not say its size is 100 x 75 px.

How near that comes to a browser, on 80 real front pages (means over pages; rank correlations are Spearman's,
of the middles, font sizes and areas of the leaves that both see; ``benchmarks/bench_estimate.py`` prints
all):

====================== ========= ====== ==== ==== ========= ==== ======== ====
of visible leaves      precision recall y    x    font size area one line bold
====================== ========= ====== ==== ==== ========= ==== ======== ====
order of the document  .579      .988   .818 .035 none      .414 .604     .725
estimate               .832      .986   .871 .394 .446      .887 .860     .833
with the linked sheets .956      .975   .960 .836 .949      .923 .951     .971
====================== ========= ====== ==== ==== ========= ==== ======== ====

Most of what is missing is thus in style sheets that the HTML only names. Bounds on hostile styles:
`MAX_CHARS`, `MAX_SELECTORS` and `MAX_COMPOUNDS` of `webgrain.rendering.css`, `MAX_STYLE` of
`webgrain.rendering.css`, `COMPARISONS` of `webgrain.rendering.styles`, sizes of fonts and lengths; what
is beyond
is left out.

Cost: linear in nodes, characters of text and of style sheets; of the rules only those are read that match a
node, and the same sheets are read once per process.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float32, Float64, Int8
from webgrain.errors import ParameterError
from webgrain.page.dom import Dom
from webgrain.page.kernels.purepython import warn_once
from webgrain.page.page import View
from webgrain.rendering.kernels import cascade as columns
from webgrain.rendering.kernels.boxes import see
from webgrain.rendering.kernels.layout import COMPILED, Flow
from webgrain.rendering.kernels.textwidth import LINE_BREAK, REPLACED, measure
from webgrain.rendering.styles import Styles, compute_styles

_REPLACED = frozenset(
    (
        "img", "input", "select", "textarea", "iframe", "embed", "object", "video", "canvas", "svg", "math",
        "meter", "progress", "applet",
    )
)  # fmt: skip


def estimate(
    dom: Dom, *, viewport: tuple[int, int] = (1366, 768), sheets: Callable[[str], str | None] | None = None
) -> View:
    """Lay out a page roughly, without a browser; the same tree always gives the same view.

    viewport: width and height in px, at least 1; `ParameterError` for others. sheets: gives the text of the
    style sheet at a link's ``href``, None where there is none, such as
    `webgrain.pipeline.linked_sheets`; without it the page speaks for itself alone. Source: CSS 2.2,
    sections 8-10 and 17, simplified as the module says.

    >>> from webgrain.page.parsing import parse_html
    >>> view = estimate(parse_html(b"<h1>Title</h1><p hidden>Secret</p>"))
    >>> view.font_size[3].item(), view.box[3].round().tolist(), view.visible[4:].tolist()
    (32.0, [8.0, 21.0, 1350.0, 37.0], [True, False, False])
    """
    if min(viewport) < 1:
        raise ParameterError(f"estimate expects a viewport of at least 1 x 1 px, got {viewport}.")
    warn_once(COMPILED)
    styles = compute_styles(dom, viewport, sheets)
    # Uncompiled, numpy would go on in float32 where C computes in double.
    table = styles.table if COMPILED else styles.table.astype(np.float64)
    box, role = _boxes(dom, table, viewport)
    visible = see(dom.parent, role, box, table)
    box[role == 0] = 0
    return _view(styles, box.astype(np.float32), visible, viewport)


def _boxes(dom: Dom, table: NDArray[np.floating], viewport: tuple[int, int]) -> tuple[Float64, Int8]:
    kinds = [LINE_BREAK if tag == "br" else REPLACED if tag in _REPLACED else 0 for tag in dom.tags]
    kind, is_text = np.array(kinds, np.int8)[dom.tag], dom.is_text.view(np.int8)
    texts = measure(dom.text, dom.text_start, dom.tag, table)
    flow = Flow(  # type: ignore[no-untyped-call]
        dom.parent, dom.end, is_text, kind, table, texts, float(viewport[0])
    )
    return flow.run()  # type: ignore[no-any-return,no-untyped-call]


def _view(styles: Styles, box: Float32, visible: Bool, viewport: tuple[int, int]) -> View:
    table = styles.table
    corner = (box[visible, :2] + box[visible, 2:]).max(axis=0, initial=0)
    return View(
        box=box,
        visible=visible,
        display=table[:, columns.DISPLAY].astype(np.int8),
        position=table[:, columns.POSITION].astype(np.int8),
        font=table[:, columns.FONT].astype(np.int32),
        font_size=table[:, columns.FONT_SIZE].copy(),
        font_weight=table[:, columns.FONT_WEIGHT].astype(np.int16),
        italic=table[:, columns.ITALIC] > 0,
        color=styles.color.view(np.uint8).reshape(-1, 4),
        background=styles.background.view(np.uint8).reshape(-1, 4),
        painter=styles.painter,
        background_image=table[:, columns.IMAGE] > 0,
        fonts=styles.fonts,
        width=max(float(corner[0]), float(viewport[0])),
        height=max(float(corner[1]), float(viewport[1])),
        viewport=viewport,
        source="estimate",
    )
