"""From chosen blocks to the parts of an article: headings, paragraphs, items, quotes, tables, code."""

from __future__ import annotations

from itertools import groupby
from typing import TYPE_CHECKING

import numpy as np

from webgrain.results import ArticleBlock

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from webgrain.page.blocks import LayoutBlocks
    from webgrain.page.dom import Dom

_KINDS = {
    **dict.fromkeys(("h1", "h2", "h3", "h4", "h5", "h6"), "heading"),
    **dict.fromkeys(("li", "dt", "dd"), "item"),
    **dict.fromkeys(("figcaption", "caption"), "caption"),
    "blockquote": "quote",
}
_WHOLE = ("pre", "table")
"""Elements that are one part, whatever stands in them; a table only where no block in it is longer."""
_LISTS = ("ul", "ol", "dl")
_CELL = 400
"""Letters from which on a cell is no entry of a table but a part of the page."""
_PERMALINKS = frozenset("#¶§🔗")


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
    names = {tag: i for i, tag in enumerate(dom.tags)}
    whole = [names[tag] for tag in _WHOLE if tag in names]
    held = blocks.element[blocks.holder].tolist()
    path = {node: _upward(dom, node, container) for node in {held[i] for i in chosen}}
    outer = {node: _outermost(dom, steps, whole) for node, steps in path.items()}
    rows = [(outer[held[i]], held[i], i, score) for i, score in zip(chosen, scores, strict=True)]
    for node, group in groupby(rows, key=lambda row: row[0] if row[0] >= 0 else -2 - row[2]):
        members = list(group)
        own = [i for _, _, i, _ in members]
        if node < 0 or (dom.name(node) == "table" and int(blocks.weight[own].max()) > _CELL):
            for _, holder, i, score in members:
                kind, level = _kind(dom, path[holder])
                yield ArticleBlock(kind, _clean(kind, blocks.texts[i]), holder, score, level)
        elif dom.name(node) == "pre":
            yield ArticleBlock("code", _code(dom, blocks, own), node, members[0][3])
        else:
            yield ArticleBlock("table", _table(dom, blocks, own), node, members[0][3])


def _outermost(dom: Dom, path: list[int], whole: list[int]) -> int:
    """Outermost ``<pre>`` on a path, else the outermost table; -1 for none."""
    found = [node for node in reversed(path) if dom.tag[node] in whole]
    return next((node for node in found if dom.name(node) == "pre"), found[0] if found else -1)


def _upward(dom: Dom, node: int, container: int) -> list[int]:
    """Return a node and its ancestors up to the container, which is left out unless it is the node."""
    return [node, *(above for above in dom.ancestors(node) if above > container)]


def _kind(dom: Dom, path: list[int]) -> tuple[str, int]:
    """Kind and level of a block by the elements above it, the nearest first."""
    tags = [dom.name(node) for node in path]
    kind = next((_KINDS[tag] for tag in tags if tag in _KINDS), "paragraph")
    if kind == "heading":
        return kind, int(next(tag for tag in tags if tag in _KINDS)[1])
    if kind == "item":
        return kind, max(1, sum(tag in _LISTS for tag in tags))
    return kind, 0


def _clean(kind: str, text: str) -> str:
    """Text of a block; a heading without the mark that links to it."""
    if kind == "heading" and text[-1:] in _PERMALINKS:
        return text[:-1].rstrip() or text
    return text


def _code(dom: Dom, blocks: LayoutBlocks, own: list[int]) -> str:
    """Text of lines of code as they stand."""
    first, last = int(blocks.first[own[0]]), int(blocks.last[own[-1]])
    return dom.text[dom.text_start[first] : dom.text_start[last + 1]].strip("\n").rstrip()


def _table(dom: Dom, blocks: LayoutBlocks, own: list[int]) -> str:
    """Rows of a table in lines, cells with bars between them."""
    tr = dom.tags.index("tr") if "tr" in dom.tags else -1
    rows = np.flatnonzero(dom.tag == tr)
    at = np.searchsorted(rows, blocks.element[blocks.holder[own]], side="right").tolist()
    lines = groupby(zip(at, own, strict=True), key=lambda pair: pair[0])
    return "\n".join(" | ".join(blocks.texts[i] for _, i in line) for _, line in lines)
