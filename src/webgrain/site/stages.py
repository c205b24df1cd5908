"""The stages of an audit as functions that read and write files and return a small summary.

Any engine can run them, on any machine that has access to the files, and again after an interruption: a file
appears when it is complete.
"""

from __future__ import annotations

import json
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache
from pathlib import Path

from webgrain.duplicates.index import Document, sign
from webgrain.duplicates.minhash import MinHash
from webgrain.engines.guard import Guard, run_step
from webgrain.errors import InputError
from webgrain.extraction.markdown import page_text
from webgrain.io.local import replacing
from webgrain.io.queries import SearchLog
from webgrain.io.store import open_store
from webgrain.io.write import open_writer
from webgrain.page.page import Page, Source
from webgrain.page.parsing import parse
from webgrain.pipeline import Item, Layout, pages
from webgrain.records import failure_record
from webgrain.results import Failure
from webgrain.site.learning import Learning, empty_model, learn_site, least
from webgrain.site.model import SiteModel, load_model
from webgrain.site.tables import Row, Summary, page_row, signed_row, write_part
from webgrain.site.thresholds import (
    CACHED_NODES,
    LEARN_MEGABYTES,
    LEARN_SECONDS,
    MAX_LEARNT_BYTES,
    PAGE_SECONDS,
    SAMPLE,
)
from webgrain.site.workspace import read_shard, shard_ids


class Clock:
    """Sums up seconds of processor time by stage: a lap begins where the previous one ended.

    >>> clock = Clock()
    >>> clock.start()
    >>> clock.lap("parse")
    >>> list(clock.seconds)
    ['parse']
    """

    def __init__(self) -> None:
        self.seconds: defaultdict[str, float] = defaultdict(float)
        self.start()

    def start(self) -> None:
        """Begin a lap; the time before it is not counted."""
        self._last = time.process_time()

    def lap(self, stage: str) -> None:
        """End a lap, and begin the next one."""
        now = time.process_time()
        self.seconds[stage] += now - self._last
        self._last = now


@dataclass(frozen=True, slots=True, kw_only=True)
class Learn:
    """The task of learning a site.

    Attributes:
        site: its name; shards: its pages; model: the file to write.
        queries: file of its search log; None: pseudo-queries.
        sample: pages that are learnt from, at most.
        learning: settings.
    """

    site: str
    shards: tuple[Path, ...]
    model: Path
    queries: Path | None = None
    sample: int = SAMPLE
    learning: Learning = field(default_factory=Learning)


def learn(task: Learn) -> float:
    """Learn a site, write its model and return the seconds."""
    start = time.process_time()
    chosen = frozenset(least((name for shard in task.shards for name in shard_ids(shard)), task.sample))
    _model_of(task, chosen).save(task.model)
    return time.process_time() - start


def _model_of(task: Learn, chosen: frozenset[str]) -> SiteModel:
    """Return the model of a site; if learning fails, an empty model with the first reason."""
    log, reason = _log(task.queries), ""
    for largest in MAX_LEARNT_BYTES:
        found = _learnt(task, _Sample(task.shards, chosen, largest), log)
        if isinstance(found, SiteModel):
            return found
        reason = reason or found
    return empty_model(task.site, reason)


def _learnt(task: Learn, sample: _Sample, log: SearchLog | None) -> SiteModel | str:
    """Return the model learnt from a sample, or the reason of the failure."""

    def step(_: object) -> SiteModel | str:
        try:
            return learn_site(lambda: sample, task.site, log, task.learning)
        except InputError as error:  # no readable page, or the search log of another site
            return str(error)

    guard = Guard(LEARN_SECONDS + PAGE_SECONDS * task.sample, LEARN_MEGABYTES)
    name = f"{task.site or 'the site'} (pages of at most {sample.largest:,} bytes)"
    found = guard.call(Source(name, b""), "learn", step)
    return found.error if isinstance(found, Failure) else found


