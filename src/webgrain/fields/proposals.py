"""Proposals: what may be a field, before it has a name and a selector.

A proposal is a slot of the template, a label with its value, or the trail of links to the page
(breadcrumb). Values that are equal on most pages are no proposal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Int32
from webgrain.base.metrics import tokens
from webgrain.fields.pairs import BEHIND_LABEL, label_name, label_pairs
from webgrain.fields.slots import Slot, find_slots
from webgrain.fields.thresholds import (
    LONGEST,
    MAX_EQUAL,
    MAX_EQUAL_LABELLED,
    MAX_EQUAL_LISTS,
    MIN_NAMED_SHARE,
    MIN_SHARE,
    SHORT,
)
from webgrain.fields.values import ADDRESSES, between, day_of, texts_at, type_of
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.templates.template import Template

_RELATIVE = re.compile(r"^(?:\.\.?/)+")
_ITEM_LEVELS, _MOST_SIBLINGS, _SHAPE = (
    4,
    40,
    8,
)  # elements upwards, beside and inside that are compared (hand-set)
_LONGEST_TRAIL = 2000  # characters with white space (hand-set)
_TRAIL = re.compile(r"bread-?_?crumb|(?<![a-z])crumbs?(?![a-z])", re.IGNORECASE)


class KnownPage(NamedTuple):
    """What is known of a page that fields are learnt from.

    Attributes:
        page: the page; labels: the template node (n,) of each of its nodes, -1 for none.
        stated: the values that it states, see `webgrain.fields.stated`.
        titles: the elements of its title; main: the element around its main content, -1 for none.
    """

    page: Page
    labels: Int32
    stated: Mapping[str, tuple[str, ...]]
    titles: tuple[int, ...]
    main: int


@dataclass(eq=False)
class Proposal:
    """What may be a field.

    Attributes:
        pages: that it is learnt from.
        slot: its elements.
        label: form and text of its label; None for none.
        texts: the texts of its elements on each page, without the words around.
        before, after: words around the value.
        name: empty until it is known; is_meant: whether it is one of a meaning, or that of a label.
    """

    pages: Sequence[Page]
    slot: Slot
    texts: list[list[str]]
    label: tuple[str, str] | None = None
    before: str = ""
    after: str = ""
    name: str = ""
    is_meant: bool = False

    @cached_property
    def firsts(self) -> list[str]:
        """The first text on each page that has one."""
        return [of_page[0] for of_page in self.texts if of_page and of_page[0]]

    @cached_property
    def type(self) -> str:
        """The type of its values."""
        return "list" if self.slot.is_list else type_of(self.firsts, self.slot.attribute)

    @property
    def share(self) -> float:
        """Share of the pages that have it."""
        return len(self.firsts) / max(len(self.pages), 1)

    @cached_property
    def size(self) -> float:
        """Median of the characters of its texts."""
        return float(np.median([len(text) for of_page in self.texts for text in of_page] or [0]))

    def copy(self) -> Proposal:
        """Return an equal proposal without a name."""
        texts = [list(of_page) for of_page in self.texts]
        return Proposal(self.pages, self.slot, texts, self.label, self.before, self.after)

    @property
    def varies(self) -> bool:
        """Whether its values differ from page to page."""
        values = [tuple(of_page) for of_page in self.texts if any(of_page)]
        if self.slot.attribute in ADDRESSES:  # relative ones differ from folder to folder
            values = [tuple(_RELATIVE.sub("", text) for text in of_page) for of_page in values]
        if len(values) < 2:
            return False
        (_, most), *others = Counter(values).most_common()
        limit = MAX_EQUAL_LABELLED if self.label else MAX_EQUAL_LISTS if self.slot.is_list else MAX_EQUAL
        return bool(others) and most <= limit * len(values)

    @property
    def distinct(self) -> int:
        """The number of different values."""
        return len({tuple(of_page) for of_page in self.texts if any(of_page)})

    @cached_property
    def is_item(self) -> bool:
        """Whether its elements are in items of a list of the page, or one of several at their place."""
        if self.slot.order >= 0:
            return True
        pairs = zip(self.pages, self.slot.nodes, strict=True)
        answers = [_is_in_item(page.dom, nodes[0]) for page, nodes in pairs if nodes]
        return 2 * sum(answers) > len(answers)

    @cached_property
    def attributes(self) -> list[dict[str, str]]:
        """The attributes of its first element, and of the elements above it, on the first page with one."""
        page, node = self.first
        return [page.dom.attributes(at) for at in [node, *page.dom.ancestors(node)]]

    @cached_property
    def first(self) -> tuple[Page, int]:
        """The first page that has it, and its first element there."""
        pairs = zip(self.pages, self.slot.nodes, strict=True)
        return next((page, nodes[0]) for page, nodes in pairs if nodes)

    def trimmed(self, before: str, after: str = "") -> None:
        """Leave out the words around the value."""
        self.before, self.after = before, after
        self.texts = [[between(text, before, after) for text in of_page] for of_page in self.texts]
        for name in ("firsts", "type", "size"):
            self.__dict__.pop(name, None)


def _is_in_item(dom: Dom, node: int) -> bool:
    """Return whether a node, or one of a few elements around it, has a sibling of the same shape."""
    shapes = dom.cached(_Shapes.of)
    for _ in range(_ITEM_LEVELS):
        above = shapes.parent[node]
        if above <= 0:
            return False
        shape = shapes.shape(node)
        if (len(shape) > 1 or dom.name(node) == "li") and shapes.has_alike(node, above, shape):
            return True
        node = above
    return False


class _Shapes(NamedTuple):
    """What shapes of elements are made of, as lists: reading one value of an array takes longer.

    parent, end: of each node; before: number of elements before each node, and in all; kind: number of the
    tag and the class of each element.
    """

    parent: list[int]
    end: list[int]
    before: list[int]
    kind: list[int]

    @classmethod
    def of(cls, dom: Dom) -> _Shapes:
        """Return the lists of a page."""
        is_element = ~dom.is_text
        before = np.concatenate(([0], np.cumsum(is_element)))
        kind = dom.tag.astype(np.int64) << 32
        attributes, nodes = dom.find_attribute("class")
        kind[nodes] += dom.value[attributes] + 1
        return cls(dom.parent.tolist(), dom.end.tolist(), before.tolist(), kind[is_element].tolist())

    def shape(self, node: int) -> list[int]:
        """Return the tags and classes of an element and of the first elements in it."""
        first = self.before[node]
        last = self.before[min(self.end[node], node + 4 * _SHAPE)]
        return self.kind[first : min(last, first + _SHAPE)]

    def has_alike(self, node: int, above: int, shape: list[int]) -> bool:
        """Return whether one of the first children of an element, other than a node, has a shape."""
        child, stop = above + 1, self.end[above]
        for _ in range(_MOST_SIBLINGS):
            if child >= stop:
                return False
            if child != node and self.shape(child) == shape:
                return True
            child = self.end[child]
        return False


def find_proposals(template: Template, known: Sequence[KnownPage]) -> list[Proposal]:
    """Return what may be fields of the pages of a template, in document order."""
    pages = [each.page for each in known]
    slots = find_slots(template, pages, [each.labels for each in known])
    trail = _trail(pages)
    if trail:
        slots = [slot for slot in slots if not _is_inside(pages, slot, trail)]
    labelled = list(_labelled(pages))
    if trail:
        labelled = [each for each in labelled if not _is_inside(pages, each.slot, trail)]
    labelled = [each for each in labelled if not any(_is_label_of_few(each, slot) for slot in slots)]
    items = [items for items in [_items_of(pages, trail)] if items] if trail else []
    texts = _texts_of_slots(pages, [*slots, *items])
    proposals = [
        Proposal(pages, slot, of_slot) for slot, of_slot in zip([*slots, *items], texts, strict=True)
    ]
    for proposal in proposals[len(slots) :]:
        proposal.name, proposal.is_meant = "breadcrumb", True
    chosen = [*labelled, *(each for each in _with_addresses(proposals) if _is_kept(each, known))]
    return sorted(_without_copies(_without_equal_days(chosen)), key=_position)


def _without_equal_days(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals; of those with the same days on almost all pages one: with a label, or a text.

    The moment of a ``<time>`` may be a day later or earlier than what the page shows.
    """
    kept: list[tuple[Proposal, list[str]]] = []
    ranked = sorted(
        (each for each in proposals if each.type == "date"),
        key=lambda each: (each.slot.order, each.label is None, each.slot.attribute is not None, -each.share),
    )
    for each in ranked:
        days = [day_of(of_page[0])[:10] if of_page else "" for of_page in each.texts]
        if not any(_are_equal_days(days, others) for _, others in kept):
            kept.append((each, days))
    chosen = {id(each) for each, _ in kept}
    return [each for each in proposals if each.type != "date" or id(each) in chosen]


