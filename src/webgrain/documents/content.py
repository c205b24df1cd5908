"""The main content of a page, from the text blocks that a method has chosen.

Containers have no gaps, see `webgrain.documents.gaps`. A table that arranges the page is not a table of data:
its cells are ordinary blocks.

Cost: one pass over the nodes around the main content.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any, NamedTuple, Self, overload

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64
from webgrain.base.properties import cached_property
from webgrain.documents.gaps import without_gaps
from webgrain.documents.parts import Part, moved, nested
from webgrain.documents.parttable import PartTable, part_table
from webgrain.page.page import Page
from webgrain.page.text import TextBlocks

PERMALINKS = " #¶§🔗" + "".join(map(chr, range(0xE000, 0xF900)))
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
        self.titles: tuple[Part, ...] = () if title is None else (title,)
        self.comments = comments

    def around(self, title: Part | None, comments: tuple[Part, ...]) -> Content:
        """Return the same main content with a title and comments."""
        return Content(self.table, title, comments)

    def moved(self, node: int) -> Content:
        """Return the blocks as if all of them were in one element of another page."""
        table = None if self.table is None else replace(self.table, place=node)
        title = moved(self.titles[0], node) if self.titles else None
        return Content(table, title, tuple(moved(part, node) for part in self.comments))

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

    def __bool__(self) -> bool:
        """Whether there is a block."""
        return bool(self.titles or self.comments or self.table)

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


class ContentFacts(NamedTuple):
    """What most uses need of the blocks of an article.

    Attributes:
        titles, comments: parts, as in `Content`.
        text, nodes, code: of the main content.
        block_nodes: the element of each block.
    """

    titles: tuple[Part, ...]
    comments: tuple[Part, ...]
    text: str
    nodes: list[int]
    code: tuple[str, ...]
    block_nodes: list[int]

    @classmethod
    def of(cls, blocks: Content) -> Self:
        """Return the facts of the blocks of an article."""
        known = blocks.text, blocks.nodes, blocks.code, blocks.block_nodes
        return cls(blocks.titles, blocks.comments, *known)


class KnownContent(Content):
    """The blocks of an article that was read before: the parts of the main content are read again if needed.

    facts: of the blocks; read: returns the blocks with their parts.
    """

    def __init__(self, facts: ContentFacts, read: Callable[[], Sequence[Part]]) -> None:
        super().__init__(comments=facts.comments)
        self.titles = facts.titles
        self.text = facts.text
        self.nodes = facts.nodes
        self._facts = facts
        self._read = read

    @cached_property
    def main(self) -> tuple[Part, ...]:
        """The parts of the main content."""
        blocks = tuple(self._read())
        return blocks[len(self.titles) : len(blocks) - len(self.comments)]

    @property
    def code(self) -> tuple[str, ...]:
        """The code blocks of the main text."""
        return self._facts.code

    @property
    def block_nodes(self) -> list[int]:
        """The element of each block."""
        return self._facts.block_nodes

    def __len__(self) -> int:
        return len(self.block_nodes)


def content(
    page: Page,
    blocks: TextBlocks,
    chosen: Sequence[int] | NDArray[np.integer],
    scores: Sequence[float] | NDArray[np.floating],
    fill: bool = True,
    refused: Bool | None = None,
) -> Content:
    r"""Return the content of a page: parts in document order, without sections.

    chosen: the text blocks of the content, ascending; scores: the score of each chosen block; fill: with the
    blocks that belong to the same containers; refused: (b,) blocks that are not added, see
    `webgrain.documents.gaps.without_gaps`.

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
    filled = without_gaps(page, blocks, kept, refused)
    score = np.empty(len(blocks.texts))
    score[:] = np.minimum.reduce(values)
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
