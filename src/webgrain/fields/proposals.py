"""Proposals: what may be a field, before it has a name and a selector.

A proposal is a slot of the template, a label with its value, or the trail of links to the page
(breadcrumb). Values that are equal on most pages are no proposal.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import chain, compress, pairwise
from typing import NamedTuple

import numpy as np

from webgrain.base.arrays import Bool, Int32, Int64
from webgrain.base.metrics import TOKEN, tokens
from webgrain.base.properties import cached_property
from webgrain.fields.fieldkernel import in_items
from webgrain.fields.pairs import BEHIND_LABEL, label_name, label_pairs
from webgrain.fields.slots import Slot, find_slots, first_nodes, median
from webgrain.fields.thresholds import (
    LONGEST,
    MAX_EQUAL,
    MAX_EQUAL_LABELLED,
    MAX_EQUAL_LISTS,
    MIN_NAMED_SHARE,
    MIN_SHARE,
    SHORT,
)
from webgrain.fields.values import ADDRESSES, EDGES, between, day_of, texts_at, type_of
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.page.values import Question
from webgrain.templates.template import Template

_RELATIVE = re.compile(r"^(?:\.\.?/)+")
_ITEM_LEVELS, _MOST_SIBLINGS, _SHAPE = (
    4,
    40,
    8,
)  # elements upwards, beside and inside that are compared (hand-set)
_LONGEST_TRAIL = 2000  # characters with white space (hand-set)
_TRAIL = re.compile(r"bread-?_?crumb|(?<![a-z])crumbs?(?![a-z])", re.IGNORECASE)
_IS_TRAIL = Question(lambda value: _TRAIL.search(value[:300]) is not None, np.bool_)
_IS_AUTHOR = Question(lambda value: "author" in value.split(), np.bool_)
_NAMED_LEVELS = 4  # elements upwards whose attributes name a field


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
        is_item: whether its elements are in items of a list of the page, or one of several at their place.
        attributes: those of its first element, and of a few elements above it, on the first page with one.
        distance: from the title, see `webgrain.fields.naming`.
    """

    pages: Sequence[Page]
    slot: Slot
    texts: list[list[str]]
    label: tuple[str, str] | None = None
    before: str = ""
    after: str = ""
    name: str = ""
    is_meant: bool = False
    is_item: bool = False
    attributes: Sequence[dict[str, str]] = ()
    distance: float = 0.0

    @cached_property
    def firsts(self) -> list[str]:
        """The first text on each page that has one."""
        return [of_page[0] for of_page in self.texts if of_page and of_page[0]]

    @cached_property
    def type(self) -> str:
        """The type of its values."""
        return "list" if self.slot.is_list else type_of(self.firsts, self.slot.attribute)

    @cached_property
    def share(self) -> float:
        """Share of the pages that have it."""
        return len(self.firsts) / max(len(self.pages), 1)

    @cached_property
    def lowered(self) -> str:
        """The first texts of all pages in lower case."""
        return "\n".join(self.firsts).lower()

    @cached_property
    def size(self) -> float:
        """Median of the characters of its texts."""
        return float(median([len(text) for of_page in self.texts for text in of_page]))

    def copy(self) -> Proposal:
        """Return an equal proposal without a name."""
        copied = Proposal(self.pages, self.slot, list(self.texts), self.label, self.before, self.after)
        copied.is_item, copied.attributes, copied.distance = self.is_item, self.attributes, self.distance
        return copied

    @cached_property
    def _values(self) -> Sequence[object]:
        """The values of the pages that have one."""
        if [of_page for of_page in self.texts if of_page[1:]]:
            return [tuple(of_page) for of_page in self.texts if any(of_page)]
        return self.firsts

    @cached_property
    def varies(self) -> bool:
        """Whether its values differ from page to page."""
        values = self._values
        if self.slot.attribute in ADDRESSES:  # relative ones differ from folder to folder
            values = [
                tuple(_RELATIVE.sub("", text) for text in of_page) for of_page in self.texts if any(of_page)
            ]
        distinct = len(set(values))
        if distinct < 2:
            return False
        most = 1 if distinct == len(values) else max(Counter(values).values())
        limit = MAX_EQUAL_LABELLED if self.label else MAX_EQUAL_LISTS if self.slot.is_list else MAX_EQUAL
        return most <= limit * len(values)

    @property
    def distinct(self) -> int:
        """The number of different values."""
        return len(set(self._values))

    @cached_property
    def first(self) -> tuple[Page, int]:
        """The first page that has it, and its first element there."""
        pairs = zip(self.pages, self.slot.nodes, strict=True)
        return next((page, nodes[0]) for page, nodes in pairs if nodes)

    @cached_property
    def names_around(self) -> list[str]:
        """The id and classes of its element, and of the element above it."""
        return [f"{values.get('id', '')} {values.get('class', '')}"[:300] for values in self.attributes[:2]]

    def thing(self, level: int) -> dict[str, str]:
        """Return the attributes of the nearest thing of microdata among the elements above, from a level.

        Empty without one.
        """
        page, node = self.first
        things = set(page.dom.find_attribute("itemscope")[1].tolist())
        above = page.dom.ancestors(node)[level - 1 :] if things else []
        thing = next((node for node in above if node in things), None)
        return {} if thing is None else page.dom.attributes(thing)

    def trimmed(self, before: str, after: str = "") -> None:
        """Leave out the words and the punctuation around the value."""
        self.before, self.after = before, after
        if before or after:
            texts = [[between(text, before, after) for text in of_page] for of_page in self.texts]
        else:
            texts = [
                [
                    text.strip(EDGES) if text and (text[0] in EDGES or text[-1] in EDGES) else text
                    for text in of_page
                ]
                for of_page in self.texts
            ]
        if texts == self.texts:
            return
        self.texts = texts
        for name in ("firsts", "type", "size", "share", "lowered", "_values", "varies"):
            self.__dict__.pop(name, None)


