"""The features of units and segments by array operations, without kernels: what the kernels must compute.

Written before the kernels, on the visible tree of a page; only features that need no View.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from webgrain.page.dom import ancestor_sum
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF
from webgrain.page.values import IS_FILLED, Question
from webgrain.papers.features.treenodes import NodeFeatures, mixed
from webgrain.segmentation.features.facts import BLOCKS, HEADINGS
from webgrain.segmentation.features.hints import (
    ALL_HINTS,
    HINTS,
    LONGEST_VALUE,
    has_bits,
    hint_bits,
)
from webgrain.segmentation.features.segments import log_scale
from webgrain.segmentation.features.style import over_spans
from webgrain.segmentation.thresholds import LARGE_CHILD, NEAR_LEAVES

PATTERNS = {
    "prices": re.compile(
        r"\d\s?[$¢-¥֏؋৲৳৻૱௹฿៛₠-⃀﷼﹩＄￠￡￥￦]|"
        r"[$¢-¥֏؋৲৳৻૱௹฿៛₠-⃀﷼﹩＄￠￡￥￦]\s?\d"
    ),
    "years": re.compile(r"(?<!\d)(?:19|20)\d\d(?!\d)"),
    "page_numbers": re.compile(r"\A\W*\d{1,4}\W*\Z"),
    "arrows": re.compile(r"\A[^«»‹›←→<>]{,40}[«»‹›←→<>].{,40}\Z"),
    "separators": re.compile(r"\A\W+\Z"),
}
"""What `text_marks` of the kernel counts, as regular expressions."""

LINES = "", "text", "email", "tel", "search", "url", "password"


@dataclass
class Units:
    """The units of a visible tree; ``m`` units in document order.

    Attributes:
        top, bottom: (m,) first and last node of the chain, nodes of the visible tree.
        parent: (m,) unit, -1 at the root; end: (m,) one past the units below.
        low, high: (m,) the leaves of the unit are the places ``low:high`` among the leaves of the page.
        child: (c,) the units that have a parent, by parent and in document order.
        first, last: (m,) the children of a unit are ``child[first:last]``.
    """

    top: np.ndarray
    bottom: np.ndarray
    parent: np.ndarray
    end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    child: np.ndarray
    first: np.ndarray
    last: np.ndarray

    def __len__(self):
        return len(self.top)

    @property
    def leaves(self):
        """(m,) number of leaves."""
        return self.high - self.low

    @property
    def children(self):
        """(m,) number of children."""
        return self.last - self.first

    @property
    def inner(self):
        """Return the units with two leaves or more: those that can be opened."""
        return np.flatnonzero(self.end - np.arange(len(self)) > 1)

    def over_chain(self, x):
        """Return the sums (m, ...) of ``x`` (k, ...), of nodes of the tree, over the chain of each unit."""
        return _differences(x, self.top, self.bottom + 1)

    def over_leaves(self, x):
        """Return the sums (m, ...) of ``x`` (l, ...), of leaves in order, over the leaves of each unit."""
        return _differences(x, self.low, self.high)

    def over_children(self, x):
        """Return the sums (m, ...) of ``x`` (m, ...) over the children of each unit."""
        return _differences(x[self.child], self.first, self.last)

    def greatest_leaf(self, x):
        """Return the greatest (m,) of ``x`` (l,), of leaves in order, over the leaves of each unit."""
        return over_spans(np.maximum, x, self.low, self.high)

    def least_child(self, x):
        """Return the least (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        out = np.zeros(x.shape)
        parents = np.flatnonzero(self.children)
        if len(parents):
            out[parents] = np.minimum.reduceat(x[self.child], self.first[parents], axis=0)
        return out

    def greatest_child(self, x):
        """Return the greatest (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        return 0.0 - self.least_child(-x)


def units_of(tree):
    """Return the units of a visible tree of one node at least."""
    count = np.bincount(tree.parent[1:], minlength=len(tree))
    starts = np.append(True, count[tree.parent[1:]] > 1)
    unit = np.cumsum(starts) - 1
    top = np.flatnonzero(starts)
    bottom = np.append(top[1:], len(tree)) - 1
    above = tree.parent[top]
    parent = np.where(above >= 0, unit[np.maximum(above, 0)], -1)
    child = np.argsort(parent, kind="stable")[1:]
    places = np.searchsorted(parent[child], np.arange(len(top) + 1))
    end = np.append(unit, len(top))[tree.end[top]].astype(np.int32)
    low, high = tree.low[top], tree.high[top]
    return Units(top, bottom, parent, end, low, high, child, places[:-1], places[1:])


def _differences(x, low, high):
    total = np.zeros((len(x) + 1, *x.shape[1:]), np.int64 if x.dtype.kind in "bui" else np.float64)
    np.cumsum(x, axis=0, out=total[1:])
    return total[high] - total[low]


_COUNTED = "image", "control", "embed", "backdrop", "heading", "caption", "long"
_SHARED = ("image", "control", "heading", "caption", "long", "list item", "paragraph", "in form")
_KINDS = {"image": IMAGE, "control": CONTROL, "embed": EMBED, "backdrop": BACKGROUND}
_TAGS = {
    "table": ("table",),
    "rows": ("tbody", "thead", "tfoot"),
    "row": ("tr",),
    "cell": ("td", "th"),
    "list": ("ul", "ol", "dl", "menu"),
    "item": ("li", "dt", "dd"),
    "heading": HEADINGS,
    "paragraph": ("p", "blockquote", "pre", "address"),
    "link": ("a",),
    "form": ("form", "fieldset"),
    "div": ("div",),
    "span": ("span", "font", "b", "strong", "em", "i", "small", "big", "u"),
    "section": ("section", "main", "article"),
    "edge": ("header", "footer", "nav", "aside"),
    "body": ("body",),
}


def unit_columns(nodes, units):
    """Return the columns (m,) of the features that need no View, by name; without hints."""
    own = own_columns(nodes, units)
    children = children_columns(nodes, units, own)
    return own | children | context_columns(units, own, children)


def own_columns(nodes, units):
    """Return the columns (m,) of the units themselves, by name, and some more that others are made of."""
    leaf = _leaf_columns(nodes)
    sums = dict(zip(leaf, units.over_leaves(np.stack(list(leaf.values()), axis=1)).T, strict=True))
    count, text = sums["one"], np.maximum(sums["text"], 1.0)
    columns = {f"{it}s": np.log1p(sums[it]) for it in _COUNTED}
    columns |= {f"{it} share": sums[it] / count for it in _SHARED}
    columns |= {
        "characters": np.log1p(sums["text"]),
        "per sentence": np.log1p(sums["words"] / (sums["sentences"] + 1.0)),
        "per leaf": np.log1p(sums["words"] / count),
        "linked text": sums["linked text"] / text,
        "linked leaves": sums["linked"] / count,
        "leaves": np.log1p(count),
        "leaf share": count / count[0],
    }
    columns |= _of_tree(nodes, units) | _of_order(units)
    columns["block"] = units.over_chain(nodes.tagged(BLOCKS)) > 0
    first = np.minimum(units.low, len(leaf["one"]) - 1)
    for name in ("heading", "caption", "image"):
        columns[f"starts with {name}"] = leaf[name][first]
    return columns | {"count": count, "text": sums["text"]}


def _leaf_columns(nodes):
    """Return columns (l,) over the leaves, of which sums and means are taken."""
    tree, places = nodes.tree, nodes.tree.leaf
    kind = tree.kind[places]
    text, words, sentences = (column[places] for column in nodes.text)
    linked, heading, *others = (
        nodes.inside(tags)[places] for tags in (("a",), HEADINGS, _TAGS["item"], ("p",), ("form",))
    )
    heading = caption = heading & (kind == TEXT_LEAF)
    columns = {
        "one": np.ones(len(places)),
        "text": text,
        "words": words,
        "linked": linked,
        "sentences": np.where(kind == TEXT_LEAF, sentences - 1.0, 0.0),
        "linked text": text * linked,
        "heading": heading,
        "caption": caption,
        "long": text > 100.0,
        **dict(zip(("list item", "paragraph", "in form"), others, strict=True)),
    } | {name: kind == number for name, number in _KINDS.items()}
    return {name: column.astype(np.float64) for name, column in columns.items()}


def _of_tree(nodes, units):
    above = ancestor_sum(np.ones(len(units), np.int64), units.end)
    deepest = units.greatest_leaf(above[units.children == 0])
    columns = {
        "level": above,
        "height": np.log1p(deepest - above),
        "children": np.log1p(units.children),
        "has id": units.over_chain(nodes.where("id", IS_FILLED)) > 0,
    }
    for name, tags in _TAGS.items():
        columns[f"tag {name}"] = units.over_chain(nodes.tagged(tags)) > 0
    return columns


def _of_order(units):
    total = int(units.high[0])
    before, after = units.low, total - units.high
    return {
        "earlier share": before / total,
        "later share": after / total,
        "earlier": np.log1p(before),
        "later": np.log1p(after),
    }


_RANGES = "linked text", "per sentence", "image share"
_SHARED_MARKS = ("has id", "block")


def children_columns(nodes, units, own):
    """Return the columns (m,) of the children, by name, and some more that others are made of."""
    columns = _repetition(nodes, units, own) | _sizes(units, own) | _content(units, own)
    columns["previous"], columns["following"] = _beside(units)
    columns["most repeated below"] = units.greatest_child(columns["repeated"])
    columns["most large below"] = units.greatest_child(columns["large children"])
    columns["repetition below"] = units.over_children(columns["repetition"] * columns["share"])
    return columns


def _repetition(nodes, units, own):
    children = np.maximum(units.children, 1)
    signature = nodes.signature[units.top]
    shape = _shape(nodes.tag[units.top], units)
    alike, alike_shape = same(units, signature), same(units, shape)
    large = own["count"] >= LARGE_CHILD
    n_large = units.over_children(large)
    columns = {"signature": signature, "shape": shape, "alike": alike, "alike shape": alike_shape}
    most = {
        "repeated": units.greatest_child(alike.astype(np.float64)),
        "repeated shape": units.greatest_child(alike_shape.astype(np.float64)),
        "large repeated": units.greatest_child(alike * large.astype(np.float64)),
        "large children": n_large,
    }
    columns |= {name: np.log1p(count) for name, count in most.items()}
    return columns | {
        "repetition": most["repeated"] / children,
        "shape repetition": most["repeated shape"] / children,
        "large repetition": most["large repeated"] / np.maximum(n_large, 1),
        "mean large": np.log1p(units.over_children(own["count"] * large) / np.maximum(n_large, 1)),
        "large": large,
        "n large": n_large,
    }


def _shape(tag, units):
    """Return a number (m,) for each tag with the tags of its children, all but certainly another for each."""
    own = mixed(tag.astype(np.uint64))
    below = np.zeros(len(units), np.int64)
    np.add.at(below, units.parent[units.child], own[units.child])
    return 3 * own + below


def _sizes(units, own):
    count = own["count"]
    share = count / count[np.maximum(units.parent, 0)]
    return {
        "share": share,
        "mean leaves": np.log1p(count / np.maximum(units.children, 1)),
        "entropy": units.over_children(-share * np.log(share)),
        "largest": units.greatest_child(share),
        "leaf children": _share(units, count == 1),
        "uneven leaves": _uneven(units, count),
        "uneven text": _uneven(units, own["text"] + 1.0),
        "most text": units.greatest_child(own["characters"]),
    }


def _content(units, own):
    several = own["count"] > 1
    columns = _ranges(units, own, _RANGES)
    columns |= {f"children {name}": _share(units, own[name]) for name in _SHARED_MARKS}
    captioned = own["starts with caption"] * several
    return columns | {
        "headed": np.log1p(units.over_children(own["starts with heading"] * several)),
        "captioned": np.log1p(units.over_children(captioned)),
        "captioned share": _share(units, captioned),
        "bare captions": np.log1p(units.over_children(own["starts with caption"] * ~several)),
    }


def _ranges(units, own, names):
    """Return the difference (m,) of the greatest and the least of some columns among the children."""
    return {f"range {name}": units.greatest_child(own[name]) - units.least_child(own[name]) for name in names}


def _beside(units):
    """Return the sibling before and after each unit (m,), -1 for none."""
    previous, following = np.full((2, len(units)), -1, np.int64)
    child = units.child
    sisters = units.parent[child[1:]] == units.parent[child[:-1]]
    previous[child[1:][sisters]] = child[:-1][sisters]
    following[child[:-1][sisters]] = child[1:][sisters]
    return previous, following


def _share(units, x):
    return units.over_children(x) / np.maximum(units.children, 1)


def _uneven(units, x):
    """Return the standard deviation (m,) of ``x`` (m,) over the children, by the mean."""
    mean, square = _share(units, x), _share(units, x * x)
    return np.sqrt((square - mean**2).clip(0.0)) / np.maximum(np.abs(mean), 1e-9)


_OF_PARENT = (
    "leaf share",
    "repetition",
    "repeated",
    "children",
    "large children",
    "largest",
    "linked text",
    "large repetition",
    "shape repetition",
    "headings",
    "captions",
    "entropy",
    "list item share",
    "tag table",
    "tag row",
    "tag cell",
    "tag list",
    "tag item",
    "tag div",
    "tag paragraph",
    "tag form",
    "tag body",
)


def context_columns(units, own, children):
    """Return the columns (m,) of the context, by name.

    own, children: `own_columns` and `children_columns` of the same units.
    """
    known = own | children
    parent = np.maximum(units.parent, 0)
    of_parent = [*_OF_PARENT, "level", "height", "per leaf"]
    columns = {f"parent {name}": known[name][parent] for name in of_parent}
    grand = parent[parent]
    count, often = own["count"], (known["repetition"] > 0.6) & (known["repeated"] > np.log1p(2.5))
    columns |= {
        "share of parent": known["share"],
        "share of grandparent": count / count[grand],
        "grandparent children": known["children"][grand],
        "grandparent repetition": known["repetition"][grand],
        "repeated above": np.log1p(ancestor_sum(often, units.end)),
    }
    return columns | _siblings(units, known, parent) | _siblings_beside(known) | _page(units, known)


def _siblings(units, known, parent):
    siblings, count = np.maximum(units.children[parent], 1), known["count"]
    place = np.zeros(len(units), np.int64)
    place[units.child] = np.arange(len(units.child)) - units.first[units.parent[units.child]]
    others = np.log1p((count[parent] - count) / np.maximum(siblings - 1, 1))
    return {
        "siblings": np.log1p(siblings),
        "place": np.log1p(place),
        "relative place": place / np.maximum(siblings - 1, 1),
        "alike": np.log1p(known["alike"]),
        "alike share": known["alike"] / siblings,
        "alike shape share": known["alike shape"] / siblings,
        "sibling leaves": others,
        "to siblings": np.log1p(count) - others,
        "to largest": known["share"] / np.maximum(known["largest"][parent], 1e-9),
        "large siblings": np.log1p((known["n large"][parent] - known["large"]).clip(0)),
    }


def _siblings_beside(known):
    has_before, has_after = known["previous"] >= 0, known["following"] >= 0
    before, after = np.maximum(known["previous"], 0), np.maximum(known["following"], 0)
    leaves, linked, signature = known["leaves"], known["linked text"], known["signature"]
    return {
        "after caption": has_before
        & (known["count"][before] == 1)
        & (known["starts with caption"][before] > 0),
        "leaves before": np.where(has_before, leaves[before], -1.0),
        "leaves after": np.where(has_after, leaves[after], -1.0),
        "alike before": has_before & (signature[before] == signature),
        "alike after": has_after & (signature[after] == signature),
        "link step": np.where(has_before, np.abs(linked - linked[before]), 0.0),
        "next link step": np.where(has_after, np.abs(linked - linked[after]), 0.0),
        "size step": np.where(has_before, np.abs(leaves - leaves[before]), 0.0),
    }


def _page(units, known):
    values = {
        "page leaves": known["leaves"][0],
        "page units": np.log1p(len(units.inner)),
        "page large": np.log1p(known["large"].sum()),
        "page levels": known["height"][0],
        "page images": known["image share"][0],
        "page links": known["linked text"][0],
        "page words": known["per leaf"][0],
        "page captions": known["captions"][0],
        "page cells": np.log1p(known["tag cell"].sum()),
    }
    columns = {name: np.full(len(units), value) for name, value in values.items()}
    for name, kind in (("on page", known["signature"]), ("shape on page", known["shape"])):
        _, place, count = np.unique(kind, return_inverse=True, return_counts=True)
        columns[name] = np.log1p(count[place])
    return columns


def inside(tree, mark):
    """Return True (k,) at marked nodes and at nodes in them."""
    return ancestor_sum(mark, tree.end) + mark > 0


def over_chain(units, x):
    """Return the sums (m, ...) of ``x`` (k, ...) over the chain of each unit."""
    total = np.concatenate([np.zeros((1, *x.shape[1:]), np.int64), np.cumsum(x, axis=0)])
    return total[units.bottom + 1] - total[units.top]


def hint_counts(nodes):
    """Return the hints (k, h) of visible nodes, and their numbers (k, h) among a node and its ancestors."""
    mark = has_bits(hint_bits(nodes.dom)[nodes.tree.node], ALL_HINTS)
    node, column = np.nonzero(mark)
    change = np.pad(mark, ((0, 1), (0, 0))).astype(np.int64)
    np.subtract.at(change, (nodes.tree.end[node], column), 1)
    return mark, change[:-1].cumsum(axis=0)


def hints_of_units(nodes, units):
    """Return the hints near a unit, the shares of its leaves in them, and the hints above (m, h)."""
    tree = nodes.tree
    mark, upon = hint_counts(nodes)
    above = upon[units.top] - mark[units.top]
    sums = np.zeros((len(tree) + 1, len(HINTS)), np.int64)
    sums[1:] = nodes.leaves[:, None] * mark
    inner = mark & (upon > 1)
    for column in range(len(HINTS)):
        node = np.flatnonzero(inner[:, column])
        marked = np.ascontiguousarray(mark[:, column]).view(np.uint8)
        np.subtract.at(
            sums[:, column], innermost(tree.parent, marked)[tree.parent[node]] + 1, nodes.leaves[node]
        )
    sums = np.cumsum(sums, axis=0)
    share = (sums[tree.end[units.bottom]] - sums[units.bottom + 1]) / units.leaves[:, None]
    return upon[units.bottom] > above, share, above > 0


def hints_of_segments(nodes, groups):
    """Return the hints near a segment, the shares of its leaves in them, and the hints above (s, h)."""
    tree, (_, upon) = nodes.tree, hint_counts(nodes)
    upon = np.concatenate([upon, np.zeros_like(upon[:1])])
    common, above = upon[groups.common], upon[tree.parent[groups.near]]
    inside = upon[tree.leaf] > common[groups.label]
    return common > above, groups.mean(inside), above > 0


def alike_siblings(nodes, units, ratio):
    """Return the group (m,) of each unit."""
    kind, leaves = nodes.signature[units.top], units.leaves
    pairs = np.unique(np.stack([units.parent[units.child], kind[units.child]], axis=1), axis=0)
    children = np.zeros(len(units), np.int64)
    np.add.at(children, pairs[:, 0], mixed(pairs[:, 1].astype(np.uint64)))
    key = np.stack([units.parent, kind, children], axis=1)
    group = np.unique(key, axis=0, return_inverse=True)[1].reshape(-1)
    least, most = np.full(len(units), leaves.max()), np.zeros(len(units), np.int64)
    np.minimum.at(least, group, leaves)
    np.maximum.at(most, group, leaves)
    return np.where((most > ratio * least)[group], len(units) + np.arange(len(units)), group)


def same(units, kind):
    """Return the number (m,) of a unit's siblings, itself included, that are of its kind (m,)."""
    _, number = np.unique(kind, return_inverse=True)
    key = units.parent * (int(number.max()) + 1) + number
    key[0] = -1
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    return count[place]


def signature(nodes):
    """Return a number (k,) for each tag with its first class."""
    names = {"": 0}
    first = [(value.split(None, 1) or [""])[0] for value in nodes.classes]
    number = np.array([names.setdefault(name, len(names)) for name in first], np.int64)
    return number * len(nodes.dom.tags) + nodes.tag


def joined_children(units, chances, expected, labels, rate):
    """Return the unit whose segment each unit joins (m,)."""
    group = labels.copy()
    share, leaves = expected.out.copy(), units.leaves.astype(np.float64)
    first = np.arange(len(units))
    for u in np.flatnonzero(labels < 0)[::-1].tolist():
        child = units.child[units.first[u] : units.last[u]]
        child = child[np.argsort(-share[child], kind="stable")]
        mass = np.cumsum(leaves[child])
        mean = np.cumsum(share[child] * leaves[child]) / mass
        chance = expected.cover[u] + expected.reach[u] * chances.opened[u] * share[child[1:]] * mean[:-1]
        n = 1 + int(np.append(chance > rate, False).argmin())
        group[first[child[:n]]] = first[child[0]]
        first[u], leaves[u] = first[child[0]], mass[n - 1]
        share[u] = (1.0 - chances.opened[u]) * chances.joins[u]
        share[u] += chances.opened[u] * chances.passes[u] * mean[n - 1]
    return group


def text_counts(text, lengths):
    """Return characters, words and sentences (3, t) of joined texts, each with a space before it."""
    codes = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), np.uint32)
    start = np.cumsum([0, *lengths[:-1]])
    dark = (codes > ord(" ")) & ~np.isin(codes, [0x20, 0xA0, 0x3000])
    first = dark.copy()
    first[1:] &= ~dark[:-1] | ((codes[1:] >= 0x3040) & (codes[1:] < 0xA000))
    ends = np.isin(codes, [ord(char) for char in ".!?。！？"])
    counts = np.add.reduceat(np.stack([dark, first, ends]).astype(np.float64), start, axis=1)
    counts[2] = np.maximum(counts[2], 1.0)
    return counts


