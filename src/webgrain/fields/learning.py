"""Learn the fields of a page type from some of its pages and their template.

1. What may be a field is collected (`webgrain.fields.places`): texts, images and addresses at the places of
   the template, labels with their values, and the trail of links to the page (breadcrumb). Values equal on
   most pages are left out.
2. Each gets a name (`webgrain.fields.naming`).
3. Of those without a name of a meaning, texts that few pages have, long texts, and prose within the main
   content or a description are left out.
4. The others get a selector that selects their elements on the pages (`webgrain.fields.selectors`).
5. What only the head or JSON-LD states becomes a field, too.

Pages are compared in the order of their ids, so the order in which they are given has no effect. The cost is
linear in the nodes of the pages, and bounded by `MAX_FIELDS` and `MAX_CANDIDATES` for selectors.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, compress, pairwise

import numpy as np

from webgrain.base.arrays import Bool, Int64
from webgrain.base.metrics import tokens
from webgrain.fields.field import Field, Fields
from webgrain.fields.fieldkernel import in_items
from webgrain.fields.naming import NAMES, distinct, with_names
from webgrain.fields.places import (
    BEHIND_LABEL,
    KnownPage,
    Proposal,
    Slot,
    find_slots,
    first_nodes,
    label_name,
    label_pairs,
    pair_xpath,
)
from webgrain.fields.selectors import FieldSelector, verified_selectors
from webgrain.fields.thresholds import (
    EXAMPLE,
    EXAMPLES,
    LONGEST,
    MAX_EQUAL,
    MAX_FIELDS,
    MIN_DISTINCT,
    MIN_NAMED_SHARE,
    MIN_SHARE,
    SHORT,
)
from webgrain.fields.values import (
    METAS,
    NAMES_OF_KEYS,
    converted,
    day_of,
    has_tokens,
    json_ld_values,
    texts_at,
)
from webgrain.page.dom import Dom
from webgrain.page.markup import metas
from webgrain.page.page import Page
from webgrain.page.values import Question
from webgrain.templates.template import Template

JSON_LD = FieldSelector('script[type="application/ld+json"]', "//script[@type='application/ld+json']")
_TYPES = {"title": "text", "author": "text", "text": "text", "description": "text", "image": "image"}
"""Types of fields by their names, whatever their values look like."""
_ITEM_LEVELS, _MOST_SIBLINGS, _SHAPE = 4, 40, 8
"""Elements upwards, beside and inside of an element that are compared (hand-set)."""
_LONGEST_TRAIL = 2000  # characters with white space (hand-set)
_TRAIL = re.compile(r"bread-?_?crumb|(?<![a-z])crumbs?(?![a-z])", re.IGNORECASE)
_IS_TRAIL = Question(lambda value: _TRAIL.search(value[:300]) is not None, np.bool_)
_IS_AUTHOR = Question(lambda value: "author" in value.split(), np.bool_)
_NAMED_LEVELS = 4  # elements upwards whose attributes name a field


def learn_fields(template: Template, known: Sequence[KnownPage]) -> Fields:
    """Return the fields of the pages of a template; none for fewer than two pages.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.templates.sitetemplate import SiteTemplate
    >>> from webgrain.templates.sections import Sectioner
    >>> html = "<h1>Tea {0}</h1><p class=price>{0},50 €</p><dl><dt>Weight<dd>{0}0 g</dl><p>Shop</p>"
    >>> pages = [parse(html.format(number)) for number in range(1, 5)]
    >>> template = SiteTemplate().fit(pages).template_
    >>> labels = [Sectioner(template=template).labels(page) for page in pages]
    >>> stated = [{"title": (f"Tea {number}",)} for number in range(1, 5)]
    >>> known = [KnownPage(*facts, (3,), -1) for facts in zip(pages, labels, stated)]
    >>> [(field.name, field.type, field.css) for field in learn_fields(template, known)]
    [('title', 'text', 'h1'), ('price', 'price', 'p.price'), ('weight', 'text', 'body > dl > dd')]
    """
    if len(known) < 2:
        return Fields()
    known = sorted(known, key=lambda each: each.page.id)
    pages = [each.page for each in known]
    proposals = with_names(_proposals(template, known), known)
    kept = _kept(proposals, known)
    selectors = verified_selectors(pages, [each.slot.nodes for each in kept])
    fields = [field for field in map(_field, kept, selectors) if field is not None]
    fields += _declared(pages, {field.name for field in fields})
    fields.sort(key=lambda field: NAMES.index(field.name) if field.name in NAMES else len(NAMES))
    names = distinct(field.name for field in fields)
    return Fields([replace(field, name=name) for field, name in zip(fields, names, strict=True)])


# 1. What may be a field


def _proposals(template: Template, known: Sequence[KnownPage]) -> list[Proposal]:
    """Return what may be fields of the pages of a template, in document order."""
    pages = [each.page for each in known]
    slots = find_slots(template, pages, [each.labels for each in known])
    labelled = _labelled_values(pages)
    trail = _trail(pages)
    items = None
    if trail is not None:
        slots = list(compress(slots, _outside(pages, slots, trail)))
        labelled = list(compress(labelled, _outside(pages, [each.slot for each in labelled], trail)))
        items = _items_of(pages, trail)
    labelled = _without_labels_of_few(labelled, slots)
    every = slots if items is None else [*slots, items]
    texts = _texts_of_slots(pages, every)
    proposals = [Proposal(pages, slot, of_slot) for slot, of_slot in zip(every, texts, strict=True)]
    for proposal in proposals[len(slots) :]:
        proposal.name, proposal.is_meant = "breadcrumb", True
    by_author = _ByAuthor(known)
    chosen = [*labelled, *(each for each in _with_addresses(proposals) if _may_be_field(each, by_author))]
    chosen = _without_copies(_without_equal_days(chosen))
    firsts = first_nodes([each.slot for each in chosen], len(pages))
    _note_items(chosen, firsts)
    _note_attributes(chosen, firsts)
    positions = _positions(pages, firsts)
    order = sorted(range(len(chosen)), key=lambda k: (positions[k], chosen[k].slot.attribute or ""))
    return [chosen[k] for k in order]


def _labelled_values(pages: Sequence[Page]) -> list[Proposal]:
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
    pages = len(labelled[0].pages)
    around = first_nodes(texts, pages)
    kept = []
    for each in labelled:
        if each.label is not None and each.label[0] in BEHIND_LABEL:
            [nodes] = first_nodes([each.slot], pages)
            is_inside = ((nodes < 0) | (nodes == around)).all(axis=1)
            others = ((nodes < 0) & (around >= 0)).sum(axis=1)
            if (is_inside & (others > MIN_NAMED_SHARE * len(nodes))).any():
                continue
        kept.append(each)
    return kept


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
    firsts, top = first_nodes(slots, len(pages)), np.array(trail)
    has_both = (firsts >= 0) & (top >= 0)
    is_inside = (_inside(pages, firsts, top) | ~has_both).all(axis=1) & has_both.any(axis=1)
    outside: list[bool] = np.logical_not(is_inside).tolist()
    return outside


def _inside(pages: Sequence[Page], nodes: Int64, around: Int64) -> Bool:
    """Return which nodes (s, p) are within the elements (p,) of their pages; -1 for none in both."""
    ends = np.array([page.dom.end[node] for page, node in zip(pages, around.tolist(), strict=True)])
    is_inside: Bool = (nodes >= 0) & (around >= 0) & (around <= nodes) & (nodes < ends)
    return is_inside


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


def _may_be_field(proposal: Proposal, by_author: _ByAuthor) -> bool:
    """Return whether enough pages have different values, or the author; and no item of a list is long."""
    if proposal.share < MIN_NAMED_SHARE or not (proposal.varies or by_author.wrote(proposal)):
        return False
    return not proposal.slot.is_list or proposal.size <= SHORT or proposal.slot.attribute is not None


class _ByAuthor:
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
    firsts = first_nodes([each.slot for each in proposals], len(pages))
    has_none = firsts < 0
    lists = [k for k, each in enumerate(proposals) if each.slot.is_list]
    for number, other in enumerate(labelled):
        repeats[:, number] = (_inside(pages, firsts, firsts[other]) | has_none).all(axis=1)
        for k in lists:
            pairs = zip(proposals[k].slot.nodes, proposals[other].slot.nodes, strict=True)
            repeats[k, number] = any(not set(nodes).isdisjoint(labels) for nodes, labels in pairs)
    repeats[has_none.all(axis=1) & ~np.isin(np.arange(len(proposals)), lists)] = False
    repeats[[each.slot.attribute is not None for each in proposals]] = False
    return repeats


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


def _positions(pages: Sequence[Page], firsts: Int64) -> list[float]:
    """Return the mean place of the elements (s, p) on the pages, -1 for none; of each slot."""
    size = np.array([max(len(page.dom), 1) for page in pages])
    places = np.where(firsts >= 0, firsts / size, 0.0)
    mean = places.sum(axis=1) / np.maximum((firsts >= 0).sum(axis=1), 1)
    return [round(place, 6) for place in mean.tolist()]


# 3. Which are kept


def _kept(proposals: Sequence[Proposal], known: Sequence[KnownPage]) -> list[Proposal]:
    """Return the proposals that become fields, and the main content."""
    descriptions = [each.slot for each in proposals if each.is_meant and each.name == "description"]
    contents = [np.array([each.main for each in known]), *first_nodes(descriptions, len(known))]
    is_inside = _are_within(proposals, contents)
    kept = [each for each, is_within in zip(proposals, is_inside, strict=True) if _is_field(each, is_within)]
    kept = _without_lists_of_fields(kept)
    main = _main_content(known)
    if main is not None:
        kept.append(main)
    return _largest(_without_equal_values(kept))


def _main_content(known: Sequence[KnownPage]) -> Proposal | None:
    """Return the main content as a field, None if few pages have any."""
    is_part = [each.main > 0 and each.page.dom.name(each.main) != "body" for each in known]
    if sum(is_part) < max(2, MIN_SHARE * len(known)):
        return None
    nodes = tuple([(each.main,) if has_main else () for each, has_main in zip(known, is_part, strict=True)])
    pages = [each.page for each in known]
    texts = [texts_at(page, of_page, None) for page, of_page in zip(pages, nodes, strict=True)]
    main = Proposal(pages, Slot(-1, None, nodes), texts, name="text", is_meant=True)
    return main if main.varies else None


def _is_field(proposal: Proposal, is_within: bool) -> bool:
    """Return whether a proposal is kept: it has a name of a meaning, or is short and outside of prose.

    is_within: whether it is within prose.
    """
    if proposal.is_meant:
        return True
    if not proposal.slot.is_list and (proposal.is_item or proposal.distinct < MIN_DISTINCT):
        return False
    if proposal.share < MIN_SHARE or proposal.size > LONGEST:
        return False
    if not is_within:
        return True
    is_named = any(values.get("class") or values.get("itemprop") for values in proposal.attributes[:2])
    return is_named and proposal.size <= SHORT and not proposal.slot.is_list


def _are_within(proposals: Sequence[Proposal], contents: Sequence[Int64]) -> list[bool]:
    """Return of each proposal whether its elements are within some content on most pages.

    contents: elements (p,) of the pages around prose: their main content, their descriptions; -1 for none.
    """
    if not proposals:
        return []
    pages = proposals[0].pages
    firsts = first_nodes([each.slot for each in proposals], len(pages))
    is_within = np.zeros(len(proposals), np.bool_)
    for around in contents:
        has_both = (firsts >= 0) & (around >= 0)
        inside = _inside(pages, firsts, around)
        is_within |= 2 * inside.sum(axis=1) > np.maximum(has_both.sum(axis=1), 1)
    within: list[bool] = is_within.tolist()
    return within


def _without_lists_of_fields(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without lists whose items are, or contain, fields with a name of a meaning."""
    named = [each for each in proposals if each.is_meant and not each.slot.is_list and each.name != "image"]
    if not named:
        return list(proposals)
    fields = first_nodes([each.slot for each in named], len(named[0].pages))

    def has_field(items: Proposal) -> bool:
        for page, nodes, of_fields in zip(items.pages, items.slot.nodes, fields.T, strict=True):
            begin = np.array(nodes, np.int64)[:, None]
            if ((begin <= of_fields) & (of_fields < page.dom.end[begin])).any():
                return True
        return False

    return [each for each in proposals if each.is_meant or not each.slot.is_list or not has_field(each)]


