"""Which columns of a table hold addresses, queries and clicks: by their names, or by what is in them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence

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
