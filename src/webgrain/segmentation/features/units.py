"""The places where a page can be cut: the visible tree with each chain of only children as one unit.

To open an only child's parent, or the child, cuts alike, so a chain has one decision. Units stand in document
order and are a tree again, in which a unit is a leaf or has two children at least.

Features of a unit by itself: what it holds, how it looks, what it is called.

Columns over the m units of a page. Means of looks are over the leaves, weighted by `Traits.length`.

Features of a unit by its children: how alike they are, how they repeat, how they are arranged.

Columns over the m units of a page. A large child has `LARGE` leaves or more; a caption is a heading, or what
looks like one. Signature: tag and first class; shape: the tags of a unit and its children in any order.

Features of a unit by what stands around it: its parent, its siblings, its page.

Columns over the m units of a page. The root is its own parent here, and has no siblings.

Features of units, for what is learnt of them: whether they are cut, and whether they belong together.

    traits, units --own_columns--> --children_columns--> --kin_columns--> unit_features (m, f)

All lie within fixed bounds, and none holds a word of a page. Logarithms are natural ones of 1 + x; a signed
one has the sign of x. A page without a View is a list of lines (`webgrain.segmentation.features.nodes`).

Cost: some 1500 array passes over units, leaves or nodes; 4 ms on a page of 600 nodes.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32, Int64
from webgrain.page.dom import ancestor_sum, freeze, subtree_sum
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF, VisibleTree
from webgrain.page.page import DISPLAY, POSITION
from webgrain.segmentation.features.nodes import BLOCKS, HEADINGS, Feature, Traits, leaves_before

Columns = dict[str, NDArray[Any]]


@dataclass(frozen=True, slots=True, eq=False)
class Units:
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

    def __post_init__(self) -> None:
        freeze(self)

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
        spans = np.stack([self.low, self.high], axis=1).ravel()
        greatest: NDArray[Any] = np.maximum.reduceat(np.append(x, x[-1]), spans)[
            ::2
        ]  # may end one past the last
        return greatest

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


LOG = 14.0
"""Logarithm up to which anything counts."""

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

OWN = (
    Feature("linked text", "share of text", 0, 1, "content", "characters in links"),
    Feature("linked leaves", "share of leaves", 0, 1, "content", "leaves in links"),
    Feature("leaves", "log", 0, LOG, "structure", "leaves"),
    Feature("leaf share", "share of the page", 0, 1, "structure", "leaves"),
    *(Feature(f"{it}s", "log", 0, LOG, "content", f"leaves: {it}") for it in _COUNTED),
    *(Feature(f"{it} share", "share of leaves", 0, 1, "content", f"leaves: {it}") for it in _SHARED),
    Feature("children", "log", 0, LOG, "structure", "children"),
    *(Feature(f"tag {tag}", "0 or 1", 0, 1, "structure", "a node of the chain is one") for tag in _TAGS),
    Feature("centre", "page widths", -1, 2, "visual", "centre of the box"),
    Feature("left", "page widths", -1, 2, "visual", "left edge"),
    Feature("right", "page widths", -1, 2, "visual", "right edge"),
    Feature("top", "page heights", -1, 2, "visual", "upper edge"),
    Feature("bottom", "page heights", -1, 2, "visual", "lower edge"),
    Feature("from top", "log px", 0, LOG, "visual", "from the upper edge of the page"),
    Feature("from bottom", "log px", 0, LOG, "visual", "to the lower edge of the page"),
    Feature("width", "page widths", -1, 2, "visual", "width"),
    Feature("tall", "page heights", -1, 2, "visual", "height of the box"),
    Feature("log width", "log px", 0, LOG, "visual", "width"),
    Feature("log height", "log px", 0, LOG, "visual", "height of the box"),
    Feature("area", "share of the page", 0, 4, "visual", "area of the box"),
    Feature("log area", "log share", -LOG, 2, "visual", "logarithm of the area"),
    Feature("screens", "log", 0, LOG, "visual", "area in screens of 1366 x 768 px"),
    Feature("flat", "log of the ratio", -LOG, LOG, "visual", "width to height"),
    Feature("font size", "px", 0, 100, "visual", "mean"),
    Feature("font sizes", "px", 0, 100, "visual", "standard deviation"),
    Feature("relative size", "of the usual one", 0, 6, "visual", "mean font size"),
    Feature("bold", "share of text", 0, 1, "visual", "weight of 600 or more"),
    Feature("light", "luminance", 0, 1, "visual", "of the text, mean"),
    Feature("lights", "luminance", 0, 1, "visual", "of the text, standard deviation"),
    Feature("colorful", "1", 0, 1, "visual", "greatest less least channel of the text, mean"),
    Feature("back", "luminance", 0, 1, "visual", "of the background, mean"),
    Feature("backs", "luminance", 0, 1, "visual", "of the background, standard deviation"),
    Feature("colorful back", "1", 0, 1, "visual", "greatest less least channel of the background, mean"),
    Feature("own back", "luminance", 0, 1, "visual", "of the background of the lowest node"),
    Feature("paints", "0 or 1", 0, 1, "visual", "another element than the parent's paints the background"),
    Feature("repaints", "log", 0, LOG, "visual", "changes of the painting element below"),
    Feature("picture", "0 or 1", 0, 1, "visual", "a node of the chain has a background image"),
    Feature("block", "0 or 1", 0, 1, "visual", "a node of the chain stands on lines of its own"),
    Feature("placed", "0 or 1", 0, 1, "visual", "a node of the chain is absolute, fixed or sticky"),
)  # fmt: skip
"""Columns of `own_columns`."""


def own_columns(traits: Traits, units: Units) -> Columns:
    """Return the columns (m,) of `OWN`, by name, and some more that others are made of.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import Traits
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li><a>Two</a></ul>"))
    >>> tree = visible_tree(page)
    >>> own_columns(Traits(page, tree), units_of(tree))["linked leaves"].tolist()
    [0.5, 0.0, 1.0]
    """
    leaf = _leaf_columns(traits)
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
    columns |= _of_tree(traits, units) | _of_box(traits, units) | _of_look(traits, units, sums)
    first = np.minimum(units.low, len(leaf["one"]) - 1)
    for name in ("heading", "caption", "image"):
        columns[f"starts with {name}"] = leaf[name][first]
    return columns | {"count": count, "text": sums["text"]}


def _leaf_columns(traits: Traits) -> Columns:
    """Return columns (l,) over the leaves, of which sums and means are taken."""
    tree, seen, places = traits.tree, traits.seen, traits.tree.leaves
    kind, size, bold = tree.kind[places], seen.font_size[places], seen.bold[places]
    text, words, sentences = (column[places] for column in traits.text)
    linked, is_text = traits.linked[places], kind == TEXT_LEAF
    usual = usual_size(size[is_text], text[is_text])
    large = (text < 90.0) & (size >= 1.2 * usual)
    heading = is_text & (traits.inside(HEADINGS)[places] | large)
    caption = heading | (is_text & ~linked & (text < 60.0) & (bold | (size >= 1.1 * usual)))
    columns = {
        "one": np.ones(len(places)), "text": text, "words": words, "linked": linked,
        "sentences": np.where(is_text, sentences - 1.0, 0.0), "linked text": text * linked,
        "heading": heading, "caption": caption, "long": text > 100.0,
        "list item": traits.inside(("li", "dt", "dd"))[places], "paragraph": traits.inside(("p",))[places],
        "in form": traits.inside(("form",))[places],
    } | {name: kind == number for name, number in _KINDS.items()}  # fmt: skip
    return {name: column.astype(np.float64) for name, column in (columns | _leaf_looks(traits)).items()}


def _leaf_looks(traits: Traits) -> Columns:
    """Return the looks (l,) of the leaves, some squared for deviations, times their weights, and these."""
    seen, places = traits.seen, traits.tree.leaves
    size, color, background = (column[places] for column in (seen.font_size, seen.color, seen.background))
    light, back = color @ (0.3, 0.59, 0.11), background @ (0.3, 0.59, 0.11)
    looks = {
        "font": size, "font²": size**2, "bold": seen.bold[places],
        "light": light, "light²": light**2, "back": back, "back²": back**2,
        "colorful": np.ptp(color, axis=1), "colorful back": np.ptp(background, axis=1),
    }  # fmt: skip
    weight = np.maximum(traits.length[places], 1.0)
    return {"weight": weight, **{name: weight * look for name, look in looks.items()}}


def usual_size(size: Float64, text: Float64) -> float:
    """Return the median font size in px over the characters of text leaves (t,), 16 where there are none.

    Of each leaf 200 characters count at most: one long text is not yet the usual.

    >>> usual_size(np.array([30.0, 12.0]), np.array([5.0, 100.0]))
    12.0
    """
    if not len(size):
        return 16.0
    order = np.argsort(size, kind="stable")
    total = np.cumsum(text[order].clip(1.0, 200.0))
    return float(size[order[np.searchsorted(total, total[-1] / 2)]])


def _of_tree(traits: Traits, units: Units) -> Columns:
    above = ancestor_sum(np.ones(len(units), np.int64), units.end)
    tagged = units.over_chain(np.stack([traits.tagged(tags) for tags in _TAGS.values()], axis=1)) > 0
    deepest = units.greatest_leaf(above[units.children == 0])
    columns: Columns = {
        "level": above,
        "height": np.log1p(deepest - above),
        "children": np.log1p(units.children),
        "has id": units.over_chain(np.array([bool(it) for it in traits.ids])) > 0,
    }
    columns |= {f"tag {tag}": column for tag, column in zip(_TAGS, tagged.T, strict=True)}
    return columns


def _of_box(traits: Traits, units: Units) -> Columns:
    seen = traits.seen
    left, top, right, bottom = seen.box[units.top].T
    width, height = right - left, bottom - top
    area = (width * height / (seen.width * seen.height)).clip(0.0, 4.0)
    return {
        "left px": left, "top px": top, "right px": right, "bottom px": bottom,
        "width px": width, "height px": height,
        "centre": _near((left + right) / (2 * seen.width)),
        "left": _near(left / seen.width), "right": _near(right / seen.width),
        "top": _near(top / seen.height), "bottom": _near(bottom / seen.height),
        "from top": np.log1p(top.clip(0.0)), "from bottom": np.log1p((seen.height - bottom).clip(0.0)),
        "width": _near(width / seen.width), "tall": _near(height / seen.height),
        "log width": np.log1p(width), "log height": np.log1p(height),
        "area": area, "log area": np.log(area + 1e-6),
        "screens": np.log1p(width * height / (1366.0 * 768.0)), "flat": np.log1p(width) - np.log1p(height),
    }  # fmt: skip


def _near(x: Float64) -> Float64:
    """Draw places beyond the page back to a page's extent from it."""
    return x.clip(-1.0, 2.0)


