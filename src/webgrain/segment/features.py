"""Features of nodes, for D: what they are, and the passes that compute them.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Node features". The paper names examples only (position, shape, background colour, types, sizes and colours
of text; share of text in anchors, tag names); this is a small set of them: with five times as many, D was
learnt no better. All lie within fixed bounds, so that a weight means the same on every page. Features of
pairs, for V, are in `webgrain.segment.pairfeatures`.

Cost: a fixed number of array passes over the nodes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple, get_args

import numpy as np

from webgrain.page.leaves import IMAGE
from webgrain.segment.traits import HEADINGS, Traits

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from webgrain.segment.look import Look

    Floats = NDArray[np.float64]


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


def node_features(traits: Traits) -> Floats:
    """Return the features (k, f) of the nodes of the visible tree of a page; f as `NODE_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
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


def _in_page(seen: Look, corner: Floats) -> Floats:
    """(k, 2) corners of boxes in page widths and heights, drawn back to the page."""
    share: Floats = corner / np.array([seen.width, seen.height])
    return share.clip(0.0, 1.0)
