"""Pages that earlier crawls have had: when, in which state, and where they led; one sqlite file.

table  row
page   key (one for all spellings of an address), address, when it was asked for first and last (seconds since
       1970), the server's ETag and Last-Modified, digest of the body, its links (compressed, one a line)
"""

from __future__ import annotations

import hashlib
import sqlite3
import zlib
from contextlib import suppress
from dataclasses import dataclass
from time import time
from typing import TYPE_CHECKING

from webgrain.crawl.database import open_database
from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path
    from types import TracebackType

VERSION = 1
"""Version of the table."""

_FORMAT = 0x7767736E  # "wgsn", where sqlite keeps what a file is for
_COLUMNS = "key, url, first, last, etag, modified, digest, links"
_SCHEMA = f"""
BEGIN EXCLUSIVE;
CREATE TABLE page (key TEXT PRIMARY KEY, url TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL,
    etag TEXT NOT NULL, modified TEXT NOT NULL, digest BLOB NOT NULL, links BLOB NOT NULL);
CREATE INDEX age ON page (last);
PRAGMA application_id = {_FORMAT};
PRAGMA user_version = {VERSION};
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class SeenPage:
    """A page as it was seen last; ``etag`` and ``modified`` are empty where the server gave none."""

    key: str
    url: str
    first: float
    last: float
    etag: str = ""
    modified: str = ""
    digest: bytes = b""
    links: tuple[str, ...] = ()


class SeenStore:
    """The pages of earlier crawls; several processes may have it at a time.

    path: of the file. make: whether it is made if there is none; else `InputError`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder, SeenStore(Path(folder) / "seen.db") as seen:
    ...     seen.put(SeenPage("http://example.org/", "http://example.org/", 0, 0, links=("http://example.org/a",)))
    ...     seen.get("http://example.org/").links, seen.drop(before=1), seen.count()
    (('http://example.org/a',), 1, 0)
    """

    def __init__(self, path: Path, make: bool = True) -> None:
        if not make and not path.is_file():
            raise InputError(f"There is no store of seen pages {path}.")
        self._db = open_database(path, _prepare)

    def __enter__(self) -> SeenStore:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def count(self) -> int:
        """Count the pages."""
        (number,) = self._db.execute("SELECT count(*) FROM page").fetchone()
        return int(number)

    def get(self, key: str) -> SeenPage | None:
        """Return what is known of a page; None if it was never seen."""
        row = self._db.execute(f"SELECT {_COLUMNS} FROM page WHERE key = ?", (key,)).fetchone()
        return _page(row) if row else None

    def put(self, page: SeenPage) -> None:
        """Remember a page, for what was known of it; when it was seen first stays."""
        links = zlib.compress("\n".join(page.links).encode())
        self._db.execute(
            f"INSERT INTO page ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
            "url = excluded.url, last = excluded.last, etag = excluded.etag, modified = excluded.modified, "
            "digest = excluded.digest, links = excluded.links",
            (page.key, page.url, page.first, page.last, page.etag, page.modified, page.digest, links),
        )

    def pages(self, before: float | None = None) -> Iterator[SeenPage]:
        """Give the pages that were seen last before a time, the oldest first."""
        limit = float("inf") if before is None else before
        rows = self._db.execute(f"SELECT {_COLUMNS} FROM page WHERE last < ? ORDER BY last, key", (limit,))
        return map(_page, rows)

    def drop(self, before: float) -> int:
        """Forget the pages that were seen last before a time; return how many they were."""
        return self._db.execute("DELETE FROM page WHERE last < ?", (before,)).rowcount

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def digest_of(body: bytes) -> bytes:
    """Return what tells two versions of a page apart (16 bytes).

    >>> len(digest_of(b"<p>"))
    16
    """
    return hashlib.blake2b(body, digest_size=16).digest()


def seconds_ago(age: float) -> float:
    """Return the time that was ``age`` seconds ago.

    >>> seconds_ago(60) < time()
    True
    """
    return time() - age


def _page(row: tuple[str, str, float, float, str, str, bytes, bytes]) -> SeenPage:
    links = zlib.decompress(row[7]).decode()
    return SeenPage(*row[:7], links=tuple(links.split("\n")) if links else ())


def _prepare(database: sqlite3.Connection) -> None:
    if _version(database) == (0, 0) and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
        with suppress(sqlite3.OperationalError):  # another process makes it at this very moment
            database.executescript(_SCHEMA)
    if _version(database) != (_FORMAT, VERSION):
        raise sqlite3.DatabaseError("it is something else, or of another version")


def _version(database: sqlite3.Connection) -> tuple[int, int]:
    (kind,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return kind, version
