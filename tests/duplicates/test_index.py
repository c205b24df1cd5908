"""The index on disk: committed data is not lost; errors are one sentence."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.synthetic_texts import make_texts

from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.duplicates import index as module
from webgrain.duplicates.index import DuplicateIndex
from webgrain.duplicates.search import find_pairs
from webgrain.duplicates.sketches import PageText, make_sketch

if TYPE_CHECKING:
    from contextlib import closing
from pathlib import Path

TEXT = " ".join(f"word{k}" for k in range(60))


def texts(n: int) -> list[PageText]:
    return [PageText(made.id, made.text) for made in make_texts(n, words=80, random_state=3)]


def fill(path: Path, items: list[PageText], at_once: int) -> None:
    for start in range(0, len(items), at_once):
        with DuplicateIndex(path) as index:
            for text in items[start : start + at_once]:
                assert isinstance(index.add(text), int)


def everything(index: DuplicateIndex) -> tuple[list[int], list[int], list[tuple[int, ...]]]:
    pages, hashes = index.hashes()
    return pages.tolist(), hashes.tolist(), index.facts().tolist()


def test_added_in_pieces_or_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    items = texts(70)
    fill(tmp_path / "once.db", items, 70)
    fill(tmp_path / "pieces.db", items, 11)
    with DuplicateIndex(tmp_path / "once.db") as once, DuplicateIndex(tmp_path / "pieces.db") as pieces:
        assert len(once) == len(pieces) == 70
        assert everything(once) == everything(pieces)
        pages, hashes = pieces.hashes()
        facts = pieces.facts()
        for k, text in enumerate(items):
            sketch = make_sketch(text)
            assert facts[k].tolist() == sketch.facts.tolist()
            assert hashes[pages == k].tolist() == sketch.hashes.tolist()
            assert pieces.entry(k) == (text.id, None)


def test_parts_of_the_hashes_are_all_hashes() -> None:
    with DuplicateIndex() as index:
        for text in texts(20):
            index.add(text)
        parts = [index.hashes(part, 3) for part in range(3)]
        together = sorted(
            (int(p), int(h)) for pages, hashes in parts for p, h in zip(pages, hashes, strict=True)
        )
        pages, hashes = index.hashes()
        assert together == sorted(zip(pages.tolist(), hashes.tolist(), strict=True))
        assert all(len(hashes) for _, hashes in parts)


def test_empty_texts_and_repeated_ids_are_failures(tmp_path: Path) -> None:
    with DuplicateIndex(tmp_path / "a.db") as index:
        for text in ("", " \n", "?!"):
            failed = index.add(PageText("a", text))
            assert isinstance(failed, Failure)
            assert failed.error == "there is no text on the page."
        assert index.add(PageText("a", "word")) == 0
        assert index.add(PageText("a", "word")) == 0
        failed = index.add(PageText("a", "another"))
        assert isinstance(failed, Failure)
        assert failed.error == "another text was given under this id before: the first one is kept."
    with DuplicateIndex(tmp_path / "a.db") as index:
        assert index.add(PageText("a", "word")) == 0
        assert isinstance(index.add(PageText("a", "another")), Failure)
        assert len(index) == 1


def test_strange_ids() -> None:
    with DuplicateIndex() as index:
        names = ["\ud800", "a\0b", "'; DROP TABLE page", "é" * 5000]
        assert [index.add(PageText(name, TEXT)) for name in names] == [0, 1, 2, 3]
        index.commit()
        assert [index.entry(k).id for k in range(4)] == ["?", *names[1:]]


def test_an_error_inside_keeps_what_was_committed(tmp_path: Path) -> None:
    def fail() -> None:
        with DuplicateIndex(tmp_path / "a.db") as index:
            index.add(PageText("kept", TEXT))
            index.commit()
            index.add(PageText("lost", TEXT))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with DuplicateIndex(tmp_path / "a.db") as index:
        assert len(index) == 1


WRITER = """
import sys
from pathlib import Path
from webgrain.duplicates import index
from webgrain.duplicates.sketches import PageText, make_sketch
index.BLOCK = 8
make_sketch(PageText("a", "warm up"))
with index.DuplicateIndex(Path(sys.argv[1])) as file:
    print("ready", flush=True)
    for k in range(10**6):
        file.add(PageText(str(k), f"page {k} " * 30))
        if k % 8 == 7:
            print(k + 1, flush=True)
