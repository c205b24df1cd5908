from __future__ import annotations

import sqlite3
from contextlib import closing
from typing import TYPE_CHECKING

import pytest

from webgrain.base.errors import InputError
from webgrain.crawler import state as database
from webgrain.crawler.state import Entry, Frontier
from webgrain.crawler.thresholds import VARIANTS

if TYPE_CHECKING:
    from pathlib import Path


def test_what_was_taken_and_not_finished_waits_again(tmp_path: Path) -> None:
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add([Entry("http://a.org/"), Entry("http://b.org/")])
        first, second = frontier.take(), frontier.take()
        assert first is not None
        assert second is not None
        assert frontier.taken == 2
        frontier.finish(first, "stored", [Entry("http://a.org/x", depth=1)])
        frontier.commit()
    with closing(Frontier(tmp_path / "job")) as frontier:
        entries = [frontier.take(), frontier.take(), frontier.take()]
        assert [entry and entry.url for entry in entries] == ["http://b.org/", "http://a.org/x", None]
        assert frontier.count("stored") == 1


def test_a_host_gets_one_request_at_a_time_nearest_pages_first(tmp_path: Path) -> None:
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add([Entry("http://a.org/far", depth=2), Entry("http://a.org/near", depth=1)])
        near = frontier.take()
        assert near is not None
        assert near.url == "http://a.org/near"
        assert frontier.take() is None
        frontier.finish(near, "stored")
        far = frontier.take()
        assert far is not None
        assert far.url == "http://a.org/far"


def test_variants_are_counted(tmp_path: Path) -> None:
    with closing(Frontier(tmp_path / "job")) as frontier:
        frontier.add(Entry(f"http://a.org/c?month={k}", depth=1) for k in range(2 * VARIANTS))
        assert frontier.count("waiting") == VARIANTS


def test_only_one_crawl_has_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database, "LOCK_SECONDS", 0.01)
    with closing(Frontier(tmp_path / "job")), pytest.raises(InputError, match="another process"):
        Frontier(tmp_path / "job")


def test_other_files_are_unchanged(tmp_path: Path) -> None:
    path = tmp_path / "job"
    with closing(sqlite3.connect(path)) as other:
        other.execute("CREATE TABLE mine (a)")
    with pytest.raises(InputError, match="not the state of a crawl"):
        Frontier(path)
    path.write_bytes(b"no database at all" * 100)
    with pytest.raises(InputError, match="Cannot open"):
        Frontier(path)
