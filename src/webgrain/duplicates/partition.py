"""Search for pairs of duplicates over any number of indexes, split into tasks for many machines.

    stage    one task per       reads                              writes
    spread   index                                                 pages and hashes, by part
    meet     part of the hashes its rows, facts of all indexes     pairs that meet, ordered, and levels
    judge    index              its pairs of all parts             pairs with verdicts

A part is a share of the hashes. All pages with an equal hash are in the same part, and no task holds more
than about ``keys`` hashes. The result is that of `webgrain.duplicates.search.find_pairs` on all indexes. The
tasks exchange pages and hashes (12 bytes for each), then pairs (48 bytes each time that two pages meet in a
part).

Memory: spread, the hashes of an index; meet, about 100 bytes per hash of a part and `FACTS` of all pages;
judge, the pairs of one index and of the sites that it has pages of, and the facts. The pages that share one
hash are all in one task.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from webgrain.base.arrays import Int64
from webgrain.base.errors import InputError, ParameterError, WebgrainError
from webgrain.base.failures import Failure
from webgrain.duplicates.index import DuplicateIndex, IndexEntry
from webgrain.duplicates.search import (
    Met,
    Pairs,
    Search,
    Sites,
    add_up,
    join_pairs,
    judge_pairs,
    meet,
    same_digests,
    with_their_sites,
)
from webgrain.duplicates.sketches import FACTS, SketchFacts
from webgrain.duplicates.thresholds import SORTED_KEYS
from webgrain.engines import Engine
from webgrain.io.local import replacing

VERSION = 2
"""Version of the files of a search in tasks."""

_HASH = np.dtype([("page", "<u4"), ("hash", "<u8")])


@dataclass(frozen=True, slots=True)
class SearchPlan:
    """A search in tasks.

    Attributes:
        indexes: files of indexes; folder: where the tasks write.
        first: (i + 1,) number of the first page of each index, and the number of all pages.
        parts: number of parts of the hashes.
        search: its parameters.
    """

    indexes: tuple[Path, ...]
    folder: Path
    first: tuple[int, ...]
    parts: int
    search: Search

    def file(self, stage: str, number: int) -> Path:
        """Return the file that a task of a stage writes; it is complete when it exists."""
        return self.folder / f"{stage}-{number:05}"

    def open(self, number: int) -> DuplicateIndex:
        """Open an index for reading."""
        return DuplicateIndex(self.indexes[number], read_only=True)

    def facts(self) -> SketchFacts:
        """Return the facts (n,) of the pages of all indexes."""
        facts = [np.zeros(0, FACTS)]
        for number in range(len(self.indexes)):
            with self.open(number) as index:
                facts.append(index.facts())
        every: SketchFacts = np.concatenate(facts)
        return every

    def entries(self, pages: Int64) -> dict[int, IndexEntry]:
        """Return pages (n,) of the indexes by their numbers. Opens each index only when needed."""
        entries: dict[int, IndexEntry] = {}
        pages = np.unique(pages)
        cuts = np.searchsorted(pages, self.first)
        for k in np.flatnonzero(np.diff(cuts)).tolist():
            with self.open(k) as index:
                of_index = pages[cuts[k] : cuts[k + 1]].tolist()
                entries |= {page: index.entry(page - self.first[k]) for page in of_index}
        return entries


def find_pairs_in_parts(
    indexes: Sequence[Path],
    folder: Path,
    engine: Engine,
    search: Search | None = None,
    keys: int = SORTED_KEYS,
) -> Iterator[Pairs]:
    """Yield the pairs of duplicates in several indexes, searched as one, by index of the first page.

    folder: where tasks write; an interrupted search is resumed from it. keys: number of hashes that are
    sorted at a time. Pages are numbered through all indexes, as by `webgrain.duplicates.search.find_pairs`.
    `InputError` if the folder belongs to another search.

    >>> import tempfile
    >>> from webgrain.duplicates.sketches import PageText
    >>> class Here:
    ...     def map(self, task, arguments):
    ...         return ((argument, task(argument)) for argument in arguments)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder) / "a.db", Path(folder) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(PageText("a.html", "A note."))
    ...     [(x.a.tolist(), x.b.tolist()) for x in find_pairs_in_parts(paths, Path(folder), Here())]
    [([0], [1]), ([], [])]
    """
    return run_plan(make_plan(indexes, folder, search, keys), engine)


def make_plan(
    indexes: Sequence[Path], folder: Path, search: Search | None = None, keys: int = SORTED_KEYS
) -> SearchPlan:
    """Return the plan of a search and write it to its folder; see `find_pairs_in_parts`."""
    if not indexes or keys < 1:
        raise ParameterError(f"Expected at least one index and one key, got {len(indexes)} and {keys}.")
    first = [0]
    hashes = 0
    for path in indexes:
        with DuplicateIndex(path, read_only=True) as index:
            first.append(first[-1] + len(index))
            hashes += int(index.facts()["kept"].sum())
    plan = SearchPlan(tuple(indexes), folder, tuple(first), 1 + hashes // keys, search or Search())
    record = {"version": VERSION, **json.loads(json.dumps(asdict(plan), default=str))}
    file = folder / "plan.json"
    earlier = json.loads(file.read_text("utf-8")) if file.exists() else record
    if (version := earlier.get("version", 1)) != VERSION:
        raise InputError(f"{folder} has parts of version {version}, not {VERSION}: delete it.")
    if earlier != record:
        raise InputError(f"{folder} has the parts of another search for duplicates: delete it.")
    with replacing(file) as part:
        part.write_text(json.dumps(record, indent=1), "utf-8")
    return plan


def run_plan(plan: SearchPlan, engine: Engine) -> Iterator[Pairs]:
    """Run the tasks that are not done yet, and yield the pairs index by index."""
    many = len(plan.indexes)
    stages = (("spread", spread, many), ("meet", meet_part, plan.parts), ("judge", judge_index, many))
    for stage, step, count in stages:
        left = [number for number in range(count) if not plan.file(stage, number).exists()]
        for number, result in engine.map(partial(step, plan), left):
            if isinstance(result, Failure):
                raise WebgrainError(f"Part {number} of duplicates ({stage}) failed: {result.error}")
    for number in range(many):
        with np.load(plan.file("judge", number)) as pairs:
            yield Pairs(**pairs)


def spread(plan: SearchPlan, number: int) -> None:
    """Write the pages and hashes of an index, ordered by part."""
    with plan.open(number) as index:
        pages, hashes = index.hashes()
    part = (hashes % np.uint64(plan.parts)).astype(np.int64)
    order = np.argsort(part, kind="stable")
    rows = np.empty(len(pages), _HASH)
    rows["page"] = pages[order]
    rows["hash"] = hashes[order]
    starts = np.concatenate([[0], np.cumsum(np.bincount(part, minlength=plan.parts))])
    _save(plan.file("spread", number), starts=starts, rows=rows)


def meet_part(plan: SearchPlan, number: int) -> None:
    """Write the pairs that meet in one part of the hashes, ordered, and the levels of all hashes."""
    pages, hashes = [np.zeros(0, np.int64)], [np.zeros(0, np.uint64)]
    for k in range(len(plan.indexes)):
        with np.load(plan.file("spread", k)) as spread_rows:
            start, end = spread_rows["starts"][number : number + 2].tolist()
            rows = spread_rows["rows"][start:end]
        pages.append(plan.first[k] + rows["page"].astype(np.int64))
        hashes.append(rows["hash"])
    met, counts = meet(
        np.concatenate(pages), np.concatenate(hashes), Sites(plan.facts()), plan.search.templates
    )
    _save(
        plan.file("meet", number),
        counts=counts,
        code=met.code,
        times=met.times[:, :-1],
        shared=met.times[:, -1],
    )


def judge_index(plan: SearchPlan, number: int) -> None:
    """Write the verdicts on the pairs whose first page is in one index."""
    facts = plan.facts()
    chosen = np.zeros(len(facts), bool)
    chosen[slice(*plan.first[number : number + 2])] = True
    parts = [with_their_sites(same_digests(facts["digest"]), facts, chosen)]
    counts = np.zeros((), np.int16)
    for part in range(plan.parts):
        with np.load(plan.file("meet", part)) as saved:
            counts = counts + saved["counts"]
            met = Met(saved["code"], np.column_stack([saved["times"], saved["shared"]]))
        parts.append(with_their_sites(met, facts, chosen))
    pairs = judge_pairs(add_up(parts), facts, counts, plan.search)
    pairs = join_pairs([pairs.take(chosen[pairs.a])])
    _save(plan.file("judge", number), **{name: getattr(pairs, name) for name in Pairs.__slots__})


def _save(path: Path, **arrays: NDArray[Any]) -> None:
    with replacing(path) as part, part.open("wb") as file:
        np.savez_compressed(file, **arrays)  # type: ignore[arg-type]
