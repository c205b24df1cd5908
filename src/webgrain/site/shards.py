"""Shards: the pages of the input of an audit, by site, in files that tasks can read on any machine.

A shard holds some pages of a site in one Parquet file: bytes with the location of their style sheets and
other files, or, for pages from a page store, a page store.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator, Sequence
from functools import lru_cache
from pathlib import Path

from webgrain.base.failures import Failure
from webgrain.duplicates.index import storable
from webgrain.io.archives import WarcAssets
from webgrain.io.local import FolderAssets, ZipAssets
from webgrain.io.store import open_store, read_store
from webgrain.page.page import Assets, Page, Source
from webgrain.site import thresholds
from webgrain.site.tables import RAW_SHARD, STORE_SHARD, ColumnTypes, Summary, TableRow, read_rows, write_rows

_RAW_COLUMNS: ColumnTypes = (
    ("id", "string"),
    ("url", "string"),
    ("charset", "string"),
    ("path", "string"),
    ("assets", "string"),
    ("body", "large_binary"),
)


def shard_size(pages: int) -> int:
    """Return the pages of a shard: fewer if there are few pages, so that several workers end at about a time.

    >>> [shard_size(pages) for pages in (9, 100, 250, 1000)]
    [9, 16, 32, 64]
    """
    even = -(-pages // thresholds.SHARDS)
    return max(1, min(pages, thresholds.SHARD_PAGES, max(even, thresholds.LEAST_SHARD_PAGES)))


def write_shard(stem: Path, items: Sequence[Source | Page]) -> Path:
    """Write pages, all sources or all parsed, to a shard; return its path, of which stem is the beginning.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = write_shard(Path(folder) / "00000", [Source("a.html", b"<p>Hi")])
    ...     path.name, [(page.id, page.body) for page in read_shard(path)]
    ('00000.raw.arrow', [('a.html', b'<p>Hi')])
    """
    if items and isinstance(items[0], Page):
        path = stem.with_name(stem.name + STORE_SHARD)
        with open_store(path) as store:
            for item in items:
                if isinstance(item, Page):
                    store.write(item)
        return path
    path = stem.with_name(stem.name + RAW_SHARD)
    rows = (_source_row(item) for item in items if isinstance(item, Source))
    write_rows(path, rows, _RAW_COLUMNS)
    return path


def item_bytes(item: Source | Page | Failure) -> int:
    """Return about the bytes of memory of an item."""
    if isinstance(item, Source):
        return len(item.body)
    if isinstance(item, Page):
        return 100 * len(item.dom) + len(item.screenshot or b"")
    return 0


def read_shard(path: Path, only: Collection[str] | None = None) -> Iterator[Source | Page | Failure]:
    """Yield the pages of a shard; only: their ids, None for all pages."""
    for _, item in numbered_items(path, only):
        yield item


def numbered_items(
    path: Path, only: Collection[str] | None = None
) -> Iterator[tuple[int, Source | Page | Failure]]:
    """Yield what `read_shard` yields, each with its position in the shard, from 0."""
    if path.name.endswith(STORE_SHARD):
        for position, item in enumerate(read_store(path)):
            if only is None or isinstance(item, Failure) or item.id in only:
                yield position, item
        return
    for position, row in enumerate(read_rows(path)):
        if only is None or row["id"] in only:
            yield position, _row_source(row)


def shard_ids(path: Path) -> list[str]:
    """Return the ids of the pages in a shard, in order."""
    return [row["id"] for row in read_rows(path, ["id"])]


def write_failed_part(shard: Path, part: Path, columns: ColumnTypes, failure: Failure) -> Summary:
    """Write a part without rows for a shard that failed as a whole, and return its summary."""
    names = shard_ids(shard)
    summary = Summary(failures=[Failure(name, failure.stage, failure.error) for name in names])
    part.parent.mkdir(parents=True, exist_ok=True)  # a worker may end before it does so
    write_rows(part, [], columns, summary)
    return summary


def _source_row(source: Source) -> TableRow:
    return {
        "id": storable(source.id),
        "url": source.url and storable(source.url),
        "charset": source.charset and storable(source.charset),
        "path": storable(source.path),
        "assets": _location(source.assets),
        "body": source.body,
    }


def _row_source(row: TableRow) -> Source:
    assets = _assets(row["assets"])
    return Source(row["id"], row["body"], row["url"], row["charset"], assets, row["path"])


def _location(assets: Assets | None) -> str | None:
    """Return the location of the files of a page; None if they cannot be opened again."""
    if isinstance(assets, FolderAssets):
        return f"folder {assets.root.absolute()}"
    if isinstance(assets, ZipAssets):
        return f"zip {assets.path.absolute()}"
    if isinstance(assets, WarcAssets):
        return f"warc {assets.path.absolute()}"
    return None


@lru_cache(maxsize=8)  # so that the directory of an archive is read once, not for each page
def _zip_assets(path: str, changed: int) -> ZipAssets:
    """Return the files of a zip archive; changed: the time of its last change."""
    return ZipAssets(Path(path))


def _assets(location: str | None) -> Assets | None:
    """Return the files of a page by their location."""
    container, _, path = (location or "").partition(" ")
    if container == "folder":
        return FolderAssets(Path(path))
    if container == "zip":
        return _zip_assets(path, os.stat(path).st_mtime_ns if os.path.exists(path) else 0)
    if container == "warc":
        return WarcAssets(Path(path))
    return None
