from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from tests.views import with_lines

from webgrain.base.errors import InputError
from webgrain.io.local import FolderAssets, ZipAssets
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.site import tables, thresholds
from webgrain.site.shards import read_shard, shard_ids, write_shard

if TYPE_CHECKING:
    from pathlib import Path


def test_sources_come_back_as_they_were(tmp_path: Path) -> None:
    (tmp_path / "a.css").write_text("p { }")
    sources = [
        Source("a", b"\xff\0<p>", "http://e.org/a", "latin-1", FolderAssets(tmp_path), "x/a.html"),
        Source("b", b"", None, None, ZipAssets(tmp_path / "s.zip")),
        Source("c" + chr(0xD800), b"c"),
    ]
    path = write_shard(tmp_path / "0", sources)
    found = list(read_shard(path))
    assert [page.id for page in found if isinstance(page, Source)] == ["a", "b", "c?"] == shard_ids(path)
    assert found[0] == sources[0]
    assert isinstance(found[1], Source)
    assert isinstance(found[1].assets, ZipAssets)
    assert [page.id for page in read_shard(path, {"b"}) if isinstance(page, Source)] == ["b"]


def test_stored_pages_keep_their_layout(tmp_path: Path) -> None:
    page = parse(Source("a", b"<p>Some text"))
    path = write_shard(tmp_path / "0", [with_lines(page)])
    [found] = read_shard(path)
    assert isinstance(found, Page)
    assert found.view is not None
    assert found.view.source == "lines"
    assert shard_ids(path) == ["a"]


def test_a_damaged_shard_gives_one_sentence(tmp_path: Path) -> None:
    path = write_shard(tmp_path / "0", [Source("a", b"<p>" * 100)])
    path.write_bytes(path.read_bytes()[:-20])
    with pytest.raises(InputError, match="is damaged"):
        list(read_shard(path))


def test_texts_in_lists_fill_a_batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pq = pytest.importorskip("pyarrow.parquet")
    monkeypatch.setattr(thresholds, "BATCH_CHARACTERS", 15 + 4 * thresholds.CELL_CHARACTERS)
    rows = [{"links": ["x" * 5, "y" * 5], "n": 1}] * 3
    tables.write_rows(tmp_path / "a.parquet", rows, [("links", "list"), ("n", "int64")])
    found = pq.ParquetFile(tmp_path / "a.parquet").metadata
    assert [found.row_group(k).num_rows for k in range(found.num_row_groups)] == [2, 1]


def test_texts_in_lists_count_for_the_size_of_a_row() -> None:
    row = {"links": ["x" * 5, "y" * 5], "n": 1}
    assert tables._row_size(row) == 10 + 2 * thresholds.CELL_CHARACTERS