def sign_counts(nodes):
    """Return how many characters of each leaf (l, 3) are digits, capitals of Latin-1, and ©."""
    dom = nodes.dom
    texts = [dom.text[dom.text_start[k] : dom.text_start[k + 1]] for k in nodes.tree.leaf_node]
    tests = (
        lambda c: ord(c) < 256 and c.isdigit(),
        lambda c: ord(c) < 256 and c.isupper(),
        "©".__eq__,
    )
    return np.array([[sum(map(test, text)) for test in tests] for text in texts])


@dataclass
class LeafGroups:
    """The leaves of one page, grouped by segment: sums and extremes, and the nodes above each segment.

    label (l,): the segment of each leaf of the visible tree, 0 to s - 1, each with at least one leaf; -1:
    none.
    """

    nodes: NodeFeatures
    label: np.ndarray

    def __len__(self):
        return len(self.count)

    @cached_property
    def count(self):
        """(s,) number of leaves."""
        return np.bincount(self.label[self.label >= 0])

    @cached_property
    def runs(self):
        """(s,) number of runs of consecutive leaves."""
        begins = np.diff(self.label, prepend=-1) != 0
        return np.bincount(self.label[begins & (self.label >= 0)], minlength=len(self))

    def sum(self, x):
        """Return the sums (s, ...) of ``x`` (l, ...) over the leaves."""
        order, start = self._order
        return np.add.reduceat(x[order].astype(np.float64), start, axis=0)

    def mean(self, x, weight=None):
        """Return the means (s, ...) of ``x`` (l, ...) over the leaves, by weight > 0 (l,) where given."""
        shape = -1, *[1] * (x.ndim - 1)
        total = self.count if weight is None else self.sum(weight)
        return self.sum(x if weight is None else x * weight.reshape(shape)) / total.reshape(shape)

    def most(self, x):
        """Return the greatest (s, ...) of ``x`` (l, ...) among the leaves."""
        order, start = self._order
        return np.maximum.reduceat(x[order].astype(np.float64), start, axis=0)

    def least(self, x):
        """Return the least (s, ...) of ``x`` (l, ...) among the leaves."""
        return -self.most(-x)

    @cached_property
    def common(self):
        """(s,) lowest common ancestor of the leaves; of a single leaf the leaf itself."""
        tree = self.nodes.tree
        order, start = self._order
        first = tree.leaf[order[start]]
        last = tree.leaf[order[start + self.count - 1]]
        node = first.astype(np.int64)
        while (short := (tree.end[node] <= last)).any():
            node = np.where(short, tree.parent[node], node)
        return node

    @cached_property
    def near(self):
        """(s,) uppermost node from ``common`` upwards with at most `NEAR_LEAVES` times its leaves."""
        parent, leaves = self.nodes.tree.parent, self.nodes.leaves
        node, most = self.common, NEAR_LEAVES * leaves[self.common]
        while (up := ((parent[node] >= 0) & (leaves[parent[node]] <= most))).any():
            node = np.where(up, parent[node], node)
        return node

    @cached_property
    def _order(self):
        """The leaves by segment and in document order, and the place of the first leaf of each segment."""
        order = np.argsort(self.label, kind="stable")
        order = order[np.count_nonzero(self.label < 0) :]
        return order, np.cumsum(self.count) - self.count


