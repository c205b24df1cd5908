"""Features of the units of a page, for the learnt cut.

A unit is an element together with its chain of only children: to cut at any of them is the same. The units
are those of `webgrain.page.outline.leaf_outline`.

    facts --own_features--> --children_features--> --context_features--> unit_features (u, f)

Features of a unit itself describe its content, style and tags. Features of its children describe their
similarity, repetition and arrangement. Features of its context describe parent, siblings and page; the root
is its own parent here, and has no siblings. Hints of the markup at the purpose of a unit
(`webgrain.segmentation.features.hints`) count in its chain (near), above it, and between it and its leaves
(inside). A large child has `LARGE_CHILD` leaves or more; a caption is a heading or a text that looks like
one. Signature: tag and first class; shape: the tags of a unit and its children in any order. All features are
bounded. Logarithms are natural logarithms of 1 + x; a signed one has the sign of x. Means of styles are over
the leaves, weighted by their characters, with 10 for an image and 5 for other leaves. A page without a View
has no visual features; there, headings are known by their tags, and so are captions.

Cost: some passes over the units, in `webgrain.segmentation.features.unitkernel`; the features of a View are
array operations, since a browser takes much longer.
"""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float32, Float64, Int64
from webgrain.page.dom import subtree_sum
from webgrain.page.kernels.keytable import numbered
from webgrain.page.leaves import IMAGE
from webgrain.page.outline import Outline
from webgrain.page.page import POSITION, Page, of_last_page
from webgrain.segmentation.features import bounds, read_features, unitkernel, without_boxes
from webgrain.segmentation.features.facts import UnitFacts, facts_of
from webgrain.segmentation.features.hints import HINTS
from webgrain.segmentation.features.style import Style, boxes_around, style_of, usual_size
from webgrain.segmentation.features.unitkernel import CHILDREN, CONTEXT, LOGARITHMS, OWN, alike_groups
from webgrain.segmentation.thresholds import ALIGNED, ALIKE_LEAVES, LARGE_CHILD

Columns = dict[str, NDArray[Any]]

UNIT_FEATURES = read_features(__file__)
"""Columns of `unit_features` of a page with a View."""

TREE_FEATURES = without_boxes(UNIT_FEATURES)
"""Columns of `unit_features` of a page without a View."""

_NAMES = {feature.name for feature in UNIT_FEATURES}
_HINT_NUMBERS = np.array([k for k, hint in enumerate(HINTS) if f"{hint}, near" in _NAMES], np.int64)
_HINT_NAMES = [f"{HINTS[k]}, {where}" for where in ("near", "inside", "above") for k in _HINT_NUMBERS]
_KNOWN = (*OWN, *CHILDREN, *CONTEXT)
_OF_PARENT = [
    name.removeprefix("parent ")
    for name in (feature.name for feature in TREE_FEATURES)
    if name.startswith("parent ")
]
_PARENT_ROWS = [_KNOWN.index(name) for name in _OF_PARENT]
_ROW_NAMES = [*_KNOWN, *(f"parent {name}" for name in _OF_PARENT), "to siblings", *_HINT_NAMES]
"""The rows of the table from which features are taken, by name; those of a View follow."""
_ENDS = [0, *accumulate(map(len, (OWN, CHILDREN, CONTEXT, _OF_PARENT, ["to siblings"], _HINT_NAMES)))]
_GROUPS = [slice(*ends) for ends in pairwise(_ENDS)]
_LEAVES, _COUNT, _SHARE = (OWN.index(name) for name in ("leaves", "count", "share of parent"))
_SIBLING_LEAVES = CONTEXT.index("sibling leaves")
_BOUNDS = {len(features): bounds(features) for features in (UNIT_FEATURES, TREE_FEATURES)}


_TREE_ROWS = np.array([_ROW_NAMES.index(feature.name) for feature in TREE_FEATURES])


