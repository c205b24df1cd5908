"""Rows on disk, sorted into buckets: what one step of a calculation in parts leaves for the next.

A writer sorts each run of rows that it is given; a reader takes one bucket of one run or of all, and no more
is read from the disk. Two files, complete when the second is there:

    NAME              the rows, run by run, in each by bucket
    NAME.starts.npy   (runs, buckets + 1) int64: where in the first file the rows of each bucket begin

The pairs of `webgrain.duplicates.search` over any number of indexes, in parts that many machines can do.

    stage    a task for each            reads of what came before      writes
    spread   index                                                     pages and keys, by band and part
    meet     part of the keys of a band its rows of all indexes        pairs that meet, by index of the first
    judge    index                      its pairs of all parts         verdicts on them

A part is a share of the keys by hash: so all pages with one key are in one part, and nobody holds more than
about ``keys`` of them. The pairs are those of one search in all indexes at once. What travels is pages and
keys (8 bytes a page and band), then pairs (16 bytes each time two pages meet), and of the signatures only
those of pages that meet.

Memory: spread, 4 bytes a page of an index; meet, about 100 bytes a key of a part and `_RUN` pairs; judge, the
pairs of one index. One key that very many pages share is not parted: they are all in one task.
"""

from __future__ import annotations

import json
import secrets
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from webgrain.arrays import Int64
from webgrain.duplicates.index import DuplicateIndex, Entry, Rows
from webgrain.duplicates.minhash import MinHash
from webgrain.duplicates.search import KEYS, Pairs, Referee, Search, join, meetings
from webgrain.errors import InputError, ParameterError, WebgrainError
from webgrain.results import Failure


class Buckets:
    """Writes runs of rows; `written` gives one.

    file: where rows go; count: number of buckets.
    """

    def __init__(self, file: Any, count: int) -> None:
        self._file, self._count = file, count
        self._starts: list[Int64] = []
        self._end = 0

    def write(self, bucket: NDArray[np.integer[Any]], rows: NDArray[Any]) -> None:
        """Write a run: rows (n,) and the bucket of each; in a bucket they keep their order."""
        order = np.argsort(bucket, kind="stable")
        sizes = np.bincount(bucket, minlength=self._count)
        self._starts.append(self._end + np.concatenate([[0], np.cumsum(sizes)]))
        self._end += len(rows)
        self._file.write(rows[order].tobytes())

    @property
    def starts(self) -> Int64:
        """Where buckets begin (runs, buckets + 1)."""
        return np.array(self._starts, np.int64).reshape(-1, self._count + 1)


@contextmanager
def written(path: Path, count: int) -> Iterator[Buckets]:
    """Write rows in so many buckets; the files appear when all is written, in place of older ones.

    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with written(Path(folder) / "rows", 2) as buckets:
    ...         buckets.write(np.array([1, 0, 1]), np.array([10, 20, 30]))
    ...         buckets.write(np.array([1]), np.array([40]))
    ...     [bucket_of(Path(folder) / "rows", np.dtype(np.int64), 1, run).tolist() for run in (0, 1)]
    [[10, 30], [40]]
    """
    with replacing(path) as part, part.open("wb") as file:
        buckets = Buckets(file, count)
        yield buckets
    with replacing(starts_of(path)) as part, part.open("wb") as file:
        np.save(file, buckets.starts)


def bucket_of(path: Path, dtype: np.dtype[Any], bucket: int, run: int) -> NDArray[Any]:
    """Return the rows (n,) of one bucket of one run."""
    start, end = np.load(starts_of(path), mmap_mode="r")[run, bucket : bucket + 2].tolist()
    return np.fromfile(path, dtype, count=end - start, offset=start * dtype.itemsize)


def bucket_of_all(path: Path, dtype: np.dtype[Any], bucket: int) -> Iterator[NDArray[Any]]:
    """Go through the rows (n,) of one bucket, run by run."""
    for run in range(len(np.load(starts_of(path), mmap_mode="r"))):
        yield bucket_of(path, dtype, bucket, run)


