"""What a crawl keeps in SQLite files: the URLs left to request, and the pages of earlier crawls.

A `Frontier` holds the URLs of one crawl and survives a killed process.

    table    row
    address  number in order of discovery, key (the same for all spellings of a URL), url, host, shape (the
             URL without parameters), kind (page, sitemap, stylesheet or probe), depth, redirects before it,
             state; key and shape of a style sheet begin with its kind
    setting  ``length``: bytes of the archive that belong to this state; ``began``: start of the crawl

A URL is taken, requested and finished. The results of its response (its state, new URLs, the length of
the archive) are written in one transaction, after the archive. So when a process is killed, all URLs whose
response is in the archive are finished, and all others are waiting.

A `CrawlState` holds the pages of earlier crawls, so that a later crawl stores only what is new.

    table  row
    page   key, url, time of the first and the last request (seconds since 1970), ETag and Last-Modified of
           the server, digest of the body, links (compressed, one per line)
"""

from __future__ import annotations

import hashlib
import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from math import inf
from pathlib import Path
from time import time
from typing import NamedTuple
from urllib.parse import urlsplit

from webgrain.base.errors import InputError
from webgrain.crawler.links import clean, url_key
from webgrain.crawler.thresholds import LOCK_SECONDS, SHEETS, VARIANTS

_FRONTIER_FORMAT = 0x77676A62  # "wgjb", the application id of the SQLite file
_FRONTIER_TABLES = f"""
CREATE TABLE address (number INTEGER PRIMARY KEY, key TEXT NOT NULL UNIQUE, url TEXT NOT NULL,
    host TEXT NOT NULL, shape TEXT NOT NULL, kind TEXT NOT NULL, depth INTEGER NOT NULL,
    redirects INTEGER NOT NULL, state TEXT NOT NULL);
CREATE INDEX waiting ON address (state, depth, number);
CREATE INDEX shapes ON address (shape);
CREATE TABLE setting (name TEXT PRIMARY KEY, value REAL NOT NULL);
PRAGMA application_id = {_FRONTIER_FORMAT};
"""
SHEET = "stylesheet"
"""What is expected at the address of a style sheet."""
_WAITING_SHEETS = f"kind = '{SHEET}' AND state = 'waiting'"
_INDEX_OF_SHEETS = f"CREATE INDEX IF NOT EXISTS sheets ON address (number) WHERE {_WAITING_SHEETS}"

_STATE_FORMAT = 0x7767736E  # "wgsn"
_STATE_VERSION = 1
_STATE_COLUMNS = "key, url, first, last, etag, modified, digest, links"
_STATE_TABLES = f"""
BEGIN EXCLUSIVE;
CREATE TABLE page (key TEXT PRIMARY KEY, url TEXT NOT NULL, first REAL NOT NULL, last REAL NOT NULL,
    etag TEXT NOT NULL, modified TEXT NOT NULL, digest BLOB NOT NULL, links BLOB NOT NULL);
CREATE INDEX age ON page (last);
PRAGMA application_id = {_STATE_FORMAT};
PRAGMA user_version = {_STATE_VERSION};
COMMIT;
"""


def open_database(path: Path, prepare: Callable[[sqlite3.Connection], None]) -> sqlite3.Connection:
    """Open an SQLite file in autocommit mode; ``prepare`` checks its format and creates its tables.

    Raises `InputError` if the file cannot be opened, or if ``prepare`` raises an SQLite error.

    >>> from pathlib import Path
    >>> open_database(Path("missing") / "state.db", print)
    Traceback (most recent call last):
    webgrain.base.errors.InputError: Cannot open missing/state.db: unable to open database file.
    """
    with ExitStack() as opened:
        try:
            database = sqlite3.connect(path, timeout=LOCK_SECONDS, isolation_level=None)
            opened.callback(database.close)
            prepare(database)
        except sqlite3.DatabaseError as error:
            reason = "another process is writing it" if "locked" in str(error) else str(error)
            raise InputError(f"Cannot open {path}: {reason}.") from error
        opened.pop_all()
    return database


def _number(database: sqlite3.Connection, query: str, *values: object) -> float:
    (number,) = database.execute(query, values).fetchone()
    return number  # type: ignore[no-any-return]


def _is_empty(database: sqlite3.Connection) -> bool:
    return not database.execute("SELECT 1 FROM sqlite_master").fetchone()


class Entry(NamedTuple):
    """A URL to request: what is expected there, links from a start page, and redirects before it."""

    url: str
    kind: str = "page"
    depth: int = 0
    redirects: int = 0
    number: int = 0

    @property
    def key(self) -> str:
        """The same for all spellings of the URL."""
        return url_key(self.url)

    @property
    def host(self) -> str:
        """Host and port."""
        return urlsplit(self.url).netloc


