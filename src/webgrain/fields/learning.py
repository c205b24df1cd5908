"""Learn the fields of a page type from some of its pages and their template.

1. What may be a field is collected (`webgrain.fields.proposals`): texts, images and addresses at the places
   of the template, labels with their values, and the trail of links. Values equal on most pages are left out.
2. Each gets a name (`webgrain.fields.naming`).
3. Of those without a name of a meaning, texts that few pages have, long texts, and prose within the main
   content or a description are left out.
4. The others get a selector that selects their elements on the pages (`webgrain.fields.selectors`).
5. What only the head or JSON-LD states becomes a field, too.

Pages are compared in the order of their ids, so the order in which they are given has no effect. The cost is
linear in the nodes of the pages, and bounded by `MAX_FIELDS` and `MAX_CANDIDATES` for selectors.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

import numpy as np

from webgrain.base.arrays import Int64
from webgrain.fields.collection import Fields
from webgrain.fields.field import Field
from webgrain.fields.naming import NAMES, distinct, with_names
from webgrain.fields.pairs import pair_xpath
from webgrain.fields.proposals import KnownPage, Proposal, find_proposals
from webgrain.fields.selectors import FieldSelector, verified_selectors
from webgrain.fields.slots import Slot, first_nodes
from webgrain.fields.stated import METAS, NAMES_OF_KEYS, json_ld_values
from webgrain.fields.thresholds import (
    EXAMPLE,
    EXAMPLES,
    LONGEST,
    MAX_FIELDS,
    MIN_DISTINCT,
    MIN_NAMED_SHARE,
    MIN_SHARE,
    SHORT,
)
from webgrain.fields.values import converted, texts_at
from webgrain.page.dom import Dom
from webgrain.page.page import Page
from webgrain.templates.template import Template

_TYPES = {"title": "text", "author": "text", "text": "text", "description": "text", "image": "image"}
"""Types of fields by their names, whatever their values look like."""
JSON_LD = FieldSelector('script[type="application/ld+json"]', "//script[@type='application/ld+json']")


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
    proposals = with_names(find_proposals(template, known), known)
    main = _main_content(known)
    descriptions = [each.slot for each in proposals if each.is_meant and each.name == "description"]
    contents = np.array([[each.main for each in known], *first_nodes(descriptions).tolist()])
    is_inside = _are_within(proposals, contents)
    kept = [each for each, is_within in zip(proposals, is_inside, strict=True) if _is_field(each, is_within)]
    kept = _without_lists_of_fields(kept)
    if main is not None:
        kept.append(main)
    kept = _largest(_without_equal_values(kept))
    pages = [each.page for each in known]
    selectors = verified_selectors(pages, [each.slot.nodes for each in kept])
    fields = [_field(each, selector) for each, selector in zip(kept, selectors, strict=True)]
    chosen = [field for field in fields if field is not None]
    chosen += _declared(known, {field.name for field in chosen})
    chosen.sort(key=lambda field: NAMES.index(field.name) if field.name in NAMES else len(NAMES))
    names = distinct(field.name for field in chosen)
    renamed = [
        field if field.name == name else replace(field, name=name)
        for field, name in zip(chosen, names, strict=True)
    ]
    return Fields(renamed)


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


def _are_within(proposals: Sequence[Proposal], contents: Int64) -> list[bool]:
    """Return of each proposal whether its elements are within some content on most pages.

    contents: (c, p) the elements of each page around prose: its main content, its descriptions; -1 for none.
    """
    if not proposals:
        return []
    pages = proposals[0].pages
    firsts = first_nodes([each.slot for each in proposals])
    ends = np.stack([page.dom.end[nodes] for page, nodes in zip(pages, contents.T, strict=True)], axis=1)
    is_within = np.zeros(len(proposals), np.bool_)
    for around, end in zip(contents, ends, strict=True):
        has_both = (firsts >= 0) & (around >= 0)
        inside = has_both & (around <= firsts) & (firsts < end)
        is_within |= 2 * inside.sum(axis=1) > np.maximum(has_both.sum(axis=1), 1)
    within: list[bool] = is_within.tolist()
    return within


def _without_lists_of_fields(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without lists whose items are, or contain, fields with a name of a meaning."""
    named = [each for each in proposals if each.is_meant and not each.slot.is_list and each.name != "image"]
    fields = first_nodes([each.slot for each in named])

    def has_field(items: Proposal) -> bool:
        for page, nodes, of_fields in zip(items.pages, items.slot.nodes, fields.T, strict=True):
            begin = np.array(nodes, np.int64)[:, None]
            if ((begin <= of_fields) & (of_fields < page.dom.end[begin])).any():
                return True
        return False

    return [
        each
        for each in proposals
        if each.is_meant or not each.slot.is_list or not (named and has_field(each))
    ]


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


def _declared(known: Sequence[KnownPage], taken: set[str]) -> Iterator[Field]:
    """Yield fields that only ``meta`` elements or JSON-LD state."""
    pages = [each.page for each in known]
    nodes_of_metas = [_nodes_of_metas(page.dom) for page in pages]
    for name, metas in METAS.items():
        if name in taken:
            continue
        for meta in metas:
            attribute = "property" if ":" in meta else "name"
            nodes = tuple([of_page.get((attribute, meta), ()) for of_page in nodes_of_metas])
            if not any(nodes):
                continue
            proposal, selector = _meta(pages, name, attribute, meta, nodes)
            if proposal.share >= MIN_SHARE and proposal.varies:
                field = _field(proposal, selector)
                if field is not None:
                    taken.add(name)
                    yield field
                break
    values_of_pages = [json_ld_values(page.dom) for page in pages]
    declared = set[str]().union(*values_of_pages)
    for key, name in NAMES_OF_KEYS.items():
        if name in taken or key not in declared:
            continue
        texts = [[values.get(key, "")] for values in values_of_pages]
        proposal = Proposal(pages, Slot(-1, None, ((),) * len(pages)), texts, name=name)
        if proposal.share >= max(MIN_NAMED_SHARE, MIN_SHARE) and proposal.varies:
            taken.add(name)
            type_ = _TYPES.get(name, proposal.type)
            examples = _examples(proposal, type_)
            yield Field(name, type_, *JSON_LD, round(proposal.share, 4), examples, key=key)


def _nodes_of_metas(dom: Dom) -> dict[tuple[str, str], tuple[int, ...]]:
    """Return the first element with each value of an attribute that names ``meta`` elements."""
    nodes: dict[tuple[str, str], tuple[int, ...]] = {}
    for attribute in ("name", "property"):
        attributes, owners = dom.find_attribute(attribute)
        for node, value in zip(owners.tolist(), dom.values_of(attributes), strict=True):
            if value is not None and (attribute, value) not in nodes:
                nodes[attribute, value] = (node,)
    return nodes


def _meta(
    pages: Sequence[Page], name: str, attribute: str, meta: str, nodes: tuple[tuple[int, ...], ...]
) -> tuple[Proposal, FieldSelector]:
    """Return what the ``meta`` elements with a name state, and their selector; nodes: of each page."""
    slot = Slot(-1, "content", nodes)
    texts = [texts_at(page, of_page, "content") for page, of_page in zip(pages, nodes, strict=True)]
    selector = FieldSelector(f'meta[{attribute}="{meta}"]', f"//meta[@{attribute}='{meta}']")
    return Proposal(pages, slot, texts, name=name), selector