def _are_equal_days(days: Sequence[str], others: Sequence[str]) -> bool:
    """Return whether the days of most pages that have both are equal, or next to each other."""
    near = [
        day == other or (day[:8] == other[:8] and abs(int(day[8:10]) - int(other[8:10])) == 1)
        for day, other in zip(days, others, strict=True)
        if day and other
    ]
    return bool(near) and sum(near) >= MAX_EQUAL * len(near)


def _position(proposal: Proposal) -> tuple[float, str]:
    """Return the mean place of its elements on the pages."""
    places = [
        nodes[0] / max(len(page.dom), 1)
        for page, nodes in zip(proposal.pages, proposal.slot.nodes, strict=True)
        if nodes
    ]
    return round(float(np.mean(places)), 6), proposal.slot.attribute or ""


def _texts_of_slots(pages: Sequence[Page], slots: Sequence[Slot]) -> list[list[list[str]]]:
    """Return the texts of the elements of each slot on each page; a page is read once for each attribute."""
    texts: list[list[list[str]]] = [[[] for _ in pages] for _ in slots]
    attributes = sorted({slot.attribute or "" for slot in slots})
    for number, page in enumerate(pages):
        for attribute in attributes:
            chosen = [k for k, slot in enumerate(slots) if (slot.attribute or "") == attribute]
            nodes = [node for k in chosen for node in slots[k].nodes[number]]
            values = iter(texts_at(page, nodes, attribute or None))
            for k in chosen:
                texts[k][number] = [next(values) for _ in slots[k].nodes[number]]
    return texts


