"""Open a sqlite file, or say in one sentence why it cannot be used.

What a crawl has still to ask for, in a sqlite file that survives a killed process.

    table    row
    address  number in the order of discovery, key (one for all spellings of an address), address, host, shape
             (the address without parameters), kind (page or sitemap), depth, redirects on the way, state
    setting  ``length``: bytes of the archive that belong to this state; ``began``: when the crawl did

An address is taken, asked for, and finished. What its answer led to (its state, the links found, the length
of the archive) is written in one transaction, after the archive was. So a process that is killed leaves all
addresses whose answer is in the archive finished, and all others waiting.

Pages that earlier crawls have had: when, in which state, and where they led; one sqlite file.

table  row
page   key (one for all spellings of an address), address, when it was asked for first and last (seconds since
       1970), the server's ETag and Last-Modified, digest of the body, its links (compressed, one a line)
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from time import time
from types import TracebackType
from typing import NamedTuple
from urllib.parse import urlsplit

from webgrain.crawler.links import clean, key_of, shape_of
from webgrain.errors import InputError

WAIT = 30.0
"""Seconds to wait for another process that writes."""


def open_database(path: Path, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open a file and let ``prepare`` look whether it is the right one; transactions are the caller's.

    `InputError` where it cannot be opened, or ``prepare`` raises an error of sqlite.

    >>> from pathlib import Path
    >>> open_database(Path("missing") / "seen.db", print)
    Traceback (most recent call last):
    webgrain.errors.InputError: Cannot open missing/seen.db: unable to open database file.
    """
    database = None
    try:
        database = sqlite3.connect(path, timeout=WAIT, isolation_level=None)
        prepare(database)
    except sqlite3.DatabaseError as error:
        if database is not None:
            database.close()
        reason = "another process is writing it" if "locked" in str(error) else str(error)
        raise InputError(f"Cannot open {path}: {reason}.") from error
    return database


VARIANTS = 100
"""Most addresses that differ in their parameters only: calendars and filters have no end."""

_FORMAT = 0x77676A62  # "wgjb", where sqlite keeps what a file is for
_SCHEMA = f"""
CREATE TABLE address (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL,
    host TEXT NOT NULL, shape TEXT NOT NULL, kind TEXT NOT NULL, depth INTEGER NOT NULL,
    redirects INTEGER NOT NULL, state TEXT NOT NULL);
CREATE INDEX waiting ON address (state, depth, number);
CREATE INDEX shapes ON address (shape);
CREATE TABLE setting (name TEXT PRIMARY KEY, value REAL NOT NULL);
PRAGMA application_id = {_FORMAT};
"""


class Entry(NamedTuple):
    """An address to ask for: what is expected there, how far it is from a start page, and over which way."""

    url: str
    kind: str = "page"
    depth: int = 0
    redirects: int = 0
    number: int = 0

    @property
    def key(self) -> str:
        """What all spellings of the address have in common."""
        return key_of(self.url)

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc


class Frontier:
    """The addresses of a crawl; one process at a time has it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frontier = Frontier(Path(folder) / "job")
    ...     frontier.add([Entry("http://example.org/"), Entry("http://EXAMPLE.org/#top")])
    ...     frontier.waiting, frontier.take().url, frontier.take()
    (True, 'http://example.org/', None)
    """

    def __init__(self, path: Path) -> None:
        self._busy: set[str] = set()
        self._db = open_database(path, _prepare)

    @property
    def began(self) -> float:
        """When the crawl began first, in seconds since 1970."""
        return self._get("began")

    @property
    def length(self) -> int:
        """Bytes of the archive that belong to this state."""
        return int(self._get("length"))

    @length.setter
    def length(self, value: int) -> None:
        self._db.execute("UPDATE setting SET value = ? WHERE name = 'length'", (value,))

    @property
    def waiting(self) -> bool:
        """Whether there are addresses that have not been finished."""
        return self._db.execute("SELECT 1 FROM address WHERE state = 'waiting'").fetchone() is not None

    @property
    def flying(self) -> int:
        """How many addresses are taken and not finished."""
        return len(self._busy)

    def count(self, state: str) -> int:
        """Count the addresses in a state."""
        (number,) = self._db.execute("SELECT count(*) FROM address WHERE state = ?", (state,)).fetchone()
        return int(number)

    def add(self, entries: Iterable[Entry]) -> None:
        """Put addresses behind those that wait; what is there already, or a variant too many, is left out."""
        for entry in entries:
            url = clean(entry.url)
            key = key_of(url)
            if key and (entry.depth == 0 or self._variants(url) < VARIANTS):
                self._db.execute(
                    "INSERT OR IGNORE INTO address (key, url, host, shape, kind, depth, redirects, state) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting')",
                    (key, url, urlsplit(url).netloc, shape_of(url), entry.kind, entry.depth, entry.redirects),
                )

    def take(self) -> Entry | None:
        """Return the address nearest to a start page, of a host that nothing is asked of now; None: none."""
        row = self._db.execute(
            "SELECT url, kind, depth, redirects, number FROM address WHERE state = 'waiting' "
            "AND host NOT IN (SELECT value FROM json_each(?)) ORDER BY depth, number LIMIT 1",
            (json.dumps(sorted(self._busy)),),
        ).fetchone()
        if row is None:
            return None
        entry = Entry(*row)
        self._busy.add(entry.host)
        return entry

    def finish(self, entry: Entry, state: str, found: Iterable[Entry] = ()) -> None:
        """Say what became of an address that was taken, and where it led; `commit` makes it last."""
        self.add(found)
        self._db.execute("UPDATE address SET state = ? WHERE number = ?", (state, entry.number))
        self._busy.discard(entry.host)

    def commit(self) -> None:
        """Write all changes to disk, and begin the next ones."""
        self._db.execute("COMMIT")
        self._db.execute("BEGIN EXCLUSIVE")

    def close(self) -> None:
        """Write all changes to disk and close the file."""
        self._db.execute("COMMIT")
        self._db.close()

    def _variants(self, url: str) -> int:
        if "?" not in url:
            return 0
        (number,) = self._db.execute(
            "SELECT count(*) FROM address WHERE shape = ?", (shape_of(url),)
        ).fetchone()
        return int(number)

    def _get(self, name: str) -> float:
        (value,) = self._db.execute("SELECT value FROM setting WHERE name = ?", (name,)).fetchone()
        return float(value)


