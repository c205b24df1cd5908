"""A page as a row of a table and back: which column holds which array."""

from __future__ import annotations

from dataclasses import fields
from typing import TYPE_CHECKING, Any

import numpy as np

from webgrain._extras import require
from webgrain.errors import ReadError
from webgrain.io.local import printable
from webgrain.io.valid import check
from webgrain.page.dom import Dom
from webgrain.page.page import Page, Source
from webgrain.page.view import View

if TYPE_CHECKING:
    from collections.abc import Mapping

VERSION = b"1"
"""Version of the columns below; it rises with every change that older programs cannot read."""

VERSION_KEY = b"webgrain.store"

_DOM = dict.fromkeys(
    ("parent", "end", "tag", "text_start", "attr_start", "attr_name", "value_start"), "int32"
)
_VIEW = {
    "box": "float32", "visible": "bool", "display": "int8", "position": "int8", "font": "int32",
    "font_size": "float32", "font_weight": "int16", "italic": "bool", "color": "uint8", "background": "uint8",
    "painter": "int32", "background_image": "bool",
}  # fmt: skip
_FOUR_WIDE = ("box", "color", "background")
_CHARACTERS = ("text", "values")
_RISING = ("dom_end", "dom_parent", "dom_text_start", "dom_attr_start", "dom_value_start")


def schema() -> Any:
    """Return the Arrow schema of a page store; needs the extra ``store``.

    Arrays are lists, ``box``, ``color`` and ``background`` four numbers a node. The characters of a page are
    UTF-8 in binary columns, since they may hold lone surrogates, which Arrow's strings cannot.

    >>> schema().field("dom_parent").type
    ListType(list<element: int32 not null>)
    """
    pa = require("pyarrow", "store", "Page stores")

    def many(name: str) -> Any:
        return pa.list_(
            pa.field("element", pa.string() if name == "str" else pa.type_for_alias(name), nullable=False)
        )

    columns = [(name, pa.string()) for name in ("id", "url", "charset", "path")]
    columns += [("notes", many("str")), ("html", pa.binary()), ("screenshot", pa.binary())]
    columns += [(f"dom_{name}", many(kind)) for name, kind in _DOM.items()]
    columns += [(f"dom_{name}", many("str")) for name in ("tags", "names")]
    columns += [(f"dom_{name}", pa.binary()) for name in ("text", "values")]
    columns += [(f"view_{name}", many(kind)) for name, kind in _VIEW.items()]
    columns += [("view_fonts", many("str")), ("view_viewport", many("int32")), ("view_source", pa.string())]
    columns += [("view_width", pa.float64()), ("view_height", pa.float64())]
    return pa.schema(columns, metadata={VERSION_KEY: VERSION})


def encodings() -> dict[str, str]:
    """Return the Parquet encodings of the columns that hold numbers rising from node to node.

    >>> encodings()["dom_end.list.element"]
    'DELTA_BINARY_PACKED'
    """
    return {f"{name}.list.element": "DELTA_BINARY_PACKED" for name in _RISING}


def to_row(page: Page, html: bool) -> dict[str, Any]:
    """Return a page as a row; with its bytes and their path if ``html`` is asked for.

    >>> from webgrain.page.parse import parse
    >>> row = to_row(parse(Source("a.html", b"<p>Hi")), html=False)
    >>> row["id"], row["dom_tags"], row["dom_text"], row["view_box"]
    ('a.html', ['#text', 'html', 'head', 'body', 'p'], b'Hi', None)
    """
    source = page.source if html else None
    row: dict[str, Any] = {
        "id": printable(page.id),
        "url": None if page.url is None else printable(page.url),
        "charset": page.charset,
        "path": None if source is None else printable(source.path),
        "notes": [printable(note) for note in page.notes],
        "html": None if source is None else source.body,
        "screenshot": page.screenshot,
    }
    row |= {f"dom_{field.name}": _cell(field.name, getattr(page.dom, field.name)) for field in fields(Dom)}
    row |= {
        f"view_{field.name}": _cell(field.name, getattr(page.view, field.name, None))
        for field in fields(View)
    }
    return row


def _cell(name: str, value: Any) -> Any:
    if name in _CHARACTERS:
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, np.ndarray):
        return value.ravel()
    if isinstance(value, tuple):
        return [printable(part) if isinstance(part, str) else part for part in value]
    return value


def from_row(row: Mapping[str, Any]) -> Page:
    """Return the page of a row of Arrow scalars; `ReadError` where it is none.

    >>> from webgrain.page.parse import parse
    >>> table = require("pyarrow", "store", "Page stores").Table
    >>> rows = table.from_pylist([to_row(parse(Source("a.html", b"<p>Hi")), html=False)], schema())
    >>> page = from_row({name: rows[name][0] for name in rows.column_names})
    >>> page.id, page.dom.text_of(0)
    ('a.html', 'Hi')
    """
    try:
        page = _page(row)
    except (TypeError, ValueError, AttributeError) as error:
        raise ReadError("The stored page is damaged: a column does not hold what it should.") from error
    check(page)
    return page


def _page(row: Mapping[str, Any]) -> Page:
    plain = {
        name: row[name].as_py() for name in ("id", "url", "charset", "path", "notes", "html", "screenshot")
    }
    if not isinstance(plain["id"], str):
        raise ValueError("no id")
    dom = Dom(**{field.name: _value(row, f"dom_{field.name}") for field in fields(Dom)})
    view = None
    if row["view_box"].is_valid:
        view = View(**{field.name: _value(row, f"view_{field.name}") for field in fields(View)})
    path, body, charset = plain["path"] or "index.html", plain["html"], plain["charset"] or "utf-8"
    source = None if body is None else Source(plain["id"], body, plain["url"], charset, path=path)
    notes, screenshot = tuple(plain["notes"]), plain["screenshot"]
    return Page(plain["id"], dom, view, plain["url"], charset, notes, source, screenshot)


def _value(row: Mapping[str, Any], column: str) -> Any:
    kind, _, name = column.partition("_")
    dtype = (_DOM if kind == "dom" else _VIEW).get(name)
    if dtype is None:
        value = row[column].as_py()
        if value is None or (isinstance(value, list) and None in value):
            raise ValueError(f"{column} has gaps")
        if name in _CHARACTERS:
            return value.decode("utf-8", "surrogatepass")
        return tuple(value) if isinstance(value, list) else value
    values = row[column].values
    if values.null_count:
        raise ValueError(f"{column} has gaps")
    array = np.array(values.to_numpy(zero_copy_only=False), dtype)
    return array.reshape(-1, 4) if name in _FOUR_WIDE else array
