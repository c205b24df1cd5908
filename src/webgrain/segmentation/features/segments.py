"""The leaves of segments, grouped: sums and extremes over them, and the nodes that hold them together.

What the markup says of the purpose of nodes: tags, ARIA roles, words in classes, ids and addresses.

Only the words listed here are looked for; what a page says otherwise leaves no trace in a model.

Cost: one pass of a regular expression over the distinct values of some attributes, one array pass per hint.

Features of segments by their leaves: which kinds these are of, what they say, how large images are.

Features of segments: what tells a menu from an article, and one block from a bit of one.

    traits, members --> columns (s,) by name --> segment_features (s, f)

All lie within fixed bounds, and none holds a word of a page. What the markup hints at (`hints`) is told three
times: by nodes near a segment (`Members`), inside it (as a share of its leaves), and further above.

Cost: a fixed number of array passes, and one for each level of the tree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Float64, Int64
from webgrain.page.dom import Dom
from webgrain.page.leaves import BACKGROUND, CONTROL, EMBED, IMAGE, TEXT_LEAF, VisibleTree
from webgrain.segmentation.features.nodes import Feature, Traits, marked_above

Columns = Iterator[tuple[str, NDArray[Any]]]


NEAR = 1.5
"""Times the leaves below a segment's common ancestor that a node above may have and still be near."""


@dataclass(frozen=True, eq=False)
class Members:
    """The segments of one page by their leaves.

    label (l,): the segment of each leaf of the visible tree, 0 to s - 1, each with a leaf at least; -1: none.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.nodes import Traits
    >>> page = parse(Source("a", b"<div><p>One<p>Two</div><p>Three"))
    >>> members = Members(Traits(page, visible_tree(page)), np.array([0, 0, 1]))
    >>> members.mean(np.array([1.0, 2.0, 5.0])).tolist(), members.common.tolist()  # the div, the last text
    ([1.5, 5.0], [2, 8])
    """

    traits: Traits
    label: NDArray[np.integer]

    def __len__(self) -> int:
        return len(self.count)

    @cached_property
    def count(self) -> Int64:
        """(s,) number of leaves."""
        return np.bincount(self.label[self.label >= 0])

    @cached_property
    def runs(self) -> Int64:
        """(s,) number of stretches of consecutive leaves."""
        begins = np.diff(self.label, prepend=-1) != 0
        return np.bincount(self.label[begins & (self.label >= 0)], minlength=len(self))

    def sum(self, x: NDArray[Any]) -> Float64:
        """Return the sums (s, ...) of ``x`` (l, ...) over the leaves."""
        order, start = self._order
        sums: Float64 = np.add.reduceat(x[order].astype(np.float64), start, axis=0)
        return sums

    def mean(self, x: NDArray[Any], weight: Float64 | None = None) -> Float64:
        """Return the means (s, ...) of ``x`` (l, ...) over the leaves, by weight > 0 (l,) where given."""
        weight = np.ones(len(x)) if weight is None else weight
        shape = (-1, *[1] * (x.ndim - 1))
        means: Float64 = self.sum(x * weight.reshape(shape)) / self.sum(weight).reshape(shape)
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
        """(s,) lowest common ancestor of the leaves: the leaf itself, where there is one only."""
        tree = self.traits.tree
        order, start = self._order
        first = tree.leaves[order[start]]
        last = tree.leaves[order[start + self.count - 1]]
        node = first.astype(np.int64)
        while (short := tree.end[node] <= last).any():
            node = np.where(short, tree.parent[node], node)
        return node

    @cached_property
    def near(self) -> Int64:
        """(s,) uppermost of the nodes from ``common`` upwards that have not many more leaves, see `NEAR`."""
        parent, leaves = self.traits.tree.parent, self.traits.leaves
        node, most = self.common, NEAR * leaves[self.common]
        while (up := (parent[node] >= 0) & (leaves[parent[node]] <= most)).any():
            node = np.where(up, parent[node], node)
        return node

    @cached_property
    def _order(self) -> tuple[Int64, Int64]:
        """The leaves by segment and in document order, and where each segment begins among them."""
        order = np.argsort(self.label, kind="stable")
        order = order[np.count_nonzero(self.label < 0) :]
        return order, np.cumsum(self.count) - self.count


WORDS = {
    "menu": "nav|menu|tabs",
    "head": "head|masthead|top|banner",
    "foot": "foot|bottom|copyright|©|legal|privacy|disclaimer|imprint|impressum",
    "side": "side|left|right|col|rail",
    "main": "main|content|center|body|primary",
    "ad": r"(?<![a-z])ads?(?![a-z])|advert|sponsor|promo|doubleclick|adsense",
    "search": "search|srch|query|suche|recherche|buscar",
    "logo": "logo|brand",
    "item": "item|entry|post|article|story|news|teaser",
    "box": "box|block|module|widget|panel|portlet",
    "list": "list|links|feed|categor|tags|archive",
    "title": "title|headline|heading|slogan|tagline",
    "image": "image|img|photo|picture|pics?(?![a-z])|gallery|slide|carousel|thumb|feature",
    "video": "video|player|youtube|vimeo|flash|watch",
    "comments": "comment|discuss|reply|guestbook",
    "social": "social|share|follow|twitter|facebook|rss",
    "account": "login|signin|sign-in|signup|account|register|subscribe|newsletter",
    "language": "lang|locale",
}
"""Hint -> the words that give it, as a regular expression over lower case."""

