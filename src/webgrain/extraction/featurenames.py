"""The names of the features that are listed in a table beside this module, by group."""

from __future__ import annotations

from csv import DictReader
from pathlib import Path


def names_by_group(table: str) -> dict[str, list[str]]:
    """Return the names of the features of each group, both in the order of a table.

    table: a file with the columns ``group`` and ``name``, in the folder of this module.

    >>> names_by_group("site.csv")["site"][:2]
    ['pages', 'text']
    """
    names: dict[str, list[str]] = {}
    with Path(__file__).with_name(table).open(encoding="utf-8", newline="") as file:
        for row in DictReader(file):
            names.setdefault(row["group"], []).append(row["name"])
    return names
