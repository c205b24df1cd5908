"""Fields of pages that a person has marked: the elements whose values are given, and a selector for them.

A value with a label (`webgrain.fields.pairs`) is found by its label if all marked pages have it. Otherwise
the elements with a value are those whose text equals it, then those whose text contains it, then those with
an attribute that does. Of their combinations, the first one is taken for which a selector selects the
element of each page; elements of the same tag and classes come first.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice, product
from typing import NamedTuple

from webgrain.base.errors import ParameterError
from webgrain.fields.field import Field
from webgrain.fields.pairs import BEHIND_LABEL, label_pairs, pair_xpath
from webgrain.fields.selectors import verified_selectors
from webgrain.fields.slots import held_texts
from webgrain.fields.thresholds import EXAMPLES, LONGEST_LABEL, MAX_MARKED
from webgrain.fields.values import ADDRESSES, between, converted, texts_at, type_of
from webgrain.page.page import Page

_ATTRIBUTES = ("datetime", "content", "src", "href", "alt", "title", "value")

Marked = Sequence[tuple[Page, str]]
"""Pages, and the value of a field on each."""


class MarkedElement(NamedTuple):
    """An element with a value: its attribute, None for the text; the words before and behind the value."""

    node: int
    attribute: str | None = None
    before: str = ""
    after: str = ""


def corrected(fields: Sequence[Field], marked: Sequence[tuple[Page, Mapping[str, str]]]) -> list[Field]:
    """Return fields in which those that are marked on the last page are learnt anew.

    marked: pages with the values of some fields. A field whose values are right on all marked pages stays.
    Raises `ParameterError` for a value that a page does not have, and if no selector selects the values of
    all marked pages.
    """
    items = list(fields)
    for name in marked[-1][1]:
        values = [(page, " ".join(of_page[name].split())) for page, of_page in marked if name in of_page]
        place = next((k for k, field in enumerate(items) if field.name == name), len(items))
        if place == len(items) or not _is_right(items[place], values):
            items[place : place + 1] = [_learnt(name, values)]
    return items


def _is_right(field: Field, marked: Marked) -> bool:
    """Return whether the values of a field are those that are marked."""
    return all(_reads(field, page, value) for page, value in marked)


def _reads(field: Field, page: Page, value: str) -> bool:
    read = field.of(page)
    if isinstance(read, list):
        return value in read
    return " ".join(str(read).split()) in (value, str(converted(value, field.type)))


def _learnt(name: str, marked: Marked) -> Field:
    """Return the field with the marked values."""
    for field in [*_labelled(name, marked), *_placed(name, marked)]:
        if _is_right(field, marked):
            return field
    raise ParameterError(f"correct: no selector selects the values of {name!r:.40} on all marked pages.")


def _field(name: str, marked: Marked, element: MarkedElement, css: str | None, xpath: str | None) -> Field:
    values = [value for _, value in marked]
    type_ = type_of(values, element.attribute if element.attribute in ADDRESSES else None)
    examples = tuple(values[:EXAMPLES])
    return Field(name, type_, css, xpath, 1.0, examples, element.attribute, element.before, element.after)


def _labelled(name: str, marked: Marked) -> Iterator[Field]:
    """Yield fields by the labels of the values that all pages have."""
    common: dict[tuple[str, str], int] = {}
    for number, (page, value) in enumerate(marked):
        pairs = label_pairs(page)
        texts = texts_at(page, [pair.node for pair in pairs], None)
        of_page = {}
        for pair, text in zip(pairs, texts, strict=True):
            before = " ".join(pair.label.split()) if pair.form in BEHIND_LABEL else ""
            if " ".join(between(text, before, "").split()) == value:
                of_page[pair.form, pair.label] = pair.node
        common = (
            of_page if not number else {label: node for label, node in common.items() if label in of_page}
        )
    page = marked[0][0]
    for (form, label), node in common.items():
        before = " ".join(label.split()) if form in BEHIND_LABEL else ""
        field = _field(name, marked, MarkedElement(node, None, before), None, None)
        xpath = pair_xpath(form, label, page.dom.name(node))
        yield Field.from_dict(field.to_dict() | {"xpath": xpath, "label": (form, label)})


def _placed(name: str, marked: Marked) -> Iterator[Field]:
    """Yield fields by selectors of elements with the values."""
    pages = [page for page, _ in marked]
    elements = [list(islice(_elements(page, value), MAX_MARKED)) for page, value in marked]
    for (page, value), of_page in zip(marked, elements, strict=True):
        if not of_page:
            raise ParameterError(f"correct: the page {page.id!r:.80} has no {value!r:.80} for {name!r:.40}.")
    combinations = list(islice(product(*elements), MAX_MARKED * MAX_MARKED))
    combinations.sort(key=lambda chosen: len(set(map(_sort_of_element, pages, chosen))))
    chosen = combinations[:MAX_MARKED]
    nodes = [[[element.node] for element in combination] for combination in chosen]
    selectors = verified_selectors(pages, nodes)
    for combination, selector in zip(chosen, selectors, strict=True):
        if selector is not None:
            yield _field(name, marked, combination[0], *selector)


def _sort_of_element(page: Page, element: MarkedElement) -> tuple[str | None, ...]:
    """Return what the elements of a field usually share: tag, classes, attribute and words around."""
    classes = page.dom.get(element.node, "class")
    return page.dom.name(element.node), classes, *element[1:]


def _elements(page: Page, value: str) -> Iterator[MarkedElement]:
    """Yield the elements of a page with a value."""
    nodes = held_texts(page).node.tolist()
    texts = [" ".join(text.split()) for text in texts_at(page, nodes, None)]
    yield from (MarkedElement(node) for node, text in zip(nodes, texts, strict=True) if text == value)
    word = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)")
    for node, text in zip(nodes, texts, strict=True):
        if text != value and (match := word.search(text)):
            before = text[: match.start()].strip()[-LONGEST_LABEL:]
            after = next(iter(text[match.end() :].split()), "")
            yield MarkedElement(node, None, before, after)
    for attribute in _ATTRIBUTES:
        nodes = page.dom.find_attribute(attribute)[1].tolist()
        texts = texts_at(page, nodes, attribute)
        pairs = zip(nodes, texts, strict=True)
        yield from (MarkedElement(node, attribute) for node, text in pairs if text == value)
