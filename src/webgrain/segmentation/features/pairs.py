"""Which leaves are neighbours.

Source: Chakrabarti, Kumar, Punera, WWW 2008, section 4.2: pairwise costs are not zero only "when nodes p and
q are visually close neighbors in the rendering of the webpage".

Unclear: which leaves are close neighbours. Here q is a neighbour of p when it is the nearest leaf to the left
or right, above or below that shares more than 1 px of extent with p and lies no more than 400 px away. Each
unordered pair counts once. On a page without a View, neighbours are leaves that follow each other in the
document, and the first leaves of siblings that follow each other.

Cost: l log l for l leaves; a search gives up after 4096 leaves, so l * 4096 at worst.

What features of pairs are made of: columns over the leaves and nodes of a page, computed once.

Features of pairs of leaves, for the probability that both are in one segment.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, sections 3
and 4.3. The paper names kinds of features only; these are position and style of both leaves, the way between
them in the tree, and what stands where the ways part.

    p, q            two leaves, p before q in the document
    c               their lowest common ancestor
    branches        the children of c that hold p and q
    the way         the nodes from p up to c and down to q, without c

Every column lies within fixed bounds. Logarithms are natural ones of 1 + x; a signed one has the sign of x: a
gap is below 0 where the boxes overlap. A page without a View is a list of lines
(`webgrain.segmentation.features.nodes`).

Cost: to prepare, array passes over nodes and l log l for l leaves; to ask, some 120 passes over the pairs.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Float64, Int32, Int64
from webgrain.page.kernels.purepython import warn_once
from webgrain.page.leaves import IMAGE, TEXT_LEAF, VisibleTree
from webgrain.page.page import Page
from webgrain.segmentation.features.nodes import (
    BLOCKS,
    HEADINGS,
    Feature,
    Traits,
    leaves_before,
    look,
    marked_above,
)
from webgrain.segmentation.solvers.neighbours import COMPILED, sweep
from webgrain.segmentation.solvers.treepotts import LeafAncestors

Columns = dict[str, NDArray[Any]]

Places = NDArray[np.integer]


REACH = 400.0
"""px; the greatest gap between neighbours."""

OVERLAP = 1.0
"""px of extent that neighbours share at least."""

SLACK = 2.0
"""px by which the boxes of neighbours may overlap: line boxes often do."""

TRIES = 4096
"""Leaves that the search for one neighbour looks at."""


def adjacent_leaves(page: Page, tree: VisibleTree) -> Int32:
    """Return the neighbouring leaves (m, 2) of ``tree``, the visible tree of ``page``.

    Pairs are places among the leaves, the smaller first, sorted, each once.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>0<p>1</div><div><p>2<p>3</div>"))
    >>> adjacent_leaves(page, visible_tree(page)).tolist()
    [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    pairs = _in_document(tree) if page.view is None else _in_rendering(page, tree)
    n = max(len(tree.leaves), 1)
    key = np.unique(pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1))
    return np.stack(np.divmod(key, n), axis=1).astype(np.int32)


def _in_document(tree: VisibleTree) -> Int64:
    before = leaves_before(tree)
    consecutive = np.arange(1, max(before[-1], 1))
    following = tree.end[1:] < tree.end[tree.parent[1:]]
    child = np.flatnonzero(following) + 1
    pairs = [(consecutive - 1, consecutive), (before[child], before[tree.end[child]])]
    return np.concatenate([np.stack(pair, axis=1) for pair in pairs])


def _in_rendering(page: Page, tree: VisibleTree) -> Int64:
    warn_once(COMPILED)
    left, top, right, bottom = np.ascontiguousarray(look(page, tree).box[tree.leaves].T)
    towards = [
        (left, right, top, bottom),
        (-right, -left, top, bottom),
        (top, bottom, left, right),
        (-bottom, -top, left, right),
    ]
    found = np.concatenate([_nearest(*edges) for edges in towards])
    place = np.tile(np.arange(len(left)), 4)
    return np.stack([place, found], axis=1)[found >= 0]


def _nearest(near: Float64, far: Float64, low: Float64, high: Float64) -> Int32:
    order = np.argsort(near, kind="stable").astype(np.int32)
    first = np.searchsorted(near[order], far - SLACK).astype(np.int32)
    out = np.empty(len(near), np.int32)
    sweep(near, far, low, high, order, first, REACH, OVERLAP, TRIES, out)
    return out


MOST = 7.0
"""Logarithm up to which px, leaves and characters count: 1096 of them."""

