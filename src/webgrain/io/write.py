"""Write records as JSON lines, CSV or Parquet to a file or to standard output; draw a sample of pages.

JSON lines are written at once. A table must know all its columns first, so its records wait in a temporary
file and are written as CSV or Parquet at the end; a list or a mapping becomes a cell with JSON.

A CSV cell that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line break, and is not a number, is
prefixed with an apostrophe: spreadsheets would run it as a formula, and the texts come from strangers. JSON
and Parquet keep texts unchanged.
"""

from __future__ import annotations

import csv
import io
import json
import math
import os
import random
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Protocol, TypeVar

from webgrain.base.errors import InputError, ParameterError, naming, require, writing
from webgrain.io.local import replacing
from webgrain.page.page import Page, Source

FORMATS = ("jsonl", "csv", "parquet")
"""Formats of records."""

Record = Mapping[str, Any]

_FORMULA = re.compile(r"(?![+-]\d+(\.\d+)?\Z)[=+\-@\t\r\n]")
_ROWS = 1000


class Writer(Protocol):
    """Writes records."""

    def write(self, record: Record) -> None:
        """Append a record."""


@contextmanager
def open_writer(format_: str, target: str | Path, columns: Sequence[str] = ()) -> Iterator[Writer]:
    """Open a file, or standard output for ``-``, for records in a format: "jsonl", "csv" or "parquet".

    columns: first columns of a table, present even without records; other columns follow as they occur.

    JSON lines are written directly and completely, so a run that is killed leaves the records so far. A CSV
    or Parquet file appears, and replaces an older one, when the block ends without error. If the reader of
    standard output closes it (``| head``), the block ends without error. Lone surrogates become U+FFFD;
    numbers that are not finite become null.

    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with open_writer("csv", Path(folder) / "a.csv") as records:
    ...         records.write({"page": "a.html", "text": "=1+1", "box": [0, 0, 10, 10]})
    ...     print((Path(folder) / "a.csv").read_text(), end="")
    page,text,box
    a.html,'=1+1,"[0, 0, 10, 10]"
    """
    if format_ not in FORMATS:
        raise ParameterError(f"The format must be one of {', '.join(FORMATS)}, got {format_!r}.")
    if format_ == "parquet":
        require("pyarrow", "store", "Parquet files")
    with _stdout(format_) if str(target) == "-" else _file(Path(target), whole=format_ != "jsonl") as stream:
        if format_ == "jsonl":
            yield _Lines(stream)
        else:
            with tempfile.TemporaryFile() as waiting:
                table = _Table(waiting, columns)
                yield table
                (_write_csv if format_ == "csv" else _write_parquet)(table, stream)


@contextmanager
def _file(path: Path, whole: bool) -> Iterator[BinaryIO]:
    if whole:
        with replacing(path) as part, part.open("wb") as stream:
            yield stream
        return
    with writing(path):
        lines = path.open("wb")
    with naming(path), lines:
        yield lines


@contextmanager
def _stdout(format_: str) -> Iterator[BinaryIO]:
    if sys.stdout is None:
        raise InputError("Standard output is closed: there is nowhere to write to.")
    if format_ == "parquet" and sys.stdout.isatty():
        raise InputError("Parquet is not for a terminal: write it to a file.")
    sys.stdout.flush()
    try:
        yield sys.stdout.buffer
        sys.stdout.flush()
    except BrokenPipeError:
        discard_stdout()