def _of_look(traits: Traits, units: Units, sums: Columns) -> Columns:
    seen, is_text, weight = traits.seen, traits.tree.kind == TEXT_LEAF, sums["weight"]
    names = ("font", "bold", "light", "colorful", "back", "colorful back")
    mean: Columns = {name: sums[name] / weight for name in names}
    spread = {
        name: np.sqrt((sums[f"{name}²"] / weight - mean[name] ** 2).clip(0.0))
        for name in ("font", "light", "back")
    }
    font = mean.pop("font")
    usual = usual_size(seen.font_size[is_text], traits.text[0][is_text])
    return mean | {
        "font size": font, "font sizes": spread["font"], "relative size": font / usual,
        "lights": spread["light"], "backs": spread["back"],
        **_of_paint(traits, units), **_of_styles(traits, units),
    }  # fmt: skip


def _of_paint(traits: Traits, units: Units) -> Columns:
    painter, end = traits.seen.painter, traits.tree.end
    changes = np.append(False, painter[1:] != painter[traits.tree.parent[1:]])
    above = np.maximum(units.parent, 0)
    return {
        "own back": traits.seen.background[units.bottom] @ (0.3, 0.59, 0.11),
        "paints": painter[units.bottom] != painter[units.bottom[above]],
        "repaints": np.log1p(subtree_sum(changes, end)[units.bottom] - changes[units.bottom]),
    }


