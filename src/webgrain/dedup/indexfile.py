"""The sqlite file of an index: its tables, how its signatures were made, and its errors in one sentence each.

    table      row
    page       number, id, url, digest of the text, shingles of each text, XPaths of the main content
    signature  number, and the signature of each text
    keys       kind of text, band, first page; the keys (<= BLOCK,) uint32 of the pages from there, 0 for none
    repeated   a line of text and the number of pages of its site it stands on: `webgrain.dedup.repeats`
    setting    parameters of the signatures

When the process is killed, sqlite rolls back the transaction that was open as soon as the file is opened
again: what was committed is there, and nothing else.
"""

from __future__ import annotations

import json
import sqlite3
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from webgrain.dedup.minhash import MinHash
from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path

    Row = tuple[Any, ...]

VERSION = 1
"""Version of the tables."""

WAIT = 10.0
"""Seconds to wait for another process that writes."""

_FORMAT = 0x77676475  # "wgdu", where sqlite keeps what a file is for
_SCHEMA = f"""
BEGIN EXCLUSIVE;
CREATE TABLE page (number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, url TEXT, digest BLOB NOT NULL,
    whole INTEGER NOT NULL, content INTEGER NOT NULL, frame INTEGER NOT NULL, path TEXT NOT NULL);
CREATE TABLE signature (number INTEGER PRIMARY KEY, whole BLOB, content BLOB, frame BLOB);
CREATE TABLE keys (kind INTEGER, band INTEGER, first INTEGER, keys BLOB NOT NULL,
    PRIMARY KEY (kind, band, first));
CREATE TABLE repeated (key INTEGER PRIMARY KEY, pages INTEGER NOT NULL);
CREATE TABLE setting (name TEXT PRIMARY KEY, value TEXT NOT NULL);
PRAGMA application_id = {_FORMAT};
PRAGMA user_version = {VERSION};
"""


class IndexFile:
    """The tables of an index.

    path: made where there is none; None: a temporary file. method: how signatures are made; None: as in the
    file. read_only: nothing is written, and the file must be there. `InputError` where the file is no index,
    of another version, made with other parameters, or cannot be read or written.

    >>> file = IndexFile(None, None)
    >>> file.begin()
    >>> file.write("INSERT INTO repeated VALUES (?, ?)", [(7, 2), (8, 3)])
    >>> file.commit()
    >>> list(file.rows("SELECT key, pages FROM repeated"))
    [(7, 2), (8, 3)]
    >>> file.close()
    """

    def __init__(self, path: Path | None, method: MinHash | None, *, read_only: bool = False) -> None:
        self._name = f"The index {path}" if path else "The temporary index"
        with self._one_sentence():
            self._tables = _connect(path, read_only)
        try:
            with self._one_sentence():
                self._prepare(method or MinHash(), new=not read_only)
            self.method = self._stored_method(method)
        except BaseException:
            self.close()
            raise

    def close(self) -> None:
        """Close the file; what was not committed is gone."""
        self._tables.close()

    def begin(self) -> None:
        """Begin a transaction, unless one is open: no other process may write until it is committed."""
        with self._one_sentence():
            if not self._tables.in_transaction:
                self._tables.execute("BEGIN IMMEDIATE")

    def commit(self) -> None:
        """End the transaction that is open, if there is one."""
        with self._one_sentence():
            if self._tables.in_transaction:
                self._tables.execute("COMMIT")

    def write(self, insert: str, rows: Iterable[Row]) -> None:
        """Write rows."""
        with self._one_sentence():
            self._tables.executemany(insert, rows)

    def rows(self, select: str, *given: object) -> Iterator[Row]:
        """Go through the rows that a statement selects."""
        with self._one_sentence():
            yield from self._tables.execute(select, given)

    def row(self, select: str, *given: object) -> Row | None:
        """Return the first row that a statement selects."""
        with self._one_sentence():
            row: Row | None = self._tables.execute(select, given).fetchone()
        return row

    def each(self, select: str, numbers: Iterable[int]) -> list[Row]:
        """Return the row that a statement selects for each of these numbers."""
        with self._one_sentence():
            return [self._tables.execute(select, (number,)).fetchone() for number in numbers]

    def _prepare(self, method: MinHash, new: bool) -> None:
        """Make the tables in an empty file."""
        application = self._tables.execute("PRAGMA application_id").fetchone()[0]
        tables = self._tables.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        version = self._tables.execute("PRAGMA user_version").fetchone()[0]
        if new and not application and not tables:
            self._tables.executescript(_SCHEMA)
            self._tables.execute(
                "INSERT INTO setting VALUES ('method', ?)", (json.dumps(method.get_params()),)
            )
            self._tables.execute("COMMIT")
        elif application != _FORMAT:
            raise InputError(f"{self._name} is no index of duplicates, but another file.")
        elif version != VERSION:
            raise InputError(f"{self._name} is of version {version}, expected version {VERSION}.")

    def _stored_method(self, asked: MinHash | None) -> MinHash:
        """Return the method of the file; it finds what a higher threshold asks for, too."""
        with self._one_sentence():
            text = self._tables.execute("SELECT value FROM setting WHERE name = 'method'").fetchone()[0]
        stored = MinHash(**json.loads(text))
        if asked is None:
            return stored
        mine, its = asked.get_params(), stored.get_params()
        if mine.pop("threshold") < its.pop("threshold") or mine != its:
            raise InputError(
                f"{self._name} was made for {stored}: it cannot answer for {asked}; make a new one."
            )
        return stored

    @contextmanager
    def _one_sentence(self) -> Iterator[None]:
        """Turn what sqlite raises into an `InputError`."""
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