TAGS = {
    "header element": ("header",),
    "footer element": ("footer",),
    "nav element": ("nav",),
    "main element": ("main",),
    "aside element": ("aside",),
    "article element": ("article", "section"),
    "form": ("form", "fieldset"),
    "list element": ("ul", "ol", "dl"),
    "table": ("table",),
    "cell": ("td", "th"),
    "heading": ("h1", "h2", "h3", "h4", "h5", "h6"),
    "top heading": ("h1",),
    "paragraph": ("p", "blockquote"),
    "figure": ("figure", "picture", "figcaption"),
    "frame": ("iframe", "object", "embed", "video"),
}
"""Hint -> the tags that give it."""

ARIA = {
    "banner": "header element", "contentinfo": "footer element", "navigation": "nav element",
    "main": "main element", "complementary": "aside element", "article": "article element",
    "search": "search",
}  # fmt: skip
"""ARIA role -> the hint that it gives."""

HINTS = (*WORDS, *TAGS)
"""Columns of `hints`."""

_OF_NAMES = frozenset(("class", "id"))
"""Attributes whose words give any hint."""

_OF_CONTENT = frozenset(("src", "alt", "name", "type", "placeholder", "value", "action", "title", "data"))
"""Attributes whose words give some hints only: they name what is shown, not what it is for."""

_SHOWN = frozenset(("ad", "search", "logo", "video", "social", "account"))
_LONGEST = 200  # characters of a value that are looked at
_PATTERN = re.compile("|".join(f"({words})" for words in WORDS.values()))


def hints(dom: Dom, tree: VisibleTree) -> Bool:
    """Return which hints the nodes of ``tree`` give, (k, h); h as `HINTS`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> page = parse(Source("a", b"<ul class=topNav><li>One</ul>"))
    >>> [HINTS[k] for k in np.flatnonzero(hints(page.dom, visible_tree(page))[2])]  # html, body, ul
    ['menu', 'head', 'list element']
    """
    of_tag = np.array([[tag in TAGS.get(hint, ()) for hint in HINTS] for tag in dom.tags])
    found: Bool = of_tag[dom.tag[tree.node]]
    row, columns = _told(dom, tree)
    found[row, columns] = True
    return found


def _told(dom: Dom, tree: VisibleTree) -> tuple[Int64, Int64]:
    """Return rows and columns of what attributes tell; each distinct word of a class is looked at once."""
    place = np.full(len(dom) + 1, -1)
    place[tree.node] = np.arange(len(tree))
    owner = place[np.repeat(np.arange(len(dom)), np.diff(dom.attr_start))]
    rows, columns = [], []
    for number, name in enumerate(dom.names):
        if name not in _OF_NAMES | _OF_CONTENT and name != "role":
            continue
        known: dict[str, list[int]] = {}
        found = np.flatnonzero((dom.attr_name == number) & (owner >= 0))
        spans = np.stack([owner[found], dom.value_start[found], dom.value_start[found + 1]], axis=1)
        for row, start, end in spans.tolist():
            value = dom.values[start : min(end, start + _LONGEST)].lower()
            for word in value.split() if name == "class" else (value,):
                if word not in known:
                    known[word] = _hints_of(name, word)
                columns += known[word]
                rows += [row] * len(known[word])
    return np.array(rows, np.int64), np.array(columns, np.int64)


def _hints_of(name: str, value: str) -> list[int]:
    """Return the columns of the hints that one attribute gives."""
    if name == "role":
        return [HINTS.index(ARIA[value])] if value in ARIA else []
    found = {match.lastindex - 1 for match in _PATTERN.finditer(value) if match.lastindex}
    return sorted(k for k in found if name in _OF_NAMES or HINTS[k] in _SHOWN)


_SIGNS = np.array([[chr(k).isdigit(), chr(k).isupper(), chr(k) == "©"] for k in range(256)])


