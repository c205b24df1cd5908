"""The rows of search logs: addresses, queries and clicks, from tables, JSON and the logs of web servers."""

from __future__ import annotations

import csv
import json
import re
from itertools import chain
from typing import TYPE_CHECKING, Any, TextIO
from urllib.parse import parse_qs, urlsplit

from webgrain.io.logcolumns import Columns, find_columns

if TYPE_CHECKING:
    from collections.abc import Iterator

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
    try:
        clicks = int(float(row.get("clicks") or 0))
    except (TypeError, ValueError, OverflowError):
        clicks = 0
    return address, query, clicks


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
