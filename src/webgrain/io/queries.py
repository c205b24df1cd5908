"""Search logs: which queries led to which pages.

==============================  ==========================================================================
input                           what is read
==============================  ==========================================================================
CSV, TSV                        a column of addresses, one of queries, and optionally one of clicks, in any
                                order, with or without names; also the bulk export to BigQuery as CSV, and
                                logs like those of AOL, in which each row is a click
JSON, JSON lines                rows of the Search Console API: ``keys``, ``clicks``
zip of the Search Console       tables of queries and of pages, which are not joined: a query is assigned to
                                a clicked page if all its words occur in its title, heading or address
log of a web server             (combined format) the search query in the referring URL
pandas, polars, pyarrow table   the columns page (or url), query and optionally clicks
mapping                         page id or URL -> queries, as a mapping to clicks or as a list
==============================  ==========================================================================

A log is read row by row; at most `MAX_LOG_ADDRESSES` addresses with their `MAX_QUERIES` most clicked queries
are kept.
"""

from __future__ import annotations

import csv
import io
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from itertools import chain, islice
from pathlib import Path
from typing import Any, NamedTuple, TextIO
from urllib.parse import parse_qs, urlsplit

from webgrain.base.errors import InputError, ParameterError
from webgrain.io.local import open_regular
from webgrain.io.thresholds import (
    MAX_COLUMNS,
    MAX_FIELD,
    MAX_JSON,
    MAX_LOG_ADDRESSES,
    MAX_LOG_BYTES,
    MAX_LOG_ROWS,
    MAX_QUERIES,
    MAX_QUERY,
    MAX_RECORD,
    MAX_URL,
    SHOWN_QUERIES,
)
from webgrain.io.urls import is_url
from webgrain.page.links import addresses, canonical
from webgrain.page.page import Page
from webgrain.page.strings import words_of

_ADDRESS = re.compile(
    r"(?:https?://\S++|/?[\w.~%+-]++(?:/[\w.~%+-]*+)++|/|[\w.~%+-]+\.(?:html?|php|aspx?))(?:\?\S*+)?"
)
_NUMBER = re.compile(r"\d{1,3}(?:[., \u00a0\u202f]\d{3})*|\d+(?:\.0+)?")
_NAMES = {
    "address": "url page pages path address clickurl landing_page top_pages link seite seiten página páginas "
    "pagina pagine strona страница ページ 网页 網頁 페이지",
    "query": "query queries search_query search_term search_terms keyword keywords top_queries suchanfrage "
    "suchanfragen consulta consultas requête requêtes zapytanie zapytania запрос запросы クエリ 查询 검색어",
    "clicks": "clicks click klicks klick klik klikk klikken clics clic cliques clicks_total visits "
    "sessions hits count kliknięcia клики クリック数 点击次数 點擊",
}
_KIND_OF = {name: meaning for meaning, names in _NAMES.items() for name in names.split()}
"""Names of columns in the languages of the exports, in lower case with ``_`` between words."""

_COMBINED = re.compile(
    r'\S++ \S++ \S++ \[[^\]]*+\] "(?:GET|HEAD) (?P<path>\S+?)(?: [^"]*+)?" '
    r'(?P<status>\d{3}) \S++ "(?P<from>[^"]*+)"'
)
_SEARCH_PARAMETERS = ("q", "query", "search", "s", "p", "text", "wd", "keyword", "keywords", "term")
_HOST = "http://local.invalid"

_Row = tuple[str, str, int]
"""An address, a query, and its clicks."""


