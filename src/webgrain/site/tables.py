"""Tables of an audit: the row of a page, in a part for each shard and in ``pages.parquet``.

A part has the rows of one shard, with the signatures of the pages and what went wrong with others. It appears
when it is complete, so a part that is there need not be made again.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from webgrain.duplicates.index import Document, Signatures, storable
from webgrain.errors import InputError, require
from webgrain.io.local import replacing
from webgrain.results import Failure
from webgrain.site.model import Prediction

Row = dict[str, Any]


COLUMNS = (
    ("page", "string"),
    ("url", "string"),
    ("site", "string"),
    ("type_name", "string"),
    ("type", "string"),
    ("type_confidence", "float64"),
    ("template_match", "float64"),
    ("fits", "bool_"),
    ("verdict", "string"),
    ("title", "string"),
    ("text", "string"),
    ("boilerplate_share", "float64"),
    ("noise_share", "float64"),
    ("lists", "string"),
    ("confidence", "float64"),
    ("nodes", "int64"),
    ("notes", "list"),
)
"""Columns of a page in a part; ``lists``: the records of its lists, as JSON. ``noise_share``: the old name of
``boilerplate_share``, kept for one release."""

GROUPED = (("cluster", "int64"), ("representative", "string"))
"""Columns that only ``pages.parquet`` has: the number of a group of duplicates, and its first page."""

_TEXTS = ("whole", "content", "frame")
_SIGNED = (("digest", "binary"), ("sizes", "list"), *((name, "binary") for name in _TEXTS))
_BATCH = 16 * 2**20
"""Characters of text that wait to be written, at most."""
_ROWS = 64
_TOLD = b"webgrain audit"


@dataclass(slots=True)
class Summary:
    """What else is known of a part: seconds of each stage, and what failed."""

    pages: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def page_row(found: Prediction, site: str) -> Row:
    """Return the row of a page."""
    sure = found.assigned.confidence
    lists = json.dumps([one.to_dict() for one in found.lists], ensure_ascii=False) if found.lists else None
    return {
        "page": storable(found.id),
        "url": found.url and storable(found.url),
        "site": storable(site),
        "type_name": found.type_name and storable(found.type_name),
        "type": found.type,
        "type_confidence": None if sure is None else round(sure, 4),
        "template_match": found.template_match,
        "fits": found.fits,
        "verdict": found.verdict,
        "title": storable(found.title),
        "text": storable(found.text),
        "boilerplate_share": round(found.boilerplate_share, 4),
        "noise_share": round(found.boilerplate_share, 4),
        "lists": storable(lists) if lists else None,
        "confidence": round(found.confidence, 4),
        "nodes": len(found.page.dom),
        "notes": list(found.page.notes),
    }


def signed_row(signed: Signatures) -> Row:
    """Return the signatures of a page as cells."""
    whole, content, frame = (part.astype("<u2").tobytes() or None for part in signed.signatures)
    sizes = list(signed.size)
    return {"digest": signed.digest, "sizes": sizes, "whole": whole, "content": content, "frame": frame}


def read_signed(path: Path) -> Iterator[tuple[Document, Signatures]]:
    """Yield the pages of a part by their signatures; their texts are empty."""
    for row in read_rows(path, ["page", "url", *(name for name, _ in _SIGNED)]):
        parts = [np.frombuffer(row[name] or b"", "<u2") for name in _TEXTS]
        signed = Signatures(row["digest"], tuple(row["sizes"]), tuple(parts))  # type: ignore[arg-type]
        yield Document(row["page"], "", None, row["url"]), signed


class PartWriter:
    """Writes the rows of a part; `write_part` makes one."""

    def __init__(self, file: Any, schema: Any) -> None:
        self._file, self._schema = file, schema
        self._rows: list[Row] = []
        self._size = 0

    def write(self, row: Row) -> None:
        """Add a row."""
        self._rows.append(row)
        self._size += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if self._size >= _BATCH:
            self.flush()

    def flush(self) -> None:
        """Write the rows that wait."""
        if self._rows:
            table = require("pyarrow", "store", "Audits").Table.from_pylist(self._rows, self._schema)
            self._file.write_table(table)
        self._rows, self._size = [], 0


def write_rows(
    path: Path, rows: Iterable[Row], columns: Sequence[tuple[str, str]], summary: Summary | None = None
) -> None:
    """Write rows to a Parquet file, which appears when it is complete; the summary is read at the end."""
    parquet = require("pyarrow.parquet", "store", "Audits")
    schema = _schema(columns)
    with replacing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as file:
        writer = PartWriter(file, schema)
        for row in rows:
            writer.write(row)
        writer.flush()
        if summary is not None:
            file.add_key_value_metadata({_TOLD: json.dumps(asdict(summary))})


def write_part(path: Path, rows: Iterable[Row], summary: Summary) -> None:
    """Write the part of a shard."""
    write_rows(path, rows, (*COLUMNS, *_SIGNED), summary)


def read_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a table, some columns of them."""
    with _open(path) as file:
        for batch in file.iter_batches(_ROWS, columns=columns):
            yield from batch.to_pylist()


def read_summary(path: Path) -> Summary:
    """Return what else is known of a part."""
    with _open(path) as file:
        told = json.loads(file.metadata.metadata[_TOLD])
    return Summary(told["pages"], told["seconds"], [Failure(**failure) for failure in told["failures"]])


def _open(path: Path) -> Any:
    arrow = require("pyarrow", "store", "Audits")
    try:
        return require("pyarrow.parquet", "store", "Audits").ParquetFile(path)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise InputError(f"{path} is damaged: remove it and start the audit again.") from error


def _schema(columns: Sequence[tuple[str, str]]) -> Any:
    arrow = require("pyarrow", "store", "Audits")
    lists = {"notes": arrow.list_(arrow.string()), "sizes": arrow.list_(arrow.int64())}
    kind = {name: lists.get(name) or getattr(arrow, kind)() for name, kind in columns}
    return arrow.schema(list(kind.items()))
