"""Which columns of a table hold addresses, queries and clicks: by their names, or by what is in them.

The rows of search logs: addresses, queries and clicks, from tables, JSON and the logs of web servers.

Search logs: which queries led to which pages, from the files that people have.

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
import json
import re
import zipfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import Any, TextIO
from urllib.parse import parse_qs, urlsplit

from webgrain.errors import InputError, ParameterError
from webgrain.io.local import open_regular
from webgrain.page.links import addresses, canonical
from webgrain.page.page import Page
from webgrain.page.strings import words_of

_ADDRESS = re.compile(
    r"(?:https?://\S+|/?[\w.~%+-]+(?:/[\w.~%+-]*)+|/|[\w.~%+-]+\.(?:html?|php|aspx?))(?:\?\S*)?"
)
_NUMBER = re.compile(r"\d{1,3}(?:[., \u00a0\u202f]\d{3})*|\d+(?:\.0+)?")

_NAMES = {
    "address": "url page pages path address landing_page top_pages link seite seiten página páginas pagina "
    "pagine strona страница ページ 网页 網頁 페이지",
    "query": "query queries search_query search_term search_terms keyword keywords top_queries suchanfrage "
    "suchanfragen consulta consultas requête requêtes zapytanie zapytania запрос запросы クエリ 查询 검색어",
    "clicks": "clicks click klicks clics clic cliques clicks_total kliknięcia клики クリック数 点击次数 點擊",
}
"""Names of columns in the languages of the exports, in lower case with ``_`` between words."""

_KIND_OF = {name: kind for kind, names in _NAMES.items() for name in names.split()}


@dataclass(frozen=True, slots=True)
class Columns:
    """Numbers of the columns of a table; None: it has no such column.

    heading: how many rows at its head are names.
    """

    address: int | None
    query: int | None
    clicks: int | None
    heading: int
    is_queries: bool = False

    def row(self, cells: Sequence[str]) -> tuple[str, str, int]:
        """Return address, query and clicks of a row."""
        address, query, clicks = (
            cells[at] if at is not None and at < len(cells) else ""
            for at in (self.address, self.query, self.clicks)
        )
        digits = re.sub(r"\.0+$|\D", "", clicks)[:12]
        return address, query, int(digits or 0)


def find_columns(rows: Sequence[Sequence[str]]) -> Columns | None:
    """Tell the columns of a table from its first rows; None for an empty one.

    >>> find_columns([["Suchanfrage", "Seite", "Klicks"], ["blaue Lampe", "https://example.org/a", "3"]])
    Columns(address=1, query=0, clicks=2, heading=1, is_queries=True)
    >>> find_columns([["7", "lamp", "shop/a.html"], ["2", "red lamp", "shop/b.html"]])
    Columns(address=2, query=1, clicks=0, heading=0, is_queries=True)
    """
    if not rows:
        return None
    names = [re.sub(r"\W+", "_", cell.strip().lower()).strip("_") for cell in rows[0]]
    named = {_KIND_OF[name]: at for at, name in reversed(list(enumerate(names))) if name in _KIND_OF}
    heading = int(bool(named) or _is_heading(rows))
    body = rows[heading:] or rows
    width = max(map(len, body))
    address = named.get("address", _first(body, width, _ADDRESS, set(named.values())))
    taken = {*named.values(), *({address} if address is not None else ())}
    clicks = named.get("clicks", _first(body, width, _NUMBER, taken))
    free = [at for at in range(width) if at not in {*taken, clicks} and not _all(body, at, _NUMBER)]
    query = named.get("query", free[0] if free else None)
    return Columns(address, query, clicks, heading, query is not None)


def _is_heading(rows: Sequence[Sequence[str]]) -> bool:
    """Tell whether the first row is of names: it differs from a column of addresses or numbers below it."""
    if len(rows) < 2:
        return False
    kinds = (_ADDRESS, _NUMBER)
    return any(
        _all(rows[1:], at, kind) and not kind.fullmatch(cell.strip())
        for at, cell in enumerate(rows[0])
        for kind in kinds
    )


def _first(rows: Sequence[Sequence[str]], width: int, kind: re.Pattern[str], taken: set[int]) -> int | None:
    return next((at for at in range(width) if at not in taken and _all(rows, at, kind)), None)


def _all(rows: Sequence[Sequence[str]], at: int, kind: re.Pattern[str]) -> bool:
    """Tell whether nearly all cells of a column that hold anything are of a kind."""
    cells = [row[at].strip() for row in rows if at < len(row) and row[at].strip()]
    return bool(cells) and sum(bool(kind.fullmatch(cell)) for cell in cells) >= 0.9 * len(cells)


MAX_JSON = 2**28
"""Bytes of a JSON document, which is read as a whole."""

MAX_FIELD = 2**17

_COMBINED = re.compile(
    r'\S+ \S+ \S+ \[[^\]]*\] "(?:GET|HEAD) (?P<path>\S+)[^"]*" (?P<status>\d{3}) \S+ "(?P<from>[^"]*)"'
)
_SEARCHES = ("q", "query", "search", "s", "p", "text", "wd", "keyword", "keywords", "term")

Row = tuple[str, str, int]
"""An address, a query, its clicks."""


def table_of(text: TextIO) -> tuple[Iterator[list[str]], Columns | None]:
    r"""Return the rows of a table, and which of its columns hold what.

    >>> import io
    >>> rows, columns = table_of(io.StringIO("page,query,clicks\n/a.html,lamp,2\n"))
    >>> [columns.row(row) for row in rows]
    [('/a.html', 'lamp', 2)]
    """
    csv.field_size_limit(MAX_FIELD)
    first = text.readline()
    mark = max("\t,;", key=first.count)
    # In tables with tabs, quotes are data.
    plain: dict[str, Any] = {"quoting": csv.QUOTE_NONE} if mark == "\t" else {}
    found = csv.reader(chain([first.removeprefix("\ufeff")], text), delimiter=mark, **plain)
    rows = (row for row in found if any(map(str.strip, row)))
    seen = [row for _, row in zip(range(50), rows, strict=False)]
    columns = find_columns(seen)
    return chain(seen[columns.heading :] if columns else [], rows), columns


def json_rows(text: TextIO) -> Iterator[Row]:
    """Yield the rows of an answer of the Search Console API, or of several as JSON lines.

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
        yield from map(_api_row, _api_rows(document))


