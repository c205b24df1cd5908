"""What methods return: label arrays over the nodes of a page, and records of what failed.

From chosen blocks to the parts of an article: headings, paragraphs, items, quotes, tables, code.

From label arrays to records: the segments of a page as its readers and other programs want them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32
from webgrain.errors import ParameterError
from webgrain.page import addresses as address
from webgrain.page.blocks import LayoutBlocks
from webgrain.page.dom import Dom, freeze
from webgrain.page.leaves import VisibleTree, visible_tree
from webgrain.page.page import Page
from webgrain.page.paths import Path
from webgrain.page.text import texts_of

ROUNDING = 1e-9
"""Energies that differ by less are the same."""


@dataclass(frozen=True, slots=True, eq=False)
class Segmentation:
    """The segments of one page.

    Attributes:
        labels: (n,) int32 per node of the Dom, the id of its segment; -1 for none (invisible, above all).
            Segments are numbered 0, 1, ... by their first node.
        method: name of the method; params: its parameters.
        energy: value of the objective that was minimised; lower_bound: a proven bound on its minimum.
        roles: what each segment is for, None where that is not known; empty where nobody asked.
        role_probability: (s,) float64, how probable these roles are; None where nobody asked.
        confidence: (s,) float64, how probable it is that people would mark this very segment; or None.
        importance: (s,) float64, 0..1, how much of each segment is not noise of the site; or None.
    """

    labels: Int32
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)
    energy: float | None = None
    lower_bound: float | None = None
    roles: tuple[str | None, ...] = ()
    role_probability: Float64 | None = None
    confidence: Float64 | None = None
    importance: Float64 | None = None

    def __post_init__(self) -> None:
        freeze(self)
        for name, told in (
            ("roles", self.roles or None),
            ("role_probability", self.role_probability),
            ("confidence", self.confidence),
            ("importance", self.importance),
        ):
            if told is not None and len(told) != len(self):
                raise ParameterError(f"{name}: expected one per segment, {len(self)}, got {len(told)}.")

    def __len__(self) -> int:
        """Return the number of segments."""
        return int(self.labels.max(initial=-1)) + 1

    @property
    def gap(self) -> float | None:
        """How far the energy can be from the optimum, relative to the energy; None without a bound."""
        if self.energy is None or self.lower_bound is None:
            return None
        difference = self.energy - self.lower_bound
        return 0.0 if difference < ROUNDING else difference / max(abs(self.energy), ROUNDING)


def canonical(labels: NDArray[np.integer[Any]]) -> Int32:
    """Return labels numbered 0, 1, ... by first appearance; -1 stays.

    >>> canonical(np.array([-1, 7, 7, 3, -1, 7])).tolist()
    [-1, 0, 0, 1, -1, 0]
    """
    out = np.full(len(labels), -1, np.int32)
    known = np.flatnonzero(labels >= 0)
    if len(known):
        _, first, inverse = np.unique(labels[known], return_index=True, return_inverse=True)
        rank = np.empty(len(first), np.int32)
        rank[np.argsort(first, kind="stable")] = np.arange(len(first), dtype=np.int32)
        out[known] = rank[inverse]
    return out


@dataclass(frozen=True, slots=True)
class ArticleBlock:
    """A part of a page as its writer meant it.

    Attributes:
        kind: title, heading, paragraph, item, quote, code, table, caption, comment or sub.
        text: its text, white space collapsed; code as it stands; a table has its rows in lines.
        node: the element that holds it, as a node of the Dom.
        score: how far it differs from page to page (DiffScore), 0..1.
        level: rank of a heading, depth of a list item, from 1; 0 for others.
    """

    kind: str
    text: str
    node: int
    score: float = 1.0
    level: int = 0


def article_blocks(rows: Iterable[tuple[str, str, int, float]]) -> list[ArticleBlock]:
    """Return the blocks with these kinds, texts, nodes and scores."""
    return [ArticleBlock(*row) for row in rows]


@dataclass(frozen=True, slots=True)
class Article:
    """What a page is, and what it says.

    Attributes:
        verdict: ``article``; ``index``: a page that leads to others; ``unknown``: of no known layout.
        title: its title; empty for none.
        blocks: the title, the parts of the main text in order, comments, and what else is not on all pages.
        layout: name of the layout; empty for none.
        confidence: how far the page agrees with its layout, 0..1.
        evidence: what the text was told by, in words; empty: not said.
    """

    verdict: str
    title: str = ""
    blocks: tuple[ArticleBlock, ...] = ()
    layout: str = ""
    confidence: float = 0.0
    evidence: str = ""

    @property
    def text(self) -> str:
        """The main text without code, a blank line between its parts."""
        return "\n\n".join(block.text for block in self.blocks if block.kind in MAIN_KINDS)

    @property
    def code(self) -> tuple[str, ...]:
        """The blocks of code in the main text."""
        return self.of_kind("code")

    @property
    def comments(self) -> tuple[str, ...]:
        """What readers wrote."""
        return self.of_kind("comment")

    @property
    def sub(self) -> tuple[str, ...]:
        """What is neither title nor main text and yet not the same on all pages: dates, names, tags."""
        return self.of_kind("sub")

    def of_kind(self, kind: str) -> tuple[str, ...]:
        """Return the texts of the blocks of one kind."""
        return tuple(block.text for block in self.blocks if block.kind == kind)


MAIN_KINDS = ("heading", "paragraph", "item", "quote", "table", "caption")
"""Kinds of blocks whose texts make the main text of an article; code is the other one."""


@dataclass(frozen=True, slots=True)
class Failure:
    """A page that could not be processed: at which stage, why, after how long."""

    page: str
    stage: str
    error: str
    seconds: float = 0.0
    url: str | None = None


@dataclass(frozen=True, slots=True)
class Field:
    """What the pages of a type have at one place.

    Attributes:
        path: where.
        share: of the type's pages that have it.
        contents: how it begins on some pages.
    """

    path: Path
    share: float
    contents: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class PageType:
    """A kind of page of a site.

    Attributes:
        label: a name that stays the same from run to run as long as the key path does.
        key_path: the path that its pages have, and those of types before it have not; None: they have no key
            path, and were put together by their other paths.
        size: how many pages; share: of all.
        tab: what the key path says on all of its pages, where types differ by that; empty: nothing.
        contents: what the key path says on some of them.
        examples: ids of some of its pages.
        fields: what else its pages have at one place, best first.
    """

    label: str
    key_path: Path | None
    size: int
    share: float
    tab: str = ""
    contents: tuple[str, ...] = ()
    examples: tuple[str, ...] = ()
    fields: tuple[Field, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Clustering:
    """The pages of a site by type.

    Attributes:
        pages: ids (p,).
        labels: (p,) int32, the number of the page's type.
        confidence: (p,) share of the paths that the type's pages have in common that a page has, 0..1.
        types: largest first.
        method: name of the method; params: its parameters.
    """

    pages: tuple[str, ...]
    labels: Int32
    confidence: Float64
    types: tuple[PageType, ...]
    method: str
    params: Mapping[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        freeze(self)

    def __len__(self) -> int:
        """Return the number of types."""
        return len(self.types)


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
) -> list[ArticleBlock]:
    r"""Return the parts of the main text, in order.

    chosen: the blocks of the main text, in order; container: the node that they stand in; scores: of each of
    them.

    >>> from webgrain.page.blocks import layout_blocks
    >>> from webgrain.page.parsing import parse
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
    found: list[ArticleBlock] = []
    for node, group in groupby(rows, key=lambda row: row[0] if row[0] >= 0 else -2 - row[2]):
        members = list(group)
        own = [i for _, _, i, _ in members]
        tag = dom.tags[dom.tag[node]]
        if node < 0 or (tag == "table" and int(blocks.weight[own].max()) > _CELL):
            for _, holder, i, score in members:
                kind, level = ways[holder].told
                found.append(ArticleBlock(kind, _clean(kind, blocks.texts[i]), holder, score, level))
        elif tag == "pre":
            found.append(ArticleBlock("code", _code(dom, blocks, own), node, members[0][3]))
        else:
            found.append(ArticleBlock("table", _table(dom, blocks, own, node), node, members[0][3]))
    return found


