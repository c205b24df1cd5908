"""Search for pairs of duplicates over any number of indexes, split into tasks for many machines.

    stage    one task per               reads                          writes
    spread   index                                                     pages and keys, by band and part
    meet     part of the keys of a band its rows of all indexes        pairs that meet, by index of the first
    judge    index                      its pairs of all parts         pairs with verdicts

A part is a share of the keys, by hash. All pages with an equal key are in the same part, and no task holds
more than about ``keys`` keys. The result is that of `webgrain.duplicates.search.find_pairs` on all indexes.
The tasks exchange pages and keys (8 bytes per page and band), then pairs (16 bytes each time that two pages
meet), and the signatures of pages that meet.

Stages exchange rows through files that are sorted into buckets (`write_buckets`), so that a reader reads only
the rows of one bucket.

Memory: spread, 4 bytes per page of an index; meet, about 100 bytes per key of a part and `_RUN` pairs; judge,
the pairs of one index. The pages that share one key are all in one task.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Int64
from webgrain.duplicates.index import DuplicateIndex, Entry, Rows
from webgrain.duplicates.search import (
    Pairs,
    Scorer,
    Search,
    common_method,
    join,
    join_rows,
    meetings,
    split_by_index,
)  # fmt: skip
from webgrain.duplicates.thresholds import KEYS
from webgrain.errors import InputError, ParameterError, WebgrainError
from webgrain.io.local import replacing
from webgrain.results import Failure

_KEY = np.dtype([("page", "<u4"), ("key", "<u4")])
_PAIR = np.dtype([("a", "<i8"), ("b", "<i8")])
_RUN = 2**20  # pairs that are written at a time, at least


class TaskRunner(Protocol):
    """An engine that runs tasks: `webgrain.engines.local.Local`, `webgrain.engines.ray.Ray`."""

    def map(self, task: Callable[[int], None], arguments: Iterable[int]) -> Iterator[tuple[int, object]]:
        """Yield arguments and results as they are completed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A search in tasks.

    Attributes:
        indexes: files of indexes; folder: where the tasks write.
        first: (i + 1,) number of the first page of each index, and the number of all pages.
        bands, parts: number of bands, and of parts of the keys of each band.
        search: its parameters.
    """

    indexes: tuple[Path, ...]
    folder: Path
    first: tuple[int, ...]
    bands: int
    parts: int
    search: Search

    @property
    def tasks(self) -> int:
        """Number of tasks of the stage ``meet``."""
        return len(self.search.kinds) * self.bands * self.parts

    def file(self, stage: str, number: int) -> Path:
        """Return the file that a task of a stage writes."""
        return self.folder / f"{stage}-{number:05}"

    def is_done(self, stage: str, number: int) -> bool:
        """Return whether a task is done."""
        file = self.file(stage, number)
        return (file if stage == "judge" else _starts_of(file)).exists()

    def open(self, number: int) -> DuplicateIndex:
        """Open an index for reading."""
        return DuplicateIndex(self.indexes[number], read_only=True)

    def rows(self, pages: Int64) -> Rows:
        """Return the signatures of pages (n,), ascending. Opens each index only when needed."""
        parts = []
        for k, own in split_by_index(pages, self.first):
            with self.open(k) as index:
                parts.append(index.rows(own - self.first[k]))
        return join_rows(parts)

    def entries(self, pages: Int64) -> dict[int, Entry]:
        """Return pages (n,) of the indexes by their numbers."""
        entries: dict[int, Entry] = {}
        for k, own in split_by_index(np.unique(pages), self.first):
            with self.open(k) as index:
                entries |= {page: index.entry(page - self.first[k]) for page in own.tolist()}
        return entries


def find_pairs_in_parts(
    indexes: Sequence[Path], folder: Path, engine: TaskRunner, search: Search | None = None, keys: int = KEYS
) -> Iterator[Pairs]:
    """Yield the pairs of duplicates in several indexes, searched as one, by index of the first page.

    folder: where tasks write; an interrupted search is resumed from it. keys: number of keys that are sorted
    at a time. Pages are numbered through all indexes, as by `webgrain.duplicates.search.find_pairs`.
    `InputError` if the folder belongs to another search; `ParameterError` if the indexes have different
    methods.

    >>> import tempfile
    >>> from webgrain.duplicates.index import Document
    >>> class Here:
    ...     def map(self, task, arguments):
    ...         return ((argument, task(argument)) for argument in arguments)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder) / "a.db", Path(folder) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(Document("a.html", "A note."))
    ...     [(x.a.tolist(), x.b.tolist()) for x in find_pairs_in_parts(paths, Path(folder), Here())]
    [([0], [1]), ([], [])]
    """
    return run_plan(make_plan(indexes, folder, search, keys), engine)


def make_plan(indexes: Sequence[Path], folder: Path, search: Search | None = None, keys: int = KEYS) -> Plan:
    """Return the plan of a search and write it to its folder; see `find_pairs_in_parts`."""
    if not indexes or keys < 1:
        raise ParameterError(f"Expected at least one index and one key, got {len(indexes)} and {keys}.")
    first, methods = [0], []
    for path in indexes:
        with DuplicateIndex(path, read_only=True) as index:
            first.append(first[-1] + len(index))
            methods.append(index.method)
    method = common_method(methods)
    plan = Plan(tuple(indexes), folder, tuple(first), method.bands, 1 + first[-1] // keys, search or Search())
    record = json.dumps(asdict(plan) | method.get_params(), default=str, indent=1)
    file = folder / "plan.json"
    if file.exists() and file.read_text("utf-8") != record:
        raise InputError(f"{folder} has the parts of another search for duplicates: delete it.")
    with replacing(file) as part:
        part.write_text(record, "utf-8")
    return plan


def run_plan(plan: Plan, engine: TaskRunner) -> Iterator[Pairs]:
    """Run the tasks that are not done yet, and yield the pairs index by index."""
    many = len(plan.indexes)
    for stage, step, count in (("spread", spread, many), ("meet", meet, plan.tasks), ("judge", judge, many)):
        left = [number for number in range(count) if not plan.is_done(stage, number)]
        for number, result in engine.map(partial(step, plan), left):
            if isinstance(result, Failure):
                raise WebgrainError(f"Part {number} of duplicates ({stage}) failed: {result.error}")
    for number in range(many):
        with np.load(plan.file("judge", number)) as pairs:
            yield Pairs(**pairs)


def spread(plan: Plan, number: int) -> None:
    """Write the pages of an index with their keys: one run per band, in buckets by part."""

    def runs() -> Iterator[tuple[NDArray[Any], NDArray[Any]]]:
        for kind in plan.search.kinds:
            for band in range(plan.bands):
                keys = np.concatenate([np.zeros(0, np.uint32), *index.keys(kind, band)])
                pages = np.flatnonzero(keys)
                yield keys[pages] % plan.parts, _structured(_KEY, pages, keys[pages])

    with plan.open(number) as index:
        write_buckets(plan.file("spread", number), plan.parts, runs())


def meet(plan: Plan, number: int) -> None:
    """Write the pairs that meet in one part of the keys of a band, in buckets by index of the first page."""
    run, part = divmod(number, plan.parts)
    rows = [read_bucket(plan.file("spread", k), _KEY, part, run) for k in range(len(plan.indexes))]
    keys = np.concatenate([own["key"] for own in rows])
    pages = np.concatenate([plan.first[k] + own["page"].astype(np.int64) for k, own in enumerate(rows)])
    runs = (
        (np.searchsorted(plan.first, pairs["a"], side="right") - 1, pairs)
        for pairs in _in_runs(_structured(_PAIR, a, b) for a, b in meetings(pages, keys))
    )
    write_buckets(plan.file("meet", number), len(plan.indexes), runs)


def judge(plan: Plan, number: int) -> None:
    """Write the verdicts on the pairs whose first page is in one index."""
    met = [np.zeros(0, _PAIR)]
    for k in range(plan.tasks):
        met.extend(read_runs(plan.file("meet", k), _PAIR, number))
    pairs = np.unique(np.concatenate(met))
    pairs = pairs[np.argsort(pairs["b"], kind="stable")]  # so that the indexes are read one after another
    with plan.open(0) as index:
        scorer = Scorer(index.method, plan.search, plan.rows)
    found = join(list(scorer.duplicates(pairs["a"], pairs["b"])))
    with replacing(plan.file("judge", number)) as part, part.open("wb") as file:
        np.savez(file, **{name: getattr(found, name) for name in Pairs.__slots__})


def _structured(dtype: np.dtype[Any], *columns: NDArray[Any]) -> NDArray[Any]:
    rows = np.empty(len(columns[0]), dtype)
    for name, column in zip(dtype.names or (), columns, strict=True):
        rows[name] = column
    return rows


def _in_runs(parts: Iterable[NDArray[Any]]) -> Iterator[NDArray[Any]]:
    """Concatenate arrays to runs of at least `_RUN` rows; the last one can be shorter."""
    run: list[NDArray[Any]] = []
    for part in parts:
        run.append(part)
        if sum(map(len, run)) >= _RUN:
            yield np.concatenate(run)
            run = []
    if run:
        yield np.concatenate(run)


def write_buckets(path: Path, count: int, runs: Iterable[tuple[NDArray[Any], NDArray[Any]]]) -> None:
    """Write runs of rows, each sorted by bucket, in two files; older files are replaced.

        NAME              the rows, run by run, each sorted by bucket
        NAME.starts.npy   (runs, count + 1) int64: position in the first file of the rows of each bucket

    count: number of buckets; runs: the bucket (n,) of each row, and the rows (n,). The task is complete when
    the second file exists.

    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "rows"
    ...     runs = [([1, 0, 1], np.array([10, 20, 30])), ([1], np.array([40]))]
    ...     write_buckets(path, 2, ((np.array(bucket), rows) for bucket, rows in runs))
    ...     [rows.tolist() for rows in read_runs(path, np.dtype(np.int64), 1)]
    [[10, 30], [40]]
    """
    starts, end = [], 0
    with replacing(path) as part, part.open("wb") as file:
        for bucket, rows in runs:
            sizes = np.bincount(bucket, minlength=count)
            starts.append(end + np.concatenate([[0], np.cumsum(sizes)]))
            end += len(rows)
            file.write(rows[np.argsort(bucket, kind="stable")].tobytes())
    with replacing(_starts_of(path)) as part, part.open("wb") as file:
        np.save(file, np.array(starts, np.int64).reshape(-1, count + 1))


def read_bucket(path: Path, dtype: np.dtype[Any], bucket: int, run: int) -> NDArray[Any]:
    """Return the rows (n,) of one bucket of one run."""
    start, end = np.load(_starts_of(path), mmap_mode="r")[run, bucket : bucket + 2].tolist()
    return np.fromfile(path, dtype, count=end - start, offset=start * dtype.itemsize)


def read_runs(path: Path, dtype: np.dtype[Any], bucket: int) -> Iterator[NDArray[Any]]:
    """Yield the rows (n,) of one bucket, run by run."""
    for run in range(len(np.load(_starts_of(path), mmap_mode="r"))):
        yield read_bucket(path, dtype, bucket, run)


def _starts_of(path: Path) -> Path:
    return path.with_name(f"{path.name}.starts.npy")
