"""What features of pairs are made of: columns over the leaves and nodes of a page, computed once."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.page.leaves import IMAGE, TEXT_LEAF
from webgrain.segment.look import marked_above
from webgrain.segment.traits import BLOCKS, HEADINGS

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.traits import Traits

    Floats = NDArray[np.float64]
    Columns = dict[str, NDArray[Any]]

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


def log(x: NDArray[Any], high: float = MOST) -> Floats:
    """Return the natural logarithm of 1 + x, up to ``high``."""
    out: Floats = np.minimum(np.log1p(x), high)
    return out