def find_proposals(template: Template, known: Sequence[KnownPage]) -> list[Proposal]:
    """Return what may be fields of the pages of a template, in document order."""
    pages = [each.page for each in known]
    slots = find_slots(template, pages, [each.labels for each in known])
    labelled = _labelled(pages)
    trail = _trail(pages)
    if trail:
        slots = list(compress(slots, _outside(pages, slots, trail)))
        labelled = list(compress(labelled, _outside(pages, [each.slot for each in labelled], trail)))
    labelled = _without_labels_of_few(labelled, slots)
    items = [items for items in [_items_of(pages, trail)] if items] if trail else []
    texts = _texts_of_slots(pages, [*slots, *items])
    proposals = [
        Proposal(pages, slot, of_slot) for slot, of_slot in zip([*slots, *items], texts, strict=True)
    ]
    for proposal in proposals[len(slots) :]:
        proposal.name, proposal.is_meant = "breadcrumb", True
    by_author = ByAuthor(known)
    chosen = [*labelled, *(each for each in _with_addresses(proposals) if _is_kept(each, by_author))]
    chosen = _without_copies(_without_equal_days(chosen))
    firsts = first_nodes([each.slot for each in chosen]).reshape(-1, len(pages))
    _note_items(chosen, firsts)
    _note_attributes(chosen, firsts)
    positions = _positions(pages, firsts)
    order = sorted(range(len(chosen)), key=lambda k: (positions[k], chosen[k].slot.attribute or ""))
    return [chosen[k] for k in order]


def _note_items(proposals: Sequence[Proposal], firsts: Int64) -> None:
    """Note which proposals are items; firsts: (s, p) their first elements on each page, -1 for none."""
    if not proposals:
        return
    inside = np.stack(
        [_in_items(page.dom, nodes) for page, nodes in zip(proposals[0].pages, firsts.T, strict=True)], axis=1
    )
    is_item = 2 * inside.sum(axis=1) > (firsts >= 0).sum(axis=1)
    for each, is_in_item in zip(proposals, is_item.tolist(), strict=True):
        each.is_item = each.slot.order >= 0 or is_in_item