def unit_features(facts: UnitFacts) -> Float32:
    """Return the features (u, f) of the units of a page; f as `UNIT_FEATURES`, or `TREE_FEATURES`.

    The values of a feature are contiguous, as trees read them.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.features.facts import facts_of
    >>> unit_features(facts_of(parse("<ul><li>One<li>Two</ul>"), False)).shape == (3, len(TREE_FEATURES))
    True
    """
    table, rows = _tree_table(facts), _TREE_ROWS
    if facts.style:
        columns = dict(zip(_ROW_NAMES, table, strict=True)) | _looks(facts, facts.style)
        table = np.stack([columns[feature.name] for feature in UNIT_FEATURES])
        rows = np.arange(len(UNIT_FEATURES))
    columns_of_units: Float32 = unitkernel.chosen_rows(table, rows, *_BOUNDS[len(rows)])
    return columns_of_units.T


@of_last_page
def page_unit_features(page: Page, has_boxes: bool) -> Float32:
    """Return the features (u, f) of the units of a page, see `unit_features`.

    has_boxes: as for `facts_of`.
    """
    return unit_features(facts_of(page, has_boxes))


def alike_siblings(facts: UnitFacts, ratio: float = ALIKE_LEAVES) -> Int64:
    """Return the group (u,) of each unit: siblings that look alike, such as the posts of a thread.

    They have the same tag and first class, and children of the same kinds, and the largest has at most
    ``ratio`` times the leaves of the smallest.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.features.facts import facts_of
    >>> page = parse("<p>1<ul><li>2<li>3</ul><ul><li>4<li>5<li>6</ul>")
    >>> group = alike_siblings(facts_of(page, False))  # body p ul li li ul li li li
    >>> [int(np.flatnonzero(group == number)[0]) for number in group]
    [0, 1, 2, 3, 3, 2, 6, 6, 6]
    """
    outline = facts.outline
    groups: Int64 = alike_groups(outline.parent, facts.keys[0], outline.low, outline.high, ratio)
    return groups


def _tree_table(facts: UnitFacts) -> Float64:
    """Return the rows `_ROW_NAMES` (r, u): the features that need no View, and what others are made of."""
    outline = facts.outline
    up, end = outline.parent, outline.end
    table = np.empty((len(_ROW_NAMES), len(outline)))
    own, children, context, of_parent, to_siblings, hints = [table[rows] for rows in _GROUPS]
    tree = up, end, outline.low, outline.high, outline.level
    sums = unitkernel.leaf_sums(facts.leaf, outline.leaf_kind)
    unitkernel.own_features(own, sums, facts.leaf, outline.leaf_kind, tree, facts.marks[0])
    _take_logarithms(own, "own")
    signature, shape = facts.keys
    alike, alike_shape = unitkernel.sibling_groups(up, signature), unitkernel.sibling_groups(up, shape)
    log_share = np.log(own[_SHARE])
    unitkernel.children_features(children, own, log_share, up, end, alike, alike_shape, LARGE_CHILD)
    _take_logarithms(children, "children")
    on_page = numbered(signature), numbered(shape)
    unitkernel.context_features(context, own, children, up, end, signature, *on_page)
    _take_logarithms(context, "context")
    of_parent[:] = table[_PARENT_ROWS].take(np.maximum(up, 0), axis=1)
    to_siblings[:] = own[_LEAVES] - context[_SIBLING_LEAVES]
    unitkernel.hint_features(hints, facts.hints, up, own[_COUNT], _HINT_NUMBERS)
    return table


def _take_logarithms(group: Float64, name: str) -> None:
    """Replace the first rows x of a group by log(1 + x)."""
    numbers = group[: LOGARITHMS[name]]
    np.log1p(numbers, out=numbers)


# Features of a page with a View.

_RANGES = ("font size", "back", "light")
_REACH = 1e3  # px up to which gaps count
_BESIDE = 9.0  # what the missing gap to a sibling counts as
_LIGHT = np.array([0.3, 0.59, 0.11])  # luminance of red, green and blue
_IMAGE_WEIGHT, _OTHER_WEIGHT = 10.0, 5.0  # of leaves without text in means
_OF_PARENT_LOOKS = (
    "stacked", "side by side", "width", "tall", "area", "gap down", "gap across", "paints"
)  # fmt: skip


