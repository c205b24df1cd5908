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

from webgrain.fields.collection import Fields
from webgrain.fields.field import Field
from webgrain.fields.naming import NAMES, distinct, with_names
from webgrain.fields.pairs import pair_xpath
from webgrain.fields.proposals import KnownPage, Proposal, find_proposals
from webgrain.fields.selectors import FieldSelector, verified_selectors
from webgrain.fields.slots import Slot
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
    contents = [[each.main for each in known]]
    contents += [
        [next(iter(nodes), -1) for nodes in each.slot.nodes]
        for each in proposals
        if each.is_meant and each.name == "description"
    ]
    kept = _without_lists_of_fields([each for each in proposals if _is_field(each, contents)])
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
    return Fields([_renamed(field, name) for field, name in zip(chosen, names, strict=True)])


def _renamed(field: Field, name: str) -> Field:
    values = field.to_dict() | {"name": name}
    return Field.from_dict(values)


def _main_content(known: Sequence[KnownPage]) -> Proposal | None:
    """Return the main content as a field, None if few pages have any."""
    is_part = [each.main > 0 and each.page.dom.name(each.main) != "body" for each in known]
    nodes = tuple((each.main,) if found else () for each, found in zip(known, is_part, strict=True))
    if sum(map(bool, nodes)) < max(2, MIN_SHARE * len(known)):
        return None
    pages = [each.page for each in known]
    texts = [texts_at(page, of_page, None) for page, of_page in zip(pages, nodes, strict=True)]
    main = Proposal(pages, Slot(-1, None, nodes), texts, name="text", is_meant=True)
    return main if main.varies else None


def _is_field(proposal: Proposal, contents: Sequence[Sequence[int]]) -> bool:
    """Return whether a proposal is kept: it has a name of a meaning, or is short and outside of prose.

    contents: the elements of each page around prose: its main content, its description.
    """
    if proposal.is_meant:
        return True
    if not proposal.slot.is_list and (proposal.is_item or proposal.distinct < MIN_DISTINCT):
        return False
    if proposal.share < MIN_SHARE or proposal.size > LONGEST:
        return False
    if not any(_is_within(proposal, content) for content in contents):
        return True
    is_named = any(values.get("class") or values.get("itemprop") for values in proposal.attributes[:2])
    return is_named and proposal.size <= SHORT and not proposal.slot.is_list


def _without_lists_of_fields(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without lists whose items are, or contain, fields with a name of a meaning."""
    named = [each for each in proposals if each.is_meant and not each.slot.is_list and each.name != "image"]

    def has_field(items: Proposal) -> bool:
        for page, nodes, *of_fields in zip(
            items.pages, items.slot.nodes, *(x.slot.nodes for x in named), strict=True
        ):
            firsts = [of_field[0] for of_field in of_fields if of_field]
            if any(node <= first < page.dom.end[node] for node in nodes for first in firsts):
                return True
        return False

    return [each for each in proposals if each.is_meant or not (each.slot.is_list and has_field(each))]


def _is_within(proposal: Proposal, content: Sequence[int]) -> bool:
    """Return whether the elements of a proposal are within some content on most pages.

    content: the element of each page around it, -1 for none.
    """
    inside = [
        around <= nodes[0] < page.dom.end[around]
        for page, around, nodes in zip(proposal.pages, content, proposal.slot.nodes, strict=True)
        if nodes and around >= 0
    ]
    return bool(2 * sum(inside) > max(len(inside), 1))


def _without_equal_values(proposals: Sequence[Proposal]) -> list[Proposal]:
    """Return proposals without those that have the values of another one on all pages, by their rank."""
    seen: set[tuple[str, ...]] = set()
    kept = []
    ranked = sorted(range(len(proposals)), key=lambda k: (not proposals[k].is_meant, k))
    for k in ranked:
        values = tuple(" ".join(" ".join(of_page).split()) for of_page in proposals[k].texts)
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
    if type_ == "list":
        texts = [" | ".join(" ".join(text.split()) for text in of_page) for of_page in proposal.texts]
    else:
        texts = [" ".join(str(converted(text, type_)).split()) for text in proposal.firsts]
    return tuple(dict.fromkeys(text[:EXAMPLE] for text in texts if text))[:EXAMPLES]


def _declared(known: Sequence[KnownPage], taken: set[str]) -> Iterator[Field]:
    """Yield fields that only ``meta`` elements or JSON-LD state."""
    pages = [each.page for each in known]
    for name, metas in METAS.items():
        if name in taken:
            continue
        for meta in metas:
            proposal, selector = _meta(pages, name, meta)
            if proposal.share >= MIN_SHARE and proposal.varies:
                field = _field(proposal, selector)
                if field is not None:
                    taken.add(name)
                    yield field
                break
    for key, name in NAMES_OF_KEYS.items():
        values = [json_ld_values(page.dom).get(key, "") for page in pages]
        proposal = Proposal(
            pages, Slot(-1, None, ((),) * len(pages)), [[value] for value in values], name=name
        )
        if name not in taken and proposal.share >= max(MIN_NAMED_SHARE, MIN_SHARE) and proposal.varies:
            taken.add(name)
            type_ = _TYPES.get(name, proposal.type)
            examples = _examples(proposal, type_)
            yield Field(name, type_, *JSON_LD, round(proposal.share, 4), examples, key=key)


def _meta(pages: Sequence[Page], name: str, meta: str) -> tuple[Proposal, FieldSelector]:
    """Return what the ``meta`` elements with a name state, and their selector."""
    attribute = "property" if ":" in meta else "name"
    nodes = []
    for page in pages:
        attributes, owners = page.dom.find_attribute(attribute)
        values = page.dom.values_of(attributes)
        nodes.append(tuple(int(x) for x, value in zip(owners, values, strict=True) if value == meta)[:1])
    slot = Slot(-1, "content", tuple(nodes))
    texts = [texts_at(page, of_page, "content") for page, of_page in zip(pages, nodes, strict=True)]
    selector = FieldSelector(f'meta[{attribute}="{meta}"]', f"//meta[@{attribute}='{meta}']")
    return Proposal(pages, slot, texts, name=name), selector