def _note_attributes(proposals: Sequence[Proposal], firsts: Int64) -> None:
    """Note the attributes of proposals; firsts: (s, p) their first elements on each page, -1 for none."""
    of_page = (firsts >= 0).argmax(axis=1)
    for number in np.unique(of_page).tolist():
        dom = proposals[0].pages[number].dom
        chosen = np.flatnonzero(of_page == number)
        levels = [firsts[chosen, number]]
        for _ in range(_NAMED_LEVELS - 1):
            levels.append(np.where(levels[-1] >= 0, dom.parent[levels[-1]], -1))
        around = np.stack(levels, axis=1)
        nodes = np.unique(around[around >= 0])
        attributes = dict(zip(nodes.tolist(), _attributes(dom, nodes), strict=True))
        for k, of_levels in zip(chosen.tolist(), around.tolist(), strict=True):
            proposals[k].attributes = [attributes[node] for node in of_levels if node >= 0]


def _attributes(dom: Dom, nodes: Int64) -> list[dict[str, str]]:
    """Return the attributes of each of some nodes (k,), which may be far from each other."""
    begin = dom.attr_start[nodes]
    size = dom.attr_start[nodes + 1] - begin
    end = np.cumsum(size)
    chosen = np.arange(size.sum()) + np.repeat(begin - end + size, size)
    names = [dom.names[name] for name in dom.attr_name[chosen].tolist()]
    values = [dom.values.texts[value] for value in dom.value[chosen].tolist()]
    pairs = list(zip(names, values, strict=True))
    return [dict(pairs[first:last]) for first, last in pairwise([0, *end.tolist()])]


def _in_items(dom: Dom, nodes: Int64) -> Bool:
    """Return whether each node (k,), -1 for none, or one of a few around it has a sibling of its shape."""
    types = dom.tag.astype(np.int64) << 32
    attributes, owners = dom.find_attribute("class")
    types[owners] += dom.value[attributes] + 1
    item = dom.tag_number("li")
    asked = nodes.astype(np.int32)
    inside: Bool = in_items(
        (dom.parent, dom.end), dom.tag, types, item, asked, _ITEM_LEVELS, _MOST_SIBLINGS, _SHAPE
    )
    return inside


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


def _positions(pages: Sequence[Page], firsts: Int64) -> list[float]:
    """Return the mean place of the elements (s, p) on the pages, -1 for none; of each slot."""
    size = np.array([max(len(page.dom), 1) for page in pages])
    places = np.where(firsts >= 0, firsts / size, 0.0)
    mean = places.sum(axis=1) / np.maximum((firsts >= 0).sum(axis=1), 1)
    return [round(place, 6) for place in mean.tolist()]


def _texts_of_slots(pages: Sequence[Page], slots: Sequence[Slot]) -> list[list[list[str]]]:
    """Return the texts of the elements of each slot on each page; a page is read once for each attribute."""
    texts: list[list[list[str]]] = [[[] for _ in pages] for _ in slots]
    by_attribute: defaultdict[str | None, list[int]] = defaultdict(list)
    for k, slot in enumerate(slots):
        by_attribute[slot.attribute].append(k)
    for attribute, chosen in by_attribute.items():
        for number, page in enumerate(pages):
            nodes = [slots[k].nodes[number] for k in chosen]
            joined = list(chain.from_iterable(nodes))
            if not joined:
                continue
            values = texts_at(page, joined, attribute)
            at = 0
            for k, of_slot in zip(chosen, nodes, strict=True):
                end = at + len(of_slot)
                texts[k][number] = values[at:end]
                at = end
    return texts


