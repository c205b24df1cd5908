"""From chosen blocks to the parts of an article: headings, paragraphs, items, quotes, tables, code."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from webgrain.results import ArticleBlock

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from numpy.typing import NDArray

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "item"),
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    "blockquote": "quote",
}
_LISTS = ("ul", "ol", "dl")
_CELL = 400
"""Letters from which on a cell is no entry of a table but a part of the page."""
PERMALINKS = " #¶§🔗"
"""What a heading may end with that is a link to itself."""


class _Way(NamedTuple):
    """What is known of a node by its ancestors within the container.

    kind: the nearest tag in `_KINDS`, empty for none; lists: how many it is in; pre, table: the outermost of
    them, -1 for none.
    """

    kind: str = ""
    lists: int = 0
    pre: int = -1
    table: int = -1

    @property
    def whole(self) -> int:
        """The element that is one part, whatever stands in it; -1 for none."""
        return self.pre if self.pre >= 0 else self.table

    @property
    def told(self) -> tuple[str, int]:
        """Kind and level of a block."""
        kind = _KINDS.get(self.kind, "paragraph")
        if kind == "heading":
            return kind, int(self.kind[1])
        return kind, max(1, self.lists) if kind == "item" else 0


def parts(
    dom: Dom, blocks: LayoutBlocks, chosen: Sequence[int], container: int, scores: Sequence[float]
) -> Iterator[ArticleBlock]:
    r"""Give the parts of the main text, in order.

    chosen: the blocks of the main text, in order; container: the node that they stand in; scores: of each of
    them.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> html = b"<h2>A</h2><p>b<ol><li>c<ul><li>d</ul></ol><pre>e\n  f</pre>"
    >>> html += b"<table><td>g<td>h<tr><td>i</table>"
    >>> page = parse(Source("a", html))
    >>> found = parts(page.dom, layout_blocks(page), range(8), 0, [1.0] * 8)
    >>> [(part.kind, part.text, part.level) for part in found]  # doctest: +NORMALIZE_WHITESPACE
    [('heading', 'A', 2), ('paragraph', 'b', 0), ('item', 'c', 1), ('item', 'd', 2), ('code', 'e\n  f', 0),
     ('table', 'g | h\ni', 0)]
    """
    held = blocks.element[blocks.holder].tolist()
    ways = _ways(dom, {held[i] for i in chosen}, container)
    rows = [(ways[held[i]].whole, held[i], i, score) for i, score in zip(chosen, scores, strict=True)]
    for node, group in groupby(rows, key=lambda row: row[0] if row[0] >= 0 else -2 - row[2]):
        members = list(group)
        own = [i for _, _, i, _ in members]
        if node < 0 or (dom.name(node) == "table" and int(blocks.weight[own].max()) > _CELL):
            for _, holder, i, score in members:
                kind, level = ways[holder].told
                yield ArticleBlock(kind, _clean(kind, blocks.texts[i]), holder, score, level)
        elif dom.name(node) == "pre":
            yield ArticleBlock("code", _code(dom, blocks, own), node, members[0][3])
        else:
            yield ArticleBlock("table", _table(dom, blocks, own, node), node, members[0][3])


def _ways(dom: Dom, nodes: Iterable[int], container: int) -> dict[int, _Way]:
    """Return what is known of nodes, and of their ancestors, by those that come after the container."""
    found: set[int] = set()
    for node in nodes:
        found.add(node)
        while (node := int(dom.parent[node])) > container and node not in found:
            found.add(node)
    ways: dict[int, _Way] = {}
    for node in sorted(found):  # parents first
        above, tag = int(dom.parent[node]), dom.name(node)
        way = ways.get(above, _Way()) if above > container else _Way()
        ways[node] = _Way(
            tag if tag in _KINDS else way.kind,
            way.lists + (tag in _LISTS),
            node if tag == "pre" and way.pre < 0 else way.pre,
            node if tag == "table" and way.table < 0 else way.table,
        )
    return ways


def _clean(kind: str, text: str) -> str:
    """Text of a block; a heading without the mark that links to it."""
    if kind == "heading" and text[-1:] in PERMALINKS:
        return text[:-1].rstrip() or text
    return text


def _code(dom: Dom, blocks: LayoutBlocks, own: list[int]) -> str:
    """Text of lines of code as they stand; a ``<br>``, and a block within, begin a line."""
    first, last = int(blocks.first[own[0]]), int(blocks.last[own[-1]])
    if len(own) == 1:
        return dom.text[dom.text_start[first] : dom.text_start[last + 1]].strip("\n").rstrip()
    starts = {int(blocks.first[i]) for i in own[1:]}
    lines = [""]
    for node in range(first, last + 1):
        name = dom.name(node)
        if name == "br" or (node in starts and lines[-1].strip()):
            lines.append("")
        if name == "#text":
            begun, *more = dom.text_of(node).split("\n")
            lines[-1] += begun
            lines += more
    return "\n".join(lines).strip("\n").rstrip()


def _table(dom: Dom, blocks: LayoutBlocks, own: list[int], table: int) -> str:
    """Rows of a table in lines, cells with bars between them; a cell without text keeps its place."""
    rows, cells = _below(dom, table, ("tr",)), _below(dom, table, ("td", "th"))
    held = blocks.element[blocks.holder[own]]
    # Cells are in document order, so those of a row (0: of none) stand beside each other.
    row_of_cell = np.searchsorted(rows, cells, side="right")
    begin = np.searchsorted(row_of_cell, np.arange(len(rows) + 2)).tolist()
    at_row = np.searchsorted(rows, held, side="right").tolist()
    at_cell = np.searchsorted(cells, held, side="right").tolist()
    lines = []
    for row, group in groupby(zip(at_row, at_cell, own, strict=True), key=lambda told: told[0]):
        said: dict[int, list[str]] = {cell + 1: [] for cell in range(begin[row], begin[row + 1])}
        for _, cell, i in group:
            said.setdefault(cell, []).append(blocks.texts[i])
        last = max(cell for cell, texts in said.items() if texts)
        lines.append(" | ".join(" ".join(texts) for cell, texts in said.items() if cell <= last))
    return "\n".join(lines)


def _below(dom: Dom, top: int, names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the elements of some names below a node, in order."""
    tags = [tag for tag, name in enumerate(dom.tags) if name in names]
    return top + np.flatnonzero(np.isin(dom.tag[top : dom.end[top]], tags))