def _is_kept(proposal: Proposal, known: Sequence[KnownPage]) -> bool:
    """Return whether enough pages have different values, or the author; and no item of a list is long."""
    if proposal.share < MIN_NAMED_SHARE or not (proposal.varies or _is_author(proposal, known)):
        return False
    return not proposal.slot.is_list or proposal.size <= SHORT or proposal.slot.attribute is not None


def _is_author(proposal: Proposal, known: Sequence[KnownPage]) -> bool:
    """Return whether texts are the author by markup, or the one that the pages state: a site may have one."""
    if proposal.slot.attribute is not None or proposal.slot.is_list or proposal.size > SHORT:
        return False
    values = proposal.attributes[0]
    if "author" in f"{values.get('rel', '')} {values.get('itemprop', '')}".split():
        return True
    pairs = [(of_page[0], each) for of_page, each in zip(proposal.texts, known, strict=True) if of_page]
    same = sum(
        any(tokens(value) == tokens(text) for value in each.stated.get("author", ())) for text, each in pairs
    )
    return same >= MAX_EQUAL * len(pairs)


def _with_addresses(proposals: Sequence[Proposal]) -> Iterator[Proposal]:
    """Yield proposals; of a link either its text or, if that is equal on all pages, its address."""
    by_place: defaultdict[int, dict[str | None, Proposal]] = defaultdict(dict)
    for proposal in proposals:
        if not proposal.slot.is_list and proposal.slot.order < 0:
            by_place[proposal.slot.place][proposal.slot.attribute] = proposal
    for proposal in proposals:
        at_place = by_place[proposal.slot.place] if proposal.slot.place >= 0 else {}
        text = at_place.get(None)
        if proposal.slot.attribute == "href":
            words = {" ".join(of_page) for of_page in text.texts} if text else set()
            is_whole = not any("#" in address for address in proposal.firsts)
            if text and not text.varies and any(words) and is_whole:
                proposal.name = label_name(max(words, key=len))[:24]
                yield proposal
        elif proposal.slot.attribute != "datetime" or proposal.type == "date":
            yield proposal


