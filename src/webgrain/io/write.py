"""Records out: one JSON text a line, CSV or Parquet, to a file or standard output.

JSON lines go out as they come. A table needs to know all columns first, so records wait in a temporary file
and become CSV or Parquet at the end; a list or a mapping then stands in its cell as JSON text.

A cell of a CSV file that begins with ``=``, ``+``, ``-``, ``@``, a tab or a line end gets an apostrophe
before it unless it is a number: spreadsheets would run it as a formula, and the texts are those of strangers.
The apostrophe is the spreadsheets' own mark for text. JSON and Parquet keep texts exactly.

Draw some pages of a site at random, in one pass, whole or by the types of its pages.
"""

from __future__ import annotations

import csv
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
from typing import Any, BinaryIO, Protocol, TypeVar, cast

from webgrain.errors import InputError, ParameterError, require
from webgrain.io.local import replacing

FORMATS = ("jsonl", "csv", "parquet")
"""Formats of records."""

Record = Mapping[str, Any]

_FORMULA = re.compile(r"(?![+-]\d+(\.\d+)?\Z)[=+\-@\t\r\n]")
_NESTED = (Mapping, list, tuple)
_ROWS = 1000


class Writer(Protocol):
    """What takes records."""

    def write(self, record: Record) -> None:
        """Add a record behind those that are there."""


@contextmanager
def open_writer(kind: str, target: str | Path, columns: Sequence[str] = ()) -> Iterator[Writer]:
    """Open a file, or standard output for ``-``, for records of a kind: "jsonl", "csv" or "parquet".

    columns: of a table that has them even where no record comes; others are added as they come.

    JSON lines go straight into the file, each whole, so that a run that is killed leaves what it had. A CSV
    or Parquet file appears when the block ends without an error, and replaces an older one then. When the
    reader of standard output goes away (``| head``), the block ends quietly. Lone surrogates become
    U+FFFD, numbers that are not finite become null.

    >>> with open_writer("csv", "-") as records:
    ...     records.write({"page": "a.html", "text": "=1+1", "box": [0, 0, 10, 10]})
    page,text,box
    a.html,'=1+1,"[0, 0, 10, 10]"
    """
    if kind not in FORMATS:
        raise ParameterError(f"The format must be one of {', '.join(FORMATS)}, got {kind!r}.")
    if kind == "parquet":
        require("pyarrow", "store", "Parquet files")
    with _stdout(kind) if str(target) == "-" else _file(Path(target), whole=kind != "jsonl") as stream:
        if kind == "jsonl":
            yield _Lines(stream)
        else:
            with tempfile.TemporaryFile() as waiting:
                table = _Table(waiting, columns)
                yield table
                (_write_csv if kind == "csv" else _write_parquet)(table, stream)


@contextmanager
def _file(path: Path, whole: bool) -> Iterator[BinaryIO]:
    if whole:
        with replacing(path) as part, part.open("wb") as stream:
            yield stream
        return
    try:
        lines = path.open("wb")
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror}.") from error
    with lines:
        yield lines


@contextmanager
def _stdout(kind: str) -> Iterator[BinaryIO]:
    if sys.stdout is None:
        raise InputError("Standard output is closed: there is nowhere to write to.")
    if kind == "parquet" and sys.stdout.isatty():
        raise InputError("Parquet is not for a terminal: write it to a file.")
    sys.stdout.flush()
    try:
        yield getattr(sys.stdout, "buffer", None) or cast("BinaryIO", _TextOut())
        sys.stdout.flush()
    except BrokenPipeError:
        # What is still in the buffer would otherwise be written, and fail, when the program ends.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


class _TextOut:
    """Standard output that takes text only, as that of a notebook does."""

    def write(self, data: bytes) -> int:
        return sys.stdout.write(data.decode())

    def flush(self) -> None:
        sys.stdout.flush()


class _Lines:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, record: Record) -> None:
        self._stream.write(_json(record).encode() + b"\n")
        self._stream.flush()


class _Table:
    """Records that wait in a file as JSON lines, and the kinds of values that each column holds."""

    def __init__(self, waiting: BinaryIO, columns: Sequence[str]) -> None:
        self._waiting = waiting
        self.columns: dict[str, set[type]] = {name: set() for name in columns}

    def write(self, record: Record) -> None:
        flat = {name: _json(value) if isinstance(value, _NESTED) else value for name, value in record.items()}
        line = _json(flat)
        self._waiting.write(line.encode() + b"\n")
        for name, value in json.loads(line).items():
            fits = not isinstance(value, int) or -(2**63) <= value < 2**63
            self.columns.setdefault(name, set()).add(type(value) if fits else str)

    def rows(self) -> Iterator[dict[str, Any]]:
        self._waiting.seek(0)
        for line in self._waiting:
            yield json.loads(line)


