"""Neighbouring leaves, and features of pairs of leaves, for the probability V that both are in one segment.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, sections 3
and 4.3. The paper only names kinds of features. These are position and style of both leaves, the path between
them in the tree, and properties of their lowest common ancestor and its branches.

    p, q            two leaves, p before q in the document
    c               their lowest common ancestor
    branches        the children of c that contain p and q
    path            the nodes from p up to c and down to q, without c

Every column is bounded. Logarithms are natural logarithms of 1 + x; a signed logarithm has the sign of x: a
gap is negative if the boxes overlap. A page without a View has no features of boxes and styles.

**Neighbours** (section 4.2: pairwise costs are not zero only "when nodes p and q are visually close neighbors
in the rendering of the webpage").

Unclear: which leaves are close neighbours. Here q is a neighbour of p if it is the nearest leaf to the left
or right, above or below that shares more than 1 px of extent with p and is at most 400 px away. Each
unordered pair counts once. On a page without a View, neighbours are consecutive leaves of the document, and
the first leaves of consecutive siblings.

Cost: neighbours l log l for l leaves, at worst l * 4096; features: array passes over the nodes and l log l to
prepare, then about 120 passes over the pairs.
"""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Float64, Int32, Int64
from webgrain.base.purepython import warn_once
from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.page.outline import Outline
from webgrain.page.page import Page, View
from webgrain.papers.features.treenodes import NodeFeatures, count_above, tree_style
from webgrain.papers.solvers.neighbours import COMPILED, sweep
from webgrain.papers.solvers.treepotts import LeafAncestors
from webgrain.papers.thresholds import NEIGHBOUR_GAP, NEIGHBOUR_OVERLAP, NEIGHBOUR_SLACK, NEIGHBOUR_TRIES
from webgrain.segmentation.features import read_features, without_boxes
from webgrain.segmentation.features.facts import BLOCKS, HEADINGS
from webgrain.segmentation.thresholds import ALIGNED

Columns = dict[str, NDArray[Any]]

Places = NDArray[np.integer]


def adjacent_leaves(page: Page, tree: Outline) -> Int32:
    """Return the neighbouring leaves (m, 2) of ``tree``, the visible tree of ``page``.

    Pairs are places among the leaves, the smaller first, sorted, each once.

    >>> from webgrain.page.outline import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<div><p>0<p>1</div><div><p>2<p>3</div>"))
    >>> adjacent_leaves(page, visible_tree(page)).tolist()
    [[0, 1], [0, 2], [1, 2], [2, 3]]
    """
    pairs = _in_document(tree) if page.view is None else _in_rendering(page.view, tree)
    n = max(len(tree.leaf), 1)
    key = np.unique(pairs.min(axis=1).astype(np.int64) * n + pairs.max(axis=1))
    return np.stack(np.divmod(key, n), axis=1).astype(np.int32)


def _in_document(tree: Outline) -> Int64:
    consecutive = np.arange(1, max(len(tree.leaf), 1))
    following = tree.end[1:] < tree.end[tree.parent[1:]]
    child = np.flatnonzero(following) + 1
    pairs: list[tuple[NDArray[Any], ...]] = [
        (consecutive - 1, consecutive),
        (tree.low[child], tree.high[child]),
    ]
    return np.concatenate([np.stack(pair, axis=1) for pair in pairs])


def _in_rendering(view: View, tree: Outline) -> Int64:
    warn_once(COMPILED)
    left, top, right, bottom = np.ascontiguousarray(tree_style(view, tree).box[tree.leaf].T)
    towards = [
        (left, right, top, bottom),
        (-right, -left, top, bottom),
        (top, bottom, left, right),
        (-bottom, -top, left, right),
    ]
    nearest = np.concatenate([_nearest(*edges) for edges in towards])
    place = np.tile(np.arange(len(left)), 4)
    return np.stack([place, nearest], axis=1)[nearest >= 0]


def _nearest(near: Float64, far: Float64, low: Float64, high: Float64) -> Int32:
    order = np.argsort(near, kind="stable").astype(np.int32)
    first = np.searchsorted(near[order], far - NEIGHBOUR_SLACK).astype(np.int32)
    out = np.empty(len(near), np.int32)
    sweep(near, far, low, high, order, first, NEIGHBOUR_GAP, NEIGHBOUR_OVERLAP, NEIGHBOUR_TRIES, out)
    return out


MOST = 7.0
"""Greatest logarithm of px, leaves and characters: 1096 of them."""

FEW = 5.0
"""Greatest logarithm of numbers of nodes on the path: 147 of them."""

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


def leaf_columns(nodes: NodeFeatures) -> Columns:
    """Return columns (..., l) over the leaves."""
    tree = nodes.tree
    columns: Columns = {
        "path": nodes.path,
        "parent": nodes.signature[np.maximum(tree.parent, 0)],
        "kind": tree.kind,
        "link": nodes.linked,
        "text": tree.kind == TEXT_LEAF,
        "image": tree.kind == IMAGE,
        "length": log(nodes.text[0]),
    }
    if nodes.has_boxes:
        style = nodes.style
        columns |= {
            "painter": style.painter,
            "bold": style.bold,
            "font": style.font,
            "color": style.color.T,
            "background": style.background.T,
            "font_size": style.font_size,
        }
    return {name: column[..., tree.leaf] for name, column in columns.items()}