@dataclass(slots=True)
class SearchLog:
    """Queries by the address of the page that they led to.

    Attributes:
        kind: the recognised format.
        rows: number of rows; unused: number of rows without a query or an address.
        joined: False if the log does not state which query led to which page.
        dropped: whether rows or addresses were dropped because there are too many.

    >>> log = SearchLog("csv")
    >>> log.add("http://example.org/a.html", "blue lamp", 3)
    >>> from webgrain.page.page import Source
    >>> from webgrain.page.parsing import parse
    >>> log.queries_for(parse(Source("a.html", b"<h1>Lamps</h1>"))), log.matched
    (Counter({'blue lamp': 3}), 1)
    """

    kind: str
    rows: int = 0
    unused: int = 0
    joined: bool = True
    dropped: bool = False
    _queries: dict[str, Counter[str]] = field(default_factory=dict, repr=False)
    _by_path: dict[str, list[str]] = field(default_factory=dict, repr=False)
    _ids: dict[str, str] = field(default_factory=dict, repr=False)
    _row_counts: Counter[str] = field(default_factory=Counter, repr=False)
    _clicked: Counter[str] = field(default_factory=Counter, repr=False)
    _requested: set[str] = field(default_factory=set, repr=False)
    _unassigned: Counter[str] = field(default_factory=Counter, repr=False)

    @property
    def matched(self) -> int:
        """Number of rows of the pages that were passed to `queries_for` or `clicks_on`."""
        return sum(self._row_counts[key] for key in self._requested)

    def add(self, address: str, query: str, clicks: int, *, is_id: bool = False) -> None:
        """Add a row; a row without a query (anonymised) or an address is unused.

        is_id: the address may also be the id of a page.
        """
        self.rows += 1
        query = " ".join(query[:MAX_QUERY].split())
        key = _key(address) if len(address) <= MAX_URL else ""
        if is_id:
            key = key or address
            self._ids[address] = key
        if not key or not words_of(query):
            self.unused += 1
            return
        queries = self._add_clicks(key, clicks)
        if queries is None:
            return
        queries[query] += max(clicks, 1)
        if len(queries) > 2 * MAX_QUERIES:
            self._queries[key] = Counter(dict(queries.most_common(MAX_QUERIES)))

    def add_unassigned(self, queries: Iterable[tuple[str, int]], pages: Iterable[tuple[str, int]]) -> None:
        """Add queries and pages that are not joined, each with its clicks."""
        self.joined = False
        for query, clicks in queries:
            self.rows += 1
            query = query[:MAX_QUERY]
            if words_of(query) and len(self._unassigned) < MAX_LOG_ADDRESSES:
                self._unassigned[" ".join(query.split())] += max(clicks, 1)
        for address, clicks in pages:
            self.rows += 1
            key = _key(address) if len(address) <= MAX_URL else ""
            if key:
                self._add_clicks(key, clicks)

    def _add_clicks(self, key: str, clicks: int) -> Counter[str] | None:
        """Add a row of an address, and return its queries; None if there are too many addresses."""
        if key not in self._queries:
            if len(self._queries) >= MAX_LOG_ADDRESSES:
                self.dropped = True
                return None
            self._queries[key] = Counter()
            self._by_path.setdefault(_path(key), []).append(key)
        self._row_counts[key] += 1
        self._clicked[key] += max(clicks, 0)
        return self._queries[key]

    def queries_for(self, page: Page) -> Counter[str]:
        """Return the most clicked queries for a page and their clicks."""
        key = self._key_of(page.id, addresses(page))
        if key is None:
            return Counter()
        self._requested.add(key)
        queries = self._queries[key] if self.joined else self._assigned(page, key)
        return Counter(dict(queries.most_common(MAX_QUERIES)))

    def clicks_on(self, page: str, urls: Iterable[str]) -> tuple[int, list[str]]:
        """Return the clicks on a page and its most clicked queries, which are empty if the log is not joined.

        page: its id; urls: its canonical addresses, see `webgrain.page.links.addresses`.

        >>> log = read_queries({"http://example.org/a.html": {"lamp": 2, "blue lamp": 3}})
        >>> log.clicks_on("a.html", ["example.org/a.html"]), log.clicks_on("b.html", [])
        ((5, ['blue lamp', 'lamp']), (0, []))
        """
        key = self._key_of(page, urls)
        if key is None:
            return 0, []
        self._requested.add(key)
        return self._clicked[key], [query for query, _ in self._queries[key].most_common(SHOWN_QUERIES)]

    def again(self) -> SearchLog:
        """Return the same log, of which no page was looked up."""
        return replace(self, _requested=set())

    def lost(self) -> Iterator[tuple[str, int]]:
        """Yield the addresses that no page has had so far, on the hosts of the others, with their clicks."""
        hosts = {key.partition("/")[0] for key in self._requested}
        for key, clicks in self._clicked.most_common():
            if clicks and key not in self._requested and key.partition("/")[0] in hosts:
                yield key, clicks

    def _key_of(self, page: str, urls: Iterable[str]) -> str | None:
        """Return the key of the first address of a page that the log has."""
        keys = [self._ids.get(page, "")]
        for address in urls:
            path = _path(address)
            # A local page is found by its path on any host.
            is_local = address.startswith("local.invalid/")
            keys += [path, *self._by_path.get(path, [])] if is_local else [address, path]
        return next((key for key in keys if key in self._queries), None)

    def _assigned(self, page: Page, key: str) -> Counter[str]:
        """Return the queries whose words all occur in the title, the first heading or the address."""
        dom = page.dom
        texts = [key]
        for tag in ("title", "h1"):
            texts += [dom.text_of(node) for node in dom.find_tag(tag)[:1].tolist()]
        words = set(words_of(" ".join(texts)))
        assigned: Counter[str] = Counter()
        for query, clicks in self._unassigned.items():
            if words.issuperset(words_of(query)):
                assigned[query] = clicks
        return assigned