def _api_rows(document: Any) -> list[Any]:
    if isinstance(document, dict):
        rows = document.get("rows", [document] if "keys" in document or "query" in document else [])
    else:
        rows = document
    if not isinstance(rows, list):
        raise ValueError("expected rows, each with keys and clicks")
    return rows


def _api_row(row: Any) -> Row:
    """Return a row; the order of ``keys`` is that in which dimensions were asked for, so it is looked at."""
    if not isinstance(row, dict):
        raise ValueError(f"expected a row with keys and clicks, got {row!r:.80}")
    keys = [str(key) for key in row.get("keys") or []]
    address = str(row.get("page") or row.get("url") or next(filter(is_address, keys), ""))
    query = str(row.get("query") or next((key for key in keys if not is_address(key)), ""))
    return address, query, _clicks(row.get("clicks"))


def is_address(text: str) -> bool:
    """Tell whether a text is the address of a page, with its host."""
    return text.startswith(("http://", "https://"))


def is_server_log(line: str) -> bool:
    """Tell whether a line is of the log of a web server, in the combined format."""
    return _COMBINED.match(line) is not None


def server_rows(text: TextIO) -> Iterator[Row]:
    """Yield an address and the search in the page before it: of a search engine, or of the site itself."""
    for line in text:
        found = _COMBINED.match(line[:MAX_FIELD])
        if found is None or found["status"] not in ("200", "304"):
            continue
        try:
            asked = parse_qs(urlsplit(found["from"]).query, max_num_fields=50)
        except ValueError:
            continue
        query = next((asked[name][0] for name in _SEARCHES if name in asked), "")
        if query:
            yield found["path"], query, 1


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
    >>> from webgrain.page.parsing import parse
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
    _ids: dict[str, str] = field(default_factory=dict)
    _found: set[str] = field(default_factory=set)
    _apart: Counter[str] = field(default_factory=Counter)

    @property
    def matched(self) -> int:
        """How many rows are of pages that were asked for."""
        return sum(self._rows_of[address] for address in self._found)

    def add(self, address: str, query: str, clicks: int, *, is_id: bool = False) -> None:
        """Count one row; a row without a query (anonymised) or an address is unused.

        is_id: the address may also be the id of a page.
        """
        self.rows += 1
        key, query = _key(address) or (address if is_id else ""), " ".join(query.split())
        if is_id:
            self._ids[address] = key
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
        keys = [key for address in addresses(page) for key in self._keys(address)]
        known = [key for key in (self._ids.get(page.id, ""), *keys) if key in self._queries]
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


