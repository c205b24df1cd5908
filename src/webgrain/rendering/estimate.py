"""The layout estimate: boxes and styles of a page from its HTML and CSS, without a browser.

Styles come from a browser's own sheet, the presentational attributes of HTML, the rules of ``<style>``
elements with simple selectors, and ``style`` attributes. Layout covers blocks with collapsing margins, lines
of text and inline elements, lists, tables, floats, rows of flex items, and positioned boxes. Scripts,
pseudo-elements, the widths of real fonts, and linked style sheets that the caller does not provide are left
out.

Source: CSS 2.2, sections 8-10 and 17, and CSS Cascade 4, simplified. Departures from a browser: lines are not
broken word by word, but the width of a text is divided by the available width; a container is as high as its
floats, since pages clear them mostly by means that are not read; an image without a size is 100 x 75 px.

Agreement with Chromium on 80 front pages of real sites (means over pages; rank correlations are Spearman's,
of the centres, font sizes and areas of the leaves that are visible in both; ``benchmarks/bench_estimate.py``
prints all):

====================== ========= ====== ==== ==== ========= ==== ======== ====
of visible leaves      precision recall y    x    font size area one line bold
====================== ========= ====== ==== ==== ========= ==== ======== ====
order of the document  .579      .988   .818 .035 none      .414 .604     .725
estimate               .832      .986   .871 .394 .446      .887 .860     .833
with the linked sheets .956      .975   .960 .836 .949      .923 .951     .971
====================== ========= ====== ==== ==== ========= ==== ======== ====

Most of the difference is thus due to linked style sheets. Hostile style sheets are limited by the constants
of `webgrain.rendering.thresholds`; font sizes and lengths are limited as well.

Cost: linear in nodes, characters of text and of style sheets; only declarations of rules that match a node
are read, and equal style sheets are read once per process.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float32, Float64, Int8, Int32, UInt32
from webgrain.errors import ParameterError
from webgrain.page.addresses import node_matcher
from webgrain.page.dom import Dom
from webgrain.page.kernels.purepython import warn_once
from webgrain.page.page import View
from webgrain.page.strings import name_set
from webgrain.rendering.css import (
    HINTS,
    LINK_COLOR,
    Arrays,
    Blocks,
    Declaration,
    Sheet,
    applies,
    attribute_style,
    browser_sheet,
    declarations,
    parse_sheet,
    split_important,
)
from webgrain.rendering.kernels import cascade as columns
from webgrain.rendering.kernels.boxes import LINE_BREAK, REPLACED, find_visible, measure
from webgrain.rendering.kernels.cascade import cascade
from webgrain.rendering.kernels.layout import COMPILED, Flow
from webgrain.rendering.thresholds import COMPARISONS, MAX_STYLE

_REPLACED = name_set(
    "img input select textarea iframe embed object video canvas svg math meter progress applet"
)


def estimate(
    dom: Dom, *, viewport: tuple[int, int] = (1366, 768), sheets: Callable[[str], str | None] | None = None
) -> View:
    """Estimate the layout of a page without a browser; the same tree always gives the same view.

    viewport: width and height in px, at least 1. sheets: returns the text of the style sheet at the ``href``
    of a link, or None (see `webgrain.pipeline.linked_sheets`); by default, linked style sheets are ignored.

    >>> from webgrain.page.parsing import parse_html
    >>> view = estimate(parse_html(b"<h1>Title</h1><p hidden>Secret</p>"))
    >>> view.font_size[3].item(), view.box[3].round().tolist(), view.visible[4:].tolist()
    (32.0, [8.0, 21.0, 1350.0, 37.0], [True, False, False])
    """
    if min(viewport) < 1:
        raise ParameterError(f"viewport must be a width and a height of at least 1, got {viewport}.")
    warn_once(COMPILED)
    styles = compute_styles(dom, viewport, sheets)
    # Uncompiled, numpy would compute in float32, C in double.
    table = styles.table if COMPILED else styles.table.astype(np.float64)
    box, role = _boxes(dom, table, viewport)
    visible = find_visible(dom.parent, role, box, table)
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


Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
_NO_PAIRS: Pairs = (np.zeros(0, np.int64), np.zeros(0, np.int64))
WHITE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Styles:
    """Styles of ``n`` nodes.

    Attributes:
        table: (n, N_COLUMNS) float32, see `webgrain.rendering.kernels.cascade`.
        color, background: (n,) uint32, red in the lowest byte; the background is the effective one.
        painter: (n,) int32, the node that paints it, -1 the canvas.
        fonts: names by number.
    """

    table: Float32
    color: UInt32
    background: UInt32
    painter: Int32
    fonts: tuple[str, ...]


def compute_styles(
    dom: Dom, viewport: tuple[int, int], sheets: Callable[[str], str | None] | None = None
) -> Styles:
    """Compute the styles of all nodes.

    viewport: px, for media queries and units. sheets: as in `estimate`.

    >>> from webgrain.page.parsing import parse_html
    >>> dom = parse_html(b"<style>#a { color: red !important }</style><p id=a style='color:blue'>")
    >>> hex(compute_styles(dom, (1366, 768)).color[5])
    '0xff0000ff'
    """
    sheet = parse_sheet("\n".join(_sheets(dom, viewport[0], sheets)), viewport[0])
    tag_blocks, base, fonts = _base()
    blocks, first = Blocks(fonts), len(base[0]) - 1
    matched, matched_important = _matched(dom, sheet, blocks, first)
    inline, inline_important = _inline(dom, blocks, first)
    folded = _all(_folded(dom), first + blocks.add(declarations("display: none")))
    pairs = (*_hints(dom, blocks, first), matched, inline, matched_important, inline_important, folded)
    node = np.concatenate([pair[0] for pair in pairs])
    block = np.concatenate([pair[1] for pair in pairs]).astype(np.int32)
    order = np.argsort(node, kind="stable")  # within a node, the last declaration wins
    entry_start = np.append(0, np.cumsum(np.bincount(node, minlength=len(dom)))).astype(np.int32)
    of_tag = np.array([tag_blocks.get(tag, -1) for tag in dom.tags], np.int32)
    table, color, background, painter = cascade(
        dom.parent, dom.tag, of_tag, entry_start, block[order], *_join(base, blocks), viewport
    )
    background[painter < 0] = WHITE
    return Styles(table, color, background, painter, tuple(blocks.fonts))


@cache
def _base() -> tuple[dict[str, int], Arrays, tuple[str, ...]]:
    """Return the rules of the browser's own sheet: the block of each tag, all blocks, names of fonts."""
    blocks, tag_blocks = browser_sheet()
    return tag_blocks, blocks.arrays(), tuple(blocks.fonts)


