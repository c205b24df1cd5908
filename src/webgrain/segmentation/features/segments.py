"""Features of segments, for their roles and the confidence in them.

    facts, label or members --> segment_features (s, f)

All features are bounded, and none contains a word of a page. Hints of the markup at the purpose of a segment
(`webgrain.segmentation.features.hints`) enter three times: from nodes near a segment (from the common
ancestor of its leaves up to the uppermost node with at most `NEAR_LEAVES` times its leaves), from nodes
inside it (as a share of its leaves), and from nodes further above.

Cost: some passes over leaves and units, in `webgrain.segmentation.features.segmentkernel`; the features of a
View are array operations.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import accumulate, pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt8, UInt64
from webgrain.page.kernels.treepass import depths
from webgrain.page.leaves import BACKGROUND, EMBED, IMAGE
from webgrain.page.strings import text_codes
from webgrain.page.tagtables import TagTable
from webgrain.page.values import Question
from webgrain.segmentation.features import Feature, read_features, segmentkernel, without_boxes
from webgrain.segmentation.features.facts import UnitFacts
from webgrain.segmentation.features.hints import BANNERS, HINTS, LONGEST_VALUE
from webgrain.segmentation.features.segmentkernel import (
    ARROW,
    CURRENCY,
    DECIMAL,
    LEAF_MARKS,
    LOGARITHMS,
    SEGMENT,
    SPACE,
    WORD,
)
from webgrain.segmentation.features.style import Style, weighted_median
from webgrain.segmentation.features.unitkernel import MARKS
from webgrain.segmentation.sectionkernel import spans_around
from webgrain.segmentation.thresholds import FAR_AWAY, NEAR_LEAVES

Columns = Iterator[tuple[str, NDArray[Any]]]
Labels = NDArray[np.integer[Any]]

SEGMENT_FEATURES = read_features(__file__)
"""Columns of `segment_features` of a page with a View."""

TREE_FEATURES = without_boxes(SEGMENT_FEATURES)
"""Columns of `segment_features` of a page without a View."""

_BESIDE = ("anchor", "characters", "images")
_HINT_NAMES = [f"{hint}, {where}" for where in ("near", "inside", "above") for hint in HINTS]
_ROW_NAMES = [
    *SEGMENT,
    *_HINT_NAMES,
    *(f"{name} previous" for name in _BESIDE),
    *(f"{name} next" for name in _BESIDE),
]
"""The rows of the table from which features are taken, by name; those of a View follow."""
_GROUPS = [
    slice(*ends) for ends in pairwise([0, *accumulate(map(len, (SEGMENT, _HINT_NAMES, _BESIDE, _BESIDE)))])
]
_TREE_ROWS = [_ROW_NAMES.index(feature.name) for feature in TREE_FEATURES]
_BESIDE_ROWS = [SEGMENT.index(name) for name in _BESIDE]
_MOST = np.array(list(LOGARITHMS.values()))[:, None]


def is_hint(feature: Feature) -> bool:
    """Whether a feature is a hint of the markup."""
    return feature.name.partition(", ")[0] in HINTS


class Members(NamedTuple):
    """The leaves of segments, which may overlap.

    leaf (e,) int32: leaves, those of a segment in order; segment (e,) int32: the segment of each of them, 0
    to s - 1, each with at least one leaf; -1: none; layer (s,) int32: a number from 0 to s - 1 of each
    segment. Segments of one layer are disjoint. A feature that compares segments compares those of a layer.
    """

    leaf: Int32
    segment: Int32
    layer: Int32


NO_SPANS = np.zeros(0, np.int32)


def members_of(label: Labels, low: Int32, high: Int32) -> Members:
    """Return the leaves of the segments of a page, and of nested spans of leaves ``low:high`` after them.

    label (l,): the segment of each leaf, -1 for none; low, high (k,): each span is after those around it.
    The segments are one layer, and the spans of each depth are another.

    >>> members = members_of(np.array([0, 1, 1]), np.array([0, 1], np.int32), np.array([3, 3], np.int32))
    >>> [column.tolist() for column in members]
    [[0, 1, 2, 0, 1, 2, 1, 2], [0, 1, 1, 2, 2, 2, 3, 3], [0, 0, 1, 2]]
    """
    segment: Int32 = label.astype(np.int32)
    layer = np.zeros(int(segment.max(initial=-1)) + 1, np.int32)
    leaf = np.arange(len(segment), dtype=np.int32)
    if not len(low):
        return Members(leaf, segment, layer)
    of_spans, span = segmentkernel.span_members(low, high)
    depth = depths(spans_around(low, high)) + np.int32(len(layer) > 0)
    return Members(
        np.concatenate([leaf, of_spans]),
        np.concatenate([segment, span + np.int32(len(layer))]),
        np.concatenate([layer, depth]),
    )


def segment_features(facts: UnitFacts, label: Labels) -> Float64:
    """Return the features (s, f) of the segments of a page; f as `SEGMENT_FEATURES`, or `TREE_FEATURES`.

    label (l,): the segment of each leaf, 0 to s - 1, each with at least one leaf; -1: none.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.segmentation.features.facts import facts_of
    >>> facts = facts_of(parse("<ul><li><a>One</a><li><a>Two</a></ul><p>Three"), False)
    >>> names = [feature.name for feature in TREE_FEATURES]
    >>> segment_features(facts, np.array([0, 0, 1]))[:, names.index("anchor")].tolist()
    [1.0, 0.0]
    """
    return member_features(facts, members_of(label, NO_SPANS, NO_SPANS))


def member_features(facts: UnitFacts, members: Members) -> Float64:
    """Return the features (s, f) of segments that may overlap, see `segment_features`."""
    features, size = SEGMENT_FEATURES if facts.style else TREE_FEATURES, len(members.layer)
    if not size:
        return np.zeros((0, len(features)))
    looks = dict(_looks(facts, facts.style, _Groups(members))) if facts.style else {}
    width = np.round(looks["log_width"] * 50).astype(np.int64) if looks else np.zeros(size, np.int64)
    before, after = _neighbours(members.layer)
    table = _tree_table(facts, members, width, before, after)
    if not looks:
        return np.ascontiguousarray(table[_TREE_ROWS].T)
    columns = dict(zip(_ROW_NAMES, table, strict=True)) | looks
    columns["after_wide"] = np.zeros(size, bool)
    columns["after_wide"][after] = columns["wide"][before]
    return np.stack([columns[feature.name] for feature in features], axis=1).astype(np.float64)


def _neighbours(layer: Int32) -> tuple[Int64, Int64]:
    """Return the segments that have a next one in their layer, and the next one of each of them.

    >>> [places.tolist() for places in _neighbours(np.array([0, 1, 0, 1, 0], np.int32))]
    [[0, 2, 1], [2, 4, 3]]
    """
    order = layer.argsort(kind="stable")
    [place] = np.equal(layer[order[1:]], layer[order[:-1]]).nonzero()
    return order[place], order[place + 1]


def _tree_table(facts: UnitFacts, members: Members, width: Int64, before: Int64, after: Int64) -> Float64:
    """Return the rows `_ROW_NAMES` (r, s).

    width (s,): a number by which similar segments agree; before, after: of `_neighbours`.
    """
    outline = facts.outline
    up, low, high, leaf = outline.parent, outline.low, outline.high, outline.leaf
    depth, marks, headings = facts.cached(_leaf_facts)
    table = np.empty((len(_ROW_NAMES), len(width)))
    own, hints, previous, following = [table[rows] for rows in _GROUPS]
    tree = up, outline.end, low, high
    pairs, layer = (members.leaf, members.segment), members.layer
    places = segmentkernel.segment_places(pairs, len(width), tree, leaf, NEAR_LEAVES)
    common = places[2]
    alike = segmentkernel.alike_keys(facts.dom.tag, outline.last, depth, common, width, layer)
    segmentkernel.segment_features(
        own, pairs, layer, places, facts.leaf, outline.leaf_kind, headings, marks, depth, low, high, alike
    )
    segmentkernel.hint_features(hints, facts.hints[0], up, leaf, pairs, places, own[_LEAVES].copy())
    numbers = own[: len(LOGARITHMS)]
    numbers[:] = log_scale(numbers, _MOST)
    previous.fill(-1.0)
    following.fill(-1.0)
    beside = own[_BESIDE_ROWS]
    previous[:, after] = beside[:, before]
    following[:, before] = beside[:, after]
    return table


def _leaf_facts(facts: UnitFacts) -> tuple[Int32, UInt64, UInt8]:
    """Return what features of all segmentations of a page are made of.

    The depth (u,) of the last node of each unit; the marks (l,) of the leaves as bits, by `LEAF_MARKS`; and 1
    (l,) at leaves of headings.
    """
    dom, outline = facts.dom, facts.outline
    tags = _KIND_OF_TAGS.of_nodes(dom)
    is_link = (tags == _LINK).view(np.uint8)
    units = outline.parent, outline.node, outline.last
    depth, link = segmentkernel.unit_places(dom.parent, *units, is_link)
    marks = _marks_of_leaves(facts, tags, link[outline.leaf])
    return depth, marks, _headings(facts).view(np.uint8)


_LEAVES = SEGMENT.index("leaves")
_LINK, _INPUT, _SELECT, _AREA = 1, 2, 3, 4
_KIND_OF_TAG = {"a": _LINK, "input": _INPUT, "select": _SELECT, "textarea": _AREA}
_KIND_OF_TAGS = TagTable(lambda tag: _KIND_OF_TAG.get(tag, 0), np.int8)
_LINES = frozenset(("", "text", "email", "tel", "search", "url", "password"))
"""Types of inputs for a line of text."""

_IS_NO_LINE = Question(lambda type_: type_.lower() not in _LINES, bool)

_BIT = {mark: np.uint64(1 << number) for number, mark in enumerate(LEAF_MARKS)}


def _marks_of_href(href: str) -> int:
    """Return the marks that the address of a link gives, as bits."""
    is_fragment, is_address = href[:1] == "#" != href, href[:4] == "http"
    return int(is_fragment * _BIT["fragments"] + is_address * _BIT["addresses"])


_OF_HREF = Question(_marks_of_href, np.uint64)
_CURRENCIES = "$¢£¤¥֏؋৲৳৻૱௹฿៛﷼﹩＄￠￡￥￦" + "".join(map(chr, range(0x20A0, 0x20C1)))
_ARROWS = "«»‹›←→<>"


@cache
def character_classes() -> UInt8:
    """(65 536,) the classes of characters by code point, see `text_marks` of the kernel.

    >>> character_classes()[[ord(character) for character in " a7€»"]].tolist()
    [1, 2, 6, 8, 16]
    """
    table = np.zeros(0x10000, np.uint8)
    characters = np.arange(0x10000, dtype="<u4").tobytes().decode("utf-32-le", "surrogatepass")
    for pattern, bit in ((r"\s+", SPACE), (r"\w+", WORD), (r"\d+", DECIMAL)):
        for match in re.finditer(pattern, characters):
            table[match.start() : match.end()] |= np.uint8(bit)
    for signs, bit in ((_CURRENCIES, CURRENCY), (_ARROWS, ARROW)):
        table[[ord(sign) for sign in signs]] |= np.uint8(bit)
    table.setflags(write=False)
    return table


def _marks_of_leaves(facts: UnitFacts, tags: NDArray[Any], link: Int32) -> UInt64:
    """Return the marks (l,) of the leaves as bits, by `LEAF_MARKS`.

    tags (n,): `_KIND_OF_TAGS`; link (l,): the nearest link at each leaf or above, -1 for none.
    """
    dom, nodes = facts.dom, facts.nodes
    codes, classes = text_codes(dom), character_classes()
    bits: UInt64 = segmentkernel.text_marks(codes, dom.text_start, nodes, LONGEST_VALUE, classes)
    bits[facts.column("linked") == 0] &= ~_BIT["page_numbers"]
    of_nodes = np.zeros(len(dom) + 1, np.uint64)  # the last is for no link
    addresses, linking = dom.find_attribute("href")
    of_nodes[linking] = dom.ask(_OF_HREF, addresses)
    bits |= of_nodes[link]
    is_line = tags == _INPUT
    is_line[dom.nodes_where("type", _IS_NO_LINE)] = False
    for mark, chosen in (("lines", is_line), ("selects", tags == _SELECT), ("areas", tags == _AREA)):
        bits[chosen[nodes]] |= _BIT[mark]
    return bits


_IN_HEADING = np.uint64(1 << MARKS.index("heading"))


def _headings(facts: UnitFacts) -> Bool:
    """Return True (l,) at leaves in h1 ... h6, and at texts of up to 80 characters in a large font, if known.

    Large: at least 1.25 times the median over the characters of the page.
    """
    tagged = facts.marks_of_leaves & _IN_HEADING > 0
    if facts.style:
        length, size = facts.column("characters"), facts.style.font_size
        tagged |= facts.is_text & (length <= 80.0) & (size >= 1.25 * weighted_median(size, length))
    return tagged


def log_scale(x: NDArray[Any], most: float | Float64) -> Float64:
    """Return ``x`` on a logarithmic scale, from 0 to 1 at ``most``."""
    scaled: Float64 = np.log1p(np.clip(x.astype(np.float64), 0.0, most)) / np.log1p(most)
    return scaled


# Features of a page with a View.


class _Groups:
    """The leaves of a page by segment, for sums and extremes."""

    def __init__(self, members: Members) -> None:
        label = members.segment
        order = np.argsort(label, kind="stable")
        self._order = members.leaf[order[np.count_nonzero(label < 0) :]]
        self._count = np.bincount(label[label >= 0])
        self._start = np.cumsum(self._count) - self._count

    def _sum(self, x: NDArray[Any]) -> Float64:
        sums: Float64 = np.add.reduceat(x[self._order].astype(np.float64), self._start, axis=0)
        return sums

    def mean(self, x: NDArray[Any], weight: Float64 | None = None) -> Float64:
        """Return the means (s, ...) of ``x`` (l, ...) over the leaves, by weight > 0 (l,) where given."""
        total = self._count if weight is None else self._sum(weight)
        sums = self._sum(x if weight is None else x * weight)
        means: Float64 = sums / total.reshape((-1, *[1] * (x.ndim - 1)))
        return means

    def most(self, x: NDArray[Any]) -> Float64:
        """Return the greatest (s, ...) of ``x`` (l, ...) among the leaves."""
        greatest: Float64 = np.maximum.reduceat(x[self._order].astype(np.float64), self._start, axis=0)
        return greatest

    def least(self, x: NDArray[Any]) -> Float64:
        """Return the least (s, ...) of ``x`` (l, ...) among the leaves."""
        return -self.most(-x)


def _looks(facts: UnitFacts, style: Style, groups: _Groups) -> Columns:
    """Yield the features (s,) of the looks of segments: boxes, fonts and colors, images."""
    yield from _of_shape(style, groups)
    yield from _of_text_looks(facts, style, groups)
    yield from _of_images(facts, style, groups)


def _of_shape(style: Style, groups: _Groups) -> Columns:
    low, high = groups.least(style.box[:, :2]), groups.most(style.box[:, 2:])
    (x, y), (width, height) = low.T, (high - low).T
    page = np.array([style.width, style.height])
    yield from zip(("left", "top"), (low / page).clip(0, 1).T, strict=True)
    yield from zip(("right", "bottom"), (1 - high / page).clip(0, 1).T, strict=True)
    yield from zip(("width", "height"), ((high - low) / page).clip(0, 1).T, strict=True)
    yield "area", (width * height / page.prod()).clip(0, 1)
    rest = style.height - high[:, 1]
    lengths = {"log_width": width, "log_height": height, "log_top": y, "log_bottom": rest}
    yield from ((name, log_scale(length, FAR_AWAY)) for name, length in lengths.items())
    yield "flat", np.log((width + 1) / (height + 1)).clip(-4, 4) / 4
    yield "at_top", np.exp(-y.clip(0) / 120)
    yield "at_bottom", np.exp(-rest.clip(0) / 200)
    middle, narrow = x + width / 2, width < style.width / 3
    yield "left_rail", narrow & (middle < style.width / 3)
    yield "right_rail", narrow & (middle > style.width * 2 / 3)
    yield "wide", width > 0.6 * style.width
    yield "small", np.exp(-width * height / 20_000)
    off = np.abs((high - low)[:, None] - BANNERS).max(axis=2)
    yield "banner", off.min(axis=1) <= 8


def _of_text_looks(facts: UnitFacts, style: Style, groups: _Groups) -> Columns:
    is_text, characters = facts.is_text, facts.column("characters")
    # log2 of the font size relative to the median over the characters of the page
    relative = np.log2(style.font_size / weighted_median(style.font_size, characters))
    back = style.background
    marks = {
        "small_font": is_text & (relative < -0.1), "large_font": is_text & (relative > 0.2),
        "bold": is_text & style.bold,
        "unlike_page": np.abs(back - np.median(back, axis=0)).max(axis=1) > 0.1,
    }  # fmt: skip
    yield from ((name, groups.mean(mark)) for name, mark in marks.items())
    weight = characters + 1e-3
    size = style.font_size * is_text
    yield "largest_font", groups.most(size) >= 0.95 * max(float(size.max()), 1.0)
    yield "font_size", groups.mean(relative.clip(-2, 2) / 2, weight)
    yield "color", groups.mean(style.color.mean(axis=1), weight)
    yield "background", groups.mean(back.mean(axis=1))


def _of_images(facts: UnitFacts, style: Style, groups: _Groups) -> Columns:
    """Yield columns (s,) of the largest image or embedded object."""
    box = style.box
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    largest = groups.most(area * np.isin(facts.outline.leaf_kind, (IMAGE, EMBED, BACKGROUND)))
    size = groups.most(box[:, 2:]) - groups.least(box[:, :2])
    yield "image_fills", (largest / size.prod(axis=1).clip(1)).clip(0, 1)
    yield "image_size", log_scale(np.sqrt(largest), 1500)