FEW = 5.0
"""Logarithm up to which nodes on the way count: 147 of them."""

_TAGS = {
    "page": ("html", "body"),
    "division": ("div", "section", "article", "main", "nav", "aside", "header", "footer"),
    "table": ("table",),
    "row": ("tr", "tbody", "thead", "tfoot"),
    "cell": ("td", "th"),
    "list": ("ul", "ol", "dl"),
    "item": ("li", "dt", "dd"),
    "paragraph": ("p", *HEADINGS),
    "link": ("a",),
    "form": ("form", "fieldset"),
}
_BOX = re.compile("box|block|module|widget")
_WRAPPER = re.compile("wrap|contain|row")


def leaf_columns(traits: Traits) -> Columns:
    """Return columns (..., l) over the leaves."""
    tree, seen = traits.tree, traits.seen
    columns: Columns = {
        "painter": seen.painter,
        "path": traits.path,
        "parent": traits.signature[np.maximum(tree.parent, 0)],
        "kind": tree.kind,
        "bold": seen.bold,
        "link": traits.linked,
        "text": tree.kind == TEXT_LEAF,
        "image": tree.kind == IMAGE,
        "color": seen.color.T,
        "background": seen.background.T,
        "font_size": seen.font_size,
        "length": log(traits.text[0]),
    }
    return {name: column[..., tree.leaves] for name, column in columns.items()}


def way_columns(traits: Traits) -> Columns:
    """Return columns (k,) over the nodes: how many of a node and its ancestors are marked, and its depth."""
    marks = {
        "painters": traits.seen.painter == traits.tree.node,
        "ids": np.array([bool(value) for value in traits.ids], bool),
        "blocks": traits.tagged(BLOCKS),
        "boxes": traits.named(_BOX),
        "wrappers": traits.named(_WRAPPER),
        "items": traits.tagged(("li", "dt", "dd")),
        "branchings": traits.children > 1,
    }
    columns: Columns = {name: marked_above(traits.tree, mark) for name, mark in marks.items()}
    return columns | {"depth": traits.depth}


def ancestor_columns(traits: Traits) -> Columns:
    """Return columns (k,) over the nodes, of what counts at a common ancestor."""
    leaves, seen = traits.leaves, traits.seen
    width, height = (seen.box[:, 2:] - seen.box[:, :2]).T
    columns = {name: traits.tagged(tags) for name, tags in _TAGS.items()}
    return columns | {
        "area": log(width * height, 2 * MOST),
        "width": (width / seen.width).clip(0.0, 1.0),
        "height": (height / seen.height).clip(0.0, 1.0),
        "depth": log(traits.depth, FEW),
        "leaves": log(leaves),
        "share": leaves / max(leaves.max(initial=1), 1),
        "children": log(traits.children),
        "repetition": traits.repetition,
        "links": traits.mean(traits.linked.astype(np.float64)),
        "levels": log(traits.height, FEW),
        "headings": log(traits.below(traits.headings)),
    }


def branch_columns(traits: Traits) -> Columns:
    """Return columns (..., k) over the nodes, of what is compared between branches."""
    seen = traits.seen
    _, words, sentences = traits.text
    return {
        "size": traits.leaves.astype(np.float64),
        "share": traits.leaves / max(traits.leaves.max(initial=1), 1),
        "signature": traits.signature,
        "place": traits.place,
        "luminance": traits.mean(seen.color @ np.array([0.299, 0.587, 0.114])),
        "background": traits.mean(seen.background).T.copy(),
        "font_size": traits.mean(seen.font_size),
        "links": traits.mean(traits.linked.astype(np.float64)),
        "sentence": log(traits.below(words) / np.maximum(traits.below(sentences), 1.0)),
        "headings": traits.below(traits.headings),
    }


def log(x: NDArray[Any], high: float = MOST) -> Float64:
    """Return the natural logarithm of 1 + x, up to ``high``."""
    out: Float64 = np.minimum(np.log1p(x), high)
    return out


NEAR = 4.0
"""px within which two edges are aligned."""

_L, _S = (0, MOST), (-MOST, MOST)

