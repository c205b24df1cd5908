"""An index of signatures on disk: one sqlite file, which can be larger than memory.

    table      row
    page       number, id, url, digest of the text, shingles of each text, XPaths of the main content
    signature  number, and the signature of each text
    keys       kind of text, band, first page; keys (<= BLOCK,) uint32 of the pages from there on, 0 for none
    repeated   key of a line, and the number of pages that contain it: `webgrain.duplicates.repeats`
    setting    parameters of the signatures

Pages are numbered 0, 1, ... in the order in which they are added. Signatures are stored in rows and read one
by one; keys are stored in blocks of `BLOCK` pages and one band, so that a search reads one band of all pages
sequentially.

Pages are written in transactions of `BLOCK` pages. If the process is killed, sqlite rolls back the open
transaction when the file is opened again: exactly what was committed is kept.
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Bool, Int64, UInt16, UInt32
from webgrain.duplicates.minhash import MinHash, in_sorted, shingles
from webgrain.duplicates.thresholds import MIN_CONTENT
from webgrain.errors import InputError
from webgrain.results import Failure

KINDS = ("whole", "content", "frame")
"""The texts of a page that have signatures: all text, the main content, the text outside the main content."""

WHOLE, CONTENT, FRAME = range(len(KINDS))
NO_SIGNATURE = np.zeros(0, np.uint16)

VERSION = 1
"""Version of the tables."""

BLOCK = 4096
"""Pages in a block of keys and in a transaction."""

WAIT = 10.0
"""Seconds to wait for another process that writes to the file."""

_FORMAT = 0x77676475  # "wgdu", the application id in the header of the file
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


@dataclass(frozen=True, slots=True)
class Document:
    """The texts of one page.

    Attributes:
        id, url: those of the page.
        text: all text of the page.
        content: the main content; None if it is not known.
        path: XPaths of the nodes of the main content.
    """

    id: str
    text: str = field(repr=False)
    content: str | None = field(default=None, repr=False)
    url: str | None = None
    path: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, eq=False)
class Signatures:
    """The signatures of one page.

    Attributes:
        digest: digest of the whole text; equal texts have equal digests.
        size: number of shingles of the text of each of the `KINDS`.
        signatures: signature of the text of each of the `KINDS`; empty if the text is missing or too short.
    """

    digest: bytes
    size: tuple[int, int, int]
    signatures: tuple[UInt16, UInt16, UInt16]


@dataclass(frozen=True, slots=True, eq=False)
class Rows:
    """The signatures of n pages.

    digest (n,) of 16 bytes; size (n, 3): shingles of each kind of text; signatures (n, 3, hashes); known
    (n, 3): whether there is a signature.
    """

    digest: NDArray[np.void]
    size: Int64
    signatures: UInt16
    known: Bool


class Entry(NamedTuple):
    """A page of an index: its id, its URL if known, the XPaths of its main content."""

    id: str
    url: str | None
    path: tuple[str, ...]


def sign(document: Document, method: MinHash) -> Signatures:
    """Return the signatures of a page. The frame has the shingles that are not in the main content.

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
    size = (len(whole), len(content), len(frame))
    return Signatures(digest_of(document.text), size, (first, second, third))


def digest_of(text: str) -> bytes:
    """Return a digest of 16 bytes."""
    return hashlib.blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def storable(text: str) -> str:
    """Return a text without lone surrogates, which sqlite does not accept.

    >>> storable("a" + chr(0xD800))
    'a?'
    """
    return text.encode("utf-8", "replace").decode("utf-8")


