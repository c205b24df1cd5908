"""Stage ``read``: the pages of the input are sorted by site and written to shards.

Pages wait in memory until there are `WAITING_PAGES`, then they are written to shards, and a line of the
journal records the number of items that were read. An interrupted run resumes after the last line; shards
that the journal does not contain are removed.
"""

from __future__ import annotations

import json
import os
import time
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from itertools import chain
from pathlib import Path
from typing import Any, BinaryIO

from webgrain.base.errors import writing
from webgrain.base.failures import Failure
from webgrain.io.read import Item
from webgrain.page.page import Page, Source
from webgrain.site import thresholds
from webgrain.site.auditrun import AuditRun
from webgrain.site.shards import item_bytes, shard_size, write_shard
from webgrain.site.tables import batches
from webgrain.site.workspace import folder_of, host_site


def read_input(run: AuditRun) -> None:
    """Write the shards of all sites."""
    start = time.perf_counter()
    intake = take_in(run.read, run.workspace.work, lambda: run.progress("read", 1))
    run.workspace.add_time("", "read", time.perf_counter() - start)
    run.sites = run.workspace.site_files(intake.shards)
    run.unread = intake.failures


@dataclass(slots=True)
class Intake:
    """The part of the input that has been read.

    Attributes:
        items: number of items that were read.
        shards: the shards of each site, by its name, in order; paths relative to the folder.
        failures: items that could not be read.
        complete: whether the whole input has been read.
    """

    items: int = 0
    shards: dict[str, list[str]] = field(default_factory=dict)
    failures: list[Failure] = field(default_factory=list)
    complete: bool = False

    def add(self, line: Mapping[str, Any]) -> None:
        """Add what a line of the journal states."""
        self.items += line["items"]
        for site, shard in line["shards"]:
            self.shards.setdefault(site, []).append(shard)
        self.failures += [Failure(**failure) for failure in line["failures"]]
        self.complete = line["end"]


def take_in(
    read: Callable[[int], Iterable[Item]],
    folder: Path,
    advance: Callable[[], object] = lambda: None,
    site_of: Callable[[Source | Page], str] = lambda item: host_site(item.url),
) -> Intake:
    """Write the pages of the input to shards in a folder, or resume an interrupted call.

    read: returns the items of the input after the first n; advance: called after each item; site_of: returns
    the site of a page.

    >>> import tempfile
    >>> from pathlib import Path
    >>> pages = [Source("a", b"<p>One", url="http://www.example.org/"), Source("b", b"<p>Two")]
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     intake = take_in(lambda first: pages[first:], Path(folder))
    >>> intake.items, sorted(intake.shards)
    (2, ['', 'example.org'])
    """
    intake = Intake()
    with _journal(folder) as journal:
        for line in _whole_lines(journal):
            intake.add(json.loads(line))
        _remove_unknown_shards(folder, intake)
        if intake.complete:
            return intake
        items = _announced(read(intake.items), advance)
        waiting = batches(items, thresholds.WAITING_PAGES, item_bytes, thresholds.WAITING_BYTES)
        for batch in chain(waiting, [[]]):  # no items: the end
            record = {
                "items": len(batch),
                "shards": _write_shards(folder, batch, intake.items, site_of),
                "failures": [asdict(item) for item in batch if isinstance(item, Failure)],
                "end": not batch,
            }
            _append(journal, record)
            intake.add(record)
            batch.clear()  # before the next ones are read
    return intake


@contextmanager
def _journal(folder: Path) -> Iterator[BinaryIO]:
    """Open the journal to read it and to append lines."""
    path = folder / "read.jsonl"
    with writing(path):
        folder.mkdir(parents=True, exist_ok=True)
        journal = path.open("a+b")
    with journal:
        yield journal


def _whole_lines(journal: BinaryIO) -> list[bytes]:
    """Return the lines of the journal, and remove the part of a line that a killed process has left."""
    journal.seek(0)
    lines = [line for line in journal if line.endswith(b"\n")]
    journal.truncate(sum(map(len, lines)))
    return lines


def _append(journal: BinaryIO, record: Mapping[str, Any]) -> None:
    journal.write((json.dumps(record) + "\n").encode())
    journal.flush()
    os.fsync(journal.fileno())


def _remove_unknown_shards(folder: Path, intake: Intake) -> None:
    """Remove the shards of an incomplete batch, since its pages are read again."""
    known = {shard for shards in intake.shards.values() for shard in shards}
    for path in folder.glob("sites/*/shards/*"):
        if path.relative_to(folder).as_posix() not in known:
            path.unlink()


def _announced(items: Iterable[Item], advance: Callable[[], object]) -> Iterator[Item]:
    for item in items:
        advance()
        yield item


def _write_shards(
    folder: Path, items: Sequence[Item], start: int, site_of: Callable[[Source | Page], str]
) -> list[tuple[str, str]]:
    """Write pages to shards named after the number of their first item; return site and path of each."""
    by_site = defaultdict[tuple[str, bool], list[Source | Page]](list)
    for item in items:
        if not isinstance(item, Failure):
            by_site[site_of(item), isinstance(item, Page)].append(item)
    written = []
    for (site, _), pages in by_site.items():
        shards = folder / "sites" / folder_of(site) / "shards"
        shards.mkdir(parents=True, exist_ok=True)
        size = shard_size(len(pages))
        for first in range(0, len(pages), size):
            shard = pages[first : first + size]
            path = write_shard(shards / f"{start + first:09}", shard)
            written.append((site, path.relative_to(folder).as_posix()))
    return written