def _is_kept(proposal: Proposal, by_author: ByAuthor) -> bool:
    """Return whether enough pages have different values, or the author; and no item of a list is long."""
    if proposal.share < MIN_NAMED_SHARE or not (proposal.varies or by_author.wrote(proposal)):
        return False
    return not proposal.slot.is_list or proposal.size <= SHORT or proposal.slot.attribute is not None


class ByAuthor:
    """The authors that pages state."""

    def __init__(self, known: Sequence[KnownPage]) -> None:
        self._names = [[tokens(value) for value in each.stated.get("author", ())] for each in known]
        self._is_stated = any(self._names)
        self._marked: dict[Page, set[int]] = {}

    def wrote(self, proposal: Proposal) -> bool:
        """Return whether texts are the author by markup, or the one that the pages state.

        A site may have one author.
        """
        if proposal.slot.attribute is not None or proposal.slot.is_list or proposal.size > SHORT:
            return False
        page, node = proposal.first
        if page not in self._marked:
            marked = [page.dom.nodes_where(name, _IS_AUTHOR).tolist() for name in ("rel", "itemprop")]
            self._marked[page] = set(chain.from_iterable(marked))
        if node in self._marked[page]:
            return True
        if not self._is_stated:
            return False
        pairs = [
            (of_page[0], names) for of_page, names in zip(proposal.texts, self._names, strict=True) if of_page
        ]
        same = [1 for text, names in pairs if any(has_tokens(text, name) for name in names)]
        return len(same) >= MAX_EQUAL * len(pairs)


def has_tokens(text: str, wanted: Sequence[str]) -> bool:
    """Return whether the tokens of a text are the wanted ones.

    >>> has_tokens("The end.", ["the", "end"]), has_tokens("The end is near", ["the", "end"])
    (True, False)
    """
    lowered = text.lower()
    if wanted and (wanted[0] not in lowered or wanted[-1] not in lowered):
        return False  # most texts
    return TOKEN.findall(lowered) == wanted


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
            is_part = "#" in "".join(proposal.firsts)
            if text and not text.varies and any(words) and not is_part:
                proposal.name = label_name(max(words, key=len))[:24]
                yield proposal
        elif proposal.slot.attribute != "datetime" or proposal.type == "date":
            yield proposal


