"""Features of segments: what tells a menu from an article, and one block from a bit of one.

    traits, members --> columns (s,) by name --> segment_features (s, f)

All lie within fixed bounds, and none holds a word of a page. What the markup hints at (`hints`) is told three
times: by nodes near a segment (`Members`), inside it (as a share of its leaves), and further above.

Cost: a fixed number of array passes, and one for each level of the tree.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain.segment.features import Feature
from webgrain.segment.hints import HINTS, hints
from webgrain.segment.look import marked_above
from webgrain.segment.segmentleaves import log_scale, of_images, of_kinds, of_text

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from numpy.typing import NDArray

    from webgrain.segment.members import Members
    from webgrain.segment.traits import Traits

    Floats = NDArray[np.float64]
    Columns = Iterator[tuple[str, NDArray[Any]]]

BANNERS = (
    (728, 90), (300, 250), (160, 600), (468, 60), (336, 280), (120, 600), (300, 600), (970, 250), (234, 60),
)  # fmt: skip
"""Widths and heights in px that advertisements are sold in."""

FAR = 5000.0
"""px from which on a distance counts no more."""

SEGMENT_FEATURES = (
    Feature("left", "page widths", 0, 1, "visual", "left edge"),
    Feature("right", "page widths", 0, 1, "visual", "from the right edge to that of the page"),
    Feature("top", "page heights", 0, 1, "visual", "upper edge"),
    Feature("bottom", "page heights", 0, 1, "visual", "from the lower edge to that of the page"),
    Feature("width", "page widths", 0, 1, "visual", "width"),
    Feature("height", "page heights", 0, 1, "visual", "height"),
    Feature("area", "1", 0, 1, "visual", "width times height"),
    Feature("log_width", "log px", 0, 1, "visual", "width; 1 from 5000 px on"),
    Feature("log_height", "log px", 0, 1, "visual", "height; 1 from 5000 px on"),
    Feature("log_top", "log px", 0, 1, "visual", "upper edge; 1 from 5000 px on"),
    Feature("log_bottom", "log px", 0, 1, "visual", "from the lower edge to the page's; 1 from 5000 px on"),
    Feature("flat", "log of the ratio", -1, 1, "visual", "width to height; 1 from 55 to 1 on"),
    Feature("at_top", "exp(-px / 120)", 0, 1, "visual", "upper edge, near the top only"),
    Feature("at_bottom", "exp(-px / 200)", 0, 1, "visual", "lower edge, near the bottom only"),
    Feature("left_rail", "0 or 1", 0, 1, "visual", "narrow, in the left third"),
    Feature("right_rail", "0 or 1", 0, 1, "visual", "narrow, in the right third"),
    Feature("wide", "0 or 1", 0, 1, "visual", "over .6 page widths"),
    Feature("small", "exp(-px² / 20 000)", 0, 1, "visual", "area, where it is small"),
    Feature("banner", "0 or 1", 0, 1, "visual", "of a size that advertisements are sold in"),
    Feature("leaves", "log", 0, 1, "content", "leaves; 1 from 1000 on"),
    Feature("leaf_share", "share of the page", 0, 1, "content", "leaves"),
    Feature("characters", "log", 0, 1, "content", "characters; 1 from 100 000 on"),
    Feature("character_share", "share of the page", 0, 1, "content", "characters"),
    Feature("first", "share of the page", 0, 1, "content", "leaves before the first one"),
    Feature("last", "share of the page", 0, 1, "content", "leaves before the last one"),
    Feature("runs", "log", 0, 1, "structure", "stretches of consecutive leaves; 1 from 50 on"),
    Feature("pure", "share", 0, 1, "structure", "of the leaves below the common ancestor"),
    Feature("depth", "40 levels", 0, 1, "structure", "of the common ancestor"),
    Feature("segments", "log", 0, 1, "structure", "segments of the page; 1 from 200 on"),
    Feature("alike", "log", 0, 1, "structure", "others as wide, as deep, of the same tag; 1 from 50 on"),
    Feature("texts", "share of leaves", 0, 1, "content", "texts"),
    Feature("images", "share of leaves", 0, 1, "content", "images and background images"),
    Feature("controls", "share of leaves", 0, 1, "content", "form controls"),
    Feature("embeds", "share of leaves", 0, 1, "content", "embedded objects"),
    Feature("links", "share of leaves", 0, 1, "content", "leaves in links"),
    Feature("linked_images", "share of leaves", 0, 1, "content", "leaves in links that are no text"),
    Feature("short", "share of leaves", 0, 1, "content", "texts of less than 25 characters"),
    Feature("long", "share of leaves", 0, 1, "content", "texts of more than 100 characters"),
    Feature("small_font", "share of leaves", 0, 1, "visual", "texts in a smaller font than usual"),
    Feature("large_font", "share of leaves", 0, 1, "visual", "texts in a larger font than usual"),
    Feature("bold", "share of leaves", 0, 1, "visual", "bold texts"),
    Feature("headings", "share of leaves", 0, 1, "content", "headings"),
    Feature("unlike_page", "share of leaves", 0, 1, "visual", "on another background than most leaves"),
    Feature("n_images", "log", 0, 1, "content", "images; 1 from 100 on"),
    Feature("n_controls", "log", 0, 1, "content", "form controls; 1 from 20 on"),
    Feature("n_embeds", "log", 0, 1, "content", "embedded objects; 1 from 10 on"),
    Feature("n_links", "log", 0, 1, "content", "texts in links; 1 from 300 on"),
    Feature("n_paragraphs", "log", 0, 1, "content", "texts of more than 80 characters; 1 from 50 on"),
    Feature("one_leaf", "0 or 1", 0, 1, "content", "a single leaf"),
    Feature("one_image", "0 or 1", 0, 1, "content", "an image, with another leaf at most"),
    Feature("one_text", "0 or 1", 0, 1, "content", "a single text"),
    Feature("one_heading", "0 or 1", 0, 1, "content", "a heading, with another leaf at most"),
    Feature("few_controls", "0 or 1", 0, 1, "content", "form controls among six leaves at most"),
    Feature("first_image", "0 or 1", 0, 1, "content", "has the first image of the page"),
    Feature("largest_font", "0 or 1", 0, 1, "visual", "has the largest font of the page, within 5 %"),
    Feature("image_fills", "share of area", 0, 1, "visual", "of the largest image or embedded object"),
    Feature("image_size", "log px", 0, 1, "visual", "root of the area of the largest one; 1 from 1500 px on"),
    Feature("longest", "log", 0, 1, "content", "characters of the longest text; 1 from 2000 on"),
    Feature("per_text", "log", 0, 1, "content", "characters per text; 1 from 500 on"),
    Feature("per_link", "log", 0, 1, "content", "characters per linked text; 1 from 200 on"),
    Feature("anchor", "share of text", 0, 1, "content", "text inside links"),
    Feature("digits", "share of text", 0, 1, "content", "digits"),
    Feature("capitals", "share of text", 0, 1, "content", "capital letters of Latin-1"),
    Feature("copyright", "0 or 1", 0, 1, "content", "has a ©"),
    Feature("words", "per character", 0, 1, "content", "words"),
    Feature("sentences", "per text", 0, 1, "content", "sentences; 1 from 10 on"),
    Feature("font_size", "log2 of the ratio", -1, 1, "visual", "to the usual size, mean over the text"),
    Feature("color", "1", 0, 1, "visual", "luminance of the text"),
    Feature("background", "1", 0, 1, "visual", "luminance of the background"),
    *(
        Feature(f"{hint}, {where}", unit, 0, 1, "structure", f"hint at {hint}: {meaning}")
        for where, unit, meaning in (
            ("near", "0 or 1", "from the common ancestor to the uppermost near node"),
            ("inside", "share of leaves", "between the common ancestor and the leaves"),
            ("above", "0 or 1", "above the near nodes"),
        )
        for hint in HINTS
    ),
    *(
        Feature(f"{name} {side}", unit, -1, 1, "content", f"of the {side} segment; -1 for none")
        for name, unit in (("anchor", "share of text"), ("characters", "log"), ("images", "share of leaves"))
        for side in ("previous", "next")
    ),
    Feature("after_wide", "0 or 1", 0, 1, "visual", "the segment before is wide"),
)  # fmt: skip
"""Columns of `segment_features`."""

IS_HINT = np.array([feature.name.partition(", ")[0] in HINTS for feature in SEGMENT_FEATURES])
"""(f,) True at the columns that tell of hints."""


def segment_features(traits: Traits, members: Members) -> Floats:
    """Return the features (s, f) of the segments of a page; f as `SEGMENT_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parse import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segment.members import Members
    >>> from webgrain.segment.traits import Traits
    >>> page = parse(Source("a", b"<ul><li><a>One</a><li><a>Two</a></ul><p>Three"))
    >>> traits = Traits(page, visible_tree(page))
    >>> names = [feature.name for feature in SEGMENT_FEATURES]
    >>> segment_features(traits, Members(traits, np.array([0, 0, 1])))[:, names.index("anchor")].tolist()
    [1.0, 0.0]
    """
    if not len(members):
        return np.zeros((0, len(SEGMENT_FEATURES)))
    columns = dict(_of_shape(traits, members))
    columns |= _of_amount(traits, members)
    columns |= of_kinds(traits, members)
    columns |= of_text(traits, members)
    columns |= of_images(traits, members)
    columns |= _of_hints(traits, members)
    columns |= _of_others(traits, members, columns)
    return np.stack([columns[feature.name] for feature in SEGMENT_FEATURES], axis=1).astype(np.float64)


def _of_shape(traits: Traits, members: Members) -> Columns:
    seen, box = traits.seen, traits.seen.box[traits.tree.leaves]
    low, high = members.least(box[:, :2]), members.most(box[:, 2:])
    (x, y), (width, height) = low.T, (high - low).T
    page = np.array([seen.width, seen.height])
    yield from zip(("left", "top"), (low / page).clip(0, 1).T, strict=True)
    yield from zip(("right", "bottom"), (1 - high / page).clip(0, 1).T, strict=True)
    yield from zip(("width", "height"), ((high - low) / page).clip(0, 1).T, strict=True)
    yield "area", (width * height / page.prod()).clip(0, 1)
    rest = seen.height - high[:, 1]
    lengths = {"log_width": width, "log_height": height, "log_top": y, "log_bottom": rest}
    yield from ((name, log_scale(length, FAR)) for name, length in lengths.items())
    yield "flat", np.log((width + 1) / (height + 1)).clip(-4, 4) / 4
    yield "at_top", np.exp(-y.clip(0) / 120)
    yield "at_bottom", np.exp(-rest.clip(0) / 200)
    middle, narrow = x + width / 2, width < seen.width / 3
    yield "left_rail", narrow & (middle < seen.width / 3)
    yield "right_rail", narrow & (middle > seen.width * 2 / 3)
    yield "wide", width > 0.6 * seen.width
    yield "small", np.exp(-width * height / 20_000)
    off = np.abs((high - low)[:, None] - np.array(BANNERS)).max(axis=2)
    yield "banner", off.min(axis=1) <= 8


def _of_amount(traits: Traits, members: Members) -> Columns:
    characters = traits.text[0][traits.tree.leaves]
    here, n = members.sum(characters), len(characters)
    yield "leaves", log_scale(members.count, 1000)
    yield "leaf_share", members.count / n
    yield "characters", log_scale(here, 1e5)
    yield "character_share", here / max(float(characters.sum()), 1.0)
    yield "first", members.least(np.arange(n)) / n
    yield "last", members.most(np.arange(n)) / n
    yield "runs", log_scale(members.runs, 50)
    yield "pure", members.count / traits.leaves[members.common]
    yield "depth", traits.depth[members.common].clip(0, 40) / 40
    yield "segments", np.full(len(members), log_scale(np.array(len(members)), 200))


def _of_hints(traits: Traits, members: Members) -> Columns:
    """Yield the hints, counted from the root down: differences tell between which nodes they stand."""
    tree, mark = traits.tree, hints(traits.page.dom, traits.tree)
    upon = np.stack([marked_above(tree, column) for column in mark.T], axis=1)
    upon = np.concatenate([upon, np.zeros_like(upon[:1])])  # the parent of the root, place -1
    common, above = upon[members.common], upon[tree.parent[members.near]]
    inside = upon[tree.leaves] > common[members.label]  # leaves of no segment are left out of the mean
    for where, columns in (("near", common > above), ("inside", members.mean(inside)), ("above", above > 0)):
        yield from ((f"{hint}, {where}", column) for hint, column in zip(HINTS, columns.T, strict=True))


def _of_others(traits: Traits, members: Members, columns: Mapping[str, NDArray[Any]]) -> Columns:
    for name in ("anchor", "characters", "images"):
        yield f"{name} previous", np.append(-1, columns[name][:-1])
        yield f"{name} next", np.append(columns[name][1:], -1)
    yield "after_wide", np.append(False, columns["wide"][:-1])
    width = np.round(columns["log_width"] * 50)
    look = np.stack([traits.tag[members.common], traits.depth[members.common], width], axis=1)
    _, place, count = np.unique(look, axis=0, return_inverse=True, return_counts=True)
    yield "alike", log_scale(count[place.ravel()] - 1, 50)
