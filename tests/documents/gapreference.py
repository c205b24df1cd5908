"""Which text blocks complete containers, by the outline of the page: what the kernel must mark."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from tests.page.textoutline import TextOutline, text_outline

from webgrain.base.arrays import Bool
from webgrain.documents.gaps import BESIDE, TABLE, WHOLE
from webgrain.documents.parttable import is_data
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.tagtables import TagSet, TagTable
from webgrain.page.text import TextBlocks

_IS_CONTAINER = TagSet("pre", "table", "dl", "ul", "ol", "blockquote", "details")
_HAS_PARTS = TagSet("pre", "table", "dl")
_IS_FIGURE = TagSet("figure", "figcaption")
_LEAST_SHARE = {
    **dict.fromkeys(("table", "dl"), TABLE),
    **dict.fromkeys(("ul", "ol", "blockquote", "details"), WHOLE),
}
_LEAST_OF_TAGS = TagTable(lambda tag: _LEAST_SHARE.get(tag, 0.0), np.float64)


def without_gaps(
    page: Page, blocks: TextBlocks, chosen: Sequence[int] | NDArray[np.integer]
) -> NDArray[np.intp]:
    """Return the chosen blocks, and those that belong to the same containers, in order."""
    is_content = np.zeros(len(blocks), bool)
    is_content[np.asarray(chosen, np.intp)] = True
    nodes = np.flatnonzero(_IS_CONTAINER.of_nodes(page.dom))
    figures = np.flatnonzero(_IS_FIGURE.of_nodes(page.dom))
    if len(nodes):
        _fill_parts(page, blocks, is_content, nodes[_HAS_PARTS.of_nodes(page.dom)[nodes]])
        _fill_containers(page, blocks, is_content, nodes)
    if len(figures):
        _fill_figures(page, blocks, is_content, figures)
    _fill_headings(page, blocks, is_content)
    return np.flatnonzero(is_content)


def _fill_parts(page: Page, blocks: TextBlocks, is_content: Bool, nodes: NDArray[np.intp]) -> None:
    """Mark code with content, and the blocks between others of a table of data or a definition list."""
    dom = page.dom
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        inside = first + np.flatnonzero(is_content[first:last])
        name = dom.name(node)
        if not len(inside):
            continue
        if name == "pre":
            is_content[first:last] = True
        elif name == "dl":
            start, stop = _definitions(dom, blocks, inside)
            is_content[start:stop] = True
        elif name == "table" and is_data(page, blocks, node):
            start, stop = _rows(dom, blocks, node, inside)
            is_content[start:stop] = True


def _fill_containers(page: Page, blocks: TextBlocks, is_content: Bool, nodes: NDArray[np.intp]) -> None:
    """Mark all blocks of containers that are mostly content, or between blocks of the content."""
    units = _UnitTexts(text_outline(page), blocks, is_content)
    unit = units_at(page, units.outline, nodes)
    least = _LEAST_OF_TAGS.of_nodes(page.dom)[nodes]
    letters, content = units.letters[unit], units.content[unit]
    mostly = (least > 0) & (content > 0) & (content >= least * letters)
    partly = np.flatnonzero((unit >= 0) & (content < letters))
    for k in partly.tolist():
        node, number = int(nodes[k]), int(unit[k])
        if not mostly[k] and not units.is_between(number, is_content):
            continue
        if page.dom.name(node) != "table" or is_data(page, blocks, node):
            is_content[units.blocks(number)] = True


def _fill_figures(page: Page, blocks: TextBlocks, is_content: Bool, nodes: NDArray[np.intp]) -> None:
    """Mark the blocks of figures in units that are mostly content."""
    units = _UnitTexts(text_outline(page), blocks, is_content)
    unit = units_at(page, units.outline, nodes)
    for number in np.unique(unit[unit > 0]).tolist():
        if units.is_beside_content(number, units.around(number)):
            is_content[units.blocks(number)] = True


def _fill_headings(page: Page, blocks: TextBlocks, is_content: Bool) -> None:
    """Mark headings behind content whose sections are mostly content."""
    units = _UnitTexts(text_outline(page), blocks, is_content)
    outline = units.outline
    headings = np.flatnonzero(_LEVEL.of_nodes(page.dom))
    unit = units_at(page, outline, headings)
    for node, number in zip(headings[unit > 0].tolist(), unit[unit > 0].tolist(), strict=True):
        low, stop = outline.low[number], outline.high[number]
        around = units.around(number)
        last = outline.high[around]
        for other, at in zip(headings.tolist(), unit.tolist(), strict=True):
            is_behind = other >= page.dom.end[node] and at >= 0
            if is_behind and _level(page, other) <= _level(page, node):
                last = min(last, outline.low[at])
        inside = outline.block[low:stop]
        below = outline.block[stop:last]
        inside, below = inside[inside >= 0], below[below >= 0]
        before = outline.block[:low]
        is_behind = is_content[before[before >= 0]].any()
        if not len(below) or is_content[inside].any() or not is_behind or not is_content[below[0]]:
            continue
        letters = np.maximum(blocks.weight[below], 1)
        if letters[is_content[below]].sum() >= BESIDE * letters.sum():
            is_content[inside] = True


_LEVEL = TagTable(
    lambda tag: int(tag[1:]) if tag[:1] == "h" and tag[1:] in "123456" and tag[1:] else 0, np.uint8
)


def _level(page: Page, node: int) -> int:
    return int(page.dom.name(node)[1:])


def units_at(page: Page, outline: TextOutline, nodes: NDArray[np.intp]) -> NDArray[np.intp]:
    """Return the units (m,) whose chains contain nodes (m,); -1 for a node without leaves."""
    unit = outline.units_at(nodes)
    above = [{last, *page.dom.ancestors(last)} for last in outline.last[unit].tolist()]
    is_in_chain = [node in chain for node, chain in zip(nodes.tolist(), above, strict=True)]
    return np.where(is_in_chain, unit, -1)


class _UnitTexts:
    """The text of the units of a page, and the part of it that is content.

    letters, content: (u,) letters of each unit, and those of content; a block has at least one.
    before, behind: (l + 1,) the leaf with text before and behind each place between leaves; -1, l for none.
    """

    def __init__(self, outline: TextOutline, blocks: TextBlocks, is_content: Bool) -> None:
        self.outline = outline
        size = len(outline.block)
        has_text = outline.block >= 0
        block = outline.block[has_text]
        sums = np.zeros((2, size + 1), np.int64)
        sums[0, 1:][has_text] = np.maximum(blocks.weight[block], 1)
        sums[1] = sums[0]
        sums[1, 1:][has_text] *= is_content[block]
        np.cumsum(sums, axis=1, out=sums)
        self.letters, self.content = sums[:, outline.high] - sums[:, outline.low]
        self.before, self.behind = np.full((2, size + 1), -1)
        leaves = np.arange(size)
        self.before[1:] = np.maximum.accumulate(np.where(has_text, leaves, -1))
        self.behind[size] = size
        self.behind[:size] = np.minimum.accumulate(np.where(has_text, leaves, size)[::-1])[::-1]

    def blocks(self, unit: int) -> NDArray[np.integer]:
        """Return the text blocks of a unit."""
        block = self.outline.block[self.outline.low[unit] : self.outline.high[unit]]
        return block[block >= 0]

    def around(self, unit: int) -> int:
        """Return the nearest unit around another one that has more text, or the root."""
        around = int(self.outline.parent[unit])
        while around > 0 and self.letters[around] == self.letters[unit]:
            around = int(self.outline.parent[around])
        return around

    def is_beside_content(self, unit: int, around: int) -> bool:
        """Whether most of the letters of ``around`` that are not in ``unit`` are content."""
        beside = self.letters[around] - self.letters[unit]
        content = self.content[around] - self.content[unit]
        return bool(content > 0 and content >= BESIDE * beside)

    def is_between(self, unit: int, is_content: Bool) -> bool:
        """Whether the blocks before and behind a unit, and most of the unit around it, are content."""
        if unit == 0:
            return False
        outline, around = self.outline, self.around(unit)
        before, behind = self.before[outline.low[unit]], self.behind[outline.high[unit]]
        if before < outline.low[around] or behind >= outline.high[around]:
            return False
        is_inside = is_content[outline.block[before]] and is_content[outline.block[behind]]
        return bool(is_inside) and self.is_beside_content(unit, around)


def _definitions(dom: Dom, blocks: TextBlocks, chosen: NDArray[np.intp]) -> tuple[int, int]:
    """Return the span of blocks from the term of the first to the definition of the last."""
    start, stop = int(chosen[0]), int(chosen[-1]) + 1
    names = [dom.tags[tag] for tag in dom.tag[blocks.element[blocks.holder[max(start - 1, 0) : stop + 1]]]]
    offset = start - max(start - 1, 0)
    if offset and names[0] == "dt" and names[offset] != "dt":
        start -= 1
    if len(names) > stop - start and names[-1] == "dd" and names[-2] == "dt":
        stop += 1
    return start, stop


def _rows(dom: Dom, blocks: TextBlocks, table: int, chosen: NDArray[np.intp]) -> tuple[int, int]:
    """Return the span of blocks of the rows of a table from the first to the last of these blocks."""
    inside = slice(table, int(dom.end[table]))
    rows = table + np.flatnonzero(dom.tag[inside] == dom.tag_number("tr"))
    ends, texts = dom.end[rows], blocks.first
    first = int(np.searchsorted(rows, texts[chosen[0]], side="right")) - 1
    last = int(np.searchsorted(rows, texts[chosen[-1]], side="right")) - 1
    if first < 0 or last < 0:
        return int(chosen[0]), int(chosen[-1]) + 1
    heads = table + np.flatnonzero(dom.tag[inside] == dom.tag_number("th"))
    begin = int(rows[first])
    if len(heads) and heads[0] < rows[min(1, len(rows) - 1)]:
        begin = table  # with the caption and the head
    span = np.searchsorted(texts, [begin, int(ends[last])])
    return min(int(span[0]), int(chosen[0])), max(int(span[1]), int(chosen[-1]) + 1)
