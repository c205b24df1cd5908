"""The parts of a template, marked by what they are on its pages: content, items, navigation and others.

A text or an image is repeated if half of the pages that have its template node have it there, and so are
controls. The shares of repeated, linked and varying characters of each element decide what it is, from the
root down: an element whose parts have several roles is not marked, and its parts are. So marked parts do not
overlap.

===========  =========================================================================================
role         what it is
===========  =========================================================================================
content      differs from page to page
items        what is repeated on a page and differs from page to page: entries of a list, posts, cards
table        rows of which the labels are the same on most pages and the values differ
label        a short text beside content that is the same on most pages: ``Posted by``, ``Related articles``
navigation   links to the parts of the site, or to the neighbours of the page
frame        what else is the same on most pages: header, footer, forms
===========  =========================================================================================

Source: ours; Mehta, Madaan (WWW 2008) call what is repeated noise, and a repeated part a list (``STAR``).

Cost: a few passes over the leaves of the pages, and one walk over the template.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Float64, Int32, Int64, UInt64
from webgrain.page.dom import subtree_sum
from webgrain.page.kernels.treepass import innermost
from webgrain.page.leaves import CONTROL, IMAGE, TEXT_LEAF
from webgrain.page.outline import visible_tree
from webgrain.page.page import Page
from webgrain.page.strings import name_set
from webgrain.templates.crx import TAG
from webgrain.templates.noisekernel import placed_keys
from webgrain.templates.sections import PROSE
from webgrain.templates.template import PART_ROLES, MarkedPart, Symbol, Template
from webgrain.templates.thresholds import (
    COLUMN_SHARE,
    FREE_SHARE,
    ITEM_LINKED,
    ITEM_PLACES,
    ITEMS_SHARE,
    LARGEST_NAMED,
    LARGEST_TABLE,
    LONGEST_SHOWN,
    MARK_PURE,
    MARK_SUPPORT,
    MIN_MARKED,
    NAVIGATION_LINKED,
    REPEATED_SHARE,
    SHORT_LABEL,
    SHOWN_LEAVES,
    SHOWN_TEXTS,
    TABLE_LABELS,
    VARYING_FRAME,
    VARYING_ITEMS,
)

CONTENT, ITEMS, TABLE, LABEL, NAVIGATION, FRAME = PART_ROLES

IMAGE_TEXT = "(image)"
"""The text shown for a part of images without text."""
_SIZE_OF_IMAGE, _SIZE_OF_OTHERS = 10, 5  # in characters, as in `webgrain.templates.sections`
_OUTER_TAGS = name_set("html body header footer nav aside form")
_TEXT = Symbol("#text")
_WHOLE = name_set("pre textarea svg math")
"""Elements whose parts are words and marks of one text, such as the colours of code.