def starts_of(path: Path) -> Path:
    """Return the second file: that is there when both are."""
    return path.with_name(f"{path.name}.starts.npy")


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Give a name to write a file under; once it is complete it takes the name ``path``."""
    part = path.with_name(f".{path.name}.{secrets.token_hex(4)}.part")
    try:
        yield part
        part.replace(path)
    finally:
        part.unlink(missing_ok=True)


_KEY = np.dtype([("page", "<u4"), ("key", "<u4")])
_PAIR = np.dtype([("a", "<i8"), ("b", "<i8")])
_RUN = 2**20
"""Pairs that wait to be written, at least."""


class TaskRunner(Protocol):
    """What runs tasks: `webgrain.engines.local.Local`, `webgrain.engines.ray.Ray`."""

    def map(self, task: Callable[[int], None], arguments: Iterable[int]) -> Iterator[tuple[int, object]]:
        """Go through arguments and results as they are completed."""


@dataclass(frozen=True, slots=True)
class Plan:
    """A search in parts.

    Attributes:
        indexes: files of indexes; folder: where what is between lies.
        first: (i + 1,) number of the first page of each index, and of all pages.
        bands, parts: number of bands; of parts of the keys of each.
        search: what is looked for.
    """

    indexes: tuple[Path, ...]
    folder: Path
    first: tuple[int, ...]
    bands: int
    parts: int
    search: Search

    @property
    def tasks(self) -> int:
        """Parts of the keys of all bands."""
        return len(self.search.kinds) * self.bands * self.parts

    def file(self, stage: str, number: int) -> Path:
        """Return what a task of a stage writes."""
        return self.folder / f"{stage}-{number:05}"

    def is_done(self, stage: str, number: int) -> bool:
        """Tell whether a task is done."""
        file = self.file(stage, number)
        return (file if stage == "judge" else starts_of(file)).exists()


def find_pairs_in_parts(
    indexes: Sequence[Path], folder: Path, engine: TaskRunner, search: Search | None = None, keys: int = KEYS
) -> Iterator[Pairs]:
    """Go through the pairs in several indexes, taken as one: those of the first index first.

    folder: for what is between; a search that was ended goes on there. keys: that are sorted at a time.
    Pages are numbered through all indexes, as by `webgrain.duplicates.search.find_pairs`. `InputError`
    where the
    folder has another search in it; `ParameterError` where the indexes were made in different ways.

    >>> import tempfile
    >>> from pathlib import Path
    >>> from webgrain.duplicates.index import Document
    >>> class Here:
    ...     def map(self, task, arguments):
    ...         return ((argument, task(argument)) for argument in arguments)
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     paths = [Path(folder) / "a.db", Path(folder) / "b.db"]
    ...     for path in paths:
    ...         with DuplicateIndex(path) as index:
    ...             _ = index.add(Document("a.html", "Said once."))
    ...     [(x.a.tolist(), x.b.tolist()) for x in find_pairs_in_parts(paths, Path(folder), Here())]
    [([0], [1]), ([], [])]
    """
    return pairs_of(plan_of(indexes, folder, search, keys), engine)


def plan_of(indexes: Sequence[Path], folder: Path, search: Search | None = None, keys: int = KEYS) -> Plan:
    """Return the plan of a search, and keep it in its folder; see `find_pairs_in_parts`."""
    if not indexes or keys < 1:
        raise ParameterError(f"Expected at least one index and one key, got {len(indexes)} and {keys}.")
    first, methods = [0], []
    for path in indexes:
        with DuplicateIndex(path, read_only=True) as index:
            first.append(first[-1] + len(index))
            methods.append(index.method)
    if any(method.get_params() != methods[0].get_params() for method in methods):
        raise ParameterError(f"Indexes are searched together when made in one way, got {methods}.")
    parts = 1 + first[-1] // keys
    plan = Plan(tuple(indexes), folder, tuple(first), methods[0].bands, parts, search or Search())
    told = json.dumps(asdict(plan) | methods[0].get_params(), default=str, indent=1)
    file = folder / "plan.json"
    if file.exists() and file.read_text("utf-8") != told:
        raise InputError(f"{folder} has the parts of another search for duplicates: delete it.")
    with replacing(file) as part:
        part.write_text(told, "utf-8")
    return plan


def pairs_of(plan: Plan, engine: TaskRunner) -> Iterator[Pairs]:
    """Do what is left of a search, and go through what it has found, an index at a time."""
    many = len(plan.indexes)
    for stage, step, count in (("spread", spread, many), ("meet", meet, plan.tasks), ("judge", judge, many)):
        left = [number for number in range(count) if not plan.is_done(stage, number)]
        for number, result in engine.map(partial(step, plan), left):
            if isinstance(result, Failure):
                raise WebgrainError(f"Part {number} of duplicates ({stage}) failed: {result.error}")
    for number in range(many):
        with np.load(plan.file("judge", number)) as found:
            yield Pairs(**found)


def entries_of(plan: Plan, pages: Int64) -> dict[int, Entry]:
    """Return pages (n,) of the indexes by their numbers."""
    found: dict[int, Entry] = {}
    for k, own in _by_index(plan, np.unique(pages)):
        with DuplicateIndex(plan.indexes[k], read_only=True) as index:
            found |= {page: index.entry(page - plan.first[k]) for page in own.tolist()}
    return found


def spread(plan: Plan, number: int) -> None:
    """Write the pages of an index with their keys, a run for each band, in buckets by part."""
    with (
        DuplicateIndex(plan.indexes[number], read_only=True) as index,
        written(plan.file("spread", number), plan.parts) as buckets,
    ):
        for kind in plan.search.kinds:
            for band in range(plan.bands):
                keys = np.concatenate([np.zeros(0, np.uint32), *index.keys(kind, band)])
                there = np.flatnonzero(keys)
                rows = np.empty(len(there), _KEY)
                rows["page"], rows["key"] = there, keys[there]
                buckets.write(rows["key"] % plan.parts, rows)


def meet(plan: Plan, number: int) -> None:
    """Write the pairs that meet in one part of the keys of a band, in buckets by index of the first page."""
    run, part = divmod(number, plan.parts)
    found = [bucket_of(plan.file("spread", k), _KEY, part, run) for k in range(len(plan.indexes))]
    keys = np.concatenate([rows["key"] for rows in found])
    pages = np.concatenate([plan.first[k] + rows["page"].astype(np.int64) for k, rows in enumerate(found)])
    with written(plan.file("meet", number), len(plan.indexes)) as buckets:
        for pairs in _heaped(meetings(pages, keys)):
            owner = np.searchsorted(plan.first, pairs["a"], side="right") - 1
            buckets.write(owner, pairs)


def _heaped(met: Iterable[tuple[Int64, Int64]]) -> Iterator[NDArray[Any]]:
    """Put pairs together to at least `_RUN` of them."""
    heap: list[NDArray[Any]] = []
    for a, b in met:
        pairs = np.empty(len(a), _PAIR)
        pairs["a"], pairs["b"] = a, b
        heap.append(pairs)
        if sum(map(len, heap)) >= _RUN:
            yield np.concatenate(heap)
            heap = []
    if heap:
        yield np.concatenate(heap)


def judge(plan: Plan, number: int) -> None:
    """Write the verdicts on the pairs whose first page is in one index."""
    met = [np.zeros(0, _PAIR)]
    for k in range(plan.tasks):
        met.extend(bucket_of_all(plan.file("meet", k), _PAIR, number))
    pairs = np.unique(np.concatenate(met))
    pairs = pairs[np.argsort(pairs["b"], kind="stable")]  # so that indexes are looked into one after another
    found = join(list(Referee(_Files(plan), plan.search).duplicates(pairs["a"], pairs["b"])))
    with replacing(plan.file("judge", number)) as part, part.open("wb") as file:
        np.savez(file, **{name: getattr(found, name) for name in Pairs.__slots__})


class _Files:
    """The indexes of a plan as one, each opened when it is looked into: there can be thousands."""

    def __init__(self, plan: Plan) -> None:
        self._plan = plan
        with DuplicateIndex(plan.indexes[0], read_only=True) as index:
            self.method: MinHash = index.method

    def rows(self, pages: Int64) -> Rows:
        """Return what is known of pages (n,), ascending."""
        found = []
        for k, own in _by_index(self._plan, pages):
            with DuplicateIndex(self._plan.indexes[k], read_only=True) as index:
                found.append(index.rows(own - self._plan.first[k]))
        return Rows(*(np.concatenate([getattr(rows, name) for rows in found]) for name in Rows.__slots__))


def _by_index(plan: Plan, pages: Int64) -> Iterator[tuple[int, Int64]]:
    """Cut pages (n,), ascending, by the index that they are in."""
    cuts = np.searchsorted(pages, plan.first)
    for k in np.flatnonzero(np.diff(cuts)).tolist():
        yield k, pages[cuts[k] : cuts[k + 1]]
