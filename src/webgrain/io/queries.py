"""Search logs: which queries led to which pages, from the files that people have.

==============================  ===========================================================================
file                            what is read
==============================  ===========================================================================
CSV, TSV                        a column of addresses, one of queries, perhaps one of clicks, in any order,
                                with or without names; also the bulk export to BigQuery, as CSV
JSON, JSON lines                rows of the Search Console API: ``keys``, ``clicks``
zip of the Search Console       queries and pages, which it does not join: a query is taken for a page that
                                was clicked if all its words stand in the page's title, heading or address
log of a web server             (combined format) the search in the address of the page that led to a page
==============================  ===========================================================================

A log is read row by row; `MAX_ADDRESSES` addresses with their `MAX_QUERIES` most clicked queries are kept.
"""

from __future__ import annotations

import csv
import io
import zipfile
from collections import Counter
from dataclasses import dataclass, field
from functools import lru_cache
from typing import TYPE_CHECKING, TextIO

from webgrain.errors import InputError
from webgrain.io.local import open_regular
from webgrain.io.logrows import MAX_JSON, is_address, is_server_log, json_rows, server_rows, table_of
from webgrain.page.links import addresses
from webgrain.page.urls import canonical
from webgrain.page.words import words_of

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

    from webgrain.io.logrows import Row
    from webgrain.page.page import Page

MAX_ADDRESSES = 50_000
MAX_QUERIES = 50
_HOST = "http://local.invalid"


@dataclass(slots=True)
class SearchLog:
    """Queries by the address of the page that they led to.

    Attributes:
        kind: what the file was taken for.
        rows: how many were read; unused: how many of them have no query or no address.
        joined: False where the log does not say which query led to which page.
        dropped: whether addresses were left out because there are too many.

    >>> log = SearchLog("csv")
    >>> log.add("http://example.org/a.html", "blue lamp", 3)
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parse import parse
    >>> log.queries_for(parse(Source("a.html", b"<h1>Lamps</h1>"))), log.matched
    (Counter({'blue lamp': 3}), 1)
    """

    kind: str
    rows: int = 0
    unused: int = 0
    joined: bool = True
    dropped: bool = False
    _queries: dict[str, Counter[str]] = field(default_factory=dict)
    _by_path: dict[str, list[str]] = field(default_factory=dict)
    _rows_of: Counter[str] = field(default_factory=Counter)
    _found: set[str] = field(default_factory=set)
    _apart: Counter[str] = field(default_factory=Counter)

    @property
    def matched(self) -> int:
        """How many rows are of pages that were asked for."""
        return sum(self._rows_of[address] for address in self._found)

    def add(self, address: str, query: str, clicks: int) -> None:
        """Count one row; an empty query (anonymised) or address counts as unused."""
        self.rows += 1
        key, query = _key(address), " ".join(query.split())
        if not key or not words_of(query):
            self.unused += 1
            return
        own = self._own(key)
        if own is None:
            return
        self._rows_of[key] += 1
        own[query] += max(clicks, 1)
        if len(own) > 2 * MAX_QUERIES:
            self._queries[key] = Counter(dict(own.most_common(MAX_QUERIES)))

    def add_apart(self, queries: Iterable[tuple[str, int]], pages: Iterable[str]) -> None:
        """Take in queries and pages that are not joined."""
        self.joined = False
        for query, clicks in queries:
            self.rows += 1
            if words_of(query) and len(self._apart) < MAX_ADDRESSES:
                self._apart[" ".join(query.split())] += max(clicks, 1)
        for address in pages:
            self.rows += 1
            if (key := _key(address)) and self._own(key) is not None:
                self._rows_of[key] += 1

    def _own(self, key: str) -> Counter[str] | None:
        """Return the queries of an address; None where there is no room for another one."""
        if key not in self._queries:
            if len(self._queries) >= MAX_ADDRESSES:
                self.dropped = True
                return None
            self._queries[key] = Counter()
            self._by_path.setdefault(_path(key), []).append(key)
        return self._queries[key]

    def queries_for(self, page: Page) -> Counter[str]:
        """Return the queries for a page with their clicks, the most clicked ones."""
        known = [key for address in addresses(page) for key in self._keys(address) if key in self._queries]
        found: Counter[str] = Counter()
        for key in known[:1]:
            self._found.add(key)
            found += self._queries[key] if self.joined else self._told_by(page, key)
        return Counter(dict(found.most_common(MAX_QUERIES)))

    def _keys(self, address: str) -> list[str]:
        """Return under what a page may stand in the log: a local page under its path on any host."""
        path = _path(address)
        local = address.startswith("local.invalid/")
        return [*([] if local else [address]), path, *(self._by_path.get(path, []) if local else [])]

    def _told_by(self, page: Page, key: str) -> Counter[str]:
        """Return the queries all of whose words stand in the title, the first heading or the address."""
        dom = page.dom
        names = [next((n for n in range(len(dom)) if dom.name(n) == tag), None) for tag in ("title", "h1")]
        said = " ".join([key, *(dom.text_of(node) for node in names if node is not None)])
        words = set(words_of(said))
        told = {query: clicks for query, clicks in self._apart.items() if words.issuperset(words_of(query))}
        return Counter(told)