class _Family:
    """The children of the units, for sums and extremes over them."""

    def __init__(self, outline: Outline) -> None:
        self._child = np.argsort(outline.parent, kind="stable")[1:]
        self._places = np.searchsorted(outline.parent[self._child], np.arange(len(outline) + 1))
        self.number = np.diff(self._places)
        self.previous, self.following = np.full((2, len(outline)), -1, np.int64)
        before, after = self._child[:-1], self._child[1:]
        sisters = outline.parent[before] == outline.parent[after]
        self.previous[after[sisters]] = before[sisters]
        self.following[before[sisters]] = after[sisters]

    def sum(self, x: NDArray[Any]) -> NDArray[Any]:
        """Return the sums (u,) of ``x`` (u,) over the children of each unit."""
        return _differences(x[self._child], self._places[:-1], self._places[1:])

    def least(self, x: NDArray[Any]) -> Float64:
        """Return the least (u,) of ``x`` (u,) among the children; 0 where there are none."""
        out = np.zeros(x.shape)
        parents = np.flatnonzero(self.number)
        if len(parents):
            out[parents] = np.minimum.reduceat(x[self._child], self._places[parents])
        return out

    def greatest(self, x: NDArray[Any]) -> Float64:
        """Return the greatest (u,) of ``x`` (u,) among the children; 0 where there are none."""
        return 0.0 - self.least(-x)

    def share(self, x: NDArray[Any]) -> Float64:
        """Return the means (u,) of ``x`` (u,) over the children."""
        shared: Float64 = self.sum(x) / np.maximum(self.number, 1)
        return shared

    def uneven(self, x: Float64) -> Float64:
        """Return the standard deviation (u,) of ``x`` (u,) over the children, by the mean."""
        mean, square = self.share(x), self.share(x * x)
        uneven: Float64 = np.sqrt((square - mean**2).clip(0.0)) / np.maximum(np.abs(mean), 1e-9)
        return uneven


def _differences(
    x: NDArray[Any], low: NDArray[np.integer[Any]], high: NDArray[np.integer[Any]]
) -> NDArray[Any]:
    """Return the sums (m, ...) of ``x`` (l, ...) at the places ``low:high`` (m,)."""
    total = np.zeros((len(x) + 1, *x.shape[1:]), np.int64 if x.dtype.kind in "bui" else np.float64)
    np.cumsum(x, axis=0, out=total[1:])
    sums: NDArray[Any] = total[high] - total[low]
    return sums


def _looks(facts: UnitFacts, style: Style) -> Columns:
    """Return the features (u,) of the looks of units, of their children and of what is around, by name."""
    outline, family = facts.outline, _Family(facts.outline)
    box = boxes_around(style.box, outline.low, outline.high)
    columns = _of_box(style, box) | _of_fonts_and_colors(facts, style) | _of_paint(facts)
    columns |= _ranges(family, columns) | {"children paints": family.share(columns["paints"])}
    arrangement, across, down = _arrangement(family, box, columns)
    columns |= arrangement
    parent = np.maximum(outline.parent, 0)
    columns |= {f"parent {name}": columns[name][parent] for name in _OF_PARENT_LOOKS}
    columns["page height"] = np.full(len(outline), np.log1p(style.height))
    return columns | _looks_beside(family, across, down, columns["font size"])