def _without_copies(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without those whose elements another one has, or contains with the same text."""
    kept: list[Proposal] = []
    places: set[tuple[object, ...]] = set()
    labelled = [k for k, each in enumerate(proposals) if each.label]
    repeats = _repeats(proposals, labelled)
    kept_labelled: list[int] = []  # numbers among the labelled ones
    for k, proposal in enumerate(proposals):
        key = proposal.slot.nodes, proposal.slot.attribute
        if key in places or (kept_labelled and repeats[k, kept_labelled].any()):
            continue
        places.add(key)
        kept.append(proposal)
        if proposal.label:
            kept_labelled.append(labelled.index(k))
    return kept


def _repeats(proposals: Sequence[Proposal], labelled: Sequence[int]) -> Bool:
    """Return whether all elements of each proposal, or one of its items, are within those of a labelled one.

    labelled: the numbers of the labelled ones. Returns (s, l).
    """
    repeats = np.zeros((len(proposals), len(labelled)), np.bool_)
    if not labelled:
        return repeats
    pages = proposals[0].pages
    firsts = first_nodes([each.slot for each in proposals])
    around = firsts[list(labelled)]
    ends = np.stack([page.dom.end[nodes] for page, nodes in zip(pages, around.T, strict=True)], axis=1)
    for k, proposal in enumerate(proposals):
        if proposal.slot.attribute is not None:
            continue
        if proposal.slot.is_list:
            for number, other in enumerate(labelled):
                pairs = zip(proposal.slot.nodes, proposals[other].slot.nodes, strict=True)
                repeats[k, number] = any(not set(nodes).isdisjoint(labels) for nodes, labels in pairs)
            continue
        has_any = firsts[k] >= 0
        inside = (around >= 0) & (around <= firsts[k]) & (firsts[k] < ends)
        repeats[k] = (inside | ~has_any).all(axis=1) & has_any.any()
    return repeats


def _labelled(pages: Sequence[Page]) -> list[Proposal]:
    """Return the values with a label that enough pages have."""
    nodes_of: defaultdict[tuple[str, str], list[tuple[int, ...]]] = defaultdict(lambda: [()] * len(pages))
    for number, page in enumerate(pages):
        for form, label, node in label_pairs(page):
            of_label = nodes_of[form, label]
            of_label[number] = of_label[number] or (node,)
    labels = [
        (form, label)
        for (form, label), nodes in sorted(nodes_of.items())
        if len(nodes) - nodes.count(())
        >= len(pages) * (MIN_SHARE if form in BEHIND_LABEL else MIN_NAMED_SHARE)
    ]
    slots = [Slot(-1, None, tuple(nodes_of[label])) for label in labels]
    texts = _texts_of_slots(pages, slots)
    proposals = []
    for (form, label), slot, of_slot in zip(labels, slots, texts, strict=True):
        proposal = Proposal(pages, slot, of_slot, (form, label), name=label_name(label), is_meant=True)
        if form in BEHIND_LABEL:
            proposal.trimmed(" ".join(label.split()))
        longest = LONGEST if form in ("dt", "th", "td") else SHORT
        if proposal.varies and proposal.size <= longest:
            proposals.append(proposal)
    return proposals


def _without_labels_of_few(labelled: Sequence[Proposal], slots: Sequence[Slot]) -> list[Proposal]:
    """Return labelled proposals without those at places where more pages have another label, or none.

    slots: of the template.
    """
    texts = [slot for slot in slots if slot.attribute is None and not slot.is_list and slot.order < 0]
    if not texts or not labelled:
        return list(labelled)
    around = first_nodes(texts)
    kept = []
    for each in labelled:
        if each.label is not None and each.label[0] in BEHIND_LABEL:
            [nodes] = first_nodes([each.slot])
            is_inside = ((nodes < 0) | (nodes == around)).all(axis=1)
            others = ((nodes < 0) & (around >= 0)).sum(axis=1)
            if (is_inside & (others > MIN_NAMED_SHARE * len(nodes))).any():
                continue
        kept.append(each)
    return kept


def _trail(pages: Sequence[Page]) -> list[int] | None:
    """Return the element of the trail of links on each page, -1 for none; None if few pages have it."""
    trail = [next(_trail_elements(page.dom), -1) for page in pages]
    return trail if sum([node >= 0 for node in trail]) >= max(2, MIN_SHARE * len(pages)) else None


def _trail_elements(dom: Dom) -> Iterator[int]:
    """Yield the elements whose id, class, label or item type names a trail, and that contain a link."""
    names = "class", "id", "aria-label", "itemtype"
    named = np.unique(np.concatenate([dom.nodes_where(name, _IS_TRAIL) for name in names]))
    links = dom.find_tag("a")
    for node in named.tolist():
        size = int(dom.text_start[dom.end[node]] - dom.text_start[node])
        if size <= _LONGEST_TRAIL and np.searchsorted(links, dom.end[node]) > np.searchsorted(
            links, node, side="right"
        ):
            yield node


def _outside(pages: Sequence[Page], slots: Sequence[Slot], trail: Sequence[int]) -> list[bool]:
    """Return of each slot whether its elements are not within the trail on all pages that have both."""
    firsts, top = first_nodes(slots).reshape(-1, len(pages)), np.array(trail)
    end = np.array([page.dom.end[node] for page, node in zip(pages, trail, strict=True)])
    has_both = (firsts >= 0) & (top >= 0)
    inside = (top <= firsts) & (firsts < end)
    is_inside = (inside | ~has_both).all(axis=1) & has_both.any(axis=1)
    outside: list[bool] = np.logical_not(is_inside).tolist()
    return outside


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
