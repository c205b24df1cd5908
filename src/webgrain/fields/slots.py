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
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from itertools import chain, pairwise
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32
from webgrain.fields.thresholds import (
    LONGEST_ITEM,
    MAX_PARTS,
    MAX_SLOTS,
    MIN_INNER_SHARE,
    MIN_ITEMS,
    MOST_ORDERS,
    SINGLE,
    WHOLE,
)
from webgrain.page.dom import Dom, cached_on_page
from webgrain.page.leaves import visible_nodes
from webgrain.page.page import Page
from webgrain.page.text import is_inline, visible_texts
from webgrain.templates.crx import STAR, TAG
from webgrain.templates.template import Template

_DESCRIPTION = re.compile(r"(?<![a-z])description(?![a-z])", re.IGNORECASE)

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


class HeldText(NamedTuple):
    """An element that holds a text.

    Attributes:
        node: the element.
        rest: its text outside of parts.
        has_parts: whether it has such parts.
        is_whole: whether the text is most of what it contains: else it has blocks with other texts in it.
    """

    node: int
    rest: str
    has_parts: bool
    is_whole: bool


@cached_on_page
def held_texts(page: Page) -> list[HeldText]:
    """Return the elements of a page that hold a text, in document order.

    >>> from webgrain.page.parsing import parse
    >>> [(held.node, held.rest) for held in held_texts(parse("<h1><a>One</a></h1><p>by <a>Kim</a>"))]
    [(3, 'One'), (6, 'by'), (8, 'Kim')]
    """
    dom = page.dom
    visible = visible_texts(page).node
    size = np.zeros(len(dom), np.int64)
    size[visible] = np.diff(dom.text_start)[visible]
    contained: list[int] = dom.subtree_sum(size).tolist()
    sizes: list[int] = size.tolist()
    parent: list[int] = dom.parent.tolist()
    lines: dict[int, tuple[int, ...]] = {}
    texts_of_block: defaultdict[int, list[int]] = defaultdict(list)
    for text in visible.tolist():
        texts_of_block[_line_of(dom, parent[text], lines)[-1]].append(text)
    held: list[HeldText] = []
    for block, texts in texts_of_block.items():
        is_whole = WHOLE * contained[block] <= sum([sizes[text] for text in texts])
        parts_of_texts = [lines[parent[text]][:-1] for text in texts]
        held += _held_in_block(dom, block, texts, parts_of_texts, is_whole)
    return sorted(held)


def _line_of(dom: Dom, node: int, lines: dict[int, tuple[int, ...]]) -> tuple[int, ...]:
    """Return the elements within a line around a text in a node, the innermost first, and then their block.

    lines: what is known of other nodes.
    """
    climbed = []
    while node not in lines:
        if node <= 0 or not is_inline(dom.name(node)):
            lines[node] = (node,)
            break
        climbed.append(node)
        node = int(dom.parent[node])
    for inner in reversed(climbed):
        *parts, block = lines[int(dom.parent[inner])]
        lines[inner] = (inner, *parts[: MAX_PARTS - 1], block)
    return lines[climbed[0] if climbed else node]


def _held_in_block(
    dom: Dom, block: int, texts: Sequence[int], parts_of_texts: Sequence[tuple[int, ...]], is_whole: bool
) -> Iterator[HeldText]:
    """Yield the elements of a block that hold its texts; parts_of_texts: the elements around each text."""
    count = Counter(chain.from_iterable(parts_of_texts))
    most = len(texts) if is_whole else len(texts) + 1  # of other blocks, the whole line is a part
    rest: defaultdict[int, list[int]] = defaultdict(list)
    holders = {block}
    for text, parts in zip(texts, parts_of_texts, strict=True):
        chosen = [part for part in parts if count[part] < most]
        holders.update(chosen)
        rest[chosen[0] if chosen else block].append(text)
    ordered = [*sorted(holders), len(dom)]
    for holder, following in pairwise(ordered):
        outside = " ".join(" ".join(dom.text_of(text).split()) for text in rest[holder])
        has_parts = following < int(dom.end[holder])
        yield HeldText(holder, outside, has_parts, is_whole or holder != block)


def find_slots(template: Template, pages: Sequence[Page], labels: Sequence[Int32]) -> list[Slot]:
    """Return the slots of a template, in its order.

    labels: the template node (n,) of each node of each page, -1 for none.
    """
    counts = np.stack([np.bincount(at[at >= 0], minlength=len(template)) for at in labels])
    is_single = (counts <= 1).mean(axis=0) >= SINGLE
    is_single &= ((counts > 0).mean(axis=0) >= MIN_INNER_SHARE) | ~_is_repeated(template, is_single)
    slots = [*_text_slots(pages, labels, is_single), *_attribute_slots(pages, labels, is_single)]
    slots += _description_slots(template, pages, labels, is_single)
    slots += _list_slots(template, pages, labels)
    return sorted(slots, key=lambda slot: (slot.place, slot.attribute or "", slot.order))[:MAX_SLOTS]