def _of_styles(traits: Traits, units: Units) -> Columns:
    tree, view = traits.tree, traits.page.view
    if view is None:
        block, none = traits.tagged(BLOCKS), np.zeros(len(units), bool)
        return {"picture": none, "block": units.over_chain(block) > 0, "placed": none}
    block = ~np.isin(view.display[tree.node], _INLINE) & (tree.kind == 0)
    placed = view.position[tree.node] >= POSITION.index("absolute")
    marks = np.stack([view.background_image[tree.node], block, placed], axis=1)
    return dict(zip(("picture", "block", "placed"), (units.over_chain(marks) > 0).T, strict=True))


LARGE = 3
"""Leaves of a large child, at least."""

NEAR = 4.0
"""px within which two edges are aligned."""

_REACH = 1e3  # px up to which gaps count
_RANGES = ("linked text", "per sentence", "image share", "font size", "back", "light")
_UNITCHILDREN_KINDS = ("has id", "block", "paints")

CHILDREN = (
    Feature("repeated", "log", 0, LOG, "structure", "children of the most common signature"),
    Feature("repetition", "share of children", 0, 1, "structure", "of the most common signature"),
    Feature("repeated shape", "log", 0, LOG, "structure", "children of the most common shape"),
    Feature("shape repetition", "share of children", 0, 1, "structure", "of the most common shape"),
    Feature("large children", "log", 0, LOG, "structure", "large children"),
    Feature("large repeated", "log", 0, LOG, "structure", "large children of the most common signature"),
    Feature("large repetition", "ratio", 0, 9, "structure", "all alike, to the large children"),
    Feature("mean large", "log", 0, LOG, "structure", "leaves per large child"),
    Feature("mean leaves", "log", 0, LOG, "structure", "leaves per child"),
    Feature("entropy", "nats", 0, LOG, "structure", "of the shares of the leaves"),
    Feature("largest", "share of leaves", 0, 1, "structure", "of the largest child"),
    Feature("leaf children", "share of children", 0, 1, "structure", "single leaves"),
    Feature("uneven leaves", "ratio", 0, 10, "structure", "deviation of the leaves per child to their mean"),
    Feature("uneven text", "ratio", 0, 10, "content", "deviation of the characters per child to their mean"),
    Feature("most text", "log", 0, LOG, "content", "characters of the child with most"),
    *(Feature(f"range {it}", "as it is", 0, 100, "visual", f"of {it} over children") for it in _RANGES),
    Feature("starts with heading", "0 or 1", 0, 1, "content", "the first leaf is a heading"),
    Feature("starts with caption", "0 or 1", 0, 1, "content", "the first leaf is a caption"),
    Feature("starts with image", "0 or 1", 0, 1, "content", "the first leaf is an image"),
    Feature("headed", "log", 0, LOG, "content", "children of several leaves that start with a heading"),
    Feature("captioned", "log", 0, LOG, "content", "children of several leaves that start with a caption"),
    Feature("captioned share", "share of children", 0, 1, "content", "those"),
    Feature("bare captions", "log", 0, LOG, "content", "children that are a caption alone"),
    *(Feature(f"children {it}", "share of children", 0, 1, "structure", it) for it in _UNITCHILDREN_KINDS),
    Feature("gap down", "log px, signed", -LOG, LOG, "visual", "greatest vertical gap of children in turn"),
    Feature("gap across", "log px, signed", -LOG, LOG, "visual", "greatest horizontal gap of them"),
    Feature("stacked", "share of steps", 0, 1, "visual", "next child below"),
    Feature("side by side", "share of steps", 0, 1, "visual", "next child to the right"),
    Feature("aligned", "share of steps", 0, 1, "visual", "left edges within 4 px"),
    Feature("as wide", "share of steps", 0, 1, "visual", "widths within 4 px"),
    Feature("uneven width", "ratio", 0, 10, "visual", "deviation of the widths to their mean"),
    Feature("uneven height", "ratio", 0, 10, "visual", "deviation of the heights to their mean"),
    Feature("largest area", "share of the page", 0, 4, "visual", "area of the largest child"),
    Feature("tallest", "log px", 0, LOG, "visual", "height of the tallest child"),
    Feature("most repeated below", "log", 0, LOG, "structure", "greatest ``repeated`` of a child"),
    Feature("most large below", "log", 0, LOG, "structure", "greatest ``large children`` of a child"),
    Feature("repetition below", "share", 0, 1, "structure", "mean ``repetition`` of the children by leaves"),
)  # fmt: skip
"""Columns of `children_columns`."""


