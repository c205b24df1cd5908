"""What the features of units and segments are made of: a page as its outline, with marks, hints and leaves.

The outline is that of `webgrain.page.outline.leaf_outline`, in which each text is a leaf. Only a page with a
View has a style of leaves; without one, headings are known by their tags only.

Cost: a few passes over nodes, leaves and characters, and a question for each new attribute value.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, UInt64
from webgrain.base.purepython import warn_once
from webgrain.base.readonly import ReadOnly
from webgrain.page.dom import Cached, Dom
from webgrain.page.leaves import TEXT_LEAF
from webgrain.page.outline import Outline, leaf_outline
from webgrain.page.page import DISPLAY, Page, View, of_last_page
from webgrain.page.paths import text_key
from webgrain.page.strings import text_codes
from webgrain.page.tagtables import TagTable
from webgrain.page.values import IS_FILLED, Question
from webgrain.segmentation.features.hints import hint_bits
from webgrain.segmentation.features.style import Style, leaf_boxes, style_of, usual_size
from webgrain.segmentation.features.unitkernel import (
    COMPILED,
    LEAF_ROWS,
    MARKS,
    chain_bits,
    leaf_table,
    unit_keys,
)

HEADINGS = ("h1", "h2", "h3", "h4", "h5", "h6")
BLOCKS = (
    "address", "article", "aside", "blockquote", "body", "center", "dd", "details", "dir", "div", "dl", "dt",
    "fieldset", "figcaption", "figure", "footer", "form", *HEADINGS, "header", "hgroup", "hr", "html", "li",
    "main", "menu", "nav", "ol", "p", "pre", "search", "section", "summary", "table", "tbody", "td", "tfoot",
    "th", "thead", "tr", "ul",
)  # fmt: skip
"""Block elements."""

_TAGS_OF_MARKS = {
    "table": ("table",), "rows": ("tbody", "thead", "tfoot"), "row": ("tr",), "cell": ("td", "th"),
    "list": ("ul", "ol", "dl", "menu"), "item": ("li", "dt", "dd"), "heading": HEADINGS,
    "paragraph": ("p", "blockquote", "pre", "address"), "link": ("a",), "form": ("form", "fieldset"),
    "div": ("div",), "span": ("span", "font", "b", "strong", "em", "i", "small", "big", "u"),
    "section": ("section", "main", "article"), "edge": ("header", "footer", "nav", "aside"),
    "body": ("body",), "in p": ("p",), "in form": ("form",), "block": BLOCKS,
}  # fmt: skip
"""The tags that give a mark; a page with a View has the mark ``block`` by the computed styles instead."""

_BLOCK, _HAS_ID = (np.uint64(1 << MARKS.index(mark)) for mark in ("block", "has id"))
_INLINE = tuple(DISPLAY.index(name) for name in ("none", "inline", "contents"))


def _marks_of_tag(tag: str) -> int:
    """Return the marks of a tag as bits, by `MARKS`."""
    return sum(1 << MARKS.index(mark) for mark, tags in _TAGS_OF_MARKS.items() if tag in tags)


_MARKS_OF_TAGS = TagTable(_marks_of_tag, np.uint64)
FIRST_CLASS = Question(lambda value: text_key(value.split(None, 1)[0]) if value.split() else 0, np.uint64)
"""The key of the first class, 0 for none."""

SIGNS = np.array([chr(k).isdigit() + 2 * chr(k).isupper() + 3 * (chr(k) == "©") for k in range(256)], np.int8)
"""Digits, capitals of Latin-1 and ©, see `leaf_table`."""

_LARGEST_HEADING, _LARGEST_CAPTION = 90.0, 60.0  # characters of texts that are marked by their fonts only


@dataclass(frozen=True, slots=True, eq=False)
class UnitFacts(Cached, ReadOnly):
    """Facts about the u units and l leaves of a page; what is made of them is stored here, too.

    Attributes:
        dom, view: of the page; view is None if its boxes are not used.
        outline: the units.
        marks, hints: (2, u) uint64, bits by `MARKS` and `HINTS`: of the nodes of a unit, of the nodes above.
        keys: (2, u) uint64, equal for units with equal tag and first class, and with equal tags of the unit
            and its children.
        leaf: (r, l) float64, by `LEAF_ROWS`.
        style: of the leaves; None without a view.
    """

    dom: Dom
    view: View | None
    outline: Outline
    marks: UInt64
    hints: UInt64
    keys: UInt64
    leaf: Float64
    style: Style | None

    @property
    def nodes(self) -> Int32:
        """(l,) the node that is each leaf."""
        return self.outline.leaf_node

    @property
    def is_text(self) -> Bool:
        """(l,) True at texts."""
        return np.equal(self.outline.leaf_kind, TEXT_LEAF)

    @property
    def is_block(self) -> Bool:
        """(u,) True at units with a block element among their nodes."""
        is_block: Bool = self.marks[0] & _BLOCK > 0
        return is_block

    @property
    def marks_of_leaves(self) -> UInt64:
        """(l,) the marks of each leaf and of the nodes above it."""
        unit = self.outline.leaf
        marks: UInt64 = self.marks[0][unit] | self.marks[1][unit]
        return marks

    def column(self, name: str) -> Float64:
        """Return a row (l,) of `leaf` by its name."""
        column: Float64 = self.leaf[LEAF_ROWS.index(name)]
        return column

    @property
    def has_boxes(self) -> bool:
        """Whether boxes and styles of the leaves are known."""
        return self.style is not None


@of_last_page
def facts_of(page: Page, has_boxes: bool) -> UnitFacts:
    """Return the facts about a page; has_boxes: whether to use its view.

    >>> from webgrain.page.parsing import parse
    >>> facts = facts_of(parse("<ul><li>One<li>Two words</ul>"), False)
    >>> len(facts.outline), facts.column("words").tolist()
    (3, [1.0, 2.0])
    """
    warn_once(COMPILED)
    dom, view, outline = page.dom, page.view if has_boxes else None, leaf_outline(page)
    ends = outline.parent, outline.node, outline.last
    nodes = outline.leaf_node
    marks = chain_bits(dom.parent, *ends, _mark_bits(dom, view, nodes))
    hints = chain_bits(dom.parent, *ends, hint_bits(dom))
    keys = unit_keys(dom.tag, outline.node, _first_classes(dom), outline.parent)
    around = marks[0][outline.leaf] | marks[1][outline.leaf]
    leaf = leaf_table(text_codes(dom), dom.text_start, nodes, outline.leaf_kind, around, SIGNS)
    style = None
    if view is not None:
        style = style_of(view, nodes, leaf_boxes(view, nodes))
        _mark_by_font(leaf, style, np.equal(outline.leaf_kind, TEXT_LEAF))
    return UnitFacts(dom, view, outline, marks, hints, keys, leaf, style)


def _first_classes(dom: Dom) -> UInt64:
    """Return the key (n,) of the first class of each node, 0 for none."""
    keys = np.zeros(len(dom), np.uint64)
    attributes, nodes = dom.find_attribute("class")
    keys[nodes] = dom.ask(FIRST_CLASS, attributes)
    return keys


def _mark_bits(dom: Dom, view: View | None, leaves: Int32) -> UInt64:
    """Return the marks (n,) of nodes as bits, by `MARKS`; leaves: nodes that are no blocks by their style."""
    bits: UInt64 = _MARKS_OF_TAGS.of_nodes(dom)
    bits[dom.nodes_where("id", IS_FILLED)] |= _HAS_ID
    if view is not None:
        is_block = ~np.isin(view.display, _INLINE)
        is_block[leaves] = False
        bits = np.where(is_block, bits | _BLOCK, bits & ~_BLOCK)
    return bits


def _mark_by_font(leaf: Float64, style: Style, is_text: Bool) -> None:
    """Mark texts in a large font as headings, and short texts in a large or bold font as captions."""
    text, linked = leaf[LEAF_ROWS.index("characters")], leaf[LEAF_ROWS.index("linked")] > 0
    heading, caption = leaf[LEAF_ROWS.index("heading")], leaf[LEAF_ROWS.index("caption")]
    usual = usual_size(style.font_size[is_text], text[is_text])
    large = is_text & (text < _LARGEST_HEADING) & (style.font_size >= 1.2 * usual)
    heading[large] = 1.0
    marked = is_text & ~linked & (text < _LARGEST_CAPTION)
    marked &= style.bold | (style.font_size >= 1.1 * usual)
    caption[large | marked] = 1.0
