"""Features of pairs of leaves, for the probability that both are in one segment.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, sections 3
and 4.3. The paper names kinds of features only; these are position and style of both leaves, the way between
them in the tree, and what stands where the ways part.

    p, q            two leaves, p before q in the document
    c               their lowest common ancestor
    branches        the children of c that hold p and q
    the way         the nodes from p up to c and down to q, without c

Every column lies within fixed bounds. Logarithms are natural ones of 1 + x; a signed one has the sign of x: a
gap is below 0 where the boxes overlap. A page without a View is a list of lines (`webgrain.segment.look`).

Cost: to prepare, array passes over nodes and l log l for l leaves; to ask, some 120 passes over the pairs.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.kernels.lca import LeafAncestors
from webgrain.segment.features import Feature
from webgrain.segment.paircolumns import (
    FEW,
    MOST,
    ancestor_columns,
    branch_columns,
    leaf_columns,
    log,
    way_columns,
)

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits

    Floats = NDArray[np.float64]
    Places = NDArray[np.integer]
    Columns = dict[str, NDArray[Any]]

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
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.traits import Traits
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

    def __call__(self, p: Places, q: Places) -> Floats:
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


def _of_boxes(p: Floats, q: Floats) -> Columns:
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


def _of_branch_boxes(b: Floats, d: Floats) -> Columns:
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


def _apart(a: Floats, b: Floats) -> Floats:
    """Greatest difference of a channel of colours (3, m)."""
    most: Floats = np.abs(a - b).max(axis=0)
    return most


def _signed_log(x: Floats) -> Floats:
    out: Floats = np.copysign(log(np.abs(x)), x)
    return out
