"""Shards: some pages of a site in one Parquet file, as they came; what every later stage reads.

Pages that were given as bytes are kept as bytes, with where the files beside them are. Pages of a page store
have no bytes: their shards are page stores.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain._extras import require
from webgrain.dedup.documents import storable
from webgrain.errors import InputError
from webgrain.io.assets import FolderAssets, ZipAssets
from webgrain.io.local import replacing
from webgrain.io.store import open_store, read_store
from webgrain.page.page import Page, Source
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Sequence

    from webgrain.page.page import Assets

STORED = ".pages.parquet"
"""What the name of a shard that is a page store ends in; that of others in ``.raw.parquet``."""

RAW = ".raw.parquet"

_COLUMNS = ("id", "url", "charset", "path", "assets")
_ROWS = 64
"""Pages that are read at a time."""


def write_shard(stem: Path, items: Sequence[Source | Page]) -> Path:
    """Write pages to a shard and return its path; ``stem``: that without the ending.

    All pages are of one kind. The file appears when it is complete.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_shard(Path(folder) / "00000", [Source("a.html", b"<p>Hi")])
    ...     path.name, [(page.id, page.body) for page in read_shard(path)]
    ('00000.raw.parquet', [('a.html', b'<p>Hi')])
    """
    if items and isinstance(items[0], Page):
        return _write_pages(stem.with_name(stem.name + STORED), items)
    arrow = require("pyarrow", "store", "Audits")
    parquet = require("pyarrow.parquet", "store", "Audits")
    schema = arrow.schema([*((name, arrow.string()) for name in _COLUMNS), ("body", arrow.large_binary())])
    path = stem.with_name(stem.name + RAW)
    rows = [_row(item) for item in items if isinstance(item, Source)]
    with replacing(path) as part, parquet.ParquetWriter(part, schema, compression="zstd") as file:
        for start in range(0, len(rows), _ROWS):
            file.write_table(arrow.Table.from_pylist(rows[start : start + _ROWS], schema))
    return path


def read_shard(path: Path, only: Collection[str] | None = None) -> Iterator[Source | Page | Failure]:
    """Yield the pages of a shard; only: ids of those that are wanted, None: all."""
    if path.name.endswith(STORED):
        yield from (
            item for item in read_store(path) if only is None or isinstance(item, Failure) or item.id in only
        )
        return
    for batch in _batches(path, [*_COLUMNS, "body"]):
        told, body = batch.select(_COLUMNS).to_pylist(), batch.column("body")
        for k, row in enumerate(told):
            if only is None or row["id"] in only:
                yield _source(row | {"body": body[k].as_py()})


def shard_ids(path: Path) -> list[str]:
    """Return the ids of the pages in a shard, in order."""
    return [name for batch in _batches(path, ["id"]) for name in batch.column("id").to_pylist()]


def _batches(path: Path, columns: list[str]) -> Iterator[Any]:
    arrow = require("pyarrow", "store", "Audits")
    parquet = require("pyarrow.parquet", "store", "Audits")
    try:
        with parquet.ParquetFile(path) as file:
            yield from file.iter_batches(_ROWS, columns=columns)
    except (OSError, ValueError, arrow.ArrowException) as error:
        raise InputError(f"{path} is damaged: remove the folder and start the audit again.") from error


def _write_pages(path: Path, items: Iterable[Source | Page]) -> Path:
    with open_store(path) as store:
        for item in items:
            if isinstance(item, Page):
                store.write(item)
    return path


def _row(source: Source) -> dict[str, Any]:
    return {
        "id": storable(source.id),
        "url": source.url and storable(source.url),
        "charset": source.charset and storable(source.charset),
        "path": storable(source.path),
        "assets": _told(source.assets),
        "body": source.body,
    }


def _source(row: dict[str, Any]) -> Source:
    return Source(row["id"], row["body"], row["url"], row["charset"], _assets(row["assets"]), row["path"])


def _told(assets: Assets | None) -> str | None:
    """Return where the files beside a page are; None where they cannot be opened again."""
    if isinstance(assets, FolderAssets):
        return f"folder {assets.root.absolute()}"
    return f"zip {assets.path.absolute()}" if isinstance(assets, ZipAssets) else None


def _assets(told: str | None) -> Assets | None:
    kind, _, path = (told or "").partition(" ")
    if kind == "folder":
        return FolderAssets(Path(path))
    return ZipAssets(Path(path)) if kind == "zip" else None