They are marked as a whole, unless they are links, as old lists of files are.
"""
_TABLES, _LISTS = name_set("table tbody dl"), name_set("ul ol dl menu")
_NAVIGATION = re.compile(
    r"(?<![a-z])(nav|navi|navbar|navigation|menu|bread-?crumbs?|crumbs|pathway|pagination|pager|toc)(?![a-z])"
)
_OUTER = re.compile(r"(?<![a-z])(header|masthead|footer|sidebar|top-?bar|banner)(?![a-z])")


class _Leaves(NamedTuple):
    """The leaves of the pages, page after page.

    Attributes:
        page: (l,) number of the page; node: (l,) the leaf in its Dom.
        place: (l,) the template node of the leaf, or of the nearest element above that has one.
        size: (l,) in characters; is_linked, is_repeated: (l,).
    """

    page: Int64
    node: Int64
    place: Int64
    size: Float64
    is_linked: Bool
    is_repeated: Bool


def with_marked_parts(
    template: Template, pages: Sequence[Page], places: Sequence[Int32], keys: Sequence[UInt64]
) -> Template:
    """Return a template with the marked parts of its pages; see `Template.marked`.

    places: the template node (k,) of each node of the visible tree of each page; keys: of its content (k,),
    see `LeafKeys`.

    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> html = "<ul><li><a href=/>Home</a><li><a href=/news>News</a></ul><h1>{0}</h1>"
    >>> template = SiteTemplate().fit([html.format(name) for name in ("Salt", "Tea", "Bread")]).template_
    >>> [(part.role, template.css(part.node), part.texts[0]) for part in template.marked]
    [('navigation', 'html > body > ul', 'Home · News'), ('content', 'html > body > h1', 'Salt')]
    """
    leaves = _leaves_of(template, pages, places, keys)
    shown = _Texts(template, pages, leaves)
    marked = [
        MarkedPart(node, role, shown.of(node, role)) for node, role in _Marking(template, leaves).parts()
    ]
    return replace(template, marked=tuple(part for part in marked if _is_shown(part)))


def _is_shown(part: MarkedPart) -> bool:
    """Return whether a part has words, or an image."""
    return any(character.isalnum() for text in part.texts for character in text)


def _leaves_of(
    template: Template, pages: Sequence[Page], places: Sequence[Int32], keys: Sequence[UInt64]
) -> _Leaves:
    """Return the leaves of the pages."""
    columns: list[tuple[Any, ...]] = []
    for number, (page, at) in enumerate(zip(pages, places, strict=True)):
        tree, dom = visible_tree(page), page.dom
        leaf = tree.leaf
        node = tree.node[leaf].astype(np.int64)
        above = innermost(tree.parent, (at >= 0).view(np.uint8))[leaf]
        place = np.where(above >= 0, at[above], 0).astype(np.int64)
        other = np.where(tree.leaf_kind == IMAGE, _SIZE_OF_IMAGE, _SIZE_OF_OTHERS)
        length = dom.text_start[node + 1] - dom.text_start[node]
        size = np.where(tree.leaf_kind == TEXT_LEAF, length, other).astype(np.float64)
        in_link = innermost(tree.parent, dom.links()[tree.node].view(np.uint8))[leaf] >= 0
        key = np.where(above == leaf, keys[number][leaf], np.uint64(0))
        columns.append((np.full(len(leaf), number), node, place, size, in_link, key, tree.leaf_kind))
    page_of, node, place, size, is_linked, key, kind = map(np.concatenate, zip(*columns, strict=True))
    is_repeated = _are_repeated(template, page_of, place, key) | (kind == CONTROL)
    return _Leaves(page_of, node, place, size, is_linked, is_repeated)


def _are_repeated(template: Template, page: Int64, place: Int64, key: UInt64) -> Bool:
    """Return (l,) which leaves many pages have at their template node; key: of their content, 0 for none."""
    contents = placed_keys(key, place.astype(np.int32))
    distinct, number = np.unique(contents, return_inverse=True)
    of_pages = np.unique(page * np.int64(len(distinct)) + number) % max(len(distinct), 1)
    times = np.bincount(of_pages, minlength=len(distinct))[number]
    is_repeated: Bool = (key != 0) & (times >= 2) & (times >= REPEATED_SHARE * template.page_support[place])
    return is_repeated


class _Marking:
    """What the elements of a template are, by sums of characters of each (m,) with all that is below it."""

    def __init__(self, template: Template, leaves: _Leaves) -> None:
        self._template = template
        self._tag = [symbols[0].tag if symbols else "" for symbols in template.symbols]
        self._names = [" ".join(symbols[0].names).lower() if symbols else "" for symbols in template.symbols]

        def characters(counts: Bool | None = None) -> Float64:
            weight = leaves.size if counts is None else leaves.size * counts
            sums: Float64 = subtree_sum(np.bincount(leaves.place, weight, len(template)), template.end)
            return sums / np.maximum(template.page_support, 1)

        self._total = characters()
        total = np.maximum(self._total, 1e-9)
        self._varying = characters(~leaves.is_repeated) / total
        self._linked = characters(leaves.is_linked) / total
        number = np.bincount(leaves.place, minlength=len(template))
        self._number = subtree_sum(number, template.end) / np.maximum(template.page_support, 1)
        self._places = subtree_sum(number > 0, template.end)
        self._weight = self._total * template.page_support
        self._children: dict[int, list[int]] = {}
        self._parts_of_texts: set[int] = set()
        # What few pages have at a place belongs to no part below the element.
        self._free = np.bincount(leaves.place, leaves.size, len(template))
        self._free[[symbols[:1] == (_TEXT,) for symbols in template.symbols]] = 0.0
        for node in np.flatnonzero((template.op == TAG) & (self._total > 0)).tolist()[1:]:
            around = int(template.owner[node])
            is_text = self._tag[around] in _WHOLE and self._linked[around] < NAVIGATION_LINKED
            if is_text or around in self._parts_of_texts:
                self._parts_of_texts.add(node)
                continue
            self._children.setdefault(around, []).append(node)
            if template.support[node] < MARK_SUPPORT:
                self._free[around] += self._weight[node]
        self._items = self._find_items()
        is_repeated = (
            (self._varying <= 1 - MARK_PURE) & (self._total >= MIN_MARKED) & (template.support >= 0.5)
        )
        is_repeated[list(self._parts_of_texts)] = False
        self._repeated = subtree_sum(is_repeated, template.end)

    def parts(self) -> Iterator[tuple[int, str]]:
        """Yield the marked elements in their order, with their roles."""
        work = [(0, True)] if len(self._template) else []
        while work:
            node, is_outer = work.pop()
            children = self._children.get(node, [])
            role = self._role(node, is_outer, has_children=bool(children))
            if role:
                yield node, role
            else:
                is_outer = self._tag[node] in _OUTER_TAGS or self._is_outer(node)
                work += [(child, is_outer) for child in reversed(children)]

    def _role(self, node: int, is_outer: bool, *, has_children: bool) -> str:
        """Return the role of an element; empty if its parts have different ones.

        is_outer: whether the element around it is the body, a header or a footer.
        """
        tag, varying, linked = self._tag[node], self._varying[node], self._linked[node]
        if self._template.support[node] < MARK_SUPPORT or (tag in ("html", "body") and has_children):
            return ""
        if node in self._items:
            return ITEMS
        if tag == "nav" or (linked >= ITEM_LINKED and self._is_named(node, _NAVIGATION)):
            return NAVIGATION
        if varying <= VARYING_FRAME and self._is_outer(node):
            return FRAME
        if varying <= 1 - MARK_PURE or (not has_children and varying < REPEATED_SHARE):
            return self._role_of_repeated(node, is_outer)
        if tag in _TABLES and self._is_table(node):
            return TABLE
        if varying >= REPEATED_SHARE and self._free[node] >= FREE_SHARE * self._weight[node]:
            return CONTENT
        is_pure = varying >= MARK_PURE and not self._repeated[node]
        return CONTENT if not has_children or (is_pure and not self._has_items(node)) else ""

    def _is_outer(self, node: int) -> bool:
        """Return whether an element is a header or a footer, or around it."""
        return self._tag[node] in ("header", "footer") or self._is_named(node, _OUTER)

    def _is_named(self, node: int, names: re.Pattern[str]) -> bool:
        """Return whether an element, which is not most of the page, has one of some names."""
        is_small = bool(self._total[node] <= LARGEST_NAMED * self._total[0])
        return is_small and names.search(self._names[node]) is not None

    def _role_of_repeated(self, node: int, is_outer: bool) -> str:
        if self._linked[node] >= NAVIGATION_LINKED and self._number[node] >= 2:
            return NAVIGATION
        return FRAME if is_outer or self._total[node] > SHORT_LABEL else LABEL

    def _is_table(self, node: int) -> bool:
        """Return whether the rows of a table have labels that are the same on most pages."""
        if self._total[node] > LARGEST_TABLE * self._total[0] or self._linked[node] >= NAVIGATION_LINKED:
            return False
        rows = [item for item in self._items if node < item < self._template.end[node]]
        return bool(np.all(self._varying[[node, *rows]] <= 1 - TABLE_LABELS))

    def _has_items(self, node: int) -> bool:
        """Return whether a large share of an element is items."""
        inside = [item for item in self._items if node < item < self._template.end[node]]
        return bool(self._total[inside].sum() >= ITEMS_SHARE * self._total[node])

    def _find_items(self) -> frozenset[int]:
        """Return the TAGs that pages have several times in a row, and that differ from page to page."""
        template = self._template
        stars = np.unique(template.list_of[template.list_of >= 0]).tolist()
        tags_of_stars = [[tag for tag in template.tags(star) if self._total[tag] > 0] for star in stars]
        return frozenset(tag for tags in tags_of_stars if self._are_items(tags) for tag in tags)

    def _are_items(self, tags: Sequence[int]) -> bool:
        """Return whether the elements of a list are items: neither parts of a text nor columns of a page."""
        if not tags or any(self._tag[tag] in PROSE or tag in self._parts_of_texts for tag in tags):
            return False
        largest = max(tags, key=lambda tag: (self._total[tag], -tag))
        times = self._template.statistic("items")[largest]
        if times < 2 or (times < 3 and self._total[largest] >= COLUMN_SHARE * times * self._total[0]):
            return False
        if self._prose_around(largest) >= self._weight[largest]:
            return False
        is_record = self._linked[largest] >= ITEM_LINKED or self._places[largest] >= ITEM_PLACES
        return bool(is_record and self._varying[largest] >= VARYING_ITEMS)

    def _prose_around(self, item: int) -> float:
        """Return the characters of the paragraphs beside a list on all pages, of which it is a part."""
        owner = self._template.owner
        around = int(owner[item])
        if self._tag[around] in _LISTS:
            around = int(owner[around])
        return sum(
            float(self._weight[child]) for child in self._children.get(around, ()) if self._tag[child] == "p"
        )


class _Texts:
    """The texts of marked parts on some pages."""

    def __init__(self, template: Template, pages: Sequence[Page], leaves: _Leaves) -> None:
        self._end = template.end
        firsts = np.searchsorted(leaves.page, np.arange(len(pages) + 1)).tolist()
        ranges = list(zip(pages, pairwise(firsts), strict=True))
        self._pages = sorted(ranges, key=lambda row: row[0].id)
        self._leaves = leaves

    def of(self, node: int, role: str) -> tuple[str, ...]:
        """Return different texts of an element, each of another page."""
        sign = " · " if role in (ITEMS, TABLE, NAVIGATION) else " "
        texts: dict[str, None] = {}
        for page, (first, last) in self._pages:
            place = self._leaves.place[first:last]
            chosen = self._leaves.node[first:last][(node <= place) & (place < self._end[node])]
            parts = [" ".join(page.dom.text_of(leaf).split()) for leaf in chosen[:SHOWN_LEAVES].tolist()]
            text = sign.join(filter(None, parts))
            if not text and any(page.dom.name(leaf) == "img" for leaf in chosen.tolist()):
                text = IMAGE_TEXT
            if text:
                texts[text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 1]}…"] = None
            if len(texts) == SHOWN_TEXTS:
                break
        return tuple(texts)