def children_columns(traits: Traits, units: Units, own: Columns) -> Columns:
    """Return the columns (m,) of `CHILDREN`, by name, and some more that others are made of.

    own: `own_columns` of the same units.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import Traits
    >>> from webgrain.segmentation.features.units import own_columns
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> traits = Traits(page, visible_tree(page))
    >>> units = units_of(traits.tree)
    >>> children_columns(traits, units, own_columns(traits, units))["repetition"].tolist()
    [1.0, 0.0, 0.0]
    """
    columns = _repetition(traits, units, own) | _sizes(units, own) | _content(units, own)
    columns |= _arrangement(units, own)
    columns["most repeated below"] = units.greatest_child(columns["repeated"])
    columns["most large below"] = units.greatest_child(columns["large children"])
    columns["repetition below"] = units.over_children(columns["repetition"] * columns["share"])
    return columns


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
    _, number = np.unique(kind, return_inverse=True)
    key = units.parent * (int(number.max()) + 1) + number
    key[0] = -1
    _, place, count = np.unique(key, return_inverse=True, return_counts=True)
    counted: Int64 = count[place]
    return counted


def _repetition(traits: Traits, units: Units, own: Columns) -> Columns:
    children = np.maximum(units.children, 1)
    signature = traits.signature[units.top]
    shape = _shape(traits.tag[units.top], units)
    alike, alike_shape = same(units, signature), same(units, shape)
    large = own["count"] >= LARGE
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
    mixed = ((tag + 1).astype(np.uint64) * np.uint64(0x9E3779B97F4A7C15) >> np.uint64(24)).astype(np.int64)
    below = np.zeros(len(units), np.int64)
    np.add.at(below, units.parent[units.child], mixed[units.child])
    return 3 * mixed + below


