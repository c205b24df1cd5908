"""Page stores: Parquet files of pages with their views and screenshots, so that a page is rendered only once.

A store has one row per page and one column per field of `Dom` and `View`. It is compressed with zstd, has a
checksum on every data page, and is written and read in row groups. Nothing that is read from a store reaches
compiled code unchecked: `check` verifies that the arrays are a tree in document order with valid indices.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import fields
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int32
from webgrain.base.errors import InputError, ReadError, require
from webgrain.base.failures import Failure
from webgrain.io.local import open_regular, printable, replacing
from webgrain.io.thresholds import GROUP_BYTES, GROUP_PAGES, MAX_GROUP
from webgrain.page.dom import TEXT, Dom
from webgrain.page.page import DISPLAY, POSITION, Page, Source, View
from webgrain.page.values import current_values
from webgrain.page.vocabulary import NAMES, TAGS

VERSION = b"2"
"""Version of the schema; it rises with every change that older programs cannot read."""
_WITHOUT_HIDDEN = b"1"
"""The version before, without the column of hidden nodes, which is read, too."""

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
_CHARACTERS = ("dom_text", "dom_values")
_RISING = ("dom_end", "dom_parent", "dom_text_start", "dom_attr_start", "dom_value_start")
Names = tuple[str, ...]
_TEXTS = ("text", "values")
_PLAIN = ("id", "url", "charset", "path", "notes", "html", "screenshot")


class PageStore:
    """Writes pages to a store; returned by `open_store`."""

    def __init__(self, file: Any, html: bool) -> None:
        self._file = file
        self._html = html
        self._rows: list[dict[str, Any]] = []
        self._bytes = 0

    def write(self, page: Page) -> None:
        """Append a page."""
        row = to_row(page, self._html)
        self._rows.append(row)
        cells = row.values()
        self._bytes += sum(len(c) if isinstance(c, bytes) else getattr(c, "nbytes", 0) for c in cells)
        if self._bytes >= GROUP_BYTES or len(self._rows) >= GROUP_PAGES:
            self.flush()

    def flush(self) -> None:
        """Write the pages in memory as one row group."""
        if self._rows:
            table = require("pyarrow", "store", "Page stores").Table
            self._file.write_table(table.from_pylist(self._rows, self._file.schema))
        self._rows, self._bytes = [], 0


@contextmanager
def open_store(path: Path, *, html: bool = False) -> Iterator[PageStore]:
    """Open a new page store; ``html`` also stores the bytes of the pages.

    The file appears, and replaces an older one, when the block ends without error.

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
    options = {
        "compression": "zstd",
        "use_dictionary": [name for name in columns.names if name not in _RISING],
        "column_encoding": {f"{name}.list.element": "DELTA_BINARY_PACKED" for name in _RISING},
    }
    with (
        replacing(path) as part,
        parquet.ParquetWriter(part, columns, write_page_checksum=True, **options) as file,
    ):
        store = PageStore(file, html)
        yield store
        store.flush()


def check_store(path: Path) -> None:
    """Raise `InputError` unless ``path`` is a page store of the current version.

    >>> from pathlib import Path
    >>> check_store(Path("missing.parquet"))
    Traceback (most recent call last):
    webgrain.base.errors.InputError: missing.parquet is not a page store, or it is damaged or cut off.
    """
    with _open(path):
        pass


