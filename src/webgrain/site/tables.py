"""The tables of an audit, whose rows are written and read in batches, and files of failures.

`write_rows` writes a table, `read_rows` reads it. Results are Parquet files. What only later stages read is
in Arrow files (`ARROW`), which take half of the time to write. A part, the table of the pages of one
shard, also has a `Summary` with the pages that failed, in a JSON file beside it. A file appears when it is
complete.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from webgrain.base.errors import InputError, require
from webgrain.base.failures import Failure, failure_record
from webgrain.duplicates.index import storable
from webgrain.io.local import replacing
from webgrain.io.write import open_writer
from webgrain.site import thresholds

TableRow = dict[str, Any]
"""The cells of a row by the name of the column."""

ColumnTypes = Sequence[tuple[str, str]]
"""Names of columns and their types: ``list`` (of texts), ``numbers`` (int64 in a list or an array), or a
function of pyarrow, such as ``string``."""

LIST_TYPES = ("list", "numbers")
"""Types of columns whose cells contain several values."""

STORE_SHARD = ".pages.parquet"
"""Ending of the name of a shard that is a page store."""

ARROW = ".arrow"
"""Ending of the name of a table that only later stages read."""

RAW_SHARD = f".raw{ARROW}"
"""Ending of the name of a shard with the bytes of pages."""

T = TypeVar("T")


@dataclass(slots=True)
class Summary:
    """The summary of a part: number of pages, seconds of each stage, and failures."""

    pages: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def write_rows(
    path: Path, rows: Iterable[TableRow], columns: ColumnTypes, summary: Summary | None = None
) -> None:
    """Write rows to a file, which appears when it is complete; the summary is written last.

    Lone surrogates in texts become question marks.
    """
    arrow = require("pyarrow", "store", "Audits")
    schema = _schema(columns)
    with _created(path, schema) as file:
        for batch in batches(rows, math.inf, _row_size, thresholds.BATCH_CHARACTERS):
            try:
                table = arrow.Table.from_pylist(batch, schema)
            except UnicodeEncodeError:
                table = arrow.Table.from_pylist([storable_cells(row) for row in batch], schema)
            file.write_table(table)
        if summary is not None:  # complete now; a summary without its part is written again
            _summary_file(path).write_text(json.dumps(asdict(summary)), encoding="utf-8")


def write_columns(path: Path, tables: Iterable[Mapping[str, Any]], columns: ColumnTypes) -> None:
    """Write tables one below the other, as `write_rows` writes rows; each has the arrays of its columns.

    Small tables are joined, since each group of rows of a file takes memory until the file is closed.
    """
    arrow = require("pyarrow", "store", "Audits")
    schema = _schema(columns)
    with _created(path, schema) as file:
        arrow_tables = (arrow.Table.from_pydict(dict(table), schema) for table in tables)
        for joined in batches(arrow_tables, math.inf, lambda table: table.nbytes, thresholds.GROUP_BYTES):
            file.write_table(arrow.concat_tables(joined))


def _schema(columns: ColumnTypes) -> Any:
    """Return the schema of a table."""
    arrow = require("pyarrow", "store", "Audits")
    lists = {"list": arrow.list_(arrow.string()), "numbers": arrow.list_(arrow.int64())}
    fields = [(name, lists.get(type_) or getattr(arrow, type_)()) for name, type_ in columns]
    return arrow.schema(fields)


@contextmanager
def _created(path: Path, schema: Any) -> Iterator[Any]:
    """Open a new file for tables, which appears when it is complete."""
    arrow = require("pyarrow", "store", "Audits")
    parquet = require("pyarrow.parquet", "store", "Audits")
    with replacing(path) as part:
        if path.suffix != ARROW:
            with parquet.ParquetWriter(part, schema, compression="zstd") as file:
                yield file
            return
        # Pages are sent to other machines, so they are compressed more.
        codec = "zstd" if path.name.endswith(RAW_SHARD) else "lz4"
        options = arrow.ipc.IpcWriteOptions(compression=codec)
        with (
            arrow.OSFile(str(part), "wb") as target,
            arrow.ipc.new_file(target, schema, options=options) as file,
        ):
            yield file


def read_batches(
    path: Path, columns: Sequence[str] | None, rows: int = thresholds.BATCH_ROWS
) -> Iterator[Any]:
    """Yield the columns of a table, some rows at a time.

    columns: None for all. rows: most rows at a time.
    """
    with _intact(path):
        if path.suffix != ARROW:
            parquet = require("pyarrow.parquet", "store", "Audits")
            with parquet.ParquetFile(path) as file:
                yield from file.iter_batches(rows, columns=columns)
            return
        with _arrow_file(path, columns) as file:
            for number in range(file.num_record_batches):
                batch = file.get_batch(number)
                chosen = batch if columns is None else batch.select(list(columns))
                for first in range(0, len(chosen), rows):
                    yield chosen.slice(first, rows)


def read_rows(
    path: Path, columns: Sequence[str] | None = None, *, where: tuple[str, Sequence[str]] | None = None
) -> Iterator[TableRow]:
    """Yield the rows of a table.

    columns: None for all. where: a column and the values that the rows have there, for a table of short rows.
    """
    size = thresholds.BATCH_ROWS if where is None else thresholds.SHORT_ROWS
    for batch in read_batches(path, columns, size):
        chosen = batch
        if where is not None:
            column, values = where
            chosen = batch.filter(np.isin(batch[column].to_numpy(zero_copy_only=False), values))
        yield from chosen.to_pylist()


def read_summary(path: Path) -> Summary:
    """Return the summary of a part."""
    with _intact(path):
        record = json.loads(_summary_file(path).read_text(encoding="utf-8"))
    failures = [Failure(**failure) for failure in record["failures"]]
    return Summary(record["pages"], record["seconds"], failures)


def _summary_file(part: Path) -> Path:
    return part.with_suffix(".json")


@contextmanager
def _arrow_file(path: Path, columns: Sequence[str] | None) -> Iterator[Any]:
    """Open an Arrow file, of which only some columns are read; None for all."""
    arrow = require("pyarrow", "store", "Audits")
    with arrow.OSFile(str(path)) as source, arrow.ipc.open_file(source) as file:
        if columns is None:
            yield file
            return
        numbers = [file.schema.get_field_index(name) for name in columns]
        options = arrow.ipc.IpcReadOptions(included_fields=numbers)
        with arrow.ipc.open_file(source, options=options) as some:
            yield some


@contextmanager
def _intact(path: Path) -> Iterator[None]:
    """Raise `InputError` if a file is damaged."""
    arrow = require("pyarrow", "store", "Audits")
    try:
        yield
    except (OSError, ValueError, arrow.ArrowException) as error:
        # The journal contains the shards of the input: they are made again if the whole folder is removed.
        damaged = "the folder" if path.name.endswith((STORE_SHARD, RAW_SHARD)) else "it"
        raise InputError(f"{path} is damaged: remove {damaged} and start the audit again.") from error


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write failures, one JSON record per line."""
    with replacing(path) as part, open_writer("jsonl", part) as records:
        for failure in failures:
            records.write(failure_record(failure))