def discard_stdout() -> None:
    """Discard the text that is still in the buffer of stdout, since writing it at exit would fail."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _Lines:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, record: Record) -> None:
        self._stream.write(_json(record).encode() + b"\n")
        self._stream.flush()


class _Table:
    """Records in a temporary file as JSON lines, and the types of values in each column."""

    def __init__(self, waiting: BinaryIO, columns: Sequence[str]) -> None:
        self._waiting = waiting
        self.columns: dict[str, set[type]] = {name: set() for name in columns}

    def write(self, record: Record) -> None:
        nested = (Mapping, list, tuple)
        flat = {name: _json(value) if isinstance(value, nested) else value for name, value in record.items()}
        line = _json(flat)
        self._waiting.write(line.encode() + b"\n")
        for name, value in json.loads(line).items():
            fits = not isinstance(value, int) or -(2**63) <= value < 2**63
            self.columns.setdefault(name, set()).add(type(value) if fits else str)

    def rows(self) -> Iterator[dict[str, Any]]:
        self._waiting.seek(0)
        return map(json.loads, self._waiting)


def _write_csv(table: _Table, stream: BinaryIO) -> None:
    stream.write(_csv_line(table.columns))
    for row in table.rows():
        stream.write(_csv_line([_cell(row.get(name)) for name in table.columns]))


def _csv_line(cells: Iterable[Any]) -> bytes:
    # The library does not quote a lone carriage return, which readers take for the end of the row.
    quote = any(isinstance(cell, str) and "\r" in cell for cell in cells)
    line = io.StringIO()
    csv.writer(line, lineterminator="\n", quoting=csv.QUOTE_ALL if quote else csv.QUOTE_MINIMAL).writerow(
        cells
    )
    return line.getvalue().encode()


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value if isinstance(value, str) and _FORMULA.match(value) else value


def _write_parquet(table: _Table, stream: BinaryIO) -> None:
    arrow = require("pyarrow", "store", "Parquet files")
    parquet = require("pyarrow.parquet", "store", "Parquet files")
    types = {name: _arrow_type(kinds - {type(None)}) for name, kinds in table.columns.items()}
    schema = arrow.schema([(name, arrow.type_for_alias(dtype)) for name, dtype in types.items()])
    with tempfile.TemporaryFile() as whole:  # Parquet needs a position, which a pipe does not have
        with parquet.ParquetWriter(whole, schema, compression="zstd") as file:
            rows = table.rows()
            while chunk := list(islice(rows, _ROWS)):
                typed = [{name: _typed(value, types[name]) for name, value in row.items()} for row in chunk]
                file.write_table(arrow.Table.from_pylist(typed, schema))
        whole.seek(0)
        shutil.copyfileobj(whole, stream)


def _arrow_type(kinds: set[type]) -> str:
    if kinds == {bool}:
        return "bool"
    if kinds == {int}:
        return "int64"
    return "float64" if kinds and kinds <= {int, float} else "string"


def _typed(value: Any, dtype: str) -> Any:
    """Return a cell; in a column of strings, other values become JSON."""
    return value if value is None or isinstance(value, str) or dtype != "string" else _json(value)


def _json(value: Any) -> str:
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False, default=_plain)
    except ValueError:
        text = json.dumps(_finite(value), ensure_ascii=False, default=_plain)
    try:
        text.encode()
    except UnicodeEncodeError:
        return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
    return text


def _plain(value: Any) -> Any:
    """Return a JSON value for numpy arrays, numpy numbers and paths."""
    if hasattr(value, "tolist"):
        return _finite(value.tolist())
    if isinstance(value, Path):
        return str(value)
    raise ParameterError(f"A record holds a {type(value).__name__}, which cannot be written.")


def _finite(value: Any) -> Any:
    if isinstance(value, float):
        return value if math.isfinite(value) else None
    if isinstance(value, Mapping):
        return {name: _finite(part) for name, part in value.items()}
    return [_finite(part) for part in value] if isinstance(value, list | tuple) else value


T = TypeVar("T", bound=Source | Page)


def draw(
    items: Iterable[T], n: int, seed: int = 0, types: Mapping[str, str] | None = None
) -> dict[str, list[T]]:
    """Draw ``n`` items at random, or ``n`` of each type, sorted by id; all items if there are fewer.

    types: type of each id; items without a type are left out. Without types, all items have the type "". Only
    the drawn items are kept in memory (reservoir sampling: Vitter, Random sampling with a reservoir, 1985).

    >>> from webgrain.page.page import Source
    >>> drawn = draw((Source(f"{k}", b"") for k in range(100)), 3)
    >>> [source.id for source in drawn[""]]
    ['1', '24', '45']
    """
    drawn: dict[str, list[T]] = {}
    counts: dict[str, int] = {}
    rng = random.Random(seed)
    for item in items:
        type_ = "" if types is None else types.get(item.id)
        if type_ is None:
            continue
        reservoir = drawn.setdefault(type_, [])
        counts[type_] = counts.get(type_, 0) + 1
        place = rng.randrange(counts[type_])
        if len(reservoir) < n:
            reservoir.append(item)
        elif place < n:
            reservoir[place] = item
    return {type_: sorted(drawn[type_], key=lambda item: item.id) for type_ in sorted(drawn)}


def read_types(path: Path) -> dict[str, str]:
    """Return the type of each page from JSON lines, CSV or TSV with the fields page (or path) and type.

    Raises `InputError` if the file cannot be read or lacks these fields.
    """
    suffix = path.suffix.lower()
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            if suffix in (".csv", ".tsv"):
                rows: list[Any] = list(csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ","))
            else:
                rows = [json.loads(line) for line in file if line.strip()]
    except OSError as error:
        raise InputError(f"Cannot read page types from {path}: {error.strerror}.") from error
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path} contains no page types: {error}.") from error
    types = {}
    for number, row in enumerate(rows, 1):
        page = row.get("page", row.get("path")) if isinstance(row, dict) else None
        type_ = row.get("type") if isinstance(row, dict) else None
        if not isinstance(page, str) or not isinstance(type_, str):
            raise InputError(f"{path}, row {number}: expected the fields page and type.")
        types[page] = type_
    return types
