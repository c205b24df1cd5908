"""Open a sqlite file, or say in one sentence why it cannot be used."""

from __future__ import annotations

import sqlite3
from typing import TYPE_CHECKING

from webgrain.errors import InputError

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

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