def _sizes(units: Units, own: Columns) -> Columns:
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


def _content(units: Units, own: Columns) -> Columns:
    several = own["count"] > 1
    columns: Columns = {}
    for name in _RANGES:
        columns[f"range {name}"] = units.greatest_child(own[name]) - units.least_child(own[name])
    columns |= {f"children {name}": _share(units, own[name]) for name in _UNITCHILDREN_KINDS}
    captioned = own["starts with caption"] * several
    return columns | {
        "headed": np.log1p(units.over_children(own["starts with heading"] * several)),
        "captioned": np.log1p(units.over_children(captioned)),
        "captioned share": _share(units, captioned),
        "bare captions": np.log1p(units.over_children(own["starts with caption"] * ~several)),
    }


def _arrangement(units: Units, own: Columns) -> Columns:
    previous, following = _beside(units)
    has = previous >= 0
    before = np.maximum(previous, 0)
    left, top, width = own["left px"], own["top px"], own["width px"]
    across, down = left - own["right px"][before], top - own["bottom px"][before]
    below, beside = has & (down >= -NEAR), has & (down < -NEAR) & (across >= -NEAR)
    steps = np.maximum(units.children - 1, 1)
    return {
        "previous": previous, "following": following, "across": across, "down": down,
        "gap down": log_px(units.greatest_child(np.where(has, down, -_REACH))),
        "gap across": log_px(units.greatest_child(np.where(has, across, -_REACH))),
        "stacked": units.over_children(below) / steps,
        "side by side": units.over_children(beside) / steps,
        "aligned": units.over_children(has & (np.abs(left - left[before]) < NEAR)) / steps,
        "as wide": units.over_children(has & (np.abs(width - width[before]) < NEAR)) / steps,
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
    "stacked", "side by side", "width", "tall", "area", "gap down", "gap across", "large repetition",
    "shape repetition", "headings", "captions", "entropy", "list item share", "paints",
    "tag table", "tag row", "tag cell", "tag list", "tag item", "tag div", "tag paragraph", "tag form",
    "tag body",
)  # fmt: skip
_KNOWN = {feature.name: feature for feature in (*OWN, *CHILDREN)}

