from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError
from webgrain.crawler.state import CrawlState, KnownPage

if TYPE_CHECKING:
    from pathlib import Path


def page(name: str, last: float, **given: str) -> KnownPage:
    return KnownPage(name, f"http://a.org/{name}", last, last, **given)


def test_pages_come_back_and_are_dropped_by_age(tmp_path: Path) -> None:
    with CrawlState(tmp_path / "seen.db") as seen:
        seen.put(page("old", 10))
        seen.put(page("new", 30, etag='"a"'))
        seen.put(page("old", 20, etag='"b"'))
    with CrawlState(tmp_path / "seen.db", make=False) as seen:
        assert [(p.key, p.first, p.last, p.etag) for p in seen.pages()] == [
            ("old", 10, 20, '"b"'),
            ("new", 30, 30, '"a"'),
        ]
        assert [p.key for p in seen.pages(before=30)] == ["old"]
        assert seen.drop(before=30) == 1
        assert seen.get("old") is None


def test_wrong_files(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="does not exist"):
        CrawlState(tmp_path / "missing.db", make=False)
    (tmp_path / "text.db").write_text("not a database" * 100)
    with pytest.raises(InputError, match="Cannot open"):
        CrawlState(tmp_path / "text.db")
    with closing(sqlite3.connect(tmp_path / "other.db")) as other:
        other.execute("CREATE TABLE mine (a)")
    with pytest.raises(InputError, match="something else"):
        CrawlState(tmp_path / "other.db")