def read_failures(path: Path) -> list[Failure]:
    """Return the failures in a file; none if the file does not exist."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [Failure(**json.loads(line)) for line in lines]


def storable_cells(cells: TableRow) -> TableRow:
    """Return cells whose texts can be stored."""
    return {name: _storable_cell(cell) for name, cell in cells.items()}


def _storable_cell(cell: Any) -> Any:
    if isinstance(cell, str):
        return storable(cell)
    if isinstance(cell, list):
        return list(map(storable, cell))
    return cell


def batches(
    items: Iterable[T], most: float, size: Callable[[T], int] = lambda item: 0, room: float = math.inf
) -> Iterator[list[T]]:
    """Yield lists of at most ``most`` items; a list also ends when the sum of their sizes reaches ``room``.

    >>> list(batches("abcde", 2))
    [['a', 'b'], ['c', 'd'], ['e']]
    """
    batch: list[T] = []
    total = 0
    for item in items:
        batch.append(item)
        total += size(item)
        if len(batch) >= most or total >= room:
            yield batch
            batch = []
            total = 0
    if batch:
        yield batch


def _row_size(row: TableRow) -> int:
    """Return the characters and bytes of a row, see `CELL_CHARACTERS`."""
    return thresholds.CELL_CHARACTERS * len(row) + sum(map(_cell_size, row.values()))


def _cell_size(cell: Any) -> int:
    """Return the characters or bytes of a cell: of a text, or of the texts of a list."""
    cell_type = type(cell)  # of each cell of a table, so it is not compared with a union of types
    if cell_type is str or cell_type is bytes:
        return len(cell)
    if cell_type is list:
        return sum(map(len, cell))
    return cell.nbytes if cell_type is np.ndarray else 0
