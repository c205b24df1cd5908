"""An index of signatures on disk: one sqlite file, larger than memory, added to and asked at any time.

Pages have numbers 0, 1, ... in the order in which they came. Their signatures stand in rows, to be read one
by one; the keys of the bands stand in columns, a block of `BLOCK` pages and one band at a time, so that a
search reads one band of all pages in one go. The tables are in `webgrain.dedup.indexfile`.

What is added is written in transactions of `BLOCK` pages.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from webgrain.dedup.documents import KINDS, Document, Signed, digest_of, sign, storable
from webgrain.dedup.indexfile import IndexFile
from webgrain.results import Failure

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from pathlib import Path
    from types import TracebackType

    from numpy.typing import NDArray

    from webgrain.dedup.minhash import MinHash

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
    size: NDArray[np.int64]
    signatures: NDArray[np.uint16]
    known: NDArray[np.bool_]


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

    def keys(self, kind: int, band: int) -> Iterator[NDArray[np.uint32]]:
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

    def _write_keys(self, kind: int, first: int, signatures: list[NDArray[np.uint16]]) -> None:
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