KIN = (
    *(_KNOWN[name]._replace(name=f"parent {name}", meaning=f"{name} of the parent") for name in _OF_PARENT),
    Feature("parent level", "units", 0, 100, "structure", "units above the parent"),
    Feature("parent height", "log", 0, LOG, "structure", "levels of units below the parent"),
    Feature("parent per leaf", "log", 0, LOG, "content", "words per leaf of the parent"),
    Feature("share of parent", "share of leaves", 0, 1, "structure", "of the parent"),
    Feature("share of grandparent", "share of leaves", 0, 1, "structure", "of the parent's parent"),
    Feature("grandparent children", "log", 0, LOG, "structure", "children of the parent's parent"),
    Feature("grandparent repetition", "share", 0, 1, "structure", "``repetition`` of the parent's parent"),
    Feature("repeated above", "log", 0, LOG, "structure", "units above most of whose children are alike"),
    Feature("siblings", "log", 0, LOG, "structure", "children of the parent"),
    Feature("place", "log", 0, LOG, "structure", "among the siblings"),
    Feature("relative place", "share", 0, 1, "structure", "among the siblings, from 0 to 1"),
    Feature("alike", "log", 0, LOG, "structure", "siblings of the same signature, itself included"),
    Feature("alike share", "share of siblings", 0, 1, "structure", "of the same signature"),
    Feature("alike shape share", "share of siblings", 0, 1, "structure", "of the same shape"),
    Feature("sibling leaves", "log", 0, LOG, "structure", "mean of the others"),
    Feature("to siblings", "log of the ratio", -LOG, LOG, "structure", "leaves to the mean of the others"),
    Feature("to largest", "share", 0, 1, "structure", "leaves to those of the largest sibling"),
    Feature("large siblings", "log", 0, LOG, "structure", "other large children of the parent"),
    Feature("after caption", "0 or 1", 0, 1, "content", "the sibling before is a caption alone"),
    Feature("leaves before", "log", -1, LOG, "structure", "of the sibling before; -1 for none"),
    Feature("leaves after", "log", -1, LOG, "structure", "of the sibling after; -1 for none"),
    Feature("alike before", "0 or 1", 0, 1, "structure", "the sibling before has the same signature"),
    Feature("alike after", "0 or 1", 0, 1, "structure", "the sibling after has the same signature"),
    Feature("gap above", "log px, signed", -_BESIDE, LOG, "visual", "down from the one before; -9 for none"),
    Feature("gap below", "log px, signed", -_BESIDE, LOG, "visual", "down to the sibling after; -9 for none"),
    Feature("gap left", "log px, signed", -_BESIDE, LOG, "visual", "across from the one before; -9 for none"),
    Feature("gap right", "log px, signed", -_BESIDE, LOG, "visual", "across to the one after; -9 for none"),
    Feature("font step", "px", -100, 100, "visual", "mean font size less that of the sibling before"),
    Feature("link step", "share of text", 0, 1, "content", "of linked text, to the sibling before"),
    Feature("next link step", "share of text", 0, 1, "content", "of linked text, to the sibling after"),
    Feature("size step", "log of the ratio", 0, LOG, "structure", "of leaves, to the sibling before"),
    Feature("on page", "log", 0, LOG, "structure", "units of the page of this signature"),
    Feature("shape on page", "log", 0, LOG, "structure", "units of the page of this shape"),
    Feature("page leaves", "log", 0, LOG, "structure", "leaves of the page"),
    Feature("page units", "log", 0, LOG, "structure", "units of the page that are no leaf"),
    Feature("page large", "log", 0, LOG, "structure", "large units of the page"),
    Feature("page height", "log px", 0, LOG, "visual", "height of the page"),
    Feature("page levels", "log", 0, LOG, "structure", "levels of units"),
    Feature("page images", "share of leaves", 0, 1, "content", "images"),
    Feature("page links", "share of text", 0, 1, "content", "characters in links"),
    Feature("page words", "log", 0, LOG, "content", "words per leaf"),
    Feature("page captions", "log", 0, LOG, "content", "captions"),
    Feature("page cells", "log", 0, LOG, "structure", "units with a table cell"),
)  # fmt: skip
"""Columns of `kin_columns`."""