@lru_cache(maxsize=2**16)
def _key(address: str) -> str:
    """Return the canonical form of an address; of a path, the canonical path."""
    address = address.strip()
    if is_url(address):
        return canonical(address)
    if not address:
        return ""
    url = f"{_HOST}/{address.lstrip('/')}"
    return _path(canonical(url))


def _path(address: str) -> str:
    """Return the path of a canonical address."""
    return "/" + address.partition("/")[2]


def read_queries(value: object) -> SearchLog:
    """Return the search log of a file, a table or a mapping (see above); a `SearchLog` is returned as is.

    Raises:
        ParameterError: ``value`` is something else.
        InputError: the file cannot be read or is not a search log.

    >>> log = read_queries({"a.html": {"blue lamp": 3}, "b.html": ["sofa", "red sofa"]})
    >>> log.kind, log.rows
    ('mapping', 3)
    """
    if isinstance(value, SearchLog):
        return value
    if isinstance(value, str | Path):
        return _read_file(Path(value))
    if isinstance(value, Mapping):
        return _log("mapping", _mapping_rows(value), is_id=True)
    names = getattr(value, "column_names", getattr(value, "columns", None))
    if names is None:
        raise ParameterError(
            "queries must be a path, a table (pandas, polars, pyarrow) with the columns page and query, or a "
            f"mapping from page ids to queries, got {type(value).__name__}."
        )
    return _log("table", _table_rows(value, [str(name) for name in names]), is_id=True)


def _log(form: str, rows: Iterable[_Row], *, is_id: bool = False) -> SearchLog:
    log = SearchLog(form)
    for number, row in enumerate(rows):
        if number == MAX_LOG_ROWS:
            log.dropped = True
            break
        log.add(*row, is_id=is_id)
    return log


def _mapping_rows(value: Mapping[Any, Any]) -> Iterator[_Row]:
    for page, queries in value.items():
        if not isinstance(page, str) or not isinstance(queries, Mapping | list | tuple | set | frozenset):
            raise ParameterError(
                "queries must map page ids to queries, for example {'a.html': {'blue lamp': 3}}, "
                f"got {page!r:.40}: {queries!r:.40}."
            )
        if isinstance(queries, Mapping):
            for query, clicks in queries.items():
                yield page, str(query), _clicks(clicks)
        else:
            for query in queries:
                yield page, str(query), 1


def _table_rows(table: Any, names: Sequence[str]) -> Iterator[_Row]:
    columns = {_kind_of(name): name for name in reversed(names)}
    if "address" not in columns or "query" not in columns:
        raise ParameterError(
            "queries must be a table with a column page (or url) and a column query, "
            f"got the columns {', '.join(names)!r:.80}."
        )

    def values(meaning: str) -> list[Any]:
        column = table[columns[meaning]]
        cells: list[Any] = column.to_pylist() if hasattr(column, "to_pylist") else column.to_list()
        return [cell if isinstance(cell, str | int | float) else "" for cell in cells]  # None, pandas.NA

    pages = values("address")
    queries = values("query")
    clicks = values("clicks") if "clicks" in columns else [1] * len(pages)
    for page, query, count in zip(pages, queries, clicks, strict=True):
        if isinstance(page, float) or isinstance(query, float):  # NaN
            page = query = ""
        yield str(page), str(query), _clicks(count)


def _clicks(value: Any) -> int:
    try:
        return int(float(value or 0))
    except (TypeError, ValueError, OverflowError):
        return 0