def _join(base: Arrays, blocks: Blocks) -> Arrays:
    start, column, unit, value = blocks.arrays()
    return (
        np.concatenate([base[0], start[1:] + base[0][-1]]), np.concatenate([base[1], column]),
        np.concatenate([base[2], unit]), np.concatenate([base[3], value]),
    )  # fmt: skip


_RELATIONS = {"stylesheet", "alternate"}


def _sheets(dom: Dom, width: int, sheets: Callable[[str], str | None] | None) -> Iterator[str]:
    """Texts of the style sheets of a page that apply to a viewport of this width, in their order."""
    carriers = ("style",) if sheets is None else ("style", "link")
    is_carrier = np.array([tag in carriers for tag in dom.tags], bool)[dom.tag]
    for node in np.flatnonzero(is_carrier).tolist():
        attributes = dom.attributes(node)
        if (media := attributes.get("media")) and not applies(f"@media {media}", width):
            continue
        if dom.name(node) == "style":
            yield dom.text_of(node)
        elif sheets and set(attributes.get("rel", "").lower().split()) & _RELATIONS == {"stylesheet"}:
            yield sheets(attributes.get("href", "")) or ""


def _owners(dom: Dom, wanted: Callable[[str], bool]) -> Pairs:
    """Attributes with a wanted name, and the node of each."""
    chosen = np.array([wanted(name) for name in dom.names], bool)
    if not chosen.any():
        return _NO_PAIRS
    found = np.flatnonzero(chosen[dom.attr_name])
    return found, np.searchsorted(dom.attr_start, found, side="right") - 1