def _ways(dom: Dom, nodes: Iterable[int], container: int) -> dict[int, _Way]:
    """Return what is known of nodes, and of their ancestors, by those that come after the container."""
    found: set[int] = set()
    for node in nodes:
        found.add(node)
        while (node := int(dom.parent[node])) > container and node not in found:
            found.add(node)
    ways: dict[int, _Way] = {}
    for node in sorted(found):  # parents first
        above, tag = int(dom.parent[node]), dom.tags[dom.tag[node]]
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


Box = tuple[float, float, float, float]


@dataclass(frozen=True, slots=True)
class Segment:
    """One segment of a page.

    Attributes:
        id: its label in the `Segmentation`.
        roots: the largest subtrees whose leaves all belong to this segment, as nodes of the Dom in document
            order. Every leaf of the page is below exactly one root of one segment.
        box: x, y, width, height in CSS px around its leaves; None for a page without a layout.
        text: the text a reader sees, white space collapsed.
        leaves: number of leaves.
        role, role_probability, confidence, importance: as in the `Segmentation`; None where that does not
            tell.
    """

    id: int
    roots: tuple[int, ...]
    box: Box | None
    text: str
    leaves: int
    role: str | None = None
    role_probability: float | None = None
    confidence: float | None = None
    importance: float | None = None

    @property
    def caption(self) -> str:
        """Its number, and its role or importance where that is known."""
        sure = "" if self.importance is None else f" {self.importance:.0%}"
        return f"{self.id} {self.role}" if self.role else f"{self.id}{sure}"