def path_columns(nodes: NodeFeatures) -> Columns:
    """Return columns (k,) over the nodes: the depth, and numbers of marked nodes among node and ancestors."""
    marks = {
        "ids": np.array([bool(value) for value in nodes.ids], bool),
        "blocks": nodes.tagged(BLOCKS),
        "boxes": nodes.named(_BOX),
        "wrappers": nodes.named(_WRAPPER),
        "items": nodes.tagged(("li", "dt", "dd")),
        "branchings": nodes.children > 1,
    }
    if nodes.has_boxes:
        marks["painters"] = nodes.style.painter == nodes.tree.node
    columns: Columns = {name: count_above(nodes.tree, mark) for name, mark in marks.items()}
    return columns | {"depth": nodes.depth}


def ancestor_columns(nodes: NodeFeatures) -> Columns:
    """Return columns (k,) over the nodes that describe common ancestors."""
    leaves = nodes.leaves
    columns: Columns = {name: nodes.tagged(tags) for name, tags in _TAGS.items()}
    if nodes.has_boxes:
        style = nodes.style
        width, height = (style.box[:, 2:] - style.box[:, :2]).T
        columns |= {
            "area": log(width * height, 2 * MOST),
            "width": (width / style.width).clip(0.0, 1.0),
            "height": (height / style.height).clip(0.0, 1.0),
        }
    return columns | {
        "depth": log(nodes.depth, FEW),
        "leaves": log(leaves),
        "nodes": log(nodes.size),
        "share": leaves / max(leaves.max(initial=1), 1),
        "children": log(nodes.children),
        "repetition": nodes.repetition,
        "links": nodes.mean(nodes.linked.astype(np.float64)),
        "levels": log(nodes.height, FEW),
        "headings": log(nodes.below(nodes.headings)),
    }


def branch_columns(nodes: NodeFeatures) -> Columns:
    """Return columns (..., k) over the nodes that are compared between branches."""
    columns: Columns = {
        "size": nodes.leaves.astype(np.float64),
        "share": nodes.leaves / max(nodes.leaves.max(initial=1), 1),
        "signature": nodes.signature,
        "place": nodes.place,
        "links": nodes.mean(nodes.linked.astype(np.float64)),
        "sentence": nodes.sentence,
        "headings": nodes.below(nodes.headings),
    }
    if nodes.has_boxes:
        style = nodes.style
        columns |= {
            "aspect": nodes.aspect,
            "luminance": nodes.mean(style.color @ np.array([0.299, 0.587, 0.114])),
            "background": nodes.mean(style.background).T.copy(),
            "font_size": nodes.mean(style.font_size),
        }
    return columns


def log(x: NDArray[Any], high: float = MOST) -> Float64:
    """Return the natural logarithm of 1 + x, up to ``high``."""
    out: Float64 = np.minimum(np.log1p(x), high)
    return out


PAIR_FEATURES = read_features(__file__)
"""Columns of `PairFeatures` of a page with a View."""

TREE_PAIR_FEATURES = without_boxes(PAIR_FEATURES)
"""Columns of `PairFeatures` of a page without a View."""


