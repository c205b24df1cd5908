"""Whole sites with the type of each page, and a pseudo search log made of anchor texts.

Layout of the folder: ``<name>.tar.xz`` with the pages, ``<name>.types.tsv`` (path, type),
``<name>.queries.tsv`` (query, path, clicks). The logs are no search logs: results on them must state that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from webgrain.base.errors import InputError
from webgrain.evaluation.datasets import archive_files
from webgrain.page.page import Source
from webgrain.page.parsing import parse

if TYPE_CHECKING:
    from collections.abc import Iterator

    from webgrain.page.page import Page


@dataclass(frozen=True, slots=True)
class LabelledSite:
    """A site: the type of each page by its id, and the pseudo-queries with their clicks.

    Attributes:
        name: of the site; archive: its pages.
        types: of each page; queries: of those that have any.
    """

    name: str
    archive: Path
    types: dict[str, str]
    queries: dict[str, dict[str, int]]

    def __len__(self) -> int:
        return len(self.types)

    def pages(self) -> Iterator[Page]:
        """Yield the pages that have a type, in the order of the archive."""
        yield from map(parse, self.sources())

    def sources(self) -> Iterator[Source]:
        """Yield the same as bytes; `InputError` where the archive cannot be read."""
        for name, body in archive_files(self.archive, self.types.__contains__):
            yield Source(name, body)


def read_sites(folder: Path) -> list[LabelledSite]:
    """Read all sites of a folder, by name; `InputError` where there is none."""
    names = sorted(path.name.removesuffix(".types.tsv") for path in folder.glob("*.types.tsv"))
    if not names:
        raise InputError(f"There is no labelled site (*.types.tsv) in {folder}.")
    return [read_site(folder, name) for name in names]


def read_site(folder: Path, name: str) -> LabelledSite:
    r"""Read one site; its pages are read when they are asked for.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = (Path(folder) / "a.types.tsv").write_text("path\ttype\nx.html\tpost\n")
    ...     _ = (Path(folder) / "a.queries.tsv").write_text("query\tpath\tclicks\nlamp\tx.html\t3\n")
    ...     site = read_site(Path(folder), "a")
    >>> site.types, site.queries
    ({'x.html': 'post'}, {'x.html': {'lamp': 3}})
    """
    types = {path: kind for path, kind, *_ in _rows(folder / f"{name}.types.tsv")}
    queries: dict[str, dict[str, int]] = {}
    for query, path, clicks in _rows(folder / f"{name}.queries.tsv"):
        own = queries.setdefault(path, {})
        own[query] = own.get(query, 0) + int(clicks)
    return LabelledSite(name, folder / f"{name}.tar.xz", types, queries)


def _rows(path: Path) -> list[list[str]]:
    """Return the rows of a table below its heading: tabs between, and no quoting."""
    try:
        lines = path.read_text(encoding="utf-8").split("\n")
    except OSError as error:
        raise InputError(f"{path} cannot be read: {error.strerror}.") from error
    return [line.rstrip("\r").split("\t") for line in lines[1:] if line]