class _Sample:
    """The pages from which a site is learnt, without huge ones; the first ones stay in memory, parsed."""

    def __init__(self, shards: tuple[Path, ...], chosen: frozenset[str], largest: int) -> None:
        self._shards, self._chosen, self.largest = shards, chosen, largest
        self._kept: dict[str, Page] = {}
        self._nodes = 0

    def __iter__(self) -> Iterator[Item]:
        for shard in self._shards:
            names = [name for name in shard_ids(shard) if name in self._chosen]
            if names and all(name in self._kept for name in names):
                yield from (self._kept[name] for name in names)
            elif names:
                yield from map(self._parsed, read_shard(shard, self._chosen))

    def _parsed(self, item: Item) -> Item:
        if isinstance(item, Source) and len(item.body) > self.largest:
            return Failure(item.id, "learn", f"it has more than {self.largest:,} bytes.")
        if isinstance(item, Failure):
            return item
        if item.id in self._kept:  # in a shard with pages that are not in memory
            return self._kept[item.id]
        if self._nodes >= CACHED_NODES:
            return item
        page = run_step(item, "read", _tree)
        if isinstance(page, Page):
            self._nodes += len(page.dom)
            self._kept[page.id] = page
        return page


def _tree(item: Source | Page) -> Page:
    """Return a page without its bytes and its view."""
    page = parse(item) if isinstance(item, Source) else item
    return replace(page, source=None, view=None, screenshot=None)


def _log(path: Path | None) -> SearchLog | None:
    if path is None:
        return None
    from webgrain.io.queries import read_queries

    return read_queries(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class Apply:
    """The task of reading a shard with the model of its site; guard: limits for a page."""

    site: str
    shard: Path
    part: Path
    model: Path
    guard: Guard = field(default_factory=Guard)


def apply(task: Apply) -> Summary:
    """Read the pages of a shard with the model of their site, and write their rows."""
    reader = _Reader(task)
    write_part(task.part, reader.rows(), reader.summary)
    return reader.summary


class _Reader:
    """Makes the rows of the pages of a shard."""

    def __init__(self, task: Apply) -> None:
        self._task = task
        self._model = _model(task.model, task.model.stat().st_mtime_ns)
        self._method = MinHash()
        self._clock = Clock()
        self.summary = Summary()

    def rows(self) -> Iterator[Row]:
        for item in read_shard(self._task.shard):
            self._clock.lap("read")
            row = self._task.guard.call(item, "extract", self._row)
            self._clock.start()
            if isinstance(row, Failure):
                self.summary.failures.append(row)
            else:
                self.summary.pages += 1
                yield row
            self._clock.lap("write")
        self.summary.seconds = dict(self._clock.seconds)

    def _row(self, item: Source | Page) -> Row:
        found = self._model.predict(item, self._clock.lap)
        document = Document(found.id, page_text(found.page), found.text or None, found.url)
        row = page_row(found, self._task.site) | signed_row(sign(document, self._method))
        self._clock.lap("signatures")
        return row


@lru_cache(maxsize=4)
def _model(path: Path, changed: int) -> SiteModel:
    """Return the model in a file; each process reads it once."""
    return load_model(path)


@dataclass(frozen=True, slots=True, kw_only=True)
class LayOut:
    """The task of rendering the sample pages; store: the file to write."""

    shards: tuple[Path, ...]
    chosen: frozenset[str]
    store: Path
    layout: Layout


def lay_out(task: LayOut) -> float:
    """Render some pages, write them to a page store with their screenshots, and return the seconds.

    The failures are written to a file beside the store.
    """
    start, failures = time.perf_counter(), []
    items = (item for shard in task.shards for item in read_shard(shard, task.chosen))
    with open_store(task.store) as store:
        for page in pages(items, task.layout):
            if isinstance(page, Failure):
                failures.append(page)
            else:
                store.write(page)
        write_failures(not_laid_out(task.store), failures)
    return time.perf_counter() - start


def not_laid_out(store: Path) -> Path:
    """Return the file of the pages that could not be rendered."""
    return store.with_suffix(".failures.jsonl")


def write_failures(path: Path, failures: Iterable[Failure]) -> None:
    """Write failures, one JSON record per line."""
    with replacing(path) as part, open_writer("jsonl", part) as records:
        for failure in failures:
            records.write(failure_record(failure))


def read_failures(path: Path) -> list[Failure]:
    """Return the failures in a file; none if the file does not exist."""
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError:
        return []
    return [Failure(**json.loads(line)) for line in lines]
