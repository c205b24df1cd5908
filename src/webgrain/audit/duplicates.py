"""Duplicates of an audit: from the signatures in the parts to an index of each site, to pairs, to groups."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain.audit.intake import site_at
from webgrain.audit.tables import read_signed
from webgrain.dedup.documents import storable
from webgrain.dedup.index import DuplicateIndex
from webgrain.duplicates import duplicates_in_parts, duplicates_of
from webgrain.io.write import open_writer
from webgrain.report.site import DuplicateRow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from pathlib import Path

    from webgrain.duplicates import Record
    from webgrain.run.engine import Engine

Clusters = dict[str, tuple[int, str]]
"""The number of its group and the first page of that, by the id of a page."""

_WAITING = 50_000
"""Pairs that wait to be written, at most: so the files of any number of sites need not be open together."""

_COLUMNS = (
    *("a", "b", "verdict", "similarity", "page_similarity", "content_similarity", "frame_similarity"),
    *("a_url", "b_url", "cluster", "representative"),
)
"""Of the table of pairs: all but what only the index of ``webgrain dupes`` knows."""


@dataclass(frozen=True, slots=True)
class Index:
    """Parts whose signatures go into an index, and the file of that."""

    parts: tuple[Path, ...]
    index: Path


def index(task: Index) -> float:
    """Put the signatures of parts into an index; return the seconds that took.

    Pages that are in it already are not added again.
    """
    start = time.process_time()
    with DuplicateIndex(task.index) as signatures:
        for part in task.parts:
            for document, signed in read_signed(part):
                signatures.add_signed(document, signed)
        signatures.commit()
    return time.process_time() - start


def find_clusters(
    indexes: Sequence[Path],
    table: Path,
    between: Path,
    engine: Engine,
    keep: Callable[[Record], object] = lambda record: None,
) -> Clusters:
    """Write the pairs of pages that say the same to a CSV table, and return the groups that they make.

    indexes: of all sites; between: folder for what is between, where there are several; keep: called with
    each pair. Groups are numbered from 1, in the order of their first pairs.
    """
    found: Clusters = {}
    numbers: dict[int, int] = {}
    with open_writer("csv", table, _COLUMNS) as pairs:
        for record in _pairs(indexes, between, engine):
            if record["cluster"] is not None:
                record["cluster"] = numbers.setdefault(record["cluster"], len(numbers) + 1)
            pairs.write({name: record[name] for name in _COLUMNS})
            keep(record)
            if record["cluster"] is not None:
                of = record["cluster"], record["representative"]
                found[record["a"]] = found[record["b"]] = of
    return found


def _pairs(indexes: Sequence[Path], between: Path, engine: Engine) -> Iterator[Record]:
    if len(indexes) == 1:
        with DuplicateIndex(indexes[0], read_only=True) as signatures:
            yield from duplicates_of(signatures)
    elif indexes:
        between.mkdir(exist_ok=True)
        yield from duplicates_in_parts(indexes, between, engine)


class PairsBySite:
    """Keeps pairs for the sites of their pages, until its end; files: of the sites, by their names.

    >>> import tempfile
    >>> from pathlib import Path
    >>> told = {"verdict": "identical", "similarity": 1.0, "cluster": 0}
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = {"a.org": Path(name) / "a", "b.org": Path(name) / "b"}
    ...     with PairsBySite(files) as pairs:
    ...         pairs.keep({"a": "1", "b": "2", "a_url": "http://a.org/1", "b_url": "http://a.org/2"} | told)
    ...     [[(pair.a, pair.b, pair.verdict) for pair in read_pairs(path)] for path in files.values()]
    [[('1', '2', 'identical')], []]
    """

    def __init__(self, files: Mapping[str, Path]) -> None:
        self._files = {storable(site): path for site, path in files.items()}
        self._lines: dict[Path, list[str]] = defaultdict(list)
        self._waiting = 0

    def __enter__(self) -> PairsBySite:
        """Begin with empty files."""
        for path in self._files.values():
            path.unlink(missing_ok=True)
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        """Write what waits, unless there was an error."""
        if kind is None:
            self._write()

    def keep(self, record: Record) -> None:
        """Keep a pair."""
        line = json.dumps([record[name] for name in ("a", "b", "verdict", "similarity", "cluster")]) + "\n"
        sites = {site_at(record["a_url"]), site_at(record["b_url"])}
        for site in sites & self._files.keys():
            self._lines[self._files[site]].append(line)
        self._waiting += 1
        if self._waiting == _WAITING:
            self._write()

    def _write(self) -> None:
        for path, lines in self._lines.items():
            with path.open("a", encoding="utf-8") as file:
                file.writelines(lines)
        self._lines.clear()
        self._waiting = 0


def read_pairs(path: Path) -> Iterator[DuplicateRow]:
    """Yield the pairs that were kept in the file of a site; none where there is none."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield DuplicateRow(*json.loads(line))
