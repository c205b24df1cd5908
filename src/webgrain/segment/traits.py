"""What the nodes of a visible tree are and hold: columns that several features are made of.

How they look is `webgrain.segment.look`. What a column needs is computed when it is asked for, once.

Cost: array passes over nodes and characters; class and id of each node are read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from webgrain.kernels.subtrees import ancestor_sum, subtree_sum
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.segment.look import leaves_before, look, marked_above

if TYPE_CHECKING:
    import re
    from collections.abc import Iterable

    from numpy.typing import NDArray

    from webgrain.page.leaves import VisibleTree
    from webgrain.page.page import Page
    from webgrain.segment.look import Look

    Bools = NDArray[np.bool_]
    Floats = NDArray[np.float64]
    Integers = NDArray[np.int64]

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
    >>> from webgrain.page.parse import parse
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
    def before(self) -> Integers:
        """(k + 1,) number of leaves before each node."""
        return leaves_before(self.tree)

    @cached_property
    def leaves(self) -> Integers:
        """(k,) number of leaves below a node, itself included."""
        return self.before[self.tree.end] - self.before[:-1]

    @cached_property
    def depth(self) -> Integers:
        """(k,) number of proper ancestors."""
        return ancestor_sum(np.ones(len(self.tree), np.int64), self.tree.end)

    @cached_property
    def height(self) -> Integers:
        """(k,) levels below a node."""
        deepest = self.spread(np.maximum, self.depth[self.tree.leaves])
        return deepest - self.depth

    @cached_property
    def children(self) -> Integers:
        """(k,) number of children."""
        return np.bincount(self.tree.parent[1:], minlength=len(self.tree))

    @cached_property
    def place(self) -> Integers:
        """(k,) place of a node among its siblings, from 0."""
        order = np.argsort(self.tree.parent, kind="stable")
        first = np.concatenate([[0, 1], 1 + np.cumsum(self.children)])  # of the root, then of each node's
        place = np.empty(len(order), np.int64)
        place[order] = np.arange(len(order)) - first[self.tree.parent[order] + 1]
        return place

    @cached_property
    def signature(self) -> Integers:
        """(k,) a number for each tag with its first class."""
        names: dict[str, int] = {"": 0}
        first = [(value.split(None, 1) or [""])[0] for value in self.classes]
        number = np.array([names.setdefault(name, len(names)) for name in first], np.int64)
        return number * len(self.page.dom.tags) + self.tag

    @cached_property
    def path(self) -> Integers:
        """(k,) a number for each sequence of tags from the root, all but certainly another for each."""
        step = _mixed(self.tag.astype(np.uint64) * np.uint64(2**20) + self.depth.astype(np.uint64))
        return ancestor_sum(step, self.tree.end) + step

    @cached_property
    def repetition(self) -> Floats:
        """(k,) share of the most common signature among the children, 0 without any."""
        parent, width = self.tree.parent[1:].astype(np.int64), int(self.signature.max(initial=0)) + 1
        kind, count = np.unique(parent * width + self.signature[1:], return_counts=True)
        most = np.zeros(len(self.tree), np.int64)
        np.maximum.at(most, kind // width, count)
        share: Floats = most / np.maximum(self.children, 1)
        return share

    @cached_property
    def tag(self) -> Integers:
        """(k,) tag of a node, a number of the Dom."""
        return self.page.dom.tag[self.tree.node].astype(np.int64)

    @cached_property
    def text(self) -> tuple[Floats, Floats, Floats]:
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
    def length(self) -> Floats:
        """(k,) weight of a leaf among others: its characters, 10 for an image, 5 for another leaf."""
        kind = self.tree.kind
        return np.select([kind == TEXT_LEAF, kind == IMAGE, kind > 0], [self.text[0], 10.0, 5.0], 0.0)

    @cached_property
    def linked(self) -> Bools:
        """(k,) True at nodes that are, or stand in, a link."""
        return self.inside(("a",))

    @cached_property
    def headings(self) -> Bools:
        """(k,) True at leaves inside h1 ... h6, and at short texts 1.25 times as large as usual, or more.

        Short: up to 80 characters; usual: the median over the characters of the page.
        """
        length, size = self.text[0], self.seen.font_size
        order = np.argsort(size, kind="stable")
        total = np.cumsum(length[order])
        usual = size[order[np.searchsorted(total, total[-1:] / 2)]]
        large = (self.tree.kind == TEXT_LEAF) & (length <= 80.0) & (size >= 1.25 * usual)
        headings: Bools = large | (self.inside(HEADINGS) & (self.tree.kind > 0))
        return headings

    def tagged(self, tags: Iterable[str]) -> Bools:
        """(k,) True at elements of these tags."""
        wanted = frozenset(tags)
        return np.array([tag in wanted for tag in self.page.dom.tags])[self.tag]

    def inside(self, tags: Iterable[str]) -> Bools:
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

    def named(self, pattern: re.Pattern[str]) -> Bools:
        """(k,) True at nodes whose class or id holds something of this pattern."""
        return np.array([bool(name) and pattern.search(name) is not None for name in self.names], bool)

    def below(self, x: NDArray[np.generic]) -> Floats:
        """Return the sums of ``x`` (k,) over the subtree of each node, as float64."""
        return subtree_sum(x, self.tree.end).astype(np.float64)

    def mean(self, x: Floats) -> Floats:
        """Return the means of ``x`` (k, ...) over the leaves below each node, weighted by `length`."""
        weight = np.where(self.tree.kind > 0, np.maximum(self.length, 1e-3), 0.0)
        weight = weight.reshape(-1, *[1] * (x.ndim - 1))
        means: Floats = subtree_sum(weight * x, self.tree.end) / subtree_sum(weight, self.tree.end)
        return means

    def share(self, mark: Bools) -> Floats:
        """Return the share of marked leaves among those below each node; mark (k,)."""
        marked: Floats = self.below(mark & (self.tree.kind > 0)) / self.leaves
        return marked

    def spread(self, pick: np.ufunc, x: Integers) -> Integers:
        """(k,) greatest (``np.maximum``) or least of ``x`` (l,) over the leaves below each node."""
        if not len(x):
            return np.zeros(len(self.tree), np.int64)
        spans = np.stack([self.before[:-1], self.before[self.tree.end]], axis=1).ravel()
        picked: Integers = pick.reduceat(np.append(x, x[-1]), spans)[::2]  # a span may end one past the last
        return picked


def _count(text: str, lengths: list[int]) -> Floats:
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


def _mixed(x: NDArray[np.uint64]) -> Integers:
    """Return 40 well mixed bits (splitmix64) of each: sums of thousands are exact in float64."""
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    mixed: Integers = ((x ^ (x >> np.uint64(31))) >> np.uint64(24)).astype(np.int64)
    return mixed