def segments(page: Page, segmentation: Segmentation) -> list[Segment]:
    """Return the segments of a page, in the order of their ids.

    Raises `ParameterError` if the labels are those of another page.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))  # html, head, body, div, p, text, ...
    >>> labels = np.array([-1, -1, -1, 0, 0, 0, 0, 0, 1, 1], np.int32)
    >>> [(s.id, s.roots, s.leaves, s.text) for s in segments(page, Segmentation(labels, "by hand"))]
    [(0, (3,), 2, 'One Two'), (1, (8,), 1, 'Three')]
    """
    if len(segmentation.labels) != len(page.dom):
        raise ParameterError(
            f"Expected {len(page.dom)} labels, one per node, got {len(segmentation.labels)}."
        )
    tree = visible_tree(page)
    leaf = tree.node[tree.leaves]
    label = segmentation.labels[leaf]
    roots = _roots(tree, label)
    of_segment = _grouped(roots, label[np.searchsorted(leaf, roots)])  # of the first leaf below
    found, own = list(of_segment), [tuple(nodes.tolist()) for nodes in of_segment.values()]
    texts = texts_of(page, own)
    of_label = _grouped(leaf, label)
    leaves = [of_label[k] for k in found]
    told = zip(found, own, map(partial(_box, page), leaves), texts, map(len, leaves), strict=True)
    return [Segment(*one, **_purpose(segmentation, one[0])) for one in told]


def segmentation_record(page: Page, segmentation: Segmentation) -> dict[str, Any]:
    """Return one page's result with the fields of ``webgrain segment``, ready for JSON.

    >>> import numpy as np
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.results import Segmentation
    >>> page = parse(Source("a", b"<p>One"))
    >>> record = segmentation_record(page, Segmentation(np.zeros(len(page.dom), np.int32), "by hand"))
    >>> record["page"], record["segments"][0]["text"], record["segments"][0]["xpath"]
    ('a', 'One', ['/html[1]'])
    """
    found = segments(page, segmentation)
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "method": segmentation.method,
        "params": dict(segmentation.params),
        "energy": segmentation.energy,
        "lower_bound": segmentation.lower_bound,
        "gap": segmentation.gap,
        "segments": [
            where
            | {
                "role": segment.role,
                "role_probability": segment.role_probability,
                "confidence": segment.confidence,
            }
            | ({} if segment.importance is None else {"importance": segment.importance})
            for segment, where in zip(found, _places(page, found), strict=True)
        ],
    }


