"""Slots: the places of a template at which its pages have texts, images and addresses.

A slot is a template node. Its elements are those that hold a text:

* the block of the text: a heading, a cell, a paragraph;
* an element within a line, such as a link or a ``<time>``, if it is a part of the block.

A block whose text outside of such parts is equal on all pages is no slot (``By`` <a>Kim</a>). Of template
nodes that pages have several times, each of the first few is a slot; the items of a list (``STAR``) are one
together, if they are short.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64, UInt8, UInt64
from webgrain.fields.fieldkernel import PARTS, WHOLE, held_elements, stripped_sizes
from webgrain.fields.thresholds import (
    LONGEST_ITEM,
    LONGEST_LABEL,
    MAX_PARTS,
    MAX_SLOTS,
    MIN_INNER_SHARE,
    MIN_ITEMS,
    MOST_ORDERS,
    SINGLE,
)
from webgrain.fields.thresholds import WHOLE as WHOLE_SHARE
from webgrain.page.dom import cached_on_page
from webgrain.page.kernels.treepass import any_above
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.strings import letters_table, text_codes
from webgrain.page.tagtables import TagTable
from webgrain.page.text import is_inline, visible_texts
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.template import Template

_DESCRIPTION = re.compile(r"(?<![a-z])description(?![a-z])", re.IGNORECASE)
_IS_INLINE = TagTable(is_inline, np.uint8)

Nodes = tuple[tuple[int, ...], ...]
"""The elements of each page."""


class Slot(NamedTuple):
    """A place at which pages have values.

    Attributes:
        place: the template node; -1 for none.
        attribute: where the values are, None for the text.
        nodes: the elements of each page.
        is_list: whether it is the items of a list.
        order: the number of the element, from 0, of a place at which pages have several; -1 for one at which
            they have one.
    """

    place: int
    attribute: str | None
    nodes: Nodes
    is_list: bool = False
    order: int = -1


class HeldTexts(NamedTuple):
    """The elements of a page that hold a text, in document order.

    Attributes:
        node: (h,) the elements; bits: (h,) of `webgrain.fields.fieldkernel`.
        key: (h,) of the text of each outside of its parts.
    """

    node: Int32
    bits: UInt8
    key: UInt64


@cached_on_page
def held_texts(page: Page) -> HeldTexts:
    """Return the elements of a page that hold a text.

    >>> from webgrain.page.parsing import parse
    >>> held_texts(parse("<h1><a>One</a></h1><p>by <a>Kim</a>")).node.tolist()
    [3, 6, 8]
    """
    dom = page.dom
    inline = _IS_INLINE.of_nodes(dom)
    text = text_codes(dom), dom.text_start, letters_table()
    tree = dom.parent, dom.end
    return HeldTexts(
        *held_elements(tree, inline, visible_texts(page).node, text, MAX_PARTS, WHOLE_SHARE, LONGEST_LABEL)
    )


def first_nodes(slots: Sequence[Slot]) -> Int64:
    """Return the first element (s, p) of each slot on each page, -1 for none."""
    firsts = [[nodes[0] if nodes else -1 for nodes in slot.nodes] for slot in slots]
    return np.array(firsts, np.int64)


def find_slots(template: Template, pages: Sequence[Page], labels: Sequence[Int32]) -> list[Slot]:
    """Return the slots of a template, in its order.

    labels: the template node (n,) of each node of each page, -1 for none.
    """
    counts = np.stack([np.bincount(at[at >= 0], minlength=len(template)) for at in labels])
    is_single: Bool = (counts <= 1).mean(axis=0) >= SINGLE
    is_several = ((template.op == TAG) & ~is_single).view(np.uint8)
    is_usual = (counts > 0).mean(axis=0) >= MIN_INNER_SHARE
    is_single &= is_usual | ~any_above(template.owner, is_several)
    slots = [*_text_slots(pages, labels, is_single), *_attribute_slots(pages, labels, is_single)]
    slots += _description_slots(template, labels, is_single)
    slots += _list_slots(template, pages, labels, counts)
    return sorted(slots, key=lambda slot: (slot.place, slot.attribute or "", slot.order))[:MAX_SLOTS]


def _text_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of texts; where pages have several, those of the first ones by their number.

    Where the text outside of parts is equal on all pages, it is a frame and no slot.
    """
    held = list(map(held_texts, pages))
    node, bits, key = map(np.concatenate, zip(*held, strict=True))
    place = np.concatenate([at[of_page.node] for at, of_page in zip(labels, held, strict=True)])
    page = np.repeat(np.arange(len(pages)), [len(of_page.node) for of_page in held])
    row = np.flatnonzero((place >= 0) & ((bits & WHOLE) > 0))
    of_page = place[row] * np.int64(len(pages)) + page[row]
    by_page = of_page.argsort(kind="stable")
    row, order = row[by_page], _places_in_runs(of_page[by_page])
    is_kept = order < np.where(is_single[place[row]], 1, MOST_ORDERS)
    row, order = row[is_kept], order[is_kept]
    slot = place[row] * np.int64(MOST_ORDERS) + order
    by_slot = slot.argsort(kind="stable")
    row, order = row[by_slot], order[by_slot]
    first = np.flatnonzero(_places_in_runs(slot[by_slot]) == 0)
    if not len(row):
        return
    has_parts = np.maximum.reduceat(bits[row] & PARTS, first) > 0
    is_frame = has_parts & (np.maximum.reduceat(key[row], first) == np.minimum.reduceat(key[row], first))
    nodes = np.full((len(first), len(pages)), -1)
    nodes[np.repeat(np.arange(len(first)), np.diff(first, append=len(row))), page[row]] = node[row]
    slots = place[row][first], np.where(is_single[place[row]], -1, order)[first], is_frame, nodes
    for at, number, is_left_out, of_pages in zip(*(column.tolist() for column in slots), strict=True):
        if not is_left_out:
            yield Slot(at, None, tuple([(x,) if x >= 0 else () for x in of_pages]), order=number)


