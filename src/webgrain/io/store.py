"""Is a stored page what a page must be? Nothing read from a file reaches compiled code unchecked.

A page as a row of a table and back: which column holds which array.

Page stores: pages on the disk with all that rendering found out, so that a page is rendered once.

A store is a Parquet file with one row per page (columns: `webgrain.io.store`), compressed with zstd, with a
checksum on every piece. It is written and read a group of rows at a time.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Int32
from webgrain.errors import InputError, ReadError, require
from webgrain.io.local import open_regular, printable, replacing
from webgrain.page.dom import TEXT, Dom
from webgrain.page.page import DISPLAY, POSITION, Page, Source, View
from webgrain.results import Failure


def check(page: Page) -> None:
    """Raise `ReadError` unless the arrays of a page are a tree in document order, all indices in range.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> check(parse(Source("a.html", b"<p>Hi")))
    """
    fault = next(_dom_faults(page.dom), None)
    if fault is None and page.view is not None:
        fault = next(_view_faults(page.view, len(page.dom)), None)
    if fault is not None:
        raise ReadError(f"The stored page is damaged: {fault}.")


def _dom_faults(dom: Dom) -> Iterator[str]:
    n, m = len(dom), len(dom.attr_name)
    starts = (dom.text_start, n + 1), (dom.attr_start, n + 1), (dom.value_start, m + 1)
    if n == 0 or any(len(array) != length for array, length in ((dom.end, n), (dom.tag, n), *starts)):
        yield "its columns differ in length"
    elif not _is_tree(dom.parent, dom.end):
        yield "its nodes are no tree in document order"
    elif dom.tags[:1] != ("#text",) or not _within(dom.tag, 0, len(dom.tags)):
        yield "a tag is out of range"
    elif not np.all(dom.is_leaf[dom.tag == TEXT]):
        yield "a text has children"
    elif not _within(dom.attr_name, 0, len(dom.names)):
        yield "an attribute name is out of range"
    elif not (
        _is_partition(dom.text_start, len(dom.text))
        and _is_partition(dom.attr_start, m)
        and _is_partition(dom.value_start, len(dom.values))
    ):
        yield "its offsets do not rise from nothing to all"


def _is_tree(parent: Int32, end: Int32) -> bool:
    """Tell whether every subtree is a slice: a node lies in the slices of its ancestors and in no others."""
    n = len(parent)
    node = np.arange(n)
    if parent[0] != -1 or end[0] != n or not (_within(parent[1:], 0, n) and _within(end, 1, n + 1)):
        return False
    above, below = parent[1:], node[1:]
    nested = np.all(above < below) and np.all(end > node) and np.all(end[1:] <= end[above])
    # Slices opened before a node less those closed by then: one for each of its ancestors.
    depth = node - np.cumsum(np.bincount(end, minlength=n + 1))[:n]
    return bool(nested and np.all(depth[1:] == depth[above] + 1))


def _within(index: NDArray[np.integer], low: int, high: int) -> bool:
    return bool(np.all((index >= low) & (index < high)))


def _is_partition(start: Int32, total: int) -> bool:
    return bool(start[0] == 0 and start[-1] == total and np.all(start[1:] >= start[:-1]))


def _view_faults(view: View, n: int) -> Iterator[str]:
    rows = (
        view.box, view.visible, view.display, view.position, view.font, view.font_size, view.font_weight,
        view.italic, view.color, view.background, view.painter, view.background_image,
    )  # fmt: skip
    if any(len(array) != n for array in rows) or len(view.viewport) != 2:
        yield "the columns of its view differ in length"
    elif not (np.isfinite(view.box).all() and np.isfinite(view.font_size).all()):
        yield "a box or a font size is no number"
    elif not np.isfinite([view.width, view.height]).all():
        yield "the size of the page is no number"
    elif not (
        _within(view.display, 0, len(DISPLAY))
        and _within(view.position, 0, len(POSITION))
        and _within(view.font, 0, len(view.fonts))
    ):
        yield "a style is out of range"
    elif not (_within(view.painter, -1, n) and np.all(view.painter <= np.arange(n))):
        yield "the painter of a background is out of range"


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

    >>> from webgrain.page.parsing import parse
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

    >>> from webgrain.page.parsing import parse
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


GROUP_BYTES = 16 * 2**20
"""A group of rows is written when it holds as much, so it is at most one page larger."""

GROUP_PAGES = 256
"""A group of rows never holds more pages than this."""

MAX_GROUP = 2**31
"""Groups that claim to be larger once unpacked (bytes) are not read: no page within the limits is."""


class PageStore:
    """Writes pages to a store; `open_store` makes one."""

    def __init__(self, file: Any, html: bool) -> None:
        self._file = file
        self._html = html
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def write(self, page: Page) -> None:
        """Add a page behind those that are there."""
        row = to_row(page, self._html)
        self._rows.append(row)
        self._bytes += sum(map(_size, row.values()))
        if self._bytes >= GROUP_BYTES or len(self._rows) >= GROUP_PAGES:
            self.flush()

    def flush(self) -> None:
        """Write the pages that wait as one group of rows."""
        if self._rows:
            table = require("pyarrow", "store", "Page stores").Table
            self._file.write_table(table.from_pylist(self._rows, self._file.schema))
        self._rows, self._bytes = [], 0


def _size(cell: Any) -> int:
    return len(cell) if isinstance(cell, bytes) else int(getattr(cell, "nbytes", 0))


@contextmanager
def open_store(path: Path, *, html: bool = False) -> Iterator[PageStore]:
    """Write a page store; ``html`` keeps the bytes of the pages, too.

    The file appears under its name when the block ends without an error, and replaces an older one then.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_store(Path(folder) / "pages.parquet") as store:
    ...         store.write(parse(Source("a.html", b"<p>Hi")))
    ...     [page.id for page in read_store(Path(folder) / "pages.parquet")]
    ['a.html']
    """
    parquet = require("pyarrow.parquet", "store", "Page stores")
    columns = schema()
    numbers = encodings()
    plain = [name for name in columns.names if f"{name}.list.element" not in numbers]
    with (
        replacing(path) as part,
        parquet.ParquetWriter(
            part,
            columns,
            compression="zstd",
            use_dictionary=plain,
            column_encoding=numbers,
            write_page_checksum=True,
        ) as file,
    ):
        store = PageStore(file, html)
        yield store
        store.flush()


def check_store(path: Path) -> None:
    """Raise `InputError` unless ``path`` is a page store that this version reads.

    >>> from pathlib import Path
    >>> check_store(Path("missing.parquet"))
    Traceback (most recent call last):
    webgrain.errors.InputError: missing.parquet is not a page store, or it is damaged or cut off.
    """
    with _open(path):
        pass


def read_store(path: Path) -> Iterator[Page | Failure]:
    """Yield the pages of a store; a damaged one becomes a `Failure`.

    `InputError` at once where the file is no store, was cut off, or is of a later version.
    """
    check_store(path)
    return _pages(path)


@contextmanager
def _open(path: Path) -> Iterator[Any]:
    arrow = require("pyarrow", "store", "Page stores")
    parquet = require("pyarrow.parquet", "store", "Page stores")
    try:
        open_regular(path).close()
        file = parquet.ParquetFile(path, page_checksum_verification=True)
    except (OSError, ReadError, ValueError, arrow.ArrowException) as error:
        raise InputError(f"{path} is not a page store, or it is damaged or cut off.") from error
    with file:
        version = (file.schema_arrow.metadata or {}).get(VERSION_KEY)
        if version is None:
            raise InputError(f"{path} is a Parquet file, but not a page store.")
        if version != VERSION or not file.schema_arrow.equals(schema()):
            raise InputError(
                f"{path} is a page store of another version ({printable(version.decode('latin-1'))}) "
                f"than this program reads ({VERSION.decode()}): render the pages again."
            )
        yield file


def _pages(path: Path) -> Iterator[Page | Failure]:
    with _open(path) as file:
        for group in range(file.num_row_groups):
            try:
                table = _table(file, group)
            except ReadError as error:
                yield Failure(f"{printable(str(path))} part {group + 1}", ReadError.stage, str(error))
                continue
            for row in range(len(table)):
                yield _read_row({name: table[name][row] for name in table.column_names})


def _table(file: Any, group: int) -> Any:
    arrow = require("pyarrow", "store", "Page stores")
    metadata = file.metadata.row_group(group)
    columns = [metadata.column(k) for k in range(metadata.num_columns)]
    if sum(8 * column.num_values + column.total_uncompressed_size for column in columns) > MAX_GROUP:
        raise ReadError(f"{metadata.num_rows} pages cannot be read: this part of the store is too large.")
    try:
        table = file.read_row_group(group)
        table.validate(full=True)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise ReadError(
            f"{metadata.num_rows} pages cannot be read: this part of the store is damaged."
        ) from error
    return table


def _read_row(cells: dict[str, Any]) -> Page | Failure:
    try:
        return from_row(cells)
    except ReadError as error:
        return Failure(str(cells["id"]), ReadError.stage, str(error))