class PairFeatures:
    """Features of pairs of leaves of one page; prepared once, called for any pairs.

    >>> from webgrain.page.outline import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.papers.features.treenodes import nodes_of
    >>> page = parse(Source("a", b"<h1>One</h1><p>two<p>three"))
    >>> features = PairFeatures(nodes_of(page))(np.array([0, 1]), np.array([1, 2]))
    >>> names = [feature.name for feature in TREE_PAIR_FEATURES]
    >>> features.shape, features[:, names.index("parent")].tolist()
    ((2, 52), [0.0, 1.0])
    """

    def __init__(self, nodes: NodeFeatures) -> None:
        tree, leaves = nodes.tree, nodes.tree.leaf
        self._features = PAIR_FEATURES if nodes.has_boxes else TREE_PAIR_FEATURES
        self._n_leaves = max(len(leaves), 1)
        self._ancestors = LeafAncestors(tree.parent, tree.end, leaves)
        self._boxes = nodes.style.box.T.copy() if nodes.has_boxes else None
        self._box = self._boxes[:, leaves] if self._boxes is not None else None
        self._leaf = leaf_columns(nodes)
        self._headings = np.append(0, np.cumsum(nodes.headings[leaves]))
        self._path = path_columns(nodes)
        self._leaf_path = {name: column[leaves] for name, column in self._path.items()}
        self._common = ancestor_columns(nodes)
        self._branch = branch_columns(nodes)

    def __call__(self, p: Places, q: Places) -> Float64:
        """Return the features (m, g) of leaves p < q (m,), places among the leaves.

        g as `PAIR_FEATURES`, or `TREE_PAIR_FEATURES` of a page without a View.
        """
        common, left, right = self._ancestors.meet(p, q)
        columns = self._of_leaves(p, q) | self._path_features(p, q, common) | self._of_order(p, q)
        columns |= {name: column.take(common) for name, column in self._common.items()}
        columns |= self._of_branches(left, right)
        if self._box is not None:
            columns |= _of_boxes(*_at(self._box, p, q)) | self._leaf_looks(p, q)
        if self._boxes is not None:
            columns |= _of_branch_boxes(*_at(self._boxes, left, right)) | self._branch_looks(left, right)
        columns["page_leaves"] = np.full(len(p), min(np.log1p(self._n_leaves), MOST))
        return np.stack([columns[feature.name] for feature in self._features], dtype=np.float64).T

    def _of_leaves(self, p: Places, q: Places) -> Columns:
        names = ("path", "parent", "kind", "link", "text", "image", "length")
        leaf = {name: _at(self._leaf[name], p, q) for name in names}
        columns: Columns = {name: np.equal(*leaf[name]) for name in ("path", "parent", "kind")}
        columns |= {"one_link": np.not_equal(*leaf["link"]), "both_links": leaf["link"][0] & leaf["link"][1]}
        columns |= {"one_text": np.not_equal(*leaf["text"])}
        columns["both_images"] = leaf["image"][0] & leaf["image"][1]
        columns |= {"shorter": np.minimum(*leaf["length"]), "longer": np.maximum(*leaf["length"])}
        return columns

    def _leaf_looks(self, p: Places, q: Places) -> Columns:
        names = ("painter", "font", "bold", "color", "background", "font_size")
        leaf = {name: _at(self._leaf[name], p, q) for name in names}
        columns: Columns = {name: np.equal(*leaf[name]) for name in ("painter", "font")}
        columns["bold"] = np.not_equal(*leaf["bold"])
        columns |= {name: _apart(*leaf[name]) for name in ("color", "background")}
        columns["font_size"] = log(np.abs(np.subtract(*leaf["font_size"])))
        return columns

    def _path_features(self, p: Places, q: Places, common: Places) -> Columns:
        """Columns of counts along the path: those above either leaf, minus those above c."""
        up = {name: above.take(common) for name, above in self._path.items()}
        down = {name: _at(above, p, q) for name, above in self._leaf_path.items()}
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
        names = ("size", "share", "signature", "place", "links", "sentence", "headings")
        side = {name: _at(self._branch[name], left, right) for name in names}
        single = [size < 1.5 for size in side["size"]]
        columns: Columns = {
            "branch_min": log(np.minimum(*side["size"])),
            "share_min": np.minimum(*side["share"]),
        }
        columns |= {"branch_max": log(np.maximum(*side["size"])), "share_max": np.maximum(*side["share"])}
        columns |= {"one_single": single[0] ^ single[1], "both_single": single[0] & single[1]}
        columns["twins"] = np.equal(*side["signature"])
        columns["between"] = log(np.abs(np.subtract(*side["place"])))
        for name in ("links", "sentence"):
            columns[f"branch_{name}"] = np.abs(np.subtract(*side[name]))
        columns["branch_headings"] = log(np.add(*side["headings"]))
        return columns

    def _branch_looks(self, left: Places, right: Places) -> Columns:
        names = ("luminance", "aspect", "background", "font_size")
        side = {name: _at(self._branch[name], left, right) for name in names}
        return {
            "branch_luminance": np.abs(np.subtract(*side["luminance"])),
            "branch_aspect": np.abs(np.subtract(*side["aspect"])),
            "branch_background": _apart(*side["background"]),
            "branch_font_size": log(np.abs(np.subtract(*side["font_size"]))),
        }


def _of_boxes(p: Float64, q: Float64) -> Columns:
    """Columns of boxes (4, m): left, top, right, bottom."""
    apart = np.maximum(p[:2], q[:2]) - np.minimum(p[2:], q[2:])
    shorter = np.minimum(p[2:] - p[:2], q[2:] - q[:2])
    common = (-apart / np.maximum(shorter, 1.0)).clip(0.0, 1.0)
    middle = (p[:2] + p[2:] - q[:2] - q[2:]) / 2
    near = np.abs(p - q) < ALIGNED
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
        "middle": np.abs(middle[0]) < ALIGNED,
    }


def _of_branch_boxes(b: Float64, d: Float64) -> Columns:
    apart = _signed_log(np.maximum(b[:2], d[:2]) - np.minimum(b[2:], d[2:]))
    near = np.abs(b[:2] - d[:2]) < ALIGNED
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
    """Return the greatest difference of a channel of colours (3, m)."""
    most: Float64 = np.abs(a - b).max(axis=0)
    return most


def _signed_log(x: Float64) -> Float64:
    out: Float64 = np.copysign(log(np.abs(x)), x)
    return out