def _write_csv(table: _Table, stream: BinaryIO) -> None:
    plain = csv.writer(_Utf8(stream), lineterminator="\n")
    quoted = csv.writer(_Utf8(stream), lineterminator="\n", quoting=csv.QUOTE_ALL)
    plain.writerow(table.columns)
    for row in table.rows():
        cells = [_cell(row.get(name)) for name in table.columns]
        # The library leaves a lone carriage return unquoted, which readers take for the end of the row.
        (quoted if any("\r" in cell for cell in cells if isinstance(cell, str)) else plain).writerow(cells)


class _Utf8:
    def __init__(self, stream: BinaryIO) -> None:
        self._stream = stream

    def write(self, text: str) -> int:
        return self._stream.write(text.encode())


def _cell(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()
    return "'" + value if isinstance(value, str) and _FORMULA.match(value) else value


def _write_parquet(table: _Table, stream: BinaryIO) -> None:
    arrow = require("pyarrow", "store", "Parquet files")
    parquet = require("pyarrow.parquet", "store", "Parquet files")
    schema = arrow.schema([(name, _arrow_type(arrow, kinds)) for name, kinds in table.columns.items()])
    with tempfile.TemporaryFile() as whole:  # a pipe cannot tell its position, which Parquet needs
        with parquet.ParquetWriter(whole, schema, compression="zstd") as file:
            rows = table.rows()
            while some := list(islice(rows, _ROWS)):
                file.write_table(arrow.Table.from_pylist([_typed(row, schema) for row in some], schema))
        whole.seek(0)
        shutil.copyfileobj(whole, stream)


def _arrow_type(arrow: Any, kinds: set[type]) -> Any:
    kinds = kinds - {type(None)}
    if kinds == {bool}:
        return arrow.bool_()
    if kinds == {int}:
        return arrow.int64()
    return arrow.float64() if kinds and kinds <= {int, float} else arrow.string()


def _typed(row: Record, schema: Any) -> dict[str, Any]:
    """Make text of what is none in a column of texts."""
    text = {field.name for field in schema if str(field.type) == "string"}
    return {
        name: value if value is None or isinstance(value, str) or name not in text else _json(value)
        for name, value in row.items()
    }


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
    """Return what stands for a value that JSON does not know: arrays and numbers of numpy, paths."""
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


class Named(Protocol):
    """What is drawn."""

    @property
    def id(self) -> str:
        """Id of the page."""


T = TypeVar("T", bound=Named)


def draw(
    items: Iterable[T], n: int, seed: int = 0, types: Mapping[str, str] | None = None
) -> dict[str, list[T]]:
    """Return ``n`` of the items, or ``n`` of each type, in the order of their ids; all where there are fewer.

    types: by id; an item without one is left out. Without types all are of type "". Memory holds what was
    drawn so far only (reservoir sampling: Vitter, Random sampling with a reservoir, 1985).

    >>> from webgrain.page.page import Source
    >>> drawn = draw((Source(f"{k}", b"") for k in range(100)), 3)
    >>> [source.id for source in drawn[""]]
    ['1', '24', '45']
    """
    drawn: dict[str, list[T]] = {}
    seen: dict[str, int] = {}
    rng = random.Random(seed)
    for item in items:
        kind = "" if types is None else types.get(item.id)
        if kind is None:
            continue
        reservoir = drawn.setdefault(kind, [])
        seen[kind] = seen.get(kind, 0) + 1
        place = rng.randrange(seen[kind])
        if len(reservoir) < n:
            reservoir.append(item)
        elif place < n:
            reservoir[place] = item
    return {kind: sorted(drawn[kind], key=lambda item: item.id) for kind in sorted(drawn)}


def read_types(path: Path) -> dict[str, str]:
    """Return the type of each page from a file: JSON lines, CSV or TSV with the fields page and type.

    ``path`` stands for ``page`` too. `InputError` where the file cannot be read or lacks these fields.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = list(_rows(file, path.suffix.lower()))
    except OSError as error:
        raise InputError(f"Cannot read types of pages from {path}: {error.strerror}.") from error
    except (ValueError, csv.Error) as error:
        raise InputError(f"{path} holds no types of pages: {error}.") from error
    found = {}
    for number, row in enumerate(rows, 1):
        page = row.get("page", row.get("path")) if isinstance(row, dict) else None
        kind = row.get("type") if isinstance(row, dict) else None
        if not isinstance(page, str) or not isinstance(kind, str):
            raise InputError(f"{path}, row {number}: expected the fields page and type.")
        found[page] = kind
    return found


def _rows(file: Any, suffix: str) -> Iterator[Any]:
    if suffix in (".csv", ".tsv"):
        yield from csv.DictReader(file, delimiter="\t" if suffix == ".tsv" else ",")
    else:
        yield from (json.loads(line) for line in file if line.strip())
