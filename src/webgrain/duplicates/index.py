"""What is compared: the texts of a page and their signatures.

The sqlite file of an index: its tables, how its signatures were made, and its errors in one sentence each.

    table      row
    page       number, id, url, digest of the text, shingles of each text, XPaths of the main content
    signature  number, and the signature of each text
    keys       kind of text, band, first page; the keys (<= BLOCK,) uint32 of the pages from there, 0 for none
    repeated   a line of text and the number of pages of its site it stands on: `webgrain.duplicates.repeats`
    setting    parameters of the signatures

When the process is killed, sqlite rolls back the transaction that was open as soon as the file is opened
again: what was committed is there, and nothing else.

An index of signatures on disk: one sqlite file, larger than memory, added to and asked at any time.

Pages have numbers 0, 1, ... in the order in which they came. Their signatures stand in rows, to be read one
by one; the keys of the bands stand in columns, a block of `BLOCK` pages and one band at a time, so that a
search reads one band of all pages in one go. The tables are in `webgrain.duplicates.index`.

What is added is written in transactions of `BLOCK` pages.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import TracebackType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int64, UInt16, UInt32
from webgrain.duplicates.minhash import MinHash, in_sorted, shingles
from webgrain.duplicates.verdict import MIN_CONTENT
from webgrain.errors import InputError
from webgrain.results import Failure

Row = tuple[Any, ...]


KINDS = ("whole", "content", "frame")
"""Texts of a page that have signatures."""

WHOLE, CONTENT, FRAME = range(len(KINDS))
"""Their numbers."""

NO_SIGNATURE = np.zeros(0, np.uint16)


@dataclass(frozen=True, slots=True)
class Document:
    """The texts of one page.

    Attributes:
        id, url: as of the page.
        text: all of it.
        content: the main content; None where it is not known.
        path: XPaths of the nodes that the main content is from.
    """

    id: str
    text: str = field(repr=False)
    content: str | None = field(default=None, repr=False)
    url: str | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Signed:
    """The signatures of one page.

    Attributes:
        digest: of the whole text; equal texts have equal ones.
        size: shingles of the whole text, of the main content, of the frame.
        signatures: of the same; empty where there is no such text, or too little of it.
    """

    digest: bytes
    size: tuple[int, int, int]
    signatures: tuple[UInt16, UInt16, UInt16]


def sign(document: Document, method: MinHash) -> Signed:
    """Return the signatures of a page; that of its frame is made of the shingles beyond its main content.

    >>> from webgrain.duplicates.minhash import MinHash
    >>> text = " ".join(f"word{k}" for k in range(40))
    >>> sign(Document("a", f"{text} and a footer with the imprint", text), MinHash()).size
    (41, 35, 6)
    """
    whole = shingles(document.text, method.width)
    content = shingles(document.content or "", method.width)
    if len(content) < max(1, MIN_CONTENT - method.width + 1):
        content = content[:0]
    frame = whole[~in_sorted(whole, np.sort(content))] if len(content) else content
    texts = (whole, content, frame)
    first, second, third = (method.signature_of(text) if len(text) else NO_SIGNATURE for text in texts)
    return Signed(digest_of(document.text), (len(whole), len(content), len(frame)), (first, second, third))


def digest_of(text: str) -> bytes:
    """Return 16 bytes that only equal texts share.

    >>> len(digest_of("a"))
    16
    """
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def storable(text: str) -> str:
    """Return a text with its lone surrogates replaced: sqlite does not take them.

    >>> storable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


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


BLOCK = 4096
"""Pages in a block of keys, and in a transaction."""


