"""Whole sites of all kinds with the type, role, title, text, comments and list of each page.

Layout of the folder (`bench` in the data folder): ``<name>.tar.xz`` with the pages, ``<name>.json`` (host,
generator, rules, and ``trust``: the measures for which the truth can be used), ``<name>.types.tsv`` (path,
type, role), ``<name>.truth.jsonl.xz`` (a record for each page) and ``<name>.queries.tsv`` (query, path,
clicks; anchor texts, no search log).

Results are reported for sites that were left out of training. Sites with the same generator and theme family
are left out together (`folds`).
"""

from __future__ import annotations

import json
import lzma
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np

from experiments.datasets.sites import read_site
from webgrain.base.arrays import Int64
from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files, data_folder
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse

_SIMILAR = (
    ("lpinnova", "whisky", "straf"),  # WooCommerce
    ("medbooks", "srt"),  # WordPress with Genesis
    ("oemforum", "tproj", "iufel", "dcpl"),  # Drupal
    ("kyokyo", "r2w"),  # Hexo
)
FAMILIES = {name: names[0] for names in _SIMILAR for name in names}
"""The first site of those with one generator and similar themes, which are in one fold, by each of them."""


@dataclass(frozen=True)
class BenchSite:
    """A site of the bench.

    Attributes:
        name, host, generator, kind: of the site; archive: its pages.
        types: the type of each page by its path; roles: article, index or other.
        queries: the pseudo-queries of the pages that have any, with clicks.
        trust: the measures (types, title, text, list) for which the truth can be used.
    """

    name: str
    host: str
    generator: str
    kind: str
    archive: Path
    types: dict[str, str]
    roles: dict[str, str]
    queries: dict[str, dict[str, int]]
    trust: dict[str, bool]

    def __len__(self) -> int:
        return len(self.types)

    @cached_property
    def truth(self) -> dict[str, dict[str, Any]]:
        """The record of each page by its path: type, role, title, text, comments, records, date, author."""
        with lzma.open(self.archive.with_name(f"{self.name}.truth.jsonl.xz"), "rt", encoding="utf-8") as file:
            return {record["path"]: record for record in map(json.loads, file)}

    def sources(self) -> Iterator[Source]:
        """Yield the pages that have a type; ids are their paths, as in `types`."""
        for name, body in archive_files(self.archive, self.types.__contains__):
            yield Source(name, body)

    def pages(self) -> Iterator[Page]:
        """Yield the same, parsed."""
        yield from map(parse, self.sources())


def path_number(path: str) -> int:
    """Return a number of the path of a page, by which pages are divided; the same in every run.

    >>> path_number("index.html") % 2
    1
    """
    return zlib.crc32(path.encode("utf-8", "surrogatepass"))


def bench_names() -> list[str]:
    """Return the names of all sites; `InputError` if there is none."""
    names = sorted(path.name.removesuffix(".types.tsv") for path in _folder().glob("*.types.tsv"))
    if not names:
        raise InputError(f"There is no bench site (*.types.tsv) in {_folder()}.")
    return names


def read_bench(names: list[str] | None = None) -> Iterator[BenchSite]:
    """Yield the sites with these names, or all."""
    for name in bench_names() if names is None else names:
        labelled = read_site(_folder(), name)
        about = json.loads((_folder() / f"{name}.json").read_text(encoding="utf-8"))
        rows = (_folder() / f"{name}.types.tsv").read_text(encoding="utf-8").split("\n")[1:]
        roles = {row.split("\t")[0]: row.rstrip("\r").split("\t")[2] for row in rows if row}
        yield BenchSite(
            name,
            about["host"],
            about["generator"],
            about["kind"],
            labelled.archive,
            labelled.types,
            roles,
            labelled.queries,
            {key: bool(about["trust"].get(key, 1)) for key in ("types", "title", "text", "list")},
        )


def folds(names: list[str]) -> Int64:
    """Return the fold of each site: every site is one, except for families, which are left out together.

    >>> folds(["lpinnova", "bnn", "whisky"]).tolist()
    [1, 0, 1]
    """
    keys = [FAMILIES.get(name, name) for name in names]
    return np.unique(keys, return_inverse=True)[1].astype(np.int64)


def _folder() -> Path:
    return data_folder() / "bench"
