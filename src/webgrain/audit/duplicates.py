"""Duplicates of an audit: from the signatures in the parts to an index of each site, to pairs, to groups."""

from __future__ import annotations

import json
import time
from collections import defaultdict
from contextlib import contextmanager
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
    each pair.
    """
    found: Clusters = {}
    with open_writer("csv", table, _COLUMNS) as pairs:
        for record in _pairs(indexes, between, engine):
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


@contextmanager
def pairs_by_site(files: Mapping[str, Path]) -> Iterator[Callable[[Record], None]]:
    """Give a function that keeps a pair for the sites of its pages; files: of the sites, by their names.

    >>> import tempfile
    >>> from pathlib import Path
    >>> told = {"verdict": "identical", "similarity": 1.0, "cluster": 0}
    >>> with tempfile.TemporaryDirectory() as name:
    ...     files = {"a.org": Path(name) / "a", "b.org": Path(name) / "b"}
    ...     with pairs_by_site(files) as keep:
    ...         keep({"a": "1", "b": "2", "a_url": "http://a.org/1", "b_url": "http://a.org/2"} | told)
    ...     [[(pair.a, pair.b, pair.verdict) for pair in read_pairs(path)] for path in files.values()]
    [[('1', '2', 'identical')], []]
    """
    known = {storable(site): path for site, path in files.items()}
    for path in known.values():
        path.unlink(missing_ok=True)
    waiting: dict[Path, list[str]] = defaultdict(list)
    count = 0

    def write() -> None:
        for path, lines in waiting.items():
            with path.open("a", encoding="utf-8") as file:
                file.writelines(lines)
        waiting.clear()

    def keep(record: Record) -> None:
        nonlocal count
        line = json.dumps([record[name] for name in ("a", "b", "verdict", "similarity", "cluster")]) + "\n"
        for path in {
            known[site] for site in map(site_at, (record["a_url"], record["b_url"])) if site in known
        }:
            waiting[path].append(line)
        count += 1
        if count % _WAITING == 0:
            write()

    yield keep
    write()


def read_pairs(path: Path) -> Iterator[DuplicateRow]:
    """Yield the pairs that were kept in the file of a site; none where there is none."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield DuplicateRow(*json.loads(line))