def segment_columns(nodes, groups):
    """Return the columns (s,) of the features that need no View, by name; without hints."""
    columns = {}
    for part in (_of_amount, of_kinds, of_text, of_leaves):
        columns |= part(nodes, groups)
    return columns | dict(_of_others(nodes, groups, columns))


def of_kinds(nodes, groups):
    """Yield columns (s,) of the kinds of leaves: shares, numbers, and segments with few leaves."""
    marks = _marks(nodes)
    yield from zip(marks, groups.mean(np.stack(list(marks.values()), axis=1)).T, strict=True)
    text, image, control, heading = (marks[name] for name in ("texts", "images", "controls", "headings"))
    paragraph = nodes.text[0][nodes.tree.leaf] > 80
    numbers = {
        "n_images": (image, 100),
        "n_controls": (control, 20),
        "n_embeds": (marks["embeds"], 10),
        "n_links": (marks["links"] & text, 300),
        "n_paragraphs": (paragraph, 50),
    }
    yield from ((name, log_scale(groups.sum(mark), most)) for name, (mark, most) in numbers.items())
    yield "one_leaf", groups.count == 1
    few = {"one_image": (image, 2), "one_text": (text, 1), "one_heading": (heading, 2)}
    for name, (mark, most) in {**few, "few_controls": (control, 6)}.items():
        yield name, (groups.sum(mark) > 0) & (groups.count <= most)
    yield "first_image", groups.most(np.arange(len(image)) == np.argmax(image)) * image.any()