def _is_repeated(template: Template, is_single: Bool) -> Bool:
    """Return whether each template node (m,) is within one that pages have several times."""
    is_repeated = np.zeros(len(template), np.bool_)
    for node, above in enumerate(template.owner.tolist()):
        if above >= 0:
            is_repeated[node] = is_repeated[above] or (template.op[above] == TAG and not is_single[above])
    return is_repeated


def _text_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of texts; where pages have several, those of the first ones by their number."""
    held_at: defaultdict[tuple[int, int], dict[int, HeldText]] = defaultdict(dict)
    for number, (page, at) in enumerate(zip(pages, labels, strict=True)):
        count: defaultdict[int, int] = defaultdict(int)
        for held in held_texts(page):
            place = int(at[held.node])
            if place >= 0 and held.is_whole and count[place] < MOST_ORDERS:
                held_at[place, count[place]][number] = held
                count[place] += 1
    for (place, order), of_pages in held_at.items():
        if is_single[place] and order:
            continue
        every = of_pages.values()
        is_frame = any(held.has_parts for held in every) and len({held.rest for held in every}) == 1
        if not is_frame:
            nodes = [(of_pages[number].node,) if number in of_pages else () for number in range(len(pages))]
            yield Slot(place, None, tuple(nodes), order=-1 if is_single[place] else order)


def _description_slots(
    template: Template, pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool
) -> Iterator[Slot]:
    """Yield the elements whose id or class names a description, with all that they contain."""
    for place in np.flatnonzero(is_single & (template.op == TAG)).tolist():
        symbol = template.symbols[place][0]
        if not is_inline(symbol.tag) and any(map(_DESCRIPTION.search, symbol.names)):
            nodes = tuple(tuple(np.flatnonzero(at == place).tolist()[:1]) for at in labels)
            yield Slot(place, None, nodes)


def _attribute_slots(pages: Sequence[Page], labels: Sequence[Int32], is_single: Bool) -> Iterator[Slot]:
    """Yield the slots of images, of addresses of links and of moments."""
    for tag, attribute in (("img", "src"), ("a", "href"), ("time", "datetime")):
        nodes_at: defaultdict[int, list[list[int]]] = defaultdict(lambda: [[] for _ in pages])
        for number, (page, at) in enumerate(zip(pages, labels, strict=True)):
            is_visible = visible_nodes(page)
            for node in page.dom.find_tag(tag).tolist():
                place = int(at[node])
                if place >= 0 and is_single[place] and is_visible[node]:
                    nodes_at[place][number].append(node)
        for place, of_pages in nodes_at.items():
            yield Slot(place, attribute, tuple(map(tuple, of_pages)))


def _list_slots(template: Template, pages: Sequence[Page], labels: Sequence[Int32]) -> Iterator[Slot]:
    """Yield the items of the outermost lists whose items have short texts, or images without text."""
    end = 0
    for star in np.flatnonzero((template.op == STAR) & template.is_list).tolist():
        if star < end:
            continue
        items = template.tags(star)
        nodes = tuple(tuple(np.flatnonzero(np.isin(at, items)).tolist()) for at in labels)
        if float(np.median([len(of_page) for of_page in nodes])) < MIN_ITEMS:
            continue
        sizes = [
            len(page.dom.text_of(node).strip())
            for page, of_page in zip(pages, nodes, strict=True)
            for node in of_page
        ]
        size = float(np.median(sizes))
        if 0 < size <= LONGEST_ITEM:
            end = int(template.end[star])
            yield Slot(items[0], None, nodes, is_list=True)
        elif size == 0:
            end = int(template.end[star])
            yield Slot(items[0], "src", tuple(_images(nodes, pages)), is_list=True)


def _images(nodes: Nodes, pages: Sequence[Page]) -> Iterator[tuple[int, ...]]:
    """Yield the images that are items, or within them, of each page."""
    for of_page, page in zip(nodes, pages, strict=True):
        images = page.dom.find_tag("img")
        items = np.array(of_page or (len(page.dom),))
        item = items[np.maximum(np.searchsorted(items, images, side="right") - 1, 0)]
        is_inside = (item <= images) & (images < page.dom.end[np.minimum(item, len(page.dom) - 1)])
        yield tuple(images[is_inside].tolist())