def _hints(dom: Dom, blocks: Blocks, first: int) -> Iterator[Pairs]:
    """Pairs (node, block) of presentational attributes and links."""
    known: dict[tuple[int, int, str], int] = {}
    attribute, owner = _owners(dom, HINTS.__contains__)
    given: list[int] = []
    starts, values = dom.value_start, dom.values
    columns = (dom.tag[owner], dom.attr_name[attribute], starts[attribute], starts[attribute + 1])
    for tag, name, start, end in zip(*(column.tolist() for column in columns), strict=True):
        key = (tag, name, values[start : min(end, start + MAX_STYLE)])
        if (number := known.get(key)) is None:
            style = attribute_style(dom.tags[tag], dom.names[name], key[2])
            number = known[key] = first + blocks.add(style) if style else -1
        given.append(number)
    block = np.array(given, np.int64)
    yield owner[block >= 0], block[block >= 0]
    if "a" in dom.tags:
        _, owner = _owners(dom, "href".__eq__)
        yield _all(owner[dom.tag[owner] == dom.tags.index("a")], first + blocks.add(declarations(LINK_COLOR)))


def _folded(dom: Dom) -> NDArray[np.intp]:
    """Children of closed ``<details>``, except their summaries, which no style sheet can show."""
    closed = np.isin(np.arange(len(dom)), dom.find_tag("details"))
    closed[dom.find_attribute("open")[1]] = False
    inside = (dom.parent >= 0) & closed[dom.parent]
    inside[dom.find_tag("summary")] = False
    return np.flatnonzero(inside)


def _all(nodes: NDArray[np.integer], block: int) -> Pairs:
    return nodes, np.full(len(nodes), block)


def _inline(dom: Dom, blocks: Blocks, first: int) -> tuple[Pairs, Pairs]:
    """Pairs (node, block) of ``style`` attributes: normal and important declarations."""
    known: dict[str, tuple[int, int]] = {}
    attribute, owner = _owners(dom, "style".__eq__)
    given: list[tuple[int, int]] = []
    starts, values = dom.value_start, dom.values
    for start, end in zip(starts[attribute].tolist(), starts[attribute + 1].tolist(), strict=True):
        text = values[start : min(end, start + MAX_STYLE)]
        if (numbers := known.get(text)) is None:
            numbers = known[text] = _add(blocks, declarations(text), first)
        given.append(numbers)
    return _known(owner, np.array(given, np.int64).reshape(-1, 2))


def _matched(dom: Dom, sheet: Sheet, blocks: Blocks, first: int) -> tuple[Pairs, Pairs]:
    """Pairs (node, block) of the rules of the page: normal and important declarations."""
    if not len(sheet.rule):
        return _NO_PAIRS, _NO_PAIRS
    matcher = node_matcher(dom, sheet.chain, COMPARISONS + 200 * len(dom))
    node, rank = matcher.match(sheet.key, sheet.key_start, sheet.waiting, sheet.rank)
    rule = sheet.rule[rank]
    numbers = np.full((len(sheet.body), 2), -1)
    for used in np.flatnonzero(np.bincount(rule)).tolist():
        numbers[used] = _add(blocks, sheet.declarations(used), first)
    return _known(node, numbers[rule])


def _add(blocks: Blocks, block: tuple[Declaration, ...], first: int) -> tuple[int, int]:
    """Add the normal and the important declarations as blocks; return both numbers, -1 for an empty block."""
    normal, important = split_important(block)
    return (
        first + blocks.add(normal) if normal else -1,
        first + blocks.add(important) if important else -1,
    )


def _known(node: NDArray[np.integer], numbers: NDArray[np.integer]) -> tuple[Pairs, Pairs]:
    """Return the nodes (m,) with each of their two blocks, the columns of ``numbers`` (m, 2), without -1."""
    pairs = ((node[block >= 0], block[block >= 0]) for block in numbers.T)
    return next(pairs), next(pairs)