def read_store(path: Path) -> Iterator[Page | Failure]:
    """Yield the pages of a store; a damaged page becomes a `Failure`.

    Raises `InputError` at once if the file is not a store, is incomplete, or has a newer version.
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
        expected = schema()
        if version == _WITHOUT_HIDDEN:
            expected = expected.remove(expected.get_field_index("hidden"))
        if version not in (VERSION, _WITHOUT_HIDDEN) or not file.schema_arrow.equals(expected):
            raise InputError(
                f"{path} is a page store of another version ({printable(version.decode('latin-1'))}) "
                f"than this program reads ({VERSION.decode()}): render the pages again."
            )
        yield file


def _pages(path: Path) -> Iterator[Page | Failure]:
    with _open(path) as file:
        for group in range(file.num_row_groups):
            try:
                table = _read_group(file, group)
            except ReadError as error:
                yield Failure(f"{printable(str(path))} part {group + 1}", ReadError.stage, str(error))
                continue
            for row in range(len(table)):
                cells = {name: table[name][row] for name in table.column_names}
                try:
                    page: Page | Failure = from_row(cells)
                except ReadError as error:
                    page = Failure(str(cells["id"]), ReadError.stage, str(error))
                yield page


def _read_group(file: Any, group: int) -> Any:
    arrow = require("pyarrow", "store", "Page stores")
    metadata = file.metadata.row_group(group)
    lost = f"{metadata.num_rows} pages cannot be read: this part of the store is"
    columns = [metadata.column(k) for k in range(metadata.num_columns)]
    if sum(8 * column.num_values + column.total_uncompressed_size for column in columns) > MAX_GROUP:
        raise ReadError(f"{lost} too large.")
    try:
        table = file.read_row_group(group)
        table.validate(full=True)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise ReadError(f"{lost} damaged.") from error
    return table


def schema() -> Any:
    """Return the Arrow schema of a page store; needs the extra ``store``.

    Arrays are lists; ``box``, ``color`` and ``background`` have four numbers per node. The characters of a
    page are UTF-8 in binary columns, because they may contain lone surrogates, which Arrow strings cannot.

    >>> schema().field("dom_parent").type
    ListType(list<element: int32 not null>)
    """
    pa = require("pyarrow", "store", "Page stores")

    def many(name: str) -> Any:
        dtype = pa.string() if name == "str" else pa.type_for_alias(name)
        return pa.list_(pa.field("element", dtype, nullable=False))

    columns = [(name, pa.string()) for name in ("id", "url", "charset", "path")]
    columns += [("notes", many("str")), ("html", pa.binary()), ("screenshot", pa.binary())]
    columns += [("hidden", many("bool"))]
    columns += [(f"dom_{name}", many(dtype)) for name, dtype in _DOM.items()]
    columns += [(f"dom_{name}", many("str")) for name in ("tags", "names")]
    columns += [(f"dom_{name}", pa.binary()) for name in _TEXTS]
    columns += [(f"view_{name}", many(dtype)) for name, dtype in _VIEW.items()]
    columns += [("view_fonts", many("str")), ("view_viewport", many("int32")), ("view_source", pa.string())]
    columns += [("view_width", pa.float64()), ("view_height", pa.float64())]
    return pa.schema(columns, metadata={VERSION_KEY: VERSION})


def to_row(page: Page, html: bool) -> dict[str, Any]:
    """Return a page as a row of a store; ``html`` includes its bytes and their path.

    >>> from webgrain.page.parsing import parse
    >>> row = to_row(parse(Source("a.html", b"<p>Hi")), html=False)
    >>> row["id"], row["dom_tags"][:3], row["dom_text"], row["view_box"]
    ('a.html', ['#text', 'html', 'head'], b'Hi', None)
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
        "hidden": None if page.view is not None else page.hidden,
    }
    columns = {f"dom_{name}": value for name, value in _dom_columns(page.dom).items()}
    columns |= {f"view_{field.name}": getattr(page.view, field.name, None) for field in fields(View)}
    return row | {name: _cell(name, value) for name, value in columns.items()}


def _dom_columns(dom: Dom) -> dict[str, Any]:
    """Return the columns of a tree; the values of the attributes are one text with offsets."""
    columns = {field.name: getattr(dom, field.name) for field in fields(Dom)}
    del columns["value"]
    values = [dom.values.texts[number] for number in dom.value.tolist()]
    columns["values"] = "".join(values)
    columns["value_start"] = np.cumsum([0, *map(len, values)], dtype=np.int32)
    return columns


def _cell(column: str, value: Any) -> Any:
    if column in _CHARACTERS:
        return value.encode("utf-8", "surrogatepass")
    if isinstance(value, np.ndarray):
        return value.ravel()
    if isinstance(value, tuple):
        return [printable(part) if isinstance(part, str) else part for part in value]
    return value