def _without_equal_values(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without those that have the values of another one on all pages, by their rank."""
    seen: set[str] = set()
    kept = []
    ranked = sorted(range(len(proposals)), key=lambda k: (not proposals[k].is_meant, k))
    for k in ranked:
        values = " \0 ".join([" ".join(of_page) for of_page in proposals[k].texts])
        values = " ".join(values.split())
        if values not in seen:
            seen.add(values)
            kept.append(k)
    return [proposals[k] for k in sorted(kept)]


def _largest(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return the proposals that are kept if there are too many: by meaning, then by the share of pages."""
    ranked = sorted(range(len(proposals)), key=lambda k: (not proposals[k].is_meant, -proposals[k].share, k))
    return [proposals[k] for k in sorted(ranked[:MAX_FIELDS])]


# 4. Fields


def _field(proposal: Proposal, selector: FieldSelector | None) -> Field | None:
    """Return the field of a proposal, None if nothing selects its elements."""
    css, xpath = selector if selector else (None, None)
    if proposal.label:
        page, node = proposal.first
        xpath = pair_xpath(*proposal.label, page.dom.name(node))
    elif selector is None:
        return None
    type_ = _TYPES.get(proposal.name, proposal.type)
    return Field(
        name=proposal.name,
        type=type_,
        css=css,
        xpath=xpath,
        share=round(proposal.share, 4),
        examples=_examples(proposal, type_),
        attribute=proposal.slot.attribute,
        before=proposal.before,
        after=proposal.after,
        label=proposal.label,
    )


def _examples(proposal: Proposal, type_: str) -> tuple[str, ...]:
    """Return some different values, as they are read."""
    examples: dict[str, None] = {}
    for text in proposal.texts if type_ == "list" else proposal.firsts:
        if isinstance(text, list):
            value = " | ".join([" ".join(item.split()) for item in text])
        else:
            value = " ".join(str(converted(text, type_)).split())
        if value:
            examples[value[:EXAMPLE]] = None
        if len(examples) == EXAMPLES:
            break
    return tuple(examples)


# 5. What only the head states


def _declared(pages: Sequence[Page], taken: Collection[str]) -> list[Field]:
    """Return fields that only ``meta`` elements or JSON-LD state; taken: names that other fields have."""
    fields: dict[str, Field] = {}
    nodes_of_pages = [_nodes_of_metas(page.dom) for page in pages]
    for name, named in METAS.items():
        of_metas = (_of_meta(pages, nodes_of_pages, name, meta) for meta in named if name not in taken)
        field = next(filter(None, of_metas), None)
        if field is not None:
            fields[name] = field
    values_of_pages = [json_ld_values(page.dom) for page in pages]
    declared = set[str]().union(*values_of_pages)
    for key, name in NAMES_OF_KEYS.items():
        if name in taken or name in fields or key not in declared:
            continue
        texts = [[values.get(key, "")] for values in values_of_pages]
        proposal = Proposal(pages, Slot(-1, None, ((),) * len(pages)), texts, name=name)
        field = _field(proposal, JSON_LD) if _is_stated(proposal) else None
        if field is not None:
            fields[name] = replace(field, key=key)
    return list(fields.values())


def _is_stated(proposal: Proposal) -> bool:
    """Return whether enough pages state different values."""
    return proposal.share >= MIN_SHARE and proposal.varies


def _nodes_of_metas(dom: Dom) -> dict[tuple[str, str], int]:
    """Return the first ``meta`` element with each attribute and its value."""
    nodes: dict[tuple[str, str], int] = {}
    for node, attributes in zip(dom.find_tag("meta").tolist(), metas(dom), strict=True):
        for attribute in attributes.items():
            nodes.setdefault(attribute, node)
    return nodes


def _of_meta(
    pages: Sequence[Page], nodes_of_pages: Sequence[Mapping[tuple[str, str], int]], name: str, meta: str
) -> Field | None:
    """Return the field of the ``meta`` elements with a name, None if few pages state different values.

    nodes_of_pages: of `_nodes_of_metas`; name: of the field; meta: of the elements.
    """
    # Pages use both attributes for both forms of names; a site uses one of them.
    attribute = max(
        ("property", "name") if ":" in meta else ("name", "property"),
        key=lambda attribute: sum((attribute, meta) in nodes for nodes in nodes_of_pages),
    )
    firsts = [nodes.get((attribute, meta), -1) for nodes in nodes_of_pages]
    if max(firsts) < 0:
        return None
    nodes = tuple([(node,) if node >= 0 else () for node in firsts])
    texts = [texts_at(page, of_page, "content") for page, of_page in zip(pages, nodes, strict=True)]
    proposal = Proposal(pages, Slot(-1, "content", nodes), texts, name=name)
    selector = FieldSelector(f'meta[{attribute}="{meta}"]', f"//meta[@{attribute}='{meta}']")
    return _field(proposal, selector) if _is_stated(proposal) else None
