"""Tables of an audit: the rows of pages, in a part for each shard and in ``pages.parquet``.

A part has the rows of one shard, with the signatures of its pages, and a summary with the failures. A part
appears when it is complete.
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
from webgrain.site.thresholds import BATCH_CHARACTERS, BATCH_ROWS

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
"""Columns that only ``pages.parquet`` has: the number of a cluster of near-duplicates, and its first page."""

_TEXTS = ("whole", "content", "frame")
_SIGNED = (("digest", "binary"), ("sizes", "list"), *((name, "binary") for name in _TEXTS))
_SUMMARY = b"webgrain audit"


@dataclass(slots=True)
class Summary:
    """The summary of a part: number of pages, seconds of each stage, and failures."""

    pages: int = 0
    seconds: dict[str, float] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)


def page_row(found: Prediction, site: str) -> Row:
    """Return the row of a page."""
    confidence = found.assigned.confidence
    lists = json.dumps([each.to_dict() for each in found.lists], ensure_ascii=False) if found.lists else None
    return {
        "page": storable(found.id),
        "url": found.url and storable(found.url),
        "site": storable(site),
        "type_name": found.type_name and storable(found.type_name),
        "type": found.type,
        "type_confidence": None if confidence is None else round(confidence, 4),
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
    """Yield the pages of a part, without their texts, and their signatures."""
    for row in read_rows(path, ["page", "url", *(name for name, _ in _SIGNED)]):
        parts = [np.frombuffer(row[name] or b"", "<u2") for name in _TEXTS]
        signed = Signatures(row["digest"], tuple(row["sizes"]), tuple(parts))  # type: ignore[arg-type]
        yield Document(row["page"], "", None, row["url"]), signed


class PartWriter:
    """Writes rows in batches, see `write_rows`."""

    def __init__(self, file: Any, schema: Any) -> None:
        self._file, self._schema = file, schema
        self._rows: list[Row] = []
        self._size = 0

    def write(self, row: Row) -> None:
        """Add a row."""
        self._rows.append(row)
        self._size += sum(len(value) for value in row.values() if isinstance(value, str | bytes))
        if self._size >= BATCH_CHARACTERS:
            self.flush()

    def flush(self) -> None:
        """Write the waiting rows."""
        if self._rows:
            table = require("pyarrow", "store", "Audits").Table.from_pylist(self._rows, self._schema)
            self._file.write_table(table)
        self._rows, self._size = [], 0


def write_rows(
    path: Path, rows: Iterable[Row], columns: Sequence[tuple[str, str]], summary: Summary | None = None
) -> None:
    """Write rows to a Parquet file, which appears when it is complete; the summary is written last."""
    parquet = require("pyarrow.parquet", "store", "Audits")
    schema = _schema(columns)
    with replacing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as file:
        writer = PartWriter(file, schema)
        for row in rows:
            writer.write(row)
        writer.flush()
        if summary is not None:
            file.add_key_value_metadata({_SUMMARY: json.dumps(asdict(summary))})


def write_part(path: Path, rows: Iterable[Row], summary: Summary) -> None:
    """Write the part of a shard."""
    write_rows(path, rows, (*COLUMNS, *_SIGNED), summary)


def read_rows(path: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield the rows of a table; columns: None for all."""
    with _open(path) as file:
        for batch in file.iter_batches(BATCH_ROWS, columns=columns):
            yield from batch.to_pylist()


def read_summary(path: Path) -> Summary:
    """Return the summary of a part."""
    with _open(path) as file:
        record = json.loads(file.metadata.metadata[_SUMMARY])
    return Summary(record["pages"], record["seconds"], [Failure(**row) for row in record["failures"]])


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