def _read_file(path: Path) -> SearchLog:
    try:
        with open_regular(path) as file:
            start = file.read(2**16)
            if start.startswith(b"PK"):
                return _read_export(path)
            file.seek(0)
            encoding = "utf-16" if start[:2] in (b"\xff\xfe", b"\xfe\xff") else "utf-8-sig"
            text = io.TextIOWrapper(file, encoding=encoding, errors="replace", newline="")
            return _read_text(text, start.lstrip(b"\xef\xbb\xbf \r\n\t"), path)
    except OSError as error:
        raise InputError(f"The search log {path} cannot be read: {error.strerror or error}.") from error
    except (csv.Error, ValueError, RecursionError, zipfile.BadZipFile) as error:
        raise InputError(f"The search log {path} cannot be read: {error}.") from error


def _read_text(text: TextIO, start: bytes, path: Path) -> SearchLog:
    if start[:1] in (b"{", b"["):
        return _log("json", json_rows(text))
    if _COMBINED.match(start.partition(b"\n")[0].decode("utf-8", "replace")):
        return _log("server", server_rows(text))
    rows, columns = read_table(text)
    if columns is None or columns.address is None or columns.query is None:
        raise InputError(
            f"The search log {path} has no column of addresses beside one of queries: "
            "expected url,query,clicks."
        )
    return _log("table", map(columns.row, rows))


def _read_export(path: Path) -> SearchLog:
    """Read the zip file of the Search Console: tables of queries and of pages, under any names."""
    log = SearchLog("search console export", joined=False)
    unpacked = 0
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            if not member.filename.lower().endswith(".csv"):
                continue
            unpacked += member.file_size
            if unpacked > MAX_LOG_BYTES or log.rows >= MAX_LOG_ROWS:
                log.dropped = True
                break
            with archive.open(member) as file:
                table = io.TextIOWrapper(file, "utf-8", errors="replace", newline="")
                all_rows, columns = read_table(table)
                rows = islice(all_rows, MAX_LOG_ROWS - log.rows)
                if columns is not None and columns.address is not None:
                    log.add_unassigned((), (columns.row(row)[::2] for row in rows))
                elif columns is not None and columns.query is not None:
                    log.add_unassigned((columns.row(row)[1:] for row in rows), ())
    if not log.rows:
        raise InputError(f"{path} has no tables of queries and pages, as exported by the Search Console.")
    return log


def json_rows(text: TextIO) -> Iterator[_Row]:
    """Yield the rows of a response of the Search Console API, or of several as JSON lines.

    >>> import io
    >>> list(json_rows(io.StringIO('{"rows": [{"keys": ["lamp", "https://example.org/"], "clicks": 3}]}')))
    [('https://example.org/', 'lamp', 3)]
    """
    content = text.read(MAX_JSON + 1)
    if len(content) > MAX_JSON:
        raise ValueError(f"JSON of more than {MAX_JSON:,} characters; give it as CSV")
    try:
        documents = [json.loads(content)]
    except ValueError:
        documents = [json.loads(line) for line in content.splitlines() if line.strip()]
    for document in documents:
        rows = document
        if isinstance(document, dict):
            is_row = "keys" in document or "query" in document
            rows = document.get("rows", [document] if is_row else [])
        if not isinstance(rows, list):
            raise ValueError("expected rows, each with keys and clicks")
        yield from map(_json_row, rows)


def _json_row(row: Any) -> _Row:
    if not isinstance(row, dict):
        raise ValueError(f"expected a row with keys and clicks, got {row!r:.80}")
    values = row.get("keys") or []
    if not isinstance(values, list):
        raise ValueError(f"expected a list of keys, got {values!r:.80}")
    # The keys are in the order in which the dimensions were requested.
    keys = [str(key) for key in values]
    urls = [key for key in keys if key.startswith(("http://", "https://"))]
    queries = [key for key in keys if key not in urls]
    address = row.get("page") or row.get("url") or next(iter(urls), "")
    query = row.get("query") or next(iter(queries), "")
    return str(address), str(query), _clicks(row.get("clicks", 1))


def server_rows(text: TextIO) -> Iterator[_Row]:
    """Yield the requested path and the search query in the referring URL."""
    for line in _lines(text):
        match = _COMBINED.match(line[:MAX_FIELD])
        if match is None or match["status"] not in ("200", "304"):
            continue
        try:
            parameters = parse_qs(urlsplit(match["from"]).query, max_num_fields=50)
        except ValueError:
            continue
        queries = [parameters[name][0] for name in _SEARCH_PARAMETERS if name in parameters]
        if queries and queries[0]:
            yield match["path"], queries[0], 1


