"""Stage ``duplicates``: pages with the same content, among all sites of an audit.

The sketches of each site are added to an index, the indexes are searched as one, and each pair is written to
``duplicates.csv`` and to the files of its sites, which their reports read.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path

from webgrain.base.failures import Failure
from webgrain.duplicates.index import DuplicateIndex, storable
from webgrain.duplicates.sketches import PageText
from webgrain.engines import Engine
from webgrain.io.write import Record, open_writer
from webgrain.report.site import DuplicateRow
from webgrain.site.auditrun import AuditRun, PageClusters
from webgrain.site.duplicates import duplicates_in_parts, duplicates_of, read_sketches, text_differences
from webgrain.site.tables import batches
from webgrain.site.thresholds import COMPARED_PAIRS, WAITING_PAIRS
from webgrain.site.workspace import SiteFiles, host_site

PAIR_COLUMNS = (
    "a",
    "b",
    "verdict",
    "similarity",
    "a_in_b",
    "b_in_a",
    "a_specific",
    "b_specific",
    "a_url",
    "b_url",
    "cluster",
    "representative",
)
"""Columns of ``duplicates.csv``; the other fields of a record belong to ``webgrain dupes``."""


def find_duplicate_pages(run: AuditRun) -> None:
    """Write the index of each site and the pairs of all sites, and keep the clusters."""
    for site, seconds in run.engine.map(build_index, run.sites):
        if isinstance(seconds, Failure):
            seconds = build_index(site)
        run.workspace.add_time("", "duplicates", seconds)
        run.progress("duplicates", 1, len(run.sites))
    start = time.process_time()
    table = run.workspace.folder / "duplicates.csv"
    run.clusters = find_clusters(run.sites, table, run.workspace.work / "pairs", run.engine)
    run.workspace.add_time("", "duplicates", time.process_time() - start)


def build_index(site: SiteFiles) -> float:
    """Add the sketches of a site's parts to its index; return the seconds of CPU time.

    Pages that are already in the index are not added again.
    """
    start = time.process_time()
    with DuplicateIndex(site.index) as index:
        for part in site.parts:
            for name, url, sketch in read_sketches(part):
                index.add_sketch(name, url, sketch)
    return time.process_time() - start


def find_clusters(sites: Sequence[SiteFiles], table: Path, between: Path, engine: Engine) -> PageClusters:
    """Write the pairs of duplicates to a CSV table and to the files of their sites; return their clusters.

    between: folder for the tasks of a search in several indexes. Clusters are numbered from 1, in the order
    of their first pairs.
    """
    clusters: PageClusters = {}
    numbers: dict[int, int] = {}
    files = {storable(site.site): site.pairs for site in sites}
    for path in files.values():
        path.unlink(missing_ok=True)

    def written_pairs() -> Iterator[tuple[Path, str]]:
        """Write each pair to the table; yield the files of its sites, and its line there."""
        for record in _pairs([site.index for site in sites], between, engine):
            pair = {name: record[name] for name in PAIR_COLUMNS}
            if pair["cluster"] is not None:
                pair["cluster"] = numbers.setdefault(pair["cluster"], len(numbers) + 1)
                cluster = pair["cluster"], pair["representative"]
                clusters[pair["a"]] = cluster
                clusters[pair["b"]] = cluster
            pairs.write(pair)
            hosts = {host_site(pair["a_url"]), host_site(pair["b_url"])}
            for site in sorted(hosts & files.keys()):
                yield files[site], _pair_line(pair)

    with open_writer("csv", table, PAIR_COLUMNS) as pairs:
        for waiting in batches(written_pairs(), WAITING_PAIRS):
            _append_lines(waiting)
    return clusters


def _pairs(indexes: Sequence[Path], between: Path, engine: Engine) -> Iterator[Record]:
    """Yield the records of the pairs in the indexes of all sites."""
    if len(indexes) == 1:
        with DuplicateIndex(indexes[0], read_only=True) as index:
            yield from duplicates_of(index)
    elif indexes:
        between.mkdir(exist_ok=True)
        yield from duplicates_in_parts(indexes, between, engine)


def _append_lines(lines: Iterable[tuple[Path, str]]) -> None:
    """Append lines to files; the files of many sites cannot be open at a time."""
    lines_of = defaultdict[Path, list[str]](list)
    for path, line in lines:
        lines_of[path].append(line)
    for path, new in lines_of.items():
        with path.open("a", encoding="utf-8") as file:
            file.writelines(new)


def _pair_line(pair: Record) -> str:
    """Return the line of a pair in the file of a site: the first fields of a `DuplicateRow`."""
    return json.dumps([pair[name] for name in ("a", "b", "verdict", "similarity", "cluster")]) + "\n"


def read_pairs(path: Path) -> Iterator[DuplicateRow]:
    """Yield the pairs in the file of a site; none if the file does not exist."""
    if path.exists():
        with path.open(encoding="utf-8") as file:
            for line in file:
                yield DuplicateRow(*json.loads(line))


def with_differences(pairs: Iterable[DuplicateRow], texts: Iterable[tuple[str, str]]) -> list[DuplicateRow]:
    """Return pairs with the text that only one page has, of the first `COMPARED_PAIRS` pairs of clusters.

    texts: id and text of all pages.

    >>> pairs = [DuplicateRow("a", "b", "near-duplicate", 0.9, cluster=1)]
    >>> text = "The storm lantern burns for two days and nights with one filling of oil"
    >>> [row] = with_differences(pairs, [("a", f"{text}. It is out of stock."), ("b", text)])
    >>> row.a_only, row.b_only
    ('It is out of stock.', '')
    """
    rows = list(pairs)
    in_clusters = [number for number, row in enumerate(rows) if row.cluster is not None]
    compared = in_clusters[:COMPARED_PAIRS]
    wanted = {page for number in compared for page in (rows[number].a, rows[number].b)}
    known = {page: PageText(page, text) for page, text in texts if page in wanted}
    for number in compared:
        row = rows[number]
        differences = text_differences(row.verdict, known.get(row.a), known.get(row.b))
        rows[number] = replace(row, **differences)
    return rows