def _prepare(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    (version,) = database.execute("PRAGMA application_id").fetchone()
    if version == 0 and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
        for statement in _SCHEMA.split(";"):
            database.execute(statement)
        database.execute("INSERT INTO setting VALUES ('began', ?), ('length', 0)", (time(),))
    elif version != _FORMAT:
        raise sqlite3.DatabaseError("it is not the state of a crawl")
    database.execute("COMMIT")
    database.execute("BEGIN EXCLUSIVE")


VERSION = 1
"""Version of the table."""

_SEEN_FORMAT = 0x7767736E  # "wgsn", where sqlite keeps what a file is for
_COLUMNS = "key, url, first, last, etag, modified, digest, links"
_SEEN_SCHEMA = f"""
BEGIN EXCLUSIVE;
CREATE TABLE page (key TEXT PRIMARY KEY, url TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL,
    etag TEXT NOT NULL, modified TEXT NOT NULL, digest BLOB NOT NULL, links BLOB NOT NULL);
CREATE INDEX age ON page (last);
PRAGMA application_id = {_SEEN_FORMAT};
PRAGMA user_version = {VERSION};
COMMIT;
"""


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page as it was seen last; ``etag`` and ``modified`` are empty where the server gave none."""

    key: str
    url: str
    first: float
    last: float
    etag: str = ""
    modified: str = ""
    digest: bytes = b""
    links: tuple[str, ...] = ()


class CrawlState:
    """The pages of earlier crawls; several processes may have it at a time.

    path: of the file. make: whether it is made if there is none; else `InputError`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder, CrawlState(Path(folder) / "seen.db") as seen:
    ...     seen.put(KnownPage("http://example.org/", "http://example.org/", 0, 0, links=("http://example.org/a",)))
    ...     seen.get("http://example.org/").links, seen.drop(before=1), seen.count()
    (('http://example.org/a',), 1, 0)
    """

    def __init__(self, path: Path, make: bool = True) -> None:
        if not make and not path.is_file():
            raise InputError(f"There is no store of seen pages {path}.")
        self._db = open_database(path, _seen_prepare)

    def __enter__(self) -> CrawlState:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def count(self) -> int:
        """Count the pages."""
        (number,) = self._db.execute("SELECT count(*) FROM page").fetchone()
        return int(number)

    def get(self, key: str) -> KnownPage | None:
        """Return what is known of a page; None if it was never seen."""
        row = self._db.execute(f"SELECT {_COLUMNS} FROM page WHERE key = ?", (key,)).fetchone()
        return _page(row) if row else None

    def put(self, page: KnownPage) -> None:
        """Remember a page, for what was known of it; when it was seen first stays."""
        links = zlib.compress("\n".join(page.links).encode())
        self._db.execute(
            f"INSERT INTO page ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (key) DO UPDATE SET "
            "url = excluded.url, last = excluded.last, etag = excluded.etag, modified = excluded.modified, "
            "digest = excluded.digest, links = excluded.links",
            (page.key, page.url, page.first, page.last, page.etag, page.modified, page.digest, links),
        )

    def pages(self, before: float | None = None) -> Iterator[KnownPage]:
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


def _page(row: tuple[str, str, float, float, str, str, bytes, bytes]) -> KnownPage:
    links = zlib.decompress(row[7]).decode()
    return KnownPage(*row[:7], links=tuple(links.split("\n")) if links else ())


def _seen_prepare(database: sqlite3.Connection) -> None:
    if _version(database) == (0, 0) and not database.execute("SELECT 1 FROM sqlite_master").fetchone():
        with suppress(sqlite3.OperationalError):  # another process makes it at this very moment
            database.executescript(_SEEN_SCHEMA)
    if _version(database) != (_SEEN_FORMAT, VERSION):
        raise sqlite3.DatabaseError("it is something else, or of another version")


def _version(database: sqlite3.Connection) -> tuple[int, int]:
    (kind,) = database.execute("PRAGMA application_id").fetchone()
    (version,) = database.execute("PRAGMA user_version").fetchone()
    return kind, version