def _marks(nodes):
    """Return marks (l,) of the leaves of each kind."""
    leaf = nodes.tree.leaf
    kind, linked, length = nodes.tree.kind[leaf], nodes.linked[leaf], nodes.text[0][leaf]
    text = kind == TEXT_LEAF
    return {
        "texts": text,
        "images": (kind == IMAGE) | (kind == BACKGROUND),
        "controls": kind == CONTROL,
        "embeds": kind == EMBED,
        "links": linked,
        "linked_images": linked & ~text,
        "short": text & (length < 25),
        "long": text & (length > 100),
        "headings": nodes.headings[leaf],
    }


def of_text(nodes, groups):
    """Yield columns (s,) of the content of texts."""
    leaf = nodes.tree.leaf
    length, words, sentences = (column[leaf] for column in nodes.text)
    text = nodes.tree.kind[leaf] == TEXT_LEAF
    linked = nodes.linked[leaf]
    yield "longest", log_scale(groups.most(length), 2000)
    yield "per_text", log_scale(groups.sum(length) / groups.sum(text).clip(1), 500)
    yield "per_link", log_scale(groups.sum(length * linked) / groups.sum(linked & text).clip(1), 200)
    yield "anchor", _in_order(groups, linked * (length + 1e-3)) / _in_order(groups, length + 1e-3)
    total = groups.sum(length).clip(1)
    signs = groups.sum(sign_counts(nodes) * text[:, None])
    yield "digits", (signs[:, 0] / total).clip(0, 1)
    yield "capitals", (signs[:, 1] / total).clip(0, 1)
    yield "copyright", signs[:, 2] > 0
    yield "words", (groups.sum(words * text) / total).clip(0, 1)
    yield "sentences", (groups.sum(sentences * text) / groups.sum(text).clip(1)).clip(0, 10) / 10