class Entry(NamedTuple):
    """A page in an index: its id, its address where known, XPaths of its main content."""

    id: str
    url: str | None
    path: tuple[str, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """What the index knows of some pages, a row each.

    digest (n,) of 16 bytes; size (n, 3): shingles of each kind of text; signatures (n, 3, hashes); known
    (n, 3): whether there is a signature.
    """

    digest: NDArray[np.void]
    size: Int64
    signatures: UInt16
    known: Bool


class DuplicateIndex:
    """Signatures of pages on disk.

    path: file of the index, made where there is none; None: a temporary one. method: how signatures are made;
    None: as in the file. `InputError` where the file is no index, of another version, made with other
    parameters, or cannot be read or written. read_only: nothing is added, and the file must be there.

    >>> with DuplicateIndex() as index:
    ...     index.add(Document("a", "One, two.")), index.add(Document("b", "Three.")), len(index)
    (0, 1, 2)
    """

    def __init__(
        self, path: Path | None = None, method: MinHash | None = None, *, read_only: bool = False
    ) -> None:
        self._pending: list[tuple[Document, Signed]] = []
        self._numbers: dict[str, int] = {}  # of pending pages, by id
        self._file = IndexFile(path, method, read_only=read_only)
        self.method = self._file.method
        try:
            self._committed = self._count()
        except BaseException:
            self._file.close()
            raise

    def __enter__(self) -> DuplicateIndex:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self._file.close()

    def __len__(self) -> int:
        """Return the number of pages."""
        return self._committed + len(self._pending)

    def add(self, document: Document) -> int | Failure:
        """Add a page; return its number, or why it is not added.

        A page that is in the index already, with the same text, keeps its number.
        """
        return self.add_signed(document, sign(document, self.method))

    def add_signed(self, document: Document, signed: Signed) -> int | Failure:
        """Add a page by its signatures, made elsewhere by the method of the index; its texts are not read."""
        name = storable(document.id)
        if not signed.size[0]:
            return Failure(document.id, "dupes", "there is no text on the page.", url=document.url)
        if not self._pending:
            self._file.begin()
            self._committed = self._count()
        known = self._find(name)
        if known is not None:
            if known[1] == signed.digest:
                return known[0]
            reason = "another text was given under this id before: the first one is kept."
            return Failure(document.id, "dupes", reason, url=document.url)
        number = self._numbers[name] = len(self)
        self._pending.append((document, signed))
        if len(self._pending) == BLOCK:
            self.commit()
        return number

    def holds(self, name: str, text: str) -> bool:
        """Return whether a page is in the index with this text."""
        known = self._find(storable(name))
        return known is not None and known[1] == digest_of(text)

    def commit(self) -> None:
        """Write what was added since the last time; from now on it is safe."""
        if self._pending:
            self._write()
        self._file.commit()
        self._committed += len(self._pending)
        self._pending, self._numbers = [], {}

    def keys(self, kind: int, band: int) -> Iterator[UInt32]:
        """Go through the keys of one band of all committed pages, a block (<= BLOCK,) at a time."""
        select = "SELECT keys FROM keys WHERE kind = ? AND band = ? ORDER BY first"
        for (block,) in self._file.rows(select, kind, band):
            yield np.frombuffer(block, "<u4")

    def rows(self, numbers: NDArray[np.integer[Any]]) -> Rows:
        """Return what is known of committed pages (n,)."""
        select = (
            "SELECT digest, page.whole, page.content, page.frame, s.whole, s.content, s.frame"
            " FROM page JOIN signature s USING (number) WHERE number = ?"
        )
        found = self._file.each(select, numbers.tolist())
        none = bytes(2 * self.method.hashes)
        signatures = b"".join(part or none for row in found for part in row[4:])
        return Rows(
            np.frombuffer(b"".join(row[0] for row in found), "V16"),
            np.array([row[1:4] for row in found], np.int64).reshape(-1, len(KINDS)),
            np.frombuffer(signatures, "<u2").reshape(len(found), len(KINDS), self.method.hashes),
            np.array([[bool(part) for part in row[4:]] for row in found], bool).reshape(-1, len(KINDS)),
        )

    def entry(self, number: int) -> Entry:
        """Return a committed page."""
        [(name, url, path)] = self._file.rows("SELECT id, url, path FROM page WHERE number = ?", number)
        return Entry(name, url, tuple(json.loads(path)))

    def repeated(self) -> Iterator[tuple[int, int]]:
        """Go through the lines that are known to be repeated: key, pages."""
        return self._file.rows("SELECT key, pages FROM repeated")

    def remember(self, lines: Iterable[tuple[int, int]]) -> None:
        """Keep how many pages lines stand on, in place of what was known of them."""
        self._file.begin()
        self._file.write("INSERT OR REPLACE INTO repeated VALUES (?, ?)", lines)
        self.commit()

    def _count(self) -> int:
        [(last,)] = self._file.rows("SELECT max(number) FROM page")
        return 0 if last is None else int(last) + 1

    def _find(self, name: str) -> tuple[int, bytes] | None:
        """Return number and digest of a page by its id."""
        if name in self._numbers:
            number = self._numbers[name]
            return number, self._pending[number - self._committed][1].digest
        row: tuple[int, bytes] | None = self._file.row("SELECT number, digest FROM page WHERE id = ?", name)
        return row

    def _write(self) -> None:
        first = self._committed
        numbered = list(enumerate(self._pending, start=first))
        self._file.write(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (n, storable(d.id), d.url and storable(d.url), s.digest, *s.size, json.dumps(d.path))
                for n, (d, s) in numbered
            ),
        )
        self._file.write(
            "INSERT INTO signature VALUES (?, ?, ?, ?)",
            ((n, *(x.astype("<u2").tobytes() or None for x in s.signatures)) for n, (_, s) in numbered),
        )
        for kind in range(len(KINDS)):
            self._write_keys(kind, first, [signed.signatures[kind] for _, signed in self._pending])

    def _write_keys(self, kind: int, first: int, signatures: list[UInt16]) -> None:
        """Append the keys of pages from ``first`` on to their blocks; those of no page: none."""
        keys = np.zeros((self.method.bands, len(signatures)), "<u4")
        there = [k for k, signature in enumerate(signatures) if len(signature)]
        if there:
            keys[:, there] = self.method.keys(np.stack([signatures[k] for k in there]))
        edges = [first, *range(first - first % BLOCK + BLOCK, first + len(signatures), BLOCK)]
        for start, stop in zip(edges, [*edges[1:], first + len(signatures)], strict=True):
            block = start - start % BLOCK
            self._file.write(
                "INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)",
                (
                    (kind, band, block, self._block(kind, band, block) + row.tobytes())
                    for band, row in enumerate(keys[:, start - first : stop - first])
                ),
            )

    def _block(self, kind: int, band: int, first: int) -> bytes:
        select = "SELECT keys FROM keys WHERE kind = ? AND band = ? AND first = ?"
        row = self._file.row(select, kind, band, first)
        return row[0] if row else b""
