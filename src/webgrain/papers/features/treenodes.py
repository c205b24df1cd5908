"""Columns over the nodes of the visible tree of a page: style, content and structure, for features.

`NodeFeatures` computes the columns on demand, each once. On a page without a View there is no style, and
headings are known by their tags only.

Cost: a fixed number of array passes over nodes and characters; class and id of each node are read once.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int64, UInt64
from webgrain.base.errors import ParameterError
from webgrain.page.dom import Cached, Dom, ancestor_sum, cached_on_page, subtree_sum
from webgrain.page.kernels.keytable import numbered
from webgrain.page.kernels.treepass import any_above
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.outline import Outline, visible_tree
from webgrain.page.page import Page, View
from webgrain.page.strings import text_codes
from webgrain.page.values import Question
from webgrain.segmentation.features.facts import FIRST_CLASS, HEADINGS, SIGNS
from webgrain.segmentation.features.style import (
    Style,
    boxes_around,
    leaf_boxes,
    over_spans,
    style_of,
    weighted_median,
)
from webgrain.segmentation.features.unitkernel import leaf_table

LONGEST = 7.0
"""Greatest logarithm of the words of a sentence: 1096 of them."""


def tree_style(view: View, tree: Outline) -> Style:
    """Return the style of the nodes of ``tree``, the visible tree of a page with this view."""
    edges = leaf_boxes(view, tree.leaf_node)
    return style_of(view, tree.node, boxes_around(edges, tree.low, tree.high))


def count_above(tree: Outline, mark: Bool) -> Int64:
    """Return the number (k,) of marked nodes among each node and its ancestors."""
    return ancestor_sum(mark, tree.end) + mark


@dataclass(frozen=True, eq=False)
class NodeFeatures(Cached):
    """Columns over the k nodes of the visible tree of a page; columns of texts are 0 at inner nodes.

    >>> from webgrain.page.outline import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul><li class=x>One<li class=x>Two</ul>"))
    >>> nodes = nodes_of(page)  # html body ul li text li text
    >>> nodes.children.tolist(), nodes.place.tolist(), nodes.depth.tolist()
    ([1, 1, 2, 1, 0, 1, 0], [0, 0, 0, 0, 0, 1, 0], [0, 1, 2, 3, 4, 3, 4])
    """

    dom: Dom
    view: View | None
    tree: Outline

    @property
    def has_boxes(self) -> bool:
        """Whether boxes and styles of the nodes are known."""
        return self.view is not None

    @cached_property
    def style(self) -> Style:
        """The appearance of the nodes; only if `has_boxes`."""
        if self.view is None:
            raise ParameterError("A page without a view has no style.")
        return tree_style(self.view, self.tree)

    @cached_property
    def leaves(self) -> Int64:
        """(k,) number of leaves below a node, itself included."""
        return self.tree.leaves.astype(np.int64)

    @cached_property
    def depth(self) -> Int64:
        """(k,) number of proper ancestors."""
        return self.tree.level.astype(np.int64)

    @cached_property
    def height(self) -> Int64:
        """(k,) levels below a node."""
        if not len(self.tree):
            return self.depth
        tree = self.tree
        deepest = over_spans(np.maximum, self.depth[tree.leaf], tree.low, tree.high)
        return np.asarray(deepest - self.depth, np.int64)

    @cached_property
    def children(self) -> Int64:
        """(k,) number of children."""
        return self.tree.children

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
        key = np.zeros(len(self.dom), np.uint64)
        attributes, nodes = self.dom.find_attribute("class")
        key[nodes] = self.dom.ask(FIRST_CLASS, attributes)
        number, _, _ = numbered(key[self.tree.node])
        signature: Int64 = number * np.int64(len(self.dom.tags)) + self.tag
        return signature

    @cached_property
    def path(self) -> Int64:
        """(k,) a hash of the tags from the root."""
        step = mixed(self.tag.astype(np.uint64) * np.uint64(2**20) + self.depth.astype(np.uint64))
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
        return self.dom.tag[self.tree.node].astype(np.int64)

    @cached_property
    def text(self) -> tuple[Float64, Float64, Float64]:
        """(k,) characters other than spaces, words, and sentences (at least one) of the text leaves."""
        dom, tree = self.dom, self.tree
        places = np.flatnonzero(tree.kind == TEXT_LEAF)
        kinds, no_marks = tree.kind[places], np.zeros(len(places), np.uint64)
        table = leaf_table(text_codes(dom), dom.text_start, tree.node[places], kinds, no_marks, SIGNS)
        counts = np.zeros((3, len(tree)))
        counts[:, places] = table[:3]
        return counts[0], counts[1], counts[2]

    @cached_property
    def sentence(self) -> Float64:
        """(k,) log(1 + mean words of the sentences below a node), up to `LONGEST`."""
        _, words, sentences = self.text
        mean = self.below(words) / np.maximum(self.below(sentences), 1.0)
        return np.minimum(np.log1p(mean), LONGEST)

    @cached_property
    def aspect(self) -> Float64:
        """(k,) binary logarithm of width over height of a box, between -6 and 6."""
        width, height = (self.style.box[:, 2:] - self.style.box[:, :2]).clip(1.0).T
        ratio: Float64 = np.log2(width / height)
        return ratio.clip(-6.0, 6.0)

    @cached_property
    def size(self) -> Int64:
        """(k,) number of nodes of the subtree, itself included."""
        return np.asarray(self.tree.end - np.arange(len(self.tree)), np.int64)

    @cached_property
    def length(self) -> Float64:
        """(k,) weight of a leaf in means: its characters, 10 for an image, 5 for another leaf."""
        kind = self.tree.kind
        return np.select([kind == TEXT_LEAF, kind == IMAGE, kind > 0], [self.text[0], 10.0, 5.0], 0.0)

    @cached_property
    def linked(self) -> Bool:
        """(k,) True at links and at nodes in links."""
        return self.inside(("a",))

    @cached_property
    def headings(self) -> Bool:
        """(k,) True at leaves in h1 ... h6, and at texts of up to 80 characters in a large font, if known.

        Large: at least 1.25 times the median over the characters of the page.
        """
        tagged: Bool = self.inside(HEADINGS) & (self.tree.kind > 0)
        if not self.has_boxes:
            return tagged
        length, size = self.text[0], self.style.font_size
        large = (self.tree.kind == TEXT_LEAF) & (length <= 80.0)
        large &= size >= 1.25 * weighted_median(size, length)
        headings: Bool = large | tagged
        return headings

    def tagged(self, tags: Iterable[str]) -> Bool:
        """Return True (k,) at elements of these tags."""
        return self.dom.tagged(*tags)[self.tree.node]

    def inside(self, tags: Iterable[str]) -> Bool:
        """Return True (k,) at elements of these tags and at nodes in them."""
        mark = self.tagged(tags)
        inside: Bool = mark | any_above(self.tree.parent, mark.view(np.uint8))
        return inside

    def attribute(self, name: str) -> list[str]:
        """Return the value of an attribute of each node (k), "" if it has none."""
        return [value or "" for value in self.dom.values_at(name, self.tree.node)]

    @cached_property
    def classes(self) -> list[str]:
        """Value of the class of each node (k), "" for none."""
        return self.attribute("class")

    @cached_property
    def ids(self) -> list[str]:
        """Value of the id of each node (k), "" for none."""
        return self.attribute("id")

    def named(self, pattern: re.Pattern[str]) -> Bool:
        """Return True (k,) at nodes whose class or id, in lower case, matches this pattern."""
        both = zip(self.classes, self.ids, strict=True)
        names = [f"{class_} {id_}".lower() if class_ or id_ else "" for class_, id_ in both]
        return np.array([bool(name) and pattern.search(name) is not None for name in names], bool)

    def where(self, name: str, question: Question[bool]) -> Bool:
        """Return True (k,) at nodes that have an attribute about whose value the answer is True."""
        mask = np.zeros(len(self.dom), bool)
        mask[self.dom.nodes_where(name, question)] = True
        return mask[self.tree.node]

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


@cached_on_page
def nodes_of(page: Page, boxes: bool = True) -> NodeFeatures:
    """Return the columns of a page, which all of its features share; boxes: whether to use its view."""
    return NodeFeatures(page.dom, page.view if boxes else None, visible_tree(page))


def mixed(x: UInt64) -> Int64:
    """Return 40 hash bits (splitmix64) of each number: sums of thousands are exact in float64."""
    x = (x + np.uint64(1)) * np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return ((x ^ (x >> np.uint64(31))) >> np.uint64(24)).astype(np.int64)