class Frontier:
    """The URLs of a crawl; one process at a time can open it.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     frontier = Frontier(Path(folder) / "job")
    ...     frontier.add([Entry("http://example.org/"), Entry("http://EXAMPLE.org/#top")])
    ...     frontier.waiting, frontier.take().url, frontier.take(), frontier.close()
    (True, 'http://example.org/', None, None)
    """

    def __init__(self, path: Path) -> None:
        self._busy: set[str] = set()
        self._db = open_database(path, _prepare_frontier)
        self._sheets = _number(self._db, "SELECT count(*) FROM address WHERE kind = ?", SHEET)

    @property
    def began(self) -> float:
        """Start of the crawl, in seconds since 1970."""
        return _number(self._db, "SELECT value FROM setting WHERE name = 'began'")

    @property
    def length(self) -> int:
        """Bytes of the archive that belong to this state."""
        return int(_number(self._db, "SELECT value FROM setting WHERE name = 'length'"))

    @length.setter
    def length(self, value: int) -> None:
        self._db.execute("UPDATE setting SET value = ? WHERE name = 'length'", (value,))

    @property
    def waiting(self) -> bool:
        """Whether there are URLs that are not finished."""
        return self._db.execute("SELECT 1 FROM address WHERE state = 'waiting'").fetchone() is not None

    @property
    def has_sheets(self) -> bool:
        """Whether there are style sheets among them."""
        return self._db.execute(f"SELECT 1 FROM address WHERE {_WAITING_SHEETS}").fetchone() is not None

    @property
    def taken(self) -> int:
        """Number of URLs that are taken and not finished."""
        return len(self._busy)

    def count(self, state: str) -> int:
        """Return the number of URLs in a state."""
        return int(_number(self._db, "SELECT count(*) FROM address WHERE state = ?", state))

    def add(self, entries: Iterable[Entry]) -> None:
        """Append URLs.

        Known URLs, more than `VARIANTS` variants of one, and more than `SHEETS` style sheets are ignored.
        """
        for entry in entries:
            is_sheet = entry.kind == SHEET
            if is_sheet and self._sheets >= SHEETS:
                continue
            url = clean(entry.url)
            path, query, _ = url.partition("?")
            # An address may be that of a page and of a style sheet, by mistake or by a redirect.
            expected = f"{SHEET} " if is_sheet else ""
            key, shape = url_key(url), expected + path
            if key and (entry.depth == 0 or not query or self._variants(shape) < VARIANTS):
                added = self._db.execute(
                    "INSERT OR IGNORE INTO address (key, url, host, shape, kind, depth, redirects, state) "
                    "VALUES (?, ?, ?, ?, ?, ?, ?, 'waiting')",
                    (
                        expected + key,
                        url,
                        urlsplit(url).netloc,
                        shape,
                        entry.kind,
                        entry.depth,
                        entry.redirects,
                    ),
                )
                self._sheets += is_sheet * added.rowcount

    def _variants(self, shape: str) -> float:
        return _number(self._db, "SELECT count(*) FROM address WHERE shape = ?", shape)

    def take(self, *, only_sheets: bool = False) -> Entry | None:
        """Return the next URL, of a host without a taken URL; None if there is none.

        The next URL is a style sheet or, if none waits, the URL nearest to a start page. only_sheets: whether
        no other URLs are returned.
        """
        entry = self._first(_WAITING_SHEETS, "number")
        if entry is None and not only_sheets:
            entry = self._first("state = 'waiting'", "depth, number")
        if entry is not None:
            self._busy.add(entry.host)
        return entry

    def _first(self, condition: str, order: str) -> Entry | None:
        """Return the first URL with a condition whose host has no taken URL."""
        row = self._db.execute(
            f"SELECT url, kind, depth, redirects, number FROM address WHERE {condition} "
            f"AND host NOT IN (SELECT value FROM json_each(?)) ORDER BY {order} LIMIT 1",
            (json.dumps(sorted(self._busy)),),
        ).fetchone()
        return None if row is None else Entry(*row)

    def finish(self, entry: Entry, state: str, onward: Iterable[Entry] = ()) -> None:
        """Set the state of a taken URL and add the URLs it leads to; `commit` writes this to disk."""
        self.add(onward)
        self._db.execute("UPDATE address SET state = ? WHERE number = ?", (state, entry.number))
        self._busy.discard(entry.host)

    def commit(self) -> None:
        """Write all changes to disk and begin a new transaction."""
        self._db.execute("COMMIT")
        self._db.execute("BEGIN EXCLUSIVE")

    def close(self) -> None:
        """Write all changes to disk and close the file."""
        self._db.execute("COMMIT")
        self._db.close()


