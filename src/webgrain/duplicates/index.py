"""An index of sketches on disk: one sqlite file, which can be larger than memory.

    table    row
    page     number, id, url, digest of the text
    block    number of its first page, facts and hashes of at most `BLOCK` pages, as arrays
    setting  parameters of the sketches

Pages are numbered 0, 1, ... in the order in which they are added. Pages are written in transactions of
`BLOCK` pages. If the process is killed, sqlite rolls back the open transaction when the file is opened again:
exactly what was committed is kept.
"""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from webgrain.base.arrays import Int64, UInt64
from webgrain.base.errors import InputError
from webgrain.base.failures import Failure
from webgrain.duplicates.shingles import WIDTH
from webgrain.duplicates.sketches import FACTS, PageText, Sketch, SketchFacts, make_sketch
from webgrain.duplicates.thresholds import SKETCH_SIZE

VERSION = 4
"""Version of the tables."""

BLOCK = 4096
"""Pages in a block and in a transaction."""

WAIT = 10.0
"""Seconds to wait for another process that writes to the file."""

_FORMAT = 0x77676475  # "wgdu", the application id in the header of the file
_SETTING = json.dumps({"width": WIDTH, "kept": SKETCH_SIZE})
_SCHEMA = f"""
BEGIN EXCLUSIVE;
CREATE TABLE page (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT, digest BLOB NOT NULL);
CREATE TABLE block (first INTEGER PRIMARY KEY, facts BLOB NOT NULL, hashes BLOB NOT NULL);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA application_id = {_FORMAT};
PRAGMA user_version = {VERSION};
"""


class IndexEntry(NamedTuple):
    """A page of an index: its id, and its URL if known."""

    id: str
    url: str | None


