"""Segmentations: a segment for each node of a page, the segments as objects, and their records."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from html import escape
from typing import Any, ClassVar, overload

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float64, Int32
from webgrain.base.errors import ParameterError
from webgrain.base.guesses import NamesGuesses
from webgrain.base.htmltable import html_table
from webgrain.base.readonly import freeze
from webgrain.page.addresses import css_paths, noted_addresses, xpaths
from webgrain.page.blocks import (
    Block,
    BlockTree,
    Box,
    Picture,
    Presenter,
    all_blocks,
    block_records,
    blocks_around,
)
from webgrain.page.kernels.keytable import numbered
from webgrain.page.outline import Outline, leaf_outline
from webgrain.page.page import Page
from webgrain.page.text import texts_of

ROUNDING = 1e-9
"""Energies that differ by less are equal."""


_GUESSES = {
    "segments": "list(segmentation)",
    **dict.fromkeys(
        ("text", "texts", "css", "xpath", "markdown", "box", "boxes"), "list(segmentation)[0] and others"
    ),
    **dict.fromkeys(
        ("as_dict", "asdict", "dict", "record", "records", "to_dataframe", "to_pandas"), "to_dict()"
    ),
    **dict.fromkeys(("html", "to_html", "show", "draw", "picture", "display"), "plot()"),
    **dict.fromkeys(("n_segments", "count", "size", "n_clusters"), "len(segmentation)"),
    **dict.fromkeys(("role", "types", "kinds"), "roles"),
    **dict.fromkeys(("probability", "probabilities", "score", "scores"), "confidence or role_probability"),
    "sections": "blocks",
}
"""Names that people guess, and what to write instead."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation(NamesGuesses):
    """The segments of a page.

    If the page is known, iterating yields the segments as `Segment`, and ``segmentation[0]`` is the first.

    Attributes:
        labels: (n,) int32, the number of the segment of each node of the DOM; -1 for nodes without a segment,
            above all invisible ones. Segments are numbered 0, 1, ... by their first node.
        method: the name of the method; params: its parameters.
        energy: the value of the objective; lower_bound: a proven bound on its minimum; None if unknown.
        roles: the role of each segment, None where it is unknown; empty if no roles were predicted.
        role_probability: (s,) float64, the calibrated probability of each role; None without roles.
        confidence: (s,) float64, the calibrated probability that people would mark the segment; or None.
        importance: (s,) float64, 0..1, the share of each segment that is not boilerplate; or None.
        page: the page, or None.
        tree: the blocks of the page as arrays; None if the method has none.
        presenter: writes and draws the blocks; None: they have no Markdown and no picture.
    """

    _guesses: ClassVar[Mapping[str, str]] = _GUESSES

    labels: Int32
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    energy: float | None = None
    lower_bound: float | None = None
    roles: tuple[str | None, ...] = ()
    role_probability: Float64 | None = None
    confidence: Float64 | None = None
    importance: Float64 | None = None
    page: Page | None = None
    tree: BlockTree | None = None
    presenter: Presenter | None = None
    _made: list[Segment] = field(init=False, repr=False, default_factory=list)
    _blocks: list[Block] = field(init=False, repr=False, default_factory=list)

    def __post_init__(self) -> None:
        freeze(self)
        columns = {"roles": self.roles or None, "role_probability": self.role_probability}
        columns |= {"confidence": self.confidence, "importance": self.importance}
        known = {name: column for name, column in columns.items() if column is not None}
        size = len(self) if known else 0
        for name, column in known.items():
            if len(column) != size:
                raise ParameterError(f"{name}: expected one per segment, {size}, got {len(column)}.")

    def __len__(self) -> int:
        """Return the number of segments."""
        return int(self.labels.max(initial=-1)) + 1

    def __iter__(self) -> Iterator[Segment]:
        """Yield the segments. Raises `ParameterError` if the page is unknown."""
        return iter(self._segments)

    @overload
    def __getitem__(self, number: int) -> Segment: ...
    @overload
    def __getitem__(self, number: slice) -> list[Segment]: ...
    def __getitem__(self, number: int | slice) -> Segment | list[Segment]:
        """Return a segment by its place, or several. Raises `ParameterError` if the page is unknown."""
        return self._segments[number]

    @property
    def _segments(self) -> list[Segment]:
        if self.page is None:
            raise ParameterError(
                "The page of this segmentation is unknown: call segments(page, segmentation)."
            )
        if not self._made:
            self._made[:] = segments(self.page, self)
        return self._made

    @property
    def blocks(self) -> list[Block]:
        """The outermost blocks of the page; iterating a block yields it and all blocks in it.

        A page without visible content has none. Raises `ParameterError` if the page or the tree is unknown.
        """
        return [block for block in self._every_block() if block.parent is None]

    def _every_block(self) -> list[Block]:
        if self.page is None:
            raise ParameterError("The page of this segmentation is unknown, and so are its blocks.")
        if self.tree is None and len(self):
            raise ParameterError("The tree of blocks of this segmentation is unknown: call webgrain.segment.")
        if self.tree is not None and not self._blocks:
            self._blocks[:] = all_blocks(self.page, self.tree, self.presenter)
        return self._blocks

    def plot(self) -> Picture:
        """Return a picture of the blocks: a screenshot with their boxes, if a browser can render the page.

        The screenshot needs Chromium, and a page that was not read from a page store. Without it, the picture
        is an outline of the tree. Raises `ParameterError` for segments that `webgrain.segment` has not made.

        >>> import webgrain
        >>> html = "<nav><a href=/a>A</a> <a href=/b>B</a></nav><h1>News</h1><p>One.<p>Two."
        >>> "News" in str(webgrain.segment(html).plot())
        True
        """
        return self._picture(browser=True)

    def _picture(self, browser: bool) -> Picture:
        blocks = self._every_block()
        if self.presenter is None or self.page is None:
            raise ParameterError("Only segments of webgrain.segment are drawn.")
        return self.presenter.picture(self.page, blocks, browser)

    def to_dict(self) -> dict[str, Any]:
        """Return the fields of a record of ``webgrain segment``. The page must be known."""
        if self.page is None:
            raise ParameterError(
                "The page of this segmentation is unknown: call segmentation_record(page, segmentation)."
            )
        return segmentation_record(self.page, self)

    def to_json(self) -> str:
        """Return `to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False)

    def __repr__(self) -> str:
        of = f" of {self.page.id!r:.60}" if self.page else ""
        return f"<Segmentation{of}: {len(self)} segments by {self.method}>"

    def _repr_html_(self) -> str:
        """Return the picture of the blocks for notebooks, with a screenshot if a browser rendered the page.

        Without a tree of blocks, this is a table of the segments.
        """
        if self.page is None:
            return f"<p>{escape(repr(self))}</p>"
        if self.tree is not None and self.presenter is not None:
            return self._picture(browser=self.page.view is not None).html
        rows = [(s.id, s.role or "", s.box or "", s.css, s.text) for s in self]
        return html_table(("segment", "role", "box", "css", "text"), rows)

    @property
    def gap(self) -> float | None:
        """The distance of the energy from the lower bound, relative to the energy; None without a bound."""
        if self.energy is None or self.lower_bound is None:
            return None
        difference = self.energy - self.lower_bound
        return 0.0 if difference < ROUNDING else difference / max(abs(self.energy), ROUNDING)


def renumbered(labels: NDArray[np.integer[Any]]) -> Int32:
    """Return labels numbered 0, 1, ... by first appearance; -1 is kept.

    >>> renumbered(np.array([-1, 7, 7, 3, -1, 7])).tolist()
    [-1, 0, 0, 1, -1, 0]
    """
    out = np.full(len(labels), -1, np.int32)
    known = labels >= 0
    out[known], _, _ = numbered(labels[known].astype(np.uint64))
    return out


_GUESSES_OF_SEGMENT = {
    **dict.fromkeys(("label", "type", "kind", "category", "name"), "role"),
    **dict.fromkeys(("content", "html"), "text or markdown"),
    **dict.fromkeys(("get_text", "inner_text", "text_content"), "text"),
    **dict.fromkeys(("nodes", "elements", "node", "element"), "roots"),
    **dict.fromkeys(("selector", "address", "path", "tag"), "css or xpath"),
    **dict.fromkeys(("bbox", "rect", "bounds", "bounding_box", "coordinates", "position"), "box"),
    **dict.fromkeys(("probability", "score"), "role_probability or confidence"),
    **dict.fromkeys(("parent", "around"), "block, or block.parent"),
    "children": "block.children",
}
"""Names that people guess, and what to write instead."""


@dataclass(frozen=True, slots=True, eq=False)
class Segment(NamesGuesses):
    """A segment of a page.

    Attributes:
        id: its label in the `Segmentation`.
        roots: the largest subtrees whose leaves all belong to the segment, as nodes of the DOM in document
            order. Each leaf of the page is below exactly one root of one segment.
        box: x, y, width, height of its leaves in CSS pixels; None for a page without a view.
        text: its visible text, white space collapsed.
        leaves: the number of leaves.
        role, role_probability, confidence, importance: as in the `Segmentation`; None where unknown.
        page: the page.
        segmentation: the segmentation of which it is a segment; None: it has no block and no Markdown.
    """

    _guesses: ClassVar[Mapping[str, str]] = _GUESSES_OF_SEGMENT

    id: int
    roots: tuple[int, ...]
    box: Box | None
    text: str
    leaves: int
    role: str | None = None
    role_probability: float | None = None
    confidence: float | None = None
    importance: float | None = None
    page: Page | None = None
    segmentation: Segmentation | None = None

    def __repr__(self) -> str:
        return f"<Segment {self.caption}: {self.text!r:.80}>"

    @property
    def xpath(self) -> str:
        """The XPath that selects the roots."""
        return " | ".join(xpaths(self._page.dom, list(self.roots)))

    @property
    def css(self) -> str:
        """The CSS selector of the roots; a text node has no selector, so its parent is selected."""
        return ", ".join(dict.fromkeys(css_paths(self._page.dom, list(self.roots))))

    @property
    def markdown(self) -> str:
        """Its visible content as Markdown, that of each root after that of the root before.

        Raises `ParameterError` for a segment that `webgrain.segment` has not made.
        """
        presenter = self.segmentation.presenter if self.segmentation else None
        if presenter is None:
            raise ParameterError("Only segments of webgrain.segment are written as Markdown.")
        written = [presenter.markdown(self._page, root, root) for root in self.roots]
        return "\n".join(filter(str.strip, written))

    @property
    def block(self) -> Block | None:
        """The innermost block around it; if a single element is the segment, the block of this element.

        None if there is no block around it, or the tree of blocks is unknown.

        >>> import webgrain
        >>> html = "<nav><a href=/a>A</a> <a href=/b>B</a></nav><main><h1>News</h1><p>One.<p>Two.</main>"
        >>> [segment.block.text for segment in webgrain.segment(html)]
        ['A B', 'News One. Two.']
        """
        if self.segmentation is None or self.segmentation.tree is None:
            return None
        [block] = _blocks_of(self._page, self.segmentation.tree, [self])
        return None if block is None else self.segmentation._every_block()[block]

    @property
    def caption(self) -> str:
        """Its number, and its role or importance if known."""
        importance = "" if self.importance is None else f" {self.importance:.0%}"
        return f"{self.id} {self.role}" if self.role else f"{self.id}{importance}"

    @property
    def _page(self) -> Page:
        if self.page is None:
            raise ParameterError("The page of this segment is unknown, so it has no addresses.")
        return self.page


def segments(page: Page, segmentation: Segmentation) -> list[Segment]:
    """Return the segments of a page in the order of their ids.

    Raises `ParameterError` if the labels belong to another page.

    >>> from webgrain.page.parsing import parse
    >>> page = parse("<div><p>One<p>Two</div><p>Three")  # html, head, body, div, p, text, ...
    >>> labels = np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1], np.int32)
    >>> for segment in segments(page, Segmentation(labels, "by hand")):
    ...     print(segment.id, segment.css, segment.leaves, segment.text)
    0 html > body > div 2 One Two
    1 html > body > p 1 Three
    """
    if len(segmentation.labels) != len(page.dom):
        raise ParameterError(
            f"Expected {len(page.dom)} labels, one per node, got {len(segmentation.labels)}."
        )
    outline = leaf_outline(page)
    leaf = outline.leaf_node
    label = segmentation.labels[leaf]
    roots = _roots(outline, label)
    of_segment = _grouped(roots, label[np.searchsorted(leaf, roots)])  # the label of the first leaf below
    ids, root_nodes = list(of_segment), [tuple(nodes.tolist()) for nodes in of_segment.values()]
    of_label = _grouped(leaf, label)
    leaves = [of_label[k] for k in ids]
    boxes = [_box(page, nodes) for nodes in leaves]
    texts = texts_of(page, root_nodes)
    columns = zip(ids, root_nodes, boxes, texts, map(len, leaves), strict=True)
    return [
        Segment(*row, **_purpose(segmentation, row[0]), page=page, segmentation=segmentation)
        for row in columns
    ]


def _blocks_of(page: Page, tree: BlockTree, parts: Sequence[Segment]) -> list[int | None]:
    """Return the number of the innermost block around each segment, None for none."""
    first = np.array([segment.roots[0] for segment in parts], np.int32)
    last = np.array([segment.roots[-1] for segment in parts], np.int32)
    return blocks_around(page.dom, tree, first, page.dom.end[last] - 1)


def _grouped(nodes: Int32, label: Int32) -> dict[int, Int32]:
    """Return the nodes of each label; labels and nodes are ascending."""
    order = np.argsort(label, kind="stable")
    labels, start = np.unique(label[order], return_index=True)
    return dict(zip(labels.tolist(), np.split(nodes[order], start[1:]), strict=False))


def _roots(outline: Outline, label: Int32) -> Int32:
    """Return the roots of all segments: the largest subtrees whose leaves have one label.

    The leaves of a unit are consecutive, so they have one label if it is constant in their span.
    """
    if not len(label):
        return np.zeros(0, np.int32)
    first, last = outline.low, outline.high - 1
    changes = np.concatenate([[0], np.cumsum(label[1:] != label[:-1])])
    uniform = (changes[last] == changes[first]) & (label[first] >= 0)
    top: Int32 = outline.node[uniform & ~((outline.parent >= 0) & uniform[outline.parent])]
    return top


def _box(page: Page, leaves: Int32) -> Box | None:
    if page.view is None:
        return None
    xy, size = page.view.box[leaves, :2], page.view.box[leaves, 2:]
    return as_box(np.concatenate([xy.min(0), (xy + size).max(0)]))


def _purpose(segmentation: Segmentation, k: int) -> dict[str, Any]:
    """Return role, probabilities and importance of a segment."""
    purpose: dict[str, Any] = {"role": segmentation.roles[k] if segmentation.roles else None}
    for name in ("role_probability", "confidence", "importance"):
        column = getattr(segmentation, name)
        purpose[name] = None if column is None else round(float(column[k]), 3)
    return purpose


def as_box(corners: NDArray[np.floating[Any]]) -> Box:
    """Return left, top, right, bottom (4,) as x, y, width, height, rounded to tenths of a pixel.

    >>> as_box(np.array([1.0, 2.0, 11.04, 22.0]))
    (1.0, 2.0, 10.0, 20.0)
    """
    x, y, right, bottom = corners.tolist()
    return (round(x, 1), round(y, 1), round(right - x, 1), round(bottom - y, 1))


def segmentation_record(page: Page, segmentation: Segmentation) -> dict[str, Any]:
    """Return the record that ``webgrain segment`` writes for a page.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> page = parse("<p>One")
    >>> record = segmentation_record(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand"))
    >>> record["page"], record["segments"][0]["text"], record["segments"][0]["xpath"]
    ('page', 'One', ['/html[1]'])
    """
    head, rows = segment_records(page, segmentation)
    tree = segmentation.tree
    around = _blocks_of(page, tree, [part for part, _ in rows]) if tree else [None] * len(rows)
    return head | {
        "method": segmentation.method,
        "params": dict(segmentation.params),
        "energy": segmentation.energy,
        "lower_bound": segmentation.lower_bound,
        "gap": segmentation.gap,
        "segments": [
            record
            | {name: getattr(segment, name) for name in ("role", "role_probability", "confidence")}
            | {"block": block}
            | ({} if segment.importance is None else {"importance": segment.importance})
            for (segment, record), block in zip(rows, around, strict=True)
        ],
        "blocks": block_records(page, tree) if tree else [],
    }


def segment_records(
    page: Page, segmentation: Segmentation
) -> tuple[dict[str, Any], list[tuple[Segment, dict[str, Any]]]]:
    """Return the beginning of the record of a page, and each segment with its address, box and text."""
    parts = segments(page, segmentation)
    where, notes = noted_addresses(page, (node for segment in parts for node in segment.roots))
    records = [
        {
            "id": segment.id,
            "xpath": [where[node][0] for node in segment.roots if node in where],
            "css": [where[node][1] for node in segment.roots if node in where],
            "box": segment.box,
            "text": segment.text,
            "leaves": segment.leaves,
        }
        for segment in parts
    ]
    return {"page": page.id, "url": page.url, "notes": notes}, list(zip(parts, records, strict=True))
