"""Page stores: pages on the disk with all that rendering found out, so that a page is rendered once.

A store is a Parquet file with one row per page (columns: `webgrain.io.columns`), compressed with zstd, with a
checksum on every piece. It is written and read a group of rows at a time.
"""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webgrain._extras import require
from webgrain.errors import InputError, ReadError
from webgrain.io.columns import VERSION, VERSION_KEY, encodings, from_row, schema, to_row
from webgrain.io.local import open_regular, printable, replacing
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from webgrain.page.page import Page

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
    >>> from webgrain.page.parse import parse
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