def storable(text: str) -> str:
    """Return a text without lone surrogates, which sqlite does not accept.

    >>> storable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


class DuplicateIndex:
    """Sketches of pages on disk.

    Args:
        path: the file, which is created if it does not exist; None: a temporary file.
        read_only: nothing is added, and the file must exist.

    Raises:
        InputError: the file is not an index, has another version or other parameters, or cannot be read or
            written.

    >>> with DuplicateIndex() as index:
    ...     index.add(PageText("a", "One, two.")), index.add(PageText("b", "Three.")), len(index)
    (0, 1, 2)
    """

    def __init__(self, path: Path | None = None, *, read_only: bool = False) -> None:
        self._name = f"The index {path}" if path else "The temporary index"
        self._pending: dict[str, tuple[int, str | None, Sketch]] = {}  # number, URL and sketch by id
        with self._readable_errors():
            self._connection = _connect(path, read_only)
        try:
            with self._readable_errors():
                self._prepare(new=not read_only)
            self._committed = self._count()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> DuplicateIndex:
        return self

    def __exit__(self, error_type: type[BaseException] | None, *_: object) -> None:
        try:
            if error_type is None:
                self.commit()
        finally:
            self._connection.close()

    def __len__(self) -> int:
        """Return the number of pages."""
        return self._committed + len(self._pending)

    def add(self, page: PageText) -> int | Failure:
        """Add a page and return its number, or a failure if it cannot be added.

        A page that is already in the index with the same text keeps its number.
        """
        return self.add_sketch(page.id, page.url, make_sketch(page))

    def add_sketch(self, name: str, url: str | None, sketch: Sketch) -> int | Failure:
        """Add the sketch of a page by its id and URL; see `add`."""
        key = storable(name)
        digest = int(sketch.facts["digest"])
        if not sketch.facts["size"]:
            return Failure(name, "dupes", "there is no text on the page.", url=url)
        if not self._pending:
            self._begin()
            self._committed = self._count()
        known = self._find(key)
        if known is not None:
            if known[1] == digest:
                return known[0]
            reason = "another text was given under this id before: the first one is kept."
            return Failure(name, "dupes", reason, url=url)
        number = len(self)
        self._pending[key] = number, url and storable(url), sketch
        if len(self._pending) == BLOCK:
            self.commit()
        return number

    def commit(self) -> None:
        """Write the pages that were added since the last commit."""
        if self._pending:
            self._write_pending()
        with self._readable_errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        self._committed += len(self._pending)
        self._pending = {}

    def facts(self) -> SketchFacts:
        """Return the facts (n,) of all pages."""
        self.commit()
        every: SketchFacts = np.concatenate([np.zeros(0, FACTS), *(facts for _, facts, _ in self._blocks())])
        return every

    def hashes(self, part: int = 0, parts: int = 1) -> tuple[Int64, UInt64]:
        """Return the pages (k,), ascending, and hashes (k,) of one of several parts of all hashes."""
        self.commit()
        pages, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
        for first, facts, of_block in self._blocks():
            chosen = np.flatnonzero(of_block % np.uint64(parts) == part) if parts > 1 else slice(None)
            pages.append(np.repeat(np.arange(first, first + len(facts)), facts["kept"])[chosen])
            hashes.append(of_block[chosen])
        return np.concatenate(pages), np.concatenate(hashes)

    def _blocks(self) -> Iterator[tuple[int, SketchFacts, UInt64]]:
        """Yield the number of the first page, the facts and the hashes of each block."""
        for first, facts, hashes in self._rows("SELECT first, facts, hashes FROM block ORDER BY first"):
            if len(facts) % FACTS.itemsize or len(hashes) % 8:
                raise InputError(f"{self._name} is damaged.")
            block = first, np.frombuffer(facts, FACTS), np.frombuffer(hashes, "<u8")
            if int(block[1]["kept"].sum()) != len(block[2]):
                raise InputError(f"{self._name} is damaged.")
            yield block

    def entry(self, number: int) -> IndexEntry:
        """Return a committed page."""
        [row] = self._rows("SELECT id, url FROM page WHERE number = ?", number)
        return IndexEntry(*row)

    def _count(self) -> int:
        [(last,)] = self._rows("SELECT max(number) FROM page")
        return 0 if last is None else int(last) + 1

    def _find(self, name: str) -> tuple[int, int] | None:
        """Return the number and the digest of a page by its id."""
        if name in self._pending:
            number, _, sketch = self._pending[name]
            return number, int(sketch.facts["digest"])
        row = next(self._rows("SELECT number, digest FROM page WHERE id = ?", name), None)
        return row and (row[0], int.from_bytes(row[1], "little"))

    def _write_pending(self) -> None:
        first = self._committed
        rows = (
            (number, name, url, int(sketch.facts["digest"]).to_bytes(8, "little"))
            for name, (number, url, sketch) in self._pending.items()
        )
        self._write("INSERT INTO page VALUES (?, ?, ?, ?)", rows)
        sketches = [sketch for *_, sketch in self._pending.values()]
        edges = [0, *range(BLOCK - first % BLOCK, len(sketches), BLOCK), len(sketches)]
        for start, stop in pairwise(edges):
            block = (first + start) // BLOCK * BLOCK
            of_block = sketches[start:stop]
            old = next(self._rows("SELECT facts, hashes FROM block WHERE first = ?", block), (b"", b""))
            facts = np.array([sketch.facts for sketch in of_block], FACTS).tobytes()
            hashes = np.concatenate([sketch.hashes for sketch in of_block]).astype("<u8").tobytes()
            row = (block, old[0] + facts, old[1] + hashes)
            self._write("INSERT OR REPLACE INTO block VALUES (?, ?, ?)", [row])

    def _begin(self) -> None:
        """Begin a transaction if none is open; no other process can write until it is committed."""
        with self._readable_errors():
            if not self._connection.in_transaction:
                self._connection.execute("BEGIN IMMEDIATE")

    def _write(self, insert: str, rows: Iterable[tuple[Any, ...]]) -> None:
        with self._readable_errors():
            self._connection.executemany(insert, rows)

    def _rows(self, select: str, *values: object) -> Iterator[Any]:
        with self._readable_errors():
            yield from self._connection.execute(select, values)

    def _prepare(self, new: bool) -> None:
        """Create the tables in an empty file; check the format of another file."""
        pragmas = ("PRAGMA application_id", "SELECT count(*) FROM sqlite_master", "PRAGMA user_version")
        application, tables, version = (self._connection.execute(sql).fetchone()[0] for sql in pragmas)
        if new and not application and not tables:
            self._connection.executescript(_SCHEMA)
            self._connection.execute("INSERT INTO setting VALUES ('sketch', ?)", (_SETTING,))
            self._connection.execute("COMMIT")
        elif application != _FORMAT:
            raise InputError(f"{self._name} is no index of duplicates, but another file.")
        elif version != VERSION:
            raise InputError(f"{self._name} is of version {version}, not {VERSION}: make a new one.")
        elif next(self._rows("SELECT value FROM setting WHERE name = 'sketch'"), None) != (_SETTING,):
            raise InputError(f"{self._name} has sketches with other parameters: make a new one.")

    @contextmanager
    def _readable_errors(self) -> Iterator[None]:
        """Replace the errors of sqlite by `InputError`."""
        try:
            yield
        except sqlite3.OperationalError as error:
            raise InputError(f"{self._name} cannot be read or written: {error}.") from error
        except sqlite3.DatabaseError as error:
            raise InputError(f"{self._name} is damaged, or no index of duplicates: {error}.") from error


def _connect(path: Path | None, read_only: bool) -> sqlite3.Connection:
    if path is None:
        return sqlite3.connect("", isolation_level=None)
    address = f"{path.absolute().as_uri()}?mode={'ro' if read_only else 'rwc'}"
    return sqlite3.connect(address, timeout=WAIT, uri=True, isolation_level=None)
