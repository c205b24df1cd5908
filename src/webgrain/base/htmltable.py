"""Tables of HTML for notebooks."""

from __future__ import annotations

from html import escape
from typing import Any


def html_table(columns: tuple[str, ...], rows: list[tuple[Any, ...]], most: int = 50) -> str:
    """Return an HTML table for notebooks: at most ``most`` rows, cells shortened to 120 characters.

    >>> html_table(("a",), [("<b>",)])
    '<table><tr><th>a</th></tr><tr><td>&lt;b&gt;</td></tr></table>'
    """
    head = "".join(f"<th>{escape(name)}</th>" for name in columns)
    cells = ["".join(f"<td>{escape(str(cell)[:120])}</td>" for cell in row) for row in rows[:most]]
    more = f"<p>{len(rows) - most} more rows</p>" if len(rows) > most else ""
    return f"<table><tr>{head}</tr>{''.join(f'<tr>{row}</tr>' for row in cells)}</table>{more}"
