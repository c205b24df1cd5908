"""Fields: what differs from page to page of a type, its values on a page, its table, and its correction.

Correction: a person marks the values of some pages. A value with a label (`webgrain.fields.places`) is found
by its label if all marked pages have it. Otherwise the elements with a value are those whose text equals it,
then those whose text contains it, then those with an attribute that does. Of their combinations, the first
one is taken for which a selector selects the element of each page; elements of the same tag and classes come
first.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from itertools import islice, product
from pathlib import Path
from typing import Any, NamedTuple, Self, overload

from webgrain.base.errors import ParameterError
from webgrain.base.failures import Failure
from webgrain.base.htmltable import html_table
from webgrain.engines.guard import run_step
from webgrain.fields.places import BEHIND_LABEL, held_texts, label_pairs, pair_xpath
from webgrain.fields.selectors import FieldMatcher, verified_selectors
from webgrain.fields.thresholds import EXAMPLES, LONGEST_LABEL, MAX_MARKED
from webgrain.fields.values import ADDRESSES, Value, between, converted, json_ld_values, texts_at, type_of
from webgrain.page.page import Page, Source
from webgrain.page.parsing import as_page

AnyPage = Page | Source | str | bytes | Path


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the pages of a type.

    Attributes:
        name: what it means (``title``, ``price``), its label or class, or its tag with a number.
        type: text, number, price, date, URL, image or list, see `webgrain.fields.values`.
        css, xpath: the selectors of its element; None if no selector of this form selects it.
        share: of the pages that it was learnt from, those that have it, 0..1.
        examples: some values.
        attribute: the attribute with the value; None for the text.
        before, after: words around the value in the text of the element; empty for none.
        label: form and text of the label that is searched on a page, see `Pair`; None for none.
        key: the path to the value in the JSON-LD that the selector selects; empty for none.
    """

    name: str
    type: str
    css: str | None
    xpath: str | None
    share: float
    examples: tuple[str, ...] = ()
    attribute: str | None = None
    before: str = ""
    after: str = ""
    label: tuple[str, str] | None = None
    key: str = ""

    def of(self, page: AnyPage) -> Value:
        """Return the value on a page, None if the page lacks the field.

        >>> field = Field("price", "price", "p.price", "//p[@class='price']", 1.0)
        >>> field.of("<p class=price>Only 12,50 €</p>")
        '12,50 €'
        """
        parsed = as_page(page)
        nodes = FieldMatcher([self.css]).nodes(parsed.dom)[0] if self.css else []
        return self.read(parsed, nodes)

    def read(self, page: Page, nodes: Sequence[int]) -> Value:
        """Return the value on a page, given the elements that the selector selects."""
        if self.key:
            return converted(json_ld_values(page.dom).get(self.key, ""), self.type)
        if self.label:
            pairs = label_pairs(page)
            nodes = [pair.node for pair in pairs if (pair.form, pair.label) == self.label]
        texts = texts_at(page, nodes if self.type == "list" else nodes[:1], self.attribute)
        values = [between(text, self.before, self.after) if text else "" for text in texts]
        if self.type == "list":
            return [" ".join(value.split()) for value in values if value] or None
        return converted(values[0], self.type) if values else None

    def to_dict(self) -> dict[str, Any]:
        """Return the attributes as plain values, those that are empty left out."""
        values = {each.name: getattr(self, each.name) for each in fields(self)}
        needed = ("name", "type", "css", "xpath", "share")
        return {name: value for name, value in values.items() if name in needed or value}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Self:
        """Return the field with these values; other values raise one of `DAMAGED`."""
        label = values.get("label")
        return cls(
            name=str(values["name"]),
            type=str(values["type"]),
            css=None if values["css"] is None else str(values["css"]),
            xpath=None if values["xpath"] is None else str(values["xpath"]),
            share=float(values["share"]),
            examples=tuple(map(str, values.get("examples", ()))),
            attribute=None if values.get("attribute") is None else str(values["attribute"]),
            before=str(values.get("before", "")),
            after=str(values.get("after", "")),
            label=None if label is None else (str(label[0]), str(label[1])),
            key=str(values.get("key", "")),
        )


_NOTHING = "x-nothing"
"""A selector that selects nothing, of a field without one."""


def _column(name: str) -> str:
    """Return the name of a column, which differs from those of the id and the address of the page."""
    return f"{name}_2" if name in ("page", "url") else name


