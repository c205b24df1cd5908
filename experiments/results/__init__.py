"""Results of experiments: one JSON file for each paper, and for each experiment that the README quotes.

    {"data": "what was measured", "command": "how",
     "tables": {"figure-2": {"columns": [...], "rows": [[...], ...]}}}

Cells are texts, whole numbers, numbers with a decimal point (shown with three digits) and null. The manual
and the README show the tables and single figures; docs/make_agreement.py writes them there, and `make lint`
compares them.
"""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from webgrain.base.errors import WebgrainError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

FOLDER = Path(__file__).parent

FIGURE = re.compile(
    r"(?P<number>-?[0-9]*\.?[0-9]+)(?P<percent> ?%)?(?P<stars>\**)"
    r"<!-- (?P<name>[\w-]+)/(?P<key>[\w-]+): (?P<row>[^:>]+): (?P<column>[^>]+?) -->"
)
"""A figure of a page with its result file, table, row and column."""


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]]) -> dict[str, Any]:
    """Return one table of a result file; numbers are rounded to four significant digits."""
    cells = [[float(f"{cell:.4g}") if isinstance(cell, float) else cell for cell in row] for row in rows]
    return {"columns": list(columns), "rows": cells}


def write_results(name: str, data: str, command: str, tables: Mapping[str, Any]) -> Path:
    """Write a result file, a row of a table per line; return its path."""
    path = FOLDER / f"{name}.json"
    shown = []
    for key, one in tables.items():
        rows = ",\n    ".join(json.dumps(row, ensure_ascii=False) for row in one["rows"])
        columns = json.dumps(one["columns"], ensure_ascii=False)
        shown.append(f'  {json.dumps(key)}: {{"columns": {columns}, "rows": [\n    {rows}]}}')
    head = f'"data": {json.dumps(data)},\n "command": {json.dumps(command)}'
    body = ",\n".join(shown)
    path.write_text(f'{{{head},\n "tables": {{\n{body}\n}}}}\n', encoding="utf-8")
    return path


def read_results(name: str) -> dict[str, Any]:
    """Return the content of the result file of a paper."""
    content: dict[str, Any] = json.loads((FOLDER / f"{name}.json").read_text(encoding="utf-8"))
    return content


def run(main: Callable[[], str | None]) -> None:
    """Run an experiment; exit with a sentence if the data or an optional library are missing."""
    try:
        sys.exit(main())
    except WebgrainError as error:
        sys.exit(f"{error} WEBGRAIN_DATA names the folder of the data sets; see `webgrain data`.")