def from_row(row: Mapping[str, Any]) -> Page:
    """Return the page of a row of Arrow scalars; raise `ReadError` if it is damaged.

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
    page, url, charset, path, notes, html, screenshot = (row[name].as_py() for name in _PLAIN)
    if not isinstance(page, str):
        raise ValueError("no id")
    dom = _read_dom({name: _value(row, f"dom_{name}") for name in (*_DOM, "tags", "names", *_TEXTS)})
    view = None
    if row["view_box"].is_valid:
        view = View(**{field.name: _value(row, f"view_{field.name}") for field in fields(View)})
    hidden = None
    if "hidden" in row and row["hidden"].is_valid:  # absent in older stores
        hidden = _array(row, "hidden", "bool")
        hidden.setflags(write=False)
    charset = charset or "utf-8"
    source = None if html is None else Source(page, html, url, charset, path=path or "index.html")
    return Page(page, dom, view, url, charset, tuple(notes), source, screenshot, hidden)


def _read_dom(columns: dict[str, Any]) -> Dom:
    """Return the tree of the columns of a row; raise `ReadError` if the offsets of the values are wrong."""
    text, start = columns.pop("values"), columns.pop("value_start")
    if len(start) != len(columns["attr_name"]) + 1:
        raise ReadError("The stored page is damaged: its columns differ in length.")
    if not _rises_to(start, len(text)):
        raise ReadError(f"The stored page is damaged: {_WRONG_OFFSETS}.")
    values = current_values()
    value = values.numbers_of(text[a:b] for a, b in pairwise(start.tolist()))
    if columns["tags"][:1] != TAGS[:1]:
        raise ReadError("The stored page is damaged: a tag is out of range.")
    tag, tags = _renumbered(columns.pop("tag"), columns.pop("tags"), TAGS)
    attr_name, names = _renumbered(columns.pop("attr_name"), columns.pop("names"), NAMES)
    return Dom(**columns, tag=tag, tags=tags, attr_name=attr_name, names=names, value=value, values=values)


def _renumbered(numbers: Int32, names: Names, usual: Names) -> tuple[Int32, Names]:
    """Return the numbers of names after the usual names, and all names; unchanged if a number is invalid."""
    if names[: len(usual)] == usual or not _in_range(numbers, 0, len(names)):
        return numbers, usual if names == usual else names
    known = {name: number for number, name in enumerate(usual)}
    number = np.array([known.setdefault(name, len(known)) for name in names], np.int32)
    return number[numbers], tuple(known)


def _rises_to(start: Int32, total: int) -> bool:
    """Return whether offsets rise from 0 to a total."""
    return bool(len(start)) and start[0] == 0 and start[-1] == total and not np.any(start[1:] < start[:-1])


_WRONG_OFFSETS = "its offsets do not rise from 0 to the length of the text"


def _value(row: Mapping[str, Any], column: str) -> Any:
    prefix, _, name = column.partition("_")
    dtype = (_DOM if prefix == "dom" else _VIEW).get(name)
    if dtype is None:
        value = row[column].as_py()
        if value is None or (isinstance(value, list) and None in value):
            raise ValueError(f"{column} has gaps")
        if column in _CHARACTERS:
            return value.decode("utf-8", "surrogatepass")
        return tuple(value) if isinstance(value, list) else value
    array = _array(row, column, dtype)
    return array.reshape(-1, 4) if name in _FOUR_WIDE else array


def _array(row: Mapping[str, Any], column: str, dtype: str) -> NDArray[Any]:
    values = row[column].values
    if values.null_count:
        raise ValueError(f"{column} has gaps")
    return np.array(values.to_numpy(zero_copy_only=False), dtype)


def check(page: Page) -> None:
    """Raise `ReadError` unless the arrays of a page are a tree in document order with valid indices.

    >>> from webgrain.page.parsing import parse
    >>> from webgrain.page.page import Source
    >>> check(parse(Source("a.html", b"<p>Hi")))
    """
    fault = _dom_fault(page.dom) or (_view_fault(page.view, len(page.dom)) if page.view else None)
    if fault:
        raise ReadError(f"The stored page is damaged: {fault}.")


def _dom_fault(dom: Dom) -> str | None:
    n, m = len(dom), len(dom.attr_name)
    starts = (dom.text_start, n + 1), (dom.attr_start, n + 1), (dom.value, m)
    if n == 0 or any(len(array) != length for array, length in ((dom.end, n), (dom.tag, n), *starts)):
        return "its columns differ in length"
    if not _is_tree(dom.parent, dom.end):
        return "its nodes are not a tree in document order"
    if dom.tags[:1] != ("#text",) or not _in_range(dom.tag, 0, len(dom.tags)):
        return "a tag is out of range"
    if not np.all(dom.is_leaf[dom.tag == TEXT]):
        return "a text has children"
    if not _in_range(dom.attr_name, 0, len(dom.names)):
        return "an attribute name is out of range"
    if not _in_range(dom.value, 0, len(dom.values)):
        return "an attribute value is out of range"
    if not _rises_to(dom.text_start, len(dom.text)) or not _rises_to(dom.attr_start, m):
        return _WRONG_OFFSETS
    return None


def _is_tree(parent: Int32, end: Int32) -> bool:
    """Return whether every subtree is a slice: a node is in the slices of its ancestors and in no others."""
    n = len(parent)
    node = np.arange(n)
    if parent[0] != -1 or end[0] != n or not (_in_range(parent[1:], 0, n) and _in_range(end, 1, n + 1)):
        return False
    above, below = parent[1:], node[1:]
    nested = np.all(above < below) and np.all(end > node) and np.all(end[1:] <= end[above])
    # Number of slices that are open at a node: one for each of its ancestors.
    depth = node - np.cumsum(np.bincount(end, minlength=n + 1))[:n]
    return bool(nested and np.all(depth[1:] == depth[above] + 1))


def _in_range(index: NDArray[np.integer], low: int, high: int) -> bool:
    return bool(np.all((index >= low) & (index < high)))


def _view_fault(view: View, n: int) -> str | None:
    if any(len(getattr(view, name)) != n for name in _VIEW) or len(view.viewport) != 2:
        return "the columns of its view differ in length"
    if not (np.isfinite(view.box).all() and np.isfinite(view.font_size).all()):
        return "a box or a font size is not finite"
    if not np.isfinite([view.width, view.height]).all():
        return "the size of the page is not finite"
    styles = (view.display, len(DISPLAY)), (view.position, len(POSITION)), (view.font, len(view.fonts))
    if not all(_in_range(index, 0, size) for index, size in styles):
        return "a style is out of range"
    if not (_in_range(view.painter, -1, n) and np.all(view.painter <= np.arange(n))):
        return "the painter of a background is out of range"
    return None
