"""Duplicates of an audit: from the signatures in the parts to an index of each site, to pairs, to groups."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from webgrain.audit.tables import read_signed
from webgrain.dedup.index import DuplicateIndex
from webgrain.duplicates import duplicates_in_parts, duplicates_of
from webgrain.io.write import open_writer

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from webgrain.duplicates import Record
    from webgrain.run.engine import Engine

Clusters = dict[str, tuple[int, str]]
"""The number of its group and the first page of that, by the id of a page."""

_LEFT_OUT = ("a_content", "b_content", "a_older")
"""What only the index of ``webgrain dupes`` knows."""


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


def find_clusters(indexes: Sequence[Path], table: Path, between: Path, engine: Engine) -> Clusters:
    """Write the pairs of pages that say the same to a CSV table, and return the groups that they make.

    indexes: of all sites; between: folder for what is between, where there are several.
    """
    found: Clusters = {}
    with open_writer("csv", table) as pairs:
        for record in _pairs(indexes, between, engine):
            pairs.write({name: value for name, value in record.items() if name not in _LEFT_OUT})
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
