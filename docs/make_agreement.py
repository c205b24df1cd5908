"""Write the tables of result files into docs/agreement.md; ``--check`` only says whether they are up to date.

A table is between ``<!-- table: gcuts/figure-2 -->`` and ``<!-- end of table -->``: the file
experiments/results/gcuts.json and the name of a table in it. The data and the command of a file are between
``<!-- data: gcuts -->`` and ``<!-- end of data -->``.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from experiments.results import read_results  # noqa: E402 - after the path is set

TARGET = ROOT / "docs" / "agreement.md"
_PART = re.compile(r"(<!-- (table|data): ([\w-]+)(?:/([\w-]+))? -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def with_results(text: str) -> str:
    """Return the text of a page with the tables of the result files.

    >>> with_results("<!-- table: none/figure --> has no end")
    '<!-- table: none/figure --> has no end'
    """
    return _PART.sub(_part, text)


def _part(found: re.Match[str]) -> str:
    begin, kind, name, key, end = found.groups()
    results = read_results(name)
    if kind == "data":
        shown = f"{results['data']} Command: `{results['command']}`.\n"
    else:
        shown = markdown(results["tables"][key])
    return f"{begin}{shown}{end}"


def markdown(table: dict[str, Any]) -> str:
    """Return a table as Markdown.

    >>> print(markdown({"columns": ["a", "b"], "rows": [["x", 0.5], ["y", None]]}), end="")
    | a | b |
    |---|---|
    | x | .500 |
    | y |  |
    """
    rows = [table["columns"], ["---"] * len(table["columns"]), *table["rows"]]
    lines = ["| " + " | ".join(map(cell, row)) + " |" for row in rows]
    lines[1] = "|" + "---|" * len(table["columns"])
    return "\n".join(lines) + "\n"


def cell(value: Any) -> str:
    """Return a cell: numbers with a decimal point have three digits, and no zero before the point."""
    if isinstance(value, float):
        return re.sub(r"^(-?)0\.", r"\1.", f"{value:.3f}") if abs(value) < 10 else f"{value:.1f}"
    return "" if value is None else str(value)


def main() -> None:
    """Write the page, or compare it."""
    text = TARGET.read_text(encoding="utf-8")
    if "--check" not in sys.argv:
        TARGET.write_text(with_results(text), encoding="utf-8")
    elif with_results(text) != text:
        sys.exit(f"{TARGET.name} differs from the result files: run docs/make_agreement.py")


if __name__ == "__main__":
    main()