def _places_in_runs(values: Int64) -> Int64:
    """Return the place (m,) of each value among equal ones that follow each other, from 0.

    >>> _places_in_runs(np.array([4, 4, 7, 9, 9, 9])).tolist()
    [0, 1, 0, 0, 1, 2]
    """
    number = np.arange(len(values))
    is_first = np.ones(len(values), np.bool_)
    is_first[1:] = values[1:] != values[:-1]
    return number - np.maximum.accumulate(np.where(is_first, number, 0))


def _description_slots(template: Template, labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the elements whose id or class names a description, with all that they contain."""
    names = [name for symbols in template.symbols if symbols for name in symbols[0].names]
    if not _DESCRIPTION.search(" ".join(names)):
        return
    for place in np.flatnonzero(is_single & (template.op == TAG)).tolist():
        symbol = template.symbols[place][0]
        if not is_inline(symbol.tag) and any(map(_DESCRIPTION.search, symbol.names)):
            nodes = tuple(tuple(np.flatnonzero(at == place).tolist()[:1]) for at in labels)
            yield Slot(place, None, nodes)


def _attribute_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of images, of addresses of links and of moments."""
    is_used = np.append(is_single, False)  # the last entry is for nodes without a template node
    for tag, attribute in (("img", "src"), ("a", "href"), ("time", "datetime")):
        nodes_at: dict[int, list[tuple[int, ...]]] = {}
        for number, (page, at) in enumerate(zip(pages, labels, strict=True)):
            nodes = page.dom.find_tag(tag)
            nodes = nodes[is_used[at[nodes]] & visible_nodes(page)[nodes]]
            for place, node in zip(at[nodes].tolist(), nodes.tolist(), strict=True):
                if place not in nodes_at:
                    nodes_at[place] = [()] * len(pages)
                nodes_at[place][number] += (node,)
        for place, of_pages in nodes_at.items():
            yield Slot(place, attribute, tuple(of_pages))


def _list_slots(
    template: Template, pages: Sequence[Page], labels: Sequence[Int32], counts: Int64
) -> Iterator[Slot]:
    """Yield the items of the outermost lists whose items have short texts, or images without text.

    counts: (p, m) the nodes of each page at each template node.
    """
    stars = np.flatnonzero((template.op == STAR) & template.is_list).tolist()
    items_of = {star: template.tags(star) for star in stars}
    items_of = {
        star: items
        for star, items in items_of.items()
        if median(counts[:, items].sum(axis=1).tolist()) >= MIN_ITEMS
    }
    nodes_of: dict[int, list[tuple[int, ...]]] = {star: [] for star in items_of}
    sizes_of: dict[int, list[int]] = {star: [] for star in items_of}
    is_item = np.zeros((len(items_of), len(template) + 1), np.bool_)  # the last column: no template node
    for number, items in enumerate(items_of.values()):
        is_item[number, items] = True
    for page, at in zip(pages, labels, strict=True):
        list_number, node = map(np.ascontiguousarray, is_item[:, at].nonzero())
        dom = page.dom
        sizes = stripped_sizes((text_codes(dom), dom.text_start, letters_table()), dom.end, node).tolist()
        nodes = node.tolist()
        starts = list_number.searchsorted(np.arange(len(items_of) + 1)).tolist()
        for star, (first, last) in zip(items_of, pairwise(starts), strict=True):
            nodes_of[star].append(tuple(nodes[first:last]))
            sizes_of[star] += sizes[first:last]
    end = 0
    for star, items in items_of.items():
        if star < end:
            continue
        size = median(sizes_of[star])
        if 0 < size <= LONGEST_ITEM:
            end = int(template.end[star])
            yield Slot(items[0], None, tuple(nodes_of[star]), is_list=True)
        elif size == 0:
            end = int(template.end[star])
            yield Slot(items[0], "src", tuple(_images(nodes_of[star], pages)), is_list=True)


def _images(nodes: Sequence[tuple[int, ...]], pages: Sequence[Page]) -> Iterator[tuple[int, ...]]:
    """Yield the images that are items, or within them, of each page."""
    for of_page, page in zip(nodes, pages, strict=True):
        images = page.dom.find_tag("img")
        items = np.array(of_page or (len(page.dom),))
        item = items[np.maximum(np.searchsorted(items, images, side="right") - 1, 0)]
        is_inside = (item <= images) & (images < page.dom.end[np.minimum(item, len(page.dom) - 1)])
        yield tuple(images[is_inside].tolist())


def median(values: Sequence[float]) -> float:
    """Return the median of some numbers, 0 for none; `numpy.median` takes longer for few.

    >>> median([3, 1, 2]), median([4, 1]), median([])
    (2, 2.5, 0)
    """
    ordered = sorted(values)
    half = len(ordered) // 2
    if len(ordered) % 2:
        return ordered[half]
    return (ordered[half - 1] + ordered[half]) / 2 if ordered else 0