def read_log(path: Path) -> SearchLog:
    r"""Read a search log; `InputError` where the file cannot be read or holds none.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "log.csv").write_text("page,query,clicks\n/a.html,lamp,2\n/b.html,,1\n")
    ...     log = read_log(Path(folder) / "log.csv")
    >>> log.kind, log.rows, log.unused
    ('table', 2, 1)
    """
    try:
        with open_regular(path) as file:
            head = file.read(4)
        if head.startswith(b"PK"):
            return _read_export(path)
        with open_regular(path) as file:
            start = file.read(2**16)
            file.seek(0)
            text = io.TextIOWrapper(file, encoding=_encoding(start), errors="replace", newline="")
            return _read_text(text, start.lstrip(b"\xef\xbb\xbf \r\n\t"), path)
    except OSError as error:
        raise InputError(f"The search log {path} cannot be read: {error.strerror or error}.") from error
    except (csv.Error, ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise InputError(f"The search log {path} cannot be read: {error}.") from error


def _read_text(text: TextIO, start: bytes, path: Path) -> SearchLog:
    if start[:1] in (b"{", b"["):
        return _filled("json", json_rows(text))
    first = start.splitlines()[0].decode("utf-8", "replace") if start else ""
    if is_server_log(first):
        return _filled("server", server_rows(text))
    rows, columns = table_of(text)
    if columns is None or columns.address is None or columns.query is None:
        raise InputError(
            f"The search log {path} has no column of addresses beside one of queries: "
            "expected url,query,clicks."
        )
    return _filled("table", (columns.row(row) for row in rows))


def _filled(kind: str, rows: Iterable[Row]) -> SearchLog:
    log = SearchLog(kind)
    for row in rows:
        log.add(*row)
    return log


def _read_export(path: Path) -> SearchLog:
    """Read the export of the Search Console's own pages: tables of queries and of pages, under any names."""
    log = SearchLog("search console export", joined=False)
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.filename.lower().endswith(".csv") or member.file_size > MAX_JSON:
                continue
            with archive.open(member) as file:
                rows, columns = table_of(io.TextIOWrapper(file, "utf-8", errors="replace", newline=""))
                if columns is None:
                    continue
                if columns.address is not None:
                    log.add_apart((), (row[columns.address] for row in rows if len(row) > columns.address))
                elif columns.is_queries:
                    log.add_apart((columns.row(row)[1:] for row in rows), ())
    if not log.rows:
        raise InputError(f"{path} holds no tables of queries and pages, as the Search Console exports them.")
    return log


@lru_cache(maxsize=2**16)
def _key(address: str) -> str:
    """Return the canonical form of an address; of a mere path, the path."""
    address = address.strip()
    if is_address(address.lower()):
        return canonical(address)
    return _path(canonical(f"{_HOST}/{address.lstrip('/')}")) if address else ""


def _path(address: str) -> str:
    """Return the canonical path of a canonical address."""
    return "/" + address.partition("/")[2]


def _encoding(start: bytes) -> str:
    if start[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return "utf-16"
    return "utf-8-sig"
