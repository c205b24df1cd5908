"""Write the figures of result files into the manual; ``--check`` only checks whether they are up to date.

A table is between ``<!-- table: gcuts/figure-2 -->`` and ``<!-- end of table -->``: the file
experiments/results/gcuts.json and the name of a table in it. The data and the command of a file are between
``<!-- data: gcuts -->`` and ``<!-- end of data -->``. A single figure has a comment behind it with the table,
the first cell of the row, and the column: ``.60<!-- gcuts/figure-2: GCuts: ARI -->``; it keeps its number of
digits and its percent sign. All pages of the manual and the README may have such figures.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT))

from experiments.results import FIGURE, read_results  # noqa: E402 - after the path is set

PAGES = ("README.md", "docs/**/*.md")
_PART = re.compile(r"(<!-- (table|data): ([\w-]+)(?:/([\w-]+))? -->\n).*?(<!-- end of \2 -->)", re.DOTALL)


def with_results(text: str) -> str:
    """Return the text of a page with the tables of the result files.

    >>> with_results("<!-- table: none/figure --> has no end")
    '<!-- table: none/figure --> has no end'
    """
    return FIGURE.sub(_figure, _PART.sub(_part, text))


def _part(found: re.Match[str]) -> str:
    begin, kind, name, key, end = found.groups()
    results = read_results(name)
    if kind == "data":
        shown = f"{results['data']} Command: `{results['command']}`.\n"
    else:
        shown = markdown(results["tables"][key])
    return f"{begin}{shown}{end}"


def _figure(found: re.Match[str]) -> str:
    table = read_results(found["name"])["tables"][found["key"]]
    [row] = [row for row in table["rows"] if row[0] == found["row"]]
    value = float(row[table["columns"].index(found["column"])])
    return (
        like(100 * value if found["percent"] else value, found["number"]) + found[0][len(found["number"]) :]
    )


def like(value: float, number: str) -> str:
    """Return a value with as many digits as a number, and with a zero before the point if that has one.

    >>> like(0.1694, ".2"), like(0.1694, "0.20"), like(16.94, "1")
    ('.2', '0.17', '17')
    """
    text = f"{value:.{len(number.partition('.')[2])}f}"
    return re.sub(r"^(-?)0\.", r"\1.", text) if number.lstrip("-").startswith(".") else text


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
    """Write the pages, or compare them."""
    paths = sorted(path for pattern in PAGES for path in ROOT.glob(pattern) if "_build" not in path.parts)
    old = {path: path.read_text(encoding="utf-8") for path in paths}
    new = {path: with_results(text) for path, text in old.items()}
    changed = [path for path in paths if new[path] != old[path]]
    if "--check" in sys.argv and changed:
        names = ", ".join(path.name for path in changed)
        sys.exit(f"The result files have other figures than {names}: run docs/make_agreement.py")
    for path in changed:
        path.write_text(new[path], encoding="utf-8")


if __name__ == "__main__":
    main()
