"""Units of a page and their features, for the learnt cut.

A unit is a node of the visible tree together with its chain of only children: to cut at any of them is the
same. Units are in document order and form a tree in which every unit is a leaf or has at least two children.

    nodes, units --own_columns--> --children_columns--> --context_columns--> unit_features (m, f)

Features of a unit itself describe its content, style and tags. Features of its children describe their
similarity, repetition and arrangement. Features of its context describe parent, siblings and page; the root
is its own parent here, and has no siblings. Hints of the markup at the purpose of a unit
(`webgrain.segmentation.features.segments.hints`) count in its chain (near), above it, and between it and its
leaves (inside). A large child has `LARGE_CHILD` leaves or more; a caption is a heading or a text that looks
like one. Signature: tag and first class; shape: the tags of a unit and its children in any order. All
features are bounded. Logarithms are natural logarithms of 1 + x; a signed one has the sign of x. Means of
styles are over the leaves, weighted by `NodeFeatures.length`. A page without a View has no visual features;
there, headings are known by their tags, and so are captions.

Cost: several hundred array passes over units, leaves or nodes, and a few loops over nodes and their bits
(`webgrain.segmentation.features.unitkernel`).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import ancestor_sum, cached_on_page, subtree_sum
from webgrain.page.kernels.keytable import numbered
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF, VisibleTree
from webgrain.page.page import DISPLAY, POSITION
from webgrain.page.tagtables import TagTable
from webgrain.page.values import IS_FILLED
from webgrain.segmentation.features import bounds, columns_of, read_features, without_boxes
from webgrain.segmentation.features.nodes import (
    BLOCKS,
    HEADINGS,
    NodeFeatures,
    leaves_before,
    mixed,
    over_spans,
    weighted_median,
)
from webgrain.segmentation.features.segments import HINTS, has_bits, hint_bits
from webgrain.segmentation.features.unitkernel import chain_bits, covered_leaves, spread_bits
from webgrain.segmentation.thresholds import ALIGNED, ALIKE_LEAVES, LARGE_CHILD

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Units(ReadOnly):
    """The units of a visible tree; ``m`` units in document order, arrays read-only.

    Attributes:
        top, bottom: (m,) first and last node of the chain, nodes of the visible tree.
        parent: (m,) unit, -1 at the root; end: (m,) one past the units below.
        low, high: (m,) the leaves of the unit are the places ``low:high`` among the leaves of the page.
        child: (c,) the units that have a parent, by parent and in document order.
        first, last: (m,) the children of a unit are ``child[first:last]``.
    """

    top: Int64
    bottom: Int64
    parent: Int64
    end: Int32
    low: Int64
    high: Int64
    child: Int64
    first: Int64
    last: Int64

    def __len__(self) -> int:
        return len(self.top)

    @property
    def leaves(self) -> Int64:
        """(m,) number of leaves."""
        return self.high - self.low

    @property
    def children(self) -> Int64:
        """(m,) number of children."""
        return self.last - self.first

    @property
    def inner(self) -> Int64:
        """Return the units with two leaves or more: those that can be opened."""
        return np.flatnonzero(self.end - np.arange(len(self)) > 1)

    def over_chain(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (k, ...), of nodes of the tree, over the chain of each unit."""
        return _differences(x, self.top, self.bottom + 1)

    def over_leaves(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (l, ...), of leaves in order, over the leaves of each unit."""
        return _differences(x, self.low, self.high)

    def over_children(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (m, ...) of ``x`` (m, ...) over the children of each unit."""
        return _differences(x[self.child], self.first, self.last)

    def greatest_leaf(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the greatest (m,) of ``x`` (l,), of leaves in order, over the leaves of each unit."""
        return over_spans(np.maximum, x, self.low, self.high)

    def least_child(self, x: NDArray[Any]) -> Float64:
        """Return the least (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        out = np.zeros(x.shape)
        parents = np.flatnonzero(self.children)
        if len(parents):
            out[parents] = np.minimum.reduceat(x[self.child], self.first[parents], axis=0)
        return out

    def greatest_child(self, x: NDArray[Any]) -> Float64:
        """Return the greatest (m, ...) of ``x`` (m, ...) among the children; 0 where there are none."""
        return 0.0 - self.least_child(-x)


def units_of(tree: VisibleTree) -> Units:
    """Return the units of a visible tree of one node at least.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> units = units_of(visible_tree(parse(Source("a", b"<div><p>One<p>Two</div>"))))  # html body div, p, p
    >>> units.top.tolist(), units.bottom.tolist(), units.parent.tolist()
    ([0, 3, 5], [2, 4, 6], [-1, 0, 0])
    """
    count = np.bincount(tree.parent[1:], minlength=len(tree))
    starts = np.append(True, count[tree.parent[1:]] > 1)
    unit = np.cumsum(starts) - 1
    top = np.flatnonzero(starts)
    bottom = np.append(top[1:], len(tree)) - 1
    above = tree.parent[top]
    parent = np.where(above >= 0, unit[np.maximum(above, 0)], -1)
    before = leaves_before(tree)
    child = np.argsort(parent, kind="stable")[1:]
    places = np.searchsorted(parent[child], np.arange(len(top) + 1))
    end = np.append(unit, len(top))[tree.end[top]].astype(np.int32)
    low, high = before[top], before[tree.end[top]]
    return Units(top, bottom, parent, end, low, high, child, places[:-1], places[1:])


def _differences(x: NDArray[Any], low: Int64, high: Int64) -> NDArray[Any]:
    total = np.zeros((len(x) + 1, *x.shape[1:]), np.int64 if x.dtype.kind in "bui" else np.float64)
    np.cumsum(x, axis=0, out=total[1:])
    sums: NDArray[Any] = total[high] - total[low]
    return sums


_COUNTED = ("image", "control", "embed", "backdrop", "heading", "caption", "long")
_SHARED = ("image", "control", "heading", "caption", "long", "list item", "paragraph", "in form")
_INLINE = tuple(DISPLAY.index(name) for name in ("none", "inline", "contents"))
_KINDS = {"image": IMAGE, "control": CONTROL, "embed": EMBED, "backdrop": BACKGROUND}
_TAGS = {
    "table": ("table",), "rows": ("tbody", "thead", "tfoot"), "row": ("tr",), "cell": ("td", "th"),
    "list": ("ul", "ol", "dl", "menu"), "item": ("li", "dt", "dd"), "heading": HEADINGS,
    "paragraph": ("p", "blockquote", "pre", "address"), "link": ("a",), "form": ("form", "fieldset"),
    "div": ("div",), "span": ("span", "font", "b", "strong", "em", "i", "small", "big", "u"),
    "section": ("section", "main", "article"), "edge": ("header", "footer", "nav", "aside"),
    "body": ("body",),
}  # fmt: skip


_MORE_MARKS = {"in p": ("p",), "in form": ("form",), "block": BLOCKS}
_MARKS = (*_TAGS, *_MORE_MARKS)
_MARK = {mark: np.uint64(number) for number, mark in enumerate(_MARKS)}
_ALL_MARKS = np.arange(len(_TAGS), dtype=np.uint64)


def _marks_of_tag(tag: str) -> int:
    """Return the marks of a tag as bits, by `_MARKS`."""
    marks = [mark for mark, tags in _TAGS.items() if tag in tags]
    marks += [mark for mark, tags in _MORE_MARKS.items() if tag in tags]
    return sum(1 << _MARKS.index(mark) for mark in marks)


_MARKS_OF_TAGS = TagTable(_marks_of_tag, np.uint64)


def _has_mark(bits: UInt64, mark: str) -> Bool:
    has: Bool = (bits >> _MARK[mark] & np.uint64(1)).astype(bool)
    return has


@cached_on_page
def _tag_bits(nodes: NodeFeatures) -> UInt64:
    """Return the marks of the tag of each node (k,) as bits, by `_MARKS`."""
    bits: UInt64 = _MARKS_OF_TAGS.of_nodes(nodes.dom)[nodes.tree.node]
    return bits


def own_columns(nodes: NodeFeatures, units: Units) -> Columns:
    """Return the columns (m,) of the units themselves, by name, and some more that others are made of.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li><a>Two</a></ul>"))
    >>> tree = visible_tree(page)
    >>> own_columns(nodes_of(page), units_of(tree))["linked leaves"].tolist()
    [0.5, 0.0, 1.0]
    """
    leaf = _leaf_columns(nodes)
    sums = dict(zip(leaf, units.over_leaves(np.stack(list(leaf.values()), axis=1)).T, strict=True))
    count, text = sums["one"], np.maximum(sums["text"], 1.0)
    columns: Columns = {f"{it}s": np.log1p(sums[it]) for it in _COUNTED}
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
    columns |= _of_tree(nodes, units) | _of_order(units) | {"block": units.over_chain(_blocks(nodes)) > 0}
    if nodes.has_boxes:
        columns |= _of_box(nodes, units) | _of_look(nodes, units, sums)
    first = np.minimum(units.low, len(leaf["one"]) - 1)
    for name in ("heading", "caption", "image"):
        columns[f"starts with {name}"] = leaf[name][first]
    return columns | {"count": count, "text": sums["text"]}


def _leaf_columns(nodes: NodeFeatures) -> Columns:
    """Return columns (l,) over the leaves, of which sums and means are taken."""
    tree, places = nodes.tree, nodes.tree.leaves
    kind = tree.kind[places]
    text, words, sentences = (column[places] for column in nodes.text)
    inside = spread_bits(tree.parent, _tag_bits(nodes))[places]
    linked, is_text = _has_mark(inside, "link"), kind == TEXT_LEAF
    heading = caption = is_text & _has_mark(inside, "heading")
    looks: Columns = {}
    if nodes.has_boxes:
        size, bold = nodes.style.font_size[places], nodes.style.bold[places]
        usual = usual_size(size[is_text], text[is_text])
        heading = heading | (is_text & (text < 90.0) & (size >= 1.2 * usual))
        caption = heading | (is_text & ~linked & (text < 60.0) & (bold | (size >= 1.1 * usual)))
        looks = _leaf_looks(nodes)
    columns = {
        "one": np.ones(len(places)), "text": text, "words": words, "linked": linked,
        "sentences": np.where(is_text, sentences - 1.0, 0.0), "linked text": text * linked,
        "heading": heading, "caption": caption, "long": text > 100.0,
        "list item": _has_mark(inside, "item"), "paragraph": _has_mark(inside, "in p"),
        "in form": _has_mark(inside, "in form"),
    } | {name: kind == number for name, number in _KINDS.items()}  # fmt: skip
    return {name: column.astype(np.float64) for name, column in (columns | looks).items()}


def _leaf_looks(nodes: NodeFeatures) -> Columns:
    """Return the looks (l,) of the leaves, some squared for deviations, times their weights, and these."""
    style, places = nodes.style, nodes.tree.leaves
    size, color, background = (column[places] for column in (style.font_size, style.color, style.background))
    light, back = color @ (0.3, 0.59, 0.11), background @ (0.3, 0.59, 0.11)
    looks = {
        "font": size, "font²": size**2, "bold": style.bold[places],
        "light": light, "light²": light**2, "back": back, "back²": back**2,
        "colorful": np.ptp(color, axis=1), "colorful back": np.ptp(background, axis=1),
    }  # fmt: skip
    weight = np.maximum(nodes.length[places], 1.0)
    return {"weight": weight, **{name: weight * look for name, look in looks.items()}}


def usual_size(size: Float64, text: Float64) -> float:
    """Return the median font size in px over the characters of text leaves (t,), 16 where there are none.

    Of each leaf 200 characters count at most: one long text is not yet the usual.

    >>> usual_size(np.array([30.0, 12.0]), np.array([5.0, 100.0]))
    12.0
    """
    if not len(size):
        return 16.0
    return float(weighted_median(size, text.clip(1.0, 200.0))[0])


def _of_tree(nodes: NodeFeatures, units: Units) -> Columns:
    above = ancestor_sum(np.ones(len(units), np.int64), units.end)
    tagged = has_bits(chain_bits(_tag_bits(nodes), units.top, units.bottom), _ALL_MARKS)
    deepest = units.greatest_leaf(above[units.children == 0])
    columns: Columns = {
        "level": above,
        "height": np.log1p(deepest - above),
        "children": np.log1p(units.children),
        "has id": units.over_chain(nodes.where("id", IS_FILLED)) > 0,
    }
    columns |= {f"tag {tag}": column for tag, column in zip(_TAGS, tagged.T, strict=True)}
    return columns


def _of_order(units: Units) -> Columns:
    total = int(units.high[0])
    before, after = units.low, total - units.high
    return {
        "earlier share": before / total, "later share": after / total,
        "earlier": np.log1p(before), "later": np.log1p(after),
    }  # fmt: skip


def _blocks(nodes: NodeFeatures) -> Bool:
    """Return True (k,) at blocks: by their computed style, else by their tags."""
    if nodes.view is None:
        return _has_mark(_tag_bits(nodes), "block")
    blocks: Bool = ~np.isin(nodes.view.display[nodes.tree.node], _INLINE) & (nodes.tree.kind == 0)
    return blocks


def _of_box(nodes: NodeFeatures, units: Units) -> Columns:
    style = nodes.style
    left, top, right, bottom = style.box[units.top].T
    width, height = right - left, bottom - top
    area = (width * height / (style.width * style.height)).clip(0.0, 4.0)
    return {
        "left px": left, "top px": top, "right px": right, "bottom px": bottom,
        "width px": width, "height px": height,
        "centre": _near((left + right) / (2 * style.width)),
        "left": _near(left / style.width), "right": _near(right / style.width),
        "top": _near(top / style.height), "bottom": _near(bottom / style.height),
        "from top": np.log1p(top.clip(0.0)), "from bottom": np.log1p((style.height - bottom).clip(0.0)),
        "width": _near(width / style.width), "tall": _near(height / style.height),
        "log width": np.log1p(width), "log height": np.log1p(height),
        "area": area, "log area": np.log(area + 1e-6),
        "screens": np.log1p(width * height / (1366.0 * 768.0)), "flat": np.log1p(width) - np.log1p(height),
    }  # fmt: skip


def _near(x: Float64) -> Float64:
    """Draw places beyond the page back to a page's extent from it."""
    return x.clip(-1.0, 2.0)


def _of_look(nodes: NodeFeatures, units: Units, sums: Columns) -> Columns:
    style, is_text, weight = nodes.style, nodes.tree.kind == TEXT_LEAF, sums["weight"]
    names = ("font", "bold", "light", "colorful", "back", "colorful back")
    mean: Columns = {name: sums[name] / weight for name in names}
    spread = {
        name: np.sqrt((sums[f"{name}²"] / weight - mean[name] ** 2).clip(0.0))
        for name in ("font", "light", "back")
    }
    font = mean.pop("font")
    usual = usual_size(style.font_size[is_text], nodes.text[0][is_text])
    return mean | {
        "font size": font, "font sizes": spread["font"], "relative size": font / usual,
        "lights": spread["light"], "backs": spread["back"],
        **_of_paint(nodes, units), **_of_position(nodes, units),
    }  # fmt: skip


def _of_paint(nodes: NodeFeatures, units: Units) -> Columns:
    painter, end = nodes.style.painter, nodes.tree.end
    changes = np.append(False, painter[1:] != painter[nodes.tree.parent[1:]])
    above = np.maximum(units.parent, 0)
    return {
        "own back": nodes.style.background[units.bottom] @ (0.3, 0.59, 0.11),
        "paints": painter[units.bottom] != painter[units.bottom[above]],
        "repaints": np.log1p(subtree_sum(changes, end)[units.bottom] - changes[units.bottom]),
    }


def _of_position(nodes: NodeFeatures, units: Units) -> Columns:
    node, view = nodes.tree.node, nodes.view
    assert view is not None
    placed = view.position[node] >= POSITION.index("absolute")
    marks = np.stack([view.background_image[node], placed], axis=1)
    return dict(zip(("picture", "placed"), (units.over_chain(marks) > 0).T, strict=True))


_REACH = 1e3  # px up to which gaps count
_RANGES = ("linked text", "per sentence", "image share")
_RANGES_OF_LOOKS = ("font size", "back", "light")
_SHARED_MARKS = ("has id", "block")


def children_columns(nodes: NodeFeatures, units: Units, own: Columns) -> Columns:
    """Return the columns (m,) of the children, by name, and some more that others are made of.

    own: `own_columns` of the same units.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> from webgrain.segmentation.features.units import own_columns
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> nodes = nodes_of(page)
    >>> units = units_of(nodes.tree)
    >>> children_columns(nodes, units, own_columns(nodes, units))["repetition"].tolist()
    [1.0, 0.0, 0.0]
    """
    columns = _repetition(nodes, units, own) | _sizes(units, own) | _content(units, own)
    columns["previous"], columns["following"] = _beside(units)
    if nodes.has_boxes:
        columns |= _children_looks(units, own) | _arrangement(units, own, columns["previous"])
    columns["most repeated below"] = units.greatest_child(columns["repeated"])
    columns["most large below"] = units.greatest_child(columns["large children"])
    columns["repetition below"] = units.over_children(columns["repetition"] * columns["share"])
    return columns


def _of_hints(nodes: NodeFeatures, units: Units) -> Float64:
    """Return the hints near, inside and above each unit (m, 3 h), h as `_HINT`."""
    tree = nodes.tree
    bits = hint_bits(nodes)
    around = tree.parent[units.top]
    above = np.where(around >= 0, spread_bits(tree.parent, bits)[around], np.uint64(0))
    near = chain_bits(bits, units.top, units.bottom)
    covered = covered_leaves(tree.end, nodes.leaves, bits, len(HINTS))
    inside = covered[tree.end[units.bottom]] - covered[units.bottom + 1]
    share = inside[:, _HINT] / units.leaves[:, None]
    return np.concatenate([has_bits(near, _HINT), share, has_bits(above, _HINT)], axis=1, dtype=np.float64)


def alike_siblings(nodes: NodeFeatures, units: Units, ratio: float = ALIKE_LEAVES) -> Int64:
    """Return the group (m,) of each unit: siblings that look alike, such as the posts of a thread.

    They have the same tag and first class, and children of the same kinds, and the largest has at most
    ``ratio`` times the leaves of the smallest.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> page = parse("<p>1<ul><li>2<li>3</ul><ul><li>4<li>5<li>6</ul>")
    >>> nodes = nodes_of(page)
    >>> group = alike_siblings(nodes, units_of(nodes.tree))  # body p ul li li ul li li li
    >>> [int(np.flatnonzero(group == number)[0]) for number in group]
    [0, 1, 2, 3, 3, 2, 6, 6, 6]
    """
    kind, leaves = nodes.signature[units.top], units.leaves
    width = int(kind.max()) + 1
    of_children = np.unique(units.parent[units.child] * width + kind[units.child])
    children = np.zeros(len(units), np.int64)
    np.add.at(children, of_children // width, mixed((of_children % width).astype(np.uint64)))
    siblings = numbered(((units.parent + 1) * width + kind).view(np.uint64))[0]
    inside = numbered(children.view(np.uint64))[0]
    group = numbered((siblings * np.int64(len(units)) + inside).view(np.uint64))[0]
    least, most = np.full(len(units), leaves.max()), np.zeros(len(units), np.int64)
    np.minimum.at(least, group, leaves)
    np.maximum.at(most, group, leaves)
    uneven = (most > ratio * least)[group]
    return np.where(uneven, len(units) + np.arange(len(units)), group)


def same(units: Units, kind: Int64) -> Int64:
    """Return the number (m,) of a unit's siblings, itself included, that are of its kind (m,).

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.units import units_of
    >>> units = units_of(visible_tree(parse(Source("a", b"<p>One<p>Two<p>Three"))))
    >>> same(units, np.array([5, 7, 8, 7])).tolist()
    [1, 2, 1, 2]
    """
    number, _, _ = numbered(kind.view(np.uint64))
    key = units.parent * (int(number.max()) + 1) + number
    key[0] = -1
    place, _, count = numbered(key.view(np.uint64))
    counted: Int64 = count[place].astype(np.int64)
    return counted


def _repetition(nodes: NodeFeatures, units: Units, own: Columns) -> Columns:
    children = np.maximum(units.children, 1)
    signature = nodes.signature[units.top]
    shape = _shape(nodes.tag[units.top], units)
    alike, alike_shape = same(units, signature), same(units, shape)
    large = own["count"] >= LARGE_CHILD
    n_large = units.over_children(large)
    columns: Columns = {"signature": signature, "shape": shape, "alike": alike, "alike shape": alike_shape}
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


def _shape(tag: Int64, units: Units) -> Int64:
    """Return a number (m,) for each tag with the tags of its children, all but certainly another for each."""
    own = mixed(tag.astype(np.uint64))
    below = np.zeros(len(units), np.int64)
    np.add.at(below, units.parent[units.child], own[units.child])
    return 3 * own + below


def _sizes(units: Units, own: Columns) -> Columns:
    count = own["count"]
    share = count / count[np.maximum(units.parent, 0)]
    return {
        "share": share, "mean leaves": np.log1p(count / np.maximum(units.children, 1)),
        "entropy": units.over_children(-share * np.log(share)), "largest": units.greatest_child(share),
        "leaf children": _share(units, count == 1), "uneven leaves": _uneven(units, count),
        "uneven text": _uneven(units, own["text"] + 1.0),
        "most text": units.greatest_child(own["characters"]),
    }  # fmt: skip


def _content(units: Units, own: Columns) -> Columns:
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


def _children_looks(units: Units, own: Columns) -> Columns:
    return _ranges(units, own, _RANGES_OF_LOOKS) | {"children paints": _share(units, own["paints"])}


def _ranges(units: Units, own: Columns, names: Iterable[str]) -> Columns:
    """Return the difference (m,) of the greatest and the least of some columns among the children."""
    return {f"range {name}": units.greatest_child(own[name]) - units.least_child(own[name]) for name in names}


def _arrangement(units: Units, own: Columns, previous: Int64) -> Columns:
    has = previous >= 0
    before = np.maximum(previous, 0)
    left, top, width = own["left px"], own["top px"], own["width px"]
    across, down = left - own["right px"][before], top - own["bottom px"][before]
    below, beside = has & (down >= -ALIGNED), has & (down < -ALIGNED) & (across >= -ALIGNED)
    steps = np.maximum(units.children - 1, 1)
    return {
        "across": across, "down": down,
        "gap down": log_px(units.greatest_child(np.where(has, down, -_REACH))),
        "gap across": log_px(units.greatest_child(np.where(has, across, -_REACH))),
        "stacked": units.over_children(below) / steps,
        "side by side": units.over_children(beside) / steps,
        "aligned": units.over_children(has & (np.abs(left - left[before]) < ALIGNED)) / steps,
        "as wide": units.over_children(has & (np.abs(width - width[before]) < ALIGNED)) / steps,
        "uneven width": _uneven(units, width), "uneven height": _uneven(units, own["height px"]),
        "largest area": units.greatest_child(own["area"]),
        "tallest": units.greatest_child(own["log height"]),
    }  # fmt: skip


def _beside(units: Units) -> tuple[Int64, Int64]:
    """Return the sibling before and after each unit (m,), -1 for none."""
    previous, following = np.full((2, len(units)), -1, np.int64)
    child = units.child
    sisters = units.parent[child[1:]] == units.parent[child[:-1]]
    previous[child[1:][sisters]] = child[:-1][sisters]
    following[child[:-1][sisters]] = child[1:][sisters]
    return previous, following


def log_px(gap: Float64) -> Float64:
    """Return the signed logarithm of gaps in px, 1000 at most."""
    logarithm: Float64 = np.sign(gap) * np.log1p(np.abs(gap).clip(max=_REACH))
    return logarithm


def _share(units: Units, x: NDArray[Any]) -> Float64:
    shared: Float64 = units.over_children(x) / np.maximum(units.children, 1)
    return shared


def _uneven(units: Units, x: Float64) -> Float64:
    """Return the standard deviation (m,) of ``x`` (m,) over the children, by the mean."""
    mean, square = _share(units, x), _share(units, x * x)
    uneven: Float64 = np.sqrt((square - mean**2).clip(0.0)) / np.maximum(np.abs(mean), 1e-9)
    return uneven


_BESIDE = 9.0  # what the missing gap to a sibling counts as

_OF_PARENT = (
    "leaf share", "repetition", "repeated", "children", "large children", "largest", "linked text",
    "large repetition", "shape repetition", "headings", "captions", "entropy", "list item share",
    "tag table", "tag row", "tag cell", "tag list", "tag item", "tag div", "tag paragraph", "tag form",
    "tag body",
)  # fmt: skip
_LOOKS_OF_PARENT = (
    "stacked", "side by side", "width", "tall", "area", "gap down", "gap across", "paints"
)  # fmt: skip


def context_columns(units: Units, own: Columns, children: Columns, page_height: float | None) -> Columns:
    """Return the columns (m,) of the context, by name.

    own, children: `own_columns` and `children_columns` of the same units; page_height: in px, None without
    boxes.
    """
    known = own | children
    parent = np.maximum(units.parent, 0)
    of_parent = [*_OF_PARENT, "level", "height", "per leaf"]
    if page_height is not None:
        of_parent += _LOOKS_OF_PARENT
    columns: Columns = {f"parent {name}": known[name][parent] for name in of_parent}
    grand = parent[parent]
    count, often = own["count"], (known["repetition"] > 0.6) & (known["repeated"] > np.log1p(2.5))
    columns |= {
        "share of parent": known["share"],
        "share of grandparent": count / count[grand],
        "grandparent children": known["children"][grand],
        "grandparent repetition": known["repetition"][grand],
        "repeated above": np.log1p(ancestor_sum(often, units.end)),
    }
    columns |= _siblings(units, known, parent) | _siblings_beside(known) | _page(units, known)
    if page_height is not None:
        columns |= _looks_beside(known) | {"page height": np.full(len(units), np.log1p(page_height))}
    return columns


def _siblings(units: Units, known: Columns, parent: Int64) -> Columns:
    siblings, count = np.maximum(units.children[parent], 1), known["count"]
    place = np.zeros(len(units), np.int64)
    place[units.child] = np.arange(len(units.child)) - units.first[units.parent[units.child]]
    others = np.log1p((count[parent] - count) / np.maximum(siblings - 1, 1))
    return {
        "siblings": np.log1p(siblings), "place": np.log1p(place),
        "relative place": place / np.maximum(siblings - 1, 1), "alike": np.log1p(known["alike"]),
        "alike share": known["alike"] / siblings, "alike shape share": known["alike shape"] / siblings,
        "sibling leaves": others, "to siblings": np.log1p(count) - others,
        "to largest": known["share"] / np.maximum(known["largest"][parent], 1e-9),
        "large siblings": np.log1p((known["n large"][parent] - known["large"]).clip(0)),
    }  # fmt: skip


def _siblings_beside(known: Columns) -> Columns:
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


def _looks_beside(known: Columns) -> Columns:
    has_before, has_after = known["previous"] >= 0, known["following"] >= 0
    before, after = np.maximum(known["previous"], 0), np.maximum(known["following"], 0)
    down, across, size = known["down"], known["across"], known["font size"]
    return {
        "gap above": np.where(has_before, log_px(down), -_BESIDE),
        "gap below": np.where(has_after, log_px(down[after]), -_BESIDE),
        "gap left": np.where(has_before, log_px(across), -_BESIDE),
        "gap right": np.where(has_after, log_px(across[after]), -_BESIDE),
        "font step": np.where(has_before, size - size[before], 0.0),
    }


def _page(units: Units, known: Columns) -> Columns:
    values = {
        "page leaves": known["leaves"][0], "page units": np.log1p(len(units.inner)),
        "page large": np.log1p(known["large"].sum()),
        "page levels": known["height"][0], "page images": known["image share"][0],
        "page links": known["linked text"][0], "page words": known["per leaf"][0],
        "page captions": known["captions"][0], "page cells": np.log1p(known["tag cell"].sum()),
    }  # fmt: skip
    columns: Columns = {name: np.full(len(units), value) for name, value in values.items()}
    for name, kind in (("on page", known["signature"]), ("shape on page", known["shape"])):
        place, _, count = numbered(kind.view(np.uint64))
        columns[name] = np.log1p(count[place])
    return columns


UNIT_FEATURES = read_features(__file__)
"""Columns of `unit_features` of a page with a View."""

TREE_FEATURES = without_boxes(UNIT_FEATURES)
"""Columns of `unit_features` of a page without a View."""

_BOUNDS = {len(features): bounds(features) for features in (UNIT_FEATURES, TREE_FEATURES)}
_NAMES = {feature.name for feature in UNIT_FEATURES}
_HINT = np.array([k for k, hint in enumerate(HINTS) if f"{hint}, near" in _NAMES], np.uint64)
_HINT_NAMES = [f"{HINTS[k]}, {where}" for where in ("near", "inside", "above") for k in _HINT.tolist()]


_ROWS = {len(features): columns_of(features, _HINT_NAMES) for features in (UNIT_FEATURES, TREE_FEATURES)}


def unit_features(nodes: NodeFeatures, units: Units) -> Float64:
    """Return the features (m, f) of the units of a page; f as `UNIT_FEATURES`, or `TREE_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> nodes = nodes_of(page)
    >>> unit_features(nodes, units_of(nodes.tree)).shape == (3, len(TREE_FEATURES))
    True
    """
    features = UNIT_FEATURES if nodes.has_boxes else TREE_FEATURES
    own = own_columns(nodes, units)
    children = children_columns(nodes, units, own)
    height = nodes.style.height if nodes.has_boxes else None
    columns = own | children | context_columns(units, own, children, height)
    x = np.empty((len(features), len(units)))
    hint_rows, other_rows = _ROWS[len(features)]
    x[hint_rows] = _of_hints(nodes, units).T
    for row, name in other_rows:
        x[row] = columns[name]
    low, high = _BOUNDS[len(features)]
    table = np.ascontiguousarray(x.T)
    return np.clip(table, low, high, out=table)
