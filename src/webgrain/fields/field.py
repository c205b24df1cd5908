"""Field: a field of the pages of a type, and its value on a page."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, Self

from webgrain.fields.pairs import label_pairs
from webgrain.fields.selectors import FieldMatcher
from webgrain.fields.stated import json_ld_values
from webgrain.fields.values import Value, between, converted, texts_at
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
        label: form and text of the label that is searched on a page (`webgrain.fields.pairs`); None for none.
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
