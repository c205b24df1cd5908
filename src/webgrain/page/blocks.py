"""The blocks of a page: elements that people would mark as parts of it, as a tree.

A block is an element, and blocks are in blocks: a header contains a logo and a menu, a list its items. A
section of a text whose headings have no element around them is a block, too: the heading and the siblings
below it. A `webgrain.page.segmentation.Segmentation` is one level of this tree.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, ClassVar, Protocol

import numpy as np

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.guesses import NamesGuesses
from webgrain.base.readonly import freeze
from webgrain.page.addresses import addresses_of
from webgrain.page.dom import Dom
from webgrain.page.leaves import leaf_kinds
from webgrain.page.page import Page
from webgrain.page.text import texts_of

Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True, eq=False)
class BlockTree:
    """The blocks of a page as arrays, in document order.

    Attributes:
        node: (b,) int32, the element of each block, as a node of the Dom; of a section, its first node.
        parent: (b,) int32, the number of the block around each block; -1 for none.
        confidence: (b,) float64, the calibrated probability that people would mark the block.
        roles: the role of each block; empty if no roles were predicted.
        role_probability: (b,) float64, the calibrated probability of each role; None without roles.
        last: (b,) int32, the last node of each block, which is a sibling of ``node`` if it is a section, else
            ``node``; None: no block is a section.
    """

    node: Int32
    parent: Int32
    confidence: Float64
    roles: tuple[str, ...] = ()
    role_probability: Float64 | None = None
    last: Int32 | None = None

    def __post_init__(self) -> None:
        freeze(self)
        sizes = {len(self.node), len(self.parent), len(self.confidence), len(self.ends)}
        if self.roles:
            sizes |= {len(self.roles)}
        if len(sizes) > 1:
            raise ParameterError(f"BlockTree: expected arrays of one length, got {sorted(sizes)}.")

    def __len__(self) -> int:
        return len(self.node)

    @property
    def ends(self) -> Int32:
        """(b,) the last node of each block."""
        return self.node if self.last is None else self.last


@dataclass(frozen=True, slots=True, eq=False)
class Picture:
    """A picture of the blocks of a page. A notebook shows it.

    Attributes:
        text: the tree of blocks, a line for each.
        html: the tree as HTML, below the screenshot if there is one.
        png: the screenshot with the boxes of the blocks; None without a browser.
    """

    text: str
    html: str
    png: bytes | None = None

    def __str__(self) -> str:
        return self.text

    def _repr_html_(self) -> str:
        return self.html

    def save(self, path: str | Path) -> None:
        """Write the picture to a file ``.png`` or ``.html``.

        Raises `ParameterError` for another ending, and for ``.png`` without a screenshot.
        """
        path = Path(path)
        ending = path.suffix.lower()
        if ending == ".html":
            path.write_text(f"<!doctype html><meta charset=utf-8>{self.html}", encoding="utf-8")
        elif ending != ".png":
            raise ParameterError(f"A picture is saved as .png or .html, got {path.name!r}.")
        elif self.png is None:
            raise ParameterError("This picture has no screenshot, since no browser was available.")
        else:
            path.write_bytes(self.png)


class Presenter(Protocol):
    """Writes and draws the blocks of a page; `webgrain.report.blocks` implements it."""

    def markdown(self, page: Page, node: int, last: int) -> str:
        """Return an element, or the siblings from ``node`` to ``last``, as Markdown."""

    def picture(self, page: Page, blocks: Sequence[Block], browser: bool) -> Picture:
        """Return a picture of blocks; browser: whether a browser may take a screenshot."""


_GUESSES = {
    **dict.fromkeys(("label", "type", "kind", "category"), "role"),
    **dict.fromkeys(("blocks", "segments", "sections"), "children"),
    **dict.fromkeys(("content", "html"), "text or markdown"),
    **dict.fromkeys(("bbox", "rect", "bounds", "bounding_box", "position"), "box"),
    **dict.fromkeys(("walk", "descendants"), "list(block)"),
    **dict.fromkeys(("probability", "score"), "role_probability or confidence"),
    **dict.fromkeys(("to_json", "as_dict", "record"), "to_dict()"),
    "md": "markdown",
    **dict.fromkeys(("selector", "address"), "css or xpath"),
}
"""Names that people guess, and what to write instead."""


@dataclass(slots=True, eq=False)
class Block(NamesGuesses):
    """A block of a page.

    Attributes:
        id: its number in the `BlockTree`.
        node: its element, as a node of the Dom; of a section, the first of its siblings.
        last: the last of the siblings that are a section; ``node`` for other blocks.
        parent: the block around it, or None.
        children: the blocks in it, in document order.
        role, role_probability: its purpose; None where unknown.
        confidence: the calibrated probability that people would mark it.
        text: its visible text, white space collapsed.
        leaves: the number of its leaves.
        page: the page.
        presenter: writes its Markdown; None: it cannot be written.
    """

    _guesses: ClassVar[Mapping[str, str]] = _GUESSES

    id: int
    node: int
    last: int
    parent: Block | None
    role: str | None
    role_probability: float | None
    confidence: float
    text: str
    leaves: int
    page: Page
    presenter: Presenter | None = None
    children: list[Block] = field(default_factory=list)

    def __repr__(self) -> str:
        return f"<Block {self.id} {self.role or ''}: {self.text!r:.80}>"

    def __iter__(self) -> Iterator[Block]:
        """Yield this block and all blocks in it, in document order."""
        waiting = [self]
        while waiting:
            block = waiting.pop()
            yield block
            waiting += reversed(block.children)

    @property
    def xpath(self) -> str:
        """The XPath of its element, or of its first node; empty if it is too long."""
        return self._address[0]

    @property
    def css(self) -> str:
        """The CSS selector of its element, or of its first node; empty if it is too long."""
        return self._address[1]

    @property
    def last_xpath(self) -> str:
        """The XPath of the last of several siblings that are a section; empty for other blocks."""
        if self.last == self.node:
            return ""
        return addresses_of(self.page.dom, [self.last]).get(self.last, ("", ""))[0]

    @property
    def box(self) -> Box | None:
        """The box of its element: x, y, width, height in CSS pixels; None for a page without a view.

        That of a section is around its nodes.
        """
        return None if self.page.view is None else box_of(self.page, self.node, self.last)

    @property
    def markdown(self) -> str:
        """Its visible content as Markdown.

        Raises `ParameterError` for a block that `webgrain.segment` has not made.
        """
        if self.presenter is None:
            raise ParameterError("Only blocks of webgrain.segment are written as Markdown.")
        return self.presenter.markdown(self.page, self.node, self.last)

    @property
    def caption(self) -> str:
        """Its number, and its role if known."""
        return f"{self.id} {self.role}" if self.role else str(self.id)

    def to_dict(self) -> dict[str, Any]:
        """Return its fields as in a record of ``webgrain segment``."""
        return _record(self, self.xpath or None, self.css or None, self.last_xpath or None)

    @property
    def _address(self) -> tuple[str, str]:
        return addresses_of(self.page.dom, [self.node]).get(self.node, ("", ""))


def all_blocks(page: Page, tree: BlockTree, presenter: Presenter | None = None) -> list[Block]:
    """Return the blocks of a page in document order, each with its parent and its children.

    presenter: writes the Markdown of the blocks.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul><li>One<li>Two</ul>")  # html, head, body, ul, li, text, li, text
    >>> tree = BlockTree(np.array([3, 4], np.int32), np.array([-1, 0], np.int32), np.array([0.9, 0.5]))
    >>> [block] = [block for block in all_blocks(page, tree) if block.parent is None]
    >>> block.text, [child.text for child in block.children]
    ('One Two', ['One'])
    """
    nodes, last = tree.node.tolist(), tree.ends.tolist()
    texts = texts_of(page, [siblings(page.dom, *ends) for ends in zip(nodes, last, strict=True)])
    before = np.append(0, np.cumsum(leaf_kinds(page) > 0))
    leaves = (before[page.dom.end[tree.ends]] - before[tree.node]).tolist()
    roles = tree.roles or [None] * len(nodes)
    probabilities = rounded(tree.role_probability, len(nodes))
    confidence = tree.confidence.round(3).tolist()
    blocks: list[Block] = []
    ends = zip(nodes, last, tree.parent.tolist(), strict=True)
    columns = zip(ends, roles, probabilities, confidence, texts, leaves, strict=True)
    for (node, end, parent), role, probability, trust, text, size in columns:
        around = blocks[parent] if parent >= 0 else None
        block = Block(len(blocks), node, end, around, role, probability, trust, text, size, page, presenter)
        blocks.append(block)
        if around:
            around.children.append(block)
    return blocks


def blocks_around(dom: Dom, tree: BlockTree, first: Int32, last: Int32) -> list[int | None]:
    """Return the innermost block around each pair of nodes ``first`` and ``last`` (k,); None for none.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<ul><li>One<li>Two</ul>")  # html, head, body, ul, li, text, li, text
    >>> tree = BlockTree(np.array([3, 4], np.int32), np.array([-1, 0], np.int32), np.array([0.9, 0.5]))
    >>> blocks_around(page.dom, tree, np.array([5, 5, 2], np.int32), np.array([5, 7, 7], np.int32))
    [1, 0, None]
    """
    ends = dom.end[tree.ends].tolist()
    innermost = np.full(len(dom), -1, np.int32)
    for block, (begin, end) in enumerate(zip(tree.node.tolist(), ends, strict=True)):
        innermost[begin:end] = block
    parent, blocks = tree.parent.tolist(), list[int | None]()
    for block, node in zip(innermost[first].tolist(), last.tolist(), strict=True):
        around = block
        while around >= 0 and ends[around] <= node:
            around = parent[around]
        blocks.append(around if around >= 0 else None)
    return blocks


def siblings(dom: Dom, node: int, last: int) -> tuple[int, ...]:
    """Return the siblings from one node to another, which may be the same.

    >>> from webgrain.page.parsing import parse
    >>> siblings(parse("<p>One<p>Two<p>Three").dom, 3, 7)  # html, head, body, p, text, p, text, p, text
    (3, 5, 7)
    """
    between = [node]
    while between[-1] < last:
        between.append(int(dom.end[between[-1]]))
    return tuple(between)


def box_of(page: Page, node: int, last: int) -> Box:
    """Return the box of an element of a page with a view, in CSS px, or that around several siblings."""
    assert page.view is not None
    boxes = page.view.box[list(siblings(page.dom, node, last))].astype(float)
    if len(boxes) > 1:
        boxes = boxes[(boxes[:, 2:] > 0).all(axis=1)]
        if len(boxes):
            corner = boxes[:, :2].min(axis=0)
            boxes = np.append(corner, (boxes[:, :2] + boxes[:, 2:]).max(axis=0) - corner)[None]
    x, y, width, height = boxes[0].round(1).tolist() if len(boxes) else (0.0, 0.0, 0.0, 0.0)
    return x, y, width, height


def rounded(column: Float64 | None, size: int) -> list[float | None]:
    """Return probabilities with three digits, or ``size`` times None."""
    return [None] * size if column is None else column.round(3).tolist()


def block_records(page: Page, tree: BlockTree) -> list[dict[str, Any]]:
    """Return the blocks of a page as in a record of ``webgrain segment``."""
    blocks = all_blocks(page, tree)
    ends = tree.ends[tree.ends != tree.node].tolist()
    where, last = (addresses_of(page.dom, nodes) for nodes in (tree.node.tolist(), ends))
    return [
        _record(block, *where.get(block.node, _NOWHERE), last.get(block.last, _NOWHERE)[0])
        for block in blocks
    ]


_NOWHERE: tuple[str | None, str | None] = None, None


def _record(block: Block, xpath: str | None, css: str | None, last: str | None) -> dict[str, Any]:
    return {
        "id": block.id,
        "parent": None if block.parent is None else block.parent.id,
        "xpath": xpath,
        "css": css,
        "last_xpath": last,
        "box": block.box,
        "text": block.text,
        "leaves": block.leaves,
        "role": block.role,
        "role_probability": block.role_probability,
        "confidence": block.confidence,
    }