def of_kinds(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of the kinds of leaves: their shares, their numbers, what stands alone."""
    marks = _marks(traits)
    yield from ((name, members.mean(mark)) for name, mark in marks.items())
    text, image, control, heading = (marks[name] for name in ("texts", "images", "controls", "headings"))
    paragraph = traits.text[0][traits.tree.leaves] > 80
    numbers = {
        "n_images": (image, 100), "n_controls": (control, 20), "n_embeds": (marks["embeds"], 10),
        "n_links": (marks["links"] & text, 300), "n_paragraphs": (paragraph, 50),
    }  # fmt: skip
    yield from ((name, log_scale(members.sum(mark), most)) for name, (mark, most) in numbers.items())
    yield "one_leaf", members.count == 1
    few = {"one_image": (image, 2), "one_text": (text, 1), "one_heading": (heading, 2)}
    for name, (mark, most) in {**few, "few_controls": (control, 6)}.items():
        yield name, (members.sum(mark) > 0) & (members.count <= most)
    yield "first_image", members.most(np.arange(len(image)) == np.argmax(image)) * image.any()


def _marks(traits: Traits) -> dict[str, Bool]:
    """Return which leaves (l,) are of which kind."""
    leaf = traits.tree.leaves
    kind, linked, length = traits.tree.kind[leaf], traits.linked[leaf], traits.text[0][leaf]
    text, size, back = kind == TEXT_LEAF, _relative_font(traits), traits.seen.background[leaf]
    return {
        "texts": text, "images": (kind == IMAGE) | (kind == BACKGROUND),
        "controls": kind == CONTROL, "embeds": kind == EMBED,
        "links": linked, "linked_images": linked & ~text,
        "short": text & (length < 25), "long": text & (length > 100),
        "small_font": text & (size < -0.1), "large_font": text & (size > 0.2),
        "bold": text & traits.seen.bold[leaf], "headings": traits.headings[leaf],
        "unlike_page": np.abs(back - np.median(back, axis=0)).max(axis=1) > 0.1,
    }  # fmt: skip


def of_text(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of what the texts say and how they look."""
    leaf = traits.tree.leaves
    length, words, sentences = (column[leaf] for column in traits.text)
    text = traits.tree.kind[leaf] == TEXT_LEAF
    linked, weight = traits.linked[leaf], length + 1e-3
    yield "longest", log_scale(members.most(length), 2000)
    yield "per_text", log_scale(members.sum(length) / members.sum(text).clip(1), 500)
    yield "per_link", log_scale(members.sum(length * linked) / members.sum(linked & text).clip(1), 200)
    yield "anchor", members.mean(linked, weight)
    total = members.sum(length).clip(1)
    signs = members.sum(_signs(traits.page.dom, traits.tree.node[leaf]) * text[:, None])
    yield "digits", (signs[:, 0] / total).clip(0, 1)
    yield "capitals", (signs[:, 1] / total).clip(0, 1)
    yield "copyright", signs[:, 2] > 0
    yield "words", (members.sum(words * text) / total).clip(0, 1)
    yield "sentences", (members.sum(sentences * text) / members.sum(text).clip(1)).clip(0, 10) / 10
    size = traits.seen.font_size[leaf] * text
    yield "largest_font", members.most(size) >= 0.95 * max(float(size.max()), 1.0)
    yield "font_size", members.mean(_relative_font(traits).clip(-2, 2) / 2, weight)
    yield "color", members.mean(traits.seen.color[leaf].mean(axis=1), weight)
    yield "background", members.mean(traits.seen.background[leaf].mean(axis=1))


def of_images(traits: Traits, members: Members) -> Columns:
    """Yield columns (s,) of the largest image or embedded object."""
    leaf = traits.tree.leaves
    box, kind = traits.seen.box[leaf], traits.tree.kind[leaf]
    area = (box[:, 2:] - box[:, :2]).prod(axis=1)
    largest = members.most(area * np.isin(kind, (IMAGE, EMBED, BACKGROUND)))
    size = members.most(box[:, 2:]) - members.least(box[:, :2])
    yield "image_fills", (largest / size.prod(axis=1).clip(1)).clip(0, 1)
    yield "image_size", log_scale(np.sqrt(largest), 1500)


def _relative_font(traits: Traits) -> Float64:
    """(l,) log2 of the font size of leaves to the usual one, the median over the characters of the page."""
    leaf = traits.tree.leaves
    size, total = traits.seen.font_size[leaf], traits.text[0][leaf]
    order = np.argsort(size, kind="stable")
    total = np.cumsum(total[order])
    relative: Float64 = np.log2(size / size[order[np.searchsorted(total, total[-1] / 2)]])
    return relative


def _signs(dom: Dom, node: NDArray[np.integer]) -> Int64:
    """(l, 3) number of digits, capitals of Latin-1 and © in texts."""
    spans = zip(dom.text_start[node].tolist(), dom.text_start[node + 1].tolist(), strict=True)
    texts = [dom.text[start:end] for start, end in spans]
    codes = np.frombuffer("".join(texts).encode("utf-32-le", "surrogatepass"), np.uint32)
    total = np.zeros((len(codes) + 1, 3), np.int64)
    np.cumsum(_SIGNS[np.minimum(codes, 255)], axis=0, out=total[1:])
    signs: Int64 = np.diff(total[np.cumsum([0, *map(len, texts)])], axis=0)
    return signs


def log_scale(x: NDArray[Any], most: float) -> Float64:
    """Return ``x`` on a logarithmic scale, from 0 to 1 at ``most``."""
    scaled: Float64 = np.log1p(np.clip(x.astype(np.float64), 0.0, most)) / np.log1p(most)
    return scaled


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


def segment_features(traits: Traits, members: Members) -> Float64:
    """Return the features (s, f) of the segments of a page; f as `SEGMENT_FEATURES`.

    >>> from webgrain.page.leaves import visible_tree
    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> from webgrain.segmentation.features.segments import Members
    >>> from webgrain.segmentation.features.nodes import Traits
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
