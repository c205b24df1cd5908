"""What a crawl has still to ask for, in a sqlite file that survives a killed process.

    table    row
    address  number in the order of discovery, key (one for all spellings of an address), address, host, shape
             (the address without parameters), kind (page or sitemap), depth, redirects on the way, state
    setting  ``length``: bytes of the archive that belong to this state; ``began``: when the crawl did

An address is taken, asked for, and finished. What its answer led to (its state, the links found, the length
of the archive) is written in one transaction, after the archive was. So a process that is killed leaves all
addresses whose answer is in the archive finished, and all others waiting.
"""

from __future__ import annotations

import json
import sqlite3
from time import time
from typing import TYPE_CHECKING, NamedTuple
from urllib.parse import urlsplit

from webgrain.crawl.address import clean, key_of, shape_of
from webgrain.crawl.database import open_database

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

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
