"""The layout estimate: boxes and styles of a page from its HTML and CSS, without a browser.

Styles come from a browser's own sheet, the presentational attributes of HTML, style sheets, and ``style``
attributes, with custom properties and calculations. Layout covers blocks with collapsing margins, lines of
text and inline elements, lists, tables, floats, flex containers, grids, and positioned boxes. Scripts,
pseudo-elements, columns of text, the widths of real fonts, and linked style sheets that the caller does not
provide are left out. Cascade layers and nested rules have no rank of their own.

Source: CSS 2.2, sections 8-10 and 17, CSS Cascade 4, Flexible Box 1 and Grid 2, simplified. Departures from a
browser: lines are not broken word by word, but the width of a text is divided by the available width; a
container is as high as its floats, since pages clear them mostly by means that are not read; an image without
a size is 100 x 75 px; a percentage of a height is ``auto``.

Agreement with Chromium on 80 front pages of real sites (means over pages; rank correlations are Spearman's,
of the centres, font sizes and areas of the leaves that are visible in both; ``benchmarks/bench_estimate.py``
prints all):

====================== ========= ====== ==== ==== ========= ==== ======== ====
of visible leaves      precision recall y    x    font size area one line bold
====================== ========= ====== ==== ==== ========= ==== ======== ====
order of the document  .579      .988   .818 .035 none      .414 .604     .725
estimate               .831      .986   .871 .394 .446      .887 .860     .833
with the linked sheets .963      .984   .975 .918 .997      .929 .966     .988
====================== ========= ====== ==== ==== ========= ==== ======== ====

Most of the difference is thus due to linked style sheets. Hostile style sheets are limited by the constants
of `webgrain.rendering.thresholds`; font sizes and lengths are limited as well.

Cost: linear in nodes, characters of text and of style sheets; only declarations of rules that match a node
are read, and equal style sheets are read once per process.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from typing import NamedTuple
from urllib.parse import urljoin

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int8, Int32, UInt32
from webgrain.base.errors import ParameterError
from webgrain.base.purepython import warn_once
from webgrain.page.dom import Dom
from webgrain.page.leaves import show_streamed
from webgrain.page.page import View
from webgrain.page.strings import closing_bracket, name_set
from webgrain.rendering import css, thresholds
from webgrain.rendering.declarations import declarations, split_important, typical_size
from webgrain.rendering.kernels import cascade as k
from webgrain.rendering.kernels.boxes import LINE_BREAK, REPLACED, find_visible, measure
from webgrain.rendering.kernels.cascade import cascade
from webgrain.rendering.kernels.layout import COMPILED, Flow

_REPLACED = name_set(
    "img input select textarea iframe embed object video canvas svg math meter progress applet"
)


def estimate(
    dom: Dom, *, viewport: tuple[int, int] = (1366, 768), sheets: Callable[[str], str | None] | None = None
) -> View:
    """Estimate the layout of a page without a browser; the same tree always gives the same view.

    viewport: width and height in px, at least 1. sheets: returns the text of the style sheet at the ``href``
    of a link, or None (see `webgrain.site.pipeline.linked_sheets`); by default, linked sheets are ignored.

    Scripts do not run, but what they would show is visible: hidden parts that React sent, and transparent or
    invisible content that is most of the text of a page (`REVEALED`).

    >>> from webgrain.page.parsing import parse_html
    >>> view = estimate(parse_html(b"<h1>Title</h1><p hidden>Secret</p>"))
    >>> view.font_size[3].item(), view.box[3].round().tolist(), view.visible[4:].tolist()
    (32.0, [8.0, 21.0, 1350.0, 37.0], [True, False, False])
    """
    if min(viewport) < 1:
        raise ParameterError(f"viewport must be a width and a height of at least 1, got {viewport}.")
    warn_once(COMPILED)
    dom = show_streamed(dom)
    styles = compute_styles(dom, viewport, sheets)
    # Uncompiled, numpy would compute in float32, C in double.
    table = styles.table if COMPILED else styles.table.astype(np.float64)
    box, role = _boxes(dom, table, styles.names, viewport)
    find = partial(find_visible, dom.parent, role, box)
    visible = _revealed(dom, table, find(table), find)
    box[role == 0] = 0
    return _view(styles, box.astype(np.float32), visible, viewport)


def _revealed(dom: Dom, table: NDArray[np.floating], visible: Bool, find: Callable[..., Bool]) -> Bool:
    """Return the visible nodes (n,), with transparent and invisible ones if these have most of the text.

    find: returns the visible nodes by a table of styles.
    """
    letters = np.where(dom.is_text, np.diff(dom.text_start), 0)
    opaque = table.copy()
    opaque[:, k.OPACITY], opaque[:, k.VISIBILITY] = 1.0, 0.0
    shown = find(opaque)
    return shown if letters[shown].sum() > (1.0 + thresholds.REVEALED) * letters[visible].sum() else visible


def _boxes(
    dom: Dom, table: NDArray[np.floating], names: tuple[str, ...], viewport: tuple[int, int]
) -> tuple[Float64, Int8]:
    kinds = [LINE_BREAK if tag == "br" else REPLACED if tag in _REPLACED else 0 for tag in dom.tags]
    kind, is_text = np.array(kinds, np.int8)[dom.tag], dom.is_text.view(np.int8)
    texts = measure(dom.text, dom.text_start, dom.tag, table)
    flow = Flow(  # type: ignore[no-untyped-call]
        dom.parent, dom.end, is_text, kind, table, texts, partial(Grids, names), viewport
    )
    return flow.run()  # type: ignore[no-any-return,no-untyped-call]


def _view(styles: Styles, box: Float32, visible: Bool, viewport: tuple[int, int]) -> View:
    table = styles.table
    corner = (box[visible, :2] + box[visible, 2:]).max(axis=0, initial=0)
    return View(
        box=box,
        visible=visible,
        display=table[:, k.DISPLAY].astype(np.int8),
        position=table[:, k.POSITION].astype(np.int8),
        font=table[:, k.FONT].astype(np.int32),
        font_size=table[:, k.FONT_SIZE].copy(),
        font_weight=table[:, k.FONT_WEIGHT].astype(np.int16),
        italic=table[:, k.ITALIC] > 0,
        color=styles.color.view(np.uint8).reshape(-1, 4),
        background=styles.background.view(np.uint8).reshape(-1, 4),
        painter=styles.painter,
        background_image=table[:, k.IMAGE] > 0,
        fonts=styles.fonts,
        width=max(float(corner[0]), float(viewport[0])),
        height=max(float(corner[1]), float(viewport[1])),
        viewport=viewport,
        source="estimate",
    )


Pairs = tuple[NDArray[np.integer], NDArray[np.integer]]
"""Nodes, and a block of declarations for each, -1 for none."""
WHITE = 0xFFFFFFFF


@dataclass(frozen=True, slots=True, eq=False)
class Styles:
    """Styles of ``n`` nodes.

    Attributes:
        table: (n, N_COLUMNS) float32, see `webgrain.rendering.kernels.cascade`.
        color, background: (n,) uint32, red in the lowest byte; the background is the effective one.
        painter: (n,) int32, the node that paints it, -1 the canvas.
        fonts: names by number; names: the texts in the columns `NAMED`, by number.
    """

    table: Float32
    color: UInt32
    background: UInt32
    painter: Int32
    fonts: tuple[str, ...]
    names: tuple[str, ...]


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
    of_tag, base, fonts = css.browser_sheet()
    blocks = css.Blocks(base, fonts)
    matched, of_rule = _matched(dom, "\n".join(_sheets(dom, viewport[0], sheets)), viewport[0], blocks)
    styled, of_style = _inline(dom, blocks)
    folded = _all(_folded(dom), blocks.add_text("display: none")[0])
    pairs = [*_hints(dom, blocks), (matched, of_rule[:, 0]), (styled, of_style[:, 0])]
    pairs += [(matched, of_rule[:, 1]), (styled, of_style[:, 1]), folded]
    node, block = (np.concatenate(parts) for parts in zip(*pairs, strict=True))
    order = np.argsort(node, kind="stable")  # within a node, the last declaration wins
    order = order[block[order] >= 0]
    node, block = node[order], block[order].astype(np.int32)
    entry_start = np.append(0, np.cumsum(np.bincount(node, minlength=len(dom)))).astype(np.int32)
    tag_block = np.array([of_tag.get(tag, -1) for tag in dom.tags], np.int32)
    block = _with_variables(dom, blocks, node, block)
    table, color, background, painter = cascade(
        dom.parent, dom.tag, tag_block, entry_start, block, *blocks.arrays(), viewport
    )
    background[painter < 0] = WHITE
    _settle_lengths(table)
    return Styles(table, color, background, painter, tuple(blocks.fonts), tuple(blocks.names))


_VERTICAL = [k.HEIGHT, k.MAX_HEIGHT, k.TOP, k.BOTTOM]
_PADDING, _BORDER = slice(k.PADDING_TOP, k.BORDER_TOP), slice(k.BORDER_TOP, k.COLUMNS)
_NUMBERS = [k.LINE_HEIGHT, k.TEXT_INDENT, k.SPACING, *range(k.OPACITY, k.COLUMNS), k.MOVE_X, k.MOVE_Y]


def _settle_lengths(table: Float32) -> None:
    """Limit lengths, remove percentages of heights, which are seldom known, and add borders to padding."""
    numbers = table[:, _NUMBERS]
    limit = np.where(np.abs(numbers) > thresholds.FAR, thresholds.MAX_SHARE * k.SHARE, k.MAX_LENGTH)
    table[:, _NUMBERS] = np.clip(numbers, -limit, limit)
    for column in (*_VERTICAL, k.MIN_HEIGHT, k.ROW_GAP, k.TEXT_INDENT, k.SPACING):
        unknown = np.abs(table[:, column]) > thresholds.FAR
        table[unknown, column] = np.nan if column in _VERTICAL else 0
    padding = table[:, _PADDING]
    padding[np.isnan(padding)] = 0
    padding += table[:, _BORDER]


def _with_variables(dom: Dom, blocks: css.Blocks, node: NDArray[np.integer], block: Int32) -> Int32:
    """Return the blocks (m,) of nodes (m,), those with ``var()`` as they are read at the node."""
    if not blocks.late:
        return block
    late = np.flatnonzero(np.isin(block, list(blocks.late)))
    texts = [blocks.late[number] for number in block[late].tolist()]
    custom = [css.custom_properties(*text) for text in texts]
    has_custom = np.array([len(one) > 0 for one in custom], bool)
    environments = css.Environments(dom, node[late[has_custom]], [one for one in custom if one])
    pair = np.stack([block[late], environments.of_node[node[late]]], axis=1)
    used, of_pair = np.unique(pair, axis=0, return_inverse=True)
    read = []
    for number, environment in used[: thresholds.MAX_VARIANTS].tolist():
        text, important = blocks.late[number]
        declared = declarations(css.substituted_block(text, environments.properties[environment]))
        read.append(blocks.add(split_important(declared)[important]))
    changed = block.copy()
    of_pair = of_pair.reshape(-1)
    changed[late] = np.append(used[:, 0], 0)[of_pair]
    known = of_pair < len(read)
    changed[late[known]] = np.array(read, np.int32)[of_pair[known]]
    return changed


def _sheets(dom: Dom, width: int, sheets: Callable[[str], str | None] | None) -> Iterator[str]:
    """Texts of the style sheets of a page that apply to a viewport of this width, in their order."""
    carriers = ("style",) if sheets is None else ("style", "link")
    is_carrier = np.array([tag in carriers for tag in dom.tags], bool)[dom.tag]
    left = thresholds.MAX_IMPORTS
    for node in np.flatnonzero(is_carrier).tolist():
        attributes = dom.attributes(node)
        if (media := attributes.get("media")) and not css.applies(f"@media {media}", width):
            continue
        href, text = "", None
        if dom.name(node) == "style":
            text = dom.text_of(node)
        elif sheets is not None and is_sheet(attributes.get("rel", "")):
            text = sheets(href := attributes.get("href", ""))
        if text and sheets is not None and "@import" in text[: thresholds.MAX_STYLE]:
            imported = list(_imported(text, href, width, sheets, left))
            left -= len(imported)
            yield from imported
        if text:
            yield text


def is_sheet(rel: str) -> bool:
    """Whether a link with these relations is a style sheet that applies at first."""
    relations = rel.lower().split()
    return "stylesheet" in relations and "alternate" not in relations


def _imported(
    text: str, href: str, width: int, sheets: Callable[[str], str | None], left: int
) -> Iterator[str]:
    """Texts of the style sheets that a style sheet imports, those that these import before them."""
    waiting = [(text, href)]
    seen = {href}
    found: list[str] = []
    while waiting and len(found) < left:
        text, href = waiting.pop()
        for address, media in reversed(css.imports(text[: thresholds.MAX_STYLE])):
            address = urljoin(href, address)
            inner = sheets(address) if address not in seen and css.applies(f"@media {media}", width) else None
            seen.add(address)
            if inner:
                found.append(inner)
                waiting.append((inner, address))
    return reversed(found[:left])


def _hints(dom: Dom, blocks: css.Blocks) -> Iterator[Pairs]:
    """Pairs of presentational attributes and links."""
    attribute = np.flatnonzero(np.array([name in css.HINTS for name in dom.names], bool)[dom.attr_name])
    owner = np.searchsorted(dom.attr_start, attribute, side="right") - 1
    rows = zip(
        dom.tag[owner].tolist(), dom.attr_name[attribute].tolist(), _texts(dom, attribute), strict=True
    )
    styles = [css.attribute_style(dom.tags[tag], dom.names[name], text) for tag, name, text in rows]
    yield owner, np.array([blocks.add_text(style)[0] for style in styles], np.int64)
    _, owner = dom.find_attribute("href")
    linked = owner[np.isin(owner, dom.find_tag("a"))]
    yield _all(linked, blocks.add_text(css.LINK_COLOR)[0])


def _texts(dom: Dom, attribute: NDArray[np.integer]) -> list[str]:
    """Return the beginnings of the values of attributes."""
    return [(value or "")[: thresholds.MAX_STYLE] for value in dom.values_of(attribute)]


def _folded(dom: Dom) -> NDArray[np.intp]:
    """Children of closed ``<details>``, except their summaries, which no style sheet can show."""
    closed = np.zeros(len(dom), bool)
    closed[dom.find_tag("details")] = True
    closed[dom.find_attribute("open")[1]] = False
    inside = (dom.parent >= 0) & closed[dom.parent]
    inside[dom.find_tag("summary")] = False
    return np.flatnonzero(inside)


def _all(nodes: NDArray[np.integer], block: int) -> Pairs:
    return nodes, np.full(len(nodes), block)


def _inline(dom: Dom, blocks: css.Blocks) -> Pairs:
    """Nodes (m,) with ``style`` attributes, and the blocks (m, 2) of normal and important declarations."""
    attribute, owner = dom.find_attribute("style")
    numbers = [blocks.add_text(text) for text in _texts(dom, attribute)]
    return owner, np.array(numbers, np.int64).reshape(-1, 2)


def _matched(dom: Dom, sheet: str, width: int, blocks: css.Blocks) -> Pairs:
    """Nodes (m,) that match the rules of a style sheet, and their blocks (m, 2), as in `_inline`."""
    selectors, bodies = css.parse_sheet(sheet, width)
    node, rule = selectors.find(dom, thresholds.COMPARISONS) if bodies else _NOTHING
    numbers = np.full((len(bodies), 2), -1)
    for used in np.unique(rule).tolist():
        numbers[used] = blocks.add_text(bodies[used])
    return node, numbers[rule]


_NOTHING = np.zeros((2, 0), np.int32)


MAX_TRACKS = 100
"""Columns of a grid."""
_REPEAT = re.compile(r"repeat\(\s*([0-9]{1,3}|auto-fi[lt]l?)\s*,")
_WORD = re.compile(
    r"minmax\(\s*((?:[^(),]|\([^()]*\))+),\s*((?:[^()]|\([^()]*\))+)\)"
    r"|(?:[^\s()]|\((?:[^()]|\([^()]*\))*\))+"
)
Track = tuple[float, float, float, float]
"""Fixed size in px, share of the grid, fraction of the rest, and least size, -1 if the content decides."""
Place = tuple[int, int, int, int]
"""First column, columns, first row, rows."""


class Template(NamedTuple):
    """Tracks, where an automatic repetition begins and ends, whether to fit, and the number of each line."""

    tracks: list[Track]
    first: int
    last: int
    fit: bool
    lines: dict[str, int]


@lru_cache(256)
def read_tracks(text: str) -> Template:
    """Read a template; the lines have numbers from 0, and those of repetitions have no names.

    >>> read_tracks("100px repeat(2, 1fr)").tracks
    [(100.0, 0.0, 0.0, 100.0), (0.0, 0.0, 1.0, -1.0), (0.0, 0.0, 1.0, -1.0)]
    """
    lines: dict[str, int] = {}
    if "[" in text:
        parts = re.split(r"\[([^\]]*)\]", text)
        count = 0
        for place, part in enumerate(parts):
            if place % 2:
                lines.update(dict.fromkeys(part.split(), count))
            else:
                count += len(_tracks(part))
        text = " ".join(parts[::2])
    tracks: list[Track] = []
    first, last, fit = 0, 0, False
    place = 0
    while place < len(text) and len(tracks) < MAX_TRACKS:
        match = _REPEAT.search(text, place)
        stop = match.start() if match else len(text)
        tracks += _tracks(text[place:stop])
        if match is None:
            break
        place = closing_bracket(text, match.end())
        inside = _tracks(text[match.end() : place])
        if match[1].isdigit():
            tracks += inside * min(int(match[1]), MAX_TRACKS)
        elif inside:
            first, fit = len(tracks), match[1] == "auto-fit"
            tracks += inside
            last = len(tracks)
        place += 1
    return Template(tracks[:MAX_TRACKS], first, min(last, MAX_TRACKS), fit, lines)


def _tracks(text: str) -> list[Track]:
    return [_track(match[1] or match[0], match[2] or match[0]) for match in _WORD.finditer(text)]


def _track(least: str, most: str) -> Track:
    """Return a track that has the smallest and the largest of two sizes; equal for a plain size."""
    if most.startswith("fit-content("):
        most = "auto"
    low = typical_size(least) if least != most or "fr" not in most else None
    if most.endswith("fr"):
        fraction = float(most[:-2]) if re.fullmatch(r"[0-9]*\.?[0-9]+", most[:-2]) else 1.0
        return 0.0, 0.0, min(fraction, 1e4), -1.0 if low is None else low[0]
    size = typical_size(most)
    if size is None:
        return 0.0, 0.0, 0.0, -1.0
    return *size, 0.0, size[0] if low is None else min(low[0], size[0])


@lru_cache(256)
def read_areas(text: str) -> dict[str, Place]:
    """Return the place of each area.

    >>> read_areas('"a a" "b c"')
    {'a': (0, 2, 0, 1), 'b': (0, 1, 1, 1), 'c': (1, 1, 1, 1)}
    """
    areas: dict[str, Place] = {}
    for row, line in enumerate(re.findall(r"\"([^\"]*)\"|'([^']*)'", text)):
        for column, name in enumerate("".join(line).split()[:MAX_TRACKS]):
            if name.strip("."):
                left, columns, top, _ = areas.get(name, (column, 1, row, 1))
                right = max(left + columns, column + 1)
                left = min(left, column)
                areas[name] = (left, right - left, top, row + 1 - top)
    return areas


class Grids:
    """The open grids of a page.

    Columns are placed when a grid is opened, because the widths that items ask for are known then; rows when
    it is closed, because all items are laid out at its top and then moved down. There are no subgrids and no
    dense packing; items without a place fill the rows in document order.

    end, role, style, most, least: of all nodes, see `webgrain.rendering.kernels.layout.Flow`; names: the
    texts of templates and areas.
    """

    def __init__(
        self,
        names: tuple[str, ...],
        end: Int32,
        role: Int8,
        style: NDArray[np.floating],
        most: Float64,
        least: Float64,
    ) -> None:
        self.end, self.role, self.style, self.names = end, role, style, names
        self.most, self.least = most, least
        self._open: dict[int, tuple[list[int], list[Place]]] = {}

    def _text(self, u: int, column: int) -> str:
        return self.names[int(self.style[u, column])]

    def open_grid(self, u: int, room: float) -> tuple[list[int], list[float], list[float]]:
        """Return the items of a grid, and the distance from its left and the width of each."""
        items, v = [], u + 1
        while v < self.end[u]:
            if self.role[v] == 5:
                items.append(v)
            v = int(self.end[v])
        gap = float(self.style[u, k.COLUMN_GAP])
        gap = gap / k.SHARE * room if gap > thresholds.FAR else gap
        template = read_tracks(self._text(u, k.COLUMNS))
        tracks = template.tracks
        if template.last > template.first:
            tracks = _repeated(template, room, gap, len(items))
        areas = read_areas(self._text(u, k.AREAS))
        wide = max([len(tracks), 1, *(left + columns for left, columns, _, _ in areas.values())])
        placed = self._place(items, areas, wide, template.lines)
        wide = max([wide, *(left + columns for left, columns, _, _ in placed)])
        sizes = self._widths(items, placed, tracks + [_AUTOMATIC] * (wide - len(tracks)), room, gap)
        starts = [0.0, *np.cumsum(np.array(sizes) + gap).tolist()]
        self._open[u] = (items, placed)
        x = [starts[left] for left, _, _, _ in placed]
        return items, x, [starts[p[0] + p[1]] - gap - at for p, at in zip(placed, x, strict=True)]

    def _lines(self, v: int, axis: int, wide: int) -> tuple[int, int]:
        """Return the first line, -1 if it is not declared, and the number of tracks of an item."""
        start, stop, span = self.style[v, axis : axis + 3].tolist()
        if start < 0:
            start = wide + 2 + start
        if stop < 0:
            stop = wide + 2 + stop
        if start > 0 and stop > 0:
            start, stop = min(start, stop), max(start, stop)
            span = max(stop - start, 1)
        elif stop > 0:
            start = max(stop - span, 1)
        return int(start) - 1, int(min(max(span, 1), MAX_TRACKS))

    def _named(self, v: int, lines: dict[str, int]) -> tuple[int, int] | None:
        """Return the first column and the number of columns of an item between lines with names, or None."""
        names = self._text(v, k.COLUMN_NAMES)
        if not names or not lines:
            return None
        first, _, last = (part.strip() for part in names.partition("/"))
        start = lines.get(first, lines.get(f"{first}-start"))
        stop = lines.get(last or first, lines.get(f"{last or first}-end"))
        if start is None:
            return None
        return start, max(1, stop - start) if stop is not None else 1

    def _place(
        self, items: list[int], areas: dict[str, Place], wide: int, lines: dict[str, int]
    ) -> list[Place]:
        """Return the places of the items."""
        found: list[Place] = []
        taken, bound, waiting = Cells(8 * (2 * len(items) + 20)), 2 * len(items) + 20, []
        for i, v in enumerate(items):
            area = areas.get(self._text(v, k.AREA))
            if area is None:
                left, columns = self._named(v, lines) or self._lines(v, k.COLUMN_START, wide)
                top, rows = self._lines(v, k.ROW_START, 0)
                left, top, rows = min(left, MAX_TRACKS - 1), min(top, bound), min(rows, bound)
                area = (left, min(columns, MAX_TRACKS - max(left, 0)), top, rows)
                if left < 0 or top < 0:
                    waiting.append(i)
            found.append(area)
            if area[0] >= 0 and area[2] >= 0:
                taken.take(area)
        row = column = 0
        for i in waiting:
            found[i], row, column = taken.free(found[i], row, column, wide)
        return found

    def _widths(
        self, items: list[int], placed: list[Place], tracks: list[Track], room: float, gap: float
    ) -> list[float]:
        """Return the widths of the columns."""
        rest = room - gap * (len(tracks) - 1)
        size = [track[0] + track[1] * room for track in tracks]
        least, most = [max(track[3], 0.0) for track in tracks], list(size)
        for v, (left, columns, _, _) in zip(items, placed, strict=True):
            if columns == 1 and tracks[left][3] < 0:
                margins = self.style[v, [k.MARGIN_LEFT, k.MARGIN_RIGHT]].tolist()
                margin = sum(x for x in margins if abs(x) < thresholds.FAR)
                least[left] = max(least[left], float(self.least[v]) + margin)
                most[left] = max(most[left], float(self.most[v]) + margin)
        flexible = [j for j, track in enumerate(tracks) if not size[j] and not track[2] and track[3] < 0]
        growing = [j for j, track in enumerate(tracks) if track[2]]
        rest -= sum(size) + sum(least[j] for j in flexible)
        wanted = sum(most[j] - least[j] for j in flexible)
        part = min(1.0, max(0.0, rest) / wanted) if wanted > 0 else 1.0
        for j in flexible:
            size[j] = least[j] + part * (most[j] - least[j])
        rest -= part * wanted
        if growing:
            _grow(size, tracks, least, growing, rest)
        elif rest > 0:
            for j in flexible:
                size[j] += rest / len(flexible)
        return size

    def close_grid(self, u: int, heights: Float64) -> tuple[list[int], list[float], list[float], float]:
        """Return the items of a grid, the distance from its top and the height of each place, and the height.

        heights: of all nodes, with the margins.
        """
        items, placed = self._open.pop(u)
        gap = float(self.style[u, k.ROW_GAP])
        rows = max([top + count for _, _, top, count in placed], default=0)
        size = np.zeros(rows)
        for row, track in enumerate(read_tracks(self._text(u, k.ROWS)).tracks[:rows]):
            size[row] = max(track[0], track[3])
        # Items of one row first: the others need only what is lacking.
        for v, (_, _, top, count) in sorted(zip(items, placed, strict=True), key=lambda item: item[1][3]):
            lacking = heights[v] - size[top : top + count].sum() - gap * (count - 1)
            size[top + count - 1] += max(0.0, lacking)
        starts = [0.0, *np.cumsum(size + gap * (size > 0)).tolist()]
        y = [starts[top] for _, _, top, _ in placed]
        height = [max(starts[p[2] + p[3]] - gap - at, 0.0) for p, at in zip(placed, y, strict=True)]
        return items, y, height, max(starts[rows] - gap, 0.0)


_AUTOMATIC: Track = (0.0, 0.0, 0.0, -1.0)


def _repeated(template: Template, room: float, gap: float, items: int) -> list[Track]:
    """Repeat the automatic part of a template as often as there is room for its least widths."""
    first, last = template.first, template.last
    inside, others = template.tracks[first:last], template.tracks[:first] + template.tracks[last:]
    taken = sum(max(track[0] + track[1] * room, track[3], 0.0) + gap for track in others)
    each = sum(max(track[0] + track[1] * room, track[3], 1.0) + gap for track in inside)
    count = int(max(1.0, min((room + gap - taken) // max(each, 1.0), MAX_TRACKS // len(inside))))
    if template.fit:
        count = max(1, min(count, -(-items // len(inside))))
    return template.tracks[:first] + inside * count + template.tracks[last:]


def _grow(
    size: list[float], tracks: list[Track], least: list[float], growing: list[int], rest: float
) -> None:
    """Share the rest between the tracks with fractions; one that lacks its least width gets only this."""
    for _ in range(4):
        share = max(rest, 0.0) / max(sum(tracks[j][2] for j in growing), 1e-6)
        small = {j for j in growing if least[j] > share * tracks[j][2]}
        for j in growing:
            size[j] = least[j] if j in small else share * tracks[j][2]
        if not small or len(small) == len(growing):
            return
        rest -= sum(least[j] for j in small)
        growing = [j for j in growing if j not in small]


class Cells:
    """The cells of a grid that are taken, as many as ``bound``."""

    def __init__(self, bound: int) -> None:
        self._taken: set[tuple[int, int]] = set()
        self._bound = bound

    def take(self, place: Place) -> None:
        """Take the cells of an item."""
        left, columns, top, rows = place
        if len(self._taken) < self._bound and rows <= self._bound:
            self._taken.update((r, c) for r in range(top, top + rows) for c in range(left, left + columns))

    def _is_free(self, row: int, column: int, columns: int) -> bool:
        return all((row, c) not in self._taken for c in range(column, column + columns))

    def free(self, place: Place, row: int, column: int, wide: int) -> tuple[Place, int, int]:
        """Return a free place for an item, and the cell after it, where the next one is searched."""
        left, columns, top, rows = place
        columns = min(columns, wide)
        if top >= 0:
            free = (c for c in range(wide - columns + 1) if self._is_free(top, c, columns))
            place = (next(free, 0), columns, top, rows)
            self.take(place)
            return place, row, column
        if left >= 0:
            row, column = row + (left < column), left
        for _ in range(self._bound):
            if column + columns > max(wide, left + columns):
                row, column = row + 1, max(left, 0)
            if not self._taken or self._is_free(row, column, columns):
                break
            row, column = (row + 1, column) if left >= 0 else (row, column + 1)
        place = (column, columns, row, rows)
        if rows > 1:
            self.take(place)
        return place, row, column + columns