class DuplicateIndex:
    """Signatures of pages on disk.

    Args:
        path: the file, which is created if it does not exist; None: a temporary file.
        method: how signatures are made; None: as in the file.
        read_only: nothing is added, and the file must exist.

    Raises:
        InputError: the file is not an index, has another version or other parameters, or cannot be read or
            written.

    >>> with DuplicateIndex() as index:
    ...     index.add(Document("a", "One, two.")), index.add(Document("b", "Three.")), len(index)
    (0, 1, 2)
    """

    def __init__(
        self, path: Path | None = None, method: MinHash | None = None, *, read_only: bool = False
    ) -> None:
        self._name = f"The index {path}" if path else "The temporary index"
        self._pending: list[tuple[Document, Signatures]] = []
        self._numbers: dict[str, int] = {}  # of pending pages, by id
        with self._readable_errors():
            self._connection = _connect(path, read_only)
        try:
            with self._readable_errors():
                self._prepare(method or MinHash(), new=not read_only)
            self.method = self._stored_method(method)
            self._committed = self._count()
        except BaseException:
            self._connection.close()
            raise

    def __enter__(self) -> DuplicateIndex:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        try:
            if kind is None:
                self.commit()
        finally:
            self._connection.close()

    def __len__(self) -> int:
        """Return the number of pages."""
        return self._committed + len(self._pending)

    def add(self, document: Document) -> int | Failure:
        """Add a page and return its number, or a failure if it cannot be added.

        A page that is already in the index with the same text keeps its number.
        """
        return self.add_signed(document, sign(document, self.method))

    def add_signed(self, document: Document, signatures: Signatures) -> int | Failure:
        """Add a page with signatures made by the method of the index; the texts of the page are not used."""
        name = storable(document.id)
        if not signatures.size[WHOLE]:
            return Failure(document.id, "dupes", "there is no text on the page.", url=document.url)
        if not self._pending:
            self._begin()
            self._committed = self._count()
        known = self._find(name)
        if known is not None:
            if known[1] == signatures.digest:
                return known[0]
            reason = "another text was given under this id before: the first one is kept."
            return Failure(document.id, "dupes", reason, url=document.url)
        number = self._numbers[name] = len(self)
        self._pending.append((document, signatures))
        if len(self._pending) == BLOCK:
            self.commit()
        return number

    def holds(self, name: str, text: str) -> bool:
        """Return whether a page is in the index with this text."""
        known = self._find(storable(name))
        return known is not None and known[1] == digest_of(text)

    def commit(self) -> None:
        """Write the pages that were added since the last commit."""
        if self._pending:
            self._write_pending()
        with self._readable_errors():
            if self._connection.in_transaction:
                self._connection.execute("COMMIT")
        self._committed += len(self._pending)
        self._pending, self._numbers = [], {}

    def keys(self, kind: int, band: int) -> Iterator[UInt32]:
        """Yield the keys of one band of all committed pages in blocks (<= BLOCK,)."""
        select = "SELECT keys FROM keys WHERE kind = ? AND band = ? ORDER BY first"
        for (block,) in self._rows(select, kind, band):
            yield np.frombuffer(block, "<u4")

    def rows(self, numbers: NDArray[np.integer[Any]]) -> Rows:
        """Return the signatures of committed pages (n,)."""
        select = (
            "SELECT digest, page.whole, page.content, page.frame, s.whole, s.content, s.frame"
            " FROM page JOIN signature s USING (number) WHERE number = ?"
        )
        rows = [row for number in numbers.tolist() for row in self._rows(select, number)]
        none = bytes(2 * self.method.hashes)
        signatures = b"".join(part or none for row in rows for part in row[4:])
        return Rows(
            np.frombuffer(b"".join(row[0] for row in rows), "V16"),
            np.array([row[1:4] for row in rows], np.int64).reshape(-1, len(KINDS)),
            np.frombuffer(signatures, "<u2").reshape(len(rows), len(KINDS), self.method.hashes),
            np.array([[bool(part) for part in row[4:]] for row in rows], bool).reshape(-1, len(KINDS)),
        )

    def entry(self, number: int) -> Entry:
        """Return a committed page."""
        [(name, url, path)] = self._rows("SELECT id, url, path FROM page WHERE number = ?", number)
        return Entry(name, url, tuple(json.loads(path)))

    def repeated_lines(self) -> Iterator[tuple[int, int]]:
        """Yield the stored lines: key, number of pages."""
        return self._rows("SELECT key, pages FROM repeated")

    def store_repeated_lines(self, lines: Iterable[tuple[int, int]]) -> None:
        """Store the number of pages that contain a line, by key; replaces stored numbers."""
        self._begin()
        self._write("INSERT OR REPLACE INTO repeated VALUES (?, ?)", lines)
        self.commit()

    def _count(self) -> int:
        [(last,)] = self._rows("SELECT max(number) FROM page")
        return 0 if last is None else int(last) + 1

    def _find(self, name: str) -> tuple[int, bytes] | None:
        """Return the number and the digest of a page by its id."""
        if name in self._numbers:
            number = self._numbers[name]
            return number, self._pending[number - self._committed][1].digest
        return next(self._rows("SELECT number, digest FROM page WHERE id = ?", name), None)

    def _write_pending(self) -> None:
        first = self._committed
        numbered = list(enumerate(self._pending, start=first))
        self._write(
            "INSERT INTO page VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (
                (n, storable(d.id), d.url and storable(d.url), s.digest, *s.size, json.dumps(d.path))
                for n, (d, s) in numbered
            ),
        )
        self._write(
            "INSERT INTO signature VALUES (?, ?, ?, ?)",
            ((n, *(x.astype("<u2").tobytes() or None for x in s.signatures)) for n, (_, s) in numbered),
        )
        for kind in range(len(KINDS)):
            self._write_keys(kind, first, [s.signatures[kind] for _, s in self._pending])

    def _write_keys(self, kind: int, first: int, signatures: list[UInt16]) -> None:
        """Append the keys of the pages from ``first`` on to their blocks."""
        keys = np.zeros((self.method.bands, len(signatures)), "<u4")
        known = [k for k, signature in enumerate(signatures) if len(signature)]
        if known:
            keys[:, known] = self.method.keys(np.stack([signatures[k] for k in known]))
        stored = "SELECT keys FROM keys WHERE kind = ? AND band = ? AND first = ?"
        edges = [first, *range(first - first % BLOCK + BLOCK, first + len(signatures), BLOCK)]
        for start, stop in zip(edges, [*edges[1:], first + len(signatures)], strict=True):
            block = start - start % BLOCK
            for band, new in enumerate(keys[:, start - first : stop - first]):
                [old] = next(self._rows(stored, kind, band, block), (b"",))
                row = (kind, band, block, old + new.tobytes())
                self._write("INSERT OR REPLACE INTO keys VALUES (?, ?, ?, ?)", [row])

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

    def _prepare(self, method: MinHash, new: bool) -> None:
        """Create the tables in an empty file; check the format of another file."""
        pragmas = ("PRAGMA application_id", "SELECT count(*) FROM sqlite_master", "PRAGMA user_version")
        application, tables, version = (self._connection.execute(sql).fetchone()[0] for sql in pragmas)
        if new and not application and not tables:
            self._connection.executescript(_SCHEMA)
            setting = (json.dumps(method.get_params()),)
            self._connection.execute("INSERT INTO setting VALUES ('method', ?)", setting)
            self._connection.execute("COMMIT")
        elif application != _FORMAT:
            raise InputError(f"{self._name} is no index of duplicates, but another file.")
        elif version != VERSION:
            raise InputError(f"{self._name} is of version {version}, expected version {VERSION}.")

    def _stored_method(self, requested: MinHash | None) -> MinHash:
        """Return the method of the file, which also serves requests with a higher threshold."""
        [(text,)] = self._rows("SELECT value FROM setting WHERE name = 'method'")
        stored = MinHash(**json.loads(text))
        if requested is not None:
            mine, its = requested.get_params(), stored.get_params()
            if mine.pop("threshold") < its.pop("threshold") or mine != its:
                raise InputError(
                    f"{self._name} was made with {stored.describe()}: it cannot answer for "
                    f"{requested.describe()}; make a new one."
                )
        return stored

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
