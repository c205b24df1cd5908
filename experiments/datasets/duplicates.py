"""Pairs of pages that are duplicates or different: three sets with archives of pages and a table of pairs.

Layout: ``pairs.tsv`` (set, path_a, path_b, label, byte_identical, full_text_jaccard6) and ``<set>.tar.xz``
with the pages, paths beginning with the name of the set. For the set ``grafted``, whose pairing is synthetic
(true article bodies in frames of three sites), ``grafted.pages.tsv`` names the article of each page and
``grafted.articles.jsonl.xz`` its length class.
"""

from __future__ import annotations

import csv
import json
import lzma
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files
from webgrain.page.page import Source

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SETS = ("libreoffice-help", "installation-guide", "grafted")
"""Names of the sets."""


@dataclass(frozen=True, slots=True)
class LabelledPair:
    """Two pages by their paths, whether they are duplicates, and of what kind.

    kind: of a duplicate in ``grafted`` the length class of its article (complete-short, lead, complete-long);
    of a different pair there the site of both pages; else empty.
    """

    a: str
    b: str
    duplicate: bool
    kind: str = ""


def load_pairs(folder: Path, name: str) -> list[LabelledPair]:
    """Return the pairs of one set, in the order of the table.

    `InputError` where the folder does not hold the data.

    >>> from pathlib import Path
    >>> load_pairs(Path("nowhere"), "grafted")
    Traceback (most recent call last):
    webgrain.base.errors.InputError: There are no pairs at nowhere/pairs.tsv.
    """
    table = folder / "pairs.tsv"
    if not table.exists():
        raise InputError(f"There are no pairs at {table}.")
    kinds = _kinds(folder) if name == "grafted" else {}
    pairs = []
    for row in _rows(table):
        if row["set"] == name:
            duplicate = row["label"] == "duplicate"
            site, length = kinds.get(row["path_a"], ("", ""))
            pairs.append(LabelledPair(row["path_a"], row["path_b"], duplicate, length if duplicate else site))
    return pairs


def read_pages(folder: Path, name: str) -> Iterator[Source]:
    """Go through the pages of one set; the id of a page is its path."""
    for path, body in archive_files(folder / f"{name}.tar.xz", lambda path: path.endswith(".html")):
        yield Source(path, body)


def _kinds(folder: Path) -> dict[str, tuple[str, str]]:
    """Return site and length class of each page of ``grafted``."""
    with lzma.open(folder / "grafted.articles.jsonl.xz", "rt", encoding="utf-8") as lines:
        length = {article["id"]: article["length_class"] for article in map(json.loads, lines)}
    return {
        row["path"]: (row["frame_site"], length[row["article"]])
        for row in _rows(folder / "grafted.pages.tsv")
    }


def _rows(path: Path) -> Iterator[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as lines:
        yield from csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
