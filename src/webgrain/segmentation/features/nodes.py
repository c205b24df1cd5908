"""What the visible nodes of a page look like, whether it was laid out or not.

A page without a View looks like a list of lines: one below the other, one for each leaf, all in one style.
What is computed from a Look therefore needs no case for it.

What the nodes of a visible tree are and hold: columns that several features are made of.

How they look is `webgrain.segmentation.features.nodes`. What a column needs is computed when it is
asked for, once.

Cost: array passes over nodes and characters; class and id of each node are read once.

Features of nodes, for D: what they are, and the passes that compute them.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Node features". The paper names examples only (position, shape, background colour, types, sizes and colours
of text; share of text in anchors, tag names); this is a small set of them: with five times as many, D was
learnt no better. All lie within fixed bounds, so that a weight means the same on every page. Features of
pairs, for V, are in `webgrain.segmentation.features.pairs`.

Cost: a fixed number of array passes over the nodes.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.page.dom import ancestor_sum, freeze, subtree_sum
from webgrain.page.leaves import IMAGE, TEXT_LEAF, VisibleTree
from webgrain.page.page import Page

LINE = (1000.0, 20.0)
"""Width and height in px of the line that stands for a leaf without layout."""

FARTHEST = 1e6
"""px; what a hostile style sheet puts beyond is drawn back to here."""


@dataclass(frozen=True, slots=True, eq=False)
class Look:
    """Columns over the k nodes of a visible tree.

    Attributes:
        box: (k, 4) float64 left, top, right, bottom in px: the union of the boxes of the node's leaves, since
            an element's own box need not hold what is in it (floats, inline elements).
        font_size: (k,) px; bold: (k,) bool; color, background: (k, 3) red, green, blue, 0..1.
        painter: (k,) node of the Dom that paints the background, -1 for the canvas.
        width, height: of the page in px.

    """

    box: Float64
    font_size: Float64
    bold: Bool
    color: Float64
    background: Float64
    painter: Int32
    width: float
    height: float

    def __post_init__(self) -> None:
        freeze(self)


def look(page: Page, tree: VisibleTree) -> Look:
    """Return what the nodes of ``tree``, the visible tree of ``page``, look like.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One<p>Two"))
    >>> look(page, visible_tree(page)).box[-1].tolist()  # the second line
    [0.0, 20.0, 1000.0, 40.0]
    """
    if page.view is None:
        return _lines(tree)
    view, node = page.view, tree.node
    left, top, width, height = np.nan_to_num(view.box[node[tree.leaves]].astype(np.float64)).T
    edges = np.clip(
        np.stack([left, top, left + width.clip(0.0), top + height.clip(0.0)], axis=1), -FARTHEST, FARTHEST
    )
    return Look(
        box=_union(tree, edges),
        font_size=np.clip(np.nan_to_num(view.font_size[node].astype(np.float64)), 1.0, 1000.0),
        bold=view.font_weight[node] >= 600,
        color=view.color[node, :3] / 255.0,
        background=view.background[node, :3] / 255.0,
        painter=view.painter[node],
        width=float(np.clip(view.width, 1.0, FARTHEST)),
        height=float(np.clip(view.height, 1.0, FARTHEST)),
    )


def leaves_before(tree: VisibleTree) -> Int64:
    """(k + 1,) number of leaves before each node; node u holds the leaves ``[u]:[end[u]]`` of the page."""
    return np.concatenate([[0], np.cumsum(tree.kind > 0)])


def marked_above(tree: VisibleTree, mark: Bool) -> Int64:
    """(k,) number of marked nodes among a node and its ancestors."""
    return ancestor_sum(mark, tree.end) + mark


def _lines(tree: VisibleTree) -> Look:
    k, before = len(tree), leaves_before(tree)
    top = LINE[1] * np.arange(before[-1])
    edges = np.stack([0 * top, top, 0 * top + LINE[0], top + LINE[1]], axis=1)
    return Look(
        box=_union(tree, edges),
        font_size=np.full(k, 16.0),
        bold=np.zeros(k, bool),
        color=np.zeros((k, 3)),
        background=np.ones((k, 3)),
        painter=np.full(k, -1, np.int32),
        width=LINE[0],
        height=max(LINE[1] * float(before[-1]), 1.0),
    )


def _union(tree: VisibleTree, edges: Float64) -> Float64:
    """Spread the edges (l, 4) of the leaves over all nodes: least left and top, greatest right and bottom."""
    if not len(edges):
        return np.zeros((len(tree), 4))
    before = leaves_before(tree)
    spans = np.stack([before[:-1], before[tree.end]], axis=1).ravel()
    padded = np.concatenate([edges, edges[-1:]])  # the end of a span may be one past the last leaf
    low = np.minimum.reduceat(padded[:, :2], spans)[::2]
    high = np.maximum.reduceat(padded[:, 2:], spans)[::2]
    return np.concatenate([low, high], axis=1)


HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = (
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", *HEADINGS, "header", "hgroup", "hr", "html", "li",
    "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul",
)  # fmt: skip
"""Elements that stand on lines of their own."""

_SPACE = np.array([0x20, 0xA0, 0x3000])
_STOP = np.array([ord(char) for char in ".!?。！？"])
_IDEOGRAPHS = (0x3040, 0xA000)
"""Scripts without spaces between words: each character counts as a word."""


@dataclass(frozen=True, eq=False)
class Traits:
    """Columns over the k nodes of the visible tree of a page; those of text are 0 at inner nodes.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li class=x>One<li class=x>Two</ul>"))
    >>> traits = Traits(page, visible_tree(page))  # html body ul li text li text
    >>> traits.children.tolist(), traits.place.tolist(), traits.depth.tolist()
    ([1, 1, 2, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1, 0], [0, 1, 2, 3, 4, 3, 4])
    """

    page: Page
    tree: VisibleTree

    @cached_property
    def seen(self) -> Look:
        """How the nodes look."""
        return look(self.page, self.tree)

    @cached_property
    def before(self) -> Int64:
        """(k + 1,) number of leaves before each node."""
        return leaves_before(self.tree)

    @cached_property
    def leaves(self) -> Int64:
        """(k,) number of leaves below a node, itself included."""
        return self.before[self.tree.end] - self.before[:-1]

    @cached_property
    def depth(self) -> Int64:
        """(k,) number of proper ancestors."""
        return ancestor_sum(np.ones(len(self.tree), np.int64), self.tree.end)

    @cached_property
    def height(self) -> Int64:
        """(k,) levels below a node."""
        deepest = self.spread(np.maximum, self.depth[self.tree.leaves])
        return deepest - self.depth

    @cached_property
    def children(self) -> Int64:
        """(k,) number of children."""
        return np.bincount(self.tree.parent[1:], minlength=len(self.tree))

    @cached_property
    def place(self) -> Int64:
        """(k,) place of a node among its siblings, from 0."""
        order = np.argsort(self.tree.parent, kind="stable")
        first = np.concatenate([[0, 1], 1 + np.cumsum(self.children)])  # of the root, then of each node's
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - first[self.tree.parent[order] + 1]
        return place

    @cached_property
    def signature(self) -> Int64:
        """(k,) a number for each tag with its first class."""
        names: dict[str, int] = {"": 0}
        first = [(value.split(None, 1) or [""])[0] for value in self.classes]
        number = np.array([names.setdefault(name, len(names)) for name in first], np.int64)
        return number * len(self.page.dom.tags) + self.tag

    @cached_property
    def path(self) -> Int64:
        """(k,) a number for each sequence of tags from the root, all but certainly another for each."""
        step = _mixed(self.tag.astype(np.uint64) * np.uint64(2**20) + self.depth.astype(np.uint64))
        return ancestor_sum(step, self.tree.end) + step

    @cached_property
    def repetition(self) -> Float64:
        """(k,) share of the most common signature among the children, 0 without any."""
        parent, width = self.tree.parent[1:].astype(np.int64), int(self.signature.max(initial=0)) + 1
        kind, count = np.unique(parent * width + self.signature[1:], return_counts=True)
        most = np.zeros(len(self.tree), np.int64)
        np.maximum.at(most, kind // width, count)
        share: Float64 = most / np.maximum(self.children, 1)
        return share

    @cached_property
    def tag(self) -> Int64:
        """(k,) tag of a node, a number of the Dom."""
        return self.page.dom.tag[self.tree.node].astype(np.int64)

    @cached_property
    def text(self) -> tuple[Float64, Float64, Float64]:
        """(k,) characters that are no space, words, and sentences, one at least, of the text leaves."""
        dom, tree = self.page.dom, self.tree
        places = np.flatnonzero(tree.kind == TEXT_LEAF)
        node = tree.node[places]
        spans = zip(dom.text_start[node].tolist(), dom.text_start[node + 1].tolist(), strict=True)
        told = [" " + dom.text[start:end] for start, end in spans]
        counts = np.zeros((3, len(tree)))
        if told:
            counts[:, places] = _count("".join(told), [len(text) for text in told])
        return counts[0], counts[1], counts[2]

    @cached_property
    def length(self) -> Float64:
        """(k,) weight of a leaf among others: its characters, 10 for an image, 5 for another leaf."""
        kind = self.tree.kind
        return np.select([kind == TEXT_LEAF, kind == IMAGE, kind > 0], [self.text[0], 10.0, 5.0], 0.0)

    @cached_property
    def linked(self) -> Bool:
        """(k,) True at nodes that are, or stand in, a link."""
        return self.inside(("a",))

    @cached_property
    def headings(self) -> Bool:
        """(k,) True at leaves inside h1 ... h6, and at short texts 1.25 times as large as usual, or more.

        Short: up to 80 characters; usual: the median over the characters of the page.
        """
        length, size = self.text[0], self.seen.font_size
        order = np.argsort(size, kind="stable")
        total = np.cumsum(length[order])
        usual = size[order[np.searchsorted(total, total[-1:] / 2)]]
        large = (self.tree.kind == TEXT_LEAF) & (length <= 80.0) & (size >= 1.25 * usual)
        headings: Bool = large | (self.inside(HEADINGS) & (self.tree.kind > 0))
        return headings

    def tagged(self, tags: Iterable[str]) -> Bool:
        """(k,) True at elements of these tags."""
        wanted = frozenset(tags)
        return np.array([tag in wanted for tag in self.page.dom.tags])[self.tag]

    def inside(self, tags: Iterable[str]) -> Bool:
        """(k,) True at nodes that are, or stand in, an element of these tags."""
        return marked_above(self.tree, self.tagged(tags)) > 0

    def attribute(self, name: str) -> list[str]:
        """Value of an attribute of each node (k), "" where it has none."""
        dom = self.page.dom
        values = [""] * len(self.tree)
        if name not in dom.names or not values:
            return values
        found = np.flatnonzero(dom.attr_name == dom.names.index(name))
        owner = np.searchsorted(dom.attr_start, found, side="right") - 1
        place = np.searchsorted(self.tree.node, owner).clip(max=len(self.tree) - 1)
        kept = self.tree.node[place] == owner
        start, end = dom.value_start[found], dom.value_start[found + 1]
        for u, low, high in np.stack([place, start, end], axis=1)[kept].tolist():
            values[u] = dom.values[low:high]
        return values

    @cached_property
    def classes(self) -> list[str]:
        """Value of the class of each node (k), "" for none."""
        return self.attribute("class")

    @cached_property
    def ids(self) -> list[str]:
        """Value of the id of each node (k), "" for none."""
        return self.attribute("id")

    @cached_property
    def names(self) -> list[str]:
        """Class and id of each node (k), in lower case."""
        both = zip(self.classes, self.ids, strict=True)
        return [f"{cls} {id_}".lower() if cls or id_ else "" for cls, id_ in both]

    def named(self, pattern: re.Pattern[str]) -> Bool:
        """(k,) True at nodes whose class or id holds something of this pattern."""
        return np.array([bool(name) and pattern.search(name) is not None for name in self.names], bool)

    def below(self, x: NDArray[np.generic]) -> Float64:
        """Return the sums of ``x`` (k,) over the subtree of each node, as float64."""
        return subtree_sum(x, self.tree.end).astype(np.float64)

    def mean(self, x: Float64) -> Float64:
        """Return the means of ``x`` (k, ...) over the leaves below each node, weighted by `length`."""
        weight = np.where(self.tree.kind > 0, np.maximum(self.length, 1e-3), 0.0)
        weight = weight.reshape(-1, *[1] * (x.ndim - 1))
        means: Float64 = subtree_sum(weight * x, self.tree.end) / subtree_sum(weight, self.tree.end)
        return means

    def share(self, mark: Bool) -> Float64:
        """Return the share of marked leaves among those below each node; mark (k,)."""
        marked: Float64 = self.below(mark & (self.tree.kind > 0)) / self.leaves
        return marked

    def spread(self, pick: np.ufunc, x: Int64) -> Int64:
        """(k,) greatest (``np.maximum``) or least of ``x`` (l,) over the leaves below each node."""
        if not len(x):
            return np.zeros(len(self.tree), np.int64)
        spans = np.stack([self.before[:-1], self.before[self.tree.end]], axis=1).ravel()
        picked: Int64 = pick.reduceat(np.append(x, x[-1]), spans)[::2]  # a span may end one past the last
        return picked


def _count(text: str, lengths: list[int]) -> Float64:
    """Return characters, words and sentences (3, t) of texts that follow each other, each led by a space."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    start = np.cumsum([0, *lengths[:-1]])
    dark = (codes > ord(" ")) & ~np.isin(codes, _SPACE)
    first = dark.copy()
    first[1:] &= ~dark[:-1] | ((codes[1:] >= _IDEOGRAPHS[0]) & (codes[1:] < _IDEOGRAPHS[1]))
    ends = np.isin(codes, _STOP)
    counts = np.add.reduceat(np.stack([dark, first, ends]).astype(np.float64), start, axis=1)
    counts[2] = np.maximum(counts[2], 1.0)
    return counts


