"""Fields: the fields of the pages of a type together, their table, and their correction."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Self, overload

from webgrain.base.errors import ParameterError
from webgrain.base.htmltable import html_table
from webgrain.fields.correction import corrected
from webgrain.fields.field import AnyPage, Field
from webgrain.fields.selectors import FieldMatcher
from webgrain.fields.values import Value
from webgrain.page.page import Page
from webgrain.page.parsing import as_page

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
        """The names of the columns of `table`."""
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
        the name ``page_2`` or ``url_2``.
        """
        return list(map(self.row, pages))

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