PAIR_FEATURES = (
    Feature("gap_x", "log px, signed", *_S, "visual", "horizontal gap of the boxes"),
    Feature("gap_y", "log px, signed", *_S, "visual", "vertical gap of the boxes"),
    Feature("gap", "log px", *_L, "visual", "the greater gap"),
    Feature("centre", "log px", *_L, "visual", "distance of the centres"),
    Feature("overlap_x", "of the narrower", 0, 1, "visual", "common extent, across"),
    Feature("overlap_y", "of the lower", 0, 1, "visual", "common extent, down"),
    Feature("left", "0 or 1", 0, 1, "visual", "left edges aligned"),
    Feature("right", "0 or 1", 0, 1, "visual", "right edges aligned"),
    Feature("top", "0 or 1", 0, 1, "visual", "top edges aligned"),
    Feature("middle", "0 or 1", 0, 1, "visual", "centres aligned, across"),
    Feature("font_size", "log px", *_L, "visual", "difference of the font sizes"),
    Feature("bold", "0 or 1", 0, 1, "visual", "exactly one is bold"),
    Feature("color", "1", 0, 1, "visual", "difference of the text colours, greatest of a channel"),
    Feature("background", "1", 0, 1, "visual", "difference of the backgrounds, greatest of a channel"),
    Feature("painter", "0 or 1", 0, 1, "visual", "one element paints both backgrounds"),
    Feature("painters", "log count", 0, FEW, "visual", "elements on the way that paint a background"),
    Feature("area", "log px²", 0, 2 * MOST, "visual", "area of c"),
    Feature("width", "page widths", 0, 1, "visual", "width of c"),
    Feature("height", "page heights", 0, 1, "visual", "height of c"),
    Feature("branch_gap_x", "log px, signed", *_S, "visual", "horizontal gap of the branches"),
    Feature("branch_gap_y", "log px, signed", *_S, "visual", "vertical gap of the branches"),
    Feature("branch_background", "1", 0, 1, "visual", "difference of the branches' mean backgrounds"),
    Feature("branch_luminance", "1", 0, 1, "visual", "difference of the branches' mean text luminances"),
    Feature("branch_font_size", "log px", *_L, "visual", "difference of the branches' mean font sizes"),
    Feature("branch_left", "0 or 1", 0, 1, "visual", "left edges of the branches aligned"),
    Feature("branch_top", "0 or 1", 0, 1, "visual", "top edges of the branches aligned"),
    Feature("branch_width", "log px", *_L, "visual", "difference of the branches' widths"),
    Feature("branch_height", "log px", *_L, "visual", "difference of the branches' heights"),
    Feature("path", "0 or 1", 0, 1, "structure", "the same tags from the root"),
    Feature("parent", "0 or 1", 0, 1, "structure", "parents of one tag and first class"),
    Feature("kind", "0 or 1", 0, 1, "content", "the same kind of leaf"),
    Feature("one_link", "0 or 1", 0, 1, "content", "exactly one is in a link"),
    Feature("both_links", "0 or 1", 0, 1, "content", "both are in links"),
    Feature("both_images", "0 or 1", 0, 1, "content", "both are images"),
    Feature("one_text", "0 or 1", 0, 1, "content", "exactly one is a text"),
    Feature("shorter", "log characters", *_L, "content", "length of the shorter text"),
    Feature("longer", "log characters", *_L, "content", "length of the longer text"),
    Feature("depth", "log levels", 0, FEW, "structure", "depth of c"),
    Feature("leaves", "log leaves", *_L, "structure", "leaves of c"),
    Feature("share", "of the page's leaves", 0, 1, "structure", "leaves of c"),
    Feature("children", "log children", *_L, "structure", "children of c"),
    Feature("repetition", "of the children", 0, 1, "structure", "the most common tag and class below c"),
    Feature("links", "of the text", 0, 1, "content", "text of c in links"),
    Feature("levels", "log levels", 0, FEW, "structure", "levels below c"),
    Feature("headings", "log leaves", *_L, "content", "headings in c"),
    Feature("page", "0 or 1", 0, 1, "structure", "c is html or body"),
    Feature("division", "0 or 1", 0, 1, "structure", "c is a div, section or the like"),
    Feature("table", "0 or 1", 0, 1, "structure", "c is a table"),
    Feature("row", "0 or 1", 0, 1, "structure", "c is a table row or a group of rows"),
    Feature("cell", "0 or 1", 0, 1, "structure", "c is a table cell"),
    Feature("list", "0 or 1", 0, 1, "structure", "c is a list"),
    Feature("item", "0 or 1", 0, 1, "structure", "c is an item of a list"),
    Feature("paragraph", "0 or 1", 0, 1, "structure", "c is a paragraph or a heading"),
    Feature("link", "0 or 1", 0, 1, "structure", "c is a link"),
    Feature("form", "0 or 1", 0, 1, "structure", "c is a form or a group of controls"),
    Feature("steps_min", "log levels", 0, FEW, "structure", "from c to the nearer of p and q"),
    Feature("steps_max", "log levels", 0, FEW, "structure", "from c to the other"),
    Feature("ids", "log count", 0, FEW, "structure", "elements with an id on the way"),
    Feature("blocks", "log count", 0, FEW, "structure", "elements on the way with lines of their own"),
    Feature("boxes", "log count", 0, FEW, "structure", "classes on the way such as box, module, widget"),
    Feature("wrappers", "log count", 0, FEW, "structure", "classes on the way such as wrapper, container"),
    Feature("items", "log count", 0, FEW, "structure", "items of lists on the way"),
    Feature("branchings", "log count", 0, FEW, "structure", "nodes on the way with several children"),
    Feature("branch_min", "log leaves", *_L, "structure", "leaves of the smaller branch"),
    Feature("branch_max", "log leaves", *_L, "structure", "leaves of the larger branch"),
    Feature("share_min", "of the page's leaves", 0, 1, "structure", "leaves of the smaller branch"),
    Feature("share_max", "of the page's leaves", 0, 1, "structure", "leaves of the larger branch"),
    Feature("one_single", "0 or 1", 0, 1, "structure", "exactly one branch is a single leaf"),
    Feature("both_single", "0 or 1", 0, 1, "structure", "both branches are single leaves"),
    Feature("twins", "0 or 1", 0, 1, "structure", "branches of one tag and first class"),
    Feature("between", "log children", *_L, "structure", "places from one branch to the other"),
    Feature("branch_links", "of the text", 0, 1, "content", "difference of the branches' text in links"),
    Feature("branch_sentence", "log words", *_L, "content", "difference of the branches' sentences"),
    Feature("branch_headings", "log leaves", *_L, "content", "headings in both branches"),
    Feature("order", "log leaves", *_L, "structure", "distance in the document"),
    Feature("order_share", "of the page's leaves", 0, 1, "structure", "distance in the document"),
    Feature("headings_between", "log leaves", *_L, "content", "headings after p, up to q"),
    Feature("heading_between", "0 or 1", 0, 1, "content", "there is such a heading"),
    Feature("page_leaves", "log leaves", *_L, "structure", "leaves of the page"),
)
"""Columns of `PairFeatures`."""