def read_queries(value: object) -> SearchLog:
    """Return the search log of a file, a table or a mapping.

    value: a path of one of the files above; a pandas, polars or pyarrow table with a column ``page`` (or
    ``url``), a column ``query`` and optionally a column ``clicks``; a mapping from page ids or URLs to their
    queries, each a mapping from queries to clicks or a list of queries; or a `SearchLog`, returned unchanged.

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
        return _filled("mapping", _mapping_rows(value), is_id=True)
    names = getattr(value, "column_names", getattr(value, "columns", None))
    if names is None:
        raise ParameterError(
            "queries must be a path, a table (pandas, polars, pyarrow) with the columns page and query, or a "
            f"mapping from page ids to queries, got {type(value).__name__}."
        )
    return _filled("table", _table_rows(value, [str(name) for name in names]), is_id=True)


def _mapping_rows(value: Mapping[Any, Any]) -> Iterator[Row]:
    for page, queries in value.items():
        if not isinstance(page, str) or not isinstance(queries, Mapping | list | tuple | set | frozenset):
            raise ParameterError(
                "queries must map page ids to queries, for example {'a.html': {'blue lamp': 3}}, "
                f"got {page!r:.40}: {queries!r:.40}."
            )
        for query in queries:
            yield page, str(query), _clicks(queries[query] if isinstance(queries, Mapping) else 1)


def _table_rows(table: Any, names: Sequence[str]) -> Iterator[Row]:
    kinds = {_KIND_OF.get(re.sub(r"\W+", "_", name.strip().lower())): name for name in reversed(names)}
    if "address" not in kinds or "query" not in kinds:
        raise ParameterError(
            "queries must be a table with a column page (or url) and a column query, "
            f"got the columns {', '.join(names)!r:.80}."
        )
    values = {kind: _values(table[name]) for kind, name in kinds.items() if kind}
    clicks = values.get("clicks", [1] * len(values["query"]))
    for page, query, count in zip(values["address"], values["query"], clicks, strict=True):
        # A missing value is None, NaN or pandas.NA.
        yield _cell_text(page), _cell_text(query), _clicks(count)


def _cell_text(value: Any) -> str:
    return str(value) if isinstance(value, str | int) else ""


def _values(column: Any) -> list[Any]:
    convert = getattr(column, "to_pylist", None) or column.to_list
    values: list[Any] = convert()
    return values


def _clicks(value: Any) -> int:
    try:
        return int(float(value or 0))
    except (TypeError, ValueError, OverflowError):
        return 0


def _read_file(path: Path) -> SearchLog:
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


def _filled(kind: str, rows: Iterable[Row], *, is_id: bool = False) -> SearchLog:
    log = SearchLog(kind)
    for row in rows:
        log.add(*row, is_id=is_id)
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