def _mixed(x: UInt64) -> Int64:
    """Return 40 well mixed bits (splitmix64) of each: sums of thousands are exact in float64."""
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Int64 = ((x ^ (x >> np.uint64(31))) >> np.uint64(24)).astype(np.int64)
    return mixed


View = Literal["visual", "content", "structure"]
VIEWS: tuple[View, ...] = get_args(View)
"""Views of a page, which may weigh more or less on other kinds of sites."""


class Feature(NamedTuple):
    """One column: its name, its unit, its bounds, the view of a page that it belongs to, what it measures.

    view: ``visual``: how things look and where they stand; ``content``: texts, links, images, headings;
    ``structure``: tags, classes, the tree.
    """

    name: str
    unit: str
    low: float
    high: float
    view: View
    meaning: str


NODE_FEATURES = (
    Feature("x", "page widths", 0, 1, "visual", "centre of the node's box"),
    Feature("y", "page heights", 0, 1, "visual", "centre of the node's box"),
    Feature("width", "page widths", 0, 1, "visual", "width of the node's box"),
    Feature("height", "page heights", 0, 1, "visual", "height of the node's box"),
    Feature("font_size", "log2(px / 16)", -4, 6, "visual", "mean over the text below"),
    Feature("bold", "share of text", 0, 1, "visual", "text of weight 600 or more"),
    Feature("red", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("green", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("blue", "1", 0, 1, "visual", "text colour, mean over the text below"),
    Feature("back_red", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("back_green", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("back_blue", "1", 0, 1, "visual", "effective background behind the node"),
    Feature("text", "log share", 0, 1, "content", "log(1 + characters) over that of the page"),
    Feature("anchor", "share of text", 0, 1, "content", "text inside links"),
    Feature("image", "share of leaves", 0, 1, "content", "leaves that are images"),
    Feature("heading", "share of leaves", 0, 1, "content", "leaves inside h1 ... h6"),
    Feature("list", "share of leaves", 0, 1, "structure", "leaves inside li, dt or dd"),
    Feature("paragraph", "share of leaves", 0, 1, "structure", "leaves inside p"),
)
"""Columns of `node_features`."""

_TAGS = {
    "heading": HEADINGS,
    "list": ("li", "dt", "dd"),
    "paragraph": ("p",),
}


def node_features(traits: Traits) -> Float64:
    """Return the features (k, f) of the nodes of the visible tree of a page; f as `NODE_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<p>One <a>two</a>"))
    >>> names = [feature.name for feature in NODE_FEATURES]
    >>> features = node_features(Traits(page, visible_tree(page)))
    >>> features[:, names.index("anchor")].tolist()  # html body p text a text
    [0.5, 0.5, 0.5, 0.0, 1.0, 1.0]
    """
    tree, seen = traits.tree, traits.seen
    if not len(tree):
        return np.zeros((0, len(NODE_FEATURES)))
    low, high = _in_page(seen, seen.box[:, :2]), _in_page(seen, seen.box[:, 2:])
    below = traits.below(traits.text[0])
    columns = dict(zip(("x", "y"), ((low + high) / 2).T, strict=True))
    columns |= zip(("width", "height"), (high - low).T, strict=True)
    columns |= zip(("back_red", "back_green", "back_blue"), seen.background.T, strict=True)
    columns["text"] = np.log1p(below) / max(np.log1p(below[0]), 1.0)
    by_text = [*seen.color.T, np.log2(seen.font_size / 16.0).clip(-4.0, 6.0), seen.bold, traits.linked]
    by_text_names = ("red", "green", "blue", "font_size", "bold", "anchor")
    columns |= zip(by_text_names, traits.mean(np.stack(by_text, axis=1)).T, strict=True)
    by_leaf = {"image": tree.kind == IMAGE} | {name: traits.inside(tags) for name, tags in _TAGS.items()}
    columns |= {name: traits.share(mark) for name, mark in by_leaf.items()}
    return np.stack([columns[feature.name] for feature in NODE_FEATURES], axis=1)


def _in_page(seen: Look, corner: Float64) -> Float64:
    """(k, 2) corners of boxes in page widths and heights, drawn back to the page."""
    share: Float64 = corner / np.array([seen.width, seen.height])
    return share.clip(0.0, 1.0)