class PairFeatures:
    """Features of pairs of leaves of one page; prepared once, asked for any pairs.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import Traits
    >>> page = parse(Source("a", b"<h1>One</h1><p>two<p>three"))
    >>> features = PairFeatures(Traits(page, visible_tree(page)))(np.array([0, 1]), np.array([1, 2]))
    >>> names = [feature.name for feature in PAIR_FEATURES]
    >>> features.shape, features[:, names.index("parent")].tolist()
    ((2, 79), [0.0, 1.0])
    """

    def __init__(self, traits: Traits) -> None:
        tree, seen = traits.tree, traits.seen
        leaves = tree.leaves
        self._n_leaves = max(len(leaves), 1)
        self._ancestors = LeafAncestors(tree.parent, tree.end, leaves)
        self._boxes = seen.box.T.copy()
        self._box = self._boxes[:, leaves]
        self._leaf = leaf_columns(traits)
        self._headings = np.append(0, np.cumsum(traits.headings[leaves]))
        self._way = way_columns(traits)
        self._way_leaf = {name: column[leaves] for name, column in self._way.items()}
        self._common = ancestor_columns(traits)
        self._branch = branch_columns(traits)

    def __call__(self, p: Places, q: Places) -> Float64:
        """Return the features (m, g) of leaves p < q (m,), places among the leaves; g as `PAIR_FEATURES`."""
        common, left, right = self._ancestors.meet(p, q)
        columns = _of_boxes(*_at(self._box, p, q))
        columns |= self._of_leaves(p, q) | self._of_way(p, q, common) | self._of_order(p, q)
        columns |= {name: column.take(common) for name, column in self._common.items()}
        columns |= self._of_branches(left, right)
        columns["page_leaves"] = np.full(len(p), min(np.log1p(self._n_leaves), MOST))
        return np.stack([columns[feature.name] for feature in PAIR_FEATURES], dtype=np.float64).T

    def _of_leaves(self, p: Places, q: Places) -> Columns:
        leaf = {name: _at(column, p, q) for name, column in self._leaf.items()}
        columns = {name: np.equal(*leaf[name]) for name in ("painter", "path", "parent", "kind")}
        columns |= {"bold": np.not_equal(*leaf["bold"]), "one_link": np.not_equal(*leaf["link"])}
        columns |= {"both_links": leaf["link"][0] & leaf["link"][1], "one_text": np.not_equal(*leaf["text"])}
        columns["both_images"] = leaf["image"][0] & leaf["image"][1]
        columns |= {name: _apart(*leaf[name]) for name in ("color", "background")}
        columns["font_size"] = log(np.abs(np.subtract(*leaf["font_size"])))
        columns |= {"shorter": np.minimum(*leaf["length"]), "longer": np.maximum(*leaf["length"])}
        return columns

    def _of_way(self, p: Places, q: Places, common: Places) -> Columns:
        """Columns of counts along the way: those above either leaf, less those above c."""
        up = {name: above.take(common) for name, above in self._way.items()}
        down = {name: _at(above, p, q) for name, above in self._way_leaf.items()}
        columns = {
            name: log(down[name][0] + down[name][1] - 2 * up[name], FEW) for name in up if name != "depth"
        }
        columns["steps_min"] = log(np.minimum(*down["depth"]) - up["depth"], FEW)
        columns["steps_max"] = log(np.maximum(*down["depth"]) - up["depth"], FEW)
        return columns

    def _of_order(self, p: Places, q: Places) -> Columns:
        between = self._headings[q + 1] - self._headings[p + 1]
        return {
            "order": log(q - p),
            "order_share": (q - p) / self._n_leaves,
            "headings_between": log(between),
            "heading_between": between > 0,
        }

    def _of_branches(self, left: Places, right: Places) -> Columns:
        side = {name: _at(column, left, right) for name, column in self._branch.items()}
        single = [size < 1.5 for size in side["size"]]
        columns = _of_branch_boxes(*_at(self._boxes, left, right))
        columns |= {"branch_min": log(np.minimum(*side["size"])), "share_min": np.minimum(*side["share"])}
        columns |= {"branch_max": log(np.maximum(*side["size"])), "share_max": np.maximum(*side["share"])}
        columns |= {"one_single": single[0] ^ single[1], "both_single": single[0] & single[1]}
        columns["twins"] = np.equal(*side["signature"])
        columns["between"] = log(np.abs(np.subtract(*side["place"])))
        for name in ("luminance", "links", "sentence"):
            columns[f"branch_{name}"] = np.abs(np.subtract(*side[name]))
        columns["branch_background"] = _apart(*side["background"])
        columns["branch_font_size"] = log(np.abs(np.subtract(*side["font_size"])))
        columns["branch_headings"] = log(np.add(*side["headings"]))
        return columns


