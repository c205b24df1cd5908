"""The main content of a page, from the text blocks that a method has chosen.

Containers have no gaps: `without_gaps` adds the blocks between chosen ones of a table, a definition list or
code. A table that arranges the page is not a table of data: its cells are ordinary blocks.

Cost: one pass over the nodes around the main content.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any, overload

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float64
from webgrain.documents.parts import Part, nested
from webgrain.documents.parttable import PartTable, is_data, part_table
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.text import TextBlocks

PERMALINKS = " #¶§🔗"
"""Characters that link to the heading or the term in which they are."""


class Content(Sequence[Part]):
    """The blocks of an article: its title, its main content and its comments.

    The parts of the main content are made when they are asked for; its text and its elements come from a
    table. Pickled and unpickled, the blocks are a tuple.

    table: of the main content; None: there is none. title: the block of the title; comments: with the replies
    to them.
    """

    def __init__(
        self, table: PartTable | None = None, title: Part | None = None, comments: tuple[Part, ...] = ()
    ) -> None:
        self.table = table
        self.titles = () if title is None else (title,)
        self.comments = comments

    def around(self, title: Part | None, comments: tuple[Part, ...]) -> Content:
        """Return the same main content with a title and comments."""
        return Content(self.table, title, comments)

    @cached_property
    def main(self) -> tuple[Part, ...]:
        """The parts of the main content."""
        return () if self.table is None else self.table.parts()

    @property
    def parts(self) -> tuple[Part, ...]:
        """All blocks."""
        return (*self.titles, *self.main, *self.comments)

    @cached_property
    def text(self) -> str:
        """The text of the main content, with a blank line between its blocks."""
        return "" if self.table is None else self.table.text

    @cached_property
    def nodes(self) -> list[int]:
        """The elements that contain the lines of the main content, as nodes of the DOM, in order."""
        return [] if self.table is None else self.table.nodes

    @property
    def code(self) -> tuple[str, ...]:
        """The code blocks of the main content."""
        return () if self.table is None else self.table.code

    @property
    def block_nodes(self) -> list[int]:
        """The element of each block."""
        main = [] if self.table is None else self.table.node[self.table.top()].tolist()
        return [*(part.node for part in self.titles), *main, *(part.node for part in self.comments)]

    def __len__(self) -> int:
        main = 0 if self.table is None else len(self.table.top())
        return len(self.titles) + main + len(self.comments)

    @overload
    def __getitem__(self, index: int) -> Part: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Part, ...]: ...
    def __getitem__(self, index: int | slice) -> Part | tuple[Part, ...]:
        return self.parts[index]

    def __iter__(self) -> Iterator[Part]:
        return iter(self.parts)

    def __eq__(self, other: object) -> bool:
        return self.parts == (other.parts if isinstance(other, Content) else other)

    def __hash__(self) -> int:
        return hash(self.parts)

    def __repr__(self) -> str:
        return f"Content({len(self)} blocks)"

    def __reduce__(self) -> tuple[Any, ...]:
        return tuple, (self.parts,)


def content(
    page: Page,
    blocks: TextBlocks,
    chosen: Sequence[int] | NDArray[np.integer],
    scores: Sequence[float] | NDArray[np.floating],
    fill: bool = True,
) -> Content:
    r"""Return the content of a page: parts in document order, without sections.

    chosen: the text blocks of the content, ascending; scores: the score of each chosen block; fill: with the
    blocks between them in one container, see `without_gaps`.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> html = "<h2>A</h2><p>b<ol><li>c<ul><li>d</ul></ol><pre>e\n  f</pre><table><td>g<td>h<tr><td>i</table>"
    >>> page = parse(html)
    >>> [(part.kind, part.text) for part in content(page, text_blocks(page), range(8), [1.0] * 8)]
    [('heading', 'A'), ('paragraph', 'b'), ('list', 'c\nd'), ('code', 'e\n  f'), ('table', 'g | h\ni')]
    """
    if not len(chosen):
        return Content()
    kept, values = np.asarray(chosen, np.intp), np.asarray(scores, np.float64)
    if not fill:
        return Content(part_table(page, blocks, kept, values))
    filled = np.array(without_gaps(page, blocks, kept), np.intp)
    score = np.full(len(blocks), values.min())
    score[kept] = values
    return Content(part_table(page, blocks, filled, score[filled]))


def comments(
    page: Page,
    blocks: TextBlocks,
    nodes: Sequence[int],
    levels: Sequence[int],
    attributes: Sequence[dict[str, Any]],
    chosen: Sequence[Sequence[int]],
    scores: Float64,
) -> tuple[Part, ...]:
    r"""Return the comments in some elements, each with the replies to it, which follow it.

    levels, attributes, chosen: level (replies have a higher one), author and date, and text blocks of each
    element; scores: (b,) of all blocks. An element without content is no comment.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<p>a<p>b<p>c")
    >>> own = [3, 5, 7], [0, 1, 0], [{"author": "Kim"}, {}, {}], [[0], [1], [2]]
    >>> [part.text for part in comments(page, text_blocks(page), *own, np.ones(3))]
    ['a\n\nb', 'c']
    """
    leveled = list[tuple[Part, int]]()
    for node, level, known, blocks_of_comment in zip(nodes, levels, attributes, chosen, strict=True):
        if parts := content(page, blocks, blocks_of_comment, scores[blocks_of_comment].round(4), fill=False):
            score = round(float(scores[blocks_of_comment].mean()), 4)
            leveled.append((Part("comment", node, parts.parts, known, score), level))
    return nested(leveled)


# Which blocks belong to the content.

_CONTAINERS = ("pre", "table", "dl")
_NOT_IN_DATA = ("table", "pre", "h1", "h2", "h3", "h4")


def without_gaps(page: Page, blocks: TextBlocks, chosen: Sequence[int] | NDArray[np.integer]) -> list[int]:
    """Return the chosen blocks and those between them in the same code, table of data or definition list.

    A row of a table, its caption and its head, a term with its definition, and code between two chosen blocks
    are not separated.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.text import text_blocks
    >>> page = parse("<p>a<pre>b</pre><p>c<dl><dt>d<dd>e<dt>f<dd>g</dl>")
    >>> without_gaps(page, text_blocks(page), [0, 2, 4, 5])
    [0, 1, 2, 3, 4, 5, 6]
    """
    dom = page.dom
    keep = np.zeros(len(blocks), bool)
    keep[np.asarray(chosen, np.intp)] = True
    nodes = np.flatnonzero(dom.tagged(*_CONTAINERS))
    spans = np.searchsorted(blocks.first, np.stack([nodes, dom.end[nodes]], axis=1)).tolist()
    for node, (first, last) in zip(nodes.tolist(), spans, strict=True):
        inside = first + np.flatnonzero(keep[first:last])
        name = dom.name(node)
        if name == "pre":
            around = int(dom.parent[node])
            between = first > 0 and last < len(keep) and keep[first - 1] and keep[last]
            between = between and blocks.first[first - 1] > around and blocks.first[last] < dom.end[around]
            keep[first:last] |= bool(len(inside)) or between
        elif len(inside) and name == "dl":
            start, stop = _whole(dom, blocks, inside)
            keep[start:stop] = True
        elif len(inside) and is_data(page, blocks, node):
            start, stop = _rows(dom, blocks, node, inside)
            keep[start:stop] = True
    return np.flatnonzero(keep).tolist()


def _whole(dom: Dom, blocks: TextBlocks, chosen: NDArray[np.intp]) -> tuple[int, int]:
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