def _without_copies(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without those whose elements another one has, or contains with the same text."""
    kept: list[Proposal] = []
    places: dict[tuple[object, ...], Proposal] = {}
    for proposal in proposals:
        key = proposal.slot.nodes, proposal.slot.attribute
        if key not in places and not any(_repeats(proposal, other) for other in kept if other.label):
            places[key] = proposal
            kept.append(proposal)
    return kept


def _repeats(proposal: Proposal, other: Proposal) -> bool:
    """Return whether all elements of a proposal, or one of its items, are within those of a labelled one."""
    if proposal.slot.attribute is not None:
        return False
    if proposal.slot.is_list:
        pairs = zip(proposal.slot.nodes, other.slot.nodes, strict=True)
        return any(set(nodes) & set(labelled) for nodes, labelled in pairs)
    is_there = False
    for page, nodes, around in zip(proposal.pages, proposal.slot.nodes, other.slot.nodes, strict=True):
        if not nodes:
            continue
        if not around or not around[0] <= nodes[0] < page.dom.end[around[0]]:
            return False
        is_there = True
    return is_there


def _labelled(pages: Sequence[Page]) -> Iterator[Proposal]:
    """Yield the values with a label that enough pages have."""
    nodes_of: defaultdict[tuple[str, str], list[tuple[int, ...]]] = defaultdict(lambda: [()] * len(pages))
    for number, page in enumerate(pages):
        for pair in label_pairs(page):
            of_label = nodes_of[pair.form, pair.label]
            of_label[number] = of_label[number] or (pair.node,)
    labels = [
        (form, label)
        for (form, label), nodes in sorted(nodes_of.items())
        if sum(map(bool, nodes)) >= len(pages) * (MIN_SHARE if form in BEHIND_LABEL else MIN_NAMED_SHARE)
    ]
    slots = [Slot(-1, None, tuple(nodes_of[label])) for label in labels]
    texts = _texts_of_slots(pages, slots)
    for (form, label), slot, of_slot in zip(labels, slots, texts, strict=True):
        proposal = Proposal(pages, slot, of_slot, (form, label), name=label_name(label), is_meant=True)
        if form in BEHIND_LABEL:
            proposal.trimmed(" ".join(label.split()))
        longest = LONGEST if form in ("dt", "th", "td") else SHORT
        if proposal.varies and proposal.size <= longest:
            yield proposal


def _is_label_of_few(labelled: Proposal, slot: Slot) -> bool:
    """Return whether a label is at a place of the template where more pages have another one, or none."""
    if slot.attribute is not None or slot.is_list or slot.order >= 0:
        return False
    if labelled.label is None or labelled.label[0] not in BEHIND_LABEL:
        return False
    pairs = [*zip(labelled.slot.nodes, slot.nodes, strict=True)]
    is_inside = all(nodes == around for nodes, around in pairs if nodes)
    return is_inside and sum(bool(around) and not nodes for nodes, around in pairs) > MIN_NAMED_SHARE * len(
        pairs
    )


def _trail(pages: Sequence[Page]) -> list[int] | None:
    """Return the element of the trail of links on each page, -1 for none; None if few pages have it."""
    trail = [next(iter(_trail_elements(page.dom)), -1) for page in pages]
    return trail if sum(node >= 0 for node in trail) >= max(2, MIN_SHARE * len(pages)) else None


def _trail_elements(dom: Dom) -> Iterator[int]:
    """Yield the elements whose id, class, label or item type names a trail, and that contain a link."""
    named = {
        node
        for name in ("class", "id", "aria-label", "itemtype")
        for attributes, nodes in [dom.find_attribute(name)]
        for node, value in zip(nodes.tolist(), dom.values_of(attributes), strict=True)
        if _TRAIL.search((value or "")[:300])
    }
    links = dom.find_tag("a")
    for node in sorted(named):
        size = int(dom.text_start[dom.end[node]] - dom.text_start[node])
        if size <= _LONGEST_TRAIL and np.searchsorted(links, dom.end[node]) > np.searchsorted(
            links, node, side="right"
        ):
            yield node


def _is_inside(pages: Sequence[Page], slot: Slot, trail: Sequence[int]) -> bool:
    """Return whether the elements of a slot are within the trail on all pages that have both."""
    of_pages = zip(pages, slot.nodes, trail, strict=True)
    inside = [top <= nodes[0] < page.dom.end[top] for page, nodes, top in of_pages if nodes and top >= 0]
    return bool(inside) and all(inside)


def _items_of(pages: Sequence[Page], trail: Sequence[int]) -> Slot | None:
    """Return the items of the trail: its list items, else its links."""
    for tag in ("li", "a"):
        nodes = tuple(
            tuple(node for node in page.dom.find_tag(tag).tolist() if top < node < page.dom.end[top])
            if top >= 0
            else ()
            for page, top in zip(pages, trail, strict=True)
        )
        if all(bool(of_page) == (top >= 0) for of_page, top in zip(nodes, trail, strict=True)):
            return Slot(-1, None, nodes, is_list=True)
    return None