def _of_boxes(p: Float64, q: Float64) -> Columns:
    """Columns of boxes (4, m): left, top, right, bottom."""
    apart = np.maximum(p[:2], q[:2]) - np.minimum(p[2:], q[2:])
    shorter = np.minimum(p[2:] - p[:2], q[2:] - q[:2])
    common = (-apart / np.maximum(shorter, 1.0)).clip(0.0, 1.0)
    middle = (p[:2] + p[2:] - q[:2] - q[2:]) / 2
    near = np.abs(p - q) < NEAR
    gap_x, gap_y = _signed_log(apart)
    return {
        "gap_x": gap_x,
        "gap_y": gap_y,
        "gap": np.maximum(gap_x, gap_y).clip(0.0),
        "centre": log(np.hypot(*middle)),
        "overlap_x": common[0],
        "overlap_y": common[1],
        "left": near[0],
        "top": near[1],
        "right": near[2],
        "middle": np.abs(middle[0]) < NEAR,
    }


def _of_branch_boxes(b: Float64, d: Float64) -> Columns:
    apart = _signed_log(np.maximum(b[:2], d[:2]) - np.minimum(b[2:], d[2:]))
    near = np.abs(b[:2] - d[:2]) < NEAR
    extent = log(np.abs(b[2:] - b[:2] - d[2:] + d[:2]))
    return {
        "branch_gap_x": apart[0],
        "branch_gap_y": apart[1],
        "branch_left": near[0],
        "branch_top": near[1],
        "branch_width": extent[0],
        "branch_height": extent[1],
    }


def _at(column: NDArray[Any], p: Places, q: Places) -> tuple[NDArray[Any], NDArray[Any]]:
    return column.take(p, axis=-1), column.take(q, axis=-1)


def _apart(a: Float64, b: Float64) -> Float64:
    """Greatest difference of a channel of colours (3, m)."""
    most: Float64 = np.abs(a - b).max(axis=0)
    return most


def _signed_log(x: Float64) -> Float64:
    out: Float64 = np.copysign(log(np.abs(x)), x)
    return out