def _in_order(groups, x):
    """Return the sums (s,) of ``x`` (l,) over the leaves, added in their order."""
    sums = np.zeros(len(groups))
    known = groups.label >= 0
    np.add.at(sums, groups.label[known], x[known])
    return sums


def of_leaves(nodes, groups):
    """Yield columns (s,) of leaves that are typical of a role, such as prices and numbers of pages."""
    marks = _leaf_marks(nodes)
    every = np.stack(list(marks.values()), axis=1)
    yield from zip(marks, groups.mean(every).T, strict=True)
    yield from zip((f"any {name}" for name in marks), groups.most(every).T, strict=True)


def _leaf_marks(nodes):
    """Return marks (l,) of the leaves for `of_leaves`."""
    dom, tree, leaf = nodes.dom, nodes.tree, nodes.tree.leaf
    start = dom.text_start[tree.node[leaf]]
    end = np.minimum(dom.text_start[tree.node[leaf] + 1], start + LONGEST_VALUE)
    texts = (dom.text[low:high].strip() for low, high in zip(start.tolist(), end.tolist(), strict=True))
    marks = {name: np.zeros(len(leaf), bool) for name in PATTERNS}
    for k, text in enumerate(texts):
        for name, pattern in PATTERNS.items():
            marks[name][k] = pattern.search(text) is not None
    marks["page_numbers"] &= nodes.linked[leaf]
    link = innermost(tree.parent, nodes.tagged(("a",)).view(np.uint8))[leaf]
    is_fragment = Question(lambda href: href.startswith("#") and href != "#", bool)
    is_address = Question(lambda href: href.startswith("http"), bool)
    is_no_line = Question(lambda kind: kind.lower() not in LINES, bool)
    marks["fragments"] = (link >= 0) & nodes.where("href", is_fragment)[link]
    marks["addresses"] = (link >= 0) & nodes.where("href", is_address)[link]
    marks["lines"] = (nodes.tagged(("input",)) & ~nodes.where("type", is_no_line))[leaf]
    return marks | {"selects": nodes.tagged(("select",))[leaf], "areas": nodes.tagged(("textarea",))[leaf]}


def _of_amount(nodes, groups):
    characters = nodes.text[0][nodes.tree.leaf]
    here, n = groups.sum(characters), len(characters)
    yield "leaves", log_scale(groups.count, 1000)
    yield "leaf_share", groups.count / n
    yield "characters", log_scale(here, 1e5)
    yield "character_share", here / max(float(characters.sum()), 1.0)
    yield "first", groups.least(np.arange(n)) / n
    yield "last", groups.most(np.arange(n)) / n
    yield "runs", log_scale(groups.runs, 50)
    yield "pure", groups.count / nodes.leaves[groups.common]
    yield "depth", nodes.depth[groups.common].clip(0, 40) / 40
    yield "segments", np.full(len(groups), log_scale(np.array(len(groups)), 200))


def _of_others(nodes, groups, columns):
    for name in ("anchor", "characters", "images"):
        yield (f"{name} previous", np.append(-1, columns[name][:-1]))
        yield (f"{name} next", np.append(columns[name][1:], -1))
    looks = np.stack([nodes.tag[groups.common], nodes.depth[groups.common]], axis=1)
    _, number, count = np.unique(looks, axis=0, return_inverse=True, return_counts=True)
    yield "alike", log_scale(count[number.reshape(-1)] - 1, 50)
