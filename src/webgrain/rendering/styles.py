"""Computed styles of a page: what its tags, attributes, own rules and ``style`` attributes say together."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float32, Int32, UInt32
from webgrain.page.dom import Dom
from webgrain.page.kernels.cssselectors import Matcher, attribute_tokens, token_hash
from webgrain.rendering.css import (
    HINTS,
    LINK_COLOR,
    MAX_STYLE,
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
from webgrain.rendering.kernels.cascade import cascade

COMPARISONS = 20_000_000
"""Comparisons of a node with a part of a selector on one page, and 200 more per node; then no rule
matches. Real pages need up to 8 million."""

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

    viewport: px, for media queries and units. sheets: see `webgrain.rendering.estimate.estimate`. Source: CSS
    Cascade 4.

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
    pairs = (*_hints(dom, blocks, first), matched, inline, matched_important, inline_important)
    node = np.concatenate([pair[0] for pair in pairs])
    block = np.concatenate([pair[1] for pair in pairs]).astype(np.int32)
    order = np.argsort(node, kind="stable")  # within a node the last word wins
    entry_start = np.append(0, np.cumsum(np.bincount(node, minlength=len(dom)))).astype(np.int32)
    of_tag = np.array([tag_blocks.get(tag, -1) for tag in dom.tags], np.int32)
    table, color, background, painter = cascade(
        dom.parent, dom.tag, of_tag, entry_start, block[order], *_join(base, blocks), viewport
    )
    background[painter < 0] = WHITE
    return Styles(table, color, background, painter, tuple(blocks.fonts))


@cache
def _base() -> tuple[dict[str, int], Arrays, tuple[str, ...]]:
    """Return the browser's own rules: the block of each tag, all blocks, names of fonts."""
    blocks, tag_blocks = browser_sheet()
    return tag_blocks, blocks.arrays(), tuple(blocks.fonts)


def _join(base: Arrays, blocks: Blocks) -> Arrays:
    start, column, unit, value = blocks.arrays()
    return (
        np.concatenate([base[0], start[1:] + base[0][-1]]), np.concatenate([base[1], column]),
        np.concatenate([base[2], unit]), np.concatenate([base[3], value]),
    )  # fmt: skip


def _sheets(dom: Dom, width: int, sheets: Callable[[str], str | None] | None) -> Iterator[str]:
    """Texts of the style sheets of a page, in its order, that count for a viewport of so many px."""
    carriers = ("style",) if sheets is None else ("style", "link")
    is_carrier = np.array([tag in carriers for tag in dom.tags], bool)[dom.tag]
    for node in np.flatnonzero(is_carrier).tolist():
        attributes = dom.attributes(node)
        if (media := attributes.get("media")) and not applies(f"@media {media}", width):
            continue
        if dom.name(node) == "style":
            yield dom.text_of(node)
        elif sheets is not None and attributes.get("rel", "").lower().split() == ["stylesheet"]:
            yield sheets(attributes.get("href", "")) or ""


def _owners(dom: Dom, wanted: Callable[[str], bool]) -> Pairs:
    """Attributes whose name is wanted, and the node of each."""
    chosen = np.array([wanted(name) for name in dom.names], bool)
    if not chosen.any():
        return _NO_PAIRS
    found = np.flatnonzero(chosen[dom.attr_name])
    return found, np.searchsorted(dom.attr_start, found, side="right") - 1


def _hints(dom: Dom, blocks: Blocks, first: int) -> Iterator[Pairs]:
    """Pairs (node, block) of what attributes say, links and closed details among them."""
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
    if "details" in dom.tags:
        yield _all(_folded(dom), first + blocks.add(declarations("display: none")))


def _folded(dom: Dom) -> NDArray[np.intp]:
    """Children of closed ``<details>`` but their summaries."""
    closed = dom.tag == dom.tags.index("details")
    closed[_owners(dom, "open".__eq__)[1]] = False
    inside = (dom.parent >= 0) & closed[dom.parent]
    if "summary" in dom.tags:
        inside &= dom.tag != dom.tags.index("summary")
    return np.flatnonzero(inside)


def _all(nodes: NDArray[np.integer], block: int) -> Pairs:
    return nodes, np.full(len(nodes), block)


def _inline(dom: Dom, blocks: Blocks, first: int) -> tuple[Pairs, Pairs]:
    """Pairs (node, block) of ``style`` attributes, the important declarations apart."""
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
    """Pairs (node, block) of the page's own rules, the important declarations apart."""
    if not len(sheet.rule):
        return _NO_PAIRS, _NO_PAIRS
    node, rank = _matcher(dom, sheet).match(sheet.key, sheet.key_start, sheet.waiting, sheet.rank)
    rule = sheet.rule[rank]
    numbers = np.full((len(sheet.body), 2), -1)
    for used in np.flatnonzero(np.bincount(rule)).tolist():
        numbers[used] = _add(blocks, sheet.declarations(used), first)
    return _known(node, numbers[rule])


def _matcher(dom: Dom, sheet: Sheet) -> Matcher:
    n = len(dom)
    tag = np.array([0, *map(token_hash, dom.tags[1:])], np.int64)[dom.tag]
    start, token = _tokens(dom, "class", ".")
    id_start, id_token = _tokens(dom, "id", "#")
    identity = np.zeros(n, np.int64)
    has = np.flatnonzero(np.diff(id_start))
    identity[has] = id_token[id_start[has]]
    return Matcher(  # type: ignore[no-untyped-call]
        dom.parent, tag, identity, start, token, sheet.chain, COMPARISONS + 200 * n
    )


def _add(blocks: Blocks, block: tuple[Declaration, ...], first: int) -> tuple[int, int]:
    """Append a block, important declarations apart; return the numbers of both, -1 where there is none."""
    normal, important = split_important(block)
    return (
        first + blocks.add(normal) if normal else -1,
        first + blocks.add(important) if important else -1,
    )


def _known(node: NDArray[np.integer], numbers: NDArray[np.integer]) -> tuple[Pairs, Pairs]:
    """Return the nodes (m,) and their blocks, columns of ``numbers`` (m, 2), without those that have none."""
    pairs = ((node[block >= 0], block[block >= 0]) for block in numbers.T)
    return next(pairs), next(pairs)


def _tokens(dom: Dom, name: str, mark: str) -> Pairs:
    attribute, owner = _owners(dom, name.__eq__)
    found: Pairs = attribute_tokens(dom.values, dom.value_start, attribute, owner, len(dom), mark)
    return found