def sections_record(page: Page, sections: Segmentation) -> dict[str, Any]:
    """Return one page's result with the fields of ``webgrain sections``, ready for JSON.

    sections: as `webgrain.templates.sections.Sections.segmentation` makes them.
    """
    found = segments(page, sections)
    noisy, listed = sections.params["noisy"], sections.params["listed"]
    return {
        "page": page.id,
        "url": page.url,
        "notes": list(page.notes),
        "template": sections.params["template"],
        "match": sections.params["match"],
        "accepted": sections.params["accepted"],
        "sections": [
            where | {"importance": one.importance, "noisy": noisy[one.id], "list": listed[one.id]}
            for one, where in zip(found, _places(page, found), strict=True)
        ],
    }


def _places(page: Page, found: list[Segment]) -> list[dict[str, Any]]:
    """Return for each segment where it is and what it says."""
    nodes = [node for segment in found for node in segment.roots]
    xpath, css = (
        dict(zip(nodes, of(page.dom, nodes), strict=True)) for of in (address.xpaths, address.css_paths)
    )
    return [
        {
            "id": segment.id,
            "xpath": [xpath[node] for node in segment.roots],
            "css": [css[node] for node in segment.roots],
            "box": segment.box,
            "text": segment.text,
            "leaves": segment.leaves,
        }
        for segment in found
    ]


def failure_record(failure: Failure) -> dict[str, Any]:
    """Return a failed page's record, ready for JSON.

    >>> from webgrain.results import Failure
    >>> failure_record(Failure("a.html", "read", "the archive ends in the middle of a page"))["stage"]
    'read'
    """
    return {**asdict(failure), "seconds": round(failure.seconds, 3)}


def _grouped(nodes: Int32, label: Int32) -> dict[int, Int32]:
    """Return the nodes of each label, labels and nodes in order."""
    order = np.argsort(label, kind="stable")
    labels, start = np.unique(label[order], return_index=True)
    return dict(zip(labels.tolist(), np.split(nodes[order], start[1:]), strict=False))


def _roots(tree: VisibleTree, label: Int32) -> Int32:
    """Roots of all segments, as nodes of the Dom: the largest subtrees whose leaves have one label.

    The leaves below a node are consecutive, so they have one label iff it changes nowhere in their span.
    """
    if not len(label):
        return np.zeros(0, np.int32)
    before = np.concatenate([[0], np.cumsum(tree.kind > 0)])
    first, last = before[:-1], before[tree.end] - 1
    changes = np.concatenate([[0], np.cumsum(label[1:] != label[:-1])])
    uniform = (changes[last] == changes[first]) & (label[first] >= 0)
    top: Int32 = tree.node[uniform & ~((tree.parent >= 0) & uniform[tree.parent])]
    return top


def _box(page: Page, leaves: Int32) -> Box | None:
    if page.view is None:
        return None
    xy, size = page.view.box[leaves, :2], page.view.box[leaves, 2:]
    return as_box(np.concatenate([xy.min(0), (xy + size).max(0)]))


def _purpose(segmentation: Segmentation, k: int) -> dict[str, Any]:
    """Return what a segmentation tells of a segment beyond where it is."""
    told: dict[str, Any] = {"role": segmentation.roles[k] if segmentation.roles else None}
    for name in ("role_probability", "confidence", "importance"):
        column = getattr(segmentation, name)
        told[name] = None if column is None else round(float(column[k]), 3)
    return told


def as_box(corners: NDArray[np.floating[Any]]) -> Box:
    """Return left, top, right, bottom (4,) as x, y, width, height in tenths of px.

    >>> as_box(np.array([1.0, 2.0, 11.04, 22.0]))
    (1.0, 2.0, 10.0, 20.0)
    """
    x, y, right, bottom = corners.tolist()
    return (round(x, 1), round(y, 1), round(right - x, 1), round(bottom - y, 1))
