"""The parts of an article, from chosen text blocks: headings, paragraphs, items, quotes, tables, code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.page.dom import Dom
from webgrain.page.text import TextBlocks
from webgrain.results import ArticleBlock, article_blocks

PERMALINKS = " #¶§🔗"
"""Characters at the end of a heading that link to the heading itself."""

_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "item"),
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    "blockquote": "quote",
}
_LISTS = ("ul", "ol", "dl")
_LONGEST_CELL = 400  # characters; a table with a longer cell arranges the page (hand-set)


class _Context(NamedTuple):
    """The ancestors of a node within the container.

    kind: the nearest tag in `_KINDS`, or empty; lists: the number of lists; pre, table: the outermost, or -1.
    """

    kind: str = ""
    lists: int = 0
    pre: int = -1
    table: int = -1

    @property
    def unit(self) -> int:
        """The ``pre`` or ``table`` that becomes one part with everything in it; -1 if there is none."""
        return self.pre if self.pre >= 0 else self.table

    @property
    def kind_and_level(self) -> tuple[str, int]:
        """Kind and level of a text block in this context."""
        kind = _KINDS.get(self.kind, "paragraph")
        if kind == "heading":
            return kind, int(self.kind[1])
        return kind, max(1, self.lists) if kind == "item" else 0


def parts(
    dom: Dom, blocks: TextBlocks, chosen: Sequence[int], container: int, scores: Sequence[float]
) -> list[ArticleBlock]:
    r"""Return the parts of the main text in document order.

    chosen: the text blocks of the main text, ascending; container: the node that contains them; scores: the
    score of each chosen block.

    >>> from webgrain.page.text import text_blocks
    >>> from webgrain.page.parsing import parse
    >>> html = "<h2>A</h2><p>b<ol><li>c<ul><li>d</ul></ol><pre>e\n  f</pre><table><td>g<td>h<tr><td>i</table>"
    >>> page = parse(html)
    >>> found = parts(page.dom, text_blocks(page), range(8), 0, [1.0] * 8)
    >>> [(part.kind, part.text, part.level) for part in found]  # doctest: +NORMALIZE_WHITESPACE
    [('heading', 'A', 2), ('paragraph', 'b', 0), ('item', 'c', 1), ('item', 'd', 2), ('code', 'e\n  f', 0),
     ('table', 'g | h\ni', 0)]
    """
    holders = blocks.element[blocks.holder].tolist()
    contexts = _contexts(dom, {holders[i] for i in chosen}, container)
    rows = [(contexts[holders[i]].unit, i, score) for i, score in zip(chosen, scores, strict=True)]
    records: list[tuple[str, str, int, float, int]] = []
    for unit, group in groupby(rows, key=lambda row: row[0] if row[0] >= 0 else -2 - row[1]):
        members = list(group)
        own = [i for _, i, _ in members]
        tag = dom.tags[dom.tag[unit]]
        if unit < 0 or (tag == "table" and int(blocks.weight[own].max()) > _LONGEST_CELL):
            for _, i, score in members:
                kind, level = contexts[holders[i]].kind_and_level
                records.append((kind, _clean(kind, blocks.texts[i]), holders[i], score, level))
        elif tag == "pre":
            records.append(("code", _code(dom, blocks, own), unit, members[0][2], 0))
        else:
            records.append(("table", _table(dom, blocks, own, unit), unit, members[0][2], 0))
    return article_blocks(records)


def _contexts(dom: Dom, nodes: Iterable[int], container: int) -> dict[int, _Context]:
    """Return the context of nodes, and of the nodes between them and the container."""
    found: set[int] = set()
    for node in nodes:
        found.add(node)
        while (node := int(dom.parent[node])) > container and node not in found:
            found.add(node)
    contexts: dict[int, _Context] = {}
    for node in sorted(found):  # parents first
        above, tag = int(dom.parent[node]), dom.tags[dom.tag[node]]
        context = contexts.get(above, _Context()) if above > container else _Context()
        contexts[node] = _Context(
            tag if tag in _KINDS else context.kind,
            context.lists + (tag in _LISTS),
            node if tag == "pre" and context.pre < 0 else context.pre,
            node if tag == "table" and context.table < 0 else context.table,
        )
    return contexts


def _clean(kind: str, text: str) -> str:
    """Return the text of a block; a heading without the character that links to it."""
    if kind == "heading" and text[-1:] in PERMALINKS:
        return text[:-1].rstrip() or text
    return text


def _code(dom: Dom, blocks: TextBlocks, own: list[int]) -> str:
    """Return code with its white space; a ``<br>`` and a nested block start a line."""
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
            start, *more = dom.text_of(node).split("\n")
            lines[-1] += start
            lines += more
    return "\n".join(lines).strip("\n").rstrip()


def _table(dom: Dom, blocks: TextBlocks, own: list[int], table: int) -> str:
    """Return a line per table row, with bars between the cells; an empty cell keeps its place."""
    rows, cells = _descendants(dom, table, ("tr",)), _descendants(dom, table, ("td", "th"))
    holders = blocks.element[blocks.holder[own]]
    # Cells are in document order, so the cells of a row are consecutive; row 0 has the cells outside of rows.
    row_of_cell = np.searchsorted(rows, cells, side="right")
    begin = np.searchsorted(row_of_cell, np.arange(len(rows) + 2)).tolist()
    row_of_block = np.searchsorted(rows, holders, side="right").tolist()
    cell_of_block = np.searchsorted(cells, holders, side="right").tolist()
    lines = []
    for row, group in groupby(zip(row_of_block, cell_of_block, own, strict=True), key=lambda block: block[0]):
        texts: dict[int, list[str]] = {cell + 1: [] for cell in range(begin[row], begin[row + 1])}
        for _, cell, i in group:
            texts.setdefault(cell, []).append(blocks.texts[i])
        last = max(cell for cell, words in texts.items() if words)
        lines.append(" | ".join(" ".join(words) for cell, words in texts.items() if cell <= last))
    return "\n".join(lines)


def _descendants(dom: Dom, top: int, names: tuple[str, ...]) -> NDArray[np.intp]:
    """Return the descendants of a node with one of the tags, in document order."""
    tags = [tag for tag, name in enumerate(dom.tags) if name in names]
    return top + np.flatnonzero(np.isin(dom.tag[top : dom.end[top]], tags))