@dataclass(slots=True, eq=False)
class Fields(Sequence[Field]):
    """The fields of a page type: a sequence, in which fields are also found by their names.

    Attributes:
        items: the fields.
        marked: the pages that were marked, and the values on them, see `correct`.

    >>> fields = Fields([Field("title", "text", "h1", "//h1", 1.0)])
    >>> fields.names, fields["title"].css, fields.of("<h1>Pears</h1>")
    (('title',), 'h1', {'title': 'Pears'})
    >>> fields.table(["<h1>Pears</h1>"])[0]["title"]
    'Pears'
    """

    items: list[Field] = field(default_factory=list)
    marked: list[tuple[Page, dict[str, str]]] = field(default_factory=list, repr=False)

    _known: tuple[list[Field], FieldMatcher] | None = field(default=None, repr=False)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the fields."""
        return tuple(each.name for each in self.items)

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns of `table`: page, url, and a column for each field in their order.

        A field with the name ``page`` or ``url`` has the column ``page_2`` or ``url_2``.
        """
        return ("page", "url", *(_column(name) for name in self.names))

    def __len__(self) -> int:
        return len(self.items)

    @overload
    def __getitem__(self, key: int | str) -> Field: ...

    @overload
    def __getitem__(self, key: slice) -> list[Field]: ...

    def __getitem__(self, key: int | str | slice) -> Field | list[Field]:
        """Return a field by its name or its place."""
        if not isinstance(key, str):
            return self.items[key]
        for each in self.items:
            if each.name == key:
                return each
        raise ParameterError(f"There is no field {key!r:.60}; the fields are {', '.join(self.names)[:300]}.")

    def of(self, page: AnyPage) -> dict[str, Value]:
        """Return the values of all fields on a page by their names, None for those that it lacks."""
        return dict(zip(self.names, self._read(as_page(page)), strict=True))

    def table(self, pages: Iterable[AnyPage]) -> list[dict[str, Any]]:
        """Return a row for each page: ``page``, ``url`` and the values of all fields.

        The names of columns are those of the fields; a field that is called like one of the first two has
        the name ``page_2`` or ``url_2``. Pages that cannot be read are left out; a warning names the first.
        """
        rows = list[dict[str, Any]]()
        failures = list[Failure]()
        for page in pages:
            item = page if isinstance(page, Source | Page) else as_page(page)
            row = run_step(item, "fields", self.row)
            if isinstance(row, Failure):
                failures.append(row)
            else:
                rows.append(row)
        if failures:
            first = failures[0]
            warnings.warn(
                f"{len(failures)} pages are left out, the first is {first.page:.200}: {first.error}",
                stacklevel=2,
            )
        return rows

    def row(self, page: AnyPage) -> dict[str, Any]:
        """Return the row of a page in `table`."""
        parsed = as_page(page)
        values = [parsed.id, parsed.url, *self._read(parsed)]
        return dict(zip(self.columns, values, strict=True))

    def correct(self, page: AnyPage, values: Mapping[str, str]) -> Self:
        """Learn fields from a page whose values are given; two or three pages are sufficient for most.

        A field with the name of a value is replaced, or a new one is added. Its selector selects the right
        element on all pages that were marked so far.

        page: a page; values: by name of the field, as the page shows them.

        Raises `ParameterError` if the page does not have a value, or no selector selects all marked ones, or
        a value is not a text.

        >>> fields = Fields()
        >>> row = "<table><tr><td>Weight<td>{}<tr><td>Cost<td>{}</table>"
        >>> first = fields.correct(row.format("7 g", "12,50"), {"price": "12,50"})
        >>> fields.correct(row.format("12 g", "5,00"), {"price": "5,00"}).of(row.format("9 g", "7,10"))
        {'price': '7,10'}
        """
        for name, value in values.items():
            if not isinstance(value, str):
                raise ParameterError(f"correct: the value of {name!r} must be a text, got {value!r:.60}.")
        parsed = as_page(page)
        marked = [*self.marked, (parsed, dict(values))]
        self.items = corrected(self.items, marked)
        self.marked = marked
        return self

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the fields as plain values, for `from_rows`."""
        return [each.to_dict() for each in self.items]

    @classmethod
    def from_rows(cls, rows: Iterable[Mapping[str, Any]]) -> Self:
        """Return the fields of some rows; other values raise one of `DAMAGED`."""
        return cls([Field.from_dict(row) for row in rows])

    def _read(self, page: Page) -> list[Value]:
        known = self._known
        if known is None or known[0] is not self.items:  # they were corrected
            known = self.items, FieldMatcher([each.css or _NOTHING for each in self.items])
            self._known = known
        items, matcher = known
        nodes_of_fields = matcher.nodes(page.dom)
        return [each.read(page, nodes) for each, nodes in zip(items, nodes_of_fields, strict=True)]

    def _repr_html_(self) -> str:
        """Return a table of the fields for notebooks."""
        rows = [
            (each.name, each.type, f"{each.share:.0%}", each.css or each.xpath, " | ".join(each.examples))
            for each in self.items
        ]
        return html_table(("field", "type", "pages", "selector", "examples"), rows)


# Correction

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
    for learnt in [*_labelled(name, marked), *_placed(name, marked)]:
        if _is_right(learnt, marked):
            return learnt
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
