"""Containers of the main content have no gaps: the text blocks that belong to those that a method has chosen.

A method judges each block by itself. Its mistakes are single blocks within containers, so containers are
completed:

===============  =========================================================================================
code             all of it, if a block of it is content, or if it is between two blocks of the content in one
                 element
table of data    the rows between two rows with content, with the caption and the head; all of it, if at least
                 `TABLE` of its letters are content
definition list  the terms and definitions between two with content; all of it, as a table
list, quote,     all of it, if at least `WHOLE` of its letters are content
folded part
figure           with its caption, if at least `BESIDE_FIGURE` of the letters beside it, in the unit around
                 it, are content
===============  =========================================================================================

The shares are chosen on pages that no model was trained on: half of the test pages of Readability,
newspaper4k and trafilatura, and 216 labelled pages.

Cost: linear in the blocks and the containers.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Int64
from webgrain.documents.parttable import is_data
from webgrain.page.dom import Dom
from webgrain.page.outline import Outline, outline_of
from webgrain.page.page import Page
from webgrain.page.tagtables import TagTable
from webgrain.page.text import TextBlocks

TABLE = 0.3
WHOLE = 0.5
BESIDE_FIGURE = 0.8
"""Least shares of the letters (chosen by figures on left-out pages, see the module)."""

_BETWEEN = ("pre", "table", "dl")
_LEAST_SHARE = {
    **dict.fromkeys(("table", "dl"), TABLE),
    **dict.fromkeys(("ul", "ol", "blockquote", "details"), WHOLE),
}
_LEAST_OF_TAGS = TagTable(lambda tag: _LEAST_SHARE.get(tag, 0.0), np.float64)


def without_gaps(
    page: Page, blocks: TextBlocks, chosen: Sequence[int] | NDArray[np.integer]
) -> NDArray[np.intp]:
    """Return the chosen blocks, and those that belong to the same containers, in order.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<p>a<pre>b</pre><p>c<dl><dt>d<dd>e<dt>f<dd>g</dl>")
    >>> without_gaps(page, text_blocks(page), [0, 2, 4, 5]).tolist()
    [0, 1, 2, 3, 4, 5, 6]
    >>> page = parse("<div><p>Text<figure><img src=x><figcaption>Caption</figcaption></figure><p>More</div>")
    >>> without_gaps(page, text_blocks(page), [0, 2]).tolist()
    [0, 1, 2]
    """
    is_content = np.zeros(len(blocks), bool)
    is_content[np.asarray(chosen, np.intp)] = True
    _fill_between(page, blocks, is_content)
    _fill_whole(page, blocks, is_content)
    _fill_figures(page, blocks, is_content)
    return np.flatnonzero(is_content)


def _fill_between(page: Page, blocks: TextBlocks, is_content: Bool) -> None:
    """Mark the blocks between others of the same code, table of data, or definition list."""
    dom = page.dom
    nodes = np.flatnonzero(dom.tagged(*_BETWEEN))
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        inside = first + np.flatnonzero(is_content[first:last])
        name = dom.name(node)
        if name == "pre":
            around = int(dom.parent[node])
            between = first > 0 and last < len(blocks) and is_content[first - 1] and is_content[last]
            between = between and blocks.first[first - 1] > around and blocks.first[last] < dom.end[around]
            is_content[first:last] |= bool(len(inside)) or between
        elif len(inside) and name == "dl":
            start, stop = _definitions(dom, blocks, inside)
            is_content[start:stop] = True
        elif len(inside) and is_data(page, blocks, node):
            start, stop = _rows(dom, blocks, node, inside)
            is_content[start:stop] = True


def _fill_whole(page: Page, blocks: TextBlocks, is_content: Bool) -> None:
    """Mark all blocks of containers that are mostly content."""
    least = _LEAST_OF_TAGS.of_nodes(page.dom)
    nodes = np.flatnonzero(least)
    if not len(nodes):
        return
    outline = outline_of(page)
    units = outline.units_at(nodes)
    letters, content = _letters_of(outline, blocks, is_content)
    partly = (units >= 0) & (content[units] < letters[units])
    partly &= content[units] >= least[nodes] * np.maximum(letters[units], 1)
    for node, unit in zip(nodes[partly].tolist(), units[partly].tolist(), strict=True):
        if page.dom.name(node) != "table" or is_data(page, blocks, node):
            is_content[_blocks_of(outline, unit)] = True


def _fill_figures(page: Page, blocks: TextBlocks, is_content: Bool) -> None:
    """Mark the blocks of figures in units that are mostly content."""
    nodes = np.flatnonzero(page.dom.tagged("figure", "figcaption"))
    if not len(nodes):
        return
    outline = outline_of(page)
    letters, content = _letters_of(outline, blocks, is_content)
    units = outline.units_at(nodes)
    for unit in np.unique(units[units > 0]).tolist():
        around = int(outline.parent[unit])
        while around > 0 and letters[around] == letters[unit]:  # only other pictures are beside the figure
            around = int(outline.parent[around])
        beside = letters[around] - letters[unit]
        content_beside = content[around] - content[unit]
        if content_beside > 0 and content_beside >= BESIDE_FIGURE * beside:
            is_content[_blocks_of(outline, unit)] = True


def _letters_of(outline: Outline, blocks: TextBlocks, is_content: Bool) -> tuple[Int64, Int64]:
    """Return the letters (u,) of each unit, and those of content; a block has at least one."""
    has_text = outline.block >= 0
    block = outline.block[has_text]
    sums = np.zeros((2, len(outline.block) + 1), np.int64)
    sums[0, 1:][has_text] = np.maximum(blocks.weight[block], 1)
    sums[1] = sums[0]
    sums[1, 1:][has_text] *= is_content[block]
    np.cumsum(sums, axis=1, out=sums)
    letters, content = sums[:, outline.high] - sums[:, outline.low]
    return letters, content


def _blocks_of(outline: Outline, unit: int) -> NDArray[np.integer]:
    """Return the text blocks of a unit."""
    block = outline.block[outline.low[unit] : outline.high[unit]]
    return block[block >= 0]


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
