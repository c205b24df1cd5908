"""Features of segments, for their roles and the confidence in them.

    nodes, groups --> columns (s,) by name --> segment_features (s, f)

All features are bounded, and none contains a word of a page. Hints of the markup at the purpose of a segment
(`hints`: tags, ARIA roles, and listed words in classes, ids and addresses) enter three times: from nodes near
a segment (`LeafGroups.near`), from nodes inside it (as a share of its leaves), and from nodes further above.

Cost: a fixed number of array passes, one for each level of the tree, and one pass of a regular expression
over the distinct values of some attributes.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Container, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.kernels.keytable import numbered
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF, VisibleTree
from webgrain.page.strings import bounded_cache, code_points
from webgrain.page.tagtables import TagTable
from webgrain.page.values import Question
from webgrain.rendering.boxes import nearest
from webgrain.segmentation.features import Feature, columns_of, read_features, without_boxes
from webgrain.segmentation.features.nodes import NodeFeatures, weighted_median
from webgrain.segmentation.features.unitkernel import count_bits, gained_bits, sign_counts
from webgrain.segmentation.thresholds import FAR_AWAY, NEAR_LEAVES

Columns = Iterator[tuple[str, NDArray[Any]]]


@dataclass(frozen=True, eq=False)
class LeafGroups:
    """The leaves of one page, grouped by segment: sums and extremes, and the nodes above each segment.

    label (l,): the segment of each leaf of the visible tree, 0 to s - 1, each with at least one leaf; -1:
    none.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> groups = LeafGroups(nodes_of(page), np.array([0, 0, 1]))
    >>> groups.mean(np.array([1.0, 2.0, 5.0])).tolist(), groups.common.tolist()  # the div, the last text
    ([1.5, 5.0], [2, 8])
    """

    nodes: NodeFeatures
    label: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def count(self) -> Int64:
        """(s,) number of leaves."""
        return np.bincount(self.label[self.label >= 0])

    @cached_property
    def runs(self) -> Int64:
        """(s,) number of runs of consecutive leaves."""
        begins = np.diff(self.label, prepend=-1) != 0
        return np.bincount(self.label[begins & (self.label >= 0)], minlength=len(self))

    def sum(self, x: NDArray[Any]) -> Float64:
        """Return the sums (s, ...) of ``x`` (l, ...) over the leaves."""
        order, start = self._order
        sums: Float64 = np.add.reduceat(x[order].astype(np.float64), start, axis=0)
        return sums

    def mean(self, x: NDArray[Any], weight: Float64 | None = None) -> Float64:
        """Return the means (s, ...) of ``x`` (l, ...) over the leaves, by weight > 0 (l,) where given."""
        shape = (-1, *[1] * (x.ndim - 1))
        total = self.count if weight is None else self.sum(weight)
        means: Float64 = self.sum(x if weight is None else x * weight.reshape(shape)) / total.reshape(shape)
        return means

    def most(self, x: NDArray[Any]) -> Float64:
        """Return the greatest (s, ...) of ``x`` (l, ...) among the leaves."""
        order, start = self._order
        greatest: Float64 = np.maximum.reduceat(x[order].astype(np.float64), start, axis=0)
        return greatest

    def least(self, x: NDArray[Any]) -> Float64:
        """Return the least (s, ...) of ``x`` (l, ...) among the leaves."""
        return -self.most(-x)

    @cached_property
    def common(self) -> Int64:
        """(s,) lowest common ancestor of the leaves; of a single leaf the leaf itself."""
        tree = self.nodes.tree
        order, start = self._order
        first = tree.leaves[order[start]]
        last = tree.leaves[order[start + self.count - 1]]
        node = first.astype(np.int64)
        while (short := tree.end[node] <= last).any():
            node = np.where(short, tree.parent[node], node)
        return node

    @cached_property
    def near(self) -> Int64:
        """(s,) uppermost node from ``common`` upwards with at most `NEAR_LEAVES` times its leaves."""
        parent, leaves = self.nodes.tree.parent, self.nodes.leaves
        node, most = self.common, NEAR_LEAVES * leaves[self.common]
        while (up := (parent[node] >= 0) & (leaves[parent[node]] <= most)).any():
            node = np.where(up, parent[node], node)
        return node

    @cached_property
    def _order(self) -> tuple[Int64, Int64]:
        """The leaves by segment and in document order, and the place of the first leaf of each segment."""
        order = np.argsort(self.label, kind="stable")
        order = order[np.count_nonzero(self.label < 0) :]
        return order, np.cumsum(self.count) - self.count


with Path(__file__).with_name("hints.csv").open(encoding="utf-8", newline="") as _file:
    _HINTS = [(row["hint"], row["kind"], row["value"]) for row in csv.DictReader(_file)]

WORDS = {hint: value for hint, kind, value in _HINTS if kind == "word"}
"""Hint -> its words, as a regular expression over lower case."""

TAGS = {hint: tuple(value.split()) for hint, kind, value in _HINTS if kind == "tag"}
"""Hint -> its tags."""

ARIA = {value: hint for hint, kind, value in _HINTS if kind == "role"}
"""ARIA role -> its hint."""

_OF_TEXTS = {hint: re.compile(value) for hint, kind, value in _HINTS if kind == "text"}
"""Feature -> the pattern of the texts that it counts; page numbers only in links."""

HINTS = (*WORDS, *TAGS)
"""Columns of `hints`."""

_CONTENT_ATTRIBUTES = ("src", "alt", "name", "type", "placeholder", "value", "action", "title", "data")
"""Attributes whose words are evidence for some hints only: they describe the content, not its purpose."""

_CONTENT_HINTS = frozenset(("ad", "search", "logo", "video", "social", "account"))
_LONGEST = 200  # characters of a value that are searched
_PATTERN = re.compile("|".join(f"({words})" for words in WORDS.values()))


def hints(dom: Dom, tree: VisibleTree) -> Bool:
    """Return the hints of the nodes of ``tree``, (k, h); h as `HINTS`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul class=topNav><li>One</ul>"))
    >>> [HINTS[k] for k in np.flatnonzero(hints(page.dom, visible_tree(page))[2])]  # html, body, ul
    ['menu', 'head', 'list element']
    """
    return has_bits(_hint_bits(dom, tree), _ALL_HINTS)


@cached_on_page
def hint_bits(nodes: NodeFeatures) -> UInt64:
    """Return the hints of the visible nodes (k,) as bits, by their columns."""
    return _hint_bits(nodes.dom, nodes.tree)


def _hint_bits(dom: Dom, tree: VisibleTree) -> UInt64:
    bits: UInt64 = _HINTS_OF_TAGS.of_nodes(dom)
    for name, question in _HINT_QUESTIONS.items():
        attributes, nodes = dom.find_attribute(name)
        if len(nodes):
            bits[nodes] |= dom.ask(question, attributes)
    return bits[tree.node]


def has_bits(bits: UInt64, numbers: UInt64) -> Bool:
    """Return whether each of some numbers (k,) has each of some bits (b,), given by their places.

    >>> has_bits(np.array([5], np.uint64), np.array([0, 1, 2], np.uint64)).tolist()
    [[True, False, True]]
    """
    has: Bool = (bits[:, None] >> numbers & np.uint64(1)).astype(bool)
    return has


@cached_on_page
def hint_counts(nodes: NodeFeatures) -> Int32:
    """Return the number (k, h) of each hint among each visible node and its ancestors."""
    counts: Int32 = count_bits(nodes.tree.parent, hint_bits(nodes), len(HINTS))
    return counts


def _hints_of_tag(tag: str) -> int:
    """Return the hints of a tag as bits."""
    return sum(1 << number for number, hint in enumerate(HINTS) if tag in TAGS.get(hint, ()))


_HINTS_OF_TAGS = TagTable(_hints_of_tag, np.uint64)
_ALL_HINTS = np.arange(len(HINTS), dtype=np.uint64)


def _hints_of_words(words: Iterable[str], possible: Container[str]) -> int:
    """Return the possible hints that words give, as bits by their columns."""
    bits = 0
    for word in words:
        for match in _PATTERN.finditer(word):
            if match.lastindex and HINTS[match.lastindex - 1] in possible:
                bits |= 1 << (match.lastindex - 1)
    return bits


def _shortened(value: str) -> str:
    return value[:_LONGEST].lower()


def _hint_of_role(role: str) -> int:
    """Return the hint that a role gives, as a bit; 0 for none."""
    hint = ARIA.get(_shortened(role))
    return 1 << HINTS.index(hint) if hint else 0


_OF_CLASSES = Question(lambda value: _hints_of_words(_shortened(value).split(), WORDS), np.uint64)
_OF_ID = Question(lambda value: _hints_of_words([_shortened(value)], WORDS), np.uint64)
_OF_CONTENT = Question(lambda value: _hints_of_words([_shortened(value)], _CONTENT_HINTS), np.uint64)
_OF_ROLE = Question(_hint_of_role, np.uint64)
_HINT_QUESTIONS = {
    "class": _OF_CLASSES,
    "id": _OF_ID,
    "role": _OF_ROLE,
    **dict.fromkeys(_CONTENT_ATTRIBUTES, _OF_CONTENT),
}
"""The hints that the values of each attribute give, as bits by their columns."""


_LINES = frozenset(("", "text", "email", "tel", "search", "url", "password"))
"""Types of inputs for a line of text."""

_IS_NO_LINE = Question(lambda type_: type_.lower() not in _LINES, bool)
_IS_FRAGMENT = Question(lambda href: href[:1] == "#" != href, bool)
_IS_ADDRESS = Question(lambda href: href[:4] == "http", bool)

_SIGNS = np.array([[chr(k).isdigit(), chr(k).isupper(), chr(k) == "©"] for k in range(256)], np.uint8)
"""Digits, capitals of Latin-1 and ©."""


def of_kinds(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    """Yield columns (s,) of the kinds of leaves: shares, numbers, and segments with few leaves."""
    marks = _marks(nodes)
    yield from zip(marks, groups.mean(np.stack(list(marks.values()), axis=1)).T, strict=True)
    text, image, control, heading = (marks[name] for name in ("texts", "images", "controls", "headings"))
    paragraph = nodes.text[0][nodes.tree.leaves] > 80
    numbers = {
        "n_images": (image, 100), "n_controls": (control, 20), "n_embeds": (marks["embeds"], 10),
        "n_links": (marks["links"] & text, 300), "n_paragraphs": (paragraph, 50),
    }  # fmt: skip
    yield from ((name, log_scale(groups.sum(mark), most)) for name, (mark, most) in numbers.items())
    yield "one_leaf", groups.count == 1
    few = {"one_image": (image, 2), "one_text": (text, 1), "one_heading": (heading, 2)}
    for name, (mark, most) in {**few, "few_controls": (control, 6)}.items():
        yield name, (groups.sum(mark) > 0) & (groups.count <= most)
    yield "first_image", groups.most(np.arange(len(image)) == np.argmax(image)) * image.any()


def _marks(nodes: NodeFeatures) -> dict[str, Bool]:
    """Return marks (l,) of the leaves of each kind."""
    leaf = nodes.tree.leaves
    kind, linked, length = nodes.tree.kind[leaf], nodes.linked[leaf], nodes.text[0][leaf]
    text = kind == TEXT_LEAF
    marks = {
        "texts": text, "images": (kind == IMAGE) | (kind == BACKGROUND),
        "controls": kind == CONTROL, "embeds": kind == EMBED,
        "links": linked, "linked_images": linked & ~text,
        "short": text & (length < 25), "long": text & (length > 100),
        "headings": nodes.headings[leaf],
    }  # fmt: skip
    if not nodes.has_boxes:
        return marks
    size, back = _relative_font(nodes), nodes.style.background[leaf]
    return marks | {
        "small_font": text & (size < -0.1), "large_font": text & (size > 0.2),
        "bold": text & nodes.style.bold[leaf],
        "unlike_page": np.abs(back - np.median(back, axis=0)).max(axis=1) > 0.1,
    }  # fmt: skip


def of_text(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    """Yield columns (s,) of the content of texts."""
    leaf = nodes.tree.leaves
    length, words, sentences = (column[leaf] for column in nodes.text)
    text = nodes.tree.kind[leaf] == TEXT_LEAF
    linked = nodes.linked[leaf]
    yield "longest", log_scale(groups.most(length), 2000)
    yield "per_text", log_scale(groups.sum(length) / groups.sum(text).clip(1), 500)
    yield "per_link", log_scale(groups.sum(length * linked) / groups.sum(linked & text).clip(1), 200)
    yield "anchor", groups.mean(linked, length + 1e-3)
    total = groups.sum(length).clip(1)
    dom = nodes.dom
    counts = sign_counts(code_points(dom.text), dom.text_start, nodes.tree.node[leaf], _SIGNS)
    signs = groups.sum(counts * text[:, None])
    yield "digits", (signs[:, 0] / total).clip(0, 1)
    yield "capitals", (signs[:, 1] / total).clip(0, 1)
    yield "copyright", signs[:, 2] > 0
    yield "words", (groups.sum(words * text) / total).clip(0, 1)
    yield "sentences", (groups.sum(sentences * text) / groups.sum(text).clip(1)).clip(0, 10) / 10


def _of_text_looks(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    """Yield columns (s,) of the style of texts."""
    leaf = nodes.tree.leaves
    weight = nodes.text[0][leaf] + 1e-3
    size = nodes.style.font_size[leaf] * (nodes.tree.kind[leaf] == TEXT_LEAF)
    yield "largest_font", groups.most(size) >= 0.95 * max(float(size.max()), 1.0)
    yield "font_size", groups.mean(_relative_font(nodes).clip(-2, 2) / 2, weight)
    yield "color", groups.mean(nodes.style.color[leaf].mean(axis=1), weight)
    yield "background", groups.mean(nodes.style.background[leaf].mean(axis=1))


def of_leaves(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    """Yield columns (s,) of leaves that are typical of a role, such as prices and numbers of pages."""
    marks = _leaf_marks(nodes)
    every = np.stack(list(marks.values()), axis=1)
    yield from zip(marks, groups.mean(every).T, strict=True)
    yield from zip((f"any {name}" for name in marks), groups.most(every).T, strict=True)


@cached_on_page
def _leaf_marks(nodes: NodeFeatures) -> dict[str, NDArray[Any]]:
    """Return marks (l,) of the leaves for `of_leaves`."""
    dom, tree, leaf = nodes.dom, nodes.tree, nodes.tree.leaves
    start = dom.text_start[tree.node[leaf]]
    end = np.minimum(dom.text_start[tree.node[leaf] + 1], start + _LONGEST)
    texts = (dom.text[low:high].strip() for low, high in zip(start.tolist(), end.tolist(), strict=True))
    bits = np.fromiter(map(_marks_of_text, texts), np.uint64, len(leaf))
    marks = dict(zip(_OF_TEXTS, has_bits(bits, _ALL_HINTS[: len(_OF_TEXTS)]).T, strict=True))
    marks["page_numbers"] &= nodes.linked[leaf]
    link = nearest(tree.parent, nodes.tagged(("a",)))[leaf]
    marks["fragments"] = (link >= 0) & nodes.where("href", _IS_FRAGMENT)[link]
    marks["addresses"] = (link >= 0) & nodes.where("href", _IS_ADDRESS)[link]
    marks["lines"] = (nodes.tagged(("input",)) & ~nodes.where("type", _IS_NO_LINE))[leaf]
    return marks | {"selects": nodes.tagged(("select",))[leaf], "areas": nodes.tagged(("textarea",))[leaf]}


@bounded_cache(2**14)  # the pages of a site repeat their texts
def _marks_of_text(text: str) -> int:
    """Return which patterns of `_OF_TEXTS` a text has, as bits."""
    return sum(1 << number for number, pattern in enumerate(_OF_TEXTS.values()) if pattern.search(text))


def of_images(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    """Yield columns (s,) of the largest image or embedded object."""
    leaf = nodes.tree.leaves
    box, kind = nodes.style.box[leaf], nodes.tree.kind[leaf]
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    largest = groups.most(area * np.isin(kind, (IMAGE, EMBED, BACKGROUND)))
    size = groups.most(box[:, 2:]) - groups.least(box[:, :2])
    yield "image_fills", (largest / size.prod(axis=1).clip(1)).clip(0, 1)
    yield "image_size", log_scale(np.sqrt(largest), 1500)


def _relative_font(nodes: NodeFeatures) -> Float64:
    """Return log2 (l,) of the font size of leaves relative to the median over the characters of the page."""
    leaf = nodes.tree.leaves
    size, characters = nodes.style.font_size[leaf], nodes.text[0][leaf]
    relative: Float64 = np.log2(size / weighted_median(size, characters))
    return relative


def log_scale(x: NDArray[Any], most: float) -> Float64:
    """Return ``x`` on a logarithmic scale, from 0 to 1 at ``most``."""
    scaled: Float64 = np.log1p(np.clip(x.astype(np.float64), 0.0, most)) / np.log1p(most)
    return scaled


BANNERS = np.array([value.split() for _, kind, value in _HINTS if kind == "size"], np.float64)
"""Standard widths and heights of advertisements, in px."""

SEGMENT_FEATURES = read_features(__file__)
"""Columns of `segment_features` of a page with a View."""

TREE_FEATURES = without_boxes(SEGMENT_FEATURES)
"""Columns of `segment_features` of a page without a View."""


_HINT_NAMES = [f"{hint}, {where}" for where in ("near", "inside", "above") for hint in HINTS]
_COLUMNS = {
    len(features): columns_of(features, _HINT_NAMES) for features in (SEGMENT_FEATURES, TREE_FEATURES)
}


def is_hint(feature: Feature) -> bool:
    """Whether a feature is a hint of the markup."""
    return feature.name.partition(", ")[0] in HINTS


def segment_features(nodes: NodeFeatures, groups: LeafGroups) -> Float64:
    """Return the features (s, f) of the segments of a page; f as `SEGMENT_FEATURES`, or `TREE_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.segments import LeafGroups
    >>> from webgrain.segmentation.features.nodes import nodes_of
    >>> page = parse(Source("a", b"<ul><li><a>One</a><li><a>Two</a></ul><p>Three"))
    >>> nodes = nodes_of(page)
    >>> names = [feature.name for feature in TREE_FEATURES]
    >>> segment_features(nodes, LeafGroups(nodes, np.array([0, 0, 1])))[:, names.index("anchor")].tolist()
    [1.0, 0.0]
    """
    features = SEGMENT_FEATURES if nodes.has_boxes else TREE_FEATURES
    if not len(groups):
        return np.zeros((0, len(features)))
    columns: dict[str, NDArray[Any]] = {}
    parts = [_of_amount, of_kinds, of_text, of_leaves]
    if nodes.has_boxes:
        parts += [_of_shape, _of_text_looks, of_images]
    for part in parts:
        columns |= part(nodes, groups)
    columns |= _of_others(nodes, groups, columns)
    x = np.empty((len(groups), len(features)))
    hint_columns, others = _COLUMNS[len(features)]
    x[:, hint_columns] = _of_hints(nodes, groups)
    for column, name in others:
        x[:, column] = columns[name]
    return x


def _of_shape(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    style, box = nodes.style, nodes.style.box[nodes.tree.leaves]
    low, high = groups.least(box[:, :2]), groups.most(box[:, 2:])
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


def _of_amount(nodes: NodeFeatures, groups: LeafGroups) -> Columns:
    characters = nodes.text[0][nodes.tree.leaves]
    here, n = groups.sum(characters), len(characters)
    yield "leaves", log_scale(groups.count, 1000)
    yield "leaf_share", groups.count / n
    yield "characters", log_scale(here, 1e5)
    yield "character_share", here / max(float(characters.sum()), 1.0)
    yield "first", groups.least(np.arange(n)) / n
    yield "last", groups.most(np.arange(n)) / n
    yield "runs", log_scale(groups.runs, 50)
    yield "pure", groups.count / nodes.leaves[groups.common]
    yield "depth", nodes.depth[groups.common].clip(0, 40) / 40
    yield "segments", np.full(len(groups), log_scale(np.array(len(groups)), 200))


def _of_hints(nodes: NodeFeatures, groups: LeafGroups) -> Float64:
    """Return the hints near, inside and above segments (s, 3 h), from counts from the root down."""
    tree, upon = nodes.tree, hint_counts(nodes)
    with_none = np.concatenate([upon, np.zeros_like(upon[:1])])  # the parent of the root, place -1
    above = with_none[tree.parent[groups.near]]
    gained = gained_bits(upon, tree.leaves, groups.label.astype(np.int64), groups.common)
    columns = upon[groups.common] > above, gained / groups.count[:, None], above > 0
    return np.concatenate(columns, axis=1, dtype=np.float64)


def _of_others(nodes: NodeFeatures, groups: LeafGroups, columns: Mapping[str, NDArray[Any]]) -> Columns:
    for name in ("anchor", "characters", "images"):
        yield f"{name} previous", np.append(-1, columns[name][:-1])
        yield f"{name} next", np.append(columns[name][1:], -1)
    looks: list[NDArray[Any]] = [nodes.tag[groups.common], nodes.depth[groups.common]]
    if nodes.has_boxes:
        yield "after_wide", np.append(False, columns["wide"][:-1])
        looks.append(np.round(columns["log_width"] * 50))
    number = np.zeros(len(groups), np.int64)
    for column in looks:
        of_column = numbered(column.astype(np.int64).view(np.uint64))[0]
        key = number * np.int64(len(groups)) + of_column
        number, _, count = numbered(key.view(np.uint64))
    yield "alike", log_scale(count[number] - 1, 50)