"""


def test_a_killed_writer_loses_nothing_committed(tmp_path: Path) -> None:
    """Kill a writer repeatedly at random times, and check the contents each time."""
    rng = random.Random(5)
    path, committed_pages = tmp_path / "a.db", 0
    for committed in (False, True, True):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(path)], stdout=subprocess.PIPE, text=True
        ) as writer:
            assert writer.stdout is not None
            assert writer.stdout.readline() == "ready\n"
            lines = [writer.stdout.readline() for _ in range(2 * committed)]
            time.sleep(rng.uniform(0.02, 0.25))
            writer.send_signal(signal.SIGKILL)
            lines += writer.stdout.read().split()
        committed_pages = max([committed_pages, *map(int, lines[: len(lines) - 1])])
        with DuplicateIndex(path) as index:
            assert len(index) >= committed_pages
            check_whole(index)
    assert committed_pages > 0
    with closing(sqlite3.connect(path)) as file:
        assert file.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def check_whole(index: DuplicateIndex) -> None:
    """Every page has its facts and hashes, and they are the right ones."""
    pages, hashes = index.hashes()
    facts, n = index.facts(), len(index)
    assert len(facts) == n
    for k in range(0, n, max(1, n // 5)):
        sketch = make_sketch(PageText(str(k), f"page {k} " * 30))
        assert index.entry(k).id == str(k)
        assert facts[k].tolist() == sketch.facts.tolist()
        assert hashes[pages == k].tolist() == sketch.hashes.tolist()


def test_another_file_is_no_index(tmp_path: Path) -> None:
    (tmp_path / "a.db").write_bytes(b"<html>" * 1000)
    with pytest.raises(InputError, match="is damaged, or no index of duplicates: file is not a database"):
        DuplicateIndex(tmp_path / "a.db")
    other = sqlite3.connect(tmp_path / "b.db")
    other.execute("CREATE TABLE x (y)")
    other.commit()
    other.close()
    with pytest.raises(InputError, match="is no index of duplicates, but another file"):
        DuplicateIndex(tmp_path / "b.db")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ("PRAGMA user_version = 1", "is of version 1, not 4: make a new one"),
        ("UPDATE setting SET value = '{}'", "has sketches with other parameters: make a new one"),
    ],
)
def test_another_version_or_other_parameters(tmp_path: Path, change: str, message: str) -> None:
    DuplicateIndex(tmp_path / "a.db").__exit__(None, None, None)
    file = sqlite3.connect(tmp_path / "a.db")
    file.execute(change)
    file.commit()
    file.close()
    with pytest.raises(InputError, match=message):
        DuplicateIndex(tmp_path / "a.db")


def test_a_damaged_file_raises(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", texts(40), 40)
    content = bytearray((tmp_path / "a.db").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (tmp_path / "a.db").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.db (is damaged|cannot be read)"):  # noqa: SIM117
        with DuplicateIndex(tmp_path / "a.db") as index:
            find_pairs([index])


@pytest.mark.parametrize("change", ["facts = x'00'", "hashes = x'00'", "hashes = x''"])
def test_damaged_arrays_raise(tmp_path: Path, change: str) -> None:
    fill(tmp_path / "a.db", texts(4), 4)
    file = sqlite3.connect(tmp_path / "a.db")
    file.execute(f"UPDATE block SET {change}")
    file.commit()
    file.close()
    with DuplicateIndex(tmp_path / "a.db") as index, pytest.raises(InputError, match="is damaged"):
        find_pairs([index])


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() == 0, reason="root may write anywhere")
def test_a_folder_that_may_not_be_written(tmp_path: Path) -> None:
    tmp_path.chmod(0o500)
    with pytest.raises(InputError, match="cannot be read or written"):
        DuplicateIndex(tmp_path / "a.db")


def test_paths_that_cannot_be_opened(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read or written: unable to open"):
        DuplicateIndex(tmp_path / "no" / "a.db")
    with pytest.raises(InputError, match="cannot be read or written: unable to open"):
        DuplicateIndex(tmp_path / "a.db", read_only=True)


def test_read_only_files_are_read_but_not_written(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", texts(3), 3)
    with DuplicateIndex(tmp_path / "a.db", read_only=True) as index:
        assert len(np.unique(index.hashes()[0])) == 3
        index.add(PageText("new", TEXT))
        with pytest.raises(InputError, match="cannot be read or written: attempt to write a readonly"):
            index.commit()
        index._pending.clear()


def test_two_writers_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "WAIT", 0.1)
    with DuplicateIndex(tmp_path / "a.db") as first, DuplicateIndex(tmp_path / "a.db") as second:
        first.add(PageText("a", TEXT))
        with pytest.raises(InputError, match="database is locked"):
            second.add(PageText("b", TEXT))
        first.commit()
        assert second.add(PageText("b", TEXT)) == 1
        second.commit()
        assert first.add(PageText("c", TEXT)) == 2
