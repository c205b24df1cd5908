"""The index on disk: what is committed is kept; errors are one sentence."""

from __future__ import annotations

import os
import random
import signal
import sqlite3
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import numpy as np
import pytest
from experiments.datasets.synthetic_texts import make_texts

from webgrain.duplicates import index as indexfile
from webgrain.duplicates import index as module
from webgrain.duplicates.index import Document, DuplicateIndex, sign
from webgrain.duplicates.minhash import MinHash
from webgrain.duplicates.search import find_pairs
from webgrain.errors import InputError
from webgrain.results import Failure

if TYPE_CHECKING:
    from pathlib import Path

TEXT = " ".join(f"word{k}" for k in range(60))


def documents(n: int) -> list[Document]:
    return [
        Document(made.id, made.text, made.text[: len(made.text) // 2], path=("/html[1]",))
        for made in make_texts(n, words=80, random_state=3)
    ]


def fill(path: Path, items: list[Document], at_once: int) -> None:
    for start in range(0, len(items), at_once):
        with DuplicateIndex(path) as index:
            for document in items[start : start + at_once]:
                assert isinstance(index.add(document), int)


def everything(index: DuplicateIndex) -> list[list[int]]:
    index.commit()
    bands = range(index.method.bands)
    return [np.concatenate(list(index.keys(kind, band))).tolist() for kind in range(3) for band in bands]


def test_added_in_pieces_or_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "BLOCK", 16)
    items = documents(70)
    fill(tmp_path / "once.db", items, 70)
    fill(tmp_path / "pieces.db", items, 11)
    with DuplicateIndex(tmp_path / "once.db") as once, DuplicateIndex(tmp_path / "pieces.db") as pieces:
        assert len(once) == len(pieces) == 70
        assert everything(once) == everything(pieces)
        assert [len(block) for block in pieces.keys(0, 0)] == [16, 16, 16, 16, 6]
        rows = pieces.rows(np.arange(70))
        for k, document in enumerate(items):
            signed = sign(document, pieces.method)
            assert rows.digest[k].tobytes() == signed.digest
            assert rows.size[k].tolist() == list(signed.size)
            assert rows.signatures[k].tolist() == [x.tolist() for x in signed.signatures]
            assert pieces.entry(k) == (document.id, None, ("/html[1]",))


def test_a_missing_signature_has_no_key() -> None:
    with DuplicateIndex() as index:
        index.add(Document("a", TEXT))
        index.add(Document("b", TEXT, "too short a main content"))
        index.commit()
        assert index.rows(np.arange(2)).known.tolist() == [[True, False, False]] * 2
        assert everything(index)[index.method.bands] == [0, 0]


def test_empty_texts_and_repeated_ids_are_failures(tmp_path: Path) -> None:
    with DuplicateIndex(tmp_path / "a.db") as index:
        for text in ("", " \n", "?!"):
            failed = index.add(Document("a", text))
            assert isinstance(failed, Failure)
            assert failed.error == "there is no text on the page."
        assert index.add(Document("a", "word")) == 0
        assert index.add(Document("a", "word")) == 0
        failed = index.add(Document("a", "another"))
        assert isinstance(failed, Failure)
        assert failed.error == "another text was given under this id before: the first one is kept."
    with DuplicateIndex(tmp_path / "a.db") as index:
        assert index.add(Document("a", "word")) == 0
        assert isinstance(index.add(Document("a", "another")), Failure)
        assert len(index) == 1


def test_strange_ids() -> None:
    with DuplicateIndex() as index:
        names = ["\ud800", "a\0b", "'; DROP TABLE page", "é" * 5000]
        assert [index.add(Document(name, TEXT)) for name in names] == [0, 1, 2, 3]
        index.commit()
        assert [index.entry(k).id for k in range(4)] == ["?", *names[1:]]


def test_an_error_inside_keeps_what_was_committed(tmp_path: Path) -> None:
    def fail() -> None:
        with DuplicateIndex(tmp_path / "a.db") as index:
            index.add(Document("kept", TEXT))
            index.commit()
            index.add(Document("lost", TEXT))
            raise KeyError

    with pytest.raises(KeyError):
        fail()
    with DuplicateIndex(tmp_path / "a.db") as index:
        assert len(index) == 1


def test_repeated_lines_are_stored(tmp_path: Path) -> None:
    with DuplicateIndex(tmp_path / "a.db") as index:
        index.store_repeated_lines([(1, 2), (7, 3)])
        index.store_repeated_lines([(7, 5)])
    with DuplicateIndex(tmp_path / "a.db", read_only=True) as index:
        assert sorted(index.repeated_lines()) == [(1, 2), (7, 5)]


WRITER = """
import sys
from pathlib import Path
from webgrain.duplicates import index
index.BLOCK = 8
with index.DuplicateIndex(Path(sys.argv[1])) as file:
    file.method.signature("warm up")
    print("ready", flush=True)
    for k in range(10**6):
        file.add(index.Document(str(k), f"page {k} " * 30, f"content {k} " * 30))
        if k % 8 == 7:
            print(k + 1, flush=True)
"""


def test_a_killed_writer_loses_nothing_committed(tmp_path: Path) -> None:
    """Kill a writer again and again, at random moments, and look at what is there each time."""
    rng = random.Random(5)
    path, committed_pages = tmp_path / "a.db", 0
    for committed in (False, True) * 3:
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
    assert sqlite3.connect(path).execute("PRAGMA integrity_check").fetchone() == ("ok",)


def check_whole(index: DuplicateIndex) -> None:
    """Every page has its signatures and its keys, and they are the right ones."""
    n = len(index)
    assert {len(keys) for keys in everything(index)} == ({n} if n else set())
    for k in range(0, n, max(1, n // 5)):
        signed = sign(Document(str(k), f"page {k} " * 30, f"content {k} " * 30), index.method)
        rows = index.rows(np.array([k]))
        assert index.entry(k).id == str(k)
        assert rows.signatures[0].tolist() == [x.tolist() for x in signed.signatures]
        assert rows.digest[0].tobytes() == signed.digest


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


def test_another_version(tmp_path: Path) -> None:
    DuplicateIndex(tmp_path / "a.db").__exit__(None, None, None)
    file = sqlite3.connect(tmp_path / "a.db")
    file.execute("PRAGMA user_version = 7")
    file.close()
    with pytest.raises(InputError, match="is of version 7, expected version 1"):
        DuplicateIndex(tmp_path / "a.db")


def test_a_damaged_file_raises(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", documents(40), 40)
    content = bytearray((tmp_path / "a.db").read_bytes())
    content[4096:] = bytes(len(content) - 4096)
    (tmp_path / "a.db").write_bytes(content)
    with pytest.raises(InputError, match=r"a\.db (is damaged|cannot be read)"):  # noqa: SIM117
        with DuplicateIndex(tmp_path / "a.db") as index:
            find_pairs([index])


def test_other_parameters(tmp_path: Path) -> None:
    fill(tmp_path / "a.db", documents(3), 3)
    with pytest.raises(
        InputError, match=r"was made with .*'threshold': 0.8.* cannot answer for .*'threshold': 0.6"
    ):
        DuplicateIndex(tmp_path / "a.db", MinHash(threshold=0.6))
    with pytest.raises(InputError, match="cannot answer"):
        DuplicateIndex(tmp_path / "a.db", MinHash(hashes=64))
    with DuplicateIndex(tmp_path / "a.db", MinHash(threshold=0.9)) as index:
        assert index.method.threshold == 0.8  # it finds more than is asked for


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
    fill(tmp_path / "a.db", documents(3), 3)
    with DuplicateIndex(tmp_path / "a.db", read_only=True) as index:
        assert len(next(index.keys(0, 0))) == 3
        with pytest.raises(
            InputError, match="cannot be read or written: attempt to write a readonly database"
        ):
            index.store_repeated_lines([(1, 2)])


def test_two_writers_do_not_mix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(indexfile, "WAIT", 0.1)
    with DuplicateIndex(tmp_path / "a.db") as first, DuplicateIndex(tmp_path / "a.db") as second:
        first.add(Document("a", TEXT))
        with pytest.raises(InputError, match="database is locked"):
            second.add(Document("b", TEXT))
        first.commit()
        assert second.add(Document("b", TEXT)) == 1
        second.commit()
        assert first.add(Document("c", TEXT)) == 2