def _lines(text: TextIO) -> Iterator[str]:
    """Yield the lines of a file; `ValueError` for a line that is too long to be one of a search log."""
    while line := text.readline(MAX_RECORD):
        if len(line) == MAX_RECORD:
            raise ValueError(f"a line of more than {MAX_RECORD:,} characters")
        yield line


class LogColumns(NamedTuple):
    """Positions of the columns of a table, None if there is no such column.

    heading: number of rows with names.
    """

    address: int | None
    query: int | None
    clicks: int | None
    heading: int

    def row(self, cells: Sequence[str]) -> _Row:
        """Return address, query and clicks of a row; 1 click if the table has no clicks."""

        def cell(at: int | None) -> str:
            return cells[at] if at is not None and at < len(cells) else ""

        digits = re.sub(r"\.0+$|\D", "", cell(self.clicks))
        clicks = 1 if self.clicks is None else int(digits[:12] or 0)
        return cell(self.address), cell(self.query), clicks


def read_table(text: TextIO) -> tuple[Iterator[list[str]], LogColumns | None]:
    r"""Return the rows of a CSV or TSV table and the positions of its columns.

    >>> import io
    >>> rows, columns = read_table(io.StringIO("page,query,clicks\n/a.html,lamp,2\n"))
    >>> [columns.row(row) for row in rows]
    [('/a.html', 'lamp', 2)]
    """
    csv.field_size_limit(MAX_FIELD)
    lines = _lines(text)
    first = next(lines, "")
    mark = max("\t,;", key=first.count)
    # In tables with tabs, quotes are data.
    options: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if mark == "\t" else {}
    table = csv.reader(chain([first.removeprefix("\ufeff")], lines), delimiter=mark, **options)
    rows = (row for row in table if any(map(str.strip, row)))
    sample = list(islice(rows, 50))
    columns = find_columns(sample)
    return chain(sample[columns.heading :] if columns else [], rows), columns


def find_columns(rows: Sequence[Sequence[str]]) -> LogColumns | None:
    """Find the columns of a table by their names or contents in the first rows; None for an empty table.

    A column of numbers counts as clicks only if it has such a name, or if no column has a known name: others
    are users, ranks, impressions and the like.

    >>> find_columns([["Suchanfrage", "Seite", "Klicks"], ["blaue Lampe", "https://example.org/a", "3"]])
    LogColumns(address=1, query=0, clicks=2, heading=1)
    >>> find_columns([["7", "lamp", "shop/a.html"], ["2", "red lamp", "shop/b.html"]])
    LogColumns(address=2, query=1, clicks=0, heading=0)
    """
    if not rows:
        return None
    rows = [row[:MAX_COLUMNS] for row in rows]
    named: dict[str, int] = {}
    for at, cell in enumerate(rows[0]):
        meaning = _kind_of(cell)
        if meaning:
            named.setdefault(meaning, at)
    heading = int(bool(named) or _is_heading(rows))
    body = rows[heading:] or rows
    width = max(map(len, body))
    taken = set(named.values())

    def first(pattern: re.Pattern[str]) -> int | None:
        return next((at for at in range(width) if at not in taken and _is_column(body, at, pattern)), None)

    address = named.get("address", first(_ADDRESS))
    taken.add(-1 if address is None else address)
    clicks = named.get("clicks", None if named else first(_NUMBER))
    taken.add(-1 if clicks is None else clicks)
    free = [at for at in range(width) if at not in taken and not _is_column(body, at, _NUMBER)]
    return LogColumns(address, named.get("query", free[0] if free else None), clicks, heading)


def _kind_of(name: str) -> str | None:
    joined = re.sub(r"\W+", "_", name.strip().lower())
    return _KIND_OF.get(joined.strip("_"))


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Return whether a cell of the first row differs from the addresses or numbers below it."""
    return len(rows) > 1 and any(
        _is_column(rows[1:], at, pattern) and not pattern.fullmatch(cell.strip())
        for at, cell in enumerate(rows[0])
        for pattern in (_ADDRESS, _NUMBER)
    )


def _is_column(rows: Sequence[Sequence[str]], at: int, pattern: re.Pattern[str]) -> bool:
    """Return whether at least 90 % of the cells of a column that are not empty match a pattern."""
    column = [row[at].strip() for row in rows if at < len(row)]
    cells = list(filter(None, column))
    matching = list(filter(pattern.fullmatch, cells))
    return bool(cells) and len(matching) >= 0.9 * len(cells)
