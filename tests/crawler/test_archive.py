from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError
from webgrain.crawler.spider import Archive
from webgrain.io.read import read
from webgrain.page.page import Source

if TYPE_CHECKING:
    from pathlib import Path

HEADERS = [
    ("Content-Type", "text/html; charset=latin-1"),
    ("Content-Encoding", "gzip"),
    ("X-Name", "caf\xe9"),
]


def write(archive: Archive, number: int) -> None:
    body = b"<p>caf\xe9 %d" % number
    archive.write(f"http://example.org/{number}", "200 OK", HEADERS, body, {"WARC-IP-Address": "192.0.2.1"})


@pytest.mark.parametrize("name", ["a.warc", "a.warc.gz"])
def test_what_was_not_finished_is_cut_off(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    archive = Archive(path, 0)
    write(archive, 1)
    length = archive.length
    write(archive, 2)
    archive.close()
    path.write_bytes(path.read_bytes()[:-5])
    archive = Archive(path, length)
    write(archive, 3)
    archive.close()
    pages = [page for page in read([path]) if isinstance(page, Source)]
    assert [page.id for page in pages] == ["http://example.org/1", "http://example.org/3"]
    assert (pages[0].body, pages[0].charset) == (b"<p>caf\xe9 1", "latin-1")


def test_an_incomplete_archive_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="shorter"):
        Archive(tmp_path / "a.warc.gz", 100)