def _of_box(style: Style, box: Float64) -> Columns:
    left, top, right, bottom = box.T
    width, height = right - left, bottom - top
    area = (width * height / (style.width * style.height)).clip(0.0, 4.0)
    return {
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


def _of_fonts_and_colors(facts: UnitFacts, style: Style) -> Columns:
    """Return the weighted means and deviations of the looks of the leaves of each unit."""
    text, is_text, outline = facts.column("characters"), facts.is_text, facts.outline
    size, color, background = style.font_size, style.color, style.background
    light, back = color @ _LIGHT, background @ _LIGHT
    looks = {
        "font": size, "font²": size**2, "bold": style.bold,
        "light": light, "light²": light**2, "back": back, "back²": back**2,
        "colorful": np.ptp(color, axis=1), "colorful back": np.ptp(background, axis=1),
    }  # fmt: skip
    kinds = [is_text, outline.leaf_kind == IMAGE]
    weight = np.maximum(np.select(kinds, [text, _IMAGE_WEIGHT], _OTHER_WEIGHT), 1.0)
    weighted = np.stack([weight, *(weight * look for look in looks.values())], axis=1)
    total, *sums = _differences(weighted, outline.low, outline.high).T
    mean: Columns = {name: of_name / total for name, of_name in zip(looks, sums, strict=True)}
    squares = {name: mean.pop(f"{name}²") for name in ("font", "light", "back")}
    spread = {name: np.sqrt((square - mean[name] ** 2).clip(0.0)) for name, square in squares.items()}
    font = mean.pop("font")
    return mean | {
        "font size": font, "font sizes": spread["font"],
        "relative size": font / usual_size(size[is_text], text[is_text]),
        "lights": spread["light"], "backs": spread["back"],
    }  # fmt: skip


def _of_paint(facts: UnitFacts) -> Columns:
    """Return columns (u,) of backgrounds, of images behind and of positions."""
    view, outline, parent = facts.view, facts.outline, facts.dom.parent
    assert view is not None
    has_leaves = _has_leaves(facts)
    changes = has_leaves & (view.painter != view.painter[np.maximum(parent, 0)])
    repaints = subtree_sum(changes, facts.dom.end)[outline.last] - changes[outline.last]
    painter = view.painter[outline.last]
    placed = view.position >= POSITION.index("absolute")
    on_chain = unitkernel.chain_bits(
        parent, outline.parent, outline.node, outline.last,
        view.background_image.astype(np.uint64) + 2 * placed.astype(np.uint64),
    )[0]  # fmt: skip
    return {
        "own back": style_of(view, outline.last, np.zeros((0, 4))).background @ _LIGHT,
        "paints": painter != painter[np.maximum(outline.parent, 0)],
        "repaints": np.log1p(repaints),
        "picture": on_chain & np.uint64(1) > 0,
        "placed": on_chain & np.uint64(2) > 0,
    }


def _has_leaves(facts: UnitFacts) -> Bool:
    """Return True (n,) at nodes of the Dom that have a leaf, or are one."""
    is_leaf = np.zeros(len(facts.dom), bool)
    is_leaf[facts.nodes] = True
    has_leaves: Bool = subtree_sum(is_leaf, facts.dom.end) > 0
    return has_leaves


def _ranges(family: _Family, columns: Columns) -> Columns:
    """Return the difference (u,) of the greatest and the least of some columns among the children."""
    return {f"range {name}": family.greatest(columns[name]) - family.least(columns[name]) for name in _RANGES}


def _arrangement(family: _Family, box: Float64, columns: Columns) -> tuple[Columns, Float64, Float64]:
    """Return columns (u,) of the places of children, and the gaps to the previous sibling in px."""
    has, before = family.previous >= 0, np.maximum(family.previous, 0)
    left, top, right, bottom = box.T
    width, height = right - left, bottom - top
    across, down = left - right[before], top - bottom[before]
    below, beside = has & (down >= -ALIGNED), has & (down < -ALIGNED) & (across >= -ALIGNED)
    steps = np.maximum(family.number - 1, 1)
    arrangement = {
        "gap down": log_px(family.greatest(np.where(has, down, -_REACH))),
        "gap across": log_px(family.greatest(np.where(has, across, -_REACH))),
        "stacked": family.sum(below) / steps,
        "side by side": family.sum(beside) / steps,
        "aligned": family.sum(has & (np.abs(left - left[before]) < ALIGNED)) / steps,
        "as wide": family.sum(has & (np.abs(width - width[before]) < ALIGNED)) / steps,
        "uneven width": family.uneven(width), "uneven height": family.uneven(height),
        "largest area": family.greatest(columns["area"]),
        "tallest": family.greatest(columns["log height"]),
    }  # fmt: skip
    return arrangement, across, down


def _looks_beside(family: _Family, across: Float64, down: Float64, size: Float64) -> Columns:
    """Return columns (u,) of the gaps and fonts of the siblings beside a unit."""
    has_before, has_after = family.previous >= 0, family.following >= 0
    before, after = np.maximum(family.previous, 0), np.maximum(family.following, 0)
    return {
        "gap above": np.where(has_before, log_px(down), -_BESIDE),
        "gap below": np.where(has_after, log_px(down[after]), -_BESIDE),
        "gap left": np.where(has_before, log_px(across), -_BESIDE),
        "gap right": np.where(has_after, log_px(across[after]), -_BESIDE),
        "font step": np.where(has_before, size - size[before], 0.0),
    }


def log_px(gap: Float64) -> Float64:
    """Return the signed logarithm of gaps in px, 1000 at most."""
    logarithm: Float64 = np.sign(gap) * np.log1p(np.abs(gap).clip(max=_REACH))
    return logarithm
