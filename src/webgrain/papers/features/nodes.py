"""Features of the nodes of a page, for the distance D of GCuts.

Source: Chakrabarti, Kumar, Punera, A graph-theoretic approach to webpage segmentation, WWW 2008, section 4.3,
"Node features".

    the cues that the paper names     features of nodes                   and of pairs
    position on the page              x, y                                gap_x, gap_y, left, top, ...
    shape (aspect ratio)              aspect, width, height               branch_aspect
    background colour                 back_red, back_green, back_blue     background, painter
    types of text                     first_font, second_font, bold       font, bold
    sizes and colours of text         font_size, red, green, blue         font_size, color
    average size of sentences         sentence                            branch_sentence
    fraction of text within anchors   anchor                              links, branch_links
    DOM nodes                         nodes                               nodes, leaves
    tag names                         heading, list, table, form, ...     page, division, table, ..., path

All are bounded, so that a weight has the same meaning on every page. With five times as many, D was not
better. The first eight cues but those of sentences and anchors are visual: only a page with a View has them.

Cost: a fixed number of array passes over the nodes.
"""

from __future__ import annotations

import numpy as np

from webgrain.base.arrays import Float64
from webgrain.page.leaves import IMAGE
from webgrain.papers.features.treenodes import NodeFeatures
from webgrain.segmentation.features import read_features, without_boxes
from webgrain.segmentation.features.facts import HEADINGS
from webgrain.segmentation.features.style import Style

NODE_FEATURES = read_features(__file__)
"""Columns of `node_features` of a page with a View."""

TREE_NODE_FEATURES = without_boxes(NODE_FEATURES)
"""Columns of `node_features` of a page without a View."""

_TAGS = {
    "heading": HEADINGS,
    "list": ("li", "dt", "dd"),
    "paragraph": ("p",),
    "table": ("table",),
    "form": ("form", "fieldset"),
}


def node_features(nodes: NodeFeatures) -> Float64:
    """Return the features (k, f) of the nodes of the visible tree of a page.

    f as `NODE_FEATURES`, or `TREE_NODE_FEATURES` of a page without a View.

    >>> from webgrain.page.outline import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.papers.features.treenodes import nodes_of
    >>> page = parse(Source("a", b"<p>One <a>two</a>"))
    >>> names = [feature.name for feature in TREE_NODE_FEATURES]
    >>> features = node_features(nodes_of(page))
    >>> features[:, names.index("anchor")].tolist()  # html body p text a text
    [0.5, 0.5, 0.5, 0.0, 1.0, 1.0]
    """
    features = NODE_FEATURES if nodes.has_boxes else TREE_NODE_FEATURES
    if not len(nodes.tree):
        return np.zeros((0, len(features)))
    below = nodes.below(nodes.text[0])
    columns = {
        "text": np.log1p(below) / max(np.log1p(below[0]), 1.0),
        "sentence": nodes.sentence,
        "nodes": np.log1p(nodes.size) / np.log1p(nodes.size[0]),
        "anchor": nodes.mean(nodes.linked.astype(np.float64)),
    }
    by_leaf = {"image": nodes.tree.kind == IMAGE} | {name: nodes.inside(tags) for name, tags in _TAGS.items()}
    columns |= {name: nodes.share(mark) for name, mark in by_leaf.items()}
    if nodes.has_boxes:
        columns |= _visual_columns(nodes)
    return np.stack([columns[feature.name] for feature in features], axis=1)


def _visual_columns(nodes: NodeFeatures) -> dict[str, Float64]:
    """Return the columns (k,) of appearance and position."""
    style = nodes.style
    low, high = _in_page(style, style.box[:, :2]), _in_page(style, style.box[:, 2:])
    columns = dict(zip(("x", "y"), ((low + high) / 2).T, strict=True))
    columns |= zip(("width", "height"), (high - low).T, strict=True)
    columns |= zip(("back_red", "back_green", "back_blue"), style.background.T, strict=True)
    columns["aspect"] = nodes.aspect
    fonts = np.bincount(style.font, weights=nodes.text[0])
    by_font = [style.font == font for font in np.argsort(-fonts, kind="stable")[:2]]
    by_font += [np.zeros(len(style.font), bool)] * (2 - len(by_font))
    sizes = np.log2(style.font_size / 16.0).clip(-4.0, 6.0)
    by_text = [*style.color.T, sizes, style.bold, *by_font]
    by_text_names = ("red", "green", "blue", "font_size", "bold", "first_font", "second_font")
    columns |= zip(by_text_names, nodes.mean(np.stack(by_text, axis=1)).T, strict=True)
    return columns


def _in_page(style: Style, corner: Float64) -> Float64:
    """Return corners (k, 2) of boxes in page widths and heights, clipped to the page."""
    share: Float64 = corner / np.array([style.width, style.height])
    return share.clip(0.0, 1.0)