def _prepare_frontier(database: sqlite3.Connection) -> None:
    database.execute("PRAGMA locking_mode = EXCLUSIVE")
    database.execute("BEGIN EXCLUSIVE")
    version = _number(database, "PRAGMA application_id")
    if version == 0 and _is_empty(database):
        for statement in _FRONTIER_TABLES.split(";"):
            database.execute(statement)
        database.execute("INSERT INTO setting VALUES ('began', ?), ('length', 0)", (time(),))
    elif version != _FRONTIER_FORMAT:
        raise sqlite3.DatabaseError("it is not the state of a crawl")
    database.execute(_INDEX_OF_SHEETS)
    database.execute("COMMIT")
    database.execute("BEGIN EXCLUSIVE")


@dataclass(frozen=True, slots=True)
class KnownPage:
    """A page of an earlier crawl; ``etag`` and ``modified`` are empty if the server sent none."""

    key: str
    url: str
    first: float
    last: float
    etag: str = ""
    modified: str = ""
    digest: bytes = b""
    links: tuple[str, ...] = ()


class CrawlState:
    """The pages of earlier crawls; several processes may open it.

    path: the file. make: create the file if it does not exist; otherwise raise `InputError`.

    >>> import tempfile
    >>> from pathlib import Path
    >>> page = KnownPage("http://example.org/", "http://example.org/", 0, 0, links=("http://example.org/a",))
    >>> with tempfile.TemporaryDirectory() as folder, CrawlState(Path(folder) / "state.db") as state:
    ...     state.put(page)
    ...     state.get(page.key).links, state.drop(before=1), state.count()
    (('http://example.org/a',), 1, 0)
    """

    def __init__(self, path: Path, make: bool = True) -> None:
        if not make and not path.is_file():
            raise InputError(f"The crawl state {path} does not exist.")
        self._db = open_database(path, _prepare_state)

    def __enter__(self) -> CrawlState:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def count(self) -> int:
        """Return the number of pages."""
        return int(_number(self._db, "SELECT count(*) FROM page"))

    def get(self, key: str) -> KnownPage | None:
        """Return the page with a key, or None."""
        row = self._db.execute(f"SELECT {_STATE_COLUMNS} FROM page WHERE key = ?", (key,)).fetchone()
        return _known_page(row) if row else None

    def put(self, page: KnownPage) -> None:
        """Add or replace a page; the time of its first request is kept."""
        links = zlib.compress("\n".join(page.links).encode())
        self._db.execute(
            f"INSERT INTO page ({_STATE_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?) "
            "ON CONFLICT (key) DO UPDATE SET url = excluded.url, last = excluded.last, etag = excluded.etag, "
            "modified = excluded.modified, digest = excluded.digest, links = excluded.links",
            (page.key, page.url, page.first, page.last, page.etag, page.modified, page.digest, links),
        )

    def pages(self, before: float = inf) -> Iterator[KnownPage]:
        """Yield the pages that were last requested before a time, the oldest first."""
        query = f"SELECT {_STATE_COLUMNS} FROM page WHERE last < ? ORDER BY last, key"
        return map(_known_page, self._db.execute(query, (before,)))

    def drop(self, before: float) -> int:
        """Delete the pages that were last requested before a time; return their number."""
        return self._db.execute("DELETE FROM page WHERE last < ?", (before,)).rowcount

    def close(self) -> None:
        """Close the file."""
        self._db.close()


def _known_page(row: tuple[str, str, float, float, str, str, bytes, bytes]) -> KnownPage:
    links = zlib.decompress(row[7]).decode()
    return KnownPage(*row[:7], links=tuple(links.split("\n")) if links else ())


def _prepare_state(database: sqlite3.Connection) -> None:
    if _state_version(database) == (0, 0) and _is_empty(database):
        with suppress(sqlite3.OperationalError):  # another process creates the tables at this moment
            database.executescript(_STATE_TABLES)
    if _state_version(database) != (_STATE_FORMAT, _STATE_VERSION):
        raise sqlite3.DatabaseError("it is something else, or of another version")


def _state_version(database: sqlite3.Connection) -> tuple[float, float]:
    return _number(database, "PRAGMA application_id"), _number(database, "PRAGMA user_version")


def digest_of(body: bytes) -> bytes:
    """Return the digest of a page body (16 bytes).

    >>> len(digest_of(b"<p>"))
    16
    """
    return hashlib.blake2b(body, digest_size=16).digest()