def kin_columns(units: Units, own: Columns, children: Columns, page_height: float) -> Columns:
    """Return the columns (m,) of `KIN`, by name.

    own, children: `own_columns` and `children_columns` of the same units; page_height: in px.
    """
    known = own | children
    parent = np.maximum(units.parent, 0)
    of_parent = (*_OF_PARENT, "level", "height", "per leaf")
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
    return (
        columns | _siblings(units, known, parent) | _unitkin_beside(known) | _page(units, known, page_height)
    )


def _siblings(units: Units, known: Columns, parent: Int64) -> Columns:
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


def _unitkin_beside(known: Columns) -> Columns:
    has_before, has_after = known["previous"] >= 0, known["following"] >= 0
    before, after = np.maximum(known["previous"], 0), np.maximum(known["following"], 0)
    leaves, linked, signature = known["leaves"], known["linked text"], known["signature"]
    down, across = known["down"], known["across"]
    return {
        "after caption": has_before
        & (known["count"][before] == 1)
        & (known["starts with caption"][before] > 0),
        "leaves before": np.where(has_before, leaves[before], -1.0),
        "leaves after": np.where(has_after, leaves[after], -1.0),
        "alike before": has_before & (signature[before] == signature),
        "alike after": has_after & (signature[after] == signature),
        "gap above": np.where(has_before, log_px(down), -_BESIDE),
        "gap below": np.where(has_after, log_px(down[after]), -_BESIDE),
        "gap left": np.where(has_before, log_px(across), -_BESIDE),
        "gap right": np.where(has_after, log_px(across[after]), -_BESIDE),
        "font step": np.where(has_before, known["font size"] - known["font size"][before], 0.0),
        "link step": np.where(has_before, np.abs(linked - linked[before]), 0.0),
        "next link step": np.where(has_after, np.abs(linked - linked[after]), 0.0),
        "size step": np.where(has_before, np.abs(leaves - leaves[before]), 0.0),
    }


def _page(units: Units, known: Columns, page_height: float) -> Columns:
    told = {
        "page leaves": known["leaves"][0],
        "page units": np.log1p(len(units.inner)),
        "page large": np.log1p(known["large"].sum()),
        "page height": np.log1p(page_height),
        "page levels": known["height"][0],
        "page images": known["image share"][0],
        "page links": known["linked text"][0],
        "page words": known["per leaf"][0],
        "page captions": known["captions"][0],
        "page cells": np.log1p(known["tag cell"].sum()),
    }
    columns: Columns = {name: np.full(len(units), value) for name, value in told.items()}
    for name, kind in (("on page", known["signature"]), ("shape on page", known["shape"])):
        _, place, count = np.unique(kind, return_inverse=True, return_counts=True)
        columns[name] = np.log1p(count[place])
    return columns


UNIT_FEATURES = (*OWN, *CHILDREN, *KIN)
"""Columns of `unit_features`."""

_LOW = np.array([feature.low for feature in UNIT_FEATURES], np.float64)
_HIGH = np.array([feature.high for feature in UNIT_FEATURES], np.float64)


def unit_features(traits: Traits, units: Units) -> Float64:
    """Return the features (m, f) of the units of a page; f as `UNIT_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import Traits
    >>> from webgrain.segmentation.features.units import units_of
    >>> page = parse(Source("a", b"<ul><li>One<li>Two</ul>"))
    >>> traits = Traits(page, visible_tree(page))
    >>> unit_features(traits, units_of(traits.tree)).shape == (3, len(UNIT_FEATURES))
    True
    """
    own = own_columns(traits, units)
    children = children_columns(traits, units, own)
    columns = own | children | kin_columns(units, own, children, traits.seen.height)
    x = np.array([columns[feature.name] for feature in UNIT_FEATURES], np.float64).T
    return np.clip(np.ascontiguousarray(x), _LOW, _HIGH)
